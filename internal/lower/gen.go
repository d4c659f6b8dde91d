package lower

//go:generate go run ./_gen

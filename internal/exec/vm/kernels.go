package vm

//go:generate go run ./_gen

// Pairs of operations that run as one loop.
const (
	fusedMulAdd = iota // a·b + c
	fusedMulSub        // a·b - c
	fusedSubMul        // c - a·b
	fusedPairs
)

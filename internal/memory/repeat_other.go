//go:build !amd64

package memory

const (
	canStore = false
	minStore = 0
)

func storeWords(*byte, int, uint64) {}

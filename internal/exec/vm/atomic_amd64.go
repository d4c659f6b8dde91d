//go:build !race

package vm

// storeRelease is an atomic store with release semantics: on this processor any aligned store,
// which other stores and loads before it do not pass.
func storeRelease(word *uint32, value uint32) { *word = value }

// storeRelease64 is storeRelease of 64 bits.
func storeRelease64(word *uint64, value uint64) { *word = value }

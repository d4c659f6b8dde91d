//go:build !amd64 || race

package vm

import "sync/atomic"

// storeRelease is an atomic store with release semantics.
func storeRelease(word *uint32, value uint32) { atomic.StoreUint32(word, value) }

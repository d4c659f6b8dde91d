//go:build !amd64 || race

package vm

import "sync/atomic"

// storeRelease is an atomic store with release semantics.
func storeRelease(word *uint32, value uint32) { atomic.StoreUint32(word, value) }

// storeRelease64 is storeRelease of 64 bits.
func storeRelease64(word *uint64, value uint64) { atomic.StoreUint64(word, value) }

//go:build !wasm

package native

// there says that blocks can be made: for the processor that this runs on, or in tests for any.
const there = true

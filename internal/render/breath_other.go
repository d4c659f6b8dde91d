//go:build !wasm

package render

// breath is nothing where threads and preemption let others run.
type breath struct{}

func (*Executor) breathe() {}

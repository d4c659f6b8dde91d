//go:build !wasm

package render

import "context"

// breath is nothing where threads and preemption let others run.
type breath struct{}

func (*breath) take(context.Context) {}

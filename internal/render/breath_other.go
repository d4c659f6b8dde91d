//go:build !wasm

package render

import "context"

// breath lets others run on systems of one thread, which this is not.
type breath struct{}

func (*breath) take(context.Context) {}

package lower_test

import (
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/vm"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower"
)

// Live invocations that come to a DebugPrintf tell its message, in their order.
func TestDebugPrintf_LanesOfTheBranch(t *testing.T) {
	p := compile(t, "printf.comp", lower.Options{})
	for range 2 {
		r, err := vm.New(vm.Options{Lanes: 64}).Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		ctx := &exec.Context{Print: func(program, text string) { got = append(got, program+": "+text) }}
		index := []uint32{0, 1, 2, 3, 4, 5, 6, 7}
		b := &exec.Batch{N: 8, Live: []uint32{^uint32(0), ^uint32(0), ^uint32(0), ^uint32(0), ^uint32(0), 0, ^uint32(0), ^uint32(0)}}
		for range p.Inputs {
			b.In = append(b.In, index)
		}
		if err := r.NewThread(64).Run(ctx, b); err != nil {
			t.Fatal(err)
		}
		want := []string{"main: lane 1 of 4, 1: 0.50", "main: lane 3 of 4, 1: 1.50", "main: lane 7 of 4, 1: 3.50"}
		if !slices.Equal(got, want) {
			t.Errorf("told %q, want %q", got, want)
		}
		ir.Optimize(p)
		if err := ir.Verify(p); err != nil {
			t.Fatal(err)
		}
	}
}

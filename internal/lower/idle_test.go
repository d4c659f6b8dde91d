package lower_test

import (
	"math"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/vm"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower"
)

//go:generate glslangValidator -V --target-env vulkan1.2 -o testdata/idle/idle.frag.spv testdata/idle/idle.frag

// Of loops that do nothing none is left, whatever bounds they have; and what those of which something is read leave is
// the same with all passes and without that one.
func TestIdleLoops(t *testing.T) {
	p, plain := compile(t, "idle/idle.frag", lower.Options{}), compile(t, "idle/idle.frag", lower.Options{})
	if err := ir.OptimizeChecked(p); err != nil {
		t.Fatal(err)
	}
	if !ir.OptimizeWithout(plain, "unloop") {
		t.Fatal("no pass unloop")
	}
	if n := strings.Count(p.String(), "loop {"); n != 2 {
		t.Errorf("%d loops are left, want that which adds, and that of which some turns do what others do not:\n%s", n, p)
	}
	const n = 16
	for _, engine := range []*vm.Engine{vm.New(vm.Options{}), vm.New(vm.Options{Native: true})} {
		var outs [2][][]uint32
		for i, p := range []*ir.Program{p, plain} {
			r, err := engine.Compile(p)
			if err != nil {
				t.Fatal(err)
			}
			b := exec.Batch{N: n}
			for range p.Inputs {
				b.In = append(b.In, make([]uint32, n))
			}
			for range p.Outputs {
				b.Out = append(b.Out, make([]uint32, n))
			}
			push := []byte{7, 0, 0, 0, 0, 0, 0x40, 0x40} // 7, 3.0
			if err := r.NewThread(n).Run(&exec.Context{Push: push}, &b); err != nil {
				t.Fatal(err)
			}
			outs[i] = b.Out
		}
		for o := range outs[0] {
			for l := range n {
				if outs[0][o][l] != outs[1][o][l] {
					t.Errorf("%s: output %d of lane %d is %#x, %#x with all loops", engine.Name(), o, l, outs[0][o][l], outs[1][o][l])
				}
			}
		}
		if got := math.Float32frombits(outs[0][1][0]); got != 6 {
			t.Errorf("%s: what each turn sets is %v, want 2·3", engine.Name(), got)
		}
		if got := math.Float32frombits(outs[0][0][0]); got != 1 {
			t.Errorf("%s: what the seventh turn sets is %v, want 1", engine.Name(), got)
		}
	}
}

package lower_test

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/vm"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower"
)

//go:generate glslangValidator -V --target-env vulkan1.2 -o testdata/push/push.frag.spv testdata/push/push.frag

// Narrow scalars of push constants are parts of words: all lanes share what lies at places that they share, and beyond the end
// there are zeros.
func TestPush_Narrow(t *testing.T) {
	p := compile(t, "push/push.frag", lower.Options{})
	if err := ir.OptimizeChecked(p); err != nil {
		t.Fatal(err)
	}
	if s := p.String(); strings.Contains(s, "load.mem") {
		t.Errorf("lanes load for themselves:\n%s", s)
	}
	shared := 0
	for i := range p.Insts {
		if in := &p.Insts[i]; in.Op == ir.OpBitFieldU && in.Uniform {
			shared++
		}
	}
	if shared < 10 { // eight with places that are constants, two by index
		t.Errorf("%d parts of words are shared by all lanes, want 10", shared)
	}
	push := []byte{0x34, 0x12, 0xFF, 0xFF, 0xCD, 0xAB, 0x7F, 0x80, 0x01, 0xFE, 0x00, 0xB8, 0, 0, 0, 0}
	const n = 8
	lanes := []uint32{0, 1, 2, 0, 1, 2, 1000, 0x70000000}
	halves, bytes := []uint32{0x1234, 0xFFFF, 0xABCD}, []uint32{0x7F, 0x80, 1}
	at := func(list []uint32, i uint32) uint32 {
		if i < uint32(len(list)) {
			return list[i]
		}
		return 0
	}
	for _, engine := range []*vm.Engine{vm.New(vm.Options{}), vm.New(vm.Options{Native: true})} {
		r, err := engine.Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		th := r.NewThread(n)
		for _, index := range []uint32{0, 1, 2, 900} {
			binary.LittleEndian.PutUint32(push[12:], index)
			b := exec.Batch{N: n}
			for range p.Inputs {
				b.In = append(b.In, slices.Clone(lanes))
			}
			for range p.Outputs {
				b.Out = append(b.Out, make([]uint32, n))
			}
			if err := th.Run(&exec.Context{Push: push}, &b); err != nil {
				t.Fatal(err)
			}
			for l, lane := range lanes {
				want := []uint32{0x1234, 0xFFFF, 0xABCD, 0x7F, 0x80, 1, 0xFFFFFFFE, 0xBF000000, // -2; -0.5
					at(halves, index), at(bytes, index), at(halves, lane), at(bytes, lane)}
				for o := range want {
					if got := b.Out[o][l]; got != want[o] {
						t.Errorf("%s, index %d: output %d of lane %d is %#x, want %#x", engine.Name(), index, o, l, got, want[o])
					}
				}
			}
		}
	}
}

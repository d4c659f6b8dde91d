package texel_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/vm"
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/lower/texel"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// The program of each format gives what the format's table gives of any bytes, on both engines.
//
// fxvertex-input-extraction
func TestAttribute_EveryFormat(t *testing.T) {
	rules.Covers(t, "IMG-240", "IMG-241", "IMG-242", "IMG-243", "IMG-244", "IMG-245", "IMG-246", "IMG-247", "IMG-248", "IMG-249", "IMG-250", "IMG-251", "IMG-252",
		"IMG-253", "IMG-257", "IMG-320", "IMG-321")
	r := rand.New(rand.NewPCG(61, 62))
	formats := 0
	for f := range vk.Format(200) {
		info, ok := format.Lookup(f)
		if !ok {
			continue
		}
		p, err := texel.Attribute(info)
		if err != nil {
			t.Fatal(err)
		}
		if p == nil {
			continue
		}
		formats++
		const n = 1000
		in, want := make([][]uint32, len(p.Inputs)), make([]format.Texel, n)
		for k := range in {
			in[k] = make([]uint32, n)
		}
		for i := range n {
			var b [16]byte
			for k := range in {
				x := r.Uint32()
				in[k][i] = x
				binary.LittleEndian.PutUint32(b[4*k:], x)
			}
			want[i] = info.Decode(b[:info.BlockBytes])
		}
		for _, native := range []bool{false, true} {
			routine, err := vm.New(vm.Options{Native: native}).Compile(p)
			if err != nil {
				t.Fatal(err)
			}
			b := exec.Batch{N: n, In: in}
			for range p.Outputs {
				b.Out = append(b.Out, make([]uint32, n))
			}
			if err := routine.NewThread(exec.MaxLanes).Run(&exec.Context{}, &b); err != nil {
				t.Fatal(err)
			}
			for i := range want {
				for c, x := range want[i] {
					if b.Out[c][i] != x {
						t.Fatalf("%v, native %v: component %d of %x is %#x (%v), want %#x", f, native, c, in[0][i], b.Out[c][i], math.Float32frombits(b.Out[c][i]), x)
					}
				}
			}
		}
	}
	if formats < 80 {
		t.Errorf("%d formats have programs", formats)
	}
}

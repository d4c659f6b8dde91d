package lower_test

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/vm"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower"
)

// OpEmitMeshTasksEXT ends the shader where it stands: in a condition, in a loop,
// while other paths end without.
func TestEmitMeshTasks_OnSomePaths(t *testing.T) {
	for _, c := range []struct {
		in, payload uint32
		counts      []uint32
	}{{0, 100, []uint32{0, 0, 0}}, {2, 100, []uint32{0, 0, 0}}, {3, 2, []uint32{3, 2, 3}}, {7, 2, []uint32{7, 2, 3}}} {
		for _, optimize := range []bool{false, true} {
			p := compile(t, "emitif.task", lower.Options{})
			if optimize {
				ir.Optimize(p)
			}
			r, err := vm.New(vm.Options{}).Compile(p)
			if err != nil {
				t.Fatal(err)
			}
			b := exec.Batch{N: 4, Shared: make([]byte, p.SharedBytes)}
			for _, io := range p.Inputs {
				if io.Builtin != ir.BuiltinLocalInvocationIndex {
					t.Fatalf("input %+v", io)
				}
				b.In = append(b.In, []uint32{0, 1, 2, 3})
			}
			in := binary.LittleEndian.AppendUint32(nil, c.in)
			if err := r.NewThread(4).Run(&exec.Context{Resources: [][]exec.Descriptor{{{Data: in}}}}, &b); err != nil {
				t.Fatal(err)
			}
			var counts []uint32
			for _, record := range p.Records {
				if record.Builtin == ir.BuiltinTaskCounts {
					counts = append(counts, binary.LittleEndian.Uint32(b.Shared[record.Offset:]))
				}
			}
			if payload := binary.LittleEndian.Uint32(b.Shared[p.PayloadAt+4:]); !slices.Equal(counts, c.counts) || payload != c.payload {
				t.Errorf("of %d, optimized %v: counts %d, want %d; payload %d, want %d", c.in, optimize, counts, c.counts, payload, c.payload)
			}
		}
	}
}

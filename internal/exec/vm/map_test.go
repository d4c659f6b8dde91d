package vm

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec/native"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// Each range that becomes machine code has a line of perf's map: where it is, how long, and its
// program.
func TestNative_Map(t *testing.T) {
	if native.Vectors() == 0 {
		t.Skip("no machine code here")
	}
	p := program(t, ir.StageCompute, []ir.Type{ir.F32}, []ir.Type{ir.F32}, func(b *ir.Builder, in []ir.Value) {
		output(b, 0, b.Op(ir.OpFSin, ir.F32, in[0]))
	})
	p.Name = "mapped"
	var out bytes.Buffer
	r, err := New(Options{Native: true, Map: &out}).Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	r.NewThread(16)
	var at, size uint64
	var name string
	if n, err := fmt.Sscanf(out.String(), "%x %x %s\n", &at, &size, &name); n != 3 || at == 0 || size < 100 || name != "mapped.0" {
		t.Errorf("%q: %v", out.String(), err)
	}
}

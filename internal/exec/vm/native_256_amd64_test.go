package vm

import (
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec/native"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// What is written for vectors of 256 bits has no instruction and no register of wider ones, which the assembler
// calls wrong there: nothing became machine code then.
func TestNative_256_OnlyAVX2(t *testing.T) {
	rules.Covers(t, "RAS-001")
	narrowPrograms(t, func(*ir.Program, *routine) {})
}

// narrowPrograms shows check programs and their machine code for AVX2.
func narrowPrograms(t *testing.T, check func(*ir.Program, *routine)) {
	if native.Vectors() == 0 {
		t.Skip("this processor has no AVX2, or the system refuses executable memory: there is no machine code to test")
	}
	machine = 256
	defer func() { machine = 0 }()
	e := New(under(Options{}))
	try := func(p *ir.Program) {
		t.Helper()
		if err := ir.Verify(p); err != nil {
			t.Fatal(err)
		}
		compiled, err := e.Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		m := compiled.(*routine).machine()
		if m == nil {
			t.Errorf("%s does not become machine code", p.Name)
			return
		}
		check(p, m)
	}
	translated(t, try)
}

package vm

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
)

// What is written for vectors of 256 bits has no instruction and no register of wider ones,
// which this processor may well know.
func TestNative_256_OnlyAVX2(t *testing.T) {
	if nativeVectors() == 0 {
		t.Skip("this processor has no AVX2, or the system is not Linux: there is no machine code to test")
	}
	objdump, err := exec.LookPath("objdump")
	if err != nil {
		t.Skip("objdump is not installed; it comes with binutils, as gcc needs them")
	}
	machine = 256
	defer func() { machine = 0 }()
	e := New(under(Options{}))
	file := filepath.Join(t.TempDir(), "code")
	wide := regexp.MustCompile(`zmm|%k[0-7]|%[xy]mm(1[6-9]|[23][0-9])|\{|\(bad\)`)
	lines := 0
	check := func(p *ir.Program) {
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
		for _, b := range m.blocks {
			if err := os.WriteFile(file, b.native.code.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
			out, err := exec.Command(objdump, "-D", "-b", "binary", "-m", "i386:x86-64", "--no-show-raw-insn", file).Output()
			if err != nil {
				t.Fatal(err)
			}
			out, _, found := bytes.Cut(out, []byte("*%rax")) // the last instruction; constants follow
			if !found {
				t.Errorf("%s: code without an end", p.Name)
			}
			lines += bytes.Count(out, []byte("\n"))
			_, out, _ = bytes.Cut(out, []byte("<.data>:"))
			if bad := wide.FindIndex(out); bad != nil {
				from, to := bytes.LastIndexByte(out[:bad[0]], '\n'), bytes.IndexByte(out[bad[0]:], '\n')
				t.Errorf("%s: %s", p.Name, out[from+1:bad[0]+to])
			}
		}
	}
	for op := range ir.Op(ir.Ops) {
		info, ok := ir.InfoOf(op)
		if _, pure := ir.Eval(op, 0, 1, 0); !ok || !pure {
			continue
		}
		types := map[byte]ir.Type{'f': ir.F32, 'b': ir.Bool}
		var in []ir.Type
		for i := range info.Args {
			in = append(in, types[info.Args[i]])
			if in[i] == ir.Void {
				in[i] = ir.I32
			}
		}
		result := types[info.Result]
		if result == ir.Void {
			result = ir.I32
		}
		check(program(t, ir.StageCompute, in, []ir.Type{result}, func(b *ir.Builder, v []ir.Value) { output(b, 0, b.Op(op, result, v...)) }))
	}
	seeds := 60
	if testing.Short() {
		seeds = 20
	}
	for seed := range uint64(seeds) {
		check(randomProgram(seed))
	}
	t.Log(lines, "instructions")
}

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
	for op := range ir.WideOp(ir.WideOps) {
		args, result := op.Signature()
		types := map[byte]ir.Type{'f': ir.F32, 'b': ir.Bool, 'i': ir.I32, 'w': ir.I32}
		check(program(t, ir.StageCompute, []ir.Type{ir.I32, ir.F32}, []ir.Type{types[result]}, func(b *ir.Builder, v []ir.Value) {
			var more []ir.Value
			for i := range args {
				switch x := v[0]; args[i] {
				case 'f':
					more = append(more, v[1])
				case 'w':
					more = append(more, x, b.Op(ir.OpIAdd, ir.I32, x, b.I32(uint32(i))))
				default:
					more = append(more, x)
				}
			}
			output(b, 0, b.OpMore(ir.OpWide, types[result], uint64(op), more))
		}))
	}
	for _, size := range []uint8{1, 2, 4, 8, 16, 32, 64} {
		check(program(t, ir.StageFragment, nil, nil, func(b *ir.Builder, _ []ir.Value) {
			b.P.Resources = nil
			keep := b.Op(ir.OpINe, ir.Bool, b.OpImm(ir.OpPixel, ir.I32, 0), b.OpImm(ir.OpRecord, ir.I32, 4))
			var more []ir.Value
			x := ir.Texel{Bytes: size}
			for w := range x.Words() {
				x.Word = uint8(w)
				more = append(more, keep, b.Op(ir.OpIAdd, ir.I32, b.OpImm(ir.OpLoadTexel, ir.I32, x.Imm()), b.OpImm(ir.OpPixel, ir.I32, 1)))
			}
			x.Word = 0
			b.OpMore(ir.OpStoreTexel, ir.Void, x.Imm(), more)
			b.OpImm(ir.OpCover, ir.Void, 1, b.Op(ir.OpAnd, ir.Bool, keep, b.OpImm(ir.OpCovered, ir.Bool, 0)))
		}))
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

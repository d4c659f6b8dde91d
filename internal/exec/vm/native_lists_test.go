package vm

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec/native"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// The lists of every processor hold what their instructions read, on whatever one this runs:
// operations, in all combinations of operands, and random programs. The check panics where they do
// not.
func TestNative_ListsOfEveryProcessor(t *testing.T) {
	for name, m := range native.Machines() {
		t.Run(name, func(t *testing.T) {
			blocks, shown := 0, ""
			emit := func(p *ir.Program) {
				t.Helper()
				var list bytes.Buffer
				r, err := compile(p, m.Checked().Showing(true, false, &list))
				if err != nil {
					t.Fatal(err)
				}
				if r.unit == nil {
					return
				}
				if blocks += r.unit.Blocks(); !r.unit.Emit(1<<10) && native.Vectors() > 0 {
					t.Errorf("%s does not become machine code", p.Name)
				}
				shown += list.String()
			}
			translated(t, emit)
			if blocks < 100 {
				t.Errorf("%d blocks", blocks)
			}
			for _, unnamed := range []string{"%!", "  \n"} {
				if strings.Contains(shown, unnamed) {
					t.Errorf("a list has %q", unnamed)
				}
			}
		})
	}
}

// translated calls try for programs that become machine code: of every operation, of texels of
// every size, and random ones.
func translated(t *testing.T, try func(*ir.Program)) {
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
		try(program(t, ir.StageCompute, in, []ir.Type{result}, func(b *ir.Builder, v []ir.Value) { output(b, 0, b.Op(op, result, v...)) }))
	}
	for op := range ir.WideOp(ir.WideOps) {
		args, result := op.Signature()
		types := map[byte]ir.Type{'f': ir.F32, 'b': ir.Bool, 'i': ir.I32, 'w': ir.I32}
		try(program(t, ir.StageCompute, []ir.Type{ir.I32, ir.F32}, []ir.Type{types[result]}, func(b *ir.Builder, v []ir.Value) {
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
	for _, size := range []uint16{1, 2, 4, 8, 16, 32, 64, 128, 256} {
		try(program(t, ir.StageFragment, nil, nil, func(b *ir.Builder, _ []ir.Value) {
			b.P.Resources = nil
			keep := b.Op(ir.OpINe, ir.Bool, b.OpImm(ir.OpPixel, ir.I32, 0), b.OpImm(ir.OpRecord, ir.I32, 4))
			var more []ir.Value
			x := ir.Texel{Bytes: size}
			for w := range x.Words() {
				x.Word = uint8(w)
				more = append(more, keep, b.Op(ir.OpIAdd, ir.I32, b.OpImm(ir.OpLoadTexel, ir.I32, x.Imm()), b.OpImm(ir.OpPixel, ir.I32, 1)))
			}
			x.Word = 0
			for some := range slices.Chunk(more, 2*ir.MaxStoreWords) {
				b.OpMore(ir.OpStoreTexel, ir.Void, x.Imm(), some)
				x.Word += ir.MaxStoreWords
			}
			b.OpImm(ir.OpCover, ir.Void, 1, b.Op(ir.OpAnd, ir.Bool, keep, b.OpImm(ir.OpCovered, ir.Bool, 0)))
		}))
	}
	for seed := range share(60, 6) {
		try(randomProgram(seed))
	}
}

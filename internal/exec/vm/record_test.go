package vm_test

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/vm"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// recordProgram has words of records as each operand that an instruction takes as a scalar. Records are
// two floats, a word, and from 16 on three binary64.
func recordProgram() *ir.Program {
	p := &ir.Program{Name: "records", Stage: ir.StageFragment}
	b := ir.NewBuilder(p)
	rec := func(t ir.Type, at int) ir.Value { return b.OpImm(ir.OpRecord, t, uint64(at)) }
	f, g, k := rec(ir.F32, 0), rec(ir.F32, 4), rec(ir.I32, 8)
	x, y := b.OpImm(ir.OpPixel, ir.I32, 0), b.OpImm(ir.OpPixel, ir.I32, 1)
	xf, yf := b.Op(ir.OpS2F, ir.F32, x), b.Op(ir.OpS2F, ir.F32, y)
	op := func(op ir.Op, args ...ir.Value) ir.Value { return b.Op(op, ir.F32, args...) }
	less := b.Op(ir.OpSLt, ir.Bool, x, k)
	double := func(at int) []ir.Value { return []ir.Value{rec(ir.I32, at), rec(ir.I32, at+4)} }
	pair := func(op ir.WideOp, args ...[]ir.Value) []ir.Value {
		v := b.OpMore(ir.OpWide, ir.I32, uint64(op), slices.Concat(args...))
		return []ir.Value{v, b.OpImm(ir.OpResult, ir.I32, 1, v)}
	}
	single := func(v []ir.Value) ir.Value { return b.OpMore(ir.OpWide, ir.F32, uint64(ir.WideD2F), v) }
	dx, dy := pair(ir.WideS2D, []ir.Value{x}), pair(ir.WideS2D, []ir.Value{y})
	row := pair(ir.WideFma, dy, double(32), double(16))
	for slot, v := range []ir.Value{
		b.Op(ir.OpIAdd, ir.I32, x, k), b.Op(ir.OpISub, ir.I32, k, x),
		op(ir.OpSelect, less, f, g), op(ir.OpSelect, less, xf, g), op(ir.OpSelect, less, f, yf),
		op(ir.OpSelect, less, b.F32(3), g),
		op(ir.OpFAdd, op(ir.OpFMul, xf, f), g), op(ir.OpFAdd, op(ir.OpFMul, yf, f), xf),
		op(ir.OpFAdd, op(ir.OpFMul, xf, yf), g), op(ir.OpFSub, g, op(ir.OpFMul, f, xf)),
		op(ir.OpFma, f, xf, g), op(ir.OpFAdd, f, g), k, b.Op(ir.OpBitcast, ir.I32, f),
		single(row), single(pair(ir.WideFma, dx, double(24), row)),
		single(pair(ir.WideFMul, dx, double(24))),
	} {
		p.Outputs = append(p.Outputs, ir.IO{Location: uint32(slot), Type: b.P.Insts[v].Type})
		b.OpImm(ir.OpOutput, ir.Void, uint64(slot), v)
	}
	b.Finish()
	return p
}

// recordModel is what it gives in a lane.
func recordModel(record []byte, x, y int) []uint32 {
	word := func(i int) uint32 { return binary.LittleEndian.Uint32(record[i:]) }
	wide := func(i int) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(record[i:])) }
	f, g, k := math.Float32frombits(word(0)), math.Float32frombits(word(4)), int(word(8))
	xf, yf, bits := float32(x), float32(y), math.Float32bits
	choose := func(a, b float32) uint32 {
		if x < k {
			return bits(a)
		}
		return bits(b)
	}
	exact := new(big.Float).SetPrec(200).Mul(big.NewFloat(float64(f)), big.NewFloat(float64(xf)))
	fused, _ := exact.Add(exact, big.NewFloat(float64(g))).Float32()
	row := math.FMA(float64(y), wide(32), wide(16))
	return []uint32{
		uint32(x + k), uint32(k - x),
		choose(f, g), choose(xf, g), choose(f, yf),
		choose(3, g),
		bits(float32(xf*f) + g), bits(float32(yf*f) + xf),
		bits(float32(xf*yf) + g), bits(g - float32(f*xf)),
		bits(fused), bits(f + g), uint32(k), bits(f),
		bits(float32(row)), bits(float32(math.FMA(float64(x), wide(24), row))),
		bits(float32(float64(x) * wide(24))),
	}
}

// Words of records are operands like others, however many lanes have the same record.
func TestRecords(t *testing.T) {
	rules.Covers(t, "RAS-001")
	p := recordProgram()
	if err := ir.Verify(p); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(7, 8))
	const n, size = 40, 40
	records := make([]byte, n*size)
	for i := range n {
		to := records[size*i:]
		binary.LittleEndian.PutUint32(to, math.Float32bits(r.Float32()-.5))
		binary.LittleEndian.PutUint32(to[4:], math.Float32bits(r.Float32()))
		binary.LittleEndian.PutUint32(to[8:], r.Uint32N(30))
		for k := range 3 {
			binary.LittleEndian.PutUint64(to[16+8*k:], math.Float64bits(r.NormFloat64()))
		}
	}
	engines := map[string]vm.Options{"portable": {Portable: true}, "vm": {}, "native": {Native: true}}
	for _, share := range []int{1, 5, n} { // places of a record
		for name, opt := range engines {
			b := &exec.Batch{N: n * ir.PlaceLanes, Records: records}
			for i := range int32(n) {
				at := uint32(int(i) / share * size)
				b.Places = append(b.Places, exec.Place{X: 8 * (i % 3), Y: 2 * i, Record: at})
			}
			for range p.Outputs {
				b.Out = append(b.Out, make([]uint32, b.N))
			}
			routine, err := vm.New(opt).Compile(p)
			if err != nil {
				t.Fatal(err)
			}
			if err := routine.NewThread(exec.MaxLanes).Run(&exec.Context{}, b); err != nil {
				t.Fatal(err)
			}
			for l := range b.N {
				q := &b.Places[l/ir.PlaceLanes]
				x, y := q.Pixel(l % ir.PlaceLanes)
				for slot, want := range recordModel(records[q.Record:], x, y) {
					if got := b.Out[slot][l]; got != want {
						t.Fatalf("%s, %d places a record: output %d of lane %d is %08x, want %08x",
							name, share, slot, l, got, want)
					}
				}
			}
		}
	}
}

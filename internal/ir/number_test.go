package ir

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
)

// What intervals says of a value is true of it in random programs with random inputs,
// among them all special numbers.
func TestIntervals(t *testing.T) {
	rules.Covers(t, "RAS-001")
	r := rand.New(rand.NewPCG(1, 2))
	special := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 0.5, math.MaxFloat32, -math.MaxFloat32, 1e-45, -1e-45, 0x1p-126,
		float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), 1 << 24, -3, 255}
	word := func() uint32 {
		if r.IntN(2) == 0 {
			return math.Float32bits(special[r.IntN(len(special))])
		}
		return r.Uint32()
	}
	ops := []Op{OpFAdd, OpFSub, OpFMul, OpFma, OpFNeg, OpFFloor, OpFTrunc, OpFRoundEven, OpFMin, OpFMax, OpSelect, OpS2F, OpU2F, OpFAbs, OpFDiv, OpLoadTable}
	known, numbers := 0, 0
	for range 4000 {
		p := &Program{}
		if r.IntN(2) == 0 {
			for range 4 {
				p.Table = binary.LittleEndian.AppendUint32(p.Table, math.Float32bits(r.Float32()*4-2))
			}
		}
		emit := func(op Op, typ Type, args ...Value) Value {
			in := Inst{Op: op, Type: typ, Args: [3]Value{NoValue, NoValue, NoValue}}
			copy(in.Args[:], args)
			p.Insts = append(p.Insts, in)
			return Value(len(p.Insts) - 1)
		}
		var floats []Value
		for range 3 {
			floats = append(floats, emit(OpInput, F32))
			floats = append(floats, emit(OpConst, F32))
			c := special[r.IntN(10)]
			p.Insts[floats[len(floats)-1]].Imm = uint64(math.Float32bits(c))
		}
		word0, mask := emit(OpInput, I32), emit(OpInput, Bool)
		f := func() Value { return floats[len(floats)-1-r.IntN(min(len(floats), 6))] }
		for range 12 {
			switch op := ops[r.IntN(len(ops))]; op {
			case OpS2F, OpU2F, OpLoadTable:
				floats = append(floats, emit(op, F32, word0))
			case OpSelect:
				floats = append(floats, emit(op, F32, mask, f(), f()))
			case OpFSub:
				a := f()
				if b := f(); r.IntN(2) == 0 {
					floats = append(floats, emit(op, F32, a, b))
				} else {
					floats = append(floats, emit(op, F32, a, emit(OpFTrunc, F32, a)))
				}
			case OpFma:
				floats = append(floats, emit(op, F32, f(), f(), f()))
			default:
				floats = append(floats, emit(op, F32, []Value{f(), f()}[:operandsOf(op)]...))
			}
		}
		x := intervals(p)
		v := make([]uint32, len(p.Insts))
		for range 40 {
			for i, in := range p.Insts {
				var a [3]uint32
				for k, o := range in.Args {
					if o >= 0 {
						a[k] = v[o]
					}
				}
				switch in.Op {
				case OpInput:
					v[i] = word()
					if in.Type == Bool {
						v[i] = -(v[i] & 1)
					}
				case OpConst:
					v[i] = uint32(in.Imm)
				case OpLoadTable:
					v[i] = 0
					if at := a[0] & 15; int(at)+4 <= len(p.Table) {
						v[i] = binary.LittleEndian.Uint32(p.Table[at&12:])
					}
				default:
					v[i], _ = Eval(in.Op, a[0], a[1], a[2])
				}
				if in.Type != F32 {
					continue
				}
				y := float64(math.Float32frombits(v[i]))
				if x[i].number && y != y {
					t.Fatalf("a NaN, of %v: %+v", in, x[i])
				}
				if x[i].known && (y < x[i].lo || y > x[i].hi) {
					t.Fatalf("%v, of %v: %+v", y, in, x[i])
				}
			}
		}
		for _, y := range x {
			if y.known {
				known++
			}
			if y.number {
				numbers++
			}
		}
	}
	if known < 20_000 || numbers < 20_000 {
		t.Errorf("only %d bounds and %d numbers", known, numbers)
	}
}

// operandsOf is how many operands op has.
func operandsOf(op Op) int { return len(infos[op].Args) }

package ir

import (
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
)

// Divisions by powers of two become shifts and masks that give the same for all numbers; those by
// others, and by the most negative number, stay.
func TestFold_Divisions(t *testing.T) {
	rules.Covers(t, "RAS-001")
	r := rand.New(rand.NewPCG(1, 34))
	for _, op := range []Op{OpUDiv, OpURem, OpSDiv, OpSMod, OpSRem} {
		for _, c := range []uint32{0, 1, 2, 3, 4, 32, 96, 1 << 16, 1 << 30, 1 << 31, 1<<32 - 4} {
			p := &Program{Name: "divide", Stage: StageCompute, Inputs: []IO{{Type: I32}},
				Outputs: []IO{{Type: I32}}}
			b := NewBuilder(p)
			b.OpImm(OpOutput, Void, 0, b.Op(op, I32, b.OpImm(OpInput, I32, 0), b.I32(c)))
			b.Finish()
			if err := OptimizeChecked(p); err != nil {
				t.Fatal(err)
			}
			power := c != 0 && c&(c-1) == 0 && (c < 1<<31 || op == OpUDiv || op == OpURem)
			stays := false
			for _, in := range p.Insts {
				stays = stays || in.Op == op
			}
			if op != OpSRem && stays == power || op == OpSRem && !stays {
				t.Errorf("%v by %#x:\n%s", op, c, p)
			}
			list := []uint32{0, 1, 2, c - 1, c, c + 1, -c, 1<<31 - 1, 1 << 31, 1<<31 + 1, 1<<32 - 1}
			for range 20 {
				list = append(list, r.Uint32())
			}
			for _, x := range list {
				want, _ := Eval(op, x, c, 0)
				if got := straight(p, x); got != want {
					t.Errorf("%v of %#x by %#x is %#x, not %#x", op, x, c, got, want)
				}
			}
		}
	}
}

// A remainder beside the quotient of the same numbers, in either order, is computed of it, and the
// same for all numbers; one without stays.
func TestFold_RemainderOfQuotient(t *testing.T) {
	rules.Covers(t, "RAS-001")
	r := rand.New(rand.NewPCG(2, 34))
	for _, ops := range [][2]Op{{OpUDiv, OpURem}, {OpURem, OpUDiv}, {OpSDiv, OpSRem}, {OpSRem, OpSDiv},
		{OpUDiv, OpSRem}, {OpSMod, OpSDiv}} {
		for _, c := range []uint32{0, 1, 3, 96, 1 << 31, 1<<32 - 1, r.Uint32()} {
			p := &Program{Name: "remainder", Stage: StageCompute, Inputs: []IO{{Type: I32}},
				Outputs: []IO{{Type: I32}}}
			b := NewBuilder(p)
			x := b.OpImm(OpInput, I32, 0)
			y := b.Op(OpAnd, I32, x, b.I32(c))
			sum := b.Op(OpIMul, I32, b.Op(ops[0], I32, x, y), b.I32(31))
			b.OpImm(OpOutput, Void, 0, b.Op(OpIAdd, I32, sum, b.Op(ops[1], I32, x, y)))
			b.Finish()
			if err := OptimizeChecked(p); err != nil {
				t.Fatal(err)
			}
			for range 40 {
				x := r.Uint32() >> r.UintN(33)
				first, _ := Eval(ops[0], x, x&c, 0)
				second, _ := Eval(ops[1], x, x&c, 0)
				if got := straight(p, x); got != first*31+second {
					t.Errorf("%v of %#x, %#x: %#x", ops, x, c, got)
				}
			}
			left := 0
			for _, in := range p.Insts {
				switch in.Op {
				case OpUDiv, OpURem, OpSDiv, OpSRem, OpSMod:
					left++
				}
			}
			want := 1
			if ops == [2]Op{OpUDiv, OpSRem} || ops == [2]Op{OpSMod, OpSDiv} {
				want = 2
			}
			if c == 3 && left != want {
				t.Errorf("%v: %d divisions\n%s", ops, left, p)
			}
		}
	}
}

// straight runs a program without conditionals of one input, and returns its output.
func straight(p *Program, x uint32) uint32 {
	values := make([]uint32, len(p.Insts))
	for _, s := range p.Body.Stmts {
		in := &p.Insts[s.Inst]
		of := func(i int) uint32 {
			if in.Args[i] < 0 {
				return 0
			}
			return values[in.Args[i]]
		}
		switch in.Op {
		case OpInput:
			values[s.Inst] = x
		case OpConst:
			values[s.Inst] = uint32(in.Imm)
		case OpOutput:
			return of(0)
		default:
			values[s.Inst], _ = Eval(in.Op, of(0), of(1), of(2))
		}
	}
	return 0
}

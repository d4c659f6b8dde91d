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

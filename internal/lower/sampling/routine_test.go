package sampling

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower/texel"
)

// plainEngine runs routines lane by lane, operation by operation.
type plainEngine struct{ keys map[texel.Key]bool }

func (e *plainEngine) Wants(k *texel.Key) bool { return true }

func (e *plainEngine) Thread(k *texel.Key, lanes int) texel.Thread {
	p, err := texel.Build(k)
	if err != nil {
		panic(fmt.Sprintf("%v: %+v", err, k))
	}
	e.keys[*k] = true
	return &plainThread{p: p}
}

type plainThread struct{ p *ir.Program }

func (t *plainThread) Run(in, out [][]uint32, params, memory []byte, n int) bool {
	p, v := t.p, make([]uint32, len(t.p.Insts))
	load := func(data []byte, at uint32) uint32 {
		if at&3 != 0 {
			panic(fmt.Sprintf("a load at byte %d", at))
		}
		if uint64(at)+4 > uint64(len(data)) {
			return 0
		}
		return binary.LittleEndian.Uint32(data[at:])
	}
	for lane := range n {
		for _, s := range p.Body.Stmts {
			in0 := &p.Insts[s.Inst]
			var x [3]uint32
			for i, a := range in0.Args {
				if a >= 0 {
					x[i] = v[a]
				}
			}
			switch in0.Op {
			case ir.OpConst:
				v[s.Inst] = uint32(in0.Imm)
			case ir.OpInput:
				v[s.Inst] = in[in0.Imm][lane]
			case ir.OpOutput:
				out[in0.Imm][lane] = x[0]
			case ir.OpLoadPush:
				v[s.Inst] = load(params, x[0])
			case ir.OpLoadTable:
				v[s.Inst] = load(p.Table, x[0])
			case ir.OpLoadBuffer:
				v[s.Inst] = load(memory, x[1])
			default:
				y, ok := ir.Eval(in0.Op, x[0], x[1], x[2])
				if !ok {
					panic(in0.Op.String())
				}
				v[s.Inst] = y
			}
		}
	}
	return true
}

// Routines give the reference's bits for random instructions on random views and samplers.
func TestRoutines_EqualReference(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	e := &plainEngine{keys: map[texel.Key]bool{}}
	u := Unit{Engine: e}
	u.Sites(1, 256)
	lanes := 200_000
	if testing.Short() {
		lanes = 50_000
	}
	for done := 0; done < lanes; {
		c := randomCase(r)
		n := []int{1, 3, 4, 16, 61, 64, 128}[r.IntN(7)]
		a := randomArgs(r, &c.op, n)
		if err := compare(&u, &c, a, n); err != nil {
			t.Fatalf("after %d lanes, routine %+v: %v", done, u.plans[0].route.operands, err)
		}
		if u.plans[0].route.thread != nil {
			done += n
		}
	}
	t.Logf("%d routines", len(e.keys))
}

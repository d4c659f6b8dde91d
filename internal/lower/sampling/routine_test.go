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

func (t *plainThread) Run(in, out [][]uint32, live []uint32, params, memory []byte, n int) bool {
	p := t.p
	load := func(data []byte, at uint32) uint32 {
		if at&3 != 0 {
			panic(fmt.Sprintf("a load at byte %d", at))
		}
		if uint64(at)+4 > uint64(len(data)) {
			return 0
		}
		return binary.LittleEndian.Uint32(data[at:])
	}
	v := make([][]uint32, len(p.Insts))
	for _, s := range p.Body.Stmts {
		op := &p.Insts[s.Inst]
		v[s.Inst] = make([]uint32, n)
		for lane := range n {
			var x [3]uint32
			for i, a := range op.Args {
				if a >= 0 {
					x[i] = v[a][lane]
				}
			}
			for i, a := range op.More {
				x[i] = v[a][lane]
			}
			y := &v[s.Inst][lane]
			difference := func(from, step int) {
				a := v[op.Args[0]]
				*y, _ = ir.Eval(ir.OpFSub, a[from+step], a[from], 0)
			}
			switch op.Op {
			case ir.OpConst:
				*y = uint32(op.Imm)
			case ir.OpInput:
				*y = in[op.Imm][lane]
			case ir.OpOutput:
				out[op.Imm][lane] = x[0]
			case ir.OpLoadPush:
				*y = load(params, x[0])
			case ir.OpLoadTable:
				*y = load(p.Table, x[0])
			case ir.OpLoadBuffer:
				*y = load(memory, x[1])
			case ir.OpStoreBuffer, ir.OpStoreMem:
				bytes := uint32(4)
				if op.Op == ir.OpStoreMem {
					bytes = 1 << ir.MemOf(op.Imm).Log
				}
				if live != nil && live[lane] == 0 || uint64(x[1])+uint64(bytes) > uint64(len(memory)) {
					continue
				}
				for i := range bytes {
					memory[x[1]+i] = byte(x[2] >> (8 * i))
				}
			case ir.OpDdxFine:
				difference(lane&^1, 1)
			case ir.OpDdyFine:
				difference(lane&^2, 2)
			default:
				var ok bool
				if *y, ok = ir.Eval(op.Op, x[0], x[1], x[2]); !ok {
					panic(op.Op.String())
				}
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
		if r.IntN(4) == 0 {
			a.Mask = sparse(r, n)
		}
		if err := compare(&u, &c, a, n); err != nil {
			t.Fatalf("after %d lanes, routine %+v: %v", done, u.plans[0].route.operands, err)
		}
		if u.plans[0].route.thread != nil {
			done += n
		}
	}
	levels := map[ir.LodMode]int{}
	mixed := 0
	for k := range e.keys {
		if k.Levels {
			levels[k.Lod]++
		}
		if k.MipLinear {
			mixed++
		}
	}
	t.Logf("%d routines, %v by levels, %d of two", len(e.keys), levels, mixed)
	for _, lod := range []ir.LodMode{ir.LodImplicit, ir.LodExplicit, ir.LodGrad} {
		if levels[lod] < 10 && !testing.Short() {
			t.Errorf("only %d routines of mode %d", levels[lod], lod)
		}
	}
}

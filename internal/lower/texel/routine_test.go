package texel

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// plainEngine runs routines lane by lane, operation by operation.
type plainEngine struct{ keys map[Key]bool }

func (e *plainEngine) Thread(k *Key, lanes int) Thread {
	p, err := Build(k)
	if err != nil {
		panic(fmt.Sprintf("%v: %+v", err, k))
	}
	e.keys[*k] = true
	return &plainThread{p: p, taint: ir.NaNTaint(p)}
}

type plainThread struct {
	p      *ir.Program
	taint  []bool
	images [][]byte // of a key with Each
	in     [][]uint32
	out    [][]uint32
	live   []uint32
	params []byte
	memory []byte
	v      [][]uint32 // values by instruction, and the high words of wide ones
	high   [][]uint32
	vars   [][]uint32
	texels map[[2]int]format.Texel
}

func (t *plainThread) Run(in, out [][]uint32, live []uint32, params, memory []byte, n int) bool {
	t.run(in, out, live, params, memory, nil, n)
	return true
}

func (t *plainThread) RunEach(in, out [][]uint32, params []byte, memory [][]byte, n int) bool {
	t.run(in, out, nil, params, nil, memory, n)
	return true
}

func (t *plainThread) run(in, out [][]uint32, live []uint32, params, memory []byte, images [][]byte, n int) {
	p := t.p
	rows := func(n, lanes int) [][]uint32 {
		r := make([][]uint32, n)
		for i := range r {
			r[i] = make([]uint32, lanes)
		}
		return r
	}
	*t = plainThread{p: p, taint: t.taint, images: images, in: in, out: out, live: live, params: params, memory: memory, v: rows(len(p.Insts), n), high: rows(len(p.Insts), n), vars: rows(len(p.Vars), n), texels: map[[2]int]format.Texel{}}
	for i, op := range p.Insts {
		for lane := range n {
			if op.Op == ir.OpConst {
				t.v[i][lane] = uint32(op.Imm)
			}
		}
	}
	mask := make([]bool, n)
	for lane := range mask {
		mask[lane] = true
	}
	t.block(&p.Body, mask, nil)
}

// block runs statements in the lanes of a mask, from which those go that leave a loop; loops are
// the masks of the loops around, the inner ones first.
func (t *plainThread) block(b *ir.Block, mask []bool, loops [][]bool) {
	for _, s := range b.Stmts {
		switch {
		case s.If != nil:
			then, other := make([]bool, len(mask)), make([]bool, len(mask))
			for lane, m := range mask {
				then[lane], other[lane] = m && t.v[s.If.Cond][lane] != 0, m && t.v[s.If.Cond][lane] == 0
			}
			t.block(&s.If.Then, then, loops)
			t.block(&s.If.Else, other, loops)
			for lane := range mask {
				mask[lane] = then[lane] || other[lane]
			}
		case s.Loop != nil:
			inside := slices.Clone(mask)
			for slices.Contains(inside, true) {
				t.block(&s.Loop.Body, inside, append([][]bool{inside}, loops...))
				t.block(&s.Loop.Continue, inside, append([][]bool{inside}, loops...))
			}
		default:
			for lane, m := range mask {
				if m {
					t.inst(s.Inst, lane, mask, loops)
				}
			}
		}
	}
}

func (t *plainThread) inst(at ir.Value, lane int, mask []bool, loops [][]bool) {
	load := func(data []byte, at uint32) uint32 {
		if at&3 != 0 {
			panic(fmt.Sprintf("a load at byte %d", at))
		}
		if uint64(at)+4 > uint64(len(data)) {
			return 0
		}
		return binary.LittleEndian.Uint32(data[at:])
	}
	op, v := &t.p.Insts[at], t.v
	var x [4]uint32
	for i, a := range op.Args {
		if a >= 0 {
			x[i] = v[a][lane]
		}
	}
	y := &v[at][lane]
	difference := func(from, step int) {
		a := v[op.Args[0]]
		*y, _ = ir.Eval(ir.OpFSub, a[from+step], a[from], 0)
	}
	switch op.Op {
	case ir.OpConst:
	case ir.OpInput:
		*y = t.in[op.Imm][lane]
	case ir.OpOutput: // of arithmetic: see ir.NaNTaint
		if t.taint[op.Args[0]] && x[0]&^(1<<31) > 0x7F800000 {
			x[0] = fp.CanonicalNaN
		}
		t.out[op.Imm][lane] = x[0]
	case ir.OpVarGet:
		*y = t.vars[op.Imm][lane]
	case ir.OpVarSet:
		t.vars[op.Imm][lane] = x[0]
	case ir.OpBreak:
		mask[lane] = false
		for _, l := range loops[:op.Imm] {
			l[lane] = false
		}
	case ir.OpLoadPush:
		*y = load(t.params, x[0])
	case ir.OpLoadTable:
		*y = load(t.p.Table, x[0])
	case ir.OpLoadBuffer:
		switch {
		case t.images == nil:
			*y = load(t.memory, x[1])
		case op.Imm == 1:
			*y = load(t.params, x[1])
		default:
			*y = load(t.images[x[0]], x[1])
		}
	case ir.OpStoreBuffer, ir.OpStoreMem:
		bytes := uint32(4)
		if op.Op == ir.OpStoreMem {
			bytes = 1 << ir.MemOf(op.Imm).Log
		}
		for i, a := range op.More {
			x[i] = v[a][lane]
		}
		if t.live != nil && t.live[lane] == 0 || uint64(x[1])+uint64(bytes) > uint64(len(t.memory)) {
			return
		}
		for i := range bytes {
			t.memory[x[1]+i] = byte(x[2] >> (8 * i))
		}
	case ir.OpAtomicBuffer:
		for i, a := range op.More {
			x[i] = v[a][lane]
		}
		if *y = 0; t.live == nil || t.live[lane] != 0 {
			if *y = load(t.memory, x[1]); uint64(x[1])+4 <= uint64(len(t.memory)) {
				binary.LittleEndian.PutUint32(t.memory[x[1]:], ir.AtomicOp(op.Imm>>32).Result(*y, x[2], x[3]))
			}
		}
	case ir.OpDdxFine:
		difference(lane&^1, 1)
	case ir.OpDdyFine:
		difference(lane&^2, 2)
	case ir.OpWide:
		var w [3]uint64
		args, _ := ir.WideOp(op.Imm).Signature()
		next := 0
		for i, k := range args {
			if w[i] = uint64(v[op.More[next]][lane]); k == 'w' {
				next++
				w[i] |= uint64(v[op.More[next]][lane]) << 32
			}
			next++
		}
		r := ir.EvalWide(ir.WideOp(op.Imm), w[0], w[1], w[2])
		*y, t.high[at][lane] = uint32(r), uint32(r>>32)
	case ir.OpBlock:
		var src [16]byte
		for i, a := range op.More[:len(op.More)-1] {
			binary.LittleEndian.PutUint32(src[4*i:], v[a][lane])
		}
		info, _ := format.Lookup(vk.Format(uint32(op.Imm)))
		for f, bit := range modes {
			if op.Imm&bit != 0 {
				info, _ = info.DecodingTo(f)
			}
		}
		texels := make([]format.Texel, info.BlockTexels())
		info.DecodeBlock(texels, src[:])
		place := v[op.More[len(op.More)-1]][lane]
		if place >= uint32(len(texels)) {
			place = 0
		}
		t.texels[[2]int{int(at), lane}] = texels[place]
		if *y = t.texels[[2]int{int(at), lane}][0]; op.Imm&ir.BlockCodes != 0 {
			*y = 0
			for c, bits := range t.texels[[2]int{int(at), lane}] {
				if info.Numeric == format.NumericSrgb && c < 3 {
					*y |= uint32(fp.LinearToSrgb(math.Float32frombits(bits))) << (8 * c)
				} else {
					*y |= uint32(fp.FloatToUnorm8(math.Float32frombits(bits))) << (8 * c)
				}
			}
		}
	case ir.OpResult:
		if *y = t.high[op.Args[0]][lane]; t.p.Insts[op.Args[0]].Op == ir.OpBlock {
			*y = t.texels[[2]int{int(op.Args[0]), lane}][op.Imm]
		}
	default:
		var ok bool
		if *y, ok = ir.Eval(op.Op, x[0], x[1], x[2]); !ok {
			panic(op.Op.String())
		}
	}
}

// Routines give the reference's bits for random instructions on random views and samplers.
func TestRoutines_EqualReference(t *testing.T) {
	rules.Covers(t, "IMG-003", "IMG-004", "IMG-005", "IMG-006", "IMG-007", "IMG-008", "IMG-009", "IMG-010", "IMG-011", "IMG-023", "IMG-025", "IMG-028",
		"IMG-029", "IMG-030", "IMG-040", "IMG-042", "IMG-043", "IMG-064", "IMG-073", "IMG-074", "IMG-075", "IMG-195", "IMG-200", "IMG-201", "IMG-202",
		"IMG-203", "IMG-204", "IMG-205", "IMG-215", "IMG-216", "IMG-218", "IMG-220", "IMG-221", "IMG-222", "IMG-240", "IMG-241", "IMG-242", "IMG-243",
		"IMG-244", "IMG-245", "IMG-246", "IMG-247", "IMG-248", "IMG-250", "IMG-251", "IMG-252", "IMG-253", "IMG-257", "IMG-290", "IMG-291", "IMG-292",
		"IMG-293", "IMG-294", "IMG-295", "IMG-296", "IMG-297", "IMG-300", "IMG-301", "IMG-305", "IMG-306", "IMG-307", "IMG-310", "IMG-311", "IMG-312",
		"IMG-313", "IMG-314", "IMG-315", "IMG-316", "IMG-317", "IMG-320", "IMG-321", "IMG-323", "IMG-325", "IMG-326", "IMG-327", "IMG-328", "IMG-329",
		"IMG-330", "IMG-372", "IMG-374", "IMG-375", "IMG-383", "IMG-396", "IMG-397", "IMG-398", "IMG-399", "IMG-400", "IMG-404", "IMG-410", "IMG-411",
		"IMG-412", "IMG-413", "IMG-414", "IMG-415", "IMG-416", "IMG-417", "IMG-425", "IMG-426", "IMG-427", "IMG-428", "IMG-429", "IMG-430", "IMG-431",
		"IMG-432", "IMG-433", "IMG-434", "IMG-445", "IMG-446", "IMG-447", "IMG-448", "IMG-449", "IMG-450", "IMG-451", "IMG-452", "IMG-460", "IMG-461",
		"IMG-462", "IMG-463", "IMG-464", "IMG-465", "IMG-466", "IMG-475", "IMG-477", "IMG-480", "IMG-481", "IMG-484", "IMG-485", "IMG-486", "IMG-500",
		"IMG-501", "IMG-502", "IMG-503", "IMG-505", "IMG-506", "IMG-515", "IMG-516", "IMG-519", "IMG-520", "IMG-521", "IMG-523", "IMG-530", "IMG-531",
		"IMG-532", "IMG-533", "IMG-535", "IMG-555", "IMG-556", "IMG-557", "IMG-560", "IMG-561", "IMG-562", "IMG-563", "IMG-564", "IMG-565", "IMG-566",
		"IMG-567", "IMG-568", "IMG-575", "IMG-576", "IMG-577", "IMG-578", "IMG-579", "IMG-580", "IMG-700", "IMG-701", "IMG-702", "IMG-704", "IMG-750",
		"IMG-751", "IMG-752", "IMG-753", "IMG-755", "IMG-756", "IMG-757", "IMG-758", "IMG-759", "IMG-800", "IMG-801", "IMG-802", "IMG-804",
		"IMG-805", "IMG-807")
	r := rand.New(rand.NewPCG(11, 12))
	e := &plainEngine{keys: map[Key]bool{}}
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
			t.Fatalf("after %d lanes, routine %+v: %v", done, u.accesses[0].operands, err)
		}
		if u.accesses[0].thread != nil {
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

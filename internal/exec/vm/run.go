package vm

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/native"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/ir/lane"
)

// registers are those of lanes, of all lanes, and of execution masks, with what operations on them
// need besides.
type registers struct {
	r     *routine
	n     int // lanes of the present piece
	v     [][]uint32
	s     []uint32
	m     []mask
	live  mask     // words always hold unless the state is full
	tmp   []uint32 // of storeMask
	ones  []uint32
	zeros []uint32
	pairs wideRows
}

// storage is what lanes load from and store to.
type storage struct {
	registers
	ctx     *exec.Context
	batch   *exec.Batch
	offsets []uint32 // of a window
	private []uint32
	stride  int // words from one lane register, or private word, to the next
	last    region
}

// thread is one worker's state.
type thread struct {
	storage
	lanes   int // capacity of a register
	scratch *exec.Scratch
	room    []uint32 // of it, where rows are
	backing [][]uint32
	images  imageState
	native  *native.Thread // nil where there are no blocks
	plain   *thread        // see routine.plain
	alone   *thread        // see runAlone
	strip   placeStrip
	spare   [4][]uint32  // of words of records
	inline  *inlineState // nil where nothing is inlined
	served  *stripState  // nil before the first strip
	base    int          // first lane of the piece in the batch
	left    int64        // fuel of the piece that run has not been given yet
	stopped bool         // by Context.Stop
	spent   int32        // the loop that took the last of the fuel
}

// Run implements exec.Thread. Each piece of the batch has the whole fuel, so
// that a program ends or not whatever the number of lanes.
func (t *thread) Run(ctx *exec.Context, b *exec.Batch) error {
	if t.r.bare {
		if err := t.findRoom(); err != nil {
			return err
		}
		t.native.RunBare(ctx, b, t.lanes)
		return nil
	}
	if t.r.alone != nil && b.N <= fewAlone {
		if done, err := runAlone(t, ctx, b); done {
			return err
		}
	}
	return t.runMany(ctx, b)
}

// runMany runs a batch of however few lanes as one of many.
func (t *thread) runMany(ctx *exec.Context, b *exec.Batch) error {
	if s := t.inline; s != nil {
		if x := s.ready(t, ctx, b); x != nil {
			err := x.Run(&s.ctx, b)
			s.end()
			return err
		}
	}
	t.ctx = ctx
	if t.native != nil && !t.native.Bind(ctx, t) {
		if t.plain == nil {
			t.plain = t.r.plain.newThread(t.scratch, t.lanes).(*thread)
		}
		return t.plain.runMany(ctx, b) // which machine code of lone lanes would hand back
	}
	if err := t.findRoom(); err != nil {
		return err
	}
	t.ctx, t.batch, t.last, t.stopped = ctx, b, region{}, false
	t.images.batch++
	fuel := ctx.Fuel
	if fuel <= 0 {
		fuel = exec.DefaultFuel
	}
	if ctx.Trace != nil { // values that are told cost moves
		fuel = min(fuel, math.MaxInt64/exec.TracedFuel) * exec.TracedFuel
	}
	if t.r.wholeBatch && b.N > t.lanes {
		return &CompileError{Program: t.r.program.Name,
			What: "a workgroup larger than the thread's lanes", Value: ir.NoValue}
	}
	var err error
	if t.r.places {
		t.strip.begin(t.r, b)
	}
	for base := 0; base < b.N && err == nil; base += t.n {
		n := min(b.N-base, t.lanes)
		if t.r.places {
			if n = t.nextStrip(); n == 0 {
				break // all that is left is not covered
			}
		}
		t.begin(base, n)
		t.left = fuel
		if !t.run() {
			if err = exec.ErrStopped; !t.stopped {
				err = &exec.FuelError{Program: t.r.program.Name, Fuel: fuel, Loop: t.r.sources[t.spent]}
			}
		}
		if b.Live != nil && t.live.state != maskFull {
			copy(b.Live[base:base+t.n], t.live.words)
		}
	}
	t.ctx, t.batch, t.last = nil, nil, region{}
	return err
}

// begin prepares the piece of n lanes from base.
func (t *thread) begin(base, n int) {
	t.base = base
	inputs := len(t.r.program.Inputs)
	if n != t.n {
		t.n = n
		for i := inputs; i < len(t.v); i++ {
			t.v[i] = t.backing[i][:n]
		}
		for i := range t.m {
			t.m[i].words = t.m[i].backing[:n]
		}
		t.live.words = t.live.backing[:n]
	}
	for i := range inputs {
		t.v[i] = t.batch.In[i][base : base+n]
	}
	t.m[0].state = maskFull
	t.live.state = maskFull
	if t.batch.Live != nil {
		all := ^uint32(0)
		for i, l := range t.batch.Live[base : base+n] {
			t.live.words[i] = l
			all &= l
		}
		if all != ^uint32(0) {
			t.live.state = maskMixed
		}
	} else if t.r.demotes {
		fill(t.live.words, ^uint32(0))
	}
	if t.native != nil {
		t.native.Begin(t.batch, base, n)
	}
	clear(t.s[t.r.uniformVars[0]:t.r.uniformVars[1]])
	if n == t.stride || t.r.single {
		clear(t.private)
	} else {
		for rows := t.private; len(rows) > 0; rows = rows[t.stride:] {
			clear(rows[:n])
		}
	}
}

// portion is how much fuel run gets at a time: between portions it is asked whether
// the batch is still wanted. That is some ten microseconds of simple instructions, and
// milliseconds of the most expensive ones.
const portion = 1 << 10

// refuel gives run, which is short of fuel, as much as it needs and a portion more;
// less than it needs when the fuel is spent, or the batch is to stop.
func (t *thread) refuel(fuel int64) int64 {
	if stop := t.ctx.Stop; stop != nil && stop() {
		t.stopped = true
		return fuel
	}
	more := min(portion-fuel, t.left)
	t.left -= more
	return fuel + more
}

// run executes the code; false when the fuel is spent or the batch stopped.
func (t *thread) run() bool {
	v, s, code, k := t.v, t.s, t.r.code, t.r.kernels
	fuel := int64(0)
	for pc := 0; pc < len(code); pc++ {
		in := &code[pc]
		switch in.kind {
		case native.KindUnary:
			k.unary[in.op](v[in.d], v[in.a])
		case native.KindVV:
			k.vv[in.op](v[in.d], v[in.a], v[in.b])
		case native.KindVU:
			k.vu[in.op](v[in.d], v[in.a], s[in.b])
		case native.KindUV:
			k.uv[in.op](v[in.d], v[in.b], s[in.a])
		case native.KindVVV:
			k.vvv[in.op](v[in.d], v[in.a], v[in.b], v[in.c])
		case native.KindVVU:
			k.vvu[in.op](v[in.d], v[in.a], v[in.b], s[in.c])
		case native.KindVUV:
			k.vuv[in.op](v[in.d], v[in.a], v[in.c], s[in.b])
		case native.KindVUU:
			k.vuu[in.op](v[in.d], v[in.a], s[in.b], s[in.c])
		case native.KindFusedVVV:
			k.fusedVVV[in.op](v[in.d], v[in.a], v[in.b], v[in.c])
		case native.KindFusedVVU:
			k.fusedVVU[in.op](v[in.d], v[in.a], v[in.b], s[in.c])
		case native.KindFusedVUV:
			k.fusedVUV[in.op](v[in.d], v[in.a], v[in.c], s[in.b])
		case native.KindFusedVUU:
			k.fusedVUU[in.op](v[in.d], v[in.a], s[in.b], s[in.c])
		case native.KindScalar:
			s[in.d], _ = ir.Eval(in.op, s[in.a], s[in.b], s[in.c])
		case native.KindScalarMov:
			s[in.d] = s[in.a]
		case native.KindScalarCanon:
			s[in.d] = lane.Canon(s[in.a])
		case native.KindBroadcast:
			fill(v[in.d], s[in.a])
		case native.KindCopy:
			copy(v[in.d], v[in.a])
		case native.KindCanon:
			k.canon(v[in.d], v[in.a])
		case native.KindZero:
			clear(v[in.d])
		case native.KindSet:
			t.set(v[in.d], v[in.a], in.m)
		case native.KindSetU:
			t.setU(v[in.d], s[in.a], in.m)
		case native.KindOutput:
			t.set(t.batch.Out[in.c][t.base:t.base+t.n], v[in.a], in.m)
		case native.KindOutputU:
			t.setU(t.batch.Out[in.c][t.base:t.base+t.n], s[in.a], in.m)
		case native.KindDerivative:
			t.derivative(in)
		case kindInterpolate:
			t.interpolate(in)
		case native.KindIsHelper:
			t.isHelper(v[in.d])
		case native.KindDemote:
			t.demote(in.m)

		case native.KindLoadBuffer:
			k.gather(v[in.d], v[in.a], t.descriptor(in.imm, s[in.b]).Data)
		case native.KindLoadBufferE:
			t.loadEach(in)
		case native.KindLoadBufferU:
			s[in.d] = load(t.descriptor(in.imm, s[in.b]).Data, s[in.a])
		case native.KindStoreBuffer:
			t.storeBuffer(in, t.descriptor(in.imm, s[in.b]).Data)
		case native.KindStoreBufferE:
			t.storeEach(in)
		case native.KindSizeBufferE:
			d, e := v[in.d], v[in.b]
			for i := range d {
				d[i] = uint32(len(t.descriptor(in.imm, e[i]).Data))
			}
		case native.KindSizeBufferU:
			s[in.d] = uint32(len(t.descriptor(in.imm, s[in.b]).Data))
		case native.KindLoadPush:
			k.gather(v[in.d], v[in.a], t.ctx.Push)
		case native.KindLoadPushU:
			s[in.d] = load(t.ctx.Push, s[in.a])
		case native.KindLoadTable:
			k.gather(v[in.d], v[in.a], t.r.program.Table)
		case native.KindLoadTableU:
			s[in.d] = load(t.r.program.Table, s[in.a])
		case native.KindLoadShared:
			k.gather(v[in.d], v[in.a], t.batch.Shared)
		case native.KindStoreShared:
			t.storeLanes(in, t.batch.Shared)
		case native.KindLoadPrivate:
			t.loadPrivate(in)
		case native.KindLoadPrivateAt:
			copy(v[in.d], t.private[int(in.c)*t.stride:])
		case native.KindStorePrivate:
			t.storePrivate(in)
		case native.KindStorePrivateAt:
			at := int(in.c) * t.stride
			t.set(t.private[at:at+t.n], v[in.b], in.m)
		case native.KindFirst:
			s[in.d] = v[in.a][0]
		case native.KindStoreBufferU, native.KindLoadSharedU, native.KindStoreSharedU, native.KindShiftU, native.KindLoadPrivateU,
			native.KindStorePrivateU:
			wordOfOne(t, in)
		case kindAtomicBuffer, kindAtomicShared:
			t.atomic(in)
		case kindImage:
			t.image(in)
		case kindAsk:
			t.ask(in)
		case kindWriteU:
			if t.stores(in.m) {
				t.ask(in)
			}
		case native.KindGroup:
			t.group(in)
		case native.KindWide:
			t.wide(in)
		case kindBlock:
			t.blocks(in)
		case native.KindLoadMem:
			t.loadMem(in)
		case native.KindLoadMemU:
			m := ir.MemOf(uint64(in.imm))
			s[in.d] = location{t.descriptor(int64(m.Resource), s[in.b]).Data, uint64(s[in.a])}.load(m.Log)
		case native.KindStoreMem:
			t.storeMem(in)
		case native.KindStoreMemU:
			t.storeMemU(in)
		case native.KindAtomicMem:
			t.atomicMem(in)
		case kindPrint:
			t.print(in)
		case kindTrace:
			t.trace(in)
		case kindLoadVertex:
			t.loadVertex(in)
		case kindEmit:
			t.emitted(in)
		case native.KindPixel, native.KindRecord, native.KindCovered, native.KindCover, native.KindLoadTexel, native.KindStoreTexel:
			t.place(in)
		case kindRuns:
			t.byRuns(in)
		case kindWideRuns:
			t.wideRuns(in)

		case native.KindJump:
			pc = int(in.to) - 1
		case native.KindJumpZero:
			if s[in.a] == 0 {
				pc = int(in.to) - 1
			}
		case native.KindJumpEmpty:
			if t.m[in.m].state == maskEmpty {
				pc = int(in.to) - 1
			}
		case native.KindJumpNotEmpty:
			if t.m[in.m].state != maskEmpty {
				pc = int(in.to) - 1
			}
		case native.KindIf:
			if !t.split(in) {
				pc = int(in.to) - 1
			}
		case native.KindMaskCopy:
			t.copyMask(in.d, in.m)
		case native.KindLeave:
			t.leave(in.m, t.r.clears[in.c])
			if in.to > 0 {
				pc = int(in.to) - 1
			}
		case native.KindBlock:
			if !t.block(in) {
				return false
			}
		case native.KindFuel:
			if fuel -= in.imm; fuel < 0 {
				if fuel = t.refuel(fuel); fuel < 0 {
					t.spent = in.c
					return false
				}
			}
		}
	}
	return true
}

// set writes a to d in the lanes of mask m.
func (t *registers) set(d, a []uint32, m int32) {
	switch t.m[m].state {
	case maskFull:
		copy(d, a)
	case maskMixed:
		t.r.kernels.vvv[ir.OpSelect](d, t.m[m].words[:len(d)], a, d)
	}
}

// setU writes x to d in the lanes of mask m.
func (t *registers) setU(d []uint32, x uint32, m int32) {
	switch t.m[m].state {
	case maskFull:
		fill(d, x)
	case maskMixed:
		t.r.kernels.vuv[ir.OpSelect](d, t.m[m].words[:len(d)], d, x)
	}
}

func fill(d []uint32, x uint32) {
	const few = 32
	for i := range d[:min(few, len(d))] {
		d[i] = x
	}
	for n := few; n < len(d); n *= 2 {
		copy(d[n:], d[:n])
	}
}

func canon(d, a []uint32) {
	a = a[:len(d)]
	for i := range d {
		d[i] = lane.Canon(a[i])
	}
}

func (t *registers) isHelper(d []uint32) {
	if t.live.state == maskFull {
		clear(d)
		return
	}
	l := t.live.words[:len(d)]
	for i := range d {
		d[i] = ^l[i]
	}
}

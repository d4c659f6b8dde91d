package vm

import (
	"encoding/binary"
	"slices"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/ir/lane"
)

// scalarRun is one lane of a program that is interpreted straight from its structure: the oracle of
// the VM's control flow, registers, masks and memory.
type scalarRun struct {
	*lockstep
	lane    uint32
	v       []uint32
	more    map[ir.Value][4]uint32 // of instructions with several results
	vars    []uint32
	in, out []uint32
	private []uint32
	live    uint32
	leave   leaving
	told    []uint32 // index and word of each OpTrace
}

// lockstep is what lanes share that run together: one after the other each takes a statement that
// it comes to, and then each the next one. Where no lane looks at another, one lane is enough.
type lockstep struct {
	p       *ir.Program
	taint   []bool
	buffers [][][]byte
	push    []byte
	shared  []byte
}

// leaving says how control left a block: n loops out, 0 = normally.
type leaving struct {
	n     uint64
	again bool // a continue
}

func (w *world) reference(p *ir.Program) {
	s := &lockstep{p: p, taint: ir.NaNTaint(p), buffers: w.buffers, push: w.push, shared: w.shared}
	lanes := make([]*scalarRun, w.n)
	for l := range lanes {
		x := &scalarRun{
			lockstep: s, lane: uint32(l), live: w.live[l], more: map[ir.Value][4]uint32{},
			v: make([]uint32, len(p.Insts)), vars: make([]uint32, len(p.Vars)),
			private: make([]uint32, p.PrivateBytes/4),
		}
		for i := range w.in {
			x.in = append(x.in, w.in[i][l])
		}
		for i := range w.out {
			x.out = append(x.out, w.out[i][l])
		}
		if lanes[l] = x; p.SubgroupSize == 0 {
			s.block(&p.Body, lanes[l:][:1])
		}
	}
	if p.SubgroupSize != 0 {
		s.block(&p.Body, lanes)
	}
	for l, x := range lanes {
		for i := range w.out {
			w.out[i][l] = x.out[i]
		}
		w.live[l] = x.live
		w.told = append(w.told, x.told)
	}
}

func (s *scalarRun) visible(v ir.Value) uint32 {
	if s.taint[v] {
		return lane.Canon(s.v[v])
	}
	return s.v[v]
}

// block runs a block for the lanes that come to it.
func (s *lockstep) block(b *ir.Block, on []*scalarRun) {
	for i := range b.Stmts {
		if on = running(on); len(on) == 0 {
			return
		}
		switch st := &b.Stmts[i]; {
		case st.If != nil:
			var then, or []*scalarRun
			for _, x := range on {
				if x.v[st.If.Cond] != 0 {
					then = append(then, x)
				} else {
					or = append(or, x)
				}
			}
			s.block(&st.If.Then, then)
			s.block(&st.If.Else, or)
		case st.Loop != nil:
			s.loop(st.Loop, on)
		default:
			s.each(st.Inst, on)
		}
	}
}

// running are the lanes that have not left.
func running(on []*scalarRun) []*scalarRun {
	left := func(x *scalarRun) bool { return x.leave.n > 0 }
	if !slices.ContainsFunc(on, left) {
		return on
	}
	return slices.DeleteFunc(slices.Clone(on), left)
}

func (s *lockstep) loop(st *ir.Loop, on []*scalarRun) {
	for turn := 0; len(on) > 0; turn++ {
		if turn == 1000 {
			panic("reference: a loop without end")
		}
		s.block(&st.Body, on)
		var next []*scalarRun
		for _, x := range on {
			switch {
			case x.leave.n > 1:
				x.leave.n--
			case x.leave.n == 0 || x.leave.again:
				x.leave = leaving{}
				next = append(next, x)
			default:
				x.leave = leaving{}
			}
		}
		if st.Once {
			return
		}
		s.block(&st.Continue, next)
		on = running(next)
		for _, x := range next {
			x.leave.n -= min(x.leave.n, 1)
		}
	}
}

// each runs an instruction in all lanes that come to it.
func (s *lockstep) each(v ir.Value, on []*scalarRun) {
	switch in := &s.p.Insts[v]; in.Op {
	case ir.OpBarrier: // all have come
	case ir.OpGroup:
		s.group(v, in, on)
	case ir.OpDdxFine, ir.OpDdyFine, ir.OpDdxCoarse, ir.OpDdyCoarse:
		for _, x := range on {
			x.v[v] = x.derivative(in, on)
		}
	default:
		for _, x := range on {
			x.inst(v, in)
		}
	}
}

func word(data []byte, o uint32) uint32 {
	if uint64(o)+4 > uint64(len(data)) {
		return 0
	}
	return binary.LittleEndian.Uint32(data[o:])
}

func (s *scalarRun) buffer(imm uint64, element uint32) []byte {
	if bs := s.buffers[imm]; uint64(element) < uint64(len(bs)) {
		return bs[element]
	}
	return nil
}

func (s *scalarRun) inst(v ir.Value, in *ir.Inst) {
	a := func(i int) uint32 { return s.v[in.Args[i]] }
	switch in.Op {
	case ir.OpBreak, ir.OpContinue:
		s.leave = leaving{in.Imm, in.Op == ir.OpContinue}
	case ir.OpConst:
		s.v[v] = uint32(in.Imm)
	case ir.OpInput:
		s.v[v] = s.in[in.Imm]
	case ir.OpOutput:
		s.out[in.Imm] = s.visible(in.Args[0])
	case ir.OpVarGet:
		s.v[v] = s.vars[in.Imm]
	case ir.OpVarSet:
		s.vars[in.Imm] = a(0)
	case ir.OpLoadBuffer:
		s.v[v] = word(s.buffer(in.Imm, a(0)), a(1))
	case ir.OpStoreBuffer:
		if d := s.buffer(in.Imm, a(0)); s.live != 0 && uint64(a(1))+4 <= uint64(len(d)) {
			binary.LittleEndian.PutUint32(d[a(1):], s.visible(in.Args[2]))
		}
	case ir.OpBufferSize:
		s.v[v] = uint32(len(s.buffer(in.Imm, a(0))))
	case ir.OpLoadTable:
		s.v[v] = word(s.p.Table, a(0))
	case ir.OpLoadShared:
		s.v[v] = word(s.shared, a(0))
	case ir.OpStoreShared:
		if s.live != 0 && uint64(a(0))+4 <= uint64(len(s.shared)) {
			binary.LittleEndian.PutUint32(s.shared[a(0):], s.visible(in.Args[1]))
		}
	case ir.OpLoadPush:
		s.v[v] = word(s.push, a(0))
	case ir.OpLoadPrivate:
		s.v[v] = 0
		if w := a(0) / 4; w < uint32(len(s.private)) {
			s.v[v] = s.private[w]
		}
	case ir.OpStorePrivate:
		if w := a(0) / 4; w < uint32(len(s.private)) {
			s.private[w] = s.visible(in.Args[1])
		}
	case ir.OpLoadMem, ir.OpStoreMem:
		s.access(v, in)
	case ir.OpAtomicMem:
		s.exchange(v, ir.MemOf(in.Imm), in.More)
	case ir.OpAtomicBuffer, ir.OpAtomicShared:
		m := ir.Mem{Space: ir.MemBuffer, Resource: uint32(in.Imm), Log: 2}
		if m.Atomic = ir.AtomicOp(in.Imm >> 32); in.Op == ir.OpAtomicShared {
			m.Space = ir.MemShared
		}
		s.exchange(v, m, in.More)
	case ir.OpWide:
		s.wide(v, in)
	case ir.OpResult:
		s.v[v] = s.more[in.Args[0]][in.Imm]
	case ir.OpIsHelper:
		s.v[v] = ^s.live
	case ir.OpTrace:
		s.told = append(s.told, uint32(in.Imm), s.visible(in.More[0]))
	case ir.OpDemote:
		s.live = 0
	case ir.OpBitcast:
		s.v[v] = a(0)
		if in.Type != ir.F32 {
			s.v[v] = s.visible(in.Args[0])
		}
	default:
		info, _ := ir.InfoOf(in.Op)
		var x [3]uint32
		for i := range info.Args {
			x[i] = a(i)
		}
		r, ok := ir.Eval(in.Op, x[0], x[1], x[2])
		if !ok {
			panic("reference: " + in.Op.String())
		}
		s.v[v] = r
	}
}

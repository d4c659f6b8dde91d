package vm

import (
	"encoding/binary"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/ir/lane"
)

// scalarRun interprets a program for one lane, straight from its structure:
// the oracle of the VM's control flow, registers and masks.
type scalarRun struct {
	p       *ir.Program
	taint   []bool
	v       []uint32
	vars    []uint32
	in, out []uint32
	private []uint32
	live    uint32
	buffers [][][]byte
	push    []byte
	told    []uint32 // index and word of each OpTrace
	high    map[ir.Value]uint32
}

// leaving says how control left a block: n loops out, 0 = normally.
type leaving struct {
	n     uint64
	again bool // a continue
}

func (s *scalarRun) visible(v ir.Value) uint32 {
	if s.taint[v] {
		return lane.Canon(s.v[v])
	}
	return s.v[v]
}

func (s *scalarRun) block(b *ir.Block) leaving {
	for i := range b.Stmts {
		st := &b.Stmts[i]
		var l leaving
		switch {
		case st.If != nil:
			if s.v[st.If.Cond] != 0 {
				l = s.block(&st.If.Then)
			} else {
				l = s.block(&st.If.Else)
			}
		case st.Loop != nil:
			l = s.loop(st.Loop)
		default:
			in := &s.p.Insts[st.Inst]
			switch in.Op {
			case ir.OpBreak:
				l = leaving{n: in.Imm}
			case ir.OpContinue:
				l = leaving{n: in.Imm, again: true}
			default:
				s.inst(st.Inst, in)
			}
		}
		if l.n > 0 {
			return l
		}
	}
	return leaving{}
}

func (s *scalarRun) loop(st *ir.Loop) leaving {
	for {
		l := s.block(&st.Body)
		if l.n > 1 {
			return leaving{l.n - 1, l.again}
		}
		if st.Once || l.n == 1 && !l.again {
			return leaving{}
		}
		l = s.block(&st.Continue)
		if l.n > 0 {
			return leaving{l.n - 1, l.again}
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
		s.exchange(v, in)
	case ir.OpWide:
		s.wide(v, in)
	case ir.OpResult:
		s.v[v] = s.high[in.Args[0]]
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

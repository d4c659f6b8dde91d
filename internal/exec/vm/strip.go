package vm

import (
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/exec/native"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// stripState is a thread that does strips, with rows of its own: operands, then results.
type stripState struct {
	storage
	words [][ir.PlaceLanes]uint32
	more  [5][ir.PlaceLanes]uint32 // ones, zeros, mask, offsets, the rest
}

// newStrip makes it for a routine.
func newStrip(r *routine) *stripState {
	s := new(stripState)
	s.r = &routine{program: r.program, kernels: r.kernels, aux: make([]auxiliary, 1)}
	s.ones, s.zeros = s.more[0][:], s.more[1][:]
	fill(s.ones, ^uint32(0))
	s.m = []mask{{state: maskMixed, words: s.more[2][:]}}
	s.offsets, s.tmp = s.more[3][:], s.more[4][:]
	s.live.state = maskFull
	s.n = ir.PlaceLanes
	return s
}

// Strip implements native.Host.
func (t *thread) Strip(in *native.Inst, rows [][ir.PlaceLanes]uint32, operands int, lanes uint16) (
	base uint64, data []byte,
) {
	if t.served == nil {
		t.served = newStrip(t.r)
	}
	s := t.served
	s.ctx, s.batch, s.last = t.ctx, t.batch, region{}
	if len(rows) > len(s.words) {
		s.words, s.v = make([][ir.PlaceLanes]uint32, len(rows)), nil
		for i := range s.words {
			s.v = append(s.v, s.words[i][:])
		}
	}
	copy(s.words, rows)
	for l := range s.m[0].words {
		s.m[0].words[l] = -(uint32(lanes) >> l & 1)
	}
	s.do(in, operands, len(rows)-operands)
	for i := operands; i < len(rows); i++ {
		for l := range rows[i] {
			if lanes>>l&1 != 0 || in.Kind == native.KindGroup { // all lanes of a subgroup
				rows[i][l] = s.words[i][l]
			}
		}
	}
	if m := ir.MemOf(uint64(in.Imm)); m.Space == ir.MemPointer && in.Kind != native.KindGroup {
		last := bits.Len16(lanes) - 1
		write := in.Kind == native.KindStoreMem || in.Kind == native.KindAtomicMem
		base = uint64(s.words[1][last]) << 32
		data = s.at(m, []int32{0, 1}, last, write).data
	} else {
		base, data = s.last.base, s.last.data
	}
	s.ctx, s.batch, s.last = nil, nil, region{}
	return base, data
}

// do runs an instruction; one that accesses several words is as many.
func (s *stripState) do(in *native.Inst, operands, results int) {
	one := instr{kind: in.Kind, op: in.Op, imm: in.Imm}
	x, m := &s.r.aux[0], ir.MemOf(uint64(in.Imm))
	address := m.Space.Operands()
	if in.Kind == native.KindGroup {
		address = 0
	}
	x.args, x.results = x.args[:0], x.results[:0]
	for i := range address {
		x.args = append(x.args, int32(i))
	}
	switch in.Kind {
	case native.KindLoadMem:
		for k := range results {
			x.results = append(x.results[:0], int32(operands+k))
			s.loadMem(&one)
			m.Resource += 4
			one.imm = int64(m.Imm())
		}
	case native.KindStoreMem:
		for k := address; k < operands; k++ {
			x.args = append(x.args[:address], int32(k))
			s.storeMem(&one)
			m.Resource += 4
			one.imm = int64(m.Imm())
		}
	case native.KindAtomicMem, native.KindGroup:
		for i := address; i < operands+results; i++ {
			if i < operands {
				x.args = append(x.args, int32(i))
			} else {
				x.results = append(x.results, int32(i))
			}
		}
		if in.Kind == native.KindGroup {
			s.group(&one)
			return
		}
		if in.A&native.AtomicOfWords == 0 {
			s.atomicMem(&one)
			return
		}
		one.op, one.imm, one.kind = ir.Op(m.Atomic), int64(m.Resource), kindAtomicShared
		if m.Space == ir.MemBuffer {
			one.kind = kindAtomicBuffer
		}
		s.atomic(&one)
	}
}

package trace

import (
	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/internal/resource"
)

// Spot is memory that is looked at to see who writes it: bytes of a buffer, bytes of workgroup
// memory, or a texel.
type Spot struct {
	Memory []byte
	// From and To are the bytes of workgroup memory; both 0: none.
	From, To uint32
	// Image is the texel's; Slice is its array layer, or the slice of a 3D image.
	Image                      *resource.Image
	X, Y, Slice, Level, Sample int
}

// Writer is the index of the last lane in t that writes the place; none where no lane does. An
// atomic comparison that failed, what robustness drops, and helpers write nothing.
func (p *Spot) Writer(t *exec.Told) int {
	mask := t.Mask
	if t.Live != nil {
		mask = t.Live
	}
	x := &t.Program.Traces[t.Index]
	if x.Image > 0 {
		return p.writerOfTexel(t, mask, &t.Program.ImageOps[x.Image-1])
	}
	s := x.Store
	if s == nil || s.Space == ir.MemShared && p.To == 0 ||
		s.Space != ir.MemShared && s.Space != ir.MemPointer && p.Memory == nil {
		return none
	}
	value := x.Type.Words()
	for i := len(mask) - 1; i >= 0; i-- {
		if mask[i] == 0 {
			continue
		}
		if s.Atomic == ir.AtomicCompareExchange {
			if left := leaves(s, value, t.Words, i); !left.exchanged {
				continue
			}
		}
		if p.stored(t, s, t.Words[value:], i) {
			return i
		}
	}
	return none
}

// stored says that a store of lane i, with these words, writes the place.
func (p *Spot) stored(t *exec.Told, s *ir.TraceStore, words [][]uint32, i int) bool {
	var data []byte
	first := words[0][i]
	switch s.Space {
	case ir.MemShared:
		return p.shares(s, first)
	case ir.MemBuffer:
		data, first = t.Context.Descriptor(int64(s.Resource), first).Data, words[1][i]
	default:
		hi := words[1][i]
		switch {
		case s.Space == ir.MemPointer && hi&ir.PointerShared == ir.PointerShared:
			return p.shares(s, first)
		case s.Space == ir.MemPointer && hi&ir.PointerTag != 0:
			data = t.Context.Descriptor(int64(hi>>ir.PointerResourceShift&ir.PointerMaxResource),
				hi&ir.PointerMaxElement).Data
		default:
			return p.addressed(t.Context, s, uint64(first)|uint64(hi)<<32)
		}
	}
	if !memory.Overlap(data, p.Memory) {
		return false
	}
	for _, part := range s.Parts {
		at := uint64(first + part.Offset)
		if end := at + uint64(part.Bytes); end <= uint64(len(data)) &&
			memory.Overlap(data[at:end], p.Memory) {
			return true
		}
	}
	return false
}

// shares says that a store to workgroup memory writes the place.
func (p *Spot) shares(s *ir.TraceStore, first uint32) bool {
	for _, part := range s.Parts {
		if at := first + part.Offset; at < p.To && p.From < at+part.Bytes {
			return true
		}
	}
	return false
}

// addressed says that a store to device addresses writes the place.
func (p *Spot) addressed(c *exec.Context, s *ir.TraceStore, first uint64) bool {
	if c.Addresses == nil {
		return false
	}
	for _, part := range s.Parts {
		at := first + uint64(part.Offset)
		base, data := c.Addresses.Find(at)
		if from := at - base; data != nil && from+uint64(part.Bytes) <= uint64(len(data)) &&
			memory.Overlap(data[from:from+uint64(part.Bytes)], p.Memory) {
			return true
		}
	}
	return false
}

// writerOfTexel is Writer of an image instruction.
func (p *Spot) writerOfTexel(t *exec.Told, mask []uint32, op *ir.ImageOp) int {
	if op.Kind != ir.ImageWrite && op.Kind != ir.ImageAtomic ||
		op.Kind == ir.ImageAtomic && op.Atomic == ir.AtomicLoad {
		return none
	}
	for i := len(mask) - 1; i >= 0; i-- {
		if mask[i] != 0 && p.texel(newInstruction(t, op, i)) {
			return i
		}
	}
	return none
}

// texel says that a write of one lane is of the place.
func (p *Spot) texel(x *instruction) bool {
	var at [4]int
	for c := range x.op.Coords {
		at[c] = int(int32(x.args.Coord[c][x.lane]))
	}
	if b := x.descriptor.Texel; x.op.Dim == ir.DimBuffer {
		if b == nil || b.Info == nil || p.Memory == nil || at[0] < 0 {
			return false
		}
		from, n := uint64(at[0])*uint64(b.Info.BlockBytes), uint64(b.Info.BlockBytes)
		return from+n <= uint64(len(b.Data)) && memory.Overlap(b.Data[from:from+n], p.Memory)
	}
	v := x.descriptor.View
	if v == nil || p.Image == nil || v.Image != p.Image || v.BaseLevel != p.Level {
		return false
	}
	y, slice := at[1], at[2]
	if x.op.Dim == ir.Dim1D {
		y, slice = 0, at[1]
	}
	if x.op.Dim != ir.Dim3D && x.op.Dim != ir.DimCube && !x.op.Arrayed {
		slice = 0
	}
	sample := 0
	if x.op.MS && x.args.SampleIndex != nil {
		sample = int(x.args.SampleIndex[x.lane])
	}
	return at[0] == p.X && y == p.Y && v.Slice(slice) == p.Slice && sample == p.Sample
}

// left is what an atomic operation leaves in memory.
type left struct {
	words     []uint32
	exchanged bool // the comparator was there
}

// leaves computes what an atomic operation of lane i leaves: value is how many words what was there
// has.
func leaves(s *ir.TraceStore, value int, words [][]uint32, i int) left {
	n := int(s.Parts[0].Bytes+3) / 4
	number := func(at int) (x uint64) {
		for k := n - 1; k >= 0; k-- {
			x = x<<32 | uint64(words[at+k][i])
		}
		return x
	}
	at := value + 2
	if s.Space == ir.MemShared {
		at--
	}
	old, operand, comparator := number(0), number(at), uint64(0)
	if s.Atomic.Values() > 1 {
		comparator = number(at + n)
	}
	out := left{exchanged: old == comparator}
	if n == 2 {
		x := s.Atomic.Result64(old, operand, comparator)
		out.words = []uint32{uint32(x), uint32(x >> 32)}
	} else {
		out.words = []uint32{s.Atomic.Result(uint32(old), uint32(operand), uint32(comparator))}
	}
	return out
}

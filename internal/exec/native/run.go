package native

import (
	"math"
	"math/bits"
	"runtime"
	"slices"
	"unsafe"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// Thread is what the blocks of a unit work with in one thread of a host.
type Thread struct {
	unit    *Translation
	scalars []uint32
	tail    tailState
	frame   []uint64 // aligned to a line of the cache
	inputs  []uintptr
	outputs []uintptr
	masks   []uintptr
	buffers []bufferEntry
	sites   []site
	knows   bool // some of them
	// surfaces are the address and the bytes of a row of each.
	surfaces [ir.MaxSurfaces][2]uint64
	lanes    int   // of a strip
	unasked  int64 // fuel spent since Fuel.Stop was asked
	// The present piece: its batch, its first lane in that, and its lanes.
	batch   *exec.Batch
	base, n int
}

// tailState is what inputs and outputs of the last strip have in their stead, where not all of its lanes
// exist and no store leaves lanes alone.
type tailState struct {
	in, out       [][4]uint32
	inAt, outAt   []uintptr
	first, exists int // lanes of the batch
}

// bufferEntry is a buffer as blocks see it: a word may begin below limit. Of an array it is where
// its descriptors are, and how many.
type bufferEntry struct {
	at    uintptr
	limit uint64
}

// Stride is how many words lane registers of n lanes are apart: whole strips, and a
// line of the cache more, so that the same lanes of all registers do not fall into the
// same few sets of it. Machine code has it as a number, so it is that of all threads.
func (r *Translation) Stride(n int) int { return StripLanes(n) + r.vectors.lanes*r.vectors.parts }

// Emit makes machine code of the blocks, for lane registers that are stride words apart; false where the system refuses it.
func (r *Translation) Emit(stride int) bool {
	if !there {
		return false
	}
	for i, b := range r.blocks {
		if !b.emit(r, i, 4*stride) {
			return false
		}
		b.code = nil
		r.frame = max(r.frame, b.native.frame)
	}
	return true
}

// Text is a block's machine code.
func (r *Translation) Text(number int) []byte { return r.blocks[number].native.code.Bytes() }

// buffer is the number of a buffer in the table of blocks.
func (r *Translation) buffer(b bufferRef) int {
	for i, x := range r.buffers {
		if x == b {
			return i
		}
	}
	r.buffers = append(r.buffers, b)
	return len(r.buffers) - 1
}

// NewThread makes room for what blocks work with; scalars are the host's registers.
func (r *Translation) NewThread(scalars []uint32) *Thread {
	if !there {
		return nil
	}
	words := make([]uint64, r.frame/8+8)
	for uintptr(unsafe.Pointer(&words[0]))&63 != 0 {
		words = words[1:]
	}
	s := &Thread{
		unit: r, scalars: scalars, frame: words, lanes: r.vectors.lanes,
		inputs: make([]uintptr, len(r.program.Inputs)+1), outputs: make([]uintptr, len(r.program.Outputs)+1),
		masks: make([]uintptr, r.masks+1), buffers: make([]bufferEntry, len(r.buffers)+1),
		sites: make([]site, ways*(r.sites+1)), knows: true,
	}
	f := s.frame
	f[frameScalars/8] = uint64(uintptr(unsafe.Pointer(&scalars[0])))
	f[frameInputs/8] = uint64(uintptr(unsafe.Pointer(&s.inputs[0])))
	f[frameOutputs/8] = uint64(uintptr(unsafe.Pointer(&s.outputs[0])))
	f[frameMasks/8] = uint64(uintptr(unsafe.Pointer(&s.masks[0])))
	f[frameBuffers/8] = uint64(uintptr(unsafe.Pointer(&s.buffers[0])))
	f[frameSites/8] = uint64(uintptr(unsafe.Pointer(&s.sites[0])))
	r.vectors.fillFrame(f)
	f[frameSurfaces/8] = uint64(uintptr(unsafe.Pointer(&s.surfaces)))
	return s
}

// Place tells blocks where lane registers and private memory are.
func (s *Thread) Place(rows, private []uint32) {
	s.frame[frameRows/8] = uint64(uintptr(unsafe.Pointer(&rows[0])))
	s.frame[framePrivate/8] = uint64(uintptr(unsafe.Pointer(unsafe.SliceData(private))))
}

// wordsBelow is the address of a slice of bytes and how far words of it may begin.
func wordsBelow(data []byte) (at uintptr, limit uint64) {
	if len(data) < 4 {
		return 0, 0
	}
	return uintptr(unsafe.Pointer(&data[0])), uint64(len(data) - 3)
}

// Bind tells blocks of a batch's context; false where they do not take it: a
// buffer is beyond offsets with a sign, or may lack memory.
func (s *Thread) Bind(ctx *exec.Context, h Host) bool {
	if !there {
		return false
	}
	r := s.unit
	if ctx.Sparse != nil && r.program.WritesMemory {
		return false
	}
	for i, b := range r.buffers {
		list := h.Elements(b.resource)
		if b.all {
			n := r.program.Resources[b.resource].Count
			if r.narrow && n-1 < mostNarrow && slices.ContainsFunc(list, shortOfWord) {
				return false
			}
			at := uintptr(unsafe.Pointer(unsafe.SliceData(list)))
			s.buffers[i] = bufferEntry{at, uint64(len(list))}
			continue
		}
		var data []byte
		if uint64(b.element) < uint64(len(list)) {
			data = list[b.element].Data
		}
		if len(data) > math.MaxInt32 {
			return false
		}
		if r.narrow && shortOfWord(exec.Descriptor{Data: data}) {
			return false
		}
		s.buffers[i].at, s.buffers[i].limit = wordsBelow(data)
	}
	s.forget()
	s.bindWords(ctx)
	return true
}

// shortOfWord says that a buffer has numbers, but no word.
func shortOfWord(d exec.Descriptor) bool { return len(d.Data) > 0 && len(d.Data) < 4 }

// bindWords tells blocks of push constants and the program's table.
func (s *Thread) bindWords(ctx *exec.Context) {
	f := s.frame
	at, limit := wordsBelow(ctx.Push)
	f[framePush/8], f[framePushLimit/8] = uint64(at), limit
	at, limit = wordsBelow(s.unit.program.Table)
	f[frameTable/8], f[frameTableLimit/8] = uint64(at), limit
}

// Begin tells blocks of a piece of the batch: n lanes from base on.
func (s *Thread) Begin(b *exec.Batch, base, n int) {
	if !there {
		return
	}
	s.batch, s.base, s.n = b, base, n
	f := s.frame
	at, limit := wordsBelow(b.Shared)
	f[frameShared/8], f[frameSharedLimit/8] = uint64(at), limit
	if s.unit.places {
		s.beginPlaces()
	}
	for i := range s.unit.program.Inputs {
		s.inputs[i] = uintptr(unsafe.Pointer(&b.In[i][base]))
	}
	for i := range s.unit.program.Outputs {
		if out := b.Out[i]; len(out) > base {
			s.outputs[i] = uintptr(unsafe.Pointer(&out[base]))
		}
	}
	f[frameLast/8] = uint64(4 * (n - 1))
	s.unit.vectors.beginTail(s)
}

// serve computes an operation in the lanes that machine code has left to Go.
func (s *Thread) serve() {
	f := s.frame
	word := func(at, lane int) *uint32 {
		return (*uint32)(unsafe.Pointer(uintptr(unsafe.Pointer(&f[at/8])) + 4*uintptr(lane)))
	}
	op, at := ir.Op(f[frameServeOp/8]), &s.unit.vectors.shape
	for m := uint16(f[frameServeMask/8]); m != 0; m &= m - 1 {
		i := bits.TrailingZeros16(m)
		*word(at.serveD, i), _ = ir.Eval(op, *word(at.serveA, i), *word(at.serveB, i), 0)
	}
}

// serveWide computes an operation on 64 bits in all lanes.
func (s *Thread) serveWide() {
	f, m := s.frame, s.unit.vectors
	row := func(k int) *[16]uint32 { return (*[16]uint32)(unsafe.Pointer(&f[(m.wide+m.laneBytes()*k)/8])) }
	pair := func(lo, hi uint32) uint64 { return uint64(lo) | uint64(hi)<<32 }
	compute := ir.EvalWideFunc(ir.WideOp(f[frameServeOp/8]))
	for i := range s.lanes {
		r := compute(pair(row(0)[i], row(1)[i]), pair(row(2)[i], row(3)[i]), pair(row(4)[i], row(5)[i]))
		row(6)[i], row(7)[i] = uint32(r), uint32(r>>32)
	}
}

// Served is the operation that Go computed last for a block; 0: none yet.
func (s *Thread) Served() uint64 { return s.frame[frameServeOp/8] }

// image has the host do the lanes of an image instruction that machine code has left.
func (s *Thread) image(h Host) {
	f := s.frame
	x := &s.unit.aux[f[frameServeOp/8]]
	first := (*[ir.PlaceLanes]uint32)(unsafe.Pointer(&f[f[frameServeRows/8]/8]))
	h.Image(x.Image, unsafe.Slice(first, len(x.Args)-1+len(x.Results)), uint16(f[frameServeMask/8]), uint16(f[frameServeActive/8]))
}

// served does what a block has come back for; false where that is none of what Go does for it.
func (s *Thread) served(h Host) bool {
	switch s.frame[frameExit/8] {
	case exitServe:
		s.serve()
	case exitServeWide:
		s.serveWide()
	case exitServeImage:
		s.image(h)
	case exitServeStrip:
		s.serveStrip(h)
	default:
		return false
	}
	return true
}

// Run runs a block; false when the fuel is spent or the batch stopped.
func (s *Thread) Run(number int64, h Host, fuel *Fuel) bool {
	if !there {
		return false
	}
	b, f := s.unit.blocks[number], s.frame
	for i, m := range b.masks {
		s.masks[i] = uintptr(unsafe.Pointer(&h.Mask(m)[0]))
	}
	f[frameLive/8] = uint64(uintptr(unsafe.Pointer(&h.Live(b.demotes)[0])))
	f[frameResume/8] = 0
	s.unit.vectors.tailOutputs(s, false)
	portion := s.unit.vectors.portion
	first := min(portion, fuel.Left)
	f[framePortion/8], f[frameGranted/8], f[frameSpent/8] = uint64(first), uint64(first), 0
	for {
		b.native.code.Call(uintptr(unsafe.Pointer(&f[0])))
		if s.served(h) {
			continue
		}
		if f[frameExit/8] != exitFuel {
			break
		}
		if fuel.Stop != nil && fuel.Stop() {
			fuel.Stopped = true
			return false
		}
		left, granted := int64(f[frameLeft/8]), int64(f[frameGranted/8])
		more := min(portion-left, fuel.Left-granted)
		if left+more < 0 {
			fuel.Loop = int32(f[frameLoop/8])
			return false
		}
		f[frameLeft/8], f[frameGranted/8] = uint64(left+more), uint64(granted+more)
	}
	s.unit.vectors.tailOutputs(s, true)
	spent := int64(f[frameSpent/8])
	fuel.Left -= spent
	if s.unasked += spent; s.unasked > askAfter {
		s.unasked = 0
		if fuel.Stop != nil && fuel.Stop() {
			fuel.Stopped = true
			return false
		}
	}
	runtime.KeepAlive(s)
	runtime.KeepAlive(h)
	return true
}

// askAfter is how much fuel blocks spend before they ask whether the batch is still wanted.
const askAfter = 1 << 13

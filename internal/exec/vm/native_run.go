//go:build amd64 || arm64

package vm

import (
	"math"
	"math/bits"
	"runtime"
	"unsafe"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// nativeState is what a thread's blocks work with.
type nativeState struct {
	tail    tailState
	frame   []uint64 // aligned to a line of the cache
	inputs  []uintptr
	outputs []uintptr
	masks   []uintptr
	buffers []bufferEntry
	// surfaces are the address and the bytes of a row of each.
	surfaces [ir.MaxSurfaces][2]uint64
	lanes    int // of a strip
	plain    exec.Thread
	unasked  int64 // fuel spent since Context.Stop was asked
}

// bufferEntry is a buffer as blocks see it: a word may begin below limit.
type bufferEntry struct {
	at    uintptr
	limit uint64
}

// stride is how many words lane registers of n lanes are apart: whole strips, and a
// line of the cache more, so that the same lanes of all registers do not fall into the
// same few sets of it. Machine code has it as a number, so it is that of all threads.
func (r *routine) stride(n int) int {
	if len(r.blocks) == 0 {
		return n
	}
	n = r.lanes
	if r.wholeBatch {
		n = r.wholeLanes()
	}
	return stripLanes(n) + laneBytes/4
}

// emit makes machine code of the blocks; false where the system refuses it.
func (r *routine) emit() bool {
	for _, b := range r.blocks {
		if !b.emit(r, 4*r.stride(0)) {
			return false
		}
		b.code = nil
		r.frame = max(r.frame, b.native.frame)
	}
	return true
}

// buffer is the number of a buffer in the table of blocks.
func (r *routine) buffer(b bufferRef) int {
	for i, x := range r.buffers {
		if x == b {
			return i
		}
	}
	r.buffers = append(r.buffers, b)
	return len(r.buffers) - 1
}

// prepareBlocks makes room for what blocks work with.
func (t *thread) prepareBlocks() {
	r, s := t.r, &t.native
	if len(r.blocks) == 0 {
		return
	}
	words := make([]uint64, r.frame/8+8)
	for uintptr(unsafe.Pointer(&words[0]))&63 != 0 {
		words = words[1:]
	}
	s.frame, s.lanes = words, r.vectors.lanes
	s.inputs, s.outputs = make([]uintptr, len(r.program.Inputs)+1), make([]uintptr, len(r.program.Outputs)+1)
	s.masks, s.buffers = make([]uintptr, r.masks+1), make([]bufferEntry, len(r.buffers)+1)
	f := s.frame
	f[frameScalars/8] = uint64(uintptr(unsafe.Pointer(&t.s[0])))
	f[frameInputs/8] = uint64(uintptr(unsafe.Pointer(&s.inputs[0])))
	f[frameOutputs/8] = uint64(uintptr(unsafe.Pointer(&s.outputs[0])))
	f[frameMasks/8] = uint64(uintptr(unsafe.Pointer(&s.masks[0])))
	f[frameBuffers/8] = uint64(uintptr(unsafe.Pointer(&s.buffers[0])))
	fillFrame(f)
	f[frameSurfaces/8] = uint64(uintptr(unsafe.Pointer(&s.surfaces)))
}

// placeBlocks tells blocks where lane registers and private memory are.
func (t *thread) placeBlocks() {
	if f := t.native.frame; f != nil {
		f[frameRows/8] = uint64(uintptr(unsafe.Pointer(&t.room[0])))
		f[framePrivate/8] = uint64(uintptr(unsafe.Pointer(unsafe.SliceData(t.private))))
	}
}

// wordsBelow is the address of a slice of bytes and how far words of it may begin.
func wordsBelow(data []byte) (at uintptr, limit uint64) {
	if len(data) < 4 {
		return 0, 0
	}
	return uintptr(unsafe.Pointer(&data[0])), uint64(len(data) - 3)
}

// bindBlocks tells blocks of a batch's context; false where they do not take it: a
// buffer is beyond offsets with a sign, or may lack memory.
func (t *thread) bindBlocks(ctx *exec.Context) bool {
	if ctx.Sparse != nil && t.r.program.WritesMemory {
		return false
	}
	s := &t.native
	t.ctx = ctx
	for i, b := range t.r.buffers {
		data := t.descriptor(b.resource, b.element).Data
		if len(data) > math.MaxInt32 {
			return false
		}
		s.buffers[i].at, s.buffers[i].limit = wordsBelow(data)
	}
	f := s.frame
	at, limit := wordsBelow(ctx.Push)
	f[framePush/8], f[framePushLimit/8] = uint64(at), limit
	at, limit = wordsBelow(t.r.program.Table)
	f[frameTable/8], f[frameTableLimit/8] = uint64(at), limit
	return true
}

// plainThread runs the program without blocks.
func (s *nativeState) plainThread(t *thread) exec.Thread {
	if s.plain == nil {
		s.plain = t.r.plain.newThread(t.scratch, t.lanes)
	}
	return s.plain
}

// beginBlocks tells blocks of a piece of the batch.
func (t *thread) beginBlocks() {
	s := &t.native
	if s.frame == nil {
		return
	}
	f := s.frame
	at, limit := wordsBelow(t.batch.Shared)
	f[frameShared/8], f[frameSharedLimit/8] = uint64(at), limit
	if t.r.places {
		t.beginPlaces()
	}
	for i := range t.r.program.Inputs {
		s.inputs[i] = uintptr(unsafe.Pointer(&t.v[i][0]))
	}
	for i := range t.r.program.Outputs {
		if out := t.batch.Out[i]; len(out) > t.base {
			s.outputs[i] = uintptr(unsafe.Pointer(&out[t.base]))
		}
	}
	t.beginTail()
}

// serve computes an operation in the lanes that machine code has left to Go.
func (s *nativeState) serve() {
	f := s.frame
	word := func(at, lane int) *uint32 {
		return (*uint32)(unsafe.Pointer(uintptr(unsafe.Pointer(&f[at/8])) + 4*uintptr(lane)))
	}
	op := ir.Op(f[frameServeOp/8])
	for m := uint16(f[frameServeMask/8]); m != 0; m &= m - 1 {
		i := bits.TrailingZeros16(m)
		*word(frameServeD, i), _ = ir.Eval(op, *word(frameServeA, i), *word(frameServeB, i), 0)
	}
}

// serveWide computes an operation on 64 bits in all lanes.
func (s *nativeState) serveWide() {
	f := s.frame
	row := func(k int) *[16]uint32 { return (*[16]uint32)(unsafe.Pointer(&f[(frameWide+laneBytes*k)/8])) }
	compute := ir.EvalWideFunc(ir.WideOp(f[frameServeOp/8]))
	for i := range s.lanes {
		r := compute(pair(row(0)[i], row(1)[i]), pair(row(2)[i], row(3)[i]), pair(row(4)[i], row(5)[i]))
		row(6)[i], row(7)[i] = uint32(r), uint32(r>>32)
	}
}

// block runs a block; false when the fuel is spent or the batch stopped.
func (t *thread) block(in *instr) bool {
	b, s := t.r.blocks[in.imm], &t.native
	f := s.frame
	for i, m := range b.masks {
		s.masks[i] = uintptr(unsafe.Pointer(&t.maskWords(m)[0]))
	}
	live := t.ones
	if t.live.state != maskFull || b.demotes {
		live = t.liveWords()
	}
	f[frameLive/8] = uint64(uintptr(unsafe.Pointer(&live[0])))
	f[frameResume/8] = 0
	s.tail.outputs(t, false)
	first := min(nativePortion, t.left)
	f[framePortion/8], f[frameGranted/8], f[frameSpent/8] = uint64(first), uint64(first), 0
	for {
		b.native.code.Call(uintptr(unsafe.Pointer(&f[0])))
		if f[frameExit/8] == exitServe {
			s.serve()
			continue
		}
		if f[frameExit/8] == exitServeWide {
			s.serveWide()
			continue
		}
		if f[frameExit/8] == exitServeImage {
			t.serveImage()
			continue
		}
		if f[frameExit/8] != exitFuel {
			break
		}
		if stop := t.ctx.Stop; stop != nil && stop() {
			t.stopped = true
			return false
		}
		left, granted := int64(f[frameLeft/8]), int64(f[frameGranted/8])
		more := min(nativePortion-left, t.left-granted)
		if left+more < 0 {
			t.spent = int32(f[frameLoop/8])
			return false
		}
		f[frameLeft/8], f[frameGranted/8] = uint64(left+more), uint64(granted+more)
	}
	s.tail.outputs(t, true)
	spent := int64(f[frameSpent/8])
	t.left -= spent
	if s.unasked += spent; s.unasked > portion {
		s.unasked = 0
		if stop := t.ctx.Stop; stop != nil && stop() {
			t.stopped = true
			return false
		}
	}
	if b.demotes {
		t.live.state = maskMixed
	}
	runtime.KeepAlive(t)
	return true
}

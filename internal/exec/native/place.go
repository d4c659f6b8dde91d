package native

import (
	"math"
	"runtime"
	"unsafe"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// The size of an exec.Place, and where in it what is.
const (
	placeBytes   = int32(unsafe.Sizeof(exec.Place{}))
	placeRecords = int(unsafe.Offsetof(exec.Place{}.Record))
	placeQuads   = int(unsafe.Offsetof(exec.Place{}.Quads))
	placeCovered = int(unsafe.Offsetof(exec.Place{}.Covered))
)

// Bare says that a program on places is one block, and needs no more than its places: no masks, loops,
// buffers, private memory or invocations that are not live.
func (r *Translation) Bare() bool {
	b := r.blocks[0]
	return len(r.blocks) == 1 && len(b.masks) == 1 && !b.fuel && !b.demotes && r.program.PrivateBytes == 0 && len(r.program.Resources) == 0
}

// RunBare runs a batch of such a program, lanes at a time. These are short and called often, so
// that all that they lack is left out.
func (s *Thread) RunBare(ctx *exec.Context, b *exec.Batch, lanes int) {
	if !there {
		return
	}
	r, f, code := s.unit, s.frame, s.unit.blocks[0].native.code
	s.bindWords(ctx)
	f[frameTailAt/8] = math.MaxUint64
	s.batch = b
	for base := 0; base < b.N; base += lanes {
		f[frameEnd/8] = uint64(4 * min(b.N-base, lanes))
		for i := range r.program.Inputs {
			s.inputs[i] = uintptr(unsafe.Pointer(&b.In[i][base]))
		}
		for i := range r.program.Outputs {
			s.outputs[i] = uintptr(unsafe.Pointer(&b.Out[i][base]))
		}
		s.base = base
		s.beginPlaces()
		f[frameResume/8] = 0
		for code.Call(uintptr(unsafe.Pointer(&f[0]))); f[frameExit/8] != exitDone; code.Call(uintptr(unsafe.Pointer(&f[0]))) {
			s.served(nil)
		}
	}
	s.batch = nil
	runtime.KeepAlive(s)
	runtime.KeepAlive(b)
}

// beginPlaces tells blocks of the places of a piece.
func (s *Thread) beginPlaces() {
	b := s.batch
	s.frame[framePlaces/8] = uint64(uintptr(unsafe.Pointer(&b.Places[s.base/ir.PlaceLanes])))
	s.frame[frameRecords/8] = uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b.Records))))
	for i := range b.Surfaces {
		s.surfaces[i] = [2]uint64{uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b.Surfaces[i].Data)))), uint64(b.Surfaces[i].RowPitch)}
	}
}

// findRecords makes operands in memory of words of records that only the block uses.
func (e *layout) findRecords() {
	if !e.r.places {
		return
	}
	for i := range e.b.code {
		if in := &e.b.code[i]; in.Kind == KindRecord {
			e.places[in.D] = location{placeRecord, int32(in.Imm)}
		}
	}
	for _, list := range [2][]int32{e.b.in, e.b.out} {
		for _, v := range list {
			e.places[v] = location{}
		}
	}
}

// findSurface finds out whether the block's texels are all of one surface.
func (e *layout) findSurface() {
	for i := range e.b.code {
		if in := &e.b.code[i]; in.Kind == KindLoadTexel || in.Kind == KindStoreTexel {
			x := ir.TexelOf(uint64(in.Imm))
			if e.surface != nil && (e.surface.Surface != x.Surface || e.surface.Bytes != x.Bytes) {
				e.surface = nil
				return
			}
			e.surface = &x
		}
	}
}

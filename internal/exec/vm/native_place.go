//go:build amd64 || arm64

package vm

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
	placeCovered = int(unsafe.Offsetof(exec.Place{}.Covered))
)

// runBare is Run for programs on places that are one block. These are short and called often, so
// that all that they lack is left out: masks, loops, buffers, invocations that are not live.
func (t *thread) runBare(ctx *exec.Context, b *exec.Batch) {
	s, r := &t.native, t.r
	f, code := s.frame, r.blocks[0].native.code
	at, limit := wordsBelow(ctx.Push)
	f[framePush/8], f[framePushLimit/8] = uint64(at), limit
	at, limit = wordsBelow(r.program.Table)
	f[frameTable/8], f[frameTableLimit/8] = uint64(at), limit
	f[frameTailAt/8] = math.MaxUint64
	t.batch = b
	for base := 0; base < b.N; base += t.lanes {
		f[frameEnd/8] = uint64(4 * min(b.N-base, t.lanes))
		for i := range r.program.Inputs {
			s.inputs[i] = uintptr(unsafe.Pointer(&b.In[i][base]))
		}
		for i := range r.program.Outputs {
			s.outputs[i] = uintptr(unsafe.Pointer(&b.Out[i][base]))
		}
		t.base = base
		t.beginPlaces()
		f[frameResume/8] = 0
		for code.Call(uintptr(unsafe.Pointer(&f[0]))); f[frameExit/8] != exitDone; code.Call(uintptr(unsafe.Pointer(&f[0]))) {
			if f[frameExit/8] == exitServe {
				s.serve()
			} else {
				s.serveWide()
			}
		}
	}
	t.batch = nil
	runtime.KeepAlive(t)
	runtime.KeepAlive(b)
}

// beginPlaces tells blocks of the places of a piece.
func (t *thread) beginPlaces() {
	b, s := t.batch, &t.native
	s.frame[framePlaces/8] = uint64(uintptr(unsafe.Pointer(&b.Places[t.base/ir.PlaceLanes])))
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
		if in := &e.b.code[i]; in.kind == kindRecord {
			e.places[in.d] = location{placeRecord, int32(in.imm)}
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
		if in := &e.b.code[i]; in.kind == kindLoadTexel || in.kind == kindStoreTexel {
			x := ir.TexelOf(uint64(in.imm))
			if e.surface != nil && (e.surface.Surface != x.Surface || e.surface.Bytes != x.Bytes) {
				e.surface = nil
				return
			}
			e.surface = &x
		}
	}
}

package sampling

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
)

// RunBuffer executes one image instruction of Dim Buffer (a fetch, read, write,
// atomic or size query) on a texel buffer. A nil view is the null descriptor.
func RunBuffer(a *Args, b *resource.BufferView, n int) {
	if b == nil || b.Info == nil {
		zeroLanes(a, n)
		return
	}
	switch a.Op.Kind {
	case ir.ImageFetch, ir.ImageRead:
		fetchBuffer(a, b, n)
	case ir.ImageWrite:
		writeBuffer(a, b, n)
	case ir.ImageAtomic:
		atomicBuffer(a, b, n)
	case ir.ImageQuerySize:
		broadcast(a, n, uint32(len(b.Data)/b.Info.BlockBytes)) // IMG-607
	default:
		zeroLanes(a, n)
	}
}

// elementAt is the element of a texel buffer that a lane names, nil outside
// (IMG-302).
func elementAt(a *Args, b *resource.BufferView, lane int) []byte {
	i, size := int64(int32(a.Coord[0][lane])), int64(b.Info.BlockBytes)
	if i < 0 || (i+1)*size > int64(len(b.Data)) {
		return nil
	}
	return b.Data[i*size : (i+1)*size]
}

// fetchBuffer reads elements of a texel buffer.
//
// IMG-032
func fetchBuffer(a *Args, b *resource.BufferView, n int) {
	invalid := invalidTexel(b.Info)
	if a.Op.Wide {
		invalid = wideTexel(b.Info, nil)
	}
	for lane := range n {
		if !a.active(lane) {
			continue
		}
		t := invalid
		src := elementAt(a, b, lane)
		if src != nil {
			a.note(src, b.Info.BlockBytes)
			if t = b.Info.Decode(src); a.Op.Wide {
				t = wideTexel(b.Info, src)
			}
		}
		if a.Trace != nil {
			a.Trace.element(b, int(int32(a.Coord[0][lane])), src != nil, t)
		}
		storeTexel(a, lane, t)
	}
}

// writeBuffer writes elements of a texel buffer.
func writeBuffer(a *Args, b *resource.BufferView, n int) {
	for lane := range n {
		if !a.active(lane) {
			continue
		}
		if dst := a.backed(elementAt(a, b, lane), b.Info.BlockBytes); dst != nil {
			encodeOperand(a, b.Info, dst, lane)
		}
	}
}

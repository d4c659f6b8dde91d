package sampling

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
)

// RunBuffer executes one image instruction of Dim Buffer (a fetch, read, write,
// atomic or size query) on a texel buffer for lanes lo…hi-1. A nil view is the null descriptor.
func RunBuffer(a *Args, b *resource.BufferView, lo, hi int) {
	if b == nil || b.Info == nil {
		if a.Trace != nil {
			a.Trace.null()
		}
		zeroRange(a, lo, hi)
		return
	}
	switch a.Op.Kind {
	case ir.ImageFetch, ir.ImageRead:
		fetchBuffer(a, b, lo, hi)
	case ir.ImageWrite:
		writeBuffer(a, b, lo, hi)
	case ir.ImageAtomic:
		atomicBuffer(a, b, lo, hi)
	case ir.ImageQuerySize:
		broadcast(a, lo, hi, uint32(len(b.Data)/b.Info.BlockBytes)) // IMG-607
	default:
		zeroRange(a, lo, hi)
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
func fetchBuffer(a *Args, b *resource.BufferView, lo, hi int) {
	invalid := invalidTexel(b.Info)
	if a.Op.Wide {
		invalid = wideTexel(b.Info, nil)
	}
	for lane := lo; lane < hi; lane++ {
		if !a.active(lane) {
			continue
		}
		if lane > lo && a.Coord[0][lane] == a.Coord[0][lane-1] && a.active(lane-1) && a.Trace == nil { // as of a quad's lanes
			a.copyResults(lane, lane-1)
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
			a.Trace.element(a, b, int(int32(a.Coord[0][lane])), src, t)
		}
		storeTexel(a, lane, t)
	}
}

// writeBuffer writes elements of a texel buffer.
func writeBuffer(a *Args, b *resource.BufferView, lo, hi int) {
	for lane := lo; lane < hi; lane++ {
		if !a.active(lane) {
			continue
		}
		if dst := a.backed(elementAt(a, b, lane), b.Info.BlockBytes); dst != nil {
			encodeOperand(a, b.Info, dst, lane)
		}
	}
}

// copyResults gives lane to the results of lane from.
func (a *Args) copyResults(to, from int) {
	for _, row := range a.Out {
		if row != nil {
			row[to] = row[from]
		}
	}
}

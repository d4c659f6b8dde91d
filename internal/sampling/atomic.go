package sampling

import (
	"sync/atomic"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/internal/resource"
)

// runAtomic runs one atomic on the texel of each lane, in lane order. Texels outside
// the view are left alone and give 0.
//
// IMG-590, IMG-598
func runAtomic(a *Args, v *resource.ImageView, n int) {
	for lane := range n {
		if !a.active(lane) {
			continue
		}
		r := integerCoord(a, lane)
		r.level = 0 // IMG-590
		atomicLane(a, v.Info, a.backed(texelAt(v, r), v.Info.BlockBytes), lane)
	}
}

func atomicBuffer(a *Args, b *resource.BufferView, lo, hi int) {
	for lane := lo; lane < hi; lane++ {
		if a.active(lane) {
			atomicLane(a, b.Info, a.backed(elementAt(a, b, lane), b.Info.BlockBytes), lane)
		}
	}
}

// atomicLane runs the operation where the format is one of IMG-596.
func atomicLane(a *Args, info *format.Info, texel []byte, lane int) {
	if a.Op.Wide {
		atomicWide(a, info, texel, lane)
		return
	}
	old := uint32(0)
	if info.BlockBytes == 4 && info.ComponentCount == 1 {
		if word := memory.Word(texel); word != nil { // inside
			t := operandBits(a, lane)
			old = Atomic(a.Op.Atomic, word, t[0], t[1]) // IMG-597: on bits, whatever their sign
		}
	}
	if a.Out[0] != nil {
		a.Out[0][lane] = old
	}
}

func atomicWide(a *Args, info *format.Info, texel []byte, lane int) {
	old := uint64(0)
	if texel != nil && info.BlockBytes == 8 && info.ComponentCount == 1 {
		t := operandBits(a, lane)
		old = Atomic64(a.Op.Atomic, texel, uint64(t[0])|uint64(t[1])<<32, uint64(t[2])|uint64(t[3])<<32)
	}
	storeTexel(a, lane, format.Texel{uint32(old), uint32(old >> 32)})
}

// Atomic runs one operation of IMG-592 on a word of memory, sequentially
// consistent (IMG-591), and returns the value before it. comparator belongs to
// AtomicCompareExchange.
func Atomic(op ir.AtomicOp, word *uint32, v, comparator uint32) uint32 {
	switch op {
	case ir.AtomicAdd:
		return atomic.AddUint32(word, v) - v
	case ir.AtomicAnd:
		return atomic.AndUint32(word, v)
	case ir.AtomicOr:
		return atomic.OrUint32(word, v)
	case ir.AtomicExchange, ir.AtomicStore:
		return atomic.SwapUint32(word, v)
	case ir.AtomicLoad:
		return atomic.LoadUint32(word)
	default:
		for {
			o := atomic.LoadUint32(word)
			if atomic.CompareAndSwapUint32(word, o, op.Result(o, v, comparator)) {
				return o
			}
		}
	}
}

package sampling

import (
	"math"
	"sync/atomic"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/ir/lane"
	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/internal/resource"
)

// runAtomic is IMG-590…598: one atomic on the texel of each lane, in lane
// order. Texels outside the view are left alone and give 0.
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

func atomicBuffer(a *Args, b *resource.BufferView, n int) {
	for lane := range n {
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
	if texel != nil && info.BlockBytes == 4 && info.ComponentCount == 1 {
		if word := memory.Word(texel); word != nil {
			t := operandBits(a, lane)
			old = Atomic(a.Op.Atomic, word, t[0], t[1])
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
	case ir.AtomicExchange:
		return atomic.SwapUint32(word, v)
	case ir.AtomicLoad:
		return atomic.LoadUint32(word)
	case ir.AtomicStore:
		atomic.StoreUint32(word, v)
		return 0
	case ir.AtomicCompareExchange:
		for {
			o := atomic.LoadUint32(word)
			if o != comparator || atomic.CompareAndSwapUint32(word, o, v) {
				return o
			}
		}
	default:
		for {
			o := atomic.LoadUint32(word)
			if atomic.CompareAndSwapUint32(word, o, atomicResult(op, o, v)) {
				return o
			}
		}
	}
}

// atomicResult is the new value for the operations that the machine has not.
func atomicResult(op ir.AtomicOp, o, v uint32) uint32 {
	switch op.Base() {
	case ir.AtomicXor:
		return o ^ v
	case ir.AtomicSMin:
		return uint32(min(int32(o), int32(v)))
	case ir.AtomicSMax:
		return uint32(max(int32(o), int32(v)))
	case ir.AtomicUMin:
		return min(o, v)
	case ir.AtomicUMax:
		return max(o, v)
	case ir.AtomicFAdd:
		return rounded(op, visible(math.Float32frombits(o)+math.Float32frombits(v)))
	case ir.AtomicFMin:
		return rounded(op, visible(fp.Min(math.Float32frombits(o), math.Float32frombits(v))))
	case ir.AtomicFMax:
		return rounded(op, visible(fp.Max(math.Float32frombits(o), math.Float32frombits(v))))
	default:
		return o
	}
}

// rounded makes a zero of a denormal where the operation flushes.
func rounded(op ir.AtomicOp, v uint32) uint32 {
	if op&ir.AtomicFlush != 0 {
		v = uint32(lane.Flush(uint64(v)))
	}
	return v
}

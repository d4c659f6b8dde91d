package vm

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/ir"
	"golang.org/x/sys/cpu"
)

func vectorizeIfAble(k *kernels) {
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		vectorize(k)
		k.gather = gatherLanes
		k.vu[ir.OpFMin], k.vu[ir.OpFMax] = minTo, maxTo
		k.uv[ir.OpFMin], k.uv[ir.OpFMax] = minTo, maxTo
	}
}

// minTo and maxTo are the minimum and the maximum with a word, mostly a number that is the result
// where the other operand is a NaN or the other zero, as the processor's instruction has it.
func minTo(d, a []uint32, b uint32) {
	if b == 0 || b<<1 > 0xFF000000 {
		vFMinVU(d, a, b)
		return
	}
	vFMinToVU(d, a, b)
}

func maxTo(d, a []uint32, b uint32) {
	if b == 1<<31 || b<<1 > 0xFF000000 {
		vFMaxVU(d, a, b)
		return
	}
	vFMaxToVU(d, a, b)
}

// gatherAVX2 loads words for n lanes, a multiple of eight: 0 at offsets above last,
// which is below 2^31.
//
//go:noescape
func gatherAVX2(d, offset *uint32, data *byte, last uint32, n int)

// gatherLanes is loadLanes.
func gatherLanes(d, offset []uint32, data []byte) {
	n := len(d) &^ 7
	if n == 0 || len(data) < 4 || len(data) > math.MaxInt32 {
		loadLanes(d, offset, data)
		return
	}
	offset = offset[:len(d)]
	if r := row(offset, data); r != nil {
		copy(bytesOf(d), r)
		return
	}
	gatherAVX2(&d[0], &offset[0], &data[0], uint32(len(data)-4), n)
	loadLanes(d[n:], offset[n:], data)
}

package sampling

import (
	"golang.org/x/sys/cpu"

	"github.com/pumice-gpu/pumice/internal/format"
)

// haveAVX2 says that the processor runs the kernels in kernels_amd64.s. They
// round as their Go bodies do: every operation is IEEE's, and none is fused.
var haveAVX2 = cpu.X86.HasAVX2 && cpu.X86.HasF16C

//go:noescape
func axisAVX2(x *axis, c, o *[chunk]float64, scale float64, mask, first, last, pitch int32, n int) bool

//go:noescape
func axisNearestAVX2(x *axis, c, o *[chunk]float64, scale float64, mask, first, last, pitch int32, n int) bool

//go:noescape
func bilinearAVX2(dst *byteSums, data *byte, start *[chunk]int32, x, y *axis, n int)

//go:noescape
func lerpAVX2(dst, lo *byteSums, f *[chunk]uint32, n int)

//go:noescape
func scaleAVX2(dst, src *[chunk]uint32, scale float64, n int)

//go:noescape
func widenAVX2(dst *[chunk]float64, src *uint32, n int)

//go:noescape
func rhoAVX2(rho *[chunk]float64, c0, c1, c2 *uint32, size *[3]float64, n int)

//go:noescape
func lambdaAVX2(fixed, magnify *[chunk]int32, rho *[chunk]float64, p *lodRange, n int) bool

//go:noescape
func gatherAVX2(words *[chunk]uint32, data *byte, off *[chunk]int32, n int)

//go:noescape
func cornersAVX2(words *[4][chunk]uint32, data *byte, start *[chunk]int32, x, y *axis, n int)

//go:noescape
func unormAVX2(dst, words *[chunk]uint32, shift uint64, n int)

//go:noescape
func weightsAVX2(w *[4][chunk]int32, x, y *axis, n int)

//go:noescape
func lutAVX2(s *[chunk]float64, words *[4][chunk]uint32, w *[4][chunk]int32, lut *[256]float64, shift uint64, n int)

//go:noescape
func shadowAVX2(s *[chunk]float64, words *[4][chunk]uint32, w *[4][chunk]int32, ref *[chunk]float32, pass *[4]uint32, n int)

//go:noescape
func footprintsAVX2(s *sums, t *[chunk][4]format.Texel, w *[4][chunk]int32, n int)

//go:noescape
func narrowAVX2(t *[chunk]uint32, s *[chunk]float64, scale float64, n int)

//go:noescape
func halvesF16C(s *sums, t *[chunk][4]format.Texel, w *[4][chunk]int32, n int)

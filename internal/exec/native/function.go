//go:build amd64 || arm64

package native

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// The functions are those of package fp, step by step, in binary64: half the lanes of a
// strip at a time. What lanes with unusual operands need is served (see serve).

// Constants of 64 bits.
const (
	doubleLog2E = iota
	double2Log2E
	doubleLn2
	double2
	double200
	doubleMinus200
	doubleMagic
	double1023 // an integer
	double1I   // an integer
	doubleSign
	doubleAbs
	doubleSqrtHalf
	double1
	doubleMinus1
	double2OverPi
	doublePio2a
	doublePio2b
	doublePio2c
	doubleTan8
	doublePi4
	doublePi2
	doublePi
	doubleMaxFloat
	doubleHalf
	double300
	doubleMinus300
	doubleExp   // fp.Exp2Series
	doubleAtanh = doubleExp + len(fp.Exp2Series)
	doubleSin   = doubleAtanh + len(fp.AtanhSeries)
	doubleCos   = doubleSin + len(fp.SinSeries)
	doubleAtan  = doubleCos + len(fp.CosSeries)
	doubleSinh  = doubleAtan + len(fp.AtanSeries)
	doubleCount = doubleSinh + len(fp.SinhSeries)
)

// Bounds of what the steps of functions are for, as binary32.
const (
	lastExp  = 0x42B17217 // the largest number whose exp is finite
	tinyArea = 0x39800000 // 2^-12: below it asinh and atanh are two terms
)

var doubleWords = doubles()

func doubles() (d [doubleCount]uint64) {
	set := func(at int, list ...float64) {
		for i, x := range list {
			d[at+i] = math.Float64bits(x)
		}
	}
	set(doubleLog2E, math.Log2E, 2*math.Log2E, math.Ln2, 2, 200, -200, 3<<51)
	d[double1023], d[double1I], d[doubleSign], d[doubleAbs], d[doubleSqrtHalf] = 1023, 1, 1<<63, 1<<63-1, 0x3FE6A09E667F3BCD
	set(double1, 1, -1, 2/math.Pi, 0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2e037073p-69, 0.41421356, math.Pi/4, math.Pi/2, math.Pi, math.MaxFloat32, 0.5, 300, -300)
	set(doubleExp, fp.Exp2Series[:]...)
	set(doubleAtanh, fp.AtanhSeries[:]...)
	set(doubleSin, fp.SinSeries[:]...)
	set(doubleCos, fp.CosSeries[:]...)
	set(doubleAtan, fp.AtanSeries[:]...)
	set(doubleSinh, fp.SinhSeries[:]...)
	return d
}

// areaRange is the smallest and the largest size that the steps of asinh, acosh and atanh are for, as integers.
func areaRange(op ir.Op) (least, most uint32) {
	least, most = tinyArea, 0x7F7FFFFF
	switch op {
	case ir.OpFAcosh:
		least = 0x3F800000
	case ir.OpFAtanh:
		most = 0x3F7FFFFF
	}
	return least, most
}

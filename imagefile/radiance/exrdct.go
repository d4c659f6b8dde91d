package radiance

import (
	"encoding/binary"
	"math"
)

// zigzag is where the numbers of a block are, from low frequencies to high ones, as in JPEG.
var zigzag = [64]byte{
	0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
	35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
}

// Half the cosines of π/4, π/16, π/8, 3π/16, 5π/16, 3π/8 and 7π/16, as OpenEXR rounds them.
const (
	dctA float32 = 3.535536e-01
	dctB float32 = 4.903927e-01
	dctC float32 = 4.619398e-01
	dctD float32 = 4.157349e-01
	dctE float32 = 2.777855e-01
	dctF float32 = 1.913422e-01
	dctG float32 = 9.754573e-02
)

// inverseDCT transforms a block of 8 × 8, of which only the first rows are not zero. OpenEXR has three orders of the
// sums, which differ by roundings: for AVX, SSE2 and none. This is that for AVX.
func inverseDCT(f *[64]float32, rows int) {
	for r := range rows {
		x := (*[8]float32)(f[8*r:])
		a0, c2, f2 := float32(dctA*x[0]), float32(dctC*x[2]), float32(dctF*x[2])
		a4, c6, f6 := float32(dctA*x[4]), float32(dctC*x[6]), float32(dctF*x[6])
		even := [4]float32{(a0 + c2) + (a4 + f6), (a0 + f2) + (-a4 - c6), (a0 - f2) + (-a4 + c6), (a0 - c2) + (a4 - f6)}
		odd := [4]float32{
			(float32(dctB*x[1]) + float32(dctD*x[3])) + (float32(dctE*x[5]) + float32(dctG*x[7])),
			(float32(dctD*x[1]) - float32(dctG*x[3])) + (-float32(dctB*x[5]) - float32(dctE*x[7])),
			(float32(dctE*x[1]) - float32(dctB*x[3])) + (float32(dctG*x[5]) + float32(dctD*x[7])),
			(float32(dctG*x[1]) - float32(dctE*x[3])) + (float32(dctD*x[5]) - float32(dctB*x[7])),
		}
		for i := range 4 {
			x[i], x[7-i] = even[i]+odd[i], even[i]-odd[i]
		}
	}
	for c := range 8 {
		x := f[c:]
		a0, a4 := float32(dctA*x[0]), float32(dctA*x[32])
		sum, difference := a0+a4, a0-a4
		q := float32(dctC*x[16]) + float32(dctF*x[48])
		r := float32(dctF*x[16]) - float32(dctC*x[48])
		x1, x3, x5, x7 := x[8], x[24], x[40], x[56]
		even := [4]float32{sum + q, difference + r, difference - r, sum - q}
		odd := [4]float32{
			(float32(dctB*x1) + float32(dctD*x3)) + (float32(dctE*x5) + float32(dctG*x7)),
			(float32(dctD*x1) - (float32(dctG*x3) + float32(dctB*x5))) - float32(dctE*x7),
			((float32(dctE*x1) - float32(dctB*x3)) + float32(dctG*x5)) + float32(dctD*x7),
			(float32(dctG*x1) + float32(dctD*x5)) - (float32(dctE*x3) + float32(dctB*x7)),
		}
		for i := range 4 {
			x[8*i], x[56-8*i] = even[i]+odd[i], even[i]-odd[i]
		}
	}
}

func putFloat(b []byte, v float32) { binary.LittleEndian.PutUint32(b, math.Float32bits(v)) }

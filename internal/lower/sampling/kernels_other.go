//go:build !amd64

package sampling

import "github.com/pumice-gpu/pumice/internal/format"

const haveAVX2 = false

func axisAVX2(*axis, *[chunk]float64, *[chunk]float64, float64, int32, int32, int32, int32, int) bool {
	return false
}

func axisNearestAVX2(*axis, *[chunk]float64, *[chunk]float64, float64, int32, int32, int32, int32, int) bool {
	return false
}

func bilinearAVX2(*byteSums, *byte, *[chunk]int32, *axis, *axis, int) {}
func lerpAVX2(*byteSums, *byteSums, *[chunk]uint32, int)              {}
func scaleAVX2(*[chunk]uint32, *[chunk]uint32, float64, int)          {}
func widenAVX2(*[chunk]float64, *uint32, int)                         {}

func rhoAVX2(*[chunk]float64, *uint32, *uint32, *uint32, *[3]float64, int) {}

func lambdaAVX2(*[chunk]int32, *[chunk]int32, *[chunk]float64, *lodRange, int) bool { return false }

func gatherAVX2(*[chunk]uint32, *byte, *[chunk]int32, int)                                     {}
func cornersAVX2(*[4][chunk]uint32, *byte, *[chunk]int32, *axis, *axis, int)                   {}
func unormAVX2(*[chunk]uint32, *[chunk]uint32, uint64, int)                                    {}
func weightsAVX2(*[4][chunk]int32, *axis, *axis, int)                                          {}
func lutAVX2(*[chunk]float64, *[4][chunk]uint32, *[4][chunk]int32, *[256]float64, uint64, int) {}
func shadowAVX2(*[chunk]float64, *[4][chunk]uint32, *[4][chunk]int32, *[chunk]float32, *[4]uint32, int) {
}

func footprintsAVX2(*sums, *[chunk][4]format.Texel, *[4][chunk]int32, int) {}
func narrowAVX2(*[chunk]uint32, *[chunk]float64, float64, int)             {}
func halvesF16C(*sums, *[chunk][4]format.Texel, *[4][chunk]int32, int)     {}

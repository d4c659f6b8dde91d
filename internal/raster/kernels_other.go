//go:build !amd64

package raster

const haveAVX2 = false

func interpolateAVX2(_ *uint32, _, _ *float32, _, _, _ float32, _ int) {}

func planeAVX2(_ *float32, _ *Quad, _ int, _ *places, _ int, _ *Plane, _, _ int32) {}

func pairsAVX2(_, _ *float32, _ *Quad, _ int, _ *places, _ *Plane, _, _ int32, _, _ float64) {}

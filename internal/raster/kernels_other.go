//go:build !amd64

package raster

const haveAVX2 = false

func haveInside() bool { return false }

func insideEdges(_ *[4]HalfPlane, _ int, _, _ int32) uint64 { return 0 }

func interpolateAVX2(_ *uint32, _, _ *float32, _, _, _ float32, _ int) {}

func planeAVX2(_ *float32, _ *Quad, _ int, _ *quadPoints, _ int, _ *Plane, _, _ int32) {}

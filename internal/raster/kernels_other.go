//go:build !amd64

package raster

const haveAVX2 = false

func haveInside() bool { return false }

func insideEdges(_ *[4]HalfPlane, _ int, _, _ int32) uint64 { return 0 }

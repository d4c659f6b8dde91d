//go:build !amd64

package raster

const haveAVX2 = false

func interpolateAVX2(_ *uint32, _, _ *float32, _, _, _ float32, _ int) {}

package raster

import "golang.org/x/sys/cpu"

var haveAVX2 = cpu.X86.HasAVX2

// interpolateAVX2 writes (v0 + i·d1) + j·d2 for n lanes, a multiple of eight.
//
//go:noescape
func interpolateAVX2(dst *uint32, i, j *float32, v0, d1, d2 float32, n int)

package raster

import (
	"golang.org/x/sys/cpu"

	"github.com/pumice-gpu/pumice/internal/processor"
)

var haveAVX2 = cpu.X86.HasAVX2 && cpu.X86.HasFMA

var haveAVX512 = processor.Vectors() == 512

// columns are those of the pixels of a row of quads.
//
//lint:ignore U1000 assembly reads it
var columns = [16]uint32{0, 1, 0, 1, 2, 3, 2, 3, 4, 5, 4, 5, 6, 7, 6, 7}

// together is the order in which words of four signs lie side by side that AVX2 has packed.
//
//lint:ignore U1000 assembly reads it
var together = [8]uint32{0, 4, 1, 5, 2, 6, 3, 7}

// haveInside says that insideEdges may be called.
func haveInside() bool { return haveAVX512 || haveAVX2 }

// insideEdges is the pixels of a block that n edges keep, at least one; x and y are
// the place of the sample of the upper left one, subpixels. Values of the edges at samples, divided
// by Subpixels, fit 32 bits. Without AVX-512 it is found with AVX2.
//
//go:noescape
func insideEdges(edges *[4]HalfPlane, n int, x, y int32) uint64

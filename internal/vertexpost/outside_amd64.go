package vertexpost

import (
	"golang.org/x/sys/cpu"

	"github.com/pumice-gpu/pumice/internal/raster"
)

var haveAVX2 = cpu.X86.HasAVX2

// outsideAVX2 is outside for n positions, a multiple of eight; depth is depthCode.
//
//go:noescape
func outsideAVX2(out *raster.Outcode, x, y, z, w *uint32, n, depth int)

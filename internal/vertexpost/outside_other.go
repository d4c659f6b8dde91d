//go:build !amd64

package vertexpost

import "github.com/pumice-gpu/pumice/internal/raster"

const haveAVX2 = false

func outsideAVX2(_ *raster.Outcode, _, _, _, _ *uint32, _, _ int) {}

package tile

import (
	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/ir"
	lowered "github.com/pumice-gpu/pumice/internal/lower/fragops"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/threads"
	"github.com/pumice-gpu/pumice/vk"
)

// resolveKey is that of a program that resolves an attachment.
type resolveKey struct {
	info    *format.Info
	samples int
}

// AddResolve gives a colour attachment that is resolved the program for it, where there is one.
func (pl *Plan) AddResolve(a *Attachment) error {
	if a.Mode != vk.ResolveModeAverageBit {
		return nil
	}
	r, err := pl.Made.Routine(resolveKey{a.Reduced, a.Samples}, func() (*ir.Program, error) {
		return lowered.LowerResolve(a.Reduced, a.Samples)
	})
	a.resolver = 1 + pl.Number(r)
	return err
}

// resolveColor resolves a rectangle of pixels of a tile by the attachment's program.
//
// RAS-350 renderpass-resolve-operations
func (t *Tile) resolveColor(a *Attachment, layer int, r raster.Rect) error {
	x := int(r.X0)
	s, d := a.Surfaces[layer].Column(x), a.Resolve[layer].Column(x)
	t.resolvedTo = [2]exec.Surface{
		{Data: d.Data, RowPitch: d.RowPitch}, {Data: s.Data, RowPitch: s.RowPitch},
	}
	t.places = t.places[:0]
	const m = raster.BlockPixels - 1
	for y := r.Y0 &^ m; y < r.Y1; y += raster.BlockPixels {
		for x := r.X0 &^ m; x < r.X1; x += raster.BlockPixels {
			mask := [1]uint64{raster.PixelsIn(r, x, y)}
			t.places = AppendPlaces(t.places, x, y, mask[:], 0)
		}
	}
	t.resolved = exec.Batch{
		N: ir.PlaceLanes * len(t.places), Places: t.places, Surfaces: t.resolvedTo[:],
	}
	return t.Threads.By[a.resolver-1].Run(&threads.NoDescriptors, &t.resolved)
}

// Resolve resolves the tile at the end of the pass.
//
// RAS-350 renderpass-resolve-operations
func (t *Tile) Resolve(layer int, r raster.Rect) error {
	pl := t.Plan
	for _, a := range pl.Color {
		switch {
		case a == nil || a.Resolve == nil:
		case a.resolver != 0:
			if err := t.resolveColor(a, layer, r); err != nil {
				return err
			}
		default:
			a.rows(layer, r, func(dst, src []byte, width int) {
				fragops.ResolveColor(a.Reduced, a.Mode, dst, src, width, a.Samples)
			})
		}
	}
	if a := pl.Depth; a != nil && a.Resolve != nil {
		a.rows(layer, r, func(dst, src []byte, width int) {
			fragops.ResolveDepth(pl.DepthFormat, a.Mode, dst, src, width, a.Samples)
		})
	}
	if a := pl.Stencil; a != nil && a.Resolve != nil {
		a.rows(layer, r, func(dst, src []byte, width int) {
			fragops.ResolveStencil(a.Mode, dst, src, width, a.Samples)
		})
	}
	return nil
}

package render

import (
	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	lowered "github.com/pumice-gpu/pumice/internal/lower/fragops"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/vk"
)

// resolveKey is that of a program that resolves an attachment.
type resolveKey struct {
	info    *format.Info
	samples int
}

// addResolve gives a colour attachment the program that resolves it, where there is one.
func (pl *passPlan) addResolve(a *attachment) error {
	a.resolver = none
	if a.resolve == nil || a.mode != vk.ResolveModeAverageBit {
		return nil
	}
	r, err := kept(pl.x.resolves, resolveKey{a.reduced, a.samples}, func() (*exec.Routine, error) {
		r := new(exec.Routine)
		p, err := lowered.LowerResolve(a.reduced, a.samples)
		if p != nil && err == nil {
			*r, err = pl.x.cfg.Engine.Compile(p)
		}
		return r, err
	})
	if err == nil && *r != nil {
		a.resolver = pl.Number(*r)
	}
	return err
}

// resolveColor resolves a rectangle of pixels of a tile by the attachment's program.
//
// RAS-350 renderpass-resolve-operations
func (t *tile) resolveColor(a *attachment, layer int, r raster.Rect) error {
	p := &t.tests
	x := int(r.X0)
	s, d := a.surfaces[layer].Column(x), a.resolve[layer].Column(x)
	p.resolved = [2]exec.Surface{{Data: d.Data, RowPitch: d.RowPitch}, {Data: s.Data, RowPitch: s.RowPitch}}
	p.places = p.places[:0]
	const m = raster.BlockPixels - 1
	for y := r.Y0 &^ m; y < r.Y1; y += raster.BlockPixels {
		for x := r.X0 &^ m; x < r.X1; x += raster.BlockPixels {
			mask := [1]uint64{raster.PixelsIn(r, x, y)}
			p.places = appendPlaces(p.places, x, y, mask[:], 0)
		}
	}
	p.resolve = exec.Batch{N: ir.PlaceLanes * len(p.places), Places: p.places, Surfaces: p.resolved[:]}
	return t.threads.By[a.resolver].Run(&noDescriptors, &p.resolve)
}

package render

import (
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/fragment"
	"github.com/pumice-gpu/pumice/internal/render/rates"
	"github.com/pumice-gpu/pumice/vk"
)

// addRates decides whether fragments may be larger than a pixel, have several
// invocations, or be left out.
//
// RAS-139, RAS-148 primsrast-fragment-shading-rate-combining
func (s *drawState) addRates(pl *passPlan) {
	d := s.dynamic
	if d.RateImageEnable {
		s.addRateImage(pl)
		return
	}
	if d.ShadingRate == (rates.Shading{}) && d.RateCombiners == [2]vk.FragmentShadingRateCombinerOpKHR{} {
		return // a pixel, and nothing to combine it with
	}
	single := d.SampleShadingOn || s.Shares > 1
	if f := s.pipe.desc.Fragment; f != nil {
		p := f.Program()
		single = single || p.SampleRate || p.TileImages || (p.SampleMask || p.Interlocked) && pl.x.cfg.PixelMasks // RAS-174
	}
	if single {
		return
	}
	p := &s.Rates
	*p = rates.State{Pipeline: d.ShadingRate, Combiners: d.RateCombiners, Enums: d.RateEnums, Set: rates.Of(pl.Samples, pl.coverage), Samples: pl.Samples}
	p.Pipeline = p.Clamp(p.Pipeline)
	primitive := p.Combiners[0] != vk.FragmentShadingRateCombinerOpKeepKHR && (s.link.vs.rate != none || s.link.ofPrimitive.rate != none)
	attached := pl.pass.Rate != nil && pl.pass.Rate.View != nil && p.Combiners[1] != vk.FragmentShadingRateCombinerOpKeepKHR
	varies, drops := primitive || attached, p.Enums
	if !varies {
		// One rate for all.
		final := p.At(p.Primitive(0), pl.pass.Rate, 0, 0, 0)
		drops = final.N == 0
		varies = final != rates.Pixel{N: 1}
		if final.N == 1 { // else none, or several invocations
			p.Uniform = final.Rate
		}
	}
	s.setCoarse(pl, varies, drops)
}

// setCoarse lets the fragments of a draw have rates of their own; drops: some regions have none.
func (s *drawState) setCoarse(pl *passPlan, on, drops bool) {
	s.drops = drops
	if !on || s.Shader == nil {
		return
	}
	s.End = fragment.Shaded
	s.wait()
	pl.Words = max(pl.Words, raster.WordsOf(pl.Samples, true))
	if s.Rates.Uniform == (rates.Rate{}) {
		s.Rated = new(fragment.RatedPlans)
	}
}

// addRateImage makes the rates of a draw those of the shading rate image.
//
// RAS-160, RAS-166, RAS-168 primsrast-shading-rate-image
func (s *drawState) addRateImage(pl *passPlan) {
	d := s.dynamic
	if s.pipe.desc.Fragment != nil && s.pipe.desc.Fragment.Program().SampleRate {
		return
	}
	p := &rates.Image{View: d.RateImage}
	varies, drops := false, false
	p.Palettes = make([][rates.PaletteSize]rates.Pixel, len(s.post))
	for v := range p.Palettes {
		for i := range p.Palettes[v] {
			r := rates.Adjusted(d.Palettes[v].At(uint32(i)), s.Shares, pl.Samples)
			p.Palettes[v][i] = r
			drops = drops || r.N == 0
			varies = varies || r != rates.Pixel{N: 1}
		}
	}
	s.Rates.Image, s.Rates.Order, s.Rates.Samples = p, d.SampleOrder, pl.Samples
	if s.Rates.Order == nil {
		s.Rates.Order = rates.PixelMajor
	}
	if varies {
		s.Shares = 1 // all is said by the rates
	}
	s.setCoarse(pl, varies, drops)
}

// dropBlocks takes the blocks out of w.found that have no fragments, before any test or query sees
// them: rates are those of 8×8 pixels or more.
//
// RAS-156, RAS-163 primsrast-shading-rate-image
func (w *worker) dropBlocks(c *chunk, s *raster.Setup) {
	st, rec := c.draw.state, &c.Recs[s.Prim]
	b, first, n := &w.found, st.Rates.Primitive(rec.Rate), 0
	for k := range b.Blocks {
		if st.RateAt(&w.plan.Pass, w.tile.Layer, rec, first, b.Blocks[k].X, b.Blocks[k].Y).N != 0 {
			b.Move(n, k)
			n++
		}
	}
	b.All = b.All && n == len(b.Blocks)
	b.Cut(n)
}

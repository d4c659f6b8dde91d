package render

import (
	"github.com/pumice-gpu/pumice/internal/render/rates"
	"github.com/pumice-gpu/pumice/vk"
)

// The scalar pass: how many pixels a fragment has and how many invocations.

// shadingRate is width, height and invocations of a fragment, or none at all.
type shadingRate struct {
	w, h, n int
	none    bool
}

// shadingOf is RAS-143 and RAS-153.
func shadingOf(code uint32, enums bool) shadingRate {
	switch code &= 15; {
	case enums && code == 15:
		return shadingRate{none: true}
	case enums && code > 10:
		return shadingRate{1, 1, 1 << (code - 10), false}
	}
	return shadingRate{min(1<<(code>>2), 4), min(1<<(code&3), 4), 1, false}
}

// rateAt is the shading rate at a pixel.
// RAS-144 – RAS-149, RAS-156 – RAS-159
func (d *drawing) rateAt(x, y int32) shadingRate {
	st := d.st
	one := shadingRate{1, 1, 1, false}
	if st.RateImageEnable {
		if d.spec != nil && d.spec.sampleRate {
			return one // RAS-166
		}
		return d.paletteRate(x, y)
	}
	if st.SampleShadingOn || d.spec != nil && (d.spec.tile || d.spec.sampleRate || d.sampleShading()) {
		return one // RAS-148
	}
	p := st.ShadingRate
	rate, primitive, texel := shadingRate{1 << p.W, 1 << p.H, 1 << p.Invocations, p.Invocations == rates.NoInvocations}, one, one
	if d.scene().rates {
		primitive = shadingOf(d.rate, st.RateEnums)
	}
	if a := d.scene().pass.Rate; a != nil {
		l := a.View.Level(0, 0)
		texel = shadingOf(uint32(l.Data[l.Offset(int(x)/int(a.Texel.Width), int(y)/int(a.Texel.Height), 0, 0)]), st.RateEnums)
	}
	first := d.clamped(scalarCombine(st.RateCombiners[0], d.clamped(rate), d.clamped(primitive)))
	r := d.clamped(scalarCombine(st.RateCombiners[1], first, d.clamped(texel)))
	if d.spec == nil && !r.none {
		return one
	}
	r.n = min(r.n, d.samples)
	return r
}

// clamped is RAS-147, of sizes that all are supported up to 16 samples, and none but 1×1 beyond (RAS-138).
func (d *drawing) clamped(r shadingRate) shadingRate {
	if d.samples > 16 {
		r.w, r.h = 1, 1
	}
	return r
}

// paletteEntries are RAS-163.
var paletteEntries = [12]shadingRate{{none: true}, {1, 1, 16, false}, {1, 1, 8, false}, {1, 1, 4, false}, {1, 1, 2, false}, {1, 1, 1, false},
	{2, 1, 1, false}, {1, 2, 1, false}, {2, 2, 1, false}, {4, 2, 1, false}, {2, 4, 1, false}, {4, 4, 1, false}}

// paletteRate is that of the shading rate image.
// RAS-161, RAS-162, RAS-167
func (d *drawing) paletteRate(x, y int32) shadingRate {
	v, index := d.st.RateImage, 0
	if v != nil {
		layer := d.layer
		if layer >= v.Layers {
			layer = 0
		}
		if l := v.Level(0, layer); l.Contains(int(x)/16, int(y)/16, 0) {
			index = int(l.Data[l.Offset(int(x)/16, int(y)/16, 0, 0)])
		}
	}
	r := shadingRate{1, 1, 1, false}
	if p := &d.st.Palettes[d.viewport]; index < int(p.N) {
		r = paletteEntries[p.Entries[index]]
	}
	if d.spec == nil && !r.none {
		return shadingRate{1, 1, 1, false}
	}
	for r.w*r.h*d.samples > 256 { // RAS-164
		if r.h >= r.w {
			r.h /= 2
		} else {
			r.w /= 2
		}
	}
	r.n = min(r.n, d.samples)
	return r
}

// scalarCombine combines two rates, in pixels and invocations.
func scalarCombine(op vk.FragmentShadingRateCombinerOpKHR, a, b shadingRate) shadingRate {
	switch {
	case op == vk.FragmentShadingRateCombinerOpReplaceKHR:
		a = b
	case op == vk.FragmentShadingRateCombinerOpKeepKHR:
	case a.none || b.none:
		a = shadingRate{none: true}
	case op == vk.FragmentShadingRateCombinerOpMinKHR:
		a = shadingRate{min(a.w, b.w), min(a.h, b.h), max(a.n, b.n), false}
	case op == vk.FragmentShadingRateCombinerOpMaxKHR:
		a = shadingRate{max(a.w, b.w), max(a.h, b.h), min(a.n, b.n), false}
	default:
		a = shadingRate{a.w * b.w, a.h * b.h, a.n * b.n, false}
		for a.w*a.h > 1 && a.n > 1 {
			if a.n /= 2; a.h >= a.w {
				a.h /= 2
			} else {
				a.w /= 2
			}
		}
	}
	a.w, a.h = min(a.w, 4), min(a.h, 4)
	return a
}

// sampleShading: one invocation a sample.
// RAS-174
func (r *scalar) sampleShading() bool {
	return r.spec != nil && r.samples > 1 && (r.spec.sampleRate || r.st.SampleShadingEnable)
}

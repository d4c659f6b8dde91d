package sampling

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// Sampling through a Y′CBCR conversion (§14). All formats that have one are
// UNORM, so the sums of weight · code are exact integers in binary64. Nothing is
// clamped (IMG-355, IMG-358), so range expansion and model conversion are affine
// and commute with filtering: they run once for each sample, after all filters,
// on codes divided by the sum of weights, in binary64, with one rounding to
// binary32 at the end. That holds for explicit reconstruction too (IMG-346).

// component says where a colour component of a texel comes from.
type component struct {
	plane, index int // index in the plane's texels
	bits         int // 0 where the format lacks it
	chroma       bool
}

// converter is a sampled instruction with a conversion.
type converter struct {
	sampled
	conv     *resource.YcbcrConversion
	from     [4]component // R, G, B, A
	planes   int
	halved   [2]bool // chroma has half the width, half the height
	packed   bool    // single-plane 422: chroma lies in the luma's blocks
	linear   bool    // chromaFilter
	explicit bool
}

func makeConverter(a *Args, v *resource.ImageView, s *resource.Sampler) converter {
	y := converter{sampled: makeSampled(a, v, s), conv: s.Ycbcr, planes: 1, linear: s.Ycbcr.ChromaFilter != vk.FilterNearest, explicit: s.Ycbcr.ForceExplicit}
	y.modes = [3]addressMode{modeClampToEdge, modeClampToEdge, modeClampToEdge} // IMG-165
	y.aniso, y.compare, y.reduce = 1, false, vk.SamplerReductionModeWeightedAverage
	y.codeMax, y.lerps, y.shares = 0, false, false
	info := v.Info
	y.halved = [2]bool{info.Chroma == "422" || info.Chroma == "420", info.Chroma == "420"}
	y.packed = info.BlockWidth > 1
	if info.MultiPlanar() {
		y.planes = len(info.Planes)
	}
	for k, c := range info.Components {
		if c.Kind == format.KindNone {
			continue
		}
		from := component{index: k, bits: c.Bits, chroma: y.halved[0] && (k == 0 || k == 2)}
		if y.planes > 1 { // IMG-256
			from.plane = c.Plane
			for i, pc := range v.Image.Layout.Planes[c.Plane].Info.Components {
				if pc.Kind != format.KindNone && pc.Shift == c.Shift {
					from.index = i
				}
			}
		}
		y.from[k] = from
	}
	return y
}

// runYcbcr is a sampled instruction through a conversion, lane by lane.
func runYcbcr(a *Args, v *resource.ImageView, s *resource.Sampler, n int) {
	y := makeConverter(a, v, s)
	for lane := range n {
		if a.active(lane) {
			y.store(lane, y.sample(lane, n))
		}
	}
}

// sample is sampled.sample with the steps of a conversion.
func (y *converter) sample(lane, n int) format.Texel {
	at, g := y.locate(lane, n)
	prime, f := y.lambdaPrime(lane, n, &g)
	lambda := y.lod.clampLod(prime, y.minLod(lane))
	lv := y.lod.selectLevels(lambda)
	if t := y.a.Trace; t != nil {
		t.levels(&y.sampled, prime, y.lod.allBias(y.shaderBias(lane)), y.minLod(lane), lambda, lv, f)
		t.planes(y)
	}
	how := y.how(lv)
	var total [4]float64
	y.level(&total, &at, lv.hi, how, one8-float64(lv.delta))
	if lv.delta != 0 { // IMG-466
		y.level(&total, &at, lv.lo, how, float64(lv.delta))
	}
	for c := range total {
		total[c] /= 1 << MipmapBits
	}
	out := y.convert(&total)
	if t := y.a.Trace; t != nil {
		t.converted(y, total, out)
	}
	return out
}

// level adds the filtered codes of one level, times w.
func (y *converter) level(total *[4]float64, at *spot, level int, how filter, w float64) {
	if y.a.Op.Dim != ir.Dim2D {
		y.levelAny(total, at, level, how, w)
		return
	}
	var sum [4]float64
	if t := y.a.Trace; t != nil {
		t.from(y.v, level, at.layer)
		t.filter = how
		t.add(sumRules[how], "level %d, %s", level, filterNames[how])
	}
	y.scale(w, 1)
	l := y.v.Level(level, at.layer)
	full := [2]taps{y.tapsOf(at, 0, l.Width, how), y.tapsOf(at, 1, l.Height, how)}
	for j := range full[1].n {
		for i := range full[0].n {
			x, z := clampIndex(full[0].i[i], l.Width), clampIndex(full[1].i[j], l.Height)
			k := full[0].w[i] * full[1].w[j]
			for p := range y.planes {
				y.addPlane(&sum, &l, at, level, p, x, z, k, false)
			}
			if y.halved[0] && y.explicit {
				y.reconstruct(&sum, &l, at, level, x, z, k)
			}
		}
	}
	if y.halved[0] && !y.explicit {
		y.implicit(&sum, &l, at, level)
	}
	for c := range sum {
		total[c] += float64(w * (sum[c] / (one8 * one8)))
	}
}

func (y *converter) midpoint(d int) bool {
	if d == 0 {
		return y.conv.XChromaOffset == vk.ChromaLocationMidpoint
	}
	return y.conv.YChromaOffset == vk.ChromaLocationMidpoint
}

// implicit is IMG-343 and IMG-344: chroma is filtered on its own, at
// u_RB = (u + ½)/2 where it is cosited, u/2 at midpoints.
func (y *converter) implicit(sum *[4]float64, l *resource.Level, at *spot, level int) {
	size := [2]int{l.Width, l.Height}
	var t [2]taps
	for d := range t {
		u := scaleCoord(at.c[d], size[d], at.delta[d], y.unnorm)
		if y.halved[d] {
			if !y.midpoint(d) {
				u += 0.5
			}
			u *= 0.5
		}
		u = reduceCoord(u, modeClampToEdge, size[d])
		t[d] = taps{i: [4]int{nearestTexel(u)}, w: [4]float64{one8}, n: 1}
		if y.linear {
			t[d] = linearTaps(u)
		}
	}
	for j := range t[1].n {
		for i := range t[0].n {
			y.addChroma(sum, l, at, level, t[0].i[i], t[1].i[j], t[0].w[i]*t[1].w[j])
		}
	}
}

// addChroma adds chroma sample (i, j), clamped to the chroma's size (IMG-341).
func (y *converter) addChroma(sum *[4]float64, luma *resource.Level, at *spot, level, i, j int, w float64) {
	if y.packed {
		y.addPlane(sum, luma, at, level, 0, 2*clampIndex(i, luma.Width/2), clampIndex(j, luma.Height), w, true)
		return
	}
	for p := 1; p < y.planes; p++ {
		y.addPlane(sum, luma, at, level, p, i, j, w, true)
	}
}

// addPlane adds the components of a plane's texel, times w: those of halved
// chroma, or all others. Coordinates of chroma planes are clamped here.
func (y *converter) addPlane(sum *[4]float64, luma *resource.Level, at *spot, level, plane, i, j int, w float64, chroma bool) {
	wanted := false
	for c := range y.from {
		wanted = wanted || y.from[c].bits != 0 && y.from[c].plane == plane && y.from[c].chroma == chroma
	}
	if !wanted {
		return
	}
	l, info, asked := luma, y.info, [2]int{i, j}
	if y.planes > 1 {
		v := y.v
		pl := v.Image.Level(plane, v.BaseLevel+level, v.BaseLayer+at.layer)
		l, info = &pl, v.Image.Layout.Planes[plane].Info
		i, j = clampIndex(i, l.Width), clampIndex(j, l.Height)
	}
	y.a.noteTexel(l, i, j, 0, 0)
	t := texelOf(info, y.a.Blocks, l, i, j, 0, 0)
	if trace := y.a.Trace; trace != nil {
		trace.plane(y, chroma, info, plane, asked, [2]int{i, j}, t, y.a.bound(l.Data[l.Offset(i, j, 0, 0):], l.Bytes), w)
	}
	for c, f := range y.from {
		if f.bits != 0 && f.plane == plane && f.chroma == chroma {
			sum[c] += float64(w * y.codeOf(c, t[f.index]))
		}
	}
}

// levelAny filters views that are not 2D: their formats have no chroma of its
// own size (IMG-362).
func (y *converter) levelAny(total *[4]float64, at *spot, level int, how filter, w float64) {
	y.scale(w, 1)
	s := newSum()
	y.filterLevel(&s, at, level, how)
	weights := float64(uint64(1) << (SubTexelBits * y.dims))
	for c := range total {
		if n := y.from[c].bits; n != 0 {
			total[c] += float64(w * float64(float64(s.real[c]/weights)*float64(uint32(1)<<n-1)))
		}
	}
}

// convert is the component swizzle (IMG-351), range expansion (IMG-353, IMG-354)
// and model conversion (IMG-356) of codes.
//
// IMG-357, IMG-358, IMG-360, IMG-361
func (y *converter) convert(codes *[4]float64) format.Texel {
	var x, unit [4]float64 // code, and the value as UNORM
	var n [4]int
	for c, from := range resource.SwizzleOf(y.conv.Components) {
		n[c] = 8
		switch {
		case from >= 0 && y.from[from].bits != 0:
			n[c] = y.from[from].bits
			x[c] = codes[from]
		case from == resource.FromOne || from == 3: // ONE, or an alpha that the format lacks
			x[c] = 255
		}
		unit[c] = x[c] / float64(uint32(1)<<n[c]-1)
	}
	r, g, b := unit[0], unit[1], unit[2]
	if y.conv.Model != vk.SamplerYcbcrModelConversionRgbIdentity { // IMG-352
		r, g, b = expandRange(y.conv.Range, &x, &unit, &n)
		r, g, b = convertModel(y.conv.Model, g, b, r)
	}
	return format.Texel{visible(float32(r)), visible(float32(g)), visible(float32(b)), visible(float32(unit[3]))}
}

// expandRange returns CR, Y′ and CB.
func expandRange(r vk.SamplerYcbcrRange, x, unit *[4]float64, n *[4]int) (cr, luma, cb float64) {
	half := func(c int) float64 {
		return unit[c] - float64(uint32(1)<<(n[c]-1))/float64(uint32(1)<<n[c]-1)
	}
	if r != vk.SamplerYcbcrRangeItuNarrow {
		return half(0), unit[1], half(2)
	}
	narrow := func(c int, from, span float64) float64 {
		scale := math.Ldexp(1, n[c]-8)
		return (x[c] - float64(from*scale)) / float64(span*scale)
	}
	return narrow(0, 128, 224), narrow(1, 16, 219), narrow(2, 128, 224)
}

// convertModel is IMG-356; RGB_IDENTITY never comes here.
func convertModel(m vk.SamplerYcbcrModelConversion, luma, cb, cr float64) (r, g, b float64) {
	var kr, kb float64
	switch m {
	case vk.SamplerYcbcrModelConversionYcbcr709:
		kr, kb = 0.2126, 0.0722
	case vk.SamplerYcbcrModelConversionYcbcr601:
		kr, kb = 0.299, 0.114
	case vk.SamplerYcbcrModelConversionYcbcr2020:
		kr, kb = 0.2627, 0.0593
	default: // YCBCR_IDENTITY
		return cr, luma, cb
	}
	r = luma + float64(2*(1-kr)*cr)
	b = luma + float64(2*(1-kb)*cb)
	g = luma - (float64(2*kb*(1-kb)*cb)+float64(2*kr*(1-kr)*cr))/(1-kr-kb)
	return r, g, b
}

package texel

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	ref "github.com/pumice-gpu/pumice/internal/sampling"
	"github.com/pumice-gpu/pumice/vk"
)

// # Y′CBCR
//
// Codes of each component are filtered in its plane: sums of weight · code are integers below
// 2^32, so every order gives the same. From there on the operations are the reference's, in
// binary64 and in its order. Coordinates are binary64 numbers, too, of which the last step alone
// rounds.

// Ycbcr is what a key says of a conversion.
type Ycbcr struct {
	Linear, ChromaLinear bool    // filters
	Halved, Midpoint     [2]bool // of chroma
	From                 [4]Code // of R, G, B and A
	Model                vk.SamplerYcbcrModelConversion
	Range                vk.SamplerYcbcrRange
	Swizzle              [4]int8 // as resource.SwizzleOf says
}

// Code is where a component lies in texels of its plane. Bits are 0 where there is none.
type Code struct {
	Plane, Byte, Step uint8 // Step: bytes between texels
	Shift, Bits       uint8 // in the word of 8 or 16 bits at Byte
	Chroma            bool
}

// Words of Params.Starts that say where a plane lies: its start, and bytes between layers and
// rows; and behind them the size of chroma.
const (
	planeWords = 3
	wordPlanes = wordStarts
	wordChroma = wordPlanes + 3*planeWords
)

// ycbcrKey makes the key of a sample through a conversion, and its parameters; false where planes
// do not lie as routines look for them.
//
// IMG-336
func (p *access) ycbcrKey(st *ref.YcbcrState) bool {
	im, conv := p.v.Image, st.Conversion
	if im.Disjoint() || im.Layout.Size >= 1<<31 || !p.bound() {
		return false
	}
	p.st, p.sampled = st.State, true
	y := Ycbcr{Linear: st.Mag == vk.FilterLinear, ChromaLinear: st.ChromaLinear,
		Halved: st.Halved, Midpoint: st.Midpoint,
		Model: conv.Model, Range: conv.Range, Swizzle: resource.SwizzleOf(conv.Components)}
	x := Params{Layers: uint32(p.st.Layers)}
	for n := range im.Layout.Planes {
		pl := &im.Layout.Planes[n]
		l := &pl.Levels[p.v.BaseLevel]
		at := planeWords * n
		x.Starts[at] = uint32(pl.Offset + int64(p.v.BaseLayer)*pl.LayerPitch + l.Offset)
		x.Starts[at+1], x.Starts[at+2] = uint32(pl.LayerPitch), uint32(l.RowPitch)
		size := [2]uint32{uint32(l.Width), uint32(l.Height)}
		if n == 0 {
			x.Size = [3]uint32{size[0], size[1], 1}
		}
		copy(x.Starts[wordChroma-wordStarts:], size[:]) // of the last plane
	}
	if st.Packed {
		x.Starts[wordChroma-wordStarts], x.Starts[wordChroma-wordStarts+1] = x.Size[0]/2, x.Size[1]
	}
	if !p.v.Info.MultiPlanar() && (!addressable(p.v) || p.v.Level(0, 0).ColumnSkip != 0) {
		return false
	}
	for c, f := range st.From {
		if f.Bits == 0 {
			continue
		}
		pl := &im.Layout.Planes[f.Plane]
		info := pl.Info
		if f.Plane == 0 && !p.v.Info.MultiPlanar() {
			info = p.v.Info // of a view with a format of its own
		}
		pc := info.Components[f.Index]
		to := &y.From[c]
		*to = Code{Plane: uint8(f.Plane), Byte: uint8(pc.Shift / 8), Step: uint8(pl.Bytes),
			Bits: uint8(f.Bits), Chroma: f.Chroma}
		if st.Packed && !f.Chroma {
			to.Step /= 2
		}
		switch {
		case pc.Numeric != format.NumericUnorm: // of a view that does not fit the conversion
			return false
		case pc.Bits == 8 && pc.Shift%8 == 0:
		case info.BlockBytes%2 == 0 && pc.Shift%16+pc.Bits <= 16:
			to.Byte, to.Shift = uint8(pc.Shift/16*2), uint8(pc.Shift%16)
		default:
			return false
		}
	}
	p.key = Key{Kind: Converted, Format: p.v.Info.Format, Dims: 2, Layered: p.st.Layer >= 0,
		Offset: p.op.HasOffset, Swizzle: p.st.Swizzle,
		Results: uint8(p.op.Results), Ycbcr: y}
	p.params = append(p.params, params{}, params{})
	x.Put(p.params[0][:])
	return true
}

// conversion is what samples through a Y′CBCR conversion do: no decoder, and a filter of its own.
type conversion struct{ *coordinates }

// codeAxis is what a filter reads of a dimension of a plane: one texel, or two and the weight of
// the second in 1/256.
type codeAxis struct{ first, second, f ir.Value }

// codeAxis finds it: IMG-480 and IMG-481, and IMG-343 and IMG-344 where chroma is halved, at (u +
// ½)/2 where it is cosited and at u/2 where it lies at midpoints.
//
// IMG-071, IMG-335, IMG-341, IMG-345
func (e conversion) codeAxis(d int, size ir.Value, halved, linear bool) (x codeAxis) {
	s := e.farTexel(d, 8)
	if halved {
		if !e.k.Ycbcr.Midpoint[d] {
			s = e.add(s, e.double(128))
		}
		s = e.times(s, e.double(0.5))
	}
	last := e.i(ir.OpISub, size, e.int(1))
	clamp := func(i ir.Value) ir.Value { return e.i(ir.OpSMin, e.i(ir.OpSMax, i, e.int(0)), last) }
	if !linear {
		x.first = clamp(e.whole(e.down(e.times(s, e.double(1.0/256)))))
		return x
	}
	t := e.i(ir.OpISub, e.whole(s), e.int(128)) // which is even
	i := e.i(ir.OpShrS, t, e.int(8))
	x.first, x.second, x.f = clamp(i), clamp(e.sum(i, e.int(1))), e.i(ir.OpAnd, t, e.int(255))
	return x
}

// throughYcbcr is the texel of a sample through a conversion.
//
// IMG-071
func (e conversion) throughYcbcr() [4]ir.Value {
	y := &e.k.Ycbcr
	var axes [2][2]codeAxis // by chroma and dimension
	for d := range 2 {
		axes[0][d] = e.codeAxis(d, e.lv.size[d], false, y.Linear)
		axes[1][d] = e.codeAxis(d, e.param(ir.I32, wordChroma+d), y.Halved[d], y.ChromaLinear)
	}
	var codes [4]wide
	for c, f := range y.From {
		if f.Bits > 0 {
			linear := y.Linear
			if f.Chroma {
				linear = y.ChromaLinear
			}
			codes[c] = e.filteredCode(&f, &axes[btoi(f.Chroma)], linear)
		}
	}
	return e.fromCodes(&codes)
}

// filteredCode is a component's code: of one texel, or the mean of four.
func (e conversion) filteredCode(f *Code, axes *[2]codeAxis, linear bool) wide {
	plane := wordPlanes + planeWords*int(f.Plane)
	start := e.sum(e.param(ir.I32, plane), e.int(uint32(f.Byte)))
	if e.k.Layered {
		start = e.sum(start, e.mul(e.layerIndex(), e.param(ir.I32, plane+1)))
	}
	row := e.param(ir.I32, plane+2)
	load := func(i, j ir.Value) ir.Value {
		at := e.sum(e.sum(start, e.mul(j, row)), e.mul(i, e.int(uint32(f.Step))))
		w := e.word(e.i(ir.OpAnd, at, e.int(^uint32(3))))
		w = e.i(ir.OpShrU, w, e.i(ir.OpShl, at, e.int(3)))
		return e.field(w, int(f.Shift), int(f.Bits), 0)
	}
	x, y := &axes[0], &axes[1]
	if !linear {
		return e.widen(load(x.first, y.first))
	}
	mix := func(a, b, f ir.Value) ir.Value {
		return e.sum(e.mul(a, e.i(ir.OpISub, e.int(256), f)), e.mul(b, f))
	}
	top := mix(load(x.first, y.first), load(x.second, y.first), x.f)
	bottom := mix(load(x.first, y.second), load(x.second, y.second), x.f)
	return e.times(e.w(ir.WideU2D, mix(top, bottom, y.f)), e.double(1.0/(256*256)))
}

// fromCodes makes codes into a texel: swizzle (IMG-351), range (IMG-353, IMG-354) and model
// (IMG-356).
//
// IMG-352, IMG-355, IMG-357, IMG-358, IMG-359, IMG-360, IMG-361, IMG-705
func (e conversion) fromCodes(codes *[4]wide) (t [4]ir.Value) {
	y := &e.k.Ycbcr
	converts := y.Model != vk.SamplerYcbcrModelConversionRgbIdentity
	var v [4]wide
	for c, from := range y.Swizzle {
		constant := 0.0
		if from == resource.FromOne || from == 3 {
			constant = 255 // an alpha that the format may lack
		}
		bits, stored := 8, from >= 0 && y.From[from&3].Bits > 0
		if stored {
			bits = int(y.From[from].Bits)
		}
		low, half := 0.0, 0.0
		span := float64(uint32(1)<<bits - 1)
		switch {
		case !converts || c == 3:
		case y.Range != vk.SamplerYcbcrRangeItuNarrow && c != 1:
			half = float64(uint32(1)<<(bits-1)) / span
		case y.Range != vk.SamplerYcbcrRangeItuNarrow:
		case c == 1:
			low, span = math.Ldexp(16, bits-8), math.Ldexp(219, bits-8)
		default:
			low, span = math.Ldexp(128, bits-8), math.Ldexp(224, bits-8)
		}
		if !stored {
			v[c] = e.double(float64((constant-low)/span) - half)
			continue
		}
		v[c] = e.less(e.over(e.less(codes[from], e.double(low)), e.double(span)), e.double(half))
	}
	var kr, kb float64
	switch y.Model {
	case vk.SamplerYcbcrModelConversionYcbcr709:
		kr, kb = 0.2126, 0.0722
	case vk.SamplerYcbcrModelConversionYcbcr601:
		kr, kb = 0.299, 0.114
	case vk.SamplerYcbcrModelConversionYcbcr2020:
		kr, kb = 0.2627, 0.0593
	}
	if kr > 0 { // else (CR, Y′, CB) stay as they are
		cr, luma, cb := v[0], v[1], v[2]
		v[0] = e.add(luma, e.times(e.double(2*(1-kr)), cr))
		v[2] = e.add(luma, e.times(e.double(2*(1-kb)), cb))
		both := e.add(e.times(e.double(2*kb*(1-kb)), cb), e.times(e.double(2*kr*(1-kr)), cr))
		v[1] = e.less(luma, e.over(both, e.double(1-kr-kb)))
	}
	for c := range t {
		t[c] = e.single(v[c])
	}
	return t
}

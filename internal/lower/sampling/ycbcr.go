package sampling

import (
	"encoding/binary"
	"math"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/resource"
	ref "github.com/pumice-gpu/pumice/internal/sampling"
	"github.com/pumice-gpu/pumice/vk"
)

// ycbcr is what a plan adds for samples through a conversion.
// Sums of weight · code are integers, so every order gives the same; from there on
// the operations are those of package sampling, in its order.
type ycbcr struct {
	size             [2]int32 // of luma
	chroma           [2]int32
	halved, midpoint [2]bool
	linear           bool // chromaFilter
	from             [4]ycbcrComponent
	planes           [3]level
	// Components R, G, B and A after the conversion's swizzle: (x − low)/span − half
	// of the code from a place in from, or of x where that is −1.
	source          [4]int8
	x               [4]float64
	low, span, half [4]float64
	convert         bool // R, G, B = CR, Y′, CB go through the model
	r, b, gb, gr, g float64
}

// ycbcrComponent is where a component of a plane's texel lies: a byte, or bits of 16.
type ycbcrComponent struct {
	plane  int
	at     int32 // byte
	step   int32 // bytes between samples
	wide   bool
	shift  uint8
	mask   uint16
	chroma bool
	ok     bool
}

// makeYcbcr fills in p.ycbcr.
func (p *plan) makeYcbcr() {
	st, _ := ref.ResolveYcbcr(p.op, p.v, p.s)
	y, im := &p.ycbcr, p.v.Image
	*y = ycbcr{halved: st.Halved, midpoint: st.Midpoint, linear: st.ChromaLinear}
	for n := range im.Layout.Planes {
		pl := &im.Layout.Planes[n]
		l := &pl.Levels[p.v.BaseLevel]
		y.planes[n] = level{
			start: int32(pl.Offset + int64(p.v.BaseLayer)*pl.LayerPitch + l.Offset), layer: int32(pl.LayerPitch),
			pitch: [3]int32{0, int32(l.RowPitch)},
		}
		size := [2]int32{int32(l.Width), int32(l.Height)}
		if n == 0 {
			y.size = size
		}
		y.chroma = size // of the last plane
	}
	if st.Packed {
		y.chroma = [2]int32{y.size[0] / 2, y.size[1]}
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
		y.from[c] = ycbcrComponent{plane: f.Plane, at: int32(pc.Shift / 8), step: int32(pl.Bytes), mask: uint16(1<<f.Bits - 1), chroma: f.Chroma, ok: true}
		if st.Packed && !f.Chroma {
			y.from[c].step /= 2
		}
		if pc.Bits != 8 || pc.Shift%8 != 0 {
			y.from[c].wide, y.from[c].at, y.from[c].shift = true, int32(pc.Shift/16*2), uint8(pc.Shift%16)
		}
	}
	y.makeConversion(&st)
}

// makeConversion is IMG-351…356 for the numbers that lanes share.
//
// IMG-357, IMG-360
func (y *ycbcr) makeConversion(st *ref.YcbcrState) {
	conv := st.Conversion
	y.convert = conv.Model != vk.SamplerYcbcrModelConversionRgbIdentity
	for c, from := range resource.SwizzleOf(conv.Components) {
		bits := 8
		if from == resource.FromOne || from == 3 {
			y.x[c] = 255 // an alpha that the format may lack
		}
		if from < 0 || st.From[from].Bits == 0 {
			from = resource.FromZero
		} else {
			bits = st.From[from].Bits
		}
		y.source[c] = from
		largest := float64(uint32(1)<<bits - 1)
		y.span[c] = largest
		if !y.convert || c == 3 {
			continue
		}
		if conv.Range != vk.SamplerYcbcrRangeItuNarrow {
			if c != 1 {
				y.half[c] = float64(uint32(1)<<(bits-1)) / largest
			}
			continue
		}
		scale := math.Ldexp(1, bits-8)
		y.low[c], y.span[c] = float64(128*scale), float64(224*scale)
		if c == 1 {
			y.low[c], y.span[c] = float64(16*scale), float64(219*scale)
		}
	}
	var kr, kb float64
	switch conv.Model {
	case vk.SamplerYcbcrModelConversionYcbcr709:
		kr, kb = 0.2126, 0.0722
	case vk.SamplerYcbcrModelConversionYcbcr601:
		kr, kb = 0.299, 0.114
	case vk.SamplerYcbcrModelConversionYcbcr2020:
		kr, kb = 0.2627, 0.0593
	default:
		y.convert = false // (CR, Y′, CB) as they are
	}
	y.r, y.b, y.gb, y.gr, y.g = 2*(1-kr), 2*(1-kb), 2*kb*(1-kb), 2*kr*(1-kr), 1-kr-kb
}

// throughYcbcr runs a sampled instruction through a conversion.
//
// IMG-071
func (u *Unit) throughYcbcr(p *plan, a *ref.Args, n int) {
	y := &p.ycbcr
	for base := 0; base < n; base += chunk {
		b := &u.whole
		b.load(p, a, base, min(chunk, n-base), u.simd)
		if b.n == 0 {
			continue
		}
		for pass := range 2 { // luma and what has its size, then halved chroma
			chroma, size, linear := pass == 1, &y.size, p.key.Mag == vk.FilterLinear
			if chroma {
				size, linear = &y.chroma, y.linear
			}
			located := false
			for c := range y.from {
				f := &y.from[c]
				if !f.ok || f.chroma != chroma {
					continue
				}
				if !located {
					located = true
					for d := range 2 {
						u.planeAxis(p, b, d, size[d], chroma && y.halved[d], linear)
					}
				}
				u.placePlane(p, b, &y.planes[f.plane], f.at)
				u.planeCodes(&u.kept.c[c], p.v.Image.PlaneData(f.plane), &y.planes[f.plane], f, linear, b.n)
			}
		}
		u.convertYcbcr(y, b.n)
		u.store(p, a, b)
	}
}

// planeAxis finds the taps of a dimension as texel indices: IMG-480 and IMG-481, and
// IMG-343 and IMG-344 where chroma is halved, at (u + ½)/2 where it is cosited and at
// u/2 where it lies at midpoints.
//
// IMG-071, IMG-335, IMG-345
func (u *Unit) planeAxis(p *plan, b *batch, d int, size int32, halved, linear bool) {
	x, w, shift := &u.x[d], one8*float64(p.ycbcr.size[d]), 0.0
	if !p.ycbcr.midpoint[d] {
		shift = one8 / 2
	}
	offsets := b.offsets(p, d)
	done := false
	if u.simd && offsets == nil {
		// The product is exact, so one rounding remains, with or without shift.
		scale := w
		if halved {
			scale *= 0.5
			if shift != 0 {
				offsets = &u.cosited
			}
		}
		if linear {
			done = axisAVX2(x, &b.c[d], offsets, scale, -1, 0, size-1, 1, b.n)
		} else {
			done = axisNearestAVX2(x, &b.c[d], offsets, scale, -1, 0, size-1, 1, b.n)
		}
	}
	if !done {
		x.chromaTaps(p, b, d, size, w, shift, halved, linear)
	}
}

// chromaTaps is planeAxis without kernels.
//
// IMG-335, IMG-341
func (x *axis) chromaTaps(p *plan, b *batch, d int, size int32, w, shift float64, halved, linear bool) {
	c, first, second, f := b.c[d][:b.n], x.at[0][:b.n], x.at[1][:b.n], x.f[:b.n]
	for k := range c {
		o := 0.0
		if p.key.Offset {
			o = b.d[d][k&(chunk-1)]
		}
		s := float64(c[k]*w) + o
		if !(math.Abs(s) < far*one8) {
			s = slowCoord(c[k], w, o, 0, vk.SamplerAddressModeClampToEdge, size)
		}
		if halved {
			s = float64(float64(s+shift) * 0.5)
		}
		var i int32
		if linear {
			const magic = roundMagic - one8/2
			t := int32(math.Float64bits(float64(s + magic)))
			i, f[k] = t>>8, t&(one8-1)
		} else {
			i = int32(math.Floor(s / one8))
		}
		first[k], second[k] = min(max(i, 0), size-1), min(max(i+1, 0), size-1)
	}
}

// placePlane computes where each lane's layer of a plane starts.
func (u *Unit) placePlane(p *plan, b *batch, l *level, byte int32) {
	start := u.start[:b.n]
	for k := range start {
		start[k] = l.start + byte
		if p.layered {
			start[k] += b.layer[k&(chunk-1)] * l.layer
		}
	}
}

// planeCodes filters the codes of a component: four taps, whose weights are integers
// with the sum 2^16, or the nearest one.
func (u *Unit) planeCodes(dst *[chunk]float64, data []byte, l *level, f *ycbcrComponent, linear bool, n int) {
	x, y := &u.x[0], &u.x[1]
	pitch, row, shift, mask := f.step, l.pitch[1], f.shift&15, f.mask
	if !linear {
		for k := range n {
			k &= chunk - 1
			at := u.start[k] + y.at[0][k]*row + x.at[0][k]*pitch
			if f.wide {
				dst[k] = float64(binary.LittleEndian.Uint16(data[at:]) >> shift & mask)
			} else {
				dst[k] = float64(data[at])
			}
		}
		return
	}
	for k := range n {
		k &= chunk - 1
		top, bottom := u.start[k]+y.at[0][k]*row, u.start[k]+y.at[1][k]*row
		x0, x1 := x.at[0][k]*pitch, x.at[1][k]*pitch
		fx, fy := uint64(x.f[k]), uint64(y.f[k])
		var t [4]uint64
		if f.wide {
			for i, at := range [4]int32{top + x0, top + x1, bottom + x0, bottom + x1} {
				t[i] = uint64(binary.LittleEndian.Uint16(data[at:]) >> shift & mask)
			}
		} else {
			t = [4]uint64{uint64(data[top+x0]), uint64(data[top+x1]), uint64(data[bottom+x0]), uint64(data[bottom+x1])}
		}
		sum := (t[0]*(one8-fx)+t[1]*fx)*(one8-fy) + (t[2]*(one8-fx)+t[3]*fx)*fy
		dst[k] = float64(int64(sum)) * (1.0 / (one8 * one8)) // exact
	}
}

// convertYcbcr makes codes into texels: swizzle (IMG-351), range (IMG-353, IMG-354)
// and model (IMG-356).
//
// IMG-358, IMG-359, IMG-360, IMG-361, IMG-705
func (u *Unit) convertYcbcr(y *ycbcr, n int) {
	codes := &u.kept.c
	v := &u.lo.c
	for c := range v {
		to := v[c][:n]
		low, span, half := y.low[c], y.span[c], y.half[c]
		if s := y.source[c]; s >= 0 {
			from := codes[s&3][:n]
			for k := range to {
				to[k] = float64((from[k]-low)/span) - half
			}
			continue
		}
		x := float64((y.x[c]-low)/span) - half
		for k := range to {
			to[k] = x
		}
	}
	r, g, b, a := v[0][:n], v[1][:n], v[2][:n], v[3][:n]
	if y.convert {
		for k := range r {
			cr, luma, cb := r[k], g[k], b[k]
			r[k] = luma + float64(y.r*cr)
			b[k] = luma + float64(y.b*cb)
			g[k] = luma - float64((float64(y.gb*cb)+float64(y.gr*cr))/y.g)
		}
	}
	for c, from := range [4][]float64{r, g, b, a} {
		to := u.texels[c][:n]
		for k := range to {
			to[k] = visible(float32(from[k]))
		}
	}
}

// resolveYcbcr is resolve for samples through a conversion.
//
// IMG-336
func resolveYcbcr(k Key, v *resource.ImageView, st *ref.YcbcrState) (Key, ref.State, bool) {
	if v.Image.Layout.Size >= 1<<31 || !v.Info.MultiPlanar() && !plainCodes(v) {
		return Key{}, ref.State{}, false
	}
	k.Ycbcr, k.Mag, k.Min, k.OneLevel, k.Modes = true, st.Mag, st.Min, true, st.Modes
	return k, st.State, true
}

// plainCodes says that the texels of a view of one plane lie a pitch apart, and that their
// components are bytes or lie in words of 16 bits.
func plainCodes(v *resource.ImageView) bool {
	if !addressable(v) || v.Level(0, 0).ColumnSkip != 0 {
		return false
	}
	for _, c := range v.Info.Components {
		if c.Bits == 8 && c.Shift%8 == 0 {
			continue
		}
		if c.Kind != format.KindNone && (v.Info.BlockBytes%2 != 0 || c.Shift%16+c.Bits > 16) {
			return false
		}
	}
	return true
}

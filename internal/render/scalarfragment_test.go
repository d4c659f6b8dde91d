package render

import (
	"math"
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/rates"
	"github.com/pumice-gpu/pumice/vk"
)

// The scalar pass: fragments, their invocations and what those are given.

// fragment is a block of pixels with their samples before and after the operations
// so far; pixel p is that of RAS-111.
type scalarFragment struct {
	x, y        int32
	size        rates.Rate
	invocations int
	major       bool   // coverage indices go pixel by pixel from the upper left one
	own         uint64 // the samples of a pixel that an invocation shades
	full, mask  [16]uint64
}

func (f *scalarFragment) place(p int) (x, y int32) {
	return f.x + int32(p&(1<<f.size.W-1)), f.y + int32(p>>f.size.W)
}

// index is the coverage index of a sample of a pixel.
// RAS-110, RAS-169
func (f *scalarFragment) index(p, sample, samples int) int {
	if !f.major {
		p = f.size.Pixels() - 1 - p
	}
	return sample + samples*p
}

// draw finds the fragments of the shape and takes them through.
func (d *drawing) draw() {
	pass := &d.scalar.s.pass
	area := rectOf(pass.Area)
	done := map[[2]int32]bool{}
	for y := area.Y0; y < area.Y1; y++ {
		for x := area.X0; x < area.X1; x++ {
			r := d.rateAt(x, y)
			if r.none {
				continue
			}
			size := rates.Rate{W: uint8(bits.Len(uint(r.w)) - 1), H: uint8(bits.Len(uint(r.h)) - 1)}
			f := scalarFragment{own: 1<<d.samples - 1, major: d.st.RateImageEnable, invocations: r.n, x: x &^ (1<<size.W - 1), y: y &^ (1<<size.H - 1), size: size}
			if done[[2]int32{f.x, f.y}] {
				continue
			}
			done[[2]int32{f.x, f.y}] = true
			any := false
			for p := range size.Pixels() {
				px, py := f.place(p)
				if px < area.X0 || px >= area.X1 || py < area.Y0 || py >= area.Y1 || !d.windows(px, py) {
					continue
				}
				f.full[p] = d.covered(px, py)
				f.mask[p] = f.full[p] & d.st.SampleMask // RAS-309
				any = any || f.mask[p] != 0
			}
			if any {
				d.fragment(&f)
			}
		}
	}
}

// windows are discard rectangles, scissor and exclusive scissor.
// RAS-306, RAS-307, RAS-308
func (d *drawing) windows(x, y int32) bool {
	st := d.st
	in := func(r vk.Rect2D) bool {
		return x >= r.Offset.X && y >= r.Offset.Y && int64(x) < int64(r.Offset.X)+int64(r.Extent.Width) && int64(y) < int64(r.Offset.Y)+int64(r.Extent.Height)
	}
	if st.DiscardEnable && st.DiscardCount > 0 {
		any := false
		for _, r := range st.DiscardRectangles[:st.DiscardCount] {
			any = any || in(r)
		}
		if any == (st.DiscardMode == vk.DiscardRectangleModeExclusiveEXT) {
			return false
		}
	}
	return in(st.Scissors[d.viewport]) && !(st.ExclusiveEnable>>d.viewport&1 != 0 && in(st.ExclusiveScissors[d.viewport]))
}

// fragment is RAS-300 and RAS-301.
func (d *drawing) fragment(f *scalarFragment) {
	if d.spec == nil || d.spec.early {
		d.tests(f, nil)
		d.count(f)
	}
	if d.spec == nil {
		return
	}
	var parts []scalarFragment
	var outs []*shaded
	add := func(f scalarFragment, sample int) {
		if out := d.invocation(&f, sample); out != nil {
			parts, outs = append(parts, f), append(outs, out)
		}
	}
	switch {
	case d.samples == 1 && d.set.Custom && f.size == (rates.Rate{}): // RAS-118
		add(*f, 0)
	case d.sampleShading() || f.invocations > 1: // RAS-159, RAS-172, RAS-176
		n := f.invocations
		if d.sampleShading() {
			n = d.samples
			if i := d.st.SampleInvocations; i > 0 && !d.spec.sampleRate {
				n = min(n, i)
			}
		}
		d.several = n < d.samples
		for i := range n {
			one := *f
			first := -1
			for k := range d.samples {
				if k*n/d.samples != i {
					one.own &^= 1 << k
					one.mask[0] &^= 1 << k // RAS-177
					one.full[0] &^= 1 << k
				} else if first < 0 {
					first = k
				}
			}
			add(one, first)
		}
		d.several = false
	default:
		add(*f, none)
	}
	for p := range f.size.Pixels() {
		whole := uint64(0)
		for i := range parts {
			whole |= parts[i].mask[p]
		}
		for i := range parts {
			x, y := f.place(p)
			d.write(x, y, parts[i].mask[p], whole, outs[i])
		}
	}
}

// invocation shades a fragment, or one sample of it, and does what comes before
// colours are written; nil: nothing was there to be shaded.
func (d *drawing) invocation(f *scalarFragment, sample int) *shaded {
	any := uint64(0)
	for _, m := range f.mask {
		any |= m
	}
	if any == 0 {
		return nil
	}
	out := d.shade(f, sample)
	for p := range f.size.Pixels() {
		if out.demoted {
			f.mask[p] = 0 // RAS-298
		}
		if d.spec.override && f.mask[p] != 0 {
			f.mask[p] = f.own
		}
		for k := range d.samples {
			if i := f.index(p, k, d.samples); d.spec.mask && i < 64 && out.mask>>i&1 == 0 { // RAS-315
				f.mask[p] &^= 1 << k
			}
		}
	}
	float := d.spec.outputs[0] == outFloat
	if float && d.s.Square != 0 && d.st.LineMode == vk.LineRasterizationModeRectangularSmooth {
		out.color[0][3] = float32(out.color[0][3] * d.s.LineCoverage(f.x, f.y)) // RAS-316
	}
	if float && d.st.AlphaToCoverageEnable { // RAS-317
		alpha := float64(min(max(out.color[0][3], 0), 1))
		keep := uint64(1)<<int(math.Floor(alpha*float64(d.samples)+0.5)) - 1
		for p := range f.mask {
			f.mask[p] &= keep
		}
	}
	if float && d.st.AlphaToOneEnable { // RAS-318
		out.color[0][3] = 1
	}
	if !d.spec.early {
		d.tests(f, &out)
		d.count(f)
	}
	return &out
}

// count is RAS-330.
func (d *drawing) count(f *scalarFragment) {
	if d.d.Occlusion == 0 {
		return
	}
	for _, m := range f.mask {
		d.scalar.s.pass.Occlusion[d.d.Occlusion-1] += uint64(bits.OnesCount64(m))
	}
}

// centre is the centre of a fragment of the shape's quad, or of its sample.
// RAS-283
func (d *drawing) centre(x, y int32, size rates.Rate, sample int) (px, py int32) {
	if sample != none {
		at := d.set.Of(x, y)
		return x<<8 + at.X[sample], y<<8 + at.Y[sample]
	}
	return x<<8 + 128<<size.W, y<<8 + 128<<size.H
}

// centroid is RAS-284.
func (d *drawing) centroid(f *scalarFragment, sample int) (x, y int32) {
	x, y = d.centre(f.x, f.y, f.size, sample)
	one := f.size == rates.Rate{}
	if sample != none && !d.several {
		return x, y
	}
	if !d.several && one && (d.samples == 1 || d.s.Kind == raster.KindBresenham || d.s.Square != 0) || !d.several && d.s.Contains(d.extra, x, y) && d.inView(x, y) {
		return x, y
	}
	best := -1
	for p := range f.size.Pixels() {
		if f.full[p] == 0 {
			continue
		}
		k := bits.TrailingZeros64(f.full[p])
		if i := f.index(p, k, d.samples); best < 0 || i < best {
			best = i
			px, py := f.place(p)
			at := d.set.Of(px, py)
			x, y = px<<8+at.X[k], py<<8+at.Y[k]
		}
	}
	return x, y
}

// inView: a filled polygon ends at the sides of the viewport too.
func (d *drawing) inView(x, y int32) bool {
	v := d.geo.ViewRect
	return !d.filled || x >= v.X0 && x < v.X1 && y >= v.Y0 && y < v.Y1
}

// attribute is component k of the colour at a position.
// RAS-190, RAS-246, RAS-247, RAS-249, RAS-253
func (d *drawing) attribute(k int, interp ir.Interpolation, x, y int32) float32 {
	if interp == ir.Flat {
		return d.float(d.p.v[d.p.provoking], 4+k)
	}
	i, j := d.pair(interp, x, y)
	v := [3]float32{}
	for n := range v {
		v[n] = d.float(d.p.v[min(n, len(d.p.v)-1)], 4+k)
	}
	switch point := d.s.Kind == raster.KindPoint; { // RAS-190, RAS-253: the corner's, as it is
	case point && i == 1:
		return v[1]
	case point && j == 1:
		return v[2]
	case point:
		return v[0]
	}
	return float32(v[0]+float32(i*(v[1]-v[0]))) + float32(j*(v[2]-v[0]))
}

func (d *drawing) pair(interp ir.Interpolation, x, y int32) (i, j float32) {
	var a, b [1]float32
	if interp == ir.Linear {
		d.s.IJLinearAt([]int32{x}, []int32{y}, a[:], b[:])
	} else {
		d.s.IJAt([]int32{x}, []int32{y}, a[:], b[:])
	}
	return a[0], b[0]
}

package render

import (
	"fmt"
	"math"
	"math/bits"
	"sort"

	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/rates"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// Fragment density maps. The framebuffer is cut into regions, and a texel of the
// map says how large the fragments of a region are. Such a fragment has the samples
// of one pixel, stretched over all of its own; sample i of the fragment drives
// sample i of each of its pixels. So coverage and tests stay those of pixels, with
// sample locations that raster.ScaledSamples moves, and shading is that of coarse.go.

// DensityMap is a fragment density map attachment.
type DensityMap struct {
	View *resource.ImageView
	// Framebuffer is the extent that the map is stretched over.
	Framebuffer vk.Extent2D
	// Offsets move the map, by layer of the view; missing ones are 0.
	Offsets []vk.Offset2D
	// PerLayer: layer i of the framebuffer has layer i of the map.
	PerLayer bool
}

// MinDensityTexel and MaxDensityTexel are minFragmentDensityTexelSize and
// maxFragmentDensityTexelSize: the extent of a region in pixels.
const (
	MinDensityTexel = 2
	MaxDensityTexel = 32
)

// densityTexel is log2 of the extent of a region along one axis.
//
// RAS-126 fragmentdensitymap-fetch-density-value
func densityTexel(framebuffer, texels uint32) uint8 {
	size := framebuffer / max(texels, 1)
	log := bits.Len32(max(size, 1) - 1) // the exponent rounded up
	return uint8(min(max(log, bits.Len32(MinDensityTexel)-1), bits.Len32(MaxDensityTexel)-1))
}

// densityArea is the extent of fragments along one axis, as its log2, for a density. Fragments are no
// larger than their region, whose extent is 1<<region.
//
// RAS-128, RAS-129 fragmentdensitymap-conversion-to-fragment-area
func densityArea(density float32, region uint8) uint8 {
	switch {
	case !(density > 0):
		return 0 // undefined: all that is there
	case density*4 <= 1:
		return min(2, region)
	case density*2 <= 1:
		return min(1, region)
	}
	return 0
}

// densityPlan is the density map of a pass.
type densityPlan struct {
	m    *DensityMap
	w, h uint8 // log2 of the extent of a region
	// sets are the sample locations by rate.
	sets [rates.Max + 1][rates.Max + 1]*raster.SampleSet
}

// set is the locations of the samples of fragments of a rate.
func (p *densityPlan) set(r rates.Rate) *raster.SampleSet { return p.sets[r.W][r.H] }

// addDensity prepares the density map.
func (pl *passPlan) addDensity(m *DensityMap) error {
	if len(m.View.Image.Data) == 0 || m.View.Image.Samples != 1 {
		return &PassError{Draw: -1, What: fmt.Sprintf("a density map with %d samples and %d bytes", m.View.Image.Samples, len(m.View.Image.Data)),
			Rule: "VUID-VkImageCreateInfo-usage-02559", Fix: "bind an image of one sample to memory"}
	}
	l := m.View.Level(0, 0)
	p := &densityPlan{m: m, w: densityTexel(m.Framebuffer.Width, uint32(l.Width)), h: densityTexel(m.Framebuffer.Height, uint32(l.Height))}
	for w := range p.sets {
		for h := range p.sets[w] {
			p.sets[w][h] = raster.ScaledSamples(pl.Samples, 1<<w, 1<<h)
		}
	}
	pl.density, pl.Dense = p, &p.sets
	return nil
}

// densityPart is a rectangle of a tile whose fragments have one size.
type densityPart struct {
	rect raster.Rect
	rate rates.Rate
}

// layer is the layer of the map for a layer or view of the pass.
//
// RAS-127 fragmentdensitymapops
func (p *densityPlan) layer(pass *Pass, at int) int {
	if p.m.View.Layers > 1 && (pass.ViewMask != 0 || p.m.PerLayer) && at < p.m.View.Layers {
		return at
	}
	return 0
}

// at is the rate of the region with the centre (x, y).
//
// RAS-127, RAS-128, RAS-136 fragmentdensitymap-fetch-density-value
func (p *densityPlan) at(layer int, x, y int32) rates.Rate {
	if layer < len(p.m.Offsets) {
		x, y = x-p.m.Offsets[layer].X, y-p.m.Offsets[layer].Y
	}
	v := p.m.View
	l := v.Level(0, layer)
	tx := min(max(int(x>>p.w), 0), l.Width-1)
	ty := min(max(int(y>>p.h), 0), l.Height-1)
	t := v.Info.Decode(l.Data[l.Offset(tx, ty, 0, 0):])
	from := resource.SwizzleOf(v.Components)
	density := func(c int) float32 {
		if f := from[c]; f != resource.FromZero && f != resource.FromOne {
			return math.Float32frombits(t[f])
		}
		return 1 // of 0, too, the area is a pixel
	}
	return rates.Rate{W: densityArea(density(0), p.w), H: densityArea(density(1), p.h)}
}

// parts appends the parts of a tile: regions, joined where neighbours of a row have
// the same rate.
//
// RAS-130
func (p *densityPlan) parts(dst []densityPart, layer int, r raster.Rect) []densityPart {
	w, h := int32(1)<<p.w, int32(1)<<p.h
	for y := r.Y0 &^ (h - 1); y < r.Y1; y += h {
		row := len(dst)
		for x := r.X0 &^ (w - 1); x < r.X1; x += w {
			rate := p.at(layer, x+w/2, y+h/2)
			if n := len(dst); n > row && dst[n-1].rate == rate {
				dst[n-1].rect.X1 = min(x+w, r.X1)
				continue
			}
			dst = append(dst, densityPart{raster.Rect{X0: x, Y0: y, X1: x + w, Y1: y + h}.Intersect(r), rate})
		}
		if n := len(dst) - row; row >= n && sameRow(dst[row-n:row], dst[row:]) {
			for i := range n {
				dst[row-n+i].rect.Y1 = dst[row+i].rect.Y1
			}
			dst = dst[:row]
		}
	}
	return dst
}

// rowsOf is the parts of a tile whose rows a rectangle touches. Parts come row by row, and
// those of a row have the same top and bottom.
func rowsOf(parts []densityPart, r raster.Rect) []densityPart {
	from := sort.Search(len(parts), func(i int) bool { return parts[i].rect.Y1 > r.Y0 })
	n := sort.Search(len(parts)-from, func(i int) bool { return parts[from+i].rect.Y0 >= r.Y1 })
	return parts[from : from+n]
}

// sameRow says that b goes on below a with the same rates.
func sameRow(a, b []densityPart) bool {
	for i := range a {
		if a[i].rate != b[i].rate || a[i].rect.X0 != b[i].rect.X0 || a[i].rect.X1 != b[i].rect.X1 {
			return false
		}
	}
	return true
}

// addDense makes all fragments of a draw those of the density map.
func (s *drawState) addDense(pl *passPlan) {
	s.setCoarse(pl, true, false)
	// RAS-120: every fragment's samples may be far from the pixel.
	for i := range s.Raster {
		s.Raster[i].Locations = pl.density.set(rates.Rate{W: rates.Max, H: rates.Max})
	}
}

// bounds is the pixels outside of which a set-up draws nothing. In conservative modes
// it draws whole fragments of a density map.
func (pl *passPlan) bounds(s *raster.Setup) raster.Rect {
	b := s.Bounds
	if pl.density == nil || !s.Square.Conservative() {
		return b
	}
	const m = 1<<rates.Max - 1
	return raster.Rect{X0: b.X0 &^ m, Y0: b.Y0 &^ m, X1: (b.X1 + m) &^ m, Y1: (b.Y1 + m) &^ m}
}

// A stretch is pixels along one axis, with fragments of extent 1<<log.
type stretch struct {
	from, to int32
	log      uint8
}

// cut appends the stretches that the edges of a viewport, in subpixels and in order, make of one: where they would cut
// a fragment, there are smaller ones that none of them cuts.
func (s stretch) cut(dst []stretch, edges [2]int32) []stretch {
	const pixel = 8 // log2 of raster.Subpixels
	for i, edge := range edges {
		if edge&(1<<(s.log+pixel)-1) == 0 {
			continue
		}
		first, log := edge>>(s.log+pixel)<<s.log, bits.TrailingZeros32(uint32(edge))
		if other := edges[1-i]; other>>(s.log+pixel)<<s.log == first {
			log = min(log, bits.TrailingZeros32(uint32(other)))
		}
		strip := stretch{max(first, s.from), min(first+1<<s.log, s.to), uint8(max(log-pixel, 0))}
		if strip.from < strip.to {
			dst = append(dst, stretch{s.from, strip.from, s.log}, strip)
			s.from = strip.to
		}
	}
	return append(dst, s)
}

// split appends the parts that a viewport makes of one, so that what fills a viewport covers all of its pixels: the
// sample of a fragment that is cut may lie beyond the edge.
//
// RAS-129 fragmentdensitymap-fragment-area-clamp
func (part densityPart) split(dst []densityPart, view raster.Rect) []densityPart {
	var columns, rows [5]stretch
	r := part.rect
	across := stretch{r.X0, r.X1, part.rate.W}.cut(columns[:0], [2]int32{view.X0, view.X1})
	down := stretch{r.Y0, r.Y1, part.rate.H}.cut(rows[:0], [2]int32{view.Y0, view.Y1})
	for _, x := range across {
		for _, y := range down {
			dst = append(dst, densityPart{raster.Rect{X0: x.from, Y0: y.from, X1: x.to, Y1: y.to}, rates.Rate{W: x.log, H: y.log}})
		}
	}
	return dst
}

// drawDense is drawSetup in each part of the tile.
func (w *worker) drawDense(c *chunk, s *raster.Setup) error {
	rec := &c.Recs[s.Prim]
	view := c.draw.state.Raster[rec.Viewport].ViewRect
	r := w.tile.Rect.Intersect(w.plan.scissors[rec.Scissor]).Intersect(w.plan.bounds(s))
	if r.Empty() {
		return nil
	}
	w.split = w.split[:0]
	for _, part := range rowsOf(w.parts, r) {
		if part.rect.X0 < r.X1 && part.rect.X1 > r.X0 {
			w.split = part.split(w.split, view)
		}
	}
	for i := range w.split {
		part := &w.split[i]
		if in := r.Intersect(part.rect); !in.Empty() {
			w.coverPart(c, s, in, part.rate)
			if err := w.drawPart(c, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// coverPart makes w.found what a set-up covers of a rectangle whose fragments have a size.
// Conservative modes treat a fragment as a whole: it is overestimated where one of its pixels is, and
// underestimated where all are.
//
// RAS-134, RAS-278 primsrast-conservativeraster
func (w *worker) coverPart(c *chunk, s *raster.Setup, in raster.Rect, size rates.Rate) {
	b, all := &w.found, in
	w.frags.Size, w.tile.Size = size, int(3*size.W+size.H)
	whole := s.Square.Conservative() && size != (rates.Rate{})
	if whole { // whatever limits the pixels that are drawn
		x, y := int32(1)<<size.W-1, int32(1)<<size.H-1
		all = raster.Rect{X0: in.X0 &^ x, Y0: in.Y0 &^ y, X1: (in.X1 + x) &^ x, Y1: (in.Y1 + y) &^ y}
	}
	if s.FindCut(b, c.Extra, all, w.plan.density.set(size)) {
		b.AddAll(all)
	}
	if !whole {
		return
	}
	n := 0
	for k := range b.Blocks {
		o := &b.Blocks[k]
		m := size.Whole(b.Pixels(k), s.Square.Under()) & raster.PixelsIn(in, o.X, o.Y)
		if m == 0 {
			continue
		}
		for i := range b.Words(k) {
			b.Words(k)[i] = m
		}
		o.Whole = m == ^uint64(0)
		b.Move(n, k)
		n++
	}
	b.All = false
	b.Cut(n)
}

// drawApart is drawSetup for fragments that see what fragments before them have stored.
func (w *worker) drawApart(c *chunk, s *raster.Setup) error {
	st := c.draw.state
	r := w.tile.Rect.Intersect(w.plan.scissors[c.Recs[s.Prim].Scissor]).Intersect(s.Bounds)
	if r.Empty() {
		return nil
	}
	if s.FindCut(&w.found, c.Extra, r, st.Locations) {
		w.found.AddAll(r)
	}
	return w.drawPart(c, s)
}

// drawPart draws what w.found has of a set-up, with nothing left to wait that stores depths.
//
// RAS-301, RAS-309, RAS-330
func (w *worker) drawPart(c *chunk, s *raster.Setup) error {
	st, b := c.draw.state, &w.found
	viewport := c.Recs[s.Prim].Viewport
	w.tile.SettleAll()
	w.cut(c, s)
	if tests := &st.Before[viewport]; tests.Active() {
		e := st.early(c, s, tests, &st.After[viewport])
		e.Asked = true
		return w.x.during(nil, w.tile.TestAll(b, s, &e))
	}
	for k := range b.Blocks {
		o := &b.Blocks[k]
		if err := w.passed(c, s, o.X, o.Y, o.Whole, b.Words(k)); err != nil {
			return err
		}
	}
	return nil
}

package render

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/vertexpost"
	"github.com/pumice-gpu/pumice/vk"
)

// The other side of the test of random pipelines: a pass drawn sample by sample, in
// the order of the specification, with no tiles, batches, early-outs or loops for
// common state. Set-up of a primitive and the value of a plane at one position are
// package raster's, which the exact oracles hold; all else is written here again
// from the catalogue.

// scalar draws the passes of a scene.
type scalar struct {
	s       *scene
	shaders map[*Pipeline]*shaderSpec
	samples int
	view    int // of the multiview pass
	// The draw, and what follows from it.
	d    *Draw
	st   *DynamicState
	spec *shaderSpec // nil: no fragment shader
	set  *raster.SampleSet
	post []vertexpost.Config
	geo  []raster.State
}

// scalarPrim is a primitive: positions of its vertices, as RAS-046 orders them, and
// which of them is provoking.
type scalarPrim struct {
	v         []int
	provoking int
	id        uint32
	start     bool // of a strip, or of anything in a list
}

// tableRow gives vertex numbers and the positions of the provoking vertices of
// primitive i of a run of n vertices; nil: there is no such primitive.
// RAS-046, RAS-049
func tableRow(t vk.PrimitiveTopology, i, n int) (v []int, first, last int) {
	odd := i%2 == 1
	count := 0
	switch t {
	case vk.PrimitiveTopologyPointList:
		v, count = []int{i}, n
	case vk.PrimitiveTopologyLineList:
		v, last, count = []int{2 * i, 2*i + 1}, 1, n/2
	case vk.PrimitiveTopologyLineStrip:
		v, last, count = []int{i, i + 1}, 1, n-1
	case vk.PrimitiveTopologyTriangleList:
		v, last, count = []int{3 * i, 3*i + 1, 3*i + 2}, 2, n/3
	case vk.PrimitiveTopologyTriangleStrip:
		v, last, count = []int{i, i + 1, i + 2}, 2, n-2
		if odd {
			v, last = []int{i, i + 2, i + 1}, 1
		}
	case vk.PrimitiveTopologyTriangleFan:
		v, last, count = []int{i + 1, i + 2, 0}, 1, n-2
	case vk.PrimitiveTopologyLineListWithAdjacency:
		v, last, count = []int{4*i + 1, 4*i + 2}, 1, n/4
	case vk.PrimitiveTopologyLineStripWithAdjacency:
		v, last, count = []int{i + 1, i + 2}, 1, n-3
	case vk.PrimitiveTopologyTriangleListWithAdjacency:
		v, last, count = []int{6 * i, 6*i + 2, 6*i + 4}, 2, n/6
	case vk.PrimitiveTopologyTriangleStripWithAdjacency:
		v, last, count = []int{2 * i, 2*i + 2, 2*i + 4}, 2, (n-4)/2
		if n < 4 {
			count = 0
		}
		if odd {
			v, last = []int{2 * i, 2*i + 4, 2*i + 2}, 1
		}
	}
	if i >= count {
		return nil, 0, 0
	}
	return v, 0, last
}

// primitives assembles an instance of the draw.
// RAS-053, RAS-054, RAS-055, RAS-056
func (r *scalar) primitives() (list []scalarPrim) {
	var runs [][]int
	run := []int{}
	if x := r.d.Index; x == nil {
		for i := range r.d.Count {
			run = append(run, int(r.d.First+i))
		}
	} else {
		for i := range r.d.Count {
			at := int(r.d.First + i)
			var v, restart uint32
			switch x.Type {
			case vk.IndexTypeUint8:
				v, restart = uint32(x.Data[at]), 0xff
			case vk.IndexTypeUint16:
				v, restart = uint32(binary.LittleEndian.Uint16(x.Data[2*at:])), 0xffff
			default:
				v, restart = binary.LittleEndian.Uint32(x.Data[4*at:]), 0xffffffff
			}
			if r.st.PrimitiveRestart && v == restart {
				runs, run = append(runs, run), nil
				continue
			}
			run = append(run, int(v)+int(r.d.VertexOffset))
		}
	}
	strip := r.st.Topology == vk.PrimitiveTopologyLineStrip || r.st.Topology == vk.PrimitiveTopologyLineStripWithAdjacency
	for _, run := range append(runs, run) {
		for i := 0; ; i++ {
			row, first, last := tableRow(r.st.Topology, i, len(run))
			if row == nil {
				break
			}
			p := scalarPrim{id: uint32(len(list)), provoking: first, start: !strip || i == 0}
			if r.last() {
				p.provoking = last
			}
			for _, k := range row {
				p.v = append(p.v, run[k])
			}
			list = append(list, p)
		}
	}
	return list
}

func (r *scalar) last() bool {
	return r.st.ProvokingVertexMode == vk.ProvokingVertexModeLastVertexEXT
}

// word is a word of a vertex: 4 of the position, 4 of the colour, size, two clip
// distances, a cull distance, layer, viewport, shading rate.
func (r *scalar) word(vertex, k int) uint32 {
	return binary.LittleEndian.Uint32(r.d.VertexBuffers[0].Data[4*(16*vertex+k):])
}

func (r *scalar) float(vertex, k int) float32 { return math.Float32frombits(r.word(vertex, k)) }

// run draws the pass on the scene's images.
func (r *scalar) run() {
	p := &r.s.pass
	r.samples = r.s.samples
	layers := max(p.Layers, 1)
	if p.ViewMask != 0 {
		layers = bits.Len32(p.ViewMask)
	}
	for layer := range layers {
		if p.ViewMask == 0 || p.ViewMask>>layer&1 != 0 {
			r.load(layer)
		}
	}
	for i := range p.Draws {
		r.d = &p.Draws[i]
		if r.d.Clear != nil {
			r.clear(r.d.Clear, layers)
			continue
		}
		if p.ViewMask == 0 {
			r.draw()
			continue
		}
		for r.view = range layers { // RAS-072
			if p.ViewMask>>r.view&1 != 0 {
				r.draw()
			}
		}
		r.view = 0
	}
	for layer := range layers {
		if p.ViewMask == 0 || p.ViewMask>>layer&1 != 0 {
			r.resolve(layer)
		}
	}
}

// draw draws one view of a draw.
func (r *scalar) draw() {
	r.st, r.spec = r.d.State, r.shaders[r.d.Pipeline]
	if r.st.RasterizerDiscard {
		return
	}
	r.set = raster.Samples(r.samples)
	if r.st.SampleLocationsEnable && r.st.SampleLocations != nil {
		r.set = r.st.SampleLocations
	}
	r.geometry()
	prims := r.primitives()
	for range r.d.Instances {
		phase := int32(0)
		for i := range prims {
			r.primitive(&prims[i], &phase)
		}
	}
}

// geometry makes the state of each viewport.
func (r *scalar) geometry() {
	d := r.st
	r.post, r.geo = nil, nil
	for i := range d.ViewportCount {
		vp := vertexpost.MakeViewport(d.Viewports[i], d.DepthNegativeOneToOne)
		if d.WScalingEnable {
			const far = raster.GuardBand * raster.Subpixels
			vp.Rect = raster.Rect{X0: -far, Y0: -far, X1: far, Y1: far}
		}
		c := vertexpost.Config{
			Viewport: vp, DepthClip: d.DepthClipEnable, NegativeOneToOne: d.DepthNegativeOneToOne, ClipDistances: 2, CullDistances: 1,
			Outline:   d.PolygonMode == vk.PolygonModeLine || d.PolygonMode == vk.PolygonModePoint,
			Rectangle: d.PolygonMode == vk.PolygonModeFillRectangleNV,
			Swizzled:  true, Swizzle: d.ViewportSwizzle[i],
			WScale: d.WScalingEnable, ScaleX: float64(d.WScaling[i].Xcoeff), ScaleY: float64(d.WScaling[i].Ycoeff),
		}
		g := raster.State{
			Samples: r.samples, Locations: r.set, CullMode: d.CullMode, FrontFace: d.FrontFace, PolygonMode: d.PolygonMode, LineWidth: d.LineWidth, LineMode: d.LineMode,
			Conservative: d.ConservativeMode, ExtraSize: d.ExtraOverestimation, ProvokingLast: r.last(), ViewRect: vp.Rect,
			DepthBias: raster.DepthBias{Enable: d.DepthBiasEnable, Constant: d.DepthBiasConstant, Slope: d.DepthBiasSlope, Clamp: d.DepthBiasClamp, Unit: r.biasUnit()},
		}
		if d.LineStippleEnable {
			g.Stipple = raster.Stipple{Factor: int32(d.LineStippleFactor), Pattern: d.LineStipplePattern}
		}
		r.post, r.geo = append(r.post, c), append(r.geo, g)
	}
}

// biasUnit is r of depth bias.
// RAS-259 – RAS-263
func (r *scalar) biasUnit() raster.BiasUnit {
	n := r.depthBits()
	switch {
	case n == 0:
		return raster.BiasNone
	case r.st.DepthBiasUnit == vk.DepthBiasRepresentationFloatEXT:
		return raster.BiasOne
	case n == 32 && r.st.DepthBiasUnit == vk.DepthBiasRepresentationLeastRepresentableValueFormatEXT:
		return raster.BiasFloat32
	case n == 16 && r.st.DepthBiasExact:
		return raster.BiasExact16
	case n == 16:
		return raster.BiasUnorm16
	case r.st.DepthBiasExact:
		return raster.BiasExact24
	}
	return raster.BiasUnorm24
}

// primitive clips a primitive, sets it up and draws the pieces. phase is that of
// the stipple pattern.
func (r *scalar) primitive(p *scalarPrim, phase *int32) {
	from := p.v[p.provoking]
	layer, viewport := int(r.word(from, 12)), int(r.word(from, 13))
	if !r.s.layered {
		layer, viewport = 0, 0
	}
	if r.s.pass.ViewMask != 0 {
		layer = r.view
	}
	if layer >= max(r.s.pass.Layers, 1) && r.s.pass.ViewMask == 0 || viewport >= len(r.post) { // RAS-070, RAS-071
		return
	}
	post, geo := &r.post[viewport], &r.geo[viewport]
	var v [3]raster.Vertex
	for k, at := range p.v {
		v[k] = raster.Vertex{Size: r.float(at, 8)}
		for c := range 4 {
			v[k].Pos[c] = r.float(at, c)
		}
		for c := range 3 {
			v[k].Dist[c] = r.float(at, 9+c)
		}
	}
	post.Project(v[:len(p.v)])
	var setups []raster.Setup
	var extra []raster.HalfPlane
	poly := &raster.Polygon{}
	switch len(p.v) {
	case 3:
		poly.Provoking = uint8(p.provoking)
		if post.Triangle(poly, &v[0], &v[1], &v[2]) {
			setups, extra = raster.AppendPolygon(nil, nil, poly, geo, 0)
		}
	case 2:
		segment := &raster.Segment{}
		if geo.Stipple.Factor != 0 {
			if p.start {
				*phase = 0
			}
			segment.Phase = *phase
			if (v[0].Out|v[1].Out)&(raster.OutW|raster.OutGuard|raster.OutInvalid) == 0 {
				*phase = (*phase + geo.Advance(v[0].X, v[0].Y, v[1].X, v[1].Y)) % geo.Stipple.Period()
			}
		}
		if post.Line(segment, &v[0], &v[1]) {
			setups, extra = raster.AppendSegment(nil, nil, segment, geo, 0)
		}
	default:
		point := &raster.Point{}
		if post.Point(point, &v[0]) {
			setups, extra = raster.AppendPoint(nil, nil, point, geo, 0)
		}
	}
	for i := range setups {
		d := drawing{scalar: r, p: p, s: &setups[i], extra: extra, layer: layer, viewport: viewport, geo: geo}
		// What comes of a triangle without clipping is tested by its corners.
		if len(p.v) == 3 && poly.N == 3 && poly.Cuts == 0 && geo.PolygonMode == vk.PolygonModeFill {
			d.corners = poly.C[:3]
		}
		d.filled = len(p.v) == 3 && (geo.PolygonMode == vk.PolygonModeFill || geo.PolygonMode == vk.PolygonModeFillRectangleNV)
		d.rate = r.word(from, 14)
		d.draw()
	}
}

// drawing is one shape of a primitive on its way to the attachments.
type drawing struct {
	*scalar
	p               *scalarPrim
	s               *raster.Setup
	extra           []raster.HalfPlane
	corners         []raster.Corner // of a whole triangle
	filled          bool
	layer, viewport int
	geo             *raster.State
	rate            uint32 // of the primitive
	several         bool   // an invocation has several samples of a pixel, but not all
	bresenham       map[[2]int64]bool
}

// covered is the samples of a pixel that the shape covers.
func (d *drawing) covered(x, y int32) (mask uint32) {
	if d.s.Square != 0 { // decided by squares: the oracles of package raster hold Cover
		var q [1]raster.Quad
		if d.s.Cover(q[:], d.extra, raster.Rect{X0: x, Y0: y, X1: x + 1, Y1: y + 1}, d.set) == 0 {
			return 0
		}
		return uint32(q[0].Mask >> (16 * (y&1*2 + x&1)) & 0xffff)
	}
	if d.s.Kind == raster.KindBresenham {
		if d.bresenham == nil {
			d.walk()
		}
		if d.bresenham[[2]int64{int64(x), int64(y)}] {
			return 1<<d.samples - 1 // RAS-219
		}
		return 0
	}
	at := d.set.Of(x, y)
	for k := range d.samples {
		sx, sy := x<<8+at.X[k], y<<8+at.Y[k]
		in := false
		if d.corners != nil {
			in = triangleCovers(d.corners, int64(sx), int64(sy))
		} else {
			in = d.s.Contains(d.extra, sx, sy)
		}
		if v := d.geo.ViewRect; d.filled && (sx < v.X0 || sx >= v.X1 || sy < v.Y0 || sy >= v.Y1) {
			in = false // RAS-080
		}
		if in && d.s.Kind == raster.KindLine && d.s.Stipple.Factor != 0 {
			dx, dy := float64(d.s.Q[0]-d.s.P[0]), float64(d.s.Q[1]-d.s.P[1])
			along := (float64(sx-d.s.P[0])*dx + float64(sy-d.s.P[1])*dy) / math.Sqrt(dx*dx+dy*dy) / 256
			in = d.keeps(int64(math.Floor(float64(d.s.Phase)/raster.StippleUnits + along)))
		}
		if in {
			mask |= 1 << k
		}
	}
	return mask
}

// keeps is RAS-221.
func (d *drawing) keeps(counter int64) bool {
	b := (counter/int64(d.s.Stipple.Factor)%16 + 16) % 16
	return d.s.Stipple.Pattern>>b&1 != 0
}

// triangleCovers is RAS-239 as the catalogue has it.
func triangleCovers(c []raster.Corner, x, y int64) bool {
	edge := func(a, b *raster.Corner, x, y int64) int64 {
		return (int64(b.X)-int64(a.X))*(y-int64(a.Y)) - (int64(b.Y)-int64(a.Y))*(x-int64(a.X))
	}
	area := edge(&c[0], &c[1], int64(c[2].X), int64(c[2].Y))
	for i := range c {
		a, b := &c[i], &c[(i+1)%3]
		e, nx, ny := edge(a, b, x, y), a.Y-b.Y, b.X-a.X
		if area < 0 {
			e, nx, ny = -e, -nx, -ny
		}
		if e < 0 || e == 0 && !(nx > 0 || nx == 0 && ny > 0) {
			return false
		}
	}
	return area != 0
}

// walk finds the pixels of a Bresenham line: the closed form of RAS-213, in the
// order of RAS-215, with the pattern, the window of clipping and the runs of wide
// lines.
func (d *drawing) walk() {
	d.bresenham = map[[2]int64]bool{}
	a, b := [2]int64{int64(d.s.P[0]), int64(d.s.P[1])}, [2]int64{int64(d.s.Q[0]), int64(d.s.Q[1])}
	width := int64(d.s.Point[2])
	major := 0
	if abs(b[1]-a[1]) > abs(b[0]-a[0]) {
		major = 1
	}
	minor := 1 - major
	shift := (width - 1) * 128
	a[minor], b[minor] = a[minor]-shift, b[minor]-shift
	d0, d1 := b[major]-a[major], b[minor]-a[minor]
	pixels := map[int64]int64{} // minor by major
	for j := floorDiv(min(a[major], b[major])-128, 256); j <= floorDiv(max(a[major], b[major]), 256); j++ {
		c := j*256 + 128
		if c < min(a[major], b[major]) || c >= max(a[major], b[major]) {
			continue
		}
		num, den := a[minor]*d0+d1*(c-a[major]), 256*d0
		if den < 0 {
			num, den = -num, -den
		}
		i := floorDiv(num, den)
		if i*den == num && !(major == 0 && d1 != 0 && d1 > 0 == (d0 > 0)) {
			i--
		}
		pixels[j] = i
	}
	if p, ok := diamondAt(a); ok {
		pixels[p[major]] = p[minor]
	}
	if p, ok := diamondAt(b); ok && pixels[p[major]] == p[minor] {
		delete(pixels, p[major])
	}
	var order []int64
	for j := range pixels {
		order = append(order, j)
	}
	slices.Sort(order)
	if d0 < 0 {
		slices.Reverse(order)
	}
	for n, j := range order {
		i := pixels[j]
		at := [2]int32{}
		at[major], at[minor] = int32(j*256+128), int32(i*256+128+shift)
		if !d.s.Contains(d.extra, at[0], at[1]) { // RAS-220
			continue
		}
		if d.s.Stipple.Factor != 0 && !d.keeps(int64(d.s.Phase/raster.StippleUnits)+int64(n)) { // RAS-222
			continue
		}
		for k := range width { // RAS-217
			var pixel [2]int64
			pixel[major], pixel[minor] = j, i+k
			d.bresenham[pixel] = true
		}
	}
}

func abs(x int64) int64 { return max(x, -x) }

func floorDiv(n, d int64) int64 {
	q := n / d
	if n%d < 0 {
		q--
	}
	return q
}

// diamondAt is the pixel whose diamond holds p.
// RAS-212
func diamondAt(p [2]int64) (pixel [2]int64, ok bool) {
	c, r := floorDiv(p[0], 256), floorDiv(p[1], 256)
	for x := c - 1; x <= c; x++ {
		dx, dy := p[0]-(x*256+128), p[1]-(r*256+128)
		if m := abs(dx) + abs(dy); m < 128 || m == 128 && dx > 0 {
			return [2]int64{x, r}, true
		}
	}
	return pixel, false
}

// sampleShading: one invocation a sample.
// RAS-174
func (r *scalar) sampleShading() bool {
	return r.spec != nil && r.samples > 1 && (r.spec.sampleRate || r.st.SampleShadingEnable)
}

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
	rate, primitive, texel := shadingRate{1 << p.W, 1 << p.H, 1 << p.Invocations, p.None}, one, one
	if d.scene().rates {
		primitive = shadingOf(d.rate, st.RateEnums)
	}
	if a := d.scene().pass.Rate; a != nil {
		l := a.View.Level(0, 0)
		texel = shadingOf(uint32(l.Data[l.Offset(int(x)/int(a.Texel.Width), int(y)/int(a.Texel.Height), 0, 0)]), st.RateEnums)
	}
	r := scalarCombine(st.RateCombiners[1], scalarCombine(st.RateCombiners[0], rate, primitive), texel)
	if d.spec == nil && !r.none {
		return one
	}
	r.n = min(r.n, d.samples)
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
	r.n = min(r.n, d.samples)
	return r
}

// scene is the scene (s is the set-up here).
func (d *drawing) scene() *scene { return d.scalar.s }

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

// fragment is a block of pixels with their samples before and after the operations
// so far; pixel p is that of RAS-111.
type fragment struct {
	x, y        int32
	size        rate
	invocations int
	major       bool   // coverage indices go pixel by pixel from the upper left one
	own         uint32 // the samples of a pixel that an invocation shades
	full, mask  [16]uint32
}

func (f *fragment) place(p int) (x, y int32) {
	return f.x + int32(p&(1<<f.size.w-1)), f.y + int32(p>>f.size.w)
}

// index is the coverage index of a sample of a pixel.
// RAS-110, RAS-169
func (f *fragment) index(p, sample, samples int) int {
	if !f.major {
		p = f.size.pixels() - 1 - p
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
			size := rate{uint8(bits.Len(uint(r.w)) - 1), uint8(bits.Len(uint(r.h)) - 1)}
			f := fragment{own: 1<<d.samples - 1, major: d.st.RateImageEnable, invocations: r.n, x: x &^ (1<<size.w - 1), y: y &^ (1<<size.h - 1), size: size}
			if done[[2]int32{f.x, f.y}] {
				continue
			}
			done[[2]int32{f.x, f.y}] = true
			any := false
			for p := range size.pixels() {
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
func (d *drawing) fragment(f *fragment) {
	if d.spec == nil || d.spec.early {
		d.tests(f, nil)
		d.count(f)
	}
	if d.spec == nil {
		return
	}
	var parts []fragment
	var outs []*shaded
	add := func(f fragment, sample int) {
		if out := d.invocation(&f, sample); out != nil {
			parts, outs = append(parts, f), append(outs, out)
		}
	}
	switch {
	case d.samples == 1 && d.set.Custom && f.size == (rate{}): // RAS-118
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
	for p := range f.size.pixels() {
		whole := uint32(0)
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
func (d *drawing) invocation(f *fragment, sample int) *shaded {
	any := uint32(0)
	for _, m := range f.mask {
		any |= m
	}
	if any == 0 {
		return nil
	}
	out := d.shade(f, sample)
	for p := range f.size.pixels() {
		if out.demoted {
			f.mask[p] = 0 // RAS-298
		}
		if d.spec.override && f.mask[p] != 0 {
			f.mask[p] = f.own
		}
		for k := range d.samples {
			if i := f.index(p, k, d.samples); d.spec.mask && i < 32 && out.mask>>i&1 == 0 { // RAS-315
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
		keep := uint32(1)<<int(math.Floor(alpha*float64(d.samples)+0.5)) - 1
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
func (d *drawing) count(f *fragment) {
	if d.d.Occlusion == 0 {
		return
	}
	for _, m := range f.mask {
		d.scalar.s.pass.Occlusion[d.d.Occlusion-1] += uint64(bits.OnesCount32(m))
	}
}

// centre is the centre of a fragment of the shape's quad, or of its sample.
// RAS-283
func (d *drawing) centre(x, y int32, size rate, sample int) (px, py int32) {
	if sample != none {
		at := d.set.Of(x, y)
		return x<<8 + at.X[sample], y<<8 + at.Y[sample]
	}
	return x<<8 + 128<<size.w, y<<8 + 128<<size.h
}

// centroid is RAS-284.
func (d *drawing) centroid(f *fragment, sample int) (x, y int32) {
	x, y = d.centre(f.x, f.y, f.size, sample)
	one := f.size == rate{}
	if sample != none && !d.several {
		return x, y
	}
	if !d.several && one && (d.samples == 1 || d.s.Kind == raster.KindBresenham || d.s.Square != 0) || !d.several && d.s.Contains(d.extra, x, y) && d.inView(x, y) {
		return x, y
	}
	best := -1
	for p := range f.size.pixels() {
		if f.full[p] == 0 {
			continue
		}
		k := bits.TrailingZeros32(f.full[p])
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
// RAS-246, RAS-247, RAS-249
func (d *drawing) attribute(k int, interp ir.Interpolation, x, y int32) float32 {
	if interp == ir.Flat {
		return d.float(d.p.v[d.p.provoking], 4+k)
	}
	i, j := d.pair(interp, x, y)
	v := [3]float32{}
	for n := range v {
		v[n] = d.float(d.p.v[min(n, len(d.p.v)-1)], 4+k)
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

package watch

import (
	"fmt"
	"math"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/vk"
)

// Would are the samples of a pixel that a primitive covers as it is, but for stipple, and without one
// more of the things that limit it.
type Would struct {
	Whole  uint64 // nothing else left out
	Depth  uint64 // near and far planes
	User   uint64 // clip distances
	Side   uint64 // sides of the viewport; of lines, all planes
	Filled uint64 // polygon modes LINE and POINT
	Exact  uint64 // conservative rasterization
	Slim   uint64 // the extra size of overestimation
	// Depth bias of the polygon, its slope and unit.
	Bias, Slope, Unit float64
}

// Everywhere is a viewport that nothing leaves, subpixels.
var Everywhere = raster.Rect{
	X0: -raster.GuardBand << raster.SubpixelBits, Y0: -raster.GuardBand << raster.SubpixelBits,
	X1: raster.GuardBand << raster.SubpixelBits, Y1: raster.GuardBand << raster.SubpixelBits,
}

// TellUncovered tells why a primitive does not cover the sample, but those of the mask.
func TellUncovered(
	f *explain.Fragment, st *raster.State, d *Would, mask uint64, v *Watch, sample, samples int,
) {
	bit, n := uint64(1)<<sample, len(f.Primitive.Vertices)
	plane := func(rule string) string {
		if n == 2 {
			return "RAS-086"
		}
		return rule
	}
	under := st.Conservative == vk.ConservativeRasterizationModeUnderestimateEXT
	switch {
	case d.Whole&bit != 0 && n != 1 && st.Stipple.Factor != 0:
		Miss(f, "RAS-221", "the stipple pattern 0x%04x, factor %d, leaves it out", st.Stipple.Pattern, st.Stipple.Factor)
		return
	case d.Whole&bit == 0 && under && d.Exact&bit != 0:
		Miss(f, "RAS-275", "underestimated: the pixel's square is not wholly inside")
		return
	case d.Whole&bit != 0: // something that this account knows nothing of
	case d.Depth&bit != 0:
		Miss(f, plane("RAS-079"), "the sample is beyond the near or far plane")
		return
	case d.User&bit != 0:
		Miss(f, plane("RAS-077"), "the sample is beyond a clip plane of the shader's ClipDistance")
		return
	case d.Side&bit != 0 && n == 2:
		Miss(f, "RAS-086", "the line is cut off before it comes to the pixel")
		return
	case d.Side&bit != 0 && n == 3:
		Miss(f, "RAS-080", "the sample is outside of the viewport")
		return
	case d.Filled&bit != 0 && st.PolygonMode == vk.PolygonModeLine:
		Miss(f, "RAS-251", "inside of the triangle, of which polygonMode LINE draws the sides alone")
		return
	case d.Filled&bit != 0 && st.PolygonMode == vk.PolygonModePoint:
		Miss(f, "RAS-252", "inside of the triangle, of which polygonMode POINT draws the corners alone")
		return
	}
	rule, why := outsideRule(f, st, v)
	if mask = mask & (1<<samples - 1) &^ bit; mask == 0 {
		Miss(f, rule, "%s", why)
		return
	}
	Miss(f, rule, "it covers %s of the pixel, not sample %d", SamplesText(mask, samples), sample)
}

// outsideRule is the rule of a shape that a sample is outside of, and what it says of a pixel none of
// whose samples is inside.
func outsideRule(f *explain.Fragment, st *raster.State, v *Watch) (rule, why string) {
	switch n := len(f.Primitive.Vertices); {
	case st.Conservative == vk.ConservativeRasterizationModeUnderestimateEXT:
		return "RAS-275", "the pixel's square is not wholly inside"
	case n == 1 || n == 3 && st.PolygonMode == vk.PolygonModePoint:
		if st.Conservative != 0 {
			return "RAS-274", "the point's square does not touch the pixel's"
		}
		return "RAS-189", "no sample of the pixel lies in the point's square"
	case n == 2 || n == 3 && st.PolygonMode == vk.PolygonModeLine:
		return outsideLine(f, st, v)
	case st.PolygonMode == vk.PolygonModeFillRectangleNV:
		return "RAS-254", "no sample of the pixel lies in the triangle's bounding box"
	case st.Conservative != 0:
		return "RAS-270", "the triangle does not touch the pixel's square"
	case onlyTies(f.Coverage):
		return "RAS-239", "the sample is on an edge that belongs to what lies on its other side"
	}
	return "RAS-238", "it touches the pixel, but covers none of its samples"
}

// onlyTies says that a sample is outside of no edge but those that it lies on.
func onlyTies(c *explain.Coverage) bool {
	if c == nil {
		return false
	}
	ties := false
	for _, e := range c.Edges {
		if e.Inside {
			continue
		}
		if e.Value != 0 {
			return false
		}
		ties = true
	}
	return ties
}

// outsideLine is outsideRule for lines, and for sides of triangles.
func outsideLine(f *explain.Fragment, st *raster.State, v *Watch) (rule, why string) {
	what := "line"
	if len(f.Primitive.Vertices) == 3 {
		what = "sides"
	}
	smooth := st.LineMode == vk.LineRasterizationModeRectangularSmooth
	switch a, b, ok := endsOf(f); {
	case what == "line" && ok && a == b && st.Conservative == 0:
		return "RAS-197", "the line has no length"
	case st.Conservative != 0:
		return "RAS-272", "the rectangle of the " + what + " does not touch the pixel's square"
	case st.Bresenham() && what == "line" && ok:
		return outsideDiamond(raster.DiamondAt(a, b, st.LineWidth, v.X, v.Y), v)
	case st.Bresenham():
		return "RAS-211", "the " + what + " leave no diamond of the pixel"
	case st.Parallelogram():
		return "RAS-203", "no sample of the pixel lies in the parallelogram of the " + what
	case smooth:
		return "RAS-228", "the rectangle of the " + what + " has no area in common with the pixel's square"
	}
	return "RAS-200", "no sample of the pixel lies in the rectangle of the " + what
}

// endsOf are the ends of a line, subpixels; false: clipping has made them.
func endsOf(f *explain.Fragment) (a, b [2]int32, ok bool) {
	if len(f.Primitive.Vertices) != 2 || f.Primitive.Vertices[0].Window == nil || f.Primitive.Vertices[1].Window == nil {
		return a, b, false
	}
	for k, end := range [2]*[2]int32{&a, &b} {
		win := f.Primitive.Vertices[k].Window
		end[0], end[1] = int32(win[0]*raster.Subpixels), int32(win[1]*raster.Subpixels)
	}
	return a, b, true
}

// outsideDiamond is outsideRule for Bresenham lines, which have one run of pixels in a column or row.
func outsideDiamond(d raster.Diamond, v *Watch) (rule, why string) {
	rule, major, minor, at, own := "RAS-213", "column", "row", v.X, int64(v.Y)
	if !d.XMajor {
		rule, major, minor, at, own = "RAS-214", "row", "column", v.Y, int64(v.X)
	}
	switch {
	case d.End && own >= d.Minor && own < d.Minor+d.Width:
		return "RAS-211", "the line ends in the diamond of the pixel, and so leaves the pixel out"
	case !d.Drawn:
		return rule, fmt.Sprintf("the line has no pixel in %s %d", major, at)
	case d.Width > 1:
		return "RAS-217", fmt.Sprintf("in %s %d the line is in %ss %d to %d", major, at, minor, d.Minor, d.Minor+d.Width-1)
	}
	return rule, fmt.Sprintf("in %s %d the line is in %s %d", major, at, minor, d.Minor)
}

// TellCovered tells which samples of the pixel the set-up covers, and by which rules.
func TellCovered(
	f *explain.Fragment, s *raster.Setup, st *raster.State, v *Watch,
	covered uint64, samples int, instead bool, d *Would,
) {
	n := len(f.Primitive.Vertices)
	if n == 3 {
		switch st.PolygonMode {
		case vk.PolygonModeLine:
			Step(f, "RAS-251", "a side of the triangle, as a line")
		case vk.PolygonModePoint:
			Step(f, "RAS-252", "a corner of the triangle, as a point")
		}
	}
	line := s.Kind == raster.KindLine || s.Kind == raster.KindBresenham
	if line {
		tellLine(f, s, st, v)
	}
	text := "covers " + SamplesText(covered, samples) + " of the pixel"
	if samples == 1 {
		text = "covers the sample"
	}
	if instead {
		text += ", and the shader's SampleMask takes the place of what is left of that"
	}
	Step(f, coverageRule(s, st), "%s", text)
	switch {
	case s.Kind == raster.KindBresenham && samples > 1:
		Step(f, "RAS-219", "all samples of the pixel, wherever they are")
	case line && s.Square.Smooth():
		Step(f, "RAS-229", "the coverage value is the area that the pixel's square has in common with the line")
	}
	if s.Square.Conservative() && !s.Square.Under() && st.ExtraSize > 0 && d.Slim == 0 {
		Step(f, "RAS-269", "it does so since it is grown by %g of a pixel", st.ExtraSize)
	}
}

// tellLine tells what is particular of a line.
func tellLine(f *explain.Fragment, s *raster.Setup, st *raster.State, v *Watch) {
	if st.Relaxed && st.LineMode == vk.LineRasterizationModeDefault {
		if st.Bresenham() {
			Step(f, "RAS-370", "relaxed lines of one pixel follow Bresenham's rules")
		} else {
			Step(f, "RAS-371", "relaxed lines are parallelograms")
		}
	}
	if width := raster.LineWidth(st.LineWidth); width != float64(st.LineWidth) {
		Step(f, "RAS-193", "a width of %g becomes %g", st.LineWidth, width)
	}
	if s.Kind == raster.KindBresenham {
		d := raster.DiamondAt(s.P, s.Q, st.LineWidth, v.X, v.Y)
		if d.Start {
			Step(f, "RAS-211", "the line starts in the pixel's diamond")
		}
		if d.Width > 1 {
			Step(f, "RAS-217", "a run of %d pixels, from %d on", d.Width, d.Minor)
		}
	}
	if s.Stipple.Factor != 0 {
		if s.Kind == raster.KindBresenham {
			Step(f, "RAS-222", "stippled: the counter counts fragments")
		} else {
			Step(f, "RAS-223", "stippled: the counter counts pixels along the line")
		}
		Step(f, "RAS-221", "the pattern 0x%04x, factor %d, keeps it", s.Stipple.Pattern, s.Stipple.Factor)
	}
}

// coverageRule is the rule by which the set-up covers samples.
func coverageRule(s *raster.Setup, st *raster.State) string {
	switch under := s.Square.Under(); {
	case !s.Square.Conservative():
	case under:
		return "RAS-275"
	case s.Kind == raster.KindPoint:
		return "RAS-274"
	case s.Kind == raster.KindLine && s.P == s.Q:
		return "RAS-273"
	case s.Kind == raster.KindLine:
		return "RAS-272"
	case s.Flat():
		return "RAS-271"
	default:
		return "RAS-270"
	}
	switch s.Kind {
	case raster.KindPoint:
		return "RAS-189"
	case raster.KindTriangle:
		if st.PolygonMode == vk.PolygonModeFillRectangleNV {
			return "RAS-254"
		}
		return "RAS-238"
	case raster.KindBresenham:
		if abs := func(x int32) int32 { return max(x, -x) }; abs(s.Q[1]-s.P[1]) > abs(s.Q[0]-s.P[0]) {
			return "RAS-214"
		}
		return "RAS-213"
	}
	switch {
	case s.Square.Smooth():
		return "RAS-228"
	case st.Parallelogram():
		return "RAS-203"
	}
	return "RAS-200"
}

// TellBias tells what depth bias adds to a fragment's depth.
func TellBias(f *explain.Fragment, st *raster.State, d *Would) {
	b := &st.DepthBias
	if !b.Enable {
		return
	}
	if len(f.Primitive.Vertices) != 3 {
		Step(f, "RAS-265", "lines and points have no depth bias")
		return
	}
	if b.Constant != 0 {
		Step(f, biasRules[b.Unit], "the unit of depthBiasConstantFactor is %g", d.Unit)
	}
	if b.Slope != 0 {
		Step(f, "RAS-258", "the slope of depth is %g a pixel", d.Slope)
	}
	plain := float64(d.Unit*float64(b.Constant)) + float64(d.Slope*float64(b.Slope))
	if b.Clamp != 0 && plain != d.Bias && !math.IsNaN(plain) {
		Step(f, "RAS-257", "a bias of %g is clamped to %g", plain, d.Bias)
	}
	Step(f, "RAS-256", "depth bias adds %g", d.Bias)
}

// biasRules are the rules of the units of depth bias.
var biasRules = map[raster.BiasUnit]string{
	raster.BiasNone: "RAS-263", raster.BiasUnorm16: "RAS-261", raster.BiasUnorm24: "RAS-261", raster.BiasFloat32: "RAS-262",
	raster.BiasOne: "RAS-259", raster.BiasExact16: "RAS-260", raster.BiasExact24: "RAS-260",
}

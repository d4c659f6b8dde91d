package conformance

import (
	"fmt"
	"math"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Lines: the catalogue's section 16.

// lineOf is a draw of lines with line.frag: interpolated values, FragCoord.
func lineOf(mode vk.LineRasterizationMode, lineWidth float32, width, height int, v ...ruleVertex) *ruleDraw {
	d := &ruleDraw{topology: vk.PrimitiveTopologyLineList, size: [2]int{width, height}, colors: 2, vertex: "values.vert", pixels: "line.frag", vertices: v}
	d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
		p.Rasterization.LineWidth = lineWidth
		p.Line = &vk.PipelineRasterizationLineStateCreateInfo{LineRasterizationMode: mode}
	}
	return d
}

// row is a map of a row of pixels: those that are drawn.
func row(r *ruleImages, color, y int) string {
	out := ""
	for x := range r.d.size[0] {
		c := "."
		for s := range r.d.samples {
			if r.at(color, x, y, s) != [4]float32{} {
				c = "x"
			}
		}
		out += c
	}
	return out
}

// Corner case 43: along the line values are perspective, depth and noperspective
// inputs linear, FragCoord.w the interpolated 1/w; across it nothing changes.
func TestLines_RAS207_Interpolation(t *testing.T) {
	rules.Covers(t, "RAS-205", "RAS-206", "RAS-207", "RAS-208", "RC-43")
	dev := ruleDevice(t)
	for _, mode := range []vk.LineRasterizationMode{vk.LineRasterizationModeDefault, vk.LineRasterizationModeRectangular, vk.LineRasterizationModeBresenham} {
		d := lineOf(mode, 3, 6, 4, at(0.5, 1.5, 0).deep(0, 1), at(4.5, 1.5, 1).deep(3*.5, 3))
		d.depth = vk.FormatD32Sfloat
		pipeline := d.pipeline
		d.pipeline = func(p *pumice.GraphicsPipelineDesc) { pipeline(p); withDepth(p) }
		got := d.run(t, dev)
		for y := range 3 {
			v, c := got.at(0, 2, y, 0), got.at(1, 2, y, 0)
			if v != [4]float32{.25, .5, 0, 1} {
				t.Errorf("%v: in the middle %v, want 0.25 and 0.5", mode, v)
			}
			if want := [4]float32{2.5, float32(y) + .5, .25, float32(2. / 3)}; c != want || got.depth(2, y, 0) != .25 {
				t.Errorf("%v: FragCoord %v, depth %v; want %v", mode, c, got.depth(2, y, 0), want)
			}
		}
	}
	// A slope: the parameter is that of the projection on the line.
	d := lineOf(vk.LineRasterizationModeRectangular, 4, 8, 8, at(1, 2, 0), at(7, 5, 45))
	got := d.run(t, dev)
	n := 0
	for i := range 64 {
		x, y := i%8, i/8
		if v := got.at(0, x, y, 0); v[3] == 1 {
			n++
			want := float32(6*(float64(x)+.5-1) + 3*(float64(y)+.5-2)) // over 6² + 3², times 45
			if d := v[0] - want; d > 1e-5 || d < -1e-5 || v[1] != v[0] {
				t.Errorf("pixel %d,%d: %v, want %v", x, y, v[:2], want)
			}
		}
	}
	if n < 20 {
		t.Errorf("%d pixels are drawn", n)
	}
}

// The default mode is the rectangular one, as strictLines says, at every width and
// number of samples; the modes differ.
func TestLines_RAS194_Modes(t *testing.T) {
	rules.Covers(t, "RAS-194", "RAS-196", "RAS-014")
	dev := ruleDevice(t)
	for _, samples := range []int{1, 4} {
		for _, width := range []float32{1, 2.5} {
			maps := map[vk.LineRasterizationMode]string{}
			for mode := vk.LineRasterizationModeDefault; mode <= vk.LineRasterizationModeRectangularSmooth; mode++ {
				d := lineOf(mode, width, 12, 12, at(1.2, 1.7, 1), at(10.1, 6.4, 1), at(3.3, 2, 1), at(5, 11.2, 1))
				d.samples = samples
				got := d.run(t, dev)
				for y := range 12 {
					for x := range 12 {
						for s := range samples {
							maps[mode] += fmt.Sprint(got.at(0, x, y, s)[3])
						}
					}
				}
			}
			if maps[0] != maps[vk.LineRasterizationModeRectangular] {
				t.Errorf("%d samples, width %v: the default is not rectangular", samples, width)
			}
			for a := range maps {
				for b := range maps {
					if a != b && a != 0 && b != 0 && maps[a] == maps[b] {
						t.Errorf("%d samples, width %v: modes %v and %v are the same", samples, width, a, b)
					}
				}
			}
		}
	}
	// The width, of sides of polygons too.
	for width, want := range map[float32]string{1: "...x....", 3: "..xxx...", 5: ".xxxxx.."} {
		d := lineOf(0, width, 16, 16, at(3.5, 2, 1), at(3.5, 14, 1))
		if got := row(d.run(t, dev), 0, 8)[:8]; got != want {
			t.Errorf("width %v: %s, want %s", width, got, want)
		}
		d.topology, d.vertices = vk.PrimitiveTopologyTriangleList, append(d.vertices, at(14, 8, 1))
		pipeline := d.pipeline
		d.pipeline = func(p *pumice.GraphicsPipelineDesc) { pipeline(p); p.Rasterization.PolygonMode = vk.PolygonModeLine }
		if got := row(d.run(t, dev), 0, 8)[:8]; got != want {
			t.Errorf("side of width %v: %s, want %s", width, got, want)
		}
	}
}

// Lines of every mode can be stippled: two pixels of the pattern's even bits, two
// without.
func TestLines_RAS227_StippleInEveryMode(t *testing.T) {
	rules.Covers(t, "RAS-227")
	dev := ruleDevice(t)
	for mode := vk.LineRasterizationModeDefault; mode <= vk.LineRasterizationModeRectangularSmooth; mode++ {
		d := lineOf(mode, 1, 8, 1, at(0, .5, 1), at(9, .5, 1))
		if mode == vk.LineRasterizationModeBresenham { // counts from the pixel that it starts in
			d.vertices[0] = at(.5, .5, 1)
		}
		pipeline := d.pipeline
		for on, want := range map[bool]string{true: "xx..xx..", false: "xxxxxxxx"} {
			d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
				pipeline(p)
				p.Line.StippledLineEnable, p.Line.LineStippleFactor, p.Line.LineStipplePattern = on, 2, 0x5555
			}
			if got := row(d.run(t, dev), 0, 0); got != want {
				t.Errorf("%v, stippled %v: %s, want %s", mode, on, got, want)
			}
		}
	}
}

// The pattern is counted from where the line starts, though clipping leaves that
// out; from where it is cut at w > 0, if it is.
func TestLines_RAS226_StippleOfClippedLines(t *testing.T) {
	rules.Covers(t, "RAS-226", "RAS-086")
	dev := ruleDevice(t)
	stippled := func(d *ruleDraw) string {
		pipeline := d.pipeline
		d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
			pipeline(p)
			p.Line.StippledLineEnable, p.Line.LineStippleFactor, p.Line.LineStipplePattern = true, 2, 0x5555
		}
		return row(d.run(t, dev), 0, 0)
	}
	for _, mode := range []vk.LineRasterizationMode{vk.LineRasterizationModeRectangular, vk.LineRasterizationModeBresenham} {
		for start, want := range map[float32]string{0.5: "xx..xx..", -0.5: "x..xx..x", -1.5: "..xx..xx", -2.5: ".xx..xx."} {
			from := start // Bresenham: the first fragment is the pixel of the start
			if mode == vk.LineRasterizationModeRectangular {
				from -= .5
			}
			if got := stippled(lineOf(mode, 1, 8, 1, at(from, .5, 1), at(9, .5, 1))); got != want {
				t.Errorf("%v from %v: %s, want %s", mode, from, got, want)
			}
		}
	}
	// Behind the eye: x runs from far left, where w is 2^-64, so that any phase may
	// meet the screen; but the part that is there must alternate.
	d := lineOf(vk.LineRasterizationModeRectangular, 1, 8, 1, at(9, .5, 1), at(9, .5, 1))
	d.vertices[1] = ruleVertex{x: 11, y: .5, w: -1, value: [4]float32{1}}
	got := stippled(d)
	for x := range 6 {
		if got[x] == got[x+2] {
			t.Errorf("a line cut behind the eye: %s", got)
		}
	}
}

// Smooth lines have values at pixels' centres, beyond the ends too; a sample's at
// its place with sample shading.
func TestLines_RAS231_SmoothValues(t *testing.T) {
	rules.Covers(t, "RAS-231")
	dev := ruleDevice(t)
	for _, shaded := range []bool{false, true} {
		d := lineOf(vk.LineRasterizationModeRectangularSmooth, 2, 8, 4, at(1.75, 2, 1.75), at(5.25, 2, 5.25))
		d.samples = 4
		pipeline := d.pipeline
		d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
			pipeline(p)
			p.Multisample = &vk.PipelineMultisampleStateCreateInfo{SampleShadingEnable: shaded, MinSampleShading: 1}
		}
		got := d.run(t, dev)
		if m := row(got, 1, 1); m != ".xxxxx.." {
			t.Fatalf("covered: %s", m)
		}
		for x := 1; x < 6; x++ {
			for s := range 4 {
				want := float32(x) + .5
				if shaded {
					want = float32(x) + standard4[s][0]
				}
				if v := got.at(0, x, 1, s); math.Abs(float64(v[0]-want)) > 1e-6 {
					t.Errorf("sample shading %v, pixel %d, sample %d: %v, want %v", shaded, x, s, v[0], want)
				}
			}
		}
	}
}

// Segments of a strip are rectangles of their own: the outer corner of a joint stays empty, and what lies in both is
// drawn twice. Bresenham's share no pixel, whatever their directions.
func TestLines_RAS202_Joints(t *testing.T) {
	rules.Covers(t, "RAS-202", "RAS-209", "RAS-211", "RAS-217")
	dev := ruleDevice(t)
	const rectangular, bresenham = vk.LineRasterizationModeRectangular, vk.LineRasterizationModeBresenham
	for _, c := range []struct {
		mode     vk.LineRasterizationMode
		width    float32
		vertices []ruleVertex
		samples  uint64
		want     []string
	}{
		{rectangular, 2, []ruleVertex{at(1, 2, 1), at(5, 2, 1), at(5, 6, 1)}, 16, []string{"........", ".xxxx...", ".xxxxx..", "....xx..", "....xx..", "....xx..", "........", "........"}},
		{rectangular, 2, []ruleVertex{at(5, 6, 1), at(5, 2, 1), at(1, 2, 1)}, 16, []string{"........", ".xxxx...", ".xxxxx..", "....xx..", "....xx..", "....xx..", "........", "........"}},
		{bresenham, 1, []ruleVertex{at(1.5, 1.5, 1), at(4.5, 1.5, 1), at(4.5, 4.5, 1), at(6.5, 6.5, 1)}, 8, []string{"........", ".xxxx...", "....x...", "....x...", "....x...", ".....x..", "........", "........"}},
		{bresenham, 1, []ruleVertex{at(6.5, 6.5, 1), at(4.5, 4.5, 1), at(4.5, 1.5, 1), at(1.5, 1.5, 1)}, 8, []string{"........", "..xxx...", "....x...", "....x...", "....x...", ".....x..", "......x.", "........"}},
		// Three pixels wide: runs along y where |dy| is at most |dx|, else along x.
		{bresenham, 3, []ruleVertex{at(1.5, 2.5, 1), at(4.5, 5.5, 1)}, 9, []string{"........", ".x......", ".xx.....", ".xxx....", "..xx....", "...x....", "........", "........"}},
		{bresenham, 3, []ruleVertex{at(1.5, 5.5, 1), at(4.5, 2.5, 1)}, 9, []string{"........", "........", "...x....", "..xx....", ".xxx....", ".xx.....", ".x......", "........"}},
		{bresenham, 3, []ruleVertex{at(2.5, 1.5, 1), at(5.5, 4.515625, 1)}, 9, []string{"........", ".xxx....", "..xxx...", "...xxx..", "........", "........", "........", "........"}},
		{bresenham, 3, []ruleVertex{at(1.5, 2.5, 1), at(4.515625, 5.5, 1)}, 9, []string{"........", ".x......", ".xx.....", ".xxx....", "..xx....", "...x....", "........", "........"}},
		// Both segments of a corner, wide: their runs overlap.
		{bresenham, 3, []ruleVertex{at(1.5, 2.5, 1), at(4.5, 2.5, 1), at(4.5, 6.5, 1)}, 21, []string{"........", ".xxx....", ".xxxxx..", ".xxxxx..", "...xxx..", "...xxx..", "........", "........"}},
	} {
		d := lineOf(c.mode, c.width, 8, 8, c.vertices...)
		d.topology = vk.PrimitiveTopologyLineStrip
		got := d.run(t, dev)
		wantMap(t, fmt.Sprintf("%v, width %v, from (%v, %v)", c.mode, c.width, c.vertices[0].x, c.vertices[0].y), got, c.want...)
		if d.queried != c.samples {
			t.Errorf("%v, width %v: %d samples, want %d", c.mode, c.width, d.queried, c.samples)
		}
	}
}

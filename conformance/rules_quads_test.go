package conformance

import (
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Quads, derivatives and helper invocations: the catalogue's section 18.

// triangles is a draw of triangles with the fragment shader named.
func triangles(pixels string, colors, width, height int, v ...ruleVertex) *ruleDraw {
	return &ruleDraw{topology: vk.PrimitiveTopologyTriangleList, size: [2]int{width, height}, colors: colors, vertex: "values.vert", pixels: pixels, vertices: v}
}

// placed gives vertices their positions as values.
func placed(v ...ruleVertex) []ruleVertex {
	for i := range v {
		v[i].value = [4]float32{v[i].x, v[i].y}
	}
	return v
}

// rate makes fragments of n×n pixels.
func rate(n uint32) func(*pumice.GraphicsPipelineDesc) {
	return func(p *pumice.GraphicsPipelineDesc) { p.FragmentSize = vk.Extent2D{Width: n, Height: n} }
}

// The shader takes derivatives of x·y, whose place is the fragment's centre.
func TestQuads_RAS294_Derivatives(t *testing.T) {
	rules.Covers(t, "RAS-293", "RAS-294", "RAS-295", "RAS-096", "RAS-150")
	dev := ruleDevice(t)
	for _, n := range []int{1, 2, 4} {
		d := triangles("derivatives.frag", 5, 16, 16, placed(everywhere(16)...)...)
		d.pipeline = rate(uint32(n))
		got := d.run(t, dev)
		for i := range 256 {
			x, y := i%16, i/16
			f := float32(n)
			// The quad's corner, and the place in it.
			cx, cy := float32(x/n&^1)*f+f/2, float32(y/n&^1)*f+f/2
			ox, oy := float32(x/n&1)*f, float32(y/n&1)*f
			dx, dy := f*(cy+oy), f*(cx+ox)
			if v, want := got.at(0, x, y, 0), [4]float32{dx, dy, dx + dy, (cx + ox) * (cy + oy)}; v != want {
				t.Fatalf("fragments of %d pixels, pixel %d,%d: fine %v, want %v", n, x, y, v, want)
			}
			if v, want := got.at(1, x, y, 0), [4]float32{f * cy, f * cx, f*cy + f*cx, 1}; v != want {
				t.Fatalf("fragments of %d pixels, pixel %d,%d: coarse %v, want %v", n, x, y, v, want)
			}
			if v, want := got.at(2, x, y, 0), [4]float32{dx, dy, dx + dy, 1}; v != want {
				t.Fatalf("fragments of %d pixels, pixel %d,%d: dFdx and its kind %v, want %v", n, x, y, v, want)
			}
			if v, want := got.at(3, x, y, 0), [4]float32{f, 0, 0, f}; v != want {
				t.Fatalf("fragments of %d pixels, pixel %d,%d: of FragCoord %v, want %v", n, x, y, v, want)
			}
		}
	}
}

// One pixel of a quad is covered: the others run to make derivatives, and leave no
// trace; so do those beyond the framebuffer.
func TestQuads_RAS296_Helpers(t *testing.T) {
	rules.Covers(t, "RAS-296", "RAS-297", "RC-72")
	dev := ruleDevice(t)
	for _, size := range []int{4, 1} {
		for _, samples := range []int{1, 4} {
			d := triangles("count.frag", 2, size, size)
			d.samples, d.depth = samples, vk.FormatD32Sfloat
			d.vertices = []ruleVertex{at(0, 0, 0), at(1.375, 0, 11), at(0, 1.375, 0)} // 8 a pixel
			d.pipeline = withDepth
			before := dev.Stats().Fragments
			got := d.run(t, dev)
			if d.counter != [2]uint32{1, 0} || dev.Stats().Fragments-before != 1 {
				t.Errorf("%d pixels, %d samples: %d invocations have effects, %d of helpers; %d fragments are counted",
					size, samples, d.counter[0], d.counter[1], dev.Stats().Fragments-before)
			}
			for s := range samples {
				if v := got.at(0, 0, 0, s); s < 3 && (v[2] != 8 || v[3] != 1) {
					t.Errorf("%d pixels, sample %d: derivative %v", size, s, v)
				}
			}
			for i := 1; i < size*size; i++ {
				for s := range samples {
					if v, z := got.at(0, i%size, i/size, s), got.depth(i%size, i/size, s); v != [4]float32{} || z != 1 {
						t.Errorf("a helper wrote pixel %d: %v, depth %v", i, v, z)
					}
				}
			}
			if want := uint64(samples); d.queried == 0 || d.queried > want {
				t.Errorf("%d samples pass, of %d", d.queried, want)
			}
		}
	}
	// Scissored away is a helper too.
	d := triangles("count.frag", 2, 4, 4, placed(everywhere(4)...)...)
	d.pass = func(p *pumice.Pass) { p.SetScissor(vk.Rect2D{Extent: vk.Extent2D{Width: 1, Height: 1}}) }
	got := d.run(t, dev)
	if v := got.at(0, 0, 0, 0); v[2] != 1 || d.counter[0] != 1 {
		t.Errorf("behind a scissor: derivative %v, %d invocations", v[2], d.counter[0])
	}
}

// Whatever ends an invocation takes away its coverage and effects; demotion and
// discard leave a helper.
func TestQuads_RAS298_Termination(t *testing.T) {
	rules.Covers(t, "RAS-298")
	dev := ruleDevice(t)
	for how, name := range []string{"demote", "terminate", "discard"} {
		d := triangles("leave.frag", 2, 4, 4, placed(everywhere(4)...)...)
		d.depth = vk.FormatD32Sfloat
		d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
			withDepth(p)
			p.Fragment.Constants = pumice.Constants{1: int32(how)}
		}
		got := d.run(t, dev)
		if d.counter[0] != 8 || d.queried != 8 {
			t.Errorf("%s: %d invocations have effects, %d samples pass; want 8", name, d.counter[0], d.queried)
		}
		for i := range 16 {
			x, y := i%4, i/4
			v, z := got.at(0, x, y, 0), got.depth(x, y, 0)
			switch {
			case x&1 == 1 && (v != [4]float32{} || z != 1):
				t.Errorf("%s: pixel %d,%d is written: %v, %v", name, x, y, v, z)
			case x&1 == 0 && (v[1] != 0 || v[3] != 1 || z != 0):
				t.Errorf("%s: pixel %d,%d: %v, %v", name, x, y, v, z)
			case x&1 == 0 && name != "terminate" && v[0] != 1:
				t.Errorf("%s: the derivative across it is %v", name, v[0])
			}
		}
	}
}

// Two triangles share an edge through a quad: each has its own quad there.
func TestQuads_RAS299_OwnQuads(t *testing.T) {
	rules.Covers(t, "RAS-299", "RAS-293")
	dev := ruleDevice(t)
	d := triangles("count.frag", 2, 4, 4,
		at(0, 0, 0), at(4, 0, 4), at(0, 4, 0), // 1 a pixel
		at(4, 0, 100), at(4, 4, 100), at(0, 4, 68)) // 8 a pixel
	got := d.run(t, dev)
	for i := range 16 {
		x, y := i%4, i/4
		want := float32(1)
		if x+y >= 3 {
			want = 8
		}
		if v := got.at(0, x, y, 0); v[2] != want || v[1] != 1 {
			t.Errorf("pixel %d,%d: derivative %v, want %v; mask %v", x, y, v[2], want, v[1])
		}
	}
	if d.counter[0] != 16 {
		t.Errorf("%d invocations", d.counter[0])
	}
}

// Distances read by fragment shaders are perspective inputs.
func TestBuiltins_RAS292_Distances(t *testing.T) {
	rules.Covers(t, "RAS-292")
	dev := ruleDevice(t)
	d := triangles("clip.frag", 1, 6, 4,
		at(0.5, 0.5, 0, 8, 2).deep(0, 1), at(4.5, 0.5, 1, 4, -6).deep(0, 3), at(0.5, 8.5, 0, 8, 2).deep(0, 1))
	d.vertex = "clip.vert"
	got := d.run(t, dev)
	if v, want := got.at(0, 2, 0, 0), [4]float32{.25, 7, 0, 1}; v != want {
		t.Errorf("in the middle of an edge from w = 1 to 3: %v, want %v", v, want)
	}
	// A distance below zero takes fragments away.
	for i := range d.vertices {
		d.vertices[i].value[0] -= .25
	}
	got = d.run(t, dev)
	for x, want := range []float32{0, 0, 0, 1, 0} {
		if v := got.at(0, x, 0, 0)[3]; x != 2 && v != want {
			t.Errorf("pixel %d: drawn %v, want %v", x, v, want)
		}
	}
}

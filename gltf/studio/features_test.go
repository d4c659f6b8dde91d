package studio_test

import (
	"image"
	"image/color"
	"math"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/gltf/studio"
)

// TestUnlit_TextureComesBackExactly: decoding to linear light, sampling, writing
// and resolving four equal samples and encoding again is the identity.
func TestUnlit_TextureComesBackExactly(t *testing.T) {
	b := newBench(t)
	img := image.NewNRGBA(image.Rect(0, 0, 16, 16))
	for i := range 256 {
		img.SetNRGBA(i%16, i/16, color.NRGBA{uint8(i), uint8(255 - i), uint8(i * 89), 255})
	}
	for _, samples := range []int{1, 4, 8} {
		s := newScene()
		s.putQuad(-1, -1, 1, 1, 0, textured(s.texture(img)))
		got := s.draw(b, 16, samples)
		for i := range 256 {
			wantPixel(t, got, i%16, i/16, img.NRGBAAt(i%16, i/16), 0)
		}
	}
}

// TestUnlit_FactorsAreLinear: base colour factor, texture and vertex colour
// multiply in linear light.
func TestUnlit_FactorsAreLinear(t *testing.T) {
	s := newScene()
	a := s.quad(-1, -1, 1, 1, 0)
	a["COLOR_0"] = s.add("VEC3", ubyte, 4, []uint8{51, 102, 255, 0, 51, 102, 255, 0, 51, 102, 255, 0, 51, 102, 255, 0}[:16],
		obj{"normalized": true, "type": "VEC4"})
	m := textured(s.texture(palette([]color.NRGBA{{128, 200, 60, 255}})))
	m["pbrMetallicRoughness"].(obj)["baseColorFactor"] = arr{0.5, 0.25, 1, 1}
	s.put(a, m, obj{"indices": s.quadIndices()})
	want := srgb(0.2*linear(128)*0.5, 0.4*linear(200)*0.25, 1*linear(60))
	wantPixel(t, s.draw(newBench(t), 4, 4), 2, 2, want, 1)
}

// TestVertexColor_InterpolatesLinearly across a quad from black to white.
func TestVertexColor_InterpolatesLinearly(t *testing.T) {
	s := newScene()
	a := s.quad(-1, -1, 1, 1, 0)
	a["COLOR_0"] = s.add("VEC3", float, 4, []float32{0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0})
	s.put(a, unlit(1, 1, 1, 1), obj{"indices": s.quadIndices()})
	img := s.draw(newBench(t), 8, 1)
	for x := range 8 {
		v := (float64(x) + 0.5) / 8
		wantPixel(t, img, x, 3, srgb(v, v, v), 1)
	}
}

// TestTextureTransform: quadrants of a 2×2 texture show where coordinates went.
// glTF's order is scale, then rotation, then offset; a positive rotation takes
// (1, 0) to (0, -1), v counting downwards.
func TestTextureTransform(t *testing.T) {
	rows := palette([]color.NRGBA{red, green}, []color.NRGBA{blue, yellow})
	b := newBench(t)
	for _, c := range []struct {
		name      string
		transform obj
		want      [2][2]color.NRGBA // by row, column of a picture of 2×2
	}{
		{"identity", obj{}, [2][2]color.NRGBA{{red, green}, {blue, yellow}}},
		{"offset", obj{"offset": arr{0.5, 0}}, [2][2]color.NRGBA{{green, green}, {yellow, yellow}}},
		{"scale", obj{"scale": arr{1, 0.25}}, [2][2]color.NRGBA{{red, green}, {red, green}}},
		// (u, v) → (v, 1-u)
		{"rotation", obj{"rotation": math.Pi / 2, "offset": arr{0, 1}}, [2][2]color.NRGBA{{blue, red}, {yellow, green}}},
		{"negative rotation", obj{"rotation": -math.Pi / 2, "offset": arr{1, 0}}, [2][2]color.NRGBA{{green, yellow}, {red, blue}}},
		// u is halved before it turns: (u, v) → (v, 0.5-u/2+0.5)
		{"scale before rotation", obj{"rotation": math.Pi / 2, "scale": arr{0.5, 1}, "offset": arr{0, 1}},
			[2][2]color.NRGBA{{blue, blue}, {yellow, yellow}}},
	} {
		s := newScene()
		ref := s.texture(rows)
		ref["extensions"] = obj{"KHR_texture_transform": c.transform}
		s.putQuad(-1, -1, 1, 1, 0, textured(ref))
		img := s.draw(b, 2, 1)
		for y := range 2 {
			for x := range 2 {
				if got := img.NRGBAAt(x, y); got != c.want[y][x] {
					t.Errorf("%s: pixel %d,%d is %v, want %v", c.name, x, y, got, c.want[y][x])
				}
			}
		}
	}
}

// TestTexCoord_SecondSet: a material reads TEXCOORD_1, by its own number or by
// that of the texture transform.
func TestTexCoord_SecondSet(t *testing.T) {
	b := newBench(t)
	for _, byTransform := range []bool{false, true} {
		s := newScene()
		a := s.quad(-1, -1, 1, 1, 0)
		a["TEXCOORD_1"] = s.add("VEC2", ushort, 4, []uint16{65535, 0, 0, 0, 0, 65535, 65535, 65535}, obj{"normalized": true}) // mirrored
		ref := s.texture(palette([]color.NRGBA{red, green}))
		if byTransform {
			ref["extensions"] = obj{"KHR_texture_transform": obj{"texCoord": 1}}
		} else {
			ref["texCoord"] = 1
		}
		s.put(a, textured(ref), obj{"indices": s.quadIndices()})
		img := s.draw(b, 2, 1)
		wantPixel(t, img, 0, 0, green, 0)
		wantPixel(t, img, 1, 0, red, 0)
	}
}

// TestAlpha_Mask keeps what is at or above the cutoff, opaque.
func TestAlpha_Mask(t *testing.T) {
	s := newScene()
	row := []color.NRGBA{{9, 99, 199, 0}, {9, 99, 199, 127}, {9, 99, 199, 128}, {9, 99, 199, 255}}
	s.putQuad(-1, -1, 1, 1, 0, with(textured(s.texture(palette(row))), obj{"alphaMode": "MASK", "alphaCutoff": 0.5}))
	img := s.draw(newBench(t), 4, 1)
	opaque := color.NRGBA{9, 99, 199, 255}
	for x, want := range []color.NRGBA{none, none, opaque, opaque} {
		wantPixel(t, img, x, 1, want, 0)
	}
}

// TestAlpha_OpaqueIgnoresAlpha.
func TestAlpha_OpaqueIgnoresAlpha(t *testing.T) {
	s := newScene()
	s.putQuad(-1, -1, 1, 1, 0, textured(s.texture(palette([]color.NRGBA{{9, 99, 199, 3}}))))
	wantPixel(t, s.draw(newBench(t), 2, 1), 0, 0, color.NRGBA{9, 99, 199, 255}, 0)
}

// TestAlpha_BlendOrder: blended surfaces mix from far to near in linear light,
// whatever their order in the file, and what is behind something opaque is gone.
func TestAlpha_BlendOrder(t *testing.T) {
	b := newBench(t)
	colors := map[float32][]float64{-1: {1, 0, 0, 0.5}, 0: {0, 1, 0, 0.5}, 1: {0, 0, 1, 0.5}} // by z
	for _, order := range [][]float32{{-1, 0, 1}, {1, 0, -1}, {0, 1, -1}} {
		s := newScene()
		for _, z := range order {
			s.putQuad(-1, -1, 1, 1, z, with(unlit(colors[z]...), obj{"alphaMode": "BLEND"}))
		}
		s.putQuad(-1, -1, 0, 1, -0.5, unlit(1, 1, 1, 1)) // the left half, between red and green
		img := s.draw(b, 4, 4)
		// Right: ((red·½) under green·½) under blue·½, alpha 7/8.
		right := srgb(0.125/0.875, 0.25/0.875, 0.5/0.875)
		right.A = 223
		wantPixel(t, img, 3, 1, right, 2)
		wantPixel(t, img, 0, 1, srgb(0.25, 0.5, 0.75), 1)
	}
}

// TestAlpha_NoDarkFringes: where an edge covers a pixel in part, or a material
// is half transparent, only alpha falls: the colour stays what it is.
func TestAlpha_NoDarkFringes(t *testing.T) {
	b := newBench(t)
	for _, c := range []color.NRGBA{white, {200, 120, 60, 255}} {
		s := newScene()
		a := obj{"POSITION": s.positions(-0.8, -0.7, 0, 0.9, -0.5, 0, 0.1, 0.85, 0)}
		s.put(a, unlit(linear(c.R), linear(c.G), linear(c.B), 1))
		img := s.draw(b, 24, 4)
		partial := 0
		for y := range 24 {
			for x := range 24 {
				p := img.NRGBAAt(x, y)
				if p.A == 0 {
					continue
				}
				if p.A < 255 {
					partial++
				}
				// The picture is kept premultiplied in 8 bits: a quarter of a
				// colour is coarser by about 2 steps.
				if !near(color.NRGBA{p.R, p.G, p.B, 255}, c, 2) {
					t.Errorf("pixel %d,%d is %v, want the colour %v", x, y, p, c)
				}
			}
		}
		if partial < 20 {
			t.Errorf("%d pixels at the edges", partial)
		}
	}
}

// TestDoubleSided: the back of a face is shown and lit from where the viewer
// stands, or not shown at all.
func TestDoubleSided(t *testing.T) {
	b := newBench(t)
	turned := obj{"rotation": arr{0, 1, 0, 0}} // half a turn about y
	shade := func(double, back bool) color.NRGBA {
		s := newScene()
		node := s.putQuad(-1, -1, 1, 1, 0, with(base(0.3, 0.3, 0.3, 1), obj{"doubleSided": double}))
		if back {
			node["rotation"] = turned["rotation"]
		}
		s.light(obj{"type": "directional", "intensity": 1}, obj{}) // along -z
		return s.draw(b, 4, 1).NRGBAAt(2, 2)
	}
	front := shade(false, false)
	if front.A != 255 {
		t.Fatalf("the front is %v", front)
	}
	if got := shade(false, true); got != none {
		t.Errorf("the back of a single-sided face is %v", got)
	}
	if got := shade(true, false); got != front {
		t.Errorf("the front of a double-sided face is %v, want %v", got, front)
	}
	if got := shade(true, true); !near(got, front, 1) {
		t.Errorf("the back of a double-sided face is %v, want %v as its front", got, front)
	}
}

// TestNegativeScale mirrors the shape, not its facing; two mirrors cancel.
func TestNegativeScale(t *testing.T) {
	b := newBench(t)
	for _, c := range []struct {
		scale arr
		lit   image.Point // the quadrant of a 2×2 picture that is covered
	}{
		{arr{1, 1, 1}, image.Pt(1, 0)}, {arr{-1, 1, 1}, image.Pt(0, 0)}, {arr{1, -1, 1}, image.Pt(1, 1)}, {arr{-1, -1, 1}, image.Pt(0, 1)},
	} {
		s := newScene()
		s.putQuad(0, 0, 1, 1, 0, unlit(1, 0, 0, 1))["scale"] = c.scale
		img := s.draw(b, 2, 1)
		for y := range 2 {
			for x := range 2 {
				want := none
				if c.lit == image.Pt(x, y) {
					want = red
				}
				if got := img.NRGBAAt(x, y); got != want {
					t.Errorf("scale %v: pixel %d,%d is %v, want %v", c.scale, x, y, got, want)
				}
			}
		}
	}
}

// TestPointsAndLines: one pixel each, where they should be.
func TestPointsAndLines(t *testing.T) {
	b := newBench(t)
	const size = 16
	// center is the position of a pixel's centre.
	center := func(x, y int) (float32, float32) {
		return (float32(x)+0.5)*2/size - 1, 1 - (float32(y)+0.5)*2/size
	}
	ax, ay := center(3, 2)
	bx, by := center(3, 11)
	cx, cy := center(12, 11)
	for _, c := range []struct {
		name string
		mode int
		want func(x, y int) bool
	}{
		{"points", 0, func(x, y int) bool { return x == 3 && (y == 2 || y == 11) || x == 12 && y == 11 }},
		{"line strip", 3, func(x, y int) bool { return x == 3 && y >= 2 && y <= 11 || y == 11 && x >= 3 && x <= 12 }},
		{"line loop", 2, func(x, y int) bool {
			return x == 3 && y >= 2 && y <= 11 || y == 11 && x >= 3 && x <= 12 || x-y == 1 && x >= 3 && x <= 12
		}},
		{"triangles", 4, func(x, y int) bool { return x >= 3 && y <= 11 && x-y <= 1 }},
	} {
		s := newScene()
		s.put(obj{"POSITION": s.positions(ax, ay, 0, bx, by, 0, cx, cy, 0)}, unlit(0, 1, 0, 1), obj{"mode": c.mode})
		img := s.draw(b, size, 1)
		for y := range size {
			for x := range size {
				got, want := img.NRGBAAt(x, y) == green, c.want(x, y)
				// Ends of lines (diamond exit) and edges through centres of
				// pixels are the rasterizer's own affair.
				edge := c.want(x-1, y) != want || c.want(x+1, y) != want || c.want(x, y-1) != want || c.want(x, y+1) != want
				if end := (x == 3 || x == 12) && (y == 2 || y == 11); got != want && (c.mode == 0 || !end && (c.mode != 4 || !edge)) {
					if c.mode == 2 && apart(uint8(x-y+8), 9) <= 1 { // the slanted side lies one of the two ways
						continue
					}
					t.Errorf("%s: pixel %d,%d covered: %v, want %v", c.name, x, y, got, want)
				}
			}
		}
	}
}

// TestCameras: what is known to be seen of a quad of half size 0.5.
func TestCameras(t *testing.T) {
	b := newBench(t)
	const size = 16
	for _, c := range []struct {
		name     string
		camera   obj
		distance float32
		half     int // half the quad's size in pixels
	}{
		// tan(yfov/2) = 0.5: at distance 2 one sees 1 up and 1 down.
		{"perspective", obj{"type": "perspective", "perspective": obj{"yfov": 2 * math.Atan(0.5), "znear": 0.1, "zfar": 10}}, 2, 4},
		{"perspective, infinite", obj{"type": "perspective", "perspective": obj{"yfov": 2 * math.Atan(0.5), "znear": 0.1}}, 4, 2},
		{"behind the far plane", obj{"type": "perspective", "perspective": obj{"yfov": 2 * math.Atan(0.5), "znear": 0.1, "zfar": 3}}, 4, 0},
		{"before the near plane", obj{"type": "perspective", "perspective": obj{"yfov": 2 * math.Atan(0.5), "znear": 3, "zfar": 30}}, 2, 0},
		{"orthographic", obj{"type": "orthographic", "orthographic": obj{"xmag": 1, "ymag": 1, "znear": 0.1, "zfar": 10}}, 5, 4},
		// Pictures of another shape are not stretched, and show all that the camera sees: 1 up and 2 to the right, …
		{"perspective, wide", obj{"type": "perspective", "perspective": obj{"yfov": 2 * math.Atan(0.5), "aspectRatio": 2, "znear": 0.1, "zfar": 10}}, 2, 2},
		{"perspective, wide, infinite", obj{"type": "perspective", "perspective": obj{"yfov": 2 * math.Atan(0.5), "aspectRatio": 2, "znear": 0.1}}, 2, 2},
		{"orthographic, wide", obj{"type": "orthographic", "orthographic": obj{"xmag": 2, "ymag": 1, "znear": 0.1, "zfar": 10}}, 5, 2},
		// … or 1 up and 0.5 to the right, and 2 up and 1 to the right.
		{"perspective, tall", obj{"type": "perspective", "perspective": obj{"yfov": 2 * math.Atan(0.5), "aspectRatio": 0.5, "znear": 0.1, "zfar": 10}}, 2, 4},
		{"orthographic, tall", obj{"type": "orthographic", "orthographic": obj{"xmag": 1, "ymag": 2, "znear": 0.1, "zfar": 10}}, 5, 2},
	} {
		s := newScene()
		s.doc["cameras"] = arr{c.camera}
		s.nodes[0] = obj{"camera": 0, "translation": arr{0, 0, c.distance}}
		s.putQuad(-0.5, -0.5, 0.5, 0.5, 0, unlit(1, 0, 0, 1))
		img := s.draw(b, size, 1)
		for y := range size {
			for x := range size {
				want := none
				if x >= size/2-c.half && x < size/2+c.half && y >= size/2-c.half && y < size/2+c.half {
					want = red
				}
				if got := img.NRGBAAt(x, y); got != want {
					t.Errorf("%s: pixel %d,%d is %v, want %v", c.name, x, y, got, want)
				}
			}
		}
	}
}

// TestCamera_InfiniteSeesFar: there is no far plane, and depth still orders.
func TestCamera_InfiniteSeesFar(t *testing.T) {
	s := newScene()
	s.doc["cameras"] = arr{obj{"type": "perspective", "perspective": obj{"yfov": 1, "znear": 1}}}
	s.nodes[0] = obj{"camera": 0}
	s.putQuad(-9e6, -9e6, 0, 9e6, -5e6, unlit(1, 0, 0, 1))
	s.putQuad(-9e5, -9e5, 9e5, 9e5, -5e5, unlit(0, 1, 0, 1))
	s.putQuad(-9e6, -9e6, 9e6, 9e6, -6e6, unlit(0, 0, 1, 1))
	s.putQuad(-9e6, -9e6, 9e6, 0, -1e6, unlit(1, 1, 0, 1))
	img := s.draw(newBench(t), 8, 1)
	wantPixel(t, img, 1, 1, green, 0)
	wantPixel(t, img, 5, 6, green, 0)
}

// TestMorphAndSkin: a target raises a quad, then its right half follows a joint.
func TestMorphAndSkin(t *testing.T) {
	s := newScene()
	a := s.quad(-0.5, -1, 0.5, -0.5, 0)
	delete(a, "TEXCOORD_0")
	a["JOINTS_0"] = s.add("VEC4", ubyte, 4, []uint8{0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 1})
	a["WEIGHTS_0"] = s.add("VEC4", float, 4, []float32{1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0})
	target := s.vec3(0, 2, 0, 0, 2, 0, 0, 2, 0, 0, 2, 0)
	node := s.put(a, unlit(1, 0, 0, 1), obj{"indices": s.quadIndices(), "targets": arr{obj{"POSITION": target}}})
	node["weights"], node["skin"] = arr{0.25}, 0 // up by half
	node["translation"] = arr{0.3, 0.3, 0}       // which a skin ignores
	first := len(s.nodes)
	s.nodes = append(s.nodes, obj{}, obj{"translation": arr{0.5, 0, 0}})
	s.doc["skins"] = arr{obj{"joints": arr{first, first + 1}}}
	img := s.draw(newBench(t), 8, 1)
	for y := range 8 {
		for x := range 8 {
			want := none
			if y >= 4 && y < 6 && x >= 2 { // x from -0.5 to 0.5 + 0.5, y from -0.5 to 0
				want = red
			}
			wantPixel(t, img, x, y, want, 0)
		}
	}
}

// TestMorph_ColorsAndTexCoords: targets add to COLOR_0 and TEXCOORD_n, and colours end in 0 … 1.
func TestMorph_ColorsAndTexCoords(t *testing.T) {
	b := newBench(t)
	image := palette([]color.NRGBA{red, green}, []color.NRGBA{blue, white})
	for _, c := range []struct {
		name   string
		weight float64
		attr   string
		base   func(s *scene) int // of one value for all four vertices
		target func(s *scene) int
		image  bool
		want   color.NRGBA
	}{
		{"at rest", 0, "COLOR_0", same("VEC3", 1, 0, 0), same("VEC3", -1, 0, 1), false, red},
		{"halfway", 0.5, "COLOR_0", same("VEC3", 1, 0, 0), same("VEC3", -1, 0, 1), false, srgb(0.5, 0, 0.5)},
		{"whole", 1, "COLOR_0", same("VEC3", 1, 0, 0), same("VEC3", -1, 0, 1), false, blue},
		{"clamped", 1, "COLOR_0", same("VEC3", 1, 0.5, 0), same("VEC3", 1, -4, 7), false, color.NRGBA{255, 0, 255, 255}},
		{"four components", 1, "COLOR_0", same("VEC4", 1, 1, 0, 1), same("VEC4", -1, 0, 0, 0), false, green},
		{"alpha of three components", 1, "COLOR_0", same("VEC4", 1, 1, 0, 0.5), same("VEC3", -1, 0, 0), false, color.NRGBA{0, 255, 0, 128}},
		{"texture coordinates", 0.5, "TEXCOORD_0", same("VEC2", 0.25, 0.25), same("VEC2", 1, 0), true, green},
		{"second set", 0.5, "TEXCOORD_1", same("VEC2", 0.25, 0.25), same("VEC2", 0, 1), true, blue},
	} {
		s := newScene()
		a := s.quad(-1, -1, 1, 1, 0)
		a[c.attr] = c.base(s)
		m := with(unlit(1, 1, 1, 1), obj{"alphaMode": "BLEND"})
		if c.image {
			ref := s.texture(image)
			if c.attr == "TEXCOORD_1" {
				ref["texCoord"] = 1
			}
			m = with(textured(ref), obj{"extensions": obj{"KHR_materials_unlit": obj{}}})
		}
		node := s.put(a, m, obj{"indices": s.quadIndices(), "targets": arr{obj{c.attr: c.target(s)}}})
		node["weights"] = arr{c.weight}
		img := s.draw(b, 2, 1)
		for i := range 4 {
			if got := img.NRGBAAt(i%2, i/2); !near(got, c.want, 1) {
				t.Errorf("%s: pixel %d is %v, want %v", c.name, i, got, c.want)
			}
		}
	}
}

// same makes an accessor of one value four times.
func same(kind string, value ...float32) func(s *scene) int {
	return func(s *scene) int {
		return s.add(kind, float, 4, slices.Repeat(value, 4))
	}
}

// TestAnimation_MovesNode by its linear keyframes.
func TestAnimation_MovesNode(t *testing.T) {
	s := newScene()
	s.putQuad(-1, -1, -0.5, 1, 0, unlit(1, 0, 0, 1))
	times, moves := s.add("SCALAR", float, 2, []float32{0, 2}, obj{"min": arr{0}, "max": arr{2}}), s.vec3(0, 0, 0, 2, 0, 0)
	s.doc["animations"] = arr{obj{
		"samplers": arr{obj{"input": times, "output": moves}},
		"channels": arr{obj{"sampler": 0, "target": obj{"node": 1, "path": "translation"}}},
	}}
	doc := s.document(t)
	img := newBench(t).draw(doc, studio.View{Width: 4, Height: 4, Samples: 1, Camera: studio.Camera{Document: &doc.Cameras[0]}, Animation: &doc.Animations[0], Time: 1})
	for x, want := range []color.NRGBA{none, none, red, none} {
		wantPixel(t, img, x, 2, want, 0)
	}
}

package studio_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/gltf"
	"github.com/pumice-gpu/pumice/gltf/mat"
	"github.com/pumice-gpu/pumice/gltf/studio"
)

// What is drawn in spite of a file's fault, by the pixels that its colours and places give: unlit
// surfaces through a camera that sees -1 to 1 in 8 pixels.
func TestTolerant_Pictures(t *testing.T) {
	var whole bytes.Buffer
	if err := png.Encode(&whole, palette([]color.NRGBA{red, red}, []color.NRGBA{red, red})); err != nil {
		t.Fatal(err)
	}
	cut := whole.Bytes()[:whole.Len()-20] // its header is right
	nan := float32(math.NaN())
	b := newBench(t)
	for name, c := range map[string]struct {
		make       func(s *scene)
		change     func(d obj)
		loss       string
		left, next color.NRGBA // at (2, 4) and at (6, 4)
	}{
		"a missing image": {func(s *scene) {
			s.putQuad(-1, -1, 0, 1, 0, with(textured(s.texture(palette([]color.NRGBA{red}))), obj{}))
		}, func(d obj) { d["images"] = arr{obj{"uri": "data:image/png;base64,"}} }, "the texture is lost", white, none},
		"an image that cannot be decoded": {func(s *scene) {
			m := textured(s.texture(palette([]color.NRGBA{red})))
			m["pbrMetallicRoughness"].(obj)["baseColorFactor"] = arr{0, 1, 0, 1}
			s.putQuad(-1, -1, 0, 1, 0, m)
			s.images[0].(obj)["bufferView"] = s.view(cut)
		}, nil, "the texture is lost: images[0]: decoding", green, none},
		"vertex 255": {func(s *scene) {
			p := make([]float32, 3*256)
			copy(p, []float32{-1, -3, 0, -1, 1, 0})
			copy(p[3*255:], []float32{3, 1, 0})
			n := make([]float32, len(p))
			for i := 2; i < len(n); i += 3 {
				n[i] = 1
			}
			s.put(obj{"POSITION": s.positions(p...), "NORMAL": s.vec3(n...)}, with(unlit(0, 0, 1, 1), obj{"doubleSided": true}),
				obj{"indices": s.add("SCALAR", ubyte, 3, []uint8{0, 255, 1})})
		}, nil, "primitives restart elsewhere", blue, blue},
		"16-bit positions 6 bytes apart": {func(s *scene) {
			a := s.add("VEC3", 5122, 4, []int16{0, 32767, 0, 32767, 32767, 0, 32767, -32767, 0, 0, -32767, 0}, obj{"normalized": true, "min": arr{0, -32767, 0}, "max": arr{32767, 32767, 0}})
			s.views[len(s.views)-1].(obj)["byteStride"] = 6
			s.put(obj{"POSITION": a}, unlit(1, 0, 0, 1), obj{"indices": s.quadIndices()})
		}, func(d obj) { d["extensionsUsed"] = append(d["extensionsUsed"].(arr), "KHR_mesh_quantization") }, "byteStride: 6 is not a multiple of 4", none, red},
		"a child alone": {func(s *scene) {
			node := s.putQuad(-2, -1, -1, 1, 0, unlit(0, 1, 0, 1))
			node["translation"] = arr{1, 0, 0}
			s.nodes = append(s.nodes, obj{"children": arr{1}, "translation": arr{1, 0, 0}})
		}, func(d obj) { d["scenes"] = arr{obj{"nodes": arr{1, 0}}} }, "is not a root", none, green},
		"a child and its parent": {func(s *scene) {
			// Half transparent: drawn twice it would be less so.
			node := s.putQuad(-2, -1, -1, 1, 0, with(unlit(1, 0, 0, 0.5), obj{"alphaMode": "BLEND"}))
			node["translation"] = arr{1, 0, 0}
			s.nodes = append(s.nodes, obj{"children": arr{1}, "translation": arr{1, 0, 0}})
		}, func(d obj) { d["scenes"] = arr{obj{"nodes": arr{1, 2, 0}}} }, "is not a root", none, color.NRGBA{255, 0, 0, 128}},
		"a root twice": {func(s *scene) {
			s.putQuad(-1, -1, 0, 1, 0, with(unlit(1, 0, 0, 0.5), obj{"alphaMode": "BLEND"}))
		}, func(d obj) { d["scenes"] = arr{obj{"nodes": arr{1, 0, 1}}} }, "is listed twice", color.NRGBA{255, 0, 0, 128}, none},
		"positions that are no numbers": {func(s *scene) {
			p := s.vec3(-1, -1, 0, 0, -1, 0, 0, 1, 0, -1, -1, 0, 0, 1, 0, -1, 1, 0, nan, -9, 0, 9, -9, 0, 0, 9, 0)
			s.put(obj{"POSITION": p}, unlit(0, 0, 1, 1))
			s.accessors[p].(obj)["min"], s.accessors[p].(obj)["max"] = arr{-1, -9, 0}, arr{9, 9, 0}
		}, nil, "numbers of vertices are not finite", blue, none},
		"a factor above 1": {func(s *scene) { s.putQuad(-1, -1, 0, 1, 0, unlit(2, 0, -1, 1)) }, nil, "2 is out of range: 1 stands for it (and 1 more of the kind)", red, none},
		"an alpha mode":    {func(s *scene) { s.putQuad(-1, -1, 0, 1, 0, with(unlit(0, 1, 0, 0.5), obj{"alphaMode": "GLASS"})) }, nil, "OPAQUE stands for it", green, none},
		"colours not normalized": {func(s *scene) {
			q := s.quad(-1, -1, 0, 1, 0)
			q["COLOR_0"] = s.add("VEC4", ubyte, 4, bytes.Repeat([]byte{255, 0, 255, 255}, 4))
			s.put(q, unlit(1, 1, 1, 1), obj{"indices": s.quadIndices()})
		}, nil, "holds UNSIGNED_BYTE, which must be normalized", color.NRGBA{255, 0, 255, 255}, none},
		"an animation": {func(s *scene) {
			s.putQuad(-1, -1, 0, 1, 0, unlit(1, 0, 0, 1))
			s.doc["animations"] = arr{obj{"samplers": arr{obj{"input": 0, "output": 99}}, "channels": arr{obj{"sampler": 0, "target": obj{"node": 1, "path": "scale"}}}}}
		}, nil, "the animation cannot be played", red, none},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene()
			c.make(s)
			change := c.change
			if change == nil {
				change = func(obj) {}
			}
			read := func(strict bool) (*gltf.Document, *image.NRGBA, error) {
				doc, err := gltf.Read(ctx, bytes.NewReader(s.text(t, change)), nil, "scene.gltf", &gltf.Options{Strict: strict})
				if err != nil {
					return nil, nil, err
				}
				m, err := b.Load(ctx, doc)
				if err != nil {
					return nil, nil, err
				}
				defer m.Close()
				img, err := b.Render(ctx, m, studio.View{Width: 8, Height: 8, Samples: 1, Camera: studio.Camera{Document: &doc.Cameras[0]}})
				return doc, img, err
			}
			doc, img, err := read(false)
			if err != nil {
				t.Fatal(err)
			}
			wantPixel(t, img, 2, 4, c.left, 1)
			wantPixel(t, img, 6, 4, c.next, 1)
			if len(doc.Losses) != 1 || !strings.Contains(doc.Losses[0], c.loss) {
				t.Errorf("losses %q, want %q", doc.Losses, c.loss)
			}
			if _, _, err := read(true); err == nil {
				t.Error("no error with Strict")
			}
		})
	}
}

// Why nothing is in a picture, or nothing said where something is.
func TestUnseen(t *testing.T) {
	b := newBench(t)
	quad := func(m obj, x, y, z float32) func(s *scene) {
		return func(s *scene) {
			s.putQuad(-0.5, -0.5, 0.5, 0.5, 0, m)["translation"] = arr{x, y, z}
		}
	}
	plain := func() obj { return unlit(1, 0, 0, 1) }
	back := func(s *scene) {
		s.putQuad(-0.5, -0.5, 0.5, 0.5, 0, plain())["rotation"] = arr{0, 1, 0, 0}
	}
	mirrored := func(s *scene) {
		s.putQuad(-0.5, -0.5, 0.5, 0.5, 0, plain())["scale"] = arr{-1, 1, 1}
	}
	for name, c := range map[string]struct {
		make func(s *scene)
		want string
	}{
		"in the middle":       {quad(plain(), 0, 0, 0), ""},
		"at the edge":         {quad(plain(), 1.4, 0, 0), ""},
		"too far right":       {quad(plain(), 1.6, 0, 0), "it is outside of what the camera sees"},
		"too far up":          {quad(plain(), 0, 1.6, 0), "it is outside of what the camera sees"},
		"too far down":        {quad(plain(), 0, -1.6, 0), "it is outside of what the camera sees"},
		"behind":              {quad(plain(), 0, 0, 6), "it is behind the camera, or nearer than its near plane"},
		"too near":            {quad(plain(), 0, 0, 4.7), "it is behind the camera, or nearer than its near plane"},
		"too far":             {quad(plain(), 0, 0, -16), "it is beyond the camera's far plane"},
		"its back":            {back, "its triangles turn their backs to the camera, and no material is doubleSided"},
		"its mirror image":    {mirrored, ""},
		"its back, two sides": {func(s *scene) { back(s); s.materials[0].(obj)["doubleSided"] = true }, ""},
		"both":                {func(s *scene) { back(s); quad(plain(), 0.1, 0, 0)(s) }, ""},
		"most": {func(s *scene) { back(s); back(s); quad(plain(), 9, 0, 0)(s) },
			"of most (4 of 6 parts) its triangles turn their backs to the camera, and no material is doubleSided; other parts are lost otherwise"},
		"cut away":    {quad(with(unlit(1, 0, 0, 0.4), obj{"alphaMode": "MASK"}), 0, 0, 0), "its materials are transparent"},
		"not quite":   {quad(with(unlit(1, 0, 0, 0.5), obj{"alphaMode": "MASK"}), 0, 0, 0), ""},
		"transparent": {quad(with(unlit(1, 0, 0, 0), obj{"alphaMode": "BLEND"}), 0, 0, 0), "its materials are transparent"},
		"opaque":      {quad(unlit(1, 0, 0, 0), 0, 0, 0), ""},
		"no area":     {func(s *scene) { s.putQuad(0, -0.5, 0, 0.5, 0, plain()) }, "its triangles have no area"},
		"beyond numbers": {func(s *scene) {
			s.putQuad(-0.5, -0.5, 0.5, 0.5, 0, plain())["scale"] = arr{3e38, 3e38, 3e38}
			for n := 1; n <= 8; n++ { // 3e38 to the ninth power
				s.nodes = append(s.nodes, obj{"children": arr{n}, "scale": arr{3e38, 3e38, 3e38}})
			}
		}, "its positions are beyond the range of numbers"},
		"a point":       {func(s *scene) { s.put(obj{"POSITION": s.positions(0, 0, 0)}, plain(), obj{"mode": 0}) }, ""},
		"a point aside": {func(s *scene) { s.put(obj{"POSITION": s.positions(0, 2, 0)}, plain(), obj{"mode": 0}) }, "it is outside of what the camera sees"},
		"hidden": {func(s *scene) {
			s.putQuad(-0.5, -0.5, 0.5, 0.5, 0, plain())["extensions"] = obj{"KHR_node_visibility": obj{"visible": false}}
		}, "the nodes of its meshes are hidden"},
		"no mesh": {func(*scene) {}, "the model has no mesh"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene()
			c.make(s)
			doc, err := gltf.Read(ctx, bytes.NewReader(s.text(t)), nil, "scene.gltf", nil)
			if err != nil {
				t.Fatal(err)
			}
			m, err := b.Load(ctx, doc)
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			v := studio.View{Width: 64, Height: 64, Samples: 1, Camera: studio.Camera{Document: &doc.Cameras[0]}}
			got, err := b.Unseen(ctx, m, v)
			if err != nil || got != c.want {
				t.Errorf("%q, %v; want %q", got, err, c.want)
			}
			// The picture agrees.
			img, err := b.Render(ctx, m, v)
			if err != nil {
				t.Fatal(err)
			}
			if blank := studio.Blank(img); blank != (c.want != "") {
				t.Errorf("the picture is blank: %v", blank)
			}
		})
	}
}

// A perspective camera, some of whose triangles pass the eye.
func TestUnseen_TrianglesThatPassTheEye(t *testing.T) {
	b := newBench(t)
	for name, c := range map[string]struct {
		positions []float32
		sides     bool
		want      bool // is it seen?
	}{
		"floor":              {[]float32{-9, -1, 9, 9, -1, 9, 0, -1, -90}, false, true},
		"floor from below":   {[]float32{-9, 1, 9, 9, 1, 9, 0, 1, -90}, false, false},
		"ceiling":            {[]float32{9, 1, 9, -9, 1, 9, 0, 1, -90}, false, true},
		"floor, both sides":  {[]float32{-9, 1, 9, 9, 1, 9, 0, 1, -90}, true, true},
		"all behind the eye": {[]float32{-9, -1, 9, 9, -1, 9, 0, -1, 1}, true, false},
	} {
		s := newScene()
		s.put(obj{"POSITION": s.positions(c.positions...)}, with(unlit(1, 0, 0, 1), obj{"doubleSided": c.sides}))
		doc := s.document(t)
		m, err := b.Load(ctx, doc)
		if err != nil {
			t.Fatal(err)
		}
		v := studio.View{Width: 64, Height: 64, Samples: 1, Camera: studio.Camera{Fixed: sampleCamera(mat.Vec3{})}}
		why, err := b.Unseen(ctx, m, v)
		if err != nil || (why == "") != c.want {
			t.Errorf("%s: %q, %v", name, why, err)
		}
		img, err := b.Render(ctx, m, v)
		if err != nil || studio.Blank(img) == c.want {
			t.Errorf("%s: the picture disagrees, %v", name, err)
		}
		m.Close()
	}
}

package studio_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image/color"
	"math"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/gltf"
	"github.com/pumice-gpu/pumice/gltf/mat"
	"github.com/pumice-gpu/pumice/gltf/studio"
)

// world says where a scene stands, and how large it is: at is a multiple of a quarter that binary32
// holds, and size a power of two, so that each picture of a scene must have the same bytes.
type world struct {
	at   [3]float64
	size float64
}

var home = world{size: 1}

// abroad are other worlds: near, far, a planet and a board in nanometres.
var abroad = []world{
	{[3]float64{1, -2, 0.5}, 1},
	{[3]float64{1e3, 0, -250}, 1},
	{[3]float64{1e6, 250_000, -500_000}, 1},
	{[3]float64{1e9, -1 << 27, 1 << 30}, 1},
	{[3]float64{}, 1 << 23},
	{[3]float64{}, 1.0 / (1 << 34)},
	{[3]float64{-299510464, 98424296, -975000}, 1 << 15},
	{[3]float64{1 << 60, 0, 0}, 1 << 50},
	{[3]float64{1 << 44, -1 << 47, 1 << 43}, 1}, // where binary64 has no hundredths
}

// A place is what a test puts into a world; view is drawn of it.
type place struct {
	fill func(s *scene, w world)
	view func(v *studio.View)
	// moved says that fill itself puts things where the world is: the root stays at its origin.
	moved bool
}

// stairs are quads that face +z, at whole quarters, moved by whole numbers.
func (s *scene) stairs(x, y, z float32, more obj) obj {
	var positions, normals []float32
	var indices []uint16
	for i := range 4 {
		e := 1 - float32(i)/4
		n := uint16(4 * i)
		for _, c := range [][2]float32{{-e, -e}, {e, -e}, {e, e / 2}, {-e, e}} {
			positions = append(positions, x+c[0], y+c[1], z+float32(i)/4)
			normals = append(normals, float32(i)*0.1, 0, 1)
		}
		indices = append(indices, n, n+1, n+2, n, n+2, n+3)
	}
	for i := 0; i < len(normals); i += 3 {
		l := float32(math.Sqrt(float64(normals[i]*normals[i]) + 1))
		normals[i], normals[i+2] = normals[i]/l, normals[i+2]/l
	}
	a := obj{"POSITION": s.positions(positions...), "NORMAL": s.vec3(normals...)}
	p := obj{"indices": s.add("SCALAR", ushort, len(indices), indices)}
	for k, v := range more {
		if k == "attributes" {
			for name, accessor := range v.(obj) {
				a[name] = accessor
			}
			continue
		}
		p[k] = v
	}
	return s.put(a, surface(0.8, 0.5, 0.3, 0.2, 0.4), p)
}

// skinned gives stairs two joints.
func (s *scene) skinned(at [3]float32, inverse []float32) {
	joints, weights := make([]uint8, 64), make([]float32, 64)
	for i := range 16 {
		joints[4*i+1] = 1
		weights[4*i] = float32(i) / 15
		weights[4*i+1] = 1 - weights[4*i]
	}
	node := s.stairs(at[0], at[1], at[2], obj{"attributes": obj{
		"JOINTS_0": s.add("VEC4", ubyte, 16, joints), "WEIGHTS_0": s.add("VEC4", float, 16, weights),
	}})
	node["skin"] = 0
	first := len(s.nodes)
	s.nodes = append(s.nodes, obj{"translation": arr{0.1, 0.2, 0}},
		obj{"translation": arr{0.3, 0, -0.2}, "rotation": about(0.4)})
	skin := obj{"joints": arr{first, first + 1}}
	if inverse != nil {
		skin["inverseBindMatrices"] = s.add("MAT4", float, 2, inverse)
	}
	s.doc["skins"] = arr{skin}
}

// lens is a perspective camera of the document before the scene.
func lens(s *scene, w world) {
	s.doc["cameras"] = arr{obj{"type": "perspective", "perspective": obj{"yfov": 0.6, "znear": 0.5 * w.size, "zfar": 40 * w.size}}}
	s.nodes[0] = obj{"camera": 0, "translation": arr{0.3, 0.7, 4}, "rotation": about(-0.15)}
}

func places() map[string]place {
	balls := func(s *scene, w world) {
		s.putBall(0, 0, 0, 1, surface(0.9, 0.4, 0.2, 0, 0.9))
		s.putBall(0.3, 1.1, 0.2, 0.3, surface(0.9, 0.9, 0.9, 1, 0.2))
	}
	return map[string]place{
		"balls": {fill: balls},
		"ground": {fill: balls, view: func(v *studio.View) {
			v.Ground, v.ShowEnvironment, v.EnvironmentBlur = true, true, 0.4
		}},
		"orthographic": {fill: balls, view: func(v *studio.View) { v.Camera.Orthographic = true }},
		"depth":        {fill: balls, view: func(v *studio.View) { v.Pass = studio.PassDepth }},
		"normals":      {fill: balls, view: func(v *studio.View) { v.Pass = studio.PassNormal }},
		"wireframe":    {fill: balls, view: func(v *studio.View) { v.Pass = studio.PassWireframe }},
		"turning":      {fill: balls, view: func(v *studio.View) { v.Camera.Turning = true }},
		"child": {fill: func(s *scene, w world) {
			s.stairs(0, 0, 0, nil)
			node := s.stairs(0, 0, 0, nil)
			node["translation"], node["scale"], node["rotation"] = arr{0.3, 0.4, 0.7}, arr{0.3, 0.3, 0.2}, about(0.7)
			s.nodes = append(s.nodes, obj{"children": arr{len(s.nodes) - 1}, "translation": arr{0.1, 0.7, 0.3}, "rotation": about(0.3)})
		}},
		"matrix": {moved: true, fill: func(s *scene, w world) {
			s.stairs(0, 0, 0, nil)["matrix"] = arr{w.size, 0, 0, 0, 0, w.size, 0, 0, 0, 0, w.size, 0, w.at[0], w.at[1], w.at[2], 1}
		}},
		"instanced": {fill: func(s *scene, w world) {
			node := s.stairs(0, 0, 0, nil)
			node["extensions"] = obj{"EXT_mesh_gpu_instancing": obj{"attributes": obj{
				"TRANSLATION": s.vec3(0.3, 0, 0, -0.7, 0.4, 0.2, 0.1, -0.9, 0.6),
				"SCALE":       s.vec3(0.5, 0.5, 0.5, 0.3, 0.4, 0.6, 0.2, 0.2, 0.2),
			}}}
		}},
		"skinned": {fill: func(s *scene, w world) { s.skinned([3]float32{}, nil) }},
		"morph": {fill: func(s *scene, w world) {
			target := make([]float32, 48)
			for i := range target {
				target[i] = float32(i%7) * 0.03
			}
			s.stairs(0, 0, 0, obj{"targets": arr{obj{"POSITION": s.vec3(target...)}}})["weights"] = arr{0.7}
		}},
		"animated": {moved: true, fill: func(s *scene, w world) {
			node := s.stairs(0, 0, 0, nil)
			node["scale"] = arr{w.size, w.size, w.size}
			at := [3]float32{float32(w.at[0]), float32(w.at[1]), float32(w.at[2])}
			times := s.add("SCALAR", float, 2, []float32{0, 2}, obj{"min": arr{0}, "max": arr{2}})
			s.doc["animations"] = arr{obj{
				"samplers": arr{obj{"input": times, "output": s.vec3(at[0], at[1], at[2], at[0], at[1], at[2])}},
				"channels": arr{obj{"sampler": 0, "target": obj{"node": 1, "path": "translation"}}},
			}}
		}},
		"lights": {fill: func(s *scene, w world) {
			balls(s, w)
			candela := func(i float64) float64 { return i * w.size * w.size }
			s.light(obj{"type": "point", "intensity": candela(4), "color": arr{1, 0.5, 0.2}, "range": 6 * w.size}, obj{"translation": arr{1.3, 1.2, 1.7}})
			s.light(obj{"type": "spot", "intensity": candela(20), "spot": obj{"outerConeAngle": 0.5}}, obj{"translation": arr{-0.4, 0.3, 3}})
			s.light(obj{"type": "directional", "intensity": 0.7}, obj{"rotation": about(-0.8)})
		}},
		"camera": {fill: func(s *scene, w world) { lens(s, w); balls(s, w) }, view: func(v *studio.View) {}},
		"volume": {fill: func(s *scene, w world) {
			s.stairs(0, 0, 0, nil)
			glass := extended(surface(1, 1, 1, 0, 0), "transmission", obj{"transmissionFactor": 1})
			glass = extended(glass, "volume", obj{"thicknessFactor": 0.4, "attenuationDistance": 0.5 * w.size, "attenuationColor": arr{0.2, 0.75, 0.5}})
			s.putBall(0.1, 0.1, 0.9, 0.6, glass)
		}},
	}
}

// draw puts a place into a world and draws it.
func (p *place) draw(t *testing.T, b *bench, name string, w world) []byte {
	t.Helper()
	s := newScene()
	p.fill(s, w)
	if !p.moved {
		root, children := obj{"scale": arr{w.size, w.size, w.size}, "translation": arr{w.at[0], w.at[1], w.at[2]}}, arr{}
		below := map[int]bool{}
		for _, n := range s.nodes {
			if list, ok := n.(obj)["children"].(arr); ok {
				for _, c := range list {
					below[c.(int)] = true
				}
			}
		}
		for i := range s.nodes {
			if !below[i] {
				children = append(children, i)
			}
		}
		root["children"] = children
		s.nodes = append(s.nodes, root)
	}
	doc := s.document(t)
	v := studio.View{Width: 96, Height: 80, Camera: studio.Camera{Yaw: 30, Pitch: 15}}
	if p.view != nil {
		p.view(&v)
	}
	if name == "camera" {
		v.Camera = studio.Camera{Document: &doc.Cameras[0]}
	}
	if len(doc.Animations) > 0 {
		v.Animation, v.Time = &doc.Animations[0], 0.7
	}
	img := b.draw(doc, v)
	if w == home {
		keep(t, name, img)
		if covered(img).count() < 500 {
			t.Errorf("%s: only %d pixels are drawn", name, covered(img).count())
		}
	}
	return img.Pix
}

// TestFar_SameBytesAnywhere: where a scene stands and what its unit is does not show, as a framing camera
// depends on neither, and no number that is drawn with is far from the eye.
func TestFar_SameBytesAnywhere(t *testing.T) {
	b := newBench(t)
	for name, p := range places() {
		t.Run(name, func(t *testing.T) {
			want := p.draw(t, b, name, home)
			for _, w := range abroad {
				if got := p.draw(t, b, name, w); !bytes.Equal(got, want) {
					t.Errorf("%v times as large at %v: %d bytes differ from those at home", w.size, w.at, differing(got, want))
				}
			}
		})
	}
}

// TestFar_SizeOfVertices: what is large or small in the file itself, with normals of its own making, bumps of a texture, and
// a volume, whose lengths go by the node's scale.
func TestFar_SizeOfVertices(t *testing.T) {
	b := newBench(t)
	bumps := palette([]color.NRGBA{{160, 128, 240, 255}, {100, 140, 235, 255}}, []color.NRGBA{{128, 90, 240, 255}, {140, 150, 238, 255}})
	draw := func(size float32) []byte {
		s := newScene()
		plain := s.quad(-size, -size, size, size, 0)
		delete(plain, "NORMAL")
		s.put(plain, surface(0.7, 0.3, 0.2, 0.5, 0.5), obj{"indices": s.quadIndices()})
		bumpy := with(surface(0.3, 0.7, 0.2, 1, 0.3), obj{"normalTexture": s.texture(bumps)})
		s.putQuad(-size/2, -size/2, size, size/2, size/4, bumpy)
		glass := extended(surface(1, 1, 1, 0, 0.2), "transmission", obj{"transmissionFactor": 1})
		glass = extended(glass, "volume", obj{"thicknessFactor": 0.4 * size, "attenuationDistance": 0.5 * size, "attenuationColor": arr{0.2, 0.75, 0.5}})
		s.putQuad(-size, -size, -size/4, size, size/2, extended(glass, "anisotropy", obj{"anisotropyStrength": 0.7}))
		img := b.draw(s.document(t), studio.View{Width: 96, Height: 80, Camera: studio.Camera{Yaw: 30, Pitch: 15}})
		if size == 1 {
			keep(t, "vertices", img)
		}
		return img.Pix
	}
	want := draw(1)
	for _, e := range []int{-100, -70, -34, 23, 70, 100} {
		if got := draw(float32(math.Ldexp(1, e))); !bytes.Equal(got, want) {
			t.Errorf("2^%d: %d bytes differ", e, differing(got, want))
		}
	}
}

func differing(a, b []byte) (n int) {
	for i := range a {
		if a[i] != b[i] {
			n++
		}
	}
	return n
}

// TestFar_BakedPositions: meshes whose own vertices are far away, as exporters of buildings write them,
// at whole numbers, which binary32 has up to 2^22 in quarters.
func TestFar_BakedPositions(t *testing.T) {
	b := newBench(t)
	move := func(x, y, z float32) []float32 {
		return []float32{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, z, 1}
	}
	target := make([]float32, 48)
	for i := range target {
		target[i] = float32(i%7) * 0.03
	}
	for name, fill := range map[string]func(s *scene, at [3]float32){
		"static": func(s *scene, at [3]float32) { s.stairs(at[0], at[1], at[2], nil) },
		"turned": func(s *scene, at [3]float32) {
			// A quarter turn about y.
			s.stairs(at[0], at[1], at[2], nil)["matrix"] = arr{0, 0, -1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1}
		},
		"morph": func(s *scene, at [3]float32) {
			s.stairs(at[0], at[1], at[2], obj{"targets": arr{obj{"POSITION": s.vec3(target...)}}})["weights"] = arr{0.7}
		},
		"skinned": func(s *scene, at [3]float32) {
			s.skinned(at, append(move(-at[0], -at[1], -at[2]), move(-at[0], -at[1], -at[2])...))
		},
		"taken back": func(s *scene, at [3]float32) {
			s.stairs(at[0], at[1], at[2], nil)["translation"] = arr{-at[0], -at[1], -at[2]}
		},
	} {
		t.Run(name, func(t *testing.T) {
			draw := func(at [3]float32) []byte {
				s := newScene()
				fill(s, at)
				img := b.draw(s.document(t), studio.View{Width: 96, Height: 80, Camera: studio.Camera{Yaw: 30, Pitch: 15}})
				if covered(img).count() < 500 {
					t.Errorf("only %d pixels are drawn", covered(img).count())
				}
				return img.Pix
			}
			want := draw([3]float32{})
			for _, at := range [][3]float32{{100, 0, 0}, {2048, -4096, 0}, {1e6, -2e6, 3e6}, {0, 0, -4e6}} {
				if got := draw(at); !bytes.Equal(got, want) {
					t.Errorf("vertices at %v: %d bytes differ", at, differing(got, want))
				}
			}
		})
	}
}

// TestFar_JSONNumbersAreBinary64: two nodes at project coordinates meet as they do at home: binary32 has
// no quarter of a unit there.
func TestFar_JSONNumbersAreBinary64(t *testing.T) {
	b := newBench(t)
	draw := func(x, y float64) []byte {
		s := newScene()
		s.stairs(0, 0, 0, nil)["translation"] = arr{x, y, 0}
		s.stairs(0, 0, 0, nil)["translation"] = arr{x + 0.125, y + 2.0625, 0.375}
		s.stairs(0, 0, 0, nil)["matrix"] = arr{0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0.5, 0, x - 1.03125, y - 0.8125, 1, 1}
		return b.draw(s.document(t), studio.View{Width: 96, Height: 80, Camera: studio.Camera{Yaw: 30, Pitch: 15}}).Pix
	}
	want := draw(0, 0)
	for _, at := range [][2]float64{{2_600_000.25, 1_200_000.75}, {-1e9 - 0.25, 7e8 + 0.5}} {
		if got := draw(at[0], at[1]); !bytes.Equal(got, want) {
			t.Errorf("at %v: %d bytes differ", at, differing(got, want))
		}
	}
}

// TestFar_EyeInALargeScene: a small thing beside the camera is drawn as finely in a scene that
// reaches far as alone. What is far away is behind the camera, and does not show.
func TestFar_EyeInALargeScene(t *testing.T) {
	b := newBench(t)
	draw := func(x float64, far bool) []byte {
		s := newScene()
		if far {
			s.putBall(0, 0, 0, 1, surface(0.9, 0.4, 0.2, 0, 0.9))["translation"] = arr{0, 0, 1e5}
		}
		s.stairs(0, 0, 0, nil)["translation"] = arr{x, 0.25, 0}
		lens(s, home)
		s.nodes[0].(obj)["translation"] = arr{x + 0.25, 0.75, 4}
		s.light(obj{"type": "point", "intensity": 0.1}, obj{"translation": arr{x + 0.5, 0.25, 0.875}})
		doc := s.document(t)
		return b.draw(doc, studio.View{Width: 96, Height: 80, Camera: studio.Camera{Document: &doc.Cameras[0]}}).Pix
	}
	want := draw(0, false)
	for _, x := range []float64{1e5, 7e6, -3e8} {
		if got := draw(x, true); !bytes.Equal(got, want) {
			t.Errorf("at %v: %d bytes differ", x, differing(got, want))
		}
	}
}

// TestFar_FixedCamera takes places in the document's world.
func TestFar_FixedCamera(t *testing.T) {
	b := newBench(t)
	draw := func(at mat.DVec3) []byte {
		s := newScene()
		s.stairs(0, 0, 0, nil)["translation"] = arr{at[0], at[1], at[2]}
		return b.draw(s.document(t), studio.View{Width: 96, Height: 80, Camera: studio.Camera{Fixed: &studio.FixedCamera{
			View:       mat.DLookAt(mat.DVec3{1, 2, 5}, mat.DVec3{}, mat.DVec3{0, 1, 0}).Single(),
			Projection: mat.Perspective(0.6, 1.2, 0.5, 50), Eye: at.Add(mat.DVec3{1, 2, 5}),
		}}}).Pix
	}
	want := draw(mat.DVec3{})
	if got := draw(mat.DVec3{1e9, 5e8, -7e7}); !bytes.Equal(got, want) {
		t.Errorf("%d bytes differ", differing(got, want))
	}
}

// TestFar_AnyPowerOfTwo draws stairs from the smallest to the largest that binary32 has positions for.
func TestFar_AnyPowerOfTwo(t *testing.T) {
	b := newBench(t)
	p := places()["child"]
	want := p.draw(t, b, "child", home)
	for _, e := range []int{-100, -60, 60, 100} {
		t.Run(fmt.Sprint(e), func(t *testing.T) {
			if got := p.draw(t, b, "child", world{size: math.Ldexp(1, e)}); !bytes.Equal(got, want) {
				t.Errorf("%d bytes differ", differing(got, want))
			}
		})
	}
}

// Files that write coordinates of a map as text, or as binary64, have their picture from near by.
func TestFar_MeshFiles(t *testing.T) {
	b := newBench(t)
	corners := [][3]float64{{0, 0, 0}, {2, 0, 0}, {2, 1.5, 0.25}, {0, 1, 0.5}, {1, 0.5, 2.125}}
	faces := [][3]int{{0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}, {1, 0, 3}, {1, 3, 2}}
	formats := map[string]func(at mat.DVec3) string{
		"a.obj": func(at mat.DVec3) string {
			var text strings.Builder
			for _, c := range corners {
				fmt.Fprintf(&text, "v %.3f %.3f %.3f\n", c[0]+at[0], c[1]+at[1], c[2]+at[2])
			}
			for _, f := range faces {
				fmt.Fprintf(&text, "f %d %d %d\n", f[0]+1, f[1]+1, f[2]+1)
			}
			return text.String()
		},
		"a.stl": func(at mat.DVec3) string {
			text := "solid\n"
			for _, f := range faces {
				text += "facet normal 0 0 0\nouter loop\n"
				for _, v := range f {
					c := corners[v]
					text += fmt.Sprintf("vertex %.3f %.3f %.3f\n", c[0]+at[0], c[1]+at[1], c[2]+at[2])
				}
				text += "endloop\nendfacet\n"
			}
			return text + "endsolid\n"
		},
		"a.ply": func(at mat.DVec3) string {
			text := []byte("ply\nformat binary_little_endian 1.0\nelement vertex 5\nproperty double x\nproperty double y\nproperty double z\n" +
				"element face 6\nproperty list uchar int vertex_indices\nend_header\n")
			for _, c := range corners {
				for k := range 3 {
					text = binary.LittleEndian.AppendUint64(text, math.Float64bits(c[k]+at[k]))
				}
			}
			for _, f := range faces {
				text = append(text, 3)
				for _, v := range f {
					text = binary.LittleEndian.AppendUint32(text, uint32(v))
				}
			}
			return string(text)
		},
	}
	for name, write := range formats {
		var home []byte
		for _, at := range []mat.DVec3{{}, {2_600_000.125, 1_200_000, 450}, {-4_500_000_000, 0, 70_000.5}} {
			doc, err := gltf.Read(ctx, strings.NewReader(write(at)), nil, name, nil)
			if err != nil {
				t.Fatal(err)
			}
			img := b.draw(doc, studio.View{Width: 64, Height: 64, Samples: 4})
			switch {
			case home == nil:
				if home = img.Pix; studio.Blank(img) {
					t.Errorf("%s: nothing is drawn", name)
				}
			case !bytes.Equal(img.Pix, home):
				t.Errorf("%s at %v: another picture", name, at)
			}
		}
	}
}

package studio_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io/fs"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/gltf"
	"github.com/pumice-gpu/pumice/gltf/mat"
	"github.com/pumice-gpu/pumice/gltf/studio"
)

// passes are those that draw no picture, by name.
var passes = map[string]studio.Pass{
	"depth": studio.PassDepth, "normal": studio.PassNormal, "id": studio.PassID, "wireframe": studio.PassWireframe, "overdraw": studio.PassOverdraw,
}

// drawPass draws a scene of size × size pixels in a pass, through its camera 0 where the view has none: as colours and as numbers.
func (b *bench) drawPass(s *scene, size int, v studio.View) (*image.NRGBA, func(x, y int) [4]float32) {
	b.t.Helper()
	doc := s.document(b.t)
	m, err := b.Load(ctx, doc)
	if err != nil {
		b.t.Fatal(err)
	}
	defer m.Close()
	v.Width, v.Height = size, size
	if v.Camera.Position == nil {
		v.Camera.Document = &doc.Cameras[0]
	}
	img, err := b.Render(ctx, m, v)
	if err != nil {
		b.t.Fatal(err)
	}
	raw, err := b.RenderLinear(ctx, m, v)
	if err != nil {
		b.t.Fatal(err)
	}
	return img, func(x, y int) [4]float32 { return [4]float32(raw.Pixels[4*(y*size+x):]) }
}

// eyeAt5 is a perspective camera at z = 5 that looks along -z with tan(half its angle of view) = 1/2.
func eyeAt5(s *scene) {
	s.doc["cameras"] = arr{obj{"type": "perspective", "perspective": obj{"yfov": 2 * math.Atan(0.5), "znear": 0.5, "zfar": 40}}}
}

// wantDepth allows 8 units in the last place: positions, the product and the sum are rounded.
func wantDepth(t *testing.T, what string, got [4]float32, want float64) {
	t.Helper()
	if math.Abs(float64(got[0])-want) > want*8/(1<<24) || got[1] != got[0] || got[2] != got[0] || got[3] != 1 {
		t.Errorf("%s: %v, want a depth of %v", what, got, want)
	}
}

func TestDepth_IsAlongTheView(t *testing.T) {
	b := newBench(t)
	v := studio.View{Pass: studio.PassDepth}
	// A plane before the eye has one depth in all of the picture, however far its places are from the eye.
	for _, perspective := range []bool{false, true} {
		s := newScene()
		if perspective {
			eyeAt5(s)
		}
		s.putQuad(-9, -9, 9, 9, -2, unlit(1, 1, 1, 1))
		_, at := b.drawPass(s, 8, v)
		for i := range 8 {
			wantDepth(t, fmt.Sprintf("plane, perspective %v", perspective), at(i, i/2), 7)
		}
	}
	// One that leans away to the right, z = -x, with corners that lie on corners of pixels.
	s := newScene()
	eyeAt5(s)
	a := s.quad(-1, -8, 3, 8, 0)
	a["POSITION"] = s.positions(-1, 8, 1, 3, 8, -3, 3, -8, -3, -1, -8, 1)
	s.put(a, base(1, 1, 1, 1), obj{"indices": s.quadIndices()})
	_, at := b.drawPass(s, 8, v)
	for x := 2; x < 7; x++ { // from x/(5-z) = -1/4 to 3/8, at a half of which the picture ends
		q := 0.5 * (2*(float64(x)+0.5)/8 - 1) // the ray goes through x = q·d, and x = -z = d - 5
		wantDepth(t, fmt.Sprintf("column %d", x), at(x, 4), 5/(1-q))
	}
}

// The unit is the document's, and the eye is where the camera stands, wherever that is.
func TestDepth_IsInTheDocumentsUnit(t *testing.T) {
	b := newBench(t)
	for _, c := range []struct{ size, x float64 }{{1, 0}, {1000, 0}, {1e-6, 0}, {1, 1 << 30}, {64, 1 << 40}} {
		s := newScene()
		s.putQuad(-1, -1, 1, 1, 0, unlit(1, 1, 1, 1))
		s.nodes[1].(obj)["scale"] = arr{c.size, c.size, c.size}
		s.nodes[1].(obj)["translation"] = arr{c.x, 0, 0}
		eye, target := mat.DVec3{c.x, 0, 3 * c.size}, mat.DVec3{c.x, 0, 0}
		for _, ortho := range []bool{false, true} {
			_, at := b.drawPass(s, 5, studio.View{Pass: studio.PassDepth, Camera: studio.Camera{Position: &eye, Target: &target, Orthographic: ortho, Zoom: 0.5}})
			wantDepth(t, fmt.Sprintf("%v times as large at %v, orthographic %v", c.size, c.x, ortho), at(2, 2), 3*c.size)
		}
	}
}

// As colours the nearest place is white and the farthest dark grey, and between them it is linear.
func TestDepth_Colours(t *testing.T) {
	b := newBench(t)
	s := newScene()
	s.putQuad(-1, -1, -0.5, 1, 1, unlit(1, 1, 1, 1))   // 4
	s.putQuad(-0.5, -1, 0, 1, 0, unlit(0, 0, 0, 1))    // 5
	s.putQuad(0, -1, 0.5, 1, -3, unlit(1, 0, 0, 0.25)) // 8
	img, at := b.drawPass(s, 4, studio.View{Pass: studio.PassDepth})
	for x, want := range []color.NRGBA{{255, 255, 255, 255}, {204, 204, 204, 255}, {51, 51, 51, 255}, none} {
		wantPixel(t, img, x, 1, want, 0)
	}
	if got := at(3, 1); got != [4]float32{} {
		t.Errorf("nothing is %v", got)
	}
	s = newScene()
	s.putQuad(-1, -1, 1, 1, 1, unlit(1, 1, 1, 1))
	img, _ = b.drawPass(s, 2, studio.View{Pass: studio.PassDepth})
	wantPixel(t, img, 0, 0, white, 0)
}

// bump is a normal texture of the one normal (0.6, 0, 0.8): 255·(0.5·n + 0.5) = 204, 127.5, 229.5.
func bump(s *scene) obj { return s.texture(palette([]color.NRGBA{{204, 128, 230, 255}})) }

func TestNormal_IsThatOfShading(t *testing.T) {
	b := newBench(t)
	double := obj{"doubleSided": true}
	leaning := func(s *scene) obj { // by (2, 1, 2)/3
		a := s.quad(-1, -1, 1, 1, 0)
		n := []float32{2. / 3, 1. / 3, 2. / 3}
		a["NORMAL"] = s.vec3(append(append(append(append([]float32{}, n...), n...), n...), n...)...)
		return a
	}
	for name, c := range map[string]struct {
		fill func(s *scene)
		want [3]float64
	}{
		"facing":   {func(s *scene) { s.putQuad(-1, -1, 1, 1, 0, base(1, 0, 0, 1)) }, [3]float64{0, 0, 1}},
		"unlit":    {func(s *scene) { s.putQuad(-1, -1, 1, 1, 0, unlit(1, 0, 0, 1)) }, [3]float64{0, 0, 1}},
		"vertices": {func(s *scene) { s.put(leaning(s), base(1, 0, 0, 1), obj{"indices": s.quadIndices()}) }, [3]float64{2. / 3, 1. / 3, 2. / 3}},
		"layered": {func(s *scene) {
			s.put(leaning(s), extended(base(1, 0, 0, 1), "clearcoat", obj{"clearcoatFactor": 1}), obj{"indices": s.quadIndices()})
		}, [3]float64{2. / 3, 1. / 3, 2. / 3}},
		// The node is twice as wide: normals lean less to its side, (2/3/2, 1/3, 2/3) of length √5·√(1/5)...
		"scaled": {func(s *scene) {
			s.put(leaning(s), base(1, 0, 0, 1), obj{"indices": s.quadIndices()})["scale"] = arr{2, 1, 1}
		}, [3]float64{1 / math.Sqrt(6), 1 / math.Sqrt(6), 2 / math.Sqrt(6)}},
		// From behind it is turned around: the node is turned by half a turn about y.
		"back": {func(s *scene) {
			s.put(leaning(s), with(base(1, 0, 0, 1), double), obj{"indices": s.quadIndices()})["rotation"] = arr{0, 1, 0, 0}
		}, [3]float64{2. / 3, -1. / 3, 2. / 3}},
		"mirrored": {func(s *scene) {
			s.put(leaning(s), base(1, 0, 0, 1), obj{"indices": s.quadIndices()})["scale"] = arr{-1, 1, 1}
		}, [3]float64{-2. / 3, 1. / 3, 2. / 3}},
		"texture": {func(s *scene) {
			s.putQuad(-1, -1, 1, 1, 0, with(base(1, 0, 0, 1), obj{"normalTexture": bump(s)}))
		}, [3]float64{153, 1, 205}}, // 2·204 - 255, …; made a unit vector below
		"texture, scaled": {func(s *scene) {
			s.putQuad(-1, -1, 1, 1, 0, with(base(1, 0, 0, 1), obj{"normalTexture": with(bump(s), obj{"scale": 0.5})}))
		}, [3]float64{153 * 0.5, 1 * 0.5, 205}},
		"texture of a layered material": {func(s *scene) {
			m := extended(base(1, 0, 0, 1), "sheen", obj{"sheenColorFactor": arr{1, 1, 1}})
			s.putQuad(-1, -1, 1, 1, 0, with(m, obj{"normalTexture": bump(s)}))
		}, [3]float64{153, 1, 205}},
		"glass": {func(s *scene) { s.putQuad(-1, -1, 1, 1, 0, clear(1, 1, 1, 0)) }, [3]float64{0, 0, 1}},
		"line": {func(s *scene) {
			s.put(obj{"POSITION": s.positions(-2, 0, 0, 2, 0, 0)}, base(1, 0, 0, 1), obj{"mode": 1})
		}, [3]float64{0, 0, 0}},
	} {
		s := newScene()
		c.fill(s)
		img, at := b.drawPass(s, 5, studio.View{Pass: studio.PassNormal})
		length := math.Sqrt(c.want[0]*c.want[0] + c.want[1]*c.want[1] + c.want[2]*c.want[2])
		got, bytes := at(2, 2), img.NRGBAAt(2, 2)
		if got[3] != 1 || bytes.A != 255 {
			t.Errorf("%s: nothing is drawn", name)
		}
		for i, w := range c.want {
			if length > 0 {
				w /= length
			}
			// Textures are 8 bits, decoded exactly; the tangents are found from their coordinates.
			if math.Abs(float64(got[i])-w) > 2e-6 {
				t.Errorf("%s: %v, want %v", name, got, c.want)
				break
			}
			if v := 255 * (w*0.5 + 0.5); math.Abs(float64([3]uint8{bytes.R, bytes.G, bytes.B}[i])-v) > 0.5+0.001 {
				t.Errorf("%s: %v, want %.2f in channel %d", name, bytes, v, i)
			}
		}
	}
}

// Numbers count the primitives of all nodes and their instances in the order of the document; of a colour they are
// the bits, lowest first, to red, green and blue from their highest bits on.
func TestID_NumbersAndNames(t *testing.T) {
	b := newBench(t)
	s := newScene()
	// Node 1: hidden. Node 2: two primitives. Node 3: a mesh of one primitive, four times. Node 4: one primitive, blended.
	s.putQuad(-1, -1, 1, 1, 3, unlit(1, 0, 0, 1))["extensions"] = obj{"KHR_node_visibility": obj{"visible": false}}
	two := s.putQuad(-1, 0.5, 0, 1, 0, with(unlit(1, 0, 0, 1), obj{"name": "clay"}))
	two["name"] = "pair"
	s.materials = append(s.materials, with(unlit(0, 0, 0, 1), obj{"name": "tin"}))
	mesh := s.meshes[1].(obj)
	mesh["primitives"] = append(mesh["primitives"].(arr), obj{
		"attributes": s.quad(0, 0.5, 1, 1, 0), "indices": s.quadIndices(), "material": len(s.materials) - 1,
	})
	s.putQuad(-1, 0, -0.5, 0.5, 0, unlit(1, 0, 0, 1))["extensions"] = obj{"EXT_mesh_gpu_instancing": obj{"attributes": obj{
		"TRANSLATION": s.vec3(0, 0, 0, 0.5, 0, 0, 1, 0, 0, 1.5, 0, 0),
	}}}
	s.putQuad(-1, -0.5, 1, 0, 0, with(unlit(1, 1, 1, 0), obj{"alphaMode": "BLEND"}))
	s.putQuad(-1, -0.5, 0, 0, -1, unlit(1, 1, 1, 1)) // behind it
	want := [4][4]int{{2, 2, 3, 3}, {4, 5, 6, 7}, {8, 8, 8, 8}, {}}
	colors := []color.NRGBA{none, {128, 0, 0, 255}, {0, 128, 0, 255}, {128, 128, 0, 255}, {0, 0, 128, 255}, {128, 0, 128, 255}, {0, 128, 128, 255}, {128, 128, 128, 255}, {64, 0, 0, 255}}
	img, at := b.drawPass(s, 4, studio.View{Pass: studio.PassID})
	for y, row := range want {
		for x, n := range row {
			wantPixel(t, img, x, y, colors[n], 0)
			f, alpha := float32(n), float32(min(n, 1))
			if got := at(x, y); got != [4]float32{f, f, f, alpha} {
				t.Errorf("pixel %d,%d is %v, want %d", x, y, got, n)
			}
		}
	}
	m, err := b.Load(ctx, s.document(t))
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	ids, err := m.IDs(studio.View{})
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, id := range ids {
		c := color.NRGBA{64, 0, 0, 255}
		if id.Number == 9 {
			c = color.NRGBA{192, 0, 0, 255}
		} else if id.Number < 9 {
			c = colors[id.Number]
		}
		if id.Color != c {
			t.Errorf("%d has the colour %v, want %v", id.Number, id.Color, c)
		}
		told = append(told, fmt.Sprint(id.Number, " node ", id.Node, " instance ", id.Instance, " mesh ", id.Mesh, " primitive ", id.Primitive, " ", id.Material.Name))
	}
	if got, want := strings.Join(told, "\n"), `2 node 2 instance 0 mesh 1 primitive 0 clay
3 node 2 instance 0 mesh 1 primitive 1 tin
4 node 3 instance 0 mesh 2 primitive 0 
5 node 3 instance 1 mesh 2 primitive 0 
6 node 3 instance 2 mesh 2 primitive 0 
7 node 3 instance 3 mesh 2 primitive 0 
8 node 4 instance 0 mesh 3 primitive 0 
9 node 5 instance 0 mesh 4 primitive 0 `; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// A primitive without vertices has a number, and is not listed.
func TestID_OfNothing(t *testing.T) {
	b := newBench(t)
	doc, err := gltf.Read(ctx, strings.NewReader(strings.Replace(pictured(1), `"primitives":[`, `"primitives":[{"attributes":{}},`, 1)), nil, "model.gltf", nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := b.Load(ctx, doc)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if ids, err := m.IDs(studio.View{}); err != nil || len(ids) != 1 || ids[0].Number != 2 {
		t.Errorf("%v, %v", ids, err)
	}
}

// TestWireframe: edges are dark, what they enclose is light grey, and what surfaces hide is not to be seen.
func TestWireframe(t *testing.T) {
	b := newBench(t)
	s := newScene()
	s.putQuad(-0.5, -0.5, 0.5, 0.5, 0, base(1, 0, 0, 1))
	s.putQuad(-0.25, -0.75, 0.25, 0.75, -1, base(0, 1, 0, 1)) // partly behind it
	s.put(obj{"POSITION": s.positions(-1, 0.9, 0, 1, 0.9, 0)}, base(1, 0, 0, 1), obj{"mode": 1})
	const size = 64
	img, _ := b.drawPass(s, size, studio.View{Pass: studio.PassWireframe, Samples: 1})
	keep(t, "wireframe", img)
	grey, dark := srgb(0.85, 0.85, 0.85), srgb(0.01, 0.01, 0.01)
	// Places by x and y from -1 to 1.
	near := func(x, y float64) (found [3]int) { // dark, grey and empty ones within a pixel
		px, py := int((x+1)/2*size), int((1-y)/2*size)
		for i := -1; i <= 1; i++ {
			for j := -1; j <= 1; j++ {
				switch img.NRGBAAt(px+i, py+j) {
				case dark:
					found[0]++
				case grey:
					found[1]++
				case none:
					found[2]++
				}
			}
		}
		return found
	}
	for _, p := range [][2]float64{{-0.5, 0.3}, {0.5, -0.3}, {0.3, 0.5}, {-0.3, -0.5}, {0.1, -0.1}, {-0.4, 0.4}, {0.25, 0.65}, {0, 0.75}, {0.6, 0.9}} {
		if n := near(p[0], p[1]); n[0] < 3 || n[0]+n[1]+n[2] != 9 {
			t.Errorf("%v: %d dark pixels", p, n)
		}
	}
	for _, p := range [][2]float64{{-0.2, 0.4}, {0.3, 0.3}, {-0.25, -0.3}, {0.25, 0}, {0.15, 0.6}} { // the fourth on a hidden edge
		if n := near(p[0], p[1]); n[1] != 9 {
			t.Errorf("%v: %d, want a grey surface", p, n)
		}
	}
	for _, p := range [][2]float64{{-0.7, 0}, {0.5, 0.7}, {0, -0.9}} {
		if n := near(p[0], p[1]); n[2] != 9 {
			t.Errorf("%v: %d, want nothing", p, n)
		}
	}
	// Edges lie before the surfaces that they are on, however steep those are.
	steep := newScene()
	a := steep.quad(-0.8, -0.5, 0.8, 0.6, 0)
	a["POSITION"] = steep.positions(-0.8, 0.6, 4, 0.8, 0.6, -4, 0.8, -0.5, -4, -0.8, -0.5, 4)
	steep.put(a, base(1, 0, 0, 1), obj{"indices": steep.quadIndices()})
	leaning, _ := b.drawPass(steep, size, studio.View{Pass: studio.PassWireframe, Samples: 1})
	for x := 10; x < 54; x++ { // along the diagonal, which leads down to the right
		y := 0.6 - 1.1*((float64(2*x+1)/size-1)+0.8)/1.6
		if row := int((1 - y) / 2 * size); leaning.NRGBAAt(x, row) != dark {
			t.Errorf("steep: no edge at %d, %d", x, row)
		}
	}
	// With samples edges are mixtures.
	img, _ = b.drawPass(s, size, studio.View{Pass: studio.PassWireframe, Samples: 8})
	mixed := 0
	for i := 0; i < len(img.Pix); i += 4 {
		if c := img.Pix[i]; img.Pix[i+3] == 255 && c > dark.R && c < grey.R {
			mixed++
		}
	}
	if mixed < 50 {
		t.Errorf("%d pixels are mixtures", mixed)
	}
}

// TestOverdraw counts what reaches a pixel: hidden and blended fragments, but none that are culled or masked.
func TestOverdraw(t *testing.T) {
	b := newBench(t)
	for name, c := range map[string]struct {
		fill func(s *scene)
		want [4]int
	}{
		"front to back": {func(s *scene) {
			for i := range 4 {
				s.putQuad(-1, -1, 1-0.5*float32(i), 1, 1-float32(i), base(1, 1, 1, 1))
			}
		}, [4]int{4, 3, 2, 1}},
		"back to front": {func(s *scene) {
			for i := range 4 {
				s.putQuad(-1, -1, 1-0.5*float32(i), 1, float32(i), unlit(1, 1, 1, 1))
			}
		}, [4]int{4, 3, 2, 1}},
		"culled": {func(s *scene) {
			s.putQuad(-1, -1, 1, 1, 0, base(1, 1, 1, 1))["rotation"] = arr{0, 1, 0, 0}
			s.putQuad(-1, -1, 0, 1, 0, with(base(1, 1, 1, 1), obj{"doubleSided": true}))["rotation"] = arr{0, 1, 0, 0} // to the right
		}, [4]int{0, 0, 1, 1}},
		"masked": {func(s *scene) {
			ref := s.texture(palette([]color.NRGBA{{9, 9, 9, 0}, {9, 9, 9, 127}, {9, 9, 9, 128}, {9, 9, 9, 255}}))
			s.putQuad(-1, -1, 1, 1, 0, with(textured(ref), obj{"alphaMode": "MASK", "alphaCutoff": 0.5}))
			layered := extended(base(1, 1, 1, 1), "sheen", obj{"sheenColorFactor": arr{1, 1, 1}})
			layered["pbrMetallicRoughness"].(obj)["baseColorTexture"] = ref
			s.putQuad(-1, -1, 1, 1, 1, with(layered, obj{"alphaMode": "MASK", "alphaCutoff": 0.5}))
			s.putQuad(-1, -1, 0.5, 1, 0, with(unlit(1, 1, 1, 0.4), obj{"alphaMode": "MASK", "alphaCutoff": 0.5}))
		}, [4]int{0, 0, 2, 2}},
		"blended": {func(s *scene) {
			s.putQuad(-1, -1, 1, 1, 0, with(unlit(1, 1, 1, 0), obj{"alphaMode": "BLEND"}))
			s.putQuad(-1, -1, 0, 1, 1, clear(1, 1, 1, 0))
		}, [4]int{2, 2, 1, 1}},
		"many": {func(s *scene) {
			for range 20 {
				s.putQuad(-1, -1, -0.5, 1, 0, unlit(1, 1, 1, 1))
			}
			for range 15 {
				s.putQuad(-0.5, -1, 0, 1, 0, unlit(1, 1, 1, 1))
			}
		}, [4]int{20, 15, 0, 0}},
	} {
		s := newScene()
		c.fill(s)
		img, at := b.drawPass(s, 4, studio.View{Pass: studio.PassOverdraw})
		for x, n := range c.want {
			g, alpha := uint8(min(16*n, 255)), uint8(min(n, 1)*255)
			if got := img.NRGBAAt(x, 2); got != (color.NRGBA{g, g, g, alpha}) {
				t.Errorf("%s: column %d is %v, want %d fragments", name, x, got, n)
			}
			f := float32(n)
			if got := at(x, 2); got != [4]float32{f, f, f, float32(min(n, 1))} {
				t.Errorf("%s: column %d is %v, want %d fragments", name, x, got, n)
			}
		}
	}
}

// Every model is drawn in every pass, and covers what its picture covers.
func TestPasses_EveryModel(t *testing.T) {
	b := newBench(t)
	err := filepath.WalkDir(assetFolder(t), func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".gltf" {
			return err
		}
		doc := load(t, path)
		m, err := b.Load(ctx, doc)
		if err != nil {
			return err
		}
		defer m.Close()
		v := studio.View{Width: 64, Height: 64, Samples: 1, Camera: studio.Camera{Yaw: 25, Pitch: 15}}
		if len(doc.Animations) > 0 {
			v.Animation, v.Time = &doc.Animations[0], 0.4
		}
		picture, err := b.Render(ctx, m, v)
		if err != nil {
			return err
		}
		for name, pass := range passes {
			v.Pass = pass
			img, err := b.Render(ctx, m, v)
			if err != nil {
				t.Errorf("%s: %s: %v", path, name, err)
				continue
			}
			keep(t, strings.TrimSuffix(filepath.Base(path), ".gltf")+"-"+name, img)
			ours, theirs := covered(img), covered(picture)
			for y := range 64 {
				for x := range 64 {
					if ours.at(x, y) == theirs.at(x, y) || pass == studio.PassWireframe && ours.at(x, y) {
						continue // edges reach half a pixel beyond what they enclose
					}
					t.Fatalf("%s: %s: %d,%d is drawn: %v, in the picture: %v", path, name, x, y, ours.at(x, y), theirs.at(x, y))
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Light, tones and what is behind have no part in passes.
func TestPasses_AreWithoutLight(t *testing.T) {
	b := newBench(t)
	s := lit(2)
	for name, pass := range passes {
		plain, _ := b.drawPass(s, 24, studio.View{Pass: pass})
		bright, _ := b.drawPass(s, 24, studio.View{
			Pass: pass, Exposure: 3, Tone: studio.ToneAgX, Light: new(0.5), Ground: true, ShowEnvironment: true, Background: red,
		})
		if !bytes.Equal(plain.Pix, bright.Pix) {
			t.Errorf("%s: light changes the picture", name)
		}
	}
}

func TestPasses_Explained(t *testing.T) {
	b := newBench(t)
	s := newScene()
	s.putQuad(-1, -1, 1, 1, 0, base(1, 0, 0, 1))
	doc := s.document(t)
	r := benchOn(t, &pumice.Config{Explain: true})
	m, err := r.Load(ctx, doc)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	for name, pass := range passes {
		v := studio.View{Width: 8, Height: 8, Pass: pass, Camera: studio.Camera{Document: &doc.Cameras[0]}}
		img, es, err := r.Explain(ctx, m, v, studio.Point{X: 2, Y: 4, Shader: true})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		plain, _ := b.drawPass(s, 8, studio.View{Pass: pass})
		if !bytes.Equal(img.Pix, plain.Pix) {
			t.Errorf("%s: explained it is another picture", name)
		}
		wrote := 0
		for _, e := range es[0].Events {
			if e.Kind == explain.Draw && e.Outcome == explain.Wrote {
				wrote++
			}
		}
		if wrote != 1 {
			t.Errorf("%s: %d draws wrote the pixel, want 1", name, wrote)
		}
	}
}

// What is transparent shows in passes: it counts as drawn.
func TestUnseen_OfPasses(t *testing.T) {
	b := newBench(t)
	s := newScene()
	s.putQuad(-1, -1, 1, 1, 0, with(unlit(1, 0, 0, 0), obj{"alphaMode": "BLEND"}))
	doc := s.document(t)
	m, err := b.Load(ctx, doc)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	v := studio.View{Width: 4, Height: 4, Camera: studio.Camera{Document: &doc.Cameras[0]}}
	if why, err := b.Unseen(ctx, m, v); err != nil || why == "" {
		t.Errorf("the picture: %q, %v", why, err)
	}
	for name, pass := range passes {
		v.Pass = pass
		if why, err := b.Unseen(ctx, m, v); err != nil || why != "" {
			t.Errorf("%s: %q, %v", name, why, err)
		}
		if img, _ := b.drawPass(s, 4, v); covered(img).count() != 16 {
			t.Errorf("%s: %d pixels are drawn", name, covered(img).count())
		}
	}
}

func TestPasses_Refused(t *testing.T) {
	b := newBench(t)
	s := newScene()
	s.putQuad(-1, -1, 1, 1, 0, base(1, 0, 0, 1))
	doc := s.document(t)
	m, err := b.Load(ctx, doc)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	over, stop := context.WithCancel(ctx)
	stop()
	for name, pass := range passes {
		v := studio.View{Width: 8, Height: 8, Pass: pass}
		if _, err := b.Render(over, m, v); !errors.Is(err, context.Canceled) {
			t.Errorf("%s of a context that is over: %v", name, err)
		}
		v.Samples = 4
		if _, err := b.Render(ctx, m, v); (err == nil) != (pass == studio.PassWireframe) {
			t.Errorf("%s with 4 samples: %v", name, err)
		}
		v.Samples = 3
		if _, err := b.Render(ctx, m, v); err == nil {
			t.Errorf("%s with 3 samples: no error", name)
		}
		var tooMuch *budget.Error
		if _, err := drawWithin(t, 40<<20, pictured(1), studio.View{Width: 2048, Height: 2048, Pass: pass}); !errors.As(err, &tooMuch) || !strings.Contains(err.Error(), "a picture of 2048 × 2048 pixels") {
			t.Errorf("%s: without memory: %v", name, err)
		}
	}
	if _, err := b.Render(ctx, m, studio.View{Width: 8, Height: 8, Pass: 6}); err == nil {
		t.Error("an unknown pass: no error")
	}
	if _, err := (*studio.Model)(nil).IDs(studio.View{}); err == nil {
		t.Error("IDs of a nil model: no error")
	}
	if _, err := m.IDs(studio.View{Scene: &gltf.Scene{}}); err == nil {
		t.Error("IDs of a scene that is not the document's: no error")
	}
}

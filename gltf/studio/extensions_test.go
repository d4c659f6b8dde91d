package studio_test

import (
	"bytes"
	"image"
	"image/color"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/pumice-gpu/pumice/gltf/studio"
)

// drawAs draws the scene through its camera 0 in a variant, and at a time of its
// animation where it has one.
func (s *scene) drawAs(b *bench, variant string, time float64) *image.NRGBA {
	b.t.Helper()
	doc := s.document(b.t)
	v := studio.View{Width: 8, Height: 8, Samples: 1, Variant: variant, Time: time, Camera: studio.Camera{Document: &doc.Cameras[0]}}
	if len(doc.Animations) > 0 {
		v.Animation = &doc.Animations[0]
	}
	return b.draw(doc, v)
}

// A variant's material is drawn with its own texture and UV set, which the primitive's
// own does not read.
func TestVariants_DrawTheirMaterials(t *testing.T) {
	b := newBench(t)
	s := newScene()
	quad := s.quad(-1, -1, 1, 1, 0)
	quad["TEXCOORD_1"] = s.add("VEC2", float, 4, []float32{1, 0, 0, 0, 0, 1, 1, 1}) // mirrored
	ref := s.texture(palette([]color.NRGBA{red, blue}))
	s.put(quad, textured(ref), obj{"indices": s.quadIndices(), "extensions": obj{"KHR_materials_variants": obj{"mappings": arr{
		obj{"material": 1, "variants": arr{0}}, obj{"material": 2, "variants": arr{1}},
	}}}})
	s.materials = append(s.materials, unlit(0, 1, 0, 1), textured(with(ref, obj{"texCoord": 1})))
	s.doc["extensions"] = obj{"KHR_materials_variants": obj{"variants": arr{obj{"name": "green"}, obj{"name": "mirrored"}, obj{"name": "none"}}}}
	for variant, want := range map[string][2]color.NRGBA{
		"": {red, blue}, "green": {green, green}, "mirrored": {blue, red}, "none": {red, blue},
	} {
		img := s.drawAs(b, variant, 0)
		wantPixel(t, img, 1, 4, want[0], 0)
		wantPixel(t, img, 6, 4, want[1], 0)
	}
}

func TestVariants_UnknownNameIsAnError(t *testing.T) {
	b := newBench(t)
	s := newScene()
	s.putQuad(-1, -1, 1, 1, 0, unlit(1, 0, 0, 1))
	model, err := b.Load(ctx, s.document(t))
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	if _, err := b.pose(model, "missing"); err == nil {
		t.Error("no error")
	}
}

func (b *bench) pose(m *studio.Model, variant string) (*image.NRGBA, error) {
	return b.Render(ctx, m, studio.View{Width: 8, Height: 8, Variant: variant})
}

// A factor that a pointer animates is drawn, and the next picture is the model's own.
func TestPointer_AnimatedMaterialIsDrawn(t *testing.T) {
	b := newBench(t)
	s := newScene()
	s.putQuad(-1, -1, 1, 1, 0, unlit(1, 0, 0, 1))
	times := s.add("SCALAR", float, 2, []float32{0, 1})
	colors := s.add("VEC4", float, 2, []float32{1, 0, 0, 1, 0, 0, 1, 1})
	s.doc["animations"] = arr{obj{
		"samplers": arr{obj{"input": times, "output": colors}},
		"channels": arr{obj{"sampler": 0, "target": obj{"path": "pointer", "extensions": obj{"KHR_animation_pointer": obj{
			"pointer": "/materials/0/pbrMetallicRoughness/baseColorFactor",
		}}}}},
	}}
	wantPixel(t, s.drawAs(b, "", 0), 4, 4, red, 0)
	wantPixel(t, s.drawAs(b, "", 0.5), 4, 4, srgb(0.5, 0, 0.5), 1)
	wantPixel(t, s.drawAs(b, "", 1), 4, 4, blue, 0)
}

// Each instance is drawn in its place, mirrored ones from the side that their front is on;
// hidden nodes are not.
func TestInstances_EachIsDrawn(t *testing.T) {
	b := newBench(t)
	s := newScene()
	node := s.putQuad(-0.5, -0.5, 0.5, 0.5, 0, unlit(1, 0, 0, 1))
	node["extensions"] = obj{"EXT_mesh_gpu_instancing": obj{"attributes": obj{
		"TRANSLATION": s.vec3(-0.5, 0.5, 0, 0.5, -0.5, 0),
		"SCALE":       s.vec3(1, 1, 1, -1, 1, 1),
	}}}
	hidden := s.putQuad(-1, -1, 1, 1, 1, unlit(0, 1, 0, 1))
	hidden["extensions"] = obj{"KHR_node_visibility": obj{"visible": false}}
	img := s.drawAs(b, "", 0)
	for y, row := range [2][2]color.NRGBA{{red, none}, {none, red}} {
		for x, want := range row {
			wantPixel(t, img, 2+4*x, 2+4*y, want, 0)
		}
	}
}

// A coat with a normal texture that is not there at rest: what it needs was made when the
// model was loaded, and pictures may be drawn at once.
func TestPointer_LayerThatOnlyTheAnimationShows(t *testing.T) {
	b := newBench(t)
	s := newScene()
	ref := s.texture(palette([]color.NRGBA{{200, 128, 230, 255}}))
	s.putQuad(-1, -1, 1, 1, 0, with(base(0.1, 0.1, 0.1, 1), obj{"extensions": obj{"KHR_materials_clearcoat": obj{
		"clearcoatFactor": 0, "clearcoatNormalTexture": ref, "clearcoatRoughnessFactor": 0.2,
	}}}))
	s.doc["animations"] = arr{obj{
		"samplers": arr{obj{"input": s.add("SCALAR", float, 2, []float32{0, 1}), "output": s.add("SCALAR", float, 2, []float32{0, 1})}},
		"channels": arr{obj{"sampler": 0, "target": obj{"path": "pointer", "extensions": obj{"KHR_animation_pointer": obj{
			"pointer": "/materials/0/extensions/KHR_materials_clearcoat/clearcoatFactor",
		}}}}},
	}}
	doc := s.document(t)
	m, err := b.Load(ctx, doc)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if doc.Meshes[0].Primitives[0].Tangents == nil {
		t.Error("there are no tangents for the coat's normals")
	}
	var group errgroup.Group
	pictures := make([]*image.NRGBA, 4)
	for i := range pictures {
		group.Go(func() (err error) {
			pictures[i], err = b.Render(ctx, m, studio.View{
				Width: 8, Height: 8, Samples: 1, Camera: studio.Camera{Document: &doc.Cameras[0]}, Animation: &doc.Animations[0], Time: float64(i % 2),
			})
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(pictures[0].Pix, pictures[1].Pix) {
		t.Error("the coat is not drawn")
	}
	if !bytes.Equal(pictures[0].Pix, pictures[2].Pix) || !bytes.Equal(pictures[1].Pix, pictures[3].Pix) {
		t.Error("the same moment gives two pictures")
	}
}

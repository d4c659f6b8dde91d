package gltf

import (
	"testing"

	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/gltf/mat"
)

// mirroredStrip returns two unit squares in the xy plane, facing +z: the left has
// the image as it is and the right one mirrored, u runs 0, 1, 0 from
// left to right, v downwards.
func mirroredStrip(mode Mode, indices []uint32) *Primitive {
	m := DefaultMaterial()
	m.NormalTexture = &TextureRef{Texture: &Texture{}, Scale: [2]float32{1, 1}}
	p := &Primitive{Mode: mode, Indices: indices, Material: m, TexCoords: make([][][2]float32, 1)}
	for x := range 3 {
		for y := range 2 {
			p.Positions = append(p.Positions, [3]float32{float32(x), float32(y), 0})
			p.Normals = append(p.Normals, [3]float32{0, 0, 1})
			p.TexCoords[0] = append(p.TexCoords[0], [2]float32{float32(x % 2), float32(1 - y)})
		}
	}
	return p
}

func TestEnsureTangents_MirroredVerticesAreSplit(t *testing.T) {
	for name, p := range map[string]*Primitive{
		"list":  mirroredStrip(Triangles, []uint32{0, 2, 1, 1, 2, 3, 2, 4, 3, 3, 4, 5}),
		"strip": mirroredStrip(TriangleStrip, []uint32{1, 0, 3, 2, 5, 4}),
	} {
		if err := p.EnsureTangents(); err != nil {
			t.Fatal(err)
		}
		if p.Vertices() != 8 || len(p.Indices) != 12 || p.Mode != Triangles {
			t.Fatalf("%s: %d vertices, %d indices, mode %d; want 8, 12, triangles", name, p.Vertices(), len(p.Indices), p.Mode)
		}
		for f := 0; f < 12; f += 3 {
			for _, v := range p.Indices[f : f+3] {
				want := [4]float32{1, 0, 0, 1}
				if f >= 6 {
					want = [4]float32{-1, 0, 0, -1}
				}
				if p.Tangents[v] != want {
					t.Errorf("%s: triangle %d: tangent %v, want %v", name, f/3, p.Tangents[v], want)
				}
				// The bitangent points to the top of the image: -v.
				b := mat.Vec3(p.Normals[v]).Cross(mat.Vec3{want[0], want[1], want[2]}).Scale(want[3])
				if b != (mat.Vec3{0, 1, 0}) {
					t.Errorf("%s: bitangent %v", name, b)
				}
			}
		}
	}
}

func TestEnsureTangents_DegenerateTextureCoordinates(t *testing.T) {
	p := mirroredStrip(Triangles, []uint32{0, 2, 1, 1, 2, 3})
	for i := range p.TexCoords[0] {
		p.TexCoords[0][i] = [2]float32{0.5, 0.5}
	}
	if err := p.EnsureTangents(); err != nil {
		t.Fatal(err)
	}
	for _, v := range p.Tangents {
		if d := (mat.Vec3{v[0], v[1], v[2]}); d.Length() != 1 || d[2] != 0 || v[3] != 1 {
			t.Errorf("tangent %v", v)
		}
	}
}

func TestEnsureTangents_FollowsTextureTransform(t *testing.T) {
	p := mirroredStrip(Triangles, []uint32{0, 2, 1})
	ref := p.Material.NormalTexture
	ref.HasTransform, ref.Scale = true, [2]float32{-1, 1}
	if err := p.EnsureTangents(); err != nil {
		t.Fatal(err)
	}
	if p.Tangents[0] != [4]float32{-1, 0, 0, -1} {
		t.Errorf("tangent %v", p.Tangents[0])
	}
}

func TestEnsureTangents_OnlyWhereNeeded(t *testing.T) {
	p := mirroredStrip(Triangles, []uint32{0, 2, 1})
	p.Material = DefaultMaterial()
	q := mirroredStrip(Lines, []uint32{0, 2})
	r := mirroredStrip(Triangles, []uint32{0, 2, 1})
	r.Material.NormalTexture.TexCoord = 3
	for i, x := range []*Primitive{p, q, r} {
		if err := x.EnsureTangents(); err != nil || x.Tangents != nil {
			t.Errorf("case %d: %v, %v", i, x.Tangents, err)
		}
	}
}

func TestEnsureTangents_KeepsWithinTheLimit(t *testing.T) {
	p := mirroredStrip(Triangles, []uint32{0, 2, 1})
	p.budget = budget.New(100, "the test's limit")
	p.file, p.place = "model.gltf", "meshes[0].primitives[0]"
	checkError(t, p.EnsureTangents(), "meshes[0].primitives[0]: computing tangents: needs")
	if p.Tangents != nil || p.Vertices() != 6 {
		t.Error("the primitive was changed")
	}
}

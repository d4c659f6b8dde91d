package gltf

import (
	"context"
	"io/fs"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/gltf/mat"
	"github.com/pumice-gpu/pumice/internal/assets"
)

// assetFolder returns the folder of models by others.
func assetFolder(t *testing.T) string {
	t.Helper()
	return assets.Folder(t, "gltf")
}

func loadAsset(t *testing.T, parts ...string) *Document {
	t.Helper()
	d, err := Load(context.Background(), filepath.Join(append([]string{assetFolder(t)}, parts...)...), nil)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestAssets_EveryModelLoadsAndPoses(t *testing.T) {
	dir := assetFolder(t)
	n := 0
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".gltf") && !strings.HasSuffix(path, ".glb") {
			return err
		}
		n++
		d, err := Load(context.Background(), path, nil)
		if err != nil {
			t.Error(err)
			return nil
		}
		for _, w := range d.Warnings {
			t.Errorf("unexpected warning: %s", w)
		}
		for a := NoAnimation; a < len(d.Animations); a++ {
			for _, time := range []float64{-1, 0, 0.4, 1, 1e9} {
				p, err := d.Pose(d.FindScene(), a, time)
				if err != nil {
					t.Fatal(err)
				}
				if len(p.Items) == 0 || p.Bounds().Empty() {
					t.Errorf("%s: nothing to draw at %v of animation %d", path, time, a)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n < 30 {
		t.Errorf("only %d models found", n)
	}
}

func TestAssets_Box_Contents(t *testing.T) {
	for _, name := range []string{"Box", "BoxInterleaved"} {
		d := loadAsset(t, name, "glTF", name+".gltf")
		p, err := d.Pose(d.FindScene(), NoAnimation, 0)
		if err != nil {
			t.Fatal(err)
		}
		want := mat.Box{Min: mat.DVec3{-0.5, -0.5, -0.5}, Max: mat.DVec3{0.5, 0.5, 0.5}}
		if got := p.Bounds(); got != want {
			t.Errorf("%s: bounds %v, want %v", name, got, want)
		}
		prim := d.Meshes[0].Primitives[0]
		if len(prim.Indices) != 36 || prim.Vertices() != 24 {
			t.Errorf("%s: %d indices, %d vertices; want 36, 24", name, len(prim.Indices), prim.Vertices())
		}
	}
}

// The declared min and max of positions are an outside check of decoding.
func TestAssets_FlightHelmet_BoundsAndImages(t *testing.T) {
	d := loadAsset(t, "FlightHelmet", "FlightHelmet.gltf")
	if len(d.Images) != 6 || d.Images[0].Width != 64 {
		t.Errorf("%d images, the first %d wide", len(d.Images), d.Images[0].Width)
	}
	img, err := d.Images[0].DecodeNRGBA(t.Context())
	if err != nil || img.Rect.Dx() != d.Images[0].Width {
		t.Errorf("decoding: %v", err)
	}
	for i, want := range [][2]mat.Vec3{
		{{-0.140846014, 0.440957, -0.107818365}, {0.140494063, 0.61828655, 0.147373646}}, {{-0.101920947, 0.5300429, 0.090174824}, {0.101920746, 0.5936986, 0.152926728}},
	} {
		box := mat.EmptyBox()
		for _, p := range d.Meshes[i].Primitives[0].Positions {
			box.Extend(mat.Vec3(p).Double())
		}
		if got := [2]mat.Vec3{box.Min.Single(), box.Max.Single()}; got != want {
			t.Errorf("mesh %d: bounds %v, want %v", i, box, want)
		}
	}
}

// The file's own tangents were made by MikkTSpace: ours must agree in
// handedness and nearly agree in direction.
func TestAssets_FlightHelmet_TangentsAgreeWithAuthors(t *testing.T) {
	d := loadAsset(t, "FlightHelmet", "FlightHelmet.gltf")
	for i, m := range d.Meshes {
		p := m.Primitives[0]
		if p.Tangents == nil {
			continue
		}
		type corner struct {
			position, normal [3]float32
			uv               [2]float32
		}
		want := map[corner][][4]float32{}
		for v := range p.Positions {
			k := corner{p.Positions[v], p.Normals[v], p.TexCoords[0][v]}
			want[k] = append(want[k], p.Tangents[v])
		}
		p.Tangents = nil
		if err := p.EnsureTangents(); err != nil {
			t.Fatal(err)
		}
		close, total := 0, 0
		for v, tangent := range p.Tangents {
			k := corner{p.Positions[v], p.Normals[v], p.TexCoords[0][v]}
			best := float32(-1)
			for _, w := range want[k] {
				if w[3] == tangent[3] {
					best = max(best, mat.Vec3{w[0], w[1], w[2]}.Dot(mat.Vec3{tangent[0], tangent[1], tangent[2]}))
				}
			}
			total++
			if best > 0.98 {
				close++
			}
		}
		if close*100 < total*95 {
			t.Errorf("mesh %d: %d of %d tangents agree", i, close, total)
		}
	}
}

func TestAssets_RiggedSimple_JointsMove(t *testing.T) {
	d := loadAsset(t, "RiggedSimple", "glTF", "RiggedSimple.gltf")
	at := func(time float64) *Pose {
		p, err := d.Pose(0, 0, time)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	rest, bent := at(0), at(float64(d.Animations[0].Duration)/2)
	if rest.Bounds() == bent.Bounds() {
		t.Error("the animation does not move the skin")
	}
	// The bounds are those of the deformed vertices.
	box := mat.EmptyBox()
	for i := range bent.Items {
		it := &bent.Items[i]
		positions, normals, _ := it.Primitive.Deform(it)
		for v := range positions {
			box.Extend(it.World.Point(mat.Vec3(positions[v]).Double()))
			if l := mat.Vec3(normals[v]).Length(); math.Abs(float64(l)-1) > 1e-5 {
				t.Fatalf("normal %d has length %v", v, l)
			}
		}
	}
	if got := bent.Bounds(); got != box {
		t.Errorf("bounds %v, deformed vertices %v", got, box)
	}
}

func TestAssets_SimpleMorph_And_Sparse(t *testing.T) {
	d := loadAsset(t, "SimpleMorph", "glTF", "SimpleMorph.gltf")
	p, err := d.Pose(0, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	if w := p.Items[0].MorphWeights; len(w) != 2 || w[0] == 0 && w[1] == 0 {
		t.Errorf("weights %v", w)
	}
	d = loadAsset(t, "SimpleSparseAccessor", "glTF", "SimpleSparseAccessor.gltf")
	prim := d.Meshes[0].Primitives[0]
	found := 0
	for _, v := range prim.Positions {
		if v == [3]float32{1, 2, 0} || v == [3]float32{3, 3, 0} || v == [3]float32{5, 4, 0} {
			found++
		}
	}
	if found == 0 {
		t.Errorf("no sparse replacement in %v", prim.Positions)
	}
}

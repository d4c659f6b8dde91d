package gltf

import (
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/gltf/mat"
)

// The middle counts along axes where it is three halves of the box away, or more: from there on
// differences are exact.
func TestPrimitive_OriginIsByAxis(t *testing.T) {
	p := &Primitive{Positions: [][3]float32{{1e6 - 1, 2, -5}, {1e6 + 1, 4.1, -5}, {1e6, 3, -5}}}
	if got, want := p.Origin(), (mat.Vec3{1e6, 0, -5}); got != want {
		t.Errorf("origin %v, want %v", got, want)
	}
	for i, v := range p.Positions {
		if float64(float32(v[0]-1e6)) != float64(v[0])-1e6 {
			t.Errorf("vertex %d is not exact about the origin", i)
		}
	}
	if got := (&Primitive{Positions: [][3]float32{{2, 0, 0}, {4, 0, 0}}}).Origin(); got != (mat.Vec3{3, 0, 0}) {
		t.Errorf("from 2 to 4, three halves away: %v", got)
	}
	if got := (&Primitive{}).Origin(); got != (mat.Vec3{}) {
		t.Errorf("without vertices: %v", got)
	}
}

// farAway is a triangle baked 1e6 along x, turned and moved by a parent that stands at 2^40.
func farAway() *maker {
	m := newMaker()
	pos := m.add("VEC3", compFloat, 3, []float32{1e6, 0, 0, 1e6 + 2, 0, 0, 1e6, 1, 0}, obj{"min": arr{1e6, 0, 0}, "max": arr{1e6 + 2, 1, 0}})
	m.doc["meshes"] = arr{obj{"primitives": arr{obj{"attributes": obj{"POSITION": pos}}}}}
	m.doc["nodes"] = arr{
		obj{"children": arr{1}, "translation": arr{float64(1 << 40), 0.25, 0}},
		obj{"mesh": 0, "translation": arr{-1e6, 0.1, 7}},
	}
	return m
}

// By hand: the middle of the box is (1e6+1, 0 as it is not far, 0), and the node takes it to
// (1, 0.1, 7) of its parent.
func TestPoseNear_CountsFromTheFirstMesh(t *testing.T) {
	d := mustRead(t, farAway().json())
	p, err := d.PoseNear(None, NoAnimation, 0, None)
	if err != nil {
		t.Fatal(err)
	}
	if want := (mat.DVec3{1<<40 + 1, 0.35, 7}); p.Origin.Sub(want).Length() > 1e-4 {
		t.Errorf("origin %v, want %v", p.Origin, want)
	}
	box := p.Bounds()
	if want := (mat.Box{Min: mat.DVec3{-1, 0, 0}, Max: mat.DVec3{1, 1, 0}}); box.Min.Sub(want.Min).Length() > 1e-9 || box.Max.Sub(want.Max).Length() > 1e-9 {
		t.Errorf("bounds %v, want %v", box, want)
	}
	plain := poseOf(t, d, None, NoAnimation, 0)
	if plain.Origin != (mat.DVec3{}) {
		t.Errorf("the origin of a plain pose is %v", plain.Origin)
	}
	if got := plain.Bounds().Min; got.Sub(p.Origin).Sub(mat.DVec3{-1, 0, 0}).Length() > 1e-3 {
		t.Errorf("the plain pose begins at %v", got)
	}
}

func TestPose_SkinCountsFromItsFirstJoint(t *testing.T) {
	d := mustRead(t, rich().json())
	for i := range d.Nodes {
		if d.Nodes[i].Parent == None && !d.Nodes[i].HasMatrix {
			d.Nodes[i].Translation = d.Nodes[i].Translation.Add(mat.DVec3{1 << 40, 0, 0})
		}
	}
	it := &poseOf(t, d, 0, 0, 0.5).Items[0]
	near := &poseOf(t, mustRead(t, rich().json()), 0, 0, 0.5).Items[0]
	positions, _, _ := it.Primitive.Deform(it)
	want, _, _ := near.Primitive.Deform(near)
	for v := range positions {
		a := it.World.Point(mat.Vec3(positions[v]).Double()).Sub(mat.DVec3{1 << 40, 0, 0})
		b := near.World.Point(mat.Vec3(want[v]).Double())
		if a.Sub(b).Length() > 1e-3 {
			t.Errorf("vertex %d is at %v, want %v", v, a, b)
		}
	}
}

func TestNodes_PlacesAreBinary64(t *testing.T) {
	m := farAway()
	m.doc["nodes"] = arr{obj{"translation": arr{2600000.0625, 1200000.03125, 0.1}, "scale": arr{1e-3, 1, 1}},
		obj{"matrix": arr{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 2600000.0625, 0, 0, 1}}}
	d := mustRead(t, m.json())
	if n := d.Nodes[0]; n.Translation != (mat.DVec3{2600000.0625, 1200000.03125, 0.1}) || n.Scale != (mat.DVec3{1e-3, 1, 1}) {
		t.Errorf("translation %v, scale %v", n.Translation, n.Scale)
	}
	if x := d.Nodes[1].Matrix[12]; x != 2600000.0625 {
		t.Errorf("matrix has x %v", x)
	}
	m.doc["nodes"] = arr{obj{"translation": arr{0, -1e39, 0}}}
	d = tolerated(t, m.json(), nil, "nodes[0].translation: -1e+39 is out of range: the largest number stands for it")
	if want := (mat.DVec3{0, -math.MaxFloat32, 0}); d.Nodes[0].Translation != want {
		t.Errorf("translation %v, want %v", d.Nodes[0].Translation, want)
	}
	m.doc["nodes"] = arr{obj{"scale": arr{1, 1}}}
	_, err := read(m.json(), nil, nil)
	checkError(t, err, "nodes[0].scale: has 2 numbers, must have 3")
}

package gltf

import (
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/gltf/mat"
)

func poseOf(t *testing.T, d *Document, scene, animation int, time float64) *Pose {
	t.Helper()
	p, err := d.Pose(scene, animation, time)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestChannel_Step(t *testing.T) {
	c := Channel{Path: PathScale, Interpolation: InterpolateStep, Times: []float32{1, 2}, Values: []float32{5, 6}, Width: 1}
	for time, want := range map[float64]float32{0: 5, 1: 5, 1.999: 5, 2: 6, 9: 6} {
		var out [1]float32
		if c.sample(time, out[:]); out[0] != want {
			t.Errorf("at %v: %v, want %v", time, out[0], want)
		}
	}
}

func TestChannel_Linear(t *testing.T) {
	c := Channel{Path: PathTranslation, Times: []float32{1, 3, 4}, Values: []float32{0, 10, 0}, Width: 1}
	for time, want := range map[float64]float32{-1: 0, 1: 0, 2: 5, 3: 10, 3.75: 2.5, 4: 0, math.Inf(1): 0, math.Inf(-1): 0} {
		var out [1]float32
		if c.sample(time, out[:]); out[0] != want {
			t.Errorf("at %v: %v, want %v", time, out[0], want)
		}
	}
}

// By hand from the specification's appendix C: t = 0.5, interval 2 s,
// (2t³-3t²+1)·1 + 2(t³-2t²+t)·4 + (-2t³+3t²)·3 + 2(t³-t²)·(-8) = 0.5+1+1.5+2.
func TestChannel_CubicSpline(t *testing.T) {
	c := Channel{Path: PathScale, Interpolation: InterpolateCubicSpline, Times: []float32{0, 2},
		Values: []float32{99, 1, 4, -8, 3, 99}, Width: 1}
	for time, want := range map[float64]float32{0: 1, 1: 5, 2: 3, -1: 1, 3: 3} {
		var out [1]float32
		if c.sample(time, out[:]); out[0] != want {
			t.Errorf("at %v: %v, want %v", time, out[0], want)
		}
	}
}

func TestChannel_RotationIsSpherical(t *testing.T) {
	h := float32(math.Sqrt(0.5))
	c := Channel{Path: PathRotation, Times: []float32{0, 1}, Values: []float32{0, 0, 0, 1, 0, 0, h, h}, Width: 4}
	var q mat.Quat
	c.sample(1.0/3, q[:])
	if want := float32(math.Sin(math.Pi / 12)); !near(q[2], want) {
		t.Errorf("a third of 90° about z: %v, want z = %v", q, want)
	}
}

func TestPose_Rich(t *testing.T) {
	d := mustRead(t, rich().json())
	p := poseOf(t, d, 0, 0, 1)
	// Node 1: translation (2, 0, 0), half of the half turn about z, scale 2 by
	// the spline; under node 0, one up.
	want := mat.FromTRS(mat.DVec3{2, 1, 0}, mat.Quat{0, 0, float32(math.Sqrt(0.5)), float32(math.Sqrt(0.5))}, mat.DVec3{2, 2, 2}).Single()
	for i, v := range p.World[1] {
		if math.Abs(v-float64(want[i])) > 1e-4 {
			t.Fatalf("world of node 1: %v, want %v", p.World[1], want)
		}
	}
	if len(p.Items) != 2 || len(p.Lights) != 1 || len(p.Cameras) != 2 {
		t.Fatalf("%d items, %d lights, %d cameras", len(p.Items), len(p.Lights), len(p.Cameras))
	}
	skinned, plain := &p.Items[0], &p.Items[1]
	if skinned.Node != 2 || len(skinned.JointMatrices) != 2 || skinned.World.Mul(skinned.JointMatrices[1]) != p.World[1] {
		t.Errorf("skinned item %+v", skinned)
	}
	if skinned.MorphWeights[0] != 0 || plain.MorphWeights[0] != 0 || skinned.Mirrored || !plain.Mirrored {
		t.Errorf("weights %v %v, mirrored %v %v", skinned.MorphWeights, plain.MorphWeights, skinned.Mirrored, plain.Mirrored)
	}
	if w := poseOf(t, d, 0, 0, 2).Items[1].MorphWeights[0]; w != 1 {
		t.Errorf("weight at the end: %v", w)
	}
	if w := poseOf(t, d, 0, NoAnimation, 2).Items[1].MorphWeights[0]; w != 0.5 {
		t.Errorf("weight at rest: %v, want the mesh's", w)
	}
	if l := p.Lights[0]; !near(l.Direction[2], -1) || !near(float32(l.Position[1]), 1) {
		t.Errorf("light at %v towards %v", l.Position, l.Direction)
	}
	if c := p.Cameras[0]; math.Abs(math.Abs(c.World.Determinant3())-1) > 1e-5 {
		t.Errorf("the camera is scaled: %v", c.World)
	}
}

func TestPose_SkinnedVertexByHand(t *testing.T) {
	d := mustRead(t, rich().json())
	p := poseOf(t, d, 0, 0, 0.5)
	it := &p.Items[0]
	positions, _, _ := it.Primitive.Deform(it)
	// Vertex 3, (1, 1, 0), hangs on joint 0 by a quarter and joint 1 by the rest.
	a := it.JointMatrices[0].Point(mat.DVec3{1, 1, 0}).Scale(0.25)
	b := it.JointMatrices[1].Point(mat.DVec3{1, 1, 0}).Scale(0.75)
	for i, v := range a.Add(b) {
		if !near(positions[3][i], float32(v)) {
			t.Errorf("vertex 3 at %v, want %v", positions[3], a.Add(b))
		}
	}
}

func TestPose_BoundsOfMorph(t *testing.T) {
	d := mustRead(t, rich().json())
	p := poseOf(t, d, 0, 0, 2)
	it := &p.Items[1] // scale (2, 2, -2), target lifts vertex 3 by 2
	box := mat.EmptyBox()
	it.exactBounds(&box)
	if want := (mat.Box{Min: mat.DVec3{0, 0, -4}, Max: mat.DVec3{2, 2, 0}}); box != want {
		t.Errorf("bounds %v, want %v", box, want)
	}
}

func TestPose_ContainingBoundsHoldTheExactOnes(t *testing.T) {
	d := mustRead(t, rich().json())
	for _, time := range []float64{0, 0.3, 1, 1.7, 2} {
		p := poseOf(t, d, 0, 0, time)
		for i := range p.Items {
			exact, loose := mat.EmptyBox(), mat.EmptyBox()
			p.Items[i].exactBounds(&exact)
			p.Items[i].containingBounds(&loose, map[*mat.DMat4]*matrixRange{})
			both := loose
			both.Union(exact)
			for k := range 3 {
				if loose.Min[k] > exact.Min[k]+1e-5 || loose.Max[k] < exact.Max[k]-1e-5 {
					t.Errorf("item %d at %v: %v does not hold %v", i, time, loose, exact)
				}
			}
		}
	}
}

func TestPose_BadArguments(t *testing.T) {
	d := mustRead(t, rich().json())
	for want, err := range map[string]error{
		"scene 5 out of range (1 scenes)":         second(d.Pose(5, 0, 0)),
		"animation 7 out of range (1 animations)": second(d.Pose(0, 7, 0)),
		"time is not a number":                    second(d.Pose(0, 0, math.NaN())),
	} {
		checkError(t, err, want)
	}
}

func second(_ *Pose, err error) error { return err }

func TestDeform_FlatNormalsFollowTheMorph(t *testing.T) {
	m := newMaker()
	pos := m.unitTriangle()
	target := m.add("VEC3", compFloat, 3, []float32{0, 0, 0, 0, 0, 0, 0, -1, 1})
	m.doc["meshes"] = arr{obj{"weights": arr{1}, "primitives": arr{obj{
		"attributes": obj{"POSITION": pos}, "targets": arr{obj{"POSITION": target}}}}}}
	m.doc["nodes"] = arr{obj{"mesh": 0}}
	p := poseOf(t, mustRead(t, m.json()), None, NoAnimation, 0)
	it := &p.Items[0]
	positions, normals, _ := it.Primitive.Deform(it)
	if positions[2] != [3]float32{0, 0, 1} || normals[0] != [3]float32{0, -1, 0} {
		t.Errorf("positions %v, normals %v", positions, normals)
	}
	if it.Primitive.Positions[2] != [3]float32{0, 1, 0} || it.Primitive.Normals[0] != [3]float32{0, 0, 1} {
		t.Error("the primitive itself was changed")
	}
}

func TestDeform_MorphedColorsAndTexCoords(t *testing.T) {
	p := &Primitive{
		TexCoords: [][][2]float32{{{0.5, 0.5}}},
		Colors:    [][4]float32{{0.5, 0.5, 0.5, 1}},
		Targets:   []MorphTarget{{TexCoords: [][][2]float32{{{1, -1}}}, Colors: [][4]float32{{1, -2, 0.25, 0}}}},
	}
	moved, rest := &Item{MorphWeights: []float32{0.5}}, &Item{MorphWeights: []float32{0}}
	if got := p.MorphTexCoords(moved, 0)[0]; got != [2]float32{1, 0} {
		t.Errorf("coordinates %v", got)
	}
	if got := p.MorphColors(moved)[0]; got != [4]float32{1, 0, 0.625, 1} {
		t.Errorf("colour %v", got)
	}
	if p.MorphTexCoords(rest, 0)[0] != [2]float32{0.5, 0.5} || p.MorphColors(rest)[0][0] != 0.5 || p.MorphTexCoords(rest, 1) != nil {
		t.Error("the vertices at rest are not the primitive's own")
	}
}

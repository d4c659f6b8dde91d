package studio

import (
	"bytes"
	"context"
	"testing"

	"github.com/pumice-gpu/pumice/gltf"
	"github.com/pumice-gpu/pumice/gltf/mat"
)

// TestTeapot_FacesPointOutwards checks that every triangle turns the way its
// vertex normals point, and that the normals point away from what they
// enclose: a wrong patch orientation or a slip in the figures breaks it.
func TestTeapot_FacesPointOutwards(t *testing.T) {
	p := teapotPrimitive(8)
	if got, want := len(p.Indices), 32*8*8*6; got != want {
		t.Fatalf("%d indices, want %d", got, want)
	}
	bad := 0
	var volume float64
	for i := 0; i < len(p.Indices); i += 3 {
		a, b, c := mat.Vec3(p.Positions[p.Indices[i]]), mat.Vec3(p.Positions[p.Indices[i+1]]), mat.Vec3(p.Positions[p.Indices[i+2]])
		face := b.Sub(a).Cross(c.Sub(a))
		volume += float64(a.Dot(face)) / 6
		for _, v := range p.Indices[i : i+3] {
			if n := mat.Vec3(p.Normals[v]); face.Length() > 1e-4 && face.Normalize().Dot(n) < 0.2 {
				bad++
			}
		}
	}
	if bad > 0 {
		t.Errorf("%d corners whose normal does not fit their face", bad)
	}
	// Body and lid alone hold about 24 cubic units; an inverted half would
	// halve that.
	if volume < 20 || volume > 30 {
		t.Errorf("signed volume %.2f, want about 24", volume)
	}
}

func TestTeapot_BoundsAreTheOriginals(t *testing.T) {
	box := mat.EmptyBox()
	for _, v := range teapotPrimitive(16).Positions {
		box.Extend(mat.Vec3(v).Double())
	}
	want := mat.Box{Min: mat.DVec3{-3, 0, -2}, Max: mat.DVec3{3.434, 3.15, 2}}
	for i := range 3 {
		if d := box.Min[i] - want.Min[i]; d > 0.01 || d < -0.01 {
			t.Errorf("min %v, want %v", box.Min, want.Min)
		}
		if d := box.Max[i] - want.Max[i]; d > 0.01 || d < -0.01 {
			t.Errorf("max %v, want %v", box.Max, want.Max)
		}
	}
}

func TestTeapot_FileLoads(t *testing.T) {
	file, err := Teapot()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := gltf.Read(context.Background(), bytes.NewReader(file), nil, "teapot", nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(doc.Warnings) > 0 {
		t.Errorf("warnings: %v", doc.Warnings)
	}
}

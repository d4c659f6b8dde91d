package studio

import (
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/gltf/mat"
)

// TestCubeTexel_IsVulkansSelection: by the specification's table of faces, the direction of a
// texel's middle finds that texel.
func TestCubeTexel_IsVulkansSelection(t *testing.T) {
	const size = 8
	for face := range 6 {
		for y := range size {
			for x := range size {
				s, u := float32(2*x+1)/size-1, float32(2*y+1)/size-1 // sc / |ma|, tc / |ma|
				d := [6]mat.Vec3{{1, -u, -s}, {-1, -u, s}, {s, 1, u}, {s, -1, -u}, {s, -u, 1}, {-s, -u, -1}}[face]
				if f, i, j := cubeTexel(d.Normalize(), size); f != face || i != x || j != y {
					t.Fatalf("%v is texel %d,%d of face %d, want %d,%d of %d", d, i, j, f, x, y, face)
				}
			}
		}
	}
}

// TestChosen_FollowsTheLight: from even light directions are spread evenly over the half sphere,
// from one lamp all come from there, from two as many as each is bright.
func TestChosen_FollowsTheLight(t *testing.T) {
	even := &[lightRings][lightSpokes]float64{}
	for r := range even {
		for s := range even[r] {
			even[r][s] = 1
		}
	}
	var mean [3]float64
	for _, d := range chosen(even, 128) {
		if l := d.Length(); math.Abs(float64(l)-1) > 1e-5 {
			t.Fatalf("%v has length %v", d, l)
		}
		for i := range 3 {
			mean[i] += float64(d[i]) / 128
		}
	}
	// What is lower than lowestLight was lifted to it: 0.2²/2 more than one half.
	if math.Abs(mean[0]) > 0.02 || math.Abs(mean[1]-0.52) > 0.01 || math.Abs(mean[2]) > 0.02 {
		t.Errorf("the mean of even light is %.3f", mean)
	}
	lamps := &[lightRings][lightSpokes]float64{}
	lamps[40][30], lamps[20][200] = 3, 1
	near := 0
	for _, d := range chosen(lamps, 64) {
		a, b := towards(40.5, 30.5), towards(20.5, 200.5)
		switch {
		case d.Dot(a) > 0.999:
			near++
		case d.Dot(b) < 0.999:
			t.Errorf("%v is no lamp", d)
		}
	}
	if near != 48 {
		t.Errorf("%d of 64 towards the lamp that is three times as bright", near)
	}
	for _, d := range chosen(&[lightRings][lightSpokes]float64{}, 32) { // darkness
		if !(d[1] >= 0.19) {
			t.Errorf("%v", d)
		}
	}
}

package mat

import (
	"math"
	"testing"
)

func TestSinCos_AgainstExact(t *testing.T) {
	for x := -40.0; x < 40; x += 0.0037 {
		s, c := SinCos(x)
		if math.Abs(s-math.Sin(x)) > 4e-16 || math.Abs(c-math.Cos(x)) > 4e-16 {
			t.Fatalf("SinCos(%v) = %v, %v; want %v, %v", x, s, c, math.Sin(x), math.Cos(x))
		}
	}
	for _, x := range []float64{1e5, -7e5, 1048575.25} {
		s, c := SinCos(x)
		if math.Abs(s-math.Sin(x)) > 1e-15 || math.Abs(c-math.Cos(x)) > 1e-15 {
			t.Errorf("SinCos(%v) = %v, %v; want %v, %v", x, s, c, math.Sin(x), math.Cos(x))
		}
	}
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if s, c := SinCos(x); s == s || c == c {
			t.Errorf("SinCos(%v) = %v, %v; want NaN", x, s, c)
		}
	}
	if s, c := SinCos(1e300); !(math.Abs(s) <= 1 && math.Abs(c) <= 1) {
		t.Errorf("SinCos(1e300) = %v, %v", s, c)
	}
}

func TestAcos_AgainstExact(t *testing.T) {
	for x := -1.0; x <= 1; x += 0.00037 {
		if got := Acos(x); math.Abs(got-math.Acos(x)) > 2e-15 {
			t.Fatalf("Acos(%v) = %v, want %v", x, got, math.Acos(x))
		}
	}
	if Acos(2) != 0 || Acos(-2) != math.Pi {
		t.Error("Acos does not clamp")
	}
}

// The bits are part of the contract: a golden picture depends on them.
func TestTrig_FixedBits(t *testing.T) {
	s, c := SinCos(1)
	for _, g := range []struct {
		name string
		got  float64
		want uint64
	}{
		{"sin 1", s, 0x3feaed548f090cee},
		{"cos 1", c, 0x3fe14a280fb5068c},
		{"acos 0.3", Acos(0.3), 0x3ff441f5ecbeef58},
	} {
		if math.Float64bits(g.got) != g.want {
			t.Errorf("%s: bits %#x, want %#x", g.name, math.Float64bits(g.got), g.want)
		}
	}
}

func TestSlerp_HalfwayAndShorterArc(t *testing.T) {
	h := float32(math.Sqrt(0.5))
	a, b := Quat{0, 0, 0, 1}, Quat{0, 0, h, h} // 90° about z
	want := Quat{0, 0, float32(math.Sin(math.Pi / 8)), float32(math.Cos(math.Pi / 8))}
	for _, to := range []Quat{b, {0, 0, -h, -h}} {
		got := Slerp(a, to, 0.5)
		for i := range got {
			if math.Abs(float64(got[i]-want[i])) > 1e-7 {
				t.Fatalf("Slerp halfway to %v = %v, want %v", to, got, want)
			}
		}
	}
	if got := Slerp(a, b, 0); got != a {
		t.Errorf("Slerp at 0 = %v", got)
	}
	if got := Slerp(a, a, 0.3); got != a {
		t.Errorf("Slerp of equal rotations = %v", got)
	}
}

func TestMat4_TRSInverseNormal(t *testing.T) {
	q, ok := Quat{0.1, 0.7, -0.2, 0.5}.Normalize()
	if !ok {
		t.Fatal("not normalised")
	}
	m := FromTRS(DVec3{1, 2, 3}, q, DVec3{2, -3, 0.5})
	inv, ok := m.Inverse()
	if !ok {
		t.Fatal("singular")
	}
	id := m.Mul(inv)
	for i, v := range id {
		if math.Abs(v-DIdentity4()[i]) > 1e-12 {
			t.Fatalf("M·M⁻¹ = %v", id)
		}
	}
	s := m.Single()
	if d := m.Determinant3(); math.Abs(d+3) > 1e-5 {
		t.Errorf("determinant %v, want -3", d)
	}
	// A normal stays at right angles to the transformed tangent, and a mirror
	// does not turn it around.
	n, tangent := Vec3{0, 0, 1}, Vec3{0.6, 0.8, 0}
	nn := TransformNormal(m.NormalMatrix(), n)
	if d := nn.Dot(s.Direction(tangent)); math.Abs(float64(d)) > 1e-5 {
		t.Errorf("normal leans by %v", d)
	}
	if nn.Dot(s.Direction(n)) <= 0 {
		t.Error("the normal was turned around")
	}
	if _, ok := (DMat4{}).Inverse(); ok {
		t.Error("inverse of zero")
	}
}

func TestProjection_ClipCorners(t *testing.T) {
	m := Perspective(math.Pi/2, 2, 1, 10)
	at := func(m Mat4, p Vec3) [4]float32 {
		var o [4]float32
		for r := range 4 {
			o[r] = m[r]*p[0] + m[4+r]*p[1] + m[8+r]*p[2] + m[12+r]
		}
		return o
	}
	near := func(a, b float32) bool { return math.Abs(float64(a-b)) < 1e-5 }
	for _, c := range []struct {
		name string
		m    Mat4
		p    Vec3
		ndc  Vec3
	}{
		{"near", m, Vec3{2, 1, -1}, Vec3{1, -1, 0}},
		{"far", m, Vec3{-20, 10, -10}, Vec3{-1, -1, 1}},
		{"infinite far", Perspective(math.Pi/2, 1, 1, 0), Vec3{0, 0, -1e7}, Vec3{0, 0, 1}},
		{"orthographic", Orthographic(2, 3, 1, 5), Vec3{2, -3, -5}, Vec3{1, 1, 1}},
		{"orthographic near", Orthographic(2, 3, 1, 5), Vec3{0, 0, -1}, Vec3{0, 0, 0}},
	} {
		o := at(c.m, c.p)
		for i := range 3 {
			if !near(o[i]/o[3], c.ndc[i]) {
				t.Errorf("%s: %v → %v, want %v", c.name, c.p, o, c.ndc)
			}
		}
	}
	v := LookAt(Vec3{0, 0, 5}, Vec3{}, Vec3{0, 1, 0})
	if p := v.Point(Vec3{1, 2, 0}); p != (Vec3{1, 2, -5}) {
		t.Errorf("LookAt: %v", p)
	}
}

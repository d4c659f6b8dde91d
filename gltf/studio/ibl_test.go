package studio_test

import (
	"math"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/gltf"
	"github.com/pumice-gpu/pumice/gltf/studio"
)

// compass is a panorama of six colours: by columns what is at the left edge, at -x, -z, +x, and
// the right edge (+z, like the left one), with its own top and bottom.
func compass() studio.Panorama {
	const w, h = 64, 32
	p := studio.Panorama{Width: w, Height: h}
	for y := range h {
		for x := range w {
			c := compassColors[((x+w/8)/(w/4))%4]
			switch {
			case y < 6:
				c = compassColors[4]
			case y >= h-6:
				c = compassColors[5]
			}
			p.Pixels = append(p.Pixels, c[:]...)
		}
	}
	return p
}

// compassColors: of +z, -x, -z, +x, up, down.
var compassColors = [6][3]float32{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}, {0, 1, 1}, {1, 0, 1}}

// seen is what stands in the middle of a picture from a side, with nothing before it.
func seen(t *testing.T, b *bench, v studio.View, yaw, pitch float64) [3]float64 {
	t.Helper()
	s := newScene()
	s.putQuad(0.9, 0.9, 1, 1, 0, surface(0, 0, 0, 0, 1))
	s.putQuad(-1, -1, -0.9, -0.9, 0, surface(0, 0, 0, 0, 1))
	doc := s.document(t)
	m, err := b.Load(ctx, doc)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	v.Width, v.Height, v.Samples = 9, 9, 1
	v.Camera = studio.Camera{Yaw: yaw, Pitch: pitch}
	img, err := b.RenderLinear(ctx, m, v)
	if err != nil {
		t.Fatal(err)
	}
	p := img.Pixels[4*(4*9+4):]
	return [3]float64{float64(p[0]), float64(p[1]), float64(p[2])}
}

// TestEnvironment_Orientation: which part of the panorama is seen, and mirrored, on which side.
func TestEnvironment_Orientation(t *testing.T) {
	if testing.Short() {
		t.Skip("many samples")
	}
	b := newBench(t)
	p := compass()
	straight, err := b.NewEnvironment(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	defer straight.Close()
	p.Rotation = 90
	turned, err := b.NewEnvironment(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	defer turned.Close()
	for _, c := range []struct {
		e          *studio.Environment
		yaw, pitch float64
		color      int
	}{
		{straight, 0, 0, 2}, {straight, 90, 0, 1}, {straight, 180, 0, 0}, {straight, -90, 0, 3},
		{straight, 0, 85, 5}, {straight, 0, -85, 4},
		{turned, 0, 0, 3}, {turned, 90, 0, 2}, // what was to the right is in the middle
	} {
		var want [3]float64
		for i, v := range compassColors[c.color] {
			want[i] = float64(v)
		}
		for _, blur := range []float64{0, 0.05} {
			v := studio.View{Environment: c.e, ShowEnvironment: true, EnvironmentBlur: blur}
			wantLight(t, "background", seen(t, b, v, c.yaw, c.pitch), want, 0.02)
		}
		if c.yaw == 0 && c.pitch == 0 { // a mirror shows what is behind the eye
			mirror := [3]float64{1, 0, 0}
			if c.e == turned {
				mirror = [3]float64{0, 1, 0} // -x has come to +z
			}
			wantLight(t, "mirror", atNormal(b, surface(1, 1, 1, 1, 0), c.e), mirror, 0.03)
		}
	}
}

// TestEnvironment_Irradiance: under a bright upper half a white surface that looks up gets all of
// it, one that looks to the side half, one that looks down nothing. So it is for what a rough
// mirror sees; the intensity multiplies both.
func TestEnvironment_Irradiance(t *testing.T) {
	b := newBench(t)
	p := studio.Panorama{Width: 64, Height: 32, Intensity: 2}
	for y := range 32 {
		for range 3 * 64 {
			p.Pixels = append(p.Pixels, map[bool]float32{true: 0.5}[y < 16])
		}
	}
	e, err := b.NewEnvironment(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for name, c := range map[string]struct {
		normal [3]float32
		want   float64
	}{"up": {[3]float32{0, 1, 0}, 1}, "side": {[3]float32{0, 0, 1}, 0.5}, "down": {[3]float32{0, -1, 0}, 0}, "slope": {[3]float32{0, 0.6, 0.8}, 0.8}} {
		s := newScene()
		a := s.quad(-1, -1, 1, 1, 0)
		var n []float32
		for range 4 {
			n = append(n, c.normal[:]...)
		}
		a["NORMAL"] = s.vec3(n...)
		s.put(a, dull(1, 1, 1, 1), obj{"indices": s.quadIndices()})
		wantLight(t, name, linearLight(b, s, 5, studio.View{Environment: e})(2, 2), gray(c.want), 0.01)
	}
	if got := atNormal(b, surface(1, 1, 1, 1, 1), e); math.Abs(got[0]-0.5) > 0.02 {
		t.Errorf("the roughest metal that looks to the side: %v, want 0.5", got)
	}
}

// TestEnvironment_SunIsSmooth: a sun of few texels has no spots on a rough ball: what next pixels
// get differs by little.
func TestEnvironment_SunIsSmooth(t *testing.T) {
	if testing.Short() {
		t.Skip("many samples")
	}
	b := newBench(t)
	p := studio.Panorama{Width: 256, Height: 128, Pixels: make([]float32, 3*256*128)}
	for i := range p.Pixels {
		p.Pixels[i] = 0.1
	}
	for y := 40; y < 42; y++ {
		for x := 20; x < 22; x++ {
			copy(p.Pixels[3*(256*y+x):], []float32{5000, 5000, 5000})
		}
	}
	e, err := b.NewEnvironment(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	s := newScene()
	s.putBall(0, 0, 0, 1.5, surface(1, 1, 1, 1, 0.6))
	at := linearLight(b, s, 40, studio.View{Environment: e})
	lo, hi := math.Inf(1), 0.0
	for y := 1; y < 39; y++ {
		for x := 1; x < 39; x++ {
			v := at(x, y)[0]
			lo, hi = min(lo, v), max(hi, v)
			mean := (at(x-1, y)[0] + at(x+1, y)[0] + at(x, y-1)[0] + at(x, y+1)[0]) / 4
			if math.Abs(v-mean) > 0.1*mean+0.02 {
				t.Fatalf("pixel %d,%d is %.3f, those around it %.3f", x, y, v, mean)
			}
		}
	}
	if hi < 4*lo {
		t.Errorf("from %.3f to %.3f: the sun does not show", lo, hi)
	}
}

// TestEnvironment_BadPanoramas are errors.
func TestEnvironment_BadPanoramas(t *testing.T) {
	if testing.Short() {
		t.Skip("many samples")
	}
	b := newBench(t)
	for _, p := range []studio.Panorama{
		{}, {Width: 2, Height: 2, Pixels: make([]float32, 11)}, {Width: -1, Height: -1, Pixels: make([]float32, 3)},
	} {
		if _, err := b.NewEnvironment(ctx, p); err == nil || !strings.Contains(err.Error(), "panorama") {
			t.Errorf("%d × %d: %v", p.Width, p.Height, err)
		}
	}
	p := studio.Panorama{Width: 2, Height: 2, Pixels: []float32{float32(math.NaN()), -1, float32(math.Inf(1)), 0, 0, 0, 0, 0, 0, 0, 0, 0}}
	e, err := b.NewEnvironment(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if got := atNormal(b, surface(1, 1, 1, 0, 1), e); math.IsNaN(got[0]) || math.IsInf(got[2], 0) {
		t.Errorf("numbers that are no light: %v", got)
	}
}

// onGround draws a document from above with and without its shadow, and returns how dark the
// ground is at a place of it.
func onGround(t *testing.T, b *bench, s *scene, v studio.View) func(x, y int) float64 {
	t.Helper()
	doc := s.document(t)
	v.Width, v.Height, v.Samples, v.Ground = 64, 64, 1, true
	v.Camera = studio.Camera{Document: &doc.Cameras[0]}
	img := b.draw(doc, v)
	return func(x, y int) float64 {
		p := img.NRGBAAt(x, y)
		if p.R != 0 || p.G != 0 || p.B != 0 {
			t.Fatalf("pixel %d,%d is %v: no shadow", x, y, p)
		}
		return float64(p.A) / 255
	}
}

// fromAbove makes the scene's camera look down at x and z from -1 to 1: x to the right, z down.
func fromAbove(s *scene) *scene {
	s.nodes[0] = obj{"camera": 0, "translation": arr{0, 5, 0}, "rotation": about(-math.Pi / 2)}
	return s
}

// TestGround_Wall: along a wall of black that is long and high, half of an even sky is hidden on
// either side; far from it all is seen.
func TestGround_Wall(t *testing.T) {
	if testing.Short() {
		t.Skip("many samples")
	}
	b := newBench(t)
	e := uniform(t, b, 1)
	s := fromAbove(newScene())
	wall := surface(0, 0, 0, 0, 1)
	wall["doubleSided"] = true
	s.putQuad(-0.4, 0, 0.4, 4, 0, wall) // a line, seen from above
	at := onGround(t, b, s, studio.View{Environment: e})
	for _, y := range []int{33, 30} {
		if got := at(32, y); math.Abs(got-0.85*0.5) > 0.06 {
			t.Errorf("beside the wall, row %d: %.3f, want half of 0.85", y, got)
		}
	}
	if near, far := at(32, 36), at(32, 60); far > near-0.1 {
		t.Errorf("%.3f near the wall, %.3f far from it", near, far)
	}
}

// TestGround_FollowsTheLight: the shadow of a sun falls on the other side, and what is on the
// ground is dark under itself.
func TestGround_FollowsTheLight(t *testing.T) {
	if testing.Short() {
		t.Skip("many samples")
	}
	b := newBench(t)
	p := studio.Panorama{Width: 64, Height: 32, Pixels: make([]float32, 3*64*32)}
	for i := range p.Pixels {
		p.Pixels[i] = 0.02
	}
	for x := 46; x < 50; x++ { // to the right (+x), half way up
		for y := 7; y < 9; y++ {
			copy(p.Pixels[3*(64*y+x):], []float32{500, 500, 500})
		}
	}
	e, err := b.NewEnvironment(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	build := func(material obj) *scene {
		s := fromAbove(newScene())
		s.putBall(0, 0.15, 0, 0.15, material) // stands on 0; the shadow's middle is at x = -0.15
		return s
	}
	at := onGround(t, b, build(surface(0, 0, 0, 0, 1)), studio.View{Environment: e})
	left, right, below := at(32-9, 32), at(32+9, 32), at(32, 32+14)
	if left < 0.7 || right > 0.15 || below > 0.15 {
		t.Errorf("%.3f opposite the sun, %.3f towards it, %.3f beside", left, right, below)
	}
	// Through glass most of the light falls, through a leaf of half alpha half of it.
	glass := onGround(t, b, build(extended(surface(1, 1, 1, 0, 0), "transmission", obj{"transmissionFactor": 1})), studio.View{Environment: e})(32-9, 32)
	leaf := surface(0, 0, 0, 0, 1)
	leaf["pbrMetallicRoughness"].(obj)["baseColorFactor"], leaf["alphaMode"] = arr{0, 0, 0, 0.5}, "BLEND"
	half := onGround(t, b, build(leaf), studio.View{Environment: e})(32-9, 32)
	if glass > 0.3*left || math.Abs(half/left-0.5) > 0.15 {
		t.Errorf("%.3f under what is solid, %.3f under glass, %.3f under half alpha", left, glass, half)
	}
	mask := surface(0, 0, 0, 0, 1)
	mask["pbrMetallicRoughness"].(obj)["baseColorFactor"], mask["alphaMode"] = arr{0, 0, 0, 0.4}, "MASK"
	if got := onGround(t, b, build(mask), studio.View{Environment: e})(32-9, 32); got != 0 {
		t.Errorf("%.3f under what is masked away", got)
	}
}

// TestGround_IsUnderTheLowestPoint of the pose that is drawn, also where it is deformed or there
// is nothing at all; seen from below it is not there.
func TestGround_IsUnderTheLowestPoint(t *testing.T) {
	if testing.Short() {
		t.Skip("many samples")
	}
	b := newBench(t)
	s := newScene()
	s.nodes[0] = obj{"camera": 0, "translation": arr{0, -5, 0}, "rotation": about(math.Pi / 2)}
	s.putQuad(-0.1, 0, 0.1, 0.5, 0, surface(0, 0, 0, 0, 1))
	doc := s.document(t)
	img := b.draw(doc, studio.View{Width: 16, Height: 16, Ground: true, Camera: studio.Camera{Document: &doc.Cameras[0]}})
	if got := img.NRGBAAt(8, 10); got != none {
		t.Errorf("from below: %v", got)
	}
	empty := newScene()
	empty.putQuad(0, 0, 0, 0, 0, nil)
	b.draw(empty.document(t), studio.View{Width: 4, Height: 4, Ground: true})

	// From the side the ground is a line where the model ends: dark below that, not above.
	side := func(height float64) *gltf.Document {
		s := newScene()
		s.nodes[0] = obj{"camera": 0, "translation": arr{0, 1, 5}, "rotation": about(-0.2)}
		s.putBall(0, 0, 0, 0.3, unlit(1, 1, 1, 1))["translation"] = arr{0, height, 0}
		return s.document(t)
	}
	for _, height := range []float64{-0.2, 0.2} {
		doc := side(height)
		img := b.draw(doc, studio.View{Width: 64, Height: 64, Samples: 1, Ground: true, Background: white, Camera: studio.Camera{Document: &doc.Cameras[0]}})
		darkest, row := uint8(255), 0
		for y := range 64 {
			if v := img.NRGBAAt(32, y).G; v < darkest {
				darkest, row = v, y
			}
		}
		// Where the eye's ray to the ball's foot, at height - 0.3, crosses the picture.
		foot := height - 0.3 - 1
		want := 32 - 32*(foot*math.Cos(0.2)+5*math.Sin(0.2))
		if darkest > 200 || math.Abs(float64(row)-want) > 5 {
			t.Errorf("height %v: darkest (%d) in row %d, the foot is in row %.1f", height, darkest, row, want)
		}
	}
}

package studio_test

import (
	"image/color"
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/gltf/studio"
)

// emitting is a black surface that shines with so much light, by factors up to 1 and a strength.
func emitting(light [3]float64) obj {
	strength := max(light[0], light[1], light[2], 1)
	m := extended(surface(0, 0, 0, 0, 1), "emissive_strength", obj{"emissiveStrength": strength})
	return with(m, obj{"emissiveFactor": arr{light[0] / strength, light[1] / strength, light[2] / strength}})
}

// cells is a scene of surfaces in n rows of n, from the upper left on.
func cells(n int, materials []obj) *scene {
	s := newScene()
	for i, m := range materials {
		x, y := -1+2*float32(i%n)/float32(n), 1-2*float32(i/n)/float32(n)
		s.putQuad(x, y-2/float32(n), x+2/float32(n), y, 0, m)
	}
	return s
}

// toned are the tones by their formulas, in double precision.
var toned = map[studio.Tone]func(c [3]float64) [3]float64{
	studio.ToneNeutral: func(c [3]float64) [3]float64 { // github.com/KhronosGroup/ToneMapping
		low := min(c[0], c[1], c[2])
		offset := 0.04
		if low < 0.08 {
			offset = low - 6.25*low*low
		}
		for i := range c {
			c[i] -= offset
		}
		peak := max(c[0], c[1], c[2])
		if peak < 0.8-0.04 {
			return c
		}
		d := 1 - (0.8 - 0.04)
		newPeak := 1 - d*d/(peak+d-(0.8-0.04))
		g := 1 - 1/(0.15*(peak-newPeak)+1)
		for i := range c {
			c[i] = c[i]*newPeak/peak*(1-g) + newPeak*g
		}
		return c
	},
	studio.ToneACES: func(c [3]float64) [3]float64 {
		for i := range c {
			c[i] /= 0.6
		}
		c = times([3][3]float64{{0.59719, 0.35458, 0.04823}, {0.07600, 0.90834, 0.01566}, {0.02840, 0.13383, 0.83777}}, c)
		for i, v := range c {
			c[i] = (v*(v+0.0245786) - 0.000090537) / (v*(0.983729*v+0.4329510) + 0.238081)
		}
		return times([3][3]float64{{1.60475, -0.53108, -0.07367}, {-0.10208, 1.10813, -0.00605}, {-0.00327, -0.07276, 1.07602}}, c)
	},
	studio.ToneAgX: func(c [3]float64) [3]float64 {
		c = solve(rec2020, times(rec709, c))
		c = times([3][3]float64{
			{0.856627153315983, 0.0951212405381588, 0.0482516061458583},
			{0.137318972929847, 0.761241990602591, 0.101439036467562},
			{0.11189821299995, 0.0767994186031903, 0.811302368396859},
		}, c)
		for i, v := range c {
			x := max(0, min(1, (math.Log2(v)+12.47393)/(4.026069+12.47393)))
			c[i] = 15.5*math.Pow(x, 6) - 40.14*math.Pow(x, 5) + 31.96*math.Pow(x, 4) - 6.868*math.Pow(x, 3) + 0.4298*x*x + 0.1191*x - 0.00232
		}
		c = times([3][3]float64{
			{1.1271005818144368, -0.11060664309660323, -0.016493938717834573},
			{-0.1413297634984383, 1.157823702216272, -0.016493938717834257},
			{-0.14132976349843826, -0.11060664309660294, 1.2519364065950405},
		}, c)
		for i, v := range c {
			c[i] = math.Pow(max(v, 0), 2.2)
		}
		return solve(rec709, times(rec2020, c))
	},
	studio.ToneNone: func(c [3]float64) [3]float64 { return c },
}

// rec709 and rec2020 lead from linear colours of ITU-R BT.709 and BT.2020 to CIE XYZ.
var (
	rec709  = primaries([3][2]float64{{0.640, 0.330}, {0.300, 0.600}, {0.150, 0.060}})
	rec2020 = primaries([3][2]float64{{0.708, 0.292}, {0.170, 0.797}, {0.131, 0.046}})
)

// primaries makes the matrix to XYZ of the chromaticities of red, green and blue, before the white of D65.
func primaries(xy [3][2]float64) (m [3][3]float64) {
	column := func(x, y float64) [3]float64 { return [3]float64{x / y, 1, (1 - x - y) / y} }
	for j, p := range xy {
		for i, v := range column(p[0], p[1]) {
			m[i][j] = v
		}
	}
	for j, weight := range solve(m, column(0.3127, 0.3290)) {
		for i := range m {
			m[i][j] *= weight
		}
	}
	return m
}

func times(m [3][3]float64, v [3]float64) (out [3]float64) {
	for i, r := range m {
		out[i] = r[0]*v[0] + r[1]*v[1] + r[2]*v[2]
	}
	return out
}

// solve returns the v that m takes to b, by Cramer's rule.
func solve(m [3][3]float64, b [3]float64) (v [3]float64) {
	det := func(m [3][3]float64) float64 {
		return m[0][0]*(m[1][1]*m[2][2]-m[1][2]*m[2][1]) - m[0][1]*(m[1][0]*m[2][2]-m[1][2]*m[2][0]) + m[0][2]*(m[1][0]*m[2][1]-m[1][1]*m[2][0])
	}
	for j := range 3 {
		n := m
		for i := range 3 {
			n[i][j] = b[i]
		}
		v[j] = det(n) / det(m)
	}
	return v
}

// lights are greys, primaries, mixtures and highlights.
func lights() (list [][3]float64) {
	for _, v := range []float64{0, 0.0005, 0.002, 0.01, 0.04, 0.08, 0.18, 0.35, 0.5, 0.75, 0.8, 1, 1.5, 3, 10, 100} {
		list = append(list, [3]float64{v, v, v}, [3]float64{v, 0, 0}, [3]float64{v / 4, v, 0.1}, [3]float64{v, v / 2, v * 3})
	}
	return list
}

// TestTones holds each tone against its formula: the difference is the rounding to 8 bits, half a step, and
// what binary32 adds to it. Sums of terms of up to 40 (AgX's polynomial) are wrong by up to 2e-5 of a colour
// that is then raised to 2.2 and encoded, which is a hundredth of a step at most.
func TestTones(t *testing.T) {
	b := newBench(t)
	var materials []obj
	for _, l := range lights() {
		materials = append(materials, emitting(l))
	}
	doc := cells(8, materials).document(t)
	m, err := b.Load(ctx, doc)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	for tone, formula := range toned {
		for _, ev := range []float64{0, 1, -2.5} {
			img, err := b.Render(ctx, m, studio.View{
				Width: 8, Height: 8, Samples: 1, Light: new(0.0), Tone: tone, Exposure: ev, Camera: studio.Camera{Document: &doc.Cameras[0]},
			})
			if err != nil {
				t.Fatal(err)
			}
			for i, l := range lights() {
				for c := range l {
					l[c] *= math.Exp2(ev)
				}
				got := img.NRGBAAt(i%8, i/8)
				for c, v := range formula(l) {
					v = max(0, min(1, v))
					if d := math.Abs(encoded(v) - float64([3]uint8{got.R, got.G, got.B}[c])); d > 0.51 {
						t.Errorf("tone %d of light %.4v: %v, channel %d is %.3f by the formula", tone, l, got, c, encoded(v))
					}
				}
			}
		}
	}
}

// Unlit surfaces and backgrounds are what they are in the file, whatever light, exposure and tone, at once and
// through glass.
func TestTones_UnlitStays(t *testing.T) {
	b := newBench(t)
	var colors []color.NRGBA
	for _, v := range []uint8{0, 1, 10, 64, 128, 200, 254, 255} {
		colors = append(colors, color.NRGBA{v, v, v, 255}, color.NRGBA{v, 0, 0, 255}, color.NRGBA{0, v, 30, 255}, color.NRGBA{v / 2, v, 255, 255})
	}
	draw := func(glass bool, background color.NRGBA, v studio.View) []color.NRGBA {
		var materials []obj
		for _, c := range colors {
			materials = append(materials, unlit(linear(c.R), linear(c.G), linear(c.B), 1))
		}
		s := cells(6, materials)
		if glass {
			s.putQuad(-1, -1, 1, 1, 0.5, clear(1, 1, 1, 0))
		}
		doc := s.document(t)
		v.Width, v.Height, v.Samples, v.Background, v.Camera.Document = 6, 6, 1, background, &doc.Cameras[0]
		img := b.draw(doc, v)
		var out []color.NRGBA
		for i := range colors {
			out = append(out, img.NRGBAAt(i%6, i/6))
		}
		return append(out, img.NRGBAAt(5, 5))
	}
	for tone := range toned {
		for _, ev := range []float64{0, -16, -1, 2.3, 16} {
			for _, glass := range []bool{false, true} {
				background := color.NRGBA{200, 30, 60, 255}
				got := draw(glass, background, studio.View{Tone: tone, Exposure: ev, Light: new(1000.0)})
				for i, want := range append(colors, background) {
					tolerance := 0
					switch {
					case glass && tone == studio.ToneNeutral && max(want.R, want.G, want.B) > 3*min(want.R, want.G, want.B) && max(want.R, want.G, want.B) > 220:
						continue // no light becomes these
					case glass:
						tolerance = 1 // half floats, and the two ways through binary32
						if tone == studio.ToneAgX {
							tolerance = 2 // saturated colours are sums of light and less than none
						}
					}
					if !near(got[i], want, tolerance) {
						t.Errorf("tone %d, exposure %v, through glass %v: %v is drawn as %v", tone, ev, glass, want, got[i])
					}
				}
			}
		}
	}
}

// lit is a scene of all light that there is: the environment's on a plain and a layered surface, a light's, and
// what shines by itself; glass before some of it.
func lit(lamp float64) *scene {
	s := newScene()
	s.putBall(-0.5, 0.5, 0, 0.4, surface(0.8, 0.5, 0.1, 1, 0.3))
	s.putBall(0.5, 0.5, 0, 0.4, extended(extended(surface(0.2, 0.5, 0.9, 0, 0.5), "clearcoat", obj{"clearcoatFactor": 0.5}),
		"sheen", obj{"sheenColorFactor": arr{1, 0.7, 0.7}, "sheenRoughnessFactor": 0.4}))
	s.putQuad(-0.9, -0.9, 0, -0.1, 0, emitting([3]float64{lamp / 2, lamp / 4, lamp / 8}))
	s.putQuad(0, -0.9, 0.9, -0.1, 0, base(0.5, 0.5, 0.5, 1))
	s.putQuad(-0.2, -0.6, 0.2, -0.4, 0.5, extended(surface(1, 1, 1, 0, 0), "transmission", obj{"transmissionFactor": 0.75}))
	if lamp > 0 {
		s.light(obj{"type": "directional", "intensity": lamp}, obj{"rotation": about(-0.5)})
	}
	return s
}

// One stop more is twice the light, to the bit; so is twice the strength where the environment is the only light.
// Alpha stays.
func TestExposure_DoublesLight(t *testing.T) {
	b := newBench(t)
	pixels := func(lamp float64, v studio.View) []float32 {
		doc := lit(lamp).document(t)
		m, err := b.Load(ctx, doc)
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		v.Width, v.Height, v.Samples, v.Camera.Document = 24, 24, 1, &doc.Cameras[0]
		img, err := b.RenderLinear(ctx, m, v)
		if err != nil {
			t.Fatal(err)
		}
		return img.Pixels
	}
	want := func(what string, got, than []float32, factor float32) {
		t.Helper()
		bright := 0
		for i := range got {
			f := factor
			if i%4 == 3 {
				f = 1
			}
			if got[i] != f*than[i] {
				t.Fatalf("%s: pixel %d,%d, channel %d is %v, want %v", what, i/4%24, i/4/24, i%4, got[i], f*than[i])
			}
			if i%4 != 3 && than[i] > 0.01 {
				bright++
			}
		}
		if bright < 500 {
			t.Fatalf("%s: only %d values are bright", what, bright)
		}
	}
	for _, sky := range []bool{false, true} {
		once := pixels(2, studio.View{ShowEnvironment: sky})
		want("a stop", pixels(2, studio.View{ShowEnvironment: sky, Exposure: 1}), once, 2)
		want("three stops less", pixels(2, studio.View{ShowEnvironment: sky, Exposure: -3}), once, 1./8)
		want("strength", pixels(0, studio.View{ShowEnvironment: sky, Light: new(2.0)}), pixels(0, studio.View{ShowEnvironment: sky}), 2)
		want("the tone", pixels(2, studio.View{ShowEnvironment: sky, Tone: studio.ToneAgX}), once, 1)
	}
	// Strength is not that of the document's lights.
	lamps, sky, both := pixels(2, studio.View{Light: new(0.0)}), pixels(0, studio.View{Light: new(3.0)}), pixels(2, studio.View{Light: new(3.0)})
	for i := range both {
		if sum := float64(lamps[i]) + float64(sky[i]); i%4 != 3 && math.Abs(float64(both[i])-sum) > 0.002*sum+1e-6 { // through glass it is half floats
			t.Fatalf("value %d: %v with lamps and sky, %v and %v apart", i, both[i], lamps[i], sky[i])
		}
	}
	half, one := pixels(2, studio.View{Exposure: 0.5}), pixels(2, studio.View{})
	for i := range half {
		if v := math.Sqrt2 * float64(one[i]); i%4 != 3 && math.Abs(float64(half[i])-v) > 0.001*v {
			t.Fatalf("half a stop: value %d is %v, want %v", i, half[i], v)
		}
	}
}

// What is brighter than half floats hold is the brightest of them through glass, not black.
func TestExposure_TooBrightForGlass(t *testing.T) {
	b := newBench(t)
	for _, c := range []struct{ light, ev float64 }{{1e6, 0}, {10, 16}} {
		s := newScene()
		s.putQuad(-1, -1, 1, 1, 0, emitting([3]float64{c.light, c.light, c.light}))
		s.putQuad(-1, -1, 1, 1, 0.5, clear(1, 1, 1, 0.5))
		doc := s.document(t)
		for tone := range toned {
			img := b.draw(doc, studio.View{Width: 4, Height: 4, Samples: 1, Tone: tone, Exposure: c.ev, Camera: studio.Camera{Document: &doc.Cameras[0]}})
			wantPixel(t, img, 2, 2, white, 1)
		}
	}
}

// Without light from the environment nothing throws a shadow.
func TestLight_NoneThrowsNoShadow(t *testing.T) {
	b := newBench(t)
	s := newScene()
	s.putBall(0, 0.3, 0, 0.3, emitting([3]float64{1, 1, 1}))
	doc := s.document(t)
	v := studio.View{Width: 16, Height: 16, Samples: 1, Camera: studio.Camera{Pitch: 30, Zoom: 0.5}}
	covered := func(ground bool, light float64) (n int) {
		v.Ground, v.Light = ground, &light
		img := b.draw(doc, v)
		for i := 3; i < len(img.Pix); i += 4 {
			if img.Pix[i] > 0 {
				n++
			}
		}
		return n
	}
	if none, some, dark := covered(false, 1), covered(true, 1), covered(true, 0); dark != none || some <= none {
		t.Errorf("%d pixels without ground, %d with, %d with no light", none, some, dark)
	}
}

func TestView_BadLight(t *testing.T) {
	b := newBench(t)
	s := newScene()
	s.putQuad(-1, -1, 1, 1, 0, unlit(1, 0, 0, 1))
	m, err := b.Load(ctx, s.document(t))
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	for name, v := range map[string]studio.View{
		"exposure":          {Exposure: 16.5},
		"negative exposure": {Exposure: -17},
		"exposure of NaN":   {Exposure: math.NaN()},
		"light":             {Light: new(1000.5)},
		"negative light":    {Light: new(-0.1)},
		"light of NaN":      {Light: new(math.NaN())},
		"infinite light":    {Light: new(math.Inf(1))},
		"tone":              {Tone: 4},
	} {
		v.Width, v.Height = 4, 4
		if _, err := b.Render(ctx, m, v); err == nil {
			t.Errorf("%s: no error", name)
		}
		if _, err := b.RenderLinear(ctx, m, v); err == nil {
			t.Errorf("%s: no error of RenderLinear", name)
		}
		if _, _, err := b.Explain(ctx, m, v); err == nil {
			t.Errorf("%s: no error of Explain", name)
		}
	}
}

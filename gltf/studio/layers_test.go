package studio_test

import (
	"fmt"
	"image/color"
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/gltf/studio"
)

// uniform is the same light from all sides.
func uniform(t testing.TB, b *bench, light ...float32) *studio.Environment {
	t.Helper()
	p := studio.Panorama{Width: 8, Height: 4}
	for i := range 3 * p.Width * p.Height {
		p.Pixels = append(p.Pixels, light[i%len(light)])
	}
	e, err := b.NewEnvironment(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

// linearLight draws through the scene's camera and returns linear light by column and row.
func linearLight(b *bench, s *scene, size int, v studio.View) func(x, y int) [3]float64 {
	b.t.Helper()
	doc := s.document(b.t)
	v.Width, v.Height, v.Samples, v.Camera.Document = size, size, 1, &doc.Cameras[0]
	m, err := b.Load(ctx, doc)
	if err != nil {
		b.t.Fatal(err)
	}
	defer m.Close()
	img, err := b.RenderLinear(ctx, m, v)
	if err != nil {
		b.t.Fatal(err)
	}
	return func(x, y int) [3]float64 {
		p := img.Pixels[4*(y*size+x):]
		return [3]float64{float64(p[0]), float64(p[1]), float64(p[2])}
	}
}

// atNormal is the light that a surface sends straight up, in a uniform environment.
func atNormal(b *bench, material obj, e *studio.Environment) [3]float64 {
	b.t.Helper()
	s := newScene()
	s.putQuad(-1, -1, 1, 1, 0, material)
	return linearLight(b, s, 5, studio.View{Environment: e})(2, 2)
}

func wantLight(t *testing.T, name string, got, want [3]float64, tolerance float64) {
	t.Helper()
	for c := range 3 {
		if math.Abs(got[c]-want[c]) > tolerance {
			t.Errorf("%s: %.4f, want %.4f ± %.4f", name, got, want, tolerance)
			return
		}
	}
}

func gray(v float64) [3]float64 { return [3]float64{v, v, v} }

// dull is a surface of a dielectric that reflects nothing: what is left is its body.
func dull(r, g, b, roughness float64) obj {
	return extended(surface(r, g, b, 0, roughness), "specular", obj{"specularFactor": 0})
}

// TestLayers holds what the extensions of materials say against their formulas, where the same
// white light comes from all sides and not from there alone.
func TestLayers(t *testing.T) {
	b := newBench(t)
	e := uniform(t, b, 1)
	for name, test := range map[string]func(*testing.T, *bench, *studio.Environment){
		"furnace":              testFurnace_LayersNeitherLoseNorMakeLight,
		"reflection":           testReflection_AtNormalIncidence,
		"specular-glossiness":  testSpecularGlossiness_IsMetallicRoughness,
		"sheen":                testSheen_AlbedoAndLobe,
		"anisotropy":           testAnisotropy_Lobe,
		"iridescence":          testIridescence_AtNormalIncidence,
		"diffuse transmission": testDiffuseTransmission_FromBehind,
		"nothing":              testLayers_AllButNothing,
	} {
		t.Run(name, func(t *testing.T) { test(t, b, e) })
	}
}

// testFurnace_LayersNeitherLoseNorMakeLight: where the same light comes from all sides, a white
// ball sends that light to all sides, whatever its layers are.
func testFurnace_LayersNeitherLoseNorMakeLight(t *testing.T, b *bench, e *studio.Environment) {
	for name, m := range map[string]obj{
		"core":       surface(1, 1, 1, 0, 0.3),
		"metal":      surface(1, 1, 1, 1, 0.6),
		"ior":        extended(surface(1, 1, 1, 0, 0.3), "ior", obj{"ior": 2.2}),
		"specular":   extended(surface(1, 1, 1, 0, 0.3), "specular", obj{"specularFactor": 0.3}),
		"clearcoat":  extended(surface(1, 1, 1, 0, 0.6), "clearcoat", obj{"clearcoatFactor": 1, "clearcoatRoughnessFactor": 0.3}),
		"sheen":      extended(surface(1, 1, 1, 0, 0.6), "sheen", obj{"sheenColorFactor": arr{1, 1, 1}, "sheenRoughnessFactor": 0.5}),
		"anisotropy": extended(surface(1, 1, 1, 1, 0.3), "anisotropy", obj{"anisotropyStrength": 0.8}),
		"diffuse transmission": extended(surface(1, 1, 1, 0, 0.6), "diffuse_transmission",
			obj{"diffuseTransmissionFactor": 0.6}),
		"all": extended(extended(extended(surface(1, 1, 1, 0.4, 0.6), "ior", obj{"ior": 1.8}),
			"clearcoat", obj{"clearcoatFactor": 0.7}), "sheen", obj{"sheenColorFactor": arr{0.6, 0.6, 0.6}, "sheenRoughnessFactor": 0.8}),
	} {
		s := newScene()
		s.putBall(0, 0, 0, 0.9, m)
		const size = 24
		at := linearLight(b, s, size, studio.View{Environment: e})
		for y := range size {
			for x := range size {
				if dx, dy := float64(2*x+1-size)/size, float64(2*y+1-size)/size; math.Hypot(dx, dy) < 0.85 {
					if got := at(x, y); math.Abs(got[1]-1) > 0.025 {
						t.Fatalf("%s: pixel %d,%d sends %.4f", name, x, y, got)
					}
				}
			}
		}
	}
}

// testReflection_AtNormalIncidence: F0 of the index of refraction, scaled and coloured; a coat
// over it takes its share first.
func testReflection_AtNormalIncidence(t *testing.T, b *bench, e *studio.Environment) {
	black := surface(0, 0, 0, 0, 0)
	ior := func(n float64) float64 { return math.Pow((n-1)/(n+1), 2) }
	for name, c := range map[string]struct {
		material obj
		want     [3]float64 // of the light
	}{
		"usual":             {black, gray(0.04)},
		"water":             {extended(black, "ior", obj{"ior": 1.33}), gray(ior(1.33))},
		"diamond":           {extended(black, "ior", obj{"ior": 2.42}), gray(ior(2.42))},
		"none":              {extended(black, "ior", obj{"ior": 1}), gray(0)},
		"infinite":          {extended(black, "ior", obj{"ior": 0}), gray(1)},
		"weak":              {extended(black, "specular", obj{"specularFactor": 0.5}), gray(0.02)},
		"colored":           {extended(black, "specular", obj{"specularColorFactor": arr{2, 1, 0.5}}), [3]float64{0.08, 0.04, 0.02}},
		"color clamped":     {extended(extended(black, "ior", obj{"ior": 2}), "specular", obj{"specularColorFactor": arr{20, 1, 0}, "specularFactor": 0.5}), [3]float64{0.5, 0.5 / 9, 0}},
		"specular, metal":   {extended(surface(0.5, 0.3, 0.1, 1, 0), "specular", obj{"specularFactor": 0}), [3]float64{0.5, 0.3, 0.1}},
		"coat":              {extended(black, "clearcoat", obj{"clearcoatFactor": 1}), gray(0.04 + 0.96*0.04)},
		"half a coat":       {extended(black, "clearcoat", obj{"clearcoatFactor": 0.5}), gray(0.02 + 0.98*0.04)},
		"coat over metal":   {extended(surface(0.5, 0.3, 0.1, 1, 0), "clearcoat", obj{"clearcoatFactor": 1}), [3]float64{0.04 + 0.96*0.5, 0.04 + 0.96*0.3, 0.04 + 0.96*0.1}},
		"specular-gloss":    {extended(obj{}, "pbrSpecularGlossiness", obj{"diffuseFactor": arr{0, 0, 0, 1}, "specularFactor": arr{0.6, 0.3, 0.1}}), [3]float64{0.6, 0.3, 0.1}},
		"specular and glow": {extended(obj{"emissiveFactor": arr{1, 0.5, 0}, "pbrMetallicRoughness": obj{"baseColorFactor": arr{0, 0, 0, 1}, "metallicFactor": 0, "roughnessFactor": 0}}, "clearcoat", obj{"clearcoatFactor": 1}), [3]float64{0.0784 + 0.96, 0.0784 + 0.48, 0.0784}},
	} {
		// The table's lowest roughness and cosine are not quite 0 and 1.
		wantLight(t, name, atNormal(b, c.material, e), c.want, 0.004)
	}
}

// testSpecularGlossiness_IsMetallicRoughness with the diffuse colour that the reflection leaves.
func testSpecularGlossiness_IsMetallicRoughness(t *testing.T, b *bench, _ *studio.Environment) {
	draw := func(m obj) color.NRGBA { return middle(b, greyQuad(m)) }
	for _, gloss := range []float64{0, 0.4, 0.9} {
		sg := draw(extended(obj{}, "pbrSpecularGlossiness", obj{
			"diffuseFactor": arr{0.5, 0.3, 0.2, 1}, "specularFactor": arr{0.04, 0.04, 0.04}, "glossinessFactor": gloss}))
		mr := draw(surface(0.5*0.96, 0.3*0.96, 0.2*0.96, 0, 1-gloss))
		if !near(sg, mr, 1) {
			t.Errorf("glossiness %v: %v, as metal and roughness %v", gloss, sg, mr)
		}
	}
}

// sheenLobe is the distribution and visibility of KHR_materials_sheen, in its words.
func sheenLobe(roughness, nl, nv, nh float64) float64 {
	alphaG := roughness * roughness
	d := (2 + 1/alphaG) * math.Pow(1-nh*nh, 0.5/alphaG) / (2 * math.Pi)
	k := (1 - alphaG) * (1 - alphaG)
	mix := func(x, y float64) float64 { return x + (y-x)*k }
	l := func(x float64) float64 {
		return mix(21.5473, 25.3245)/(1+mix(3.82987, 3.32435)*math.Pow(x, mix(0.19823, 0.16801))) + mix(-1.97760, -1.27393)*x + mix(-4.32054, -4.85967)
	}
	lambda := func(c float64) float64 {
		if c < 0.5 {
			return math.Exp(l(c))
		}
		return math.Exp(2*l(0.5) - l(1-c))
	}
	return d / ((1 + lambda(nv) + lambda(nl)) * 4 * nv * nl)
}

// testSheen_AlbedoAndLobe: in even light sheen shines by the integral of its lobe and dims what
// is below by that; under one light by the lobe itself.
func testSheen_AlbedoAndLobe(t *testing.T, b *bench, e *studio.Environment) {
	tint := [3]float64{0.9, 0.5, 0.1}
	for _, roughness := range []float64{0.3, 0.5, 0.8, 1} {
		albedo := 0.0 // at normal incidence: the half vector lies half way to the light
		const steps = 4000
		for i := range steps {
			theta := (float64(i) + 0.5) / steps * math.Pi / 2
			albedo += sheenLobe(roughness, math.Cos(theta), 1, math.Cos(theta/2)) * math.Cos(theta) * 2 * math.Pi * math.Sin(theta) * (math.Pi / 2 / steps)
		}
		sheen := obj{"sheenColorFactor": arr{tint[0], tint[1], tint[2]}, "sheenRoughnessFactor": roughness}
		var want [3]float64
		for c := range 3 {
			want[c] = tint[c]*albedo + 0.4*(1-0.9*albedo)
		}
		wantLight(t, fmt.Sprint("albedo, roughness ", roughness), atNormal(b, extended(dull(0.4, 0.4, 0.4, 1), "sheen", sheen), e), want, 0.01)

		const theta, strength = math.Pi / 3, 3.0
		lit := func(on bool) [3]float64 {
			s := newScene()
			s.putQuad(-1, -1, 1, 1, 0, extended(dull(0, 0, 0, 1), "sheen", sheen))
			if on {
				s.light(obj{"type": "directional", "intensity": strength}, obj{"rotation": about(-theta)})
			}
			return linearLight(b, s, 5, studio.View{Environment: e})(2, 2)
		}
		dark, bright := lit(false), lit(true)
		lobe := sheenLobe(roughness, math.Cos(theta), 1, math.Cos(theta/2)) * math.Cos(theta) * strength
		for c := range 3 {
			bright[c] -= dark[c]
			want[c] = tint[c] * lobe
		}
		wantLight(t, fmt.Sprint("lobe, roughness ", roughness), bright, want, 0.002)

		// Eye and light on one side, 53° from the normal.
		slant := func(on bool) [3]float64 {
			s := newScene()
			a := s.quad(-1, -1, 1, 1, 0)
			a["NORMAL"] = s.vec3(0, 0.8, 0.6, 0, 0.8, 0.6, 0, 0.8, 0.6, 0, 0.8, 0.6)
			s.put(a, extended(dull(0, 0, 0, 1), "sheen", sheen), obj{"indices": s.quadIndices()})
			if on {
				s.light(obj{"type": "directional", "intensity": strength}, obj{})
			}
			return linearLight(b, s, 5, studio.View{Environment: e})(2, 2)
		}
		dark, bright = slant(false), slant(true)
		lobe = sheenLobe(roughness, 0.6, 0.6, 0.6) * 0.6 * strength
		if !(lobe > 0.02) {
			t.Fatalf("a lobe of %v shows nothing", lobe)
		}
		for c := range 3 {
			bright[c] -= dark[c]
			want[c] = tint[c] * lobe
		}
		wantLight(t, fmt.Sprint("slanting lobe, roughness ", roughness), bright, want, 0.002)
	}
}

// testAnisotropy_Lobe: under one light a metal shines by the formula of the extension, along the
// tangent and across it, whichever way it is turned.
func testAnisotropy_Lobe(t *testing.T, b *bench, e *studio.Environment) {
	const roughness, strength, theta, intensity = 0.4, 0.7, 0.5, 2.0
	lobe := func(x, y float64) float64 { // of a light at theta from the normal towards (x, y); x along the tangent
		a := roughness * roughness
		at, ab := a+(1-a)*strength*strength, a
		sin, cos := math.Sincos(theta)
		l := [3]float64{sin * x, sin * y, cos}
		h := [3]float64{math.Sin(theta/2) * x, math.Sin(theta/2) * y, math.Cos(theta / 2)}
		f := math.Pow(ab*h[0], 2) + math.Pow(at*h[1], 2) + math.Pow(at*ab*h[2], 2)
		w2 := at * ab / f
		d := at * ab * w2 * w2 / math.Pi
		v := 0.5 / (l[2] + math.Sqrt(math.Pow(at*l[0], 2)+math.Pow(ab*l[1], 2)+l[2]*l[2])) // n·v = 1, v = n
		return d * min(v, 1) * l[2] * intensity
	}
	for name, c := range map[string]struct {
		rotation float64
		light    arr
		x, y     float64
	}{
		"along":           {0, arr{0, math.Sin(theta / 2), 0, math.Cos(theta / 2)}, 1, 0},
		"across":          {0, about(-theta), 0, 1},
		"turned, along":   {math.Pi / 2, about(-theta), 1, 0},
		"turned, across":  {math.Pi / 2, arr{0, math.Sin(theta / 2), 0, math.Cos(theta / 2)}, 0, 1},
		"an eighth, both": {math.Pi / 4, about(-theta), math.Sqrt2 / 2, math.Sqrt2 / 2},
	} {
		lit := func(on bool) float64 {
			s := newScene()
			a := s.quad(-1, -1, 1, 1, 0)
			a["TANGENT"] = s.add("VEC4", float, 4, []float32{1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1})
			m := extended(surface(0.6, 0.6, 0.6, 1, roughness), "anisotropy", obj{"anisotropyStrength": strength, "anisotropyRotation": c.rotation})
			s.put(a, m, obj{"indices": s.quadIndices()})
			if on {
				s.light(obj{"type": "directional", "intensity": intensity}, obj{"rotation": c.light})
			}
			return linearLight(b, s, 5, studio.View{Environment: e})(2, 2)[0]
		}
		fresnel := 0.6 + 0.4*math.Pow(1-math.Cos(theta/2), 5)
		if got, want := lit(true)-lit(false), fresnel*lobe(c.x, c.y); math.Abs(got-want) > 0.003*want+1e-4 {
			t.Errorf("%s: %.5f, want %.5f", name, got, want)
		}
	}
	if lobe(1, 0) < 1.5*lobe(0, 1) {
		t.Errorf("%v along, %v across: the formula of the test is not anisotropic", lobe(1, 0), lobe(0, 1))
	}
}

// thinFilm is the reflection of KHR_materials_iridescence at normal incidence, after Belcour and
// Barla: the sum over bounces in the film, seen by the eye's three sensitivities.
func thinFilm(film, thickness, f0 float64) (rgb [3]float64) {
	r12 := math.Pow((film-1)/(film+1), 2)
	n := (1 + math.Sqrt(f0)) / (1 - math.Sqrt(f0))
	r23 := math.Pow((n-film)/(n+film), 2)
	shift := math.Pi
	if n < film {
		shift = 2 * math.Pi
	}
	t := 1 - r12
	rs := t * t * r23 / (1 - r12*r23)
	sensitivity := func(path, shift float64) [3]float64 {
		phase := 2 * math.Pi * path * 1e-9
		g := func(v, p, w float64) float64 {
			return v * math.Sqrt(2*math.Pi*w) * math.Cos(p*phase+shift) * math.Exp(-phase*phase*w) / 1.0685e-7
		}
		x := g(5.4856e-13, 1.6810e6, 4.3278e9) + g(9.7470e-14, 2.2399e6, 4.5282e9)
		y, z := g(4.4201e-13, 1.7953e6, 9.3046e9), g(5.2481e-13, 2.2084e6, 6.6121e9)
		return [3]float64{3.2404542*x - 1.5371385*y - 0.4985314*z, -0.9692660*x + 1.8760108*y + 0.0415560*z, 0.0556434*x - 0.2040259*y + 1.0572252*z}
	}
	for c := range 3 {
		rgb[c] = r12 + rs
		for m := 1.0; m <= 2; m++ {
			rgb[c] += (rs - t) * math.Pow(r12*r23, m/2) * 2 * sensitivity(m*2*film*thickness, m*shift)[c]
		}
		rgb[c] = max(0, min(1, rgb[c]))
	}
	return rgb
}

// testIridescence_AtNormalIncidence: films of several thicknesses on metal and glass, whole and half.
func testIridescence_AtNormalIncidence(t *testing.T, b *bench, e *studio.Environment) {
	for _, thickness := range []float64{150, 280, 400, 700} {
		film := obj{"iridescenceFactor": 1, "iridescenceIor": 1.7, "iridescenceThicknessMaximum": thickness}
		metal := surface(0.3, 0.3, 0.3, 1, 0)
		wantLight(t, fmt.Sprintf("metal, %v nm", thickness), atNormal(b, extended(metal, "iridescence", film), e), thinFilm(1.7, thickness, 0.3), 0.01)
		glass := surface(0, 0, 0, 0, 0)
		want := thinFilm(1.7, thickness, 0.04)
		wantLight(t, fmt.Sprintf("glass, %v nm", thickness), atNormal(b, extended(glass, "iridescence", film), e), want, 0.01)
		half := with(film, obj{"iridescenceFactor": 0.5})
		for c := range want {
			want[c] = (want[c] + 0.04) / 2
		}
		wantLight(t, fmt.Sprintf("half a film, %v nm", thickness), atNormal(b, extended(glass, "iridescence", half), e), want, 0.01)
	}
}

// testDiffuseTransmission_FromBehind: half of the body's light comes from the other side, in its colour.
func testDiffuseTransmission_FromBehind(t *testing.T, b *bench, e *studio.Environment) {
	const intensity, theta = 2.0, 0.6
	for name, c := range map[string]struct {
		turn float64 // of the light, about x
		want [3]float64
	}{
		"behind":   {math.Pi - theta, [3]float64{0.7 * 0.8, 0.7 * 0.4, 0.7 * 0.2}},
		"in front": {-theta, [3]float64{0.3 * 0.1, 0.3 * 0.5, 0.3 * 0.9}},
	} {
		lit := func(on bool) [3]float64 {
			s := newScene()
			s.putQuad(-1, -1, 1, 1, 0, extended(dull(0.1, 0.5, 0.9, 1), "diffuse_transmission",
				obj{"diffuseTransmissionFactor": 0.7, "diffuseTransmissionColorFactor": arr{0.8, 0.4, 0.2}}))
			if on {
				s.light(obj{"type": "directional", "intensity": intensity}, obj{"rotation": about(c.turn)})
			}
			return linearLight(b, s, 5, studio.View{Environment: e})(2, 2)
		}
		bright, dark := lit(true), lit(false)
		for i := range 3 {
			bright[i] -= dark[i]
			c.want[i] *= intensity * math.Cos(theta) / math.Pi
		}
		wantLight(t, name, bright, c.want, 0.002)
	}
}

// testLayers_AllButNothing: a layer that is nearly not there changes nothing, and one that is not
// there at all not one byte: layers.frag and pbr.frag agree where they mean the same.
func testLayers_AllButNothing(t *testing.T, b *bench, _ *studio.Environment) {
	draw := func(m obj) func(x, y int) color.NRGBA {
		s := newScene()
		s.putBall(0, 0, 0, 0.9, m)
		s.light(obj{"type": "directional", "intensity": 1}, obj{"rotation": about(-0.7)})
		return s.draw(b, 24, 1).NRGBAAt
	}
	for name, m := range map[string]obj{"dielectric": surface(0.5, 0.3, 0.2, 0, 0.4), "metal": surface(0.5, 0.3, 0.2, 1, 0.4)} {
		plain := draw(m)
		none := m
		for ext, body := range map[string]obj{
			"clearcoat": {"clearcoatRoughnessFactor": 0.5}, "sheen": {"sheenRoughnessFactor": 0.5}, "iridescence": {"iridescenceIor": 2},
			"anisotropy": {"anisotropyRotation": 1}, "transmission": {}, "volume": {"thicknessFactor": 1}, "dispersion": {"dispersion": 3},
			"diffuse_transmission": {}, "specular": {}, "ior": {},
		} {
			none = extended(none, ext, body)
		}
		without, little := draw(none), draw(extended(m, "clearcoat", obj{"clearcoatFactor": 1e-6}))
		for y := range 24 {
			for x := range 24 {
				if plain(x, y) != without(x, y) {
					t.Fatalf("%s: pixel %d,%d is %v with extensions that do nothing, %v without", name, x, y, without(x, y), plain(x, y))
				}
				if !near(plain(x, y), little(x, y), 1) {
					t.Fatalf("%s: pixel %d,%d is %v with a trace of a coat, %v without", name, x, y, little(x, y), plain(x, y))
				}
			}
		}
	}
}

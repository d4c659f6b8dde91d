package studio_test

import (
	"image/color"
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/gltf/studio"
)

// clear is a pane of glass that neither reflects nor bends light.
func clear(r, g, b, roughness float64) obj {
	m := extended(dull(r, g, b, roughness), "transmission", obj{"transmissionFactor": 1})
	return extended(m, "ior", obj{"ior": 1})
}

// TestTransmission holds what is seen through surfaces against the formulas of the extensions.
func TestTransmission(t *testing.T) {
	b := newBench(t)
	for name, test := range map[string]func(*testing.T, *bench){
		"clear":      testTransmission_ClearGlassIsInvisible,
		"beer":       testVolume_Beer,
		"refraction": testVolume_RefractionByColor,
		"roughness":  testTransmission_RoughnessBlurs,
		"alpha":      testTransmission_NothingBehindStaysOpen,
	} {
		t.Run(name, func(t *testing.T) { test(t, b) })
	}
}

// testTransmission_ClearGlassIsInvisible: through it everything looks as it does without, lit or
// not, dark or bright, and what is transparent stays so, at any number of samples. (Colours that are
// bright and saturated at once are none that tone mapping makes of light: they are a little paler.)
func testTransmission_ClearGlassIsInvisible(t *testing.T, b *bench) {
	for _, background := range []color.NRGBA{{}, {255, 255, 255, 255}, {3, 90, 220, 255}, {200, 30, 60, 255}} {
		for _, samples := range []int{1, 4} {
			draw := func(pane bool) func(x, y int) color.NRGBA {
				s := newScene()
				s.putQuad(-0.9, -0.5, -0.1, 0.5, -1, unlit(0.2, 0.9, 0.4, 1))
				s.putQuad(-0.2, -0.8, 0.5, 0.2, -0.5, unlit(1, 1, 1, 1))
				s.putBall(0.5, 0.4, -0.5, 0.3, surface(0.8, 0.5, 0.1, 1, 0.3))
				if pane {
					s.putQuad(-0.95, -0.95, 0.95, 0.95, 0.5, clear(1, 1, 1, 0.3))
				}
				doc := s.document(t)
				return b.draw(doc, studio.View{
					Width: 32, Height: 32, Samples: samples, Background: background, Camera: studio.Camera{Document: &doc.Cameras[0]},
				}).NRGBAAt
			}
			with, without := draw(true), draw(false)
			for y := range 32 {
				for x := range 32 {
					// Tones are mapped sample by sample, and through the glass pixel by pixel: edges may differ.
					edge := without(x, y) != without(min(x+1, 31), y) || without(x, y) != without(max(x-1, 0), y) ||
						without(x, y) != without(x, min(y+1, 31)) || without(x, y) != without(x, max(y-1, 0))
					if !near(with(x, y), without(x, y), 2) && (samples == 1 || !edge) {
						t.Fatalf("background %v, %d samples: pixel %d,%d is %v through glass, %v without", background, samples, x, y, with(x, y), without(x, y))
					}
				}
			}
		}
	}
}

// testVolume_Beer: what is left of light is the attenuation colour to the power of way / distance;
// the way is in the world, the thickness in the mesh.
func testVolume_Beer(t *testing.T, b *bench) {
	tint, behind := [3]float64{0.9, 0.5, 0.2}, [3]float64{0.8, 0.6, 0.4}
	for _, scale := range []float64{1, 2} {
		s := newScene()
		s.putQuad(-1, -1, 1, 1, -1, unlit(behind[0], behind[1], behind[2], 1))
		m := extended(clear(0.7, 0.7, 0.7, 0), "volume", obj{
			"thicknessFactor": 0.3, "attenuationDistance": 0.2, "attenuationColor": arr{tint[0], tint[1], tint[2]}})
		s.putQuad(-1, -1, 1, 1, 0, m)["scale"] = arr{scale, scale, scale}
		var want [3]float64
		for c := range 3 {
			want[c] = behind[c] * 0.7 * math.Pow(tint[c], 0.3*scale/0.2)
		}
		wantLight(t, "volume", linearLight(b, s, 5, studio.View{})(2, 2), want, 0.001)
	}
	// No distance: nothing is absorbed. No thickness: there is no volume.
	for _, v := range []obj{{"thicknessFactor": 0.3, "attenuationColor": arr{0, 0, 0}}, {"attenuationDistance": 0.01, "attenuationColor": arr{0, 0, 0}}} {
		s := newScene()
		s.putQuad(-1, -1, 1, 1, -1, unlit(0.8, 0.6, 0.4, 1))
		s.putQuad(-1, -1, 1, 1, 0, extended(clear(1, 1, 1, 0), "volume", v))
		wantLight(t, "no absorption", linearLight(b, s, 5, studio.View{})(2, 2), behind, 0.001)
	}
}

// testVolume_RefractionByColor: rays bend by Snell's law at a tilted surface, each colour by its
// own index of refraction, and show what is where they leave the volume.
func testVolume_RefractionByColor(t *testing.T, b *bench) {
	const size, edge, thickness = 128, 0.15, 0.6
	for _, c := range []struct{ ior, dispersion float64 }{{1.5, 0}, {1.8, 0}, {1.5, 4}, {1.9, 20}} {
		s := newScene()
		s.putQuad(-3, -3, 3, 3, -1, unlit(0, 0, 0, 1))
		s.putQuad(edge, -3, 3, 3, -0.9, unlit(1, 1, 1, 1))
		a := s.quad(-1, -1, 1, 1, 0)
		n := [3]float64{-0.6, 0, 0.8}
		a["NORMAL"] = s.vec3(-0.6, 0, 0.8, -0.6, 0, 0.8, -0.6, 0, 0.8, -0.6, 0, 0.8)
		m := extended(dull(1, 1, 1, 0), "transmission", obj{"transmissionFactor": 1})
		m = extended(m, "volume", obj{"thicknessFactor": thickness})
		m = extended(m, "ior", obj{"ior": c.ior})
		m = extended(m, "dispersion", obj{"dispersion": c.dispersion})
		s.put(a, m, obj{"indices": s.quadIndices()})
		at := linearLight(b, s, size, studio.View{})
		spread := (c.ior - 1) * 0.025 * c.dispersion // half of 20 / Abbe number's
		for x := range size {
			px := (2*float64(x)+1)/size - 1
			py := 1 - (2*float64(size/2)+1)/size
			v := [3]float64{-px, -py, 5}
			l := math.Sqrt(v[0]*v[0] + v[1]*v[1] + v[2]*v[2])
			for i := range 3 {
				v[i] /= l
			}
			for i, ior := range []float64{c.ior - spread, c.ior, c.ior + spread} {
				cos1 := n[0]*v[0] + n[1]*v[1] + n[2]*v[2]
				cos2 := math.Sqrt(1 - (1-cos1*cos1)/(ior*ior))
				exit := px + thickness*(-v[0]/ior+n[0]*(cos1/ior-cos2))
				want := 0.0
				if exit > edge {
					want = 1
				}
				if got := at(x, size/2)[i]; math.Abs(exit-edge) > 2.0/size && math.Abs(exit) < 0.95 && math.Abs(got-want) > 0.01 {
					t.Fatalf("ior %v, dispersion %v: column %d, colour %d is %v, want %v (the ray leaves at %.3f)", c.ior, c.dispersion, x, i, got, want, exit)
				}
			}
		}
	}
}

// testTransmission_RoughnessBlurs: through the roughest glass everything is its mean, through
// smooth glass and through glass that does not refract edges stay.
func testTransmission_RoughnessBlurs(t *testing.T, b *bench) {
	for _, c := range []struct {
		roughness, ior float64
		low, high      [2]float64 // of the light to the left and to the right of an edge
	}{
		{1, 1.5, [2]float64{0.3, 0.7}, [2]float64{0.3, 0.7}},
		{0, 1.5, [2]float64{0, 0.01}, [2]float64{0.99, 1}},
		{1, 1, [2]float64{0, 0.01}, [2]float64{0.99, 1}},
	} {
		s := newScene()
		s.putQuad(-1, -1, 0, 1, -1, unlit(0, 0, 0, 1))
		s.putQuad(0, -1, 1, 1, -1, unlit(1, 1, 1, 1))
		m := extended(dull(1, 1, 1, c.roughness), "transmission", obj{"transmissionFactor": 1})
		s.putQuad(-1, -1, 1, 1, 0, extended(m, "ior", obj{"ior": c.ior}))
		at := linearLight(b, s, 64, studio.View{})
		if l, r := at(24, 32)[0], at(40, 32)[0]; l < c.low[0] || l > c.low[1] || r < c.high[0] || r > c.high[1] {
			t.Errorf("roughness %v, ior %v: %.3f to the left of the edge, %.3f to the right", c.roughness, c.ior, l, r)
		}
	}
}

// testTransmission_NothingBehindStaysOpen: over a transparent background glass keeps off what it
// absorbs, and what it reflects is kept.
func testTransmission_NothingBehindStaysOpen(t *testing.T, b *bench) {
	draw := func(m obj) color.NRGBA {
		s := newScene()
		s.putQuad(-1, -1, 1, 1, 0, m)
		return middle(b, s)
	}
	if got := draw(clear(1, 1, 1, 0)); got != none {
		t.Errorf("clear glass: %v", got)
	}
	if got := draw(clear(0.5, 0.5, 0.5, 0)); !near(got, color.NRGBA{0, 0, 0, 128}, 1) {
		t.Errorf("grey glass: %v", got)
	}
	over := func(c color.NRGBA) float64 { return linear(c.G) * float64(c.A) / 255 }
	mirror := extended(surface(1, 1, 1, 0, 0), "transmission", obj{"transmissionFactor": 1})
	mirror = extended(mirror, "ior", obj{"ior": 3})
	black := extended(surface(0, 0, 0, 0, 0), "ior", obj{"ior": 3})
	if got, want := draw(mirror), draw(black); math.Abs(over(got)-over(want)) > 0.01 || got.A < 60 {
		t.Errorf("reflecting glass: %v over nothing, %v over black", got, want)
	}
}

// TestLayers_Textures: each texture multiplies what is beside it by the right channel, decoded
// from sRGB where it is a colour.
func TestLayers_Textures(t *testing.T) {
	b := newBench(t)
	const r, g, bl, a = 0.8, 0.4, 0.2, 0.6
	texel := color.NRGBA{204, 102, 51, 153}
	tint := arr{linear(204), linear(102), linear(51)}
	ones := arr{1, 1, 1}
	glass := extended(surface(1, 1, 1, 0, 0.2), "transmission", obj{"transmissionFactor": 1})
	thick := func(body obj) obj {
		return extended(glass, "volume", with(obj{"attenuationDistance": 0.2, "attenuationColor": arr{0.3, 0.6, 0.9}, "thicknessFactor": 0.5}, body))
	}
	rough, shiny := surface(0.5, 0.3, 0.2, 0, 0.7), surface(0.5, 0.5, 0.5, 1, 0.3)
	for name, c := range map[string]struct {
		with    func(ref obj) obj
		without obj
	}{
		"clearcoat": {func(ref obj) obj {
			return extended(rough, "clearcoat", obj{"clearcoatFactor": 1, "clearcoatTexture": ref})
		}, extended(rough, "clearcoat", obj{"clearcoatFactor": r})},
		"clearcoatRoughness": {func(ref obj) obj {
			return extended(rough, "clearcoat", obj{"clearcoatFactor": 1, "clearcoatRoughnessFactor": 1, "clearcoatRoughnessTexture": ref})
		}, extended(rough, "clearcoat", obj{"clearcoatFactor": 1, "clearcoatRoughnessFactor": g})},
		"sheenColor": {func(ref obj) obj {
			return extended(rough, "sheen", obj{"sheenColorFactor": ones, "sheenRoughnessFactor": 0.5, "sheenColorTexture": ref})
		}, extended(rough, "sheen", obj{"sheenColorFactor": tint, "sheenRoughnessFactor": 0.5})},
		"sheenRoughness": {func(ref obj) obj {
			return extended(rough, "sheen", obj{"sheenColorFactor": ones, "sheenRoughnessFactor": 1, "sheenRoughnessTexture": ref})
		}, extended(rough, "sheen", obj{"sheenColorFactor": ones, "sheenRoughnessFactor": a})},
		"specular": {func(ref obj) obj { return extended(rough, "specular", obj{"specularTexture": ref}) },
			extended(rough, "specular", obj{"specularFactor": a})},
		"specularColor": {func(ref obj) obj {
			return extended(rough, "specular", obj{"specularColorFactor": arr{5, 5, 5}, "specularColorTexture": ref})
		}, extended(rough, "specular", obj{"specularColorFactor": arr{5 * linear(204), 5 * linear(102), 5 * linear(51)}})},
		"transmission": {func(ref obj) obj {
			return extended(rough, "transmission", obj{"transmissionFactor": 1, "transmissionTexture": ref})
		}, extended(rough, "transmission", obj{"transmissionFactor": r})},
		"thickness": {func(ref obj) obj { return thick(obj{"thicknessTexture": ref}) }, thick(obj{"thicknessFactor": 0.5 * g})},
		"iridescence": {func(ref obj) obj {
			return extended(shiny, "iridescence", obj{"iridescenceFactor": 1, "iridescenceTexture": ref})
		}, extended(shiny, "iridescence", obj{"iridescenceFactor": r})},
		"iridescenceThickness": {func(ref obj) obj {
			return extended(shiny, "iridescence", obj{"iridescenceFactor": 1, "iridescenceThicknessTexture": ref})
		}, extended(shiny, "iridescence", obj{"iridescenceFactor": 1, "iridescenceThicknessMaximum": 100 + 300*g})},
		"anisotropy": {func(ref obj) obj {
			return extended(shiny, "anisotropy", obj{"anisotropyStrength": 1, "anisotropyRotation": 0.5, "anisotropyTexture": ref})
		}, extended(shiny, "anisotropy", obj{"anisotropyStrength": bl, "anisotropyRotation": 0.5 + math.Atan2(2*g-1, 2*r-1)})},
		"diffuseTransmission": {func(ref obj) obj {
			return extended(rough, "diffuse_transmission", obj{"diffuseTransmissionFactor": 1, "diffuseTransmissionTexture": ref})
		}, extended(rough, "diffuse_transmission", obj{"diffuseTransmissionFactor": a})},
		"diffuseTransmissionColor": {func(ref obj) obj {
			return extended(rough, "diffuse_transmission", obj{"diffuseTransmissionFactor": 1, "diffuseTransmissionColorTexture": ref})
		}, extended(rough, "diffuse_transmission", obj{"diffuseTransmissionFactor": 1, "diffuseTransmissionColorFactor": tint})},
		"diffuse": {func(ref obj) obj {
			return extended(obj{}, "pbrSpecularGlossiness", obj{"diffuseTexture": ref, "specularFactor": arr{0, 0, 0}})
		}, extended(obj{}, "pbrSpecularGlossiness", obj{"diffuseFactor": append(tint[:3:3], 1), "specularFactor": arr{0, 0, 0}})},
		"specularGlossiness": {func(ref obj) obj {
			return extended(obj{}, "pbrSpecularGlossiness", obj{"specularGlossinessTexture": ref, "diffuseFactor": arr{0.5, 0.5, 0.5, 1}})
		}, extended(obj{}, "pbrSpecularGlossiness", obj{"specularFactor": tint, "glossinessFactor": a, "diffuseFactor": arr{0.5, 0.5, 0.5, 1}})},
	} {
		draw := func(textured, plain bool) func(x, y int) color.NRGBA {
			s := newScene()
			s.putQuad(-1, -1, 1, 1, -1, unlit(0.2, 0.4, 0.6, 1))
			m := c.without
			if textured {
				m = c.with(s.texture(palette([]color.NRGBA{texel})))
			} else if plain {
				m = c.with(s.texture(palette([]color.NRGBA{white})))
			}
			s.putBall(0, 0, 0, 0.8, m)
			s.light(obj{"type": "directional", "intensity": 1.5}, obj{"rotation": about(-0.8)})
			return s.draw(b, 20, 1).NRGBAAt
		}
		with, without, white := draw(true, false), draw(false, false), draw(false, true)
		moved := false
		for y := range 20 {
			for x := range 20 {
				if !near(with(x, y), without(x, y), 1) {
					t.Fatalf("%sTexture: pixel %d,%d is %v, by its factor %v", name, x, y, with(x, y), without(x, y))
				}
				moved = moved || !near(with(x, y), white(x, y), 2)
			}
		}
		if !moved {
			t.Errorf("%sTexture changes nothing", name)
		}
	}
}

// TestClearcoatNormal_IsItsOwn: the coat's highlight follows its own normals, and only that; flat
// ones are the mesh's.
func TestClearcoatNormal_IsItsOwn(t *testing.T) {
	b := newBench(t)
	draw := func(coat, normal *color.NRGBA) color.NRGBA {
		s := newScene()
		c := obj{"clearcoatFactor": 1}
		if coat != nil {
			c["clearcoatNormalTexture"] = s.texture(palette([]color.NRGBA{*coat}))
		}
		m := extended(surface(0.2, 0.2, 0.2, 1, 0.5), "clearcoat", c)
		if normal != nil {
			m["normalTexture"] = s.texture(palette([]color.NRGBA{*normal}))
		}
		s.putQuad(-1, -1, 1, 1, 0, m)
		s.light(obj{"type": "directional", "intensity": 2}, obj{"rotation": about(-0.8)}) // from above
		return middle(b, s)
	}
	// Tilted up by half of the light's angle: the mirror is towards the light.
	tilted := color.NRGBA{128, uint8(math.Round((math.Sin(0.4) + 1) / 2 * 255)), uint8(math.Round((math.Cos(0.4) + 1) / 2 * 255)), 255}
	flat := color.NRGBA{128, 128, 255, 255}
	plain := draw(nil, nil)
	if got := draw(&flat, nil); !near(got, plain, 2) {
		t.Errorf("a flat coat: %v, want %v", got, plain)
	}
	if got := draw(&tilted, nil); linear(got.G) < linear(plain.G)+0.1 {
		t.Errorf("a coat that mirrors the light: %v, without %v", got, plain)
	}
	if got, both := draw(nil, &tilted), draw(&tilted, &tilted); linear(both.G) < linear(got.G)+0.1 {
		t.Errorf("normals of the metal alone: %v, of both: %v", got, both)
	}
}

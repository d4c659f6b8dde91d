package studio_test

import (
	"image"
	"image/color"
	"maps"
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/gltf/studio"
)

// grey is a base colour whose pixels stay where the tone mapping only subtracts
// 0.04 (from 0.08 to 0.76 of linear light), so that differences of pictures are
// differences of light.
const grey = 0.3

// greyQuad is a scene of one rough grey surface in the plane z = 0.
func greyQuad(material obj) *scene {
	s := newScene()
	s.putQuad(-1, -1, 1, 1, 0, material)
	return s
}

// middle returns the pixel whose centre is the origin.
func middle(b *bench, s *scene) color.NRGBA { return s.draw(b, 5, 1).NRGBAAt(2, 2) }

// reflected is the light that a rough dielectric surface of base colour grey
// sends to a viewer straight above it, for illuminance e from the direction at
// angle theta to the normal: glTF 2.0, appendix B, with alpha = 1, where the
// distribution is 1/π and the visibility 1/(2·(n·l + n·v)).
func reflected(e, theta float64) float64 {
	nl := math.Cos(theta)
	vh := math.Cos(theta / 2)
	fresnel := 0.04 + 0.96*math.Pow(1-vh, 5)
	return e * nl * (fresnel/math.Pi*0.5/(nl+1) + (1-fresnel)*grey/math.Pi)
}

// wantAdded checks that the pixel with a light is the one without plus light.
func wantAdded(t *testing.T, name string, with, without color.NRGBA, light [3]float64) {
	t.Helper()
	for _, c := range []color.NRGBA{with, without} {
		if v := linear(min(c.R, c.G, c.B)); v < 0.05 || v > 0.72 {
			t.Fatalf("%s: %v is not where tone mapping is a plain difference", name, c)
		}
	}
	want := srgb(linear(without.R)+light[0], linear(without.G)+light[1], linear(without.B)+light[2])
	if !near(with, want, 2) { // two roundings to 8 bits
		t.Errorf("%s: %v, want %v (%v without the light)", name, with, want, without)
	}
	if near(with, without, 4) {
		t.Errorf("%s: %v with the light, %v without", name, with, without)
	}
}

// about returns the rotation about x by an angle.
func about(angle float64) arr { return arr{math.Sin(angle / 2), 0, 0, math.Cos(angle / 2)} }

// TestLights_EachType compares with the formulas of KHR_lights_punctual.
func TestLights_EachType(t *testing.T) {
	b := newBench(t)
	dark := middle(b, greyQuad(base(grey, grey, grey, 1)))
	const theta = math.Pi / 3
	sin, cos := math.Sincos(theta)
	spot := func(aim float64) float64 { // inner 0.2, outer 0.6, aim: angle to its axis
		a := (math.Cos(aim) - math.Cos(0.6)) / (math.Cos(0.2) - math.Cos(0.6))
		return math.Pow(max(0, min(1, a)), 2)
	}
	// at places a light at a distance from the origin, theta from the normal
	// towards +y, and turns it to look at the origin, aim off.
	at := func(distance, aim float64) obj {
		return obj{"translation": arr{0, distance * sin, distance * cos}, "rotation": about(-theta + aim)}
	}
	coneOf := obj{"innerConeAngle": 0.2, "outerConeAngle": 0.6}
	for _, c := range []struct {
		name        string
		light, node obj
		e           float64
	}{
		{"directional", obj{"type": "directional", "intensity": 2}, at(0, 0), 2},
		{"directional, moved", obj{"type": "directional", "intensity": 2}, at(9, 0), 2},
		{"point", obj{"type": "point", "intensity": 8}, at(2, 0), 8. / 4},
		{"point, turned", obj{"type": "point", "intensity": 8}, at(2, 1), 8. / 4},
		{"point with range", obj{"type": "point", "intensity": 8, "range": 2.5}, at(2, 0), 8. / 4 * (1 - math.Pow(2/2.5, 4))},
		{"spot, on axis", obj{"type": "spot", "intensity": 8, "spot": coneOf}, at(2, 0), 8. / 4},
		{"spot, inside inner cone", obj{"type": "spot", "intensity": 8, "spot": coneOf}, at(2, 0.15), 8. / 4},
		{"spot, between cones", obj{"type": "spot", "intensity": 8, "spot": coneOf}, at(2, 0.35), 8. / 4 * spot(0.35)},
	} {
		s := greyQuad(base(grey, grey, grey, 1))
		s.light(c.light, c.node)
		l := reflected(c.e, theta)
		wantAdded(t, c.name, middle(b, s), dark, [3]float64{l, l, l})
	}
	for _, c := range []struct {
		name        string
		light, node obj
	}{
		{"spot, outside", obj{"type": "spot", "intensity": 8, "spot": coneOf}, at(2, 0.65)},
		{"point beyond range", obj{"type": "point", "intensity": 8, "range": 1.9}, at(2, 0)},
		{"directional from behind", obj{"type": "directional", "intensity": 8}, obj{"rotation": about(math.Pi)}},
	} {
		s := greyQuad(base(grey, grey, grey, 1))
		s.light(c.light, c.node)
		if got := middle(b, s); got != dark {
			t.Errorf("%s: %v, want %v as without it", c.name, got, dark)
		}
	}
}

// TestLights_ColorsAndSums: lights add up, each in its colour.
func TestLights_ColorsAndSums(t *testing.T) {
	b := newBench(t)
	dark := middle(b, greyQuad(base(grey, grey, grey, 1)))
	s := greyQuad(base(grey, grey, grey, 1))
	s.light(obj{"type": "directional", "color": arr{1, 0.25, 0.5}}, obj{})
	s.light(obj{"type": "directional", "color": arr{0.5, 1, 0.25}, "intensity": 0.5}, obj{})
	l := reflected(1, 0)
	wantAdded(t, "two lights", middle(b, s), dark, [3]float64{1.25 * l, 0.75 * l, 0.625 * l})
}

// TestEmissive_FactorTextureStrength multiply in linear light and add.
func TestEmissive_FactorTextureStrength(t *testing.T) {
	b := newBench(t)
	dark := middle(b, greyQuad(base(grey, grey, grey, 1)))
	s := newScene()
	s.putQuad(-1, -1, 1, 1, 0, with(base(grey, grey, grey, 1), obj{
		"emissiveFactor":  arr{0.1, 0.05, 0.08},
		"emissiveTexture": s.texture(palette([]color.NRGBA{{188, 255, 188, 255}})),
		"extensions":      obj{"KHR_materials_emissive_strength": obj{"emissiveStrength": 3}},
	}))
	half := linear(188)
	wantAdded(t, "emission", middle(b, s), dark, [3]float64{0.3 * half, 0.15, 0.24 * half})
}

// TestOcclusion_DimsTheStudioOnly: its red channel scales the light of the
// surroundings, not that of lights.
func TestOcclusion_DimsTheStudioOnly(t *testing.T) {
	b := newBench(t)
	shade := func(occluded, lit bool) float64 {
		s := newScene()
		m := base(grey, grey, grey, 1)
		if occluded {
			m["occlusionTexture"] = with(s.texture(palette([]color.NRGBA{{102, 255, 255, 255}})), obj{"strength": 0.5})
		}
		s.putQuad(-1, -1, 1, 1, 0, m)
		if lit {
			s.light(obj{"type": "directional", "intensity": 1}, obj{})
		}
		return linear(middle(b, s).G) + 0.04
	}
	plain, dim := shade(false, false), shade(true, false)
	if ratio := dim / plain; math.Abs(ratio-0.7) > 0.02 { // 1 + 0.5·(0.4 - 1)
		t.Errorf("occlusion of 0.4 at half strength leaves %.3f of the light, want 0.7", ratio)
	}
	if a, o := shade(false, true)-plain, shade(true, true)-dim; math.Abs(a-o) > 0.01 {
		t.Errorf("a light adds %.3f, where occluded %.3f", a, o)
	}
}

// TestTexCoord_FourSets: a material whose textures read four UV sets looks as
// one whose textures are those sets' texels.
func TestTexCoord_FourSets(t *testing.T) {
	b := newBench(t)
	texels := [4]color.NRGBA{{150, 150, 150, 255}, {0, 255, 0, 255}, {120, 0, 0, 255}, {90, 60, 30, 255}}
	draw := func(sets bool) color.NRGBA {
		s := newScene()
		a := s.quad(-1, -1, 1, 1, 0)
		ref := func(set int) obj {
			if !sets {
				return s.texture(palette([]color.NRGBA{texels[set]}))
			}
			img := palette([]color.NRGBA{white, white, white, white})
			img.SetNRGBA(set, 0, texels[set])
			return with(s.texture(img), obj{"texCoord": set})
		}
		if sets { // set n of every vertex is the middle of texel n
			for n, name := range []string{"TEXCOORD_0", "TEXCOORD_1", "TEXCOORD_2", "TEXCOORD_3"} {
				u := (float32(n) + 0.5) / 4
				a[name] = s.add("VEC2", float, 4, []float32{u, 0.5, u, 0.5, u, 0.5, u, 0.5})
			}
		}
		s.put(a, obj{
			"pbrMetallicRoughness": obj{"baseColorTexture": ref(0), "metallicRoughnessTexture": ref(1)},
			"occlusionTexture":     ref(2), "emissiveTexture": ref(3), "emissiveFactor": arr{1, 1, 1},
		}, obj{"indices": s.quadIndices()})
		return middle(b, s)
	}
	if got, want := draw(true), draw(false); got != want {
		t.Errorf("from four UV sets: %v, want %v", got, want)
	}
}

// TestNormalMap_Orientation: red is to the right of the image, green up. A bump
// lit from the left is bright on its left, lit from above on its top; whether
// tangents are in the file or not, and where the image or the bump itself is mirrored.
func TestNormalMap_Orientation(t *testing.T) {
	b := newBench(t)
	tilt := func(x, y float64) color.NRGBA {
		z := math.Sqrt(1 - x*x - y*y)
		v := func(f float64) uint8 { return uint8(math.Round((f + 1) / 2 * 255)) }
		return color.NRGBA{v(x), v(y), v(z), 255}
	}
	left, right, top, bottom := tilt(-0.5, 0), tilt(0.5, 0), tilt(0, 0.5), tilt(0, -0.5)
	// A bump in 3×3 texels.
	flat := tilt(0, 0)
	bump := palette([]color.NRGBA{flat, top, flat}, []color.NRGBA{left, flat, right}, []color.NRGBA{flat, bottom, flat})
	for _, c := range []struct {
		name             string
		tangents, mirror bool
		node             obj // of the bump: what mirrors it leaves it a bump
		skin             arr // scale of the joint that it hangs on
		light            arr // node rotation
		bright, dim      image.Point
		even             [2]image.Point
	}{
		{name: "from the left", light: arr{0, -math.Sin(0.4), 0, math.Cos(0.4)}, bright: image.Point{0, 1}, dim: image.Point{2, 1}, even: [2]image.Point{{1, 0}, {1, 2}}},
		{name: "from above", light: about(-0.8), bright: image.Point{1, 0}, dim: image.Point{1, 2}, even: [2]image.Point{{0, 1}, {2, 1}}},
		{name: "from above, tangents given", tangents: true, light: about(-0.8), bright: image.Point{1, 0}, dim: image.Point{1, 2}, even: [2]image.Point{{0, 1}, {2, 1}}},
		{name: "from the left, mirrored", mirror: true, light: arr{0, -math.Sin(0.4), 0, math.Cos(0.4)}, bright: image.Point{0, 1}, dim: image.Point{2, 1}, even: [2]image.Point{{1, 0}, {1, 2}}},
		{name: "from above, mirrored", mirror: true, light: about(-0.8), bright: image.Point{1, 0}, dim: image.Point{1, 2}, even: [2]image.Point{{0, 1}, {2, 1}}},
		{name: "from the left, mirrored, tangents given", mirror: true, tangents: true, light: arr{0, -math.Sin(0.4), 0, math.Cos(0.4)}, bright: image.Point{0, 1}, dim: image.Point{2, 1}, even: [2]image.Point{{1, 0}, {1, 2}}},
		{name: "from above, node mirrored", node: obj{"scale": arr{-1, 1, 1}}, light: about(-0.8), bright: image.Point{1, 0}, dim: image.Point{1, 2}, even: [2]image.Point{{0, 1}, {2, 1}}},
		{name: "from the left, node mirrored", node: obj{"scale": arr{-1, 1, 1}}, light: arr{0, -math.Sin(0.4), 0, math.Cos(0.4)}, bright: image.Point{0, 1}, dim: image.Point{2, 1}, even: [2]image.Point{{1, 0}, {1, 2}}},
		{name: "from above, node upside down, tangents given", tangents: true, node: obj{"scale": arr{1, -1, 1}}, light: about(-0.8), bright: image.Point{1, 0}, dim: image.Point{1, 2}, even: [2]image.Point{{0, 1}, {2, 1}}},
		{name: "from above, image and node mirrored", mirror: true, node: obj{"scale": arr{-1, 1, 1}}, light: about(-0.8), bright: image.Point{1, 0}, dim: image.Point{1, 2}, even: [2]image.Point{{0, 1}, {2, 1}}},
		{name: "from above, node turned by two mirrors", node: obj{"scale": arr{-1, -1, 1}}, light: about(-0.8), bright: image.Point{1, 0}, dim: image.Point{1, 2}, even: [2]image.Point{{0, 1}, {2, 1}}},
		{name: "from above, joint mirrored", skin: arr{-1, 1, 1}, light: about(-0.8), bright: image.Point{1, 0}, dim: image.Point{1, 2}, even: [2]image.Point{{0, 1}, {2, 1}}},
		{name: "from above, joint at rest", skin: arr{1, 1, 1}, light: about(-0.8), bright: image.Point{1, 0}, dim: image.Point{1, 2}, even: [2]image.Point{{0, 1}, {2, 1}}},
	} {
		s := newScene()
		a := s.quad(-1, -1, 1, 1, 0)
		// w = -1 is where u runs to the left of a viewer to whom v runs down.
		tx, w := float32(1), float32(1)
		if c.mirror {
			a["TEXCOORD_0"] = s.add("VEC2", float, 4, []float32{1, 0, 0, 0, 0, 1, 1, 1})
			tx, w = -1, -1
		}
		if c.tangents {
			a["TANGENT"] = s.add("VEC4", float, 4, []float32{tx, 0, 0, w, tx, 0, 0, w, tx, 0, 0, w, tx, 0, 0, w})
		}
		m := with(base(grey, grey, grey, 1), obj{"normalTexture": s.texture(bump)})
		if c.skin != nil {
			a["JOINTS_0"], a["WEIGHTS_0"] = s.add("VEC4", ubyte, 4, make([]uint8, 16)), s.add("VEC4", float, 4, []float32{1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0})
		}
		node := s.put(a, m, obj{"indices": s.quadIndices()})
		maps.Copy(node, c.node)
		if c.skin != nil {
			node["skin"] = 0
			s.doc["skins"] = arr{obj{"joints": arr{len(s.nodes)}}}
			s.nodes = append(s.nodes, obj{"scale": c.skin})
		}
		unlit := s.draw(b, 3, 1)
		s.light(obj{"type": "directional", "intensity": 1.5}, obj{"rotation": c.light})
		img := s.draw(b, 3, 1)
		added := func(p image.Point) float64 { // light at a texel
			return linear(img.NRGBAAt(p.X, p.Y).G) - linear(unlit.NRGBAAt(p.X, p.Y).G)
		}
		bright, dim, flat := added(c.bright), added(c.dim), added(image.Pt(1, 1))
		if bright < flat*1.15 || dim > flat*0.85 {
			t.Errorf("%s: bright side %.3f, top of the bump %.3f, dark side %.3f", c.name, bright, flat, dim)
		}
		if e0, e1 := added(c.even[0]), added(c.even[1]); math.Abs(e0-e1) > 0.02 {
			t.Errorf("%s: the sides along the light get %.3f and %.3f", c.name, e0, e1)
		}
	}
}

// TestMaterial_HalfMetal: material = mix(dielectric_brdf, metal_brdf, metallic), so that a half-metallic surface sends out the
// mean of what the two do, and what is diffuse is dimmed by the dielectric's reflection alone. The layers' shader agrees.
func TestMaterial_HalfMetal(t *testing.T) {
	b := newBench(t)
	draw := func(metallic, roughness float64, light, layers bool) [3]float64 {
		m := obj{"pbrMetallicRoughness": obj{"baseColorFactor": arr{0.9, 0.5, 0.1, 1}, "metallicFactor": metallic, "roughnessFactor": roughness}}
		if layers { // at a value that does nothing but choose the shader
			m["extensions"] = obj{"KHR_materials_sheen": obj{"sheenColorFactor": arr{0, 0, 1e-9}}}
		}
		s := newScene()
		s.putQuad(-1, -1, 1, 1, 0, m)
		if light {
			s.light(obj{"type": "directional", "intensity": 2}, obj{"rotation": about(-0.8)})
		}
		doc := s.document(t)
		model, err := b.Load(ctx, doc)
		if err != nil {
			t.Fatal(err)
		}
		defer model.Close()
		l, err := b.RenderLinear(ctx, model, studio.View{Width: 1, Height: 1, Samples: 1, Camera: studio.Camera{Document: &doc.Cameras[0]}})
		if err != nil {
			t.Fatal(err)
		}
		return [3]float64{float64(l.Pixels[0]), float64(l.Pixels[1]), float64(l.Pixels[2])}
	}
	for _, light := range []bool{false, true} {
		for _, roughness := range []float64{0.1, 0.3} {
			for _, metallic := range []float64{0.25, 0.5, 0.75} {
				metal, dielectric := draw(1, roughness, light, false), draw(0, roughness, light, false)
				got, layered := draw(metallic, roughness, light, false), draw(metallic, roughness, light, true)
				for c := range got {
					want := dielectric[c] + (metal[c]-dielectric[c])*metallic
					// What is reflected more than once is no mean: at these roughnesses less than a hundredth.
					if math.Abs(got[c]-want) > 0.01*want {
						t.Errorf("light %v, roughness %v, metallic %v: component %d is %v, want %v", light, roughness, metallic, c, got[c], want)
					}
					if math.Abs(layered[c]-want) > 0.01*want {
						t.Errorf("layers, light %v, roughness %v, metallic %v: component %d is %v, want %v", light, roughness, metallic, c, layered[c], want)
					}
				}
			}
		}
	}
}

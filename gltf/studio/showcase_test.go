package studio_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/pumice-gpu/pumice/gltf/studio"
)

// ball is the attributes and indices of a sphere about a place, with texture coordinates
// and tangents that run around it.
func (s *scene) ball(x, y, z, radius float64) (attributes obj, indices int) {
	return s.globe(x, y, z, radius, 32, 64)
}

// globe is ball with so many rings and spokes.
func (s *scene) globe(x, y, z, radius float64, rings, spokes int) (attributes obj, indices int) {
	var positions, normals, tangents, uvs []float32
	var list []uint16
	for i := range rings + 1 {
		theta := math.Pi * float64(i) / float64(rings)
		for j := range spokes + 1 {
			phi := 2 * math.Pi * float64(j) / float64(spokes)
			nx, ny, nz := math.Sin(theta)*math.Sin(phi), math.Cos(theta), math.Sin(theta)*math.Cos(phi)
			positions = append(positions, float32(x+radius*nx), float32(y+radius*ny), float32(z+radius*nz))
			normals = append(normals, float32(nx), float32(ny), float32(nz))
			tangents = append(tangents, float32(math.Cos(phi)), 0, float32(-math.Sin(phi)), 1)
			uvs = append(uvs, float32(j)/float32(spokes), float32(i)/float32(rings))
			if i < rings && j < spokes {
				a := uint16(i*(spokes+1) + j)
				b := a + uint16(spokes) + 1
				list = append(list, a, b, a+1, a+1, b, b+1)
			}
		}
	}
	n := len(positions) / 3
	return obj{
		"POSITION": s.positions(positions...), "NORMAL": s.vec3(normals...),
		"TANGENT":    s.add("VEC4", float, n, tangents),
		"TEXCOORD_0": s.add("VEC2", float, n, uvs),
	}, s.add("SCALAR", ushort, len(list), list)
}

func (s *scene) putBall(x, y, z, radius float64, material obj) obj {
	a, i := s.ball(x, y, z, radius)
	return s.put(a, material, obj{"indices": i})
}

// extended is a material with one more extension.
func extended(m obj, name string, body obj) obj {
	e := obj{}
	if old, ok := m["extensions"].(obj); ok {
		e = with(old, obj{})
	}
	e["KHR_materials_"+name] = body
	return with(m, obj{"extensions": e})
}

// surface is a material by its numbers.
func surface(r, g, b, metallic, roughness float64) obj {
	return obj{"pbrMetallicRoughness": obj{
		"baseColorFactor": arr{r, g, b, 1}, "metallicFactor": metallic, "roughnessFactor": roughness,
	}}
}

// showcases are rows of five balls: what the pages of docs/materials.md show.
func showcases() map[string]func(i float64) obj {
	return map[string]func(i float64) obj{ // i from 0 to 1
		"transmission": func(i float64) obj {
			return extended(surface(1, 1, 1, 0, i*0.6), "transmission", obj{"transmissionFactor": 1})
		},
		"volume": func(i float64) obj {
			m := extended(surface(1, 1, 1, 0, 0), "transmission", obj{"transmissionFactor": 1})
			return extended(m, "volume", obj{"thicknessFactor": 0.36, "attenuationDistance": 2 * math.Pow(0.1, i*1.3), "attenuationColor": arr{0.2, 0.75, 0.5}})
		},
		"ior": func(i float64) obj {
			m := extended(surface(1, 1, 1, 0, 0), "transmission", obj{"transmissionFactor": 1})
			m = extended(m, "volume", obj{"thicknessFactor": 0.36})
			return extended(m, "ior", obj{"ior": 1 + i*1.4})
		},
		"dispersion": func(i float64) obj {
			m := extended(surface(1, 1, 1, 0, 0), "transmission", obj{"transmissionFactor": 1})
			m = extended(m, "volume", obj{"thicknessFactor": 0.36})
			m = extended(m, "ior", obj{"ior": 1.6})
			return extended(m, "dispersion", obj{"dispersion": i * 5})
		},
		"diffuse_transmission": func(i float64) obj {
			return extended(surface(0.3, 0.6, 0.2, 0, 0.6), "diffuse_transmission",
				obj{"diffuseTransmissionFactor": i, "diffuseTransmissionColorFactor": arr{0.95, 0.6, 0.2}})
		},
		"clearcoat": func(i float64) obj {
			return extended(surface(0.65, 0.08, 0.05, 0.2, 0.55), "clearcoat", obj{"clearcoatFactor": i, "clearcoatRoughnessFactor": 0.05})
		},
		"specular": func(i float64) obj {
			return extended(surface(0.06, 0.08, 0.2, 0, 0.25), "specular", obj{"specularFactor": min(1, 2*i), "specularColorFactor": arr{1, 1 + max(0, i-0.5)*6, 1 + max(0, i-0.5)*14}})
		},
		"sheen": func(i float64) obj {
			return extended(surface(0.25, 0.04, 0.08, 0, 0.9), "sheen", obj{"sheenColorFactor": arr{1, 0.7, 0.75}, "sheenRoughnessFactor": 0.15 + 0.8*i})
		},
		"iridescence": func(i float64) obj {
			return extended(surface(0.35, 0.35, 0.38, 1, 0.12), "iridescence", obj{"iridescenceFactor": 1, "iridescenceIor": 1.6, "iridescenceThicknessMaximum": 150 + 500*i})
		},
		"anisotropy": func(i float64) obj {
			return extended(surface(0.9, 0.8, 0.65, 1, 0.25), "anisotropy", obj{"anisotropyStrength": i})
		},
		"pbrSpecularGlossiness": func(i float64) obj {
			return extended(obj{}, "pbrSpecularGlossiness", obj{"diffuseFactor": arr{0.2, 0.12, 0.05, 1}, "specularFactor": arr{0.5, 0.35, 0.15}, "glossinessFactor": i})
		},
	}
}

// showcase is five balls, from 0 to 1 of what a function varies, before bars.
func showcase(material func(i float64) obj) *scene {
	s := newScene()
	s.doc["cameras"] = arr{obj{"type": "perspective", "perspective": obj{"yfov": 0.24, "aspectRatio": 4, "znear": 0.5, "zfar": 50}}}
	s.nodes[0] = obj{"camera": 0, "translation": arr{0, 0.5, 2.4}, "rotation": about(-0.205)}
	for i := range 5 {
		s.putBall(float64(i-2)*0.46, 0, 0, 0.2, material(float64(i)/4))
	}
	s.putQuad(-3, -1, 3, 1, -0.5, surface(0.55, 0.53, 0.5, 0, 1))
	for i := range 40 {
		x := -1.6 + float32(i)*0.08
		s.putQuad(x, -1, x+0.03, 1, -0.49, surface(0.02+0.15*float64(i%3), 0.1, 0.35-0.15*float64(i%3), 0, 1))
	}
	s.light(obj{"type": "directional", "intensity": 1.5}, obj{"rotation": about(-0.9)})
	return s
}

// TestShowcase_Pictures draws the rows of docs/materials.md. With PUMICE_WRITE_SHOWCASE set they
// are written there, else compared with what is there.
func TestShowcase_Pictures(t *testing.T) {
	if testing.Short() {
		t.Skip("many samples")
	}
	b := newBench(t)
	for name, material := range showcases() {
		t.Run(name, func(t *testing.T) {
			doc := showcase(material).document(t)
			img := b.draw(doc, studio.View{
				Width: 480, Height: 120, Camera: studio.Camera{Document: &doc.Cameras[0]},
				Background: color.NRGBA{235, 236, 240, 255},
			})
			checkShowcase(t, "material-"+name, img)
		})
	}
}

// evening is a panorama of a low sun over tiles.
func evening() studio.Panorama {
	const w, h = 512, 256
	p := studio.Panorama{Width: w, Height: h}
	sun := [3]float64{math.Cos(0.5) * math.Sin(0.9), math.Sin(0.5), -math.Cos(0.5) * math.Cos(0.9)}
	for y := range h {
		for x := range w {
			lat, lon := math.Pi*(0.5-(float64(y)+0.5)/h), 2*math.Pi*((float64(x)+0.5)/w-0.5)
			d := [3]float64{math.Cos(lat) * math.Sin(lon), math.Sin(lat), -math.Cos(lat) * math.Cos(lon)}
			near := max(0, d[0]*sun[0]+d[1]*sun[1]+d[2]*sun[2])
			c := [3]float64{0.25, 0.2, 0.17}
			switch {
			case near > math.Cos(0.04):
				c = [3]float64{900, 700, 450}
			case lat > 0:
				low := math.Pow(1-d[1], 4)
				c = [3]float64{0.12 + 0.7*low, 0.22 + 0.4*low, 0.5 + 0.1*low}
				for i, v := range [3]float64{1.2, 0.7, 0.3} {
					c[i] += v * math.Pow(near, 24)
				}
			case (int(math.Floor(d[0]/d[1]*1.5))+int(math.Floor(d[2]/d[1]*1.5)))%2 == 0:
				c = [3]float64{0.1, 0.09, 0.09}
			}
			for _, v := range c {
				p.Pixels = append(p.Pixels, float32(v))
			}
		}
	}
	return p
}

// TestShowcase_Surroundings draws the same balls on the ground of the studio and of an evening.
func TestShowcase_Surroundings(t *testing.T) {
	if testing.Short() {
		t.Skip("many samples")
	}
	b := newBench(t)
	s := newScene()
	s.doc["cameras"] = arr{obj{"type": "perspective", "perspective": obj{"yfov": 0.5, "aspectRatio": 2, "znear": 0.5, "zfar": 50}}}
	s.nodes[0] = obj{"camera": 0, "translation": arr{0, 0.75, 2.5}, "rotation": about(-0.2)}
	glass := extended(surface(1, 1, 1, 0, 0), "transmission", obj{"transmissionFactor": 1})
	glass = extended(glass, "volume", obj{"thicknessFactor": 0.5, "attenuationDistance": 0.5, "attenuationColor": arr{0.7, 0.9, 0.8}})
	s.putBall(-0.62, 0.3, 0, 0.3, surface(0.95, 0.93, 0.9, 1, 0.05))
	s.putBall(0.05, 0.25, 0.2, 0.25, glass)
	s.putBall(0.66, 0.3, 0, 0.3, extended(surface(0.6, 0.07, 0.05, 0, 0.5), "clearcoat", obj{"clearcoatFactor": 1}))
	doc := s.document(t)
	v := studio.View{Width: 400, Height: 200, Ground: true, Background: color.NRGBA{250, 250, 250, 255}, Camera: studio.Camera{Document: &doc.Cameras[0]}}
	checkShowcase(t, "material-ground", b.draw(doc, v))
	e, err := b.NewEnvironment(ctx, evening())
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	v.Environment, v.ShowEnvironment = e, true
	checkShowcase(t, "material-environment", b.draw(doc, v))
	v.EnvironmentBlur = 0.35
	checkShowcase(t, "material-environment-blurred", b.draw(doc, v))
}

// stillLife is a few things of different kinds: what the pictures of tones and passes show.
func stillLife() *scene {
	s := newScene()
	s.doc["cameras"] = arr{obj{"type": "perspective", "perspective": obj{"yfov": 0.48, "aspectRatio": 4.0 / 3, "znear": 0.5, "zfar": 50}}}
	s.nodes[0] = obj{"camera": 0, "translation": arr{0, 1.3, 2.9}, "rotation": about(-0.36)}
	globe := func(x, z, radius float64, rings int, m obj) {
		a, i := s.globe(x, radius, z, radius, rings, 2*rings)
		s.put(a, m, obj{"indices": i})
	}
	s.putQuad(-0.9, -0.8, 0.9, 0.8, 0, surface(0.25, 0.23, 0.2, 0, 0.8))["rotation"] = about(-math.Pi / 2)
	globe(-0.42, 0.1, 0.26, 10, surface(0.85, 0.03, 0.02, 0, 0.25))
	globe(0.3, -0.3, 0.34, 12, surface(0.95, 0.6, 0.15, 1, 0.2))
	globe(0.38, 0.35, 0.17, 8, surface(0.02, 0.08, 0.8, 0, 0.4))
	globe(-0.05, 0.45, 0.1, 6, emitting([3]float64{4, 0.5, 0.05}))
	// A fence that is cut out of a board, and a pane of coloured glass.
	ref := s.texture(palette([]color.NRGBA{{60, 130, 60, 255}, {}, {60, 130, 60, 255}, {}, {60, 130, 60, 255}, {}, {60, 130, 60, 255}}))
	fence := with(base(1, 1, 1, 1), obj{"alphaMode": "MASK", "doubleSided": true})
	fence["pbrMetallicRoughness"].(obj)["baseColorTexture"] = ref
	s.putQuad(-0.85, 0, 0.1, 0.5, -0.55, fence)
	s.putQuad(-0.75, 0, -0.25, 0.3, 0.5, with(base(0.2, 0.5, 0.9, 0.35), obj{"alphaMode": "BLEND", "doubleSided": true}))
	s.light(obj{"type": "directional", "intensity": 2}, obj{"rotation": about(-0.9)})
	return s
}

// TestShowcase_Look draws it in all tones and passes.
func TestShowcase_Look(t *testing.T) {
	b := newBench(t)
	doc := stillLife().document(t)
	v := studio.View{Width: 240, Height: 180, Background: color.NRGBA{235, 236, 240, 255}, Camera: studio.Camera{Document: &doc.Cameras[0]}}
	for name, tone := range map[string]studio.Tone{
		"neutral": studio.ToneNeutral, "aces": studio.ToneACES, "agx": studio.ToneAgX, "none": studio.ToneNone,
	} {
		v.Tone = tone
		checkShowcase(t, "tone-"+name, b.draw(doc, v))
	}
	for name, pass := range passes {
		v.Pass = pass
		checkShowcase(t, "pass-"+name, b.draw(doc, v))
	}
}

func checkShowcase(t *testing.T, name string, img *image.NRGBA) {
	t.Helper()
	path := filepath.Join("..", "..", "docs", "images", name+".png")
	if os.Getenv("PUMICE_WRITE_SHOWCASE") != "" {
		var out bytes.Buffer
		if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, img); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want := readPNG(t, path)
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			if w := color.NRGBAModel.Convert(want.At(x, y)).(color.NRGBA); img.NRGBAAt(x, y) != w {
				keep(t, name, img)
				t.Fatalf("%s: pixel %d,%d is %v, want %v", path, x, y, img.NRGBAAt(x, y), w)
			}
		}
	}
}

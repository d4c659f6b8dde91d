package studio_test

import (
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/gltf/mat"
	"github.com/pumice-gpu/pumice/gltf/studio"
)

// A lamp is light from all sides, most of it around a direction.
type lamp struct{ towards mat.Vec3 }

func (l lamp) from(d mat.Vec3) float64 {
	return 0.1 + 3*math.Pow(max(0, float64(l.towards.Dot(d))), 6)
}

func (l lamp) panorama() studio.Panorama {
	const w, h = 128, 64
	p := studio.Panorama{Width: w, Height: h}
	for y := range h {
		for x := range w {
			up, right := math.Pi*(0.5-(float64(y)+0.5)/h), 2*math.Pi*((float64(x)+0.5)/w-0.5)
			d := mat.Vec3{float32(math.Cos(up) * math.Sin(right)), float32(math.Sin(up)), float32(-math.Cos(up) * math.Cos(right))}
			v := float32(l.from(d))
			p.Pixels = append(p.Pixels, v, v, v)
		}
	}
	return p
}

// reflected is what a white metal sends along +z: the integral of GGX over all directions, by midpoints, and what
// further bounces between its facets add, which glTF's renderers take to leave evenly.
func (l lamp) reflected(n mat.Vec3, roughness float64) float64 {
	a2 := math.Pow(roughness, 4)
	nv := float64(n[2])
	var once, share, around float64
	const steps = 100
	for i := range steps {
		z := 2*(float64(i)+0.5)/steps - 1
		for j := range 2 * steps {
			s, phi := math.Sqrt(1-z*z), math.Pi*(float64(j)+0.5)/steps
			d := mat.Vec3{float32(s * math.Cos(phi)), float32(s * math.Sin(phi)), float32(z)}
			nl := float64(n.Dot(d))
			if nl <= 0 {
				continue
			}
			half := d.Add(mat.Vec3{0, 0, 1}).Normalize()
			nh := float64(n.Dot(half))
			q := nh*nh*(a2-1) + 1
			f := a2 / (math.Pi * q * q) * 0.5 / (nl*math.Sqrt(nv*nv*(1-a2)+a2) + nv*math.Sqrt(nl*nl*(1-a2)+a2))
			solid := 4 * math.Pi / (steps * 2 * steps) * nl
			once += f * solid * l.from(d)
			share += f * solid
			around += solid * l.from(d) / math.Pi
		}
	}
	return once + (1-share)*around
}

// TestRoughMetal_AgainstTheIntegral: what is filtered for one direction stands for lobes that no table holds, since the
// horizon cuts them. Light from behind a surface does not reach it, and the roughest sees what lies before it, not what
// it mirrors.
func TestRoughMetal_AgainstTheIntegral(t *testing.T) {
	b := newBench(t)
	for _, towards := range []mat.Vec3{{0, 0, 1}, {0.8, 0, -0.6}, {0, 1, 0}, {-0.6, 0, 0.8}} {
		l := lamp{towards}
		e, err := b.NewEnvironment(ctx, l.panorama())
		if err != nil {
			t.Fatal(err)
		}
		for _, degrees := range []float64{0, 30, 50, 65} {
			for roughness, within := range map[float64]float64{0.5: 0.3, 0.8: 0.2, 1: 0.07} {
				sin, cos := math.Sincos(degrees * math.Pi / 180)
				n := mat.Vec3{float32(sin), 0, float32(cos)}
				s := newScene()
				a := s.quad(-1, -1, 1, 1, 0)
				a["NORMAL"] = s.vec3(n[0], 0, n[2], n[0], 0, n[2], n[0], 0, n[2], n[0], 0, n[2])
				s.put(a, surface(1, 1, 1, 1, roughness), obj{"indices": s.quadIndices()})
				want := l.reflected(n, roughness)
				got := linearLight(b, s, 5, studio.View{Environment: e})(2, 2)[0]
				if math.Abs(got-want) > within*want {
					t.Errorf("light from %v, roughness %v at %v°: %.4f, want %.4f ± %v %%", towards, roughness, degrees, got, want, 100*within)
				}
			}
		}
		e.Close()
	}
}

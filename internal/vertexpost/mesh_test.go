package vertexpost

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// A grid in space that reaches from behind the eye to far beyond the guard band
// covers each pixel of it once: no cracks and no overlaps at shared sides,
// clipped or not.
// RAS-081, RAS-082, RAS-237
func TestMesh_RAS082_ThroughTheEyePlane(t *testing.T) {
	rules.Covers(t, "RAS-081", "RAS-082", "RAS-237")
	rng := rand.New(rand.NewPCG(21, 22))
	const size, cells = 64, 12
	behind := 0
	for round := range 40 {
		s := newScene(size)
		s.config.DepthClip = false
		// The grid: origin + u*du + v*dv, in x, y, w; a plane off the eye.
		rnd := func(r float64) float64 { return (rng.Float64()*2 - 1) * r }
		scale := math.Exp2(rng.Float64() * 12)
		o := [3]float64{rnd(1), rnd(1), .5 + rng.Float64()}
		du := [3]float64{rnd(scale), rnd(scale), rnd(scale)}
		dv := [3]float64{rnd(scale), rnd(scale), rnd(scale)}
		var grid [cells + 1][cells + 1]raster.Vertex
		for y := range grid {
			for x := range grid[y] {
				u, v := float64(x)/cells-.5, float64(y)/cells-.5
				if x%cells != 0 {
					u += rnd(.3 / cells)
				}
				if y%cells != 0 {
					v += rnd(.3 / cells)
				}
				p := [3]float64{o[0] + u*du[0] + v*dv[0], o[1] + u*du[1] + v*dv[1], o[2] + u*du[2] + v*dv[2]}
				grid[y][x] = vertex(float32(p[0]), float32(p[1]), 0, float32(p[2]))
				if p[2] <= 0 {
					behind++
				}
			}
		}
		var all []pixel
		for y := range cells {
			for x := range cells {
				a, b, c, d := grid[y][x], grid[y][x+1], grid[y+1][x+1], grid[y+1][x]
				if rng.IntN(2) == 0 {
					a, b, c, d = b, c, d, a
				}
				all = append(all, s.triangle(t, a, b, c)...)
				all = append(all, s.triangle(t, d, a, c)...)
			}
		}
		count := map[pixel]int{}
		for _, p := range all {
			if count[p]++; count[p] > 1 {
				t.Fatalf("round %d: pixel %v twice", round, p)
			}
		}
		// The oracle: where the ray of a pixel meets the plane of the grid.
		n := cross(du, dv)
		for y := range int32(size) {
			for x := range int32(size) {
				ray := [3]float64{(float64(x)+.5)/(size/2) - 1, (float64(y)+.5)/(size/2) - 1, 1}
				k := dot(n, o) / dot(n, ray) // = w of the hit
				hit := [3]float64{ray[0]*k - o[0], ray[1]*k - o[1], ray[2]*k - o[2]}
				u := dot(cross(hit, dv), n) / dot(n, n)
				v := dot(cross(du, hit), n) / dot(n, n)
				if k > 0 && max(math.Abs(u), math.Abs(v)) < .5-.02 && count[pixel{x, y}] != 1 && math.Abs(dot(n, ray)) > 1e-3*math.Sqrt(dot(n, n)) {
					t.Fatalf("round %d: pixel %d,%d (u %v, v %v, w %v) is missing", round, x, y, u, v, k)
				}
			}
		}
	}
	if behind < 1000 {
		t.Errorf("only %d vertices behind the eye", behind)
	}
}

func cross(a, b [3]float64) [3]float64 {
	return [3]float64{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

func dot(a, b [3]float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

// Random triangles with random planes: what a plane keeps and what its negation
// keeps are disjoint, and together the triangle; with vertices behind the eye and
// with the near plane too.
// RAS-077, RAS-078
func TestClipDistance_RAS078_RandomComplement(t *testing.T) {
	rules.Covers(t, "RAS-077", "RAS-078")
	rng := rand.New(rand.NewPCG(23, 24))
	cut, drawn := 0, 0
	for range 600 {
		s := newScene(24)
		s.config.DepthClip = rng.IntN(2) == 0
		var v [3]raster.Vertex
		for i := range v {
			w := float32(rng.Float64()*2 - .4)
			v[i] = vertex(float32(rng.NormFloat64()), float32(rng.NormFloat64()), w*rng.Float32()*1.5-.2, w)
			v[i].Dist[0] = float32(rng.IntN(5) - 2)
			if rng.IntN(2) == 0 {
				v[i].Dist[0] = float32(rng.NormFloat64())
			}
		}
		whole := s.triangle(t, v[0], v[1], v[2])
		s.config.ClipDistances = 1
		a := s.triangle(t, v[0], v[1], v[2])
		zero := true
		for i := range v {
			zero = zero && v[i].Dist[0] == 0
			v[i].Dist[0] = -v[i].Dist[0]
		}
		b := s.triangle(t, v[0], v[1], v[2])
		if zero {
			continue
		}
		both := append(slices.Clone(a), b...)
		slices.SortFunc(both, func(p, q pixel) int {
			if p.y != q.y {
				return int(p.y - q.y)
			}
			return int(p.x - q.x)
		})
		if !slices.Equal(both, whole) {
			t.Fatalf("%v: %d pixels are not %d + %d", v, len(whole), len(a), len(b))
		}
		if len(a) > 0 && len(b) > 0 {
			cut++
		}
		drawn += len(whole)
	}
	if cut < 100 || drawn < 5000 {
		t.Errorf("%d cut, %d pixels", cut, drawn)
	}
}

// A plane through a side of the triangle, on which samples lie: all of the
// triangle on one side of it, nothing on the other.
// RAS-077, RAS-078
func TestClipDistance_RAS078_PlaneThroughSide(t *testing.T) {
	rules.Covers(t, "RAS-077", "RAS-078")
	rng := rand.New(rand.NewPCG(25, 26))
	s := newScene(64)
	s.config.ClipDistances = 1
	for range 500 {
		var v [3]raster.Vertex
		for i := range v {
			v[i] = vertex(float32(rng.IntN(64))/32+1./64-1, float32(rng.IntN(64))/32+1./64-1, 0, 1)
		}
		whole := s.triangle(t, v[0], v[1], v[2])
		v[rng.IntN(3)].Dist[0] = rng.Float32() + .1
		if got := s.triangle(t, v[0], v[1], v[2]); !slices.Equal(got, whole) {
			t.Fatalf("inside: %d of %d pixels", len(got), len(whole))
		}
		for i := range v {
			v[i].Dist[0] = -v[i].Dist[0]
		}
		if got := s.triangle(t, v[0], v[1], v[2]); len(got) != 0 {
			t.Fatalf("outside: %d pixels", len(got))
		}
	}
}

// An edge is cut at the same point, bit for bit, in both directions.
// RAS-082
func TestCutAt_RAS082_Directions(t *testing.T) {
	rules.Covers(t, "RAS-082")
	rng := rand.New(rand.NewPCG(27, 28))
	random := func() float64 { return float64(float32(rng.NormFloat64() * math.Exp2(float64(rng.IntN(60)-30)))) }
	for range 2000 {
		a := clipVertex{x: random(), y: random(), z: random(), w: random()}
		b := clipVertex{x: random(), y: random(), z: random(), w: random(), l1: 1}
		da, db := math.Abs(random())+1e-9, -math.Abs(random())-1e-9
		p, q := cutAt(&a, &b, da, db), cutAt(&b, &a, db, da)
		if p != q {
			t.Fatalf("%v and %v", p, q)
		}
		lo, hi := min(a.x, b.x), max(a.x, b.x)
		if slack := 1e-12 * max(-lo, hi); p.x < lo-slack || p.x > hi+slack {
			t.Fatalf("%v is not between %v and %v", p.x, lo, hi)
		}
	}
}

// Whatever the vertices, nothing panics, loops are bounded, and what comes out
// stays inside the limits that set-up relies on.
// RAS-001, RAS-366, RAS-367
func FuzzPrimitive(f *testing.F) {
	add := func(values ...float32) {
		var b []byte
		for _, v := range values {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
		}
		f.Add(b, uint16(0x21f), float32(8), float32(-8))
		f.Add(b, uint16(0), float32(64), float32(32768))
	}
	add(-.5, .5, 0, 1, .5, .5, 0, 1, 0, 0, 0, -1, 1, 2, -1)
	add(0, 0, 0, 0x1p-149, 1, 0, 0, 0x1p-64, 0, 1, 0, 0x1p-63, 0, 0, 0)
	add(3e38, -3e38, 3e38, -3e38, -3e38, 3e38, 1, 3e38, 1, 1, 1, 3e38, -1, 1, 1)
	add(1e-40, 1e-40, 1e-40, 1e-40, -1e-40, 0, 0, 1e-40, 0, -1e-40, 0, 1e-40, 1, -1, 3e38)
	add(inf, nan, 0, 1, 1, 1, 1, 1, 1, 2, 3, 4, nan, inf, 0)
	f.Fuzz(func(t *testing.T, data []byte, flags uint16, width, height float32) {
		var in [15]float32
		for i := range in {
			if len(data) >= 4*i+4 {
				in[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
			}
		}
		s := newScene(16)
		s.config.DepthClip = flags&1 != 0
		s.config.NegativeOneToOne = flags&2 != 0
		s.config.ClipDistances = int(flags >> 2 & 1)
		s.config.CullDistances = int(flags >> 3 & 1)
		s.view(vk.Viewport{Width: width, Height: height, MaxDepth: 1})
		s.state.Samples = 1 << (flags >> 4 & 3)
		s.state.LineWidth = in[14]
		if flags&64 != 0 {
			s.state.LineMode = vk.LineRasterizationModeBresenham
		}
		s.state.DepthBias = raster.DepthBias{Enable: flags&128 != 0, Constant: in[13], Slope: in[12], Unit: raster.BiasFloat32}
		var v [3]raster.Vertex
		for i := range v {
			copy(v[i].Pos[:], in[4*i:])
			v[i].Dist[0], v[i].Size = in[12+i], in[12+i]
		}
		for _, mode := range []vk.PolygonMode{vk.PolygonModeFill, vk.PolygonModeLine, vk.PolygonModePoint} {
			s.state.PolygonMode, s.config.Outline = mode, mode != vk.PolygonModeFill
			setups, extra := s.setups(v[:]...)
			if len(setups) > raster.MaxCorners || len(extra) > 6*raster.MaxCorners {
				t.Fatalf("%d set-ups, %d half-planes", len(setups), len(extra))
			}
			list := s.cover(t, setups, extra)
			if mode == vk.PolygonModeFill && len(list) > 256 {
				t.Fatalf("%d pixels of 256", len(list))
			}
			evaluate(setups, s.state.Samples)
		}
		s.config.Outline = false
		s.line(t, v[0], v[1])
		s.point(t, v[2])
	})
}

func evaluate(setups []raster.Setup, samples int) {
	at := []pixel{{0, 0}, {1, 1}, {32766, 32766}, {32767, 32767}}
	var i, j, k, l [4]float32
	var x, y [4]int32
	centerPositions(at, x[:], y[:])
	for n := range setups {
		setups[n].IJAt(x[:], y[:], i[:], j[:])
		setups[n].IJLinearAt(x[:], y[:], i[:], j[:])
		setups[n].FragCoordAt(x[:], y[:], i[:], j[:], k[:], l[:])
		setups[n].PointCoordAt(x[:], y[:], i[:], j[:])
		for _, of := range raster.Samples(samples).X[:samples] { // along a diagonal
			for p := range x {
				x[p], y[p] = at[p].x*raster.Subpixels+of, at[p].y*raster.Subpixels+of
			}
			setups[n].DepthAt(x[:], y[:], i[:])
		}
	}
}

func BenchmarkTriangle(b *testing.B) {
	for _, c := range []struct {
		name string
		v    [3]raster.Vertex
	}{
		{"inside", [3]raster.Vertex{vertex(-.5, -.5, .5, 1), vertex(.5, -.5, .5, 1.5), vertex(0, .5, .5, 2)}},
		{"near", [3]raster.Vertex{vertex(-.5, -.5, -.5, 1), vertex(.5, -.5, .5, 1.5), vertex(0, .5, .5, 2)}},
		{"behind", [3]raster.Vertex{vertex(-.5, -.5, .5, 1), vertex(.5, -.5, .5, 1.5), vertex(0, .5, .5, -2)}},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := newScene(64)
			var p raster.Polygon
			setups := make([]raster.Setup, 0, 8)
			extra := make([]raster.HalfPlane, 0, 64)
			b.ReportAllocs()
			for b.Loop() {
				s.config.Project(c.v[:])
				if s.config.Triangle(&p, &c.v[0], &c.v[1], &c.v[2]) {
					setups, extra = raster.AppendPolygon(setups[:0], extra[:0], &p, &s.state, 0)
				}
			}
		})
	}
}

// centerPositions fills the centres of pixels, subpixels.
func centerPositions(list []pixel, x, y []int32) {
	for i, p := range list {
		x[i], y[i] = p.x*raster.Subpixels+raster.Subpixels/2, p.y*raster.Subpixels+raster.Subpixels/2
	}
}

package vertexpost

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Each vertex of a list is divided, transformed and snapped: x = 128·xc/wc + 128 pixels and so on.
func TestTables_RAS091_EveryVertex(t *testing.T) {
	rules.Covers(t, "RAS-002", "RAS-091", "RAS-092")
	config := exactConfig()
	for n := range 8 {
		var v []raster.Vertex
		for i := range n {
			v = append(v, vertex(float32(i)/64, -float32(i)/32, .25, float32(int(1)<<(i%3))))
		}
		config.Project(v)
		for i := range v {
			w := int32(1) << (i % 3)
			// i/64 of half of 256 pixels is 2·i pixels, of 256 subpixels each.
			if v[i].X != 128*256+2*256*int32(i)/w || v[i].Y != 128*256-4*256*int32(i)/w || v[i].Z != .25/float64(w) || v[i].InvW != 1/float64(w) || v[i].Out != 0 {
				t.Errorf("vertex %d of %d: %+v", i, n, v[i])
			}
		}
	}
}

// A position exactly at the guard band's end is within, and a unit in the last place further is not. Of the latter, x = 128·xc/wc + o rounds
// to 2^20 + 2^-32 since it lies 2^-8/wc above.
func TestTables_RAS003_EndOfTheGuardBand(t *testing.T) {
	rules.Covers(t, "RAS-002", "RAS-003", "RAS-091")
	for _, c := range []struct {
		origin, extent, x, w float32
		inside               bool
	}{
		{-1, 2, 1 << 20, 1, true}, {-1, 2, 1<<20 - 1, 1, true}, {-1, 2, 1<<20 + 1, 1, false}, {0, 2, 1<<20 - 1, 1, true}, {0, 2, 1 << 20, 1, false},
		{-18675.94921875, 456982.4375, 54820120, 14933837, false}, {-33698.91796875, 340638.09375, 79391584, 14827361, false}, {31698.94921875, 516539.96875, 40310488, 13723823, false},
	} {
		for _, sign := range []float32{1, -1} {
			origin := c.origin
			if sign < 0 {
				if origin = -c.origin - c.extent; float64(origin) != -float64(c.origin)-float64(c.extent) {
					continue
				}
			}
			for axis := range 2 {
				v := vk.Viewport{X: -1, Y: -1, Width: 2, Height: 2, MaxDepth: 1}
				x, y := sign*c.x, float32(0)
				if axis == 0 {
					v.X, v.Width = origin, c.extent
				} else {
					v.Y, v.Height, x, y = origin, c.extent, y, x
				}
				config := Config{Viewport: MakeViewport(v, false)}
				exact := new(big.Rat).SetFloat64(float64(c.extent) / 2 * float64(c.x))
				exact.Quo(exact, new(big.Rat).SetFloat64(float64(c.w)))
				exact.Add(exact, new(big.Rat).SetFloat64(float64(c.origin)+float64(c.extent)/2))
				if within := exact.Cmp(big.NewRat(1<<20, 1)) <= 0; within != c.inside {
					t.Fatalf("%+v is at %v", c, exact)
				}
				spot, ok := config.Place(x, y, c.w)
				if ok != c.inside || ok && max(spot.X, -spot.X, spot.Y, -spot.Y) > 1<<28 {
					t.Errorf("axis %d, sign %v, %+v: %v, inside %v", axis, sign, c, spot, ok)
				}
				list := []raster.Vertex{vertex(x, y, 0, c.w)}
				if config.Project(list); list[0].Out&raster.OutGuard == 0 != c.inside {
					t.Errorf("axis %d, sign %v, %+v: outcode %x", axis, sign, c, list[0].Out)
				}
			}
		}
	}
}

// Polygons of three and four corners whose values on a plane are below zero, zero of either sign, or above, by as little as there is:
// a corner stays where its value is not negative, and where two neighbours differ in that, the edge is cut where it is 0.
func TestTables_RAS084_EveryValue(t *testing.T) {
	rules.Covers(t, "RAS-081", "RAS-082", "RAS-084")
	const least = math.SmallestNonzeroFloat64
	values := []float64{-1, -least, math.Copysign(0, -1), 0, least, 1}
	for n := 3; n <= 4; n++ {
		for code := range int(math.Pow(6, float64(n))) {
			p := clipBuffer{n: n}
			for i, k := 0, code; i < n; i, k = i+1, k/6 {
				p.d[i] = values[k%6]
				p.v[i] = clipVertex{x: float64(4 * i), y: float64(i * i), w: 1, by: 1, l1: float64(i)}
			}
			type corner struct {
				x    float64
				made bool
			}
			var want []corner
			for i := range n {
				last := (i + n - 1) % n
				d0, d1 := p.d[last], p.d[i]
				x0, x1 := p.v[last].x, p.v[i].x
				if (d0 < 0) != (d1 < 0) {
					r0, r1 := new(big.Rat).SetFloat64(d0), new(big.Rat).SetFloat64(d1)
					t := new(big.Rat).Quo(r0, new(big.Rat).Sub(r0, r1))
					x, _ := t.Mul(t, new(big.Rat).SetFloat64(x1-x0)).Add(t, new(big.Rat).SetFloat64(x0)).Float64()
					want = append(want, corner{x, true})
				}
				if d1 >= 0 {
					want = append(want, corner{x1, false})
				}
			}
			d := slices.Clone(p.d[:n])
			p.clip()
			good := p.n == len(want)
			for i := 0; good && i < p.n; i++ {
				v := &p.v[i]
				good = v.made == want[i].made && math.Abs(v.x-want[i].x) < 1e-12 && math.Abs(v.l1-want[i].x/4) < 1e-12
			}
			if !good {
				t.Fatalf("%v: %+v, want %+v", d, p.v[:p.n], want)
			}
		}
	}
}

// A polygon with as many corners as there is room for, one of which is outside: what would be one more is left out.
func TestTables_RAS084_NoMoreCorners(t *testing.T) {
	rules.Covers(t, "RAS-081", "RAS-084")
	for out := range raster.MaxCorners {
		p := clipBuffer{n: raster.MaxCorners}
		for i := range p.n {
			p.v[i], p.d[i] = clipVertex{x: float64(i), w: 1, by: 1}, 1
		}
		p.d[out] = -1
		// All others, and both cuts, in order from the first corner or the cut before it.
		var want []float64
		for i := range raster.MaxCorners {
			last := (i + raster.MaxCorners - 1) % raster.MaxCorners
			if i == out || last == out {
				want = append(want, float64(last+i)/2)
			}
			if i != out {
				want = append(want, float64(i))
			}
		}
		p.clip()
		if p.n != raster.MaxCorners {
			t.Fatalf("corner %d is outside: %d corners", out, p.n)
		}
		for i, v := range p.v[:p.n] {
			if v.x != want[i] {
				t.Errorf("corner %d is outside: corner %d at %v, want %v", out, i, v.x, want[i])
			}
		}
	}
}

// Triangles with corners beyond each side of the guard band, in its corners and behind the eye: the polygon that planes leave one by one, in rationals.
func TestTables_RAS003_EverySide(t *testing.T) {
	rules.Covers(t, "RAS-003", "RAS-081", "RAS-082")
	type point [3]*big.Rat // x, y, w
	rat := func(f float64) *big.Rat { return new(big.Rat).SetFloat64(f) }
	times := func(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }
	const far = 3 << 20 // pixels are clip coordinates here, and a half more
	places := [][3]float32{{0, 0, 1}, {far, 0, 1}, {-far, 16, 1}, {32, far, 1}, {16, -far, 1}, {far, far, 1}, {-far, -far, 2}, {5, 7, -1}, {100, 50, 0}, {-far, far, -1}, {-64, -128, .5}}
	config := Config{Viewport: MakeViewport(vk.Viewport{X: -1, Y: -1, Width: 2, Height: 2, MaxDepth: 1}, false)}
	for code := range len(places) * len(places) * len(places) {
		at := [3]int{code % len(places), code / len(places) % len(places), code / len(places) / len(places)}
		var v []raster.Vertex
		var want []point
		for _, k := range at {
			p := places[k]
			v = append(v, vertex(p[0], p[1], 0, p[2]))
			want = append(want, point{rat(float64(p[0])), rat(float64(p[1])), rat(float64(p[2]))})
		}
		config.Project(v)
		if any := v[0].Out | v[1].Out | v[2].Out; any&(raster.OutW|raster.OutGuard) == 0 || Gone(v[0].Out&v[1].Out&v[2].Out, any) {
			continue // not clipped, or not there
		}
		for plane := range 5 {
			value := func(p point) *big.Rat {
				guard := times(rat(1<<20), p[2])
				switch plane {
				case 0:
					return guard.Add(guard, p[0])
				case 1:
					return guard.Sub(guard, p[0])
				case 2:
					return guard.Add(guard, p[1])
				case 3:
					return guard.Sub(guard, p[1])
				}
				return new(big.Rat).Sub(p[2], rat(0x1p-64))
			}
			var next []point
			for i, b := range want {
				a := want[(i+len(want)-1)%len(want)]
				da, db := value(a), value(b)
				if da.Sign() < 0 != (db.Sign() < 0) {
					f := new(big.Rat).Quo(da, new(big.Rat).Sub(da, db))
					var c point
					for k := range c {
						c[k] = new(big.Rat).Add(a[k], times(f, new(big.Rat).Sub(b[k], a[k])))
					}
					next = append(next, c)
				}
				if db.Sign() >= 0 {
					next = append(next, b)
				}
			}
			want = next
		}
		var p raster.Polygon
		drawn := config.Triangle(&p, &v[0], &v[1], &v[2])
		if drawn != (len(want) >= 3) {
			t.Fatalf("%v: drawn %v, %d corners wanted", at, drawn, len(want))
		}
		if !drawn {
			continue
		}
		// Where the fan begins, and whether rounding turned corners that coincide, is another test's: each corner is one of those.
		for _, c := range p.C[:p.N] {
			near := false
			for _, q := range want {
				x, _ := new(big.Rat).Quo(q[0], q[2]).Float64()
				y, _ := new(big.Rat).Quo(q[1], q[2]).Float64()
				near = near || math.Abs(x*256-float64(c.X)) <= 1 && math.Abs(y*256-float64(c.Y)) <= 1
			}
			if !near {
				t.Fatalf("%v: a corner at %d,%d is none of %v", at, c.X, c.Y, want)
			}
		}
		for _, q := range want {
			x, _ := new(big.Rat).Quo(q[0], q[2]).Float64()
			y, _ := new(big.Rat).Quo(q[1], q[2]).Float64()
			if p.N >= len(want) && !slices.ContainsFunc(p.C[:p.N], func(c raster.Corner) bool {
				return math.Abs(x*256-float64(c.X)) <= 1 && math.Abs(y*256-float64(c.Y)) <= 1
			}) {
				t.Fatalf("%v: no corner at %v, %v: %+v", at, x, y, p.C[:p.N])
			}
		}
	}
}

// Components that a swizzle negates have the other sign, zeros too.
func TestTables_RAS073_SignsOfZeros(t *testing.T) {
	rules.Covers(t, "RAS-073", "RAS-373")
	for code := range 8 * 8 {
		for at := range 4 {
			s := Identity
			to := []*vk.ViewportCoordinateSwizzleNV{&s.X, &s.Y, &s.Z, &s.W}
			*to[at], *to[(at+1)%4] = vk.ViewportCoordinateSwizzleNV(code%8), vk.ViewportCoordinateSwizzleNV(code/8)
			for _, p := range [][4]float32{{1, 2, 3, 4}, {0, 0, 0, 0}, {float32(math.Copysign(0, -1)), 0, float32(math.Copysign(0, -1)), 0}, {-1, 0, -3, 5}} {
				got := swizzle(p, s)
				for i, from := range to {
					want := math.Float32bits(p[*from/2])
					if *from%2 == 1 {
						want ^= 1 << 31
					}
					if math.Float32bits(got[i]) != want {
						t.Fatalf("component %d of %v by %v is %v", i, p, s, got[i])
					}
				}
			}
		}
	}
}

// What positions are divided by is w' of W scaling: more than 2^-64, by a unit in the last place, or the vertex is behind the eye;
// where it is no number, or infinite, there is no primitive.
func TestTables_RAS366_Divisors(t *testing.T) {
	rules.Covers(t, "RAS-081", "RAS-366", "RAS-376")
	huge := float64(math.MaxFloat32)
	for _, c := range []struct {
		scale, x, w float64
		out         raster.Outcode
	}{
		{0, 0, 0x1p-64, raster.OutW}, {0x1p-116, 1, 0x1p-64, 0}, {-0x1p-117, 1, 0x1p-64, raster.OutW}, {1, 2, -1, 0}, {-1, 1, 1, raster.OutW}, {-1, 2, 1, raster.OutW},
		{math.Inf(1), 1, 1, raster.OutInvalid}, {math.Inf(-1), 1, 1, raster.OutInvalid}, {math.Inf(1), 0, 1, raster.OutInvalid}, {math.NaN(), 1, 1, raster.OutInvalid}, {math.NaN(), 0, 1, raster.OutInvalid},
		{huge, huge, 1, 0}, {0, 1, math.Inf(1), raster.OutInvalid}, {1, math.NaN(), 1, raster.OutInvalid}, {0, math.Inf(-1), 1, raster.OutInvalid},
	} {
		for axis := range 2 {
			config := Config{Viewport: exactConfig().Viewport, WScale: true, ScaleX: c.scale}
			v := vertex(float32(c.x), 0, 0, float32(c.w))
			if axis == 1 {
				config.ScaleX, config.ScaleY = 0, c.scale
				v.Pos[0], v.Pos[1] = 0, v.Pos[0]
			}
			list := []raster.Vertex{v, vertex(0, 0, 0, 1), vertex(1, 1, 0, 1)}
			if config.Project(list); list[0].Out&(raster.OutW|raster.OutInvalid) != c.out {
				t.Errorf("axis %d, %+v: outcode %x, want %x of it", axis, c, list[0].Out, c.out)
			}
			if c.out != raster.OutInvalid {
				continue
			}
			var p raster.Polygon
			var g raster.Segment
			var dot raster.Point
			if config.Triangle(&p, &list[0], &list[1], &list[2]) || config.Line(&g, &list[0], &list[1]) || config.Point(&dot, &list[0]) {
				t.Errorf("axis %d, %+v: something is left", axis, c)
			}
		}
	}
}

// Distances that are no numbers, each of eight: of clip distances there is nothing left, and a cull distance culls only what is negative.
func TestTables_RAS074_EveryDistance(t *testing.T) {
	rules.Covers(t, "RAS-074", "RAS-077", "RAS-085", "RAS-086")
	for clips := range 9 {
		for culls := range 9 - clips {
			config := exactConfig()
			config.ClipDistances, config.CullDistances = clips, culls
			for k := range 8 {
				for _, d := range []float32{0, float32(math.Copysign(0, -1)), 1, -1, 1e-45, -1e-45, inf, -inf, nan} {
					list := []raster.Vertex{vertex(0, 0, .5, 1), vertex(.5, 0, .5, 1), vertex(0, .5, .5, 1)}
					for i := range list {
						for j := range list[i].Dist {
							list[i].Dist[j] = 1
						}
						list[i].Dist[k] = d
					}
					config.Project(list)
					var want raster.Outcode
					if k < clips+culls && d < 0 {
						want |= raster.OutUser << k
					}
					if finite := d-d == 0; k < clips && !finite {
						want |= raster.OutInvalid
					}
					for i := range list {
						if list[i].Out != want {
							t.Fatalf("%d clip and %d cull distances, %v at %d: outcode %x, want %x", clips, culls, d, k, list[i].Out, want)
						}
					}
					var p raster.Polygon
					var g raster.Segment
					var dot raster.Point
					for what, drawn := range map[string]bool{
						"triangle": config.Triangle(&p, &list[0], &list[1], &list[2]), "line": config.Line(&g, &list[0], &list[1]), "point": config.Point(&dot, &list[0]),
					} {
						if drawn != (want == 0) {
							t.Fatalf("%d clip and %d cull distances, %v at %d: %s drawn: %v", clips, culls, d, k, what, drawn)
						}
					}
				}
			}
		}
	}
}

// What each plane has at each vertex, divided by w: of the near plane z or z + w, of the far one w − z, of the others the distance;
// and where none is inside, two on the plane or not, nothing is left.
func TestTables_RAS077_ValuesOfEveryPlane(t *testing.T) {
	rules.Covers(t, "RAS-075", "RAS-076", "RAS-077", "RAS-078", "RAS-079")
	const w = 2
	for _, minus := range []bool{false, true} {
		for plane := range 10 { // near, far, eight distances
			for code := range 4 * 4 * 4 {
				var d [3]float32
				for k := range d {
					d[k] = []float32{-.5, 0, .25, 1}[code>>(2*k)&3]
				}
				config := exactConfig()
				config.NegativeOneToOne = minus
				list := []raster.Vertex{vertex(0, 0, .5, w), vertex(.5, 0, .5, w), vertex(0, .5, .5, w)}
				for i := range list {
					switch {
					case plane == 0 && minus:
						list[i].Pos[2] = d[i] - w
					case plane == 0:
						list[i].Pos[2] = d[i]
					case plane == 1:
						list[i].Pos[2] = w - d[i]
					default:
						config.ClipDistances = plane - 1
						list[i].Dist[plane-2] = d[i]
					}
				}
				config.Project(list)
				var p raster.Polygon
				drawn := config.Triangle(&p, &list[0], &list[1], &list[2])
				cuts := min(d[0], d[1], d[2]) < 0
				if want := !cuts || max(d[0], d[1], d[2]) > 0; drawn != want {
					t.Fatalf("plane %d, %v: drawn %v", plane, d, drawn)
				}
				if !drawn {
					continue
				}
				if p.Cuts != 1 && cuts || p.Cuts != 0 && !cuts {
					t.Fatalf("plane %d, %v: %d planes cut", plane, d, p.Cuts)
				}
				for k := range d {
					if cuts && p.D[0][k] != float64(d[k])/w {
						t.Fatalf("plane %d, %v: %v", plane, d, p.D[0][:3])
					}
				}
			}
		}
	}
}

// Lines that leave the guard band, or whose ends are beyond planes: what is left is exact where its numbers are.
func TestTables_RAS086_EveryEnd(t *testing.T) {
	rules.Covers(t, "RAS-003", "RAS-081", "RAS-086", "RAS-377")
	// A viewport of 2×2 pixels around the origin: x pixels are x/w, and the guard band ends at 2^20.
	config := Config{Viewport: MakeViewport(vk.Viewport{X: -1, Y: -1, Width: 2, Height: 2, MaxDepth: 1}, false)}
	line := func(c Config, v ...raster.Vertex) (g raster.Segment, drawn bool) {
		c.Project(v)
		drawn = c.Line(&g, &v[0], &v[1])
		return g, drawn
	}
	// Beyond each side by three times as much, and as far along: cut a third of the way, at the guard band.
	for side := range 4 {
		for turned := range 2 {
			v := []raster.Vertex{vertex(0, 0, 0, 1), vertex(3<<20, 3<<10, 0, 1)}
			if side >= 2 {
				v[1].Pos[0], v[1].Pos[1] = v[1].Pos[1], v[1].Pos[0]
			}
			if side%2 == 0 {
				v[1].Pos[0], v[1].Pos[1] = -v[1].Pos[0], -v[1].Pos[1]
			}
			wantX, wantY := int32(v[1].Pos[0]/3)*256, int32(v[1].Pos[1]/3)*256
			v[turned], v[1-turned] = v[0], v[1]
			g, drawn := line(config, v...)
			end, near := &g.B, &g.A
			if turned == 1 {
				end, near = near, end
			}
			if !drawn || end.X != wantX || end.Y != wantY || near.X != 0 || near.Y != 0 || math.Abs(end.L1-math.Abs(float64(turned)-1./3)) > 1e-15 {
				t.Errorf("side %d, turned %d: %+v, drawn %v; want an end at %d,%d", side, turned, g, drawn, wantX, wantY)
			}
		}
	}
	// Both ends at w = 2^-64, on either side of the middle: behind the eye.
	if g, drawn := line(config, vertex(-0x1p-65, 0, 0, 0x1p-64), vertex(0x1p-65, 0, 0, 0x1p-64)); drawn {
		t.Errorf("a line at w = 2^-64: %+v", g)
	}
	// W scaling takes an end within the view volume out of the guard band: w' is 2^-22 there.
	scaled := config
	scaled.WScale, scaled.ScaleX = true, -1
	if g, drawn := line(scaled, vertex(0, 0, 0, 1), vertex(1-0x1p-22, 0, 0, 1)); !drawn || g.B.X != 1<<28 || g.U0 != 0 || g.U1 != 1 {
		t.Errorf("an end that W scaling takes out of the guard band: %+v, drawn %v", g, drawn)
	}
	// The line is cut at the guard band exactly where the plane is: all that is left is inside of it, up to the end or from it on.
	for turned := range 2 {
		clipped := config
		clipped.ClipDistances = 1
		v := []raster.Vertex{vertex(0, 0, 0, 1), vertex(1<<21, 0, 0, 1)} // cut in the middle, at 2^20
		v[0].Dist[0], v[1].Dist[0] = 1, -1
		v[turned], v[1-turned] = v[0], v[1]
		g, drawn := line(clipped, v...)
		// The view volume leaves a 2^-20 of what the band left.
		want := [2]float64{0, 0x1p-20}
		if turned == 1 {
			want = [2]float64{1 - 0x1p-20, 1}
		}
		if !drawn || math.Abs(g.U0-want[0]) > 1e-15 || math.Abs(g.U1-want[1]) > 1e-15 {
			t.Errorf("a plane at the guard band, turned %d: %+v, drawn %v, want %v", turned, g, drawn, want)
		}
	}
	// Through the eye itself: one point, from the first parameter to the last.
	for turned := range 2 {
		v := []raster.Vertex{vertex(0, 0, 0, -1), vertex(0, 0, 0, 1)}
		v[turned], v[1-turned] = v[0], v[1]
		if g, drawn := line(config, v...); !drawn || g.U0 != 0 || g.U1 != 1 || g.A.X != g.B.X || g.A.Y != g.B.Y {
			t.Errorf("through the eye, turned %d: %+v, drawn %v", turned, g, drawn)
		}
	}
	// An end that a plane cuts by less than half a unit in the last place is cut: 1.5 and −2^-52.
	for turned := range 2 {
		clipped := config
		clipped.ClipDistances = 1
		v := []raster.Vertex{vertex(-1, 0, 0, 1), vertex(1, 0, 0, 1)}
		v[0].Dist[0], v[1].Dist[0] = 1.5, -0x1p-52
		v[turned], v[1-turned] = v[0], v[1]
		g, drawn := line(clipped, v...)
		if !drawn || turned == 0 && (g.U0 != 0 || g.U1 >= 1) || turned == 1 && (g.U0 <= 0 || g.U1 != 1) {
			t.Errorf("an end barely outside, turned %d: from %v to %v, drawn %v", turned, g.U0, g.U1, drawn)
		}
	}
	// Each end on a plane or off it, of each distance: the part where it is not negative, where there is any.
	for k := range 8 {
		for _, d0 := range []float32{-2, -1, 0, 1, 3} {
			for _, d1 := range []float32{-2, -1, 0, 1, 3} {
				clipped := config
				clipped.ClipDistances = k + 1
				v := []raster.Vertex{vertex(-1, 0, 0, 1), vertex(1, 0, 0, 1)}
				v[0].Dist[k], v[1].Dist[k] = d0, d1
				g, drawn := line(clipped, v...)
				from, to := 0., 1.
				if d0 < 0 {
					from = float64(d0 / (d0 - d1))
				}
				if d1 < 0 {
					to = float64(d0 / (d0 - d1))
				}
				want := from < to && max(d0, d1) >= 0
				if what := fmt.Sprintf("distances %v and %v at %d", d0, d1, k); drawn != want || drawn && (math.Abs(g.U0-from) > 1e-7 || math.Abs(g.U1-to) > 1e-7) {
					t.Errorf("%s: from %v to %v, drawn %v; want %v to %v", what, g.U0, g.U1, drawn, from, to)
				}
			}
		}
	}
}

// A vertex outside of any plane, or no position, makes no point.
func TestTables_RAS085_EveryOutcode(t *testing.T) {
	rules.Covers(t, "RAS-085", "RAS-366")
	for bit := range 32 {
		var p raster.Point
		v := vertex(0, 0, 0, 1)
		v.Out = raster.Outcode(1) << bit
		config := exactConfig()
		if config.Point(&p, &v) {
			t.Errorf("outcode %x: a point", v.Out)
		}
		if !Cut(1, v.Out) || !Cut(2, v.Out) {
			t.Errorf("outcode %x cuts no point, or no line", v.Out)
		}
		if got, side := Cut(3, v.Out), v.Out&(raster.OutLeft|raster.OutRight|raster.OutTop|raster.OutBottom) != 0; got == side {
			t.Errorf("outcode %x cuts a triangle: %v", v.Out, got)
		}
	}
}

package raster

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
)

// coverOnce draws triangles and wants each sample of r covered exactly once.
func coverOnce(t *testing.T, what string, mesh []*Polygon, r Rect, samples int32) {
	t.Helper()
	var all []sampleAt
	for _, p := range mesh {
		all = append(all, coverage(t, fill(p, fillState(int(samples))), nil, r, samples, 64)...)
	}
	slices.SortFunc(all, compareSamples)
	want := int(r.X1-r.X0) * int(r.Y1-r.Y0) * int(samples)
	distinct := len(slices.Compact(slices.Clone(all)))
	if len(all) != want || distinct != want {
		t.Errorf("%s, %d samples a pixel: %d hits on %d samples, want %d", what, samples, len(all), distinct, want)
	}
}

func shuffled(rng *rand.Rand, a, b, c Corner) *Polygon {
	v := []Corner{a, b, c}
	rng.Shuffle(3, func(i, j int) { v[i], v[j] = v[j], v[i] })
	return polygon(v[0], v[1], v[2])
}

// Fans around a point and grids with moved vertices cover every sample once,
// whatever the order of vertices.
// RAS-237, RAS-243
func TestMesh_RAS237_EverySampleOnce(t *testing.T) {
	rules.Covers(t, "RAS-237", "RAS-243")
	rng := rand.New(rand.NewPCG(9, 10))
	r := Rect{0, 0, 40, 40}
	for round := range 30 {
		samples := int32(1) << (round % 5)
		// A fan: hub inside, rim on a square around r, at sample positions often.
		hub := at(float64(rng.IntN(40*16))/16, float64(rng.IntN(40*16))/16)
		var rim []Corner
		const lo, hi = -3.25, 44.5
		for side := range 4 {
			var along []float64
			for range 1 + rng.IntN(5) {
				along = append(along, lo+float64(rng.IntN(int((hi-lo)*16)))/16)
			}
			along = append(along, lo)
			slices.Sort(along)
			for _, f := range slices.Compact(along) {
				switch side {
				case 0:
					rim = append(rim, at(f, lo))
				case 1:
					rim = append(rim, at(hi, f))
				case 2:
					rim = append(rim, at(lo+hi-f, hi))
				case 3:
					rim = append(rim, at(lo, lo+hi-f))
				}
			}
		}
		var mesh []*Polygon
		for k := range rim {
			mesh = append(mesh, shuffled(rng, hub, rim[k], rim[(k+1)%len(rim)]))
		}
		coverOnce(t, "fan", mesh, r, samples)

		// A grid: inner vertices moved by less than half a cell.
		const cells = 9
		var v [cells + 1][cells + 1]Corner
		for y := range v {
			for x := range v[y] {
				fx, fy := -2+float64(x)*5, -2+float64(y)*5
				if x%cells != 0 {
					fx += rng.Float64()*2.4 - 1.2
				}
				if y%cells != 0 {
					fy += rng.Float64()*2.4 - 1.2
				}
				v[y][x] = at(fx, fy)
			}
		}
		mesh = mesh[:0]
		for y := range cells {
			for x := range cells {
				a, b, c, d := v[y][x], v[y][x+1], v[y+1][x+1], v[y+1][x]
				if rng.IntN(2) == 0 {
					a, b, c, d = b, c, d, a
				}
				mesh = append(mesh, shuffled(rng, a, b, c), shuffled(rng, a, c, d))
			}
		}
		coverOnce(t, "grid", mesh, r, samples)
	}
}

// Moving snapped vertices by whole blocks of pixels moves coverage, depth and pairs with
// them, bit for bit.
// RAS-365
func TestTranslation_RAS365(t *testing.T) {
	rules.Covers(t, "RAS-365")
	rng := rand.New(rand.NewPCG(11, 12))
	ss := Samples(4)
	for range 200 {
		var c, m [3]Corner
		mx, my := 8*(rng.Int32N(2000)-1000), 8*(rng.Int32N(2000)-1000)
		for k := range c {
			c[k] = at(rng.Float64()*60, rng.Float64()*60)
			c[k].Z, c[k].InvW = rng.Float64(), rng.Float64()+.1
			m[k] = c[k]
			m[k].X, m[k].Y = c[k].X+mx*256, c[k].Y+my*256
		}
		a, b := fill(polygon(c[0], c[1], c[2]), fillState(4)), fill(polygon(m[0], m[1], m[2]), fillState(4))
		if len(a) != len(b) {
			t.Fatal("one is culled")
		}
		for k := range a {
			var qa, qb [1024]Quad
			na := a[k].Cover(qa[:], nil, Rect{0, 0, 64, 64}, ss)
			nb := b[k].Cover(qb[:], nil, Rect{mx, my, mx + 64, my + 64}, ss)
			if na != nb {
				t.Fatalf("%d quads, moved %d", na, nb)
			}
			za, zb := make([]float32, 16*na), make([]float32, 16*na)
			a[k].Depth(qa[:na], ss, za)
			b[k].Depth(qb[:nb], ss, zb)
			ia, ja, ib, jb := make([]float32, 4*na), make([]float32, 4*na), make([]float32, 4*na), make([]float32, 4*na)
			a[k].IJ(qa[:na], ia, ja)
			b[k].IJ(qb[:nb], ib, jb)
			if !slices.Equal(za, zb) || !slices.Equal(ia, ib) || !slices.Equal(ja, jb) {
				t.Fatal("values changed")
			}
			quads := map[Quad]bool{}
			for _, q := range qb[:nb] {
				quads[q] = true
			}
			for _, q := range qa[:na] {
				q.X, q.Y = q.X+mx, q.Y+my
				if !quads[q] {
					t.Fatalf("quad %+v missing", q)
				}
			}
		}
	}
}

// RAS-249: equal values come out exactly, values at vertices nearly so.
func TestInterpolate_RAS249_EqualValues(t *testing.T) {
	rules.Covers(t, "RAS-249")
	rng := rand.New(rand.NewPCG(13, 14))
	i, j, out := make([]float32, 64), make([]float32, 64), make([]uint32, 64)
	for k := range i {
		i[k], j[k] = rng.Float32(), rng.Float32()
	}
	for range 100 {
		v := float32(rng.NormFloat64() * 1e5)
		Interpolate(out, v, v, v, i, j)
		for k := range out {
			if out[k] != math.Float32bits(v) {
				t.Fatalf("%v became %v", v, math.Float32frombits(out[k]))
			}
		}
	}
	Interpolate(out[:3], 1, 2, 5, []float32{0, 1, 0}, []float32{0, 0, 1})
	for k, want := range []float32{1, 2, 5} {
		if got := math.Float32frombits(out[k]); got != want {
			t.Errorf("vertex %d: %v", k, got)
		}
	}
}

// Corner case 73: the centre is not covered, samples 2 and 3 are.
// RAS-284
func TestCentroid_RAS284(t *testing.T) {
	rules.Covers(t, "RC-73", "RAS-284")
	ss := Samples(4)
	x, y := make([]int32, 4), make([]int32, 4)
	for _, c := range []struct {
		name         string
		p            *Polygon
		mask         uint64
		wantX, wantY int32
	}{
		{"below the centre", triangleAt(-20, .55, 20, .55, 0, 40), 0xc, 2 * 16, 10 * 16},
		{"centre inside", triangleAt(-20, .45, 20, .45, 0, 40), 0xc, 128, 128},
		{"whole pixel", triangleAt(-20, -20, 40, -20, -20, 40), 0xf, 128, 128},
	} {
		s := fill(c.p, fillState(4))[0]
		var quads [1024]Quad
		n := s.Cover(quads[:], nil, Rect{0, 0, 2, 2}, ss)
		if n != 1 || quads[0].Mask&15 != c.mask {
			t.Fatalf("%s: %d quads, mask %#x", c.name, n, quads[0].Mask)
		}
		s.centroidPositions(quads[:1], nil, ss, x, y)
		if x[0] != c.wantX || y[0] != c.wantY {
			t.Errorf("%s: centroid %d,%d", c.name, x[0], y[0])
		}
	}
	SamplePositions([]Quad{{4, 6, 1}}, ss, 1, x, y)
	if x[3] != 5*256+14*16 || y[3] != 7*256+6*16 {
		t.Errorf("sample position %d,%d", x[3], y[3])
	}
}

// Nothing is allocated in a tile, whatever is drawn.
func TestFind_NoAllocation(t *testing.T) {
	names, list, samples := kinds()
	for i, s := range list {
		var b Coverage
		ss := Samples(samples[i])
		b.Grow(64, WordsOf(ss.N, false))
		if n := testing.AllocsPerRun(5, func() { s[0].Find(&b, nil, Rect{0, 0, 64, 64}, ss) }); n != 0 {
			t.Errorf("%s: %v allocations", names[i], n)
		}
	}
}

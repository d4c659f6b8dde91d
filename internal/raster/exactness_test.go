package raster

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// The rest of the table docs/exactness.md on rasterization: numbers that are
// rounded, against rationals or floats of 200 bits.

func wide(x float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(x) }

func wideInt(x int64) *big.Float { return new(big.Float).SetPrec(200).SetInt64(x) }

// wideLength is the length of (dx, dy).
func wideLength(dx, dy int64) *big.Float {
	n := new(big.Int).Add(new(big.Int).Mul(big.NewInt(dx), big.NewInt(dx)), new(big.Int).Mul(big.NewInt(dy), big.NewInt(dy)))
	l := new(big.Float).SetPrec(200).SetInt(n)
	return l.Sqrt(l)
}

// off is |got − want|.
func off(got float64, want *big.Float) float64 {
	d := wide(got)
	f, _ := d.Sub(d, want).Float64()
	return math.Abs(f)
}

// ulp32 is the distance of binary32 numbers at x.
func ulp32(x float64) float64 {
	f := float32(math.Abs(x))
	return float64(math.Nextafter32(f, float32(math.Inf(1))) - f)
}

// The values of vertices at covered pixels, from end to end.
func TestExact_RAS246_Attributes(t *testing.T) {
	t.Parallel()
	rules.Covers(t, "RAS-001", "RAS-246", "RAS-249")
	e := rules.Measure(rules.Row{Part: "Rasterization", Rules: "RAS-246, RAS-249", What: "interpolated attributes of covered pixels, from vertices to fragments",
		Unit: "2⁻²⁴ of the largest value at a vertex", Bound: 22,
		Why: "With M the largest value: differences are at most 2M, weights at most 1 for covered pixels and off by 2·2⁻²⁴ (8M in all); the roundings of two differences, two products and two sums add up to 2·2M + 2·2M + 3M + 3M units."})
	rng := rand.New(rand.NewPCG(61, 62))
	r, ss := Rect{0, 0, 24, 24}, Samples(1)
	quads := make([]Quad, 1024)
	for range rules.Cases(2000, 60_000) {
		p := polygon(randomCorner(rng), randomCorner(rng), randomCorner(rng))
		var v [3]float32
		var inv, over [3]float64
		largest := 0.0
		for k := range 3 {
			w := float64(float32(math.Exp2(rng.Float64()*16 - 8)))
			v[k] = float32(rng.NormFloat64())
			largest = max(largest, math.Abs(float64(v[k])))
			inv[k] = 1 / w
			p.C[k].InvW, p.W[k] = inv[k], w
			over[k] = float64(v[k])
		}
		for _, s := range fill(p, fillState(1)) {
			n := s.Cover(quads, nil, r, ss)
			if n == 0 {
				continue
			}
			q := quads[rng.IntN(n)]
			var i, j [4]float32
			var dst [4]uint32
			s.IJ([]Quad{q}, i[:], j[:])
			Interpolate(dst[:], v[0], v[1], v[2], i[:], j[:])
			for lane := range int32(4) {
				if q.Mask>>(16*lane)&1 == 0 {
					continue
				}
				x, y := (q.X+lane&1)*256+128, (q.Y+lane>>1)*256+128
				// Σ v_k·a_k/w_k over Σ a_k/w_k.
				sum, den := new(big.Rat), new(big.Rat)
				for k := range 3 {
					var one [3]float64
					one[k] = inv[k]
					part := exactPlane(p, one, x, y)
					den.Add(den, part)
					sum.Add(sum, part.Mul(part, new(big.Rat).SetFloat64(over[k])))
				}
				want := ratFloat(sum.Quo(sum, den))
				got := float64(math.Float32frombits(dst[lane]))
				e.Add(math.Abs(got-want)/(0x1p-24*largest), func() string {
					return fmt.Sprintf("%v, want %v: %v w %v values %v at %d,%d", got, want, p.C[:3], p.W, v, x, y)
				})
			}
		}
	}
	e.Done(t, 200)
}

// Along lines.
func TestExact_RAS205_Lines(t *testing.T) {
	t.Parallel()
	rules.Covers(t, "RAS-205", "RAS-206", "RAS-207")
	row := func(rule, what string) *rules.Exactness {
		return rules.Measure(rules.Row{Part: "Rasterization", Rules: rule, What: what, Bound: 1, Unit: "2⁻²³ of max(1, |exact|)",
			Why: "The plane along a line has gradients d·e/L² with three roundings; the distance of a covered sample from the end is at most the length plus half the width of 2⁹ px, so its two terms cancel by 2¹⁸ at most: 2⁻³³, then the division and the rounding to binary32."})
	}
	perspective, linear, depth := row("RAS-205, RAS-206", "perspective weight t of covered samples of lines"), row("RAS-205, RAS-207", "linear weight t"), row("RAS-207", "depth on lines")
	rng := rand.New(rand.NewPCG(63, 64))
	r := Rect{0, 0, 24, 24}
	quads := make([]Quad, 1024)
	for range rules.Cases(1500, 50_000) {
		g := &Segment{A: randomCorner(rng), B: randomCorner(rng), U1: 1}
		wa, wb := float64(float32(math.Exp2(rng.Float64()*16-8))), float64(float32(math.Exp2(rng.Float64()*16-8)))
		g.A.InvW, g.B.InvW, g.W = 1/wa, 1/wb, [2]float64{wa, wb}
		g.A.Z, g.B.Z, g.B.L1 = rng.Float64(), rng.Float64(), 1
		st := fillState(4)
		st.LineWidth = rng.Float32() * 30
		for _, s := range lines(g, st) {
			n := s.Cover(quads, nil, r, Samples(4))
			if n == 0 {
				continue
			}
			q := quads[rng.IntN(n)]
			for bit := range int32(64) {
				if q.Mask>>bit&1 == 0 {
					continue
				}
				ss, k := Samples(4), bit&15
				x, y := (q.X+bit>>4&1)*256+ss.X[k], (q.Y+bit>>5)*256+ss.Y[k]
				dx, dy := int64(g.B.X)-int64(g.A.X), int64(g.B.Y)-int64(g.A.Y)
				num := big.NewInt(0).Add(new(big.Int).Mul(big.NewInt(dx), big.NewInt(int64(x)-int64(g.A.X))), new(big.Int).Mul(big.NewInt(dy), big.NewInt(int64(y)-int64(g.A.Y))))
				den := big.NewInt(0).Add(new(big.Int).Mul(big.NewInt(dx), big.NewInt(dx)), new(big.Int).Mul(big.NewInt(dy), big.NewInt(dy)))
				u := new(big.Rat).SetFrac(num, den)
				mix := func(a, b float64) *big.Rat {
					ra, rb := new(big.Rat).SetFloat64(a), new(big.Rat).SetFloat64(b)
					return ra.Add(ra, rb.Sub(rb, ra).Mul(rb, u))
				}
				at := new(big.Rat).Mul(u, new(big.Rat).SetFloat64(g.B.InvW))
				at.Quo(at, mix(g.A.InvW, g.B.InvW))
				var i, j, li, lj, z [1]float32
				s.IJAt([]int32{x}, []int32{y}, i[:], j[:])
				s.IJLinearAt([]int32{x}, []int32{y}, li[:], lj[:])
				s.DepthAt([]int32{x}, []int32{y}, z[:])
				check := func(e *rules.Exactness, got float32, want *big.Rat) {
					w := ratFloat(want)
					e.Add(math.Abs(float64(got)-w)/(0x1p-23*max(1, math.Abs(w))), func() string {
						return fmt.Sprintf("%v, want %v: %v to %v, width %v, at %d,%d", got, w, g.A, g.B, st.LineWidth, x, y)
					})
				}
				check(perspective, i[0], at)
				check(linear, li[0], u)
				check(depth, z[0], mix(g.A.Z, g.B.Z))
			}
		}
	}
	perspective.Done(t, 200)
	linear.Done(t, 200)
	depth.Done(t, 200)
}

// Points: which samples, and PointCoord.
func TestExact_RAS191_Points(t *testing.T) {
	t.Parallel()
	rules.Covers(t, "RAS-189", "RAS-191", "RAS-187", "RAS-188")
	cover := rules.Measure(rules.Row{Part: "Rasterization", Rules: "RAS-187, RAS-188, RAS-189", What: "coverage of points", Unit: "samples that differ",
		Why: "The size is a multiple of 1/128 px, so the sides of the square are whole numbers of half subpixels."})
	coord := rules.Measure(rules.Row{Part: "Rasterization", Rules: "RAS-191", What: "PointCoord of covered samples", Unit: "½ ulp of binary32 + 2⁻⁵⁰", Bound: 1,
		Why: "A difference of binary64 numbers below 2¹³ px apart, a quotient and a sum, 2⁻⁵² each, and one rounding to binary32."})
	rng := rand.New(rand.NewPCG(65, 66))
	r, ss := Rect{0, 0, 16, 16}, Samples(4)
	for range rules.Cases(1500, 30_000) {
		fx, fy := rng.Float64()*20-2, rng.Float64()*20-2
		size := rng.Float32() * 9
		p := &Point{Corner: Corner{X: int32(math.RoundToEven(fx * 256)), Y: int32(math.RoundToEven(fy * 256)), InvW: 1}, FX: fx, FY: fy, Size: size}
		setups, _ := AppendPoint(nil, nil, p, fillState(4), 0)
		k := int64(math.RoundToEven(float64(size) * 128)) // units of half a pixel's 1/256
		k = max(k, 1)
		var want []sampleAt
		for y := range r.Y1 {
			for x := range r.X1 {
				for i := range int32(4) {
					dx, dy := 2*(int64(x)*256+int64(ss.X[i])-int64(p.X)), 2*(int64(y)*256+int64(ss.Y[i])-int64(p.Y))
					if -2*k <= dx && dx < 2*k && -2*k <= dy && dy < 2*k {
						want = append(want, sampleAt{x, y, i})
					}
				}
			}
		}
		got := coverage(t, setups, nil, r, 4, 8)
		cover.Add(differing(got, want), func() string {
			return fmt.Sprintf("at %v,%v size %v: %d samples, want %d", fx, fy, size, len(got), len(want))
		})
		for _, c := range want {
			x, y := c.x*256+ss.X[c.sample], c.y*256+ss.Y[c.sample]
			var u, v [1]float32
			setups[0].PointCoordAt([]int32{x}, []int32{y}, u[:], v[:])
			for d, f := range [2]float64{fx, fy} {
				pos, g := x, u[0]
				if d == 1 {
					pos, g = y, v[0]
				}
				w := wide(float64(pos) / 256)
				w.Sub(w, wide(f))
				w.Quo(w, wide(float64(k)/128))
				w.Add(w, wide(0.5))
				about, _ := w.Float64()
				coord.Add(off(float64(g), w)/(ulp32(about)/2+0x1p-50), func() string { return fmt.Sprintf("%v, want %v", g, about) })
			}
		}
	}
	cover.Done(t, 100)
	coord.Done(t, 100)
}

// How far the counter of a stippled strip is from the sum of exact lengths.
func TestExact_RAS224_Stipple(t *testing.T) {
	t.Parallel()
	rules.Covers(t, "RAS-223", "RAS-224", "RAS-221", "RAS-222")
	e := rules.Measure(rules.Row{Part: "Rasterization", Rules: "RAS-221 – RAS-224", What: "position in the pattern of stippled strips of up to 16 segments", Unit: "2⁻¹⁷ px a segment before it, + 2⁻³⁰ px", Bound: 1,
		Why: "Each segment's length is rounded once to 2⁻¹⁶ px, so that sums do not depend on how a strip is split; the distance in the segment is binary64."})
	rng := rand.New(rand.NewPCG(67, 68))
	for range rules.Cases(500, 20_000) {
		st := fillState(1)
		st.Stipple = Stipple{Factor: 1 + rng.Int32N(256), Pattern: uint16(rng.Uint32())}
		period := wideInt(16 * int64(st.Stipple.Factor))
		total, phase := wide(0), int32(0)
		x, y := rng.Int32N(1<<16), rng.Int32N(1<<16)
		for n := range 16 {
			nx, ny := rng.Int32N(1<<16), rng.Int32N(1<<16)
			if x == nx && y == ny {
				continue
			}
			g := &Segment{A: Corner{X: x, Y: y, InvW: 1}, B: Corner{X: nx, Y: ny, InvW: 1, L1: 1}, U1: 1, Phase: phase}
			s := lines(g, st)[0]
			// A position on the segment.
			px, py := x+(nx-x)/3, y+(ny-y)/3
			got := float64(s.Phase)/StippleUnits + s.along(px, py)
			dx, dy := int64(nx)-int64(x), int64(ny)-int64(y)
			length := wideLength(dx, dy)
			want := wideInt(int64(px-x)*dx + int64(py-y)*dy)
			want.Quo(want, length)
			want.Quo(want, wide(256))
			want.Add(want, total)
			d := off(got, want)
			// Both are modulo the period.
			about, _ := period.Float64()
			d = math.Mod(d, about)
			d = min(d, about-d)
			e.Add(d/(float64(n)*0x1p-17+0x1p-30), func() string { return fmt.Sprintf("segment %d: off by %v px", n, d) })
			length.Quo(length, wide(256))
			total.Add(total, length)
			phase = (phase + st.Advance(x, y, nx, ny)) % st.Stipple.Period()
			x, y = nx, ny
		}
	}
	e.Done(t, 100)
}

// wideArea is the area that the pixel (x, y) has in common with the rectangle of a
// line, by clipping with 200 bits.
func wideArea(a, b Corner, width float64, x, y int32) float64 {
	dx, dy := int64(b.X)-int64(a.X), int64(b.Y)-int64(a.Y)
	length := wideLength(dx, dy)
	type vec [2]*big.Float
	var poly []vec
	for _, c := range [4][2]int64{{0, 0}, {256, 0}, {256, 256}, {0, 256}} {
		vx, vy := int64(x)*256+c[0]-int64(a.X), int64(y)*256+c[1]-int64(a.Y)
		q, k := wideInt(vx*dx+vy*dy), wideInt(dx*vy-dy*vx)
		poly = append(poly, vec{q.Quo(q, length), k.Quo(k, length)}) // subpixels
	}
	half := wide(width * 128)
	limits := [4]func(v vec) *big.Float{
		func(v vec) *big.Float { return new(big.Float).Set(v[0]) },
		func(v vec) *big.Float { return new(big.Float).Sub(length, v[0]) },
		func(v vec) *big.Float { return new(big.Float).Add(v[1], half) },
		func(v vec) *big.Float { return new(big.Float).Sub(half, v[1]) },
	}
	for _, d := range limits {
		var out []vec
		for i, p := range poly {
			o := poly[(i+1)%len(poly)]
			dp, do := d(p), d(o)
			if dp.Sign() >= 0 {
				out = append(out, p)
			}
			if dp.Sign()*do.Sign() < 0 {
				t := new(big.Float).Quo(dp, new(big.Float).Sub(dp, do))
				var v vec
				for k := range v {
					v[k] = new(big.Float).Sub(o[k], p[k])
					v[k].Mul(v[k], t)
					v[k].Add(v[k], p[k])
				}
				out = append(out, v)
			}
		}
		if poly = out; len(poly) < 3 {
			return 0
		}
	}
	sum := wide(0)
	for i, p := range poly {
		o := poly[(i+1)%len(poly)]
		sum.Add(sum, new(big.Float).Mul(p[0], o[1]))
		sum.Sub(sum, new(big.Float).Mul(p[1], o[0]))
	}
	f, _ := sum.Float64()
	return math.Abs(f) / 2 / 65536
}

// Smooth lines: the area.
func TestExact_RAS229_Smooth(t *testing.T) {
	t.Parallel()
	rules.Covers(t, "RAS-229", "RAS-228")
	e := rules.Measure(rules.Row{Part: "Rasterization", Rules: "RAS-228, RAS-229", What: "coverage value of smooth lines within 2¹² px", Unit: "½ ulp of binary32 + 2⁻³⁶", Bound: 1,
		Why: "The turned corners are quotients of exact integers, off by 2⁻⁵² of 2¹³ px; clipping a square moves its sides by that, and its circumference is 4 px: 2⁻³⁶ with two clips a corner. One rounding to binary32 follows."})
	rng := rand.New(rand.NewPCG(69, 70))
	r := Rect{0, 0, 16, 16}
	for range rules.Cases(100, 3000) {
		reach := int32(16 * 256)
		if rng.IntN(2) == 0 {
			reach = 4096 * 256
		}
		random := func() Corner {
			return Corner{X: rng.Int32N(2*reach) - reach + 2048, Y: rng.Int32N(2*reach) - reach + 2048, InvW: 1}
		}
		g := &Segment{A: random(), B: random(), U1: 1}
		st := fillState(1)
		st.LineMode, st.LineWidth = vk.LineRasterizationModeRectangularSmooth, float32(1+rng.IntN(8*128))/128
		for _, s := range lines(g, st) {
			for _, p := range coverage(t, []Setup{s}, nil, r, 1, 16) {
				want := wideArea(g.A, g.B, float64(st.LineWidth), p.x, p.y)
				got := float64(s.LineCoverage(p.x, p.y))
				e.Add(math.Abs(got-want)/(ulp32(want)/2+0x1p-36), func() string {
					return fmt.Sprintf("%v, want %v: %v to %v width %v at %d,%d", got, want, g.A, g.B, st.LineWidth, p.x, p.y)
				})
			}
		}
	}
	e.Done(t, 50)
}

// The offset of depth bias.
func TestExact_RAS257_DepthBias(t *testing.T) {
	t.Parallel()
	rules.Covers(t, "RAS-257", "RAS-258", "RAS-260", "RAS-261", "RAS-262", "RAS-259", "RAS-263")
	e := rules.Measure(rules.Row{Part: "Rasterization", Rules: "RAS-257, RAS-258, RAS-260 – RAS-262", What: "depth bias o, before it is added", Unit: "2⁻⁵³ of the magnitudes added up", Bound: 10,
		Why: "Each component of the gradient: two differences, two products, a difference and the reciprocal of the area, six roundings of its terms' magnitudes; the root, the two products and the sum of o add four."})
	rng := rand.New(rand.NewPCG(71, 72))
	for range rules.Cases(5000, 300_000) {
		p := polygon(randomCorner(rng), randomCorner(rng), randomCorner(rng))
		area := cross(&p.C[0], &p.C[1], &p.C[2])
		if area == 0 {
			continue
		}
		for k := range 3 {
			p.C[k].Z = rng.Float64()
		}
		p.ZMax = max(p.C[0].Z, p.C[1].Z, p.C[2].Z)
		unit := []BiasUnit{BiasUnorm16, BiasUnorm24, BiasFloat32, BiasOne, BiasExact16, BiasExact24}[rng.IntN(6)]
		b := DepthBias{Enable: true, Constant: float32(rng.NormFloat64() * 100), Slope: float32(rng.NormFloat64() * 4), Unit: unit}
		var r *big.Float
		switch unit {
		case BiasUnorm16:
			r = new(big.Float).Quo(wide(1), wide(65535))
		case BiasUnorm24:
			r = new(big.Float).Quo(wide(1), wide(16777215))
		case BiasExact16:
			r = wide(0x1p-16)
		case BiasExact24:
			r = wide(0x1p-24)
		case BiasOne:
			r = wide(1)
		default:
			_, exp := math.Frexp(p.ZMax)
			r = wide(math.Ldexp(1, exp-1-23))
		}
		a, bb, c := &p.C[0], &p.C[1], &p.C[2]
		minus := func(x, y float64) *big.Float { return new(big.Float).Sub(wide(x), wide(y)) }
		fb, fc := minus(bb.Z, a.Z), minus(c.Z, a.Z)
		term := func(f *big.Float, d int64) *big.Float { return new(big.Float).Mul(f, wideInt(d)) }
		bx, by, cx, cy := int64(bb.X)-int64(a.X), int64(bb.Y)-int64(a.Y), int64(c.X)-int64(a.X), int64(c.Y)-int64(a.Y)
		square := func(p, q *big.Float) (sum *big.Float, magnitude float64) {
			d := new(big.Float).Sub(p, q)
			d.Quo(d, wideInt(area))
			d.Mul(d, wide(256))
			pf, _ := p.Float64()
			qf, _ := q.Float64()
			return d.Mul(d, d), (math.Abs(pf) + math.Abs(qf)) / math.Abs(float64(area)) * 256
		}
		gx, mx := square(term(fb, cy), term(fc, by))
		gy, my := square(term(fc, bx), term(fb, cx))
		m := gx.Add(gx, gy)
		if m.Sign() > 0 {
			m.Sqrt(m)
		}
		o := new(big.Float).Mul(m, wide(float64(b.Slope)))
		o.Add(o, r.Mul(r, wide(float64(b.Constant))))
		rc, _ := r.Float64()
		scale := math.Abs(rc) + math.Hypot(mx, my)*math.Abs(float64(b.Slope))
		e.Add(off(b.offset(p.ZMax, maxSlope(p)), o)/(0x1p-53*scale), func() string { return fmt.Sprintf("%v %+v", p.C[:3], b) })
	}
	e.Done(t, 400)
}

// User, near and far planes as half-planes of integers: how far from the exact line
// they lie, at the samples of the triangle's bounding box.
func TestExact_RAS077_Cuts(t *testing.T) {
	t.Parallel()
	rules.Covers(t, "RAS-077", "RAS-079", "RAS-078")
	e := rules.Measure(rules.Row{Part: "Rasterization", Rules: "RAS-077, RAS-078, RAS-079", What: "distance of user, near and far planes from the exact line, triangles of an aspect ratio up to 2¹⁴", Unit: "2⁻²⁹ of the distances of sample and plane from the corner nearest to the plane, + 2⁻²⁸ subpixels", Bound: 1.01,
		Why: "The normal is rounded to 29 bits in each component, half a step: 2⁻³⁰ of its length or less times 1 + 1 for both, times the distance of the sample, and as much of the plane's; the constant to half a unit of 2⁻²⁹ subpixels. Gradients in binary64 add 2⁻³⁸ of the distance."})
	rng := rand.New(rand.NewPCG(73, 74))
	for range rules.Cases(3000, 200_000) {
		reach := int32(1) << (4 + rng.IntN(20))
		random := func() Corner { return Corner{X: rng.Int32N(2*reach) - reach, Y: rng.Int32N(2*reach) - reach, InvW: 1} }
		p := polygon(random(), random(), random())
		a2 := cross(&p.C[0], &p.C[1], &p.C[2])
		box := float64(2*reach) * float64(2*reach) * 2
		if a2 == 0 || box > math.Abs(float64(a2))*(1<<14) {
			continue
		}
		p.Cuts = 1
		var d [3]float64
		for k := range d {
			d[k] = float64(float32(rng.NormFloat64()))
			p.D[0][k] = d[k]
		}
		extra, keep := appendCuts(nil, p, 1, a2)
		if !keep || len(extra) == 0 {
			continue
		}
		h := extra[0]
		h.C -= tieBias(h.A, h.B)
		near := 0
		for k := range d {
			if math.Abs(d[k]) < math.Abs(d[near]) {
				near = k
			}
		}
		// The gradient of D, exactly.
		minus := func(x, y float64) *big.Rat {
			return new(big.Rat).Sub(new(big.Rat).SetFloat64(x), new(big.Rat).SetFloat64(y))
		}
		fb, fc := minus(d[1], d[0]), minus(d[2], d[0])
		side := func(k int) (x, y int64) { return int64(p.C[k].X) - int64(p.C[0].X), int64(p.C[k].Y) - int64(p.C[0].Y) }
		bx, by := side(1)
		cx, cy := side(2)
		part := func(f *big.Rat, m int64, g *big.Rat, n int64) *big.Rat {
			l := new(big.Rat).Mul(f, big.NewRat(m, a2))
			return l.Sub(l, new(big.Rat).Mul(g, big.NewRat(n, a2)))
		}
		gx, gy := part(fb, cy, fc, by), part(fc, bx, fb, cx)
		length := math.Hypot(ratFloat(gx), ratFloat(gy))
		if length == 0 {
			continue
		}
		for range 4 {
			x, y := rng.Int32N(2*reach)-reach, rng.Int32N(2*reach)-reach
			// The exact distance from the line, and that from the half-plane's.
			exact := new(big.Rat).SetFloat64(d[0])
			exact.Add(exact, new(big.Rat).Mul(gx, big.NewRat(int64(x)-int64(p.C[0].X), 1)))
			exact.Add(exact, new(big.Rat).Mul(gy, big.NewRat(int64(y)-int64(p.C[0].Y), 1)))
			want := wide(0).SetRat(exact)
			want.Quo(want, wide(length))
			v := new(big.Int).Mul(big.NewInt(int64(h.A)), big.NewInt(int64(x)))
			v.Add(v, new(big.Int).Mul(big.NewInt(int64(h.B)), big.NewInt(int64(y))))
			v.Add(v, big.NewInt(h.C))
			got := wide(0).SetInt(v)
			got.Quo(got, wide(math.Hypot(float64(h.A), float64(h.B))))
			off, _ := got.Sub(got, want).Float64()
			distance := math.Hypot(float64(x)-float64(p.C[near].X), float64(y)-float64(p.C[near].Y)) + math.Abs(d[near])/length
			// Hypot's own rounding of both lengths shows far from the line only.
			far, _ := want.Float64()
			slack := math.Abs(far) * 0x1p-50
			e.Add(max(0, math.Abs(off)-slack)/(distance*0x1p-29+0x1p-28), func() string {
				return fmt.Sprintf("%v D %v at %d,%d: off by %v subpixels", p.C[:3], d, x, y, off)
			})
		}
	}
	e.Done(t, 500)
}

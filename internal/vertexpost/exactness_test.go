package vertexpost

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// The table docs/exactness.md on vertex post-processing: against rationals.

func rat(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }

func off(got float64, want *big.Rat) float64 {
	f, _ := new(big.Rat).Sub(rat(got), want).Float64()
	return math.Abs(f)
}

// The divide and the viewport transform.
func TestExact_RAS092_Viewport(t *testing.T) {
	t.Parallel()
	rules.Covers(t, "RAS-001", "RAS-002", "RAS-091", "RAS-092", "RAS-093", "RAS-095")
	xy := rules.Measure(rules.Row{Part: "Vertex post-processing", Rules: "RAS-091, RAS-092, RAS-095", What: "framebuffer x and y before snapping", Unit: "2⁻⁵³ of the magnitudes added up", Bound: 3,
		Why: "A quotient, a product and a sum in binary64; half extents and centres of viewports are exact."})
	snapped := rules.Measure(rules.Row{Part: "Vertex post-processing", Rules: "RAS-002", What: "snapped x and y against the unrounded ones", Unit: "subpixels", Bound: 0.5 + 0x1p-23,
		Why: "Half a subpixel, and three roundings of binary64 below 2²⁸ subpixels."})
	depth := rules.Measure(rules.Row{Part: "Vertex post-processing", Rules: "RAS-092, RAS-093", What: "depth after the viewport transform", Unit: "2⁻⁵³ of the magnitudes added up", Bound: 4,
		Why: "A quotient, a product, a sum, and the difference maxDepth − minDepth."})
	inverse := rules.Measure(rules.Row{Part: "Vertex post-processing", Rules: "RAS-091", What: "1/w", Unit: "2⁻⁵³ of it", Bound: 1, Why: "One rounding of binary64."})
	r := rand.New(rand.NewPCG(81, 82))
	for range rules.Cases(10_000, 500_000) {
		v := vk.Viewport{X: float32(r.IntN(4000)) / 16, Y: float32(r.IntN(4000)) / 256, Width: float32(1+r.IntN(1<<16)) / 16, Height: float32(r.IntN(1<<17)-1<<16) / 16, MinDepth: r.Float32(), MaxDepth: r.Float32()}
		negative := r.IntN(2) == 0
		c := Config{Viewport: MakeViewport(v, negative), NegativeOneToOne: negative}
		w := float32(math.Exp2(r.Float64()*40 - 20))
		reach := float32(math.Exp2(r.Float64() * 8))
		p := [4]float32{w * (r.Float32()*2 - 1) * reach, w * (r.Float32()*2 - 1) * reach, w * r.Float32(), w}
		q := []raster.Vertex{{Pos: p}}
		c.Project(q)
		if q[0].Out&(raster.OutW|raster.OutGuard) != 0 {
			continue
		}
		over := func(k int) *big.Rat { return new(big.Rat).Quo(rat(float64(p[k])), rat(float64(p[3]))) }
		half := big.NewRat(1, 2)
		xf, yf := c.screen(float64(p[0]), float64(p[1]), float64(p[3]))
		for k, f := range [2]float64{xf, yf} {
			size, origin, s := v.Width, v.X, q[0].X
			if k == 1 {
				size, origin, s = v.Height, v.Y, q[0].Y
			}
			h := new(big.Rat).Mul(rat(float64(size)), half)
			part := new(big.Rat).Mul(h, over(k))
			want := new(big.Rat).Add(rat(float64(origin)), h)
			scale, _ := part.Float64()
			want.Add(want, part)
			sum, _ := want.Float64()
			describe := func() string { return fmt.Sprintf("%+v %v: %v, want %v", v, p, f, sum) }
			xy.Add(off(f, want)/(0x1p-53*(math.Abs(scale)+math.Abs(sum))), describe)
			snapped.Add(off(float64(s)/256, want)*256, describe)
		}
		lo, hi := rat(float64(v.MinDepth)), rat(float64(v.MaxDepth))
		pz, oz := new(big.Rat).Sub(hi, lo), lo
		if negative {
			pz.Mul(pz, half)
			oz = new(big.Rat).Add(hi, lo)
			oz.Mul(oz, half)
		}
		part := pz.Mul(pz, over(2))
		scale, _ := part.Float64()
		origin, _ := oz.Float64()
		depth.Add(off(q[0].Z, part.Add(part, oz))/(0x1p-53*(math.Abs(scale)+math.Abs(origin))), func() string { return fmt.Sprintf("%+v %v: %v", v, p, q[0].Z) })
		inv := new(big.Rat).Inv(rat(float64(p[3])))
		inverse.Add(off(q[0].InvW, inv)/(0x1p-53*q[0].InvW), nil)
	}
	xy.Done(t, 1000)
	snapped.Done(t, 1000)
	depth.Done(t, 500)
	inverse.Done(t, 500)
}

// New vertices of clipping, and where lines end.
func TestExact_RAS082_Clipping(t *testing.T) {
	t.Parallel()
	rules.Covers(t, "RAS-082", "RAS-083", "RAS-086", "RAS-081")
	vertex := rules.Measure(rules.Row{Part: "Vertex post-processing", Rules: "RAS-081, RAS-082, RAS-083", What: "coordinates of new vertices at planes", Unit: "2⁻⁵³ of the magnitudes added up", Bound: 4,
		Why: "A difference and a quotient for each weight, a product and a sum in binary64. The values of the plane at the ends are taken as they are."})
	ends := rules.Measure(rules.Row{Part: "Vertex post-processing", Rules: "RAS-086", What: "parameter at which a clipped line ends", Unit: "2⁻⁵³", Bound: 4,
		Why: "With n = τ·w1 and m = (1−τ)·w0, n/(n+m) has relative roundings of n, m, the sum and the quotient; 1−τ is exact where it is small, and else the smaller factor."})
	r := rand.New(rand.NewPCG(83, 84))
	number := func() float64 { return float64(float32(r.NormFloat64() * math.Exp2(r.Float64()*20-10))) }
	for range rules.Cases(10_000, 300_000) {
		a, b := clipVertex{x: number(), y: number(), z: number(), w: number(), l1: r.Float64()}, clipVertex{x: number(), y: number(), z: number(), w: number(), l1: r.Float64()}
		da, db := math.Abs(number()), -math.Abs(number())
		if da == 0 || db == 0 {
			continue
		}
		c := cutAt(&a, &b, da, db)
		den := new(big.Rat).Sub(rat(db), rat(da))
		t0, t1 := new(big.Rat).Quo(rat(db), den), new(big.Rat).Neg(new(big.Rat).Quo(rat(da), den))
		for _, k := range [][3]float64{{a.x, b.x, c.x}, {a.y, b.y, c.y}, {a.z, b.z, c.z}, {a.w, b.w, c.w}, {a.l1, b.l1, c.l1}} {
			p, q := new(big.Rat).Mul(t0, rat(k[0])), new(big.Rat).Mul(t1, rat(k[1]))
			pf, _ := p.Float64()
			qf, _ := q.Float64()
			vertex.Add(off(k[2], p.Add(p, q))/(0x1p-53*(math.Abs(pf)+math.Abs(qf))), func() string { return fmt.Sprint(k, da, db) })
		}
		tau, w0, w1 := r.Float64(), math.Abs(number()), math.Abs(number())
		n, m := new(big.Rat).Mul(rat(tau), rat(w1)), new(big.Rat).Sub(big.NewRat(1, 1), rat(tau))
		m.Mul(m, rat(w0))
		if m.Add(m, n); m.Sign() == 0 {
			continue
		}
		ends.Add(off(screenParameter(tau, w0, w1), n.Quo(n, m))/0x1p-53, func() string { return fmt.Sprint(tau, w0, w1) })
	}
	vertex.Done(t, 1000)
	ends.Done(t, 500)
}

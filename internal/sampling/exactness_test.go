package sampling

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/ir/lane"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// The table docs/exactness.md on image operations: the catalogue's formulas in
// rationals, or floats of 200 bits where there are roots.

func rat(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }

func offRat(got float64, want *big.Rat) float64 {
	f, _ := new(big.Rat).Sub(rat(got), want).Float64()
	return math.Abs(f)
}

func asFloat(r *big.Rat) float64 { f, _ := r.Float64(); return f }

// ulp32 is the distance of binary32 numbers at x.
func ulp32(x float64) float64 {
	f := float32(math.Abs(x))
	return float64(math.Nextafter32(f, inf) - f)
}

func imageRow(rule, what, unit string, bound float64, why string) *rules.Exactness {
	return rules.Measure(rules.Row{Part: "Image operations", Rules: rule, What: what, Unit: unit, Bound: bound, Why: why})
}

// Coordinates, cube faces and derivatives.
func TestExact_IMG475_Coordinates(t *testing.T) {
	t.Parallel()
	rules.Covers(t, "IMG-004", "IMG-011", "IMG-391", "IMG-413", "IMG-414", "IMG-475", "IMG-481")
	scaled := imageRow("IMG-004, IMG-475", "texel coordinates s·W", "texels", 0, "24 bits of s times 17 bits of a size are exact in binary64.")
	shifted := imageRow("IMG-475, IMG-476", "texel coordinates s·W + Δ", "2⁻⁵³ of them", 1, "One rounding of binary64.")
	fixed := imageRow("IMG-011, IMG-481", "texel coordinates in fixed point", "texels", 0x1p-9, "256·u − ½·256 is rounded once to an integer: half a step of 8 bits.")
	face := imageRow("IMG-413", "coordinates on cube faces", "2⁻²⁴", 0.75, "A quotient of magnitude 1 at most in binary32, 2⁻²⁵, halved; and an FMA of at most 1, 2⁻²⁵.")
	grad := imageRow("IMG-414", "derivatives of coordinates on cube faces", "2⁻²⁴ of the magnitudes added up", 2, "A quotient and an FMA in binary32, 2⁻²⁴ of one of the terms and of their difference; a quotient in binary64.")
	projected := imageRow("IMG-390, IMG-391", "projected coordinates and references s/q", "½ ulp of binary32", 1, "One quotient in binary32, as shaders compute it.")
	difference := imageRow("IMG-397, IMG-404", "derivatives of quads", "½ ulp of binary32", 1, "One difference in binary32, as shaders compute it.")
	r := rand.New(rand.NewPCG(111, 112))
	for range rules.Cases(5000, 500_000) {
		s, size, delta := float32(r.NormFloat64()*math.Exp2(r.Float64()*12-6)), 1+r.IntN(1<<14), int32(r.IntN(17)-8)
		product := new(big.Rat).Mul(rat(float64(s)), big.NewRat(int64(size), 1))
		u := scaleCoord(float64(s), size, 0, false)
		describe := func() string { return fmt.Sprint(s, size, delta) }
		scaled.Add(offRat(u, product), describe)
		product.Add(product, big.NewRat(int64(delta), 1))
		if moved := scaleCoord(float64(s), size, delta, false); moved != 0 {
			shifted.Add(offRat(moved, product)/(0x1p-53*math.Abs(moved)), describe)
		}
		if math.Abs(u) < Far {
			i0, f := linearTexels(u)
			fixed.Add(offRat(float64(i0)+float64(f)/256+0.5, rat(u)), describe)
		}
		d := [3]float64{float64(float32(r.NormFloat64())), float64(float32(r.NormFloat64())), float64(float32(r.NormFloat64()))}
		g := [3]float64{float64(float32(r.NormFloat64())), float64(float32(r.NormFloat64())), float64(float32(r.NormFloat64()))}
		at := cubeFace(d[0], d[1], d[2])
		sc, _, rc := cubeSelect(at, d[0], d[1], d[2])
		dsc, _, drc := cubeSelect(at, g[0], g[1], g[2])
		half := big.NewRat(1, 2)
		exact := new(big.Rat).Quo(rat(sc), rat(rc))
		exact.Mul(exact, half)
		face.Add(offRat(cubeCoord(sc, rc), exact.Add(exact, half))/0x1p-24, func() string { return fmt.Sprint(d) })
		p, q := new(big.Rat).Mul(rat(rc), rat(dsc)), new(big.Rat).Mul(rat(sc), rat(drc))
		scale := (math.Abs(asFloat(p)) + math.Abs(asFloat(q))) / (2 * rc * rc)
		exact.Sub(p, q)
		exact.Quo(exact, new(big.Rat).Mul(rat(rc), rat(rc)))
		grad.Add(offRat(cubeGrad(sc, rc, dsc, drc), exact.Mul(exact, half))/(0x1p-24*scale), func() string { return fmt.Sprint(d, g) })
		a, b := float32(d[0]), float32(g[0])
		exact.Sub(rat(d[0]), rat(g[0]))
		if a != 0 && b != 0 {
			q := new(big.Rat).Quo(rat(d[0]), rat(g[0]))
			projected.Add(offRat(float64(math.Float32frombits(lane.FDiv(one(a)[0], one(b)[0]))), q)/(ulp32(asFloat(q))/2), describe)
		}
		got := differenceOf(b, a)
		difference.Add(offRat(got, exact)/(ulp32(asFloat(exact))/2), nil)
	}
	for _, e := range []*rules.Exactness{scaled, shifted, fixed, face, grad, projected, difference} {
		e.Done(t, 400)
	}
}

func differenceOf(a, b float32) float64 { return difference(one(a)[0], one(b)[0]) }

// Scale factors, anisotropy, levels.
func TestExact_IMG425_LevelOfDetail(t *testing.T) {
	t.Parallel()
	rules.Covers(t, "IMG-425", "IMG-429", "IMG-431", "IMG-452", "IMG-460", "IMG-462")
	isotropic := imageRow("IMG-425, IMG-429, IMG-452", "λ from derivatives", "levels", 0x1p-40, "Seven terms of the series leave 2⁻⁴¹ of log2, halved; ρ² has six roundings of 2⁻⁵³, and the sum with the exponent one of 2⁻⁴⁷.")
	eta := imageRow("IMG-431 – IMG-433", "anisotropy η up to 16", "", 0x1p-16, "All is binary32. ρ_max² is off by 8·2⁻²⁴ of itself, the area by 5·2⁻²⁴ since nothing of it cancels that was rounded before, the quotient by 2⁻²⁴; times 16.")
	lambda := imageRow("IMG-432, IMG-434", "λ with anisotropy", "levels", 0x1p-19, "ρ_max² off by 8·2⁻²⁴ of itself and twice 14·2⁻²⁴ of η are 36·2⁻²⁴; its logarithm to base 2, halved, is 0.73 of that.")
	linearRow := imageRow("IMG-460, IMG-461", "level and weight of LINEAR mipmaps against d", "levels", 0x1p-9, "256·d is rounded once to an integer: half a step of 8 bits.")
	nearestRow := imageRow("IMG-462", "level of NEAREST mipmaps against ceil(d + ½) − 1", "levels", 0, "d + ½ is exact where its neighbourhood matters: d is a multiple of 2⁻⁴⁸ there.")
	w := func(x float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(x) }
	mul := func(a, b *big.Float) *big.Float { return new(big.Float).Mul(a, b) }
	add := func(a, b *big.Float) *big.Float { return new(big.Float).Add(a, b) }
	r := rand.New(rand.NewPCG(113, 114))
	for range rules.Cases(5000, 300_000) {
		u := sampled{dims: 2, aniso: 1, base: [3]float64{float64(1 + r.IntN(8192)), float64(1 + r.IntN(8192)), 1}, a: &Args{Op: &ir.ImageOp{}}}
		number := func() float64 { return float64(float32(r.NormFloat64() * math.Exp2(-r.Float64()*16))) }
		g := gradients{x: [3]float64{number(), number()}, y: [3]float64{number(), number()}, given: true}
		if r.IntN(4) == 0 { // nearly parallel
			g.y[0], g.y[1] = float64(float32(g.x[0]*1.25)), float64(float32(g.x[1]*1.25+g.x[0]*math.Exp2(-20*r.Float64())))
		}
		describe := func() string { return fmt.Sprintf("%v base %v", g, u.base) }
		var p [2][2]*big.Float
		for d := range 2 {
			p[0][d], p[1][d] = mul(w(g.x[d]), w(u.base[d])), mul(w(g.y[d]), w(u.base[d]))
		}
		dot := func(a, b [2]*big.Float) *big.Float { return add(mul(a[0], b[0]), mul(a[1], b[1])) }
		a, c, b := dot(p[0], p[0]), dot(p[1], p[1]), dot(p[0], p[1])
		largest := a
		if c.Cmp(a) > 0 {
			largest = c
		}
		log2of := func(x *big.Float) float64 { // of a square
			m := new(big.Float)
			e := x.MantExp(m)
			f, _ := m.Float64()
			return (math.Log2(f) + float64(e)) / 2
		}
		got, _ := u.lambdaPrime(0, 1, &g)
		isotropic.Add(math.Abs(got-log2of(largest)), describe)

		u.aniso = float64(int(2) << r.IntN(4))
		diff := new(big.Float).Sub(a, c)
		root := add(mul(diff, diff), mul(w(4), mul(b, b)))
		root.Sqrt(root)
		max2 := mul(w(0.5), add(add(a, c), root))
		area2 := new(big.Float).Sub(mul(a, c), mul(b, b))
		ratio := w(u.aniso)
		if area2.Sign() > 0 {
			if q := new(big.Float).Quo(max2, new(big.Float).Sqrt(area2)); q.Cmp(ratio) < 0 {
				ratio = q
			}
		}
		if ratio.Cmp(w(1)) < 0 {
			ratio = w(1)
		}
		got, f := u.lambdaPrime(0, 1, &g)
		about, _ := ratio.Float64()
		eta.Add(math.Abs(f.eta-about), describe)
		lambda.Add(math.Abs(got-log2of(new(big.Float).Quo(max2, mul(ratio, ratio)))), describe)

		params := lodParams{lastLevel: float64(r.IntN(14)), maxLod: 1000, linear: true}
		l := r.Float64()*16 - 1
		if r.IntN(3) == 0 {
			l = float64(r.IntN(4096)) / 256
		}
		d := min(max(l, 0), params.lastLevel)
		lv := params.selectLevels(l)
		linearRow.Add(math.Abs(float64(lv.hi)+float64(lv.delta)/256-d), func() string { return fmt.Sprint(l, params.lastLevel) })
		params.linear = false
		sum := new(big.Rat).Add(rat(d), big.NewRat(1, 2))
		ceil := new(big.Int).Neg(new(big.Int).Div(new(big.Int).Neg(sum.Num()), sum.Denom()))
		nearestRow.Add(math.Abs(float64(params.selectLevels(l).hi)-float64(ceil.Int64()-1)), func() string { return fmt.Sprint(l, params.lastLevel) })
	}
	for _, e := range []*rules.Exactness{isotropic, eta, lambda, linearRow, nearestRow} {
		e.Done(t, 400)
	}
}

// exactSample is steps §22 to §24 in rationals from the device's coordinates,
// levels and probes on: weights times texels, the magnitude of what is added, and the least and the largest texel.
func exactSample(u *sampled, at *spot, lv levels, f *footprint, texel func(t uint32, c int) *big.Rat) (out [4]*big.Rat, magnitude [4]float64, span [4][2]float64) {
	for c := range out {
		out[c], span[c] = new(big.Rat), [2]float64{math.Inf(1), math.Inf(-1)}
	}
	for n := range f.probes {
		p := u.probe(at, f, n)
		for k, level := range [2]int{lv.hi, lv.lo} {
			share := int64(256 - lv.delta)
			if k == 1 {
				share = int64(lv.delta)
			}
			if share == 0 {
				continue
			}
			l := u.v.Level(level, p.layer)
			size := [3]int{l.Width, l.Height, l.Depth}
			var i0 [3]int
			var w [3][2]int64
			for d := range 3 {
				if d >= u.dims {
					w[d] = [2]int64{256, 0}
					continue
				}
				x := math.RoundToEven(p.c[d]*float64(size[d])*256 - 128)
				i0[d] = int(math.Floor(x / 256))
				w[d][1] = int64(x) - 256*int64(i0[d])
				w[d][0] = 256 - w[d][1]
			}
			for tap := range 8 {
				weight := share
				var i [3]int
				border := false
				for d := range 3 {
					bit := tap >> d & 1
					weight *= w[d][bit]
					if d < u.dims {
						i[d] = oracleWrap(vk.SamplerAddressMode(u.modes[d]), i0[d]+bit, size[d])
						border = border || i[d] < 0 || i[d] >= size[d]
					}
				}
				if weight == 0 {
					continue
				}
				t := u.border
				if !border {
					t = u.info.Decode(l.Data[l.Offset(i[0], i[1], i[2], 0):])
				}
				part := big.NewRat(weight, int64(f.probes)<<32)
				for c := range out {
					x := texel(t[c], c)
					span[c] = [2]float64{min(span[c][0], asFloat(x)), max(span[c][1], asFloat(x))}
					v := new(big.Rat).Mul(part, x)
					magnitude[c] += math.Abs(asFloat(v))
					out[c].Add(out[c], v)
				}
			}
		}
	}
	return out, magnitude, span
}

// LINEAR filters with levels and anisotropy.
func TestExact_IMG532_Linear(t *testing.T) {
	t.Parallel()
	rules.Covers(t, "IMG-475", "IMG-530", "IMG-532", "IMG-555", "IMG-561", "IMG-701")
	const divided = "Sums of weights times codes are exact integers over taps and probes; one quotient in binary64 and one rounding to binary32."
	coded := imageRow("IMG-530 – IMG-532, IMG-701", "LINEAR filters of one level and up to 16 probes, formats of 8- and 16-bit codes", "½ ulp of binary32", 1+0x1p-28, divided)
	mixed := imageRow("IMG-530 – IMG-532, IMG-555, IMG-701", "LINEAR filters of two levels and up to 16 probes, formats of 8- and 16-bit codes", "2⁻²⁴ of the texel of largest magnitude", 4,
		"Levels as above, then a difference, of twice the largest texel where there are both signs, and an FMA.")
	real := imageRow("IMG-530 – IMG-532, IMG-555, IMG-701", "LINEAR filters, levels and up to 16 probes, binary32", "½ ulp of binary32 + 2⁻⁴⁶ of the magnitudes", 1,
		"Products of 24-bit weights and texels are exact in binary64; 8·2·16 sums of 2⁻⁵³, a product by the level's weight, a quotient; one rounding to binary32.")
	const lerps = "In each dimension, and between levels, a difference and an FMA: 2⁻²⁴ of at most the largest texel each, and the weights of what goes in add up to 1. Four times at most, of up to two dimensions and 16 probes three times and one rounding of their mean, whose sum is binary64."
	unsigned := imageRow("IMG-530 – IMG-532, IMG-555, IMG-701", "LINEAR filters, levels and up to 16 probes, sRGB and UNORM of other sizes", "2⁻²⁴ of the largest texel", 8, lerps)
	signed := imageRow("IMG-530 – IMG-532, IMG-555, IMG-701", "LINEAR filters, levels and up to 16 probes, SNORM of other sizes", "2⁻²⁴ of the texel of largest magnitude", 12, lerps+" Texels of both signs differ by twice as much.")
	floats := imageRow("IMG-530 – IMG-532, IMG-555, IMG-701",
		"LINEAR filters, levels and up to 16 probes, binary16 and smaller floats",
		"2⁻²⁴ of the texel of largest magnitude", 8,
		"In each dimension, and between levels, a product and an FMA: 2⁻²⁴ of at most the largest "+
			"texel each; weights and probes as above. Products of texels and weights are exact.")
	r := rand.New(rand.NewPCG(115, 116))
	for _, f := range []vk.Format{vk.FormatR8G8B8A8Unorm, vk.FormatR16G16B16A16Unorm, vk.FormatR8G8B8A8Snorm, vk.FormatR32G32B32A32Sfloat, vk.FormatR8G8B8A8Srgb,
		vk.FormatA2B10G10R10UnormPack32, vk.FormatA2B10G10R10SnormPack32,
		vk.FormatR16G16B16A16Sfloat} {
		for _, volume := range []bool{false, true} {
			d := resource.ImageDesc{Type: vk.ImageType2D, Format: f, Extent: extent(13, 7, 1), MipLevels: 4}
			op := sampleOp(ir.Dim2D)
			op.Lod = ir.LodGrad
			if volume {
				d.Type, d.Extent.Depth, op.Dim, op.Lod = vk.ImageType3D, 5, ir.Dim3D, ir.LodExplicit
			}
			im := randomImage(t, r, d)
			if f == vk.FormatR32G32B32A32Sfloat {
				for i := 0; i < len(im.Data); i += 4 {
					copy(im.Data[i:], float32Bytes(float32(r.NormFloat64()*math.Exp2(r.Float64()*20-10))))
				}
			}
			if f == vk.FormatR16G16B16A16Sfloat { // finite
				for i := 0; i < len(im.Data); i += 2 {
					bits := uint16(r.IntN(0x7C00) | r.IntN(2)<<15)
					binary.LittleEndian.PutUint16(im.Data[i:], bits)
				}
			}
			v := newView(t, im, resource.ViewDesc{})
			cases := rules.Cases(200, 5000)
			for n := range cases {
				if n == cases/2 && v.Info.Numeric != format.NumericSfloat { // the ends of the range, beside each other
					for i, b := range im.Data {
						im.Data[i] = uint8(int8(b) >> 7)
					}
				}
				mode := func() vk.SamplerAddressMode { return vk.SamplerAddressMode(r.IntN(5)) }
				s := newSampler(t, resource.Sampler{MagFilter: linear, MinFilter: linear, MipmapMode: vk.SamplerMipmapModeLinear, MaxLod: 9, AnisotropyEnable: !volume, MaxAnisotropy: float32(int(1) << r.IntN(5)),
					AddressModeU: mode(), AddressModeV: mode(), AddressModeW: mode()})
				x := lane1{op: op, coord: []float32{r.Float32()*4 - 2, r.Float32()*4 - 2, r.Float32()*4 - 2}, lod: r.Float32()*5 - 1}
				if !volume {
					small := func() float32 { return float32(r.NormFloat64()) * 0.2 }
					x.dx, x.dy = []float32{small(), small()}, []float32{small(), small()}
				}
				args := x.args()
				both(args, v, s, 1)
				u := makeSampled(x.args(), v, s)
				at, g := u.locate(0, 1)
				prime, probes := u.lambdaPrime(0, 1, &g)
				lv := u.lod.selectLevels(u.lod.clampLod(prime, 0))
				codes := u.codeMax != 0
				want, magnitude, span := exactSample(&u, &at, lv, &probes, func(bits uint32, _ int) *big.Rat {
					if codes {
						return big.NewRat(u.code(bits), int64(u.codeMax))
					}
					return rat(float64(math.Float32frombits(bits)))
				})
				for c := range want {
					got := float64(math.Float32frombits(args.Out[c][0]))
					describe := func() string { return fmt.Sprintf("%v %v: %v, want %v", f, x.coord, got, asFloat(want[c])) }
					half := ulp32(asFloat(want[c])) / 2
					switch largest := max(math.Abs(span[c][0]), math.Abs(span[c][1])); {
					case codes && lv.delta != 0:
						if got < float64(float32(span[c][0])) || got > float64(float32(span[c][1])) { // IMG-535
							t.Errorf("%s: beyond the texels, of %v", describe(), span[c])
						}
						mixed.Add(offRat(got, want[c])/max(0x1p-24*largest, 0x1p-149), describe)
					case codes:
						coded.Add(offRat(got, want[c])/half, describe)
					case u.lerps:
						if got < span[c][0] || got > span[c][1] { // IMG-534, IMG-535
							t.Errorf("%s: beyond the texels, of %v", describe(), span[c])
						}
						row := unsigned
						switch {
						case u.shares:
							row = floats
						case u.info.Numeric == format.NumericSnorm:
							row = signed
						}
						row.Add(offRat(got, want[c])/max(0x1p-24*largest, 0x1p-149), describe)
					default:
						real.Add(offRat(got, want[c])/(half+0x1p-46*magnitude[c]), describe)
					}
				}
			}
		}
	}
	coded.Done(t, 100)
	mixed.Done(t, 200)
	real.Done(t, 100)
	unsigned.Done(t, 200)
	signed.Done(t, 100)
	floats.Done(t, 100)
}

// Equal numbers give themselves whatever their weights are, and so do those that are none.
func TestExact_IMG534_EqualShares(t *testing.T) {
	rules.Covers(t, "IMG-534")
	u := &sampled{shares: true}
	inf := float32(math.Inf(1))
	list := []float32{0, float32(math.Copysign(0, -1)), inf, -inf, 65504, -65504}
	r := rand.New(rand.NewPCG(117, 118))
	for range rules.Cases(20000, 2000000) {
		list = append(list, float32(math.Ldexp(1+r.Float64(), r.IntN(72)-56)))
	}
	for _, x := range list {
		for _, n := range []int{1, 128, 255, 1 + r.IntN(255)} {
			a := [4]float32{x, -x, x, x}
			for c, y := range u.mix(&a, &a, float32(n)/256) {
				if math.Float32bits(y) != math.Float32bits(a[c]) {
					t.Fatalf("%v with a weight of %d/256 is %v", a[c], n, y)
				}
			}
		}
	}
}

func float32Bytes(f float32) []byte {
	b := math.Float32bits(f)
	return []byte{byte(b), byte(b >> 8), byte(b >> 16), byte(b >> 24)}
}

// Comparisons that are filtered, and reductions.
func TestExact_IMG316_CompareAndReduce(t *testing.T) {
	t.Parallel()
	rules.Covers(t, "IMG-310", "IMG-311", "IMG-316", "IMG-550", "IMG-551")
	compared := imageRow("IMG-310, IMG-311, IMG-316", "filtered depth comparisons", "", 0, "Texels compare as binary32; the weights of those that pass are integers of 16 bits, exact in binary32.")
	reduced := imageRow("IMG-550, IMG-551", "minimum and maximum of the texels with weight", "", 0, "No arithmetic.")
	r := rand.New(rand.NewPCG(117, 118))
	im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatD32Sfloat, Extent: extent(9, 6, 1)})
	color := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR32Sfloat, Extent: extent(9, 6, 1)})
	for y := range 6 {
		for x := range 9 {
			f := float32(r.IntN(9)) / 8
			setFloat(im, 0, 0, x, y, f)
			setFloat(color, 0, 0, x, y, f)
		}
	}
	depth, plain := newView(t, im, resource.ViewDesc{Range: vk.ImageSubresourceRange{AspectMask: vk.ImageAspectDepthBit, LevelCount: 1, LayerCount: 1}}), newView(t, color, resource.ViewDesc{})
	for range rules.Cases(2000, 100_000) {
		mode := func() vk.SamplerAddressMode { return vk.SamplerAddressMode(r.IntN(5)) }
		base := resource.Sampler{MagFilter: linear, MinFilter: linear, AddressModeU: mode(), AddressModeV: mode()}
		x := lane1{op: sampleOp(ir.Dim2D), coord: []float32{r.Float32()*3 - 1, r.Float32()*3 - 1}, dref: float32(r.IntN(9)) / 8}
		var i [2]int
		var w [2][2]int64
		for d, size := range [2]int{9, 6} {
			n := int64(math.RoundToEven(float64(x.coord[d])*float64(size)*256 - 128))
			i[d] = int(n >> 8)
			w[d] = [2]int64{256 - n&255, n & 255}
		}
		cmp := base
		cmp.CompareEnable, cmp.CompareOp = true, vk.CompareOp(r.IntN(8))
		sum, lo, hi := int64(0), float32(math.Inf(1)), float32(math.Inf(-1))
		for tap := range 4 {
			k := w[0][tap&1] * w[1][tap>>1]
			if k == 0 {
				continue
			}
			a, b := oracleWrap(base.AddressModeU, i[0]+tap&1, 9), oracleWrap(base.AddressModeV, i[1]+tap>>1, 6)
			v := float32(0)
			if a >= 0 && a < 9 && b >= 0 && b < 6 {
				l := color.Level(0, 0, 0)
				v = math.Float32frombits(color.Info.Decode(l.Data[l.Offset(a, b, 0, 0):])[0])
			}
			lo, hi = min(lo, v), max(hi, v)
			bit := 2 // greater, equal, less: bits 4, 2, 1 of VkCompareOp
			if x.dref < v {
				bit = 1
			} else if x.dref > v {
				bit = 4
			}
			if int(cmp.CompareOp)&bit != 0 {
				sum += k
			}
		}
		describe := func() string { return fmt.Sprintf("%v %+v", x.coord, cmp) }
		dref := x
		dref.op.Dref = true
		compared.Add(math.Abs(float64(dref.red(depth, newSampler(t, cmp)))-float64(sum)/65536), describe)
		base.Reduction = smallest
		reduced.Add(math.Abs(float64(x.red(plain, newSampler(t, base))-lo)), describe)
		base.Reduction = largest
		reduced.Add(math.Abs(float64(x.red(plain, newSampler(t, base))-hi)), describe)
	}
	compared.Done(t, 200)
	reduced.Done(t, 200)
}

// Image processing.
func TestExact_IMG660_Processing(t *testing.T) {
	t.Parallel()
	rules.Covers(t, "IMG-653", "IMG-661", "IMG-662", "IMG-665", "IMG-671", "IMG-673", "IMG-677")
	const unit = "½ ulp of binary32 + 2⁻⁴⁰ of the magnitudes"
	boxes := imageRow("IMG-660 – IMG-665", "box filters of 1 to 9 texels", unit, 1, "Overlaps of texels are differences in binary64, off by 2⁻⁵⁰; sums of up to 100 products in binary64, a quotient, one rounding to binary32.")
	weighted := imageRow("IMG-650 – IMG-656", "weighted filters of 5 × 3 texels", unit, 1, "Products of two binary32 numbers are exact in binary64; 15 sums; one rounding to binary32.")
	sums := imageRow("IMG-670 – IMG-677", "sums of absolute and of squared differences of blocks", unit, 1, "Differences of binary32 numbers, squares and 64 sums in binary64; one rounding to binary32.")
	r := rand.New(rand.NewPCG(119, 120))
	const w, h = 11, 9
	texels := make([]float32, w*h)
	for range rules.Cases(300, 10_000) {
		for i := range texels {
			texels[i] = float32(r.NormFloat64() * math.Exp2(r.Float64()*8))
		}
		v := floats2D(t, w, h, texels...)
		at := func(x, y int) *big.Rat {
			return rat(float64(texels[min(max(y, 0), h-1)*w+min(max(x, 0), w-1)]))
		}
		s := processSampler(t, edge, true, average)
		p := []float32{r.Float32() * w, r.Float32() * h}
		check := func(e *rules.Exactness, got float32, want *big.Rat, magnitude float64) {
			e.Add(offRat(float64(got), want)/(ulp32(asFloat(want))/2+0x1p-40*magnitude), func() string { return fmt.Sprintf("at %v: %v, want %v", p, got, asFloat(want)) })
		}

		size := [2]float32{1 + 8*r.Float32(), 1 + 8*r.Float32()}
		overlap := func(i int, u, n float32) *big.Rat { // of texel i and the box
			half := new(big.Rat).Quo(rat(float64(n)), big.NewRat(2, 1))
			lo, hi := new(big.Rat).Sub(rat(float64(u)), half), new(big.Rat).Add(rat(float64(u)), half)
			if a := big.NewRat(int64(i), 1); a.Cmp(lo) > 0 {
				lo = a
			}
			if b := big.NewRat(int64(i)+1, 1); b.Cmp(hi) < 0 {
				hi = b
			}
			if hi.Cmp(lo) <= 0 {
				return new(big.Rat)
			}
			return hi.Sub(hi, lo)
		}
		sum, magnitude := new(big.Rat), 0.0
		for y := -6; y < h+6; y++ {
			oy := overlap(y, p[1], size[1])
			if oy.Sign() == 0 {
				continue
			}
			for x := -6; x < w+6; x++ {
				if ox := overlap(x, p[0], size[0]); ox.Sign() != 0 {
					part := ox.Mul(ox, oy)
					part.Mul(part, at(x, y))
					magnitude += math.Abs(asFloat(part))
					sum.Add(sum, part)
				}
			}
		}
		area := new(big.Rat).Mul(rat(float64(size[0])), rat(float64(size[1])))
		got := lane1{op: ir.ImageOp{Kind: ir.ImageBoxFilter, Dim: ir.Dim2D}, coord: p}.process(nil, v, s, nil, []uint32{one(size[0])[0], one(size[1])[0]})[0]
		check(boxes, got, sum.Quo(sum, area), magnitude/asFloat(area))

		weights := make([]float32, 4*5*3)
		for i := range weights {
			weights[i] = float32(r.NormFloat64())
		}
		kernel := weightView(t, vk.ImageViewType2DArray, 5, 3, 4, resource.WeightImage{CenterX: 2, CenterY: 1, Width: 5, Height: 3, Phases: 4},
			func(x, y, layer int) float32 { return weights[(layer*3+y)*5+x] })
		phase := func(u float32) int { // two phases: halves of the way between centres
			f := float64(u) - 0.5
			return int((f - math.Floor(f)) * 2)
		}
		layer := phase(p[1])*2 + phase(p[0])
		sum, magnitude = new(big.Rat), 0
		for y := range 3 {
			for x := range 5 {
				part := new(big.Rat).Mul(rat(float64(weights[(layer*3+y)*5+x])), at(int(math.Floor(float64(p[0])-2))+x, int(math.Floor(float64(p[1])-1))+y))
				magnitude += math.Abs(asFloat(part))
				sum.Add(sum, part)
			}
		}
		got = lane1{op: ir.ImageOp{Kind: ir.ImageWeighted, Dim: ir.Dim2D}, coord: p}.process(kernel, v, s, nil, nil)[0]
		check(weighted, got, sum, magnitude)

		block, ref, target := []uint32{uint32(1 + r.IntN(8)), uint32(1 + r.IntN(8))}, []uint32{uint32(r.IntN(3)), uint32(r.IntN(2))}, []int32{int32(r.IntN(3)), int32(r.IntN(2))}
		for _, sad := range []bool{true, false} {
			sum = new(big.Rat)
			for y := range int(block[1]) {
				for x := range int(block[0]) {
					d := new(big.Rat).Sub(at(int(target[0])+x, int(target[1])+y), at(int(ref[0])+x, int(ref[1])+y))
					if sad {
						d.Abs(d)
					} else {
						d.Mul(d, d)
					}
					sum.Add(sum, d)
				}
			}
			got := lane1{op: ir.ImageOp{Kind: ir.ImageBlockMatch, Dim: ir.Dim2D, SAD: sad}, icoord: target}.process(v, v, s, ref, block)[0]
			check(sums, got, sum, asFloat(sum))
		}
	}
	boxes.Done(t, 30)
	weighted.Done(t, 30)
	sums.Done(t, 60)
}

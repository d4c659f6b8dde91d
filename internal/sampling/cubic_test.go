package sampling

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

const cubic = vk.FilterCubicEXT

func TestCubic_Weights(t *testing.T) {
	rules.Covers(t, "IMG-540", "IMG-541", "IMG-543", "IMG-545")
	want := map[vk.CubicFilterWeightsQCOM]map[uint32][4]float64{
		vk.CubicFilterWeightsCatmullRomQCOM: {
			0: {0, 1, 0, 0}, 64: {-.0703125, .8671875, .2265625, -.0234375}, 128: {-1. / 16, 9. / 16, 9. / 16, -1. / 16}},
		vk.CubicFilterWeightsZeroTangentCardinalQCOM: {
			0: {0, 1, 0, 0}, 64: {-.140625, .890625, .296875, -.046875}, 128: {-1. / 8, 5. / 8, 5. / 8, -1. / 8}},
		vk.CubicFilterWeightsBSplineQCOM: {
			0: {1. / 6, 4. / 6, 1. / 6, 0}, 64: {.0703125, .611979167, .315104167, .00260416667}, 128: {1. / 48, 23. / 48, 23. / 48, 1. / 48}},
		vk.CubicFilterWeightsMitchellNetravaliQCOM: {
			0: {1. / 18, 16. / 18, 1. / 18, 0}, 64: {-.0234375, .782118056, .256076389, -.0147569444}, 128: {-5. / 144, 77. / 144, 77. / 144, -5. / 144}},
	}
	for set, values := range want {
		for f, w := range values {
			got := cubicSets[set].weights(f)
			for n := range w {
				if math.Abs(got[n]/256-w[n]) > 1e-9 {
					t.Errorf("%v at %d/256: %v, want %v", set, f, got, w)
				}
			}
		}
		for f := range uint32(256) {
			w, back := cubicSets[set].weights(f), cubicSets[set].weights(256-f)
			if s := (w[0] + w[1] + w[2] + w[3]) / 256; math.Abs(s-1) > 0x1p-50 {
				t.Errorf("%v at %d/256: the weights sum to %v", set, f, s)
			}
			for n := range w {
				if math.Abs(w[n]-back[3-n]) > 256*0x1p-50 {
					t.Errorf("%v at %d/256: w%d is not mirrored", set, f, n)
				}
			}
		}
	}
}

func TestCubic_Case57(t *testing.T) {
	rules.Covers(t, "IMG-482", "IMG-546", "IMG-547", "TC-57")
	s := resource.Sampler{MagFilter: cubic, MinFilter: cubic, AddressModeU: edge}
	if got := (lane1{op: sampleOp(ir.Dim1D), coord: []float32{0.5}}).red(imageA4(t), newSampler(t, s)); got != 25 {
		t.Errorf("A4 at s = 0.5: %v, want 25", got)
	}
	im := newImage(t, resource.ImageDesc{Type: vk.ImageType1D, Format: vk.FormatR32Sfloat, Extent: extent(4, 1, 1)})
	for i := 1; i < 4; i++ {
		setFloat(im, 0, 0, i, 0, 1)
	}
	v := newView(t, im, resource.ViewDesc{})
	if got := (lane1{op: sampleOp(ir.Dim1D), coord: []float32{0.5}}).red(v, newSampler(t, s)); got != 1.0625 {
		t.Errorf("0, 1, 1, 1: %v, want 1.0625", got)
	}
	s.Reduction = vk.SamplerReductionModeWeightedAverageRangeclampQCOM
	if got := (lane1{op: sampleOp(ir.Dim1D), coord: []float32{0.5}}).red(v, newSampler(t, s)); got != 1 {
		t.Errorf("0, 1, 1, 1 clamped: %v, want 1", got)
	}
}

// IMG-885: with other filters the range clamp changes nothing. s = 0.35 of A4 is
// u = 1.4: 26/256 of 10 and 230/256 of 20, or texel 1.
func TestRangeClamp_OtherFilters(t *testing.T) {
	rules.Covers(t, "IMG-885", "IMG-547")
	// CUBIC results are clamped whichever filter it is of: 0, 1, 1, 1 have 1.0625 between them.
	steps := newImage(t, resource.ImageDesc{Type: vk.ImageType1D, Format: vk.FormatR32Sfloat, Extent: extent(4, 1, 1)})
	for i := 1; i < 4; i++ {
		setFloat(steps, 0, 0, i, 0, 1)
	}
	for lod, s := range map[float32]resource.Sampler{0: {MagFilter: cubic, MinFilter: linear}, 1: {MagFilter: linear, MinFilter: cubic}} {
		s.AddressModeU, s.MaxLod, s.Reduction = edge, 1, vk.SamplerReductionModeWeightedAverageRangeclampQCOM
		if got := (lane1{op: sampleOp(ir.Dim1D), coord: []float32{0.5}, lod: lod}).red(newView(t, steps, resource.ViewDesc{}), newSampler(t, s)); got != 1 {
			t.Errorf("CUBIC at level %v: %v, want 1", lod, got)
		}
	}
	for filter, want := range map[vk.Filter][2]float32{linear: {10, 20}, vk.FilterNearest: {20, 20}} { // least and most: only averages are clamped
		for i, mode := range []vk.SamplerReductionMode{vk.SamplerReductionModeMin, vk.SamplerReductionModeMax} {
			s := newSampler(t, resource.Sampler{MagFilter: filter, MinFilter: filter, AddressModeU: edge, Reduction: mode})
			if got := (lane1{op: sampleOp(ir.Dim1D), coord: []float32{0.35}}).red(imageA4(t), s); got != want[i] {
				t.Errorf("%v, %v: %v, want %v", filter, mode, got, want[i])
			}
		}
	}
	for filter, want := range map[vk.Filter]float32{linear: (26*10 + 230*20) / 256., vk.FilterNearest: 20} {
		for _, mode := range []vk.SamplerReductionMode{vk.SamplerReductionModeWeightedAverage, vk.SamplerReductionModeWeightedAverageRangeclampQCOM} {
			s := newSampler(t, resource.Sampler{MagFilter: filter, MinFilter: filter, AddressModeU: edge, Reduction: mode})
			if got := (lane1{op: sampleOp(ir.Dim1D), coord: []float32{0.35}}).red(imageA4(t), s); got != want {
				t.Errorf("%v, %v: %v, want %v", filter, mode, got, want)
			}
		}
	}
}

// The oracle in binary64: 4, 16 and 64 taps with product weights, each wrapped
// on its own, for random images, sets and address modes.
func TestCubic_Oracle(t *testing.T) {
	t.Parallel()
	rules.Covers(t, "IMG-502", "IMG-542", "IMG-540", "IMG-260")
	e := rules.Measure(rules.Row{Part: "Image operations", Rules: "IMG-540 – IMG-547, IMG-701", What: "CUBIC filters in one to three dimensions, all weights", Unit: "½ ulp of binary32 + 2⁻⁴⁴ of the magnitudes", Bound: 1,
		Why: "Weights are integers divided once; two products of weights, one with the texel, 64 sums in binary64, a quotient; one rounding to binary32."})
	r := rand.New(rand.NewPCG(11, 12))
	const w, h, d = 5, 4, 3
	for n := range rules.Cases(1500, 60_000) {
		dims := 1 + n%3
		dim := [4]ir.ImageDim{0, ir.Dim1D, ir.Dim2D, ir.Dim3D}[dims]
		size := [3]int{w, 1, 1}
		desc := resource.ImageDesc{Type: vk.ImageType(dims - 1), Format: vk.FormatR32Sfloat}
		if dims > 1 {
			size[1] = h
		}
		if dims > 2 {
			size[2] = d
		}
		desc.Extent = extent(uint32(size[0]), uint32(size[1]), uint32(size[2]))
		im := newImage(t, desc)
		l := im.Level(0, 0, 0)
		var texels [w * h * d]float64
		for i := range size[0] * size[1] * size[2] {
			f := float32(r.IntN(2000) - 1000)
			texels[i] = float64(f)
			binary.LittleEndian.PutUint32(l.Data[4*i:], math.Float32bits(f))
		}
		m := [3]vk.SamplerAddressMode{fiveModes[r.IntN(5)], fiveModes[r.IntN(5)], fiveModes[r.IntN(5)]}
		set := vk.CubicFilterWeightsQCOM(r.IntN(4))
		s := newSampler(t, resource.Sampler{MagFilter: cubic, MinFilter: cubic, AddressModeU: m[0], AddressModeV: m[1], AddressModeW: m[2],
			CubicWeights: set, BorderColor: vk.BorderColorFloatOpaqueWhite})
		var u [3]float64
		var coord []float32
		for k := range dims {
			c := float32(r.Float64()*3 - 1)
			coord = append(coord, c)
			u[k] = math.RoundToEven(256*float64(c)*float64(size[k])-128) / 256
		}
		got := float64(lane1{op: sampleOp(dim), coord: coord}.red(newView(t, im, resource.ViewDesc{}), s))
		want, weight := 0.0, 0.0
		for z := range 4 {
			for y := range 4 {
				for x := range 4 {
					k, i, border := 1.0, [3]int{}, false
					for a, tap := range [3]int{x, y, z} {
						if a >= dims {
							if tap != 0 {
								k = 0
							}
							continue
						}
						base := math.Floor(u[a])
						k *= oracleCubic(set, u[a]-base, tap)
						i[a] = oracleWrap(m[a], int(base)-1+tap, size[a])
						border = border || i[a] < 0 || i[a] >= size[a]
					}
					if k == 0 {
						continue
					}
					v := 1.0
					if !border {
						v = texels[(i[2]*size[1]+i[1])*size[0]+i[0]]
					}
					want += k * v
					weight += math.Abs(k * v)
				}
			}
		}
		e.Add(math.Abs(got-want)/(ulp32(want)/2+0x1p-44*weight), func() string { return fmt.Sprintf("%d: %v %v at %v: %v, want %v", n, dim, set, coord, got, want) })
	}
	e.Done(t, 150)
}

// oracleCubic is the weight of a tap as the matrices give it.
func oracleCubic(set vk.CubicFilterWeightsQCOM, a float64, tap int) float64 {
	x := math.Abs(float64(tap) - 1 - a) // distance from the sample to the texel
	switch set {                        // B and C of the Mitchell-Netravali family
	case vk.CubicFilterWeightsCatmullRomQCOM:
		return bc(0, .5, x)
	case vk.CubicFilterWeightsZeroTangentCardinalQCOM:
		return bc(0, 1, x)
	case vk.CubicFilterWeightsBSplineQCOM:
		return bc(1, 0, x)
	default:
		return bc(1./3, 1./3, x)
	}
}

// bc is the two-parameter family of cubic kernels.
func bc(b, c, x float64) float64 {
	switch {
	case x < 1:
		return ((12-9*b-6*c)*x*x*x + (-18+12*b+6*c)*x*x + 6 - 2*b) / 6
	case x < 2:
		return ((-b-6*c)*x*x*x + (6*b+30*c)*x*x + (-12*b-48*c)*x + 8*b + 24*c) / 6
	default:
		return 0
	}
}

// Constants stay what they are, bit for bit, in every format and over cube
// corners (IMG-221, IMG-534); levels blend after the filter.
func TestCubic_Constants(t *testing.T) {
	rules.Covers(t, "IMG-221", "IMG-534", "IMG-217", "IMG-220")
	r := rand.New(rand.NewPCG(13, 14))
	for _, f := range []vk.Format{vk.FormatR8G8B8A8Unorm, vk.FormatR8G8B8A8Srgb, vk.FormatR16G16B16A16Sfloat, vk.FormatB10G11R11UfloatPack32, vk.FormatR16Snorm} {
		info, _ := format.Lookup(f)
		for n := uint32(1); n <= 4; n++ {
			im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: f, Extent: extent(n, n, 1), ArrayLayers: 6, Flags: vk.ImageCreateCubeCompatibleBit})
			texel := make([]byte, info.BlockBytes)
			info.Encode(texel, format.Texel{one(0.3)[0], one(0.77)[0], one(0.11)[0], one(0.9)[0]})
			for face := range 6 {
				l := im.Level(0, 0, face)
				for o := 0; o < len(l.Data); o += len(texel) {
					copy(l.Data[o:], texel)
				}
			}
			want := info.Decode(texel)
			for set := range vk.CubicFilterWeightsQCOM(4) {
				s := newSampler(t, resource.Sampler{MagFilter: cubic, MinFilter: cubic, CubicWeights: set})
				for range 50 {
					dir := []float32{float32(r.NormFloat64()), float32(r.NormFloat64()), float32(r.NormFloat64())}
					v := newView(t, im, resource.ViewDesc{Type: viewType(vk.ImageViewTypeCube)})
					if got := (lane1{op: sampleOp(ir.DimCube), coord: dir}).run(v, s); got != want {
						t.Fatalf("%v, %d², %v at %v: %x, want %x", f, n, set, dir, got, want)
					}
				}
			}
		}
	}
}

// IMG-316 and IMG-550: comparisons stay in [0, 1]; reductions look at all taps
// of some weight.
func TestCubic_CompareAndReduce(t *testing.T) {
	rules.Covers(t, "IMG-316", "IMG-550", "IMG-552")
	im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatD32Sfloat, Extent: extent(4, 1, 1)})
	for i := range 4 {
		setFloat(im, 0, 0, i, 0, [4]float32{0, 1, 1, 1}[i])
	}
	v := newView(t, im, resource.ViewDesc{})
	op := sampleOp(ir.Dim2D)
	op.Dref = true
	s := newSampler(t, resource.Sampler{MagFilter: cubic, MinFilter: cubic, AddressModeU: edge, CompareEnable: true, CompareOp: vk.CompareOpLess})
	if got := (lane1{op: op, coord: []float32{0.5, 0.5}, dref: 0.5}).red(v, s); got != 1 {
		t.Errorf("comparison: %v, want 1", got)
	}
	for _, c := range []struct {
		mode vk.SamplerReductionMode
		s    float32
		want float32
	}{{vk.SamplerReductionModeMin, 0.5, 10}, {vk.SamplerReductionModeMax, 0.5, 40}, {vk.SamplerReductionModeMin, 0.375, 20}, {vk.SamplerReductionModeMax, 0.375, 20}} {
		s := newSampler(t, resource.Sampler{MagFilter: cubic, MinFilter: cubic, AddressModeU: edge, Reduction: c.mode})
		if got := (lane1{op: sampleOp(ir.Dim1D), coord: []float32{c.s}}).red(imageA4(t), s); got != c.want {
			t.Errorf("%v at %v: %v, want %v", c.mode, c.s, got, c.want)
		}
	}
}

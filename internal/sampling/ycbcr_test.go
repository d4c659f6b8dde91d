package sampling

import (
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

const (
	cosited  = vk.ChromaLocationCositedEven
	midpoint = vk.ChromaLocationMidpoint
)

// planar makes an image whose component values come from value(component, x, y)
// as codes, x and y in the component's own plane.
func planar(t testing.TB, f vk.Format, w, h uint32, flags vk.ImageCreateFlags, value func(c, x, y int) uint32) *resource.ImageView {
	t.Helper()
	im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: f, Extent: extent(w, h, 1), Flags: flags})
	for c, comp := range im.Info.Components {
		if comp.Kind == format.KindNone {
			continue
		}
		l := im.Level(comp.Plane, 0, 0)
		put := func(x, y, shift int, code uint32) {
			word := uint64(code) << (shift & 7)
			for o := l.Offset(x, y, 0, 0) + shift/8; word != 0; o++ {
				l.Data[o] |= byte(word)
				word >>= 8
			}
		}
		packed := im.Info.BlockWidth > 1
		for y := range l.Height {
			for x := range l.Width {
				switch {
				case packed && c == 1:
					put(x, y, comp.Shift+x&1*4*im.Info.BlockBytes, value(c, x, y))
				case packed && x&1 == 0:
					put(x, y, comp.Shift, value(c, x/2, y))
				case !packed:
					put(x, y, comp.Shift, value(c, x, y))
				}
			}
		}
	}
	return newView(t, im, resource.ViewDesc{})
}

func ycbcrSampler(t testing.TB, f vk.Filter, c resource.YcbcrConversion) *resource.Sampler {
	t.Helper()
	y, err := resource.NewYcbcrConversion(c)
	if err != nil {
		t.Fatal(err)
	}
	return newSampler(t, resource.Sampler{MagFilter: f, MinFilter: f, AddressModeU: edge, AddressModeV: edge, AddressModeW: edge, Ycbcr: y})
}

// chromaRow is the red chroma of a _422 image of 8 columns at luma coordinate u.
func chromaAt(t *testing.T, c resource.YcbcrConversion, luma vk.Filter, u float32) float32 {
	c.Format = vk.FormatG8B8R8_3Plane422Unorm
	v := planar(t, c.Format, 8, 2, 0, func(k, x, _ int) uint32 {
		if k == 0 {
			return [4]uint32{100, 200, 60, 40}[x]
		}
		return uint32(k)
	})
	return 255 * lane1{op: sampleOp(ir.Dim2D), coord: []float32{u / 8, 0.25}}.red(v, ycbcrSampler(t, luma, c))
}

func TestYcbcr_ChromaReconstruction(t *testing.T) {
	rules.Covers(t, "IMG-335", "IMG-337", "IMG-338", "IMG-339", "IMG-341", "IMG-342", "IMG-343", "IMG-344", "IMG-336", "TC-74")
	for _, c := range []struct {
		name string
		conv resource.YcbcrConversion
		want [8]float32
	}{
		{"explicit linear cosited", resource.YcbcrConversion{ForceExplicit: true, ChromaFilter: linear, XChromaOffset: cosited}, [8]float32{100, 150, 200, 130, 60, 50, 40, 40}},
		{"explicit linear midpoint", resource.YcbcrConversion{ForceExplicit: true, ChromaFilter: linear, XChromaOffset: midpoint}, [8]float32{100, 125, 175, 165, 95, 55, 45, 40}},
		{"explicit nearest", resource.YcbcrConversion{ForceExplicit: true, XChromaOffset: cosited}, [8]float32{100, 100, 200, 200, 60, 60, 40, 40}},
		{"implicit linear cosited", resource.YcbcrConversion{ChromaFilter: linear, XChromaOffset: cosited}, [8]float32{100, 150, 200, 130, 60, 50, 40, 40}},
		{"implicit linear midpoint", resource.YcbcrConversion{ChromaFilter: linear, XChromaOffset: midpoint}, [8]float32{100, 125, 175, 165, 95, 55, 45, 40}},
		{"implicit nearest midpoint", resource.YcbcrConversion{XChromaOffset: midpoint}, [8]float32{100, 100, 200, 200, 60, 60, 40, 40}},
		{"implicit nearest cosited", resource.YcbcrConversion{XChromaOffset: cosited}, [8]float32{100, 200, 200, 60, 60, 40, 40, 40}},
	} {
		for x, want := range c.want {
			if got := chromaAt(t, c.conv, nearest, float32(x)+0.5); math.Abs(float64(got-want)) > 1e-4 {
				t.Errorf("%s, column %d: %v, want %v", c.name, x, got, want)
			}
		}
	}
}

// IMG-466 and IMG-362: ordinary formats have levels and any shape, and a conversion that changes nothing leaves
// what a sampler without one gives.
func TestYcbcr_OrdinaryFormats(t *testing.T) {
	rules.Covers(t, "IMG-362", "IMG-466")
	const rgba8 = vk.FormatR8G8B8A8Unorm
	same := resource.YcbcrConversion{Format: rgba8, Model: vk.SamplerYcbcrModelConversionRgbIdentity, Range: vk.SamplerYcbcrRangeItuFull}
	y, err := resource.NewYcbcrConversion(same)
	if err != nil {
		t.Fatal(err)
	}
	sampler := resource.Sampler{MagFilter: linear, MinFilter: linear, MipmapMode: vk.SamplerMipmapModeLinear, AddressModeU: edge, AddressModeV: edge, AddressModeW: edge, MaxLod: 9}
	plain := newSampler(t, sampler)
	sampler.Ycbcr = y
	converted := newSampler(t, sampler)
	for _, c := range []struct {
		dim   ir.ImageDim
		image resource.ImageDesc
		view  vk.ImageViewType
		at    []float32
	}{
		{ir.Dim1D, resource.ImageDesc{Type: vk.ImageType1D, Extent: extent(8, 1, 1)}, vk.ImageViewType1D, []float32{0.3}},
		{ir.Dim2D, resource.ImageDesc{Type: vk.ImageType2D, Extent: extent(8, 8, 1)}, vk.ImageViewType2D, []float32{0.3, 0.6}},
		{ir.Dim3D, resource.ImageDesc{Type: vk.ImageType3D, Extent: extent(8, 8, 8)}, vk.ImageViewType3D, []float32{0.3, 0.6, 0.8}},
		{ir.DimCube, resource.ImageDesc{Type: vk.ImageType2D, Extent: extent(8, 8, 1), ArrayLayers: 6, Flags: vk.ImageCreateCubeCompatibleBit}, vk.ImageViewTypeCube, []float32{0.3, 1, 0.8}},
	} {
		c.image.Format, c.image.MipLevels = rgba8, 2
		im := newImage(t, c.image)
		for i := range im.Data {
			im.Data[i] = byte(i*37 + i>>3)
		}
		v := newView(t, im, resource.ViewDesc{Type: viewType(c.view)})
		for _, lod := range []float32{0, 1. / 256, 0.25, 0.5, 1} {
			x := lane1{op: ir.ImageOp{Kind: ir.ImageSample, Dim: c.dim, Lod: ir.LodExplicit}, coord: c.at, lod: lod, hasLod: true}
			got, want := floats(x.run(v, converted)), floats(x.run(v, plain))
			for k := range want {
				if math.Abs(float64(got[k]-want[k])) > 1e-6 { // codes are divided later here
					t.Errorf("dimension %d, level %v: %v, without a conversion %v", c.dim, lod, got, want)
					break
				}
			}
		}
	}
}

// IMG-345: between luma centres implicit and explicit reconstruction differ.
func TestYcbcr_BetweenCentres(t *testing.T) {
	rules.Covers(t, "IMG-345", "IMG-346", "IMG-071")
	for _, c := range []struct {
		explicit bool
		offset   vk.ChromaLocation
		want     float64
	}{{false, cosited, 151}, {true, cosited, 151}, {false, midpoint, 186}, {true, midpoint, 168}} {
		got := chromaAt(t, resource.YcbcrConversion{ForceExplicit: c.explicit, ChromaFilter: linear, XChromaOffset: c.offset}, linear, 3.2)
		// u = 3.2 snaps to 1/256 of a texel; neighbours differ by 100 at most.
		if math.Abs(float64(got)-c.want) > 0.5*100/256+0.2 {
			t.Errorf("explicit %v, %v: %v, want %v", c.explicit, c.offset, got, c.want)
		}
	}
}

// convert601 samples one texel of Y, CB, CR codes.
func convertCodes(t *testing.T, f vk.Format, c resource.YcbcrConversion, y, cb, cr uint32) [4]float32 {
	c.Format = f
	v := planar(t, f, 2, 2, 0, func(k, _, _ int) uint32 { return [4]uint32{cr, y, cb, 0}[k] })
	return floats(lane1{op: sampleOp(ir.Dim2D), coord: []float32{0.25, 0.25}}.run(v, ycbcrSampler(t, nearest, c)))
}

func TestYcbcr_ModelsAndRanges(t *testing.T) {
	rules.Covers(t, "IMG-351", "IMG-352", "IMG-353", "IMG-354", "IMG-355", "IMG-356", "IMG-358", "IMG-359", "IMG-360", "IMG-361", "IMG-705", "TC-75")
	const m601, m709, m2020 = vk.SamplerYcbcrModelConversionYcbcr601, vk.SamplerYcbcrModelConversionYcbcr709, vk.SamplerYcbcrModelConversionYcbcr2020
	const narrow, full = vk.SamplerYcbcrRangeItuNarrow, vk.SamplerYcbcrRangeItuFull
	for _, c := range []struct {
		m    vk.SamplerYcbcrModelConversion
		r    vk.SamplerYcbcrRange
		in   [3]uint32
		want [3]float64
	}{
		{m601, narrow, [3]uint32{235, 128, 128}, [3]float64{1, 1, 1}},
		{m709, narrow, [3]uint32{235, 128, 128}, [3]float64{1, 1, 1}},
		{m2020, narrow, [3]uint32{235, 128, 128}, [3]float64{1, 1, 1}},
		{m601, narrow, [3]uint32{16, 128, 128}, [3]float64{0, 0, 0}},
		{m601, narrow, [3]uint32{81, 90, 240}, [3]float64{.997804, -.001884, -.003803}},
		{m601, narrow, [3]uint32{145, 54, 34}, [3]float64{.000702, 1.002411, .003648}},
		{m601, narrow, [3]uint32{41, 240, 110}, [3]float64{.001495, -.000527, 1.000155}},
		{m709, narrow, [3]uint32{81, 90, 240}, [3]float64{1.084204, .094520, -.017986}},
		{m2020, narrow, [3]uint32{81, 90, 240}, [3]float64{1.034104, .039042, -.022362}},
		{m601, full, [3]uint32{81, 90, 240}, [3]float64{.933427, .055270, .053584}},
		{m601, full, [3]uint32{255, 255, 255}, [3]float64{1.698251, .472939, 1.882525}},
		{m601, narrow, [3]uint32{255, 128, 128}, [3]float64{1.0913242, 1.0913242, 1.0913242}},
		{vk.SamplerYcbcrModelConversionYcbcrIdentity, full, [3]uint32{255, 128, 255}, [3]float64{1 - .5019607843, 1, 0}},
		{vk.SamplerYcbcrModelConversionRgbIdentity, narrow, [3]uint32{51, 102, 255}, [3]float64{1, .2, .4}},
	} {
		got := convertCodes(t, vk.FormatG8B8R8_3Plane420Unorm, resource.YcbcrConversion{Model: c.m, Range: c.r}, c.in[0], c.in[1], c.in[2])
		for k, want := range c.want {
			if math.Abs(float64(got[k])-want) > 6e-7 { // the table's last digit
				t.Errorf("%v %v %v: %v, want %v", c.m, c.r, c.in, got, c.want)
				break
			}
		}
		if got[3] != 1 {
			t.Errorf("alpha %v", got[3])
		}
	}
	// Offsets and gains for each width (IMG-353, IMG-354).
	for _, c := range []struct {
		f                      vk.Format
		bits                   int
		half, yGain, chromaGen float64
	}{
		{vk.FormatG8B8R8_3Plane444Unorm, 8, .5019607843, 1.1643835616, 1.1383928571},
		{vk.FormatG10X6B10X6R10X6_3Plane444Unorm3Pack16, 10, .5004887586, 1.1678082192, 1.1417410714},
		{vk.FormatG12X4B12X4R12X4_3Plane444Unorm3Pack16, 12, .5001221001, 1.1686643836, 1.1425781250},
		{vk.FormatG16B16R16_3Plane444Unorm, 16, .5000076295, 1.1689319349, 1.1428397042},
	} {
		most := uint32(1)<<c.bits - 1
		id := resource.YcbcrConversion{Model: vk.SamplerYcbcrModelConversionYcbcrIdentity}
		if got := convertCodes(t, c.f, id, 0, 0, 0); math.Abs(float64(got[0])+c.half) > 6e-8 || math.Abs(float64(got[2])+c.half) > 6e-8 {
			t.Errorf("%v full: %v", c.f, got)
		}
		id.Range = narrow
		got := convertCodes(t, c.f, id, most, most, most)
		if math.Abs(float64(got[1])-(c.yGain-0.0730593607)) > 1.2e-7 || math.Abs(float64(got[0])-(c.chromaGen-0.5714285714)) > 1.2e-7 {
			t.Errorf("%v narrow: %v", c.f, got)
		}
	}
}

// The exact result of a conversion of real Y, CB, CR, for the oracle: forward
// matrices undo it (IMG-357).
func TestYcbcr_ForwardMatrices(t *testing.T) {
	rules.Covers(t, "IMG-357")
	r := rand.New(rand.NewPCG(7, 8))
	for _, m := range []struct {
		model  vk.SamplerYcbcrModelConversion
		kr, kb float64
	}{{vk.SamplerYcbcrModelConversionYcbcr601, .299, .114}, {vk.SamplerYcbcrModelConversionYcbcr709, .2126, .0722}, {vk.SamplerYcbcrModelConversionYcbcr2020, .2627, .0593}} {
		for range 1000 {
			in := [3]float64{r.Float64(), r.Float64(), r.Float64()}
			y := m.kr*in[0] + (1-m.kr-m.kb)*in[1] + m.kb*in[2]
			cb, cr := (in[2]-y)/(2*(1-m.kb)), (in[0]-y)/(2*(1-m.kr))
			a, b, c := convertModel(m.model, y, cb, cr)
			if math.Abs(a-in[0]) > 1e-12 || math.Abs(b-in[1]) > 1e-12 || math.Abs(c-in[2]) > 1e-12 {
				t.Fatalf("%v: %v became %v, %v, %v", m.model, in, a, b, c)
			}
			// As codes of 16 bits, of both ranges; half a code is off in each.
			for narrow, k := range [2][2]float64{{65535, 65535}, {219 * 256, 224 * 256}} {
				low, middle := [2]float64{0, 16 * 256}[narrow], 32768.0
				conv := resource.YcbcrConversion{Model: m.model, Range: vk.SamplerYcbcrRange(narrow)}
				code := func(x float64) uint32 { return uint32(min(max(math.RoundToEven(x), 0), 65535)) }
				got := convertCodes(t, vk.FormatG16B16R16_3Plane444Unorm, conv, code(low+y*k[0]), code(middle+cb*k[1]), code(middle+cr*k[1]))
				for i := range in {
					if math.Abs(float64(got[i])-in[i]) > 1.5/k[0]+1e-6 {
						t.Fatalf("%v, range %d: %v became %v", m.model, narrow, in, got)
					}
				}
			}
		}
	}
}

// Every format that has chroma of its own: planes and their order (IMG-256),
// sizes (IMG-046), the swapped mapping, and both ways to bind memory.
func TestYcbcr_EveryFormat(t *testing.T) {
	rules.Covers(t, "IMG-046", "IMG-047", "IMG-251", "IMG-256", "IMG-326", "IMG-340", "IMG-362")
	for _, f := range format.All() {
		info, _ := format.Lookup(f)
		if info.Supported() != nil || info.Chroma == "" {
			continue
		}
		bits := info.Components[1].Bits
		scale := func(k, x, y int) uint32 { // 8 bits and what is left of the texel's place
			return uint32(1<<(bits-8))*uint32(16*(k+1)+4*x+y) + uint32(x)
		}
		flags := []vk.ImageCreateFlags{0}
		if info.MultiPlanar() {
			flags = append(flags, vk.ImageCreateDisjointBit)
		}
		for _, flag := range flags {
			v := planar(t, f, 4, 4, flag, scale)
			div := [2]int{1, 1}
			if info.Chroma != "444" {
				div[0] = 2
			}
			if info.Chroma == "420" {
				div[1] = 2
			}
			for _, swap := range []bool{false, true} {
				conv := resource.YcbcrConversion{Format: f, ForceExplicit: true}
				if swap {
					conv.Components.R, conv.Components.B = vk.ComponentSwizzleB, vk.ComponentSwizzleR
				}
				s := ycbcrSampler(t, nearest, conv)
				for y := range 4 {
					for x := range 4 {
						got := floats(lane1{op: sampleOp(ir.Dim2D), coord: []float32{(float32(x) + .5) / 4, (float32(y) + .5) / 4}}.run(v, s))
						for k := range 3 {
							from := k
							if swap && k != 1 {
								from = 2 - k
							}
							i, j := x, y
							if from != 1 {
								i, j = x/div[0], y/div[1]
							}
							if want := float32(float64(scale(from, i, j)) / float64(uint32(1)<<bits-1)); got[k] != want {
								t.Fatalf("%v flags %v swap %v (%d,%d) component %d: %v, want %v", f, flag, swap, x, y, k, got[k], want)
							}
						}
					}
				}
			}
		}
	}
}

// The oracle: implicit and explicit reconstruction in binary64, as §14 says, for
// random images, coordinates and conversions.
func TestYcbcr_Oracle(t *testing.T) {
	t.Parallel()
	rules.Covers(t, "IMG-071", "IMG-335", "IMG-337", "IMG-338", "IMG-339", "IMG-340", "IMG-341", "IMG-342", "IMG-343", "IMG-344", "IMG-345", "IMG-346", "IMG-359")
	e := rules.Measure(rules.Row{Part: "Image operations", Rules: "IMG-337 – IMG-359", What: "Y′CBCR: chroma reconstruction, range expansion and model conversion", Unit: "½ ulp of binary32 + 2⁻⁴⁴", Bound: 1,
		Why: "Sums of weights times codes are exact in binary64; range and model are ten operations in binary64 on numbers below 4; one rounding to binary32."})
	r := rand.New(rand.NewPCG(9, 10))
	var all []*format.Info
	for _, f := range format.All() {
		if info := mustInfo(f); info.Supported() == nil && info.Chroma != "" {
			all = append(all, info)
		}
	}
	for n := range rules.Cases(8000, 200_000) {
		info := all[n%len(all)]
		f, bits := info.Format, info.Components[1].Bits
		half := [2]bool{info.Chroma == "420" || info.Chroma == "422", info.Chroma == "420"}
		conv := resource.YcbcrConversion{Format: f, Model: vk.SamplerYcbcrModelConversion(r.IntN(5)), Range: vk.SamplerYcbcrRange(r.IntN(2)),
			XChromaOffset: vk.ChromaLocation(r.IntN(2)), YChromaOffset: vk.ChromaLocation(r.IntN(2)), ChromaFilter: vk.Filter(r.IntN(2)), ForceExplicit: r.IntN(2) == 1}
		var codes [4][6][8]float64
		v := planar(t, f, 8, 6, 0, func(k, x, y int) uint32 {
			c := uint32(r.IntN(1 << bits))
			codes[k][y][x] = float64(c)
			return c
		})
		filter := vk.Filter(r.IntN(2))
		// Coordinates that are exact in 1/256 texels of luma and chroma.
		u, w := float64(r.IntN(8*128)-64)/128, float64(r.IntN(6*128)-64)/128
		want := ycbcrOracle(&codes, &conv, filter == linear, u, w, half, bits)
		// Heights of 6 make t inexact; half a sub-texel step moves the result.
		got := floats(lane1{op: ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D, Lod: ir.LodExplicit}, coord: []float32{float32(u / 8), float32(w / 6)}}.run(v, ycbcrSampler(t, filter, conv)))
		for k := range 3 {
			d := math.Abs(float64(got[k])-want[k]) / (ulp32(want[k])/2 + 0x1p-44)
			if d > 1 && nearBoundary(w) && nearBoundary(w/2) {
				continue
			}
			e.Add(d, func() string {
				return fmt.Sprintf("%d: %+v, filter %v at (%v, %v): %v, want %v", n, conv, filter, u, w, got, want)
			})
		}
	}
	e.Done(t, 1000)
}

// nearBoundary says that the rounding of t·6 may choose another texel.
func nearBoundary(v float64) bool { return v*256 == math.Floor(v*256) }

func ycbcrOracle(codes *[4][6][8]float64, c *resource.YcbcrConversion, linearLuma bool, u, v float64, half [2]bool, bits int) [3]float64 {
	at := func(k, w, h, x, y int) float64 { return codes[k][min(max(y, 0), h-1)][min(max(x, 0), w-1)] }
	bilinear := func(f func(x, y int) float64, lin bool, u, v float64) float64 {
		if !lin {
			return f(int(math.Floor(u)), int(math.Floor(v)))
		}
		x, y := math.Floor(u-.5), math.Floor(v-.5)
		a, b := u-.5-x, v-.5-y
		i, j := int(x), int(y)
		return (f(i, j)*(1-a)+f(i+1, j)*a)*(1-b) + (f(i, j+1)*(1-a)+f(i+1, j+1)*a)*b
	}
	cw, ch := 8, 6
	if half[0] {
		cw = 4
	}
	if half[1] {
		ch = 3
	}
	chroma := c.ChromaFilter == linear
	if !half[0] { // nothing to reconstruct
		chroma = linearLuma
	}
	offset := func(l vk.ChromaLocation) float64 {
		if l == midpoint {
			return .5
		}
		return 0
	}
	var x [3]float64
	for k := range x {
		switch {
		case k == 1:
			x[k] = bilinear(func(i, j int) float64 { return at(k, 8, 6, i, j) }, linearLuma, u, v)
		case c.ForceExplicit && half[0]:
			x[k] = bilinear(func(i, j int) float64 {
				i, j = min(max(i, 0), 7), min(max(j, 0), 5)
				place := func(i int, half bool, l vk.ChromaLocation) float64 {
					switch {
					case !half:
						return float64(i)
					case chroma:
						return .5 * (float64(i) - offset(l))
					}
					return float64(i) / 2
				}
				at := func(i, j int) float64 { return at(k, cw, ch, i, j) }
				return bilinear(at, chroma, place(i, half[0], c.XChromaOffset)+.5*lin(c), place(j, half[1], c.YChromaOffset)+.5*lin(c))
			}, linearLuma, u, v)
		default:
			cu, cv := u, v
			if half[0] {
				cu = .5 * (u + .5 - offset(c.XChromaOffset))
			}
			if half[1] {
				cv = .5 * (v + .5 - offset(c.YChromaOffset))
			}
			x[k] = bilinear(func(i, j int) float64 { return at(k, cw, ch, i, j) }, chroma, cu, cv)
		}
	}
	most, unit := float64(int(1)<<bits-1), float64(int(1)<<(bits-8))
	if c.Model == vk.SamplerYcbcrModelConversionRgbIdentity {
		return [3]float64{x[0] / most, x[1] / most, x[2] / most}
	}
	y, cb, cr := x[1]/most, (x[2]-128*unit)/most, (x[0]-128*unit)/most
	if c.Range == vk.SamplerYcbcrRangeItuNarrow {
		y, cb, cr = (x[1]/unit-16)/219, (x[2]/unit-128)/224, (x[0]/unit-128)/224
	}
	var m [3][3]float64 // rows R, G, B of y, cb, cr (IMG-356's table)
	switch c.Model {
	case vk.SamplerYcbcrModelConversionYcbcr601:
		m = [3][3]float64{{1, 0, 1.402}, {1, -0.202008 / 0.587, -0.419198 / 0.587}, {1, 1.772, 0}}
	case vk.SamplerYcbcrModelConversionYcbcr709:
		m = [3][3]float64{{1, 0, 1.5748}, {1, -0.13397432 / 0.7152, -0.33480248 / 0.7152}, {1, 1.8556, 0}}
	case vk.SamplerYcbcrModelConversionYcbcr2020:
		m = [3][3]float64{{1, 0, 1.4746}, {1, -0.11156702 / 0.6780, -0.38737742 / 0.6780}, {1, 1.8814, 0}}
	default:
		return [3]float64{cr, y, cb}
	}
	var out [3]float64
	for k := range out {
		out[k] = m[k][0]*y + m[k][1]*cb + m[k][2]*cr
	}
	return out
}

func lin(c *resource.YcbcrConversion) float64 {
	if c.ChromaFilter == linear {
		return 1
	}
	return 0
}

// IMG-350: degamma before everything else, of 8-bit codes.
func TestYcbcr_Degamma(t *testing.T) {
	rules.Covers(t, "IMG-350")
	c := resource.YcbcrConversion{YDegamma: true}
	if got := convertCodes(t, vk.FormatG8B8R8_3Plane444Unorm, c, 188, 127, 127); math.Abs(float64(got[1])-.502886458) > 1e-7 || math.Abs(float64(got[0])-127./255) > 1e-7 {
		t.Errorf("Y degamma: %v", got)
	}
	c = resource.YcbcrConversion{CbCrDegamma: true}
	if got := convertCodes(t, vk.FormatG8B8R8_3Plane444Unorm, c, 188, 127, 128); math.Abs(float64(got[1])-188./255) > 1e-7 || math.Abs(float64(got[2])-.212230757) > 1e-7 || math.Abs(float64(got[0])-.2158605) > 1e-7 {
		t.Errorf("CB, CR degamma: %v", got)
	}
}

// Coordinates from hell, and instructions that a conversion does not allow
// (IMG-160…162): nothing panics, nothing is read outside.
func TestYcbcr_Hostile(t *testing.T) {
	hard := []float32{nan, inf, -inf, 3e38, -3e38, 0, 1, -0.001, 1.001, 1e-45}
	for _, f := range format.All() {
		info, _ := format.Lookup(f)
		if info.Supported() != nil || !info.NeedsConversion() {
			continue
		}
		v := planar(t, f, 2, 2, 0, func(int, int, int) uint32 { return 1 })
		for _, force := range []bool{false, true} {
			s := ycbcrSampler(t, linear, resource.YcbcrConversion{Format: f, ForceExplicit: force, ChromaFilter: linear})
			for _, x := range hard {
				for _, y := range hard {
					for _, op := range []ir.ImageOp{sampleOp(ir.Dim2D), {Kind: ir.ImageGather, Dim: ir.Dim2D}, sampleOp(ir.Dim3D), sampleOp(ir.DimCube)} {
						got := floats(lane1{op: op, coord: []float32{x, y, 0}}.run(v, s))
						for _, g := range got {
							if g != g {
								t.Fatalf("%v at (%v, %v): %v", f, x, y, got)
							}
						}
					}
				}
			}
		}
		for i := int32(-2); i < 4; i++ {
			lane1{op: ir.ImageOp{Kind: ir.ImageFetch, Dim: ir.Dim2D}, icoord: []int32{i, 3 - i}}.run(v, nil)
			lane1{op: ir.ImageOp{Kind: ir.ImageWrite, Dim: ir.Dim2D}, icoord: []int32{i, i}, texel: []uint32{1, 2, 3, 4}}.run(v, nil)
			lane1{op: sampleOp(ir.Dim2D), coord: []float32{float32(i), 0}}.run(v, newSampler(t, resource.Sampler{MagFilter: linear, MinFilter: linear}))
		}
	}
}

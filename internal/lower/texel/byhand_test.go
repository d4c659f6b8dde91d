package texel

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	ref "github.com/pumice-gpu/pumice/internal/sampling"
	"github.com/pumice-gpu/pumice/vk"
)

// byHand runs an instruction on the reference, and as a routine on every engine, for
// lanes that want results known beforehand.
func byHand(t *testing.T, what string, a *ref.Args, v *resource.ImageView, s *resource.Sampler, want [][4]uint32) {
	t.Helper()
	n := len(want)
	ways := []struct {
		name string
		run  func() string
	}{{"reference", func() string { ref.Run(a, v, s, n); return "" }}}
	units := append(unitsOf(64), &Unit{Engine: &plainEngine{keys: map[Key]bool{}}})
	units[len(units)-1].Sites(1, 64)
	for i, u := range units {
		name := []string{"vm", "native", "operation by operation"}[i]
		ways = append(ways, struct {
			name string
			run  func() string
		}{name, func() string {
			u.Run(0, a, v, s, n)
			if !u.Routed() {
				return ", which it is not"
			}
			return ""
		}})
	}
	for _, w := range ways {
		results(a, n)
		how := w.name + w.run()
		for lane, x := range want {
			for c := range a.Op.Results {
				if got := a.Out[c][lane]; got != x[c] {
					t.Fatalf("%s, %s, lane %d, component %d: %#x (%v), want %#x (%v)", what, how, lane, c, got, math.Float32frombits(got), x[c], math.Float32frombits(x[c]))
				}
			}
		}
	}
}

// named is a view whose texels of 32 bits tell where they are: level, layer of the image, z, y and x, in decimal digits, and 1.
func named(t *testing.T, d resource.ImageDesc, v resource.ViewDesc, kind vk.ImageViewType) *resource.ImageView {
	t.Helper()
	im := must(resource.NewImage(d))
	data := make([]byte, im.Layout.Size)
	if err := im.Bind(data); err != nil {
		t.Fatal(err)
	}
	for level := range int(d.MipLevels) {
		for layer := range int(d.ArrayLayers) {
			l := im.Level(0, level, layer)
			for z := range l.Depth {
				for y := range l.Height {
					for x := range l.Width {
						for n := range l.Samples {
							binary.LittleEndian.PutUint32(l.Data[l.Offset(x, y, z, n):], math.Float32bits(nameOf(level, layer, z, y, x, n)))
						}
					}
				}
			}
		}
	}
	v.Type = &kind
	return must(resource.NewView(im, v))
}

func nameOf(level, layer, z, y, x, sample int) float32 {
	return float32(1 + x + 10*y + 100*z + 1000*layer + 10000*level + 100000*sample)
}

func red(f float32) [4]uint32 { return [4]uint32{math.Float32bits(f), 0, 0, 0x3F800000} }

// A gather reads the view's base level, whatever the coordinates of its quad are.
func TestByHand_IMG401_GathersHaveNoDerivatives(t *testing.T) {
	rules.Covers(t, "IMG-401", "IMG-516", "IMG-520")
	for base := range uint32(2) {
		v := named(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR32Sfloat, Extent: extent(8, 8, 1), MipLevels: 4, ArrayLayers: 1}, resource.ViewDesc{Range: vk.ImageSubresourceRange{BaseMipLevel: base}}, vk.ImageViewType2D)
		for _, min := range []float32{0, 2} {
			s := must(resource.NewSampler(resource.Sampler{MagFilter: vk.FilterLinear, MinFilter: vk.FilterLinear, MipmapMode: vk.SamplerMipmapModeLinear, MinLod: min, MaxLod: 9, MipLodBias: 1}))
			a := &ref.Args{Op: &ir.ImageOp{Kind: ir.ImageGather, Dim: ir.Dim2D, Coords: 2, GradCoords: 2, Results: 4}, Quads: true}
			var want [][4]uint32
			n := 8 >> base
			for i := range 4 {
				x, y := n/2*(i&1), n/2*(i>>1)
				for d, c := range [2]int{x, y} {
					a.Coord[d] = append(a.Coord[d], math.Float32bits(float32(c+1)/float32(n)))
				}
				at := func(x, y int) uint32 { return math.Float32bits(nameOf(int(base), 0, 0, y, x, 0)) }
				want = append(want, [4]uint32{at(x, y+1), at(x+1, y+1), at(x+1, y), at(x, y)})
			}
			byHand(t, fmt.Sprintf("base %d, least level %v", base, min), a, v, s, want)
		}
	}
}

// Fetches of texels that are not there: beyond each end of each coordinate, of layers and samples of the view.
func TestByHand_IMG200_Ends(t *testing.T) {
	rules.Covers(t, "IMG-200", "IMG-201", "IMG-203", "IMG-300")
	ends := func(n int) []int { return []int{0, n - 1, n, -1, math.MinInt32, math.MaxInt32} }
	for _, c := range []struct {
		what    string
		op      ir.ImageOp
		desc    resource.ImageDesc
		view    resource.ViewDesc
		kind    vk.ImageViewType
		size    [3]int // x, y, z or layer
		samples int
	}{
		{"1D", ir.ImageOp{Dim: ir.Dim1D, Coords: 1}, resource.ImageDesc{Type: vk.ImageType1D, Extent: extent(5, 1, 1)}, resource.ViewDesc{}, vk.ImageViewType1D, [3]int{5}, 1},
		{"2D", ir.ImageOp{Dim: ir.Dim2D, Coords: 2}, resource.ImageDesc{Type: vk.ImageType2D, Extent: extent(5, 3, 1)}, resource.ViewDesc{}, vk.ImageViewType2D, [3]int{5, 3}, 1},
		{"3D", ir.ImageOp{Dim: ir.Dim3D, Coords: 3}, resource.ImageDesc{Type: vk.ImageType3D, Extent: extent(5, 3, 4)}, resource.ViewDesc{}, vk.ImageViewType3D, [3]int{5, 3, 4}, 1},
		{"array", ir.ImageOp{Dim: ir.Dim2D, Coords: 3, Arrayed: true}, resource.ImageDesc{Type: vk.ImageType2D, Extent: extent(5, 3, 1), ArrayLayers: 4}, resource.ViewDesc{Range: vk.ImageSubresourceRange{BaseArrayLayer: 1, LayerCount: 2}}, vk.ImageViewType2DArray, [3]int{5, 3, 2}, 1},
		{"1D array", ir.ImageOp{Dim: ir.Dim1D, Coords: 2, Arrayed: true}, resource.ImageDesc{Type: vk.ImageType1D, Extent: extent(5, 1, 1), ArrayLayers: 4}, resource.ViewDesc{Range: vk.ImageSubresourceRange{BaseArrayLayer: 1, LayerCount: 2}}, vk.ImageViewType1DArray, [3]int{5, 2}, 1},
		{"samples", ir.ImageOp{Dim: ir.Dim2D, Coords: 2, MS: true, HasSample: true}, resource.ImageDesc{Type: vk.ImageType2D, Extent: extent(5, 3, 1), Samples: 4}, resource.ViewDesc{}, vk.ImageViewType2D, [3]int{5, 3}, 4},
		{"samples of layers", ir.ImageOp{Dim: ir.Dim2D, Coords: 3, Arrayed: true, MS: true, HasSample: true}, resource.ImageDesc{Type: vk.ImageType2D, Extent: extent(5, 3, 1), Samples: 2, ArrayLayers: 4}, resource.ViewDesc{Range: vk.ImageSubresourceRange{BaseArrayLayer: 1, LayerCount: 2}}, vk.ImageViewType2DArray, [3]int{5, 3, 2}, 2},
	} {
		c.desc.Format, c.desc.MipLevels, c.desc.ArrayLayers, c.desc.Samples = vk.FormatR32Sfloat, 1, max(c.desc.ArrayLayers, 1), max(c.desc.Samples, 1)
		c.op.Kind, c.op.Results = ir.ImageFetch, 4
		v := named(t, c.desc, c.view, c.kind)
		lists := [4][]int{{0}, {0}, {0}, {0}}
		for d := range c.op.Coords {
			lists[d] = ends(c.size[d])
		}
		if c.samples > 1 {
			lists[3] = ends(c.samples)
		}
		a, want := &ref.Args{Op: &c.op}, [][4]uint32(nil)
		flush := func() {
			if len(want) > 0 {
				byHand(t, c.what, a, v, nil, want)
			}
			a, want = &ref.Args{Op: &c.op}, nil
		}
		for _, x := range lists[0] {
			for _, y := range lists[1] {
				for _, z := range lists[2] {
					for _, n := range lists[3] {
						in, at := true, [3]int{x, y, z}
						for d := range c.op.Coords {
							a.Coord[d] = append(a.Coord[d], uint32(int32(at[d])))
							in = in && at[d] >= 0 && at[d] < c.size[d]
						}
						if c.samples > 1 {
							a.SampleIndex = append(a.SampleIndex, uint32(int32(n)))
							in = in && n >= 0 && n < c.samples
						}
						w := red(0)
						if in {
							layer := 0
							if c.op.Arrayed {
								layer, at[c.op.Coords-1] = 1+at[c.op.Coords-1], 0
							}
							w = red(nameOf(0, layer, at[2], at[1], at[0], n))
						}
						if want = append(want, w); len(want) == 64 {
							flush()
						}
					}
				}
			}
		}
		flush()
	}
}

// What a comparison gives is swizzled like (result, 0, 0, 1).
func TestByHand_IMG317_SwizzledComparisons(t *testing.T) {
	rules.Covers(t, "IMG-317", "IMG-325", "IMG-329")
	words := func(x float32) []uint32 { return []uint32{math.Float32bits(x)} }
	for swizzle, x := range map[vk.ComponentSwizzle][2]uint32{ // failed, passed
		vk.ComponentSwizzleR: {0, 0x3F800000}, vk.ComponentSwizzleG: {0, 0}, vk.ComponentSwizzleB: {0, 0},
		vk.ComponentSwizzleA: {0x3F800000, 0x3F800000}, vk.ComponentSwizzleZero: {0, 0}, vk.ComponentSwizzleOne: {0x3F800000, 0x3F800000},
	} {
		// 1 12 / 11 … : depths by their names, of which the first is less than the reference.
		v := named(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatD32Sfloat, Extent: extent(2, 2, 1), MipLevels: 1, ArrayLayers: 1},
			resource.ViewDesc{Components: vk.ComponentMapping{R: swizzle, G: vk.ComponentSwizzleR, B: vk.ComponentSwizzleR, A: vk.ComponentSwizzleR}}, vk.ImageViewType2D)
		for _, filter := range []vk.Filter{vk.FilterNearest, vk.FilterLinear} {
			s := must(resource.NewSampler(resource.Sampler{MagFilter: filter, MinFilter: filter, CompareEnable: true, CompareOp: vk.CompareOpLess}))
			gather := &ref.Args{Op: &ir.ImageOp{Kind: ir.ImageGather, Dim: ir.Dim2D, Coords: 2, GradCoords: 2, Results: 4, Dref: true}}
			gather.Coord[0], gather.Coord[1], gather.Dref = words(.5), words(.5), words(5)
			byHand(t, fmt.Sprintf("gather, %v", swizzle), gather, v, s, [][4]uint32{{x[1], x[1], x[0], x[0]}})
			for i, at := range []float32{.25, .75} {
				sample := &ref.Args{Op: &ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D, Coords: 2, GradCoords: 2, Results: 1, Dref: true, Lod: ir.LodZero}}
				sample.Coord[0], sample.Coord[1], sample.Dref = words(.25), words(at), words(5)
				byHand(t, fmt.Sprintf("%v, %v", filter, swizzle), sample, v, s, [][4]uint32{{x[i]}})
			}
		}
	}
}

// Every code, filtered between texels that have it: its value, correctly rounded.
func TestByHand_IMG534_EveryCode(t *testing.T) {
	rules.Covers(t, "IMG-534", "IMG-241", "IMG-242")
	for _, f := range []struct {
		format vk.Format
		bits   int
		signed bool
	}{{vk.FormatR8Unorm, 8, false}, {vk.FormatR8Snorm, 8, true}, {vk.FormatR8G8B8A8Unorm, 8, false}, {vk.FormatR8G8Snorm, 8, true}, {vk.FormatR16Unorm, 16, false}, {vk.FormatR16G16Snorm, 16, true}} {
		for _, dims := range []int{1, 2} {
			count, step := 1<<f.bits, 1
			if f.bits == 16 {
				step = 97
			}
			desc := resource.ImageDesc{Type: vk.ImageType1D, Format: f.format, Extent: extent(128, 1, 1), MipLevels: 1, ArrayLayers: 1}
			kind, op := vk.ImageViewType1D, ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim1D, Coords: dims, GradCoords: dims, Results: 1, Lod: ir.LodZero}
			if dims == 2 {
				desc.Type, desc.Extent.Height, kind, op.Dim = vk.ImageType2D, 2, vk.ImageViewType2D, ir.Dim2D
			}
			for first := 0; first < count; first += 64 * step {
				im := must(resource.NewImage(desc))
				data := make([]byte, (im.Layout.Size+3)&^3)
				if err := im.Bind(data[:im.Layout.Size]); err != nil {
					t.Fatal(err)
				}
				l := im.Level(0, 0, 0)
				a, want := &ref.Args{Op: &op}, [][4]uint32(nil)
				for i := range 64 {
					code := (first + i*step) % count
					for y := range l.Height {
						for x := 2 * i; x < 2*i+2; x++ {
							for k := 0; k < l.Bytes; k += f.bits / 8 {
								at := l.Data[l.Offset(x, y, 0, 0)+k:]
								if f.bits == 8 {
									at[0] = byte(code)
								} else {
									binary.LittleEndian.PutUint16(at, uint16(code))
								}
							}
						}
					}
					number := float64(code) / float64(count-1)
					if f.signed {
						c := code
						if code >= count/2 {
							c -= count
						}
						number = max(float64(c)/float64(count/2-1), -1)
					}
					want = append(want, [4]uint32{math.Float32bits(float32(number))})
					a.Coord[0] = append(a.Coord[0], math.Float32bits(float32(2*i+1)/128))
					if dims == 2 {
						a.Coord[1] = append(a.Coord[1], math.Float32bits(.4375)) // 3/8 of the second row
					}
				}
				s := must(resource.NewSampler(resource.Sampler{MagFilter: vk.FilterLinear, MinFilter: vk.FilterLinear}))
				byHand(t, fmt.Sprintf("%v in %d dimensions", f.format, dims), a, must(resource.NewView(im, resource.ViewDesc{Type: &kind})), s, want)
			}
		}
	}
}

// Scaled formats are integers that read as floats, and are summed as those; an instruction whose texels are integers gets these.
func TestByHand_IMG243_Scaled(t *testing.T) {
	rules.Covers(t, "IMG-002", "IMG-010", "IMG-243", "IMG-258")
	for _, c := range []struct {
		format vk.Format
		texels [2]uint32 // their bytes
		floats [2][4]float32
		middle [4]float32 // of both
		ints   [2][4]int32
		result ir.Class
	}{
		{vk.FormatR8Uscaled, [2]uint32{200, 255}, [2][4]float32{{200, 0, 0, 1}, {255, 0, 0, 1}}, [4]float32{227.5, 0, 0, 1}, [2][4]int32{{200, 0, 0, 1}, {255, 0, 0, 1}}, ir.ClassUint},
		{vk.FormatB8G8R8A8Sscaled, [2]uint32{0x80FF7F01, 0x00010203}, [2][4]float32{{-1, 127, 1, -128}, {1, 2, 3, 0}}, [4]float32{0, 64.5, 2, -64}, [2][4]int32{{-1, 127, 1, -128}, {1, 2, 3, 0}}, ir.ClassSint},
		{vk.FormatA2R10G10B10SscaledPack32, [2]uint32{3<<30 | 0x200<<20 | 511<<10 | 5, 1<<30 | 2<<20 | 0x3FF<<10 | 7},
			[2][4]float32{{-512, 511, 5, -1}, {2, -1, 7, 1}}, [4]float32{-255, 255, 6, 0}, [2][4]int32{{-512, 511, 5, -1}, {2, -1, 7, 1}}, ir.ClassSint},
		{vk.FormatR16G16Uscaled, [2]uint32{65535<<16 | 1, 2}, [2][4]float32{{1, 65535, 0, 1}, {2, 0, 0, 1}}, [4]float32{1.5, 32767.5, 0, 1}, [2][4]int32{{1, 65535, 0, 1}, {2, 0, 0, 1}}, ir.ClassUint},
	} {
		im := must(resource.NewImage(resource.ImageDesc{Type: vk.ImageType2D, Format: c.format, Extent: extent(2, 1, 1), MipLevels: 1, ArrayLayers: 1}))
		data := make([]byte, im.Layout.Size+4)
		for i, x := range c.texels {
			binary.LittleEndian.PutUint32(data[i*im.Info.BlockBytes:], x)
		}
		if err := im.Bind(data[:im.Layout.Size]); err != nil {
			t.Fatal(err)
		}
		v := must(resource.NewView(im, resource.ViewDesc{}))
		bits := func(f [4]float32) (w [4]uint32) {
			for i, x := range f {
				w[i] = math.Float32bits(x)
			}
			return w
		}
		signed := func(n [4]int32) (w [4]uint32) {
			for i, x := range n {
				w[i] = uint32(x)
			}
			return w
		}
		coords := [2][]uint32{{math.Float32bits(0.25), math.Float32bits(0.75), math.Float32bits(0.5)}, {0x3F000000, 0x3F000000, 0x3F000000}}
		linear := must(resource.NewSampler(resource.Sampler{MagFilter: vk.FilterLinear, MinFilter: vk.FilterLinear}))
		a := &ref.Args{Op: &ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D, Coords: 2, GradCoords: 2, Lod: ir.LodZero, Results: 4}}
		a.Coord[0], a.Coord[1] = coords[0], coords[1]
		byHand(t, c.format.String()+", linear", a, v, linear, [][4]uint32{bits(c.floats[0]), bits(c.floats[1]), bits(c.middle)})

		nearest := must(resource.NewSampler(resource.Sampler{}))
		a = &ref.Args{Op: &ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D, Coords: 2, GradCoords: 2, Lod: ir.LodZero, Results: 4, Result: c.result}}
		a.Coord[0], a.Coord[1] = coords[0], coords[1]
		byHand(t, c.format.String()+", integers", a, v, nearest, [][4]uint32{signed(c.ints[0]), signed(c.ints[1]), signed(c.ints[1])})

		a = &ref.Args{Op: &ir.ImageOp{Kind: ir.ImageFetch, Dim: ir.Dim2D, Coords: 2, Results: 4, Result: c.result}}
		a.Coord[0], a.Coord[1] = []uint32{1, 0}, []uint32{0, 0}
		byHand(t, c.format.String()+", integers fetched", a, v, nil, [][4]uint32{signed(c.ints[1]), signed(c.ints[0])})
		var x Inlined
		if want := im.Info.Unscaled().Format; !x.Find(a.Op, v, nil) || x.Key.Format != want {
			t.Errorf("%v: inlined as %v, want %v", c.format, x.Key.Format, want)
		}
	}
}

// Minima and maxima go through the view's swizzle as sums do (filterMinmaxImageComponentMapping), of every kind of number.
func TestByHand_IMG330_SwizzledExtrema(t *testing.T) {
	rules.Covers(t, "IMG-330", "IMG-550")
	mapping := vk.ComponentMapping{R: vk.ComponentSwizzleB, G: vk.ComponentSwizzleOne, B: vk.ComponentSwizzleR, A: vk.ComponentSwizzleG}
	f := math.Float32bits
	for _, c := range []struct {
		format   vk.Format
		texels   [2]uint32
		min, max [4]uint32
		result   ir.Class
	}{
		{vk.FormatR8G8B8A8Sscaled, [2]uint32{0x0403FE01, 0xF80706FB}, // 1, -2, 3, 4 and -5, 6, 7, -8
			[4]uint32{f(3), f(1), f(-5), f(-2)}, [4]uint32{f(7), f(1), f(1), f(6)}, ir.ClassFloat},
		{vk.FormatR8G8B8A8Uint, [2]uint32{0x0403FE01, 0xF80706FB}, [4]uint32{3, 1, 1, 6}, [4]uint32{7, 1, 0xFB, 0xFE}, ir.ClassUint},
		{vk.FormatB8G8R8A8Sint, [2]uint32{0x0403FE01, 0xF80706FB}, // blue 1, green -2, red 3 and -5, 6, 7
			[4]uint32{0xFFFFFFFB, 1, 3, 0xFFFFFFFE}, [4]uint32{1, 1, 7, 6}, ir.ClassSint},
		{vk.FormatD32Sfloat, [2]uint32{f(0.25), f(0.5)}, [4]uint32{0, f(1), f(0.25), 0}, [4]uint32{0, f(1), f(0.5), 0}, ir.ClassFloat},
	} {
		im := must(resource.NewImage(resource.ImageDesc{Type: vk.ImageType2D, Format: c.format, Extent: extent(2, 1, 1), MipLevels: 1, ArrayLayers: 1}))
		data := make([]byte, im.Layout.Size)
		binary.LittleEndian.PutUint32(data, c.texels[0])
		binary.LittleEndian.PutUint32(data[4:], c.texels[1])
		if err := im.Bind(data); err != nil {
			t.Fatal(err)
		}
		v := must(resource.NewView(im, resource.ViewDesc{Components: mapping}))
		for mode, want := range map[vk.SamplerReductionMode][4]uint32{vk.SamplerReductionModeMin: c.min, vk.SamplerReductionModeMax: c.max} {
			s := must(resource.NewSampler(resource.Sampler{MagFilter: vk.FilterLinear, MinFilter: vk.FilterLinear, Reduction: mode}))
			a := &ref.Args{Op: &ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D, Coords: 2, GradCoords: 2, Lod: ir.LodZero, Results: 4, Result: c.result}}
			a.Coord[0], a.Coord[1] = []uint32{f(0.5)}, []uint32{f(0.5)}
			byHand(t, fmt.Sprint(c.format, ", ", mode), a, v, s, [][4]uint32{want})
		}
	}
}

// A view decodes ASTC blocks to the precision that it asks for (VK_EXT_astc_decode_mode), and takes no other view's texels: the
// block is one of void extent, whose components are fractions of 65535.
func TestByHand_IMG878_DecodeModes(t *testing.T) {
	rules.Covers(t, "IMG-878")
	f := math.Float32bits
	im := must(resource.NewImage(resource.ImageDesc{
		Type: vk.ImageType2D, Format: vk.FormatAstc4x4UnormBlock, Extent: extent(4, 4, 1), MipLevels: 1, ArrayLayers: 1,
	}))
	data := make([]byte, im.Layout.Size)
	for i, v := range [8]uint16{0xFDFC, 0xFFFF, 0xFFFF, 0xFFFF, 0x4000, 0x8000, 0xFFFF, 0x8123} {
		binary.LittleEndian.PutUint16(data[2*i:], v)
	}
	if err := im.Bind(data); err != nil {
		t.Fatal(err)
	}
	nearest := must(resource.NewSampler(resource.Sampler{}))
	for range 2 {
		for mode, want := range map[vk.Format][4]uint32{
			vk.FormatUndefined:            {f(0.25), f(0.5), f(1), f(0x8120p-16)},                                         // 11 bits of a half
			vk.FormatR8G8B8A8Unorm:        {f(float32(0x40) / 255), f(float32(0x80) / 255), f(1), f(float32(0x81) / 255)}, // the top 8 bits
			vk.FormatE5B9G9R9UfloatPack32: {f(0.25), f(0.5), f(1), f(1)},                                                  // no alpha
			vk.FormatR16G16B16A16Sfloat:   {f(0.25), f(0.5), f(1), f(0x8120p-16)},
		} {
			v := must(resource.NewView(im, resource.ViewDesc{DecodeMode: mode}))
			a := &ref.Args{Op: &ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D, Coords: 2, GradCoords: 2, Lod: ir.LodZero, Results: 4}}
			a.Coord[0], a.Coord[1] = []uint32{f(0.5)}, []uint32{f(0.5)}
			byHand(t, mode.String(), a, v, nearest, [][4]uint32{want})
		}
	}
}

package sampling

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// eachFormat calls f with each format of everyLayout that needs no conversion, and a row of texels of it.
func eachFormat(t *testing.T, f func(info *format.Info, l *layout, r *fieldTexels)) {
	t.Helper()
	for _, l := range everyLayout {
		for _, numeric := range strings.Fields(l.numerics) {
			if info := named(t, l.prefix+"_"+numeric+l.suffix); !info.NeedsConversion() {
				r := l.texels(numeric)
				f(info, &l, &r)
			}
		}
	}
}

// without clears the components from n on in a texel.
func (l *layout) without(texel []byte, n int) []byte {
	out, at := bytes.Clone(texel), 0
	for _, x := range strings.Fields(l.fields) {
		bits, _ := strconv.Atoi(x[1:])
		if c := strings.IndexByte("RGBA", x[0]); c >= n {
			for i := at; i < at+bits; i++ {
				out[i/8] &^= 1 << (i % 8)
			}
		}
		at += bits
	}
	return out
}

// A store of one to four components into every format: those that it does not have are 0, and texels beside it are left alone.
func TestTables_IMG374_StoresOfFewComponents(t *testing.T) {
	rules.Covers(t, "IMG-074", "IMG-374", "IMG-383", "IMG-578")
	eachFormat(t, func(info *format.Info, l *layout, r *fieldTexels) {
		for n := 1; n <= 4; n++ {
			im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: info.Format, Extent: extent(rowTexels, 1, 1)})
			level := im.Level(0, 0, 0)
			row := level.Data[level.Offset(0, 0, 0, 0):][:len(r.back)]
			for i := range row {
				row[i] = 0xA5
			}
			op := ir.ImageOp{Kind: ir.ImageWrite, Dim: ir.Dim2D, Result: [...]ir.Class{ir.ClassFloat, ir.ClassSint, ir.ClassUint}[r.class], Results: n}
			on := func(lane int) bool { return lane != 2 && lane != 5 }
			masked(op, newView(t, im, resource.ViewDesc{}), nil, rowTexels, on, func(k int) lane1 {
				return lane1{icoord: []int32{int32(k), 0}, texel: r.want[k][:n]}
			})
			for k := range rowTexels {
				got, want := row[k*info.BlockBytes:][:info.BlockBytes], bytes.Repeat([]byte{0xA5}, info.BlockBytes)
				if on(k) {
					want = l.without(r.back[k*info.BlockBytes:][:info.BlockBytes], n)
				}
				if !bytes.Equal(got, want) {
					t.Fatalf("%v, %d components, texel %d: % x, want % x", info.Format, n, k, got, want)
				}
			}
		}
	})
}

// Box filters over two texels, differences of blocks of one, and weights, of every component of every format, behind its swizzle.
func TestTables_IMG655_ProcessingOfEveryFormat(t *testing.T) {
	rules.Covers(t, "IMG-072", "IMG-651", "IMG-653", "IMG-654", "IMG-655", "IMG-656", "IMG-661", "IMG-662", "IMG-671", "IMG-672", "IMG-673")
	s := processSampler(t, edge, true, average)
	n := 0
	eachFormat(t, func(info *format.Info, l *layout, r *fieldTexels) {
		if r.class != format.ClassFloat {
			return
		}
		n++
		im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: info.Format, Extent: extent(rowTexels, 1, 1)})
		level := im.Level(0, 0, 0)
		copy(level.Data[level.Offset(0, 0, 0, 0):], r.data)
		swizzle := [4]vk.ComponentSwizzle{vk.ComponentSwizzle(n % 7), vk.ComponentSwizzle((n + 2) % 7), vk.ComponentSwizzle((n + 4) % 7), vk.ComponentSwizzle((n + 6) % 7)}
		v := newView(t, im, resource.ViewDesc{Components: vk.ComponentMapping{R: swizzle[0], G: swizzle[1], B: swizzle[2], A: swizzle[3]}})
		plain := newView(t, im, resource.ViewDesc{})
		has := [4]bool{}
		for _, x := range strings.Fields(l.fields) {
			if c := strings.IndexByte("RGBA", x[0]); c >= 0 {
				has[c] = true
			}
		}
		// Differences are of components that there are; filters take the alpha that is missing as well: IMG-072.
		check := func(what string, k int, got [4]float32, of func(a, b float64) float64) {
			t.Helper()
			a, b := floats(r.want[k]), floats(r.want[k+1])
			x := [4]float64{3: 1}
			for c := range x {
				if has[c] || what != "difference" {
					x[c] = of(float64(a[c]), float64(b[c]))
				}
			}
			for c, s := range swizzle {
				w := x[c]
				switch {
				case s == vk.ComponentSwizzleZero:
					w = 0
				case s == vk.ComponentSwizzleOne:
					w = 1
				case s != vk.ComponentSwizzleIdentity:
					w = x[s-vk.ComponentSwizzleR]
				}
				if g := got[c]; g != float32(w) && (g == g || w == w) {
					t.Errorf("%v, %v, %s of texels %d and %d, component %d: %v, want %v", info.Format, swizzle, what, k, k+1, c, g, float32(w))
				}
			}
		}
		for k := range rowTexels - 1 {
			between := []float32{float32(k + 1), .5}
			box := lane1{op: ir.ImageOp{Kind: ir.ImageBoxFilter, Dim: ir.Dim2D}, coord: between}
			check("box", k, box.process(nil, v, s, nil, []uint32{one(2)[0], one(1)[0]}), func(a, b float64) float64 { return (a + b) / 2 })
			for _, sad := range []bool{true, false} {
				match := lane1{op: ir.ImageOp{Kind: ir.ImageBlockMatch, Dim: ir.Dim2D, SAD: sad}, icoord: []int32{int32(k + 1), 0}}
				got := match.process(plain, v, s, []uint32{uint32(k), 0}, []uint32{1, 1})
				check("difference", k, got, func(a, b float64) float64 {
					if d := a - b; !sad {
						return d * d
					} else {
						return math.Abs(d)
					}
				})
			}
			weights := weightView(t, vk.ImageViewType2DArray, 2, 1, 1, resource.WeightImage{CenterX: 1, Width: 2, Height: 1, Phases: 1}, func(x, _, _ int) float32 { return [2]float32{.25, 3}[x] })
			weighted := lane1{op: ir.ImageOp{Kind: ir.ImageWeighted, Dim: ir.Dim2D}, coord: []float32{float32(k+1) + .5, .5}}
			check("weighted", k, weighted.process(weights, v, s, nil, nil), func(a, b float64) float64 { return a/4 + b*3 })
		}
		weightsOf(t, info, r, s, has[0])
	})
}

// weightsOf takes the weight of one texel, 1, from red of each texel of a format, as an array's layer and as both factors of a separable one.
func weightsOf(t *testing.T, info *format.Info, r *fieldTexels, s *resource.Sampler, red bool) {
	t.Helper()
	ones := floats2D(t, 1, 1, 1)
	for k := range rowTexels {
		texel := r.data[k*info.BlockBytes:][:info.BlockBytes]
		w := floats(r.want[k])[0]
		if !red {
			w = 0
		}
		for kind, typ := range map[vk.ImageViewType]vk.ImageType{vk.ImageViewType2DArray: vk.ImageType2D, vk.ImageViewType1DArray: vk.ImageType1D} {
			im := newImage(t, resource.ImageDesc{Type: typ, Format: info.Format, Extent: extent(4, 1, 1), ArrayLayers: 2, Usage: vk.ImageUsageSampleWeightBitQCOM})
			for layer := range 2 {
				level := im.Level(0, 0, layer)
				copy(level.Data[level.Offset(0, 0, 0, 0):], texel)
			}
			layers := uint32(1)
			want := float64(w)
			if kind == vk.ImageViewType1DArray {
				layers, want = 2, float64(w)*float64(w)
			}
			v := newView(t, im, resource.ViewDesc{Type: viewType(kind), Range: vk.ImageSubresourceRange{LayerCount: layers}, Weights: resource.WeightImage{Width: 1, Height: 1, Phases: 1}})
			got := lane1{op: ir.ImageOp{Kind: ir.ImageWeighted, Dim: ir.Dim2D}, coord: []float32{.5, .5}}.process(v, ones, s, nil, nil)[0]
			if got != float32(want) && (got == got || want == want) {
				t.Errorf("%v, %v, weight % x: %v, want %v", info.Format, kind, texel, got, float32(want))
			}
		}
	}
}

// A derivative that is no number makes λ the least one, with one probe, whichever it is, in every kind of image, with and without anisotropy.
func TestTables_IMG008_DerivativesThatAreNoNumbers(t *testing.T) {
	rules.Covers(t, "IMG-008", "IMG-431", "IMG-447", "IMG-465")
	for _, c := range []struct {
		dim    ir.ImageDim
		desc   resource.ImageDesc
		view   vk.ImageViewType
		at     []float32
		counts int
	}{
		{ir.Dim1D, resource.ImageDesc{Type: vk.ImageType1D, Extent: extent(16, 1, 1)}, vk.ImageViewType1D, []float32{.5}, 1},
		{ir.Dim2D, resource.ImageDesc{Type: vk.ImageType2D, Extent: extent(16, 16, 1)}, vk.ImageViewType2D, []float32{.5, .5}, 2},
		{ir.Dim3D, resource.ImageDesc{Type: vk.ImageType3D, Extent: extent(16, 16, 16)}, vk.ImageViewType3D, []float32{.5, .5, .5}, 3},
		{ir.DimCube, resource.ImageDesc{Type: vk.ImageType2D, Extent: extent(16, 16, 1), ArrayLayers: 6, Flags: vk.ImageCreateCubeCompatibleBit}, vk.ImageViewTypeCube, []float32{.25, 1, -.125}, 3},
	} {
		c.desc.Format, c.desc.MipLevels = vk.FormatR32Sfloat, 5
		im := newImage(t, c.desc)
		for level := range 5 {
			for layer := range int(max(c.desc.ArrayLayers, 1)) {
				l := im.Level(0, level, layer)
				for z := range l.Depth {
					for y := range l.Height {
						for x := range l.Width {
							copy(l.Data[l.Offset(x, y, z, 0):], float32Bytes(float32(level)))
						}
					}
				}
			}
		}
		v := newView(t, im, resource.ViewDesc{Type: viewType(c.view)})
		for _, aniso := range []bool{false, true} {
			for _, limits := range [][2]float32{{0, 9}, {1.25, 9}, {2.5, 2.5}} {
				s := newSampler(t, resource.Sampler{MagFilter: linear, MinFilter: linear, MipmapMode: vk.SamplerMipmapModeLinear, MinLod: limits[0], MaxLod: limits[1], AnisotropyEnable: aniso, MaxAnisotropy: 16,
					AddressModeU: edge, AddressModeV: edge, AddressModeW: edge})
				for which := range 2 * c.counts {
					op := sampleOp(c.dim)
					op.Lod = ir.LodGrad
					x := lane1{op: op, coord: c.at, dx: []float32{.25, .125, .0625}[:c.counts], dy: []float32{.03125, .25, .5}[:c.counts]}
					d := &x.dx
					if which >= c.counts {
						d = &x.dy
					}
					*d = append([]float32(nil), *d...)
					(*d)[which%c.counts] = nan
					if got, want := x.red(v, s), limits[0]; got != want {
						t.Errorf("%v, anisotropy %v, levels %v, derivative %d: %v, want %v", c.view, aniso, limits, which, got, want)
					}
				}
			}
		}
	}
}

// The catalogue's vectors of footprints, of images of every format: what the format is does not count. Integers have no sums, so of these it is the
// texel that is nearest.
func TestTables_IMG638_FootprintsOfEveryFormat(t *testing.T) {
	rules.Covers(t, "IMG-630", "IMG-632", "IMG-633", "IMG-634", "IMG-635", "IMG-636", "IMG-637", "IMG-638", "IMG-639")
	list := []vk.Format{vk.FormatD16Unorm, vk.FormatX8D24UnormPack32, vk.FormatD32Sfloat, vk.FormatS8Uint, vk.FormatBc1RgbUnormBlock, vk.FormatBc7SrgbBlock, vk.FormatEtc2R8G8B8A8UnormBlock, vk.FormatAstc6x5UnormBlock, vk.FormatE5B9G9R9UfloatPack32}
	eachFormat(t, func(info *format.Info, _ *layout, _ *fieldTexels) { list = append(list, info.Format) })
	for _, f := range list {
		v := newView(t, newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: f, Extent: extent(64, 64, 1)}), resource.ViewDesc{})
		for _, c := range []struct {
			g      uint8
			u, v   float32 // in texels
			along  float32 // texels of the longer derivative
			anchor [2]uint32
			offset [2]uint32
			mask   [2]uint32
			given  uint32 // granularity
		}{
			{1, 4, 4, 0, [2]uint32{}, [2]uint32{}, [2]uint32{0x00060600}, 0}, {1, 16, 1, 0, [2]uint32{1, 0}, [2]uint32{1, 0}, [2]uint32{0x81}, 0},
			{3, 32, 32, 0, [2]uint32{1, 1}, [2]uint32{1, 1}, [2]uint32{0x81, 0x81000000}, 0},
			// Sixteen probes, 2.1875 texels apart, of two texels each: columns 5 to 39.
			{1, 22.40625, 10.5, 35, [2]uint32{}, [2]uint32{}, [2]uint32{0x001F0000}, 4},
		} {
			s := resource.Sampler{MagFilter: linear, MinFilter: linear, AddressModeU: edge, AddressModeV: edge, AnisotropyEnable: true, MaxAnisotropy: 16}
			if v.Info.Class != format.ClassFloat {
				s.MagFilter, s.MinFilter, s.AnisotropyEnable = nearest, nearest, false
				group := [2]uint32{uint32(c.u) / 2, uint32(c.v) / 2}
				if c.g == 3 {
					group = [2]uint32{uint32(c.u) / 4, uint32(c.v) / 4}
				}
				bit := group[1]%8*8 + group[0]%8
				c.anchor, c.offset, c.given = [2]uint32{group[0] / 8, group[1] / 8}, [2]uint32{}, 0
				c.mask = [2]uint32{}
				c.mask[bit/32] = 1 << (bit % 32)
			}
			x := lane1{op: ir.ImageOp{Kind: ir.ImageFootprint, Dim: ir.Dim2D, Granularity: c.g, Lod: ir.LodGrad}, coord: []float32{c.u / 64, c.v / 64}, dx: []float32{c.along / 64, 0}, dy: []float32{0, .5 / 64}}
			want := [3]format.Texel{{c.anchor[0], c.anchor[1], 0, 1}, {c.offset[0], c.offset[1], 0, 0}, {c.mask[0], c.mask[1], c.given}}
			for part, w := range want {
				x.op.Part = ir.FootprintPart(part)
				got := x.run(v, newSampler(t, s))
				n := 4
				if part == 2 {
					n = 3
				}
				for k := range n {
					if got[k] != w[k] {
						t.Errorf("%v, granularity %d at (%v, %v), part %d: %x, want %x", f, c.g, c.u, c.v, part, got, w)
						break
					}
				}
			}
		}
	}
}

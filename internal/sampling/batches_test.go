package sampling

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// batch is more lanes than any path takes at a time.
const batch = 600

// most leaves every fifth lane out, and a run of lanes.
func most(lane int) bool { return lane%5 != 3 && (lane < 256 || lane >= 420) }

// holdBatch compares what lanes have with what they should have.
func holdBatch(t *testing.T, name string, got []format.Texel, want func(lane int) format.Texel) {
	t.Helper()
	for lane := range got {
		x := format.Texel{untouched, untouched, untouched, untouched}
		if most(lane) {
			x = want(lane)
		}
		if got[lane] != x {
			t.Fatalf("%s, lane %d: %x, want %x", name, lane, got[lane], x)
		}
	}
}

// Fetches inside and outside of both levels, with and without an offset, of texels and of blocks: texel (x, y) of level l is
// 100·l + 16·y + x, a block of level l is 4·y/4 + x/4 + 20·l of 255.
func TestFetch_Batches(t *testing.T) {
	rules.Covers(t, "IMG-575", "IMG-576", "IMG-577", "IMG-579", "IMG-200", "IMG-300")
	texels := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR32Sfloat, Extent: extent(16, 16, 1), MipLevels: 2})
	blocks := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatBc4UnormBlock, Extent: extent(16, 16, 1), MipLevels: 2})
	for level := range 2 {
		for y := range 16 >> level {
			for x := range 16 >> level {
				setFloat(texels, level, 0, x, y, float32(100*level+16*y+x))
				l := blocks.Level(0, level, 0)
				at := l.Data[l.Offset(x&^3, y&^3, 0, 0):]
				at[0], at[1] = byte(y&^3+x/4+20*level), byte(y&^3+x/4+20*level)
			}
		}
	}
	op := ir.ImageOp{Kind: ir.ImageFetch, Dim: ir.Dim2D}
	for _, im := range []*resource.Image{texels, blocks} {
		v := newView(t, im, resource.ViewDesc{})
		value := func(level, x, y int) format.Texel {
			switch {
			case level < 0 || level > 1 || x < 0 || y < 0 || x >= 16>>level || y >= 16>>level:
				return format.Texel{3: oneFloat}
			case im == texels:
				return rgba(float32(100*level+16*y+x), 0, 0, 1)
			}
			return rgba(float32(float64(y&^3+x/4+20*level)/255), 0, 0, 1)
		}
		at := func(lane int) (x, y, level int) { return lane%20 - 2, lane/20%20 - 2, lane%4 - 1 }
		holdBatch(t, im.Format.String(), masked(op, v, nil, batch, most, func(lane int) lane1 {
			x, y, _ := at(lane)
			return lane1{icoord: []int32{int32(x), int32(y)}}
		}), func(lane int) format.Texel { x, y, _ := at(lane); return value(0, x, y) })
		holdBatch(t, im.Format.String()+" levels", masked(op, v, nil, batch, most, func(lane int) lane1 {
			x, y, level := at(lane)
			return lane1{icoord: []int32{int32(x - 1), int32(y + 2)}, offset: []int32{1, -2}, hasLod: true, ilod: int32(level)}
		}), func(lane int) format.Texel { x, y, level := at(lane); return value(level, x, y) })
	}
}

// IMG-580: each lane its sample, those that there are not give zeros.
func TestFetch_IMG580_Batches(t *testing.T) {
	rules.Covers(t, "IMG-580", "IMG-301")
	im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8Uint, Extent: extent(4, 4, 1), Samples: 4})
	l := im.Level(0, 0, 0)
	for i := range 64 {
		l.Data[l.Offset(i&3, i>>2&3, 0, i>>4)] = byte(i + 1)
	}
	holdBatch(t, "samples", masked(ir.ImageOp{Kind: ir.ImageFetch, Dim: ir.Dim2D, MS: true, HasSample: true}, newView(t, im, resource.ViewDesc{}), nil, batch, most, func(lane int) lane1 {
		return lane1{icoord: []int32{int32(lane & 3), int32(lane >> 2 & 3)}, sample: int32(lane>>4%6) - 1}
	}), func(lane int) format.Texel {
		if s := lane>>4%6 - 1; s >= 0 && s < 4 {
			return format.Texel{uint32(lane&15 + 16*s + 1), 0, 0, 1}
		}
		return format.Texel{3: 1}
	})
}

// Lanes that take no part leave memory and results alone; the others have what the texel held before.
func TestAtomics_Batches(t *testing.T) {
	rules.Covers(t, "IMG-002", "IMG-010", "IMG-590", "IMG-592", "IMG-597", "IMG-598")
	im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR32Uint, Extent: extent(32, 20, 1)})
	op := ir.ImageOp{Kind: ir.ImageAtomic, Dim: ir.Dim2D, Atomic: ir.AtomicAdd, Results: 1}
	got := masked(op, newView(t, im, resource.ViewDesc{}), nil, batch, most, func(lane int) lane1 {
		return lane1{icoord: []int32{int32(lane % 32), int32(lane/32) + 3}, texel: []uint32{uint32(lane + 1)}}
	})
	l := im.Level(0, 0, 0)
	for lane := range batch {
		want, old := uint32(lane+1), uint32(0)
		if !most(lane) {
			want, old = 0, untouched
		}
		if lane/32+3 < 20 {
			if x := binary.LittleEndian.Uint32(l.Data[l.Offset(lane%32, lane/32+3, 0, 0):]); x != want {
				t.Fatalf("lane %d left %d, want %d", lane, x, want)
			}
		}
		if got[lane][0] != old {
			t.Fatalf("lane %d has %#x, want %#x", lane, got[lane][0], old)
		}
	}
}

// Each query answers in the lanes that take part, in as many components as there are.
func TestQueries_Batches(t *testing.T) {
	rules.Covers(t, "IMG-605", "IMG-606", "IMG-608", "IMG-609", "IMG-610", "IMG-611", "IMG-612", "IMG-008")
	im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8Unorm, Extent: extent(64, 16, 1), MipLevels: 4, ArrayLayers: 3})
	v := newView(t, im, resource.ViewDesc{Type: viewType(vk.ImageViewType2DArray)})
	f := math.Float32bits
	for _, c := range []struct {
		op   ir.ImageOp
		want [4]uint32
	}{
		{ir.ImageOp{Kind: ir.ImageQuerySize, Dim: ir.Dim2D, Arrayed: true}, [4]uint32{32, 8, 3, 0}},
		{ir.ImageOp{Kind: ir.ImageQueryLevels, Dim: ir.Dim2D}, [4]uint32{4, untouched, untouched, untouched}},
		{ir.ImageOp{Kind: ir.ImageQuerySamples, Dim: ir.Dim2D}, [4]uint32{1, untouched, untouched, untouched}},
		{ir.ImageOp{Kind: ir.ImageQueryLod, Dim: ir.Dim2D, Arrayed: true}, [4]uint32{f(2), f(2), untouched, untouched}},
	} {
		for results := 1; results <= 4; results++ {
			a := &Args{Op: &c.op, Quads: true, Mask: []uint32{1, 0, 1, 1}}
			c.op.Results = results
			a.Coord[0], a.Coord[1] = []uint32{0, f(4. / 64), 0, f(4. / 64)}, make([]uint32, 4)
			if c.op.Kind == ir.ImageQuerySize {
				a.Lod = []uint32{1, 1, 1, 1}
			}
			for i := range results {
				a.Out[i] = []uint32{untouched, untouched, untouched, untouched}
			}
			both(a, v, newSampler(t, resource.Sampler{MaxLod: 9}), 4)
			for i := range results {
				for lane, got := range a.Out[i] {
					want := c.want[i]
					if lane == 1 {
						want = untouched
					}
					if got != want {
						t.Errorf("kind %d, %d results, component %d of lane %d: %#x, want %#x", c.op.Kind, results, i, lane, got, want)
					}
				}
			}
		}
	}
}

// IMG-609: a LOD query tells the level of an implicit sample at its coordinates; other samples have their own.
func TestQueryLod_IMG609_LikeImplicitSamples(t *testing.T) {
	rules.Covers(t, "IMG-609")
	v := newView(t, imageL3(t), resource.ViewDesc{})
	s := newSampler(t, resource.Sampler{MaxLod: 9})
	f := math.Float32bits
	for _, c := range []struct {
		kind ir.ImageKind
		lod  ir.LodMode
		want float32
	}{{ir.ImageQueryLod, ir.LodImplicit, 1}, {ir.ImageQueryLod, ir.LodZero, 1}, {ir.ImageSample, ir.LodImplicit, 2}, {ir.ImageSample, ir.LodExplicit, 3}, {ir.ImageSample, ir.LodGrad, 3}, {ir.ImageSample, ir.LodZero, 1}} {
		op := ir.ImageOp{Kind: c.kind, Dim: ir.Dim2D, Lod: c.lod}
		a := &Args{Op: &op, Quads: true}
		a.Coord[0], a.Coord[1] = []uint32{0, f(0.5), 0, f(0.5)}, []uint32{0, 0, f(0.5), f(0.5)} // two texels
		a.Out[0] = make([]uint32, 4)
		if c.lod == ir.LodExplicit {
			a.Lod = []uint32{f(2), f(2), f(2), f(2)}
		}
		if c.lod == ir.LodGrad {
			a.DX, a.DY = [3][]uint32{{f(1), f(1), f(1), f(1)}, make([]uint32, 4)}, [3][]uint32{make([]uint32, 4), make([]uint32, 4)}
		}
		both(a, v, s, 4)
		for lane, got := range a.Out[0] {
			if got != f(c.want) {
				t.Errorf("kind %d, mode %d, lane %d: %v, want %v", c.kind, c.lod, lane, math.Float32frombits(got), c.want)
			}
		}
	}
}

// IMG-607: sizes without a level, of slices too; IMG-611: weight images have their true sizes.
func TestQueries_IMG607_IMG611_Sizes(t *testing.T) {
	rules.Covers(t, "IMG-605", "IMG-606", "IMG-607", "IMG-610", "IMG-611", "IMG-612")
	volume := newImage(t, resource.ImageDesc{Type: vk.ImageType3D, Format: vk.FormatR8Unorm, Extent: extent(8, 4, 10), MipLevels: 3})
	weights := weightView(t, vk.ImageViewType2DArray, 5, 3, 4, resource.WeightImage{Width: 5, Height: 3, Phases: 4}, func(int, int, int) float32 { return 1 })
	one := vk.ImageSubresourceRange{BaseMipLevel: 1, LevelCount: 1}
	for _, c := range []struct {
		name string
		op   ir.ImageOp
		v    *resource.ImageView
		want [3]uint32
	}{
		{"levels", ir.ImageOp{Dim: ir.Dim2D}, newView(t, imageL3(t), resource.ViewDesc{}), [3]uint32{4, 4, 0}},
		{"a later level", ir.ImageOp{Dim: ir.Dim3D}, newView(t, volume, resource.ViewDesc{Range: one}), [3]uint32{4, 2, 5}},
		{"slices", ir.ImageOp{Dim: ir.Dim3D}, newView(t, volume, resource.ViewDesc{Range: one, FirstSlice: 1, SliceCount: 3}), [3]uint32{4, 2, 3}},
		{"the remaining slices", ir.ImageOp{Dim: ir.Dim3D}, newView(t, volume, resource.ViewDesc{Range: one, FirstSlice: 2, SliceCount: vk.Remaining3DSlicesEXT}), [3]uint32{4, 2, 3}},
		{"weights", ir.ImageOp{Dim: ir.Dim2D, Arrayed: true}, weights, [3]uint32{5, 3, 4}},
	} {
		c.op.Kind = ir.ImageQuerySize
		if got := (lane1{op: c.op}).run(c.v, nil); [3]uint32(got[:3]) != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	slices := func(first, count uint32) error {
		_, err := resource.NewView(volume, resource.ViewDesc{Range: one, FirstSlice: first, SliceCount: count})
		return err
	}
	if err := slices(2, 3); err != nil {
		t.Error(err)
	}
	for _, c := range [][2]uint32{{3, 3}, {5, vk.Remaining3DSlicesEXT}, {6, vk.Remaining3DSlicesEXT}} {
		if slices(c[0], c[1]) == nil {
			t.Errorf("slices %v of 5", c)
		}
	}
	// The null descriptor.
	for _, k := range []ir.ImageKind{ir.ImageQuerySize, ir.ImageQueryLevels, ir.ImageQuerySamples, ir.ImageQueryLod} {
		if got := (lane1{op: ir.ImageOp{Kind: k, Dim: ir.Dim2D}, coord: []float32{0, 0}}).run(nil, &resource.Sampler{}); got != (format.Texel{}) {
			t.Errorf("kind %d of the null descriptor: %v", k, got)
		}
	}
}

// IMG-541, IMG-543, IMG-545: a texel of 1 among zeros gives its weight. At (1.5 + f/256)/4 the taps are texels 0 to 3.
func TestCubic_WeightsOfTexels(t *testing.T) {
	rules.Covers(t, "IMG-540", "IMG-541", "IMG-543", "IMG-545", "IMG-482")
	for set := range vk.CubicFilterWeightsQCOM(4) {
		s := newSampler(t, resource.Sampler{MagFilter: cubic, MinFilter: cubic, AddressModeU: edge, CubicWeights: set})
		var w [4][]float64
		for n := range w {
			im := newImage(t, resource.ImageDesc{Type: vk.ImageType1D, Format: vk.FormatR32Sfloat, Extent: extent(4, 1, 1)})
			setFloat(im, 0, 0, n, 0, 1)
			v := newView(t, im, resource.ViewDesc{})
			for _, x := range many(sampleOp(ir.Dim1D), v, s, 256, func(f int) lane1 { return lane1{coord: []float32{(1.5 + float32(f)/256) / 4}} }) {
				w[n] = append(w[n], float64(math.Float32frombits(x[0])))
			}
		}
		for f := range 256 {
			sum := 0.0
			for n := range w {
				sum += w[n][f]
				if want := oracleCubic(set, float64(f)/256, n); math.Abs(w[n][f]-want) > 0x1p-24 { // rounded to binary32
					t.Fatalf("%v, α = %d/256: weight %d is %v, want %v", set, f, n, w[n][f], want)
				}
				if f > 0 && w[n][f] != w[3-n][256-f] {
					t.Fatalf("%v, α = %d/256: weight %d is %v, its mirror %v", set, f, n, w[n][f], w[3-n][256-f])
				}
			}
			if math.Abs(sum-1) > 4*0x1p-25 {
				t.Fatalf("%v, α = %d/256: the weights sum to %v", set, f, sum)
			}
		}
	}
}

// The range clamp and reductions of many lanes: texel (x, y) is a pattern of small integers, and the oracle takes all 16.
func TestCubic_Batches(t *testing.T) {
	rules.Covers(t, "IMG-500", "IMG-542", "IMG-546", "IMG-547", "IMG-550")
	const size = 8
	im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR32Sfloat, Extent: extent(size, size, 1)})
	texel := func(x, y int) float64 { return float64((x*5 + y*3) % 7 * (x ^ y&3)) }
	for i := range size * size {
		setFloat(im, 0, 0, i%size, i/size, float32(texel(i%size, i/size)))
	}
	v := newView(t, im, resource.ViewDesc{})
	place := func(lane int) (u, v float64) { // in 1/16 texel
		return float64(lane*7%(16*(size+4)))/16 - 2, float64(lane*11%(16*(size+4)))/16 - 2
	}
	for _, mode := range []vk.SamplerAddressMode{edge, repeat, border} {
		for _, reduction := range []vk.SamplerReductionMode{average, vk.SamplerReductionModeWeightedAverageRangeclampQCOM, smallest, largest} {
			s := newSampler(t, resource.Sampler{MagFilter: cubic, MinFilter: cubic, AddressModeU: mode, AddressModeV: mode, Reduction: reduction})
			got := masked(sampleOp(ir.Dim2D), v, s, batch, most, func(lane int) lane1 {
				x, y := place(lane)
				return lane1{coord: []float32{float32(x / size), float32(y / size)}}
			})
			for lane := range got {
				if !most(lane) {
					if got[lane][0] != untouched {
						t.Fatalf("lane %d takes no part: %#x", lane, got[lane][0])
					}
					continue
				}
				x, y := place(lane)
				bx, by := math.Floor(x-.5), math.Floor(y-.5)
				sum, low, high := 0.0, math.Inf(1), math.Inf(-1)
				for j := range 4 {
					for i := range 4 {
						w := oracleCubic(vk.CubicFilterWeightsCatmullRomQCOM, x-.5-bx, i) * oracleCubic(vk.CubicFilterWeightsCatmullRomQCOM, y-.5-by, j)
						if w == 0 {
							continue
						}
						at := [2]int{int(bx) - 1 + i, int(by) - 1 + j}
						c := 0.0
						switch {
						case mode == edge:
							c = texel(min(max(at[0], 0), size-1), min(max(at[1], 0), size-1))
						case mode == repeat:
							c = texel((at[0]+size)%size, (at[1]+size)%size)
						case at[0] >= 0 && at[0] < size && at[1] >= 0 && at[1] < size:
							c = texel(at[0], at[1])
						}
						sum, low, high = sum+w*c, min(low, c), max(high, c)
					}
				}
				want := map[vk.SamplerReductionMode]float64{average: sum, vk.SamplerReductionModeWeightedAverageRangeclampQCOM: min(max(sum, low), high), smallest: low, largest: high}[reduction]
				if r := float64(math.Float32frombits(got[lane][0])); math.Abs(r-want) > 1e-5 {
					t.Fatalf("%v, %v, lane %d at (%v, %v): %v, want %v", mode, reduction, lane, x, y, r, want)
				}
			}
		}
	}
}

// Levels by the smaller axis, their number limited, in batches of several shapes: level l is l + 1 everywhere.
// IMG-564: 1D is isotropic, arrays keep their layer, 3D has footprints along all axes.
func TestAnisotropy_Batches(t *testing.T) {
	rules.Covers(t, "IMG-431", "IMG-433", "IMG-560", "IMG-564", "IMG-565", "IMG-566")
	const levels = 6
	for _, c := range []struct {
		d      resource.ImageDesc
		dim    ir.ImageDim
		dx, dy int // axes of the derivatives
	}{
		{resource.ImageDesc{Type: vk.ImageType1D, Extent: extent(32, 1, 1)}, ir.Dim1D, 0, 0},
		{resource.ImageDesc{Type: vk.ImageType2D, Extent: extent(32, 32, 1)}, ir.Dim2D, 0, 1},
		{resource.ImageDesc{Type: vk.ImageType2D, Extent: extent(32, 32, 1)}, ir.Dim2D, 1, 0},
		{resource.ImageDesc{Type: vk.ImageType2D, Extent: extent(32, 32, 1), ArrayLayers: 2}, ir.Dim2D, 0, 1},
		{resource.ImageDesc{Type: vk.ImageType3D, Extent: extent(32, 32, 32)}, ir.Dim3D, 0, 2},
		{resource.ImageDesc{Type: vk.ImageType3D, Extent: extent(32, 32, 32)}, ir.Dim3D, 2, 1},
	} {
		c.d.Format, c.d.MipLevels = vk.FormatR32Sfloat, levels
		im := newImage(t, c.d)
		op := ir.ImageOp{Kind: ir.ImageSample, Dim: c.dim, Lod: ir.LodGrad, Arrayed: c.d.ArrayLayers > 1}
		kind := map[ir.ImageDim]vk.ImageViewType{ir.Dim1D: vk.ImageViewType1D, ir.Dim2D: vk.ImageViewType2D, ir.Dim3D: vk.ImageViewType3D}[c.dim]
		if op.Arrayed {
			kind = vk.ImageViewType2DArray
		}
		for level := range levels {
			for layer := range max(c.d.ArrayLayers, 1) {
				l := im.Level(0, level, layer)
				for z := range l.Depth {
					for y := range l.Height {
						for x := range l.Width {
							binary.LittleEndian.PutUint32(l.Data[l.Offset(x, y, z, 0):], math.Float32bits(float32(level+1+10*layer)))
						}
					}
				}
			}
		}
		v := newView(t, im, resource.ViewDesc{Type: viewType(kind)})
		for _, most16 := range []float32{2, 16} {
			for _, mip := range []vk.SamplerMipmapMode{vk.SamplerMipmapModeNearest, vk.SamplerMipmapModeLinear} {
				s := newSampler(t, resource.Sampler{MagFilter: linear, MinFilter: linear, MipmapMode: mip, MaxLod: 9, AnisotropyEnable: true, MaxAnisotropy: most16,
					AddressModeU: repeat, AddressModeV: repeat, AddressModeW: repeat})
				// Footprints of 2^a by 2^b texels, in halves of an exponent and an eighth, so that no level is
				// in the middle of two.
				shape := func(lane int) (a, b float64) { return float64(lane%7)/2 + .125, float64(lane/7%7)/2 + .125 }
				got := masked(op, v, s, batch, most, func(lane int) lane1 {
					a, b := shape(lane)
					x := lane1{dx: make([]float32, int(c.dim-ir.Dim1D)+1), dy: make([]float32, int(c.dim-ir.Dim1D)+1)}
					for range x.dx {
						x.coord = append(x.coord, float32(lane%13)/13)
					}
					x.dx[c.dx], x.dy[c.dy] = float32(math.Exp2(a)/32), float32(math.Exp2(b)/32)
					if op.Arrayed {
						x.coord = append(x.coord, float32(lane%2))
					}
					return x
				})
				for lane := range got {
					if !most(lane) {
						continue
					}
					a, b := shape(lane)
					lambda := max(a, b)
					if c.dim != ir.Dim1D {
						lambda -= min(math.Abs(a-b), math.Log2(float64(most16)))
					}
					if mip == vk.SamplerMipmapModeNearest {
						lambda = math.Ceil(lambda+.5) - 1
					}
					want := lambda + 1
					if op.Arrayed {
						want += float64(10 * (lane % 2))
					}
					if r := float64(math.Float32frombits(got[lane][0])); r != want {
						t.Fatalf("dimension %d along %d and %d, at most %v, %v: 2^%v by 2^%v texels give %v, want %v", c.dim, c.dx, c.dy, most16, mip, a, b, r, want)
					}
				}
			}
		}
	}
}

// IMG-518, IMG-523: a comparison's gather takes no component.
func TestGather_Batches(t *testing.T) {
	rules.Covers(t, "IMG-515", "IMG-516", "IMG-518", "IMG-519", "IMG-521", "IMG-523")
	im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatD32Sfloat, Extent: extent(8, 8, 1)})
	texel := func(x, y int) float32 { return float32(8*(y&7)+x&7) / 64 }
	for i := range 64 {
		setFloat(im, 0, 0, i%8, i/8, texel(i%8, i/8))
	}
	v := newView(t, im, resource.ViewDesc{})
	s := newSampler(t, resource.Sampler{AddressModeU: repeat, AddressModeV: repeat, CompareEnable: true, CompareOp: vk.CompareOpLess})
	at := func(lane int) (x, y int) { return lane%13 - 3, lane/13%13 - 3 }
	for _, dref := range []bool{false, true} {
		for comp := range uint8(4) {
			got := masked(ir.ImageOp{Kind: ir.ImageGather, Dim: ir.Dim2D, GatherComp: comp, Dref: dref}, v, s, batch, most, func(lane int) lane1 {
				x, y := at(lane)
				return lane1{coord: []float32{float32(x+1) / 8, float32(y+1) / 8}, dref: .4}
			})
			holdBatch(t, "gather", got, func(lane int) format.Texel {
				x, y := at(lane)
				t := [4]float32{texel(x, y+1), texel(x+1, y+1), texel(x+1, y), texel(x, y)}
				for i := range t {
					switch {
					case dref && .4 < t[i]:
						t[i] = 1
					case dref, comp == 1, comp == 2:
						t[i] = 0
					case comp == 3:
						t[i] = 1
					}
				}
				return rgba(t[:]...)
			})
		}
	}
}

// IMG-501 by hand.
func byHand(mode vk.SamplerAddressMode, i, n int) int {
	switch mode {
	case repeat:
		return ((i % n) + n) % n
	case mirrored:
		if i = ((i % (2 * n)) + 2*n) % (2 * n); i >= n {
			i = 2*n - 1 - i
		}
		return i
	case edge:
		return min(max(i, 0), n-1)
	case mirrorK:
		if i < 0 {
			i = -1 - i
		}
		return min(i, n-1)
	default:
		if i < 0 || i >= n {
			return -1
		}
		return i
	}
}

// Texels by every mode, an offset added: NEAREST has texel k, LINEAR a quarter of texel k and three of the next one.
func TestWrap_OffsetsBatches(t *testing.T) {
	rules.Covers(t, "IMG-500", "IMG-501", "IMG-502", "IMG-505", "IMG-506", "IMG-557", "IMG-481")
	for _, n := range []int{1, 3, 8, 9, 16, 33} {
		im := newImage(t, resource.ImageDesc{Type: vk.ImageType1D, Format: vk.FormatR32Sfloat, Extent: extent(uint32(n), 1, 1)})
		for i := range n {
			setFloat(im, 0, 0, i, 0, float32(4*i*i+8))
		}
		v := newView(t, im, resource.ViewDesc{})
		for _, mode := range fiveModes {
			texel := func(i int) float32 {
				if i = byHand(mode, i, n); i < 0 {
					return 4 // the border
				}
				return float32(4*i*i + 8)
			}
			for _, filter := range []vk.Filter{nearest, linear} {
				s := newSampler(t, resource.Sampler{MagFilter: filter, MinFilter: filter, AddressModeU: mode, BorderColor: vk.BorderColorFloatCustomEXT, CustomBorderColor: rgba(4, 4, 4, 1)})
				for _, offsets := range []bool{false, true} {
					at := func(lane int) (k, offset int) {
						if offsets {
							offset = lane%16 - 8
						}
						return lane%(4*n+3) - 2*n, offset
					}
					got := masked(sampleOp(ir.Dim1D), v, s, batch, most, func(lane int) lane1 {
						k, offset := at(lane)
						x := lane1{coord: []float32{(float32(k) + .5) / float32(n)}}
						if filter == linear {
							x.coord[0] = (float32(k) + 1.25) / float32(n)
						}
						if offsets {
							x.offset = []int32{int32(offset)}
						}
						return x
					})
					for lane := range got {
						if !most(lane) {
							continue
						}
						k, offset := at(lane)
						want := texel(k + offset)
						if filter == linear {
							want = want/4 + 3*texel(k+offset+1)/4
						}
						if r := math.Float32frombits(got[lane][0]); r != want {
							t.Fatalf("%v, %v of %d texels, %d with offset %d: %v, want %v", mode, filter, n, k, offset, r, want)
						}
					}
				}
			}
		}
	}
}

package sampling

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// A solid is an image of floats, of a dimension, with three levels.
func solid(t *testing.T, dim ir.ImageDim, f vk.Format, texel func(level, i int) [4]float32) *resource.ImageView {
	d := resource.ImageDesc{Type: vk.ImageType2D, Format: f, Extent: extent(8, 8, 1), MipLevels: 3}
	typ := vk.ImageViewType2D
	switch dim {
	case ir.Dim1D:
		d.Type, d.Extent, typ = vk.ImageType1D, extent(8, 1, 1), vk.ImageViewType1D
	case ir.Dim3D:
		d.Type, d.Extent, typ = vk.ImageType3D, extent(8, 8, 8), vk.ImageViewType3D
	case ir.DimCube:
		d.ArrayLayers, d.Flags, typ = 6, vk.ImageCreateCubeCompatibleBit, vk.ImageViewTypeCube
	default:
	}
	im := newImage(t, d)
	for level := range d.MipLevels {
		for layer := range max(d.ArrayLayers, 1) {
			l := im.Level(0, level, layer)
			for i := range l.Width * l.Height * l.Depth {
				at := l.Data[l.Offset(i%l.Width, i/l.Width%l.Height, i/l.Width/l.Height, 0):]
				for c, x := range texel(level, i) {
					if c >= im.Info.ComponentCount {
						break
					}
					binary.LittleEndian.PutUint32(at[4*c:], math.Float32bits(x))
				}
			}
		}
	}
	return newView(t, im, resource.ViewDesc{Type: viewType(typ)})
}

var dimensions = []ir.ImageDim{ir.Dim1D, ir.Dim2D, ir.Dim3D, ir.DimCube}

// lots draws samplers of every filter for a dimension.
func lots(r *rand.Rand) resource.Sampler {
	filters := []vk.Filter{nearest, linear, linear, cubic}
	modes := []vk.SamplerAddressMode{repeat, mirrored, edge, mirrorK}
	s := resource.Sampler{MagFilter: filters[r.IntN(4)], MinFilter: filters[r.IntN(4)], MipmapMode: vk.SamplerMipmapMode(r.IntN(2)), MaxLod: 9, CubicWeights: vk.CubicFilterWeightsQCOM(r.IntN(4)),
		AddressModeU: modes[r.IntN(4)], AddressModeV: modes[r.IntN(4)], AddressModeW: modes[r.IntN(4)], Reduction: vk.SamplerReductionMode(r.IntN(3)), NonSeamless: r.IntN(2) == 0}
	if s.Reduction == average && r.IntN(3) == 0 {
		s.Reduction = vk.SamplerReductionModeWeightedAverageRangeclampQCOM
	}
	if s.MagFilter != cubic && s.MinFilter != cubic && r.IntN(2) == 0 {
		s.AnisotropyEnable, s.MaxAnisotropy = true, []float32{1, 2, 3.5, 7, 16}[r.IntN(5)]
	}
	return s
}

// drawn is a lane that samples anywhere at any level.
func drawn(r *rand.Rand, op *ir.ImageOp) (x lane1) {
	n := [...]int{ir.Dim1D: 1, ir.Dim2D: 2, ir.Dim3D: 3, ir.DimCube: 3}[op.Dim]
	for range n {
		x.coord = append(x.coord, []float32{float32(r.NormFloat64()), float32(r.IntN(33)-8) / 16}[r.IntN(2)])
		if op.Lod == ir.LodGrad {
			x.dx, x.dy = append(x.dx, float32(r.NormFloat64())/4), append(x.dy, float32(r.NormFloat64())/16)
		}
	}
	x.lod = float32(r.IntN(100)-20) / 32
	return x
}

// Where all texels hold the same value, each filter gives it, bit for bit: every dimension, weight, mode, reduction, component and lane.
func TestTables_IMG534_OneValueEverywhere(t *testing.T) {
	rules.Covers(t, "IMG-003", "IMG-260", "IMG-530", "IMG-531", "IMG-532", "IMG-533", "IMG-534", "IMG-535", "IMG-540", "IMG-542", "IMG-543", "IMG-545", "IMG-546", "IMG-547", "IMG-550", "IMG-551", "IMG-552", "IMG-555", "IMG-556",
		"IMG-561", "IMG-564", "IMG-565", "IMG-567", "IMG-700", "IMG-701", "IMG-885")
	r := rand.New(rand.NewPCG(534, 0))
	negativeZero := float32(math.Copysign(0, -1))
	values := []float32{inf, -inf, negativeZero, 0, .1, -3.3e-39, math.SmallestNonzeroFloat32, math.MaxFloat32, -math.MaxFloat32, 1}
	for k := range rules.Cases(2400, 12_000) {
		var texel [4]float32
		for c := range texel {
			texel[c] = values[r.IntN(len(values))]
		}
		dim, f := dimensions[k%4], []vk.Format{vk.FormatR32Sfloat, vk.FormatR32G32B32A32Sfloat}[k/4%2]
		v := solid(t, dim, f, func(int, int) [4]float32 { return texel })
		s := newSampler(t, lots(r))
		op := sampleOp(dim)
		if r.IntN(2) == 0 {
			op.Lod = ir.LodGrad
		}
		for lane, got := range many(op, v, s, 70, func(int) lane1 { return drawn(r, &op) }) {
			want := format.Texel{3: one(1)[0]}
			for c := range v.Info.ComponentCount {
				want[c] = one(texel[c])[0]
			}
			if got != want {
				t.Fatalf("%v of %v, %+v, lane %d: %x, want %x", f, dim, *s, lane, got, want)
			}
		}
	}
}

// What is no number, infinite, or a zero of either sign keeps to its component and to the samples that it has weight in; a range clamp
// keeps other results within the texels.
func TestTables_IMG547_OddTexels(t *testing.T) {
	rules.Covers(t, "IMG-003", "IMG-482", "IMG-533", "IMG-534", "IMG-535", "IMG-542", "IMG-546", "IMG-547", "IMG-550", "IMG-551", "IMG-552", "IMG-556", "IMG-565")
	r := rand.New(rand.NewPCG(547, 0))
	odd := []float32{nan, inf, -inf, float32(math.Copysign(0, -1)), 0, 1, -9, 2}
	for k := range rules.Cases(2400, 12_000) {
		dim := dimensions[k%4]
		ordinary := 2 + r.IntN(7) // of so many kinds: two are zeros of both signs
		v := solid(t, dim, vk.FormatR32G32B32A32Sfloat, func(int, int) (x [4]float32) {
			for c := range 3 {
				if x[c] = odd[3+r.IntN(min(ordinary, 5))]; c == 1 && ordinary > 5 && r.IntN(4) == 0 {
					x[c] = odd[r.IntN(3)]
				}
			}
			x[3] = 1
			return x
		})
		s := newSampler(t, lots(r))
		op := sampleOp(dim)
		if r.IntN(2) == 0 {
			op.Lod = ir.LodGrad
		}
		clamps := s.Reduction != average
		for lane, got := range many(op, v, s, 70, func(int) lane1 { return drawn(r, &op) }) {
			x := floats(got)
			if x[3] != 1 || x[0] != x[0] || x[2] != x[2] || clamps && s.MagFilter == s.MinFilter && (x[0] < -9 || x[0] > 2 || x[2] < -9 || x[2] > 2) {
				t.Fatalf("%v, %+v, lane %d: %v", dim, *s, lane, x)
			}
			if ordinary == 2 && (x[0] != 0 || x[2] != 0) {
				t.Fatalf("%v, %+v, lane %d: %v of zeros", dim, *s, lane, x)
			}
		}
	}
	// Taps −9, −1, −0 and −0 at their middle sum to 0, and so do ∞ and −∞ to what is no number.
	for _, c := range []struct {
		texels [4]float32
		want   float32
	}{{[4]float32{-9, -1, odd[3], odd[3]}, 0}, {[4]float32{0, 0, 1, 9}, 0}, {[4]float32{0, 1, 1, 1}, 1}, {[4]float32{inf, inf, 1, 1}, nan}, {[4]float32{1, inf, 1, 1}, inf}, {[4]float32{nan, 2, 2, 2}, nan}} {
		im := newImage(t, resource.ImageDesc{Type: vk.ImageType1D, Format: vk.FormatR32Sfloat, Extent: extent(4, 1, 1)})
		for i, x := range c.texels {
			setFloat(im, 0, 0, i, 0, x)
		}
		s := newSampler(t, resource.Sampler{MagFilter: cubic, MinFilter: cubic, AddressModeU: edge, Reduction: vk.SamplerReductionModeWeightedAverageRangeclampQCOM})
		got := lane1{op: sampleOp(ir.Dim1D), coord: []float32{.5}}.red(newView(t, im, resource.ViewDesc{}), s)
		if got != c.want && (got == got || c.want == c.want) {
			t.Errorf("%v: %v, want %v", c.texels, got, c.want)
		}
	}
}

// Comparisons of texels that are no number or infinite, with references of any kind, by each operator: a tap counts where the catalogue
// says that it passes.
func TestTables_IMG316_OddDepths(t *testing.T) {
	rules.Covers(t, "IMG-310", "IMG-311", "IMG-312", "IMG-313", "IMG-314", "IMG-315", "IMG-316", "IMG-317", "IMG-518")
	depths := []float32{nan, inf, -inf, 0, float32(math.Copysign(0, -1)), .25, .5, 1, 2}
	passes := func(op vk.CompareOp, ref, x float32) bool {
		switch op {
		case vk.CompareOpNever:
			return false
		case vk.CompareOpAlways:
			return true
		case vk.CompareOpNotEqual:
			return ref != x
		}
		return op&vk.CompareOpLess != 0 && ref < x || op&vk.CompareOpEqual != 0 && ref == x || op&vk.CompareOpGreater != 0 && ref > x
	}
	for _, f := range []vk.Format{vk.FormatR32Sfloat, vk.FormatD32Sfloat} {
		n := len(depths)
		im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: f, Extent: extent(uint32(n), uint32(n), 1)})
		at := func(x, y int) float32 { return depths[(x+y*(y+1)/2)%n] }
		l := im.Level(0, 0, 0)
		for i := range n * n {
			copy(l.Data[l.Offset(i%n, i/n, 0, 0):], float32Bytes(at(i%n, i/n)))
		}
		v := newView(t, im, resource.ViewDesc{})
		for op := vk.CompareOpNever; op <= vk.CompareOpAlways; op++ {
			for _, filter := range []vk.Filter{nearest, linear} {
				s := newSampler(t, resource.Sampler{MagFilter: filter, MinFilter: filter, AddressModeU: repeat, AddressModeV: repeat, CompareEnable: true, CompareOp: op})
				o := sampleOp(ir.Dim2D)
				o.Dref = true
				place := func(lane int) (x, y, fx, fy int, ref float32) {
					return lane % n, lane / n % n, lane % 4, lane / 3 % 4, depths[lane*5%n]
				}
				lanes := 3 * n * n
				got := many(o, v, s, lanes, func(lane int) lane1 {
					x, y, fx, fy, ref := place(lane)
					if filter == nearest {
						fx, fy = 0, 0
					}
					return lane1{coord: []float32{(float32(x) + .5 + float32(fx)/4) / float32(n), (float32(y) + .5 + float32(fy)/4) / float32(n)}, dref: ref}
				})
				for lane, t4 := range got {
					x, y, fx, fy, ref := place(lane)
					if filter == nearest {
						fx, fy = 0, 0
					}
					// The coordinate is rounded to 1/256 of a texel, which these quarters are.
					want := 0
					for j := range 2 {
						for i := range 2 {
							if w := [2]int{4 - fx, fx}[i] * [2]int{4 - fy, fy}[j]; passes(op, ref, at((x+i)%n, (y+j)%n)) {
								want += w
							}
						}
					}
					if g := floats(t4); g != [4]float32{float32(want) / 16, 0, 0, 1} {
						t.Fatalf("%v, %v, %v, lane %d, reference %v: %v, want %v/16", f, op, filter, lane, ref, g, want)
					}
				}
			}
		}
	}
}

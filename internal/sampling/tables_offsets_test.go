package sampling

import (
	"math/big"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Offsets of every size that is allowed, of levels that are smaller and larger (programs take those above 31, and powers of two), in every address mode and
// dimension: the formula of the mode,
// of the coordinate and the offset together.
func TestTables_IMG195_OffsetsInEveryMode(t *testing.T) {
	rules.Covers(t, "IMG-029", "IMG-195", "IMG-475", "IMG-480", "IMG-481", "IMG-500", "IMG-502", "IMG-505", "IMG-516", "IMG-532")
	name := func(i [3]int) float32 { return float32(2 + i[0] + 10*i[1] + 100*i[2]) }
	n := 0
	for _, size := range [][3]int{{1, 2, 3}, {4, 3, 2}, {5, 8, 4}, {7, 1, 5}, {16, 6, 1}, {40, 35, 33}} {
		for dims := 1; dims <= 3; dims++ {
			sizes := size
			for d := dims; d < 3; d++ {
				sizes[d] = 1
			}
			dim := [4]ir.ImageDim{0, ir.Dim1D, ir.Dim2D, ir.Dim3D}[dims]
			im := newImage(t, resource.ImageDesc{Type: vk.ImageType(dims - 1), Format: vk.FormatR32Sfloat, Extent: extent(uint32(sizes[0]), uint32(sizes[1]), uint32(sizes[2]))})
			l := im.Level(0, 0, 0)
			for z := range sizes[2] {
				for y := range sizes[1] {
					for x := range sizes[0] {
						copy(l.Data[l.Offset(x, y, z, 0):], float32Bytes(name([3]int{x, y, z})))
					}
				}
			}
			v := newView(t, im, resource.ViewDesc{})
			for m := range fiveModes {
				n++
				modes := [3]vk.SamplerAddressMode{fiveModes[m], fiveModes[(m+n)%5], fiveModes[(m+2*n+1)%5]}
				for _, filter := range []vk.Filter{nearest, linear} {
					s := newSampler(t, resource.Sampler{MagFilter: filter, MinFilter: filter, AddressModeU: modes[0], AddressModeV: modes[1], AddressModeW: modes[2], BorderColor: vk.BorderColorFloatOpaqueWhite})
					const lanes = 64
					// Quarters of texels from one before the image to one behind it; offsets −32 to 31 of gathers, −8 to 7 of samples.
					place := func(lane, d, least, most int) (quarters, offset int) {
						return (lane*(5+2*d)+d)%(4*sizes[d]+8) - 4, (lane*(7+4*d)+3*d)%(most-least+1) + least
					}
					in := func(lane, least, most int) (x lane1) {
						for d := range dims {
							q, o := place(lane, d, least, most)
							x.coord = append(x.coord, float32(float64(q)/4/float64(sizes[d])))
							x.offset = append(x.offset, int32(o))
						}
						return x
					}
					texel := func(i [3]int) *big.Rat {
						for d := range dims {
							if i[d] = oracleWrap(modes[d], i[d], sizes[d]); i[d] < 0 || i[d] >= sizes[d] {
								return rat(1)
							}
						}
						return rat(float64(name(i)))
					}
					// The first texel of a lane, and the weight of the second in 1/256.
					first := func(lane, least, most int, filter vk.Filter, x *lane1) (i0 [3]int, f [3]int64) {
						for d := range dims {
							_, o := place(lane, d, least, most)
							u := new(big.Rat).Mul(rat(float64(x.coord[d])), big.NewRat(int64(sizes[d]), 1))
							u.Add(u, big.NewRat(int64(o), 1))
							if filter == linear {
								u.Sub(u.Mul(u, big.NewRat(256, 1)), big.NewRat(128, 1))
								k := nearestInt(u)
								i0[d], f[d] = int(k>>8), k&255
								continue
							}
							i0[d] = int(floorInt(u))
						}
						return i0, f
					}
					got := many(sampleOp(dim), v, s, lanes, func(lane int) lane1 { return in(lane, -8, 7) })
					for lane := range lanes {
						x := in(lane, -8, 7)
						i0, f := first(lane, -8, 7, filter, &x)
						sum := new(big.Rat)
						for tap := range 8 {
							w, i := int64(1), i0
							for d := range 3 {
								bit := tap >> d & 1
								i[d] += bit
								w *= [2]int64{256 - f[d], f[d]}[bit]
							}
							if w != 0 {
								sum.Add(sum, new(big.Rat).Mul(big.NewRat(w, 1<<24), texel(i)))
							}
						}
						if want, _ := sum.Float32(); floats(got[lane])[0] != want {
							t.Fatalf("%v, %v, %v, at %v and %v: %v, want %v", sizes[:dims], modes[:dims], filter, x.coord, x.offset, floats(got[lane])[0], want)
						}
					}
					if dims != 2 {
						continue
					}
					got = many(ir.ImageOp{Kind: ir.ImageGather, Dim: ir.Dim2D}, v, s, lanes, func(lane int) lane1 { return in(lane, -32, 31) })
					for lane := range lanes {
						x := in(lane, -32, 31)
						i0, _ := first(lane, -32, 31, linear, &x)
						for c, d := range [4][2]int{{0, 1}, {1, 1}, {1, 0}, {0, 0}} {
							if want := asFloat(texel([3]int{i0[0] + d[0], i0[1] + d[1]})); float64(floats(got[lane])[c]) != want {
								t.Fatalf("%v, %v, gather at %v and %v: %v, want %v", sizes[:dims], modes[:dims], x.coord, x.offset, floats(got[lane]), want)
							}
						}
					}
				}
			}
		}
	}
}

// floorInt is the largest integer that is not above x.
func floorInt(x *big.Rat) int64 {
	q, _ := new(big.Int).DivMod(x.Num(), x.Denom(), new(big.Int))
	return q.Int64()
}

// nearestInt is the integer nearest to x, ties to even.
func nearestInt(x *big.Rat) int64 {
	n := floorInt(x)
	rest := new(big.Rat).Sub(x, big.NewRat(n, 1))
	if c := rest.Cmp(big.NewRat(1, 2)); c > 0 || c == 0 && n&1 != 0 {
		n++
	}
	return n
}

// A texel of a corner-sampled image is one of a size less one: a sample between levels of their own number shows λ.
func TestTables_IMG426_LevelsOfCornerSampledImages(t *testing.T) {
	rules.Covers(t, "IMG-041", "IMG-425", "IMG-426", "IMG-429", "IMG-476")
	for _, size := range [][2]int{{9, 5}, {5, 17}, {33, 33}, {3, 9}} {
		levels := 1
		for n := max(size[0], size[1]); n > 2; n = (n + 1) / 2 {
			levels++
		}
		im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR32Sfloat, Extent: extent(uint32(size[0]), uint32(size[1]), 1), MipLevels: levels, Flags: vk.ImageCreateCornerSampledBitNV})
		for level := range levels {
			l := im.Level(0, level, 0)
			for y := range l.Height {
				for x := range l.Width {
					copy(l.Data[l.Offset(x, y, 0, 0):], float32Bytes(float32(level)))
				}
			}
		}
		v := newView(t, im, resource.ViewDesc{})
		s := newSampler(t, resource.Sampler{MagFilter: linear, MinFilter: linear, MipmapMode: vk.SamplerMipmapModeLinear, MaxLod: 99, AddressModeU: edge, AddressModeV: edge})
		op := sampleOp(ir.Dim2D)
		op.Lod = ir.LodGrad
		for d := range 2 {
			for lod := range levels {
				for to := range 2 {
					x := lane1{op: op, coord: []float32{.5, .5}, dx: []float32{0, 0}, dy: []float32{0, 0}}
					(*[2]*[]float32{&x.dx, &x.dy}[to])[d] = float32(int(1)<<lod) / float32(size[d]-1)
					if got := x.red(v, s); got != float32(lod) {
						t.Errorf("%v, 2^%d texels along %d: λ %v", size, lod, d, got)
					}
				}
			}
		}
	}
}

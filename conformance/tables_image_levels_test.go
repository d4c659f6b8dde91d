package conformance

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// levelSum is a weighted sum of texels, and the least and largest of those with weight.
type levelSum struct {
	sum          [4]*big.Rat
	size, lo, hi [4]float64
	lerps        bool // texels are interpolated (IMG-003)
	mixed        bool // levels are
	shares       bool // so are floats of 16 bits and less, with a product for each
	split        bool // a filter is NEAREST, so that floats are not
}

// lerps says that the format's texels are interpolated: they are no floats, nor UNORM or SNORM of 8 or of 16 bits throughout.
func (f *tableFormat) lerps() bool {
	if f.floats() {
		return false
	}
	codes, first := true, field{}
	for _, c := range f.fields {
		if c.numeric == "" { // padding
			continue
		}
		if first.bits == 0 {
			first = c
		}
		codes = codes && c.numeric == first.numeric && c.bits == first.bits
	}
	return !codes || first.bits != 8 && first.bits != 16 || first.numeric != "UNORM" && first.numeric != "SNORM"
}

// floats says that a component is a float.
func (f *tableFormat) floats() bool {
	return slices.ContainsFunc(f.fields, func(x field) bool {
		return x.numeric == "SFLOAT" || x.numeric == "UFLOAT" || x.numeric == "SHARED"
	})
}

// shares says that the format's components are floats of 16 bits or less.
func (f *tableFormat) shares() bool {
	return f.floats() && !slices.ContainsFunc(f.fields, func(x field) bool { return x.bits > 16 })
}

// addTexels adds four texels of a level from place on, of which the second ones have weight, all times share over 256.
func (f *tableFormat) addTexels(s *levelSum, data []byte, size [2]int, modes [2]vk.SamplerAddressMode, place [2]int, weight [2]int64, share int64) {
	s.lerps, s.shares = f.lerps(), f.shares() && !s.split
	for tap := range 4 {
		w := [2]int64{256 - weight[0], weight[0]}[tap&1] * [2]int64{256 - weight[1], weight[1]}[tap>>1] * share
		if w == 0 {
			continue
		}
		i, inX := wrapped(modes[0], place[0]+tap&1, size[0])
		j, inY := wrapped(modes[1], place[1]+tap>>1, size[1])
		texel := f.bordered(1, 1)
		if inX && inY {
			texel = f.texel(data[(j*size[0]+i)*f.bytes:][:f.bytes])
		}
		for c, bits := range texel {
			v := math.Float32frombits(bits)
			if s.sum[c] == nil {
				s.sum[c], s.lo[c], s.hi[c] = new(big.Rat), float64(v), float64(v)
			}
			s.lo[c], s.hi[c] = min(s.lo[c], float64(v)), max(s.hi[c], float64(v))
			part := f.exact(c, v)
			part.Mul(part, ratio(w, 1<<24))
			s.sum[c].Add(s.sum[c], part)
			a, _ := part.Float64()
			s.size[c] += math.Abs(a)
		}
	}
}

// addLevel adds what a filter takes of a level at normalized coordinates.
func (f *tableFormat) addLevel(s *levelSum, data []byte, size [2]int, filter vk.Filter, modes [2]vk.SamplerAddressMode, at [4]float32, share int64) {
	var place [2]int
	var weight [2]int64
	for d := range 2 {
		u := new(big.Rat).Mul(exactly(at[d]), ratio(int64(size[d]), 1))
		if filter == vk.FilterNearest {
			place[d] = int(floorOf(u).Int64())
			continue
		}
		x := roundEven(u.Sub(u.Mul(u, ratio(256, 1)), ratio(128, 1)))
		place[d], weight[d] = int(x>>8), x&255
	}
	f.addTexels(s, data, size, modes, place, weight, share)
}

// differs compares a result with the sum, or with the least or largest.
func (s *levelSum) differs(reduction vk.SamplerReductionMode, got [4]uint32) string {
	for c, bits := range got {
		g := math.Float32frombits(bits)
		switch reduction {
		case vk.SamplerReductionModeMin, vk.SamplerReductionModeMax:
			want := s.lo[c]
			if reduction == vk.SamplerReductionModeMax {
				want = s.hi[c]
			}
			if float64(g) != want {
				return fmt.Sprintf("component %d: %v, want %v", c, g, want)
			}
			continue
		}
		want := nearest32(s.sum[c])
		off := new(big.Rat).Sub(exactly(g), s.sum[c])
		d, _ := off.Abs(off).Float64()
		// Half a unit in the last place, and what sums and a quotient in binary64 add.
		unit := math.Abs(float64(math.Nextafter32(want, float32(math.Inf(1)))) - float64(want))
		limit := unit/2*(1+0x1p-28) + 0x1p-46*s.size[c]
		if s.mixed { // each level is rounded, then a difference and an FMA
			limit = unit/2 + 2*(max(-s.lo[c], s.hi[c])+s.hi[c]-min(s.lo[c], 0))*0x1p-24
		}
		if s.lerps { // two dimensions and levels, a difference and an FMA each, and one rounding of probes
			limit = unit/2 + 3*(max(-s.lo[c], s.hi[c])+s.hi[c]-min(s.lo[c], 0))*0x1p-24
		}
		if s.shares { // two dimensions and levels, a product and an FMA each
			limit = unit/2 + 3*2*max(-s.lo[c], s.hi[c])*0x1p-24
		}
		if !(d <= limit) || float64(g) < s.lo[c] || float64(g) > s.hi[c] { // IMG-534, IMG-535
			return fmt.Sprintf("component %d: %v, want %v", c, g, want)
		}
	}
	return ""
}

// exact is a component before it is rounded, of formats whose codes are summed (IMG-003); others sum what they read as.
func (f *tableFormat) exact(c int, read float32) *big.Rat {
	for _, x := range f.fields {
		if x.of == c && (x.bits == 8 || x.bits == 16) && (x.numeric == "UNORM" || x.numeric == "SNORM") && !f.mixed() {
			most := int64(1)<<x.bits - 1
			if x.numeric == "SNORM" {
				most >>= 1
			}
			v := exactly(read)
			return ratio(roundEven(v.Mul(v, ratio(most, 1))), most)
		}
	}
	return exactly(read)
}

// mixed says that a format's components have different sizes or kinds.
func (f *tableFormat) mixed() bool {
	for _, x := range f.fields {
		if x.bits != f.fields[0].bits || x.numeric != f.fields[0].numeric {
			return true
		}
	}
	return false
}

// finiteTexel is a texel of random codes that read as finite numbers.
func (f *tableFormat) finiteTexel(r *rand.Rand) []byte {
	texel := make([]byte, f.bytes)
	for i := range f.fields {
		c := &f.fields[i]
		for {
			code := r.Uint64() & (1<<c.bits - 1)
			x := float64(math.Float32frombits(c.number(code)))
			if x-x == 0 && math.Abs(x) < 1e9 && (x == 0 || math.Abs(x) > 1e-9) {
				c.put(texel, code)
				break
			}
		}
	}
	return texel
}

// Two levels of every format, with texels of either filter: sums over levels of sums over texels.
func TestTables_IMG555_LevelsOfEveryFormat(t *testing.T) {
	rules.Covers(t, "IMG-003", "IMG-011", "IMG-451", "IMG-460", "IMG-461", "IMG-462", "IMG-465", "IMG-532", "IMG-534", "IMG-550", "IMG-555", "IMG-556", "IMG-701", "IMG-704")
	r := rand.New(rand.NewPCG(27, 555))
	sizes := [3][2]int{{8, 4}, {4, 2}, {2, 1}}
	for _, dev := range imageDevices(t) {
		for n, f := range tableFormats(t) {
			if f.kind != "f" {
				continue
			}
			im, err := dev.NewImage(pumice.ImageDesc{Format: f.Format, Width: 8, Height: 4, MipLevels: 3})
			if err != nil {
				t.Fatal(err)
			}
			var levels [3][]byte
			for level, size := range sizes {
				for range size[0] * size[1] {
					levels[level] = append(levels[level], f.finiteTexel(r)...)
				}
				if err := im.Write(ctx, pumice.Subresource{Level: level}, levels[level]); err != nil {
					t.Fatal(err)
				}
			}
			for k, s := range []pumice.SamplerDesc{
				{MagFilter: vk.FilterLinear, MinFilter: vk.FilterLinear, MipmapMode: vk.SamplerMipmapModeLinear}, {MagFilter: vk.FilterNearest, MinFilter: vk.FilterNearest, MipmapMode: vk.SamplerMipmapModeLinear},
				{MagFilter: vk.FilterNearest, MinFilter: vk.FilterLinear, MipmapMode: vk.SamplerMipmapModeNearest}, {MagFilter: vk.FilterLinear, MinFilter: vk.FilterNearest, MipmapMode: vk.SamplerMipmapModeNearest},
				{MagFilter: vk.FilterNearest, MinFilter: vk.FilterLinear, MipmapMode: vk.SamplerMipmapModeLinear}, {MagFilter: vk.FilterLinear, MinFilter: vk.FilterNearest, MipmapMode: vk.SamplerMipmapModeLinear},
				{MagFilter: vk.FilterLinear, MinFilter: vk.FilterLinear, MipmapMode: vk.SamplerMipmapModeLinear, Reduction: vk.SamplerReductionModeMin},
				{MagFilter: vk.FilterLinear, MinFilter: vk.FilterLinear, MipmapMode: vk.SamplerMipmapModeLinear, Reduction: vk.SamplerReductionModeMax},
			} {
				s.AddressModeU, s.AddressModeV, s.BorderColor = addressModes[(n+k)%5], addressModes[(n/5+k)%5], vk.BorderColorFloatOpaqueWhite
				var lanes []imageLane
				for range 40 {
					l := imageLane{at: [4]float32{r.Float32()*2 - .5, r.Float32()*2 - .5}, lod: r.Float32()*3 - .5}
					if r.IntN(4) == 0 {
						l.lod = float32(r.IntN(9)-2) / 4
					}
					lanes = append(lanes, l)
				}
				got := dev.lanes(t, "tablesampledf", tableLod, false, pumice.Texture{View: im, Sampler: ruleSampler(t, dev, s)}, lanes)
				for i, l := range lanes {
					var sum levelSum
					hi, lo, delta := 0, 0, int64(0)
					d := new(big.Rat).Set(exactly(min(max(l.lod, 0), 2)))
					if s.MipmapMode == vk.SamplerMipmapModeNearest { // ceil(d + 1/2) − 1
						d.Add(d, ratio(1, 2))
						hi = int(floorOf(d.Neg(d)).Int64())
						hi = -hi - 1
					} else {
						x := roundEven(d.Mul(d, ratio(256, 1)))
						hi, delta = int(x/256), x%256
						lo = min(hi+1, 2)
					}
					filter := s.MagFilter
					if l.lod > 0 {
						filter = s.MinFilter
					}
					sum.mixed = delta != 0 && !f.floats()
					sum.split = min(s.MagFilter, s.MinFilter) == vk.FilterNearest
					f.addLevel(&sum, levels[hi], sizes[hi], filter, [2]vk.SamplerAddressMode{s.AddressModeU, s.AddressModeV}, l.at, 256-delta)
					f.addLevel(&sum, levels[lo], sizes[lo], filter, [2]vk.SamplerAddressMode{s.AddressModeU, s.AddressModeV}, l.at, delta)
					if bad := sum.differs(s.Reduction, got[i]); bad != "" {
						t.Errorf("%s, engine %s, %+v, %+v: %s", f.name, dev.Engine(), s, l, bad)
						break
					}
				}
			}
			im.Close()
		}
	}
}

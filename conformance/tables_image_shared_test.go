package conformance

import (
	"encoding/binary"
	"math"
	"math/big"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// sharedCode is the word of three numbers: IMG-060 to IMG-063, step by step.
func sharedCode(values [4]float32) uint32 {
	var c [3]*big.Rat
	largest := new(big.Rat)
	for i := range c {
		switch f := values[i]; {
		case !(f > 0):
			c[i] = new(big.Rat)
		case f > 65408:
			c[i] = ratio(65408, 1)
		default:
			c[i] = exactly(f)
		}
		if c[i].Cmp(largest) > 0 {
			largest = c[i]
		}
	}
	exp := 0
	if largest.Cmp(twoTo(-16)) > 0 {
		exp = exponentOf(largest) + 16
	}
	mantissa := func(x *big.Rat) int64 { // floor(x / 2^(exp−24) + 1/2)
		q := new(big.Rat).Mul(x, twoTo(24-exp))
		return floorOf(q.Add(q, ratio(1, 2))).Int64()
	}
	if mantissa(largest) == 512 {
		exp++
	}
	return uint32(exp)<<27 | uint32(mantissa(c[2]))<<18 | uint32(mantissa(c[1]))<<9 | uint32(mantissa(c[0]))
}

// sharedValues are triples in which each component is the largest in turn, at every exponent: just below, on and above the mantissas at
// which it takes the next one, with others at ties of theirs.
func sharedValues() (list [][4]float32) {
	inf := float32(math.Inf(1))
	special := []float32{0, minus0, -1, nan32, inf, -inf, smallest, 65408, 65407, 65376, 65375.996, 65472, 65536, math.MaxFloat32, 1e9, .1, .2, .3}
	for i, a := range special {
		for _, b := range special {
			list = append(list, [4]float32{a, b, special[(i+5)%len(special)]})
		}
	}
	for e := -27; e <= 16; e++ {
		for _, numerator := range []int64{1, 2, 3, 4, 5, 1021, 1022, 1023, 1024, 1025, 1026, 1027, 2043, 2044, 2045, 2046, 2047, 2048} { // of 2^e/1024
			x := nearest32(new(big.Rat).Mul(ratio(numerator, 1024), twoTo(e)))
			for d, large := range []float32{math.Nextafter32(x, 0), x, math.Nextafter32(x, inf)} {
				// Ties of mantissas: odd numbers of half units of the word's exponent.
				unit := twoTo(max(exponentOf(exactly(large))+16, 0) - 24)
				half := nearest32(unit.Mul(unit, ratio(2*(numerator%97)+1, 2)))
				v := [3]float32{large, min(half, large), min(math.Nextafter32(half, 0), large)}
				first := (int(numerator) + d) % 3
				list = append(list, [4]float32{v[first], v[(first+1)%3], v[(first+2)%3]}, [4]float32{v[first], v[(first+2)%3], v[(first+1)%3]})
			}
		}
	}
	for len(list)%64 != 0 {
		list = append(list, [4]float32{1, .5, .25})
	}
	return list
}

func TestTables_IMG062_SharedExponents(t *testing.T) {
	rules.Covers(t, "IMG-060", "IMG-061", "IMG-062", "IMG-063", "IMG-064", "IMG-065", "IMG-252", "IMG-380", "IMG-757")
	for _, c := range []struct { // the catalogue's vectors
		v    [4]float32
		want uint32
	}{
		{[4]float32{1, .5, .25}, 0x81010100}, {[4]float32{1e9, -1, nan32}, 0xF80001FF}, {[4]float32{0.99951171875, .5}, 0x80010100}, {[4]float32{0.998828125}, 0x780001FF},
		{[4]float32{0x1p-16}, 0x00000100}, {[4]float32{0x1p-24, 0x1p-25}, 0x00000201}, {[4]float32{65408, 65408, 1}, 0xF803FFFF}, {[4]float32{.1, .2, .3}, 0x74CD9A66},
	} {
		if got := sharedCode(c.v); got != c.want {
			t.Fatalf("the test's own formula: %v is %#x, want %#x", c.v, got, c.want)
		}
	}
	values := sharedValues()
	var want, floats []byte
	for _, v := range values {
		want = binary.LittleEndian.AppendUint32(want, sharedCode(v))
		for _, x := range v {
			floats = append(floats, word(x)...)
		}
	}
	f := &tableFormat{Format: vk.FormatE5B9G9R9UfloatPack32, name: "E5B9G9R9_UFLOAT_PACK32", bytes: 4}
	from := &tableFormat{Format: vk.FormatR32G32B32A32Sfloat, name: "R32G32B32A32_SFLOAT", bytes: 16}
	of := func(k int) any { return values[k] }
	for _, dev := range imageDevices(t) {
		var lanes []imageLane
		for k, v := range values {
			lanes = append(lanes, imageLane{at: v, texel: [3]int32{int32(k % 64), int32(k / 64)}})
		}
		im := f.image(t, dev, nil, len(values)/64)
		dev.lanes(t, "tablestoredf", tableStore, false, im, lanes)
		got, err := im.Read(ctx, pumice.Subresource{})
		if err != nil {
			t.Fatal(err)
		}
		f.differs(t, "store, engine "+dev.Engine(), got, want, of)
		for k, w := range dev.lanes(t, "tablesampledf", tableFetch, false, pumice.Texture{View: im, Sampler: ruleSampler(t, dev, pumice.SamplerDesc{})}, lanes)[:len(values)] {
			if x := shared(binary.LittleEndian.Uint32(want[4*k:])); w != x {
				t.Errorf("engine %s: %v is read as %x, want %x", dev.Engine(), values[k], w, x)
				break
			}
		}
		src, dst := from.image(t, dev, floats, len(values)/64), f.image(t, dev, nil, len(values)/64)
		cmd := dev.NewCommandBuffer()
		cmd.BlitImage(src, dst, vk.FilterNearest)
		if err := dev.Submit(ctx, cmd); err != nil {
			t.Fatal(err)
		}
		if got, err = dst.Read(ctx, pumice.Subresource{}); err != nil {
			t.Fatal(err)
		}
		f.differs(t, "blit, engine "+dev.Engine(), got, want, of)
		for _, im := range []*pumice.Image{im, src, dst} {
			im.Close()
		}
	}
	var clears []vk.ClearColorValue
	var texels []byte
	for k := 0; k < len(values); k += 17 {
		clears, texels = append(clears, vk.ClearColorValue{Float32: values[k]}), append(texels, want[4*k:4*k+4]...)
	}
	f.cleared(t, imageDevices(t)[0], clears, texels)
}

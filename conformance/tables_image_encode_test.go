package conformance

import (
	"bytes"
	"math"
	"math/big"
	"strconv"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Numbers written to each component of each format, by stores of shaders, clears and blits: at ties, beside them, at the ends
// of ranges and beyond, with both zeros, infinities and NaN.

// encoded is the code of a float: IMG-376 to IMG-380.
func (c *field) encoded(f float32) uint64 {
	mask := uint64(1)<<c.bits - 1
	if f != f {
		switch {
		case c.numeric == "UFLOAT":
			return 0x3F << (c.bits - 6)
		case c.numeric == "SFLOAT" && c.bits == 16:
			return 0x7E00
		case c.numeric == "SFLOAT":
			return 0x7FC00000
		}
		return 0
	}
	clamped := func(lo, hi, scale int64) uint64 {
		switch {
		case f <= float32(lo):
			return uint64(lo*scale) & mask
		case f >= float32(hi):
			return uint64(hi*scale) & mask
		}
		return uint64(roundEven(new(big.Rat).Mul(exactly(f), ratio(scale, 1)))) & mask
	}
	switch c.numeric {
	case "UNORM":
		return clamped(0, 1, int64(mask))
	case "SNORM":
		return clamped(-1, 1, int64(mask>>1))
	case "USCALED":
		return clamped(0, int64(mask), 1)
	case "SSCALED":
		return clamped(-int64(mask>>1)-1, int64(mask>>1), 1)
	case "SRGB":
		return srgbCode(exactly(min(max(f, 0), 1)))
	case "UFLOAT":
		switch {
		case f <= 0:
			return 0
		case math.IsInf(float64(f), 1):
			return 31 << (c.bits - 5)
		}
		return smallFloatCode(exactly(f), c.bits-5)
	}
	if c.bits == 32 {
		return uint64(math.Float32bits(f))
	}
	sign := uint64(math.Float32bits(f)>>31) << 15
	if math.IsInf(float64(f), 0) {
		return sign | 0x7C00
	}
	return sign | smallFloatCode(exactly(float32(math.Abs(float64(f)))), 10)
}

// writes are numbers and the codes that they become, of components of a kind.
type writes struct {
	floats []float32
	codes  []uint64
}

// componentWrites are those that have been found; finding them takes rationals.
var componentWrites = map[string]*writes{}

// writes are numbers to write to a component, and their codes.
func (c *field) writes() *writes {
	key := c.numeric + strconv.Itoa(c.bits)
	if componentWrites[key] == nil {
		w := &writes{floats: c.floats()}
		for _, f := range w.floats {
			w.codes = append(w.codes, c.encoded(f))
		}
		componentWrites[key] = w
	}
	return componentWrites[key]
}

// floats are numbers to write to a component: what decides between two codes, with the floats next to it, and what is special.
func (c *field) floats() (list []float32) {
	inf := float32(math.Inf(1))
	list = []float32{0, minus0, 1, -1, .5, -.5, .25, .75, nan32, inf, -inf, smallest, -smallest, math.MaxFloat32, -math.MaxFloat32, 1 - 0x1p-24, 1 + 0x1p-23, -1 - 0x1p-23, 2, 0x1p-126,
		65504, 65519.996, 65520, 65535, 65536, 65279.996, 65280, 65023.996, 65024, 64512, 0x1p-14, 0x1p-15, 0x1p-25, math.Nextafter32(0x1p-25, 1), 0x1p-24, -65520, -0x1p-25}
	about := func(x *big.Rat) {
		f := nearest32(x)
		list = append(list, math.Nextafter32(f, -inf), f, math.Nextafter32(f, inf))
	}
	codes := []uint64{}
	if c.bits <= 8 {
		for code := range uint64(1) << c.bits {
			codes = append(codes, code)
		}
	} else {
		for k := range c.bits {
			codes = append(codes, uint64(1)<<k, uint64(1)<<k-1, uint64(1)<<c.bits-1-uint64(1)<<k, uint64(0x5A5A5A5A)>>(31-k))
		}
	}
	for _, code := range codes {
		code &= uint64(1)<<c.bits - 1
		v := ratio(int64(code)*2+1, 2)
		switch c.numeric {
		case "UNORM":
			about(v.Quo(v, ratio(1<<c.bits-1, 1)))
		case "SNORM":
			v.Sub(v, ratio(1<<(c.bits-1), 1))
			about(v.Quo(v, ratio(1<<(c.bits-1)-1, 1)))
		case "USCALED":
			about(v)
		case "SSCALED":
			about(v.Sub(v, ratio(1<<(c.bits-1), 1)))
		case "SRGB": // between a code and the next one, on a curve that rises
			lo, hi := uint32(0), math.Float32bits(1)
			for lo < hi {
				if mid := (lo + hi) / 2; srgbReaches(exactly(math.Float32frombits(mid)), int(code)+1) {
					hi = mid
				} else {
					lo = mid + 1
				}
			}
			about(exactly(math.Float32frombits(lo)))
		case "UFLOAT", "SFLOAT":
			if c.bits == 32 {
				if f := math.Float32frombits(uint32(code)); f == f {
					list = append(list, f)
				}
				continue
			}
			m, sign := c.bits-5, float32(1)
			if c.numeric == "SFLOAT" {
				m = 10
				if code>>15 != 0 {
					sign = -1
				}
				code &= 0x7FFF
			}
			if a := math.Float32frombits(smallFloatBits(code, m)); a-a == 0 { // the middle of a code and the next one, which takes a bit more
				b := math.Nextafter32(math.Float32frombits(smallFloatBits(code+1, m)), 0)
				mid := new(big.Rat).Add(exactly(a), exactly(b))
				about(mid.Mul(mid.Quo(mid, ratio(2, 1)), exactly(sign)))
				list = append(list, sign*a)
			}
		}
	}
	return list
}

// written are texels of floats and the bytes that they become, in whole rows of 64.
func (f *tableFormat) written() (values [][4]float32, data []byte) {
	var list []*writes
	most := 64
	for i := range f.fields {
		list = append(list, f.fields[i].writes())
		most = max(most, len(list[i].floats))
	}
	for k := range (most + 63) &^ 63 {
		v, texel := [4]float32{3, 5, 7, 9}, make([]byte, f.bytes)
		for i, c := range f.fields {
			n := len(list[i].floats)
			at := (k + (k/n+5)*13*i) % n
			v[c.of] = list[i].floats[at]
			c.put(texel, list[i].codes[at])
		}
		values, data = append(values, v), append(data, texel...)
	}
	return values, data
}

// differs tells the first texel that is not as it should be. Where a format has X bits, they are 0.
func (f *tableFormat) differs(t *testing.T, what string, got, want []byte, of func(k int) any) {
	t.Helper()
	for k := range len(want) / f.bytes {
		g, w := got[k*f.bytes:][:f.bytes], want[k*f.bytes:][:f.bytes]
		if bytes.Equal(g, w) {
			continue
		}
		t.Errorf("%s, %s: %v is % x, want % x", f.name, what, of(k), g, w)
		return
	}
}

// floatFormats are formats that read as floats, but E5B9G9R9.
func floatFormats(t *testing.T) (list []*tableFormat) {
	for _, f := range tableFormats(t) {
		if f.kind == "f" && f.fields[0].numeric != "SHARED" {
			list = append(list, f)
		}
	}
	return list
}

func TestTables_IMG376_FloatsToEveryFormat(t *testing.T) {
	rules.Covers(t, "IMG-049", "IMG-249", "IMG-374", "IMG-375", "IMG-376", "IMG-377", "IMG-378", "IMG-379", "IMG-380", "IMG-382", "IMG-383", "IMG-578")
	for _, dev := range imageDevices(t) {
		for _, f := range floatFormats(t) {
			values, want := f.written()
			of := func(k int) any { return values[k] }
			height := len(values) / 64
			check := func(what string, im *pumice.Image) {
				got, err := im.Read(ctx, pumice.Subresource{})
				if err != nil {
					t.Fatal(err)
				}
				f.differs(t, what+", engine "+dev.Engine(), got, want, of)
				im.Close()
			}
			if f.stored() {
				im := f.image(t, dev, bytes.Repeat([]byte{0xA5}, len(want)), height)
				var lanes []imageLane
				for k, v := range values {
					lanes = append(lanes, imageLane{at: v, texel: [3]int32{int32(k % 64), int32(k / 64)}})
				}
				dev.lanes(t, "tablestoredf", tableStore, false, im, lanes)
				check("store", im)
			}
			var data []byte
			for _, v := range values {
				for _, x := range v {
					data = append(data, word(x)...)
				}
			}
			from := &tableFormat{Format: vk.FormatR32G32B32A32Sfloat, bytes: 16, name: "R32G32B32A32_SFLOAT"}
			src := from.image(t, dev, data, height)
			dst := f.image(t, dev, bytes.Repeat([]byte{0xA5}, len(want)), height)
			cmd := dev.NewCommandBuffer()
			cmd.BlitImage(src, dst, vk.FilterNearest)
			if err := dev.Submit(ctx, cmd); err != nil {
				t.Fatalf("%s: %v", f.name, err)
			}
			src.Close()
			check("blit", dst)
		}
	}
}

// Each clear fills a layer.
func TestTables_IMG376_ClearsOfEveryFormat(t *testing.T) {
	rules.Covers(t, "IMG-249", "IMG-258", "IMG-375", "IMG-376", "IMG-377", "IMG-378", "IMG-379", "IMG-380")
	dev := imageDevices(t)[0]
	for _, f := range floatFormats(t) {
		values, want := f.written()
		stride := 1
		if testing.Short() {
			stride = len(values)/64 | 1
		}
		var list []vk.ClearColorValue
		var texels []byte
		for k := 0; k < len(values); k += stride {
			list = append(list, vk.ClearColorValue{Float32: values[k]})
			texels = append(texels, f.clearOf(values[k], want[k*f.bytes:][:f.bytes])...)
		}
		f.cleared(t, dev, list, texels)
	}
}

// clearOf is the texel of a clear colour, texel or, in scaled formats, the integers that are its bits, if all of these are in range: IMG-258.
func (f *tableFormat) clearOf(value [4]float32, texel []byte) []byte {
	integers := make([]byte, f.bytes)
	for _, c := range f.fields {
		v := int64(math.Float32bits(value[c.of]))
		if c.numeric == "SSCALED" {
			v = int64(int32(v))
		}
		mask := int64(1)<<c.bits - 1
		switch {
		case c.numeric == "USCALED" && v <= mask:
		case c.numeric == "SSCALED" && v >= -(mask>>1)-1 && v <= mask>>1:
		default:
			return texel
		}
		c.put(integers, uint64(v))
	}
	return integers
}

// cleared clears layers of an image of one texel each.
func (f *tableFormat) cleared(t *testing.T, dev *imageDevice, values []vk.ClearColorValue, want []byte) {
	t.Helper()
	im, err := dev.NewImage(pumice.ImageDesc{Format: f.Format, Width: 1, Height: 1, Layers: len(values)})
	if err != nil {
		t.Fatal(err)
	}
	defer im.Close()
	cmd := dev.NewCommandBuffer()
	for k, v := range values {
		cmd.ClearColorImage(im, v, vk.ImageSubresourceRange{AspectMask: vk.ImageAspectColorBit, LevelCount: 1, BaseArrayLayer: uint32(k), LayerCount: 1})
	}
	if err := dev.Submit(ctx, cmd); err != nil {
		t.Fatal(err)
	}
	var got []byte
	for k := range values {
		texel, err := im.Read(ctx, pumice.Subresource{Layer: k})
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, texel...)
	}
	f.differs(t, "clear", got, want, func(k int) any { return values[k] })
}

// saturated is the code of an integer: IMG-381.
func (c *field) saturated(v int64) uint64 {
	mask := uint64(1)<<c.bits - 1
	if c.numeric == "UINT" || c.numeric == "USCALED" {
		return uint64(min(max(v, 0), int64(mask)))
	}
	return uint64(min(max(v, -int64(mask>>1)-1), int64(mask>>1))) & mask
}

// Integers of either signedness to every format that holds integers, by stores and clears; scaled formats hold the same integers.
func TestTables_IMG381_IntegersToEveryFormat(t *testing.T) {
	rules.Covers(t, "IMG-244", "IMG-258", "IMG-371", "IMG-374", "IMG-381", "IMG-578")
	var words []uint32
	for k := range 32 {
		for d := range uint32(3) {
			words = append(words, 1<<k+d-1, -(1<<k + d - 1))
		}
	}
	words = append(words, 300, 0x5A5A5A5A, 0xA5A5A5A5)
	for len(words)%64 != 0 {
		words = append(words, words[len(words)-13]*3+1)
	}
	for _, dev := range imageDevices(t) {
		for _, f := range tableFormats(t) {
			numeric := f.fields[0].numeric
			if f.kind == "f" && numeric != "USCALED" && numeric != "SSCALED" {
				continue
			}
			for _, kind := range []string{"u", "i"} {
				n := len(words)
				var lanes []imageLane
				var clears []vk.ClearColorValue
				var want []byte
				for k := range words {
					l := imageLane{at: [4]float32{math.Float32frombits(7), math.Float32frombits(7), math.Float32frombits(7), math.Float32frombits(7)}, texel: [3]int32{int32(k % 64), int32(k / 64)}}
					clear := vk.ClearColorValue{}
					texel := make([]byte, f.bytes)
					for i, c := range f.fields {
						w := words[(k+29*i)%n]
						v := int64(w)
						if kind == "i" {
							v = int64(int32(w))
						}
						l.at[c.of] = math.Float32frombits(w)
						clear.Uint32[c.of], clear.Int32[c.of] = w, int32(w)
						c.put(texel, c.saturated(v))
					}
					lanes, clears, want = append(lanes, l), append(clears, clear), append(want, texel...)
				}
				im := f.image(t, dev, bytes.Repeat([]byte{0xA5}, len(want)), n/64)
				dev.lanes(t, "tablestored"+kind, tableStore, false, im, lanes)
				got, err := im.Read(ctx, pumice.Subresource{})
				if err != nil {
					t.Fatal(err)
				}
				im.Close()
				f.differs(t, "store of "+kind+", engine "+dev.Engine(), got, want, func(k int) any { return clears[k].Uint32 })
				if kind == f.kind {
					for k := range clears {
						if kind == "u" {
							clears[k].Int32 = [4]int32{}
						} else {
							clears[k].Uint32 = [4]uint32{}
						}
					}
					f.cleared(t, dev, clears, want)
				}
			}
		}
	}
}

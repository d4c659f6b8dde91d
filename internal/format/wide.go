package format

import (
	"encoding/binary"
	"math"

	"github.com/pumice-gpu/pumice/vk"
)

// Wide holds the four components of a texel with 64-bit components: the bits of a float64, an int64 or a uint64, by Class.
type Wide [4]uint64

// Decode64 converts the texel at the start of src without loss, as IMG-259 wants for 64-bit formats. Formats with narrower
// components return false.
//
// IMG-754
func (i *Info) Decode64(src []byte) (Wide, bool) {
	if i.Compressed || i.Components[0].Bits != 64 {
		return Wide{}, false
	}
	w := Wide{3: 1}
	if i.Class == ClassFloat {
		w[3] = math.Float64bits(1)
	}
	for k, c := range i.Components {
		if c.Kind != KindNone {
			w[k] = binary.LittleEndian.Uint64(src[c.Shift/8:])
		}
	}
	return w, true
}

// Encode64 writes a texel of a 64-bit format. Formats with narrower components write nothing and return false.
//
// IMG-754
func (i *Info) Encode64(dst []byte, w Wide) bool {
	if i.Compressed || i.Components[0].Bits != 64 {
		return false
	}
	for k, c := range i.Components {
		if c.Kind != KindNone {
			binary.LittleEndian.PutUint64(dst[c.Shift/8:], w[k])
		}
	}
	return true
}

// Words returns the format that has the low and the high word of a format's only component of 64 bits as red and green. Nil for formats
// that are no such integer.
func (i *Info) Words() *Info {
	if !i.wide() || !i.atomic() {
		return nil
	}
	words, _ := Lookup(vk.FormatR32G32Uint)
	return words
}

// decodeWide narrows 64-bit components to the 32-bit lanes of a Texel: floats round to nearest, integers saturate.
//
// IMG-754
func decodeWide(i *Info, src []byte) Texel {
	w, _ := i.Decode64(src)
	var t Texel
	for k, v := range w {
		switch i.Class {
		case ClassFloat:
			t[k] = math.Float32bits(float32(math.Float64frombits(v)))
		case ClassSint:
			t[k] = uint32(int32(max(min(int64(v), math.MaxInt32), math.MinInt32)))
		case ClassUint:
			t[k] = uint32(min(v, math.MaxUint32))
		}
	}
	return t
}

// encodeWide widens the lanes of a Texel, exactly.
func encodeWide(i *Info, dst []byte, t Texel) {
	var w Wide
	for k, v := range t {
		switch i.Class {
		case ClassFloat:
			w[k] = math.Float64bits(float64(math.Float32frombits(v)))
		case ClassSint:
			w[k] = uint64(int64(int32(v)))
		case ClassUint:
			w[k] = uint64(v)
		}
	}
	i.Encode64(dst, w)
}

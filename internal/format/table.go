package format

import (
	"sort"
	"sync"

	"github.com/pumice-gpu/pumice/internal/format/astc"
	"github.com/pumice-gpu/pumice/vk"
)

// table completes the rows with their codecs, once, at first use.
var table = sync.OnceValue(func() []Info {
	for i := range rows {
		rows[i].codec = newCodec(&rows[i])
	}
	return rows
})

// Lookup returns the row of a format, or false where Vulkan has no such format (FormatUndefined included). Rows are sorted by
// number; the 184 formats of Vulkan 1.0 stand at their own index.
func Lookup(f vk.Format) (*Info, bool) {
	t := table()
	if i := int(f) - 1; i >= 0 && i < len(t) && t[i].Format == f {
		return &t[i], true
	}
	i := sort.Search(len(t), func(i int) bool { return t[i].Format >= f })
	if i < len(t) && t[i].Format == f {
		return &t[i], true
	}
	return nil, false
}

// All returns every format of the table, in the order of their numbers.
func All() []vk.Format {
	t := table()
	out := make([]vk.Format, len(t))
	for i := range t {
		out[i] = t[i].Format
	}
	return out
}

// WithoutTransfer returns the row of the format that has the same bits and no sRGB transfer function, where the format has
// one and is not compressed, else i itself. Formats of 8 bits come in families, of which UNORM is the first
// and SRGB the seventh.
func (i *Info) WithoutTransfer() *Info {
	if i.Numeric == NumericSrgb && !i.Compressed {
		if row, ok := Lookup(i.Format - 6); ok {
			return row
		}
	}
	return i
}

// decodeModes holds the rows of ASTC formats that decode to less precision than usual, by format and mode.
var decodeModes = sync.OnceValue(func() map[[2]vk.Format]*Info {
	m := map[[2]vk.Format]*Info{}
	for _, i := range table() {
		if i.codec.block != blockASTC || i.Numeric == NumericSrgb { // IMG-878: sRGB has one mode
			continue
		}
		for f, mode := range map[vk.Format]astc.Mode{vk.FormatR8G8B8A8Unorm: astc.ModeUnorm8, vk.FormatE5B9G9R9UfloatPack32: astc.ModeSharedExponent} {
			row := i
			row.codec.mode = mode
			m[[2]vk.Format{i.Format, f}] = &row
		}
	}
	return m
})

// DecodeMode is the format to whose precision the blocks of a row that DecodingTo gave decode, where that makes
// a difference; UNDEFINED of all other rows.
//
// IMG-878
func (i *Info) DecodeMode() vk.Format {
	switch i.codec.mode {
	case astc.ModeUnorm8:
		return vk.FormatR8G8B8A8Unorm
	case astc.ModeSharedExponent:
		return vk.FormatE5B9G9R9UfloatPack32
	}
	return vk.FormatUndefined
}

// unscaled holds the integer formats of scaled ones.
var unscaled = sync.OnceValue(func() map[vk.Format]*Info {
	m := map[vk.Format]*Info{}
	t := table()
	for i := range t {
		want := NumericUint
		switch t[i].Numeric {
		case NumericUscaled:
		case NumericSscaled:
			want = NumericSint
		default:
			continue
		}
		for k := range t {
			if t[k].Numeric == want && t[k].Aspects == vk.ImageAspectColorBit && sameFields(&t[i], &t[k]) {
				m[t[i].Format] = &t[k]
			}
		}
	}
	return m
})

// sameFields says that components lie at the same bits, in words of the same kind.
func sameFields(a, b *Info) bool {
	for c := range a.Components {
		x, y := a.Components[c], b.Components[c]
		if x.Kind != y.Kind || x.Bits != y.Bits || x.Shift != y.Shift {
			return false
		}
	}
	return a.BlockBytes == b.BlockBytes && a.PackedBits == b.PackedBits
}

// Unscaled returns the format of the integers that a scaled format reads as floats: R8_UINT of R8_USCALED. Nil for all others.
//
// IMG-243
func (i *Info) Unscaled() *Info {
	return unscaled()[i.Format]
}

// DecodingTo returns the row of a format whose blocks decode to the precision of f, one of R16G16B16A16_SFLOAT, R8G8B8A8_UNORM and
// E5B9G9R9_UFLOAT_PACK32 (VK_EXT_astc_decode_mode): i itself where that makes no difference. False for other f.
func (i *Info) DecodingTo(f vk.Format) (*Info, bool) {
	switch f {
	case vk.FormatR16G16B16A16Sfloat:
		return i, true
	case vk.FormatR8G8B8A8Unorm, vk.FormatE5B9G9R9UfloatPack32:
		if row := decodeModes()[[2]vk.Format{i.Format, f}]; row != nil {
			return row, true
		}
		return i, true
	default:
		return nil, false
	}
}

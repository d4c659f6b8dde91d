package texture

import (
	"context"
	"fmt"
	"math"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/vk"
)

// stored is how a file keeps texels that no format of Vulkan's has, or not all by itself: components at other bits, grey in one of
// them, bits that mean nothing, components that stand for others. The texels become those of File.Format, which holds each of their
// numbers exactly, or correctly rounded to 32 bits.
type stored struct {
	block
	// decode gives the texels of a block: floats or integers, as the class of File.Format says.
	decode func(dst []format.Texel, src []byte)
	// swizzle picks the component of each component, "" for their own.
	swizzle string
	one     uint32 // in the class
	unit    bool   // colours of 0 to 1
	srgb    bool   // whose codes are sRGB
	// ones are bits that are set in texels which are as File.Format says else; 0 where there is decode.
	ones uint32
}

// plain is how a format of Vulkan's is stored.
func plain(info *format.Info) *stored {
	s := &stored{block: blockOf(info), decode: info.DecodeBlock, one: 1, srgb: info.Numeric == format.NumericSrgb}
	if info.Class == format.ClassFloat {
		s.one = math.Float32bits(1)
	}
	s.unit = s.srgb || info.Numeric == format.NumericUnorm
	return s
}

// recode makes texels of File.Format out of those that load left.
func (s *source) recode(ctx context.Context, opt Options) error {
	to, _ := format.Lookup(s.Format)
	levels, layers := s.wanted(opt)
	load := s.Charge - 24*int64(levels)*int64(layers) // what is given back in the end
	done := map[*byte][]byte{}                        // faces that are missing are one and the same
	for i, src := range s.data {
		level := i / layers
		if same := done[&src[0]]; same != nil {
			s.data[i] = same
			continue
		}
		n := s.levelBytes(to, level)
		if err := s.take(opt, n); err != nil {
			return &Error{Kind: s.Kind, Msg: fmt.Sprintf("level %d, layer %d as %v", level, i%layers, s.Format), Err: err}
		}
		dst := make([]byte, n)
		width, height, depth := s.extent(level)
		var err error
		if s.stored.ones != 0 {
			err = s.stored.set(ctx, s.Kind, dst, src)
		} else {
			err = s.stored.each(ctx, s.Kind, width, height, depth, src, func(at int, row []format.Texel) {
				to.EncodeRow(dst[at*to.BlockBytes:], row)
			})
		}
		if err != nil {
			return err
		}
		s.data[i], done[&src[0]] = dst, dst
	}
	opt.Budget.Drop(load)
	s.Charge -= load
	return nil
}

// set copies texels and sets bits in each.
func (t *stored) set(ctx context.Context, kind string, dst, src []byte) error {
	const piece = 1 << 20 // texels
	copy(dst, src)
	for at := 0; at < len(dst); at += piece * t.bytes {
		if err := ctx.Err(); err != nil {
			return &Error{Kind: kind, Msg: "decoding", Err: err}
		}
		texels := dst[at:min(at+piece*t.bytes, len(dst))]
		for k := range t.bytes {
			if ones := byte(t.ones >> (8 * k)); ones != 0 {
				for i := k; i < len(texels); i += t.bytes {
					texels[i] |= ones
				}
			}
		}
	}
	return nil
}

// maxRow is how many texels each hands on at once, where blocks are texels.
const maxRow = 256

// each decodes a level of so many texels and hands on pieces of its rows, with the place of their first texel.
func (t *stored) each(ctx context.Context, kind string, width, height, depth int, src []byte, row func(at int, texels []format.Texel)) error {
	var texels [max(maxRow, format.MaxBlockTexels)]format.Texel
	wide := t.block
	if t.width*t.height*t.depth == 1 {
		wide.width = maxRow
	}
	for z := 0; z < depth; z += wide.depth {
		for y := 0; y < height; y += wide.height {
			if err := ctx.Err(); err != nil {
				return &Error{Kind: kind, Msg: "decoding", Err: err}
			}
			for x := 0; x < width; x += wide.width {
				n := min(wide.width, width-x)
				if wide == t.block {
					t.decode(texels[:t.width*t.height*t.depth], src)
					src = src[t.bytes:]
				} else {
					for k := range n {
						t.decode(texels[k:k+1], src)
						src = src[t.bytes:]
					}
				}
				for k := range min(wide.depth, depth-z) {
					for j := range min(wide.height, height-y) {
						piece := texels[(k*wide.height+j)*wide.width:][:n]
						t.pick(piece)
						row(((z+k)*height+y+j)*width+x, piece)
					}
				}
			}
		}
	}
	return nil
}

// pick puts the components that swizzle names in the place of their own.
func (t *stored) pick(row []format.Texel) {
	if t.swizzle == "" {
		return
	}
	for i, own := range row {
		for c := range row[i] {
			switch name := t.swizzle[c]; name {
			case '0':
				row[i][c] = 0
			case '1':
				row[i][c] = t.one
			default:
				row[i][c] = own[component(name)]
			}
		}
	}
}

// component is the index of r, g, b or a.
func component(name byte) int {
	switch name {
	case 'r':
		return 0
	case 'g':
		return 1
	case 'b':
		return 2
	}
	return 3
}

// swizzled sets how components of the source's format stand for others, "rgba" for their own, and the format that has them all.
// The format is one that was checked.
func (s *source) swizzled(swizzle string) error {
	info, _ := format.Lookup(s.Format)
	// What a format lacks is 0, alpha 1.
	missing := func(name byte) byte {
		if name != '0' && name != '1' && info.Components[component(name)].Kind == format.KindNone {
			return "0001"[component(name)]
		}
		return name
	}
	same := true
	for c := range 4 {
		same = same && missing(swizzle[c]) == missing("rgba"[c])
	}
	if same {
		return nil
	}
	no := func(why string) error {
		return &Error{Kind: s.Kind, Msg: fmt.Sprintf("swizzle %q of %v: %s", swizzle, s.Format, why), Unsupported: true}
	}
	switch {
	case info.Depth() || info.Stencil():
		return no("depth and stencil have no colours")
	case info.Chroma != "":
		return no("it needs a Y′CBCR conversion")
	case info.Components[0].Bits == 64:
		return no("it has components of 64 bits")
	case info.Supported() != nil:
		return no("it cannot be decoded")
	}
	t := plain(info)
	t.swizzle = swizzle
	s.stored, s.Plain = t, false
	if s.Stored == "" {
		s.Stored = s.Format.String()
	}
	s.Stored += " as " + swizzle
	s.Format = roomFor(info, swizzle)
	return nil
}

// roomFor is the format with four components that holds those of another one in any order.
func roomFor(info *format.Info, swizzle string) vk.Format {
	most, exact := 0, !info.Compressed // exact: of 8 or 16 bits the numbers of all
	for _, c := range info.Components {
		if c.Kind != format.KindNone {
			most = max(most, c.Bits)
			exact = exact && c.Bits > 0 && 16%c.Bits == 0
		}
	}
	size := 2 // of 8, 16 and 32 bits
	switch {
	case most <= 8:
		size = 0
	case most <= 16:
		size = 1
	}
	list := [3]vk.Format{2: vk.FormatR32G32B32A32Sfloat}
	switch info.Numeric {
	case format.NumericUint, format.NumericBool:
		return [3]vk.Format{vk.FormatR8G8B8A8Uint, vk.FormatR16G16B16A16Uint, vk.FormatR32G32B32A32Uint}[size]
	case format.NumericSint:
		return [3]vk.Format{vk.FormatR8G8B8A8Sint, vk.FormatR16G16B16A16Sint, vk.FormatR32G32B32A32Sint}[size]
	case format.NumericUnorm:
		list[0], list[1] = vk.FormatR8G8B8A8Unorm, vk.FormatR16G16B16A16Unorm
	case format.NumericSnorm:
		list[0], list[1] = vk.FormatR8G8B8A8Snorm, vk.FormatR16G16B16A16Snorm
	case format.NumericSfloat:
		list[1], exact = vk.FormatR16G16B16A16Sfloat, !info.Compressed && most == 16
	case format.NumericSrgb:
		// Alpha is linear, so that it can neither stand for a colour nor be one.
		linear := swizzle[3] != 'a' && swizzle[3] != '0' && swizzle[3] != '1'
		for c := range 3 {
			linear = linear || swizzle[c] == 'a'
		}
		if list[0] = vk.FormatR8G8B8A8Srgb; linear {
			exact = false
		}
	default:
		exact = false
	}
	if !exact || list[size] == 0 {
		return list[2]
	}
	return list[size]
}

package sampling

import (
	"encoding/binary"
	"math"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/fp"
)

// texelSet is one texel a lane, a component at a time: bits of binary32 numbers,
// or integers.
type texelSet = [4][chunk]uint32

// padOffsets makes offsets fit for kernels up to the next multiple of eight.
func (u *Unit) padOffsets(n int) {
	for k := n; k&7 != 0; k++ {
		u.off[k] = u.off[0]
	}
}

// decodeOne is decode for component c alone; false where its class has no loop
// for that.
func (u *Unit) decodeOne(p *plan, to *[chunk]uint32, c int, data []byte, n int) bool {
	off, d := u.off[:n], to[:n]
	if u.simd && (p.key.Texel == TexelU8x4 || p.key.Texel == TexelWords && p.count == 1) {
		u.padOffsets(n)
		if p.count == 1 {
			gatherAVX2(to, &data[0], &u.off, n)
			return true
		}
		gatherAVX2(&u.words, &data[0], &u.off, n)
		unormAVX2(to, &u.words, uint64(p.shift[c&3]), n)
		return true
	}
	switch p.key.Texel {
	case TexelU8x4, TexelSrgb8x4:
		at := int(p.shift[c&3] >> 3 & 3)
		if p.key.Texel == TexelSrgb8x4 && c < 3 {
			for k, o := range off {
				d[k] = srgb8(uint32(data[int(o)+at]))
			}
			return true
		}
		for k, o := range off {
			d[k] = unorm8(uint32(data[int(o)+at]))
		}
	case TexelWords:
		for k, o := range off {
			d[k] = binary.LittleEndian.Uint32(data[int(o)+4*c:])
		}
	case TexelF16:
		for k, o := range off {
			d[k] = half(uint64(binary.LittleEndian.Uint16(data[int(o)+2*c:])))
		}
	default:
		return false
	}
	return true
}

// decode reads the texels at the first n offsets in data: format conversion (§9) of the
// components that the format stores. The others are left as they are: what
// missing says is the same for all texels.
//
// IMG-240, IMG-257
func (u *Unit) decode(p *plan, t *texelSet, data []byte, n int) {
	off := u.off[:n]
	switch p.key.Texel {
	case TexelU8x4:
		u.decodeU8x4(p, t, data, n)
	case TexelSrgb8x4:
		p.decodeSrgb8x4(t, data, off)
	case TexelU8:
		p.decodeU8(t, data, off)
	case TexelU16:
		p.decodeU16(t, data, off)
	case TexelF16:
		p.decodeF16(t, data, off)
	case TexelWords:
		p.decodeWords(t, data, off)
	case TexelPacked:
		p.decodePacked(t, data, off)
	case TexelUfloat:
		for k, o := range off {
			x := binary.LittleEndian.Uint32(data[o:])
			t[0][k], t[1][k] = math.Float32bits(fp.Float11ToFloat(x&0x7FF)), math.Float32bits(fp.Float11ToFloat(x>>11&0x7FF))
			t[2][k] = math.Float32bits(fp.Float10ToFloat(x >> 22))
		}
	default:
		p.decodeAny(t, data, off)
	}
}

// decodePacked reads UNORM fields.
func (p *plan) decodePacked(t *texelSet, data []byte, off []int32) {
	for c := range t {
		if !p.stored[c] {
			continue
		}
		d, shift, bits := t[c][:len(off)], p.shift[c]&31, uint(p.info.Components[c].Bits)
		mask := uint32(1)<<bits - 1
		scale := float32(mask)
		if p.info.BlockBytes == 2 {
			for k, o := range off {
				d[k] = math.Float32bits(float32(uint32(binary.LittleEndian.Uint16(data[o:]))>>shift&mask) / scale)
			}
			continue
		}
		for k, o := range off {
			d[k] = math.Float32bits(float32(binary.LittleEndian.Uint32(data[o:])>>shift&mask) / scale)
		}
	}
}

func (u *Unit) decodeU8x4(p *plan, t *texelSet, data []byte, n int) {
	off := u.off[:n]
	if u.simd {
		u.padOffsets(n)
		gatherAVX2(&u.words, &data[0], &u.off, n)
		for c := range t {
			unormAVX2(&t[c], &u.words, uint64(p.shift[c]), n)
		}
		return
	}
	r, g, b, a := t[0][:len(off)], t[1][:len(off)], t[2][:len(off)], t[3][:len(off)]
	s0, s1, s2, s3 := p.shift[0]&31, p.shift[1]&31, p.shift[2]&31, p.shift[3]&31
	for k, o := range off {
		x := binary.LittleEndian.Uint32(data[o:])
		r[k], g[k] = unorm8(x>>s0), unorm8(x>>s1)
		b[k], a[k] = unorm8(x>>s2), unorm8(x>>s3)
	}
}

func (p *plan) decodeSrgb8x4(t *texelSet, data []byte, off []int32) {
	r, g, b, a := t[0][:len(off)], t[1][:len(off)], t[2][:len(off)], t[3][:len(off)]
	s0, s1, s2, s3 := p.shift[0]&31, p.shift[1]&31, p.shift[2]&31, p.shift[3]&31
	for k, o := range off {
		x := binary.LittleEndian.Uint32(data[o:])
		r[k], g[k] = srgb8(x>>s0), srgb8(x>>s1)
		b[k], a[k] = srgb8(x>>s2), unorm8(x>>s3)
	}
}

func unorm8(x uint32) uint32 { return math.Float32bits(fp.Unorm8ToFloat(uint8(x))) }
func srgb8(x uint32) uint32  { return math.Float32bits(fp.SrgbToLinear(uint8(x))) }

func (p *plan) decodeU8(t *texelSet, data []byte, off []int32) {
	for c := range p.count {
		d := t[c&3][:len(off)]
		for k, o := range off {
			d[k] = unorm8(uint32(data[int(o)+c]))
		}
	}
}

func (p *plan) decodeU16(t *texelSet, data []byte, off []int32) {
	for c := range p.count {
		d := t[c&3][:len(off)]
		for k, o := range off {
			d[k] = math.Float32bits(fp.UnormToFloat(uint32(binary.LittleEndian.Uint16(data[int(o)+2*c:])), 16))
		}
	}
}

func (p *plan) decodeF16(t *texelSet, data []byte, off []int32) {
	if p.count == 4 {
		r, g, b, a := t[0][:len(off)], t[1][:len(off)], t[2][:len(off)], t[3][:len(off)]
		for k, o := range off {
			x := binary.LittleEndian.Uint64(data[o:])
			r[k], g[k], b[k], a[k] = half(x), half(x>>16), half(x>>32), half(x>>48)
		}
		return
	}
	for c := range p.count {
		d := t[c&3][:len(off)]
		for k, o := range off {
			d[k] = half(uint64(binary.LittleEndian.Uint16(data[int(o)+2*c:])))
		}
	}
}

func half(x uint64) uint32 { return math.Float32bits(fp.HalfToFloat(uint16(x))) }

func (p *plan) decodeWords(t *texelSet, data []byte, off []int32) {
	if p.count == 4 {
		r, g, b, a := t[0][:len(off)], t[1][:len(off)], t[2][:len(off)], t[3][:len(off)]
		for k, o := range off {
			x := data[o : o+16 : o+16]
			r[k], g[k] = binary.LittleEndian.Uint32(x), binary.LittleEndian.Uint32(x[4:])
			b[k], a[k] = binary.LittleEndian.Uint32(x[8:]), binary.LittleEndian.Uint32(x[12:])
		}
		return
	}
	for c := range p.count {
		d := t[c&3][:len(off)]
		for k, o := range off {
			d[k] = binary.LittleEndian.Uint32(data[int(o)+4*c:])
		}
	}
}

// decodeAny goes through the format's codec, a texel at a time.
func (p *plan) decodeAny(t *texelSet, data []byte, off []int32) {
	for k, o := range off {
		x := p.info.Decode(data[o:])
		t[0][k], t[1][k], t[2][k], t[3][k] = x[0], x[1], x[2], x[3]
	}
}

// decodeCodes is decode for formats that filter as integers: codes as binary32
// numbers, exact since they have at most 16 bits.
func (u *Unit) decodeCodes(p *plan, t *texelSet, data []byte, n int) {
	off := u.off[:n]
	switch p.key.Texel {
	case TexelU8x4:
		for c := range t {
			d, s := t[c][:len(off)], p.shift[c]&31
			for k, o := range off {
				d[k] = math.Float32bits(float32(uint8(binary.LittleEndian.Uint32(data[o:]) >> s)))
			}
		}
		return
	case TexelU8:
		for c := range p.count {
			d := t[c&3][:len(off)]
			for k, o := range off {
				d[k] = math.Float32bits(float32(data[int(o)+c]))
			}
		}
		return
	case TexelU16:
		for c := range p.count {
			d := t[c&3][:len(off)]
			for k, o := range off {
				d[k] = math.Float32bits(float32(binary.LittleEndian.Uint16(data[int(o)+2*c:])))
			}
		}
		return
	default:
	}
	u.decode(p, t, data, n)
	for c := range t {
		if p.stored[c] {
			d := t[c][:len(off)]
			for k, b := range d {
				d[k] = math.Float32bits(float32(math.RoundToEven(float64(float64(math.Float32frombits(b)) * p.st.CodeMax))))
			}
		}
	}
}

// missing is what a component that the format lacks reads as.
func (p *plan) missing(c int) uint32 {
	switch {
	case c < 3:
		return 0
	case p.info.Class != format.ClassFloat:
		return 1
	default:
		return oneFloat
	}
}

const (
	oneFloat     = 0x3F800000
	canonicalNaN = 0x7FC00000
)

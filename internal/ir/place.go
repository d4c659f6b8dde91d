package ir

import "math/bits"

// Lanes of a place and bounds of what its operations name.
const (
	PlaceLanes   = 16
	PlaceSamples = 64 // of a pixel
	MaxSurfaces  = 8
	// MaxStoreWords is how many words one OpStoreTexel may have: those of the largest format.
	// Machine code has all operands of an instruction in registers at once.
	MaxStoreWords = 4
	maxRecord     = 1 << 13 // bytes; 512 interpolated values are 6 KiB of it
)

// Texel is the immediate of OpLoadTexel and OpStoreTexel: of an attachment whose pixels
// have Bytes bytes (a power of two up to MaxPixelBytes, without Size) the word of 32 bits with that number.
// Of pixels below a word's size it is the only one, and has zeros above.
type Texel struct {
	Surface, Word uint8
	// Sample has to be covered for the word to be loaded, or one of so many more behind it.
	Sample, More uint8
	Bytes        uint16
	// Size: the word has so many bytes, and begins Shift bytes later. Nothing beside it is read or
	// written, and pixels may have any size. Zero: four, or those of a smaller pixel.
	Size, Shift uint8
}

// MaxMore is the most that Texel.More is.
const MaxMore = 15

// MaxPixelBytes is how large pixels of attachments may be: 64 samples of 16 bytes.
const MaxPixelBytes = 1024

// Imm packs it.
func (t Texel) Imm() uint64 {
	return uint64(t.Surface) | uint64(t.Word)<<8 | uint64(t.Sample)<<16 | uint64(t.Bytes)<<24 |
		uint64(t.Size)<<40 | uint64(t.Shift)<<44 | uint64(t.More)<<48
}

// TexelOf unpacks it.
func TexelOf(imm uint64) Texel {
	return Texel{
		Surface: uint8(imm), Word: uint8(imm >> 8), Sample: uint8(imm >> 16), Bytes: uint16(imm >> 24),
		Size: uint8(imm >> 40 & 15), Shift: uint8(imm >> 44 & 15), More: uint8(imm >> 48 & MaxMore),
	}
}

// Words is the number of words of a pixel.
func (t Texel) Words() int { return (int(t.Bytes) + 3) / 4 }

// Begin is where in its pixel the word begins, in bytes.
func (t Texel) Begin() int { return 4*int(t.Word) + int(t.Shift) }

// Len is how many bytes the word has.
func (t Texel) Len() int {
	if t.Size > 0 {
		return int(t.Size)
	}
	return min(4, int(t.Bytes))
}

// Samples is the number of samples of places up to the last one that may have to be covered.
func (t Texel) Samples() int { return int(t.Sample) + int(t.More) + 1 }

// exists says that the fields are in range.
func (t Texel) exists() bool {
	if t.Size > 0 {
		return t.Size <= 4 && t.Shift < 4 && t.Bytes <= MaxPixelBytes && t.Begin()+t.Len() <= int(t.Bytes) &&
			t.Surface < MaxSurfaces && t.Samples() <= PlaceSamples
	}
	return t.Shift == 0 && bits.OnesCount16(t.Bytes) == 1 && t.Bytes <= MaxPixelBytes &&
		t.Surface < MaxSurfaces && int(t.Word) < t.Words() && t.Samples() <= PlaceSamples
}

// Places says that the program has operations on places.
func (p *Program) Places() bool {
	for i := range p.Insts {
		if op := p.Insts[i].Op; op >= OpPixel && op <= OpStoreTexel {
			return true
		}
	}
	return false
}

// place checks an operation on places.
func (v *verifier) place(at Value, in *Inst) {
	if len(v.loops) > 0 {
		v.fail(at, "%s inside of a loop", in.Op)
	}
	t := TexelOf(in.Imm)
	ok := true
	switch in.Op {
	case OpPixel:
		ok = in.Imm < 2
	case OpRecord:
		ok = in.Imm < maxRecord && in.Imm%4 == 0
	case OpCovered, OpCover:
		ok = in.Imm < PlaceSamples
	case OpLoadTexel:
		ok = in.Imm>>52 == 0 && t.exists()
	case OpStoreTexel:
		ok = in.Imm>>48 == 0 && t.exists() && len(in.More)%2 == 0 && int(t.Word)+len(in.More)/2 <= t.Words()
		ok = ok && len(in.More) <= 2*MaxStoreWords && (t.Size == 0 || len(in.More) == 2)
	}
	if !ok {
		v.fail(at, "%s with immediate %#x and %d operands", in.Op, in.Imm, len(in.More))
		return
	}
	for i, a := range in.More {
		v.operand(at, a, [2]Type{Bool, I32}[i%2])
	}
}

package sampling

import (
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/internal/resource"
	ref "github.com/pumice-gpu/pumice/internal/sampling"
	"github.com/pumice-gpu/pumice/vk"
)

// Key is the state that chooses code: comparable, without pointers and floats,
// and canonical, so that states that run the same code have the same key
// (fields that decide nothing are zero).
type Key struct {
	Kind    ir.ImageKind
	Dim     ir.ImageDim
	Arrayed bool
	Texel   TexelClass
	Sum     SumClass
	// Level selection.
	Lod       ir.LodMode
	OneLevel  bool // neither level nor filter depend on the LOD
	MipLinear bool
	MinLod    bool
	Aniso     bool
	// Filtering.
	Mag, Min  vk.Filter
	Modes     [3]vk.SamplerAddressMode
	Border    bool // a mode is CLAMP_TO_BORDER
	Seams     bool
	Offset    bool
	Texels    bool // unnormalized coordinates
	Compare   bool
	CompareOp vk.CompareOp
	RefUnit   bool
	Reduction vk.SamplerReductionMode
	Ycbcr     bool // through a conversion, from several planes
	Corner    bool // corner-sampled
}

// TexelClass says how a texel in memory becomes four words.
type TexelClass uint8

// Classes of texels.
const (
	TexelAny     TexelClass = iota // by the format's codec
	TexelU8                        // UNORM bytes, 1 or 2
	TexelU8x4                      // four UNORM bytes in any order
	TexelSrgb8x4                   // four sRGB bytes in any order
	TexelU16                       // UNORM of 16 bits, 1, 2 or 4
	TexelF16                       // binary16, 1, 2 or 4
	TexelWords                     // 32-bit components as they are, 1…4
	TexelBlock                     // compressed
	TexelPacked                    // UNORM fields of a word of 16 or 32 bits
	TexelUfloat                    // B10G11R11
)

// SumClass says how weighted texels add up.
type SumClass uint8

// Classes of sums. Each gives the bits that package sampling's comment defines.
const (
	SumNone   SumClass = iota // single texels only
	SumBytes                  // 8-bit UNORM codes, packed in integers
	SumCodes                  // codes of 8 or 16 bits, exact in binary64
	SumFinite                 // binary64; texels are finite and never −0, so weights of 0 add nothing
	SumFloat                  // binary64 with weights of 0 left out
	SumReduce                 // minimum or maximum
)

// classOf finds a format's class of texels and how many components it has. That formats
// with components of 8, 16 or 32 bits have them in order, TestDecode_EveryFormat sees.
func classOf(info *format.Info) (TexelClass, int) {
	if info.Compressed {
		return TexelBlock, 0
	}
	c0, numeric := info.Components[0], info.Numeric
	n, bytes, packed := 0, true, info.BlockBytes == 2 || info.BlockBytes == 4
	for _, c := range info.Components {
		if c.Kind == format.KindNone {
			continue
		}
		n++
		bytes = bytes && c.Bits == 8
		packed = packed && c.Numeric == format.NumericUnorm
	}
	switch {
	case bytes && n == 4 && numeric == format.NumericUnorm:
		return TexelU8x4, 4
	case bytes && n == 4 && numeric == format.NumericSrgb:
		return TexelSrgb8x4, 4
	case c0.Bits == 8 && n <= 2 && numeric == format.NumericUnorm:
		return TexelU8, n
	case c0.Bits == 16 && n != 3 && numeric == format.NumericUnorm:
		return TexelU16, n
	case c0.Bits == 16 && n != 3 && numeric == format.NumericSfloat:
		return TexelF16, n
	case c0.Bits == 32 && (numeric == format.NumericSfloat || numeric == format.NumericUint || numeric == format.NumericSint):
		return TexelWords, n
	}
	switch {
	case packed && !info.Depth():
		return TexelPacked, n
	case numeric == format.NumericUfloat && c0.Bits == 11:
		return TexelUfloat, n
	}
	return TexelAny, 0
}

// sumOf finds how a sample's texels add up.
func sumOf(info *format.Info, st *ref.State, t TexelClass) SumClass {
	switch {
	case st.Reduction == vk.SamplerReductionModeMin || st.Reduction == vk.SamplerReductionModeMax:
		return SumReduce
	case st.Compare:
		return SumFinite // ones and zeros
	case st.CodeMax == 255 && (t == TexelU8 || t == TexelU8x4):
		return SumBytes
	case st.CodeMax != 0:
		return SumCodes
	}
	for _, c := range info.Components {
		if c.Numeric == format.NumericSfloat || c.Numeric == format.NumericUfloat {
			return SumFloat
		}
	}
	if t == TexelBlock {
		return SumFloat
	}
	for _, m := range st.Modes[:st.Dims] {
		if m == vk.SamplerAddressModeClampToBorder {
			return SumFloat // a custom border colour may be anything
		}
	}
	return SumFinite
}

// KeyOf returns the key of an instruction on a view and a sampler (nil where it
// has none). It returns false where the instruction runs on the reference.
func KeyOf(op *ir.ImageOp, v *resource.ImageView, s *resource.Sampler) (Key, bool) {
	k, _, ok := resolve(op, v, s)
	return k, ok
}

// resolve is KeyOf with the state that the key is made of.
//
// IMG-002, IMG-204
func resolve(op *ir.ImageOp, v *resource.ImageView, s *resource.Sampler) (Key, ref.State, bool) {
	k := Key{Kind: op.Kind, Dim: op.Dim, Arrayed: op.Arrayed}
	if op.Wide {
		return Key{}, ref.State{}, false
	}
	switch op.Kind {
	case ir.ImageSample, ir.ImageGather:
	case ir.ImageFetch, ir.ImageRead, ir.ImageWrite, ir.ImageAtomic:
		st, ok := ref.ResolveTexels(v)
		if !ok || !addressable(v) || op.Dim == ir.DimBuffer || op.Kind == ir.ImageWrite && (v.Info.Compressed || otherSign(op, v)) || op.Kind == ir.ImageAtomic && !wordTexels(v) {
			return Key{}, ref.State{}, false
		}
		k.Texel, _ = classOf(v.Info)
		return k, st, true
	default:
		return Key{}, ref.State{}, false
	}
	if s == nil {
		return Key{}, ref.State{}, false
	}
	if y, ok := ref.ResolveYcbcr(op, v, s); ok {
		k.Offset = op.HasOffset
		return resolveYcbcr(k, v, &y)
	}
	st, ok := ref.Resolve(op, v, s)
	if !ok || !addressable(v) || v.Image.Samples != 1 || st.Compare && v.Info.Components[0].Kind == format.KindNone {
		return Key{}, ref.State{}, false
	}
	k.Texel, _ = classOf(v.Info)
	k.Seams, k.Texels, k.Offset, k.Corner = st.Seams, st.Unnormalized, op.HasOffset && !st.Cube, st.Corner
	if k.Compare = st.Compare; k.Compare {
		k.CompareOp, k.RefUnit = st.CompareOp, st.RefUnit
	}
	for d := range st.Dims {
		if k.Modes[d] = st.Modes[d]; st.Seams {
			k.Modes[d] = vk.SamplerAddressModeClampToEdge // IMG-215
		}
		k.Border = k.Border || k.Modes[d] == vk.SamplerAddressModeClampToBorder
	}
	if op.Kind == ir.ImageGather {
		if op.Dim != ir.Dim2D && op.Dim != ir.DimCube {
			return Key{}, ref.State{}, false
		}
		return k, st, true
	}
	k.Lod, k.MinLod = op.Lod, op.HasMinLod
	k.Mag, k.Min, k.Aniso = st.Mag, st.Min, st.Aniso > 1
	if k.Aniso && (op.Lod == ir.LodExplicit || op.Lod == ir.LodZero) {
		k.Aniso = false // no footprint
	}
	k.OneLevel = v.Levels == 1 && st.Mag == st.Min && !k.Aniso
	if k.OneLevel {
		k.Lod, k.MinLod = 0, false
	} else {
		k.MipLinear = st.MipLinear && v.Levels > 1
	}
	if k.Mag != vk.FilterNearest || k.Min != vk.FilterNearest || k.MipLinear || k.Aniso {
		if v.Info.Class != format.ClassFloat {
			return Key{}, ref.State{}, false // sums of integers mean nothing
		}
		k.Sum, k.Reduction = sumOf(v.Info, &st, k.Texel), st.Reduction
	}
	return k, st, true
}

// otherSign says that integers of one signedness are written to the other, which
// the reference saturates (IMG-381).
//
// IMG-371
func otherSign(op *ir.ImageOp, v *resource.ImageView) bool {
	return op.Result == ir.ClassSint && v.Info.Class == format.ClassUint || op.Result == ir.ClassUint && v.Info.Class == format.ClassSint
}

// wordTexels says that each texel of the view is a word, as atomics have it. Layouts keep words at multiples of their size.
//
// IMG-596
func wordTexels(v *resource.ImageView) bool {
	return v.Info.BlockBytes == 4 && v.Info.ComponentCount == 1 && memory.Word(v.Image.Data) != nil
}

// addressable says that every texel of the view lies at an offset that fits
// int32, so that offsets of a batch are words, and is a sum of what each dimension
// adds.
func addressable(v *resource.ImageView) bool {
	size := v.Image.Layout.Size
	return size < 1<<31 && !v.Slabs() && int64(len(v.Image.Data)) >= size
}

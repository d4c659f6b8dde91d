package texel

import (
	"math"
	"slices"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// Kind is what a routine does.
type Kind uint8

// Kinds of routines.
const (
	Fetch     Kind = iota // integer coordinates: OpImageFetch, OpImageRead
	Nearest               // one texel of one level
	Linear                // 2, 4 or 8 texels of one level
	Gather                // a component of four texels of one level
	Store                 // integer coordinates and a texel: OpImageWrite
	Atomic                // integer coordinates and what the operation takes: an atomic on a texel of one word
	Converted             // codes of planes, through a Y′CBCR conversion
	Query                 // what Answers tells; only Inline knows it
)

// Key is the state that chooses a routine: comparable, and canonical, so that fields
// which decide nothing are zero.
type Key struct {
	Kind   Kind
	Format vk.Format // of the view
	Decode vk.Format // what blocks of the view decode to, where that is not all they have
	Dims   uint8     // dimensions with texels of their own: 1…3
	// Layered: an operand selects the layer. Sampled: one selects the sample.
	Layered, Sampled bool
	Modes            [3]vk.SamplerAddressMode
	// PowerOfTwo says of a dimension that wraps around that its size is one.
	PowerOfTwo   [3]bool
	Unnormalized bool
	Offset       bool // operands move the texel
	// Compare: depth comparison. RefUnit: its reference is clamped to [0, 1].
	Compare   bool
	CompareOp vk.CompareOp
	RefUnit   bool
	// Levels: each lane has a level of its own, by derivatives, gradients or the
	// operand, with a bias of the sampler if Biased; MipLinear: the weighted sum of two.
	Levels    bool
	Lod       ir.LodMode
	Biased    bool
	MinLod    bool // an operand bounds it
	MipLinear bool
	// NearestMag, NearestMin: a Linear routine filters so where the level is magnified, or where
	// it is not (IMG-451).
	NearestMag, NearestMin bool
	// Cube: three coordinates select a face, and a layer counts six; Seams: edges of faces are joined.
	Cube, Seams bool
	Aniso       bool // probes along the footprint's major axis
	// Far: coordinates are binary64 numbers, so that sizes may be any. Corner: they count from the
	// first texel's centre, which takes binary64 numbers, too. Single: the view has one level.
	Far, Corner, Single bool
	Sum                 Sum // of Linear routines, and of two levels; comparisons have their own
	// Swizzle is what the components of a result are: as resource.SwizzleOf says. A
	// Gather's texels all give component Swizzle[0].
	Swizzle [4]int8
	Results uint8       // components that the instruction gives, or those that a Store has
	Op      ir.AtomicOp // of Atomic
	// Columns: operands say where in its row a lane's texels begin; rows and slices are those of
	// Params. Into, if it is not UNDEFINED, is the format in whose codes the texel is given, in words.
	Columns bool
	Into    vk.Format
	Ycbcr   Ycbcr // of Converted
	// Cubic: a Linear routine filters CUBIC instead, with a set of weights. Clamp: to the range of the
	// texels.
	Cubic, Clamp bool
	Weights      vk.CubicFilterWeightsQCOM
	// Each: lanes have images of their own, whose number is an operand; all else of the key is the
	// same for them.
	Each bool
}

// Operand is a row that a routine takes: a word a lane.
type Operand uint8

// Operands. Coordinates of Fetch, Store and Atomic are integers, others binary32.
const (
	CoordX Operand = iota
	CoordY
	CoordZ
	Layer
	Sample
	OffsetX
	OffsetY
	OffsetZ
	Dref
	Lod
	GradXX
	GradXY
	GradXZ
	GradYX
	GradYY
	GradYZ
	MinLod
	TexelR // of Store: of the view's class; of Atomic: the value, then its comparator
	TexelG
	TexelB
	TexelA
	First // of Columns: bytes from the row's start to the texel, or to the first of two
	Second
	Weight // of the second texel, in 1/256
	Which  // of Each: the number of a lane's image
)

// Operands lists the rows that a routine takes, in the order of its inputs.
func (k *Key) Operands() []Operand {
	switch {
	case k.Columns && k.Kind == Linear:
		return []Operand{First, Second, Weight}
	case k.Columns:
		return []Operand{First}
	}
	coords := k.coords()
	rows := []Operand{CoordX, CoordY, CoordZ}[:coords]
	if k.Layered {
		rows = append(rows, Layer)
	}
	if k.Sampled {
		rows = append(rows, Sample)
	}
	if k.Offset {
		rows = append(rows, []Operand{OffsetX, OffsetY, OffsetZ}[:k.Dims]...)
	}
	if k.Compare {
		rows = append(rows, Dref)
	}
	switch {
	case k.Levels && (k.Lod == ir.LodExplicit || k.Lod == ir.LodBias):
		rows = append(rows, Lod)
	case k.Levels && k.Lod == ir.LodGrad:
		rows = append(rows, []Operand{GradXX, GradXY, GradXZ}[:coords]...)
		rows = append(rows, []Operand{GradYX, GradYY, GradYZ}[:coords]...)
	}
	if k.MinLod {
		rows = append(rows, MinLod)
	}
	switch k.Kind {
	case Store:
		rows = append(rows, []Operand{TexelR, TexelG, TexelB, TexelA}[:k.Results]...)
	case Atomic:
		rows = append(rows, []Operand{TexelR, TexelG}[:k.Op.Values()]...)
	}
	if k.Each {
		rows = append(rows, Which)
	}
	return rows
}

// coords is how many coordinates there are besides the layer.
func (k *Key) coords() int {
	if k.Cube {
		return 3
	}
	return int(k.Dims)
}

// Whole says that coordinates are integers, and the level one for all lanes.
func (k *Key) Whole() bool { return k.Kind == Fetch || k.Writes() }

// Writes says that the routine changes texels.
func (k *Key) Writes() bool { return k.Kind == Store || k.Kind == Atomic }

// far says that coordinates are binary64 numbers, of any size.
func (k *Key) far() bool {
	return k.Far || k.Corner || k.Kind == Converted || k.Cubic
}

// split says that magnification and minification have different filters.
func (k *Key) split() bool { return k.NearestMag || k.NearestMin }

// clamps says that an address mode has an edge.
func (k *Key) clamps() bool {
	return slices.ContainsFunc(k.Modes[:k.Dims], func(m vk.SamplerAddressMode) bool {
		return m != vk.SamplerAddressModeRepeat && m != vk.SamplerAddressModeMirroredRepeat
	})
}

// Leaves says that the routine has a last output that is not zero in lanes which it
// leaves to the reference.
func (k *Key) Leaves() bool {
	return k.rounds() && k.clamps() || k.Seams && (k.Kind == Linear || k.Kind == Gather) ||
		k.Offset && !k.Whole() ||
		k.Levels && (k.derives() || k.Lod == ir.LodExplicit && k.Biased || k.MinLod) ||
		(k.Far || k.Corner || k.Kind == Converted || k.Cubic) && !k.Cube
}

// derives says that levels follow from derivatives.
func (k *Key) derives() bool { return k.Lod != ir.LodExplicit && k.Lod != ir.LodZero }

// Quads says that the lanes must be whole quads.
func (k *Key) Quads() bool { return k.Levels && (k.Lod == ir.LodImplicit || k.Lod == ir.LodBias) }

// Lowered says whether there is a routine for a key whose fields hold what Vulkan
// allows.
func (k *Key) Lowered() bool {
	if k.Kind == Converted {
		return true
	}
	info, ok := format.Lookup(k.Format)
	if ok && info.Compressed {
		ok = !k.Writes()
	} else {
		ok = ok && decodes(info)
	}
	if !ok || k.Compare && info.Class != format.ClassFloat ||
		k.Dims > 2 && (k.Layered || k.Unnormalized) || k.Cube && k.Unnormalized {
		return false
	}
	if k.Columns && (info.Compressed || k.Kind != Nearest && k.Kind != Linear || k.Compare ||
		k.Levels || k.Cube || k.Offset || k.Layered) {
		return false
	}
	if k.Each && (k.Columns || k.Writes()) {
		return false
	}
	if to, known := format.Lookup(k.Into); k.Into != vk.FormatUndefined &&
		(!k.Columns || !known || to.Class != info.Class || !packs(to)) {
		return false
	}
	sums := k.Kind == Linear || k.MipLinear || k.split()
	whole := info.Class == format.ClassFloat
	if most, _ := codes(info); k.Sum == SumCodes && most == 0 {
		whole = false
	}
	if k.Compare {
		whole = k.weightBits() <= 24
	}
	if k.Sum.reduces() && k.Compare || k.Levels && k.Unnormalized || sums && !whole {
		return false
	}
	if k.Cubic && (k.Kind != Linear || k.split() || k.Aniso || k.Columns || k.Sum < SumFloat) {
		return false
	}
	if k.Aniso && (!k.Levels || k.Kind != Linear || k.Dims < 2 || k.NearestMag ||
		k.Lod == ir.LodExplicit || k.Lod == ir.LodZero || k.Compare && !k.separate()) {
		return false
	}
	switch k.Kind {
	case Fetch:
		return true
	case Store:
		return encodes(info)
	case Atomic: // IMG-596
		return info.BlockBytes == 4 && info.ComponentCount == 1 && info.Aspects == vk.ImageAspectColorBit
	case Nearest, Linear:
		return !k.Sampled
	case Gather:
		return !k.Sampled && k.Dims == 2
	}
	return false
}

// MaxSize is the largest size of a dimension that the routine's arithmetic allows
// (see axis.go).
func (k *Key) MaxSize(d int) int32 {
	switch {
	case k.far():
		return resource.MaxExtent
	case k.Kind != Linear && k.Kind != Gather:
		return 1 << 16
	case k.Modes[d] == vk.SamplerAddressModeRepeat && !k.Offset,
		k.Modes[d] == vk.SamplerAddressModeClampToEdge && !k.Offset:
		return 1<<14 - 1
	case k.Offset:
		return 1<<13 - 2*maxOffset - 2
	default:
		return 1<<13 - 1
	}
}

// MinSize is the smallest size of a dimension that the routine's arithmetic allows.
func (k *Key) MinSize(d int) int32 {
	m := k.Modes[d]
	if k.far() {
		return 1
	}
	if k.Offset && !k.PowerOfTwo[d] &&
		(m == vk.SamplerAddressModeRepeat || m == vk.SamplerAddressModeMirroredRepeat) {
		if k.Levels {
			return math.MaxInt32
		}
		return maxOffset + 1
	}
	return 1
}

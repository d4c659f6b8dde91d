// Package fragops lowers the operations after shading to programs for the engines:
// blending, logical operations, masks and packing of one colour attachment become a
// program that is made from a state key. The bits are those of the reference,
// internal/fragops.
//
// A program is a function of rows of lanes: it has colours and stored texels as
// inputs and new texels as outputs, and touches no memory, so that one program serves
// all layouts and sample counts. Who runs it fetches texels and stores them where
// there is coverage.
package fragops

import (
	"encoding/binary"
	"math"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower/pack"
	"github.com/pumice-gpu/pumice/vk"
)

// ColorKey is the state that a program is made for. Blend constants are no part of
// it: they are push constants, the same in all lanes, so that programs which animate
// them don't compile.
type ColorKey struct {
	Format vk.Format
	Mask   vk.ColorComponentFlags
	// Logical: Logic combines the codes.
	Logical bool
	Logic   vk.LogicOp
	// Blending: the equation is evaluated.
	Blending           bool
	SrcColor, DstColor vk.BlendFactor
	ColorOp            vk.BlendOp
	SrcAlpha, DstAlpha vk.BlendFactor
	AlphaOp            vk.BlendOp
	// Advanced is of an advanced operation, which has no factors, and alone says what becomes of alpha.
	Advanced fragops.AdvancedBlend
	// Permutes: the engine has words of tables from permutations of vectors (exec.Placer).
	Permutes bool
	// Reduction is of programs on places.
	Reduction Reduction
}

// KeyOf is the key of a state.
func KeyOf(s *fragops.ColorState) ColorKey {
	k := ColorKey{Format: s.Info.Format, Mask: s.Mask, Logical: s.Logical, Blending: s.Blending}
	if s.Logical {
		k.Logic = s.Logic
	}
	switch b := &s.Blend; {
	case !s.Blending:
	case b.ColorOp > vk.BlendOpMax:
		k.ColorOp, k.Advanced = b.ColorOp, b.Advanced
	default:
		k.SrcColor, k.DstColor, k.ColorOp, k.SrcAlpha, k.DstAlpha, k.AlphaOp = b.SrcColor, b.DstColor, b.ColorOp, b.SrcAlpha, b.DstAlpha, b.AlphaOp
	}
	return k
}

// Push constants are words: the four blend constants, clamped as RAS-339 says, and of programs on
// places whose coverage modulates colours the factors of 1 to 64 samples.
const pushFactors = 4

// pushBytes is the size of the push constants.
func (k *ColorKey) pushBytes() uint32 {
	if k.Reduction.modulates() {
		return 4 * (pushFactors + fragops.MaxSamples)
	}
	return 4 * pushFactors
}

// Pushed says that a program has any of them.
func (k *ColorKey) Pushed() bool { return k.constant() || k.Reduction.modulates() }

// Push writes the push constants of a state; c is what becomes of coverage, or nil.
func Push(s *fragops.ColorState, c *fragops.Coverage) []byte {
	constants := s.Blend.Clamped(s.Blend.Constants)
	words := constants[:]
	if c != nil && c.Modulates() {
		words = append(words, c.Factor[:]...)
	}
	var p []byte
	for _, v := range words {
		p = binary.LittleEndian.AppendUint32(p, math.Float32bits(v))
	}
	return p
}

// Lower makes a program of a key that loads and stores texels itself, those of the covered samples of
// its places in surface 0. It takes the four components of the source in slots 0 to 3, those of the
// second source, where the key is Dual, in 4 to 7.
func Lower(k ColorKey, samples Window) (*ir.Program, error) {
	info, _ := format.Lookup(k.Format)
	p := &ir.Program{Stage: ir.StageFragment, Name: "color " + k.Format.String(), PushBytes: k.pushBytes()}
	b := newBuilder(ir.NewBuilder(p), k, info)
	b.source = b.inputs(4, k.sourceType(info))
	if k.Dual() {
		b.second = b.inputs(4, ir.F32)
	}
	b.store(0, samples, CoverageKey{Samples: samples}.keep(b.Builder, nil))
	b.Finish()
	if err := ir.Verify(p); err != nil {
		return nil, err
	}
	ir.Optimize(p)
	return p, nil
}

// store loads and stores the texels of a surface where what is covered of the pixel's samples covers
// them.
//
// RAS-332, RAS-333, RAS-334 fragops-coverage-reduction
func (b *builder) store(surface int, samples Window, covered []ir.Value) {
	r := &b.k.Reduction
	of, groups, whole := r.Window(samples), r.groups(samples), b.whole(samples, covered)
	pixel := newPixel(b.Builder, uint8(surface), b.info.BlockBytes, of, groups)
	if r.Width > 0 {
		b.source[0] = b.mask(whole)
	}
	source, second := b.source, b.second
	for sample, group := range groups {
		var own []ir.Value
		for _, k := range group {
			own = append(own, covered[k])
		}
		all := own
		if r.Whole() {
			n := int(r.Group)
			all = whole[(of.First+sample)*n:][:n]
		}
		on := b.reduced(own, all)
		if r.modulates() {
			b.source, b.second = b.modulated(source, all), b.modulated(second, all)
		}
		b.stored = b.stored[:0]
		for w := range b.words {
			b.stored = append(b.stored, pixel.load(sample, w))
		}
		b.equations()
		for w := range b.words {
			pixel.store(sample, w, on, b.word(w))
		}
	}
	pixel.finish()
}

// builder builds the program of a key.
type builder struct {
	*ir.Builder
	k      ColorKey
	info   *format.Info
	words  int // of a texel, the last perhaps in part
	source []ir.Value
	second []ir.Value // of dual source blending
	stored []ir.Value // words of the texel
	color  [4]number  // what is stored
	// constants is where in records the push constants are, 0 where they are none of a record.
	constants int
}

// newBuilder builds with b what a key says of texels of a format.
func newBuilder(b *ir.Builder, k ColorKey, info *format.Info) *builder {
	return &builder{Builder: b, k: k, info: info, words: (info.BlockBytes + 3) / 4}
}

// equations makes what is stored of the source.
func (b *builder) equations() {
	if b.k.Blending {
		b.blend()
		return
	}
	for i, v := range b.source {
		b.color[i] = pack.Any(v)
	}
}

// sourceType is what the source's bits are: those that are stored as they are need no
// conversion.
//
// RAS-348
func (k *ColorKey) sourceType(info *format.Info) ir.Type {
	raw := info.Class != format.ClassFloat || info.Components[0].Bits == 32
	if raw && !k.Blending && !k.Reduction.modulates() {
		return ir.I32
	}
	return ir.F32
}

// inputs adds n rows.
func (b *builder) inputs(n int, t ir.Type) []ir.Value {
	var list []ir.Value
	for i := range n {
		slot := len(b.P.Inputs)
		b.P.Inputs = append(b.P.Inputs, ir.IO{Location: uint32(slot / 4), Component: uint32(i), Type: t, Interp: ir.Flat})
		list = append(list, b.OpImm(ir.OpInput, t, uint64(slot)))
	}
	return list
}

// writes says that component i is written.
func (b *builder) writes(i int) bool {
	return b.k.Mask>>i&1 != 0 && b.info.Components[i].Kind != format.KindNone
}

// word makes word w of the new texel.
//
// RAS-345..347, RAS-348 framebuffer-logicop, framebuffer-color-write-mask
func (b *builder) word(w int) ir.Value {
	v := ir.NoValue
	bias, written := uint32(0), uint32(0)
	var srgb []number
	var shifts []uint32
	for i := range b.color {
		c := &b.info.Components[i]
		if c.Shift/32 != w || !b.writes(i) {
			continue
		}
		shift := uint32(c.Shift % 32)
		written |= uint32(1<<c.Bits-1) << shift
		if c.Numeric == format.NumericSrgb && b.k.Permutes {
			srgb, shifts = append(srgb, b.color[i]), append(shifts, shift)
			continue
		}
		code, more := pack.Encode(b.Builder, c, b.color[i])
		v = b.sum(v, b.shl(code, shift))
		bias += more << shift
	}
	if len(srgb) > 0 {
		codes, more := pack.Srgb(b.Builder, srgb, shifts)
		v, bias = b.sum(v, codes), bias+more
	}
	if v == ir.NoValue {
		v = b.I32(0)
	}
	if bias != 0 {
		v = b.Op(ir.OpISub, ir.I32, v, b.I32(bias))
	}
	if !b.k.Logical && b.k.Mask == allComponents {
		return v // padding becomes 0
	}
	if b.k.Logical {
		if v = b.logic(v, w); written != math.MaxUint32 {
			v = b.Op(ir.OpAnd, ir.I32, v, b.I32(written))
		}
	}
	if ^written&b.inTexel(w) == 0 {
		return v
	}
	return b.Op(ir.OpOr, ir.I32, v, b.Op(ir.OpAnd, ir.I32, b.stored[w], b.I32(^written)))
}

const allComponents = vk.ColorComponentRBit | vk.ColorComponentGBit | vk.ColorComponentBBit | vk.ColorComponentABit

// inTexel is the bits of word w that the texel has.
func (b *builder) inTexel(w int) uint32 {
	return uint32(uint64(1)<<min(32, 8*b.info.BlockBytes-32*w) - 1)
}

// sum adds what may be NoValue.
func (b *builder) sum(a, c ir.Value) ir.Value {
	if a == ir.NoValue {
		return c
	}
	return b.Op(ir.OpIAdd, ir.I32, a, c)
}

func (b *builder) shl(v ir.Value, n uint32) ir.Value {
	if n == 0 {
		return v
	}
	return b.Op(ir.OpShl, ir.I32, v, b.I32(n))
}

func (b *builder) shr(v ir.Value, n uint32) ir.Value {
	if n == 0 {
		return v
	}
	return b.Op(ir.OpShrU, ir.I32, v, b.I32(n))
}

// logic combines the new codes with word w of the stored texel.
//
// RAS-346 framebuffer-logicop
func (b *builder) logic(s ir.Value, w int) ir.Value {
	op := func(op ir.Op, x, y ir.Value) ir.Value { return b.Op(op, ir.I32, x, y) }
	not := func(x ir.Value) ir.Value { return b.Op(ir.OpNot, ir.I32, x) }
	d := func() ir.Value { return b.stored[w] }
	switch b.k.Logic {
	case vk.LogicOpClear:
		return b.I32(0)
	case vk.LogicOpAnd:
		return op(ir.OpAnd, s, d())
	case vk.LogicOpAndReverse:
		return op(ir.OpAnd, s, not(d()))
	case vk.LogicOpAndInverted:
		return op(ir.OpAnd, not(s), d())
	case vk.LogicOpNoOp:
		return d()
	case vk.LogicOpXor:
		return op(ir.OpXor, s, d())
	case vk.LogicOpOr:
		return op(ir.OpOr, s, d())
	case vk.LogicOpNor:
		return not(op(ir.OpOr, s, d()))
	case vk.LogicOpEquivalent:
		return not(op(ir.OpXor, s, d()))
	case vk.LogicOpInvert:
		return not(d())
	case vk.LogicOpOrReverse:
		return op(ir.OpOr, s, not(d()))
	case vk.LogicOpCopyInverted:
		return not(s)
	case vk.LogicOpOrInverted:
		return op(ir.OpOr, not(s), d())
	case vk.LogicOpNand:
		return not(op(ir.OpAnd, s, d()))
	case vk.LogicOpSet:
		return b.I32(math.MaxUint32)
	default: // Copy; the reference has refused what is none
		return s
	}
}

package texel

import (
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower/pack"
	"github.com/pumice-gpu/pumice/vk"
)

// encoder is texel output (§15): the words of texels, and what changes them in memory.
type encoder struct{ *inputs }

// packs says whether texels of a format can be made by routines.
func packs(info *format.Info) bool {
	return info.Supported() == nil && decodes(info) && !info.SharedExponent() &&
		info.Aspects == vk.ImageAspectColorBit
}

// encodes says whether routines can store texels of a format.
func encodes(info *format.Info) bool {
	return packs(info) && info.BlockBytes != 3 && info.BlockBytes != 6
}

// texelType is the type of the components that a Store has: what is stored as it is
// needs no conversion.
func (e *inputs) texelType() ir.Type {
	if e.info.Class != format.ClassFloat || e.info.Components[0].Bits == 32 {
		return ir.I32
	}
	return ir.F32
}

// store is §15 textures-output: texels outside the view are not written (IMG-372),
// components that the operand lacks are 0 (IMG-374).
//
// IMG-074, IMG-305, IMG-370, IMG-383, IMG-578
func (e *encoder) store(at ir.Value) {
	t := [4]ir.Value{ir.NoValue, ir.NoValue, ir.NoValue, ir.NoValue}
	for i := range t {
		if t[i] = e.b.Const(e.texelType(), 0); i < int(e.k.Results) {
			t[i] = e.rows[TexelR+Operand(i)]
		}
	}
	for w, v := range e.codesOf(e.info, t, pack.Any) {
		switch e.info.BlockBytes {
		case 1, 2:
			e.b.OpMore(ir.OpStoreMem, ir.Void, ir.Mem{Space: ir.MemBuffer, Resource: uint32(e.memory), Log: uint8(e.info.BlockBytes - 1)}.Imm(), []ir.Value{e.image, at, v})
		default:
			e.b.OpImm(ir.OpStoreBuffer, ir.Void, e.memory, e.image, e.sum(at, e.int(uint32(4*w))), v)
		}
	}
}

// atomic is the operation on the word of a texel; outside the view it does nothing and gives 0.
//
// IMG-590, IMG-591, IMG-592, IMG-597, IMG-598
func (e *encoder) atomic(at ir.Value) ir.Value {
	more := []ir.Value{e.image, at}
	for i := range e.k.Op.Values() {
		more = append(more, e.rows[TexelR+Operand(i)])
	}
	t := ir.I32
	if e.k.Results == 0 {
		t = ir.Void
	}
	return e.b.OpMore(ir.OpAtomicBuffer, t, ir.ResourceAndAtomic(int(e.memory), e.k.Op), more)
}

// codesOf is a texel in the words of a format, of which the last may have more bits than the
// format; known says what is known of a component.
//
// IMG-375
func (e *encoder) codesOf(info *format.Info, t [4]ir.Value,
	known func(ir.Value) pack.Number) []ir.Value {
	words := make([]ir.Value, (info.BlockBytes+3)/4)
	for w := range words {
		words[w] = ir.NoValue
	}
	var bias [4]uint32
	for i := range info.Components {
		c := &info.Components[i]
		if c.Kind == format.KindNone {
			continue
		}
		v := t[i]
		w := c.Shift / 32
		if e.b.P.Insts[v].Type == ir.F32 || c.Bits < 32 {
			code, more := pack.Encode(e.b, c, known(v))
			if s := uint32(c.Shift % 32); s > 0 {
				code, more = e.i(ir.OpShl, code, e.int(s)), more<<s
			}
			v, bias[w] = code, bias[w]+more
		}
		if words[w] != ir.NoValue {
			v = e.sum(words[w], v)
		}
		words[w] = v
	}
	for w, v := range words { // each of which holds a component
		if bias[w] != 0 {
			words[w] = e.i(ir.OpISub, v, e.int(bias[w]))
		}
	}
	return words
}

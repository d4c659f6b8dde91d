package texel

import (
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower/pack"
	"github.com/pumice-gpu/pumice/vk"
)

// encodes says whether texels of a format can be made by routines.
func encodes(info *format.Info) bool {
	for _, c := range info.Components {
		if c.Kind != format.KindNone && c.Numeric >= format.NumericUscaled && c.Numeric <= format.NumericSscaled {
			return false
		}
	}
	return decodes(info) && info.BlockBytes != 3 && info.BlockBytes != 6 && !info.SharedExponent() && info.Aspects == vk.ImageAspectColorBit
}

// texelType is the type of the components that a Store has: what is stored as it is
// needs no conversion.
func (e *emitter) texelType() ir.Type {
	if e.info.Class != format.ClassFloat || e.info.Components[0].Bits == 32 {
		return ir.I32
	}
	return ir.F32
}

// store is §15 textures-output: texels outside the view are not written (IMG-372),
// components that the operand lacks are 0 (IMG-374).
func (e *emitter) store(at ir.Value) {
	words := [4]ir.Value{ir.NoValue, ir.NoValue, ir.NoValue, ir.NoValue}
	var bias [4]uint32
	for i := range e.info.Components {
		c := &e.info.Components[i]
		if c.Kind == format.KindNone {
			continue
		}
		v := e.b.Const(e.texelType(), 0)
		if i < int(e.k.Results) {
			v = e.rows[TexelR+Operand(i)]
		}
		w := c.Shift / 32
		if e.texelType() == ir.F32 || c.Bits < 32 {
			code, more := pack.Encode(e.b, c, pack.Any(v))
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
	for w, v := range words {
		switch {
		case 4*w >= e.info.BlockBytes:
			return
		case v == ir.NoValue:
			v = e.int(0)
		case bias[w] != 0:
			v = e.i(ir.OpISub, v, e.int(bias[w]))
		}
		switch e.info.BlockBytes {
		case 1, 2:
			e.b.OpMore(ir.OpStoreMem, ir.Void, ir.Mem{Space: ir.MemBuffer, Resource: uint32(e.memory), Log: uint8(e.info.BlockBytes - 1)}.Imm(), []ir.Value{e.image, at, v})
		default:
			e.b.OpImm(ir.OpStoreBuffer, ir.Void, e.memory, e.image, e.sum(at, e.int(uint32(4*w))), v)
		}
	}
}

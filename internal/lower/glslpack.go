package lower

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// pack lowers the conversions between vectors and packed words.
func (c *compiler) pack(op spirv.GLSLOp, args []uint32) {
	id := spirv.ID(args[0])
	switch op {
	case spirv.GLSLPackSnorm4x8:
		c.packNorm(c.typed(id, 4, ir.F32), 8, -1, 127)
	case spirv.GLSLPackUnorm4x8:
		c.packNorm(c.typed(id, 4, ir.F32), 8, 0, 255)
	case spirv.GLSLPackSnorm2x16:
		c.packNorm(c.typed(id, 2, ir.F32), 16, -1, 32767)
	case spirv.GLSLPackUnorm2x16:
		c.packNorm(c.typed(id, 2, ir.F32), 16, 0, 65535)
	case spirv.GLSLUnpackSnorm4x8:
		c.unpackNorm(c.intScalar(id), 8, true, 127)
	case spirv.GLSLUnpackUnorm4x8:
		c.unpackNorm(c.intScalar(id), 8, false, 255)
	case spirv.GLSLUnpackSnorm2x16:
		c.unpackNorm(c.intScalar(id), 16, true, 32767)
	case spirv.GLSLUnpackUnorm2x16:
		c.unpackNorm(c.intScalar(id), 16, false, 65535)
	case spirv.GLSLPackHalf2x16:
		x := c.typed(id, 2, ir.F32)
		lo, hi := c.b.Op(ir.OpF2H, ir.I32, x[0]), c.b.Op(ir.OpF2H, ir.I32, x[1])
		c.setScalars([]ir.Value{c.b.Op(ir.OpOr, ir.I32, lo, c.b.Op(ir.OpShl, ir.I32, hi, c.b.I32(16)))})
	case spirv.GLSLUnpackHalf2x16:
		x := c.intScalar(id)
		out := []ir.Value{c.b.Op(ir.OpH2F, ir.F32, x), c.b.Op(ir.OpH2F, ir.F32, c.b.Op(ir.OpShrU, ir.I32, x, c.b.I32(16)))}
		if c.control(16).flush { // the narrower numbers that the word is taken for
			for i, v := range out {
				out[i] = c.wideOp(ir.WideFlush16, v)[0]
			}
		}
		c.setScalars(out)
	case spirv.GLSLPackDouble2x32, spirv.GLSLUnpackDouble2x32:
		c.setScalars(c.scalars(id, 2))
	default:
		c.fail("unsupported GLSL.std.450 instruction %v", op)
	}
}

// packNorm packs round(clamp(x, lo, 1) * scale) into fields of bits.
func (c *compiler) packNorm(v []ir.Value, bits uint32, lo, scale float32) {
	b := c.b
	out := ir.NoValue
	for k, x := range v {
		r := b.Op(ir.OpFRoundEven, ir.F32, c.fmul(c.clamp(x, lo, 1), b.F32(scale)))
		f := b.Op(ir.OpAnd, ir.I32, b.Op(ir.OpF2S, ir.I32, r), b.I32(1<<bits-1))
		if k == 0 {
			out = f
			continue
		}
		out = b.Op(ir.OpOr, ir.I32, out, b.Op(ir.OpShl, ir.I32, f, b.I32(bits*uint32(k))))
	}
	c.setScalars([]ir.Value{out})
}

// unpackNorm divides each field by scale; signed fields are clamped at -1.
func (c *compiler) unpackNorm(x ir.Value, bits uint32, signed bool, scale float32) {
	b := c.b
	var out []ir.Value
	for at := uint32(0); at < 32; at += bits {
		if signed {
			f := b.Op(ir.OpS2F, ir.F32, b.Op(ir.OpBitFieldS, ir.I32, x, b.I32(at), b.I32(bits)))
			out = append(out, b.Op(ir.OpFMax, ir.F32, c.fdiv(f, b.F32(scale)), b.F32(-1)))
			continue
		}
		f := b.Op(ir.OpU2F, ir.F32, b.Op(ir.OpBitFieldU, ir.I32, x, b.I32(at), b.I32(bits)))
		out = append(out, c.fdiv(f, b.F32(scale)))
	}
	c.setScalars(out)
}

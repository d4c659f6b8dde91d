package lower

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// imageUse collects one image instruction.
type imageUse struct {
	op   ir.ImageOp
	more []ir.Value
	site ir.ImageSite
}

// addImageOp gives an instruction its index.
func (c *compiler) addImageOp(u *imageUse, op ir.ImageOp) (index uint64) {
	c.p.ImageOps = append(c.p.ImageOps, op)
	at := c.inst.Line
	u.site.Source = ir.Source{File: c.m.String(at.File), Line: at.Line}
	u.site.Word, u.site.Inst = c.inst.WordOffset, spirv.Op(c.m.Words[c.inst.WordOffset]&0xFFFF).String()
	c.p.ImageSites = append(c.p.ImageSites, u.site)
	return uint64(len(c.p.ImageOps) - 1)
}

// combine lowers OpSampledImage and OpImage.
func (c *compiler) combine(in *spirv.Inst) {
	h := *c.handle(in.ID(0))
	if in.Op == spirv.OpSampledImage {
		s := c.handle(in.ID(1))
		if h.image < 0 || s.sampler < 0 {
			c.fail("OpSampledImage takes an image and a sampler")
		}
		h.sampler, h.samplerElem = s.sampler, s.samplerElem
	} else {
		h.sampler, h.samplerElem = -1, ir.NoValue
	}
	c.set(&value{h: &h})
}

func (c *compiler) handle(id spirv.ID) *handle {
	v := c.get(id)
	if v.h == nil {
		c.fail("<id> %d is not an image or sampler", id)
	}
	return v.h
}

// begin starts an image instruction with the descriptor operands.
func (c *compiler) begin(h *handle, kind ir.ImageKind, sampled bool) *imageUse {
	if h.image < 0 {
		c.fail("the operand is not an image")
	}
	t := h.t.Image
	u := &imageUse{}
	if t.Format != 0 {
		u.site.Format = spirv.ImageFormat(t.Format).String()
	}
	u.op = ir.ImageOp{Kind: kind, Arrayed: t.Arrayed, MS: t.MS, Image: h.image, Sampler: -1, Lod: ir.LodZero} // IMG-031: whatever its Depth
	switch t.Dim {
	case spirv.Dim1D:
		u.op.Dim = ir.Dim1D
	case spirv.Dim2D:
		u.op.Dim = ir.Dim2D
	case spirv.Dim3D:
		u.op.Dim = ir.Dim3D
	case spirv.DimCube:
		u.op.Dim = ir.DimCube
	case spirv.DimBuffer:
		u.op.Dim = ir.DimBuffer
	case spirv.DimSubpassData:
		u.op.Dim, u.op.Arrayed = ir.Dim2D, true
	default:
		c.fail("unsupported image dimension %v", t.Dim)
	}
	u.op.Result, u.site.Float = ir.ClassFloat, t.Sampled.Kind == spirv.KindFloat
	if t.Sampled.Kind == spirv.KindInt {
		u.op.Result = ir.ClassUint
		if t.Sampled.Signed {
			u.op.Result = ir.ClassSint
		}
	}
	if u.op.Wide = isWide(t.Sampled); u.op.Wide && t.Sampled.Kind != spirv.KindInt {
		c.fail("an image of %v", t.Sampled) // VUID-StandaloneSpirv-OpTypeImage-04656
	}
	u.more = append(u.more, h.imageElem)
	if sampled {
		if h.sampler < 0 {
			c.fail("the operand has no sampler")
		}
		u.op.Sampler = h.sampler
		u.more = append(u.more, h.samplerElem)
	}
	return u
}

// dims returns the coordinate components without the layer, and of a gradient
// or offset.
func dims(d ir.ImageDim) (coords, grads int) {
	switch d {
	case ir.Dim1D, ir.DimBuffer:
		return 1, 1
	case ir.Dim2D:
		return 2, 2
	case ir.Dim3D, ir.DimCube:
		return 3, 3
	default:
		return 2, 2
	}
}

// texelType is the IR type of a texel component.
func (u *imageUse) texelType() ir.Type {
	if u.op.Result == ir.ClassFloat {
		return ir.F32
	}
	return ir.I32
}

// coordinates appends the coordinates; SPIR-V allows more components than the
// image needs, behind those it takes. proj divides by the component after the
// last.
//
// IMG-020, IMG-021, IMG-022
func (c *compiler) coordinates(u *imageUse, id spirv.ID, t ir.Type, proj bool) (divisor ir.Value) {
	n, grads := dims(u.op.Dim)
	if u.op.Arrayed {
		n++
	}
	u.op.Coords, u.op.GradCoords = n, grads
	s := c.typed(id, -1, t)
	if u.op.Kind == ir.ImageRead || u.op.Kind == ir.ImageWrite || u.op.Kind == ir.ImageAtomic {
		// Storage cube maps take (x, y, face), arrays of them (x, y, 6*layer+face).
		if u.op.Dim == ir.DimCube {
			n, u.op.Coords = 3, 3
		}
	}
	if proj {
		// IMG-026
		if len(s) <= n || u.op.Arrayed || u.op.Dim == ir.DimCube {
			c.fail("a projective coordinate of %d components", len(s))
		}
		u.op.Proj = true
		// IMG-390, IMG-391; derivatives are those of the quotients (IMG-392)
		divisor = s[n]
		for _, x := range s[:n] {
			u.more = append(u.more, c.fdiv(x, divisor))
		}

		return divisor
	}
	if len(s) < n {
		c.fail("%d coordinate components; the image takes %d", len(s), n)
	}
	u.more = append(u.more, s[:n]...)
	return ir.NoValue
}

// operands appends the optional image operands in the order of ir.ImageOp. ms
// is the index of the mask in the instruction.
func (c *compiler) operands(u *imageUse, in *spirv.Inst, at int, implicit bool) (offsets spirv.ID) {
	mask := spirv.ImageOperands(0)
	args := []uint32(nil)
	if at < len(in.Operands) {
		mask, args = spirv.ImageOperands(in.Operands[at]), in.Operands[at+1:]
	}
	next := func() spirv.ID {
		id := spirv.ID(args[0])
		args = args[1:]
		return id
	}
	lodType := ir.F32
	if u.op.Kind != ir.ImageSample && u.op.Kind != ir.ImageGather && u.op.Kind != ir.ImageFootprint {
		lodType = ir.I32
	}
	if implicit && (c.p.Stage == ir.StageFragment || c.p.Quads != ir.NoQuads) {
		u.op.Lod = ir.LodImplicit
		c.p.UsesDerivatives = true
	}
	if mask&spirv.ImageOperandsBias != 0 {
		bias := next()
		gather := u.op.Kind == ir.ImageGather && c.p.Stage == ir.StageFragment // IMG-889 SPV_AMD_texture_gather_bias_lod
		if u.op.Lod == ir.LodImplicit || gather {
			u.op.Lod = ir.LodBias
			c.p.UsesDerivatives = true
			u.more = append(u.more, c.typed(bias, 1, ir.F32)...)
		}
	}
	if mask&spirv.ImageOperandsLod != 0 {
		u.op.Lod = ir.LodExplicit
		u.more = append(u.more, c.typed(next(), 1, lodType)...)
	}
	if mask&spirv.ImageOperandsGrad != 0 {
		u.op.Lod = ir.LodGrad
		u.more = append(u.more, c.typed(next(), u.op.GradCoords, ir.F32)...)
		u.more = append(u.more, c.typed(next(), u.op.GradCoords, ir.F32)...)
	}
	for _, bit := range []spirv.ImageOperands{spirv.ImageOperandsConstOffset, spirv.ImageOperandsOffset} {
		if mask&bit != 0 {
			u.op.HasOffset = true
			v := c.typed(next(), u.op.GradCoords, ir.I32)
			u.more = append(u.more, v...)
			c.constantOffsets(u, v)
		}
	}
	if mask&spirv.ImageOperandsConstOffsets != 0 {
		offsets = next()
		c.constantOffsets(u, c.typed(offsets, -1, ir.I32))
	}
	sample := spirv.ID(0)
	if mask&spirv.ImageOperandsSample != 0 {
		sample = next()
	}
	if mask&spirv.ImageOperandsMinLod != 0 {
		u.op.HasMinLod = true
		u.more = append(u.more, c.typed(next(), 1, ir.F32)...)
	}
	if sample != 0 {
		u.op.HasSample = true
		u.more = append(u.more, c.intScalar(sample))
	}
	u.site.SignExtend, u.site.ZeroExtend = mask&spirv.ImageOperandsSignExtend != 0, mask&spirv.ImageOperandsZeroExtend != 0
	u.site.Offset, u.site.ConstOffset, u.site.ConstOffsets = mask&spirv.ImageOperandsOffset != 0, mask&spirv.ImageOperandsConstOffset != 0, mask&spirv.ImageOperandsConstOffsets != 0
	const ignored = spirv.ImageOperandsMakeTexelAvailable | spirv.ImageOperandsMakeTexelVisible | spirv.ImageOperandsNonPrivateTexel |
		spirv.ImageOperandsVolatileTexel | spirv.ImageOperandsSignExtend | spirv.ImageOperandsZeroExtend | spirv.ImageOperandsNontemporal
	const known = ignored | spirv.ImageOperandsBias | spirv.ImageOperandsLod | spirv.ImageOperandsGrad | spirv.ImageOperandsConstOffset |
		spirv.ImageOperandsOffset | spirv.ImageOperandsConstOffsets | spirv.ImageOperandsSample | spirv.ImageOperandsMinLod
	if mask&^known != 0 {
		c.fail("unsupported image operands 0x%X", uint32(mask&^known))
	}
	return offsets
}

// constantOffsets keeps the components of an offset that are constants (IMG-170).
func (c *compiler) constantOffsets(u *imageUse, components []ir.Value) {
	for _, v := range components {
		if x, ok := c.b.Constant(v); ok {
			u.site.Offsets = append(u.site.Offsets, int32(x))
		}
	}
}

// finish emits the instruction and returns its results.
func (c *compiler) finish(u *imageUse, t ir.Type, results int) []ir.Value {
	if c.collect != nil {
		*c.collect = append(*c.collect, c.residency(u))
	}
	u.op.Results = results
	index := c.addImageOp(u, u.op)
	if results == 0 {
		t = ir.Void
	}
	v := c.b.OpMore(ir.OpImage, t, index, u.more)
	out := c.values(results)
	for i := range out {
		out[i] = v
		if i > 0 {
			out[i] = c.b.OpImm(ir.OpResult, t, uint64(i), v)
		}
	}
	c.traceImage(u, index, out)
	return out
}

// imageSample lowers the instructions that sample.
func (c *compiler) imageSample(in *spirv.Inst) {
	var dref, proj, explicit bool
	switch in.Op {
	case spirv.OpImageSampleDrefImplicitLod, spirv.OpImageSampleDrefExplicitLod:
		dref = true
	case spirv.OpImageSampleProjImplicitLod, spirv.OpImageSampleProjExplicitLod:
		proj = true
	case spirv.OpImageSampleProjDrefImplicitLod, spirv.OpImageSampleProjDrefExplicitLod:
		dref, proj = true, true
	}
	switch in.Op {
	case spirv.OpImageSampleExplicitLod, spirv.OpImageSampleDrefExplicitLod,
		spirv.OpImageSampleProjExplicitLod, spirv.OpImageSampleProjDrefExplicitLod:
		explicit = true
	}
	u := c.begin(c.handle(in.ID(0)), ir.ImageSample, true)
	q := c.coordinates(u, in.ID(1), ir.F32, proj)
	at := 2
	if dref {
		u.op.Dref = true
		c.comparable(u)
		d := c.typed(in.ID(2), 1, ir.F32)[0]
		if proj {
			d = c.fdiv(d, q) // IMG-315, IMG-390
		}
		u.more = append(u.more, d)
		at = 3
	}
	if c.operands(u, in, at, !explicit) != 0 {
		c.fail("ConstOffsets on a sample instruction")
	}
	if dref { // IMG-317
		c.setScalars(c.finish(u, ir.F32, 1))
		return
	}
	c.setScalars(c.texel(u))
}

// comparable fails for texels that are no depth: numbers of 64 bits.
func (c *compiler) comparable(u *imageUse) {
	if u.op.Wide {
		c.fail("a depth comparison with integers of 64 bits")
	}
}

// texel emits the instruction and returns the four components of its texel.
//
// IMG-259
func (c *compiler) texel(u *imageUse) []ir.Value {
	t := c.finish(u, u.texelType(), 4)
	if !u.op.Wide {
		return t
	}
	bit := func(set ir.Value, n int) ir.Value {
		return c.b.Op(ir.OpAnd, ir.I32, c.b.Op(ir.OpShrU, ir.I32, set, c.b.I32(uint32(n))), c.b.I32(1))
	}
	var out []ir.Value
	for k := range 4 {
		held := c.b.Op(ir.OpISub, ir.I32, c.b.I32(0), bit(t[2], k)) // all bits, or none
		low := c.b.Op(ir.OpOr, ir.I32, c.b.Op(ir.OpAnd, ir.I32, t[0], held), bit(t[3], k))
		out = append(out, low, c.b.Op(ir.OpAnd, ir.I32, t[1], held))
	}
	return out
}

// imageRead lowers OpImageFetch and OpImageRead.
func (c *compiler) imageRead(in *spirv.Inst) {
	kind := ir.ImageFetch
	h := c.handle(in.ID(0))
	if in.Op == spirv.OpImageRead {
		kind = ir.ImageRead
		if h.t != nil && h.t.Image.Dim == spirv.DimSubpassData {
			c.subpassRead(h, in)
			return
		}
	}
	u := c.begin(h, kind, false)
	c.coordinates(u, in.ID(1), ir.I32, false)
	c.texelOutside(h, u.more[len(u.more)-1], false)
	offsets := c.operands(u, in, 2, false) // IMG-401: no derivatives
	if offsets != 0 {
		c.fail("ConstOffsets on a fetch")
	}
	c.setScalars(c.texel(u)[:len(c.flat(c.typ(in.Type)))])
}

// subpassRead reads an input attachment: the texel of the fragment's own pixel
// and layer, moved by the coordinate operand.
//
// spirvenv-image-formats (OpImageRead of SubpassData), descriptorsets-inputattachment
func (c *compiler) subpassRead(h *handle, in *spirv.Inst) {
	u := c.subpassTexel(h, in.ID(1))
	if c.operands(u, in, 2, false) != 0 {
		c.fail("ConstOffsets on an input attachment")
	}
	c.setScalars(c.texel(u)[:len(c.flat(c.typ(in.Type)))])
}

// subpassTexel begins a read of an input attachment.
func (c *compiler) subpassTexel(h *handle, coordinate spirv.ID) *imageUse {
	if c.p.Stage != ir.StageFragment {
		c.fail("an input attachment outside a fragment shader")
	}
	u := c.begin(h, ir.ImageFetch, false)
	u.op.Coords, u.op.GradCoords = 3, 2
	offset := c.typed(coordinate, -1, ir.I32)
	if len(offset) < 2 {
		c.fail("%d coordinate components; an input attachment takes 2", len(offset))
	}
	// IMG-032
	at := c.fragment()
	for k := range 2 {
		u.more = append(u.more, c.b.Op(ir.OpIAdd, ir.I32, at[k], offset[k]))
	}
	u.more = append(u.more, at[2])

	return u
}

// fragmentMask is what OpFragmentMaskFetchAMD gives: nothing is compressed, so
// sample k has colour fragment k.
//
// RAS-124, RAS-125 primsrast-multisampling
const fragmentMask = 0x76543210

// fragmentFetch lowers the instructions of SPV_AMD_shader_fragment_mask.
func (c *compiler) fragmentFetch(in *spirv.Inst) {
	h := c.handle(in.ID(0))
	if h.image < 0 || h.t == nil || !h.t.Image.MS {
		c.fail("the operand is not a multisampled image")
	}
	if in.Op == spirv.OpFragmentMaskFetchAMD { // RAS-124, RAS-125
		c.setScalars([]ir.Value{c.b.I32(fragmentMask)})
		return
	}
	// RAS-123: a fetch of a sample.
	var u *imageUse
	if h.t.Image.Dim == spirv.DimSubpassData {
		u = c.subpassTexel(h, in.ID(1))
	} else {
		u = c.begin(h, ir.ImageFetch, false)
		c.coordinates(u, in.ID(1), ir.I32, false)
	}
	u.op.HasSample = true
	u.more = append(u.more, c.intScalar(in.ID(2)))
	c.setScalars(c.texel(u)[:len(c.flat(c.typ(in.Type)))])
}

// fragment returns the pixel and the framebuffer layer of the invocation. A
// sample's position lies inside its pixel, so truncation finds the pixel.
func (c *compiler) fragment() [3]ir.Value {
	if c.pixel != nil {
		return *c.pixel
	}
	at := [3]ir.Value{}
	c.b.Prelude(func() {
		for k := range uint32(2) {
			s := inputSlot{io: ir.IO{Builtin: ir.BuiltinFragCoord, Component: k, Type: ir.F32}, index: -1}
			at[k] = c.b.Op(ir.OpF2S, ir.I32, c.b.OpImm(ir.OpInput, ir.F32, uint64(c.slot(&s))))
		}
		s := inputSlot{io: ir.IO{Builtin: ir.BuiltinLayer, Type: ir.I32, Interp: ir.Flat}, index: -1}
		at[2] = c.b.OpImm(ir.OpInput, ir.I32, uint64(c.slot(&s)))
	})
	c.pixel = &at
	return at
}

// imageGather lowers the instructions that read four texels: at four offsets, one gather each.
//
// IMG-515
func (c *compiler) imageGather(in *spirv.Inst) {
	h := c.handle(in.ID(0))
	wide := false
	half := func(offset []ir.Value, high bool) ([]ir.Value, spirv.ID) {
		u := c.begin(h, ir.ImageGather, true)
		u.op.High, wide = high, u.op.Wide
		c.coordinates(u, in.ID(1), ir.F32, false)
		if in.Op == spirv.OpImageDrefGather {
			u.op.Dref = true
			c.comparable(u)
			u.more = append(u.more, c.typed(in.ID(2), 1, ir.F32)...)
		} else {
			comp := c.constScalar(in.ID(2))
			if comp > 3 {
				c.fail("gather of component %d", comp)
			}
			u.op.GatherComp = uint8(comp)
		}
		offsets := c.operands(u, in, 3, false)
		if offsets != 0 && offset == nil {
			return nil, offsets
		}
		if offset != nil {
			u.op.HasOffset = true
			u.more = append(u.more, offset...)
		}
		return c.finish(u, u.texelType(), 4), 0
	}
	gather := func(offset []ir.Value) ([]ir.Value, spirv.ID) {
		out, offsets := half(offset, false)
		if !wide || offsets != 0 {
			return out, offsets
		}
		high, _ := half(offset, true)
		pairs := make([]ir.Value, 0, 8)
		for k := range out {
			pairs = append(pairs, out[k], high[k])
		}
		return pairs, 0
	}
	out, offsets := gather(nil)
	if offsets == 0 {
		c.setScalars(out)
		return
	}
	// IMG-517: texel i0j0 of a gather at each of four offsets, which is the last
	// component of its result.
	all := c.typed(offsets, 8, ir.I32)
	out = nil
	for k := range 4 {
		r, _ := gather(all[2*k : 2*k+2])
		out = append(out, r[len(r)/4*3:]...)
	}
	c.setScalars(out)
}

func (c *compiler) imageWrite(in *spirv.Inst) {
	h := c.handle(in.ID(0))
	u := c.begin(h, ir.ImageWrite, false)
	c.coordinates(u, in.ID(1), ir.I32, false)
	c.texelOutside(h, u.more[len(u.more)-1], true)
	if c.operands(u, in, 3, false) != 0 {
		c.fail("ConstOffsets on a write")
	}
	var texel []ir.Value
	if u.op.Wide {
		all := c.comps(in.ID(2), -1)
		x := all[0]
		u.site.Texel = len(all)
		if !isPair(x) {
			c.fail("a texel of other components than the image's %v", h.t.Image.Sampled)
		}
		texel = c.words(x)
	} else {
		texel = c.typed(in.ID(2), -1, u.texelType())
		u.site.Texel = len(texel)
	}
	for k := range 4 {
		if k < len(texel) {
			u.more = append(u.more, texel[k])
		} else {
			u.more = append(u.more, c.b.Const(u.texelType(), 0))
		}
	}
	c.p.WritesMemory = true
	c.finish(u, ir.Void, 0)
}

func (c *compiler) imageQuery(in *spirv.Inst) {
	h := c.handle(in.ID(0))
	n := len(c.flat(c.typ(in.Type)))
	switch in.Op {
	case spirv.OpImageQuerySizeLod, spirv.OpImageQuerySize:
		u := c.begin(h, ir.ImageQuerySize, false)
		if in.Op == spirv.OpImageQuerySizeLod {
			u.op.Lod = ir.LodExplicit
			u.more = append(u.more, c.intScalar(in.ID(1)))
		}
		c.setScalars(c.finish(u, ir.I32, n))
	case spirv.OpImageQueryLod:
		u := c.begin(h, ir.ImageQueryLod, true)
		u.op.Arrayed = false // the coordinate has no layer
		c.coordinates(u, in.ID(1), ir.F32, false)
		u.op.Arrayed = h.t.Image.Arrayed
		u.op.Lod = ir.LodImplicit
		c.p.UsesDerivatives = true
		c.setScalars(c.finish(u, ir.F32, 2))
	case spirv.OpImageQueryLevels:
		c.setScalars(c.finish(c.begin(h, ir.ImageQueryLevels, false), ir.I32, 1))
	default:
		c.setScalars(c.finish(c.begin(h, ir.ImageQuerySamples, false), ir.I32, 1))
	}
}

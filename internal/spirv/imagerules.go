package spirv

import (
	"fmt"
	"maps"
	"slices"
)

// Fault is a rule of image instructions that a module breaks without harm: it runs, and gives what comes naturally.
type Fault struct {
	Inst *Inst
	// Rule is its number in docs/rules; VUID is Vulkan's name of it, "" where SPIR-V has it.
	Rule, VUID string
	Detail     string
}

// ImageRules are the features that decide what image instructions may be.
type ImageRules struct {
	// ConstantOffsets says that only gathers have offsets that are no constants: maintenance8 is off.
	ConstantOffsets bool
}

// maxImageFaults bounds what ImageFaults returns.
const maxImageFaults = 256

// ImageFaults lists the rules of SPIR-V and its Vulkan environment that the module's image types and instructions break: those
// that its words alone decide. An instruction is told of once a rule.
//
// SPIR-V: Image Instructions, Image Operands, OpTypeImage; VK: spirvenv-module-validation
func (m *Module) ImageFaults(r ImageRules) []Fault {
	c := imageCheck{m: m, rules: r}
	for _, id := range slices.Sorted(maps.Keys(m.Types)) {
		if t := m.Types[id]; t.Kind == KindImage || t.Kind == KindSampledImage {
			c.at(m.defs.At(id))
			c.imageType(t)
		}
	}
	for _, f := range m.Functions {
		for _, b := range f.Blocks {
			for _, in := range b.Insts {
				if c.at(in); len(c.list) < maxImageFaults {
					c.instruction(b)
				}
			}
		}
	}
	c.stages()
	return c.list
}

// imageCheck goes through the instructions of a module.
type imageCheck struct {
	m     *Module
	rules ImageRules
	list  []Fault
	in    *Inst
	first int                // of list, of the present instruction
	use   map[ID]*imagePlace // where results of OpSampledImage stand
}

type imagePlace struct{ block *Block }

func (c *imageCheck) at(in *Inst) { c.in, c.first = in, len(c.list) }

// fault adds a fault of the present instruction.
func (c *imageCheck) fault(rule, vuid, format string, args ...any) {
	for i := c.first; i < len(c.list); i++ {
		if c.list[i].Rule == rule {
			return
		}
	}
	c.list = append(c.list, Fault{Inst: c.in, Rule: rule, VUID: vuid, Detail: fmt.Sprintf(format, args...)})
}

// need is fault where a condition does not hold.
func (c *imageCheck) need(ok bool, rule, vuid, format string, args ...any) {
	if !ok {
		c.fault(rule, vuid, format, args...)
	}
}

func isFloat32(t *Type) bool { return t != nil && t.Kind == KindFloat && t.Width == 32 && t.Coded == 0 }

// flat dimensions are those that have levels.
func (d Dim) levels() bool { return d == Dim1D || d == Dim2D || d == Dim3D || d == DimCube }

// plane is how many coordinates a dimension has, without a layer.
func (d Dim) plane() uint32 {
	switch d {
	case Dim1D, DimBuffer:
		return 1
	case Dim3D, DimCube:
		return 3
	}
	return 2
}

// imageType checks OpTypeImage and OpTypeSampledImage.
//
// IMG-169
func (c *imageCheck) imageType(t *Type) {
	if t.Kind == KindSampledImage {
		i := t.Elem.Image
		c.need(i.Use == 1, "IMG-169", "VUID-StandaloneSpirv-OpTypeSampledImage-06671", "a sampled image of an image with Sampled %d", i.Use)
		c.need(i.Dim != DimSubpassData, "IMG-169", "", "a sampled image of Dim SubpassData")
		c.need(i.Dim != DimBuffer || c.m.Version < 0x10600, "IMG-169", "", "a sampled image of Dim Buffer")
		return
	}
	i := t.Image
	s := i.Sampled
	c.need(isFloat32(s) || s.Kind == KindInt && (s.Width == 32 || s.Width == 64), "IMG-169", "VUID-StandaloneSpirv-OpTypeImage-04656", "Sampled Type %v", s)
	c.need(i.Use == 1 || i.Use == 2, "IMG-169", "VUID-StandaloneSpirv-OpTypeImage-04657", "Sampled %d", i.Use)
	switch i.Dim {
	case Dim1D, Dim2D, Dim3D, DimCube, DimBuffer:
	case DimSubpassData:
		c.need(i.Use == 2, "IMG-169", "VUID-StandaloneSpirv-OpTypeImage-06214", "SubpassData with Sampled %d", i.Use)
		c.need(!i.Arrayed, "IMG-169", "VUID-StandaloneSpirv-OpTypeImage-06214", "an array of Dim SubpassData")
		c.need(i.Format == 0, "IMG-169", "", "SubpassData with Image Format %v", ImageFormat(i.Format))
	case DimTileImageDataEXT:
		c.need(i.Use == 2 && !i.Arrayed && i.Format == 0 && i.Depth != 1, "IMG-169", "", "TileImageDataEXT with other operands than it takes")
	default:
		c.fault("IMG-169", "VUID-StandaloneSpirv-OpTypeImage-09638", "Dim %v", i.Dim)
	}
	if i.MS {
		has := c.m.declared
		c.need(i.Use != 2 || i.Dim != Dim2D || has[CapabilityStorageImageMultisample], "IMG-169", "", "a multisampled storage image without the capability StorageImageMultisample")
		c.need(i.Use != 2 || !i.Arrayed || i.Dim != Dim2D || has[CapabilityImageMSArray], "IMG-169", "", "an array of multisampled storage images without the capability ImageMSArray")
	}
	c.need(c.declares(i), "IMG-169", "", "the module does not declare the capability for Dim %v, Arrayed %v, Sampled %d", i.Dim, i.Arrayed, i.Use)
	if k := formatKind(ImageFormat(i.Format)); i.Format != 0 {
		c.need(k == s.Kind, "IMG-169", "VUID-StandaloneSpirv-Image-04965", "Image Format %v with Sampled Type %v", ImageFormat(i.Format), s)
		wide := ImageFormat(i.Format) == ImageFormatR64ui || ImageFormat(i.Format) == ImageFormatR64i
		c.need(wide == (s.Kind == KindInt && s.Width == 64), "IMG-169", "VUID-StandaloneSpirv-Image-04965", "Image Format %v with Sampled Type %v", ImageFormat(i.Format), s)
	}
}

// declares says that the module has the capability of an image's dimension.
func (c *imageCheck) declares(i ImageType) bool {
	need, or := CapabilityShader, CapabilityShader
	switch {
	case i.Dim == Dim1D && i.Use == 2:
		need, or = CapabilityImage1D, CapabilityImage1D
	case i.Dim == Dim1D:
		need, or = CapabilitySampled1D, CapabilityImage1D
	case i.Dim == DimBuffer && i.Use == 2:
		need, or = CapabilityImageBuffer, CapabilityImageBuffer
	case i.Dim == DimBuffer:
		need, or = CapabilitySampledBuffer, CapabilityImageBuffer
	case i.Dim == DimCube && i.Arrayed && i.Use == 2:
		need, or = CapabilityImageCubeArray, CapabilityImageCubeArray
	case i.Dim == DimCube && i.Arrayed:
		need, or = CapabilitySampledCubeArray, CapabilityImageCubeArray
	case i.Dim == DimSubpassData:
		need, or = CapabilityInputAttachment, CapabilityInputAttachment
	}
	return c.m.declared[need] || c.m.declared[or]
}

// formatKind is the kind of numbers of an image format.
func formatKind(f ImageFormat) Kind {
	switch f {
	case ImageFormatRgba32i, ImageFormatRgba16i, ImageFormatRgba8i, ImageFormatR32i, ImageFormatRg32i, ImageFormatRg16i, ImageFormatRg8i, ImageFormatR16i, ImageFormatR8i,
		ImageFormatRgba32ui, ImageFormatRgba16ui, ImageFormatRgba8ui, ImageFormatR32ui, ImageFormatRgb10a2ui, ImageFormatRg32ui, ImageFormatRg16ui, ImageFormatRg8ui,
		ImageFormatR16ui, ImageFormatR8ui, ImageFormatR64ui, ImageFormatR64i:
		return KindInt
	}
	return KindFloat
}

// imageForm is what an instruction is: where its operands stand, and what it takes.
type imageForm struct {
	sampled                                  bool // its image comes with a sampler
	implicit, explicit, dref, proj           bool
	gather, fetch, read, write, sparse, asks bool
	mask                                     int // operand of the image operands; 0: it has none
}

func formOf(op Op) (f imageForm, ok bool) {
	switch op {
	case OpImageSparseSampleImplicitLod, OpImageSparseSampleExplicitLod, OpImageSparseSampleDrefImplicitLod, OpImageSparseSampleDrefExplicitLod,
		OpImageSparseFetch, OpImageSparseGather, OpImageSparseDrefGather, OpImageSparseRead:
		f.sparse = true
	}
	switch op {
	case OpImageSampleImplicitLod, OpImageSampleDrefImplicitLod, OpImageSampleProjImplicitLod, OpImageSampleProjDrefImplicitLod, OpImageSparseSampleImplicitLod, OpImageSparseSampleDrefImplicitLod:
		f.sampled, f.implicit, f.mask = true, true, 2
	case OpImageSampleExplicitLod, OpImageSampleDrefExplicitLod, OpImageSampleProjExplicitLod, OpImageSampleProjDrefExplicitLod, OpImageSparseSampleExplicitLod, OpImageSparseSampleDrefExplicitLod:
		f.sampled, f.explicit, f.mask = true, true, 2
	case OpImageGather, OpImageSparseGather, OpImageDrefGather, OpImageSparseDrefGather:
		f.sampled, f.gather, f.mask = true, true, 3
	case OpImageFetch, OpImageSparseFetch:
		f.fetch, f.mask = true, 2
	case OpImageRead, OpImageSparseRead:
		f.read, f.mask = true, 2
	case OpImageWrite:
		f.write, f.mask = true, 3
	case OpImageQueryLod:
		f.sampled, f.asks = true, true
	case OpImageQuerySize, OpImageQuerySizeLod, OpImageQueryLevels, OpImageQuerySamples:
		f.asks = true
	default:
		return f, false
	}
	switch op {
	case OpImageSampleProjImplicitLod, OpImageSampleProjExplicitLod:
		f.proj = true
	case OpImageSampleProjDrefImplicitLod, OpImageSampleProjDrefExplicitLod:
		f.proj, f.dref, f.mask = true, true, 3
	case OpImageSampleDrefImplicitLod, OpImageSampleDrefExplicitLod, OpImageSparseSampleDrefImplicitLod, OpImageSparseSampleDrefExplicitLod:
		f.dref, f.mask = true, 3
	case OpImageDrefGather, OpImageSparseDrefGather:
		f.dref = true
	}
	return f, true
}

// instruction checks the present instruction, which is in block b.
func (c *imageCheck) instruction(b *Block) {
	in := c.in
	switch in.Op {
	case OpSampledImage:
		c.combine(b)
	case OpImage:
		t, of := c.m.Type(in.Type), c.m.typeOf(in.ID(0))
		c.need(of != nil && of.Kind == KindSampledImage && of.Elem == t, "IMG-168", "", "the result is not the image of %v", of)
	case OpImageTexelPointer:
		c.texelPointer()
	case OpImageSparseTexelsResident:
		t, code := c.m.Type(in.Type), c.m.typeOf(in.ID(0))
		c.need(t != nil && t.Kind == KindBool && code != nil && code.Kind == KindInt, "IMG-168", "", "%v of a residency code that is %v", t, code)
	default:
		if f, ok := formOf(in.Op); ok {
			c.access(f)
		}
	}
	c.processed()
}

// combine checks OpSampledImage.
func (c *imageCheck) combine(b *Block) {
	in := c.in
	t, im, s := c.m.Type(in.Type), c.m.typeOf(in.ID(0)), c.m.typeOf(in.ID(1))
	switch {
	case t == nil || t.Kind != KindSampledImage:
		c.fault("IMG-168", "", "the result is %v", t)
	case im == nil || im.Kind != KindImage || !t.Elem.Image.alike(im.Image):
		c.fault("IMG-168", "", "the image is %v, and another one in the result", im)
	case s == nil || s.Kind != KindSampler:
		c.fault("IMG-168", "", "the sampler is %v", s)
	default:
		i := im.Image
		c.need(i.Use == 1 || i.Use == 0, "IMG-174", "", "an image with Sampled %d together with a sampler", i.Use)
		c.need(i.Dim != DimSubpassData && i.Dim != DimBuffer, "IMG-174", "", "an image of Dim %v together with a sampler", i.Dim)
	}
	if c.use == nil {
		c.use = map[ID]*imagePlace{}
		c.consumers()
	}
	if p := c.use[in.Result]; p != nil {
		c.need(p.block == nil || p.block == b, "IMG-169", "", "its result is used in another block, or by an instruction that takes no sampled image")
	}
}

// alike says that images are the same but for Depth, which only says how they are sampled.
func (i ImageType) alike(j ImageType) bool {
	i.Depth, j.Depth = 0, 0
	return i == j
}

// consumers finds the blocks of instructions that use results of OpSampledImage: there must be no more than the one where it is.
func (c *imageCheck) consumers() {
	elsewhere := &Block{}
	for _, f := range c.m.Functions {
		for _, b := range f.Blocks {
			for _, in := range b.Insts {
				c.consume(b, in, elsewhere)
			}
			c.consume(b, b.Term, elsewhere)
		}
	}
}

func (c *imageCheck) consume(b *Block, in *Inst, elsewhere *Block) {
	_, takes := formOf(in.Op)
	switch in.Op {
	case OpCopyObject: // glslang puts one between, to decorate it NonUniform, and spirv-val takes it
		takes = true
	case OpImage, OpImageSampleWeightedQCOM, OpImageBoxFilterQCOM, OpImageBlockMatchSSDQCOM, OpImageBlockMatchSADQCOM, OpImageBlockMatchWindowSSDQCOM,
		OpImageBlockMatchWindowSADQCOM, OpImageBlockMatchGatherSSDQCOM, OpImageBlockMatchGatherSADQCOM, OpImageGatherQCOM, OpImageSampleFootprintNV:
		takes = true
	}
	note := func(id ID) {
		if d := c.m.defs.At(id); d == nil || d.Op != OpSampledImage {
			return
		}
		at := b
		if !takes {
			at = elsewhere
		}
		switch p := c.use[id]; {
		case p == nil:
			c.use[id] = &imagePlace{at}
		case p.block != at:
			p.block = elsewhere
		}
	}
	switch {
	case takes:
		note(in.ID(0))
		if in.Op == OpImageSampleWeightedQCOM || in.Op >= OpImageBlockMatchSSDQCOM && in.Op <= OpImageBlockMatchGatherSADQCOM {
			note(in.ID(2))
		}
	case in.Op == OpPhi || in.Op == OpSelect || in.Op == OpStore || in.Op == OpReturnValue || in.Op == OpFunctionCall || in.Op == OpCompositeConstruct:
		for i := range in.Operands {
			note(in.ID(i))
		}
	}
}

// access checks an instruction on an image.
func (c *imageCheck) access(f imageForm) {
	in := c.in
	of := c.m.typeOf(in.ID(0))
	want := KindImage
	if f.sampled {
		want = KindSampledImage
	}
	if of == nil || of.Kind != want {
		c.fault("IMG-168", "", "the operand is %v", of)
		return
	}
	i := of.Image
	if f.sampled {
		i = of.Elem.Image
	}
	if i.Sampled == nil {
		return
	}
	if f.asks {
		c.query(i)
		return
	}
	c.need(!f.sampled || !i.MS, "IMG-174", "", "a multisampled image with a sampler")
	c.need(i.Use != 2 || f.read || f.write, "IMG-174", "", "an image with Sampled 2")
	c.need(i.Use != 1 || !f.read && !f.write, "IMG-178", "", "a read or write of an image with Sampled 1")
	switch {
	case f.gather:
		c.need(i.Dim == Dim2D || i.Dim == DimCube || i.Dim == DimRect, "IMG-174", "VUID-StandaloneSpirv-OpImage-04777", "a gather of Dim %v", i.Dim)
	case f.fetch:
		c.need(i.Dim != DimCube && i.Dim != DimSubpassData, "IMG-174", "", "a fetch of Dim %v", i.Dim)
	case f.write:
		c.need(i.Dim != DimSubpassData && i.Dim != DimTileImageDataEXT, "IMG-174", "", "a write of Dim %v", i.Dim)
	case f.read && i.Dim == DimSubpassData:
		c.need(!f.sparse, "IMG-174", "", "a sparse read of Dim %v", i.Dim)
		c.need(c.m.isZero(in.ID(1)), "IMG-174", "VUID-StandaloneSpirv-SubpassData-04660", "coordinates of SubpassData that are not a constant (0, 0)")
	case f.read:
	default:
		c.need(i.Dim != DimBuffer && i.Dim != DimSubpassData, "IMG-174", "", "a sample of Dim %v", i.Dim)
	}
	c.need(!f.proj || !i.Arrayed && i.Dim != DimCube, "IMG-171", "", "a projection of a cube or array")
	c.need(!f.dref || i.Dim != Dim3D, "IMG-139", "VUID-StandaloneSpirv-OpImage-04777", "a comparison in 3D")
	c.result(f, i)
	c.coordinate(f, i)
	if f.dref {
		t := c.m.typeOf(in.ID(2))
		c.need(isFloat32(t), "IMG-168", "", "Dref is %v", t)
	}
	if f.gather && !f.dref {
		d, t := c.m.defs.At(in.ID(2)), c.m.typeOf(in.ID(2))
		c.need(t != nil && t.Kind == KindInt && t.Width == 32, "IMG-168", "", "Component is %v", t)
		c.need(d != nil && isConstant(d.Op), "IMG-174", "VUID-StandaloneSpirv-OpImageGather-04664", "a component that is no constant")
		c.need(d == nil || d.Op != OpConstant || d.Operands[0] <= 3, "IMG-174", "VUID-StandaloneSpirv-OpImageGather-04664", "a component beyond 3")
	}
	if (f.read || f.write) && i.Format == 0 && i.Dim != DimSubpassData {
		capability := CapabilityStorageImageReadWithoutFormat
		if f.write {
			capability = CapabilityStorageImageWriteWithoutFormat
		}
		c.need(c.m.declared[capability], "IMG-178", "", "Image Format Unknown without the capability %v", capability)
	}
	c.imageOperands(f, i)
}

// result checks the type of the texel, or of what is written.
//
// IMG-168
func (c *imageCheck) result(f imageForm, i ImageType) {
	t := c.m.Type(c.in.Type)
	if f.write {
		t = c.m.typeOf(c.in.ID(2))
		c.need(components(t) != 0 && scalarOf(t) == i.Sampled, "IMG-168", "", "a texel of %v for an image of %v", t, i.Sampled)
		return
	}
	if f.sparse {
		if t == nil || t.Kind != KindStruct || len(t.Members) != 2 || t.Members[0].Kind != KindInt {
			c.fault("IMG-168", "", "the result is not a residency code and a texel")
			return
		}
		t = t.Members[1]
	}
	if f.dref && !f.gather {
		c.need(t == i.Sampled, "IMG-168", "", "a comparison gives %v for an image of %v", t, i.Sampled)
		return
	}
	vuid := ""
	if f.read {
		vuid = "VUID-StandaloneSpirv-Result-04780"
	}
	c.need(t != nil && t.Kind == KindVector && t.Count == 4 && t.Elem == i.Sampled, "IMG-168", vuid, "the result is %v, and the image of %v", t, i.Sampled)
}

// coordinate checks the type of the coordinates.
//
// IMG-168
func (c *imageCheck) coordinate(f imageForm, i ImageType) {
	need := i.Dim.plane()
	if i.Arrayed && !((f.read || f.write) && i.Dim == DimCube) {
		need++
	}
	if f.proj {
		need++
	}
	kind := KindInt
	if f.sampled {
		kind = KindFloat
	}
	t := c.m.typeOf(c.in.ID(1))
	if (f.read || f.write) && scalarOfAny(t) == KindFloat { // SPIR-V allows it
		kind = KindFloat
	}
	c.coordinates(t, kind, need)
}

func (c *imageCheck) coordinates(t *Type, kind Kind, need uint32) {
	c.need(scalarOfAny(t) == kind, "IMG-168", "", "the coordinate is %v", t)
	c.need(components(t) >= need, "IMG-168", "", "a coordinate of %d components, where the image takes %d", components(t), need)
}

// query checks the instructions that ask.
//
// IMG-179
func (c *imageCheck) query(i ImageType) {
	in := c.in
	t := c.m.Type(in.Type)
	size := func() {
		need := i.Dim.plane()
		if i.Dim == DimCube {
			need = 2
		}
		if i.Arrayed {
			need++
		}
		c.need(scalarOfAny(t) == KindInt && components(t) == need, "IMG-168", "", "the result is %v, where the image has %d sizes", t, need)
	}
	switch in.Op {
	case OpImageQuerySizeLod:
		size()
		c.need(i.Dim.levels(), "IMG-179", "", "Dim %v has no levels", i.Dim)
		c.need(!i.MS, "IMG-179", "", "MS 1 has no levels")
		c.need(i.Use == 1, "IMG-179", "VUID-StandaloneSpirv-OpImageQuerySizeLod-04659", "Sampled %d", i.Use)
		l := c.m.typeOf(in.ID(1))
		c.need(l != nil && l.Kind == KindInt, "IMG-168", "", "the level is %v", l)
	case OpImageQuerySize:
		size()
		c.need(i.Dim.levels() || i.Dim == DimBuffer || i.Dim == DimRect, "IMG-179", "", "a size of Dim %v", i.Dim)
		c.need(!i.Dim.levels() || i.MS || i.Use != 1, "IMG-179", "", "Sampled 1 and MS 0, of which OpImageQuerySizeLod asks")
	case OpImageQueryLevels:
		c.need(t != nil && t.Kind == KindInt, "IMG-168", "", "the result is %v", t)
		c.need(i.Dim.levels(), "IMG-179", "", "Dim %v has no levels", i.Dim)
		c.need(i.Use == 1, "IMG-179", "VUID-StandaloneSpirv-OpImageQuerySizeLod-04659", "Sampled %d", i.Use)
	case OpImageQuerySamples:
		c.need(t != nil && t.Kind == KindInt, "IMG-168", "", "the result is %v", t)
		c.need(i.Dim == Dim2D && i.MS, "IMG-179", "", "samples of Dim %v, MS %v", i.Dim, i.MS)
	case OpImageQueryLod:
		c.need(t != nil && t.Kind == KindVector && t.Count == 2 && t.Elem.Kind == KindFloat, "IMG-168", "", "the result is %v", t)
		c.need(i.Dim.levels(), "IMG-179", "", "Dim %v has no levels", i.Dim)
		c.need(i.Use == 1, "IMG-179", "VUID-StandaloneSpirv-OpImageQuerySizeLod-04659", "Sampled %d", i.Use)
		c.coordinates(c.m.typeOf(in.ID(1)), KindFloat, i.Dim.plane())
	}
}

// texelPointer checks OpImageTexelPointer.
func (c *imageCheck) texelPointer() {
	in := c.in
	t, p := c.m.Type(in.Type), c.m.typeOf(in.ID(0))
	if p == nil || p.Kind != KindPointer || p.Elem == nil || p.Elem.Kind != KindImage {
		c.fault("IMG-168", "", "the operand is %v", p)
		return
	}
	i := p.Elem.Image
	c.need(t != nil && t.Kind == KindPointer && t.Storage == StorageClassImage && t.Elem == i.Sampled, "IMG-168", "", "the result is %v, and the image of %v", t, i.Sampled)
	c.need(i.Dim != DimSubpassData && i.Dim != DimTileImageDataEXT, "IMG-174", "", "a texel of Dim %v", i.Dim)
	switch ImageFormat(i.Format) {
	case ImageFormatR64i, ImageFormatR64ui, ImageFormatR32f, ImageFormatR32i, ImageFormatR32ui:
	default:
		c.fault("IMG-178", "VUID-StandaloneSpirv-OpImageTexelPointer-04658", "Image Format %v", ImageFormat(i.Format))
	}
	need := i.Dim.plane()
	if i.Arrayed && i.Dim != DimCube {
		need++
	}
	at := c.m.typeOf(in.ID(1))
	c.need(scalarOfAny(at) == KindInt && components(at) == need, "IMG-168", "", "the coordinate is %v, where the image takes %d components", at, need)
	s, ts := c.m.defs.At(in.ID(2)), c.m.typeOf(in.ID(2))
	c.need(ts != nil && ts.Kind == KindInt, "IMG-168", "", "the sample is %v", ts)
	zero := s != nil && (s.Op == OpConstant && s.Operands[0] == 0 || s.Op == OpConstantNull)
	c.need(i.MS || zero, "IMG-173", "", "a sample other than the constant 0 with MS 0")
}

// imageOperands checks the optional operands.
//
// IMG-170, IMG-172, IMG-173
func (c *imageCheck) imageOperands(f imageForm, i ImageType) {
	in := c.in
	mask, args := ImageOperands(0), []uint32(nil)
	if f.mask < len(in.Operands) {
		mask, args = ImageOperands(in.Operands[f.mask]), in.Operands[f.mask+1:]
	}
	has := func(m ImageOperands) bool { return mask&m != 0 }
	next := func() *Type {
		id := ID(args[0])
		args = args[1:]
		return c.m.typeOf(id)
	}
	bits := 0
	for _, b := range []ImageOperands{ImageOperandsConstOffset, ImageOperandsOffset, ImageOperandsConstOffsets, ImageOperandsOffsets} {
		if has(b) {
			bits++
		}
	}
	levels := func(name string) {
		c.need(i.Dim.levels(), "IMG-172", "", "%s with Dim %v", name, i.Dim)
		c.need(!i.MS, "IMG-172", "", "%s with MS 1", name)
	}
	amd := f.gather && c.m.declared[CapabilityImageGatherBiasLodAMD]
	if has(ImageOperandsBias) {
		t := next()
		c.need(f.implicit || amd, "IMG-172", "", "Bias on %v", in.Op)
		c.need(t != nil && t.Kind == KindFloat, "IMG-168", "", "Bias is %v", t)
		levels("Bias")
	}
	c.need(!f.explicit || has(ImageOperandsLod|ImageOperandsGrad), "IMG-172", "", "%v without Lod and Grad", in.Op)
	if has(ImageOperandsLod) {
		t := next()
		storage := (f.read || f.write) && c.m.declared[CapabilityImageReadWriteLodAMD]
		c.need(f.explicit || f.fetch || amd || storage, "IMG-172", "", "Lod on %v", in.Op)
		c.need(!has(ImageOperandsGrad), "IMG-172", "", "Lod together with Grad")
		kind := KindInt
		if f.sampled {
			kind = KindFloat
		}
		c.need(t != nil && t.Kind == kind, "IMG-168", "", "Lod is %v", t)
		levels("Lod")
	}
	if has(ImageOperandsGrad) {
		x, y := next(), next()
		c.need(f.explicit, "IMG-172", "", "Grad on %v", in.Op)
		for _, t := range []*Type{x, y} {
			c.need(scalarOfAny(t) == KindFloat && components(t) == i.Dim.plane(), "IMG-168", "", "a gradient is %v", t)
		}
		levels("Grad")
	}
	c.offsets(f, i, mask, bits, next, &args)
	if has(ImageOperandsSample) {
		t := next()
		c.need(f.fetch || f.read || f.write, "IMG-173", "", "Sample on %v", in.Op)
		c.need(i.MS, "IMG-173", "", "Sample with MS 0")
		c.need(t != nil && t.Kind == KindInt, "IMG-168", "", "Sample is %v", t)
	}
	c.need(!i.MS || f.sampled || has(ImageOperandsSample), "IMG-173", "", "MS 1 without Sample")
	if has(ImageOperandsMinLod) {
		t := next()
		c.need(f.implicit || f.explicit && has(ImageOperandsGrad), "IMG-172", "", "MinLod on %v without Grad", in.Op)
		c.need(t != nil && t.Kind == KindFloat, "IMG-168", "", "MinLod is %v", t)
		levels("MinLod")
	}
	if has(ImageOperandsSignExtend | ImageOperandsZeroExtend) {
		c.need(i.Sampled.Kind == KindInt, "IMG-168", "", "SignExtend or ZeroExtend of %v", i.Sampled)
	}
	if has(ImageOperandsMakeTexelAvailable) {
		c.need(f.write && has(ImageOperandsNonPrivateTexel), "IMG-168", "", "MakeTexelAvailable on %v, or without NonPrivateTexel", in.Op)
	}
	if has(ImageOperandsMakeTexelVisible) {
		c.need(f.read && has(ImageOperandsNonPrivateTexel), "IMG-168", "", "MakeTexelVisible on %v, or without NonPrivateTexel", in.Op)
	}
}

// offsets checks the operands that are offsets, of which there is one.
func (c *imageCheck) offsets(f imageForm, i ImageType, mask ImageOperands, count int, next func() *Type, args *[]uint32) {
	in := c.in
	c.need(count <= 1, "IMG-170", "", "more than one kind of offset")
	c.need(count == 0 || i.Dim != DimCube, "IMG-170", "", "an offset with Dim Cube")
	c.need(count == 0 || !f.read && !f.write, "IMG-170", "VUID-StandaloneSpirv-Offset-04865", "an offset on %v", in.Op)
	if mask&ImageOperandsConstOffset != 0 {
		d, t := c.m.defs.At(ID((*args)[0])), next()
		c.need(d != nil && isConstant(d.Op), "IMG-170", "", "ConstOffset is no constant")
		c.need(scalarOfAny(t) == KindInt && components(t) == i.Dim.plane(), "IMG-168", "", "ConstOffset is %v", t)
	}
	if mask&ImageOperandsOffset != 0 {
		t := next()
		c.need(f.gather || !c.rules.ConstantOffsets, "IMG-170", "VUID-RuntimeSpirv-Offset-10213", "Offset on %v", in.Op)
		c.need(scalarOfAny(t) == KindInt && components(t) == i.Dim.plane(), "IMG-168", "", "Offset is %v", t)
	}
	if mask&ImageOperandsConstOffsets != 0 {
		d, t := c.m.defs.At(ID((*args)[0])), next()
		c.need(f.gather, "IMG-170", "", "ConstOffsets on %v", in.Op)
		c.need(d != nil && isConstant(d.Op), "IMG-170", "", "ConstOffsets is no constant")
		n := uint32(0)
		if t != nil && t.Kind == KindArray {
			if l := c.m.defs.At(t.Len); l != nil && l.Op == OpConstant {
				n = l.Operands[0]
			}
		}
		c.need(n == 4 && components(t.Elem) == 2 && scalarOf(t.Elem).Kind == KindInt, "IMG-168", "", "ConstOffsets is %v", t)
	}
}

// stages checks that instructions with implicit derivatives are reached from stages that have quads only.
//
// IMG-177
func (c *imageCheck) stages() {
	without := map[*Function]*EntryPoint{} // functions that a stage without quads reaches
	beyond := map[*Function]*EntryPoint{}  // and those that another stage than the fragment shader reaches
	for _, e := range c.m.EntryPoints {
		if !e.quads() {
			c.m.reach(without, c.m.functions[e.Function], e)
		}
		if e.Model != ExecutionModelFragment {
			c.m.reach(beyond, c.m.functions[e.Function], e)
		}
	}
	for _, f := range c.m.Functions {
		if beyond[f] == nil { // nor without
			continue
		}
		for _, b := range f.Blocks {
			for _, in := range b.Insts {
				if len(c.list) >= maxImageFaults {
					return
				}
				form, ok := formOf(in.Op)
				c.at(in)
				if e := without[f]; e != nil && (ok && form.implicit || in.Op == OpImageQueryLod) {
					c.fault("IMG-177", "", "derivatives in the entry point %q, a %v shader without quads", e.Name, e.Model)
				}
				if t := c.m.typeOf(in.ID(0)); form.read && t != nil && t.Kind == KindImage && t.Image.Dim == DimSubpassData {
					c.fault("IMG-174", "", "SubpassData in the entry point %q, a %v shader", beyond[f].Name, beyond[f].Model)
				}
			}
		}
	}
}

// reach marks a function, and those that it calls, with an entry point that they are reached from.
func (m *Module) reach(marks map[*Function]*EntryPoint, f *Function, e *EntryPoint) {
	list := []*Function{f}
	for len(list) > 0 {
		f := list[len(list)-1]
		list = list[:len(list)-1]
		if f == nil || marks[f] != nil {
			continue
		}
		marks[f] = e
		for _, b := range f.Blocks {
			for _, in := range b.Insts {
				if callee, ok := in.Called(); ok {
					list = append(list, m.functions[callee])
				}
			}
		}
	}
}

// quads says that invocations of the entry point form quads: in fragment shaders, and in those with workgroups that a mode
// arranges.
func (e *EntryPoint) quads() bool {
	if e.Model == ExecutionModelFragment {
		return true
	}
	_, squares := e.Mode(ExecutionModeDerivativeGroupQuadsKHR)
	_, lines := e.Mode(ExecutionModeDerivativeGroupLinearKHR)
	return squares || lines
}

// processed checks that textures of image processing stand where those instructions take them, and nowhere else.
//
// IMG-190
func (c *imageCheck) processed() {
	in := c.in
	weights, blocks := false, false
	switch in.Op {
	case OpImageSampleWeightedQCOM:
		weights = true
	case OpImageBlockMatchSSDQCOM, OpImageBlockMatchSADQCOM, OpImageBlockMatchWindowSSDQCOM, OpImageBlockMatchWindowSADQCOM, OpImageBlockMatchGatherSSDQCOM, OpImageBlockMatchGatherSADQCOM:
		blocks = true
	default:
		if _, ok := formOf(in.Op); !ok && in.Op != OpImageGatherQCOM && in.Op != OpImageSampleFootprintNV && in.Op != OpImageTexelPointer {
			return
		}
	}
	of := func(i int, kind Decoration) bool {
		for id, n := in.ID(i), 0; id != 0 && n < 8; n++ {
			if _, ok := c.m.Decoration(id, kind); ok {
				return true
			}
			d := c.m.defs.At(id)
			if d == nil {
				return false
			}
			switch d.Op {
			case OpLoad, OpAccessChain, OpInBoundsAccessChain, OpSampledImage, OpImage, OpCopyObject:
				id = d.ID(0)
			default:
				return false
			}
		}
		return false
	}
	switch {
	case weights:
		c.need(of(2, DecorationWeightTextureQCOM), "IMG-190", "VUID-RuntimeSpirv-OpImageSampleWeightedQCOM-06981", "weights that are not decorated WeightTextureQCOM")
	case blocks:
		vuid := "VUID-RuntimeSpirv-OpImageBlockMatchSSDQCOM-06984"
		if in.Op != OpImageBlockMatchSSDQCOM && in.Op != OpImageBlockMatchSADQCOM {
			vuid = "VUID-RuntimeSpirv-OpImageBlockMatchWindow-09221"
		}
		c.need(of(0, DecorationBlockMatchTextureQCOM) && of(2, DecorationBlockMatchTextureQCOM), "IMG-190", vuid, "target or reference are not decorated BlockMatchTextureQCOM")
	default:
		c.need(!of(0, DecorationWeightTextureQCOM) && !of(0, DecorationBlockMatchTextureQCOM), "IMG-190", "", "%v on a texture of image processing", in.Op)
	}
}

// isZero says that <id> is a constant scalar or vector of zeros.
func (m *Module) isZero(id ID) bool {
	d := m.defs.At(id)
	if d == nil || d.Op != OpConstantComposite || components(m.Type(d.Type)) == 0 {
		return d != nil && (d.Op == OpConstantNull || d.Op == OpConstant && d.Operands[0] == 0)
	}
	for i := range d.Operands {
		c := m.defs.At(d.ID(i))
		if c == nil || c.Op != OpConstantNull && (c.Op != OpConstant || c.Operands[0] != 0) {
			return false
		}
	}
	return true
}

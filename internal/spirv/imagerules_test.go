package spirv

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/outside"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// imageCase is a module with one image instruction.
type imageCase struct {
	op      Op
	dim     Dim
	arrayed bool
	ms      bool
	depth   uint32
	use     uint32
	format  ImageFormat
	number  string // Sampled Type: "float", "int", "uint"
	mask    ImageOperands
	stage   ExecutionModel
	twist   string // what is wrong besides: see twists
}

func (c imageCase) String() string {
	return fmt.Sprintf("%v Dim %v Arrayed %v MS %v Depth %d Sampled %d %v %s operands %#x %v %s", c.op, c.dim, c.arrayed, c.ms, c.depth, c.use, c.format, c.number, uint32(c.mask), c.stage, c.twist)
}

// imageBuilder writes a module.
type imageBuilder struct {
	types, body []uint32
	ids         map[string]uint32
	next        uint32
}

func word(op Op, operands ...uint32) []uint32 {
	return append([]uint32{uint32(len(operands)+1)<<16 | uint32(op)}, operands...)
}

// id declares something once: the key is its name.
func (b *imageBuilder) id(key string, write func(id uint32) []uint32) uint32 {
	if id, ok := b.ids[key]; ok {
		return id
	}
	b.next++
	id := b.next
	b.ids[key] = id
	b.types = append(b.types, write(id)...)
	return id
}

// scalar is a scalar type.
func (b *imageBuilder) scalar(number string) uint32 {
	return b.id(number, func(id uint32) []uint32 {
		switch number {
		case "float":
			return word(OpTypeFloat, id, 32)
		case "int":
			return word(OpTypeInt, id, 32, 1)
		case "uint":
			return word(OpTypeInt, id, 32, 0)
		case "bool":
			return word(OpTypeBool, id)
		}
		return word(OpTypeVoid, id)
	})
}

// vector is a vector of n, or a scalar.
func (b *imageBuilder) vector(number string, n uint32) uint32 {
	s := b.scalar(number)
	if n == 1 {
		return s
	}
	return b.id(fmt.Sprint(number, n), func(id uint32) []uint32 { return word(OpTypeVector, id, s, n) })
}

// zero is a constant of zeros.
func (b *imageBuilder) zero(number string, n uint32) uint32 {
	t := b.vector(number, n)
	return b.id(fmt.Sprint("zero ", number, n), func(id uint32) []uint32 { return word(OpConstantNull, t, id) })
}

// value is a value of zeros that is no constant.
func (b *imageBuilder) value(number string, n uint32) uint32 {
	t, z := b.vector(number, n), b.zero(number, n)
	return b.emit(OpCopyObject, t, z)
}

// emit adds an instruction with a result.
func (b *imageBuilder) emit(op Op, t uint32, operands ...uint32) uint32 {
	b.next++
	b.body = append(b.body, word(op, append([]uint32{t, b.next}, operands...)...)...)
	return b.next
}

func (b *imageBuilder) pointer(class StorageClass, to uint32) uint32 {
	return b.id(fmt.Sprint("pointer ", class, to), func(id uint32) []uint32 { return word(OpTypePointer, id, uint32(class), to) })
}

// caseCapabilities are declared by every module: what is asked here is not whether they are.
var caseCapabilities = []Capability{CapabilityShader, CapabilitySampled1D, CapabilityImage1D, CapabilitySampledBuffer, CapabilityImageBuffer, CapabilitySampledCubeArray, CapabilityImageCubeArray,
	CapabilityImageMSArray, CapabilityStorageImageMultisample, CapabilityStorageImageReadWithoutFormat, CapabilityStorageImageWriteWithoutFormat, CapabilityImageQuery,
	CapabilityImageGatherExtended, CapabilitySparseResidency, CapabilityMinLod, CapabilityInputAttachment, CapabilityStorageImageExtendedFormats, CapabilityVulkanMemoryModel}

// words is the module.
func (c imageCase) words() []uint32 {
	b := &imageBuilder{ids: map[string]uint32{}, next: 1}
	const entry = 1
	form, ok := formOf(c.op)
	texel := b.scalar(c.number)
	image := b.id("image", func(id uint32) []uint32 {
		return word(OpTypeImage, id, texel, uint32(c.dim), c.depth, flag(c.arrayed), flag(c.ms), c.use, uint32(c.format))
	})
	imageVar := b.id("image variable", func(id uint32) []uint32 {
		return word(OpVariable, b.pointer(StorageClassUniformConstant, image), id, 0)
	})
	void := b.scalar("void")
	function := b.id("function", func(id uint32) []uint32 { return word(OpTypeFunction, id, void) })
	coords := "int"
	if ok && form.sampled {
		coords = "float"
	}
	b.next++
	label := b.next
	var operand uint32
	if c.op != OpImageTexelPointer {
		operand = b.emit(OpLoad, image, imageVar)
	}
	samplerVar := uint32(0)
	if form.sampled {
		sampler := b.id("sampler", func(id uint32) []uint32 { return word(OpTypeSampler, id) })
		samplerVar = b.id("sampler variable", func(id uint32) []uint32 {
			return word(OpVariable, b.pointer(StorageClassUniformConstant, sampler), id, 0)
		})
		combined := b.id("combined", func(id uint32) []uint32 { return word(OpTypeSampledImage, id, image) })
		operand = b.emit(OpSampledImage, combined, operand, b.emit(OpLoad, sampler, samplerVar))
	}
	c.instruction(b, form, operand, imageVar, coords, texel)

	var out []uint32
	add := func(op Op, operands ...uint32) { out = append(out, word(op, operands...)...) }
	for _, x := range caseCapabilities {
		add(OpCapability, uint32(x))
	}
	add(OpMemoryModel, 0, 3) // Vulkan
	add(OpEntryPoint, uint32(c.stage), entry, 0x6E69616D, 0, imageVar)
	if samplerVar != 0 {
		out[len(out)-6] += 1 << 16
		out = append(out, samplerVar)
	}
	switch c.stage {
	case ExecutionModelFragment:
		add(OpExecutionMode, entry, uint32(ExecutionModeOriginUpperLeft))
	case ExecutionModelGLCompute:
		add(OpExecutionMode, entry, uint32(ExecutionModeLocalSize), 4, 1, 1)
	}
	for i, v := range []uint32{imageVar, samplerVar} {
		if v != 0 {
			add(OpDecorate, v, uint32(DecorationDescriptorSet), 0)
			add(OpDecorate, v, uint32(DecorationBinding), uint32(i))
		}
	}
	if c.dim == DimSubpassData {
		add(OpDecorate, imageVar, uint32(DecorationInputAttachmentIndex), 0)
	}
	out = append(out, b.types...)
	add(OpFunction, void, entry, 0, function)
	add(OpLabel, label)
	out = append(out, b.body...)
	add(OpReturn)
	add(OpFunctionEnd)
	return append([]uint32{Magic, 0x10600, 0, b.next + 1, 0}, out...)
}

func flag(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// twists are mistakes of types.
var twists = []string{"", "short", "kind", "result", "texel"}

// instruction writes the instruction of the case.
func (c imageCase) instruction(b *imageBuilder, f imageForm, operand, variable uint32, coords string, texel uint32) {
	i := ImageType{Dim: c.dim, Arrayed: c.arrayed}
	need := i.Dim.plane()
	if c.arrayed && !((f.read || f.write || c.op == OpImageTexelPointer) && c.dim == DimCube) {
		need++
	}
	if f.proj {
		need++
	}
	switch {
	case c.twist == "short":
		need = max(need-1, 1)
	case c.twist == "kind" && coords == "int":
		coords = "float"
	case c.twist == "kind":
		coords = "int"
	}
	vec4 := b.vector(c.number, 4)
	switch {
	case c.twist == "result":
		vec4 = b.vector(c.number, 3)
	case c.twist == "texel" && c.number == "float":
		vec4, texel = b.vector("int", 4), b.scalar("int")
	case c.twist == "texel":
		vec4, texel = b.vector("float", 4), b.scalar("float")
	}
	at := func() uint32 {
		if c.dim == DimSubpassData && f.read {
			return b.zero(coords, need)
		}
		return b.value(coords, need)
	}
	sizes := need
	if c.dim == DimCube {
		sizes--
	}
	switch c.op {
	case OpImageQuerySizeLod:
		b.emit(c.op, b.vector("int", min(sizes, 4)), operand, b.zero("int", 1))
		return
	case OpImageQuerySize:
		b.emit(c.op, b.vector("int", min(sizes, 4)), operand)
		return
	case OpImageQueryLevels, OpImageQuerySamples:
		b.emit(c.op, b.scalar("int"), operand)
		return
	case OpImageQueryLod:
		b.emit(c.op, b.vector("float", 2), operand, at())
		return
	case OpImageTexelPointer:
		b.emit(c.op, b.pointer(StorageClassImage, texel), variable, at(), b.zero("int", 1))
		return
	case OpImageWrite:
		args := append([]uint32{operand, at(), b.zero(c.number, 4)}, c.operands(b, f)...)
		if c.twist == "texel" {
			args[2] = b.zero(map[bool]string{true: "int", false: "float"}[c.number == "float"], 4)
		}
		b.body = append(b.body, word(c.op, args...)...)
		return
	}
	result := vec4
	if f.dref && !f.gather {
		result = texel
	}
	if f.sparse {
		member := result
		result = b.id("sparse", func(id uint32) []uint32 { return word(OpTypeStruct, id, b.scalar("int"), member) })
	}
	args := []uint32{operand, at()}
	switch {
	case f.dref:
		args = append(args, b.zero("float", 1))
	case f.gather:
		args = append(args, b.zero("int", 1))
	}
	b.emit(c.op, result, append(args, c.operands(b, f)...)...)
}

// operands are the mask and the operands that it says.
func (c imageCase) operands(b *imageBuilder, f imageForm) []uint32 {
	if c.mask == 0 && !f.explicit {
		return nil
	}
	out := []uint32{uint32(c.mask)}
	n := c.dim.plane()
	for bit := ImageOperands(1); bit <= ImageOperandsMakeTexelVisible; bit <<= 1 {
		if c.mask&bit == 0 {
			continue
		}
		switch bit {
		case ImageOperandsBias, ImageOperandsMinLod:
			out = append(out, b.zero("float", 1))
		case ImageOperandsLod:
			if f.sampled {
				out = append(out, b.zero("float", 1))
			} else {
				out = append(out, b.zero("int", 1))
			}
		case ImageOperandsGrad:
			out = append(out, b.zero("float", n), b.zero("float", n))
		case ImageOperandsConstOffset:
			out = append(out, b.zero("int", n))
		case ImageOperandsOffset:
			out = append(out, b.value("int", n))
		case ImageOperandsConstOffsets:
			four := b.id("four", func(id uint32) []uint32 { return word(OpConstant, b.scalar("uint"), id, 4) })
			list := b.id("offsets", func(id uint32) []uint32 { return word(OpTypeArray, id, b.vector("int", 2), four) })
			out = append(out, b.id("zero offsets", func(id uint32) []uint32 { return word(OpConstantNull, list, id) }))
		case ImageOperandsSample:
			out = append(out, b.zero("int", 1))
		case ImageOperandsMakeTexelAvailable, ImageOperandsMakeTexelVisible:
			out = append(out, b.id("scope", func(id uint32) []uint32 { return word(OpConstant, b.scalar("uint"), id, 5) }))
		}
	}
	return out
}

// imageCases are all of them: instruction, dimension, layers, samples, and operands, and what else can differ for some of them.
func imageCases() iter.Seq[imageCase] {
	dims := []Dim{Dim1D, Dim2D, Dim3D, DimCube, DimBuffer, DimSubpassData}
	masks := []ImageOperands{0, ImageOperandsBias, ImageOperandsLod, ImageOperandsGrad, ImageOperandsConstOffset, ImageOperandsOffset, ImageOperandsConstOffsets, ImageOperandsSample, ImageOperandsMinLod,
		ImageOperandsLod | ImageOperandsGrad, ImageOperandsGrad | ImageOperandsMinLod, ImageOperandsLod | ImageOperandsMinLod, ImageOperandsConstOffset | ImageOperandsOffset, ImageOperandsBias | ImageOperandsConstOffset,
		ImageOperandsLod | ImageOperandsConstOffset, ImageOperandsLod | ImageOperandsSample, ImageOperandsMakeTexelVisible | ImageOperandsNonPrivateTexel, ImageOperandsMakeTexelAvailable | ImageOperandsNonPrivateTexel,
		ImageOperandsMakeTexelVisible, ImageOperandsNonPrivateTexel, ImageOperandsSignExtend, ImageOperandsNontemporal}
	return func(yield func(imageCase) bool) {
		var ops []Op
		for op := Op(0); op < OpImageSparseRead+1; op++ {
			if _, ok := formOf(op); ok || op == OpImageTexelPointer {
				ops = append(ops, op)
			}
		}
		for _, op := range ops {
			f, ok := formOf(op)
			for k := range len(dims) * 4 {
				c := imageCase{op: op, dim: dims[k/4], arrayed: k&1 != 0, ms: k&2 != 0, use: 1, number: "float", stage: ExecutionModelFragment}
				if f.read || f.write || op == OpImageTexelPointer || c.dim == DimSubpassData {
					c.use = 2
				}
				if op == OpImageTexelPointer {
					c.format, c.number = ImageFormatR32i, "int"
				}
				plain := ImageOperands(0)
				switch {
				case f.explicit:
					plain = ImageOperandsLod
				case c.ms && (f.fetch || f.read || f.write):
					plain = ImageOperandsSample
				}
				c.mask = plain
				change := func(set func(c *imageCase)) bool {
					d := c
					set(&d)
					return yield(d)
				}
				if !yield(c) {
					return
				}
				if ok && !f.asks {
					for _, m := range masks {
						if m != plain && !change(func(c *imageCase) { c.mask = m }) {
							return
						}
					}
				}
				for _, set := range []func(c *imageCase){
					func(c *imageCase) { c.depth = 1 }, func(c *imageCase) { c.depth = 2 }, func(c *imageCase) { c.use = 3 - c.use }, func(c *imageCase) { c.stage = ExecutionModelGLCompute },
					func(c *imageCase) { c.stage = ExecutionModelVertex }, func(c *imageCase) { c.number = "uint" }, func(c *imageCase) { c.format = ImageFormatRgba8 }, func(c *imageCase) { c.format = ImageFormatR32ui },
					func(c *imageCase) { c.twist = "short" }, func(c *imageCase) { c.twist = "kind" }, func(c *imageCase) { c.twist = "result" }, func(c *imageCase) { c.twist = "texel" },
				} {
					if !change(set) {
						return
					}
				}
			}
		}
	}
}

// faulty says what is wrong with a module: it is refused, or a fault is found; "" where all is well.
func faulty(words []uint32) string {
	m, err := Parse(words)
	if err != nil {
		return err.Error()
	}
	for _, f := range m.ImageFaults(ImageRules{}) {
		return f.Rule + ": " + f.Detail
	}
	return ""
}

// The modules that rules of SPIR-V forbid are told of by their rules, and what differs from them in one thing is not.
func TestImageFaults_NamesRules(t *testing.T) {
	rules.Covers(t, "IMG-168", "IMG-169", "IMG-170", "IMG-171", "IMG-172", "IMG-173", "IMG-174", "IMG-177", "IMG-178", "IMG-179", "IMG-139")
	sample := imageCase{op: OpImageSampleImplicitLod, dim: Dim2D, use: 1, number: "float", stage: ExecutionModelFragment}
	explicit, fetch, gather, read, write := sample, sample, sample, sample, sample
	explicit.op, explicit.mask = OpImageSampleExplicitLod, ImageOperandsLod
	fetch.op, gather.op = OpImageFetch, OpImageGather
	read.op, read.use, write.op, write.use = OpImageRead, 2, OpImageWrite, 2
	with := func(c imageCase, set func(c *imageCase)) imageCase { set(&c); return c }
	ms := func(c *imageCase) { c.ms = true }
	dim := func(d Dim) func(*imageCase) { return func(c *imageCase) { c.dim = d } }
	mask := func(m ImageOperands) func(*imageCase) { return func(c *imageCase) { c.mask = m } }
	op := func(o Op) func(*imageCase) { return func(c *imageCase) { c.op = o } }
	for _, x := range []struct {
		c    imageCase
		rule string // "" where nothing is wrong
	}{
		{sample, ""}, {explicit, ""}, {fetch, ""}, {gather, ""}, {read, ""}, {write, ""},
		{with(gather, dim(Dim3D)), "IMG-174"}, {with(gather, dim(Dim1D)), "IMG-174"}, {with(gather, dim(DimCube)), ""},
		{with(fetch, dim(DimCube)), "IMG-174"}, {with(fetch, dim(DimBuffer)), ""},
		{with(sample, ms), "IMG-174"},
		{with(explicit, mask(ImageOperandsBias|ImageOperandsLod)), "IMG-172"}, {with(sample, mask(ImageOperandsBias)), ""},
		{with(sample, mask(ImageOperandsLod)), "IMG-172"}, {with(explicit, mask(ImageOperandsLod|ImageOperandsGrad)), "IMG-172"}, {with(explicit, mask(ImageOperandsGrad)), ""},
		{with(explicit, mask(ImageOperandsLod|ImageOperandsMinLod)), "IMG-172"}, {with(explicit, mask(ImageOperandsGrad|ImageOperandsMinLod)), ""}, {with(sample, mask(ImageOperandsMinLod)), ""},
		{with(fetch, ms), "IMG-173"}, {with(with(fetch, ms), mask(ImageOperandsSample)), ""}, {with(fetch, mask(ImageOperandsSample)), "IMG-173"}, {with(sample, mask(ImageOperandsSample)), "IMG-173"},
		{with(read, ms), "IMG-173"}, {with(write, ms), "IMG-173"},
		{with(sample, mask(ImageOperandsConstOffset|ImageOperandsOffset)), "IMG-170"}, {with(sample, mask(ImageOperandsConstOffsets)), "IMG-170"}, {with(gather, mask(ImageOperandsConstOffsets)), ""},
		{with(with(sample, dim(DimCube)), mask(ImageOperandsConstOffset)), "IMG-170"}, {with(sample, mask(ImageOperandsConstOffset)), ""},
		{with(sample, func(c *imageCase) { c.stage = ExecutionModelGLCompute }), "IMG-177"}, {with(sample, func(c *imageCase) { c.stage = ExecutionModelVertex }), "IMG-177"},
		{with(explicit, func(c *imageCase) { c.stage = ExecutionModelGLCompute }), ""},
		{with(with(sample, op(OpImageQueryLod)), func(c *imageCase) { c.stage = ExecutionModelVertex }), "IMG-177"},
		{with(sample, op(OpImageQuerySizeLod)), ""}, {with(with(sample, op(OpImageQuerySizeLod)), ms), "IMG-179"}, {with(read, op(OpImageQuerySizeLod)), "IMG-179"},
		{with(sample, op(OpImageQuerySize)), "IMG-179"}, {with(with(sample, op(OpImageQuerySize)), ms), ""}, {with(read, op(OpImageQuerySize)), ""}, {with(sample, op(OpImageQuerySamples)), "IMG-179"},
		{with(with(sample, op(OpImageQuerySamples)), ms), ""}, {with(read, op(OpImageQueryLevels)), "IMG-179"}, {with(sample, op(OpImageQueryLevels)), ""},
		{with(sample, func(c *imageCase) { c.op, c.dim = OpImageSampleProjImplicitLod, DimCube }), "IMG-171"}, {with(sample, func(c *imageCase) { c.op, c.arrayed = OpImageSampleProjImplicitLod, true }), "IMG-171"},
		{with(sample, op(OpImageSampleProjImplicitLod)), ""},
		{with(sample, func(c *imageCase) { c.op, c.dim = OpImageSampleDrefImplicitLod, Dim3D }), "IMG-139"}, {with(sample, op(OpImageSampleDrefImplicitLod)), ""},
		{with(read, func(c *imageCase) { c.use = 1 }), "IMG-178"}, {with(sample, func(c *imageCase) { c.twist = "short" }), "IMG-168"}, {with(sample, func(c *imageCase) { c.twist = "kind" }), "IMG-168"},
		{with(sample, func(c *imageCase) { c.twist = "result" }), "IMG-168"}, {with(fetch, func(c *imageCase) { c.twist = "texel" }), "IMG-168"}, {with(write, func(c *imageCase) { c.twist = "texel" }), "IMG-168"},
		{with(read, func(c *imageCase) { c.format = ImageFormatR32ui }), "IMG-169"}, {with(read, func(c *imageCase) { c.format = ImageFormatRgba8 }), ""},
		{with(read, func(c *imageCase) { c.dim, c.arrayed = DimSubpassData, true }), "IMG-169"}, {with(read, dim(DimSubpassData)), ""},
	} {
		m, err := Parse(x.c.words())
		if err != nil {
			t.Errorf("%v: %v", x.c, err)
			continue
		}
		var told []string
		for _, f := range m.ImageFaults(ImageRules{}) {
			told = append(told, f.Rule)
		}
		switch {
		case x.rule == "" && len(told) > 0:
			t.Errorf("%v: told of %q", x.c, told)
		case x.rule != "" && !slices.Contains(told, x.rule):
			t.Errorf("%v: told of %q, want %s", x.c, told, x.rule)
		}
	}
}

// recordedImageVerdicts is what spirv-val says of imageCases: by instruction, a digit for each, in their order.
const recordedImageVerdicts = "testdata/image-verdicts.txt"

// onlyWeRefuse is what spirv-val lets pass, and SPIR-V or Vulkan does not.
var onlyWeRefuse = []string{
	"IMG-168: SignExtend or ZeroExtend of float32", // of writes; an operand for integers only
	"IMG-172: ",                      // an ExplicitLod instruction with a mask of no operands: one has to set the level
	"IMG-170: an offset on ",         // VUID-StandaloneSpirv-Offset-04865
	"IMG-168: the coordinate is int", // coordinates of samples: integers are for kernels
}

// agreesOnImage compares verdicts on a module; theirs is '1' where it is valid, '0' where not, and else none.
func agreesOnImage(t *testing.T, c imageCase, ours string, theirs byte) {
	t.Helper()
	switch {
	case ours == "" && theirs == '0':
		t.Errorf("%v: nothing is found, and spirv-val refuses it", c)
	case ours != "" && theirs == '1' && !slices.ContainsFunc(onlyWeRefuse, func(s string) bool { return strings.HasPrefix(ours, s) }):
		t.Errorf("%v: %s, and spirv-val takes it", c, ours)
	}
}

// Every image instruction with every dimension, layers, samples and operands: what spirv-val refuses is refused or told of.
func TestImageFaults_AgreeWithRecord(t *testing.T) {
	rules.Covers(t, "IMG-168", "IMG-169", "IMG-170", "IMG-172", "IMG-173", "IMG-174", "IMG-177", "IMG-179")
	r := outside.ReadRecord(t, recordedImageVerdicts)
	at, n := map[Op]int{}, 0
	for c := range imageCases() {
		said, k := r.Values[c.op.String()], at[c.op]
		if at[c.op]++; k >= len(said) {
			t.Fatalf("%v is not recorded; %s", c, outside.Anew)
		}
		if n++; testing.Short() && n%5 != 0 {
			continue
		}
		agreesOnImage(t, c, faulty(c.words()), said[k])
	}
}

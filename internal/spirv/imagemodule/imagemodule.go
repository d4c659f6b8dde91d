// Package imagemodule makes modules of SPIR-V with one image instruction, valid ones and others, for tests.
package imagemodule

import (
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"strings"

	"github.com/pumice-gpu/pumice/internal/spirv"
)

// Instruction is an image instruction, and the image that it is on.
type Instruction struct {
	Op      spirv.Op
	Dim     spirv.Dim
	Arrayed bool
	MS      bool
	Depth   uint32 // of OpTypeImage, and Sampled: 1 or 2
	Sampled uint32
	Format  spirv.ImageFormat
	Number  string // Sampled Type: "float", "int" or "uint"
	Mask    spirv.ImageOperands
	Stage   spirv.ExecutionModel
	Twist   string // what is wrong with its types: see Twists
	// Offset is each component of a ConstOffset.
	Offset int32
	// Texel is how many components a write has; 0: 4.
	Texel uint32
	// Box is the size of a box filter, Block of a block match, Granularity that of a footprint.
	Box         float32
	Block       uint32
	Granularity uint32
	// Reference is where the block of the reference lies.
	Reference uint32
	// Copied puts an OpCopyObject between the sampled image and the instruction.
	Copied bool
	// Decorated is what the image is decorated with for image processing; 0: nothing.
	Decorated spirv.Decoration
}

// Twists are mistakes of types: a component of the coordinate less, coordinates of another kind, a result of three components,
// and texels of another kind. Not among them, as no record has them: "code", a sparse instruction without a residency code, and
// "gradient", a second gradient of integers.
var Twists = []string{"short", "kind", "result", "texel"}

func (c Instruction) String() string {
	return fmt.Sprintf("%v Dim %v Arrayed %v MS %v Depth %d Sampled %d %v %s operands %#x %v %s", c.Op, c.Dim, c.Arrayed, c.MS, c.Depth, c.Sampled, c.Format, c.Number, uint32(c.Mask), c.Stage, c.Twist)
}

// What an instruction is, by its name.
func (c Instruction) named(parts ...string) bool {
	for _, p := range parts {
		if strings.Contains(c.Op.String(), p) {
			return true
		}
	}
	return false
}
func (c Instruction) sampled() bool {
	return c.named("Sample", "Gather", "QueryLod", "QCOM") && !c.named("Samples")
}
func (c Instruction) storage() bool {
	return c.named("ImageRead", "SparseRead", "ImageWrite", "TexelPointer")
}
func (c Instruction) processing() bool { return c.named("WeightedQCOM", "BoxFilterQCOM", "BlockMatch") }
func (c Instruction) queries() bool    { return c.named("Query") }

// plane is how many coordinates a dimension has without a layer.
func plane(d spirv.Dim) uint32 {
	switch d {
	case spirv.Dim1D, spirv.DimBuffer:
		return 1
	case spirv.Dim3D, spirv.DimCube:
		return 3
	}
	return 2
}

// wordWriter writes a module.
type wordWriter struct {
	types, body []uint32
	ids         map[string]uint32
	next        uint32
}

func word(op spirv.Op, operands ...uint32) []uint32 {
	return append([]uint32{uint32(len(operands)+1)<<16 | uint32(op)}, operands...)
}

// id declares something once: the key is its name.
func (b *wordWriter) id(key string, write func(id uint32) []uint32) uint32 {
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
func (b *wordWriter) scalar(number string) uint32 {
	return b.id(number, func(id uint32) []uint32 {
		switch number {
		case "float":
			return word(spirv.OpTypeFloat, id, 32)
		case "int":
			return word(spirv.OpTypeInt, id, 32, 1)
		case "uint":
			return word(spirv.OpTypeInt, id, 32, 0)
		case "bool":
			return word(spirv.OpTypeBool, id)
		}
		return word(spirv.OpTypeVoid, id)
	})
}

// vector is a vector of n, or a scalar.
func (b *wordWriter) vector(number string, n uint32) uint32 {
	s := b.scalar(number)
	if n == 1 {
		return s
	}
	return b.id(fmt.Sprint(number, n), func(id uint32) []uint32 { return word(spirv.OpTypeVector, id, s, n) })
}

// constant is a scalar, or a vector of equal ones.
func (b *wordWriter) constant(number string, n, bits uint32) uint32 {
	t := b.vector(number, n)
	if bits == 0 {
		return b.id(fmt.Sprint("zero ", number, n), func(id uint32) []uint32 { return word(spirv.OpConstantNull, t, id) })
	}
	if n == 1 {
		return b.id(fmt.Sprint(number, " ", bits), func(id uint32) []uint32 { return word(spirv.OpConstant, t, id, bits) })
	}
	one := b.constant(number, 1, bits)
	return b.id(fmt.Sprint(number, n, " ", bits), func(id uint32) []uint32 {
		parts := []uint32{t, id}
		for range n {
			parts = append(parts, one)
		}
		return word(spirv.OpConstantComposite, parts...)
	})
}

func (b *wordWriter) zero(number string, n uint32) uint32 { return b.constant(number, n, 0) }

// value is a value of zeros that is no constant.
func (b *wordWriter) value(number string, n uint32) uint32 {
	return b.emit(spirv.OpCopyObject, b.vector(number, n), b.zero(number, n))
}

// emit adds an instruction with a result.
func (b *wordWriter) emit(op spirv.Op, t uint32, operands ...uint32) uint32 {
	b.next++
	b.body = append(b.body, word(op, append([]uint32{t, b.next}, operands...)...)...)
	return b.next
}

func (b *wordWriter) pointer(class spirv.StorageClass, to uint32) uint32 {
	return b.id(fmt.Sprint("pointer ", class, to), func(id uint32) []uint32 { return word(spirv.OpTypePointer, id, uint32(class), to) })
}

func (b *wordWriter) variable(name string, class spirv.StorageClass, t uint32) uint32 {
	p := b.pointer(class, t)
	return b.id(name, func(id uint32) []uint32 { return word(spirv.OpVariable, p, id, uint32(class)) })
}

// capabilities are declared by every module.
var capabilities = []spirv.Capability{spirv.CapabilityShader, spirv.CapabilitySampled1D, spirv.CapabilityImage1D, spirv.CapabilitySampledBuffer, spirv.CapabilityImageBuffer,
	spirv.CapabilitySampledCubeArray, spirv.CapabilityImageCubeArray, spirv.CapabilityImageMSArray, spirv.CapabilityStorageImageMultisample, spirv.CapabilityStorageImageReadWithoutFormat,
	spirv.CapabilityStorageImageWriteWithoutFormat, spirv.CapabilityImageQuery, spirv.CapabilityImageGatherExtended, spirv.CapabilitySparseResidency, spirv.CapabilityMinLod,
	spirv.CapabilityInputAttachment, spirv.CapabilityStorageImageExtendedFormats, spirv.CapabilityVulkanMemoryModel}

// The bindings of set 0: Words has the first two, Shader all.
const (
	ImageBinding = iota
	SamplerBinding
	OutBinding
	SecondBinding
)

// Words is the module, with an entry point "main".
func (c Instruction) Words() []uint32 { return c.words(false) }

// Shader is Words with what the instruction gives stored to a storage buffer of four words, so that it is worth running.
func (c Instruction) Shader() []byte {
	var code []byte
	for _, w := range c.words(true) {
		code = binary.LittleEndian.AppendUint32(code, w)
	}
	return code
}

func (c Instruction) words(stores bool) []uint32 {
	b := &wordWriter{ids: map[string]uint32{}, next: 1}
	const entry = 1
	texel := b.scalar(c.Number)
	image := b.id("image", func(id uint32) []uint32 {
		return word(spirv.OpTypeImage, id, texel, uint32(c.Dim), c.Depth, flag(c.Arrayed), flag(c.MS), c.Sampled, uint32(c.Format))
	})
	imageVar := b.variable("image variable", spirv.StorageClassUniformConstant, image)
	void := b.scalar("void")
	function := b.id("function", func(id uint32) []uint32 { return word(spirv.OpTypeFunction, id, void) })
	b.next++
	label := b.next
	variables := []uint32{imageVar}
	var operand uint32
	if !c.named("TexelPointer") {
		operand = b.emit(spirv.OpLoad, image, imageVar)
	}
	samplerVar := uint32(0)
	combine := func(im, t uint32) uint32 {
		sampler := b.id("sampler", func(id uint32) []uint32 { return word(spirv.OpTypeSampler, id) })
		if samplerVar == 0 {
			samplerVar = b.variable("sampler variable", spirv.StorageClassUniformConstant, sampler)
			variables = append(variables, samplerVar)
		}
		combined := b.id(fmt.Sprint("combined", t), func(id uint32) []uint32 { return word(spirv.OpTypeSampledImage, id, t) })
		v := b.emit(spirv.OpSampledImage, combined, im, b.emit(spirv.OpLoad, sampler, samplerVar))
		if c.Copied {
			v = b.emit(spirv.OpCopyObject, combined, v)
		}
		return v
	}
	if c.sampled() {
		operand = combine(operand, image)
	}
	var second, secondVar uint32
	if c.named("Weighted", "BlockMatch") {
		t := image
		if c.named("Weighted") {
			t = b.id("weights", func(id uint32) []uint32 {
				return word(spirv.OpTypeImage, id, texel, uint32(spirv.Dim2D), 0, 1, 0, 1, 0)
			})
		}
		secondVar = b.variable("second variable", spirv.StorageClassUniformConstant, t)
		variables = append(variables, secondVar)
		second = combine(b.emit(spirv.OpLoad, t, secondVar), t)
	}
	result, number, n := c.instruction(b, operand, second, imageVar, texel)
	outVar, block, array := uint32(0), uint32(0), uint32(0)
	if stores && result != 0 {
		array = b.id("out array", func(id uint32) []uint32 {
			return word(spirv.OpTypeArray, id, b.scalar("uint"), b.constant("uint", 1, 4))
		})
		block = b.id("out block", func(id uint32) []uint32 { return word(spirv.OpTypeStruct, id, array) })
		outVar = b.variable("out", spirv.StorageClassStorageBuffer, block)
		variables = append(variables, outVar)
		for k := range n {
			x := result
			if n > 1 {
				x = b.emit(spirv.OpCompositeExtract, b.scalar(number), x, k)
			}
			if number != "uint" {
				x = b.emit(spirv.OpBitcast, b.scalar("uint"), x)
			}
			at := b.emit(spirv.OpAccessChain, b.pointer(spirv.StorageClassStorageBuffer, b.scalar("uint")), outVar, b.zero("uint", 1), b.constant("uint", 1, k))
			b.body = append(b.body, word(spirv.OpStore, at, x)...)
		}
	}
	var out []uint32
	add := func(op spirv.Op, operands ...uint32) { out = append(out, word(op, operands...)...) }
	for _, x := range capabilities {
		add(spirv.OpCapability, uint32(x))
	}
	extension := func(x spirv.Capability, name string) {
		add(spirv.OpCapability, uint32(x))
		if name != "" {
			defer add(spirv.OpExtension, text(name)...)
		}
	}
	switch {
	case c.named("Footprint"):
		extension(spirv.CapabilityImageFootprintNV, "SPV_NV_shader_image_footprint")
	case c.named("Window", "MatchGather"):
		add(spirv.OpCapability, uint32(spirv.CapabilityTextureBlockMatchQCOM))
		extension(spirv.CapabilityTextureBlockMatch2QCOM, "SPV_QCOM_image_processing2")
	case c.processing() || c.Decorated != 0:
		for _, x := range []spirv.Capability{spirv.CapabilityTextureSampleWeightedQCOM, spirv.CapabilityTextureBoxFilterQCOM} {
			add(spirv.OpCapability, uint32(x))
		}
		extension(spirv.CapabilityTextureBlockMatchQCOM, "SPV_QCOM_image_processing")
	}
	add(spirv.OpMemoryModel, 0, 3) // Vulkan
	add(spirv.OpEntryPoint, append([]uint32{uint32(c.Stage), entry, 0x6E69616D, 0}, variables...)...)
	switch c.Stage {
	case spirv.ExecutionModelFragment:
		add(spirv.OpExecutionMode, entry, uint32(spirv.ExecutionModeOriginUpperLeft))
	case spirv.ExecutionModelGLCompute:
		add(spirv.OpExecutionMode, entry, uint32(spirv.ExecutionModeLocalSize), 4, 1, 1)
	}
	for i, v := range []uint32{ImageBinding: imageVar, SamplerBinding: samplerVar, OutBinding: outVar, SecondBinding: secondVar} {
		if v != 0 {
			add(spirv.OpDecorate, v, uint32(spirv.DecorationDescriptorSet), 0)
			add(spirv.OpDecorate, v, uint32(spirv.DecorationBinding), uint32(i))
		}
	}
	if outVar != 0 {
		add(spirv.OpDecorate, array, uint32(spirv.DecorationArrayStride), 4)
		add(spirv.OpDecorate, block, uint32(spirv.DecorationBlock))
		add(spirv.OpMemberDecorate, block, 0, uint32(spirv.DecorationOffset), 0)
	}
	if c.Dim == spirv.DimSubpassData {
		add(spirv.OpDecorate, imageVar, uint32(spirv.DecorationInputAttachmentIndex), 0)
	}
	if c.Decorated != 0 {
		add(spirv.OpDecorate, imageVar, uint32(c.Decorated))
	}
	if secondVar != 0 {
		kind := spirv.DecorationWeightTextureQCOM
		if c.named("BlockMatch") {
			kind = spirv.DecorationBlockMatchTextureQCOM
		}
		add(spirv.OpDecorate, secondVar, uint32(kind))
	}
	out = append(out, b.types...)
	add(spirv.OpFunction, void, entry, 0, function)
	add(spirv.OpLabel, label)
	out = append(out, b.body...)
	add(spirv.OpReturn)
	add(spirv.OpFunctionEnd)
	return append([]uint32{spirv.Magic, 0x10600, 0, b.next + 1, 0}, out...)
}

// text is a literal string.
func text(s string) []uint32 {
	data := append([]byte(s), make([]byte, 4-len(s)%4)...)
	var words []uint32
	for ; len(data) > 0; data = data[4:] {
		words = append(words, binary.LittleEndian.Uint32(data))
	}
	return words
}

func flag(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// instruction writes the instruction; its result is of n numbers, 0: there is none to store.
func (c Instruction) instruction(b *wordWriter, operand, second, variable uint32, texel uint32) (result uint32, number string, n uint32) {
	need := plane(c.Dim)
	if c.Arrayed && !(c.storage() && c.Dim == spirv.DimCube) {
		need++
	}
	if c.named("Proj") {
		need++
	}
	coords := "int"
	if c.sampled() && !c.named("BlockMatch") {
		coords = "float"
	}
	switch {
	case c.Twist == "short":
		need = max(need-1, 1)
	case c.Twist == "kind" && coords == "int":
		coords = "float"
	case c.Twist == "kind":
		coords = "int"
	}
	other := "float"
	if c.Number == "float" {
		other = "int"
	}
	vec4 := b.vector(c.Number, 4)
	switch c.Twist {
	case "result":
		vec4 = b.vector(c.Number, 3)
	case "texel":
		vec4, texel = b.vector(other, 4), b.scalar(other)
	}
	at := func() uint32 {
		if c.Dim == spirv.DimSubpassData && c.named("Read") {
			return b.zero(coords, need)
		}
		return b.value(coords, need)
	}
	sizes := need
	if c.Dim == spirv.DimCube {
		sizes--
	}
	sizes = min(sizes, 4)
	switch c.Op {
	case spirv.OpImageQuerySizeLod:
		return b.emit(c.Op, b.vector("int", sizes), operand, b.zero("int", 1)), "int", sizes
	case spirv.OpImageQuerySize:
		return b.emit(c.Op, b.vector("int", sizes), operand), "int", sizes
	case spirv.OpImageQueryLevels, spirv.OpImageQuerySamples:
		return b.emit(c.Op, b.scalar("int"), operand), "int", 1
	case spirv.OpImageQueryLod:
		return b.emit(c.Op, b.vector("float", 2), operand, at()), "float", 2
	case spirv.OpImageTexelPointer:
		b.emit(c.Op, b.pointer(spirv.StorageClassImage, texel), variable, at(), b.zero("int", 1))
		return 0, "", 0
	case spirv.OpImageWrite:
		numbers := c.Number
		if c.Twist == "texel" {
			numbers = other
		}
		args := append([]uint32{operand, at(), b.zero(numbers, max(c.Texel, 4-4*flag(c.Texel > 0)))}, c.operands(b)...)
		b.body = append(b.body, word(c.Op, args...)...)
		return 0, "", 0
	case spirv.OpImageBoxFilterQCOM:
		return b.emit(c.Op, vec4, operand, at(), b.constant("float", 2, math.Float32bits(c.Box))), c.Number, 4
	case spirv.OpImageSampleWeightedQCOM:
		return b.emit(c.Op, vec4, operand, at(), second), c.Number, 4
	case spirv.OpImageSampleFootprintNV:
		parts := []uint32{b.scalar("bool"), b.vector("uint", need), b.vector("uint", need), b.vector("uint", 2), b.scalar("uint"), b.scalar("uint")}
		t := b.id("footprint", func(id uint32) []uint32 { return word(spirv.OpTypeStruct, append([]uint32{id}, parts...)...) })
		no := b.id("false", func(id uint32) []uint32 { return word(spirv.OpConstantFalse, b.scalar("bool"), id) })
		r := b.emit(c.Op, t, append([]uint32{operand, at(), b.constant("uint", 1, c.Granularity), no}, c.operands(b)...)...)
		return b.emit(spirv.OpCompositeExtract, b.vector("uint", need), r, 1), "uint", need
	}
	if c.named("BlockMatch") {
		return b.emit(c.Op, vec4, operand, b.value("uint", 2), second, b.constant("uint", 2, c.Reference), b.constant("uint", 2, c.Block)), c.Number, 4
	}
	t, n := vec4, uint32(4)
	if c.named("Dref") && !c.named("Gather") {
		t, n = texel, 1
	}
	if c.named("Sparse") {
		member := t
		if n = 0; c.Twist != "code" {
			t = b.id("sparse", func(id uint32) []uint32 { return word(spirv.OpTypeStruct, id, b.scalar("int"), member) })
		}
	}
	args := []uint32{operand, at()}
	switch {
	case c.named("Dref"):
		args = append(args, b.zero("float", 1))
	case c.named("Gather"):
		args = append(args, b.zero("int", 1))
	}
	return b.emit(c.Op, t, append(args, c.operands(b)...)...), c.Number, n
}

// operands are the mask and the operands that it says.
func (c Instruction) operands(b *wordWriter) []uint32 {
	if c.Mask == 0 && !c.named("ExplicitLod") {
		return nil
	}
	out := []uint32{uint32(c.Mask)}
	n := plane(c.Dim)
	for bit := spirv.ImageOperands(1); bit <= spirv.ImageOperandsOffsets; bit <<= 1 {
		if c.Mask&bit == 0 {
			continue
		}
		switch bit {
		case spirv.ImageOperandsBias, spirv.ImageOperandsMinLod:
			out = append(out, b.zero("float", 1))
		case spirv.ImageOperandsLod:
			if c.sampled() {
				out = append(out, b.zero("float", 1))
			} else {
				out = append(out, b.zero("int", 1))
			}
		case spirv.ImageOperandsGrad:
			second := "float"
			if c.Twist == "gradient" {
				second = "int"
			}
			out = append(out, b.zero("float", n), b.zero(second, n))
		case spirv.ImageOperandsConstOffset:
			out = append(out, b.constant("int", n, uint32(c.Offset)))
		case spirv.ImageOperandsOffset:
			out = append(out, b.value("int", n))
		case spirv.ImageOperandsConstOffsets, spirv.ImageOperandsOffsets:
			four := b.constant("uint", 1, 4)
			list := b.id("offsets", func(id uint32) []uint32 { return word(spirv.OpTypeArray, id, b.vector("int", 2), four) })
			out = append(out, b.id("zero offsets", func(id uint32) []uint32 { return word(spirv.OpConstantNull, list, id) }))
		case spirv.ImageOperandsSample:
			out = append(out, b.zero("int", 1))
		case spirv.ImageOperandsMakeTexelAvailable, spirv.ImageOperandsMakeTexelVisible:
			out = append(out, b.constant("uint", 1, 5)) // QueueFamily
		}
	}
	return out
}

// masks are image operands that stand together, or must not.
var masks = []spirv.ImageOperands{0, spirv.ImageOperandsBias, spirv.ImageOperandsLod, spirv.ImageOperandsGrad, spirv.ImageOperandsConstOffset, spirv.ImageOperandsOffset, spirv.ImageOperandsConstOffsets,
	spirv.ImageOperandsSample, spirv.ImageOperandsMinLod, spirv.ImageOperandsLod | spirv.ImageOperandsGrad, spirv.ImageOperandsGrad | spirv.ImageOperandsMinLod,
	spirv.ImageOperandsLod | spirv.ImageOperandsMinLod, spirv.ImageOperandsConstOffset | spirv.ImageOperandsOffset, spirv.ImageOperandsBias | spirv.ImageOperandsConstOffset,
	spirv.ImageOperandsLod | spirv.ImageOperandsConstOffset, spirv.ImageOperandsLod | spirv.ImageOperandsSample, spirv.ImageOperandsMakeTexelVisible | spirv.ImageOperandsNonPrivateTexel,
	spirv.ImageOperandsMakeTexelAvailable | spirv.ImageOperandsNonPrivateTexel, spirv.ImageOperandsMakeTexelVisible, spirv.ImageOperandsNonPrivateTexel, spirv.ImageOperandsSignExtend, spirv.ImageOperandsNontemporal}

// All are every instruction with every dimension, layers, samples and operands, and what else can differ for one set of operands: only
// the order of Vulkan's instructions and of what differs says which is which.
func All() iter.Seq[Instruction] {
	dims := []spirv.Dim{spirv.Dim1D, spirv.Dim2D, spirv.Dim3D, spirv.DimCube, spirv.DimBuffer, spirv.DimSubpassData}
	changes := []func(c *Instruction){
		func(c *Instruction) { c.Depth = 1 }, func(c *Instruction) { c.Depth = 2 }, func(c *Instruction) { c.Sampled = 3 - c.Sampled },
		func(c *Instruction) { c.Stage = spirv.ExecutionModelGLCompute }, func(c *Instruction) { c.Stage = spirv.ExecutionModelVertex },
		func(c *Instruction) { c.Number = "uint" }, func(c *Instruction) { c.Format = spirv.ImageFormatRgba8 }, func(c *Instruction) { c.Format = spirv.ImageFormatR32ui },
	}
	for _, twist := range Twists {
		changes = append(changes, func(c *Instruction) { c.Twist = twist })
	}
	return func(yield func(Instruction) bool) {
		for op := spirv.Op(0); op <= spirv.OpImageSparseRead; op++ {
			c := Instruction{Op: op, Sampled: 1, Number: "float", Stage: spirv.ExecutionModelFragment}
			if !c.named("OpImageS", "OpImageF", "OpImageG", "OpImageD", "OpImageR", "OpImageW", "OpImageQ", "OpImageTexelP") || c.named("Resident", "QueryFormat", "QueryOrder", "SparseSampleProj") {
				continue
			}
			for k := range len(dims) * 4 {
				c := c
				c.Dim, c.Arrayed, c.MS = dims[k/4], k&1 != 0, k&2 != 0
				if c.storage() || c.Dim == spirv.DimSubpassData {
					c.Sampled = 2
				}
				if c.named("TexelPointer") {
					c.Format, c.Number = spirv.ImageFormatR32i, "int"
				}
				switch {
				case c.named("ExplicitLod"):
					c.Mask = spirv.ImageOperandsLod
				case c.MS && c.named("Fetch", "Read", "Write"):
					c.Mask = spirv.ImageOperandsSample
				}
				if !yield(c) {
					return
				}
				for _, m := range masks {
					d := c
					if d.Mask = m; m != c.Mask && !c.queries() && !c.named("TexelPointer") && !yield(d) {
						return
					}
				}
				for _, change := range changes {
					d := c
					change(&d)
					if !yield(d) {
						return
					}
				}
			}
		}
	}
}

// Stores says that Shader has the buffer.
func (c Instruction) Stores() bool { return !c.named("ImageWrite", "TexelPointer") }

package sampling

import (
	"fmt"
	"slices"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules/catalogue"
	"github.com/pumice-gpu/pumice/vk"
)

// RuleError says that an image instruction does not fit what it is used on
// (IMG-001): the rule by its number in docs/rules, and what is wrong.
type RuleError struct {
	Rule, Detail string
}

func (e *RuleError) Error() string {
	return fmt.Sprintf("sampling: %s (%s)", e.Detail, catalogue.Name(e.Rule))
}

// Operands are the image operands that an instruction has.
type Operands struct {
	Bias, Lod, Grad, MinLod, Sample     bool
	ConstOffset, Offset, ConstOffsets   bool
	Offsets                             []int // components of constant offsets
	Nontemporal, SignExtend, ZeroExtend bool
}

// Instruction is an image instruction as a shader states it.
type Instruction struct {
	Kind         ir.ImageKind
	Footprint    bool // OpImageSampleFootprintNV, a Kind of ImageSample
	GatherQCOM   bool // OpImageGatherQCOM, a Kind of ImageGather
	Dim          ir.ImageDim
	Arrayed, MS  bool
	Sampled      int // of OpTypeImage: 1 with a sampler, 2 storage
	Implicit     bool
	Dref, Proj   bool
	Operands     Operands
	Component    int    // of a gather
	Format       string // Image Format; "" is Unknown
	Float        bool   // Sampled Type is float32
	Wide         bool   // or an integer of 64 bits
	Signed       bool   // of an integer Sampled Type
	Texel        int    // components that a write has
	Granularity  int    // of a footprint
	Stage        bool   // has quads, and the instruction is in uniform control flow
	Match        ir.MatchForm
	Processing   bool // the image is decorated WeightTextureQCOM or BlockMatchTextureQCOM
	BoxW, BoxH   float32
	BlockW       int
	BlockH       int
	RefX, RefY   int
	Reserved     bool // an opcode that SPIR-V reserves, or Kernel's queries
	AllowSpecial bool // AllowReserved
}

// Bound is what an instruction is used on.
type Bound struct {
	View           *resource.ImageView
	Texel          *resource.BufferView // in place of View: the descriptor is a texel buffer
	Sampler        *resource.Sampler
	ViewConversion *resource.YcbcrConversion // of the view; nil: none
	Storage        bool                      // the descriptor is a storage image
	Input          bool                      // the descriptor is an input attachment
	// Layout is written in the descriptor; Current tells the layout that a
	// subresource is in. nil: layouts are not tracked.
	Layout  vk.ImageLayout
	Current func(plane, level, layer int) vk.ImageLayout
	// Second and SecondSampler are the weights, or a block match's reference.
	Second        *resource.ImageView
	SecondSampler *resource.Sampler
	SingleLayer   bool // VK_IMAGE_CREATE_ALIAS_SINGLE_LAYER_DESCRIPTOR_BIT_KHR
}

// Features are the switches that decide which rules can be broken (IMG-196) and
// the limits of operands. Off is the default of each switch: everything works.
type Features struct {
	StrictBorderCheck            bool // rules 100…109 hold whatever the address modes
	NoBorderColorSwizzle         bool // borderColorSwizzleFromImage is off
	NoCustomBorderColors         bool
	NoCustomBorderWithoutFormat  bool
	NoSamplerFilterMinmax        bool
	NoMinmaxMapping              bool
	NoMirrorClampToEdge          bool
	NoNonSeamless                bool
	NoMinLod                     bool
	NoSeparateReconstruction     bool
	NoRgba10x6                   bool
	NoOffsetOperand              bool // maintenance8 is off: only gathers have offsets that are no constants
	CubicOnly2D                  bool
	NoBlockMatchExtendedClamp    bool
	MinOffset, MaxOffset         int // 0, 0 are the defaults −8 and 7
	MinGather, MaxGather         int // −32 and 31
	MaxBias, MaxAniso            float32
	MaxBox, MaxBlock, MaxWindow  int
	MaxWeightDimension, MaxPhase int
}

func (f *Features) defaults() {
	or := func(p *int, x int) {
		if *p == 0 {
			*p = x
		}
	}
	or(&f.MinOffset, resource.MinTexelOffset)
	or(&f.MaxOffset, resource.MaxTexelOffset)
	or(&f.MinGather, resource.MinTexelGatherOffset)
	or(&f.MaxGather, resource.MaxTexelGatherOffset)
	or(&f.MaxBox, resource.MaxBlock)
	or(&f.MaxBlock, resource.MaxBlock)
	or(&f.MaxWindow, resource.MaxBlock)
	or(&f.MaxWeightDimension, resource.MaxBlock)
	or(&f.MaxPhase, resource.MaxWeightPhases)
	if f.MaxBias == 0 {
		f.MaxBias = resource.MaxSamplerLodBias
	}
	if f.MaxAniso == 0 {
		f.MaxAniso = resource.MaxSamplerAnisotropy
	}
}

// validation is what the rules see.
type validation struct {
	in *Instruction
	on *Bound
	f  Features
	v  *resource.ImageView
	s  *resource.Sampler
	i  *format.Info // of the view, or of the buffer view
}

// A validationRule returns what is wrong, or "".
type validationRule struct {
	id     string
	broken func(c *validation) string
}

// imageRules are those of instructions on images, bufferRules those on texel buffers, which have nothing but a format.
var (
	imageRules  = [][]validationRule{borderRules, layoutRules, samplerRules, shapeRules, conversionRules, operandRules, processRules}
	bufferRules = [][]validationRule{slices.DeleteFunc(slices.Concat(imageRules...), func(r validationRule) bool {
		return !slices.Contains([]string{"IMG-111", "IMG-112", "IMG-113", "IMG-178"}, r.id)
	})}
)

// ValidateAll checks an instruction against what it is used on (§5) and returns every rule that it
// breaks, in the order of their numbers.
func ValidateAll(in *Instruction, on *Bound, f Features) (list []*RuleError) {
	f.defaults()
	c := &validation{in: in, on: on, f: f, v: on.View, s: on.Sampler}
	sections := imageRules
	switch {
	case on.Texel != nil && in.Dim == ir.DimBuffer:
		c.i, sections = on.Texel.Info, bufferRules
	case c.v == nil:
		return nil // the null descriptor (IMG-304)
	case c.v.Image == nil || c.v.Info == nil:
		return []*RuleError{{"IMG-152", "the view is of no image"}}
	default:
		c.i = c.v.Info
	}
	for _, section := range sections {
		for _, r := range section {
			if why := r.broken(c); why != "" {
				list = append(list, &RuleError{r.id, why})
			}
		}
	}
	return list
}

// sampled says that the instruction takes a sampler.
func (c *validation) sampled() bool {
	switch c.in.Kind {
	case ir.ImageSample, ir.ImageGather, ir.ImageQueryLod, ir.ImageWeighted, ir.ImageBoxFilter, ir.ImageBlockMatch:
		return c.s != nil
	default:
		return false
	}
}

func (c *validation) processing() bool { return c.in.Kind >= ir.ImageWeighted }

// modes are the address modes of the dimensions that the view has (IMG-504).
func (c *validation) modes() []vk.SamplerAddressMode {
	if !c.sampled() {
		return nil
	}
	n := 2
	switch c.v.Type {
	case vk.ImageViewType1D, vk.ImageViewType1DArray:
		n = 1
	case vk.ImageViewType3D:
		n = 3
	case vk.ImageViewType2D, vk.ImageViewType2DArray, vk.ImageViewTypeCube, vk.ImageViewTypeCubeArray:
	}
	return []vk.SamplerAddressMode{c.s.AddressModeU, c.s.AddressModeV, c.s.AddressModeW}[:n]
}

func (c *validation) cubeView() bool {
	return c.v.Type == vk.ImageViewTypeCube || c.v.Type == vk.ImageViewTypeCubeArray
}

// is returns text if a condition holds.
func is(broken bool, text string, args ...any) string {
	if !broken {
		return ""
	}
	return fmt.Sprintf(text, args...)
}

// Package lower turns SPIR-V into the engines' IR: vectors, matrices and
// structures become scalars, functions are inlined, and the merge instructions
// of structured control flow become If and Loop statements.
//
// Choices of this package that Vulkan leaves open: dot products, matrix
// products and sums over components add from component 0 upwards, one rounding
// a step, without FMA (FMA is used for the Fma instruction only). OpUndef is
// zero. RelaxedPrecision is ignored.
package lower

import (
	"fmt"
	"runtime"
	"slices"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// Options are the inputs of Compile beside the module.
type Options struct {
	// Specialization maps a constant ID to the bytes of its value,
	// little-endian as VkSpecializationInfo has them.
	Specialization map[uint32][]byte
	// SubgroupSize is the number of invocations of a subgroup in compute,
	// task and mesh shaders, a power of two from MinSubgroupSize to ir.MaxSubgroupSize;
	// 0 means DefaultSubgroupSize, which is the size in other stages.
	SubgroupSize uint32
	// DeviceViews gives variables decorated as ViewIndex the values of DeviceIndex
	// (VK_PIPELINE_CREATE_VIEW_INDEX_FROM_DEVICE_INDEX_BIT).
	DeviceViews bool
	// Indices64 makes products of indices of runtime arrays and strides 64 bits wide, as the execution mode
	// Shader64BitIndexingEXT does.
	Indices64 bool
	// Trace makes the program tell the results of its instructions (ir.OpTrace). What it
	// computes and its interface stay (ir.Align).
	Trace bool
	// Outside makes the program tell of accesses to buffers outside of their descriptors where it computes the places
	// (ir.Outside). Those at constant places are in the program to be seen.
	Outside bool
}

// subgroupSize is the number of invocations that a subgroup has room for.
func (o *Options) subgroupSize() uint32 {
	if o.SubgroupSize == 0 {
		return DefaultSubgroupSize
	}
	return o.SubgroupSize
}

// Bounds on a compilation; a module that passes one is an error.
const (
	MaxInsts        = 2 << 20 // IR instructions of a program
	MaxSteps        = 1 << 20 // SPIR-V instructions after inlining
	MaxCopied       = 1 << 19 // scalars that loads and stores of whole composites move
	MaxScalars      = 1 << 24 // of all results, which are scalars of others for the most part
	MaxCallDepth    = 64
	MaxNesting      = 400     // constructs in constructs
	MaxPrivateBytes = 1 << 16 // lane memory
	MaxSharedBytes  = 1 << 20 // workgroup memory
	MaxSlots        = 4096    // interface scalars
)

// compiler holds the state of one Compile.
type compiler struct {
	opt   Options
	pairs [][2]ir.Value // 64-bit numbers of the instruction being lowered
	half  uint8         // of hasHalf: 0 not known, 1 no, 2 yes
	// controls are those of floats of 16, 32 and 64 bits; cuts says that one of
	// them rounds toward zero, flushes that one flushes denormals.
	controls [3]floatControl
	cuts     bool
	flushes  bool
	m        *spirv.Module
	ep       *spirv.EntryPoint
	k        *spirv.Constants
	b        *ir.Builder
	p        *ir.Program
	inst     *spirv.Inst // being lowered, for messages
	line     spirv.Line  // of what is emitted

	frame     *frame
	locals    spirv.IDs[local]
	collect   *[]ir.Value // residency codes of the instruction that is lowered
	depth     int         // of calls
	nesting   int         // of constructs
	steps     int
	copied    int        // scalars, of MaxCopied
	held      int        // scalars, of MaxScalars
	realLoops []*ir.Loop // loops of the source around the insertion point
	whole     *ir.Loop   // around a shader that ends inside of calls, or is a fragment shader that may ask others of its subgroup; or nil
	helpers   bool       // take part in all that a subgroup does

	room      []ir.Value // of values
	made      []value    // of setScalars
	phiRoom   []ir.VarID // of phiSets
	valueRoom []ir.Value
	flats     spirv.IDs[[]ir.Type]
	constants spirv.IDs[*value]
	globals   spirv.IDs[*pointer]
	phis      spirv.IDs[phi]
	emitted   spirv.IDs[*frame] // the frame in which a block was emitted last
	dynamic   map[spirv.ID]bool // variables and parameters indexed dynamically
	private   uint32            // lane memory in use, bytes
	scratchAt uint32            // of scratch
	tables    map[spirv.ID]*tableVariable
	tableAt   map[spirv.ID]uint32 // of constants in Program.Table
	base      ir.Value            // groupBase
	index     ir.Value            // invocationIndex
	emits     emissions
	outputs   []*output
	resources map[spirv.ID]int
	funcs     map[spirv.ID]*funcInfo
	pixel     *[3]ir.Value // of fragment
	// blocksAt is where the blocks of workgroup memory lie, once blocksMade.
	blocksAt   uint32
	blocksMade bool
	exchange   exchange
	applied    applied
	// mixed says that pointers to physical storage buffers may lead to storage buffers.
	mixed bool
	// clock counts the reads of the subgroup's clock, once clockMade.
	clock     ir.VarID
	clockMade bool
	tracer    *tracer // nil: nothing is traced
	// interpolates says that the module may interpolate inputs itself, so that
	// they must stay inputs.
	interpolates bool
	scratchWords int // of scratch
	outsides     int // accesses that tellOutside was asked about
	// endsInCalls says that OpEmitMeshTasksEXT stands in a function that the entry point calls.
	endsInCalls bool
}

// Compile lowers an entry point. m must come from spirv.Parse. Errors are
// *UnsupportedError and *spirv.Error.
func Compile(m *spirv.Module, entry string, opt Options) (prog *ir.Program, err error) {
	return compile(m, entry, nil, opt)
}

// CompileStage is Compile for modules that hold one entry point name for
// several stages.
func CompileStage(m *spirv.Module, stage ir.Stage, entry string, opt Options) (prog *ir.Program, err error) {
	return compile(m, entry, &stage, opt)
}

func compile(m *spirv.Module, entry string, stage *ir.Stage, opt Options) (prog *ir.Program, err error) {
	c := &compiler{
		opt: opt, m: m, ep: findEntry(m, entry, stage),
		dynamic: map[spirv.ID]bool{}, resources: map[spirv.ID]int{}, funcs: map[spirv.ID]*funcInfo{},
		tables: map[spirv.ID]*tableVariable{}, tableAt: map[spirv.ID]uint32{},
		base: ir.NoValue, index: ir.NoValue,
	}
	if c.ep == nil {
		return nil, &UnsupportedError{What: "the module has no such entry point for this stage", Entry: entry}
	}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case bailout:
			prog, err = nil, r.err
		case runtime.Error:
			// The validator does not check every operand type; an operand
			// that breaks a slice bound here is an invalid module.
			e := &UnsupportedError{What: fmt.Sprintf("the module is not valid: %v", r), Entry: entry}
			if c.inst != nil {
				e.Opcode, e.WordOffset, e.Line = c.inst.Op, c.inst.WordOffset, c.inst.Line.Line
			}
			prog, err = nil, e
		default:
			panic(r)
		}
	}()
	c.k, err = m.EvaluateConstantsFor(c.ep, opt.Specialization, opt.subgroupSize())
	if err != nil {
		return nil, err
	}
	c.p = &ir.Program{Name: entry}
	c.b = ir.NewBuilder(c.p)
	if opt.Trace {
		c.tracer = newTracer(m)
		c.p.Files = c.tracer.files
	}
	c.stage()
	c.analyse(c.ep.Function)
	c.initialOutputs()
	c.prepareEmits()
	c.entryPoint()
	c.finishInterface()
	c.b.Finish()
	if len(c.p.Insts) > MaxInsts {
		c.fail("more than %d instructions", MaxInsts)
	}
	// Operand types of the module that the emitters above do not look at show
	// here, as instructions that the IR does not have.
	c.inst = nil
	if err := ir.Verify(c.p); err != nil {
		c.fail("the module is not valid: %v", err)
	}
	return c.p, nil
}

func findEntry(m *spirv.Module, name string, stage *ir.Stage) *spirv.EntryPoint {
	for _, e := range m.EntryPoints {
		if e.Name != name {
			continue
		}
		if stage == nil || stageOf(e.Model) == int(*stage) {
			return e
		}
	}
	return nil
}

func stageOf(m spirv.ExecutionModel) int {
	switch m {
	case spirv.ExecutionModelVertex:
		return int(ir.StageVertex)
	case spirv.ExecutionModelFragment:
		return int(ir.StageFragment)
	case spirv.ExecutionModelGLCompute:
		return int(ir.StageCompute)
	case spirv.ExecutionModelTessellationControl:
		return int(ir.StageControl)
	case spirv.ExecutionModelTessellationEvaluation:
		return int(ir.StageEvaluation)
	case spirv.ExecutionModelGeometry:
		return int(ir.StageGeometry)
	case spirv.ExecutionModelTaskEXT:
		return int(ir.StageTask)
	case spirv.ExecutionModelMeshEXT:
		return int(ir.StageMesh)
	default:
		return -1
	}
}

// stage reads the execution model and modes.
func (c *compiler) stage() {
	s := stageOf(c.ep.Model)
	if s < 0 {
		c.fail("unsupported execution model %v", c.ep.Model)
	}
	c.p.Stage = ir.Stage(s)
	c.interpolates = c.declares(spirv.CapabilityInterpolationFunction)
	c.p.TileImages = c.tileImages()
	for _, mode := range c.ep.Modes {
		switch mode.Kind {
		case spirv.ExecutionModeEarlyFragmentTests:
			c.p.EarlyFragmentTests = true
		case spirv.ExecutionModeEarlyAndLateFragmentTestsAMD:
			// Early, unless the shader replaces what is tested (fragops).
			_, depth := c.ep.Mode(spirv.ExecutionModeDepthReplacing)
			_, stencil := c.ep.Mode(spirv.ExecutionModeStencilRefReplacingEXT)
			c.p.EarlyFragmentTests = c.p.EarlyFragmentTests || !depth && !stencil
		case spirv.ExecutionModeStencilRefUnchangedFrontAMD, spirv.ExecutionModeStencilRefGreaterFrontAMD, spirv.ExecutionModeStencilRefLessFrontAMD,
			spirv.ExecutionModeStencilRefUnchangedBackAMD, spirv.ExecutionModeStencilRefGreaterBackAMD, spirv.ExecutionModeStencilRefLessBackAMD:
			// They allow one stencil test more, which changes nothing.
		case spirv.ExecutionModePixelInterlockOrderedEXT, spirv.ExecutionModePixelInterlockUnorderedEXT,
			spirv.ExecutionModeSampleInterlockOrderedEXT, spirv.ExecutionModeSampleInterlockUnorderedEXT,
			spirv.ExecutionModeShadingRateInterlockOrderedEXT, spirv.ExecutionModeShadingRateInterlockUnorderedEXT:
			c.p.Interlocked = true
		case spirv.ExecutionModePostDepthCoverage:
			c.p.PostDepthCoverage, c.p.EarlyFragmentTests = true, true
		case spirv.ExecutionModeNonCoherentColorAttachmentReadEXT, spirv.ExecutionModeNonCoherentDepthAttachmentReadEXT,
			spirv.ExecutionModeNonCoherentStencilAttachmentReadEXT:
			// Reads are coherent all the same.
		// IMG-405 shaders-scope-quad
		case spirv.ExecutionModeDerivativeGroupLinearKHR:
			c.p.Quads = ir.LinearQuads
		case spirv.ExecutionModeDerivativeGroupQuadsKHR:
			c.p.Quads = ir.SquareQuads
		case spirv.ExecutionModeXfb:
			c.p.Captures = true
		case spirv.ExecutionModeDepthGreater:
			c.p.DepthGreater = true
		case spirv.ExecutionModeDepthLess:
			c.p.DepthLess = true
		case spirv.ExecutionModeDepthUnchanged:
			c.p.DepthUnchanged = true
		case spirv.ExecutionModeLocalSize, spirv.ExecutionModeLocalSizeId:
			for i := range c.p.LocalSize {
				if i >= len(mode.Operands) {
					c.fail("%v takes three operands", mode.Kind)
				}
				n := mode.Operands[i]
				if mode.IDs {
					n = c.constScalar(spirv.ID(n))
				}
				c.p.LocalSize[i] = n
			}
		case spirv.ExecutionModeOriginLowerLeft, spirv.ExecutionModePixelCenterInteger:
			c.fail("execution mode %v: fragment coordinates have their origin at the upper left and pixel centres at one half (VUID-StandaloneSpirv-OriginLowerLeft-04653, VUID-StandaloneSpirv-PixelCenterInteger-04654)", mode.Kind)
		case spirv.ExecutionModeSubgroupUniformControlFlowKHR:
			// Lanes run in lockstep and meet again at every merge block.
		case spirv.ExecutionModeMaximallyReconvergesKHR:
			c.helpers = c.p.Stage == ir.StageFragment // shaders-helper-invocations
		case spirv.ExecutionModeOriginUpperLeft, spirv.ExecutionModeDepthReplacing, spirv.ExecutionModeStencilRefReplacingEXT,
			spirv.ExecutionModeFPFastMathDefault:
			// Arithmetic is what the last asks for whether it stands there or not.
		case spirv.ExecutionModeShader64BitIndexingEXT:
			c.opt.Indices64 = true
		case spirv.ExecutionModeQuadDerivativesKHR, spirv.ExecutionModeRequireFullQuadsKHR:
			c.p.UsesDerivatives = true // whole quads
		default:
			if !c.controlMode(mode) && !c.shapeMode(mode.Kind, mode.Operands) {
				c.fail("unsupported execution mode %v", mode.Kind)
			}
		}
	}
	c.checkShape()
	if !c.workgroups() {
		return
	}
	for _, k := range c.m.Constants {
		// BuiltIn WorkgroupSize overrides LocalSize.
		if d, ok := c.m.Decoration(k.Result, spirv.DecorationBuiltIn); ok && len(d) == 1 && spirv.BuiltIn(d[0]) == spirv.BuiltInWorkgroupSize {
			if w, ok := c.k.Words(k.Result); ok && len(w) == 3 {
				copy(c.p.LocalSize[:], w)
			}
		}
	}
	if s := c.p.LocalSize; c.p.Quads == ir.SquareQuads && (s[0]%2 != 0 || s[1]%2 != 0) || c.p.Quads == ir.LinearQuads && s[0]*s[1]*s[2]%4 != 0 { // IMG-405
		c.fail("a workgroup of %v invocations has no whole quads (VUID-StandaloneSpirv-DerivativeGroupQuadsKHR-10151, VUID-StandaloneSpirv-DerivativeGroupLinearKHR-10152)", s)
	}
	n := uint64(1)
	for _, x := range c.p.LocalSize {
		n = min(n*uint64(x), 1<<32)
	}
	if n == 0 || n > 1024 {
		c.fail("workgroup of %v invocations; 1 to 1024 are supported", c.p.LocalSize)
	}
}

// tileImages says that the shader may read tile images: that it declares so, whether it does or not.
//
// RAS-148 primsrast-fragment-shading-rate-combining
func (c *compiler) tileImages() bool {
	return c.declares(spirv.CapabilityTileImageColorReadAccessEXT) || c.declares(spirv.CapabilityTileImageDepthReadAccessEXT) ||
		c.declares(spirv.CapabilityTileImageStencilReadAccessEXT)
}

// declares reports whether the module declares a capability.
func (c *compiler) declares(k spirv.Capability) bool {
	return slices.Contains(c.m.Capabilities, k)
}

// constScalar returns the word of a scalar constant.
func (c *compiler) constScalar(id spirv.ID) uint32 {
	w, ok := c.k.Words(id)
	if !ok || len(w) != 1 {
		c.fail("<id> %d is not a scalar constant of up to 32 bits", id)
	}
	return w[0]
}

// entryPoint emits the body of the entry point.
func (c *compiler) entryPoint() {
	f := c.m.Function(c.ep.Function)
	if asks := c.p.Stage == ir.StageFragment && slices.ContainsFunc(c.m.Capabilities, spirv.Capability.Subgroups); !asks && !c.endsInCalls {
		c.call(f, nil)
		return
	}
	c.b.Loop(true, func(l *ir.Loop) {
		c.whole = l
		c.call(f, nil)
	}, nil)
}

// Package ir is the typed SSA form that every engine runs.
//
// Shaders and fixed-function stages are lowered to it (package lower) and
// executed by the engines behind exec.Engine. A value is one scalar a lane: 32
// bits of integer, float or mask. Vectors, matrices and structs do not exist
// here; lowering has scalarised them. Control flow is structured: a Block is a
// list of statements, each an instruction, an If or a Loop. What crosses a join
// of control flow lives in a Var, a per-lane register that Set writes under the
// execution mask; everything else is SSA, defined once and used below its
// definition in the same or an inner block.
//
// Engines implement these operations and nothing else: a rule of the Vulkan
// specification is never written inside an engine.
package ir

import "strconv"

// Type is the type of a value in one lane.
type Type uint8

const (
	Void Type = iota // no result
	Bool             // a mask: 0 or 0xFFFFFFFF
	I32              // 32 bits, signedness chosen by the operation
	F32              // IEEE binary32
)

// Value names the result of an instruction: its index in Program.Insts.
type Value int32

// NoValue stands for an absent operand.
const NoValue Value = -1

// VarID names a Var: its index in Program.Vars.
type VarID int32

// Inst is one instruction. Operands are Args[:op's arity]; operations with a
// variable number of operands (images) use More after Args.
type Inst struct {
	Op   Op
	Type Type
	// Uniform says that all lanes of a batch hold the same value; set by the
	// divergence pass. Engines may then compute it once.
	Uniform bool
	Args    [3]Value
	More    []Value
	// Imm is the immediate of the operation: a constant's bits, an input,
	// output, resource or image-operation index, a byte offset or a loop
	// depth. See the comment of each Op.
	Imm uint64
}

// Stmt is one statement of a Block: exactly one of the three is set (Inst is
// NoValue for If and Loop).
type Stmt struct {
	Inst Value
	If   *If
	Loop *Loop
}

// Block is a sequence of statements.
type Block struct {
	Stmts []Stmt

	open bool // a Builder fills it
}

// If runs Then in the lanes where Cond holds and Else in the others.
// If Cond is uniform an engine takes one real branch.
type If struct {
	Cond       Value
	Then, Else Block
}

// Loop runs Body, then Continue, as long as a lane is left inside. A lane
// leaves through OpBreak and skips to Continue through OpContinue. Once marks a
// scope that runs a single time: an inlined function, or a switch, whose breaks
// leave it; it has no Continue part.
type Loop struct {
	Body, Continue Block
	Once           bool
	Source         Source
}

// Source is a place in a shader's source, as debug information gives it; the
// zero value is unknown.
type Source struct {
	File string
	Line uint32
}

// String gives file and line, "" where they are not known.
func (s Source) String() string {
	switch {
	case s.Line == 0:
		return ""
	case s.File == "":
		return "line " + strconv.FormatUint(uint64(s.Line), 10)
	}
	return s.File + ":" + strconv.FormatUint(uint64(s.Line), 10)
}

// Var is a per-lane register.
type Var struct {
	Type Type
	Name string // from the source, for dumps; may be empty
}

// Stage is the shader stage of a program.
type Stage uint8

const (
	StageVertex Stage = iota
	StageFragment
	StageCompute
	StageControl // tessellation control
	StageEvaluation
	StageGeometry
	StageTask
	StageMesh
)

// Workgroups says that the stage's invocations come in workgroups, a batch each
// where they have to do with each other.
func (s Stage) Workgroups() bool { return s == StageCompute || s == StageTask || s == StageMesh }

// Builtin names the value behind an input or output slot.
type Builtin uint8

// The built-ins that lowering can ask for. Multi-component built-ins take one
// slot a component.
const (
	BuiltinNone Builtin = iota // a user location
	// Vertex in.
	BuiltinVertexIndex
	BuiltinInstanceIndex
	BuiltinBaseVertex
	BuiltinBaseInstance
	BuiltinDrawIndex
	BuiltinViewIndex
	// Vertex out.
	BuiltinPosition
	BuiltinPointSize
	BuiltinClipDistance
	BuiltinCullDistance
	BuiltinLayer
	BuiltinViewportIndex
	BuiltinPrimitiveID
	BuiltinViewportMask
	BuiltinPositionPerView     // four components a view
	BuiltinViewportMaskPerView // one a view
	// Fragment in.
	BuiltinFragCoord
	BuiltinFrontFacing // mask
	BuiltinPointCoord
	BuiltinSampleID
	BuiltinSamplePosition
	BuiltinSampleMask // in and out
	BuiltinHelperInvocation
	BuiltinFullyCovered // mask
	BuiltinBaryCoord    // of what Interp says
	BuiltinPrimitiveShadingRate
	BuiltinShadingRate
	BuiltinFragSize
	BuiltinFragInvocationCount
	// Fragment out.
	BuiltinFragDepth
	BuiltinFragStencilRef
	// Compute in.
	BuiltinGlobalInvocationID
	BuiltinLocalInvocationID
	BuiltinLocalInvocationIndex
	BuiltinWorkgroupID
	BuiltinNumWorkgroups
	// Tessellation, geometry, task and mesh.
	BuiltinInvocationID
	BuiltinPatchVertices
	BuiltinTessCoord
	BuiltinTessLevelOuter
	BuiltinTessLevelInner
	// BuiltinGroupBase is where the shared memory of the lane's patch begins, bytes.
	BuiltinGroupBase
	// BuiltinEmitMark is what OpEmit writes first of a vertex: EmitMark bits.
	BuiltinEmitMark
	// BuiltinEmitCount is how many vertices an invocation has emitted.
	BuiltinEmitCount
	BuiltinPrimitiveIndices // of a mesh
	BuiltinMeshCounts       // vertices and primitives of a mesh
	BuiltinTaskCounts       // mesh workgroups that a task launches
	BuiltinCullPrimitive
)

// Interpolation says how a fragment input is made from its vertices.
type Interpolation uint8

const (
	Perspective Interpolation = iota
	Linear                    // NoPerspective
	Flat
)

// Auxiliary says where inside the pixel a fragment input is evaluated.
type Auxiliary uint8

const (
	AtCenter Auxiliary = iota
	AtCentroid
	AtSample
)

// IO is one scalar slot of the interface: Batch.In[i] or Batch.Out[i] holds
// the lanes of Program.Inputs[i] or Outputs[i].
type IO struct {
	Builtin   Builtin
	Location  uint32 // user slots
	Component uint32 // 0..3 within a location, or component of the built-in (element for arrays)
	Index     uint32 // dual-source blending index of a fragment output
	Type      Type
	Interp    Interpolation
	Aux       Auxiliary
	// Patch marks what belongs to a patch, PerPrimitive to a primitive, instead
	// of to a vertex.
	Patch, PerPrimitive bool
	Relative            bool  // a Layer to which the viewport's index is added
	Stream              uint8 // vertex stream of a geometry shader's output
	// Vertex is 1 + the number of the vertex that a PerVertexKHR input comes
	// from, 0 for other inputs.
	Vertex uint8
	// Captured outputs go to transform feedback buffer Buffer, at Offset bytes in
	// the vertex.
	Captured bool
	Buffer   uint8
	Offset   uint32
}

// ComputeQuads says which invocations of a workgroup are lanes 4q to 4q+3.
type ComputeQuads uint8

// Kinds of ComputeQuads.
const (
	NoQuads     ComputeQuads = iota // nothing depends on it
	LinearQuads                     // those whose LocalInvocationIndex is 4q to 4q+3
	SquareQuads                     // squares of 2×2 in x and y, row after row
)

// ResourceKind is the kind of a descriptor.
type ResourceKind uint8

const (
	UniformBuffer ResourceKind = iota
	StorageBuffer
	SampledImage // image alone or combined with a sampler
	StorageImage
	Sampler
	UniformTexelBuffer
	StorageTexelBuffer
	InputAttachment
	CombinedImageSampler
	// TileImage is attachments of the pass: Count colour attachments from
	// location Binding on, or TileDepth or TileStencil. No set has it.
	TileImage
)

// Bindings of tile images.
const (
	MaxTileColors = 8
	TileDepth     = MaxTileColors
	TileStencil   = MaxTileColors + 1
)

// Resource is one (set, binding) that the program uses. Count is its array
// size; 0 means runtime-sized.
type Resource struct {
	Set, Binding uint32
	// Heap: the resource is a descriptor heap, as descriptors of the kind side by side. It has no set and
	// binding.
	Heap     bool
	Kind     ResourceKind
	Count    uint32
	ReadOnly bool
	// Windowed: elements from Count on are further windows of those before: element k + w Count begins
	// w WindowBytes into buffer k and has WindowReach bytes, or what is left. Windows overlap, so that
	// what begins in the first WindowBytes of one may reach beyond. See Windows.
	Windowed bool
	Name     string
}

// Windows is how many windows a buffer has, of which a program reaches more than offsets of 32 bits with
// a sign do.
const Windows, WindowBytes, WindowReach = 32, 1 << 30, 3 << 29

// Program is one shader entry point, or a fixed-function kernel.
type Program struct {
	Stage     Stage
	Name      string
	Insts     []Inst
	Vars      []Var
	Body      Block
	Inputs    []IO
	Outputs   []IO
	Resources []Resource
	ImageOps  []ImageOp
	// Lines say of the first Insts where in the source they come from: as places in Sources, plus
	// one; 0 is unknown.
	Lines   []uint32
	Sources []Source
	// ImageSites are of the first ImageOps: what rules for image instructions need besides.
	ImageSites []ImageSite
	Prints     []Print
	// Traces are what OpTrace tells, Files the sources that they are of. Only programs lowered to be
	// traced have any.
	Traces []Trace
	Files  []File
	// PushBytes, SharedBytes, PrivateBytes: sizes of the push-constant
	// block, of workgroup memory (a workgroup) and of addressable private
	// memory (a lane), in bytes, multiples of 4.
	PushBytes, SharedBytes, PrivateBytes uint32
	// Table is the memory of OpLoadTable: constants, little-endian words.
	Table     []byte
	LocalSize [3]uint32 // compute, task, mesh
	// Unwritten are the outputs that the program declares and never writes: the
	// next stage may name them, and reads zero.
	Unwritten []IO
	// VertexInputs are the slots of OpLoadVertex, Emits those of OpEmit.
	VertexInputs, Emits []IO
	// Records are the outputs that lie in shared memory (control, mesh).
	Records []SharedOutput
	// PayloadAt and PayloadBytes are where the task payload lies in shared memory.
	PayloadAt, PayloadBytes uint32
	Shape                   Shape
	// Captures says that outputs go to transform feedback buffers, a vertex
	// every FeedbackStride bytes.
	Captures       bool
	FeedbackStride [MaxFeedbackBuffers]uint32
	// Facts that the pipeline needs.
	EarlyFragmentTests bool
	Demotes            bool // uses OpDemote
	// Interlocked says that fragments of one pixel run one after the other, in
	// rasterization order. PostDepthCoverage is the execution mode.
	Interlocked, PostDepthCoverage bool
	// OverrideCoverage: SampleMask takes the place of the coverage.
	OverrideCoverage bool
	WritesMemory     bool // stores, atomics or image writes
	UsesDerivatives  bool // needs whole quads
	// AnyNaN: who reads the outputs takes any NaN for a NaN, so that those of arithmetic need not
	// be made canonical.
	AnyNaN      bool
	UsesBarrier bool
	// SubgroupSize is the number of lanes of a subgroup, a power of two; 0
	// where the program has no use for subgroups. A compute batch of such a program holds one
	// workgroup, or several whose subgroups are whole.
	SubgroupSize uint32
	// Quads says how a compute shader's workgroup is cut into quads.
	Quads ComputeQuads
	// Scattered says that lanes load from places far apart, as texels are: engines may
	// fetch them ahead. InOrder says of such that batches go through memory in order, so that it comes by itself.
	Scattered bool
	InOrder   bool
	// UsesAddresses says that device addresses are dereferenced.
	UsesAddresses  bool
	SampleRate     bool // SampleID, SamplePosition or a Sample input is read
	TileImages     bool // a capability of tile images is declared
	SampleMask     bool // the interface has SampleMask, whether it is used or not
	DepthGreater   bool
	DepthLess      bool
	DepthUnchanged bool
}

// ImageDim is the dimensionality in an image instruction.
type ImageDim uint8

const (
	Dim1D ImageDim = iota
	Dim2D
	Dim3D
	DimCube
	DimBuffer
	DimSubpass
)

// ImageKind is the class of an image instruction.
type ImageKind uint8

const (
	ImageSample ImageKind = iota // with a sampler
	ImageFetch
	ImageGather
	ImageRead
	ImageWrite
	ImageAtomic
	ImageQuerySize   // Args: lod (or none)
	ImageQueryLod    // two results
	ImageQueryLevels // one result
	ImageQuerySamples
	ImageWeighted   // weights in a second image
	ImageBoxFilter  // of a size that is an operand
	ImageBlockMatch // against a block of a second image
	ImageFootprint  // what a sample reads: a Part of the result
)

// Asks says that the instruction asks for a property of its image, which is the same
// in all lanes where its operands are.
func (k ImageKind) Asks() bool {
	return k == ImageQuerySize || k == ImageQueryLevels || k == ImageQuerySamples
}

// Takes2 says that the instruction has a second image.
func (k ImageKind) Takes2() bool { return k == ImageWeighted || k == ImageBlockMatch }

// FootprintPart says which scalars of a footprint an instruction gives.
type FootprintPart uint8

const (
	FootprintAnchor FootprintPart = iota // anchor (3), single
	FootprintOffset                      // offset (3), LOD
	FootprintMask                        // mask (2), granularity
	lastPart        = FootprintMask
)

// MatchForm is the form of a block match.
type MatchForm uint8

const (
	MatchPlain  MatchForm = iota
	MatchWindow           // the best place in the sampler's window
	MatchGather           // four neighbouring places
	lastMatch   = MatchGather
)

// LodMode says where the level of detail of a sample comes from.
type LodMode uint8

const (
	LodImplicit LodMode = iota
	LodBias
	LodExplicit
	LodGrad
	LodZero // instructions outside fragment shaders without a LOD
)

// ImageOp is the static part of an image instruction; OpImage's Imm is its
// index. The operands stand in Inst.More in the order of the fields below that
// are present:
//
//	image element, sampler element, coordinates (Coords of them, incl. the
//	array layer), Dref, bias or lod, gradients (dx then dy, GradCoords each),
//	offsets (GradCoords), minLod, sample index, texel to write (4) or atomic
//	value(s); for image processing: second image's element, reference
//	coordinates (2, block matches), box or block size (2); where Rest is set,
//	a condition and Results values.
//
// Element operands are descriptor array indices (i32).
type ImageOp struct {
	Kind    ImageKind
	Dim     ImageDim
	Arrayed bool
	MS      bool
	// Image and Sampler are Program.Resources indices; Sampler is -1 where
	// the instruction takes none, and equals Image for a combined one.
	Image, Sampler int
	Coords         int // coordinate components incl. the layer
	GradCoords     int // components of a gradient or offset: 1..3
	Lod            LodMode
	Dref           bool
	Proj           bool // lowering has divided already; kept for dumps
	HasOffset      bool // offset operands present (constant or not)
	HasMinLod      bool
	HasSample      bool
	Residency      bool // the one result is 0 where all texels have memory, else 1
	GatherComp     uint8
	High           bool // a Wide gather gives the high words
	NearestOrigin  bool // a gather starts at the NEAREST texel
	Atomic         AtomicOp
	Second         int  // resource index of a second image
	SAD            bool // a block match sums differences, not their squares
	Match          MatchForm
	Granularity    uint8 // of a footprint
	Coarse         bool  // a footprint of the coarser level
	Part           FootprintPart
	Result         Class // of the texel
	Wide           bool  // texels have one component of 64 bits
	Results        int   // scalar results of the instruction: 0, 1, 2, 3 or 4
	// Rest says that the instruction does the few lanes of the condition among its operands; the
	// others have the values behind that. The whole execution mask takes part in derivatives.
	Rest bool
}

// Writes says that the instruction changes texels.
func (o *ImageOp) Writes() bool { return o.Kind == ImageWrite || o.Kind == ImageAtomic }

// Once says that the instruction gives the same in all lanes where its operands are the same, and needs but one of them to
// run: it asks, or it only reads.
func (o *ImageOp) Once() bool {
	switch o.Kind {
	case ImageSample, ImageGather, ImageFetch, ImageRead:
		return !o.Residency && !o.Wide && !o.Rest
	}
	return o.Kind.Asks()
}

// ImageSite is where an image instruction comes from.
type ImageSite struct {
	Source Source
	// Format is the Image Format of the variable, "" where it is Unknown.
	Format string
	// Inst is the instruction's name in SPIR-V, and Word where it begins in the module: one may take several operations.
	Inst string
	Word int
	// SignExtend, ZeroExtend and the kinds of offsets are the image operands that the instruction states.
	SignExtend, ZeroExtend            bool
	Offset, ConstOffset, ConstOffsets bool
	// Offsets are the components of its offsets that are constants.
	Offsets []int32
	// Texel is how many components a write has; Float says that the texels are floats, where the result is something else.
	Texel int
	Float bool
	// Size is the box or block of image processing, Reference where the block lies: a scalar's bits,
	// where they are Sized and Placed, which is where they are constants.
	Size, Reference [2]uint32
	Sized, Placed   bool
}

// Texels of Wide operations are four words: the number's low and high one, and which components hold it, and which are one (bit c is
// component c); all others are 0. A gather gives words of four numbers. Writes and atomics take two words a value.

// Class is the numeric class of a texel.
type Class uint8

const (
	ClassFloat Class = iota
	ClassSint
	ClassUint
)

// AtomicOp is the operation of an atomic instruction.
type AtomicOp uint8

const (
	AtomicAdd AtomicOp = iota
	AtomicAnd
	AtomicOr
	AtomicXor
	AtomicSMin
	AtomicSMax
	AtomicUMin
	AtomicUMax
	AtomicExchange
	AtomicCompareExchange // args: value, comparator
	AtomicFAdd
	AtomicLoad
	AtomicStore
	AtomicFMin // IEEE minNum
	AtomicFMax
	lastAtomic = AtomicFMax

	// Flags of float operations: the word is a binary32 that holds a binary16,
	// and is rounded to one; results that are denormal become zeros.
	AtomicHalf  AtomicOp = 1 << 6
	AtomicFlush AtomicOp = 1 << 7
)

// Base is the operation without flags.
func (op AtomicOp) Base() AtomicOp { return op &^ (AtomicHalf | AtomicFlush) }

// exists tells whether the operation is one, and has no flags that it cannot have.
func (op AtomicOp) exists() bool {
	b := op.Base()
	return op <= lastAtomic || b == AtomicFAdd || b == AtomicFMin || b == AtomicFMax
}

// SourceOf is where in the source an instruction comes from, as far as the module tells.
func (p *Program) SourceOf(v Value) Source {
	if int(v) < len(p.Lines) && p.Lines[v] > 0 {
		return p.Sources[p.Lines[v]-1]
	}
	return Source{}
}

// LocalIndex is the LocalInvocationIndex of a lane of a workgroup.
//
// IMG-405
func (p *Program) LocalIndex(lane uint32) uint32 {
	if p.Quads != SquareQuads {
		return lane
	}
	w, h := p.LocalSize[0], p.LocalSize[1]
	quad, x, y := lane/4, lane&1, lane>>1&1
	x += quad % (w / 2) * 2
	quad /= w / 2
	y += quad % (h / 2) * 2
	return x + w*(y+h*(quad/(h/2)))
}

package fragment

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/render/tile"
)

// Link is how the fragment shader of a pipeline fits to what comes before it and after it.
type Link struct {
	Inputs []Input
	Flat   []int // slot of primitives of each attribute that fragments use
	Attrs  []int // slot of vertices of each attribute that fragments use
	Outs   Outputs
	// May are the output slots that a lane may leave unwritten, which have to be given a
	// value before each batch.
	May []int
	// demotes: the fragment shader can demote. Program.Demotes is what the
	// source says; optimisation may have removed it.
	Demotes bool
}

// InputKind says where a fragment input comes from.
type InputKind uint8

const (
	InputVarying InputKind = iota
	InputFragCoord
	InputFrontFacing
	InputPointCoord
	InputSampleID
	InputSamplePosition
	InputSampleMask
	InputHelper
	InputPrimitiveID
	InputLayer
	InputViewport
	InputView
	InputFullyCovered
	InputPerVertex
	InputBaryCoord
	InputShadingRate
	InputFragSize
	InputFragInvocationCount
	InputPrimitive // of a mesh's primitive; attr is its index in linkage.flat
	InputZero      // declared by the stage before, and never written
)

// InputKinds are those of the built-ins that need no more.
var InputKinds = map[ir.Builtin]InputKind{
	ir.BuiltinFrontFacing: InputFrontFacing, ir.BuiltinPointCoord: InputPointCoord,
	ir.BuiltinSampleID: InputSampleID, ir.BuiltinSamplePosition: InputSamplePosition,
	ir.BuiltinSampleMask: InputSampleMask, ir.BuiltinHelperInvocation: InputHelper,
	ir.BuiltinPrimitiveID: InputPrimitiveID, ir.BuiltinLayer: InputLayer,
	ir.BuiltinViewportIndex: InputViewport, ir.BuiltinViewIndex: InputView,
	ir.BuiltinShadingRate: InputShadingRate, ir.BuiltinFragSize: InputFragSize,
	ir.BuiltinFragInvocationCount: InputFragInvocationCount, ir.BuiltinBaryCoord: InputBaryCoord,
	ir.BuiltinFullyCovered: InputFullyCovered,
}

// Input is one input slot of the fragment stage.
type Input struct {
	Kind      InputKind
	Slot      int // in Program.Inputs
	Attr      int // varyings: index in the vertex's attributes
	Component uint32
	Interp    ir.Interpolation
	Aux       ir.Auxiliary
	Vertex    uint8 // of InputPerVertex
}

// Outputs says which output slots of the fragment stage hold what.
type Outputs struct {
	Color   [tile.MaxColorAttachments]ColorSlots
	Second  ColorSlots // location 0, index 1
	Alpha   int        // of the first colour, none where that is no float
	Depth   int
	Stencil int
	Mask    int
	// masks are the words of SampleMask; masked: there is one.
	Masks  [8]int
	Masked bool
}

// ColorSlots are the slots of one output's components.
type ColorSlots struct {
	Present bool
	Integer bool
	Slot    [4]int
}

// NoSlots are the slots of a vector of which there is nothing.
var NoSlots = [4]int{none, none, none, none}

// NoOutputs are those of a shader that writes none.
var NoOutputs = func() Outputs {
	o := Outputs{Alpha: none, Depth: none, Stencil: none, Mask: none}
	for i := range o.Color {
		o.Color[i].Slot = NoSlots
	}
	for i := range o.Masks {
		o.Masks[i] = none
	}
	o.Second.Slot = NoSlots
	return o
}()

// unwritten is the value of a colour output's component: alpha is 1, all else 0.
func (o *Outputs) unwritten(slot int) uint32 {
	for i := range o.Color {
		switch c := &o.Color[i]; {
		case c.Slot[3] != slot:
		case c.Integer:
			return 1
		default:
			return math.Float32bits(1)
		}
	}
	return 0
}

// BlockHas says whether a block or a block in it has an operation.
func BlockHas(p *ir.Program, b *ir.Block, op ir.Op) bool {
	for _, s := range b.Stmts {
		switch {
		case s.If != nil:
			if BlockHas(p, &s.If.Then, op) || BlockHas(p, &s.If.Else, op) {
				return true
			}
		case s.Loop != nil:
			if BlockHas(p, &s.Loop.Body, op) || BlockHas(p, &s.Loop.Continue, op) {
				return true
			}
		default:
			if p.Insts[s.Inst].Op == op {
				return true
			}
		}
	}
	return false
}

package render

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/tess"
	"github.com/pumice-gpu/pumice/vk"
)

// tessLink is what the tessellation stages pass on.
type tessLink struct {
	control    []int // vertex output slot of each vertex input of the control shader
	evaluation []int // record of the control shader for each vertex input of the evaluation shader
	patch      []int // record for each input of the evaluation shader that belongs to a patch
	levels     [6]int
	// evaluationMay are the output slots that a lane may leave unwritten.
	evaluationMay []int
	config        tess.Config // but for the state
	clockwise     bool
}

// linkTess matches vertex, control and evaluation shader.
func (l *linkage) linkTess(d *PipelineDesc) error {
	c, e := d.Control.Program(), d.Evaluation.Program()
	t := &l.tess
	t.control = feeds(c.VertexInputs, l.last)
	for _, io := range e.VertexInputs {
		t.evaluation = append(t.evaluation, findRecord(c.Records, io, false))
	}
	for _, io := range e.Inputs {
		r := none
		if io.Patch || io.Builtin == ir.BuiltinTessLevelOuter || io.Builtin == ir.BuiltinTessLevelInner {
			r = findRecord(c.Records, io, true)
		}
		t.patch = append(t.patch, r)
	}
	for k := range t.levels {
		io := ir.IO{Builtin: ir.BuiltinTessLevelOuter, Component: uint32(k)}
		if k >= 4 {
			io = ir.IO{Builtin: ir.BuiltinTessLevelInner, Component: uint32(k - 4)}
		}
		t.levels[k] = findRecord(c.Records, io, true)
	}
	t.evaluationMay = maybeUnwritten(e)
	l.last, l.unwritten = e.Outputs, e.Unwritten
	if err := inputsOf(c, ir.BuiltinPrimitiveID, ir.BuiltinInvocationID, ir.BuiltinPatchVertices, ir.BuiltinViewIndex, ir.BuiltinGroupBase); err != nil {
		return err
	}
	if err := inputsOf(e, ir.BuiltinNone, ir.BuiltinPrimitiveID, ir.BuiltinTessCoord, ir.BuiltinPatchVertices, ir.BuiltinViewIndex,
		ir.BuiltinTessLevelOuter, ir.BuiltinTessLevelInner); err != nil {
		return err
	}
	return t.modes(&c.Shape, &e.Shape)
}

// modes takes the execution modes from the two shaders, either of which may have
// them.
// tessellation
func (t *tessLink) modes(c, e *ir.Shape) error {
	agree := true
	t.config.Domain = either(c.Domain, e.Domain, &agree)
	t.config.Spacing = either(c.Spacing, e.Spacing, &agree)
	winding := either(c.Winding, e.Winding, &agree)
	t.config.PointMode = c.PointMode || e.PointMode
	t.clockwise = winding == ir.WindingCW
	if !agree || t.config.Domain == ir.DomainNone {
		return &PipelineError{What: "the tessellation shaders name no domain, or different modes", Rule: "VUID-VkGraphicsPipelineCreateInfo-pStages-00732", Fix: "say Triangles, Quads or IsoLines, the spacing and the order once"}
	}
	return nil
}

// either returns the one of two modes that is set; zero is unset.
func either[T comparable](a, b T, agree *bool) T {
	var unset T
	if a == unset {
		return b
	}
	*agree = *agree && (b == unset || a == b)
	return a
}

// findRecord returns the record of a control shader that feeds an input.
func findRecord(records []ir.SharedOutput, io ir.IO, patch bool) int {
	for i, r := range records {
		if (r.Stride == 0) != patch || r.Builtin != io.Builtin || r.Component != io.Component {
			continue
		}
		if r.Builtin != ir.BuiltinNone || r.Location == io.Location {
			return i
		}
	}
	return none
}

// tessConfig is what the tessellator needs in a state.
// tessellation-vertex-winding-order
func (t *tessLink) tessConfig(d *DynamicState) tess.Config {
	c := t.config
	c.Positive = t.clockwise == (d.DomainOrigin == vk.TessellationDomainOriginUpperLeft)
	return c
}

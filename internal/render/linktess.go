package render

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/tess"
	"github.com/pumice-gpu/pumice/vk"
)

// linkTess matches vertex, control and evaluation shader.
func (l *linkage) linkTess(d *PipelineDesc) error {
	c, e := d.Control.Program(), d.Evaluation.Program()
	t := &l.Tess
	t.Control = feeds(c.VertexInputs, l.last)
	for _, io := range e.VertexInputs {
		t.Evaluation = append(t.Evaluation, findRecord(c.Records, io, false))
	}
	for _, io := range e.Inputs {
		r := none
		if io.Patch || io.Builtin == ir.BuiltinTessLevelOuter || io.Builtin == ir.BuiltinTessLevelInner {
			r = findRecord(c.Records, io, true)
		}
		t.Patch = append(t.Patch, r)
	}
	for k := range t.Levels {
		io := ir.IO{Builtin: ir.BuiltinTessLevelOuter, Component: uint32(k)}
		if k >= 4 {
			io = ir.IO{Builtin: ir.BuiltinTessLevelInner, Component: uint32(k - 4)}
		}
		t.Levels[k] = findRecord(c.Records, io, true)
	}
	t.EvaluationMay = maybeUnwritten(e)
	l.last, l.unwritten = e.Outputs, e.Unwritten
	if err := inputsOf(c, ir.BuiltinPrimitiveID, ir.BuiltinInvocationID, ir.BuiltinPatchVertices, ir.BuiltinViewIndex, ir.BuiltinGroupBase); err != nil {
		return err
	}
	if err := inputsOf(e, ir.BuiltinNone, ir.BuiltinPrimitiveID, ir.BuiltinTessCoord, ir.BuiltinPatchVertices, ir.BuiltinViewIndex,
		ir.BuiltinTessLevelOuter, ir.BuiltinTessLevelInner); err != nil {
		return err
	}
	return l.modes(&c.Shape, &e.Shape)
}

// modes takes the execution modes from the two shaders, either of which may have
// them.
// tessellation
func (l *linkage) modes(c, e *ir.Shape) error {
	agree := true
	l.tessMode.Domain = either(c.Domain, e.Domain, &agree)
	l.tessMode.Spacing = either(c.Spacing, e.Spacing, &agree)
	winding := either(c.Winding, e.Winding, &agree)
	l.tessMode.PointMode = c.PointMode || e.PointMode
	l.clockwise = winding == ir.WindingCW
	if !agree || l.tessMode.Domain == ir.DomainNone {
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
func (l *linkage) tessConfig(d *DynamicState) tess.Config {
	c := l.tessMode
	c.Positive = l.clockwise == (d.DomainOrigin == vk.TessellationDomainOriginUpperLeft)
	return c
}

package render

import (
	"errors"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/internal/tess"
	"github.com/pumice-gpu/pumice/vk"
)

// Stages that don't belong together, inputs that a stage doesn't have and outputs that
// there is no room for are refused, each with its rule; the same pipelines without
// the fault are not.
func TestNewPipeline_Refuses(t *testing.T) {
	rules.Covers(t, "RAS-007")
	get := func(name string, stage ir.Stage) exec.Routine { return mutant(t, nil, name, stage, 0) }
	full := func() PipelineDesc {
		d := PipelineDesc{Static: DefaultState(), ColorFormats: []vk.Format{vk.FormatR8G8B8A8Unorm},
			Vertex: get("stages.vert", ir.StageVertex), Control: get("stages.tesc", ir.StageControl), Evaluation: get("quads.tese", ir.StageEvaluation),
			Geometry: get("stages.geom", ir.StageGeometry), Fragment: get("stages.frag", ir.StageFragment)}
		d.Static.Topology, d.Static.PatchControlPoints = vk.PrimitiveTopologyPatchList, 5
		return d
	}
	mesh := func() PipelineDesc {
		return PipelineDesc{Static: DefaultState(), ColorFormats: []vk.Format{vk.FormatR8G8B8A8Unorm},
			Task: get("stages.task", ir.StageTask), Mesh: get("stages.mesh", ir.StageMesh), Fragment: get("mesh.frag", ir.StageFragment)}
	}
	asks := func(r exec.Routine) {
		p := r.Program()
		p.Inputs = append(p.Inputs, inout(ir.BuiltinFragCoord, 0, 0, ir.F32))
	}
	writes := func(io ir.IO) func(*PipelineDesc) {
		return func(d *PipelineDesc) {
			p := d.Fragment.Program()
			p.Outputs = append(p.Outputs, io)
		}
	}
	second := inout(ir.BuiltinNone, 0, 0, ir.F32)
	second.Index = 1
	elsewhere, third := second, second
	elsewhere.Location, third.Index = 1, 2
	for name, c := range map[string]struct {
		desc   func() PipelineDesc
		change func(*PipelineDesc)
		rule   string // "": nothing is wrong
	}{
		"all stages":                    {full, func(*PipelineDesc) {}, ""},
		"mesh":                          {mesh, func(*PipelineDesc) {}, ""},
		"mesh and no fragments":         {mesh, func(d *PipelineDesc) { d.Fragment = nil }, ""},
		"nothing":                       {full, func(d *PipelineDesc) { d.Vertex = nil }, "VUID-VkGraphicsPipelineCreateInfo-stage-02096"},
		"fragments as vertices":         {full, func(d *PipelineDesc) { d.Vertex = d.Fragment }, "VUID-VkGraphicsPipelineCreateInfo-stage-02096"},
		"vertices as fragments":         {full, func(d *PipelineDesc) { d.Fragment = d.Vertex }, "VUID-VkPipelineShaderStageCreateInfo-stage-00706"},
		"control alone":                 {full, func(d *PipelineDesc) { d.Evaluation = nil }, "VUID-VkGraphicsPipelineCreateInfo-pStages-00729"},
		"evaluation alone":              {full, func(d *PipelineDesc) { d.Control = nil }, "VUID-VkGraphicsPipelineCreateInfo-pStages-00729"},
		"a control shader's FragCoord":  {full, func(d *PipelineDesc) { asks(d.Control) }, "interfaces-builtin-variables"},
		"an evaluation's FragCoord":     {full, func(d *PipelineDesc) { asks(d.Evaluation) }, "interfaces-builtin-variables"},
		"a geometry shader's FragCoord": {full, func(d *PipelineDesc) { asks(d.Geometry) }, "interfaces-builtin-variables"},
		"mesh and vertices":             {mesh, func(d *PipelineDesc) { d.Vertex = get("stages.vert", ir.StageVertex) }, "VUID-VkGraphicsPipelineCreateInfo-pStages-02095"},
		"mesh and geometry":             {mesh, func(d *PipelineDesc) { d.Geometry = get("stages.geom", ir.StageGeometry) }, "VUID-VkGraphicsPipelineCreateInfo-pStages-02095"},
		"mesh and control":              {mesh, func(d *PipelineDesc) { d.Control = get("stages.tesc", ir.StageControl) }, "VUID-VkGraphicsPipelineCreateInfo-pStages-02095"},
		"mesh and evaluation":           {mesh, func(d *PipelineDesc) { d.Evaluation = get("quads.tese", ir.StageEvaluation) }, "VUID-VkGraphicsPipelineCreateInfo-pStages-02095"},
		"task as mesh":                  {mesh, func(d *PipelineDesc) { d.Mesh = d.Task }, "VUID-VkPipelineShaderStageCreateInfo-stage-00706"},
		"mesh as task":                  {mesh, func(d *PipelineDesc) { d.Task = d.Mesh }, "VUID-VkPipelineShaderStageCreateInfo-stage-00706"},
		"a workgroup of none":           {mesh, func(d *PipelineDesc) { d.Mesh.Program().LocalSize[1] = 0 }, "maxMeshWorkGroupInvocations"},
		"a workgroup of too many":       {mesh, func(d *PipelineDesc) { d.Task.Program().LocalSize = [3]uint32{exec.MaxLanes, 1, 2} }, "maxMeshWorkGroupInvocations"},
		"location 15":                   {full, writes(inout(ir.BuiltinNone, 15, 3, ir.F32)), ""},
		"location 16":                   {full, writes(inout(ir.BuiltinNone, 16, 0, ir.F32)), "RAS-007"},
		"component 4":                   {full, writes(inout(ir.BuiltinNone, 1, 4, ir.F32)), "RAS-007"},
		"a second source":               {full, writes(second), ""},
		"a second source elsewhere":     {full, writes(elsewhere), "RAS-007"},
		"a third source":                {full, writes(third), "RAS-007"},
	} {
		d := c.desc()
		c.change(&d)
		_, err := NewPipeline(d)
		var e *PipelineError
		if c.rule == "" && err != nil || c.rule != "" && (!errors.As(err, &e) || e.Rule != c.rule) {
			t.Errorf("%s: error %v, want rule %q", name, err, c.rule)
		}
	}
}

// An attribute names a binding that is there.
func TestNewPipeline_Bindings(t *testing.T) {
	for binding, ok := range map[uint32]bool{0: true, 2: true, 1: false, 3: false} {
		d := PipelineDesc{Vertex: compile(t, vertexProgram(0), 64), Static: DefaultState(),
			Bindings:   []vk.VertexInputBindingDescription{{Binding: 2, Stride: 16}, {Stride: 16}},
			Attributes: []vk.VertexInputAttributeDescription{{Binding: binding, Format: vk.FormatR32G32B32A32Sfloat}}}
		_, err := NewPipeline(d)
		var e *PipelineError
		if ok && err != nil || !ok && (!errors.As(err, &e) || e.Rule != "VUID-VkPipelineVertexInputStateCreateInfo-binding-00615") {
			t.Errorf("binding %d: %v", binding, err)
		}
	}
}

// Execution modes of the tessellation shaders: either says each, and what both say has
// to be the same.
// tessellation
func TestTessLink_Modes(t *testing.T) {
	quads := ir.Shape{Domain: ir.DomainQuads, Spacing: ir.SpacingFractionalOdd, Winding: ir.WindingCW}
	for name, c := range map[string]struct {
		control, evaluation ir.Shape
		ok                  bool
		want                tess.Config
	}{
		"evaluation":       {ir.Shape{}, quads, true, tess.Config{Domain: ir.DomainQuads, Spacing: ir.SpacingFractionalOdd, Positive: true}},
		"control":          {quads, ir.Shape{}, true, tess.Config{Domain: ir.DomainQuads, Spacing: ir.SpacingFractionalOdd, Positive: true}},
		"both":             {quads, quads, true, tess.Config{Domain: ir.DomainQuads, Spacing: ir.SpacingFractionalOdd, Positive: true}},
		"one each":         {ir.Shape{Domain: ir.DomainTriangles, PointMode: true}, ir.Shape{Spacing: ir.SpacingEqual}, true, tess.Config{Domain: ir.DomainTriangles, Spacing: ir.SpacingEqual, PointMode: true}},
		"points":           {ir.Shape{}, ir.Shape{Domain: ir.DomainIsolines, PointMode: true}, true, tess.Config{Domain: ir.DomainIsolines, PointMode: true}},
		"no domain":        {ir.Shape{Spacing: ir.SpacingEqual}, ir.Shape{}, false, tess.Config{}},
		"two domains":      {quads, ir.Shape{Domain: ir.DomainTriangles}, false, tess.Config{}},
		"two spacings":     {quads, ir.Shape{Spacing: ir.SpacingEqual}, false, tess.Config{}},
		"two orders":       {quads, ir.Shape{Winding: ir.WindingCCW}, false, tess.Config{}},
		"two, then agreed": {ir.Shape{Domain: ir.DomainQuads, Spacing: ir.SpacingEqual}, ir.Shape{Domain: ir.DomainTriangles, Spacing: ir.SpacingEqual}, false, tess.Config{}},
	} {
		var l linkage
		err := l.modes(&c.control, &c.evaluation)
		if (err == nil) != c.ok {
			t.Errorf("%s: error %v", name, err)
		}
		if err != nil {
			continue
		}
		if got := l.tessConfig(&DynamicState{DomainOrigin: vk.TessellationDomainOriginUpperLeft}); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
		c.want.Positive = !c.want.Positive
		if got := l.tessConfig(&DynamicState{DomainOrigin: vk.TessellationDomainOriginLowerLeft}); got != c.want {
			t.Errorf("%s: from the lower left %+v, want %+v", name, got, c.want)
		}
	}
}

// RAS-007: render areas up to the largest framebuffer.
func TestPlan_RAS007_Area(t *testing.T) {
	rules.Covers(t, "RAS-007")
	for _, c := range []struct {
		x, y int32
		w, h uint32
		ok   bool
	}{
		{0, 0, 32768, 32768, true}, {32767, 32767, 1, 1, true}, {-1, 0, 5, 5, false}, {0, -1, 5, 5, false}, {0, 0, 32769, 5, false}, {0, 0, 5, 32769, false},
		{32768, 0, 1, 5, false}, {0, 32768, 5, 1, false}, {5, 5, ^uint32(0), 5, false}, {5, 5, 5, ^uint32(0), false},
	} {
		p, err := newExecutor(Config{Threads: 1}).newPlan(&Pass{Area: rect(c.x, c.y, c.w, c.h), Samples: 1})
		var e *PassError
		if c.ok && err != nil || !c.ok && (!errors.As(err, &e) || e.Rule != "RAS-007") {
			t.Errorf("%+v: %v", c, err)
		}
		if c.ok && (p.Grid.Nx != int(c.w+63)/64 || p.Grid.Ny != int(c.h+63)/64) {
			t.Errorf("%+v: %d×%d tiles", c, p.Grid.Nx, p.Grid.Ny)
		}
	}
	p, err := newExecutor(Config{Threads: 1, TileSize: 16}).newPlan(&Pass{Area: rect(17, 35, 31, 14), Layers: 3, Samples: 1})
	if err != nil || p.Grid.Nx != 2 || p.Grid.Ny != 2 {
		t.Fatalf("%+v, %v", p.Grid, err)
	}
	for at, want := range map[int][3]int32{0: {0, 16, 32}, 1: {0, 32, 32}, 2: {0, 16, 48}, 3: {0, 32, 48}, 4: {1, 16, 32}, 11: {2, 32, 48}} {
		layer, r := p.Grid.Tile(at)
		if layer != int(want[0]) || r.X0 != want[1] || r.Y0 != want[2] || r.X1 != want[1]+16 || r.Y1 != want[2]+16 {
			t.Errorf("tile %d: layer %d, %+v", at, layer, r)
		}
	}
}

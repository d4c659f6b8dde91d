package core

import (
	"bytes"
	"sync"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower"
	"github.com/pumice-gpu/pumice/internal/render"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// tracedStage is a stage of a pipeline with what it was made from, and its traced routine
// once somebody has asked.
type tracedStage struct {
	stage   Stage
	plain   *ir.Program
	once    sync.Once
	routine exec.Routine
	err     error
}

// keepStages keeps the modules of compiled stages on devices that explain.
func (p *Pipeline) keepStages(stages []stageJob) {
	if !p.dev.cfg.Explain {
		return
	}
	p.traces = map[ir.Stage]*tracedStage{}
	for i := range stages {
		s := &stages[i]
		kept := s.stage
		kept.Code, kept.Constants = nil, map[uint32][]byte{}
		for id, b := range s.stage.Constants { // the caller's
			kept.Constants[id] = bytes.Clone(b)
		}
		p.traces[s.as] = &tracedStage{stage: kept, plain: (*s.to).Program()}
	}
}

// traced returns a routine that takes the place of a stage's own in any batch and tells what
// it computes (exec.Context.Trace). It is made on the first call and runs on the
// portable engine. The error names what is missing: a stage, or Config.Explain.
func (p *Pipeline) traced(stage ir.Stage) (exec.Routine, error) {
	const op Op = "explanation"
	t := p.traces[stage]
	if t == nil {
		return nil, p.dev.misuse(op, "explanation", "open the device for explanations, and name a stage that the pipeline has", "%s %q keeps no shader of stage %v", p.kind, p.name, stageBit(stage))
	}
	t.once.Do(func() { t.routine, t.err = p.dev.traced(op, &t.stage, stage, t.plain) })
	return t.routine, t.err
}

// traced compiles a stage once more.
func (d *Device) traced(op Op, s *Stage, stage ir.Stage, plain *ir.Program) (exec.Routine, error) {
	fail := func(err error) (exec.Routine, error) {
		return nil, &Error{Op: d.named(op), Rule: "shader compilation", Detail: "entry point " + s.Entry + ", traced", Err: err}
	}
	o := s.options()
	o.Trace = true
	q, err := lower.CompileStage(s.Module.module, stage, s.Entry, o)
	if err != nil {
		return fail(err)
	}
	ir.Optimize(q)
	if err := ir.Verify(q); err != nil {
		return fail(err)
	}
	if err := ir.Align(q, plain); err != nil {
		return fail(err)
	}
	r, err := d.portable().Compile(q)
	if err != nil {
		return fail(err)
	}
	return r, nil
}

// interfaceNames are the names that the shaders give their interface variables, looked up once.
func (p *Pipeline) interfaceNames() *render.Names {
	p.naming.Do(func() { p.names = p.findNames() })
	return p.names
}

func (p *Pipeline) findNames() *render.Names {
	names := &render.Names{}
	for _, s := range []ir.Stage{ir.StageVertex, ir.StageEvaluation, ir.StageGeometry, ir.StageMesh} { // the last one counts
		if t := p.traces[s]; t != nil {
			_, names.Vertex = t.variables()
		}
	}
	if t := p.traces[ir.StageVertex]; t != nil {
		names.Fetched, _ = t.variables()
	}
	if t := p.traces[ir.StageFragment]; t != nil {
		names.Inputs, names.Outputs = t.variables()
	}
	return names
}

// variables are the names of the stage's inputs and outputs, by location.
func (t *tracedStage) variables() (in, out map[uint32]string) {
	m := t.stage.Module.module
	e := m.EntryPoint(t.stage.Entry)
	if e == nil {
		return nil, nil
	}
	r, err := m.Reflect(e, t.stage.Constants)
	if err != nil {
		return nil, nil // it has been compiled, so this cannot be
	}
	byLocation := func(list []spirv.InterfaceVariable) map[uint32]string {
		names := map[uint32]string{}
		for _, v := range list {
			if !v.IsBuiltIn && names[v.Location] == "" {
				names[v.Location] = v.Name
			}
		}
		return names
	}
	return byLocation(r.Inputs), byLocation(r.Outputs)
}

package render

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/render/watch"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// watchesPerPass is how many samples of a random pass are watched.
const watchesPerPass = 25

// Whatever is watched, the pass draws what the scalar reference draws, and what it tells of a sample is one unbroken
// account from the value before it to the bytes after it.
func TestWatch_RandomPasses(t *testing.T) {
	t.Parallel()
	samples, wrote := 0, 0
	for seed := range uint64(rules.Cases(100, 4500)) {
		n, m := watchPass(t, seed, nil)
		samples, wrote = samples+n, wrote+m
		if t.Failed() {
			return
		}
	}
	if t.Logf("%d samples, %d of them written", samples, wrote); wrote < samples/20 {
		t.Errorf("only %d of %d watched samples are written at all", wrote, samples)
	}
}

// With a density map, too, on every engine; the other pass is one that nobody watches.
func TestWatch_DensityMaps(t *testing.T) {
	t.Parallel()
	wrote := 0
	for seed := range uint64(rules.Cases(60, 1500)) {
		codes := [3]byte{255, 127, 63} // areas 1, 2 and 4
		view := densityView(t, 5, 4, 1, func(_, x, y int) [2]byte {
			return [2]byte{codes[(uint64(x)+seed)%3], codes[(uint64(x+y)+seed/3)%3]}
		})
		_, m := watchPass(t, seed, &DensityMap{View: view})
		if wrote += m; t.Failed() {
			return
		}
	}
	if wrote == 0 {
		t.Error("no watched sample is written")
	}
}

// traceAll puts an OpTrace behind each value of a program.
func traceAll(p *ir.Program, b *ir.Block) {
	var out []ir.Stmt
	for _, s := range b.Stmts {
		switch out = append(out, s); {
		case s.If != nil:
			traceAll(p, &s.If.Then)
			traceAll(p, &s.If.Else)
		case p.Insts[s.Inst].Type != ir.Void:
			p.Traces = append(p.Traces, ir.Trace{Text: "value", Type: &ir.TraceType{Kind: ir.TraceUint, Width: 32}})
			p.Insts = append(p.Insts, ir.Inst{Op: ir.OpTrace, Imm: uint64(len(p.Traces) - 1), More: []ir.Value{s.Inst}})
			out = append(out, ir.Stmt{Inst: ir.Value(len(p.Insts) - 1)})
		}
	}
	b.Stmts = out
}

// traced gives the draws of a scene fragment shaders that tell each of their values.
func traced(t *testing.T, s *scene, shaders map[*Pipeline]*shaderSpec, lanes int) {
	made := map[*Pipeline]exec.Routine{}
	for i := range s.pass.Draws {
		d := &s.pass.Draws[i]
		spec := shaders[d.Pipeline]
		if spec == nil {
			continue
		}
		if made[d.Pipeline] == nil {
			p := spec.program()
			traceAll(p, &p.Body)
			made[d.Pipeline] = compile(t, p, lanes)
		}
		d.Traced = func(ir.Stage) (exec.Routine, error) { return made[d.Pipeline], nil }
	}
}

// watchPass draws a random pass with random watches and checks what they tell. With a density map
// it is compared with a pass that the engine draws.
func watchPass(t *testing.T, seed uint64, density *DensityMap) (samples, wrote int) {
	configs := configurations()
	want, shaders := randomPipelines(t, seed, 64)
	c := configs[seed%uint64(len(configs))]
	got, own := randomPipelines(t, seed, c.Lanes)
	if density == nil {
		(&scalar{s: want, shaders: shaders}).run()
	} else {
		density.Framebuffer = vk.Extent2D{Width: uint32(want.width), Height: uint32(want.height)}
		want.pass.Density, got.pass.Density = density, density
		want.run(t, Config{Threads: 1, Lanes: 64})
	}
	traced(t, got, own, c.Lanes)
	rng := rand.New(rand.NewPCG(seed, 99))
	a := rectOf(got.pass.Area)
	x := newExecutor(c)
	x.FuseAfter = 0
	empty, _ := randomPipelines(t, seed, c.Lanes)
	empty.pass.Draws = nil
	if _, err := x.Run(context.Background(), &empty.pass); err != nil {
		t.Fatal(err)
	}
	plan, without, with := planOf(t, x, got), planOf(t, x, empty), planOf(t, x, want)
	for range watchesPerPass {
		v := &watch.Watch{
			X: rng.Int32N(a.X1-a.X0) + a.X0, Y: rng.Int32N(a.Y1-a.Y0) + a.Y0,
			Attachment: rng.IntN(len(got.pass.Color)+1) - 1, Shader: rng.IntN(3) == 0,
		}
		view := got.depth
		if v.Attachment >= 0 {
			view = got.pass.Color[v.Attachment].View
			v.Resolved = got.pass.Color[v.Attachment].Resolve != nil && rng.IntN(8) == 0
		}
		if view == nil {
			continue
		}
		if v.Layer = rng.IntN(max(got.pass.Layers, 1)); !v.Resolved {
			v.Sample = rng.IntN(view.Image.Samples)
		}
		for range 30 { // rather one that is drawn to
			if v.Value(&without.Plan) != v.Value(&with.Plan) {
				break
			}
			v.X, v.Y = rng.Int32N(a.X1-a.X0)+a.X0, rng.Int32N(a.Y1-a.Y0)+a.Y0
		}
		got.pass.Watches = append(got.pass.Watches, v)
	}
	if _, err := x.Run(context.Background(), &got.pass); err != nil {
		t.Fatalf("pass %d, %+v: %v", seed, c, err)
	}
	if d := differs(got, want); d != "" {
		t.Errorf("pass %d, %+v, watched: %s%s", seed, c, d, summary(want, shaders))
	}
	for _, v := range got.pass.Watches {
		if wrong := broken(v, v.Value(&plan.Plan)); wrong != "" {
			t.Errorf("pass %d, %+v, attachment %d, pixel %d,%d, layer %d, sample %d (resolved %v): %s%s", seed, c, v.Attachment, v.X, v.Y, v.Layer, v.Sample, v.Resolved, wrong, summary(want, shaders))
			return samples, wrote
		}
		samples++
		for _, e := range v.Events {
			if e.Outcome == explain.Wrote && e.Kind == explain.Draw {
				wrote++
				break
			}
		}
	}
	return samples, wrote
}

// planOf is a plan through which the samples of a scene can be read.
func planOf(t *testing.T, x *Executor, s *scene) *passPlan {
	plan, err := x.newPlan(&s.pass)
	if err != nil {
		t.Fatal(err)
	}
	x.plans = nil
	return plan
}

// broken says where an account does not hold together.
func broken(v *watch.Watch, end explain.Value) string {
	now := v.Start
	for _, e := range v.Events {
		at := fmt.Sprintf("event %d (%s, %s)", e.Index, e.Kind, e.Outcome)
		if e.Before != now {
			return fmt.Sprintf("%s begins at %v, not at %v", at, e.Before, now)
		}
		if e.Outcome != explain.Wrote && e.Reason == "" {
			return at + " has no reason"
		}
		if e.Outcome != explain.Wrote && e.After != e.Before {
			return fmt.Sprintf("%s changes the value from %v to %v", at, e.Before, e.After)
		}
		if e.Draw != nil {
			if wrong := brokenDraw(v, &e, now); wrong != "" {
				return at + ": " + wrong
			}
		}
		now = e.After
	}
	if now != end {
		return fmt.Sprintf("the account ends at %v, the sample is %v", now, end)
	}
	return ""
}

func brokenDraw(v *watch.Watch, e *explain.Event, now explain.Value) string {
	for i, f := range e.Draw.Fragments {
		at := fmt.Sprintf("fragment %d (primitive %d, %s)", i, f.Primitive.ID, f.Outcome)
		for _, s := range f.Steps {
			if strings.Contains(s.Text, "does not add up") {
				return fmt.Sprintf("%s: %s; steps %v", at, s.Text, f.Steps)
			}
		}
		if f.Outcome != explain.Wrote && f.Reason == "" {
			return at + " has no reason"
		}
		if f.Outcome == explain.Missed && f.Before.Bits == "" {
			continue
		}
		if f.Before != now {
			return fmt.Sprintf("%s begins at %v, not at %v", at, f.Before, now)
		}
		if f.Outcome != explain.Wrote && f.After != f.Before {
			return fmt.Sprintf("%s changes %v to %v; steps %v", at, f.Before, f.After, f.Steps)
		}
		if v.Shader != (f.Shader != nil) && f.Inputs != nil {
			return fmt.Sprintf("%s was asked for its shader: %v, told: %v", at, v.Shader, f.Shader != nil)
		}
		if f.Blend != nil && f.Blend.Stored != f.After {
			return fmt.Sprintf("%s stores %v, then the sample is %v", at, f.Blend.Stored, f.After)
		}
		now = f.After
	}
	return ""
}

// However many primitives lie at a pixel, and however many draws there are, an account stays small: the last ones are
// kept, the rest is counted, and the end is still the sample's value.
func TestWatch_ManyDrawsAreBounded(t *testing.T) {
	const draws = 3000
	s := newScene(t, 8, 8, 1, vk.FormatUndefined)
	one := *s.add(s.pipeline(t, 64), s.state, s.quad(nil, 0, 0, 4, 8, 0.5, 1, 0.5, 0.25, 1), 8)
	for range draws - 1 {
		s.pass.Draws = append(s.pass.Draws, one)
	}
	v := &watch.Watch{X: 3, Y: 3}
	s.pass.Watches = []*watch.Watch{v}
	x := newExecutor(Config{Threads: 2, Lanes: 64})
	for range 80 { // others to share with, so that the share is small
		s.pass.Watches = append(s.pass.Watches, &watch.Watch{X: 6, Y: 4})
	}
	if _, err := x.Run(context.Background(), &s.pass); err != nil {
		t.Fatal(err)
	}
	kept := 0
	for _, e := range v.Events {
		if e.Draw != nil {
			kept += len(e.Draw.Fragments)
		}
	}
	share := watch.WatchedEvents / len(s.pass.Watches)
	if len(v.Events) > share || kept > watch.WatchedFragments/len(s.pass.Watches) || v.Dropped < draws-share {
		t.Errorf("%d events and %d fragments are kept, %d are dropped", len(v.Events), kept, v.Dropped)
	}
	last := v.Events[len(v.Events)-1]
	if last.Index != draws-1 || last.Outcome != explain.Wrote || last.After != v.Value(&planOf(t, x, s).Plan) {
		t.Errorf("the account ends with %+v", last)
	}
}

// Draws of one pipeline that differ in their scissors are drawn, and told of, with their own: the
// second one alone reaches the pixel.
func TestWatch_ScissorsOfEachDraw(t *testing.T) {
	s := newScene(t, 8, 8, 1, vk.FormatUndefined)
	p := s.pipeline(t, 64)
	for _, width := range []uint32{4, 8, 5} {
		s.state.Scissors[0].Extent.Width = width
		s.add(p, s.state, s.quad(nil, 0, 0, 8, 8, 0.5, 1, 0, float32(width-4)/4, 1), 8)
	}
	v := &watch.Watch{X: 6, Y: 3}
	s.pass.Watches = []*watch.Watch{v}
	s.run(t, Config{Threads: 1, Lanes: 64})
	if got, want := s.color.Image.Data[4*(3*8+6):][:4], []byte{255, 0, 255, 255}; !bytes.Equal(got, want) {
		t.Errorf("the pixel is %v, want %v", got, want)
	}
	var outcomes []explain.Outcome
	for _, e := range v.Events {
		if e.Kind == explain.Draw {
			outcomes = append(outcomes, e.Outcome)
		}
	}
	if want := []explain.Outcome{explain.Missed, explain.Wrote, explain.Missed}; !slices.Equal(outcomes, want) {
		t.Errorf("the draws are told of as %v, want %v", outcomes, want)
	}
}

// A shader's mask that takes the place of the coverage leaves samples that were not there before: with
// one colour sample for all of a pixel, the account is that of one of them.
func TestWatch_OverriddenCoverage(t *testing.T) {
	s := newScene(t, 8, 8, 4, vk.FormatUndefined)
	s.color = newView(t, vk.FormatR8G8B8A8Unorm, 8, 8, 1, 1)
	s.pass.Color[0].View, s.pass.Samples = s.color, 4
	s.state.SampleMask = 8
	s.fs = fragmentProgram(func(p *ir.Program, b *ir.Builder, _ [4]ir.Value) {
		p.OverrideCoverage = true
		p.Outputs = append(p.Outputs, inout(ir.BuiltinSampleMask, 0, 0, ir.I32))
		b.OpImm(ir.OpOutput, ir.Void, uint64(len(p.Outputs)-1), b.I32(7))
	})
	s.add(s.pipeline(t, 64), s.state, s.quad(nil, 0, 0, 8, 8, 0.5, 1, 0, 1, 1), 8)
	v := &watch.Watch{X: 6, Y: 3}
	s.pass.Watches = []*watch.Watch{v}
	x := newExecutor(Config{Threads: 1, Lanes: 64})
	if _, err := x.Run(context.Background(), &s.pass); err != nil {
		t.Fatal(err)
	}
	if got := s.color.Image.Data[4*(3*8+6):][:4]; !bytes.Equal(got, []byte{255, 0, 255, 255}) {
		t.Errorf("the pixel is %v", got)
	}
	if wrong := broken(v, v.Value(&planOf(t, x, s).Plan)); wrong != "" {
		t.Error(wrong)
	}
	if e := v.Events[len(v.Events)-1]; e.Outcome != explain.Wrote {
		t.Errorf("the draw %s: %s", e.Outcome, e.Reason)
	}
}

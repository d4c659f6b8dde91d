package render

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/vm"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower"
	"github.com/pumice-gpu/pumice/internal/spirv"
	"github.com/pumice-gpu/pumice/vk"
)

var mutants = flag.Int("mutants", 200, "number of mutated pipelines")

// mutant compiles a shader of the conformance tests of which some words are
// changed; nil where it is refused.
func mutant(t *testing.T, r *rand.Rand, name string, stage ir.Stage, changes int) exec.Routine {
	t.Helper()
	code, err := os.ReadFile("../../conformance/testdata/" + name + ".spv")
	if err != nil {
		t.Fatal(err)
	}
	for range changes {
		at := 20 + 4*r.IntN(len(code)/4-5)
		w := binary.LittleEndian.Uint32(code[at:])
		switch r.IntN(3) {
		case 0:
			w ^= 1 << r.IntN(32)
		case 1:
			w += uint32(r.IntN(5)) - 2
		case 2:
			w = binary.LittleEndian.Uint32(code[20+4*r.IntN(len(code)/4-5):])
		}
		binary.LittleEndian.PutUint32(code[at:], w)
	}
	m, err := spirv.ParseBytes(code)
	if err != nil {
		return nil
	}
	p, err := lower.CompileStage(m, stage, "main", lower.Options{})
	if err != nil {
		return nil
	}
	ir.Optimize(p)
	if err := ir.Verify(p); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	routine, err := vm.New(vm.Options{}).Compile(p)
	if err != nil {
		return nil
	}
	return routine
}

// TestHostile_MutatedStages draws with shaders of all stages in which words are
// changed: an error or a picture, never a broken invariant.
func TestHostile_MutatedStages(t *testing.T) {
	cases := [...]struct {
		topology vk.PrimitiveTopology
		stages   []string // each with its stage
		as       []ir.Stage
	}{
		{vk.PrimitiveTopologyTriangleStrip, []string{"stages.vert", "stages.geom", "stages.frag"}, []ir.Stage{ir.StageVertex, ir.StageGeometry, ir.StageFragment}},
		{vk.PrimitiveTopologyLineStripWithAdjacency, []string{"stages.vert", "lines.geom", "stages.frag"}, []ir.Stage{ir.StageVertex, ir.StageGeometry, ir.StageFragment}},
		{vk.PrimitiveTopologyPatchList, []string{"stages.vert", "stages.tesc", "quads.tese", "stages.frag"}, []ir.Stage{ir.StageVertex, ir.StageControl, ir.StageEvaluation, ir.StageFragment}},
		{vk.PrimitiveTopologyPatchList, []string{"stages.vert", "stages.tesc", "triangles.tese", "stages.geom", "stages.frag"}, []ir.Stage{ir.StageVertex, ir.StageControl, ir.StageEvaluation, ir.StageGeometry, ir.StageFragment}},
		{vk.PrimitiveTopologyPointList, []string{"stages.task", "stages.mesh", "mesh.frag"}, []ir.Stage{ir.StageTask, ir.StageMesh, ir.StageFragment}},
	}
	x := newExecutor(Config{Threads: 2})
	s := newScene(t, 32, 32, 1, vk.FormatUndefined)
	r := rand.New(rand.NewPCG(7, 7))
	drawn, refused := 0, 0
	for i := range *mutants {
		c := &cases[i%len(cases)]
		victim := r.IntN(len(c.stages))
		d := PipelineDesc{Static: s.state, ColorFormats: []vk.Format{vk.FormatR8G8B8A8Unorm}}
		d.Static.Topology, d.Static.PatchControlPoints = c.topology, 5
		to := map[ir.Stage]*exec.Routine{ir.StageVertex: &d.Vertex, ir.StageControl: &d.Control, ir.StageEvaluation: &d.Evaluation,
			ir.StageGeometry: &d.Geometry, ir.StageTask: &d.Task, ir.StageMesh: &d.Mesh, ir.StageFragment: &d.Fragment}
		ok := true
		for k, name := range c.stages {
			var routine exec.Routine
			switch {
			case k != victim:
				routine = mutant(t, r, name, c.as[k], 0)
			default: // most mutants are refused at once
				for try := 0; try < 30 && routine == nil; try++ {
					routine = mutant(t, r, name, c.as[k], 1+try%2)
				}
			}
			ok = ok && routine != nil
			*to[c.as[k]] = routine
		}
		if !ok {
			refused++
			continue
		}
		p, err := NewPipeline(d)
		if err != nil {
			refused++
			continue
		}
		// A loop that a mutation makes endless ends soon; nothing is bound.
		ctx := &exec.Context{Fuel: 1 << 12, Resources: make([][]exec.Descriptor, 8)}
		s.pass.Draws = []Draw{{Pipeline: p, State: &d.Static, Count: 30, Instances: 1, Groups: [3]uint32{5, 1, 1},
			Vertex: ctx, Control: ctx, Evaluation: ctx, Geometry: ctx, Task: ctx, Mesh: ctx, Fragment: ctx}}
		_, err = x.Run(context.Background(), &s.pass)
		var w *WorkerError
		if errors.As(err, &w) {
			t.Fatalf("mutant %d of %v: %v\n%s", i, c.stages, w, w.Stack)
		}
		drawn++
	}
	if drawn < *mutants/10 || refused == 0 {
		t.Errorf("%d drawn, %d refused: the test tests too little", drawn, refused)
	}
}

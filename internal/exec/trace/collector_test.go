package trace_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/trace"
	"github.com/pumice-gpu/pumice/internal/exec/vm"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

func leaf(k ir.TraceKind, width uint8) *ir.TraceType { return &ir.TraceType{Kind: k, Width: width} }

func parts(p ...*ir.TraceType) *ir.TraceType { return &ir.TraceType{Kind: ir.TraceParts, Parts: p} }

// tell has one lane tell words.
func tell(c *trace.Collector, p *ir.Program, index int, words ...uint32) {
	told := &exec.Told{Program: p, Context: &exec.Context{}, Index: index, Mask: []uint32{1}}
	for _, w := range words {
		told.Words = append(told.Words, []uint32{w})
	}
	c.Tell(told)
}

// Values of all types, with their bits.
func TestCollector_Values(t *testing.T) {
	f, f64 := leaf(ir.TraceFloat, 32), math.Float64bits(-0.1)
	vec := parts(f, f)
	for _, c := range []struct {
		name  string
		typ   *ir.TraceType
		note  string
		words []uint32
		want  explain.Value
	}{
		{"bool", leaf(ir.TraceBool, 32), "", []uint32{^uint32(0)}, explain.Value{Text: "true", Bits: "00000001"}},
		{"int16", leaf(ir.TraceInt, 16), "", []uint32{0x8000}, explain.Value{Text: "-32768", Bits: "00008000"}},
		{"uint8", leaf(ir.TraceUint, 8), "", []uint32{0xFF}, explain.Value{Text: "255", Bits: "000000ff"}},
		{"int64", leaf(ir.TraceInt, 64), "", []uint32{0xFFFFFFFE, 0xFFFFFFFF}, explain.Value{Text: "-2", Bits: "fffffffe ffffffff"}},
		{"uint64", leaf(ir.TraceUint, 64), "", []uint32{0, 1}, explain.Value{Text: "4294967296", Bits: "00000000 00000001"}},
		{"double", leaf(ir.TraceFloat, 64), "", []uint32{uint32(f64), uint32(f64 >> 32)}, explain.Value{Text: "-0.1", Bits: "9999999a bfb99999"}},
		{"bfloat16", leaf(ir.TraceBits, 16), "", []uint32{0x3F80}, explain.Value{Text: "0x3f80", Bits: "00003f80"}},
		{"vec2", vec, "", []uint32{0x3F800000, 0x80000000}, explain.Value{Text: "1, -0", Bits: "3f800000 80000000"}},
		{"mat2", parts(vec, vec), "", []uint32{0x3F800000, 0, 0, 0x3F800000}, explain.Value{Text: "(1, 0), (0, 1)", Bits: "3f800000 00000000 00000000 3f800000"}},
		{"one part", parts(parts(f)), "", []uint32{0x3F800000}, explain.Value{Text: "(1)", Bits: "3f800000"}},
		{"cut off", parts(leaf(ir.TraceInt, 32), leaf(ir.TraceMore, 0)), "", []uint32{7}, explain.Value{Text: "7, …", Bits: "00000007"}},
		{"nothing", nil, "pointer to x", nil, explain.Value{Text: "pointer to x"}},
		{"note", parts(leaf(ir.TraceUint, 32)), "pointer to x[…], byte", []uint32{12}, explain.Value{Text: "pointer to x[…], byte 12", Bits: "0000000c"}},
	} {
		p := &ir.Program{Stage: ir.StageVertex, Traces: []ir.Trace{{Text: "OpX", Type: c.typ, Note: c.note}}}
		k := trace.New(p, 0, false)
		tell(k, p, 0, c.words...)
		if got := k.Shader().Steps[0].Value; got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// Bounded numbers are kept, and the rest is counted.
func TestCollector_Bounds(t *testing.T) {
	p := &ir.Program{Stage: ir.StageCompute, Name: "main", Resources: []ir.Resource{{Name: "tex", Count: 1}}, ImageOps: []ir.ImageOp{{Kind: ir.ImageQueryLevels, Sampler: -1, Results: 1}},
		Traces: []ir.Trace{{Type: leaf(ir.TraceUint, 32)}, {Image: 1}}}
	c := trace.New(p, 0, false)
	for i := range uint32(trace.MaxSteps + 5) {
		tell(c, p, 0, i)
	}
	for range trace.MaxImages + 2 {
		tell(c, p, 1, 0, 0)
	}
	s := c.Shader()
	if len(s.Steps) != trace.MaxSteps || s.Dropped != 5 || s.Steps[trace.MaxSteps-1].Value.Text != "19999" || s.Stage != "compute" || s.Name != "main" {
		t.Errorf("%d steps, %d dropped, the last %+v", len(s.Steps), s.Dropped, s.Steps[len(s.Steps)-1])
	}
	list := c.Images()
	if len(list) != trace.MaxImages+1 || !strings.HasPrefix(list[trace.MaxImages].Steps[0].Text, "2 image instructions more") {
		t.Errorf("%d images, the last %+v", len(list), list[len(list)-1])
	}
}

// Only the lane that was asked for tells, and its quad.
func TestCollector_LanesAndQuads(t *testing.T) {
	p := &ir.Program{Stage: ir.StageFragment, Traces: []ir.Trace{{Type: leaf(ir.TraceUint, 32)}, {Text: "OpKill"}}}
	c := trace.New(p, 70, true)
	mask := make([]uint32, 8)
	words := []uint32{0, 1, 2, 3, 4, 5, 6, 7}
	told := &exec.Told{Program: p, Base: 64, Mask: mask, Words: [][]uint32{words}}
	c.Tell(told) // nobody runs
	mask[6], mask[4] = ^uint32(0), ^uint32(0)
	c.Tell(told)
	c.Tell(&exec.Told{Program: p, Index: 1, Base: 64, Mask: mask})
	c.Tell(&exec.Told{Program: p, Base: 0, Mask: mask, Words: [][]uint32{words}})              // other lanes
	c.Tell(&exec.Told{Program: &ir.Program{}, Base: 64, Mask: mask, Words: [][]uint32{words}}) // another program
	v := func(s string) explain.Value { return explain.Value{Bits: "0000000" + s, Text: s} }
	want := []explain.Instruction{{Value: v("6"), Quad: []explain.Value{v("4"), {Text: "not run"}, v("6"), {Text: "not run"}}}, {Text: "OpKill"}}
	if d := cmp.Diff(want, c.Shader().Steps); d != "" {
		t.Error(d)
	}
}

// What debug information says comes along: sources, lines, names; and calls have a depth.
func TestCollector_DebugInformation(t *testing.T) {
	file := "../../lower/testdata/lines.comp.debug.spv"
	m, err := spirv.Parse(readWords(t, file))
	if err != nil {
		t.Fatal(err)
	}
	p := optimized(t, m, m.EntryPoints[0], true)
	c := trace.New(p, 3, false)
	newWorld(t, p, 0).run(t, vm.New(vm.Options{}), p, fuel, c.Tell)
	s := c.Shader()
	if len(s.Sources) != 1 || s.Sources[0].File != "testdata/lines.comp" || !strings.Contains(s.Sources[0].Text, "k += 2 * n[1];") {
		t.Errorf("sources %+v", s.Sources)
	}
	first := s.Steps[0]
	if first.File != "testdata/lines.comp" || first.Line != 6 || first.Name != "sum" || first.Value.Text != "0" || first.Depth != 0 {
		t.Errorf("the first step is %+v", first)
	}
	lines := map[string]int{}
	for _, in := range s.Steps {
		if strings.HasPrefix(in.Text, "OpStore") || strings.Contains(in.Text, "OpLoad") {
			lines[in.Name] = in.Line
		}
	}
	branch := slices.IndexFunc(s.Steps, func(in explain.Instruction) bool { return strings.HasPrefix(in.Text, "OpBranchConditional") })
	if branch < 1 || s.Steps[branch].Value != s.Steps[branch-1].Value || s.Steps[branch].Value.Text == "" {
		t.Errorf("branch %d of %+v", branch, s.Steps[:min(len(s.Steps), 12)])
	}
	if lines["k"] == 0 || lines["n[0]"] != 7 {
		t.Errorf("lines of names %v", lines)
	}
}

func TestCollector_DepthOfCalls(t *testing.T) {
	m, err := spirv.Parse(readWords(t, "../../lower/testdata/images.frag.spv"))
	if err != nil {
		t.Fatal(err)
	}
	p := optimized(t, m, m.EntryPoints[0], true)
	w := newWorld(t, p, 0)
	c := trace.New(p, 0, false)
	w.run(t, vm.New(vm.Options{}), p, 0, c.Tell)
	depths, calls := map[int]int{}, 0
	for _, in := range c.Shader().Steps {
		depths[in.Depth]++
		if strings.Contains(in.Text, "OpFunctionCall") {
			calls++
			if in.Depth != 0 || !strings.HasPrefix(in.Name, "through(") {
				t.Errorf("a call: %+v", in)
			}
		}
	}
	if calls != 2 || depths[1] < 2 || len(depths) != 2 { // before and after
		t.Errorf("%d steps of calls, depths %v", calls, depths)
	}
}

// Implicit derivatives in quads that run in part: lanes that do not have the coordinates of the lane that
// is told of, for the engine and for the steps.
func TestCollector_PartialQuads(t *testing.T) {
	p := &ir.Program{Stage: ir.StageFragment, Inputs: []ir.IO{{Type: ir.Bool}, {Type: ir.F32, Location: 1}, {Type: ir.F32, Location: 2}}, Resources: []ir.Resource{{Kind: ir.CombinedImageSampler, Count: 1, Name: "tex"}}}
	p.ImageOps = []ir.ImageOp{{Kind: ir.ImageSample, Dim: ir.Dim2D, Coords: 2, GradCoords: 2, Lod: ir.LodImplicit, Results: 4, Result: ir.ClassFloat}}
	p.Traces = []ir.Trace{{Image: 1}}
	b := ir.NewBuilder(p)
	cond := b.OpImm(ir.OpInput, ir.Bool, 0)
	b.If(cond, func() {
		more := []ir.Value{b.I32(0), b.I32(0), b.OpImm(ir.OpInput, ir.F32, 1), b.OpImm(ir.OpInput, ir.F32, 2)}
		v := b.OpMore(ir.OpImage, ir.F32, 0, more)
		more = append(more, v)
		for k := range 3 {
			more = append(more, b.OpImm(ir.OpResult, ir.F32, uint64(k+1), v))
		}
		b.OpMore(ir.OpTrace, ir.Void, 0, more)
	}, nil)
	b.Finish()
	if err := ir.Verify(p); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(4, 4))
	told, partial := 0, 0
	for seed := range uint64(400) {
		w := newWorld(t, p, seed)
		q := r.IntN(w.batch.N/4) * 4
		lane := q + r.IntN(4)
		c := trace.New(p, lane, true)
		w.run(t, vm.New(vm.Options{}), p, fuel, c.Tell)
		for _, im := range c.Images() {
			told++
			if slices.Contains(w.batch.In[0][q:q+4], 0) {
				partial++
			}
			if last := im.Steps[len(im.Steps)-1]; last.Failed {
				t.Fatalf("seed %d: %s", seed, last.Text)
			}
		}
	}
	if told < 100 || partial < 50 {
		t.Errorf("%d told, %d of partial quads", told, partial)
	}
}

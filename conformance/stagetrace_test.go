package conformance

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"image/color"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/shader"
	"github.com/pumice-gpu/pumice/vk"
)

// randomPrograms is how many random programs of each kind are traced; PUMICE_TRACES sets another
// number.
func randomPrograms(t *testing.T) int {
	n := 10
	if s := os.Getenv("PUMICE_TRACES"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	} else if testing.Short() {
		n = 2
	}
	return n
}

// traceKinds are pipelines whose stages each make a value of that of the stage before.
var traceKinds = []struct {
	name   string
	stages []string // in the order of the pipeline
}{
	{"vertex", []string{"vert"}},
	{"geometry", []string{"vert", "geom"}},
	{"tessellation", []string{"vert", "tesc", "tese"}},
	{"tessellation and geometry", []string{"vert", "tesc", "tese", "geom"}},
	{"mesh", []string{"task", "mesh"}},
}

// stageSource is a stage with a random body. Values go from stage to stage in variables named after
// them.
func stageSource(g *randomGLSL, stage, before string) string {
	const corner = "vec4((K << 1 & 2) * 2.0 - 1.0, (K & 2) * 2.0 - 1.0, 0.5, 1.0)"
	in := map[string]string{"vert": "vert_value", "tesc": "tesc_value", "tese": "tese_value"}[before]
	at := func(k string) string { return strings.ReplaceAll(corner, "K", k) }
	sum := fmt.Sprintf("%s[0] + %s[1] * 3u + %s[2] * 7u", in, in, in)
	switch stage {
	case "vert":
		return g.head() + "layout(location = 0) out uvec4 vert_value;\nvoid main() {\nuvec4 x = uvec4(gl_VertexIndex, 5, 7, 11) * 77u;\n" + g.body(
			8,
		) +
			"gl_Position = " + at(
			"gl_VertexIndex",
		) + ";\nvert_value = uvec4(a, b, c, d);\n}\n"
	case "tesc":
		return g.head() + "layout(vertices = 3) out;\nlayout(location = 0) in uvec4 vert_value[];\nlayout(location = 0) out uvec4 tesc_value[];\nvoid main() {\nuvec4 x = " + sum +
			" + gl_InvocationID;\n" + g.body(
			6,
		) + "gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;\n" +
			"gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = gl_TessLevelInner[0] = 2.0;\ntesc_value[gl_InvocationID] = uvec4(a, b, c, d);\n}\n"
	case "tese":
		return g.head() + "layout(triangles) in;\nlayout(location = 0) in uvec4 tesc_value[];\nlayout(location = 0) out uvec4 tese_value;\nvoid main() {\nuvec4 x = " + sum +
			" + uvec4(gl_TessCoord * 64.0, 1.0);\n" + g.body(
			6,
		) +
			"gl_Position = gl_in[0].gl_Position * gl_TessCoord.x + gl_in[1].gl_Position * gl_TessCoord.y + gl_in[2].gl_Position * gl_TessCoord.z;\ntese_value = uvec4(a, b, c, d);\n}\n"
	case "geom":
		return g.head() + "layout(triangles, invocations = 2) in;\nlayout(triangle_strip, max_vertices = 3) out;\nlayout(location = 0) in uvec4 " + in +
			"[];\nlayout(location = 0) out uvec4 geom_value;\nvoid main() {\nuvec4 x = " + sum + " + gl_InvocationID;\n" + g.body(
			6,
		) +
			"for (int k = 0; k < 3; k++) { gl_Position = gl_in[k].gl_Position; geom_value = uvec4(a, b, c, d); EmitVertex(); }\n}\n"
	case "task":
		return strings.Replace(g.head(), "460\n", "460\n#extension GL_EXT_mesh_shader : require\n",
			1) + fmt.Sprintf(
			"layout(local_size_x = %d) in;\n",
			g.size,
		) +
			"struct Payload { uvec4 task_value; };\ntaskPayloadSharedEXT Payload payload;\nvoid main() {\nuvec4 x = uvec4(gl_LocalInvocationIndex, 5, 7, 11) * 77u;\n" + g.body(
			8,
		) +
			fmt.Sprintf("if (gl_LocalInvocationIndex == %du) payload.task_value = uvec4(a, b, c, d);\nEmitMeshTasksEXT(1, 1, 1);\n}\n", g.r.IntN(g.size))
	case "mesh":
		return strings.Replace(g.head(), "460\n", "460\n#extension GL_EXT_mesh_shader : require\n",
			1) + fmt.Sprintf(
			"layout(local_size_x = %d) in;\n",
			g.size,
		) +
			"layout(triangles, max_vertices = 3, max_primitives = 1) out;\nstruct Payload { uvec4 task_value; };\ntaskPayloadSharedEXT Payload payload;\n" +
			"layout(location = 0) out uvec4 mesh_value[];\nvoid main() {\nuvec4 x = payload.task_value + gl_LocalInvocationIndex;\n" + g.body(
			8,
		) +
			"SetMeshOutputsEXT(3, 1);\nuint k = gl_LocalInvocationIndex;\nif (k < 3u) {\ngl_MeshVerticesEXT[k].gl_Position = " + at(
			"int(k)",
		) +
			";\nmesh_value[k] = uvec4(a, b, c, d);\n}\nif (k == 0u) gl_PrimitiveTriangleIndicesEXT[0] = uvec3(0, 1, 2);\n}\n"
	}
	return "#version 460\nlayout(location = 0) flat in uvec4 value;\nlayout(location = 0) out uvec4 color;\nvoid main() { color = value; }\n"
}

// counting is a stage whose values depend on how many invocations of such stages ran before: what it
// computes cannot be had once more.
func counting(source string) string {
	body := strings.Index(source, "void main() {\n")
	end := strings.Index(source[body:], ";\n") + body + 2 // of x
	return source[:body] + "layout(set = 0, binding = 0) buffer Count { uint count; };\n" + source[body:end] +
		"x += atomicAdd(count, 1u);\n" + source[end:]
}

func compileGLSL(t *testing.T, stage, source string, debug bool) pumice.Shader {
	t.Helper()
	code, err := shader.Compile(ctx, source, shader.Options{Name: "random." + stage, Debug: debug})
	if err != nil {
		t.Fatalf("%v\n%s", err, source)
	}
	return pumice.Shader{Code: code}
}

// lastStore is the value of the last store to a variable, or to a part of it, in a trace.
func lastStore(s *explain.Shader, name string) string {
	bits := ""
	for _, in := range s.Steps {
		if strings.HasPrefix(in.Text, "OpStore") && strings.Contains(in.Name, name) {
			bits = in.Value.Bits
		}
	}
	return bits
}

// Every stage of random pipelines tells what it computes: the last value that an invocation stores
// is what the next stage loads, and that of the last stage is what the pixel holds, bit for bit. So it
// is of stages that store to memory.
func TestTrace_StagesOfRandomPipelines(t *testing.T) {
	for _, kind := range traceKinds {
		t.Run(kind.name, func(t *testing.T) {
			for i := range randomPrograms(t) {
				traceStages(t, kind.stages, uint64(i))
			}
		})
	}
}

func traceStages(t *testing.T, stages []string, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 31))
	dev, err := pumice.Open(
		&pumice.Config{Explain: true, Threads: 1 + r.IntN(2), Lanes: []int{64, 128}[r.IntN(2)]},
	)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	const format = vk.FormatR32G32B32A32Uint
	desc := pumice.GraphicsPipelineDesc{ColorFormats: []vk.Format{format}}
	before, all, counts := "", "", false
	for _, stage := range append(slices.Clone(stages), "frag") {
		g := &randomGLSL{r: r, groups: r.IntN(2) == 0}
		if stage == "task" || stage == "mesh" {
			g.size = []int{3, 4, 32}[r.IntN(3)]
		}
		source := stageSource(g, stage, before)
		if stage != "frag" && r.IntN(2) == 0 {
			source, counts = counting(source), true
		}
		s := compileGLSL(t, stage, source, r.IntN(2) == 0)
		before, all = stage, all+source
		setStage(&desc, stage, s)
	}
	fail := func(format string, args ...any) {
		t.Helper()
		t.Logf("program %d:\n%s", seed, all)
		t.Fatalf("program %d: %s", seed, fmt.Sprintf(format, args...))
	}
	pipeline, err := dev.NewGraphicsPipeline(desc)
	if err != nil {
		fail("%v", err)
	}
	defer pipeline.Close()
	target, err := dev.NewImage(pumice.ImageDesc{Format: format, Width: 8, Height: 8})
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	cmd := dev.NewCommandBuffer()
	pass := cmd.BeginRendering(pumice.ClearTo(target, color.Black))
	pass.BindPipeline(pipeline)
	points := []pumice.WatchPoint{{Image: target, X: 1 + r.IntN(6), Y: 1 + r.IntN(6), Shader: true}}
	if counts {
		count, err := dev.NewBuffer(pumice.BufferDesc{Size: 4, Name: "count"})
		if err != nil {
			t.Fatal(err)
		}
		defer count.Close()
		set, err := pipeline.NewDescriptorSet(0)
		if err == nil {
			err = set.Bind(0, count.Range(0, 4))
		}
		if err != nil {
			t.Fatal(err)
		}
		pass.BindDescriptorSet(0, set)
		if r.IntN(2) == 0 { // both at once
			points = append(points, pumice.WatchPoint{Buffer: count, Shader: true})
		}
	}
	if stages[0] == "task" {
		pass.DrawMeshTasks(1, 1, 1)
	} else {
		pass.Draw(3, 1)
	}
	pass.End()
	es, err := dev.Explain(ctx, points, cmd)
	if err != nil {
		fail("%v", err)
	}
	if len(points) > 1 {
		if err := checkStored(es[1]); err != nil {
			fail("%v", err)
		}
	}
	_, f := es[0].Writer(nil)
	if f == nil {
		fail("nothing is drawn")
	}
	checkStages(f, stages, es[0].After, fail)
}

// checkStages follows values from stage to stage.
func checkStages(
	f *explain.Fragment,
	stages []string,
	pixel explain.Value,
	fail func(string, ...any),
) {
	names := map[string]string{
		"vert": "vertex", "tesc": "tessellation control", "tese": "tessellation evaluation", "geom": "geometry", "task": "task", "mesh": "mesh",
	}
	of := map[string][]*explain.Shader{}
	for i := range f.Stages {
		s := &f.Stages[i]
		if s.Missing != "" {
			fail("%s, %s: %s", s.Stage, s.Invocation, s.Missing)
		}
		of[s.Stage] = append(of[s.Stage], s)
	}
	for i, stage := range stages {
		list := of[names[stage]]
		want := map[string]int{"vert": 3, "tesc": 3, "tese": 3, "geom": 1, "task": 1, "mesh": 3}[stage]
		if len(list) != want {
			fail("%d invocations of %s are told, want %d", len(list), stage, want)
		}
		if i == len(stages)-1 {
			continue
		}
		// What the next stage loads is what this one has stored.
		loads := 0
		for _, next := range of[names[stages[i+1]]] {
			for _, in := range next.Steps {
				if !strings.Contains(in.Text, "OpLoad") ||
					!strings.Contains(in.Name, stage+"_value") {
					continue
				}
				k := 0
				if _, index, ok := strings.Cut(in.Name, "_value["); ok {
					k, _ = strconv.Atoi(strings.TrimSuffix(index, "]"))
				}
				if loads++; in.Value.Bits == "" ||
					in.Value.Bits != lastStore(list[k], stage+"_value") {
					fail("%s loads %s = %q, and %s stored %q", stages[i+1], in.Name, in.Value.Bits,
						list[k].Invocation, lastStore(list[k], stage+"_value"))
				}
			}
		}
		if loads == 0 {
			fail("%s loads nothing of %s", stages[i+1], stage)
		}
	}
	last := stages[len(stages)-1]
	for _, s := range of[names[last]] {
		if !slices.Contains(s.Vertices, f.Primitive.Provoking) {
			continue
		}
		data, err := hex.DecodeString(pixel.Bits)
		if err != nil || len(data) != 16 {
			fail("the pixel is %+v", pixel)
		}
		var words []uint32
		for k := range 4 {
			words = append(words, binary.LittleEndian.Uint32(data[4*k:]))
		}
		if got := lastStore(s, last+"_value"); got != explain.Words(words...) {
			fail("%s, %s stored %q, and the pixel holds %q", last, s.Invocation, got,
				explain.Words(words...))
		}
		return
	}
	fail("no invocation of %s made the provoking vertex", last)
}

// Dispatches of random programs: the last value of the trace of a word of a buffer, or of a texel
// of a storage image, is what memory holds.
func TestTrace_RandomDispatches(t *testing.T) {
	words, texels, atomics := 0, 0, 0
	for i := range 5 * randomPrograms(t) {
		w, x, a := traceDispatch(t, uint64(i))
		words, texels, atomics = words+w, texels+x, atomics+a
	}
	t.Logf("%d words, %d texels, %d written by atomics", words, texels, atomics)
	if words == 0 || texels == 0 || atomics == 0 {
		t.Error("the test reaches nothing")
	}
}

func traceDispatch(t *testing.T, seed uint64) (words, texels, atomics int) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 33))
	dev, err := pumice.Open(&pumice.Config{Explain: true, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	g := &randomGLSL{r: r, groups: r.IntN(2) == 0, size: []int{0, 8, 12, 64}[r.IntN(4)]}
	local := max(g.size, []int{4, 32}[r.IntN(2)])
	if g.size > 0 {
		local = g.size
	}
	const size = 64
	store := g.pick("data[i % 64u] = a;",
		"data[(i * 7u) % 61u] = a; if ((b & 1u) == 0u) data[(c % 64u)] = b;",
		"atomicAdd(data[i % 64u], a);", "atomicMax(data[c % 64u], a);",
		"atomicCompSwap(data[i % 64u], 0u, a);", "atomicXor(data[63], b); data[i % 63u] = a;",
		"pairs[i % 16u] = uvec4(a, b, c, d);")
	source := g.head() + fmt.Sprintf("layout(local_size_x = %d) in;\n", local) +
		"layout(set = 0, binding = 0) buffer Data { uint data[]; };\nlayout(set = 0, binding = 0) buffer Pairs { uvec4 pairs[]; };\n" +
		"layout(set = 0, binding = 1, rgba32ui) uniform uimage2D picture;\nvoid main() {\nuint i = gl_GlobalInvocationID.x;\nuvec4 x = uvec4(i, 5, 7, 11) * 77u;\n" + g.body(8) +
		store + "\nimageStore(picture, ivec2(i % 8u, a % 8u), uvec4(a, b, c, d));\n}\n"
	fail := func(format string, args ...any) {
		t.Helper()
		t.Logf("program %d:\n%s", seed, source)
		t.Fatalf("program %d: %s", seed, fmt.Sprintf(format, args...))
	}
	pipeline, err := dev.NewComputePipeline(
		pumice.ComputePipelineDesc{Compute: compileGLSL(t, "comp", source, r.IntN(2) == 0)},
	)
	if err != nil {
		fail("%v", err)
	}
	defer pipeline.Close()
	buffer, err := dev.NewBuffer(pumice.BufferDesc{Size: 4 * size, Name: "data"})
	if err != nil {
		t.Fatal(err)
	}
	defer buffer.Close()
	picture, err := dev.NewImage(
		pumice.ImageDesc{Format: vk.FormatR32G32B32A32Uint, Width: 8, Height: 8},
	)
	if err != nil {
		t.Fatal(err)
	}
	defer picture.Close()
	set, err := pipeline.NewDescriptorSet(0)
	if err == nil {
		err = set.Bind(0, buffer.Range(0, 4*size))
	}
	if err == nil {
		err = set.Bind(1, picture)
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := dev.NewCommandBuffer()
	cmd.BindPipeline(pipeline)
	cmd.BindDescriptorSet(0, set)
	cmd.Dispatch(1+uint32(r.IntN(6)), 1, 1)
	points := []pumice.WatchPoint{}
	for range 4 {
		points = append(points,
			pumice.WatchPoint{Buffer: buffer, Offset: uint64(4 * r.IntN(size)), Shader: true},
			pumice.WatchPoint{Image: picture, X: r.IntN(8), Y: r.IntN(8), Shader: true})
	}
	es, err := dev.Explain(ctx, points, cmd)
	if err != nil {
		fail("%v", err)
	}
	for _, e := range es {
		if len(e.Events) == 0 {
			if e.Before.Bits != e.After.Bits {
				fail("%+v changes, and nothing is told", e.Target)
			}
			continue
		}
		v := &e.Events[len(e.Events)-1]
		if v.Kind != explain.Dispatch || v.Shader == nil || v.Shader.Missing != "" ||
			len(v.Shader.Steps) == 0 {
			fail("the last event of %+v is %+v", e.Target, v)
		}
		step := v.Shader.Steps[len(v.Shader.Steps)-1]
		got := step.Value.Bits
		if step.Stores.Bits != "" {
			got = step.Stores.Bits
			atomics++
		}
		data, _ := hex.DecodeString(e.After.Bits)
		var memory []uint32
		for k := 0; k < len(data); k += 4 {
			memory = append(memory, binary.LittleEndian.Uint32(data[k:]))
		}
		want := explain.Words(memory...)
		if e.Target.Buffer != "" {
			words++
			if strings.HasPrefix(store, "pairs") &&
				strings.Contains(step.Text, "OpStore") { // of four words
				got = strings.Fields(got)[e.Target.Offset/4%4]
			}
		} else {
			texels++
		}
		if got != want {
			fail("%+v holds %s; the last step of %s is %+v", e.Target, want, v.Shader.Invocation,
				step)
		}
	}
	return words, texels, atomics
}

package conformance

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"image/color"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/vk"
)

// storeResources are what the shaders of these tests store to.
const storeResources = "layout(set = 0, binding = 0) buffer Data { uint data[]; };\n" +
	"layout(set = 0, binding = 0) buffer Pairs { uvec4 pairs[]; };\n" +
	"layout(set = 0, binding = 1, rgba32ui) uniform uimage2D picture;\n"

// storeScene is a device with a buffer of 64 words, a storage image of 8 × 8 texels, and commands.
type storeScene struct {
	t       *testing.T
	dev     *pumice.Device
	cmd     *pumice.CommandBuffer
	buffer  *pumice.Buffer
	picture *pumice.Image
	close   []func()
	words   bool // shaders store to no texels
	size    int  // of targets; 0: 8 × 8
}

const storeWords = 64

func newStoreScene(t *testing.T, threads int) *storeScene {
	t.Helper()
	s := &storeScene{t: t}
	var err error
	if s.dev, err = pumice.Open(&pumice.Config{Explain: true, Threads: threads}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		slices.Reverse(s.close)
		for _, f := range s.close {
			f()
		}
		s.dev.Close()
	})
	desc := pumice.BufferDesc{Size: 4 * storeWords, Name: "data"}
	if s.buffer, err = s.dev.NewBuffer(desc); err != nil {
		t.Fatal(err)
	}
	s.close = append(s.close, func() { s.buffer.Close() })
	s.picture = s.image(1, 8)
	s.cmd = s.dev.NewCommandBuffer()
	return s
}

func (s *storeScene) image(samples, size int) *pumice.Image {
	s.t.Helper()
	im, err := s.dev.NewImage(pumice.ImageDesc{
		Format: vk.FormatR32G32B32A32Uint, Width: size, Height: size, Samples: samples,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.close = append(s.close, func() { im.Close() })
	return im
}

// draw records a pass of its own with draws of a pipeline.
func (s *storeScene) draw(desc pumice.GraphicsPipelineDesc, draws func(p *pumice.Pass)) error {
	desc.ColorFormats = []vk.Format{vk.FormatR32G32B32A32Uint}
	pipeline, err := s.dev.NewGraphicsPipeline(desc)
	if err != nil {
		return err
	}
	s.close = append(s.close, func() { pipeline.Close() })
	set, err := pipeline.NewDescriptorSet(0)
	if err == nil {
		err = set.Bind(0, s.buffer.Range(0, 4*storeWords))
	}
	if err == nil && !s.words {
		err = set.Bind(1, s.picture)
	}
	if err != nil {
		return err
	}
	target := s.image(max(desc.Samples, 1), max(s.size, 8))
	pass := s.cmd.BeginRendering(pumice.ClearTo(target, color.Black))
	pass.BindPipeline(pipeline)
	pass.BindDescriptorSet(0, set)
	draws(pass)
	pass.End()
	return nil
}

func (s *storeScene) word(at int) pumice.WatchPoint {
	return pumice.WatchPoint{Buffer: s.buffer, Offset: uint64(4 * at), Shader: true}
}

func (s *storeScene) texel(x, y int) pumice.WatchPoint {
	return pumice.WatchPoint{Image: s.picture, X: x, Y: y, Shader: true}
}

// checkStored says what is wrong with the last event of a place that shaders stored to: its last
// step has what memory holds.
func checkStored(e *explain.Explanation) error {
	v := &e.Events[len(e.Events)-1]
	if v.Kind != explain.Store || v.Shader == nil || v.Shader.Missing != "" ||
		len(v.Shader.Steps) == 0 || v.Shader.Invocation == "" {
		return fmt.Errorf("the last event of %+v is %+v", e.Target, v)
	}
	for i := range e.Events {
		before := e.Before
		if i > 0 {
			before = e.Events[i-1].After
		}
		if e.Events[i].Before != before {
			return fmt.Errorf("%+v: event %d begins with %+v, and %+v was left", e.Target, i,
				e.Events[i].Before, before)
		}
	}
	step := v.Shader.Steps[len(v.Shader.Steps)-1]
	got := step.Value.Bits
	if step.Stores.Bits != "" {
		got = step.Stores.Bits
	}
	data, err := hex.DecodeString(e.After.Bits)
	if err != nil {
		return err
	}
	var memory []uint32
	for k := 0; k < len(data); k += 4 {
		memory = append(memory, binary.LittleEndian.Uint32(data[k:]))
	}
	if parts := strings.Fields(got); e.Target.Buffer != "" && len(parts) == 4 { // pairs[…]
		got = parts[e.Target.Offset/4%4]
	}
	if want := explain.Words(memory...); got != want || v.After != e.After {
		return fmt.Errorf("%+v holds %s; the last step of %s is %+v, and the event leaves %+v",
			e.Target, want, v.Shader.Invocation, step, v.After)
	}
	return nil
}

// stageWith is a stage that draws triangles over the whole target, with statements.
func stageWith(stage, do string) string {
	const corner = "vec4((K << 1 & 2) * 2.0 - 1.0, (K & 2) * 2.0 - 1.0, 0.5, 1.0)"
	at := func(k string) string { return strings.ReplaceAll(corner, "K", k) }
	head := "#version 460\n"
	if stage == "task" || stage == "mesh" {
		head += "#extension GL_EXT_mesh_shader : require\nlayout(local_size_x = 4) in;\n"
	}
	head += storeResources
	switch stage {
	case "vert":
		return head + "void main() {\n" + do +
			"gl_Position = " + at("(gl_VertexIndex % 3)") + ";\n}\n"
	case "tesc":
		return head + "layout(vertices = 3) out;\nvoid main() {\n" + do +
			"gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;\n" +
			"gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = 2.0;\n" +
			"gl_TessLevelInner[0] = 2.0;\n}\n"
	case "tese":
		return head + "layout(triangles) in;\nvoid main() {\n" + do +
			"gl_Position = mat3x4(gl_in[0].gl_Position, gl_in[1].gl_Position, " +
			"gl_in[2].gl_Position) * gl_TessCoord;\n}\n"
	case "geom":
		return head + "layout(triangles, invocations = 2) in;\n" +
			"layout(triangle_strip, max_vertices = 3) out;\nvoid main() {\n" + do +
			"for (int k = 0; k < 3; k++) { gl_Position = gl_in[k].gl_Position; " +
			"gl_PrimitiveID = gl_PrimitiveIDIn; EmitVertex(); }\n}\n"
	case "task":
		return head + "void main() {\n" + do + "EmitMeshTasksEXT(2, 1, 1);\n}\n"
	case "mesh":
		return head + "layout(triangles, max_vertices = 3, max_primitives = 1) out;\n" +
			"void main() {\n" + do +
			"SetMeshOutputsEXT(3, 1);\nuint k = gl_LocalInvocationIndex;\n" +
			"if (k < 3u) gl_MeshVerticesEXT[k].gl_Position = " + at("int(k)") + ";\n" +
			"if (k == 0u) gl_PrimitiveTriangleIndicesEXT[0] = uvec3(0, 1, 2);\n}\n"
	}
	return head + "layout(location = 0) out uvec4 color;\nvoid main() {\n" + do +
		"color = uvec4(1);\n}\n"
}

// put makes a stage part of a pipeline.
func put(t *testing.T, desc *pumice.GraphicsPipelineDesc, stage, source string) {
	t.Helper()
	setStage(desc, stage, compileGLSL(t, stage, source, true))
}

// setStage makes a shader that of a stage, by the ending of its file.
func setStage(desc *pumice.GraphicsPipelineDesc, stage string, s pumice.Shader) {
	switch stage {
	case "vert":
		desc.Vertex = s
	case "tesc":
		desc.TessControl, desc.PatchVertices = s, 3
		desc.InputAssembly = &vk.PipelineInputAssemblyStateCreateInfo{
			Topology: vk.PrimitiveTopologyPatchList,
		}
	case "tese":
		desc.TessEvaluation = s
	case "geom":
		desc.Geometry = s
	case "task":
		desc.Task = s
	case "mesh":
		desc.Mesh = s
	default:
		desc.Fragment = s
	}
}

// Of each stage that stores where one invocation alone does, that one is told, whether it stores a
// word or a texel, with the line that it does so in.
func TestStores_OfEachStage(t *testing.T) {
	for _, c := range []struct {
		name    string
		stages  []string
		stage   string // that stores
		alone   string // it is the invocation
		want    string // its name
		samples int
		size    uint32 // of fragments
	}{
		{name: "vertex", stages: []string{"vert"}, stage: "vert",
			alone: "gl_VertexIndex == 4 && gl_InstanceIndex == 1", want: "vertex 4, instance 1"},
		{name: "tessellation control", stages: []string{"vert", "tesc", "tese"}, stage: "tesc",
			alone: "gl_PrimitiveID == 1 && gl_InvocationID == 2", want: "patch 1, invocation 2"},
		{name: "tessellation evaluation", stages: []string{"vert", "tesc", "tese"}, stage: "tese",
			alone: "gl_PrimitiveID == 1 && gl_TessCoord.y == 1.0", want: "patch 1 at 0, 1, 0"},
		{name: "geometry", stages: []string{"vert", "geom"}, stage: "geom",
			alone: "gl_PrimitiveIDIn == 1 && gl_InvocationID == 1", want: "primitive 1, invocation 1"},
		{name: "task", stages: []string{"task", "mesh"}, stage: "task",
			alone: "gl_WorkGroupID.x == 1u && gl_LocalInvocationIndex == 3u",
			want:  "workgroup 1, 0, 0, invocation 3"},
		{name: "mesh", stages: []string{"mesh"}, stage: "mesh",
			alone: "gl_WorkGroupID.x == 1u && gl_LocalInvocationIndex == 2u",
			want:  "workgroup 1, 0, 0, invocation 2"},
		{name: "mesh", stages: []string{"task", "mesh"}, stage: "mesh",
			alone: "gl_WorkGroupID.x == 1u && gl_LocalInvocationIndex == 2u",
			want:  "workgroup 1, 0, 0 of those of task workgroup 1, 0, 0, invocation 2"}, // the last task's
		{name: "fragment", stages: []string{"vert"}, stage: "frag",
			alone: "ivec2(gl_FragCoord.xy) == ivec2(3, 5)", want: "fragment at 3, 5, primitive 1"},
		{name: "fragment", stages: []string{"vert"}, stage: "frag", samples: 4,
			alone: "ivec2(gl_FragCoord.xy) == ivec2(6, 2) && gl_SampleID == 2",
			want:  "fragment at 6, 2, sample 2, primitive 1"},
		{name: "fragment", stages: []string{"vert"}, stage: "frag", size: 2,
			alone: "ivec2(gl_FragCoord.xy) == ivec2(5, 3)", // the centre of (4, 2) to (5, 3)
			want:  "fragment of 2 × 2 pixels at 4, 2, primitive 1"},
	} {
		t.Run(strings.Join(c.stages, "+")+"/"+c.stage, func(t *testing.T) {
			s := newStoreScene(t, 2)
			desc := pumice.GraphicsPipelineDesc{Samples: c.samples}
			desc.FragmentSize = vk.Extent2D{Width: c.size, Height: c.size}
			for _, stage := range append(slices.Clone(c.stages), "frag") {
				do := ""
				if stage == c.stage {
					do = "uint twice = 21u;\nif (" + c.alone + ") {\ntwice *= 2u;\ndata[9] = twice;\n" +
						"imageStore(picture, ivec2(5, 6), uvec4(twice, 1, 2, 3));\n}\n"
				}
				put(t, &desc, stage, stageWith(stage, do))
			}
			err := s.draw(desc, func(p *pumice.Pass) {
				p.BeginLabel("behind")
				defer p.EndLabel()
				if desc.Mesh.Code != nil {
					p.DrawMeshTasks(2, 1, 1)
				} else {
					p.Draw(6, 2)
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			points := []pumice.WatchPoint{s.word(9), s.texel(5, 6), s.word(10)}
			es, err := s.dev.Explain(ctx, points, s.cmd)
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range []string{"2a000000", "2a000000010000000200000003000000"} {
				e := es[i]
				if len(e.Events) != 1 || e.After.Bits != want {
					t.Fatalf("%d events, and it holds %s: %+v", len(e.Events), e.After.Bits, e.Events)
				}
				if err := checkStored(e); err != nil {
					t.Error(err)
				}
				v := &e.Events[0]
				last := v.Shader.Steps[len(v.Shader.Steps)-1]
				if v.Shader.Stage != c.name || v.Shader.Invocation != c.want ||
					!strings.Contains(v.Where, "draw 0 (behind)") || last.Line == 0 {
					t.Errorf("%s: the %s shader, %q, line %d; want %q", v.Where, v.Shader.Stage,
						v.Shader.Invocation, last.Line, c.want)
				}
				says := "the " + c.name + " shader of draw 0 (behind) stored it last, in " + c.want + ": "
				if !strings.HasPrefix(e.Verdict[0], says) {
					t.Errorf("%q does not begin with %q", e.Verdict[0], says)
				}
			}
			if n := len(es[2].Events); n != 0 {
				t.Errorf("%d events of a word that nobody stored to", n)
			}
		})
	}
}

// Helper invocations and discarded fragments store nothing, though they run: a point of one pixel
// is shaded in a quad.
func TestStores_HelpersStoreNothing(t *testing.T) {
	s := newStoreScene(t, 1)
	s.words = true
	desc := pumice.GraphicsPipelineDesc{
		InputAssembly: &vk.PipelineInputAssemblyStateCreateInfo{
			Topology: vk.PrimitiveTopologyPointList,
		},
	}
	put(t, &desc, "vert", "#version 460\nvoid main() { gl_PointSize = 1.0;\n"+
		"gl_Position = vec4((gl_VertexIndex * 4 + 2.5) / 4.0 - 1.0, 2.5 / 4.0 - 1.0, 0, 1); }\n")
	put(t, &desc, "frag", stageWith("frag", "uint x = uint(gl_FragCoord.x);\ndata[0] = x;\n"+
		"if (x > 4u) discard;\ndata[1] = x + uint(dFdx(gl_FragCoord.x));\n"))
	if err := s.draw(desc, func(p *pumice.Pass) { p.Draw(2, 1) }); err != nil {
		t.Fatal(err)
	}
	es, err := s.dev.Explain(ctx, []pumice.WatchPoint{s.word(0), s.word(1)}, s.cmd)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct{ value, who string }{
		{"06000000", "fragment at 6, 2, primitive 1"},
		{"03000000", "fragment at 2, 2, primitive 0"},
	} {
		if err := checkStored(es[i]); err != nil {
			t.Error(err)
		}
		if v := es[i].Events[0]; es[i].After.Bits != want.value || v.Shader.Invocation != want.who {
			t.Errorf("word %d is %s, stored by %s; want %+v", i, es[i].After.Bits,
				v.Shader.Invocation, want)
		}
	}
}

// Several passes and draws that store to one word: the history has each stage of each draw, in the
// order of their last stores, with what it left.
func TestStores_HistoryOfDraws(t *testing.T) {
	s := newStoreScene(t, 2)
	s.words = true
	var desc pumice.GraphicsPipelineDesc
	put(t, &desc, "vert", stageWith("vert", "atomicAdd(data[0], 1u);\n"))
	put(t, &desc, "frag", stageWith("frag", "atomicAdd(data[0], 1000u);\n"))
	var quiet pumice.GraphicsPipelineDesc
	put(t, &quiet, "vert", stageWith("vert", ""))
	put(t, &quiet, "frag", stageWith("frag", "data[1] = 5u;\n"))
	err := s.draw(desc, func(p *pumice.Pass) { p.Draw(3, 1); p.Draw(3, 1) })
	if err == nil {
		err = s.draw(quiet, func(p *pumice.Pass) { p.Draw(3, 1) })
	}
	if err == nil {
		err = s.draw(desc, func(p *pumice.Pass) { p.Draw(6, 1) })
	}
	if err != nil {
		t.Fatal(err)
	}
	es, err := s.dev.Explain(ctx, []pumice.WatchPoint{s.word(0)}, s.cmd)
	if err != nil {
		t.Fatal(err)
	}
	if err := checkStored(es[0]); err != nil {
		t.Error(err)
	}
	var got []string
	for _, v := range es[0].Events {
		number, _, _ := strings.Cut(v.After.Text, ",")
		got = append(got, fmt.Sprintf("%s, %s: %s", v.Where, v.Shader.Stage, number))
	}
	// 64 pixels; both draws of a pass go through their vertices before its tiles are drawn.
	want := []string{
		"pass 0, draw 0, vertex: 3", "pass 0, draw 1, vertex: 6",
		"pass 0, draw 0, fragment: 64006", "pass 0, draw 1, fragment: 128006",
		"pass 2, draw 0, vertex: 128012", "pass 2, draw 0, fragment: 256012",
	}
	if !slices.Equal(got, want) {
		t.Errorf("history\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// With many tiles and threads, one invocation is the last, and its steps are told.
func TestStores_ManyTilesAndThreads(t *testing.T) {
	s := newStoreScene(t, 4)
	s.words, s.size = true, 128
	var desc pumice.GraphicsPipelineDesc
	put(t, &desc, "vert", stageWith("vert",
		"data[0] = gl_VertexIndex;\natomicXor(data[1], gl_VertexIndex * 77u);\n"))
	put(t, &desc, "frag", stageWith("frag",
		"uint x = uint(gl_FragCoord.x) + uint(gl_FragCoord.y) * 1000u;\n"+
			"data[2] = x;\natomicExchange(data[3], x);\natomicXor(data[4], x);\n"))
	if err := s.draw(desc, func(p *pumice.Pass) { p.Draw(300, 1) }); err != nil {
		t.Fatal(err)
	}
	var points []pumice.WatchPoint
	for i := range 5 {
		points = append(points, s.word(i))
	}
	es, err := s.dev.Explain(ctx, points, s.cmd)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range es {
		if err := checkStored(e); err != nil {
			t.Fatal(err)
		}
		var x, y int
		v := e.Events[len(e.Events)-1].Shader
		data, _ := hex.DecodeString(e.After.Bits)
		n := int(binary.LittleEndian.Uint32(data))
		switch {
		case i == 0 && v.Invocation != fmt.Sprintf("vertex %d", n):
			t.Errorf("%s stored %d", v.Invocation, n)
		case i == 2 || i == 3:
			_, err := fmt.Sscanf(v.Invocation, "fragment at %d, %d,", &x, &y)
			if err != nil || x+1000*y != n {
				t.Errorf("%s stored %d", v.Invocation, n)
			}
		}
	}
}

// randomStore is a statement that stores some of a, b, c and d.
func randomStore(g *randomGLSL) string {
	words := []string{"data[a % 64u] = b;\n", "atomicAdd(data[b % 64u], a);\n",
		"atomicMax(data[c % 64u], a);\n", "atomicCompSwap(data[a % 64u], 0u, d);\n",
		"data[63] = d; if ((b & 1u) == 0u) data[c % 64u] = a;\n",
		"pairs[d % 16u] = uvec4(a, b, c, d);\n", "atomicXor(data[63], b); data[7] = c;\n",
	}
	s := g.pick(words...)
	if g.r.IntN(2) == 0 {
		s += "imageStore(picture, ivec2(b % 8u, a % 8u), uvec4(a, b, c, d));\n"
	}
	return s
}

// Stages of random pipelines, in several draws and passes, store to words and texels: the last step
// that is told is of the store that memory has its value of.
func TestTrace_StoresOfRandomPipelines(t *testing.T) {
	of := map[string]int{}
	atomics := 0
	for _, kind := range traceKinds {
		t.Run(kind.name, func(t *testing.T) {
			for i := range randomPrograms(t) {
				atomics += traceStores(t, kind.stages, uint64(i), of)
			}
		})
	}
	t.Logf("places by the stage that stored last: %v; %d by atomics", of, atomics)
	stages := 7 // all
	if testing.Short() {
		stages = 4
	}
	if len(of) < stages || atomics == 0 {
		t.Errorf("the test reaches %v and %d atomics", of, atomics)
	}
}

func traceStores(t *testing.T, stages []string, seed uint64, of map[string]int) (atomics int) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 35))
	s := newStoreScene(t, 1+r.IntN(2))
	all := ""
	fail := func(format string, args ...any) {
		t.Helper()
		t.Logf("program %d:\n%s", seed, all)
		t.Fatalf("program %d: %s", seed, fmt.Sprintf(format, args...))
	}
	for range 1 + r.IntN(2) { // pipelines, each with a pass
		var desc pumice.GraphicsPipelineDesc
		before := ""
		for _, stage := range append(slices.Clone(stages), "frag") {
			g := &randomGLSL{r: r, groups: r.IntN(2) == 0}
			if stage == "task" || stage == "mesh" {
				g.size = []int{3, 4, 32}[r.IntN(3)]
			}
			stores := stage == "frag" || r.IntN(3) > 0
			if stores {
				g.after = randomStore(g)
			}
			if stage == "frag" { // so that pipelines have all resources
				g.after = g.pick("", g.after) +
					"if (a == 0x7FFFFFFFu) { data[0] = a; imageStore(picture, ivec2(0), x); }\n"
			}
			source := stageSource(g, stage, before)
			if stage == "frag" {
				const slots = "layout(location = 0) flat in uvec4 value;\n" +
					"layout(location = 0) out uvec4 color;\n"
				source = strings.Replace(g.head(), randomHelper, slots+randomHelper, 1) +
					"void main() {\nuvec4 x = value + uvec4(gl_FragCoord.xyxy);\n" + g.body(6) +
					"if ((a & 7u) == 1u) discard;\ncolor = uvec4(a, b, c, d);\n}\n"
			}
			if stores {
				body := strings.Index(source, "void main() {\n")
				source = source[:body] + storeResources + source[body:]
			}
			before, all = stage, all+source
			put(t, &desc, stage, source)
		}
		err := s.draw(desc, func(p *pumice.Pass) {
			for range 1 + r.IntN(2) {
				if stages[0] == "task" {
					p.DrawMeshTasks(1+uint32(r.IntN(2)), 1, 1)
				} else {
					p.Draw(3*(1+uint32(r.IntN(2))), 1)
				}
			}
		})
		if err != nil {
			fail("%v", err)
		}
	}
	var points []pumice.WatchPoint
	for range 6 {
		points = append(points, s.word([]int{7, 63, r.IntN(storeWords)}[r.IntN(3)]),
			s.texel(r.IntN(8), r.IntN(8)))
	}
	es, err := s.dev.Explain(ctx, points, s.cmd)
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
		if err := checkStored(e); err != nil {
			fail("%v", err)
		}
		v := e.Events[len(e.Events)-1].Shader
		if of[v.Stage]++; v.Steps[len(v.Steps)-1].Stores.Bits != "" {
			atomics++
		}
	}
	return atomics
}

package core

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/trace"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/vk"
)

// explaining opens a device with Config.Explain.
func explaining(t testing.TB) *Device {
	t.Helper()
	d := must(Open(Config{HeapMemory: true, Threads: 1, Explain: true}))(t)
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// A pipeline's traced routine has the specialization constants of the pipeline, whatever becomes of the
// caller's map and of the module, is made once, and fits the plain one's batches.
func TestTraced_KeepsConstantsAndModule(t *testing.T) {
	d := explaining(t)
	m := must(d.NewShaderModule(must(os.ReadFile("../../testdata/quad.frag.spv"))(t), ""))(t)
	constants := map[uint32][]byte{0: {1, 0, 0, 0}}
	p := must(d.NewGraphicsPipeline(&GraphicsPipelineInfo{
		Vertex: Stage{Code: must(os.ReadFile("../../testdata/quad.vert.spv"))(t)}, Fragment: Stage{Module: m, Constants: constants},
		InputAssembly: vk.PipelineInputAssemblyStateCreateInfo{Topology: vk.PrimitiveTopologyTriangleList},
		Rasterization: vk.PipelineRasterizationStateCreateInfo{LineWidth: 1},
		DynamicStates: []vk.DynamicState{vk.DynamicStateViewport, vk.DynamicStateScissor, vk.DynamicStateVertexInputEXT},
		ColorBlend:    vk.PipelineColorBlendStateCreateInfo{Attachments: make([]vk.PipelineColorBlendAttachmentState, 1)},
		Rendering:     vk.PipelineRenderingCreateInfo{ColorAttachmentFormats: []vk.Format{vk.FormatR8G8B8A8Unorm}},
	}))(t)
	_ = m.Close()
	constants[0][0] = 0
	r := must(p.traced(ir.StageFragment))(t)
	if again := must(p.traced(ir.StageFragment))(t); again != r {
		t.Error("compiled twice")
	}
	q := r.Program()
	if err := ir.Align(q, p.desc.Fragment.Program()); err != nil || len(q.Traces) == 0 {
		t.Fatalf("%d traces, %v", len(q.Traces), err)
	}
	c := trace.New(q, 1, true)
	b := &exec.Batch{N: 4}
	for range q.Inputs {
		b.In = append(b.In, make([]uint32, 4))
	}
	for range q.Outputs {
		b.Out = append(b.Out, make([]uint32, 4))
	}
	if err := r.NewThread(4).Run(&exec.Context{Trace: c.Tell}, b); err != nil {
		t.Fatal(err)
	}
	s := c.Shader()
	last := s.Steps[len(s.Steps)-1]
	// No texture is bound, which reads as zero, and the constant inverts that.
	if s.Stage != "fragment" || !strings.HasPrefix(last.Text, "OpStore") || last.Name != "result" || last.Value.Text != "1, 1, 1, 0" || len(last.Quad) != 4 || last.Quad[0] != last.Value {
		t.Errorf("%s shader ends with %+v", s.Stage, last)
	}
	if list := c.Images(); len(list) != 1 || list[0].Instruction != "texture(tex)" || list[0].Result.Bits != "00000000 00000000 00000000 00000000" {
		t.Errorf("%+v", list)
	}
	if _, err := p.traced(ir.StageVertex); err != nil {
		t.Error(err)
	}
}

// Other devices keep nothing, and stages that are not there have no routine.
func TestTraced_Refused(t *testing.T) {
	code := shaderCode(t, "memory.comp")
	kept := must(explaining(t).NewComputePipeline(&ComputePipelineInfo{Stage: Stage{Code: code}}))(t)
	if _, err := kept.traced(ir.StageCompute); err != nil {
		t.Error(err)
	}
	plain := must(open(t).NewComputePipeline(&ComputePipelineInfo{Stage: Stage{Code: code}}))(t)
	for _, c := range []struct {
		p     *Pipeline
		stage ir.Stage
	}{{kept, ir.StageVertex}, {plain, ir.StageCompute}} {
		if _, err := c.p.traced(c.stage); err == nil || !strings.Contains(err.Error(), "Explain") {
			t.Errorf("stage %d: %v", c.stage, err)
		}
	}
	if plain.traces != nil {
		t.Error("a device that does not explain keeps shaders")
	}
}

// Traced routines in the place of a pipeline's own draw the same.
func TestTraced_DrawsTheSame(t *testing.T) {
	d := explaining(t)
	drawn := func(p *Pipeline) []uint32 {
		a, av := target(t, d, numbers, 1, 1)
		b := d.NewCommandBuffer()
		b.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: av}}})
		draw(b, p)
		b.EndRendering("end")
		submit(t, d, b)
		return texels(t, a, 0, 0)
	}
	p := fullscreen(t, d, "number.frag", numberFormats, nil)
	want := drawn(p)
	for stage, s := range p.traces {
		r := must(p.traced(stage))(t)
		entry := d.shaders.entries[s.stage.key(stage)].Value.(*cacheEntry[exec.Routine])
		entry.value = r
	}
	p = fullscreen(t, d, "number.frag", numberFormats, nil)
	if len(p.desc.Fragment.Program().Traces) == 0 || len(p.desc.Vertex.Program().Traces) == 0 {
		t.Fatal("the pipeline has not taken the traced routines")
	}
	if got := drawn(p); !slices.Equal(got, want) || want[17] != 17 {
		t.Errorf("traced %d…, plain %d…", got[:20], want[:20])
	}
}

package conformance

import (
	"image/color"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/vk"
)

// A texel that is fetched of a multisampled image is told with its sample, which leads to the history
// of that sample and not to that of the first: each sample holds its number, over 5.
func TestExplain_FetchOfASample(t *testing.T) {
	dev := must(pumice.Open(&pumice.Config{Explain: true}))(t)
	defer dev.Close()
	const whole = `#version 450
void main() { gl_Position = vec4((gl_VertexIndex & 1) * 4 - 1, (gl_VertexIndex >> 1) * 4 - 1, 0.5, 1); }`
	const number = `#version 450
layout(location = 0) out vec4 color;
void main() { color = vec4(gl_SampleID, 0, 0, 5) / 5; }`
	const fetch = `#version 450
layout(set = 0, binding = 0) uniform sampler2DMS samples;
layout(location = 0) out vec4 color;
void main() { color = texelFetch(samples, ivec2(gl_FragCoord.xy), 2); }`
	const format = vk.FormatR8G8B8A8Unorm
	pipeline := func(fragment string, n int) *pumice.GraphicsPipeline {
		return must(dev.NewGraphicsPipeline(pumice.GraphicsPipelineDesc{
			Vertex:       compileGLSL(t, "vert", whole, true),
			Fragment:     compileGLSL(t, "frag", fragment, true),
			ColorFormats: []vk.Format{format}, Samples: n,
		}))(t)
	}
	many := must(dev.NewImage(pumice.ImageDesc{Format: format, Width: 4, Height: 4, Samples: 4}))(t)
	one := must(dev.NewImage(pumice.ImageDesc{Format: format, Width: 4, Height: 4}))(t)
	fill, read := pipeline(number, 4), pipeline(fetch, 1)
	set := must(read.NewDescriptorSet(0))(t)
	sampler := must(dev.NewSampler(pumice.SamplerDesc{}))(t)
	if err := set.Bind(0, pumice.Texture{View: many, Sampler: sampler}); err != nil {
		t.Fatal(err)
	}
	cmd := dev.NewCommandBuffer()
	for _, p := range []struct {
		to *pumice.Image
		by *pumice.GraphicsPipeline
	}{{many, fill}, {one, read}} {
		pass := cmd.BeginRendering(pumice.ClearTo(p.to, color.Black))
		pass.BindPipeline(p.by)
		if p.by == read {
			pass.BindDescriptorSet(0, set)
		}
		pass.Draw(3, 1)
		pass.End()
	}
	points := []pumice.WatchPoint{
		{Image: one, X: 1, Y: 2, Shader: true},
		{Image: many, X: 1, Y: 2}, {Image: many, X: 1, Y: 2, Sample: 2},
	}
	es := must(dev.Explain(t.Context(), points, cmd))(t)
	_, f := es[0].Writer(nil)
	if f == nil || len(f.Images) != 1 || len(f.Images[0].Texels) != 1 {
		t.Fatalf("the draw read %+v", f)
	}
	want := explain.Texel{X: 1, Y: 2, Sample: 2, Weight: 1, Value: explain.Value{
		Bits: "3ecccccd 00000000 00000000 3f800000", Text: "0.4, 0, 0, 1",
	}}
	if got := f.Images[0].Texels[0]; got != want {
		t.Errorf("it read %+v, want %+v", got, want)
	}
	at, _ := f.Images[0].Source()
	if at == nil || at.Sample != 2 || at.Samples != 4 || at.X != 1 || at.Y != 2 {
		t.Errorf("that leads to %+v", at)
	}
	for i, want := range map[int]string{1: "0, 0, 0, 1", 2: "0.4, 0, 0, 1"} {
		if got := es[i].After.Text; got != want {
			t.Errorf("sample %d is %s, want %s", points[i].Sample, got, want)
		}
	}
}

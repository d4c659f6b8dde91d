package webgpu_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/gogpu/gputypes"
	"github.com/gogpu/wgpu"

	"github.com/pumice-gpu/pumice/golden"
	"github.com/pumice-gpu/pumice/webgpu"
)

// TestGolden is a golden test of what a program draws with wgpu.
func TestGolden(t *testing.T) {
	webgpu.Register(nil)
	instance, err := wgpu.CreateInstance(nil)
	check(t, err)
	adapter, err := instance.RequestAdapter(nil)
	check(t, err)
	device, err := adapter.RequestDevice(nil)
	check(t, err)
	img, err := webgpu.ReadNRGBA(context.Background(), device, triangle(t, device), 64, 64)
	check(t, err)
	golden.Compare(t, img, "testdata/triangle.png")
}

// TestGolden stands in the documentation as it is here.
func TestGolden_InTheDocs(t *testing.T) {
	page, err := os.ReadFile("../docs/go.md")
	check(t, err)
	source, err := os.ReadFile("example_test.go")
	check(t, err)
	_, text, _ := strings.Cut(string(source), "\nfunc TestGolden(")
	text, _, found := strings.Cut(text, "\n}\n")
	if text = "\nfunc TestGolden(" + text + "\n}\n"; !found || !strings.Contains(string(page), text) {
		t.Error("docs/go.md does not have TestGolden as it is; copy it there")
	}
}

// Example shows which adapter there is.
func Example() {
	webgpu.Register(nil)
	instance, err := wgpu.CreateInstance(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer instance.Release()
	adapter, err := instance.RequestAdapter(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(adapter.Info().Vendor, adapter.Info().DeviceType)
	// Output: Pumice CPU
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

const triangleWGSL = `
struct Corner { @builtin(position) at: vec4f, @location(0) color: vec3f }

@vertex fn corner(@builtin(vertex_index) i: u32) -> Corner {
	var at = array(vec2f(0, 0.75), vec2f(-0.75, -0.75), vec2f(0.75, -0.75));
	return Corner(vec4f(at[i], 0, 1), vec3f(vec3u(0u, 1u, 2u) == vec3u(i)));
}

@fragment fn color(c: Corner) -> @location(0) vec4f { return vec4f(c.color, 1); }
`

// triangle draws a triangle of three colours to a texture of 64×64 texels.
func triangle(t testing.TB, device *wgpu.Device) *wgpu.Texture {
	t.Helper()
	shader, err := device.CreateShaderModule(
		&wgpu.ShaderModuleDescriptor{Label: "triangle", WGSL: triangleWGSL},
	)
	check(t, err)
	t.Cleanup(shader.Release)
	layout, err := device.CreatePipelineLayout(&wgpu.PipelineLayoutDescriptor{})
	check(t, err)
	t.Cleanup(layout.Release)
	pipeline, err := device.CreateRenderPipeline(&wgpu.RenderPipelineDescriptor{Layout: layout,
		Vertex: wgpu.VertexState{Module: shader, EntryPoint: "corner"},
		Fragment: &wgpu.FragmentState{Module: shader, EntryPoint: "color",
			Targets: []gputypes.ColorTargetState{
				{Format: gputypes.TextureFormatRGBA8Unorm, WriteMask: gputypes.ColorWriteMaskAll},
			}}})
	check(t, err)
	t.Cleanup(pipeline.Release)
	texture := target(t, device, gputypes.TextureFormatRGBA8Unorm, 1)
	encoder, err := device.CreateCommandEncoder(nil)
	check(t, err)
	pass, err := encoder.BeginRenderPass(
		&wgpu.RenderPassDescriptor{ColorAttachments: []wgpu.RenderPassColorAttachment{{
			View:   viewOf(t, device, texture),
			LoadOp: gputypes.LoadOpClear, StoreOp: gputypes.StoreOpStore,
			ClearValue: gputypes.Color{B: 0.2, A: 1}}}},
	)
	check(t, err)
	pass.SetPipeline(pipeline)
	pass.Draw(3, 1, 0, 0)
	check(t, pass.End())
	submit(t, device, encoder)
	return texture
}

package shader_test

import (
	"context"
	"errors"
	"fmt"
	"image/color"
	"log"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/shader"
	"github.com/pumice-gpu/pumice/vk"
)

// A triangle whose shaders are WGSL.
func ExampleCompile() {
	const source = `
@vertex fn vertices(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
	let corners = array(vec2f(0, 1), vec2f(-1, -1), vec2f(1, -1));
	return vec4f(corners[i], 0, 1);
}

@fragment fn fragments() -> @location(0) vec4f {
	return vec4f(1, 0.5, 0, 1);
}`
	ctx := context.Background()
	code, err := shader.Compile(ctx, source, shader.Options{Name: "triangle.wgsl"})
	var wrong *shader.Error
	if errors.As(err, &wrong) {
		log.Fatal(wrong.Detail()) // with the line, and carets below it
	}

	dev, err := pumice.Open(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	target, _ := dev.NewImage(pumice.ImageDesc{Format: vk.FormatR8G8B8A8Unorm, Width: 640, Height: 480})
	triangle, err := dev.NewGraphicsPipeline(pumice.GraphicsPipelineDesc{
		Vertex:       pumice.Shader{Code: code, Entry: "vertices"},
		Fragment:     pumice.Shader{Code: code, Entry: "fragments"},
		ColorFormats: []vk.Format{vk.FormatR8G8B8A8Unorm},
	})
	if err != nil {
		log.Fatal(err)
	}
	cmd := dev.NewCommandBuffer()
	pass := cmd.BeginRendering(pumice.ClearTo(target, color.Black))
	pass.BindPipeline(triangle)
	pass.Draw(3, 1)
	pass.End()
	if err := dev.Submit(ctx, cmd); err != nil {
		log.Fatal(err)
	}
	img, err := target.ReadNRGBA(ctx)
	fmt.Println(img.NRGBAAt(320, 240), img.NRGBAAt(10, 10), err)
	// Output: {255 128 0 255} {0 0 0 255} <nil>
}

// What a pipeline has to give a shader.
func ExampleReflect() {
	const source = `#version 450
layout(push_constant) uniform Push { mat4 matrix; vec4 tint; } push;
layout(set = 0, binding = 1) uniform sampler2D picture;
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;
void main() { color = texture(picture, uv) * push.tint; }`
	code, err := shader.Compile(context.Background(), source, shader.Options{Name: "tint.frag"})
	if err != nil {
		log.Fatal(err)
	}
	r, err := shader.Reflect(code)
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range r.EntryPoints {
		fmt.Println(e.Name, e.Stage, e.PushConstants.Bytes, "bytes")
		for _, b := range e.Bindings {
			fmt.Println("set", b.Set, "binding", b.Binding, b.Kind, b.Name)
		}
	}
	// Output:
	// main fragment 80 bytes
	// set 0 binding 1 combined image sampler picture
}

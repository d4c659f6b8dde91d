package shader_test

import (
	"context"
	"encoding/binary"
	"image/color"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/shader"
	"github.com/pumice-gpu/pumice/vk"
)

func device(t testing.TB) *pumice.Device {
	t.Helper()
	dev, err := pumice.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = dev.Close() })
	return dev
}

// compute runs a compute shader on a storage buffer at set 0, binding 0.
func compute(t testing.TB, dev *pumice.Device, code []byte, entry string, data []uint32) []uint32 {
	t.Helper()
	p, err := dev.NewComputePipeline(pumice.ComputePipelineDesc{Compute: pumice.Shader{Code: code, Entry: entry}})
	if err != nil {
		t.Fatal(err)
	}
	return dispatch(t, dev, p, data)
}

// dispatch runs a workgroup of a pipeline on a storage buffer at set 0, binding 0.
func dispatch(t testing.TB, dev *pumice.Device, p *pumice.ComputePipeline, data []uint32) []uint32 {
	t.Helper()
	buffer, err := dev.NewBufferFrom(data)
	if err != nil {
		t.Fatal(err)
	}
	set, err := p.NewDescriptorSet(0)
	if err != nil {
		t.Fatal(err)
	}
	if err := set.Bind(0, buffer); err != nil {
		t.Fatal(err)
	}
	cmd := dev.NewCommandBuffer()
	cmd.BindPipeline(p)
	cmd.BindDescriptorSet(0, set)
	cmd.Dispatch(1, 1, 1)
	if err := dev.Submit(context.Background(), cmd); err != nil {
		t.Fatal(err)
	}
	raw := make([]byte, 4*len(data))
	if err := buffer.Read(context.Background(), 0, raw); err != nil {
		t.Fatal(err)
	}
	out := make([]uint32, len(data))
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(raw[4*i:])
	}
	return out
}

// Both languages compute the same from the same numbers: 3·x + i, and Collatz's steps of it.
func TestCompile_ComputesWhatTheSourceSays(t *testing.T) {
	const wgsl = `
@group(0) @binding(0) var<storage, read_write> data: array<u32>;

fn steps(start: u32) -> u32 {
	var n = start;
	var count = 0u;
	while n != 1u {
		if n % 2u == 0u { n = n / 2u; } else { n = 3u * n + 1u; }
		count++;
	}
	return count;
}

@compute @workgroup_size(8)
fn collatz(@builtin(global_invocation_id) id: vec3u) {
	data[id.x] = steps(3u * data[id.x] + id.x);
}`
	const glsl = `#version 450
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Data { uint data[]; };

uint steps(uint n) {
	uint count = 0;
	for (; n != 1; count++)
		n = n % 2 == 0 ? n / 2 : FACTOR * n + 1;
	return count;
}

void main() {
	uint i = gl_GlobalInvocationID.x;
	data[i] = steps(FACTOR * data[i] + i);
}`
	in := []uint32{1, 2, 3, 4, 5, 6, 7, 8}
	want := make([]uint32, len(in))
	for i, x := range in {
		for n := 3*x + uint32(i); n != 1; want[i]++ {
			if n%2 == 0 {
				n /= 2
			} else {
				n = 3*n + 1
			}
		}
	}
	dev := device(t)
	for _, c := range []struct {
		name, source, entry string
		options             shader.Options
	}{
		{"WGSL", wgsl, "collatz", shader.Options{Name: "collatz.wgsl", Entry: "collatz"}},
		{"GLSL", glsl, "main", shader.Options{Name: "collatz.comp", Defines: map[string]string{"FACTOR": "3"}}},
		{"GLSL, another entry point, with lines", glsl, "go", shader.Options{Language: shader.GLSL, Stage: shader.Compute, Entry: "go", Debug: true, Defines: map[string]string{"FACTOR": "3u"}}},
		{"GLSL for Vulkan 1.0", glsl, "main", shader.Options{Name: "x.comp.glsl", Target: shader.Vulkan10, Defines: map[string]string{"FACTOR": "3"}}},
	} {
		got := compute(t, dev, mustCompile(t, c.source, c.options), c.entry, in)
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%s: element %d is %d, want %d", c.name, i, got[i], want[i])
			}
		}
	}
}

// A triangle over the upper right half of the target, as WebGPU has up: y is 1 at the top. With
// VulkanClip it is the lower right one. What is interpolated is green = y of the position.
func TestCompile_WGSLDrawsAsWebGPUHasUp(t *testing.T) {
	const source = `
struct Out { @builtin(position) position: vec4f, @location(0) y: f32 }

@vertex fn vertices(@builtin(vertex_index) i: u32) -> Out {
	let corners = array(vec2f(-1, 1), vec2f(1, 1), vec2f(1, -1));
	var o: Out;
	o.position = vec4f(corners[i], 0, 1);
	o.y = select(0.0, 1.0, corners[i].y > 0);
	return o;
}

@fragment fn fragments(in: Out) -> @location(0) vec4f {
	return vec4f(1, step(0.5, in.y), 0, 1);
}`
	const size = 64
	dev := device(t)
	for _, vulkan := range []bool{false, true} {
		code := mustCompile(t, source, shader.Options{Name: "half.wgsl", VulkanClip: vulkan})
		target, err := dev.NewImage(pumice.ImageDesc{Format: vk.FormatR8G8B8A8Unorm, Width: size, Height: size})
		if err != nil {
			t.Fatal(err)
		}
		p, err := dev.NewGraphicsPipeline(pumice.GraphicsPipelineDesc{
			Vertex: pumice.Shader{Code: code, Entry: "vertices"}, Fragment: pumice.Shader{Code: code, Entry: "fragments"},
			ColorFormats: []vk.Format{vk.FormatR8G8B8A8Unorm},
		})
		if err != nil {
			t.Fatal(err)
		}
		cmd := dev.NewCommandBuffer()
		pass := cmd.BeginRendering(pumice.ClearTo(target, color.Black))
		pass.BindPipeline(p)
		pass.Draw(3, 1)
		pass.End()
		if err := dev.Submit(context.Background(), cmd); err != nil {
			t.Fatal(err)
		}
		img, err := target.ReadNRGBA(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		black, red, yellow := color.NRGBA{0, 0, 0, 255}, color.NRGBA{255, 0, 0, 255}, color.NRGBA{255, 255, 0, 255}
		for _, c := range []struct {
			x, y int
			want color.NRGBA
		}{{32, 4, yellow}, {60, 8, yellow}, {60, 50, red}, {4, 40, black}, {30, 60, black}} {
			y := c.y
			if vulkan {
				y = size - 1 - y
			}
			if got := img.NRGBAAt(c.x, y); got != c.want {
				t.Errorf("VulkanClip %v: pixel (%d, %d) is %v, want %v", vulkan, c.x, y, got, c.want)
			}
		}
	}
}

// Includes are found beside the file that includes them, then from the root, and never above it.
func TestCompile_Includes(t *testing.T) {
	files := fstest.MapFS{
		"lib/one.glsl":    {Data: []byte("#include \"two.glsl\"\n#include \"top.glsl\"\nuint one() { return two() + top(); }\n")},
		"lib/two.glsl":    {Data: []byte("uint two() { return 20; }\n")},
		"top.glsl":        {Data: []byte("uint top() { return 300; }\n")},
		"bad.glsl":        {Data: []byte("\nuint bad() { return nothing; }\n")},
		"round.glsl":      {Data: []byte("#include \"round.glsl\"\n")},
		"lib/deep/a.glsl": {Data: []byte("#include \"b.glsl\"\n")},
		"lib/deep/b.glsl": {Data: []byte("uint deep() { return 5; }\n")},
		"lib/deeper.glsl": {Data: []byte("#include \"deep/a.glsl\"\nuint one() { return deep(); }\n")},
		"outside/x.glsl":  {Data: []byte("#include \"../../top.glsl\"\n")},
	}
	const body = "layout(local_size_x = 1) in;\nlayout(set = 0, binding = 0) buffer Data { uint data[]; };\nvoid main() { data[0] = one(); }\n"
	code := mustCompile(t, "#version 450\n#include \"lib/one.glsl\"\n"+body, shader.Options{Name: "x.comp", Include: files})
	dev := device(t)
	if got := compute(t, dev, code, "", []uint32{0}); got[0] != 320 {
		t.Errorf("%d, want 320", got[0])
	}
	code = mustCompile(t, "#version 450\n#include \"../deeper.glsl\"\n"+body, shader.Options{Name: "x.comp", Include: files, Folder: "lib/deep"})
	if got := compute(t, dev, code, "", []uint32{0}); got[0] != 5 {
		t.Errorf("from a folder: %d, want 5", got[0])
	}
	for include, want := range map[string]string{
		"bad.glsl":       "bad.glsl:2:21: 'nothing'",
		"round.glsl":     "round.glsl",
		"outside/x.glsl": "top.glsl",
		"/etc/passwd":    "/etc/passwd",
	} {
		_, err := compiler(t).Compile(context.Background(), "#version 450\n#include \""+include+"\"\n"+body, shader.Options{Name: "x.comp", Include: files})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", include, err, want)
		}
	}
}

// sources is one of each stage and language, with what interfaces may hold.
var sources = map[string]string{
	"all.wgsl": `
struct Params { matrix: mat4x4f, tint: vec4f, count: u32 }
struct Light { position: vec3f, power: f32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> lights: array<Light>;
@group(1) @binding(0) var picture: texture_2d<f32>;
@group(1) @binding(1) var smooth_sampler: sampler;
@group(1) @binding(2) var out_picture: texture_storage_2d<rgba8unorm, write>;
struct Varyings { @builtin(position) position: vec4f, @location(0) uv: vec2f, @location(1) @interpolate(flat) id: u32 }
@vertex fn vs(@location(0) p: vec3f, @location(1) uv: vec2f, @builtin(instance_index) i: u32) -> Varyings {
	return Varyings(params.matrix * vec4f(p, 1), uv, i);
}
@fragment fn fs(v: Varyings) -> @location(0) vec4f {
	var sum = 0.0;
	for (var i = 0u; i < params.count; i++) { sum += lights[i].power; }
	return textureSample(picture, smooth_sampler, v.uv) * params.tint * sum;
}
var<workgroup> tile: array<vec4f, 64>;
@compute @workgroup_size(8, 8) fn cs(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) l: u32) {
	tile[l] = textureLoad(picture, id.xy, 0);
	workgroupBarrier();
	textureStore(out_picture, id.xy, tile[63 - l]);
}`,
	"one.vert": `#version 450
layout(push_constant) uniform Push { mat4 matrix; vec2 offset; } push;
layout(location = 0) in vec3 position;
layout(location = 0) out vec2 uv;
void main() { gl_Position = push.matrix * vec4(position, 1.0); uv = push.offset; }`,
	"one.tesc": `#version 460
layout(vertices = 3) out;
void main() { gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position; gl_TessLevelOuter[0] = 1.0; }`,
	"one.tese": `#version 460
layout(triangles) in;
void main() { gl_Position = gl_in[0].gl_Position * gl_TessCoord.x; }`,
	"one.geom": `#version 450
layout(points) in;
layout(triangle_strip, max_vertices = 3) out;
void main() { for (int i = 0; i < 3; i++) { gl_Position = gl_in[0].gl_Position + i; EmitVertex(); } }`,
	"one.frag": `#version 450
layout(constant_id = 3) const float scale = 2.5;
layout(constant_id = 1) const bool on = true;
layout(set = 1, binding = 2) uniform sampler2DArray pictures[4];
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;
void main() { color = on ? texture(pictures[1], vec3(uv, 0.0)) * scale : vec4(0.0); }`,
	"one.comp": `#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x = 4, local_size_y = 2) in;
layout(std430, binding = 5) readonly buffer Data { uvec2 head; dvec2 items[]; } data;
layout(binding = 6, r32ui) uniform uimage2D picture;
void main() { imageAtomicAdd(picture, ivec2(0), subgroupAdd(data.head.x) + uint(data.items[1].y)); }`,
	"one.mesh": `#version 460
#extension GL_EXT_mesh_shader : require
layout(local_size_x = 3) in;
layout(triangles, max_vertices = 3, max_primitives = 1) out;
void main() { SetMeshOutputsEXT(3, 1); gl_MeshVerticesEXT[gl_LocalInvocationIndex].gl_Position = vec4(1.0); gl_PrimitiveTriangleIndicesEXT[0] = uvec3(0, 1, 2); }`,
	"one.task": `#version 460
#extension GL_EXT_mesh_shader : require
layout(local_size_x = 2) in;
void main() { EmitMeshTasksEXT(1, 1, 1); }`,
	"es.frag": `#version 310 es
precision highp float;
layout(location = 0) out vec4 color;
void main() { color = vec4(1.0); }`,
}

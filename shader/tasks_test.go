package shader_test

import (
	"context"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/shader"
	"github.com/pumice-gpu/pumice/vk"
)

// EmitMeshTasksEXT ends a task shader from inside the functions that main calls: nothing behind it runs, in no caller. Each mesh
// workgroup counts itself in word 0, and adds its payload to word 1; word 2 is what the task shader stores last.
func TestTasks_EmittedInFunctions(t *testing.T) {
	const (
		head = "#version 460\n#extension GL_EXT_mesh_shader : require\nlayout(local_size_x = 1) in;\nstruct P { uint a; }; taskPayloadSharedEXT P pay;\nlayout(set = 0, binding = 0) buffer B { uint count, sum, last; } b;\n"
		mesh = head + "layout(triangles, max_vertices = 3, max_primitives = 1) out;\nvoid size() { SetMeshOutputsEXT(0, 0); }\nvoid main() { atomicAdd(b.count, 1); atomicAdd(b.sum, pay.a); size(); }\n"
	)
	dev := device(t)
	for _, c := range []struct {
		name, source string
		want         []uint32
	}{
		{"in a function alone", "void emit() { EmitMeshTasksEXT(1, 1, 1); }\nvoid main() { pay.a = 5; emit(); }", []uint32{1, 5, 0}},
		{"nothing behind it runs", "void emit() { EmitMeshTasksEXT(2, 1, 3); }\nvoid main() { pay.a = 5; emit(); pay.a = 9; b.last = 1; EmitMeshTasksEXT(9, 9, 9); }", []uint32{6, 30, 0}},
		{"in a condition, two calls deep, in a loop", "void inner(uint k) { if (k > 2) { pay.a = k; EmitMeshTasksEXT(k, 2, 1); } b.last = k; }\nuint outer(uint k) { inner(k); return k; }\n" +
			"void main() { for (uint i = 0; i < 9; i++) { uint r = outer(i + b.count); b.last += r; } }", []uint32{6, 18, 4}}, // 2+2, then 3 ends
		{"on a path that is not taken", "void emit() { if (b.count > 0) { EmitMeshTasksEXT(7, 1, 1); } }\nvoid main() { emit(); b.last = 3; pay.a = 2; EmitMeshTasksEXT(1, 2, 1); }", []uint32{2, 4, 3}},
		{"in a switch, of a function with a result", "uint emit(uint k) { switch (k) { case 0: pay.a = 1; EmitMeshTasksEXT(3, 1, 1); case 1: return 2; } return 4; }\nvoid main() { b.last = emit(1) + emit(5); b.last += emit(0); }", []uint32{3, 3, 6}},
	} {
		code := func(stage shader.Stage, source string) pumice.Shader {
			return pumice.Shader{Code: mustCompile(t, source, shader.Options{Language: shader.GLSL, Stage: stage, Name: c.name})}
		}
		p, err := dev.NewGraphicsPipeline(pumice.GraphicsPipelineDesc{Task: code(shader.Task, head+c.source), Mesh: code(shader.Mesh, mesh), ColorFormats: []vk.Format{vk.FormatR8G8B8A8Unorm},
			Fragment: code(shader.Fragment, "#version 450\nlayout(location = 0) out vec4 c;\nvoid main() { c = vec4(1); }")})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		out, err := dev.NewImage(pumice.ImageDesc{Format: vk.FormatR8G8B8A8Unorm, Width: 4, Height: 4})
		if err != nil {
			t.Fatal(err)
		}
		set, err := p.NewDescriptorSet(0)
		if err != nil {
			t.Fatal(err)
		}
		buffer, err := dev.NewBufferFrom(make([]uint32, 3))
		if err != nil {
			t.Fatal(err)
		}
		if err := set.Bind(0, buffer); err != nil {
			t.Fatal(err)
		}
		cmd := dev.NewCommandBuffer()
		pass := cmd.BeginRendering(pumice.ClearTo(out, nil))
		pass.BindPipeline(p)
		pass.BindDescriptorSet(0, set)
		pass.DrawMeshTasks(1, 1, 1)
		pass.End()
		if err := dev.Submit(context.Background(), cmd); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		raw, got := make([]byte, 12), make([]uint32, 3)
		if err := buffer.Read(context.Background(), 0, raw); err != nil {
			t.Fatal(err)
		}
		for i := range got {
			got[i] = binary.LittleEndian.Uint32(raw[4*i:])
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

package shader_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/shader"
)

func reflectOf(t *testing.T, name string) *shader.Reflection {
	t.Helper()
	r, err := shader.Reflect(mustCompile(t, sources[name], shader.Options{Name: name}))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Offsets are those of std140, std430 and WGSL, by hand; a size is where the last member ends, as SPIR-V
// has no padding behind it.
func TestReflect_SaysWhatTheSourceDeclares(t *testing.T) {
	for _, c := range []struct {
		name, entry string
		want        []string
	}{
		{"all.wgsl", "vs", []string{
			"vertex [0 0 0]", "in 0 vec3 p", "in 1 vec2 uv", "in InstanceIndex uint", "out 0 vec2 uv", "out 1 uint id", "out Position vec4",
			"0.0 uniform buffer ×1 84+0: 0 mat4x4 matrix, 64 vec4 tint, 80 uint count params",
		}},
		{"all.wgsl", "cs", []string{
			"compute [8 8 1]", "in GlobalInvocationId uvec3", "in LocalInvocationIndex uint",
			"1.0 sampled image ×1 2D of float picture", "1.2 storage image ×1 2D of float Rgba8 out_picture",
		}},
		{"one.vert", "main", []string{"vertex [0 0 0]", "in 0 vec3 position", "out 0 vec2 uv", "push 72: 0 mat4x4 matrix, 64 vec2 offset"}},
		{"one.frag", "main", []string{
			"fragment [0 0 0]", "in 0 vec2 uv", "out 0 vec4 color", "1.2 combined image sampler ×4 2D array of float pictures",
			"constant 1 bool on = true", "constant 3 float scale = 2.5",
		}},
		{"one.comp", "main", []string{
			"compute [4 2 1]", "0.5 storage buffer ×1 16+16 read only: 0 uvec2 head, 16 dvec2[] items data", "0.6 storage image ×1 2D of uint R32ui picture",
		}},
		{"one.mesh", "main", []string{"mesh [3 1 1]", "in LocalInvocationIndex uint", "out Position vec4", "out PrimitiveTriangleIndicesEXT uvec3[1]"}},
	} {
		r := reflectOf(t, c.name)
		i := slices.IndexFunc(r.EntryPoints, func(e shader.EntryPoint) bool { return e.Name == c.entry })
		if i < 0 {
			t.Fatalf("%s: no %s", c.name, c.entry)
		}
		e := r.EntryPoints[i]
		if e.Unsupported != "" {
			t.Errorf("%s: %s", c.name, e.Unsupported)
		}
		got := facts(e)
		for _, want := range c.want {
			if !slices.Contains(got, want) {
				t.Errorf("%s, %s: no %q in\n%s", c.name, c.entry, want, strings.Join(got, "\n"))
			}
		}
	}
}

// facts are what is said of an entry point, a line each.
func facts(e shader.EntryPoint) []string {
	list := []string{fmt.Sprint(e.Stage, " ", e.Workgroup)}
	add := func(format string, args ...any) {
		list = append(list, strings.TrimRight(fmt.Sprintf(format, args...), " "))
	}
	members := func(b *shader.Block) string {
		var out []string
		for _, m := range b.Members {
			out = append(out, strings.TrimRight(fmt.Sprint(m.Offset, " ", m.Type, " ", m.Name), " "))
		}
		return strings.Join(out, ", ")
	}
	for word, vars := range map[string][]shader.Variable{"in": e.Inputs, "out": e.Outputs} {
		for _, v := range vars {
			if v.BuiltIn != "" {
				add("%s %s %s", word, v.BuiltIn, v.Type)
			} else {
				add("%s %d %s %s", word, v.Location, v.Type, v.Name)
			}
		}
	}
	for _, b := range e.Bindings {
		what := b.Image
		if b.Block != nil {
			readOnly := ""
			if b.ReadOnly && b.Kind == "storage buffer" {
				readOnly = " read only"
			}
			what = fmt.Sprintf("%d+%d%s: %s", b.Block.Bytes, b.Block.Stride, readOnly, members(b.Block))
		}
		add("%d.%d %s ×%d %s %s", b.Set, b.Binding, b.Kind, b.Count, what, b.Name)
	}
	if e.PushConstants != nil {
		add("push %d: %s", e.PushConstants.Bytes, members(e.PushConstants))
	}
	for _, c := range e.Constants {
		add("constant %d %s %s = %v", c.ID, c.Type, c.Name, c.Default)
	}
	return list
}

// What no device takes is described, and said to be so; what is no module is an error.
func TestReflect_UnsupportedAndBroken(t *testing.T) {
	const rays = `#version 460
#extension GL_EXT_ray_query : require
layout(binding = 0) uniform accelerationStructureEXT a;
void main() { rayQueryEXT q; rayQueryInitializeEXT(q, a, 0, 255, vec3(0), 0, vec3(1), 1); }`
	code := mustCompile(t, rays, shader.Options{Name: "rays.frag"})
	if _, err := shader.Reflect(code); err == nil || !strings.Contains(err.Error(), "RayQuery") {
		t.Errorf("%v, want what names the capability", err)
	}
	good := mustCompile(t, sources["one.frag"], shader.Options{Name: "one.frag"})
	for n := range good {
		_, _ = shader.Reflect(good[:n]) // does not panic
	}
	if _, err := shader.Reflect(good[:len(good)/2]); err == nil {
		t.Error("half a module is described")
	}
}

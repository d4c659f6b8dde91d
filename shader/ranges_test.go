package shader_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/shader"
	"github.com/pumice-gpu/pumice/vk"
)

// listening opens a device that keeps what Config.Debug hears.
func listening(t *testing.T, engine string) (*pumice.Device, func() []pumice.Message) {
	t.Helper()
	var (
		mu    sync.Mutex
		heard []pumice.Message
	)
	dev, err := pumice.Open(&pumice.Config{Engine: engine, Debug: func(m pumice.Message) {
		mu.Lock()
		defer mu.Unlock()
		heard = append(heard, m)
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = dev.Close() })
	return dev, func() []pumice.Message {
		mu.Lock()
		defer mu.Unlock()
		list := heard
		heard = nil
		return list
	}
}

// Accesses outside of what is bound are told once for each binding of a pipeline, and change nothing; what lies inside, null
// descriptors, and code that does not run are not told.
func TestDebug_AccessesOutsideOfDescriptors(t *testing.T) {
	const (
		uniform, storage = "VUID-vkCmdDispatch-uniformBuffers-06935", "VUID-vkCmdDispatch-storageBuffers-06936"
		head             = "#version 450\nlayout(local_size_x = 8) in;\nlayout(set = 0, binding = 0) buffer Out { uint o[]; };\n#define I gl_GlobalInvocationID.x\n"
		camera           = "layout(set = 0, binding = 1) uniform Camera { mat4 matrix; vec4 eye; } camera;\n"
		list             = "layout(set = 0, binding = 1) readonly buffer List { uint n; uint pad[3]; uvec4 items[]; } list;\n"
	)
	texels := func(dev *pumice.Device, bytes uint64) pumice.Resource {
		view, err := dev.NewBufferView(mustBuffer(t, dev, make([]uint32, bytes/4)), vk.FormatR32Uint, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		return view
	}
	bytes := func(n int) func(*pumice.Device) pumice.Resource {
		return func(dev *pumice.Device) pumice.Resource { return mustBuffer(t, dev, make([]uint32, n/4)) }
	}
	for _, c := range []struct {
		name, source string
		bind         func(*pumice.Device) pumice.Resource // to binding 1; nil: nothing is there
		rule, want   string
	}{
		{"a block of 80 bytes of which 16 are bound", camera + "void main() { o[I] = uint(camera.eye.x + camera.matrix[0][0]); }", bytes(16), uniform,
			`compute pipeline "x": the compute shader reads set 0, binding 1 (uniform buffer camera) up to byte 68, and the range that is bound has 16`},
		{"all of it", camera + "void main() { o[I] = uint(camera.eye.w); }", bytes(80), "", ""},
		{"what the shader does not read", camera + "void main() { o[I] = uint(camera.matrix[0][0]); }", bytes(16), "", ""},
		{"a part of a buffer", camera + "void main() { o[I] = uint(camera.eye.w); }", func(dev *pumice.Device) pumice.Resource { return mustBuffer(t, dev, make([]uint32, 64)).Range(64, 76) }, uniform, "up to byte 80, and the range that is bound has 76"},
		{"a null descriptor", camera + "void main() { o[I] = uint(camera.eye.w); }", func(*pumice.Device) pumice.Resource { return nil }, "", ""},
		{"a computed column", camera + "void main() { o[I] = uint(camera.matrix[I & 3][1]); }", bytes(32), uniform, "reads set 0, binding 1 (uniform buffer camera), bytes 36 to 39, and the range that is bound has 32 bytes"},
		{"columns that are there", camera + "void main() { o[I] = uint(camera.matrix[I & 1][1]); }", bytes(32), "", ""},
		{"a storage buffer's element", list + "void main() { o[I] = list.items[I * 3].y; }", bytes(16 + 64), storage, "reads set 0, binding 1 (storage buffer list), bytes 116 to 119, and the range that is bound has 80 bytes"},
		{"an element at its end, partly", list + "void main() { uvec4 v = list.items[I & 3]; o[I] = v.x + v.w; }", bytes(16 + 56), storage, "bytes 64 to 79, and the range that is bound has 72"},
		{"length() keeps inside", list + "void main() { if (I < list.items.length()) o[I] = list.items[I].y; }", bytes(16 + 64), "", ""},
		{"a runtime array without elements", list + "void main() { o[I] = list.n; for (uint i = 0; i < list.n; i++) o[I] += list.items[i].x; }", bytes(16), "", ""},
		{"no invocation goes there", list + "void main() { if (I > 100) o[I] = list.items[I].y; }", bytes(16 + 64), "", ""},
		{"a far index", list + "void main() { o[I] = list.items[0x0FFFFFFEu + I - 7].y; }", bytes(16 + 64), storage, "(storage buffer list)"},
		{"a store", "void main() { o[I + 1] = 5; }", nil, storage, "writes set 0, binding 0 (storage buffer Out), bytes 32 to 35, and the range that is bound has 32 bytes"},
		{"an atomic", "void main() { atomicAdd(o[I * I], 1); }", nil, storage, "writes set 0, binding 0 (storage buffer Out), bytes 36 to 39"},
		{"a constant store", "void main() { o[9] = 1; }", nil, storage, "writes set 0, binding 0 (storage buffer Out) up to byte 40, and the range that is bound has 32"},
		{"a fetch", "layout(set = 0, binding = 1) uniform usamplerBuffer b;\nvoid main() { o[I] = texelFetch(b, int(I) * 2).x; }", func(dev *pumice.Device) pumice.Resource { return texels(dev, 32) }, "IMG-200",
			"reads set 0, binding 1 (uniform texel buffer b), texel 8, and its view has 8"},
		{"a negative texel", "layout(set = 0, binding = 1, r32ui) uniform uimageBuffer b;\nvoid main() { o[I] = imageLoad(b, int(I) - 1).x; }", func(dev *pumice.Device) pumice.Resource { return texels(dev, 32) }, "IMG-200", "texel 4294967295"},
		{"a store to a texel", "layout(set = 0, binding = 1, r32ui) uniform uimageBuffer b;\nvoid main() { imageStore(b, int(I) + 4, uvec4(1)); imageAtomicAdd(b, int(I), 1); o[I] = 1; }", func(dev *pumice.Device) pumice.Resource { return texels(dev, 32) }, "IMG-200",
			"writes set 0, binding 1 (storage texel buffer b), texel 8"},
		{"texels that are there", "layout(set = 0, binding = 1) uniform usamplerBuffer b;\nvoid main() { o[I] = texelFetch(b, int(I)).x; }", func(dev *pumice.Device) pumice.Resource { return texels(dev, 32) }, "", ""},
	} {
		for _, engine := range []string{"", "vm"} {
			dev, heard := listening(t, engine)
			code := mustCompile(t, head+c.source, shader.Options{Language: shader.GLSL, Stage: shader.Compute})
			p, err := dev.NewComputePipeline(pumice.ComputePipelineDesc{Compute: pumice.Shader{Code: code}, Name: "x"})
			if err != nil {
				t.Fatal(err)
			}
			set, err := p.NewDescriptorSet(0)
			if err != nil {
				t.Fatal(err)
			}
			out := mustBuffer(t, dev, make([]uint32, 8))
			if err := set.Bind(0, out); err != nil {
				t.Fatal(err)
			}
			if c.bind != nil {
				if err := set.Bind(1, c.bind(dev)); err != nil {
					t.Fatal(err)
				}
			}
			cmd := dev.NewCommandBuffer()
			cmd.BindPipeline(p)
			cmd.BindDescriptorSet(0, set)
			cmd.Dispatch(1, 1, 1)
			cmd.Dispatch(1, 1, 1)
			if err := dev.Submit(context.Background(), cmd); err != nil {
				t.Fatal(err)
			}
			got := heard()
			if c.rule == "" && len(got) == 0 {
				continue
			}
			if len(got) != 1 || got[0].Rule != c.rule || !strings.Contains(got[0].Text, c.want) || got[0].Severity != pumice.SeverityError {
				t.Errorf("%s, engine %q: heard %+v\nwant %s: %s", c.name, engine, got, c.rule, c.want)
			}
		}
	}
}

func mustBuffer(t *testing.T, dev *pumice.Device, words []uint32) *pumice.Buffer {
	t.Helper()
	b, err := dev.NewBufferFrom(words)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A picture whose uniform buffer is too small is told with the stage, in draws, too; one with Debug has the pixels of one without.
func TestDebug_DrawsOutsideOfDescriptors(t *testing.T) {
	const (
		vertex   = "#version 450\nlayout(set = 0, binding = 0) uniform Camera { mat4 m; vec4 at[3]; } camera;\nvoid main() { gl_Position = vec4(camera.at[gl_VertexIndex].xy, 0, 1) + camera.m[3]; }"
		fragment = "#version 450\nlayout(set = 0, binding = 1) readonly buffer Colors { vec4 list[]; } colors;\nlayout(location = 0) out vec4 c;\nvoid main() { c = colors.list[int(gl_FragCoord.x)]; }"
	)
	draw := func(dev *pumice.Device, cameraBytes, colors int) []byte {
		t.Helper()
		p, err := dev.NewGraphicsPipeline(pumice.GraphicsPipelineDesc{
			Vertex:       pumice.Shader{Code: mustCompile(t, vertex, shader.Options{Name: "x.vert"})},
			Fragment:     pumice.Shader{Code: mustCompile(t, fragment, shader.Options{Name: "x.frag"})},
			ColorFormats: []vk.Format{vk.FormatR8G8B8A8Unorm}, Name: "p",
		})
		if err != nil {
			t.Fatal(err)
		}
		camera := make([]float32, 28)
		copy(camera[16:], []float32{-1, -1, 0, 0, 3, -1, 0, 0, -1, 3, 0, 0})
		list := make([]float32, 4*colors)
		for i := range list {
			list[i] = 1
		}
		set, err := p.NewDescriptorSet(0)
		if err != nil {
			t.Fatal(err)
		}
		a, err := dev.NewBufferFrom(camera)
		if err != nil {
			t.Fatal(err)
		}
		b, err := dev.NewBufferFrom(list)
		if err != nil {
			t.Fatal(err)
		}
		if err := set.Bind(0, a.Range(0, uint64(cameraBytes))); err != nil {
			t.Fatal(err)
		}
		if err := set.Bind(1, b); err != nil {
			t.Fatal(err)
		}
		out, err := dev.NewImage(pumice.ImageDesc{Format: vk.FormatR8G8B8A8Unorm, Width: 64, Height: 4})
		if err != nil {
			t.Fatal(err)
		}
		cmd := dev.NewCommandBuffer()
		for range 2 {
			pass := cmd.BeginRendering(pumice.ClearTo(out, nil))
			pass.BindPipeline(p)
			pass.BindDescriptorSet(0, set)
			pass.Draw(3, 1)
			pass.End()
		}
		if err := dev.Submit(context.Background(), cmd); err != nil {
			t.Fatal(err)
		}
		img, err := out.ReadNRGBA(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return img.Pix
	}
	for _, c := range []struct {
		camera, colors int
		want           []string
	}{
		{112, 64, nil},
		{112, 60, []string{`VUID-vkCmdDraw-storageBuffers-06936: graphics pipeline "p": the fragment shader reads set 0, binding 1 (storage buffer colors), bytes 960 to 975, and the range that is bound has 960`}},
		{96, 64, []string{`VUID-vkCmdDraw-uniformBuffers-06935: graphics pipeline "p": the vertex shader reads set 0, binding 0 (uniform buffer camera), bytes 96 to 111, and the range that is bound has 96`}},
		{16, 64, []string{"up to byte 64, and the range that is bound has 16", "bytes 64 to 79"}},
	} {
		dev, heard := listening(t, "")
		with := draw(dev, c.camera, c.colors)
		var got []string
		for _, m := range heard() {
			got = append(got, m.Rule+": "+strings.TrimPrefix(m.Text, "pumice: "+m.Op+": "))
		}
		ok := len(got) == len(c.want)
		for i := range c.want {
			ok = ok && strings.Contains(got[i], c.want[i])
		}
		if !ok {
			t.Errorf("camera of %d bytes, %d colours: heard %s\nwant %s", c.camera, c.colors, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
		if without := draw(device(t), c.camera, c.colors); !slices.Equal(with, without) {
			t.Errorf("camera of %d bytes, %d colours: other pixels with Debug", c.camera, c.colors)
		}
	}
}

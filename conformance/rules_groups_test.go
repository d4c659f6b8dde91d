package conformance

import (
	"bytes"
	"encoding/binary"
	"image/color"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Execution modes of SPIR-V.
const (
	localSize   = 17
	groupQuads  = 5289
	groupLinear = 5290
)

// rewritten puts other words in the place of execution modes and their operands.
func rewritten(code []byte, mode uint32, words ...uint32) (out []byte, changed int) {
	out = bytes.Clone(code)
	for at := 20; at < len(out); at += 4 * int(binary.LittleEndian.Uint32(out[at:])>>16) {
		const executionMode = 16
		if binary.LittleEndian.Uint32(out[at:])&0xFFFF == executionMode && binary.LittleEndian.Uint32(out[at+8:]) == mode {
			for i, w := range words {
				binary.LittleEndian.PutUint32(out[at+8+4*i:], w)
			}
			changed++
		}
	}
	return out, changed
}

// A workgroup that does not fall into quads is an error.
func TestQuads_IMG405_WholeQuads(t *testing.T) {
	rules.Covers(t, "IMG-405")
	dev, err := pumice.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	code, err := os.ReadFile("testdata/rules/quads.spvasm.spv")
	if err != nil {
		t.Fatal(err)
	}
	linear, _ := rewritten(code, groupQuads, groupLinear)
	for _, c := range []struct {
		name string
		code []byte
		size [3]uint32
		ok   bool
	}{
		{"squares", code, [3]uint32{2, 2, 1}, true},
		{"squares", code, [3]uint32{6, 2, 3}, true},
		{"squares", code, [3]uint32{3, 2, 1}, false},
		{"squares", code, [3]uint32{3, 4, 4}, false},
		{"squares", code, [3]uint32{2, 1, 2}, false},
		{"squares", code, [3]uint32{4, 1, 1}, false},
		{"rows", linear, [3]uint32{4, 1, 1}, true},
		{"rows", linear, [3]uint32{1, 1, 4}, true},
		{"rows", linear, [3]uint32{3, 4, 1}, true},
		{"rows", linear, [3]uint32{2, 1, 1}, false},
		{"rows", linear, [3]uint32{3, 3, 1}, false},
	} {
		sized, _ := rewritten(c.code, localSize, localSize, c.size[0], c.size[1], c.size[2])
		p, err := dev.NewComputePipeline(pumice.ComputePipelineDesc{Compute: pumice.Shader{Code: sized, Entry: "compute"}})
		if (err == nil) != c.ok || err != nil && !strings.Contains(err.Error(), "VUID-StandaloneSpirv-DerivativeGroup") {
			t.Errorf("%s in a workgroup of %v: %v", c.name, c.size, err)
		}
		if err == nil {
			p.Close()
		}
	}
}

// Which invocations of a workgroup form a quad, in compute, mesh and task shaders: with p = x² + 2·y + 64·z, differences
// along x are 1, 5, 9, 13 from each second x on, and 4, 8, 20, 24 over two. Squares of 2×2 have the former along x, and 2
// along y; four invocations in a row have them along x, and those over two along y. Where p counts texels, the larger of
// both chooses the level, whose texels hold its number: the one nearest to log2, 4 at most.
func TestQuads_IMG405_OfWorkgroups(t *testing.T) {
	rules.Covers(t, "IMG-405", "IMG-397", "IMG-398")
	dev, err := pumice.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	code, err := os.ReadFile("testdata/rules/quads.spvasm.spv")
	if err != nil {
		t.Fatal(err)
	}
	linear, changed := rewritten(code, groupQuads, groupLinear)
	if changed != 3 {
		t.Fatalf("%d execution modes", changed)
	}
	im, err := dev.NewImage(pumice.ImageDesc{Format: vk.FormatR32Sfloat, Width: 16, Height: 16, MipLevels: 5})
	if err != nil {
		t.Fatal(err)
	}
	for level := range 5 {
		n := 16 >> level
		if err := im.Write(ctx, pumice.Subresource{Level: level}, bytes.Repeat(word(float32(level)), n*n)); err != nil {
			t.Fatal(err)
		}
	}
	s, err := dev.NewSampler(pumice.SamplerDesc{MaxLod: 9})
	if err != nil {
		t.Fatal(err)
	}
	square := [8][3]float32{{1, 2, 1}, {1, 2, 1}, {5, 2, 2}, {5, 2, 2}, {9, 2, 3}, {9, 2, 3}, {13, 2, 4}, {13, 2, 4}}
	row := [8][3]float32{{1, 4, 2}, {1, 8, 3}, {5, 4, 2}, {5, 8, 3}, {9, 20, 4}, {9, 24, 4}, {13, 20, 4}, {13, 24, 4}}
	for _, size := range [][3]uint32{{4, 2, 1}, {8, 2, 1}, {4, 4, 2}, {8, 4, 2}} {
		for mode, c := range map[string]struct {
			code []byte
			want [8][3]float32 // ∂p/∂x, ∂p/∂y and the level, by x
		}{"squares": {code, square}, "rows": {linear, row}} {
			sized, _ := rewritten(c.code, localSize, localSize, size[0], size[1], size[2])
			for _, stage := range []string{"compute", "mesh", "task"} {
				got := runQuads(t, dev, sized, stage, int(size[0]*size[1]*size[2]), pumice.Texture{View: im, Sampler: s})
				for i, v := range got {
					if want := c.want[i%int(size[0])]; v != want {
						t.Errorf("%s, %s shader, a workgroup of %v, invocation %d: %v, want %v", mode, stage, size, i, v, want)
					}
				}
			}
		}
	}
}

// runQuads runs a workgroup of quads.spvasm in a stage.
func runQuads(t *testing.T, dev *pumice.Device, code []byte, stage string, n int, image pumice.Texture) [][3]float32 {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", stage, err)
		}
	}
	out, err := dev.NewBufferFrom(make([]float32, 3*n))
	must(err)
	defer out.Close()
	bind := func(set *pumice.DescriptorSet, err error) *pumice.DescriptorSet {
		must(err)
		must(set.Bind(0, image))
		must(set.Bind(1, out))
		return set
	}
	cmd := dev.NewCommandBuffer()
	if stage == "compute" {
		p, err := dev.NewComputePipeline(pumice.ComputePipelineDesc{Compute: pumice.Shader{Code: code, Entry: stage}})
		must(err)
		defer p.Close()
		cmd.BindPipeline(p)
		cmd.BindDescriptorSet(0, bind(p.NewDescriptorSet(0)))
		cmd.Dispatch(1, 1, 1)
	} else {
		desc := pumice.GraphicsPipelineDesc{Mesh: pumice.Shader{Code: code, Entry: stage}, ColorFormats: []vk.Format{vk.FormatR8G8B8A8Unorm}}
		if stage == "task" {
			desc.Task, desc.Mesh.Entry = desc.Mesh, "none"
		}
		p, err := dev.NewGraphicsPipeline(desc)
		must(err)
		defer p.Close()
		target, err := dev.NewImage(pumice.ImageDesc{Format: vk.FormatR8G8B8A8Unorm, Width: 1, Height: 1})
		must(err)
		defer target.Close()
		pass := cmd.BeginRendering(pumice.ClearTo(target, color.Black))
		pass.BindPipeline(p)
		pass.BindDescriptorSet(0, bind(p.NewDescriptorSet(0)))
		pass.DrawMeshTasks(1, 1, 1)
		pass.End()
	}
	must(dev.Submit(ctx, cmd))
	data := make([]byte, 4*3*n)
	must(out.Read(ctx, 0, data))
	got := make([][3]float32, n)
	for i := range 3 * n {
		got[i/3][i%3] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return got
}

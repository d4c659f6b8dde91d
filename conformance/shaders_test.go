package conformance

import (
	"context"
	"encoding/binary"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

const shaderDir = "testdata/shaders"

// TestShaders runs the corpus: each shader states its inputs and the outputs
// that must come of them, bit by bit. testdata/shaders/README.md tells the form.
func TestShaders(t *testing.T) {
	list, err := shaderCases(shaderDir)
	if err != nil {
		t.Fatal(err)
	}
	dev, err := pumice.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	for _, c := range list {
		t.Run(c.name, func(t *testing.T) { c.run(t, dev) })
	}
}

// The tables of vertex numbers hold for the primitives that geometry and mesh shaders
// emit; after tessellation the order is free, but one for all.
func TestShaders_RAS183_VerticesOfEmittedPrimitives(t *testing.T) {
	rules.Covers(t, "RAS-183")
	runShaders(t, 3, func(name string) bool { return strings.HasSuffix(name, "/vertices") })
}

// Barycentrics of AMD's kind are taken at the centre, at the centroid or where samples are, and
// weigh what the vertices have.
func TestShaders_RAS186_BarycentricsOfAMD(t *testing.T) {
	rules.Covers(t, "RAS-186")
	runShaders(t, 1, func(name string) bool { return name == "special/explicit" })
}

// runShaders runs the cases with a name, n of them.
func runShaders(t *testing.T, n int, named func(string) bool) {
	t.Helper()
	list, err := shaderCases(shaderDir)
	if err != nil {
		t.Fatal(err)
	}
	dev, err := pumice.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	ran := 0
	for _, c := range list {
		if named(c.name) {
			ran++
			t.Run(c.name, func(t *testing.T) { c.run(t, dev) })
		}
	}
	if ran != n {
		t.Errorf("%d cases, want %d", ran, n)
	}
}

// TestShaders_EveryOpcode: an instruction that modules may hold is in a shader
// of the corpus, or in that of package core's tests of descriptor heaps, which the corpus' cases cannot bind.
func TestShaders_EveryOpcode(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(shaderDir, "opcodes.txt"))
	if err != nil {
		t.Fatal(err)
	}
	names := map[uint32]string{}
	for line := range strings.Lines(string(data)) {
		if f := strings.Fields(line); len(f) == 2 && f[0] != "#" {
			names[parseUint(t, f[0])] = f[1]
		}
	}
	if len(names) < 200 {
		t.Fatalf("opcodes.txt names %d instructions", len(names))
	}
	files, err := filepath.Glob(filepath.Join(shaderDir, "*", "*.spv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range append(files, "../internal/core/testdata/heap.comp.spvasm.spv") {
		code, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for i := 20; i < len(code); {
			w := binary.LittleEndian.Uint32(code[i:])
			delete(names, w&0xFFFF)
			i += 4 * int(max(w>>16, 1))
		}
	}
	for _, name := range names {
		t.Errorf("no shader of the corpus has %s", name)
	}
}

func (c *shaderCase) run(t *testing.T, dev *pumice.Device) {
	ctx := context.Background()
	p := c.program(t)
	defer func() {
		if p.err != "" && !t.Failed() {
			t.Errorf("accepted; want an error that says %q", p.err)
		}
	}()
	// failed ends the test: well where an error was announced.
	failed := func(err error) bool {
		if err == nil {
			return false
		}
		if p.err == "" || !strings.Contains(err.Error(), p.err) {
			t.Errorf("%v; announced: %q", err, p.err)
		}
		p.err = ""
		return true
	}
	constants := pumice.Constants{}
	for id, v := range p.spec {
		constants[id] = v
	}
	buffers := map[uint32]*pumice.Buffer{}
	bind := func(set *pumice.DescriptorSet) {
		for b, d := range p.buffers {
			buf, err := dev.NewBufferFrom(d.start())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { buf.Close() })
			buffers[b] = buf
			if err := set.Bind(b, buf); err != nil {
				t.Fatal(err)
			}
		}
		for b, im := range p.images {
			if err := set.Bind(b, im.resource(t, dev)); err != nil {
				t.Fatal(err)
			}
		}
	}
	cmd := dev.NewCommandBuffer()
	var targets []*pumice.Image
	if code, ok := c.stages["comp"]; ok {
		pipe, err := dev.NewComputePipeline(pumice.ComputePipelineDesc{
			Compute: pumice.Shader{Code: code, Constants: constants, SubgroupSize: p.each},
		})
		if failed(err) {
			return
		}
		defer pipe.Close()
		cmd.BindPipeline(pipe)
		if set, err := pipe.NewDescriptorSet(0); err == nil {
			defer set.Close()
			bind(set)
			cmd.BindDescriptorSet(0, set)
		}
		if len(p.push) > 0 {
			cmd.PushConstants(0, p.push)
		}
		cmd.Dispatch(p.groups[0], p.groups[1], p.groups[2])
	} else {
		desc := pumice.GraphicsPipelineDesc{
			Vertex: pumice.Shader{Code: c.stages["vert"], Constants: constants}, Fragment: pumice.Shader{Code: c.stages["frag"], Constants: constants},
			TessControl: pumice.Shader{Code: c.stages["tesc"]}, TessEvaluation: pumice.Shader{Code: c.stages["tese"]},
			Geometry: pumice.Shader{Code: c.stages["geom"]},
			Task:     pumice.Shader{Code: c.stages["task"]}, Mesh: pumice.Shader{Code: c.stages["mesh"]},
		}
		if c.stages["tesc"] != nil {
			desc.PatchVertices = 3
		}
		var r pumice.Rendering
		for _, d := range p.colors {
			im, err := dev.NewImage(pumice.ImageDesc{Format: d.format, Width: p.size[0], Height: p.size[1]})
			if err != nil {
				t.Fatal(err)
			}
			defer im.Close()
			targets = append(targets, im)
			desc.ColorFormats = append(desc.ColorFormats, d.format)
			r.Color = append(r.Color, pumice.Attachment{Target: im, Load: vk.AttachmentLoadOpClear})
		}
		pipe, err := dev.NewGraphicsPipeline(desc)
		if failed(err) {
			return
		}
		defer pipe.Close()
		pass := cmd.BeginRendering(r)
		pass.BindPipeline(pipe)
		if set, err := pipe.NewDescriptorSet(0); err == nil {
			defer set.Close()
			bind(set)
			pass.BindDescriptorSet(0, set)
		}
		if len(p.push) > 0 {
			pass.PushConstants(0, p.push)
		}
		if c.stages["mesh"] != nil {
			pass.DrawMeshTasks(1, 1, 1)
		} else {
			pass.Draw(3, 1)
		}
		pass.End()
	}
	if failed(dev.Submit(ctx, cmd)) {
		return
	}
	for _, b := range slices.Sorted(maps.Keys(p.buffers)) {
		d := p.buffers[b]
		if d.want == nil {
			continue
		}
		got := make([]byte, len(d.want))
		if err := buffers[b].Read(ctx, 0, got); err != nil {
			t.Fatal(err)
		}
		d.compare(t, "buffer", b, got)
	}
	for i, d := range p.colors {
		got, err := targets[i].Read(ctx, pumice.Subresource{})
		if err != nil {
			t.Fatal(err)
		}
		d.compare(t, "colour", uint32(i), got)
	}
	for b, im := range p.images {
		if im.want == nil {
			continue
		}
		got, err := im.image.Read(ctx, pumice.Subresource{})
		if err != nil {
			t.Fatal(err)
		}
		im.compare(t, "image", b, got)
	}
}

// compare shows differing values by their numbers and their bits.
func (d *shaderData) compare(t *testing.T, what string, index uint32, got []byte) {
	t.Helper()
	if diff := cmp.Diff(d.show(d.want), d.show(got)); diff != "" {
		t.Errorf("%s %d (-want +got):\n%s", what, index, diff)
	}
}

// Projective instructions don't exist for cubes and arrays, even with a coordinate that has a divisor.
func TestShaders_IMG026_Projections(t *testing.T) {
	rules.Covers(t, "IMG-026")
	runShaders(t, 2, func(name string) bool { return strings.HasPrefix(name, "image/proj") })
}

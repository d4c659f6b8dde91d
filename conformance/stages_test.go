package conformance

import (
	"fmt"
	"image/color"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/vk"
)

// stageCase is a pipeline with stages between vertices and fragments.
type stageCase struct {
	name       string
	evaluation string // with stages.tesc
	geometry   string
	topology   vk.PrimitiveTopology
	vertices   uint32
}

var stageCases = []stageCase{
	{"geometry", "", "stages.geom", vk.PrimitiveTopologyTriangleList, 600},
	{"geometry strip", "", "stages.geom", vk.PrimitiveTopologyTriangleStrip, 90},
	{"geometry fan", "", "stages.geom", vk.PrimitiveTopologyTriangleFan, 50},
	{"adjacency", "", "lines.geom", vk.PrimitiveTopologyLineListWithAdjacency, 200},
	{"adjacency strip", "", "lines.geom", vk.PrimitiveTopologyLineStripWithAdjacency, 60},
	{"quads", "quads.tese", "", vk.PrimitiveTopologyPatchList, 1000},
	{"triangles", "triangles.tese", "", vk.PrimitiveTopologyPatchList, 1000},
	{"isolines", "isolines.tese", "", vk.PrimitiveTopologyPatchList, 300},
	{"points", "points.tese", "", vk.PrimitiveTopologyPatchList, 300},
	{"mesh", "", "", vk.PrimitiveTopologyTriangleList, 40},
	{"subgroups", "groups.tese", "", vk.PrimitiveTopologyPatchList, 1000},
	{"subgroups and geometry", "groups.tese", "stages.geom", vk.PrimitiveTopologyPatchList, 100},
	{"quads and geometry", "quads.tese", "stages.geom", vk.PrimitiveTopologyPatchList, 100},
}

// shaderFile reads a shader of testdata; "" gives none.
func shaderFile(t testing.TB, name string) pumice.Shader {
	t.Helper()
	if name == "" {
		return pumice.Shader{}
	}
	code, err := os.ReadFile("testdata/" + name + ".spv")
	if err != nil {
		t.Fatal(err)
	}
	return pumice.Shader{Code: code}
}

// draw draws a case.
func (c *stageCase) draw(t testing.TB, dev *pumice.Device, provoking vk.ProvokingVertexModeEXT) result {
	t.Helper()
	const format = vk.FormatR8G8B8A8Unorm
	target, err := dev.NewImage(pumice.ImageDesc{Format: format, Width: 150, Height: 110})
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	control, patch := "", uint32(0)
	if c.evaluation != "" {
		control, patch = "stages.tesc", 5
	}
	desc := pumice.GraphicsPipelineDesc{
		Vertex: shaderFile(t, "stages.vert"), TessControl: shaderFile(t, control), TessEvaluation: shaderFile(t, c.evaluation), PatchVertices: patch, Geometry: shaderFile(t, c.geometry), Fragment: shaderFile(t, "stages.frag"),
		InputAssembly: &vk.PipelineInputAssemblyStateCreateInfo{Topology: c.topology}, ProvokingVertex: provoking,
		ColorFormats: []vk.Format{format}, Blend: &vk.PipelineColorBlendStateCreateInfo{Attachments: []vk.PipelineColorBlendAttachmentState{pumice.AlphaBlend()}},
	}
	mesh := c.name == "mesh"
	if mesh {
		desc.Vertex, desc.Task, desc.Mesh = pumice.Shader{}, shaderFile(t, "stages.task"), shaderFile(t, "stages.mesh")
		desc.Fragment = shaderFile(t, "mesh.frag")
	}
	pipeline, err := dev.NewGraphicsPipeline(desc)
	if err != nil {
		t.Fatal(err)
	}
	defer pipeline.Close()
	cmd := dev.NewCommandBuffer()
	pass := cmd.BeginRendering(pumice.ClearTo(target, color.Black))
	pass.BindPipeline(pipeline)
	if mesh {
		pass.DrawMeshTasks(c.vertices, 1, 1)
	} else {
		pass.Draw(c.vertices, 2)
	}
	pass.End()
	if err := dev.Submit(ctx, cmd); err != nil {
		t.Fatal(err)
	}
	img, err := target.ReadNRGBA(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return pictureResult(c.name, img)
}

// TestDeterminism_Stages draws each case, whose order shows through blending, with
// every configuration, and with bins so small that chunks are drawn before they
// are done.
func TestDeterminism_Stages(t *testing.T) {
	list := configs()
	devices := make([]*pumice.Device, 0, len(list)+1)
	for _, c := range list {
		devices = append(devices, open(t, c))
	}
	small, err := pumice.Open(&pumice.Config{Threads: 16, BinBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer small.Close()
	devices = append(devices, small)
	for _, c := range stageCases {
		t.Run(c.name, func(t *testing.T) {
			var modes [2]result
			for mode := range modes {
				for i, dev := range devices {
					got := c.draw(t, dev, vk.ProvokingVertexModeEXT(mode))
					switch {
					case i == 0 && blank(got):
						t.Fatal("nothing was drawn")
					case i == 0:
						modes[mode] = got
					case !same(t, fmt.Sprintf("device %d", i), modes[mode], got):
						return
					}
				}
			}
			if c.name != "points" && string(modes[0].data) == string(modes[1].data) {
				t.Error("the provoking vertex makes no difference")
			}
		})
	}
}

func BenchmarkStages(b *testing.B) {
	dev, err := pumice.Open(nil)
	if err != nil {
		b.Fatal(err)
	}
	defer dev.Close()
	for _, c := range stageCases {
		b.Run(c.name, func(b *testing.B) {
			before := dev.Stats().Primitives
			for b.Loop() {
				c.draw(b, dev, vk.ProvokingVertexModeFirstVertexEXT)
			}
			n := dev.Stats().Primitives - before
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(max(n, 1)), "ns/primitive")
		})
	}
}

// A few patches, each cut into thousands of triangles whose corners a geometry
// shader makes strips of, come to hundreds of megabytes of set-ups: they are drawn
// in the budget that the device was given.
func TestStages_AmplificationIsBounded(t *testing.T) {
	dev, err := pumice.Open(&pumice.Config{Threads: 2, BinBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	c := stageCase{"amplified", "quads.tese", "stages.geom", vk.PrimitiveTopologyPatchList, 5 * 400}
	done := make(chan uint64)
	stop := make(chan struct{})
	var before runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	go func() { // the largest heap meanwhile
		peak := uint64(0)
		for {
			select {
			case <-stop:
				done <- peak
				return
			case <-time.After(5 * time.Millisecond):
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				peak = max(peak, m.HeapInuse)
			}
		}
	}()
	c.draw(t, dev, vk.ProvokingVertexModeFirstVertexEXT)
	close(stop)
	peak := <-done
	n := dev.Stats().Primitives
	if n < 300_000 {
		t.Errorf("only %d primitives: the test tests too little", n)
	}
	if grown := int64(peak) - int64(before.HeapInuse); grown > 64<<20 {
		t.Errorf("%d primitives took %d MiB", n, grown>>20)
	}
}

// Workgroups that launch or make nothing draw nothing, whatever outputs they have.
func TestStages_NothingMade(t *testing.T) {
	dev, err := pumice.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	for _, c := range []stageCase{
		{"mesh", "", "", vk.PrimitiveTopologyTriangleList, 1}, // task 0 launches none
		{"no triangle", "", "stages.geom", vk.PrimitiveTopologyTriangleList, 2},
		{"no patch", "quads.tese", "", vk.PrimitiveTopologyPatchList, 4},
	} {
		if got := c.draw(t, dev, vk.ProvokingVertexModeFirstVertexEXT); !blank(got) {
			t.Errorf("%s: something was drawn", c.name)
		}
	}
}

package pumice_test

import (
	"fmt"
	"image/color"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/vk"
)

// A triangle over a cleared picture: what is told of a pixel is the clear, the triangle's edges around the pixel's centre,
// and the colour on its way into the texel.
func TestExplain_Triangle(t *testing.T) {
	dev := open(t, nil)
	image := target(t, dev, 64, 64)
	pipe := must(dev.NewGraphicsPipeline(pumice.GraphicsPipelineDesc{Vertex: pumice.Shader{Code: spv(t, "triangle.vert")}, Fragment: pumice.Shader{Code: spv(t, "triangle.frag")}, ColorFormats: []vk.Format{unorm}}))(t)
	cmd := dev.NewCommandBuffer()
	pass := cmd.BeginRendering(pumice.ClearTo(image, color.Black))
	pass.BindPipeline(pipe)
	pass.Draw(3, 1)
	pass.End()
	e := must(dev.Explain(t.Context(), []pumice.WatchPoint{{Image: image, X: 32, Y: 32}}, cmd))(t)[0]
	if got, want := e.After.Bits, "ff8000ff"; got != want {
		t.Errorf("the pixel is %s, want %s", got, want)
	}
	if len(e.Events) != 2 || e.Events[0].Kind != explain.Load || e.Events[1].Kind != explain.Draw {
		t.Fatalf("events %+v, want a load and a draw", e.Events)
	}
	if got, want := e.Events[0].After.Text, "0, 0, 0, 1"; got != want {
		t.Errorf("cleared to %s, want %s", got, want)
	}
	d := e.Events[1].Draw
	if len(d.Fragments) != 1 || d.Primitives != 1 {
		t.Fatalf("%d fragments of %d primitives, want one", len(d.Fragments), d.Primitives)
	}
	f := &d.Fragments[0]
	// RAS-233: corners (0, 0), (128, 0), (0, 128): clockwise on a screen, so the area is negative.
	if f.Primitive.Area != -128*128 || f.Primitive.Front {
		t.Errorf("twice the area %g, front %v; want -16384, false", f.Primitive.Area, f.Primitive.Front)
	}
	if w := f.Primitive.Vertices[1].Window; w == nil || *w != [3]float64{128, 0, 0.5} {
		t.Errorf("vertex 1 is at %v, want (128, 0, 0.5)", w)
	}
	if in := f.Primitive.Vertices[2].Inputs; len(in) != 1 || in[0].Name != "VertexIndex" || in[0].Value.Text != "2" {
		t.Errorf("vertex 2 is given %+v, want its VertexIndex", in)
	}
	// RAS-238, by hand: the centre (32.5, 32.5) is 32.5 pixels below the upper edge, which is 128 long.
	if got, want := f.Coverage.Edges[0].Value, 32.5*128*65536; got != want {
		t.Errorf("edge function %g, want %g", got, want)
	}
	if got, want := f.Outputs[0].Value.Text, "1, 0.5, 0, 1"; got != want {
		t.Errorf("the shader gives %s, want %s", got, want)
	}
}

// A draw has the number by which the history names it, whatever is cleared before it.
func TestExplain_DrawNumbersLeaveClearsOut(t *testing.T) {
	dev := open(t, nil)
	image := target(t, dev, 8, 8)
	pipe := must(dev.NewGraphicsPipeline(pumice.GraphicsPipelineDesc{Vertex: pumice.Shader{Code: spv(t, "triangle.vert")}, Fragment: pumice.Shader{Code: spv(t, "triangle.frag")}, ColorFormats: []vk.Format{unorm}}))(t)
	cmd := dev.NewCommandBuffer()
	pass := cmd.BeginRendering(pumice.ClearTo(image, color.Black))
	pass.BindPipeline(pipe)
	pass.Draw(3, 1)
	pass.ClearAttachments([]vk.ClearAttachment{{AspectMask: vk.ImageAspectColorBit}})
	pass.Draw(3, 1)
	pass.End()
	e := must(dev.Explain(t.Context(), []pumice.WatchPoint{{Image: image, X: 2, Y: 2}}, cmd))(t)[0]
	var draws []string
	for _, v := range e.Events {
		if v.Kind == explain.Draw {
			draws = append(draws, fmt.Sprintf("%s is %d", v.Where, v.Index))
		}
	}
	if got, want := strings.Join(draws, "; "), "pass 0, draw 0 is 0; pass 0, draw 1 is 1"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// What is not there is told in one line.
func TestWatch_Refuses(t *testing.T) {
	dev := open(t, nil)
	image := target(t, dev, 64, 32)
	for _, c := range []struct {
		at   pumice.WatchPoint
		want string
	}{
		{pumice.WatchPoint{Image: image, X: 64}, "level 0 has 64×32 texels"},
		{pumice.WatchPoint{Image: image, Y: -1}, "level 0 has 64×32 texels"},
		{pumice.WatchPoint{Image: image, Level: 1}, "level 1 of image, which has 1"},
		{pumice.WatchPoint{Image: image, Layer: 1}, "layer 1 of image, which has 1"},
		{pumice.WatchPoint{Image: image, Sample: 1}, "sample 1 of image, which has 1"},
		{pumice.WatchPoint{}, "nil"},
	} {
		if _, err := dev.Watch(c.at); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: %v, want %q in one line", c.at, err, c.want)
		}
	}
	w := must(dev.Watch(pumice.WatchPoint{Image: image}))(t)
	if _, err := dev.Watch(pumice.WatchPoint{Image: image}); err == nil {
		t.Error("two watchers at once are not refused")
	}
	w.End()
	must(dev.Watch(pumice.WatchPoint{Image: image}))(t).End()
}

// With Shader, the fragment shader tells each of its instructions: its last store is the colour that is written.
func TestExplain_Shader(t *testing.T) {
	dev := open(t, &pumice.Config{Explain: true})
	image := target(t, dev, 64, 64)
	pipe := must(dev.NewGraphicsPipeline(pumice.GraphicsPipelineDesc{Vertex: pumice.Shader{Code: spv(t, "triangle.vert")}, Fragment: pumice.Shader{Code: spv(t, "triangle.frag")}, ColorFormats: []vk.Format{unorm}}))(t)
	cmd := dev.NewCommandBuffer()
	pass := cmd.BeginRendering(pumice.ClearTo(image, color.Black))
	pass.BindPipeline(pipe)
	pass.Draw(3, 1)
	pass.End()
	e := must(dev.Explain(t.Context(), []pumice.WatchPoint{{Image: image, X: 5, Y: 6, Shader: true, Quad: true}}, cmd))(t)[0]
	f := &e.Events[len(e.Events)-1].Draw.Fragments[0]
	if f.Shader == nil || len(f.Shader.Steps) == 0 {
		t.Fatal("the shader tells nothing")
	}
	last := f.Shader.Steps[len(f.Shader.Steps)-1]
	if !strings.Contains(last.Value.Text, "1, 0.5, 0, 1") || len(last.Quad) != 4 {
		t.Errorf("the last instruction is %+v, want a store of (1, 0.5, 0, 1) in all four lanes", last)
	}
	if e.After.Bits != "ff8000ff" {
		t.Errorf("the traced pixel is %s, want ff8000ff", e.After.Bits)
	}
	plain := open(t, nil)
	if _, err := plain.Watch(pumice.WatchPoint{Image: target(t, plain, 4, 4), Shader: true}); err == nil {
		t.Error("a device that keeps no shaders says nothing")
	}
}

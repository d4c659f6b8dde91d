package render

import (
	"errors"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// A pass clears its area in all layers, and nothing beside it, whether something is drawn to a row of tiles
// or not; what is drawn is over the clear.
func TestClear_RowsOfTilesWithAndWithoutDraws(t *testing.T) {
	rules.Covers(t, "RAS-098")
	for _, drawn := range []bool{false, true} {
		for _, area := range []vk.Rect2D{
			{Extent: vk.Extent2D{Width: 90, Height: 100}},
			{Offset: vk.Offset2D{X: 5, Y: 21}, Extent: vk.Extent2D{Width: 77, Height: 70}},
		} {
			s := newScene(t, 90, 100, 1, vk.FormatD32SfloatS8Uint)
			s.color, s.depth = newView(t, vk.FormatR8G8B8A8Unorm, 90, 100, 1, 2), newView(t, vk.FormatD32SfloatS8Uint, 90, 100, 1, 2)
			for _, im := range []*[]byte{&s.color.Image.Data, &s.depth.Image.Data} {
				for i := range *im {
					(*im)[i] = 0x33
				}
			}
			s.pass.Area, s.pass.Layers = area, 2
			s.pass.Color[0] = Attachment{View: s.color, Load: vk.AttachmentLoadOpClear, ClearColor: texel(0, 1, 0, 1)}
			*s.pass.Depth = Attachment{View: s.depth, Load: vk.AttachmentLoadOpClear, ClearDepth: 1, ClearStencil: 7}
			if drawn {
				s.add(s.pipeline(t, 16), s.state, s.quad(nil, 40, 60, 48, 66, 0.5, 1, 0, 0, 1), 8)
			}
			s.run(t, Config{Threads: 2, TileSize: 16})
			in := func(r raster.Rect, x, y int) bool {
				return x >= int(r.X0) && x < int(r.X1) && y >= int(r.Y0) && y < int(r.Y1)
			}
			stencil := s.depth.Image.PlaneOf(vk.ImageAspectStencilBit)
			for layer := range 2 {
				d, st := s.depth.Image.Level(0, 0, layer), s.depth.Image.Level(stencil, 0, layer)
				for y := range 100 {
					for x := range 90 {
						color, depth, code := [4]byte{0x33, 0x33, 0x33, 0x33}, [4]byte{0x33, 0x33, 0x33, 0x33}, byte(0x33)
						if in(rectOf(area), x, y) {
							color, depth, code = [4]byte{0, 255, 0, 255}, [4]byte{0, 0, 0x80, 0x3F}, 7
							if drawn && layer == 0 && in(raster.Rect{X0: 40, Y0: 60, X1: 48, Y1: 66}, x, y) {
								color = [4]byte{255, 0, 0, 255}
							}
						}
						if got := pixel(s.color, x, y, layer); got != color || [4]byte(d.Row(x, y, 0, 1)) != depth || st.Row(x, y, 0, 1)[0] != code {
							t.Fatalf("drawn %v, area %+v: pixel (%d, %d) of layer %d is %x, %x, %x", drawn, area, x, y, layer, got, d.Row(x, y, 0, 1), st.Row(x, y, 0, 1))
						}
					}
				}
			}
		}
	}
}

// A worker that fails while it clears keeps nobody waiting for its rows.
func TestClear_AWorkerFails(t *testing.T) {
	s := newScene(t, 64, 40, 1, vk.FormatUndefined)
	s.pass.Color[0] = Attachment{View: s.color, Load: vk.AttachmentLoadOpClear}
	s.add(s.pipeline(t, 16), s.state, s.quad(nil, 0, 0, 64, 40, 0, 1, 0, 0, 1), 8)
	for range 20 {
		x := newExecutor(Config{Threads: 3, TileSize: 16})
		plan, err := x.newPlan(&s.pass)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range x.workers {
			w.prepare(plan)
		}
		x.source = source{x: x, plan: plan}
		if _, err := x.bin(&Stats{}); err != nil {
			t.Fatal(err)
		}
		surface := &plan.Color[0].Surfaces[0]
		surface.Data = surface.Data[: 4*64*20 : 4*64*20] // two bands fail
		var failed *WorkerError
		if err := x.draw(plan, true, true, &Stats{}); !errors.As(err, &failed) || !strings.Contains(failed.Stack, "clearTo") {
			t.Fatalf("clearing memory that is not there: %v", err)
		}
	}
}

package render

import (
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Tests that wait for one run are as if each had been run at once: what bounds decide of a block
// may not overtake those that wait for it, and no program runs for another.
func TestRun_RAS327_TestsThatWait(t *testing.T) {
	rules.Covers(t, "RAS-327", "RAS-321")
	up := vk.StencilOpState{PassOp: vk.StencilOpIncrementAndClamp, CompareOp: vk.CompareOpAlways, CompareMask: 255, WriteMask: 255, Reference: 5}
	set := up
	set.PassOp = vk.StencilOpReplace
	type box struct {
		x1, y1, z float32
		back      bool
	}
	for name, c := range map[string]struct {
		change  func(s *scene)
		boxes   []box // from (0, 0), in one draw
		z       float32
		stencil byte
	}{
		"equal to what an earlier one overwrites": {func(s *scene) { s.state.DepthCompareOp = vk.CompareOpNotEqual }, []box{{6, 6, .25, false}, {7, 7, .5, false}}, .5, 0},
		"all of the tile over one that waits":     {func(*scene) {}, []box{{6, 6, .375, false}, {16, 16, .25, false}}, .25, 0},
		"depth passes, stencil counts":            {func(s *scene) { s.state.StencilTestEnable, s.state.Front = true, up }, []box{{8, 8, .25, false}}, .25, 1},
		"depth passes unwritten, stencil counts": {func(s *scene) {
			s.state.StencilTestEnable, s.state.Front, s.state.DepthWriteEnable = true, up, false
		}, []box{{8, 8, .25, false}, {6, 6, .75, false}, {5, 5, .125, false}}, .5, 2},
		"stencil counts where depth fails": {func(s *scene) {
			s.state.StencilTestEnable, s.state.Front = true, up
			s.state.Front.DepthFailOp = vk.StencilOpReplace
		}, []box{{8, 8, .75, false}}, .5, 5},
		"stencil counts where it fails": {func(s *scene) {
			s.state.StencilTestEnable, s.state.Front = true, up
			s.state.Front.FailOp, s.state.Front.CompareOp = vk.StencilOpReplace, vk.CompareOpLess
		}, []box{{8, 8, .75, false}}, .5, 5},
		"nothing happens where depth fails": {func(s *scene) {
			s.state.StencilTestEnable, s.state.Front = true, up
			s.state.Front.CompareOp = vk.CompareOpEqual
		}, []box{{8, 8, .75, false}}, .5, 0},
		"front and back": {func(s *scene) {
			s.state.StencilTestEnable, s.state.Front, s.state.Back, s.state.DepthTestEnable = true, set, up, false
		}, []box{{8, 8, .5, true}, {7, 7, .5, false}, {6, 6, .5, true}}, .5, 6},
	} {
		s := newScene(t, 16, 16, 1, vk.FormatD32SfloatS8Uint)
		s.pass.Depth.ClearDepth = .5
		s.state.DepthTestEnable, s.state.DepthWriteEnable, s.state.DepthCompareOp = true, true, vk.CompareOpLess
		s.state.FrontFace = vk.FrontFaceClockwise
		c.change(s)
		var v []float32
		for _, b := range c.boxes {
			q := s.quad(nil, 0, 0, b.x1, b.y1, b.z, red...)
			if b.back {
				for i := 0; i < len(q); i += 24 { // another order of vertices
					v = append(append(append(v, q[i:i+8]...), q[i+16:i+24]...), q[i+8:i+16]...)
				}
				continue
			}
			v = append(v, q...)
		}
		s.add(s.pipeline(t, 64), s.state, v, 8)
		for _, lanes := range []int{128, 64} { // programs on places, and on rows of quads
			s.run(t, Config{Threads: 1, Lanes: lanes, TileSize: 16})
			if z, st := s.depthStencilOf(2, 2, 0); z != c.z || st != c.stencil {
				t.Errorf("%s, %d lanes: depth %v and stencil %d, want %v and %d", name, lanes, z, st, c.z, c.stencil)
			}
		}
	}
}

package render

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/render/fragment"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// A shader that demotes, fused with the tests after it and with its attachment, leaves what its programs
// do one after the other: colour, depth, stencil and counts of samples, in two ranges of depth.
func TestRun_FusedTests(t *testing.T) {
	rules.Covers(t, "RAS-298", "RAS-301", "RAS-303")
	draw := func(fuseAfter int64, lanes int, format vk.Format, samples int) (images [][]byte, counts []uint64) {
		r := rand.New(rand.NewPCG(3, 4))
		s := newScene(t, 64, 64, samples, format)
		s.fs = holes()
		s.state.DepthTestEnable, s.state.DepthWriteEnable, s.state.DepthCompareOp = true, true, vk.CompareOpLess
		if s.pass.Stencil != nil && samples == 1 {
			face := vk.StencilOpState{CompareOp: vk.CompareOpGreaterOrEqual, PassOp: vk.StencilOpIncrementAndWrap, DepthFailOp: vk.StencilOpInvert, CompareMask: 7, WriteMask: 0x3F, Reference: 3}
			s.state.StencilTestEnable, s.state.Front, s.state.Back = true, face, face
		}
		s.state.Blend[0] = blendStates[1].state
		s.pass.Occlusion = make([]uint64, 2)
		for i := range 2 {
			s.state.Viewports[0].MinDepth, s.state.Viewports[0].MaxDepth = .1*float32(1+i), .6+.1*float32(i)
			var v []float32
			for range 40 {
				x, y, z := 50*r.Float32(), 50*r.Float32(), r.Float32()
				v = s.quad(v, x, y, x+20*r.Float32(), y+20*r.Float32(), z, r.Float32(), r.Float32(), r.Float32(), r.Float32())
			}
			s.add(s.pipeline(t, 256), s.state, v, 8).Occlusion = 1 + i
		}
		x := newExecutor(Config{Threads: 1, Lanes: lanes})
		x.FuseAfter = fuseAfter
		if _, err := x.Run(context.Background(), &s.pass); err != nil {
			t.Fatal(err)
		}
		tested := 0
		for k, f := range x.Fusions {
			if f.Fused && k.Tail.Tested {
				tested++
			}
		}
		if fuseAfter == 0 && tested == 0 {
			t.Errorf("%v, %d samples: nothing is fused with tests", format, samples)
		}
		for _, v := range s.images() {
			images = append(images, v.Image.Data)
		}
		return images, s.pass.Occlusion
	}
	for _, c := range []struct {
		format  vk.Format
		samples int
	}{{vk.FormatD32Sfloat, 1}, {vk.FormatD32Sfloat, 4}, {vk.FormatX8D24UnormPack32, 1}, {vk.FormatD16Unorm, 1}, {vk.FormatD32SfloatS8Uint, 1}} {
		want, wantCounts := draw(fragment.FuseAfter, 0, c.format, c.samples)
		for _, lanes := range []int{0, 128} { // with 128, places are packed
			got, gotCounts := draw(0, lanes, c.format, c.samples)
			if !slices.EqualFunc(got, want, bytes.Equal) || !slices.Equal(gotCounts, wantCounts) {
				t.Errorf("%v, %d samples, %d lanes: fused programs leave other pixels, or count %v instead of %v", c.format, c.samples, lanes, gotCounts, wantCounts)
			}
		}
	}
}

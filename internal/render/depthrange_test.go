package render

import (
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// fragops-depth: what is clamped to with and without depth clamp, a range of its own
// (depthClampControl) and beyond [0, 1] (VK_EXT_depth_range_unrestricted).
func TestDepthRange_ByState(t *testing.T) {
	rules.Covers(t, "RAS-326")
	inf := float32(math.Inf(1))
	v := vk.Viewport{MinDepth: 0.75, MaxDepth: 0.25}
	for _, c := range []struct {
		state     DynamicState
		low, high float32
	}{
		{DynamicState{}, 0, 1},
		{DynamicState{DepthClipEnable: true}, 0, 1},
		{DynamicState{DepthUnrestricted: true}, -inf, inf},
		{DynamicState{DepthClampEnable: true}, 0.25, 0.75},
		{DynamicState{DepthClampEnable: true, DepthUnrestricted: true}, 0.25, 0.75},
		{DynamicState{DepthClampEnable: true, DepthClampUser: true, DepthClampRange: [2]float32{0.4, 0.5}}, 0.4, 0.5},
		{DynamicState{DepthClampUser: true, DepthClampRange: [2]float32{0.4, 0.5}}, 0, 1},
	} {
		if low, high := c.state.depthRange(v); low != c.low || high != c.high {
			t.Errorf("clamp %v, own range %v, unrestricted %v: %v…%v, want %v…%v", c.state.DepthClampEnable, c.state.DepthClampUser, c.state.DepthUnrestricted, low, high, c.low, c.high)
		}
	} // NaN is no bound: what compares with it is left to the tests themselves (fragops.DepthStencil.Range).
	nan := float32(math.NaN())
	for _, v := range []vk.Viewport{{MinDepth: nan, MaxDepth: .5}, {MinDepth: .5, MaxDepth: nan}, {MinDepth: nan, MaxDepth: nan}} {
		if low, high := (&DynamicState{DepthClampEnable: true}).depthRange(v); low == low || high == high {
			t.Errorf("from %v to %v: %v…%v", v.MinDepth, v.MaxDepth, low, high)
		}
	}
}

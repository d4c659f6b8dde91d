package render

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/vk"
)

// TestRun_HostileState draws with random state, in range and out of it: a pass
// may be refused, but nothing may panic.
func TestRun_HostileState(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	s := newScene(t, 32, 32, 4, vk.FormatD24UnormS8Uint)
	p := s.pipeline(t, 64)
	x := newExecutor(Config{Threads: 2, TileSize: 16})
	var v []float32
	for range 60 {
		for range 8 {
			v = append(v, hostileFloat(r))
		}
	}
	drawn := 0
	for range 1000 {
		s.pass.Draws = nil
		d := s.add(p, hostileState(r, s.state), v, 8)
		d.First, d.VertexOffset = uint32(r.IntN(3)), int32(r.IntN(5)-2)
		_, err := x.Run(context.Background(), &s.pass)
		if e := (*WorkerError)(nil); errors.As(err, &e) {
			t.Fatalf("state %+v: %v", *d.State, err)
		}
		if err == nil {
			drawn++
		}
	}
	if drawn < 200 {
		t.Errorf("only %d of 1000 passes were drawn", drawn)
	}
}

// hostileFloat is mostly an ordinary coordinate.
func hostileFloat(r *rand.Rand) float32 {
	switch r.IntN(12) {
	case 0:
		return math.Float32frombits(r.Uint32())
	case 1:
		return float32(math.Inf(r.IntN(2)*2 - 1))
	case 2:
		return 1e30
	}
	return r.Float32()*4 - 2
}

func hostileState(r *rand.Rand, s DynamicState) DynamicState {
	// pick gives a value of the enum, or sometimes anything.
	pick := func(n int) int32 {
		if r.IntN(60) == 0 {
			return int32(r.Uint32())
		}
		return int32(r.IntN(n))
	}
	flip := func() bool { return r.IntN(2) == 0 }
	s.Topology = vk.PrimitiveTopology(pick(10))
	s.PrimitiveRestart = flip()
	s.ViewportCount = 1 + int(pick(3))
	for i := range 4 {
		s.Viewports[i] = vk.Viewport{X: hostileFloat(r), Y: hostileFloat(r), Width: 32 * hostileFloat(r), Height: 32 * hostileFloat(r), MinDepth: hostileFloat(r), MaxDepth: hostileFloat(r)}
		if flip() {
			s.Viewports[i] = s.Viewports[0]
			s.Viewports[0] = vk.Viewport{Width: 32, Height: 32, MaxDepth: 1}
		}
		s.Scissors[i] = vk.Rect2D{Offset: vk.Offset2D{X: pick(20), Y: pick(20)}, Extent: vk.Extent2D{Width: uint32(pick(40)), Height: uint32(pick(40))}}
	}
	s.DepthNegativeOneToOne, s.DepthClipEnable, s.DepthClampEnable = flip(), flip(), flip()
	s.PolygonMode = vk.PolygonMode(pick(3))
	s.CullMode, s.FrontFace = vk.CullModeFlags(pick(4)), vk.FrontFace(pick(2))
	s.DepthBiasEnable, s.DepthBiasConstant, s.DepthBiasSlope, s.DepthBiasClamp = flip(), hostileFloat(r), hostileFloat(r), hostileFloat(r)
	s.LineWidth = hostileFloat(r)
	s.LineMode = vk.LineRasterizationMode(pick(3))
	s.ProvokingVertexMode = vk.ProvokingVertexModeEXT(pick(2))
	s.SampleMask = r.Uint64()
	s.SampleShadingEnable, s.AlphaToCoverageEnable, s.AlphaToOneEnable = flip(), flip(), flip()
	s.DepthTestEnable, s.DepthWriteEnable, s.DepthCompareOp = flip(), flip(), vk.CompareOp(pick(8))
	s.DepthBoundsTestEnable, s.MinDepthBounds, s.MaxDepthBounds = r.IntN(4) == 0, hostileFloat(r), hostileFloat(r)
	s.StencilTestEnable = flip()
	s.Front = vk.StencilOpState{FailOp: vk.StencilOp(pick(8)), PassOp: vk.StencilOp(pick(8)), DepthFailOp: vk.StencilOp(pick(8)), CompareOp: vk.CompareOp(pick(8)), CompareMask: r.Uint32(), WriteMask: r.Uint32(), Reference: r.Uint32()}
	s.LogicOpEnable, s.LogicOp = r.IntN(4) == 0, vk.LogicOp(pick(16))
	b := &s.Blend[0]
	b.BlendEnable = flip()
	b.SrcColorBlendFactor, b.DstColorBlendFactor, b.ColorBlendOp = vk.BlendFactor(pick(19)), vk.BlendFactor(pick(19)), vk.BlendOp(pick(5))
	b.SrcAlphaBlendFactor, b.DstAlphaBlendFactor, b.AlphaBlendOp = vk.BlendFactor(pick(19)), vk.BlendFactor(pick(19)), vk.BlendOp(pick(5))
	b.ColorWriteMask = vk.ColorComponentFlags(r.Uint32())
	s.BlendConstants = [4]float32{hostileFloat(r), hostileFloat(r), hostileFloat(r), hostileFloat(r)}
	return s
}

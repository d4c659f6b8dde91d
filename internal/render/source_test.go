package render

import (
	"bytes"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Primitives with adjacency and no geometry shader are drawn as those without, however
// many a chunk holds.
func TestDraw_AdjacencyWithoutGeometryShader_FillsChunks(t *testing.T) {
	rules.Covers(t, "RAS-050")
	for _, c := range []struct {
		with, without vk.PrimitiveTopology
		own           []int // vertices that are not adjacent ones
		of            int
	}{
		{vk.PrimitiveTopologyTriangleListWithAdjacency, vk.PrimitiveTopologyTriangleList, []int{0, 2, 4}, 6},
		{vk.PrimitiveTopologyLineListWithAdjacency, vk.PrimitiveTopologyLineList, []int{1, 2}, 4},
	} {
		const primitives = minPrimitives + 100
		var pictures [2][]byte
		for i, topology := range []vk.PrimitiveTopology{c.with, c.without} {
			s := newScene(t, 64, 32, 1, vk.FormatUndefined)
			s.state.Topology = topology
			var list []float32
			vertices := 0
			for p := range primitives {
				for k := range c.of {
					v := 0
					for o, at := range c.own {
						if at == k {
							v = o + 1
						}
					}
					if v == 0 && i == 1 {
						continue
					}
					x, y := float32(p*7%60), float32(p*5%28)
					list = s.vert(list, x+float32(v%3)*4, y+float32(v/2)*4, 0, float32(p)/primitives, float32(v)/4, 1, 1)
					vertices++
				}
			}
			s.add(s.pipeline(t, 64), s.state, list, len(list)/vertices)
			s.run(t, Config{Threads: 1})
			pictures[i] = s.color.Image.Data
		}
		if bytes.Equal(pictures[0], make([]byte, len(pictures[0]))) || !bytes.Equal(pictures[0], pictures[1]) {
			t.Errorf("%v: nothing was drawn, or another picture than that of %v", c.with, c.without)
		}
	}
}

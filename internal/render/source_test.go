package render

import (
	"bytes"
	"context"
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

// Small draws share chunks: a few of them a small one, many of them large ones, of which there are some for each worker.
func TestSource_ChunksOfSmallDraws(t *testing.T) {
	for _, c := range []struct{ draws, threads, least, most int }{
		{minPrimitives / 4, 1, 1, 1}, {2 * minPrimitives, 1, 4, 8}, {40 * minPrimitives, 1, 10, 20}, {40 * minPrimitives, 16, 80, 160},
	} {
		s := newScene(t, 64, 32, 1, vk.FormatUndefined)
		p := s.pipeline(t, 64)
		list := s.vert(s.vert(s.vert(nil, 0, 0, 0, 1, 1, 1, 1), 4, 0, 0, 1, 1, 1, 1), 0, 4, 0, 1, 1, 1, 1)
		for range c.draws {
			s.add(p, s.state, list, 8)
		}
		x := newExecutor(Config{Threads: c.threads})
		if _, err := x.Run(context.Background(), &s.pass); err != nil {
			t.Fatal(err)
		}
		if n := len(x.pool); n < c.least || n > c.most {
			t.Errorf("%d draws, %d workers: %d chunks, want %d to %d", c.draws, c.threads, n, c.least, c.most)
		}
	}
}

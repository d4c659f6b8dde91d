package conformance

import (
	"fmt"
	"math"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Clip and cull distances by tables: every number of both, each of them, of every class of topologies.

// distanceDraw is a draw of a shader with numbers of distances; the one with an index is d of a vertex's place, the others are 1. Clip distances
// are numbered from 0 on, cull distances from 8 on.
func distanceDraw(clips, culls, index int, topology vk.PrimitiveTopology, d func(x float32) float32) *ruleDraw {
	places := [][2]float32{{0, 0}, {16, 0}, {0, 16}} // all of the pixels
	switch topology {
	case vk.PrimitiveTopologyLineList:
		places = [][2]float32{{0, .5}, {8, .5}}
	case vk.PrimitiveTopologyPointList:
		places = nil
		for x := range 8 {
			places = append(places, [2]float32{float32(x) + .5, .5})
		}
	}
	draw := triangles("white.frag", 1, 8, 1)
	draw.vertex, draw.topology = "distances.vert", topology
	for _, p := range places {
		draw.vertices = append(draw.vertices, at(p[0], p[1], float32(index), d(p[0]), 255))
	}
	draw.pipeline = func(p *pumice.GraphicsPipelineDesc) {
		p.Vertex.Constants = pumice.Constants{1: int32(clips), 2: int32(culls)}
	}
	return draw
}

var distanceTopologies = []vk.PrimitiveTopology{vk.PrimitiveTopologyTriangleList, vk.PrimitiveTopologyLineList, vk.PrimitiveTopologyPointList}

func TestTables_RAS077_EveryDistance(t *testing.T) {
	rules.Covers(t, "RAS-074", "RAS-077", "RAS-078", "RAS-085", "RAS-086")
	devices := tableDevices(t)
	nan, inf, zero := float32(math.NaN()), float32(math.Inf(1)), float32(math.Copysign(0, -1))
	for clips := 1; clips < 8; clips++ {
		for culls := 1; clips+culls <= 8; culls++ {
			for n, topology := range distanceTopologies {
				dev := devices[(clips+culls+n)%2]
				for index := range clips {
					if testing.Short() && (index+clips+n)%2 == 1 {
						continue
					}
					for _, c := range []struct {
						name string
						of   func(x float32) float32
						want string
					}{
						// Samples on the plane belong to what lies right of it; of lines to the part that begins there. A point's own is not below zero.
						{"right of 4", func(x float32) float32 { return x - 4 }, "....xxxx"},
						{"right of 4.5", func(x float32) float32 { return x - 4.5 }, "....xxxx"},
						{"left of 4", func(x float32) float32 { return 4 - x }, "xxxx...."},
						{"left of 4.5", func(x float32) float32 { return 4.5 - x }, map[bool]string{true: "xxxxx...", false: "xxxx...."}[topology == vk.PrimitiveTopologyPointList]},
						{"none", func(x float32) float32 { return -1 - x }, "........"},
						{"all", func(x float32) float32 { return 0 }, "xxxxxxxx"},
						{"all, of the other zero", func(x float32) float32 { return zero }, "xxxxxxxx"},
						{"no number", func(x float32) float32 { return nan }, "........"},
						{"infinite", func(x float32) float32 { return inf }, "........"},
					} {
						what := fmt.Sprintf("%d clip and %d cull distances, number %d, %v, %s", clips, culls, index, topology, c.name)
						wantMap(t, what, distanceDraw(clips, culls, index, topology, c.of).run(t, dev), c.want)
					}
				}
				for index := range culls {
					all, none := "xxxxxxxx", "........"
					some, late := all, all
					if topology == vk.PrimitiveTopologyPointList {
						some, late = "....xxxx", "xxxxx..."
					}
					for _, c := range []struct {
						name string
						of   func(x float32) float32
						want string
					}{
						{"some below zero", func(x float32) float32 { return x - 4 }, some}, {"others below zero", func(x float32) float32 { return 4.5 - x }, late},
						{"all below zero", func(x float32) float32 { return -1e-30 - x }, none}, {"minus infinity", func(x float32) float32 { return -inf }, none},
						{"zero", func(x float32) float32 { return 0 }, all}, {"the other zero", func(x float32) float32 { return zero }, all}, {"no number", func(x float32) float32 { return nan }, all},
					} {
						what := fmt.Sprintf("%d clip and %d cull distances, number %d to cull, %v, %s", clips, culls, index, topology, c.name)
						wantMap(t, what, distanceDraw(clips, culls, 8+index, topology, c.of).run(t, dev), c.want)
					}
				}
			}
		}
	}
}

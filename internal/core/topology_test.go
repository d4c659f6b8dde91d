package core

import (
	"fmt"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

//go:generate glslangValidator -V --target-env vulkan1.2 -o testdata/scatter.vert.spv testdata/scatter.vert

// A pipeline of any topology draws primitives of any other class where the topology is dynamic
// (dynamicPrimitiveTopologyUnrestricted): those of a pipeline of that topology.
//
// drawing-primitive-topology-class
func TestTopology_DynamicOfAnyClass(t *testing.T) {
	rules.Covers(t, "RAS-039")
	d := open(t)
	const last = vk.PrimitiveTopologyTriangleStripWithAdjacency
	pipeline := func(topology vk.PrimitiveTopology, dynamic ...vk.DynamicState) *Pipeline {
		return fullscreen(t, d, "number.frag", numberFormats, func(i *GraphicsPipelineInfo) {
			i.Vertex.Code, i.InputAssembly.Topology, i.DynamicStates = shaderCode(t, "scatter.vert"), topology, dynamic
		})
	}
	drawn := func(p *Pipeline, topology vk.PrimitiveTopology, set bool) []uint32 {
		im, v := target(t, d, numbers, 1, 1)
		c := d.NewCommandBuffer()
		c.PushConstants("push", 0, []byte{1, 0, 0, 0})
		c.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: v}}})
		c.BindPipeline("bind", vk.PipelineBindPointGraphics, p)
		if set {
			c.SetState(vk.DynamicStatePrimitiveTopology, uint32(topology))
		}
		c.Draw("Pass.Draw", 8, 1, 0, 0)
		c.EndRendering("end")
		submit(t, d, c)
		return texels(t, im, 0, 0)
	}
	seen := map[string]bool{}
	for topology := vk.PrimitiveTopologyPointList; topology <= last; topology++ {
		want := drawn(pipeline(topology), topology, false)
		seen[fmt.Sprint(want)] = true
		for other := vk.PrimitiveTopologyPointList; other <= last; other++ {
			if got := drawn(pipeline(other, vk.DynamicStatePrimitiveTopology), topology, true); !slices.Equal(got, want) {
				t.Errorf("a pipeline of %v draws %v as %v, want %v", other, topology, got, want)
			}
		}
	}
	if len(seen) < 6 {
		t.Errorf("topologies make %d different pictures", len(seen))
	}
}

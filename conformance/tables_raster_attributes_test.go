package conformance

import (
	"math"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Attributes of sRGB formats are linear when the vertex shader reads them, each code of each component; alphas, and what a format
// lacks, are not touched.
//
// fxvertex-input-extraction
func TestTables_IMG248_Attributes(t *testing.T) {
	rules.Covers(t, "IMG-248", "IMG-250", "IMG-320")
	for f, places := range map[vk.Format][]int{ // the component that each byte is
		vk.FormatR8Srgb: {0}, vk.FormatR8G8Srgb: {0, 1}, vk.FormatR8G8B8Srgb: {0, 1, 2}, vk.FormatB8G8R8Srgb: {2, 1, 0},
		vk.FormatR8G8B8A8Srgb: {0, 1, 2, 3}, vk.FormatB8G8R8A8Srgb: {2, 1, 0, 3}, vk.FormatA8B8G8R8SrgbPack32: {0, 1, 2, 3},
	} {
		for _, dev := range tableDevices(t) {
			if p := dev.FormatProperties(f); p.BufferFeatures&vk.FormatFeatureVertexBufferBit == 0 {
				t.Errorf("%v is no format of attributes", f)
			}
			d := &ruleDraw{size: [2]int{16, 16}, colors: 5, vertex: "values.vert", pixels: "values.frag", topology: vk.PrimitiveTopologyPointList}
			d.pipeline = func(p *pumice.GraphicsPipelineDesc) { p.VertexAttributes[1].Format = f }
			codeOf := func(vertex, b int) int { return (vertex + 85*b) % 256 }
			for v := range 256 {
				bits := uint32(0)
				for b := range 4 {
					bits |= uint32(codeOf(v, b)) << (8 * b)
				}
				d.vertices = append(d.vertices, at(float32(v%16)+.5, float32(v/16)+.5, math.Float32frombits(bits)))
			}
			got := d.run(t, dev)
			for v := range 256 {
				want := [4]float32{3: 1}
				for b, c := range places {
					code := codeOf(v, b)
					if want[c] = srgbDecoded()[code]; c == 3 {
						want[c] = nearest32(ratio(int64(code), 255))
					}
				}
				if value := got.at(2, v%16, v/16, 0); value != want {
					t.Fatalf("%v: vertex %d reads %v, want %v", f, v, value, want)
				}
			}
		}
	}
}

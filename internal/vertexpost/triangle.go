package vertexpost

import (
	"math"
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/raster"
)

// Triangle clips a triangle and fills dst, except for dst.Provoking. The vertices
// must have been through Project. It reports false where nothing is left.
func (c *Config) Triangle(dst *raster.Polygon, v0, v1, v2 *raster.Vertex) bool {
	all := v0.Out & v1.Out & v2.Out
	any := v0.Out | v1.Out | v2.Out
	if Gone(all, any) {
		return false
	}
	cutting := outDepth | c.outClip()
	if c.WScale {
		cutting |= outView // RAS-377; the sides of the view volume are not those of the viewport
	}
	if c.Rectangle && any&(cutting|raster.OutW|raster.OutGuard) != 0 {
		return false // RAS-088 VkPolygonMode
	}
	if any&(raster.OutW|raster.OutGuard) != 0 || c.Outline && any&(outView|cutting) != 0 {
		return c.clipTriangle(dst, [3]*raster.Vertex{v0, v1, v2}, any&cutting)
	}
	dst.N = 3
	dst.C[0] = raster.Corner{X: v0.X, Y: v0.Y, Z: v0.Z, InvW: v0.InvW}
	dst.C[1] = raster.Corner{X: v1.X, Y: v1.Y, Z: v1.Z, InvW: v1.InvW, L1: 1}
	dst.C[2] = raster.Corner{X: v2.X, Y: v2.Y, Z: v2.Z, InvW: v2.InvW, L2: 1}
	dst.W = [3]float64{c.divisorOf(v0), c.divisorOf(v1), c.divisorOf(v2)}
	dst.Size = [3]float32{v0.Size, v1.Size, v2.Size}
	dst.ZMax = max(math.Abs(v0.Z), math.Abs(v1.Z), math.Abs(v2.Z))
	dst.Cuts, dst.Made = 0, 0
	if any&cutting == 0 {
		return true
	}
	return c.cuts(dst, [3]*raster.Vertex{v0, v1, v2}, any&cutting)
}

// planeValues are the values, at the three vertices, of a plane named by one bit
// of an outcode: >= 0 inside.
// RAS-075 vertexpostproc-clipping
func (c *Config) planeValues(v [3]*raster.Vertex, bit raster.Outcode) (d [3]float64) {
	for i := range v {
		d[i] = c.planeValue(v[i], bit)
	}
	return d
}

func (c *Config) planeValue(v *raster.Vertex, bit raster.Outcode) float64 {
	if bit < raster.OutUser {
		q := c.loadVertex(v)
		return c.volumeValue(&q, [3]float64{}, bit)
	}
	return float64(v.Dist[bits.TrailingZeros32(uint32(bit/raster.OutUser))&(raster.MaxDistances-1)])
}

// cuts cuts dst with planes. It reports false where one leaves nothing of it.
func (c *Config) cuts(dst *raster.Polygon, v [3]*raster.Vertex, planes raster.Outcode) bool {
	for ; planes != 0; planes &= planes - 1 {
		if !dst.Cut(c.planeValues(v, planes&-planes)) {
			return false
		}
	}
	return true
}

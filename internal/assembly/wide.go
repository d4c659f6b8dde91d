package assembly

import "github.com/pumice-gpu/pumice/vk"

// MaxVertices is the largest number of vertices of a primitive: of a patch
// (maxTessellationPatchSize).
const MaxVertices = 32

// wideWindow is how many vertices of a run NextWide remembers: more than the
// nine of a strip with adjacency, and a whole patch.
const wideWindow = 32

// Vertices returns the number of vertices of each primitive of NextWide: those
// of adjacency count, and a patch has Config.PatchVertices.
// RAS-052
func (c Config) Vertices() int {
	switch c.Topology {
	case vk.PrimitiveTopologyPointList:
		return 1
	case vk.PrimitiveTopologyLineList, vk.PrimitiveTopologyLineStrip:
		return 2
	case vk.PrimitiveTopologyLineListWithAdjacency, vk.PrimitiveTopologyLineStripWithAdjacency:
		return 4
	case vk.PrimitiveTopologyTriangleListWithAdjacency, vk.PrimitiveTopologyTriangleStripWithAdjacency:
		return 6
	case vk.PrimitiveTopologyPatchList:
		return int(c.PatchVertices)
	default:
		return 3
	}
}

// NextWide is Next for the stages that see all vertices of a primitive:
// primitive i has the vertices verts[i*n:(i+1)*n], n being Config.Vertices, and
// the number ids[i]. A source must be read by Next or by NextWide alone.
func (a *Assembler) NextWide(ids, verts []uint32) int {
	size := a.config.Vertices()
	n := 0
	for end := a.end(); n < len(ids) && a.pushWide(verts[n*size:(n+1)*size], end); {
		ids[n] = a.id
		a.id++
		n++
	}
	return n
}

// pushWide reads vertices until a primitive is complete; false at the end of the
// source, or of what the call may read.
func (a *Assembler) pushWide(dst []uint32, end uint32) bool {
	for {
		if a.ended { // of the run: what waited for its successor goes out
			a.ended = false
			done := a.lastOfStrip(dst)
			a.restart()
			if done {
				return true
			}
		}
		if a.at >= a.count {
			if a.n == 0 {
				return false
			}
			a.ended = true
			continue
		}
		if a.at >= end {
			return false
		}
		vertex, restart := a.read()
		if restart {
			a.ended = true
			continue
		}
		k := a.n
		a.n++
		a.wide[k%wideWindow] = vertex
		if k == 0 {
			a.hub = vertex
		}
		if a.complete(dst, k) {
			return true
		}
	}
}

// complete fills dst if vertex k of the run completes a primitive.
//
// With provoking vertex LAST that vertex is the last of those that a primitive uses
// (VkProvokingVertexModeEXT), so triangles of strips and fans begin with another one
// than RAS-046 writes, winding as before: a geometry shader that hands on what it gets
// keeps flat colours. The order with adjacency stands vertex by vertex in RAS-049 and
// is the same in both modes.
// RAS-046 drawing-primitive-topologies
func (a *Assembler) complete(dst []uint32, k uint64) bool {
	take := func(at ...uint64) bool {
		for i, v := range at {
			dst[i] = a.wide[v%wideWindow]
		}
		return true
	}
	size := uint64(len(dst))
	switch a.config.Topology {
	case vk.PrimitiveTopologyLineStrip:
		if k < 1 {
			return false
		}
		return take(k-1, k)
	case vk.PrimitiveTopologyLineStripWithAdjacency:
		if k < 3 {
			return false
		}
		return take(k-3, k-2, k-1, k)
	case vk.PrimitiveTopologyTriangleStrip: // RAS-047
		switch {
		case k < 2:
			return false
		case k%2 == 0:
			return take(k-2, k-1, k)
		case a.last:
			return take(k-1, k-2, k)
		}
		return take(k-2, k, k-1)
	case vk.PrimitiveTopologyTriangleFan: // RAS-048
		if k < 2 {
			return false
		}
		if a.last {
			take(k, k-1, k) // the hub may have left the window
			dst[0] = a.hub
			return true
		}
		take(k-1, k)
		dst[2] = a.hub
		return true
	case vk.PrimitiveTopologyTriangleStripWithAdjacency: // RAS-049
		// The vertices up to 2i+6 say that triangle i is not the last.
		if k < 7 || k%2 == 0 {
			return false
		}
		i := (k - 7) / 2
		return take(stripAdjacency(i, 2*i+6)...)
	default: // lists, and patches (RAS-051)
		if (k+1)%size != 0 {
			return false
		}
		for i := range size {
			dst[i] = a.wide[(k+1-size+i)%wideWindow]
		}
		return true
	}
}

// stripAdjacency lists the vertices of triangle i of a strip with adjacency;
// beyond is the vertex across the edge that the strip goes on over.
// RAS-049 drawing-triangle-strips-with-adjacency
func stripAdjacency(i, beyond uint64) []uint64 {
	b := 2 * i
	switch {
	case i == 0:
		return []uint64{b, b + 1, b + 2, beyond, b + 4, b + 3}
	case i%2 == 1:
		return []uint64{b, b + 3, b + 4, beyond, b + 2, b - 2}
	default:
		return []uint64{b, b - 2, b + 2, beyond, b + 4, b + 3}
	}
}

// lastOfStrip fills dst with the last triangle of a strip with adjacency, which
// the end of its run completes.
func (a *Assembler) lastOfStrip(dst []uint32) bool {
	if a.config.Topology != vk.PrimitiveTopologyTriangleStripWithAdjacency || a.n < 6 {
		return false
	}
	i := (a.n - 6) / 2
	for k, v := range stripAdjacency(i, 2*i+5) {
		dst[k] = a.wide[v%wideWindow]
	}
	return true
}

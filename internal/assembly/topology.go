package assembly

import "github.com/pumice-gpu/pumice/vk"

// push takes the next vertex of the run. Where it completes a primitive, push
// fills p and reports true.
//
// The primitives of RAS-046 are written here as seen from their last vertex, k of
// the run; the vertices of adjacency, which are a geometry shader's, are passed over.
// RAS-046 drawing-primitive-topologies
func (a *Assembler) push(p *Primitive, vertex uint32) bool {
	k := a.n
	a.n++
	a.window[k&7] = vertex
	if k == 0 {
		a.hub = vertex
	}
	switch a.config.Topology {
	case vk.PrimitiveTopologyPointList:
		*p = Primitive{V: [3]uint32{vertex, vertex, vertex}, N: 1, Flags: FlagRunStart}
	case vk.PrimitiveTopologyLineList:
		if k%2 != 1 {
			return false
		}
		a.line(p, k-1, k, true)
	case vk.PrimitiveTopologyLineStrip:
		if k < 1 {
			return false
		}
		a.line(p, k-1, k, k == 1)
	case vk.PrimitiveTopologyLineListWithAdjacency: // RAS-050
		if k%4 != 3 {
			return false
		}
		a.line(p, k-2, k-1, true)
	case vk.PrimitiveTopologyLineStripWithAdjacency: // RAS-050
		if k < 3 {
			return false
		}
		a.line(p, k-2, k-1, k == 3)
	case vk.PrimitiveTopologyTriangleList:
		if k%3 != 2 {
			return false
		}
		a.triangle(p, k-2, k-1, k, 2)
	case vk.PrimitiveTopologyTriangleStrip: // RAS-047
		switch {
		case k < 2:
			return false
		case k%2 == 0:
			a.triangle(p, k-2, k-1, k, 2)
		default:
			a.triangle(p, k-2, k, k-1, 1)
		}
	case vk.PrimitiveTopologyTriangleFan: // RAS-048
		if k < 2 {
			return false
		}
		a.triangle(p, k-1, k, k, 1)
		p.V[2] = a.hub
	case vk.PrimitiveTopologyTriangleListWithAdjacency: // RAS-050
		if k%6 != 5 {
			return false
		}
		a.triangle(p, k-5, k-3, k-1, 2)
	case vk.PrimitiveTopologyTriangleStripWithAdjacency:
		// The main triangle is the same in all five rows of RAS-049.
		// RAS-049, RAS-050
		switch {
		case k < 5 || k%2 == 0:
			return false
		case k%4 == 1:
			a.triangle(p, k-5, k-3, k-1, 2)
		default:
			a.triangle(p, k-5, k-1, k-3, 1)
		}
	default:
		return false // Reset lets no other value through
	}
	p.ID = a.id
	a.id++
	return true
}

// line fills p with vertices i, j of the run. The provoking vertex is the first
// or the second (RAS-046).
func (a *Assembler) line(p *Primitive, i, j uint64, start bool) {
	v0, v1 := a.window[i&7], a.window[j&7]
	*p = Primitive{V: [3]uint32{v0, v1, v1}, N: 2}
	if a.last {
		p.Provoking = 1
	}
	if start {
		p.Flags = FlagRunStart
	}
}

// triangle fills p with vertices i, j, l of the run; the provoking vertex is the
// first, or in mode LAST the one at position last (RAS-046).
// RAS-232
func (a *Assembler) triangle(p *Primitive, i, j, l uint64, last uint8) {
	*p = Primitive{V: [3]uint32{a.window[i&7], a.window[j&7], a.window[l&7]}, N: 3, Flags: FlagRunStart}
	if a.last {
		p.Provoking = last
	}
}

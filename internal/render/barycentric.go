package render

import "math"

// vertex is the vertex of a PerVertexKHR input's index k: missing vertices repeat
// the last.
//
// RAS-180, RAS-181, RAS-182 primsrast-barycentric-order-table
func (r *primRec) vertex(k uint8) uint32 {
	return r.v[(min(k, r.n-1)+r.first)%r.n]
}

// barycentric fills dst with component k of BaryCoordKHR, or of its linear kind,
// from pairs that are the weights of the second and the third vertex.
//
// RAS-184, RAS-185 primsrast-barycentric
func (r *primRec) barycentric(dst []uint32, k uint32, i, j []float32) {
	if k >= uint32(r.n) {
		fill(dst, 0)
		return
	}
	which := (uint8(k) + r.first) % r.n
	for n := range dst {
		v := float32(1-i[n]) - j[n]
		switch which {
		case 1:
			v = i[n]
		case 2:
			v = j[n]
		}
		dst[n] = math.Float32bits(v)
	}
}

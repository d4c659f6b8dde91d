package render

// vertex is the vertex of a PerVertexKHR input's index k: missing vertices repeat
// the last.
//
// RAS-180, RAS-181, RAS-182 primsrast-barycentric-order-table
func (r *primRec) vertex(k uint8) uint32 {
	return r.v[(min(k, r.n-1)+r.first)%r.n]
}

// weight is the vertex of the primitive's planes that component k of BaryCoordKHR, or of its linear
// kind, is of: 0 to 2, or 3 for none.
//
// RAS-184 primsrast-barycentric
func (r *primRec) weight(k uint32) uint32 {
	if k >= uint32(r.n) {
		return 3
	}
	return (k + uint32(r.first)) % uint32(r.n)
}

package vm

// loadVertex reads a slot of a vertex of each lane's primitive, 0 where the
// primitive has no such vertex.
func (t *thread) loadVertex(in *instr) {
	d, a := t.v[in.d], t.v[in.a]
	x := &t.batch.Vertices
	first := x.First[t.base : t.base+len(d)]
	slot := x.Slots[in.imm]
	for i := range d {
		k := a[i]
		if k >= x.Count {
			d[i] = 0
			continue
		}
		row := first[i] + k
		if x.Rows != nil {
			row = x.Rows[row]
		}
		if uint64(row) >= uint64(len(slot)) { // a slot that nothing fills
			d[i] = 0
			continue
		}
		d[i] = slot[row]
	}
}

// emitted writes a slot of an emitted vertex in the lanes of the mask.
func (t *thread) emitted(in *instr) {
	p := t.r.program
	stride, limit := len(p.Emits), p.Shape.MaxVertices
	vertex, value := t.v[in.a], t.v[in.b]
	m := t.maskWords(in.m)
	for i := range m {
		if k := vertex[i]; m[i] != 0 && k < limit {
			t.batch.Emitted[((t.base+i)*int(limit)+int(k))*stride+int(in.imm)] = value[i]
		}
	}
}

package render

// A band is a row of tiles of a layer. Where a pass clears and nothing is drawn to a band, its
// rows are cleared from side to side: a tile's are short pieces, which take memory several times as long.

// idleBands says for each band whether the round does nothing but clear it; nothing where none is so.
func (x *Executor) idleBands(list []bool, plan *passPlan, first bool) []bool {
	g := &plan.grid
	if !first || !plan.clears || plan.resolves || g.nx < 2 {
		return list[:0]
	}
	list = grow(list, g.tiles/g.nx)
	for i := range list {
		list[i] = true
	}
	for i := range x.boxes {
		b := &x.boxes[i]
		if b.big() {
			return list[:0]
		}
		for y := int(b.y0); y < int(b.y1) && b.x0 < b.x1; y++ {
			list[int(b.layer)*g.ny+y] = false
		}
	}
	return list
}

// clearBand executes the load operations of the band that begins with tile t.
func (w *worker) clearBand(t int) {
	p := w.plan
	layer, r := p.grid.tile(t)
	if m := p.pass.ViewMask; m != 0 && m>>layer&1 == 0 {
		return
	}
	r.X1 = p.area.X1
	p.load(layer, r.Intersect(p.area))
}

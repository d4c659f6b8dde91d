package native

import "slices"

// span32 is where a virtual register is needed, and how much.
type span32 struct {
	v        int32
	from, to int32
	weight   float32
}

// findPlaces gives virtual registers their places: a scan over where they live that keeps
// in registers what is used most for its length.
func (e *emitter) findPlaces() {
	b := e.b
	n := int32(len(b.code))
	depth := make([]float32, n+1)
	for i := range depth {
		depth[i] = 1
	}
	for _, l := range b.loops {
		for i := l[0]; i < l[1]; i++ {
			depth[i] = min(depth[i]*8, 1<<20)
		}
	}
	index := make([]int32, b.lanes) // of a register's span, plus 1
	spans := make([]span32, 0, b.lanes)
	touch := func(v, at int32, weight float32) { // an operand in memory costs less than a result there

		if index[v] == 0 {
			spans = append(spans, span32{v: v, from: at})
			index[v] = int32(len(spans))
		}
		s := &spans[index[v]-1]
		s.to = max(s.to, at)
		s.weight += weight
	}
	for _, v := range b.in {
		touch(v, -1, 0)
	}
	for i := range b.code {
		e.r.lanesIn(&b.code[i], func(r *int32, result bool) {
			if e.places[*r].kind == placeRecord {
				return
			}
			weight := depth[i]
			if result && e.vectors.narrow {
				weight *= 3
			}
			touch(*r, int32(i), weight)
		})
	}
	for _, v := range b.out {
		touch(v, int32(len(b.code)), 0)
	}
	for i := range spans {
		for _, l := range b.loops { // inner before outer: what one uses from outside lives until its end
			if s := &spans[i]; s.from < l[0] && s.to >= l[0] && s.to < l[1] {
				s.to = l[1]
			}
		}
	}
	for i := range spans {
		spans[i].weight /= float32(spans[i].to - spans[i].from + 1)
	}
	slices.SortStableFunc(spans, func(a, b span32) int { return int(a.from) - int(b.from) })
	e.placeMasks(depth)
	e.scan(spans, false, e.vectors.values, func(i int) location { return location{placeVector, int32(i)} })
	e.scan(spans, true, e.freeMasks, func(i int) location { return location{placeMask, int32(firstMask + i)} })
	inputs := int32(len(e.r.program.Inputs))
	rows := index // of a shared register, plus 1
	clear(rows)
	for i, v := range append(slices.Clone(b.in), b.out...) {
		rows[v] = b.rows[i] + 1
	}
	for _, s := range spans {
		if e.places[s.v].kind != placeNone {
			continue
		}
		switch row, shared := rows[s.v]-1, rows[s.v] > 0; {
		case e.asMask[s.v]:
			e.places[s.v] = location{placeMaskFrame, e.slots}
			e.slots += int32(e.vectors.maskBytes())
		case shared && row >= inputs:
			e.places[s.v] = location{placeRow, (row - inputs) * int32(e.stride)}
		default:
			e.places[s.v] = location{placeFrame, e.slots}
			e.slots += laneBytes
		}
	}
}

// scan gives registers of one class to the spans of one class.
func (e *layout) scan(spans []span32, masks bool, count int, at func(int) location) {
	if count == 0 {
		return
	}
	var active []span32
	free := make([]int, 0, count)
	for i := range count {
		free = append(free, count-1-i)
	}
	holds := make([]int, e.b.lanes)
	for _, s := range spans {
		if e.asMask[s.v] != masks {
			continue
		}
		kept, freed := active[:0], len(free)
		for _, a := range active {
			if a.to <= s.from {
				free = append(free, holds[a.v])
				continue
			}
			kept = append(kept, a)
		}
		active = kept
		slices.Reverse(free[freed:]) // the first one of a pair for the first one of a pair
		if len(free) == 0 {
			worst := 0
			for i := range active {
				if active[i].weight < active[worst].weight {
					worst = i
				}
			}
			if active[worst].weight >= s.weight {
				continue
			}
			out := active[worst].v
			free = append(free, holds[out])
			e.places[out] = location{}
			active = slices.Delete(active, worst, worst+1)
		}
		r := free[len(free)-1]
		free = free[:len(free)-1]
		holds[s.v] = r
		e.places[s.v] = at(r)
		active = append(active, s)
	}
}

// placeMasks gives the masks that loops use most registers of their own.
func (e *layout) placeMasks(depth []float32) {
	weight := make([]float32, e.r.masks)
	for i := range e.b.code {
		in := &e.b.code[i]
		if depth[i] <= 1 {
			continue
		}
		switch in.Kind {
		case KindSet, KindSetU, KindStoreBuffer, KindStoreShared, KindStorePrivateAt, KindJumpEmpty, KindJumpNotEmpty, KindIf, KindLeave, KindLeaveIf, KindMaskCopy:
			weight[in.M] += depth[i]
		}
		for _, m := range e.r.changes(in) {
			weight[m] += depth[i]
		}
	}
	weight[0] = 0
	e.freeMasks = e.vectors.masks
	for range e.vectors.busy {
		best := 0
		for m := range weight {
			if weight[m] > weight[best] {
				best = m
			}
		}
		if weight[best] == 0 {
			return
		}
		e.freeMasks--
		e.maskRegs[best], weight[best] = maskRegister(firstMask+e.freeMasks), 0
	}
}

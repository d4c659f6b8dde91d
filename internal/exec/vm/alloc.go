package vm

import "slices"

// interval is where a virtual lane register holds a value: code positions.
type interval struct{ from, to, reg int32 }

// allocate maps virtual lane registers to as few as possible, so that the
// working set stays in the first-level cache: a linear scan over live
// intervals, where a value that is alive at the head of a loop and used inside
// lives until the loop's end.
func (c *compiler) allocate() {
	inputs := int32(len(c.p.Inputs))
	iv := make([]interval, c.virtual)
	for i := range iv {
		iv[i] = interval{-1, -1, int32(i)}
	}
	for pos := range c.code {
		c.lanes(int32(pos), func(r *int32, _ bool) {
			if iv[*r].from < 0 {
				iv[*r].from = int32(pos)
			}
			iv[*r].to = int32(pos)
		})
	}
	for _, l := range c.loops {
		for i := range iv {
			if v := &iv[i]; v.from >= 0 && v.from < l[0] && v.to >= l[0] && v.to < l[1] {
				v.to = l[1]
			}
		}
	}
	physical := make([]int32, c.virtual)
	for i := range inputs {
		physical[i] = i
	}
	order := slices.Clone(iv[inputs:])
	slices.SortStableFunc(order, func(a, b interval) int { return int(a.from - b.from) })
	var active []interval
	var free []int32
	next := inputs
	for _, v := range order {
		if v.from < 0 {
			continue
		}
		// An operand that ends here leaves its register to the result,
		// because loops write lane i after reading lane i.
		ends := v.from
		if lanesOf[c.code[v.from].kind]&apart != 0 {
			ends--
		}
		active = slices.DeleteFunc(active, func(a interval) bool {
			if a.to <= ends && a.from < v.from {
				free = append(free, physical[a.reg])
				return true
			}
			return false
		})
		if n := len(free); n > 0 {
			physical[v.reg] = free[n-1]
			free = free[:n-1]
		} else {
			physical[v.reg] = next
			next++
		}
		active = append(active, v)
	}
	c.r.registers = int(next - inputs)
	for pos := range c.code {
		c.lanes(int32(pos), func(r *int32, _ bool) { *r = physical[*r] })
	}
}

// lanes calls f for the lane registers of the instruction at pos.
func (c *compiler) lanes(pos int32, f func(r *int32, result bool)) {
	in := &c.code[pos]
	l := lanesOf[in.kind]
	if l&laneA != 0 {
		f(&in.a, false)
	}
	if l&laneB != 0 {
		f(&in.b, false)
	}
	if l&laneC != 0 {
		f(&in.c, false)
	}
	if l&laneD != 0 {
		f(&in.d, true)
	}
	switch in.kind {
	case kindAtomicBuffer, kindAtomicShared, kindImage:
		x := &c.r.aux[in.c]
		for i := range x.args {
			f(&x.args[i], false)
		}
		for i := range x.results {
			f(&x.results[i], true)
		}
	}
}

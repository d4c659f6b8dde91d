package vm

import (
	"github.com/pumice-gpu/pumice/internal/exec/native"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// interval is where a virtual lane register holds a value: code positions.
type interval struct{ from, to int32 }

// allocate maps virtual lane registers to as few as possible, so that the
// working set stays in the first-level cache: a linear scan over live
// intervals, where a value that is alive at the head of a loop and used inside
// lives until the loop's end.
func (c *compiler) allocate() {
	inputs := int32(len(c.p.Inputs))
	iv := ir.Room(&c.s.intervals, int(c.virtual))
	for i := range iv {
		iv[i] = interval{-1, -1}
	}
	for pos := range c.code {
		c.lanes(int32(pos), func(r *int32, _ bool) {
			if iv[*r].from < 0 {
				iv[*r].from = int32(pos)
			}
			iv[*r].to = int32(pos)
		})
	}
	c.extend(iv)
	physical := ir.Room(&c.s.physical, int(c.virtual))
	for i := range inputs {
		physical[i] = i
	}
	// Registers by an end of their interval, as lists: number of the first one at
	// each place, and of the next one behind each, plus one.
	first, after := ir.Room(&c.s.lists[0], len(c.code)+1), ir.Room(&c.s.lists[1], int(c.virtual))
	for r := c.virtual - 1; r >= inputs; r-- {
		if from := iv[r].from; from >= 0 {
			after[r], first[from] = first[from], r+1
		}
	}
	order := c.s.order[:0] // by where they begin
	for _, r := range first {
		for ; r != 0; r = after[r-1] {
			order = append(order, r-1)
		}
	}
	c.s.order = order
	ending := first
	clear(ending)
	for k := len(order) - 1; k >= 0; k-- {
		r := order[k]
		after[r], ending[iv[r].to] = ending[iv[r].to], r+1
	}
	free := c.s.lists[2][:0]
	next, expired := inputs, int32(0)
	for _, reg := range order {
		v := iv[reg]
		// An operand that ends here leaves its register to the result,
		// because loops write lane i after reading lane i.
		ends := v.from
		if lanesOf[c.code[v.from].kind]&apart != 0 {
			ends--
		}
		for ; expired <= ends; expired++ {
			for r := ending[expired]; r != 0; r = after[r-1] {
				if r-1 != reg {
					free = append(free, physical[r-1])
				}
			}
		}
		if n := len(free); n > 0 {
			physical[reg] = free[n-1]
			free = free[:n-1]
		} else {
			physical[reg] = next
			next++
		}
		if v.to < expired { // unused: nothing reads it, the next may have it
			free = append(free, physical[reg])
		}
	}
	c.s.lists[2] = free
	c.r.registers = int(next - inputs)
	for pos := range c.code {
		c.lanes(int32(pos), func(r *int32, _ bool) { *r = physical[*r] })
	}
}

// extend lengthens intervals over loops that use a value from outside: from
// the innermost loop around the last use outwards.
func (c *compiler) extend(iv []interval) {
	if len(c.loops) == 0 {
		return
	}
	around := make([]int32, len(c.code)+1) // innermost loop at a position, -1 none
	for i := range around {
		around[i] = -1
	}
	parent := make([]int32, len(c.loops))
	for i := len(c.loops) - 1; i >= 0; i-- { // outer before inner
		l := c.loops[i]
		parent[i] = around[l[0]]
		for pos := l[0]; pos < l[1]; pos++ {
			around[pos] = int32(i)
		}
	}
	for i := range iv {
		v := &iv[i]
		if v.from < 0 {
			continue
		}
		for l := around[v.to]; l >= 0 && v.from < c.loops[l][0]; l = parent[l] {
			v.to = c.loops[l][1]
		}
	}
}

// lanes calls f for the lane registers of the instruction at pos.
func (c *compiler) lanes(pos int32, f func(r *int32, result bool)) { c.r.lanesIn(&c.code[pos], f) }

// lanesIn calls f for the lane registers of an instruction, operands first.
func (r *routine) lanesIn(in *instr, f func(r *int32, result bool)) {
	l := lanesOf[in.kind]
	if in.kind == kindRuns {
		l = lanesOf[in.imm]
	}
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
	case kindAtomicBuffer, kindAtomicShared, kindImage, native.KindGroup, native.KindWide, kindBlock, native.KindLoadMem, native.KindStoreMem,
		native.KindAtomicMem, kindPrint, kindTrace, native.KindBlock, native.KindStoreTexel, kindWideRuns:
		x := &r.aux[in.c]
		for i := range x.args {
			if x.args[i] >= 0 { // else a word of records
				f(&x.args[i], false)
			}
		}
		for i := range x.results {
			f(&x.results[i], true)
		}
	}
}

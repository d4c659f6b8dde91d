package vm

import (
	"slices"

	"github.com/pumice-gpu/pumice/internal/ir"
)

// A translator turns ranges of the flat code into machine code. A range runs for a
// strip of lanes after the other, from its first instruction to its end; what it
// cannot do stays with the loops over the whole batch, between ranges. Lane registers
// that only a range uses have no memory; the others it loads and stores, a strip at a
// time.

// block is a range of the flat code that machine code runs.
type block struct {
	code  []instr // jumps count from the range's begin, and lane registers are numbers of its own
	lanes int32   // how many lane registers there are
	// loops are its loops, inner before outer.
	loops [][2]int32
	// in and out are the lane registers that it shares with other code: those that it
	// reads and those that it writes. rows are where they are, in that order.
	in, out []int32
	rows    []int32
	masks   []int32 // mask registers that it finds set
	// once are instructions of code, by place, whose results are the same for all
	// strips: they run before the first one.
	once []bool
	// resets are scalar registers that it changes and that each strip finds as they
	// were at its begin.
	resets  []int32
	demotes bool
	fuel    bool
	native  native
}

// jumps says that an instruction has a target.
func (in *instr) jumps() bool {
	switch in.kind {
	case kindJump, kindJumpZero, kindJumpEmpty, kindJumpNotEmpty, kindIf:
		return true
	case kindLeave:
		return in.to > 0
	}
	return false
}

// work says that an instruction does something in each lane.
func (in *instr) work() bool { return lanesOf[in.kind] != 0 && in.kind != kindBroadcast }

// worth says that code has enough such instructions for a call.
func worth(code []instr) bool {
	work := 0
	for i := range code {
		if code[i].work() {
			work++
		}
	}
	return work >= minWork
}

// minWork is how many instructions with work a range needs to be worth the call.
const minWork = 2

// Bounds of what translation takes: the length of a range, with which its time grows
// faster, and how often a program is divided anew before it stays as it is.
const (
	maxBlock    = 4096
	maxDivision = 64
)

// divide replaces the ranges of the code that machine code can run by one instruction
// each.
func (c *compiler) divide() {
	split := -1
	if c.p.Scattered && !c.p.InOrder {
		split = c.fetchAhead()
	}
	cut := make([]bool, len(c.code)+1)
	edge := make([]bool, len(c.code)+1)
	if split >= 0 {
		edge[split] = true
	}
	for i := range c.code {
		cut[i] = !translates(c, &c.code[i])
	}
	masks := c.maskUses()
	var runs [][2]int
	for again, n := true, 0; again; n++ {
		if n > maxDivision {
			return
		}
		again = false
		runs = runs[:0]
		for i := 0; i < len(c.code); {
			if cut[i] {
				i++
				continue
			}
			j := i + 1
			for j < len(c.code) && !cut[j] && !edge[j] && j-i < maxBlock {
				j++
			}
			runs = append(runs, [2]int{i, j})
			i = j
		}
		run := make([]int32, len(c.code)+1) // number of the run at a position, plus 1
		for n, r := range runs {
			for i := r[0]; i < r[1]; i++ {
				run[i] = int32(n + 1)
			}
		}
		for i := range c.code {
			in := &c.code[i]
			if !in.jumps() {
				continue
			}
			to, own := int(in.to), run[i]
			if own > 0 {
				if r := runs[own-1]; to < r[0] || to > r[1] {
					cut[i], again = true, true
				}
			}
			if into := run[to]; into > 0 && into != own && to > runs[into-1][0] && !edge[to] {
				edge[to], again = true, true
			}
		}
		if again {
			continue
		}
		for _, r := range runs {
			for i := r[0]; i < r[1]; i++ {
				if c.masksLeave(masks, i, r[1]) {
					cut[i], again = true, true
				}
			}
		}
	}
	c.replace(runs)
}

// changes lists the mask registers that an instruction writes.
func (r *routine) changes(in *instr) []int32 {
	switch in.kind {
	case kindIf:
		if in.b >= 0 {
			return []int32{in.d, in.b}
		}
		return []int32{in.d}
	case kindMaskCopy:
		return []int32{in.d}
	case kindLeave:
		return append([]int32{in.m}, r.clears[in.c]...)
	case kindLeaveIf:
		return r.clears[in.c]
	}
	return nil
}

// maskUse is a place where the code names a mask register: to look at it, or only to
// write it.
type maskUse struct {
	at   int
	look bool
}

// maskUses lists the places of each mask register.
func (c *compiler) maskUses() [][]maskUse {
	uses := make([][]maskUse, c.r.masks)
	uses[0] = make([]maskUse, 0, len(c.code)) // most are in no control flow
	for i := range c.code {
		in := &c.code[i]
		uses[in.m] = append(uses[in.m], maskUse{i, true})
		for _, m := range c.r.changes(in) {
			if m != in.m {
				uses[m] = append(uses[m], maskUse{i, in.kind == kindLeave})
			}
		}
	}
	return uses
}

// masksLeave tells whether code from end on may look at a mask that instruction i sets.
func (c *compiler) masksLeave(uses [][]maskUse, i, end int) bool {
	for _, m := range c.r.changes(&c.code[i]) {
		at, _ := slices.BinarySearchFunc(uses[m], end, func(u maskUse, at int) int { return u.at - at })
		if at < len(uses[m]) && uses[m][at].look {
			return true
		}
	}
	return false
}

// ownRegister is a lane register of a block: which one it was, and how it is shared.
type ownRegister struct {
	virtual int32
	in, out bool
}

// replace makes blocks of runs.
func (c *compiler) replace(runs [][2]int) {
	// Where each virtual register occurs: in which run alone, or in several places.
	const nowhere, several = -1, -2
	place := make([]int32, c.virtual)
	for i := range place {
		place[i] = nowhere
	}
	first := make([]int32, c.virtual)
	run := make([]int32, len(c.code))
	for i := range run {
		run[i] = several
	}
	kept := runs[:0]
	for _, r := range runs {
		if worth(c.code[r[0]:r[1]]) {
			for i := r[0]; i < r[1]; i++ {
				run[i] = int32(len(kept))
			}
			kept = append(kept, r)
		}
	}
	for pos := range c.code {
		c.lanes(int32(pos), func(r *int32, _ bool) {
			switch {
			case place[*r] == nowhere:
				place[*r], first[*r] = run[pos], int32(pos)
			case place[*r] != run[pos]:
				place[*r] = several
			}
		})
	}
	var uses []int32
	if c.r.vectors.permutesBytes() && len(c.p.Table) >= 4*smallTable {
		uses = c.uses()
	}
	inputs := int32(len(c.p.Inputs))
	number := make([]int32, c.virtual) // of a virtual register in its block, plus 1
	own := make([]ownRegister, 0, len(c.code))
	at := make([]int32, len(c.code)+1) // where code goes
	var code []instr
	pos := 0
	for _, r := range kept {
		for ; pos < r[0]; pos++ {
			at[pos] = int32(len(code))
			code = append(code, c.code[pos])
		}
		b := &block{code: slices.Clone(c.code[r[0]:r[1]])}
		c.listLoads(b.code)
		c.pairLoads(b.code, r[0])
		if uses != nil {
			c.byteLoads(b.code, r[0], uses)
			c.fewLoads(b.code, uses)
		}
		for _, l := range c.loops {
			if int(l[0]) >= r[0] && int(l[1]) <= r[1] {
				b.loops = append(b.loops, [2]int32{l[0] - int32(r[0]), l[1] - int32(r[0])})
			}
		}
		var x auxiliary
		own = own[:0]
		for i := r[0]; i < r[1]; i++ {
			at[i] = int32(len(code))
			in := &b.code[i-r[0]]
			c.r.lanesIn(in, func(r32 *int32, result bool) {
				v := *r32
				n := number[v] - 1
				if n < 0 {
					n = int32(len(own))
					own = append(own, ownRegister{virtual: v})
					number[v] = n + 1
				}
				*r32 = n
				if place[v] != several && v >= inputs {
					return
				}
				o := &own[n]
				// What is set under a mask keeps its value in other lanes.
				if (!result || v >= inputs && int(first[v]) < r[0]) && !o.in {
					o.in = true
					b.in, x.args = append(b.in, n), append(x.args, v)
				}
				if result && !o.out {
					o.out = true
					b.out, x.results = append(b.out, n), append(x.results, v)
				}
			})
			b.demotes = b.demotes || in.kind == kindDemote
			b.fuel = b.fuel || in.kind == kindFuel
			if in.jumps() {
				in.to -= int32(r[0])
			}
		}
		b.lanes = int32(len(own))
		c.keepOwn(b)
		c.findMasks(b)
		b.hoist(c.p)
		b.findResets()
		c.r.blocks = append(c.r.blocks, b)
		for _, o := range own {
			number[o.virtual] = 0
		}
		c.r.aux = append(c.r.aux, x)
		code = append(code, instr{kind: kindNative, m: b.code[0].m, c: int32(len(c.r.aux) - 1), imm: int64(len(c.r.blocks) - 1)})
		pos = r[1]
	}
	for ; pos < len(c.code); pos++ {
		at[pos] = int32(len(code))
		code = append(code, c.code[pos])
	}
	at[len(c.code)] = int32(len(code))
	for i := range code {
		if in := &code[i]; in.jumps() {
			in.to = at[in.to]
		}
	}
	loops := c.loops[:0]
	for _, l := range c.loops {
		if from, to := at[l[0]], at[l[1]]; to > from+1 || code[from].kind != kindNative {
			loops = append(loops, [2]int32{from, to})
		}
	}
	c.loops, c.code = loops, append(c.code[:0], code...) // whose memory is the next program's
}

func lanewiseKind(k kind) bool { return k <= kindVUU }

func compares(op ir.Op) bool { return op >= ir.OpIEq && op <= ir.OpFIsInf }

// logic says that an instruction combines two lane registers bit by bit.
func logic(in *instr) bool {
	switch in.op {
	case ir.OpAnd, ir.OpOr, ir.OpXor:
		return in.kind == kindVV
	case ir.OpNot:
		return in.kind == kindUnary
	}
	return false
}

// keepOwn has a block without jumps work with registers of its own where it makes conditions that others read, and reads them, too:
// registers for masks.
func (c *compiler) keepOwn(b *block) {
	if len(b.out) == 0 || slices.ContainsFunc(b.code, func(in instr) bool { return in.jumps() }) {
		return
	}
	defs, reads := make([]uint8, b.lanes), make([]bool, b.lanes)
	for i := range b.code {
		in := &b.code[i]
		c.r.lanesIn(in, func(v *int32, result bool) {
			switch {
			case !result:
				reads[*v] = true
			case in.kind == kindSet || in.kind == kindSetU:
				defs[*v] = 2
			case compares(in.op) && lanewiseKind(in.kind) || logic(in):
				defs[*v]++
			default:
				defs[*v] = 2
			}
		})
	}
	for _, v := range b.in {
		defs[v] = 2
	}
	own, before := make([]int32, b.lanes), b.lanes // plus 1
	for _, v := range b.out {
		if defs[v] == 1 && reads[v] {
			own[v] = b.lanes + 1
			b.lanes++
		}
	}
	if b.lanes == before {
		return
	}
	code := make([]instr, 0, len(b.code)+len(b.out))
	for _, in := range b.code {
		var copies []instr
		c.r.lanesIn(&in, func(v *int32, result bool) {
			if w := *v; int(w) < len(own) && own[w] > 0 {
				if *v = own[w] - 1; result {
					copies = append(copies, instr{kind: kindCopy, m: in.m, d: w, a: *v})
				}
			}
		})
		code = append(append(code, in), copies...)
	}
	b.code = code
}

// findMasks lists the masks that a block uses before it sets them.
func (c *compiler) findMasks(b *block) {
	set := map[int32]bool{}
	use := func(m int32) {
		if !set[m] {
			set[m] = true
			b.masks = append(b.masks, m)
		}
	}
	for i := range b.code {
		in := &b.code[i]
		use(in.m)
		if in.kind == kindLeave {
			for _, m := range c.r.clears[in.c] {
				use(m)
			}
			continue
		}
		for _, m := range c.r.changes(in) {
			set[m] = true
		}
	}
}

// hoist finds the instructions that run once: on scalar registers that nothing else in
// the block writes, outside of loops and of what a jump skips.
func (b *block) hoist(p *ir.Program) {
	b.once = make([]bool, len(b.code))
	writes := map[int32]int{}
	stores := false
	for i := range b.code {
		d := int32(-1)
		if scalarsOf(&b.code[i], &d); d >= 0 {
			writes[d]++
		}
		stores = stores || b.code[i].kind == kindStoreBuffer
	}
	read := map[int32]bool{} // so far
	skipped := int32(0)      // a jump before goes there
	for i := range b.code {
		in := &b.code[i]
		if in.jumps() {
			skipped = max(skipped, in.to)
		}
		d := int32(-1)
		reads := scalarsOf(in, &d)
		once := d >= 0 && writes[d] == 1 && !read[d] && int32(i) >= skipped && (in.kind != kindLoadBufferU || !stores || p.Resources[in.imm].Kind == ir.UniformBuffer)
		for _, l := range b.loops {
			once = once && (int32(i) < l[0] || int32(i) >= l[1])
		}
		for _, s := range reads {
			once = once && writes[s] == 0
			read[s] = true
		}
		if b.once[i] = once; once {
			writes[d] = 0
		}
	}
}

// findResets lists the scalar registers that a block reads before it writes them, and
// writes.
func (b *block) findResets() {
	read, written := map[int32]bool{}, map[int32]bool{}
	for i := range b.code {
		if b.once[i] {
			continue
		}
		in := &b.code[i]
		d := int32(-1)
		for _, s := range scalarsOf(in, &d) {
			read[s] = true
		}
		if d >= 0 && !written[d] {
			written[d] = true
			if read[d] {
				b.resets = append(b.resets, d)
			}
		}
	}
}

// scalarsOf lists the scalar registers that an instruction of a block reads; d is the
// one that it writes.
func scalarsOf(in *instr, d *int32) []int32 {
	switch in.kind {
	case kindScalar:
		*d = in.d
		info, _ := ir.InfoOf(in.op)
		return []int32{in.a, in.b, in.c}[:len(info.Args)]
	case kindScalarMov, kindScalarCanon, kindLoadPushU, kindLoadTableU, kindLoadBufferU:
		*d = in.d
		return []int32{in.a}
	case kindUV, kindBroadcast, kindSetU, kindOutputU, kindJumpZero:
		return []int32{in.a}
	case kindVU, kindVUV, kindFusedVUV:
		return []int32{in.b}
	case kindVVU, kindFusedVVU:
		return []int32{in.c}
	case kindVUU, kindFusedVUU:
		return []int32{in.b, in.c}
	}
	return nil
}

// settleRows takes over where the registers of blocks have gone.
func (c *compiler) settleRows() {
	for i := range c.code {
		if in := &c.code[i]; in.kind == kindNative {
			b, x := c.r.blocks[in.imm], &c.r.aux[in.c]
			b.rows = append(slices.Clone(x.args), x.results...)
		}
	}
}

// stripLanes rounds lanes up to whole strips.
func stripLanes(lanes int) int { return (lanes + 15) &^ 15 }

package native

import (
	"slices"

	"github.com/pumice-gpu/pumice/internal/ir"
)

// A translator turns ranges of the flat code into machine code. A range runs for a
// strip of lanes after the other, from its first instruction to its end; what it
// cannot do stays with the loops over the whole batch, between ranges. Lane registers
// that only a range uses have no memory; the others it loads and stores, a strip at a
// time.

// Translation is the machine code of a program: its blocks, and what they are of.
type Translation struct {
	program *ir.Program
	aux     []Operands
	consts  []uint32
	clears  [][]int32
	masks   int
	places  bool
	vectors *Machine
	blocks  []*stretch
	buffers []bufferRef // that blocks know by number
	sites   int         // instructions that find memory by address
	narrow  bool        // some access less than a word of a buffer
	frame   int         // bytes that they work in
}

// lanesIn is Inst.LanesIn.
func (r *Translation) lanesIn(in *Inst, f func(v *int32, result bool)) { in.LanesIn(r.aux, f) }

// divider finds the ranges of a list that become blocks.
type divider struct {
	p       *ir.Program
	r       *Translation
	code    []Inst
	virtual int32 // lane registers so far
	loops   [][2]int32
	left    []int32 // see List
}

func (c *divider) lane() int32 {
	c.virtual++
	return c.virtual - 1
}

// lanes calls f for the lane registers of the instruction at pos.
func (c *divider) lanes(pos int32, f func(r *int32, result bool)) { c.r.lanesIn(&c.code[pos], f) }

// stretch is a block: a range of the flat code that machine code runs.
type stretch struct {
	code  []Inst // jumps count from the range's begin, and lane registers are numbers of its own
	lanes int32  // how many lane registers there are
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
func (in *Inst) jumps() bool {
	switch in.Kind {
	case KindJump, KindJumpZero, KindJumpEmpty, KindJumpNotEmpty, KindIf:
		return true
	case KindLeave:
		return in.To > 0
	}
	return false
}

// work says that an instruction does something in each lane.
func (in *Inst) work() bool { return fieldsOf[in.Kind]&anyLanes != 0 && in.Kind != KindBroadcast }

// worth says that code has enough such instructions for a call, or a loop.
func worth(code []Inst) bool {
	work := 0
	for i := range code {
		if code[i].Kind == KindFuel {
			return true
		}
		if code[i].work() {
			work++
		}
		if code[i].Kind == KindAtomicMem || code[i].Kind == KindGroup {
			work = minWork
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

// Divide makes blocks of the ranges of a list that a machine can run, and replaces each by an instruction; nil: there
// are none.
func Divide(l *List, m *Machine) *Translation {
	if !there {
		return nil
	}
	c := &divider{p: l.Program, code: l.Code, virtual: l.Lanes, loops: l.Loops, r: &Translation{
		program: l.Program, aux: l.Operands, consts: l.Consts, clears: l.Clears, masks: int(l.Masks), places: l.Places, vectors: m,
	}}
	c.divide()
	l.Code, l.Operands, l.Lanes, l.Loops, l.Left = c.code, c.r.aux, c.virtual, c.loops, c.left
	if len(c.r.blocks) == 0 {
		return nil
	}
	return c.r
}

// Settle tells a block where its lane registers have gone: those of its instruction's operands, in that order.
func (r *Translation) Settle(number int64, args, results []int32) {
	r.blocks[number].rows = append(slices.Clone(args), results...)
}

// Blocks is how many there are.
func (r *Translation) Blocks() int { return len(r.blocks) }

// Code are a block's instructions, until Emit has written it.
func (r *Translation) Code(number int) []Inst { return r.blocks[number].code }

// translates says whether a block may hold the instruction.
func (c *divider) translates(in *Inst) bool {
	switch in.Kind {
	case KindOther, KindOrdered:
		return false
	case KindUnary, KindVV, KindVU, KindUV, KindVVV, KindVVU, KindVUV, KindVUU, KindScalar:
		return c.r.vectors.translates(in.Op)
	case KindGroup:
		return c.translatesGroup(in)
	case KindLoadTexel, KindStoreTexel:
		return ir.TexelOf(uint64(in.Imm)).Size == 0
	case KindLoadMem, KindLoadMemU, KindStoreMem, KindStoreMemU, KindAtomicMem, KindStorePrivate:
		return c.translatesMemory(in)
	}
	return true
}

// divide replaces the ranges of the code that machine code can run by one instruction
// each.
func (c *divider) divide() {
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
		if cut[i] = !c.translates(&c.code[i]); cut[i] || c.code[i].runsInGo(c.r.vectors) {
			c.left = append(c.left, c.code[i].From-1)
		}
		if c.carried(&c.code[i]) {
			edge[i+1] = true
		}
		if c.looksAround(&c.code[i]) {
			edge[i] = true
		}
	}
	c.orderAtomics(cut, edge)
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
			to, own := int(in.To), run[i]
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

// runsInGo says that a block which holds the instruction leaves all lanes of it to Go.
func (in *Inst) runsInGo(m *Machine) bool {
	if in.Op == ir.OpFRem && lanewiseKind(in.Kind) {
		return !m.scales
	}
	return in.leavesToHost(m)
}

// changes lists the mask registers that an instruction writes.
func (r *Translation) changes(in *Inst) []int32 {
	switch in.Kind {
	case KindIf:
		if in.B >= 0 {
			return []int32{in.D, in.B}
		}
		return []int32{in.D}
	case KindMaskCopy:
		return []int32{in.D}
	case KindLeave:
		return append([]int32{in.M}, r.clears[in.C]...)
	case KindLeaveIf:
		return r.clears[in.C]
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
func (c *divider) maskUses() [][]maskUse {
	uses := make([][]maskUse, c.r.masks)
	uses[0] = make([]maskUse, 0, len(c.code)) // most are in no control flow
	for i := range c.code {
		in := &c.code[i]
		uses[in.M] = append(uses[in.M], maskUse{i, true})
		for _, m := range c.r.changes(in) {
			if m != in.M {
				uses[m] = append(uses[m], maskUse{i, in.Kind == KindLeave})
			}
		}
	}
	return uses
}

// masksLeave tells whether code from end on may look at a mask that instruction i sets.
func (c *divider) masksLeave(uses [][]maskUse, i, end int) bool {
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
	here    bool // all lanes have it from the block itself
}

// replace makes blocks of runs.
func (c *divider) replace(runs [][2]int) {
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
	if c.r.vectors.PermutesBytes() && len(c.p.Table) >= 4*smallTable {
		uses = c.uses()
	}
	inputs := int32(len(c.p.Inputs))
	number := make([]int32, c.virtual) // of a virtual register in its block, plus 1
	own := make([]ownRegister, 0, len(c.code))
	at := make([]int32, len(c.code)+1) // where code goes
	var code []Inst
	pos := 0
	for _, r := range kept {
		for ; pos < r[0]; pos++ {
			at[pos] = int32(len(code))
			code = c.keep(code, pos)
		}
		b := &stretch{code: slices.Clone(c.code[r[0]:r[1]])}
		c.joinMemory(b.code, r[0])
		c.uniformOffsets(b.code, r[0])
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
		var x Operands
		own = own[:0]
		straight := !slices.ContainsFunc(b.code, func(in Inst) bool { return in.jumps() })
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
				// What is set under a mask keeps its value in other lanes; what all lanes have from here
				// is not from elsewhere.
				if (!result && !o.here || v >= inputs && int(first[v]) < r[0]) && !o.in {
					o.in = true
					b.in, x.Args = append(b.in, n), append(x.Args, v)
				}
				if result && !o.out {
					o.out = true
					b.out, x.Results = append(b.out, n), append(x.Results, v)
				}
			})
			if straight && in.M == 0 && accessOf(in) <= readsMemory {
				c.r.lanesIn(in, func(v *int32, result bool) { own[*v].here = own[*v].here || result })
			}
			b.demotes = b.demotes || in.Kind == KindDemote
			b.fuel = b.fuel || in.Kind == KindFuel
			if in.jumps() {
				in.To -= int32(r[0])
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
		code = append(code, Inst{Kind: KindBlock, M: b.code[0].M, C: int32(len(c.r.aux) - 1), Imm: int64(len(c.r.blocks) - 1)})
		pos = r[1]
	}
	for ; pos < len(c.code); pos++ {
		at[pos] = int32(len(code))
		code = c.keep(code, pos)
	}
	at[len(c.code)] = int32(len(code))
	for i := range code {
		if in := &code[i]; in.jumps() {
			in.To = at[in.To]
		}
	}
	loops := c.loops[:0]
	for _, l := range c.loops {
		if from, to := at[l[0]], at[l[1]]; to > from+1 || code[from].Kind != KindBlock {
			loops = append(loops, [2]int32{from, to})
		}
	}
	c.loops, c.code = loops, append(c.code[:0], code...) // whose memory is the next program's
}

// keep appends an instruction that stays with the loops: they ask for nothing ahead.
func (c *divider) keep(code []Inst, pos int) []Inst {
	if c.code[pos].Kind == KindAhead {
		return code
	}
	return append(code, c.code[pos])
}

func lanewiseKind(k Kind) bool { return k <= KindVUU }

func compares(op ir.Op) bool { return op >= ir.OpIEq && op <= ir.OpFIsInf }

// logic says that an instruction combines two lane registers bit by bit.
func logic(in *Inst) bool {
	switch in.Op {
	case ir.OpAnd, ir.OpOr, ir.OpXor:
		return in.Kind == KindVV
	case ir.OpNot:
		return in.Kind == KindUnary
	}
	return false
}

// keepOwn has a block without jumps work with registers of its own where it makes conditions that others read, and reads them, too:
// registers for masks.
func (c *divider) keepOwn(b *stretch) {
	if len(b.out) == 0 || slices.ContainsFunc(b.code, func(in Inst) bool { return in.jumps() }) {
		return
	}
	defs, reads := make([]uint8, b.lanes), make([]bool, b.lanes)
	for i := range b.code {
		in := &b.code[i]
		c.r.lanesIn(in, func(v *int32, result bool) {
			switch {
			case !result:
				reads[*v] = true
			case in.Kind == KindSet || in.Kind == KindSetU:
				defs[*v] = 2
			case compares(in.Op) && lanewiseKind(in.Kind) || logic(in):
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
	code := make([]Inst, 0, len(b.code)+len(b.out))
	for _, in := range b.code {
		var copies []Inst
		c.r.lanesIn(&in, func(v *int32, result bool) {
			if w := *v; int(w) < len(own) && own[w] > 0 {
				if *v = own[w] - 1; result {
					copies = append(copies, Inst{Kind: KindCopy, M: in.M, D: w, A: *v})
				}
			}
		})
		code = append(append(code, in), copies...)
	}
	b.code = code
}

// findMasks lists the masks that a block uses before it sets them.
func (c *divider) findMasks(b *stretch) {
	set := map[int32]bool{}
	use := func(m int32) {
		if !set[m] {
			set[m] = true
			b.masks = append(b.masks, m)
		}
	}
	for i := range b.code {
		in := &b.code[i]
		use(in.M)
		if in.Kind == KindLeave {
			for _, m := range c.r.clears[in.C] {
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
func (b *stretch) hoist(p *ir.Program) {
	b.once = make([]bool, len(b.code))
	writes := map[int32]int{}
	stores := false
	for i := range b.code {
		d := int32(-1)
		if scalarsOf(&b.code[i], &d); d >= 0 {
			writes[d]++
		}
		stores = stores || b.code[i].stores()
	}
	read := map[int32]bool{} // so far
	skipped := int32(0)      // a jump before goes there
	for i := range b.code {
		in := &b.code[i]
		if in.jumps() {
			skipped = max(skipped, in.To)
		}
		d := int32(-1)
		reads := scalarsOf(in, &d)
		once := d >= 0 && writes[d] == 1 && !read[d] && !in.ofOne()
		once = once && int32(i) >= skipped && (!stores || !in.loadsWritable(p))
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

// ofOne says that an instruction is of blocks with one lane.
func (in *Inst) ofOne() bool { return KindFirst <= in.Kind && in.Kind <= KindStorePrivateU }

// findResets lists the scalar registers that a block may read before it writes them, and writes: a
// write counts as far as no jump over it leads.
func (b *stretch) findResets() {
	read, written, until := map[int32]bool{}, map[int32]bool{}, map[int32]int32{}
	var jumps []int32 // where those before lead, below the present place
	for i := range b.code {
		at := int32(i)
		jumps = slices.DeleteFunc(jumps, func(to int32) bool { return to <= at })
		in := &b.code[i]
		if in.jumps() {
			jumps = append(jumps, in.To)
		}
		if b.once[i] {
			continue
		}
		d := int32(-1)
		for _, s := range scalarsOf(in, &d) {
			if read[s] = read[s] || at >= until[s]; read[s] && written[s] && !slices.Contains(b.resets, s) {
				b.resets = append(b.resets, s)
			}
		}
		if d < 0 {
			continue
		}
		if written[d] = true; read[d] && !slices.Contains(b.resets, d) {
			b.resets = append(b.resets, d)
		}
		if until[d] = int32(len(b.code)); len(jumps) > 0 {
			until[d] = slices.Min(jumps)
		}
	}
}

// scalarsOf lists the scalar registers that an instruction of a block reads; d is the
// one that it writes.
func scalarsOf(in *Inst, d *int32) (list []int32) {
	has := fieldsOf[in.Kind]
	if has&scalarD != 0 {
		*d = in.D
	}
	switch {
	case in.Kind == KindScalar:
		info, _ := ir.InfoOf(in.Op)
		return []int32{in.A, in.B, in.C}[:len(info.Args)]
	case has&maybeB != 0 && in.B > 0:
		return []int32{in.B - 1}
	case has&maybeC != 0 && in.C > 0:
		return []int32{in.C - 1}
	case in.Kind == KindLoadPair && Kind(in.Op) != KindLoadBuffer:
		return nil
	}
	for i, r := range [3]int32{in.A, in.B, in.C} {
		if has>>i&scalarA != 0 {
			list = append(list, r)
		}
	}
	return list
}

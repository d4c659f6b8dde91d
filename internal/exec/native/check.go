package native

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pumice-gpu/pumice/internal/exec/mir"
)

// # What registers hold
//
// check follows, on all ways through a block's list, what each register and the memory of each
// value hold, as the numbers that were written there: a name or value is to be found where it is
// read. It knows nothing of how registers were chosen, so that it finds what a wrong choice does:
// two values in one register, steps that take the register of a value that is wanted later, a
// result that is written before an operand in the same register is read, what is not stored, not
// loaded, or loaded to another register than is expected where ways meet.

// content is what a register holds: a number, and for names which steps they belong to, plus 1; 0:
// nobody knows.
type content uint64

// contents is what is known at a place: of vectors, then masks, and of which values memory has what
// they are; and the last step of the ways that lead there.
type contents struct {
	here   bool // it can be reached
	of     [2 * firstName]content
	stored map[mir.Number]bool
	from   int32
}

// walker is the state of check.
type walker struct {
	e      *draft
	steps  []int32           // by place in the list
	at     map[int]*contents // by label
	labels map[int]bool      // of instructions of the block
	place  map[int]int32     // of labels: their step
	homes  map[mir.Memory]mir.Number
	first  map[mir.Number]int32 // step that first writes a value
	regs   map[mir.Number]uint8 // of the present steps
	now    contents
	back   int // the label that the way out comes back to
	again  bool
	err    error
}

// check returns an error where an instruction of the list does not find what it is to read, or of
// the block what it found before it was scheduled.
func (e *draft) check() error {
	if err := e.checkOrder(); err != nil {
		return err
	}
	c := &walker{
		e: e, at: map[int]*contents{}, labels: map[int]bool{}, place: map[int]int32{},
		homes: map[mir.Memory]mir.Number{}, first: map[mir.Number]int32{}, steps: make([]int32, e.end),
	}
	from, cold := 0, e.at
	for k, s := range e.sections {
		for ; from < s.end; from++ {
			c.steps[from] = int32(k)
		}
		for ; cold < e.at+s.cold; cold++ {
			c.steps[cold] = int32(k)
		}
	}
	for _, l := range e.labels {
		c.labels[l] = true
	}
	var list mir.Uses
	for i, k := range c.steps {
		in := e.code.At(i)
		if l := in.Label(); l >= 0 {
			c.place[l] = k
		}
		in.Uses(&list)
		for _, x := range list.Of[:list.N] {
			if _, ok := c.first[x.Number]; x.Number < firstValue || ok && c.first[x.Number] <= k {
				continue
			}
			c.first[x.Number] = k
			if m := e.writer.memory(e.home(x.Number)); !m.Every {
				c.homes[m] = x.Number
			}
		}
	}
	for c.again = true; c.again; {
		c.again = false
		c.pass(false)
	}
	c.pass(true)
	return c.err
}

// checkOrder checks the order that the block's instructions have: each finds what the same ones
// have left in all that it accesses, and in its masks, as in the order that they had before, and
// none has gone beyond a jump or a label.
func (e *draft) checkOrder() error {
	if e.order == nil {
		return nil
	}
	code := e.b.code
	before := make([]Inst, len(code))
	place := make([]int32, len(code)) // where it is now, plus 1
	for i, was := range e.order {
		if place[was] != 0 || i != int(was) && e.stays(&code[i]) {
			return fmt.Errorf("native: %s, instruction %d is at %d", e.r.program.Name, was, i)
		}
		before[was], place[was] = code[i], int32(i+1)
	}
	section, sectionNow := sections(before, 0), sections(code, 0)
	was, now := e.finds(before), e.finds(code)
	for i, at := range place {
		same := func(x, y int32) bool { return x == 0 && y == 0 || x > 0 && y > 0 && place[x-1] == y }
		if section[i] != sectionNow[at-1] || !slices.EqualFunc(was[i], now[at-1], same) {
			text := e.b.text(e.r, &before[i])
			return fmt.Errorf("native: %s, instruction %d, %s: at %d it finds something else",
				e.r.program.Name, i, text, at-1)
		}
	}
	return nil
}

// finds lists what each instruction finds in what it accesses: which instruction wrote it last,
// plus 1.
func (e *draft) finds(code []Inst) [][]int32 {
	last, masks := map[int32]int32{}, map[int32]int32{}
	found := make([][]int32, len(code))
	for i := range code {
		in := &code[i]
		found[i] = append(found[i], masks[in.M])
		for _, m := range e.r.changes(in) {
			masks[m] = int32(i + 1)
		}
		e.touches(in, func(what int32, writes bool) {
			if what == allStrip {
				return
			}
			if found[i] = append(found[i], last[what]); writes {
				last[what] = int32(i + 1)
			}
		})
	}
	return found
}

// pass goes through the list once.
func (c *walker) pass(tell bool) {
	c.now = contents{here: true, stored: map[mir.Number]bool{}}
	last := int32(-1)
	for i, k := range c.steps {
		if k != last {
			s := c.e.sections[k]
			c.regs, last = map[mir.Number]uint8{}, k
			for _, p := range c.e.placed[s.placed:s.to] {
				c.regs[p.number] = p.reg
			}
		}
		in := c.e.code.At(i)
		if l := in.Label(); l >= 0 {
			c.now.from = k
			c.meet(l)
			if f := c.at[l]; f != nil {
				c.now = f.copied()
			}
			continue
		}
		if !c.now.here {
			continue
		}
		if l := in.Address(); l >= 0 {
			c.back = l
		}
		if l, always := in.Target(); l >= 0 {
			if c.now.from = k; l == c.e.save {
				c.meet(c.back)
			} else {
				c.meet(l)
			}
			c.now.here = !always
			continue
		}
		c.step(i, in, k, tell)
		c.now.here = !in.Returns()
	}
}

func (f *contents) copied() contents {
	g := *f
	g.stored = make(map[mir.Number]bool, len(f.stored))
	for z := range f.stored {
		g.stored[z] = true
	}
	return g
}

// meet has a label reached with what is now known. What the block first writes on the way that a
// jump leaves out may be anything there, if the label is that of an instruction.
func (c *walker) meet(label int) {
	now := &c.now
	if !now.here {
		return
	}
	f := c.at[label]
	if f == nil {
		g := now.copied()
		c.at[label], c.again = &g, true
		return
	}
	unborn := func(z mir.Number, from int32) bool {
		return z >= firstValue && c.first[z] > from && !c.e.given(z)
	}
	before := c.labels[label] && now.from <= c.place[label]
	for r, x := range f.of {
		y := now.of[r]
		switch {
		case x == y:
		case before && y != 0 && unborn(mir.Number(y&(1<<32-1)), f.from):
			f.of[r], c.again = y, true
		case x != 0 && !(before && unborn(mir.Number(x&(1<<32-1)), now.from)):
			f.of[r], c.again = 0, true
		}
	}
	for z := range f.stored {
		if !now.stored[z] && !(before && unborn(z, now.from)) {
			delete(f.stored, z)
			c.again = true
		}
	}
	for z := range now.stored {
		if !f.stored[z] && before && unborn(z, f.from) {
			f.stored[z], c.again = true, true
		}
	}
	if before {
		f.from = max(f.from, now.from)
	}
}

// step follows an instruction.
func (c *walker) step(i int, in mir.Instruction, k int32, tell bool) {
	var list mir.Uses
	in.Uses(&list)
	for j := range list.Of[:list.N] {
		if x := &list.Of[j]; x.Read || x.Merges {
			c.read(i, in, k, x, tell)
		}
	}
	moved, m, loads, stores := in.Moves()
	z, home := c.homes[m]
	home = home && (loads || stores)
	for j := range list.Of[:list.N] {
		x := &list.Of[j]
		if !x.Write {
			continue
		}
		r := c.register(x)
		lacks := z != x.Number || !c.has(z) && c.e.sections[k].inst >= 0
		if c.now.of[r] = c.holds(x.Number, k); x.Number < firstName || home && loads && lacks {
			c.now.of[r] = 0
		}
		if x.Number >= firstValue && !(home && z == x.Number) {
			delete(c.now.stored, x.Number)
		}
	}
	if home && stores {
		from := c.register(&mir.Use{Number: moved, Mask: c.e.isMask(moved)})
		if c.now.stored[z] = true; c.now.of[from] != content(z) {
			delete(c.now.stored, z)
		}
	}
}

// has says that memory has a value.
func (c *walker) has(z mir.Number) bool { return c.now.stored[z] || c.e.given(z) }

// read has a register read.
func (c *walker) read(i int, in mir.Instruction, k int32, x *mir.Use, tell bool) {
	if x.Number < firstName || !tell || c.err != nil || x.Merges && !x.Read && c.first[x.Number] >= k {
		return
	}
	found := "what nobody knows"
	switch r, ok := c.regs[x.Number]; {
	case ok && r == inHome:
		if x.Last && c.has(x.Number) {
			return
		}
		found = "memory that is something else"
	case !ok:
		found = "no register"
	default:
		has := c.now.of[c.register(x)]
		if has == c.holds(x.Number, k) {
			return
		}
		if has != 0 {
			found = c.e.number(mir.Number(has&(1<<32-1)), k, x.Mask)
		}
	}
	text := in.Text(func(z mir.Number, mask bool) string { return c.e.number(z, k, mask) })
	c.err = fmt.Errorf("native: %s, %s at %d of the list: %s is not there, but %s",
		c.e.r.program.Name, text, i, c.e.number(x.Number, k, x.Mask), found)
}

func (c *walker) holds(z mir.Number, k int32) content {
	if z >= firstValue {
		return content(z)
	}
	return content(z) | content(k+1)<<32
}

// register is the place of a number in contents.
func (c *walker) register(x *mir.Use) int {
	r := int(x.Number)
	if x.Number >= firstName {
		r = int(c.regs[x.Number]) % firstName
	}
	if x.Mask {
		r += firstName
	}
	return r
}

// number is a number of the list as text: what it stands for, and its register.
func (e *draft) number(z mir.Number, k int32, mask bool) string {
	file := e.vectors.files[0]
	if mask {
		file = e.vectors.files[1]
	}
	if z < firstName {
		return fmt.Sprintf("%s%d", file, z)
	}
	at := "?"
	for _, p := range e.placed[e.sections[k].placed:e.sections[k].to] {
		if p.number == z {
			if at = "memory"; p.reg != inHome {
				at = fmt.Sprintf("%s%d", file, p.reg)
			}
		}
	}
	v, part := int32(z-firstValue)/2, ""
	if e.vectors.parts > 1 {
		part = fmt.Sprintf(".%d", (z-firstValue)%2)
	}
	switch all := e.b.lanes + int32(e.r.masks); {
	case z < firstValue:
		return fmt.Sprintf("t%d:%s", z-firstName, at)
	case v < e.b.lanes:
		return fmt.Sprintf("v%d%s:%s", v, part, at)
	case v < all:
		return fmt.Sprintf("m%d%s:%s", v-e.b.lanes, part, at)
	case v == all:
		return fmt.Sprintf("all%s:%s", part, at)
	default:
		return fmt.Sprintf("s%d:%s", e.spread[z-firstValue-2*mir.Number(all+1)], at)
	}
}

// list is the block's list as text: instructions of the block behind semicolons, then those of the
// processor.
func (e *draft) list() string {
	var s strings.Builder
	write := func(from, to int, k int32) {
		name := func(z mir.Number, mask bool) string { return e.number(z, k, mask) }
		for i := from; i < to; i++ {
			fmt.Fprintf(&s, "  %s\n", e.code.At(i).Text(name))
		}
	}
	from, cold, inst := 0, e.at, -1
	for k, x := range e.sections {
		if x.inst >= 0 && x.inst != inst {
			inst = x.inst
			fmt.Fprintf(&s, "; %d: %s\n", inst, e.b.text(e.r, &e.b.code[inst]))
		}
		write(from, x.end, int32(k))
		if e.at+x.cold > cold {
			s.WriteString("  ; out of line\n")
		}
		write(cold, e.at+x.cold, int32(k))
		from, cold = x.end, e.at+x.cold
	}
	s.WriteString("; out, and back\n")
	write(cold, e.code.Len(), 0)
	return s.String()
}

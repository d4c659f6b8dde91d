package native

import (
	"fmt"

	"github.com/pumice-gpu/pumice/internal/exec/amd64"
)

// # What registers hold
//
// check follows, on all ways through a block's list, what each register and the memory of each
// value hold, as the numbers that were written there: a name or value is to be found where it is
// read. It knows nothing of how registers were chosen, so that it finds what a wrong choice does:
// two values in one register, steps that take the register of a value that is wanted later, a
// result that is written before an operand in the same register is read, what is not stored, not
// loaded, or loaded to another register than is expected where ways meet.

// contents is what is known at a place: of vectors, then masks, and of which values memory has what
// they are; and the last step of the ways that lead there.
type contents struct {
	here   bool // it can be reached
	of     [2 * firstName]content
	stored map[amd64.Z]bool
	from   int32
}

// walker is the state of check.
type walker struct {
	e      *emitter
	steps  []int32           // by place in the list
	at     map[int]*contents // by label
	labels map[int]bool      // of instructions of the block
	place  map[int]int32     // of labels: their step
	homes  map[amd64.Arg]amd64.Z
	first  map[amd64.Z]int32 // step that first writes a value
	regs   map[amd64.Z]uint8 // of the present steps
	now    contents
	back   int // the label that the way out comes back to
	again  bool
	err    error
}

// check returns an error where an instruction of the list does not find what it is to read.
func (e *emitter) check() error {
	c := &walker{
		e: e, at: map[int]*contents{}, labels: map[int]bool{}, place: map[int]int32{},
		homes: map[amd64.Arg]amd64.Z{}, first: map[amd64.Z]int32{}, steps: make([]int32, e.at+len(e.aside)),
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
	for i, k := range c.steps {
		if l := e.List[i].Label(); l >= 0 {
			c.place[l] = k
		}
		var list amd64.Uses
		e.List[i].Uses(&list)
		for _, x := range list.Of[:list.N] {
			if _, ok := c.first[x.Number]; x.Number < firstValue || ok && c.first[x.Number] <= k {
				continue
			}
			c.first[x.Number] = k
			if m := homeOf(e, x.Number); !m.IsAll() {
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

// pass goes through the list once.
func (c *walker) pass(tell bool) {
	c.now = contents{here: true, stored: map[amd64.Z]bool{}}
	last := int32(-1)
	for i, k := range c.steps {
		if k != last {
			s := c.e.sections[k]
			c.regs, last = map[amd64.Z]uint8{}, k
			for _, p := range c.e.placed[s.placed:s.to] {
				c.regs[p.number] = p.reg
			}
		}
		in := &c.e.List[i]
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
	g.stored = make(map[amd64.Z]bool, len(f.stored))
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
	unborn := func(z amd64.Z, from int32) bool {
		return z >= firstValue && c.first[z] > from && !givenBefore(c.e, z)
	}
	before := c.labels[label] && now.from <= c.place[label]
	for r, x := range f.of {
		y := now.of[r]
		switch {
		case x == y:
		case before && y != 0 && unborn(amd64.Z(y&(1<<32-1)), f.from):
			f.of[r], c.again = y, true
		case x != 0 && !(before && unborn(amd64.Z(x&(1<<32-1)), now.from)):
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
func (c *walker) step(i int, in *amd64.Inst, k int32, tell bool) {
	var list amd64.Uses
	in.Uses(&list)
	for j := range list.Of[:list.N] {
		if x := &list.Of[j]; x.Read || x.Merges {
			c.read(i, in, k, x, tell)
		}
	}
	z, home := c.homes[in.X]
	for j := range list.Of[:list.N] {
		x := &list.Of[j]
		if !x.Write {
			continue
		}
		r := c.register(x)
		lacks := z != x.Number || !c.has(z) && c.e.sections[k].inst >= 0
		if c.now.of[r] = c.holds(x.Number, k); x.Number < firstName || home && in.Loads() && lacks {
			c.now.of[r] = 0
		}
		if x.Number >= firstValue && !(home && z == x.Number) {
			delete(c.now.stored, x.Number)
		}
	}
	if home && in.Stores() {
		from := c.register(&amd64.Use{Number: in.Reg, Mask: isMaskNumber(c.e, in.Reg)})
		if c.now.stored[z] = true; c.now.of[from] != content(z) {
			delete(c.now.stored, z)
		}
	}
}

// has says that memory has a value.
func (c *walker) has(z amd64.Z) bool { return c.now.stored[z] || givenBefore(c.e, z) }

// read has a register read.
func (c *walker) read(i int, in *amd64.Inst, k int32, x *amd64.Use, tell bool) {
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
			found = numberText(c.e, amd64.Z(has&(1<<32-1)), k, x.Mask)
		}
	}
	text := in.Text(func(z amd64.Z, mask bool) string { return numberText(c.e, z, k, mask) })
	c.err = fmt.Errorf("native: %s, %s at %d of the list: %s is not there, but %s",
		c.e.r.program.Name, text, i, numberText(c.e, x.Number, k, x.Mask), found)
}

func (c *walker) holds(z amd64.Z, k int32) content {
	if z >= firstValue {
		return content(z)
	}
	return content(z) | content(k+1)<<32
}

// register is the place of a number in contents.
func (c *walker) register(x *amd64.Use) int {
	r := int(x.Number)
	if x.Number >= firstName {
		r = int(c.regs[x.Number]) % firstName
	}
	if x.Mask {
		r += firstName
	}
	return r
}

// numberText is a number of the list as text: what it stands for, and its register.
func numberText(e *emitter, z amd64.Z, k int32, mask bool) string {
	file := "z"
	if mask {
		file = "k"
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
		return fmt.Sprintf("s%d:%s", e.spread[z-firstValue-2*amd64.Z(all+1)], at)
	}
}

// list is the block's list as text.
func (e *emitter) list() string {
	part := func(k int) listPart { return e.sections[k].listPart }
	return e.listed(len(e.List), len(e.sections), part, func(i int, k int32) string {
		return e.List[i].Text(func(z amd64.Z, mask bool) string { return numberText(e, z, k, mask) })
	})
}

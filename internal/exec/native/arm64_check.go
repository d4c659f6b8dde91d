package native

import (
	"fmt"
	"strings"

	"github.com/pumice-gpu/pumice/internal/exec/mir"
)

// # What registers hold
//
// check follows, on all ways through a block's list, what each register holds, as the numbers that
// were written to it: a name or value is to be found where it is read. It knows nothing of how
// registers were chosen, so that it finds what a wrong choice does: two values in one register,
// steps that take the register of a value that is wanted later, a result that is written before an
// operand in the same register is read, what is borrowed and not given back.

// content is what a register holds: a number, and for names which steps they belong to, plus 1; 0:
// nobody knows.
type content uint64

// registerFile is what all registers hold: vectors, then masks.
type registerFile [mir.FirstName + 8]content

// checker is the state of check.
type checker struct {
	e      *draft
	steps  []int32               // by place in the list
	at     map[int]*registerFile // by label
	labels map[int]int           // of instructions of the block
	from   map[mir.Number]int32  // where values are first met
	now    registerFile
	here   bool              // now can be reached
	cells  map[int32]content // of registers that were stored in the frame, in the present steps
	back   int               // the label that the way out comes back to
	again  bool
	err    error
}

// check returns an error where an instruction of the list does not find what it is to read.
func (e *draft) check() error {
	c := &checker{
		e: e, at: map[int]*registerFile{}, labels: map[int]int{}, from: map[mir.Number]int32{},
		steps: make([]int32, e.end),
	}
	from, cold := 0, e.at
	for k, s := range e.ended {
		for ; from < s.end; from++ {
			c.steps[from] = int32(k)
		}
		for ; cold < e.at+s.cold; cold++ {
			c.steps[cold] = int32(k)
		}
	}
	for i, l := range e.labels {
		c.labels[l] = i
	}
	for _, s := range e.spans {
		for part := range 2 {
			c.from[mir.Value(s.v, part)] = s.from
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
func (c *checker) pass(tell bool) {
	c.now, c.here = registerFile{}, true
	last := int32(-1)
	for i, k := range c.steps {
		if k != last {
			c.cells, last = map[int32]content{}, k
		}
		in := c.e.code.At(i)
		if l := in.Label(); l >= 0 {
			c.meet(l, c.now)
			if f := c.at[l]; f != nil {
				c.now, c.here = *f, true
			}
			continue
		}
		if !c.here {
			continue
		}
		if l := in.Address(); l >= 0 {
			c.back = l
		}
		if l, always := in.Target(); l >= 0 {
			switch {
			case l == c.e.save:
				c.leave()
			default:
				c.jump(l, k)
			}
			c.here = !always
			continue
		}
		c.step(i, in, k, tell)
		c.here = !in.Returns()
	}
}

// meet has a label reached with what registers hold.
func (c *checker) meet(label int, now registerFile) {
	if !c.here {
		return
	}
	f := c.at[label]
	if f == nil {
		c.at[label], c.again = &now, true
		return
	}
	for r := range f {
		if f[r] != 0 && f[r] != now[r] {
			f[r], c.again = 0, true
		}
	}
}

// jump has a label reached from steps k. What the block first meets on the way that is jumped over
// may be anything there.
func (c *checker) jump(label int, k int32) {
	now, from := c.now, c.e.ended[k].inst
	if to, ok := c.labels[label]; ok && from >= 0 {
		for _, s := range c.e.spans {
			if int(s.from) <= from || int(s.from) >= to {
				continue
			}
			for part := range c.e.vectors.parts {
				z := mir.Value(s.v, part)
				switch c.e.places[s.v].kind {
				case placeVector:
					now[c.e.chosen[z]] = content(z)
				case placeMask:
					now[mir.FirstName+c.e.chosen[z]] = content(z)
				}
			}
		}
	}
	c.meet(label, now)
}

// leave is a way out, which keeps what values live in.
func (c *checker) leave() {
	now := c.now
	for r := range mir.FirstName {
		if c.e.vectors.kept>>r&1 == 0 {
			now[r] = 0
		}
	}
	clear(now[mir.FirstName:][:min(c.e.vectors.firstMask, 8)])
	c.meet(c.back, now)
}

// step follows an instruction.
func (c *checker) step(i int, in mir.Instruction, k int32, tell bool) {
	if d, x, ok := in.Renames(); ok {
		mask := d >= mir.FirstValue && c.e.places[(d-mir.FirstValue)/2].kind == placeMask
		c.read(i, in, k, mir.Step{Number: x, Mask: mask, Read: true}, tell)
		c.now[c.register(d, k, mask)] = c.holds(d, k)
		return
	}
	moved, cell, stores, moves := in.Moves(c.e.vectors.frame)
	in.Steps(func(s mir.Step) {
		if s.Read {
			c.read(i, in, k, s, tell)
			return
		}
		r, x := c.register(s.Number, k, s.Mask), c.holds(s.Number, k)
		if s.Number < mir.FirstName { // given back, or not known
			x = 0
			if moves && !stores {
				x = c.cells[cell]
			}
		}
		c.now[r] = x
	})
	if moves && stores {
		c.cells[cell] = c.now[c.register(moved, k, false)]
	}
}

// read has a register read.
func (c *checker) read(i int, in mir.Instruction, k int32, s mir.Step, tell bool) {
	if s.Number < mir.FirstName || !tell || c.err != nil {
		return
	}
	if first, ok := c.from[s.Number]; s.Merges && ok && int(first) >= c.e.ended[k].inst {
		return // nothing was there before
	}
	if has := c.now[c.register(s.Number, k, s.Mask)]; has != c.holds(s.Number, k) {
		found := "what nobody knows"
		if has != 0 {
			found = c.e.number(mir.Number(has&(1<<32-1)), k, s.Mask)
		}
		name := func(z mir.Number, mask bool) string { return c.e.number(z, k, mask) }
		c.err = fmt.Errorf("native: %s, %s at %d of the list: %s is not there, but %s",
			c.e.r.program.Name, in.Text(name), i, name(s.Number, s.Mask), found)
	}
}

func (c *checker) holds(z mir.Number, k int32) content {
	if z >= mir.FirstValue {
		return content(z)
	}
	return content(z) | content(k+1)<<32
}

// register is the place of a number in a file.
func (c *checker) register(z mir.Number, k int32, mask bool) int {
	r := int(c.e.registerOf(z, k))
	if mask {
		r += mir.FirstName
	}
	return r
}

// registerOf is the register of a number in steps k.
func (e *draft) registerOf(z mir.Number, k int32) uint8 {
	if z.IsName() {
		return e.ended[k].names[z-mir.FirstName]
	}
	return e.chosen[z]
}

// number is a number of the list as text: what it stands for, and its register.
func (e *draft) number(z mir.Number, k int32, mask bool) string {
	register := fmt.Sprintf("%s%d", e.vectors.files[0], e.registerOf(z, k))
	if mask {
		register = e.vectors.files[1] + register[1:]
	}
	switch {
	case z < mir.FirstName:
		return register
	case z < mir.FirstValue:
		return fmt.Sprintf("t%d:%s", z-mir.FirstName, register)
	case e.vectors.parts > 1:
		return fmt.Sprintf("v%d.%d:%s", (z-mir.FirstValue)/2, (z-mir.FirstValue)%2, register)
	}
	return fmt.Sprintf("v%d:%s", (z-mir.FirstValue)/2, register)
}

// list is the block's list as text.
func (e *draft) list() string {
	part := func(k int) listPart { return e.ended[k].listPart }
	return e.listed(e.code.Len(), len(e.ended), part, func(i int, k int32) string {
		return e.code.At(i).Text(func(z mir.Number, mask bool) string { return e.number(z, k, mask) })
	})
}

// listed is a list of n instructions as text, in parts: instructions of the block behind semicolons,
// then those of the processor, whose text in a part the last function gives.
func (e *draft) listed(
	n, parts int, part func(k int) listPart, text func(i int, k int32) string,
) string {
	var s strings.Builder
	write := func(from, to int, k int32) {
		for i := from; i < to; i++ {
			fmt.Fprintf(&s, "  %s\n", text(i, k))
		}
	}
	from, cold, inst := 0, e.at, -1
	for k := range parts {
		x := part(k)
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
	write(cold, n, 0)
	return s.String()
}

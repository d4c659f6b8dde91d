package lower

import "github.com/pumice-gpu/pumice/internal/spirv"

// funcInfo is what lowering knows about a function before it emits code.
type funcInfo struct {
	f *spirv.Function
	// reach holds the blocks that control can reach.
	reach spirv.IDs[bool]
	// straight says that the only return stands at the end of the
	// outermost chain of constructs, so that no break is needed to leave.
	straight bool
	active   bool
}

// analyse walks the functions that id calls, callees first. It rejects
// recursion and finds the variables that need addressable memory because an
// access chain indexes them with a value that is not constant.
func (c *compiler) analyse(id spirv.ID) *funcInfo {
	if info := c.funcs[id]; info != nil {
		if info.active {
			c.fail("the call graph is recursive")
		}
		return info
	}
	f := c.m.Function(id)
	if f == nil {
		c.fail("call of <id> %d, which is not a function", id)
	}
	if c.depth++; c.depth > MaxCallDepth {
		c.fail("calls nest deeper than %d", MaxCallDepth)
	}
	info := &funcInfo{f: f, reach: reachable(f), active: true}
	c.funcs[id] = info
	var root spirv.IDs[spirv.ID]
	rootOf := func(id spirv.ID) spirv.ID {
		if r := root.At(id); r != 0 {
			return r
		}
		return id
	}
	tables := &tables{c: c, f: f, rootOf: rootOf}
	for _, b := range f.Blocks {
		if !info.reach.At(b.Label) {
			continue
		}
		for _, in := range b.Insts {
			tables.look(b, in)
			switch in.Op {
			case spirv.OpAccessChain, spirv.OpInBoundsAccessChain:
				r := rootOf(in.ID(0))
				root.Set(in.Result, r)
				for _, k := range in.Operands[1:] {
					if _, ok := c.k.Words(spirv.ID(k)); !ok {
						c.dynamic[r] = true
					}
				}
			case spirv.OpCopyObject:
				root.Set(in.Result, rootOf(in.ID(0)))
			case spirv.OpFunctionCall:
				c.inst = in
				callee := c.analyse(in.ID(0))
				for i, p := range callee.f.Params {
					if c.dynamic[p.Result] && i+1 < len(in.Operands) {
						c.dynamic[rootOf(in.ID(i+1))] = true
					}
				}
			default:
				if callee, ok := in.Called(); ok {
					c.inst = in
					c.analyse(callee)
					c.mixed = c.mixed || c.decodesBuffer(in)
				}
			}
		}
		tables.others(b.Term)
		c.endsInCalls = c.endsInCalls || b.Term.Op == spirv.OpEmitMeshTasksEXT && id != c.ep.Function
	}
	info.straight = straight(f)
	info.active = false
	c.depth--
	return info
}

// reachable finds the blocks that branches reach from the entry.
func reachable(f *spirv.Function) (seen spirv.IDs[bool]) {
	seen.Set(f.Blocks[0].Label, true)
	work := []spirv.ID{f.Blocks[0].Label}
	for len(work) > 0 {
		b := f.Block(work[len(work)-1])
		work = work[:len(work)-1]
		for _, t := range b.Successors() {
			if !seen.At(t) {
				seen.Set(t, true)
				work = append(work, t)
			}
		}
	}
	return seen
}

// returns says that a block leaves the function; OpEmitMeshTasksEXT does too, and all that called it.
func returns(b *spirv.Block) bool {
	return b.Term.Op == spirv.OpReturn || b.Term.Op == spirv.OpReturnValue || b.Term.Op == spirv.OpEmitMeshTasksEXT
}

func straight(f *spirv.Function) bool {
	n := 0
	for _, b := range f.Blocks {
		if returns(b) {
			n++
		}
	}
	if n != 1 {
		return false
	}
	b := f.Blocks[0]
	for range f.Blocks {
		switch {
		case returns(b):
			return true
		case b.Merge != nil:
			b = f.Block(b.Merge.ID(0))
		case b.Term.Op == spirv.OpBranch:
			b = f.Block(b.Term.ID(0))
		default:
			return false
		}
	}
	return false
}

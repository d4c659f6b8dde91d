package spirv

import "sort"

// validateDominance demands that blocks stand behind those that dominate them,
// and that definitions dominate their uses (spec: _universal_validation_rules).
// uses are those of the module in the order of its words.
func (m *Module) validateDominance(uses []use) error {
	d := &dominance{m: m}
	for i, f := range m.Functions {
		d.functions(int32(i), f)
	}
	for i, f := range m.Functions {
		if len(f.Blocks) == 0 {
			continue
		}
		if err := d.order(f); err != nil {
			return err
		}
		if err := d.uses(int32(i), f, uses); err != nil {
			return err
		}
	}
	return nil
}

// definition is where a value of a function is defined. block counts from 1, in the
// order of the module; parameters have the function's first one.
type definition struct{ function, block int32 }

type dominance struct {
	m      *Module
	defs   IDs[definition]
	labels IDs[int32] // block numbers
	blocks []*Block   // of the function, by number less first
	idom   []int32    // immediate dominators, of the function; 0 for unreachable blocks
	// The blocks that a block dominates, itself among them, have the size numbers
	// from its own on.
	number, size []int32
	first        int32 // number of the function's first block
	counted      int32
}

// functions notes where the function's values are.
func (d *dominance) functions(i int32, f *Function) {
	if len(f.Blocks) == 0 {
		return
	}
	for _, p := range f.Params {
		d.defs.Set(p.Result, definition{i, d.counted + 1})
	}
	for _, b := range f.Blocks {
		d.counted++
		d.labels.Set(b.Label, d.counted)
		for _, in := range b.Insts {
			if in.Result != 0 {
				d.defs.Set(in.Result, definition{i, d.counted})
			}
		}
	}
}

// order makes the tree of dominators and checks the order of the blocks.
func (d *dominance) order(f *Function) error {
	n := len(f.Blocks)
	d.first, d.blocks = d.labels.At(f.Blocks[0].Label), f.Blocks
	at := func(label ID) int32 { return d.labels.At(label) - d.first } // targets are blocks of the function: checked
	// Blocks in postorder.
	number := make([]int32, n) // postorder number plus one, 0 unreachable
	post := make([]int32, 0, n)
	preds := make([][]int32, n)
	type frame struct {
		block int32
		next  []ID
	}
	seen := make([]bool, n)
	seen[0] = true
	stack := []frame{{0, f.Blocks[0].Successors()}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if len(top.next) == 0 {
			post = append(post, top.block)
			number[top.block] = int32(len(post))
			stack = stack[:len(stack)-1]
			continue
		}
		t := at(top.next[0])
		top.next = top.next[1:]
		preds[t] = append(preds[t], top.block)
		if !seen[t] {
			seen[t] = true
			stack = append(stack, frame{t, f.Blocks[t].Successors()})
		}
	}
	// Cooper, Harvey and Kennedy's iteration over reverse postorder.
	idom := make([]int32, n)
	for i := range idom {
		idom[i] = -1
	}
	idom[0] = 0
	for changed := true; changed; {
		changed = false
		for k := len(post) - 2; k >= 0; k-- { // the last is the entry block
			b, dom := post[k], int32(-1)
			for _, p := range preds[b] {
				switch {
				case idom[p] < 0:
				case dom < 0:
					dom = p
				default:
					x, y := p, dom
					for x != y {
						for number[x] < number[y] {
							x = idom[x]
						}
						for number[y] < number[x] {
							y = idom[y]
						}
					}
					dom = x
				}
			}
			if idom[b] != dom {
				idom[b], changed = dom, true
			}
		}
	}
	d.idom = idom
	for k := len(post) - 2; k >= 0; k-- {
		b := post[k]
		if idom[b] >= b {
			return f.Blocks[b].Term.errorf("_universal_validation_rules", "block %d stands before block %d, which dominates it", f.Blocks[b].Label, f.Blocks[idom[b]].Label)
		}
	}
	d.count()
	return nil
}

// count numbers the blocks, which stand behind those that dominate them.
func (d *dominance) count() {
	n := len(d.idom)
	d.number, d.size = make([]int32, n), make([]int32, n)
	for b := n - 1; b >= 0; b-- {
		if d.size[b]++; b > 0 && d.idom[b] >= 0 {
			d.size[d.idom[b]] += d.size[b]
		}
	}
	next := make([]int32, n) // number of the next child
	for b := range n {
		if b > 0 && d.idom[b] >= 0 {
			parent := d.idom[b]
			d.number[b] = next[parent]
			next[parent] += d.size[b]
		}
		next[b] = d.number[b] + 1
	}
}

// dominates tells whether block a dominates block b, both reachable.
func (d *dominance) dominates(a, b int32) bool {
	return d.number[a] <= d.number[b] && d.number[b] < d.number[a]+d.size[a]
}

// uses checks the uses inside a function.
func (d *dominance) uses(fi int32, f *Function, uses []use) error {
	last := f.Blocks[len(f.Blocks)-1].Term.WordOffset
	k := sort.Search(len(uses), func(k int) bool { return int(uses[k].at) > f.Def.WordOffset })
	block := int32(0)
	for ; k < len(uses) && int(uses[k].at) <= last; k++ {
		u := &uses[k]
		for f.Blocks[block].Term.WordOffset < int(u.at) {
			block++
		}
		def := d.defs.At(u.id)
		if def.block == 0 || u.op == OpExtInstWithForwardRefsKHR {
			continue // of the module, or a label; or used ahead, as that instruction may
		}
		to := block
		if u.op == OpPhi { // a value, which the use in its parent stands for, then the parent
			if k+1 >= len(uses) || uses[k+1].at != u.at {
				continue
			}
			k++
			if to = d.labels.At(uses[k].id) - d.first; to < 0 || int(to) >= len(f.Blocks) {
				continue // refused elsewhere
			}
		}
		if to != 0 && d.idom[to] < 0 {
			continue // never run
		}
		at := def.block - d.first
		bad := def.function != fi
		switch {
		case bad:
		case at == to:
			bad = u.op != OpPhi && d.m.defs.At(u.id).WordOffset > int(u.at)
		default:
			bad = at != 0 && d.idom[at] < 0 || !d.dominates(at, to)
		}
		if bad {
			return &Error{WordOffset: int(u.at), Opcode: u.op, Rule: "_universal_validation_rules", Msg: "<id> " + itoa(u.id) + " is used where its definition does not dominate"}
		}
	}
	return nil
}

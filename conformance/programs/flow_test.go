package programs

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// Programs of random statements, and what each invocation computes of them, a statement after the other.

// An invocation is the state of one lane, and what it sees.
type invocation struct {
	vars                  []uint64
	array, shared, stored []uint32 // its own memory: of the function, of the workgroup, and in a buffer
	number                uint32
	in                    []uint32
	push                  [2]uint32
}

// An expression is emitted, and evaluated in an invocation.
type expression struct {
	kind
	emit func() id
	eval func(v *invocation) uint64
}

// Where a statement goes on.
type flow uint8

const (
	next flow = iota
	leaveSwitch
	leaveLoop
	goOn // with the loop's next turn
	leaveProgram
)

// A statement is emitted, which tells whether it ended its block, and run.
type statement struct {
	emit func() (ended bool)
	run  func(v *invocation) flow
}

const (
	arrayWords = 8
	perLane    = 4  // words of workgroup memory and of the buffer
	lanesOfRun = 96 // a workgroup; not all strips of the last batch are whole
	inputs     = 4
)

// A writer makes one random program.
type writer struct {
	r                             *rand.Rand
	m                             *module
	kinds                         []kind // of vars
	vars                          []id
	array, table, shared, buffer  id
	words                         []uint32 // of the table
	at                            id       // the invocation's number
	depth, loops, switches, total int
	merges, continues             []id // of loops around
}

func (w *writer) pick(list ...func() expression) expression { return list[w.r.IntN(len(list))]() }

func (w *writer) leaf(k kind) expression {
	m := w.m
	constant := func() expression {
		bits := edges(k)[w.r.IntN(len(edges(k)))]
		if k.float() {
			bits = k.code([]float64{0, 1, -1.5, .25, 3, 1e6, -7, 100.125}[w.r.IntN(8)])
		}
		return expression{k, func() id { return m.constant(k, bits) }, func(*invocation) uint64 { return bits }}
	}
	variable := func() expression {
		for range 8 {
			if n := w.r.IntN(len(w.vars)); w.kinds[n] == k {
				return expression{k, func() id { return m.of(spirv.OpLoad, k, w.vars[n]) }, func(v *invocation) uint64 { return v.vars[n] }}
			}
		}
		return constant()
	}
	if k != i32 {
		return w.pick(constant, variable, variable, func() expression { return w.converted(k, w.leaf(i32)) })
	}
	return w.pick(constant, variable, variable, variable,
		func() expression {
			return expression{k, func() id { return w.at }, func(v *invocation) uint64 { return uint64(v.number) }}
		},
		func() expression {
			n := w.r.IntN(2)
			return expression{k, func() id { return m.parameter(n) }, func(v *invocation) uint64 { return uint64(v.push[n]) }}
		},
		func() expression {
			n := w.r.IntN(inputs)
			return expression{k, func() id {
				return m.of(spirv.OpLoad, i32, m.element(m.in, m.of(spirv.OpIAdd, i32, w.at, m.word(n*lanesOfRun))))
			}, func(v *invocation) uint64 { return uint64(v.in[int(v.number)+n*lanesOfRun]) }}
		},
		func() expression { return w.memory() })
}

// converted makes a number of another kind of a word.
func (w *writer) converted(k kind, x expression) expression {
	m := w.m
	switch k {
	case boolean:
		return expression{k, func() id {
			return m.of(spirv.OpINotEqual, boolean, m.of(spirv.OpBitwiseAnd, i32, x.emit(), m.word(1)), m.word(0))
		},
			func(v *invocation) uint64 { return x.eval(v) & 1 }}
	case i64:
		return expression{k, func() id { return m.of(spirv.OpSConvert, k, x.emit()) }, func(v *invocation) uint64 { return uint64(int64(int32(x.eval(v)))) }}
	case f32:
		return expression{k, func() id { return m.of(spirv.OpConvertSToF, k, x.emit()) }, func(v *invocation) uint64 { return k.code(float64(float32(int32(x.eval(v))))) }}
	}
	return expression{k, func() id { return m.of(spirv.OpConvertUToF, k, x.emit()) }, func(v *invocation) uint64 { return k.code(float64(uint32(x.eval(v)))) }}
}

// whole makes a word of a number: NaN becomes 7.
func (w *writer) whole(x expression) expression {
	m := w.m
	switch x.kind {
	case boolean:
		return expression{i32, func() id { return m.value(spirv.OpSelect, m.typ(i32), x.emit(), m.word(5), m.word(9)) }, func(v *invocation) uint64 { return 9 - 4*x.eval(v) }}
	case i64:
		return expression{i32, func() id {
			return m.of(spirv.OpUConvert, i32, m.of(spirv.OpShiftRightLogical, i64, x.emit(), m.word(9)))
		}, func(v *invocation) uint64 { return x.eval(v) >> 9 & 0xFFFFFFFF }}
	case f32:
		return expression{i32, func() id {
			f := x.emit()
			return m.value(spirv.OpSelect, m.typ(i32), m.of(spirv.OpIsNan, boolean, f), m.word(7), m.of(spirv.OpBitcast, i32, f))
		}, func(v *invocation) uint64 {
			bits := x.eval(v)
			if f := f32.number(bits); f != f {
				return 7
			}
			return bits
		}}
	case f64:
		return expression{i32, func() id { return m.of(spirv.OpConvertFToS, i32, x.emit()) }, func(v *invocation) uint64 {
			switch f := f64.number(x.eval(v)); {
			case f != f:
				return 0
			case f >= math.MaxInt32:
				return math.MaxInt32
			case f <= math.MinInt32:
				return 1 << 31
			default:
				return uint64(uint32(int32(f)))
			}
		}}
	}
	return x
}

// memory reads a word that is the invocation's own, or of a table.
func (w *writer) memory() expression {
	m := w.m
	x := w.small()
	index := func(n int) func() id {
		return func() id { return m.of(spirv.OpBitwiseAnd, i32, x.emit(), m.word(n-1)) }
	}
	load := func(class spirv.StorageClass, base func() []id) func() id {
		return func() id {
			return m.of(spirv.OpLoad, i32, m.value(spirv.OpAccessChain, m.pointer(class, m.typ(i32)), base()...))
		}
	}
	own := func() id { // the first of the invocation's words and one of them
		return m.of(spirv.OpIAdd, i32, m.of(spirv.OpIMul, i32, w.at, m.word(perLane)), index(perLane)())
	}
	return w.pick(
		func() expression {
			return expression{i32, load(spirv.StorageClassFunction, func() []id { return []id{w.array, index(arrayWords)()} }), func(v *invocation) uint64 { return uint64(v.array[x.eval(v)&(arrayWords-1)]) }}
		},
		func() expression {
			return expression{i32, load(spirv.StorageClassFunction, func() []id { return []id{w.table, index(len(w.words))()} }), func(v *invocation) uint64 { return uint64(w.words[x.eval(v)&uint64(len(w.words)-1)]) }}
		},
		func() expression {
			return expression{i32, load(spirv.StorageClassWorkgroup, func() []id { return []id{w.shared, own()} }), func(v *invocation) uint64 { return uint64(v.shared[x.eval(v)&(perLane-1)]) }}
		},
		func() expression {
			return expression{i32, load(spirv.StorageClassStorageBuffer, func() []id { return []id{w.buffer, m.word(0), own()} }), func(v *invocation) uint64 { return uint64(v.stored[x.eval(v)&(perLane-1)]) }}
		})
}

// small is an index that is cheap to compute.
func (w *writer) small() expression {
	m := w.m
	n := w.r.IntN(8)
	if w.r.IntN(3) == 0 {
		return expression{i32, func() id { return m.word(n) }, func(*invocation) uint64 { return uint64(n) }}
	}
	for i, k := range w.kinds {
		if k == i32 && w.r.IntN(3) == 0 {
			return expression{i32, func() id { return m.of(spirv.OpLoad, i32, w.vars[i]) }, func(v *invocation) uint64 { return v.vars[i] }}
		}
	}
	return expression{i32, func() id { return m.of(spirv.OpIAdd, i32, w.at, m.word(n)) }, func(v *invocation) uint64 { return uint64(v.number) + uint64(n) }}
}

// tree is a random expression.
func (w *writer) tree(k kind, depth int) expression {
	if depth == 0 || w.r.IntN(6) == 0 {
		return w.leaf(k)
	}
	m := w.m
	two := func(op spirv.Op, f func(x, y uint64) uint64) func() expression {
		return func() expression {
			x, y := w.tree(k, depth-1), w.tree(k, depth-1)
			return expression{k, func() id { a := x.emit(); return m.of(op, k, a, y.emit()) }, func(v *invocation) uint64 { return f(x.eval(v), y.eval(v)) & k.mask() }}
		}
	}
	function := func(op spirv.GLSLOp, f func(x, y uint64) uint64) func() expression {
		return func() expression {
			x, y := w.tree(k, depth-1), w.tree(k, depth-1)
			return expression{k, func() id { a := x.emit(); return m.ext(op, k, a, y.emit()) }, func(v *invocation) uint64 { return f(x.eval(v), y.eval(v)) & k.mask() }}
		}
	}
	float := func(f func(x, y float64) float64) func(x, y uint64) uint64 {
		return func(x, y uint64) uint64 { return k.code(f(k.number(x), k.number(y))) }
	}
	selection := func() expression {
		c, x, y := w.tree(boolean, depth-1), w.tree(k, depth-1), w.tree(k, depth-1)
		return expression{k, func() id {
			a, b := c.emit(), x.emit()
			return m.value(spirv.OpSelect, m.typ(k), a, b, y.emit())
		}, func(v *invocation) uint64 {
			if c.eval(v) != 0 {
				return x.eval(v)
			}
			return y.eval(v)
		}}
	}
	shift := func(op spirv.Op, f func(x uint64, n int) uint64) func() expression {
		return func() expression {
			x, n := w.tree(k, depth-1), w.small()
			return expression{k, func() id { a := x.emit(); return m.of(op, k, a, m.of(spirv.OpBitwiseAnd, i32, n.emit(), m.word(31))) },
				func(v *invocation) uint64 { return f(x.eval(v), int(n.eval(v)&31)) & k.mask() }}
		}
	}
	switch k {
	case boolean:
		of := []kind{i32, i32, f32, i64, f64, boolean}[w.r.IntN(6)]
		compare := func(op spirv.Op, f func(x, y uint64) bool) func() expression {
			return func() expression {
				x, y := w.tree(of, depth-1), w.tree(of, depth-1)
				return expression{k, func() id { a := x.emit(); return m.of(op, k, a, y.emit()) }, func(v *invocation) uint64 { return truth(f(x.eval(v), y.eval(v))) }}
			}
		}
		switch {
		case of == boolean:
			return w.pick(two(spirv.OpLogicalAnd, func(x, y uint64) uint64 { return x & y }), two(spirv.OpLogicalOr, func(x, y uint64) uint64 { return x | y }),
				two(spirv.OpLogicalNotEqual, func(x, y uint64) uint64 { return x ^ y }), func() expression {
					x := w.tree(boolean, depth-1)
					return expression{k, func() id { return m.of(spirv.OpLogicalNot, k, x.emit()) }, func(v *invocation) uint64 { return 1 - x.eval(v) }}
				})
		case of.float():
			return w.pick(compare(spirv.OpFOrdLessThan, func(x, y uint64) bool { return of.number(x) < of.number(y) }), compare(spirv.OpFOrdEqual, func(x, y uint64) bool { return of.number(x) == of.number(y) }),
				compare(spirv.OpFUnordNotEqual, func(x, y uint64) bool { return of.number(x) != of.number(y) }), compare(spirv.OpFOrdGreaterThanEqual, func(x, y uint64) bool { return of.number(x) >= of.number(y) }))
		}
		return w.pick(compare(spirv.OpULessThan, func(x, y uint64) bool { return x < y }), compare(spirv.OpSLessThanEqual, func(x, y uint64) bool { return signed(of, x) <= signed(of, y) }),
			compare(spirv.OpIEqual, func(x, y uint64) bool { return x == y }), compare(spirv.OpSGreaterThan, func(x, y uint64) bool { return signed(of, x) > signed(of, y) }))
	case i32, i64:
		list := []func() expression{
			two(spirv.OpIAdd, func(x, y uint64) uint64 { return x + y }), two(spirv.OpISub, func(x, y uint64) uint64 { return x - y }), two(spirv.OpIMul, func(x, y uint64) uint64 { return x * y }),
			two(spirv.OpBitwiseAnd, func(x, y uint64) uint64 { return x & y }), two(spirv.OpBitwiseOr, func(x, y uint64) uint64 { return x | y }), two(spirv.OpBitwiseXor, func(x, y uint64) uint64 { return x ^ y }),
			two(spirv.OpUMod, func(x, y uint64) uint64 {
				if y == 0 {
					return x
				}
				return x % y
			}),
			function(spirv.GLSLUMin, func(x, y uint64) uint64 { return min(x, y) }),
			function(spirv.GLSLSMax, func(x, y uint64) uint64 { return uint64(max(signed(k, x), signed(k, y))) }),
			shift(spirv.OpShiftLeftLogical, func(x uint64, n int) uint64 { return x << n }), shift(spirv.OpShiftRightLogical, func(x uint64, n int) uint64 { return x >> n }),
			shift(spirv.OpShiftRightArithmetic, func(x uint64, n int) uint64 { return uint64(signed(k, x) >> n) }),
			selection,
		}
		if k == i32 {
			list = append(list, func() expression { return w.whole(w.tree([]kind{boolean, f32, i64, f64}[w.r.IntN(4)], depth-1)) }, func() expression { return w.memory() })
		}
		return w.pick(list...)
	}
	// One rounding: of two numbers of 24 bits, binary64 has a sum's and a product's first.
	fits := func(f func(x, y float64) float64) func(x, y float64) float64 {
		if k == f64 {
			return f
		}
		return func(x, y float64) float64 { return float64(float32(f(x, y))) }
	}
	return w.pick(
		two(spirv.OpFAdd, float(fits(func(x, y float64) float64 { return x + y }))), two(spirv.OpFSub, float(fits(func(x, y float64) float64 { return x - y }))),
		two(spirv.OpFMul, float(fits(func(x, y float64) float64 { return x * y }))), two(spirv.OpFMul, float(fits(func(x, y float64) float64 { return x * y }))),
		function(spirv.GLSLNMin, float(minimum)), function(spirv.GLSLNMax, float(func(x, y float64) float64 { return -minimum(-x, -y) })),
		selection,
		func() expression { return w.converted(k, w.tree(i32, depth-1)) })
}

func minimum(x, y float64) float64 {
	switch {
	case x != x:
		return y
	case y != y || x < y || x == y && math.Signbit(x):
		return x
	}
	return y
}

// set gives a variable, or memory, a value.
func (w *writer) set() statement {
	m := w.m
	if w.r.IntN(4) > 0 {
		n := w.r.IntN(len(w.vars))
		x := w.tree(w.kinds[n], 3)
		return statement{func() bool { m.do(spirv.OpStore, w.vars[n], x.emit()); return false }, func(v *invocation) flow { v.vars[n] = x.eval(v); return next }}
	}
	x, at := w.tree(i32, 2), w.small()
	own := func() id {
		return m.of(spirv.OpIAdd, i32, m.of(spirv.OpIMul, i32, w.at, m.word(perLane)), m.of(spirv.OpBitwiseAnd, i32, at.emit(), m.word(perLane-1)))
	}
	store := func(class spirv.StorageClass, base func() []id) func() bool {
		return func() bool {
			p := m.value(spirv.OpAccessChain, m.pointer(class, m.typ(i32)), base()...)
			m.do(spirv.OpStore, p, x.emit())
			return false
		}
	}
	switch w.r.IntN(4) {
	case 0:
		return statement{store(spirv.StorageClassFunction, func() []id { return []id{w.array, m.of(spirv.OpBitwiseAnd, i32, at.emit(), m.word(arrayWords-1))} }),
			func(v *invocation) flow {
				i := at.eval(v) & (arrayWords - 1)
				v.array[i] = uint32(x.eval(v))
				return next
			}}
	case 1:
		return statement{store(spirv.StorageClassWorkgroup, func() []id { return []id{w.shared, own()} }),
			func(v *invocation) flow {
				i := at.eval(v) & (perLane - 1)
				v.shared[i] = uint32(x.eval(v))
				return next
			}}
	case 2: // an atomic on what no other invocation has
		n := w.r.IntN(len(w.vars))
		for w.kinds[n] != i32 {
			n = w.r.IntN(len(w.vars))
		}
		return statement{func() bool {
			p := m.value(spirv.OpAccessChain, m.pointer(spirv.StorageClassStorageBuffer, m.typ(i32)), w.buffer, m.word(0), own())
			m.do(spirv.OpStore, w.vars[n], m.of(spirv.OpAtomicIAdd, i32, p, m.word(1), m.word(0), x.emit()))
			return false
		}, func(v *invocation) flow {
			i, add := at.eval(v)&(perLane-1), uint32(x.eval(v))
			old := v.stored[i]
			v.stored[i] = old + add
			v.vars[n] = uint64(old)
			return next
		}}
	}
	return statement{store(spirv.StorageClassStorageBuffer, func() []id { return []id{w.buffer, m.word(0), own()} }),
		func(v *invocation) flow {
			i := at.eval(v) & (perLane - 1)
			v.stored[i] = uint32(x.eval(v))
			return next
		}}
}

// list is some statements one after the other.
func (w *writer) list(n int) statement {
	var all []statement
	w.depth++
	for range n {
		w.total++
		all = append(all, w.statement())
	}
	w.depth--
	return statement{func() bool {
		for _, s := range all {
			if s.emit() {
				return true
			}
		}
		return false
	}, func(v *invocation) flow {
		for _, s := range all {
			if f := s.run(v); f != next {
				return f
			}
		}
		return next
	}}
}

func (w *writer) statement() statement {
	if w.depth < 5 && w.total < 60 {
		switch w.r.IntN(9) {
		case 0, 1:
			return w.condition()
		case 2:
			return w.loop()
		case 3:
			return w.choice()
		}
	}
	return w.set()
}

// branch ends a block with a jump.
func (w *writer) branch(to id) { w.m.do(spirv.OpBranch, to) }

// exit is a jump out of what is around, where there is something.
func (w *writer) exit() (statement, bool) {
	switch n := w.r.IntN(8); {
	case n < 3 && w.loops > 0:
		return statement{func() bool { w.branch(w.merges[len(w.merges)-1]); return true }, func(*invocation) flow { return leaveLoop }}, true
	case n < 6 && w.loops > 0:
		return statement{func() bool { w.branch(w.continues[len(w.continues)-1]); return true }, func(*invocation) flow { return goOn }}, true
	case n == 6 && w.depth > 2:
		return statement{func() bool { w.m.do(spirv.OpReturn); return true }, func(*invocation) flow { return leaveProgram }}, true
	}
	return statement{}, false
}

func (w *writer) condition() statement {
	m := w.m
	c := w.tree(boolean, 2)
	yes := w.list(1 + w.r.IntN(3))
	no, both := statement{}, w.r.IntN(2) == 0
	if both {
		no = w.list(1 + w.r.IntN(2))
	}
	out, leaves := w.exit()
	return statement{func() bool {
		cond := c.emit()
		then, otherwise, merge := m.id(), m.id(), m.id()
		if !both {
			otherwise = merge
		}
		m.do(spirv.OpSelectionMerge, merge, 0)
		m.do(spirv.OpBranchConditional, cond, then, otherwise)
		m.label(then)
		if !yes.emit() && !(leaves && out.emit()) {
			w.branch(merge)
		}
		if both {
			m.label(otherwise)
			if !no.emit() {
				w.branch(merge)
			}
		}
		m.label(merge)
		return false
	}, func(v *invocation) flow {
		if c.eval(v) != 0 {
			if f := yes.run(v); f != next || !leaves {
				return f
			}
			return out.run(v)
		}
		if both {
			return no.run(v)
		}
		return next
	}}
}

// loop turns a number of times that is the same for all, or each invocation's own.
func (w *writer) loop() statement {
	m := w.m
	counter := m.local(m.typ(i32))
	most := 1 + w.r.IntN(4)
	turns := expression{i32, func() id { return m.word(most) }, func(*invocation) uint64 { return uint64(most) }}
	if w.r.IntN(2) == 0 {
		x := w.tree(i32, 1)
		turns = expression{i32, func() id { return m.of(spirv.OpBitwiseAnd, i32, x.emit(), m.word(3)) }, func(v *invocation) uint64 { return x.eval(v) & 3 }}
	}
	last := w.r.IntN(2) == 0 // the condition stands behind the body
	w.loops++
	body := w.list(1 + w.r.IntN(4))
	w.loops--
	return statement{func() bool {
		header, inside, begin, cont, merge := m.id(), m.id(), m.id(), m.id(), m.id()
		m.do(spirv.OpStore, counter, m.word(0))
		limit := turns.emit()
		w.branch(header)
		m.label(header)
		m.do(spirv.OpLoopMerge, merge, cont, 0)
		w.branch(inside)
		m.label(inside)
		if last {
			w.branch(begin)
		} else {
			m.do(spirv.OpBranchConditional, m.of(spirv.OpULessThan, boolean, m.of(spirv.OpLoad, i32, counter), limit), begin, merge)
		}
		m.label(begin)
		w.merges, w.continues = append(w.merges, merge), append(w.continues, cont)
		if !body.emit() {
			w.branch(cont)
		}
		w.merges, w.continues = w.merges[:len(w.merges)-1], w.continues[:len(w.continues)-1]
		m.label(cont)
		turn := m.of(spirv.OpIAdd, i32, m.of(spirv.OpLoad, i32, counter), m.word(1))
		m.do(spirv.OpStore, counter, turn)
		if last {
			m.do(spirv.OpBranchConditional, m.of(spirv.OpULessThan, boolean, turn, limit), header, merge)
		} else {
			w.branch(header)
		}
		m.label(merge)
		return false
	}, func(v *invocation) flow {
		for i, n := uint64(0), turns.eval(v); i < n || last && i == 0; i++ {
			switch body.run(v) {
			case leaveLoop:
				return next
			case leaveProgram:
				return leaveProgram
			}
		}
		return next
	}}
}

// choice is a switch, some of whose cases fall through.
func (w *writer) choice() statement {
	m := w.m
	x := w.tree(i32, 2)
	w.switches++
	n := 2 + w.r.IntN(3)
	var parts []statement
	var falls []bool
	for i := range n + 1 { // the last one is for other values
		parts = append(parts, w.list(1+w.r.IntN(2)))
		falls = append(falls, i < n-1 && w.r.IntN(3) == 0)
	}
	w.switches--
	return statement{func() bool {
		value := m.of(spirv.OpBitwiseAnd, i32, x.emit(), m.word(7))
		merge := m.id()
		var labels []id
		for range parts {
			labels = append(labels, m.id())
		}
		m.do(spirv.OpSelectionMerge, merge, 0)
		words := []uint32{value, labels[n]}
		for i := range n {
			words = append(words, uint32(i), labels[i])
		}
		m.do(spirv.OpSwitch, words...)
		for i, p := range parts {
			m.label(labels[i])
			if p.emit() {
				continue
			}
			if falls[i] {
				w.branch(labels[i+1])
			} else {
				w.branch(merge)
			}
		}
		m.label(merge)
		return false
	}, func(v *invocation) flow {
		at := min(int(x.eval(v)&7), n)
		for {
			if f := parts[at].run(v); f != next || !falls[at] {
				return f
			}
			at++
		}
	}}
}

// write makes a program of a seed, and what runs it.
func write(seed uint64) (m *module, run func(v *invocation)) {
	w := &writer{r: rand.New(rand.NewPCG(seed, 7))}
	m = newModule(lanesOfRun, lanesOfRun)
	w.m = m
	m.pushed(2)
	w.buffer = m.buffer(2)
	w.shared = m.variable(spirv.StorageClassWorkgroup, m.global(spirv.OpTypeArray, 0, m.typ(i32), m.word(perLane*lanesOfRun)))
	w.array = m.local(m.global(spirv.OpTypeArray, 0, m.typ(i32), m.word(arrayWords)))
	var words []id
	for range 16 {
		w.words = append(w.words, w.r.Uint32()>>(w.r.Uint32N(4)*8))
		words = append(words, m.constant(i32, uint64(w.words[len(w.words)-1])))
	}
	tableType := m.global(spirv.OpTypeArray, 0, m.typ(i32), m.word(16))
	table := m.global(spirv.OpConstantComposite, tableType, words...)
	p := m.pointer(spirv.StorageClassFunction, tableType)
	w.table = m.id()
	add(&m.entry, spirv.OpVariable, p, w.table, uint32(spirv.StorageClassFunction), table)
	for _, k := range []kind{i32, i32, i32, i32, boolean, f32, f32, i64, f64} {
		w.kinds, w.vars = append(w.kinds, k), append(w.vars, m.local(m.typ(k)))
	}
	w.at = m.invocation()
	for i, k := range w.kinds {
		m.do(spirv.OpStore, w.vars[i], m.constant(k, 0))
	}
	for i := range arrayWords {
		m.do(spirv.OpStore, m.value(spirv.OpAccessChain, m.pointer(spirv.StorageClassFunction, m.typ(i32)), w.array, m.word(i)), m.word(3*i))
	}
	for i := range perLane {
		at := m.of(spirv.OpIAdd, i32, m.of(spirv.OpIMul, i32, w.at, m.word(perLane)), m.word(i))
		m.do(spirv.OpStore, m.value(spirv.OpAccessChain, m.pointer(spirv.StorageClassWorkgroup, m.typ(i32)), w.shared, at), m.word(100+i))
	}
	// What leaves the program leaves the part before the results alone.
	body := w.list(8 + w.r.IntN(12))
	results := func(n int) {
		for i, k := range w.kinds {
			for j, x := range m.words(k, m.of(spirv.OpLoad, k, w.vars[i])) {
				slot := (n*len(w.kinds)+i)*2 + j
				m.do(spirv.OpStore, m.element(m.out, m.of(spirv.OpIAdd, i32, w.at, m.word(slot*lanesOfRun))), x)
			}
		}
	}
	if !body.emit() {
		results(0)
	}
	return m, func(v *invocation) {
		v.vars = make([]uint64, len(w.kinds))
		if body.run(v) == leaveProgram {
			v.vars = nil
		}
	}
}

// Random programs with loops, switches, conditions, jumps out of them and all memory that is an invocation's own: each
// invocation computes what it would alone.
func TestFlow_RandomPrograms(t *testing.T) {
	rules.Covers(t, "RAS-001")
	n := uint64(400)
	if testing.Short() {
		n = 60
	}
	devices := engines(t)
	for seed := range n {
		m, run := write(seed)
		r := rand.New(rand.NewPCG(seed, 8))
		in := make([]uint32, inputs*lanesOfRun)
		for i := range in {
			in[i] = r.Uint32() >> (r.Uint32N(4) * 8)
		}
		stored := make([]uint32, perLane*lanesOfRun)
		for i := range stored {
			stored[i] = uint32(i * i)
		}
		push := [2]uint32{r.Uint32N(6), r.Uint32()}
		kinds := 9
		var first [2][]uint32 // what an engine gave that gave what it should
		judge := func(engine string, out, kept []uint32) {
			if slices.Equal(out, first[0]) && slices.Equal(kept, first[1]) {
				return
			}
			failed := false
			for lane := range lanesOfRun {
				v := invocation{number: uint32(lane), in: in, push: push, array: make([]uint32, arrayWords), shared: []uint32{100, 101, 102, 103}, stored: make([]uint32, perLane)}
				copy(v.stored, stored[lane*perLane:])
				for i := range v.array {
					v.array[i] = uint32(3 * i)
				}
				run(&v)
				for i, want := range v.stored {
					if got := kept[lane*perLane+i]; got != want && !failed {
						t.Errorf("seed %d, engine %s, lane %d: word %d of the buffer is %#x, want %#x", seed, engine, lane, i, got, want)
						failed = true
					}
				}
				for i, want := range v.vars {
					got := uint64(out[2*i*lanesOfRun+lane]) | uint64(out[(2*i+1)*lanesOfRun+lane])<<32
					k := []kind{i32, i32, i32, i32, boolean, f32, f32, i64, f64}[i]
					if got != want && !(k.float() && anyNaN(k)(got, want)) && !failed {
						t.Errorf("seed %d, engine %s, lane %d: variable %d (%v) is %#x, want %#x", seed, engine, lane, i, k, got, want)
						failed = true
					}
				}
			}
			if !failed {
				first = [2][]uint32{out, kept}
			}
		}
		for _, dev := range devices {
			p := load(t, dev, m, inBytes(in), make([]byte, 4*2*kinds*lanesOfRun), inBytes(stored))
			p.run(1, push[:]...)
			judge(dev.Engine(), p.words(1, 2*kinds*lanesOfRun), p.words(2, len(stored)))
			p.close()
		}
		if o := narrow(); o != nil {
			out, kept := make([]byte, 4*2*kinds*lanesOfRun), inBytes(stored)
			runLanes(t, compiled(t, m), *o, lanesOfRun, push[:], inBytes(in), out, kept)
			judge("native, 256 bits", wordsOf(out), wordsOf(kept))
		}
	}
}

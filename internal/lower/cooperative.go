package lower

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// Cooperative matrices. A value is the numbers that an invocation has of a matrix (spirv.Constants
// says how many), so that arithmetic, composites, variables and joins treat it as a vector. Loads
// and stores are those of elements, each at its place; a product is an ir.GroupProduct for each
// row.

// cooperative returns the shape of the matrix t.
func (c *compiler) cooperative(t *spirv.Type) spirv.CooperativeShape {
	s, ok := c.k.Cooperative(t)
	if !ok {
		c.fail("%v is no cooperative matrix", t)
	}
	if c.p.Stage != ir.StageCompute {
		c.fail("unsupported: cooperative matrices in this stage; compute shaders have them")
	}
	return s
}

// cooperativeOp lowers the instructions that are of cooperative matrices alone.
func (c *compiler) cooperativeOp(in *spirv.Inst) {
	switch in.Op {
	case spirv.OpCooperativeMatrixLengthKHR, spirv.OpCooperativeMatrixLengthNV:
		t := c.typ(in.ID(0))
		c.cooperative(t)
		c.setScalars([]ir.Value{c.b.I32(c.parts(t))})
	case spirv.OpCooperativeMatrixLoadKHR, spirv.OpCooperativeMatrixLoadNV:
		var out []ir.Value
		c.elements(c.typ(in.Type), in, 1, func(e *element, p *pointer) {
			out = append(out, c.loadElement(e, p))
		})
		c.setScalars(out)
	case spirv.OpCooperativeMatrixStoreKHR, spirv.OpCooperativeMatrixStoreNV:
		v, k := c.get(in.ID(1)), 0
		c.elements(v.t, in, 2, func(e *element, p *pointer) {
			c.storeElement(e, p, v.s[k])
			k++
		})
	default:
		c.cooperativeProduct(in)
	}
}

// element says how elements of a matrix lie in memory.
type element struct {
	t, scalar *spirv.Type // of the element, and of what the pointer points to, or of its components
	// words says that each scalar is a word there, whatever its width.
	words bool
}

// elementOf says how numbers of type t lie where p points to, and how far they are apart there.
func (c *compiler) elementOf(p *pointer, t *spirv.Type) (e *element, each uint32) {
	e = &element{t: t, scalar: elem(p.t)}
	e.words, each = !p.explicit() && e.scalar.Width < 32, t.Width/8
	if !e.words {
		return e, each
	}
	each = 4 * each / (e.scalar.Width / 8)
	if each < 4 || isHalf(e.scalar) && !isHalf(t) { // whose NaNs lose bits
		c.fail("unsupported: %v in workgroup memory of %v", t, e.scalar)
	}
	return e, each
}

// elements calls f for each number of a matrix t, in their order, with a pointer to its place. The
// layout and the stride are operands from one on; SPV_NV_cooperative_matrix names the stride first, and
// its layouts have the same numbers as booleans. The stride counts what the pointer points to; bytes
// where it says no type (SPV_KHR_untyped_pointers).
func (c *compiler) elements(t *spirv.Type, in *spirv.Inst, from int, f func(*element, *pointer)) {
	at1, at2 := from, from+1
	if in.Op == spirv.OpCooperativeMatrixLoadNV || in.Op == spirv.OpCooperativeMatrixStoreNV {
		at1, at2 = at2, at1
	}
	const rowMajor, columnMajor = 0, 1
	b, s := c.b, c.cooperative(t)
	at := c.spread(t)
	p, e, each, unit := c.matrixMemory(t, in.ID(0))
	numbers := c.parts(t)
	c.copies(int(numbers))

	i32 := func(op ir.Op, x ir.Value, k uint32) ir.Value { return b.Op(op, ir.I32, x, b.I32(k)) }
	line := i32(ir.OpIMul, c.intScalar(in.ID(at2)), unit)
	row, column := c.place(s, at)
	layout := c.constScalar(in.ID(at1))
	switch layout {
	case rowMajor:
	case columnMajor:
		row, column = column, row
	default:
		c.fail("unsupported cooperative matrix layout %d", layout)
	}
	base := b.Op(ir.OpIAdd, ir.I32, b.Op(ir.OpIMul, ir.I32, row, line), i32(ir.OpIMul, column, each))
	if p.dyn != ir.NoValue {
		base = b.Op(ir.OpIAdd, ir.I32, p.dyn, base)
	}
	lines := map[uint32]ir.Value{0: base}
	far, wide := map[uint32]*pointer{}, c.indices64(p) && c.windows(p)
	for k := range numbers {
		i, j := at.Place(k)
		if layout == columnMajor {
			i, j = j, i
		}
		if wide {
			if far[i] == nil {
				q := *p
				q.t, q.off = t.Elem, 0
				q.dyn = b.Op(ir.OpIAdd, ir.I32, c.address(p, 0), i32(ir.OpIMul, column, each))
				c.further(&q, line, i32(ir.OpIAdd, row, i), gcd(unit, each))
				far[i] = &q
			}
			q := *far[i]
			q.off = j * each
			f(e, &q)
			continue
		}
		start, ok := lines[i]
		if !ok {
			start = b.Op(ir.OpIAdd, ir.I32, base, i32(ir.OpIMul, line, i))
			lines[i] = start
		}
		q := *p
		q.t, q.dyn, q.step, q.off = t.Elem, start, gcd(unit, each), p.off+j*each
		if p.dyn != ir.NoValue {
			q.step = gcd(q.step, p.step)
		}
		f(e, c.settle(&q))
	}
}

// matrixMemory is where a matrix begins, how its elements lie there, and the bytes of one and of what
// the pointer points to.
func (c *compiler) matrixMemory(t *spirv.Type, pointer spirv.ID) (p *pointer, e *element,
	each, unit uint32) {
	p = c.accessed(pointer, t.Elem)
	if p.t == nil || p.arrayed {
		c.fail("a cooperative matrix in what is no array of numbers")
	}
	switch p.t.Kind {
	case spirv.KindInt, spirv.KindFloat, spirv.KindVector:
		e, each = c.elementOf(p, t.Elem)
		unit = uint32(c.size(p.t)) * e.scalar.Width / 8
		if e.words {
			unit = 4 * uint32(c.size(p.t))
		}
	default: // of an access through a layout
		e, each = &element{t: t.Elem, scalar: t.Elem}, t.Elem.Width/8
		if unit = each; !p.explicit() {
			c.fail("unsupported: a cooperative matrix in workgroup memory of %v", p.t)
		}
	}
	if p.ptrType.Untyped {
		unit = 1
	}
	return p, e, each, unit
}

// refsOf are the scalars of an element.
func (c *compiler) refsOf(e *element) []scalarRef {
	flat := c.flat(e.t)[0]
	switch {
	case e.words:
		refs := make([]scalarRef, e.t.Width/e.scalar.Width)
		for i := range refs {
			refs[i] = scalarRef{off: 4 * uint32(i), t: c.flat(e.scalar)[0]}
		}
		return refs
	case e.t.Width < 32:
		return []scalarRef{{t: flat, bytes: uint8(e.t.Width / 8), half: isHalf(e.t)}}
	}
	return []scalarRef{{t: flat}}
}

func (c *compiler) loadElement(e *element, p *pointer) ir.Value {
	refs := c.refsOf(e)
	c.outside(p, refs, false)
	v := c.loadScalar(p, refs[0])
	if !e.words || e.scalar == e.t {
		return v
	}
	word := c.bits([]ir.Value{v}, e.scalar)[0]
	for i, r := range refs[1:] {
		high := c.bits([]ir.Value{c.loadScalar(p, r)}, e.scalar)[0]
		high = c.b.Op(ir.OpShl, ir.I32, high, c.b.I32(uint32(i+1)*e.scalar.Width))
		word = c.b.Op(ir.OpOr, ir.I32, word, high)
	}
	return c.fromBits([]ir.Value{word}, e.t)[0]
}

func (c *compiler) storeElement(e *element, p *pointer, v ir.Value) {
	refs := c.refsOf(e)
	c.outside(p, refs, true)
	if !e.words || e.scalar == e.t {
		c.storeScalar(p, refs[0], v)
		return
	}
	word := c.bits([]ir.Value{v}, e.t)[0]
	for i, r := range refs {
		part := word
		if len(refs) > 1 {
			part = c.b.Op(ir.OpBitFieldU, ir.I32, word, c.b.I32(uint32(i)*e.scalar.Width),
				c.b.I32(e.scalar.Width))
		}
		c.storeScalar(p, r, c.fromBits([]ir.Value{part}, e.scalar)[0])
	}
}

// cooperativeProduct lowers OpCooperativeMatrixMulAddKHR: sums in binary32 of exact products of
// narrower floats, from column 0 of A upwards and from C on, which are rounded to a narrower result
// once; or integers modulo 2³², of which a narrower result has the lower bits. A sum that saturates
// is that of C and of all products.
func (c *compiler) cooperativeProduct(in *spirv.Inst) {
	a, m, acc, t := c.get(in.ID(0)), c.get(in.ID(1)), c.get(in.ID(2)), c.typ(in.Type)
	flags := uint32(0)
	switch {
	case len(in.Operands) > 3:
		flags = in.Operands[3]
	case in.Op == spirv.OpCooperativeMatrixMulAddNV: // whose types have the signs
		for i, t := range []*spirv.Type{a.t, m.t, acc.t, t} {
			if e := t.Elem; e != nil && e.Signed {
				flags |= spirv.CooperativeSignedA << i
			}
		}
	}
	if err := c.k.CheckProduct(in, a.t, m.t, acc.t, t, flags); err != nil {
		c.fail("%v", err)
	}
	c.cooperative(t)
	float := t.Elem.Kind == spirv.KindFloat
	g := ir.Group{Kind: ir.GroupProduct, Arith: ir.GroupIAdd}
	if float {
		g.Arith, g.Float = ir.GroupFAdd, isHalf(a.t.Elem) && isHalf(m.t.Elem)
	}
	x, y := c.factors(a, flags&spirv.CooperativeSignedA != 0), c.factors(m,
		flags&spirv.CooperativeSignedB != 0)
	z := acc.s
	saturates := flags&spirv.CooperativeSaturating != 0
	switch {
	case float:
		z = c.factors(acc, false)
	case saturates:
		z = make([]ir.Value, len(acc.s))
		for i := range z {
			z[i] = c.b.I32(0)
		}
	}
	var out []ir.Value
	if p := (product{g, a.t, m.t, t, x, y, z}); c.cooperative(t).Scope == spirv.CooperativeSubgroup {
		out = c.subgroupProduct(p)
	} else {
		out = c.workgroupProduct(p)
	}
	for i, v := range out {
		switch {
		case saturates:
			signed := flags&spirv.CooperativeSignedResult != 0
			out[i] = c.saturatedSum(v, acc.s[i], t.Elem, signed, signed ||
				flags&(spirv.CooperativeSignedA|spirv.CooperativeSignedB) == 0)
		case t.Elem.Coded != 0:
			out[i] = c.encode(v, t.Elem)
		default:
			out[i] = c.fit(v, t.Elem)
		}
	}
	c.setScalars(out)
}

// saturatedSum is the sum of C and of products, which are taken modulo 2³²: those of bytes never get
// that far. Those of a signed matrix may be negative where the result, of type t, has no sign; such
// a result has 32 bits.
func (c *compiler) saturatedSum(
	products, acc ir.Value, t *spirv.Type, signed, alike bool,
) ir.Value {
	word := &spirv.Type{Kind: spirv.KindInt, Width: 32}
	if signed {
		acc = c.signExtend(acc, t)
	}
	sum := c.addSaturating([]ir.Value{products}, []ir.Value{acc}, word, signed)[0]
	if isNarrowInt(t) {
		return c.fit(c.addSaturating([]ir.Value{sum}, []ir.Value{c.b.I32(0)}, t, signed)[0], t)
	}
	if alike {
		return sum
	}
	// Less than nothing: 0.
	b := c.b
	negative := b.Op(ir.OpSLt, ir.Bool, products, b.I32(0))
	lower := b.Op(ir.OpIAdd, ir.I32, acc, products)
	lower = b.Op(ir.OpSelect, ir.I32, b.Op(ir.OpULt, ir.Bool, acc, b.Op(ir.OpINeg, ir.I32,
		products)), b.I32(0), lower)
	return b.Op(ir.OpSelect, ir.I32, negative, lower, sum)
}

// factors are the numbers of a matrix as binary32, or as integers of 32 bits.
func (c *compiler) factors(v *value, signed bool) []ir.Value {
	e := v.t.Elem
	out := make([]ir.Value, len(v.s))
	for i, x := range v.s {
		switch {
		case e.Coded != 0:
			x = c.decode(x, e)
		case signed:
			x = c.signExtend(x, e)
		}
		out[i] = x
	}
	return out
}

// sameShape demands a conversion of a matrix to one of the same shape.
func (c *compiler) sameShape(in *spirv.Inst) {
	t := c.typ(in.Type)
	if t.Kind != spirv.KindCooperative || len(in.Operands) != 1 {
		return
	}
	from := c.get(in.ID(0)).t
	if err := c.k.CheckConversion(in, from, t); err != nil {
		c.fail("%v", err)
	}
	c.cooperative(t)
}

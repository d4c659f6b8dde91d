package lower

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// Cooperative vectors. A value is its components, as of any vector. A product is a loop over rows
// of the matrix, each a chain of multiplications and additions from column 0 upwards; where numbers
// of several rows share a word, in columns, a turn of the loop makes those rows. Loops bound the
// program: it has ten to thirty instructions for each column of a product, and up to a hundred with
// floats of 8 bits, whatever the rows.

// cooperativeVector lowers the instructions that are of cooperative vectors alone.
func (c *compiler) cooperativeVector(in *spirv.Inst) {
	switch in.Op {
	case spirv.OpCooperativeVectorLoadNV:
		var out []ir.Value
		c.numbers(in, c.typ(in.Type), func(e *element, p *pointer) {
			out = append(out, c.loadElement(e, p))
		})
		c.setScalars(out)
	case spirv.OpCooperativeVectorStoreNV:
		v, k := c.get(in.ID(2)), 0
		c.numbers(in, v.t, func(e *element, p *pointer) {
			c.storeElement(e, p, v.s[k])
			k++
		})
	case spirv.OpCooperativeVectorReduceSumAccumulateNV:
		v := c.get(in.ID(2))
		p := c.bytesAt(in.ID(0), in.ID(1))
		c.copies(len(v.s))
		for i, x := range v.s {
			c.accumulate(p, uint32(i)*v.t.Elem.Width/8, v.t.Elem, x)
		}
	case spirv.OpCooperativeVectorOuterProductAccumulateNV:
		c.outerProduct(in)
	default:
		c.vectorProduct(in)
	}
}

// numbers calls f for each number of a vector of type t, in their order, with a pointer to its
// place in an array, of which operands 0 and 1 say the address and how many bytes into it the
// vector begins.
func (c *compiler) numbers(in *spirv.Inst, t *spirv.Type, f func(*element, *pointer)) {
	p := *c.accessed(in.ID(0), t)
	if p.arrayed || p.t == nil {
		c.fail("a cooperative vector in what is no array of numbers")
	}
	if p.t.Kind == spirv.KindArray || p.t.Kind == spirv.KindRuntimeArray {
		p.t = p.t.Elem
	}
	e, each := c.elementOf(&p, t.Elem)
	c.copies(int(c.parts(t)))
	p.t, p.held = t.Elem, 0
	c.past(&p, in.ID(1), 8*each/t.Elem.Width)
	q := c.settle(&p)
	for k := range c.parts(t) {
		r := *q
		r.off += k * each
		f(e, &r)
	}
}

// past moves p by an offset, which counts bytes, times scale. It is a multiple of 16
// (VUID-RuntimeSpirv-OpCooperativeVectorLoadNV-10099); what is left by 4 is dropped where words of
// descriptors are looked for.
func (c *compiler) past(p *pointer, offset spirv.ID, scale uint32) {
	wide := isWide(c.typ(c.m.Def(offset).Type))
	if wide && !c.opt.Indices64 {
		c.fail("an offset of 64 bits without 64-bit indexing " +
			"(VUID-RuntimeSpirv-OpCooperativeVectorMatrixMulAddNV-11808, " +
			"VUID-RuntimeSpirv-OpCooperativeVectorLoadNV-11809)")
	}
	if w, ok := c.k.Words(offset); ok && len(w) == 1 &&
		uint64(p.off)+uint64(w[0])*uint64(scale) < farAway {
		p.off += w[0] &^ 3 * scale
		return
	}
	if p.physical || wide {
		c.stepWide(p, offset, scale)
		if p.dyn != ir.NoValue {
			p.dyn, p.step = c.b.Op(ir.OpAnd, ir.I32, p.dyn, c.b.I32(^uint32(3))), 4
		}
		return
	}
	by := c.b.Op(ir.OpAnd, ir.I32, c.intScalar(offset), c.b.I32(^uint32(3)))
	if scale != 1 {
		by = c.b.Op(ir.OpIMul, ir.I32, by, c.b.I32(scale))
	}
	*p = *c.moved(p, by, 4)
}

// bytesAt is a pointer to the bytes of an array, in a buffer, that begin at an offset.
func (c *compiler) bytesAt(id, offset spirv.ID) *pointer {
	p := *c.accessed(id, byteType)
	if p.arrayed || !p.explicit() {
		c.fail("a matrix or bias in what is no array of a buffer")
	}
	p.t, p.held = byteType, 0
	c.past(&p, offset, 1)
	return c.settle(&p)
}

// accumulate adds to a float of type t atomically.
func (c *compiler) accumulate(p *pointer, off uint32, t *spirv.Type, v ir.Value) {
	q := *p
	q.t, q.off = t, q.off+off
	op := ir.AtomicFAdd
	if c.control(t.Width).flush {
		op |= ir.AtomicFlush
	}
	c.outside(&q, c.refs(&q), true)
	if isHalf(t) {
		c.halfAtomic(&q, op|ir.AtomicHalf, []ir.Value{v})
		return
	}
	c.emitAtomic(&q, op, ir.F32, []ir.Value{v}, false)
}

// outerProduct adds each product of a number of A with one of B to the matrix, row by row.
func (c *compiler) outerProduct(in *spirv.Inst) {
	const rule = "VUID-RuntimeSpirv-OpCooperativeVectorOuterProductAccumulateNV-10093"
	p := c.bytesAt(in.ID(0), in.ID(1))
	a, b := c.get(in.ID(2)), c.get(in.ID(3))
	layout, as := c.constScalar(in.ID(4)), spirv.ComponentType(c.constScalar(in.ID(5)))
	if spirv.MatrixLayout(layout) != spirv.TrainingOptimal {
		c.fail("an outer product in layout %d; it must be that for training (%s)", layout, rule)
	}
	t := singleType
	switch as {
	case spirv.TypeFloat16:
		t = a.t.Elem
	case spirv.TypeFloat32:
	default:
		c.fail("an outer product in a matrix of type %d; it must have floats of 16 or 32 bits (%s)", as,
			rule)
	}
	row := func(p *pointer, x ir.Value) {
		for j, y := range b.s {
			v := c.b.Op(ir.OpFMul, ir.F32, x, c.b.Use(y))
			c.accumulate(p, uint32(j)*as.Bytes(), t, c.fit(v, t))
		}
	}
	stride := uint32(spirv.OptimalStride(uint64(len(b.s)), as))
	held := c.scratch(len(a.s))
	for i, x := range a.s {
		c.b.Op(ir.OpStorePrivate, ir.Void, c.b.I32(held+4*uint32(i)), x)
	}
	c.times(c.b.I32(uint32(len(a.s))), func(i ir.Value) {
		x := c.b.Op(ir.OpLoadPrivate, ir.F32, c.b.Op(ir.OpIAdd, ir.I32, c.b.I32(held),
			c.b.Op(ir.OpShl, ir.I32, i, c.b.I32(2))))
		row(c.settle(c.moved(p, c.b.Op(ir.OpIMul, ir.I32, i, c.b.I32(stride)), stride)), x)
	})
}

// scratch is where so many words of lane memory are, which any instruction may use.
func (c *compiler) scratch(words int) uint32 {
	if words > c.scratchWords {
		c.scratchAt, c.scratchWords = c.allocPrivate(words), words
	}
	return c.scratchAt
}

// vectorProduct lowers OpCooperativeVectorMatrixMulNV and OpCooperativeVectorMatrixMulAddNV: sums
// in binary32 of exact products of narrower floats, from column 0 upwards and from the bias on,
// which are rounded to a narrower result once; or integers modulo 2³².
func (c *compiler) vectorProduct(in *spirv.Inst) {
	input, t := c.get(in.ID(0)), c.typ(in.Type)
	v, err := c.k.VectorMultiply(in, input.t, t)
	if err != nil {
		c.fail("%v", err)
	}
	m := &multiplied{VectorMultiply: v, of: c.bytesAt(v.Pointer, v.Offset), result: t.Elem}
	m.x = c.interpret(input, v)
	if v.Bias != 0 {
		m.bias = c.bytesAt(v.Bias, v.BiasOffset)
	}
	m.columns = v.Layout == spirv.ColumnMajor || v.Transpose
	switch width := v.K; {
	case v.Stride != 0:
		m.stride = c.b.Op(ir.OpAnd, ir.I32, c.intScalar(v.Stride), c.b.I32(^uint32(3)))
	default:
		if v.Transpose {
			width = v.M
		}
		m.stride = c.b.I32(uint32(spirv.OptimalStride(uint64(width), v.Matrix)))
	}

	m.group = 1
	if m.columns {
		m.group = 4 / v.Matrix.Bytes()
	}
	group, turns, left := m.group, v.M/m.group, v.M%m.group
	var out []ir.Value
	switch {
	case turns == 1:
		out = c.rows(m, c.b.I32(0), group)
	case turns > 1:
		at := c.scratch(int(turns * group))
		c.times(c.b.I32(turns), func(i ir.Value) {
			first := c.b.Op(ir.OpIMul, ir.I32, i, c.b.I32(group))
			to := c.b.Op(ir.OpIAdd, ir.I32, c.b.I32(at), c.b.Op(ir.OpShl, ir.I32, first, c.b.I32(2)))
			for k, sum := range c.rows(m, first, group) {
				c.b.Op(ir.OpStorePrivate, ir.Void, c.b.Op(ir.OpIAdd, ir.I32, to, c.b.I32(4*uint32(k))), sum)
			}
		})
		ty := c.flat(t)[0]
		for k := range turns * group {
			out = append(out, c.b.Op(ir.OpLoadPrivate, ty, c.b.I32(at+4*k)))
		}
	}
	if left > 0 {
		out = append(out, c.rows(m, c.b.I32(turns*group), left)...)
	}
	c.setScalars(out)
}

// multiplied is what a product multiplies.
type multiplied struct {
	spirv.VectorMultiply
	x        []ir.Value // the vector
	of, bias *pointer   // bias nil: nothing is added
	stride   ir.Value   // bytes
	columns  bool       // neighbours in memory are of one column
	group    uint32     // rows that a turn makes: those of a word
	result   *spirv.Type
}

// rows are the numbers of the result for so many rows from first on, which begin a word of a
// column.
func (c *compiler) rows(m *multiplied, first ir.Value, n uint32) []ir.Value {
	b := c.b
	i32 := func(op ir.Op, x ir.Value, k uint32) ir.Value { return b.Op(op, ir.I32, x, b.I32(k)) }
	sums := make([]ir.Value, n)
	add := func(i int, x, y ir.Value) {
		mul, ty := ir.OpIMul, ir.I32
		if m.result.Kind == spirv.KindFloat {
			mul, ty = ir.OpFMul, ir.F32
		}
		switch {
		case sums[i] == ir.NoValue:
			sums[i] = b.Op(mul, ty, x, y)
		case ty == ir.F32:
			sums[i] = b.Op(ir.OpFma, ty, x, y, sums[i])
		default:
			sums[i] = b.Op(ir.OpIAdd, ty, b.Op(mul, ty, x, y), sums[i])
		}
	}
	for i := range sums {
		sums[i] = ir.NoValue
	}
	if m.bias != nil {
		size := m.VectorProduct.Bias.Bytes()
		p := c.settle(c.moved(m.bias, i32(ir.OpIMul, first, size), size*m.group))
		copy(sums, c.consecutive(p, m.VectorProduct.Bias, n, false))
	}
	size := m.Matrix.Bytes()
	if !m.columns {
		p := c.settle(c.moved(m.of, b.Op(ir.OpIMul, ir.I32, first, b.Use(m.stride)), 4))
		for k, w := range c.consecutive(p, m.Matrix, m.K, m.Layout.Optimal()) {
			add(0, b.Use(m.x[k]), w)
		}
	} else {
		p := c.moved(m.of, i32(ir.OpIMul, first, size), 4)
		line := b.Use(m.stride)
		for k := range m.K {
			q := c.settle(c.moved(p, i32(ir.OpIMul, line, k), 4))
			x := b.Use(m.x[k])
			for i, w := range c.consecutive(q, m.Matrix, n, m.Layout.Optimal()) {
				add(i, x, w)
			}
		}
	}
	if m.result.Kind == spirv.KindFloat {
		for i := range sums {
			sums[i] = c.fit(sums[i], m.result)
		}
	}
	return sums
}

// consecutive loads n numbers that follow each other from p on: whole words, and the bytes of the
// rest, unless words are padded.
func (c *compiler) consecutive(p *pointer, of spirv.ComponentType, n uint32,
	padded bool) []ir.Value {
	size := of.Bytes()
	each := 4 / size
	var refs []scalarRef
	for i := uint32(0); i < n; i += each {
		if padded || i+each <= n {
			refs = append(refs, scalarRef{off: i * size, t: ir.I32})
			continue
		}
		for ; i < n; i++ {
			refs = append(refs, scalarRef{off: i * size, t: ir.I32, bytes: uint8(size)})
		}
	}
	c.outside(p, refs, false)
	out := make([]ir.Value, 0, n)
	for _, r := range refs {
		word := c.loadScalar(p, r)
		for part := uint32(0); part < each && uint32(len(out)) < n; part++ {
			out = append(out, c.number(word, 8*size*part, of))
			if r.bytes != 0 {
				break
			}
		}
	}
	return out
}

// number is the number that stands from a bit of a word on, as binary32 or an integer of 32 bits.
func (c *compiler) number(word ir.Value, bit uint32, of spirv.ComponentType) ir.Value {
	b := c.b
	field := func(op ir.Op) ir.Value { return b.Op(op, ir.I32, word, b.I32(bit), b.I32(8)) }
	switch of {
	case spirv.TypeFloat32:
		return b.Op(ir.OpBitcast, ir.F32, word)
	case spirv.TypeFloat16:
		if bit != 0 {
			word = b.Op(ir.OpShrU, ir.I32, word, b.I32(bit))
		}
		return b.Op(ir.OpH2F, ir.F32, word)
	case spirv.TypeSigned8, spirv.TypeSigned8x4:
		return field(ir.OpBitFieldS)
	case spirv.TypeUnsigned8, spirv.TypeUnsigned8x4:
		return field(ir.OpBitFieldU)
	case spirv.TypeFloatE4M3, spirv.TypeFloatE5M2:
		return c.decode(field(ir.OpBitFieldU), &spirv.Type{Kind: spirv.KindFloat, Width: 8,
			Coded: of.Float8()})
	}
	return word
}

// interpret gives the K numbers of the vector as a product takes them: as binary32, or as integers
// of 32 bits. Integers and floats saturate to bytes, floats round to the nearest even before;
// floats of 8 bits are those that a conversion without saturation makes.
func (c *compiler) interpret(input *value, v spirv.VectorMultiply) []ir.Value {
	b := c.b
	out := make([]ir.Value, v.K)
	for k := range out {
		x := input.s[min(k, len(input.s)-1)]
		switch {
		case v.As == spirv.TypeSigned8x4 || v.As == spirv.TypeUnsigned8x4:
			x = c.number(input.s[k/4], uint32(k%4*8), v.As)
		case v.As.Float8() != 0:
			t := &spirv.Type{Kind: spirv.KindFloat, Width: 8, Coded: v.As.Float8()}
			x = c.decode(c.encode(x, t), t)
		case v.As == spirv.TypeSigned8 && v.Input != v.As:
			if v.Input == spirv.TypeFloat32 {
				x = b.Op(ir.OpF2S, ir.I32, b.Op(ir.OpFRoundEven, ir.F32, x))
			}
			x = b.Op(ir.OpSMin, ir.I32, x, b.I32(127))
			x = b.Op(ir.OpSMax, ir.I32, x, b.I32(-128&(1<<32-1)))
		case v.As == spirv.TypeSigned8:
			x = c.signExtend(x, input.t.Elem)
		}
		out[k] = x
	}
	return out
}

package lower

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// Tensor layouts and views (SPV_NV_tensor_addressing), and the accesses to matrices that go through
// them. Each element of a matrix is at a place that a chain of divisions finds, so accesses are loops.

// tensorLayout is the words of a layout.
type tensorLayout struct {
	spirv.Tensor
	block, dimension, stride, offset, span []ir.Value
	clamp                                  ir.Value
}

// tensorView is the words of a view; clip is the first row, rows, the first column and columns.
type tensorView struct {
	spirv.Tensor
	dimension, stride, clip []ir.Value
}

func (c *compiler) tensor(t *spirv.Type) spirv.Tensor {
	x, ok := c.k.Tensor(t)
	if !ok {
		c.fail("%v without known dimensions", t)
	}
	return x
}

// layoutOf cuts the words of a layout into its fields.
func (c *compiler) layoutOf(v *value) tensorLayout {
	l := tensorLayout{Tensor: c.tensor(v.t)}
	s, n := v.s, l.Dim
	l.block, l.dimension, l.stride = s[:n], s[n:2*n], s[2*n:3*n]
	l.offset, l.span, l.clamp = s[3*n:4*n], s[4*n:5*n], s[5*n]
	return l
}

func (c *compiler) viewOf(v *value) tensorView {
	x := tensorView{Tensor: c.tensor(v.t)}
	n := x.Dim
	x.dimension, x.stride, x.clip = v.s[:n], v.s[n:2*n], v.s[2*n:]
	return x
}

// tensorOp lowers the instructions that make a layout or view of another one.
func (c *compiler) tensorOp(in *spirv.Inst) {
	t := c.typ(in.Type)
	x, b := c.tensor(t), c.b
	s := make([]ir.Value, x.Words(t.Kind))
	if len(in.Operands) == 0 { // a new one
		for i := range s {
			s[i] = b.I32(0)
		}
		if t.Kind == spirv.KindTensorLayout {
			for i := range x.Dim {
				s[i] = b.I32(1)
			}
		} else {
			s[2*x.Dim+1], s[2*x.Dim+3] = b.I32(1<<32-1), b.I32(1<<32-1)
		}
		c.setScalars(s)
		return
	}
	v := &value{t: t, s: s}
	copy(s, c.get(in.ID(0)).s)
	var with []ir.Value
	for i := range in.Operands[1:] {
		with = append(with, c.intScalar(in.ID(i+1)))
	}
	count := x.Dim
	switch in.Op {
	case spirv.OpTensorLayoutSliceNV:
		count *= 2
	case spirv.OpTensorLayoutSetClampValueNV:
		count = 1
	case spirv.OpTensorViewSetClipNV:
		count = 4
	}
	if len(with) != count {
		c.fail("%d operands for a tensor of %d dimensions", len(with), x.Dim)
	}
	op := func(op ir.Op, x, y ir.Value) ir.Value { return b.Op(op, ir.I32, x, y) }
	switch in.Op {
	case spirv.OpTensorLayoutSetBlockSizeNV:
		copy(c.layoutOf(v).block, with)
	case spirv.OpTensorLayoutSetDimensionNV:
		l := c.layoutOf(v)
		copy(l.dimension, with)
		copy(l.span, with)
		next := b.I32(1)
		for i := x.Dim - 1; i >= 0; i-- {
			l.offset[i], l.stride[i] = b.I32(0), next
			up := op(ir.OpIAdd, with[i], op(ir.OpISub, l.block[i], b.I32(1)))
			next = op(ir.OpIMul, next, op(ir.OpUDiv, up, l.block[i]))
		}
	case spirv.OpTensorLayoutSetStrideNV:
		copy(c.layoutOf(v).stride, with)
	case spirv.OpTensorLayoutSliceNV:
		l := c.layoutOf(v)
		for i := range x.Dim {
			l.offset[i], l.span[i] = op(ir.OpIAdd, l.offset[i], with[2*i]), with[2*i+1]
		}
	case spirv.OpTensorLayoutSetClampValueNV:
		s[5*x.Dim] = with[0]
	case spirv.OpTensorViewSetDimensionNV:
		l, next := c.viewOf(v), b.I32(1)
		for i := x.Dim - 1; i >= 0; i-- {
			l.dimension[i], l.stride[i] = with[i], next
			next = op(ir.OpIMul, next, with[i])
		}
	case spirv.OpTensorViewSetStrideNV:
		copy(c.viewOf(v).stride, with)
	default:
		copy(c.viewOf(v).clip, with)
	}
	c.setScalars(s)
}

// tensorPlace is where an element of a matrix is.
type tensorPlace struct {
	index          ir.Value   // of an element, or of a block
	block, inBlock []ir.Value // coordinates of the block and in it
	outside        ir.Value   // Bool: beyond the layout, so that the clamp value counts; or NoValue
	skipped        ir.Value   // Bool: clipped, so that nothing happens; or NoValue
}

// place finds the element of a row and a column of a matrix of so many columns. v may be nil.
// Remainders and quotients of zero, which no valid layout has, are what the IR's operations give: each
// access is checked.
func (l *tensorLayout) place(c *compiler, v *tensorView, row, column ir.Value, columns uint32,
	store bool,
) tensorPlace {
	b := c.b
	op := func(op ir.Op, x, y ir.Value) ir.Value { return b.Op(op, ir.I32, b.Use(x), b.Use(y)) }
	less := func(x, y ir.Value) ir.Value { return b.Op(ir.OpULt, ir.Bool, b.Use(x), b.Use(y)) }
	at := tensorPlace{outside: ir.NoValue, skipped: ir.NoValue}
	width := b.I32(columns)
	if v != nil {
		row, column = op(ir.OpISub, row, v.clip[0]), op(ir.OpISub, column, v.clip[2])
		// The difference is large where the row lies before the clip region.
		at.skipped = b.Op(ir.OpNot, ir.Bool, b.Op(ir.OpAnd, ir.Bool, less(row, v.clip[1]),
			less(column, v.clip[3])))
		width = op(ir.OpUMin, width, v.clip[3])
	}
	index := op(ir.OpIAdd, op(ir.OpIMul, row, width), column)
	// split cuts an index into coordinates of a box, of which the last one runs first.
	split := func(index ir.Value, size []ir.Value, order []uint32) []ir.Value {
		out := make([]ir.Value, len(size))
		for k := len(order) - 1; k >= 0; k-- {
			i := order[k]
			if k > 0 {
				next := op(ir.OpUDiv, index, size[i])
				out[i] = op(ir.OpISub, index, op(ir.OpIMul, next, size[i]))
				index = next
			} else {
				out[i] = op(ir.OpURem, index, size[i])
			}
		}
		return out
	}
	sum := func(x, stride []ir.Value) ir.Value {
		s := b.I32(0)
		for i := range x {
			s = op(ir.OpIAdd, s, op(ir.OpIMul, x[i], stride[i]))
		}
		return s
	}
	if v != nil {
		size, stride := v.dimension, v.stride
		if !v.HasDimensions { // those of the span
			size, stride = make([]ir.Value, v.Dim), make([]ir.Value, v.Dim)
			next := b.I32(1)
			for i := v.Dim - 1; i >= 0; i-- {
				size[i], stride[i] = b.I32(1), next
				if i < l.Dim {
					size[i] = l.span[i]
				}
				next = op(ir.OpIMul, next, size[i])
			}
		}
		index = sum(split(index, size, v.Permutation[:v.Dim]), stride)
	}
	inOrder := [spirv.MaxTensorDimensions]uint32{0, 1, 2, 3, 4}
	x := split(index, l.span, inOrder[:l.Dim])
	mode := l.Clamp
	if store && mode != spirv.TensorClampUndefined {
		mode = spirv.TensorClampConstant
	}
	at.block, at.inBlock = make([]ir.Value, l.Dim), make([]ir.Value, l.Dim)
	for i := range x {
		k, n := op(ir.OpIAdd, x[i], l.offset[i]), l.dimension[i]
		last := op(ir.OpISub, n, b.I32(1))
		switch mode {
		case spirv.TensorClampConstant:
			out := b.Op(ir.OpNot, ir.Bool, less(k, n))
			if at.outside != ir.NoValue {
				out = b.Op(ir.OpOr, ir.Bool, at.outside, out)
			}
			at.outside = out
		case spirv.TensorClampToEdge:
			k = op(ir.OpSMin, op(ir.OpSMax, k, b.I32(0)), last)
		case spirv.TensorClampRepeat:
			k = op(ir.OpSMod, k, n)
		case spirv.TensorClampMirror:
			twice := op(ir.OpShl, last, b.I32(1))
			k = op(ir.OpSMod, k, twice)
			k = b.Op(ir.OpSelect, ir.I32, less(k, n), k, op(ir.OpISub, twice, k))
		}
		at.block[i] = op(ir.OpUDiv, k, l.block[i])
		at.inBlock[i] = op(ir.OpISub, k, op(ir.OpIMul, at.block[i], l.block[i]))
	}
	at.index = sum(at.block, l.stride)
	return at
}

// tensorAccess lowers OpCooperativeMatrixLoadTensorNV and OpCooperativeMatrixStoreTensorNV.
func (c *compiler) tensorAccess(in *spirv.Inst) {
	b, object, l := c.b, c.get(in.ID(1)), c.layoutOf(c.get(in.ID(2)))
	store := in.Op == spirv.OpCooperativeMatrixStoreTensorNV
	view, decode := in.TensorOperands(2)
	var v *tensorView
	if view != 0 {
		x := c.viewOf(c.get(view))
		v = &x
	}
	t := object.t
	columns := c.cooperative(t).Columns
	p, e, each, unit := c.matrixMemory(t, in.ID(0))
	var matrices [][]ir.Value
	if store || v != nil {
		matrices = [][]ir.Value{object.s}
	}
	out := c.elementwise(t, matrices, func(row, column ir.Value, x []ir.Value) ir.Value {
		at := l.place(c, v, row, column, columns, store)
		none := at.skipped // nothing there
		if at.outside != ir.NoValue {
			none = at.outside
			if at.skipped != ir.NoValue {
				none = b.Op(ir.OpOr, ir.Bool, at.outside, at.skipped)
			}
		}
		if none != ir.NoValue && !store {
			at.index = b.Op(ir.OpSelect, ir.I32, none, b.I32(0), at.index)
		}
		q := func(size uint32) *pointer {
			index := b.Use(at.index)
			if c.indices64(p) && c.windows(p) {
				q := *c.use(&value{t: p.ptrType, p: p}).p
				c.further(&q, index, b.I32(size), gcd(size, unit))
				q.t = t.Elem
				return &q
			}
			q := c.moved(p, b.Op(ir.OpIMul, ir.I32, index, b.I32(size)), gcd(size, unit))
			q.t = t.Elem
			return q
		}
		switch {
		case store:
			write := func() { c.storeElement(e, c.settle(q(each)), x[0]) }
			if none == ir.NoValue {
				write()
			} else {
				b.If(b.Op(ir.OpNot, ir.Bool, none), write, nil)
			}
			return x[0]
		case decode != 0:
			return c.kept(&at, l.clamp, t.Elem, c.decoded(in, decode, &at, q), x)
		}
		return c.kept(&at, l.clamp, t.Elem, c.loadElement(e, c.settle(q(each))), x)
	})
	if !store {
		c.setScalars(out)
	}
}

// kept is what a load comes to: the element, the clamp value, or what the object has.
func (c *compiler) kept(at *tensorPlace, clamp ir.Value, t *spirv.Type, v ir.Value,
	object []ir.Value,
) ir.Value {
	b := c.b
	if at.outside != ir.NoValue {
		word := b.Use(clamp)
		if t.Width < 32 {
			word = b.Op(ir.OpAnd, ir.I32, word, b.I32(1<<t.Width-1))
		}
		if t.Coded == 0 {
			word = c.fromBits([]ir.Value{word}, t)[0]
		}
		v = b.Op(ir.OpSelect, c.irType(v), b.Use(at.outside), word, v)
	}
	if at.skipped != ir.NoValue {
		v = b.Op(ir.OpSelect, c.irType(v), b.Use(at.skipped), b.Use(object[0]), v)
	}
	return v
}

// decoded calls the function that decodes an element of a block.
func (c *compiler) decoded(in *spirv.Inst, id spirv.ID, at *tensorPlace,
	to func(size uint32) *pointer,
) ir.Value {
	f := c.m.Function(id)
	block := c.typ(f.Params[0].Type)
	p := to(c.blockSize(block.Elem))
	p.ptrType, p.t, p.laid, p.compStride = block, block.Elem, true, componentBytes(block.Elem)
	coordinates := func(i int, x []ir.Value) *value {
		t := c.typ(f.Params[i].Type)
		if n := c.parts(t); int(n) != len(x) {
			c.fail("a parameter of %d coordinates in a tensor of %d dimensions", n, len(x))
		}
		v := &value{t: t}
		for _, x := range x {
			v.s = append(v.s, c.b.Use(x))
		}
		return v
	}
	return c.apply(in, id, &value{t: block, p: c.settle(p)}, coordinates(1, at.block),
		coordinates(2, at.inBlock))
}

// blockSize is the bytes from one block to the next: a multiple of the largest scalar, as in an array,
// so that blocks of 17, 18 or 34 bytes have no words of their own. A runtime array at the end adds
// nothing: functions that find what they decode by themselves have a block of nothing else.
func (c *compiler) blockSize(t *spirv.Type) uint32 {
	end, last := uint32(0), largestScalar(t)-1 // sizes are powers of two
	if n := len(t.Members) - 1; n >= 0 && t.Members[n].Kind == spirv.KindRuntimeArray {
		end = c.memberOffset(t, uint32(n))
	} else {
		end = c.layoutEnd(t)
	}
	return (end + last) &^ last
}

// largestScalar is the bytes of the largest scalar in t.
func largestScalar(t *spirv.Type) uint32 {
	switch t.Kind {
	case spirv.KindArray, spirv.KindRuntimeArray, spirv.KindVector, spirv.KindMatrix:
		return largestScalar(t.Elem)
	case spirv.KindStruct:
		n := uint32(1)
		for _, m := range t.Members {
			n = max(n, largestScalar(m))
		}
		return n
	case spirv.KindInt, spirv.KindFloat:
		return t.Width / 8
	}
	return 8 // an address
}

// decodesBuffer says that an instruction has a function decode a storage buffer, which is told of it
// by a pointer that for others is a device address.
func (c *compiler) decodesBuffer(in *spirv.Inst) bool {
	if in.Op != spirv.OpCooperativeMatrixLoadTensorNV {
		return false
	}
	d := c.m.Def(in.ID(0))
	t := c.m.Type(d.Type)
	return t != nil && t.Storage == spirv.StorageClassStorageBuffer
}

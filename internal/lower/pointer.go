package lower

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// space says where a pointer points.
type space uint8

const (
	spaceVar     space = iota // registers, one a scalar
	spaceInput                // input slots
	spaceVertex               // slots of a vertex, the one that elem names
	spacePrivate              // lane memory
	spaceTable                // constants of the program
	spaceShared               // workgroup memory
	spaceBuffer               // uniform and storage buffers
	spacePush                 // push constants
	spaceHandle               // images and samplers
	spaceTexel                // a texel, for atomics
	spaceAddress              // what two words say (address.go)
	spaceHeap                 // descriptors in a heap (heap.go)
)

// pointer is the static part of an address and its dynamic addend.
type pointer struct {
	space   space
	ptrType *spirv.Type // of the pointer
	t       *spirv.Type // of what it points to
	obj     *object     // spaceVar, spaceInput
	// off counts scalars in registers and slots, bytes elsewhere. dyn is
	// NoValue or an i32 in the same unit, a multiple of step.
	off  uint32
	dyn  ir.Value
	step uint32
	// array is the distance of the parts that the last index of the chain chose
	// from, in the unit of off; 0 where no index was the last.
	array uint32
	// res and elem name a descriptor; arrayed says that t is still the
	// descriptor array.
	res     int
	elem    ir.Value
	arrayed bool
	// windowed: elem is that of window window of the buffer of element home.
	windowed     bool
	home, window ir.Value
	// clamped says that indices are clamped to their arrays.
	clamped bool
	// held is how many elements there are of the array t, an output, where they may be
	// more than its type says; 0 of what lies below.
	held uint32
	// laid says that what two words point to, or workgroup memory, has an
	// explicit layout.
	laid bool
	// spaceAddress: the words, and what is known of them.
	lo, hi           ir.Value
	physical, shared bool
	// mixed says that they are those of a device address or of a place in a storage buffer.
	mixed bool
	// explicit layout of what lies below
	matStride  uint32
	rowMajor   bool
	compStride uint32 // of a vector's components
	// texel
	image  *handle
	coord  []ir.Value
	sample ir.Value
}

// object is a variable in registers or input slots.
type object struct {
	name   string
	flat   []ir.Type
	vars   []ir.VarID
	out    *output // where it is an output variable
	inputs []inputSlot
}

// unit is the distance of neighbouring scalars.
func (p *pointer) unit() uint32 {
	if p.space == spaceVar || p.space == spaceInput || p.space == spaceVertex {
		return 1
	}
	return 4
}

// explicit reports whether the layout comes from decorations.
func (p *pointer) explicit() bool {
	return p.space == spaceBuffer || p.space == spacePush || p.space == spaceHeap || p.laid
}

// pointerTo returns the pointer value of an <id>.
func (c *compiler) pointerTo(id spirv.ID) *pointer {
	v := c.get(id)
	if v.p == nil {
		if isAddress(v.t) && len(v.s) == 2 {
			return c.pointerFrom(v.t, v.s)
		}
		c.fail("<id> %d is not a pointer that is supported", id)
	}
	return v.p
}

// accessChain lowers OpAccessChain and OpInBoundsAccessChain.
func (c *compiler) accessChain(in *spirv.Inst) {
	p := *c.pointerTo(in.ID(0))
	for _, k := range in.Operands[1:] {
		c.step(&p, spirv.ID(k))
	}
	p.ptrType = c.typ(in.Type)
	if p.ptrType.Kind != spirv.KindPointer || p.ptrType.Elem.ID != p.t.ID {
		c.fail("the chain ends at %v, not at its result type %v", p.t, p.ptrType)
	}
	c.set(&value{p: &p})
}

// step descends one index.
func (c *compiler) step(p *pointer, index spirv.ID) {
	words, constant := c.k.Words(index)
	k := uint32(0)
	if constant {
		t := c.typ(c.m.Def(index).Type)
		if t.Kind != spirv.KindInt {
			c.fail("<id> %d is not a scalar index", index)
		}
		k = words[0]
		if len(words) > 1 && words[1] != 0 {
			k = math.MaxInt32
		}
	}
	if p.arrayed && p.space == spaceVertex {
		c.vertexOf(p, c.intScalar(index))
		return
	}
	if p.arrayed { // arrays of arrays count their elements in row order
		p.t = p.t.Elem
		e := c.intScalar(index)
		inner := c.descriptors(p.t)
		if inner != 1 {
			e = c.b.Op(ir.OpIMul, ir.I32, e, c.b.I32(inner))
		}
		if k, ok := c.b.Constant(p.elem); !ok || k != 0 {
			e = c.b.Op(ir.OpIAdd, ir.I32, p.elem, e)
		}
		p.elem = e
		p.arrayed = p.t.Kind == spirv.KindArray
		return
	}
	var stride uint32
	switch p.t.Kind {
	case spirv.KindStruct:
		if !constant {
			c.fail("a struct indexed with a value that is not constant")
		}
		c.member(p, k)
		return
	case spirv.KindVector, spirv.KindMatrix, spirv.KindArray, spirv.KindRuntimeArray, spirv.KindCooperative:
		stride = c.stride(p)
	default:
		c.fail("an access chain into %v", p.t)
	}
	if p.t.Kind == spirv.KindRuntimeArray && c.indices64(p) {
		c.descend(p)
		p.held = 0
		c.stepWide(p, index, stride)
		return
	}
	parts := max(c.parts(p.t), p.held)
	if constant && p.t.Kind != spirv.KindRuntimeArray && k >= parts {
		if p.clamped || parts > 0 && p.t.Kind != spirv.KindArray {
			// Code that never runs may have such indices into vectors.
			k = parts - 1
		} else if p.explicit() || p.space == spacePrivate || p.space == spaceTable || p.space == spaceShared || p.space == spaceAddress {
			// Bounded by the access itself: reads give zero.
			k = max(k, parts)
		} else {
			c.fail("index %d is outside %v", k, p.t)
		}
	}
	c.descend(p)
	p.held, p.array = 0, stride
	if constant {
		off := uint64(p.off) + uint64(k)*uint64(stride)
		p.off = uint32(min(off, math.MaxInt32&^3))
		return
	}
	i := c.intScalar(index)
	if p.clamped {
		i = c.b.Op(ir.OpUMin, ir.I32, i, c.b.I32(max(parts, 1)-1))
	}
	if stride != 1 {
		i = c.b.Op(ir.OpIMul, ir.I32, i, c.b.I32(stride))
	}
	if p.dyn == ir.NoValue {
		p.dyn, p.step = i, stride
		return
	}
	p.dyn = c.b.Op(ir.OpIAdd, ir.I32, p.dyn, i)
	p.step = gcd(p.step, stride)
}

// descriptors is the number of descriptors in an element of a descriptor array.
func (c *compiler) descriptors(t *spirv.Type) uint32 {
	n := uint32(1)
	for t.Kind == spirv.KindArray {
		n *= c.parts(t)
		t = t.Elem
	}
	return n
}

func gcd(a, b uint32) uint32 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// member descends into struct member k.
func (c *compiler) member(p *pointer, k uint32) {
	st := p.t
	p.array = 0
	if uint64(k) >= uint64(len(st.Members)) {
		c.fail("member %d of a struct of %d", k, len(st.Members))
	}
	if !p.explicit() {
		t, at, _ := c.part(st, k)
		p.t, p.off = t, p.off+uint32(at)*p.unit()
		return
	}
	p.off += c.memberOffset(st, k)
	p.matStride, p.rowMajor = c.matrixLayout(st, k)
	p.t = st.Members[k]
	p.compStride = componentBytes(p.t)
}

// componentBytes is the distance of the components of a vector, or of the
// vectors in an array, of t in memory.
func componentBytes(t *spirv.Type) uint32 {
	for t.Kind == spirv.KindArray || t.Kind == spirv.KindRuntimeArray {
		t = t.Elem
	}
	if e := elem(t); e.Kind == spirv.KindInt || e.Kind == spirv.KindFloat {
		return e.Width / 8
	}
	return 4
}

// memberOffset returns the Offset decoration.
func (c *compiler) memberOffset(st *spirv.Type, k uint32) uint32 {
	off, ok := c.k.MemberOffset(st, k)
	if !ok || off%c.alignment(st.Members[k]) != 0 || off > math.MaxInt32 {
		c.fail("member %d of struct %d has no Offset that is a multiple of its scalars' size", k, st.ID)
	}
	return off
}

func (c *compiler) matrixLayout(st *spirv.Type, k uint32) (stride uint32, rowMajor bool) {
	_, rowMajor = c.m.MemberDecoration(st.ID, k, spirv.DecorationRowMajor)
	return c.m.MatrixStride(st, k), rowMajor
}

// stride returns the distance of the parts of a vector, matrix or array.
func (c *compiler) stride(p *pointer) uint32 {
	if !p.explicit() {
		if p.t.Kind == spirv.KindRuntimeArray {
			c.fail("a runtime array outside a buffer")
		}
		return uint32(len(c.flat(p.t.Elem))) * p.unit()
	}
	switch p.t.Kind {
	case spirv.KindVector:
		return p.compStride
	case spirv.KindMatrix:
		if p.rowMajor {
			return componentBytes(p.t)
		}
		return c.matrixStride(p)
	default:
		return c.arrayStride(p.t)
	}
}

func (c *compiler) arrayStride(t *spirv.Type) uint32 {
	stride, ok := c.k.ArrayStride(t)
	if !ok || stride == 0 && !heapType(t) || stride%c.alignment(t) != 0 {
		c.fail("array type %d has no ArrayStride that is a multiple of its scalars' size", t.ID)
	}
	return stride
}

// alignment is what offsets and strides of t in memory are multiples of: the
// size of its smallest scalar, at most the 4 of a plain access.
func (c *compiler) alignment(t *spirv.Type) uint32 {
	switch t.Kind {
	case spirv.KindArray, spirv.KindRuntimeArray, spirv.KindVector, spirv.KindMatrix:
		return c.alignment(t.Elem)
	case spirv.KindStruct:
		n := uint32(4)
		for _, m := range t.Members {
			n = min(n, c.alignment(m))
		}
		return n
	case spirv.KindInt, spirv.KindFloat:
		return min(t.Width/8, 4)
	}
	return 4
}

func (c *compiler) matrixStride(p *pointer) uint32 {
	if p.matStride == 0 || p.matStride%min(componentBytes(p.t), 4) != 0 {
		c.fail("a matrix in memory without a MatrixStride that is a multiple of its scalars' size")
	}
	return p.matStride
}

// descend sets the type and layout of the part that an index selects.
func (c *compiler) descend(p *pointer) {
	if p.explicit() && p.t.Kind == spirv.KindMatrix {
		p.compStride = componentBytes(p.t)
		if p.rowMajor {
			p.compStride = c.matrixStride(p)
		}
	}
	p.t = p.t.Elem
}

// address returns the dynamic address of off beyond p.
func (c *compiler) address(p *pointer, off uint32) ir.Value {
	k := c.b.I32(p.off + off)
	if p.dyn == ir.NoValue {
		return k
	}
	if p.off+off == 0 {
		return p.dyn
	}
	return c.b.Op(ir.OpIAdd, ir.I32, p.dyn, k)
}

// scalarRef is one scalar of a pointee: its offset from the pointer.
// bytes is its width in memory: 0 stands for a plain word, 1 and 2 for narrow
// scalars, and half marks a binary16.
type scalarRef struct {
	off   uint32
	t     ir.Type
	bytes uint8
	half  bool
}

// refs lists the scalars below p in order of the type's parts.
func (c *compiler) refs(p *pointer) []scalarRef {
	flat := c.flat(p.t)
	out := make([]scalarRef, 0, len(flat))
	if !p.explicit() {
		for i, t := range flat {
			out = append(out, scalarRef{off: uint32(i) * p.unit(), t: t})
		}
		return out
	}
	return c.layoutRefs(out, *p, 0)
}

func (c *compiler) layoutRefs(out []scalarRef, p pointer, base uint32) []scalarRef {
	switch p.t.Kind {
	case spirv.KindStruct:
		for k := range p.t.Members {
			q := p
			q.off = 0
			c.member(&q, uint32(k))
			out = c.layoutRefs(out, q, base+q.off)
		}
	case spirv.KindVector, spirv.KindMatrix, spirv.KindArray:
		stride := c.stride(&p)
		q := p
		c.descend(&q)
		for k := range c.parts(p.t) {
			out = c.layoutRefs(out, q, base+k*stride)
		}
	case spirv.KindInt, spirv.KindFloat:
		switch p.t.Width {
		case 64:
			out = append(out, scalarRef{off: base, t: ir.I32}, scalarRef{off: base + 4, t: ir.I32})
		case 32:
			out = append(out, scalarRef{off: base, t: c.flat(p.t)[0]})
		default:
			out = append(out, scalarRef{off: base, t: c.flat(p.t)[0], bytes: uint8(p.t.Width / 8), half: isHalf(p.t)})
		}
	case spirv.KindPointer:
		c.flat(p.t) // fails for pointers that memory cannot hold
		out = append(out, scalarRef{off: base, t: ir.I32}, scalarRef{off: base + 4, t: ir.I32})
	default:
		c.fail("%v in a buffer", p.t)
	}
	return out
}

package vm

import (
	"encoding/binary"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/native"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// memory compiles the operations on buffers, push constants, shared and
// private memory and images.
func (c *compiler) memory(v ir.Value, in *ir.Inst) {
	a := in.Args
	switch in.Op {
	case ir.OpLoadBuffer:
		i := instr{kind: native.KindLoadBuffer, imm: int64(in.Imm)}
		switch {
		case c.uniform(v):
			i.kind, i.a, i.b, i.d = native.KindLoadBufferU, c.reg[a[1]], c.reg[a[0]], c.scalar()
			c.reg[v] = i.d
			c.emit(i)
			return
		case c.uniform(a[0]):
			i.b = c.reg[a[0]]
		default:
			i.kind, i.b = native.KindLoadBufferE, c.vector(a[0])
		}
		i.a = c.vector(a[1])
		c.lanewise(v, i)
	case ir.OpStoreBuffer:
		i := instr{kind: native.KindStoreBuffer, imm: int64(in.Imm), a: c.vector(a[1]), b: c.reg[a[0]],
			c: c.visible(a[2])}
		if !c.uniform(a[0]) {
			i.kind, i.b = native.KindStoreBufferE, c.vector(a[0])
		}
		c.emit(i)
	case ir.OpBufferSize:
		if c.uniform(v) {
			c.reg[v] = c.scalar()
			c.emit(instr{kind: native.KindSizeBufferU, imm: int64(in.Imm), b: c.reg[a[0]], d: c.reg[v]})
			return
		}
		c.lanewise(v, instr{kind: native.KindSizeBufferE, imm: int64(in.Imm), b: c.vector(a[0])})
	case ir.OpLoadPush:
		if c.uniform(v) {
			c.reg[v] = c.scalar()
			c.emit(instr{kind: native.KindLoadPushU, a: c.reg[a[0]], d: c.reg[v]})
			return
		}
		c.lanewise(v, instr{kind: native.KindLoadPush, a: c.vector(a[0])})
	case ir.OpLoadTable:
		if c.uniform(v) {
			c.reg[v] = c.scalar()
			c.emit(instr{kind: native.KindLoadTableU, a: c.reg[a[0]], d: c.reg[v]})
			return
		}
		c.lanewise(v, instr{kind: native.KindLoadTable, a: c.vector(a[0])})
	case ir.OpLoadShared:
		c.lanewise(v, instr{kind: native.KindLoadShared, a: c.vector(a[0])})
	case ir.OpStoreShared:
		c.emit(instr{kind: native.KindStoreShared, a: c.vector(a[0]), c: c.visible(a[1])})
	case ir.OpLoadPrivate:
		if w, ok := c.privateWord(a[0]); ok {
			c.lanewise(v, instr{kind: native.KindLoadPrivateAt, c: w})
			return
		}
		c.lanewise(v, instr{kind: native.KindLoadPrivate, a: c.vector(a[0])})
	case ir.OpStorePrivate:
		if w, ok := c.privateWord(a[0]); ok {
			c.emit(instr{kind: native.KindStorePrivateAt, c: w, b: c.visible(a[1])})
			return
		}
		c.emit(instr{kind: native.KindStorePrivate, a: c.vector(a[0]), b: c.visible(a[1])})
	case ir.OpAtomicBuffer, ir.OpAtomicShared:
		i := instr{kind: kindAtomicBuffer, imm: int64(in.Imm & 0xFFFFFFFF), op: ir.Op(in.Imm >> 32)}
		if in.Op == ir.OpAtomicShared {
			i.kind = kindAtomicShared
		}
		i.c = c.auxiliary(v, in, 1, 0)
		if i.kind == kindAtomicBuffer && c.uniform(in.More[0]) {
			i.b = c.reg[in.More[0]] + 1
		}
		c.emit(i)
	case ir.OpImage:
		c.imageInst(v, in)
	}
}

// privateWord is the word behind a constant in-range offset.
func (c *compiler) privateWord(v ir.Value) (int32, bool) {
	in := &c.p.Insts[v]
	if in.Op != ir.OpConst || uint32(in.Imm) >= c.p.PrivateBytes {
		return 0, false
	}
	return int32(uint32(in.Imm) / 4), true
}

func (c *compiler) auxiliary(v ir.Value, in *ir.Inst, results, image int) int32 {
	x := auxiliary{image: image}
	for _, a := range in.More {
		x.args = append(x.args, c.visible(a))
	}
	for range results {
		x.results = append(x.results, c.lane())
	}
	c.reg[v] = x.results[0]
	c.results[v] = x.results
	c.r.aux = append(c.r.aux, x)
	return int32(len(c.r.aux) - 1)
}

// descriptor returns the element of a resource, the null descriptor where
// there is none.
func (t *storage) descriptor(resource int64, element uint32) exec.Descriptor {
	return t.ctx.Descriptor(resource, element)
}

// load returns the word at a byte offset, 0 outside.
func load(data []byte, offset uint32) uint32 {
	if o := uint64(offset); o+4 <= uint64(len(data)) {
		return binary.LittleEndian.Uint32(data[o : o+4])
	}
	return 0
}

// store writes the word at a byte offset, nothing outside.
func store(data []byte, offset, word uint32) {
	if o := uint64(offset); o+4 <= uint64(len(data)) {
		binary.LittleEndian.PutUint32(data[o:o+4], word)
	}
}

// loadLanes loads a word a lane, 0 outside of data.
func loadLanes(d, offset []uint32, data []byte) {
	offset = offset[:len(d)]
	if r := row(offset, data); r != nil {
		copy(bytesOf(d), r)
		return
	}
	for i := range d {
		d[i] = load(data, offset[i])
	}
}

// storeLanes stores the words of the lanes that may store, in order. (Inlined, it would share
// the registers of the loop over instructions.)
//
//go:noinline
func (t *storage) storeLanes(in *instr, data []byte) {
	m, offset, word := t.storeMask(in.m), t.v[in.a], t.v[in.c]
	offset, word = offset[:len(m)], word[:len(m)]
	if t.m[in.m].state == maskFull && t.live.state == maskFull {
		if r := row(offset, data); r != nil {
			copy(r, bytesOf(word))
			return
		}
	}
	for i := range m {
		if m[i] != 0 {
			store(data, offset[i], word[i])
		}
	}
}

// storeBuffer is storeLanes to a buffer, whose pages may lack memory.
func (t *storage) storeBuffer(in *instr, data []byte) {
	pages, begin := t.ctx.Sparse.Around(data)
	if pages == nil {
		t.storeLanes(in, data)
		return
	}
	m, offset, word := t.storeMask(in.m), t.v[in.a], t.v[in.c]
	for i := range m {
		at := int64(offset[i])
		if m[i] != 0 && at+4 <= int64(len(data)) && pages.Bound(begin+at, 4) {
			store(data, offset[i], word[i])
		}
	}
}

// writable says that n bytes of data from an offset on, if they are inside, have
// memory.
func (t *storage) writable(data []byte, offset, n uint64) bool {
	return t.ctx.Sparse == nil || offset >= uint64(len(data)) ||
		t.ctx.Sparse.Bound(data[offset:], int(n))
}

// loadEach loads through a descriptor element that varies between lanes.
func (t *storage) loadEach(in *instr) {
	d, offset, element := t.v[in.d], t.v[in.a], t.v[in.b]
	offset, element = offset[:len(d)], element[:len(d)]
	var data []byte
	last := uint32(0)
	for i := range d { // which may be offset or element
		if e := element[i]; i == 0 || e != last {
			last, data = e, t.descriptor(in.imm, e).Data
		}
		d[i] = load(data, offset[i])
	}
}

func (t *storage) storeEach(in *instr) {
	m, offset, element, word := t.storeMask(in.m), t.v[in.a], t.v[in.b], t.v[in.c]
	for i := range m {
		if data := t.descriptor(in.imm, element[i]).Data; m[i] != 0 &&
			t.writable(data, uint64(offset[i]), 4) {
			store(data, offset[i], word[i])
		}
	}
}

// loadPrivate and storePrivate: word w of lane i stands at w·stride + i. A
// helper lane has private memory like any other, since derivatives may depend
// on it; only memory that others see is closed to it.
func (t *storage) loadPrivate(in *instr) {
	d, offset := t.v[in.d], t.v[in.a]
	for i := range d {
		var x uint32
		if o := offset[i]; o < t.r.program.PrivateBytes { // d may be offset
			x = t.private[int(o/4)*t.stride+i]
		}
		d[i] = x
	}
}

func (t *storage) storePrivate(in *instr) {
	offset, word, m := t.v[in.a], t.v[in.b], t.maskWords(in.m)
	for i := range m {
		if m[i] != 0 && offset[i] < t.r.program.PrivateBytes {
			t.private[int(offset[i]/4)*t.stride+i] = word[i]
		}
	}
}

// atomic runs an atomic in lane order and returns old values; lanes outside
// the store mask get 0.
func (t *storage) atomic(in *instr) {
	x := &t.r.aux[in.c]
	args := x.args
	m, d := t.storeMask(in.m), t.v[x.results[0]]
	var element []uint32
	if in.kind == kindAtomicBuffer {
		element, args = t.v[args[0]], args[1:]
	}
	offset := t.v[args[0]]
	value := offset // atomic load has none
	if len(args) > 1 {
		value = t.v[args[1]]
	}
	comparator := value
	if len(args) > 2 {
		comparator = t.v[args[2]]
	}
	data, op := t.batch.Shared, ir.AtomicOp(in.op)
	if (op == ir.AtomicLoad || op == ir.AtomicStore) && t.ctx.Sparse == nil {
		if element == nil {
			plainWords(op, ^uint32(3), data, offset, m, value, d)
			return
		}
		where := ir.Mem{Space: ir.MemBuffer, Resource: uint32(in.imm)}
		if data, offset, ok := t.window(where, x.args, m); ok {
			plainWords(op, ^uint32(3), data, offset, m, value, d)
			return
		}
	}
	known := -1 // the lane whose element data is of
	for i := 0; i < len(m); i++ {
		d[i] = 0
		if m[i] == 0 {
			continue
		}
		if element != nil && (known < 0 || element[i] != element[known]) {
			data, known = t.descriptor(in.imm, element[i]).Data, i
		}
		o := uint64(offset[i] &^ 3)
		if o+4 > uint64(len(data)) || !t.writable(data, o, 4) {
			continue
		}
		// Lanes that follow with the same word, as of a counter, share its turn: each finds what those
		// before it made.
		last, total := i, value[i]
		if op.Joins() {
			for k := i + 1; k < len(m) && (m[k] == 0 ||
				uint64(offset[k]&^3) == o && (element == nil || element[k] == element[i])); k++ {
				switch {
				case m[k] == 0:
				case op == ir.AtomicAdd: // mostly
					last, total = k, total+value[k]
				default:
					last, total = k, op.Result(total, value[k], 0)
				}
			}
		}
		d[i] = atomicWord(data[o:o+4], op, total, comparator[i])
		for before := i; i < last; {
			i++
			switch {
			case m[i] == 0:
				d[i] = 0
				continue
			case op == ir.AtomicAdd:
				d[i] = d[before] + value[before]
			default:
				d[i] = op.Result(d[before], value[before], 0)
			}
			before = i
		}
	}
}

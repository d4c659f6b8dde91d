package vm

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/sampling"
)

// location is the memory behind one lane's address: bytes of data from offset on.
type location struct {
	data   []byte
	offset uint64
}

// bytes returns n bytes at the location, nil where they are not all inside.
func (p location) bytes(n uint64) []byte {
	if size := uint64(len(p.data)); p.offset > size || size-p.offset < n {
		return nil
	}
	return p.data[p.offset : p.offset+n]
}

// region caches the range that the last device address of a batch fell into.
type region struct {
	base uint64
	data []byte
}

// at resolves the address of lane i. write asks for memory that a shader may
// write.
func (t *storage) at(m ir.Mem, args []int32, i int, write bool) location {
	a := t.v[args[0]][i]
	switch m.Space {
	case ir.MemPush:
		return location{t.ctx.Push, uint64(a)}
	case ir.MemShared:
		return location{t.batch.Shared, uint64(a)}
	case ir.MemBuffer:
		return location{t.descriptor(int64(m.Resource), a).Data, uint64(t.v[args[1]][i])}
	}
	hi, off := t.v[args[1]][i], uint64(m.Resource)
	switch {
	case m.Space == ir.MemAddress:
		return t.deviceAddress(pair(a, hi) + off)
	case hi&ir.PointerTag == 0:
		return t.deviceAddress(pair(a, hi) + off)
	case hi&ir.PointerShared == ir.PointerShared:
		return location{t.batch.Shared, uint64(a) + off}
	}
	r := int64(hi >> ir.PointerResourceShift & ir.PointerMaxResource)
	if list := t.r.program.Resources; r >= int64(len(list)) ||
		write && list[r].Kind != ir.StorageBuffer {
		return location{}
	}
	return location{t.descriptor(r, hi&ir.PointerMaxElement).Data, uint64(a) + off}
}

// window is memory that has the places of all active lanes, and their offsets there; those of other
// lanes mean nothing, but those of addresses lie outside. It returns false where there is no such
// memory, or it is not looked for. The offsets are good until the next one.
func (t *storage) window(m ir.Mem, args []int32,
	active []uint32) (data []byte, offset []uint32, ok bool) {
	first := slices.IndexFunc(active, func(on uint32) bool { return on != 0 })
	if first < 0 {
		return nil, nil, false
	}
	a := t.v[args[0]][:len(active)]
	switch m.Space {
	case ir.MemShared:
		return t.batch.Shared, a, true
	case ir.MemBuffer:
		for i, on := range active {
			if on != 0 && a[i] != a[first] {
				return nil, nil, false
			}
		}
		return t.descriptor(int64(m.Resource), a[first]).Data, t.v[args[1]][:len(active)], true
	case ir.MemAddress:
		hi := t.v[args[1]][:len(active)]
		t.deviceAddress(pair(a[first], hi[first]) + uint64(m.Resource))
		base, size := t.last.base-uint64(m.Resource), uint64(len(t.last.data))
		if size > math.MaxInt32 {
			return nil, nil, false
		}
		offset = t.offsets[:len(active)]
		for i, on := range active {
			o := pair(a[i], hi[i]) - base
			switch {
			case on == 0:
				o = math.MaxUint32
			case o >= size:
				return nil, nil, false
			}
			offset[i] = uint32(o)
		}
		return t.last.data, offset, true
	}
	return nil, nil, false
}

func (t *storage) deviceAddress(address uint64) location {
	last := &t.last
	if off := address - last.base; off < uint64(len(last.data)) {
		return location{last.data, off}
	}
	if t.ctx.Addresses == nil {
		return location{}
	}
	last.base, last.data = t.ctx.Addresses.Find(address)
	return location{last.data, address - last.base}
}

// load returns the number of 1<<log bytes, at most 4, at the location; 0 where they are not all
// inside.
func (p location) load(log uint8) uint32 {
	switch b := p.bytes(1 << log); {
	case b == nil:
		return 0
	case log == 0:
		return uint32(b[0])
	case log == 1:
		return uint32(binary.LittleEndian.Uint16(b))
	default:
		return binary.LittleEndian.Uint32(b)
	}
}

// storeAt stores the low 1<<log bytes of a number, at most 4.
func (t *storage) storeAt(p location, log uint8, value uint32) {
	switch b := p.bytes(1 << log); {
	case b == nil || !t.writable(b, 0, 1<<log):
	case log == 0:
		b[0] = byte(value)
	case log == 1:
		binary.LittleEndian.PutUint16(b, uint16(value))
	default:
		binary.LittleEndian.PutUint32(b, value)
	}
}

func (t *storage) loadMem(in *instr) {
	x := &t.r.aux[in.c]
	m := ir.MemOf(uint64(in.imm))
	d := t.v[x.results[0]]
	active := t.maskWords(in.m)[:len(d)]
	if m.Space == ir.MemBuffer {
		t.loadNarrow(m, d, t.v[x.args[0]], t.v[x.args[1]], active)
		return
	}
	if m.Space == ir.MemAddress && m.Log == 2 {
		if data, offset, ok := t.window(m, x.args, active); ok {
			t.r.kernels.gather(d, offset, data)
			return
		}
	}
	for i := range d {
		d[i] = 0
		if active[i] != 0 {
			d[i] = t.at(m, x.args, i, false).load(m.Log)
		}
	}
}

// loadNarrow loads through descriptors. Mostly all lanes have the same one, which is found once.
func (t *storage) loadNarrow(m ir.Mem, d, element, offset, active []uint32) {
	element, offset, active = element[:len(d)], offset[:len(d)], active[:len(d)]
	var data []byte
	last, found := uint32(0), false
	for i := range d {
		if active[i] == 0 {
			d[i] = 0
			continue
		}
		if e := element[i]; e != last || !found {
			last, found, data = e, true, t.descriptor(int64(m.Resource), e).Data
		}
		d[i] = location{data, uint64(offset[i])}.load(m.Log)
	}
}

func (t *storage) storeMem(in *instr) {
	x := &t.r.aux[in.c]
	m := ir.MemOf(uint64(in.imm))
	value := t.v[x.args[m.Space.Operands()]]
	active := t.storeMask(in.m)
	if m.Space == ir.MemBuffer && m.Log < 2 && t.ctx.Sparse == nil {
		t.storeNarrow(m, t.v[x.args[0]], t.v[x.args[1]], value, active)
		return
	}
	if m.Space == ir.MemAddress && m.Log == 2 && t.ctx.Sparse == nil {
		if data, offset, ok := t.window(m, x.args, active); ok {
			offset, value = offset[:len(active)], value[:len(active)]
			for i, on := range active {
				if on != 0 {
					store(data, offset[i], value[i])
				}
			}
			return
		}
	}
	for i, on := range active {
		if on != 0 {
			t.storeAt(t.at(m, x.args, i, true), m.Log, value[i])
		}
	}
}

// stores says that a lane of mask m stores.
func (t *storage) stores(m int32) bool {
	switch s := t.m[m].state; {
	case s == maskEmpty:
		return false
	case s == maskFull && t.live.state == maskFull:
		return true
	}
	return slices.Contains(t.storeMask(m), ^uint32(0))
}

// storeMemU stores once what all lanes store at the same location.
func (t *storage) storeMemU(in *instr) {
	if !t.stores(in.m) {
		return
	}
	m := ir.MemOf(uint64(in.imm))
	t.storeAt(location{t.descriptor(int64(m.Resource), t.s[in.b]).Data, uint64(t.s[in.a])}, m.Log,
		t.s[in.c])
}

// storeNarrow stores bytes and halves through descriptors, as images of such texels
// are written. Mostly all lanes have the same one, which is found once.
func (t *storage) storeNarrow(m ir.Mem, element, offset, value, active []uint32) {
	element, offset, value = element[:len(active)], offset[:len(active)], value[:len(active)]
	var data []byte
	last, found := uint32(0), false
	for i, on := range active {
		if on == 0 {
			continue
		}
		if e := element[i]; e != last || !found {
			last, found, data = e, true, t.descriptor(int64(m.Resource), e).Data
		}
		o, size := uint64(offset[i]), uint64(len(data))
		switch {
		case m.Log == 0 && o < size:
			data[o] = byte(value[i])
		case m.Log == 1 && o+1 < size:
			binary.LittleEndian.PutUint16(data[o:o+2], uint16(value[i]))
		}
	}
}

// atomicMem runs an atomic in lane order; lanes outside the store mask get 0.
func (t *storage) atomicMem(in *instr) {
	x := &t.r.aux[in.c]
	m := ir.MemOf(uint64(in.imm))
	active := t.storeMask(in.m)
	d := t.v[x.results[0]]
	var dHi []uint32
	words := 1
	if m.Log == 3 {
		words = 2
		if len(x.results) > 1 {
			dHi = t.v[x.results[1]]
		}
	}
	values := x.args[m.Space.Operands():]
	data, offset, found := t.window(m, x.args, active)
	if found && m.Log > 1 && t.ctx.Sparse == nil &&
		(m.Atomic == ir.AtomicLoad || m.Atomic == ir.AtomicStore) {
		value := [2][]uint32{d, d} // a load has none
		for k := range min(words, len(values)) {
			value[k] = t.v[values[k]]
		}
		if words == 1 {
			plainWords(m.Atomic, ^uint32(0), data, offset, active, value[0], d)
		} else {
			plainPairs(m.Atomic, data, offset, active, value, [2][]uint32{d, dHi})
		}
		return
	}
	operand := func(k, i int) uint64 {
		if k*words >= len(values) {
			return 0
		}
		v := uint64(t.v[values[k*words]][i])
		if words == 2 {
			v |= uint64(t.v[values[k*words+1]][i]) << 32
		}
		return v
	}
	for i, on := range active {
		d[i] = 0
		if dHi != nil {
			dHi[i] = 0
		}
		if on == 0 {
			continue
		}
		var p location
		if found {
			p = location{data, uint64(offset[i])}
		} else {
			p = t.at(m, x.args, i, m.Atomic != ir.AtomicLoad)
		}
		b := p.bytes(1 << m.Log)
		if b == nil || !t.writable(b, 0, 1<<m.Log) {
			continue
		}
		v, comparator := operand(0, i), operand(1, i)
		if m.Log == 1 {
			d[i] = atomicHalf(b, m.Atomic, uint32(v))
			continue
		}
		if words == 1 {
			d[i] = atomicWord(b, m.Atomic, uint32(v), uint32(comparator))
			continue
		}
		old := sampling.Atomic64(m.Atomic, b, v, comparator)
		d[i] = uint32(old)
		if dHi != nil {
			dHi[i] = uint32(old >> 32)
		}
	}
}

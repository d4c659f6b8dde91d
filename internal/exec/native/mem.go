package native

import (
	"unsafe"

	"github.com/pumice-gpu/pumice/internal/ir"
)

// # Memory of any width
//
// A device address, or a pointer of a descriptor and an offset, is looked up by Go, and an
// instruction keeps the last few ranges of memory that it has found for the rest of the batch: its
// sites. A pointer's second word, as the high one of an address, gives each descriptor a range of
// its own. Where all lanes of a strip fall into
// the first one, they load and store together; otherwise each looks for its own, and the host
// does those that have none. So no address is followed that has not been compared with memory
// that was looked up in the same batch.

// site is a range of memory as one instruction knows it: addresses from base on, as its operands
// are, below base + limit, have all that it accesses at the same distance behind at. A range lies
// in one part of 2 GiB, so that high words are equal and distances have no sign.
type site struct {
	base  uint64
	at    uintptr
	limit uint64
	last  uint64 // where the last whole word begins
	data  []byte // kept
}

// ways is how many sites an instruction has. Strips whose lanes all lie in the first one are
// fastest; others look lane by lane.
const ways = 4

// Fields of a site in memory.
const (
	siteBytes = int(unsafe.Sizeof(site{}))
	siteHigh  = 4
	siteAt    = int(unsafe.Offsetof(site{}.at))
	siteLimit = int(unsafe.Offsetof(site{}.limit))
	siteLast  = int(unsafe.Offsetof(site{}.last))
)

// noMemory is where sites begin that know no memory yet.
var noMemory [64]byte

// forget makes all sites know nothing.
func (s *Thread) forget() {
	if !s.knows {
		return
	}
	s.knows = false
	for i := range s.sites {
		s.sites[i] = site{at: uintptr(unsafe.Pointer(&noMemory))}
	}
}

// part is the bytes of a part.
const part = 1 << 31

// settle makes a site know memory of some size, which begins at an address, around another
// address, as far as accesses of some bytes are inside. Addresses are what operands of the
// instruction are. It returns how far behind the begin the site is, and false where no access is
// inside.
func (x *site) settle(base, size, around, bytes uint64) (from uint64, ok bool) {
	distance := around - base
	if distance >= size {
		return 0, false
	}
	from = distance - min(distance, around%part)
	if size -= from; size < max(bytes, 4) {
		return 0, false
	}
	x.base = base + from
	x.limit = min(part-x.base%part, size-bytes+1)
	x.last = min(part-1, size-4)
	return from, true
}

// accessBytes is how much of memory a lane of an instruction accesses.
func (in *Inst) accessBytes(x *Operands) uint64 {
	m := ir.MemOf(uint64(in.Imm))
	words := len(x.Results)
	if in.Kind == KindStoreMem {
		words = len(x.Args) - m.Space.Operands()
	}
	if m.Log < 2 || in.Kind != KindLoadMem && in.Kind != KindStoreMem {
		words = 1
	}
	return uint64(words) << m.Log
}

// serveStrip has the host do lanes of an instruction that machine code has left.
func (s *Thread) serveStrip(h Host) {
	f := s.frame
	x := &s.unit.aux[f[frameServeOp/8]]
	first := (*[ir.PlaceLanes]uint32)(unsafe.Pointer(&f[f[frameServeRows/8]/8]))
	rows := unsafe.Slice(first, len(x.Args)+len(x.Results))
	lanes := uint16(f[frameServeMask/8])
	base, data := h.Strip(&x.In, rows, len(x.Args), lanes)
	if m := ir.MemOf(uint64(x.In.Imm)); x.In.D > 0 && data != nil {
		last := 0
		for l := range ir.PlaceLanes {
			if lanes>>l&1 != 0 {
				last = l
			}
		}
		address := uint64(rows[0][last]) | uint64(rows[1][last])<<32
		known, found := s.sites[ways*(x.In.D-1):][:ways], site{data: data}
		base, size := base-uint64(m.Resource), uint64(len(data))
		if from, ok := found.settle(base, size, address, x.In.accessBytes(x)); ok {
			found.at = uintptr(unsafe.Pointer(&data[from]))
			copy(known[1:], known)
			known[0], s.knows = found, true
		}
	}
}

// mostNarrow is how long an array may be in which programs choose buffers for accesses of less than
// a word: each batch looks whether one of them is shorter than that.
const mostNarrow = 256

// translatesMemory says whether a block may hold an access: not to a descriptor that lanes
// choose, or before the batch is known.
func (c *divider) translatesMemory(in *Inst) bool {
	if in.Kind == KindStorePrivate {
		return true
	}
	m := ir.MemOf(uint64(in.Imm))
	if m.Space != ir.MemBuffer {
		return true
	}
	element := in.element()
	n := c.p.Resources[m.Resource].Count
	short := int(element) < len(c.r.consts) || n > 0 && n <= mostNarrow
	if element < 0 && in.Kind == KindStoreMem && m.Log < 2 { // of lanes, see storeNarrowElements
		short, element = n > 0 && n <= mostNarrow, 0
	}
	return element >= 0 && short
}

// element is the scalar register that has the element which an access of any width is to; less than 0
// where lanes choose it.
func (in *Inst) element() int32 {
	if in.Kind == KindLoadMemU || in.Kind == KindStoreMemU {
		return in.B
	}
	return in.B - 1
}

// loadsWritable says that an instruction loads a word for all lanes of memory that a store may
// change.
func (in *Inst) loadsWritable(p *ir.Program) bool {
	switch in.Kind {
	case KindLoadBufferU:
		return p.Resources[in.Imm].Kind != ir.UniformBuffer
	case KindLoadMemU:
		return p.Resources[ir.MemOf(uint64(in.Imm)).Resource].Kind != ir.UniformBuffer
	}
	return false
}

// mostWords is how many words one access has at most.
const mostWords = 4

// joinMemory makes accesses by address to words that follow each other one, which looks for
// memory once, and gives the instructions that find memory their sites. The code begins at
// position from of the program.
func (c *divider) joinMemory(code []Inst, from int) {
	var section []int32
	for i := range code {
		in := &code[i]
		switch in.Kind {
		case KindLoadMem, KindLoadMemU, KindStoreMem, KindStoreMemU, KindAtomicMem:
			m := ir.MemOf(uint64(in.Imm))
			c.r.narrow = c.r.narrow || m.Space == ir.MemBuffer
			if !m.Space.Sought() {
				continue
			}
			if section == nil {
				section = sections(code, from)
			}
			x := c.r.aux[in.C]
			if joined := c.joins(code, section, i, &x); joined >= 0 {
				in = &code[joined]
				in.C = int32(len(c.r.aux))
				c.r.aux = append(c.r.aux, x)
			}
			c.r.sites++
			in.D = int32(c.r.sites)
		}
	}
}

// joins puts what accesses the words behind that of instruction i on its operands, and leaves
// nothing of it; of stores the last one stays. It returns which instruction has them all, or -1
// where there is none but i.
func (c *divider) joins(code []Inst, section []int32, i int, x *Operands) int {
	in := code[i]
	m := ir.MemOf(uint64(in.Imm))
	if m.Log != 2 || in.Kind == KindAtomicMem {
		return -1
	}
	x.Args, x.Results = append([]int32(nil), x.Args...), append([]int32(nil), x.Results...)
	at := i
	words := func() int { return max(len(x.Results), len(x.Args)-2) }
	for j := i + 1; j < min(len(code), i+pairWindow) && section[j] == section[i]; j++ {
		other := &code[j]
		if words() == mostWords {
			break
		}
		if other.Kind == in.Kind && other.M == in.M && other.D == 0 {
			y := &c.r.aux[other.C]
			n := ir.MemOf(uint64(other.Imm))
			behind := uint64(n.Resource) == uint64(m.Resource)+4*uint64(words())
			same := y.Args[0] == x.Args[0] && y.Args[1] == x.Args[1]
			if same && behind && n.Space == m.Space && n.Log == m.Log {
				x.Args, x.Results = append(x.Args, y.Args[2:]...), append(x.Results, y.Results...)
				if in.Kind == KindLoadMem {
					*other = Inst{Kind: KindNone, M: other.M}
				} else {
					code[at] = Inst{Kind: KindNone, M: in.M}
					*other = in
					at = j
				}
				continue
			}
		}
		if other.orders(in.Kind == KindLoadMem) || c.changes(other, x) {
			break
		}
	}
	if words() == 1 {
		return -1
	}
	return at
}

// orders says that a load, or a store, from behind an instruction may not come before it.
func (in *Inst) orders(load bool) bool {
	switch in.Kind {
	case KindImage, KindDemote, KindFuel, KindOther, KindOrdered:
		return true
	case KindLoadBuffer, KindLoadBufferU, KindLoadBufferE, KindLoadPair, KindLoadShared,
		KindLoadSharedU, KindLoadMem, KindLoadMemU:
		return !load
	}
	return in.stores()
}

// changes says that an instruction gives a register of x another value.
func (c *divider) changes(in *Inst, x *Operands) bool {
	found := false
	c.r.lanesIn(in, func(v *int32, result bool) {
		for _, a := range x.Args {
			found = found || result && a == *v
		}
		for _, d := range x.Results {
			found = found || d == *v
		}
	})
	return found
}

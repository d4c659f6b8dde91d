package vm

import (
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/exec/amd64"
)

// vectors is what emitters know of the vectors that they write for.
type vectors struct {
	lanes  int  // words of 32 bits in one: those of a strip
	values int  // registers that values live in
	masks  int  // mask registers that values live in; 0: masks are vectors
	narrow bool // see native_256_linux_amd64.go
}

// bytes are those of a vector, and maskBytes of a mask in the frame.
func (v *vectors) bytes() int32 { return int32(4 * v.lanes) }

func (v *vectors) maskBytes() int32 {
	if v.narrow {
		return v.bytes()
	}
	return 8
}

// On 256 bits all but three registers can hold values: what an instruction's steps need besides
// those three and what is free there, they borrow.
var (
	vectors512 = vectors{lanes: 16, values: 26, masks: freeMasks}
	vectors256 = vectors{lanes: 8, values: 13, narrow: true}
)

// vectorsOf are those of so many bits.
func vectorsOf(bits int) *vectors {
	if bits == 256 {
		return &vectors256
	}
	return &vectors512
}

// Names of registers besides scratch0 to scratch5: what an instruction's steps work with, masks
// 1 to 3, and a copy of the mask of the lanes that exist.
const (
	registers256 = 16
	step0        = amd64.Z(16)
	step1        = amd64.Z(17)
	stepMasks    = amd64.Z(17)
	stepAll      = amd64.Z(21)
	step2        = amd64.Z(22)
	stepsShared  = amd64.Z(23) // and the next two: what both halves of a pair's operation have
)

// namedRegisters is which registers the names of one instruction have.
type namedRegisters struct {
	of   [32]uint8 // register of a name, plus 1
	free uint16    // registers that no name has yet
	used uint32    // names, where they are only counted
	dry  bool
}

// physical is the register of a name.
func (e *emitter) physical(z amd64.Z) amd64.Z {
	s := &e.scratch
	switch {
	case z < registers256:
		return z
	case s.dry:
		s.used |= 1 << z
		return 0
	case s.of[z] == 0:
		if s.free == 0 {
			e.fail = true
			return 0
		}
		r := bits.TrailingZeros16(s.free)
		s.free &= s.free - 1
		s.of[z] = uint8(r + 1)
	}
	return amd64.Z(s.of[z] - 1)
}

// physicalArg is physical for a last operand.
func (e *emitter) physicalArg(x amd64.Arg) amd64.Arg {
	switch {
	case x.IsEach():
		return amd64.Each(x.Base(), e.physical(x.Offsets()))
	case x.IsMem():
		return x
	}
	return amd64.R(e.physical(x.Reg()))
}

// outOfLine writes f behind the block, with the registers that names have now.
func (e *emitter) outOfLine(f func()) {
	if e.scratch.dry {
		f()
		return
	}
	s := e.scratch
	e.later = append(e.later, func() { e.scratch = s; f() })
}

// lives says which registers hold values at each instruction.
func (e *emitter) lives(spans []span32) {
	if !e.vectors.narrow {
		return
	}
	e.busy = make([]uint16, len(e.b.code))
	for _, s := range spans {
		if p := e.places[s.v]; p.kind == placeVector {
			for i := max(s.from, 0); i <= min(s.to, int32(len(e.b.code)-1)); i++ {
				e.busy[i] |= 1 << p.n
			}
		}
	}
}

// instruction writes the i-th one: on 256 bits with what its names need borrowed.
func (e *emitter) instruction(i int) {
	in := &e.b.code[i]
	if !e.vectors.narrow {
		e.inst(in)
		return
	}
	free := ^e.busy[i]
	if e.b.once[i] {
		free = 1<<registers256 - 1
	}
	var borrowed uint16
	if free != 1<<registers256-1 {
		borrowed = e.borrows(in, free)
	}
	e.scratch = namedRegisters{free: free | borrowed}
	e.moveBorrowed(borrowed, amd64.VMOVDQUTo)
	e.inst(in)
	e.moveBorrowed(borrowed, amd64.VMOVDQU)
}

// borrows writes an instruction for nothing, to see how many names it has, and returns registers
// for those that are not free.
func (e *emitter) borrows(in *instr, free uint16) (borrowed uint16) {
	later := len(e.later)
	code, fixups := e.Mark()
	e.scratch = namedRegisters{dry: true}
	e.inst(in)
	lacks := bits.OnesCount32(e.scratch.used) - bits.OnesCount16(free)
	e.Reset(code, fixups)
	e.later = e.later[:later]
	if lacks <= 0 {
		return 0
	}
	if in.jumps() || in.kind == kindFuel {
		e.fail = true
	}
	own := free
	e.r.lanesIn(in, func(r *int32, _ bool) {
		if p := e.places[*r]; p.kind == placeVector {
			own |= 1 << p.n
		}
	})
	for others := ^own; lacks > 0; lacks-- {
		if others == 0 {
			e.fail = true
			return borrowed
		}
		borrowed |= others & -others
		others &= others - 1
	}
	return borrowed
}

// moveBorrowed stores or loads registers that are borrowed.
func (e *emitter) moveBorrowed(list uint16, by amd64.Op) {
	for ; list != 0; list &= list - 1 {
		r := bits.TrailingZeros16(list)
		e.Y(by, amd64.Z(r), 0, amd64.M(regFrame, frameBorrowed+32*r))
	}
}

package native

import (
	"fmt"
	"strings"
)

// text is an instruction of a block: lane registers are v, scalar ones s, mask registers m.
func (b *stretch) text(r *Translation, in *Inst) string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s", kinds[in.Kind].name)
	switch {
	case in.Kind >= KindFusedVVV && in.Kind <= KindFusedVUU:
		fmt.Fprintf(&s, " %s", [3]string{"a*b+c", "a*b-c", "c-a*b"}[in.Op])
	case in.Kind <= KindScalar && in.Kind >= KindUnary || in.Kind == KindDerivative:
		fmt.Fprintf(&s, " %v", in.Op)
	}
	l := kinds[in.Kind].has
	for _, f := range [4]struct {
		lane fields
		name string
		n    int32
	}{{laneD, "d", in.D}, {laneA, "a", in.A}, {laneB, "b", in.B}, {laneC, "c", in.C}} {
		if l&f.lane != 0 {
			fmt.Fprintf(&s, " %s=v%d", f.name, f.n)
		} else if f.n != 0 && l&operands == 0 {
			fmt.Fprintf(&s, " %s=%d", f.name, f.n)
		}
	}
	if l&operands != 0 {
		fmt.Fprintf(&s, " of v%v to v%v", r.aux[in.C].Args, r.aux[in.C].Results)
	}
	if in.M != 0 {
		fmt.Fprintf(&s, " in m%d", in.M)
	}
	if in.jumps() {
		fmt.Fprintf(&s, " to %d", in.To)
	}
	if in.Imm != 0 {
		fmt.Fprintf(&s, " imm=%#x", uint64(in.Imm))
	}
	return s.String()
}

// dump writes what a machine is to show of a block.
func (e *draft) dump(number int) {
	m := e.vectors
	if m.show == nil {
		return
	}
	if m.list {
		fmt.Fprintf(m.show, "%s, block %d, %d bits, a frame of %d bytes\n%s", e.r.program.Name, number, 32*m.lanes, e.slots, e.list())
	}
}

// dumpCode is dump of the bytes, as hexadecimal numbers.
func (e *draft) dumpCode(number int, code []byte) {
	if m := e.vectors; m.show != nil && m.code {
		fmt.Fprintf(m.show, "%s, block %d, code\n% x\n", e.r.program.Name, number, code)
	}
}

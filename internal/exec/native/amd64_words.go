package native

import (
	"cmp"
	"slices"

	"github.com/pumice-gpu/pumice/internal/exec/amd64"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// Words that all lanes share lie in memory (emitter.word). Those that loops use most have a
// general register besides: what reads them need not wait until they are there. Memory always
// has them, too, so that instructions on lanes, and Go, find them.

// wordLife is where a scalar register of a block is needed, and how much.
type wordLife struct {
	s                    int32
	from, to             int32
	weight               float32
	defined, read, other bool
}

// maxWords bounds how many scalar registers are looked at, since each is compared with others.
const maxWords = 512

// placeWords gives scalar registers general ones, and returns those that must be loaded where a
// strip begins.
func placeWords(e *emitter) (carried []int32) {
	e.generals = make([]amd64.G, e.b.scalars())
	if e.r.places || !e.b.fuel {
		return nil
	}
	lives := wordLives(e)
	slices.SortStableFunc(lives, func(a, b wordLife) int { return cmp.Compare(b.weight, a.weight) })
	var taken [len(placeRegisters)][]wordLife
	for _, l := range lives[:min(len(lives), maxWords)] {
		overlaps := func(x wordLife) bool { return l.from < x.to && x.from < l.to }
		for i, g := range placeRegisters {
			if slices.ContainsFunc(taken[i], overlaps) {
				continue
			}
			taken[i] = append(taken[i], l)
			if e.generals[l.s] = g; l.from < 0 {
				carried = append(carried, l.s)
			}
			break
		}
	}
	return carried
}

// scalars is how many scalar registers a block names.
func (b *stretch) scalars() (n int32) {
	for i := range b.code {
		d := int32(-1)
		for _, s := range scalarsOf(&b.code[i], &d) {
			n = max(n, s+1)
		}
		n = max(n, d+1)
	}
	return n
}

// wordLives lists the scalar registers that instructions of a strip's loops make and read. One
// that has a single definition, before all that reads it, lives from there to its last reader,
// or to the end of the loops that find it there; others live all the time, from −1 on.
func wordLives(e *emitter) []wordLife {
	code, n := e.b.code, int32(len(e.b.code))
	all := make([]wordLife, len(e.generals))
	depth := make([]float32, n)
	for i := range depth {
		depth[i] = 1
	}
	for _, l := range e.b.loops {
		for i := l[0]; i < l[1]; i++ {
			depth[i] = min(depth[i]*8, 1<<20)
		}
	}
	for i := range code {
		d, at := int32(-1), int32(i)
		for _, s := range scalarsOf(&code[i], &d) {
			x := &all[s]
			if x.to = at; !x.defined {
				x.other = true
			}
			if code[i].readsWord() && depth[i] > 1 {
				x.weight, x.read = x.weight+depth[i], true
			}
		}
		if d < 0 {
			continue
		}
		x := &all[d]
		if x.other = x.other || x.defined || e.b.once[i]; !x.defined {
			x.from = at
		}
		x.defined, x.to = true, at
		if !code[i].makesWord() {
			x.weight = -1 << 30
		}
	}
	from := jumpsTo(code)
	list := all[:0]
	for s, x := range all {
		if x.s = int32(s); !x.defined || !x.read || x.weight <= 0 || s < len(e.r.consts) {
			continue
		}
		if x.other || skips(from, x) { // mostly what a loop carries, which waits for it
			x.from, x.to, x.weight = -1, n+1, 4*x.weight
		}
		for _, l := range e.b.loops { // inner before outer
			if x.from < l[0] && x.to >= l[0] && x.to < l[1] {
				x.to = l[1]
			}
		}
		list = append(list, x)
	}
	return list
}

// jumpsTo is the first place from which code jumps to each place or begins there.
func jumpsTo(code []Inst) []int32 {
	from := make([]int32, len(code)+1)
	for i := range from {
		from[i] = int32(i)
	}
	for i := range code {
		if in := &code[i]; in.jumps() {
			from[in.To] = min(from[in.To], int32(i))
		}
	}
	return from
}

// skips says that a jump leads over a definition to where it may be read.
func skips(from []int32, x wordLife) bool {
	for at := x.from + 1; at <= x.to; at++ {
		if from[at] < x.from {
			return true
		}
	}
	return false
}

// readsWord says that an instruction finds scalar registers where words live, makesWord that it
// keeps its result there.
func (in *Inst) readsWord() bool {
	switch in.Kind {
	case KindScalar, KindScalarMov, KindLoadPushU, KindLoadTableU, KindLoadBufferU, KindJumpZero:
		return true
	}
	return in.ofOne()
}

func (in *Inst) makesWord() bool { return in.readsWord() || in.Kind == KindScalarCanon }

// wordAt is a scalar register as the last operand of instructions on general registers.
func wordAt(e *emitter, s int32) amd64.Arg {
	if g := e.generals[s]; g != 0 {
		return amd64.GArg(g)
	}
	return e.word(s)
}

// loadWord sets a general register to a scalar one. It keeps flags.
func loadWord(e *emitter, g amd64.G, s int32) {
	switch x, ok := e.constantOf(s); {
	case ok:
		e.WI(amd64.MOVLImm, amd64.GArg(g), int(x))
	case g == amd64.RAX && e.was == s+1: // is there
	case e.generals[s] != g || g == 0: // 0 is RAX, where none live
		e.W(amd64.MOVL, g, wordAt(e, s))
	}
}

// storeWord sets a scalar register to a general one.
func storeWord(e *emitter, s int32, g amd64.G) {
	e.W(amd64.MOVLTo, g, e.word(s))
	if to := e.generals[s]; to != 0 && to != g {
		e.W(amd64.MOVL, to, amd64.GArg(g))
	}
	if g == amd64.RAX {
		e.held = s + 1
	}
}

// moveWord writes KindScalarMov.
func moveWord(e *emitter, in *Inst) {
	if g := e.generals[in.A]; g != 0 {
		storeWord(e, in.D, g)
		return
	}
	loadWord(e, amd64.RAX, in.A)
	storeWord(e, in.D, amd64.RAX)
}

// testWord sets the zero flag where a scalar register is 0.
func testWord(e *emitter, s int32) {
	switch g := e.generals[s]; {
	case e.was == s+1:
		e.W(amd64.TESTL, amd64.RAX, amd64.GArg(amd64.RAX))
		e.held = e.was
	case g != 0:
		e.W(amd64.TESTL, g, amd64.GArg(g))
	default:
		e.WI(amd64.CMPLByte, e.word(s), 0)
	}
}

// wordOps are operations that are one instruction on a register and an operand, or an immediate;
// wordShifts have how far in RCX, or as one.
var wordOps = map[ir.Op]struct{ op, imm amd64.Op }{
	ir.OpIAdd: {amd64.ADDL, amd64.ADDLImm}, ir.OpISub: {amd64.SUBL, amd64.SUBLImm},
	ir.OpAnd: {amd64.ANDL, amd64.ANDLImm}, ir.OpOr: {amd64.ORL, amd64.ORLImm},
	ir.OpXor: {amd64.XORL, amd64.XORLImm}, ir.OpIMul: {amd64.IMULL, amd64.IMULLImm},
}

var wordShifts = map[ir.Op]struct{ op, imm amd64.Op }{
	ir.OpShl: {amd64.SHLLCL, amd64.SHLL}, ir.OpShrU: {amd64.SHRLCL, amd64.SHRL},
	ir.OpShrS: {amd64.SARLCL, amd64.SARL},
}

// wordConditions are the conditions of comparisons, and of the operand that minima and maxima
// replace.
var wordConditions = map[ir.Op]byte{
	ir.OpIEq: amd64.IfZero, ir.OpINe: amd64.IfNotZero, ir.OpSLt: amd64.IfLess,
	ir.OpSLe: amd64.IfNotGreater, ir.OpULt: amd64.IfBelow, ir.OpULe: amd64.IfNotAbove,
	ir.OpSMin: amd64.IfGreater, ir.OpSMax: amd64.IfLess, ir.OpUMin: amd64.IfAbove, ir.OpUMax: amd64.IfBelow,
}

// uniformWord writes an operation on words in general registers, if it is a simple one: what
// counts the turns of a loop and asks whether it ends, what decodes and what makes addresses.
func uniformWord(e *emitter, in *Inst) bool {
	t := e.generals[in.D] // where the result is made: not where an operand is that is read later
	info, _ := ir.InfoOf(in.Op)
	for _, s := range []int32{in.B, in.C}[:max(len(info.Args), 1)-1] {
		if t == e.generals[s] {
			t = amd64.RAX
		}
	}
	a := &e.Asm
	two, isTwo := wordOps[in.Op]
	shift, isShift := wordShifts[in.Op]
	cond, isCond := wordConditions[in.Op]
	x, constant := uint32(0), false
	if isTwo || isShift || isCond {
		x, constant = e.constantOf(in.B)
	}
	switch {
	case isTwo:
		loadWord(e, t, in.A)
		if constant {
			a.WI(two.imm, amd64.GArg(t), int(x))
		} else {
			a.W(two.op, t, wordAt(e, in.B))
		}
	case isShift && constant:
		loadWord(e, t, in.A)
		a.WI(shift.imm, amd64.GArg(t), int(x&31))
	case isShift:
		loadWord(e, amd64.RCX, in.B)
		loadWord(e, t, in.A)
		a.W(shift.op, 0, amd64.GArg(t))
	case isCond:
		if compares(in.Op) {
			t = amd64.RAX // whose lowest byte conditions set
		}
		loadWord(e, t, in.A)
		if constant {
			a.WI(amd64.CMPLImm, amd64.GArg(t), int(x))
		} else {
			e.W(amd64.CMPL, t, wordAt(e, in.B))
		}
		if compares(in.Op) {
			e.SETEAX(cond)
		} else {
			a.W(amd64.CMOVL(cond), t, wordAt(e, in.B))
		}
	case in.Op == ir.OpNot:
		loadWord(e, t, in.A)
		e.W(amd64.NOTL, 0, amd64.GArg(t))
	case in.Op == ir.OpINeg:
		loadWord(e, t, in.A)
		a.W(amd64.NEGL, 0, amd64.GArg(t))
	case in.Op == ir.OpSelect:
		testWord(e, in.A)
		loadWord(e, t, in.C)
		a.W(amd64.CMOVL(amd64.IfNotZero), t, wordAt(e, in.B))
	default:
		if !bitsOfWord(e, in, t) {
			return false
		}
	}
	storeWord(e, in.D, t)
	return true
}

// bitsOfWord writes operations that look for bits of a word, or take some, to t: false for
// others.
func bitsOfWord(e *emitter, in *Inst, t amd64.G) bool {
	a := &e.Asm
	find := func(by amd64.Op, x amd64.Arg) {
		e.WI(amd64.MOVLImm, amd64.GArg(amd64.RCX), -1) // where there is none
		a.W(by, t, x)
		a.W(amd64.CMOVL(amd64.IfZero), t, amd64.GArg(amd64.RCX))
	}
	switch in.Op {
	case ir.OpFindLSB:
		find(amd64.BSF, wordAt(e, in.A))
	case ir.OpFindUMSB:
		find(amd64.BSR, wordAt(e, in.A))
	case ir.OpFindSMSB: // of a negative one, the highest zero
		loadWord(e, amd64.RCX, in.A)
		loadWord(e, t, in.A)
		a.WI(amd64.SARL, amd64.GArg(t), 31)
		e.W(amd64.XORL, t, amd64.GArg(amd64.RCX))
		find(amd64.BSR, amd64.GArg(t))
	case ir.OpBitCount:
		a.W(amd64.POPCNT, t, wordAt(e, in.A))
	case ir.OpBitFieldU, ir.OpBitFieldS:
		from, ok := e.constantOf(in.B)
		n, known := e.constantOf(in.C)
		if !ok || !known || n == 0 || from >= 32 || n > 32-from {
			return false
		}
		back := amd64.SHRL
		if in.Op == ir.OpBitFieldS {
			back = amd64.SARL
		}
		loadWord(e, t, in.A)
		a.WI(amd64.SHLL, amd64.GArg(t), int(32-from-n))
		a.WI(back, amd64.GArg(t), int(32-n))
	default:
		return false
	}
	return true
}

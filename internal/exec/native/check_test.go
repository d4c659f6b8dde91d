package native

import (
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec/amd64"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// withFew is a machine with so few registers that values are split.
func withFew(m Machine, registers int) *Machine {
	m.values = registers
	return &m
}

var checkedMachines = map[string]*Machine{
	"512": &vectors512, "512 with few registers": withFew(vectors512, 8),
	"256": &vectors256, "256 with few registers": withFew(vectors256, 12),
}

// valuesOf is the list of the planted block.
func valuesOf(t *testing.T, m *Machine) *emitter {
	t.Helper()
	u, b := planted(t, m, 4)
	e := m.newWriter(plan(u, b, 4*1024)).(*emitter)
	e.choose()
	if err := e.check(); err != nil || e.fail {
		t.Fatalf("as it is: %v, %v\n%s", err, e.fail, e.list())
	}
	return e
}

// The check says what is wrong with a list, wherever it is planted.
func TestCheck_FindsFaultsOfValues(t *testing.T) {
	for name, m := range checkedMachines {
		t.Run(name, func(t *testing.T) {
			e := valuesOf(t, m)
			t.Run("TwoValuesInARegister", func(t *testing.T) {
				found := 0
				for k := range e.sections {
					list := e.placed[e.sections[k].placed:e.sections[k].to]
					for i := range list {
						for j := range list {
							a, b := &list[i], &list[j]
							if a.number < firstValue || b.number < firstValue || a.reg == inHome ||
								b.reg == inHome || a.reg == b.reg ||
								!reads(e, k, a.number) || !reads(e, k, b.number) {
								continue
							}
							kept := b.reg
							b.reg = a.reg
							if found++; e.check() == nil {
								t.Errorf("numbers %d and %d in one register", a.number, b.number)
							}
							b.reg = kept
						}
					}
				}
				if found < 5 {
					t.Errorf("%d pairs of values that are read at once", found)
				}
			})
			t.Run("StepsInAValue", func(t *testing.T) {
				found := 0
				for k := range e.sections {
					for i := e.sections[k].placed; i < e.sections[k].to; i++ {
						p := &e.placed[i]
						if p.number >= firstValue {
							continue
						}
						for _, v := range e.placed[:e.sections[k].placed] {
							if v.number < firstValue || v.reg == inHome ||
								isMaskNumber(e, v.number) != isMaskNumber(e, p.number) || !stays(e, k, v) {
								continue
							}
							kept := p.reg
							p.reg = v.reg
							if found++; e.check() == nil {
								t.Errorf("a name of steps %d in z%d", k, v.reg)
							}
							p.reg = kept
						}
					}
				}
				if found < 3 {
					t.Errorf("%d values beside steps", found)
				}
			})
			t.Run("AValueIsNotWritten", func(t *testing.T) {
				found := without(t, e, func(in *amd64.Inst) bool {
					writes, again := false, false
					var list amd64.Uses
					in.Uses(&list)
					for _, x := range list.Of[:list.N] {
						writes = writes || x.Write && x.Number >= firstValue
						again = again || x.Read && x.Number == in.Reg
					}
					return writes && !again
				})
				if found < 5 {
					t.Errorf("%d values", found)
				}
			})
			// Of a life that is split: memory has it, and a register again.
			split := map[bool]int{}
			for _, stores := range [2]bool{false, true} {
				split[stores] = without(t, e, func(in *amd64.Inst) bool {
					return in.Reg >= firstValue && in.X.Base() == regFrame && in.X == homeOf(e, in.Reg) &&
						(!stores && in.Loads() || stores && in.Stores())
				})
			}
			if m.values < 16 && (split[true] == 0 || split[false] == 0) {
				t.Errorf("%d values are stored, and %d loaded", split[true], split[false])
			}
			t.Run("AnotherMemory", func(t *testing.T) {
				found := 0
				for i := range e.List[:e.at] {
					in := e.List[i]
					if in.Reg < firstValue || !in.Loads() || in.X != homeOf(e, in.Reg) || in.X.Base() != regFrame {
						continue
					}
					for v, at := range e.homes {
						if z := firstValue + 2*amd64.Z(v); at != 0 && z != in.Reg {
							e.List[i].X = homeOf(e, z)
							if found++; e.check() == nil {
								t.Errorf("loaded from elsewhere at %d", i)
							}
						}
					}
					e.List[i] = in
				}
				if m.values < 16 && found == 0 {
					t.Error("nothing is loaded")
				}
			})
		})
	}
}

// without takes each instruction that is chosen out of the list, and fails where that is not found.
func without(t *testing.T, e *emitter, chosen func(in *amd64.Inst) bool) (found int) {
	t.Helper()
	for i := range e.List[:e.at+len(e.aside)] {
		in := e.List[i]
		if !chosen(&in) {
			continue
		}
		e.List[i] = blank()
		if found++; e.check() == nil {
			text := in.Text(func(z amd64.Z, mask bool) string { return numberText(e, z, 0, mask) })
			t.Errorf("without %s at %d", text, i)
		}
		e.List[i] = in
	}
	return found
}

// reads says that steps read a number that is there before them.
func reads(e *emitter, k int, z amd64.Z) bool {
	from := 0
	if k > 0 {
		from = e.sections[k-1].end
	}
	for i := from; i < e.sections[k].end; i++ {
		var list amd64.Uses
		e.List[i].Uses(&list)
		for _, x := range list.Of[:list.N] {
			if x.Number == z {
				return x.Read && !x.Write
			}
		}
	}
	return false
}

// stays says that a value is in a register behind steps, in which it was before them.
func stays(e *emitter, k int, v placed) bool {
	for j := range e.sections[k:] {
		for _, p := range e.placed[e.sections[k+j].placed:e.sections[k+j].to] {
			if p.number == v.number {
				return j > 0 && p.reg == v.reg && reads(e, k+j, v.number)
			}
			if p.reg == v.reg && j > 0 {
				return false
			}
		}
	}
	return false
}

// randomList is a list of operations, conditions and loops on few registers that live long.
func randomList(r *rand.Rand) *List {
	p := &ir.Program{Name: "random", Stage: ir.StageCompute, Inputs: make([]ir.IO, 3), Outputs: make([]ir.IO, 4)}
	g := &listMaker{r: r, List: List{Program: p, Consts: []uint32{0, 7}, Masks: 1}}
	g.Lanes, g.vars = 6, 6
	for v := range int32(3) {
		g.add(Inst{Kind: KindSetU, D: 3 + v, A: v % 2})
	}
	g.scope = []int32{0, 1, 2}
	for range 2 + r.IntN(5) {
		g.statement(0, 0)
	}
	for i := range int32(4) {
		g.add(Inst{Kind: KindOutput, A: g.value(), C: i})
	}
	return &g.List
}

type listMaker struct {
	List
	r     *rand.Rand
	scope []int32 // registers that are written
	vars  int32   // the first ones are inputs and variables
}

func (g *listMaker) add(in Inst) { g.Code = append(g.Code, in) }

func (g *listMaker) value() int32 {
	if g.r.IntN(2) == 0 {
		return g.r.Int32N(g.vars)
	}
	return g.scope[g.r.IntN(len(g.scope))]
}

func (g *listMaker) made() int32 {
	g.Lanes++
	g.scope = append(g.scope, g.Lanes-1)
	return g.Lanes - 1
}

// condition is a comparison's result.
func (g *listMaker) condition(m int32) int32 {
	a, b := g.value(), g.value()
	g.Lanes++
	g.add(Inst{Kind: KindVV, Op: ir.OpSLt, D: g.Lanes - 1, A: a, B: b, M: m})
	return g.Lanes - 1
}

func (g *listMaker) statement(m int32, depth int) {
	switch n := g.r.IntN(16); {
	case n < 6:
		a, b := g.value(), g.value()
		op := []ir.Op{ir.OpIAdd, ir.OpIMul, ir.OpFAdd, ir.OpFMin, ir.OpShl, ir.OpUDiv}[n]
		g.add(Inst{Kind: KindVV, Op: op, D: g.made(), A: a, B: b, M: m})
	case n == 6:
		a, b, c := g.value(), g.value(), g.value()
		g.add(Inst{Kind: KindVVV, Op: ir.OpFma, D: g.made(), A: a, B: b, C: c, M: m})
	case n == 7:
		k, a, b := g.condition(m), g.value(), g.value()
		g.add(Inst{Kind: KindVVV, Op: ir.OpSelect, D: g.made(), A: k, B: a, C: b, M: m})
	case n == 8:
		g.add(Inst{Kind: KindBroadcast, D: g.made(), A: g.r.Int32N(2), M: m})
	case n < 12 || depth > 2:
		g.add(Inst{Kind: KindSet, D: 3 + g.r.Int32N(3), A: g.value(), M: m})
	case n == 12:
		a := g.value()
		g.add(Inst{Kind: KindUnary, Op: ir.OpFSin, D: g.made(), A: a, M: m})
	case n < 15:
		g.when(m, depth)
	default:
		g.loop(m, depth)
	}
}

func (g *listMaker) statements(m int32, depth int) {
	kept := len(g.scope)
	for range 1 + g.r.IntN(4) {
		g.statement(m, depth)
	}
	g.scope = g.scope[:kept]
}

func (g *listMaker) when(m int32, depth int) {
	k := g.condition(m)
	then, other := g.Masks, int32(-1)
	if g.Masks++; g.r.IntN(2) == 0 {
		other = g.Masks
		g.Masks++
	}
	at := len(g.Code)
	g.add(Inst{Kind: KindIf, A: k, D: then, B: other, M: m})
	g.statements(then, depth+1)
	if other >= 0 {
		g.Code[at].To = int32(len(g.Code))
		at = len(g.Code)
		g.add(Inst{Kind: KindJumpEmpty, M: other})
		g.statements(other, depth+1)
	}
	g.Code[at].To = int32(len(g.Code))
}

func (g *listMaker) loop(m int32, depth int) {
	in := g.Masks
	g.Masks++
	g.add(Inst{Kind: KindMaskCopy, D: in, M: m})
	head := int32(len(g.Code))
	g.add(Inst{Kind: KindFuel, Imm: 9, M: in})
	g.statements(in, depth+1)
	k := g.condition(in)
	leaves := g.Masks
	g.Masks++
	g.Clears = append(g.Clears, []int32{in})
	g.add(Inst{Kind: KindIf, A: k, D: leaves, B: -1, M: in, To: int32(len(g.Code)) + 2})
	g.add(Inst{Kind: KindLeave, C: int32(len(g.Clears)) - 1, M: leaves})
	if g.r.IntN(2) == 0 {
		at := len(g.Code)
		g.add(Inst{Kind: KindJumpEmpty, M: in})
		g.statements(in, depth+1)
		defer func() { g.Code[at].To = int32(len(g.Code)) }()
	}
	g.add(Inst{Kind: KindJumpNotEmpty, M: in, To: head})
	g.Loops = append(g.Loops, [2]int32{head, int32(len(g.Code))})
}

// Whatever a list is, and however few registers there are, all finds what it reads. -run Random
// -allocations 1000000 takes minutes.
func TestAllocate_RandomLists(t *testing.T) {
	n := *allocations
	if testing.Short() {
		n /= 10
	}
	for seed := range uint64(n) {
		r := rand.New(rand.NewPCG(seed, 7))
		l := randomList(r)
		m := *[]*Machine{&vectors512, &vectors256}[seed&1]
		m.values = min(m.values, 9+r.IntN(24))
		if m.masks > 0 {
			m.masks = 3 + r.IntN(4)
		}
		u := Divide(l, &m)
		if u == nil {
			continue
		}
		for i, b := range u.blocks {
			rows := make([]int32, len(b.in)+len(b.out)) // some are inputs
			for i := range rows {
				rows[i] = int32(i) + 2*int32(seed>>1&1)
			}
			u.Settle(int64(i), rows[:len(b.in)], rows[len(b.in):])
			e := m.newWriter(plan(u, b, 4*1024)).(*emitter)
			e.choose()
			if err := e.check(); err != nil || e.fail {
				t.Fatalf("seed %d, %d registers: %v, %v\n%s", seed, m.values, err, e.fail, e.list())
			}
			if e.resolve(); e.Wrong() {
				t.Fatalf("seed %d: an instruction that there is not", seed)
			}
			e.done()
		}
	}
}

var allocations = flag.Int("allocations", 10000, "how many random lists get registers")

// blank is an instruction that does nothing to registers.
func blank() amd64.Inst {
	var a amd64.Asm
	a.W(amd64.MOVQ, amd64.RAX, amd64.GArg(amd64.RAX))
	return a.List[0]
}

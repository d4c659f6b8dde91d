package native

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec/mir"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// withFew is a machine with so few registers that values are split.
func withFew(m Machine, registers int) *Machine {
	m.values = registers
	return &m
}

var checkedMachines = map[string]*Machine{
	"512": &vectors512, "512 with few registers": withFew(vectors512, 9),
	"256": &vectors256, "256 with few registers": withFew(vectors256, 12),
	"128": &vectors128, "128 with few registers": withFew(vectors128, 9),
}

// planted is a block in which all values are read at the end: sums of inputs, and a sine, whose
// steps have many names.
func planted(t *testing.T, m *Machine, inputs int32) (*Translation, *stretch) {
	t.Helper()
	p := &ir.Program{Name: "planted", Stage: ir.StageCompute, Inputs: make([]ir.IO, inputs), Outputs: make([]ir.IO, 2+inputs)}
	vv := func(d int32, op ir.Op, a, b int32) Inst { return Inst{Kind: KindVV, Op: op, D: d, A: a, B: b} }
	n := inputs
	code := []Inst{
		vv(n, ir.OpFAdd, 0, 1), vv(n+1, ir.OpFMul, 1, 2), vv(n+2, ir.OpFSub, 2, 3), vv(n+3, ir.OpFDiv, 3, 0),
		{Kind: KindUnary, Op: ir.OpFSin, D: n + 4, A: n}, {Kind: KindVVV, Op: ir.OpFma, D: n + 5, A: n + 1, B: n + 2, C: n + 3},
	}
	for i := range 2 + inputs { // the last inputs, too, from the fifth on
		code = append(code, Inst{Kind: KindOutput, A: 4 + i, C: i})
	}
	l := &List{Program: p, Code: code, Consts: []uint32{0}, Lanes: n + 6, Masks: 1}
	u := Divide(l, m)
	if u == nil || u.Blocks() != 1 {
		t.Fatal("the list is no block")
	}
	var rows []int32
	for i := range inputs {
		rows = append(rows, i)
	}
	u.Settle(0, rows, nil)
	return u, u.blocks[0]
}

// valuesOf is the list of the planted block.
func valuesOf(t *testing.T, m *Machine) *draft {
	t.Helper()
	u, b := planted(t, m, 4)
	e := m.newWriter(plan(u, b, 4*1024)).its()
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
								e.isMask(v.number) != e.isMask(p.number) || !stays(e, k, v) {
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
				found := without(t, e, func(in mir.Instruction) bool {
					writes, again := false, false
					var list mir.Uses
					in.Uses(&list)
					for _, x := range list.Of[:list.N] {
						writes = writes || x.Write && x.Number >= firstValue
						again = again || x.Read && x.Number == list.Of[0].Number
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
				split[stores] = without(t, e, func(in mir.Instruction) bool {
					_, to, ok := framed(e, in)
					return ok && to == stores
				})
			}
			if m.values < 16 && (split[true] == 0 || split[false] == 0) {
				t.Errorf("%d values are stored, and %d loaded", split[true], split[false])
			}
			t.Run("AnotherMemory", func(t *testing.T) {
				found := 0
				for i := range e.at {
					in := e.code.At(i)
					r, stores, ok := framed(e, in)
					if !ok || stores {
						continue
					}
					for v, at := range e.homes {
						if z := firstValue + 2*mir.Number(v); at != 0 && z != r {
							m := e.writer.memory(e.home(z))
							if found++; checkWith(e, i, elsewhere{in, m}) == nil {
								t.Errorf("loaded from elsewhere at %d", i)
							}
						}
					}
				}
				if m.values < 16 && found == 0 {
					t.Error("nothing is loaded")
				}
			})
		})
	}
}

// framed says that an instruction moves a value from or to its place in the frame.
func framed(e *draft, in mir.Instruction) (z mir.Number, stores, ok bool) {
	z, m, loads, stores := in.Moves()
	if z < firstValue || !loads && !stores || e.home(z).kind != placeFrame {
		return z, false, false
	}
	return z, stores, m == e.writer.memory(e.home(z))
}

// without takes each instruction that is chosen out of the list, and fails where that is not found.
func without(t *testing.T, e *draft, chosen func(in mir.Instruction) bool) (found int) {
	t.Helper()
	for i := range e.end {
		in := e.code.At(i)
		if !chosen(in) {
			continue
		}
		if found++; checkWith(e, i, nothing{in}) == nil {
			text := in.Text(func(z mir.Number, mask bool) string { return e.number(z, 0, mask) })
			t.Errorf("without %s at %d", text, i)
		}
	}
	return found
}

// changed is a list with another instruction in the place of one.
type changed struct {
	mir.Code
	at int
	in mir.Instruction
}

func (l changed) At(i int) mir.Instruction {
	if i == l.at {
		return l.in
	}
	return l.Code.At(i)
}

// checkWith is check of a list with another instruction.
func checkWith(e *draft, at int, in mir.Instruction) error {
	kept := e.code
	defer func() { e.code = kept }()
	e.code = changed{kept, at, in}
	return e.check()
}

// nothing is an instruction that does nothing to registers, elsewhere one that finds other memory.
type nothing struct{ mir.Instruction }

func (nothing) Uses(u *mir.Uses)    { u.N = 0 }
func (nothing) Label() int          { return -1 }
func (nothing) Address() int        { return -1 }
func (nothing) Target() (int, bool) { return -1, false }
func (nothing) Returns() bool       { return false }
func (nothing) Moves() (r mir.Number, m mir.Memory, loads, stores bool) {
	return 0, mir.Memory{}, false, false
}

type elsewhere struct {
	mir.Instruction
	m mir.Memory
}

func (x elsewhere) Moves() (r mir.Number, m mir.Memory, loads, stores bool) {
	r, _, loads, stores = x.Instruction.Moves()
	return r, x.m, loads, stores
}

// reads says that steps read a number that is there before them.
func reads(e *draft, k int, z mir.Number) bool {
	from := 0
	if k > 0 {
		from = e.sections[k-1].end
	}
	for i := from; i < e.sections[k].end; i++ {
		var list mir.Uses
		e.code.At(i).Uses(&list)
		for _, x := range list.Of[:list.N] {
			if x.Number == z {
				return x.Read && !x.Write
			}
		}
	}
	return false
}

// stays says that a value is in a register behind steps, in which it was before them.
func stays(e *draft, k int, v placed) bool {
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

// What a loop has until its end, and what is read behind it, is stored nowhere where all fits into
// registers.
func TestAllocate_StoresNothingThatFits(t *testing.T) {
	for name, m := range Machines() {
		u := Divide(fittingLoop(), m)
		if u == nil || u.Blocks() != 1 {
			t.Fatalf("%s: the list is no block", name)
		}
		u.Settle(0, []int32{0, 1}, nil)
		w := m.newWriter(plan(u, u.blocks[0], 4*1024))
		e := w.its()
		if e.choose(); e.check() != nil || e.fail {
			t.Fatalf("%s: %v", name, e.check())
		}
		for i := range e.end {
			if z, stores, ok := framed(e, e.code.At(i)); ok && stores {
				t.Errorf("%s: %s is stored\n%s", name, e.number(z, 0, false), e.list())
			}
		}
		w.done()
	}
}

// fittingLoop is a list with a loop that ends at two places.
func fittingLoop() *List {
	return &List{
		Program: &ir.Program{Name: "fits", Stage: ir.StageCompute, Inputs: make([]ir.IO, 2), Outputs: make([]ir.IO, 1)},
		Consts:  []uint32{0, 7}, Masks: 4, Lanes: 6, Clears: [][]int32{{1}},
		Code: []Inst{
			{Kind: KindSetU, D: 2}, {Kind: KindSetU, D: 3, A: 1}, {Kind: KindMaskCopy, D: 1},
			{Kind: KindFuel, Imm: 9, M: 1}, {Kind: KindVV, Op: ir.OpSLt, D: 4, A: 1, B: 3, M: 1},
			{Kind: KindIf, A: 4, D: 2, B: -1, M: 1, To: 7}, {Kind: KindLeave, M: 2},
			{Kind: KindJumpEmpty, M: 1, To: 13},
			{Kind: KindVV, Op: ir.OpSLt, D: 5, A: 0, B: 2, M: 1},
			{Kind: KindIf, A: 5, D: 3, B: -1, M: 1, To: 12},
			{Kind: KindSet, D: 2, A: 0, M: 3}, {Kind: KindSet, D: 3, A: 0, M: 3},
			{Kind: KindJumpNotEmpty, M: 1, To: 3}, {Kind: KindOutput, A: 2},
		},
		Loops: [][2]int32{{3, 13}},
	}
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
		m := *[]*Machine{&vectors512, &vectors256, &vectors128}[seed%3]
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
			w := m.newWriter(plan(u, b, 4*1024))
			e := w.its()
			e.choose()
			if err := e.check(); err != nil || e.fail {
				t.Fatalf("seed %d, %d registers: %v, %v\n%s", seed, m.values, err, e.fail, e.list())
			}
			e.resolve()
			if _, ok := w.bytes(); !ok {
				t.Fatalf("seed %d: an instruction that there is not", seed)
			}
			w.done()
		}
	}
}

var allocations = flag.Int("allocations", 10000, "how many random lists get registers")

// A machine shows what it makes: the list with the registers of values, and the bytes.
func TestMachine_Showing(t *testing.T) {
	for _, c := range []struct {
		m          *Machine
		list, code bool
		wants      []string
	}{
		{&vectors512, true, false, []string{"planted, block 0, 512 bits", "; 0: vV fadd d=v", "vaddps v", "vzeroupper; ret"}},
		{&vectors512, false, true, []string{"planted, block 0, code\n", "c5 f8 77 c3"}},
		{&vectors512, false, false, nil},
		{&vectors128, true, false, []string{"planted, block 0, 128 bits", "; 0: vV fadd d=v", "fadd v", "ret"}},
		{&vectors128, false, true, []string{"planted, block 0, code\n", "c0 03 5f d6"}},
	} {
		var out bytes.Buffer
		u, b := planted(t, c.m.Showing(c.list, c.code, &out), 4)
		if _, ok := u.vectors.newWriter(plan(u, b, 4*1024)).its().write(0); !ok {
			t.Fatal("not written")
		}
		for _, want := range c.wants {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%+v lacks %q:\n%s", c, want, out.String())
			}
		}
		if c.wants == nil && out.Len() > 0 {
			t.Errorf("shows %s", out.String())
		}
	}
}

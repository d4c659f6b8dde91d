package native

import (
	"bytes"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec/mir"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// planted is a block in which all values are read at the end: sums of inputs, and a sine, whose
// steps have so many names that they borrow where inputs fill the registers.
func planted(t *testing.T, m *Machine, inputs int32) (*Translation, *block) {
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

// listOf is the list of the planted block.
func listOf(t *testing.T, m *Machine, inputs int32) *draft {
	t.Helper()
	u, b := planted(t, m, inputs)
	e := m.newWriter(plan(u, b, 4*1024)).its()
	e.choose()
	if err := e.check(); err != nil {
		t.Fatalf("as it is: %v", err)
	}
	return e
}

// The check says what is wrong with a list, wherever it is planted.
func TestCheck_FindsPlantedFaults(t *testing.T) {
	for name, m := range Machines() {
		if _, ok := m.processor.(x86); ok {
			continue // see FaultsOfValues
		}
		t.Run(name, func(t *testing.T) {
			e := listOf(t, m, 4)
			t.Run("TwoValuesInARegister", func(t *testing.T) {
				found := 0
				for _, a := range e.spans {
					for _, b := range e.spans {
						if a.from >= b.from || b.from >= a.to || e.places[a.v].kind != placeVector || e.places[b.v].kind != placeVector {
							continue
						}
						x, y := mir.Value(a.v, 0), mir.Value(b.v, 0)
						kept := e.chosen[y]
						e.chosen[y] = e.chosen[x]
						if found++; e.check() == nil {
							t.Errorf("v%d and v%d in one register", a.v, b.v)
						}
						e.chosen[y] = kept
					}
				}
				if found < 10 {
					t.Errorf("%d pairs of values that live at once", found)
				}
			})
			t.Run("StepsInAValue", func(t *testing.T) {
				found := 0
				for k := range e.ended {
					s := &e.ended[k]
					if s.inst < 0 {
						continue
					}
					for _, a := range e.spans {
						if int(a.from) >= s.inst || int(a.to) <= s.inst || e.places[a.v].kind != placeVector {
							continue
						}
						kept := s.names
						for n := range s.names {
							s.names[n] = e.chosen[mir.Value(a.v, 0)]
						}
						if uses(e, k) {
							if found++; e.check() == nil {
								t.Errorf("steps of %d in v%d", s.inst, a.v)
							}
						}
						s.names = kept
					}
				}
				if found < 3 {
					t.Errorf("%d values beside steps", found)
				}
			})
			t.Run("AValueIsNotWritten", func(t *testing.T) {
				found := 0
				for i := range e.end {
					in := e.code.At(i)
					var written mir.Number
					in.Steps(func(s mir.Step) {
						if s.Write && s.Number >= mir.FirstValue {
							written = s.Number
						}
					})
					in.Steps(func(s mir.Step) {
						if s.Read && s.Number == written {
							written = 0
						}
					})
					if written == 0 {
						continue
					}
					if found++; e.checkWithout(i) == nil {
						t.Errorf("without %s", in.Text(func(z mir.Number, mask bool) string { return e.number(z, 0, mask) }))
					}
				}
				if found < 5 {
					t.Errorf("%d values", found)
				}
			})
		})
	}
}

// lacking is a list without one of its instructions.
type lacking struct {
	mir.Code
	at int
}

func (l lacking) At(i int) mir.Instruction {
	if i == l.at {
		return nothing{}
	}
	return l.Code.At(i)
}

// nothing is an instruction that does nothing to registers.
type nothing struct{ mir.Instruction }

func (nothing) Steps(func(mir.Step))                              {}
func (nothing) Label() int                                        { return -1 }
func (nothing) Address() int                                      { return -1 }
func (nothing) Target() (int, bool)                               { return -1, false }
func (nothing) Returns() bool                                     { return false }
func (nothing) Renames() (d, x mir.Number, ok bool)               { return 0, 0, false }
func (nothing) Moves(uint8) (r mir.Number, at int32, to, ok bool) { return 0, 0, false, false }

// checkWithout is check of a list that lacks an instruction.
func (e *draft) checkWithout(at int) error {
	kept := e.code
	defer func() { e.code = kept }()
	e.code = lacking{kept, at}
	return e.check()
}

// uses says that steps write names.
func uses(e *draft, k int) (some bool) {
	from := 0
	if k > 0 {
		from = e.ended[k-1].end
	}
	for i := from; i < e.ended[k].end; i++ {
		e.code.At(i).Steps(func(s mir.Step) { some = some || s.Write && s.Number.IsName() })
	}
	return some
}

// What is borrowed is to be given back: a value that is read later is not there else.
func TestCheck_FindsWhatIsNotGivenBack(t *testing.T) {
	for name, m := range Machines() {
		if _, ok := m.processor.(x86); ok {
			continue // see FaultsOfValues
		}
		t.Run(name, func(t *testing.T) {
			e := listOf(t, m, 40)
			found := 0
			for i := range e.end {
				r, at, store, ok := e.code.At(i).Moves(m.frame)
				if !ok || store || r >= mir.FirstName || int(at) < m.borrowed || int(at) >= m.borrowed+mir.NameCount*m.laneBytes() {
					continue
				}
				if found++; e.checkWithout(i) == nil {
					t.Error("not given back, and not found")
				}
			}
			if found == 0 {
				t.Error("nothing is borrowed")
			}
		})
	}
}

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

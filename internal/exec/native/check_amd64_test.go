package native

import (
	"bytes"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec/amd64"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// planted is a block in which all values are read at the end: sums of four inputs, and a sine, whose steps have so many names that
// on 256 bits they borrow.
func planted(t *testing.T, m *Machine) (*Translation, *block) {
	t.Helper()
	p := &ir.Program{Name: "planted", Stage: ir.StageCompute, Inputs: make([]ir.IO, 4), Outputs: make([]ir.IO, 6)}
	vv := func(d int32, op ir.Op, a, b int32) Inst { return Inst{Kind: KindVV, Op: op, D: d, A: a, B: b} }
	code := []Inst{
		vv(4, ir.OpFAdd, 0, 1), vv(5, ir.OpFMul, 1, 2), vv(6, ir.OpFSub, 2, 3), vv(7, ir.OpFDiv, 3, 0),
		{Kind: KindUnary, Op: ir.OpFSin, D: 8, A: 4}, {Kind: KindVVV, Op: ir.OpFma, D: 9, A: 5, B: 6, C: 7},
	}
	for i := range int32(6) {
		code = append(code, Inst{Kind: KindOutput, A: 4 + i, C: i})
	}
	l := &List{Program: p, Code: code, Consts: []uint32{0}, Lanes: 10, Masks: 1}
	u := Divide(l, m)
	if u == nil || u.Blocks() != 1 {
		t.Fatal("the list is no block")
	}
	u.Settle(0, []int32{0, 1, 2, 3}, nil)
	return u, u.blocks[0]
}

// listOf is the list of the planted block.
func listOf(t *testing.T, m *Machine) *emitter {
	t.Helper()
	u, b := planted(t, m)
	e := plan(u, b, 4*1024)
	e.choose()
	if err := e.check(); err != nil {
		t.Fatalf("as it is: %v", err)
	}
	return e
}

// The check says what is wrong with a list, wherever it is planted.
func TestCheck_FindsPlantedFaults(t *testing.T) {
	for name, m := range map[string]*Machine{"512": &vectors512, "256": &vectors256} {
		t.Run(name, func(t *testing.T) {
			e := listOf(t, m)
			t.Run("TwoValuesInARegister", func(t *testing.T) {
				found := 0
				for _, a := range e.spans {
					for _, b := range e.spans {
						if a.from >= b.from || b.from >= a.to || e.places[a.v].kind != placeVector || e.places[b.v].kind != placeVector {
							continue
						}
						x, y := firstValue+2*a.v, firstValue+2*b.v
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
							s.names[n] = e.chosen[firstValue+2*a.v]
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
				for i := range e.List {
					in := e.List[i]
					writes, again := false, false
					in.Steps(func(s amd64.Step) {
						writes, again = writes || s.Write && s.Number >= firstValue, again || s.Read && s.Number == in.Reg
					})
					if !writes || again {
						continue
					}
					e.List[i] = nothing()
					if found++; e.check() == nil {
						t.Errorf("without %s", in.Text(func(z amd64.Z, mask bool) string { return e.number(z, 0, mask) }))
					}
					e.List[i] = in
				}
				if found < 5 {
					t.Errorf("%d values", found)
				}
			})
		})
	}
}

// nothing is an instruction that does nothing to registers.
func nothing() amd64.Inst {
	var a amd64.Asm
	a.MOVQ(amd64.RAX, amd64.RAX)
	return a.List[0]
}

// uses says that steps write names.
func uses(e *emitter, k int) (some bool) {
	from := 0
	if k > 0 {
		from = e.ended[k-1].end
	}
	for i := from; i < e.ended[k].end; i++ {
		e.List[i].Steps(func(s amd64.Step) { some = some || s.Write && s.Number >= firstName && s.Number < firstValue })
	}
	return some
}

// What is borrowed is to be given back: a value that is read later is not there else.
func TestCheck_FindsWhatIsNotGivenBack(t *testing.T) {
	e := listOf(t, &vectors256)
	found := 0
	for i := range e.List {
		in := e.List[i]
		if at, to, ok := in.Moves(regFrame); !ok || to || int(at) < frameBorrowed || int(at) >= frameTries {
			continue
		}
		e.List[i] = nothing()
		if found++; e.check() == nil {
			t.Error("not given back, and not found")
		}
		e.List[i] = in
	}
	if found == 0 {
		t.Error("nothing is borrowed")
	}
}

// A machine shows what it makes: the list with the registers of values, and the bytes.
func TestMachine_Showing(t *testing.T) {
	for _, c := range []struct {
		list, code bool
		wants      []string
	}{
		{true, false, []string{"planted, block 0, 512 bits", "; 0: vV fadd d=v", "vaddps v", "vzeroupper; ret"}},
		{false, true, []string{"planted, block 0, code\n", "c5 f8 77 c3"}},
		{false, false, nil},
	} {
		var out bytes.Buffer
		u, b := planted(t, vectors512.Showing(c.list, c.code, &out))
		if _, ok := plan(u, b, 4*1024).write(0); !ok {
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

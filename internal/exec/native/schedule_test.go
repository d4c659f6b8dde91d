package native

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
)

// programOf is a program of compute with so many inputs and outputs, and workgroup memory.
func programOf(name string, inputs, outputs int) *ir.Program {
	return &ir.Program{
		Name: name, Stage: ir.StageCompute, SharedBytes: 256,
		Inputs: make([]ir.IO, inputs), Outputs: make([]ir.IO, outputs),
	}
}

// orderedCode is a list in which next to all depends on something before it, and which instruction
// on which: registers that are read, written anew and set in some lanes, words, workgroup memory,
// outputs.
func orderedCode() (l *List, pairs [][2]int) {
	p := programOf("ordered", 4, 2)
	return &List{
			Program: p, Consts: []uint32{0, 7}, Lanes: 14, Masks: 2,
			Code: []Inst{
				0:  {Kind: KindVV, Op: ir.OpIAdd, D: 4, A: 0, B: 1},
				1:  {Kind: KindVV, Op: ir.OpFMul, D: 5, A: 4, B: 2},
				2:  {Kind: KindVV, Op: ir.OpIMul, D: 4, A: 1, B: 3},
				3:  {Kind: KindLoadShared, D: 6, A: 0},
				4:  {Kind: KindStoreShared, A: 1, C: 5},
				5:  {Kind: KindLoadShared, D: 7, A: 2},
				6:  {Kind: KindStoreShared, A: 2, C: 4},
				7:  {Kind: KindSetU, D: 8, A: 1},
				8:  {Kind: KindSet, D: 8, A: 6, M: 1},
				9:  {Kind: KindVV, Op: ir.OpFAdd, D: 9, A: 8, B: 7},
				10: {Kind: KindSet, D: 8, A: 9, M: 1},
				11: {Kind: KindOutput, A: 8, C: 0, M: 1},
				12: {Kind: KindOutput, A: 9, C: 0},
				13: {Kind: KindUnary, Op: ir.OpFSqrt, D: 10, A: 3},
				14: {Kind: KindVV, Op: ir.OpFAdd, D: 11, A: 10, B: 4},
				15: {Kind: KindOutput, A: 11, C: 1},
				16: {Kind: KindFirst, D: 2, A: 11},
				17: {Kind: KindVU, Op: ir.OpIAdd, D: 12, A: 0, B: 2},
				18: {Kind: KindFirst, D: 2, A: 9},
				19: {Kind: KindVU, Op: ir.OpIAdd, D: 13, A: 12, B: 2},
				20: {Kind: KindOutput, A: 13, C: 1},
			},
		}, [][2]int{
			{0, 1}, {0, 2}, {1, 2}, {1, 4}, {3, 4}, {4, 5}, {4, 6}, {5, 6}, {2, 6}, {7, 8}, {3, 8}, {8, 9},
			{5, 9}, {8, 10}, {7, 10}, {9, 10}, {10, 11}, {9, 12}, {11, 12}, {13, 14}, {2, 14}, {14, 15},
			{12, 15}, {11, 15}, {14, 16}, {16, 17}, {17, 18}, {16, 18}, {9, 18}, {18, 19}, {17, 19},
			{19, 20}, {15, 20}, {12, 20}, {11, 20},
		}
}

// ordering are the machines that order instructions.
func ordering() map[string]*Machine {
	m := Machines()
	maps.DeleteFunc(m, func(_ string, m *Machine) bool { return m.parts > 1 })
	return m
}

// draftOf is the draft of a list's only block.
func draftOf(t *testing.T, l *List, m *Machine) *draft {
	t.Helper()
	u := Divide(l, m)
	if u == nil || u.Blocks() != 1 {
		t.Fatal("the list is no block")
	}
	b := u.blocks[0]
	rows := make([]int32, len(b.in)+len(b.out))
	for i := range rows {
		rows[i] = int32(i)
	}
	u.Settle(0, rows[:len(b.in)], rows[len(b.in):])
	return m.newWriter(plan(u, b, 4*1024)).its()
}

// The check of an order finds any two instructions that have changed places of which one depends on
// the other, or on one between them, and lets others do so.
func TestSchedule_FaultsAreFound(t *testing.T) {
	for name, m := range ordering() {
		l, pairs := orderedCode()
		e := draftOf(t, l, m)
		code, at := e.b.code, map[int]int{}
		for i, was := range e.order {
			at[int(was)] = i
		}
		for _, p := range pairs {
			if at[p[0]] > at[p[1]] {
				t.Errorf("%s: %d is behind %d", name, p[0], p[1])
			}
		}
		faults := 0
		for i := range code {
			for j := i + 1; j < len(code); j++ {
				fault := slices.ContainsFunc(pairs, func(p [2]int) bool {
					from, to := at[p[0]], at[p[1]]
					return from == i && to <= j || to == j && from >= i
				})
				swap := func() {
					code[i], code[j] = code[j], code[i]
					e.order[i], e.order[j] = e.order[j], e.order[i]
				}
				swap()
				if err := e.checkOrder(); (err != nil) != fault {
					t.Errorf("%s: %d and %d change places: %v", name, e.order[j], e.order[i], err)
				}
				if swap(); fault {
					faults++
				}
			}
		}
		if err := e.checkOrder(); err != nil || faults < 100 {
			t.Errorf("%s: %d faults, then %v", name, faults, err)
		}
		e.writer.done()
	}
}

// No instruction goes beyond a jump, and what keeps its place does.
func TestSchedule_StaysBetweenJumps(t *testing.T) {
	for name, m := range ordering() {
		e := draftOf(t, fittingLoop(), m)
		code := e.b.code
		for i := 1; i < len(code); i++ {
			if !code[i].jumps() && !code[i-1].jumps() && sections(code, 0)[i] == sections(code, 0)[i-1] &&
				!e.stays(&code[i]) && !e.stays(&code[i-1]) {
				continue
			}
			e.order[i], e.order[i-1] = e.order[i-1], e.order[i]
			code[i], code[i-1] = code[i-1], code[i]
			if e.checkOrder() == nil {
				t.Errorf("%s: %d and %d change places", name, i-1, i)
			}
			e.order[i], e.order[i-1] = e.order[i-1], e.order[i]
			code[i], code[i-1] = code[i-1], code[i]
		}
		e.writer.done()
	}
}

// What does not wait comes between what does: divisions before the sums of others.
func TestSchedule_LongChainsBegin(t *testing.T) {
	p := programOf("chains", 2, 2)
	l := &List{Program: p, Consts: []uint32{0}, Lanes: 10, Masks: 1}
	for i := range int32(4) {
		l.Code = append(l.Code, Inst{Kind: KindVV, Op: ir.OpIAdd, D: 2 + i, A: max(1+i, 1), B: 0})
	}
	for i := range int32(2) {
		l.Code = append(l.Code, Inst{Kind: KindVV, Op: ir.OpFDiv, D: 6 + i, A: 5*i + i%2, B: 1})
	}
	l.Code = append(l.Code, Inst{Kind: KindOutput, A: 5}, Inst{Kind: KindOutput, A: 7, C: 1})
	e := draftOf(t, l, &vectors512)
	if in := e.b.code[0]; in.Op != ir.OpFDiv {
		t.Errorf("%v is first\n%v", in.Op, e.order)
	}
	e.writer.done()
}

// What a block makes for others does not keep registers, however much that is: what takes long
// begins all the same.
func TestSchedule_HandsOn(t *testing.T) {
	const handed = 60
	p := programOf("hands on", 2, 1)
	l := &List{Program: p, Consts: []uint32{0}, Lanes: 4 + handed, Masks: 1, Operands: make([]Operands, 1)}
	for i := range int32(handed) {
		l.Code = append(l.Code, Inst{Kind: KindVV, Op: ir.OpIAdd, D: 4 + i, A: 0, B: 1})
	}
	l.Code = append(l.Code, Inst{Kind: KindVV, Op: ir.OpFDiv, D: 2, A: 0, B: 1},
		Inst{Kind: KindVV, Op: ir.OpFAdd, D: 3, A: 2, B: 1}, Inst{Kind: KindOther})
	for v := range int32(2 + handed - 1) {
		l.Code = append(l.Code, Inst{Kind: KindOutput, A: 3 + v})
	}
	u := Divide(l, &vectors512)
	if u == nil || u.Blocks() != 2 || len(u.blocks[0].out) != handed+1 {
		t.Fatal("the list is not two blocks, of which one hands on")
	}
	for i, b := range u.blocks {
		rows := make([]int32, len(b.in)+len(b.out))
		u.Settle(int64(i), rows[:len(b.in)], rows[len(b.in):])
	}
	e := vectors512.newWriter(plan(u, u.blocks[0], 4*1024)).its()
	if in := e.b.code[0]; in.Op != ir.OpFDiv {
		t.Errorf("%v is first\n%v", in.Op, e.order)
	}
	e.writer.done()
}

// spills counts what a draft stores to its frame and loads from there.
func spills(e *draft) (n int) {
	e.choose()
	for i := range e.end {
		z, m, loads, stores := e.code.At(i).Moves()
		if z < firstValue || !loads && !stores || m.Every {
			continue
		}
		if int32(z-firstValue)/2 < e.b.lanes+int32(e.r.masks) && e.home(z).kind == placeFrame {
			n++
		}
	}
	return n
}

// sumsOfLoads is a list that loads n words and adds them up: whatever latency they have, as many as
// there are registers are on their way at most.
func sumsOfLoads(n int32) *List {
	p := programOf("sums", 1, 1)
	l := &List{Program: p, Consts: []uint32{0, 3}, Lanes: 2 + 4*n, Masks: 1}
	sum := int32(0)
	for i := range n {
		d := 2 + 4*i
		l.Code = append(l.Code, Inst{Kind: KindVU, Op: ir.OpShl, D: d, A: 0, B: 1},
			Inst{Kind: KindLoadShared, D: d + 1, A: d},
			Inst{Kind: KindVV, Op: ir.OpFMul, D: d + 2, A: d + 1, B: 0},
			Inst{Kind: KindVV, Op: ir.OpFAdd, D: d + 3, A: sum, B: d + 2})
		sum = d + 3
	}
	l.Code = append(l.Code, Inst{Kind: KindOutput, A: sum})
	return l
}

// Order costs no value its register where loads could fill all, and next to none in lists of all
// kinds, however few registers there are.
func TestSchedule_SpillsNothing(t *testing.T) {
	for name, machine := range ordering() {
		for _, few := range []int{12, 16, 32} {
			m := *machine
			m.values = min(m.values, few)
			moved := 0
			is, was := spillsOf(sumsOfLoads(60), &m, &moved), spillsOf(sumsOfLoads(60), &m, nil)
			if is > was || m.values > 16 && moved < 60 {
				t.Errorf("%s, %d registers: %d move, %d loads and stores of sums, before %d",
					name, m.values, moved, is, was)
			}
		}
		moved, is, was := 0, 0, 0
		for seed := range uint64(500) {
			m := *machine
			m.values = min(m.values, 9+int(seed%24))
			list := func() *List { return randomList(rand.New(rand.NewPCG(seed, 7))) }
			is, was = is+spillsOf(list(), &m, &moved), was+spillsOf(list(), &m, nil)
		}
		t.Logf("%s: %d instructions have moved; %d loads and stores, before %d", name, moved, is, was)
		if moved < 1000 || is > was+was/100 {
			t.Errorf("%s: %d loads and stores, before %d", name, is, was)
		}
	}
}

// spillsOf is spills of a list: as it is scheduled, counting what has moved, or as it was.
func spillsOf(l *List, m *Machine, moved *int) (sum int) {
	u := Divide(l, m)
	if u == nil {
		return 0
	}
	for i, b := range u.blocks {
		rows := make([]int32, len(b.in)+len(b.out))
		u.Settle(int64(i), rows[:len(b.in)], rows[len(b.in):])
		e := plan(u, b, 4*1024)
		before := make([]Inst, len(b.code))
		for at, k := range e.order {
			if before[k] = b.code[at]; moved != nil && at != int(k) {
				*moved++
			}
		}
		if moved == nil {
			copy(b.code, before)
			e.order = nil
		}
		w := m.newWriter(e)
		sum += spills(w.its())
		w.done()
	}
	return sum
}

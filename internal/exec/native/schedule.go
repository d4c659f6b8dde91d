package native

import (
	"slices"

	"github.com/pumice-gpu/pumice/internal/ir"
)

// # The order of instructions
//
// A processor overlaps what does not wait for each other, but sees only some hundreds of its
// instructions at a time: a few loads with the search for their addresses fill that. schedule puts
// between them what has nothing to do with them. In a straight range of a list, which no jump leads
// into or out of, that instruction is next which can begin first, of those the one that the longest
// chain waits for. It passes others only where at each of their places no more values live than
// registers hold: no value leaves its register for that.
//
// What is ordered stays ordered: accesses of a register, of which one writes, of any memory, of
// which one stores, and of outputs. What is about a whole strip keeps its order, too, and what may
// leave the block, jumps or changes a mask its place; so do loops, whose turns the processor
// overlaps, each behind the chain that it carries. Time grows with the length of a list, however it
// is made: an instruction passes mostPassed others, and each of those is looked at once.

const (
	mostPassed   = 96
	mostTogether = 16
	stepsRoom    = 6 // registers that the steps of most instructions need besides
	issuedSteps  = 4 // instructions of the processor that begin in a cycle
)

// node is an instruction, or several that stay together: those about words, of which the next one
// finds results where they were made.
type node struct {
	from, to int // instructions
	cost
	height int32 // of what waits for it, with itself, cycles
	begins int32 // when its operands are there
	waits  int32 // for so many nodes
	done   bool
	behind []follower
	lanes  []int32 // registers that it reads and writes
}

// follower is a node that waits for another, and how long it does from its begin on.
type follower struct{ node, latency int32 }

// accesses are the nodes that have accessed something: the last one that wrote it, plus 1, and
// those that have read it since.
type accesses struct {
	writer  int32
	readers []int32
}

// life is from the node that has a value first, −1 where it is from elsewhere, to the last one.
type life struct{ from, to int32 }

// scheduler orders the instructions of a block.
type scheduler struct {
	*layout
	room     int32   // how many values registers hold besides what steps need
	uses     []int32 // of lane registers that have one of the processor's all the while, else 0
	accesses map[int32]accesses
	nodes    []node
	lives    map[int32]life
	pressure []int32 // values that live behind each node
}

// schedule orders the instructions of a block, and keeps where they were. Parts of a strip do not
// wait for each other anyway, and leave no room.
func (e *layout) schedule() {
	if e.vectors.parts > 1 {
		return
	}
	code := e.b.code
	s := &scheduler{
		layout: e, room: int32(e.vectors.values - stepsRoom), uses: make([]int32, e.b.lanes),
		accesses: map[int32]accesses{}, lives: map[int32]life{},
	}
	s.findValues()
	e.order = make([]int32, len(code))
	stays := make([]bool, len(code))
	for i := range code {
		e.order[i], stays[i] = int32(i), e.b.once[i] || e.stays(&code[i])
	}
	for _, l := range e.b.loops {
		for i := l[0]; i < l[1]; i++ {
			stays[i] = true
		}
	}
	for from, to := 0, 0; from < len(code); from = max(to, from+1) {
		for to = from; to < len(code) && !stays[to] && e.section[to] == e.section[from]; to++ {
		}
		if to > from+2 {
			s.straight(from, to)
		}
	}
}

// findValues counts the uses of values that have registers of the processor, but not of those that
// other code has, too: memory has these anyway, so that it costs little to take them out of a register.
func (s *scheduler) findValues() {
	has := make([]bool, len(s.uses))
	for i := range s.b.code {
		in := &s.b.code[i]
		s.r.lanesIn(in, func(v *int32, result bool) {
			s.uses[*v]++
			register := in.Kind != KindBroadcast && !s.asMask[*v] && s.places[*v].kind != placeRecord
			has[*v] = has[*v] || result && register
		})
	}
	for _, v := range append(slices.Clone(s.b.in), s.b.out...) {
		has[v] = false
	}
	for v := range has {
		if !has[v] {
			s.uses[v] = 0
		}
	}
}

// stays says that an instruction keeps its place.
func (e *layout) stays(in *Inst) bool {
	return in.leavesToHost(e.vectors) || accessOf(in) == accessesAll
}

// What an instruction accesses besides registers.
const (
	accessesNone = iota
	readsMemory
	writesMemory
	writesOutput
	accessesAll // what it is ordered with is not only that
)

func accessOf(in *Inst) int {
	switch in.Kind {
	case KindUnary, KindVV, KindVU, KindUV, KindVVV, KindVVU, KindVUV, KindVUU, KindFusedVVV,
		KindFusedVVU, KindFusedVUV, KindFusedVUU, KindScalar, KindScalarMov, KindBroadcast, KindCopy,
		KindCanon, KindScalarCanon, KindZero, KindSet, KindSetU, KindDerivative, KindWide, KindPixel,
		KindRecord, KindNone, KindFirst, KindShiftU:
		return accessesNone
	case KindIsHelper, KindLoadBuffer, KindLoadBufferU, KindLoadBufferE, KindSizeBufferU,
		KindSizeBufferE, KindLoadPush, KindLoadPushU, KindLoadTable, KindLoadTableU, KindLoadShared,
		KindLoadSharedU, KindLoadPrivate, KindLoadPrivateAt, KindLoadPrivateU, KindLoadMem,
		KindLoadMemU, KindLoadPair, KindLoadBytes, KindLoadFew, KindAhead, KindCovered, KindLoadTexel:
		return readsMemory
	case KindStoreBuffer, KindStoreBufferU, KindStoreBufferE, KindStoreShared, KindStoreSharedU,
		KindStorePrivate, KindStorePrivateAt, KindStorePrivateU, KindStoreMem, KindStoreMemU,
		KindCover, KindStoreTexel:
		return writesMemory
	case KindOutput, KindOutputU:
		return writesOutput
	}
	return accessesAll
}

// What nodes access besides lane registers, which are numbers from 0 on, and scalar ones, which are
// numbers from −4 down.
const (
	allMemory = -1 - iota
	allOutputs
	allStrip
	firstScalar
)

// touches calls f for what an instruction accesses, reads before writes.
func (e *layout) touches(in *Inst, f func(what int32, writes bool)) {
	e.r.lanesIn(in, func(v *int32, result bool) { f(*v, result) })
	d := int32(-1)
	for _, x := range scalarsOf(in, &d) {
		f(firstScalar-x, false)
	}
	if d >= 0 {
		f(firstScalar-d, true)
	}
	switch accessOf(in) {
	case readsMemory:
		f(allMemory, false)
	case writesMemory:
		f(allMemory, true)
	case writesOutput:
		f(allOutputs, true)
	case accessesAll:
		f(allMemory, true)
		f(allOutputs, true)
	}
	if in.forStrip() {
		f(allStrip, true)
	}
}

// straight orders the instructions of a straight range.
func (s *scheduler) straight(from, to int) {
	s.findNodes(from, to)
	s.findHeights()
	s.findLives()
	before := slices.Clone(s.b.code[from:to])
	at, now, steps := from, int32(0), int32(0)
	for first := 0; first < len(s.nodes); {
		k := s.next(first, now)
		s.pass(first, k)
		n := &s.nodes[k]
		n.done, now = true, max(now, n.begins)
		for _, f := range n.behind {
			m := &s.nodes[f.node]
			m.begins = max(m.begins, now+f.latency)
			m.waits--
		}
		steps += n.steps
		now, steps = now+steps/issuedSteps, steps%issuedSteps
		for i := n.from; i < n.to; i++ {
			s.b.code[at], s.order[at] = before[i-from], int32(i)
			at++
		}
		for first < len(s.nodes) && s.nodes[first].done {
			first++
		}
	}
}

// findNodes makes the nodes of a range, each with those that wait for it.
func (s *scheduler) findNodes(from, to int) {
	s.nodes = s.nodes[:0]
	clear(s.accesses)
	for i := from; i < to; {
		k := len(s.nodes)
		s.nodes = slices.Grow(s.nodes, 1)[:k+1]
		n := &s.nodes[k]
		*n = node{from: i, to: i + 1, behind: n.behind[:0], lanes: n.lanes[:0]}
		for s.b.code[i].forStrip() && n.to < min(to, i+mostTogether) && s.b.code[n.to].forStrip() {
			n.to++
		}
		for ; i < n.to; i++ {
			in := &s.b.code[i]
			c := costOf(in)
			n.latency, n.steps = max(n.latency, c.latency), n.steps+c.steps
			s.touches(in, func(what int32, writes bool) {
				s.access(int32(k), what, writes)
				if what >= 0 && s.uses[what] > 0 {
					n.lanes = append(n.lanes, what)
				}
			})
		}
	}
}

// access has a node access something, behind the nodes that it must not pass.
func (s *scheduler) access(k, what int32, writes bool) {
	a := s.accesses[what]
	behind := func(other, latency int32) {
		if other != k {
			n := &s.nodes[other]
			n.behind = append(n.behind, follower{k, latency})
			s.nodes[k].waits++
		}
	}
	if a.writer > 0 {
		behind(a.writer-1, s.nodes[a.writer-1].latency)
	}
	if writes {
		for _, r := range a.readers {
			behind(r, 0)
		}
		a.writer, a.readers = k+1, a.readers[:0]
	} else {
		a.readers = append(a.readers, k)
	}
	s.accesses[what] = a
}

// findHeights finds how much waits for each node.
func (s *scheduler) findHeights() {
	for k := len(s.nodes) - 1; k >= 0; k-- {
		n := &s.nodes[k]
		n.height = n.latency
		for _, f := range n.behind {
			n.height = max(n.height, f.latency+s.nodes[f.node].height)
		}
	}
}

// findLives finds where the range's values live, and how many do behind each node. What others
// have, too, lives all along, as far as is known.
func (s *scheduler) findLives() {
	clear(s.lives)
	count := map[int32]int32{}
	for k := range s.nodes {
		for _, v := range s.nodes[k].lanes {
			l, ok := s.lives[v]
			if !ok {
				l.from = int32(k)
			}
			l.to = int32(k)
			s.lives[v] = l
			count[v]++
		}
	}
	s.pressure = fresh(s.pressure, len(s.nodes)+1)
	for v, l := range s.lives {
		if count[v] < s.uses[v] {
			l = life{-1, int32(len(s.nodes))}
			s.lives[v] = l
		}
		s.pressure[max(l.from, 0)]++
		s.pressure[l.to]--
	}
	for k := range len(s.nodes) {
		s.pressure[k+1] += s.pressure[k]
	}
}

// next is the node that is next: the first one that is left, or one that may pass it.
func (s *scheduler) next(first int, now int32) int {
	best, most := first, int32(0)
	for k := first; k < min(len(s.nodes), first+mostPassed); k++ {
		n, b := &s.nodes[k], &s.nodes[best]
		if n.done {
			continue
		}
		begins, before := max(n.begins, now), max(b.begins, now)
		sooner := begins < before || begins == before && n.height > b.height
		if n.waits == 0 && sooner && most+s.born(k) <= s.room {
			best = k
		}
		most = max(most, s.pressure[k])
	}
	return best
}

// born is how many values begin to live with a node.
func (s *scheduler) born(k int) (n int32) {
	for _, v := range s.nodes[k].lanes {
		if s.lives[v].from == int32(k) {
			n++
		}
	}
	return n
}

// pass has a node pass those from first on that are left: what it makes lives longer, and what
// nothing reads behind it not so long.
func (s *scheduler) pass(first, k int) {
	born := s.born(k)
	for q := first; q < k; q++ {
		s.pressure[q] += born
	}
	for _, v := range s.nodes[k].lanes {
		l := s.lives[v]
		if l.to != int32(k) || k == first {
			continue
		}
		for l.to--; int(l.to) >= first; l.to-- {
			if n := &s.nodes[l.to]; !n.done && slices.Contains(n.lanes, v) {
				break
			}
			s.pressure[l.to]--
		}
		s.lives[v] = l
	}
}

// cost is how long an instruction takes until its result is there, in cycles, and how many of the
// processor's it is. Figures are rough, and the larger ones of Intel's and AMD's processors.
type cost struct{ latency, steps int32 }

func costOf(in *Inst) cost {
	switch in.Kind {
	case KindLoadBuffer, KindLoadBufferE, KindLoadShared, KindLoadMem, KindLoadPrivate, KindLoadPair:
		return cost{30, 28}
	case KindAhead:
		return cost{1, 40}
	case KindLoadTexel, KindLoadBytes, KindLoadFew, KindLoadTable:
		return cost{12, 8}
	case KindDerivative:
		return cost{5, 3}
	case KindFusedVVV, KindFusedVVU, KindFusedVUV, KindFusedVUU:
		return cost{8, 2}
	case KindWide:
		if op := ir.WideOp(in.Imm); op == ir.WideFDiv || op == ir.WideSqrt {
			return cost{25, 16}
		}
		return cost{4, 2}
	case KindUnary, KindVV, KindVU, KindUV, KindVVV, KindVVU, KindVUV, KindVUU:
		return costOfOp(in.Op)
	}
	return cost{1, 1}
}

func costOfOp(op ir.Op) cost {
	switch op {
	case ir.OpIMul:
		return cost{10, 2}
	case ir.OpFAdd, ir.OpFSub, ir.OpFMul, ir.OpFma, ir.OpIDot16:
		return cost{4, 1}
	case ir.OpF2S, ir.OpF2U, ir.OpS2F, ir.OpU2F:
		return cost{4, 2}
	case ir.OpFMin, ir.OpFMax:
		return cost{5, 3}
	case ir.OpFDiv:
		return cost{13, 8}
	case ir.OpFSqrt, ir.OpFInvSqrt:
		return cost{20, 12}
	case ir.OpUDiv, ir.OpSDiv, ir.OpURem, ir.OpSRem, ir.OpSMod:
		return cost{40, 40}
	}
	if writesFunction(op) {
		return cost{90, 80}
	}
	return cost{1, 1}
}

package native

import "slices"

// What loops do to masks and to the values that they carry. A loop's speed is that of the longest chain
// from one iteration to the next: masks are to be no part of it, and jumps that some lanes take are foretold badly.

// loops makes the loops of a block cheaper, before anything is placed.
func (e *layout) loops() {
	if len(e.b.loops) == 0 {
		return
	}
	e.leaveAtOnce()
	e.threadJumps()
	e.looseSets()
}

// leaveAtOnce has lanes that do nothing under a condition but leave do so without a jump.
func (e *layout) leaveAtOnce() {
	code := e.b.code
	for i := range len(code) - 1 {
		in, leave := &code[i], &code[i+1]
		if in.Kind == KindIf && in.B < 0 && leave.Kind == KindLeave && leave.M == in.D && int(in.To) == i+2 {
			in.Kind, in.C, in.To = KindLeaveIf, leave.C, 0
			*leave = Inst{Kind: KindNone, M: in.M}
		}
	}
}

// threadJumps drops jumps that ask for a mask again.
func (e *layout) threadJumps() {
	code := e.b.code
	targets := make([]int, len(code)+1) // jumps to a place
	for i := range code {
		in := &code[i]
		for in.Kind == KindJumpEmpty && int(in.To) < len(code) && code[in.To].Kind == KindJumpEmpty && code[in.To].M == in.M {
			in.To = code[in.To].To
		}
		switch {
		case in.Kind == KindJumpEmpty && int(in.To) == i+1:
			*in = Inst{Kind: KindNone, M: in.M}
		case in.jumps():
			targets[in.To]++
		}
	}
	some := int32(-1) // a mask that is not empty
	for i := range code {
		in := &code[i]
		if targets[i] > 0 {
			some = -1
		}
		switch {
		case in.Kind == KindJumpEmpty && in.M == some:
			targets[in.To]--
			*in = Inst{Kind: KindNone, M: in.M}
		case in.Kind == KindJumpNotEmpty && in.M == some:
			in.Kind = KindJump
		case in.Kind == KindJumpEmpty:
			some = in.M
		case slices.Contains(e.r.changes(in), some):
			some = -1
		}
	}
}

// looseSets has variables that only a loop reads take their new values in all lanes: those that have left it
// don't look at them, and the next iteration need not wait for the mask.
func (e *layout) looseSets() {
	b, code := e.b, e.b.code
	shared := make([]bool, b.lanes)
	for _, v := range append(b.in[:len(b.in):len(b.in)], b.out...) {
		shared[v] = true
	}
	read := make([][2]int32, b.lanes) // the first place, and that behind the last one
	for i := range code {
		e.r.lanesIn(&code[i], func(v *int32, result bool) {
			if r := &read[*v]; !result {
				if r[1] == 0 {
					r[0] = int32(i)
				}
				r[1] = int32(i + 1)
			}
		})
	}
	section := sections(code, 0)
	for n, l := range b.loops {
		head := int(l[0])
		if head == 0 || code[head-1].Kind != KindMaskCopy || slices.ContainsFunc(code[l[0]:l[1]], func(in Inst) bool { return in.Kind == KindImage }) {
			continue // lanes of an image instruction may look at their neighbours
		}
		before := head - 1
		for before > 0 && section[before-1] == section[head-1] {
			before--
		}
		again := slices.ContainsFunc(b.loops[n+1:], func(outer [2]int32) bool { return outer[0] <= l[0] && l[1] <= outer[1] })
		for j := l[0]; j < l[1]; j++ {
			set := &code[j]
			if !set.sets() || set.M != code[head-1].D || shared[set.D] || read[set.D][0] < l[0] || read[set.D][1] > l[1] {
				continue
			}
			// Lanes that come back must not find what they have left with.
			if !again || slices.ContainsFunc(code[before:head-1], func(in Inst) bool { return in.sets() && in.D == set.D }) {
				set.M = 0
			}
		}
	}
}

// sets says that an instruction sets a variable.
func (in *Inst) sets() bool { return in.Kind == KindSet || in.Kind == KindSetU }

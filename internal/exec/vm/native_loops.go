//go:build amd64 || arm64

package vm

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
		if in.kind == kindIf && in.b < 0 && leave.kind == kindLeave && leave.m == in.d && int(in.to) == i+2 {
			in.kind, in.c, in.to = kindLeaveIf, leave.c, 0
			*leave = instr{kind: kindNone, m: in.m}
		}
	}
}

// threadJumps drops jumps that ask for a mask again.
func (e *layout) threadJumps() {
	code := e.b.code
	targets := make([]int, len(code)+1) // jumps to a place
	for i := range code {
		in := &code[i]
		for in.kind == kindJumpEmpty && int(in.to) < len(code) && code[in.to].kind == kindJumpEmpty && code[in.to].m == in.m {
			in.to = code[in.to].to
		}
		switch {
		case in.kind == kindJumpEmpty && int(in.to) == i+1:
			*in = instr{kind: kindNone, m: in.m}
		case in.jumps():
			targets[in.to]++
		}
	}
	some := int32(-1) // a mask that is not empty
	for i := range code {
		in := &code[i]
		if targets[i] > 0 {
			some = -1
		}
		switch {
		case in.kind == kindJumpEmpty && in.m == some:
			targets[in.to]--
			*in = instr{kind: kindNone, m: in.m}
		case in.kind == kindJumpNotEmpty && in.m == some:
			in.kind = kindJump
		case in.kind == kindJumpEmpty:
			some = in.m
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
		if head == 0 || code[head-1].kind != kindMaskCopy || slices.ContainsFunc(code[l[0]:l[1]], func(in instr) bool { return in.kind == kindImage }) {
			continue // lanes of an image instruction may look at their neighbours
		}
		before := head - 1
		for before > 0 && section[before-1] == section[head-1] {
			before--
		}
		again := slices.ContainsFunc(b.loops[n+1:], func(outer [2]int32) bool { return outer[0] <= l[0] && l[1] <= outer[1] })
		for j := l[0]; j < l[1]; j++ {
			set := &code[j]
			if !set.sets() || set.m != code[head-1].d || shared[set.d] || read[set.d][0] < l[0] || read[set.d][1] > l[1] {
				continue
			}
			// Lanes that come back must not find what they have left with.
			if !again || slices.ContainsFunc(code[before:head-1], func(in instr) bool { return in.sets() && in.d == set.d }) {
				set.m = 0
			}
		}
	}
}

// sets says that an instruction sets a variable.
func (in *instr) sets() bool { return in.kind == kindSet || in.kind == kindSetU }

package vm

// mask is an execution mask. Its words count only where it is mixed, so that
// regions that all lanes or no lane enter cost nothing.
type mask struct {
	state   uint8
	words   []uint32 // 0 or all ones a lane
	backing []uint32
}

const (
	maskEmpty uint8 = iota
	maskFull
	maskMixed
)

// settle derives the state from what is in any and all words.
func settle(anyBits, allBits uint32) uint8 {
	switch {
	case anyBits == 0:
		return maskEmpty
	case allBits == ^uint32(0):
		return maskFull
	}
	return maskMixed
}

// maskWords returns the words of mask register m, whatever its state.
func (t *registers) maskWords(m int32) []uint32 {
	switch x := &t.m[m]; x.state {
	case maskFull:
		return t.ones[:t.n]
	case maskEmpty:
		clear(x.words)
		return x.words
	default:
		return x.words
	}
}

// storeMask is the execution mask without helpers and demoted lanes.
func (t *registers) storeMask(m int32) []uint32 {
	w := t.maskWords(m)
	if t.live.state == maskFull {
		return w
	}
	out := t.tmp[:len(w)]
	l := t.liveWords()[:len(w)]
	for i := range out {
		out[i] = w[i] & l[i]
	}
	return out
}

func (t *registers) liveWords() []uint32 {
	if t.live.state == maskEmpty {
		clear(t.live.words)
	}
	return t.live.words
}

// split executes native.KindIf: then = outer & cond, other = outer &^ cond.
func (t *registers) split(in *instr) bool {
	outer, then, cond := &t.m[in.m], &t.m[in.d], t.v[in.a]
	anyBits, allBits := uint32(0), ^uint32(0)
	if outer.state == maskFull {
		c := cond
		for ; len(c) >= 8; c = c[8:] {
			w := (*[8]uint32)(c)
			anyBits |= w[0] | w[1] | w[2] | w[3] | w[4] | w[5] | w[6] | w[7]
			allBits &= w[0] & w[1] & w[2] & w[3] & w[4] & w[5] & w[6] & w[7]
		}
		for _, x := range c {
			anyBits |= x
			allBits &= x
		}
		if settle(anyBits, allBits) == maskMixed {
			copy(then.words, cond)
		}
	} else {
		w, o := then.words[:len(cond)], t.maskWords(in.m)[:len(cond)]
		for i := range cond {
			x := cond[i] & o[i]
			w[i] = x
			anyBits |= x
			allBits &= x
		}
	}
	then.state = settle(anyBits, allBits)
	if in.b >= 0 {
		other := &t.m[in.b]
		e := other.words[:len(cond)]
		switch {
		case then.state == maskFull:
			other.state = maskEmpty
		case then.state == maskEmpty && outer.state == maskFull:
			other.state = maskFull
		default:
			anyBits, allBits = 0, ^uint32(0)
			o := t.maskWords(in.m)[:len(cond)]
			for i := range cond {
				x := o[i] &^ cond[i]
				e[i] = x
				anyBits |= x
				allBits &= x
			}
			other.state = settle(anyBits, allBits)
		}
	}
	return then.state != maskEmpty
}

// copyMask executes native.KindMaskCopy.
func (t *registers) copyMask(d, m int32) {
	to, from := &t.m[d], &t.m[m]
	to.state = from.state
	if from.state == maskMixed {
		copy(to.words, from.words)
	}
}

// leave clears the lanes of mask m in the masks of a break or continue, and m.
func (t *registers) leave(m int32, list []int32) {
	x := &t.m[m]
	for _, r := range list {
		y := &t.m[r]
		switch {
		case y.state == maskEmpty || x.state == maskEmpty:
		case x.state == maskFull: // y holds all its lanes
			y.state = maskEmpty
		default:
			from := t.maskWords(r)
			w, lanes := y.words, x.words
			from, lanes = from[:len(w)], lanes[:len(w)]
			anyBits := uint32(0)
			for i := range w {
				w[i] = from[i] &^ lanes[i]
				anyBits |= w[i]
			}
			y.state = settle(anyBits, 0)
		}
	}
	x.state = maskEmpty
}

// demote clears the live bits of the lanes in the execution mask.
func (t *registers) demote(m int32) {
	w, l := t.maskWords(m), t.liveWords()
	l = l[:len(w)]
	for i := range w {
		l[i] &^= w[i]
	}
	t.live.state = maskMixed
}

package core

import (
	"math"
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/render"
	"github.com/pumice-gpu/pumice/vk"
)

// What dynamicStates are made of: how the words of a command become fields of a draw's state.

type (
	state      = render.DynamicState
	blendState = vk.PipelineColorBlendAttachmentState
)

// A stateValue is how the words of a command become fields: numbers as they are, floats as their
// bits, booleans as 0 or another number.
type stateValue struct {
	words int // of the command, or of an element; 0: read counts itself
	// A list has the number of its first element in front, and limit is how many there can
	// be; limitRule is what says so.
	limit     int
	limitRule string
	// check reports words that break a rule, or puts valid ones in their place; it may note
	// what recording has to know. nil: all are valid.
	check func(c *CommandBuffer, op Op, w []uint32) bool
	read  func(s *state, w []uint32) // nil: no part of a draw's state
	take  func(dst, src *state)      // the same fields from another state
}

// checked is v with a check.
func (v stateValue) checked(check func(*CommandBuffer, Op, []uint32) bool) stateValue {
	v.check = check
	return v
}

// asFloat is the number whose bits a word has, whatever they are.
//
// RAS-026, RAS-029, RAS-035, RAS-036, RAS-037, RAS-040, RAS-042, RAS-043, RAS-044
func asFloat(w uint32) float32 { return math.Float32frombits(w) }

// field is a value of one word.
func field[T any](at func(*state) *T, of func(uint32) T) stateValue {
	return stateValue{
		words: 1,
		read:  func(s *state, w []uint32) { *at(s) = of(w[0]) },
		take:  func(dst, src *state) { *at(dst) = *at(src) },
	}
}

func float(at func(*state) *float32) stateValue { return field(at, asFloat) }

func floats(n int, at func(*state) []float32) stateValue {
	return stateValue{
		words: n,
		read: func(s *state, w []uint32) {
			for i := range at(s) {
				at(s)[i] = asFloat(w[i])
			}
		},
		take: func(dst, src *state) { copy(at(dst), at(src)) },
	}
}

func toggle(at func(*state) *bool) stateValue {
	return field(at, func(w uint32) bool { return w != 0 })
}

type numeric interface {
	~int32 | ~uint32 | ~uint16
}

func number[T numeric](at func(*state) *T) stateValue {
	return field(at, func(w uint32) T { return T(w) })
}

// enum is a number that must lie in low…high.
func enum[T numeric](rule string, low, high T, at func(*state) *T) stateValue {
	return number(at).checked(func(c *CommandBuffer, op Op, w []uint32) bool {
		if v := T(w[0]); v < low || v > high {
			c.misuse(op, rule, "", "value %d", int64(v))
			return false
		}
		return true
	})
}

// join is several values, one after another.
func join(parts ...stateValue) (v stateValue) {
	each := func(w []uint32, f func(stateValue, []uint32) bool) bool {
		for _, p := range parts {
			if !f(p, w[:p.words]) {
				return false
			}
			w = w[p.words:]
		}
		return true
	}
	for _, p := range parts {
		v.words += p.words
	}
	v.check = func(c *CommandBuffer, op Op, w []uint32) bool {
		return each(w, func(p stateValue, w []uint32) bool { return p.check == nil || p.check(c, op, w) })
	}
	v.read = func(s *state, w []uint32) {
		each(w, func(p stateValue, w []uint32) bool { p.read(s, w); return true })
	}
	v.take = func(dst, src *state) {
		for _, p := range parts {
			p.take(dst, src)
		}
	}
	return v
}

// faces is a part of the stencil state of faces, which the first word names.
func faces(
	words int,
	set func(*vk.StencilOpState, []uint32),
	take func(dst, src *vk.StencilOpState),
) stateValue {
	return stateValue{
		words: 1 + words,
		read: func(s *state, w []uint32) {
			if vk.StencilFaceFlags(w[0])&vk.StencilFaceFrontBit != 0 {
				set(&s.Front, w[1:])
			}
			if vk.StencilFaceFlags(w[0])&vk.StencilFaceBackBit != 0 {
				set(&s.Back, w[1:])
			}
		},
		take: func(dst, src *state) {
			take(&dst.Front, &src.Front)
			take(&dst.Back, &src.Back)
		},
	}
}

func faceMask(at func(*vk.StencilOpState) *uint32) stateValue {
	return faces(1, func(o *vk.StencilOpState, w []uint32) { *at(o) = w[0] },
		func(dst, src *vk.StencilOpState) { *at(dst) = *at(src) })
}

// elements is a state with elements of so many words, of which set stores one.
func elements(
	words, limit int,
	rule string,
	set func(s *state, at int, w []uint32),
	take func(dst, src *state),
) stateValue {
	return stateValue{
		words: words, limit: limit, limitRule: rule, take: take,
		read: func(s *state, w []uint32) {
			at := int(w[0])
			for w = w[1:]; len(w) > 0; w = w[words:] {
				set(s, at, w)
				at++
			}
		},
	}
}

// attachments is a list of what colour attachments are blended with; take is of one of them.
func attachments(
	words int,
	rule string,
	set func(*blendState, []uint32),
	take func(dst, src *blendState),
) stateValue {
	return elements(words, render.MaxColorAttachments, rule,
		func(s *state, at int, w []uint32) { set(&s.Blend[at], w) },
		func(dst, src *state) {
			for i := range dst.Blend {
				take(&dst.Blend[i], &src.Blend[i])
			}
		})
}

func asRect(w []uint32) vk.Rect2D {
	return vk.Rect2D{
		Offset: vk.Offset2D{X: int32(w[0]), Y: int32(w[1])},
		Extent: vk.Extent2D{Width: w[2], Height: w[3]},
	}
}

// dynSet is a set of dynamic states.
type dynSet [2]uint64

// dynSetOf is the set of some states.
func dynSetOf(list ...dynState) (m dynSet) {
	for _, s := range list {
		m.add(s)
	}
	return m
}

// dynSetWhere is the set of the states that f holds for.
func dynSetWhere(f func(*dynamicRow) bool) (m dynSet) {
	for i := range dynamicStates {
		if f(&dynamicStates[i]) {
			m.add(dynState(i))
		}
	}
	return m
}

// Sets that follow from the table.
var (
	dynElsewhere  = dynSetWhere(func(r *dynamicRow) bool { return r.value.read == nil })
	dynDefaults   = dynSetWhere(func(r *dynamicRow) bool { return r.unset.rule == "" })
	dynVital      = dynSetWhere(func(r *dynamicRow) bool { return r.unset.role&vital != 0 })
	dynDiscarding = dynSetWhere(func(r *dynamicRow) bool { return r.unset.role&discarding != 0 })
)

func (m *dynSet) add(s dynState) { m[s/64] |= 1 << (s % 64) }

func (m *dynSet) remove(list ...dynState) {
	for _, s := range list {
		m[s/64] &^= 1 << (s % 64)
	}
}

func (m *dynSet) has(s dynState) bool { return m[s/64]>>(s%64)&1 != 0 }

// hasAny says that one of the states is in m.
func (m *dynSet) hasAny(list ...dynState) bool {
	for _, s := range list {
		if m.has(s) {
			return true
		}
	}
	return false
}

// and is the states that are in both sets.
func (m dynSet) and(n dynSet) dynSet { return dynSet{m[0] & n[0], m[1] & n[1]} }

// without is the states of m that are not in n.
func (m dynSet) without(n dynSet) dynSet { return dynSet{m[0] &^ n[0], m[1] &^ n[1]} }

// first is the state of lowest number; m is not empty.
func (m dynSet) first() dynState {
	if m[0] != 0 {
		return dynState(bits.TrailingZeros64(m[0]))
	}
	return dynState(64 + bits.TrailingZeros64(m[1]))
}

// merge copies the states in m from src to dst.
//
// RAS-020
func (m dynSet) merge(dst, src *state) {
	for m = m.without(dynElsewhere); m != (dynSet{}); {
		s := m.first()
		s.merge(dst, src)
		m.remove(s)
	}
}

// apply sets the state from the words of its command.
func (m dynState) apply(s *state, w []uint32) { dynamicStates[m].value.read(s, w) }

// merge copies the state from src to dst.
func (m dynState) merge(dst, src *state) { dynamicStates[m].value.take(dst, src) }

// dynByState finds states by Vulkan's names of them.
var dynByState = func() map[vk.DynamicState]dynState {
	m := map[vk.DynamicState]dynState{
		vk.DynamicStateViewportWithCount: dynViewport,
		vk.DynamicStateScissorWithCount:  dynScissor,
	}
	for i := range dynamicStates {
		m[dynamicStates[i].state] = dynState(i)
	}
	return m
}()

// dynOf returns a dynamic state; false for those that are not supported.
func dynOf(s vk.DynamicState) (dynState, bool) {
	m, ok := dynByState[s]
	return m, ok
}

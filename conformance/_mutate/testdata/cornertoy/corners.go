// Package cornertoy is what the tests of _mutate change in corners.
package cornertoy

import (
	"math"

	"github.com/pumice-gpu/pumice/conformance/_mutate/testdata/cornertoy/ir"
	"github.com/pumice-gpu/pumice/conformance/_mutate/testdata/cornertoy/vk"
)

type color uint8

const (
	red color = iota
	green
	blue
	grey
)

type entry struct {
	name   color
	bits   int
	weight float32
}

var table = [...]entry{
	{red, 5, 0.25},
	{name: green, bits: 6, weight: 0.5},
	{name: blue, bits: 5},
}

var widths = map[color]int{red: 8, green: 16}

var primes = []int{2, 3, 5}

// Bits is what a table says.
func Bits(c color) int {
	for _, e := range table {
		if e.name == c {
			return e.bits
		}
	}
	return widths[c]
}

// Width is what a map says, and Prime what a list says.
func Width(c color) int { return widths[c] }
func Prime(i int) int   { return primes[i] }

// Name has a case for each colour but one.
//
// IMG-001
func Name(c color) string {
	switch c {
	case red:
		return "r"
	case green, blue:
		return "gb"
	}
	return "?"
}

type image struct {
	filter  vk.Filter
	samples int
	next    *image
	list    []int
}

// Wide has a condition that says nothing about filters.
func (m *image) Wide() bool {
	if m.filter == vk.FilterCubic {
		return false
	}
	if m.samples > 4 {
		return true
	}
	return m.next != nil && m.next.samples == 2
}

// Deep has a condition that tells no cases apart, beside a number that users choose.
func (m *image) Deep() (bool, vk.Filter) { return m.next != nil, m.filter }

// At looks at an element that may be none.
func (m *image) At(i int) bool {
	return i < len(m.list) && m.list[i] == 3
}

// Sum goes over lists in each way. IMG-002
func Sum(list []int, n int) (s int) {
	for _, v := range list {
		s += v
	}
	for i := range list {
		s += 100 * i
	}
	for i := 0; i < n; i++ {
		s += 10000 * (i + 1)
	}
	for i := range n {
		s += 1000000 * (i + 1)
	}
	for range n {
		s += 100000000
	}
	for i, v := range [2]int{1, 2} {
		s -= i + v
	}
	return s
}

// Fill leaves nothing out.
func Fill(out *[4]int) {
	for i := range out {
		out[i] = i + 1
	}
}

// Clamp keeps a number in a range.
func Clamp(x float32) float32 { return max(min(x, 1), 0) }

// Above compares with a constant, Less two numbers; Odd looks at all bits.
func Above(x float32) bool   { return x > 0.5 }
func Less(x, y float32) bool { return x < y }
func Some(bits uint32) bool  { return bits != 0 }

// Round rounds in three ways.
func Round(x float64, n int) (float64, float64, int32, int) {
	return math.RoundToEven(x), math.Floor(x), int32(x + 0.5), (n + 4) >> 3
}

// Minus changes a sign. IMG-003
func Minus(x float32) float32 { return -x }

// Smaller is the smaller one. IMG-003
func Smaller(x, y float32) float32 { return min(x, y) }

// Real is a number that comes as bits.
func Real(bits uint32) float32 { return math.Float32frombits(bits) }

type builder struct{ b *ir.Builder }

type emitter struct{ *builder }

func (e *builder) is(op ir.Op, args ...ir.Value) ir.Value { return e.b.Op(op, ir.Bool, args...) }

// Program compares, takes the smaller one as numbers and as unsigned ones, rounds down, and looks for 0.
func Program(x, y float64) []float64 {
	e := &emitter{&builder{&ir.Builder{Values: []float64{x, y}}}}
	a, b := ir.Value(0), ir.Value(1)
	e.is(ir.OpFLt, a, b)
	e.b.Op(ir.OpFMin, ir.F32, a, b)
	e.b.Op(ir.OpUMin, ir.F32, a, b)
	e.b.Op(ir.OpFFloor, ir.F32, a)
	e.is(ir.OpIEq, b, e.b.I32(0))
	return e.b.Values[2:]
}

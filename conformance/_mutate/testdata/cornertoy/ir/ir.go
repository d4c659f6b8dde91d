// Package ir is a form of programs as small as the tests of _mutate take it.
package ir

import (
	"math"
)

type Op uint8

const (
	OpConst Op = iota
	OpOr
	OpFLt
	OpFLe
	OpFUnord
	OpFMin
	OpFEq
	OpFOrd
	OpFAdd
	OpSelect
	OpUMin
	OpSMin
	OpFFloor
	OpFTrunc
	OpFCeil
	OpFSub
	OpIEq
	OpAnd
)

type Type uint8

const (
	Bool Type = iota
	F32
	I32
)

type Value int

// A Builder computes at once: a value is a number in Values.
type Builder struct{ Values []float64 }

func (b *Builder) F32(v float32) Value {
	b.Values = append(b.Values, float64(v))
	return Value(len(b.Values) - 1)
}

func (b *Builder) I32(v uint32) Value {
	b.Values = append(b.Values, float64(v))
	return Value(len(b.Values) - 1)
}

func truth(v bool) float64 {
	if v {
		return 1
	}
	return 0
}

func (b *Builder) Op(op Op, t Type, args ...Value) Value {
	var v [3]float64
	for i, a := range args {
		v[i] = b.Values[a]
	}
	r := 0.0
	switch op {
	case OpOr:
		r = max(v[0], v[1])
	case OpFLt:
		r = truth(v[0] < v[1])
	case OpFLe:
		r = truth(v[0] <= v[1])
	case OpAnd:
		r = float64(int(v[0]) & int(v[1]))
	case OpFEq, OpIEq:
		r = truth(v[0] == v[1])
	case OpFUnord:
		r = truth(v[0] != v[0] || v[1] != v[1])
	case OpFMin:
		if r = min(v[0], v[1]); r != r {
			if r = v[0]; r != r {
				r = v[1]
			}
		}
	case OpFAdd:
		r = v[0] + v[1]
	case OpFSub:
		r = v[0] - v[1]
	case OpFFloor:
		r = math.Floor(v[0])
	case OpFCeil:
		r = math.Ceil(v[0])
	case OpFTrunc:
		r = math.Trunc(v[0])
	case OpSelect:
		if r = v[2]; v[0] != 0 {
			r = v[1]
		}
	case OpUMin:
		r = float64(min(uint32(int32(v[0])), uint32(int32(v[1]))))
	case OpSMin:
		r = min(v[0], v[1])
	}
	b.Values = append(b.Values, r)
	return Value(len(b.Values) - 1)
}

package ir

import "github.com/pumice-gpu/pumice/internal/ir/lane"

// Result is the word that an atomic leaves behind where old was; comparator belongs to
// AtomicCompareExchange.
func (op AtomicOp) Result(old, value, comparator uint32) uint32 {
	switch op.Base() {
	case AtomicFAdd:
		return op.rounded(lane.FAdd(old, value))
	case AtomicFMin:
		return op.rounded(lane.FMin(old, value))
	case AtomicFMax:
		return op.rounded(lane.FMax(old, value))
	}
	return integerResult(op, old, value, comparator, 1<<31)
}

// Result64 is Result for words of 64 bits, which have no AtomicHalf.
func (op AtomicOp) Result64(old, value, comparator uint64) uint64 {
	switch op.Base() {
	case AtomicFAdd:
		return op.rounded64(lane.FAdd64(old, value))
	case AtomicFMin:
		return op.rounded64(lane.FMin64(old, value))
	case AtomicFMax:
		return op.rounded64(lane.FMax64(old, value))
	}
	return integerResult(op, old, value, comparator, 1<<63)
}

// integerResult is Result of all but float operations; sign is the sign bit.
func integerResult[T uint32 | uint64](op AtomicOp, old, value, comparator, sign T) T {
	switch op {
	case AtomicAdd:
		return old + value
	case AtomicAnd:
		return old & value
	case AtomicOr:
		return old | value
	case AtomicXor:
		return old ^ value
	case AtomicSMin:
		return min(old^sign, value^sign) ^ sign
	case AtomicSMax:
		return max(old^sign, value^sign) ^ sign
	case AtomicUMin:
		return min(old, value)
	case AtomicUMax:
		return max(old, value)
	case AtomicExchange, AtomicStore:
		return value
	case AtomicCompareExchange:
		if old == comparator {
			return value
		}
	}
	return old
}

// Joins says that an operation on what another one left is one operation: on the Result of both their values.
func (op AtomicOp) Joins() bool {
	switch op {
	case AtomicAdd, AtomicAnd, AtomicOr, AtomicXor, AtomicSMin, AtomicSMax, AtomicUMin, AtomicUMax, AtomicExchange, AtomicStore:
		return true
	}
	return false
}

// rounded is what a float operation leaves of a result.
func (op AtomicOp) rounded(v uint32) uint32 {
	v = lane.Canon(v)
	if op&AtomicHalf != 0 {
		v = lane.Quantize16(v)
	}
	switch {
	case op&AtomicFlush == 0:
	case op&AtomicHalf != 0:
		v = uint32(lane.Flush16(uint64(v)))
	default:
		v = uint32(lane.Flush(uint64(v)))
	}
	return v
}

func (op AtomicOp) rounded64(v uint64) uint64 {
	if op&AtomicFlush != 0 {
		v = lane.Flush64(v)
	}
	return v
}

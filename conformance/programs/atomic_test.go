package programs

import (
	"fmt"
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// own points to a word of a kind that no other invocation has: in a buffer, or in the memory of the workgroup.
func own(m *module, k kind, class spirv.StorageClass) id {
	key := "scratch"
	if class == spirv.StorageClassWorkgroup {
		key = fmt.Sprint("shared ", k)
		if m.known["shared"] = 1; m.known[key] == 0 {
			m.known[key] = m.variable(class, m.global(spirv.OpTypeArray, 0, m.typ(k), m.word(64)))
		}
		at := m.of(spirv.OpBitwiseAnd, i32, m.known["case"], m.word(63))
		return m.value(spirv.OpAccessChain, m.pointer(class, m.typ(k)), m.known[key], at)
	}
	if m.known[key] == 0 {
		list := m.id()
		add(&m.decorations, spirv.OpDecorate, list, uint32(spirv.DecorationArrayStride), uint32(k.bits()/8))
		add(&m.globals, spirv.OpTypeRuntimeArray, list, m.typ(k))
		m.known[key] = m.bind(2, list)
	}
	return m.value(spirv.OpAccessChain, m.pointer(class, m.typ(k)), m.known[key], m.word(0), m.known["case"])
}

// atomics are what an atomic operation finds, and what it leaves.
func atomics(k kind, class spirv.StorageClass) (list []operation) {
	args := of(k, k)
	memory := map[spirv.StorageClass]string{spirv.StorageClassStorageBuffer: "a buffer", spirv.StorageClassWorkgroup: "a workgroup"}[class]
	each := func(op spirv.Op, capability spirv.Capability, emit func(m *module, p, x id) id, want func(old, x uint64) uint64) {
		for part, name := range []string{"leaves", "finds"} {
			o := operation{name: fmt.Sprint(k, " atomic ", op, " ", name, " in ", memory), args: args, result: k, once: true,
				emit: func(m *module, a []id) id {
					if m.need(capability); k == f16 {
						m.need(spirv.CapabilityStorageBuffer16BitAccess)
						m.uses("SPV_KHR_16bit_storage")
					}
					for _, e := range []string{"SPV_EXT_shader_atomic_float_add", "SPV_EXT_shader_atomic_float_min_max", "SPV_EXT_shader_atomic_float16_add"} {
						m.uses(e)
					}
					p := own(m, k, class)
					m.do(spirv.OpStore, p, a[0])
					old := emit(m, p, a[1])
					if part == 1 {
						return old
					}
					return m.of(spirv.OpLoad, k, p)
				},
				want: func(a []uint64) (uint64, bool) {
					if part == 1 {
						return a[0], true
					}
					return want(a[0], a[1]) & k.mask(), true
				}}
			if k.float() {
				o.same = anyNaN(k)
			}
			list = append(list, o)
		}
	}
	plainly := func(op spirv.Op, capability spirv.Capability, want func(old, x uint64) uint64) {
		each(op, capability, func(m *module, p, x id) id { return m.of(op, k, p, m.word(1), m.word(0), x) }, want)
	}
	whole := spirv.CapabilityShader
	if k == i64 {
		whole = spirv.CapabilityInt64Atomics
	}
	if k != f16 {
		plainly(spirv.OpAtomicExchange, whole, func(old, x uint64) uint64 { return x })
	}
	if k.float() {
		sum := map[kind]spirv.Capability{f16: spirv.CapabilityAtomicFloat16AddEXT, f32: spirv.CapabilityAtomicFloat32AddEXT, f64: spirv.CapabilityAtomicFloat64AddEXT}[k]
		extreme := map[kind]spirv.Capability{f16: spirv.CapabilityAtomicFloat16MinMaxEXT, f32: spirv.CapabilityAtomicFloat32MinMaxEXT, f64: spirv.CapabilityAtomicFloat64MinMaxEXT}[k]
		plainly(spirv.OpAtomicFAddEXT, sum, func(old, x uint64) uint64 {
			a, b := k.number(old), k.number(x)
			if !finite(a, b) || a+b == 0 {
				return k.code(a + b)
			}
			return k.nearest(real(0).Add(real(a), real(b)), 0)
		})
		plainly(spirv.OpAtomicFMinEXT, extreme, func(old, x uint64) uint64 { return k.code(minimum(k.number(old), k.number(x))) })
		plainly(spirv.OpAtomicFMaxEXT, extreme, func(old, x uint64) uint64 { return k.code(-minimum(-k.number(old), -k.number(x))) })
		return list
	}
	plainly(spirv.OpAtomicIAdd, whole, func(old, x uint64) uint64 { return old + x })
	plainly(spirv.OpAtomicISub, whole, func(old, x uint64) uint64 { return old - x })
	plainly(spirv.OpAtomicAnd, whole, func(old, x uint64) uint64 { return old & x })
	plainly(spirv.OpAtomicOr, whole, func(old, x uint64) uint64 { return old | x })
	plainly(spirv.OpAtomicXor, whole, func(old, x uint64) uint64 { return old ^ x })
	plainly(spirv.OpAtomicUMin, whole, func(old, x uint64) uint64 { return min(old, x) })
	plainly(spirv.OpAtomicUMax, whole, func(old, x uint64) uint64 { return max(old, x) })
	plainly(spirv.OpAtomicSMin, whole, func(old, x uint64) uint64 { return uint64(min(signed(k, old), signed(k, x))) })
	plainly(spirv.OpAtomicSMax, whole, func(old, x uint64) uint64 { return uint64(max(signed(k, old), signed(k, x))) })
	each(spirv.OpAtomicIIncrement, whole, func(m *module, p, _ id) id { return m.of(spirv.OpAtomicIIncrement, k, p, m.word(1), m.word(0)) }, func(old, _ uint64) uint64 { return old + 1 })
	each(spirv.OpAtomicIDecrement, whole, func(m *module, p, _ id) id { return m.of(spirv.OpAtomicIDecrement, k, p, m.word(1), m.word(0)) }, func(old, _ uint64) uint64 { return old - 1 })
	each(spirv.OpAtomicCompareExchange, whole, func(m *module, p, x id) id {
		return m.of(spirv.OpAtomicCompareExchange, k, p, m.word(1), m.word(0), m.word(0), x, m.constant(k, 7))
	}, func(old, x uint64) uint64 {
		if old == 7 {
			return x
		}
		return old
	})
	each(spirv.OpAtomicLoad, whole, func(m *module, p, _ id) id { return m.of(spirv.OpAtomicLoad, k, p, m.word(1), m.word(0)) }, func(old, _ uint64) uint64 { return old })
	each(spirv.OpAtomicStore, whole, func(m *module, p, x id) id {
		old := m.of(spirv.OpLoad, k, p)
		m.do(spirv.OpAtomicStore, p, m.word(1), m.word(0), x)
		return old
	}, func(_, x uint64) uint64 { return x })
	return list
}

// Atomics of every width and operation on memory of both kinds, each invocation on a word of its own.
func TestAtomics(t *testing.T) {
	rules.Covers(t, "RAS-001", "IMG-592")
	for _, class := range []spirv.StorageClass{spirv.StorageClassStorageBuffer, spirv.StorageClassWorkgroup} {
		for _, k := range []kind{i32, i64, f16, f32, f64} {
			check(t, atomics(k, class))
		}
	}
}

// Of invocations that take the same word each finds what those before it left: a word for three lanes in turn, some of
// which take no part, and words beyond the buffer, which there are not.
func TestAtomics_SameWords(t *testing.T) {
	rules.Covers(t, "RAS-001")
	const lanes, words = 96, 20
	value := func(lane, n int) uint32 { return uint32(lane)*2654435761 + uint32(n)*40503 + 1 }
	ops := []struct {
		op spirv.Op
		f  func(x, y uint32) uint32
	}{
		{spirv.OpAtomicIAdd, func(x, y uint32) uint32 { return x + y }},
		{spirv.OpAtomicISub, func(x, y uint32) uint32 { return x - y }},
		{spirv.OpAtomicAnd, func(x, y uint32) uint32 { return x & y }},
		{spirv.OpAtomicOr, func(x, y uint32) uint32 { return x | y }},
		{spirv.OpAtomicXor, func(x, y uint32) uint32 { return x ^ y }},
		{spirv.OpAtomicUMin, func(x, y uint32) uint32 { return min(x, y) }},
		{spirv.OpAtomicUMax, func(x, y uint32) uint32 { return max(x, y) }},
		{spirv.OpAtomicSMin, func(x, y uint32) uint32 { return uint32(min(int32(x), int32(y))) }},
		{spirv.OpAtomicSMax, func(x, y uint32) uint32 { return uint32(max(int32(x), int32(y))) }},
		{spirv.OpAtomicExchange, func(_, y uint32) uint32 { return y }},
		{spirv.OpAtomicFAddEXT, func(x, y uint32) uint32 {
			return uint32(f32.code(float64(math.Float32frombits(x) + math.Float32frombits(y))))
		}},
	}
	for per := range 4 { // lanes of a word one after the other, and 0: all
		m := newModule(lanes, lanes)
		m.need(spirv.CapabilityAtomicFloat32AddEXT)
		m.uses("SPV_EXT_shader_atomic_float_add")
		scratch := m.buffer(2)
		floats := m.id()
		add(&m.decorations, spirv.OpDecorate, floats, uint32(spirv.DecorationArrayStride), 4)
		add(&m.globals, spirv.OpTypeRuntimeArray, floats, m.typ(f32))
		sums := m.bind(3, floats)
		at := m.invocation()
		// Word k of operation n of lane i is at (i/per) % words + n·words.
		m.when(m.of(spirv.OpINotEqual, boolean, m.of(spirv.OpUMod, i32, at, m.word(7)), m.word(3)), func() {
			for n, o := range ops {
				k, buffer := i32, scratch
				if o.op == spirv.OpAtomicFAddEXT {
					k, buffer = f32, sums
				}
				word := m.word(0)
				if per > 0 {
					word = m.of(spirv.OpUDiv, i32, at, m.word(per))
				}
				p := m.value(spirv.OpAccessChain, m.pointer(spirv.StorageClassStorageBuffer, m.typ(k)), buffer, m.word(0), m.of(spirv.OpIAdd, i32, m.of(spirv.OpIMul, i32, word, m.word(len(ops))), m.word(n)))
				m.store(k, n, at, m.of(o.op, k, p, m.word(1), m.word(0), m.operand(k, n, at)))
			}
		}, nil)
		in := make([]uint32, 2*len(ops)*lanes)
		for n := range ops {
			for lane := range lanes {
				v := value(lane, n)
				if ops[n].op == spirv.OpAtomicFAddEXT {
					v = math.Float32bits(float32(lane)*.37 - 11)
				}
				in[2*(n*lanes+lane)] = v
			}
		}
		start := make([]uint32, words*len(ops))
		for i := range start {
			start[i] = value(i, 99)
		}
		started := append([]uint32(nil), start...)
		for i := range words {
			started[i*len(ops)+len(ops)-1] = math.Float32bits(float32(i))
		}
		for _, dev := range engines(t) {
			p := load(t, dev, m, inBytes(in), make([]byte, 8*lanes*len(ops)), inBytes(start), inBytes(started))
			p.run(1)
			out, kept := p.words(1, 2*lanes*len(ops)), [][]uint32{p.words(2, len(start)), p.words(3, len(start))}
			p.close()
			for n, o := range ops {
				from, after := start, kept[0]
				if o.op == spirv.OpAtomicFAddEXT {
					from, after = started, kept[1]
				}
				left := append([]uint32(nil), from...)
				for lane := range lanes {
					if lane%7 == 3 {
						continue
					}
					at, old := n, uint32(0)
					if per > 0 {
						at += lane / per * len(ops)
					}
					if at < len(left) {
						old = left[at]
						left[at] = o.f(old, in[2*(n*lanes+lane)])
					}
					if got := out[2*(n*lanes+lane)]; got != old {
						t.Errorf("%s: %v, %d lanes a word, lane %d finds %#x, want %#x", dev.Engine(), o.op, per, lane, got, old)
						break
					}
				}
				for i := n; i < len(left); i += len(ops) {
					if after[i] != left[i] {
						t.Errorf("%s: %v, %d lanes a word, leaves %#x in word %d, want %#x", dev.Engine(), o.op, per, after[i], i, left[i])
						break
					}
				}
			}
		}
	}
}

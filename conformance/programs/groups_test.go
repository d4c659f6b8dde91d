package programs

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec/vm"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// A subgroup as one of its lanes sees it: what each lane has, of which those that are there and active take part.
type subgroup struct {
	kind
	size, lane int // of all lanes of the subgroup, and this one's place there
	values     []uint64
	active     []bool
}

// live are the active lanes of a range.
func (s *subgroup) live(from, to int) (list []int) {
	for i := from; i < min(to, len(s.values)); i++ {
		if s.active[i] {
			list = append(list, i)
		}
	}
	return list
}

// A vote is a result of a subgroup.
type vote struct {
	name   string
	result kind
	emit   func(m *module, x id) id
	want   func(s *subgroup) uint64
}

// A fold is an operation of reductions and scans.
type fold struct {
	op    spirv.Op
	first uint64 // of an exclusive scan
	f     func(x, y uint64) uint64
}

func folds(k kind) []fold {
	if k == boolean {
		return []fold{
			{spirv.OpGroupNonUniformLogicalAnd, 1, func(x, y uint64) uint64 { return x & y }},
			{spirv.OpGroupNonUniformLogicalOr, 0, func(x, y uint64) uint64 { return x | y }},
			{spirv.OpGroupNonUniformLogicalXor, 0, func(x, y uint64) uint64 { return x ^ y }},
		}
	}
	if k.float() {
		// One rounding a step: sums and products of two numbers of 24 bits have one of 53 first, which changes nothing.
		step := func(f func(x, y float64) float64) func(x, y uint64) uint64 {
			return func(x, y uint64) uint64 {
				v := f(k.number(x), k.number(y))
				if k == f32 {
					v = float64(float32(v))
				}
				return k.code(v)
			}
		}
		return []fold{
			{spirv.OpGroupNonUniformFAdd, 0, step(func(x, y float64) float64 { return x + y })},
			{spirv.OpGroupNonUniformFMul, k.code(1), step(func(x, y float64) float64 { return x * y })},
			{spirv.OpGroupNonUniformFMin, k.code(math.Inf(1)), step(minimum)},
			{spirv.OpGroupNonUniformFMax, k.code(math.Inf(-1)), step(func(x, y float64) float64 { return -minimum(-x, -y) })},
		}
	}
	least := uint64(1) << (k.bits() - 1)
	return []fold{
		{spirv.OpGroupNonUniformIAdd, 0, func(x, y uint64) uint64 { return (x + y) & k.mask() }},
		{spirv.OpGroupNonUniformIMul, 1, func(x, y uint64) uint64 { return (x * y) & k.mask() }},
		{spirv.OpGroupNonUniformSMin, least - 1, func(x, y uint64) uint64 { return uint64(min(signed(k, x), signed(k, y))) & k.mask() }},
		{spirv.OpGroupNonUniformUMin, k.mask(), func(x, y uint64) uint64 { return min(x, y) }},
		{spirv.OpGroupNonUniformSMax, least, func(x, y uint64) uint64 { return uint64(max(signed(k, x), signed(k, y))) & k.mask() }},
		{spirv.OpGroupNonUniformUMax, 0, func(x, y uint64) uint64 { return max(x, y) }},
		{spirv.OpGroupNonUniformBitwiseAnd, k.mask(), func(x, y uint64) uint64 { return x & y }},
		{spirv.OpGroupNonUniformBitwiseOr, 0, func(x, y uint64) uint64 { return x | y }},
		{spirv.OpGroupNonUniformBitwiseXor, 0, func(x, y uint64) uint64 { return x ^ y }},
	}
}

// Ways to group lanes.
const (
	reduce = iota
	inclusive
	exclusive
	clustered
	partitionedReduce    = 6
	partitionedInclusive = 7
	partitionedExclusive = 8
)

// arithmetics are reductions and scans of the subgroup, of clusters of each size, and of parts of lanes with the same key.
func arithmetics(k kind, size int) (list []vote) {
	scope := func(m *module) id { return m.word(3) }
	over := func(f fold, lanes []int, s *subgroup) uint64 {
		r := f.first
		for i, l := range lanes {
			if r = s.values[l]; i > 0 {
				break
			}
		}
		for i, l := range lanes {
			if i == 0 {
				r = s.values[l]
			} else {
				r = f.f(r, s.values[l])
			}
		}
		return r
	}
	before := func(lanes []int, end int) (list []int) {
		for _, l := range lanes {
			if l < end {
				list = append(list, l)
			}
		}
		return list
	}
	for _, f := range folds(k) {
		name := fmt.Sprint(k, " ", f.op)
		one := func(how uint32) func(m *module, x id) id {
			return func(m *module, x id) id { return m.of(f.op, k, scope(m), how, x) }
		}
		list = append(list,
			vote{name + " reduced", k, one(reduce), func(s *subgroup) uint64 { return over(f, s.live(0, size), s) }},
			vote{name + " inclusive", k, one(inclusive), func(s *subgroup) uint64 { return over(f, s.live(0, s.lane+1), s) }},
			vote{name + " exclusive", k, one(exclusive), func(s *subgroup) uint64 { return over(f, s.live(0, s.lane), s) }})
		for n := 1; n <= size; n *= 2 {
			list = append(list, vote{fmt.Sprint(name, " of clusters of ", n), k, func(m *module, x id) id { return m.of(f.op, k, scope(m), clustered, x, m.word(n)) },
				func(s *subgroup) uint64 { return over(f, s.live(s.lane/n*n, s.lane/n*n+n), s) }})
		}
		// Parts: lanes whose numbers have the same remainder of 3.
		part := func(s *subgroup) (list []int) {
			for _, l := range s.live(0, size) {
				if l%3 == s.lane%3 {
					list = append(list, l)
				}
			}
			return list
		}
		parts := func(how uint32) func(m *module, x id) id {
			return func(m *module, x id) id {
				ballot := m.value(spirv.OpGroupNonUniformPartitionEXT, m.vector(i32, 4), m.of(spirv.OpUMod, i32, m.of(spirv.OpLoad, i32, m.known["lane"]), m.word(3)))
				return m.of(f.op, k, scope(m), how, x, ballot)
			}
		}
		list = append(list,
			vote{name + " of parts", k, parts(partitionedReduce), func(s *subgroup) uint64 { return over(f, part(s), s) }},
			vote{name + " of parts, inclusive", k, parts(partitionedInclusive), func(s *subgroup) uint64 { return over(f, before(part(s), s.lane+1), s) }},
			vote{name + " of parts, exclusive", k, parts(partitionedExclusive), func(s *subgroup) uint64 { return over(f, before(part(s), s.lane), s) }})
	}
	return list
}

// votes are ballots, questions and moves.
func votes(k kind, size int) (list []vote) {
	scope := func(m *module) id { return m.word(3) }
	add := func(name string, result kind, emit func(m *module, x id) id, want func(s *subgroup) uint64) {
		list = append(list, vote{fmt.Sprint(k, " ", name), result, emit, want})
	}
	lane := func(m *module) id { return m.of(spirv.OpLoad, i32, m.known["lane"]) }
	odd := func(m *module, x id) id { // a condition that differs
		return m.of(spirv.OpINotEqual, boolean, m.of(spirv.OpBitwiseAnd, i32, m.words(k, x)[0], m.word(1)), m.word(0))
	}
	isOdd := func(s *subgroup, l int) bool { return s.values[l]&1 != 0 }
	add("elected", boolean, func(m *module, x id) id { return m.of(spirv.OpGroupNonUniformElect, boolean, scope(m)) },
		func(s *subgroup) uint64 { return truth(s.live(0, size)[0] == s.lane) })
	count := func(s *subgroup) (n, all int) {
		for _, l := range s.live(0, size) {
			if all++; isOdd(s, l) {
				n++
			}
		}
		return n, all
	}
	add("all odd", boolean, func(m *module, x id) id { return m.of(spirv.OpGroupNonUniformAll, boolean, scope(m), odd(m, x)) },
		func(s *subgroup) uint64 { n, all := count(s); return truth(n == all) })
	add("any odd", boolean, func(m *module, x id) id { return m.of(spirv.OpGroupNonUniformAny, boolean, scope(m), odd(m, x)) },
		func(s *subgroup) uint64 { n, _ := count(s); return truth(n > 0) })
	equal := func(s *subgroup) uint64 {
		lanes := s.live(0, size)
		for _, l := range lanes {
			x, y := s.values[l], s.values[lanes[0]]
			if same := x == y; k.float() && k.number(x) != k.number(y) || !k.float() && !same {
				return 0
			}
		}
		return 1
	}
	add("equal", boolean, func(m *module, x id) id { return m.of(spirv.OpGroupNonUniformAllEqual, boolean, scope(m), x) }, equal)
	add("first", k, func(m *module, x id) id { return m.of(spirv.OpGroupNonUniformBroadcastFirst, k, scope(m), x) },
		func(s *subgroup) uint64 { return s.values[s.live(0, size)[0]] })
	// What a lane reads that is not active is open; here it is 0.
	at := func(s *subgroup, l int) uint64 {
		if l < 0 || l >= size || l >= len(s.values) || !s.active[l] {
			return 0
		}
		return s.values[l]
	}
	for _, n := range []int{0, 1, size - 1} {
		add(fmt.Sprint("of lane ", n), k, func(m *module, x id) id { return m.of(spirv.OpGroupNonUniformBroadcast, k, scope(m), x, m.word(n)) },
			func(s *subgroup) uint64 { return at(s, n) })
		add(fmt.Sprint("of the lane beside, by ", n), k, func(m *module, x id) id { return m.of(spirv.OpGroupNonUniformShuffleXor, k, scope(m), x, m.word(n)) },
			func(s *subgroup) uint64 { return at(s, s.lane^n) })
		add(fmt.Sprint("of lanes before, by ", n), k, func(m *module, x id) id { return m.of(spirv.OpGroupNonUniformShuffleUp, k, scope(m), x, m.word(n)) },
			func(s *subgroup) uint64 { return at(s, s.lane-n) })
		add(fmt.Sprint("of lanes behind, by ", n), k, func(m *module, x id) id { return m.of(spirv.OpGroupNonUniformShuffleDown, k, scope(m), x, m.word(n)) },
			func(s *subgroup) uint64 { return at(s, s.lane+n) })
		add(fmt.Sprint("turned by ", n), k, func(m *module, x id) id { return m.of(spirv.OpGroupNonUniformRotateKHR, k, scope(m), x, m.word(n)) },
			func(s *subgroup) uint64 { return at(s, (s.lane+n)%size) })
		add(fmt.Sprint("turned in pairs by ", n), k, func(m *module, x id) id {
			return m.of(spirv.OpGroupNonUniformRotateKHR, k, scope(m), x, m.word(n), m.word(2))
		},
			func(s *subgroup) uint64 { return at(s, s.lane&^1|(s.lane+n)&1) })
	}
	add("of any lane", k, func(m *module, x id) id {
		return m.of(spirv.OpGroupNonUniformShuffle, k, scope(m), x, m.of(spirv.OpIMul, i32, lane(m), m.word(3)))
	},
		func(s *subgroup) uint64 { return at(s, 3*s.lane) })
	for n := range 4 {
		add(fmt.Sprint("of the quad's lane ", n), k, func(m *module, x id) id { return m.of(spirv.OpGroupNonUniformQuadBroadcast, k, scope(m), x, m.word(n)) },
			func(s *subgroup) uint64 { return at(s, s.lane&^3|n) })
		if n < 3 {
			add(fmt.Sprint("swapped in the quad ", n), k, func(m *module, x id) id { return m.of(spirv.OpGroupNonUniformQuadSwap, k, scope(m), x, m.word(n)) },
				func(s *subgroup) uint64 { return at(s, s.lane^(n+1)) })
		}
	}
	ballot := func(m *module, x id) id {
		return m.value(spirv.OpGroupNonUniformBallot, m.vector(i32, 4), scope(m), odd(m, x))
	}
	words := func(s *subgroup, of func(l int) bool) (w [4]uint32) {
		for _, l := range s.live(0, size) {
			if of(l) {
				w[l/32] |= 1 << (l % 32)
			}
		}
		return w
	}
	odds := func(s *subgroup) [4]uint32 { return words(s, func(l int) bool { return isOdd(s, l) }) }
	for n := range 4 {
		add(fmt.Sprint("ballot, word ", n), i32, func(m *module, x id) id { return m.of(spirv.OpCompositeExtract, i32, ballot(m, x), uint32(n)) },
			func(s *subgroup) uint64 { return uint64(odds(s)[n]) })
		add(fmt.Sprint("part, word ", n), i32, func(m *module, x id) id {
			return m.of(spirv.OpCompositeExtract, i32, m.value(spirv.OpGroupNonUniformPartitionEXT, m.vector(i32, 4), x), uint32(n))
		}, func(s *subgroup) uint64 {
			return uint64(words(s, func(l int) bool { return s.values[l] == s.values[s.lane] })[n])
		})
	}
	add("inverse ballot", boolean, func(m *module, x id) id {
		return m.of(spirv.OpGroupNonUniformInverseBallot, boolean, scope(m), ballot(m, x))
	},
		func(s *subgroup) uint64 { return truth(isOdd(s, s.lane)) })
	add("bit of a ballot", boolean, func(m *module, x id) id {
		return m.of(spirv.OpGroupNonUniformBallotBitExtract, boolean, scope(m), ballot(m, x), m.of(spirv.OpBitwiseXor, i32, lane(m), m.word(1)))
	}, func(s *subgroup) uint64 { l := s.lane ^ 1; return uint64(odds(s)[l/32] >> (l % 32) & 1) })
	for how, end := range []func(s *subgroup) int{func(s *subgroup) int { return size }, func(s *subgroup) int { return s.lane + 1 }, func(s *subgroup) int { return s.lane }} {
		add(fmt.Sprint("bits of a ballot ", how), i32, func(m *module, x id) id {
			return m.of(spirv.OpGroupNonUniformBallotBitCount, i32, scope(m), uint32(how), ballot(m, x))
		}, func(s *subgroup) uint64 {
			n := 0
			for l := range end(s) {
				n += int(odds(s)[l/32] >> (l % 32) & 1)
			}
			return uint64(n)
		})
	}
	add("lowest bit", i32, func(m *module, x id) id {
		return m.of(spirv.OpGroupNonUniformBallotFindLSB, i32, scope(m), ballot(m, x))
	},
		func(s *subgroup) uint64 {
			for i, w := range odds(s) {
				if w != 0 {
					return uint64(32*i + bits.TrailingZeros32(w))
				}
			}
			return math.MaxUint32 // open
		})
	add("highest bit", i32, func(m *module, x id) id {
		return m.of(spirv.OpGroupNonUniformBallotFindMSB, i32, scope(m), ballot(m, x))
	},
		func(s *subgroup) uint64 {
			r := uint64(math.MaxUint32)
			for i, w := range odds(s) {
				if w != 0 {
					r = uint64(32*i + bits.Len32(w) - 1)
				}
			}
			return r
		})
	return list
}

// machines are all engines there are, as package internal/core makes them, which Go's API does not ask for subgroups of more
// than four.
func machines() []vm.Options {
	return []vm.Options{{Native: true}, {Native: true, Vectors: 256}, {Portable: true, Lanes: 64}}
}

// poll runs votes in a workgroup whose lanes have values, where some are not active.
func poll(t *testing.T, k kind, size, lanes int, list []vote, values []uint64, active []bool) {
	t.Helper()
	m := newModule(lanes, lanes)
	m.subgroup = uint32(size)
	m.need(spirv.CapabilityGroupNonUniform, spirv.CapabilityGroupNonUniformVote, spirv.CapabilityGroupNonUniformArithmetic, spirv.CapabilityGroupNonUniformBallot,
		spirv.CapabilityGroupNonUniformShuffle, spirv.CapabilityGroupNonUniformShuffleRelative, spirv.CapabilityGroupNonUniformClustered, spirv.CapabilityGroupNonUniformQuad,
		spirv.CapabilityGroupNonUniformPartitionedEXT, spirv.CapabilityGroupNonUniformRotateKHR)
	m.uses("SPV_NV_shader_subgroup_partitioned")
	m.uses("SPV_KHR_subgroup_rotate")
	m.known["lane"] = m.builtin(spirv.BuiltInSubgroupLocalInvocationId, 1)
	at := m.invocation()
	x := m.operand(k, 0, at)
	m.when(m.operand(boolean, 1, at), func() {
		for n, v := range list {
			m.store(v.result, n, at, v.emit(m, x))
		}
	}, nil)
	in := make([]uint32, 4*lanes)
	for i, v := range values {
		in[2*i], in[2*i+1] = uint32(v), uint32(v>>32)
		in[2*(lanes+i)] = uint32(truth(active[i]))
	}
	program := compiled(t, m)
	for _, o := range machines() {
		out := make([]byte, 8*lanes*len(list))
		runLanes(t, program, o, lanes, nil, inBytes(in), out)
		for n, v := range list {
			for i := range lanes {
				if !active[i] {
					continue
				}
				base := i / size * size
				end := min(base+size, lanes)
				got := binary.LittleEndian.Uint64(out[8*(n*lanes+i):])
				want := v.want(&subgroup{k, size, i - base, values[base:end], active[base:end]})
				if got != want && !(v.result.float() && anyNaN(v.result)(got, want)) {
					t.Errorf("%+v, subgroups of %d in a workgroup of %d, lane %d: %s is %#x, want %#x", o, size, lanes, i, v.name, got, want)
					break
				}
			}
		}
	}
}

// Reductions, scans, ballots, votes and moves of every kind of value, in subgroups of every size, of which some lanes are not
// active and the last may lack some.
func TestGroups(t *testing.T) {
	rules.Covers(t, "RAS-001")
	turn := 0
	for _, k := range []kind{boolean, i8, i16, i32, i64, f16, f32, f64} {
		for _, size := range []int{4, 8, 16, 32, 64, 128} {
			if testing.Short() && (size == 16 || k != i32 && size > 8 && size != 64) {
				continue
			}
			lanes := []int{128, 100, 36}[turn%3]
			turn++
			values, active := make([]uint64, lanes), make([]bool, lanes)
			for i := range values {
				all := edges(k)
				values[i] = all[i*7%len(all)]
				if k == f16 { // of which sums and products are exact
					values[i] = k.code([]float64{1, 2, .5, -1, 1, -2}[i%6])
				}
				if i/size%2 == 1 { // a subgroup of equal values, zeros of both signs among them
					values[i] = all[1]
					if k.float() {
						values[i] = k.code(math.Copysign(0, float64(i%2)-.5))
					}
				}
				active[i] = i%5 != 2 && (i/size%4 != 2 || i%size >= size/2)
			}
			poll(t, k, size, lanes, votes(k, size), values, active)
			poll(t, k, size, lanes, arithmetics(k, size), values, active)
		}
	}
	// One lane of each place differs from all others, in one way and in the other.
	for _, size := range []int{4, 8} {
		const lanes = 64
		values, active := make([]uint64, lanes), make([]bool, lanes)
		for i := range values {
			values[i], active[i] = 2, true
			if odd := i%size == i/size%size; odd != (i >= lanes/2) {
				values[i] = 3
			}
		}
		for _, k := range []kind{i32, i64} {
			poll(t, k, size, lanes, votes(k, size), values, active)
		}
		for i, v := range values {
			values[i] = f32.code(float64(v))
		}
		poll(t, f32, size, lanes, votes(f32, size), values, active)
	}
}

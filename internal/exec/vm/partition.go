package vm

import (
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/ir"
)

// partition gives each lane word w of the ballot of the live lanes of its
// subgroup whose operands have the same bits.
func (t *registers) partition(x *auxiliary, w int, live []uint32, size int) {
	d := t.v[x.results[0]]
	var heads [ir.MaxSubgroupSize]int      // the first lanes of the parts so far
	var ballots [ir.MaxSubgroupSize]uint32 // word w of theirs
	for from := 0; from < len(d); from += size {
		to, parts := min(from+size, len(d)), 0
		part := func(i int) int {
			k := 0
			for k < parts && !sameBits(t, x.args, heads[k], i) {
				k++
			}
			return k
		}
		for i := from; i < to; i++ {
			if live[i] == 0 {
				continue
			}
			k := part(i)
			if k == parts {
				heads[k], ballots[k] = i, 0
				parts++
			}
			d[i] = uint32(k)
			if bit := i - from - 32*w; bit >= 0 && bit < 32 {
				ballots[k] |= 1 << bit
			}
		}
		for i := from; i < to; i++ {
			k := int(d[i])
			if live[i] == 0 { // a helper
				if k = part(i); k == parts {
					d[i] = 0
					continue
				}
			}
			d[i] = ballots[k]
		}
	}
}

// sameBits says that lanes i and j have the same bits in all registers.
func sameBits(t *registers, registers []int32, i, j int) bool {
	for _, a := range registers {
		if v := t.v[a]; v[i] != v[j] {
			return false
		}
	}
	return true
}

// laneSet has a bit for each lane of a subgroup.
type laneSet [ir.BallotWords]uint32

func (s *laneSet) has(lane int) bool { return s[lane/32]>>(lane%32)&1 != 0 }

// below is the highest lane of the set below one, -1 for none.
func (s *laneSet) below(lane int) int {
	for w, mask := lane/32, uint32(1)<<(lane%32)-1; w >= 0; w, mask = w-1, ^uint32(0) {
		if x := s[w] & mask; x != 0 {
			return 32*w + 31 - bits.LeadingZeros32(x)
		}
	}
	return -1
}

// last is the highest lane of the set, -1 for none.
func (s *laneSet) last() int {
	for w := len(s) - 1; w >= 0; w-- {
		if s[w] != 0 {
			return 32*w + 31 - bits.LeadingZeros32(s[w])
		}
	}
	return -1
}

// scanParts runs reductions and scans over the lanes that a ballot, the last four operands, gives
// for each lane. Lanes of one part have the same ballot, or what they get is undefined
// (SPV_NV_shader_subgroup_partitioned): each goes on from what the one before it came to. Where
// ballots differ all the same, a lane begins anew.
func (t *registers) scanParts(g ir.Group, x *auxiliary, live []uint32, size int) {
	words := len(x.args) - ir.BallotWords
	value, ballot := x.args[:words], x.args[words:]
	n := len(t.v[x.results[0]])
	at := func(i int) uint64 {
		if g.Wide {
			return pair(t.v[value[0]][i], t.v[value[1]][i])
		}
		return uint64(t.v[value[0]][i])
	}
	f, identity := groupArithmetic(g)
	var parts [ir.MaxSubgroupSize]laneSet // the live lanes of each lane's ballot
	var folded [ir.MaxSubgroupSize]uint64 // of those of its part up to it
	for from := 0; from < n; from += size {
		count := min(size, n-from)
		var alive laneSet
		for k := range count {
			if live[from+k] != 0 {
				alive[k/32] |= 1 << (k % 32)
			}
		}
		// fold is what lanes of a set come to, up to the given one.
		fold := func(s *laneSet, k int) uint64 {
			acc, started := identity, false
			for j := range k + 1 {
				switch {
				case !s.has(j):
				case started:
					acc = f(acc, at(from+j))
				default:
					acc, started = at(from+j), true
				}
			}
			return acc
		}
		for k := range count {
			s := &parts[k]
			for w := range s {
				s[w] = t.v[ballot[w]][from+k] & alive[w]
			}
			before, r := s.below(k), identity
			switch {
			case before < 0:
			case parts[before] == *s:
				r = folded[before]
			default:
				r = fold(s, before)
			}
			folded[k] = r
			if s.has(k) {
				if folded[k] = at(from + k); before >= 0 {
					folded[k] = f(r, folded[k])
				}
			}
			if g.Kind == ir.GroupInclusive {
				r = folded[k]
			}
			t.setResults(x, g.Wide, from+k, r)
		}
		if g.Kind != ir.GroupReduce {
			continue
		}
		for k := range count {
			s := &parts[k]
			r, last := identity, s.last()
			switch {
			case last < 0:
			case parts[last] == *s:
				r = folded[last]
			default:
				r = fold(s, last)
			}
			t.setResults(x, g.Wide, from+k, r)
		}
	}
}

// setResults sets lane i of the one or two words that an instruction gives.
func (t *registers) setResults(x *auxiliary, wide bool, i int, r uint64) {
	t.v[x.results[0]][i] = uint32(r)
	if wide {
		t.v[x.results[1]][i] = uint32(r >> 32)
	}
}

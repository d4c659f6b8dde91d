package vm

import "github.com/pumice-gpu/pumice/internal/ir"

// partition gives each lane word w of the ballot of the live lanes of its
// subgroup whose operands have the same bits.
func (t *thread) partition(x *auxiliary, w int, live []uint32, size int) {
	d := t.v[x.results[0]]
	for i := range d {
		from := i&^(size-1) + 32*w
		ballot := uint32(0)
		for j := from; j < min(from+32, i&^(size-1)+size, len(d)); j++ {
			same := live[j] != 0
			for _, a := range x.args {
				same = same && t.v[a][i] == t.v[a][j]
			}
			if same {
				ballot |= 1 << (j - from)
			}
		}
		d[i] = ballot
	}
}

// scanParts runs reductions and scans over the lanes that a ballot, the last
// four operands, gives for each lane.
func (t *thread) scanParts(g ir.Group, x *auxiliary, live []uint32, size int) {
	words := len(x.args) - ir.MaxSubgroupSize/32
	value, ballot := x.args[:words], x.args[words:]
	n := len(t.v[x.results[0]])
	at := func(i int) uint64 {
		if g.Wide {
			return pair(t.v[value[0]][i], t.v[value[1]][i])
		}
		return uint64(t.v[value[0]][i])
	}
	f, identity := groupOps64[g.Arith], groupIdentities64[g.Arith]
	if !g.Wide {
		narrow := groupOps[g.Arith]
		f, identity = func(a, b uint64) uint64 { return uint64(narrow(uint32(a), uint32(b))) }, uint64(groupIdentities[g.Arith])
	}
	for i := range n {
		base := i &^ (size - 1)
		acc, started := identity, false
		for j := base; j < min(base+size, n); j++ {
			if g.Kind == ir.GroupInclusive && j > i || g.Kind == ir.GroupExclusive && j >= i {
				break
			}
			k := j - base
			if live[j] == 0 || t.v[ballot[k/32]][i]>>(k%32)&1 == 0 {
				continue
			}
			if started {
				acc = f(acc, at(j))
			} else {
				acc, started = at(j), true
			}
		}
		t.v[x.results[0]][i] = uint32(acc)
		if g.Wide {
			t.v[x.results[1]][i] = uint32(acc >> 32)
		}
	}
}

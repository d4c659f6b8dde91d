package vm

import (
	"slices"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/ir/lane"
)

// group executes OpGroup, one subgroup after the other. Pieces of a batch are whole subgroups, but
// for the last one of a workgroup.
func (t *registers) group(in *instr) {
	x := &t.r.aux[in.c]
	g := ir.GroupOf(uint64(in.imm))
	size := int(t.r.program.SubgroupSize)
	d := t.v[x.results[0]]
	if g.Kind == ir.GroupLane {
		for i := range d {
			d[i] = uint32(i) & uint32(size-1)
		}
		return
	}
	if g.Kind == ir.GroupLast {
		if g.Cluster > 0 {
			size = min(size, int(g.Cluster))
		}
		for from := 0; from < len(d); from += size {
			to := min(from+size, len(d))
			fill(d[from:to], t.v[x.args[0]][to-1])
		}
		return
	}
	switch {
	case g.Kind == ir.GroupShuffle && g.Running:
		for i, on := range t.maskWords(in.m) {
			d[i] = t.v[x.args[0]][i] & on
		}
		return
	case g.Kind == ir.GroupShuffle:
		shuffle(d, t.v[x.args[0]], t.v[x.args[1]], t.maskWords(in.m), size)
		return
	case g.Kind == ir.GroupTake:
		shuffle(d, t.v[x.args[0]], t.v[x.args[1]], t.ones[:len(d)], size)
		return
	}
	if g.Kind == ir.GroupProduct {
		t.maskWords(in.m) // which are right but where all are ones
		t.product(g, x, &t.m[in.m])
		return
	}
	live := t.maskWords(in.m)
	if !g.Helpers {
		live = t.storeMask(in.m)
	}
	if g.Kind == ir.GroupShow {
		for i, a := range x.args {
			copy(t.v[x.results[i]], t.v[a])
		}
		copy(t.v[x.results[len(x.args)]], live)
		return
	}
	if g.Running && (g.Kind == ir.GroupPartition || g.Partitioned) { // behind GroupShow
		n := len(x.args) - 1
		if g.Partitioned {
			n -= ir.BallotWords
		}
		live = t.v[x.args[n]]
		x = &auxiliary{args: slices.Delete(slices.Clone(x.args), n, n+1), results: x.results}
	}
	if g.Kind == ir.GroupPartition {
		t.partition(x, int(g.Word), live, size)
		return
	}
	if g.Partitioned {
		t.scanParts(g, x, live, size)
		return
	}
	var a, hi, dHi []uint32
	if len(x.args) > 0 {
		a = t.v[x.args[0]]
	}
	if g.Wide {
		hi = t.v[x.args[1]]
	}
	if g.Kind >= ir.GroupReduce && g.Kind <= ir.GroupExclusive {
		if g.Wide {
			dHi = t.v[x.results[1]]
		}
		scan(g, d, dHi, a, hi, live, size)
		return
	}
	for from := 0; from < len(d); from += size {
		to := min(from+size, len(d))
		first := from
		for first < to && live[first] == 0 {
			first++
		}
		r := uint32(0)
		switch g.Kind {
		case ir.GroupElect:
			clear(d[from:to])
			if first < to {
				d[first] = ^uint32(0)
			}
			continue
		case ir.GroupAll:
			r = ^uint32(0)
			for i := first; i < to; i++ {
				r &= a[i] | ^live[i]
			}
		case ir.GroupAny:
			for i := first; i < to; i++ {
				r |= a[i] & live[i]
			}
		case ir.GroupAllEqual:
			r = ^uint32(0)
			for i := first; i < to; i++ {
				same := lane.IEq(a[i], a[first])
				if g.Float {
					same = lane.FEq(a[i], a[first])
				}
				if hi != nil {
					same &= lane.IEq(hi[i], hi[first])
					if g.Float {
						same = uint32(lane.FEq64(pair(a[i], hi[i]), pair(a[first], hi[first])))
					}
				}
				r &= same | ^live[i]
			}
		case ir.GroupBallot:
			word := from + 32*int(g.Word)
			for i := word; i < min(word+32, to); i++ {
				r |= a[i] & live[i] & (1 << (i - word))
			}
		case ir.GroupFirst:
			if first < to {
				r = a[first]
			}
		}
		fill(d[from:to], r)
	}
}

func pair(lo, hi uint32) uint64 { return uint64(lo) | uint64(hi)<<32 }

// shuffle reads other lanes of the subgroup, helpers among them.
func shuffle(d, a, index, active []uint32, size int) {
	for i := range d {
		d[i] = 0
		from := i&^(size-1) + int(index[i])
		if index[i] < uint32(size) && from < len(a) && active[from] != 0 {
			d[i] = a[from]
		}
	}
}

var groupOps = [...]func(a, b uint32) uint32{
	ir.GroupIAdd: lane.IAdd, ir.GroupIMul: lane.IMul, ir.GroupSMin: lane.SMin, ir.GroupUMin: lane.UMin, ir.GroupSMax: lane.SMax, ir.GroupUMax: lane.UMax,
	ir.GroupAnd: lane.And, ir.GroupOr: lane.Or, ir.GroupXor: lane.Xor, ir.GroupFAdd: lane.FAdd, ir.GroupFMul: lane.FMul, ir.GroupFMin: lane.FMin, ir.GroupFMax: lane.FMax,
}

func min64(a, b uint64) uint64  { return uint64(min(int64(a), int64(b))) }
func max64(a, b uint64) uint64  { return uint64(max(int64(a), int64(b))) }
func umin64(a, b uint64) uint64 { return min(a, b) }
func umax64(a, b uint64) uint64 { return max(a, b) }
func and64(a, b uint64) uint64  { return a & b }
func or64(a, b uint64) uint64   { return a | b }
func xor64(a, b uint64) uint64  { return a ^ b }

var groupOps64 = [...]func(a, b uint64) uint64{
	ir.GroupIAdd: lane.IAdd64, ir.GroupIMul: lane.IMul64, ir.GroupSMin: min64, ir.GroupUMin: umin64, ir.GroupSMax: max64, ir.GroupUMax: umax64,
	ir.GroupAnd: and64, ir.GroupOr: or64, ir.GroupXor: xor64, ir.GroupFAdd: lane.FAdd64, ir.GroupFMul: lane.FMul64, ir.GroupFMin: lane.FMin64, ir.GroupFMax: lane.FMax64,
}

// groupArithmetic is the operation of a reduction or scan, and what an exclusive scan gives the first
// lane; of words, on the low halves.
func groupArithmetic(g ir.Group) (f func(a, b uint64) uint64, identity uint64) {
	if g.Wide {
		return groupOps64[g.Arith], g.Arith.WideIdentity()
	}
	narrow := groupOps[g.Arith]
	return func(a, b uint64) uint64 { return uint64(narrow(uint32(a), uint32(b))) },
		uint64(g.Arith.Identity())
}

// scan runs reductions and scans, on pairs where hi and dHi are not nil. A value met first is taken as
// it is, so that the sum of one -0 is -0.
func scan(g ir.Group, d, dHi, a, hi, live []uint32, size int) {
	f, identity := groupArithmetic(g)
	if g.Cluster > 0 {
		size = min(size, int(g.Cluster))
	}
	for from := 0; from < len(d); from += size {
		to := min(from+size, len(d))
		acc, started := identity, false
		for i := from; i < to; i++ {
			r := acc
			if live[i] != 0 {
				x := uint64(a[i])
				if hi != nil {
					x = pair(a[i], hi[i])
				}
				if started {
					x = f(acc, x)
				}
				acc, started = x, true
			}
			if g.Kind == ir.GroupInclusive {
				r = acc
			}
			if d[i] = uint32(r); dHi != nil {
				dHi[i] = uint32(r >> 32)
			}
		}
		if g.Kind == ir.GroupReduce {
			fill(d[from:to], uint32(acc))
			if dHi != nil {
				fill(dHi[from:to], uint32(acc>>32))
			}
		}
	}
}

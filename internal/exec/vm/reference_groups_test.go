package vm

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/ir/lane"
)

// derivative is a quad operation of lanes 4q to 4q+3, in the order y·2+x.
//
// RAS-294
func (s *scalarRun) derivative(in *ir.Inst, on []*scalarRun) uint32 {
	a := in.Args[0]
	at := func(l uint32) uint32 {
		for _, x := range on {
			if x.lane == l {
				return x.v[a]
			}
		}
		return s.v[a]
	}
	first := s.lane &^ 3
	switch in.Op {
	case ir.OpDdxFine:
		first = s.lane &^ 1
	case ir.OpDdyFine:
		first = s.lane &^ 2
	case ir.OpDdyCoarse:
		return lane.FSub(at(first+2), at(first))
	}
	if in.Op == ir.OpDdyFine {
		return lane.FSub(at(first+2), at(first))
	}
	return lane.FSub(at(first+1), at(first))
}

// group runs an operation of subgroups: those of the lanes that come to it.
func (s *lockstep) group(v ir.Value, in *ir.Inst, on []*scalarRun) {
	g, size := ir.GroupOf(in.Imm), s.p.SubgroupSize
	for len(on) > 0 {
		n := 1
		for n < len(on) && on[n].lane/size == on[0].lane/size {
			n++
		}
		var counted []*scalarRun // by elections, votes, ballots and reductions
		for _, x := range on[:n] {
			if x.live != 0 || g.Helpers {
				counted = append(counted, x)
			}
		}
		for _, x := range on[:n] {
			if g.Kind == ir.GroupProduct {
				x.product(v, in, g, on[:n])
			} else {
				x.setPair(v, x.grouped(in, g, on[:n], counted))
			}
		}
		on = on[n:]
	}
}

// grouped is what a lane gets of an operation on its subgroup.
func (s *scalarRun) grouped(in *ir.Inst, g ir.Group, on, counted []*scalarRun) (r uint64) {
	size := s.p.SubgroupSize
	number := func(x *scalarRun) uint64 {
		if g.Wide {
			return pair(x.v[in.More[0]], x.v[in.More[1]])
		}
		return uint64(x.v[in.More[0]])
	}
	ballot := func(has func(x *scalarRun) bool) (word uint64) {
		for _, x := range counted {
			if l := x.lane % size; l/32 == uint32(g.Word) && has(x) {
				word |= 1 << (l % 32)
			}
		}
		return word
	}
	all := func(has func(x *scalarRun) bool) uint64 {
		for _, x := range counted {
			if !has(x) {
				return 0
			}
		}
		return math.MaxUint32
	}
	holds := func(x *scalarRun) bool { return number(x) != 0 }
	switch g.Kind {
	case ir.GroupLane:
		return uint64(s.lane % size)
	case ir.GroupElect:
		return uint64(lane.Mask(len(counted) > 0 && counted[0] == s))
	case ir.GroupAll:
		return all(holds)
	case ir.GroupAny:
		return math.MaxUint32 &^ all(func(x *scalarRun) bool { return !holds(x) })
	case ir.GroupAllEqual:
		return all(func(x *scalarRun) bool { return sameNumber(g, number(x), number(counted[0])) })
	case ir.GroupBallot:
		return ballot(holds)
	case ir.GroupFirst:
		if len(counted) > 0 {
			return number(counted[0])
		}
		return 0
	case ir.GroupShuffle:
		for _, x := range on {
			if x.lane%size == s.v[in.More[1]] {
				return number(x)
			}
		}
		return 0
	case ir.GroupPartition:
		return ballot(func(x *scalarRun) bool {
			for _, a := range in.More {
				if x.v[a] != s.v[a] {
					return false
				}
			}
			return true
		})
	}
	started := false
	for _, x := range counted {
		if !s.counts(x, in, g) {
			continue
		}
		if n := number(x); started {
			r = combine(g, r, n)
		} else {
			r, started = n, true
		}
	}
	if !started {
		return identity(g)
	}
	return r
}

// counts says that a lane counts in a reduction or scan for s.
func (s *scalarRun) counts(x *scalarRun, in *ir.Inst, g ir.Group) bool {
	l, size := x.lane%s.p.SubgroupSize, s.p.SubgroupSize
	switch c := uint32(g.Cluster); {
	case c > 0 && l/c != s.lane%size/c,
		g.Partitioned && s.v[in.More[len(in.More)-4+int(l/32)]]>>(l%32)&1 == 0:
		return false
	}
	return g.Kind == ir.GroupReduce || x.lane < s.lane || g.Kind == ir.GroupInclusive && x == s
}

func sameNumber(g ir.Group, x, y uint64) bool {
	switch {
	case g.Float && g.Wide:
		return math.Float64frombits(x) == math.Float64frombits(y)
	case g.Float:
		return math.Float32frombits(uint32(x)) == math.Float32frombits(uint32(y))
	}
	return x == y
}

// foldings are the operations of reductions and scans as atomics have them, and what those of no
// lane come to.
var foldings = map[ir.GroupArith]struct {
	op   ir.AtomicOp
	of32 uint32
	of64 uint64
}{
	ir.GroupIAdd: {ir.AtomicAdd, 0, 0}, ir.GroupAnd: {ir.AtomicAnd, math.MaxUint32, math.MaxUint64},
	ir.GroupOr: {ir.AtomicOr, 0, 0}, ir.GroupXor: {ir.AtomicXor, 0, 0},
	ir.GroupSMin: {ir.AtomicSMin, math.MaxInt32, math.MaxInt64},
	ir.GroupSMax: {ir.AtomicSMax, 1 << 31, 1 << 63},
	ir.GroupUMin: {ir.AtomicUMin, math.MaxUint32, math.MaxUint64}, ir.GroupUMax: {ir.AtomicUMax, 0, 0},
	ir.GroupFAdd: {ir.AtomicFAdd, 0, 0},
	ir.GroupFMin: {ir.AtomicFMin, 0x7F800000, 0x7FF << 52},
	ir.GroupFMax: {ir.AtomicFMax, 0xFF800000, 0xFFF << 52},
	ir.GroupIMul: {0, 1, 1}, ir.GroupFMul: {0, 0x3F800000, 0x3FF << 52},
}

func identity(g ir.Group) uint64 {
	if g.Wide {
		return foldings[g.Arith].of64
	}
	return uint64(foldings[g.Arith].of32)
}

func combine(g ir.Group, x, y uint64) uint64 {
	switch op := foldings[g.Arith].op; {
	case g.Arith == ir.GroupIMul:
		return x * y
	case g.Arith == ir.GroupFMul && g.Wide:
		return lane.FMul64(x, y)
	case g.Arith == ir.GroupFMul:
		return uint64(lane.FMul(uint32(x), uint32(y)))
	case g.Wide:
		return op.Result64(x, y, 0)
	default:
		return uint64(op.Result(uint32(x), uint32(y), 0))
	}
}

// product is a lane's part of a product of matrices: element e is number e/size in lane e%size.
func (s *scalarRun) product(v ir.Value, in *ir.Inst, g ir.Group, on []*scalarRun) {
	size, depth := s.p.SubgroupSize, uint32(g.Depth)
	shape := g.Product(size)
	a, b, c := in.More[:shape.A], in.More[shape.A:][:shape.B], in.More[shape.A+shape.B:]
	element := func(list []ir.Value, e uint32) uint32 {
		for _, x := range on {
			if x.lane%size == e%size {
				return x.v[list[e/size]]
			}
		}
		return 0
	}
	var r [4]uint32
	for k := range c {
		e := uint32(k)*size + s.lane%size
		sum := s.v[c[k]]
		for d := range depth {
			x := element(a, e/ir.ProductColumns*depth+d)
			y := element(b, d*ir.ProductColumns+e%ir.ProductColumns)
			if g.Arith == ir.GroupFAdd {
				sum = lane.Fma(x, y, sum)
			} else {
				sum += x * y
			}
		}
		r[k] = sum
	}
	s.v[v], s.more[v] = r[0], r
}

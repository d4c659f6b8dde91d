package vm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/native"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// Subgroup operations of all kinds give what those of loops give, to lanes that take part and
// others, whatever lanes run and are live.
func TestNative_Groups(t *testing.T) {
	rules.Covers(t, "RAS-001")
	eachMachine(t, groupsAsLoops)
}

func groupsAsLoops(t *testing.T) {
	blocks := 0
	for seed := range share(1200, 4) {
		r := rand.New(rand.NewPCG(seed, 15))
		types := []ir.Type{ir.I32, ir.F32, ir.I32}
		size := uint32(4) << (seed % 6)
		p := program(t, ir.StageCompute, types, []ir.Type{ir.I32, ir.I32, ir.I32},
			func(b *ir.Builder, in []ir.Value) {
				b.P.SubgroupSize = size
				someGroups(b, in, r)
			})
		n := 1 + r.IntN(200)
		in := [][]uint32{lanesFor(r, n), lanesFor(r, n), lanesFor(r, n)}
		if seed%3 == 0 { // equal ones, and few
			for l := range n {
				in[0][l], in[1][l] = in[0][l]&1, 0x3F800000+in[1][l]&1
			}
		}
		live := slices.Repeat([]uint32{^uint32(0)}, n)
		for l := range live {
			if r.IntN(4) == 0 && seed%5 != 0 {
				live[l] = 0
			}
		}
		var outs [2][][]uint32
		for k := range outs {
			options := loopsOr(k == 1)
			if k == 0 && seed%2 == 1 { // or as many as are whole subgroups
				options.Lanes = 12
			}
			compiled, err := New(options).Compile(p)
			if err != nil {
				t.Fatal(err)
			}
			for range p.Outputs {
				outs[k] = append(outs[k], make([]uint32, n))
			}
			if x := compiled.(*routine); k == 1 && x.machine() != nil {
				for _, in := range x.machine().code {
					if in.kind == native.KindGroup && (int(size) <= machine/32 || machine > 128 ||
						!looksAnywhere(ir.GroupOf(uint64(in.imm)))) {
						t.Errorf("subgroups of %d: an operation is not machine code", size)
					}
					if in.kind == native.KindBlock {
						blocks++
					}
				}
			}
			batch := &exec.Batch{N: n, In: in, Out: outs[k], Live: slices.Clone(live)}
			if err := compiled.NewThread(n).Run(&exec.Context{}, batch); err != nil {
				t.Fatal(err)
			}
		}
		if got, want := fmt.Sprintf("%08x", outs[1]), fmt.Sprintf("%08x", outs[0]); got != want {
			t.Fatalf("seed %d: %s\nwant %s\n%v", seed, got, want, p)
		}
	}
	if blocks == 0 {
		t.Error("there is no machine code")
	}
}

// A shuffle gives 0 for the lanes that the last subgroup lacks, whatever a longer batch has left
// there.
func TestNative_ShuffleOfLanesThatAreNot(t *testing.T) {
	rules.Covers(t, "RAS-001")
	eachMachine(t, func(t *testing.T) {
		const size, long, short = 64, 128, 36
		in := [][]uint32{make([]uint32, long), make([]uint32, long)}
		for l := range long {
			in[0][l], in[1][l] = uint32(l+1), uint32(l*7%80)
		}
		p := program(t, ir.StageCompute, []ir.Type{ir.I32, ir.I32}, []ir.Type{ir.I32},
			func(b *ir.Builder, in []ir.Value) {
				b.P.SubgroupSize = size
				g := ir.Group{Kind: ir.GroupShuffle}
				output(b, 0, b.OpMore(ir.OpGroup, ir.I32, g.Imm(), in))
			})
		compiled, err := New(under(Options{})).Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		thread, out := compiled.NewThread(long), [][]uint32{make([]uint32, long)}
		for _, n := range []int{long, short} {
			batch := &exec.Batch{N: n, In: [][]uint32{in[0][:n], in[1][:n]}, Out: out}
			if err := thread.Run(&exec.Context{}, batch); err != nil {
				t.Fatal(err)
			}
			for l := range n {
				from, want := l/size*size+int(in[1][l]), uint32(0)
				if in[1][l] < size && from < n {
					want = in[0][from]
				}
				if out[0][l] != want {
					t.Errorf("%d lanes, lane %d has %d, want %d", n, l, out[0][l], want)
				}
			}
		}
	})
}

// looksAnywhere says that an operation is of parts of a subgroup that are no clusters: on 64-bit ARM
// it is no machine code in subgroups wider than a vector.
func looksAnywhere(g ir.Group) bool {
	return g.Partitioned || g.Kind == ir.GroupPartition
}

// someGroups makes subgroup operations of all kinds, some of them in a condition.
func someGroups(b *ir.Builder, in []ir.Value, r *rand.Rand) {
	sum := b.NewVar(ir.I32, "")
	b.Set(sum, in[2])
	one := func() {
		g := ir.Group{Kind: ir.GroupKind(r.IntN(int(ir.GroupPartition) + 1))}
		g.Helpers = r.IntN(3) == 0
		small := b.Op(ir.OpAnd, ir.I32, b.Get(sum), b.I32(1))
		value, typ := []ir.Value{in[0]}, ir.I32
		switch g.Kind {
		case ir.GroupLane, ir.GroupElect:
			value = nil
		case ir.GroupAll, ir.GroupAny, ir.GroupBallot:
			value[0] = b.Op(ir.OpINe, ir.Bool, small, b.I32(0))
			g.Word = uint8(r.IntN(4))
			if g.Kind != ir.GroupBallot {
				g.Word = 0
			}
		case ir.GroupAllEqual:
			switch r.IntN(4) {
			case 0:
				g.Float, value = true, []ir.Value{in[1]}
			case 1:
				g.Wide, value = true, []ir.Value{in[0], small}
			case 2: // zeros, NaNs and infinities among them
				high := b.I32([]uint32{0x80000000, 0x7FF00000, 0x3FF00000}[r.IntN(3)])
				g.Float, g.Wide = true, true
				value = []ir.Value{small, b.Op(ir.OpAnd, ir.I32, b.Op(ir.OpBitcast, ir.I32, in[1]), high)}
				if r.IntN(2) == 0 {
					value[0] = b.I32(0)
				}
			}
		case ir.GroupPartition: // a vec8 of binary64 has sixteen words
			for range r.IntN(20) {
				value = append(value, small)
			}
		case ir.GroupShuffle:
			value = append(value, b.Op(ir.OpAnd, ir.I32, b.Get(sum), b.I32(127)))
		case ir.GroupReduce, ir.GroupInclusive, ir.GroupExclusive:
			g.Arith = ir.GroupArith(r.IntN(int(ir.GroupFMax) + 1))
			float := g.Arith >= ir.GroupFAdd
			switch {
			case r.IntN(4) == 0:
				g.Wide, value = true, []ir.Value{in[0], b.Get(sum)}
			case float:
				value, typ = []ir.Value{in[1]}, ir.F32
			}
			switch r.IntN(3) {
			case 0:
				if g.Kind == ir.GroupReduce {
					g.Cluster = uint8(1) << r.IntN(7)
				}
			case 1: // lanes with the same ballots, or any
				g.Partitioned = true
				part := ir.Group{Kind: ir.GroupPartition}
				ballot := b.OpMore(ir.OpGroup, ir.I32, part.Imm(), []ir.Value{small})
				if r.IntN(3) == 0 {
					ballot = in[2]
				}
				value = append(value, ballot, in[0], in[0], in[0])
			}
		}
		if g.Kind <= ir.GroupAllEqual && g.Kind != ir.GroupLane {
			typ = ir.Bool
		}
		v := b.OpMore(ir.OpGroup, typ, g.Imm(), value)
		if typ != ir.I32 {
			v = b.Op(ir.OpBitcast, ir.I32, v)
		}
		b.Set(sum, b.Op(ir.OpIAdd, ir.I32, b.Op(ir.OpIMul, ir.I32, b.Get(sum), b.I32(31)), v))
	}
	for range 1 + r.IntN(4) {
		if r.IntN(3) > 0 {
			one()
			continue
		}
		some := b.Op(ir.OpAnd, ir.I32, in[2], b.I32(3))
		b.If(b.Op(ir.OpULt, ir.Bool, some, b.I32(uint32(r.IntN(4)))), one, one)
	}
	output(b, 0, b.Get(sum))
	output(b, 1, in[0])
	output(b, 2, b.Op(ir.OpXor, ir.I32, b.Get(sum), in[2]))
}

// Rows of products of matrices are those of loops, in subgroups of all sizes, where some lanes do
// not take part, too.
func TestNative_GroupProducts(t *testing.T) {
	rules.Covers(t, "RAS-001")
	eachMachine(t, productsAsLoops)
}

func productsAsLoops(t *testing.T) {
	for seed := range uint64(48) {
		r := rand.New(rand.NewPCG(seed, 32))
		size, n := uint32(4)<<(seed%4), 64
		g := ir.Group{Kind: ir.GroupProduct, Depth: 16 << (seed / 4 % 2)}
		typ, add, multiply := ir.I32, ir.OpIAdd, ir.OpIMul
		if seed/8%2 == 1 {
			g.Arith, typ, add, multiply = ir.GroupFAdd, ir.F32, ir.OpFAdd, ir.OpFMul
		}
		shape := g.Product(size)
		types := []ir.Type{typ, typ, ir.I32}
		outputs := slices.Repeat([]ir.Type{typ}, shape.C)
		p := program(t, ir.StageCompute, types, outputs, func(b *ir.Builder, in []ir.Value) {
			b.P.SubgroupSize = size
			var numbers []ir.Value
			for i := range shape.A + shape.B + shape.C {
				by := b.Const(typ, math.Float32bits(float32(i)/3))
				numbers = append(numbers, b.Op(add, typ, b.Op(multiply, typ, in[i%2], by), in[0]))
			}
			few := b.Op(ir.OpIEq, ir.Bool, b.Op(ir.OpAnd, ir.I32, in[2], b.I32(3)), b.I32(0))
			b.If(few, func() {}, func() {
				v := b.OpMore(ir.OpGroup, typ, g.Imm(), numbers)
				for i := range shape.C {
					x := v
					if i > 0 {
						x = b.OpImm(ir.OpResult, typ, uint64(i), v)
					}
					output(b, i, x)
				}
			})
		})
		if err := ir.Verify(p); err != nil {
			t.Fatal(err)
		}
		in := [][]uint32{make([]uint32, n), make([]uint32, n), lanesFor(r, n)}
		for l := range n {
			in[0][l], in[1][l] = math.Float32bits(r.Float32()-0.5), math.Float32bits(r.Float32()*100)
		}
		sameOutputs(t, seed, p, in, n, under(Options{}))
	}
}

package render

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/render/geometry"
	"github.com/pumice-gpu/pumice/internal/render/threads"
)

// computeRoutine is a routine that has a program only.
type computeRoutine struct {
	exec.Routine
	p *ir.Program
}

func (r computeRoutine) Program() *ir.Program { return r.p }

// Batches of any dispatch, in any order, hold each workgroup once and give every
// invocation its ids.
//
// interfaces-builtin-variables
func TestDispatch_Place_EveryInvocationItsIds(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	small := func() [3]uint32 { // any two of them small
		n := [3]uint32{1 + rng.Uint32N(4), 1 + rng.Uint32N(4), 1 + rng.Uint32N(4)}
		n[rng.IntN(3)] = 1 + rng.Uint32N(70)
		return n
	}
	shared, subgroups := 0, 0
	for k := range 60 {
		p := &ir.Program{Stage: ir.StageCompute, Name: "ids", LocalSize: [3]uint32{1 + rng.Uint32N(5), 1 + rng.Uint32N(3), 1 + rng.Uint32N(2)}}
		if k%8 == 0 {
			p.UsesBarrier = true
		}
		if k%4 == 1 {
			p.Quads, p.LocalSize[0], p.LocalSize[1] = ir.SquareQuads, 4, 2
		}
		if k%4 > 0 {
			p.SubgroupSize = 4 << rng.Uint32N(2)
		}
		for _, builtin := range []ir.Builtin{ir.BuiltinLocalInvocationID, ir.BuiltinGlobalInvocationID, ir.BuiltinWorkgroupID, ir.BuiltinNumWorkgroups} {
			for c := range uint32(3) {
				p.Inputs = append(p.Inputs, inout(builtin, 0, c, ir.I32))
			}
		}
		p.Inputs = append(p.Inputs, inout(ir.BuiltinLocalInvocationIndex, 0, 0, ir.I32))
		x := newExecutor(Config{Threads: 1 + rng.IntN(2), Lanes: 4 << rng.IntN(7)})
		prog := &threads.Runner{}
		for range 2 { // of one thread, with other sizes
			groups, base := small(), [3]uint32{rng.Uint32N(9), rng.Uint32N(9), rng.Uint32N(9)}
			d, err := x.newDispatch(computeRoutine{p: p}, base, groups)
			if err != nil {
				t.Fatal(err)
			}
			if prog.In == nil {
				prog.In = geometry.Rows(len(p.Inputs), d.lanes)
			}
			if p.UsesBarrier && d.Box != [3]uint32{1, 1, 1} {
				t.Fatalf("a batch of %v workgroups that synchronise", d.Box)
			}
			if d.Local%int(max(p.SubgroupSize, 1)) > 0 && d.Box != [3]uint32{1, 1, 1} {
				t.Fatalf("a batch of %v workgroups with part of a subgroup", d.Box)
			}
			seen := map[[3]uint32]int{}
			for _, batch := range rng.Perm(int(d.batches)) {
				n := d.Lay(prog, int64(batch)) / d.Local
				if n*d.Local > d.lanes {
					t.Fatalf("%d workgroups of %d invocations in %d lanes", n, d.Local, d.lanes)
				}
				if n > 1 {
					shared++
					subgroups += int(p.SubgroupSize)
				}
				for lane := range n * d.Local {
					at := func(slot int) (v [3]uint32) {
						for c := range v {
							v[c] = prog.In[slot+c][lane]
						}
						return v
					}
					id := at(6)
					if lane%d.Local == 0 {
						seen[id]++
					}
					index := p.LocalIndex(uint32(lane % d.Local))
					size := p.LocalSize
					local := [3]uint32{index % size[0], index / size[0] % size[1], index / size[0] / size[1]}
					global := [3]uint32{id[0]*size[0] + local[0], id[1]*size[1] + local[1], id[2]*size[2] + local[2]}
					if at(0) != local || at(3) != global || at(9) != groups || prog.In[12][lane] != index {
						t.Fatalf("groups %v from %v of %v in boxes of %v, batch %d, lane %d: local %v, global %v, workgroup %v of %v, index %d; want local %v, global %v, index %d",
							groups, base, size, d.Box, batch, lane, at(0), at(3), id, at(9), prog.In[12][lane], local, global, index)
					}
				}
			}
			var want, got [][3]uint32
			for z := range groups[2] {
				for y := range groups[1] {
					for x := range groups[0] {
						want = append(want, [3]uint32{base[0] + x, base[1] + y, base[2] + z})
					}
				}
			}
			for id, n := range seen {
				if n != 1 {
					t.Fatalf("workgroup %v is run %d times", id, n)
				}
				got = append(got, id)
			}
			order := func(a, b [3]uint32) int {
				return slices.Compare([]uint32{a[2], a[1], a[0]}, []uint32{b[2], b[1], b[0]})
			}
			slices.SortFunc(got, order)
			if !slices.Equal(got, want) {
				t.Fatalf("groups %v from %v in boxes of %v: %d workgroups run, not each of %d", groups, base, d.Box, len(got), len(want))
			}
		}
	}
	if shared < 100 || subgroups == 0 {
		t.Errorf("%d batches of several workgroups, %d invocations in subgroups of those", shared, subgroups)
	}
}

// counting is a routine that counts by workgroup how often it is run.
type counting struct {
	computeRoutine
	ran []atomic.Int32
}

func (c *counting) NewThread(int) exec.Thread { return c }

func (c *counting) Run(_ *exec.Context, b *exec.Batch) error {
	for _, id := range b.In[0][:b.N] {
		c.ran[id].Add(1)
	}
	return nil
}

// Workers take several batches at a time, and each is run once.
func TestDispatch_EveryBatchOnce(t *testing.T) {
	for _, barrier := range []bool{false, true} {
		for k, n := range []int{1, 2, 15, 1000, 100_001, 40_001} {
			groups, component := [3]uint32{uint32(n), 1, 1}, uint32(0)
			if k > 4 {
				groups, component = [3]uint32{1, 1, uint32(n)}, 2
			}
			p := &ir.Program{Stage: ir.StageCompute, Name: "count", LocalSize: [3]uint32{1, 1, 1}, UsesBarrier: barrier,
				Inputs: []ir.IO{inout(ir.BuiltinWorkgroupID, 0, component, ir.I32)}}
			c := &counting{computeRoutine{p: p}, make([]atomic.Int32, n)}
			if err := newExecutor(Config{Threads: 3}).Dispatch(context.Background(), nil, c, nil, [3]uint32{}, groups); err != nil {
				t.Fatal(err)
			}
			for i := range c.ran {
				if got := c.ran[i].Load(); got != 1 {
					t.Fatalf("%d workgroups: %d is run %d times", n, i, got)
				}
			}
		}
	}
}

// The largest dispatch (maxComputeWorkGroupCount), whose batches no machine runs, has every workgroup: its last batch holds
// the last. One workgroup more in any dimension is too many.
func TestDispatch_LargestAndBeyond(t *testing.T) {
	p := &ir.Program{Stage: ir.StageCompute, Name: "ids", LocalSize: [3]uint32{1, 1, 1}}
	for c := range uint32(3) {
		p.Inputs = append(p.Inputs, inout(ir.BuiltinWorkgroupID, 0, c, ir.I32))
	}
	x := newExecutor(Config{Threads: 2})
	largest := [3]uint32{1<<31 - 1, 65535, 65535}
	d, err := x.newDispatch(computeRoutine{p: p}, [3]uint32{}, largest)
	if err != nil {
		t.Fatal(err)
	}
	prog := new(threads.Runner)
	prog.In = geometry.Rows(len(p.Inputs), d.lanes)
	lane := d.Lay(prog, d.batches-1) - 1
	if got := [3]uint32{prog.In[0][lane], prog.In[1][lane], prog.In[2][lane]}; got != [3]uint32{1<<31 - 2, 65534, 65534} {
		t.Errorf("the last workgroup is %v", got)
	}
	for i, rule := range []string{"groupCountX-00386", "groupCountY-00387", "groupCountZ-00388"} {
		groups, base := [3]uint32{1, 1, 1}, [3]uint32{}
		groups[i] = largest[i] + 1
		for range 2 {
			_, err := x.newDispatch(computeRoutine{p: p}, base, groups)
			var e *PassError
			if !errors.As(err, &e) || e.Rule != "VUID-vkCmdDispatch-"+rule {
				t.Errorf("%v from %v: %v", groups, base, err)
			}
			groups[i], base[i] = 1, largest[i]
		}
	}
}

// Share gives out each number once, and tells of errors, panics and ended contexts.
func TestShare_EachOnce(t *testing.T) {
	x := newExecutor(Config{Threads: 3})
	for _, n := range []int{0, 1, 2, 7, 1000} {
		seen := make([]atomic.Int32, n)
		err := x.Share(context.Background(), n, func(from, to int) error {
			for i := range seen[from:to] {
				seen[from+i].Add(1)
			}
			return nil
		})
		for i := range seen {
			if seen[i].Load() != 1 || err != nil {
				t.Fatalf("%d of %d is done %d times (%v)", i, n, seen[i].Load(), err)
			}
		}
	}
	failed := errors.New("failed")
	if err := x.Share(context.Background(), 9, func(from, _ int) error {
		if from == 5 {
			return failed
		}
		return nil
	}); err != failed {
		t.Errorf("error %v", err)
	}
	var broken *WorkerError
	if err := x.Share(context.Background(), 9, func(int, int) error { panic("broken") }); !errors.As(err, &broken) {
		t.Errorf("error %v, want a *WorkerError", err)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if err := x.Share(ended, 9, func(int, int) error { t.Error("runs"); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// resting is Turns of which one is always due: in each rest, another dispatch is run.
type resting struct{ rest func() }

func (resting) Due() bool   { return true }
func (r resting) Rest()     { r.rest() }
func (resting) Brief() bool { return false }

// A dispatch that rests goes on where it was, whatever is run meanwhile.
func TestDispatch_InTurns(t *testing.T) {
	const n = 1000
	program := func() *counting {
		p := &ir.Program{Stage: ir.StageCompute, Name: "count", LocalSize: [3]uint32{1, 1, 1}, UsesBarrier: true,
			Inputs: []ir.IO{inout(ir.BuiltinWorkgroupID, 0, 0, ir.I32)}}
		return &counting{computeRoutine{p: p}, make([]atomic.Int32, n)}
	}
	first, second := program(), program()
	x := newExecutor(Config{Threads: 3})
	ended, end := context.WithCancel(context.Background())
	end()
	rests := int32(0)
	err := x.Dispatch(context.Background(), resting{func() {
		rests++
		for _, c := range []*counting{first, second} {
			if err := x.Dispatch(context.Background(), nil, c, nil, [3]uint32{}, [3]uint32{n, 1, 1}); err != nil {
				t.Error(err)
			}
		}
		if err := x.Dispatch(ended, nil, second, nil, [3]uint32{}, [3]uint32{n, 1, 1}); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}}, first, nil, [3]uint32{}, [3]uint32{n, 1, 1})
	if err != nil {
		t.Fatal(err)
	}
	for i := range first.ran {
		if a, b := first.ran[i].Load(), second.ran[i].Load(); a != 1+rests || b != rests {
			t.Fatalf("with %d rests workgroup %d is run %d and %d times", rests, i, a, b)
		}
	}
	if rests < 5 {
		t.Errorf("%d rests", rests)
	}
	// Without end, it rests no more.
	ctx, cancel := context.WithCancel(context.Background())
	if err := x.Dispatch(ctx, resting{cancel}, first, nil, [3]uint32{}, [3]uint32{n, 1, 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("ended while it rests: %v", err)
	}
}

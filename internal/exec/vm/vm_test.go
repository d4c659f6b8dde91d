package vm

import (
	"bytes"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/ir/lane"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// world is everything a run may change.
type world struct {
	n       int
	in, out [][]uint32
	live    []uint32
	buffers [][][]byte
	push    []byte
	shared  []byte
	told    [][]uint32 // by lane, what the reference tells: index and word
}

func newWorld(seed uint64, n int) *world {
	r := rand.New(rand.NewPCG(seed, 2))
	w := &world{n: n, push: make([]byte, 32), buffers: [][][]byte{
		{make([]byte, 16*n-8)}, {make([]byte, 24), make([]byte, 12)},
		{make([]byte, ownBytes*n)}, {make([]byte, readBytes)},
		{make([]byte, slotBytes*n), make([]byte, slotBytes*n-6), {}, make([]byte, slotBytes*n)},
		{make([]byte, 23), make([]byte, 64), make([]byte, 2)}, {make([]byte, atomicBytes-3)},
	}}
	random := func(b []byte) {
		for i := range b {
			b[i] = byte(r.Uint32())
		}
	}
	random(w.push)
	for _, bs := range w.buffers {
		for _, b := range bs {
			random(b)
		}
	}
	special := []uint32{0, 1 << 31, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00000, 1, 0x7F7FFFFF}
	for i := range genInputs {
		s := make([]uint32, n)
		for l := range s {
			switch i {
			case 0:
				s[l] = uint32(l)
			case 1:
				s[l] = r.Uint32() >> r.Uint32N(32)
			case 5:
				s[l] = lane.Mask(r.IntN(2) == 0)
			default:
				s[l] = lane.Canon(r.Uint32()&0xC7FFFFFF | 0x38000000)
				if r.IntN(4) == 0 {
					s[l] = special[r.IntN(len(special))]
				}
			}
		}
		w.in = append(w.in, s)
	}
	for range genOutputs {
		w.out = append(w.out, slices.Repeat([]uint32{0xDEADBEEF}, n))
	}
	w.live = make([]uint32, n)
	for l := range w.live {
		w.live[l] = lane.Mask(r.IntN(5) != 0)
	}
	return w
}

func (w *world) context() *exec.Context {
	c := &exec.Context{Push: w.push, Fuel: 640_000, Addresses: w.addresses()}
	for _, bs := range w.buffers {
		var ds []exec.Descriptor
		for _, b := range bs {
			ds = append(ds, exec.Descriptor{Data: b})
		}
		c.Resources = append(c.Resources, ds)
	}
	return c
}

func (w *world) run(t *testing.T, p *ir.Program, lanes int) {
	t.Helper()
	r, err := New(under(Options{Lanes: lanes})).Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	b := &exec.Batch{N: w.n, In: w.in, Out: w.out, Live: w.live, Shared: w.shared}
	if err := r.NewThread(w.n).Run(w.context(), b); err != nil {
		t.Fatal(err)
	}
}

func (w *world) compare(t *testing.T, what string, want *world) {
	t.Helper()
	for i := range w.out {
		for l := range w.n {
			if w.out[i][l] != want.out[i][l] {
				t.Fatalf("%s: output %d lane %d = %08x, want %08x", what, i, l, w.out[i][l], want.out[i][l])
			}
		}
	}
	if !slices.Equal(w.live, want.live) {
		t.Fatalf("%s: live masks differ", what)
	}
	for i, list := range w.buffers {
		for k, b := range list {
			if !bytes.Equal(b, want.buffers[i][k]) {
				t.Fatalf("%s: buffer %d, %d differs", what, i, k)
			}
		}
	}
	if !bytes.Equal(w.shared, want.shared) {
		t.Fatalf("%s: workgroup memory differs", what)
	}
}

func TestVM_RandomPrograms_EqualScalarReference(t *testing.T) {
	rules.Covers(t, "RAS-001")
	for seed := range share(4000, 8) {
		p := randomProgram(seed)
		n := []int{1, 5, 64, 100, 260}[seed%5]
		want := newWorld(seed, n)
		want.reference(p)
		for _, lanes := range []int{64, 128, 256} {
			got := newWorld(seed, n)
			got.run(t, p, lanes)
			got.compare(t, "seed "+itoa(seed)+" lanes "+itoa(uint64(lanes)), want)
		}
	}
}

// Random programs of workgroups give on all machines, as they are and optimized, what their lanes
// give that take one statement after the other. PUMICE_RANDOM is how many programs these are.
func TestVM_RandomWorkgroups_EqualScalarReference(t *testing.T) {
	rules.Covers(t, "RAS-001")
	seeds := uint64(300)
	if n, err := strconv.ParseUint(os.Getenv("PUMICE_RANDOM"), 10, 64); err == nil {
		seeds = n
	}
	t.Run("portable", func(t *testing.T) { randomWorkgroups(t, max(seeds, 1000)) })
	t.Run("native", func(t *testing.T) {
		eachMachine(t, func(t *testing.T) { randomWorkgroups(t, seeds) })
	})
}

func randomWorkgroups(t *testing.T, seeds uint64) {
	for seed := range seeds {
		p, n := randomCompute(seed)
		if err := ir.Verify(p); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		fresh := func() *world {
			w := newWorld(seed, n)
			w.shared = make([]byte, p.SharedBytes)
			if seed%2 == 0 {
				fill(w.live, ^uint32(0))
			}
			return w
		}
		want := fresh()
		want.reference(p)
		if seed%4 < 2 {
			if err := ir.OptimizeChecked(p); err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, p)
			}
		}
		got := fresh()
		got.run(t, p, 0)
		got.compare(t, "seed "+itoa(seed), want)
	}
}

func itoa(n uint64) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + string(rune('0'+n%10))
}

// Optimised programs verify and give the same bits as before.
func TestOptimize_RandomPrograms_KeepBits(t *testing.T) {
	rules.Covers(t, "RAS-001")
	for seed := range share(4000, 8) {
		p := randomProgram(seed)
		if err := ir.Verify(p); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		n := []int{1, 5, 64, 100, 260}[seed%5]
		want := newWorld(seed, n)
		want.reference(p)
		if seed%4 == 0 {
			p = ir.Rewrite(p, func(*ir.Builder, *ir.Inst) ([]ir.Value, bool) { return nil, false }, func(*ir.Builder) {}, func(*ir.Builder) {})
		}
		if err := ir.OptimizeChecked(p); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p)
		}
		got := newWorld(seed, n)
		got.run(t, p, 64)
		got.compare(t, "seed "+itoa(seed), want)
	}
}

// Selections of conditions, which become logic, keep their results: of all conditions and
// constants.
func TestOptimize_SelectedConditions(t *testing.T) {
	rules.Covers(t, "RAS-001")
	types := []ir.Type{ir.Bool, ir.Bool, ir.Bool}
	outputs := make([]ir.Type, 125)
	for i := range outputs {
		outputs[i] = ir.I32
	}
	p := program(t, ir.StageCompute, types, outputs, func(b *ir.Builder, in []ir.Value) {
		list := append(in, b.Bool(false), b.Bool(true))
		for i := range outputs {
			v := b.Op(ir.OpSelect, ir.Bool, list[i%5], list[i/5%5], list[i/25])
			output(b, i, b.Op(ir.OpBitcast, ir.I32, v))
		}
	})
	ir.Optimize(p)
	rows := make([][]uint32, 5)
	for i := range rows {
		for l := range uint32(8) {
			rows[i] = append(rows[i], lane.Mask(i == 4 || i < 3 && l>>i&1 != 0))
		}
	}
	out := runLanes(t, p, &exec.Context{}, &exec.Batch{N: 8, In: rows[:3]})
	for i := range outputs {
		for l := range 8 {
			if want := lane.Select(rows[i%5][l], rows[i/5%5][l], rows[i/25][l]); out[i][l] != want {
				t.Fatalf("select %d, %d, %d in lane %d: %08x, want %08x", i%5, i/5%5, i/25, l, out[i][l], want)
			}
		}
	}
}

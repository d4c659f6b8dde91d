// Package check is an engine of two: both run each batch, and what they give is
// compared. It is for tests and for those who suspect an engine; it takes the time of
// both and a copy.
package check

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// Engine implements exec.Engine.
type Engine struct {
	first, second    exec.Engine
	checked, skipped atomic.Uint64
	once             sync.Once
	texels           *exec.Texels
}

// New returns an engine whose results are those of first, compared with second's.
func New(first, second exec.Engine) *Engine { return &Engine{first: first, second: second} }

// Name returns "check".
func (e *Engine) Name() string { return "check" }

// Texels implements exec.Texeler.
func (e *Engine) Texels() *exec.Texels {
	e.once.Do(func() { e.texels = exec.NewTexels(e.Compile) })
	return e.texels
}

// PermutesTables implements exec.Placer.
func (e *Engine) PermutesTables() bool {
	p, ok := e.first.(exec.Placer)
	return ok && p.PermutesTables()
}

// PacksQuads implements exec.Placer.
func (e *Engine) PacksQuads() bool {
	p, ok := e.first.(exec.Placer)
	return ok && p.PacksQuads()
}

// Counts returns how many batches were compared, and how many could not be: those of
// programs that write memory, which must not happen twice.
func (e *Engine) Counts() (checked, skipped uint64) { return e.checked.Load(), e.skipped.Load() }

// Compile implements exec.Engine.
func (e *Engine) Compile(p *ir.Program) (exec.Routine, error) {
	a, err := e.first.Compile(p)
	if err != nil {
		return nil, err
	}
	b, err := e.second.Compile(p)
	if err != nil {
		return nil, err
	}
	return &routine{e, a, b, storedTexels(p), samplesOf(p)}, nil
}

// Interpreted implements exec.Interpreter.
func (r *routine) Interpreted() []exec.Interpreted {
	if x, ok := r.first.(exec.Interpreter); ok {
		return x.Interpreted()
	}
	return nil
}

type routine struct {
	e             *Engine
	first, second exec.Routine
	stores        []ir.Texel // one of each surface that the program stores to, or all with a size
	samples       int        // of places, up to the last one that it asks for
}

// samplesOf is how many samples of places a program looks at.
func samplesOf(p *ir.Program) (n int) {
	for i := range p.Insts {
		switch in := &p.Insts[i]; in.Op {
		case ir.OpCovered, ir.OpCover:
			n = max(n, int(in.Imm)+1)
		case ir.OpLoadTexel, ir.OpStoreTexel:
			n = max(n, ir.TexelOf(in.Imm).Samples())
		}
	}
	return n
}

// storedTexels finds the surfaces that a program stores to.
func storedTexels(p *ir.Program) (list []ir.Texel) {
	for i := range p.Insts {
		if in := &p.Insts[i]; in.Op == ir.OpStoreTexel {
			x := ir.TexelOf(in.Imm)
			if !slices.ContainsFunc(list, func(o ir.Texel) bool { return o.Surface == x.Surface && x.Size == 0 }) {
				list = append(list, x)
			}
		}
	}
	return list
}

// covered calls f for the pixels in memory of what a batch may store: those of its covered
// lanes.
func (r *routine) covered(b *exec.Batch, places []exec.Place, f func(pixel []byte)) {
	for _, x := range r.stores {
		s := &b.Surfaces[x.Surface]
		for i := range places {
			for any := places[i].Any(r.samples); any != 0; any &= any - 1 {
				px, py := places[i].Pixel(bits.TrailingZeros16(any))
				at, n := py*s.RowPitch+px*int(x.Bytes), int(x.Bytes)
				if x.Size > 0 {
					at, n = at+x.Begin(), int(x.Size)
				}
				f(s.Data[at:][:n])
			}
		}
	}
}

// texels appends the pixels to a list.
func (r *routine) texels(to []byte, b *exec.Batch, places []exec.Place) []byte {
	r.covered(b, places, func(p []byte) { to = append(to, p...) })
	return to
}

// Program implements exec.Routine.
func (r *routine) Program() *ir.Program { return r.first.Program() }

// NewThread implements exec.Routine.
func (r *routine) NewThread(maxLanes int) exec.Thread {
	return r.NewThreadIn(new(exec.Scratch), maxLanes)
}

// NewThreadIn implements exec.Sharer: one engine runs after the other.
func (r *routine) NewThreadIn(s *exec.Scratch, maxLanes int) exec.Thread {
	return &thread{r: r, first: exec.NewThread(r.first, s, maxLanes), second: exec.NewThread(r.second, s, maxLanes)}
}

type thread struct {
	r             *routine
	first, second exec.Thread
	out           [][]uint32
	live, emitted []uint32
	shared        []byte
	// Of programs on places: these, as they were and for the second engine, and texels before and after it.
	places, twins []exec.Place
	before, after []byte
}

// MismatchError says that the engines gave different results.
type MismatchError struct {
	Program   string
	What      string
	Got, Want any // of the first and of the second engine
}

func (e *MismatchError) Error() string {
	return fmt.Sprintf("engine check: program %q: %s is %v, and %v on the portable machine: one of the engines is wrong; please report the shader", e.Program, e.What, e.Got, e.Want)
}

// Run implements exec.Thread. The error of a difference is a *MismatchError.
func (t *thread) Run(ctx *exec.Context, b *exec.Batch) error {
	p := t.r.Program()
	if p.WritesMemory {
		t.r.e.skipped.Add(1)
		return t.first.Run(ctx, b)
	}
	quiet, twin := *ctx, *b
	quiet.Print = nil
	t.out = slices.Grow(t.out[:0], len(b.Out))[:len(b.Out)]
	for i, row := range b.Out {
		t.out[i] = append(t.out[i][:0], row...)
	}
	t.emitted, t.shared = append(t.emitted[:0], b.Emitted...), append(t.shared[:0], b.Shared...)
	twin.Out, twin.Emitted, twin.Shared = t.out, t.emitted, t.shared
	if b.Live != nil {
		t.live = append(t.live[:0], b.Live...)
		twin.Live = t.live
	}
	t.places, t.twins = append(t.places[:0], b.Places...), append(t.twins[:0], b.Places...)
	twin.Places = t.twins
	t.before = t.r.texels(t.before[:0], b, t.places)
	want := t.second.Run(&quiet, &twin)
	t.after = t.r.texels(t.after[:0], b, t.places)
	rest := t.before
	t.r.covered(b, t.places, func(p []byte) { rest = rest[copy(p, rest):] })
	err := t.first.Run(ctx, b)
	t.before = t.r.texels(t.before[:0], b, t.places)
	t.r.e.checked.Add(1)
	switch fuel := (*exec.FuelError)(nil); {
	case err == exec.ErrStopped || want == exec.ErrStopped:
		return exec.ErrStopped
	case errors.As(err, &fuel) || errors.As(want, &fuel): // engines may count what a loop costs for other lanes together
		return fuel
	case (err == nil) != (want == nil):
		return &MismatchError{p.Name, "the error of a batch", err, want}
	case err != nil:
		return err
	}
	for i, row := range b.Out {
		if l := differ(row[:b.N], t.out[i][:b.N]); l >= 0 && !(p.AnyNaN && sameNumbers(row[:b.N], t.out[i][:b.N])) {
			return &MismatchError{p.Name, fmt.Sprintf("output %d of lane %d of %d", i, l, b.N), row[l], t.out[i][l]}
		}
	}
	if l := differ(t.before, t.after); l >= 0 {
		return &MismatchError{p.Name, fmt.Sprintf("byte %d of the pixels it stores", l), t.before[l], t.after[l]}
	}
	if l := differ(b.Places, t.twins); l >= 0 {
		return &MismatchError{p.Name, fmt.Sprintf("place %d", l), b.Places[l], t.twins[l]}
	}
	if l := differ(b.Live, twin.Live); l >= 0 {
		return &MismatchError{p.Name, fmt.Sprintf("whether lane %d of %d is live", l, b.N), b.Live[l], twin.Live[l]}
	}
	if l := differ(b.Emitted, twin.Emitted); l >= 0 {
		return &MismatchError{p.Name, fmt.Sprintf("emitted word %d", l), b.Emitted[l], twin.Emitted[l]}
	}
	if l := differ(b.Shared, twin.Shared); l >= 0 {
		return &MismatchError{p.Name, fmt.Sprintf("byte %d of workgroup memory", l), b.Shared[l], twin.Shared[l]}
	}
	return nil
}

// sameNumbers says that two rows differ in NaNs at most.
func sameNumbers(a, b []uint32) bool {
	for i := range a {
		if x, y := math.Float32frombits(a[i]), math.Float32frombits(b[i]); a[i] != b[i] && (x == x || y == y) {
			return false
		}
	}
	return true
}

// differ is the first place where two slices differ, or -1.
func differ[T comparable](a, b []T) int {
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}

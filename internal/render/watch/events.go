// Package watch has what a pass tells of samples that somebody watches: events with fragments, of which
// the last ones are kept, and what rules say of them, in words and numbers.
//
// It looks at nothing that happens. Package render, which draws watched primitives alone, takes down
// what becomes of them, and asks here how that is said; a Note is what a primitive on its way to a
// watched pixel has with it. What an attachment holds is read by a tile.Plan.
package watch

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/tile"
	"github.com/pumice-gpu/pumice/vk"
)

// Add adds a fragment to the event of its draw, which takes its outcome from it; of many, those in the
// middle go.
func (v *Watch) Add(e *explain.Event, f *explain.Fragment) {
	switch {
	case f.Outcome == explain.Wrote:
		e.Outcome, e.Reason, e.After = explain.Wrote, "", f.After
	case f.Outcome == explain.Unchanged && e.Outcome != explain.Wrote:
		e.Outcome, e.Reason = explain.Unchanged, f.Reason
	case e.Outcome == "" || e.Outcome == explain.Missed:
		e.Outcome, e.Reason = explain.Missed, f.Reason
	}
	if f.Before.Bits != "" && e.Before.Bits == "" {
		e.Before = f.Before
	}
	d := e.Draw
	if v.kept++; len(d.Fragments) == MaxFragments {
		d.Fragments = slices.Delete(d.Fragments, MaxFragments/2, MaxFragments/2+1)
		v.kept--
		v.Dropped++
	}
	if d.Fragments = append(d.Fragments, *f); v.kept > v.maxKept {
		v.strip(v.maxKept / 2)
	}
}

// Watch asks for the history of one sample of an attachment.
type Watch struct {
	// Attachment is the colour attachment, or DepthStencil.
	Attachment int
	X, Y       int32
	Layer      int // of the pass; the view, in multiview passes
	Sample     int
	// Resolved: the sample is the only one of the resolve target.
	Resolved bool
	// Shader asks for the instructions of shaders, too, and Quad for their values in the whole quad.
	Shader, Quad bool

	// Stages asks for the invocations of the stages before the fragment shader, too.
	Stages bool

	// Steps is how many instructions of fragment shaders may still be told, of all watches that share
	// it, and StageSteps of those before; nil: any number.
	Steps, StageSteps *atomic.Int64

	Start explain.Value // what it held when the pass began
	// How many events, and fragments of them, are kept: the last ones. kept are the fragments.
	MaxEvents, maxKept, kept int

	// Events are what the pass did to the sample, in order. Their Index is that of the draw; -1 at
	// the beginning and the end of the pass.
	Events []explain.Event
	// Dropped counts events and fragments that were left out (see limits).
	Dropped int
}

// DepthStencil as a Watch's Attachment is depth and stencil.
const DepthStencil = -1

// Limits. maxFragments is how many fragments of a draw are told, the first and the last ones, maxLost how many
// primitives that are nowhere: their positions are no numbers. With more than maxRound notes a round ends.
// WatchedEvents and WatchedFragments are what all watches of a pass keep together; each has its share, but
// never less than minKept.
const (
	MaxFragments, MaxLost, MaxRound = 64, 4, 1 << 14

	WatchedEvents, WatchedFragments, minKept = 1 << 16, 1 << 15, 64
)

// Note is a primitive at a watched pixel.
type Note struct {
	Watch *Watch
	Draw  int
	Rec   int // in the chunk; none: it did not come as far as the tiles
	F     explain.Fragment
	Gone  bool    // there were too many
	Base  int     // of the steps: those that tell which primitive it is
	More  []*Note // of further parts of it that cover the sample, as outlines have them
	Would Would
	Ghost *Ghost // stands for it at the sample, where no tile draws it; nil: nothing does
	// Stages makes the fragment's, of which nothing has to be left by then; nil: nobody asks.
	Stages func() []explain.Shader
}

// Ghost is a primitive as it would be at its sample, were one thing different.
type Ghost struct {
	Setups  []raster.Setup  // those that cover the sample: of outlines there are several
	Samples []int           // that is told of, of each
	Change  *explain.Change // that makes it so; nil: none does
	Cannot  string          // why not
}

// tally counts the primitives of a draw.
type tally struct {
	Primitives int
	Unseen     []explain.Unseen
	At         map[*Watch]*ownTally
}

// ownTally is what of a tally is one watch's.
type ownTally struct {
	Near, Lost, Dropped int
	Notes               []*Note // the first and the last ones
}

// Of returns a watch's share.
func (t *tally) Of(v *Watch) *ownTally {
	if t.At[v] == nil {
		t.At[v] = &ownTally{}
	}
	return t.At[v]
}

// Notebook is what a chunk has for watches.
type Notebook struct {
	Notes []*Note
	Tally map[int]*tally // by draw
	ByRec map[int][]*Note
}

// Add keeps a note.
func (b *Notebook) Add(n *Note) {
	b.Notes = append(b.Notes, n)
	if n.Rec < 0 {
		return
	}
	if b.ByRec == nil {
		b.ByRec = map[int][]*Note{}
	}
	b.ByRec[n.Rec] = append(b.ByRec[n.Rec], n)
}

// Of returns the tally of a draw.
func (b *Notebook) Of(draw int) *tally {
	if b.Tally == nil {
		b.Tally = map[int]*tally{}
	}
	t := b.Tally[draw]
	if t == nil {
		t = &tally{At: map[*Watch]*ownTally{}}
		b.Tally[draw] = t
	}
	return t
}

func Contains(
	r raster.Rect,
	x, y int32,
) bool {
	return x >= r.X0 && x < r.X1 && y >= r.Y0 && y < r.Y1
}

// strip leaves the events at most n fragments, those of the last draws.
func (v *Watch) strip(n int) {
	left := Strip(v.Events, v.kept, n)
	v.Dropped += v.kept - left
	v.kept = left
}

// Strip takes the fragments out of events, from the first on, until of kept there are at most n, and returns
// how many there are then.
func Strip(events []explain.Event, kept, n int) (left int) {
	for i := range events {
		if d := events[i].Draw; d != nil && kept > n {
			kept -= len(d.Fragments)
			d.Fragments = nil
		}
	}
	return kept
}

// Event is the event of a draw. Of many, the older half goes.
func (v *Watch) Event(draw int) *explain.Event {
	at, ok := slices.BinarySearchFunc(v.Events, draw,
		func(e explain.Event, draw int) int { return e.Index - draw })
	if ok {
		return &v.Events[at]
	}
	if len(v.Events) >= v.MaxEvents && at == len(v.Events) {
		old := v.Events[:v.MaxEvents/2]
		for i := range old {
			if d := old[i].Draw; d != nil {
				v.kept -= len(d.Fragments)
				v.Dropped += len(d.Fragments)
			}
		}
		v.Dropped += len(old)
		v.Events = slices.Clone(v.Events[len(old):])
		at = len(v.Events)
	}
	v.Events = slices.Insert(v.Events, at,
		explain.Event{Kind: explain.Draw, Index: draw, Draw: &explain.Drawn{}})
	return &v.Events[at]
}

// Begin reads what a watched sample of as many holds before the pass.
func (v *Watch) Begin(pl *tile.Plan, of int) {
	v.Events, v.Start, v.kept = nil, v.Value(pl), 0
	v.MaxEvents, v.maxKept = max(WatchedEvents/of, minKept), max(WatchedFragments/of, minKept)
}

// TellResolve tells of the resolve at the end of the pass.
func (v *Watch) TellResolve(pl *tile.Plan) {
	if !Contains(pl.Area, v.X, v.Y) {
		return
	}
	a, rule := pl.Depth, "RAS-354"
	if v.Attachment >= 0 {
		a, rule = pl.Color[v.Attachment], "RAS-352"
	}
	if a == nil {
		a = pl.Stencil
	}
	if a == nil || a.Resolve == nil {
		return
	}
	if average := a.Mode == vk.ResolveModeAverageBit; v.Attachment >= 0 && average &&
		a.Info.Numeric == format.NumericSrgb {
		rule = "RAS-353"
	}
	e := explain.Event{
		Kind:    explain.Resolve,
		Index:   -1,
		Outcome: explain.Wrote,
		Before:  v.Start,
		After:   v.Value(pl),
	}
	s := explain.NewStep(rule, fmt.Sprintf("%s of %d samples", Short(a.Mode), a.Samples))
	for k := range a.Samples {
		one := *v
		one.Resolved, one.Sample = false, k
		s.Values = append(s.Values,
			explain.Named{Name: fmt.Sprintf("sample %d", k), Value: one.Value(pl)})
	}
	e.Steps = []explain.Step{s}
	if v.Attachment >= 0 &&
		slices.ContainsFunc(
			s.Values,
			func(n explain.Named) bool { return strings.Contains(n.Value.Text, "NaN") },
		) {
		text := "an average of a NaN is NaN"
		if a.Mode == vk.ResolveModeMinBit || a.Mode == vk.ResolveModeMaxBit {
			text = "a minimum or maximum passes over NaN"
		}
		e.Steps = append(e.Steps, explain.NewStep("RAS-356", text))
	}
	v.Events = append(v.Events, e)
}

// TellStages adds the invocations that a primitive came from, once it is known what became of it:
// of those that neither cover the sample nor have a position that is no number, nobody wants to
// know.
func (n *Note) TellStages() {
	f, left := &n.F, n.Watch.StageSteps
	covers := f.Outcome != explain.Missed || len(f.Stopped) > 0
	if n.Stages == nil || !covers {
		return
	}
	if left != nil && left.Load() <= 0 {
		f.Stages = []explain.Shader{
			{
				Stage:   "vertex",
				Missing: "so many instructions have been told that there is no room for these",
			},
		}
		return
	}
	f.Stages = n.Stages()
	for i := range f.Stages {
		if left != nil {
			left.Add(-int64(len(f.Stages[i].Steps)))
		}
	}
}

// Traces says that the watch asks for instructions of shaders, and may have more of them.
func (v *Watch) Traces() bool { return v.Shader && (v.Steps == nil || v.Steps.Load() > 0) }

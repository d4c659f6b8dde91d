package render

import (
	"slices"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/render/fragment"
	"github.com/pumice-gpu/pumice/internal/render/tile"
)

// Programs draw about the same passes in each frame, and what states of small ones cost shows. So
// states stay for the next pass of the same kind, as long as it uses them all.

// passKind is what states take of a pass, and by what one is found again among others that take the
// same: the pipeline of its first draw.
type passKind struct {
	planes  [MaxColorAttachments + 2]planeKind // depth and stencil are the last
	samples int
	hidden  bool
	first   *Pipeline
}

// planeKind is what states take of an attachment.
type planeKind struct {
	info           *format.Info
	samples, bytes int
}

// keptPass is what stays of a pass: its states, with numbers of routines and tests in them.
type keptPass struct {
	kind     passKind
	routines []exec.Routine
	tests    []*tile.Tests
	states   []*drawState
	bounds   fragment.Bounds
}

// keptPasses is of how many passes states are kept, and keptStates of how many each.
const keptPasses, keptStates = 8, 32

// recall finds the kind of a pass, and takes over what was kept of the last one, unless shaders are
// to be fused by now; false where states take more of this pass than kinds have.
func (pl *passPlan) recall(k *passKind) bool {
	p := pl.pass
	if len(p.Watches) > 0 || len(p.Memory) > 0 || p.Rate != nil || p.Density != nil {
		return false
	}
	for i := range p.Draws {
		if k.first = p.Draws[i].Pipeline; k.first != nil {
			break
		}
	}
	for i, a := range append(pl.Color[:], pl.Depth, pl.Stencil) {
		if a != nil {
			k.planes[i] = planeKind{a.Info, a.Samples, a.Bytes}
		}
	}
	k.samples, k.hidden = pl.Samples, pl.ShadeHidden
	list := pl.x.kept
	for at, of := range list {
		if of.kind != *k {
			continue
		}
		pl.x.kept = append(list[:at], list[at+1:]...)
		for _, s := range of.states {
			if s.same = nil; s.Ripe(&pl.Pass) {
				return true
			}
		}
		pl.Routines, pl.Tests, pl.states, pl.Bounds = of.routines, of.tests, of.states, of.bounds
		break
	}
	return true
}

// keep keeps the states of a planned pass for the next one of the kind, unless this one had no use
// for some.
func (pl *passPlan) keep(k *passKind) {
	if n := len(pl.states); n == 0 || n > keptStates {
		return
	}
	for _, s := range pl.states {
		if s.same == nil || s.Rates.Samples != 0 { // these take more, and tiles find routines for them
			return
		}
		if s.dynamic != s.own { // callers may change theirs
			d := *s.dynamic
			s.dynamic, s.own = &d, &d
		}
	}
	x := pl.x
	if len(x.kept) == keptPasses {
		x.kept = append(x.kept[:0], x.kept[1:]...)
	}
	x.kept = append(x.kept, &keptPass{*k, slices.Clip(pl.Routines), pl.Tests, pl.states, pl.Bounds})
}

package fragment

import (
	"slices"
	"sync/atomic"

	"github.com/pumice-gpu/pumice/internal/render/rates"
)

// Fragments of a draw whose rates differ, in places: each rate has a plan, which is made when a
// block of that rate comes first, and a batch that waits beside those of the others. A pixel is in
// one of them only, as long as primitives ask for the same rate, so that no batch overtakes
// another.

// RatedPlans are a state's plans by rate (rates.Pixel.Index).
type RatedPlans [rates.Kinds]atomic.Pointer[ratedPlan]

// ratedPlan is a plan, and how many routines the pass has with it.
type ratedPlan struct {
	Plan
	routines int
}

// asked is what decides the rate of a pixel besides where it is.
type asked struct {
	viewport uint16
	rate     rates.Shading // of the primitive
}

// enterRate makes the batch of the rate at (x, y) the one that takes places.
//
// RAS-149, RAS-159
func (f *Worker) enterRate(c *Primitives, rec *Primitive, x, y int32) error {
	st := c.Of.State
	by := asked{rec.Viewport, st.Rates.Primitive(rec.Rate)}
	if by != f.asking {
		if err := f.Flush(); err != nil {
			return err
		}
		f.asking = by
	}
	r := st.RateAt(f.Pass, f.tile.Layer, rec, by.rate, x, y)
	if f.Pass.Dense != nil {
		r = rates.Pixel{Rate: f.Size, N: st.Shares}
	}
	plan, err := f.ratedPlan(st, r)
	if err != nil {
		return f.fail(c.Of, err)
	}
	kind := 1 + r.Index()
	k := slices.IndexFunc(f.batches, func(p *Waiting) bool { return p.kind == kind })
	if k < 0 {
		k = len(f.batches)
		if f.batches = slices.Grow(f.batches, 1)[:k+1]; f.batches[k] == nil {
			f.batches[k] = new(Waiting)
		}
		f.batches[k].kind, f.batches[k].Plan = kind, nil
	}
	if f.Waiting = f.batches[k]; f.Waiting.Plan != plan {
		f.Waiting.prepare(plan.size, len(plan.Shares))
		f.Waiting.Plan = plan
	}
	return nil
}

// ratedPlan is the plan of a rate.
func (f *Worker) ratedPlan(st *State, r rates.Pixel) (*Plan, error) {
	at, pl := &st.Rated[r.Index()], f.Pass
	p := at.Load()
	if p == nil || len(f.threads.By) < p.routines {
		pl.Making.Lock()
		defer pl.Making.Unlock()
		if p = at.Load(); p == nil {
			plan, err := st.planPlaces(pl, r)
			if err != nil {
				return nil, err
			}
			p = &ratedPlan{*plan, len(pl.Routines)}
			at.Store(p)
		}
		f.threads.Extend()
	}
	return &p.Plan, nil
}

// RateAt is the rate of the quad at (x, y) of a layer; first is that of its primitive.
func (s *State) RateAt(
	pl *Pass, layer int, rec *Primitive, first rates.Shading, x, y int32,
) rates.Pixel {
	if s.Rates.Image != nil {
		return s.Rates.Image.At(int(rec.Viewport), layer, x, y)
	}
	return s.Rates.At(first, pl.Rate, layer, x, y)
}

package render

import (
	"slices"
	"sync/atomic"

	"github.com/pumice-gpu/pumice/internal/render/rates"

	"github.com/pumice-gpu/pumice/internal/raster"
)

// Fragments of a draw whose rates differ, in places: each rate has a plan, which is made when a
// block of that rate comes first, and a batch that waits beside those of the others. A pixel is in
// one of them only, as long as primitives ask for the same rate, so that no batch overtakes
// another.

// ratedPlans are a state's plans by rate (pixelRate.index).
type ratedPlans [rates.Kinds]atomic.Pointer[ratedPlan]

// ratedPlan is a plan, and how many routines the pass has with it.
type ratedPlan struct {
	placedPlan
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
func (f *fragments) enterRate(c *chunk, rec *primRec, x, y int32) error {
	st := c.draw.state
	by := asked{rec.viewport, st.rates.Primitive(rec.rate)}
	if by != f.asking {
		if err := f.flush(); err != nil {
			return err
		}
		f.asking = by
	}
	r := st.rateAt(f.plan, f.tile.Layer, rec, by.rate, x, y)
	if f.plan.density != nil {
		r = rates.Pixel{Rate: f.size, N: st.shares}
	}
	plan, err := f.ratedPlan(st, r)
	if err != nil {
		return f.x.during(c.draw, err)
	}
	kind := 1 + r.Index()
	k := slices.IndexFunc(f.batches, func(p *placedBatch) bool { return p.kind == kind })
	if k < 0 {
		k = len(f.batches)
		if f.batches = slices.Grow(f.batches, 1)[:k+1]; f.batches[k] == nil {
			f.batches[k] = new(placedBatch)
		}
		f.batches[k].kind, f.batches[k].rated = kind, nil
	}
	if f.placed = f.batches[k]; f.placed.rated != plan {
		f.placed.prepare(plan.size, len(plan.shares))
		f.placed.rated = plan
	}
	return nil
}

// ratedPlan is the plan of a rate.
func (f *fragments) ratedPlan(st *drawState, r rates.Pixel) (*placedPlan, error) {
	at, pl := &st.rated[r.Index()], f.plan
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
	return &p.placedPlan, nil
}

// dropBlocks takes the blocks out of w.found that have no fragments, before any test or query sees
// them: rates are those of 8×8 pixels or more.
//
// RAS-149, RAS-156, RAS-159, RAS-163 primsrast-shading-rate-image
func (w *worker) dropBlocks(c *chunk, s *raster.Setup) {
	st, rec := c.draw.state, &c.recs[s.Prim]
	b, first, n := &w.found, st.rates.Primitive(rec.rate), 0
	for k := range b.Blocks {
		if st.rateAt(w.plan, w.tile.Layer, rec, first, b.Blocks[k].X, b.Blocks[k].Y).N != 0 {
			b.Move(n, k)
			n++
		}
	}
	b.All = b.All && n == len(b.Blocks)
	b.Cut(n)
}

package render

import (
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/fragment"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// seenRecord is what a tile sees of a record.
type seenRecord struct {
	id, layer uint32
	n, first  uint8
	corners   [3][3]uint32 // place, dot and attribute of each vertex
	provoking uint32       // the attribute of that vertex
}

// A tile sees the same primitives with the same vertices in the same order, whether their records are in the
// order of tiles or not; those that lie in order anyway, or have set-ups, stay.
func TestReorder_TilesSeeTheSame(t *testing.T) {
	rules.Covers(t, "RAS-100", "RAS-057")
	r := rand.New(rand.NewPCG(71, 72))
	w := &binner{}
	moved := 0
	for round := range 300 {
		n, stride, jumps := uint8(1+r.IntN(3)), r.IntN(4), r.IntN(3) > 0
		st := &drawState{whole: &wholePlan{}, State: fragment.State{Link: &fragment.Link{Attrs: make([]int, stride)}}}
		c := &chunk{draw: &drawPlan{state: st}, rows: 1 + r.IntN(60)}
		for row := range c.rows {
			c.places = append(c.places, raster.Projected{Spot: raster.Spot{X: int32(row)}})
			if round%2 == 0 {
				c.dots = append(c.dots, raster.Dot{FX: float64(2 * row)})
			}
			for k := range stride {
				c.Attrs = append(c.Attrs, uint32(100*row+k))
			}
		}
		var boxes []tileBox
		for i := range 20 + r.IntN(80) {
			rec := fragment.Primitive{ID: uint32(i), N: n, First: uint8(r.IntN(int(n))), Layer: 2}
			for k := range rec.V {
				if rec.V[k] = rec.V[0]; k < int(n) {
					rec.V[k] = r.Uint32N(uint32(c.rows))
				}
			}
			rec.Provoking = uint8(r.IntN(int(n)))
			box := tileBox{layer: 2, item: uint32(i)}
			if jumps {
				box.x0, box.y0 = r.Int32N(7), r.Int32N(5)
			}
			box.x1, box.y1 = box.x0+1+r.Int32N(12)/11, box.y0+1+r.Int32N(12)/11
			c.Recs, boxes = append(c.Recs, rec), append(boxes, box)
		}
		c.bins.sort(boxes)
		look := func() (all []seenRecord) {
			for tile := range int32(12 * 12) {
				var list merged
				for c.bins.tile(&list, tile%12, tile/12, 2); ; {
					i, ok := list.next()
					if !ok {
						break
					}
					rec := &c.Recs[i]
					s := seenRecord{id: rec.ID, layer: uint32(rec.Layer), n: rec.N, first: rec.First}
					for k, v := range rec.V {
						if s.corners[k][0] = uint32(c.places[v].X); len(c.dots) > 0 {
							s.corners[k][1] = uint32(c.dots[v].FX)
						}
						if stride > 0 {
							s.corners[k][2] = c.Attrs[int(v)*stride+stride-1]
						}
					}
					s.provoking = uint32(c.places[rec.V[rec.Provoking]].X)
					all = append(all, s)
				}
			}
			return all
		}
		want, recs := look(), &c.Recs[0]
		w.reorder(c)
		if got := look(); len(got) != len(want) {
			t.Fatalf("round %d: tiles see %d records, want %d", round, len(got), len(want))
		} else {
			for i := range got {
				if got[i] != want[i] {
					t.Fatalf("round %d: record %d is %+v, want %+v", round, i, got[i], want[i])
				}
			}
		}
		if (recs != &c.Recs[0]) != jumps {
			t.Errorf("round %d: jumps %v, moved %v", round, jumps, !jumps)
		}
		if jumps {
			moved++
			if len(c.Recs) != len(want) {
				t.Fatalf("round %d: %d records of %d", round, len(c.Recs), len(want))
			}
		}
	}
	if moved < 50 {
		t.Errorf("%d chunks in another order", moved)
	}
	c := &chunk{draw: &drawPlan{state: &drawState{whole: &wholePlan{}, State: fragment.State{Link: &fragment.Link{}}}}, setups: make([]raster.Setup, 1), Primitives: fragment.Primitives{Recs: []fragment.Primitive{{ID: 1}, {ID: 2, Setup: 1}}}}
	c.bins.sort([]tileBox{{0, 0, 1, 1, 0, 0}, {5, 5, 6, 6, 0, 1}})
	if w.reorder(c); c.Recs[0].ID != 1 || c.Recs[1].ID != 2 {
		t.Errorf("records %+v of a chunk with set-ups", c.Recs)
	}
}

package render

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/raster"
)

// A primitive often covers all of a tile, or of the scissor rectangle in it. Its blocks need no list: places of
// whole blocks are all alike.

// passesAll does the tests of a set-up that covers all of the tile, of which none wait, where
// bounds of depth decide that it passes everywhere, and is stored: blocks own its depths as those
// that pass one by one do.
//
// RAS-327 fragops-depth
func (t *tile) passesAll(s *raster.Setup, st *drawState, tests *fragops.DepthStencil) bool {
	d, r := &t.depths, t.rect
	if !tests.DepthTest || !tests.DepthWrite || tests.StencilTest || !tests.Decides(!s.FrontFacing) ||
		(r.X0|r.Y0|r.X1|r.Y1)&(raster.BlockPixels-1) != 0 {
		return false
	}
	low, high, ok := s.DepthRange(r, st.ss)
	if !ok {
		return false
	}
	zf := tests.Range(low, high)
	if tests.Decide(zf, d.union()) != fragops.Passes {
		return false
	}
	for y := r.Y0; y < r.Y1; y += raster.BlockPixels {
		for x := r.X0; x < r.X1; x += raster.BlockPixels {
			bd := &d.blocks[t.blockAt(x, y)]
			if bd.setup == nil {
				d.open++
			}
			bd.bounds, bd.loose, bd.rough, bd.setup, bd.tests, bd.ss = zf, false, true, s, tests, st.ss
		}
	}
	d.all, d.stale = zf, false
	return true
}

// shadeAll hands all samples of a rectangle of the tile to the batch, for a state in places without late tests.
func (f *fragments) shadeAll(c *chunk, s *raster.Setup, r raster.Rect) error {
	p := f.placed
	var words [fragops.MaxSamples]uint64
	st, samples := c.draw.state, f.plan.samples
	each := len(st.placed.shares) > 1 || st.placed.rate != (rate{})
	each = each || len(st.placed.inputs.Findings) > 0
	const m = raster.BlockPixels - 1
	for y := r.Y0 &^ m; y < r.Y1; y += raster.BlockPixels {
		for x := r.X0 &^ m; x < r.X1; x += raster.BlockPixels {
			if each || x < r.X0 || y < r.Y0 || x+m >= r.X1 || y+m >= r.Y1 {
				for k := range samples {
					words[k] = raster.PixelsIn(r, x, y)
				}
				if err := f.shadeBlock(c, s, x, y, words[:samples]); err != nil {
					return err
				}
				continue
			}
			if err := f.roomForBlock(); err != nil {
				return err
			}
			if p.setup != s || p.chunk != c {
				f.newRecord(c, s)
			}
			p.places = appendWhole(p.places, x, y, samples, p.last)
			f.stats.Fragments += raster.BlockPixels * raster.BlockPixels
		}
	}
	return nil
}

// appendWhole is appendPlaces for a block all samples of which are covered.
func appendWhole(to []exec.Place, x, y int32, samples int, record uint32) []exec.Place {
	n := len(to)
	to = to[:n+raster.BlockPixels/2]
	list := to[n:]
	for row := range list {
		q := &list[row]
		q.X, q.Y, q.Record = x, y+2*int32(row), record
		q.Quads = [4]uint8{}
		q.Covered = wholePlace[samples]
	}
	return to
}

// wholePlace is Covered of a place all samples of which are covered, by their number.
var wholePlace = func() (list [ir.PlaceSamples + 1][ir.PlaceSamples]uint16) {
	for n := range list {
		for s := range n {
			list[n][s] = math.MaxUint16
		}
	}
	return list
}()

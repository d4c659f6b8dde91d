package render

import (
	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/threads"
)

// tile is the memory of the tile that a worker draws: where its attachments are, what is known of
// the depths in them, which blocks do not have theirs stored yet, and the programs that load, test,
// store and resolve on places of it. The walk binds it, and tells it what passes; what shades
// fragments reads its surfaces, and its bounds hear what tests after shading leave.
type tile struct {
	x       *Executor
	plan    *passPlan
	threads *threads.Threads

	layer          int
	rect           raster.Rect // pixels, cut to the area
	color          [MaxColorAttachments]fragops.Surface
	depth, stencil fragops.Surface
	depths         tileDepths
	tests          placedTests
	parts, split   []densityPart // with a density map: of the tile; those of a set-up, as its viewport makes them
	size           rate          // of fragments in the part that is drawn
	watched        bool          // a sample of it is
}

// prepare sizes it for a pass in tiles of an extent, and forgets a tile that an ended pass left.
func (t *tile) prepare(p *passPlan, size int) {
	t.plan = p
	t.tests.places = grow(t.tests.places, size*size/ir.PlaceLanes)
	n := size / raster.BlockPixels
	t.depths = tileDepths{blocks: grow(t.depths.blocks, n*n)}
	clear(t.depths.blocks)
}

// bind points the tile, and the tests on places, at the memory of its layer.
func (t *tile) bind() {
	p, x := t.plan, int(t.rect.X0)
	for i, a := range p.color {
		if a != nil {
			t.color[i] = a.surfaces[t.layer].Column(x)
		}
	}
	t.depth, t.stencil = fragops.Surface{}, fragops.Surface{}
	if p.depth != nil {
		t.depth = p.depth.surfaces[t.layer].Column(x)
	}
	if p.stencil != nil {
		t.stencil = p.stencil.surfaces[t.layer].Column(x)
	}
	t.tests.surfaces = [2]exec.Surface{
		{Data: t.depth.Data, RowPitch: t.depth.RowPitch},
		{Data: t.stencil.Data, RowPitch: t.stencil.RowPitch},
	}
	t.tests.batch.Surfaces = t.tests.surfaces[:]
}

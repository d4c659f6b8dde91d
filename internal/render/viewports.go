package render

import (
	"math/bits"
	"slices"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/render/fragment"
	"github.com/pumice-gpu/pumice/internal/render/geometry"
)

// viewOutputs are the slots of what a view has of its own (PositionPerViewNV,
// ViewportMaskPerViewNV); none where it is not written.
type viewOutputs struct {
	position [4]int
	mask     int
}

// perView places an output of one view.
func (o *vertexOutputs) perView(io ir.IO, slot int) {
	view := io.Component
	if io.Builtin == ir.BuiltinPositionPerView {
		view /= 4
	}
	for uint32(len(o.views)) <= view {
		o.views = append(o.views, viewOutputs{fragment.NoSlots, none})
	}
	if io.Builtin == ir.BuiltinPositionPerView {
		o.views[view].position[io.Component%4] = slot
	} else {
		o.views[view].mask = slot
	}
}

// positionOf is where the position of a view is: that of its own, if there is one.
//
// RAS-072 interfaces-builtin-variables-positionperview
func (o *vertexOutputs) positionOf(view int) *[4]int {
	if view >= 0 && view < len(o.views) && o.views[view].position != fragment.NoSlots {
		return &o.views[view].position
	}
	return &o.position
}

// maskOf is the slot of a view's viewport mask, or none.
func (o *vertexOutputs) maskOf(view int) int {
	if view >= 0 && view < len(o.views) && o.views[view].mask != none {
		return o.views[view].mask
	}
	return o.mask
}

// oneViewport says that nothing chooses viewports.
func (o *vertexOutputs) oneViewport() bool {
	masked := func(v viewOutputs) bool { return v.mask != none }
	return o.viewport == none && o.mask == none && !slices.ContainsFunc(o.views, masked)
}

// commitCopies commits a copy of a primitive for each viewport of a mask. The copies of
// a line begin at the same place of its pattern, which the first of them moves on.
//
// RAS-070 interfaces-builtin-variables-viewportmask
func (w *binner) commitCopies(
	c *chunk, b *geometry.Stretch, p *prim, i int, to target, mask uint32,
) {
	start, next := c.pattern.phase, c.pattern.phase
	for first := true; mask != 0; mask &= mask - 1 {
		c.pattern.phase = start
		to.viewport = uint32(bits.TrailingZeros32(mask))
		w.commitCopy(c, b, p, i, to)
		if first {
			next, first = c.pattern.phase, false
		}
	}
	c.pattern.phase = next
}

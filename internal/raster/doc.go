// Package raster turns primitives in framebuffer space into covered samples
// and into the numbers that fragments are shaded with.
//
// A primitive is set up once (AppendPolygon, AppendSegment, AppendPoint): an
// intersection of integer half-planes that decides coverage exactly, and planes
// in float64 for depth, 1/w and the pair (i, j) that attributes are interpolated
// with. Set-ups hold no pointers, so that bins can copy them. Setup.Find then
// lists the blocks of a tile that have covered samples, and the evaluation functions fill lanes.
//
// Results depend on the primitive and on the position alone: never on the tile,
// the rectangle asked for, or the order of calls.
package raster

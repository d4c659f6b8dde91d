// Package tile has the memory of a tile: where its attachments are, what is known of the depths in
// them, and the tests before shading, which read and write both.
//
// A Plan says what all tiles of a pass have in common. A worker's Tile is bound to one tile after
// the other. It is asked what it hides and what it passes, from bounds of depth where these decide;
// all else waits for a run of a program (Tile.Test), and goes on from there (Tile.Passed). A block
// that a primitive covers and passes whole is not even written before somebody has to read it.
//
// It knows set-ups and tests of a state, and neither lists of primitives nor shaders.
package tile

import (
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/threads"
	"github.com/pumice-gpu/pumice/vk"
)

// MaxColorAttachments is maxColorAttachments.
const MaxColorAttachments = 16

// Plan is what tiles of a pass have in common.
type Plan struct {
	threads.List // programs, by the numbers that all of the pass has of them
	Made         *threads.Programs
	Area         raster.Rect // pixels
	ViewMask     uint32      // of a multiview pass
	Layers       int
	Samples      int
	Words        int // of blocks, as in raster.Coverage
	Grid         Grid
	// Attachments; nil where there is none. Depth and stencil are planes.
	Color          [MaxColorAttachments]*Attachment
	Depth, Stencil *Attachment
	DepthFormat    fragops.DepthFormat
	// Dense are the locations of the samples of fragments by the logarithms of their sizes, with a
	// density map.
	Dense    *[3][3]*raster.SampleSet
	Tests    []*Tests // see fragops.DepthStencil.Tails
	Clears   bool     // something is loaded that is not there
	Resolves bool
}

// Grid is the tiles of a pass: nx × ny a layer, from the multiple of the extent
// at or before the area's corner.
type Grid struct {
	Shift  uint // log2 of the extent in pixels
	X0, Y0 int32
	Nx, Ny int
	Tiles  int // of all layers
}

// Tile returns layer and pixel rectangle of a tile, not cut to the area.
func (g *Grid) Tile(t int) (layer int, r raster.Rect) {
	per := g.Nx * g.Ny
	layer, t = t/per, t%per
	size := int32(1) << g.Shift
	x, y := g.X0+int32(t%g.Nx)*size, g.Y0+int32(t/g.Nx)*size
	return layer, raster.Rect{X0: x, Y0: y, X1: x + size, Y1: y + size}
}

// SetGrid lays tiles over the area, none of which is in two columns of an attachment: these have 16
// pixels at least, of 16 samples of 16 bytes (sparsememory-standard-shapes).
func (pl *Plan) SetGrid(size int) {
	g := &pl.Grid
	g.Shift = uint(bits.TrailingZeros(uint(size)))
	for _, a := range append(pl.Color[:], pl.Depth, pl.Stencil) {
		if a == nil {
			continue
		}
		for _, list := range [2][]fragops.Surface{a.Surfaces, a.Resolve} {
			if len(list) > 0 && list[0].ColumnSkip != 0 {
				g.Shift = min(g.Shift, uint(list[0].ColumnShift))
			}
		}
	}
	if pl.Area.Empty() {
		return
	}
	g.X0, g.Y0 = pl.Area.X0>>g.Shift<<g.Shift, pl.Area.Y0>>g.Shift<<g.Shift
	g.Nx = int((pl.Area.X1-1-g.X0)>>g.Shift) + 1
	g.Ny = int((pl.Area.Y1-1-g.Y0)>>g.Shift) + 1
	g.Tiles = g.Nx * g.Ny * pl.Layers
}

// Attachment is one plane that the pass draws to.
type Attachment struct {
	Info     *format.Info
	Bytes    int               // of a sample
	Surfaces []fragops.Surface // by layer
	Resolve  []fragops.Surface // by layer, nil without resolve
	Mode     vk.ResolveModeFlags
	Reduced  *format.Info // what samples are resolved as
	resolver int          // 1 + the program that resolves it, in Plan, or 0
	Clear    bool
	Samples  int            // fewer than the pass has: coverage is truncated
	Spread   bool           // see Attachment.Spread
	LoadMask uint32         // views that clear applies to
	Value    [MaxTexel]byte // clear value as stored
}

// MaxTexel is the largest texel of an attachment.
const MaxTexel = 32

// Load clears a rectangle of the attachments whose load operation says so.
func (pl *Plan) Load(layer int, r raster.Rect) {
	all := [MaxColorAttachments + 2]*Attachment{MaxColorAttachments: pl.Depth, MaxColorAttachments + 1: pl.Stencil}
	copy(all[:], pl.Color[:])
	for _, a := range all {
		if a.Clears(layer, pl) {
			a.Fill(layer, r, a.Value[:a.Bytes])
		}
		if a != nil && a.Spread && a.Resolve != nil {
			a.spreadTexels(layer, r)
		}
	}
}

// spreadTexels gives all samples of a rectangle the texels of the resolve target.
func (a *Attachment) spreadTexels(layer int, r raster.Rect) {
	a.rows(layer, r, func(single, samples []byte, width int) {
		pitch, from := len(samples)/max(width, 1), len(single)/max(width, 1)
		s := &a.Surfaces[layer]
		for x := range width {
			for at := 0; at+s.SampleBytes <= pitch; at += s.SampleBytes {
				copy(samples[x*pitch+at:][:a.Bytes], single[x*from:][:a.Bytes])
			}
		}
	})
}

// Clears says whether the load operation clears a layer, which is the view in
// multiview passes.
func (a *Attachment) Clears(layer int, pl *Plan) bool {
	return a != nil && a.Clear && (pl.ViewMask == 0 || a.LoadMask>>layer&1 != 0)
}

// Fill stores a texel in all samples of a rectangle.
func (a *Attachment) Fill(layer int, r raster.Rect, value []byte) {
	s := &a.Surfaces[layer]
	width := s.Side(int(r.X0), int(r.X1-r.X0))
	n := width * s.TexelPitch
	if n <= 0 || r.Y0 >= r.Y1 {
		return
	}
	if rest := r; r.X0+int32(width) < r.X1 {
		rest.X0 += int32(width)
		defer a.Fill(layer, rest, value)
	}
	start := s.Offset(int(r.X0), int(r.Y0), 0)
	if n == s.RowPitch {
		n *= int(r.Y1 - r.Y0)
		r.Y1 = r.Y0 + 1
	}
	first := s.Data[start : start+n]
	memory.Repeat(first, copy(first, value))
	for y := int(r.Y0) + 1; y < int(r.Y1); y++ {
		start += s.RowPitch
		copy(s.Data[start:start+n], first)
	}
}

// rows calls f for each row of a rectangle in source and resolve target, or what of
// it lies side by side.
func (a *Attachment) rows(layer int, r raster.Rect, f func(dst, src []byte, width int)) {
	s, d := &a.Surfaces[layer], &a.Resolve[layer]
	for y := int(r.Y0); y < int(r.Y1); y++ {
		for x := int(r.X0); x < int(r.X1); {
			width := s.Side(x, d.Side(x, int(r.X1)-x))
			so, do := s.Offset(x, y, 0), d.Offset(x, y, 0)
			f(d.Data[do:do+width*d.TexelPitch], s.Data[so:so+width*s.TexelPitch], width)
			x += width
		}
	}
}

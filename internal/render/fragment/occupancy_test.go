package fragment

import (
	"testing"

	"github.com/pumice-gpu/pumice/internal/raster"
)

// Batches whose fragments see each other's work take the quads of a block that pixels are covered of, and no others.
func TestOccupancy_QuadsOfBlocks(t *testing.T) {
	const shift = 5 // a tile of 32 pixels
	var o occupancy
	block := raster.Rect{X0: 8, Y0: 16, X1: 16, Y1: 24}
	at := func(x, y int32) uint64 { // that of a rectangle of one pixel
		return raster.PixelsIn(raster.Rect{X0: 8 + x, Y0: 16 + y, X1: 9 + x, Y1: 17 + y}, 8, 16)
	}
	for _, c := range []struct {
		pixels uint64
		free   bool
	}{{at(0, 0), true}, {at(1, 1), false}, {at(2, 0), true}, {at(0, 2), true}, {at(7, 7), true}, {at(6, 6) | at(4, 4), false}, {at(4, 4), true}, {at(5, 5), false}} {
		if free := o.take(shift, block, c.pixels); free != c.free {
			t.Errorf("pixels %#x: free %v, want %v", c.pixels, free, c.free)
		}
	}
	if o.take(shift, raster.Rect{X0: 10, Y0: 16, X1: 12, Y1: 18}) {
		t.Error("the quad at (10, 16) is free")
	}
	o.release()
	if !o.take(shift, block, at(1, 1)) {
		t.Error("a batch that has run holds pixels")
	}
}

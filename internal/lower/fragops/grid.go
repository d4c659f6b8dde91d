package fragops

import (
	"encoding/binary"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/raster"
)

// gridCells is how many pixels there are whose samples may lie in places of their own.
const gridCells = raster.GridSize * raster.GridSize

// InGrid is what at has for the cell of a lane's pixel in a grid: that of pixel (x, y) is y%4*4 +
// x%4.
//
// VkSampleLocationsInfoEXT
func InGrid(b *ir.Builder, at func(cell uint32) ir.Value) ir.Value {
	var list [gridCells]ir.Value
	for cell := range list {
		list[cell] = at(uint32(cell))
	}
	n := len(list)
	for axis := range uint64(2) {
		for bit := uint32(1); bit < raster.GridSize; bit *= 2 {
			v := b.Op(ir.OpAnd, ir.I32, b.OpImm(ir.OpPixel, ir.I32, axis), b.I32(bit))
			odd := b.Op(ir.OpINe, ir.Bool, v, b.I32(0))
			n /= 2
			for k := range n {
				if list[k] = list[2*k]; list[k] != list[2*k+1] {
					list[k] = b.Op(ir.OpSelect, b.P.Insts[list[0]].Type, odd, list[2*k+1], list[k])
				}
			}
		}
	}
	return list[0]
}

// AppendPlaces appends where a sample is in its pixel, x and y in subpixels: of each cell, where
// there is a grid.
func AppendPlaces(to []byte, ss *raster.SampleSet, sample int) []byte {
	one := func(ss *raster.SampleSet) {
		to = binary.LittleEndian.AppendUint32(to, uint32(ss.X[sample]))
		to = binary.LittleEndian.AppendUint32(to, uint32(ss.Y[sample]))
	}
	if ss.Grid == nil {
		one(ss)
		return to
	}
	for cell := range ss.Grid {
		one(&ss.Grid[cell])
	}
	return to
}

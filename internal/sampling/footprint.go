package sampling

import "github.com/pumice-gpu/pumice/internal/ir"

// footprintGroup is IMG-631: the texels of a group of a granularity.
func footprintGroup(dim ir.ImageDim, granularity int) (size [3]int, ok bool) {
	var table map[int][3]int
	switch dim {
	case ir.Dim2D:
		table = groups2D
	case ir.Dim3D:
		table = groups3D
	default:
		return size, false
	}
	size, ok = table[granularity]
	return size, ok
}

var groups2D = map[int][3]int{
	1: {2, 2, 1}, 2: {4, 2, 1}, 3: {4, 4, 1}, 4: {8, 4, 1}, 5: {8, 8, 1}, 6: {16, 8, 1}, 7: {16, 16, 1},
	11: {64, 64, 1}, 12: {128, 64, 1}, 13: {128, 128, 1}, 14: {256, 128, 1}, 15: {256, 256, 1},
}

var groups3D = map[int][3]int{
	1: {2, 2, 2}, 3: {4, 4, 2}, 10: {16, 16, 16}, 11: {32, 16, 16}, 12: {32, 32, 16}, 13: {32, 32, 32}, 14: {64, 32, 32},
}

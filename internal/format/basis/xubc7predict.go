package basis

import "github.com/pumice-gpu/pumice/internal/format/bc"

// What the weights of a block are predicted from, besides copies of 32 blocks nearby.
const (
	preNone = iota
	preLeft // the column beside
	preAbove
	preBlend // of both, by distance
	preMirrorLeft
	preMirrorAbove
	preMean
	preBlendMore // by the square of distance
	preGradient
	preGradientHalf // and preBlend
	preDiagonals    // mean of the blocks above to the left and to the right
	preDiagonalBlend
	preAboveBlend // the row above and preDiagonalBlend
	preMedian     // of JPEG-LS
	preSteps      // both, by how far they are from the corner
	prePlane      // nearest to both in squares
	preDownLeft
	preDownRight
	preCopy

	predictors = preCopy + 32
)

// edges are the weights around a block: the column beside it, the row above it with that of the block to its right, and the corner.
type edges struct {
	left   [4]int
	above  [8]int
	corner int
}

// predict predicts the weights of a plane. contrast 1 turns what differs from the mean around, 2 halves it, 3 does both.
func (d *xubc7) predict(w *[16]int, near [4]*bc.Fields7, plane, predictor, contrast int) error {
	left, above, corner, right := near[0], near[1], near[2], near[3]
	ok := true
	switch predictor {
	case preLeft, preMirrorLeft:
		ok = left != nil
	case preAbove, preMirrorAbove:
		ok = above != nil
	case preBlend, preMean, preBlendMore, prePlane:
		ok = left != nil && above != nil
	case preGradient, preGradientHalf, preMedian, preSteps, preDownRight:
		ok = left != nil && above != nil && corner != nil
	case preDiagonals, preDiagonalBlend:
		ok = corner != nil && right != nil
	case preAboveBlend:
		ok = above != nil && corner != nil && right != nil
	case preDownLeft:
		ok = above != nil && right != nil
	default:
		from := nearby[predictor-preCopy]
		b := d.at(d.x+from[0], d.y+from[1])
		if b == nil {
			return errXBOutside
		}
		for k := range w {
			w[k] = weightOf(b, plane, k)
		}
	}
	if !ok {
		return errXBOutside
	}
	if predictor < preCopy {
		var e edges
		for i := range 4 {
			if left != nil {
				e.left[i] = weightOf(left, plane, 4*i+3)
			}
			if above != nil {
				e.above[i] = weightOf(above, plane, 12+i)
			}
			if right != nil {
				e.above[4+i] = weightOf(right, plane, 12+i)
			}
		}
		if corner != nil {
			e.corner = weightOf(corner, plane, 15)
		}
		for k := range w {
			w[k] = e.at(near, plane, predictor, k&3, k>>2)
		}
	}
	adjust(w, contrast)
	return nil
}

// weightOf returns a weight of a block, in its only plane where it has no second one.
func weightOf(b *bc.Fields7, plane, k int) int {
	shape := bc.Shape(b.Mode)
	if shape.Index[1] == 0 {
		plane = 0
	}
	return bc.Weight(b.Index[plane][k], shape.Index[plane])
}

// mix is the mean of two weights that count so often.
func mix(a, na, b, nb int) int { return (na*a + nb*b + (na+nb)/2) / (na + nb) }

// at predicts the weight at (x, y).
func (e *edges) at(near [4]*bc.Fields7, plane, predictor, x, y int) int {
	l, a := e.left[y], e.above[x]
	gradient := l + a - e.corner
	blend := func() int { return mix(l, 4-x, a, 4-y) }
	diagonal := func() int {
		return ((3-x)*weightOf(near[2], plane, 4*y+3) + x*weightOf(near[3], plane, 4*y) + 1) / 3
	}
	switch predictor {
	case preLeft:
		return l
	case preAbove:
		return a
	case preBlend:
		return blend()
	case preMirrorLeft:
		return weightOf(near[0], plane, 4*y+3-x)
	case preMirrorAbove:
		return weightOf(near[1], plane, 4*(3-y)+x)
	case preMean:
		return (l + a + 1) / 2
	case preBlendMore:
		return mix(l, (4-x)*(4-x), a, (4-y)*(4-y))
	case preGradient:
		return min(max(gradient, 0), 64)
	case preGradientHalf:
		return (min(max(gradient, 0), 64) + blend() + 1) / 2
	case preDiagonals:
		return (weightOf(near[2], plane, 4*y+x) + weightOf(near[3], plane, 4*y+x) + 1) / 2
	case preDiagonalBlend:
		return diagonal()
	case preAboveBlend:
		return mix(a, 4-y, diagonal(), 1+y)
	case preMedian:
		switch low, high := min(l, a), max(l, a); {
		case e.corner >= high:
			return low
		case e.corner <= low:
			return high
		}
		return gradient
	case preSteps:
		return mix(l, max(l-e.corner, e.corner-l)+1, a, max(a-e.corner, e.corner-a)+1)
	case prePlane:
		return e.plane(x, y)
	case preDownLeft:
		k := x + y
		return (e.above[k] + 2*e.above[k+1] + e.above[min(k+2, 7)] + 2) / 4
	}
	// preDownRight: the column from below, the corner, the row.
	line := [9]int{e.left[3], e.left[2], e.left[1], e.left[0], e.corner, e.above[0], e.above[1], e.above[2], e.above[3]}
	k := 4 + x - y
	return (line[k-1] + 2*line[k] + line[k+1] + 2) / 4
}

// plane is the plane through column and row that is nearest to them in squares, in fortieths, halves upward.
func (e *edges) plane(x, y int) int {
	sum, dx, dy := 0, 0, 0
	for i, n := range [4]int{-3, -1, 1, 3} {
		sum += e.left[i] + e.above[i]
		dx += n * e.above[i]
		dy += n * e.left[i]
	}
	v := 5*sum + dx*(4*x-1) + dy*(4*y-1) + 20
	if v < 0 {
		return 0
	}
	return min(v/40, 64)
}

// adjust changes how weights differ from their mean.
func adjust(w *[16]int, contrast int) {
	if contrast == 0 {
		return
	}
	sum := 8
	for _, v := range w {
		sum += v
	}
	mean := sum >> 4
	for k, v := range w {
		if contrast != 2 {
			v = min(max(2*mean-v, 0), 64)
		}
		if contrast != 1 {
			v = (v + mean + 1) / 2
		}
		w[k] = v
	}
}

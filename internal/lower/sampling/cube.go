package sampling

import (
	"slices"

	ref "github.com/pumice-gpu/pumice/internal/sampling"
)

// findSeams splits the coordinates of a seamless cube into taps and lists the
// places whose footprint leaves its face.
//
// IMG-503
func (u *Unit) findSeams(p *plan, b *batch, l *level) {
	u.linear(p, b, l, 0)
	u.linear(p, b, l, 1)
	n, row := l.size[0], p.pitchOf(l, 1)
	x, y := &u.x[0], &u.x[1]
	x1, y1 := x.at[1][:b.n], y.at[1][:b.n]
	for k, i := range x.at[0][:b.n] {
		j := y.at[0][k&(chunk-1)]
		if uint32(i) >= uint32(n-1) || uint32(j) >= uint32(n-1) {
			u.seams = append(u.seams, seam{int32(k), i, j})
			i, j = 0, 0
		}
		i1, j1 := i, j
		if n > 1 {
			i1, j1 = i+1, j+1
		}
		k &= chunk - 1
		y.at[0][k], y1[k] = j*row, j1*row
		if p.key.Texel != TexelBlock {
			i, i1 = l.along(0, i), l.along(0, i1)
		}
		x.at[0][k], x1[k] = i, i1
	}
}

// overEdge gives a place the texel of tap (i, j) on whichever face it lies
// (IMG-215, IMG-216); tap (i, j) of a corner has no texel of its own, and the
// lane goes to the reference (IMG-220).
//
// IMG-218
func (u *Unit) overEdge(p *plan, b *batch, l *level, e seam, i, j int32) {
	k := e.k & (chunk - 1)
	n := int(l.size[0])
	face, i2, j2, corner := ref.OverEdge(int(b.face[k]), int(e.i+i), int(e.j+j), n)
	if corner {
		u.corner(int32(b.laneAt(int(k))))
		face, i2, j2 = int(b.face[k]), 0, 0
	}
	start := l.start + (6*b.layer[k]+int32(face))*l.layer
	if p.key.Texel == TexelBlock {
		u.off[k], u.inBlock[k] = p.inBlock(l, start, int32(i2), int32(j2), 0)
		return
	}
	u.off[k] = start + l.along(0, int32(i2)) + int32(j2)*l.pitch[1]
}

// corner lists a lane for the reference, once.
//
// IMG-221, IMG-222
func (u *Unit) corner(lane int32) {
	if n := len(u.onCorner); n > 0 && u.onCorner[n-1] == lane || slices.Contains(u.onCorner, lane) {
		return
	}
	u.onCorner = append(u.onCorner, lane)
}

package sampling

import (
	"slices"

	ref "github.com/pumice-gpu/pumice/internal/sampling"
)

// findSeams splits the coordinates of a seamless cube into taps and lists the
// places whose footprint leaves its face.
func (u *Unit) findSeams(p *plan, b *batch, l *level) {
	u.linear(p, b, l, 0)
	u.linear(p, b, l, 1)
	u.seams = u.seams[:0]
	n, pitch, row := l.size[0], l.pitch[0], l.pitch[1]
	if p.key.Texel == TexelBlock {
		pitch, row = 1, 1
	}
	x, y := &u.x[0], &u.x[1]
	x1, y1 := x.at[1][:b.n], y.at[1][:b.n]
	for k, i := range x.at[0][:b.n] {
		j := y.at[0][k&(chunk-1)]
		if uint32(i) >= uint32(n-1) || uint32(j) >= uint32(n-1) {
			u.seams = append(u.seams, seam{int32(k), i, j})
			i, j = 0, 0
		}
		k &= chunk - 1
		x.at[0][k], y.at[0][k] = i*pitch, j*row
		x1[k], y1[k] = i*pitch, j*row
		if n > 1 {
			x1[k] += pitch
			y1[k] += row
		}
	}
}

// overEdge gives a place the texel of tap (i, j) on whichever face it lies
// (IMG-215, IMG-216); tap (i, j) of a corner has no texel of its own, and the
// lane goes to the reference (IMG-220).
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
	u.off[k] = start + int32(i2)*l.pitch[0] + int32(j2)*l.pitch[1]
}

// corner lists a lane for the reference, once.
func (u *Unit) corner(lane int32) {
	if n := len(u.onCorner); n > 0 && u.onCorner[n-1] == lane || slices.Contains(u.onCorner, lane) {
		return
	}
	u.onCorner = append(u.onCorner, lane)
}

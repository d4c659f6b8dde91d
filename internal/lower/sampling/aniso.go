package sampling

import (
	ref "github.com/pumice-gpu/pumice/internal/sampling"
)

// anisotropic adds up the probes of every lane (IMG-561…563): probe i of all
// lanes that have one, then the next. Levels join the total one by one.
//
// IMG-564, IMG-565, IMG-567
func (u *Unit) anisotropic(p *plan, b *batch, hi int, how uint32, probes int) {
	for i := range probes {
		q := &u.probes
		q.n, q.base = 0, -1
		some := uint32(0)
		for k := range b.n {
			if int(b.count[k&(chunk-1)]) > i {
				q.take(p, b, k)
				q.toProbe(p, q.n-1, i)
				some |= b.frac[k&(chunk-1)]
			}
		}
		u.probeLevel(p, q, hi, how)
		u.addLevel(p, q, true, i == 0)
		if some != 0 {
			u.probeLevel(p, q, hi+1, how)
			u.addLevel(p, q, false, false)
		}
	}
}

// probeLevel sums one level of one probe.
func (u *Unit) probeLevel(p *plan, q *batch, at int, how uint32) {
	if p.key.Sum == SumBytes && p.st.Dims == 2 {
		u.levelBytes(p, q, at, how == groupLinear, &u.bytesHi)
		u.unpackBytes(p, q)
		return
	}
	u.level(p, q, at, how, &u.kept)
}

// addLevel adds the sums of level hi or hi+1 to the totals.
//
// IMG-565
func (u *Unit) addLevel(p *plan, q *batch, hi, first bool) {
	for c := range u.total.c {
		if !p.counted(c) {
			continue
		}
		d, s := &u.total.c[c], u.kept.c[c][:q.n]
		for k, x := range s {
			to, w := q.slot[k]&(chunk-1), float64(q.frac[k])
			if hi {
				w = one8 - w
			}
			switch {
			case w == 0: // IMG-466
			case p.key.Sum == SumReduce && first:
				d[to] = x
			case p.key.Sum == SumReduce:
				d[to] = p.reduce(d[to], x)
			case first:
				d[to] = float64(w * x)
			default:
				d[to] += float64(w * x)
			}
		}
	}
}

// toProbe moves place k to its probe i. A probe that leaves its cube face goes to
// the face that its direction selects.
//
// IMG-568
func (b *batch) toProbe(p *plan, k, i int) {
	n := b.count[k]
	if n == 1 {
		return
	}
	t := float64((1 - 1/b.eta[k]) * (float64(float64(i)/float64(n-1)) - 0.5))
	for d := range p.st.Dims {
		b.c[d][k] += float64(t * b.axis[d][k])
	}
	if x, y := b.c[0][k], b.c[1][k]; p.st.Cube && (x < 0 || x > 1 || y < 0 || y > 1) {
		dx, dy, dz := ref.CubeDirection(int(b.face[k]), float64(2*x)-1, float64(2*y)-1)
		face := ref.CubeFace(dx, dy, dz)
		sc, tc, rc := ref.CubeSelect(face, dx, dy, dz)
		b.face[k], b.c[0][k], b.c[1][k] = int32(face), ref.CubeCoord(sc, rc), ref.CubeCoord(tc, rc)
	}
}

package render

import (
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/fragops"
)

// addCoverage says what becomes of coverage at colour attachment i.
func (s *drawState) addCoverage(pl *passPlan, i int) error {
	d, a := s.dynamic, pl.color[i]
	c := fragops.NewCoverage(pl.samples, a.samples, d.CoverageReduction)
	if d.CoverageToColor && uint32(s.location[i]) == d.CoverageToColorLocation { // fragops-coverage-to-color
		if err := c.SetToColor(a.info); err != nil {
			return err
		}
	}
	table := d.CoverageTable[:d.CoverageTableCount]
	if !d.CoverageTableEnable { // fragops-coverage-modulation
		table = nil
	}
	if err := c.Modulate(a.info, d.CoverageModulation, table); err != nil {
		return err
	}
	s.coverage[i] = c
	s.toColor = s.toColor || c.ToColor
	s.whole = s.whole || c.ToColor || c.Modulates() || c.Group > 1
	return nil
}

// writeColor writes the batch's colours to an attachment.
func (w *worker) writeColor(st *drawState, i int) error {
	b, v := &w.batch, &st.coverage[i]
	src := &b.prog.colors[st.location[i]]
	switch {
	case st.byQuads(i, w.plan.samples):
		return w.storeQuads(st, i, b.masks[:b.n])
	case v.Trivial(w.plan.samples):
		return w.store(st, i, b.list, src, &b.prog.second)
	case v.ToColor:
		return w.writeMasks(st, i)
	case v.Modulates():
		return w.writeModulated(st, i, src)
	default:
		b.fewer = b.fewer[:0]
		for k, f := range b.list { // fragops-coverage-reduction
			if f.Mask = v.Reduce(f.Mask, w.wholeMask(k)); f.Mask != 0 {
				b.fewer = append(b.fewer, f)
			}
		}
		return w.store(st, i, b.fewer, src, &b.prog.second)
	}
}

// writeMasks stores the coverage of each fragment's pixel.
func (w *worker) writeMasks(st *drawState, i int) error {
	b, v := &w.batch, &st.coverage[i]
	src := b.scratch(w.x.cfg.Lanes)
	b.fewer = b.fewer[:0]
	for k, f := range b.list {
		whole := w.wholeMask(k)
		if f.Mask = v.Reduce(f.Mask, whole); f.Mask == 0 {
			continue
		}
		f.Lane = uint16(len(b.fewer))
		src[0][f.Lane] = v.Value(whole)
		if b.fewer = append(b.fewer, f); len(b.fewer) == len(src[0]) {
			if err := w.storeFewer(st, i, src, src); err != nil {
				return err
			}
		}
	}
	return w.storeFewer(st, i, src, src)
}

// writeModulated stores colours multiplied by how much of a colour sample is
// covered: each fragment becomes one for each number of covered samples.
func (w *worker) writeModulated(st *drawState, i int, from *[4][]uint32) error {
	b, v := &w.batch, &st.coverage[i]
	src, second := b.scratch(w.x.cfg.Lanes), &b.scaled[1]
	b.fewer = b.fewer[:0]
	for k, f := range b.list {
		lane := int(f.Lane)
		whole := w.wholeMask(k)
		for rest := v.Reduce(f.Mask, whole); rest != 0; rest &^= f.Mask {
			n := v.Covered(whole, bits.TrailingZeros16(rest))
			f.Mask = 0
			for m := rest; m != 0; m &= m - 1 {
				if s := bits.TrailingZeros16(m); v.Covered(whole, s) == n {
					f.Mask |= 1 << s
				}
			}
			f.Lane = uint16(len(b.fewer))
			v.Scale(src, int(f.Lane), from, lane, n)
			v.Scale(second, int(f.Lane), &b.prog.second, lane, n)
			if b.fewer = append(b.fewer, f); len(b.fewer) == len(src[0]) {
				if err := w.storeFewer(st, i, src, second); err != nil {
					return err
				}
			}
		}
	}
	return w.storeFewer(st, i, src, second)
}

// storeFewer stores the colours of batch.fewer, and empties it.
func (w *worker) storeFewer(st *drawState, i int, src, second *[4][]uint32) error {
	b := &w.batch
	err := w.store(st, i, b.fewer, src, second)
	b.fewer = b.fewer[:0]
	return err
}

// scratch is lanes for colours that writers make.
func (b *batch) scratch(lanes int) *[4][]uint32 {
	for i := range b.scaled {
		for k := range b.scaled[i] {
			b.scaled[i][k] = growTo(b.scaled[i][k], lanes)
		}
	}
	return &b.scaled[0]
}

// wholeMask is the coverage of the pixel of fragment k of the list: with sample
// shading that of all its invocations.
func (w *worker) wholeMask(k int) uint16 {
	b := &w.batch
	if len(b.whole) == 0 {
		return b.list[k].Mask
	}
	return b.whole[k]
}

// gather unites the samples of the invocations of each pixel, which are in the
// batch one behind the other (see pushWhole).
func (b *batch) gather() {
	b.whole = b.whole[:0]
	first := 0 // of the invocations of a pixel quad
	var union [4]uint16
	for at := 0; at < len(b.list); {
		first = int(b.list[at].Lane) / 4
		if b.quads[first].coarse { // one invocation, of several pixels
			b.whole = append(b.whole, b.list[at].Mask)
			at++
			continue
		}
		union = [4]uint16{}
		end := at
		for ; end < len(b.list) && b.samePixels(first, int(b.list[end].Lane)/4); end++ {
			union[b.list[end].Lane%4] |= b.list[end].Mask
		}
		for ; at < end; at++ {
			b.whole = append(b.whole, union[b.list[at].Lane%4])
		}
	}
}

// samePixels says that two quads of the batch are invocations of the same
// fragments.
func (b *batch) samePixels(i, k int) bool {
	p, q := &b.quads[i], &b.quads[k]
	return p.setup == q.setup && p.chunk == q.chunk && p.quad.X == q.quad.X && p.quad.Y == q.quad.Y && (i == k || p.sample != q.sample)
}

package render

import (
	"github.com/pumice-gpu/pumice/internal/fragops"
)

// What is watched in batches of quads, which shade what places can not.

// laneIn is the lane of the pixel in the quad at (x, y).
func (v *Watch) laneIn(x, y int32) (lane int, ok bool) {
	return int(v.Y&1<<1 | v.X&1), v.X&^1 == x && v.Y&^1 == y
}

// shadeQuads runs the shader of the batch.
func (m *watcher) shadeQuads() error {
	b := &m.w.batch
	if len(m.seen) == 0 {
		return b.prog.run(b.draw.fragment.ctx, &b.lanes)
	}
	return m.run(b.prog, &b.lanes, func(o *sight) int {
		last := none
		for k := range b.n {
			lane, ok := m.laneOf(o, k)
			if !ok {
				continue
			}
			last, o.sample = 4*k+lane, b.quads[k].sample
			if b.quads[k].coarse {
				r := b.coarse[k].rate
				o.width, o.height = 1<<r.w, 1<<r.h
			}
		}
		return last
	})
}

// laneOf is the lane of quad k of the batch that shades the sample.
func (m *watcher) laneOf(o *sight, k int) (lane int, ok bool) {
	w := m.w
	q, x, y := &w.batch.quads[k], o.watch.X, o.watch.Y
	if q.coarse {
		cq := &w.batch.coarse[k]
		if x < cq.x || x >= cq.x+2<<cq.rate.w || y < cq.y || y >= cq.y+2<<cq.rate.h {
			return 0, false
		}
		lane, pixel := cq.rate.place(x-cq.x, y-cq.y)
		return lane, cq.mask[lane][pixel] != 0
	}
	if lane, ok = o.watch.laneIn(q.quad.X, q.quad.Y); !ok {
		return 0, false
	}
	mask := fragops.PixelMask(q.quad.Mask, lane)
	if q.sample != none && w.plan.samples > 1 {
		own := w.ownSamples(q)
		if w.batch.draw.state.override { // any that is covered stands for all its own
			return lane, mask&own != 0 && own&o.group != 0
		}
		return lane, mask&own&o.group != 0
	}
	return lane, mask != 0
}

// shapedQuads takes down what shaders have made of coverage.
func (m *watcher) shapedQuads(masks []uint64) {
	for _, o := range m.seen {
		for k, mask := range masks {
			q := &m.w.batch.quads[k]
			if lane, ok := o.watch.laneIn(q.quad.X, q.quad.Y); ok && !q.coarse {
				o.shaped |= fragops.PixelMask(mask, lane)
			}
		}
	}
}

// finishedQuads takes down what is left of coverage, and the colours.
func (m *watcher) finishedQuads(st *drawState) {
	b := &m.w.batch
	for _, o := range m.seen {
		for _, f := range b.list {
			if int32(f.X) == o.watch.X && int32(f.Y) == o.watch.Y {
				o.finish(st, b.prog, int(f.Lane), uint32(f.Mask))
			}
		}
	}
}

package render

import (
	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/raster"
)

// Pixels with several invocations, which share out their samples: sample shading, and
// shading rates that ask for it.

// share is the samples of a pixel that invocation i of n has: from first on, to next.
//
// RAS-172 primsrast-shading-rate-image
func share(i, n, samples int) (first, next int) {
	return (i*samples + n - 1) / n, ((i+1)*samples + n - 1) / n
}

// pushShares adds n invocations a pixel, in the order of the samples that they
// share out; those of which nothing is covered are left out. They are evaluated at
// the first of their samples.
func (w *worker) pushShares(c *chunk, s *raster.Setup, rec *primRec, quads []raster.Quad, full []uint64, shares int) error {
	b := &w.batch
	b.shares = shares
	size := len(b.run)
	if c.draw.state.whole {
		size = 1 // see gather
	}
	for at := 0; at < len(quads); at += size {
		part := quads[at:min(at+size, len(quads))]
		if c.draw.state.whole && b.n+shares > len(b.quads) {
			if err := w.flush(); err != nil {
				return err
			}
		}
		for i := range shares {
			first, next := share(i, shares, w.plan.samples) // RAS-159, RAS-176
			of := fragops.SampleMask(1<<next - 1<<first)    // RAS-177
			n := 0
			for k := range part { // RAS-171, RAS-177 primsrast-sampleshading
				if m := part[k].Mask & of; m != 0 {
					b.run[n] = raster.Quad{X: part[k].X, Y: part[k].Y, Mask: m}
					b.runFull[n] = full[at+k] & of
					n++
				}
			}
			if err := w.push(c, s, rec, b.run[:n], b.runFull[:n], first); err != nil {
				return err
			}
		}
	}
	b.shares = 1
	return nil
}

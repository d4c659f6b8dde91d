package sampling

import (
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/resource"
)

// load reads, converts and compares one texel of a level (IMG-070 steps 13–15);
// coordinates are inside. No program samples images of several samples.
func (u *sampled) load(l *resource.Level, i, j, k int, ref float32) format.Texel {
	sample := 0 // IMG-485
	u.a.noteTexel(l, i, j, k, sample)
	t := texelOf(u.info, u.a.Blocks, l, i, j, k, sample)
	out := u.compareTexel(t, ref)
	if trace := u.a.Trace; trace != nil {
		trace.texel(u, [3]int{i, j, k}, t, out, ref, u.a.bound(l.Data[l.Offset(i, j, k, sample):], l.Bytes))
	}
	return out
}

package render

import "github.com/pumice-gpu/pumice/internal/raster"

// A strip's stipple pattern goes on from segment to segment, over the ends of
// chunks too. Chunks are set up in parallel, so each starts with phase 0, and the
// lines that continue a strip of the chunk before are moved on afterwards, chunk
// by chunk in API order.

// stippleState is what a chunk has of the pattern.
type stippleState struct {
	open    int   // set-ups before the first start of a strip
	started bool  // a strip has started in the chunk
	phase   int32 // after the last segment, from that start or from the chunk's
	period  int32 // 0: the chunk has no stippled lines
}

// startStipple begins the pattern of a strip anew, whose first line may be one that no layer or
// viewport has.
//
// RAS-225 primsrast-lines-stipple
func (c *chunk) startStipple(state *raster.State) {
	if state.Stipple.Factor == 0 {
		return
	}
	p := &c.pattern
	if !p.started {
		p.open = len(c.setups)
	}
	p.started, p.phase, p.period = true, 0, state.Stipple.Period()
}

// stipple gives a line its phase and moves the pattern on.
func (c *chunk) stipple(seg *raster.Segment, state *raster.State, v0, v1 *raster.Vertex) {
	p := &c.pattern
	p.period = state.Stipple.Period()
	seg.Phase = p.phase
	if (v0.Out|v1.Out)&(raster.OutW|raster.OutGuard|raster.OutInvalid) != 0 { // RAS-226
		return // no length in the framebuffer
	}
	p.phase = (p.phase + state.Advance(v0.X, v0.Y, v1.X, v1.Y)) % p.period // RAS-224
}

// carryStipple goes through the chunks of a round in order and moves on the
// lines that continue a strip; x.phase is where the last chunk has left it.
func (x *Executor) carryStipple() {
	for _, c := range x.pool[:x.ready] {
		p := &c.pattern
		if p.period == 0 {
			continue
		}
		if !p.started {
			p.open = len(c.setups)
		}
		if x.phase != 0 {
			for i := range c.setups[:p.open] {
				c.setups[i].Shift(x.phase)
			}
		}
		if p.started {
			x.phase = p.phase
		} else {
			x.phase = (x.phase + p.phase) % p.period
		}
	}
}

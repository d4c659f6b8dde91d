package render

import (
	"encoding/binary"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/render/geometry"
)

// MaxFeedbackBuffers is maxTransformFeedbackBuffers.
const MaxFeedbackBuffers = ir.MaxFeedbackBuffers

// Feedback is transform feedback between its begin and its end: where the next
// vertex goes. Draws of one pass, or of the parts of one, share it.
type Feedback struct {
	// Buffers are the bound ranges; nil: not bound.
	Buffers [MaxFeedbackBuffers][]byte
	at      [MaxFeedbackBuffers]uint64 // bytes written
}

// Load starts where counter buffers say, those that are nil at 0; counters have
// four bytes.
func (f *Feedback) Load(counters [MaxFeedbackBuffers][]byte) {
	for i, c := range counters {
		f.at[i] = 0
		if len(c) >= 4 {
			f.at[i] = uint64(binary.LittleEndian.Uint32(c))
		}
	}
}

// Store writes counter buffers.
//
// RAS-065 vertexpostproc-transform-feedback
func (f *Feedback) Store(counters [MaxFeedbackBuffers][]byte) {
	for i, c := range counters {
		if len(c) >= 4 {
			binary.LittleEndian.PutUint32(c, uint32(f.at[i]))
		}
	}
}

// capturedSlot is an output that goes to a feedback buffer.
type capturedSlot struct {
	slot   int
	buffer int
	offset uint32 // in the vertex, bytes
}

// captureLink is what a pipeline captures.
type captureLink struct {
	slots   [ir.MaxStreams][]capturedSlot
	buffers [ir.MaxStreams]uint32 // mask
	stride  [MaxFeedbackBuffers]uint32
	any     bool
}

// linkCapture collects the captured outputs of the last stage.
func (l *linkage) linkCapture(p *ir.Program) {
	if !p.Captures {
		return
	}
	l.capture.stride = p.FeedbackStride
	for slot, io := range l.last {
		if !io.Captured {
			continue
		}
		s := io.Stream % ir.MaxStreams
		l.capture.slots[s] = append(l.capture.slots[s], capturedSlot{slot, int(io.Buffer), io.Offset})
		l.capture.buffers[s] |= 1 << io.Buffer
		l.capture.any = true
	}
	// What is declared and never written is undefined, but takes its room.
	for _, io := range l.unwritten {
		if io.Captured {
			l.capture.buffers[io.Stream%ir.MaxStreams] |= 1 << io.Buffer
			l.capture.any = true
		}
	}
}

// captured is what a chunk has for feedback buffers, in order.
type captured struct {
	prims []capturedPrim
	words []uint32 // vertex by vertex, the slots of the primitive's stream
}

type capturedPrim struct{ stream, n uint8 }

// capture counts the primitives of a block by stream, and keeps what is to be
// written of them: where it goes depends on all that comes before.
//
// RAS-063, RAS-358 vertexpostproc-transform-feedback
func (w *binner) capture(c *chunk, b *geometry.Stretch) {
	link := &c.draw.state.link.capture
	active := c.draw.draw.Feedback != nil && link.any
	for i := range b.Primitives {
		p := &b.Primitives[i]
		s := p.Stream % ir.MaxStreams
		w.stats.Generated[s]++
		if !active {
			continue
		}
		w.stats.Needed[s]++
		c.captured.prims = append(c.captured.prims, capturedPrim{s, p.N})
		// The provoking vertex comes first, or in the other mode last; both keep
		// the winding.
		// RAS-064
		at := p.Provoking
		if c.draw.state.stages.LastProvokes {
			at++
		}
		for range p.N {
			row := p.V[at%p.N]
			at++
			for _, slot := range link.slots[s] {
				c.captured.words = append(c.captured.words, b.Out[slot.slot][row])
			}
		}
	}
}

// commitFeedback writes what the chunks of a round have for feedback buffers, in
// key order, and carries out the events between them.
func (x *Executor) commitFeedback(stats *Stats) {
	for _, c := range x.pool[:x.ready] {
		if c.draw.draw.Event != nil {
			c.draw.draw.Event()
			continue
		}
		if len(c.captured.prims) > 0 {
			c.draw.draw.Feedback.write(&c.captured, &c.draw.state.link.capture, stats)
		}
	}
}

// write appends captured primitives to the buffers.
//
// RAS-063 vertexpostproc-transform-feedback
func (f *Feedback) write(c *captured, link *captureLink, stats *Stats) {
	words := c.words
	for _, p := range c.prims {
		slots := link.slots[p.stream]
		// RAS-065
		fits := true
		for i := range f.Buffers {
			if link.buffers[p.stream]>>i&1 != 0 && f.Buffers[i] != nil {
				fits = fits && f.at[i]+uint64(p.n)*uint64(link.stride[i]) <= uint64(len(f.Buffers[i]))
			}
		}
		if !fits {
			words = words[int(p.n)*len(slots):]
			continue
		}

		for v := range uint64(p.n) {
			for _, s := range slots {
				if dst := f.Buffers[s.buffer]; dst != nil {
					at := f.at[s.buffer] + v*uint64(link.stride[s.buffer]) + uint64(s.offset)
					if at+4 <= uint64(len(dst)) {
						binary.LittleEndian.PutUint32(dst[at:], words[0])
					}
				}
				words = words[1:]
			}
		}
		for i := range f.Buffers { // RAS-065
			if link.buffers[p.stream]>>i&1 != 0 && f.Buffers[i] != nil {
				f.at[i] += uint64(p.n) * uint64(link.stride[i])
			}
		}
		stats.Written[p.stream]++
	}
}

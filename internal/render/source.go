package render

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/pumice-gpu/pumice/internal/assembly"
	"github.com/pumice-gpu/pumice/internal/render/geometry"
	"github.com/pumice-gpu/pumice/vk"
)

// source walks the draws of a pass and hands out chunks in API order. Its caller
// holds the lock of the executor.
type source struct {
	x    *Executor // asked whether to stop
	plan *passPlan
	asm  assembly.Assembler

	draw    int    // index in plan.draws
	opened  bool   // the draw's records have been looked at
	records uint32 // of an indirect draw; 1 otherwise
	record  uint32
	running bool // a record is being assembled
	cur     command
	view    uint32
	inst    uint32
	yielded bool            // the record has given a primitive
	barrier bool            // stopped before a draw that wants everything before it done
	passed  int             // draws whose barrier has been honoured: index + 1
	mesh    geometry.Groups // of a mesh draw's record: first is the next
	asked   uint32          // counts what is looked for primitives
	named   uint64          // vertices that the records opened so far name, for all instances and views
}

// command is one draw with its numbers.
type command struct {
	first, count, firstInstance, instances uint32
	vertexOffset                           int32
	drawIndex                              uint32
}

// done says that the pass has no more chunks.
func (s *source) done() bool { return s.draw >= len(s.plan.draws) }

// next fills c, whose prims, inst and spans have room for maxVertices, with the next
// chunk. It returns false at the end of the pass and
// at a barrier.
func (s *source) next(c *chunk) (bool, error) {
	for !s.done() {
		dp := &s.plan.draws[s.draw]
		if len(c.pieces) > 0 && (dp.draw.Barrier || dp.state != c.draw.state || dp.Group != c.draw.Group) {
			break
		}
		if s.asked++; s.asked%drawsAtOnce == 0 {
			if err := s.x.stopped(); err != nil {
				return false, s.x.during(&dp.Draw, err)
			}
		}
		if dp.draw.Barrier && s.passed <= s.draw {
			s.barrier = true
			return false, nil
		}
		if dp.state == nil {
			c.draw, c.Of = dp, &dp.Draw
			s.draw++
			return true, nil
		}
		if !s.opened {
			s.opened, s.record, s.records = true, 0, dp.draw.records()
			if dp.state.fate == discarded && !dp.state.pipe.writesMemory() && !s.plan.pass.CountAll &&
				!s.plan.pass.CountStreams && (dp.draw.Feedback == nil || !dp.state.link.capture.any) {
				s.records = 0 // nothing would be seen
			}
			if err := s.asm.Reset(dp.state.asm); err != nil && dp.state.stages.Mesh == none {
				return false, &PassError{Draw: dp.Index, What: "primitive assembly", Err: err}
			}
		}
		if s.record >= s.records {
			s.draw, s.opened = s.draw+1, false
			continue
		}
		if dp.state.stages.Mesh != none {
			if !s.running && !s.openMesh(dp) {
				s.record++
				continue
			}
			s.fillMesh(dp, c)
			return true, nil
		}
		if !s.running && !s.open(dp) {
			s.record++
			continue
		}
		if s.fill(dp, c) && (c.n > s.plan.joined || !s.joins(dp)) {
			return true, nil
		}
	}
	return len(c.pieces) > 0, nil
}

// joins says that a chunk with this draw's primitives may go on with those of the
// next, whose state is the same: what else the chunk keeps does not tell them apart.
func (s *source) joins(dp *drawPlan) bool {
	p := s.plan.pass
	return !dp.state.stages.Wide && dp.state.fate != discarded && dp.draw.Feedback == nil && p.ViewMask == 0 &&
		!p.CountStreams && s.plan.stores == nil && dp.state.Raster[0].Stipple.Factor == 0
}

// pass lets the draw after a barrier start.
func (s *source) pass() { s.barrier, s.passed = false, s.draw+1 }

// open starts a record; false if it draws nothing.
func (s *source) open(dp *drawPlan) bool {
	s.cur.read(dp.draw, s.record)
	if s.cur.count == 0 || s.cur.instances == 0 {
		return false
	}
	s.running, s.view, s.inst, s.yielded = true, uint32(bits.TrailingZeros32(s.plan.pass.ViewMask))%32, 0, false
	s.named += uint64(s.cur.count) * uint64(s.cur.instances) * uint64(max(bits.OnesCount32(s.plan.pass.ViewMask), 1))
	s.start(dp)
	return true
}

// start points the assembler at the record's vertices.
func (s *source) start(dp *drawPlan) {
	if ix := dp.draw.Index; ix != nil {
		s.asm.Indices(ix.Data, indexSize(ix.Type), s.cur.first, s.cur.count, s.cur.vertexOffset)
		if ix.CustomRestart {
			s.asm.RestartAt(ix.RestartIndex)
		}
		return
	}
	s.asm.Vertices(s.cur.first, s.cur.count)
}

func indexSize(t vk.IndexType) int {
	switch t {
	case vk.IndexTypeUint8:
		return 1
	case vk.IndexTypeUint16:
		return 2
	default:
		return 4
	}
}

// fill adds primitives of one record and view, over as many instances as
// fit. It returns false if the record has ended without any.
func (s *source) fill(dp *drawPlan, c *chunk) bool {
	size := dp.state.asm.Vertices()
	// A chunk has a share of the bins of a worker, and of the record, so that there is some for all.
	all := uint64(s.cur.count) * uint64(s.cur.instances)
	share := min(all/uint64(4*len(s.x.workers)), uint64(s.x.chunkBytes/vertexBytes), maxVertices)
	first, room := c.n, max(int(share)/size, s.plan.joined+minPrimitives/2)
	if dp.state.stages.Wide {
		room = min(minPrimitives, wideVertices/size)
	}
	consecutive := !dp.state.stages.Wide && dp.state.asm.Consecutive() && (dp.draw.Index == nil || !dp.state.asm.Restart)
	base := s.cur.first
	if dp.draw.Index != nil {
		base = uint32(s.cur.vertexOffset)
	}
	c.draw, c.Of = dp, &dp.Draw
	end := first // of the piece
	for c.n < room {
		if c.n == end {
			c.endPiece()
			n := len(c.pieces)
			c.pieces = slices.Grow(c.pieces, 1)[:n+1]
			p := &c.pieces[n] // field by field: a struct would be made elsewhere and copied
			p.draw, p.params.First, p.params.BaseVertex = dp, s.cur.first, base
			p.params.FirstInstance, p.params.DrawIndex = s.cur.firstInstance, s.cur.drawIndex
			p.params.View = s.view
			end = min(end+max(geometry.MaxVertices/size, 1), room)
		}
		got := 0
		switch {
		case dp.state.stages.Wide:
			got = s.asm.NextWide(c.ids[c.n:end], c.wide[c.n*size:wideVertices])
			c.ids, c.wide = c.ids[:c.n+got], c.wide[:(c.n+got)*size]
		case consecutive:
			n := len(c.spans)
			p := &c.spans[:n+1][n] // which has room for all
			if p.First, p.ID, got = s.asm.Consecutive(end - c.n); got > 0 {
				p.Instance, p.Count = s.inst, uint32(got)
				c.spans = c.spans[:n+1]
			}
		default:
			n := len(c.prims)
			got = s.asm.Next(c.prims[n : n+end-c.n])
			c.prims = c.prims[:n+got]
		}
		if !consecutive {
			n := len(c.inst)
			c.inst = c.inst[:n+got]
			geometry.Fill(c.inst[n:], s.inst)
		}
		c.n += got
		if got > 0 {
			s.yielded = true
			continue
		}
		if !s.asm.Done() { // so many restarts
			if s.x.Stopped() {
				break
			}
			continue
		}
		if !s.instance(dp) {
			break
		}
		if s.inst == 0 {
			break // another view: its own chunk
		}
	}
	c.endPiece()
	return c.n > first
}

// endPiece ends the last piece, which goes if it is empty.
func (c *chunk) endPiece() {
	n := len(c.pieces)
	if n == 0 {
		return
	}
	p, before := &c.pieces[n-1], uint32(0)
	if n > 1 {
		before = c.pieces[n-2].n
	}
	p.end, p.spans, p.n = uint32(len(c.prims)+len(c.ids)), uint32(len(c.spans)), uint32(c.n)
	if p.n == before {
		c.pieces[n-1] = piece{}
		c.pieces = c.pieces[:n-1]
	}
}

// instance goes on to the next instance or view of the record; false if the
// record has ended.
func (s *source) instance(dp *drawPlan) bool {
	s.inst++
	if s.inst < s.cur.instances && s.yielded { // all instances are alike: none has a primitive if the first has not
		s.start(dp)
		return true
	}
	if rest := s.plan.pass.ViewMask >> s.view >> 1; rest != 0 {
		s.view += 1 + uint32(bits.TrailingZeros32(rest))
		s.inst = 0
		s.start(dp)
		return true
	}
	s.running = false
	s.record++
	return false
}

// records is the number of records of a draw: 1, or what an indirect draw says.
func (d *Draw) records() uint32 {
	in := d.Indirect
	if in == nil {
		return 1
	}
	n := in.DrawCount
	if in.Count != nil {
		v, ok := word(in.Count, in.CountOffset)
		if !ok {
			return 0
		}
		n = min(n, v)
	}
	// Records beyond the buffer draw nothing: don't walk them.
	size := uint64(len(in.Buffer))
	if in.Offset >= size {
		return 0
	}
	if in.Stride > 0 {
		n = uint32(min(uint64(n), (size-in.Offset)/uint64(in.Stride)+1))
	} else {
		n = min(n, 1)
	}
	return n
}

// word reads a 32-bit number; false outside the buffer.
func word(b []byte, at uint64) (uint32, bool) {
	if at > uint64(len(b)) || uint64(len(b))-at < 4 {
		return 0, false
	}
	return binary.LittleEndian.Uint32(b[at:]), true
}

// command returns the numbers of a record.
func (d *Draw) command(record uint32) (c command) {
	c.read(d, record)
	return c
}

// read makes c the numbers of a record.
func (c *command) read(d *Draw, record uint32) {
	if d.Indirect != nil {
		*c = d.indirect(record)
		return
	}
	// Field by field: a struct would be made elsewhere and copied.
	c.first, c.count, c.firstInstance, c.instances = d.First, d.Count, d.FirstInstance, d.Instances
	c.vertexOffset, c.drawIndex = d.VertexOffset, d.DrawIndex
	if n := d.ByteCount; n != nil {
		bytes, _ := word(n.Counter, 0)
		c.first, c.vertexOffset, c.count = 0, 0, (bytes-min(bytes, n.Offset))/max(n.Stride, 1)
	}
}

// indirect is command of an indirect draw.
func (d *Draw) indirect(record uint32) command {
	in := d.Indirect
	at := in.Offset + uint64(record)*uint64(in.Stride)
	var w [5]uint32
	n := 4
	if d.Index != nil {
		n = 5
	}
	for i := range n {
		v, ok := word(in.Buffer, at+uint64(4*i))
		if !ok {
			return command{}
		}
		w[i] = v
	}
	c := command{count: w[0], instances: w[1], first: w[2], firstInstance: w[3], drawIndex: d.DrawIndex + record}
	if d.Index != nil {
		c.vertexOffset, c.firstInstance = int32(w[3]), w[4]
	}
	return c
}

package render

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// capturing makes the scene's vertex shader capture Position.x at offset 4 of
// vertices of 8 bytes in buffer 1.
func capturing(s *scene) {
	s.vs.Captures, s.vs.FeedbackStride = true, [MaxFeedbackBuffers]uint32{1: 8}
	for i := range s.vs.Outputs {
		if o := &s.vs.Outputs[i]; o.Builtin == ir.BuiltinPosition && o.Component == 0 {
			o.Captured, o.Buffer, o.Offset = true, 1, 4
		}
	}
}

// numbered appends n vertices whose x counts from 0.
func numbered(n int) (list []float32) {
	for i := range n {
		list = append(list, float32(i), 0, 0, 1, 1, 1, 1, 1)
	}
	return list
}

// read lists the x that were captured, -1 where nothing was written.
func read(b []byte) (list []int) {
	for ; len(b) >= 8; b = b[8:] {
		if binary.LittleEndian.Uint32(b[0:]) != 0xeeeeeeee {
			return nil // bytes between the outputs are left alone
		}
		if w := binary.LittleEndian.Uint32(b[4:]); w == 0xeeeeeeee {
			list = append(list, -1)
		} else {
			list = append(list, int(math.Float32frombits(w)))
		}
	}
	return list
}

func filled(n int) []byte { return slices.Repeat([]byte{0xee}, n) }

// RAS-048, RAS-063, RAS-064, RAS-066: order of vertices, rasterizer discard.
func TestCapture_RAS064_VertexOrder(t *testing.T) {
	rules.Covers(t, "RAS-010", "RAS-048", "RAS-063", "RAS-064", "RAS-066", "RAS-358", "RAS-359", "RC-75", "RAS-049")
	const last = vk.ProvokingVertexModeLastVertexEXT
	for _, c := range []struct {
		topology vk.PrimitiveTopology
		mode     vk.ProvokingVertexModeEXT
		n        int
		want     []int
	}{
		{vk.PrimitiveTopologyPointList, 0, 3, []int{0, 1, 2}},
		{vk.PrimitiveTopologyLineList, last, 5, []int{0, 1, 2, 3}},
		{vk.PrimitiveTopologyLineStrip, 0, 3, []int{0, 1, 1, 2}},
		{vk.PrimitiveTopologyTriangleStrip, 0, 4, []int{0, 1, 2, 1, 3, 2}},
		{vk.PrimitiveTopologyTriangleStrip, last, 4, []int{0, 1, 2, 2, 1, 3}},
		{vk.PrimitiveTopologyTriangleFan, 0, 4, []int{1, 2, 0, 2, 3, 0}},
		{vk.PrimitiveTopologyTriangleFan, last, 4, []int{0, 1, 2, 0, 2, 3}},
	} {
		s := newScene(t, 4, 4, 1, vk.FormatUndefined)
		capturing(s)
		s.state.Topology, s.state.ProvokingVertexMode, s.state.RasterizerDiscard = c.topology, c.mode, true
		f := &Feedback{Buffers: [MaxFeedbackBuffers][]byte{1: filled(8 * (len(c.want) + 1))}}
		s.add(s.pipeline(t, 64), s.state, numbered(c.n), 8).Feedback = f
		st := s.run(t, Config{})
		if got := read(f.Buffers[1]); !slices.Equal(got, append(c.want, -1)) {
			t.Errorf("%v, mode %d: %v, want %v", c.topology, c.mode, got, c.want)
		}
		if st.Written[0] != st.Needed[0] || st.Written[0] != st.Generated[0] || st.Written[0] == 0 {
			t.Errorf("%v: generated %d, needed %d, written %d", c.topology, st.Generated[0], st.Needed[0], st.Written[0])
		}
		s.pass.Draws[0].Feedback, s.pass.CountStreams = nil, true // nothing is captured
		if idle := s.run(t, Config{}); idle.Generated[0] != st.Generated[0] || idle.Needed[0] != 0 || idle.Written[0] != 0 {
			t.Errorf("%v, not captured: generated %d, needed %d, written %d", c.topology, idle.Generated[0], idle.Needed[0], idle.Written[0])
		}
		if pixel(s.color, 0, 0, 0) != [4]byte{} {
			t.Error("discarded primitives are drawn")
		}
		if st.Primitives != 0 || st.Clipped != 0 {
			t.Errorf("%v: %d discarded primitives reach clipping, %d leave it", c.topology, st.Primitives, st.Clipped)
		}
	}
}

// RAS-065: whole primitives only; counters; what follows appends. Any number of
// threads writes the same.
func TestCapture_RAS065_OverflowAndCounters(t *testing.T) {
	rules.Covers(t, "RAS-065")
	const n = 6000
	for _, threads := range []int{1, 5} {
		s := newScene(t, 4, 4, 1, vk.FormatUndefined)
		capturing(s)
		s.state.Topology = vk.PrimitiveTopologyLineList
		p := s.pipeline(t, 64)
		counter := []byte{16, 0, 0, 0}
		counters := [MaxFeedbackBuffers][]byte{1: counter}
		f := &Feedback{Buffers: [MaxFeedbackBuffers][]byte{1: filled(8 * (2 + n + 3))}}
		s.pass.Draws = append(s.pass.Draws, Draw{Event: func() { f.Load(counters) }})
		s.add(p, s.state, numbered(n), 8).Feedback = f
		s.add(p, s.state, numbered(4), 8).Feedback = f
		s.pass.Draws = append(s.pass.Draws, Draw{Event: func() { f.Store(counters) }})
		st := s.run(t, Config{Threads: threads})
		got := read(f.Buffers[1])
		for i := range n {
			if got[2+i] != i {
				t.Fatalf("vertex %d is %d", i, got[2+i])
			}
		}
		if !slices.Equal(got[:2], []int{-1, -1}) || !slices.Equal(got[2+n:], []int{0, 1, -1}) {
			t.Errorf("ends: %v and %v", got[:2], got[2+n:])
		}
		if want := uint32(8 * (2 + n + 2)); binary.LittleEndian.Uint32(counter) != want {
			t.Errorf("counter %d, want %d", binary.LittleEndian.Uint32(counter), want)
		}
		if st.Needed[0] != n/2+2 || st.Written[0] != n/2+1 {
			t.Errorf("needed %d, written %d", st.Needed[0], st.Written[0])
		}
	}
}

// vkCmdDrawIndirectByteCountEXT reads what the pass has captured before a barrier.
func TestCapture_DrawByteCount(t *testing.T) {
	s := newScene(t, 4, 4, 1, vk.FormatUndefined)
	s.state.Topology = vk.PrimitiveTopologyPointList
	s.pass.CountStreams = true
	d := s.add(s.pipeline(t, 64), s.state, numbered(10), 8)
	d.ByteCount = &ByteCount{Counter: []byte{100, 0, 0, 0}, Offset: 4, Stride: 32}
	if st := s.run(t, Config{}); st.Generated[0] != 3 {
		t.Errorf("%d points, want 3", st.Generated[0])
	}
	d.ByteCount.Offset = 200
	if st := s.run(t, Config{}); st.Generated[0] != 0 {
		t.Errorf("%d points, want none", st.Generated[0])
	}
}

// Streams have buffers of their own: that of one has no room, or is not there, and what goes to the other is written.
func TestCapture_RAS065_StreamsApart(t *testing.T) {
	rules.Covers(t, "RAS-063", "RAS-065")
	link := &captureLink{stride: [MaxFeedbackBuffers]uint32{4, 4, 4}}
	link.slots[0], link.buffers[0] = []capturedSlot{{buffer: 0}}, 0b001
	link.slots[5], link.buffers[5] = []capturedSlot{{buffer: 1}, {slot: 1, buffer: 2}}, 0b110
	c := &captured{prims: []capturedPrim{{0, 2}, {5, 1}, {0, 2}, {5, 1}}, words: []uint32{10, 11, 20, 30, 12, 13, 21, 31}}
	f := &Feedback{Buffers: [MaxFeedbackBuffers][]byte{make([]byte, 16), make([]byte, 4)}}
	var stats Stats
	f.write(c, link, &stats)
	var got []uint32
	for _, b := range f.Buffers {
		for ; len(b) > 0; b = b[4:] {
			got = append(got, binary.LittleEndian.Uint32(b))
		}
	}
	if want := []uint32{10, 11, 12, 13, 20}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if stats.Written[0] != 2 || stats.Written[5] != 1 {
		t.Errorf("%d and %d written, want 2 and 1", stats.Written[0], stats.Written[5])
	}
}

// A captured output that the shader declares and never writes takes its room in the
// buffer: primitives without room are needed and not written.
func TestCapture_RAS065_UnwrittenOutputsTakeRoom(t *testing.T) {
	rules.Covers(t, "RAS-065")
	s := newScene(t, 4, 4, 1, vk.FormatUndefined)
	s.vs.Captures, s.vs.FeedbackStride = true, [MaxFeedbackBuffers]uint32{1: 8}
	s.vs.Unwritten = []ir.IO{{Location: 5, Type: ir.F32, Captured: true, Buffer: 1}}
	s.state.Topology = vk.PrimitiveTopologyPointList
	f := &Feedback{Buffers: [MaxFeedbackBuffers][]byte{1: filled(8 * 3)}}
	s.add(s.pipeline(t, 64), s.state, numbered(5), 8).Feedback = f
	if st := s.run(t, Config{}); st.Needed[0] != 5 || st.Written[0] != 3 {
		t.Errorf("%d needed, %d written; want 5 and 3", st.Needed[0], st.Written[0])
	}
}

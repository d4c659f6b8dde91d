package render

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/render/geometry"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// everyBuffer captures two words of each vertex of a stream to each buffer: strides are 8, 12, 16, … bytes,
// and the words lie at the end of a vertex, the second first.
func everyBuffer(stream int) *captureLink {
	link := &captureLink{any: true}
	link.buffers[stream] = 1<<MaxFeedbackBuffers - 1
	for k := range MaxFeedbackBuffers {
		link.stride[k] = uint32(8 + 4*k)
		link.slots[stream] = append(link.slots[stream],
			capturedSlot{slot: 2 * k, buffer: k, offset: link.stride[k] - 4}, capturedSlot{slot: 2*k + 1, buffer: k, offset: link.stride[k] - 8})
	}
	return link
}

// Primitives of 1, 2 and 3 vertices of each stream go to all buffers; where one has no room for a whole primitive it
// is written to none, and counters stand where the last one ended. A buffer that is not bound takes nothing and needs no room.
func TestTables_RAS065_EveryBuffer(t *testing.T) {
	rules.Covers(t, "RAS-063", "RAS-065")
	const before = 20 // bytes that counters begin with
	for stream := range ir.MaxStreams {
		link := everyBuffer(stream)
		for n := range uint8(4) {
			if n == 0 {
				continue
			}
			const prims = 4
			c := &captured{prims: slices.Repeat([]capturedPrim{{uint8(stream), n}}, prims)}
			for i := range prims * int(n) * 2 * MaxFeedbackBuffers {
				c.words = append(c.words, uint32(i)+1)
			}
			// Which buffer is short, and by how many bytes of so many primitives; -1: none is.
			for short := -1; short < MaxFeedbackBuffers; short++ {
				for _, room := range []struct{ whole, bytes int }{{prims, 0}, {prims, -1}, {2, 0}, {2, 3}, {1, -1}, {0, 0}} {
					for unbound := -1; unbound < MaxFeedbackBuffers; unbound++ {
						if short < 0 && room.whole != prims || unbound >= 0 && (unbound+short+stream)%3 != 0 {
							continue
						}
						f, counters := &Feedback{}, [MaxFeedbackBuffers][]byte{}
						fit, size := prims, func(k int) int { return int(n) * int(link.stride[k]) }
						for k := range f.Buffers {
							counters[k] = []byte{before, 0, 0, 0}
							if k == unbound {
								continue
							}
							bytes := before + prims*size(k)
							if k == short {
								bytes = before + room.whole*size(k) + room.bytes
								fit = min(fit, (bytes-before)/size(k))
							}
							f.Buffers[k] = filled(bytes)
						}
						want := [MaxFeedbackBuffers][]byte{}
						for k, b := range f.Buffers {
							if b == nil {
								continue
							}
							want[k] = filled(len(b))
							for v := range fit * int(n) {
								at := before + v*int(link.stride[k])
								word := v*2*MaxFeedbackBuffers + 2*k
								binary.LittleEndian.PutUint32(want[k][at+int(link.stride[k])-4:], uint32(word)+1)
								binary.LittleEndian.PutUint32(want[k][at+int(link.stride[k])-8:], uint32(word)+2)
							}
						}
						var stats Stats
						f.Load(counters)
						f.write(c, link, &stats)
						f.Store(counters)
						for k := range f.Buffers {
							end := before
							if f.Buffers[k] != nil {
								end += fit * size(k)
							}
							if got := binary.LittleEndian.Uint32(counters[k]); got != uint32(end) || !bytes.Equal(f.Buffers[k], want[k]) {
								t.Fatalf("stream %d, %d vertices, buffer %d of %d primitives%+d bytes, %d not bound: buffer %d ends at %d, want %d, and has %v, want %v",
									stream, n, short, room.whole, room.bytes, unbound, k, got, end, f.Buffers[k], want[k])
							}
						}
						if got := stats.Written[stream]; got != uint64(fit) {
							t.Fatalf("stream %d, %d vertices: %d written, want %d", stream, n, got, fit)
						}
					}
				}
			}
		}
	}
}

// A stream's primitives go to its own buffers, whatever the others lack: each stream has one of the buffers.
func TestTables_RAS065_EveryStream(t *testing.T) {
	rules.Covers(t, "RAS-063", "RAS-065")
	link := &captureLink{any: true}
	c := &captured{}
	for s := range ir.MaxStreams {
		k := s % MaxFeedbackBuffers
		link.stride[k], link.buffers[s] = 4, 1<<k
		link.slots[s] = []capturedSlot{{buffer: k}}
	}
	f := &Feedback{}
	for k := range f.Buffers {
		if k%3 != 2 { // the others have no buffer
			f.Buffers[k] = filled(4 * k) // room for k points
		}
	}
	var want [MaxFeedbackBuffers][]byte
	var written [ir.MaxStreams]uint64
	for round := range 3 {
		for s := range ir.MaxStreams {
			k, word := s%MaxFeedbackBuffers, uint32(100*round+s)
			c.prims, c.words = append(c.prims, capturedPrim{uint8(s), 1}), append(c.words, word)
			if f.Buffers[k] == nil {
				written[s]++
			} else if len(want[k]) < len(f.Buffers[k]) {
				want[k] = binary.LittleEndian.AppendUint32(want[k], word)
				written[s]++
			}
		}
	}
	var stats Stats
	f.write(c, link, &stats)
	for k, b := range f.Buffers {
		if b != nil && !bytes.Equal(b[:len(want[k])], want[k]) {
			t.Errorf("buffer %d has %v, want %v", k, b, want[k])
		}
	}
	if stats.Written != written {
		t.Errorf("%v written, want %v", stats.Written, written)
	}
}

// What a chunk keeps of a block: for each primitive of a stream its number of vertices, and their words from the provoking vertex on,
// or in the other mode from the one behind it, so that it comes last; primitives are counted for each stream, captured or not.
func TestTables_RAS064_EveryOrder(t *testing.T) {
	rules.Covers(t, "RAS-063", "RAS-064", "RAS-358")
	const slots = 4
	for _, last := range []bool{false, true} {
		for _, active := range []bool{false, true} {
			state := &drawState{link: &linkage{}, dynamic: &DynamicState{}, pipe: &Pipeline{}}
			state.stages.LastProvokes = last
			link := &state.link.capture
			link.any = true
			w, c := &binner{}, &chunk{draw: &drawPlan{draw: &Draw{}, state: state}}
			if active {
				c.draw.draw.Feedback = &Feedback{}
			}
			b := &geometry.Stretch{Out: make([][]uint32, slots)}
			for s := range ir.MaxStreams { // stream s captures s%3+1 of the slots, the last ones first
				for k := range s%3 + 1 {
					link.slots[s] = append(link.slots[s], capturedSlot{slot: slots - 1 - k})
				}
			}
			var want captured
			var generated, needed [ir.MaxStreams]uint64
			row := uint32(0)
			for s := range uint8(ir.MaxStreams) {
				for n := uint8(1); n <= 3; n++ {
					for provoking := range n {
						p := geometry.Primitive{N: n, Provoking: provoking, Stream: s}
						for k := range n {
							p.V[k] = row
							for slot := range b.Out {
								b.Out[slot] = append(b.Out[slot], 10*row+uint32(slot))
							}
							row++
						}
						b.Primitives = append(b.Primitives, p)
						generated[s]++
						if !active {
							continue
						}
						needed[s]++
						want.prims = append(want.prims, capturedPrim{s, n})
						for k := range n {
							v := p.V[(provoking+k)%n]
							if last {
								v = p.V[(provoking+1+k)%n]
							}
							for i := range uint32(s%3 + 1) {
								want.words = append(want.words, 10*v+slots-1-i)
							}
						}
					}
				}
			}
			w.capture(c, b)
			if !slices.Equal(c.captured.prims, want.prims) || !slices.Equal(c.captured.words, want.words) {
				t.Errorf("last %v, captured %v: %v with %v, want %v with %v", last, active, c.captured.prims, c.captured.words, want.prims, want.words)
			}
			if w.stats.Generated != generated || w.stats.Needed != needed {
				t.Errorf("last %v, captured %v: %v generated, %v needed; want %v and %v", last, active, w.stats.Generated, w.stats.Needed, generated, needed)
			}
		}
	}
}

// Passes of every topology and length: what is assembled, what reaches clipping and what leaves it, what streams count, and what is
// captured, from the provoking vertex on or up to it. Vertices from the sixth on lie to the right of the view volume.
func TestTables_RAS359_EveryTopologyAndLength(t *testing.T) {
	rules.Covers(t, "RAS-010", "RAS-046", "RAS-050", "RAS-053", "RAS-063", "RAS-064", "RAS-065", "RAS-358", "RAS-359")
	const inside, room = 5, 6 // primitives that there is room for
	for topology := vk.PrimitiveTopologyPointList; topology < vk.PrimitiveTopologyPatchList; topology++ {
		for _, mode := range []vk.ProvokingVertexModeEXT{vk.ProvokingVertexModeFirstVertexEXT, vk.ProvokingVertexModeLastVertexEXT} {
			for n := 0; n <= 14; n++ {
				for _, discard := range []bool{false, true} {
					s := newScene(t, 4, 4, 1, vk.FormatUndefined)
					capturing(s)
					s.state.Topology, s.state.ProvokingVertexMode, s.state.RasterizerDiscard = topology, mode, discard
					var list []float32
					for i := range n {
						x, y := .1*float32(i)-.4, .05*float32(i*i)-.3
						if i >= inside {
							x = float32(i)
						}
						list = append(list, x, y, .5, 1, 1, 1, 1, 1)
					}
					var captured []float32
					var size int
					var made, left uint64
					for i := 0; ; i++ {
						v, first, last := tableRow(topology, i, n)
						if v == nil {
							break
						}
						at := first
						if size = len(v); mode == vk.ProvokingVertexModeLastVertexEXT {
							at = last + 1
						}
						some := false
						for k := range v {
							some = some || v[k] < inside
							if made < room {
								captured = append(captured, list[8*v[(at+k)%size]])
							}
						}
						if made++; some && !discard {
							left++
						}
					}
					f := &Feedback{Buffers: [MaxFeedbackBuffers][]byte{1: filled(8*size*room + 7)}}
					s.add(s.pipeline(t, 64), s.state, list, 8).Feedback = f
					st := s.run(t, Config{})
					reached := made
					if discard {
						reached = 0
					}
					if st.VerticesIn != uint64(n) || st.Assembled != made || st.Primitives != reached || st.Clipped != left {
						t.Errorf("%v of %d, discarded %v: %d vertices in, %d assembled, %d reach clipping, %d leave it; want %d, %d, %d, %d", topology, n, discard, st.VerticesIn, st.Assembled, st.Primitives, st.Clipped, n, made, reached, left)
					}
					if st.Generated[0] != made || st.Needed[0] != made || st.Written[0] != min(made, room) {
						t.Errorf("%v of %d, discarded %v: %d generated, %d needed, %d written; want %d, %d, %d", topology, n, discard, st.Generated[0], st.Needed[0], st.Written[0], made, made, min(made, room))
					}
					want := filled(len(f.Buffers[1]))
					for i, x := range captured {
						binary.LittleEndian.PutUint32(want[8*i+4:], math.Float32bits(x))
					}
					if !bytes.Equal(f.Buffers[1], want) {
						t.Errorf("%v of %d, %v, discarded %v: %v, want %v", topology, n, mode, discard, f.Buffers[1], want)
					}
				}
			}
		}
	}
}

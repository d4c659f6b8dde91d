package geometry

import (
	"encoding/binary"
	"math"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/vk"
)

// WordsOf is Attribute.Words of a format.
func WordsOf(f *format.Info) int {
	if f.Aspects&vk.ImageAspectColorBit == 0 || f.Components[0].Bits%32 != 0 {
		return 0
	}
	return min(f.BlockBytes/4, 4)
}

// maxVertexTexel is the largest attribute in bytes.
const maxVertexTexel = 32

// fetchAhead is how far ahead memory is asked for consecutive vertices, bytes: some
// dozens of them, as long as memory takes to answer.
const fetchAhead = 1024

// noConstants serves programs that have none.
var noConstants exec.Context

// zeroTexel stands for memory outside the buffer.
var zeroTexel [maxVertexTexel]byte

// fetch fills in with an attribute of vertices; last is the largest index. decoder is the program of the
// format, or None.
//
// Robustness: an attribute that reaches beyond its buffer reads as zero bytes;
// missing components are 0, 0, 0, 1. fxvertex-input-extraction
func (w *Worker) fetch(a *Attribute, decoder int, in [][]uint32, l *lot, last uint32) error {
	buf, stride := a.BufferOf(w.Feed.Draw.Buffers)
	end := a.Offset + uint64(last)*stride
	inside := end+uint64(a.Size) <= uint64(len(buf.Data))
	if !a.Instanced && (a.Words > 0 || decoder != None) && inside {
		data, together := buf.Data[a.Offset+a.Skip:], end+a.Skip+16 <= uint64(len(buf.Data))
		if a.Words > 0 {
			a.fetchWords(in, l, data, stride, together)
			return nil
		}
		return w.fetchDecoded(a, decoder, in, l, data, stride, together)
	}
	a.fetchAny(in, l, &buf, stride, w.Feed.Params.FirstInstance)
	return nil
}

// BufferOf is what the attribute is fetched from, and the bytes from an element to the next.
func (a *Attribute) BufferOf(buffers []VertexBuffer) (buf VertexBuffer, stride uint64) {
	if a.Binding < len(buffers) {
		buf = buffers[a.Binding]
	}
	if buf.DynamicStride {
		return buf, uint64(buf.Stride)
	}
	return buf, uint64(a.Stride)
}

// fetchAny is fetch for all there is, a vertex at a time.
func (a *Attribute) fetchAny(
	in [][]uint32, l *lot, buf *VertexBuffer, stride uint64, firstInstance uint32,
) {
	one := a.one()
	size := uint64(a.Size)
	for lane, end := 0, 0; lane < l.n; lane = end {
		k, at := l.key(lane), a.Offset
		switch end = lane + 1; {
		case stride == 0 || a.Instanced && (a.Divisor == 0 || l.keys == nil):
			end = l.n
		case a.Instanced: // instances have many vertices
			for end < l.n && l.keys[end].Instance == k.Instance {
				end++
			}
		}
		switch {
		case !a.Instanced:
			at += uint64(k.Vertex) * stride
		case a.Divisor == 0:
			at += uint64(firstInstance) * stride
		default:
			at += uint64(firstInstance+k.Instance/a.Divisor) * stride
		}
		p := zeroTexel[:size]
		if at+size <= uint64(len(buf.Data)) {
			p = buf.Data[at : at+size]
		}
		p = p[a.Skip:]
		t := format.Texel{3: one}
		if a.Words == 0 {
			t = a.Info.Decode(p)
		}
		for i := range a.Words {
			t[i] = binary.LittleEndian.Uint32(p[4*i:])
		}
		for c, slot := range a.Slots {
			if slot != None {
				Fill(in[slot][lane:end], t[c])
			}
		}
	}
}

// one is what the last component is where the format lacks it.
func (a *Attribute) one() uint32 {
	if a.Info.Class == format.ClassFloat {
		return math.Float32bits(1)
	}
	return 1
}

// fetchWords is fetch for words inside the buffer, which begins with vertex 0; together says that
// each has 16 bytes there.
func (a *Attribute) fetchWords(in [][]uint32, l *lot, data []byte, stride uint64, together bool) {
	loadWords(in, &a.Slots, a.Words, l, data, stride, together)
	for c, value := range [4]uint32{3: a.one()} {
		if slot := a.Slots[c]; c >= a.Words && slot != None {
			Fill(in[slot][:l.n], value)
		}
	}
}

// loadWords loads up to four words of each vertex to slots of in.
func loadWords(in [][]uint32, slots *[4]int, words int, l *lot, data []byte, stride uint64, together bool) {
	n, done := l.n, 0
	if haveAVX && together && words > 1 && n >= 4 {
		var to [4]*uint32
		for c, slot := range slots[:words] {
			if slot != None {
				to[c] = &in[slot][:n][0]
			}
		}
		var keys *VertexKey
		from := data
		if l.keys != nil {
			keys = &l.keys[0]
		} else {
			from = data[uint64(l.first)*stride:]
		}
		done = n &^ 3
		fetchAVX(&to, keys, &from[0], stride, done, fetchAhead)
	}
	for c, slot := range slots[:words] {
		if slot == None {
			continue
		}
		to, from := in[slot][:n], data[4*c:]
		for lane := done; lane < n; lane++ {
			to[lane] = binary.LittleEndian.Uint32(from[l.at(lane, stride):])
		}
	}
}

// at is where a vertex is.
func (l *lot) at(i int, stride uint64) uint64 {
	if l.keys != nil {
		return uint64(l.keys[i].Vertex) * stride
	}
	return (uint64(l.first) + uint64(i)) * stride
}

// fetchDecoded is fetch for a format with a program, which takes its words.
func (w *Worker) fetchDecoded(
	a *Attribute, decoder int, in [][]uint32, l *lot, data []byte, stride uint64, together bool,
) error {
	if w.raw == nil {
		// Words, and components that nobody reads: each its own, or they could not be compared.
		w.raw = Rows(8, w.Lanes)
	}
	n, words := l.n, (a.Size+3)/4
	switch lo := w.raw[0][:n]; {
	case a.Size%4 == 0:
		loadWords(w.raw, &[4]int{0, 1, 2, 3}, words, l, data, stride, together)
	case a.Size == 1:
		for i := range lo {
			lo[i] = uint32(data[l.at(i, stride)])
		}
	case a.Size == 2:
		for i := range lo {
			lo[i] = uint32(binary.LittleEndian.Uint16(data[l.at(i, stride):]))
		}
	default: // 3 or 6
		hi := w.raw[1][:n]
		for i := range lo {
			p := data[l.at(i, stride):][:a.Size]
			if lo[i] = uint32(binary.LittleEndian.Uint16(p)) | uint32(p[2])<<16; a.Size > 3 {
				lo[i], hi[i] = binary.LittleEndian.Uint32(p), uint32(binary.LittleEndian.Uint16(p[4:]))
			}
		}
	}
	p, r := w.Programs[decoder], &w.rows
	r.N, r.In, r.Out = n, r.In[:0], r.Out[:0]
	for _, row := range w.raw[:words] {
		r.In = append(r.In, row[:n])
	}
	for i, slot := range a.Slots {
		to := w.raw[4+i]
		if slot != None {
			to = in[slot]
		}
		r.Out = append(r.Out, to[:n])
	}
	return p.Run(&noConstants, r)
}

// FetchVertex fills the first lane of the inputs of the vertex shader for a vertex.
func (d *Draw) FetchVertex(p *Params, k VertexKey, in [][]uint32) {
	l := lot{keys: []VertexKey{k}, n: 1}
	for i := range d.State.Link.Fetch {
		a := &d.State.Link.Fetch[i]
		buf, stride := a.BufferOf(d.Buffers)
		a.fetchAny(in, &l, &buf, stride, p.FirstInstance)
	}
	for _, b := range d.State.Link.Builtins {
		p.fillBuiltin(in[b.Slot], b.Builtin, &l)
	}
}

// fillBuiltin fills a built-in input of n vertices.
func (p *Params) fillBuiltin(dst []uint32, b ir.Builtin, l *lot) {
	switch b {
	case ir.BuiltinVertexIndex:
		for i := range l.n {
			dst[i] = l.key(i).Vertex
		}
	case ir.BuiltinInstanceIndex:
		for i := range l.n {
			dst[i] = p.FirstInstance + l.key(i).Instance
		}
	case ir.BuiltinBaseVertex:
		Fill(dst[:l.n], p.BaseVertex)
	case ir.BuiltinBaseInstance:
		Fill(dst[:l.n], p.FirstInstance)
	case ir.BuiltinDrawIndex:
		Fill(dst[:l.n], p.DrawIndex)
	case ir.BuiltinViewIndex:
		Fill(dst[:l.n], p.View)
	default:
		Fill(dst[:l.n], 0) // linking has refused it
	}
}

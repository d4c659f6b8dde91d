package render

import (
	"encoding/binary"
	"math"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/vk"
)

// wordsOf is attribute.words of a format.
func wordsOf(f *format.Info) int {
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
// format, or none.
//
// Robustness: an attribute that reaches beyond its buffer reads as zero bytes;
// missing components are 0, 0, 0, 1. fxvertex-input-extraction
func (w *stageWorker) fetch(a *attribute, decoder int, in [][]uint32, l *lot, last uint32) error {
	buf, stride := a.bufferOf(w.feed.draw.buffers)
	if end := a.offset + uint64(last)*stride; !a.instanced && (a.words > 0 || decoder != none) && end+uint64(a.size) <= uint64(len(buf.Data)) {
		data, together := buf.Data[a.offset+a.skip:], end+a.skip+16 <= uint64(len(buf.Data))
		if a.words > 0 {
			a.fetchWords(in, l, data, stride, together)
			return nil
		}
		return w.fetchDecoded(a, decoder, in, l, data, stride, together)
	}
	a.fetchAny(in, l, &buf, stride, w.feed.params.firstInstance)
	return nil
}

// bufferOf is what the attribute is fetched from, and the bytes from an element to the next.
func (a *attribute) bufferOf(buffers []VertexBuffer) (buf VertexBuffer, stride uint64) {
	if a.binding < len(buffers) {
		buf = buffers[a.binding]
	}
	if buf.DynamicStride {
		return buf, uint64(buf.Stride)
	}
	return buf, uint64(a.stride)
}

// fetchAny is fetch for all there is, a vertex at a time.
func (a *attribute) fetchAny(
	in [][]uint32, l *lot, buf *VertexBuffer, stride uint64, firstInstance uint32,
) {
	one := a.one()
	size := uint64(a.size)
	for lane, end := 0, 0; lane < l.n; lane = end {
		k, at := l.key(lane), a.offset
		switch end = lane + 1; {
		case stride == 0 || a.instanced && (a.divisor == 0 || l.keys == nil):
			end = l.n
		case a.instanced: // instances have many vertices
			for end < l.n && l.keys[end].instance == k.instance {
				end++
			}
		}
		switch {
		case !a.instanced:
			at += uint64(k.vertex) * stride
		case a.divisor == 0:
			at += uint64(firstInstance) * stride
		default:
			at += uint64(firstInstance+k.instance/a.divisor) * stride
		}
		p := zeroTexel[:size]
		if at+size <= uint64(len(buf.Data)) {
			p = buf.Data[at : at+size]
		}
		p = p[a.skip:]
		t := format.Texel{3: one}
		if a.words == 0 {
			t = a.info.Decode(p)
		}
		for i := range a.words {
			t[i] = binary.LittleEndian.Uint32(p[4*i:])
		}
		for c, slot := range a.slots {
			if slot != none {
				fill(in[slot][lane:end], t[c])
			}
		}
	}
}

// one is what the last component is where the format lacks it.
func (a *attribute) one() uint32 {
	if a.info.Class == format.ClassFloat {
		return math.Float32bits(1)
	}
	return 1
}

// fetchWords is fetch for words inside the buffer, which begins with vertex 0; together says that
// each has 16 bytes there.
func (a *attribute) fetchWords(in [][]uint32, l *lot, data []byte, stride uint64, together bool) {
	loadWords(in, &a.slots, a.words, l, data, stride, together)
	for c, value := range [4]uint32{3: a.one()} {
		if slot := a.slots[c]; c >= a.words && slot != none {
			fill(in[slot][:l.n], value)
		}
	}
}

// loadWords loads up to four words of each vertex to slots of in.
func loadWords(in [][]uint32, slots *[4]int, words int, l *lot, data []byte, stride uint64, together bool) {
	n, done := l.n, 0
	if haveAVX && together && words > 1 && n >= 4 {
		var to [4]*uint32
		for c, slot := range slots[:words] {
			if slot != none {
				to[c] = &in[slot][:n][0]
			}
		}
		if done = n &^ 3; l.keys == nil {
			fetchRunAVX(&to, &data[uint64(l.first)*stride], stride, done, fetchAhead)
		} else {
			fetchAVX(&to, &l.keys[0], &data[0], stride, done)
		}
	}
	for c, slot := range slots[:words] {
		if slot == none {
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
		return uint64(l.keys[i].vertex) * stride
	}
	return (uint64(l.first) + uint64(i)) * stride
}

// fetchDecoded is fetch for a format with a program, which takes its words.
func (w *stageWorker) fetchDecoded(
	a *attribute, decoder int, in [][]uint32, l *lot, data []byte, stride uint64, together bool,
) error {
	if w.raw == nil {
		// Words, and components that nobody reads: each its own, or they could not be compared.
		w.raw = lanesOf(8, w.lanes)
	}
	n, words := l.n, (a.size+3)/4
	switch lo := w.raw[0][:n]; {
	case a.size%4 == 0:
		loadWords(w.raw, &[4]int{0, 1, 2, 3}, words, l, data, stride, together)
	case a.size == 1:
		for i := range lo {
			lo[i] = uint32(data[l.at(i, stride)])
		}
	case a.size == 2:
		for i := range lo {
			lo[i] = uint32(binary.LittleEndian.Uint16(data[l.at(i, stride):]))
		}
	default: // 3 or 6
		hi := w.raw[1][:n]
		for i := range lo {
			p := data[l.at(i, stride):][:a.size]
			if lo[i] = uint32(binary.LittleEndian.Uint16(p)) | uint32(p[2])<<16; a.size > 3 {
				lo[i], hi[i] = binary.LittleEndian.Uint32(p), uint32(binary.LittleEndian.Uint16(p[4:]))
			}
		}
	}
	p, r := w.programs[decoder], &w.rows
	r.N, r.In, r.Out = n, r.In[:0], r.Out[:0]
	for _, row := range w.raw[:words] {
		r.In = append(r.In, row[:n])
	}
	for i, slot := range a.slots {
		to := w.raw[4+i]
		if slot != none {
			to = in[slot]
		}
		r.Out = append(r.Out, to[:n])
	}
	return p.run(&noConstants, r)
}

// fetchVertex fills the first lane of the inputs of the vertex shader for a vertex.
func (d *stageDraw) fetchVertex(p *drawParams, k vertexKey, in [][]uint32) {
	l := lot{keys: []vertexKey{k}, n: 1}
	for i := range d.state.link.fetch {
		a := &d.state.link.fetch[i]
		buf, stride := a.bufferOf(d.buffers)
		a.fetchAny(in, &l, &buf, stride, p.firstInstance)
	}
	for _, b := range d.state.link.builtins {
		p.fillBuiltin(in[b.slot], b.builtin, &l)
	}
}

// fillBuiltin fills a built-in input of n vertices.
func (p *drawParams) fillBuiltin(dst []uint32, b ir.Builtin, l *lot) {
	switch b {
	case ir.BuiltinVertexIndex:
		for i := range l.n {
			dst[i] = l.key(i).vertex
		}
	case ir.BuiltinInstanceIndex:
		for i := range l.n {
			dst[i] = p.firstInstance + l.key(i).instance
		}
	case ir.BuiltinBaseVertex:
		fill(dst[:l.n], p.baseVertex)
	case ir.BuiltinBaseInstance:
		fill(dst[:l.n], p.firstInstance)
	case ir.BuiltinDrawIndex:
		fill(dst[:l.n], p.drawIndex)
	case ir.BuiltinViewIndex:
		fill(dst[:l.n], p.view)
	default:
		fill(dst[:l.n], 0) // linking has refused it
	}
}

package render

import (
	"encoding/binary"
	"math"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	texels "github.com/pumice-gpu/pumice/internal/lower/texel"
	"github.com/pumice-gpu/pumice/vk"
)

// fetchKind names the decoders that have a loop of their own.
type fetchKind uint8

const (
	fetchDecode fetchKind = iota // through the format table
	fetchWords1                  // n 32-bit words, any numeric type; a component of 64 bits is two
	fetchWords2
	fetchWords3
	fetchWords4
)

func fetchKindOf(f vk.Format) fetchKind {
	switch f {
	case vk.FormatR32Sfloat, vk.FormatR32Uint, vk.FormatR32Sint:
		return fetchWords1
	case vk.FormatR32G32Sfloat, vk.FormatR32G32Uint, vk.FormatR32G32Sint, vk.FormatR64Sfloat, vk.FormatR64Uint, vk.FormatR64Sint:
		return fetchWords2
	case vk.FormatR32G32B32Sfloat, vk.FormatR32G32B32Uint, vk.FormatR32G32B32Sint:
		return fetchWords3
	case vk.FormatR32G32B32A32Sfloat, vk.FormatR32G32B32A32Uint, vk.FormatR32G32B32A32Sint, vk.FormatR64G64Sfloat, vk.FormatR64G64Uint, vk.FormatR64G64Sint,
		vk.FormatR64G64B64Sfloat, vk.FormatR64G64B64Uint, vk.FormatR64G64B64Sint, vk.FormatR64G64B64A64Sfloat, vk.FormatR64G64B64A64Uint, vk.FormatR64G64B64A64Sint:
		return fetchWords4
	default:
		return fetchDecode
	}
}

// maxVertexTexel is the largest attribute in bytes.
const maxVertexTexel = 32

// fetchAhead is how far ahead memory is asked for consecutive vertices, bytes: some
// dozens of them, as long as memory takes to answer.
const fetchAhead = 1024

// zeroTexel stands for memory outside the buffer.
var zeroTexel [maxVertexTexel]byte

// fetch fills in with an attribute of vertices; last is the largest index. decoder is the program of the
// format, or none.
//
// Robustness: an attribute that reaches beyond its buffer reads as zero bytes;
// missing components are 0, 0, 0, 1. fxvertex-input-extraction
func (w *geometry) fetch(a *attribute, decoder int, in [][]uint32, l *lot, last uint32, c *chunk) error {
	buf, stride := a.bufferOf(c.draw.draw)
	words := a.fast >= fetchWords1 && a.fast <= fetchWords4
	if end := a.offset + uint64(last)*stride; !a.instanced && (words || decoder != none) && end+uint64(a.size) <= uint64(len(buf.Data)) {
		data, together := buf.Data[a.offset+a.skip:], end+a.skip+16 <= uint64(len(buf.Data))
		if words {
			a.fetchWords(in, l, data, stride, together)
			return nil
		}
		return w.fetchDecoded(a, decoder, in, l, data, stride, together)
	}
	a.fetchAny(in, l, &buf, stride, c)
	return nil
}

// bufferOf is what the attribute is fetched from, and the bytes from an element to the next.
func (a *attribute) bufferOf(d *Draw) (buf VertexBuffer, stride uint64) {
	if a.binding < len(d.VertexBuffers) {
		buf = d.VertexBuffers[a.binding]
	}
	if buf.DynamicStride {
		return buf, uint64(buf.Stride)
	}
	return buf, uint64(a.stride)
}

// fetchAny is fetch for all there is, a vertex at a time.
func (a *attribute) fetchAny(in [][]uint32, l *lot, buf *VertexBuffer, stride uint64, c *chunk) {
	firstInstance := c.params.firstInstance
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
		switch a.fast {
		case fetchWords4:
			t[3] = binary.LittleEndian.Uint32(p[12:])
			fallthrough
		case fetchWords3:
			t[2] = binary.LittleEndian.Uint32(p[8:])
			fallthrough
		case fetchWords2:
			t[1] = binary.LittleEndian.Uint32(p[4:])
			fallthrough
		case fetchWords1:
			t[0] = binary.LittleEndian.Uint32(p)
		default:
			t = a.info.Decode(p)
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
	words, n := int(a.fast-fetchWords1)+1, l.n
	loadWords(in, &a.slots, words, l, data, stride, together)
	for c := words; c < 4; c++ {
		if slot := a.slots[c]; slot != none {
			value := uint32(0)
			if c == 3 {
				value = a.one()
			}
			fill(in[slot][:n], value)
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
func (w *geometry) fetchDecoded(a *attribute, decoder int, in [][]uint32, l *lot, data []byte, stride uint64, together bool) error {
	if w.raw == nil {
		w.raw = lanesOf(8, w.x.cfg.Lanes) // words, and components that nobody reads: each its own, or they could not be compared
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
	return p.run(&w.plain, r)
}

// addAttributes finds the programs of the formats of attributes.
func (s *drawState) addAttributes(pl *passPlan) error {
	for i := range s.link.fetch {
		a, program := &s.link.fetch[i], none
		if !a.instanced && a.fast == fetchDecode {
			r, err := kept(pl.x.attributes, a.info.Format, func() (*exec.Routine, error) {
				p, err := texels.Attribute(a.info)
				if p == nil || err != nil {
					return new(exec.Routine), err
				}
				r, err := pl.x.cfg.Engine.Compile(p)
				return &r, err
			})
			if err != nil {
				return err
			}
			if *r != nil {
				program = pl.routine(*r)
			}
		}
		s.decoders = append(s.decoders, program)
	}
	return nil
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

// fill sets all of dst to v.
func fill(dst []uint32, v uint32) {
	for i := range dst {
		dst[i] = v
	}
}

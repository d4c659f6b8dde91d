package render

import (
	"encoding/binary"
	"math"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/vk"
)

// fetchKind names the decoders that have a loop of their own.
type fetchKind uint8

const (
	fetchDecode fetchKind = iota // through the format table
	fetchWords1                  // n 32-bit words, any numeric type
	fetchWords2
	fetchWords3
	fetchWords4
	fetchUnorm8x4
)

func fetchKindOf(f vk.Format) fetchKind {
	switch f {
	case vk.FormatR32Sfloat, vk.FormatR32Uint, vk.FormatR32Sint:
		return fetchWords1
	case vk.FormatR32G32Sfloat, vk.FormatR32G32Uint, vk.FormatR32G32Sint:
		return fetchWords2
	case vk.FormatR32G32B32Sfloat, vk.FormatR32G32B32Uint, vk.FormatR32G32B32Sint:
		return fetchWords3
	case vk.FormatR32G32B32A32Sfloat, vk.FormatR32G32B32A32Uint, vk.FormatR32G32B32A32Sint:
		return fetchWords4
	case vk.FormatR8G8B8A8Unorm:
		return fetchUnorm8x4
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

// fetch fills in with an attribute of vertices; last is the largest index.
//
// Robustness: an attribute that reaches beyond its buffer reads as zero bytes;
// missing components are 0, 0, 0, 1. fxvertex-input-extraction
func (a *attribute) fetch(in [][]uint32, l *lot, last uint32, c *chunk) {
	var buf VertexBuffer
	if list := c.draw.draw.VertexBuffers; a.binding < len(list) {
		buf = list[a.binding]
	}
	firstInstance := c.params.firstInstance
	stride := uint64(a.stride)
	if buf.DynamicStride {
		stride = uint64(buf.Stride)
	}
	one := uint32(1)
	if a.info.Class == format.ClassFloat {
		one = math.Float32bits(1)
	}
	size := uint64(a.size)
	if last := a.offset + uint64(last)*stride; !a.instanced && a.fast != fetchDecode && last+size <= uint64(len(buf.Data)) {
		a.fetchInside(in, l, buf.Data[a.offset:], stride, one, last+16 <= uint64(len(buf.Data)))
		return
	}
	var t format.Texel
	before := ^uint64(0)
	for lane := range l.n {
		k, at := l.key(lane), a.offset
		switch {
		case !a.instanced:
			at += uint64(k.vertex) * stride
		case a.divisor == 0:
			at += uint64(firstInstance) * stride
		default:
			at += uint64(firstInstance+k.instance/a.divisor) * stride
		}
		if at == before { // instances have many vertices
			a.put(in, lane, &t)
			continue
		}
		before = at
		p := zeroTexel[:size]
		if at+size <= uint64(len(buf.Data)) {
			p = buf.Data[at : at+size]
		}
		t = format.Texel{3: one}
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
		case fetchUnorm8x4:
			for c := range t {
				t[c] = unorm8[p[c]]
			}
		default:
			t = a.info.Decode(p)
		}
		a.put(in, lane, &t)
	}
}

// unorm8 is what a byte of UNORM formats stands for, by byte.
var unorm8 = func() (bits [256]uint32) {
	for i := range bits {
		bits[i] = math.Float32bits(fp.Unorm8ToFloat(uint8(i)))
	}
	return bits
}()

// put gives a lane the components that the shader reads.
func (a *attribute) put(in [][]uint32, lane int, t *format.Texel) {
	for c, slot := range a.slots {
		if slot != none {
			in[slot][lane] = t[c]
		}
	}
}

// fetchInside is fetch for vertices inside the buffer, which begins with vertex 0; together says that
// each has 16 bytes there.
func (a *attribute) fetchInside(in [][]uint32, l *lot, data []byte, stride uint64, one uint32, together bool) {
	words, n := int(a.fast-fetchWords1)+1, l.n
	if a.fast == fetchUnorm8x4 {
		words = 1
	}
	var to [4]*uint32
	for c, slot := range a.slots {
		if slot != none && (c < words || a.fast == fetchUnorm8x4) {
			to[c] = &in[slot][:n][0]
		}
	}
	done := 0
	if haveAVX && together && words > 1 && n >= 4 {
		if done = n &^ 3; l.keys == nil {
			fetchRunAVX(&to, &data[uint64(l.first)*stride], stride, done, fetchAhead)
		} else {
			fetchAVX(&to, &l.keys[0], &data[0], stride, done)
		}
	}
	at, step := uint64(l.first)*stride, stride
	for lane := done; lane < n; lane++ {
		from := at + uint64(lane)*step
		if l.keys != nil {
			from = uint64(l.keys[lane].vertex) * stride
		}
		p := data[from:]
		if a.fast == fetchUnorm8x4 {
			t := binary.LittleEndian.Uint32(p)
			for c, slot := range a.slots {
				if slot != none {
					in[slot][lane] = unorm8[t>>(8*c)&0xFF]
				}
			}
			continue
		}
		for c, slot := range a.slots[:words] {
			if slot != none {
				in[slot][lane] = binary.LittleEndian.Uint32(p[4*c:])
			}
		}
	}
	if a.fast == fetchUnorm8x4 {
		return
	}
	for c := words; c < 4; c++ {
		if slot := a.slots[c]; slot != none {
			value := uint32(0)
			if c == 3 {
				value = one
			}
			fill(in[slot][:n], value)
		}
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

// fill sets all of dst to v.
func fill(dst []uint32, v uint32) {
	for i := range dst {
		dst[i] = v
	}
}

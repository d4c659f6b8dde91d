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

// fetch fills in with an attribute of n vertices. key[i] is vertex index and
// instance ordinal; last is the largest index.
//
// Robustness: an attribute that reaches beyond its buffer reads as zero bytes;
// missing components are 0, 0, 0, 1. fxvertex-input-extraction
func (a *attribute) fetch(in [][]uint32, keys []vertexKey, last uint32, c *chunk) {
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
	if last := a.offset + uint64(last)*stride; !a.instanced && a.fast >= fetchWords1 && a.fast <= fetchWords4 && last+size <= uint64(len(buf.Data)) {
		together := 0
		if haveAVX && a.fast != fetchWords1 && last+16 <= uint64(len(buf.Data)) {
			together = len(keys) &^ 3
		}
		ahead := uint64(0)
		if len(c.spans) > 0 { // vertices follow each other
			ahead = fetchAhead
		}
		a.fetchWords(in, keys, buf.Data[a.offset:], stride, one, together, ahead)
		return
	}
	var t format.Texel
	before := ^uint64(0)
	for lane, k := range keys {
		at := a.offset
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
				t[c] = math.Float32bits(fp.Unorm8ToFloat(p[c]))
			}
		default:
			t = a.info.Decode(p)
		}
		a.put(in, lane, &t)
	}
}

// put gives a lane the components that the shader reads.
func (a *attribute) put(in [][]uint32, lane int, t *format.Texel) {
	for c, slot := range a.slots {
		if slot != none {
			in[slot][lane] = t[c]
		}
	}
}

// lastVertex is the largest vertex index of keys.
func lastVertex(keys []vertexKey) uint32 {
	last := uint32(0)
	for i := range keys {
		last = max(last, keys[i].vertex)
	}
	return last
}

// fetchWords is fetch for words inside the buffer, which begins with those of vertex 0.
// The first together keys have 16 bytes each there; ahead is how many bytes behind a vertex
// those are that will be fetched soon.
func (a *attribute) fetchWords(in [][]uint32, keys []vertexKey, data []byte, stride uint64, one uint32, together int, ahead uint64) {
	var to [4]*uint32
	words := int(a.fast-fetchWords1) + 1
	for c, slot := range a.slots {
		if slot != none && c < words {
			to[c] = &in[slot][:len(keys)][0]
		}
	}
	if together > 0 {
		fetchAVX(&to, &keys[0], &data[0], stride, together, ahead)
	}
	for c, slot := range a.slots {
		if slot == none {
			continue
		}
		dst := in[slot][:len(keys)]
		if c >= words {
			value := uint32(0)
			if c == 3 {
				value = one
			}
			fill(dst, value)
			continue
		}
		from := data[4*c:]
		for lane := together; lane < len(dst); lane++ {
			dst[lane] = binary.LittleEndian.Uint32(from[uint64(keys[lane].vertex)*stride:])
		}
	}
}

// fillBuiltin fills a built-in input of n vertices.
func (p *drawParams) fillBuiltin(dst []uint32, b ir.Builtin, keys []vertexKey) {
	switch b {
	case ir.BuiltinVertexIndex:
		for i, k := range keys {
			dst[i] = k.vertex
		}
	case ir.BuiltinInstanceIndex:
		for i, k := range keys {
			dst[i] = p.firstInstance + k.instance
		}
	case ir.BuiltinBaseVertex:
		fill(dst[:len(keys)], p.baseVertex)
	case ir.BuiltinBaseInstance:
		fill(dst[:len(keys)], p.firstInstance)
	case ir.BuiltinDrawIndex:
		fill(dst[:len(keys)], p.drawIndex)
	case ir.BuiltinViewIndex:
		fill(dst[:len(keys)], p.view)
	default:
		fill(dst[:len(keys)], 0) // linking has refused it
	}
}

// fill sets all of dst to v.
func fill(dst []uint32, v uint32) {
	for i := range dst {
		dst[i] = v
	}
}

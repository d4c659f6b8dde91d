package render

import (
	"encoding/binary"
	"math"

	"github.com/pumice-gpu/pumice/vk"
)

// The scalar pass: from vertices to primitives.

// scalarPrim is a primitive: positions of its vertices, as RAS-046 orders them, and
// which of them is provoking.
type scalarPrim struct {
	v         []int
	provoking int
	id        uint32
	start     bool // of a strip, or of anything in a list
}

// tableRow gives vertex numbers and the positions of the provoking vertices of
// primitive i of a run of n vertices; nil: there is no such primitive.
// RAS-046, RAS-049
func tableRow(t vk.PrimitiveTopology, i, n int) (v []int, first, last int) {
	odd := i%2 == 1
	count := 0
	switch t {
	case vk.PrimitiveTopologyPointList:
		v, count = []int{i}, n
	case vk.PrimitiveTopologyLineList:
		v, last, count = []int{2 * i, 2*i + 1}, 1, n/2
	case vk.PrimitiveTopologyLineStrip:
		v, last, count = []int{i, i + 1}, 1, n-1
	case vk.PrimitiveTopologyTriangleList:
		v, last, count = []int{3 * i, 3*i + 1, 3*i + 2}, 2, n/3
	case vk.PrimitiveTopologyTriangleStrip:
		v, last, count = []int{i, i + 1, i + 2}, 2, n-2
		if odd {
			v, last = []int{i, i + 2, i + 1}, 1
		}
	case vk.PrimitiveTopologyTriangleFan:
		v, last, count = []int{i + 1, i + 2, 0}, 1, n-2
	case vk.PrimitiveTopologyLineListWithAdjacency:
		v, last, count = []int{4*i + 1, 4*i + 2}, 1, n/4
	case vk.PrimitiveTopologyLineStripWithAdjacency:
		v, last, count = []int{i + 1, i + 2}, 1, n-3
	case vk.PrimitiveTopologyTriangleListWithAdjacency:
		v, last, count = []int{6 * i, 6*i + 2, 6*i + 4}, 2, n/6
	case vk.PrimitiveTopologyTriangleStripWithAdjacency:
		v, last, count = []int{2 * i, 2*i + 2, 2*i + 4}, 2, (n-4)/2
		if n < 4 {
			count = 0
		}
		if odd {
			v, last = []int{2 * i, 2*i + 4, 2*i + 2}, 1
		}
	}
	if i >= count {
		return nil, 0, 0
	}
	return v, 0, last
}

// primitives assembles an instance of the draw.
// RAS-053, RAS-054, RAS-055, RAS-056
func (r *scalar) primitives() (list []scalarPrim) {
	var runs [][]int
	run := []int{}
	if x := r.d.Index; x == nil {
		for i := range r.d.Count {
			run = append(run, int(r.d.First+i))
		}
	} else {
		for i := range r.d.Count {
			at := int(r.d.First + i)
			var v, restart uint32
			switch x.Type {
			case vk.IndexTypeUint8:
				v, restart = uint32(x.Data[at]), 0xff
			case vk.IndexTypeUint16:
				v, restart = uint32(binary.LittleEndian.Uint16(x.Data[2*at:])), 0xffff
			default:
				v, restart = binary.LittleEndian.Uint32(x.Data[4*at:]), 0xffffffff
			}
			if x.CustomRestart {
				restart = x.RestartIndex
			}
			if r.st.PrimitiveRestart && v == restart {
				runs, run = append(runs, run), nil
				continue
			}
			run = append(run, int(v)+int(r.d.VertexOffset))
		}
	}
	strip := r.st.Topology == vk.PrimitiveTopologyLineStrip || r.st.Topology == vk.PrimitiveTopologyLineStripWithAdjacency
	for _, run := range append(runs, run) {
		for i := 0; ; i++ {
			row, first, last := tableRow(r.st.Topology, i, len(run))
			if row == nil {
				break
			}
			p := scalarPrim{id: uint32(len(list)), provoking: first, start: !strip || i == 0}
			if r.last() {
				p.provoking = last
			}
			for _, k := range row {
				p.v = append(p.v, run[k])
			}
			list = append(list, p)
		}
	}
	return list
}

func (r *scalar) last() bool {
	return r.st.ProvokingVertexMode == vk.ProvokingVertexModeLastVertexEXT
}

// word is a word of a vertex: 4 of the position, 4 of the colour, size, two clip
// distances, a cull distance, layer, viewport, shading rate.
func (r *scalar) word(vertex, k int) uint32 {
	return binary.LittleEndian.Uint32(r.d.VertexBuffers[0].Data[4*(16*vertex+k):])
}

func (r *scalar) float(vertex, k int) float32 { return math.Float32frombits(r.word(vertex, k)) }

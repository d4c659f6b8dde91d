package conformance

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Inputs of fragments by tables: every component of every type, every topology, both provoking vertices.

// primitive is the vertices of a primitive that is drawn, in the order of RAS-046, and which of them provoke.
type primitive struct {
	vertices    []int
	first, last int
}

// primitivesOf are those of a topology's n vertices, and where the vertices are so that each shows.
//
// RAS-046
func primitivesOf(topology vk.PrimitiveTopology, n int) (list []primitive, place func(i int) (x, y float32)) {
	step := 1 // of vertices that are no neighbours
	add := func(first, last int, v ...int) { list = append(list, primitive{v, first, last}) }
	for i := range n {
		switch topology {
		case vk.PrimitiveTopologyPointList:
			add(i, i, i)
		case vk.PrimitiveTopologyLineList:
			if 2*i+1 < n {
				add(2*i, 2*i+1, 2*i, 2*i+1)
			}
		case vk.PrimitiveTopologyLineStrip:
			if i+1 < n {
				add(i, i+1, i, i+1)
			}
		case vk.PrimitiveTopologyTriangleList:
			if 3*i+2 < n {
				add(3*i, 3*i+2, 3*i, 3*i+1, 3*i+2)
			}
		case vk.PrimitiveTopologyTriangleStrip:
			if i+2 < n {
				add(i, i+2, i, i+1+i%2, i+2-i%2)
			}
		case vk.PrimitiveTopologyTriangleFan:
			if i+2 < n {
				add(i+1, i+2, i+1, i+2, 0)
			}
		case vk.PrimitiveTopologyLineListWithAdjacency:
			if step = 2; 4*i+3 < n {
				add(4*i+1, 4*i+2, 4*i+1, 4*i+2)
			}
		case vk.PrimitiveTopologyLineStripWithAdjacency:
			if i+3 < n {
				add(i+1, i+2, i+1, i+2)
			}
		case vk.PrimitiveTopologyTriangleListWithAdjacency:
			if step = 2; 6*i+5 < n {
				add(6*i, 6*i+4, 6*i, 6*i+2, 6*i+4)
			}
		case vk.PrimitiveTopologyTriangleStripWithAdjacency:
			if step = 2; 2*i+5 < n {
				add(2*i, 2*i+4, 2*i, 2*i+2+i%2*2, 2*i+4-i%2*2) // RAS-049's first, third and fifth
			}
		}
	}
	return list, func(i int) (x, y float32) {
		switch {
		case topology == vk.PrimitiveTopologyTriangleFan && i == 0:
			return 2, 9
		case topology == vk.PrimitiveTopologyTriangleFan:
			return 44, 2 + 15*float32(i-1)/float32(n-2)
		}
		return 2 + 44*float32(i)/float32(n-1), 3 + 12*float32(i/step%2)
	}
}

// plainTopologies are those of primitives without patches.
const plainTopologies = vk.PrimitiveTopologyTriangleStripWithAdjacency + 1

// topologyDraw is a draw of 13 vertices of a topology.
func topologyDraw(topology vk.PrimitiveTopology, value func(i int) [4]float32) (d *ruleDraw, list []primitive) {
	list, place := primitivesOf(topology, 13)
	d = &ruleDraw{size: [2]int{48, 18}, topology: topology, vertex: "values.vert", pixels: "plain.frag", colors: 4}
	for i := range 13 {
		x, y := place(i)
		v := at(x, y)
		v.value = value(i)
		d.vertices = append(d.vertices, v)
	}
	d.pipeline = sized(3)
	return d, list
}

// undecorated is a module without its decorations Flat: RelaxedPrecision stands in their place.
func undecorated(t *testing.T, name string) []byte { return redecorated(t, name, 14, 0) }

// redecorated is a module in which another decoration stands in the place of one.
func redecorated(t *testing.T, name string, from, to uint32) []byte {
	t.Helper()
	code, err := os.ReadFile("testdata/rules/" + name + ".spv")
	if err != nil {
		t.Fatal(err)
	}
	const decorate = 3<<16 | 71
	for i, n := 20, 0; i < len(code); i += 4 * n {
		first := binary.LittleEndian.Uint32(code[i:])
		if n = int(first >> 16); first == decorate && binary.LittleEndian.Uint32(code[i+8:]) == from {
			binary.LittleEndian.PutUint32(code[i+8:], to)
		}
	}
	return code
}

// relocated is a module whose outputs have another location: those with an index other than 0, or all where second is false.
func relocated(t *testing.T, name string, location uint32, second bool) []byte {
	t.Helper()
	code := redecorated(t, name, 0, 0)
	const decorate, locationOf, indexOf = 4<<16 | 71, 30, 32
	ids := map[uint32]bool{}
	for range 2 {
		for i, n := 20, 0; i < len(code); i += 4 * n {
			first := binary.LittleEndian.Uint32(code[i:])
			if n = int(first >> 16); first != decorate {
				continue
			}
			id := binary.LittleEndian.Uint32(code[i+4:])
			switch what := binary.LittleEndian.Uint32(code[i+8:]); {
			case what == indexOf && binary.LittleEndian.Uint32(code[i+12:]) != 0:
				ids[id] = true
			case what == locationOf && binary.LittleEndian.Uint32(code[i+12:]) == 0 && (!second || ids[id]):
				binary.LittleEndian.PutUint32(code[i+12:], location)
			}
		}
	}
	return code
}

// bitsOf are the bits of vertex i: numbers of usual size as floats of 32 bits and of 64, all components and halves different.
func bitsOf(i int) (v [4]float32) {
	for c := range uint32(4) {
		v[c] = math.Float32frombits(0x3F012345 + uint32(i)*0x010203 + c*0x0103_1507)
	}
	return v
}

// word is a component of an integer attachment of 32 bits.
func (r *ruleImages) word(color, x, y, sample, c int) uint32 {
	return binary.LittleEndian.Uint32(r.color[color][16*r.index(0, x, y, sample)+4*c:])
}

// Integers and floats of 64 bits have the provoking vertex's bits, in every component, whether they are decorated Flat or not.
func TestTables_RAS069_EveryTypeIsFlat(t *testing.T) {
	rules.Covers(t, "RAS-046", "RAS-056", "RAS-067", "RAS-069", "RAS-282")
	devices := tableDevices(t)
	plain := undecorated(t, "flat.frag")
	for topology := range plainTopologies {
		for mode := range vk.ProvokingVertexModeEXT(2) {
			for n, w := range append(waysOf(int(2*topology+vk.PrimitiveTopology(mode))), tableWay{name: "without machine code", samples: 1, portable: true}) {
				d, list := topologyDraw(topology, bitsOf)
				d.vertex, d.pixels = "flat.vert", "flat.frag"
				for range 8 {
					d.formats = append(d.formats, vk.FormatR32G32B32A32Uint)
				}
				d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
					sized(3)(p)
					p.ProvokingVertex = mode
					if (n+int(topology))%2 == 1 {
						p.Fragment.Code = plain
					}
				}
				got := w.run(t, d, devices)
				what := fmt.Sprintf("%v, mode %d, %s", topology, mode, w.name)
				seen := map[uint32]bool{}
				for k := range 48 * 18 * d.samples {
					x, y, s := k/d.samples%48, k/d.samples/48, k%d.samples
					id := got.word(7, x, y, s, 3)
					if id == 0 {
						continue
					}
					if int(id) > len(list) {
						t.Fatalf("%s: primitive %d of %d", what, id-1, len(list))
					}
					seen[id] = true
					vertex := list[id-1].first
					if mode == vk.ProvokingVertexModeLastVertexEXT {
						vertex = list[id-1].last
					}
					bits := bitsOf(vertex)
					for color := range 8 {
						for c := range 4 {
							want := math.Float32bits(bits[c])
							switch {
							case color == 6:
								want &= 0xFFFF
							case color == 7 && c == 3:
								continue
							case color == 7: // y, z, w
								want = math.Float32bits(bits[c+1])
							}
							if v := got.word(color, x, y, s, c); v != want {
								t.Fatalf("%s, primitive %d: component %d of output %d is %#x, want vertex %d's %#x", what, id-1, c, color, v, vertex, want)
							}
						}
					}
				}
				if len(seen) != len(list) {
					t.Errorf("%s: %d primitives are seen, want %d", what, len(seen), len(list))
				}
			}
		}
	}
}

// Values of the primitive's vertices by number, and the weights that belong to them.
func TestTables_RAS181_VertexNumbersOfEveryTopology(t *testing.T) {
	rules.Covers(t, "RAS-046", "RAS-047", "RAS-048", "RAS-180", "RAS-181", "RAS-182", "RAS-184")
	devices := tableDevices(t)
	for topology := range plainTopologies {
		for mode := range vk.ProvokingVertexModeEXT(2) {
			for _, w := range waysOf(100 + int(2*topology+vk.PrimitiveTopology(mode))) {
				d, list := topologyDraw(topology, func(i int) [4]float32 {
					f := float32(i)
					return [4]float32{f, 100 + f, -f, .5 * f}
				})
				d.pixels = "order.frag"
				d.pipeline = func(p *pumice.GraphicsPipelineDesc) { sized(3)(p); p.ProvokingVertex = mode }
				got := w.run(t, d, devices)
				what := fmt.Sprintf("%v, mode %d, %s", topology, mode, w.name)
				seen := map[int]bool{}
				for k := range 48 * 18 * d.samples {
					x, y, s := k/d.samples%48, k/d.samples/48, k%d.samples
					more := got.at(3, x, y, s)
					if more[0] == 0 {
						continue
					}
					id := int(more[0]) - 1
					seen[id] = true
					v := append([]int(nil), list[id].vertices...)
					if mode == vk.ProvokingVertexModeLastVertexEXT { // RAS-182: turned until it comes last
						for len(v) == 3 && v[2] != list[id].last {
							v = []int{v[1], v[2], v[0]}
						}
					}
					for k := range 3 {
						f := float32(v[min(k, len(v)-1)])
						if value := got.at(k, x, y, s); value != [4]float32{f, 100 + f, -f, .5 * f} {
							t.Fatalf("%s, primitive %d: vertex %d is %v, want vertex %v", what, id, k, value, f)
						}
					}
					// The weights are those of RAS-245 and RAS-205 for the place that is shaded; of one sample in the middle.
					if d.samples > 1 || w.change != nil {
						continue
					}
					want := weightsAt(topology, v, float64(x)+.5, float64(y)+.5)
					for k := range want {
						if d := math.Abs(float64(more[1+k]) - want[k]); d > 1e-5 {
							t.Fatalf("%s, primitive %d, pixel %d,%d: weights %v, want %v", what, id, x, y, more[1:], want)
						}
					}
				}
				if len(seen) != len(list) {
					t.Errorf("%s: %d primitives are seen, want %d", what, len(seen), len(list))
				}
			}
		}
	}
}

// weightsAt are barycentric coordinates of a place, of vertices where primitivesOf puts them: quotients of areas, or the part of a line.
func weightsAt(topology vk.PrimitiveTopology, v []int, x, y float64) (w [3]float64) {
	_, place := primitivesOf(topology, 13)
	at := func(i int) (x, y float64) {
		a, b := place(i)
		return math.RoundToEven(float64(a)*256) / 256, math.RoundToEven(float64(b)*256) / 256 // RAS-002
	}
	ax, ay := at(v[0])
	switch len(v) {
	case 1:
		return [3]float64{1, 0, 0}
	case 2:
		bx, by := at(v[1])
		t := ((x-ax)*(bx-ax) + (y-ay)*(by-ay)) / ((bx-ax)*(bx-ax) + (by-ay)*(by-ay))
		return [3]float64{1 - t, t, 0}
	}
	bx, by := at(v[1])
	cx, cy := at(v[2])
	area := (bx-ax)*(cy-ay) - (by-ay)*(cx-ax)
	w[1] = ((x-ax)*(cy-ay) - (y-ay)*(cx-ax)) / area
	w[2] = ((bx-ax)*(y-ay) - (by-ay)*(x-ax)) / area
	w[0] = 1 - w[1] - w[2]
	return w
}

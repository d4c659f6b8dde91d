package assembly

import (
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Every byte of an index counts, and only the value of all ones restarts.
func TestIndices_EveryByte(t *testing.T) {
	rules.Covers(t, "RAS-053")
	for size, c := range map[int]struct {
		data []byte
		want []uint32
	}{
		1: {[]byte{0x01, 0xFE, 0xFF}, []uint32{0x01, 0xFE}},
		2: {[]byte{0x01, 0x02, 0xFF, 0xFE, 0xFF, 0xFF}, []uint32{0x0201, 0xFEFF}},
		4: {[]byte{1, 2, 3, 4, 0xFF, 0xFF, 0xFF, 0xFE, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}, []uint32{0x04030201, 0xFEFFFFFF, 0xFFFFFFFE}},
	} {
		var a Assembler
		if err := a.Reset(Config{Topology: vk.PrimitiveTopologyPointList, Restart: true}); err != nil {
			t.Fatal(err)
		}
		if err := a.Indices(c.data, size, 0, uint32(len(c.data)/size), 0); err != nil {
			t.Fatal(err)
		}
		p := make([]Primitive, 8)
		n := a.Next(p)
		if n != len(c.want) {
			t.Fatalf("%d bytes: %d points, want %d", size, n, len(c.want))
		}
		for i, want := range c.want {
			if p[i].V[0] != want || p[i].ID != uint32(i) || p[i].Flags != FlagRunStart {
				t.Errorf("%d bytes: point %d is %+v, want %#x", size, i, p[i], want)
			}
		}
		// A source without indices after one with them reads none.
		a.Vertices(7, 2)
		if n := a.Next(p); n != 2 || p[0].V[0] != 7 || p[1].V[0] != 8 || p[0].ID != 0 {
			t.Errorf("vertices after indices: %+v", p[:n])
		}
	}
	for _, patch := range []uint32{0, 1, MaxVertices, MaxVertices + 1} {
		var a Assembler
		err := a.Reset(Config{Topology: vk.PrimitiveTopologyPatchList, PatchVertices: patch})
		if (err == nil) != (patch >= 1 && patch <= 32) {
			t.Errorf("patches of %d vertices: %v", patch, err)
		}
	}
}

// RAS-225: line stipple starts again at each line of a list, at the first of a strip
// and after each restart; a primitive has as many vertices as its kind.
func TestNext_RAS225_RunStarts(t *testing.T) {
	rules.Covers(t, "RAS-225")
	data := []byte{0, 1, 2, 3, 4, 5, 6, 7, 0xFF, 8, 9, 10, 11, 12, 13, 14, 15}
	for topology, c := range map[vk.PrimitiveTopology]struct {
		vertices uint8
		starts   string
	}{
		vk.PrimitiveTopologyPointList: {1, "1111111111111111"}, vk.PrimitiveTopologyLineList: {2, "11111111"}, vk.PrimitiveTopologyLineStrip: {2, "10000001000000"},
		vk.PrimitiveTopologyLineListWithAdjacency: {2, "1111"}, vk.PrimitiveTopologyLineStripWithAdjacency: {2, "1000010000"},
		vk.PrimitiveTopologyTriangleList: {3, "1111"}, vk.PrimitiveTopologyTriangleStrip: {3, "111111111111"}, vk.PrimitiveTopologyTriangleFan: {3, "111111111111"},
		vk.PrimitiveTopologyTriangleListWithAdjacency: {3, "11"}, vk.PrimitiveTopologyTriangleStripWithAdjacency: {3, "1111"},
	} {
		var a Assembler
		if err := a.Reset(Config{Topology: topology, Restart: true}); err != nil {
			t.Fatal(err)
		}
		if err := a.Indices(data, 1, 0, uint32(len(data)), 0); err != nil {
			t.Fatal(err)
		}
		p := make([]Primitive, 32)
		got := ""
		for _, q := range p[:a.Next(p)] {
			got += string(rune('0' + q.Flags))
			if q.N != c.vertices {
				t.Errorf("%v: %d vertices", topology, q.N)
			}
		}
		if got != c.starts {
			t.Errorf("%v: starts %s, want %s", topology, got, c.starts)
		}
	}
}

package assembly

import (
	"testing"

	"github.com/pumice-gpu/pumice/vk"
)

// Every byte of an index counts, and only the value of all ones restarts.
func TestIndices_EveryByte(t *testing.T) {
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

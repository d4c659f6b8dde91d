package assembly

import (
	"bytes"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// drainWide assembles everything with room for a few primitives at a time.
func drainWide(a *Assembler, room int) (out [][]uint32, ids []uint32) {
	size := a.config.Vertices()
	n, verts := make([]uint32, room), make([]uint32, room*size)
	for got := a.NextWide(n, verts); got > 0; got = a.NextWide(n, verts) {
		for i := range got {
			out = append(out, slices.Clone(verts[i*size:(i+1)*size]))
			ids = append(ids, n[i])
		}
	}
	return out, ids
}

// RAS-046, RAS-047, RAS-048, RAS-049, RAS-051: all vertices of primitives, with
// those of adjacency.
func TestWide_RAS049_Table(t *testing.T) {
	rules.Covers(t, "RC-62", "RAS-046", "RAS-047", "RAS-048", "RAS-049", "RAS-051", "RAS-052")
	for _, c := range []struct {
		name     string
		topology vk.PrimitiveTopology
		n        uint32
		want     [][]uint32
	}{
		{"points", vk.PrimitiveTopologyPointList, 2, [][]uint32{{0}, {1}}},
		{"lines", vk.PrimitiveTopologyLineList, 5, [][]uint32{{0, 1}, {2, 3}}},
		{"line strip", vk.PrimitiveTopologyLineStrip, 3, [][]uint32{{0, 1}, {1, 2}}},
		{"triangles", vk.PrimitiveTopologyTriangleList, 8, [][]uint32{{0, 1, 2}, {3, 4, 5}}},
		{"strip", vk.PrimitiveTopologyTriangleStrip, 5, [][]uint32{{0, 1, 2}, {1, 3, 2}, {2, 3, 4}}},
		{"fan", vk.PrimitiveTopologyTriangleFan, 4, [][]uint32{{1, 2, 0}, {2, 3, 0}}},
		{"lines adj", vk.PrimitiveTopologyLineListWithAdjacency, 9, [][]uint32{{0, 1, 2, 3}, {4, 5, 6, 7}}},
		{"line strip adj", vk.PrimitiveTopologyLineStripWithAdjacency, 5, [][]uint32{{0, 1, 2, 3}, {1, 2, 3, 4}}},
		{"triangles adj", vk.PrimitiveTopologyTriangleListWithAdjacency, 7, [][]uint32{{0, 1, 2, 3, 4, 5}}},
		// Corner case 62.
		{"strip adj 5", vk.PrimitiveTopologyTriangleStripWithAdjacency, 5, nil},
		{"strip adj 6", vk.PrimitiveTopologyTriangleStripWithAdjacency, 6, [][]uint32{{0, 1, 2, 5, 4, 3}}},
		{"strip adj 7", vk.PrimitiveTopologyTriangleStripWithAdjacency, 7, [][]uint32{{0, 1, 2, 5, 4, 3}}},
		{"strip adj 8", vk.PrimitiveTopologyTriangleStripWithAdjacency, 8, [][]uint32{{0, 1, 2, 6, 4, 3}, {2, 5, 6, 7, 4, 0}}},
		{"strip adj 10", vk.PrimitiveTopologyTriangleStripWithAdjacency, 10, [][]uint32{{0, 1, 2, 6, 4, 3}, {2, 5, 6, 8, 4, 0}, {4, 2, 6, 9, 8, 7}}},
		{"strip adj 12", vk.PrimitiveTopologyTriangleStripWithAdjacency, 12, [][]uint32{{0, 1, 2, 6, 4, 3}, {2, 5, 6, 8, 4, 0}, {4, 2, 6, 10, 8, 7}, {6, 9, 10, 11, 8, 4}}},
		{"patches", vk.PrimitiveTopologyPatchList, 11, [][]uint32{{0, 1, 2, 3, 4}, {5, 6, 7, 8, 9}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, room := range []int{1, 3} {
				var a Assembler
				if err := a.Reset(Config{Topology: c.topology, PatchVertices: 5}); err != nil {
					t.Fatal(err)
				}
				a.Vertices(0, c.n)
				got, ids := drainWide(&a, room)
				if !slices.EqualFunc(got, c.want, slices.Equal[[]uint32]) {
					t.Errorf("%v, want %v", got, c.want)
				}
				for i, id := range ids {
					if id != uint32(i) {
						t.Errorf("primitive %d has ID %d", i, id)
					}
				}
			}
		})
	}
}

// With provoking vertex LAST, that vertex is the last of a triangle of a strip or fan,
// and the winding stays; primitives with adjacency are those of RAS-049 in both modes.
func TestWide_RAS046_ProvokingVertexLast(t *testing.T) {
	rules.Covers(t, "RAS-046", "RAS-047", "RAS-048", "RAS-049")
	for _, c := range []struct {
		topology vk.PrimitiveTopology
		n        uint32
		want     [][]uint32
	}{
		{vk.PrimitiveTopologyPointList, 2, [][]uint32{{0}, {1}}},
		{vk.PrimitiveTopologyLineList, 4, [][]uint32{{0, 1}, {2, 3}}},
		{vk.PrimitiveTopologyLineStrip, 3, [][]uint32{{0, 1}, {1, 2}}},
		{vk.PrimitiveTopologyTriangleList, 6, [][]uint32{{0, 1, 2}, {3, 4, 5}}},
		{vk.PrimitiveTopologyTriangleStrip, 6, [][]uint32{{0, 1, 2}, {2, 1, 3}, {2, 3, 4}, {4, 3, 5}}},
		{vk.PrimitiveTopologyTriangleFan, 5, [][]uint32{{0, 1, 2}, {0, 2, 3}, {0, 3, 4}}},
		{vk.PrimitiveTopologyLineListWithAdjacency, 4, [][]uint32{{0, 1, 2, 3}}},
		{vk.PrimitiveTopologyLineStripWithAdjacency, 5, [][]uint32{{0, 1, 2, 3}, {1, 2, 3, 4}}},
		{vk.PrimitiveTopologyTriangleListWithAdjacency, 6, [][]uint32{{0, 1, 2, 3, 4, 5}}},
		{vk.PrimitiveTopologyTriangleStripWithAdjacency, 10, [][]uint32{{0, 1, 2, 6, 4, 3}, {2, 5, 6, 8, 4, 0}, {4, 2, 6, 9, 8, 7}}},
	} {
		var a Assembler
		if err := a.Reset(Config{Topology: c.topology, Provoking: vk.ProvokingVertexModeLastVertexEXT}); err != nil {
			t.Fatal(err)
		}
		a.Vertices(0, c.n)
		if got, _ := drainWide(&a, 2); !slices.EqualFunc(got, c.want, slices.Equal[[]uint32]) {
			t.Errorf("%v: %v, want %v", c.topology, got, c.want)
		}
	}
	var a Assembler // a fan whose hub is long ago
	if err := a.Reset(Config{Topology: vk.PrimitiveTopologyTriangleFan, Provoking: vk.ProvokingVertexModeLastVertexEXT}); err != nil {
		t.Fatal(err)
	}
	a.Vertices(0, 2*wideWindow)
	got, _ := drainWide(&a, 7)
	if last := got[len(got)-1]; !slices.Equal(last, []uint32{0, 2*wideWindow - 2, 2*wideWindow - 1}) {
		t.Errorf("the last triangle of a long fan: %v", last)
	}
}

// RAS-055: a restart ends a strip with adjacency, whose last triangle then has
// no successor, and drops an incomplete patch; IDs go on.
func TestWide_RAS055_Restart(t *testing.T) {
	rules.Covers(t, "RAS-055")
	const r = 0xffff
	run := func(topology vk.PrimitiveTopology, indices ...uint32) ([][]uint32, []uint32) {
		var a Assembler
		if err := a.Reset(Config{Topology: topology, Restart: true, PatchVertices: 3}); err != nil {
			t.Fatal(err)
		}
		_ = a.Indices(encode(2, indices...), 2, 0, uint32(len(indices)), 0)
		return drainWide(&a, 2)
	}
	got, ids := run(vk.PrimitiveTopologyTriangleStripWithAdjacency, 0, 1, 2, 3, 4, 5, r, 10, 11, 12, 13, 14, 15, 16, 17, r, 9)
	want := [][]uint32{{0, 1, 2, 5, 4, 3}, {10, 11, 12, 16, 14, 13}, {12, 15, 16, 17, 14, 10}}
	if !slices.EqualFunc(got, want, slices.Equal[[]uint32]) || !slices.Equal(ids, []uint32{0, 1, 2}) {
		t.Errorf("strip: %v %v", got, ids)
	}
	got, ids = run(vk.PrimitiveTopologyPatchList, 0, 1, r, 2, 3, 4, 5)
	if !slices.EqualFunc(got, [][]uint32{{2, 3, 4}}, slices.Equal[[]uint32]) || ids[0] != 0 {
		t.Errorf("patches: %v %v", got, ids)
	}
	got, _ = run(vk.PrimitiveTopologyTriangleFan, 0, 1, 2, r, 5, 6, 7, 8)
	if !slices.EqualFunc(got, [][]uint32{{1, 2, 0}, {6, 7, 5}, {7, 8, 5}}, slices.Equal[[]uint32]) {
		t.Errorf("fan: %v", got)
	}
}

// A call returns soon where primitives restart again and again, and says that there is
// more; what comes at last is assembled all the same.
func TestRestart_AgainAndAgain(t *testing.T) {
	rules.Covers(t, "RAS-053")
	data := bytes.Repeat([]byte{0xff}, 3*lookAhead)
	copy(data[len(data)-4:], []byte{1, 2, 3, 4})
	for _, wide := range []bool{false, true} {
		var a Assembler
		if err := a.Reset(Config{Topology: vk.PrimitiveTopologyTriangleStrip, Restart: true}); err != nil {
			t.Fatal(err)
		}
		if err := a.Indices(data, 1, 0, uint32(len(data)), 0); err != nil {
			t.Fatal(err)
		}
		var got [][3]uint32
		calls := 0
		for ; !a.Done(); calls++ {
			before := a.at
			if wide {
				var ids, verts [12]uint32
				for i := range a.NextWide(ids[:4], verts[:]) {
					got = append(got, [3]uint32(verts[3*i:]))
				}
			} else {
				var dst [4]Primitive
				for _, p := range dst[:a.Next(dst[:])] {
					got = append(got, p.V)
				}
			}
			if a.at-before > lookAhead {
				t.Fatalf("a call reads %d indices", a.at-before)
			}
		}
		if calls < 3 || !slices.Equal(got, [][3]uint32{{1, 2, 3}, {2, 4, 3}}) {
			t.Errorf("wide %v: %v in %d calls", wide, got, calls)
		}
	}
}

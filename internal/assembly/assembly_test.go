package assembly

import (
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// drain assembles everything with a buffer of the given size.
func drain(a *Assembler, room int) (out []Primitive) {
	dst := make([]Primitive, room)
	for n := a.Next(dst); n > 0; n = a.Next(dst) {
		out = append(out, dst[:n]...)
	}
	return out
}

func assemble(t *testing.T, c Config, count uint32) []Primitive {
	t.Helper()
	var a Assembler
	if err := a.Reset(c); err != nil {
		t.Fatal(err)
	}
	a.Vertices(0, count)
	return drain(&a, 7)
}

type vertices = [3]uint32

// RAS-046: the table of topologies; provoking as vertex numbers.
func TestAssembly_RAS046_Table(t *testing.T) {
	rules.Covers(t, "RC-60", "RAS-046", "RAS-047", "RAS-048", "RAS-049", "RAS-050", "RAS-053", "RAS-232")
	for _, c := range []struct {
		name        string
		topology    vk.PrimitiveTopology
		n           uint32
		want        []vertices
		first, last []uint32
	}{
		{"points", vk.PrimitiveTopologyPointList, 2, []vertices{{0, 0, 0}, {1, 1, 1}}, []uint32{0, 1}, []uint32{0, 1}},
		{"lines", vk.PrimitiveTopologyLineList, 5, []vertices{{0, 1, 1}, {2, 3, 3}}, []uint32{0, 2}, []uint32{1, 3}},
		{"line strip", vk.PrimitiveTopologyLineStrip, 3, []vertices{{0, 1, 1}, {1, 2, 2}}, []uint32{0, 1}, []uint32{1, 2}},
		{"line strip of one", vk.PrimitiveTopologyLineStrip, 1, nil, nil, nil},
		{"triangles", vk.PrimitiveTopologyTriangleList, 8, []vertices{{0, 1, 2}, {3, 4, 5}}, []uint32{0, 3}, []uint32{2, 5}},
		{"strip", vk.PrimitiveTopologyTriangleStrip, 6, []vertices{{0, 1, 2}, {1, 3, 2}, {2, 3, 4}, {3, 5, 4}}, []uint32{0, 1, 2, 3}, []uint32{2, 3, 4, 5}},
		{"strip of two", vk.PrimitiveTopologyTriangleStrip, 2, nil, nil, nil},
		// Corner case 60.
		{"fan", vk.PrimitiveTopologyTriangleFan, 6, []vertices{{1, 2, 0}, {2, 3, 0}, {3, 4, 0}, {4, 5, 0}}, []uint32{1, 2, 3, 4}, []uint32{2, 3, 4, 5}},
		{"lines adj", vk.PrimitiveTopologyLineListWithAdjacency, 9, []vertices{{1, 2, 2}, {5, 6, 6}}, []uint32{1, 5}, []uint32{2, 6}},
		{"line strip adj", vk.PrimitiveTopologyLineStripWithAdjacency, 5, []vertices{{1, 2, 2}, {2, 3, 3}}, []uint32{1, 2}, []uint32{2, 3}},
		{"triangles adj", vk.PrimitiveTopologyTriangleListWithAdjacency, 12, []vertices{{0, 2, 4}, {6, 8, 10}}, []uint32{0, 6}, []uint32{4, 10}},
		// Corner case 62.
		{"strip adj 6", vk.PrimitiveTopologyTriangleStripWithAdjacency, 6, []vertices{{0, 2, 4}}, []uint32{0}, []uint32{4}},
		{"strip adj 7", vk.PrimitiveTopologyTriangleStripWithAdjacency, 7, []vertices{{0, 2, 4}}, []uint32{0}, []uint32{4}},
		{"strip adj 8", vk.PrimitiveTopologyTriangleStripWithAdjacency, 8, []vertices{{0, 2, 4}, {2, 6, 4}}, []uint32{0, 2}, []uint32{4, 6}},
		{"strip adj 10", vk.PrimitiveTopologyTriangleStripWithAdjacency, 10, []vertices{{0, 2, 4}, {2, 6, 4}, {4, 6, 8}}, []uint32{0, 2, 4}, []uint32{4, 6, 8}},
		{"strip adj 5", vk.PrimitiveTopologyTriangleStripWithAdjacency, 5, nil, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			for mode, want := range map[vk.ProvokingVertexModeEXT][]uint32{
				vk.ProvokingVertexModeFirstVertexEXT: c.first,
				vk.ProvokingVertexModeLastVertexEXT:  c.last,
			} {
				var got []vertices
				var provoking []uint32
				for i, p := range assemble(t, Config{Topology: c.topology, Provoking: mode}, c.n) {
					got = append(got, p.V)
					provoking = append(provoking, p.V[p.Provoking])
					if p.ID != uint32(i) {
						t.Errorf("primitive %d has ID %d", i, p.ID)
					}
				}
				if !slices.Equal(got, c.want) {
					t.Errorf("%v: primitives %v, want %v", mode, got, c.want)
				}
				if !slices.Equal(provoking, want) {
					t.Errorf("%v: provoking %v, want %v", mode, provoking, want)
				}
			}
		})
	}
}

func encode(size int, values ...uint32) (out []byte) {
	for _, v := range values {
		switch size {
		case 1:
			out = append(out, byte(v))
		case 2:
			out = binary.LittleEndian.AppendUint16(out, uint16(v))
		case 4:
			out = binary.LittleEndian.AppendUint32(out, v)
		}
	}
	return out
}

// RAS-054, RAS-055, corner case 61: a restart starts a run with even parity,
// before the vertex offset is added, and IDs go on.
func TestRestart_RAS054_StripParity(t *testing.T) {
	rules.Covers(t, "RC-61", "RAS-054", "RAS-055")
	for _, size := range []int{1, 2, 4} {
		var a Assembler
		if err := a.Reset(Config{Topology: vk.PrimitiveTopologyTriangleStrip, Restart: true}); err != nil {
			t.Fatal(err)
		}
		if err := a.Indices(encode(size, 0, 1, 2, 3, 0xffffffff, 4, 5, 6), size, 0, 8, 10); err != nil {
			t.Fatal(err)
		}
		got := drain(&a, 1)
		want := []Primitive{
			{V: vertices{10, 11, 12}, N: 3, ID: 0, Flags: FlagRunStart},
			{V: vertices{11, 13, 12}, N: 3, ID: 1, Flags: FlagRunStart},
			{V: vertices{14, 15, 16}, N: 3, ID: 2, Flags: FlagRunStart},
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d bytes: %v, want %v", size, got, want)
		}
	}
}

// RAS-055: a restart moves the hub of a fan, drops incomplete primitives and
// starts stipple again.
func TestRestart_RAS055_FanListAndStipple(t *testing.T) {
	rules.Covers(t, "RAS-055")
	const r = 0xffff
	run := func(topology vk.PrimitiveTopology, indices ...uint32) (out []vertices, flags []uint8) {
		var a Assembler
		if err := a.Reset(Config{Topology: topology, Restart: true}); err != nil {
			t.Fatal(err)
		}
		_ = a.Indices(encode(2, indices...), 2, 0, uint32(len(indices)), 0)
		for _, p := range drain(&a, 3) {
			out, flags = append(out, p.V), append(flags, p.Flags)
		}
		return out, flags
	}
	if got, _ := run(vk.PrimitiveTopologyTriangleFan, 0, 1, 2, r, 5, 6, 7, 8); !slices.Equal(got, []vertices{{1, 2, 0}, {6, 7, 5}, {7, 8, 5}}) {
		t.Errorf("fan: %v", got)
	}
	if got, _ := run(vk.PrimitiveTopologyTriangleList, 0, 1, r, r, 2, 3, 4, 5); !slices.Equal(got, []vertices{{2, 3, 4}}) {
		t.Errorf("list: %v", got)
	}
	if _, flags := run(vk.PrimitiveTopologyLineStrip, 0, 1, 2, r, 3, 4, 5); !slices.Equal(flags, []uint8{1, 0, 1, 0}) {
		t.Errorf("strip: flags %v", flags)
	}
}

// RAS-054: without restart, and for sources without indices, the value is an
// ordinary index.
func TestRestart_RAS054_Off(t *testing.T) {
	rules.Covers(t, "RAS-054")
	var a Assembler
	_ = a.Reset(Config{Topology: vk.PrimitiveTopologyPointList})
	_ = a.Indices([]byte{1, 255}, 1, 0, 2, 1)
	if got := drain(&a, 4); len(got) != 2 || got[1].V[0] != 256 {
		t.Errorf("%v", got)
	}
	_ = a.Reset(Config{Topology: vk.PrimitiveTopologyPointList, Restart: true})
	a.Vertices(0xffffffff, 1)
	if got := drain(&a, 4); len(got) != 1 || got[0].V[0] != 0xffffffff {
		t.Errorf("%v", got)
	}
}

// RAS-056: IDs start again with each instance.
func TestPrimitiveID_RAS056_Instances(t *testing.T) {
	rules.Covers(t, "RAS-056")
	var a Assembler
	_ = a.Reset(Config{Topology: vk.PrimitiveTopologyTriangleList})
	for range 2 {
		a.Vertices(3, 7)
		got := drain(&a, 1)
		if len(got) != 2 || got[0].ID != 0 || got[1].ID != 1 || got[0].V != (vertices{3, 4, 5}) {
			t.Errorf("%v", got)
		}
	}
	// Also where the instance before was left in the middle of a strip.
	_ = a.Reset(Config{Topology: vk.PrimitiveTopologyTriangleStrip})
	a.Vertices(3, 7)
	a.Next(make([]Primitive, 2))
	a.Vertices(3, 7)
	if got := drain(&a, 8); len(got) != 5 || got[0].ID != 0 || got[4].ID != 4 || got[0].V != (vertices{3, 4, 5}) || got[1].V != (vertices{4, 6, 5}) {
		t.Errorf("a strip again: %v", got)
	}
}

func TestIndices_BeyondData_ReadZero(t *testing.T) {
	var a Assembler
	_ = a.Reset(Config{Topology: vk.PrimitiveTopologyPointList})
	_ = a.Indices(encode(2, 7, 8), 2, 1, 3, 0)
	got := drain(&a, 8)
	if len(got) != 3 || got[0].V[0] != 8 || got[1].V[0] != 0 || got[2].V[0] != 0 {
		t.Errorf("%v", got)
	}
	_ = a.Indices(nil, 4, 0xffffffff, 2, -1)
	if got := drain(&a, 8); len(got) != 2 || got[0].V[0] != 0xffffffff {
		t.Errorf("%v", got)
	}
	var e *IndexSizeError
	if err := a.Indices(nil, 3, 0, 1, 0); !errors.As(err, &e) {
		t.Errorf("size 3: %v", err)
	}
}

func TestReset_RAS051_PatchesAndNonsense(t *testing.T) {
	rules.Covers(t, "RAS-051")
	for _, topology := range []vk.PrimitiveTopology{vk.PrimitiveTopologyPatchList, -1, 11, 1 << 30} {
		var a Assembler
		var e *UnsupportedError
		if err := a.Reset(Config{Topology: topology}); !errors.As(err, &e) || e.Topology != topology {
			t.Errorf("%v: %v", topology, err)
		}
	}
	var a Assembler
	for n, bad := range map[uint32]bool{1: false, MaxVertices: false, MaxVertices + 1: true} {
		if err := a.Reset(Config{Topology: vk.PrimitiveTopologyPatchList, PatchVertices: n}); (err != nil) != bad {
			t.Errorf("patches of %d vertices: %v", n, err)
		}
	}
}

// The size of chunks changes nothing, and nothing is allocated.
func TestNext_ChunksAndAllocations(t *testing.T) {
	for topology := vk.PrimitiveTopologyPointList; topology < vk.PrimitiveTopologyPatchList; topology++ {
		var a Assembler
		_ = a.Reset(Config{Topology: topology})
		a.Vertices(0, 100)
		want := drain(&a, 1000)
		a.Vertices(0, 100)
		if got := drain(&a, 3); !slices.Equal(got, want) {
			t.Errorf("%v: chunks of 3 differ", topology)
		}
		dst := make([]Primitive, 16)
		if n := testing.AllocsPerRun(5, func() {
			a.Vertices(0, 100)
			for a.Next(dst) > 0 {
			}
		}); n != 0 {
			t.Errorf("%v: %v allocations", topology, n)
		}
	}
}

func BenchmarkAssembly(b *testing.B) {
	data := make([]byte, 3*4*1024)
	for i := range data {
		data[i] = byte(i * 7)
	}
	dst := make([]Primitive, 256)
	var a Assembler
	_ = a.Reset(Config{Topology: vk.PrimitiveTopologyTriangleList})
	b.ReportAllocs()
	for b.Loop() {
		_ = a.Indices(data, 4, 0, 3*1024, 0)
		for a.Next(dst) > 0 {
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1024, "ns/triangle")
}

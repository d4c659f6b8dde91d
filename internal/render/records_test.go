package render

import (
	"encoding/binary"
	"errors"
	"math"
	"reflect"
	"runtime"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/render/fragment"
	"github.com/pumice-gpu/pumice/internal/render/geometry"
	"github.com/pumice-gpu/pumice/internal/render/rates"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/internal/vertexpost"
	"github.com/pumice-gpu/pumice/vk"
)

func words(v ...uint32) (b []byte) {
	for _, v := range v {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

// VkDrawIndirectCommand, VkDrawIndexedIndirectCommand, VkDrawMeshTasksIndirectCommandEXT
// and byte counts: what their words say; what is not in the buffer draws nothing.
func TestDraw_IndirectRecords(t *testing.T) {
	buffer := words(77, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
	in := &Indirect{Buffer: buffer, Offset: 4, Stride: 20, DrawCount: 9}
	d := Draw{Indirect: in, DrawIndex: 30}
	for _, c := range []struct {
		record uint32
		index  *IndexBuffer
		want   command
		mesh   [3]uint32
	}{
		{0, nil, command{count: 1, instances: 2, first: 3, firstInstance: 4, drawIndex: 30}, [3]uint32{1, 2, 3}},
		{1, nil, command{count: 6, instances: 7, first: 8, firstInstance: 9, drawIndex: 31}, [3]uint32{6, 7, 8}},
		{1, &IndexBuffer{}, command{count: 6, instances: 7, first: 8, vertexOffset: 9, firstInstance: 10, drawIndex: 31}, [3]uint32{6, 7, 8}},
		{2, nil, command{}, [3]uint32{}},
	} {
		d.Index = c.index
		if got, mesh := d.command(c.record), d.meshGroups(c.record); got != c.want || mesh != c.mesh {
			t.Errorf("record %d: %+v, want %+v; groups %v, want %v", c.record, got, c.want, mesh, c.mesh)
		}
	}
	in.Buffer = buffer[:40] // the last word of the second record is missing
	d.Index = nil
	if got := d.command(1); got.count != 6 {
		t.Errorf("a record that just fits: %+v", got)
	}
	d.Index = &IndexBuffer{}
	if got := d.command(1); got != (command{}) {
		t.Errorf("an indexed record with a word less: %+v", got)
	}
	for _, c := range []struct {
		in   *Indirect
		want uint32
	}{
		{nil, 1}, {&Indirect{Buffer: buffer, Stride: 20, DrawCount: 2}, 2}, {&Indirect{Buffer: buffer, Stride: 20, DrawCount: 100}, 3},
		{&Indirect{Buffer: buffer, Offset: 4, Stride: 20, DrawCount: 100}, 3}, {&Indirect{Buffer: buffer, DrawCount: 100}, 1}, {&Indirect{Buffer: buffer}, 0},
		{&Indirect{Buffer: buffer, Offset: 44, Stride: 20, DrawCount: 100}, 0}, {&Indirect{Buffer: buffer, Offset: 43, Stride: 20, DrawCount: 100}, 1},
		{&Indirect{Buffer: buffer, Stride: 20, DrawCount: 3, Count: words(9, 2), CountOffset: 4}, 2},
		{&Indirect{Buffer: buffer, Stride: 20, DrawCount: 1, Count: words(9, 2), CountOffset: 4}, 1},
		{&Indirect{Buffer: buffer, Stride: 20, DrawCount: 3, Count: words(9, 2), CountOffset: 5}, 0},
	} {
		if got := (&Draw{Indirect: c.in}).records(); got != c.want {
			t.Errorf("%+v: %d records, want %d", c.in, got, c.want)
		}
	}
	if got, want := (&Draw{First: 1, Count: 2, FirstInstance: 3, Instances: 4, VertexOffset: 5, DrawIndex: 6}).command(0), (command{1, 2, 3, 4, 5, 6}); got != want {
		t.Errorf("a direct draw: %+v", got)
	}
	for _, c := range []struct{ bytes, offset, stride, want uint32 }{{100, 0, 12, 8}, {100, 4, 12, 8}, {100, 5, 12, 7}, {3, 4, 12, 0}, {7, 0, 0, 7}} {
		counted := Draw{ByteCount: &ByteCount{Counter: words(c.bytes), Offset: c.offset, Stride: c.stride}, Instances: 2, FirstInstance: 3, DrawIndex: 4}
		if got := counted.command(0); got != (command{count: c.want, instances: 2, firstInstance: 3, drawIndex: 4}) {
			t.Errorf("%d bytes from %d by %d: %+v", c.bytes, c.offset, c.stride, got)
		}
	}
	for at, want := range map[uint64]bool{0: true, 40: true, 41: false, 44: false, 45: false, math.MaxUint64: false} {
		if v, ok := word(buffer, at); ok != want || !ok && v != 0 {
			t.Errorf("word at %d: %d, %v", at, v, ok)
		}
	}
}

// mesh-task-output: workgroups within the limits, nothing beyond them.
func TestGroups_Total(t *testing.T) {
	for size, want := range map[[3]uint32]int64{
		{3, 4, 5}: 60, {1, 1, 1}: 1, {0, 4, 5}: 0, {65535, 1, 1}: 65535, {65536, 1, 1}: 0, {1, 65536, 1}: 0, {2048, 2048, 1}: 1 << 22, {2048, 2049, 1}: 0, {65535, 65535, 65535}: 0,
	} {
		if got := (&geometry.Groups{Size: size}).Total(); got != want {
			t.Errorf("%v: %d workgroups, want %d", size, got, want)
		}
	}
	for total, want := range map[int64]int64{1: 8, 512: 8, 640: 10, 16384: 256, 1 << 22: 256} {
		if got := meshChunk(total); got != want {
			t.Errorf("chunks of %d of %d workgroups, want %d", got, total, want)
		}
	}
}

// Every number of a Stats is added to its own.
func TestStats_AddEveryField(t *testing.T) {
	var a, b Stats
	set := func(s *Stats, factor int) {
		k := 0
		var each func(v reflect.Value)
		each = func(v reflect.Value) {
			switch v.Kind() {
			case reflect.Uint64:
				k++
				v.SetUint(uint64(factor * k))
			case reflect.Int64:
				k++
				v.SetInt(int64(factor * k))
			case reflect.Struct:
				for i := range v.NumField() {
					each(v.Field(i))
				}
			default:
				for i := range v.Len() {
					each(v.Index(i))
				}
			}
		}
		each(reflect.ValueOf(s).Elem())
	}
	set(&a, 1)
	set(&b, 1000)
	a.Add(b)
	set(&b, 1001)
	if a != b {
		t.Errorf("%+v, want %+v", a, b)
	}
}

// An error says what, why, the rule and what to do, as far as each is known.
func TestErrors_Texts(t *testing.T) {
	cause := errors.New("cause")
	for want, err := range map[string]error{
		"pipeline: what: cause (RAS-1); fix": &PipelineError{What: "what", Rule: "RAS-1", Fix: "fix", Err: cause},
		"pipeline: what":                     &PipelineError{What: "what"},
		"draw 0: what (RAS-1)":               &PassError{What: "what", Rule: "RAS-1"},
		"draw 1: what (RAS-002 Snapping of positions to subpixels)":              &PassError{Draw: 1, What: "what", Rule: "RAS-002"},
		"render pass: what; fix":                                                 &PassError{Draw: -1, What: "what", Fix: "fix"},
		"draw 7: what: cause":                                                    &PassError{Draw: 7, What: "what", Err: cause},
		"render worker failed: 3; the device is lost, report this stack:\nstack": &WorkerError{Value: 3, Stack: "stack"},
	} {
		if err.Error() != want {
			t.Errorf("%q, want %q", err, want)
		}
	}
	if !errors.Is(&PipelineError{Err: cause}, cause) || !errors.Is(&PassError{Err: cause}, cause) {
		t.Error("a cause is lost")
	}
}

// Configurations are completed and kept in range.
func TestNew_Config(t *testing.T) {
	def := newExecutor(Config{})
	if c := def.Config(); c.Threads != runtime.GOMAXPROCS(0) || c.TileSize != defaultTileSize || c.Lanes != defaultLanes || c.BinBytes != defaultBinBytes || c.CoverageSamples != rates.MaxCoverageSamples {
		t.Errorf("defaults %+v", c)
	}
	for _, c := range []struct{ in, want Config }{
		{Config{Threads: 3, TileSize: 100, Lanes: 67, BinBytes: 5 << 20, CoverageSamples: 16}, Config{Threads: 3, TileSize: 64, Lanes: 64, BinBytes: 5 << 20, CoverageSamples: 16}},
		{Config{Threads: 5000, TileSize: 1, Lanes: 1, BinBytes: 1, CoverageSamples: 8}, Config{Threads: 1024, TileSize: 16, Lanes: 4, BinBytes: minBinBytes, CoverageSamples: 8}},
		{Config{Threads: 1, TileSize: 1 << 20, Lanes: 1 << 20, BinBytes: 1 << 30, CoverageSamples: 1}, Config{Threads: 1, TileSize: 256, Lanes: exec.MaxLanes, BinBytes: 1 << 30, CoverageSamples: 1}},
		{Config{Threads: 1, TileSize: 256, Lanes: 4, BinBytes: 1 << 30, CoverageSamples: 1}, Config{Threads: 1, TileSize: 256, Lanes: 4, BinBytes: 1 << 30, CoverageSamples: 1}},
	} {
		x := New(c.in)
		if got := x.Config(); got != c.want || x.chunkBytes != c.want.BinBytes/int64(c.want.Threads) || len(x.workers) != c.want.Threads {
			t.Errorf("%+v becomes %+v, want %+v; %d bytes a chunk, %d workers", c.in, got, c.want, x.chunkBytes, len(x.workers))
		}
		for i := range x.Ones {
			if x.Zeros[i] != 0 || x.Ones[i] != 1 || x.FloatOnes[i] != math.Float32bits(1) {
				t.Fatalf("lane %d: %d, %d, %#x", i, x.Zeros[i], x.Ones[i], x.FloatOnes[i])
			}
		}
	}
}

// Vertices of primitives, number by number.
func TestInputs_Numbers(t *testing.T) {
	rules.Covers(t, "RAS-181")
	r := fragment.Primitive{V: [3]uint32{5, 6, 7}, N: 3, First: 1}
	line := fragment.Primitive{V: [3]uint32{5, 6, 5}, N: 2, First: 1}
	for k, want := range [4][2]uint32{{6, 6}, {7, 5}, {5, 5}, {5, 5}} { // RAS-181: missing ones repeat the last
		if a, b := r.Vertex(uint8(k)), line.Vertex(uint8(k)); a != want[0] || b != want[1] {
			t.Errorf("vertex %d: %d of a triangle, %d of a line", k, a, b)
		}
	}
}

// RAS-306, RAS-308: rectangles by viewport, half-open on each side.
func TestWindows_RAS306_Pixels(t *testing.T) {
	rules.Covers(t, "RAS-306", "RAS-308")
	d := DefaultState()
	s := drawState{dynamic: &d}
	if s.addWindows(); s.windows != nil {
		t.Error("windows without a rectangle")
	}
	d.DiscardEnable, d.DiscardCount, d.DiscardRectangles[0], d.DiscardRectangles[1] = true, 1, rect(2, 3, 4, 2), rect(0, 0, 99, 99)
	d.ExclusiveEnable, d.ExclusiveScissors[0], d.ExclusiveScissors[1] = 2, rect(0, 0, 99, 99), rect(3, 3, 1, 1)
	for _, exclusive := range []bool{false, true} {
		if d.DiscardMode = vk.DiscardRectangleModeInclusiveEXT; exclusive {
			d.DiscardMode = vk.DiscardRectangleModeExclusiveEXT
		}
		s.post = make([]vertexpost.Config, 3)
		s.addWindows()
		for y := range int32(8) {
			for x := range int32(8) {
				in := x >= 2 && x < 6 && y >= 3 && y < 5
				for viewport, hole := range []bool{false, x == 3 && y == 3, false} {
					at := y>>1<<4 | x>>1<<2 | y&1<<1 | x&1
					got := s.windows.pixels(0, 0, uint16(viewport))>>at&1 != 0
					if want := in != exclusive && !hole; got != want {
						t.Errorf("exclusive %v: (%d, %d) of viewport %d is kept: %v", exclusive, x, y, viewport, got)
					}
				}
			}
		}
	}
}

// vkCmdClearAttachments: rectangles inside of the tile, layers from the first on, or
// the views of the pass.
func TestClear_RectsAndLayers(t *testing.T) {
	for _, views := range []uint32{0, 0b1010} {
		s := newScene(t, 8, 8, 1, vk.FormatUndefined)
		s.color = newView(t, vk.FormatR8G8B8A8Unorm, 8, 8, 1, 5)
		s.pass.Color[0] = Attachment{View: s.color}
		if s.pass.Layers = 5; views != 0 {
			s.pass.Layers, s.pass.ViewMask = 0, views
		}
		s.pass.Area = rect(0, 0, 7, 8)
		s.pass.Draws = []Draw{{Clear: &Clear{Aspect: vk.ImageAspectColorBit, Color: texel(1, 1, 1, 1), Rects: []vk.ClearRect{
			{Rect: rect(1, 2, 2, 3), BaseArrayLayer: 1, LayerCount: 2}, {Rect: rect(5, 0, 9, 1), BaseArrayLayer: 4, LayerCount: 9}, {Rect: rect(3, 3, 0, 4), LayerCount: 5}, {Rect: rect(3, 3, 4, 0), LayerCount: 5},
		}}}}
		s.run(t, Config{Threads: 1})
		for layer := range 5 {
			for y := range 8 {
				for x := range 8 {
					first, second := x >= 1 && x < 3 && y >= 2 && y < 5, x >= 5 && x < 7 && y == 0
					want := first && layer >= 1 && layer < 3 || second && layer == 4
					if views != 0 {
						want = (first || second) && views>>layer&1 != 0
					}
					if got := pixel(s.color, x, y, layer) != [4]byte{}; got != want {
						t.Errorf("views %b: (%d, %d) of layer %d is cleared: %v", views, x, y, layer, got)
					}
				}
			}
		}
	}
}

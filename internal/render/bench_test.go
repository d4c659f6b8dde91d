package render

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/pumice-gpu/pumice/vk"
)

// benchScene draws overlapping quads, or small triangles.
func benchScene(b *testing.B, samples int, small, depth bool) *scene {
	f := vk.FormatUndefined
	if depth {
		f = vk.FormatD32Sfloat
	}
	s := newScene(b, 512, 512, samples, f)
	if depth {
		s.state.DepthTestEnable, s.state.DepthWriteEnable, s.state.DepthCompareOp = true, true, vk.CompareOpLessOrEqual
	}
	p := s.pipeline(b, 256)
	var v []float32
	if small {
		for y := range 128 {
			for x := range 128 {
				v = s.quad(v, float32(4*x), float32(4*y), float32(4*x+4), float32(4*y+4), .5, red...)
			}
		}
	} else {
		for range 4 {
			v = s.quad(v, 0, 0, 512, 512, .5, red...)
		}
	}
	s.add(p, s.state, v, 8)
	return s
}

func BenchmarkFragments(b *testing.B) {
	for _, c := range []struct {
		name         string
		samples      int
		small, depth bool
	}{
		{"quads/1x", 1, false, false}, {"quads/1x/D32", 1, false, true}, {"quads/4x/D32", 4, false, true},
		{"small/1x/D32", 1, true, true},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := benchScene(b, c.samples, c.small, c.depth)
			x := New(Config{})
			n := uint64(0)
			b.ReportAllocs()
			for b.Loop() {
				st, err := x.Run(context.Background(), &s.pass)
				if err != nil {
					b.Fatal(err)
				}
				n += st.Fragments
			}
			b.ReportMetric(float64(n)/1e6/b.Elapsed().Seconds(), "Mfragments/s")
		})
	}
}

// TestRun_NothingAllocatedPerTileOrFragment compares the allocations of a small
// and a large pass: what remains is per pass.
func TestRun_NothingAllocatedPerTileOrFragment(t *testing.T) {
	allocs := func(cells int) float64 {
		s := newScene(t, 512, 512, 1, vk.FormatD32Sfloat)
		s.state.DepthTestEnable = true
		s.state.DepthCompareOp = vk.CompareOpAlways
		p := s.pipeline(t, 256)
		var v []float32
		for i := range cells * cells {
			x, y := float32(i%cells*8), float32(i/cells*8)
			v = s.quad(v, x, y, x+8, y+8, .5, red...)
		}
		s.add(p, s.state, v, 8)
		x := New(Config{Threads: 1, TileSize: 16})
		return testing.AllocsPerRun(5, func() {
			if _, err := x.Run(context.Background(), &s.pass); err != nil {
				t.Fatal(err)
			}
		})
	}
	if small, large := allocs(2), allocs(64); large > small {
		t.Errorf("%v allocations for 1024 tiles, %v for one", large, small)
	}
}

// BenchmarkVertices draws an indexed grid of 131,072 triangles whose fragments
// are cut away, so that only the vertex side remains.
func BenchmarkVertices(b *testing.B) {
	s := newScene(b, 512, 512, 1, vk.FormatD32Sfloat)
	s.state.Scissors[0].Extent = vk.Extent2D{Width: 1, Height: 1}
	p := s.pipeline(b, 256)
	const n = 257
	var v []float32
	var idx []byte
	for y := range n {
		for x := range n {
			v = s.vert(v, float32(x*2), float32(y*2), .5, red...)
		}
	}
	for y := range n - 1 {
		for x := range n - 1 {
			a := uint32(y*n + x)
			for _, i := range [6]uint32{a, a + 1, a + n, a + 1, a + n + 1, a + n} {
				idx = binary.LittleEndian.AppendUint32(idx, i)
			}
		}
	}
	d := s.add(p, s.state, v, 8)
	d.Index, d.Count = &IndexBuffer{Data: idx, Type: vk.IndexTypeUint32}, uint32(len(idx)/4)
	x := New(Config{})
	count := uint64(0)
	b.ReportAllocs()
	for b.Loop() {
		st, err := x.Run(context.Background(), &s.pass)
		if err != nil {
			b.Fatal(err)
		}
		count += st.Primitives
	}
	b.ReportMetric(float64(count)/1e6/b.Elapsed().Seconds(), "Mtriangles/s")
}

package render

import (
	"context"
	"encoding/binary"
	"runtime/debug"
	"strconv"
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/fragment"
	"github.com/pumice-gpu/pumice/internal/rules"
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
			x := newExecutor(Config{})
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

// fullScreen draws n triangles that cover the whole framebuffer.
func fullScreen(tb testing.TB, size, n int) *scene {
	s := newScene(tb, size, size, 1, vk.FormatD32Sfloat)
	s.state.DepthTestEnable, s.state.DepthWriteEnable, s.state.DepthCompareOp = true, true, vk.CompareOpLessOrEqual
	var v []float32
	for _, c := range [3][2]float32{{0, 0}, {2, 0}, {0, 2}} {
		v = s.vert(v, c[0]*float32(size), c[1]*float32(size), .5, red...)
	}
	d := s.add(s.pipeline(tb, 256), s.state, v, 8)
	d.Instances = uint32(n)
	return s
}

// The worst case of binning: every triangle touches every tile. Time goes with
// triangles times tiles.
func BenchmarkFullScreenTriangles(b *testing.B) {
	for _, n := range []int{10_000, 100_000, 1_000_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			s := fullScreen(b, 16, n)
			x := newExecutor(Config{})
			rounds := uint64(0)
			for b.Loop() {
				st, err := x.Run(context.Background(), &s.pass)
				if err != nil {
					b.Fatal(err)
				}
				rounds = st.Rounds
			}
			b.ReportMetric(float64(n)*float64(b.N)/1e6/b.Elapsed().Seconds(), "Mtriangles/s")
			b.ReportMetric(float64(rounds), "rounds")
		})
	}
}

// Bins hold no more than their budget: rounds take turns.
func TestRun_RAS367_BinsStayInBudget(t *testing.T) {
	rules.Covers(t, "RAS-367")
	s := fullScreen(t, 40, 20_000)
	x := newExecutor(Config{Threads: 2, TileSize: 16, BinBytes: 1 << 20})
	st, err := x.Run(context.Background(), &s.pass)
	if err != nil {
		t.Fatal(err)
	}
	if st.Rounds < 4 || st.Primitives != 20_000 || st.Rasterized != 20_000 {
		t.Errorf("%d rounds, %d primitives, %d rasterized", st.Rounds, st.Primitives, st.Rasterized)
	}
	held := int64(0)
	for _, c := range x.pool {
		held += int64(cap(c.setups))*int64(unsafe.Sizeof(raster.Setup{})) + 4*int64(cap(c.Attrs)+cap(c.bins.list)+cap(c.bins.big))
	}
	// A budget, and what two workers have begun when it is used up.
	if limit := int64(1<<20 + 2*minPrimitives*1024); held > limit {
		t.Errorf("chunks hold %d bytes, budget %d", held, limit)
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
		x := newExecutor(Config{Threads: 1, TileSize: 16})
		// A collection takes away what the runtime keeps for channels and goroutines.
		defer debug.SetGCPercent(debug.SetGCPercent(-1))
		run := func() {
			if _, err := x.Run(context.Background(), &s.pass); err != nil {
				t.Fatal(err)
			}
		}
		for range fragment.FuseAfter/(64*cells*cells) + 3 { // until shader and inputs are one program
			run()
		}
		return testing.AllocsPerRun(5, run)
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
	x := newExecutor(Config{})
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

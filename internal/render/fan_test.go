package render

import (
	"bytes"
	"context"
	"math"
	"strconv"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// fan draws a disk of n slivers.
func fan(tb testing.TB, size, n int) *scene {
	s := newScene(tb, size, size, 1, vk.FormatUndefined)
	s.state.Topology = vk.PrimitiveTopologyTriangleFan
	c := float32(size) / 2
	v := s.vert(nil, c, c, .5, red...)
	for i := range n + 1 {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
		v = s.vert(v, c+float32(cos)*c, c+float32(sin)*c, .5, float32(i)/float32(n), 0, float32(i%2), 1)
	}
	s.add(s.pipeline(tb, 256), s.state, v, 8)
	return s
}

// looks is how often the tiles of a scene look at a set-up, and how many are big.
func looks(t *testing.T, s *scene) (n, big int) {
	x := newExecutor(Config{Threads: 2, TileSize: 16, BinBytes: 64 << 20})
	p, err := x.newPlan(&s.pass)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range x.workers {
		w.prepare(p)
	}
	x.source = source{x: x, plan: p}
	var st Stats
	if last, err := x.bin(&st); err != nil || !last {
		t.Fatal(last, err)
	}
	for _, c := range x.pool[:x.ready] {
		n += len(c.bins.list) + p.Grid.Tiles*len(c.bins.big)
		big += len(c.bins.big)
	}
	return n, big
}

// Tiles look at slivers that go through them, not at all whose boxes hold them: the
// work of a large fan grows as its vertices do, and each sliver is looked at in about
// as many tiles as its length has. What covers many tiles stays one entry for all.
func TestFan_WorkGrowsAsItsVertices(t *testing.T) {
	rules.Covers(t, "RAS-367")
	for _, n := range []int{500, 2000, 8000} {
		// A radius of 32 tiles: a sliver goes through 32 to 48.
		got, _ := looks(t, fan(t, 1024, n))
		if per := float64(got) / float64(n); per < 24 || per > 60 {
			t.Errorf("%d slivers: %.1f looks each", n, per)
		}
	}
	if _, big := looks(t, fan(t, 1024, 3)); big != 3 {
		t.Errorf("%d large triangles are kept once, want 3", big)
	}
}

// Small tiles, into which boxes are divided, and one large tile give the same picture.
func TestFan_AnyTiles(t *testing.T) {
	rules.Covers(t, "RAS-101")
	var want []byte
	for _, tile := range []int{256, 16} {
		s := fan(t, 256, 3000)
		s.run(t, Config{Threads: 2, TileSize: tile})
		if want == nil {
			want = bytes.Clone(s.color.Image.Data)
		} else if !bytes.Equal(s.color.Image.Data, want) {
			t.Errorf("tiles of %d pixels change the picture", tile)
		}
	}
}

func BenchmarkFan(b *testing.B) {
	for _, n := range []int{1000, 16_000, 58_564} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			s := fan(b, 1024, n)
			x := newExecutor(Config{})
			for b.Loop() {
				if _, err := x.Run(context.Background(), &s.pass); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/vertex")
		})
	}
}

package raster

import (
	"fmt"
	"testing"
)

func BenchmarkSetup(b *testing.B) {
	p := triangleAt(3, 2, 60, 10, 20, 55)
	p.C[0].InvW, p.C[1].InvW = .5, .25
	st := fillState(4)
	dst := make([]Setup, 0, 16)
	b.Run("append", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			dst, _ = AppendPolygon(dst[:0], nil, p, st, 0)
		}
	})
	v := [3]*Projected{vertexOf(&p.C[0]), vertexOf(&p.C[1]), vertexOf(&p.C[2])}
	s := &dst[:1][0]
	b.Run("triangle", func(b *testing.B) {
		for b.Loop() {
			s.SetTriangle(&v, 0, st, 0)
		}
	})
	b.Run("line", func(b *testing.B) {
		for b.Loop() {
			s.SetLine(v[0], v[1], st, 0)
		}
	})
	b.Run("point", func(b *testing.B) {
		for b.Loop() {
			s.SetPoint(v[0], Dot{}, st, 0)
		}
	})
}

func BenchmarkCover(b *testing.B) {
	for _, c := range []struct {
		name string
		p    *Polygon
	}{
		{"full", triangleAt(-100, -100, 400, -100, -100, 400)},
		{"half", triangleAt(0, 0, 64, 0, 0, 64)},
		{"tiny", triangleAt(20.1, 20.2, 22.3, 20.4, 20.5, 22.8)},
		{"8px", triangleAt(20.1, 20.2, 28.3, 21.4, 22.5, 28.8)},
		{"20px", triangleAt(20.1, 20.2, 38.3, 32.4, 37.5, 33.8)},
		{"outside", triangleAt(20.1, -20.2, 164.5, -20.2, 164.5, 110)},
	} {
		for _, samples := range []int{1, 4, 16} {
			b.Run(fmt.Sprintf("%s/%dx", c.name, samples), func(b *testing.B) {
				ss := Samples(samples)
				s := fill(c.p, fillState(samples))[0]
				var c Coverage
				c.Grow(64, WordsOf(samples, false))
				b.ReportAllocs()
				for b.Loop() {
					s.Find(&c, nil, Rect{0, 0, 64, 64}, ss)
				}
				b.ReportMetric(float64(len(c.Blocks)), "blocks")
			})
		}
	}
}

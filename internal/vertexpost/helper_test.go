package vertexpost

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/vk"
)

// scene draws primitives to a square framebuffer of one sample.
type scene struct {
	config Config
	state  raster.State
	size   int32
}

func newScene(size int32) *scene {
	s := &scene{size: size}
	s.view(vk.Viewport{Width: float32(size), Height: float32(size), MaxDepth: 1})
	s.config.DepthClip = true
	s.state.Samples, s.state.LineWidth = 1, 1
	return s
}

func (s *scene) view(v vk.Viewport) {
	s.config.Viewport = MakeViewport(v, s.config.NegativeOneToOne)
	s.state.ViewRect = s.config.Viewport.Rect
}

func vertex(x, y, z, w float32) raster.Vertex {
	return raster.Vertex{Pos: [4]float32{x, y, z, w}, Size: 1}
}

type pixel struct{ x, y int32 }

// pixelsOf are the pixels of blocks whose first sample is covered.
func pixelsOf(b *raster.Coverage) (out []pixel) {
	for k, o := range b.Blocks {
		for m := b.Mask(k)[0]; m != 0; m &= m - 1 {
			at := int32(bits.TrailingZeros64(m))
			out = append(out, pixel{o.X + at>>2&3<<1 + at&1, o.Y + at>>4<<1 + at>>1&1})
		}
	}
	return out
}

// cover lists what the set-ups cover, sorted by row, as often as it is covered.
func (s *scene) cover(t testing.TB, setups []raster.Setup, extra []raster.HalfPlane) (out []pixel) {
	t.Helper()
	var b raster.Coverage
	b.Grow(64, raster.WordsOf(s.state.Samples, false))
	for i := range setups {
		for y := int32(0); y < s.size; y += 64 {
			for x := int32(0); x < s.size; x += 64 {
				r := raster.Rect{X0: x, Y0: y, X1: min(x+64, s.size), Y1: min(y+64, s.size)}
				setups[i].Find(&b, extra, r, raster.Samples(s.state.Samples))
				out = append(out, pixelsOf(&b)...)
			}
		}
	}
	slices.SortFunc(out, func(a, b pixel) int {
		if a.y != b.y {
			return int(a.y - b.y)
		}
		return int(a.x - b.x)
	})
	return out
}

// setups clips and sets up a triangle.
func (s *scene) setups(v ...raster.Vertex) ([]raster.Setup, []raster.HalfPlane) {
	s.config.Project(v)
	var p raster.Polygon
	if !s.config.Triangle(&p, &v[0], &v[1], &v[2]) {
		return nil, nil
	}
	return raster.AppendPolygon(nil, nil, &p, &s.state, 0)
}

func (s *scene) triangle(t testing.TB, v ...raster.Vertex) []pixel {
	t.Helper()
	setups, extra := s.setups(v...)
	return s.cover(t, setups, extra)
}

func (s *scene) line(t testing.TB, a, b raster.Vertex) []pixel {
	t.Helper()
	v := []raster.Vertex{a, b}
	s.config.Project(v)
	var g raster.Segment
	if !s.config.Line(&g, &v[0], &v[1]) {
		return nil
	}
	setups, extra := raster.AppendSegment(nil, nil, &g, &s.state, 0)
	return s.cover(t, setups, extra)
}

func (s *scene) point(t testing.TB, v raster.Vertex) []pixel {
	t.Helper()
	list := []raster.Vertex{v}
	s.config.Project(list)
	var p raster.Point
	if !s.config.Point(&p, &list[0]) {
		return nil
	}
	setups, extra := raster.AppendPoint(nil, nil, &p, &s.state, 0)
	return s.cover(t, setups, extra)
}

// rows renders pixels as "y:x0-x1 ..."; a gap in a row starts a new part.
func rows(list []pixel) string {
	var parts []string
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1].y == list[i].y && list[j+1].x == list[j].x+1 {
			j++
		}
		parts = append(parts, fmt.Sprintf("%d:%d-%d", list[i].y, list[i].x, list[j].x))
		i = j + 1
	}
	return strings.Join(parts, " ")
}

// square is the rows of a block of pixels.
func square(x0, y0, x1, y1 int32) string {
	var parts []string
	for y := y0; y <= y1; y++ {
		parts = append(parts, fmt.Sprintf("%d:%d-%d", y, x0, x1))
	}
	return strings.Join(parts, " ")
}

// framebuffer is a vertex at a position in pixels of an 8x8 viewport.
func framebuffer(x, y float32) raster.Vertex { return vertex(x/4-1, y/4-1, 0, 1) }

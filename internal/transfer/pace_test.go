package transfer

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

var ctx = context.Background()

// countdown is a context that ends when it has been asked n times.
type countdown struct {
	context.Context
	n int
}

func (c *countdown) Err() error {
	if c.n--; c.n < 0 {
		return context.Canceled
	}
	return nil
}

// Transfers ask every few milliseconds whether they are still wanted, inside a region
// and between regions.
func TestPace_StopsInTheMiddle(t *testing.T) {
	const size = 4*paceBytes + 12
	buffer := func() []byte { return make([]byte, size) }
	whole := []vk.BufferCopy{{Size: size}}
	im := image2D(t, vk.FormatR8G8B8A8Unorm, 2048, 2048)
	other := image2D(t, vk.FormatR8G8B8A8Unorm, 2048, 2048)
	four := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8G8B8A8Unorm, Extent: vk.Extent3D{Width: 256, Height: 256, Depth: 1}, Samples: 4})
	one := image2D(t, vk.FormatR8G8B8A8Unorm, 256, 256)
	layers := vk.ImageSubresourceLayers{AspectMask: vk.ImageAspectColorBit, LayerCount: 1}
	extent := vk.Extent3D{Width: 2048, Height: 2048, Depth: 1}
	box := [2]vk.Offset3D{{}, {X: 2048, Y: 2048, Z: 1}}
	for name, run := range map[string]func(ctx context.Context) error{
		"a buffer": func(ctx context.Context) error { return CopyBuffer(ctx, buffer(), buffer(), whole) },
		"a fill":   func(ctx context.Context) error { return FillBuffer(ctx, buffer(), 0, WholeSize, 7) },
		"a clear": func(ctx context.Context) error {
			return ClearColorImage(ctx, im, [4]uint32{}, []vk.ImageSubresourceRange{{AspectMask: vk.ImageAspectColorBit, LevelCount: 1, LayerCount: 1}})
		},
		"a buffer to image": func(ctx context.Context) error {
			return CopyBufferToImage(ctx, im, make([]byte, 16<<20), []vk.BufferImageCopy{{ImageSubresource: layers, ImageExtent: extent}})
		},
		"an image": func(ctx context.Context) error {
			return CopyImage(ctx, other, im, []vk.ImageCopy{{SrcSubresource: layers, DstSubresource: layers, Extent: extent}})
		},
		"a blit": func(ctx context.Context) error {
			return BlitImage(ctx, other, im, []vk.ImageBlit{{SrcSubresource: layers, DstSubresource: layers, SrcOffsets: box, DstOffsets: box}}, vk.FilterLinear)
		},
		"a resolve": func(ctx context.Context) error {
			return ResolveImage(ctx, one, four, []vk.ImageResolve{{SrcSubresource: layers, DstSubresource: layers, Extent: vk.Extent3D{Width: 256, Height: 256, Depth: 1}}}, vk.ResolveModeNone, vk.ResolveModeNone, 0)
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := &countdown{context.Background(), 2}
			if err := run(c); !errors.Is(err, context.Canceled) || c.n != -1 {
				t.Errorf("%v, asked %d times", err, 2-c.n)
			}
			if err := run(&countdown{context.Background(), 1 << 20}); err != nil {
				t.Error(err)
			}
		})
	}
}

// Pieces make the same as a whole, where source and destination overlap too.
func TestPace_PiecesAreTheWhole(t *testing.T) {
	const n = 2*paceBytes + 1000
	from := make([]byte, n+64)
	for i := range from {
		from[i] = byte(i * 7 >> 3)
	}
	for _, at := range [][2]int{{0, 64}, {64, 0}, {1, 0}} {
		want, got := slices.Clone(from), slices.Clone(from)
		copy(want[at[0]:at[0]+n], want[at[1]:at[1]+n])
		p := pace{ctx: ctx}
		if err := p.move(got[at[0]:at[0]+n], got[at[1]:at[1]+n]); err != nil || !bytes.Equal(got, want) {
			t.Errorf("from %d to %d: other bytes, %v", at[1], at[0], err)
		}
	}
	pattern := make([]byte, 4*paceBytes/12*12+4)
	copy(pattern, "twelve bytes")
	p := pace{ctx: ctx}
	if err := p.repeat(pattern, 12); err != nil {
		t.Error(err)
	}
	for i := range pattern {
		if pattern[i] != "twelve bytes"[i%12] {
			t.Fatalf("byte %d is %q", i, pattern[i])
		}
	}
}

// A picture of 1920 × 1080 is cleared by all workers: one of them takes half as long again. A small
// one is not worth waking any.
func TestRepeat_SharesWhatIsLarge(t *testing.T) {
	for _, c := range []struct {
		bytes int
		want  bool
	}{{1920 * 1080 * 4, true}, {2 * sharedBytes, true}, {sharedBytes, false}, {64 << 10, false}} {
		parts := 0
		p := paceOf(WithWorkers(ctx, func(_ context.Context, n int, f func(from, to int) error) error {
			parts = n
			return f(0, n)
		}))
		b := make([]byte, c.bytes)
		copy(b, "fill")
		if err := p.repeat(b, 4); err != nil {
			t.Fatal(err)
		}
		if got := parts > 1; got != c.want {
			t.Errorf("%d bytes: %d parts, want several: %v", c.bytes, parts, c.want)
		}
		if i := bytes.Index(b, []byte("llfi")); i != 2 || bytes.Count(b, []byte("fill")) != c.bytes/4 {
			t.Errorf("%d bytes: not filled", c.bytes)
		}
	}
}

// Whole rows of large images are copied in pieces: all of them, and nothing else, of any
// slice, with one worker and with several. Parts of rows go row by row.
func TestCopyImage_StreamsWholeRows(t *testing.T) {
	for _, wide := range [][2]uint32{{1031, 1031}, {1040, 1031}, {1031, 1040}} {
		desc := resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8G8B8A8Unorm, Extent: ext(wide[0], 1100, 1), ArrayLayers: 3}
		src := newImage(t, desc)
		desc.Extent.Width = wide[1]
		dst := newImage(t, desc)
		rand.NewChaCha8([32]byte{3}).Read(src.Data)
		region := vk.ImageCopy{SrcSubresource: one(color), DstSubresource: one(color), SrcOffset: off(0, 1, 0), DstOffset: off(0, 3, 0), Extent: ext(1031, 1097, 1)}
		region.SrcSubresource.LayerCount, region.DstSubresource.LayerCount, region.DstSubresource.BaseArrayLayer = 2, 2, 1
		want := make([]byte, len(dst.Data))
		for layer := range 2 {
			from, to := src.Level(0, 0, layer), dst.Level(0, 0, layer+1)
			base := dst.Layout.Planes[0].LayerPitch * int64(layer+1)
			for y := range 1097 {
				copy(want[int(base)+to.Offset(0, y+3, 0, 0):], from.Row(0, y+1, 0, 1031))
			}
		}
		parts := 0
		workers := func(_ context.Context, n int, f func(from, to int) error) error {
			for k := range n { // backwards
				parts++
				if err := f(n-1-k, n-k); err != nil {
					return err
				}
			}
			return nil
		}
		for _, c := range []context.Context{ctx, WithWorkers(ctx, workers)} {
			clear(dst.Data)
			ok(t, CopyImage(c, dst, src, []vk.ImageCopy{region}))
			if !bytes.Equal(dst.Data, want) {
				t.Errorf("widths %d: other bytes", wide)
			}
		}
		expect := 2 * 1097
		if wide[0] == wide[1] {
			expect = 2 * (1097 * 1031 * 4 / streamPiece)
		}
		if parts != expect {
			t.Errorf("widths %d: workers copy %d parts, want %d", wide, parts, expect)
		}
	}
}

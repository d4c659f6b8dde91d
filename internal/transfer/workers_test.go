package transfer

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// Large transfers that workers share give the bytes of one goroutine, everything that
// takes long is shared, and the first error comes back.
func TestWorkers_SameBytes(t *testing.T) {
	const side = 520
	var parts atomic.Int32
	workers := func(ctx context.Context, n int, f func(from, to int) error) error {
		var wg sync.WaitGroup
		for from := 0; from < n; from += 97 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				parts.Add(1)
				if err := f(from, min(from+97, n)); err != nil {
					t.Error(err)
				}
			}()
		}
		wg.Wait()
		return ctx.Err()
	}
	layers := vk.ImageSubresourceLayers{AspectMask: vk.ImageAspectColorBit, LayerCount: 1}
	extent := vk.Extent3D{Width: side - 1, Height: side - 3, Depth: 1}
	from, to := vk.Offset3D{X: 1, Y: 2}, vk.Offset3D{Y: 3}
	desc := resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8G8B8A8Unorm, Extent: vk.Extent3D{Width: side, Height: side, Depth: 1}, Samples: 1}
	for name, run := range map[string]func(ctx context.Context, dst, src, four *resource.Image, buffer []byte) error{
		"clear": func(ctx context.Context, dst, _, _ *resource.Image, _ []byte) error {
			return ClearColorImage(ctx, dst, [4]uint32{0x3f000000, 0, 0x3f800000, 0x3e000000}, []vk.ImageSubresourceRange{{AspectMask: vk.ImageAspectColorBit, LevelCount: 1, LayerCount: 1}})
		},
		"buffer to image": func(ctx context.Context, dst, _, _ *resource.Image, buffer []byte) error {
			return CopyBufferToImage(ctx, dst, buffer, []vk.BufferImageCopy{{BufferOffset: 4, ImageSubresource: layers, ImageExtent: extent, ImageOffset: from}})
		},
		"image to buffer": func(ctx context.Context, _, src, _ *resource.Image, buffer []byte) error {
			return CopyImageToBuffer(ctx, buffer, src, []vk.BufferImageCopy{{BufferOffset: 4, ImageSubresource: layers, ImageExtent: extent, ImageOffset: from}})
		},
		"copy": func(ctx context.Context, dst, src, _ *resource.Image, _ []byte) error {
			return CopyImage(ctx, dst, src, []vk.ImageCopy{{SrcSubresource: layers, DstSubresource: layers, Extent: extent, SrcOffset: from, DstOffset: to}})
		},
		"blit": func(ctx context.Context, dst, src, _ *resource.Image, _ []byte) error {
			return BlitImage(ctx, dst, src, []vk.ImageBlit{{SrcSubresource: layers, DstSubresource: layers,
				SrcOffsets: [2]vk.Offset3D{from, {X: 400, Y: 300, Z: 1}}, DstOffsets: [2]vk.Offset3D{{X: side, Y: 1}, {X: 3, Y: side, Z: 1}}}}, vk.FilterLinear)
		},
		"resolve": func(ctx context.Context, dst, _, four *resource.Image, _ []byte) error {
			return ResolveImage(ctx, dst, four, []vk.ImageResolve{{SrcSubresource: layers, DstSubresource: layers, Extent: extent, SrcOffset: from, DstOffset: to}}, vk.ResolveModeNone, vk.ResolveModeNone, 0)
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got [2][2][]byte
			for k, c := range []context.Context{ctx, WithWorkers(ctx, workers)} {
				rng := rand.NewChaCha8([32]byte{7})
				many, to := desc, desc
				many.Samples = 4
				if name == "clear" { // takes less time than its bytes
					to.Extent = vk.Extent3D{Width: 1500, Height: 1500, Depth: 1}
				}
				dst, src, four := newImage(t, to), newImage(t, desc), newImage(t, many)
				buffer := make([]byte, 4*side*side+4)
				for _, b := range [][]byte{dst.Data, src.Data, four.Data, buffer} {
					rng.Read(b)
				}
				before := parts.Load()
				ok(t, run(c, dst, src, four, buffer))
				if helped := parts.Load() > before; helped != (k == 1) {
					t.Errorf("workers help: %v", helped)
				}
				got[k] = [2][]byte{dst.Data, buffer}
			}
			if !bytes.Equal(got[0][0], got[1][0]) || !bytes.Equal(got[0][1], got[1][1]) {
				t.Error("workers change the bytes")
			}
			gone := errors.New("gone")
			failing := func(context.Context, int, func(from, to int) error) error { return gone }
			many := desc
			many.Samples = 4
			large := desc
			large.Extent = vk.Extent3D{Width: 1500, Height: 1500, Depth: 1}
			if err := run(WithWorkers(ctx, failing), newImage(t, large), newImage(t, desc), newImage(t, many), make([]byte, 4*side*side+4)); err != gone {
				t.Errorf("error %v, want that of the workers", err)
			}
		})
	}
}

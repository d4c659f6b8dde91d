package transfer

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// Random regions, most of them invalid, never touch memory outside the
// resources (which would panic) nor run long.
func TestTransfer_RandomRegions(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var images []*resource.Image
	for _, d := range []resource.ImageDesc{
		{Type: vk.ImageType2D, Format: vk.FormatR8G8B8A8Unorm, Extent: ext(6, 5, 1), MipLevels: 3, ArrayLayers: 3},
		{Type: vk.ImageType3D, Format: vk.FormatR8G8B8A8Srgb, Extent: ext(4, 3, 5), MipLevels: 2},
		{Type: vk.ImageType1D, Format: vk.FormatR32Uint, Extent: ext(7, 1, 1), ArrayLayers: 2},
		{Type: vk.ImageType2D, Format: vk.FormatD24UnormS8Uint, Extent: ext(4, 4, 1)},
		{Type: vk.ImageType2D, Format: vk.FormatR8G8B8A8Unorm, Extent: ext(4, 4, 1), Samples: 4},
	} {
		images = append(images, newImage(t, d))
	}
	u := func() uint32 {
		switch r.IntN(60) {
		case 0:
			return math.MaxUint32 - r.Uint32N(2)
		case 1:
			return 1 << r.IntN(32)
		default:
			return r.Uint32N(4)
		}
	}
	o := func() vk.Offset3D { return off(int32(u()), int32(u()), int32(u()/3)) }
	small := func() uint32 { return r.Uint32N(3) }
	layers := func() vk.ImageSubresourceLayers {
		return vk.ImageSubresourceLayers{AspectMask: []vk.ImageAspectFlags{color, color, depth, stencil, depth | stencil}[r.IntN(5)], MipLevel: small() % 2, BaseArrayLayer: small() % 2, LayerCount: u()}
	}
	done := map[string]int{}
	count := func(op string, err error) {
		if err == nil {
			done[op]++
		}
	}
	buffer := make([]byte, 1024)
	for range 200000 {
		a, b := images[r.IntN(len(images))], images[r.IntN(len(images))]
		sa, sb := layers(), layers()
		if r.IntN(2) == 0 {
			sa.LayerCount, sb.LayerCount, sb.AspectMask = 1, 1, sa.AspectMask
		}
		e := ext(u(), u(), u())
		switch r.IntN(5) {
		case 0:
			region := []vk.BufferImageCopy{{BufferOffset: uint64(u() * 4), BufferRowLength: u(), BufferImageHeight: u(), ImageSubresource: sa, ImageOffset: o(), ImageExtent: e}}
			count("to image", CopyBufferToImage(ctx, a, buffer, region))
			count("to buffer", CopyImageToBuffer(ctx, buffer, a, region))
		case 1:
			count("copy", CopyImage(ctx, b, a, []vk.ImageCopy{{SrcSubresource: sa, SrcOffset: o(), DstSubresource: sb, DstOffset: o(), Extent: e}}))
		case 2:
			count("blit", BlitImage(ctx, b, a, []vk.ImageBlit{{SrcSubresource: sa, SrcOffsets: [2]vk.Offset3D{o(), o()}, DstSubresource: sb, DstOffsets: [2]vk.Offset3D{o(), o()}}}, vk.Filter(r.IntN(2))))
		case 3:
			count("resolve", ResolveImage(ctx, b, a, []vk.ImageResolve{{SrcSubresource: sa, SrcOffset: o(), DstSubresource: sb, DstOffset: o(), Extent: e}}, vk.ResolveModeFlags(r.IntN(10)), vk.ResolveModeFlags(r.IntN(10)), vk.ResolveImageFlagsKHR(r.IntN(4))))
		case 4:
			ranges := []vk.ImageSubresourceRange{{AspectMask: sa.AspectMask, BaseMipLevel: u(), LevelCount: u(), BaseArrayLayer: u(), LayerCount: u()}}
			count("clear", ClearColorImage(ctx, a, [4]uint32{1, 2, 3, 4}, ranges))
			count("clear depth", ClearDepthStencilImage(ctx, a, 0.5, 1, ranges))
		}
	}
	for _, op := range []string{"to image", "to buffer", "copy", "blit", "resolve", "clear", "clear depth"} {
		if done[op] == 0 {
			t.Errorf("no random %s was valid", op)
		}
	}
}

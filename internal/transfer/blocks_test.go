package transfer

import (
	"bytes"
	"testing"

	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// Blocks move whole: a 10×6 BC1 image has 3×2 of them.
func TestCompressed_Copies(t *testing.T) {
	src := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatBc1RgbUnormBlock, Extent: ext(10, 6, 1)})
	data := count(48)
	whole := vk.BufferImageCopy{ImageSubresource: one(color), ImageExtent: ext(10, 6, 1)}
	ok(t, CopyBufferToImage(ctx, src, data, []vk.BufferImageCopy{whole}))
	if !bytes.Equal(src.Data[:48], data) {
		t.Fatalf("stored %v", src.Data)
	}
	corner := vk.BufferImageCopy{ImageSubresource: one(color), ImageOffset: off(8, 4, 0), ImageExtent: ext(2, 2, 1)}
	back := make([]byte, 8)
	ok(t, CopyImageToBuffer(ctx, back, src, []vk.BufferImageCopy{corner}))
	if !bytes.Equal(back, data[40:]) {
		t.Errorf("corner block %v", back)
	}
	corner.ImageExtent.Width = 1
	wantVUID(t, CopyImageToBuffer(ctx, back, src, []vk.BufferImageCopy{corner}), "vkCmdCopyImageToBuffer-imageOffset-07274")
	corner.ImageExtent.Width, corner.ImageOffset.X = 2, 2
	wantVUID(t, CopyImageToBuffer(ctx, back, src, []vk.BufferImageCopy{corner}), "vkCmdCopyImageToBuffer-imageOffset-07274")

	// Blocks become texels of their size, and back.
	texels := image2D(t, vk.FormatR16G16B16A16Uint, 3, 2)
	ok(t, CopyImage(ctx, texels, src, []vk.ImageCopy{{SrcSubresource: one(color), DstSubresource: one(color), Extent: ext(10, 6, 1)}}))
	if !bytes.Equal(texels.Data[:48], data) {
		t.Errorf("texels %v", texels.Data)
	}
	again := newImage(t, src.ImageDesc)
	ok(t, CopyImage(ctx, again, texels, []vk.ImageCopy{{SrcSubresource: one(color), DstSubresource: one(color), Extent: ext(3, 2, 1)}}))
	if !bytes.Equal(again.Data[:48], data) {
		t.Errorf("blocks %v", again.Data)
	}
	wantVUID(t, CopyImage(ctx, again, texels, []vk.ImageCopy{{SrcSubresource: one(color), DstSubresource: one(color), DstOffset: off(4, 0, 0), Extent: ext(3, 2, 1)}}),
		"vkCmdCopyImage-dstOffset-00150")

	// A blit reads compressed images and refuses to write them.
	float := image2D(t, vk.FormatR32G32B32A32Sfloat, 10, 6)
	blitAll(t, float, src, vk.FilterLinear, false)
	if bytes.Count(float.Data, []byte{0}) == len(float.Data) {
		t.Error("nothing was blitted")
	}
	wantVUID(t, BlitImage(ctx, src, float, nil, vk.FilterLinear), "vkCmdBlitImage-dstImage-02000")

	// A blit's region needn't be made of blocks: texels 3…7 of row 1.
	part := image2D(t, vk.FormatR32G32B32A32Sfloat, 5, 1)
	ok(t, BlitImage(ctx, part, src, []vk.ImageBlit{{
		SrcSubresource: one(color), SrcOffsets: [2]vk.Offset3D{off(3, 1, 0), off(8, 2, 1)},
		DstSubresource: one(color), DstOffsets: [2]vk.Offset3D{{}, off(5, 1, 1)},
	}}, vk.FilterNearest))
	if row := 16 * (10 + 3); !bytes.Equal(part.Data[:80], float.Data[row:row+80]) {
		t.Errorf("texels %v, want %v", part.Data[:80], float.Data[row:row+80])
	}
}

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
	wantVUID(t, CopyImageToBuffer(ctx, back, src, []vk.BufferImageCopy{corner}), "vkCmdCopyImageToBuffer-srcImage-00207")
	corner.ImageExtent.Width, corner.ImageOffset.X = 2, 2
	wantVUID(t, CopyImageToBuffer(ctx, back, src, []vk.BufferImageCopy{corner}), "vkCmdCopyImageToBuffer-srcImage-07274")

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

// Blocks of 3×3×3 texels have depth: a 4×4×4 image has 2×2×2 of them, 16 bytes each, and a slice of the buffer is one of
// blocks (VkBufferImageCopy: texel z lies in slice z / block depth, of bufferImageHeight / block height rows).
func TestCompressed_BlocksWithDepth(t *testing.T) {
	desc := resource.ImageDesc{Type: vk.ImageType3D, Format: vk.FormatAstc3x3x3UnormBlockEXT, Extent: ext(4, 4, 4)}
	src := newImage(t, desc)
	data := make([]byte, 8*16)
	for i := range data {
		data[i] = byte(i)
	}
	whole := vk.BufferImageCopy{ImageSubresource: one(color), ImageExtent: ext(4, 4, 4)}
	if n, err := BufferBytes(src, &whole); err != nil || n != len(data) {
		t.Fatalf("the copy takes %d bytes (%v), want %d", n, err, len(data))
	}
	ok(t, CopyBufferToImage(ctx, src, data, []vk.BufferImageCopy{whole}))
	block := func(im *resource.Image, x, y, z int) []byte {
		l := im.Level(0, 0, 0)
		return l.Row(3*x, 3*y, 3*z, 1)
	}
	for i := range 8 {
		if got, want := block(src, i&1, i>>1&1, i>>2), data[16*i:16*i+16]; !bytes.Equal(got, want) {
			t.Errorf("block %d is %v, want %v", i, got, want)
		}
	}

	// With pitches of its own: rows of 3 blocks, slices of 4 rows; the second slice only.
	back := make([]byte, 16*(3+2))
	ok(t, CopyImageToBuffer(ctx, back, src, []vk.BufferImageCopy{{BufferRowLength: 9, BufferImageHeight: 12, ImageSubresource: one(color), ImageOffset: off(0, 0, 3), ImageExtent: ext(4, 4, 1)}}))
	if !bytes.Equal(back[:32], data[64:96]) || !bytes.Equal(back[48:80], data[96:]) {
		t.Errorf("second slice %v", back)
	}
	back = make([]byte, 16*(12+3+2))
	pitched := vk.BufferImageCopy{BufferRowLength: 9, BufferImageHeight: 12, ImageSubresource: one(color), ImageExtent: ext(4, 4, 4)}
	ok(t, CopyImageToBuffer(ctx, back, src, []vk.BufferImageCopy{pitched}))
	for i := range 8 {
		if at := 16 * (i&1 + 3*(i>>1&1) + 12*(i>>2)); !bytes.Equal(back[at:at+16], data[16*i:16*i+16]) {
			t.Errorf("block %d at %d of the buffer is %v", i, at, back[at:at+16])
		}
	}
	wantVUID(t, CopyImageToBuffer(ctx, back[:len(back)-1], src, []vk.BufferImageCopy{pitched}), "vkCmdCopyImageToBuffer-pRegions-00183")
	whole.ImageOffset.Z, whole.ImageExtent.Depth = 1, 3
	wantVUID(t, CopyImageToBuffer(ctx, back, src, []vk.BufferImageCopy{whole}), "vkCmdCopyImageToBuffer-srcImage-07276")

	// Between images: blocks to blocks, one slice of them; to texels of their size, and back.
	second := newImage(t, desc)
	ok(t, CopyImage(ctx, second, src, []vk.ImageCopy{{SrcSubresource: one(color), DstSubresource: one(color), Extent: ext(4, 4, 4)}}))
	if !bytes.Equal(second.Data[:128], data) {
		t.Errorf("blocks %v", second.Data)
	}
	texels := newImage(t, resource.ImageDesc{Type: vk.ImageType3D, Format: vk.FormatR32G32B32A32Uint, Extent: ext(2, 2, 2)})
	ok(t, CopyImage(ctx, texels, src, []vk.ImageCopy{{SrcSubresource: one(color), DstSubresource: one(color), Extent: ext(4, 4, 4)}}))
	if !bytes.Equal(texels.Data[:128], data) {
		t.Errorf("texels %v", texels.Data)
	}
	again := newImage(t, desc)
	ok(t, CopyImage(ctx, again, texels, []vk.ImageCopy{{SrcSubresource: one(color), DstSubresource: one(color), Extent: ext(2, 2, 2)}}))
	if !bytes.Equal(again.Data[:128], data) {
		t.Errorf("blocks of texels %v", again.Data)
	}
	deep := newImage(t, desc)
	ok(t, CopyImage(ctx, deep, texels, []vk.ImageCopy{{SrcSubresource: one(color), DstSubresource: one(color), DstOffset: off(0, 0, 3), Extent: ext(2, 2, 1)}}))
	if !bytes.Equal(deep.Data[64:128], data[:64]) || !bytes.Equal(deep.Data[:64], make([]byte, 64)) {
		t.Errorf("texels in the second slice of blocks: %v", deep.Data)
	}

	// Layers of another image take a slice of blocks each.
	layers := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR32G32B32A32Uint, Extent: ext(2, 2, 1), ArrayLayers: 2})
	two := one(color)
	two.LayerCount = 2
	ok(t, CopyImage(ctx, layers, src, []vk.ImageCopy{{SrcSubresource: one(color), DstSubresource: two, Extent: ext(4, 4, 4)}}))
	for z := range 2 {
		l := layers.Level(0, 0, z)
		if got := append(bytes.Clone(l.Row(0, 0, 0, 2)), l.Row(0, 1, 0, 2)...); !bytes.Equal(got, data[64*z:64*z+64]) {
			t.Errorf("layer %d is %v", z, got)
		}
	}
	again = newImage(t, desc)
	ok(t, CopyImage(ctx, again, layers, []vk.ImageCopy{{SrcSubresource: two, DstSubresource: one(color), Extent: ext(2, 2, 1)}}))
	if !bytes.Equal(again.Data[:128], data) {
		t.Errorf("blocks of layers %v", again.Data)
	}
}

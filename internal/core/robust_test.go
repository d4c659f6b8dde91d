package core

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// pipelineOfPoints draws vertices of two floats as triangles.
func pipelineOfPoints(t testing.TB, d *Device) *Pipeline {
	return fullscreen(t, d, "number.frag", numberFormats, func(i *GraphicsPipelineInfo) {
		i.Vertex.Code = shaderCode(t, "attribute.vert")
		i.VertexInput = vk.PipelineVertexInputStateCreateInfo{
			VertexBindingDescriptions:   []vk.VertexInputBindingDescription{{Stride: 8}},
			VertexAttributeDescriptions: []vk.VertexInputAttributeDescription{{Format: vk.FormatR32G32Sfloat}},
		}
	})
}

// covered counts the texels that commands in a pass have drawn.
func covered(t *testing.T, d *Device, f func(c *CommandBuffer)) (n int) {
	t.Helper()
	a, av := target(t, d, numbers, 1, 1)
	fillWords(a, 9999)
	c := d.NewCommandBuffer()
	c.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: av}}})
	f(c)
	c.EndRendering("end")
	submit(t, d, c)
	for _, v := range texels(t, a, 0, 0) {
		if v != 9999 {
			n++
		}
	}
	return n
}

// Indices of 8 bits, null buffers, and reads beyond buffers.
func TestDraw_Robustness(t *testing.T) {
	d := open(t)
	p := pipelineOfPoints(t, d)
	minus, three := math.Float32bits(-1), math.Float32bits(3)
	vertices := bufferOf(t, d, minus, minus, three, minus, minus, three)
	indices := bufferOf(t, d, 0x00020100, 0xFF) // bytes 0, 1, 2, 0, 255
	counts := bufferOf(t, d, 1, 3, 1, 0, 0, 3, 1, 0, 0)
	indexed := func(c *CommandBuffer, first uint32) {
		c.BindPipeline("bind", vk.PipelineBindPointGraphics, p)
		c.DrawIndexed("draw", 3, 1, first, 0, 0)
	}
	for name, k := range map[string]struct {
		f    func(c *CommandBuffer)
		want int
	}{
		"8-bit indices": {func(c *CommandBuffer) {
			c.BindVertexBuffer(0, vertices, 0, vk.WholeSize, nil)
			c.BindIndexBuffer(indices, 0, vk.WholeSize, vk.IndexTypeUint8)
			indexed(c, 0)
		}, 128},
		"an index beyond the vertices reads zero": {func(c *CommandBuffer) {
			c.BindVertexBuffer(0, vertices, 0, vk.WholeSize, nil)
			c.BindIndexBuffer(indices, 3, vk.WholeSize, vk.IndexTypeUint8) // 0, 255, 0
			indexed(c, 0)
		}, 0},
		"indices beyond the buffer are 0": {func(c *CommandBuffer) {
			c.BindVertexBuffer(0, vertices, 0, vk.WholeSize, nil)
			c.BindIndexBuffer(indices, 0, 2, vk.IndexTypeUint8)
			indexed(c, 1<<31)
		}, 0},
		"null index buffer": {func(c *CommandBuffer) {
			c.BindVertexBuffer(0, vertices, 0, vk.WholeSize, nil)
			c.BindIndexBuffer(nil, 0, 0, vk.IndexTypeUint32)
			indexed(c, 0)
		}, 0},
		"null vertex buffer": {func(c *CommandBuffer) {
			c.BindVertexBuffer(0, nil, 0, 0, nil)
			draw(c, p)
		}, 0},
		"indirect count 1 of 2": {func(c *CommandBuffer) {
			c.BindVertexBuffer(0, vertices, 0, vk.WholeSize, nil)
			c.BindPipeline("bind", vk.PipelineBindPointGraphics, p)
			c.DrawIndirectCount("draw", false, counts, 4, counts, 0, 2, 16)
		}, 128},
		"indirect count 0": {func(c *CommandBuffer) {
			c.BindVertexBuffer(0, vertices, 0, vk.WholeSize, nil)
			c.BindPipeline("bind", vk.PipelineBindPointGraphics, p)
			c.DrawIndirectCount("draw", false, counts, 4, counts, 16, 2, 16)
		}, 0},
	} {
		if n := covered(t, d, k.f); n != k.want {
			t.Errorf("%s: %d texels, want %d", name, n, k.want)
		}
	}
}

// Blocks become texels of their size and the reverse.
func TestCopyImage_CompressedAndNot(t *testing.T) {
	d := open(t)
	image := func(f vk.Format, w, h uint32) *Image {
		return must(d.NewImage(vk.ImageCreateInfo{ImageType: vk.ImageType2D, Format: f, Extent: vk.Extent3D{Width: w, Height: h}}, nil, 0, ""))(t)
	}
	blocks, plain, back := image(vk.FormatBc1RgbaUnormBlock, 10, 6), image(vk.FormatR32G32Uint, 3, 2), image(vk.FormatBc1RgbaUnormBlock, 12, 8)
	data := make([]byte, 48)
	for i := range data {
		data[i] = byte(i * 5)
	}
	if err := blocks.Write(ctx, Subresource{}, data); err != nil {
		t.Fatal(err)
	}
	c := d.NewCommandBuffer()
	one := vk.ImageSubresourceLayers{AspectMask: vk.ImageAspectColorBit, LayerCount: 1}
	c.CopyImage(blocks, plain, []vk.ImageCopy{{SrcSubresource: one, DstSubresource: one, Extent: vk.Extent3D{Width: 10, Height: 6, Depth: 1}}})
	c.CopyImage(plain, back, []vk.ImageCopy{{SrcSubresource: one, DstSubresource: one, SrcOffset: vk.Offset3D{X: 1}, DstOffset: vk.Offset3D{X: 4}, Extent: vk.Extent3D{Width: 2, Height: 2, Depth: 1}}})
	submit(t, d, c)
	if got := must(plain.Read(ctx, Subresource{}))(t); !bytes.Equal(got, data) {
		t.Errorf("texels are %v", got)
	}
	want := slices.Clone(data)
	clear(want[0:8])
	clear(want[24:32])
	if got := must(back.Read(ctx, Subresource{}))(t); !bytes.Equal(got, want) {
		t.Errorf("blocks are %v, want %v", got, want)
	}
}

// Depth and stencil are blitted apart, mirrored, and resolved by sample zero.
func TestBlitAndResolve_DepthStencil(t *testing.T) {
	rules.Covers(t, "RAS-354", "RAS-355")
	d := open(t)
	const f = vk.FormatD32SfloatS8Uint
	a, _ := target(t, d, f, 1, 1)
	b, _ := target(t, d, f, 1, 1)
	depth, stencil := make([]byte, 512), make([]byte, 128)
	for i := range stencil {
		stencil[i] = byte(i)
		binary.LittleEndian.PutUint32(depth[4*i:], math.Float32bits(float32(i)/128))
	}
	for aspect, data := range map[vk.ImageAspectFlags][]byte{vk.ImageAspectDepthBit: depth, vk.ImageAspectStencilBit: stencil} {
		if err := a.Write(ctx, Subresource{Aspect: aspect}, data); err != nil {
			t.Fatal(err)
		}
	}
	both := vk.ImageSubresourceLayers{AspectMask: vk.ImageAspectDepthBit | vk.ImageAspectStencilBit, LayerCount: 1}
	c := d.NewCommandBuffer()
	c.BlitImage(a, b, vk.FilterNearest, []vk.ImageBlit{{SrcSubresource: both, DstSubresource: both,
		SrcOffsets: [2]vk.Offset3D{{X: 16}, {Y: 8, Z: 1}}, DstOffsets: [2]vk.Offset3D{{}, {X: 16, Y: 8, Z: 1}}}})
	submit(t, d, c)
	gotS := must(b.Read(ctx, Subresource{Aspect: vk.ImageAspectStencilBit}))(t)
	gotD := texels(t, b, 0, vk.ImageAspectDepthBit)
	for i := range gotS {
		from := i/16*16 + 15 - i%16
		if gotS[i] != byte(from) || gotD[i] != math.Float32bits(float32(from)/128) {
			t.Fatalf("texel %d: stencil %d, depth %v, want number %d", i, gotS[i], math.Float32frombits(gotD[i]), from)
		}
	}
	c = d.NewCommandBuffer()
	c.BlitImage(a, b, vk.FilterLinear, nil)
	if err := d.queue.SubmitAndWait(ctx, "test", []*CommandBuffer{c}); rule(err) != "VUID-vkCmdBlitImage-srcImage-00232" {
		t.Errorf("a linear blit of depth: %v", err)
	}
}

func TestHostCopy(t *testing.T) {
	d := open(t)
	image := func(usage vk.ImageUsageFlags) *Image {
		return must(d.NewImage(vk.ImageCreateInfo{ImageType: vk.ImageType2D, Format: vk.FormatR8Uint, Extent: vk.Extent3D{Width: 4, Height: 2}, Usage: usage}, nil, 0, ""))(t)
	}
	a, b := image(vk.ImageUsageHostTransferBit), image(vk.ImageUsageHostTransferBit)
	layers := vk.ImageSubresourceLayers{AspectMask: vk.ImageAspectColorBit, LayerCount: 1}
	r := vk.BufferImageCopy{BufferRowLength: 5, ImageSubresource: layers, ImageExtent: vk.Extent3D{Width: 4, Height: 2, Depth: 1}}
	if err := a.CopyFromHost([]byte{1, 2, 3, 4, 0, 5, 6, 7, 8}, r); err != nil {
		t.Fatal(err)
	}
	if err := CopyImageOnHost(a, b, vk.ImageCopy{SrcSubresource: layers, DstSubresource: layers, SrcOffset: vk.Offset3D{X: 1}, Extent: vk.Extent3D{Width: 3, Height: 2, Depth: 1}}); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 9)
	if err := b.CopyToHost(got, r); err != nil || !bytes.Equal(got, []byte{2, 3, 4, 0, 0, 6, 7, 8, 0}) {
		t.Errorf("got %v, %v", got, err)
	}
	if n := a.mem.users.Load(); n != 1 {
		t.Errorf("%d users of the memory after the copies, want 1", n)
	}
	if err := a.CopyFromHost([]byte{1}, r); rule(err) != "VUID-vkCmdCopyBufferToImage-pRegions-00171" {
		t.Errorf("too few bytes: %v", err)
	}
	if err := image(vk.ImageUsageSampledBit).CopyToHost(got, r); rule(err) != "VUID-VkCopyImageToMemoryInfo-srcImage-09113" {
		t.Errorf("without usage: %v", err)
	}
	// What commands may copy from, and to, the host may.
	from, to := image(vk.ImageUsageTransferSrcBit), image(vk.ImageUsageTransferDstBit)
	if err := from.CopyToHost(got, r); err != nil {
		t.Errorf("a source of copies by commands: %v", err)
	}
	if err := to.CopyFromHost(make([]byte, 9), r); err != nil {
		t.Errorf("a destination of copies by commands: %v", err)
	}
	whole := vk.ImageCopy{SrcSubresource: layers, DstSubresource: layers, Extent: vk.Extent3D{Width: 4, Height: 2, Depth: 1}}
	if err := CopyImageOnHost(from, to, whole); err != nil {
		t.Errorf("from a source to a destination: %v", err)
	}
	if err := to.CopyToHost(got, r); rule(err) != "VUID-VkCopyImageToMemoryInfo-srcImage-09113" {
		t.Errorf("out of a destination: %v", err)
	}
	if err := from.CopyFromHost(make([]byte, 9), r); rule(err) != "VUID-VkCopyMemoryToImageInfo-dstImage-09113" {
		t.Errorf("into a source: %v", err)
	}
	if err := CopyImageOnHost(to, from, whole); rule(err) != "VUID-VkCopyImageToImageInfo-srcImage-09113" {
		t.Errorf("from a destination: %v", err)
	}
}

// Fragment outputs go to the attachments that Locations says.
func TestRendering_AttachmentLocations(t *testing.T) {
	d := open(t)
	formats := vk.PipelineRenderingCreateInfo{ColorAttachmentFormats: []vk.Format{numbers, numbers, numbers}}
	p := fullscreen(t, d, "two.frag", formats, func(i *GraphicsPipelineInfo) { i.Locations = []uint32{1, vk.AttachmentUnused, 0} })
	var images []*Image
	info := RenderingInfo{}
	for range 3 {
		im, v := target(t, d, numbers, 1, 1)
		fillWords(im, 7)
		images = append(images, im)
		info.Color = append(info.Color, RenderingAttachment{View: v})
	}
	c := d.NewCommandBuffer()
	c.BeginRendering(info)
	draw(c, p)
	c.EndRendering("end")
	submit(t, d, c)
	for i, want := range []uint32{2, 7, 1} {
		if got := texels(t, images[i], 0, 0)[40]; got != want {
			t.Errorf("attachment %d is %d, want %d", i, got, want)
		}
	}
}

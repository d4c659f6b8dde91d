package core

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

func bindSparse(t *testing.T, d *Device, pages []PageBind, blocks []BlockBind) {
	t.Helper()
	if err := d.Queue().BindSparseAndWait(ctx, "bind", pages, blocks); err != nil {
		t.Fatal(err)
	}
}

// Pages 0 and 2 have memory, 1 and 3 have none: a shader reads zeros there and its
// writes are lost at once, whatever way they take, and it is told.
func TestSparse_ShadersSeeZerosAndAreTold(t *testing.T) {
	rules.Covers(t, "IMG-032", "IMG-233", "IMG-234")
	rules.Covers(t, "IMG-230", "IMG-232", "IMG-303", "IMG-373", "IMG-620", "IMG-622", "IMG-623")
	d := open(t)
	const pages = 4
	buffer := must(d.NewUnboundBuffer(vk.BufferCreateInfo{Size: pages * SparseAlignment, Flags: vk.BufferCreateSparseBindingBit | vk.BufferCreateSparseResidencyBit}, ""))(t)
	if r := buffer.Requirements(); r.Alignment != SparseAlignment || r.MemoryTypeBits != PagedMemoryTypeBits {
		t.Errorf("requirements %+v", r)
	}
	im := must(d.NewUnboundImage(vk.ImageCreateInfo{ImageType: vk.ImageType2D, Format: vk.FormatR32Uint, Extent: vk.Extent3D{Width: 128, Height: 128 * pages, Depth: 1},
		Flags: vk.ImageCreateSparseBindingBit | vk.ImageCreateSparseResidencyBit}, ""))(t)
	memory := must(d.NewPagedMemory(4 * SparseAlignment))(t)
	at := func(page int) (PageBind, BlockBind) {
		return PageBind{Buffer: buffer, Offset: uint64(page) * SparseAlignment, Size: SparseAlignment, Memory: memory, MemoryOffset: uint64(page) / 2 * SparseAlignment},
			BlockBind{Image: im, Offset: vk.Offset3D{Y: int32(128 * page)}, Extent: vk.Extent3D{Width: 128, Height: 128, Depth: 1}, Memory: memory, MemoryOffset: (2 + uint64(page)/2) * SparseAlignment}
	}
	p0, b0 := at(0)
	p2, b2 := at(2)
	bindSparse(t, d, []PageBind{p0, p2}, []BlockBind{b0, b2})
	binary.LittleEndian.PutUint32(memory.Bytes()[SparseAlignment:], 40) // of page 2

	view := must(d.NewImageView(im, resource.ViewDesc{}, ""))(t)
	sampler := must(d.NewSampler(vk.SamplerCreateInfo{AddressModeU: vk.SamplerAddressModeClampToEdge, AddressModeV: vk.SamplerAddressModeClampToEdge}, 0))(t)
	out := bufferOf(t, d, make([]uint32, 8*pages)...)
	pipeline := must(d.NewComputePipeline(&ComputePipelineInfo{Stage: Stage{Code: shaderCode(t, "sparse.comp")}}))(t)
	set := must(d.NewDescriptorSet(pipeline.Layout().Set(0), ""))(t)
	if err := set.Update(DescriptorWrite{Descriptors: []Descriptor{{Buffer: out}}}, DescriptorWrite{Binding: 1, Descriptors: []Descriptor{{Buffer: buffer}}},
		DescriptorWrite{Binding: 2, Descriptors: []Descriptor{{View: view}}}, DescriptorWrite{Binding: 3, Descriptors: []Descriptor{{View: view, Sampler: sampler}}}); err != nil {
		t.Fatal(err)
	}
	push := binary.LittleEndian.AppendUint64(nil, addressOf(t, buffer))
	push = binary.LittleEndian.AppendUint32(push, SparseAlignment/4)
	run := func() []uint32 {
		t.Helper()
		c := d.NewCommandBuffer()
		c.BindPipeline("bind", vk.PipelineBindPointCompute, pipeline)
		c.BindDescriptorSet("bind", vk.PipelineBindPointCompute, 0, set, nil)
		c.PushConstants("push", 0, push)
		c.Dispatch("dispatch", [3]uint32{}, [3]uint32{pages, 1, 1})
		submit(t, d, c)
		return words(out, 8*pages)
	}
	want := slices.Concat(
		[]uint32{0, 11, 7, 8, 9, 1, 0, 0}, // the gather reaches into the next page
		[]uint32{0, 0, 0, 0, 0, 0, 0, 0},
		[]uint32{40, 11, 7, 8, 9, 1, 0, 0},
		[]uint32{0, 0, 0, 0, 0, 0, 0, 0})
	if got := run(); !slices.Equal(got, want) {
		t.Errorf("the shader saw %v, want %v", got, want)
	}
	p1, b1 := at(1) // the same memory as page 0
	p3, b3 := at(3)
	bindSparse(t, d, []PageBind{p1, p3}, []BlockBind{b1, b3})
	if got := run(); got[8+5] != 1 || got[8+6] != 1 || got[8+1] == 0 {
		t.Errorf("with all pages bound, the shader saw %v", got)
	}
	p1.Memory, b1.Memory = nil, nil
	bindSparse(t, d, []PageBind{p1}, []BlockBind{b1})
	if got := run(); !slices.Equal(got[8:16], want[8:16]) {
		t.Errorf("with a page unbound again, the shader saw %v", got[8:16])
	}
}

// Commands that are no shaders write where there is memory, and leave zeros.
func TestSparse_TransfersAndPasses(t *testing.T) {
	d := open(t)
	im := must(d.NewUnboundImage(vk.ImageCreateInfo{ImageType: vk.ImageType2D, Format: vk.FormatR8G8B8A8Unorm, Extent: vk.Extent3D{Width: 512, Height: 256, Depth: 1}, MipLevels: 3,
		Flags: vk.ImageCreateSparseBindingBit | vk.ImageCreateSparseResidencyBit}, ""))(t)
	r := im.SparseRequirements()
	// Level 2 is lower than a block.
	if len(r) != 1 || r[0].FormatProperties.ImageGranularity != (vk.Extent3D{Width: 128, Height: 128, Depth: 1}) || r[0].ImageMipTailFirstLod != 2 || r[0].ImageMipTailSize != SparseAlignment || r[0].ImageMipTailOffset != SparseAlignment*(4*2+2) {
		t.Fatalf("%+v", r)
	}
	memory := must(d.NewPagedMemory(3 * SparseAlignment))(t)
	bindSparse(t, d, []PageBind{{Image: im, Offset: r[0].ImageMipTailOffset, Size: r[0].ImageMipTailSize, Memory: memory}},
		[]BlockBind{{Image: im, Offset: vk.Offset3D{X: 128, Y: 128}, Extent: vk.Extent3D{Width: 256, Height: 128, Depth: 1}, Memory: memory, MemoryOffset: SparseAlignment}})
	buffer := must(d.NewUnboundBuffer(vk.BufferCreateInfo{Size: MaxSparseBytes / 4, Flags: vk.BufferCreateSparseBindingBit | vk.BufferCreateSparseResidencyBit}, ""))(t)
	red := vk.ClearColorValue{Float32: [4]float32{1, 0, 0, 1}}
	c := d.NewCommandBuffer()
	c.ClearColorImage(im, red, nil)
	c.FillBuffer(buffer, 0, vk.WholeSize, 1) // much more than there is memory
	submit(t, d, c)
	is := func(when string, level, x, y int, want uint32) {
		t.Helper()
		data := must(im.Read(ctx, Subresource{Level: level}))(t)
		if got := binary.LittleEndian.Uint32(data[4*(y*(512>>level)+x):]); got != want {
			t.Errorf("%s: level %d at (%d, %d): %#x, want %#x", when, level, x, y, got, want)
		}
	}
	const set = 0xFF0000FF
	is("cleared", 0, 128, 128, set)
	is("cleared", 0, 383, 255, set)
	is("cleared", 0, 127, 128, 0)
	is("cleared", 0, 384, 255, 0)
	is("cleared", 0, 200, 127, 0)
	is("cleared", 1, 0, 0, 0)
	is("cleared", 2, 5, 0, set)
	view := must(im.Surface())(t)
	c = d.NewCommandBuffer()
	c.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: view, Load: vk.AttachmentLoadOpClear, Clear: vk.ClearValue{Color: vk.ClearColorValue{Float32: [4]float32{0, 1, 0, 1}}}}}})
	c.EndRendering("end")
	submit(t, d, c)
	is("drawn", 0, 128, 128, 0xFF00FF00)
	is("drawn", 0, 383, 130, 0xFF00FF00)
	is("drawn", 0, 384, 130, 0)
	is("drawn", 0, 0, 0, 0)
	for _, block := range []int{1, 2} { // both blocks whole
		for i, b := range memory.Bytes()[block*SparseAlignment:][:SparseAlignment] {
			if want := byte(0xFF * (i & 1)); b != want {
				t.Fatalf("byte %d of block %d is %#x", i, block, b)
			}
		}
	}
}

func TestSparse_WrongBindingsAndLimits(t *testing.T) {
	d := open(t)
	const sparse = vk.ImageCreateSparseBindingBit | vk.ImageCreateSparseResidencyBit
	info := vk.ImageCreateInfo{ImageType: vk.ImageType2D, Format: vk.FormatR32Uint, Extent: vk.Extent3D{Width: 150, Height: 130, Depth: 1}, Flags: sparse}
	im := must(d.NewUnboundImage(info, ""))(t)
	paged, plain := must(d.NewPagedMemory(2*SparseAlignment))(t), must(d.NewMemory(2*SparseAlignment))(t)
	extent := vk.Extent3D{Width: 128, Height: 128, Depth: 1}
	bindSparse(t, d, nil, []BlockBind{
		{Image: im, Extent: extent, Memory: plain},
		{Image: im, Extent: extent, Memory: paged, MemoryOffset: 2 * SparseAlignment},
		{Image: im, Extent: extent, Memory: paged, MemoryOffset: 4096},
		{Image: im, Offset: vk.Offset3D{X: 64}, Extent: extent, Memory: paged},
		{Image: im, Offset: vk.Offset3D{Y: 256}, Extent: extent, Memory: paged},
		{Image: im, Offset: vk.Offset3D{X: -128}, Extent: extent, Memory: paged},
		{Image: im, Extent: vk.Extent3D{Width: 1 << 31, Height: 1 << 31, Depth: 1 << 31}, Memory: paged},
		{Image: im, Sub: Subresource{Level: 7}, Extent: extent, Memory: paged},
		{},
	})
	bindSparse(t, d, []PageBind{{}, {Image: im, Offset: 1 << 60, Size: SparseAlignment, Memory: paged}, {Image: im, Size: 5000, Memory: paged}}, nil)
	s := im.mem.sparse
	if n := im.Requirements().Size; n != 4*SparseAlignment {
		t.Errorf("%d bytes", n)
	}
	for i := range int64(4) {
		if s.Bound(i*SparseAlignment, 1) {
			t.Error("a binding that breaks a rule was made")
		}
	}
	bindSparse(t, d, nil, []BlockBind{{Image: im, Offset: vk.Offset3D{X: 128, Y: 128}, Extent: vk.Extent3D{Width: 22, Height: 2, Depth: 1}, Memory: paged}}) // up to the edge
	if !s.Bound(3*SparseAlignment, SparseAlignment) || s.Bound(2*SparseAlignment, 1) {
		t.Error("the block at the corner was not bound, or another")
	}
	if _, err := d.NewUnboundBuffer(vk.BufferCreateInfo{Size: 2 * MaxSparseBytes, Flags: vk.BufferCreateSparseBindingBit}, ""); err == nil {
		t.Error("twice the addresses that there are")
	}
	for range 20 { // addresses come back
		b := must(d.NewUnboundBuffer(vk.BufferCreateInfo{Size: MaxSparseBytes / 2, Flags: vk.BufferCreateSparseBindingBit}, ""))(t)
		_ = b.Close()
	}
	info.Format = vk.FormatG8B8R8_3Plane420Unorm
	info.Usage = vk.ImageUsageSampledBit
	if _, err := d.NewUnboundImage(info, ""); err == nil {
		t.Error("a sparse image of several planes")
	}
}

// IMG-231: what the device, the format and the image say of blocks agrees; texels that
// fill no block are one mip tail of all layers.
func TestSparse_IMG231_Requirements(t *testing.T) {
	rules.Covers(t, "IMG-231")
	d := open(t)
	p := d.Properties().SparseProperties
	if !p.ResidencyStandard2DBlockShape || !p.ResidencyStandard2DMultisampleBlockShape || !p.ResidencyStandard3DBlockShape || p.ResidencyAlignedMipSize {
		t.Errorf("%+v", p)
	}
	const color, depth, stencil = vk.ImageAspectColorBit, vk.ImageAspectDepthBit, vk.ImageAspectStencilBit
	const whole = vk.SparseImageFormatSingleMiptailBit | vk.SparseImageFormatNonstandardBlockSizeBit
	for _, c := range []struct {
		format  vk.Format
		samples vk.SampleCountFlags
		want    []vk.SparseImageFormatProperties
	}{
		{vk.FormatR8G8B8A8Unorm, 1, []vk.SparseImageFormatProperties{{AspectMask: color, ImageGranularity: vk.Extent3D{Width: 128, Height: 128, Depth: 1}}}},
		{vk.FormatR8G8B8A8Unorm, 8, []vk.SparseImageFormatProperties{{AspectMask: color, ImageGranularity: vk.Extent3D{Width: 32, Height: 64, Depth: 1}}}},
		{vk.FormatS8Uint, 1, []vk.SparseImageFormatProperties{{AspectMask: stencil, ImageGranularity: vk.Extent3D{Width: 256, Height: 256, Depth: 1}}}},
		{vk.FormatD32SfloatS8Uint, 1, []vk.SparseImageFormatProperties{{AspectMask: depth | stencil, ImageGranularity: vk.Extent3D{Width: 1 << 17, Height: 1, Depth: 1}, Flags: whole}}},
		{vk.FormatR8G8B8Unorm, 1, []vk.SparseImageFormatProperties{{AspectMask: color, ImageGranularity: vk.Extent3D{Width: 1 << 17, Height: 1, Depth: 1}, Flags: whole}}},
	} {
		info := vk.ImageCreateInfo{ImageType: vk.ImageType2D, Format: c.format, Extent: vk.Extent3D{Width: 520, Height: 300, Depth: 1}, MipLevels: 2, ArrayLayers: 3,
			Samples: c.samples, Flags: vk.ImageCreateSparseBindingBit | vk.ImageCreateSparseResidencyBit}
		if c.samples > 1 {
			info.MipLevels = 1
		}
		im := must(d.NewUnboundImage(info, ""))(t)
		r, f, need := im.SparseRequirements(), d.SparseFormatProperties(c.format, info.ImageType, int(c.samples)), im.Requirements()
		if len(r) != len(c.want) || !slices.Equal(f, c.want) || need.Alignment != SparseAlignment || need.Size%SparseAlignment != 0 {
			t.Fatalf("%v: %+v, %+v, %+v", c.format, r, f, need)
		}
		memory := must(d.NewPagedMemory(need.Size))(t)
		var pages []PageBind
		var blocks []BlockBind
		at := uint64(0)
		for n, r := range r {
			if r.FormatProperties != c.want[n] {
				t.Errorf("%v: %+v", c.format, r)
			}
			tails, g := uint32(3), r.FormatProperties.ImageGranularity
			if r.FormatProperties.Flags&vk.SparseImageFormatSingleMiptailBit != 0 {
				tails = 1
			}
			for layer := range tails {
				if r.ImageMipTailSize != 0 {
					pages = append(pages, PageBind{Image: im, Offset: r.ImageMipTailOffset + uint64(layer)*r.ImageMipTailStride, Size: r.ImageMipTailSize, Memory: memory, MemoryOffset: at})
					at += r.ImageMipTailSize
				}
				for level := range r.ImageMipTailFirstLod {
					w, h := info.Extent.Width>>level, info.Extent.Height>>level
					blocks = append(blocks, BlockBind{Image: im, Sub: Subresource{Level: int(level), Layer: int(layer), Aspect: r.FormatProperties.AspectMask},
						Extent: vk.Extent3D{Width: w, Height: h, Depth: 1}, Memory: memory, MemoryOffset: at})
					at += uint64((w+g.Width-1)/g.Width*((h+g.Height-1)/g.Height)) * SparseAlignment
				}
			}
		}
		bindSparse(t, d, pages, blocks)
		if s := im.mem.sparse; at != need.Size || !s.Bound(0, int64(need.Size)) || !s.Complete() {
			t.Errorf("%v: %d bytes of %d fill the image: %v", c.format, at, need.Size, s.Complete())
		}
	}
}

// Copies, blits and resolves of images in blocks go across their edges as they do in
// others.
func TestSparse_TransfersAcrossBlocks(t *testing.T) {
	rules.Covers(t, "IMG-303")
	d := open(t)
	extent := vk.Extent3D{Width: 150, Height: 140, Depth: 1}
	info := vk.ImageCreateInfo{ImageType: vk.ImageType2D, Format: vk.FormatR8G8B8A8Unorm, Extent: extent}
	plain, back := must(d.NewImage(info, nil, 0, ""))(t), must(d.NewImage(info, nil, 0, ""))(t)
	info.Flags = vk.ImageCreateSparseBindingBit | vk.ImageCreateSparseResidencyBit
	im := must(d.NewUnboundImage(info, ""))(t)
	bindSparse(t, d, []PageBind{{Image: im, Size: im.Requirements().Size, Memory: must(d.NewPagedMemory(im.Requirements().Size))(t)}}, nil)
	data := make([]byte, 4*150*140)
	for i := range data {
		data[i] = byte(i * 7 >> 3)
	}
	if err := plain.Write(ctx, Subresource{}, data); err != nil {
		t.Fatal(err)
	}
	layers := vk.ImageSubresourceLayers{AspectMask: vk.ImageAspectColorBit, LayerCount: 1}
	far := vk.Offset3D{X: 150, Y: 140, Z: 1}
	c := d.NewCommandBuffer()
	c.CopyImage(plain, im, []vk.ImageCopy{{SrcSubresource: layers, DstSubresource: layers, Extent: extent}})
	c.BlitImage(im, back, vk.FilterNearest, []vk.ImageBlit{{SrcSubresource: layers, DstSubresource: layers, SrcOffsets: [2]vk.Offset3D{{}, far}, DstOffsets: [2]vk.Offset3D{{}, far}}})
	submit(t, d, c)
	if !slices.Equal(must(im.Read(ctx, Subresource{}))(t), data) {
		t.Error("copied into the image, the texels differ")
	}
	if !slices.Equal(must(back.Read(ctx, Subresource{}))(t), data) {
		t.Error("blitted out of the image, the texels differ")
	}
	c = d.NewCommandBuffer()
	c.BlitImage(plain, im, vk.FilterNearest, []vk.ImageBlit{{SrcSubresource: layers, DstSubresource: layers, SrcOffsets: [2]vk.Offset3D{{X: 150}, {Y: 140, Z: 1}}, DstOffsets: [2]vk.Offset3D{{}, far}}})
	submit(t, d, c)
	got := must(im.Read(ctx, Subresource{}))(t)
	for x := range 150 {
		if o, from := 4*(139*150+x), 4*(139*150+149-x); !slices.Equal(got[o:o+4], data[from:from+4]) {
			t.Fatalf("blitted with x reversed, texel %d differs", x)
		}
	}
}

// image2DViewOf3DSparse: a 2D view shows a slice of a sparse 3D image, where it has
// memory and where it has none.
func TestSparse_Maintenance9_2DViewOf3D(t *testing.T) {
	rules.Covers(t, "IMG-888")
	d := open(t)
	im := must(d.NewUnboundImage(vk.ImageCreateInfo{ImageType: vk.ImageType3D, Format: vk.FormatR32Uint, Extent: vk.Extent3D{Width: 64, Height: 32, Depth: 16},
		Flags: vk.ImageCreateSparseBindingBit | vk.ImageCreateSparseResidencyBit | vk.ImageCreate2DViewCompatibleBitEXT}, ""))(t)
	memory := must(d.NewPagedMemory(SparseAlignment))(t)
	bindSparse(t, d, nil, []BlockBind{{Image: im, Extent: vk.Extent3D{Width: 32, Height: 32, Depth: 16}, Memory: memory}})
	words := make([]uint32, 64*32*16)
	for i := range words {
		words[i] = uint32(i)
	}
	from := bufferOf(t, d, words...)
	c := d.NewCommandBuffer()
	c.CopyBufferToImage(from, im, []vk.BufferImageCopy{{ImageSubresource: vk.ImageSubresourceLayers{AspectMask: vk.ImageAspectColorBit, LayerCount: 1}, ImageExtent: vk.Extent3D{Width: 64, Height: 32, Depth: 16}}})
	submit(t, d, c)
	flat := vk.ImageViewType2D
	view := must(d.NewImageView(im, resource.ViewDesc{Type: &flat, Range: vk.ImageSubresourceRange{AspectMask: vk.ImageAspectColorBit, BaseArrayLayer: 5, LevelCount: 1, LayerCount: 1}}, ""))(t)
	got, _, err := d.RunImage(ctx, "fetch", &ImageInstruction{Kind: ImageFetch, Texels: [][4]int32{{3, 2}, {31, 31}, {32, 2}}}, view, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []uint32{5*64*32 + 2*64 + 3, 5*64*32 + 31*64 + 31, 0} {
		if got[i][0] != want {
			t.Errorf("texel %d is %d, want %d", i, got[i][0], want)
		}
	}
}

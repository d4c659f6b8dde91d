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
	rules.Covers(t, "IMG-230", "IMG-232", "IMG-303", "IMG-373", "IMG-620", "IMG-622", "IMG-623")
	d := open(t)
	const pages = 4
	buffer := must(d.NewUnboundBuffer(vk.BufferCreateInfo{Size: pages * SparseAlignment, Flags: vk.BufferCreateSparseBindingBit | vk.BufferCreateSparseResidencyBit}, ""))(t)
	if r := buffer.Requirements(); r.Alignment != SparseAlignment || r.MemoryTypeBits != PagedMemoryTypeBits {
		t.Errorf("requirements %+v", r)
	}
	im := must(d.NewUnboundImage(vk.ImageCreateInfo{ImageType: vk.ImageType2D, Format: vk.FormatR32Uint, Extent: vk.Extent3D{Width: 1024, Height: pages, Depth: 1},
		Flags: vk.ImageCreateSparseBindingBit | vk.ImageCreateSparseResidencyBit}, ""))(t)
	memory := must(d.NewPagedMemory(2*SparseAlignment + 2*resource.SparseBlockBytes))(t)
	at := func(page int) (PageBind, BlockBind) {
		return PageBind{Buffer: buffer, Offset: uint64(page) * SparseAlignment, Size: SparseAlignment, Memory: memory, MemoryOffset: uint64(page) / 2 * SparseAlignment},
			BlockBind{Image: im, Offset: vk.Offset3D{Y: int32(page)}, Extent: vk.Extent3D{Width: 1024, Height: 1, Depth: 1}, Memory: memory, MemoryOffset: 2*SparseAlignment + uint64(page)/2*resource.SparseBlockBytes}
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
	im := must(d.NewUnboundImage(vk.ImageCreateInfo{ImageType: vk.ImageType2D, Format: vk.FormatR8G8B8A8Unorm, Extent: vk.Extent3D{Width: 2048, Height: 4, Depth: 1}, MipLevels: 3,
		Flags: vk.ImageCreateSparseBindingBit | vk.ImageCreateSparseResidencyBit}, ""))(t)
	r := im.SparseRequirements()
	// Level 2 is narrower than a block.
	if len(r) != 1 || r[0].FormatProperties.ImageGranularity != (vk.Extent3D{Width: 1024, Height: 1, Depth: 1}) || r[0].ImageMipTailFirstLod != 2 || r[0].ImageMipTailSize != 4096 || r[0].ImageMipTailOffset != 4096*(4*2+2) {
		t.Fatalf("%+v", r)
	}
	memory := must(d.NewPagedMemory(3 * 4096))(t)
	bindSparse(t, d, []PageBind{{Image: im, Offset: r[0].ImageMipTailOffset, Size: r[0].ImageMipTailSize, Memory: memory}},
		[]BlockBind{{Image: im, Offset: vk.Offset3D{X: 1024, Y: 1}, Extent: vk.Extent3D{Width: 1024, Height: 2, Depth: 1}, Memory: memory, MemoryOffset: 4096}})
	buffer := must(d.NewUnboundBuffer(vk.BufferCreateInfo{Size: 1 << 34, Flags: vk.BufferCreateSparseBindingBit | vk.BufferCreateSparseResidencyBit}, ""))(t)
	red := vk.ClearColorValue{Float32: [4]float32{1, 0, 0, 1}}
	c := d.NewCommandBuffer()
	c.ClearColorImage(im, red, nil)
	c.FillBuffer(buffer, 0, vk.WholeSize, 1) // 16 GiB without memory
	submit(t, d, c)
	is := func(when string, level, x, y int, want uint32) {
		t.Helper()
		data := must(im.Read(ctx, Subresource{Level: level}))(t)
		if got := binary.LittleEndian.Uint32(data[4*(y*(2048>>level)+x):]); got != want {
			t.Errorf("%s: level %d at (%d, %d): %#x, want %#x", when, level, x, y, got, want)
		}
	}
	const set = 0xFF0000FF
	is("cleared", 0, 1024, 1, set)
	is("cleared", 0, 2047, 2, set)
	is("cleared", 0, 1023, 1, 0)
	is("cleared", 0, 1024, 3, 0)
	is("cleared", 1, 0, 0, 0)
	is("cleared", 2, 5, 0, set)
	view := must(im.Surface())(t)
	c = d.NewCommandBuffer()
	c.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: view, Load: vk.AttachmentLoadOpClear, Clear: vk.ClearValue{Color: vk.ClearColorValue{Float32: [4]float32{0, 1, 0, 1}}}}}})
	c.EndRendering("end")
	submit(t, d, c)
	is("drawn", 0, 1024, 1, 0xFF00FF00)
	is("drawn", 0, 0, 0, 0)
	if n := memory.Bytes()[4096+1]; n != 0xFF {
		t.Errorf("the memory holds %#x", n)
	}
}

func TestSparse_WrongBindingsAndLimits(t *testing.T) {
	d := open(t)
	const sparse = vk.ImageCreateSparseBindingBit | vk.ImageCreateSparseResidencyBit
	info := vk.ImageCreateInfo{ImageType: vk.ImageType2D, Format: vk.FormatR32Uint, Extent: vk.Extent3D{Width: 1100, Height: 4, Depth: 1}, Flags: sparse}
	im := must(d.NewUnboundImage(info, ""))(t)
	paged, plain := must(d.NewPagedMemory(8192))(t), must(d.NewMemory(8192))(t)
	extent := vk.Extent3D{Width: 1024, Height: 1, Depth: 1}
	bindSparse(t, d, nil, []BlockBind{
		{Image: im, Extent: extent, Memory: plain},
		{Image: im, Extent: extent, Memory: paged, MemoryOffset: 8192},
		{Image: im, Extent: extent, Memory: paged, MemoryOffset: 100},
		{Image: im, Offset: vk.Offset3D{X: 512}, Extent: extent, Memory: paged},
		{Image: im, Offset: vk.Offset3D{Y: 4}, Extent: extent, Memory: paged},
		{Image: im, Offset: vk.Offset3D{X: -1024}, Extent: extent, Memory: paged},
		{Image: im, Extent: vk.Extent3D{Width: 1 << 31, Height: 1 << 31, Depth: 1 << 31}, Memory: paged},
		{Image: im, Sub: Subresource{Level: 7}, Extent: extent, Memory: paged},
		{},
	})
	bindSparse(t, d, []PageBind{{}, {Image: im, Offset: 1 << 60, Size: 4096, Memory: paged}, {Image: im, Size: 5000, Memory: paged}}, nil)
	if s := im.mem.sparse; s.Bound(0, 1) || s.Bound(4096, 1) {
		t.Error("a binding that breaks a rule was made")
	}
	bindSparse(t, d, nil, []BlockBind{{Image: im, Offset: vk.Offset3D{X: 1024}, Extent: vk.Extent3D{Width: 76, Height: 1, Depth: 1}, Memory: paged}}) // up to the edge
	if !im.mem.sparse.Bound(4096, 1) {
		t.Error("a block at the edge was not bound")
	}
	if _, err := d.NewUnboundBuffer(vk.BufferCreateInfo{Size: 1 << 39, Flags: vk.BufferCreateSparseBindingBit}, ""); err == nil {
		t.Error("half a tebibyte of addresses")
	}
	for range 20 { // addresses come back
		b := must(d.NewUnboundBuffer(vk.BufferCreateInfo{Size: 1 << 35, Flags: vk.BufferCreateSparseBindingBit}, ""))(t)
		_ = b.Close()
	}
	info.Format = vk.FormatG8B8R8_3Plane420Unorm
	info.Usage = vk.ImageUsageSampledBit
	if _, err := d.NewUnboundImage(info, ""); err == nil {
		t.Error("a sparse image of several planes")
	}
}

// Images that can't be bound block by block have one mip tail, of all layers.
func TestSparse_BoundWhole(t *testing.T) {
	d := open(t)
	for _, c := range []struct {
		format vk.Format
		aspect vk.ImageAspectFlags
	}{
		{vk.FormatD32SfloatS8Uint, vk.ImageAspectDepthBit | vk.ImageAspectStencilBit},
		{vk.FormatR8G8B8Unorm, vk.ImageAspectColorBit},
	} {
		info := vk.ImageCreateInfo{ImageType: vk.ImageType2D, Format: c.format, Extent: vk.Extent3D{Width: 2048, Height: 4, Depth: 1}, MipLevels: 2, ArrayLayers: 3,
			Flags: vk.ImageCreateSparseBindingBit | vk.ImageCreateSparseResidencyBit}
		im := must(d.NewUnboundImage(info, ""))(t)
		r, f := im.SparseRequirements(), d.SparseFormatProperties(c.format, 1)
		if len(r) != 1 || len(f) != 1 || r[0].FormatProperties != f[0] || f[0].AspectMask != c.aspect || f[0].Flags&vk.SparseImageFormatSingleMiptailBit == 0 {
			t.Fatalf("%v: %+v, %+v", c.format, r, f)
		}
		need := im.Requirements()
		if r[0].ImageMipTailFirstLod != 0 || r[0].ImageMipTailOffset != 0 || r[0].ImageMipTailSize != need.Size || need.Size%need.Alignment != 0 {
			t.Errorf("%v: %+v of %+v", c.format, r[0], need)
		}
		memory := must(d.NewPagedMemory(need.Size))(t)
		bindSparse(t, d, []PageBind{{Image: im, Size: need.Size, Memory: memory}},
			[]BlockBind{{Image: im, Sub: Subresource{Aspect: c.aspect & -c.aspect}, Extent: vk.Extent3D{Width: 2048, Height: 4, Depth: 1}, Memory: memory}}) // no level has blocks
		if !im.mem.sparse.Bound(0, int64(need.Size)) {
			t.Errorf("%v: not all is bound", c.format)
		}
	}
}

package core

import (
	"context"
	"testing"
	"time"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// script is one run of FuzzCommands: objects, and a command buffer that names them.
type script struct {
	things
	t  *testing.T
	in *feed
	c  *CommandBuffer

	buffers   []*Buffer
	images    []*Image
	views     []*ImageView // of some images, as attachments
	queries   []*QueryPool
	pipelines []*Pipeline // a graphics and a compute pipeline, if they can be had
	set       *DescriptorSet

	watched int  // samples of images that are watched; see FuzzWatch
	stopped bool // for want of time
}

// FuzzCommands records and submits commands with odd regions, offsets and counts on
// guarded memory. What is wrong is refused with a typed error or left out; nothing is
// read or written outside of an object.
func FuzzCommands(f *testing.F) {
	for i := range 60 {
		var program []byte
		x := uint32(i)*2654435761 + 12345
		for range 40 + 4*i {
			x = x*1664525 + 1013904223
			program = append(program, byte(x>>24))
		}
		f.Add(program)
	}
	g := &guarded{}
	vertex, fragment, compute := shaderCode(f, "attribute.vert"), shaderCode(f, "two.frag"), readFile(f, "../../conformance/testdata/stir.comp.spv")
	f.Fuzz(func(t *testing.T, program []byte) {
		if len(program) > 4096 {
			return
		}
		in := &feed{program}
		s := &script{things: things{g: g, d: g.device(t, int(in.byte()&1))}, t: t, in: in}
		defer s.close(t)
		s.makeObjects(vertex, fragment, compute)
		for range 2 {
			s.record()
		}
	})
}

func (s *script) makeObjects(vertex, fragment, compute []byte) {
	t, in, d := s.t, s.in, s.d
	for range 3 {
		if b, ok := s.buffer(t, in); ok {
			s.buffers = append(s.buffers, b)
		}
	}
	formats := format.All()
	colors := []vk.Format{vk.FormatR8G8B8A8Unorm, vk.FormatR32G32B32A32Sfloat, vk.FormatR8Unorm, vk.FormatR16G16Sint, vk.FormatD32SfloatS8Uint, vk.FormatD24UnormS8Uint}
	for i := range 4 {
		f := choose(in, colors...)
		if i > 1 {
			f = formats[in.below(len(formats))]
		}
		info := vk.ImageCreateInfo{
			ImageType: choose(in, vk.ImageType2D, vk.ImageType2D, vk.ImageType3D, vk.ImageType1D), Format: f,
			Extent:    vk.Extent3D{Width: uint32(1 + in.below(40)), Height: uint32(1 + in.below(20)), Depth: 1},
			MipLevels: uint32(1 + in.below(3)), ArrayLayers: uint32(1 + in.below(3)), Samples: 1 << min(4, in.below(12)*in.below(2)),
		}
		switch info.ImageType {
		case vk.ImageType1D:
			info.Extent.Height = 1
		case vk.ImageType3D:
			info.Extent.Depth, info.ArrayLayers = uint32(1+in.below(4)), 1
		}
		if info.Samples > 1 {
			info.MipLevels, info.ImageType, info.Extent.Depth = 1, vk.ImageType2D, 1
		}
		im, err := d.NewImage(info, nil, 0, "")
		im, ok := add(t, &s.things, im, err)
		if !ok {
			continue
		}
		in.noise(im.mem.data)
		s.images = append(s.images, im)
		v, err := d.NewImageView(im, resource.ViewDesc{Range: vk.ImageSubresourceRange{BaseMipLevel: uint32(in.below(2)), LevelCount: 1, BaseArrayLayer: uint32(in.below(2))}}, "")
		if v, ok := add(t, &s.things, v, err); ok {
			s.views = append(s.views, v)
		}
	}
	for _, kind := range []vk.QueryType{vk.QueryTypeOcclusion, choose(in, vk.QueryTypeTimestamp, vk.QueryTypePipelineStatistics, vk.QueryTypePrimitivesGeneratedEXT)} {
		q, err := d.NewQueries(vk.QueryPoolCreateInfo{QueryType: kind, QueryCount: uint32(1 + in.below(4)), PipelineStatistics: vk.QueryPipelineStatisticFlags(in.below(1 << 11))})
		if q, ok := add(t, &s.things, q, err); ok {
			s.queries = append(s.queries, q)
		}
	}
	s.makePipelines(vertex, fragment, compute)
}

func (s *script) makePipelines(vertex, fragment, compute []byte) {
	t, in, d := s.t, s.in, s.d
	info := &GraphicsPipelineInfo{
		Vertex: Stage{Code: vertex}, Fragment: Stage{Code: fragment},
		InputAssembly: vk.PipelineInputAssemblyStateCreateInfo{Topology: vk.PrimitiveTopology(in.below(10)), PrimitiveRestartEnable: in.one(3)},
		Rasterization: vk.PipelineRasterizationStateCreateInfo{LineWidth: 1, PolygonMode: vk.PolygonMode(in.below(3)), DepthClampEnable: in.one(4)},
		Viewport:      vk.PipelineViewportStateCreateInfo{Viewports: []vk.Viewport{{Width: 30, Height: 15, MaxDepth: 1}}, Scissors: []vk.Rect2D{{Extent: vk.Extent2D{Width: 100, Height: 100}}}},
		VertexInput: vk.PipelineVertexInputStateCreateInfo{
			VertexBindingDescriptions:   []vk.VertexInputBindingDescription{{Stride: uint32(in.below(40)), InputRate: vk.VertexInputRate(in.below(2))}},
			VertexAttributeDescriptions: []vk.VertexInputAttributeDescription{{Format: choose(in, vk.FormatR32G32B32Sfloat, vk.FormatR32G32Sfloat, vk.FormatR32G32B32A32Sfloat, vk.FormatR8G8Unorm, vk.FormatR32Uint), Offset: uint32(in.below(30))}},
		},
		DynamicStates: []vk.DynamicState{vk.DynamicStateViewport, vk.DynamicStateScissor}[:in.below(3)],
	}
	info.DepthStencil.DepthTestEnable, info.DepthStencil.DepthWriteEnable, info.DepthStencil.DepthCompareOp = in.one(2), true, vk.CompareOp(in.below(8))
	for _, v := range s.views {
		if f := v.image.res.Format; v.image.res.Info.Aspects&vk.ImageAspectDepthBit != 0 {
			info.Rendering.DepthAttachmentFormat = f
		} else if len(info.Rendering.ColorAttachmentFormats) < 2 {
			info.Rendering.ColorAttachmentFormats = append(info.Rendering.ColorAttachmentFormats, f)
			info.ColorBlend.Attachments = append(info.ColorBlend.Attachments, vk.PipelineColorBlendAttachmentState{ColorWriteMask: 15, BlendEnable: in.one(4)})
		}
		info.Multisample.RasterizationSamples = vk.SampleCountFlags(v.image.res.Samples)
	}
	p, err := d.NewGraphicsPipeline(info)
	if p, ok := add(t, &s.things, p, err); ok {
		s.pipelines = append(s.pipelines, p)
	}
	p, err = d.NewComputePipeline(&ComputePipelineInfo{Stage: Stage{Code: compute}})
	if p, ok := add(t, &s.things, p, err); ok {
		s.pipelines = append(s.pipelines, p)
		set, err := d.NewDescriptorSet(p.layout.Set(0), "")
		s.set, _ = add(t, &s.things, set, err)
	}
}

// record records a few commands and submits them. A command buffer of a program, which
// leaves broken commands out, or of the Go API, where the first error sticks.
func (s *script) record() {
	s.c = s.d.NewCommandBuffer()
	if s.in.one(3) {
		s.c.Tolerate()
	}
	if len(s.buffers) == 0 || len(s.images) == 0 || len(s.queries) == 0 {
		return
	}
	for range 1 + s.in.below(24) {
		s.command()
		s.g.check(s.t, s.c.Err())
		if s.c.Err() != nil && !s.c.tolerant && s.in.one(2) {
			break
		}
		s.c.Drop()
	}
	if s.c.pass != nil {
		s.c.EndRendering("end")
	}
	s.c.Finish("finish")
	ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond) // indirect draws say any number
	defer cancel()
	done := s.watching()
	s.g.check(s.t, s.d.Queue().SubmitAndWait(ctx, "Submit", []*CommandBuffer{s.c}))
	s.stopped = s.stopped || ctx.Err() != nil
	done()
}

func (s *script) aBuffer() *Buffer   { return s.buffers[s.in.below(len(s.buffers))] }
func (s *script) anImage() *Image    { return s.images[s.in.below(len(s.images))] }
func (s *script) aQuery() *QueryPool { return s.queries[s.in.below(len(s.queries))] }

// within is a number up to size, now and then one beyond.
func (s *script) within(size uint64) uint64 {
	if s.in.one(6) {
		return s.in.number()
	}
	return uint64(s.in.below(int(min(size, 1<<15)) + 1))
}

func (s *script) offset(im *Image) vk.Offset3D {
	e := im.res.Extent
	return vk.Offset3D{X: int32(s.within(uint64(e.Width))), Y: int32(s.within(uint64(e.Height))), Z: int32(s.within(uint64(e.Depth - 1)))}
}

func (s *script) extent(im *Image) vk.Extent3D {
	e := im.res.Extent
	return vk.Extent3D{Width: uint32(s.within(uint64(e.Width))), Height: uint32(s.within(uint64(e.Height))), Depth: max(1, uint32(s.within(uint64(e.Depth))))}
}

func (s *script) layers(im *Image) vk.ImageSubresourceLayers {
	aspect := im.res.Info.Aspects
	if s.in.one(4) {
		aspect &= vk.ImageAspectFlags(s.in.byte())
	}
	return vk.ImageSubresourceLayers{AspectMask: aspect, MipLevel: uint32(s.within(uint64(im.res.MipLevels - 1))), BaseArrayLayer: uint32(s.within(uint64(im.res.ArrayLayers - 1))), LayerCount: uint32(s.within(2))}
}

func (s *script) ranges(im *Image) vk.ImageSubresourceRange {
	l := s.layers(im)
	return vk.ImageSubresourceRange{AspectMask: l.AspectMask, BaseMipLevel: l.MipLevel, LevelCount: uint32(s.within(3)), BaseArrayLayer: l.BaseArrayLayer, LayerCount: l.LayerCount}
}

func (s *script) bufferRegion(im *Image) vk.BufferImageCopy {
	r := vk.BufferImageCopy{ImageSubresource: s.layers(im), ImageOffset: s.offset(im), ImageExtent: s.extent(im)}
	if s.in.one(2) {
		r.BufferOffset, r.BufferRowLength, r.BufferImageHeight = s.within(64), uint32(s.within(64)), uint32(s.within(64))
	}
	if s.in.one(2) {
		r.ImageOffset = vk.Offset3D{}
	}
	return r
}

// command records one command, whatever its place.
func (s *script) command() {
	in, c := s.in, s.c
	b, other, im, to, q := s.aBuffer(), s.aBuffer(), s.anImage(), s.anImage(), s.aQuery()
	switch in.below(34) {
	case 0:
		c.CopyBuffer(b, other, []vk.BufferCopy{{SrcOffset: s.within(b.size), DstOffset: s.within(other.size), Size: s.within(b.size)}})
	case 1:
		c.FillBuffer(b, s.within(b.size)&^3, choose(in, s.within(b.size)&^3, vk.WholeSize), uint32(in.number()))
	case 2:
		c.UpdateBuffer(b, s.within(b.size)&^3, make([]byte, s.within(64)&0xFFFF))
	case 3, 4:
		c.CopyBufferToImage(b, im, []vk.BufferImageCopy{s.bufferRegion(im)})
	case 5, 6:
		c.CopyImageToBuffer(im, b, []vk.BufferImageCopy{s.bufferRegion(im)})
	case 7, 8:
		c.CopyImage(im, to, []vk.ImageCopy{{SrcSubresource: s.layers(im), SrcOffset: s.offset(im), DstSubresource: s.layers(to), DstOffset: s.offset(to), Extent: s.extent(im)}})
	case 9, 10:
		c.BlitImage(im, to, choose(in, vk.FilterNearest, vk.FilterLinear, vk.FilterCubicEXT), []vk.ImageBlit{{
			SrcSubresource: s.layers(im), SrcOffsets: [2]vk.Offset3D{s.offset(im), s.offset(im)},
			DstSubresource: s.layers(to), DstOffsets: [2]vk.Offset3D{s.offset(to), s.offset(to)},
		}})
	case 11:
		c.BlitImage(im, to, vk.FilterLinear, nil)
	case 12:
		c.GenerateMipmaps(im)
	case 13:
		c.ResolveImage(im, to, []vk.ImageResolve{{SrcSubresource: s.layers(im), SrcOffset: s.offset(im), DstSubresource: s.layers(to), DstOffset: s.offset(to), Extent: s.extent(im)}})
	case 14:
		c.ResolveImage(im, to, nil)
	case 15:
		c.ClearColorImage(im, vk.ClearColorValue{Uint32: [4]uint32{uint32(in.number())}}, []vk.ImageSubresourceRange{s.ranges(im)})
	case 16:
		c.ClearDepthStencilImage(im, vk.ClearDepthStencilValue{Depth: float32(in.below(3)) / 2, Stencil: uint32(in.byte())}, []vk.ImageSubresourceRange{s.ranges(im)})
	case 17, 18, 19:
		s.beginRendering()
	case 20:
		c.EndRendering("end")
	case 21, 22, 23:
		s.drawing(b, other)
	case 24:
		c.ClearAttachments([]vk.ClearAttachment{{AspectMask: vk.ImageAspectFlags(1 + in.below(6)), ColorAttachment: uint32(s.within(1))}},
			[]vk.ClearRect{{Rect: s.rect(), BaseArrayLayer: uint32(s.within(0)), LayerCount: uint32(s.within(2))}})
	case 25:
		c.BeginQuery(q, int(s.within(uint64(q.count-1))))
	case 26:
		c.EndQuery(q, int(s.within(uint64(q.count-1))))
	case 27:
		c.WriteTimestamp(q, int(s.within(uint64(q.count-1))))
	case 28:
		c.ResetQueries(q, int(s.within(uint64(q.count))), int(s.within(uint64(q.count))))
	case 29:
		c.CopyQueryResults(q, int(s.within(uint64(q.count))), int(s.within(uint64(q.count))), b, s.within(b.size), s.within(32), vk.QueryResultFlags(in.below(16)))
	case 30:
		c.SetViewport([]vk.Viewport{{X: s.float(), Y: s.float(), Width: s.float(), Height: s.float(), MinDepth: float32(in.below(3)) / 2, MaxDepth: 1}})
		c.SetScissor([]vk.Rect2D{s.rect()})
	case 31:
		s.dispatch(b)
	case 32:
		if in.one(2) {
			c.BeginConditionalRendering(b, s.within(b.size), in.one(2))
		} else {
			c.EndConditionalRendering()
		}
	case 33:
		c.WriteMarker(b, s.within(b.size), uint32(in.number()))
	}
}

func (s *script) float() float32 {
	return choose(s.in, 0, 1, -1, 30, 15.5, -100, 1e9, 3.4e38, 1e-30, 20000, float32(s.in.byte()))
}

func (s *script) rect() vk.Rect2D {
	return vk.Rect2D{Offset: vk.Offset2D{X: int32(s.within(20)), Y: int32(s.within(20))}, Extent: vk.Extent2D{Width: uint32(s.within(40)), Height: uint32(s.within(40))}}
}

func (s *script) beginRendering() {
	var info RenderingInfo
	for _, v := range s.views {
		a := RenderingAttachment{View: v, Load: vk.AttachmentLoadOp(s.in.below(3)), Store: vk.AttachmentStoreOp(s.in.below(2))}
		if s.in.one(3) && len(s.views) > 1 {
			a.Resolve, a.ResolveMode = s.views[s.in.below(len(s.views))], vk.ResolveModeFlags(1<<s.in.below(4))
		}
		switch {
		case v.image.res.Info.Aspects&vk.ImageAspectDepthBit != 0:
			info.Depth = &a
			if s.in.one(2) && v.image.res.Info.Aspects&vk.ImageAspectStencilBit != 0 {
				info.Stencil = &a
			}
		case len(info.Color) < 2:
			info.Color = append(info.Color, a)
		}
	}
	if s.in.one(3) {
		info.Area, info.LayerCount, info.ViewMask = s.rect(), int(s.within(2)), uint32(s.within(0))
	}
	if s.in.one(6) {
		info.Flags = vk.RenderingCustomResolveBitEXT
		for i := range info.Color {
			info.Color[i].ResolveMode = vk.ResolveModeCustomBitEXT
		}
	}
	s.c.BeginRendering(info)
}

func (s *script) drawing(b, other *Buffer) {
	in, c := s.in, s.c
	if in.one(12) {
		c.BeginCustomResolve()
	}
	for _, p := range s.pipelines {
		if p.point == vk.PipelineBindPointGraphics {
			c.BindPipeline("bind", p.point, p)
		}
	}
	var stride *uint32
	if in.one(4) {
		n := uint32(s.within(64))
		stride = &n
	}
	c.BindVertexBuffer(0, b, s.within(b.size), choose(in, vk.WholeSize, s.within(b.size)), stride)
	few := func() uint32 { return uint32(in.below(50)) }
	switch in.below(5) {
	case 0, 1:
		c.Draw("draw", few(), uint32(in.below(4)), uint32(s.within(40)), uint32(s.within(4)))
	case 2:
		c.BindIndexBuffer(other, s.within(other.size), choose(in, vk.WholeSize, s.within(other.size)), choose(in, vk.IndexTypeUint16, vk.IndexTypeUint32, vk.IndexTypeUint8))
		c.DrawIndexed("draw", few(), 1, uint32(s.within(20)), int32(s.within(20)), 0)
	case 3:
		c.DrawIndirect("draw", false, b, s.within(b.size)&^3, uint32(in.below(4)), uint32(s.within(64))&^3, nil, 0)
	case 4:
		c.DrawIndirectCount("draw", in.one(2), b, s.within(b.size)&^3, other, s.within(other.size)&^3, uint32(in.below(5)), uint32(s.within(64))&^3)
	}
}

func (s *script) dispatch(b *Buffer) {
	if s.set == nil {
		return
	}
	v, err := s.anImage().Whole()
	s.g.check(s.t, err)
	s.g.check(s.t, s.set.Update(DescriptorWrite{Descriptors: []Descriptor{{Buffer: b, Offset: s.within(b.size) &^ 3}}}))
	s.g.check(s.t, s.set.Update(DescriptorWrite{Binding: 1, Descriptors: []Descriptor{{View: v}}}))
	p := s.pipelines[len(s.pipelines)-1]
	s.c.BindPipeline("bind", p.point, p)
	s.c.BindDescriptorSet("bind", p.point, 0, s.set, nil)
	s.c.PushConstants("push", 0, []byte{s.in.byte(), 0, 0, 0, 0, 0, 0x80, 0x3E})
	if s.in.one(3) {
		s.c.DispatchIndirect("dispatch", b, s.within(b.size)&^3)
	} else {
		s.c.Dispatch("dispatch", [3]uint32{}, [3]uint32{uint32(s.in.below(4)), 1, 1})
	}
}

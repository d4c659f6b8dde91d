package faces

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/vk"
)

// goFace runs a scene on the Go API. The first error ends it.
type goFace struct {
	dev      *pumice.Device
	scene    *Scene
	code     func(name string) ([]byte, error)
	buffers  []*pumice.Buffer
	images   []*pumice.Image
	samplers []*pumice.Sampler
	graphics []*pumice.GraphicsPipeline
	compute  []*pumice.ComputePipeline
	queries  *pumice.QueryPool
	cmd      *pumice.CommandBuffer
}

// RunGo runs a scene on the Go API and returns what it leaves behind: buffers,
// images level by level, query results in 64 bits, one after the other.
func (s *Scene) RunGo(cfg *pumice.Config, code func(name string) ([]byte, error)) ([]byte, error) {
	left, _, err := s.RunGoWatched(cfg, code, nil)
	return left, err
}

// RunGoWatched does so while it watches the samples of images that pick names, and returns what
// is told of them, too.
func (s *Scene) RunGoWatched(cfg *pumice.Config, code func(name string) ([]byte, error), pick func(images []*pumice.Image) []pumice.WatchPoint) ([]byte, []*explain.Explanation, error) {
	dev, err := pumice.Open(cfg)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = dev.Close() }()
	f := &goFace{dev: dev, scene: s, code: code, cmd: dev.NewCommandBuffer()}
	for _, do := range []func() error{f.resources, f.pipelines, f.steps} {
		if err := do(); err != nil {
			return nil, nil, err
		}
	}
	var es []*explain.Explanation
	if pick == nil {
		err = dev.Submit(context.Background(), f.cmd)
	} else {
		es, err = dev.Explain(context.Background(), pick(f.images), f.cmd)
	}
	if err != nil {
		return nil, nil, err
	}
	left, err := f.results()
	return left, es, err
}

func (f *goFace) resources() error {
	for _, data := range f.scene.Buffers {
		b, err := f.dev.NewBufferFrom(data)
		if err != nil {
			return err
		}
		f.buffers = append(f.buffers, b)
	}
	for _, d := range f.scene.Images {
		im, err := f.dev.NewImage(pumice.ImageDesc{Format: d.Format, Width: d.Width, Height: d.Height, MipLevels: d.Levels, Samples: d.Samples})
		if err == nil && d.Texels != nil {
			err = im.Write(context.Background(), pumice.Subresource{}, d.Texels)
		}
		if err != nil {
			return err
		}
		f.images = append(f.images, im)
	}
	for _, d := range f.scene.Samplers {
		x, err := f.dev.NewSampler(pumice.SamplerDesc{MagFilter: d.Filter, MinFilter: d.Filter, MipmapMode: d.Mip, AddressModeU: d.Address, AddressModeV: d.Address, AddressModeW: d.Address})
		if err != nil {
			return err
		}
		f.samplers = append(f.samplers, x)
	}
	if f.scene.Queries == 0 {
		return nil
	}
	var err error
	f.queries, err = f.dev.NewQueryPool(vk.QueryTypeOcclusion, f.scene.Queries)
	return err
}

func (f *goFace) pipelines() error {
	for i := range f.scene.Graphics {
		g := &f.scene.Graphics[i]
		vertex, err := f.code(g.Vertex)
		if err != nil {
			return err
		}
		fragment, err := f.code(g.Fragment)
		if err != nil {
			return err
		}
		blend := &vk.PipelineColorBlendStateCreateInfo{Attachments: g.Blend}
		if g.Logic != nil {
			blend.LogicOpEnable, blend.LogicOp = true, *g.Logic
		}
		p, err := f.dev.NewGraphicsPipeline(pumice.GraphicsPipelineDesc{
			Vertex: pumice.Shader{Code: vertex}, Fragment: pumice.Shader{Code: fragment, Constants: pumice.Constants{0: g.Mode}},
			ColorFormats: g.Colors, DepthFormat: g.DepthFormat, StencilFormat: g.stencilFormat(), Samples: g.Samples,
			VertexBindings: g.Bindings, VertexAttributes: g.Attributes,
			InputAssembly: &vk.PipelineInputAssemblyStateCreateInfo{Topology: g.Topology, PrimitiveRestartEnable: g.Restart},
			Rasterization: &vk.PipelineRasterizationStateCreateInfo{PolygonMode: g.Polygon, CullMode: g.Cull, FrontFace: g.Front, LineWidth: 1},
			DepthStencil:  &g.Depth, Blend: blend,
			DynamicStates: []vk.DynamicState{vk.DynamicStateStencilReference, vk.DynamicStateBlendConstants},
		})
		if err != nil {
			return err
		}
		f.graphics = append(f.graphics, p)
	}
	for _, c := range f.scene.Compute {
		code, err := f.code(c.Shader)
		if err != nil {
			return err
		}
		p, err := f.dev.NewComputePipeline(pumice.ComputePipelineDesc{Compute: pumice.Shader{Code: code}})
		if err != nil {
			return err
		}
		f.compute = append(f.compute, p)
	}
	return nil
}

// set makes a descriptor set; nil for none.
func (f *goFace) set(of interface {
	NewDescriptorSet(set int) (*pumice.DescriptorSet, error)
}, bindings []Binding) (*pumice.DescriptorSet, error) {
	if len(bindings) == 0 {
		return nil, nil
	}
	s, err := of.NewDescriptorSet(0)
	if err != nil {
		return nil, err
	}
	for n, b := range bindings {
		var r pumice.Resource
		switch b.Type {
		case vk.DescriptorTypeCombinedImageSampler:
			r = pumice.Texture{View: f.images[b.Image], Sampler: f.samplers[b.Sampler]}
		case vk.DescriptorTypeStorageImage:
			r = f.images[b.Image]
		case vk.DescriptorTypeStorageBuffer, vk.DescriptorTypeUniformBuffer:
			r = f.buffers[b.Buffer]
		default:
			return nil, fmt.Errorf("descriptors of type %v are not known here", b.Type)
		}
		if err := s.Bind(uint32(n), r); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (f *goFace) steps() error {
	for _, step := range f.scene.Steps {
		switch s := step.(type) {
		case *Pass:
			if err := f.pass(s); err != nil {
				return err
			}
		case *Dispatch:
			set, err := f.set(f.compute[s.Pipeline], s.Set)
			if err != nil {
				return err
			}
			f.cmd.BindPipeline(f.compute[s.Pipeline])
			if set != nil {
				f.cmd.BindDescriptorSet(0, set)
			}
			if len(s.Push) > 0 {
				f.cmd.PushConstants(0, s.Push)
			}
			f.cmd.Dispatch(s.X, s.Y, s.Z)
		case *Blit:
			corners := func(c [4]int32) [2]vk.Offset3D { return [2]vk.Offset3D{{X: c[0], Y: c[1]}, {X: c[2], Y: c[3], Z: 1}} }
			f.cmd.BlitImage(f.images[s.From], f.images[s.To], s.Filter, vk.ImageBlit{
				SrcSubresource: vk.ImageSubresourceLayers{AspectMask: vk.ImageAspectColorBit, MipLevel: uint32(s.FromLevel), LayerCount: 1}, SrcOffsets: corners(s.Source),
				DstSubresource: vk.ImageSubresourceLayers{AspectMask: vk.ImageAspectColorBit, MipLevel: uint32(s.ToLevel), LayerCount: 1}, DstOffsets: corners(s.Target),
			})
		case *Clear:
			f.cmd.ClearColorImage(f.images[s.Image], vk.ClearColorValue{Uint32: s.Value, Float32: floats(s.Value), Int32: ints(s.Value)},
				vk.ImageSubresourceRange{AspectMask: vk.ImageAspectColorBit, LevelCount: 1, LayerCount: 1})
		case *Resolve:
			layers := vk.ImageSubresourceLayers{AspectMask: vk.ImageAspectColorBit, LayerCount: 1}
			d := f.scene.Images[s.From]
			f.cmd.ResolveImage(f.images[s.From], f.images[s.To], vk.ImageResolve{SrcSubresource: layers, DstSubresource: layers, Extent: vk.Extent3D{Width: uint32(d.Width), Height: uint32(d.Height), Depth: 1}})
		case *Fill:
			f.cmd.FillBuffer(f.buffers[s.Buffer], s.Offset, s.Size, s.Word)
		}
	}
	return nil
}

func (f *goFace) pass(s *Pass) error {
	var sets []*pumice.DescriptorSet
	for i := range s.Draws {
		set, err := f.set(f.graphics[s.Draws[i].Pipeline], s.Draws[i].Set)
		if err != nil {
			return err
		}
		sets = append(sets, set)
	}
	r := pumice.Rendering{Area: vk.Rect2D{Extent: vk.Extent2D{Width: uint32(s.Width), Height: uint32(s.Height)}}}
	for _, c := range s.Colors {
		a := pumice.Attachment{Target: f.images[c.Image], Load: c.Load, Clear: vk.ClearValue{Color: vk.ClearColorValue{Uint32: c.Clear, Float32: floats(c.Clear), Int32: ints(c.Clear)}}}
		if c.Resolve != None {
			a.Resolve = f.images[c.Resolve]
		}
		r.Color = append(r.Color, a)
	}
	if s.Depth != None {
		r.Depth = &pumice.Attachment{Target: f.images[s.Depth], Load: s.DepthLoad, Clear: vk.ClearValue{DepthStencil: vk.ClearDepthStencilValue{Depth: s.ClearDepth, Stencil: s.ClearStencil}}}
		if f.scene.Images[s.Depth].Format == vk.FormatD32SfloatS8Uint {
			r.Stencil = r.Depth
		}
	}
	p := f.cmd.BeginRendering(r)
	for i := range s.Draws {
		f.draw(p, &s.Draws[i], sets[i])
	}
	p.End()
	return nil
}

func (f *goFace) draw(p *pumice.Pass, d *Draw, set *pumice.DescriptorSet) {
	p.BindPipeline(f.graphics[d.Pipeline])
	if set != nil {
		p.BindDescriptorSet(0, set)
	}
	if len(d.Push) > 0 {
		p.PushConstants(0, d.Push)
	}
	for n, b := range d.Vertices {
		p.BindVertexBuffer(uint32(n), f.buffers[b], 0)
	}
	p.SetViewport(d.Viewport)
	p.SetScissor(d.Scissor)
	p.SetStencilReference(vk.StencilFaceFrontAndBack, d.Stencil)
	p.SetBlendConstants(d.BlendConstants)
	if d.Query != None {
		p.BeginQuery(f.queries, d.Query)
	}
	switch {
	case d.Indices != None:
		p.BindIndexBuffer(f.buffers[d.Indices], 0, d.IndexType)
		if d.Indirect != None {
			p.DrawIndexedIndirect(f.buffers[d.Indirect], 0, d.IndirectCount, 20)
		} else {
			p.DrawIndexed(d.Count, d.Instances, d.First, d.VertexOffset, d.FirstInstance)
		}
	case d.Indirect != None:
		p.DrawIndirect(f.buffers[d.Indirect], 0, d.IndirectCount, 16)
	default:
		p.DrawRange(d.Count, d.Instances, d.First, d.FirstInstance)
	}
	if d.Query != None {
		p.EndQuery(f.queries, d.Query)
	}
}

// results reads everything back.
func (f *goFace) results() (out []byte, err error) {
	ctx := context.Background()
	for n, b := range f.buffers {
		data := make([]byte, len(f.scene.Buffers[n]))
		if err := b.Read(ctx, 0, data); err != nil {
			return nil, err
		}
		out = append(out, data...)
	}
	for n, im := range f.images {
		d := &f.scene.Images[n]
		if d.Samples > 1 {
			continue
		}
		for level := range max(d.Levels, 1) {
			data, err := im.Read(ctx, pumice.Subresource{Level: level})
			if err != nil {
				return nil, err
			}
			out = append(out, data...)
		}
	}
	if f.queries == nil {
		return out, nil
	}
	counts, err := f.queries.Results(ctx)
	for _, c := range counts {
		out = binary.LittleEndian.AppendUint64(out, c)
	}
	return out, err
}

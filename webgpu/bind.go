package webgpu

import (
	"github.com/gogpu/gputypes"
	"github.com/gogpu/wgpu/hal"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/vk"
)

type bindGroupLayout struct {
	d      *device
	layout *pumice.DescriptorSetLayout
}

func (d *device) CreateBindGroupLayout(
	desc *hal.BindGroupLayoutDescriptor,
) (hal.BindGroupLayout, error) {
	const op = "Device.CreateBindGroupLayout"
	var list []pumice.DescriptorBinding
	for _, e := range desc.Entries {
		b := pumice.DescriptorBinding{Binding: e.Binding}
		switch {
		case e.Buffer != nil:
			b.Type = bufferType(e.Buffer)
		case e.Sampler != nil:
			b.Type = vk.DescriptorTypeSampler
		case e.Texture != nil:
			b.Type = vk.DescriptorTypeSampledImage
		case e.StorageTexture != nil:
			b.Type = vk.DescriptorTypeStorageImage
		default:
			return nil, missing(op, desc.Label, "binding %d, which is no buffer, sampler or texture",
				e.Binding)
		}
		list = append(list, b)
	}
	l, err := d.dev.NewDescriptorSetLayout(list...)
	if err != nil {
		return nil, failed(op, desc.Label, err)
	}
	return &bindGroupLayout{d, l}, nil
}

func bufferType(b *gputypes.BufferBindingLayout) vk.DescriptorType {
	uniform := b.Type == gputypes.BufferBindingTypeUniform ||
		b.Type == gputypes.BufferBindingTypeUndefined
	switch {
	case uniform && b.HasDynamicOffset:
		return vk.DescriptorTypeUniformBufferDynamic
	case uniform:
		return vk.DescriptorTypeUniformBuffer
	case b.HasDynamicOffset:
		return vk.DescriptorTypeStorageBufferDynamic
	}
	return vk.DescriptorTypeStorageBuffer
}

// Destroy does nothing: pipelines and groups keep what a layout says.
func (l *bindGroupLayout) Destroy() {}

func (d *device) DestroyBindGroupLayout(hal.BindGroupLayout) {}

type bindGroup struct {
	d   *device
	set *pumice.DescriptorSet
}

func (d *device) CreateBindGroup(desc *hal.BindGroupDescriptor) (hal.BindGroup, error) {
	const op = "Device.CreateBindGroup"
	l, ok := desc.Layout.(*bindGroupLayout)
	if !ok || l.d != d {
		return nil, foreign(op, desc.Label, "layout")
	}
	set, err := d.dev.NewDescriptorSet(l.layout)
	if err != nil {
		return nil, failed(op, desc.Label, err)
	}
	for _, e := range desc.Entries {
		var r pumice.Resource
		switch x := e.Resource.(type) {
		case gputypes.BufferBinding:
			b, ok := d.of(x.Buffer).(*buffer)
			if !ok {
				err = foreign(op, desc.Label, "buffer")
				break
			}
			size := x.Size
			if size == 0 && x.Offset < b.size { // to the end of what was asked for
				size = b.size - x.Offset
			}
			r = b.buf.Range(x.Offset, size)
		case gputypes.SamplerBinding:
			s, ok := d.of(x.Sampler).(*sampler)
			if !ok {
				err = foreign(op, desc.Label, "sampler")
				break
			}
			r = s.s
		case gputypes.TextureViewBinding:
			v, ok := d.of(x.TextureView).(*textureView)
			if !ok {
				err = foreign(op, desc.Label, "texture view")
				break
			}
			r = v.v
		default:
			err = missing(op, desc.Label,
				"binding %d, which is no buffer, sampler or texture view", e.Binding)
		}
		if err == nil {
			err = failed(op, desc.Label, set.Bind(e.Binding, r))
		}
		if err != nil {
			_ = set.Close()
			return nil, err
		}
	}
	return &bindGroup{d, set}, nil
}

// Destroy closes the set; commands that have bound it keep what it held.
func (g *bindGroup) Destroy() { _ = g.set.Close() }

func (d *device) DestroyBindGroup(g hal.BindGroup) { destroy(g) }

type pipelineLayout struct {
	d      *device
	layout *pumice.PipelineLayout
}

func (d *device) CreatePipelineLayout(
	desc *hal.PipelineLayoutDescriptor,
) (hal.PipelineLayout, error) {
	const op = "Device.CreatePipelineLayout"
	if len(desc.PushConstantRanges) > 0 {
		return nil, missing(op, desc.Label, "push constants here: use a uniform buffer")
	}
	var sets []*pumice.DescriptorSetLayout
	for _, l := range desc.BindGroupLayouts {
		x, ok := l.(*bindGroupLayout)
		if !ok || x.d != d {
			return nil, foreign(op, desc.Label, "layout of a bind group")
		}
		sets = append(sets, x.layout)
	}
	l, err := d.dev.NewPipelineLayout(sets...)
	if err != nil {
		return nil, failed(op, desc.Label, err)
	}
	return &pipelineLayout{d, l}, nil
}

// Destroy does nothing: pipelines keep what their layout says.
func (l *pipelineLayout) Destroy() {}

func (d *device) DestroyPipelineLayout(hal.PipelineLayout) {}

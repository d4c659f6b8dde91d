package pumice

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// The object methods return the object behind a handle; nil for a nil handle,
// which core answers with an error.

func (d *Device) object() *core.Device {
	if d == nil {
		return nil
	}
	return d.core
}

func (q *Queue) object() *core.Queue {
	if q == nil {
		return nil
	}
	return q.core
}

func (f *Fence) object() *core.Fence {
	if f == nil {
		return nil
	}
	return f.core
}

func (m *Memory) object() *core.Memory {
	if m == nil {
		return nil
	}
	return m.core
}

func (b *Buffer) object() *core.Buffer {
	if b == nil {
		return nil
	}
	return b.core
}

func (v *BufferView) object() *core.BufferView {
	if v == nil {
		return nil
	}
	return v.core
}

func (im *Image) object() *core.Image {
	if im == nil {
		return nil
	}
	return im.core
}

func (v *ImageView) object() *core.ImageView {
	if v == nil {
		return nil
	}
	return v.core
}

func (s *Sampler) object() *core.Sampler {
	if s == nil {
		return nil
	}
	return s.core
}

func (m *ShaderModule) object() *core.ShaderModule {
	if m == nil {
		return nil
	}
	return m.core
}

func (l *DescriptorSetLayout) object() *core.DescriptorSetLayout {
	if l == nil {
		return nil
	}
	return l.core
}

func (l *PipelineLayout) object() *core.PipelineLayout {
	if l == nil {
		return nil
	}
	return l.core
}

func (s *DescriptorSet) object() *core.DescriptorSet {
	if s == nil {
		return nil
	}
	return s.core
}

func (p *GraphicsPipeline) object() *core.Pipeline {
	if p == nil {
		return nil
	}
	return p.core
}

func (p *ComputePipeline) object() *core.Pipeline {
	if p == nil {
		return nil
	}
	return p.core
}

func (c *CommandBuffer) object() *core.CommandBuffer {
	if c == nil {
		return nil
	}
	return c.core
}

func (p *Pass) object() *core.CommandBuffer {
	if p == nil {
		return nil
	}
	return p.core
}

func (q *QueryPool) object() *core.QueryPool {
	if q == nil {
		return nil
	}
	return q.core
}

// device is that of a buffer, nil for none.
func (b *Buffer) device() *core.Device {
	if o := b.object(); o != nil {
		return o.Device()
	}
	return nil
}

// device is that of a command buffer, nil for none.
func (c *CommandBuffer) device() *core.Device {
	if o := c.object(); o != nil {
		return o.Device()
	}
	return nil
}

// device is that of an image, nil for none.
func (im *Image) device() *core.Device {
	if o := im.object(); o != nil {
		return o.Device()
	}
	return nil
}

func commandBuffers(cmds []*CommandBuffer) []*core.CommandBuffer {
	list := make([]*core.CommandBuffer, len(cmds))
	for i, c := range cmds {
		list[i] = c.object()
	}
	return list
}

func wrapLayout(l *core.DescriptorSetLayout) *DescriptorSetLayout {
	if l == nil {
		return nil
	}
	return &DescriptorSetLayout{l}
}

// formatOf and aspectsOf tell a view's format; 0 for nil.
func formatOf(v View) vk.Format {
	switch v := v.(type) {
	case *Image:
		if v.object() != nil {
			return v.core.Info().Format
		}
	case *ImageView:
		if v.object() != nil {
			return v.core.Format()
		}
	}
	return vk.FormatUndefined
}

func aspectsOf(v View) vk.ImageAspectFlags { return core.FormatAspects(formatOf(v)) }

// describe translates a resource to a descriptor.
func describe(r Resource, d *core.Descriptor) error {
	const op = "DescriptorSet.Bind"
	null := false
	switch r := r.(type) {
	case nil:
	case *Buffer:
		d.Buffer, d.Range, null = r.object(), vk.WholeSize, r.object() == nil
	case BufferRange:
		d.Buffer, d.Offset, d.Range, null = r.Buffer.object(), r.Offset, r.Size, r.Buffer.object() == nil
	case *BufferView:
		d.Texel, null = r.object(), r.object() == nil
	case *Sampler:
		d.Sampler, null = r.object(), r.object() == nil
	case *Image, *ImageView:
		return describeView(r.(View), d)
	case Texture:
		d.Sampler = r.Sampler.object()
		if r.View == nil || d.Sampler == nil {
			return &Error{Op: op, Rule: "VUID-VkWriteDescriptorSet-descriptorType-02996", Detail: "a Texture without View or Sampler", Hint: "bind nil for the null descriptor"}
		}
		return describeView(r.View, d)
	default:
		return &Error{Op: op, Rule: "Resource", Detail: fmt.Sprintf("a resource of type %T", r)}
	}
	if null {
		return &Error{Op: op, Rule: "nil object", Detail: fmt.Sprintf("a %T that is nil", r), Hint: "bind a plain nil for the null descriptor"}
	}
	return nil
}

func describeView(v View, d *core.Descriptor) (err error) {
	const op = "DescriptorSet.Bind"
	switch v := v.(type) {
	case *Image:
		if v.object() != nil {
			d.View, err = v.core.Whole()
			return err
		}
	case *ImageView:
		if d.View = v.object(); d.View != nil {
			return nil
		}
	}
	return &Error{Op: op, Rule: "nil object", Detail: fmt.Sprintf("a %T that is nil", v), Hint: "bind a plain nil for the null descriptor"}
}

// bytes translates specialization constants.
func (c Constants) bytes(op string) (map[uint32][]byte, error) {
	if len(c) == 0 {
		return nil, nil
	}
	out := make(map[uint32][]byte, len(c))
	for id, v := range c {
		switch v := v.(type) {
		case bool:
			b := uint32(0)
			if v {
				b = 1
			}
			out[id] = binary.LittleEndian.AppendUint32(nil, b)
		case int32:
			out[id] = binary.LittleEndian.AppendUint32(nil, uint32(v))
		case uint32:
			out[id] = binary.LittleEndian.AppendUint32(nil, v)
		case float32:
			out[id] = binary.LittleEndian.AppendUint32(nil, math.Float32bits(v))
		case int:
			if v < math.MinInt32 || int64(v) > math.MaxUint32 {
				return nil, &Error{Op: op, Rule: "Constants", Detail: fmt.Sprintf("constant %d: %d does not fit 32 bits", id, v)}
			}
			out[id] = binary.LittleEndian.AppendUint32(nil, uint32(v))
		default:
			return nil, &Error{Op: op, Rule: "Constants", Detail: fmt.Sprintf("constant %d is a %T", id, v), Hint: "use bool, int32, uint32, int or float32"}
		}
	}
	return out, nil
}

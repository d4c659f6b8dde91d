package core

import (
	"encoding/binary"
	"errors"
	"slices"
	"sync"

	"github.com/pumice-gpu/pumice/internal/render"
	"github.com/pumice-gpu/pumice/vk"
)

// vertexInput is vertex input state; immutable.
type vertexInput struct {
	bindings   []vk.VertexInputBindingDescription
	attributes []vk.VertexInputAttributeDescription
	divisors   []vk.VertexInputBindingDivisorDescription
	mask       uint32 // bindings that attributes read
}

// newVertexInput checks vertex input state.
func (d *Device) newVertexInput(op Op, info vk.PipelineVertexInputStateCreateInfo, divisors []vk.VertexInputBindingDivisorDescription) (*vertexInput, error) {
	v := &vertexInput{bindings: slices.Clone(info.VertexBindingDescriptions), attributes: slices.Clone(info.VertexAttributeDescriptions), divisors: slices.Clone(divisors)}
	bound := uint32(0)
	for _, b := range v.bindings {
		if b.Binding >= render.MaxVertexBindings {
			return nil, d.misuse(op, "VkVertexInputBindingDescription-binding-00618", "", "vertex binding %d; %d is the limit", b.Binding, render.MaxVertexBindings)
		}
		bound |= 1 << b.Binding
	}
	for _, a := range v.attributes {
		if a.Binding >= render.MaxVertexBindings || bound&(1<<a.Binding) == 0 {
			return nil, d.misuse(op, "VkPipelineVertexInputStateCreateInfo-binding-00615", "describe the binding", "attribute %d reads binding %d, which is not described", a.Location, a.Binding)
		}
		v.mask |= 1 << a.Binding
	}
	return v, nil
}

// key names equal state.
func (v *vertexInput) key() string {
	var k []byte
	word := func(list ...uint32) {
		for _, w := range list {
			k = binary.LittleEndian.AppendUint32(k, w)
		}
	}
	word(uint32(len(v.bindings)), uint32(len(v.attributes)))
	for _, b := range v.bindings {
		word(b.Binding, b.Stride, uint32(b.InputRate))
	}
	for _, a := range v.attributes {
		word(a.Location, a.Binding, uint32(a.Format), a.Offset)
	}
	for _, x := range v.divisors {
		word(x.Binding, x.Divisor)
	}
	return string(k)
}

// SetVertexInput sets the vertex input state of pipelines that make it dynamic
// (vkCmdSetVertexInputEXT). Divisors of 1 may be left out.
func (c *CommandBuffer) SetVertexInput(info vk.PipelineVertexInputStateCreateInfo, divisors []vk.VertexInputBindingDivisorDescription) {
	op := c.op("vkCmdSetVertexInputEXT")
	if !c.ok(op, 0) {
		return
	}
	v, err := c.dev.newVertexInput(op, info, divisors)
	if !c.try(err) {
		return
	}
	c.input = v
	c.dynamic.add(dynVertexInput)
	for _, b := range v.bindings {
		c.stride |= 1 << b.Binding
	}
	c.emit(opVertexInput, c.payload(v))
}

// setVertexInput makes v the vertex input state. Its strides replace those that
// came with vertex buffers.
func (r *runner) setVertexInput(v *vertexInput) {
	r.input = v
	r.vertex = slices.Clone(r.vertex)
	r.vertexUsed = false
	for i := range r.vertex {
		r.vertex[i].DynamicStride = false
	}
}

// variants are a pipeline's forms for dynamic vertex input and the vertex streams
// that it rasterizes, by key.
type variants struct {
	mu    sync.Mutex
	forms map[string]*render.Pipeline
	last  *vertexInput
	of    uint32           // the stream
	form  *render.Pipeline // of last and of
}

// maxVariants bounds the forms that a pipeline keeps.
const maxVariants = 64

// drawn returns the pipeline as package render sees it, with vertex input state v
// and a stream where those are dynamic.
func (p *Pipeline) drawn(op Op, v *vertexInput, stream uint32) (*render.Pipeline, error) {
	if !p.dynamic.hasAny(dynVertexInput, dynStream) {
		return p.draw, nil
	}
	if !p.dynamic.has(dynVertexInput) {
		v = p.input
	} else if v == nil {
		v = &vertexInput{}
	}
	if !p.dynamic.has(dynStream) {
		stream = p.static.RasterizationStream
	}
	p.variants.mu.Lock()
	defer p.variants.mu.Unlock()
	if p.variants.last == v && p.variants.of == stream {
		return p.variants.form, nil
	}
	key := v.key() + string(rune(stream))
	form := p.variants.forms[key]
	if form == nil {
		var err error
		if form, err = p.link(op, v, stream); err != nil {
			return nil, err
		}
		if len(p.variants.forms) >= maxVariants || p.variants.forms == nil {
			p.variants.forms = map[string]*render.Pipeline{}
		}
		p.variants.forms[key] = form
	}
	p.variants.last, p.variants.of, p.variants.form = v, stream, form
	return form, nil
}

// link makes the pipeline of package render.
func (p *Pipeline) link(op Op, v *vertexInput, stream uint32) (*render.Pipeline, error) {
	desc := p.desc
	desc.Static.RasterizationStream = stream
	desc.Bindings, desc.Attributes, desc.Divisors = v.bindings, v.attributes, v.divisors
	out, err := render.NewPipeline(desc)
	var pe *render.PipelineError
	if errors.As(err, &pe) {
		return nil, p.dev.report(&Error{Op: string(op), Rule: vuid(pe.Rule), Detail: pe.What, Hint: pe.Fix, Err: pe.Err})
	}
	return out, p.dev.wrap(op, err)
}

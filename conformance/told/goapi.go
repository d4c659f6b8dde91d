package told

import (
	"context"
	"sync"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/spirv/imagemodule"
	"github.com/pumice-gpu/pumice/vk"
)

// RunGo runs the program on the Go API and returns what Debug is told. An error of a call ends the program; it is told, too.
func (c *Case) RunGo() (told []pumice.Message, err error) {
	var mu sync.Mutex
	dev, err := pumice.Open(&pumice.Config{Threads: 1, Debug: func(m pumice.Message) {
		mu.Lock()
		told = append(told, m)
		mu.Unlock()
	}})
	if err != nil {
		return nil, err
	}
	defer func() { _ = dev.Close() }()
	_ = c.runGo(dev)
	mu.Lock()
	defer mu.Unlock()
	return told, nil
}

func (c *Case) runGo(dev *pumice.Device) error {
	view, err := c.Image.make(dev)
	if err != nil {
		return err
	}
	resources := map[uint32]pumice.Resource{imagemodule.ImageBinding: view}
	switch c.Second {
	case SameSecond:
		resources[imagemodule.SecondBinding] = view
	case OwnSecond:
		if resources[imagemodule.SecondBinding], err = c.Other.make(dev); err != nil {
			return err
		}
	}
	if s := c.Sampler; s != nil {
		resources[imagemodule.SamplerBinding], err = dev.NewSampler(pumice.SamplerDesc{
			MagFilter: s.MagFilter, MinFilter: s.MinFilter, MipmapMode: s.MipmapMode, AddressModeU: s.AddressModeU, AddressModeV: s.AddressModeV, AddressModeW: s.AddressModeW,
			MipLodBias: s.MipLodBias, MaxAnisotropy: s.MaxAnisotropy, CompareEnable: s.CompareEnable, CompareOp: s.CompareOp, MinLod: s.MinLod, MaxLod: s.MaxLod, NoMips: s.MaxLod == 0,
			BorderColor: s.BorderColor, Unnormalized: s.UnnormalizedCoordinates, Reduction: s.Reduction,
		})
		if err != nil {
			return err
		}
	}
	out, err := dev.NewBuffer(pumice.BufferDesc{Size: 16})
	if err != nil {
		return err
	}
	resources[imagemodule.OutBinding] = out
	m, err := dev.NewShaderModule(c.Module.Shader())
	if err != nil {
		return err
	}
	p, err := dev.NewComputePipeline(pumice.ComputePipelineDesc{Compute: pumice.Shader{Module: m}, Name: "told"})
	if err != nil {
		return err
	}
	if c.Made {
		return nil
	}
	set, err := p.NewDescriptorSet(0)
	if err != nil {
		return err
	}
	for _, b := range c.bindings() {
		if err := set.Bind(b, resources[b]); err != nil {
			return err
		}
	}
	for range 2 { // which is told once all the same
		cmd := dev.NewCommandBuffer()
		cmd.BindPipeline(p)
		cmd.BindDescriptorSet(0, set)
		cmd.Dispatch(1, 1, 1)
		if err := dev.Submit(context.Background(), cmd); err != nil {
			return err
		}
	}
	return nil
}

// bindings are those of the shader.
func (c *Case) bindings() []uint32 {
	list := []uint32{imagemodule.ImageBinding}
	if c.Sampler != nil {
		list = append(list, imagemodule.SamplerBinding)
	}
	if c.Module.Stores() {
		list = append(list, imagemodule.OutBinding)
	}
	if c.Second != NoSecond {
		list = append(list, imagemodule.SecondBinding)
	}
	return list
}

// make makes the image and its view.
func (i *Image) make(dev *pumice.Device) (*pumice.ImageView, error) {
	desc := pumice.ImageDesc{Format: i.Format, Width: int(i.Width), Height: int(i.Height), MipLevels: int(i.Levels), Layers: int(i.Layers), Samples: int(i.Samples), Flags: i.Flags, Usage: i.Usage}
	switch i.Type {
	case vk.ImageType1D:
		desc.Height = 0
	case vk.ImageType3D:
		desc.Depth = int(i.Depth)
	}
	im, err := dev.NewImage(desc)
	if err != nil {
		return nil, err
	}
	return im.NewView(pumice.ViewDesc{Type: i.ViewType, Format: i.ViewFormat, Aspect: i.Aspect, BaseLevel: int(i.BaseLevel), Levels: int(i.ViewLevels), BaseLayer: int(i.BaseLayer), Layers: int(i.Views),
		Components: i.Components, MinLod: i.MinLod})
}

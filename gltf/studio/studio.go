// Package studio renders glTF documents: physically based materials under the
// light of a built-in studio and the document's own lights, tone mapped, to a
// standard image. It draws through the public API of package pumice and nothing
// else, so it is also a worked example of that API.
package studio

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"sync"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/vk"
)

const (
	colorFormat = vk.FormatR8G8B8A8Srgb
	depthFormat = vk.FormatD32Sfloat
)

// Renderer holds what all models share on one device: the environment,
// layouts, pipelines and render targets. It is safe for concurrent use, and so are its
// models: every call draws into targets of its own, which later calls of the same shape use
// again. The device carries out one submission after the other, with all its threads.
type Renderer struct {
	dev         *pumice.Device
	budget      *budget.Budget // the device's; may be nil
	environment *environment

	frameLayout, materialLayout *pumice.DescriptorSetLayout
	layout                      *pumice.PipelineLayout
	layers                      layerShading
	sheen                       lazyImage
	ground                      groundShading
	around                      *pumice.Sampler // of panoramas
	clamp                       *pumice.Sampler // linear, clamped, with levels
	white                       *pumice.Image
	meshVert, pbrFrag           *pumice.ShaderModule
	finish                      *pumice.GraphicsPipeline
	passFrag                    [2]func() (*pumice.ShaderModule, error) // for materials of pbr.frag and of layers.frag

	mu        sync.Mutex
	pipelines map[pipelineKey]*pumice.GraphicsPipeline
	skies     map[skyKey]*pumice.GraphicsPipeline
	passes    map[passKey]*pumice.GraphicsPipeline
	spare     []*targets // in nobody's use, all of one shape
}

// New renders the studio's environment and makes what does not depend on a
// model. The Renderer's objects live as long as the device, whose Budget is charged
// for what is drawn; models should have the same.
func New(ctx context.Context, dev *pumice.Device) (*Renderer, error) {
	return newRenderer(ctx, dev, newEnvironment)
}

// newRenderer is New with the studio's light from elsewhere.
func newRenderer(ctx context.Context, dev *pumice.Device, light func(context.Context, *pumice.Device) (*environment, error)) (*Renderer, error) {
	r := &Renderer{
		dev: dev, budget: dev.Budget(),
		pipelines: map[pipelineKey]*pumice.GraphicsPipeline{}, skies: map[skyKey]*pumice.GraphicsPipeline{},
		passes: map[passKey]*pumice.GraphicsPipeline{},
	}
	for i, code := range [][]byte{passFrag, passLayersFrag} { // parsed when first used
		r.passFrag[i] = sync.OnceValues(func() (*pumice.ShaderModule, error) { return dev.NewShaderModule(code) })
	}
	var err error
	step := func(f func() error) {
		if err == nil {
			err = f()
		}
	}
	step(func() error { r.environment, err = light(ctx, dev); return err })
	step(func() error { r.white, err = whiteImage(dev); return err })
	step(func() error {
		r.clamp, err = dev.NewSampler(pumice.LinearSampler(vk.SamplerAddressModeClampToEdge))
		return err
	})
	step(func() error { r.around, err = dev.NewSampler(aroundSampler()); return err })
	step(func() error { r.meshVert, err = dev.NewShaderModule(meshVert); return err })
	step(func() error { r.pbrFrag, err = dev.NewShaderModule(pbrFrag); return err })
	step(func() error {
		r.frameLayout, err = dev.NewDescriptorSetLayout(
			pumice.DescriptorBinding{Binding: 0, Type: vk.DescriptorTypeUniformBuffer},
			pumice.DescriptorBinding{Binding: 1, Type: vk.DescriptorTypeCombinedImageSampler},
			pumice.DescriptorBinding{Binding: 2, Type: vk.DescriptorTypeCombinedImageSampler},
			pumice.DescriptorBinding{Binding: 3, Type: vk.DescriptorTypeStorageBuffer},
		)
		return err
	})
	step(func() error {
		bindings := []pumice.DescriptorBinding{{Binding: 0, Type: vk.DescriptorTypeUniformBuffer}}
		for i := range uint32(useCount) {
			bindings = append(bindings, pumice.DescriptorBinding{
				Binding: 1 + i, Type: vk.DescriptorTypeCombinedImageSampler,
			})
		}
		r.materialLayout, err = dev.NewDescriptorSetLayout(bindings...)
		return err
	})
	step(func() error { r.layout, err = dev.NewPipelineLayout(r.frameLayout, r.materialLayout); return err })
	step(func() error { r.layers, err = newLayerShading(dev, r.frameLayout); return err })
	step(func() error { r.finish, err = fullscreenPipeline(dev, finishFrag, colorFormat); return err })
	if err != nil {
		return nil, fmt.Errorf("studio: %w", err)
	}
	return r, nil
}

// pipelineKey is what changes the code or fixed state of a draw.
type pipelineKey struct {
	uses           [useCount]bool
	occlusionInRed bool
	unlit          bool
	mask, blend    bool
	lights         bool
	topology       vk.PrimitiveTopology
	doubleSided    bool
	mirrored       bool  // the node's transform turns faces inside out
	target         shape // its samples and format count
	tone           Tone
	behind         bool      // draws the scene behind
	layers         layerBits // not 0: of layers.frag, with textures in the place of uses
	textures       uint32
}

// pipeline returns the pipeline for a key.
func (r *Renderer) pipeline(k pipelineKey) (*pumice.GraphicsPipeline, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p := r.pipelines[k]; p != nil {
		return p, nil
	}
	bindings, attributes := vertexInput()
	blend := pumice.Opaque()
	if k.blend { // colours are premultiplied
		blend = vk.PipelineColorBlendAttachmentState{
			BlendEnable:         true,
			SrcColorBlendFactor: vk.BlendFactorOne, DstColorBlendFactor: vk.BlendFactorOneMinusSrcAlpha,
			SrcAlphaBlendFactor: vk.BlendFactorOne, DstAlphaBlendFactor: vk.BlendFactorOneMinusSrcAlpha,
			ColorWriteMask: blend.ColorWriteMask,
		}
	}
	desc := pumice.GraphicsPipelineDesc{
		Vertex: pumice.Shader{Module: r.meshVert}, Fragment: pumice.Shader{Module: r.pbrFrag, Constants: pumice.Constants{
			0: k.uses[useBaseColor], 1: k.uses[useMetallicRoughness], 2: k.uses[useNormal],
			3: k.uses[useOcclusion], 4: k.uses[useEmissive], 5: k.occlusionInRed,
			6: k.unlit, 7: k.mask, 8: !k.blend, 9: k.lights,
			10: k.behind && !k.target.linear,
			29: k.behind, 30: uint32(k.tone), 31: k.behind || k.target.linear,
		}},
		Layout:         r.layout,
		ColorFormats:   []vk.Format{passFormat(k.target, k.behind)},
		DepthFormat:    depthFormat,
		Samples:        k.target.samples,
		VertexBindings: bindings, VertexAttributes: attributes,
		InputAssembly: &vk.PipelineInputAssemblyStateCreateInfo{Topology: k.topology},
		Rasterization: rasterization(k.doubleSided, k.mirrored),
		DepthStencil: &vk.PipelineDepthStencilStateCreateInfo{
			DepthTestEnable: true, DepthWriteEnable: !k.blend, DepthCompareOp: vk.CompareOpLessOrEqual,
		},
		Blend: &vk.PipelineColorBlendStateCreateInfo{Attachments: []vk.PipelineColorBlendAttachmentState{blend}},
		Name:  "glTF material",
	}
	if k.layers != 0 {
		if err := r.layers.stage(&desc, k); err != nil {
			return nil, err
		}
	}
	p, err := r.dev.NewGraphicsPipeline(desc)
	if err != nil {
		return nil, err
	}
	r.pipelines[k] = p
	return p, nil
}

// rasterization is the state of a material's pipelines.
func rasterization(doubleSided, mirrored bool) *vk.PipelineRasterizationStateCreateInfo {
	s := &vk.PipelineRasterizationStateCreateInfo{CullMode: vk.CullModeBackBit, FrontFace: vk.FrontFaceCounterClockwise, LineWidth: 1}
	if doubleSided {
		s.CullMode = vk.CullModeNone
	}
	if mirrored {
		s.FrontFace = vk.FrontFaceClockwise
	}
	return s
}

// shape is what targets are chosen by.
type shape struct {
	width, height, samples int
	linear                 bool // floats, of tones as they are
}

// format is that of the colours.
func (s shape) format() vk.Format {
	if s.linear {
		return vk.FormatR32G32B32A32Sfloat
	}
	return colorFormat
}

// targets are the images of one picture.
type targets struct {
	shape
	color, depth *pumice.Image // multisampled where samples > 1
	resolved     *pumice.Image // nil where samples = 1
	plain        *pumice.Image // not premultiplied
	finishSet    *pumice.DescriptorSet
	behind       behindTargets // these two are made when a picture needs them
	ground       groundTargets
}

// picture returns the single-sampled, premultiplied result.
func (t *targets) picture() *pumice.Image {
	if t.resolved != nil {
		return t.resolved
	}
	return t.color
}

func (t *targets) close() {
	for _, im := range []*pumice.Image{t.color, t.depth, t.resolved, t.plain} {
		if im != nil {
			im.Close()
		}
	}
	if t.finishSet != nil {
		t.finishSet.Close()
	}
	t.behind.close()
	t.ground.close()
}

// borrow returns targets of a shape for the caller alone, who gives them back.
func (r *Renderer) borrow(m *Model, s shape) (*targets, error) {
	if err := cmp.Or(r.usable(), m.usable()); err != nil {
		return nil, err
	}
	r.mu.Lock()
	if n := len(r.spare); n > 0 {
		if r.spare[0].shape == s {
			t := r.spare[n-1]
			r.spare = r.spare[:n-1]
			r.mu.Unlock()
			return t, nil
		}
		for _, t := range r.spare {
			t.close()
		}
		r.spare = nil
	}
	r.mu.Unlock()
	t := &targets{shape: s}
	if err := t.make(r); err != nil {
		t.close()
		var over *budget.Error
		if errors.As(err, &over) { // the picture says more than which of its images
			err = over
		}
		return nil, fmt.Errorf("a picture of %d × %d pixels, %d samples: %w", s.width, s.height, s.samples, err)
	}
	return t, nil
}

// giveBack keeps targets for the next picture of their shape.
func (r *Renderer) giveBack(t *targets) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.spare) > 0 && r.spare[0].shape != t.shape {
		t.close()
		return
	}
	r.spare = append(r.spare, t)
}

func (t *targets) make(r *Renderer) error {
	image := func(format vk.Format, samples int, name string) (*pumice.Image, error) {
		return r.dev.NewImage(pumice.ImageDesc{
			Format: format, Width: t.width, Height: t.height, Samples: samples, Name: name,
		})
	}
	var err error
	if t.color, err = image(t.format(), t.samples, "picture"); err != nil {
		return err
	}
	if t.depth, err = image(depthFormat, t.samples, "depth"); err != nil {
		return err
	}
	if t.samples > 1 {
		if t.resolved, err = image(t.format(), 1, "resolved picture"); err != nil {
			return err
		}
	}
	if t.linear { // which stays premultiplied
		return nil
	}
	if t.plain, err = image(colorFormat, 1, "finished picture"); err != nil {
		return err
	}
	if t.finishSet, err = r.finish.NewDescriptorSet(0); err != nil {
		return err
	}
	return t.finishSet.Bind(0, t.picture())
}

// finishPicture undoes the premultiplication, on the device, and reads back.
func (r *Renderer) finishPicture(ctx context.Context, t *targets) (*image.NRGBA, error) {
	cmd := r.dev.NewCommandBuffer()
	pass := cmd.BeginRendering(pumice.ClearTo(t.plain, color.Transparent))
	pass.BindPipeline(r.finish)
	pass.BindDescriptorSet(0, t.finishSet)
	pass.Draw(3, 1)
	pass.End()
	if err := r.dev.Submit(ctx, cmd); err != nil {
		return nil, err
	}
	need := 4 * int64(t.width) * int64(t.height)
	if err := r.budget.Take(need); err != nil {
		return nil, fmt.Errorf("studio: a picture of %d × %d pixels: %w", t.width, t.height, err)
	}
	img, err := t.plain.ReadNRGBA(ctx)
	if err != nil {
		r.budget.Drop(need)
		return nil, err
	}
	budget.Keep(r.budget, need, img)
	return img, nil
}

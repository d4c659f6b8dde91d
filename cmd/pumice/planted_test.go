package main

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/shader"
	"github.com/pumice-gpu/pumice/vk"
)

// plantedVertex is one vertex of a quad: 24 bytes.
type plantedVertex struct {
	Position [3]float32
	UV       [2]float32
	Tint     [4]uint8
}

// plantedDraw is a draw of one quad, and all that can be wrong with it.
type plantedDraw struct {
	name           string
	vertex         string // GLSL
	fragment       string
	desc           pumice.GraphicsPipelineDesc
	raster         vk.PipelineRasterizationStateCreateInfo
	depth          vk.PipelineDepthStencilStateCreateInfo
	blend          vk.PipelineColorBlendAttachmentState
	blendConstants [4]float32
	topology       vk.PrimitiveTopology
	multisample    vk.PipelineMultisampleStateCreateInfo
	viewport       vk.Viewport
	scissor        vk.Rect2D
	vertices       []plantedVertex
	stride         uint32
	bufferOffset   uint64
	indices        []uint16
	indexType      vk.IndexType
	vertexOffset   int32
	count          uint32
	instances      uint32
	push           []float32 // nil: not set
	uniform        []float32
	uniformOffset  uint64
	sampler        pumice.SamplerDesc
	view           pumice.ViewDesc
}

// plantedScene is what a scene of planted is made of: a floor, a box before it, glass before both.
type plantedScene struct {
	floor, box, glass *plantedDraw
	order             []*plantedDraw
	format            vk.Format
	load              vk.AttachmentLoadOp // of colour
	clearDepth        float32
	stencil           uint32
	again             bool // a second pass, which draws nothing, after a barrier that loses the contents
}

const plantedSize = 32

const plantedVertexGLSL = `#version 450
layout(location = 0) in vec3 position;
layout(location = 1) in vec2 uv;
layout(location = 2) in vec4 tint;
layout(set = 0, binding = 0) uniform Camera { mat4 mvp; vec4 light; } camera;
layout(location = 0) out vec2 outUV;
layout(location = 1) out vec4 outTint;
void main() {
	gl_Position = camera.mvp * vec4(position, 1);
	outUV = uv;
	outTint = tint;
}`

const plantedFragmentGLSL = `#version 450
layout(location = 0) in vec2 uv;
layout(location = 1) in vec4 tint;
layout(set = 0, binding = 0) uniform Camera { mat4 mvp; vec4 light; } camera;
layout(set = 0, binding = 1) uniform sampler2D albedo;
layout(push_constant) uniform Push { vec4 factor; } push;
layout(location = 0) out vec4 color;
void main() {
	vec4 c = texture(albedo, uv) * tint * push.factor;
	color = vec4(c.rgb * camera.light.rgb, c.a);
}`

// newPlantedDraw is a quad as it should be: its extent in normalized device coordinates, its depth
// and colour.
func newPlantedDraw(name string, extent, z float32, tint [4]uint8) *plantedDraw {
	d := &plantedDraw{
		name: name, vertex: plantedVertexGLSL, fragment: plantedFragmentGLSL,
		raster: vk.PipelineRasterizationStateCreateInfo{CullMode: vk.CullModeBackBit,
			FrontFace: vk.FrontFaceClockwise, LineWidth: 1},
		depth: vk.PipelineDepthStencilStateCreateInfo{DepthTestEnable: true, DepthWriteEnable: true,
			DepthCompareOp: vk.CompareOpLess},
		blend:    pumice.Opaque(),
		topology: vk.PrimitiveTopologyTriangleList, multisample: vk.PipelineMultisampleStateCreateInfo{RasterizationSamples: 1, SampleMask: []uint32{1}},
		viewport: vk.Viewport{Width: plantedSize, Height: plantedSize, MaxDepth: 1},
		scissor:  vk.Rect2D{Extent: vk.Extent2D{Width: plantedSize, Height: plantedSize}},
		stride:   24, indices: []uint16{0, 1, 2, 2, 1,
			3}, indexType: vk.IndexTypeUint16, count: 6, instances: 1,
		push:    []float32{1, 1, 1, 1},
		uniform: []float32{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0.9, 0.9, 0.9, 1},
		sampler: pumice.LinearSampler(vk.SamplerAddressModeClampToEdge),
	}
	for i := range 4 {
		u, v := float32(i&1), float32(i>>1)
		d.vertices = append(d.vertices, plantedVertex{[3]float32{(2*u - 1) * extent, (2*v - 1) * extent,
			z}, [2]float32{u, v}, tint})
	}
	return d
}

// fault is a planted one: what is done, and what the verdict has to say of it.
type fault struct {
	plant func(*plantedScene)
	says  string // a regular expression
}

func (d *plantedDraw) transform(m ...float32) { copy(d.uniform, m) }

// planted are faults, by name.
var planted = map[string]fault{
	// State of the rasterizer.
	"winding": {func(s *plantedScene) {
		s.box.raster.FrontFace = vk.FrontFaceCounterClockwise
	}, `box.*frontFace`},
	"cull": {func(s *plantedScene) {
		s.box.raster.CullMode = vk.CullModeFrontBit
	}, `box.*cullMode FRONT|box.*culls`},
	"cull both": {func(s *plantedScene) {
		s.box.raster.CullMode = vk.CullModeFrontAndBack
	}, `box.*cullMode FRONT_AND_BACK`},
	"discard all": {func(s *plantedScene) {
		s.box.raster.RasterizerDiscardEnable = true
	}, `box.*rasterizerDiscardEnable`},
	"wireframe": {func(s *plantedScene) {
		s.box.raster.PolygonMode = vk.PolygonModeLine
	}, `box.*polygonMode is LINE`},
	"depth bias": {func(s *plantedScene) {
		s.box.raster.DepthBiasEnable, s.box.raster.DepthBiasConstantFactor = true, 1e7
	}, `box.*bias`},
	"topology": {func(s *plantedScene) {
		s.box.topology = vk.PrimitiveTopologyLineList
	}, `box.*LINE_LIST|box.*line`},
	"points": {func(s *plantedScene) {
		s.box.topology = vk.PrimitiveTopologyPointList
	}, `box.*point`},
	"sample mask": {func(s *plantedScene) {
		s.box.multisample.SampleMask[0] = 2
	}, `box.*sample mask`},
	"viewport": {func(s *plantedScene) {
		s.box.viewport.Height = -plantedSize
	}, `box.*viewport`},
	"viewport far": {func(s *plantedScene) { s.box.viewport.X = 100 }, `box.*viewport`},
	"depth range": {func(s *plantedScene) {
		s.box.viewport.MinDepth, s.box.viewport.MaxDepth = 1, 1
	}, `box.*viewport's depth goes from 1 to 1`},
	"scissor": {func(s *plantedScene) { s.floor.scissor.Extent.Width-- }, `floor.*scissor`},
	"scissor none": {func(s *plantedScene) {
		s.box.scissor.Extent = vk.Extent2D{}
	}, `box.*scissor`},
	// Tests.
	"depth compare": {func(s *plantedScene) {
		s.box.depth.DepthCompareOp = vk.CompareOpGreater
	}, `box.*depthCompareOp`},
	"depth never": {func(s *plantedScene) {
		s.box.depth.DepthCompareOp = vk.CompareOpNever
	}, `box.*NEVER`},
	"depth cleared": {func(s *plantedScene) { s.clearDepth = 0 }, `cleared`},
	"depth not written": {func(s *plantedScene) {
		s.box.depth.DepthWriteEnable = false
		s.order = []*plantedDraw{s.box, s.floor}
	}, `box.*depthWrite`},
	"depth off": {func(s *plantedScene) {
		s.floor.depth.DepthTestEnable = false
		s.order = []*plantedDraw{s.box, s.floor}
	}, `floor.*depthTestEnable`},
	"depth bounds": {func(s *plantedScene) {
		s.box.depth.DepthBoundsTestEnable, s.box.depth.MinDepthBounds, s.box.depth.MaxDepthBounds = true, 0, 0.1
	}, `box.*depth bounds`},
	"stencil": {func(s *plantedScene) {
		s.box.depth.StencilTestEnable = true
		s.box.depth.Front = vk.StencilOpState{CompareOp: vk.CompareOpEqual, CompareMask: 255,
			Reference: 7}
	}, `box.*stencil`},
	"stencil mask": {func(s *plantedScene) {
		s.stencil = 7
		s.box.depth.StencilTestEnable = true
		s.box.depth.Front = vk.StencilOpState{CompareOp: vk.CompareOpEqual, CompareMask: 0xf0,
			Reference: 0x17}
	}, `box.*stencil`},
	// Colour.
	"write mask": {func(s *plantedScene) {
		s.box.blend.ColorWriteMask &^= vk.ColorComponentRBit
	}, `write mask`},
	"no write mask": {func(s *plantedScene) { s.box.blend.ColorWriteMask = 0 }, `write mask`},
	"factors": {func(s *plantedScene) {
		b := &s.glass.blend
		b.SrcColorBlendFactor, b.DstColorBlendFactor = b.DstColorBlendFactor, b.SrcColorBlendFactor
	}, `swapped`},
	"alpha 0": {func(s *plantedScene) {
		s.glass.push = []float32{1, 1, 1, 0}
	}, `source alpha of 0`},
	"nothing blended": {func(s *plantedScene) {
		s.glass.push = []float32{0, 0, 0, 0}
		s.glass.blend.SrcColorBlendFactor = vk.BlendFactorOne
	}, `glass.*gave \(0, 0, 0, 0\): it leaves what was there`},
	"blend off": {func(s *plantedScene) {
		s.glass.blend.BlendEnable = false
	}, `blendEnable of .*glass`},
	"blend constant": {func(s *plantedScene) {
		s.glass.blend.SrcColorBlendFactor = vk.BlendFactorConstantColor
	}, `CONSTANT_COLOR`},
	"blend op": {func(s *plantedScene) {
		s.glass.blend.ColorBlendOp = vk.BlendOpSubtract
	}, `glass.*SUBTRACT`},
	"order": {func(s *plantedScene) {
		s.order = []*plantedDraw{s.floor, s.glass, s.box}
	}, `box.*glass`},
	"sRGB twice": {func(s *plantedScene) {
		s.format = vk.FormatR8G8B8A8Srgb
		s.box.fragment = strings.Replace(s.box.fragment, "color = vec4(c.rgb * camera.light.rgb, c.a)",
			"color = vec4(pow(tint.rgb, vec3(1 / 2.2)), c.a)", 1)
	}, `sRGB twice`},
	"clamped": {func(s *plantedScene) { s.box.push = []float32{9, 9, 9, 1} }, `clamped`},
	"discard": {func(s *plantedScene) {
		s.box.fragment = strings.Replace(s.box.fragment, "color =", "if (c.a < 1.5) discard; color =", 1)
	}, `box.*discards`},
	"alpha to coverage": {func(s *plantedScene) {
		s.box.push = []float32{1, 1, 1, 0}
		s.box.multisample.AlphaToCoverageEnable = true
	}, `box.*alpha to coverage`},
	"no output": {func(s *plantedScene) {
		s.box.fragment = strings.Replace(s.box.fragment, "layout(location = 0) out",
			"layout(location = 1) out", 1)
	}, `location 0|no output`},
	"NaN": {func(s *plantedScene) {
		s.format = vk.FormatR16G16B16A16Sfloat
		s.box.fragment = strings.Replace(s.box.fragment, "c.rgb * camera.light.rgb",
			"c.rgb * sqrt(-camera.light.rgb)", 1)
	}, `NaN.*box.*shader`},
	// Vertices.
	"clip distance": {func(s *plantedScene) {
		s.box.vertex = strings.NewReplacer("void main() {",
			"out float gl_ClipDistance[1]; void main() { gl_ClipDistance[0] = -1;").Replace(s.box.vertex)
	}, `box.*ClipDistance`},
	"NaN position": {func(s *plantedScene) {
		s.box.vertices[1].Position[0] = float32(math.NaN())
	}, `box.*not finite`},
	"behind": {func(s *plantedScene) {
		s.box.uniform[15] = -1
	}, `box.*behind the eye`},
	"w 0": {func(s *plantedScene) {
		s.box.uniform[15] = 0
	}, `box.*(behind the eye|w)`},
	"transposed": {func(s *plantedScene) {
		s.box.transform(1, 0, 0, 3, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1)
	}, `box`},
	"moved away":    {func(s *plantedScene) { s.box.uniform[12] = 30 }, `box.*right`},
	"too far":       {func(s *plantedScene) { s.box.uniform[14] = 2 }, `box.*far`},
	"too near":      {func(s *plantedScene) { s.box.uniform[14] = -2 }, `box.*near`},
	"scale 0":       {func(s *plantedScene) { s.box.uniform[0] = 0 }, `box.*without area`},
	"zero matrix":   {func(s *plantedScene) { clear(s.box.uniform[:16]) }, `box.*w`},
	"stride":        {func(s *plantedScene) { s.box.stride = 20 }, `box`},
	"stride 0":      {func(s *plantedScene) { s.box.stride = 0 }, `box.*without area`},
	"buffer offset": {func(s *plantedScene) { s.box.bufferOffset = 12 }, `box`},
	"index type": {func(s *plantedScene) {
		s.box.indexType = vk.IndexTypeUint32
		s.box.count = 3
	}, `box.*vertices 65536`},
	"vertex offset": {func(s *plantedScene) {
		s.box.vertexOffset = 100
	}, `box.*vertices 100`},
	"indices": {func(s *plantedScene) {
		s.box.indices = []uint16{0, 1, 1, 2, 2, 3}
	}, `box.*without area`},
	"count": {func(s *plantedScene) {
		s.box.count = 0
	}, `box.*no (vertices|primitives)|box.*no primitives`},
	"instances": {func(s *plantedScene) {
		s.box.instances = 0
	}, `box.*no (instances|primitives)`},
	"format of positions": {func(s *plantedScene) {
		s.box.desc.VertexAttributes[0].Format = vk.FormatR8G8B8A8Unorm
	}, `box`},
	"format of tints": {func(s *plantedScene) {
		s.box.desc.VertexAttributes[2].Format = vk.FormatR8G8B8A8Snorm
	}, `box.*location 1|tint`},
	"offset of tints": {func(s *plantedScene) {
		s.box.desc.VertexAttributes[2].Offset = 12
	}, `input tint`},
	// Resources.
	"push constants": {func(s *plantedScene) {
		s.floor.push, s.box.push, s.glass.push = nil, nil, nil
	}, `push.factor`},
	"push constants 0": {func(s *plantedScene) {
		s.box.push = []float32{0, 0, 0, 0}
	}, `because of push.factor`},
	"uniform offset": {func(s *plantedScene) { s.box.uniformOffset = 256 }, `box`},
	"light 0": {func(s *plantedScene) {
		clear(s.box.uniform[16:19])
	}, `because of camera.light`},
	"mip bias": {func(s *plantedScene) { s.box.sampler.MipLodBias = 3 }, `bias`},
	"minLod":   {func(s *plantedScene) { s.box.sampler.MinLod = 2 }, `minLod`},
	"swizzle": {func(s *plantedScene) {
		s.box.view.Components.R = vk.ComponentSwizzleZero
	}, `components of its view`},
	"border": {func(s *plantedScene) {
		s.box.sampler.AddressModeU = vk.SamplerAddressModeClampToBorder
		for i := range s.box.vertices {
			s.box.vertices[i].UV[0] += 3
		}
	}, `border`},
	"uv": {func(s *plantedScene) {
		for i := range s.box.vertices {
			s.box.vertices[i].UV = [2]float32{}
		}
	}, `albedo\) at 0, 0`},
	"load": {func(s *plantedScene) { s.again = true }, `load operation of pass 1 cleared`},
	"tint": {func(s *plantedScene) {
		for i := range s.box.vertices {
			s.box.vertices[i].Tint = [4]uint8{0, 0, 0, 255}
		}
	}, `tint`},
}

func plantedAttachment(d vk.PipelineColorBlendAttachmentState) *vk.PipelineColorBlendStateCreateInfo {
	return &vk.PipelineColorBlendStateCreateInfo{Attachments: []vk.PipelineColorBlendAttachmentState{d}}
}

// newPlantedScene is the scene as it should be.
func newPlantedScene() *plantedScene {
	s := &plantedScene{
		floor: newPlantedDraw("floor", 1, 0.9, [4]uint8{40, 160, 60, 255}),
		box: newPlantedDraw("box", 0.7, 0.5, [4]uint8{200, 90, 50,
			255}), glass: newPlantedDraw("glass", 0.4, 0.3, [4]uint8{90, 120, 220, 128}),
		format: vk.FormatR8G8B8A8Unorm, load: vk.AttachmentLoadOpClear, clearDepth: 1,
	}
	s.glass.blend = pumice.AlphaBlend()
	s.order = []*plantedDraw{s.floor, s.box, s.glass}
	for _, d := range s.order {
		d.desc.VertexAttributes = []vk.VertexInputAttributeDescription{
			{Location: 0, Format: vk.FormatR32G32B32Sfloat}, {Location: 1, Format: vk.FormatR32G32Sfloat,
				Offset: 12},
			{Location: 2, Format: vk.FormatR8G8B8A8Unorm, Offset: 20},
		}
	}
	return s
}

// record records the scene, with images of its own.
func (s *plantedScene) record(dev *pumice.Device) (
	cmd *pumice.CommandBuffer, target, depth *pumice.Image, err error,
) {
	target, err = dev.NewImage(pumice.ImageDesc{Name: "picture", Format: s.format,
		Width: plantedSize, Height: plantedSize})
	if err != nil {
		return nil, nil, nil, err
	}
	depth, err = dev.NewImage(pumice.ImageDesc{Name: "depth", Format: vk.FormatD32SfloatS8Uint,
		Width: plantedSize, Height: plantedSize})
	if err != nil {
		return nil, nil, nil, err
	}
	checker := image.NewNRGBA(image.Rect(0, 0, 16, 16))
	for i := range 256 {
		checker.SetNRGBA(i%16, i/16, color.NRGBA{uint8(200 + i%16*3), uint8(200 + i/16*3), 230, 255})
	}
	texture, err := dev.NewImageFrom(checker, &pumice.ImageDesc{Name: "albedo",
		Format: vk.FormatR8G8B8A8Unorm, MipLevels: pumice.AllMips})
	if err != nil {
		return nil, nil, nil, err
	}
	r := pumice.ClearTo(target, color.NRGBA{0, 0, 60, 255})
	r.Color[0].Load = s.load
	r = r.WithDepth(depth, s.clearDepth)
	r.Stencil = &pumice.Attachment{Target: depth, Load: vk.AttachmentLoadOpClear}
	r.Stencil.Clear.DepthStencil.Stencil = s.stencil
	cmd = dev.NewCommandBuffer()
	pass := cmd.BeginRendering(r)
	for _, d := range s.order {
		if err := d.record(dev, pass, texture, s.format); err != nil {
			return nil, nil, nil, fmt.Errorf("%s: %w", d.name, err)
		}
	}
	pass.End()
	if s.again {
		r.Color[0].Load = vk.AttachmentLoadOpClear // once more
		cmd.BeginRendering(r).End()
	}
	return cmd, target, depth, nil
}

// plantedSubject draws a scene of planted: "winding/wrong", or "winding/right" as it should be.
func plantedSubject(path string) (*subject, error) {
	name, which, _ := strings.Cut(path, "/")
	f, ok := planted[name]
	if !ok {
		return nil, usagef("%s: no such scene", path)
	}
	dev, err := pumice.Open(&pumice.Config{Explain: true, Threads: 1})
	if err != nil {
		return nil, err
	}
	fail := func(err error) (*subject, error) { return nil, errors.Join(err, dev.Close()) }
	s := newPlantedScene()
	if which == "wrong" {
		f.plant(s)
	} else if name == "sRGB twice" || name == "NaN" { // the format belongs to the right one
		wrong := *s
		f.plant(&wrong)
		s.format = wrong.format
		s.box.fragment = plantedFragmentGLSL
	} else if name == "depth not written" || name == "depth off" {
		s.order = []*plantedDraw{s.box, s.floor}
	}
	cmd, target, _, err := s.record(dev)
	if err != nil {
		return fail(err)
	}
	watch := func(ctx context.Context, points []point, h *explain.Hint) ([]*explain.Explanation,
		error) {
		var at []pumice.WatchPoint
		for _, p := range points {
			at = append(at, pumice.WatchPoint{Image: target, X: p.x, Y: p.y, Sample: max(p.sample, 0),
				Shader: p.shader})
		}
		w, err := dev.Watch(at...)
		if err != nil {
			return nil, err
		}
		if h != nil {
			err = w.Change(h.Ordinal, *h.Change)
		}
		if err == nil {
			err = dev.Submit(ctx, cmd)
		}
		return w.End(), err
	}
	return &subject{
		title: path, samples: 1, size: image.Pt(plantedSize, plantedSize),
		draw: func(w *work, points []point) (image.Image, []*explain.Explanation, error) {
			es, err := watch(w.ctx, points, nil)
			if err != nil {
				return nil, nil, err
			}
			picture, err := target.ReadNRGBA(w.ctx)
			return picture, es, err
		},
		try: func(w *work, points []point, h *explain.Hint) ([]*explain.Explanation, error) {
			return watch(w.ctx, points, h)
		},
		close: func() { _ = dev.Close() },
	}, nil
}

var plantedCompiler = shader.NewCompiler(shader.Config{})

// record records the draw, with objects of its own.
func (d *plantedDraw) record(dev *pumice.Device, pass *pumice.Pass, texture *pumice.Image,
	format vk.Format) error {
	for _, stage := range []struct {
		to     *pumice.Shader
		source string
		name   string
	}{{&d.desc.Vertex, d.vertex, d.name + ".vert"}, {&d.desc.Fragment, d.fragment, d.name + ".frag"}} {
		code, err := plantedCompiler.Compile(context.Background(), stage.source,
			shader.Options{Name: stage.name})
		if err != nil {
			return err
		}
		stage.to.Code = code
	}
	d.desc.ColorFormats, d.desc.DepthFormat, d.desc.StencilFormat = []vk.Format{format}, vk.FormatD32SfloatS8Uint, vk.FormatD32SfloatS8Uint
	d.desc.VertexBindings = []vk.VertexInputBindingDescription{{Stride: d.stride}}
	d.depth.Back = d.depth.Front
	d.desc.Rasterization, d.desc.DepthStencil = &d.raster, &d.depth
	d.desc.Blend = plantedAttachment(d.blend)
	d.desc.Blend.BlendConstants = d.blendConstants
	d.desc.InputAssembly = &vk.PipelineInputAssemblyStateCreateInfo{Topology: d.topology}
	d.desc.Multisample = &d.multisample
	pipeline, err := dev.NewGraphicsPipeline(d.desc)
	if err != nil {
		return err
	}
	vertices, err := dev.NewBufferFrom(d.vertices)
	if err != nil {
		return err
	}
	indices, err := dev.NewBufferFrom(d.indices)
	if err != nil {
		return err
	}
	uniform, err := dev.NewBufferFrom(append(d.uniform, make([]float32, 128)...))
	if err != nil {
		return err
	}
	sampler, err := dev.NewSampler(d.sampler)
	if err != nil {
		return err
	}
	view, err := texture.NewView(d.view)
	if err != nil {
		return err
	}
	set, err := pipeline.NewDescriptorSet(0)
	if err != nil {
		return err
	}
	if err := errors.Join(set.Bind(0, pumice.BufferRange{Buffer: uniform, Offset: d.uniformOffset,
		Size: 80}),
		set.Bind(1, pumice.Texture{View: view, Sampler: sampler})); err != nil {
		return err
	}
	pass.BeginLabel(d.name)
	pass.BindPipeline(pipeline)
	pass.SetViewport(d.viewport)
	pass.SetScissor(d.scissor)
	pass.BindDescriptorSet(0, set)
	pass.BindVertexBuffer(0, vertices, d.bufferOffset)
	pass.BindIndexBuffer(indices, 0, d.indexType)
	if d.push != nil {
		pass.PushConstants(0, d.push)
	}
	pass.DrawIndexed(d.count, d.instances, 0, d.vertexOffset, 0)
	pass.EndLabel()
	return nil
}

// TestExplain_PlantedFaults: of a scene with one fault the verdict on a pixel that differs names
// its place, and nothing false
// before it.
func TestExplain_PlantedFaults(t *testing.T) {
	for name, f := range planted {
		t.Run(name, func(t *testing.T) {
			var pictures [2]*image.NRGBA
			var subjects [2]*subject
			w, err := (&limits{memory: "256MiB"}).begin(t.Context(), 1)
			if err != nil {
				t.Fatal(err)
			}
			for i, which := range []string{"right", "wrong"} {
				s, err := plantedSubject(name + "/" + which)
				if err != nil {
					t.Fatal(err)
				}
				defer s.close()
				picture, _, err := s.draw(w, []point{{x: 0, y: 0}})
				if err != nil {
					t.Fatal(err)
				}
				pictures[i], subjects[i] = picture.(*image.NRGBA), s
			}
			at := image.Pt(-1, -1)
			for i := range pictures[0].Pix {
				if pictures[0].Pix[i] != pictures[1].Pix[i] {
					at = image.Pt(i/4%plantedSize, i/4/plantedSize)
					break
				}
			}
			if at.X < 0 {
				t.Fatal("no fault is to be seen")
			}
			_, es, err := subjects[1].draw(w, []point{{x: at.X, y: at.Y}})
			if err != nil {
				t.Fatal(err)
			}
			verdict := strings.Join(es[0].Verdict, "\n")
			if !regexp.MustCompile(f.says).MatchString(verdict) {
				t.Errorf("at %v, want %s:\n%s", at, f.says, verdict)
			} else {
				t.Logf("at %v:\n%s", at, verdict)
			}
		})
	}
}

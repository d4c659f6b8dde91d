package core

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/spirv"
	"github.com/pumice-gpu/pumice/vk"
)

// moduleFiles are the compiled shaders of the tree.
func moduleFiles(t testing.TB) (files []string) {
	t.Helper()
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".spv") {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) < 100 {
		t.Fatal(len(files), "modules", err)
	}
	return files
}

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// partners are the stages that a fuzzed one is completed with.
type partners map[spirv.ExecutionModel]Stage

func readPartners(t testing.TB) partners {
	t.Helper()
	p := partners{}
	for model, name := range map[spirv.ExecutionModel]string{
		spirv.ExecutionModelTessellationControl:    "stages.tesc",
		spirv.ExecutionModelTessellationEvaluation: "triangles.tese", spirv.ExecutionModelFragment: "stages.frag",
		spirv.ExecutionModelTaskEXT: "stages.task", spirv.ExecutionModelMeshEXT: "stages.mesh",
	} {
		p[model] = Stage{Code: readFile(t, "../../conformance/testdata/"+name+".spv")}
	}
	p[spirv.ExecutionModelVertex] = Stage{Code: shaderCode(t, "eight.vert")}
	return p
}

// FuzzShader runs mutants of real shaders on guarded memory: each buffer and image
// touches a page that cannot be touched. A module is refused with a typed error, or
// reads and writes nothing but what it is given.
func FuzzShader(f *testing.F) {
	var modules [][]uint32
	for i, name := range moduleFiles(f) {
		modules = append(modules, spirvWords(readFile(f, name)))
		f.Add(uint16(i), []byte{0, 0, byte(i * 7), 1, 2, byte(i), 3, 4, 5, 6, 7, 8, 9, byte(i), 11, 12, 13, 14, 15, 16})
		f.Add(uint16(i), []byte{1, 3, byte(i), byte(i * 13), 77, byte(i * 5), 9, 200, byte(i * 3), 17, 41, byte(i), 5, 90, 33, 2, 1, 4, 99, 12, 60, 31, 7})
	}
	with, g := readPartners(f), &guarded{}
	f.Fuzz(func(t *testing.T, module uint16, program []byte) {
		if len(program) > 1024 {
			return
		}
		in := &feed{program}
		s := &things{g: g, d: g.device(t, int(in.byte()&1))}
		defer s.close(t)
		code := spirvBytes(mutateSPIRV(slices.Clone(modules[int(module)%len(modules)]), in))
		m, err := s.d.NewShaderModule(code, "mutant")
		if m, ok := add(t, s, m, err); ok {
			for _, e := range m.module.EntryPoints[:min(2, len(m.module.EntryPoints))] {
				s.runEntry(t, in, with, m, e)
			}
		}
	})
}

// runEntry dispatches or draws with an entry point.
func (s *things) runEntry(t *testing.T, in *feed, with partners, m *ShaderModule, e *spirv.EntryPoint) {
	t.Helper()
	stage := Stage{Module: m, Entry: e.Name, Constants: map[uint32][]byte{0: {in.byte(), 0, 0, 0}, 1: {in.byte(), 0, 0, 0}}}
	if e.Model == spirv.ExecutionModelGLCompute {
		if in.one(4) {
			stage.SubgroupSize = 1 << in.below(8)
		}
		p, err := s.d.NewComputePipeline(&ComputePipelineInfo{Stage: stage})
		if p, ok := add(t, s, p, err); ok {
			c := s.d.NewCommandBuffer()
			c.BindPipeline("bind", vk.PipelineBindPointCompute, p)
			s.bindAll(t, in, c, p)
			c.Dispatch("dispatch", [3]uint32{uint32(in.below(2))}, [3]uint32{uint32(1 + in.below(3)), uint32(1 + in.below(2)), 1})
			s.submit(t, c)
		}
		return
	}
	s.draw(t, in, with, stage, e.Model)
}

// submit carries commands out.
func (s *things) submit(t *testing.T, c *CommandBuffer) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond) // task shaders launch any number of meshes
	defer cancel()
	err := s.d.Queue().SubmitAndWait(ctx, "Submit", []*CommandBuffer{c})
	hook("submit", err)
	s.g.check(t, err)
}

// draw draws with a pipeline that has the stage at its place.
func (s *things) draw(t *testing.T, in *feed, with partners, stage Stage, model spirv.ExecutionModel) {
	t.Helper()
	info := &GraphicsPipelineInfo{PatchControlPoints: 3, Rasterization: vk.PipelineRasterizationStateCreateInfo{LineWidth: 1}}
	topology := choose(in, vk.PrimitiveTopologyTriangleList, vk.PrimitiveTopologyTriangleStrip, vk.PrimitiveTopologyLineList, vk.PrimitiveTopologyPointList, vk.PrimitiveTopologyTriangleListWithAdjacency)
	info.Vertex, info.Fragment = with[spirv.ExecutionModelVertex], with[spirv.ExecutionModelFragment]
	switch model {
	case spirv.ExecutionModelVertex:
		info.Vertex = stage
	case spirv.ExecutionModelFragment:
		info.Fragment = stage
	case spirv.ExecutionModelGeometry:
		info.Geometry = stage
	case spirv.ExecutionModelTessellationControl, spirv.ExecutionModelTessellationEvaluation:
		info.Control, info.Evaluation = with[spirv.ExecutionModelTessellationControl], with[spirv.ExecutionModelTessellationEvaluation]
		topology = vk.PrimitiveTopologyPatchList
		if model == spirv.ExecutionModelTessellationControl {
			info.Control = stage
		} else {
			info.Evaluation = stage
		}
	case spirv.ExecutionModelTaskEXT, spirv.ExecutionModelMeshEXT:
		info.Vertex, info.Mesh = Stage{}, with[spirv.ExecutionModelMeshEXT]
		if model == spirv.ExecutionModelMeshEXT {
			info.Mesh = stage
		} else {
			info.Task = stage
		}
	default:
		return
	}
	if model != spirv.ExecutionModelVertex && model != spirv.ExecutionModelFragment && in.one(2) {
		info.Fragment = Stage{} // which wants inputs that the stage may not have
	}
	info.InputAssembly.Topology = topology
	size := vk.Extent2D{Width: uint32(1 + in.below(19)), Height: uint32(1 + in.below(9))}
	samples := choose(in, vk.SampleCount1Bit, vk.SampleCount1Bit, vk.SampleCount4Bit, vk.SampleCount2Bit)
	info.Multisample.RasterizationSamples = vk.SampleCountFlags(samples)
	info.Viewport = vk.PipelineViewportStateCreateInfo{Viewports: []vk.Viewport{{Width: float32(size.Width), Height: float32(size.Height), MaxDepth: 1}}, Scissors: []vk.Rect2D{{Extent: size}}}
	for i := range uint32(8) {
		info.VertexInput.VertexAttributeDescriptions = append(info.VertexInput.VertexAttributeDescriptions, vk.VertexInputAttributeDescription{
			Location: i, Offset: uint32(in.below(3)) * i * 4,
			Format: choose(in, vk.FormatR32G32B32A32Sfloat, vk.FormatR32G32B32Sfloat, vk.FormatR32G32Sfloat, vk.FormatR8G8B8A8Unorm, vk.FormatR32Uint, vk.FormatR16Sfloat),
		})
	}
	info.VertexInput.VertexBindingDescriptions = []vk.VertexInputBindingDescription{{Stride: uint32(in.below(70)), InputRate: vk.VertexInputRate(in.below(2))}}

	var pass RenderingInfo
	colors := 1 + in.below(3)
	for range colors {
		v, ok := s.attachment(t, choose(in, vk.FormatR8G8B8A8Unorm, vk.FormatR32G32B32A32Sfloat, vk.FormatR32Uint, vk.FormatR8Unorm, vk.FormatR16G16Sfloat), size, samples)
		if !ok {
			return
		}
		blend := vk.PipelineColorBlendAttachmentState{ColorWriteMask: 15}
		blend.BlendEnable = in.one(3) && v.image.res.Format != vk.FormatR32Uint
		info.ColorBlend.Attachments = append(info.ColorBlend.Attachments, blend)
		info.Rendering.ColorAttachmentFormats = append(info.Rendering.ColorAttachmentFormats, v.image.res.Format)
		pass.Color = append(pass.Color, RenderingAttachment{View: v})
	}
	if in.one(2) {
		v, ok := s.attachment(t, vk.FormatD32SfloatS8Uint, size, samples)
		if !ok {
			return
		}
		info.Rendering.DepthAttachmentFormat, info.DepthStencil.DepthTestEnable, info.DepthStencil.DepthWriteEnable = vk.FormatD32SfloatS8Uint, true, true
		info.DepthStencil.DepthCompareOp = vk.CompareOpLessOrEqual
		pass.Depth = &RenderingAttachment{View: v}
	}
	p, err := s.d.NewGraphicsPipeline(info)
	p, ok := add(t, s, p, err)
	if !ok {
		return
	}
	c := s.d.NewCommandBuffer()
	c.BeginRendering(pass)
	c.BindPipeline("bind", vk.PipelineBindPointGraphics, p)
	s.bindAll(t, in, c, p)
	if info.Mesh.present() {
		c.DrawMeshTasks("draw", [3]uint32{uint32(1 + in.below(3)), 1, 1})
	} else {
		if b, ok := s.buffer(t, in); ok {
			c.BindVertexBuffer(0, b, uint64(in.below(int(b.Size()))), vk.WholeSize, nil)
		}
		if b, ok := s.buffer(t, in); ok && in.one(3) {
			c.BindIndexBuffer(b, uint64(in.below(int(b.Size())))&^3, vk.WholeSize, choose(in, vk.IndexTypeUint16, vk.IndexTypeUint32, vk.IndexTypeUint8))
			c.DrawIndexed("draw", uint32(in.below(40)), 1, uint32(in.below(4)), int32(in.below(3)-1), 0)
		} else {
			c.Draw("draw", uint32(3+in.below(20)), uint32(1+in.below(3)), uint32(in.below(9)), 0)
		}
	}
	c.EndRendering("end")
	s.submit(t, c)
}

func (s *things) attachment(t *testing.T, f vk.Format, size vk.Extent2D, samples vk.SampleCountFlags) (*ImageView, bool) {
	t.Helper()
	im, err := s.d.NewImage(vk.ImageCreateInfo{ImageType: vk.ImageType2D, Format: f, Extent: vk.Extent3D{Width: size.Width, Height: size.Height, Depth: 1}, Samples: samples}, nil, 0, "attachment")
	if im, ok := add(t, s, im, err); ok {
		v, err := s.d.NewImageView(im, resource.ViewDesc{}, "")
		return add(t, s, v, err)
	}
	return nil, false
}

// bindAll binds something of the right type to all bindings of a pipeline.
func (s *things) bindAll(t *testing.T, in *feed, c *CommandBuffer, p *Pipeline) {
	t.Helper()
	for number, l := range p.layout.sets {
		if l == nil {
			continue
		}
		set, err := s.d.NewDescriptorSet(l, "")
		set, ok := add(t, s, set, err)
		if !ok {
			continue
		}
		for i := range l.bindings {
			b := &l.bindings[i]
			for k := range min(b.elements(), 3) {
				d := s.descriptor(t, in, p, uint32(number), b)
				s.g.check(t, set.Update(DescriptorWrite{Binding: b.Binding, First: k, Descriptors: []Descriptor{d}}))
			}
		}
		c.BindDescriptorSet("bind", p.point, number, set, make([]uint32, l.dynamic))
	}
	push := make([]byte, MaxPushBytes)
	in.noise(push)
	c.PushConstants("push", 0, push)
}

// descriptor makes a descriptor for a binding; now and then the null descriptor.
func (s *things) descriptor(t *testing.T, in *feed, p *Pipeline, set uint32, b *Binding) (d Descriptor) {
	t.Helper()
	if in.one(16) {
		return d
	}
	switch b.Type {
	case vk.DescriptorTypeUniformBuffer, vk.DescriptorTypeStorageBuffer:
		d.Buffer, _ = s.buffer(t, in)
		if d.Buffer != nil && in.one(3) {
			d.Offset = uint64(in.below(int(d.Buffer.Size()))) &^ 3
		}
	case vk.DescriptorTypeUniformTexelBuffer, vk.DescriptorTypeStorageTexelBuffer:
		if buffer, ok := s.buffer(t, in); ok {
			f := choose(in, vk.FormatR32Uint, vk.FormatR32Sfloat, vk.FormatR8G8B8A8Unorm, vk.FormatR32G32B32A32Sfloat, vk.FormatR8Uint, vk.FormatR16G16Sint, vk.FormatR64Uint, vk.FormatR32G32B32Sfloat, vk.FormatA2B10G10R10UnormPack32)
			v, err := s.d.NewBufferView(buffer, f, 0, vk.WholeSize)
			d.Texel, _ = add(t, s, v, err)
		}
	case vk.DescriptorTypeSampler:
		d.Sampler = s.sampler(t, in)
	case vk.DescriptorTypeSampledImage, vk.DescriptorTypeStorageImage, vk.DescriptorTypeInputAttachment, vk.DescriptorTypeCombinedImageSampler,
		vk.DescriptorTypeSampleWeightImageQCOM, vk.DescriptorTypeBlockMatchImageQCOM:
		d.View = s.view(t, in, p.shapeOf(set, b.Binding), b.Type == vk.DescriptorTypeStorageImage)
		if b.Type == vk.DescriptorTypeCombinedImageSampler && d.View != nil {
			d.Sampler = s.sampler(t, in)
		}
	}
	return d
}

// shapeOf returns an image instruction that uses a binding; the zero value if there is none.
func (p *Pipeline) shapeOf(set, binding uint32) ir.ImageOp {
	for _, prog := range p.programs {
		for _, op := range prog.ImageOps {
			if op.Image >= 0 && op.Image < len(prog.Resources) && prog.Resources[op.Image].Set == set && prog.Resources[op.Image].Binding == binding {
				return op
			}
		}
	}
	return ir.ImageOp{Dim: ir.Dim2D}
}

var sampledFormats = []vk.Format{
	vk.FormatR8G8B8A8Unorm, vk.FormatR32G32B32A32Sfloat, vk.FormatR32Uint, vk.FormatR8Unorm, vk.FormatR16G16B16A16Sfloat, vk.FormatR8G8B8A8Srgb,
	vk.FormatD32Sfloat, vk.FormatD16Unorm, vk.FormatD24UnormS8Uint, vk.FormatR64Uint, vk.FormatR32Sint, vk.FormatBc1RgbaUnormBlock, vk.FormatBc7UnormBlock,
	vk.FormatEtc2R8G8B8A8UnormBlock, vk.FormatAstc5x4UnormBlock, vk.FormatR5G6B5UnormPack16, vk.FormatE5B9G9R9UfloatPack32, vk.FormatA2B10G10R10UnormPack32,
}

var storageFormats = []vk.Format{
	vk.FormatR8G8B8A8Unorm, vk.FormatR32G32B32A32Sfloat, vk.FormatR32Uint, vk.FormatR32Sint, vk.FormatR32Sfloat, vk.FormatR16G16B16A16Sfloat,
	vk.FormatR8Uint, vk.FormatR64Uint, vk.FormatR64Sint, vk.FormatB10G11R11UfloatPack32, vk.FormatR16G16Unorm, vk.FormatR32G32Uint,
}

// view makes an image of noise, and a view of the shape that an instruction wants, or of
// another now and then.
func (s *things) view(t *testing.T, in *feed, shape ir.ImageOp, storage bool) *ImageView {
	t.Helper()
	formats := sampledFormats
	if storage {
		formats = storageFormats
	}
	var f vk.Format
	switch {
	case shape.Wide:
		f = choose(in, vk.FormatR64Uint, vk.FormatR64Sint)
	case shape.Result == ir.ClassUint && !in.one(4):
		f = choose(in, vk.FormatR32Uint, vk.FormatR8G8B8A8Uint, vk.FormatR32G32Uint)
	case shape.Result == ir.ClassSint && !in.one(4):
		f = choose(in, vk.FormatR32Sint, vk.FormatR16Sint)
	case shape.Dref && !in.one(4):
		f = choose(in, vk.FormatD32Sfloat, vk.FormatD16Unorm)
	default:
		f = choose(in, formats...)
	}
	dim, arrayed := shape.Dim, shape.Arrayed
	if in.one(12) {
		dim, arrayed = choose(in, ir.Dim1D, ir.Dim2D, ir.Dim3D, ir.DimCube), in.one(2)
	}
	info := vk.ImageCreateInfo{
		ImageType: vk.ImageType2D, Format: f, Extent: vk.Extent3D{Width: uint32(1 + in.below(21)), Height: uint32(1 + in.below(11)), Depth: 1},
		MipLevels: uint32(1 + in.below(3)), ArrayLayers: 1, Samples: vk.SampleCount1Bit,
	}
	as := vk.ImageViewType2D
	if arrayed {
		info.ArrayLayers, as = uint32(1+in.below(4)), vk.ImageViewType2DArray
	}
	switch dim {
	case ir.Dim1D:
		info.ImageType, info.Extent.Height, as = vk.ImageType1D, 1, vk.ImageViewType1D
		if arrayed {
			as = vk.ImageViewType1DArray
		}
	case ir.Dim3D:
		info.ImageType, info.Extent.Depth, info.ArrayLayers, as = vk.ImageType3D, uint32(1+in.below(5)), 1, vk.ImageViewType3D
	case ir.DimCube:
		info.Flags, info.Extent.Height, as = vk.ImageCreateFlags(vk.ImageCreateCubeCompatibleBit), info.Extent.Width, vk.ImageViewTypeCube
		if arrayed {
			as = vk.ImageViewTypeCubeArray
		}
		info.ArrayLayers *= 6
	}
	most := uint32(1)
	for size := max(info.Extent.Width, info.Extent.Height, info.Extent.Depth); size > 1; size /= 2 {
		most++
	}
	info.MipLevels = min(info.MipLevels, most)
	if shape.MS {
		info.MipLevels, info.Samples = 1, choose(in, vk.SampleCount4Bit, vk.SampleCount2Bit, vk.SampleCount8Bit)
	}
	im, err := s.d.NewImage(info, nil, 0, f.String())
	im, ok := add(t, s, im, err)
	if !ok {
		return nil
	}
	in.noise(im.mem.data)
	desc := resource.ViewDesc{Type: &as}
	if info.MipLevels > 1 && in.one(3) {
		desc.Range.BaseMipLevel = 1
	}
	if im.Format().Aspects&vk.ImageAspectDepthBit != 0 {
		desc.Range.AspectMask = vk.ImageAspectDepthBit
	}
	v, err := s.d.NewImageView(im, desc, "")
	v, _ = add(t, s, v, err)
	return v
}

func (s *things) sampler(t *testing.T, in *feed) *Sampler {
	t.Helper()
	mode := func() vk.SamplerAddressMode { return vk.SamplerAddressMode(in.below(5)) }
	info := vk.SamplerCreateInfo{
		MagFilter: vk.Filter(in.below(2)), MinFilter: vk.Filter(in.below(2)), MipmapMode: vk.SamplerMipmapMode(in.below(2)),
		AddressModeU: mode(), AddressModeV: mode(), AddressModeW: mode(), MaxLod: float32(in.below(5)), BorderColor: vk.BorderColor(in.below(6)),
		CompareEnable: in.one(4), CompareOp: vk.CompareOp(in.below(8)),
	}
	if in.one(4) {
		info.AnisotropyEnable, info.MaxAnisotropy, info.MagFilter, info.MinFilter = true, float32(1+in.below(16)), vk.FilterLinear, vk.FilterLinear
	}
	if in.one(8) {
		info.UnnormalizedCoordinates, info.MaxLod, info.MinFilter, info.MipmapMode, info.AnisotropyEnable, info.CompareEnable = true, 0, info.MagFilter, 0, false, false
	}
	o, err := s.d.NewSampler(info, vk.SamplerReductionMode(in.below(3)))
	o, _ = add(t, s, o, err)
	return o
}

var hook = func(string, error) {}

package core

import (
	"encoding/binary"
	"testing"

	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

//go:generate spirv-as --target-env vulkan1.2 -o testdata/wide.spvasm.spv testdata/wide.spvasm

// Integers of 64 bits are sampled, fetched and gathered whole: red, behind the view's swizzle, with green and blue 0 and alpha 1.
func TestSampled_IMG259_64Bits(t *testing.T) {
	rules.Covers(t, "IMG-259", "IMG-320", "IMG-321", "IMG-515", "IMG-517")
	const a, b, c, e = 0x0102030405060708, 0xFFFFFFFF00000000, 0x00000000FFFFFFFF, 0x8000000000000001 // of (0, 0), (1, 0), (0, 1), (1, 1)
	for name, x := range map[string]struct {
		format     vk.Format
		components vk.ComponentMapping
		border     vk.BorderColor
		want       [28]uint64
	}{
		"as it is": {vk.FormatR64Uint, vk.ComponentMapping{}, vk.BorderColorIntOpaqueWhite, [28]uint64{
			b, 0, 0, 1,
			c, 0, 0, 1,
			1, 0, 0, 1,
			c, e, b, a,
			0, 0, 0, 0,
			1, 1, 1, 1,
			a, b, c, e,
		}},
		"swizzled": {vk.FormatR64Sint, vk.ComponentMapping{R: vk.ComponentSwizzleOne, G: vk.ComponentSwizzleR, B: vk.ComponentSwizzleZero, A: vk.ComponentSwizzleR},
			vk.BorderColorIntTransparentBlack, [28]uint64{
				1, b, 0, b,
				1, c, 0, c,
				1, 0, 0, 0,
				1, 1, 1, 1,
				c, e, b, a,
				c, e, b, a,
				1, 1, 1, 1,
			}},
		"alpha first": {vk.FormatR64Uint, vk.ComponentMapping{R: vk.ComponentSwizzleA, G: vk.ComponentSwizzleB, B: vk.ComponentSwizzleR, A: vk.ComponentSwizzleG},
			vk.BorderColorIntOpaqueBlack, [28]uint64{
				1, 0, b, 0,
				1, 0, c, 0,
				1, 0, 0, 0,
				1, 1, 1, 1,
				0, 0, 0, 0,
				0, 0, 0, 0,
				1, 1, 1, 1,
			}},
	} {
		d := open(t)
		pipeline := must(d.NewComputePipeline(&ComputePipelineInfo{Stage: Stage{Code: shaderCode(t, "wide.spvasm")}}))(t)
		im := must(d.NewImage(vk.ImageCreateInfo{ImageType: vk.ImageType2D, Format: x.format, Extent: vk.Extent3D{Width: 2, Height: 2, Depth: 1}}, nil, 0, ""))(t)
		for i, n := range []uint64{a, b, c, e} {
			binary.LittleEndian.PutUint64(im.res.Data[8*i:], n)
		}
		const edge = vk.SamplerAddressModeClampToBorder
		s := must(d.NewSampler(vk.SamplerCreateInfo{AddressModeU: edge, AddressModeV: edge, BorderColor: x.border}, 0))(t)
		out := bufferOf(t, d, make([]uint32, 2*len(x.want))...)
		set := must(d.NewDescriptorSet(pipeline.Layout().Set(0), ""))(t)
		if err := set.Update(DescriptorWrite{Descriptors: []Descriptor{{Buffer: out}}},
			DescriptorWrite{Binding: 1, Descriptors: []Descriptor{{View: must(d.NewImageView(im, resource.ViewDesc{Components: x.components}, ""))(t), Layout: vk.ImageLayoutGeneral, Sampler: s}}}); err != nil {
			t.Fatal(err)
		}
		cmd := d.NewCommandBuffer()
		cmd.BindPipeline("bind", vk.PipelineBindPointCompute, pipeline)
		cmd.BindDescriptorSet("bind", vk.PipelineBindPointCompute, 0, set, nil)
		cmd.Dispatch("dispatch", [3]uint32{}, [3]uint32{1, 1, 1})
		submit(t, d, cmd)
		for i, want := range x.want {
			if got := binary.LittleEndian.Uint64(out.Bytes()[8*i:]); got != want {
				t.Errorf("%s: row %d, component %d: %#x, want %#x", name, i/4, i%4, got, want)
			}
		}
	}
}

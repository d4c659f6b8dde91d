package shader_test

import (
	"context"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/shader"
	"github.com/pumice-gpu/pumice/vk"
)

// A view of one layer, of an image that says so, serves variables that are arrayed and such that are not: whatever its own
// type, its layer is what both access, and arrays have one.
func TestSingleLayer_IMG147(t *testing.T) {
	rules.Covers(t, "IMG-147")
	const source = `#version 460
layout(set = 0, binding = 0) buffer Out { uint o[]; };
layout(set = 0, binding = 1) uniform usampler2D plain;
layout(set = 0, binding = 2) uniform usampler2DArray arrayed;
layout(set = 0, binding = 3, r32ui) uniform uimage2D plainImage;
layout(set = 0, binding = 4, r32ui) uniform uimage2DArray arrayedImage;
void main() {
	o[0] = texelFetch(plain, ivec2(1, 0), 0).x;
	o[1] = texelFetch(arrayed, ivec3(1, 0, 0), 0).x;
	o[2] = texture(plain, vec2(0.75, 0.25)).x;
	o[3] = texture(arrayed, vec3(0.75, 0.25, 9)).x; // the layer is clamped to those there are
	o[4] = uint(textureSize(arrayed, 0).z);
	o[5] = imageLoad(plainImage, ivec2(1, 0)).x;
	o[6] = imageLoad(arrayedImage, ivec3(1, 0, 0)).x;
	o[7] = imageAtomicAdd(arrayedImage, ivec3(0, 1, 0), 1u) + imageAtomicAdd(plainImage, ivec2(0, 1), 1u);
}
`
	code := mustCompile(t, source, shader.Options{Language: shader.GLSL, Stage: shader.Compute})
	for _, kind := range []vk.ImageViewType{vk.ImageViewType2D, vk.ImageViewType2DArray} {
		for _, engine := range []string{"", "vm"} {
			dev, heard := listening(t, engine)
			im, err := dev.NewImage(pumice.ImageDesc{Format: vk.FormatR32Uint, Width: 2, Height: 2, Layers: 3,
				Usage: vk.ImageUsageSampledBit | vk.ImageUsageStorageBit | vk.ImageUsageTransferDstBit, Flags: vk.ImageCreateAliasSingleLayerDescriptorBitKHR})
			if err != nil {
				t.Fatal(err)
			}
			for layer := range 3 {
				first := uint32(10 * layer)
				if err := im.Write(context.Background(), pumice.Subresource{Layer: layer}, []uint32{first, first + 1, first + 2, first + 3}); err != nil {
					t.Fatal(err)
				}
			}
			view, err := im.NewView(pumice.ViewDesc{Type: kind, BaseLayer: 2, Layers: 1})
			if err != nil {
				t.Fatal(err)
			}
			sampler, err := dev.NewSampler(pumice.SamplerDesc{})
			if err != nil {
				t.Fatal(err)
			}
			p, err := dev.NewComputePipeline(pumice.ComputePipelineDesc{Compute: pumice.Shader{Code: code}})
			if err != nil {
				t.Fatal(err)
			}
			set, err := p.NewDescriptorSet(0)
			if err != nil {
				t.Fatal(err)
			}
			out := mustBuffer(t, dev, make([]uint32, 8))
			sampled := pumice.Texture{View: view, Sampler: sampler}
			for binding, r := range []pumice.Resource{out, sampled, sampled, view, view} {
				if err := set.Bind(uint32(binding), r); err != nil {
					t.Fatal(err)
				}
			}
			cmd := dev.NewCommandBuffer()
			cmd.BindPipeline(p)
			cmd.BindDescriptorSet(0, set)
			cmd.Dispatch(1, 1, 1)
			if err := dev.Submit(context.Background(), cmd); err != nil {
				t.Fatal(err)
			}
			var got [8]uint32
			if err := out.Read(context.Background(), 0, &got); err != nil {
				t.Fatal(err)
			}
			if want := [8]uint32{21, 21, 21, 21, 1, 21, 21, 22 + 23}; got != want {
				t.Errorf("%v on %q: %v, want %v", kind, engine, got, want)
			}
			if list := heard(); len(list) != 0 {
				t.Errorf("%v on %q: told %v", kind, engine, list)
			}
		}
	}
}

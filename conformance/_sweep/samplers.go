package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/vk"
)

// samplers is a state of an image and a sampler.
func samplers(r *rand.Rand) *state {
	x := over(1)
	x.Colors, x.ColorFormat = 1, vk.FormatR8G8B8A8Unorm
	var f *format.Info
	type kind struct {
		image, at, gradient string
		view                vk.ImageViewType
	}
	flat := kind{"2D", "at * 3 - 1", "vec2", vk.ImageViewType2D}
	k := pick(r, flat, flat, flat, kind{"2DArray", "vec3(at * 3 - 1, at.x * 3)", "vec2", vk.ImageViewType2DArray}, kind{"3D", "vec3(at * 3 - 1, at.y)", "vec3", vk.ImageViewType3D},
		kind{"Cube", "vec3(at - 0.5, 0.4)", "vec3", vk.ImageViewTypeCube})
	what := pick(r, "color", "color", "color", "color", "color", "blocks", "integers", "depth")
	if what == "depth" && k.image == "3D" || what == "blocks" && k.image == "3D" {
		k = flat
	}
	x.Linear = pick[uint32](r, 0, 1, 1)
	prefix, samplerType := "", "sampler"+k.image
	switch what {
	case "depth":
		f, _ = format.Lookup(pick(r, vk.FormatD16Unorm, vk.FormatD32Sfloat))
		x.Compare, x.CompareOp = 1, vk.CompareOp(1+r.IntN(6))
		samplerType += "Shadow"
	case "integers":
		f = pickFormat(r, func(f *format.Info) bool {
			return f.Class != format.ClassFloat && f.Aspects == vk.ImageAspectColorBit && optimal(f, vk.FormatFeature2SampledImageBit)
		})
		x.Linear, x.Border, prefix = 0, vk.BorderColorIntOpaqueWhite, map[format.Class]string{format.ClassUint: "u", format.ClassSint: "i"}[f.Class]
		samplerType = prefix + samplerType
	default:
		feature := vk.FormatFeature2SampledImageBit
		if x.Linear != 0 {
			feature |= vk.FormatFeature2SampledImageFilterLinearBit
		}
		f = pickFormat(r, func(f *format.Info) bool {
			return f.Class == format.ClassFloat && f.Aspects == vk.ImageAspectColorBit && f.Compressed == (what == "blocks") && optimal(f, feature)
		})
	}
	mode := func() vk.SamplerAddressMode { return vk.SamplerAddressMode(r.IntN(5)) }
	x.LinearMips, x.Mips, x.WrapU, x.WrapV, x.WrapW = x.Linear&uint32(r.IntN(2)), word(r.IntN(3) != 0), mode(), mode(), mode()
	if what != "integers" {
		x.Border = vk.BorderColorFloatOpaqueWhite
	}
	if x.Linear != 0 && x.Compare == 0 && r.IntN(5) == 0 {
		x.Anisotropy = pick[uint32](r, 2, 8, 16)
	}
	x.TextureFormat, x.View = f.Format, k.view
	x.texture(r, f)
	hows := []string{"texture(image, p)", "texture(image, p, 0.7)", "textureLod(image, p, at.x * 3)", "textureGrad(image, p, GRADIENT(0.02), GRADIENT(0.005))"}
	names := []string{"implicit", "bias", "level", "gradients"}
	if k.image == "2D" && what != "depth" && x.Anisotropy == 0 {
		hows, names = append(hows, "textureGather(image, p)", "texelFetch(image, ivec2(p * 40) & 31, int(at.x * 2))"), append(names, "gather", "fetch")
	}
	if x.Compare != 0 {
		p := map[string]string{"2D": "vec3(p, at.y)", "2DArray": "vec4(p, at.y)", "Cube": "vec4(p, at.y)"}[k.image]
		hows, names = []string{"vec4(texture(image, " + p + "))"}, []string{"implicit"}
	}
	how := r.IntN(len(hows))
	modes := []string{}
	for _, w := range []vk.SamplerAddressMode{x.WrapU, x.WrapV, x.WrapW} {
		modes = append(modes, short(w, "VK_SAMPLER_ADDRESS_MODE_"))
	}
	x.name = fmt.Sprintf("%s %s, %s, %s, %s, %s", k.image, name(f.Format), []string{"nearest", "linear"}[x.Linear], []string{"one level", "levels", "one level", "linear levels"}[x.LinearMips*2+x.Mips],
		strings.Join(modes, " "), names[how])
	if x.Compare != 0 {
		x.name += ", " + short(x.CompareOp, "VK_COMPARE_OP_")
	}
	if x.Anisotropy > 0 {
		x.name += fmt.Sprintf(", anisotropy %d", x.Anisotropy)
	}
	scale := ""
	if what == "integers" {
		scale = " * 0.01"
	}
	coords := "vec2"
	if k.image != "2D" {
		coords = "vec3"
	}
	x.fragment = fmt.Sprintf("#version 450\nlayout(binding = 0) uniform %s image;\nlayout(location = 0) in vec2 at;\nlayout(location = 0) out vec4 color;\nvoid main()\n{\n    %s p = %s;\n    color = vec4(%s)%s;\n}\n",
		samplerType, coords, k.at, strings.ReplaceAll(hows[how], "GRADIENT", k.gradient), scale)
	return x
}

// texture fills the levels of an image of 64² texels: waves that differ between levels, or any blocks of a compressed format.
func (x *state) texture(r *rand.Rand, f *format.Info) {
	x.Width, x.Height, x.Depth, x.Levels, x.Layers = 64, 64, 1, 7, 1
	switch x.View {
	case vk.ImageViewType3D:
		x.Depth = 16
	case vk.ImageViewType2DArray:
		x.Layers = 4
	case vk.ImageViewTypeCube:
		x.Layers = 6
	}
	block := make([]byte, f.BlockBytes)
	for level := range int(x.Levels) {
		for len(x.texels)%48 != 0 { // a multiple of four, and of every block
			x.texels = append(x.texels, 0)
		}
		x.LevelOffsets[level] = uint32(len(x.texels))
		size := func(n uint32, block int) int { return (max(1, int(n)>>level) + block - 1) / block }
		for z := range size(x.Depth, 1) * int(x.Layers) {
			for v := range size(x.Height, f.BlockHeight) {
				for u := range size(x.Width, f.BlockWidth) {
					if f.Compressed {
						for i := range block {
							block[i] = byte(r.Uint32())
						}
					} else {
						var t format.Texel
						for i := range t {
							w := math.Sin(float64(u<<level)*0.11*float64(i+1)+float64(v<<level)*0.07+float64(z+level))*0.5 + 0.5
							t[i] = math.Float32bits(float32(w))
							if f.Class != format.ClassFloat {
								t[i] = uint32(100 * w)
							}
						}
						f.Encode(block, t)
					}
					x.texels = append(x.texels, block...)
				}
			}
		}
	}
}

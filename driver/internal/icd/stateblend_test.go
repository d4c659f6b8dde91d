package icd

import (
	"testing"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// blendFactor is VkBlendFactor's table, for component i: 3 is alpha.
func blendFactor(f vk.BlendFactor, s, d, constant [4]float32, i int) float32 {
	switch f {
	case vk.BlendFactorZero:
		return 0
	case vk.BlendFactorOne:
		return 1
	case vk.BlendFactorSrcColor:
		return s[i]
	case vk.BlendFactorOneMinusSrcColor:
		return 1 - s[i]
	case vk.BlendFactorDstColor:
		return d[i]
	case vk.BlendFactorOneMinusDstColor:
		return 1 - d[i]
	case vk.BlendFactorSrcAlpha:
		return s[3]
	case vk.BlendFactorOneMinusSrcAlpha:
		return 1 - s[3]
	case vk.BlendFactorDstAlpha:
		return d[3]
	case vk.BlendFactorOneMinusDstAlpha:
		return 1 - d[3]
	case vk.BlendFactorConstantColor:
		return constant[i]
	case vk.BlendFactorOneMinusConstantColor:
		return 1 - constant[i]
	case vk.BlendFactorConstantAlpha:
		return constant[3]
	case vk.BlendFactorOneMinusConstantAlpha:
		return 1 - constant[3]
	}
	if i == 3 { // SRC_ALPHA_SATURATE
		return 1
	}
	return min(s[3], 1-d[3])
}

// Every pair of blend factors, of colour and, another pair, of alpha, and every operation: numbers are such that all is exact.
func TestStates_RAS338_EveryFactor(t *testing.T) {
	rules.Covers(t, "RAS-337", "RAS-338", "RAS-339", "RAS-340", "RAS-341")
	f := newTest(t)
	const factors = int(vk.BlendFactorSrcAlphaSaturate) + 1
	dst, constant := [4]float32{.5, 2, 4, .25}, [4]float32{.25, .5, 2, 4}
	sources := [2][4]float32{{1, .5, .25, .125}, {.125, .25, .5, 1}}
	n := 0
	for sf := range factors {
		for df := range factors {
			n++
			if testing.Short() && n%3 != 0 {
				continue
			}
			op, alphaOp := vk.BlendOp(n%5), vk.BlendOp(n/5%5)
			b := abi.PipelineColorBlendAttachmentState{BlendEnable: 1, ColorWriteMask: 15, SrcColorBlendFactor: vk.BlendFactor(sf), DstColorBlendFactor: vk.BlendFactor(df), ColorBlendOp: op,
				SrcAlphaBlendFactor: vk.BlendFactor(df), DstAlphaBlendFactor: vk.BlendFactor((sf + 7) % factors), AlphaBlendOp: alphaOp}
			scene := newStates(f)
			scene.each, scene.clear, scene.blend.BlendConstants = [2]abi.PipelineColorBlendAttachmentState{b, b}, dst, constant
			got := scene.run(nil, [2]uint32{})
			for i, src := range sources {
				var want [4]float32
				for c := range want {
					s, d, o := blendFactor(b.SrcColorBlendFactor, src, dst, constant, c), blendFactor(b.DstColorBlendFactor, src, dst, constant, c), op
					if c == 3 {
						s, d, o = blendFactor(b.SrcAlphaBlendFactor, src, dst, constant, c), blendFactor(b.DstAlphaBlendFactor, src, dst, constant, c), alphaOp
					}
					want[c] = map[vk.BlendOp]float32{vk.BlendOpAdd: src[c]*s + dst[c]*d, vk.BlendOpSubtract: src[c]*s - dst[c]*d, vk.BlendOpReverseSubtract: dst[c]*d - src[c]*s,
						vk.BlendOpMin: min(src[c], dst[c]), vk.BlendOpMax: max(src[c], dst[c])}[o]
				}
				if v := got.color[i][0]; v != want {
					t.Errorf("%+v of %v onto %v: %v, want %v", b, src, dst, v, want)
				}
			}
		}
	}
}

package fragops

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// exactFactor is component c of a blend factor in binary64.
func exactFactor(f vk.BlendFactor, c int, s, d, k [4]float64) float64 {
	switch f {
	case vk.BlendFactorZero:
		return 0
	case vk.BlendFactorSrcColor:
		return s[c]
	case vk.BlendFactorOneMinusSrcColor:
		return 1 - s[c]
	case vk.BlendFactorDstColor:
		return d[c]
	case vk.BlendFactorOneMinusDstColor:
		return 1 - d[c]
	case vk.BlendFactorSrcAlpha:
		return s[3]
	case vk.BlendFactorOneMinusSrcAlpha:
		return 1 - s[3]
	case vk.BlendFactorDstAlpha:
		return d[3]
	case vk.BlendFactorOneMinusDstAlpha:
		return 1 - d[3]
	case vk.BlendFactorConstantColor:
		return k[c]
	case vk.BlendFactorOneMinusConstantAlpha:
		return 1 - k[3]
	}
	return 1
}

// Blending against the same equation in binary64: products, sum and the source of a
// factor are rounded to binary32, each by 2^-24 of a number below 2, so that results
// differ by less than 6·2^-24, and codes by that times the largest code, besides the
// rounding to a code.
func TestBlend_RAS338_Precision(t *testing.T) {
	rules.Covers(t, "RAS-338")
	factors := []vk.BlendFactor{vk.BlendFactorZero, vk.BlendFactorOne, vk.BlendFactorSrcColor, vk.BlendFactorOneMinusSrcColor, vk.BlendFactorDstColor,
		vk.BlendFactorOneMinusDstColor, vk.BlendFactorSrcAlpha, vk.BlendFactorOneMinusSrcAlpha, vk.BlendFactorDstAlpha, vk.BlendFactorOneMinusDstAlpha,
		vk.BlendFactorConstantColor, vk.BlendFactorOneMinusConstantAlpha}
	r := rand.New(rand.NewPCG(33, 8))
	n := 20000
	if testing.Short() {
		n = 2000
	}
	for _, f := range []struct {
		format vk.Format
		bits   [4]uint
		signed bool
	}{
		{vk.FormatR8G8B8A8Unorm, [4]uint{8, 8, 8, 8}, false}, {vk.FormatA2B10G10R10UnormPack32, [4]uint{10, 10, 10, 2}, false},
		{vk.FormatR16G16B16A16Unorm, [4]uint{16, 16, 16, 16}, false}, {vk.FormatR8G8B8A8Snorm, [4]uint{7, 7, 7, 7}, true}, {vk.FormatR16G16B16A16Snorm, [4]uint{15, 15, 15, 15}, true},
	} {
		info, low := lookup(t, f.format), 0.0
		if f.signed {
			low = -1
		}
		mem := make([]byte, info.BlockBytes)
		for range n {
			op := vk.BlendOp(r.IntN(3))
			pick := func() vk.BlendFactor { return factors[r.IntN(len(factors))] }
			state := vk.PipelineColorBlendAttachmentState{BlendEnable: true, ColorBlendOp: op, AlphaBlendOp: op,
				SrcColorBlendFactor: pick(), DstColorBlendFactor: pick(), SrcAlphaBlendFactor: pick(), DstAlphaBlendFactor: pick()}
			var s, d, k, largest [4]float64
			var src [4]uint32
			var constants Vec4
			var texel [4]uint32
			for c := range 4 {
				largest[c] = float64(uint(1)<<f.bits[c] - 1)
				code := math.Floor((low + (1-low)*r.Float64()) * largest[c])
				d[c] = code / largest[c]
				texel[c] = math.Float32bits(float32(d[c]))
				v, w := float32(low+(1-low)*r.Float64()), float32(low+(1-low)*r.Float64())
				s[c], k[c], src[c], constants[c] = float64(v), float64(w), math.Float32bits(v), w
			}
			info.Encode(mem, texel)
			write1(t, ColorDesc{Info: info, State: state, Constants: constants}, mem, src)
			out := info.Decode(mem)
			for c := range 4 {
				sf, df := exactFactor(state.SrcColorBlendFactor, c, s, d, k), exactFactor(state.DstColorBlendFactor, c, s, d, k)
				if c == 3 {
					sf, df = exactFactor(state.SrcAlphaBlendFactor, c, s, d, k), exactFactor(state.DstAlphaBlendFactor, c, s, d, k)
				}
				want := s[c]*sf + d[c]*df
				switch op {
				case vk.BlendOpSubtract:
					want = s[c]*sf - d[c]*df
				case vk.BlendOpReverseSubtract:
					want = d[c]*df - s[c]*sf
				}
				want = min(max(want, low), 1) * largest[c]
				got := math.Round(float64(math.Float32frombits(out[c])) * largest[c])
				if math.Abs(got-want) > .5+6*largest[c]/(1<<24) {
					t.Fatalf("%v, %+v: component %d of %v over %v with %v gives code %v, exactly %v", f.format, state, c, s, d, k, got, want)
				}
			}
		}
	}
}

package sampling

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// MipmapBits is the number of fraction bits between mip levels, advertised as
// mipmapPrecisionBits.
const MipmapBits = 8

// log2 is the device's binary logarithm for levels of detail: x = 2^e·m with m
// in [√½, √2), e + (2/ln 2)·Σ z^(2k+1)/(2k+1), z = (m−1)/(m+1), seven terms.
// |z| ≤ 0.1716, so what is left out is below 2^-41; powers of two are exact.
// 0 gives −Inf, NaN and negative numbers NaN.
//
// IMG-452
func log2(x float64) float64 {
	const (
		sqrt2     = 1.4142135623730951
		twoOverLn = 2.8853900817779268 // 2/ln 2
	)
	switch {
	case x == 0:
		return math.Inf(-1)
	case !(x > 0):
		return math.NaN()
	case x > math.MaxFloat64:
		return x
	}
	bits := math.Float64bits(x)
	e := int(bits>>52) - 1023
	if e == -1023 { // ρ² of binary32 derivatives stays above 2^-300
		x *= 1 << 60
		bits = math.Float64bits(x)
		e = int(bits>>52) - 1023 - 60
	}
	m := math.Float64frombits(bits&(1<<52-1) | 1023<<52)
	if m >= sqrt2 {
		m *= 0.5
		e++
	}
	z := (m - 1) / (m + 1)
	q := z * z
	p := 1.0 / 13
	p = float64(p*q) + 1.0/11
	p = float64(p*q) + 1.0/9
	p = float64(p*q) + 1.0/7
	p = float64(p*q) + 1.0/5
	p = float64(p*q) + 1.0/3
	p = float64(p*q) + 1
	return float64(float64(p*z)*twoOverLn) + float64(e)
}

// lodParams is what level selection takes from view and sampler.
type lodParams struct {
	bias           float64 // sampler.mipLodBias
	minLod, maxLod float64 // sampler's, minLod ≥ 0 (IMG-447)
	viewMin        float64 // view's minLod, counted from its base level, ≥ 0
	lastLevel      float64 // q of IMG-042
	linear         bool    // mipmapMode
	unnormalized   bool
}

func makeLodParams(v *resource.ImageView, s *resource.Sampler) lodParams {
	return lodParams{
		bias:         float64(s.MipLodBias),
		minLod:       max(float64(s.MinLod), 0),
		maxLod:       float64(s.MaxLod),
		viewMin:      max(float64(v.MinLod)-float64(v.BaseLevel), 0),
		lastLevel:    float64(v.Levels - 1),
		linear:       s.MipmapMode == vk.SamplerMipmapModeLinear,
		unnormalized: s.UnnormalizedCoordinates,
	}
}

// biasLod is IMG-446: λ' from λ_base and the shader's bias.
func (p *lodParams) biasLod(base, shaderBias float64) float64 { return base + p.allBias(shaderBias) }

// allBias is the part of λ' that is bias: the sampler's and the shader's.
//
// IMG-446
func (p *lodParams) allBias(shaderBias float64) float64 {
	b := p.bias + shaderBias
	if b > resource.MaxSamplerLodBias {
		b = resource.MaxSamplerLodBias
	} else if b < -resource.MaxSamplerLodBias {
		b = -resource.MaxSamplerLodBias
	}
	return b
}

// clampLod is IMG-447…449 and IMG-008: λ from λ' and the MinLod operand.
//
// IMG-450, IMG-464
func (p *lodParams) clampLod(lambda, minLod float64) float64 {
	lo := p.minLod
	if minLod > lo {
		lo = minLod
	}
	if p.unnormalized {
		return 0 // IMG-453
	}
	if lambda != lambda || minLod != minLod {
		lambda = lo
	}
	if lambda < lo {
		lambda = lo
	}
	if lambda > p.maxLod {
		lambda = p.maxLod
	}
	return lambda
}

// levels is what level selection chooses: view levels hi and lo, and the
// weight of lo in 1/256. lo is read only where delta is not 0 (IMG-466).
type levels struct {
	hi, lo int
	delta  uint32
	mag    bool // the magnification filter applies (IMG-451)
}

// levelOf is IMG-460: d', counted from the view's base level.
//
// IMG-463
func (p *lodParams) levelOf(lambda float64) float64 {
	d := lambda
	if !(d > 0) {
		d = 0
	} else if d > p.lastLevel {
		d = p.lastLevel
	}
	if p.viewMin > d {
		d = p.viewMin
	}
	return d
}

// selectLevels is §21 textures-image-level-selection.
//
// IMG-461, IMG-465
func (p *lodParams) selectLevels(lambda float64) levels {
	d := p.levelOf(lambda)
	r := levels{mag: lambda <= 0}
	if !p.linear {
		// IMG-462: ceil(d+½)−1.
		r.hi = int(math.Ceil(d+0.5)) - 1
		r.lo = r.hi
		return r
	}
	x := int(math.RoundToEven(d * (1 << MipmapBits)))
	r.hi = x >> MipmapBits
	r.delta = uint32(x & (1<<MipmapBits - 1))
	r.lo = min(r.hi+1, int(p.lastLevel))
	return r
}

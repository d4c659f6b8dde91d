package conformance

import (
	"fmt"
	"math"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Blend equations by tables: every factor, in the place of source and destination, of colour and of alpha, every operation, every
// format that blends.

// product and sum are the binary32 nearest to exact ones: in binary64 a product of two of them is exact, and rounding a sum twice is
// rounding it once, as 53 bits are twice 24 and more. TestTables_NearestNumbers holds that against rationals.
func product(a, b float32) float32 { return float32(float64(a) * float64(b)) }
func sum(a, b float32) float32     { return float32(float64(a) + float64(b)) }

func TestTables_NearestNumbers(t *testing.T) {
	list := []float32{1, -1, .5, 1. / 3, 1. / 255, 254. / 255, math.Nextafter32(1, 0), math.Nextafter32(1, 2), 1e-20, -3e-30, 1e-38, 1e-45, 12345.678, -1e9, 3e20, 65504}
	for _, a := range list {
		for _, b := range list {
			r := rational(a)
			if want, _ := r.Mul(r, rational(b)).Float32(); product(a, b) != want {
				t.Errorf("%v·%v is %v, want %v", a, b, product(a, b), want)
			}
			r = rational(a)
			if want, _ := r.Add(r, rational(b)).Float32(); sum(a, b) != want {
				t.Errorf("%v+%v is %v, want %v", a, b, sum(a, b), want)
			}
		}
	}
}

// clamped is a source or a constant as the equation takes it.
//
// RAS-339
func (a *attachmentFormat) clamped(v [4]float32) [4]float32 {
	if !a.fixed() {
		return v
	}
	low := float32(0)
	if a.kind == "SNORM" {
		low = -1
	}
	for c, x := range v {
		if v[c] = max(low, min(x, 1)); x != x {
			v[c] = 0
		}
	}
	return v
}

// blendOf are the numbers of an equation: both sources, the destination and the constants.
type blendOf struct{ source, second, stored, constant [4]float32 }

// factor is component c of a factor.
//
// RAS-340
func (x *blendOf) factor(f vk.BlendFactor, c int) float32 {
	if f == vk.BlendFactorSrcAlphaSaturate {
		if c == 3 {
			return 1
		}
		return min(x.source[3], sum(1, -x.stored[3]))
	}
	v, inverse := float32(0), false
	switch f {
	case vk.BlendFactorZero, vk.BlendFactorOne:
		return float32(f)
	case vk.BlendFactorSrcColor, vk.BlendFactorOneMinusSrcColor:
		v, inverse = x.source[c], f == vk.BlendFactorOneMinusSrcColor
	case vk.BlendFactorDstColor, vk.BlendFactorOneMinusDstColor:
		v, inverse = x.stored[c], f == vk.BlendFactorOneMinusDstColor
	case vk.BlendFactorSrcAlpha, vk.BlendFactorOneMinusSrcAlpha:
		v, inverse = x.source[3], f == vk.BlendFactorOneMinusSrcAlpha
	case vk.BlendFactorDstAlpha, vk.BlendFactorOneMinusDstAlpha:
		v, inverse = x.stored[3], f == vk.BlendFactorOneMinusDstAlpha
	case vk.BlendFactorConstantColor, vk.BlendFactorOneMinusConstantColor:
		v, inverse = x.constant[c], f == vk.BlendFactorOneMinusConstantColor
	case vk.BlendFactorConstantAlpha, vk.BlendFactorOneMinusConstantAlpha:
		v, inverse = x.constant[3], f == vk.BlendFactorOneMinusConstantAlpha
	case vk.BlendFactorSrc1Color, vk.BlendFactorOneMinusSrc1Color:
		v, inverse = x.second[c], f == vk.BlendFactorOneMinusSrc1Color
	case vk.BlendFactorSrc1Alpha, vk.BlendFactorOneMinusSrc1Alpha:
		v, inverse = x.second[3], f == vk.BlendFactorOneMinusSrc1Alpha
	default:
		panic(f)
	}
	if inverse {
		return sum(1, -v)
	}
	return v
}

// result is component c of the equation. Of MIN and MAX of a NaN, and of zeros of both signs, nothing is said: ok is false.
//
// RAS-338, RAS-341
func (x *blendOf) result(s *vk.PipelineColorBlendAttachmentState, c int) (v float32, ok bool) {
	src, dst, op := s.SrcColorBlendFactor, s.DstColorBlendFactor, s.ColorBlendOp
	if c == 3 {
		src, dst, op = s.SrcAlphaBlendFactor, s.DstAlphaBlendFactor, s.AlphaBlendOp
	}
	a, b := x.source[c], x.stored[c]
	if op >= vk.BlendOpMin {
		if a != a || b != b || a == 0 && b == 0 {
			return 0, false
		}
		return map[vk.BlendOp]float32{vk.BlendOpMin: min(a, b), vk.BlendOpMax: max(a, b)}[op], true
	}
	if f, g := x.factor(src, c), x.factor(dst, c); (src == vk.BlendFactorSrcAlphaSaturate || dst == vk.BlendFactorSrcAlphaSaturate) && (f != f || g != g) {
		return 0, false // the smaller of a number and a NaN
	}
	a, b = product(a, x.factor(src, c)), product(b, x.factor(dst, c))
	switch op {
	case vk.BlendOpSubtract:
		b = -b
	case vk.BlendOpReverseSubtract:
		a = -a
	}
	return sum(a, b), true
}

// blendStates are equations in which every factor stands in every place, and every operation.
func blendStates() (list []vk.PipelineColorBlendAttachmentState) {
	add := func(src, dst vk.BlendFactor, op vk.BlendOp, srcAlpha, dstAlpha vk.BlendFactor, alpha vk.BlendOp) {
		list = append(list, vk.PipelineColorBlendAttachmentState{BlendEnable: true, ColorWriteMask: 15, SrcColorBlendFactor: src % 19, DstColorBlendFactor: dst % 19, ColorBlendOp: op,
			SrcAlphaBlendFactor: srcAlpha % 19, DstAlphaBlendFactor: dstAlpha % 19, AlphaBlendOp: alpha})
	}
	const one = vk.BlendFactorOne
	for i := range vk.BlendFactor(19) {
		add(i, one, vk.BlendOpAdd, i+5, one, vk.BlendOpSubtract)
		add(one, i, vk.BlendOpSubtract, vk.BlendFactorSrcAlpha, i+11, vk.BlendOpReverseSubtract)
		add(i, i+3, vk.BlendOpReverseSubtract, i+1, i, vk.BlendOpAdd)
	}
	for op := vk.BlendOpAdd; op <= vk.BlendOpMax; op++ {
		add(one, one, op, one, one, vk.BlendOpMax)
		add(vk.BlendFactorZero, vk.BlendFactorZero, vk.BlendOpMin, one, one, op)
	}
	return list
}

func TestTables_RAS341_EveryEquationOfEveryFormat(t *testing.T) {
	rules.Covers(t, "RAS-337", "RAS-338", "RAS-339", "RAS-340", "RAS-341", "RAS-342", "RAS-343")
	devices := tableDevices(t)
	inf := float32(math.Inf(1))
	sources := []float32{0, 1, .25, .75, .5, 1. / 3, -.5, 2, -.75, .9999, 1e-3, -2, 127.5, -30}
	constants := [4]float32{.375, -.25, 1.5, .6}
	var list [][4]float32
	for i := range 40 {
		var v [4]float32
		for c := range v {
			v[c] = sources[(i*3+c*5+i*c)%len(sources)]
		}
		list = append(list, v)
	}
	list = append(list, [4]float32{inf, 1, -inf, .5}, [4]float32{float32(math.NaN()), .5, 0, 1}, [4]float32{.5, 0, 1, float32(math.NaN())})
	states := blendStates()
	for i, a := range attachmentFormats(t, devices[0], true) {
		before := make([]byte, 48*a.bytes*16)
		for k := range before {
			switch before[k] = byte(k*k*7 + k*31 + k/5); {
			case k/a.bytes%9 == 1:
				before[k] = 0
			case k/a.bytes%9 == 2:
				before[k] = 255
			case a.kind == "SFLOAT" && a.parts[0].bits == 32: // numbers of some size
				before[k] = []byte{byte(k * 77), byte(k * 13), byte(k * 91), 0x3F - byte(k/16%3) | byte(k/16&1<<7)}[k%4]
			}
		}
		// Equations without a second source go to four attachments of a draw.
		var alone, together []int
		for k := range states {
			s := &states[k]
			if testing.Short() && k%2 != i%2 {
				continue
			}
			if max(s.SrcColorBlendFactor, s.DstColorBlendFactor, s.SrcAlphaBlendFactor, s.DstAlphaBlendFactor) >= vk.BlendFactorSrc1Color {
				alone = append(alone, k)
			} else {
				together = append(together, k)
			}
		}
		for n := 0; n < len(alone)+(len(together)+3)/4; n++ {
			group, pixels := []int{0}, "dual.frag"
			if n < len(alone) {
				group[0] = alone[n]
			} else {
				at := 4 * (n - len(alone))
				group, pixels = together[at:min(at+4, len(together))], "plain.frag"
			}
			var formats []vk.Format
			var blend []vk.PipelineColorBlendAttachmentState
			for _, k := range group {
				formats, blend = append(formats, a.Format), append(blend, states[k])
			}
			d := dots(formats, list)
			d.pixels = pixels
			d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
				p.Blend = &vk.PipelineColorBlendStateCreateInfo{BlendConstants: constants, Attachments: blend}
			}
			w := tableWays[0]
			if (n+i)%2 == 1 {
				w = wayOf(64*i + n)
			}
			end := len(list)
			if w.portable && (n+i)%4 == 1 { // fragments that are few take no program
				end = 2
				d.vertices = d.vertices[:end]
			}
			d.fill = func(int) []byte { return before[:48*a.bytes*w.samples] }
			got := w.run(t, d, devices)
			for color, k := range group {
				what := fmt.Sprintf("%s, equation %d: %+v", w.name, k, states[k])
				got.texels(color, a.bytes, func(pixel, sample int, texel []byte) bool {
					if pixel >= end {
						return true
					}
					was := before[a.bytes*(pixel*d.samples+sample):][:a.bytes]
					v := list[pixel]
					x := blendOf{source: a.clamped(v), second: a.clamped([4]float32{v[1], v[2], v[3], v[0]}), constant: a.clamped(constants)}
					for c := range 4 {
						x.stored[c] = a.decoded(a.code(was, c), c)
					}
					want := append([]byte(nil), texel...)
					for c := range 4 {
						if r, ok := x.result(&states[k], c); ok && a.parts[c].bits > 0 {
							a.put(want, c, a.encoded(r, c))
						}
					}
					return a.wantTexel(t, texel, want, "%s, pixel %d, sample %d: %v onto % x", what, pixel, sample, v, was)
				})
			}
		}
	}
}

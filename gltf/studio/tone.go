package studio

import (
	"fmt"
	"math"

	"github.com/pumice-gpu/pumice/internal/fp"
)

// Tone is how light becomes the colours of a picture: light has no upper end, colours have.
type Tone uint8

// The tones. Unlit surfaces and backgrounds are colours already: they are drawn as they are, with any of them.
const (
	// ToneNeutral is Khronos' PBR Neutral: colours stay as they are but for the brightest.
	ToneNeutral Tone = iota
	// ToneACES is Stephen Hill's fit of the Academy's curve, with the exposure raised by 1/0.6 that three.js
	// raises it by.
	ToneACES
	// ToneAgX is the AgX of Blender and three.js: bright colours fade to white, as on film.
	ToneAgX
	// ToneNone cuts off what is brighter than white, colour by colour.
	ToneNone
	toneCount
)

// The bounds of View.Exposure and View.Light.
const (
	mostExposure = 16
	mostLight    = 1000
)

// checkLight refuses what no picture can be drawn with.
func (v *View) checkLight() error {
	switch {
	case !(math.Abs(v.Exposure) <= mostExposure):
		return fmt.Errorf("studio: View.Exposure %v: want %d to %d stops", v.Exposure, -mostExposure, mostExposure)
	case v.Light != nil && !(*v.Light >= 0 && *v.Light <= mostLight):
		return fmt.Errorf("studio: View.Light %v: want 0 to %d", *v.Light, mostLight)
	case v.Tone >= toneCount:
		return fmt.Errorf("studio: View.Tone %d: there are %d tones", v.Tone, toneCount)
	}
	return nil
}

// tone is that of pictures in such targets.
func (v *View) tone(s shape) Tone {
	if s.linear {
		return 0 // of light that stays light
	}
	return v.Tone
}

// exposure is what light is multiplied by before tones are mapped.
func (v *View) exposure() float32 { return fp.Exp2(float32(v.Exposure)) }

// strength is that of the environment's light.
func (v *View) strength() float32 {
	if v.Light == nil {
		return 1
	}
	return float32(*v.Light)
}

// before is the function beforeToneMap of tone.glsl: what the tone takes to c, which is from 0 to 1.
func (t Tone) before(c [3]float32) [3]float32 {
	switch t {
	case ToneACES:
		return beforeACES(c)
	case ToneAgX:
		return beforeAgX(c)
	case ToneNone:
		return c
	default:
		return beforeNeutral(c)
	}
}

func beforeNeutral(c [3]float32) [3]float32 {
	const start, d = 0.76, 1 - 0.76
	var v [3]float64
	newPeak := math.Min(float64(max(c[0], c[1], c[2])), 0.9995)
	peak, g := newPeak, 0.0
	if newPeak > start {
		peak = float64(d*d)/(1-newPeak) - d + start
		g = 1 - 1/(float64(0.15*(peak-newPeak))+1)
	}
	for i := range v {
		v[i] = math.Min(float64(c[i]), newPeak)
		if newPeak > start {
			v[i] = float64((v[i]-float64(newPeak*g))/(1-g)) * (peak / newPeak)
		}
	}
	low, add := min(v[0], v[1], v[2]), 0.04
	if low < 0.04 {
		x := float64(0.4 * math.Sqrt(math.Max(low, 0)))
		add = x - float64(6.25*float64(x*x))
	}
	return [3]float32{float32(v[0] + add), float32(v[1] + add), float32(v[2] + add)}
}

// beforeACES solves the curve's quotient, a·v² + b·v = d.
func beforeACES(c [3]float32) [3]float32 {
	// The inverses of tone.glsl's matrices, by rows.
	y := product(&[3][3]float64{
		{0.643038249, 0.311186752, 0.045775457}, {0.059268690, 0.931436487, 0.009294916}, {0.005961901, 0.063929016, 0.930118384},
	}, double(c))
	for i := range y {
		a, b, d := 1-float64(0.983729*y[i]), 0.0245786-float64(0.4329510*y[i]), 0.000090537+float64(0.238081*y[i])
		y[i] = (math.Sqrt(float64(b*b)+float64(4*a*d)) - b) / (2 * a) * 0.6
	}
	return single(product(&[3][3]float64{
		{1.764740972, -0.675777678, -0.088963294}, {-0.147027852, 1.160251512, -0.013223660}, {-0.036336830, -0.162436437, 1.198773267},
	}, y))
}

// beforeAgX halves the curve's interval until it has the colour.
func beforeAgX(c [3]float32) [3]float32 {
	y := product(&[3][3]float64{
		{0.627403896, 0.329283038, 0.043313066}, {0.069097289, 0.919540395, 0.011362316}, {0.016391439, 0.088013308, 0.895595253},
	}, double(c)) // in Rec. 2020
	for i := range y {
		y[i] = float64(fp.PowNearest(float32(y[i]), 1/2.2))
	}
	y = product(&[3][3]float64{
		{0.899796956, 0.087199619, 0.013003425}, {0.111420989, 0.875575586, 0.013003425}, {0.111420989, 0.087199619, 0.801379392},
	}, y)
	for i := range y {
		low, high := 0.0, 1.0 // the curve rises
		for range 24 {
			x := (low + high) / 2
			contrast := 0.0
			for _, factor := range [...]float64{15.5, -40.14, 31.96, -6.868, 0.4298, 0.1191, -0.00232} {
				contrast = float64(contrast*x) + factor
			}
			if contrast < y[i] {
				low = x
			} else {
				high = x
			}
		}
		const least, most = -12.47393, 4.026069 // stops
		y[i] = float64(fp.Exp2(float32(least + float64((most-least)*low))))
	}
	y = product(&[3][3]float64{
		{1.197441077, -0.144261513, -0.053179564}, {-0.196474626, 1.354095131, -0.157620505}, {-0.146557417, -0.108284059, 1.254841476},
	}, y)
	return single(product(&[3][3]float64{
		{1.660491002, -0.587641139, -0.072849863}, {-0.124550475, 1.132899897, -0.008349423}, {-0.018150763, -0.100578898, 1.118729661},
	}, y))
}

// product is a matrix, by rows, times a vector.
func product(rows *[3][3]float64, v [3]float64) (out [3]float64) {
	for i, r := range rows {
		out[i] = float64(r[0]*v[0]) + float64(r[1]*v[1]) + float64(r[2]*v[2])
	}
	return out
}

func double(v [3]float32) [3]float64 { return [3]float64{float64(v[0]), float64(v[1]), float64(v[2])} }
func single(v [3]float64) [3]float32 { return [3]float32{float32(v[0]), float32(v[1]), float32(v[2])} }

// Package rates has shading rates: how large fragments are, how many invocations those of a pixel
// have, and who says so (pipeline, primitives, attachment, shading rate image). It knows neither
// draws nor tiles.
package rates

import (
	"fmt"
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// Rate is a fragment's size as log2 of its width and its height: 0, 1 or 2.
type Rate struct{ W, H uint8 }

// Max is maxFragmentSize: 4x4.
const Max = 2

// MaxCoverageSamples is maxFragmentShadingRateCoverageSamples: what the largest
// fragment has with MaxSamples, the most that pixels of larger fragments may have.
const (
	MaxCoverageSamples = 256
	MaxSamples         = 16
)

// Pixels is the number of pixels of a fragment.
func (r Rate) Pixels() int { return 1 << (r.W + r.H) }

// Place is lane and pixel index of the pixel at (x, y) of the block.
//
// RAS-111, RAS-130 primsrast-multisampling
func (r Rate) Place(x, y int32) (lane, pixel int) {
	lane = int(y>>r.H&1)<<1 | int(x>>r.W&1)
	return lane, int(y&(1<<r.H-1))<<r.W | int(x&(1<<r.W-1))
}

// Whole is the pixels of a block whose fragments have any of those pixels, or all.
func (r Rate) Whole(pixels uint64, all bool) uint64 {
	for _, half := range [...]struct {
		halves bool
		shift  int
		first  uint64 // pixels of first halves
	}{
		{r.W > 0, 1, 0x5555_5555_5555_5555}, {r.W > 1, 4, 0x0F0F_0F0F_0F0F_0F0F},
		{r.H > 0, 2, 0x3333_3333_3333_3333}, {r.H > 1, 16, 0x0000_FFFF_0000_FFFF},
	} {
		other := pixels>>half.shift&half.first | pixels&half.first<<half.shift
		switch {
		case !half.halves:
		case all:
			pixels &= other
		default:
			pixels |= other
		}
	}
	return pixels
}

// Code is the rate as ShadingRateKHR.
func (r Rate) Code() uint32 { return uint32(r.W)<<2 | uint32(r.H) }

// Halved is a fragment of half as many pixels: the larger dimension goes first, the
// height where they are equal.
//
// RAS-158, RAS-164, RAS-165
func (r Rate) Halved() Rate {
	if r.H >= r.W && r.H > 0 {
		return Rate{r.W, r.H - 1}
	}
	return Rate{r.W - min(r.W, 1), r.H}
}

// Set is the supported fragment sizes; bit 3w + h is that of Rate{w, h}.
type Set uint16

func (s Set) has(r Rate) bool { return s>>(3*r.W+r.H)&1 != 0 }

// Of is the sizes that are supported with a number of samples, if a fragment
// may have coverage samples at most.
//
// RAS-137, RAS-138
func Of(samples, coverage int) (s Set) {
	for w := range uint8(Max + 1) {
		for h := range uint8(Max + 1) {
			r := Rate{w, h}
			if samples <= MaxSamples && r.Pixels()*samples <= coverage || r == (Rate{}) {
				s |= 1 << (3*w + h)
			}
		}
	}
	return s
}

// Clamp is the supported rate that stands for r: of those that are not larger the
// ones with the most pixels, of these the one nearest to a square, and of a wide and
// a tall one the wide one.
//
// RAS-146, RAS-147 primsrast-fragment-shading-rate-combining
func (s Set) Clamp(r Rate) Rate {
	r = Rate{min(r.W, Max), min(r.H, Max)}
	if s.has(r) {
		return r
	}
	best := Rate{}
	for w := range r.W + 1 {
		for h := range r.H + 1 {
			c := Rate{w, h}
			area, sum := w+h, 1<<w+1<<h
			if !s.has(c) || area < best.W+best.H {
				continue
			}
			if area > best.W+best.H || sum <= 1<<best.W+1<<best.H {
				best = c
			}
		}
	}
	return best
}

// Shading is a shading rate: log2 of width and height of fragments, and of the
// invocations that fragments of a pixel have, or NoInvocations.
type Shading struct{ W, H, Invocations uint8 }

// NoInvocations as Shading.Invocations says that there are no fragments at all.
const NoInvocations = 0xFF

func (s Shading) Rate() Rate { return Rate{s.W, s.H} }

// codeNone is FRAGMENT_SHADING_RATE_NO_INVOCATIONS_NV.
const codeNone = uint32(vk.FragmentShadingRateNoInvocationsNV)

// ShadingOf decodes ShadingRateKHR and texels of shading rate attachments. Where
// enums are on, codes from 11 on are several invocations or none; sizes that must
// not be used become 4.
//
// RAS-143, RAS-153, RAS-155 primsrast-fragment-shading-rate-combining
func ShadingOf(code uint32, enums bool) Shading {
	code &= 15
	switch {
	case enums && code == codeNone:
		return Shading{Invocations: NoInvocations}
	case enums && code >= uint32(vk.FragmentShadingRate2InvocationsPerPixelNV):
		return Shading{Invocations: uint8(code - uint32(vk.FragmentShadingRate2InvocationsPerPixelNV) + 1)}
	}
	return Shading{W: min(uint8(code>>2), Max), H: min(uint8(code&3), Max)}
}

// Combine is a combiner; products of sizes are sums here.
//
// RAS-144, RAS-145 VkFragmentShadingRateCombinerOpKHR
func Combine(op vk.FragmentShadingRateCombinerOpKHR, a, b Shading) Shading {
	switch op {
	case vk.FragmentShadingRateCombinerOpKeepKHR:
		return a
	case vk.FragmentShadingRateCombinerOpReplaceKHR:
		return b
	}
	if max(a.Invocations, b.Invocations) == NoInvocations { // RAS-156
		return Shading{Invocations: NoInvocations}
	}
	switch op {
	case vk.FragmentShadingRateCombinerOpMinKHR: // RAS-157
		return Shading{W: min(a.W, b.W), H: min(a.H, b.H), Invocations: max(a.Invocations, b.Invocations)}
	case vk.FragmentShadingRateCombinerOpMaxKHR: // RAS-157
		return Shading{W: max(a.W, b.W), H: max(a.H, b.H), Invocations: min(a.Invocations, b.Invocations)}
	case vk.FragmentShadingRateCombinerOpMulKHR: // RAS-158
		r, n := Rate{a.W + b.W, a.H + b.H}, a.Invocations+b.Invocations
		for n > 0 && r != (Rate{}) {
			r, n = r.Halved(), n-1
		}
		return Shading{W: r.W, H: r.H, Invocations: n}
	}
	return a
}

// Attachment is a fragment shading rate attachment.
type Attachment struct {
	View *resource.ImageView
	// Texel is the region of a texel, a power of two from 8.
	Texel vk.Extent2D
}

// Pixel is the final rate of a pixel: the size of the fragment that it is in,
// and the number of invocations of a fragment of one pixel; 0: there is no fragment.
type Pixel struct {
	Rate
	N int
}

// Kinds is how many rates there are: nine sizes, and up to MaxSamples invocations.
const Kinds = 9 * 7

// Index numbers a rate.
func (r Pixel) Index() int { return 9*(bits.Len(uint(r.N))-1) + 3*int(r.W) + int(r.H) }

// String is a final rate for people.
func (r Pixel) String() string {
	switch {
	case r.N == 0:
		return "no invocations"
	case r.N > 1:
		return fmt.Sprintf("%d invocations a pixel", r.N)
	}
	return fmt.Sprintf("fragments of %d×%d pixels", 1<<r.W, 1<<r.H)
}

// State is what a draw needs to know about shading rates.
type State struct {
	Pipeline  Shading
	Combiners [2]vk.FragmentShadingRateCombinerOpKHR
	Enums     bool
	Set       Set
	Samples   int
	// uniform is the size of all fragments, of several pixels; that of one where sizes differ, or are
	// that.
	Uniform Rate
	// image is the shading rate image, order the order of coverage indices that goes
	// with it; nil without.
	Image *Image
	Order *Order
}

// Clamp clamps an input or the result of a combiner.
//
// RAS-147 primsrast-fragment-shading-rate-combining
func (p *State) Clamp(s Shading) Shading {
	r := p.Set.Clamp(s.Rate())
	s.W, s.H = r.W, r.H
	return s
}

// Primitive is the rate after the first combiner; code is that of the primitive.
//
// RAS-140, RAS-144 primsrast-fragment-shading-rate-combining
func (p *State) Primitive(code uint8) Shading {
	return p.Clamp(Combine(p.Combiners[0], p.Pipeline, p.Clamp(ShadingOf(uint32(code), p.Enums))))
}

// At is the rate of the fragment at pixel (x, y) of a layer; r is that of the
// primitive.
//
// RAS-141, RAS-142, RAS-149, RAS-159 primsrast-fragment-shading-rate-attachment
func (p *State) At(r Shading, a *Attachment, layer int, x, y int32) Pixel {
	if op := p.Combiners[1]; op != vk.FragmentShadingRateCombinerOpKeepKHR {
		code := uint32(0)
		if a != nil && a.View != nil {
			code = TexelAt(a.View, layer, int(x)/int(max(a.Texel.Width, 1)), int(y)/int(max(a.Texel.Height, 1)))
		}
		r = p.Clamp(Combine(op, r, p.Clamp(ShadingOf(code, p.Enums))))
	}
	if r.Invocations == NoInvocations {
		return Pixel{}
	}
	return Pixel{r.Rate(), min(1<<r.Invocations, p.Samples)}
}

// TexelAt is the low byte of the first component of a texel of level 0, 0 outside of
// the view; layers that it lacks are its first.
//
// RAS-141, RAS-161
func TexelAt(v *resource.ImageView, layer, x, y int) uint32 {
	if layer >= v.Layers {
		layer = 0
	}
	l := v.Level(0, layer)
	if !l.Contains(x, y, 0) {
		return 0
	}
	return uint32(l.Data[l.Offset(x, y, 0, 0)])
}

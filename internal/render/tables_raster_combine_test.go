package render

import (
	"testing"

	"github.com/pumice-gpu/pumice/internal/render/rates"

	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Combining of shading rates by tables: every code of pipelines, primitives and attachments, every pair of combiners, every number of
// samples, written out in plain sizes as the catalogue has it.

// sizeRate is a size in pixels, and invocations of a pixel; 0: none.
type sizeRate struct{ w, h, n int }

// codedRate is RAS-143 and RAS-153.
func codedRate(code int, enums bool) sizeRate {
	if enums && code >= 11 {
		return sizeRate{1, 1, [5]int{2, 4, 8, 16, 0}[code-11]}
	}
	return sizeRate{min(4, 1<<(code/4%4)), min(4, 1<<(code%4)), 1}
}

// joined is RAS-144, RAS-156, RAS-157 and RAS-158.
func joined(op vk.FragmentShadingRateCombinerOpKHR, a, b sizeRate) sizeRate {
	switch op {
	case vk.FragmentShadingRateCombinerOpKeepKHR:
		return a
	case vk.FragmentShadingRateCombinerOpReplaceKHR:
		return b
	}
	if a.n == 0 || b.n == 0 {
		return sizeRate{1, 1, 0}
	}
	switch op {
	case vk.FragmentShadingRateCombinerOpMinKHR:
		return sizeRate{min(a.w, b.w), min(a.h, b.h), max(a.n, b.n)}
	case vk.FragmentShadingRateCombinerOpMaxKHR:
		return sizeRate{max(a.w, b.w), max(a.h, b.h), min(a.n, b.n)}
	}
	r := sizeRate{a.w * b.w, a.h * b.h, a.n * b.n}
	g := min(r.w*r.h, r.n)
	r.n /= g
	for ; g > 1; g /= 2 {
		if r.h >= r.w {
			r.h /= 2
		} else {
			r.w /= 2
		}
	}
	return r
}

// limited is RAS-146, with the sizes of RAS-138 that fit: w·h·samples of at most coverage, and 16 a pixel.
func limited(r sizeRate, samples, coverage int) sizeRate {
	fits := func(w, h int) bool { return w*h*samples <= coverage && samples <= 16 || w*h == 1 }
	if r.w <= 4 && r.h <= 4 && fits(r.w, r.h) {
		return r
	}
	best := sizeRate{1, 1, r.n}
	for _, w := range []int{1, 2, 4} {
		for _, h := range []int{1, 2, 4} {
			area, sum := w*h-best.w*best.h, w+h-best.w-best.h
			if fits(w, h) && w <= r.w && h <= r.h && (area > 0 || area == 0 && (sum < 0 || sum == 0 && w > best.w)) {
				best = sizeRate{w, h, r.n}
			}
		}
	}
	return best
}

func TestTables_RAS144_EveryCombination(t *testing.T) {
	rules.Covers(t, "RAS-137", "RAS-138", "RAS-139", "RAS-141", "RAS-143", "RAS-144", "RAS-145", "RAS-146", "RAS-147", "RAS-149", "RAS-153", "RAS-155", "RAS-156", "RAS-157", "RAS-158", "RAS-159", "RC-52", "RC-54")
	// A texel for each code, each of which is the rate of 8×8 pixels.
	view := newView(t, vk.FormatR8Uint, 16, 1, 1, 1)
	l := view.Level(0, 0)
	for x := range 16 {
		l.Data[l.Offset(x, 0, 0, 0)] = byte(x)
	}
	attachment := &rates.Attachment{View: view, Texel: vk.Extent2D{Width: 8, Height: 8}}
	var none *resource.ImageView
	n := 0
	for _, samples := range []int{1, 2, 4, 8, 16, 32, 64} {
		for _, coverage := range []int{16, 64, 256} {
			for _, enums := range []bool{false, true} {
				for ops := range 25 {
					op := [2]vk.FragmentShadingRateCombinerOpKHR{vk.FragmentShadingRateCombinerOpKHR(ops % 5), vk.FragmentShadingRateCombinerOpKHR(ops / 5)}
					for pipeline := range 16 {
						if n++; testing.Short() && n%3 != 0 {
							continue
						}
						p := rates.State{Pipeline: rates.ShadingOf(uint32(pipeline), enums), Combiners: op, Enums: enums, Set: rates.Of(samples, coverage), Samples: samples}
						p.Pipeline = p.Clamp(p.Pipeline)
						for primitive := range 16 {
							first := p.Primitive(uint8(primitive))
							for texel := -1; texel < 16; texel++ {
								a, x, code := attachment, int32(8*texel+texel%8), max(texel, 0)
								if texel < 0 { // without an attachment, and beyond it
									a, x = &rates.Attachment{View: none, Texel: attachment.Texel}, int32(pipeline)
									if primitive%2 == 1 {
										a, x = attachment, 128+int32(pipeline)
									}
								}
								clamp := func(r sizeRate) sizeRate { return limited(r, samples, coverage) }
								want := clamp(codedRate(pipeline, enums))
								want = clamp(joined(op[0], want, clamp(codedRate(primitive, enums))))
								want = clamp(joined(op[1], want, clamp(codedRate(code, enums))))
								want.n = min(want.n, samples)
								r := p.At(first, a, 0, x, 3)
								got := sizeRate{1 << r.W, 1 << r.H, r.N}
								if want.n == 0 && got.n == 0 {
									continue
								}
								if got != want {
									t.Fatalf("%d samples, %d of coverage, enums %v, combiners %v: pipeline %d, primitive %d, attachment %d: %+v, want %+v", samples, coverage, enums, op, pipeline, primitive, texel, got, want)
								}
							}
						}
					}
				}
			}
		}
	}
}

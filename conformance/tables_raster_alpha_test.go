package conformance

import (
	"math"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Alpha to coverage and alpha to one: every number of samples, every format.

// alphas are numbers next to (k + 1/2)/r, where another sample is covered: the last one below, and that itself.
func alphas(samples int) (list []float32) {
	for k := range samples {
		edge := (float32(k) + .5) / float32(samples) // exact
		list = append(list, math.Nextafter32(edge, 0), edge)
	}
	return append(list, 0, float32(math.Copysign(0, -1)), -1, 1, math.Nextafter32(1, 0), 2, 1e-45, float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)))
}

// coveredBy is how many samples an alpha covers, floor(alpha·r + 1/2).
//
// RAS-317
func coveredBy(alpha float32, samples int) int {
	if alpha != alpha || alpha <= 0 {
		return 0
	}
	r := rational(min(alpha, 1))
	n := 0
	for k := range samples {
		if r.Cmp(rational((float32(k)+.5)/float32(samples))) >= 0 {
			n++
		}
	}
	return n
}

// withAlpha switches the two steps on.
func withAlpha(toCoverage, toOne bool) func(*pumice.GraphicsPipelineDesc) {
	return func(p *pumice.GraphicsPipelineDesc) {
		p.Multisample = &vk.PipelineMultisampleStateCreateInfo{AlphaToCoverageEnable: toCoverage, AlphaToOneEnable: toOne}
	}
}

// Every format: the first output's alpha becomes 1 where the state says so, that of the second stays; it covers as many samples as it says before
// that. Integers have no such steps.
func TestTables_RAS318_AlphaOfEveryFormat(t *testing.T) {
	rules.Covers(t, "RAS-019", "RAS-317", "RAS-318", "RAS-319", "RAS-362")
	devices := tableDevices(t)
	for i, a := range attachmentFormats(t, devices[0], false) {
		for _, w := range append(waysOf(i), wayOf(i+2000)) {
			for steps := range 4 {
				toCoverage, toOne := steps&1 != 0, steps&2 != 0
				var list [][4]float32
				for _, alpha := range alphas(w.samples) {
					list = append(list, [4]float32{1, 1, 1, alpha})
				}
				d := dots([]vk.Format{a.Format, a.Format}, list)
				a.written(d)
				d.pipeline = withAlpha(toCoverage, toOne)
				got := w.run(t, d, devices)
				counted := uint64(0)
				for color := range 2 {
					got.texels(color, a.bytes, func(pixel, sample int, texel []byte) bool {
						if pixel >= len(list) {
							return true
						}
						alpha := list[pixel][3]
						want := make([]byte, a.bytes)
						if covered := !toCoverage || a.integer() || sample < coveredBy(alpha, d.samples); covered {
							if toOne && color == 0 && !a.integer() {
								alpha = 1
							}
							want = a.texel([4]float32{1, 1, 1, alpha})
							if color == 0 {
								counted++
							}
						}
						return a.wantTexel(t, texel, want, "%s, to coverage %v, to one %v, output %d, alpha %v, sample %d", w.name, toCoverage, toOne, color, list[pixel][3], sample)
					})
				}
				if d.queried != counted {
					t.Errorf("%v, %s, to coverage %v, to one %v: %d samples are counted, want %d", a.Format, w.name, toCoverage, toOne, d.queried, counted)
				}
			}
		}
	}
}

// What alpha to one makes is what blending takes: of every format, as the factor of source and destination.
func TestTables_RAS318_BlendsWithOne(t *testing.T) {
	rules.Covers(t, "RAS-318", "RAS-319")
	devices := tableDevices(t)
	state := vk.PipelineColorBlendAttachmentState{BlendEnable: true, ColorWriteMask: 15, SrcColorBlendFactor: vk.BlendFactorSrcAlpha, DstColorBlendFactor: vk.BlendFactorOneMinusSrcAlpha,
		SrcAlphaBlendFactor: vk.BlendFactorSrcAlpha, DstAlphaBlendFactor: vk.BlendFactorOneMinusSrcAlpha}
	v := [4]float32{.25, .5, .75, .4}
	list := [][4]float32{v, v, v, v, v, v, v}
	for i, a := range attachmentFormats(t, devices[0], true) {
		for _, w := range waysOf(i) {
			for _, toOne := range []bool{false, true} {
				d := dots([]vk.Format{a.Format, a.Format}, list)
				d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
					withAlpha(false, toOne)(p)
					p.Blend = &vk.PipelineColorBlendStateCreateInfo{Attachments: []vk.PipelineColorBlendAttachmentState{state, state}}
				}
				stored := [4]float32{1, 1, 1, 1}
				d.fill = func(int) []byte {
					all := make([]byte, 16*a.bytes*w.samples)
					for k := range 16 * w.samples {
						copy(all[k*a.bytes:], a.texel(stored))
					}
					return all
				}
				got := w.run(t, d, devices)
				for color := range 2 {
					got.texels(color, a.bytes, func(pixel, sample int, texel []byte) bool {
						if pixel >= len(list) {
							return true
						}
						x := blendOf{source: v, stored: stored}
						if toOne && color == 0 {
							x.source[3] = 1
						}
						x.source = a.clamped(x.source)
						var want [4]float32
						for c := range want {
							want[c], _ = x.result(&state, c)
						}
						return a.wantTexel(t, texel, a.texel(want), "%s, to one %v, output %d, sample %d", w.name, toOne, color, sample)
					})
				}
			}
		}
	}
}

// Smooth lines: their factor comes onto alpha before coverage is made of it, and before alpha becomes 1.
func TestTables_RAS319_SmoothFactorFirst(t *testing.T) {
	rules.Covers(t, "RAS-230", "RAS-316", "RAS-319")
	devices := tableDevices(t)
	for _, a := range attachmentFormats(t, devices[0], true) {
		if a.parts[3].bits == 0 || a.kind == "USCALED" || a.kind == "SSCALED" {
			continue
		}
		for _, samples := range sampleCounts {
			for steps := range 4 {
				toCoverage, toOne := steps&1 != 0, steps&2 != 0
				// Between two rows: half of each, so that 3/4 becomes 3/8.
				upper := (steps + samples) % 2 * (1 + samples/4%2)
				middle := float32(upper + 1)
				d := lineOf(vk.LineRasterizationModeRectangularSmooth, 1, 4, 4, at(0, middle, 1, 1, 1, .75), at(4, middle, 1, 1, 1, .75))
				d.pixels, d.formats, d.samples, d.colors = "values.frag", []vk.Format{a.Format, a.Format}, samples, 2
				line := d.pipeline
				d.pipeline = func(p *pumice.GraphicsPipelineDesc) { line(p); withAlpha(toCoverage, toOne)(p) }
				got := d.run(t, devices[0])
				for color := range 2 {
					got.texels(color, a.bytes, func(pixel, sample int, texel []byte) bool {
						alpha := [2]float32{.375, .75}[color]
						want := make([]byte, a.bytes)
						if y := pixel / 4; (y == upper || y == upper+1) && (!toCoverage || sample < coveredBy(.375, samples)) {
							if toOne && color == 0 {
								alpha = 1
							}
							want = a.texel([4]float32{1, 1, 1, alpha})
						}
						return a.wantTexel(t, texel, want, "%d samples, to coverage %v, to one %v, output %d, pixel %d, sample %d", samples, toCoverage, toOne, color, pixel, sample)
					})
				}
			}
		}
	}
}

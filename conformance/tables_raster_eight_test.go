package conformance

import (
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Eight attachments of as many formats: each has its own output, equation and mask.

func TestTables_RAS337_EightAttachments(t *testing.T) {
	rules.Covers(t, "RAS-043", "RAS-337", "RAS-338", "RAS-339", "RAS-340", "RAS-341", "RAS-347")
	devices := tableDevices(t)
	var formats []*attachmentFormat
	for _, f := range []vk.Format{vk.FormatR8G8B8A8Unorm, vk.FormatB8G8R8A8Srgb, vk.FormatR8G8B8A8Snorm, vk.FormatR16G16B16A16Sfloat, vk.FormatR32G32B32A32Sfloat,
		vk.FormatA2B10G10R10UnormPack32, vk.FormatR16G16Unorm, vk.FormatR8Unorm} {
		formats = append(formats, formatOf(f))
	}
	var states []vk.PipelineColorBlendAttachmentState
	for _, s := range blendStates() {
		if max(s.SrcColorBlendFactor, s.DstColorBlendFactor, s.SrcAlphaBlendFactor, s.DstAlphaBlendFactor) < vk.BlendFactorSrc1Color {
			states = append(states, s)
		}
	}
	constants := [4]float32{.375, .25, .75, .6}
	list := [][4]float32{{.25, .5, .125, .75}, {0, 1, .5, .25}, {.75, 0, .375, 1}, {1, .625, .25, 0}, {.5, .5, 1, .5}}
	for n := range states {
		if testing.Short() && n%3 != 0 {
			continue
		}
		w := tableWays[0]
		if n%2 == 1 {
			w = wayOf(n)
		}
		// Each state comes to each attachment, one after the other; masks are of one component to four.
		var blend []vk.PipelineColorBlendAttachmentState
		var of []vk.Format
		for color, a := range formats {
			s := states[(n+color*7)%len(states)]
			s.BlendEnable = (n+color)%5 != 4
			s.ColorWriteMask = vk.ColorComponentFlags(15 - (n*3+color*5)%16)
			blend, of = append(blend, s), append(of, a.Format)
		}
		stored := func(color int) []byte {
			all := make([]byte, 16*w.samples*formats[color].bytes)
			for k := range 16 * w.samples {
				v := list[(k+color)%len(list)]
				copy(all[k*formats[color].bytes:], formats[color].texel([4]float32{v[3], v[0], v[1], v[2]}))
			}
			return all
		}
		d := dots(of, list)
		d.pixels, d.fill = "eight.frag", stored
		d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
			p.Blend = &vk.PipelineColorBlendStateCreateInfo{BlendConstants: constants, Attachments: blend}
		}
		got := w.run(t, d, devices)
		for color, a := range formats {
			before, s := stored(color), &blend[color]
			got.texels(color, a.bytes, func(pixel, sample int, texel []byte) bool {
				was := before[(pixel*w.samples+sample)*a.bytes:][:a.bytes]
				want := append([]byte(nil), was...)
				if pixel < len(list) {
					v := list[pixel]
					for c := range v {
						v[c] = sum(v[c], float32(color)/16)
					}
					x := blendOf{source: a.clamped(v), constant: a.clamped(constants)}
					for c := range 4 {
						x.stored[c] = a.decoded(a.code(was, c), c)
					}
					for c := range 4 {
						r, ok := v[c], true
						if s.BlendEnable {
							r, ok = x.result(s, c)
						}
						switch {
						case a.parts[c].bits == 0 || s.ColorWriteMask>>c&1 == 0:
						case !ok:
							a.put(want, c, a.code(texel, c))
						default:
							a.put(want, c, a.encoded(r, c))
						}
					}
				}
				return a.wantTexel(t, texel, want, "%s, equation %d, attachment %d: %+v, pixel %d, sample %d", w.name, n, color, *s, pixel, sample)
			})
		}
	}
}

package conformance

import (
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Every logical operation on every format: on codes of normalized and integer formats, on nothing of the others. Blending is on, and does
// nothing. Masks leave components as they are.
func TestTables_RAS346_EveryOperationOfEveryFormat(t *testing.T) {
	rules.Covers(t, "RAS-345", "RAS-346", "RAS-347")
	devices := tableDevices(t)
	var list [][4]float32
	sources := []float32{0, 1, .2, .6, .4, -.3, .77, -1, .501, .11}
	for i := range 20 {
		list = append(list, [4]float32{sources[i%10], sources[(i*3+1)%10], sources[(i*7+2)%10], sources[(i+5)%10]})
	}
	before := make([]byte, 32*16*16)
	for k := range before {
		before[k] = byte(k*k*7 + k*31 + k/5)
	}
	// Four attachments a draw, of formats for which shaders write numbers of the same kind.
	var groups [][]*attachmentFormat
	last := map[string]int{}
	for _, a := range attachmentFormats(t, devices[0], false) {
		kind := "plain.frag"
		if a.integer() {
			kind = map[bool]string{true: "signed.frag", false: "unsigned.frag"}[a.signed()]
		}
		k, ok := last[kind]
		if !ok || len(groups[k]) == 4 {
			k = len(groups)
			last[kind], groups = k, append(groups, nil)
		}
		groups[k] = append(groups[k], a)
	}
	for i, group := range groups {
		for op, f := range logicOps {
			w := tableWays[0]
			if (i+op)%2 == 1 {
				w = wayOf(16*i + op)
			}
			mask := vk.ColorComponentFlags(15)
			if (i+op)%4 == 3 {
				mask = vk.ColorComponentFlags(1 + (i+op)%14)
			}
			var formats []vk.Format
			for _, a := range group {
				formats = append(formats, a.Format)
			}
			d := dots(formats, list)
			group[0].written(d)
			d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
				p.Blend = &vk.PipelineColorBlendStateCreateInfo{LogicOpEnable: true, LogicOp: vk.LogicOp(op)}
				for _, a := range group {
					p.Blend.Attachments = append(p.Blend.Attachments, vk.PipelineColorBlendAttachmentState{BlendEnable: !a.integer(), ColorWriteMask: mask})
				}
			}
			d.fill = func(color int) []byte { return before[:32*group[color].bytes*w.samples] }
			got := w.run(t, d, devices)
			for color, a := range group {
				got.texels(color, a.bytes, func(pixel, sample int, texel []byte) bool {
					want := append([]byte(nil), before[a.bytes*(pixel*d.samples+sample):][:a.bytes]...)
					for c := range 4 {
						if pixel >= len(list) || mask>>c&1 == 0 || a.parts[c].bits == 0 {
							continue
						}
						source, stored := a.code(a.texel(list[pixel]), c), a.code(want, c)
						if a.integer() || a.kind == "UNORM" || a.kind == "SNORM" {
							source = uint64(f(uint32(source), uint32(stored))) & (1<<a.parts[c].bits - 1)
						}
						a.put(want, c, source)
					}
					return a.wantTexel(t, texel, want, "%s, %v, mask %#x, pixel %d, sample %d", w.name, vk.LogicOp(op), uint32(mask), pixel, sample)
				})
			}
		}
	}
}

package scene

import (
	"context"
	"image/color"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/vk"
)

// colorFormat is that of scenes that show colours.
const colorFormat = vk.FormatR8G8B8A8Unorm

// words of what a scene shows.
var (
	shows  = map[string]bool{"": false, "colors": true, "resolved": true}
	values = map[string]int32{"": 0, "smooth": 0, "linear": 1, "flat": 2, "barycentric": 3}
	blends = map[string]vk.PipelineColorBlendAttachmentState{
		"":         {},
		"alpha":    {SrcColorBlendFactor: vk.BlendFactorSrcAlpha, DstColorBlendFactor: vk.BlendFactorOneMinusSrcAlpha},
		"add":      {SrcColorBlendFactor: vk.BlendFactorOne, DstColorBlendFactor: vk.BlendFactorOne},
		"multiply": {SrcColorBlendFactor: vk.BlendFactorDstColor, DstColorBlendFactor: vk.BlendFactorZero},
		"min":      {ColorBlendOp: vk.BlendOpMin},
		"max":      {ColorBlendOp: vk.BlendOpMax},
	}
)

// colored makes a pipeline that draws colours of one that draws identities.
func (d *Draw) colored(p *pumice.GraphicsPipelineDesc) error {
	how, err := pick("values", d.Values, values)
	if err != nil {
		return err
	}
	b, err := pick("blend", d.Blend, blends)
	if err != nil {
		return err
	}
	b.BlendEnable, b.ColorWriteMask = d.Blend != "", vk.ColorComponentRBit|vk.ColorComponentGBit|vk.ColorComponentBBit
	p.Fragment, p.ColorFormats = pumice.Shader{Code: colorCode, Constants: pumice.Constants{0: how}}, []vk.Format{colorFormat}
	p.Blend = &vk.PipelineColorBlendStateCreateInfo{Attachments: []vk.PipelineColorBlendAttachmentState{b}}
	return nil
}

// colors are the samples' colours, or the pixels' where samples are resolved.
func (s *Scene) colors(ctx context.Context, dev *pumice.Device) ([]color.NRGBA, error) {
	data, _, err := s.draw(ctx, dev, colorFormat, s.Show == "resolved" && s.Samples > 1)
	if err != nil {
		return nil, err
	}
	out := make([]color.NRGBA, len(data)/4)
	for i := range out {
		out[i] = color.NRGBA{data[4*i], data[4*i+1], data[4*i+2], 255}
	}
	return out, nil
}

// mean is the mean of colours.
func mean(list []color.NRGBA) color.NRGBA {
	var sum [3]int
	for _, c := range list {
		sum[0], sum[1], sum[2] = sum[0]+int(c.R), sum[1]+int(c.G), sum[2]+int(c.B)
	}
	n := len(list)
	return color.NRGBA{uint8(sum[0] / n), uint8(sum[1] / n), uint8(sum[2] / n), 255}
}

// dark is a colour for dots on a square of another.
func dark(c color.NRGBA) color.NRGBA {
	return color.NRGBA{uint8(int(c.R) * 3 / 5), uint8(int(c.G) * 3 / 5), uint8(int(c.B) * 3 / 5), 255}
}

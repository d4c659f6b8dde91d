package core

import (
	"fmt"
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/internal/render"
	"github.com/pumice-gpu/pumice/vk"
)

//go:generate glslangValidator -V --target-env vulkan1.2 -o testdata/sixteen.frag.spv testdata/limits.conf testdata/sixteen.frag

// Sixteen colour attachments of three formats: each has its own output, blending and write mask, with
// one sample and with four that are resolved, in the pipeline's state and in that of commands.
func TestColorAttachments_Sixteen(t *testing.T) {
	const n = 16
	d := open(t)
	if l := d.Limits(); render.MaxColorAttachments != n || l.MaxColorAttachments != n || l.MaxFragmentOutputAttachments != n {
		t.Fatalf("%d, %d and %d attachments", render.MaxColorAttachments, l.MaxColorAttachments, l.MaxFragmentOutputAttachments)
	}
	formats := [3]vk.Format{vk.FormatR32Uint, vk.FormatR8G8B8A8Unorm, vk.FormatR32Sfloat}
	var r vk.PipelineRenderingCreateInfo
	for k := range n {
		r.ColorAttachmentFormats = append(r.ColorAttachmentFormats, formats[k%3])
	}
	// Number 13 is written in red and alpha only, and number 14, which has red alone, in green.
	mask := func(k int) vk.ColorComponentFlags {
		switch k {
		case 13:
			return vk.ColorComponentFlags(vk.ColorComponentRBit | vk.ColorComponentABit)
		case 14:
			return vk.ColorComponentFlags(vk.ColorComponentGBit)
		}
		return 15
	}
	one, add := uint32(vk.BlendFactorOne), uint32(vk.BlendOpAdd)
	equation := []uint32{one, one, add, one, one, add}
	blended := func(k int) bool { return k%3 == 1 && k != 4 }
	want := func(k, x int) uint32 {
		switch k % 3 {
		case 0:
			return uint32(100*k + x)
		case 2:
			if k == 14 {
				return math.Float32bits(0.25)
			}
			return math.Float32bits(float32(k) + 0.5 + float32(x))
		}
		component := uint32(k) // 51 is what the attachment is cleared to: 0.2
		if blended(k) {
			component += 51
		}
		if k == 13 {
			return component<<24 | 51<<16 | 51<<8 | component
		}
		return component * 0x01010101
	}
	clear := func(k int) (c vk.ClearValue) {
		if k%3 == 0 {
			return uintClear(9)
		}
		c.Color.Float32 = [4]float32{0.2, 0.2, 0.2, 0.2}
		if k%3 == 2 {
			c.Color.Float32[0] = 0.25
		}
		return c
	}
	for _, samples := range []vk.SampleCountFlags{1, 4} {
		for _, dynamic := range []bool{false, true} {
			name := fmt.Sprintf("%d samples, dynamic %v", samples, dynamic)
			p := fullscreen(t, d, "sixteen.frag", r, func(i *GraphicsPipelineInfo) {
				i.Multisample.RasterizationSamples = samples
				if dynamic {
					i.DynamicStates = []vk.DynamicState{vk.DynamicStateColorBlendEnableEXT, vk.DynamicStateColorBlendEquationEXT, vk.DynamicStateColorWriteMaskEXT}
					return
				}
				for k := range i.ColorBlend.Attachments {
					a := &i.ColorBlend.Attachments[k]
					a.BlendEnable, a.ColorWriteMask = blended(k), mask(k)
					a.SrcColorBlendFactor, a.DstColorBlendFactor, a.SrcAlphaBlendFactor, a.DstAlphaBlendFactor = vk.BlendFactorOne, vk.BlendFactorOne, vk.BlendFactorOne, vk.BlendFactorOne
				}
			})
			var info RenderingInfo
			var images []*Image
			for k, f := range r.ColorAttachmentFormats {
				im, v := target(t, d, f, samples, 1)
				a := RenderingAttachment{View: v, Load: vk.AttachmentLoadOpClear, Clear: clear(k)}
				if samples > 1 {
					if im, a.Resolve = target(t, d, f, 1, 1); k%3 == 0 {
						a.ResolveMode = vk.ResolveModeSampleZeroBit
					}
				}
				images, info.Color = append(images, im), append(info.Color, a)
			}
			c := d.NewCommandBuffer()
			if dynamic {
				enable, equations, masks := []uint32{0}, []uint32{0}, []uint32{0}
				for k := range n {
					enable, masks = append(enable, Word(blended(k))), append(masks, uint32(mask(k)))
					equations = append(equations, equation...)
				}
				c.SetState(vk.DynamicStateColorBlendEnableEXT, enable...)
				c.SetState(vk.DynamicStateColorBlendEquationEXT, equations...)
				c.SetState(vk.DynamicStateColorWriteMaskEXT, masks[:9]...)
				c.SetState(vk.DynamicStateColorWriteMaskEXT, append([]uint32{8}, masks[9:]...)...)
			}
			c.BeginRendering(info)
			draw(c, p)
			c.EndRendering("end")
			submit(t, d, c)
			for k, im := range images {
				for i, got := range texels(t, im, 0, 0) {
					if want := want(k, i%16); got != want {
						t.Errorf("%s: attachment %d, texel %d: %x, want %x", name, k, i, got, want)
						break
					}
				}
			}
		}
	}
	c := d.NewCommandBuffer()
	if c.SetState(vk.DynamicStateColorBlendEnableEXT, append([]uint32{1}, make([]uint32, n)...)...); c.Err() == nil {
		t.Error("attachments 1 to 16 are blended")
	}
}

// Sixteen discard rectangles, a pixel each: what is outside of all of them is discarded, or what is inside of one.
func TestDiscardRectangles_RAS306_Sixteen(t *testing.T) {
	d := open(t)
	for _, inclusive := range []bool{false, true} {
		p := fullscreen(t, d, "number.frag", numberFormats, func(i *GraphicsPipelineInfo) {
			i.Windows = &Windows{DiscardMode: vk.DiscardRectangleModeExclusiveEXT}
			if inclusive {
				i.Windows.DiscardMode = vk.DiscardRectangleModeInclusiveEXT
			}
			for k := range int32(16) {
				i.Windows.DiscardRectangles = append(i.Windows.DiscardRectangles, vk.Rect2D{Offset: vk.Offset2D{X: k, Y: k % 8}, Extent: vk.Extent2D{Width: 1, Height: 1}})
			}
		})
		a, av := target(t, d, numbers, 1, 1)
		fillWords(a, 9999)
		c := d.NewCommandBuffer()
		c.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: av}}})
		draw(c, p)
		c.EndRendering("end")
		submit(t, d, c)
		for i, v := range texels(t, a, 0, 0) {
			x, y := i%16, i/16
			if drawn, want := v != 9999, (x%8 == y) == inclusive; drawn != want {
				t.Errorf("inclusive %v: texel %d, %d is drawn: %v", inclusive, x, y, drawn)
			}
		}
	}
}

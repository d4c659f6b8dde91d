package conformance

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Attachments beside each other: the catalogue's section 21.

// logicOps are RAS-346's, on the bits of source and destination.
var logicOps = [16]func(s, d uint32) uint32{
	vk.LogicOpClear: func(s, d uint32) uint32 { return 0 }, vk.LogicOpAnd: func(s, d uint32) uint32 { return s & d },
	vk.LogicOpAndReverse: func(s, d uint32) uint32 { return s & ^d }, vk.LogicOpCopy: func(s, d uint32) uint32 { return s },
	vk.LogicOpAndInverted: func(s, d uint32) uint32 { return ^s & d }, vk.LogicOpNoOp: func(s, d uint32) uint32 { return d },
	vk.LogicOpXor: func(s, d uint32) uint32 { return s ^ d }, vk.LogicOpOr: func(s, d uint32) uint32 { return s | d },
	vk.LogicOpNor: func(s, d uint32) uint32 { return ^(s | d) }, vk.LogicOpEquivalent: func(s, d uint32) uint32 { return ^(s ^ d) },
	vk.LogicOpInvert: func(s, d uint32) uint32 { return ^d }, vk.LogicOpOrReverse: func(s, d uint32) uint32 { return s | ^d },
	vk.LogicOpCopyInverted: func(s, d uint32) uint32 { return ^s }, vk.LogicOpOrInverted: func(s, d uint32) uint32 { return ^s | d },
	vk.LogicOpNand: func(s, d uint32) uint32 { return ^(s & d) }, vk.LogicOpSet: func(s, d uint32) uint32 { return ^uint32(0) },
}

// Logical operations change codes of UNORM and SNORM attachments, of whatever width; float and sRGB attachments beside them take what the
// shader writes. None is blended, whatever its state says. A second instance meets what the first one left.
func TestAttachments_RAS345_LogicalOperations(t *testing.T) {
	rules.Covers(t, "RAS-345", "RAS-346")
	dev := ruleDevice(t)
	formats := []vk.Format{vk.FormatR8G8B8A8Unorm, vk.FormatR32G32B32A32Sfloat, vk.FormatR8G8B8A8Srgb, vk.FormatR16G16B16A16Unorm, vk.FormatR8G8B8A8Snorm}
	// 0.2, 0.6, 1 and 0.4 as codes of each; those of sRGB are of 1 and of alpha.
	unorm8, unorm16, snorm8 := [4]uint32{51, 153, 255, 102}, [4]uint32{13107, 39321, 65535, 26214}, [4]uint32{25, 76, 127, 51}
	for op, f := range logicOps {
		for _, enabled := range []bool{true, false} {
			d := values(vk.PrimitiveTopologyTriangleList, 40, 24, everywhere(40, [4]float32{.2, .6, 1, .4}, [4]float32{.2, .6, 1, .4}, [4]float32{.2, .6, 1, .4})...)
			// The fifth attachment has the values as integers: 0, 0, 1 and 0.
			d.formats, d.instances = formats, 2
			d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
				blend := vk.PipelineColorBlendAttachmentState{BlendEnable: enabled, ColorWriteMask: 15} // ZERO and ZERO
				p.Blend = &vk.PipelineColorBlendStateCreateInfo{LogicOpEnable: true, LogicOp: vk.LogicOp(op), Attachments: []vk.PipelineColorBlendAttachmentState{blend}}
			}
			got := d.run(t, dev)
			twice := func(s uint32) uint32 { return f(s, f(s, 0)) }
			for _, pixel := range []int{0, 417, 40*24 - 1} {
				what := fmt.Sprintf("%v, blending %v, pixel %d", vk.LogicOp(op), enabled, pixel)
				for c := range 4 {
					if v, want := got.color[0][4*pixel+c], uint8(twice(unorm8[c])); v != want {
						t.Errorf("%s: 8 bits, component %d: %#x, want %#x", what, c, v, want)
					}
					if v, want := binary.LittleEndian.Uint16(got.color[3][8*pixel+2*c:]), uint16(twice(unorm16[c])); v != want {
						t.Errorf("%s: 16 bits, component %d: %#x, want %#x", what, c, v, want)
					}
					number := uint32(0) // ivec4 of the values
					if c == 2 {
						number = snorm8[2]
					}
					if v, want := got.color[4][4*pixel+c], uint8(twice(number)); v != want {
						t.Errorf("%s: signed, component %d: %#x, want %#x", what, c, v, want)
					}
				}
				if v := got.at(1, pixel%40, pixel/40, 0); v != [4]float32{.2, .6, 1, .4} {
					t.Errorf("%s: float %v", what, v)
				}
				if v := got.color[2][4*pixel:]; v[2] != 255 || v[3] != 102 {
					t.Errorf("%s: sRGB %v", what, v[:4])
				}
			}
		}
	}
}

// Scaled formats hold integers of what is drawn to them as floats: rounded, ties to even, and clamped to the range of the components.
// They blend as floats, and no logical operation changes them. The fifth attachment has the values without their fractions.
func TestAttachments_RAS348_Scaled(t *testing.T) {
	rules.Covers(t, "RAS-345", "RAS-348", "IMG-380")
	dev := ruleDevice(t)
	v := [4]float32{2.5, -3.5, 300, .75}
	formats := []vk.Format{vk.FormatR8G8B8A8Uscaled, vk.FormatR16G16B16A16Sscaled, vk.FormatA2B10G10R10SscaledPack32, vk.FormatB8G8R8Uscaled, vk.FormatR8G8B8A8Sscaled}
	for _, c := range []struct {
		name         string
		blend, logic bool
		want         [5][]byte
	}{
		{"stored", false, false, [5][]byte{{2, 0, 255, 1}, {2, 0, 0xFC, 0xFF, 44, 1, 1, 0}, packed10(2, 1020, 300, 1), {255, 0, 2}, {2, 0xFD, 127, 0}}},
		{"added twice", true, false, [5][]byte{{4, 0, 255, 2}, {4, 0, 0xF8, 0xFF, 88, 2, 2, 0}, packed10(4, 1016, 511, 1), {255, 0, 4}, {4, 0xFA, 127, 0}}},
		{"logical operation", true, true, [5][]byte{{2, 0, 255, 1}, {2, 0, 0xFC, 0xFF, 44, 1, 1, 0}, packed10(2, 1020, 300, 1), {255, 0, 2}, {2, 0xFD, 127, 0}}},
	} {
		d := values(vk.PrimitiveTopologyTriangleList, 40, 24, everywhere(40, v, v, v)...)
		d.formats, d.instances = formats, 2
		d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
			one := vk.BlendFactorOne
			blend := vk.PipelineColorBlendAttachmentState{BlendEnable: c.blend, SrcColorBlendFactor: one, DstColorBlendFactor: one, SrcAlphaBlendFactor: one, DstAlphaBlendFactor: one, ColorWriteMask: 15}
			p.Blend = &vk.PipelineColorBlendStateCreateInfo{LogicOpEnable: c.logic, LogicOp: vk.LogicOpXor, Attachments: []vk.PipelineColorBlendAttachmentState{blend}}
		}
		got := d.run(t, dev)
		for i, want := range c.want {
			for _, pixel := range []int{0, 417, 40*24 - 1} {
				if texel := got.color[i][pixel*len(want):][:len(want)]; !bytes.Equal(texel, want) {
					t.Errorf("%s, %v, pixel %d: %v, want %v", c.name, formats[i], pixel, texel, want)
				}
			}
		}
	}
}

// packed10 packs components of 10, 10, 10 and 2 bits, red lowest.
func packed10(r, g, b, a uint32) []byte {
	return binary.LittleEndian.AppendUint32(nil, r|g<<10|b<<20|a<<30)
}

// Each attachment blends with its own equation and mask.
func TestAttachments_RAS337_StateOfEach(t *testing.T) {
	rules.Covers(t, "RAS-337", "RAS-339", "RAS-340", "RAS-341", "RAS-347")
	dev := ruleDevice(t)
	v := [4]float32{.25, .5, 2, .75}
	d := values(vk.PrimitiveTopologyTriangleList, 24, 12, everywhere(24, v, v, v)...)
	d.instances = 3
	d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
		one, zero, all := vk.BlendFactorOne, vk.BlendFactorZero, vk.ColorComponentFlags(15)
		p.Blend = &vk.PipelineColorBlendStateCreateInfo{BlendConstants: [4]float32{2, 4, 8, 16}, Attachments: []vk.PipelineColorBlendAttachmentState{
			{ColorWriteMask: 5, SrcColorBlendFactor: zero},
			{BlendEnable: true, SrcColorBlendFactor: one, DstColorBlendFactor: one, SrcAlphaBlendFactor: one, DstAlphaBlendFactor: one, AlphaBlendOp: vk.BlendOpSubtract, ColorWriteMask: all},
			{BlendEnable: true, SrcColorBlendFactor: vk.BlendFactorConstantColor, DstColorBlendFactor: one, ColorBlendOp: vk.BlendOpReverseSubtract,
				SrcAlphaBlendFactor: vk.BlendFactorConstantAlpha, DstAlphaBlendFactor: zero, ColorWriteMask: all},
			{BlendEnable: true, ColorBlendOp: vk.BlendOpMax, AlphaBlendOp: vk.BlendOpMin, ColorWriteMask: 10},
			{BlendEnable: true, SrcColorBlendFactor: vk.BlendFactorDstAlpha, DstColorBlendFactor: one, SrcAlphaBlendFactor: vk.BlendFactorOneMinusDstAlpha, DstAlphaBlendFactor: one, ColorWriteMask: all},
		}}
	}
	got := d.run(t, dev)
	for i, want := range [][4]float32{
		{.25, 0, 2, 0},
		{.75, 1.5, 6, .75},             // sums; .75 − (.75 − (.75 − 0))
		{-.5 * 3, -2 * 3, -16 * 3, 12}, // less the constants' share, thrice
		{0, .5, 0, 0},
		{0, 0, 0, 0}, // integers of it are 0, 0, 2, 0; alpha stays 0
	} {
		for _, at := range [][2]int{{0, 0}, {23, 11}, {9, 6}} {
			if v := got.at(i, at[0], at[1], 0); v != want {
				t.Errorf("attachment %d, pixel %v: %v, want %v", i, at, v, want)
			}
		}
	}
}

// Whole pixels inside of a triangle are fully covered, be it made larger or smaller; without conservative rasterization none is.
func TestAttachments_RAS276_FullyCovered(t *testing.T) {
	rules.Covers(t, "RAS-275", "RAS-276", "RAS-277")
	dev := ruleDevice(t)
	for _, mode := range []vk.ConservativeRasterizationModeEXT{vk.ConservativeRasterizationModeDisabledEXT, vk.ConservativeRasterizationModeOverestimateEXT, vk.ConservativeRasterizationModeUnderestimateEXT} {
		for _, size := range []int{1, 2} {
			for _, mirrored := range []bool{false, true} { // the other way round, from the lower right corner
				x := func(v float32) float32 {
					if mirrored {
						return 12 - v
					}
					return v
				}
				d := triangles("covered.frag", 1, 12, 12, at(x(.25), x(.25), 0), at(x(9.25), x(.25), 0), at(x(.25), x(9.25), 0))
				d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
					p.Conservative.ConservativeRasterizationMode = mode
					p.FragmentSize = vk.Extent2D{Width: uint32(size), Height: 1}
				}
				got := d.run(t, dev)
				for i := range 144 {
					px, py := i%12, i/12
					inside := func(px, py int) (touched, whole, middle bool) {
						if mirrored {
							px, py = 11-px, 11-py
						}
						return px+py <= 9, px >= 1 && py >= 1 && px+py+2 <= 9, px+py+1 <= 9
					}
					touched, whole, covered := inside(px, py)
					switch mode {
					case vk.ConservativeRasterizationModeOverestimateEXT:
						covered = touched
					case vk.ConservativeRasterizationModeUnderestimateEXT:
						covered = whole
					}
					fully := mode != vk.ConservativeRasterizationModeDisabledEXT
					for k := range size {
						_, w, _ := inside(px/size*size+k, py)
						fully = fully && w
					}
					v := got.at(0, px, py, 0)
					if (v[0] == 1) != covered || covered && (v[1] == 1) != fully {
						t.Errorf("%v, fragments of %d, mirrored %v, pixel (%d, %d): drawn %v, fully covered %v; want %v, %v", mode, size, mirrored, px, py, v[0] == 1, v[1] == 1, covered, fully)
					}
				}
			}
		}
	}
}

// Sources and constants are clamped to what the attachment holds before they are multiplied, and what is added is linear. The second
// instance meets codes that the first one left.
func TestAttachments_RAS339_Clamped(t *testing.T) {
	rules.Covers(t, "RAS-338", "RAS-339", "RAS-343")
	dev := ruleDevice(t)
	v := [4]float32{1.5, -.25, .25, .75}
	want := [2][4][4]int{ // by instances, attachments, components; sRGB of 0.25 is 136.96, of 0.25016 + 0.25 187.54
		{{64, 0, 64, 191}, {32, -32, 32, 95}, {137, 0, 137, 191}, {16384, 0, 16384, 49151}},
		{{128, 0, 128, 255}, {64, -64, 64, 127}, {188, 0, 188, 255}, {32768, 0, 32768, 65535}},
	}
	for i := range want {
		d := values(vk.PrimitiveTopologyTriangleList, 20, 12, everywhere(20, v, v, v)...)
		d.formats, d.instances = []vk.Format{vk.FormatR8G8B8A8Unorm, vk.FormatR8G8B8A8Snorm, vk.FormatR8G8B8A8Srgb, vk.FormatR16G16B16A16Unorm, ruleFormat}, i+1
		d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
			one := vk.BlendFactorOne
			p.Blend = &vk.PipelineColorBlendStateCreateInfo{BlendConstants: [4]float32{.25, 2, 1, 1}, Attachments: []vk.PipelineColorBlendAttachmentState{{BlendEnable: true, ColorWriteMask: 15,
				SrcColorBlendFactor: vk.BlendFactorConstantColor, DstColorBlendFactor: one, SrcAlphaBlendFactor: one, DstAlphaBlendFactor: one}}}
		}
		got := d.run(t, dev)
		for _, pixel := range []int{0, 20*12 - 1, 87} {
			for a, w := range want[i] {
				for c := range w {
					code := 0
					switch at := 4*pixel + c; a {
					case 1:
						code = int(int8(got.color[a][at]))
					case 3:
						code = int(binary.LittleEndian.Uint16(got.color[a][2*at:]))
					default:
						code = int(got.color[a][at])
					}
					if code != w[c] {
						t.Errorf("%v, %d instances, pixel %d, component %d: %d, want %d", d.formats[a], i+1, pixel, c, code, w[c])
					}
				}
			}
			// 1, 0, 0 and 0 as they are: floats have no range.
			if v := got.at(4, pixel%20, pixel/20, 0); v != [4]float32{.25 * float32(i+1), 0, 0, 0} {
				t.Errorf("%d instances, pixel %d: float %v", i+1, pixel, v)
			}
		}
	}
}

// Shaders read what earlier fragments left in their pixel, of the sample that they name: the first
// triangle has samples 1 and 3 of the first pixel, the second all of them.
func TestAttachments_RAS312_TileImages(t *testing.T) {
	rules.Covers(t, "RAS-312")
	dev := ruleDevice(t)
	for sample := range 4 {
		d := &ruleDraw{topology: vk.PrimitiveTopologyTriangleList, size: [2]int{2, 1}, samples: 4, colors: 2, vertex: "values.vert", pixels: "tile.spvasm", depth: vk.FormatD32SfloatS8Uint}
		for _, v := range [6][2]float32{{.5, -9}, {20, -9}, {.5, 20}, {-9, -9}, {20, -9}, {-9, 20}} {
			d.vertices = append(d.vertices, at(v[0], v[1]).deep(.5, 1))
		}
		d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
			p.Fragment.Constants = pumice.Constants{0: int32(sample)}
			withDepth(p)
			p.DepthStencil.DepthCompareOp, p.DepthStencil.StencilTestEnable = vk.CompareOpAlways, true
			p.DepthStencil.Front = vk.StencilOpState{PassOp: vk.StencilOpIncrementAndClamp, CompareOp: vk.CompareOpAlways, CompareMask: 255, WriteMask: 255}
			p.DepthStencil.Back = p.DepthStencil.Front
		}
		got := d.run(t, dev)
		for i := range 8 {
			x, s := i/4, i%4
			want, others := float32(.5), [4]float32{.5, 1, 0, 1}
			if x == 0 && sample%2 == 0 {
				want, others = .25, [4]float32{1, 0, 0, 1}
			}
			if a, b := got.at(0, x, 0, s), got.at(1, x, 0, s); a != [4]float32{want, want, want, want} || b != others {
				t.Errorf("sample %d is read, pixel %d, sample %d: %v and %v, want %v and %v", sample, x, s, a, b, want, others)
			}
		}
	}
}

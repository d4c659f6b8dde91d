package fragops

import (
	"math"
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/vk"
)

// maxTexel is the largest texel of a colour attachment, in bytes.
const maxTexel = 32

// ColorDesc describes what a draw does to one colour attachment.
type ColorDesc struct {
	Info          *format.Info // of the view's format
	State         vk.PipelineColorBlendAttachmentState
	Constants     Vec4
	Advanced      AdvancedBlend
	LogicOpEnable bool
	LogicOp       vk.LogicOp
	WriteEnable   bool // colorWriteEnable
}

// Color writes shader outputs to one colour attachment: the state key and its
// parameters in the form the loops want.
type Color struct {
	info  *format.Info
	blend BlendState
	logic vk.LogicOp
	// keep has the bits of a texel that stay as they are: masked components
	// and padding.
	keep [maxTexel]byte
	mode colorMode
	// blending and logicOn select the steps of the reference path.
	blending, logicOn, masked bool
}

// colorMode names the loops of the common keys.
type colorMode uint8

const (
	colorReference colorMode = iota
	colorNothing             // no component is written
	colorRGBA8
	colorRGBA8Srgb
	colorRGBA8Over
	colorRGBA8SrgbOver
	colorBGRA8
	colorBGRA8Srgb
	colorBGRA8Over
	colorBGRA8SrgbOver
	colorWhole // texels of 1, 2, 4, 8 or 16 bytes, overwritten
)

const allComponents = vk.ColorComponentRBit | vk.ColorComponentGBit | vk.ColorComponentBBit | vk.ColorComponentABit

// NewColor checks the state and picks the loop.
func NewColor(d ColorDesc) (*Color, error) {
	if err := d.Info.Supported(); err != nil {
		return nil, err
	}
	num := numericOf(d.Info)
	if d.Info.BlockBytes > maxTexel || num == numOther {
		return nil, &StateError{What: "colour attachment of format " + d.Info.Format.String(), Rule: "RAS-337", Fix: "use a colour-renderable format"}
	}
	c := &Color{info: d.Info, logic: d.LogicOp}
	integer := num == numInteger
	mask := d.State.ColorWriteMask & allComponents
	if !d.WriteEnable {
		mask = 0
	}
	if d.LogicOpEnable {
		if d.LogicOp < vk.LogicOpClear || d.LogicOp > vk.LogicOpSet {
			return nil, &StateError{What: "logical operation " + d.LogicOp.String(), Rule: "RAS-346", Fix: "use one of VkLogicOp's values"}
		}
		// RAS-345: float and sRGB attachments take the source as it is.
		c.logicOn = num != numFloat && num != numSrgb
	}
	if d.State.BlendEnable && !d.LogicOpEnable && !integer {
		c.blending = true
		c.blend = BlendState{
			SrcColor: d.State.SrcColorBlendFactor, DstColor: d.State.DstColorBlendFactor, ColorOp: d.State.ColorBlendOp,
			SrcAlpha: d.State.SrcAlphaBlendFactor, DstAlpha: d.State.DstAlphaBlendFactor, AlphaOp: d.State.AlphaBlendOp,
			Constants: d.Constants, Advanced: d.Advanced,
		}
		if err := c.blend.check(); err != nil {
			return nil, err
		}
		c.blend.Lo, c.blend.Hi = num.clampRange()
	}
	c.setKeep(mask)
	c.mode = c.pickMode(mask, num)
	return c, nil
}

// setKeep finds which bits of a texel are not to be written.
//
// RAS-347 framebuffer-color-write-mask
func (c *Color) setKeep(mask vk.ColorComponentFlags) {
	if mask == allComponents && !c.logicOn {
		return
	}
	if c.info.SharedExponent() {
		return // all components or none: RAS-347; NewColor has handled none
	}
	for i := range c.keep {
		c.keep[i] = 0xFF
	}
	for comp, f := range c.info.Components {
		if mask>>comp&1 == 0 || f.Kind == format.KindNone {
			continue
		}
		for bit := f.Shift; bit < f.Shift+f.Bits; bit++ {
			c.keep[bit/8] &^= 1 << (bit % 8)
		}
	}
	c.masked = mask != allComponents
}

// pickMode returns the fast loop of the state, if it has one.
func (c *Color) pickMode(mask vk.ColorComponentFlags, num numeric) colorMode {
	if mask == 0 {
		return colorNothing
	}
	if c.logicOn {
		return colorReference
	}
	if c.masked {
		switch {
		case !c.blending && c.info.Format == vk.FormatR8G8B8A8Unorm:
			return colorRGBA8
		case !c.blending && c.info.Format == vk.FormatB8G8R8A8Unorm:
			return colorBGRA8
		}
		return colorReference
	}
	over := c.blending && c.blend.SrcColor == vk.BlendFactorSrcAlpha && c.blend.DstColor == vk.BlendFactorOneMinusSrcAlpha &&
		c.blend.ColorOp == vk.BlendOpAdd && c.blend.AlphaOp == vk.BlendOpAdd && c.blend.DstAlpha == vk.BlendFactorOneMinusSrcAlpha &&
		(c.blend.SrcAlpha == vk.BlendFactorOne || c.blend.SrcAlpha == vk.BlendFactorSrcAlpha)
	if c.blending && !over {
		return colorReference
	}
	var plain, blended colorMode
	switch c.info.Format {
	case vk.FormatR8G8B8A8Unorm:
		plain, blended = colorRGBA8, colorRGBA8Over
	case vk.FormatR8G8B8A8Srgb:
		plain, blended = colorRGBA8Srgb, colorRGBA8SrgbOver
	case vk.FormatB8G8R8A8Unorm:
		plain, blended = colorBGRA8, colorBGRA8Over
	case vk.FormatB8G8R8A8Srgb:
		plain, blended = colorBGRA8Srgb, colorBGRA8SrgbOver
	default:
		if n := c.info.BlockBytes; over || n&(n-1) != 0 || n > 16 {
			return colorReference
		}
		return colorWhole
	}
	if over {
		return blended
	}
	return plain
}

// TakesQuads says whether Write knows WholeQuad.
func (c *Color) TakesQuads() bool {
	switch c.mode {
	case colorRGBA8, colorBGRA8, colorRGBA8Over, colorBGRA8Over:
		return true
	default:
		return false
	}
}

// Active says whether Write can change anything.
func (c *Color) Active() bool { return c.mode != colorNothing }

// ReadsDestination says whether the result depends on what memory holds.
func (c *Color) ReadsDestination() bool { return c.blending || c.logicOn || c.masked }

// DualSource says whether Write needs the second source.
func (c *Color) DualSource() bool { return c.blending && c.blend.DualSource() }

// Write stores the colours of fragments in the order of the list, which is
// primitive order. src[k][lane] is component k of the output with index 0,
// src1 that of index 1; it may be nil unless DualSource. An output of another
// type than the format's is taken for what its bits say.
//
// RAS-337 framebuffer-blending, RAS-348 interfaces-fragmentoutput
func (c *Color) Write(dst *Surface, list []Fragment, src, src1 *[4][]uint32) {
	switch c.mode {
	case colorNothing:
	case colorRGBA8:
		c.writeRGBA8(dst, list, src, 0)
	case colorRGBA8Srgb:
		writeSrgb8(dst, list, src, 0)
	case colorBGRA8:
		c.writeRGBA8(dst, list, src, 2)
	case colorBGRA8Srgb:
		writeSrgb8(dst, list, src, 2)
	case colorRGBA8Over:
		c.overRGBA8(dst, list, src, 0)
	case colorRGBA8SrgbOver:
		c.overSrgb8(dst, list, src, 0)
	case colorBGRA8Over:
		c.overRGBA8(dst, list, src, 2)
	case colorBGRA8SrgbOver:
		c.overSrgb8(dst, list, src, 2)
	case colorWhole:
		c.whole(dst, list, src)
	default:
		c.writeReference(dst, list, src, src1)
	}
}

// writeReference is the rule, sample by sample.
func (c *Color) writeReference(dst *Surface, list []Fragment, src, src1 *[4][]uint32) {
	n := c.info.BlockBytes
	for _, it := range list {
		var s1 format.Texel
		s := lane(src, int(it.Lane))
		if src1 != nil {
			s1 = lane(src1, int(it.Lane))
		}
		at := dst.Offset(int(it.X), int(it.Y), 0)
		var same []byte // what all samples get that overwrite
		for m := it.Mask; m != 0; m &= m - 1 {
			p := dst.Data[at+bits.TrailingZeros16(m)*dst.SampleBytes:][:n:n]
			if same != nil {
				copy(p, same)
				continue
			}
			if c.sample(p, s, s1); !c.ReadsDestination() {
				same = p
			}
		}
	}
}

// lane gathers a colour from its component arrays.
func lane(src *[4][]uint32, i int) format.Texel {
	return format.Texel{src[0][i], src[1][i], src[2][i], src[3][i]}
}

// sample blends or combines one colour with the texel at p and stores it.
func (c *Color) sample(p []byte, s, s1 format.Texel) {
	if c.blending {
		// Decoding linearises sRGB and fills in missing components.
		d := floats(c.info.Decode(p))
		r := c.blend.Blend(floats(s), floats(s1), d)
		for i, v := range r {
			s[i] = math.Float32bits(v)
		}
	}
	if !c.logicOn && !c.masked {
		c.info.Encode(p, s)
		return
	}
	// Encoded in place: what a codec is given may escape, and nothing is
	// allocated in a tile. Nobody else looks at the worker's tile.
	var old [maxTexel]byte
	copy(old[:], p)
	c.info.Encode(p, s)
	for i := range p {
		v := p[i]
		if c.logicOn {
			v = logicOp(c.logic, v, old[i])
		}
		p[i] = old[i]&c.keep[i] | v&^c.keep[i]
	}
}

// floats reinterprets the bits of a texel of class float.
func floats(t format.Texel) Vec4 {
	return Vec4{math.Float32frombits(t[0]), math.Float32frombits(t[1]), math.Float32frombits(t[2]), math.Float32frombits(t[3])}
}

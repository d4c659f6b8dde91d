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

// ColorState is a ColorDesc with what has no effect left out.
type ColorState struct {
	Info *format.Info
	// Mask is the components that are written: all where none that the format has is missing.
	Mask vk.ColorComponentFlags
	// Logical: Logic combines the codes; otherwise they are written.
	Logical bool
	Logic   vk.LogicOp
	// Blending: Blend makes the colour.
	Blending bool
	Blend    BlendState
}

// Color writes shader outputs to one colour attachment.
type Color struct {
	ColorState
	// keep has the bits of a texel that stay as they are: masked components
	// and padding.
	keep   [maxTexel]byte
	masked bool
}

const allComponents = vk.ColorComponentRBit | vk.ColorComponentGBit | vk.ColorComponentBBit | vk.ColorComponentABit

// NewColor checks the state.
func NewColor(d ColorDesc) (*Color, error) {
	if err := d.Info.Supported(); err != nil {
		return nil, err
	}
	num := numericOf(d.Info)
	if d.Info.BlockBytes > maxTexel || num == numOther {
		return nil, &StateError{What: "colour attachment of format " + d.Info.Format.String(), Rule: "RAS-337", Fix: "use a colour-renderable format"}
	}
	c := &Color{ColorState: ColorState{Info: d.Info, Logic: d.LogicOp}}
	integer := num == numInteger
	if d.WriteEnable {
		c.Mask = writtenComponents(d.Info, d.State.ColorWriteMask)
	}
	if d.LogicOpEnable {
		if d.LogicOp < vk.LogicOpClear || d.LogicOp > vk.LogicOpSet {
			return nil, &StateError{What: "logical operation " + d.LogicOp.String(), Rule: "RAS-346", Fix: "use one of VkLogicOp's values"}
		}
		// RAS-345: float and sRGB attachments take the source as it is.
		c.Logical = num != numFloat && num != numSrgb && d.LogicOp != vk.LogicOpCopy
		if c.Logical && d.LogicOp == vk.LogicOpNoOp {
			c.Mask = 0
		}
	}
	if d.State.BlendEnable && !d.LogicOpEnable && !integer {
		c.Blending = true
		c.Blend = BlendState{
			SrcColor: d.State.SrcColorBlendFactor, DstColor: d.State.DstColorBlendFactor, ColorOp: d.State.ColorBlendOp,
			SrcAlpha: d.State.SrcAlphaBlendFactor, DstAlpha: d.State.DstAlphaBlendFactor, AlphaOp: d.State.AlphaBlendOp,
			Constants: d.Constants, Advanced: d.Advanced, Half: HalfCodes(d.Info),
		}
		if err := c.Blend.check(); err != nil {
			return nil, err
		}
		c.Blend.Lo, c.Blend.Hi = num.clampRange()
	}
	c.setKeep()
	return c, nil
}

// writtenComponents is a mask of what a format has of components, and of all where it leaves none of them out, so that
// nothing is read to keep what is not there.
func writtenComponents(info *format.Info, mask vk.ColorComponentFlags) vk.ColorComponentFlags {
	var has vk.ColorComponentFlags
	for i, c := range info.Components {
		if c.Kind != format.KindNone {
			has |= 1 << i
		}
	}
	if mask &= has; mask == has {
		return allComponents
	}
	return mask
}

// setKeep finds which bits of a texel are not to be written.
//
// RAS-347 framebuffer-color-write-mask
func (c *Color) setKeep() {
	if c.Mask == allComponents && !c.Logical {
		return
	}
	if c.Info.SharedExponent() {
		return // all components or none: RAS-347; NewColor has handled none
	}
	for i := range c.keep {
		c.keep[i] = 0xFF
	}
	for comp, f := range c.Info.Components {
		if c.Mask>>comp&1 == 0 || f.Kind == format.KindNone {
			continue
		}
		for bit := f.Shift; bit < f.Shift+f.Bits; bit++ {
			c.keep[bit/8] &^= 1 << (bit % 8)
		}
	}
	c.masked = c.Mask != allComponents
}

// Active says whether Write can change anything.
func (c *Color) Active() bool { return c.Mask != 0 }

// ReadsDestination says whether the result depends on what memory holds.
func (c *Color) ReadsDestination() bool {
	constant := c.Logic == vk.LogicOpClear || c.Logic == vk.LogicOpSet || c.Logic == vk.LogicOpCopyInverted // of what is there
	return c.Blending || c.Logical && !constant || c.masked
}

// DualSource says whether Write needs the second source.
func (c *Color) DualSource() bool { return c.Blending && c.Blend.DualSource() }

// Write stores the colours of fragments in the order of the list, which is
// primitive order. src[k][lane] is component k of the output with index 0,
// src1 that of index 1; it may be nil unless DualSource. An output of another
// type than the format's is taken for what its bits say.
//
// RAS-337 framebuffer-blending, RAS-348 interfaces-fragmentoutput
func (c *Color) Write(dst *Surface, list []Fragment, src, src1 *[4][]uint32) {
	if !c.Active() {
		return
	}
	n := c.Info.BlockBytes
	for _, it := range list {
		var s1 format.Texel
		s := lane(src, int(it.Lane))
		if src1 != nil {
			s1 = lane(src1, int(it.Lane))
		}
		at := dst.Offset(int(it.X), int(it.Y), 0)
		var same []byte // what all samples get that overwrite
		for m := it.Mask; m != 0; m &= m - 1 {
			p := dst.Data[at+bits.TrailingZeros64(m)*dst.SampleBytes:][:n:n]
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
	if c.Blending {
		// Decoding linearises sRGB and fills in missing components.
		d := floats(c.Info.Decode(p))
		r := c.Blend.Blend(floats(s), floats(s1), d)
		for i, v := range r {
			s[i] = math.Float32bits(v)
		}
	}
	if !c.Logical && !c.masked {
		c.Info.Encode(p, s)
		return
	}
	// Encoded in place: what a codec is given may escape, and nothing is
	// allocated in a tile. Nobody else looks at the worker's tile.
	var old [maxTexel]byte
	copy(old[:], p)
	c.Info.Encode(p, s)
	for i := range p {
		v := p[i]
		if c.Logical {
			v = logicOp(c.Logic, v, old[i])
		}
		p[i] = old[i]&c.keep[i] | v&^c.keep[i]
	}
}

// floats reinterprets the bits of a texel of class float.
func floats(t format.Texel) Vec4 {
	return Vec4{math.Float32frombits(t[0]), math.Float32frombits(t[1]), math.Float32frombits(t[2]), math.Float32frombits(t[3])}
}

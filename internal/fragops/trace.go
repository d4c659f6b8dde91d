package fragops

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/vk"
)

// Tested is what the tests did to one sample, step by step.
type Tested struct {
	Bounds, BoundsPass bool   // depth bounds are tested, and kept the sample
	Stored, Fragment   uint32 // za and zf, as codes
	Clamped            float32
	// Reached says how far the sample came: nothing is compared behind a test that it fails.
	StencilReached, StencilPass bool
	DepthReached, DepthPass     bool
	Face                        *Face
	Op                          vk.StencilOp // that was carried out
	StencilStored, StencilAfter uint8
	Pass                        bool
}

// Trace tells what Quad does to a sample: depth and stencil are what it has there (empty without
// such a plane), z is the fragment's depth before clamping.
func (d *DepthStencil) Trace(depth, stencil []byte, back bool, ref uint8, z float32) (t Tested) {
	if t.Face = &d.Faces[0]; back {
		t.Face = &d.Faces[1]
	}
	if len(depth) > 0 {
		t.Stored = LoadDepth(d.Format, depth)
	}
	if d.DepthTest {
		t.Clamped = d.clamp(z)
		t.Fragment = EncodeDepth(d.Format, t.Clamped)
	}
	if d.StencilTest {
		t.StencilStored = stencil[0]
	}
	v, op, sg := d.test(t.Face, ref, t.StencilStored, t.Stored, t.Fragment)
	t.Bounds, t.BoundsPass = d.BoundsTest, d.BoundsTest && v&passedBounds != 0
	if t.StencilReached = d.StencilTest && v&passedBounds != 0; t.StencilReached {
		t.StencilPass, t.Op, t.StencilAfter = v&passedStencil != 0, op, sg
	}
	t.DepthReached = d.DepthTest && v&passedStencil != 0
	t.DepthPass, t.Pass = t.DepthReached && v == passed, v == passed
	return t
}

// Blended is what became of one colour at one sample.
type Blended struct {
	// Source, Second and Destination are the operands as they take part, the factors those that
	// they are multiplied with; Result is what is encoded.
	Source, Second, Destination, SourceFactors, DestinationFactors Vec4
	Result                                                         format.Texel
	// Stored is the texel then.
	Stored []byte
}

// Trace tells what Write does with a colour, and with the second source, at a sample that holds the bytes of texel.
func (c *Color) Trace(texel []byte, s, s1 format.Texel) (t Blended) {
	t.Stored = append([]byte(nil), texel...)
	t.Result = s
	if c.Blending {
		b := &c.Blend
		t.Source, t.Second, t.Destination = b.Clamped(floats(s)), b.Clamped(floats(s1)), b.Clamped(floats(c.Info.Decode(texel)))
		k := b.Clamped(b.Constants)
		for i := range 4 {
			t.SourceFactors[i], t.DestinationFactors[i] = b.factors(i, &t.Source, &t.Second, &t.Destination, &k)
		}
		for i, v := range b.Blend(floats(s), floats(s1), floats(c.Info.Decode(texel))) {
			t.Result[i] = math.Float32bits(v)
		}
	}
	if c.Active() {
		c.sample(t.Stored[:c.Info.BlockBytes:c.Info.BlockBytes], s, s1)
	}
	return t
}

// IsAdvanced says that the equation is one of the advanced operations, which have no factors.
func (b *BlendState) IsAdvanced() bool { return advancedOp(b.ColorOp) }

package pumice

import (
	"context"
	"fmt"
	"math"

	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/internal/rules/catalogue"
)

// Coord is a coordinate of an image: as many components as the view has
// dimensions (three for cubes, a direction), then the array layer.
type Coord [4]float32

// Texel is what an image instruction gives: four components, R, G, B, A, that
// are floats or integers as the view's format says.
type Texel struct {
	bits  [4]uint32
	class uint8
}

// Bits returns the components as they are.
func (t Texel) Bits() [4]uint32 { return t.bits }

// Float returns the components as numbers, whatever they are.
func (t Texel) Float() (f [4]float32) {
	for c, b := range t.bits {
		switch t.class {
		case uint8(core.ResultSint):
			f[c] = float32(int32(b))
		case uint8(core.ResultUint):
			f[c] = float32(b)
		default:
			f[c] = math.Float32frombits(b)
		}
	}
	return f
}

// Integer says that the components are integers, and Int returns them. Those
// of unsigned formats are bits of a uint32.
func (t Texel) Integer() bool { return t.class != uint8(core.ResultFloat) }

// Int returns the components of an integer format.
func (t Texel) Int() (i [4]int32) {
	for c, b := range t.bits {
		i[c] = int32(b)
	}
	return i
}

// String writes the four components.
func (t Texel) String() string {
	switch t.class {
	case uint8(core.ResultSint):
		i := t.Int()
		return fmt.Sprintf("(%d, %d, %d, %d)", i[0], i[1], i[2], i[3])
	case uint8(core.ResultUint):
		return fmt.Sprintf("(%d, %d, %d, %d)", t.bits[0], t.bits[1], t.bits[2], t.bits[3])
	}
	f := t.Float()
	return fmt.Sprintf("(%v, %v, %v, %v)", f[0], f[1], f[2], f[3])
}

// SampleOptions are the operands of a sample or gather beside its coordinates.
// The zero value is what textureLod(s, p, 0.0) is in GLSL.
type SampleOptions struct {
	// Lod is the level of detail.
	Lod float32
	// Quads takes the level of detail from the coordinates instead, as fragment
	// shaders do: each four are a quad of 2×2 fragments, row by row. Bias is
	// added to it.
	Quads bool
	Bias  float32
	// Grad takes it from derivatives of the coordinates to x and y.
	Grad *[2][3]float32
	// MinLod bounds it from below.
	MinLod float32
	// Offset is added, in texels: −8 to 7, −32 to 31 in gathers.
	Offset [3]int
	// Dref is the reference value that a comparing sampler compares.
	Dref float32
}

// instruction spells the options out.
func (o *SampleOptions) instruction(op string, at []Coord) (*core.ImageInstruction, error) {
	in := &core.ImageInstruction{Kind: core.ImageSample, Mode: core.LodExplicit, Lod: o.Lod, MinLod: o.MinLod, Dref: o.Dref}
	in.Coords = make([][4]float32, len(at))
	for i, c := range at {
		in.Coords[i] = c
	}
	switch {
	case o.Quads && o.Grad != nil:
		return nil, &Error{Op: op, Rule: "SampleOptions", Detail: "both Quads and Grad", Hint: "one of them gives the level of detail"}
	case o.Quads && len(at)%4 != 0:
		return nil, &Error{Op: op, Rule: "SampleOptions.Quads", Detail: fmt.Sprintf("%d coordinates", len(at)), Hint: "each four are a quad"}
	case o.Quads:
		in.Mode, in.Lod, in.Quads = core.LodBias, o.Bias, true
	case o.Grad != nil:
		in.Mode, in.Grad = core.LodGrad, *o.Grad
	}
	for c, x := range o.Offset {
		if x < -(1<<20) || x > 1<<20 {
			return nil, &Error{Op: op, Rule: "SampleOptions.Offset", Detail: fmt.Sprintf("an offset of %d texels", x)}
		}
		in.Offset[c] = int32(x)
	}
	return in, nil
}

// Sample samples an image at each coordinate, as a shader does, after all work
// submitted before. With a comparing sampler the first component is the result.
func (d *Device) Sample(ctx context.Context, t Texture, at []Coord, o SampleOptions) ([]Texel, error) {
	const op = "Device.Sample"
	in, err := o.instruction(op, at)
	if err != nil {
		return nil, err
	}
	return d.runImage(ctx, op, in, t)
}

// Gather returns one component, 0 to 3, of the four texels that a LINEAR filter
// would read at each coordinate, counterclockwise from the lower left (IMG-516).
// With a comparing sampler it returns the four comparisons. The texels are of the
// view's first level, whatever the sampler says of levels (IMG-515), unless Lod, or Bias
// with Quads, is not zero: then of the level nearest to the level of detail that they
// give (IMG-889). Grad and MinLod are errors.
func (d *Device) Gather(ctx context.Context, t Texture, at []Coord, component int, o SampleOptions) ([]Texel, error) {
	const op = "Device.Gather"
	in, err := o.gather(op, at, component)
	if err != nil {
		return nil, err
	}
	return d.runImage(ctx, op, in, t)
}

// gather is instruction for gathers.
func (o *SampleOptions) gather(op string, at []Coord, component int) (*core.ImageInstruction, error) {
	in, err := o.instruction(op, at)
	if err != nil {
		return nil, err
	}
	in.Kind, in.Component = core.ImageGather, component
	switch {
	case o.Grad != nil: // IMG-401
		return nil, &Error{Op: op, Rule: "SampleOptions.Grad", Detail: "derivatives for a gather", Hint: "gathers read one level; Lod chooses it"}
	case in.Lod == 0: // IMG-515
		in.Mode, in.Quads = core.LodZero, false
	}
	return in, nil
}

// QueryLod returns the level of detail of each quad's fragments: in the first
// component the level that is read, in the second λ′ before clamping. Each four
// coordinates are a quad.
func (d *Device) QueryLod(ctx context.Context, t Texture, at []Coord) ([]Texel, error) {
	const op = "Device.QueryLod"
	o := SampleOptions{Quads: true}
	in, err := o.instruction(op, at)
	if err != nil {
		return nil, err
	}
	in.Kind = core.ImageQueryLod
	return d.runImage(ctx, op, in, t)
}

// FetchOptions choose among the texels at a coordinate.
type FetchOptions struct {
	// Level counts from the view's first level, Sample from 0.
	Level, Sample int
}

// Fetch reads texels by integer coordinates, the array layer last. Texels
// outside of the image are zero, with an alpha of one where the format has none.
func (d *Device) Fetch(ctx context.Context, v View, at [][4]int, o FetchOptions) ([]Texel, error) {
	return d.runImage(ctx, "Device.Fetch", o.fetch(at), Texture{View: v})
}

// fetch spells the options out.
func (o *FetchOptions) fetch(at [][4]int) *core.ImageInstruction {
	in := &core.ImageInstruction{Kind: core.ImageFetch, Level: clampInt32(o.Level), Sample: clampInt32(o.Sample), Texels: make([][4]int32, len(at))}
	for i, t := range at {
		for c, x := range t {
			in.Texels[i][c] = clampInt32(x)
		}
	}
	return in
}

// clampInt32 keeps what is outside of every image outside.
func clampInt32(x int) int32 { return int32(min(max(x, math.MinInt32), math.MaxInt32)) }

// Step is one step of an explained instruction: its rule by number ("IMG-516") and title, as
// docs/rules has them, and as Text the numbers that came of it.
type Step struct{ Rule, Title, Text string }

// ExplainSample samples at one coordinate and tells how: the steps are those of
// the very computation that gives the texel. With Quads, at holds the four
// fragments of a quad and fragment is the one explained.
func (d *Device) ExplainSample(ctx context.Context, t Texture, at []Coord, fragment int, o SampleOptions) (Texel, []Step, error) {
	const op = "Device.ExplainSample"
	in, err := o.instruction(op, at)
	if err != nil {
		return Texel{}, nil, err
	}
	return d.explainImage(ctx, op, in, t, len(at), fragment)
}

// ExplainGather is ExplainSample for Gather.
func (d *Device) ExplainGather(ctx context.Context, t Texture, at []Coord, component, fragment int, o SampleOptions) (Texel, []Step, error) {
	const op = "Device.ExplainGather"
	in, err := o.gather(op, at, component)
	if err != nil {
		return Texel{}, nil, err
	}
	return d.explainImage(ctx, op, in, t, len(at), fragment)
}

// ExplainFetch is ExplainSample for Fetch, of one texel.
func (d *Device) ExplainFetch(ctx context.Context, v View, at [4]int, o FetchOptions) (Texel, []Step, error) {
	return d.explainImage(ctx, "Device.ExplainFetch", o.fetch([][4]int{at}), Texture{View: v}, 1, 0)
}

// explainImage runs an instruction of n coordinates at one of them.
func (d *Device) explainImage(ctx context.Context, op string, in *core.ImageInstruction, t Texture, n, fragment int) (Texel, []Step, error) {
	if fragment < 0 || fragment >= n {
		return Texel{}, nil, &Error{Op: op, Rule: "fragment", Detail: fmt.Sprintf("fragment %d of %d coordinates", fragment, n)}
	}
	in.Trace, in.Only = new(core.Trace), fragment
	texels, err := d.runImage(ctx, op, in, t)
	if err != nil {
		return Texel{}, nil, err
	}
	steps := make([]Step, len(in.Trace.Steps))
	for i, s := range in.Trace.Steps {
		steps[i] = Step{s.Rule, catalogue.Title(s.Rule), s.Text}
	}
	return texels[fragment], steps, nil
}

func (d *Device) runImage(ctx context.Context, op string, in *core.ImageInstruction, t Texture) ([]Texel, error) {
	var of core.Descriptor
	if err := describeView(t.View, &of); err != nil {
		return nil, err
	}
	out, class, err := d.object().RunImage(ctx, core.Op(op), in, of.View, t.Sampler.object())
	if err != nil {
		return nil, err
	}
	texels := make([]Texel, len(out))
	for i, b := range out {
		texels[i] = Texel{b, uint8(class)}
	}
	return texels, nil
}

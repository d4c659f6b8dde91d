package core

import (
	"context"
	"fmt"
	"math"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/rules/catalogue"
	"github.com/pumice-gpu/pumice/internal/sampling"
	"github.com/pumice-gpu/pumice/vk"
)

// The instructions, and where a level of detail comes from.
const (
	ImageSample   = ir.ImageSample
	ImageGather   = ir.ImageGather
	ImageFetch    = ir.ImageFetch
	ImageQueryLod = ir.ImageQueryLod

	LodImplicit = ir.LodImplicit
	LodBias     = ir.LodBias
	LodExplicit = ir.LodExplicit
	LodZero     = ir.LodZero
	LodGrad     = ir.LodGrad
)

// Trace collects the steps of an instruction.
type Trace = sampling.Trace

// ImageInstruction is one image instruction outside of any shader, for any
// number of coordinates.
type ImageInstruction struct {
	Kind ir.ImageKind
	// Coords are of samples and gathers, Texels of fetches; the array layer
	// comes last.
	Coords [][4]float32
	Texels [][4]int32
	// Mode says which of Lod (level or bias) and Grad count.
	Mode   ir.LodMode
	Lod    float32
	Grad   [2][3]float32 // to x and to y
	Quads  bool          // coordinates 4q…4q+3 are a quad: implicit derivatives
	MinLod float32
	Offset [3]int32
	Dref   float32
	// Component is of gathers; Level and Sample are of fetches.
	Component     int
	Level, Sample int32
	// Trace collects the steps; Only is then the one coordinate that is run.
	Trace *Trace
	Only  int
}

// Classes of results: how their bits are to be read.
const (
	ResultFloat = format.ClassFloat
	ResultSint  = format.ClassSint
	ResultUint  = format.ClassUint
)

// RunImage executes an instruction on a view, in the queue's turn. The results
// are bits of the class that it returns.
func (d *Device) RunImage(ctx context.Context, op Op, in *ImageInstruction, v *ImageView, s *Sampler) ([][4]uint32, format.Class, error) {
	if err := d.usable(op); err != nil {
		return nil, 0, err
	}
	if v == nil {
		return nil, 0, nilObject(op, "image view")
	}
	if err := v.use(d, op); err != nil {
		return nil, 0, err
	}
	if err := v.image.need(d, op, "VkWriteDescriptorSet-descriptorType-00337", vk.ImageUsageSampledBit); err != nil {
		return nil, 0, err
	}
	info := v.view.Info
	o := ir.ImageOp{Kind: in.Kind, Lod: in.Mode, MS: v.image.res.Samples > 1, Results: 4, GatherComp: uint8(in.Component)}
	switch v.view.Type {
	case vk.ImageViewType1D, vk.ImageViewType1DArray:
		o.Dim, o.Coords, o.Arrayed = ir.Dim1D, 1, v.view.Type == vk.ImageViewType1DArray
	case vk.ImageViewType3D:
		o.Dim, o.Coords = ir.Dim3D, 3
	case vk.ImageViewTypeCube, vk.ImageViewTypeCubeArray:
		o.Dim, o.Coords, o.Arrayed = ir.DimCube, 3, v.view.Type == vk.ImageViewTypeCubeArray
		if in.Kind == ir.ImageFetch {
			return nil, 0, d.misuse(op, "IMG-174", "make a view of type 2D_ARRAY", "texels of a cube view are not fetched")
		}
	default:
		o.Dim, o.Coords, o.Arrayed = ir.Dim2D, 2, v.view.Type == vk.ImageViewType2DArray
	}
	o.GradCoords = min(o.Coords, 3)
	if o.Arrayed {
		o.Coords++
	}
	sampled := in.Kind != ir.ImageFetch
	switch {
	case sampled && s == nil:
		return nil, 0, nilObject(op, "sampler")
	case sampled && o.MS:
		return nil, 0, d.misuse(op, "VUID-StandaloneSpirv-OpTypeImage-04657", "fetch its samples", "an image with %d samples a texel is not sampled", v.image.res.Samples)
	case in.Kind == ir.ImageGather && o.Dim != ir.Dim2D && o.Dim != ir.DimCube:
		return nil, 0, d.misuse(op, "IMG-174", "gathers take 2D and cube views", "a gather from a view of type %v", v.view.Type)
	case in.Kind == ir.ImageGather && uint(in.Component) > 3:
		return nil, 0, d.misuse(op, "VUID-StandaloneSpirv-OpImageGather-04664", "0 to 3", "component %d", in.Component)
	}
	if sampled {
		if err := s.use(d, op); err != nil {
			return nil, 0, err
		}
		o.Dref = s.state.CompareEnable && in.Kind != ir.ImageQueryLod
	}
	if err := d.fits(op, in, &o, v, s); err != nil {
		return nil, 0, err
	}
	var out [][4]uint32
	err := d.run(ctx, op, v.image.memories(), func(context.Context) error {
		a, n := in.arguments(&o)
		if sampled {
			sampling.Run(a, v.view, s.state, n)
		} else {
			sampling.Run(a, v.view, nil, n)
		}
		out = make([][4]uint32, n)
		for c, lanes := range a.Out {
			for lane, x := range lanes {
				out[lane][c] = x
			}
		}
		return nil
	})
	class := info.Class
	if o.Dref || in.Kind == ir.ImageQueryLod {
		class = ResultFloat
	}
	return out, class, err
}

// fits checks an instruction against what it is used on: here, where nothing follows
// from a mistake, as it is written; shaders run on and give what comes naturally. The
// error tells all rules that are broken.
func (d *Device) fits(op Op, in *ImageInstruction, o *ir.ImageOp, v *ImageView, s *Sampler) error {
	class := v.view.Info.Class
	x := sampling.Instruction{Kind: in.Kind, Dim: o.Dim, Arrayed: o.Arrayed, MS: o.MS, Sampled: 1, Dref: o.Dref, Component: in.Component,
		Float: class == format.ClassFloat, Signed: class == format.ClassSint, Stage: true}
	p := &x.Operands
	if in.Offset != [3]int32{} {
		p.ConstOffset = true
		for _, n := range in.Offset[:o.GradCoords] {
			p.Offsets = append(p.Offsets, int(n))
		}
	}
	p.MinLod = in.MinLod != 0
	switch {
	case in.Kind == ir.ImageFetch:
		p.Lod, p.Sample = !o.MS, o.MS
	case in.Kind != ir.ImageSample:
	case in.Mode == ir.LodGrad:
		p.Grad = true
	case in.Mode == ir.LodImplicit || in.Mode == ir.LodBias:
		x.Implicit, p.Bias = true, in.Mode == ir.LodBias
	default:
		p.Lod = !p.MinLod
		x.Implicit = p.MinLod // a least level of the base level's
	}
	on := sampling.Bound{View: v.view}
	if s != nil && in.Kind != ir.ImageFetch {
		on.Sampler, on.ViewConversion = s.state, s.state.Ycbcr
	}
	// IMG-001 textures-operation-validation
	list := sampling.ValidateAll(&x, &on, sampling.Features{})
	if len(list) == 0 {
		return nil
	}
	return d.report(&Error{Op: string(op), Rule: list[0].Rule, Detail: broken(list)})
}

// broken tells what is wrong, with the names of all rules but the first.
//
// IMG-001
func broken(list []*sampling.RuleError) string {
	what := list[0].Detail
	for _, e := range list[1:] {
		what += fmt.Sprintf("; %s (%s)", e.Detail, catalogue.Name(e.Rule))
	}
	return what
}

// arguments spreads the operands over lanes.
func (in *ImageInstruction) arguments(o *ir.ImageOp) (*sampling.Args, int) {
	n := max(len(in.Coords), len(in.Texels))
	a := &sampling.Args{Op: o, Quads: in.Quads, Trace: in.Trace}
	lanes := func(f func(lane int) uint32) []uint32 {
		x := make([]uint32, n)
		for lane := range x {
			x[lane] = f(lane)
		}
		return x
	}
	same := func(x float32) []uint32 { return lanes(func(int) uint32 { return math.Float32bits(x) }) }
	integer := func(x int32) []uint32 { return lanes(func(int) uint32 { return uint32(x) }) }
	for c := range o.Coords {
		a.Coord[c] = lanes(func(lane int) uint32 {
			if in.Texels != nil {
				return uint32(in.Texels[lane][c])
			}
			return math.Float32bits(in.Coords[lane][c])
		})
	}
	if in.Offset != [3]int32{} {
		o.HasOffset = true
		for c := range a.Offset {
			a.Offset[c] = integer(in.Offset[c])
		}
	}
	switch {
	case in.Kind == ir.ImageFetch:
		a.Lod = integer(in.Level)
		if o.MS {
			o.HasSample = true
			a.SampleIndex = integer(in.Sample)
		}
	case in.Mode == ir.LodBias || in.Mode == ir.LodExplicit:
		a.Lod = same(in.Lod)
	case in.Mode == ir.LodGrad:
		for c := range a.DX {
			a.DX[c], a.DY[c] = same(in.Grad[0][c]), same(in.Grad[1][c])
		}
	}
	if in.MinLod != 0 {
		o.HasMinLod = true
		a.MinLod = same(in.MinLod)
	}
	if o.Dref {
		a.Dref = same(in.Dref)
	}
	for c := range a.Out {
		a.Out[c] = make([]uint32, n)
	}
	if in.Trace != nil {
		a.Mask = make([]uint32, n)
		a.Mask[in.Only] = ^uint32(0)
	}
	return a, n
}

package render

import (
	"slices"

	"github.com/pumice-gpu/pumice/internal/render/rates"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	lowered "github.com/pumice-gpu/pumice/internal/lower/fragops"
	"github.com/pumice-gpu/pumice/internal/lower/inputs"
	"github.com/pumice-gpu/pumice/internal/render/threads"
	"github.com/pumice-gpu/pumice/vk"
)

// addPlaces finds out how the state's fragments are shaded.
func (s *drawState) addPlaces(pl *passPlan) error {
	if s.fragment == nil {
		return nil
	}
	plan, err := s.planPlaces(pl, rates.Pixel{Rate: s.rates.Uniform, N: s.shares})
	if err != nil {
		return err
	}
	s.placed = plan
	if s.rated != nil {
		return nil
	}
	return s.addDirect(pl)
}

// planPlaces is how fragments of a rate are shaded.
func (s *drawState) planPlaces(pl *passPlan, r rates.Pixel) (*placedPlan, error) {
	late := tested(s.after)
	p, o, larger, ss := s.pipe.desc.Fragment.Program(), &s.link.outs, r.Rate != rates.Rate{}, s.ss
	if pl.density != nil {
		ss = pl.density.set(r.Rate)
	}
	plan := &placedPlan{rate: r.Rate, shares: placedShares(r.N, pl.Samples), where: inputs.Where{
		W: r.W, H: r.H, Sample: r.N > 1 || s.place != none && !larger,
		Of: uint16(pl.Samples), Grid: s.ss.Grid != nil, At: inputs.Modes(p),
	}}
	if plan.each, plan.ss = larger && pl.density == nil, ss; plan.each { // RAS-109, RAS-131
		plan.where.Of <<= r.W + r.H
	}
	plan.where.Samples = uint8(plan.shares[0].Count) // no other one has more
	if p.PostDepthCoverage {
		plan.shows = 1
	}
	plan.live = p.SubgroupSize > 0 || p.WritesMemory || len(p.Prints) > 0 || blockHas(p, &p.Body, ir.OpIsHelper)
	if late {
		if err := plan.addLate(pl, s, ss); err != nil {
			return nil, err
		}
	}
	for i, c := range s.color {
		if c == nil {
			continue
		}
		key := lowered.KeyOf(&c.ColorState)
		placer, _ := pl.x.cfg.Engine.(exec.Placer)
		key.Permutes = placer != nil && placer.PermutesTables()
		key.Reduction = lowered.ReductionOf(&s.coverage[i], pl.Samples)
		plan.united = plan.united || key.Reduction.Whole() && len(plan.shares) > 1
		for k := range plan.shares {
			share := &plan.shares[k]
			if share.colors[i] = none; key.Reduction.Window(share.Window).Count == 0 {
				continue
			}
			r, err := pl.Made.Routine(placedKey{key, share.Window}, func() (*ir.Program, error) {
				return lowered.Lower(key, share.Window)
			})
			if err != nil {
				return nil, err
			}
			plan.tails[i] = &colorTail{
				key: key, ctx: exec.Context{Push: lowered.Push(&c.ColorState, &s.coverage[i])},
			}
			share.colors[i] = pl.Number(r)
		}
	}
	var list []inputs.Input
	for i := range s.link.inputs {
		in := &s.link.inputs[i]
		kind := inputs.Word
		switch in.kind {
		case inputVarying:
			if in.interp != ir.Flat {
				kind = inputs.Interpolated(in.interp, in.aux, false)
			}
		case inputBaryCoord:
			kind = inputs.Interpolated(in.interp, in.aux, true)
		case inputFragCoord:
			kind = inputs.CoordX + inputs.Input(in.comp&3)
		case inputPointCoord:
			kind = inputs.PointX + inputs.Input(in.comp&1)
		case inputHelper:
			kind, plan.live = inputs.Helper, true
		case inputSampleMask: // RAS-302: what tests have left, or what there was before tests that have not been yet
			switch plan.live = true; {
			case plan.each:
				kind = inputs.Given + inputs.Input(in.comp)
			case !p.PostDepthCoverage && (s.end == endHidden || tested(s.before)):
				if in.comp < lowered.MaskWords { // else there are no samples, and it is 0
					kind = inputs.Given + inputs.Input(in.comp)
				}
			case in.comp == 0:
				kind = inputs.Mask
			case in.comp == 1 && pl.Samples > 32:
				kind = inputs.Upper
			}
		case inputFullyCovered:
			kind = inputs.Whole
		case inputSamplePosition:
			if plan.where.Grid && !larger {
				kind = inputs.SampleX + inputs.Input(in.comp&1)
			}
		}
		list = append(list, kind)
	}
	made := list
	if plan.deep = late && slices.Contains(s.link.fragmentMay, o.depth); plan.deep {
		made = append(slices.Clip(list), inputs.CoordZ)
	}
	l, err := pl.x.lowerInputs(made, plan.where)
	if err != nil {
		return nil, err
	}
	if larger { // samples of a density map's are those of the fragment
		ss = ss.Of(0, 0)
	}
	var locations []uint32
	switch {
	case l.Locations == 0:
	case plan.each:
		locations = s.locationsOf(r.Rate)
	default:
		locations = packedLocations(ss, 0, pl.Samples)
	}
	for i := range plan.shares {
		plan.shares[i].addConstants(s, ss, l, locations)
	}
	if len(plan.shares) == 1 {
		plan.constants = slices.Clip(plan.shares[0].constants)
	}
	for i, at := range l.Values[:len(list)] {
		in := &s.link.inputs[i]
		switch {
		case at == 0, in.kind == inputSampleID, in.kind == inputSamplePosition: // see addConstants
		case in.kind == inputVarying && in.interp != ir.Flat:
			plan.varied = append(plan.varied, varied{int32(at), int32(in.attr)})
		default:
			plan.fill = append(plan.fill, value{in, at})
		}
	}
	plan.inputs, plan.size = l, l.Size
	for k := range plan.programs {
		plan.programs[k] = pl.Number(l.routines[k])
	}
	if alpha := o.alpha; alpha != none {
		if s.dynamic.AlphaToOneEnable {
			plan.ones = []int{alpha}
		}
		if s.dynamic.LineMode == vk.LineRasterizationModeRectangularSmooth && !larger {
			plan.smoothed = []int{alpha}
		}
	}
	if t := s.takes; t != (lowered.CoverageKey{}) {
		plan.takes = t
		if plan.each && o.masked {
			plan.takes.Mask = 1<<((pl.Samples+31)/32) - 1
		}
		plan.takes.Override = t.Override && plan.takes.Mask != 0
		for i := range plan.shares {
			share, key := &plan.shares[i], plan.takes
			key.Samples = share.Window
			r, err := pl.Made.Routine(key, func() (*ir.Program, error) { return lowered.LowerCoverage(key) })
			if err != nil {
				return nil, err
			}
			share.coverage = pl.Number(r)
		}
	}
	plan.packs = !plan.united && s.packs(pl, p, late)
	plan.list = list
	plan.after, plan.single = s.after, s.once
	plan.single = plan.single || plan.united
	return plan, plan.fuse(pl, s, late)
}

// packs says that the quads of the state's fragments share places wherever they lie: their shader is worth it, and
// no texel is too small, where they are tested those of tests either.
func (s *drawState) packs(pl *passPlan, shader *ir.Program, tested bool) bool {
	if lengthOf(shader) < pl.x.packsFrom*pl.Samples || !pl.x.packsQuads() || tested && (pl.Stencil != nil || pl.Depth != nil && pl.Samples*pl.Depth.Surfaces[0].SampleBytes < 4) {
		return false
	}
	for i, c := range s.color {
		if c == nil {
			continue
		}
		// Texels of three, six and twelve bytes are left to loops, which know of no such quads.
		bytes := pl.Color[i].Info.BlockBytes
		if pl.Color[i].Samples*bytes < 4 || bytes&(bytes-1) != 0 {
			return false
		}
	}
	return true
}

// lengthOf is how much a shader has to do, in instructions.
func lengthOf(shader *ir.Program) int { return len(shader.Insts) + imageWorth*len(shader.ImageOps) }

// lowerInputs is the program of inputs.
func (x *Executor) lowerInputs(list []inputs.Input, where inputs.Where) (*loweredInputs, error) {
	key := make([]byte, len(list))
	for i, in := range list {
		key[i] = byte(in)
	}
	return threads.Kept(&x.programs, inputsKey{where, string(key)}, func() (*loweredInputs, error) {
		l := &loweredInputs{list: list, where: where}
		for planes := inputs.Affine; planes < inputs.Warped; planes++ {
			if err := l.lower(x, planes); err != nil {
				return nil, err
			}
		}
		return l, nil
	})
}

// lower makes the program for some planes.
func (l *loweredInputs) lower(x *Executor, planes inputs.Planes) (err error) {
	if l.Inputs, err = inputs.Lower(l.list, l.where, planes); err != nil {
		return err
	}
	l.routines[planes], err = x.cfg.Engine.Compile(l.Program)
	return err
}

// colorTail is what a draw state does to a colour attachment.
type colorTail struct {
	key lowered.ColorKey
	ctx exec.Context
}

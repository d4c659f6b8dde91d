package fragment

import (
	"slices"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/ir"
	lowered "github.com/pumice-gpu/pumice/internal/lower/fragops"
	"github.com/pumice-gpu/pumice/internal/lower/inputs"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/rates"
	"github.com/pumice-gpu/pumice/internal/render/threads"
	"github.com/pumice-gpu/pumice/internal/render/tile"
)

// Plan is how fragments of a draw state are shaded in places.
type Plan struct {
	Where    inputs.Where
	inputs   *loweredInputs
	programs [inputs.Warped]int // of the inputs, in Pass.List, by planes; others come later
	Fused    [inputs.Warped]int // the shader with each of them, or none
	varied   []varied           // what records hold of values that are interpolated
	fill     []value            // and besides these and planes
	list     []inputs.Input
	Shader   exec.Routine // and the slots that the list goes to
	slots    []int
	tails    [tile.MaxColorAttachments]*colorTail
	Fusion   *Fusion
	Shares   []Share           // in the order of their samples
	Rate     rates.Rate        // of fragments with several pixels
	each     bool              // SampleMask of these has bits for the samples of each pixel
	ss       *raster.SampleSet // where samples are
	// tail is what fused programs do after the shader, nothing where it has no targets: surfaces are
	// the attachments of these.
	tail     lowered.Tail
	surfaces []int
	// constants go into records, too, the bytes of which are size.
	constants []constants
	size      int
	// takes is what the shader does to coverage.
	takes lowered.CoverageKey
	// ones are rows of the shader's that count as 1 (alpha to one), smoothed those that the coverage
	// of smooth lines goes into.
	Ones, Smoothed []int
	// shows is what SampleMask shows of fragments of several pixels: see coarseQuad.sets.
	shows int
	// live: the shader sees, or others see of it, which invocations are helpers.
	live bool
	// deep: the program of inputs gives depth, which the shader may overwrite.
	deep bool
	// after are the tests that follow the shader, by viewport; inactive ones where none do.
	after []fragops.DepthStencil
	// single: no pixel is twice in a batch.
	single bool
	// united: colours are written when all shares of a pixel have run, since what some attachment gets
	// depends on the coverage of all.
	united bool
	// packs says that quads of a block share places wherever they lie.
	packs bool
}

// PacksFrom is the number of instructions of a shader, for each sample of a pixel, from which on it
// is worth by default to gather and scatter texels, so that there are fewer places; imageWorth is
// of how many one for images stands.
const PacksFrom, imageWorth = 80, 64

// value says what words of a record are filled with.
type value struct {
	*Input
	at int // offset in the record
}

// varied says where records have a value and its differences, and of which attribute of vertices
// they are.
type varied struct{ at, attr int32 }

// constants are bytes at an offset in records.
type constants struct {
	at   int
	data []byte
}

// inputsKey is a list of inputs, a byte or more each, and where they are taken.
type inputsKey struct {
	where inputs.Where
	list  string
}

// loweredInputs are the programs of a list of inputs.
type loweredInputs struct {
	*inputs.Inputs
	routines [inputs.Warped + 1]exec.Routine // the last perhaps nil
	list     []inputs.Input
	where    inputs.Where
}

// ColorKey is that of an attachment's program.
type ColorKey struct {
	lowered.ColorKey
	samples lowered.Window
}

// packsQuads says that the engine takes places whose quads do not lie side by side.
func (c *Common) packsQuads() bool {
	e, ok := c.Programs.Engine.(exec.Placer)
	return ok && e.PacksQuads()
}

// AddPlans finds out how the state's fragments are shaded.
func (s *State) AddPlans(pl *Pass) (err error) {
	s.Plan, s.Direct = nil, nil
	if s.Shader == nil {
		return nil
	}
	s.Plan, err = s.planPlaces(pl, rates.Pixel{Rate: s.Rates.Uniform, N: s.Shares})
	if err != nil || s.Rated != nil || s.Told {
		return err
	}
	return s.addDirect(pl)
}

// planPlaces is how fragments of a rate are shaded.
func (s *State) planPlaces(pl *Pass, r rates.Pixel) (*Plan, error) {
	late := Tested(s.After)
	p, o, larger, ss := s.Code.Program(), &s.Link.Outs, r.Rate != rates.Rate{}, s.Locations
	if pl.Dense != nil {
		ss = pl.Dense[r.W][r.H]
	}
	plan := &Plan{Rate: r.Rate, Shares: placedShares(r.N, pl.Samples), Where: inputs.Where{
		W: r.W, H: r.H, Sample: r.N > 1 || s.Place != none && !larger,
		Of: uint16(pl.Samples), Grid: s.Locations.Grid != nil, At: inputs.Modes(p),
	}}
	if plan.each, plan.ss = larger && pl.Dense == nil, ss; plan.each { // RAS-109, RAS-131
		plan.Where.Of <<= r.W + r.H
	}
	plan.Where.Samples = uint8(plan.Shares[0].Count) // no other one has more
	if p.PostDepthCoverage {
		plan.shows = 1
	}
	plan.live = p.SubgroupSize > 0 || p.WritesMemory || len(p.Prints) > 0 ||
		BlockHas(p, &p.Body, ir.OpIsHelper)
	if late {
		if err := plan.addLate(pl, s, ss); err != nil {
			return nil, err
		}
	}
	for i, c := range s.Color {
		if c == nil {
			continue
		}
		key := lowered.KeyOf(&c.ColorState)
		placer, _ := pl.Made.Engine.(exec.Placer)
		key.Permutes = placer != nil && placer.PermutesTables()
		key.Reduction = lowered.ReductionOf(&s.Coverage[i], pl.Samples)
		plan.united = plan.united || key.Reduction.Whole() && len(plan.Shares) > 1
		for k := range plan.Shares {
			share := &plan.Shares[k]
			if share.colors[i] = none; key.Reduction.Window(share.Window).Count == 0 {
				continue
			}
			r, err := pl.Made.Routine(ColorKey{key, share.Window}, func() (*ir.Program, error) {
				return lowered.Lower(key, share.Window)
			})
			if err != nil {
				return nil, err
			}
			plan.tails[i] = &colorTail{
				key: key, ctx: exec.Context{Push: lowered.Push(&c.ColorState, &s.Coverage[i])},
			}
			share.colors[i] = pl.Number(r)
		}
	}
	var list []inputs.Input
	for i := range s.Link.Inputs {
		in := &s.Link.Inputs[i]
		kind := inputs.Word
		switch in.Kind {
		case InputVarying:
			if in.Interp != ir.Flat {
				kind = inputs.Interpolated(in.Interp, in.Aux, false)
			}
		case InputBaryCoord:
			kind = inputs.Interpolated(in.Interp, in.Aux, true)
		case InputFragCoord:
			kind = inputs.CoordX + inputs.Input(in.Component&3)
		case InputPointCoord:
			kind = inputs.PointX + inputs.Input(in.Component&1)
		case InputHelper:
			kind, plan.live = inputs.Helper, true
		case InputSampleMask: // RAS-302: what tests have left, or what there was before later ones
			switch plan.live = true; {
			case plan.each:
				kind = inputs.Given + inputs.Input(in.Component)
			case !p.PostDepthCoverage && (s.End == Hidden || Tested(s.Before)):
				if in.Component < lowered.MaskWords { // else there are no samples, and it is 0
					kind = inputs.Given + inputs.Input(in.Component)
				}
			case in.Component == 0:
				kind = inputs.Mask
			case in.Component == 1 && pl.Samples > 32:
				kind = inputs.Upper
			}
		case InputFullyCovered:
			kind = inputs.Whole
		case InputSamplePosition:
			if plan.Where.Grid && !larger {
				kind = inputs.SampleX + inputs.Input(in.Component&1)
			}
		}
		list = append(list, kind)
	}
	made := list
	if plan.deep = late && slices.Contains(s.Link.May, o.Depth); plan.deep {
		made = append(slices.Clip(list), inputs.CoordZ)
	}
	l, err := pl.Common.lowerInputs(made, plan.Where)
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
	for i := range plan.Shares {
		plan.Shares[i].addConstants(s, ss, l, locations)
	}
	if len(plan.Shares) == 1 {
		plan.constants = slices.Clip(plan.Shares[0].constants)
	}
	for i, at := range l.Values[:len(list)] {
		in := &s.Link.Inputs[i]
		switch {
		case at == 0, in.Kind == InputSampleID, in.Kind == InputSamplePosition: // see addConstants
		case in.Kind == InputVarying && in.Interp != ir.Flat:
			plan.varied = append(plan.varied, varied{int32(at), int32(in.Attr)})
		default:
			plan.fill = append(plan.fill, value{in, at})
		}
	}
	plan.inputs, plan.size = l, l.Size
	for k := range plan.programs {
		plan.programs[k] = pl.Number(l.routines[k])
	}
	if alpha := o.Alpha; alpha != none {
		if s.AlphaOne {
			plan.Ones = []int{alpha}
		}
		if s.Smooth && !larger {
			plan.Smoothed = []int{alpha}
		}
	}
	if t := s.Takes; t != (lowered.CoverageKey{}) {
		plan.takes = t
		if plan.each && o.Masked {
			plan.takes.Mask = 1<<((pl.Samples+31)/32) - 1
		}
		plan.takes.Override = t.Override && plan.takes.Mask != 0
		for i := range plan.Shares {
			share, key := &plan.Shares[i], plan.takes
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
	plan.after, plan.single = s.After, s.Once
	plan.single = plan.single || plan.united
	err = plan.fuse(pl, s, late)
	pl.recordBytes, pl.shares = max(pl.recordBytes, plan.size), max(pl.shares, r.N)
	return plan, err
}

// packs says that the quads of the state's fragments share places wherever they lie: their shader is worth it, and
// no texel is too small, where they are tested those of tests either.
func (s *State) packs(pl *Pass, shader *ir.Program, tested bool) bool {
	if lengthOf(shader) < pl.Common.PacksFrom*pl.Samples || !pl.Common.packsQuads() || tested && (pl.Stencil != nil || pl.Depth != nil && pl.Samples*pl.Depth.Surfaces[0].SampleBytes < 4) {
		return false
	}
	for i, c := range s.Color {
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
func (c *Common) lowerInputs(list []inputs.Input, where inputs.Where) (*loweredInputs, error) {
	key := make([]byte, len(list))
	for i, in := range list {
		key[i] = byte(in)
	}
	return threads.Kept(&c.Programs, inputsKey{where, string(key)}, func() (*loweredInputs, error) {
		l := &loweredInputs{list: list, where: where}
		for planes := inputs.Affine; planes < inputs.Warped; planes++ {
			if err := l.lower(c.Programs.Engine, planes); err != nil {
				return nil, err
			}
		}
		return l, nil
	})
}

// lower makes the program for some planes.
func (l *loweredInputs) lower(e exec.Engine, planes inputs.Planes) (err error) {
	if l.Inputs, err = inputs.Lower(l.list, l.where, planes); err != nil {
		return err
	}
	l.routines[planes], err = e.Compile(l.Program)
	return err
}

// colorTail is what a draw state does to a colour attachment.
type colorTail struct {
	key lowered.ColorKey
	ctx exec.Context
}

// directFor is up to how many instructions a shader has by default (see lengthOf) whose primitives
// may be drawn directly.
const directFor = 100

// addDirect finds out how fragments of the state are shaded that nothing precedes.
func (s *State) addDirect(pl *Pass) error {
	shader := s.Code.Program()
	p := s.Plan
	if pl.ShadeHidden || p.single || len(p.Smoothed) > 0 || lengthOf(shader) > pl.Common.DirectFor {
		return nil
	}
	switch {
	case !Tested(s.Tests), Tested(s.After) && p.tail.Tested && p.Fused[0] != none && s.Link.Outs.Depth == none && !p.tail.Tests.Referenced:
		s.Direct = p
		return nil
	case Tested(s.After), p.takes != lowered.CoverageKey{}, p.live, len(p.Shares) > 1, p.Rate != rates.Rate{}: // masks: discarded fragments store depths
		return nil
	}
	d := *p
	d.constants, d.surfaces, d.size, d.tail = slices.Clip(d.Shares[0].constants), nil, d.inputs.Size, lowered.Tail{}
	d.packs, d.after = s.packs(pl, shader, true), s.Tests
	err := d.fuse(pl, s, true)
	if d.tail.Tested && d.tail.Count > 0 { // else no colour is stored, and no program has the tests
		s.Direct = &d
		pl.recordBytes = max(pl.recordBytes, d.size)
	}
	return err
}

// Tested says that tests of depth or stencil are there.
func Tested(tests []fragops.DepthStencil) bool {
	for i := range tests {
		if tests[i].Active() {
			return true
		}
	}
	return false
}

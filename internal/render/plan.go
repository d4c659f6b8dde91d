package render

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/pumice-gpu/pumice/internal/render/rates"

	"github.com/pumice-gpu/pumice/internal/assembly"
	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/ir"
	lowered "github.com/pumice-gpu/pumice/internal/lower/fragops"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/geometry"
	"github.com/pumice-gpu/pumice/internal/render/tile"
	"github.com/pumice-gpu/pumice/internal/vertexpost"
	"github.com/pumice-gpu/pumice/vk"
)

// passPlan is a pass with everything looked up that tiles need.
type passPlan struct {
	tile.Plan
	x    *Executor
	pass *Pass
	// bare says that nothing is attached that has layers: primitives of any
	// layer are shaded, in the tiles of one.
	bare        bool
	density     *densityPlan // nil: none
	draws       []drawPlan
	states      []*drawState  // of the draws, distinct ones that follow each other closely
	scissors    []raster.Rect // of all draws, by viewport, cut to the area
	notes       atomic.Int64  // of watches, in this round
	held        atomic.Int64  // instructions of stages before fragments that they have
	coverage    int           // samples of the largest fragment
	shadeHidden bool          // don't leave out hidden fragments; for tests
	// vertices is how many the draws name, all together; manyVertices where that is not known.
	vertices uint64
}

// manyVertices keep all workers busy.
const manyVertices = math.MaxUint32

// drawPlan is a draw with its state resolved.
type drawPlan struct {
	index int
	draw  *Draw
	state *drawState // nil for clears
	// group is equal for consecutive draws whose fragments may share batches.
	group int
	// counts are the counters, from 1, of samples that are left before shading, and after it; 0: none.
	counts [2]int

	stages   geometry.Draw
	fragment *exec.Context
	scissors uint32 // the first one's place in passPlan.scissors
}

// drawState is what a pipeline and a dynamic state make together in a pass.
type drawState struct {
	drawKey
	pipe    *Pipeline
	dynamic *DynamicState
	link    *linkage
	asm     assembly.Config
	ss      *raster.SampleSet
	// By viewport index.
	raster []raster.State
	post   []vertexpost.Config
	tests  []fragops.DepthStencil
	// before and after are the tests that come before and after shading, inactive where none do. Tests
	// after shading whose outcome is sure before it have others before it, that only drop.
	before, after []fragops.DepthStencil
	color         [MaxColorAttachments]*fragops.Color   // nil: nothing written
	placed        *placedPlan                           // how fragments are shaded
	rated         *ratedPlans                           // where rates differ, the plans of all
	direct        *placedPlan                           // for fragments that nothing precedes; nil: there are none
	location      [MaxColorAttachments]int              // of the output that goes to an attachment
	coverage      [MaxColorAttachments]fragops.Coverage // where color is not nil
	sampleMask    uint64
	stages        geometry.State
	fate          fate         // of primitives behind the stages
	fragment      exec.Routine // nil where nothing that it does is kept
	shader        int          // its number in passPlan.List, or none
	rates         rates.State
	windows       *windows   // nil: none
	targets       uint32     // bit i: writes colour attachment i
	alone         *drawState // of watched primitives; nil without watches
	outcodes      int        // the program of outcodes, in passPlan.List, or none
	whole         *wholePlan // for primitives that nothing cuts; nil: all are kept with set-ups
}

// fate is what becomes of the primitives of a state.
type fate uint8

const (
	rasterized fate = iota
	counted         // where samples are counted; else they would leave no trace
	traceless       // whatever is counted
	discarded       // RAS-066
)

// newPlan checks a pass and resolves its state.
func (x *Executor) newPlan(p *Pass) (*passPlan, error) {
	pl := &passPlan{
		Plan: tile.Plan{
			Made: &x.programs, ViewMask: p.ViewMask, Layers: max(p.Layers, 1), Samples: p.Samples, Words: 1,
		},
		x: x, draws: x.plans[:0], scissors: x.scissors[:0], pass: p,
		coverage: x.cfg.CoverageSamples, shadeHidden: x.shadeHidden || p.CountAll,
	}
	if p.ViewMask != 0 {
		pl.Layers = bits.Len32(p.ViewMask)
	}
	if err := pl.attachments(); err != nil {
		return nil, err
	}
	if pl.bare = pl.Color == [MaxColorAttachments]*tile.Attachment{} && pl.Depth == nil && pl.Stencil == nil &&
		p.Rate == nil && p.Density == nil && p.ViewMask == 0; pl.bare {
		pl.Layers = 1
	}
	for _, a := range pl.Color {
		if a != nil && a.Resolve != nil {
			if err := pl.AddResolve(a); err != nil {
				return nil, err
			}
		}
	}
	if raster.Samples(pl.Samples) == nil {
		return nil, &PassError{Draw: -1, What: fmt.Sprintf("%d samples", pl.Samples), Rule: "RAS-016", Fix: "use a power of two up to 64"}
	}
	a := p.Area
	if a.Offset.X < 0 || a.Offset.Y < 0 || int64(a.Offset.X)+int64(a.Extent.Width) > 32768 || int64(a.Offset.Y)+int64(a.Extent.Height) > 32768 {
		return nil, &PassError{Draw: -1, What: fmt.Sprintf("render area %+v", a), Rule: "RAS-007", Fix: "keep it inside 32768×32768"}
	}
	pl.Area, pl.Words = rectOf(a), raster.WordsOf(pl.Samples, false)
	pl.SetGrid(x.cfg.TileSize)
	if m := p.Density; m != nil && m.View != nil {
		if err := pl.addDensity(m); err != nil {
			return nil, err
		}
	}
	if r := p.Rate; r != nil && r.View != nil && len(r.View.Image.Data) == 0 {
		return nil, &PassError{Draw: -1, What: "a shading rate attachment without memory", Rule: "VUID-VkImageViewCreateInfo-image-01020", Fix: "bind its image to memory"}
	}
	for i := range p.Draws {
		if i%drawsAtOnce == 0 {
			if err := x.stopped(); err != nil {
				return nil, x.during(nil, err)
			}
		}
		if err := pl.addDraw(i); err != nil {
			return nil, err
		}
	}
	return pl, nil
}

// drawsAtOnce is how many draws are planned, or looked for primitives, before it is asked whether
// they are still wanted.
const drawsAtOnce = 64

func rectOf(r vk.Rect2D) raster.Rect {
	clamp := func(v int64) int32 { return int32(min(max(v, 0), 1<<20)) }
	return raster.Rect{
		X0: clamp(int64(r.Offset.X)), Y0: clamp(int64(r.Offset.Y)),
		X1: clamp(int64(r.Offset.X) + int64(r.Extent.Width)), Y1: clamp(int64(r.Offset.Y) + int64(r.Extent.Height)),
	}
}

// addDraw resolves one draw.
func (pl *passPlan) addDraw(i int) error {
	d := &pl.pass.Draws[i]
	n := len(pl.draws)
	pl.draws = slices.Grow(pl.draws, 1)[:n+1]
	dp := &pl.draws[n]
	*dp = drawPlan{}
	dp.index, dp.draw, dp.group = i, d, i // by field: a struct would be made elsewhere and copied
	if c := d.Clear; c != nil && c.Aspect&vk.ImageAspectColorBit != 0 && uint(c.ColorAttachment) >= MaxColorAttachments {
		return &PassError{Draw: i, What: fmt.Sprintf("clear of colour attachment %d", c.ColorAttachment), Rule: "VUID-vkCmdClearAttachments-aspectMask-07271", Fix: "name an attachment of the pass"}
	}
	if d.Clear != nil || d.Event != nil {
		return nil
	}
	if d.Pipeline == nil || d.State == nil {
		return &PassError{Draw: i, What: "no pipeline or no state", Rule: "VUID-vkCmdDraw-None-08606", Fix: "bind a pipeline"}
	}
	if d.Occlusion < 0 || d.Occlusion > len(pl.pass.Occlusion) {
		return &PassError{Draw: i, What: fmt.Sprintf("occlusion counter %d of %d", d.Occlusion, len(pl.pass.Occlusion)), Rule: "RAS-357", Fix: "make room for it in the pass"}
	}
	var prev *drawPlan
	if n > 0 {
		prev = &pl.draws[n-1]
	}
	var err error
	sees := pl.sees(d)
	if dp.state, err = pl.stateFor(d, sees); err != nil {
		return &PassError{Draw: i, What: "state", Err: err}
	}
	same := prev != nil && prev.state == dp.state
	if same && prev.draw.State == d.State && prev.draw.Scissors == d.Scissors {
		dp.scissors = prev.scissors
	} else {
		dp.scissors = uint32(len(pl.scissors))
		for _, s := range cmp.Or(d.Scissors, &d.State.Scissors)[:len(dp.state.post)] {
			pl.scissors = append(pl.scissors, rectOf(s).Intersect(pl.Area)) // RAS-098, RAS-307
		}
	}
	t, desc := &dp.stages, &d.Pipeline.desc
	t.State, t.Buffers = &dp.state.stages, d.VertexBuffers
	if ix := d.Index; ix != nil {
		t.Indices, t.IndexSize = ix.Data, indexSize(ix.Type)
	}
	dp.counts[dp.state.counts] = d.Occlusion
	later := d.Indirect != nil || d.ByteCount != nil
	if later || desc.Mesh != nil || desc.Geometry != nil || desc.Control != nil {
		pl.vertices += manyVertices // that shows later, or stages make more of them
	} else {
		pl.vertices += min(uint64(d.Count)*uint64(d.Instances), manyVertices)
	}
	stage := func(to **exec.Context, of exec.Routine, ctx *exec.Context) {
		if of == nil || err != nil {
			return
		}
		program := of.Program()
		if *to, err = contextOf(i, ctx, program); err == nil {
			*to, err = pl.tileImages(*to, program)
		}
	}
	stage(&t.Vertex, desc.Vertex, d.Vertex)
	if desc.Control != nil || desc.Geometry != nil || desc.Mesh != nil {
		stage(&t.Control, desc.Control, d.Control)
		stage(&t.Evaluation, desc.Evaluation, d.Evaluation)
		stage(&t.Geometry, desc.Geometry, d.Geometry)
		stage(&t.Task, desc.Task, d.Task)
		stage(&t.Mesh, desc.Mesh, d.Mesh)
	}
	if stage(&dp.fragment, dp.state.fragment, d.Fragment); err != nil {
		return err
	}
	if same && prev.draw.Fragment == d.Fragment && prev.draw.Occlusion == d.Occlusion {
		dp.group = prev.group
	}
	return nil
}

// recentStates is among how many states that of a draw is looked for: programs go to and fro.
const recentStates = 8

// stateFor is the state of a draw, which is made if it is none of the last ones, but for the
// scissors, which records name. Watched passes tell of these by the state.
func (pl *passPlan) stateFor(d *Draw, sees bool) (*drawState, error) {
	for k, n := 0, len(pl.states); k < min(n, recentStates); k++ {
		s := pl.states[n-1-k]
		if s.pipe == d.Pipeline && s.sees == sees && pl.alike(s.dynamic, d.State) {
			s.dynamic = d.State // the next one's, most likely
			return s, nil
		}
	}
	s, err := pl.newState(d.Pipeline, d.State, sees)
	if err == nil {
		pl.states = append(pl.states, s)
	}
	return s, err
}

// alike says that two states make one drawState.
func (pl *passPlan) alike(a, b *DynamicState) bool {
	if a == b {
		return true
	}
	o := *b
	if len(pl.pass.Watches) == 0 {
		o.Scissors = a.Scissors
	}
	return o == *a
}

// noDescriptors serves stages that use none.
var noDescriptors exec.Context

// contextOf checks that a stage's descriptors are there.
func contextOf(draw int, c *exec.Context, p *ir.Program) (*exec.Context, error) {
	if c == nil {
		c = &noDescriptors
	}
	if n := len(p.Resources); n > 0 && len(c.Resources) < n {
		return nil, &PassError{Draw: draw, What: fmt.Sprintf("shader %q uses %d resources, %d are bound", p.Name, n, len(c.Resources)), Rule: "VUID-vkCmdDraw-None-08600", Fix: "bind a descriptor set for each"}
	}
	return c, nil
}

// newState resolves the state of a pipeline in this pass; sees is that of the draw.
func (pl *passPlan) newState(p *Pipeline, d *DynamicState, sees bool) (*drawState, error) {
	s := &drawState{
		drawKey: drawKey{place: none, shares: 1, sees: sees}, pipe: p, dynamic: d, link: &p.link,
		shader: none,
	}
	s.asm = assembly.Config{Topology: d.Topology, Provoking: d.ProvokingVertexMode, Restart: d.PrimitiveRestart}
	if p.desc.Control != nil {
		s.asm.PatchVertices = d.PatchControlPoints
	}
	if err := s.addStages(pl); err != nil {
		return nil, err
	}
	if d.RasterizerDiscard { // RAS-066
		s.fate = discarded
		return s, nil
	}
	s.ss = raster.Samples(pl.Samples)
	if custom := d.SampleLocations; custom != nil && d.SampleLocationsEnable && pl.density == nil { // RAS-120
		if custom.N != pl.Samples {
			return nil, &fragops.StateError{What: fmt.Sprintf("locations of %d samples, %d samples", custom.N, pl.Samples), Rule: "VUID-vkCmdDraw-sampleLocationsPerPixel-07482", Fix: "give as many as rasterizationSamples"}
		}
		s.ss = custom
	}
	n := d.ViewportCount
	if n < 1 || n > MaxViewports {
		return nil, &fragops.StateError{What: fmt.Sprintf("%d viewports", n), Rule: "RAS-040", Fix: "set 1 to 16 viewports and scissors"}
	}
	for i := range n {
		s.addViewport(pl, i)
	}
	s.addWindows()
	if err := s.raster[0].Check(); err != nil {
		return nil, err
	}
	if err := s.addTests(pl); err != nil {
		return nil, err
	}
	active, err := s.addColor(pl)
	if err != nil {
		return nil, err
	}
	s.sampleMask = d.SampleMask
	s.addShading(pl, active, sees)
	s.shader = pl.Number(s.fragment)
	if err := pl.AddTests(s.tests, tested(s.after) && s.refers(), s.ss); err != nil {
		return nil, err
	}
	if err := pl.AddTests(s.before, false, s.ss); err != nil {
		return nil, err
	}
	if pl.density != nil {
		s.addDense(pl)
	} else {
		s.addRates(pl)
	}
	all := uint64(1)<<pl.Samples - 1
	s.masks = s.sampleMask&all != all
	s.all = !s.masks && !s.drops && s.windows == nil && s.rated == nil && s.counts == 0
	s.addFate(pl)
	if err := s.addAttributes(pl); err != nil {
		return nil, err
	}
	if err := s.addCompact(pl); err != nil {
		return nil, err
	}
	if err := s.addPlaces(pl); err != nil || len(pl.pass.Watches) == 0 {
		return s, err
	}
	return s, s.addWatched(pl)
}

// addStages says what the stages between vertices and fragments take.
func (s *drawState) addStages(pl *passPlan) error {
	desc, t := &s.pipe.desc, &s.stages
	t.Link = &s.link.Link
	t.Vertex, t.Control = pl.Number(desc.Vertex), pl.Number(desc.Control)
	t.Evaluation, t.Geometry = pl.Number(desc.Evaluation), pl.Number(desc.Geometry)
	t.Task, t.Mesh = pl.Number(desc.Task), pl.Number(desc.Mesh)
	s.stages.LastProvokes = s.dynamic.ProvokingVertexMode == vk.ProvokingVertexModeLastVertexEXT
	if desc.Mesh != nil {
		s.asm = assembly.Config{} // the topology means nothing
		return nil
	}
	s.stages.Wide = desc.Geometry != nil || desc.Control != nil
	if patches := s.asm.Topology == vk.PrimitiveTopologyPatchList; patches != (desc.Control != nil) {
		return &fragops.StateError{What: fmt.Sprintf("topology %v, tessellation shaders: %v", s.asm.Topology, desc.Control != nil),
			Rule: "VUID-VkGraphicsPipelineCreateInfo-pStages-08888", Fix: "draw patches with tessellation shaders, and nothing else"}
	}
	vertices := s.asm.Vertices()
	s.stages.Vertices = uint8(vertices)
	if desc.Control != nil {
		s.stages.Tess = s.link.tessConfig(s.dynamic)
		vertices = s.stages.Tess.Vertices()
	}
	if desc.Geometry == nil {
		return nil
	}
	if want := desc.Geometry.Program().Shape.InputVertices; want != uint32(vertices) {
		return &fragops.StateError{What: fmt.Sprintf("a geometry shader for primitives of %d vertices gets %d", want, vertices),
			Rule: "VUID-VkGraphicsPipelineCreateInfo-pStages-00738", Fix: "draw the primitives that the shader takes"}
	}
	return nil
}

// addViewport appends the geometry state of a viewport.
func (s *drawState) addViewport(pl *passPlan, at int) {
	d := s.dynamic
	v := d.Viewports[at]
	vp := vertexpost.MakeViewport(v, d.DepthNegativeOneToOne)
	if d.WScalingEnable {
		// The view volume limits polygons, not the viewport's rectangle (RAS-089).
		const far = raster.GuardBand * raster.Subpixels
		vp.Rect = raster.Rect{X0: -far, Y0: -far, X1: far, Y1: far} // RAS-377
	}
	s.post = append(s.post, vertexpost.Config{
		Swizzled: d.ViewportSwizzle[at] != vertexpost.Identity, Swizzle: d.ViewportSwizzle[at], WScale: d.WScalingEnable,
		ScaleX: float64(d.WScaling[at].Xcoeff), ScaleY: float64(d.WScaling[at].Ycoeff),
		Viewport: vp, DepthClip: d.DepthClipEnable, NegativeOneToOne: d.DepthNegativeOneToOne,
		ClipDistances: len(s.link.vs.clip), CullDistances: len(s.link.vs.cull),
		Outline:   d.PolygonMode == vk.PolygonModeLine || d.PolygonMode == vk.PolygonModePoint,
		Rectangle: d.PolygonMode == vk.PolygonModeFillRectangleNV,
	})
	bias := raster.DepthBias{Enable: d.DepthBiasEnable, Constant: d.DepthBiasConstant, Slope: d.DepthBiasSlope, Clamp: d.DepthBiasClamp}
	bias.Unit = biasUnit(pl.DepthFormat, d.DepthBiasUnit, d.DepthBiasExact)
	state := raster.State{
		Samples: pl.Samples, Locations: s.ss, CullMode: d.CullMode, FrontFace: d.FrontFace, PolygonMode: d.PolygonMode,
		DepthBias: bias, LineWidth: d.LineWidth, LineMode: d.LineMode, Relaxed: d.RelaxedLines, ViewRect: vp.Rect,
		Conservative: d.ConservativeMode, ExtraSize: d.ExtraOverestimation,
		ProvokingLast: d.ProvokingVertexMode == vk.ProvokingVertexModeLastVertexEXT,
	}
	if d.LineStippleEnable {
		state.Stipple = raster.Stipple{Factor: int32(min(d.LineStippleFactor, 1<<16)), Pattern: d.LineStipplePattern}
	}
	s.raster = append(s.raster, state)
}

// depthRange is what depth is clamped to at a viewport: with depth clamp its range,
// or one for all. Without, depth beyond the viewport's range is undefined, so as it
// comes (RAS-326); depthClampZeroOne limits it to [0, 1], where that is the range.
//
// fragops-depth
func (d *DynamicState) depthRange(v vk.Viewport) (low, high float32) {
	switch {
	case d.DepthClampEnable && d.DepthClampUser:
		return d.DepthClampRange[0], d.DepthClampRange[1]
	case d.DepthClampEnable:
		return min(v.MinDepth, v.MaxDepth), max(v.MinDepth, v.MaxDepth)
	case d.DepthUnrestricted: // fixed point clamps when it is encoded
		inf := float32(math.Inf(1))
		return -inf, inf
	}
	return 0, 1
}

// addTests makes the depth and stencil state of each viewport.
func (s *drawState) addTests(pl *passPlan) error {
	d := s.dynamic
	front, err := fragops.NewFace(d.Front)
	if err != nil {
		return err
	}
	back, err := fragops.NewFace(d.Back)
	if err != nil {
		return err
	}
	for i := range s.post {
		v := d.Viewports[i]
		t := fragops.DepthStencil{
			Format: pl.DepthFormat, DepthTest: d.DepthTestEnable, DepthWrite: d.DepthWriteEnable, Compare: d.DepthCompareOp,
			BoundsTest: d.DepthBoundsTestEnable, MinBounds: d.MinDepthBounds, MaxBounds: d.MaxDepthBounds,
			StencilTest: d.StencilTestEnable && pl.Stencil != nil, Faces: [2]fragops.Face{front, back},
		}
		for _, a := range []*tile.Attachment{pl.Depth, pl.Stencil} {
			if a != nil && a.Samples != pl.Samples && (t.DepthTest || t.BoundsTest || t.StencilTest) {
				return &fragops.StateError{What: fmt.Sprintf("tests with %d samples of an attachment with %d", pl.Samples, a.Samples),
					Rule: "VUID-VkGraphicsPipelineCreateInfo-subpass-01411", Fix: "switch depth, stencil and depth bounds tests off, or rasterize as many samples"}
			}
		}
		t.ZMin, t.ZMax = d.depthRange(v)
		if err := t.Prepare(); err != nil {
			return err
		}
		s.tests = append(s.tests, t)
	}
	return nil
}

// addColor makes the writers of the colour attachments and says whether any
// writes.
func (s *drawState) addColor(pl *passPlan) (bool, error) {
	any := false
	for i, a := range pl.Color {
		s.location[i] = i
		if n := s.dynamic.Location[i]; n != 0 {
			s.location[i] = int(n) - 1
		}
		if a == nil || s.location[i] >= MaxColorAttachments {
			continue
		}
		cover := fragops.NewCoverage(pl.Samples, a.Samples, s.dynamic.CoverageReduction)
		to := s.dynamic.CoverageToColor // fragops-coverage-to-color
		if to && uint32(s.location[i]) == s.dynamic.CoverageToColorLocation {
			if err := cover.SetToColor(a.Info); err != nil {
				return false, err
			}
		}
		table := s.dynamic.CoverageTable[:s.dynamic.CoverageTableCount]
		if !s.dynamic.CoverageTableEnable { // fragops-coverage-modulation
			table = nil
		}
		if err := cover.Modulate(a.Info, s.dynamic.CoverageModulation, table); err != nil {
			return false, err
		}
		s.coverage[i] = cover
		out := &s.link.outs.color[s.location[i]]
		if !out.present && !s.coverage[i].ToColor { // RAS-349
			continue
		}
		info := a.Info
		if unscaled := info.Unscaled(); unscaled != nil && out.present && out.integer {
			info = unscaled // RAS-348
		}
		c, err := fragops.NewColor(fragops.ColorDesc{ // RAS-362: of this attachment alone
			Info: info, State: s.dynamic.Blend[i], Constants: s.dynamic.BlendConstants, Advanced: s.dynamic.Advanced[i],
			LogicOpEnable: s.dynamic.LogicOpEnable, LogicOp: s.dynamic.LogicOp,
			WriteEnable: s.dynamic.ColorWrite>>i&1 != 0,
		})
		if err != nil {
			return false, err
		}
		if c.Active() {
			s.color[i] = c
			any = true
		}
	}
	return any, nil
}

// addShading decides whether the fragment shader runs, and whether the tests
// come before or after it.
func (s *drawState) addShading(pl *passPlan, colorActive, sees bool) {
	untested := make([]fragops.DepthStencil, len(s.tests))
	s.before, s.after = s.tests, untested
	if s.pipe.desc.Fragment == nil { // RAS-099
		return
	}
	p := s.pipe.desc.Fragment.Program()
	o := &s.link.outs
	s.takes = lowered.CoverageKey{
		Live: s.link.demotes, Alpha: s.dynamic.AlphaToCoverageEnable && o.alpha != none,
	}
	masks := o.mask != none || s.takes != lowered.CoverageKey{}
	for w := 0; masks && w < (pl.Samples+31)/32; w++ {
		if o.masks[w] != none {
			s.takes.Mask |= 1 << w
		}
	}
	s.takes.Override = masks && o.masked && p.OverrideCoverage
	changes := o.depth != none || s.refers() || masks || p.WritesMemory // RAS-303, RAS-304
	switch n := s.dynamic.SampleInvocations; {                          // RAS-174
	case p.SampleRate, s.dynamic.SampleShadingEnable && (n == 0 || pl.density != nil): // RAS-135
		s.shares = pl.Samples
	case s.dynamic.SampleShadingEnable:
		s.shares = min(n, pl.Samples)
	}
	if pl.Samples == 1 && s.ss.Custom {
		s.place = 0 // RAS-118: it is not in the centre
	}
	if !colorActive && !changes {
		return
	}
	s.fragment, s.end = s.pipe.desc.Fragment, endShaded
	late := (changes || s.mayReadTests(sees)) && !p.EarlyFragmentTests // RAS-301, RAS-303
	once := p.Interlocked || sees
	s.once = once
	if late {
		s.before, s.after, s.counts = untested, s.tests, 1
	}
	if late && !p.WritesMemory && !s.takes.Override && p.SubgroupSize == 0 && o.depth == none {
		s.addPeek()
	}
	// Subgroups see which of their fragments are there, so none may be left out: RAS-305.
	overwrites := !once && !late && !masks && !p.WritesMemory && p.SubgroupSize == 0
	overwrites = overwrites && !pl.shadeHidden
	if p.PostDepthCoverage { // RAS-302: what hides a sample later is not what its own tests leave
		reads := func(in fragmentInput) bool { return in.kind == inputSampleMask }
		overwrites = overwrites && !slices.ContainsFunc(s.link.inputs, reads)
	}
	for i, c := range s.color {
		if c != nil {
			s.targets |= 1 << i
			overwrites = overwrites && !c.ReadsDestination() && !s.coverage[i].ToColor
		}
	}
	if overwrites {
		s.end = endHidden
	}
}

// addFate finds out whether draws may be left out: where no sample passes the tests
// and they write nothing, or, unless samples are counted, where nothing writes.
// Patterns of lines go on, and shaders that write memory, or print, run.
//
// RAS-305
func (s *drawState) addFate(pl *passPlan) {
	f := s.pipe.desc.Fragment
	if pl.shadeHidden || s.dynamic.LineStippleEnable || f != nil && (f.Program().WritesMemory || f.Program().Messages()) {
		return
	}
	// Viewports differ in the range of depth, which says nothing of this.
	if s.tests[0].Never() { // RAS-325 VkCompareOp
		s.fate = traceless
	} else if s.fragment == nil && !s.tests[0].Writes() {
		s.fate = counted
	}
}

// wait lets all tests come after shading, where any do.
func (s *drawState) wait() {
	if tested(s.after) {
		s.before = make([]fragops.DepthStencil, len(s.tests))
	}
}

// mayReadTests reports whether a shader that sees what fragments write may see what the tests
// write: an input attachment can be the depth or stencil attachment, and then holds what was there
// before the fragment.
func (s *drawState) mayReadTests(sees bool) bool {
	t := &s.tests[0]
	return (t.DepthTest && t.DepthWrite || t.StencilTest) && sees
}

// refers says that the shader makes references of the stencil test.
func (s *drawState) refers() bool { return s.link.outs.stencil != none && s.tests[0].StencilTest }

// addPeek allows depth tests ahead of late ones. While a batch waits, only
// draws of its own state write depth, and with these comparisons they move it
// one way only: what fails now fails later. Shaders that can see the difference
// (coverage as an input) are left out.
//
// RAS-303, RAS-305 fragops
func (s *drawState) addPeek() {
	for _, in := range s.link.inputs {
		if in.kind == inputSampleMask || in.kind == inputHelper {
			return
		}
	}
	if s.tests[0].StencilTest || s.tests[0].BoundsTest || !s.tests[0].DepthTest {
		return
	}
	switch s.dynamic.DepthCompareOp {
	case vk.CompareOpLess, vk.CompareOpLessOrEqual, vk.CompareOpGreater, vk.CompareOpGreaterOrEqual:
	default:
		return
	}
	s.before = slices.Clone(s.tests)
	for i := range s.before {
		s.before[i].DepthWrite = false
	}
}

// biasUnit is what a unit of the constant depth bias stands for.
//
// RAS-259, RAS-260, RAS-261, RAS-262, RAS-263 primsrast-depthbias-computation
func biasUnit(f fragops.DepthFormat, r vk.DepthBiasRepresentationEXT, exact bool) raster.BiasUnit {
	switch {
	case f == fragops.DepthNone:
		return raster.BiasNone
	case r == vk.DepthBiasRepresentationFloatEXT:
		return raster.BiasOne
	case f == fragops.DepthD32 && r == vk.DepthBiasRepresentationLeastRepresentableValueFormatEXT:
		return raster.BiasFloat32
	case f == fragops.DepthD16 && exact:
		return raster.BiasExact16
	case f == fragops.DepthD16:
		return raster.BiasUnorm16
	case exact:
		return raster.BiasExact24
	}
	return raster.BiasUnorm24
}

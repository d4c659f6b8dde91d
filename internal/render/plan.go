package render

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/pumice-gpu/pumice/internal/assembly"
	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/ir"
	lowered "github.com/pumice-gpu/pumice/internal/lower/fragops"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/fragment"
	"github.com/pumice-gpu/pumice/internal/render/geometry"
	"github.com/pumice-gpu/pumice/internal/render/threads"
	"github.com/pumice-gpu/pumice/internal/render/tile"
	"github.com/pumice-gpu/pumice/internal/vertexpost"
	"github.com/pumice-gpu/pumice/vk"
)

// passPlan is a pass with everything looked up that tiles need.
type passPlan struct {
	fragment.Pass
	x    *Executor
	pass *Pass
	// bare says that nothing is attached that has layers: primitives of any
	// layer are shaded, in the tiles of one.
	bare     bool
	density  *densityPlan // nil: none
	draws    []drawPlan
	states   []*drawState  // of the draws, distinct ones that follow each other closely
	found    int           // that of the last draw
	scissors []raster.Rect // of all draws, by viewport, cut to the area
	notes    atomic.Int64  // of watches, in this round
	held     atomic.Int64  // instructions of stages before fragments that they have
	stores   *stores       // nil: nobody asks who stores to memory
	coverage int           // samples of the largest fragment
	// vertices is how many the draws name, all together; manyVertices where that is not known.
	vertices uint64
	joined   int // up to how many primitives a chunk goes on with the next draw
}

// manyVertices keep all workers busy.
const manyVertices = math.MaxUint32

// Chunks go on with the primitives of several draws, for which tiles look at fewer of them: up to
// mostJoined, unless that left fewer than sharedChunks for each worker.
const (
	fewestJoined = minPrimitives / 2
	mostJoined   = 4 * minPrimitives
	sharedChunks = 8
)

// drawPlan is a draw with its state resolved.
type drawPlan struct {
	fragment.Draw
	draw  *Draw
	state *drawState // nil for clears

	stages   geometry.Draw
	scissors uint32 // the first one's place in passPlan.scissors
}

// drawState is what a pipeline and a dynamic state make together in a pass.
type drawState struct {
	drawKey
	fragment.State
	pipe     *Pipeline
	dynamic  *DynamicState
	link     *linkage
	asm      assembly.Config
	corners  int                 // of the primitives that are rasterized, with those of adjacency
	post     []vertexpost.Config // by viewport
	stages   geometry.State
	fate     fate       // of primitives behind the stages
	windows  *windows   // nil: none
	targets  uint32     // bit i: writes colour attachment i
	alone    *drawState // of watched primitives; nil without watches
	outcodes int        // the program of outcodes, in passPlan.List, or none
	whole    *wholePlan // for primitives that nothing cuts; nil: all are kept with set-ups
	// same is what the last draw of this pass found it by, own its copy of dynamic where it is kept.
	same, own *DynamicState
}

// drawKey is what chooses the way of a state's set-ups through a tile.
type drawKey struct {
	// all: all samples of a rectangle may be taken at once.
	all  bool
	sees bool // fragments may read what fragments write
	// Before tests, rates and the sample mask take samples away.
	drops, masks bool
	counts       int // where samples are counted: see Draw.Counts
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
		Pass: fragment.Pass{
			Plan: tile.Plan{
				Made: &x.Programs, ViewMask: p.ViewMask, Layers: max(p.Layers, 1), Samples: p.Samples, Words: 1,
			},
			Common: &x.Common, Rate: p.Rate, Counters: len(p.Occlusion),
			ShadeHidden: x.shadeHidden || p.CountAll,
		},
		x: x, draws: x.plans[:0], scissors: x.scissors[:0], pass: p,
		coverage: x.cfg.CoverageSamples,
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
	var kind passKind
	keep := pl.recall(&kind)
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
	if len(p.Memory) > 0 {
		pl.addStores()
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
	if keep {
		pl.keep(&kind)
	}
	const corners = 3
	joined := min(pl.vertices/uint64(sharedChunks*len(x.workers)), uint64(x.chunkBytes/vertexBytes)) / corners
	pl.joined = int(min(max(joined, fewestJoined), mostJoined))
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
	dp.Index, dp.draw, dp.Group = i, d, i // by field: a struct would be made elsewhere and copied
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
	t.Index, t.State, t.Buffers = i, &dp.state.stages, d.VertexBuffers
	if ix := d.Index; ix != nil {
		t.Indices, t.IndexSize = ix.Data, indexSize(ix.Type)
	}
	dp.Counts[dp.state.counts] = d.Occlusion
	dp.State = &dp.state.State
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
	if stage(&dp.Context, dp.state.Shader, d.Fragment); err != nil {
		return err
	}
	if same && prev.draw.Fragment == d.Fragment && prev.draw.Occlusion == d.Occlusion {
		dp.Group = prev.Group
	}
	return nil
}

// nextStates is among how many states that of a draw is looked for, from that of the last draw on:
// programs go to and fro, and do the same in each frame.
const nextStates = 8

// stateFor is the state of a draw, which is made if it is none of the next ones, but for the
// scissors, which records name. Watched passes tell of these by the state.
func (pl *passPlan) stateFor(d *Draw, sees bool) (*drawState, error) {
	for k, n := 0, len(pl.states); k < min(n, nextStates); k++ {
		at := (pl.found + k) % n
		s := pl.states[at]
		if s.pipe != d.Pipeline || s.sees != sees {
			continue
		}
		if s.same != d.State {
			o := *d.State
			if len(pl.pass.Watches) == 0 {
				o.Scissors = s.dynamic.Scissors
			}
			if o != *s.dynamic {
				continue
			}
		}
		s.same, pl.found = d.State, at // the next one's, most likely
		return s, nil
	}
	s, err := pl.newState(d, sees)
	if err == nil {
		s.same, pl.found = d.State, len(pl.states)
		pl.states = append(pl.states, s)
	}
	return s, err
}

// contextOf checks that a stage's descriptors are there.
func contextOf(draw int, c *exec.Context, p *ir.Program) (*exec.Context, error) {
	if c == nil {
		c = &threads.NoDescriptors
	}
	if n := len(p.Resources); n > 0 && len(c.Resources) < n {
		return nil, &PassError{Draw: draw, What: fmt.Sprintf("shader %q uses %d resources, %d are bound", p.Name, n, len(c.Resources)), Rule: "VUID-vkCmdDraw-None-08600", Fix: "bind a descriptor set for each"}
	}
	return c, nil
}

// newState resolves the state of a draw in this pass.
func (pl *passPlan) newState(of *Draw, sees bool) (*drawState, error) {
	p, d := of.Pipeline, of.State
	s := &drawState{
		drawKey: drawKey{sees: sees}, pipe: p, dynamic: d, link: &p.link,
		State: fragment.State{Key: fragment.Key{Place: none, Shares: 1}, Link: &p.link.frag, Program: none},
	}
	s.asm = assembly.Config{Topology: d.Topology, Provoking: d.ProvokingVertexMode, Restart: d.PrimitiveRestart}
	if p.desc.Control != nil {
		s.asm.PatchVertices = d.PatchControlPoints
	}
	if err := s.addStages(pl, of); err != nil {
		return nil, err
	}
	if d.RasterizerDiscard { // RAS-066
		s.fate = discarded
		return s, nil
	}
	s.Locations = raster.Samples(pl.Samples)
	if custom := d.SampleLocations; custom != nil && d.SampleLocationsEnable && pl.density == nil { // RAS-120
		if custom.N != pl.Samples {
			return nil, &fragops.StateError{What: fmt.Sprintf("locations of %d samples, %d samples", custom.N, pl.Samples), Rule: "VUID-vkCmdDraw-sampleLocationsPerPixel-07482", Fix: "give as many as rasterizationSamples"}
		}
		s.Locations = custom
	}
	n := d.ViewportCount
	if n < 1 || n > MaxViewports {
		return nil, &fragops.StateError{What: fmt.Sprintf("%d viewports", n), Rule: "RAS-040", Fix: "set 1 to 16 viewports and scissors"}
	}
	for i := range n {
		s.addViewport(pl, i)
	}
	s.addWindows()
	if err := s.Raster[0].Check(); err != nil {
		return nil, err
	}
	if err := s.addTests(pl); err != nil {
		return nil, err
	}
	active, err := s.addColor(pl)
	if err != nil {
		return nil, err
	}
	s.SampleMask, s.Code = d.SampleMask, p.desc.Fragment
	s.AlphaOne, s.Smooth = d.AlphaToOneEnable, s.Raster[0].LineMode == vk.LineRasterizationModeRectangularSmooth
	s.addShading(pl, active, sees)
	if pl.stores != nil && s.Shader != nil {
		s.Shader = telling(of, ir.StageFragment, s.Shader)
		s.Told, s.Code = s.Shader != s.Code, s.Shader
	}
	s.Program = pl.Number(s.Shader)
	err = pl.AddTests(s.Tests, fragment.Tested(s.After) && s.refers(), s.Locations)
	if err = cmp.Or(err, pl.AddTests(s.Before, false, s.Locations)); err != nil {
		return nil, err
	}
	if pl.density != nil {
		s.addDense(pl)
	} else {
		s.addRates(pl)
	}
	all := uint64(1)<<pl.Samples - 1
	s.masks = s.SampleMask&all != all
	s.all = !s.masks && !s.drops && s.windows == nil && s.Rated == nil && s.counts == 0
	s.addFate(pl)
	if err := cmp.Or(s.addAttributes(pl), s.addCompact(pl)); err != nil {
		return nil, err
	}
	if err := s.AddPlans(&pl.Pass); err != nil || len(pl.pass.Watches) == 0 {
		return s, err
	}
	return s, s.addWatched(pl)
}

// addStages says what the stages between vertices and fragments take.
func (s *drawState) addStages(pl *passPlan, of *Draw) error {
	desc, t := &s.pipe.desc, &s.stages
	t.Link = &s.link.Link
	t.Vertex, t.Control = pl.Number(desc.Vertex), pl.Number(desc.Control)
	t.Evaluation, t.Geometry = pl.Number(desc.Evaluation), pl.Number(desc.Geometry)
	t.Task, t.Mesh = pl.Number(desc.Task), pl.Number(desc.Mesh)
	if pl.stores != nil {
		s.tellStores(pl, of)
	}
	s.stages.LastProvokes = s.dynamic.ProvokingVertexMode == vk.ProvokingVertexModeLastVertexEXT
	if desc.Mesh != nil {
		s.asm = assembly.Config{} // the topology means nothing
		s.corners = int(desc.Mesh.Program().Shape.Output)
		return nil
	}
	s.stages.Wide = desc.Geometry != nil || desc.Control != nil
	if patches := s.asm.Topology == vk.PrimitiveTopologyPatchList; patches != (desc.Control != nil) {
		return &fragops.StateError{What: fmt.Sprintf("topology %v, tessellation shaders: %v", s.asm.Topology, desc.Control != nil),
			Rule: "VUID-VkGraphicsPipelineCreateInfo-pStages-08888", Fix: "draw patches with tessellation shaders, and nothing else"}
	}
	s.corners = s.asm.Vertices()
	s.stages.Vertices = uint8(s.corners)
	if desc.Control != nil {
		s.stages.Tess = s.link.tessConfig(s.dynamic)
		s.corners = s.stages.Tess.Vertices()
	}
	if desc.Geometry == nil {
		return nil
	}
	shape := &desc.Geometry.Program().Shape
	if want := shape.InputVertices; want != uint32(s.corners) {
		return &fragops.StateError{What: fmt.Sprintf("a geometry shader for primitives of %d vertices gets %d", want, s.corners),
			Rule: "VUID-VkGraphicsPipelineCreateInfo-pStages-00738", Fix: "draw the primitives that the shader takes"}
	}
	s.corners = int(shape.Output)
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
		Samples: pl.Samples, Locations: s.Locations, CullMode: d.CullMode, FrontFace: d.FrontFace, PolygonMode: d.PolygonMode,
		DepthBias: bias, LineWidth: d.LineWidth, ViewRect: vp.Rect,
		Conservative: d.ConservativeMode, ExtraSize: d.ExtraOverestimation,
		ProvokingLast: d.ProvokingVertexMode == vk.ProvokingVertexModeLastVertexEXT,
	}
	// What is said of lines costs nothing else its way.
	if n := s.corners; n == 2 || n == 4 || n > 2 && d.PolygonMode == vk.PolygonModeLine {
		if state.LineMode, state.Relaxed = d.LineMode, d.RelaxedLines; d.LineStippleEnable {
			state.Stipple = raster.Stipple{Factor: int32(min(d.LineStippleFactor, 1<<16)), Pattern: d.LineStipplePattern}
		}
	}
	s.Raster = append(s.Raster, state)
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
		s.Tests = append(s.Tests, t)
	}
	return nil
}

// addColor makes the writers of the colour attachments and says whether any
// writes.
func (s *drawState) addColor(pl *passPlan) (bool, error) {
	any := false
	for i, a := range pl.Color {
		s.Location[i] = i
		if n := s.dynamic.Location[i]; n != 0 {
			s.Location[i] = int(n) - 1
		}
		if a == nil || s.Location[i] >= MaxColorAttachments {
			continue
		}
		cover := fragops.NewCoverage(pl.Samples, a.Samples, s.dynamic.CoverageReduction)
		to := s.dynamic.CoverageToColor // fragops-coverage-to-color
		if to && uint32(s.Location[i]) == s.dynamic.CoverageToColorLocation {
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
		s.Coverage[i] = cover
		out := &s.Link.Outs.Color[s.Location[i]]
		if !out.Present && !s.Coverage[i].ToColor {
			continue
		}
		info := a.Info
		if unscaled := info.Unscaled(); unscaled != nil && out.Present && out.Integer {
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
			s.Color[i] = c
			any = true
		}
	}
	return any, nil
}

// addShading decides whether the fragment shader runs, and whether the tests
// come before or after it.
func (s *drawState) addShading(pl *passPlan, colorActive, sees bool) {
	untested := make([]fragops.DepthStencil, len(s.Tests))
	s.Before, s.After = s.Tests, untested
	if s.pipe.desc.Fragment == nil { // RAS-099
		return
	}
	p := s.pipe.desc.Fragment.Program()
	o := &s.Link.Outs
	s.Takes = lowered.CoverageKey{
		Live: s.Link.Demotes, Alpha: s.dynamic.AlphaToCoverageEnable && o.Alpha != none,
	}
	masks := o.Mask != none || s.Takes != lowered.CoverageKey{}
	for w := 0; masks && w < (pl.Samples+31)/32; w++ {
		if o.Masks[w] != none {
			s.Takes.Mask |= 1 << w
		}
	}
	s.Takes.Override = masks && o.Masked && p.OverrideCoverage
	changes := o.Depth != none || s.refers() || masks || p.WritesMemory // RAS-303, RAS-304
	switch n := s.dynamic.SampleInvocations; {                          // RAS-174
	case p.SampleRate, s.dynamic.SampleShadingEnable && (n == 0 || pl.density != nil): // RAS-135
		s.Shares = pl.Samples
	case s.dynamic.SampleShadingEnable:
		s.Shares = min(n, pl.Samples)
	}
	if pl.Samples == 1 && s.Locations.Custom {
		s.Place = 0 // RAS-118: it is not in the centre
	}
	if !colorActive && !changes {
		return
	}
	s.Shader, s.End = s.pipe.desc.Fragment, fragment.Shaded
	late := (changes || s.mayReadTests(sees)) && !p.EarlyFragmentTests // RAS-301, RAS-303
	once := p.Interlocked || sees
	s.Once = once
	if late {
		s.Before, s.After, s.counts = untested, s.Tests, 1
	}
	if late && !p.WritesMemory && !s.Takes.Override && p.SubgroupSize == 0 && o.Depth == none {
		s.addPeek()
	}
	// Subgroups see which of their fragments are there, so none may be left out: RAS-305.
	overwrites := !once && !late && !masks && !p.WritesMemory && p.SubgroupSize == 0
	overwrites = overwrites && !pl.ShadeHidden
	if p.PostDepthCoverage { // what hides a sample later is not what its own tests leave
		reads := func(in fragment.Input) bool { return in.Kind == fragment.InputSampleMask }
		overwrites = overwrites && !slices.ContainsFunc(s.Link.Inputs, reads)
	}
	for i, c := range s.Color {
		if c != nil {
			s.targets |= 1 << i
			overwrites = overwrites && !c.ReadsDestination() && !s.Coverage[i].ToColor
		}
	}
	if overwrites {
		s.End = fragment.Hidden
	}
}

// addFate finds out whether draws may be left out: where no sample passes the tests
// and they write nothing, or, unless samples are counted, where nothing writes.
// Patterns of lines go on, and shaders that write memory, or print, run.
//
// RAS-305
func (s *drawState) addFate(pl *passPlan) {
	f := s.pipe.desc.Fragment
	if pl.ShadeHidden || s.dynamic.LineStippleEnable || f != nil && (f.Program().WritesMemory || f.Program().Messages()) {
		return
	}
	// Viewports differ in the range of depth, which says nothing of this.
	if s.Tests[0].Never() { // RAS-325 VkCompareOp
		s.fate = traceless
	} else if s.Shader == nil && !s.Tests[0].Writes() {
		s.fate = counted
	}
}

// wait lets all tests come after shading, where any do.
func (s *drawState) wait() {
	if fragment.Tested(s.After) {
		s.Before = make([]fragops.DepthStencil, len(s.Tests))
	}
}

// mayReadTests reports whether a shader that sees what fragments write may see what the tests
// write: an input attachment can be the depth or stencil attachment, and then holds what was there
// before the fragment.
func (s *drawState) mayReadTests(sees bool) bool {
	t := &s.Tests[0]
	return (t.DepthTest && t.DepthWrite || t.StencilTest) && sees
}

// refers says that the shader makes references of the stencil test.
func (s *drawState) refers() bool { return s.Link.Outs.Stencil != none && s.Tests[0].StencilTest }

// addPeek allows depth tests ahead of late ones. While a batch waits, only
// draws of its own state write depth, and with these comparisons they move it
// one way only: what fails now fails later. Shaders that can see the difference
// (coverage as an input) are left out.
//
// RAS-303, RAS-305 fragops
func (s *drawState) addPeek() {
	for _, in := range s.Link.Inputs {
		if in.Kind == fragment.InputSampleMask || in.Kind == fragment.InputHelper {
			return
		}
	}
	if s.Tests[0].StencilTest || s.Tests[0].BoundsTest || !s.Tests[0].DepthTest {
		return
	}
	switch s.dynamic.DepthCompareOp {
	case vk.CompareOpLess, vk.CompareOpLessOrEqual, vk.CompareOpGreater, vk.CompareOpGreaterOrEqual:
	default:
		return
	}
	s.Before = slices.Clone(s.Tests)
	for i := range s.Before {
		s.Before[i].DepthWrite = false
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

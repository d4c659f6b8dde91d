package render

import (
	"errors"
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// The state of draws by tables: every viewport, every attachment, every layer, every line mode.

// lineModes are the modes of lines; they change nothing of triangles.
var lineModes = []vk.LineRasterizationMode{vk.LineRasterizationModeDefault, vk.LineRasterizationModeRectangular, vk.LineRasterizationModeBresenham, vk.LineRasterizationModeRectangularSmooth}

// tells makes a vertex shader write a built-in.
func tells(p *ir.Program, builtin ir.Builtin, v uint32) {
	p.Outputs = append(p.Outputs, inout(builtin, 0, 0, ir.I32))
	extend(p, func(b *ir.Builder) { b.OpImm(ir.OpOutput, ir.Void, uint64(len(p.Outputs)-1), b.I32(v)) })
}

// viewports gives the scene 16 viewports that are its first, and its vertex shader the index of one.
func (s *scene) viewports(at int) {
	for i := range s.state.Viewports {
		s.state.Viewports[i], s.state.Scissors[i] = s.state.Viewports[0], s.state.Scissors[0]
	}
	s.state.ViewportCount = MaxViewports
	tells(s.vs, ir.BuiltinViewportIndex, uint32(at))
}

// attachments gives the scene so many colour attachments of a format.
func (s *scene) attachments(t *testing.T, f vk.Format, n int) (views []*resource.ImageView) {
	s.pass.Color = nil
	for range n {
		v := newView(t, f, s.width, s.height, s.samples, 1)
		views = append(views, v)
		s.pass.Color = append(s.pass.Color, Attachment{View: v, Load: vk.AttachmentLoadOpClear})
	}
	return views
}

// Of 16 attachments one blends: it adds up what two quads write, the others have the second one's value, whatever hides the first
// one's fragments. Where the second one is a draw that leaves that attachment out, it has the first one's.
func TestTables_RAS305_BlendingOfEachAttachment(t *testing.T) {
	rules.Covers(t, "RAS-305", "RAS-337", "RAS-362")
	for which := range 2*MaxColorAttachments + 1 { // none of them at the end
		blended, masked := which/2, which%2 != 0
		for _, mode := range lineModes {
			for _, c := range []Config{{Threads: 1, TileSize: 16, Lanes: 64}, {Threads: 1, TileSize: 16}, {Threads: 1, TileSize: 16, Lanes: 128}} {
				s := newScene(t, 16, 16, 1, vk.FormatUndefined)
				views := s.attachments(t, vk.FormatR32Sfloat, MaxColorAttachments)
				s.fs = &ir.Program{Stage: ir.StageFragment, Name: "multiples", Inputs: []ir.IO{inout(ir.BuiltinNone, 0, 0, ir.F32)}}
				b := ir.NewBuilder(s.fs)
				x := b.OpImm(ir.OpInput, ir.F32, 0)
				for k := range uint32(MaxColorAttachments) {
					s.fs.Outputs = append(s.fs.Outputs, inout(ir.BuiltinNone, k, 0, ir.F32))
					b.OpImm(ir.OpOutput, ir.Void, uint64(k), b.Op(ir.OpFMul, ir.F32, x, b.F32(float32(k+1))))
				}
				b.Finish()
				if s.state.LineMode = mode; blended < MaxColorAttachments && !masked {
					s.state.Blend[blended] = vk.PipelineColorBlendAttachmentState{BlendEnable: true, SrcColorBlendFactor: vk.BlendFactorOne, DstColorBlendFactor: vk.BlendFactorOne, ColorWriteMask: 15}
				}
				if p, one := s.pipeline(t, c.Lanes), s.quad(nil, 0, 0, 16, 16, 0, 1, 1, 1, 1); masked {
					s.add(p, s.state, one, 8)
					others := s.state
					others.ColorWrite &^= 1 << blended
					s.add(p, others, s.quad(nil, 0, 0, 16, 16, 0, 2, 1, 1, 1), 8)
				} else {
					s.add(p, s.state, s.quad(one, 0, 0, 16, 16, 0, 2, 1, 1, 1), 8)
				}
				s.run(t, c)
				for k, v := range views {
					want := float32(2 * (k + 1))
					switch {
					case k == blended && masked:
						want = float32(k + 1)
					case k == blended:
						want = float32(3 * (k + 1))
					}
					for i := range 256 {
						if got := float(v, i%16, i/16, 0); got != want {
							t.Fatalf("%v, %+v, left out %v: attachment %d, of which %d blends, has %v at %d,%d; want %v", mode, c, masked, k, blended, got, i%16, i/16, want)
						}
					}
				}
			}
		}
	}
}

// An attachment that no output belongs to keeps its values, each of 16; integers go to those of scaled formats as they are.
func TestTables_RAS349_EachAttachment(t *testing.T) {
	rules.Covers(t, "RAS-348", "RAS-349")
	for missing := range uint32(MaxColorAttachments) {
		for _, f := range []vk.Format{vk.FormatR8Uscaled, vk.FormatR8Uint} {
			s := newScene(t, 4, 4, 1, vk.FormatUndefined)
			views := s.attachments(t, f, MaxColorAttachments)
			for i := range s.pass.Color {
				s.pass.Color[i].Load = vk.AttachmentLoadOpLoad
				for at := range views[i].Image.Data {
					views[i].Image.Data[at] = byte(100 + i)
				}
			}
			s.fs = &ir.Program{Stage: ir.StageFragment, Name: "integers"}
			b := ir.NewBuilder(s.fs)
			for k := range uint32(MaxColorAttachments) {
				if k != missing {
					s.fs.Outputs = append(s.fs.Outputs, inout(ir.BuiltinNone, k, 0, ir.I32))
					b.OpImm(ir.OpOutput, ir.Void, uint64(len(s.fs.Outputs)-1), b.I32(7+k))
				}
			}
			b.Finish()
			s.add(s.pipeline(t, 64), s.state, s.whole(0, 1, 1, 1, 1), 8)
			s.run(t, Config{Threads: 1, Lanes: 64})
			for k, v := range views {
				want := byte(7 + k)
				if k == int(missing) {
					want = byte(100 + k)
				}
				if l := v.Level(0, 0); l.Data[l.Offset(2, 3, 0, 0)] != want {
					t.Errorf("%v, no output %d: attachment %d has %d, want %d", f, missing, k, l.Data[l.Offset(2, 3, 0, 0)], want)
				}
			}
		}
	}
}

// Each sample of each layer has a place of its own.
func TestTables_RAS104_EveryLayer(t *testing.T) {
	rules.Covers(t, "RAS-071", "RAS-104")
	const layers = 5
	for _, samples := range []int{1, 2, 4, 8, 16, 32, 64} {
		for n := range layers {
			s := newScene(t, 4, 4, samples, vk.FormatUndefined)
			s.pass.Layers, s.color = layers, newView(t, vk.FormatR32Sfloat, 4, 4, samples, layers)
			s.pass.Color[0].View = s.color
			tells(s.vs, ir.BuiltinLayer, uint32(n))
			p := s.pipeline(t, 64)
			for i := range samples {
				state := s.state
				state.SampleMask = 1 << i
				s.add(p, state, s.whole(0, float32(1+i), 1, 1, 1), 8)
			}
			s.run(t, Config{Threads: 1})
			for layer := range layers {
				l := s.color.Level(0, layer)
				for k := range 16 * samples {
					want := float32(0)
					if layer == n {
						want = float32(1 + k%samples)
					}
					b := l.Data[l.Offset(k/samples%4, k/samples/4, 0, k%samples):]
					if got := math.Float32frombits(uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24); got != want {
						t.Fatalf("drawn to layer %d: sample %d of pixel %d of layer %d has %v, want %v", n, k%samples, k/samples, layer, got, want)
					}
				}
			}
		}
	}
}

// Colour has no more samples than are rasterized; depth and stencil are asked for nothing as long as no test needs them.
func TestTables_RAS334_EveryNumberOfSamples(t *testing.T) {
	rules.Covers(t, "RAS-016", "RAS-334")
	for _, n := range []int{1, 2, 4, 8, 16} {
		for _, of := range []int{1, 2, 4, 8, 16} {
			for name, p := range map[string]Pass{
				"colour":  {Color: []Attachment{{View: newView(t, vk.FormatR8G8B8A8Unorm, 4, 4, of, 1)}}},
				"depth":   {Depth: &Attachment{View: newView(t, vk.FormatD32Sfloat, 4, 4, of, 1)}},
				"stencil": {Stencil: &Attachment{View: newView(t, vk.FormatS8Uint, 4, 4, of, 1)}},
			} {
				p.Area, p.Samples = rect(0, 0, 4, 4), n
				_, err := newExecutor(Config{Threads: 1}).newPlan(&p)
				var e *PassError
				if bad := name == "colour" && of > n; bad && (!errors.As(err, &e) || e.Rule != "RAS-334") || !bad && err != nil {
					t.Errorf("%s of %d samples in a pass of %d: %v", name, of, n, err)
				}
			}
		}
	}
}

// Without a fragment shader only depth is written, with one colour too; early tests write depth of fragments that are discarded, late
// ones do not: in each line mode.
func TestTables_RAS301_InEveryLineMode(t *testing.T) {
	rules.Covers(t, "RAS-099", "RAS-301", "RAS-303")
	for _, mode := range lineModes {
		for name, c := range map[string]struct {
			fs    *ir.Program
			depth float32
			count uint64
			color byte
		}{
			"none": {nil, .5, 16, 0}, "a shader": {fragmentProgram(nil), .5, 16, 255}, "discards": {discarding(false), 1, 0, 0}, "discards, early": {discarding(true), .5, 16, 0},
		} {
			for _, lanes := range []int{64, 0} {
				s := newScene(t, 4, 4, 1, vk.FormatD32Sfloat)
				s.fs, s.state.LineMode = c.fs, mode
				s.state.DepthTestEnable, s.state.DepthWriteEnable, s.state.DepthCompareOp = true, true, vk.CompareOpLess
				s.add(s.pipeline(t, lanes), s.state, s.whole(.5, 1, 1, 1, 1), 8).Occlusion = 1
				s.pass.Occlusion = make([]uint64, 1)
				s.run(t, Config{Threads: 1, Lanes: lanes})
				if z, red := float(s.depth, 1, 2, 0), pixel(s.color, 1, 2, 0)[0]; z != c.depth || s.pass.Occlusion[0] != c.count || red != c.color {
					t.Errorf("%v, %s: depth %v, %d samples, red %d; want %v, %d, %d", mode, name, z, s.pass.Occlusion[0], red, c.depth, c.count, c.color)
				}
			}
		}
	}
}

// compares is VkCompareOp.
func compares(op vk.CompareOp, a, b float32) bool {
	return [8]bool{false, a < b, a == b, a <= b, a > b, a != b, a >= b, true}[op]
}

// Late tests behind a shader that may discard, at every viewport and for every comparison: nothing comes of a fragment that is
// discarded, and of others what the tests say, once.
func TestTables_RAS303_EveryViewport(t *testing.T) {
	rules.Covers(t, "RAS-303", "RAS-305", "RAS-325", "RAS-330")
	for at := range MaxViewports {
		for op := vk.CompareOpNever; op <= vk.CompareOpAlways; op++ {
			for _, z := range []float32{.25, .5, .75} {
				for _, x := range []float32{0, 1} { // holes discards what is less than 1/2
					for _, stencil := range []bool{false, true} {
						s := newScene(t, 2, 2, 1, vk.FormatD32SfloatS8Uint)
						s.fs = holes()
						s.pass.Depth.ClearDepth = .5
						s.viewports(at)
						s.state.DepthTestEnable, s.state.DepthWriteEnable, s.state.DepthCompareOp = true, true, op
						face := vk.StencilOpState{PassOp: vk.StencilOpIncrementAndWrap, DepthFailOp: vk.StencilOpDecrementAndWrap, CompareOp: vk.CompareOpAlways, CompareMask: 255, WriteMask: 255}
						s.state.StencilTestEnable, s.state.Front, s.state.Back = stencil, face, face
						s.add(s.pipeline(t, 64), s.state, s.whole(z, x, 1, 1, 1), 8)
						s.run(t, Config{Threads: 1, Lanes: 64})
						depth, code, red := float32(.5), byte(0), byte(0)
						if pass := compares(op, z, .5); x == 1 {
							if code = 255; pass {
								depth, code, red = z, 1, 255
							}
						}
						if !stencil {
							code = 0
						}
						if gotZ, gotS := s.depthStencilOf(1, 0, 0); gotZ != depth || gotS != code || pixel(s.color, 1, 0, 0)[0] != red {
							t.Fatalf("viewport %d, %v, depth %v, %v, stencil %v: depth %v, stencil %d, red %d; want %v, %d, %d", at, op, z, x, stencil, gotZ, gotS, pixel(s.color, 1, 0, 0)[0], depth, code, red)
						}
					}
				}
			}
		}
	}
}

// A lane whose fragment fails late tests is no helper, and its samples are in SampleMask: for each place of the input among others.
func TestTables_RAS303_InputsBeforeLateTests(t *testing.T) {
	rules.Covers(t, "RAS-303")
	for at := range 3 {
		for _, helper := range []bool{true, false} {
			s := newScene(t, 4, 2, 4, vk.FormatD32Sfloat)
			s.floats(t)
			s.state.DepthTestEnable, s.state.DepthWriteEnable, s.state.DepthCompareOp = true, true, vk.CompareOpLess
			near := s.state
			near.SampleMask = 1
			s.add(s.pipeline(t, 64), near, s.quad(nil, 1, 0, 2, 2, .25, 1, 1, 1, 1), 8) // sample 0 of the second column
			near.SampleMask = 15
			s.add(s.pipeline(t, 64), near, s.quad(nil, 0, 0, 1, 2, .25, 1, 1, 1, 1), 8)                       // all of the first
			s.fs = &ir.Program{Stage: ir.StageFragment, Name: "inputs", Demotes: true, UsesDerivatives: true} // of whole quads
			for k := range 3 {
				in := inout(ir.BuiltinFragCoord, 0, uint32(k), ir.F32)
				switch {
				case k == at && helper:
					in = inout(ir.BuiltinHelperInvocation, 0, 0, ir.Bool)
				case k == at:
					in = inout(ir.BuiltinSampleMask, 0, 0, ir.I32)
				}
				s.fs.Inputs = append(s.fs.Inputs, in)
			}
			b := ir.NewBuilder(s.fs)
			var v ir.Value
			if helper {
				v = b.Op(ir.OpSelect, ir.F32, b.OpImm(ir.OpInput, ir.Bool, uint64(at)), b.F32(16), b.F32(0))
				v = b.Op(ir.OpFAdd, ir.F32, b.F32(2), b.Op(ir.OpDdxFine, ir.F32, v))
			} else {
				v = b.Op(ir.OpU2F, ir.F32, b.OpImm(ir.OpInput, ir.I32, uint64(at)))
			}
			b.If(b.Op(ir.OpFLt, ir.Bool, v, b.F32(-100)), func() { b.Op(ir.OpDemote, ir.Void) }, nil) // so that tests come late
			for c := range uint32(4) {
				s.fs.Outputs = append(s.fs.Outputs, inout(ir.BuiltinNone, 0, c, ir.F32))
				b.OpImm(ir.OpOutput, ir.Void, uint64(c), v)
			}
			b.Finish()
			s.add(s.pipeline(t, 64), s.state, s.whole(.5, 1, 1, 1, 1), 8)
			s.run(t, Config{Threads: 1, Lanes: 64})
			want := float32(15)
			if helper {
				want = 2 // no difference between neighbours
			}
			for x := 1; x < 4; x++ {
				for i := range 4 {
					if x == 1 && i == 0 {
						continue // which is behind
					}
					if got := float(s.color, x, 1, i); got != want {
						t.Errorf("input %d, helper %v: sample %d of column %d has %v, want %v", at, helper, i, x, got, want)
					}
				}
			}
		}
	}
}

// Custom sample locations count for all that is drawn, of every topology, number of samples and line mode.
func TestTables_RAS120_LocationsOfEveryTopology(t *testing.T) {
	rules.Covers(t, "RAS-115", "RAS-120")
	// A corner of pixel 1,1 that holds the custom places, and none of the standard ones.
	a, b, c := [2]float32{1, 1}, [2]float32{1.0625, 1}, [2]float32{1, 1.0625}
	far := [2]float32{3.9, 3.9}
	for topology, list := range map[vk.PrimitiveTopology][][2]float32{
		vk.PrimitiveTopologyTriangleList: {a, b, c}, vk.PrimitiveTopologyTriangleStrip: {a, b, c}, vk.PrimitiveTopologyTriangleFan: {a, b, c},
		vk.PrimitiveTopologyTriangleListWithAdjacency: {a, far, b, far, c, far}, vk.PrimitiveTopologyTriangleStripWithAdjacency: {a, far, b, far, c, far},
		vk.PrimitiveTopologyPointList: {{.53125, .53125}}, vk.PrimitiveTopologyLineList: {{.5, .53125}, {1.03125, .53125}}, vk.PrimitiveTopologyLineStrip: {{.5, .53125}, {1.03125, .53125}},
		vk.PrimitiveTopologyLineListWithAdjacency: {far, {.5, .53125}, {1.03125, .53125}, far}, vk.PrimitiveTopologyLineStripWithAdjacency: {far, {.5, .53125}, {1.03125, .53125}, far},
	} {
		for k, samples := range []int{1, 2, 4, 8, 16, 16} {
			for _, mode := range lineModes {
				for _, enabled := range []bool{false, true} {
					s := newScene(t, 4, 4, samples, vk.FormatUndefined)
					var places [][2]float32
					for range samples {
						places = append(places, [2]float32{1. / 64, 1. / 64})
					}
					s.state.Topology, s.state.LineMode = topology, mode
					if mode == vk.LineRasterizationModeBresenham || mode == vk.LineRasterizationModeRectangularSmooth {
						if len(list) < 3 || list[0] == far {
							continue // which lines of these modes cover is another matter
						}
					}
					s.state.SampleLocations, s.state.SampleLocationsEnable = raster.CustomSamples(samples, 1, 1, places), enabled
					var words []float32
					for _, p := range list {
						words = s.vert(words, p[0], p[1], 0, 1, 1, 1, 1)
					}
					s.add(s.pipeline(t, 64), s.state, words, 8)
					s.run(t, Config{Threads: 1 + k/5})
					l := s.color.Level(0, 0)
					for i := range samples {
						if got := l.Data[l.Offset(1, 1, 0, i)] != 0; got != enabled {
							t.Errorf("%v, %v, enabled %v: sample %d of %d is drawn: %v", topology, mode, enabled, i, samples, got)
						}
					}
				}
			}
		}
	}
}

package render

import (
	"bytes"
	"context"
	"math/rand/v2"
	"runtime/debug"
	"testing"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/render/fragment"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// colorTargets are the formats of colour attachments whose components are floats, or
// UNORM and so on.
func colorTargets() (list []vk.Format) {
	for _, f := range format.All() {
		if info, _ := format.Lookup(f); info.Class == format.ClassFloat && info.ImageFeatures(vk.ImageTilingOptimal)&vk.FormatFeature2ColorAttachmentBit != 0 {
			list = append(list, f)
		}
	}
	return list
}

// writesThree adds a second source and a second output, both of them the first colour
// in another order.
func writesThree(p *ir.Program, b *ir.Builder, color [4]ir.Value) {
	for k, io := range []ir.IO{{Location: 0, Index: 1, Type: ir.F32}, {Location: 1, Type: ir.F32}} {
		for c := range 4 {
			io.Component = uint32(c)
			p.Outputs = append(p.Outputs, io)
			b.OpImm(ir.OpOutput, ir.Void, uint64(len(p.Outputs)-1), color[(c+1+k)%4])
		}
	}
}

// randomBlend draws the state of an attachment.
func randomBlend(r *rand.Rand) vk.PipelineColorBlendAttachmentState {
	factor := func() vk.BlendFactor { return vk.BlendFactor(r.IntN(int(vk.BlendFactorOneMinusSrc1Alpha) + 1)) }
	op := func() vk.BlendOp { return vk.BlendOp(r.IntN(int(vk.BlendOpMax) + 1)) }
	s := vk.PipelineColorBlendAttachmentState{BlendEnable: r.IntN(4) > 0, ColorWriteMask: 15,
		SrcColorBlendFactor: factor(), DstColorBlendFactor: factor(), ColorBlendOp: op(), SrcAlphaBlendFactor: factor(), DstAlphaBlendFactor: factor(), AlphaBlendOp: op()}
	if r.IntN(3) == 0 {
		s.ColorWriteMask = vk.ColorComponentFlags(1 + r.IntN(15))
	}
	return s
}

// Integers that a shader writes to a scaled format, for which Vulkan has no rule, are stored as they are, clamped, and not blended.
func TestRun_RAS348_IntegersInScaledFormats(t *testing.T) {
	rules.Covers(t, "RAS-348")
	for f, want := range map[vk.Format][]byte{
		vk.FormatR8G8B8A8Uscaled: {7, 255, 255, 0}, vk.FormatR8G8B8A8Sscaled: {7, 127, 0xFB, 0}, vk.FormatR16G16Sscaled: {7, 0, 44, 1}, vk.FormatR8G8B8A8Unorm: {0, 0, 0, 0},
	} {
		for _, lanes := range []int{64, 256} {
			s := newScene(t, 8, 8, 1, vk.FormatUndefined)
			s.color = newView(t, f, 8, 8, 1, 1)
			s.pass.Color = []Attachment{{View: s.color, Load: vk.AttachmentLoadOpClear}}
			s.fs = &ir.Program{Stage: ir.StageFragment, Name: "integers"}
			b := ir.NewBuilder(s.fs)
			for c, v := range []int32{7, 300, -5, 0} {
				s.fs.Outputs = append(s.fs.Outputs, inout(ir.BuiltinNone, 0, uint32(c), ir.I32))
				b.OpImm(ir.OpOutput, ir.Void, uint64(c), b.I32(uint32(v)))
			}
			b.Finish()
			st := s.state
			st.Blend[0] = vk.PipelineColorBlendAttachmentState{BlendEnable: true, SrcColorBlendFactor: vk.BlendFactorOne, DstColorBlendFactor: vk.BlendFactorOne, ColorWriteMask: 15}
			var v []float32
			for range 2 {
				v = s.quad(v, 0, 0, 8, 8, .5, 0, 0, 0, 0)
			}
			s.add(s.pipeline(t, 64), st, v, 8)
			x := newExecutor(Config{Threads: 1, TileSize: 16, Lanes: lanes})
			if _, err := x.Run(context.Background(), &s.pass); err != nil {
				t.Fatal(err)
			}
			if got := s.color.Image.Data[:len(want)]; !bytes.Equal(got, want) {
				t.Errorf("%v, %d lanes: %v, want %v", f, lanes, got, want)
			}
		}
	}
}

// Machine code makes the pictures of the portable machine: several attachments, primitives that
// overlap within a batch, samples covered in part, tiles at the border.
func TestRun_RAS360_MachinesAgreeOnColours(t *testing.T) {
	rules.Covers(t, "RAS-360")
	formats := colorTargets()
	for seed := range uint64(rules.Cases(150, 5000)) {
		var want [2][]byte
		for _, native := range []bool{false, true} {
			r := rand.New(rand.NewPCG(seed, 21))
			samples := []int{1, 1, 4}[r.IntN(3)]
			s := newScene(t, 53, 37, samples, vk.FormatUndefined)
			s.fs = fragmentProgram(writesThree)
			var views [2]*resource.ImageView
			s.pass.Color = nil
			for k := range views {
				views[k] = newView(t, formats[r.IntN(len(formats))], 53, 37, samples, 1)
				s.pass.Color = append(s.pass.Color, Attachment{View: views[k], Load: vk.AttachmentLoadOpClear, ClearColor: texel(r.Float32(), r.Float32(), r.Float32(), r.Float32())})
			}
			p := s.pipeline(t, 64)
			for range 1 + r.IntN(4) {
				st := s.state
				st.Blend[0], st.Blend[1] = randomBlend(r), randomBlend(r)
				st.BlendConstants = [4]float32{r.Float32()*2 - .5, r.Float32(), r.Float32(), r.Float32()}
				st.LogicOpEnable, st.LogicOp = r.IntN(5) == 0, vk.LogicOp(r.IntN(16))
				if r.IntN(3) == 0 {
					st.SampleMask = r.Uint64()
				}
				st.AlphaToCoverageEnable = r.IntN(4) == 0
				if r.IntN(4) == 0 {
					st.ShadingRate = sized(1<<r.IntN(3), 1<<r.IntN(3))
				}
				var v []float32
				extent := []float32{4, 12, 90}[r.IntN(3)]
				for range 60 {
					x, y := 53*r.Float32(), 37*r.Float32()
					for range 3 {
						v = s.vert(v, x+extent*(r.Float32()-.5), y+extent*(r.Float32()-.5), .5, 2*r.Float32()-.5, r.Float32(), r.Float32(), r.Float32())
					}
				}
				s.add(p, st, v, 8)
			}
			x := newExecutor(Config{Threads: 1, TileSize: 16, Lanes: 64})
			if native {
				x = newExecutor(Config{Threads: 1, TileSize: 16, Lanes: 128})
				x.FuseAfter = 0
			}
			if _, err := x.Run(context.Background(), &s.pass); err != nil {
				t.Fatal(err)
			}
			for k, v := range views {
				if !native {
					want[k] = v.Image.Data
				} else if !bytes.Equal(v.Image.Data, want[k]) {
					t.Fatalf("seed %d: attachment %d of format %v differs at byte %d", seed, k, v.Info.Format, firstDifference(v.Image.Data, want[k]))
				}
			}
		}
	}
}

// Runs of programs allocate nothing in a tile, and programs are compiled once.
func TestRun_BlendingAllocatesNothingPerTile(t *testing.T) {
	x := newExecutor(Config{Threads: 1, TileSize: 16})
	allocs := func(cells int) float64 {
		s := newScene(t, 256, 256, 4, vk.FormatUndefined)
		s.color = newView(t, vk.FormatR16G16B16A16Sfloat, 256, 256, 4, 1)
		s.pass.Color[0].View = s.color
		s.state.Blend[0] = blendStates[1].state
		p := s.pipeline(t, 256)
		var v []float32
		for i := range cells * cells {
			x, y := float32(i%cells*8), float32(i/cells*8)
			v = s.quad(v, x, y, x+8, y+8, .5, red...)
		}
		s.add(p, s.state, v, 8)
		defer debug.SetGCPercent(debug.SetGCPercent(-1))
		run := func() {
			if _, err := x.Run(context.Background(), &s.pass); err != nil {
				t.Fatal(err)
			}
		}
		for range fragment.FuseAfter/(64*cells*cells) + 3 { // until shader and inputs are one program
			run()
		}
		return testing.AllocsPerRun(3, run)
	}
	if small, large := allocs(2), allocs(32); large > small {
		t.Errorf("%v allocations for 256 tiles, %v for one", large, small)
	}
	programs := 0
	for key := range x.Programs.By {
		if _, ok := key.(fragment.ColorKey); ok {
			programs++
		}
	}
	if programs != 1 {
		t.Errorf("%d programs for one state", programs)
	}
}

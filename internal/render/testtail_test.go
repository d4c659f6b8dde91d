package render

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Tests in machine code leave what those of the portable machine leave, before shading and after
// it, where shaders write depth and references.
func TestRun_RAS360_MachinesAgreeOnTests(t *testing.T) {
	rules.Covers(t, "RAS-360")
	formats := []vk.Format{vk.FormatD16Unorm, vk.FormatX8D24UnormPack32, vk.FormatD32Sfloat, vk.FormatD24UnormS8Uint, vk.FormatD32SfloatS8Uint, vk.FormatS8Uint}
	for seed := range uint64(rules.Cases(150, 5000)) {
		var want []byte
		for _, native := range []bool{false, true} {
			r := rand.New(rand.NewPCG(seed, 22))
			s := newScene(t, 53, 37, []int{1, 1, 4, 8}[r.IntN(4)], formats[r.IntN(len(formats))])
			s.fs = fragmentProgram(writesTests(r.IntN(5)))
			choosesViewport(s.vs)
			if s.depth.Info.Format == vk.FormatS8Uint {
				s.pass.Depth = nil
			}
			s.pass.Stencil.clearStencil(r)
			p := s.pipeline(t, 64)
			s.pass.Occlusion = make([]uint64, 1)
			for range 1 + r.IntN(4) {
				st := s.state
				randomTests(r, &st)
				extent := []float32{20, 60, 200}[r.IntN(3)]
				var v []float32
				for range 20 {
					x, y := 53*r.Float32(), 37*r.Float32()
					for range 3 {
						v = s.vert(v, x+extent*(r.Float32()-.5), y+extent*(r.Float32()-.5), r.Float32(), r.Float32(), r.Float32(), r.Float32(), r.Float32())
					}
				}
				d := s.add(p, st, v, 8)
				d.Occlusion, d.Instances = 1, 2
			}
			x := newExecutor(Config{Threads: 1, TileSize: 32, Lanes: 64})
			if native {
				x = newExecutor(Config{Threads: 1, TileSize: 32, Lanes: []int{256, 128}[seed%2]})
				x.FuseAfter = 0
			}
			if _, err := x.Run(context.Background(), &s.pass); err != nil {
				t.Fatal(err)
			}
			got := slices.Concat(s.depth.Image.Data, s.color.Image.Data, []byte{byte(s.pass.Occlusion[0]), byte(s.pass.Occlusion[0] >> 8)})
			if !native {
				want = got
			} else if !bytes.Equal(got, want) {
				t.Fatalf("seed %d, %v: differs at byte %d, depth and stencil have %d", seed, s.depth.Info.Format, firstDifference(got, want), len(s.depth.Image.Data))
			}
		}
	}
}

// choosesViewport makes a vertex shader write its instance's number to ViewportIndex.
func choosesViewport(p *ir.Program) {
	p.Inputs = append(p.Inputs, ir.IO{Builtin: ir.BuiltinInstanceIndex, Type: ir.I32})
	p.Outputs = append(p.Outputs, ir.IO{Builtin: ir.BuiltinViewportIndex, Type: ir.I32})
	extend(p, func(b *ir.Builder) {
		b.OpImm(ir.OpOutput, ir.Void, uint64(len(p.Outputs)-1), b.OpImm(ir.OpInput, ir.I32, uint64(len(p.Inputs)-1)))
	})
}

// clearStencil makes the attachment, if there is one, start with a random value.
func (a *Attachment) clearStencil(r *rand.Rand) {
	if v := r.Uint32() & 0xFF; a != nil {
		a.ClearStencil = v
	}
}

// writesTests adds to a fragment shader what makes tests come late: it writes depth,
// references, both or drops fragments; or nothing.
func writesTests(what int) func(p *ir.Program, b *ir.Builder, color [4]ir.Value) {
	return func(p *ir.Program, b *ir.Builder, color [4]ir.Value) {
		out := func(builtin ir.Builtin, t ir.Type, v ir.Value) {
			p.Outputs = append(p.Outputs, ir.IO{Builtin: builtin, Type: t})
			b.OpImm(ir.OpOutput, ir.Void, uint64(len(p.Outputs)-1), v)
		}
		if what == 1 || what == 3 {
			out(ir.BuiltinFragDepth, ir.F32, color[0])
		}
		if what == 2 || what == 3 {
			out(ir.BuiltinFragStencilRef, ir.I32, b.Op(ir.OpF2U, ir.I32, b.Op(ir.OpFMul, ir.F32, color[1], b.F32(700))))
		}
		if what == 4 {
			p.Demotes = true
			b.If(b.Op(ir.OpFLt, ir.Bool, color[2], b.F32(.3)), func() { b.Op(ir.OpDemote, ir.Void) }, nil)
		}
	}
}

// randomTests draws depth bounds, stencil and depth tests.
func randomTests(r *rand.Rand, st *DynamicState) {
	face := func() vk.StencilOpState {
		op := func() vk.StencilOp { return vk.StencilOp(r.IntN(8)) }
		f := vk.StencilOpState{FailOp: op(), PassOp: op(), DepthFailOp: op(), CompareOp: vk.CompareOp(r.IntN(8)), CompareMask: 0xFF, WriteMask: 0xFF, Reference: r.Uint32()}
		if r.IntN(2) == 0 {
			f.CompareMask, f.WriteMask = r.Uint32(), r.Uint32()
		}
		return f
	}
	st.DepthTestEnable, st.DepthWriteEnable, st.DepthCompareOp = r.IntN(4) > 0, r.IntN(4) > 0, vk.CompareOp(r.IntN(8))
	st.StencilTestEnable, st.Front, st.Back = r.IntN(2) == 0, face(), face()
	if r.IntN(2) == 0 {
		st.Back = st.Front
	}
	if st.DepthBoundsTestEnable = r.IntN(3) == 0; st.DepthBoundsTestEnable {
		st.MinDepthBounds = .5 * r.Float32()
		st.MaxDepthBounds = 1 - .5*r.Float32()
	}
	if r.IntN(3) == 0 {
		st.Viewports[0].MinDepth, st.Viewports[0].MaxDepth = r.Float32(), r.Float32()
	}
	st.DepthClampEnable = r.IntN(2) == 0
	st.ViewportCount, st.Viewports[1], st.Scissors[1] = 2, st.Viewports[0], st.Scissors[0]
	st.Viewports[1].MinDepth = .5
}

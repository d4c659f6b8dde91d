package render

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/render/rates"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// variedProgram has flat, linear, centroid and FragCoord inputs and derivatives.
func variedProgram() *ir.Program {
	p := &ir.Program{Stage: ir.StageFragment, Name: "varied", UsesDerivatives: true}
	b := ir.NewBuilder(p)
	input := func(io ir.IO) ir.Value {
		p.Inputs = append(p.Inputs, io)
		return b.OpImm(ir.OpInput, io.Type, uint64(len(p.Inputs)-1))
	}
	base := inout(ir.BuiltinNone, 0, 0, ir.F32)
	r := input(base)
	base.Component, base.Interp = 1, ir.Linear
	g := input(base)
	base.Component, base.Interp, base.Aux = 2, ir.Perspective, ir.AtCentroid
	bl := input(base)
	base.Component, base.Interp, base.Aux = 3, ir.Flat, ir.AtCenter
	a := input(base)
	x := input(inout(ir.BuiltinFragCoord, 0, 0, ir.F32))
	id := input(inout(ir.BuiltinPrimitiveID, 0, 0, ir.I32))
	g = b.Op(ir.OpFAdd, ir.F32, g, b.Op(ir.OpFAbs, ir.F32, b.Op(ir.OpDdxFine, ir.F32, r)))
	bl = b.Op(ir.OpFAdd, ir.F32, bl, b.Op(ir.OpFMul, ir.F32, x, b.F32(1.0/512)))
	r = b.Op(ir.OpFAdd, ir.F32, r, b.Op(ir.OpFMul, ir.F32, b.Op(ir.OpU2F, ir.F32, b.Op(ir.OpAnd, ir.I32, id, b.I32(7))), b.F32(1.0/64)))
	for c, v := range [4]ir.Value{r, g, bl, a} {
		p.Outputs = append(p.Outputs, inout(ir.BuiltinNone, 0, uint32(c), ir.F32))
		b.OpImm(ir.OpOutput, ir.Void, uint64(c), v)
	}
	b.Finish()
	return p
}

// grouped colours a fragment by its subgroup: how many of it are covered, the
// sum of their reds, a neighbour's green and whether it was elected.
func grouped() *ir.Program {
	return fragmentProgram(func(p *ir.Program, b *ir.Builder, color [4]ir.Value) {
		p.SubgroupSize, p.UsesDerivatives = 4, true
		group := func(g ir.Group, t ir.Type, args ...ir.Value) ir.Value {
			return b.OpMore(ir.OpGroup, t, g.Imm(), args)
		}
		ballot := group(ir.Group{Kind: ir.GroupBallot}, ir.I32, b.Bool(true))
		count := b.Op(ir.OpU2F, ir.F32, b.Op(ir.OpBitCount, ir.I32, ballot))
		sum := group(ir.Group{Kind: ir.GroupReduce, Arith: ir.GroupFAdd}, ir.F32, color[0])
		lane := group(ir.Group{Kind: ir.GroupLane}, ir.I32)
		other := group(ir.Group{Kind: ir.GroupShuffle}, ir.F32, color[1], b.Op(ir.OpXor, ir.I32, lane, b.I32(3)))
		elected := b.Op(ir.OpSelect, ir.F32, group(ir.Group{Kind: ir.GroupElect}, ir.Bool), b.F32(1), b.F32(.25))
		for c, v := range [4]ir.Value{b.Op(ir.OpFMul, ir.F32, count, b.F32(.25)), b.Op(ir.OpFMul, ir.F32, sum, b.F32(.25)), other, elected} {
			b.OpImm(ir.OpOutput, ir.Void, uint64(c), v)
		}
	})
}

// holes demotes fragments whose red is below one half.
func holes() *ir.Program {
	p := fragmentProgram(func(_ *ir.Program, b *ir.Builder, color [4]ir.Value) {
		b.If(b.Op(ir.OpFLt, ir.Bool, color[0], b.F32(.5)), func() { b.Op(ir.OpDemote, ir.Void) }, nil)
	})
	p.Demotes = true
	return p
}

// randomRates chooses shading rates: for kind 1 enums of pipelines and of an
// attachment, for kind 2 those of a shading rate image.
func randomRates(t *testing.T, s *scene, st *DynamicState, kind uint64, r *rand.Rand) {
	codes := func(width, height, n int) *resource.ImageView {
		v := newView(t, vk.FormatR8Uint, width, height, 1, 1)
		l := v.Level(0, 0)
		for y := range height {
			for x := range width {
				l.Data[l.Offset(x, y, 0, 0)] = byte(r.IntN(n))
			}
		}
		return v
	}
	switch kind {
	case 1:
		if s.pass.Rate == nil {
			s.pass.Rate = &rates.Attachment{View: codes(12, 9, 16), Texel: vk.Extent2D{Width: 8, Height: 8}}
		}
		st.RateEnums, st.ShadingRate = true, rates.ShadingOf(uint32(r.IntN(15)), true)
		st.RateCombiners[1] = vk.FragmentShadingRateCombinerOpKHR(r.IntN(5))
	case 2:
		st.RateImageEnable, st.RateImage = true, codes(6, 4, 18)
		for i := range st.Palettes[0].Entries {
			st.Palettes[0].Entries[i] = uint8(r.IntN(12))
		}
		st.Palettes[0].N = 15
		st.SampleOrder = rates.NewOrder(vk.CoarseSampleOrderTypeNV(r.IntN(4)), nil)
		if r.IntN(3) == 0 {
			st.SampleShadingOn, st.SampleShadingEnable, st.SampleInvocations = true, true, 1+r.IntN(s.samples)
		}
	}
}

// randomPass draws random triangles, lines and points with random state.
func randomPass(t *testing.T, seed uint64, lanes int) *scene {
	r := rand.New(rand.NewPCG(seed, 7))
	samples := []int{1, 4, 2, 8, 16}[seed%5]
	s := newScene(t, 100, 75, samples, []vk.Format{vk.FormatD24UnormS8Uint, vk.FormatD32Sfloat}[seed%2])
	if samples > 1 {
		s.pass.Color[0].Resolve, s.pass.Color[0].ResolveMode = newView(t, vk.FormatR8G8B8A8Unorm, 100, 75, 1, 1), vk.ResolveModeAverageBit
	}
	s.pass.Occlusion = make([]uint64, 2)
	s.pass.Area.Offset, s.pass.Area.Extent = vk.Offset2D{X: 3, Y: 5}, vk.Extent2D{Width: 90, Height: 67}
	var pipes []*Pipeline
	for _, fs := range []*ir.Program{fragmentProgram(nil), variedProgram(), holes(), nil, grouped()} {
		s.fs = fs
		pipes = append(pipes, s.pipeline(t, lanes))
	}
	rates := rand.New(rand.NewPCG(seed, 8))
	for range 12 {
		st := s.state
		randomRates(t, s, &st, seed%4, rates)
		st.DepthTestEnable, st.DepthWriteEnable = r.IntN(2) != 0, r.IntN(3) != 0
		st.DepthCompareOp = vk.CompareOp(1 + r.IntN(7))
		st.CullMode = vk.CullModeFlags(max(r.IntN(6)-3, 0))
		st.StencilTestEnable = r.IntN(4) == 0
		st.Front = vk.StencilOpState{PassOp: vk.StencilOp(r.IntN(8)), FailOp: vk.StencilOp(r.IntN(8)), CompareOp: vk.CompareOp(r.IntN(8)), CompareMask: 255, WriteMask: 255, Reference: uint32(r.IntN(4))}
		st.Back = st.Front
		st.Back.PassOp = vk.StencilOpIncrementAndWrap
		st.Topology = []vk.PrimitiveTopology{vk.PrimitiveTopologyTriangleList, vk.PrimitiveTopologyTriangleStrip, vk.PrimitiveTopologyTriangleFan, vk.PrimitiveTopologyLineStrip, vk.PrimitiveTopologyPointList}[r.IntN(5)]
		st.Blend[0].BlendEnable = r.IntN(2) == 0
		st.Blend[0].SrcColorBlendFactor, st.Blend[0].DstColorBlendFactor = vk.BlendFactorSrcAlpha, vk.BlendFactorOneMinusSrcAlpha
		st.Scissors[0].Offset.X = int32(r.IntN(30))
		st.SampleMask = []uint64{^uint64(0), 0x55}[r.IntN(2)]
		big := r.IntN(3) == 0
		var v []float32
		n := 40 + r.IntN(200)
		cx, cy := float32(0), float32(0)
		for i := range n {
			if i%3 == 0 {
				cx, cy = r.Float32()*2.4-1.2, r.Float32()*2.4-1.2
			}
			size := float32(.2)
			if big && i < 12 {
				size = 3
			}
			w := .5 + r.Float32()
			if r.IntN(50) == 0 {
				w = -.1
			}
			x, y, z := cx+(r.Float32()-.5)*size, cy+(r.Float32()-.5)*size, r.Float32()*1.2-.1
			v = append(v, x*w, y*w, z*w, w, r.Float32(), r.Float32(), r.Float32(), r.Float32())
		}
		d := s.add(pipes[r.IntN(len(pipes))], st, v, 8)
		d.Occlusion = r.IntN(3)
		d.Barrier = r.IntN(6) == 0
		if r.IntN(2) == 0 {
			var idx []byte
			for range n {
				i := uint32(r.IntN(n))
				if r.IntN(40) == 0 {
					i = ^uint32(0)
				}
				idx = binary.LittleEndian.AppendUint32(idx, i)
			}
			d.State.PrimitiveRestart = st.Topology != vk.PrimitiveTopologyTriangleList && st.Topology != vk.PrimitiveTopologyPointList
			d.Index = &IndexBuffer{Data: idx, Type: vk.IndexTypeUint32}
			d.Instances = 2
		}
	}
	if seed%4 == 3 {
		s.pass.Density = &DensityMap{View: densityView(t, 7, 6, 1, func(_, x, y int) [2]byte { return [2]byte{byte(60 + x*61%180), byte(60 + y*83%190)} }), Framebuffer: vk.Extent2D{Width: 100, Height: 75}}
	}
	return s
}

// TestRun_RAS360_SameBitsForAnyConfiguration runs random passes under every
// thread count, tile size and lane count.
func TestRun_RAS360_SameBitsForAnyConfiguration(t *testing.T) {
	rules.Covers(t, "RC-63", "RAS-360")
	for seed := range uint64(8) {
		var want [][]byte
		var occlusion []uint64
		for i, c := range configurations() {
			if i > 0 && (i+int(seed))%4 != 0 {
				continue // between them the seeds meet every configuration
			}
			s := randomPass(t, seed, c.Lanes)
			x := newExecutor(c)
			x.shadeHidden = i == 0
			st, err := x.Run(context.Background(), &s.pass)
			if err != nil {
				t.Fatal(err)
			}
			got := [][]byte{s.color.Image.Data, s.depth.Image.Data}
			if v := s.pass.Color[0].Resolve; v != nil {
				got = append(got, v.Image.Data)
			}
			if i == 0 {
				want, occlusion = got, s.pass.Occlusion
				if st.Fragments < 500 { // all are shaded here
					t.Errorf("seed %d shades %d fragments only", seed, st.Fragments)
				}
				continue
			}
			for k := range got {
				if !bytes.Equal(got[k], want[k]) {
					t.Fatalf("seed %d, %+v: image %d differs from that of the first configuration at byte %d", seed, c, k, firstDifference(got[k], want[k]))
				}
			}
			if fmt.Sprint(s.pass.Occlusion) != fmt.Sprint(occlusion) {
				t.Fatalf("seed %d, %+v: occlusion %v, want %v", seed, c, s.pass.Occlusion, occlusion)
			}
		}
	}
}

func firstDifference(a, b []byte) int {
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}

func configurations() []Config {
	var list []Config
	for _, threads := range []int{1, 2, 7} {
		for _, tile := range []int{64, 16, 256} {
			for _, lanes := range []int{256, 64, 128} {
				list = append(list, Config{Threads: threads, TileSize: tile, Lanes: lanes, BinBytes: int64(1+tile%3) << 20})
			}
		}
	}
	return list
}

// TestRun_RoundsChangeNothing draws a pass whose bins overflow many times.
func TestRun_RoundsChangeNothing(t *testing.T) {
	var want []byte
	for _, budget := range []int64{64 << 20, 1} {
		s := randomPass(t, 1, 64)
		x := newExecutor(Config{Threads: 2})
		x.cfg.BinBytes = budget
		st, err := x.Run(context.Background(), &s.pass)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = s.color.Image.Data
		} else if !bytes.Equal(want, s.color.Image.Data) || st.Rounds < 6 {
			t.Errorf("%d rounds give other bits, or too few rounds", st.Rounds)
		}
	}
}

// TestRun_SplitPassesGiveTheSameBits draws every draw in a pass of its own.
func TestRun_SplitPassesGiveTheSameBits(t *testing.T) {
	for seed := range uint64(4) {
		whole := randomPass(t, seed, 64)
		whole.run(t, Config{Threads: 2})
		split := randomPass(t, seed, 64)
		draws := split.pass.Draws
		x := newExecutor(Config{Threads: 2})
		for i := range draws {
			split.pass.Draws = draws[i : i+1]
			if _, err := x.Run(context.Background(), &split.pass); err != nil {
				t.Fatal(err)
			}
			split.pass.Color[0].Load, split.pass.Depth.Load = vk.AttachmentLoadOpLoad, vk.AttachmentLoadOpLoad
		}
		if !bytes.Equal(whole.color.Image.Data, split.color.Image.Data) || !bytes.Equal(whole.depth.Image.Data, split.depth.Image.Data) {
			t.Errorf("seed %d: passes of one draw each give other bits than one pass", seed)
		}
	}
}

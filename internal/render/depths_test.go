package render

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/render/rates"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// deep writes FragDepth: its red.
func deep() *ir.Program {
	return fragmentProgram(func(p *ir.Program, b *ir.Builder, color [4]ir.Value) {
		p.Outputs = append(p.Outputs, inout(ir.BuiltinFragDepth, 0, 0, ir.F32))
		b.OpImm(ir.OpOutput, ir.Void, uint64(len(p.Outputs)-1), color[0])
	})
}

// deepPass draws triangles, large and small, some of them again, at few depths, with
// all that reads, writes, limits and forgets them.
func deepPass(t *testing.T, seed uint64) *scene {
	r := rand.New(rand.NewPCG(seed, 21))
	const width, height = 80, 64
	formats := []vk.Format{vk.FormatD32Sfloat, vk.FormatD16Unorm, vk.FormatX8D24UnormPack32, vk.FormatD24UnormS8Uint, vk.FormatD32SfloatS8Uint}
	s := newScene(t, width, height, 1<<(seed/5%5), formats[seed%5])
	for i := range s.depth.Image.Data {
		s.depth.Image.Data[i] = byte(r.IntN(256)) // of D32 also NaN
	}
	if seed%3 == 0 {
		s.pass.Depth.Load = vk.AttachmentLoadOpLoad
	}
	if seed%2 == 0 {
		s.pass.Area.Offset.X, s.pass.Area.Extent.Width = 3, width-5
	}
	s.pass.Occlusion = make([]uint64, 1)
	var pipes []*Pipeline
	centred := fragmentProgram(nil)
	for i := range centred.Inputs {
		centred.Inputs[i].Aux = ir.AtCentroid
	}
	early := holes()
	early.EarlyFragmentTests = true
	for _, fs := range []*ir.Program{fragmentProgram(nil), nil, holes(), early, deep(), grouped(), centred} {
		s.fs = fs
		pipes = append(pipes, s.pipeline(t, 64))
	}
	depths := []float32{0, .25, .25, .5, .75, 1, -.5, 1.5}
	st := s.state
	op := vk.CompareOp(r.IntN(8))
	for range 14 {
		if r.IntN(4) == 0 {
			c := &Clear{Aspect: vk.ImageAspectDepthBit, Depth: depths[r.IntN(5)], Rects: []vk.ClearRect{{Rect: s.pass.Area, LayerCount: 1}}}
			if r.IntN(2) == 0 {
				c.Rects[0].Rect = vk.Rect2D{Offset: vk.Offset2D{X: int32(r.IntN(40)), Y: int32(r.IntN(40))}, Extent: vk.Extent2D{Width: 30, Height: 30}}
			}
			s.pass.Draws = append(s.pass.Draws, Draw{Clear: c})
			continue
		}
		if r.IntN(3) == 0 {
			op = vk.CompareOp(r.IntN(8))
		}
		st.DepthCompareOp = op
		st.DepthTestEnable, st.DepthWriteEnable = r.IntN(8) != 0, r.IntN(4) != 0
		st.StencilTestEnable = r.IntN(5) == 0
		st.Front = vk.StencilOpState{PassOp: vk.StencilOpIncrementAndWrap, DepthFailOp: vk.StencilOpInvert, CompareOp: vk.CompareOpGreater, CompareMask: 255, WriteMask: 255, Reference: 3}
		st.Back = st.Front
		st.DepthBoundsTestEnable, st.MinDepthBounds, st.MaxDepthBounds = r.IntN(8) == 0, .2, .8
		st.DepthBiasEnable, st.DepthBiasConstant, st.DepthBiasSlope = r.IntN(6) == 0, 3, .5
		st.DepthClampEnable = r.IntN(2) == 0
		st.DepthClipEnable = !st.DepthClampEnable
		st.DepthUnrestricted = r.IntN(8) == 0
		st.DepthClampUser, st.DepthClampRange = r.IntN(6) == 0, [2]float32{.3, .6}
		st.SampleMask = []uint64{^uint64(0), 0x5555, 0xFFFE}[max(r.IntN(8)-5, 0)]
		st.Scissors[0].Offset.X = int32(max(r.IntN(30)-20, 0))
		st.Blend[0].BlendEnable = r.IntN(4) == 0
		st.Blend[0].SrcColorBlendFactor, st.Blend[0].DstColorBlendFactor = vk.BlendFactorOne, vk.BlendFactorOne
		st.DiscardEnable, st.DiscardCount, st.DiscardRectangles[0] = r.IntN(8) == 0, 1, vk.Rect2D{Extent: vk.Extent2D{Width: 40, Height: 33}}
		if st.ShadingRate = (rates.Shading{}); r.IntN(8) == 0 {
			st.ShadingRate = sized(2, 2)
		}
		var v []float32
		for range 1 + r.IntN(5) {
			x, y, size := r.Float32()*width, r.Float32()*height, 2+20*r.Float32()
			if r.IntN(2) == 0 {
				x, y, size = -width, -height, 5*width
			}
			z := [3]float32{depths[r.IntN(len(depths))]}
			z[1], z[2] = z[0], z[0]
			if r.IntN(2) == 0 {
				z[1+r.IntN(2)] = depths[r.IntN(len(depths))]
			}
			order := [3]int{0, 1, 2}
			if r.IntN(2) == 0 {
				order = [3]int{0, 2, 1}
			}
			again := 1 + max(r.IntN(5)-3, 0)
			for range again {
				for _, k := range order {
					v = s.vert(v, x+float32(k&1)*size, y+float32(k>>1)*size, z[k], r.Float32(), r.Float32(), r.Float32(), 1)
				}
			}
		}
		d := s.add(pipes[r.IntN(len(pipes))], st, v, 8)
		d.Occlusion = r.IntN(2)
		d.Barrier = r.IntN(12) == 0
	}
	return s
}

// What is decided for blocks of 8x8 pixels, and hidden, gives the bits that come of
// passes of one primitive each, in which nothing is known of what is there.
func TestRun_RAS327_BlocksDecideAsSamples(t *testing.T) {
	rules.Covers(t, "RAS-327", "RAS-305")
	for seed := range uint64(90) {
		if testing.Short() && seed%4 != 0 {
			continue
		}
		one := deepPass(t, seed)
		x := newExecutor(Config{Threads: 1, TileSize: []int{64, 16}[seed%2], Lanes: 64})
		step := func(d ...Draw) {
			p := one.pass
			p.Draws = d
			if _, err := x.Run(context.Background(), &p); err != nil {
				t.Fatal(err)
			}
		}
		step()
		one.pass.Color[0].Load, one.pass.Depth.Load = vk.AttachmentLoadOpLoad, vk.AttachmentLoadOpLoad
		for _, d := range one.pass.Draws {
			if d.Clear != nil {
				step(d)
				continue
			}
			for i := uint32(0); i < d.Count; i += 3 {
				part := d
				part.First, part.Count = i, 3
				step(part)
			}
		}
		for _, c := range []Config{{Threads: 1, Lanes: 64}, {Threads: 2, TileSize: 16, Lanes: 64}, {Threads: 1, TileSize: 256, Lanes: 64, BinBytes: 1}, {Threads: 1, Lanes: 128}} {
			all := deepPass(t, seed)
			all.run(t, c)
			for i, pair := range [][2][]byte{{all.color.Image.Data, one.color.Image.Data}, {all.depth.Image.Data, one.depth.Image.Data}} {
				if !bytes.Equal(pair[0], pair[1]) {
					t.Fatalf("seed %d, %+v, image %d: other bytes, first at %d", seed, c, i, firstDifference(pair[0], pair[1]))
				}
			}
			if !slices.Equal(all.pass.Occlusion, one.pass.Occlusion) {
				t.Fatalf("seed %d, %+v: %d samples counted, want %d", seed, c, all.pass.Occlusion, one.pass.Occlusion)
			}
		}
	}
}

// Depth of a block that nobody has read is there at the end of the pass, as every other
// depth: encoded, clamped, with the high byte of D24 as it was.
func TestRun_RAS327_OwnedBlocksAreStored(t *testing.T) {
	rules.Covers(t, "RAS-327")
	for f, want := range map[vk.Format]uint32{vk.FormatD32Sfloat: math.Float32bits(.5), vk.FormatD16Unorm: 0x8000_8000, vk.FormatX8D24UnormPack32: 0xAB80_0000} {
		s := newScene(t, 32, 16, 1, f)
		for i := range s.depth.Image.Data {
			s.depth.Image.Data[i] = 0xAB
		}
		s.pass.Depth.Load = vk.AttachmentLoadOpLoad
		s.state.DepthTestEnable, s.state.DepthWriteEnable, s.state.DepthCompareOp = true, true, vk.CompareOpAlways
		s.add(s.pipeline(t, 64), s.state, s.quad(nil, 0, 0, 32, 16, .5, red...), 8)
		s.run(t, Config{})
		for at := 0; at < len(s.depth.Image.Data); at += 4 {
			if got := binary.LittleEndian.Uint32(s.depth.Image.Data[at:]); got != want {
				t.Fatalf("%v: %#x at byte %d, want %#x", f, got, at, want)
			}
		}
	}
}

// over is a triangle that covers everything.
func (s *scene) over(z float32) (v []float32) {
	for _, c := range [3][2]float32{{0, 0}, {2, 0}, {0, 2}} {
		v = s.vert(v, c[0]*float32(s.width), c[1]*float32(s.height), z, red...)
	}
	return v
}

// What has yet to be tested after shading belongs to what a block holds: its bounds
// take it in, and are not found anew meanwhile.
func TestRun_RAS327_BoundsHoldWhatComesLate(t *testing.T) {
	rules.Covers(t, "RAS-327")
	known := func(s *scene) { // nothing passes, but then bounds are known
		s.fs = nil
		s.add(s.pipeline(t, 64), s.state, s.quad(nil, 0, 0, 8, 8, .75, red...), 8)
	}
	for name, late := range map[string]func(s *scene){
		"depth of the primitive": func(s *scene) {
			s.fs = holes()
			// The second one has nothing that passes, which makes bounds worth a look.
			s.add(s.pipeline(t, 64), s.state, s.quad(s.quad(nil, 2, 2, 5, 5, .25, red...), 0, 0, 8, 8, .75, red...), 8)
		},
		"depth of the primitive, known": func(s *scene) {
			known(s)
			s.fs = holes()
			s.add(s.pipeline(t, 64), s.state, s.quad(nil, 2, 2, 5, 5, .25, red...), 8)
		},
		"depth of the shader": func(s *scene) {
			known(s)
			s.fs = deep()
			s.add(s.pipeline(t, 64), s.state, s.quad(nil, 2, 2, 5, 5, .75, .25, 0, 0, 1), 8)
		},
	} {
		s := newScene(t, 8, 8, 1, vk.FormatD32Sfloat)
		s.pass.Depth.Load = vk.AttachmentLoadOpLoad
		for at := 0; at < len(s.depth.Image.Data); at += 4 {
			binary.LittleEndian.PutUint32(s.depth.Image.Data[at:], math.Float32bits(.5))
		}
		s.state.DepthTestEnable, s.state.DepthWriteEnable, s.state.DepthCompareOp = true, true, vk.CompareOpLess
		late(s)
		s.fs = fragmentProgram(nil)
		s.add(s.pipeline(t, 64), s.state, s.over(.375), 8)
		s.run(t, Config{Threads: 1, Lanes: 64})
		depth := func(x, y int) float32 {
			l := s.depth.Level(0, 0)
			return math.Float32frombits(binary.LittleEndian.Uint32(l.Data[l.Offset(x, y, 0, 0):]))
		}
		if in, out := depth(3, 3), depth(6, 6); in != .25 || out != .375 {
			t.Errorf("%s: depths %v and %v, want .25 and .375", name, in, out)
		}
	}
}

// Shaders that read depth where they draw find that of blocks that somebody owns.
func TestRun_RAS312_DepthOfOwnedBlocks(t *testing.T) {
	rules.Covers(t, "RAS-312")
	for _, early := range []bool{false, true} {
		s := newScene(t, 16, 16, 1, vk.FormatD32Sfloat)
		s.state.DepthTestEnable, s.state.DepthWriteEnable, s.state.DepthCompareOp = true, true, vk.CompareOpAlways
		s.add(s.pipeline(t, 64), s.state, s.quad(nil, 0, 0, 16, 16, .2, red...), 8)
		reader := countingScene(t)
		reader.fs.Resources[0].Binding = ir.TileDepth
		reader.state.DepthTestEnable, reader.state.DepthWriteEnable, reader.state.DepthCompareOp = early, early, vk.CompareOpAlways
		reader.fs.EarlyFragmentTests = early
		s.add(reader.pipeline(t, 64), reader.state, s.quad(nil, 0, 0, 16, 16, .4, red...), 8).Fragment = &exec.Context{Resources: make([][]exec.Descriptor, 1)}
		s.run(t, Config{Threads: 1, Lanes: 64})
		want := byte(.2*255 + 1)
		if early {
			want = .4*255 + 1
		}
		if got := pixel(s.color, 3, 3, 0)[0]; got != want {
			t.Errorf("early tests %v: depth read is %d, want %d", early, got, want)
		}
	}
}

// What bounds the whole tile follows its blocks.
func TestRun_RAS327_BoundsOfTheTileFollow(t *testing.T) {
	rules.Covers(t, "RAS-327")
	s := newScene(t, 64, 64, 1, vk.FormatD32Sfloat)
	pipe := s.pipeline(t, 64)
	for _, d := range []struct {
		op vk.CompareOp
		z  float32
	}{{vk.CompareOpGreater, .75}, {vk.CompareOpAlways, .5}, {vk.CompareOpGreater, .75}} {
		s.state.DepthTestEnable, s.state.DepthWriteEnable, s.state.DepthCompareOp = true, true, d.op
		s.add(pipe, s.state, s.over(d.z), 8)
	}
	s.run(t, Config{Threads: 1})
	for at := 0; at < len(s.depth.Image.Data); at += 4 {
		if got := math.Float32frombits(binary.LittleEndian.Uint32(s.depth.Image.Data[at:])); got != .75 {
			t.Fatalf("depth %v at byte %d, want .75", got, at)
		}
	}
}

// Depths that a draw stores whose tests bounds do not decide are no longer within those of blocks.
func TestRun_RAS327_BoundsOfWhatTheyDoNotDecide(t *testing.T) {
	rules.Covers(t, "RAS-327")
	for name, change := range map[string]func(d *DynamicState){
		"stencil counts failures": func(d *DynamicState) {
			d.StencilTestEnable = true
			d.Front.CompareOp = vk.CompareOpAlways
			d.Front.DepthFailOp = vk.StencilOpIncrementAndWrap
			d.Back = d.Front
		},
		"bounds of depth": func(d *DynamicState) {
			d.DepthBoundsTestEnable, d.MaxDepthBounds = true, 1
		},
	} {
		s := newScene(t, 8, 8, 1, vk.FormatD32SfloatS8Uint)
		s.pass.Depth.ClearDepth = .5
		s.state.DepthTestEnable, s.state.DepthWriteEnable = true, true
		s.state.DepthCompareOp = vk.CompareOpLess
		s.fs = nil
		first := s.state
		change(&first)
		s.add(s.pipeline(t, 64), first, s.quad(nil, 2, 2, 5, 5, .25, red...), 8)
		s.fs = fragmentProgram(nil)
		s.add(s.pipeline(t, 64), s.state, s.over(.375), 8)
		s.run(t, Config{Threads: 1, Lanes: 64})
		for _, c := range []struct {
			at   int
			want float32
		}{{3, .25}, {6, .375}} {
			l := s.depth.Level(0, 0)
			bits := binary.LittleEndian.Uint32(l.Data[l.Offset(c.at, c.at, 0, 0):])
			if got := math.Float32frombits(bits); got != c.want {
				t.Errorf("%s: depth %v at (%d, %d), want %v", name, got, c.at, c.at, c.want)
			}
		}
	}
}

// Draws that leave no trace are left out before the tiles, unless somebody counts.
func TestRun_RAS325_UnseenDraws(t *testing.T) {
	rules.Covers(t, "RAS-305", "RAS-325")
	for name, c := range map[string]struct {
		change func(s *scene, d *Draw)
		want   uint64
	}{
		"never":          {func(*scene, *Draw) {}, 0},
		"never, counted": {func(s *scene, _ *Draw) { s.pass.CountAll = true }, 2},
		"less":           {func(_ *scene, d *Draw) { d.State.DepthCompareOp = vk.CompareOpLess }, 2},
		"stencil counts failures": {func(_ *scene, d *Draw) {
			d.State.StencilTestEnable = true
			d.State.Front.DepthFailOp = vk.StencilOpIncrementAndWrap
			d.State.Front.CompareOp = vk.CompareOpAlways
		}, 2},
		"a pattern": {func(_ *scene, d *Draw) { d.State.LineStippleEnable, d.State.LineStippleFactor = true, 1 }, 2},
		"writes nothing": {func(_ *scene, d *Draw) {
			d.State.DepthCompareOp, d.State.DepthWriteEnable, d.State.ColorWrite = vk.CompareOpLess, false, 0
		}, 0},
		"writes nothing, samples counted": {func(_ *scene, d *Draw) {
			d.State.DepthCompareOp, d.State.DepthWriteEnable, d.State.ColorWrite = vk.CompareOpLess, false, 0
			d.Occlusion = 1
		}, 2},
	} {
		s := newScene(t, 16, 16, 1, vk.FormatD24UnormS8Uint)
		s.pass.Occlusion = make([]uint64, 1)
		s.state.DepthTestEnable, s.state.DepthWriteEnable, s.state.DepthCompareOp = true, true, vk.CompareOpNever
		c.change(s, s.add(s.pipeline(t, 64), s.state, s.quad(nil, 0, 0, 16, 16, .5, red...), 8))
		if st := s.run(t, Config{}); st.Rasterized != c.want {
			t.Errorf("%s: %d primitives reach the tiles, want %d", name, st.Rasterized, c.want)
		}
	}
}

// What is hidden in one block of a tile may be seen in the next, by a large primitive
// and by a small one across the border.
func TestRun_RAS327_BlocksDiffer(t *testing.T) {
	rules.Covers(t, "RAS-327")
	for name, second := range map[string]func(s *scene) []float32{
		"large": func(s *scene) []float32 { return s.over(.5) },
		"small": func(s *scene) []float32 { return s.quad(nil, 6, 2, 10, 5, .5, red...) },
	} {
		s := newScene(t, 64, 64, 1, vk.FormatD32Sfloat)
		s.state.DepthTestEnable, s.state.DepthWriteEnable, s.state.DepthCompareOp = true, true, vk.CompareOpLess
		near := s.state
		near.Scissors[0].Extent = vk.Extent2D{Width: 8, Height: 8}
		pipe := s.pipeline(t, 64)
		v := s.over(.25)
		for i := range 3 { // green
			v[8*i+4], v[8*i+5] = 0, 1
		}
		s.add(pipe, near, v, 8)
		s.add(pipe, s.state, second(s), 8)
		s.run(t, Config{Threads: 1, TileSize: 64, Lanes: 64})
		if a, b := pixel(s.color, 7, 3, 0), pixel(s.color, 8, 3, 0); a != [4]byte{0, 255, 0, 255} || b != [4]byte{255, 0, 0, 255} {
			t.Errorf("%s: %v and %v, want green and red", name, a, b)
		}
	}
}

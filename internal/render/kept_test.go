package render

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/render/rates"
	"github.com/pumice-gpu/pumice/internal/render/watch"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// TestKept_SameAsAnew: an executor that draws passes again, which the caller changes in place
// meanwhile, gives the pixels and counts of one that has drawn nothing before, keeps states, fuses
// their shaders, and has none of pipelines that are gone.
//
// RAS-300
func TestKept_SameAsAnew(t *testing.T) {
	seeds := uint64(8)
	if testing.Short() {
		seeds = 2
	}
	recalled, fused, forgot := 0, 0, 0
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 53))
		c := Config{Lanes: 256, Threads: 1 + int(seed&1), TileSize: 16}
		x := newExecutor(c)
		x.FuseAfter = 1 << 11
		scenes := []*scene{crowdedPass(t, seed), crowdedPass(t, seed+1), crowdedPass(t, seed+1)}
		scenes[2].pass.Draws[0].Pipeline = scenes[1].pass.Draws[0].Pipeline
		for range 60 {
			s := scenes[r.IntN(len(scenes))]
			s.vary(t, r)
			if r.IntN(12) == 0 {
				x.Forget(s.pass.Draws[0].Pipeline.Routines()...)
				if len(x.kept) > 0 {
					t.Fatal("states of pipelines that are gone are kept")
				}
				forgot++
			}
			before := map[*drawState]bool{}
			for _, k := range x.kept {
				for _, st := range k.states {
					before[st] = true
				}
			}
			got := s.drawn(t, x)
			if n := len(x.kept); n > 0 && before[x.kept[n-1].states[0]] {
				recalled++
			}
			if want := s.drawn(t, newExecutor(c)); !bytes.Equal(got, want) {
				t.Fatalf("seed %d: what is drawn depends on what was drawn before", seed)
			}
		}
		for _, k := range x.kept {
			for _, st := range k.states {
				if st.Plan != nil && st.Plan.Fused[0] != none {
					fused++
				}
			}
		}
	}
	if recalled < int(4*seeds) || fused == 0 || forgot == 0 {
		t.Errorf("%d states recalled, %d fused, %d times forgotten", recalled, fused, forgot)
	}
}

// vary changes what a pass takes from its caller: often nothing.
func (s *scene) vary(t *testing.T, r *rand.Rand) {
	st := s.pass.Draws[r.IntN(len(s.pass.Draws))].State
	switch r.IntN(14) {
	case 0:
		st.DepthTestEnable = !st.DepthTestEnable
	case 1:
		st.Viewports[0].MaxDepth = r.Float32()
	case 2:
		st.Scissors[0].Offset.X = int32(r.IntN(5))
	case 3:
		st.Blend[0].BlendEnable = !st.Blend[0].BlendEnable
	case 4: // as many bytes
		f := []vk.Format{
			vk.FormatR8G8B8A8Unorm, vk.FormatB8G8R8A8Unorm, vk.FormatR8G8B8A8Srgb,
			vk.FormatA2B10G10R10UnormPack32,
		}[r.IntN(4)]
		s.color = newView(t, f, s.width, s.height, s.samples, 1)
		s.pass.Color[0].View = s.color
	case 5:
		f := []vk.Format{
			vk.FormatD32Sfloat, vk.FormatX8D24UnormPack32, vk.FormatD24UnormS8Uint, vk.FormatD16Unorm,
		}[r.IntN(4)]
		s.depth = newView(t, f, s.width, s.height, s.samples, 1)
		a := &Attachment{View: s.depth, Load: vk.AttachmentLoadOpClear, ClearDepth: 1}
		if s.pass.Depth, s.pass.Stencil = a, nil; s.depth.Image.PlaneOf(vk.ImageAspectStencilBit) >= 0 {
			s.pass.Stencil = a
		}
	case 6:
		s.samples = 5 - s.samples // 1 or 4
		s.color = newView(t, s.color.Image.Format, s.width, s.height, s.samples, 1)
		s.depth = newView(t, s.depth.Image.Format, s.width, s.height, s.samples, 1)
		s.pass.Color[0].View, s.pass.Depth.View = s.color, s.depth
	case 7:
		d := s.pass.Draws
		i, k := r.IntN(len(d)), r.IntN(len(d))
		d[i], d[k] = d[k], d[i]
	case 8:
		s.pass.CountAll = !s.pass.CountAll
	case 9:
		if s.pass.Rate = nil; r.IntN(2) == 0 {
			s.pass.Rate = &rates.Attachment{}
		}
	}
}

// drawn is what a pass leaves in its attachments and counters.
func (s *scene) drawn(t *testing.T, x *Executor) []byte {
	t.Helper()
	clear(s.pass.Occlusion)
	if _, err := x.Run(context.Background(), &s.pass); err != nil {
		t.Fatal(err)
	}
	list := [][]byte{fmt.Append(nil, s.pass.Occlusion)}
	for _, v := range []*resource.ImageView{s.color, s.depth} {
		list = append(list, bytes.Clone(v.Image.Data))
	}
	return slices.Concat(list...)
}

// keptScene is a scene for an executor on one thread, and draws for it.
func keptScene(t *testing.T) (
	s *scene, x *Executor, draw func(p *Pipeline, width float32) Draw, run func(draws ...Draw),
) {
	s = newScene(t, 32, 32, 1, vk.FormatUndefined)
	x = newExecutor(Config{Lanes: 256, Threads: 1})
	corners := s.quad(nil, 0, 0, 9, 9, 0, 1, 1, 1, 1)
	draw = func(p *Pipeline, width float32) Draw {
		st := s.state
		st.LineWidth = width
		s.pass.Draws = nil
		return *s.add(p, st, corners, 8)
	}
	run = func(draws ...Draw) {
		t.Helper()
		s.pass.Draws = draws
		if _, err := x.Run(context.Background(), &s.pass); err != nil {
			t.Fatal(err)
		}
	}
	return s, x, draw, run
}

// TestKept_OfPassesThatUseThem: states stay as long as passes use them all, of so many passes, and
// of those that have so few.
func TestKept_OfPassesThatUseThem(t *testing.T) {
	s, x, draw, run := keptScene(t)
	var pipes []*Pipeline
	for range keptPasses + 2 {
		pipes = append(pipes, s.pipeline(t, 256))
	}
	a, b := draw(pipes[0], 1), draw(pipes[0], 2)
	run(a, b, a)
	both, bounds := x.kept[0].states, x.kept[0].bounds
	if len(x.kept) != 1 || len(both) != 2 {
		t.Fatalf("%d passes kept, %d states of the first", len(x.kept), len(both))
	}
	run(a, b)
	if k := x.kept; len(k) != 1 || !slices.Equal(k[0].states, both) || k[0].bounds != bounds {
		t.Error("a pass that is drawn again has other states")
	}
	run(b)
	if len(x.kept) != 0 {
		t.Error("states are kept that the last pass of the kind did not use")
	}
	rated := draw(pipes[0], 1)
	rated.State.ShadingRate.W = 1
	if run(rated); len(x.kept) != 0 {
		t.Error("states of rates are kept")
	}
	for _, p := range pipes {
		run(draw(p, 1))
	}
	if len(x.kept) != keptPasses || x.kept[keptPasses-1].kind.first != pipes[len(pipes)-1] {
		t.Errorf("%d passes kept", len(x.kept))
	}
	var many []Draw
	for i := range keptStates + 1 {
		many = append(many, draw(pipes[0], float32(1+i)))
	}
	x.kept = nil
	if run(many[1:]...); len(x.kept) != 1 {
		t.Error("the states of a pass that has just few enough are not kept")
	}
	x.kept = nil
	if run(many...); len(x.kept) != 0 {
		t.Error("too many states are kept")
	}
}

// TestKept_Kinds: what states take of a pass makes another kind of it, or keeps them from being
// kept.
func TestKept_Kinds(t *testing.T) {
	for name, change := range map[string]func(s *scene, x *Executor, st *DynamicState){
		"samples": func(s *scene, x *Executor, st *DynamicState) { s.pass.Samples = 4 },
		"color": func(s *scene, x *Executor, st *DynamicState) {
			s.pass.Color = []Attachment{{View: s.color}}
		},
		"stencil": func(s *scene, x *Executor, st *DynamicState) {
			s.pass.Stencil = &Attachment{View: newView(t, vk.FormatS8Uint, 32, 32, 1, 1)}
		},
		"depth": func(s *scene, x *Executor, st *DynamicState) {
			s.pass.Depth = &Attachment{View: newView(t, vk.FormatD16Unorm, 32, 32, 1, 1)}
		},
		"count all": func(s *scene, x *Executor, st *DynamicState) { s.pass.CountAll = true },
		"watches": func(s *scene, x *Executor, st *DynamicState) {
			s.pass.Watches = []*watch.Watch{{Attachment: -1}}
		},
		"stores":  func(s *scene, x *Executor, st *DynamicState) { s.pass.Memory = []*Memory{{}} },
		"rates":   func(s *scene, x *Executor, st *DynamicState) { s.pass.Rate = &rates.Attachment{} },
		"density": func(s *scene, x *Executor, st *DynamicState) { s.pass.Density = &DensityMap{} },
	} {
		s, x, draw, run := keptScene(t)
		s.pass.Color = nil
		d := draw(s.pipeline(t, 256), 1)
		run(d)
		before := x.kept[0].states[0]
		st := *d.State
		d.State = &st
		change(s, x, &st)
		run(d)
		if before.same == &st {
			t.Errorf("%s: drawn with the state that was kept", name)
		}
	}
}

// TestKept_Fused: shaders of kept states are fused when it is time, once; those that cannot be
// leave their states as they are.
func TestKept_Fused(t *testing.T) {
	for _, helper := range []bool{false, true} {
		s, x, draw, run := keptScene(t)
		x.FuseAfter, x.DirectFor = 100, 0
		if helper {
			s.fs = fragmentProgram(func(p *ir.Program, b *ir.Builder, color [4]ir.Value) {
				b.OpImm(ir.OpIsHelper, ir.Bool, 0)
			})
		}
		d := draw(s.pipeline(t, 256), 1)
		var states []*drawState
		for range 6 {
			run(d)
			if st := x.kept[0].states[0]; len(states) == 0 || states[len(states)-1] != st {
				states = append(states, st)
			}
		}
		last := states[len(states)-1]
		want := map[bool]int{false: 2, true: 1}[helper]
		if fused := last.Plan.Fused[0] != none; fused == helper || len(states) != want {
			t.Errorf("helper %v: fused %v, %d states", helper, fused, len(states))
		}
	}
}

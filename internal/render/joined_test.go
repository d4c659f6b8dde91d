package render

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/vk"
)

// Draws whose states differ in their scissors only share batches; where anything else
// differs, they don't.
func TestPlan_Groups_AllButScissors(t *testing.T) {
	s := newScene(t, 64, 64, 1, vk.FormatUndefined)
	p := s.pipeline(t, 64)
	group := func(change func(d *DynamicState)) bool {
		s.pass.Draws = s.pass.Draws[:0]
		s.add(p, s.state, s.quad(nil, 0, 0, 64, 64, 0, red...), 8)
		state := s.state
		change(&state)
		s.add(p, state, s.quad(nil, 0, 0, 64, 64, 0, red...), 8)
		plan, err := newExecutor(Config{Threads: 1}).newPlan(&s.pass)
		if err != nil {
			t.Fatal(err)
		}
		return plan.draws[0].Group == plan.draws[1].Group
	}
	if !group(func(*DynamicState) {}) || !group(func(d *DynamicState) { d.Scissors[0].Extent.Width = 9 }) {
		t.Error("draws of one state are apart")
	}
	for name, change := range map[string]func(d *DynamicState){
		"viewports": func(d *DynamicState) { d.Viewports[0].MaxDepth = .5 }, "blending": func(d *DynamicState) { d.BlendConstants[1] = .5 },
		"sample mask": func(d *DynamicState) { d.SampleMask = 0 },
	} {
		if group(change) {
			t.Errorf("draws with other %s are not", name)
		}
	}
}

// A draw that differs from the one before in its scissors has the state of that, and scissors of
// its own.
func TestPlan_OtherScissors(t *testing.T) {
	s := newScene(t, 64, 64, 1, vk.FormatD32Sfloat)
	s.state.ViewportCount = 2
	s.state.Viewports[1] = s.state.Viewports[0]
	p := s.pipeline(t, 64)
	s.add(p, s.state, s.quad(nil, 0, 0, 64, 64, 0, red...), 8)
	s.state.Scissors[0] = vk.Rect2D{Offset: vk.Offset2D{X: 3, Y: 5}, Extent: vk.Extent2D{Width: 100, Height: 7}}
	s.state.Scissors[1].Extent.Width = 9
	other := s.add(p, s.state, s.quad(nil, 0, 0, 64, 64, 0, red...), 8)
	s.add(p, s.state, s.quad(nil, 0, 0, 64, 64, 0, red...), 8).State = other.State
	plan, err := newExecutor(Config{Threads: 1}).newPlan(&s.pass)
	if err != nil {
		t.Fatal(err)
	}
	want := []raster.Rect{{X1: 64, Y1: 64}, {}, {X0: 3, Y0: 5, X1: 64, Y1: 12}, {X1: 9}}
	d := plan.draws
	if !slices.Equal(plan.scissors, want) {
		t.Errorf("scissors %v, not %v", plan.scissors, want)
	}
	for i, want := range []uint32{0, 2, 2} { // two share theirs
		if d[i].scissors != want {
			t.Errorf("those of draw %d begin at %d, want %d", i, d[i].scissors, want)
		}
	}
	if d[0].state != d[1].state || d[0].state != d[2].state {
		t.Error("draws have states of their own")
	}
}

// A draw has the state of an earlier one where the last few are like it, but a group of its own where
// others came between; and states that differ stay apart.
func TestPlan_StatesToAndFro(t *testing.T) {
	s := newScene(t, 64, 64, 1, vk.FormatUndefined)
	p, q := s.pipeline(t, 64), s.pipeline(t, 64)
	other := s.state
	other.BlendConstants[1] = .5
	for _, d := range []struct {
		p *Pipeline
		s DynamicState
	}{{p, s.state}, {q, s.state}, {p, other}, {p, s.state}, {q, s.state}, {p, other}, {p, other}} {
		s.add(d.p, d.s, s.quad(nil, 0, 0, 64, 64, 0, red...), 8)
	}
	plan, err := newExecutor(Config{Threads: 1}).newPlan(&s.pass)
	if err != nil {
		t.Fatal(err)
	}
	if len(plan.states) != 3 {
		t.Errorf("%d states", len(plan.states))
	}
	for i, want := range []struct{ state, group int }{{0, 0}, {1, 1}, {2, 2}, {0, 3}, {1, 4}, {2, 5}, {2, 5}} {
		d := &plan.draws[i]
		if state := slices.Index(plan.states, d.state); state != want.state || d.Group != want.group {
			t.Errorf("draw %d: state %d, group %d; want %v", i, state, d.Group, want)
		}
		if d.state.pipe != d.draw.Pipeline || *d.state.dynamic != *d.draw.State {
			t.Errorf("draw %d: the state of others", i)
		}
	}
}

// A pass does not see the draws of the one before, whose memory it has.
func TestRun_PassesShareMemory(t *testing.T) {
	x := newExecutor(Config{Threads: 1})
	var want []byte
	for _, draws := range []int{40, 3, 40} {
		s := newScene(t, 64, 64, 1, vk.FormatUndefined)
		p := s.pipeline(t, 64)
		for i := range draws {
			s.add(p, s.state, s.quad(nil, float32(i), 0, 64, 64, 0, red...), 8)
		}
		if _, err := x.Run(context.Background(), &s.pass); err != nil {
			t.Fatal(err)
		}
		for _, d := range x.plans[:cap(x.plans)] {
			if d.draw != nil || d.state != nil {
				t.Fatal("the memory of draws holds on to a pass")
			}
		}
		if data := s.color.Image.Data; want == nil {
			want = data
		} else if draws == 40 && !bytes.Equal(data, want) {
			t.Error("another picture")
		}
	}
}

// Consecutive small draws of one state share chunks, and are drawn as if each had its
// own: whatever vertex buffers, instances, scissors and occlusion counters they have, and around
// large draws, barriers and clears.
func TestRun_SmallDrawsShareChunks(t *testing.T) {
	for _, layered := range []bool{true, false} { // without, nothing has to be clipped
		sharesChunks(t, layered)
	}
}

func sharesChunks(t *testing.T, layered bool) {
	draw := func(apart bool) ([]byte, []uint64, int) {
		s := newScene(t, 64, 64, 1, vk.FormatUndefined)
		s.color = newView(t, vk.FormatR8G8B8A8Unorm, 64, 64, 1, 3)
		s.pass.Color[0] = Attachment{View: s.color, Load: vk.AttachmentLoadOpClear}
		s.pass.Layers = 3
		s.pass.Occlusion = make([]uint64, 2)
		if layered {
			s.vs = layeredProgram() // by instance
		}
		s.state.ViewportCount = 2
		s.state.Viewports[1] = vk.Viewport{X: 16, Width: 48, Height: 64, MaxDepth: 1}
		s.state.Scissors[1] = s.state.Scissors[0]
		blend := &s.state.Blend[0]
		blend.BlendEnable, blend.SrcColorBlendFactor, blend.DstColorBlendFactor = true, vk.BlendFactorSrcAlpha, vk.BlendFactorOneMinusSrcAlpha
		p := s.pipeline(t, 64)
		for i := range 90 {
			f := float32(i)
			if i%3 == 0 {
				s.state.Scissors[i%2].Offset.X = int32(i % 7)
				s.state.Scissors[i%2].Extent.Height = 40 + uint32(i%25)
			}
			if apart {
				s.state.BlendConstants[0] = f // that nothing uses
			}
			scissors := s.state.Scissors
			v := s.quad(nil, f/2, f/3, f/2+20, f/3+30, 0, f/90, 1-f/90, f/200, .4)
			if i == 40 { // more than a chunk, and than a stretch of what shares one with draws before it
				for k := range 4000 {
					x, y := float32(k%64), float32(k/64)
					v = s.quad(v, x, y, x+1, y+1, 0, .5, .5, float32(k)/4000, .2)
				}
			}
			d := s.add(p, s.state, v, 8)
			d.FirstInstance, d.Instances = uint32(i%4), 1+uint32(i%2)
			if !apart && i%2 == 0 { // then those of the state do not count
				d.Scissors, d.State.Scissors = &scissors, [MaxViewports]vk.Rect2D{}
			}
			switch {
			case i%20 == 7:
				d.Count = 0
			case i == 50:
				d.Barrier = true
			case i == 60:
				s.pass.Draws = append(s.pass.Draws, Draw{Clear: &Clear{Aspect: vk.ImageAspectColorBit, Color: texel(0, .5, 0, 1),
					Rects: []vk.ClearRect{{Rect: vk.Rect2D{Extent: vk.Extent2D{Width: 30, Height: 20}}, LayerCount: 1}}}})
			case i > 70:
				d.Occlusion = 1 + i%7/6
			}
		}
		x := newExecutor(Config{Threads: 2, TileSize: 16})
		if _, err := x.Run(context.Background(), &s.pass); err != nil {
			t.Fatal(err)
		}
		return s.color.Image.Data, s.pass.Occlusion, len(x.pool)
	}
	want, counted, many := draw(true)
	got, count, few := draw(false)
	if !bytes.Equal(got, want) || count[0] != counted[0] || count[1] != counted[1] {
		t.Errorf("another picture, or %d samples counted instead of %d", count, counted)
	}
	layer := len(got) / 3
	for i := 0; layered && i < 3; i++ {
		if !bytes.ContainsFunc(got[i*layer:(i+1)*layer], func(r rune) bool { return r != 0 }) {
			t.Errorf("nothing in layer %d", i)
		}
	}
	if many < 40 || few > 25 { // in the larger half, which the barrier parts
		t.Errorf("%d chunks, and %d where states differ", few, many)
	}
}

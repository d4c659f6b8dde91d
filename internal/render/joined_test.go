package render

import (
	"bytes"
	"context"
	"testing"

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
		plan, err := New(Config{Threads: 1}).newPlan(&s.pass)
		if err != nil {
			t.Fatal(err)
		}
		return plan.draws[0].group == plan.draws[1].group
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

// A pass does not see the draws of the one before, whose memory it has.
func TestRun_PassesShareMemory(t *testing.T) {
	x := New(Config{Threads: 1})
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

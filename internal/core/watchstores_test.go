package core

import (
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/vk"
)

// storingPass records a pass of n draws of memory.frag, each of which adds 1 to a word.
func storingPass(t *testing.T, d *Device, n int) *CommandBuffer {
	t.Helper()
	p := fullscreen(t, d, "memory.frag", numberFormats, nil)
	_, view := target(t, d, numbers, 1, 1)
	c := d.NewCommandBuffer()
	c.BeginRendering(RenderingInfo{
		Color: []RenderingAttachment{{View: view}},
		Area:  vk.Rect2D{Extent: vk.Extent2D{Width: 1, Height: 1}},
	})
	c.BindPipeline("bind", vk.PipelineBindPointGraphics, p)
	for i, words := range []int{16, 1} {
		set := must(d.NewDescriptorSet(p.layout.Set(i), ""))(t)
		b := bufferOf(t, d, make([]uint32, words)...)
		if err := set.Write(0, 0, []Descriptor{{Buffer: b}}); err != nil {
			t.Fatal(err)
		}
		c.BindDescriptorSet("bind", vk.PipelineBindPointGraphics, i, set, nil)
	}
	for range n {
		c.Draw("Pass.Draw", 3, 1, 0, 0)
	}
	c.EndRendering("end")
	return c
}

// A word is found by what a draw has bound, and who stored to it is told of each draw.
func TestWatch_WordsOfDraws(t *testing.T) {
	d := explaining(t)
	c := storingPass(t, d, 3)
	w := must(d.Watch("watch", []WatchPoint{
		{Bound: &Storage{Set: 1, Dispatch: -1}, Stages: true},
		{Bound: &Storage{Set: 1, Dispatch: -1}},
		{Bound: &Storage{Set: 1, Dispatch: 0}, Stages: true},
	}))(t)
	submit(t, d, c)
	es := w.End()
	if n := len(es[0].Events); n != 3 || es[0].After.Bits != "03000000" {
		t.Fatalf("%d events, and it holds %s", n, es[0].After.Bits)
	}
	for i, v := range es[0].Events {
		s := v.Shader
		if v.Kind != explain.Store || v.Index != i || s == nil || len(s.Steps) == 0 ||
			s.Stage != "fragment" || s.Invocation != "fragment at 0, 0, primitive 0" {
			t.Fatalf("event %d is %+v", i, v)
		}
		last := s.Steps[len(s.Steps)-1]
		if last.Stores.Text != v.After.Text[:1] || v.After.Text[0] != '1'+byte(i) {
			t.Errorf("event %d leaves %s, its last step %+v", i, v.After.Text, last)
		}
	}
	// Whoever does not ask for shaders is told that one of the pass did it.
	e := es[1]
	if len(e.Events) != 1 || e.Events[0].Kind != explain.Host || e.After.Bits != "03000000" {
		t.Errorf("%+v", e)
	}
	if v := es[2].Verdict; !strings.Contains(v[0], "dispatch 0 was not watched, or has no storage") {
		t.Errorf("%+v", v)
	}
}

// Where more instructions are told than all places keep together, those of the last stores stay.
func TestWatch_StepsOfStoresAreBounded(t *testing.T) {
	d := explaining(t)
	at := []WatchPoint{{Bound: &Storage{Set: 1, Dispatch: -1}, Stages: true}}
	w := must(d.Watch("watch", at))(t)
	w.steps.Store(1)
	for range 3 {
		submit(t, d, storingPass(t, d, 1)) // a buffer of its own each time
		w.points[0].found = word{}
	}
	submit(t, d, storingPass(t, d, 2))
	e := w.End()[0]
	var stores []*explain.Shader
	for i := range e.Events {
		if s := e.Events[i].Shader; s != nil {
			stores = append(stores, s)
		}
	}
	if len(stores) != 5 {
		t.Fatalf("%d stores", len(stores))
	}
	for i, s := range stores {
		kept := i == len(stores)-1
		if (len(s.Steps) > 0) != kept || (s.Missing == "") != kept || s.Invocation == "" {
			t.Errorf("store %d has %d steps, missing %q, invocation %q", i, len(s.Steps), s.Missing,
				s.Invocation)
		}
	}
}

package core

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/vk"
)

// A word is found by what a dispatch has bound, and by its buffer: who wrote it is told whether by
// descriptor or by device address, and the last step has what memory holds.
func TestWatch_WordsOfBuffers(t *testing.T) {
	d := explaining(t)
	cell := bufferOf(t, d, 0xFFFFFFFF, 1, 101, 0x00050001)
	out, in := bufferOf(
		t,
		d,
		make([]uint32, 4)...), bufferOf(
		t,
		d,
		uint32(addressOf(t, cell)),
		uint32(addressOf(t, cell)>>32),
	)
	pipeline := must(
		d.NewComputePipeline(
			&ComputePipelineInfo{Stage: Stage{Code: shaderCode(t, "address.comp")}},
		),
	)(
		t,
	)
	set := must(d.NewDescriptorSet(pipeline.Layout().Set(0), ""))(t)
	if err := set.Update(DescriptorWrite{Descriptors: []Descriptor{{Buffer: in}}},
		DescriptorWrite{Binding: 1, Descriptors: []Descriptor{{Buffer: out}}}); err != nil {
		t.Fatal(err)
	}
	c := d.NewCommandBuffer()
	c.BindPipeline("bind", vk.PipelineBindPointCompute, pipeline)
	c.BindDescriptorSet("bind", vk.PipelineBindPointCompute, 0, set, nil)
	c.Dispatch("dispatch", [3]uint32{}, [3]uint32{1, 1, 1})
	var points []WatchPoint
	for k := range uint64(4) {
		points = append(points,
			WatchPoint{Bound: &Storage{Binding: 1, Dispatch: -1}, Offset: 4 * k, Stages: true},
			WatchPoint{Buffer: cell, Offset: 4 * k, Stages: true})
	}
	points = append(
		points,
		WatchPoint{Bound: &Storage{Set: 3, Dispatch: -1}},
		WatchPoint{Bound: &Storage{Binding: 1, Dispatch: 1}},
	)
	w := must(d.Watch("watch", points))(t)
	submit(t, d, c)
	es := w.End()
	for i, e := range es[:8] {
		b, k := out, i/2
		if i%2 > 0 {
			b = cell
		}
		want := words(b, 4)[k]
		last := e.Events[len(e.Events)-1]
		if last.Kind != explain.Dispatch || last.Shader == nil || len(last.Shader.Steps) == 0 {
			t.Fatalf("%+v: %+v", e.Target, last)
		}
		step := last.Shader.Steps[len(last.Shader.Steps)-1]
		got := step.Value.Bits
		if step.Stores.Bits != "" {
			got = step.Stores.Bits
		}
		if have := fmt.Sprintf("%02x%02x%02x%02x", byte(want), byte(want>>8), byte(want>>16), byte(want>>24)); e.After.Bits != have {
			t.Errorf("%+v is %s, want %s", e.Target, e.After.Bits, have)
		}
		// Vectors and structures are stored together, and narrow numbers two in a word.
		if k != 3 && !slices.Contains(strings.Fields(got), fmt.Sprintf("%08x", want)) {
			t.Errorf("%+v holds %08x; its last step is %+v", e.Target, want, step)
		}
	}
	nowhere := []string{
		"no dispatch or draw that was watched has a storage buffer there",
		"dispatch 1 was not watched, or has no storage buffer there",
	}
	for i, e := range es[8:] {
		if len(e.Verdict) != 1 || !strings.Contains(e.Verdict[0], nowhere[i]) {
			t.Errorf("%+v", e.Verdict)
		}
	}
	for _, c := range []struct {
		p    WatchPoint
		want string
	}{{WatchPoint{Buffer: cell, Offset: 2}, "not a multiple of 4"}, {WatchPoint{Buffer: cell, Offset: 16}, "which has 16"}} {
		if _, err := d.Watch("watch", []WatchPoint{c.p}); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

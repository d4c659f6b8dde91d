package core

import (
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/vk"
)

// Draws share the contexts of the stages that nothing has changed for, so that their
// fragments may share batches; the others have their own, which stay as they are.
func TestContexts_SharedUntilSomethingChanges(t *testing.T) {
	d := open(t)
	layout := must(d.NewDescriptorSetLayout([]Binding{{Type: vk.DescriptorTypeUniformBufferDynamic}}))(t)
	set := must(d.NewDescriptorSet(layout, ""))(t)
	buffer := bufferOf(t, d, make([]uint32, 1024)...)
	if err := set.Update(DescriptorWrite{Descriptors: []Descriptor{{Buffer: buffer, Range: 64}}}); err != nil {
		t.Fatal(err)
	}
	of := func(set uint32) []ir.Resource {
		return []ir.Resource{{Kind: ir.UniformBuffer, Set: set, Count: 1}}
	}
	p := &Pipeline{point: vk.PipelineBindPointGraphics, programs: []*ir.Program{
		{Stage: ir.StageVertex, PushBytes: 8, Resources: of(0)}, {Stage: ir.StageGeometry, Resources: of(1)}, {Stage: ir.StageFragment},
	}}
	other := &Pipeline{point: vk.PipelineBindPointGraphics, programs: p.programs}
	r := &runner{dev: d, spares: &spares{}, bindings: d.bindings([]any{p, set.state, other})}
	all := make([]*exec.Context, 0, 64)
	for i, c := range []struct {
		op      opcode
		args    []uint32
		changed [3]bool
	}{
		{opBindPipeline, []uint32{0}, [3]bool{true, true, true}},
		{opBindSet, []uint32{0, 0, 1, 0}, [3]bool{true, false, false}},
		{opBindSet, []uint32{0, 0, 1, 64}, [3]bool{true, false, false}},
		{opBindSet, []uint32{0, 1, 1, 256}, [3]bool{false, true, false}},
		{opBindSet, []uint32{0, 2, 1, 0}, [3]bool{}},
		{opPush, []uint32{4, 7}, [3]bool{true, false, false}},
		{opBindPipeline, []uint32{0}, [3]bool{}},
		{opBindPipeline, []uint32{2}, [3]bool{true, true, true}},
		{opPush, []uint32{0, 9}, [3]bool{true, false, false}},
	} {
		if i == 0 { // what a draw needs
			for n := range uint32(2) {
				if err := r.command(ctx, opBindSet, []uint32{0, n, 1, 0}); err != nil {
					t.Fatal(err)
				}
			}
		}
		before := r.points[0].contexts
		if err := r.command(ctx, c.op, c.args); err != nil {
			t.Fatal(err)
		}
		now := *r.contexts(vk.PipelineBindPointGraphics)
		for k := range c.changed {
			if changed := now[k] != before[k]; changed != c.changed[k] {
				t.Errorf("step %d: the context of stage %d is another one: %v", i, k, changed)
			}
			if c.changed[k] {
				all = append(all, now[k])
			}
		}
	}
	if got := all[len(all)-1].Push; len(got) != 8 || got[0] != 9 || got[4] != 7 {
		t.Errorf("the last draw sees push constants %v", got)
	}
	if got := all[6].Push; len(got) != 8 || got[0] != 0 || got[4] != 7 {
		t.Errorf("a draw before sees push constants %v", got)
	}
	if base, moved := all[3].Resources[0][0].Data, all[4].Resources[0][0].Data; &base[0] == &moved[0] || len(all[3].Push) != 0 {
		t.Errorf("an offset moves nothing, or there are push constants %v", all[3].Push)
	}

	// When the pass is over its memory is used again: contexts are made anew.
	r.spares.room.empty()
	now := *r.contexts(vk.PipelineBindPointGraphics)
	if got := now[0]; len(got.Push) != 8 || got.Push[0] != 9 || len(got.Resources) != 1 || now[2] == nil {
		t.Errorf("after the pass a draw has %+v", got)
	}
}

// What a pass has taken is taken again without new memory, as zeros; more than is kept goes.
func TestRoom_Again(t *testing.T) {
	var m room
	draw := func() (c *exec.Context, push []byte) {
		c, push = m.context(), m.bytes([]byte{1, 2, 3, 4})
		if c.Fuel != 0 || len(push) != 4 || push[3] != 4 || cap(push) != 4 {
			t.Fatalf("%+v, %v", c, push)
		}
		c.Fuel = 7
		return c, push
	}
	var begin *exec.Context
	pass := func() {
		first, bytes := draw()
		if begin == nil {
			begin = first
		}
		if first != begin {
			t.Fatal("a pass does not begin where the first one did")
		}
		for range 3 * roomDraws {
			if c, b := draw(); c == first || &b[0] == &bytes[0] || first.Fuel != 7 {
				t.Fatal("two draws share memory")
			}
		}
		m.empty()
	}
	pass()
	if n := testing.AllocsPerRun(5, pass); n != 0 {
		t.Errorf("%v allocations a pass", n)
	}
	for range (roomBlocks + 2) * roomDraws {
		m.context()
	}
	if !m.many() {
		t.Error("that is not much")
	}
	if m.empty(); m.many() || len(m.contexts.blocks) != roomBlocks {
		t.Errorf("%d blocks are kept", len(m.contexts.blocks))
	}
	if b := m.bytes(nil); b == nil || len(b) != 0 {
		t.Errorf("%v", b)
	}
}

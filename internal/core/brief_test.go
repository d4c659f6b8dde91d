package core

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/pumice-gpu/pumice/vk"
)

// briefKit is a program without loops that writes four zeros for each of its invocations.
type briefKit struct {
	d    *Device
	p    *Pipeline
	set  *DescriptorSet
	outs *Buffer
}

func newBriefKit(t testing.TB) *briefKit {
	d := open(t)
	code := Stage{Code: shaderCode(t, "address.comp")}
	k := &briefKit{d: d, p: must(d.NewComputePipeline(&ComputePipelineInfo{Stage: code}))(t)}
	k.outs = bufferOf(t, d, 5, 5, 5, 5, 5)
	k.set = must(d.NewDescriptorSet(k.p.Layout().Set(0), ""))(t)
	for i, b := range []*Buffer{bufferOf(t, d, 0, 0), k.outs} {
		whole := []Descriptor{{Buffer: b, Range: vk.WholeSize}}
		if err := k.set.Update(DescriptorWrite{Binding: uint32(i), Descriptors: whole}); err != nil {
			t.Fatal(err)
		}
	}
	return k
}

// dispatches is a command buffer with n dispatches.
func (k *briefKit) dispatches(n int, groups [3]uint32) *CommandBuffer {
	c := k.d.NewCommandBuffer()
	c.BindPipeline("bind", vk.PipelineBindPointCompute, k.p)
	c.BindDescriptorSet("bind", vk.PipelineBindPointCompute, 0, k.set, nil)
	for range n {
		c.Dispatch("vkCmdDispatch", [3]uint32{}, groups)
	}
	return c
}

func (k *briefKit) submit(t *testing.T, cmds ...*CommandBuffer) bool {
	t.Helper()
	left := NewBrief()
	done, err := k.d.queue.SubmitBrief("test", cmds, &left)
	if err != nil {
		t.Error(err)
	}
	return done
}

// TestSubmitBrief_WhatIsBrief: a bound holds for all command buffers of a call, whatever their
// dispatches multiply to; what may run for ever, and commands that nobody has counted, are not brief.
func TestSubmitBrief_WhatIsBrief(t *testing.T) {
	k := newBriefKit(t)
	big := bufferOf(t, k.d, make([]uint32, briefWork)...)
	groups := func(n int, x, y, z uint32) []*CommandBuffer {
		return []*CommandBuffer{k.dispatches(n, [3]uint32{x, y, z})}
	}
	other := func(record func(c *CommandBuffer)) []*CommandBuffer {
		c := k.d.NewCommandBuffer()
		record(c)
		return []*CommandBuffer{c}
	}
	copies := func(n int) func(c *CommandBuffer) {
		return func(c *CommandBuffer) {
			c.CopyBuffer(big, k.outs, slices.Repeat([]vk.BufferCopy{{Size: 4}}, n))
		}
	}
	one := groups(1, 1, 1, 1)
	const most = briefWork / commandWork
	for name, c := range map[string]struct {
		cmds  []*CommandBuffer
		brief bool
	}{
		"a dispatch":          {one, true},
		"two command buffers": {slices.Concat(one, one), true},
		"none of its groups":  {groups(1, 0, 1, 1), true},
		"many groups":         {groups(1, 1<<16, 1, 1), false},
		"a product of 2^63":   {groups(1, 1<<31-1, 1<<16-1, 1<<16-1), false},
		"many dispatches":     {groups(most, 1, 1, 1), false},
		"many of no groups":   {groups(most, 0, 0, 0), false},
		"a copy":              {other(copies(1)), true},
		"many regions":        {other(copies(briefWork / 64)), false},
		"a small fill":        {other(func(c *CommandBuffer) { c.FillBuffer(k.outs, 0, 4, 9) }), true},
		"a large fill":        {other(func(c *CommandBuffer) { c.FillBuffer(big, 0, vk.WholeSize, 9) }), false},
		"an event":            {other(func(c *CommandBuffer) { c.WaitEvents([]*Event{must(k.d.NewEvent())(t)}) }), false},
	} {
		left := briefWork
		if got := k.d.brief(c.cmds, &left); got != c.brief {
			t.Errorf("%s: brief is %v", name, got)
		}
	}
	for _, w := range newForeverKit(t, Config{}).works() {
		left := briefWork
		if w.commands.dev.brief([]*CommandBuffer{w.commands}, &left) {
			t.Errorf("%s is brief", w.name)
		}
	}
	left := briefWork
	for n := 0; k.d.brief(one, &left); n++ {
		if n > most {
			t.Fatal("what one call carries out has no bound")
		}
	}
}

// TestSubmitBrief_AtOnceOrNotAtAll: it never waits for a queue's other work, nor for the turn of
// another queue, and then has done nothing.
func TestSubmitBrief_AtOnceOrNotAtAll(t *testing.T) {
	k := newBriefKit(t)
	c := k.dispatches(1, [3]uint32{1, 1, 1})
	users := k.outs.mem.users.Load()
	release := hold(t, k.d)
	if k.submit(t, c) {
		t.Error("overtakes what was submitted before")
	}
	release()
	if err := k.d.queue.Wait(ctx, "test"); err != nil {
		t.Fatal(err)
	}
	k.d.turn.take(false)
	if k.submit(t, c) {
		t.Error("does not wait for its turn")
	}
	k.d.turn.give()
	if got := words(k.outs, 1)[0]; got != 5 {
		t.Errorf("has written %d", got)
	}
	if got := k.outs.mem.users.Load(); got != users {
		t.Errorf("memory has %d users, had %d", got, users)
	}
	if !k.submit(t, c) {
		t.Error("not at once, with nothing before it")
	}
	if got := words(k.outs, 5); got[0] != 0 || got[3] != 0 || got[4] != 5 {
		t.Errorf("has written %d", got)
	}
	if !k.submit(t, c) {
		t.Error("a second time not at once")
	}
}

// TestQueue_CallersRunTheirWork: who waits for a queue with nothing to do does the work, and the
// queue goes on afterwards: with what others have submitted meanwhile, and after errors.
func TestQueue_CallersRunTheirWork(t *testing.T) {
	d := open(t)
	boom := errors.New("boom")
	var behind *Fence
	err := d.queue.perform(job{ctx: ctx, op: "test", run: func(context.Context, *stopwatch) error {
		nothing := func(context.Context, *stopwatch) error { return nil }
		behind = must(d.queue.push(job{ctx: ctx, op: "test", run: nothing}))(t)
		select {
		case <-behind.Done():
			t.Error("two jobs of a queue run at once")
		case <-time.After(20 * time.Millisecond):
		}
		return boom
	}})
	if !errors.Is(err, boom) {
		t.Error(err)
	}
	if err := behind.Wait(ctx); err != nil {
		t.Error(err)
	}
	if err := d.queue.Wait(ctx, "test"); err != nil {
		t.Errorf("an error that its caller has is told again: %v", err)
	}
}

// BenchmarkSubmit is a dispatch of one workgroup, from its submission to its end.
func BenchmarkSubmit(b *testing.B) {
	k := newBriefKit(b)
	c := []*CommandBuffer{k.dispatches(1, [3]uint32{1, 1, 1})}
	b.ReportAllocs()
	for b.Loop() {
		if err := k.d.queue.SubmitAndWait(ctx, "test", c); err != nil {
			b.Fatal(err)
		}
	}
}

package core

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pumice-gpu/pumice/vk"
)

// A pass that waits for an event in its middle keeps what its draws have, whatever other queues draw meanwhile.
func TestQueues_WaitInsideAPass(t *testing.T) {
	d := open(t)
	a, av := target(t, d, numbers, 1, 1)
	b, bv := target(t, d, numbers, 1, 1)
	p := fullscreen(t, d, "number.frag", numberFormats, nil)
	e, reached := must(d.NewEvent())(t), must(d.NewEvent())(t)
	// half draws columns 0…7, or 8…15, of numbers from base on.
	pass := func(v *ImageView, base byte, middle func(*CommandBuffer)) *CommandBuffer {
		c := d.NewCommandBuffer()
		c.SetEvent(reached)
		c.PushConstants("push", 0, []byte{base, 0, 0, 0})
		c.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: v}}})
		draw(c, p)
		middle(c)
		c.EndRendering("end")
		return c
	}
	f := must(d.queue.Submit(ctx, "test", []*CommandBuffer{pass(av, 3, func(c *CommandBuffer) { c.WaitEvents([]*Event{e}) })}))(t)
	for !reached.IsSet() {
		time.Sleep(100 * time.Microsecond)
	}
	if err := d.NewQueue().SubmitAndWait(ctx, "test", []*CommandBuffer{pass(bv, 7, func(*CommandBuffer) {})}); err != nil {
		t.Fatal(err)
	}
	e.Set()
	if err := f.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	for base, im := range map[uint32]*Image{3: a, 7: b} {
		for i, v := range texels(t, im, 0, 0) {
			if v != base+uint32(i) {
				t.Fatalf("texel %d from %d on is %d", i, base, v)
			}
		}
	}
}

// However much one queue has to do, another has its turn between two commands, and in the middle of a dispatch; and what
// stops the one does not stop the other.
func TestQueues_ShareTheirTurns(t *testing.T) {
	k := newForeverKit(t, Config{})
	b := bufferOf(t, k.d, make([]uint32, 1<<22)...)
	many := k.d.NewCommandBuffer()
	for range 50000 { // 16 MiB each: minutes
		many.FillBuffer(b, 0, 1<<24, 1)
	}
	works := k.works()
	for name, long := range map[string]*CommandBuffer{"many commands": many, works[0].name: works[0].commands, works[1].name: works[1].commands} {
		t.Run(name, func(t *testing.T) { shareTurns(t, k.d, long) })
	}
}

func shareTurns(t *testing.T, d *Device, long *CommandBuffer) {
	other := bufferOf(t, d, 0)
	stop, cancel := context.WithCancel(ctx)
	defer cancel()
	f := must(d.queue.Submit(stop, "test", []*CommandBuffer{long}))(t)
	short := d.NewCommandBuffer()
	short.FillBuffer(other, 0, 4, 9)
	q := d.NewQueue()
	soon, never := context.WithTimeout(ctx, 30*time.Second)
	defer never()
	for range 20 {
		if err := q.SubmitAndWait(soon, "test", []*CommandBuffer{short}); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case <-f.Done():
		t.Error("the long one was done before, or has failed:", f.Err())
	default:
	}
	cancel()
	if err := f.Wait(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := q.SubmitAndWait(ctx, "test", []*CommandBuffer{short}); err != nil {
		t.Error(err)
	}
}

// Dispatches and passes go on with what they have after another queue had its turn.
func TestQueues_StateLastsThroughTurns(t *testing.T) {
	d := open(t)
	d.turn.slice = 0 // a change of turns at every command
	p := fullscreen(t, d, "number.frag", numberFormats, nil)
	var wg sync.WaitGroup
	for n := range 3 {
		im, v := target(t, d, numbers, 1, 1)
		c := d.NewCommandBuffer()
		base := byte(10 * n)
		c.PushConstants("push", 0, []byte{base, 0, 0, 0})
		for range 50 {
			c.ClearColorImage(im, vk.ClearColorValue{}, []vk.ImageSubresourceRange{{AspectMask: vk.ImageAspectColorBit, LevelCount: 1, LayerCount: 1}})
			c.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: v, Load: vk.AttachmentLoadOpLoad}}})
			draw(c, p)
			c.EndRendering("end")
		}
		if c.Err() != nil {
			t.Fatal(c.Err())
		}
		q := d.NewQueue()
		wg.Go(func() {
			for range 4 {
				if err := q.SubmitAndWait(ctx, "test", []*CommandBuffer{c}); err != nil {
					t.Error(err)
				}
			}
		})
		defer func() {
			for i, got := range texels(t, im, 0, 0) {
				if got != uint32(base)+uint32(i) {
					t.Fatalf("texel %d of queue %d is %d", i, n, got)
				}
			}
		}()
	}
	wg.Wait()
}

// Turns come in the order in which they are asked for, and one at a time.
func TestTurn_Order(t *testing.T) {
	var turn turn
	var inside, order atomic.Int32
	turn.take(false)
	var wg sync.WaitGroup
	for n := range int32(8) {
		for turn.waiting() != int(n) {
			time.Sleep(10 * time.Microsecond)
		}
		wg.Go(func() {
			turn.take(false)
			if inside.Add(1) != 1 || order.Add(1) != n+1 {
				t.Errorf("%d had its turn out of order, or with others", n)
			}
			inside.Add(-1)
			turn.give()
		})
	}
	for turn.waiting() != 8 {
		time.Sleep(10 * time.Microsecond)
	}
	turn.give()
	wg.Wait()
	if turn.take(false); turn.waiting() != 0 || turn.due() {
		t.Error("somebody waits")
	}
}

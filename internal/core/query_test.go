package core

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// get reads results of a pool as 64-bit words with availability.
func get(t testing.TB, q *QueryPool, flags vk.QueryResultFlags) []uint64 {
	t.Helper()
	n := q.width + 1
	raw := make([]byte, 8*n*q.count)
	must(q.Get(ctx, 0, q.count, raw, uint64(8*n), flags|vk.QueryResult64Bit|vk.QueryResultWithAvailabilityBit))(t)
	out := make([]uint64, n*q.count)
	for i := range out {
		out[i] = binary.LittleEndian.Uint64(raw[8*i:])
	}
	return out
}

// quarter is a pipeline that draws 4×8 texels.
func quarter(t testing.TB, d *Device) *Pipeline {
	return fullscreen(t, d, "number.frag", numberFormats, func(i *GraphicsPipelineInfo) { i.Viewport.Scissors[0].Extent.Width = 4 })
}

// Queries inside a pass, around passes, and in a secondary command buffer.
func TestQuery_Occlusion(t *testing.T) {
	rules.Covers(t, "RAS-357", "RAS-330")
	d := open(t)
	_, av := target(t, d, numbers, 1, 1)
	p := quarter(t, d)
	q := must(d.NewQueries(vk.QueryPoolCreateInfo{QueryType: vk.QueryTypeOcclusion, QueryCount: 4}))(t)
	begin := RenderingInfo{Color: []RenderingAttachment{{View: av}}}
	s := d.NewSecondaryCommandBuffer(Inheritance{InPass: true, Formats: numberFormats})
	draw(s, p)
	c := d.NewCommandBuffer()
	c.ResetQueries(q, 0, 4)
	c.BeginQuery(q, 0) // around two passes
	c.BeginRendering(begin)
	draw(c, p)
	c.EndRendering("end")
	c.BeginRendering(begin)
	draw(c, p)
	c.EndRendering("end")
	c.EndQuery(q, 0)
	c.BeginRendering(begin)
	draw(c, p)
	c.BeginQuery(q, 1) // inside
	draw(c, p)
	c.EndQuery(q, 1)
	c.BeginQuery(q, 2) // with a secondary
	c.ExecuteCommands([]*CommandBuffer{s, s, s})
	c.EndQuery(q, 2)
	c.EndRendering("end")
	dst := bufferOf(t, d, slices.Repeat([]uint32{7}, 8)...)
	c.CopyQueryResults(q, 0, 4, dst, 0, 8, vk.QueryResultWithAvailabilityBit)
	submit(t, d, c)
	if got := words(dst, 8); !slices.Equal(got, []uint32{64, 1, 32, 1, 96, 1, 7, 0}) {
		t.Errorf("copied %v", got)
	}
	if got := get(t, q, 0); !slices.Equal(got, []uint64{64, 1, 32, 1, 96, 1, 0, 0}) {
		t.Errorf("read %v", got)
	}
	if err := q.Reset(0, 2); err != nil {
		t.Fatal(err)
	}
	if got := get(t, q, vk.QueryResultPartialBit); !slices.Equal(got, []uint64{0, 0, 0, 0, 96, 1, 0, 0}) {
		t.Errorf("after a reset %v", got)
	}
}

// Nothing is available before the work is done, and WAIT waits for it.
func TestQuery_AvailableAfterCompletion(t *testing.T) {
	d := open(t)
	release := hold(t, d)
	defer release()
	q := must(d.NewQueries(vk.QueryPoolCreateInfo{QueryType: vk.QueryTypeTimestamp, QueryCount: 1}))(t)
	c := d.NewCommandBuffer()
	c.WriteTimestamp(q, 0)
	must(d.queue.Submit(ctx, "test", []*CommandBuffer{c}))(t)
	dst := make([]byte, 8)
	if ready, err := q.Get(ctx, 0, 1, dst, 8, vk.QueryResult64Bit); ready || err != nil {
		t.Errorf("ready: %v, %v", ready, err)
	}
	short, cancel := context.WithTimeout(ctx, time.Millisecond)
	defer cancel()
	if _, err := q.Get(short, 0, 1, dst, 8, vk.QueryResult64Bit|vk.QueryResultWaitBit); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("waiting: %v", err)
	}
	time.AfterFunc(time.Millisecond, release)
	if ready, err := q.Get(ctx, 0, 1, dst, 8, vk.QueryResult64Bit|vk.QueryResultWaitBit); !ready || err != nil || binary.LittleEndian.Uint64(dst) == 0 {
		t.Errorf("ready: %v, %v, %v", ready, err, dst)
	}
}

// Statistics count what stands between begin and end, also in the middle of a
// pass, and do not change the picture.
func TestQuery_Statistics(t *testing.T) {
	rules.Covers(t, "RAS-010", "RAS-359")
	d := open(t)
	a, av := target(t, d, numbers, 1, 1)
	p := quarter(t, d)
	hidden := fullscreen(t, d, "number.frag", numberFormats, func(i *GraphicsPipelineInfo) { i.Rasterization.RasterizerDiscardEnable = true })
	k := newSetsKit(t)
	kinds := vk.QueryPipelineStatisticFlags(vk.QueryPipelineStatisticInputAssemblyVerticesBit | vk.QueryPipelineStatisticInputAssemblyPrimitivesBit |
		vk.QueryPipelineStatisticFragmentShaderInvocationsBit | vk.QueryPipelineStatisticComputeShaderInvocationsBit)
	q := must(d.NewQueries(vk.QueryPoolCreateInfo{QueryType: vk.QueryTypePipelineStatistics, QueryCount: 3, PipelineStatistics: kinds}))(t)
	c := d.NewCommandBuffer()
	c.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: av, Load: vk.AttachmentLoadOpClear, Clear: uintClear(99)}}})
	draw(c, p)
	c.BeginQuery(q, 0)
	draw(c, p)
	draw(c, p)
	c.EndQuery(q, 0)
	draw(c, p)
	c.BeginQuery(q, 1)
	draw(c, hidden)
	c.EndQuery(q, 1)
	c.EndRendering("end")
	submit(t, d, c)
	if got := get(t, q, 0); !slices.Equal(got, []uint64{6, 2, 64, 0, 1, 3, 1, 0, 0, 1, 0, 0, 0, 0, 0}) {
		t.Errorf("statistics are %v", got)
	}
	if got := texels(t, a, 0, 0); got[17] != 17 || got[15] != 99 {
		t.Errorf("the picture has %d and %d", got[17], got[15])
	}
	// Invocations of dispatches.
	sa, sb := k.sets(t)
	q = must(k.d.NewQueries(vk.QueryPoolCreateInfo{QueryType: vk.QueryTypePipelineStatistics, QueryCount: 1, PipelineStatistics: kinds}))(t)
	c = k.d.NewCommandBuffer()
	c.BeginQuery(q, 0)
	late(sa, sb)(c)
	c.BindPipeline("bind", vk.PipelineBindPointCompute, k.pipeline)
	c.Dispatch("dispatch", [3]uint32{}, [3]uint32{3, 2, 1})
	c.EndQuery(q, 0)
	submit(t, k.d, c)
	if got := get(t, q, 0); !slices.Equal(got, []uint64{0, 0, 0, 6, 1}) {
		t.Errorf("statistics of a dispatch are %v", got)
	}
}

// An occlusion query goes on across statistics, which split the pass; timestamps
// inside a pass come with its end; a query of a multiview pass sums its views.
func TestQuery_Together(t *testing.T) {
	rules.Covers(t, "RAS-357")
	d := open(t)
	_, av := target(t, d, numbers, 1, 2)
	p := quarter(t, d)
	samples := must(d.NewQueries(vk.QueryPoolCreateInfo{QueryType: vk.QueryTypeOcclusion, QueryCount: 3}))(t)
	stats := must(d.NewQueries(vk.QueryPoolCreateInfo{QueryType: vk.QueryTypePipelineStatistics, QueryCount: 1, PipelineStatistics: vk.QueryPipelineStatisticFragmentShaderInvocationsBit}))(t)
	times := must(d.NewQueries(vk.QueryPoolCreateInfo{QueryType: vk.QueryTypeTimestamp, QueryCount: 3}))(t)
	c := d.NewCommandBuffer()
	c.WriteTimestamp(times, 0)
	c.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: av}}})
	c.BeginQuery(samples, 0)
	draw(c, p)
	c.BeginQuery(stats, 0)
	draw(c, p)
	c.EndQuery(stats, 0)
	c.WriteTimestamp(times, 1)
	draw(c, p)
	c.EndQuery(samples, 0)
	draw(c, p)
	c.EndRendering("end")
	c.WriteTimestamp(times, 2)
	views := numberFormats
	views.ViewMask = 3
	both := fullscreen(t, d, "number.frag", views, func(i *GraphicsPipelineInfo) { i.Viewport.Scissors[0].Extent.Width = 4 })
	c.BeginRendering(RenderingInfo{ViewMask: 3, Color: []RenderingAttachment{{View: av}}})
	c.BeginQuery(samples, 1)
	draw(c, both)
	c.EndQuery(samples, 1)
	c.EndRendering("end")
	submit(t, d, c)
	if got := get(t, samples, 0); !slices.Equal(got, []uint64{96, 1, 64, 1, 0, 1}) {
		t.Errorf("samples are %v", got)
	}
	if got := get(t, stats, 0); !slices.Equal(got, []uint64{32, 1}) {
		t.Errorf("statistics are %v", got)
	}
	if got := get(t, times, 0); got[0] == 0 || got[2] < got[0] || got[4] < got[2] || got[3] != 1 {
		t.Errorf("timestamps are %v", got)
	}
}

func TestQuery_BadUse(t *testing.T) {
	d := open(t)
	_, av := target(t, d, numbers, 1, 1)
	q := must(d.NewQueryPool(vk.QueryTypeOcclusion, 2))(t)
	run := func(f func(c *CommandBuffer)) error {
		c := d.NewCommandBuffer()
		f(c)
		return c.Err()
	}
	pass := func(c *CommandBuffer) { c.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: av}}}) }
	_, size := q.Get(ctx, 0, 2, make([]byte, 8), 8, vk.QueryResult64Bit)
	_, stats := d.NewQueries(vk.QueryPoolCreateInfo{QueryType: vk.QueryTypePipelineStatistics, QueryCount: 1})
	for want, err := range map[string]error{
		"VUID-vkGetQueryPoolResults-dataSize-00817":      size,
		"VUID-VkQueryPoolCreateInfo-queryType-00792":     stats,
		"VUID-vkResetQueryPool-firstQuery-09437":         q.Reset(1, 2),
		"VUID-vkCmdEndQuery-None-07007":                  run(func(c *CommandBuffer) { c.BeginQuery(q, 0); pass(c); c.EndQuery(q, 0) }),
		"VUID-vkCmdEndRendering-None-06999":              run(func(c *CommandBuffer) { pass(c); c.BeginQuery(q, 0); c.EndRendering("end") }),
		"VUID-vkCmdBeginQuery-queryPool-01922":           run(func(c *CommandBuffer) { c.BeginQuery(q, 0); c.BeginQuery(q, 1) }),
		"VUID-vkCmdCopyQueryPoolResults-dstBuffer-00825": run(func(c *CommandBuffer) { c.CopyQueryResults(q, 0, 1, nil, 0, 8, 0) }),
	} {
		if rule(err) != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestEvent_OrderOfCommandsAndHost(t *testing.T) {
	d := open(t)
	e, gate := must(d.NewEvent())(t), must(d.NewEvent())(t)
	b := bufferOf(t, d, 0)
	c := d.NewCommandBuffer()
	c.SetEvent(e)
	c.WaitEvents([]*Event{e, gate}) // the host sets gate
	c.FillBuffer(b, 0, 4, 5)
	c.ResetEvent(e)
	f := must(d.queue.Submit(ctx, "test", []*CommandBuffer{c}))(t)
	for !e.IsSet() {
		time.Sleep(100 * time.Microsecond)
	}
	if v := words(b, 1)[0]; v != 0 {
		t.Errorf("the buffer is %d before the event", v)
	}
	gate.Set()
	if err := f.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	if v := words(b, 1)[0]; v != 5 || e.IsSet() || !gate.IsSet() {
		t.Errorf("the buffer is %d, events %v and %v", v, e.IsSet(), gate.IsSet())
	}
	gate.Reset()
	if gate.IsSet() {
		t.Error("Reset left the event set")
	}
	// An event that nobody sets does not keep the device from closing.
	c = d.NewCommandBuffer()
	c.WaitEvents([]*Event{gate})
	f = must(d.queue.Submit(ctx, "test", []*CommandBuffer{c}))(t)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Err(); err == nil {
		t.Error("the wait ended without an error")
	}
}

func TestConditionalRendering(t *testing.T) {
	d := open(t)
	a, av := target(t, d, numbers, 1, 1)
	p := fullscreen(t, d, "number.frag", numberFormats, func(i *GraphicsPipelineInfo) {
		i.DynamicStates = []vk.DynamicState{vk.DynamicStateScissor}
	})
	cond := bufferOf(t, d, 0, 1)
	c := d.NewCommandBuffer()
	c.FillBuffer(cond, 0, 4, 0)
	c.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: av}}})
	x := int32(0)
	for _, at := range []uint64{0, 4} {
		for _, inverted := range []bool{false, true} {
			c.BeginConditionalRendering(cond, at, inverted)
			c.SetScissor([]vk.Rect2D{{Offset: vk.Offset2D{X: x}, Extent: vk.Extent2D{Width: 1, Height: 8}}})
			draw(c, p)
			c.ClearAttachments([]vk.ClearAttachment{{AspectMask: vk.ImageAspectColorBit, ClearValue: uintClear(9)}},
				[]vk.ClearRect{{Rect: vk.Rect2D{Offset: vk.Offset2D{X: x, Y: 2}, Extent: vk.Extent2D{Width: 1, Height: 1}}}})
			c.EndConditionalRendering()
			x++
		}
	}
	c.EndRendering("end")
	submit(t, d, c)
	got := texels(t, a, 0, 0)
	if row := got[16:21]; !slices.Equal(row, []uint32{0, 17, 18, 0, 0}) {
		t.Errorf("row 1 is %v", row)
	}
	if row := got[32:37]; !slices.Equal(row, []uint32{0, 9, 9, 0, 0}) {
		t.Errorf("row 2 is %v", row)
	}
	k := newSetsKit(t)
	sa, sb := k.sets(t)
	c = k.record(func(c *CommandBuffer) {
		late(sa, sb)(c)
		c.BeginConditionalRendering(bufferOf(t, k.d, 0), 0, false)
	})
	submit(t, k.d, c)
	k.want(t, 0, 0, 0, 0, 0, 0)
}

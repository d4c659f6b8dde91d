package core

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// submission is what one command buffer was when it was submitted.
type submission struct {
	words    []uint32
	table    []any
	tolerant bool
}

// Submit queues command buffers.
func (q *Queue) Submit(ctx context.Context, op Op, cmds []*CommandBuffer) (*Fence, error) {
	j, err := q.prepare(ctx, op, cmds)
	if err != nil {
		return nil, err
	}
	return q.push(j)
}

// prepare makes a job of command buffers. It returns the first recording error, and
// checks that no object has been closed since; see gathering.
func (q *Queue) prepare(ctx context.Context, op Op, cmds []*CommandBuffer) (job, error) {
	if q == nil {
		return job{}, nilObject(op, "device")
	}
	d := q.dev
	if err := d.usable(op); err != nil {
		return job{}, err
	}
	subs := make([]submission, 0, len(cmds))
	g := gathering{dev: d, op: op}
	for i, c := range cmds {
		if err := checkSubmit(d, op, i, c); err != nil {
			releaseAll(g.memories)
			return job{}, err
		}
		g.tolerant = c.tolerant
		table := resolveTable(c.table[:len(c.table):len(c.table)])
		err := g.all(table)
		switch {
		case err == nil:
			subs = append(subs, submission{c.words[:len(c.words):len(c.words)], table, c.tolerant})
		case !c.tolerant || !errors.Is(err, ErrClosed):
			releaseAll(g.memories)
			return job{}, err
		}
	}
	left := briefWork
	brief := d.brief(cmds, &left)
	return job{ctx: ctx, op: op, brief: brief, memories: g.memories, run: func(ctx context.Context, clock *stopwatch) error {
		for i := range subs {
			r := &q.spares.runner
			*r = runner{brief: brief, dev: d, op: op, number: i, clock: clock, spares: &q.spares, tolerant: subs[i].tolerant, bindings: d.bindings(subs[i].table)}
			err := r.submit(ctx, subs[i].words)
			if *r = (runner{}); err != nil { // keeps nothing alive
				return err
			}
		}
		return nil
	}}, nil
}

// checkSubmit checks that command buffer number i can be submitted.
func checkSubmit(d *Device, op Op, i int, c *CommandBuffer) error {
	switch {
	case c == nil:
		return d.misuse(op, "VkSubmitInfo-pCommandBuffers-parameter", "", "command buffer %d is nil", i)
	case c.dev != d:
		return d.misuse(op, "commonparent", "use objects of one device together", "command buffer %d belongs to another device", i)
	case c.err != nil:
		return c.err
	case c.secondary:
		return d.misuse(op, "VkSubmitInfo-pCommandBuffers-00075", "execute it from a primary one", "command buffer %d is secondary", i)
	case c.pass != nil:
		return d.misuse(op, "vkEndCommandBuffer-None-06991", "call vkCmdEndRendering", "command buffer %d is inside a render pass", i)
	}
	return nil
}

// Empty says that a command buffer can be submitted and does nothing.
func (q *Queue) Empty(c *CommandBuffer) bool {
	return c != nil && c.dev == q.dev && c.err == nil && !c.secondary && c.pass == nil && len(c.words) == 0
}

// resolveTable replaces the sets of a table by their contents of now.
func resolveTable(table []any) []any {
	own := false
	replace := func(i int, v any) {
		if !own {
			table, own = slices.Clone(table), true
		}
		table[i] = v
	}
	for i, o := range table {
		switch o := o.(type) {
		case *DescriptorSet:
			replace(i, o.resolve())
		case *execution:
			if o.late {
				replace(i, &execution{words: o.words, table: resolveTable(o.table)})
			}
		}
	}
	return table
}

// SubmitAndWait queues command buffers and waits for them; when ctx ends it stops
// them.
func (q *Queue) SubmitAndWait(ctx context.Context, op Op, cmds []*CommandBuffer) error {
	j, err := q.prepare(orBackground(ctx), op, cmds)
	if err != nil {
		return err
	}
	return q.perform(j)
}

// gathering collects the memory that command buffers use, once each, as its user.
//
// In a tolerant command buffer, objects that have been closed since it was
// recorded still do their work: only their handles are gone. Where their memory is
// gone too, the command buffer is left out.
type gathering struct {
	dev      *Device
	op       Op
	tolerant bool
	memories []*Memory
	seen     map[*Memory]bool // the same, where they are many
}

// fewMemories are searched sooner than a map is made.
const fewMemories = 16

// has says whether m is there already.
func (g *gathering) has(m *Memory) bool {
	if len(g.memories) <= fewMemories {
		return slices.Contains(g.memories, m)
	}
	if g.seen == nil {
		g.seen = map[*Memory]bool{}
		for _, m := range g.memories {
			g.seen[m] = true
		}
	}
	return g.seen[m]
}

// add takes in an object, of which err is what use says; m may be nil.
func (g *gathering) add(err error, m *Memory) error {
	if err != nil && !(g.tolerant && errors.Is(err, ErrClosed)) {
		return err
	}
	if m == nil || g.has(m) {
		return nil
	}
	if !m.retain() {
		return g.dev.report(&Error{Op: string(g.op), Rule: "use after Close", Detail: m.label(), Err: ErrClosed})
	}
	if g.memories = append(g.memories, m); g.seen != nil {
		g.seen[m] = true
	}
	return nil
}

// image is add for an image, which may lie in several memories.
func (g *gathering) image(err error, im *Image) error {
	if err := g.add(err, nil); err != nil {
		return err
	}
	var first error
	im.eachMemory(func(m *Memory) {
		if err := g.add(nil, m); first == nil {
			first = err
		}
	})
	return first
}

// all takes in the table of a command buffer.
func (g *gathering) all(table []any) error {
	for _, o := range table {
		if err := g.element(o); err != nil {
			return err
		}
	}
	return nil
}

func (g *gathering) element(o any) error {
	d, op := g.dev, g.op
	switch o := o.(type) {
	case *Buffer:
		return g.add(o.use(d, op), o.mem)
	case *Image:
		return g.image(o.use(d, op), o)
	case *ImageView:
		return g.image(o.use(d, op), o.image)
	case *Pipeline:
		return g.add(o.use(d, op), nil)
	case *QueryPool:
		return g.add(o.use(d, op), nil)
	case *Event:
		return g.add(o.use(d, op), nil)
	case *RenderingInfo:
		return o.eachView(func(v *ImageView) error { return g.element(v) })
	case *setState:
		return o.eachUse(g.descriptor)
	case *execution:
		return g.all(o.table)
	case *DescriptorSetLayout, *clearInfo, *vertexInput, transferCommand, *about, label:
		return nil
	default:
		return d.lose(op, fmt.Sprintf("a command buffer holds a %T", o), nil)
	}
}

// descriptor takes in what a descriptor refers to.
func (g *gathering) descriptor(w *owner) error {
	if w.buffer != nil {
		if err := g.element(w.buffer); err != nil {
			return err
		}
	}
	if w.texel != nil {
		if err := g.add(w.texel.use(g.dev, g.op), w.texel.buffer.mem); err != nil {
			return err
		}
	}
	if w.sampler != nil {
		if err := g.add(w.sampler.use(g.dev, g.op), nil); err != nil {
			return err
		}
	}
	if w.view != nil {
		return g.element(w.view)
	}
	return nil
}

// eachView calls f for the views of all attachments.
func (info *RenderingInfo) eachView(f func(*ImageView) error) error {
	visit := func(a *RenderingAttachment) error {
		if a == nil || a.View == nil {
			return nil
		}
		if err := f(a.View); err != nil || a.Resolve == nil {
			return err
		}
		return f(a.Resolve)
	}
	for i := range info.Color {
		if err := visit(&info.Color[i]); err != nil {
			return err
		}
	}
	for _, v := range []*ImageView{info.Rate, info.Density} {
		if v != nil {
			if err := f(v); err != nil {
				return err
			}
		}
	}
	if err := visit(info.Depth); err != nil {
		return err
	}
	return visit(info.Stencil)
}

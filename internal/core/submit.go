package core

import (
	"context"
	"fmt"
	"slices"
)

// submission is what one command buffer was when it was submitted.
type submission struct {
	words    []uint32
	table    []any
	tolerant bool
}

// Submit queues command buffers. It returns the first recording error, and
// checks that no object has been closed since.
func (q *Queue) Submit(ctx context.Context, op string, cmds []*CommandBuffer) (*Fence, error) {
	if q == nil {
		return nil, nilObject(op, "device")
	}
	d := q.dev
	if err := d.usable(op); err != nil {
		return nil, err
	}
	subs := make([]submission, len(cmds))
	var memories []*Memory
	seen := map[*Memory]bool{}
	for i, c := range cmds {
		switch {
		case c == nil:
			return nil, d.misuse(op, "VkSubmitInfo-pCommandBuffers-parameter", "", "command buffer %d is nil", i)
		case c.dev != d:
			return nil, d.misuse(op, "commonparent", "use objects of one device together", "command buffer %d belongs to another device", i)
		case c.err != nil:
			return nil, c.err
		case c.secondary:
			return nil, d.misuse(op, "VkSubmitInfo-pCommandBuffers-00075", "execute it from a primary one", "command buffer %d is secondary", i)
		case c.pass != nil:
			return nil, d.misuse(op, "vkEndCommandBuffer-None-06991", "call Pass.End", "command buffer %d is inside a render pass", i)
		}
		table := resolveTable(c.table[:len(c.table):len(c.table)])
		for _, o := range table {
			err := uses(d, op, o, func(m *Memory) {
				if !seen[m] {
					seen[m] = true
					memories = append(memories, m)
				}
			})
			if err != nil {
				return nil, err
			}
		}
		subs[i] = submission{c.words[:len(c.words):len(c.words)], table, c.tolerant}
	}
	return q.push(ctx, op, memories, func(ctx context.Context) error {
		for i := range subs {
			r := &runner{dev: d, op: op, tolerant: subs[i].tolerant, bindings: newBindings(subs[i].table)}
			if err := r.submit(ctx, subs[i].words); err != nil {
				return err
			}
		}
		return nil
	})
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
func (q *Queue) SubmitAndWait(ctx context.Context, op string, cmds []*CommandBuffer) error {
	ctx = orBackground(ctx)
	f, err := q.Submit(ctx, op, cmds)
	if err != nil {
		return err
	}
	return f.await(ctx, op)
}

// uses checks an element of a command buffer's table and names its memory.
func uses(d *Device, op string, o any, memory func(*Memory)) error {
	switch o := o.(type) {
	case *Buffer:
		memory(o.mem)
		return o.use(d, op)
	case *Image:
		o.eachMemory(memory)
		return o.use(d, op)
	case *ImageView:
		o.image.eachMemory(memory)
		return o.use(d, op)
	case *Pipeline:
		return o.use(d, op)
	case *QueryPool:
		return o.use(d, op)
	case *Event:
		return o.use(d, op)
	case *RenderingInfo:
		return o.eachView(func(v *ImageView) error { return uses(d, op, v, memory) })
	case *setState:
		return o.eachUse(func(w *owner) error {
			if w.buffer != nil {
				if err := uses(d, op, w.buffer, memory); err != nil {
					return err
				}
			}
			if w.texel != nil {
				if err := w.texel.use(d, op); err != nil {
					return err
				}
				if err := uses(d, op, w.texel.buffer, memory); err != nil {
					return err
				}
			}
			if w.sampler != nil {
				if err := w.sampler.use(d, op); err != nil {
					return err
				}
			}
			if w.view != nil {
				return uses(d, op, w.view, memory)
			}
			return nil
		})
	case *execution:
		for _, o := range o.table {
			if err := uses(d, op, o, memory); err != nil {
				return err
			}
		}
		return nil
	case *clearInfo, *vertexInput, transferCommand:
		return nil
	default:
		return d.lose(op, fmt.Sprintf("a command buffer holds a %T", o), nil)
	}
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
	if err := visit(info.Depth); err != nil {
		return err
	}
	return visit(info.Stencil)
}

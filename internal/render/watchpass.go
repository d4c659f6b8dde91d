package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/tile"
	"github.com/pumice-gpu/pumice/internal/render/watch"
	"github.com/pumice-gpu/pumice/vk"
)

// What a pass tells of watched samples besides its draws: how it begins and ends, load operations, clears and resolves.

// tellLoads tells what load operations did to the samples of a tile.
func (pl *passPlan) tellLoads(layer int, r raster.Rect) {
	for _, v := range pl.pass.Watches {
		if v.Layer != layer || !watch.Contains(r, v.X, v.Y) || v.Resolved {
			continue
		}
		var wrote, undefined string
		look := func(aspect string, a *tile.Attachment, load vk.AttachmentLoadOp) {
			switch {
			case a.Spread:
				wrote += aspect + "all samples begin as the texel of the attachment of one sample; "
			case a.Clears(layer, &pl.Plan):
				wrote += aspect + "loadOp CLEAR; "
			case load != vk.AttachmentLoadOpLoad && load != vk.AttachmentLoadOpClear:
				undefined += aspect + "loadOp " + watch.Short(load) + ": the contents are undefined; here they stay as they were; "
			}
		}
		if v.Attachment >= 0 {
			look("", pl.Color[v.Attachment], pl.pass.Color[v.Attachment].Load)
		} else {
			if pl.Depth != nil {
				look("depth: ", pl.Depth, pl.pass.Depth.Load)
			}
			if pl.Stencil != nil {
				look("stencil: ", pl.Stencil, pl.pass.Stencil.Load)
			}
		}
		text := strings.TrimSuffix(wrote+undefined, "; ")
		if text == "" {
			continue
		}
		e := explain.Event{Kind: explain.Load, Index: -1, Outcome: explain.Wrote, Before: v.Start, After: v.Value(&pl.Plan)}
		if wrote == "" {
			e.Outcome, e.Reason = explain.Unchanged, text
		} else {
			text += ": " + e.After.Text
		}
		e.Steps = []explain.Step{{Text: text}}
		v.Events = slices.Insert(v.Events, 0, e)
	}
}

// tellClear tells of vkCmdClearAttachments, which has been carried out in a tile: before holds the values of all watches.
func (pl *passPlan) tellClear(c *drawPlan, layer int, r raster.Rect, before []explain.Value) {
	for i, v := range pl.pass.Watches {
		if v.Layer != layer || !watch.Contains(r, v.X, v.Y) || v.Resolved {
			continue
		}
		e := v.Event(c.Index)
		e.Kind, e.Draw, e.Before, e.After, e.Outcome = explain.ClearRect, nil, before[i], v.Value(&pl.Plan), explain.Wrote
		d := c.draw.Clear
		hit := d.Aspect&vk.ImageAspectColorBit != 0 && d.ColorAttachment == v.Attachment || v.Attachment < 0 && d.Aspect&^vk.ImageAspectColorBit != 0
		inside := slices.ContainsFunc(d.Rects, func(q vk.ClearRect) bool { return watch.Contains(rectOf(q.Rect), v.X, v.Y) })
		switch {
		case !hit:
			e.Outcome, e.Reason = explain.Missed, "it clears other attachments"
		case !inside:
			e.Outcome, e.Reason = explain.Missed, "the pixel is in none of its rectangles"
		default:
			e.Steps = []explain.Step{{Text: "cleared to " + e.After.Text}}
		}
	}
}

// values are those of all watches now.
func (pl *passPlan) values() (list []explain.Value) {
	for _, v := range pl.pass.Watches {
		list = append(list, v.Value(&pl.Plan))
	}
	return list
}

// endWatches completes the events when the pass is over: each draw has one, with its outcome.
func (pl *passPlan) endWatches() {
	for _, v := range pl.pass.Watches {
		if v.Resolved {
			v.TellResolve(&pl.Plan)
			continue
		}
		first := max(len(pl.draws)-v.MaxEvents/2, 0) // more of them are not kept
		for i := first; i < len(pl.draws); i++ {
			if pl.draws[i].state != nil {
				v.Event(i)
			}
		}
		now, vertices := v.Start, watch.MaxUnseen
		for i := range v.Events {
			e := &v.Events[i]
			if e.Kind == explain.Draw {
				vertices = watch.TrimUnseen(e.Draw, vertices)
				if v.Dropped > 0 && e.Before.Bits != "" {
					now = e.Before // what led there may be left out
				}
				conclude(e, pl.draws[e.Index].state, v.Attachment, now)
			}
			now = e.After
		}
	}
}

// conclude completes the event of a draw: now is the value before it.
func conclude(e *explain.Event, st *drawState, attachment int, now explain.Value) {
	d := e.Draw
	d.State = stateOf(st.dynamic, attachment)
	if e.Before = now; e.Outcome != explain.Wrote {
		e.After = now
	}
	switch {
	case e.Outcome != "":
		return
	case st.fate == discarded:
		e.Reason = "rasterizerDiscardEnable is on: nothing is rasterized"
		s := explain.NewStep("RAS-066", e.Reason)
		s.Failed = true
		e.Steps = append(e.Steps, s)
	case d.Primitives == 0:
		e.Reason = "it has no primitives"
	default:
		e.Reason = fmt.Sprintf("none of its %d primitives comes near the pixel", d.Primitives)
	}
	e.Outcome = explain.Missed
}

// stateOf is the state of a draw that decides about samples of an attachment.
func stateOf(d *DynamicState, attachment int) (list []explain.Named) {
	add := func(name, text string, args ...any) {
		list = append(list, explain.Named{Name: name, Value: explain.Value{Text: fmt.Sprintf(text, args...)}})
	}
	add("topology", "%s", watch.Short(d.Topology))
	add("cullMode", "%s", watch.CullName(d.CullMode))
	add("frontFace", "%s", watch.Short(d.FrontFace))
	add("polygonMode", "%s", watch.Short(d.PolygonMode))
	v, cut := &d.Viewports[0], &d.Scissors[0]
	add("viewport", "%g, %g, %g, %g, depth %g to %g", v.X, v.Y, v.Width, v.Height, v.MinDepth, v.MaxDepth)
	add("scissor", "%d, %d, %d, %d", cut.Offset.X, cut.Offset.Y, cut.Extent.Width, cut.Extent.Height)
	add("depthTest", "%v", d.DepthTestEnable)
	if d.DepthTestEnable {
		add("depthCompareOp", "%s", watch.Short(d.DepthCompareOp))
		add("depthWrite", "%v", d.DepthWriteEnable)
	}
	add("stencilTest", "%v", d.StencilTestEnable)
	add("sampleMask", "%s", watch.SampleMask(d.SampleMask))
	if attachment >= 0 {
		b := &d.Blend[attachment]
		add("blend", "%v", b.BlendEnable)
		add("colorWriteMask", "%s", watch.MaskText(b.ColorWriteMask))
	}
	return list
}

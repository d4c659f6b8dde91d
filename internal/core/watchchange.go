package core

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/render"
	"github.com/pumice-gpu/pumice/vk"
)

// change sets a piece of a draw's state.
type change func(s *render.DynamicState)

// Change makes the draw with an ordinal (see explain.Event) have a piece of its state otherwise. It is
// called before the first command of those that are watched.
func (w *Watcher) Change(op Op, ordinal int, c explain.Change) error {
	set := changeOf(c)
	if set == nil {
		return &Error{
			Op: w.dev.named(op), Rule: "Change", Detail: fmt.Sprintf("%s %s: no such change is known", c.State, c.Value),
			Hint: "take a change from an explanation's hints",
		}
	}
	return w.dev.run(context.Background(), op, nil, func(context.Context) error {
		if w.changes == nil {
			w.changes = map[int][]change{}
		}
		w.changes[ordinal] = append(w.changes[ordinal], set)
		return nil
	})
}

// change carries the changes out in a pass, whose first draw has an ordinal.
func (w *Watcher) change(p *render.Pass, first int) {
	for i := range p.Draws {
		if list := w.changes[first+i]; len(list) > 0 && p.Draws[i].State != nil {
			s := *p.Draws[i].State // others share it
			for _, set := range list {
				set(&s)
			}
			p.Draws[i].State = &s
		}
	}
}

// switchOff switches a state off; nil: it is none that is switched.
func switchOff(state string) change {
	switch state {
	case "depthTestEnable":
		return func(s *render.DynamicState) { s.DepthTestEnable = false }
	case "stencilTestEnable":
		return func(s *render.DynamicState) { s.StencilTestEnable = false }
	case "depthBoundsTestEnable":
		return func(s *render.DynamicState) { s.DepthBoundsTestEnable = false }
	case "depthClipEnable":
		return func(s *render.DynamicState) { s.DepthClipEnable = false }
	case "discardRectangleEnable":
		return func(s *render.DynamicState) { s.DiscardEnable = false }
	case "exclusiveScissorEnable":
		return func(s *render.DynamicState) { s.ExclusiveEnable = 0 }
	case "logicOpEnable":
		return func(s *render.DynamicState) { s.LogicOpEnable = false }
	case "blendEnable":
		return blended(func(b *vk.PipelineColorBlendAttachmentState) { b.BlendEnable = false })
	}
	return nil
}

// changeOf is what a change does; nil: it is none that can be tried.
func changeOf(c explain.Change) change {
	switch c.State {
	case "cullMode":
		return oneOf(c.Value, func(s *render.DynamicState, v vk.CullModeFlags) { s.CullMode = v }, map[string]vk.CullModeFlags{
			"VK_CULL_MODE_NONE": 0, "VK_CULL_MODE_FRONT_BIT": vk.CullModeFrontBit, "VK_CULL_MODE_BACK_BIT": vk.CullModeBackBit,
		})
	case "frontFace":
		return oneOf(c.Value, func(s *render.DynamicState, v vk.FrontFace) { s.FrontFace = v },
			byName(vk.FrontFaceClockwise, vk.FrontFaceCounterClockwise))
	case "polygonMode":
		return oneOf(c.Value, func(s *render.DynamicState, v vk.PolygonMode) { s.PolygonMode = v }, byName(vk.PolygonModeFill))
	case "depthCompareOp":
		return oneOf(c.Value, func(s *render.DynamicState, v vk.CompareOp) { s.DepthCompareOp = v }, byName(
			vk.CompareOpNever, vk.CompareOpLess, vk.CompareOpEqual, vk.CompareOpLessOrEqual, vk.CompareOpGreater,
			vk.CompareOpNotEqual, vk.CompareOpGreaterOrEqual, vk.CompareOpAlways))
	case "scissor":
		var n [4]uint64
		parts := strings.Split(c.Value, ", ")
		if len(parts) != len(n) {
			return nil
		}
		for i, text := range parts {
			var err error
			if n[i], err = strconv.ParseUint(text, 10, 31); err != nil {
				return nil
			}
		}
		r := vk.Rect2D{
			Offset: vk.Offset2D{X: int32(n[0]), Y: int32(n[1])}, Extent: vk.Extent2D{Width: uint32(n[2]), Height: uint32(n[3])},
		}
		return func(s *render.DynamicState) {
			for i := range s.Scissors {
				s.Scissors[i] = r
			}
		}
	case "sampleMask":
		mask, err := strconv.ParseUint(c.Value, 0, 64)
		if err != nil {
			return nil
		}
		return func(s *render.DynamicState) { s.SampleMask = mask }
	case "colorWriteMask":
		if c.Value != "RGBA" {
			return nil
		}
		return blended(func(b *vk.PipelineColorBlendAttachmentState) { b.ColorWriteMask = 0xf })
	case "blendFactor":
		return blended(func(b *vk.PipelineColorBlendAttachmentState) {
			b.SrcColorBlendFactor, b.DstColorBlendFactor = b.DstColorBlendFactor, b.SrcColorBlendFactor
		})
	}
	if c.Value == "VK_FALSE" {
		return switchOff(c.State)
	}
	return nil
}

// byName is values by their names.
func byName[T interface {
	comparable
	fmt.Stringer
}](list ...T) map[string]T {
	m := map[string]T{}
	for _, v := range list {
		m[v.String()] = v
	}
	return m
}

// oneOf sets a state to one of values by its name; nil: it is none of them.
func oneOf[T any](name string, set func(s *render.DynamicState, v T), values map[string]T) change {
	v, ok := values[name]
	if !ok {
		return nil
	}
	return func(s *render.DynamicState) { set(s, v) }
}

// blended changes the blend state of all attachments.
func blended(set func(b *vk.PipelineColorBlendAttachmentState)) change {
	return func(s *render.DynamicState) {
		for i := range s.Blend {
			set(&s.Blend[i])
		}
	}
}

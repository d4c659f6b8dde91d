package core

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/render"
	"github.com/pumice-gpu/pumice/vk"
)

// What draws and dispatches take from beyond their buffers is zero, push constants that nobody has set are, too, and
// what an attachment holds while it is drawn to is whatever it is: nothing fails, and the picture is black. With
// Config.CheckDraws a program is told of it, each place of a pipeline once; without, nobody looks.

// placeTold is a place of a pipeline that a program has been told of: what, and which of them.
type placeTold struct {
	what string
	at   uint32
}

// once says that nobody has been told of a place of the pipeline yet.
func (p *Pipeline) once(what string, at uint32) bool {
	_, told := p.told.LoadOrStore(placeTold{what, at}, true)
	return !told
}

// checkedDraw holds the last draw of the pass against the rules that its results do not show.
func (r *runner) checkedDraw(p *Pipeline) {
	at := len(r.pass.Draws) - 1
	d := &r.pass.Draws[at]
	command := "vkCmdDraw"
	if d.Index != nil {
		command = "vkCmdDrawIndexed"
	}
	place := func() string { return r.drawPlace(r.pass, at) }
	r.checkFetches(p, d, place)
	r.checkPushed(p, command, place)
	r.checkTargets(p, d, command, place)
	r.checkOutputs(p, d, place)
}

// checkedDispatch is checkedDraw for a dispatch.
func (r *runner) checkedDispatch(p *Pipeline, groups [3]uint32) {
	place := func() string { return r.dispatchPlace(p, groups) }
	r.checkPushed(p, "vkCmdDispatch", place)
	if prog := p.programs[0]; !prog.WritesMemory && !prog.Messages() && r.active[slotStatistics] == nil && p.once("output", 0) {
		r.dev.Warn(r.op, noOutputs, "write to a storage buffer or a storage image", "%s: the compute shader stores nothing, so nothing comes of it", place())
	}
}

// noOutputs is the rule of pipelines that nothing comes of: Vulkan has none.
const noOutputs = "pipeline without outputs"

// checkFetches tells of attributes and indices beyond their buffers.
//
// fxvertex-input-extraction
func (r *runner) checkFetches(p *Pipeline, d *render.Draw, place func() string) {
	for _, o := range d.Overruns() {
		if o.Indices {
			if p.once("indices", 0) {
				_ = r.dev.misuse(r.op, "vkCmdDrawIndexed-robustBufferAccess2-08798", "draw fewer, or bind a larger buffer; indices beyond it are 0",
					"%s: index %d needs %d bytes, the index buffer has %d from the offset that it is bound at", place(), o.Element, o.Need, o.Have)
			}
			continue
		}
		if !p.once("attribute", o.Location) {
			continue
		}
		element, command := fmt.Sprintf("vertex %d", o.Element), "vkCmdDraw"
		switch {
		case o.Instanced:
			element = fmt.Sprintf("element %d (it steps by instances)", o.Element)
		case o.At >= 0:
			element, command = fmt.Sprintf("vertex %d (index %d of the draw)", o.Element, o.At), "vkCmdDrawIndexed"
		}
		_ = r.dev.misuse(r.op, command+"-None-02721", "draw fewer, check stride and offset, or bind a larger buffer; what is beyond it reads as 0",
			"%s: the attribute at location %d reads %s of binding %d up to byte %d, the buffer has %d from the offset that it is bound at", place(), o.Location, element, o.Binding, o.Need, o.Have)
	}
}

// checkPushed tells of push constants that a shader reads and nothing has set.
func (r *runner) checkPushed(p *Pipeline, command string, place func() string) {
	for i, prog := range p.programs {
		if prog.PushBytes == 0 {
			continue
		}
		use := p.pushUse(i)
		missing := use.words &^ r.pushSet
		if use.somewhere && r.pushSet&lowWords(prog.PushBytes) == 0 {
			missing = lowWords(prog.PushBytes)
		}
		if missing != 0 && p.once("push", uint32(i)) {
			_ = r.dev.misuse(r.op, command+"-None-08601", "call vkCmdPushConstants before; they read as 0",
				"%s: the %s shader reads %s of its %d of push constants, which nothing has set", place(), stageName(prog.Stage), byteRanges(missing), prog.PushBytes)
		}
	}
}

// pushUse is what a program reads of the push constants: words by number, bit by bit, and somewhere if places
// are computed.
type pushUse struct {
	words     uint64
	somewhere bool
}

// lowWords are the words of the first n bytes. MaxPushBytes are 64 of them.
func lowWords(n uint32) uint64 { return 1<<((n+3)/4) - 1 }

// pushWords are the words that n words at a byte offset are.
func pushWords(offset, n uint32) uint64 { return (1<<n - 1) << (offset / 4) }

// pushUse looks it up, or into the program.
func (p *Pipeline) pushUse(i int) pushUse {
	p.pushing.Do(func() {
		p.pushUses = make([]pushUse, len(p.programs))
		for k, prog := range p.programs {
			use := &p.pushUses[k]
			eachInst(prog, &prog.Body, func(in *ir.Inst) {
				if in.Op != ir.OpLoadPush {
					return
				}
				if at := &prog.Insts[in.Args[0]]; at.Op == ir.OpConst {
					use.words |= pushWords(uint32(at.Imm), 1)
				} else {
					use.somewhere = true
				}
			})
		}
	})
	return p.pushUses[i]
}

// eachInst calls f for the instructions of a block and of all inside it.
func eachInst(p *ir.Program, b *ir.Block, f func(*ir.Inst)) {
	for _, s := range b.Stmts {
		switch {
		case s.If != nil:
			eachInst(p, &s.If.Then, f)
			eachInst(p, &s.If.Else, f)
		case s.Loop != nil:
			eachInst(p, &s.Loop.Body, f)
			eachInst(p, &s.Loop.Continue, f)
		default:
			f(&p.Insts[s.Inst])
		}
	}
}

// byteRanges names words by the bytes that they are.
func byteRanges(words uint64) string {
	var list []string
	for words != 0 {
		first := bits.TrailingZeros64(words)
		n := bits.TrailingZeros64(^(words >> first))
		list = append(list, fmt.Sprintf("%d to %d", 4*first, 4*(first+n)-1))
		words &^= pushWords(uint32(4*first), uint32(n))
	}
	return "bytes " + strings.Join(list, ", ")
}

// stageName is what people call a stage.
func stageName(s ir.Stage) string {
	switch s {
	case ir.StageVertex:
		return "vertex"
	case ir.StageFragment:
		return "fragment"
	case ir.StageCompute:
		return "compute"
	case ir.StageControl:
		return "tessellation control"
	case ir.StageEvaluation:
		return "tessellation evaluation"
	case ir.StageGeometry:
		return "geometry"
	case ir.StageTask:
		return "task"
	case ir.StageMesh:
		return "mesh"
	}
	return "unknown"
}

// checkOutputs tells of a draw that nothing can come of.
func (r *runner) checkOutputs(p *Pipeline, d *render.Draw, place func() string) {
	if r.query != 0 || r.active[slotStatistics] != nil || d.Feedback != nil || r.countsStreams() {
		return
	}
	for _, prog := range p.programs {
		if prog.WritesMemory || prog.Messages() {
			return
		}
	}
	why := r.nothingDrawn(p, d.State)
	if why != "" && p.once("output", 0) {
		r.dev.Warn(r.op, noOutputs, "give the pipeline a target that it writes", "%s: nothing can come of it: %s, and no shader stores to memory", place(), why)
	}
}

// nothingDrawn says why a draw writes no attachment, "" if it writes one.
func (r *runner) nothingDrawn(p *Pipeline, s *render.DynamicState) string {
	if s.RasterizerDiscard {
		return "rasterization is discarded (RasterizerDiscardEnable)"
	}
	color, depth := r.noColor(p, s), ""
	switch {
	case r.pass.Stencil != nil && s.StencilTestEnable:
		return ""
	case r.pass.Depth == nil:
		depth = "the pass has no depth target"
	case !s.DepthTestEnable || !s.DepthWriteEnable:
		depth = "depth is not written (DepthTestEnable and DepthWriteEnable)"
	default:
		return ""
	}
	if color == "" {
		return ""
	}
	return color + ", " + depth
}

// noColor says why a draw writes no colour, "" if it does.
func (r *runner) noColor(p *Pipeline, s *render.DynamicState) string {
	var fragment *ir.Program
	for _, prog := range p.programs {
		if prog.Stage == ir.StageFragment {
			fragment = prog
		}
	}
	why := "the pass has no colour target"
	for i := range r.pass.Color {
		if r.pass.Color[i].View == nil {
			continue
		}
		switch {
		case fragment == nil:
			return "there is no fragment shader"
		case s.CoverageToColor:
			return ""
		case !writesColor(fragment, s, i):
			why = fmt.Sprintf("the fragment shader writes no colour for attachment %d", i)
		case s.Blend[i].ColorWriteMask == 0 || s.ColorWrite>>i&1 == 0:
			why = fmt.Sprintf("no component of colour attachment %d is written (ColorWriteMask is 0)", i)
		default:
			return ""
		}
	}
	return why
}

// writesColor says whether a fragment shader has an output for a colour attachment.
func writesColor(p *ir.Program, s *render.DynamicState, attachment int) bool {
	location := uint32(attachment)
	switch at := s.Location[attachment]; at {
	case 0:
	case render.NoLocation:
		return false
	default:
		location = uint32(at) - 1
	}
	for i := range p.Outputs {
		if o := &p.Outputs[i]; o.Builtin == ir.BuiltinNone && o.Location == location {
			return true
		}
	}
	return false
}

// passTarget is what a pass writes while its shaders run, or when it ends.
type passTarget struct {
	view   *ImageView
	aspect vk.ImageAspectFlags
	what   string
	rule   string
}

// checkTargets tells of images that a draw reads or stores to while they are targets of the pass.
//
// rendering-feedback-loop
func (r *runner) checkTargets(p *Pipeline, d *render.Draw, command string, place func() string) {
	b := &r.points[vk.PipelineBindPointGraphics]
	var targets []passTarget
	for i, prog := range p.programs {
		if len(prog.ImageOps) == 0 {
			continue
		}
		if targets == nil {
			if targets = r.targets(d.State); len(targets) == 0 {
				return
			}
		}
		eachInst(prog, &prog.Body, func(in *ir.Inst) {
			if in.Op != ir.OpImage {
				return
			}
			o := &prog.ImageOps[in.Imm]
			if o.Kind.Asks() || o.Kind == ir.ImageQueryLod || o.Image >= len(prog.Resources) {
				return
			}
			res := &prog.Resources[o.Image]
			own := b.only(i, o.Image)
			if own == nil || own.view == nil {
				return
			}
			t := overlapping(targets, own, res.Kind == ir.StorageImage, r.layers())
			if t == nil || !p.once("target", uint32(i)<<16|uint32(in.Imm)&0xFFFF) {
				return
			}
			verb, rule := "samples", t.rule
			switch o.Kind {
			case ir.ImageWrite, ir.ImageAtomic:
				verb, rule = "stores to", "None-06537"
			case ir.ImageRead, ir.ImageFetch:
				verb = "reads"
			}
			_ = r.dev.misuse(r.op, command+"-"+rule, "end the pass first, or draw to another image",
				"%s: the %s shader %s set %d, binding %d (%s), which is %s of this very pass", place(), stageName(prog.Stage), verb, res.Set, res.Binding, own.view.image.label(), t.what)
		})
	}
}

// only is what a resource is where that is one image, nil where it is several or none.
func (b *bindPoint) only(program, resource int) *owner {
	switch b.pipeline.programs[program].Resources[resource].Kind {
	case ir.SampledImage, ir.CombinedImageSampler, ir.StorageImage:
	default: // input attachments are read in their own pass
		return nil
	}
	if owners := b.slotOf(program, resource).owners; len(owners) == 1 {
		return &owners[0]
	}
	return nil
}

// layers is how many layers of its attachments the pass draws to.
func (r *runner) layers() int {
	return max(r.info.LayerCount, bits.Len32(r.info.ViewMask), 1)
}

// targets lists what the pass writes that a draw with state s could read. What only stays as it is may be read, and what was
// drawn before a barrier inside the pass, too.
func (r *runner) targets(s *render.DynamicState) (list []passTarget) {
	add := func(a *RenderingAttachment, aspect vk.ImageAspectFlags, written bool, what, rule string) {
		if a == nil || a.View == nil {
			return
		}
		if (written || a.Load == vk.AttachmentLoadOpClear) && !r.ordered {
			list = append(list, passTarget{a.View, aspect, what, rule})
		}
		if a.Resolve != nil && a.Resolve != a.View {
			list = append(list, passTarget{a.Resolve, aspect, "the resolve target of " + what, rule})
		}
	}
	for i := range r.info.Color {
		add(&r.info.Color[i], vk.ImageAspectColorBit, s.Blend[i].ColorWriteMask != 0 && s.ColorWrite>>i&1 != 0, fmt.Sprintf("colour attachment %d", i), "None-12338")
	}
	add(r.info.Depth, vk.ImageAspectDepthBit, s.DepthTestEnable && s.DepthWriteEnable, "the depth attachment", "None-12339")
	add(r.info.Stencil, vk.ImageAspectStencilBit, s.StencilTestEnable, "the stencil attachment", "None-12340")
	return list
}

// overlapping is the target that a descriptor's view shows, nil if none is. Of views with several levels it is known of the first alone
// that shaders read it.
func overlapping(targets []passTarget, own *owner, storage bool, layers int) *passTarget {
	view := own.view.view
	if storage {
		view = own.view.storage
	}
	shown := subresources(view)
	for i := range targets {
		t := &targets[i]
		v := t.view.view
		if v.Image != view.Image || v.BaseLevel != view.BaseLevel || view.Aspect&t.aspect == 0 {
			continue
		}
		if view.Type == vk.ImageViewType3D && v.Type == vk.ImageViewType3D {
			return t
		}
		first, end := int(shown.BaseArrayLayer), int(shown.BaseArrayLayer+shown.LayerCount)
		if v.BaseLayer < end && first < v.BaseLayer+layers {
			return t
		}
	}
	return nil
}

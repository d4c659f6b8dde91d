package render

import (
	"fmt"
	"slices"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/render/fragment"
	"github.com/pumice-gpu/pumice/internal/render/geometry"
	"github.com/pumice-gpu/pumice/internal/tess"
	"github.com/pumice-gpu/pumice/vk"
)

// none marks a slot that does not exist.
const none = geometry.None

// maxDistances is the number of clip and cull distances together.
const maxDistances = 8

// vertexOutputs says which output slots of the vertex stage hold what.
type vertexOutputs struct {
	position        [4]int
	size            int
	layer, viewport int
	relative        bool  // the viewport's index is added to the layer
	mask            int   // ViewportMaskNV, in the place of viewport
	rate            int   // PrimitiveShadingRateKHR
	clip, cull      []int // slots by array element
	views           []viewOutputs
}

// linkage is what NewPipeline works out of the stages' interfaces.
type linkage struct {
	// last are the outputs of a vertex of the last stage before rasterization,
	// vs and primitiveID say which of its slots hold what.
	last        []ir.IO
	unwritten   []ir.IO // declared by the same stage
	vs          vertexOutputs
	primitiveID int   // that a geometry shader writes, or none
	stream      uint8 // that is rasterized
	capture     captureLink
	primitives  []ir.IO // outputs of a mesh's primitives
	ofPrimitive primitiveOutputs
	geometry.Link
	frag      fragment.Link
	tessMode  tess.Config // but for the state
	clockwise bool
	// What the inputs need.
	needPerspective, needLinear, needCentroid, needPoint bool
	// coords are the components of FragCoord that the shader reads, a bit each.
	coords uint8
}

// link matches outputs and inputs of the stages by location, component and
// built-in.
func link(d *PipelineDesc) (linkage, error) {
	l := linkage{stream: uint8(d.Static.RasterizationStream)}
	if d.Mesh != nil {
		if err := l.linkMesh(d); err != nil {
			return l, err
		}
		return l, l.linkRest(d)
	}
	vp := d.Vertex.Program()
	l.last, l.unwritten = vp.Outputs, vp.Unwritten
	last := vp
	if d.Control != nil {
		if err := l.linkTess(d); err != nil {
			return l, err
		}
		last = d.Evaluation.Program()
	}
	if d.Geometry != nil {
		g := d.Geometry.Program()
		l.Geometry = feeds(g.VertexInputs, l.last)
		l.last, l.unwritten, last = g.Emits, g.Unwritten, g
		if err := inputsOf(g, ir.BuiltinPrimitiveID, ir.BuiltinInvocationID, ir.BuiltinViewIndex); err != nil {
			return l, err
		}
	}
	l.linkCapture(last)
	if err := l.vertexIn(d, vp); err != nil {
		return l, err
	}
	l.VertexMay = maybeUnwritten(vp)
	return l, l.linkRest(d)
}

// linkRest links what comes after the last stage before rasterization.
func (l *linkage) linkRest(d *PipelineDesc) error {
	l.primitiveOut()
	if err := l.vertexOut(); err != nil {
		return err
	}
	l.frag.Outs = fragment.NoOutputs
	if d.Fragment == nil {
		return nil
	}
	fp := d.Fragment.Program()
	if err := l.fragmentIn(fp); err != nil {
		return err
	}
	l.frag.May = maybeUnwritten(fp)
	l.frag.Demotes = fp.Demotes && fragment.BlockHas(fp, &fp.Body, ir.OpDemote)
	return l.fragmentOut(fp)
}

// maybeUnwritten lists the output slots that no statement outside of all
// conditionals and loops writes.
func maybeUnwritten(p *ir.Program) []int {
	written := make([]bool, len(p.Outputs))
	for _, s := range p.Body.Stmts {
		if s.If == nil && s.Loop == nil && p.Insts[s.Inst].Op == ir.OpOutput {
			written[p.Insts[s.Inst].Imm] = true
		}
	}
	var list []int
	for slot, w := range written {
		if !w {
			list = append(list, slot)
		}
	}
	return list
}

// feeds finds the output that feeds each input of the next stage; none where it
// reads as zero.
// interfaces-iointerfaces-matching
func feeds(inputs, outputs []ir.IO) []int {
	list := make([]int, len(inputs))
	for i, io := range inputs {
		list[i] = findOutput(outputs, io, 0)
	}
	return list
}

// inputsOf checks the built-in inputs of a stage.
func inputsOf(p *ir.Program, known ...ir.Builtin) error {
	for slot, io := range p.Inputs {
		if !slices.Contains(known, io.Builtin) {
			return &PipelineError{What: fmt.Sprintf("input %d of %q asks for built-in %d", slot, p.Name, io.Builtin), Rule: "interfaces-builtin-variables", Fix: "this built-in does not exist in the stage"}
		}
	}
	return nil
}

// vertexOut finds the built-in outputs of the last stage before rasterization.
func (l *linkage) vertexOut() error {
	l.primitiveID = none
	l.vs = vertexOutputs{
		position: fragment.NoSlots, size: none, layer: none, viewport: none, mask: none, rate: none,
	}
	place := func(list *[]int, comp uint32, slot int) bool {
		if comp >= maxDistances {
			return false
		}
		for len(*list) <= int(comp) {
			*list = append(*list, none)
		}
		(*list)[comp] = slot
		return true
	}
	ok := true
	for slot, io := range l.last {
		if io.Stream != l.stream {
			continue
		}
		switch io.Builtin {
		case ir.BuiltinPrimitiveID:
			l.primitiveID = slot
		case ir.BuiltinPosition:
			if ok = io.Component < 4; ok {
				l.vs.position[io.Component] = slot
			}
		case ir.BuiltinPointSize:
			l.vs.size = slot
		case ir.BuiltinLayer:
			l.vs.layer, l.vs.relative = slot, io.Relative
		case ir.BuiltinPrimitiveShadingRate:
			l.vs.rate = slot
		case ir.BuiltinViewportIndex:
			l.vs.viewport = slot
		case ir.BuiltinViewportMask:
			if io.Component == 0 { // of the first 32 viewports
				l.vs.mask = slot
			}
		case ir.BuiltinPositionPerView, ir.BuiltinViewportMaskPerView:
			l.vs.perView(io, slot)
		case ir.BuiltinClipDistance:
			ok = place(&l.vs.clip, io.Component, slot)
		case ir.BuiltinCullDistance:
			ok = place(&l.vs.cull, io.Component, slot)
		default: // user locations, and built-ins that only later stages read
		}
		if !ok || len(l.vs.clip)+len(l.vs.cull) > maxDistances {
			return &PipelineError{What: fmt.Sprintf("vertex output %d: built-in %d has component %d", slot, io.Builtin, io.Component),
				Rule: "RAS-007", Fix: "use at most 8 clip and cull distances together"}
		}
	}
	return nil
}

// vertexIn pairs vertex inputs with attributes and bindings.
func (l *linkage) vertexIn(d *PipelineDesc, p *ir.Program) error {
	byLocation := map[uint32]int{}
	for slot, io := range p.Inputs {
		if io.Builtin != ir.BuiltinNone {
			switch io.Builtin {
			case ir.BuiltinVertexIndex, ir.BuiltinInstanceIndex, ir.BuiltinBaseVertex, ir.BuiltinBaseInstance, ir.BuiltinDrawIndex, ir.BuiltinViewIndex:
				l.Builtins = append(l.Builtins, geometry.Builtin{Slot: slot, Builtin: io.Builtin})
			default:
				return &PipelineError{What: fmt.Sprintf("vertex input %d asks for built-in %d", slot, io.Builtin), Rule: "interfaces-builtin-variables", Fix: "this built-in does not exist in vertex shaders"}
			}
			continue
		}
		i, ok := byLocation[io.Location]
		if !ok {
			a, err := newAttribute(d, io.Location)
			if err != nil {
				return err
			}
			i = len(l.Fetch)
			l.Fetch = append(l.Fetch, a)
			byLocation[io.Location] = i
		}
		if io.Component < 4 {
			l.Fetch[i].Slots[io.Component] = slot
		}
	}
	return nil
}

// locationBytes is what a location takes of an attribute. Three or four components of 64 bits go on in the next one.
//
// fxvertex-input-extraction
const locationBytes = 16

// newAttribute looks a vertex input location up in the vertex input state.
func newAttribute(d *PipelineDesc, location uint32) (geometry.Attribute, error) {
	a := geometry.Attribute{Slots: fragment.NoSlots, Location: location}
	at := -1
	for i := range d.Attributes {
		switch l := d.Attributes[i].Location; {
		case l == location:
			at, a.Skip = i, 0
		case l+1 == location && at < 0:
			if info, _ := format.Lookup(d.Attributes[i].Format); info != nil && info.BlockBytes > locationBytes {
				at, a.Skip = i, locationBytes
			}
		}
	}
	if at < 0 && d.UnfedInputs { // VK_DEFAULT_VERTEX_ATTRIBUTE_VALUE_ZERO_ZERO_ZERO_ZERO_KHR
		a.Info, _ = format.Lookup(vk.FormatR32G32B32A32Uint)
		a.Size, a.Binding, a.Words = 16, MaxVertexBindings, 4 // no such buffer
		return a, nil
	}
	if at < 0 {
		return a, &PipelineError{What: fmt.Sprintf("vertex input at location %d has no attribute", location), Rule: "VUID-VkGraphicsPipelineCreateInfo-Input-07904", Fix: "describe the attribute in the vertex input state"}
	}
	desc := d.Attributes[at]
	info, ok := format.Lookup(desc.Format)
	if !ok || info.Compressed || info.Supported() != nil {
		return a, &PipelineError{What: fmt.Sprintf("vertex attribute at location %d has format %v", location, desc.Format), Rule: "fxvertex-input", Fix: "use a vertex buffer format"}
	}
	a.Info, a.Size, a.Offset, a.Binding = info, int(info.BlockBytes), uint64(desc.Offset), -1
	for _, b := range d.Bindings {
		if b.Binding == desc.Binding && b.Binding < MaxVertexBindings {
			a.Binding, a.Stride = int(b.Binding), b.Stride
			a.Instanced, a.Divisor = b.InputRate == vk.VertexInputRateInstance, 1
		}
	}
	if a.Binding < 0 {
		return a, &PipelineError{What: fmt.Sprintf("vertex attribute at location %d names binding %d", location, desc.Binding), Rule: "VUID-VkPipelineVertexInputStateCreateInfo-binding-00615", Fix: "describe the binding"}
	}
	for _, v := range d.Divisors {
		if v.Binding == desc.Binding {
			a.Divisor = v.Divisor
		}
	}
	if a.Words = geometry.WordsOf(info); a.Skip != 0 {
		a.Words = (a.Size - locationBytes) / 4
	}
	return a, nil
}

// fragmentIn finds the producer of every fragment input.
func (l *linkage) fragmentIn(p *ir.Program) error {
	for slot, io := range p.Inputs {
		in := fragment.Input{Slot: slot, Component: io.Component, Interp: io.Interp, Aux: io.Aux}
		switch io.Builtin {
		case ir.BuiltinNone, ir.BuiltinClipDistance, ir.BuiltinCullDistance:
			out := findOutput(l.last, io, l.stream)
			if out == none {
				if slot := findOutput(l.primitives, io, 0); slot != none {
					in.Kind, in.Attr = fragment.InputPrimitive, len(l.frag.Flat)
					l.frag.Flat = append(l.frag.Flat, slot)
					break
				}
			}
			if out == none && findOutput(l.unwritten, io, l.stream) != none {
				in.Kind = fragment.InputZero
				break
			}
			if out == none {
				return &PipelineError{What: fmt.Sprintf("fragment input at location %d component %d (built-in %d) has no producer", io.Location, io.Component, io.Builtin),
					Rule: "interfaces-iointerfaces-matching", Fix: "write it in the vertex shader"}
			}
			in.Kind = fragment.InputVarying
			if io.Vertex != 0 {
				in.Kind, in.Vertex = fragment.InputPerVertex, io.Vertex-1
			}
			if in.Attr = slices.Index(l.frag.Attrs, out); in.Attr < 0 { // RAS-292: distances like all others
				in.Attr = len(l.frag.Attrs)
				l.frag.Attrs = append(l.frag.Attrs, out)
			}
			if io.Type == ir.I32 {
				in.Interp = ir.Flat // RAS-069
			}
		case ir.BuiltinFragCoord:
			in.Kind = fragment.InputFragCoord
			if slices.ContainsFunc(p.Insts, func(i ir.Inst) bool { return i.Op == ir.OpInput && i.Imm == uint64(slot) }) { // what loads all of it mostly needs two
				l.coords |= 1 << (in.Component & 3)
			}
		default:
			ok := false
			if in.Kind, ok = fragment.InputKinds[io.Builtin]; ok {
				l.needPoint = l.needPoint || in.Kind == fragment.InputPointCoord
				break
			}
			return &PipelineError{What: fmt.Sprintf("fragment input %d asks for built-in %d", slot, io.Builtin), Rule: "interfaces-builtin-variables", Fix: "this built-in does not exist in fragment shaders"}
		}
		if (in.Kind == fragment.InputVarying || in.Kind == fragment.InputBaryCoord) && in.Interp != ir.Flat {
			l.needPerspective = l.needPerspective || in.Interp == ir.Perspective
			l.needLinear = l.needLinear || in.Interp == ir.Linear
			l.needCentroid = l.needCentroid || in.Aux == ir.AtCentroid
		}
		l.frag.Inputs = append(l.frag.Inputs, in)
	}
	return nil
}

// findOutput returns the output slot of a stream that feeds an input of the next
// stage.
func findOutput(outputs []ir.IO, io ir.IO, stream uint8) int {
	for slot, o := range outputs {
		if o.Builtin != io.Builtin || o.Component != io.Component || o.Stream != stream {
			continue
		}
		if o.Builtin != ir.BuiltinNone || o.Location == io.Location {
			return slot
		}
	}
	return none
}

// fragmentOut sorts the fragment outputs.
//
// interfaces-fragmentoutput
func (l *linkage) fragmentOut(p *ir.Program) error {
	for slot, io := range p.Outputs {
		switch io.Builtin {
		case ir.BuiltinNone:
			if io.Location >= MaxColorAttachments || io.Component > 3 || io.Index > 1 || io.Index == 1 && io.Location >= MaxDualSourceAttachments {
				return &PipelineError{What: fmt.Sprintf("fragment output at location %d index %d component %d", io.Location, io.Index, io.Component), Rule: "RAS-007", Fix: fmt.Sprintf("use locations 0 to %d, and index 1 at location 0 only", MaxColorAttachments-1)}
			}
			c := &l.frag.Outs.Color[io.Location]
			if io.Index == 1 {
				c = &l.frag.Outs.Second
			}
			c.Present = true
			c.Integer = io.Type == ir.I32
			c.Slot[io.Component] = slot
		case ir.BuiltinFragDepth:
			l.frag.Outs.Depth = slot
		case ir.BuiltinFragStencilRef:
			l.frag.Outs.Stencil = slot
		case ir.BuiltinSampleMask:
			if io.Component == 0 {
				l.frag.Outs.Mask = slot
			}
			if io.Component < uint32(len(l.frag.Outs.Masks)) {
				l.frag.Outs.Masks[io.Component], l.frag.Outs.Masked = slot, true
			}
		default:
			return &PipelineError{What: fmt.Sprintf("fragment output %d is built-in %d", slot, io.Builtin), Rule: "interfaces-builtin-variables", Fix: "this built-in is no fragment output"}
		}
	}
	first, second := &l.frag.Outs.Color[0], &l.frag.Outs.Second
	if second.Present && !first.Present { // RAS-342: blending goes on without it
		first.Present, first.Integer = true, second.Integer
	}
	if !first.Integer {
		l.frag.Outs.Alpha = first.Slot[3]
	}
	return nil
}

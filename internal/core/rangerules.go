package core

import (
	"fmt"
	"strings"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/vk"
)

// What shaders read from beyond the range of a descriptor is zero, and what they store there is dropped: the picture is black or
// wrong, and nothing fails. With Config.CheckRanges a program is told, each binding of a pipeline's stage once: before it
// draws where the place is a constant of the shader, and when it happens where the shader computes the place. Null descriptors
// read as zero by rule, and say nothing.

// rangePlace is a resource of a pipeline's stage.
type rangePlace struct {
	program, resource int
	constant          bool
}

// constantAccess is, of a program's accesses to a buffer at constant places, the one that goes farthest.
type constantAccess struct {
	end    uint32 // where it ends, bytes
	writes bool
}

// constantAccesses are those of a program, by resource, in element 0 of what is bound.
func (p *Pipeline) constantAccesses(program int) []constantAccess {
	p.ranging.Do(func() {
		p.ranges = make([][]constantAccess, len(p.programs))
		for i, prog := range p.programs {
			p.ranges[i] = constantAccesses(prog)
		}
	})
	return p.ranges[program]
}

func constantAccesses(prog *ir.Program) []constantAccess {
	list := make([]constantAccess, len(prog.Resources))
	note := func(resource int, element, at ir.Value, bytes uint32, writes bool) {
		e, a := &prog.Insts[element], &prog.Insts[at]
		if e.Op != ir.OpConst || e.Imm != 0 || a.Op != ir.OpConst {
			return
		}
		switch end, l := uint32(a.Imm)+bytes, &list[resource]; {
		case end > l.end:
			*l = constantAccess{end, writes}
		case end == l.end:
			l.writes = l.writes || writes
		}
	}
	eachInst(prog, &prog.Body, func(in *ir.Inst) {
		switch in.Op {
		case ir.OpLoadBuffer, ir.OpStoreBuffer:
			note(int(in.Imm), in.Args[0], in.Args[1], 4, in.Op == ir.OpStoreBuffer)
		case ir.OpAtomicBuffer:
			note(int(uint32(in.Imm)), in.More[0], in.More[1], 4, true)
		case ir.OpLoadMem, ir.OpStoreMem, ir.OpAtomicMem:
			if m := ir.MemOf(in.Imm); m.Space == ir.MemBuffer {
				note(int(m.Resource), in.More[0], in.More[1], 1<<m.Log, in.Op != ir.OpLoadMem)
			}
		}
	})
	return list
}

// checkRanges holds what a program reads and writes at constant places against what is bound.
func (r *runner) checkRanges(b *bindPoint, program int, bound [][]exec.Descriptor) {
	p := b.pipeline
	prog := p.programs[program]
	for i, access := range p.constantAccesses(program) {
		res := &prog.Resources[i]
		if access.end == 0 || res.Heap || len(bound[i]) == 0 || bound[i][0].Data == nil || uint64(access.end) <= uint64(len(bound[i][0].Data)) {
			continue
		}
		if _, told := p.told.LoadOrStore(rangePlace{program, i, true}, true); told {
			continue
		}
		_ = r.dev.misuse(r.op, rangeRule(prog, res), rangeHint(res, access.writes), "%s: the %s shader %s %s up to byte %d, and the range that is bound has %d",
			p.describe(), stageName(prog.Stage), accesses(access.writes), resourceText(res, 0), access.end, len(bound[i][0].Data))
	}
}

// checkWritten tells of descriptors that commands have left out of sets whose contents are not known when a draw is recorded.
func (r *runner) checkWritten(b *bindPoint, program int) {
	p := b.pipeline
	prog := p.programs[program]
	for i := range prog.Resources {
		res := &prog.Resources[i]
		if p.mapped != nil || res.Heap || res.Kind == ir.TileImage || b.sets[res.Set].memory != nil {
			continue
		}
		layout := b.sets[res.Set].state.layout
		slot := b.slotOf(program, i)
		if layout.bindings[layout.find(res.Binding)].Flags&vk.DescriptorBindingPartiallyBoundBit != 0 || len(slot.owners) != 1 || slot.owners[0].written {
			continue
		}
		if _, told := p.told.LoadOrStore(rangePlace{program, i, true}, true); told {
			continue
		}
		_ = r.dev.misuse(r.op, rangeCommand(prog)+"-None-08114", "bind it, or the null descriptor; it reads as 0", "%s: the %s shader uses set %d, binding %d (%s), to which nothing is bound", p.describe(), stageName(prog.Stage), res.Set, res.Binding, res.Name)
	}
}

// outside is what tells of a program's accesses outside of what is bound (exec.Context.Outside); nil where it has none that
// could be.
func (r *runner) outside(b *bindPoint, program int, bound [][]exec.Descriptor) func(access *ir.Print, element, at, size uint32) {
	dev, op, p := r.dev, r.op, b.pipeline
	prog := p.programs[program]
	if !prog.Watched() {
		return nil
	}
	return func(access *ir.Print, element, at, size uint32) {
		o := access.Outside
		if uint64(element) >= uint64(len(bound[o.Resource])) {
			return // no descriptor
		}
		res, d := &prog.Resources[o.Resource], &bound[o.Resource][element]
		texels := isTexelBuffer(res.Kind)
		if texels && d.Texel == nil || !texels && d.Data == nil {
			return
		}
		if _, told := p.told.LoadOrStore(rangePlace{program, o.Resource, false}, true); told {
			return
		}
		where := ""
		if s := access.Source.String(); s != "" {
			where = ", " + s
		}
		unit := fmt.Sprintf("bytes %d to %d", at, uint64(at)+uint64(o.Size)-1)
		have := "the range that is bound has %d bytes"
		if texels {
			unit, have = fmt.Sprintf("texel %d", at), "its view has %d"
		}
		_ = dev.misuse(op, rangeRule(prog, res), rangeHint(res, o.Writes), "%s%s: the %s shader %s %s, %s, and "+have,
			p.describe(), where, stageName(prog.Stage), accesses(o.Writes), resourceText(res, element), unit, size)
	}
}

func isTexelBuffer(k ir.ResourceKind) bool {
	return k == ir.UniformTexelBuffer || k == ir.StorageTexelBuffer
}

// rangeRule is the rule that accesses stay inside of what is bound.
func rangeRule(prog *ir.Program, res *ir.Resource) string {
	switch res.Kind {
	case ir.UniformBuffer:
		return rangeCommand(prog) + "-uniformBuffers-06935"
	case ir.StorageBuffer:
		return rangeCommand(prog) + "-storageBuffers-06936"
	}
	return "IMG-200"
}

// rangeCommand is a command that runs a program: the rules have one VUID each for every command.
func rangeCommand(prog *ir.Program) string {
	switch prog.Stage {
	case ir.StageCompute:
		return "vkCmdDispatch"
	case ir.StageTask, ir.StageMesh:
		return "vkCmdDrawMeshTasksEXT"
	}
	return "vkCmdDraw"
}

// rangeHint says what to do, and what comes of it.
func rangeHint(res *ir.Resource, writes bool) string {
	what := "bind all of the block"
	if isTexelBuffer(res.Kind) {
		what = "make a larger view"
	}
	if writes {
		return what + ", or stay inside; what is beyond reads as 0, and is not written"
	}
	return what + ", or stay inside; what is beyond reads as 0"
}

func accesses(writes bool) string {
	if writes {
		return "writes"
	}
	return "reads"
}

// resourceText names a descriptor.
func resourceText(res *ir.Resource, element uint32) string {
	kind := map[ir.ResourceKind]string{
		ir.UniformBuffer: "uniform buffer", ir.StorageBuffer: "storage buffer", ir.UniformTexelBuffer: "uniform texel buffer", ir.StorageTexelBuffer: "storage texel buffer",
	}[res.Kind]
	var b strings.Builder
	fmt.Fprintf(&b, "set %d, binding %d", res.Set, res.Binding)
	if res.Count != 1 {
		fmt.Fprintf(&b, ", element %d", element)
	}
	fmt.Fprintf(&b, " (%s", kind)
	if res.Name != "" {
		b.WriteString(" " + res.Name)
	}
	b.WriteString(")")
	return b.String()
}

package icd

import (
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// CmdPushDescriptorSet is vkCmdPushDescriptorSet.
func (r *Recorder) CmdPushDescriptorSet(c *abi.CmdPushDescriptorSet) {
	r.push("vkCmdPushDescriptorSet", c.PipelineBindPoint, c.Layout, c.Set, r.device.pushWrites(c.Layout, c.Set, c.PDescriptorWrites, c.DescriptorWriteCount))
}

// CmdPushDescriptorSet2 is vkCmdPushDescriptorSet2.
func (r *Recorder) CmdPushDescriptorSet2(c *abi.CmdPushDescriptorSet2) {
	i := c.PPushDescriptorSetInfo
	for _, p := range bindPoints(i.StageFlags) {
		r.push("vkCmdPushDescriptorSet2", p, i.Layout, i.Set, r.device.pushWrites(i.Layout, i.Set, i.PDescriptorWrites, i.DescriptorWriteCount))
	}
}

func (d *Device) pushWrites(layout abi.PipelineLayout, set uint32, writes *abi.WriteDescriptorSet, n uint32) []core.DescriptorWrite {
	l := d.setOf(layout, set)
	return each(writes, n, func(w *abi.WriteDescriptorSet) core.DescriptorWrite { return d.descriptorWrite(l, w) })
}

// setOf is a set's layout in a pipeline layout, nil where there is none.
func (d *Device) setOf(layout abi.PipelineLayout, set uint32) *DescriptorSetLayout {
	if l := lookup(&d.pipelineLayouts, layout); l != nil && uint64(set) < uint64(len(l.sets)) {
		return l.sets[set]
	}
	return nil
}

func (r *Recorder) push(op core.Op, point vk.PipelineBindPoint, layout abi.PipelineLayout, set uint32, writes []core.DescriptorWrite) {
	l := r.device.setOf(layout, set)
	if l == nil ||
		point != vk.PipelineBindPointGraphics && point != vk.PipelineBindPointCompute {
		r.misuse(op, "vkCmdPushDescriptorSet-set-00364", "the pipeline layout has no such set")
		return
	}
	r.core.PushDescriptors(op, point, int(set), l.core, writes)
}

// pushedTemplate is a vkCmdPushDescriptorSetWithTemplate. How much memory its
// data takes only the template knows, so it crosses at once; the stream holds its
// index in CommandBuffer.templates.
type pushedTemplate struct {
	point  vk.PipelineBindPoint
	layout abi.PipelineLayout
	set    uint32
	writes []core.DescriptorWrite
}

// templateRecord is its record.
type templateRecord struct {
	abi.CommandHeader
	index uint64
}

// CmdPushDescriptorSetWithTemplate is vkCmdPushDescriptorSetWithTemplate.
func (c *CommandBuffer) CmdPushDescriptorSetWithTemplate(a *abi.CmdPushDescriptorSetWithTemplateArgs) {
	c.pushTemplate(a.DescriptorUpdateTemplate, a.Layout, a.Set, a.PData)
}

// CmdPushDescriptorSetWithTemplate2 is vkCmdPushDescriptorSetWithTemplate2.
func (c *CommandBuffer) CmdPushDescriptorSetWithTemplate2(a *abi.CmdPushDescriptorSetWithTemplate2Args) {
	i := a.PPushDescriptorSetWithTemplateInfo
	c.pushTemplate(i.DescriptorUpdateTemplate, i.Layout, i.Set, i.PData)
}

func (c *CommandBuffer) pushTemplate(template abi.DescriptorUpdateTemplate, layout abi.PipelineLayout, set uint32, data unsafe.Pointer) {
	t := lookup(&c.device.updateTemplates, template)
	if t == nil || !c.begun {
		return
	}
	writes := c.device.templateWrites(t, c.device.setOf(layout, set), data)
	const size = uint64(unsafe.Sizeof(templateRecord{}))
	s := c.stream
	s.Hold()
	defer s.Release()
	if uint64(uintptr(s.End)-uintptr(s.At)) < size && c.device.driver.Grow(s, false, size) == nil {
		return
	}
	*(*templateRecord)(s.At) = templateRecord{
		CommandHeader: abi.CommandHeader{Op: abi.OpCmdPushDescriptorSetWithTemplate, Size: uint32(size)},
		index:         uint64(len(c.templates)),
	}
	s.At = unsafe.Add(s.At, size)
	s.Records++
	c.templates = append(c.templates, pushedTemplate{t.point, layout, set, writes})
}

// pushed decodes a templateRecord.
func (r *Recorder) pushed(c *CommandBuffer, t *templateRecord) {
	if t.index < uint64(len(c.templates)) {
		p := &c.templates[t.index]
		r.push("vkCmdPushDescriptorSetWithTemplate", p.point, p.layout, p.set, p.writes)
	}
}

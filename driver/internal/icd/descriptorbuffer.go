package icd

import (
	"encoding/binary"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// GetDescriptorSetLayoutSizeEXT is vkGetDescriptorSetLayoutSizeEXT.
func (d *Device) GetDescriptorSetLayoutSizeEXT(a *abi.GetDescriptorSetLayoutSizeEXTArgs) {
	*a.PLayoutSizeInBytes = 0
	if l := lookup(&d.descriptorSetLayouts, a.Layout); l != nil {
		*a.PLayoutSizeInBytes = l.core.MemorySize()
	}
}

// GetDescriptorSetLayoutBindingOffsetEXT is vkGetDescriptorSetLayoutBindingOffsetEXT; 0 for bindings
// that are not there.
func (d *Device) GetDescriptorSetLayoutBindingOffsetEXT(a *abi.GetDescriptorSetLayoutBindingOffsetEXTArgs) {
	*a.POffset = 0
	if l := lookup(&d.descriptorSetLayouts, a.Layout); l != nil {
		*a.POffset, _ = l.core.MemoryOffset(a.Binding)
	}
}

// GetDescriptorEXT is vkGetDescriptorEXT. What cannot be described is the null descriptor.
func (d *Device) GetDescriptorEXT(a *abi.GetDescriptorEXTArgs) {
	out := bytes(a.PDescriptor, min(a.DataSize, core.DescriptorBytes))
	_ = d.core.PutDescriptor(out, d.memoryDescriptor(a.PDescriptorInfo)) // package core tells the debug messenger
}

// memoryDescriptor reads the member of the union that the type makes valid. Null pointers make null
// descriptors, and so do handles that lead nowhere.
func (d *Device) memoryDescriptor(i *abi.DescriptorGetInfoEXT) core.MemoryDescriptor {
	out := core.MemoryDescriptor{Type: i.Type}
	switch descriptorKind(i.Type) {
	case imageDescriptor:
		if i.Type == vk.DescriptorTypeSampler {
			if h := *i.Data.PSampler(); h != nil {
				out.Sampler = d.samplerOf(*h)
			}
		} else if info := *i.Data.PSampledImage(); info != nil {
			if v := lookup(&d.imageViews, info.ImageView); v != nil {
				out.View = v.core
			}
			if i.Type == vk.DescriptorTypeCombinedImageSampler {
				out.Sampler = d.samplerOf(info.Sampler)
			}
		}
	case bufferDescriptor, texelDescriptor:
		if info := *i.Data.PUniformBuffer(); info != nil {
			out.Address, out.Range, out.Format = info.Address, info.Range, info.Format
		}
	}
	return out
}

func (d *Device) samplerOf(h abi.Sampler) *core.Sampler {
	if s := lookup(&d.samplers, h); s != nil {
		return s.core
	}
	return nil
}

// Capture and replay: views and samplers have numbers in descriptors, buffers their addresses. The data
// to keep is that number, of captureBytes; images, which no descriptor names, keep any.

const captureBytes = 8

// replayedNumber is what an object was captured with, 0 where it is none that is replayed.
func replayedNumber(next unsafe.Pointer) uint64 {
	if o := abi.Find[abi.OpaqueCaptureDescriptorDataCreateInfoEXT](next); o != nil {
		return capturedNumber(o.OpaqueCaptureDescriptorData)
	}
	return 0
}

// capturedNumber reads what captured wrote.
func capturedNumber(data unsafe.Pointer) uint64 {
	if b := bytes(data, captureBytes); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// captured writes an object's data, of which there is none for number 0.
func captured(out unsafe.Pointer, number uint64) vk.Result {
	b := bytes(out, captureBytes)
	if b == nil || number == 0 {
		return vk.ErrorValidationFailed
	}
	binary.LittleEndian.PutUint64(b, number)
	return vk.Success
}

// GetBufferOpaqueCaptureDescriptorDataEXT is vkGetBufferOpaqueCaptureDescriptorDataEXT.
func (d *Device) GetBufferOpaqueCaptureDescriptorDataEXT(a *abi.GetBufferOpaqueCaptureDescriptorDataEXTArgs) vk.Result {
	b := lookup(&d.buffers, a.PInfo.Buffer)
	if b == nil {
		return vk.ErrorValidationFailed
	}
	address, err := b.core.CaptureAddress()
	if err != nil {
		return result(err)
	}
	return captured(a.PData, address)
}

// GetImageOpaqueCaptureDescriptorDataEXT is vkGetImageOpaqueCaptureDescriptorDataEXT.
func (d *Device) GetImageOpaqueCaptureDescriptorDataEXT(a *abi.GetImageOpaqueCaptureDescriptorDataEXTArgs) vk.Result {
	if lookup(&d.images, a.PInfo.Image) == nil {
		return vk.ErrorValidationFailed
	}
	return captured(a.PData, opaqueMemory)
}

// GetImageViewOpaqueCaptureDescriptorDataEXT is vkGetImageViewOpaqueCaptureDescriptorDataEXT.
func (d *Device) GetImageViewOpaqueCaptureDescriptorDataEXT(a *abi.GetImageViewOpaqueCaptureDescriptorDataEXTArgs) vk.Result {
	v := lookup(&d.imageViews, a.PInfo.ImageView)
	if v == nil {
		return vk.ErrorValidationFailed
	}
	return captured(a.PData, v.core.Number())
}

// GetSamplerOpaqueCaptureDescriptorDataEXT is vkGetSamplerOpaqueCaptureDescriptorDataEXT.
func (d *Device) GetSamplerOpaqueCaptureDescriptorDataEXT(a *abi.GetSamplerOpaqueCaptureDescriptorDataEXTArgs) vk.Result {
	s := lookup(&d.samplers, a.PInfo.Sampler)
	if s == nil {
		return vk.ErrorValidationFailed
	}
	return captured(a.PData, s.core.Number())
}

// CmdBindDescriptorBuffersEXT is vkCmdBindDescriptorBuffersEXT. Push descriptors need no buffer.
func (r *Recorder) CmdBindDescriptorBuffersEXT(c *abi.CmdBindDescriptorBuffersEXT) {
	r.core.BindDescriptorBuffers("vkCmdBindDescriptorBuffersEXT", each(c.PBindingInfos, c.BufferCount, func(i *abi.DescriptorBufferBindingInfoEXT) uint64 { return i.Address }))
}

// CmdSetDescriptorBufferOffsetsEXT is vkCmdSetDescriptorBufferOffsetsEXT.
func (r *Recorder) CmdSetDescriptorBufferOffsetsEXT(c *abi.CmdSetDescriptorBufferOffsetsEXT) {
	r.setOffsets("vkCmdSetDescriptorBufferOffsetsEXT", c.PipelineBindPoint, c.Layout, c.FirstSet, abi.Slice(c.PBufferIndices, c.SetCount), abi.Slice(c.POffsets, c.SetCount))
}

// CmdSetDescriptorBufferOffsets2EXT is vkCmdSetDescriptorBufferOffsets2EXT.
func (r *Recorder) CmdSetDescriptorBufferOffsets2EXT(c *abi.CmdSetDescriptorBufferOffsets2EXT) {
	i := c.PSetDescriptorBufferOffsetsInfo
	for _, p := range bindPoints(i.StageFlags) {
		r.setOffsets("vkCmdSetDescriptorBufferOffsets2EXT", p, i.Layout, i.FirstSet, abi.Slice(i.PBufferIndices, i.SetCount), abi.Slice(i.POffsets, i.SetCount))
	}
}

func (r *Recorder) setOffsets(op core.Op, point vk.PipelineBindPoint, layout abi.PipelineLayout, first uint32, buffers []uint32, offsets []uint64) {
	for n := range min(len(buffers), len(offsets), core.MaxDescriptorSets+1) {
		number := min(first, core.MaxDescriptorSets) + uint32(n)
		r.core.SetDescriptorBufferOffset(op, point, int(number), r.coreSet(layout, number), buffers[n], offsets[n])
	}
}

// CmdBindDescriptorBufferEmbeddedSamplersEXT is vkCmdBindDescriptorBufferEmbeddedSamplersEXT.
func (r *Recorder) CmdBindDescriptorBufferEmbeddedSamplersEXT(c *abi.CmdBindDescriptorBufferEmbeddedSamplersEXT) {
	r.embedded("vkCmdBindDescriptorBufferEmbeddedSamplersEXT", c.PipelineBindPoint, c.Layout, c.Set)
}

// CmdBindDescriptorBufferEmbeddedSamplers2EXT is vkCmdBindDescriptorBufferEmbeddedSamplers2EXT.
func (r *Recorder) CmdBindDescriptorBufferEmbeddedSamplers2EXT(c *abi.CmdBindDescriptorBufferEmbeddedSamplers2EXT) {
	i := c.PBindDescriptorBufferEmbeddedSamplersInfo
	for _, p := range bindPoints(i.StageFlags) {
		r.embedded("vkCmdBindDescriptorBufferEmbeddedSamplers2EXT", p, i.Layout, i.Set)
	}
}

func (r *Recorder) embedded(op core.Op, point vk.PipelineBindPoint, layout abi.PipelineLayout, set uint32) {
	r.core.BindEmbeddedSamplers(op, point, int(set), r.coreSet(layout, set))
}

// coreSet is setOf for package core.
func (r *Recorder) coreSet(layout abi.PipelineLayout, set uint32) *core.DescriptorSetLayout {
	if s := r.device.setOf(layout, set); s != nil {
		return s.core
	}
	return nil
}

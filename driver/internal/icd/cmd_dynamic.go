package icd

import (
	"math"
	"slices"
	"sync"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// Dynamic state. Most commands have words alone, or a list of them, and are carried out as package
// core's table says; those with pointers to structs, and those that stand for several states, have
// methods.

// stateCommands are the commands that need no method, by opcode.
var stateCommands = sync.OnceValue(func() *[abi.OpCount]*core.StateCommand {
	table := new([abi.OpCount]*core.StateCommand)
	for _, c := range core.StateCommands() {
		e := abi.FindEntryPoint(string(c.Command))
		if e != nil && !callRecorder((*Recorder)(nil), e.Op, nil) {
			table[e.Op] = &c
		}
	}
	return table
})

// stateList is the record of a command that sets elements of a state.
type stateList struct {
	abi.CommandHeader
	First, Count uint32
	Elements     *uint32
}

// setState carries out a command of stateCommands. More elements than there can be are as wrong as
// one too many.
func (r *Recorder) setState(c *core.StateCommand, record unsafe.Pointer) {
	if c.Limit == 0 {
		words := unsafe.Add(record, unsafe.Sizeof(abi.CommandHeader{}))
		r.core.SetState(c.State, unsafe.Slice((*uint32)(words), c.Words)...)
		return
	}
	list := (*stateList)(record)
	elements := abi.Slice(list.Elements, min(list.Count, uint32(c.Limit)+1)*uint32(c.Words))
	r.core.SetState(c.State, append([]uint32{list.First}, elements...)...)
}

// maxViewports bounds what vkCmdSetViewport may name.
const maxViewports = 16

// CmdSetViewport is vkCmdSetViewport. Package core takes all viewports at once;
// those that nothing has set yet are like the first that something has.
func (r *Recorder) CmdSetViewport(c *abi.CmdSetViewport) {
	if uint64(c.FirstViewport)+uint64(c.ViewportCount) > maxViewports || c.ViewportCount == 0 {
		r.misuse("vkCmdSetViewport", "vkCmdSetViewport-firstViewport-01223", "too many viewports")
		return
	}
	r.viewports = place(r.viewports, int(c.FirstViewport), abi.Slice(c.PViewports, c.ViewportCount))
	r.core.SetViewport(r.viewports)
}

// CmdSetScissor is vkCmdSetScissor.
func (r *Recorder) CmdSetScissor(c *abi.CmdSetScissor) {
	if uint64(c.FirstScissor)+uint64(c.ScissorCount) > maxViewports || c.ScissorCount == 0 {
		r.misuse("vkCmdSetScissor", "vkCmdSetScissor-firstScissor-00592", "too many scissors")
		return
	}
	r.scissors = place(r.scissors, int(c.FirstScissor), abi.Slice(c.PScissors, c.ScissorCount))
	r.core.SetScissor(r.scissors)
}

// place puts v at index first of list, which grows as needed.
func place[T any](list []T, first int, v []T) []T {
	for len(v) > 0 && len(list) < first+len(v) {
		list = append(list, v[0])
	}
	copy(list[min(first, len(list)):], v)
	return list
}

// CmdSetViewportWithCount is vkCmdSetViewportWithCount.
func (r *Recorder) CmdSetViewportWithCount(c *abi.CmdSetViewportWithCount) {
	list := abi.Slice(c.PViewports, min(c.ViewportCount, maxViewports+1))
	r.viewports = append(r.viewports[:0], list...)
	r.core.SetViewport(r.viewports)
}

// CmdSetScissorWithCount is vkCmdSetScissorWithCount.
func (r *Recorder) CmdSetScissorWithCount(c *abi.CmdSetScissorWithCount) {
	list := abi.Slice(c.PScissors, min(c.ScissorCount, maxViewports+1))
	r.scissors = append(r.scissors[:0], list...)
	r.core.SetScissor(r.scissors)
}

// CmdSetDepthBias is vkCmdSetDepthBias.
func (r *Recorder) CmdSetDepthBias(c *abi.CmdSetDepthBias) {
	r.depthBias(&abi.DepthBiasInfoEXT{
		DepthBiasConstantFactor: c.DepthBiasConstantFactor,
		DepthBiasClamp:          c.DepthBiasClamp, DepthBiasSlopeFactor: c.DepthBiasSlopeFactor,
	})
}

// CmdSetDepthBias2EXT is vkCmdSetDepthBias2EXT.
func (r *Recorder) CmdSetDepthBias2EXT(c *abi.CmdSetDepthBias2EXT) {
	if c.PDepthBiasInfo != nil {
		r.depthBias(c.PDepthBiasInfo)
	}
}

func (r *Recorder) depthBias(i *abi.DepthBiasInfoEXT) {
	// RAS-266
	unit, exact := vk.DepthBiasRepresentationLeastRepresentableValueFormatEXT, false
	if b := abi.Find[abi.DepthBiasRepresentationInfoEXT](i.PNext); b != nil {
		unit, exact = b.DepthBiasRepresentation, b.DepthBiasExact.True()
	}
	r.core.SetState(vk.DynamicStateDepthBias, math.Float32bits(i.DepthBiasConstantFactor),
		math.Float32bits(i.DepthBiasClamp), math.Float32bits(i.DepthBiasSlopeFactor),
		uint32(unit), core.Word(exact))
}

// CmdSetPrimitiveRestartIndexEXT is vkCmdSetPrimitiveRestartIndexEXT.
func (r *Recorder) CmdSetPrimitiveRestartIndexEXT(c *abi.CmdSetPrimitiveRestartIndexEXT) {
	r.core.SetPrimitiveRestartIndex(c.PrimitiveRestartIndex)
}

// CmdSetVertexInputEXT is vkCmdSetVertexInputEXT.
func (r *Recorder) CmdSetVertexInputEXT(c *abi.CmdSetVertexInputEXT) {
	var info vk.PipelineVertexInputStateCreateInfo
	var divisors []vk.VertexInputBindingDivisorDescription
	for _, b := range abi.Slice(c.PVertexBindingDescriptions, c.VertexBindingDescriptionCount) {
		info.VertexBindingDescriptions = append(info.VertexBindingDescriptions,
			vk.VertexInputBindingDescription{Binding: b.Binding, Stride: b.Stride, InputRate: b.InputRate})
		if b.Divisor != 1 && b.InputRate == vk.VertexInputRateInstance {
			d := vk.VertexInputBindingDivisorDescription{Binding: b.Binding, Divisor: b.Divisor}
			divisors = append(divisors, d)
		}
	}
	for _, a := range abi.Slice(c.PVertexAttributeDescriptions, c.VertexAttributeDescriptionCount) {
		info.VertexAttributeDescriptions = append(info.VertexAttributeDescriptions,
			vk.VertexInputAttributeDescription{Location: a.Location, Binding: a.Binding, Format: a.Format, Offset: a.Offset})
	}
	r.core.SetVertexInput(info, divisors)
}

// CmdSetSampleMaskEXT is vkCmdSetSampleMaskEXT. Without a mask it has all samples (RAS-024).
func (r *Recorder) CmdSetSampleMaskEXT(c *abi.CmdSetSampleMaskEXT) {
	mask := []uint32{math.MaxUint32, math.MaxUint32}
	if c.PSampleMask != nil {
		mask = slices.Clone(abi.Slice(c.PSampleMask, sampleMaskWords(c.Samples)))
	}
	r.core.SetState(vk.DynamicStateSampleMaskEXT, mask...)
}

// sampleMaskWords is how many words a mask of so many samples has.
func sampleMaskWords(n vk.SampleCountFlags) uint32 {
	return (min(max(uint32(n), 1), core.MaxSamples) + 31) / 32
}

// CmdSetColorWriteEnableEXT is vkCmdSetColorWriteEnableEXT.
func (r *Recorder) CmdSetColorWriteEnableEXT(c *abi.CmdSetColorWriteEnableEXT) {
	r.core.SetColorWriteEnable(each(c.PColorWriteEnables, c.AttachmentCount, truth))
}

func truth(b *abi.Bool32) bool { return b.True() }

// depthClampRange is nil where the viewports' ranges are clamped to.
func depthClampRange(mode vk.DepthClampModeEXT, r *abi.DepthClampRangeEXT) *[2]float32 {
	if mode != vk.DepthClampModeUserDefinedRangeEXT || r == nil {
		return nil
	}
	return &[2]float32{r.MinDepthClamp, r.MaxDepthClamp}
}

// CmdSetDepthClampRangeEXT is vkCmdSetDepthClampRangeEXT.
func (r *Recorder) CmdSetDepthClampRangeEXT(c *abi.CmdSetDepthClampRangeEXT) {
	var words [3]uint32
	if d := depthClampRange(c.DepthClampMode, c.PDepthClampRange); d != nil {
		words = [3]uint32{1, math.Float32bits(d[0]), math.Float32bits(d[1])}
	}
	r.core.SetState(vk.DynamicStateDepthClampRangeEXT, words[:]...)
}

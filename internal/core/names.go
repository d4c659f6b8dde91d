package core

import (
	"slices"
	"strings"
)

// An Op is an operation of a caller, for messages: Vulkan's command or, where Vulkan has none,
// words. Package core speaks Vulkan's language, in which its rules are written. A face that has
// another translates with the table below, and may give the name of the very call in place of an
// operation ("Pass.DrawRange").
type Op string

// sameNames are the methods of package pumice that do what Vulkan's commands of their names do.
var sameNames = [...]struct{ receiver, methods string }{
	{"CommandBuffer", "BeginRendering BindPipeline BlitImage ClearColorImage ClearDepthStencilImage" +
		" CopyBuffer CopyBufferToImage CopyImage CopyImageToBuffer Dispatch DispatchIndirect" +
		" FillBuffer PipelineBarrier PushConstants ResolveImage UpdateBuffer WriteTimestamp"},
	{"Pass", "BeginQuery BindIndexBuffer BindPipeline ClearAttachments Draw DrawIndexed" +
		" DrawIndexedIndirect DrawIndexedIndirectCount DrawIndirect DrawIndirectCount EndQuery" +
		" PushConstants SetBlendConstants SetCullMode SetDepthBias SetDepthBiasEnable" +
		" SetDepthBounds SetDepthBoundsTestEnable SetDepthCompareOp SetDepthTestEnable" +
		" SetDepthWriteEnable SetFrontFace SetLineWidth SetPrimitiveRestartEnable" +
		" SetPrimitiveTopology SetRasterizerDiscardEnable SetScissor SetStencilCompareMask" +
		" SetStencilOp SetStencilReference SetStencilTestEnable SetStencilWriteMask SetViewport"},
}

// otherNames are what package pumice calls otherwise: operations, and what hints speak of. The
// first of several for one operation is what it is told as.
var otherNames = [...]struct{ pumice, vulkan string }{
	{"Open", "vkCreateDevice"},
	{"Device.Close", "vkDestroyDevice"},
	{"Device.Submit", "vkQueueSubmit"},
	{"Queue.Submit", "vkQueueSubmit"},
	{"Fence.Wait", "vkWaitForFences"},
	{"Fence.Err", "vkGetFenceStatus"},
	{"Device.NewMemory", "vkAllocateMemory"},
	{"Memory.Close", "vkFreeMemory"},
	{"Device.NewBuffer", "vkCreateBuffer"},
	{"Device.NewBufferView", "vkCreateBufferView"},
	{"Buffer.DeviceAddress", "vkGetBufferDeviceAddress"},
	{"Buffer.Write", "write of a buffer"},
	{"Buffer.Read", "read of a buffer"},
	{"Buffer.Write", "vkMapMemory"},
	{"Device.NewImage", "vkCreateImage"},
	{"Image.NewView", "vkCreateImageView"},
	{"Image.Write", "write of an image"},
	{"Image.Read", "read of an image"},
	{"Device.NewSampler", "vkCreateSampler"},
	{"Device.NewShaderModule", "vkCreateShaderModule"},
	{"Device.NewGraphicsPipeline", "vkCreateGraphicsPipelines"},
	{"Device.NewComputePipeline", "vkCreateComputePipelines"},
	{"Device.NewPipelineLayout", "vkCreatePipelineLayout"},
	{"Device.NewDescriptorSetLayout", "vkCreateDescriptorSetLayout"},
	{"Device.NewDescriptorSet", "vkAllocateDescriptorSets"},
	{"DescriptorSet.Bind", "vkUpdateDescriptorSets"},
	{"Device.NewQueryPool", "vkCreateQueryPool"},
	{"QueryPool.Results", "vkGetQueryPoolResults"},
	{"Device.NewCommandBuffer", "vkAllocateCommandBuffers"},
	{"CommandBuffer.Reset", "vkResetCommandBuffer"},
	{"CommandBuffer.Err", "recording"},
	{"CommandBuffer.BindDescriptorSet", "vkCmdBindDescriptorSets"},
	{"CommandBuffer.GenerateMipmaps", "making of levels"},
	{"CommandBuffer.BeginLabel", "vkCmdBeginDebugUtilsLabelEXT"},
	{"CommandBuffer.EndLabel", "vkCmdEndDebugUtilsLabelEXT"},
	{"Pass.End", "vkCmdEndRendering"},
	{"Pass.BindDescriptorSet", "vkCmdBindDescriptorSets"},
	{"Pass.BindVertexBuffer", "vkCmdBindVertexBuffers"},
	{"Pass.BindVertexBufferStride", "vkCmdBindVertexBuffers2"},
	{"Pass.DrawRange", "vkCmdDraw"},
	{"Pass.DrawMeshTasks", "vkCmdDrawMeshTasksEXT"},
	{"Pass.SetPrimitiveRestartIndex", "vkCmdSetPrimitiveRestartIndexEXT"},
	{"Device.Explain", "explanation"},

	{"Device.Limits", "VkPhysicalDeviceLimits"},
	{"Device.Limits().LineWidthRange", "VkPhysicalDeviceLimits::lineWidthRange"},
	{"Device.FormatProperties", "vkGetPhysicalDeviceFormatProperties"},
	{"GraphicsPipelineDesc.Samples", "VkPipelineMultisampleStateCreateInfo::rasterizationSamples"},
	{"GraphicsPipelineDesc.ColorFormats", "VkPipelineRenderingCreateInfo::pColorAttachmentFormats"},
	{"GraphicsPipelineDesc.DepthFormat", "VkPipelineRenderingCreateInfo::depthAttachmentFormat"},
	{"GraphicsPipelineDesc.StencilFormat", "VkPipelineRenderingCreateInfo::stencilAttachmentFormat"},
	{"Config.MemoryLimit", "the limit of device memory"},
	{"Config.LoopBudget", "PUMICE_LOOP_BUDGET"},
}

// command is Vulkan's command for the operation. The rules that drawing commands share have one
// VUID each for every command.
func (op Op) command() string {
	if strings.HasPrefix(string(op), "vk") {
		return string(op)
	}
	for _, n := range otherNames {
		if n.pumice == string(op) {
			return n.vulkan
		}
	}
	return "vkCmd" + string(op[strings.LastIndexByte(string(op), '.')+1:])
}

// pumice is what package pumice calls the operation; Vulkan's commands that it does not have are
// told without "vkCmd".
func (op Op) pumice() string {
	var found []string
	bare := strings.TrimPrefix(string(op), "vkCmd")
	for _, n := range sameNames {
		if bare != string(op) && strings.Contains(" "+n.methods+" ", " "+bare+" ") {
			found = append(found, n.receiver+"."+bare)
		}
	}
	for _, n := range otherNames {
		if n.vulkan == string(op) {
			found = append(found, n.pumice)
		}
	}
	if len(found) == 0 {
		return strings.TrimPrefix(bare, "vk")
	}
	// Of both kinds of recorder: which one is not known here.
	method, ok := strings.CutPrefix(found[0], "CommandBuffer.")
	if ok && slices.Contains(found, "Pass."+method) {
		return method
	}
	return found[0]
}

// named is the operation as the device's face calls it. Objects that are nil have no device: only
// package pumice has such.
func (d *Device) named(op Op) string {
	if d != nil && d.cfg.Vulkan {
		return string(op)
	}
	return op.pumice()
}

// told is text as the device's face speaks, which calls some words of hints and details otherwise.
func (d *Device) told(text string) string {
	if d != nil && d.cfg.Vulkan {
		return text
	}
	var out strings.Builder
	for len(text) > 0 {
		n := spoken(text)
		if n > 0 {
			out.WriteString(Op(text[:n]).pumice())
		} else {
			n = max(wordLength(text), 1)
			out.WriteString(text[:n])
		}
		text = text[n:]
	}
	return out.String()
}

// spoken is how many bytes of a text that begins with a word are called otherwise by a face: a
// command, a type or its value, or one of two others.
func spoken(text string) int {
	for _, fixed := range [...]string{"PUMICE_LOOP_BUDGET", "the limit of device memory"} {
		if rest, ok := strings.CutPrefix(text, fixed); ok && wordLength(rest) == 0 {
			return len(fixed)
		}
	}
	n := wordLength(text)
	switch word := text[:n]; {
	case n > 2 && strings.HasPrefix(word, "vk") && word[2] >= 'A' && word[2] <= 'Z':
		return n
	case n > 2 && strings.HasPrefix(word, "Vk"):
		if value, ok := strings.CutPrefix(text[n:], "::"); ok && wordLength(value) > 0 {
			n += 2 + wordLength(value)
		}
		return n
	}
	return 0
}

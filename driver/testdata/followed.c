/* A frame as renderers make them: a shadow map, a lit pass that compares with it and reads a texture, levels
   made by blits, a pass over the whole picture that reads one of the levels, and a dispatch that writes a
   buffer. It presents frames to a headless surface; what is asked of them is told by captures.

   A quad over the left half of the shadow map has the depth 0.25, and what is lit has 0.5. So in the left
   half the lit pass has a quarter of the texture. */
#include "client.h"

enum { SIDE = 64, MAP = 16, TEXELS = 4, LEVELS = 3, FRAMES = 3 };

static VkCommandBuffer c;

static void barrier(VkImage image, VkImageAspectFlags aspect, uint32_t level, uint32_t levels, VkImageLayout old, VkImageLayout new) {
	VkImageMemoryBarrier b = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
				  .srcAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
				  .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
				  .oldLayout = old,
				  .newLayout = new,
				  .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
				  .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
				  .image = image,
				  .subresourceRange = {aspect, level, levels, 0, 1}};
	vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &b);
}

static VkPipeline new_pipeline(VkPipelineLayout layout, const char *vertex, const char *fragment, VkFormat color, VkFormat depth) {
	VkShaderModule modules[] = {load_shader(vertex), fragment ? load_shader(fragment) : VK_NULL_HANDLE};
	VkPipelineShaderStageCreateInfo stages[2];
	for (int i = 0; i < 2; i++)
		stages[i] = (VkPipelineShaderStageCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
							      .stage = i ? VK_SHADER_STAGE_FRAGMENT_BIT : VK_SHADER_STAGE_VERTEX_BIT,
							      .module = modules[i],
							      .pName = "main"};
	VkPipelineColorBlendAttachmentState write = {.colorWriteMask = 0xf};
	VkDynamicState states[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
	VkPipelineRenderingCreateInfo rendering = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
						   .colorAttachmentCount = color != VK_FORMAT_UNDEFINED,
						   .pColorAttachmentFormats = &color,
						   .depthAttachmentFormat = depth};
	VkPipeline p;
	CHECK(vkCreateGraphicsPipelines(
		device, VK_NULL_HANDLE, 1,
		&(VkGraphicsPipelineCreateInfo){
			.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
			.pNext = &rendering,
			.stageCount = fragment ? 2 : 1,
			.pStages = stages,
			.pVertexInputState =
				&(VkPipelineVertexInputStateCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO},
			.pInputAssemblyState =
				&(VkPipelineInputAssemblyStateCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
									  .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST},
			.pViewportState = &(VkPipelineViewportStateCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
									       .viewportCount = 1,
									       .scissorCount = 1},
			.pRasterizationState =
				&(VkPipelineRasterizationStateCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
									  .lineWidth = 1},
			.pMultisampleState =
				&(VkPipelineMultisampleStateCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
									.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT},
			.pDepthStencilState =
				&(VkPipelineDepthStencilStateCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
									 .depthTestEnable = depth != VK_FORMAT_UNDEFINED,
									 .depthWriteEnable = depth != VK_FORMAT_UNDEFINED,
									 .depthCompareOp = VK_COMPARE_OP_LESS},
			.pColorBlendState =
				&(VkPipelineColorBlendStateCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
								       .attachmentCount = color != VK_FORMAT_UNDEFINED,
								       .pAttachments = &write},
			.pDynamicState = &(VkPipelineDynamicStateCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
									     .dynamicStateCount = 2,
									     .pDynamicStates = states},
			.layout = layout},
		NULL, &p));
	return p;
}

/* draw records a pass of one draw. */
static void draw(VkPipeline pipeline, VkPipelineLayout layout, VkDescriptorSet set, VkImageView color, VkImageView depth, uint32_t side,
		 uint32_t vertices) {
	VkRenderingAttachmentInfo target = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
					    .imageView = color ? color : depth,
					    .imageLayout = color ? VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL
								 : VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
					    .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
					    .storeOp = VK_ATTACHMENT_STORE_OP_STORE};
	if (!color)
		target.clearValue.depthStencil.depth = 1;
	vkCmdBeginRendering(c, &(VkRenderingInfo){.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
						  .renderArea = {{0, 0}, {side, side}},
						  .layerCount = 1,
						  .colorAttachmentCount = color != VK_NULL_HANDLE,
						  .pColorAttachments = &target,
						  .pDepthAttachment = color ? NULL : &target});
	vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
	vkCmdSetViewport(c, 0, 1, &(VkViewport){0, 0, side, side, 0, 1});
	vkCmdSetScissor(c, 0, 1, &(VkRect2D){{0, 0}, {side, side}});
	vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &set, 0, NULL);
	vkCmdDraw(c, vertices, 1, 0, 0);
	vkCmdEndRendering(c);
}

static VkSampler new_sampler(VkBool32 compare) {
	VkSampler s;
	CHECK(vkCreateSampler(device,
			      &(VkSamplerCreateInfo){.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
						     .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
						     .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
						     .addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
						     .compareEnable = compare,
						     .compareOp = VK_COMPARE_OP_LESS_OR_EQUAL,
						     .maxLod = VK_LOD_CLAMP_NONE},
			      NULL, &s));
	return s;
}

int main(int argc, char **argv) {
	folder = argc > 1 ? argv[1] : ".";
	const char *surfaces[] = {VK_KHR_SURFACE_EXTENSION_NAME, VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME};
	VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
	CHECK(vkCreateInstance(&(VkInstanceCreateInfo){.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
						       .pApplicationInfo = &app,
						       .enabledExtensionCount = COUNT(surfaces),
						       .ppEnabledExtensionNames = surfaces},
			       NULL, &instance));
	uint32_t one = 1;
	if (vkEnumeratePhysicalDevices(instance, &one, &physical) < 0 || one != 1) {
		fprintf(stderr, "no device\n");
		return 1;
	}
	VkPhysicalDeviceVulkan13Features features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, .dynamicRendering = VK_TRUE};
	const char *extensions[] = {VK_KHR_SWAPCHAIN_EXTENSION_NAME};
	open_device(&features, 1, extensions, 1);
	VkQueue queue;
	vkGetDeviceQueue(device, 0, 0, &queue);

	VkSurfaceKHR surface;
	PFN_vkCreateHeadlessSurfaceEXT headless =
		(PFN_vkCreateHeadlessSurfaceEXT)vkGetInstanceProcAddr(instance, "vkCreateHeadlessSurfaceEXT");
	CHECK(headless(instance, &(VkHeadlessSurfaceCreateInfoEXT){.sType = VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT}, NULL,
		       &surface));
	VkBool32 shows;
	CHECK(vkGetPhysicalDeviceSurfaceSupportKHR(physical, 0, surface, &shows));
	VkSwapchainKHR chain;
	CHECK(vkCreateSwapchainKHR(device,
				   &(VkSwapchainCreateInfoKHR){.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
							       .surface = surface,
							       .minImageCount = 2,
							       .imageFormat = VK_FORMAT_B8G8R8A8_UNORM,
							       .imageExtent = {SIDE, SIDE},
							       .imageArrayLayers = 1,
							       .imageUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
							       .preTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
							       .compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
							       .presentMode = VK_PRESENT_MODE_FIFO_KHR},
				   NULL, &chain));
	VkImage pictures[8];
	VkImageView views[8];
	uint32_t count = COUNT(pictures);
	CHECK(vkGetSwapchainImagesKHR(device, chain, &count, pictures));
	for (uint32_t i = 0; i < count; i++)
		CHECK(vkCreateImageView(device,
					&(VkImageViewCreateInfo){.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
								 .image = pictures[i],
								 .viewType = VK_IMAGE_VIEW_TYPE_2D,
								 .format = VK_FORMAT_B8G8R8A8_UNORM,
								 .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}},
					NULL, &views[i]));

	uint8_t texels[TEXELS * TEXELS][4];
	for (int i = 0; i < TEXELS * TEXELS; i++) /* R 200, G 16 x, B 16 y */
		memcpy(texels[i], (uint8_t[]){200, 16 * (i % TEXELS), 16 * (i / TEXELS), 255}, 4);
	struct buffer staging = new_buffer(sizeof texels, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, texels);
	struct buffer counts = new_buffer(64 * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
	vkDestroyBuffer(device, counts.handle, NULL); /* of one queue family */
	CHECK(vkCreateBuffer(device,
			     &(VkBufferCreateInfo){.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
						   .size = 64 * 4,
						   .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT},
			     NULL, &counts.handle));
	CHECK(vkBindBufferMemory(device, counts.handle, counts.memory, 0));
	struct image albedo = new_image(VK_FORMAT_R8G8B8A8_UNORM, TEXELS, TEXELS, VK_SAMPLE_COUNT_1_BIT,
					VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT, VK_IMAGE_ASPECT_COLOR_BIT);
	struct image map = new_image(VK_FORMAT_D32_SFLOAT, MAP, MAP, VK_SAMPLE_COUNT_1_BIT,
				     VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT, VK_IMAGE_ASPECT_DEPTH_BIT);
	struct image lit = new_levels(VK_FORMAT_R8G8B8A8_UNORM, SIDE, SIDE, LEVELS, VK_SAMPLE_COUNT_1_BIT,
				      VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
					      VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT,
				      VK_IMAGE_ASPECT_COLOR_BIT);
	VkImageView base;
	CHECK(vkCreateImageView(device,
				&(VkImageViewCreateInfo){.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
							 .image = lit.handle,
							 .viewType = VK_IMAGE_VIEW_TYPE_2D,
							 .format = VK_FORMAT_R8G8B8A8_UNORM,
							 .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}},
				NULL, &base));

	const VkDescriptorType sampled = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
	VkDescriptorSetLayoutBinding bindings[] = {{0, sampled, 1, VK_SHADER_STAGE_FRAGMENT_BIT, NULL},
						   {1, sampled, 1, VK_SHADER_STAGE_FRAGMENT_BIT, NULL},
						   {2, sampled, 1, VK_SHADER_STAGE_FRAGMENT_BIT, NULL},
						   {3, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL}};
	VkDescriptorSetLayout set_layout;
	CHECK(vkCreateDescriptorSetLayout(device,
					  &(VkDescriptorSetLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
									     .bindingCount = COUNT(bindings),
									     .pBindings = bindings},
					  NULL, &set_layout));
	VkPushConstantRange constants = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 4};
	VkPipelineLayout layout;
	CHECK(vkCreatePipelineLayout(device,
				     &(VkPipelineLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
								   .setLayoutCount = 1,
								   .pSetLayouts = &set_layout,
								   .pushConstantRangeCount = 1,
								   .pPushConstantRanges = &constants},
				     NULL, &layout));
	VkDescriptorPoolSize sizes[] = {{sampled, 3}, {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1}};
	VkDescriptorPool descriptors;
	CHECK(vkCreateDescriptorPool(device,
				     &(VkDescriptorPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
								   .maxSets = 1,
								   .poolSizeCount = COUNT(sizes),
								   .pPoolSizes = sizes},
				     NULL, &descriptors));
	VkDescriptorSet set;
	CHECK(vkAllocateDescriptorSets(device,
				       &(VkDescriptorSetAllocateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
								      .descriptorPool = descriptors,
								      .descriptorSetCount = 1,
								      .pSetLayouts = &set_layout},
				       &set));
	const VkImageLayout readable = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
	VkDescriptorImageInfo images[] = {{new_sampler(VK_FALSE), albedo.view, readable},
					  {new_sampler(VK_TRUE), map.view, readable},
					  {new_sampler(VK_FALSE), lit.view, readable}};
	VkDescriptorBufferInfo counted = {counts.handle, 0, VK_WHOLE_SIZE};
	VkWriteDescriptorSet writes[4];
	for (uint32_t i = 0; i < COUNT(writes); i++)
		writes[i] = (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
						   .dstSet = set,
						   .dstBinding = i,
						   .descriptorCount = 1,
						   .descriptorType = bindings[i].descriptorType,
						   .pImageInfo = &images[i < 3 ? i : 0],
						   .pBufferInfo = &counted};
	vkUpdateDescriptorSets(device, COUNT(writes), writes, 0, NULL);
	VkPipeline shadow = new_pipeline(layout, "followed.vert", NULL, VK_FORMAT_UNDEFINED, VK_FORMAT_D32_SFLOAT),
		   light = new_pipeline(layout, "whole.vert", "lit.frag", VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED),
		   post = new_pipeline(layout, "whole.vert", "post.frag", VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_UNDEFINED),
		   count_up = new_compute_pipeline(layout, "followed.comp");

	VkSemaphore acquired, drawn;
	CHECK(vkCreateSemaphore(device, &(VkSemaphoreCreateInfo){.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO}, NULL, &acquired));
	CHECK(vkCreateSemaphore(device, &(VkSemaphoreCreateInfo){.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO}, NULL, &drawn));
	VkCommandPool pool = new_pool(0);
	for (uint32_t frame = 1; frame <= FRAMES; frame++) {
		uint32_t at;
		CHECK(vkAcquireNextImageKHR(device, chain, UINT64_MAX, acquired, VK_NULL_HANDLE, &at));
		c = new_commands(pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
		CHECK(vkBeginCommandBuffer(c, &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO}));
		const VkImageLayout undefined = VK_IMAGE_LAYOUT_UNDEFINED, from = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
				    to = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, drawing = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
		const VkImageAspectFlags color = VK_IMAGE_ASPECT_COLOR_BIT, depth = VK_IMAGE_ASPECT_DEPTH_BIT;
		if (frame == 1) {
			barrier(albedo.handle, color, 0, 1, undefined, to);
			vkCmdCopyBufferToImage(c, staging.handle, albedo.handle, to, 1,
					       &(VkBufferImageCopy){.imageSubresource = {color, 0, 0, 1}, .imageExtent = {TEXELS, TEXELS, 1}});
			barrier(albedo.handle, color, 0, 1, to, readable);
		}
		barrier(map.handle, depth, 0, 1, undefined, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL);
		draw(shadow, layout, set, VK_NULL_HANDLE, map.view, MAP, 6);
		barrier(map.handle, depth, 0, 1, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL, readable);
		barrier(lit.handle, color, 0, 1, undefined, drawing);
		draw(light, layout, set, base, VK_NULL_HANDLE, SIDE, 3);
		barrier(lit.handle, color, 0, 1, drawing, from);
		for (int32_t level = 1; level < LEVELS; level++) {
			barrier(lit.handle, color, level, 1, undefined, to);
			VkImageBlit region = {.srcSubresource = {color, level - 1, 0, 1},
					      .srcOffsets = {{0, 0, 0}, {SIDE >> (level - 1), SIDE >> (level - 1), 1}},
					      .dstSubresource = {color, level, 0, 1},
					      .dstOffsets = {{0, 0, 0}, {SIDE >> level, SIDE >> level, 1}}};
			vkCmdBlitImage(c, lit.handle, from, lit.handle, to, 1, &region, VK_FILTER_LINEAR);
			barrier(lit.handle, color, level, 1, to, from);
		}
		barrier(lit.handle, color, 0, LEVELS, from, readable);
		barrier(pictures[at], color, 0, 1, undefined, drawing);
		draw(post, layout, set, views[at], VK_NULL_HANDLE, SIDE, 3);
		barrier(pictures[at], color, 0, 1, drawing, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
		vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, count_up);
		vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, NULL);
		vkCmdPushConstants(c, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &frame);
		vkCmdDispatch(c, 4, 1, 1);
		CHECK(vkEndCommandBuffer(c));
		VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
		CHECK(vkQueueSubmit(queue, 1,
				    &(VkSubmitInfo){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
						    .waitSemaphoreCount = 1,
						    .pWaitSemaphores = &acquired,
						    .pWaitDstStageMask = &stage,
						    .commandBufferCount = 1,
						    .pCommandBuffers = &c,
						    .signalSemaphoreCount = 1,
						    .pSignalSemaphores = &drawn},
				    VK_NULL_HANDLE));
		CHECK(vkQueuePresentKHR(queue, &(VkPresentInfoKHR){.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
								   .waitSemaphoreCount = 1,
								   .pWaitSemaphores = &drawn,
								   .swapchainCount = 1,
								   .pSwapchains = &chain,
								   .pImageIndices = &at}));
		CHECK(vkQueueWaitIdle(queue));
	}
	const uint32_t *words = counts.mapped;
	for (uint32_t i = 0; i < 64; i++)
		if (words[i] != FRAMES * 100 + i * i)
			fail("word %u is %u, want %u", i, words[i], FRAMES * 100 + i * i);
	printf("%u frames\n", FRAMES);
	return failures ? 1 : 0;
}

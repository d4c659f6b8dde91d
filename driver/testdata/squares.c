/* Compute writes vertices on a queue of its own, graphics draws them with dynamic
   rendering from secondary command buffers. A timeline semaphore orders the two,
   although graphics is submitted first. */
#include "client.h"

enum { SIDE = 64, VERTICES = 64 * 6, VERTEX = 32 };

static PFN_vkCmdBeginRenderingKHR beginRendering;
static PFN_vkCmdEndRenderingKHR endRendering;
static PFN_vkWaitSemaphoresKHR waitSemaphores;
static PFN_vkSignalSemaphoreKHR signalSemaphore;
static PFN_vkGetSemaphoreCounterValueKHR getSemaphoreCounterValue;

static VkPipeline new_graphics_pipeline(VkPipelineLayout layout) {
	VkShaderModule vertex = load_shader("squares.vert"), fragment = load_shader("squares.frag");
	VkPipelineShaderStageCreateInfo stages[] = {{.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
						     .stage = VK_SHADER_STAGE_VERTEX_BIT,
						     .module = vertex,
						     .pName = "main"},
						    {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
						     .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
						     .module = fragment,
						     .pName = "main"}};
	VkVertexInputBindingDescription binding = {0, VERTEX, VK_VERTEX_INPUT_RATE_VERTEX};
	VkVertexInputAttributeDescription attributes[] = {{0, 0, VK_FORMAT_R32G32_SFLOAT, 0}, {1, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 16}};
	VkPipelineVertexInputStateCreateInfo input = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
						      .vertexBindingDescriptionCount = 1,
						      .pVertexBindingDescriptions = &binding,
						      .vertexAttributeDescriptionCount = 2,
						      .pVertexAttributeDescriptions = attributes};
	VkPipelineInputAssemblyStateCreateInfo assembly = {.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
							   .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
	VkPipelineViewportStateCreateInfo view = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO, .viewportCount = 1, .scissorCount = 1};
	VkPipelineRasterizationStateCreateInfo raster = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
							 .lineWidth = 1};
	VkPipelineMultisampleStateCreateInfo samples = {.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
							.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
	VkPipelineColorBlendAttachmentState add = {.blendEnable = VK_TRUE,
						   .srcColorBlendFactor = VK_BLEND_FACTOR_ONE,
						   .dstColorBlendFactor = VK_BLEND_FACTOR_ONE,
						   .srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
						   .colorWriteMask = 0xf};
	VkPipelineColorBlendStateCreateInfo blend = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO, .attachmentCount = 1, .pAttachments = &add};
	VkDynamicState states[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
	VkPipelineDynamicStateCreateInfo dynamic = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO, .dynamicStateCount = 2, .pDynamicStates = states};
	VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
	VkPipelineRenderingCreateInfoKHR rendering = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO_KHR,
						      .colorAttachmentCount = 1,
						      .pColorAttachmentFormats = &format};
	VkPipeline p;
	CHECK(vkCreateGraphicsPipelines(device, VK_NULL_HANDLE, 1,
					&(VkGraphicsPipelineCreateInfo){.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
									.pNext = &rendering,
									.stageCount = 2,
									.pStages = stages,
									.pVertexInputState = &input,
									.pInputAssemblyState = &assembly,
									.pViewportState = &view,
									.pRasterizationState = &raster,
									.pMultisampleState = &samples,
									.pColorBlendState = &blend,
									.pDynamicState = &dynamic,
									.layout = layout},
					NULL, &p));
	vkDestroyShaderModule(device, vertex, NULL);
	vkDestroyShaderModule(device, fragment, NULL);
	return p;
}

/* draw_squares records a secondary command buffer that draws some of the squares. */
static VkCommandBuffer draw_squares(VkCommandPool pool, VkPipeline pipeline, VkBuffer vertices, uint32_t first, uint32_t count) {
	VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
	VkCommandBufferInheritanceRenderingInfoKHR rendering = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO_KHR,
		.colorAttachmentCount = 1,
		.pColorAttachmentFormats = &format,
		.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
	VkCommandBufferInheritanceInfo inherit = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO, .pNext = &rendering};
	VkCommandBuffer c = new_commands(pool, VK_COMMAND_BUFFER_LEVEL_SECONDARY);
	CHECK(vkBeginCommandBuffer(c, &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
								  .flags = VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT,
								  .pInheritanceInfo = &inherit}));
	vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
	vkCmdSetViewport(c, 0, 1, &(VkViewport){0, 0, SIDE, SIDE, 0, 1});
	vkCmdSetScissor(c, 0, 1, &(VkRect2D){{0, 0}, {SIDE, SIDE}});
	vkCmdBindVertexBuffers(c, 0, 1, &vertices, &(VkDeviceSize){0});
	vkCmdDraw(c, count * 6, 1, first * 6, 0);
	CHECK(vkEndCommandBuffer(c));
	return c;
}

static void submit(VkQueue queue, VkCommandBuffer c, VkSemaphore timeline, uint64_t wait, VkPipelineStageFlags stage, uint64_t signal) {
	VkTimelineSemaphoreSubmitInfoKHR values = {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO_KHR,
						   .waitSemaphoreValueCount = 1,
						   .pWaitSemaphoreValues = &wait,
						   .signalSemaphoreValueCount = 1,
						   .pSignalSemaphoreValues = &signal};
	CHECK(vkQueueSubmit(queue, 1,
			    &(VkSubmitInfo){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
					    .pNext = &values,
					    .waitSemaphoreCount = 1,
					    .pWaitSemaphores = &timeline,
					    .pWaitDstStageMask = &stage,
					    .commandBufferCount = 1,
					    .pCommandBuffers = &c,
					    .signalSemaphoreCount = 1,
					    .pSignalSemaphores = &timeline},
			    VK_NULL_HANDLE));
}

int main(int argc, char **argv) {
	open_instance(argc, argv, VK_API_VERSION_1_1);
	VkPhysicalDeviceTimelineSemaphoreFeaturesKHR timelines = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES_KHR,
								  .timelineSemaphore = VK_TRUE};
	VkPhysicalDeviceDynamicRenderingFeaturesKHR rendering = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES_KHR,
								 .pNext = &timelines,
								 .dynamicRendering = VK_TRUE};
	const char *extensions[] = {VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME, VK_KHR_CREATE_RENDERPASS_2_EXTENSION_NAME,
				    VK_KHR_DEPTH_STENCIL_RESOLVE_EXTENSION_NAME, VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME};
	open_device(&rendering, 2, extensions, COUNT(extensions));
	beginRendering = (PFN_vkCmdBeginRenderingKHR)vkGetDeviceProcAddr(device, "vkCmdBeginRenderingKHR");
	endRendering = (PFN_vkCmdEndRenderingKHR)vkGetDeviceProcAddr(device, "vkCmdEndRenderingKHR");
	waitSemaphores = (PFN_vkWaitSemaphoresKHR)vkGetDeviceProcAddr(device, "vkWaitSemaphoresKHR");
	signalSemaphore = (PFN_vkSignalSemaphoreKHR)vkGetDeviceProcAddr(device, "vkSignalSemaphoreKHR");
	getSemaphoreCounterValue =
		(PFN_vkGetSemaphoreCounterValueKHR)vkGetDeviceProcAddr(device, "vkGetSemaphoreCounterValueKHR");
	VkQueue graphics, compute;
	vkGetDeviceQueue(device, 0, 0, &graphics);
	vkGetDeviceQueue(device, 1, 0, &compute);

	struct buffer vertices =
		new_buffer(VERTICES * VERTEX, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, NULL);
	struct buffer result = new_buffer(SIDE * SIDE * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
	struct image target = new_image(VK_FORMAT_R8G8B8A8_UNORM, SIDE, SIDE, VK_SAMPLE_COUNT_1_BIT,
					VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
					VK_IMAGE_ASPECT_COLOR_BIT);

	VkDescriptorSetLayoutBinding binding = {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL};
	VkDescriptorSetLayout set_layout;
	CHECK(vkCreateDescriptorSetLayout(device,
					  &(VkDescriptorSetLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
									     .bindingCount = 1,
									     .pBindings = &binding},
					  NULL, &set_layout));
	VkPipelineLayout compute_layout, graphics_layout;
	CHECK(vkCreatePipelineLayout(device,
				     &(VkPipelineLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
								   .setLayoutCount = 1,
								   .pSetLayouts = &set_layout},
				     NULL, &compute_layout));
	CHECK(vkCreatePipelineLayout(device, &(VkPipelineLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO}, NULL,
				     &graphics_layout));
	VkPipeline fill = new_compute_pipeline(compute_layout, "squares.comp"), draw = new_graphics_pipeline(graphics_layout);
	VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1};
	VkDescriptorPool descriptors;
	CHECK(vkCreateDescriptorPool(
		device,
		&(VkDescriptorPoolCreateInfo){
			.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 1, .pPoolSizes = &size},
		NULL, &descriptors));
	VkDescriptorSet set;
	CHECK(vkAllocateDescriptorSets(device,
				       &(VkDescriptorSetAllocateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
								      .descriptorPool = descriptors,
								      .descriptorSetCount = 1,
								      .pSetLayouts = &set_layout},
				       &set));
	vkUpdateDescriptorSets(device, 1,
			       &(VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
						       .dstSet = set,
						       .descriptorCount = 1,
						       .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
						       .pBufferInfo = &(VkDescriptorBufferInfo){vertices.handle, 0, VK_WHOLE_SIZE}},
			       0, NULL);

	VkCommandPool compute_pool = new_pool(1), graphics_pool = new_pool(0);
	VkCommandBuffer c = new_commands(compute_pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
	CHECK(vkBeginCommandBuffer(c, &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO}));
	vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, fill);
	vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, compute_layout, 0, 1, &set, 0, NULL);
	vkCmdDispatch(c, 1, 1, 1);
	CHECK(vkEndCommandBuffer(c));

	VkCommandBuffer squares[] = {draw_squares(graphics_pool, draw, vertices.handle, 0, 32),
				     draw_squares(graphics_pool, draw, vertices.handle, 32, 32),
				     draw_squares(graphics_pool, draw, vertices.handle, 9, 1)}; /* one of them twice */
	VkCommandBuffer g = new_commands(graphics_pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
	CHECK(vkBeginCommandBuffer(g, &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO}));
	image_barrier(g, target.handle, VK_IMAGE_ASPECT_COLOR_BIT, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, 0, VK_IMAGE_LAYOUT_UNDEFINED,
		      VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
		      VK_ACCESS_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
		      VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
	VkRenderingAttachmentInfoKHR attachment = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO_KHR,
						   .imageView = target.view,
						   .imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
						   .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
						   .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
						   .clearValue = {.color = {.float32 = {0.2f, 0, 0, 0}}}};
	beginRendering(g, &(VkRenderingInfoKHR){.sType = VK_STRUCTURE_TYPE_RENDERING_INFO_KHR,
						.flags = VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT_KHR,
						.renderArea = {{0, 0}, {SIDE, SIDE}},
						.layerCount = 1,
						.colorAttachmentCount = 1,
						.pColorAttachments = &attachment});
	vkCmdExecuteCommands(g, COUNT(squares), squares);
	endRendering(g);
	image_barrier(g, target.handle, VK_IMAGE_ASPECT_COLOR_BIT, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
		      VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, VK_PIPELINE_STAGE_TRANSFER_BIT,
		      VK_ACCESS_TRANSFER_READ_BIT, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
	read_back(g, target.handle, SIDE, SIDE, result);
	CHECK(vkEndCommandBuffer(g));

	VkSemaphoreTypeCreateInfoKHR type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO_KHR,
					     .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE_KHR,
					     .initialValue = 5};
	VkSemaphore timeline;
	CHECK(vkCreateSemaphore(device, &(VkSemaphoreCreateInfo){.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type}, NULL,
				&timeline));
	submit(graphics, g, timeline, 7, VK_PIPELINE_STAGE_VERTEX_INPUT_BIT, 8);
	submit(compute, c, timeline, 6, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 7);
	uint64_t value = 0, last = 8;
	VkSemaphoreWaitInfoKHR wait = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO_KHR, .semaphoreCount = 1, .pSemaphores = &timeline, .pValues = &last};
	if (waitSemaphores(device, &wait, 20000000) != VK_TIMEOUT)
		fail("work began before the host's signal");
	CHECK(getSemaphoreCounterValue(device, timeline, &value));
	if (value != 5)
		fail("the semaphore has the value %" PRIu64 ", want 5", value);
	CHECK(signalSemaphore(device,
			      &(VkSemaphoreSignalInfoKHR){
				      .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO_KHR, .semaphore = timeline, .value = 6}));
	CHECK(waitSemaphores(device, &wait, UINT64_MAX));
	CHECK(getSemaphoreCounterValue(device, timeline, &value));
	if (value != 8)
		fail("the semaphore has the value %" PRIu64 ", want 8", value);

	const uint8_t *p = result.mapped;
	for (uint32_t y = 0; y < SIDE; y++)
		for (uint32_t x = 0; x < SIDE; x++) {
			uint32_t cx = x / 8, cy = y / 8, times = cx == 1 && cy == 1 ? 2 : 1;
			uint32_t r = 51 + (cx * 255 * 2 + 7) / 14 * times, green = (cy * 255 * 2 + 7) / 14 * times,
				 b = ((cx + cy) & 1) * 255 * times;
			const uint8_t *q = p + (y * SIDE + x) * 4;
			uint32_t near = abs(q[0] - (int)(r > 255 ? 255 : r)) <= 1 && abs(q[1] - (int)green) <= 1;
			if ((!near || q[2] != b || q[3] != 255) && failures < 5)
				fail("texel %u,%u is %d %d %d %d, want %u %u %u 255", x, y, q[0], q[1], q[2], q[3], r, green, b);
		}
	printf("%08" PRIx32 "\n", checksum(p, SIDE * SIDE * 4));

	CHECK(vkDeviceWaitIdle(device));
	vkDestroySemaphore(device, timeline, NULL);
	vkDestroyCommandPool(device, compute_pool, NULL);
	vkDestroyCommandPool(device, graphics_pool, NULL);
	vkDestroyDescriptorPool(device, descriptors, NULL);
	vkDestroyPipeline(device, fill, NULL);
	vkDestroyPipeline(device, draw, NULL);
	vkDestroyPipelineLayout(device, compute_layout, NULL);
	vkDestroyPipelineLayout(device, graphics_layout, NULL);
	vkDestroyDescriptorSetLayout(device, set_layout, NULL);
	free_image(target);
	free_buffer(vertices), free_buffer(result);
	return close_all();
}

/* A render pass with 4 samples a pixel, depth and a texture, resolved, copied to a
   buffer and compared texel by texel. */
#include "client.h"

enum { SIDE = 64 };

static const uint8_t quarters[] = {255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 255, 255};

/* Positions in pixels: all of the image; its left part, to the middle of a column;
   a triangle whose edges lie at no pixel's corner. */
static const float positions[][2] = {{0, 0},     {SIDE, 0},     {0, SIDE},     {SIDE, SIDE}, {0, 0},     {16.5f, 0},
				     {0, SIDE}, {16.5f, SIDE}, {40.3f, 9.7f}, {58.1f, 50.9f}, {21.7f, 55.2f}};
static const uint16_t indices[] = {0, 1, 2, 2, 1, 3, 4, 5, 6, 6, 5, 7, 8, 9, 10};

struct push {
	float color[4], depth;
};

static VkRenderPass new_render_pass(void) {
	VkAttachmentDescription attachments[] = {
		{.format = VK_FORMAT_R8G8B8A8_UNORM,
		 .samples = VK_SAMPLE_COUNT_4_BIT,
		 .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
		 .storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
		 .finalLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL},
		{.format = VK_FORMAT_D32_SFLOAT,
		 .samples = VK_SAMPLE_COUNT_4_BIT,
		 .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
		 .storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
		 .finalLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL},
		{.format = VK_FORMAT_R8G8B8A8_UNORM,
		 .samples = VK_SAMPLE_COUNT_1_BIT,
		 .loadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
		 .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
		 .finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL},
	};
	VkAttachmentReference color = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL},
			      depth = {1, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL},
			      resolve = {2, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
	VkSubpassDescription subpass = {.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
					.colorAttachmentCount = 1,
					.pColorAttachments = &color,
					.pResolveAttachments = &resolve,
					.pDepthStencilAttachment = &depth};
	VkSubpassDependency after = {.srcSubpass = 0,
				     .dstSubpass = VK_SUBPASS_EXTERNAL,
				     .srcStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
				     .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
				     .dstStageMask = VK_PIPELINE_STAGE_TRANSFER_BIT,
				     .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT};
	VkRenderPass p;
	CHECK(vkCreateRenderPass(device,
				 &(VkRenderPassCreateInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
							   .attachmentCount = COUNT(attachments),
							   .pAttachments = attachments,
							   .subpassCount = 1,
							   .pSubpasses = &subpass,
							   .dependencyCount = 1,
							   .pDependencies = &after},
				 NULL, &p));
	return p;
}

static VkPipeline new_pipeline(VkPipelineLayout layout, VkRenderPass pass) {
	VkShaderModule vertex = load_shader("triangle.vert"), fragment = load_shader("triangle.frag");
	VkPipelineShaderStageCreateInfo stages[] = {{.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
						     .stage = VK_SHADER_STAGE_VERTEX_BIT,
						     .module = vertex,
						     .pName = "main"},
						    {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
						     .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
						     .module = fragment,
						     .pName = "main"}};
	VkVertexInputBindingDescription binding = {0, sizeof *positions, VK_VERTEX_INPUT_RATE_VERTEX};
	VkVertexInputAttributeDescription attribute = {0, 0, VK_FORMAT_R32G32_SFLOAT, 0};
	VkPipelineVertexInputStateCreateInfo input = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
						      .vertexBindingDescriptionCount = 1,
						      .pVertexBindingDescriptions = &binding,
						      .vertexAttributeDescriptionCount = 1,
						      .pVertexAttributeDescriptions = &attribute};
	VkPipelineInputAssemblyStateCreateInfo assembly = {.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
							   .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
	VkViewport viewport = {0, 0, SIDE, SIDE, 0, 1};
	VkRect2D scissor = {{0, 0}, {SIDE, SIDE}};
	VkPipelineViewportStateCreateInfo view = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
						  .viewportCount = 1,
						  .pViewports = &viewport,
						  .scissorCount = 1,
						  .pScissors = &scissor};
	VkPipelineRasterizationStateCreateInfo raster = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
							 .lineWidth = 1};
	VkPipelineMultisampleStateCreateInfo samples = {.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
							.rasterizationSamples = VK_SAMPLE_COUNT_4_BIT};
	VkPipelineDepthStencilStateCreateInfo depth = {.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
						       .depthTestEnable = VK_TRUE,
						       .depthWriteEnable = VK_TRUE,
						       .depthCompareOp = VK_COMPARE_OP_LESS};
	VkPipelineColorBlendAttachmentState opaque = {.colorWriteMask = 0xf};
	VkPipelineColorBlendStateCreateInfo blend = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO, .attachmentCount = 1, .pAttachments = &opaque};
	VkPipeline p;
	CHECK(vkCreateGraphicsPipelines(device, VK_NULL_HANDLE, 1,
					&(VkGraphicsPipelineCreateInfo){.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
									.stageCount = 2,
									.pStages = stages,
									.pVertexInputState = &input,
									.pInputAssemblyState = &assembly,
									.pViewportState = &view,
									.pRasterizationState = &raster,
									.pMultisampleState = &samples,
									.pDepthStencilState = &depth,
									.pColorBlendState = &blend,
									.layout = layout,
									.renderPass = pass},
					NULL, &p));
	vkDestroyShaderModule(device, vertex, NULL);
	vkDestroyShaderModule(device, fragment, NULL);
	return p;
}

int main(int argc, char **argv) {
	open_instance(argc, argv, VK_API_VERSION_1_0);
	open_device(NULL, 1, NULL, 0);
	VkQueue queue;
	vkGetDeviceQueue(device, 0, 0, &queue);

	struct buffer vertices = new_buffer(sizeof positions, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, positions);
	struct buffer index = new_buffer(sizeof indices, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, indices);
	struct buffer uniform =
		new_buffer(16, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, (float[]){2.0f / SIDE, 2.0f / SIDE, -1, -1});
	struct buffer texels = new_buffer(sizeof quarters, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, quarters);
	struct buffer result = new_buffer(SIDE * SIDE * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
	struct image texture = new_image(VK_FORMAT_R8G8B8A8_UNORM, 2, 2, VK_SAMPLE_COUNT_1_BIT,
					 VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT, VK_IMAGE_ASPECT_COLOR_BIT);
	struct image color = new_image(VK_FORMAT_R8G8B8A8_UNORM, SIDE, SIDE, VK_SAMPLE_COUNT_4_BIT,
				       VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT,
				       VK_IMAGE_ASPECT_COLOR_BIT);
	struct image depth = new_image(VK_FORMAT_D32_SFLOAT, SIDE, SIDE, VK_SAMPLE_COUNT_4_BIT,
				       VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT, VK_IMAGE_ASPECT_DEPTH_BIT);
	struct image target = new_image(VK_FORMAT_R8G8B8A8_UNORM, SIDE, SIDE, VK_SAMPLE_COUNT_1_BIT,
					VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
					VK_IMAGE_ASPECT_COLOR_BIT);
	VkSampler sampler;
	CHECK(vkCreateSampler(device, &(VkSamplerCreateInfo){.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO}, NULL, &sampler));

	VkRenderPass pass = new_render_pass();
	VkFramebuffer framebuffer;
	CHECK(vkCreateFramebuffer(device,
				  &(VkFramebufferCreateInfo){.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
							     .renderPass = pass,
							     .attachmentCount = 3,
							     .pAttachments = (VkImageView[]){color.view, depth.view, target.view},
							     .width = SIDE,
							     .height = SIDE,
							     .layers = 1},
				  NULL, &framebuffer));

	VkDescriptorSetLayoutBinding bindings[] = {{0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1, VK_SHADER_STAGE_VERTEX_BIT, NULL},
						   {1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_FRAGMENT_BIT, NULL}};
	VkDescriptorSetLayout set_layout;
	CHECK(vkCreateDescriptorSetLayout(device,
					  &(VkDescriptorSetLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
									     .bindingCount = 2,
									     .pBindings = bindings},
					  NULL, &set_layout));
	VkPushConstantRange range = {VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof(struct push)};
	VkPipelineLayout layout;
	CHECK(vkCreatePipelineLayout(device,
				     &(VkPipelineLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
								   .setLayoutCount = 1,
								   .pSetLayouts = &set_layout,
								   .pushConstantRangeCount = 1,
								   .pPushConstantRanges = &range},
				     NULL, &layout));
	VkPipeline pipeline = new_pipeline(layout, pass);
	VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1}, {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1}};
	VkDescriptorPool descriptors;
	CHECK(vkCreateDescriptorPool(
		device,
		&(VkDescriptorPoolCreateInfo){
			.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 2, .pPoolSizes = sizes},
		NULL, &descriptors));
	VkDescriptorSet set;
	CHECK(vkAllocateDescriptorSets(device,
				       &(VkDescriptorSetAllocateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
								      .descriptorPool = descriptors,
								      .descriptorSetCount = 1,
								      .pSetLayouts = &set_layout},
				       &set));
	VkWriteDescriptorSet writes[] = {
		{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
		 .dstSet = set,
		 .dstBinding = 0,
		 .descriptorCount = 1,
		 .descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
		 .pBufferInfo = &(VkDescriptorBufferInfo){uniform.handle, 0, VK_WHOLE_SIZE}},
		{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
		 .dstSet = set,
		 .dstBinding = 1,
		 .descriptorCount = 1,
		 .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
		 .pImageInfo = &(VkDescriptorImageInfo){sampler, texture.view, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL}}};
	vkUpdateDescriptorSets(device, 2, writes, 0, NULL);

	VkCommandPool pool = new_pool(0);
	VkCommandBuffer c = new_commands(pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
	CHECK(vkBeginCommandBuffer(c, &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO}));
	image_barrier(c, texture.handle, VK_IMAGE_ASPECT_COLOR_BIT, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, 0, VK_IMAGE_LAYOUT_UNDEFINED,
		      VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
	VkBufferImageCopy upload = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .imageExtent = {2, 2, 1}};
	vkCmdCopyBufferToImage(c, texels.handle, texture.handle, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &upload);
	image_barrier(c, texture.handle, VK_IMAGE_ASPECT_COLOR_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
		      VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT,
		      VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
	VkClearValue clear[] = {{.color = {.float32 = {0, 0, 0, 1}}}, {.depthStencil = {1, 0}}};
	vkCmdBeginRenderPass(c,
			     &(VkRenderPassBeginInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
						      .renderPass = pass,
						      .framebuffer = framebuffer,
						      .renderArea = {{0, 0}, {SIDE, SIDE}},
						      .clearValueCount = 2,
						      .pClearValues = clear},
			     VK_SUBPASS_CONTENTS_INLINE);
	vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
	vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &set, 0, NULL);
	vkCmdBindVertexBuffers(c, 0, 1, &vertices.handle, &(VkDeviceSize){0});
	vkCmdBindIndexBuffer(c, index.handle, 0, VK_INDEX_TYPE_UINT16);
	struct {
		struct push push;
		uint32_t first, count;
	} draws[] = {
		{{{1, 1, 1, 1}, 0.5f}, 0, 6},	       /* the texture, everywhere */
		{{{0, 0, 0, 1}, 0.25f}, 6, 6},	       /* black, before it, on the left */
		{{{1, 0, 1, 1}, 0.75f}, 0, 6},	       /* behind both */
		{{{0.5f, 0.25f, 0.75f, 1}, 0.125f}, 12, 3}, /* a triangle before all */
	};
	for (uint32_t i = 0; i < COUNT(draws); i++) {
		vkCmdPushConstants(c, layout, VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof draws[i].push, &draws[i].push);
		vkCmdDrawIndexed(c, draws[i].count, 1, draws[i].first, 0, 0);
	}
	vkCmdEndRenderPass(c);
	read_back(c, target.handle, SIDE, SIDE, result);
	CHECK(vkEndCommandBuffer(c));

	VkFence fence;
	CHECK(vkCreateFence(device, &(VkFenceCreateInfo){.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO}, NULL, &fence));
	CHECK(vkQueueSubmit(queue, 1,
			    &(VkSubmitInfo){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &c}, fence));
	CHECK(vkWaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX));

	const uint8_t *p = result.mapped;
	expect(p, SIDE, 0, 0, 0, 0, 0, 255);	    /* the left part */
	expect(p, SIDE, 15, 63, 0, 0, 0, 255);
	expect(p, SIDE, 16, 3, 128, 0, 0, 255);	    /* two of four samples are right of x = 16.5 */
	expect(p, SIDE, 16, 60, 0, 0, 128, 255);
	expect(p, SIDE, 17, 3, 255, 0, 0, 255);	    /* the texture's quarters */
	expect(p, SIDE, 31, 3, 255, 0, 0, 255);
	expect(p, SIDE, 32, 3, 0, 255, 0, 255);
	expect(p, SIDE, 20, 63, 0, 0, 255, 255);
	expect(p, SIDE, 63, 63, 255, 255, 255, 255);
	expect(p, SIDE, 44, 30, 0, 64, 0, 255);	    /* the triangle, over green and over white */
	expect(p, SIDE, 50, 50, 128, 64, 191, 255);
	printf("%08" PRIx32 "\n", checksum(p, SIDE * SIDE * 4));
	const char *path = getenv("PICTURE"); /* where to leave the bytes */
	FILE *picture = path ? fopen(path, "wb") : NULL;
	if (path && (!picture || fwrite(p, SIDE * SIDE * 4, 1, picture) != 1 || fclose(picture)))
		fail("%s cannot be written", path);

	vkDestroyFence(device, fence, NULL);
	vkDestroyCommandPool(device, pool, NULL);
	vkDestroyDescriptorPool(device, descriptors, NULL);
	vkDestroyPipeline(device, pipeline, NULL);
	vkDestroyPipelineLayout(device, layout, NULL);
	vkDestroyDescriptorSetLayout(device, set_layout, NULL);
	vkDestroyFramebuffer(device, framebuffer, NULL);
	vkDestroyRenderPass(device, pass, NULL);
	vkDestroySampler(device, sampler, NULL);
	free_image(texture), free_image(color), free_image(depth), free_image(target);
	free_buffer(vertices), free_buffer(index), free_buffer(uniform), free_buffer(texels), free_buffer(result);
	return close_all();
}

/* How long a first triangle and the recording of many small draws take. Arguments:
   the folder of the shaders; CLOCK_REALTIME when the process was started, in
   nanoseconds; the number of draws. Prints the nanoseconds to the first triangle
   in host memory, those of recording a draw (vkBeginCommandBuffer and
   vkEndCommandBuffer counted in), those of a draw until all are done, how often
   recording them all went into Go, and the least and the median nanoseconds from a
   submission to its fence: of no commands, and of the triangle. */
#include "crossings.h"

#include <time.h>

#include "client.h"

enum { SIDE = 64, ROUNDS = 5, FRAMES = 2001 };

static long long now(void) {
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int less(const void *a, const void *b) { return (*(const long long *)a > *(const long long *)b) - (*(const long long *)a < *(const long long *)b); }

/* wait_for submits count command buffers again and again; took becomes the least and the median time until the fence. */
static void wait_for(VkQueue queue, uint32_t count, const VkCommandBuffer *c, long long took[2]) {
	static long long all[FRAMES];
	VkFence fence;
	CHECK(vkCreateFence(device, &(VkFenceCreateInfo){.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO}, NULL, &fence));
	for (int i = 0; i < FRAMES; i++) {
		long long begin = now();
		CHECK(vkQueueSubmit(queue, 1, &(VkSubmitInfo){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = count, .pCommandBuffers = c}, fence));
		CHECK(vkWaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX));
		all[i] = now() - begin;
		CHECK(vkResetFences(device, 1, &fence));
	}
	qsort(all, FRAMES, sizeof *all, less);
	took[0] = all[0], took[1] = all[FRAMES / 2];
	vkDestroyFence(device, fence, NULL);
}

static VkPipeline new_pipeline(VkPipelineLayout layout, VkRenderPass pass) {
	VkPipelineShaderStageCreateInfo stages[] = {{.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
						     .stage = VK_SHADER_STAGE_VERTEX_BIT,
						     .module = load_shader("triangle.vert"),
						     .pName = "main"},
						    {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
						     .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
						     .module = load_shader("triangle.frag"),
						     .pName = "main"}};
	VkPipelineVertexInputStateCreateInfo input = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
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
							.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
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
									.pColorBlendState = &blend,
									.layout = layout,
									.renderPass = pass},
					NULL, &p));
	vkDestroyShaderModule(device, stages[0].module, NULL);
	vkDestroyShaderModule(device, stages[1].module, NULL);
	return p;
}

int main(int argc, char **argv) {
	long long start = argc > 2 ? atoll(argv[2]) : now();
	uint32_t draws = argc > 3 ? (uint32_t)atoi(argv[3]) : 20000;
	open_instance(2, argv, VK_API_VERSION_1_0);
	open_device(NULL, 1, NULL, 0);
	VkQueue queue;
	vkGetDeviceQueue(device, 0, 0, &queue);
	struct image target = new_image(VK_FORMAT_R8G8B8A8_UNORM, SIDE, SIDE, VK_SAMPLE_COUNT_1_BIT,
					VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT, VK_IMAGE_ASPECT_COLOR_BIT);
	struct buffer result = new_buffer(SIDE * SIDE * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
	VkAttachmentDescription attachment = {.format = VK_FORMAT_R8G8B8A8_UNORM,
					      .samples = VK_SAMPLE_COUNT_1_BIT,
					      .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
					      .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
					      .finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL};
	VkAttachmentReference color = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
	VkSubpassDescription subpass = {
		.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS, .colorAttachmentCount = 1, .pColorAttachments = &color};
	VkSubpassDependency after = {.srcSubpass = 0,
				     .dstSubpass = VK_SUBPASS_EXTERNAL,
				     .srcStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
				     .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
				     .dstStageMask = VK_PIPELINE_STAGE_TRANSFER_BIT,
				     .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT};
	VkRenderPass pass;
	CHECK(vkCreateRenderPass(device,
				 &(VkRenderPassCreateInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
							   .attachmentCount = 1,
							   .pAttachments = &attachment,
							   .subpassCount = 1,
							   .pSubpasses = &subpass,
							   .dependencyCount = 1,
							   .pDependencies = &after},
				 NULL, &pass));
	VkFramebuffer framebuffer;
	CHECK(vkCreateFramebuffer(device,
				  &(VkFramebufferCreateInfo){.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
							     .renderPass = pass,
							     .attachmentCount = 1,
							     .pAttachments = &target.view,
							     .width = SIDE,
							     .height = SIDE,
							     .layers = 1},
				  NULL, &framebuffer));
	VkPipelineLayout layout;
	CHECK(vkCreatePipelineLayout(device, &(VkPipelineLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO}, NULL, &layout));
	VkPipeline pipeline = new_pipeline(layout, pass);
	VkCommandPool pool = new_pool(0);
	VkCommandBuffer c = new_commands(pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
	unsigned long entered = 0;
	long long first = 0, recorded = INT64_MAX, done = INT64_MAX;
	long long empty[2], drawn[2];
	for (int round = 0; round <= ROUNDS; round++) {
		CHECK(vkResetCommandPool(device, pool, 0));
		unsigned long before = crossings();
		long long begin = now();
		CHECK(vkBeginCommandBuffer(c, &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO}));
		VkClearValue clear = {.color = {.float32 = {0, 0, 0, 1}}};
		vkCmdBeginRenderPass(c,
				     &(VkRenderPassBeginInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
							      .renderPass = pass,
							      .framebuffer = framebuffer,
							      .renderArea = {{0, 0}, {SIDE, SIDE}},
							      .clearValueCount = 1,
							      .pClearValues = &clear},
				     VK_SUBPASS_CONTENTS_INLINE);
		vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
		/* One triangle first; then draws of one vertex, which make none. */
		for (uint32_t i = 0, n = round ? draws : 1; i < n; i++)
			vkCmdDraw(c, i ? 1 : 3, 1, 0, 0);
		vkCmdEndRenderPass(c);
		read_back(c, target.handle, SIDE, SIDE, result);
		CHECK(vkEndCommandBuffer(c));
		long long end = now();
		entered = crossings() - before;
		CHECK(vkQueueSubmit(
			queue, 1,
			&(VkSubmitInfo){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &c}, VK_NULL_HANDLE));
		CHECK(vkQueueWaitIdle(queue));
		expect(result.mapped, SIDE, SIDE / 2, SIDE / 2, 255, 128, 0, 255);
		if (!round) {
			first = now() - start;
			wait_for(queue, 0, NULL, empty);
			wait_for(queue, 1, &c, drawn);
			continue;
		}
		if (end - begin < recorded)
			recorded = end - begin;
		if (now() - begin < done)
			done = now() - begin;
	}
	printf("%lld %lld %lld %lu %lld %lld %lld %lld\n", first, recorded / draws, done / draws, entered, empty[0], empty[1], drawn[0], drawn[1]);
	vkDestroyCommandPool(device, pool, NULL);
	vkDestroyPipeline(device, pipeline, NULL);
	vkDestroyPipelineLayout(device, layout, NULL);
	vkDestroyFramebuffer(device, framebuffer, NULL);
	vkDestroyRenderPass(device, pass, NULL);
	free_image(target);
	free_buffer(result);
	return close_all();
}

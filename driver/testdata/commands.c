/* Records commands of all families, submits them and checks what they wrote.
   Prints a line a check. */
#include "client.h"

enum { SIDE = 64 };

static VkQueue queue;
static VkCommandPool pool;

static void check(const char *what, int ok) {
	printf("%s %s\n", ok ? "ok  " : "FAIL", what);
	failures += !ok;
}

static struct buffer buffer(VkDeviceSize size) {
	static const char zeros[4 * SIDE * SIDE];
	return new_buffer(size,
			  VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
				  VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT,
			  zeros);
}

static uint32_t *words(struct buffer b) { return b.mapped; }
static float *floats(struct buffer b) { return b.mapped; }

static struct image image(VkSampleCountFlagBits samples) {
	return new_image(VK_FORMAT_R8G8B8A8_UNORM, SIDE, SIDE, samples,
			 VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, VK_IMAGE_ASPECT_COLOR_BIT);
}

static VkCommandBuffer begin(void) {
	VkCommandBuffer c = new_commands(pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
	VkCommandBufferBeginInfo info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
	CHECK(vkBeginCommandBuffer(c, &info));
	return c;
}

static void run(VkCommandBuffer c) {
	VkMemoryBarrier to_host = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, NULL, VK_ACCESS_MEMORY_WRITE_BIT, VK_ACCESS_HOST_READ_BIT};
	vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &to_host, 0, NULL, 0, NULL);
	CHECK(vkEndCommandBuffer(c));
	VkSubmitInfo s = {VK_STRUCTURE_TYPE_SUBMIT_INFO};
	s.commandBufferCount = 1;
	s.pCommandBuffers = &c;
	CHECK(vkQueueSubmit(queue, 1, &s, VK_NULL_HANDLE));
	CHECK(vkQueueWaitIdle(queue));
	vkFreeCommandBuffers(device, pool, 1, &c);
}

static void barrier(VkCommandBuffer c) {
	VkMemoryBarrier all = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, NULL, VK_ACCESS_MEMORY_WRITE_BIT, VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};
	vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &all, 0, NULL, 0, NULL);
}

static void layout(VkCommandBuffer c, VkImage im, VkImageLayout from, VkImageLayout to) {
	VkImageMemoryBarrier b = {VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
	b.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
	b.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
	b.oldLayout = from;
	b.newLayout = to;
	b.srcQueueFamilyIndex = b.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
	b.image = im;
	b.subresourceRange = (VkImageSubresourceRange){VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
	vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &b);
}

static const VkImageSubresourceLayers whole = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};

static void read_image(VkCommandBuffer c, VkImage im, struct buffer to) {
	VkBufferImageCopy g = {0};
	g.imageSubresource = whole;
	g.imageExtent = (VkExtent3D){SIDE, SIDE, 1};
	vkCmdCopyImageToBuffer(c, im, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, to.handle, 1, &g);
}

static int all(const uint32_t *p, int n, uint32_t value) {
	for (int i = 0; i < n; i++)
		if (p[i] != value) {
			printf("     word %d is %08x, not %08x\n", i, p[i], value);
			return 0;
		}
	return 1;
}

static void transfers(void) {
	struct buffer a = buffer(4 * SIDE * SIDE), b = buffer(4 * SIDE * SIDE);
	struct image m = image(1), n = image(1), four = image(VK_SAMPLE_COUNT_4_BIT);
	VkCommandBuffer c = begin();
	vkCmdFillBuffer(c, a.handle, 0, VK_WHOLE_SIZE, 0x11111111);
	barrier(c);
	uint32_t four_words[4] = {1, 2, 3, 4};
	vkCmdUpdateBuffer(c, a.handle, 16, sizeof four_words, four_words);
	barrier(c);
	vkCmdCopyBuffer(c, a.handle, b.handle, 1, &(VkBufferCopy){16, 0, 32});
	run(c);
	check("fill, update, copy of buffers", words(b)[0] == 1 && words(b)[3] == 4 && all(words(b) + 4, 4, 0x11111111) && words(b)[8] == 0);

	VkImageSubresourceRange range = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
	VkClearColorValue orange = {.float32 = {1, 0.5f, 0, 1}};
	c = begin();
	layout(c, m.handle, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
	layout(c, n.handle, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
	layout(c, four.handle, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
	vkCmdClearColorImage(c, m.handle, VK_IMAGE_LAYOUT_GENERAL, &orange, 1, &range);
	vkCmdClearColorImage(c, n.handle, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &(VkClearColorValue){{0}}, 1, &range);
	vkCmdClearColorImage(c, four.handle, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &(VkClearColorValue){.float32 = {0, 0, 1, 1}}, 1, &range);
	barrier(c);
	VkImageBlit half = {whole, {{0, 0, 0}, {SIDE, SIDE, 1}}, whole, {{0, 0, 0}, {SIDE, SIDE / 2, 1}}};
	vkCmdBlitImage(c, m.handle, VK_IMAGE_LAYOUT_GENERAL, n.handle, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &half, VK_FILTER_NEAREST);
	layout(c, four.handle, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
	VkImageResolve g = {whole, {0}, whole, {0, SIDE - 1, 0}, {SIDE, 1, 1}};
	vkCmdResolveImage(c, four.handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, n.handle, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &g);
	barrier(c);
	layout(c, n.handle, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
	read_image(c, n.handle, a);
	run(c);
	check("clear, blit, resolve, copy to a buffer", all(words(a), SIDE * SIDE / 2, 0xff0080ff) &&
		all(words(a) + SIDE * SIDE / 2, SIDE * (SIDE / 2 - 1), 0) && all(words(a) + SIDE * (SIDE - 1), SIDE, 0xffff0000));
	for (int i = 0; i < SIDE * SIDE; i++)
		words(b)[i] = 0x01020304u * (i % 60);
	c = begin();
	layout(c, n.handle, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
	VkBufferImageCopy up = {0, 0, 0, whole, {0}, {SIDE, SIDE, 1}};
	vkCmdCopyBufferToImage(c, b.handle, n.handle, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &up);
	layout(c, n.handle, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
	layout(c, m.handle, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
	VkImageCopy across = {whole, {0}, whole, {0}, {SIDE, SIDE, 1}};
	vkCmdCopyImage(c, n.handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, m.handle, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &across);
	layout(c, m.handle, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
	read_image(c, m.handle, a);
	run(c);
	check("copy to an image, to an image, to a buffer", !memcmp(words(a), words(b), 4 * SIDE * SIDE));
	free_buffer(a);
	free_buffer(b);
	free_image(m);
	free_image(n);
	free_image(four);
}

static VkPipelineLayout pipeline_layout(VkDescriptorSetLayout set, VkShaderStageFlags push, uint32_t bytes) {
	VkPipelineLayout l;
	VkPushConstantRange range = {push, 0, bytes};
	VkPipelineLayoutCreateInfo info = {VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
	info.setLayoutCount = set != VK_NULL_HANDLE;
	info.pSetLayouts = &set;
	info.pushConstantRangeCount = bytes > 0;
	info.pPushConstantRanges = &range;
	CHECK(vkCreatePipelineLayout(device, &info, NULL, &l));
	return l;
}

static VkRenderPass render_pass(void) {
	VkRenderPass p;
	VkAttachmentDescription a = {0, VK_FORMAT_R8G8B8A8_UNORM, 1, VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_STORE_OP_STORE,
		VK_ATTACHMENT_LOAD_OP_DONT_CARE, VK_ATTACHMENT_STORE_OP_DONT_CARE, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL};
	VkAttachmentReference r = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
	VkSubpassDescription s = {0};
	s.colorAttachmentCount = 1;
	s.pColorAttachments = &r;
	VkSubpassDependency d[2] = {
		{VK_SUBPASS_EXTERNAL, 0, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT, VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_COLOR_ATTACHMENT_READ_BIT, 0},
		{0, VK_SUBPASS_EXTERNAL, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT, VK_ACCESS_TRANSFER_READ_BIT, 0}};
	VkRenderPassCreateInfo info = {VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO};
	info.attachmentCount = info.subpassCount = 1;
	info.pAttachments = &a;
	info.pSubpasses = &s;
	info.dependencyCount = 2;
	info.pDependencies = d;
	CHECK(vkCreateRenderPass(device, &info, NULL, &p));
	return p;
}

static VkPipeline triangle(VkRenderPass pass, VkPipelineLayout layout, const void *next) {
	VkShaderModule vertex = load_shader("triangle.vert"), fragment = load_shader("triangle.frag");
	VkPipelineShaderStageCreateInfo stages[2] = {
		{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, NULL, 0, VK_SHADER_STAGE_VERTEX_BIT, vertex, "main", NULL},
		{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, NULL, 0, VK_SHADER_STAGE_FRAGMENT_BIT, fragment, "main", NULL}};
	VkPipelineVertexInputStateCreateInfo input = {VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
	VkPipelineInputAssemblyStateCreateInfo assembly = {VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO, NULL, 0, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, 0};
	VkPipelineViewportStateCreateInfo viewport = {VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO, NULL, 0, 1, NULL, 1, NULL};
	VkPipelineRasterizationStateCreateInfo raster = {VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
	raster.lineWidth = 1;
	VkPipelineMultisampleStateCreateInfo samples = {VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO, NULL, 0, 1, 0, 0, NULL, 0, 0};
	VkPipelineColorBlendAttachmentState attachment = {.colorWriteMask = 15};
	VkPipelineColorBlendStateCreateInfo blend = {VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
	blend.attachmentCount = 1;
	blend.pAttachments = &attachment;
	VkDynamicState states[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
	VkPipelineDynamicStateCreateInfo dynamic = {VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO, NULL, 0, 2, states};
	VkGraphicsPipelineCreateInfo info = {VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, next};
	info.stageCount = 2;
	info.pStages = stages;
	info.pVertexInputState = &input;
	info.pInputAssemblyState = &assembly;
	info.pViewportState = &viewport;
	info.pRasterizationState = &raster;
	info.pMultisampleState = &samples;
	info.pColorBlendState = &blend;
	info.pDynamicState = &dynamic;
	info.layout = layout;
	info.renderPass = pass;
	VkPipeline p;
	CHECK(vkCreateGraphicsPipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &p));
	vkDestroyShaderModule(device, vertex, NULL);
	vkDestroyShaderModule(device, fragment, NULL);
	return p;
}

static void draw_state(VkCommandBuffer c, VkPipeline p, uint32_t height) {
	vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, p);
	vkCmdSetViewport(c, 0, 1, &(VkViewport){0, 0, SIDE, SIDE, 0, 1});
	vkCmdSetScissor(c, 0, 1, &(VkRect2D){{0, 0}, {SIDE, height}});
}

static void graphics(void) {
	struct buffer out = buffer(4 * SIDE * SIDE), args = buffer(4096);
	struct image m = image(1);
	VkRenderPass pass = render_pass();
	VkPipelineLayout none = pipeline_layout(VK_NULL_HANDLE, 0, 0);
	VkPipeline p = triangle(pass, none, NULL);
	VkFramebuffer f;
	VkFramebufferCreateInfo fi = {VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO, NULL, 0, pass, 1, &m.view, SIDE, SIDE, 1};
	CHECK(vkCreateFramebuffer(device, &fi, NULL, &f));
	VkClearValue blue = {.color.float32 = {0, 0, 1, 1}};
	VkRenderPassBeginInfo bi = {VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO, NULL, pass, f, {{0, 0}, {SIDE, SIDE}}, 1, &blue};

	VkCommandBuffer c = begin();
	vkCmdBeginRenderPass(c, &bi, VK_SUBPASS_CONTENTS_INLINE);
	draw_state(c, p, SIDE / 2);
	vkCmdDraw(c, 3, 1, 0, 0);
	VkClearAttachment green = {VK_IMAGE_ASPECT_COLOR_BIT, 0, {.color.float32 = {0, 1, 0, 1}}};
	vkCmdClearAttachments(c, 1, &green, 1, &(VkClearRect){{{0, SIDE - 1}, {SIDE, 1}}, 0, 1});
	vkCmdEndRenderPass(c);
	read_image(c, m.handle, out);
	run(c);
	check("render pass, draw, clear of attachments", all(words(out), SIDE * SIDE / 2, 0xff0080ff) &&
		all(words(out) + SIDE * SIDE / 2, SIDE * (SIDE / 2 - 1), 0xffff0000) && all(words(out) + SIDE * (SIDE - 1), SIDE, 0xff00ff00));

	VkQueryPool queries;
	VkQueryPoolCreateInfo qi = {VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, NULL, 0, VK_QUERY_TYPE_OCCLUSION, 2, 0};
	CHECK(vkCreateQueryPool(device, &qi, NULL, &queries));
	uint32_t indices[3] = {0, 1, 2};
	memcpy(words(args), indices, sizeof indices);
	memcpy(words(args) + 16, &(VkDrawIndexedIndirectCommand){3, 1, 0, 0, 0}, 20);
	VkCommandBuffer inner = new_commands(pool, VK_COMMAND_BUFFER_LEVEL_SECONDARY);
	VkCommandBufferInheritanceInfo in = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO, NULL, pass, 0, f, 0, 0, 0};
	VkCommandBufferBeginInfo ii = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, NULL, VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT, &in};
	CHECK(vkBeginCommandBuffer(inner, &ii));
	draw_state(inner, p, SIDE);
	vkCmdBindIndexBuffer(inner, args.handle, 0, VK_INDEX_TYPE_UINT32);
	vkCmdBeginQuery(inner, queries, 0, 0);
	vkCmdDrawIndexedIndirect(inner, args.handle, 64, 1, 20);
	vkCmdEndQuery(inner, queries, 0);
	CHECK(vkEndCommandBuffer(inner));
	c = begin();
	vkCmdResetQueryPool(c, queries, 0, 2);
	vkCmdBeginRenderPass(c, &bi, VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
	vkCmdExecuteCommands(c, 1, &inner);
	vkCmdEndRenderPass(c);
	vkCmdCopyQueryPoolResults(c, queries, 0, 1, args.handle, 1024, 8, VK_QUERY_RESULT_WAIT_BIT | VK_QUERY_RESULT_64_BIT);
	read_image(c, m.handle, out);
	run(c);
	uint64_t samples = 0;
	CHECK(vkGetQueryPoolResults(device, queries, 0, 1, 8, &samples, 8, VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
	check("secondary buffer, indexed indirect draw", all(words(out), SIDE * SIDE, 0xff0080ff));
	check("occlusion query, copied and read", samples == SIDE * SIDE && words(args)[256] == SIDE * SIDE);

	vkFreeCommandBuffers(device, pool, 1, &inner);
	vkDestroyQueryPool(device, queries, NULL);
	vkDestroyFramebuffer(device, f, NULL);
	vkDestroyPipeline(device, p, NULL);
	vkDestroyPipelineLayout(device, none, NULL);
	vkDestroyRenderPass(device, pass, NULL);
	free_image(m);
	free_buffer(out);
	free_buffer(args);
}

static void dynamic_rendering(void) {
	PFN_vkCmdBeginRenderingKHR begin_rendering = (PFN_vkCmdBeginRenderingKHR)vkGetDeviceProcAddr(device, "vkCmdBeginRenderingKHR");
	PFN_vkCmdEndRenderingKHR end_rendering = (PFN_vkCmdEndRenderingKHR)vkGetDeviceProcAddr(device, "vkCmdEndRenderingKHR");
	struct buffer out = buffer(4 * SIDE * SIDE);
	struct image m = image(1);
	VkPipelineLayout none = pipeline_layout(VK_NULL_HANDLE, 0, 0);
	VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
	VkPipelineRenderingCreateInfo rendering = {VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO, NULL, 0, 1, &format, 0, 0};
	VkPipeline p = triangle(VK_NULL_HANDLE, none, &rendering);
	VkCommandBuffer c = begin();
	layout(c, m.handle, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
	VkRenderingAttachmentInfo a = {VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
	a.imageView = m.view;
	a.imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
	a.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
	a.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
	VkRenderingInfo i = {VK_STRUCTURE_TYPE_RENDERING_INFO, NULL, 0, {{0, 0}, {SIDE, SIDE}}, 1, 0, 1, &a, NULL, NULL};
	begin_rendering(c, &i);
	draw_state(c, p, SIDE / 4);
	vkCmdDraw(c, 3, 1, 0, 0);
	end_rendering(c);
	layout(c, m.handle, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
	read_image(c, m.handle, out);
	run(c);
	check("dynamic rendering", all(words(out), SIDE * SIDE / 4, 0xff0080ff) && all(words(out) + SIDE * SIDE / 4, SIDE * SIDE / 4 * 3, 0));
	vkDestroyPipeline(device, p, NULL);
	vkDestroyPipelineLayout(device, none, NULL);
	free_image(m);
	free_buffer(out);
}

static void compute(int push) {
	VkDescriptorSetLayoutBinding bindings[2] = {
		{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL}, {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL}};
	VkDescriptorSetLayoutCreateInfo li = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, NULL, push ? VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR : 0, 2, bindings};
	VkDescriptorSetLayout set_layout;
	CHECK(vkCreateDescriptorSetLayout(device, &li, NULL, &set_layout));
	VkPipelineLayout l = pipeline_layout(set_layout, VK_SHADER_STAGE_COMPUTE_BIT, 8);
	VkPipeline p = new_compute_pipeline(l, "saxpy.comp");

	struct buffer x = buffer(4096), y = buffer(4096);
	for (int i = 0; i < 1024; i++) {
		floats(x)[i] = (float)i;
		floats(y)[i] = 1;
	}
	VkDescriptorBufferInfo buffers[2] = {{x.handle, 0, VK_WHOLE_SIZE}, {y.handle, 0, VK_WHOLE_SIZE}};
	VkWriteDescriptorSet w = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
	w.descriptorCount = 2;
	w.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
	w.pBufferInfo = buffers;
	VkDescriptorPool dp = VK_NULL_HANDLE;
	VkCommandBuffer c = begin();
	if (push) {
		PFN_vkCmdPushDescriptorSetKHR f = (PFN_vkCmdPushDescriptorSetKHR)vkGetDeviceProcAddr(device, "vkCmdPushDescriptorSetKHR");
		f(c, VK_PIPELINE_BIND_POINT_COMPUTE, l, 0, 1, &w);
	} else {
		VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2};
		VkDescriptorPoolCreateInfo di = {VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, NULL, 0, 1, 1, &size};
		CHECK(vkCreateDescriptorPool(device, &di, NULL, &dp));
		VkDescriptorSetAllocateInfo ai = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, NULL, dp, 1, &set_layout};
		CHECK(vkAllocateDescriptorSets(device, &ai, &w.dstSet));
		vkUpdateDescriptorSets(device, 1, &w, 0, NULL);
		vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, l, 0, 1, &w.dstSet, 0, NULL);
	}
	vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, p);
	struct { float a; uint32_t n; } constants = {2, 1000};
	vkCmdPushConstants(c, l, VK_SHADER_STAGE_COMPUTE_BIT, 0, 8, &constants);
	vkCmdDispatch(c, 16, 1, 1);
	run(c);
	int ok = 1;
	for (int i = 0; i < 1024; i++)
		ok &= floats(y)[i] == (i < 1000 ? 2.0f * i + 1 : 1);
	check(push ? "dispatch with pushed descriptors" : "dispatch with a descriptor set and push constants", ok);
	vkDestroyDescriptorPool(device, dp, NULL);
	vkDestroyPipeline(device, p, NULL);
	vkDestroyPipelineLayout(device, l, NULL);
	vkDestroyDescriptorSetLayout(device, set_layout, NULL);
	free_buffer(x);
	free_buffer(y);
}

int main(int argc, char **argv) {
	open_instance(argc, argv, VK_API_VERSION_1_1);
	VkPhysicalDeviceDynamicRenderingFeatures rendering = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES, NULL, VK_TRUE};
	const char *extensions[] = {"VK_KHR_push_descriptor", "VK_KHR_dynamic_rendering", "VK_KHR_depth_stencil_resolve", "VK_KHR_create_renderpass2"};
	open_device(&rendering, 2, extensions, COUNT(extensions));
	vkGetDeviceQueue(device, 0, 0, &queue);
	pool = new_pool(0);
	transfers();
	graphics();
	compute(0);
	compute(1);
	dynamic_rendering();
	vkDestroyCommandPool(device, pool, NULL);
	return close_all();
}

/* Records commands of all families, submits them and checks what they wrote.
   Arguments: the folder of the compiled shaders. Prints a line a check; exits with
   the number of failures. Run it with the validation layer on: it is silent. */
#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <vulkan/vulkan.h>

#define TRY(call) try(call, #call)
#define SIDE 64

static VkDevice device;
static VkPhysicalDevice physical;
static VkQueue queue;
static VkCommandPool pool;
static const char *shaders;
static int failures;

static void try(VkResult r, const char *what) {
	if (r != VK_SUCCESS) {
		printf("%s: %d\n", what, r);
		exit(100);
	}
}

static void check(const char *what, int ok) {
	printf("%s %s\n", ok ? "ok  " : "FAIL", what);
	failures += !ok;
}

static void *load(const char *name, size_t *size) {
	char path[4096];
	snprintf(path, sizeof path, "%s/%s", shaders, name);
	FILE *f = fopen(path, "rb");
	if (!f) {
		perror(path);
		exit(101);
	}
	void *p = malloc(1 << 20);
	*size = fread(p, 1, 1 << 20, f);
	fclose(f);
	return p;
}

static VkShaderModule module(const char *name) {
	VkShaderModule m;
	VkShaderModuleCreateInfo info = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
	info.pCode = load(name, &info.codeSize);
	TRY(vkCreateShaderModule(device, &info, NULL, &m));
	free((void *)info.pCode);
	return m;
}

static VkDeviceMemory allocate(VkMemoryRequirements r) {
	VkDeviceMemory m;
	VkPhysicalDeviceMemoryProperties p;
	vkGetPhysicalDeviceMemoryProperties(physical, &p);
	VkMemoryPropertyFlags flags = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
	uint32_t type = 0;
	while (!(r.memoryTypeBits >> type & 1) || (p.memoryTypes[type].propertyFlags & flags) != flags)
		type++;
	VkMemoryAllocateInfo info = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, NULL, r.size, type};
	TRY(vkAllocateMemory(device, &info, NULL, &m));
	return m;
}

struct buffer {
	VkBuffer handle;
	VkDeviceMemory memory;
	uint32_t *data;
};

static struct buffer buffer(VkDeviceSize size) {
	struct buffer b;
	VkBufferCreateInfo info = {VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
	info.size = size;
	info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
		VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT;
	TRY(vkCreateBuffer(device, &info, NULL, &b.handle));
	VkMemoryRequirements r;
	vkGetBufferMemoryRequirements(device, b.handle, &r);
	b.memory = allocate(r);
	TRY(vkBindBufferMemory(device, b.handle, b.memory, 0));
	TRY(vkMapMemory(device, b.memory, 0, VK_WHOLE_SIZE, 0, (void **)&b.data));
	memset(b.data, 0, size);
	return b;
}

static void free_buffer(struct buffer b) {
	vkDestroyBuffer(device, b.handle, NULL);
	vkFreeMemory(device, b.memory, NULL);
}

struct image {
	VkImage handle;
	VkDeviceMemory memory;
	VkImageView view;
};

static struct image image(VkSampleCountFlagBits samples) {
	struct image m;
	VkImageCreateInfo info = {VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
	info.imageType = VK_IMAGE_TYPE_2D;
	info.format = VK_FORMAT_R8G8B8A8_UNORM;
	info.extent = (VkExtent3D){SIDE, SIDE, 1};
	info.mipLevels = info.arrayLayers = 1;
	info.samples = samples;
	info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
	TRY(vkCreateImage(device, &info, NULL, &m.handle));
	VkMemoryRequirements r;
	vkGetImageMemoryRequirements(device, m.handle, &r);
	m.memory = allocate(r);
	TRY(vkBindImageMemory(device, m.handle, m.memory, 0));
	VkImageViewCreateInfo v = {VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
	v.image = m.handle;
	v.viewType = VK_IMAGE_VIEW_TYPE_2D;
	v.format = info.format;
	v.subresourceRange = (VkImageSubresourceRange){VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
	TRY(vkCreateImageView(device, &v, NULL, &m.view));
	return m;
}

static void free_image(struct image m) {
	vkDestroyImageView(device, m.view, NULL);
	vkDestroyImage(device, m.handle, NULL);
	vkFreeMemory(device, m.memory, NULL);
}

static VkCommandBuffer allocate_commands(VkCommandBufferLevel level) {
	VkCommandBuffer c;
	VkCommandBufferAllocateInfo info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, NULL, pool, level, 1};
	TRY(vkAllocateCommandBuffers(device, &info, &c));
	return c;
}

static VkCommandBuffer begin(void) {
	VkCommandBuffer c = allocate_commands(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
	VkCommandBufferBeginInfo info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
	TRY(vkBeginCommandBuffer(c, &info));
	return c;
}

static void run(VkCommandBuffer c) {
	VkMemoryBarrier to_host = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, NULL, VK_ACCESS_MEMORY_WRITE_BIT, VK_ACCESS_HOST_READ_BIT};
	vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &to_host, 0, NULL, 0, NULL);
	TRY(vkEndCommandBuffer(c));
	VkSubmitInfo s = {VK_STRUCTURE_TYPE_SUBMIT_INFO};
	s.commandBufferCount = 1;
	s.pCommandBuffers = &c;
	TRY(vkQueueSubmit(queue, 1, &s, VK_NULL_HANDLE));
	TRY(vkQueueWaitIdle(queue));
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
	uint32_t words[4] = {1, 2, 3, 4};
	vkCmdUpdateBuffer(c, a.handle, 16, sizeof words, words);
	barrier(c);
	vkCmdCopyBuffer(c, a.handle, b.handle, 1, &(VkBufferCopy){16, 0, 32});
	run(c);
	check("fill, update, copy of buffers", b.data[0] == 1 && b.data[3] == 4 && all(b.data + 4, 4, 0x11111111) && b.data[8] == 0);

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
	check("clear, blit, resolve, copy to a buffer", all(a.data, SIDE * SIDE / 2, 0xff0080ff) &&
		all(a.data + SIDE * SIDE / 2, SIDE * (SIDE / 2 - 1), 0) && all(a.data + SIDE * (SIDE - 1), SIDE, 0xffff0000));
	for (int i = 0; i < SIDE * SIDE; i++)
		b.data[i] = 0x01020304u * (i % 60);
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
	check("copy to an image, to an image, to a buffer", !memcmp(a.data, b.data, 4 * SIDE * SIDE));
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
	TRY(vkCreatePipelineLayout(device, &info, NULL, &l));
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
	TRY(vkCreateRenderPass(device, &info, NULL, &p));
	return p;
}

static VkPipeline triangle(VkRenderPass pass, VkPipelineLayout layout, const void *next) {
	VkShaderModule vertex = module("triangle.vert.spv"), fragment = module("triangle.frag.spv");
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
	TRY(vkCreateGraphicsPipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &p));
	vkDestroyShaderModule(device, vertex, NULL);
	vkDestroyShaderModule(device, fragment, NULL);
	return p;
}

static void draw_state(VkCommandBuffer c, VkPipeline p, uint32_t height) {
	vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, p);
	vkCmdSetViewport(c, 0, 1, &(VkViewport){0, 0, SIDE, SIDE, 0, 1});
	vkCmdSetScissor(c, 0, 1, &(VkRect2D){{0, 0}, {SIDE, height}});
}

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

static void graphics(void) {
	struct buffer out = buffer(4 * SIDE * SIDE), args = buffer(4096);
	struct image m = image(1);
	VkRenderPass pass = render_pass();
	VkPipelineLayout none = pipeline_layout(VK_NULL_HANDLE, 0, 0);
	VkPipeline p = triangle(pass, none, NULL);
	VkFramebuffer f;
	VkFramebufferCreateInfo fi = {VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO, NULL, 0, pass, 1, &m.view, SIDE, SIDE, 1};
	TRY(vkCreateFramebuffer(device, &fi, NULL, &f));
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
	check("render pass, draw, clear of attachments", all(out.data, SIDE * SIDE / 2, 0xff0080ff) &&
		all(out.data + SIDE * SIDE / 2, SIDE * (SIDE / 2 - 1), 0xffff0000) && all(out.data + SIDE * (SIDE - 1), SIDE, 0xff00ff00));

	VkQueryPool queries;
	VkQueryPoolCreateInfo qi = {VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, NULL, 0, VK_QUERY_TYPE_OCCLUSION, 2, 0};
	TRY(vkCreateQueryPool(device, &qi, NULL, &queries));
	uint32_t indices[3] = {0, 1, 2};
	memcpy(args.data, indices, sizeof indices);
	memcpy(args.data + 16, &(VkDrawIndexedIndirectCommand){3, 1, 0, 0, 0}, 20);
	VkCommandBuffer inner = allocate_commands(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
	VkCommandBufferInheritanceInfo in = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO, NULL, pass, 0, f, 0, 0, 0};
	VkCommandBufferBeginInfo ii = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, NULL, VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT, &in};
	TRY(vkBeginCommandBuffer(inner, &ii));
	draw_state(inner, p, SIDE);
	vkCmdBindIndexBuffer(inner, args.handle, 0, VK_INDEX_TYPE_UINT32);
	vkCmdBeginQuery(inner, queries, 0, 0);
	vkCmdDrawIndexedIndirect(inner, args.handle, 64, 1, 20);
	vkCmdEndQuery(inner, queries, 0);
	TRY(vkEndCommandBuffer(inner));
	c = begin();
	vkCmdResetQueryPool(c, queries, 0, 2);
	vkCmdBeginRenderPass(c, &bi, VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
	vkCmdExecuteCommands(c, 1, &inner);
	vkCmdEndRenderPass(c);
	vkCmdCopyQueryPoolResults(c, queries, 0, 1, args.handle, 1024, 8, VK_QUERY_RESULT_WAIT_BIT | VK_QUERY_RESULT_64_BIT);
	read_image(c, m.handle, out);
	run(c);
	uint64_t samples = 0;
	TRY(vkGetQueryPoolResults(device, queries, 0, 1, 8, &samples, 8, VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
	check("secondary buffer, indexed indirect draw", all(out.data, SIDE * SIDE, 0xff0080ff));
	check("occlusion query, copied and read", samples == SIDE * SIDE && args.data[256] == SIDE * SIDE);

	c = begin();
	vkCmdBeginRenderPass(c, &bi, VK_SUBPASS_CONTENTS_INLINE);
	draw_state(c, p, 1);
	double start = now();
	for (int i = 0; i < 20000; i++)
		vkCmdDraw(c, 3, 1, 0, 0);
	printf("     recording a draw takes %.1f ns\n", (now() - start) / 20000 * 1e9);
	vkCmdEndRenderPass(c);
	start = now();
	TRY(vkEndCommandBuffer(c));
	printf("     decoding it %.1f ns\n", (now() - start) / 20000 * 1e9);
	vkFreeCommandBuffers(device, pool, 1, &c);
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
	check("dynamic rendering", all(out.data, SIDE * SIDE / 4, 0xff0080ff) && all(out.data + SIDE * SIDE / 4, SIDE * SIDE / 4 * 3, 0));
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
	TRY(vkCreateDescriptorSetLayout(device, &li, NULL, &set_layout));
	VkPipelineLayout l = pipeline_layout(set_layout, VK_SHADER_STAGE_COMPUTE_BIT, 8);
	VkShaderModule code = module("saxpy.comp.spv");
	VkComputePipelineCreateInfo pi = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
	pi.stage = (VkPipelineShaderStageCreateInfo){VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, NULL, 0, VK_SHADER_STAGE_COMPUTE_BIT, code, "main", NULL};
	pi.layout = l;
	VkPipeline p;
	TRY(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &pi, NULL, &p));
	vkDestroyShaderModule(device, code, NULL);

	struct buffer x = buffer(4096), y = buffer(4096);
	for (int i = 0; i < 1024; i++) {
		((float *)x.data)[i] = (float)i;
		((float *)y.data)[i] = 1;
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
		TRY(vkCreateDescriptorPool(device, &di, NULL, &dp));
		VkDescriptorSetAllocateInfo ai = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, NULL, dp, 1, &set_layout};
		TRY(vkAllocateDescriptorSets(device, &ai, &w.dstSet));
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
		ok &= ((float *)y.data)[i] == (i < 1000 ? 2.0f * i + 1 : 1);
	check(push ? "dispatch with pushed descriptors" : "dispatch with a descriptor set and push constants", ok);
	vkDestroyDescriptorPool(device, dp, NULL);
	vkDestroyPipeline(device, p, NULL);
	vkDestroyPipelineLayout(device, l, NULL);
	vkDestroyDescriptorSetLayout(device, set_layout, NULL);
	free_buffer(x);
	free_buffer(y);
}

static int has(const VkExtensionProperties *list, uint32_t n, const char *name) {
	for (uint32_t i = 0; i < n; i++)
		if (!strcmp(list[i].extensionName, name))
			return 1;
	return 0;
}

int main(int argc, char **argv) {
	if (argc < 2)
		return 102;
	shaders = argv[1];
	VkInstance instance;
	VkApplicationInfo app = {VK_STRUCTURE_TYPE_APPLICATION_INFO};
	app.apiVersion = VK_API_VERSION_1_1;
	VkInstanceCreateInfo ii = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
	ii.pApplicationInfo = &app;
	TRY(vkCreateInstance(&ii, NULL, &instance));
	uint32_t one = 1;
	vkEnumeratePhysicalDevices(instance, &one, &physical);

	VkExtensionProperties list[512];
	uint32_t n = 512;
	vkEnumerateDeviceExtensionProperties(physical, NULL, &n, list);
	const char *wanted[] = {"VK_KHR_push_descriptor", "VK_KHR_dynamic_rendering", "VK_KHR_depth_stencil_resolve", "VK_KHR_create_renderpass2"};
	const char *enabled[4];
	uint32_t count = 0;
	for (int i = 0; i < 4; i++)
		if (has(list, n, wanted[i]))
			enabled[count++] = wanted[i];
	int push = has(list, n, wanted[0]), dynamic = has(list, n, wanted[1]);
	VkPhysicalDeviceDynamicRenderingFeatures rendering = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES, NULL, VK_TRUE};
	float priority = 1;
	VkDeviceQueueCreateInfo qi = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, NULL, 0, 0, 1, &priority};
	VkDeviceCreateInfo di = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, dynamic ? &rendering : NULL};
	di.queueCreateInfoCount = 1;
	di.pQueueCreateInfos = &qi;
	di.enabledExtensionCount = count;
	di.ppEnabledExtensionNames = enabled;
	TRY(vkCreateDevice(physical, &di, NULL, &device));
	vkGetDeviceQueue(device, 0, 0, &queue);
	VkCommandPoolCreateInfo pi = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
	TRY(vkCreateCommandPool(device, &pi, NULL, &pool));

	transfers();
	graphics();
	compute(0);
	if (push)
		compute(1);
	if (dynamic)
		dynamic_rendering();
	vkDestroyCommandPool(device, pool, NULL);
	vkDestroyDevice(device, NULL);
	vkDestroyInstance(instance, NULL);
	return failures;
}

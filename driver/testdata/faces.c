/* Renders the scenes of conformance/faces: reads one as words from the standard
   input (conformance/faces/words.go writes them), and writes what it leaves behind
   to the standard output. All images are in the layout GENERAL all the time, and
   each step waits for all before it. */
#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#endif

#include "client.h"

enum { MOST = 64, NONE = -1 };
enum { END, PASS, DISPATCH, BLIT, CLEAR, RESOLVE, FILL };

static uint32_t *words;
static size_t next, count;

static uint32_t word(void) {
	if (next == count) {
		fprintf(stderr, "the scene ends too early\n");
		exit(1);
	}
	return words[next++];
}

static int number(void) { return (int)word(); }

static float real(void) {
	uint32_t w = word();
	float f;
	memcpy(&f, &w, 4);
	return f;
}

static const void *bytes(uint32_t *n) {
	*n = word();
	const void *p = words + next;
	next += (*n + 3) / 4;
	if (next > count)
		next = count, word();
	return p;
}

static int most(void) {
	int n = number();
	if (n < 0 || n > MOST) {
		fprintf(stderr, "%d things at word %zu\n", n, next);
		exit(1);
	}
	return n;
}

static struct buffer buffers[MOST], staging[MOST];
static uint32_t buffer_sizes[MOST];
static int buffer_count, image_count, sampler_count, graphics_count, compute_count, query_count;
static struct {
	struct image image;
	uint32_t width, height, levels, samples, texel;
	VkImageAspectFlags aspect; /* that is read back */
	VkImageAspectFlags all;
	struct buffer out;
	uint32_t size;
} images[MOST];
static VkSampler samplers[MOST];
static struct pipeline {
	VkPipeline handle;
	VkPipelineLayout layout;
	VkDescriptorSetLayout set;
	VkShaderStageFlags stages;
	uint32_t push;
} graphics[MOST], compute[MOST];
static VkDescriptorPool pool;
static VkQueryPool queries;
static VkCommandBuffer c;

static VkShaderModule module(void) {
	uint32_t size;
	const void *code = bytes(&size);
	VkShaderModule m;
	CHECK(vkCreateShaderModule(
		device, &(VkShaderModuleCreateInfo){.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size, .pCode = code}, NULL, &m));
	return m;
}

static void layout(struct pipeline *p, VkShaderStageFlags stages) {
	VkDescriptorSetLayoutBinding bindings[MOST];
	int n = most();
	for (int i = 0; i < n; i++)
		bindings[i] = (VkDescriptorSetLayoutBinding){(uint32_t)i, (VkDescriptorType)word(), 1, stages, NULL};
	p->push = word(), p->stages = stages;
	CHECK(vkCreateDescriptorSetLayout(device,
					  &(VkDescriptorSetLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
									     .bindingCount = (uint32_t)n,
									     .pBindings = bindings},
					  NULL, &p->set));
	VkPushConstantRange range = {stages, 0, p->push};
	CHECK(vkCreatePipelineLayout(device,
				     &(VkPipelineLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
								   .setLayoutCount = 1,
								   .pSetLayouts = &p->set,
								   .pushConstantRangeCount = p->push > 0,
								   .pPushConstantRanges = &range},
				     NULL, &p->layout));
}

static VkStencilOpState face(void) {
	VkStencilOpState f;
	f.failOp = word(), f.passOp = word(), f.depthFailOp = word(), f.compareOp = word();
	f.compareMask = word(), f.writeMask = word(), f.reference = word();
	return f;
}

static void new_graphics(struct pipeline *p) {
	VkShaderModule vertex = module(), fragment = module();
	int32_t mode = number();
	VkSpecializationMapEntry entry = {0, 0, 4};
	VkSpecializationInfo constants = {1, &entry, 4, &mode};
	VkPipelineShaderStageCreateInfo stages[] = {{.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
						     .stage = VK_SHADER_STAGE_VERTEX_BIT,
						     .module = vertex,
						     .pName = "main"},
						    {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
						     .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
						     .module = fragment,
						     .pName = "main",
						     .pSpecializationInfo = &constants}};
	layout(p, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT);
	VkVertexInputBindingDescription bindings[MOST];
	VkVertexInputAttributeDescription attributes[MOST];
	VkPipelineVertexInputStateCreateInfo input = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
						      .pVertexBindingDescriptions = bindings,
						      .pVertexAttributeDescriptions = attributes};
	input.vertexBindingDescriptionCount = (uint32_t)most();
	for (uint32_t i = 0; i < input.vertexBindingDescriptionCount; i++)
		bindings[i].binding = word(), bindings[i].stride = word(), bindings[i].inputRate = word();
	input.vertexAttributeDescriptionCount = (uint32_t)most();
	for (uint32_t i = 0; i < input.vertexAttributeDescriptionCount; i++)
		attributes[i].location = word(), attributes[i].binding = word(), attributes[i].format = word(), attributes[i].offset = word();
	VkPipelineInputAssemblyStateCreateInfo assembly = {.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
	assembly.topology = word(), assembly.primitiveRestartEnable = word();
	VkPipelineRasterizationStateCreateInfo raster = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1};
	raster.polygonMode = word(), raster.cullMode = word(), raster.frontFace = word();
	VkPipelineMultisampleStateCreateInfo multisample = {.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
	multisample.rasterizationSamples = word();
	VkPipelineDepthStencilStateCreateInfo depth = {.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};
	depth.depthTestEnable = word(), depth.depthWriteEnable = word(), depth.depthCompareOp = word();
	depth.depthBoundsTestEnable = word(), depth.stencilTestEnable = word();
	depth.front = face(), depth.back = face();
	depth.minDepthBounds = real(), depth.maxDepthBounds = real();
	VkPipelineColorBlendStateCreateInfo blend = {.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
	blend.logicOpEnable = word(), blend.logicOp = word();
	blend.attachmentCount = (uint32_t)most();
	VkPipelineColorBlendAttachmentState states[MOST];
	for (uint32_t i = 0; i < blend.attachmentCount; i++) {
		VkPipelineColorBlendAttachmentState *s = &states[i];
		s->blendEnable = word(), s->srcColorBlendFactor = word(), s->dstColorBlendFactor = word(), s->colorBlendOp = word();
		s->srcAlphaBlendFactor = word(), s->dstAlphaBlendFactor = word(), s->alphaBlendOp = word(), s->colorWriteMask = word();
	}
	blend.pAttachments = states;
	VkFormat formats[MOST];
	VkPipelineRenderingCreateInfo rendering = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO, .pColorAttachmentFormats = formats};
	rendering.colorAttachmentCount = (uint32_t)most();
	for (uint32_t i = 0; i < rendering.colorAttachmentCount; i++)
		formats[i] = word();
	rendering.depthAttachmentFormat = word(), rendering.stencilAttachmentFormat = word();
	VkPipelineViewportStateCreateInfo view = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO, .viewportCount = 1, .scissorCount = 1};
	VkDynamicState dynamic[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR, VK_DYNAMIC_STATE_STENCIL_REFERENCE,
				    VK_DYNAMIC_STATE_BLEND_CONSTANTS};
	VkPipelineDynamicStateCreateInfo states_set = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO, .dynamicStateCount = COUNT(dynamic), .pDynamicStates = dynamic};
	CHECK(vkCreateGraphicsPipelines(device, VK_NULL_HANDLE, 1,
					&(VkGraphicsPipelineCreateInfo){.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
									.pNext = &rendering,
									.stageCount = 2,
									.pStages = stages,
									.pVertexInputState = &input,
									.pInputAssemblyState = &assembly,
									.pViewportState = &view,
									.pRasterizationState = &raster,
									.pMultisampleState = &multisample,
									.pDepthStencilState = &depth,
									.pColorBlendState = &blend,
									.pDynamicState = &states_set,
									.layout = p->layout},
					NULL, &p->handle));
	vkDestroyShaderModule(device, vertex, NULL);
	vkDestroyShaderModule(device, fragment, NULL);
}

static void new_compute(struct pipeline *p) {
	VkShaderModule m = module();
	layout(p, VK_SHADER_STAGE_COMPUTE_BIT);
	CHECK(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1,
				       &(VkComputePipelineCreateInfo){.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
								      .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
										.stage = VK_SHADER_STAGE_COMPUTE_BIT,
										.module = m,
										.pName = "main"},
								      .layout = p->layout},
				       NULL, &p->handle));
	vkDestroyShaderModule(device, m, NULL);
}

static void barrier(void) {
	VkMemoryBarrier b = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
			     .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
			     .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};
	vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &b, 0,
			     NULL, 0, NULL);
}

/* state binds what draws and dispatches share: a descriptor set and constants. */
static void state(VkPipelineBindPoint point, struct pipeline *p) {
	VkDescriptorSet set;
	int n = most();
	vkCmdBindPipeline(c, point, p->handle);
	if (n > 0) {
		CHECK(vkAllocateDescriptorSets(device,
					       &(VkDescriptorSetAllocateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
									      .descriptorPool = pool,
									      .descriptorSetCount = 1,
									      .pSetLayouts = &p->set},
					       &set));
	}
	for (int i = 0; i < n; i++) {
		VkDescriptorType type = word();
		int b = number(), m = number(), s = number();
		VkDescriptorImageInfo image = {samplers[s], images[m].image.view, VK_IMAGE_LAYOUT_GENERAL};
		VkDescriptorBufferInfo buffer = {buffers[b].handle, 0, VK_WHOLE_SIZE};
		vkUpdateDescriptorSets(device, 1,
				       &(VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
							       .dstSet = set,
							       .dstBinding = (uint32_t)i,
							       .descriptorCount = 1,
							       .descriptorType = type,
							       .pImageInfo = &image,
							       .pBufferInfo = &buffer},
				       0, NULL);
	}
	if (n > 0)
		vkCmdBindDescriptorSets(c, point, p->layout, 0, 1, &set, 0, NULL);
	uint32_t size;
	const void *push = bytes(&size);
	if (size > 0)
		vkCmdPushConstants(c, p->layout, p->stages, 0, size, push);
}

static void draw(void) {
	int at = number();
	state(VK_PIPELINE_BIND_POINT_GRAPHICS, &graphics[at]);
	int vertex_buffers = most();
	for (int i = 0; i < vertex_buffers; i++)
		vkCmdBindVertexBuffers(c, (uint32_t)i, 1, &buffers[number()].handle, &(VkDeviceSize){0});
	int indices = number();
	VkIndexType type = word();
	VkViewport v;
	v.x = real(), v.y = real(), v.width = real(), v.height = real(), v.minDepth = real(), v.maxDepth = real();
	vkCmdSetViewport(c, 0, 1, &v);
	VkRect2D s;
	s.offset.x = number(), s.offset.y = number(), s.extent.width = word(), s.extent.height = word();
	vkCmdSetScissor(c, 0, 1, &s);
	uint32_t vertices = word(), instances = word(), first = word();
	int32_t offset = number();
	uint32_t first_instance = word();
	int indirect = number();
	uint32_t commands = word();
	int query = number();
	vkCmdSetStencilReference(c, VK_STENCIL_FACE_FRONT_AND_BACK, word());
	float blend[4];
	for (int i = 0; i < 4; i++)
		blend[i] = real();
	vkCmdSetBlendConstants(c, blend);
	if (query != NONE)
		vkCmdBeginQuery(c, queries, (uint32_t)query, VK_QUERY_CONTROL_PRECISE_BIT);
	if (indices != NONE)
		vkCmdBindIndexBuffer(c, buffers[indices].handle, 0, type);
	if (indices != NONE && indirect != NONE)
		vkCmdDrawIndexedIndirect(c, buffers[indirect].handle, 0, commands, 20);
	else if (indices != NONE)
		vkCmdDrawIndexed(c, vertices, instances, first, offset, first_instance);
	else if (indirect != NONE)
		vkCmdDrawIndirect(c, buffers[indirect].handle, 0, commands, 16);
	else
		vkCmdDraw(c, vertices, instances, first, first_instance);
	if (query != NONE)
		vkCmdEndQuery(c, queries, (uint32_t)query);
}

static void render_pass(PFN_vkCmdBeginRenderingKHR begin, PFN_vkCmdEndRenderingKHR end) {
	VkRenderingAttachmentInfo colors[MOST], depth = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
	int n = most();
	for (int i = 0; i < n; i++) {
		VkRenderingAttachmentInfo *a = &colors[i];
		*a = (VkRenderingAttachmentInfo){.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO, .imageLayout = VK_IMAGE_LAYOUT_GENERAL};
		a->imageView = images[number()].image.view;
		int resolve = number();
		if (resolve != NONE) {
			a->resolveImageView = images[resolve].image.view;
			a->resolveImageLayout = VK_IMAGE_LAYOUT_GENERAL;
			a->resolveMode = VK_RESOLVE_MODE_AVERAGE_BIT;
		}
		a->loadOp = word();
		for (int k = 0; k < 4; k++)
			a->clearValue.color.uint32[k] = word();
	}
	int z = number();
	depth.loadOp = word(), depth.clearValue.depthStencil.depth = real(), depth.clearValue.depthStencil.stencil = word();
	VkRenderingInfo info = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO, .layerCount = 1, .colorAttachmentCount = (uint32_t)n, .pColorAttachments = colors};
	if (z != NONE) {
		depth.imageView = images[z].image.view, depth.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
		info.pDepthAttachment = &depth;
		if (images[z].all & VK_IMAGE_ASPECT_STENCIL_BIT)
			info.pStencilAttachment = &depth;
	}
	info.renderArea.extent.width = word(), info.renderArea.extent.height = word();
	begin(c, &info);
	for (uint32_t i = word(); i > 0; i--)
		draw();
	end(c);
}

static void objects(void) {
	buffer_count = most();
	for (int i = 0; i < buffer_count; i++) {
		const void *data = bytes(&buffer_sizes[i]);
		buffers[i] = new_buffer(buffer_sizes[i],
					VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
						VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
						VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
					data);
	}
	image_count = most();
	for (int i = 0; i < image_count; i++) {
		VkFormat format = word();
		images[i].width = word(), images[i].height = word(), images[i].levels = word(), images[i].samples = word();
		images[i].texel = word();
		int is_depth = number(), has_stencil = number();
		images[i].aspect = is_depth ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT;
		images[i].all = images[i].aspect | (has_stencil ? VK_IMAGE_ASPECT_STENCIL_BIT : 0);
		VkFormatProperties can;
		vkGetPhysicalDeviceFormatProperties(physical, format, &can);
		VkImageUsageFlags usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT |
					  (is_depth ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT : VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
		if ((can.optimalTilingFeatures & VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT) && images[i].samples == 1)
			usage |= VK_IMAGE_USAGE_STORAGE_BIT;
		images[i].image = new_levels(format, images[i].width, images[i].height, images[i].levels, images[i].samples, usage, images[i].all);
		uint32_t size;
		const void *data = bytes(&size);
		if (size)
			staging[i] = new_buffer(size, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, data);
		for (uint32_t l = 0; l < images[i].levels; l++) {
			uint32_t w = images[i].width >> l, h = images[i].height >> l;
			images[i].size += (w ? w : 1) * (h ? h : 1) * images[i].texel;
		}
		if (images[i].samples == 1)
			images[i].out = new_buffer(images[i].size, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
	}
	sampler_count = most();
	for (int i = 0; i < sampler_count; i++) {
		VkSamplerCreateInfo s = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO, .maxLod = VK_LOD_CLAMP_NONE};
		s.magFilter = s.minFilter = word(), s.mipmapMode = word();
		s.addressModeU = s.addressModeV = s.addressModeW = word();
		CHECK(vkCreateSampler(device, &s, NULL, &samplers[i]));
	}
	graphics_count = most();
	for (int i = 0; i < graphics_count; i++)
		new_graphics(&graphics[i]);
	compute_count = most();
	for (int i = 0; i < compute_count; i++)
		new_compute(&compute[i]);
	query_count = number();
	if (query_count)
		CHECK(vkCreateQueryPool(device,
					&(VkQueryPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
								 .queryType = VK_QUERY_TYPE_OCCLUSION,
								 .queryCount = (uint32_t)query_count},
					NULL, &queries));
	VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 4 * MOST},
					{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 4 * MOST},
					{VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 4 * MOST}};
	CHECK(vkCreateDescriptorPool(device,
				     &(VkDescriptorPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
								   .maxSets = MOST,
								   .poolSizeCount = COUNT(sizes),
								   .pPoolSizes = sizes},
				     NULL, &pool));
}

static VkImageSubresourceLayers layers(uint32_t level) { return (VkImageSubresourceLayers){VK_IMAGE_ASPECT_COLOR_BIT, level, 0, 1}; }

static int step(PFN_vkCmdBeginRenderingKHR begin, PFN_vkCmdEndRenderingKHR end) {
	switch (number()) {
	case END:
		return 0;
	case PASS:
		render_pass(begin, end);
		break;
	case DISPATCH: {
		int at = number();
		state(VK_PIPELINE_BIND_POINT_COMPUTE, &compute[at]);
		uint32_t x = word(), y = word(), z = word();
		vkCmdDispatch(c, x, y, z);
		break;
	}
	case BLIT: {
		int from = number();
		VkImageBlit b = {.srcSubresource = layers(word())};
		int to = number();
		b.dstSubresource = layers(word());
		for (int i = 0; i < 2; i++)
			b.srcOffsets[i].x = number(), b.srcOffsets[i].y = number(), b.srcOffsets[i].z = i;
		for (int i = 0; i < 2; i++)
			b.dstOffsets[i].x = number(), b.dstOffsets[i].y = number(), b.dstOffsets[i].z = i;
		vkCmdBlitImage(c, images[from].image.handle, VK_IMAGE_LAYOUT_GENERAL, images[to].image.handle, VK_IMAGE_LAYOUT_GENERAL, 1, &b, word());
		break;
	}
	case CLEAR: {
		int at = number();
		VkClearColorValue v;
		for (int i = 0; i < 4; i++)
			v.uint32[i] = word();
		vkCmdClearColorImage(c, images[at].image.handle, VK_IMAGE_LAYOUT_GENERAL, &v, 1,
				     &(VkImageSubresourceRange){VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1});
		break;
	}
	case RESOLVE: {
		int from = number(), to = number();
		VkImageResolve r = {.srcSubresource = layers(0), .dstSubresource = layers(0), .extent = {images[from].width, images[from].height, 1}};
		vkCmdResolveImage(c, images[from].image.handle, VK_IMAGE_LAYOUT_GENERAL, images[to].image.handle, VK_IMAGE_LAYOUT_GENERAL, 1, &r);
		break;
	}
	case FILL: {
		int at = number();
		VkDeviceSize offset = word(), size = word();
		vkCmdFillBuffer(c, buffers[at].handle, offset, size, word());
		break;
	}
	default:
		fprintf(stderr, "an unknown step before word %zu\n", next);
		exit(1);
	}
	barrier();
	return 1;
}

int main(int argc, char **argv) {
#ifdef _WIN32
	_setmode(0, _O_BINARY), _setmode(1, _O_BINARY);
#endif
	count = next = 0;
	size_t room = 1 << 22;
	words = malloc(room * 4);
	count = fread(words, 4, room, stdin);
	open_instance(argc, argv, VK_API_VERSION_1_1);
	VkPhysicalDeviceDynamicRenderingFeatures dynamic = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES, .dynamicRendering = VK_TRUE};
	VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &dynamic};
	features.features = (VkPhysicalDeviceFeatures){.independentBlend = VK_TRUE,
						       .sampleRateShading = VK_TRUE,
						       .dualSrcBlend = VK_TRUE,
						       .logicOp = VK_TRUE,
						       .multiDrawIndirect = VK_TRUE,
						       .drawIndirectFirstInstance = VK_TRUE,
						       .fillModeNonSolid = VK_TRUE,
						       .largePoints = VK_TRUE,
						       .occlusionQueryPrecise = VK_TRUE,
						       .shaderClipDistance = VK_TRUE,
						       .robustBufferAccess = VK_TRUE,
						       .geometryShader = VK_TRUE} /* glslang declares Geometry for gl_PrimitiveID */;
	const char *extensions[] = {"VK_KHR_create_renderpass2", "VK_KHR_depth_stencil_resolve", "VK_KHR_dynamic_rendering"};
	open_device(&features, 2, extensions, COUNT(extensions));
	PFN_vkCmdBeginRenderingKHR begin = (PFN_vkCmdBeginRenderingKHR)vkGetDeviceProcAddr(device, "vkCmdBeginRenderingKHR");
	PFN_vkCmdEndRenderingKHR end = (PFN_vkCmdEndRenderingKHR)vkGetDeviceProcAddr(device, "vkCmdEndRenderingKHR");
	VkQueue queue;
	vkGetDeviceQueue(device, 0, 0, &queue);
	objects();
	VkCommandPool commands = new_pool(0);
	c = new_commands(commands, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
	CHECK(vkBeginCommandBuffer(c, &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO}));
	for (int i = 0; i < image_count; i++) {
		VkImageMemoryBarrier b = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
					  .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
					  .newLayout = VK_IMAGE_LAYOUT_GENERAL,
					  .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
					  .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
					  .image = images[i].image.handle,
					  .subresourceRange = {images[i].all, 0, images[i].levels, 0, 1}};
		vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &b);
		VkBufferImageCopy region = {.imageSubresource = layers(0), .imageExtent = {images[i].width, images[i].height, 1}};
		if (staging[i].handle)
			vkCmdCopyBufferToImage(c, staging[i].handle, images[i].image.handle, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
	}
	if (query_count)
		vkCmdResetQueryPool(c, queries, 0, (uint32_t)query_count);
	barrier();
	while (step(begin, end)) {
	}
	for (int i = 0; i < image_count; i++) {
		uint32_t at = 0;
		for (uint32_t l = 0; images[i].samples == 1 && l < images[i].levels; l++) {
			uint32_t w = images[i].width >> l, h = images[i].height >> l;
			w = w ? w : 1, h = h ? h : 1;
			VkBufferImageCopy region = {.bufferOffset = at, .imageSubresource = {images[i].aspect, l, 0, 1}, .imageExtent = {w, h, 1}};
			vkCmdCopyImageToBuffer(c, images[i].image.handle, VK_IMAGE_LAYOUT_GENERAL, images[i].out.handle, 1, &region);
			at += w * h * images[i].texel;
		}
	}
	barrier();
	CHECK(vkEndCommandBuffer(c));
	CHECK(vkQueueSubmit(
		queue, 1, &(VkSubmitInfo){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &c}, VK_NULL_HANDLE));
	CHECK(vkQueueWaitIdle(queue));

	for (int i = 0; i < buffer_count; i++) {
		fwrite(buffers[i].mapped, 1, buffer_sizes[i], stdout);
		free_buffer(buffers[i]);
	}
	for (int i = 0; i < image_count; i++) {
		if (images[i].samples == 1) {
			fwrite(images[i].out.mapped, 1, images[i].size, stdout);
			free_buffer(images[i].out);
		}
		if (staging[i].handle)
			free_buffer(staging[i]);
		free_image(images[i].image);
	}
	for (int i = 0; i < query_count; i++) {
		uint64_t n;
		CHECK(vkGetQueryPoolResults(device, queries, (uint32_t)i, 1, 8, &n, 8, VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
		fwrite(&n, 8, 1, stdout);
	}
	for (int i = 0; i < sampler_count; i++)
		vkDestroySampler(device, samplers[i], NULL);
	for (int i = 0; i < graphics_count + compute_count; i++) {
		struct pipeline *p = i < graphics_count ? &graphics[i] : &compute[i - graphics_count];
		vkDestroyPipeline(device, p->handle, NULL);
		vkDestroyPipelineLayout(device, p->layout, NULL);
		vkDestroyDescriptorSetLayout(device, p->set, NULL);
	}
	vkDestroyQueryPool(device, queries, NULL);
	vkDestroyDescriptorPool(device, pool, NULL);
	vkDestroyCommandPool(device, commands, NULL);
	free(words);
	return close_all();
}

/* Breaks rules of image instructions: reads programs as words from the standard input (conformance/told/words.go writes them), runs
   each on a device of its own, and prints what a messenger hears: number of the program, name of the rule, text. A call that fails
   ends a program. */
#include "client.h"

enum { MOST = 1 << 14 };

static uint32_t *words;
static size_t next, count;

static uint32_t word(void) {
	if (next == count) {
		fprintf(stderr, "the programs end too early\n");
		exit(1);
	}
	return words[next++];
}

static float real(void) {
	uint32_t w = word();
	float f;
	memcpy(&f, &w, 4);
	return f;
}

static VkComponentMapping components(void) {
	VkComponentMapping m;
	m.r = word(), m.g = word(), m.b = word(), m.a = word();
	return m;
}

static int number; /* of the program */

static VkBool32 hear(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT type,
		     const VkDebugUtilsMessengerCallbackDataEXT *data, void *user) {
	(void)type, (void)user, (void)severity;
	printf("%d\t%s\t%s\n", number, data->pMessageIdName ? data->pMessageIdName : "", data->pMessage);
	return VK_FALSE;
}

enum { CUSTOM_BORDERS = 1, WITHOUT_FORMAT = 2, PROCESSING = 4, FOOTPRINTS = 8, CORNER_SAMPLED = 16, DENSITY_MAPS = 32, CUBIC = 64 };

/* on makes the device with the features that the program enables. */
static void on(uint32_t features) {
	VkPhysicalDeviceSamplerYcbcrConversionFeatures ycbcr = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SAMPLER_YCBCR_CONVERSION_FEATURES,
								 .samplerYcbcrConversion = VK_TRUE};
	VkPhysicalDeviceCustomBorderColorFeaturesEXT border = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CUSTOM_BORDER_COLOR_FEATURES_EXT,
							       .pNext = &ycbcr,
							       .customBorderColors = !!(features & CUSTOM_BORDERS),
							       .customBorderColorWithoutFormat = !!(features & WITHOUT_FORMAT)};
	VkPhysicalDeviceImageProcessingFeaturesQCOM process = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_PROCESSING_FEATURES_QCOM,
							       .pNext = &border,
							       .textureSampleWeighted = !!(features & PROCESSING),
							       .textureBoxFilter = !!(features & PROCESSING),
							       .textureBlockMatch = !!(features & PROCESSING)};
	VkPhysicalDeviceImageProcessing2FeaturesQCOM process2 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_PROCESSING_2_FEATURES_QCOM,
								 .pNext = &process,
								 .textureBlockMatch2 = !!(features & PROCESSING)};
	VkPhysicalDeviceShaderImageFootprintFeaturesNV footprint = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_IMAGE_FOOTPRINT_FEATURES_NV,
								    .pNext = &process2,
								    .imageFootprint = !!(features & FOOTPRINTS)};
	VkPhysicalDeviceCornerSampledImageFeaturesNV corner = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CORNER_SAMPLED_IMAGE_FEATURES_NV,
							       .pNext = &footprint,
							       .cornerSampledImage = !!(features & CORNER_SAMPLED)};
	VkPhysicalDeviceFragmentDensityMapFeaturesEXT density = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_DENSITY_MAP_FEATURES_EXT,
								 .pNext = &corner,
								 .fragmentDensityMap = !!(features & DENSITY_MAPS)};
	VkPhysicalDeviceFeatures2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &density};
	const char *extensions[] = {"VK_EXT_custom_border_color",      "VK_EXT_border_color_swizzle", "VK_QCOM_image_processing",
				    "VK_QCOM_image_processing2",       "VK_NV_shader_image_footprint", "VK_NV_corner_sampled_image",
				    "VK_EXT_fragment_density_map",     "VK_EXT_image_view_min_lod"};
	open_device(&all, 1, extensions, COUNT(extensions));
}

static VkSamplerYcbcrConversion conversion;

struct made {
	VkImage image;
	VkImageView view;
};

/* DO leaves the program where a call fails: a messenger has heard why. */
#define DO(call)            \
	do {                \
		if ((call)) \
			return 1; \
	} while (0)

static VkCommandBuffer commands;
static VkQueue queue;

static void begin(void) {
	CHECK(vkBeginCommandBuffer(commands, &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO}));
}

static void submit(void) {
	CHECK(vkEndCommandBuffer(commands));
	CHECK(vkQueueSubmit(queue, 1, &(VkSubmitInfo){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands},
			    VK_NULL_HANDLE));
	CHECK(vkQueueWaitIdle(queue));
}

/* an image with its view; all words are read before anything is made */
struct plan {
	VkImageCreateInfo image;
	VkImageViewCreateInfo view;
	VkSamplerYcbcrConversionInfo conversion;
	VkImageViewMinLodCreateInfoEXT least;
	VkImageViewSampleWeightCreateInfoQCOM weights;
	uint32_t layouts, aspect[4], to[4];
	int converted, weighs;
};

static void read_image(struct plan *p) {
	p->image = (VkImageCreateInfo){.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
	p->image.imageType = word(), p->image.format = word();
	p->image.extent.width = word(), p->image.extent.height = word(), p->image.extent.depth = word();
	p->image.mipLevels = word(), p->image.arrayLayers = word(), p->image.samples = word(), p->image.flags = word(), p->image.usage = word();
	p->view = (VkImageViewCreateInfo){.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
	p->view.viewType = word(), p->view.format = word();
	if (!p->view.format)
		p->view.format = p->image.format;
	p->view.components = components();
	VkImageSubresourceRange *r = &p->view.subresourceRange;
	r->aspectMask = word(), r->baseMipLevel = word(), r->levelCount = word(), r->baseArrayLayer = word(), r->layerCount = word();
	p->least = (VkImageViewMinLodCreateInfoEXT){.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_MIN_LOD_CREATE_INFO_EXT};
	p->least.minLod = real();
	p->converted = word();
	p->weights = (VkImageViewSampleWeightCreateInfoQCOM){.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_SAMPLE_WEIGHT_CREATE_INFO_QCOM};
	if ((p->weighs = word())) {
		p->weights.filterCenter.x = word(), p->weights.filterCenter.y = word();
		p->weights.filterSize.width = word(), p->weights.filterSize.height = word(), p->weights.numPhases = word();
	}
	p->layouts = word();
	for (uint32_t i = 0; i < p->layouts; i++)
		p->aspect[i & 3] = word(), p->to[i & 3] = word();
}

static int make_image(struct plan *p, struct made *m) {
	DO(vkCreateImage(device, &p->image, NULL, &m->image));
	int planes = p->image.flags & VK_IMAGE_CREATE_DISJOINT_BIT ? 3 : 1;
	for (int i = 0; i < planes; i++) {
		VkImageAspectFlagBits aspect = VK_IMAGE_ASPECT_PLANE_0_BIT << i;
		VkImagePlaneMemoryRequirementsInfo plane = {.sType = VK_STRUCTURE_TYPE_IMAGE_PLANE_MEMORY_REQUIREMENTS_INFO, .planeAspect = aspect};
		VkBindImagePlaneMemoryInfo of = {.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_PLANE_MEMORY_INFO, .planeAspect = aspect};
		VkMemoryRequirements2 need = {.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
		vkGetImageMemoryRequirements2(device,
					      &(VkImageMemoryRequirementsInfo2){.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2,
										.pNext = planes > 1 ? &plane : NULL,
										.image = m->image},
					      &need);
		CHECK(vkBindImageMemory2(device, 1,
					 &(VkBindImageMemoryInfo){.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO,
								  .pNext = planes > 1 ? &of : NULL,
								  .image = m->image,
								  .memory = allocate(need.memoryRequirements, 0)}));
	}
	begin();
	VkImageMemoryBarrier b = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
				  .newLayout = VK_IMAGE_LAYOUT_GENERAL,
				  .image = m->image,
				  .subresourceRange = {p->view.subresourceRange.aspectMask, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS}};
	for (uint32_t i = 0; i < (p->layouts ? p->layouts : 1); i++) {
		if (p->layouts)
			b.subresourceRange.aspectMask = p->aspect[i & 3], b.newLayout = p->to[i & 3];
		vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &b);
	}
	if (p->weighs) { /* weights of 0.2 */
		VkClearColorValue value = {.float32 = {0.2f}};
		vkCmdClearColorImage(commands, m->image, VK_IMAGE_LAYOUT_GENERAL, &value, 1, &b.subresourceRange);
	}
	submit();
	p->view.image = m->image;
	if (p->converted) {
		p->conversion = (VkSamplerYcbcrConversionInfo){.sType = VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_INFO, .conversion = conversion};
		p->conversion.pNext = p->view.pNext, p->view.pNext = &p->conversion;
	}
	if (p->least.minLod)
		p->least.pNext = p->view.pNext, p->view.pNext = &p->least;
	if (p->weighs)
		p->weights.pNext = p->view.pNext, p->view.pNext = &p->weights;
	DO(vkCreateImageView(device, &p->view, NULL, &m->view));
	return 0;
}

struct sampler_plan {
	VkSamplerCreateInfo info;
	VkSamplerReductionModeCreateInfo reduction;
	VkSamplerCustomBorderColorCreateInfoEXT border;
	VkSamplerBorderColorComponentMappingCreateInfoEXT mapping;
	VkSamplerYcbcrConversionInfo conversion;
	int converted;
};

static void read_sampler(struct sampler_plan *p) {
	p->info = (VkSamplerCreateInfo){.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
	VkSamplerCreateInfo *s = &p->info;
	s->flags = word(), s->magFilter = word(), s->minFilter = word(), s->mipmapMode = word();
	s->addressModeU = word(), s->addressModeV = word(), s->addressModeW = word();
	s->mipLodBias = real(), s->compareEnable = word(), s->minLod = real(), s->maxLod = real(), s->borderColor = word();
	s->unnormalizedCoordinates = word();
	p->reduction = (VkSamplerReductionModeCreateInfo){.sType = VK_STRUCTURE_TYPE_SAMPLER_REDUCTION_MODE_CREATE_INFO};
	p->reduction.reductionMode = word();
	s->pNext = &p->reduction;
	p->border = (VkSamplerCustomBorderColorCreateInfoEXT){.sType = VK_STRUCTURE_TYPE_SAMPLER_CUSTOM_BORDER_COLOR_CREATE_INFO_EXT};
	if (word()) {
		p->border.format = word();
		for (int i = 0; i < 4; i++)
			p->border.customBorderColor.uint32[i] = word();
		p->border.pNext = s->pNext, s->pNext = &p->border;
	}
	p->mapping = (VkSamplerBorderColorComponentMappingCreateInfoEXT){
		.sType = VK_STRUCTURE_TYPE_SAMPLER_BORDER_COLOR_COMPONENT_MAPPING_CREATE_INFO_EXT};
	if (word()) {
		p->mapping.components = components();
		p->mapping.srgb = word();
		p->mapping.pNext = s->pNext, s->pNext = &p->mapping;
	}
	p->converted = word();
}

static int program(void) {
	uint32_t features = word(), nothing_runs = word(), stores = word();
	int converts = word();
	VkSamplerYcbcrConversionCreateInfo c = {.sType = VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_CREATE_INFO};
	if (converts)
		c.format = word(), c.components = components();
	static struct plan image, other;
	static struct sampler_plan sampler;
	read_image(&image);
	int second = word();
	if (second == 2)
		read_image(&other);
	int has_sampler = word();
	if (has_sampler)
		read_sampler(&sampler);
	VkDescriptorType type = word(), second_type = word();
	VkImageLayout layout = word();
	uint32_t size = word();
	const uint32_t *code = words + next;
	if (size / 4 > count - next)
		next = count, word();
	next += size / 4;

	on(features);
	vkGetDeviceQueue(device, 0, 0, &queue);
	commands = new_commands(new_pool(0), VK_COMMAND_BUFFER_LEVEL_PRIMARY);
	conversion = VK_NULL_HANDLE;
	if (converts)
		DO(vkCreateSamplerYcbcrConversion(device, &c, NULL, &conversion));
	struct made one = {0}, two = {0};
	DO(make_image(&image, &one));
	if (second == 1)
		two = one;
	else if (second == 2)
		DO(make_image(&other, &two));
	VkSampler s = VK_NULL_HANDLE;
	if (has_sampler) {
		if (sampler.converted) {
			sampler.conversion = (VkSamplerYcbcrConversionInfo){.sType = VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_INFO, .conversion = conversion};
			sampler.conversion.pNext = sampler.info.pNext, sampler.info.pNext = &sampler.conversion;
		}
		DO(vkCreateSampler(device, &sampler.info, NULL, &s));
	}
	VkShaderModule module;
	DO(vkCreateShaderModule(
		device, &(VkShaderModuleCreateInfo){.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size, .pCode = code}, NULL, &module));
	VkDescriptorSetLayoutBinding bindings[4];
	VkWriteDescriptorSet writes[4];
	struct buffer out = new_buffer(16, VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, NULL);
	VkDescriptorImageInfo images[] = {{.imageView = one.view, .imageLayout = layout}, {.sampler = s}, {0}, {.imageView = two.view, .imageLayout = layout}};
	VkDescriptorBufferInfo buffer = {out.handle, 0, VK_WHOLE_SIZE};
	VkDescriptorType types[] = {type, VK_DESCRIPTOR_TYPE_SAMPLER, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, second_type};
	int used[] = {1, has_sampler, stores, second > 0};
	uint32_t n = 0;
	for (uint32_t i = 0; i < 4; i++)
		if (used[i]) {
			bindings[n] = (VkDescriptorSetLayoutBinding){i, types[i], 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL};
			writes[n++] = (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
							     .dstBinding = i,
							     .descriptorCount = 1,
							     .descriptorType = types[i],
							     .pImageInfo = &images[i],
							     .pBufferInfo = &buffer};
		}
	VkDescriptorSetLayout set_layout;
	CHECK(vkCreateDescriptorSetLayout(device,
					  &(VkDescriptorSetLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
									     .bindingCount = n,
									     .pBindings = bindings},
					  NULL, &set_layout));
	VkPipelineLayout pipeline_layout;
	CHECK(vkCreatePipelineLayout(device,
				     &(VkPipelineLayoutCreateInfo){
					     .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &set_layout},
				     NULL, &pipeline_layout));
	VkPipeline pipeline;
	DO(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1,
				    &(VkComputePipelineCreateInfo){.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
								   .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
									     .stage = VK_SHADER_STAGE_COMPUTE_BIT,
									     .module = module,
									     .pName = "main"},
								   .layout = pipeline_layout},
				    NULL, &pipeline));
	if (nothing_runs)
		return 0;
	VkDescriptorPoolSize sizes[4];
	for (uint32_t i = 0; i < n; i++)
		sizes[i] = (VkDescriptorPoolSize){bindings[i].descriptorType, 1};
	VkDescriptorPool pool;
	CHECK(vkCreateDescriptorPool(device,
				     &(VkDescriptorPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
								   .maxSets = 1,
								   .poolSizeCount = n,
								   .pPoolSizes = sizes},
				     NULL, &pool));
	VkDescriptorSet set;
	CHECK(vkAllocateDescriptorSets(device,
				       &(VkDescriptorSetAllocateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
								      .descriptorPool = pool,
								      .descriptorSetCount = 1,
								      .pSetLayouts = &set_layout},
				       &set));
	for (uint32_t i = 0; i < n; i++)
		writes[i].dstSet = set;
	vkUpdateDescriptorSets(device, n, writes, 0, NULL);
	for (int twice = 0; twice < 2; twice++) { /* which is told once all the same */
		begin();
		vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
		vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_layout, 0, 1, &set, 0, NULL);
		vkCmdDispatch(commands, 1, 1, 1);
		submit();
	}
	return 0;
}

int main(int argc, char **argv) {
	(void)argc;
	words = malloc(sizeof(uint32_t) * (1 << 20));
	count = fread(words, 4, 1 << 20, stdin);
	const char *extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
	VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
	CHECK(vkCreateInstance(&(VkInstanceCreateInfo){.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
						       .pApplicationInfo = &app,
						       .enabledExtensionCount = 1,
						       .ppEnabledExtensionNames = &extension},
			       NULL, &instance));
	VkDebugUtilsMessengerCreateInfoEXT debug = {
		.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
		.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
		.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT,
		.pfnUserCallback = hear,
	};
	CHECK(((PFN_vkCreateDebugUtilsMessengerEXT)vkGetInstanceProcAddr(instance, "vkCreateDebugUtilsMessengerEXT"))(instance, &debug, NULL, &messenger));
	uint32_t one = 1;
	if (vkEnumeratePhysicalDevices(instance, &one, &physical) < 0 || one != 1) {
		fprintf(stderr, "%s: no device\n", argv[0]);
		return 1;
	}
	for (; next < count; number++) {
		program();
		vkDeviceWaitIdle(device);
		vkDestroyDevice(device, NULL); /* with all that is on it: nothing here says what is left behind */
	}
	device = VK_NULL_HANDLE;
	vkDestroyInstance(instance, NULL);
	return 0;
}

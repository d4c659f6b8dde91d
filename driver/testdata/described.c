/* Descriptors that lie in memory (VK_EXT_descriptor_buffer). C writes those of buffers by itself, which programs ask for
   with each draw: how often 1,000 of each kind went into Go, and those of samplers, is printed, if all is as it should be. */
#include "client.h"
#include "crossings.h"

enum { MANY = 1000, BYTES = 32, BINDINGS = 5, SET = BINDINGS * BYTES };

static PFN_vkGetDescriptorEXT describe;

/* words is an empty buffer of 4,096 bytes that has an address. */
static struct buffer words(VkBufferUsageFlags usage, VkDeviceAddress *address) {
	struct buffer b;
	CHECK(vkCreateBuffer(device,
			     &(VkBufferCreateInfo){.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
						   .size = 4096,
						   .usage = usage | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT},
			     NULL, &b.handle));
	VkMemoryRequirements need;
	vkGetBufferMemoryRequirements(device, b.handle, &need);
	VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
	CHECK(vkAllocateMemory(device,
			       &(VkMemoryAllocateInfo){.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
						       .pNext = &flags,
						       .allocationSize = need.size,
						       .memoryTypeIndex = memory_type(need.memoryTypeBits, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT)},
			       NULL, &b.memory));
	CHECK(vkBindBufferMemory(device, b.handle, b.memory, 0));
	CHECK(vkMapMemory(device, b.memory, 0, VK_WHOLE_SIZE, 0, &b.mapped));
	memset(b.mapped, 0, 4096);
	*address = vkGetBufferDeviceAddress(
		device, &(VkBufferDeviceAddressInfo){.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = b.handle});
	return b;
}

/* put writes a descriptor, and returns how many calls into Go that took. */
static unsigned long put(VkDescriptorType type, const void *of, void *to) {
	unsigned long before = crossings();
	describe(device,
		 &(VkDescriptorGetInfoEXT){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT, .type = type, .data.pUniformBuffer = of},
		 BYTES, to);
	return crossings() - before;
}

int main(int argc, char **argv) {
	open_instance(argc, argv, VK_API_VERSION_1_3);
	VkPhysicalDeviceDescriptorBufferFeaturesEXT buffers = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_FEATURES_EXT, .descriptorBuffer = 1};
	VkPhysicalDeviceRobustness2FeaturesEXT robust = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT, .pNext = &buffers, .nullDescriptor = 1};
	VkPhysicalDeviceBufferDeviceAddressFeatures addresses = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES, .pNext = &robust, .bufferDeviceAddress = 1};
	const char *extensions[] = {"VK_EXT_descriptor_buffer", "VK_EXT_robustness2"};
	open_device(&addresses, 1, extensions, COUNT(extensions));
	describe = (PFN_vkGetDescriptorEXT)vkGetDeviceProcAddr(device, "vkGetDescriptorEXT");

	VkDeviceAddress at, in_at, out_at;
	struct buffer set = words(VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT, &at);
	struct buffer in = words(VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT, &in_at);
	struct buffer out = words(VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, &out_at);
	for (uint32_t i = 0; i < 1024; i++)
		((uint32_t *)in.mapped)[i] = 100 + i;
	memset(out.mapped, 255, 4096);

	VkDescriptorType types[BINDINGS] = {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
					    VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
	VkDescriptorAddressInfoEXT of[BINDINGS] = {
		{.address = in_at + 256, .range = 16},
		{.address = out_at, .range = 32},
		{.address = in_at, .range = 16, .format = VK_FORMAT_R32_UINT},
		{.address = in_at + 512, .range = 48, .format = VK_FORMAT_R32_UINT},
		{.address = 0},
	};
	VkDescriptorSetLayoutBinding bindings[BINDINGS];
	unsigned long entered = 0, asked = 0;
	for (uint32_t i = 0; i < BINDINGS; i++) {
		bindings[i] = (VkDescriptorSetLayoutBinding){i, types[i], 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL};
		of[i].sType = VK_STRUCTURE_TYPE_DESCRIPTOR_ADDRESS_INFO_EXT;
		memset((uint8_t *)set.mapped + i * BYTES, 255, BYTES);
		for (int n = 0; n < MANY; n++)
			entered += put(types[i], &of[i], (uint8_t *)set.mapped + i * BYTES);
	}
	uint64_t none[BYTES / 8], words_of_none[BYTES / 8] = {0};
	memset(none, 255, sizeof none);
	entered += put(VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, NULL, none);
	if (memcmp(none, words_of_none, sizeof none))
		fail("the descriptor of no buffer is not all zero");
	VkSampler sampler;
	CHECK(vkCreateSampler(device, &(VkSamplerCreateInfo){.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO}, NULL, &sampler));
	for (int n = 0; n < MANY; n++)
		asked += put(VK_DESCRIPTOR_TYPE_SAMPLER, &sampler, none);

	VkDescriptorSetLayout layout;
	CHECK(vkCreateDescriptorSetLayout(device,
					  &(VkDescriptorSetLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
									     .flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT,
									     .bindingCount = BINDINGS,
									     .pBindings = bindings},
					  NULL, &layout));
	VkPipelineLayout whole;
	CHECK(vkCreatePipelineLayout(
		device, &(VkPipelineLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &layout},
		NULL, &whole));
	VkPipeline pipeline;
	VkShaderModule module = load_shader("described.comp");
	CHECK(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1,
				       &(VkComputePipelineCreateInfo){.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
								      .flags = VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT,
								      .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
										.stage = VK_SHADER_STAGE_COMPUTE_BIT,
										.module = module,
										.pName = "main"},
								      .layout = whole},
				       NULL, &pipeline));
	vkDestroyShaderModule(device, module, NULL);
	VkCommandPool pool = new_pool(0);
	VkCommandBuffer c = new_commands(pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
	VkQueue queue;
	vkGetDeviceQueue(device, 0, 0, &queue);
	CHECK(vkBeginCommandBuffer(c, &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO}));
	vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
	((PFN_vkCmdBindDescriptorBuffersEXT)vkGetDeviceProcAddr(device, "vkCmdBindDescriptorBuffersEXT"))(
		c, 1,
		&(VkDescriptorBufferBindingInfoEXT){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_BUFFER_BINDING_INFO_EXT,
						    .address = at,
						    .usage = VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT});
	((PFN_vkCmdSetDescriptorBufferOffsetsEXT)vkGetDeviceProcAddr(device, "vkCmdSetDescriptorBufferOffsetsEXT"))(
		c, VK_PIPELINE_BIND_POINT_COMPUTE, whole, 0, 1, &(uint32_t){0}, &(VkDeviceSize){0});
	vkCmdDispatch(c, 1, 1, 1);
	CHECK(vkEndCommandBuffer(c));
	CHECK(vkQueueSubmit(queue, 1, &(VkSubmitInfo){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &c}, VK_NULL_HANDLE));
	CHECK(vkQueueWaitIdle(queue));
	const uint32_t want[] = {164, 101, 4, 229, 12, 0, 7, UINT32_MAX};
	for (uint32_t i = 0; i < COUNT(want); i++)
		if (((uint32_t *)out.mapped)[i] != want[i])
			fail("word %" PRIu32 " is %" PRIu32 ", want %" PRIu32, i, ((uint32_t *)out.mapped)[i], want[i]);
	if (!failures)
		printf("%lu %lu\n", entered, asked);

	vkDestroyCommandPool(device, pool, NULL);
	vkDestroyPipeline(device, pipeline, NULL);
	vkDestroyPipelineLayout(device, whole, NULL);
	vkDestroyDescriptorSetLayout(device, layout, NULL);
	vkDestroySampler(device, sampler, NULL);
	free_buffer(out), free_buffer(in), free_buffer(set);
	return close_all();
}

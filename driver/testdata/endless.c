/* Work that is legal and never ends: a dispatch of 65535^3 workgroups. Waiting for it
   ends when its time is over, and tells so; a device that goes away does not wait.
   Prints what took how long, and what the driver says. */
#include "client.h"

#include <time.h>
#include <unistd.h>

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}

static void lost(const char *what, VkResult result) {
	if (result != VK_ERROR_DEVICE_LOST)
		fail("%s: %d, want VK_ERROR_DEVICE_LOST", what, result);
}

static double submitted; /* when work without end was */

/* start makes a device and a queue that is busy for ever. */
static VkQueue start(void) {
	open_device(NULL, 1, NULL, 0);
	VkQueue queue;
	vkGetDeviceQueue(device, 0, 0, &queue);
	VkDescriptorSetLayoutBinding binding = {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL};
	VkDescriptorSetLayout set_layout;
	CHECK(vkCreateDescriptorSetLayout(device,
					  &(VkDescriptorSetLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
									     .bindingCount = 1,
									     .pBindings = &binding},
					  NULL, &set_layout));
	VkPipelineLayout layout;
	CHECK(vkCreatePipelineLayout(
		device,
		&(VkPipelineLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &set_layout},
		NULL, &layout));
	VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1};
	VkDescriptorPool descriptors;
	CHECK(vkCreateDescriptorPool(device,
				     &(VkDescriptorPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
								   .maxSets = 1,
								   .poolSizeCount = 1,
								   .pPoolSizes = &size},
				     NULL, &descriptors));
	VkDescriptorSet set;
	CHECK(vkAllocateDescriptorSets(device,
				       &(VkDescriptorSetAllocateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
								      .descriptorPool = descriptors,
								      .descriptorSetCount = 1,
								      .pSetLayouts = &set_layout},
				       &set));
	VkBuffer buffer;
	CHECK(vkCreateBuffer(device,
			     &(VkBufferCreateInfo){.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 64, .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT},
			     NULL, &buffer));
	VkMemoryRequirements need;
	vkGetBufferMemoryRequirements(device, buffer, &need);
	CHECK(vkBindBufferMemory(device, buffer, allocate(need, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT), 0));
	VkDescriptorBufferInfo words = {buffer, 0, VK_WHOLE_SIZE};
	vkUpdateDescriptorSets(device, 1,
			       &(VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
						       .dstSet = set,
						       .descriptorCount = 1,
						       .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
						       .pBufferInfo = &words},
			       0, NULL);
	VkCommandBuffer c = new_commands(new_pool(0), VK_COMMAND_BUFFER_LEVEL_PRIMARY);
	CHECK(vkBeginCommandBuffer(c, &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO}));
	vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, new_compute_pipeline(layout, "endless.comp"));
	vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, NULL);
	vkCmdDispatch(c, 65535, 65535, 65535);
	CHECK(vkEndCommandBuffer(c));
	VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &c};
	submitted = now();
	CHECK(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE));
	return queue;
}

int main(int argc, char **argv) {
	setbuf(stdout, NULL);
	dup2(1, 2); /* what the driver says is for the test */
	open_instance(argc, argv, VK_API_VERSION_1_2);
	VkQueue queue = start();
	VkFence fence;
	CHECK(vkCreateFence(device, &(VkFenceCreateInfo){.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO}, NULL, &fence));
	lost("vkDeviceWaitIdle", vkDeviceWaitIdle(device));
	printf("lost after %.1f ms\n", now() - submitted);
	lost("vkQueueWaitIdle", vkQueueWaitIdle(queue));
	lost("vkQueueSubmit", vkQueueSubmit(queue, 0, NULL, fence));
	lost("vkGetFenceStatus", vkGetFenceStatus(device, fence));
	lost("vkWaitForFences", vkWaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX));
	double begin = now();
	vkDestroyDevice(device, NULL);
	printf("a lost device destroyed after %.1f ms\n", now() - begin);

	start();
	usleep(50 * 1000);
	begin = now();
	vkDestroyDevice(device, NULL);
	printf("a busy device destroyed after %.1f ms\n", now() - begin);
	vkDestroyInstance(instance, NULL);
	return failures ? 1 : 0;
}

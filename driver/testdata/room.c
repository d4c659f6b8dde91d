/* A program whose addresses are limited (ulimit -v): whatever runs out is said, and what
   is freed can be used again. It prints "works" or, where there is not enough for a
   device, "refused". Arguments: the folder of the shaders, and the limit in KiB, under which it
   starts anew. */
#include <sys/resource.h>
#include <unistd.h>

#include "client.h"

enum { MOST = 1 << 15 };

static int out_of_memory(VkResult r) {
	return r == VK_ERROR_OUT_OF_HOST_MEMORY || r == VK_ERROR_OUT_OF_DEVICE_MEMORY || r == VK_ERROR_TOO_MANY_OBJECTS;
}

/* refused ends the program well: there is no device. */
static void refused(const char *what, VkResult r) {
	if (!out_of_memory(r) && r != VK_ERROR_INCOMPATIBLE_DRIVER && r != VK_ERROR_INITIALIZATION_FAILED)
		fail("%s: %d", what, r);
	puts("refused");
	exit(failures != 0);
}

static void open_all(void) {
	VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
	VkResult r = vkCreateInstance(&info, NULL, &instance);
	if (r)
		refused("vkCreateInstance", r);
	uint32_t n = 1;
	r = vkEnumeratePhysicalDevices(instance, &n, &physical);
	if (r < 0 || n != 1)
		refused("vkEnumeratePhysicalDevices", r < 0 ? r : VK_ERROR_INITIALIZATION_FAILED);
	float priority = 1;
	VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
	VkDeviceCreateInfo create = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue};
	if ((r = vkCreateDevice(physical, &create, NULL, &device)))
		refused("vkCreateDevice", r);
}

static VkDeviceMemory memories[MOST];

/* take allocates until no page is left. */
static int take(void) {
	int n = 0;
	for (VkDeviceSize size = 64 << 20; size >= 4096 && n < MOST;) {
		VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = size};
		VkResult r = vkAllocateMemory(device, &info, NULL, &memories[n]);
		if (r && !out_of_memory(r))
			fail("vkAllocateMemory: %d", r);
		if (r)
			size /= 4;
		else
			n++;
	}
	return n;
}

static void give(int n) {
	for (int i = 0; i < n; i++)
		vkFreeMemory(device, memories[i], NULL);
}

/* record records commands, for which there may be no memory. */
static void record(const char *when, int updates) {
	static char data[65536];
	VkCommandPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
	VkCommandPool pool;
	VkResult r = vkCreateCommandPool(device, &info, NULL, &pool);
	if (r) {
		if (!out_of_memory(r))
			fail("%s: vkCreateCommandPool: %d", when, r);
		return;
	}
	VkCommandBufferAllocateInfo allocate = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool, .commandBufferCount = 1};
	VkCommandBuffer c = NULL;
	VkBuffer b = VK_NULL_HANDLE;
	VkBufferCreateInfo buffer = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 65536, .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
	if (!(r = vkAllocateCommandBuffers(device, &allocate, &c)) && !(r = vkCreateBuffer(device, &buffer, NULL, &b))) {
		VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
		vkBeginCommandBuffer(c, &begin);
		for (int i = 0; i < updates; i++)
			vkCmdUpdateBuffer(c, b, 0, 65536, data);
		r = vkEndCommandBuffer(c);
	}
	if (r && !out_of_memory(r))
		fail("%s: recording: %d", when, r);
	vkDestroyBuffer(device, b, NULL);
	vkDestroyCommandPool(device, pool, NULL);
}

/* objects makes samplers, layouts and pools of sets until there is no memory, or many. */
static void objects(const char *when) {
	static VkDescriptorPool pools[MOST];
	int n = 0;
	VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 4096};
	VkDescriptorPoolCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 1, .pPoolSizes = &size};
	VkDescriptorSetLayoutBinding binding = {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 4096, VK_SHADER_STAGE_COMPUTE_BIT, NULL};
	VkDescriptorSetLayoutCreateInfo describe = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 1, .pBindings = &binding};
	VkDescriptorSetLayout layout = VK_NULL_HANDLE;
	VkResult r = vkCreateDescriptorSetLayout(device, &describe, NULL, &layout);
	while (!r && n < MOST) {
		if ((r = vkCreateDescriptorPool(device, &info, NULL, &pools[n])))
			break;
		VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
							.descriptorPool = pools[n++],
							.descriptorSetCount = 1,
							.pSetLayouts = &layout};
		VkDescriptorSet set;
		r = vkAllocateDescriptorSets(device, &allocate, &set);
	}
	if (r && !out_of_memory(r))
		fail("%s: object %d: %d", when, n, r);
	if (!r)
		fail("%s: there is room for 8 GiB of descriptors", when);
	for (int i = 0; i < n; i++)
		vkDestroyDescriptorPool(device, pools[i], NULL);
	vkDestroyDescriptorSetLayout(device, layout, NULL);
}

/* work runs a compute shader, whose result must be right. */
static void work(void) {
	struct buffer b = new_buffer(64 * 6 * 32, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
	VkDescriptorSetLayoutBinding binding = {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL};
	VkDescriptorSetLayout layout;
	CHECK(vkCreateDescriptorSetLayout(device,
					  &(VkDescriptorSetLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
									     .bindingCount = 1,
									     .pBindings = &binding},
					  NULL, &layout));
	VkPipelineLayout pipelines;
	CHECK(vkCreatePipelineLayout(device,
				     &(VkPipelineLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
								   .setLayoutCount = 1,
								   .pSetLayouts = &layout},
				     NULL, &pipelines));
	VkPipeline pipeline = new_compute_pipeline(pipelines, "squares.comp");
	VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1};
	VkDescriptorPool sets;
	CHECK(vkCreateDescriptorPool(device,
				     &(VkDescriptorPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
								   .maxSets = 1,
								   .poolSizeCount = 1,
								   .pPoolSizes = &size},
				     NULL, &sets));
	VkDescriptorSet set;
	CHECK(vkAllocateDescriptorSets(device,
				       &(VkDescriptorSetAllocateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
								      .descriptorPool = sets,
								      .descriptorSetCount = 1,
								      .pSetLayouts = &layout},
				       &set));
	VkDescriptorBufferInfo whole = {b.handle, 0, VK_WHOLE_SIZE};
	vkUpdateDescriptorSets(device, 1,
			       &(VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
						       .dstSet = set,
						       .descriptorCount = 1,
						       .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
						       .pBufferInfo = &whole},
			       0, NULL);
	VkCommandPool pool = new_pool(0);
	VkCommandBuffer c = new_commands(pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
	CHECK(vkBeginCommandBuffer(c, &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO}));
	vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
	vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipelines, 0, 1, &set, 0, NULL);
	vkCmdDispatch(c, 1, 1, 1);
	CHECK(vkEndCommandBuffer(c));
	VkQueue queue;
	vkGetDeviceQueue(device, 0, 0, &queue);
	CHECK(vkQueueSubmit(queue, 1,
			    &(VkSubmitInfo){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &c},
			    VK_NULL_HANDLE));
	CHECK(vkQueueWaitIdle(queue));
	if (((float *)b.mapped)[7] != 1)
		fail("the shader did not run");
	vkDestroyCommandPool(device, pool, NULL);
	vkDestroyDescriptorPool(device, sets, NULL);
	vkDestroyPipeline(device, pipeline, NULL);
	vkDestroyPipelineLayout(device, pipelines, NULL);
	vkDestroyDescriptorSetLayout(device, layout, NULL);
	free_buffer(b);
}

/* take_host uses up what the limit leaves, as far as malloc gives it. */
static int take_host(void **list) {
	int n = 0;
	for (size_t size = 64 << 20; size >= 4096; size /= 4)
		while (n < MOST && (list[n] = malloc(size)))
			n++;
	return n;
}

int main(int argc, char **argv) {
	static void *host[MOST];
	setbuf(stdout, NULL);
	if (argc > 2) {
		rlim_t limit = (rlim_t)atol(argv[2]) << 10;
		if (!setrlimit(RLIMIT_AS, &(struct rlimit){limit, limit}))
			execl("/proc/self/exe", argv[0], argv[1], NULL);
		perror(argv[2]);
		return 1;
	}
	folder = argv[1];
	open_all();
	work();
	int n = take();
	record("without device memory", 1000);
	objects("without device memory");
	give(n);
	record("alone", 2000);
	work();

	n = take();
	int mine = take_host(host);
	record("without anything", 100);
	objects("without anything");
	give(n);
	for (int i = 0; i < mine; i++)
		free(host[i]);
	work();
	vkDestroyDevice(device, NULL);
	vkDestroyInstance(instance, NULL);
	open_all();
	work();
	n = close_all();
	puts("works");
	return n;
}

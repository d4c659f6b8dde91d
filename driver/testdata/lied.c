/* The driver is a helper that lies (liar.c). Argument: how many times. Whatever calls return, the program lives, and none of them
   takes longer than a minute. Prints how many instances and devices there were. No loader is between: it would believe what it is told. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <vulkan/vulkan.h>

static PFN_vkGetInstanceProcAddr get;
static VkInstance instance;
static int devices;

/* call calls an entry point, if the driver says that there is one. */
#define call(name, ...) ({                                              \
	PFN_##name f_ = (PFN_##name)get(instance, #name);               \
	f_ ? (f_(__VA_ARGS__)) : VK_ERROR_UNKNOWN; })
#define call_void(name, ...) do {                                       \
	PFN_##name f_ = (PFN_##name)get(instance, #name);               \
	if (f_) f_(__VA_ARGS__);                                        \
} while (0)

static void use(void) {
	static VkPhysicalDeviceProperties properties;
	static VkQueueFamilyProperties families[4];
	static VkPhysicalDeviceMemoryProperties memories;
	VkPhysicalDevice all[4] = {0};
	uint32_t n = 4;
	if (call(vkEnumeratePhysicalDevices, instance, &n, all) || !all[0])
		return;
	call_void(vkGetPhysicalDeviceProperties, all[0], &properties);
	call_void(vkGetPhysicalDeviceMemoryProperties, all[0], &memories);
	n = 4;
	call_void(vkGetPhysicalDeviceQueueFamilyProperties, all[0], &n, families);
	float priority = 1;
	VkDeviceQueueCreateInfo q = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
	VkDeviceCreateInfo di = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &q};
	VkDevice d = NULL;
	if (call(vkCreateDevice, all[0], &di, NULL, &d) || !d)
		return;
	devices++;
	VkBuffer buffer = 0;
	VkDeviceMemory memory = 0;
	VkFence fence = 0;
	VkCommandPool pool = 0;
	VkCommandBuffer commands = NULL;
	VkQueue queue = NULL;
	void *mapped = NULL;
	VkBufferCreateInfo bi = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 4096, .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
	VkMemoryAllocateInfo ai = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = 4096};
	VkCommandPoolCreateInfo pi = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
	VkFenceCreateInfo fi = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	call(vkCreateBuffer, d, &bi, NULL, &buffer);
	call(vkAllocateMemory, d, &ai, NULL, &memory);
	call(vkBindBufferMemory, d, buffer, memory, 0);
	if (!call(vkMapMemory, d, memory, 0, 4096, 0, &mapped) && mapped)
		*(volatile char *)mapped = 1; /* it is memory, whose ever */
	call(vkCreateFence, d, &fi, NULL, &fence);
	call(vkGetFenceStatus, d, fence);
	call(vkWaitForFences, d, 1, &fence, VK_TRUE, 1000);
	call(vkCreateCommandPool, d, &pi, NULL, &pool);
	VkCommandBufferAllocateInfo ci = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, NULL, pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
	if (!call(vkAllocateCommandBuffers, d, &ci, &commands) && commands) {
		VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
		call(vkBeginCommandBuffer, commands, &begin);
		for (int i = 0; i < 100; i++)
			call_void(vkCmdFillBuffer, commands, buffer, 0, 4096, (uint32_t)i);
		call(vkEndCommandBuffer, commands);
	}
	call_void(vkGetDeviceQueue, d, 0, 0, &queue);
	if (queue) {
		VkSubmitInfo si = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
		call(vkQueueSubmit, queue, commands != NULL, &si, fence);
	}
	call_void(vkDestroyDevice, d, NULL);
}

int main(int argc, char **argv) {
	int rounds = argc > 2 ? atoi(argv[2]) : 10, instances = 0;
	VkInstanceCreateInfo ii = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
	const char *path = getenv("PUMICE_DRIVER");
	void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
	get = library ? (PFN_vkGetInstanceProcAddr)dlsym(library, "vk_icdGetInstanceProcAddr") : NULL;
	if (!get) {
		fprintf(stderr, "%s: %s\n", path, dlerror());
		return 1;
	}
	for (int i = 0; i < rounds; i++) {
		alarm(60);
		instance = NULL;
		if (call(vkCreateInstance, &ii, NULL, &instance) || !instance)
			continue;
		instances++;
		use();
		call_void(vkDestroyInstance, instance, NULL);
	}
	printf("%d %d\n", instances, devices);
	return 0;
}

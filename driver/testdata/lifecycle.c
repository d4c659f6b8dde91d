/* Instances and devices come and go. Arguments: how many times. Prints in KiB by how
   much the least resident memory of the last fifth is above the most of the second:
   the Go heap breathes by some MiB, and only what nobody gives back is left. The
   second half of the program forks: calls of the child fail, and do not hang. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vulkan/vulkan.h>

static VkDevice open_device(VkInstance *instance) {
	VkInstanceCreateInfo ii = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
	if (vkCreateInstance(&ii, NULL, instance) != VK_SUCCESS)
		exit(10);
	VkPhysicalDevice physical;
	uint32_t n = 1;
	if (vkEnumeratePhysicalDevices(*instance, &n, &physical) != VK_SUCCESS || n != 1)
		exit(11);
	float priority = 1;
	VkDeviceQueueCreateInfo q = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
	q.queueCount = 1;
	q.pQueuePriorities = &priority;
	VkDeviceCreateInfo di = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
	di.queueCreateInfoCount = 1;
	di.pQueueCreateInfos = &q;
	VkDevice device;
	if (vkCreateDevice(physical, &di, NULL, &device) != VK_SUCCESS)
		exit(12);
	return device;
}

static void cycle(void) {
	VkInstance instance;
	VkDevice device = open_device(&instance);
	VkMemoryAllocateInfo ai = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
	ai.allocationSize = 1 << 16;
	VkDeviceMemory memory;
	void *p;
	if (vkAllocateMemory(device, &ai, NULL, &memory) != VK_SUCCESS || vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, &p) != VK_SUCCESS)
		exit(13);
	memset(p, 1, ai.allocationSize);
	vkUnmapMemory(device, memory);
	vkFreeMemory(device, memory, NULL);

	VkCommandPoolCreateInfo pi = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
	VkCommandPool pool;
	if (vkCreateCommandPool(device, &pi, NULL, &pool) != VK_SUCCESS)
		exit(14);
	VkCommandBufferAllocateInfo ci = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, NULL, pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
	VkCommandBuffer commands;
	if (vkAllocateCommandBuffers(device, &ci, &commands) != VK_SUCCESS)
		exit(15);
	VkCommandBufferBeginInfo bi = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	VkViewport viewport = {0, 0, 16, 16, 0, 1};
	vkBeginCommandBuffer(commands, &bi);
	for (int i = 0; i < 3000; i++) /* more than a chunk */
		vkCmdSetViewport(commands, 0, 1, &viewport);
	if (vkEndCommandBuffer(commands) != VK_SUCCESS)
		exit(16);
	vkDestroyCommandPool(device, pool, NULL);
	vkDestroyDevice(device, NULL);
	vkDestroyInstance(instance, NULL);
}

static long resident(void) {
	long total = 0, pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");
	if (!f || fscanf(f, "%ld %ld", &total, &pages) != 2)
		exit(17);
	fclose(f);
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

int main(int argc, char **argv) {
	int cycles = argc > 1 ? atoi(argv[1]) : 100;
	long before = 0, after = LONG_MAX;
	for (int i = 0; i < cycles; i++) {
		cycle();
		long now = resident();
		if (i * 5 / cycles == 1 && now > before)
			before = now;
		if (i * 5 / cycles == 4 && now < after)
			after = now;
	}
	printf("%ld\n", after - before);
	fflush(stdout);

	VkInstance instance;
	VkDevice device = open_device(&instance);
	pid_t child = fork();
	if (child == 0) {
		alarm(60); /* a call that hangs */
		_exit(vkDeviceWaitIdle(device) == VK_ERROR_DEVICE_LOST ? 0 : 1);
	}
	int status;
	if (waitpid(child, &status, 0) != child || status != 0)
		exit(18);
	if (vkDeviceWaitIdle(device) != VK_SUCCESS)
		exit(19);
	vkDestroyDevice(device, NULL);
	vkDestroyInstance(instance, NULL);
	return 0;
}

/* What a recorded command points to belongs to the application again once the call
   returns. Arrays are overwritten and freed here right after recording; the copies
   must be what runs. Prints nothing; the exit code says what went wrong. */
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

#define WORDS 16384u /* 64 KiB: the most that vkCmdUpdateBuffer takes, and a chunk of its own */

#define TRY(call, code) \
	do { \
		if ((call) != VK_SUCCESS) \
			exit(code); \
	} while (0)

static VkDevice device;
static VkDeviceMemory memory;

static VkBuffer buffer(VkDeviceSize offset) {
	VkBufferCreateInfo info = {VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
	info.size = WORDS * 4;
	info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
	VkBuffer b;
	TRY(vkCreateBuffer(device, &info, NULL, &b), 20);
	VkMemoryRequirements need;
	vkGetBufferMemoryRequirements(device, b, &need);
	if (need.size > WORDS * 4 + 256)
		exit(21);
	TRY(vkBindBufferMemory(device, b, memory, offset), 22);
	return b;
}

int main(void) {
	VkInstance instance;
	VkInstanceCreateInfo ii = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
	TRY(vkCreateInstance(&ii, NULL, &instance), 1);
	VkPhysicalDevice physical;
	uint32_t one = 1;
	TRY(vkEnumeratePhysicalDevices(instance, &one, &physical), 2);
	float priority = 1;
	VkDeviceQueueCreateInfo qi = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, NULL, 0, 0, 1, &priority};
	VkDeviceCreateInfo di = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, NULL, 0, 1, &qi};
	TRY(vkCreateDevice(physical, &di, NULL, &device), 3);
	VkQueue queue;
	vkGetDeviceQueue(device, 0, 0, &queue);
	VkMemoryAllocateInfo ai = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, NULL, 4 * WORDS * 4, 0};
	TRY(vkAllocateMemory(device, &ai, NULL, &memory), 4);
	VkBuffer from = buffer(0), to = buffer(2 * WORDS * 4);

	VkCommandPoolCreateInfo pi = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
	VkCommandPool pool;
	TRY(vkCreateCommandPool(device, &pi, NULL, &pool), 5);
	VkCommandBufferAllocateInfo ci = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, NULL, pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
	VkCommandBuffer commands;
	TRY(vkAllocateCommandBuffers(device, &ci, &commands), 6);
	VkCommandBufferBeginInfo bi = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	TRY(vkBeginCommandBuffer(commands, &bi), 7);

	uint32_t *data = malloc(WORDS * 4);
	for (uint32_t i = 0; i < WORDS; i++)
		data[i] = i * 2654435761u;
	vkCmdUpdateBuffer(commands, from, 0, WORDS * 4, data);
	memset(data, 0xee, WORDS * 4);
	free(data);

	VkMemoryBarrier *barrier = calloc(1, sizeof *barrier);
	barrier->sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
	barrier->srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
	barrier->dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT;
	vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1, barrier, 0, NULL, 0, NULL);
	memset(barrier, 0xee, sizeof *barrier);
	free(barrier);

	/* Every word on its own, the last one first. */
	VkBufferCopy *regions = malloc(WORDS * sizeof *regions);
	for (uint32_t i = 0; i < WORDS; i++)
		regions[i] = (VkBufferCopy){i * 4, (WORDS - 1 - i) * 4, 4};
	vkCmdCopyBuffer(commands, from, to, WORDS, regions);
	memset(regions, 0xee, WORDS * sizeof *regions);
	free(regions);
	TRY(vkEndCommandBuffer(commands), 8);

	VkSubmitInfo si = {VK_STRUCTURE_TYPE_SUBMIT_INFO};
	si.commandBufferCount = 1;
	si.pCommandBuffers = &commands;
	TRY(vkQueueSubmit(queue, 1, &si, VK_NULL_HANDLE), 9);
	TRY(vkQueueWaitIdle(queue), 10);
	uint32_t *got;
	TRY(vkMapMemory(device, memory, 2 * WORDS * 4, WORDS * 4, 0, (void **)&got), 11);
	for (uint32_t i = 0; i < WORDS; i++)
		if (got[i] != (WORDS - 1 - i) * 2654435761u)
			return 12;
	vkDestroyBuffer(device, from, NULL);
	vkDestroyBuffer(device, to, NULL);
	vkFreeMemory(device, memory, NULL);
	vkDestroyCommandPool(device, pool, NULL);
	vkDestroyDevice(device, NULL);
	vkDestroyInstance(instance, NULL);
	return 0;
}

/* Several threads record into one command buffer at a time, against the rules: the host survives, and the command buffers that
   each of them records alone, beside it, hold what was recorded into them. Prints nothing if all is well. */
#include "client.h"

#include <pthread.h>

enum { RECORDERS = 4, COMMANDS = 2000, ROUNDS = 10 };

static VkCommandBuffer shared, own[RECORDERS];
static struct buffer target;
static pthread_barrier_t together;

/* Records of a few sizes with copies of many, so that threads take new memory at any time. */
static void *record(void *argument) {
	uint32_t n = (uint32_t)(uintptr_t)argument;
	static const uint32_t zeros[4096];
	VkBufferCopy regions[64];
	for (uint32_t i = 0; i < 64; i++)
		regions[i] = (VkBufferCopy){.srcOffset = 131072, .dstOffset = 65536 + 16 * i, .size = 16};
	VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	for (uint32_t round = 0; round < ROUNDS; round++) {
		if (n == 0)
			CHECK(vkBeginCommandBuffer(shared, &begin));
		CHECK(vkBeginCommandBuffer(own[n], &begin));
		pthread_barrier_wait(&together);
		for (uint32_t i = 0; i < COMMANDS; i++) {
			vkCmdFillBuffer(shared, target.handle, 65536, 4, i);
			vkCmdUpdateBuffer(shared, target.handle, 65536, 4 + i * 52 % 4096 / 4 * 4, zeros);
			vkCmdCopyBuffer(shared, target.handle, target.handle, 1 + i % 64, regions);
			vkCmdFillBuffer(own[n], target.handle, 4 * (n * COMMANDS + i), 4, round << 20 | n << 16 | i);
		}
		pthread_barrier_wait(&together);
		if (n == 0)
			(void)vkEndCommandBuffer(shared);
		CHECK(vkEndCommandBuffer(own[n]));
	}
	return NULL;
}

int main(int argc, char **argv) {
	open_instance(argc, argv, VK_API_VERSION_1_0);
	open_device(NULL, 2, NULL, 0);
	VkQueue queue;
	vkGetDeviceQueue(device, 0, 0, &queue);
	target = new_buffer(1 << 18, VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
	pthread_barrier_init(&together, NULL, RECORDERS);
	pthread_t threads[RECORDERS];
	VkCommandPool pools[RECORDERS + 1];
	for (uint32_t n = 0; n <= RECORDERS; n++) {
		CHECK(vkCreateCommandPool(device, &(VkCommandPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT}, NULL, &pools[n]));
		*(n < RECORDERS ? &own[n] : &shared) = new_commands(pools[n], VK_COMMAND_BUFFER_LEVEL_PRIMARY);
	}
	for (uint32_t n = 0; n < RECORDERS; n++)
		if (pthread_create(&threads[n], NULL, record, (void *)(uintptr_t)n))
			return 2;
	for (uint32_t n = 0; n < RECORDERS; n++)
		pthread_join(threads[n], NULL);
	CHECK(vkQueueSubmit(queue, 1, &(VkSubmitInfo){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = RECORDERS, .pCommandBuffers = own}, VK_NULL_HANDLE));
	CHECK(vkQueueWaitIdle(queue));
	const uint32_t *words = target.mapped;
	for (uint32_t n = 0; n < RECORDERS; n++)
		for (uint32_t i = 0; i < COMMANDS; i++)
			if (words[n * COMMANDS + i] != ((uint32_t)(ROUNDS - 1) << 20 | n << 16 | i)) {
				fail("command %" PRIu32 " of thread %" PRIu32 " left %#" PRIx32, i, n, words[n * COMMANDS + i]);
				return close_all();
			}
	for (uint32_t n = 0; n <= RECORDERS; n++)
		vkDestroyCommandPool(device, pools[n], NULL);
	free_buffer(target);
	return close_all();
}

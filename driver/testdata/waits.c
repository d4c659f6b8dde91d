/* Threads that wait without end for a fence and for semaphores, which are destroyed with their device: all return, and are
   told that the device is lost. Prints nothing if all is well. */
#define _GNU_SOURCE
#include "client.h"

#include <pthread.h>
#include <time.h>

static VkFence fence;
static VkSemaphore semaphore;

static void *wait_for_fence(void *unused) {
	(void)unused;
	return (void *)(intptr_t)vkWaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX);
}

static void *wait_for_semaphore(void *unused) {
	(void)unused;
	uint64_t value = 7;
	return (void *)(intptr_t)vkWaitSemaphores(device, &(VkSemaphoreWaitInfo){.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, .semaphoreCount = 1, .pSemaphores = &semaphore, .pValues = &value}, UINT64_MAX);
}

int main(int argc, char **argv) {
	open_instance(argc, argv, VK_API_VERSION_1_2);
	for (int destroy_first = 0; destroy_first < 2; destroy_first++) {
		VkPhysicalDeviceTimelineSemaphoreFeatures timeline = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES, .timelineSemaphore = 1};
		open_device(&timeline, 1, NULL, 0);
		CHECK(vkCreateFence(device, &(VkFenceCreateInfo){.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO}, NULL, &fence));
		VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
		CHECK(vkCreateSemaphore(device, &(VkSemaphoreCreateInfo){.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type}, NULL, &semaphore));
		pthread_t threads[4];
		for (int i = 0; i < 4; i++)
			if (pthread_create(&threads[i], NULL, i % 2 ? wait_for_semaphore : wait_for_fence, NULL))
				return 2;
		nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
		if (destroy_first) {
			vkDestroyFence(device, fence, NULL);
			vkDestroySemaphore(device, semaphore, NULL);
		}
		vkDestroyDevice(device, NULL);
		for (int i = 0; i < 4; i++) {
			struct timespec until;
			void *result;
			clock_gettime(CLOCK_REALTIME, &until);
			until.tv_sec += 20;
			if (pthread_timedjoin_np(threads[i], &result, &until)) {
				fail("thread %d still waits", i);
				return 1;
			}
			if ((VkResult)(intptr_t)result != VK_ERROR_DEVICE_LOST)
				fail("thread %d: %d", i, (int)(intptr_t)result);
		}
	}
	vkDestroyInstance(instance, NULL);
	return failures != 0;
}

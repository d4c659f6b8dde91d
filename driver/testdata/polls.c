/* What programs ask again and again: fences and timeline semaphores, of which C answers
   for some by itself and Go for others (those past the first 512, and those whose payload
   came from elsewhere), waits for them, and resets. Prints nothing but how often 10,000 vkGetFenceStatus of either kind
   went into Go, and nanoseconds of one, if all is well. */
#include "crossings.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <vulkan/vulkan.h>

enum { MANY = 600 };

static int failures;

#define EXPECT(call, result)                                                            \
	do {                                                                            \
		VkResult r_ = (call);                                                   \
		if (r_ != (result)) {                                                   \
			printf("%s:%d: %s = %d\n", __FILE__, __LINE__, #call, r_);      \
			failures++;                                                     \
		}                                                                       \
	} while (0)

static VkDevice device;

static VkFence new_fence(VkFenceCreateFlags flags) {
	VkFence f = VK_NULL_HANDLE;
	EXPECT(vkCreateFence(device, &(VkFenceCreateInfo){.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, .flags = flags}, NULL, &f), VK_SUCCESS);
	return f;
}

static VkSemaphore new_semaphore(uint64_t value) {
	VkSemaphore s = VK_NULL_HANDLE;
	VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE, .initialValue = value};
	EXPECT(vkCreateSemaphore(device, &(VkSemaphoreCreateInfo){.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type}, NULL, &s), VK_SUCCESS);
	return s;
}

struct cost {
	unsigned long entered;
	long ns;
};

static struct cost cost(VkFence f) {
	struct timespec a, b;
	unsigned long before = crossings();
	clock_gettime(CLOCK_MONOTONIC, &a);
	for (int i = 0; i < 10000; i++)
		vkGetFenceStatus(device, f);
	clock_gettime(CLOCK_MONOTONIC, &b);
	return (struct cost){crossings() - before, ((b.tv_sec - a.tv_sec) * 1000000000 + b.tv_nsec - a.tv_nsec) / 10000};
}

static void *signal_later(void *semaphore) {
	nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
	EXPECT(vkSignalSemaphore(device, &(VkSemaphoreSignalInfo){.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
								  .semaphore = *(VkSemaphore *)semaphore, .value = 100}), VK_SUCCESS);
	return NULL;
}

/* wait_in_c waits for two fences and a semaphore, and returns how often that went into Go. */
static unsigned long wait_in_c(VkQueue queue, const VkFence *f, VkSemaphore s) {
	VkSemaphoreWaitInfo one = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, .semaphoreCount = 1, .pSemaphores = &s, .pValues = &(uint64_t){100}};
	struct timespec a, b;
	pthread_t other;
	EXPECT(vkResetFences(device, 2, f), VK_SUCCESS);
	EXPECT(vkQueueSubmit(queue, 0, NULL, f[0]), VK_SUCCESS);
	unsigned long before = crossings();
	EXPECT(vkWaitForFences(device, 1, f, VK_TRUE, UINT64_MAX), VK_SUCCESS);
	clock_gettime(CLOCK_MONOTONIC, &a);
	EXPECT(vkWaitForFences(device, 2, f, VK_TRUE, 3000000), VK_TIMEOUT);
	clock_gettime(CLOCK_MONOTONIC, &b);
	if ((b.tv_sec - a.tv_sec) * 1000000000 + b.tv_nsec - a.tv_nsec < 3000000)
		printf("a wait of 3 ms ends too soon\n"), failures++;
	EXPECT(vkResetFences(device, 2, f), VK_SUCCESS);
	EXPECT(vkGetFenceStatus(device, f[0]), VK_NOT_READY);
	EXPECT(vkWaitForFences(device, 2, f, VK_FALSE, 0), VK_TIMEOUT);
	EXPECT(vkWaitSemaphores(device, &one, 1000), VK_TIMEOUT);
	if (pthread_create(&other, NULL, signal_later, &s))
		exit(4);
	EXPECT(vkWaitSemaphores(device, &one, UINT64_MAX), VK_SUCCESS);
	pthread_join(other, NULL);
	return crossings() - before;
}

int main(void) {
	VkInstance instance;
	VkPhysicalDevice physical;
	uint32_t one = 1;
	float priority = 1;
	if (vkCreateInstance(&(VkInstanceCreateInfo){.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
		.pApplicationInfo = &(VkApplicationInfo){.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_2}}, NULL, &instance) ||
	    vkEnumeratePhysicalDevices(instance, &one, &physical) < 0)
		return 2;
	const char *extension = "VK_KHR_external_fence_fd";
	VkPhysicalDeviceTimelineSemaphoreFeatures timeline = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES, .timelineSemaphore = 1};
	if (vkCreateDevice(physical, &(VkDeviceCreateInfo){.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = &timeline, .queueCreateInfoCount = 1,
		.pQueueCreateInfos = &(VkDeviceQueueCreateInfo){.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority},
		.enabledExtensionCount = 1, .ppEnabledExtensionNames = &extension}, NULL, &device))
		return 3;
	VkQueue queue;
	vkGetDeviceQueue(device, 0, 0, &queue);

	static VkFence f[MANY];
	for (int i = 0; i < MANY; i++)
		f[i] = new_fence(i % 2 ? VK_FENCE_CREATE_SIGNALED_BIT : 0);
	for (int i = 0; i < MANY; i++)
		EXPECT(vkGetFenceStatus(device, f[i]), i % 2 ? VK_SUCCESS : VK_NOT_READY);
	struct cost seen = cost(f[0]), asked = cost(f[MANY - 2]);
	EXPECT(vkWaitForFences(device, MANY, f, VK_TRUE, 0), VK_TIMEOUT);
	EXPECT(vkWaitForFences(device, MANY, f, VK_FALSE, 0), VK_SUCCESS);
	EXPECT(vkWaitForFences(device, 2, f, VK_TRUE, 0), VK_TIMEOUT);
	EXPECT(vkWaitForFences(device, 2, f, VK_TRUE, 1000000), VK_TIMEOUT);
	EXPECT(vkWaitForFences(device, 2, f, VK_FALSE, UINT64_MAX), VK_SUCCESS);
	EXPECT(vkWaitForFences(device, 1, &f[1], VK_TRUE, UINT64_MAX), VK_SUCCESS);
	EXPECT(vkResetFences(device, MANY, f), VK_SUCCESS);
	EXPECT(vkWaitForFences(device, MANY, f, VK_FALSE, 0), VK_TIMEOUT);
	for (int i = 0; i < MANY; i += MANY - 1) { /* the first and the last */
		EXPECT(vkQueueSubmit(queue, 0, NULL, f[i]), VK_SUCCESS);
		while (vkGetFenceStatus(device, f[i]) == VK_NOT_READY)
			;
		EXPECT(vkGetFenceStatus(device, f[i]), VK_SUCCESS);
	}
	/* a handle that is no more, and another in its place */
	VkFence old = f[3];
	vkDestroyFence(device, old, NULL);
	f[3] = new_fence(VK_FENCE_CREATE_SIGNALED_BIT);
	EXPECT(vkGetFenceStatus(device, f[3]), VK_SUCCESS);
	if (vkGetFenceStatus(device, old) == VK_SUCCESS)
		printf("a fence that is destroyed is signaled\n"), failures++;
	/* a payload from elsewhere: a sync file that is signaled, until the fence is reset */
	PFN_vkImportFenceFdKHR import = (PFN_vkImportFenceFdKHR)vkGetDeviceProcAddr(device, "vkImportFenceFdKHR");
	PFN_vkGetFenceFdKHR export = (PFN_vkGetFenceFdKHR)vkGetDeviceProcAddr(device, "vkGetFenceFdKHR");
	EXPECT(vkGetFenceStatus(device, f[4]), VK_NOT_READY);
	EXPECT(import(device, &(VkImportFenceFdInfoKHR){.sType = VK_STRUCTURE_TYPE_IMPORT_FENCE_FD_INFO_KHR, .fence = f[4], .flags = VK_FENCE_IMPORT_TEMPORARY_BIT,
							.handleType = VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT, .fd = -1}), VK_SUCCESS);
	EXPECT(vkGetFenceStatus(device, f[4]), VK_SUCCESS);
	EXPECT(vkWaitForFences(device, 1, &f[4], VK_TRUE, 0), VK_SUCCESS);
	EXPECT(vkResetFences(device, 1, &f[4]), VK_SUCCESS);
	EXPECT(vkGetFenceStatus(device, f[4]), VK_NOT_READY);
	/* exporting takes the signal along */
	int fd = -1;
	EXPECT(vkQueueSubmit(queue, 0, NULL, f[5]), VK_SUCCESS);
	EXPECT(vkWaitForFences(device, 1, &f[5], VK_TRUE, UINT64_MAX), VK_SUCCESS);
	EXPECT(export(device, &(VkFenceGetFdInfoKHR){.sType = VK_STRUCTURE_TYPE_FENCE_GET_FD_INFO_KHR, .fence = f[5],
						     .handleType = VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT}, &fd), VK_SUCCESS);
	EXPECT(vkGetFenceStatus(device, f[5]), VK_NOT_READY);
	if (fd >= 0)
		close(fd);

	static VkSemaphore s[MANY];
	uint64_t v, values[2] = {7, 9};
	for (int i = 0; i < MANY; i++)
		s[i] = new_semaphore(i);
	for (int i = 0; i < MANY; i++) {
		EXPECT(vkGetSemaphoreCounterValue(device, s[i], &v), VK_SUCCESS);
		if (v != (uint64_t)i)
			printf("semaphore %d has %llu\n", i, (unsigned long long)v), failures++;
	}
	VkSemaphoreWaitInfo both = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, .semaphoreCount = 2, .pSemaphores = &s[7], .pValues = values};
	EXPECT(vkWaitSemaphores(device, &both, 0), VK_TIMEOUT); /* 7 and 8 */
	both.flags = VK_SEMAPHORE_WAIT_ANY_BIT;
	EXPECT(vkWaitSemaphores(device, &both, 0), VK_SUCCESS);
	both.flags = 0;
	EXPECT(vkSignalSemaphore(device, &(VkSemaphoreSignalInfo){.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = s[8], .value = 9}), VK_SUCCESS);
	EXPECT(vkWaitSemaphores(device, &both, 0), VK_SUCCESS);
	EXPECT(vkGetSemaphoreCounterValue(device, s[8], &v), VK_SUCCESS);
	if (v != 9)
		printf("signaled to 9: %llu\n", (unsigned long long)v), failures++;

	unsigned long entered = wait_in_c(queue, &f[6], s[8]);
	if (entered)
		printf("waiting went into Go %lu times\n", entered), failures++;

	for (int i = 0; i < MANY; i++) {
		vkDestroyFence(device, f[i], NULL);
		vkDestroySemaphore(device, s[i], NULL);
	}
	vkDestroyDevice(device, NULL);
	vkDestroyInstance(instance, NULL);
	if (!failures)
		printf("%lu %lu %ld %ld\n", seen.entered, asked.entered, seen.ns, asked.ns);
	return failures != 0;
}

/* A process that can have no more threads, from before the first call on ("before"), from before the first device on
   ("instance"), or after a first dispatch ("after"): calls fail or work, and the process goes on. Prints what the first call that
   fails returns, or 0. Needs to be able to become another user, as root is not limited, or to be one. */
#define _GNU_SOURCE
#include "client.h"

#include <errno.h>
#include <grp.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

static void *nothing(void *argument) { return argument; }

static void no_more_threads(void) {
	if (!getuid() && (setgroups(0, NULL) || setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534)))
		exit(SKIPPED);
	struct rlimit one = {1, 1};
	pthread_t t;
	if (setrlimit(RLIMIT_NPROC, &one))
		exit(SKIPPED);
	if (!pthread_create(&t, NULL, nothing, NULL)) { /* limits of users are not enforced here */
		pthread_join(t, NULL);
		exit(SKIPPED);
	}
}

#define TRY(call)                                                                       \
	do {                                                                            \
		VkResult r_ = (call);                                                   \
		if (r_ != VK_SUCCESS) {                                                 \
			printf("%d\n", r_);                                             \
			return 0;                                                       \
		}                                                                       \
	} while (0)

static VkResult make_device(VkDevice *d) {
	float priority = 1;
	return vkCreateDevice(physical, &(VkDeviceCreateInfo){.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1,
		.pQueueCreateInfos = &(VkDeviceQueueCreateInfo){.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority}}, NULL, d);
}

/* Work for all workers: copies of 16 MiB. */
static VkResult work(int times) {
	static struct buffer b;
	static VkCommandBuffer c;
	VkQueue queue;
	vkGetDeviceQueue(device, 0, 0, &queue);
	if (!c) {
		VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 32 << 20, .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT};
		VkMemoryRequirements need;
		VkResult r = vkCreateBuffer(device, &info, NULL, &b.handle);
		if (r)
			return r;
		vkGetBufferMemoryRequirements(device, b.handle, &need);
		b.memory = allocate(need, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT);
		if ((r = vkBindBufferMemory(device, b.handle, b.memory, 0)))
			return r;
		c = new_commands(new_pool(0), VK_COMMAND_BUFFER_LEVEL_PRIMARY);
		CHECK(vkBeginCommandBuffer(c, &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO}));
		vkCmdCopyBuffer(c, b.handle, b.handle, 1, &(VkBufferCopy){.dstOffset = 16 << 20, .size = 16 << 20});
		CHECK(vkEndCommandBuffer(c));
	}
	while (times--) {
		VkResult r = vkQueueSubmit(queue, 1, &(VkSubmitInfo){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &c}, VK_NULL_HANDLE);
		if (!r)
			r = vkQueueWaitIdle(queue);
		if (r)
			return r;
	}
	return VK_SUCCESS;
}

int main(int argc, char **argv) {
	const char *when = argc > 1 ? argv[1] : "after";
	uint32_t one = 1;
	if (!strcmp(when, "before"))
		no_more_threads();
	TRY(vkCreateInstance(&(VkInstanceCreateInfo){.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO}, NULL, &instance));
	TRY(vkEnumeratePhysicalDevices(instance, &one, &physical));
	if (!strcmp(when, "instance"))
		no_more_threads();
	TRY(make_device(&device));
	TRY(work(1));
	if (!strcmp(when, "after"))
		no_more_threads();
	for (int i = 0; i < 20; i++) {
		VkDevice other;
		TRY(work(10));
		TRY(make_device(&other));
		vkDestroyDevice(other, NULL);
	}
	printf("0\n");
	return 0;
}

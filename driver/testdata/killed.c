/* The driver is a helper process, which is killed at random moments: this program lives on. Arguments: the folder of
   shaders, how many times, the seed of the moments, and "stop" to have the helper stand still instead. Each time a thread
   ends the helper while the program makes calls: they return VK_ERROR_DEVICE_LOST sooner or later. Then a new device comes
   from the same physical device, or from a new instance. Prints how often the loss was seen, how long it took at most until
   it was, and the longest time until there was a new device, in microseconds. */
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "client.h"

static pid_t helper_of(pid_t host) {
	char want[32], path[300], text[4096];
	snprintf(want, sizeof want, "%x", host);
	DIR *d = opendir("/proc");
	struct dirent *e;
	pid_t found = 0;
	while (d && (e = readdir(d))) {
		snprintf(path, sizeof path, "/proc/%s/cmdline", e->d_name);
		FILE *f = e->d_name[0] >= '1' && e->d_name[0] <= '9' ? fopen(path, "r") : NULL;
		if (!f)
			continue;
		size_t n = fread(text, 1, sizeof text - 1, f);
		fclose(f);
		text[n] = 0;
		const char *at = text, *last[6] = {0};
		for (int i = 0; i < 6 && at < text + n; i++, at += strlen(at) + 1)
			last[i] = at;
		if (last[5] && strstr(last[0], "pumice-driver") && !strcmp(last[5], want))
			found = atoi(e->d_name);
	}
	if (d)
		closedir(d);
	return found;
}

static int64_t now_us(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static unsigned moment;
static int how = SIGKILL;
static int64_t killed_at;

static void *killer(void *p) {
	pid_t helper = *(pid_t *)p;
	usleep(moment);
	__atomic_store_n(&killed_at, now_us(), __ATOMIC_SEQ_CST);
	kill(helper, how);
	return NULL;
}

static VkResult make_device(void) {
	float priority = 1;
	VkDeviceQueueCreateInfo q = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
	VkDeviceCreateInfo di = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &q};
	return vkCreateDevice(physical, &di, NULL, &device);
}

static VkResult make_instance(void) {
	VkInstanceCreateInfo ii = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
	VkResult r = vkCreateInstance(&ii, NULL, &instance);
	uint32_t n = 1;
	return r ? r : vkEnumeratePhysicalDevices(instance, &n, &physical);
}

/* work makes calls of all kinds until one says that the device is lost. */
static VkResult work(int round) {
	VkQueue queue;
	VkCommandPool pool = 0;
	VkCommandBuffer commands;
	VkFence fence = 0;
	VkBuffer buffer = 0;
	VkDeviceMemory memory = 0;
	VkResult r;
	vkGetDeviceQueue(device, 0, 0, &queue);
	if (!queue)
		return VK_ERROR_DEVICE_LOST;
	VkBufferCreateInfo bi = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 1 << 20, .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
	VkMemoryAllocateInfo ai = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = 1 << 20};
	uint32_t *mapped = NULL;
	VkCommandPoolCreateInfo pi = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
	VkFenceCreateInfo fi = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	if ((r = vkCreateBuffer(device, &bi, NULL, &buffer)) || (r = vkAllocateMemory(device, &ai, NULL, &memory)) ||
	    (r = vkBindBufferMemory(device, buffer, memory, 0)) || (r = vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, (void **)&mapped)) ||
	    (r = vkCreateCommandPool(device, &pi, NULL, &pool)) || (r = vkCreateFence(device, &fi, NULL, &fence)))
		return r;
	VkCommandBufferAllocateInfo ci = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, NULL, pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
	if ((r = vkAllocateCommandBuffers(device, &ci, &commands)))
		return r;
	for (uint32_t i = 0;; i++) {
		VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
		if ((r = vkBeginCommandBuffer(commands, &begin)))
			return r;
		for (int n = 0; n < 200; n++)
			vkCmdFillBuffer(commands, buffer, 0, 1 << 20, i);
		if ((r = vkEndCommandBuffer(commands)))
			return r;
		VkSubmitInfo si = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
		if ((r = vkQueueSubmit(queue, 1, &si, fence)))
			return r;
		if (round % 3 == 0)
			while ((r = vkGetFenceStatus(device, fence)) == VK_NOT_READY)
				;
		else
			r = vkWaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX);
		if (r || (r = vkResetFences(device, 1, &fence)))
			return r;
		if (mapped[7] != i) {
			fail("round %d: %u is there, want %u", round, mapped[7], i);
			return VK_SUCCESS;
		}
		mapped[8] = i; /* memory is there, whoever else is not */
	}
}

int main(int argc, char **argv) {
	int rounds = argc > 2 ? atoi(argv[2]) : 10, lost = 0;
	unsigned seed = argc > 3 ? (unsigned)atoi(argv[3]) : 1;
	if (argc > 4 && !strcmp(argv[4], "stop"))
		how = SIGSTOP;
	int64_t longest_loss = 0, longest_anew = 0;
	CHECK(make_instance());
	CHECK(make_device());
	for (int round = 0; round < rounds; round++) {
		alarm(60); /* a call that hangs */
		pid_t helper = helper_of(getpid());
		if (!helper) {
			fail("round %d: no helper of process %d", round, getpid());
			break;
		}
		seed = seed * 1664525 + 1013904223;
		moment = (seed >> 8) % (round % 7 ? 3000 : 30000);
		pthread_t t;
		pthread_create(&t, NULL, killer, &helper);
		VkResult r = work(round);
		pthread_join(t, NULL);
		int64_t seen = now_us();
		if (how == SIGSTOP) {
			kill(helper, SIGCONT); /* it sees that it is given up, and ends */
			for (int n = 0; n < 1000 && helper_of(getpid()) == helper; n++)
				usleep(10000);
			if (helper_of(getpid()) == helper) /* one that nobody has waited for has no command line any more */
				fail("round %d: the helper lives on", round);
		}
		if (r != VK_ERROR_DEVICE_LOST)
			fail("round %d: %d, want a lost device", round, r);
		else
			lost++;
		if (seen - killed_at > longest_loss)
			longest_loss = seen - killed_at;
		vkDestroyDevice(device, NULL);
		if (round % 2) {
			vkDestroyInstance(instance, NULL);
			CHECK(make_instance());
		}
		CHECK(make_device());
		if (now_us() - seen > longest_anew)
			longest_anew = now_us() - seen;
	}
	alarm(60);
	CHECK(vkDeviceWaitIdle(device));
	vkDestroyDevice(device, NULL);
	vkDestroyInstance(instance, NULL);
	printf("%d %" PRId64 " %" PRId64 "\n", lost, longest_loss, longest_anew);
	return failures != 0;
}

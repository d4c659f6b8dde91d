/* Two processes share an image, a buffer, semaphores and a fence by file descriptors. The first one draws and the second one looks,
   then the other way round. PUMICE_OTHER_DRIVER is the second one's driver, and PUMICE_OTHER_ISOLATE its PUMICE_ISOLATE; else it has
   those of the first. Prints what both have seen. */
#define _GNU_SOURCE
#include <dirent.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"

enum { SIDE = 64, BYTES = SIDE * SIDE * 4, IMAGE, BUFFER, SIGNAL, TIME, FENCE, FILES };
enum { OPAQUE = 1, SYNC_SEMAPHORE = 16 };

static VkQueue queue;
static VkCommandPool pool;
static uint64_t image_bytes;

static void open_sharing(void) {
	VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = 1 << 22 | 2 << 12};
	VkInstanceCreateInfo ii = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app};
	uint32_t n = 1;
	CHECK(vkCreateInstance(&ii, NULL, &instance));
	CHECK(vkEnumeratePhysicalDevices(instance, &n, &physical));
	const char *names[] = {"VK_KHR_external_memory_fd", "VK_KHR_external_semaphore_fd", "VK_KHR_external_fence_fd"};
	float priority = 1;
	VkPhysicalDeviceVulkan12Features f = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .timelineSemaphore = VK_TRUE};
	VkDeviceQueueCreateInfo q = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
	VkDeviceCreateInfo di = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = &f, .queueCreateInfoCount = 1, .pQueueCreateInfos = &q, .enabledExtensionCount = 3, .ppEnabledExtensionNames = names};
	CHECK(vkCreateDevice(physical, &di, NULL, &device));
	vkGetDeviceQueue(device, 0, 0, &queue);
	VkCommandPoolCreateInfo pi = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
	CHECK(vkCreateCommandPool(device, &pi, NULL, &pool));
}

/* Memory of its own to be shared, or, if fd is not -1, somebody else's. */
static VkDeviceMemory memory_of(uint64_t bytes, int fd) {
	VkExportMemoryAllocateInfo out = {.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO, .handleTypes = OPAQUE};
	VkImportMemoryFdInfoKHR in = {.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR, .pNext = &out, .handleType = OPAQUE, .fd = fd};
	VkMemoryAllocateInfo ai = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .pNext = fd < 0 ? (void *)&out : &in, .allocationSize = bytes};
	VkDeviceMemory m;
	CHECK(vkAllocateMemory(device, &ai, NULL, &m));
	return m;
}

static int file_of_memory(VkDeviceMemory m) {
	VkMemoryGetFdInfoKHR i = {.sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR, .memory = m, .handleType = OPAQUE};
	int fd = -1;
	CHECK(vkGetMemoryFdKHR(device, &i, &fd));
	return fd;
}

static VkImage image_in(VkDeviceMemory *m, int fd) {
	VkExternalMemoryImageCreateInfo x = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO, .handleTypes = OPAQUE};
	VkImageCreateInfo ii = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .pNext = &x, .imageType = VK_IMAGE_TYPE_2D, .format = VK_FORMAT_R8G8B8A8_UNORM,
		.extent = {SIDE, SIDE, 1}, .mipLevels = 1, .arrayLayers = 1, .samples = VK_SAMPLE_COUNT_1_BIT, .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT};
	VkImage im;
	VkMemoryRequirements need;
	CHECK(vkCreateImage(device, &ii, NULL, &im));
	vkGetImageMemoryRequirements(device, im, &need);
	image_bytes = need.size;
	*m = memory_of(need.size, fd);
	CHECK(vkBindImageMemory(device, im, *m, 0));
	return im;
}

static VkSemaphore semaphore_of(VkSemaphoreType type, int fd) {
	VkSemaphoreTypeCreateInfo t = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, .semaphoreType = type};
	VkExportSemaphoreCreateInfo x = {.sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO, .pNext = &t, .handleTypes = OPAQUE};
	VkSemaphoreCreateInfo i = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &x};
	VkSemaphore s;
	CHECK(vkCreateSemaphore(device, &i, NULL, &s));
	VkImportSemaphoreFdInfoKHR in = {.sType = VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR, .semaphore = s, .handleType = OPAQUE, .fd = fd};
	if (fd >= 0)
		CHECK(vkImportSemaphoreFdKHR(device, &in));
	return s;
}

static int file_of_semaphore(VkSemaphore s, int type) {
	VkSemaphoreGetFdInfoKHR i = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR, .semaphore = s, .handleType = (VkExternalSemaphoreHandleTypeFlagBits)type};
	int fd = -1;
	CHECK(vkGetSemaphoreFdKHR(device, &i, &fd));
	return fd;
}

static VkFence fence_of(int fd) {
	VkExportFenceCreateInfo x = {.sType = VK_STRUCTURE_TYPE_EXPORT_FENCE_CREATE_INFO, .handleTypes = OPAQUE};
	VkFenceCreateInfo i = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, .pNext = &x};
	VkFence f;
	CHECK(vkCreateFence(device, &i, NULL, &f));
	VkImportFenceFdInfoKHR in = {.sType = VK_STRUCTURE_TYPE_IMPORT_FENCE_FD_INFO_KHR, .fence = f, .handleType = OPAQUE, .fd = fd};
	if (fd >= 0)
		CHECK(vkImportFenceFdKHR(device, &in));
	return f;
}

/* Draws a colour, or copies the image to a buffer. It waits for a semaphore, or signals one; timeline values are 0 or its value. */
static void submit(VkImage im, const VkClearColorValue *color, VkBuffer to, VkSemaphore wait, VkSemaphore signal, uint64_t value, VkFence fence) {
	VkCommandBufferAllocateInfo ai = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, NULL, pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
	VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	VkImageSubresourceRange all = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
	VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .imageExtent = {SIDE, SIDE, 1}};
	VkImageMemoryBarrier b = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER, .oldLayout = color ? VK_IMAGE_LAYOUT_UNDEFINED : VK_IMAGE_LAYOUT_GENERAL, .newLayout = VK_IMAGE_LAYOUT_GENERAL,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED, .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED, .image = im, .subresourceRange = all, .dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_TRANSFER_READ_BIT};
	VkCommandBuffer c;
	CHECK(vkAllocateCommandBuffers(device, &ai, &c));
	CHECK(vkBeginCommandBuffer(c, &begin));
	vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0, NULL, 1, &b);
	if (color)
		vkCmdClearColorImage(c, im, VK_IMAGE_LAYOUT_GENERAL, color, 1, &all);
	else
		vkCmdCopyImageToBuffer(c, im, VK_IMAGE_LAYOUT_GENERAL, to, 1, &region);
	CHECK(vkEndCommandBuffer(c));
	VkTimelineSemaphoreSubmitInfo t = {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO, .signalSemaphoreValueCount = signal != 0, .pSignalSemaphoreValues = &value};
	VkPipelineStageFlags stage = VK_PIPELINE_STAGE_TRANSFER_BIT;
	VkSubmitInfo si = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .pNext = &t, .waitSemaphoreCount = wait != 0, .pWaitSemaphores = &wait, .pWaitDstStageMask = &stage,
		.commandBufferCount = 1, .pCommandBuffers = &c, .signalSemaphoreCount = signal != 0, .pSignalSemaphores = &signal};
	CHECK(vkQueueSubmit(queue, 1, &si, fence));
}

static VkBuffer buffer_in(VkDeviceMemory m) {
	VkExternalMemoryBufferCreateInfo x = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO, .handleTypes = OPAQUE};
	VkBufferCreateInfo i = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .pNext = &x, .size = BYTES, .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
	VkBuffer b;
	CHECK(vkCreateBuffer(device, &i, NULL, &b));
	CHECK(vkBindBufferMemory(device, b, m, 0));
	return b;
}

static uint32_t *map(VkDeviceMemory m) {
	void *p = NULL;
	CHECK(vkMapMemory(device, m, 0, VK_WHOLE_SIZE, 0, &p));
	return p;
}

/* is says whether all texels are of a colour. */
static void is(const char *who, const uint32_t *texels, uint32_t want) {
	for (int i = 0; i < SIDE * SIDE; i++)
		if (texels[i] != want) {
			fail("%s: texel %d is %08x, want %08x", who, i, texels[i], want);
			return;
		}
	printf("%s %08x\n", who, want);
}

static const VkClearColorValue red = {.float32 = {1, 0, 0, 1}}, green = {.float32 = {0, 1, 0, 1}};

static int other(int socket) {
	int fds[FILES - IMAGE];
	char byte, room[CMSG_SPACE(sizeof fds)];
	struct iovec v = {&byte, 1};
	struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
	if (recvmsg(socket, &m, 0) != 1 || !CMSG_FIRSTHDR(&m))
		return 1;
	memcpy(fds, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof fds);
	open_sharing();
	VkDeviceMemory texels, shared;
	VkImage im = image_in(&texels, fds[IMAGE - IMAGE]);
	shared = memory_of(BYTES, fds[BUFFER - IMAGE]);
	VkSemaphore drawn = semaphore_of(VK_SEMAPHORE_TYPE_BINARY, fds[SIGNAL - IMAGE]), time = semaphore_of(VK_SEMAPHORE_TYPE_TIMELINE, fds[TIME - IMAGE]);
	VkFence done = fence_of(fds[FENCE - IMAGE]);
	VkDeviceMemory own = memory_of(BYTES, -1);
	submit(im, NULL, buffer_in(own), drawn, time, 1, 0);
	CHECK(vkQueueWaitIdle(queue));
	is("the second sees", map(own), 0xff0000ff);
	CHECK(vkWaitForFences(device, 1, &done, VK_TRUE, UINT64_C(20000000000)));
	uint32_t *words = map(shared);
	if (words[5] != 7)
		fail("the second's mapping has %u, want 7", words[5]);
	words[6] = 8;
	submit(im, &green, 0, 0, time, 2, 0);
	CHECK(vkQueueWaitIdle(queue));
	vkDestroyDevice(device, NULL);
	vkDestroyInstance(instance, NULL);
	fflush(stdout);
	return failures != 0;
}

static int count_files(void) {
	DIR *d = opendir("/proc/self/fd");
	int n = 0;
	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

int main(int argc, char **argv) {
	int pair[2], fds[FILES - IMAGE], status = 1;
	(void)message, (void)messenger, (void)folder;
	alarm(120);
	if (argc > 2 && !strcmp(argv[1], "other"))
		return other(atoi(argv[2]));
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		return 1;
	pid_t child = fork();
	if (!child) {
		char number[12];
		const char *driver = getenv("PUMICE_OTHER_DRIVER"), *isolate = getenv("PUMICE_OTHER_ISOLATE");
		if (driver)
			setenv("PUMICE_DRIVER", driver, 1);
		if (isolate)
			setenv("PUMICE_ISOLATE", isolate, 1);
		snprintf(number, sizeof number, "%d", pair[1]);
		close(pair[0]);
		execl("/proc/self/exe", argv[0], "other", number, (char *)NULL);
		_exit(127);
	}
	close(pair[1]);
	open_sharing();
	VkDeviceMemory texels, shared = memory_of(BYTES, -1);
	VkImage im = image_in(&texels, -1);
	VkSemaphore drawn = semaphore_of(VK_SEMAPHORE_TYPE_BINARY, -1), time = semaphore_of(VK_SEMAPHORE_TYPE_TIMELINE, -1);
	VkFence done = fence_of(-1);
	uint32_t *words = map(shared);
	fds[IMAGE - IMAGE] = file_of_memory(texels);
	fds[BUFFER - IMAGE] = file_of_memory(shared);
	fds[SIGNAL - IMAGE] = file_of_semaphore(drawn, OPAQUE);
	fds[TIME - IMAGE] = file_of_semaphore(time, OPAQUE);
	VkFenceGetFdInfoKHR fi = {.sType = VK_STRUCTURE_TYPE_FENCE_GET_FD_INFO_KHR, .fence = done, .handleType = OPAQUE};
	CHECK(vkGetFenceFdKHR(device, &fi, &fds[FENCE - IMAGE]));

	char byte = 1, room[CMSG_SPACE(sizeof fds)] = {0};
	struct iovec v = {&byte, 1};
	struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
	struct cmsghdr *h = CMSG_FIRSTHDR(&m);
	h->cmsg_level = SOL_SOCKET, h->cmsg_type = SCM_RIGHTS, h->cmsg_len = CMSG_LEN(sizeof fds);
	memcpy(CMSG_DATA(h), fds, sizeof fds);
	if (sendmsg(pair[0], &m, 0) != 1)
		return 1;
	words[5] = 7;
	submit(im, &red, 0, 0, drawn, 0, done);
	uint64_t two = 2;
	VkSemaphoreWaitInfo wi = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, .semaphoreCount = 1, .pSemaphores = &time, .pValues = &two};
	CHECK(vkWaitSemaphores(device, &wi, UINT64_C(60000000000)));
	if (waitpid(child, &status, 0) != child || status)
		fail("the second ends with %#x", status);
	VkDeviceMemory own = memory_of(BYTES, -1);
	VkBuffer to = buffer_in(own);
	submit(im, NULL, to, 0, 0, 0, 0);
	CHECK(vkQueueWaitIdle(queue));
	is("the first sees", map(own), 0xff00ff00);
	if (words[6] != 8)
		fail("the first's mapping has %u, want 8", words[6]);

	/* A file that becomes readable with the work. */
	VkSemaphoreCreateInfo ci = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
	VkExportSemaphoreCreateInfo x = {.sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO, .handleTypes = SYNC_SEMAPHORE};
	VkSemaphore ended;
	ci.pNext = &x;
	CHECK(vkCreateSemaphore(device, &ci, NULL, &ended));
	submit(im, NULL, to, 0, ended, 0, 0);
	struct pollfd p = {file_of_semaphore(ended, SYNC_SEMAPHORE), POLLIN, 0};
	if (poll(&p, 1, 20000) != 1)
		fail("a sync file is not readable");
	close(p.fd);

	/* What is no shared memory, and descriptors that are left over. */
	VkImportMemoryFdInfoKHR bad = {.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR, .handleType = OPAQUE, .fd = pair[0]};
	VkMemoryAllocateInfo ai = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .pNext = &bad, .allocationSize = BYTES};
	VkDeviceMemory none = 0;
	if (vkAllocateMemory(device, &ai, NULL, &none) != VK_ERROR_INVALID_EXTERNAL_HANDLE)
		fail("a socket is imported as memory");
	int before = count_files();
	for (int i = 0; i < 50; i++) {
		VkDeviceMemory again = memory_of(BYTES, file_of_memory(shared));
		if (map(again)[6] != 8)
			fail("memory imported in the same process is other memory");
		vkFreeMemory(device, again, NULL);
		close(file_of_semaphore(time, OPAQUE));
	}
	/* Each round would leave one. The driver opens and closes a few of its own meanwhile. */
	if (count_files() >= before + 50)
		fail("%d files are open, %d before", count_files(), before);
	vkDestroyDevice(device, NULL);
	vkDestroyInstance(instance, NULL);
	return failures != 0;
}

/* A host that catches its own faults, as collectors do that notice writes: pages are
   protected again and again, and its handler of SIGSEGV, which is no friend of
   alternate stacks, gives them back. Two threads write; one of them calls the driver,
   which reads a protected page, too. The first argument is the folder of the shaders;
   the second says when the handler is set up: "before" the driver has been called, or
   "after". */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "client.h"

enum { PAGE = 4096, PAGES = 64, HALF = PAGES / 2, ROOM = 16 << 10 };

static char *pages;
static int caught;

static void handler(int signal, siginfo_t *info, void *context) {
	volatile char room[ROOM];
	(void)context;
	memset((char *)room, signal, sizeof room);
	char *at = info->si_addr;
	if (at < pages || at >= pages + PAGES * PAGE)
		_exit(2); /* a fault that is not the host's */
	mprotect(pages + (at - pages) / PAGE * PAGE, PAGE, PROT_READ | PROT_WRITE);
	__atomic_add_fetch(&caught, 1, __ATOMIC_RELAXED);
}

static void set_up(void) {
	struct sigaction a = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART};
	sigaction(SIGSEGV, &a, NULL);
}

static void *write_pages(void *argument) {
	char *half = argument;
	for (int round = 0; round < 50; round++) {
		mprotect(half, HALF * PAGE, PROT_NONE);
		for (int i = 0; i < HALF; i++)
			half[i * PAGE + 5] = 1;
		usleep(500);
	}
	return NULL;
}

int main(int argc, char **argv) {
	int before = argc == 3 && !strcmp(argv[2], "before");
	pages = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (before)
		set_up();
	open_instance(2, argv, VK_API_VERSION_1_1);
	open_device(NULL, 1, NULL, 0);
	if (!before)
		set_up();
	pthread_t other;
	if (pthread_create(&other, NULL, write_pages, pages + HALF * PAGE))
		fail("no thread");

	VkQueue queue;
	vkGetDeviceQueue(device, 0, 0, &queue);
	VkCommandPool pool = new_pool(0);
	VkCommandBuffer c = new_commands(pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
	struct buffer b = new_buffer(PAGE, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
	for (int round = 0; round < 50; round++) {
		memset(pages, round, PAGE);
		mprotect(pages, HALF * PAGE, PROT_NONE);
		CHECK(vkResetCommandPool(device, pool, 0));
		CHECK(vkBeginCommandBuffer(c, &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO}));
		vkCmdUpdateBuffer(c, b.handle, 0, PAGE, pages);
		CHECK(vkEndCommandBuffer(c));
		CHECK(vkQueueSubmit(queue, 1, &(VkSubmitInfo){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &c}, VK_NULL_HANDLE));
		for (int i = 0; i < HALF; i++)
			pages[i * PAGE] = 1;
		CHECK(vkQueueWaitIdle(queue));
		for (int i = 0; i < PAGE; i++)
			if (((char *)b.mapped)[i] != (char)round) {
				fail("round %d: byte %d is %d", round, i, ((char *)b.mapped)[i]);
				break;
			}
	}
	pthread_join(other, NULL);
	if (caught != 2 * 50 * HALF)
		fail("%d faults were caught, not %d", caught, 2 * 50 * HALF);
	free_buffer(b);
	vkDestroyCommandPool(device, pool, NULL);
	return close_all();
}

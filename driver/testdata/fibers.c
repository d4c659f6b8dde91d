/* Calls from stacks that are not their thread's, as of fibers and of Wine's main thread: they cost what others do, in a
   process with many mappings, too, and whatever threads come and go. Prints nanoseconds of a pair of calls from the main thread's stack and
   from another one, if all is well. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <ucontext.h>
#include <vulkan/vulkan.h>

enum { MAPPINGS = 600, STACK = 1 << 20, THREADS = 40 };

static VkDevice device;
static int failures;

static void pair(void) {
	VkQueryPool pool = VK_NULL_HANDLE;
	if (vkCreateQueryPool(device, &(VkQueryPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_OCCLUSION, .queryCount = 1}, NULL, &pool))
		failures++;
	vkDestroyQueryPool(device, pool, NULL);
}

/* The best of several runs, which other programs disturb less. */
static long cost(void) {
	long best = 0;
	for (int run = 0; run < 30; run++) {
		struct timespec a, b;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
		for (int i = 0; i < 100; i++)
			pair();
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
		long ns = ((b.tv_sec - a.tv_sec) * 1000000000 + b.tv_nsec - a.tv_nsec) / 100;
		if (!best || ns < best)
			best = ns;
	}
	return best;
}

/* deep makes calls from far down a stack, and on the way back. */
static void __attribute__((noinline)) deep(int n) {
	volatile char room[1 << 10];
	memset((void *)room, n, sizeof room);
	if (n)
		deep(n - 1);
	if (n % 50 == 0)
		pair();
	if (room[n % sizeof room] != (char)n)
		failures++;
}

static long there;
static void other(void) {
	deep(500);
	there = cost();
}

/* elsewhere runs f on a stack of its own, which begins anew each time. */
static void elsewhere(void (*f)(void)) {
	ucontext_t back, there;
	char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = STACK;
	there.uc_link = &back;
	makecontext(&there, f, 0);
	swapcontext(&back, &there);
	munmap(stack, STACK);
}

static void few(void) { deep(100); }

/* A thread on its own stack, elsewhere, and back: the next one gets the same stack, of another size perhaps. */
static void *thread(void *unused) {
	deep(50);
	elsewhere(few);
	deep(50);
	return unused;
}

int main(void) {
	VkInstance instance;
	VkPhysicalDevice physical;
	uint32_t one = 1;
	float priority = 1;
	if (vkCreateInstance(&(VkInstanceCreateInfo){.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO}, NULL, &instance) ||
	    vkEnumeratePhysicalDevices(instance, &one, &physical) < 0 ||
	    vkCreateDevice(physical, &(VkDeviceCreateInfo){.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1,
		.pQueueCreateInfos = &(VkDeviceQueueCreateInfo){.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority}}, NULL, &device))
		return 2;
	for (int i = 0; i < MAPPINGS; i++) /* as many as programs have under Wine */
		if (mmap(NULL, 4096, i & 1 ? PROT_READ : PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
			return 3;
	long here = cost();
	elsewhere(other);
	for (int i = 0; i < THREADS; i++) {
		pthread_t t;
		pthread_attr_t a;
		pthread_attr_init(&a);
		pthread_attr_setstacksize(&a, (size_t)(i % 4 + 1) << 18);
		if (pthread_create(&t, &a, thread, NULL) || pthread_join(t, NULL))
			failures++;
		pthread_attr_destroy(&a);
	}
	/* The main thread's stack may become longer, and is used that far. */
	struct rlimit limit;
	if (!getrlimit(RLIMIT_STACK, &limit) && (limit.rlim_max == RLIM_INFINITY || limit.rlim_max > limit.rlim_cur)) {
		elsewhere(few);
		deep(5000);
		limit.rlim_cur = limit.rlim_max == RLIM_INFINITY ? 64 << 20 : limit.rlim_max;
		if (!setrlimit(RLIMIT_STACK, &limit)) {
			elsewhere(few);
			deep(20000);
		}
	}
	vkDestroyDevice(device, NULL);
	vkDestroyInstance(instance, NULL);
	if (!failures)
		printf("%ld %ld\n", here, there);
	return failures != 0;
}

/* A host with signals: timers, a child and its own threads raise SIGALRM, SIGPROF,
   SIGCHLD, SIGUSR1, SIGIO and a real-time signal, while threads of it submit work and
   look at the results. Handlers must run on stacks of the host, never on one of the
   driver's, and everything that has to do with signals must be as the host left it.
   Arguments: the folder of the shaders, seconds, signals a second of each source,
   flags of sigaction (SA_ONSTACK or 0), threads, devices; "alternate" gives the
   threads alternate stacks of their own. Prints what it has seen. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

#define CHECK(call)                                                                     \
	do {                                                                            \
		VkResult r_ = (call);                                                   \
		if (r_ != VK_SUCCESS) {                                                 \
			fprintf(stderr, "%s:%d: %s = %d\n", __FILE__, __LINE__, #call, r_); \
			exit(1);                                                        \
		}                                                                       \
	} while (0)

enum { MOST = 64, WORDS = 4096, DEPTH = 12 << 10, ALTERNATE = 256 << 10 };

static VkInstance instance;
static VkPhysicalDevice physical;
static const char *folder;
static VkDevice devices[MOST];
static VkQueue queues[MOST];
static pthread_mutex_t locks[MOST];
static unsigned device_count, thread_count;
static volatile int stop;
static unsigned long submits, wrong, handled, strange, restless;
static sem_t met; /* posted when the first signal is handled */
static struct timespec deadline;

/* The stack of a thread of ours, and its alternate one. */
struct stack {
	char *from, *to, *alternate;
};
static __thread struct stack mine;

static void find_stack(int alternate) {
	pthread_attr_t a;
	void *from;
	size_t size;
	pthread_getattr_np(pthread_self(), &a);
	pthread_attr_getstack(&a, &from, &size);
	pthread_attr_destroy(&a);
	mine.from = from;
	mine.to = mine.from + size;
	if (alternate) {
		mine.alternate = malloc(ALTERNATE);
		sigaltstack(&(stack_t){.ss_sp = mine.alternate, .ss_size = ALTERNATE}, NULL);
	}
}

/* The handler takes more of the stack than a goroutine has, and writes to all of it. */
static void handler(int signal) {
	volatile char room[DEPTH];
	char *here = (char *)room;
	int saved = errno;
	memset((char *)room, signal, sizeof room);
	stack_t now;
	sigaltstack(NULL, &now);
	if (!mine.to)
		__atomic_add_fetch(&strange, 1, __ATOMIC_RELAXED); /* no thread of ours */
	else if ((here < mine.from || here >= mine.to) && !(now.ss_flags & SS_ONSTACK))
		__atomic_add_fetch(&strange, 1, __ATOMIC_RELAXED);
	if (!__atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED))
		sem_post(&met);
	errno = saved;
}

static const int used[] = {SIGALRM, SIGPROF, SIGCHLD, SIGUSR1, SIGIO};
enum { USED = sizeof used / sizeof *used };
static int signal_of(int i) { return i < USED ? used[i] : SIGRTMIN; }

/* steady says that the host's handlers and the mask of the thread are as before. */
static int steady(const sigset_t *mask, int flags) {
	sigset_t now;
	pthread_sigmask(SIG_SETMASK, NULL, &now);
	for (int s = 1; s < SIGRTMAX; s++)
		if (sigismember(&now, s) != sigismember(mask, s))
			return 0;
	for (int i = 0; i <= USED; i++) {
		struct sigaction a;
		sigaction(signal_of(i), NULL, &a);
		if (a.sa_handler != handler || (a.sa_flags & SA_ONSTACK) != (flags & SA_ONSTACK))
			return 0;
	}
	return 1;
}

struct job {
	pthread_t thread;
	unsigned index;
	int flags, alternate;
	VkShaderModule module;
};

/* A shader made and thrown away: a call that goes deep. */
static void compile(VkDevice d) {
	static _Thread_local uint32_t *code;
	static _Thread_local size_t size;
	if (!code) {
		char path[4096];
		snprintf(path, sizeof path, "%s/squares.comp.spv", folder);
		FILE *f = fopen(path, "rb");
		if (!f) {
			perror(path);
			exit(1);
		}
		code = malloc(1 << 16);
		size = fread(code, 1, 1 << 16, f);
		fclose(f);
	}
	VkShaderModule m;
	CHECK(vkCreateShaderModule(d, &(VkShaderModuleCreateInfo){.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size, .pCode = code},
				   NULL, &m));
	vkDestroyShaderModule(d, m, NULL);
}

static void *work(void *argument) {
	struct job *j = argument;
	unsigned at = j->index % device_count;
	VkDevice d = devices[at];
	unsigned seed = j->index + 1;
	sigset_t mask;
	if (!mine.to)
		find_stack(j->alternate); /* with signals blocked */
	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR2); /* a mask of its own */
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	VkFence fence;
	CHECK(vkCreateFence(d, &(VkFenceCreateInfo){.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO}, NULL, &fence));
	while (!stop) {
		VkBuffer buffers[2];
		VkDeviceMemory memory;
		uint32_t *p;
		for (int i = 0; i < 2; i++)
			CHECK(vkCreateBuffer(d, &(VkBufferCreateInfo){.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = WORDS * 4,
								      .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT},
					     NULL, &buffers[i]));
		CHECK(vkAllocateMemory(d, &(VkMemoryAllocateInfo){.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = WORDS * 8}, NULL, &memory));
		CHECK(vkMapMemory(d, memory, 0, VK_WHOLE_SIZE, 0, (void **)&p));
		for (int i = 0; i < 2; i++)
			CHECK(vkBindBufferMemory(d, buffers[i], memory, i * WORDS * 4));
		VkCommandPool pool;
		CHECK(vkCreateCommandPool(d, &(VkCommandPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO}, NULL, &pool));
		VkCommandBuffer c;
		CHECK(vkAllocateCommandBuffers(d, &(VkCommandBufferAllocateInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
										  .commandPool = pool, .commandBufferCount = 1}, &c));
		compile(d);
		for (int turn = 0; turn < 4; turn++) {
			uint32_t value = rand_r(&seed);
			CHECK(vkResetCommandPool(d, pool, 0));
			CHECK(vkBeginCommandBuffer(c, &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO}));
			vkCmdFillBuffer(c, buffers[0], 0, WORDS * 4, value);
			vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1,
					     &(VkMemoryBarrier){.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
								.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT}, 0, NULL, 0, NULL);
			vkCmdCopyBuffer(c, buffers[0], buffers[1], 1, &(VkBufferCopy){0, 0, WORDS * 4});
			CHECK(vkEndCommandBuffer(c));
			pthread_mutex_lock(&locks[at]);
			VkResult r = vkQueueSubmit(queues[at], 1, &(VkSubmitInfo){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &c}, fence);
			pthread_mutex_unlock(&locks[at]);
			if (r || vkWaitForFences(d, 1, &fence, VK_TRUE, UINT64_MAX) || p[0] != value || p[WORDS] != value || p[2 * WORDS - 1] != value)
				__atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED);
			CHECK(vkResetFences(d, 1, &fence));
			__atomic_add_fetch(&submits, 1, __ATOMIC_RELAXED);
		}
		vkDestroyCommandPool(d, pool, NULL);
		for (int i = 0; i < 2; i++)
			vkDestroyBuffer(d, buffers[i], NULL);
		vkFreeMemory(d, memory, NULL);
		if (!steady(&mask, j->flags))
			__atomic_add_fetch(&restless, 1, __ATOMIC_RELAXED);
		struct timespec now;
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (now.tv_sec > deadline.tv_sec || (now.tv_sec == deadline.tv_sec && now.tv_nsec >= deadline.tv_nsec))
			stop = 1;
	}
	vkDestroyFence(d, fence, NULL);
	return NULL;
}

/* answer signals a fence when a handler has run. */
static void *answer(void *fence) {
	while (sem_wait(&met))
		;
	CHECK(vkQueueSubmit(queues[0], 0, NULL, *(VkFence *)fence));
	return NULL;
}

/* waits says that handlers run while calls wait: an alarm comes during a wait for what its handler brings
   about. And that an alarm does not end a wait before its time. */
static int waits(void) {
	VkFence fence;
	pthread_t other;
	sigset_t all, mine;
	CHECK(vkCreateFence(devices[0], &(VkFenceCreateInfo){.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO}, NULL, &fence));
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &mine); /* the handler must run in this thread */
	if (sem_init(&met, 0, 0) || pthread_create(&other, NULL, answer, &fence))
		return 0;
	pthread_sigmask(SIG_SETMASK, &mine, NULL);
	struct itimerval soon = {{0, 0}, {0, 20000}};
	setitimer(ITIMER_REAL, &soon, NULL);
	VkResult r = vkWaitForFences(devices[0], 1, &fence, VK_TRUE, UINT64_C(100000000000));
	if (r == VK_SUCCESS)
		pthread_join(other, NULL);
	else
		fprintf(stderr, "no handler runs during a call that waits: %d\n", r);

	struct timespec a, b;
	CHECK(vkResetFences(devices[0], 1, &fence));
	clock_gettime(CLOCK_MONOTONIC, &a);
	setitimer(ITIMER_REAL, &soon, NULL);
	VkResult vain = vkWaitForFences(devices[0], 1, &fence, VK_TRUE, 100000000);
	clock_gettime(CLOCK_MONOTONIC, &b);
	long us = (b.tv_sec - a.tv_sec) * 1000000 + (b.tv_nsec - a.tv_nsec) / 1000;
	if (vain != VK_TIMEOUT || us < 100000 || handled != 2)
		fprintf(stderr, "a wait of 100 ms ends with %d after %ld us, and %lu handlers have run\n", vain, us, handled);
	vkDestroyFence(devices[0], fence, NULL);
	return r == VK_SUCCESS && vain == VK_TIMEOUT && us >= 100000 && handled == 2;
}

int main(int argc, char **argv) {
	if (argc < 7) {
		fprintf(stderr, "usage: %s FOLDER SECONDS RATE FLAGS THREADS DEVICES [alternate]\n", argv[0]);
		return 2;
	}
	int alternate = argc > 7, flags = atoi(argv[4]) | SA_RESTART;
	double seconds = atof(argv[2]);
	long rate = atol(argv[3]);
	thread_count = atoi(argv[5]);
	device_count = atoi(argv[6]);
	if (thread_count < 1 || thread_count > MOST || device_count < 1 || device_count > MOST || rate < 1)
		return 2;
	find_stack(alternate);
	folder = argv[1];
	CHECK(vkCreateInstance(&(VkInstanceCreateInfo){.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO}, NULL, &instance));
	uint32_t one = 1;
	if (vkEnumeratePhysicalDevices(instance, &one, &physical) < 0 || one != 1)
		return 4;
	for (unsigned i = 0; i < device_count; i++) {
		float priority = 1;
		CHECK(vkCreateDevice(physical, &(VkDeviceCreateInfo){.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1,
			.pQueueCreateInfos = &(VkDeviceQueueCreateInfo){.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1,
			.pQueuePriorities = &priority}}, NULL, &devices[i]));
		vkGetDeviceQueue(devices[i], 0, 0, &queues[i]);
		pthread_mutex_init(&locks[i], NULL);
	}
	for (int i = 0; i <= USED; i++) {
		struct sigaction a = {.sa_handler = handler, .sa_flags = flags};
		sigaction(signal_of(i), &a, NULL);
	}
	if (!waits())
		return 5;

	/* A child sends signals to the process, timers of the kernel raise others. */
	pid_t me = getpid(), child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;) {
			nanosleep(&(struct timespec){rate == 1, rate == 1 ? 0 : 1000000000 / rate}, NULL);
			if (kill(me, SIGCHLD) || kill(me, SIGUSR1) || kill(me, SIGIO))
				_exit(0);
		}
	}
	long us = 1000000 / rate;
	struct itimerval every = {{us / 1000000, us % 1000000}, {us / 1000000, us % 1000000}};
	setitimer(ITIMER_REAL, &every, NULL);
	setitimer(ITIMER_PROF, &every, NULL);
	timer_t timer;
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &(struct itimerspec){{us / 1000000, us % 1000000 * 1000}, {us / 1000000, us % 1000000 * 1000}}, NULL);

	clock_gettime(CLOCK_MONOTONIC, &deadline);
	deadline.tv_sec += (long)seconds;
	deadline.tv_nsec += (long)((seconds - (long)seconds) * 1e9);
	if (deadline.tv_nsec >= 1000000000) {
		deadline.tv_sec++;
		deadline.tv_nsec -= 1000000000;
	}
	sigset_t all;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	struct job jobs[MOST];
	for (unsigned i = 0; i < thread_count; i++) {
		jobs[i] = (struct job){.index = i, .flags = flags, .alternate = alternate};
		if (i && pthread_create(&jobs[i].thread, NULL, work, &jobs[i]))
			return 3;
	}
	unsigned long interrupted = 0;
	work(&jobs[0]); /* the main thread is one of them */
	for (int i = 0; i < 200 && !interrupted; i++) /* its own calls are interrupted as ever */
		interrupted += nanosleep(&(struct timespec){0, 50000000}, NULL) && errno == EINTR;
	for (unsigned i = 1; i < thread_count; i++)
		pthread_join(jobs[i].thread, NULL);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	timer_delete(timer);
	setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
	setitimer(ITIMER_PROF, &(struct itimerval){0}, NULL);
	for (unsigned i = 0; i < device_count; i++)
		vkDestroyDevice(devices[i], NULL);
	vkDestroyInstance(instance, NULL);
	FILE *f = fopen("/proc/self/statm", "r");
	long pages = 0, resident = 0;
	if (f && fscanf(f, "%ld %ld", &pages, &resident) == 2)
		fclose(f);
	printf("%lu handled, %lu on other stacks, %lu submitted, %lu wrong, %lu changed, %lu interrupted, %ld MiB\n",
	       handled, strange, submits, wrong, restless, interrupted, resident * 4 / 1024);
	return 0;
}

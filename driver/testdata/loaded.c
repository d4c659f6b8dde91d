/* What loading the driver does to a process, and what it does not. Arguments: the
   driver's library. Prints nothing if all is well. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>
#include <vulkan/vulkan.h>

static int failures;

#define EXPECT(condition, ...)                    \
	do {                                      \
		if (!(condition)) {               \
			printf(__VA_ARGS__);      \
			putchar('\n');            \
			failures++;               \
		}                                 \
	} while (0)

static void handler(int s) { (void)s; }

static int synchronous(int s) {
	return s == SIGSEGV || s == SIGBUS || s == SIGFPE || s == SIGILL || s == SIGTRAP || s == SIGSYS;
}

/* Numbers that no thread can block, or the C library keeps for itself. */
static int unblockable(int s) { return s == SIGKILL || s == SIGSTOP || s == 32 || s == 33; }

/* threads counts those of the process, and with others looks at what all but this one block. */
static int threads(int others) {
	int n = 0;
	DIR *d = opendir("/proc/self/task");
	for (struct dirent *e; d && (e = readdir(d));) {
		if (e->d_name[0] == '.')
			continue;
		n++;
		if (!others || atoi(e->d_name) == getpid())
			continue;
		char path[300], line[300];
		snprintf(path, sizeof path, "/proc/self/task/%s/status", e->d_name);
		FILE *f = fopen(path, "r");
		while (f && fgets(line, sizeof line, f)) {
			unsigned long long blocked;
			if (sscanf(line, "SigBlk: %llx", &blocked) != 1)
				continue;
			for (int s = 1; s < 65; s++)
				EXPECT(synchronous(s) || unblockable(s) || blocked >> (s - 1) & 1, "thread %s takes signal %d", e->d_name, s);
		}
		if (f)
			fclose(f);
	}
	if (d)
		closedir(d);
	return n;
}

/* A number in a file of /proc of a thread, behind a name; -1 where it may not be read. */
static long number(const char *thread, const char *file, const char *name) {
	char path[300], line[300];
	long n = -1;
	snprintf(path, sizeof path, "/proc/%s/%s", thread, file);
	FILE *f = fopen(path, "r");
	while (f && fgets(line, sizeof line, f))
		if (!strncmp(line, name, strlen(name)) && sscanf(line + strlen(name), "%ld", &n) == 1)
			break;
	if (f)
		fclose(f);
	return n;
}

/* patient looks for threads that wake up later than others: of the driver the one that wakes
   most often, and no other. call is a function that enters Go. */
static void patient(PFN_vkGetPhysicalDeviceProperties call, VkPhysicalDevice physical) {
	long slack = prctl(PR_GET_TIMERSLACK), often = -1, most = -1, late = 0;
	long wakes[64] = {0};
	struct dirent *e;
	for (int round = 0; round < 2; round++) {
		DIR *d = opendir("/proc/self/task");
		for (int i = 0; d && (e = readdir(d)) && i < 64;) {
			if (e->d_name[0] == '.' || atoi(e->d_name) == getpid())
				continue;
			long s = number(e->d_name, "timerslack_ns", "");
			if (s < 0) {
				fprintf(stderr, "not looked at: the slack of other threads, which needs CAP_SYS_NICE\n");
				closedir(d);
				return;
			}
			wakes[i] = number(e->d_name, "status", "voluntary_ctxt_switches:") - wakes[i];
			if (round && s > slack)
				late++;
			if (round && wakes[i] > most) {
				most = wakes[i];
				often = s;
			}
			i++;
		}
		if (d)
			closedir(d);
		for (int i = 0; !round && i < 20; i++) {
			VkPhysicalDeviceProperties properties;
			call(physical, &properties);
			usleep(5000);
		}
	}
	EXPECT(late == 1 && often > slack, "%ld threads are woken late; the one that wakes most often (%ld times) has a slack of %ld ns", late, most, often);
}

static struct sigaction before[65];

static void same_actions(const char *when, int all) {
	for (int s = 1; s < 65; s++) {
		struct sigaction now;
		if (!sigaction(s, NULL, &now) && (all || !synchronous(s)))
			EXPECT(now.sa_handler == before[s].sa_handler && now.sa_flags == before[s].sa_flags, "%s: another action of signal %d", when, s);
	}
}

int main(int argc, char **argv) {
	if (argc != 2)
		return 2;
	signal(SIGPIPE, SIG_IGN);
	signal(SIGUSR1, handler);
	sigaction(SIGURG, &(struct sigaction){.sa_handler = handler}, NULL); /* neither SA_ONSTACK nor SA_RESTART */
	for (int s = 1; s < 65; s++)
		sigaction(s, NULL, &before[s]);
	int slack = prctl(PR_GET_TIMERSLACK);
	setenv("PUMICE_DEVICE_TYPE", "discrete", 1); /* later than the process */

	void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		puts(dlerror());
		return 1;
	}
	EXPECT(threads(0) == 1, "dlopen: %d threads", threads(0));
	same_actions("dlopen", 1);

	VkResult (*negotiate)(uint32_t *) = (VkResult (*)(uint32_t *))dlsym(library, "vk_icdNegotiateLoaderICDInterfaceVersion");
	PFN_vkGetInstanceProcAddr get = (PFN_vkGetInstanceProcAddr)dlsym(library, "vk_icdGetInstanceProcAddr");
	uint32_t version = 5;
	struct rlimit unlimited, tight;
	getrlimit(RLIMIT_AS, &unlimited);
	tight = unlimited;
	tight.rlim_cur = 300 << 20;
	setrlimit(RLIMIT_AS, &tight);
	EXPECT(negotiate(&version) == VK_ERROR_INCOMPATIBLE_DRIVER, "300 MiB of address space are enough");
	EXPECT(!get(NULL, "vkCreateInstance"), "300 MiB of address space are enough for an entry point");
	EXPECT(threads(0) == 1, "a refusal: %d threads", threads(0));
	setrlimit(RLIMIT_AS, &unlimited);

	sigset_t mask, now;
	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR2);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	EXPECT(negotiate(&version) == VK_SUCCESS, "with room it does not work either");
	PFN_vkCreateInstance create = (PFN_vkCreateInstance)get(NULL, "vkCreateInstance");
	VkInstance instance;
	VkPhysicalDevice physical;
	VkDevice device;
	uint32_t one = 1;
	float priority = 1;
	if (!create || create(&(VkInstanceCreateInfo){.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO}, NULL, &instance) ||
	    ((PFN_vkEnumeratePhysicalDevices)get(instance, "vkEnumeratePhysicalDevices"))(instance, &one, &physical) ||
	    ((PFN_vkCreateDevice)get(instance, "vkCreateDevice"))(
		    physical, &(VkDeviceCreateInfo){.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1,
		    .pQueueCreateInfos = &(VkDeviceQueueCreateInfo){.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1,
		    .pQueuePriorities = &priority}}, NULL, &device))
		return 3;
	VkPhysicalDeviceProperties properties;
	((PFN_vkGetPhysicalDeviceProperties)get(instance, "vkGetPhysicalDeviceProperties"))(physical, &properties);
	EXPECT(properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, "a variable set before dlopen is not seen");
	same_actions("a device", 0);
	sigprocmask(SIG_SETMASK, NULL, &now);
	EXPECT(!memcmp(&now, &mask, 8), "the mask is another");
	EXPECT(threads(1) > 1, "the runtime has no threads");
	EXPECT(prctl(PR_GET_TIMERSLACK) == slack, "the host's thread is woken %d ns late", prctl(PR_GET_TIMERSLACK));
	patient((PFN_vkGetPhysicalDeviceProperties)get(instance, "vkGetPhysicalDeviceProperties"), physical);
	return failures != 0;
}

/* As many allocations as there can be, small ones, large ones, and those of several
   devices, leave the process mappings for what it does itself. */
#include <pthread.h>

#include "client.h"

static void *nothing(void *p) { return p; }

/* mappings is how many the process has. */
static int mappings(void) {
	FILE *f = fopen("/proc/self/maps", "r");
	int n = 0;
	for (int c; f && (c = fgetc(f)) != EOF;)
		n += c == '\n';
	if (f)
		fclose(f);
	return n;
}

/* alone checks that the host can go on. */
static void alone(const char *when) {
	int n = mappings();
	if (n > 65530 / 2 + 1000)
		fail("%s: %d mappings", when, n);
	pthread_t threads[32];
	for (int i = 0; i < 32; i++)
		if (pthread_create(&threads[i], NULL, nothing, NULL))
			fail("%s: no thread", when), threads[i] = 0;
	for (int i = 0; i < 32; i++)
		if (threads[i])
			pthread_join(threads[i], NULL);
	for (int i = 0; i < 100; i++)
		if (!malloc(1 << 20))
			fail("%s: no memory of malloc", when);
}

enum { MOST = 1 << 17 };

static VkDeviceMemory *all;

/* exhaust allocates until there is no more, and tells how many there were. */
static int exhaust(const char *what, VkDevice d, VkDeviceSize size, const void *next) {
	VkResult r = VK_SUCCESS;
	int n = 0;
	while (n < MOST) {
		VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .pNext = next, .allocationSize = size};
		if ((r = vkAllocateMemory(d, &info, NULL, &all[n])))
			break;
		n++;
	}
	if (r != VK_ERROR_TOO_MANY_OBJECTS)
		fail("%s: after %d allocations of %d bytes comes %d", what, n, (int)size, r);
	alone(what);
	return n;
}

static void free_all(VkDevice d, int n) {
	for (int i = 0; i < n; i++)
		vkFreeMemory(d, all[i], NULL);
}

int main(int argc, char **argv) {
	open_instance(argc, argv, VK_API_VERSION_1_1);
	open_device(NULL, 1, NULL, 0);
	VkDevice first = device;
	VkPhysicalDeviceProperties p;
	vkGetPhysicalDeviceProperties(physical, &p);
	int most = (int)p.limits.maxMemoryAllocationCount;
	if (most < 4096 || most > 65530 / 2)
		fail("maxMemoryAllocationCount is %d", most);
	all = malloc(2 * MOST * sizeof *all);

	int before = mappings(), n = exhaust("small", first, 4096, NULL);
	if (n != most)
		fail("%d small allocations, not %d", n, most);
	if (mappings() - before > most / 32)
		fail("%d mappings for small allocations", mappings() - before);
	free_all(first, n);
	n = exhaust("large", first, 100000, NULL);
	if (n != most)
		fail("%d large allocations, not %d", n, most);

	/* What one device has, others do not. */
	open_device(NULL, 1, NULL, 0);
	VkDeviceMemory *kept = all;
	all += n;
	int other = exhaust("of another device", device, 100000, NULL);
	if (other < 1000)
		fail("%d of another device", other);
	free_all(device, other);
	all = kept;
	vkDestroyDevice(device, NULL);
	free_all(first, n);
	device = first;

	struct buffer b = new_buffer(4096, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
	memset(b.mapped, 1, 4096);
	free_buffer(b);
	if (mappings() - before > 200)
		fail("%d mappings are left", mappings() - before);
	return close_all();
}

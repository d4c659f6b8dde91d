/* What clients are linked with where there is no Vulkan loader: it brings every command that they call to the one driver
   that PUMICE_DRIVER names. As with the system's loader, the first word of a dispatchable object, in which a driver
   leaves a magic number, leads to the table of the driver's functions for its instance or device. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#define dlopen(path, flags) ((void *)LoadLibraryA(path))
#define dlsym(library, name) ((void *)(uintptr_t)GetProcAddress(library, name))
#define dlerror() "cannot be loaded"
#else
#include <dlfcn.h>
#endif

#include <vulkan/vulkan.h>

#define MAGIC 0x01CDC0DE /* ICD_LOADER_MAGIC */
enum { OLDEST = 2, NEWEST = 7 }; /* versions of the interface between loader and driver */

enum command {
#define OWN(ret, name, params, args) AT_##name,
#define DISPATCHED OWN
#include "loader_gen.h"
	COMMANDS
#undef OWN
};

static const char *const names[COMMANDS] = {
#define OWN(ret, name, params, args) #name,
#include "loader_gen.h"
#undef OWN
#undef DISPATCHED
};

struct table {
	PFN_vkVoidFunction functions[COMMANDS];
};

static void broken(const char *what, const char *name) {
	fprintf(stderr, "loader: %s: %s\n", name, what);
	abort();
}

static PFN_vkVoidFunction function(const void *object, enum command at) {
	struct table *t = *(struct table *const *)object;
	if (!t->functions[at])
		broken("the driver has no such command here", names[at]);
	return t->functions[at];
}

#define CALL(name, object) ((PFN_##name)function(object, AT_##name))
#define FIRST(x, ...) x

#define OWN(ret, name, params, args)
#define DISPATCHED(ret, name, params, args) \
	ret name params { return CALL(name, FIRST args) args; }
#include "loader_gen.h"
#undef OWN
#undef DISPATCHED

static PFN_vkGetInstanceProcAddr get, get_physical;

static void load(void) {
	const char *path = getenv("PUMICE_DRIVER");
	void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
	if (!library)
		broken(path ? dlerror() : "is not set", "PUMICE_DRIVER");
	VkResult (*negotiate)(uint32_t *) = (VkResult(*)(uint32_t *))dlsym(library, "vk_icdNegotiateLoaderICDInterfaceVersion");
	PFN_vkGetInstanceProcAddr any = (PFN_vkGetInstanceProcAddr)dlsym(library, "vk_icdGetInstanceProcAddr");
	get_physical = (PFN_vkGetInstanceProcAddr)dlsym(library, "vk_icdGetPhysicalDeviceProcAddr");
	if (!negotiate || !any || !get_physical)
		broken("lacks a function for loaders", path);
	uint32_t version = NEWEST;
	if (negotiate(&version) != VK_SUCCESS)
		return; /* such as for want of memory: no driver */
	if (version < OLDEST || version > NEWEST)
		broken("speaks no version of the loader's interface", path);
	get = any;
}

/* global finds a command that needs no instance. */
static PFN_vkVoidFunction global(enum command at) {
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, load);
	return get ? get(NULL, names[at]) : NULL;
}

/* adopt makes an object of the driver dispatch through t. */
static void adopt(void *object, const struct table *t) {
	uintptr_t *word = object, was = __atomic_load_n(word, __ATOMIC_RELAXED);
	if (was != MAGIC && was != (uintptr_t)t)
		broken("lacks the magic number in its first word", "an object of the driver");
	__atomic_store_n(word, (uintptr_t)t, __ATOMIC_RELAXED);
}

static struct table *new_table(void) {
	struct table *t = calloc(1, sizeof *t);
	if (!t)
		broken("no memory", "a table");
	return t;
}

VkResult vkCreateInstance(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator, VkInstance *out) {
	PFN_vkCreateInstance create = (PFN_vkCreateInstance)global(AT_vkCreateInstance);
	if (!create)
		return VK_ERROR_INCOMPATIBLE_DRIVER;
	if (info->enabledLayerCount)
		return VK_ERROR_LAYER_NOT_PRESENT;
	VkResult r = create(info, allocator, out);
	if (r != VK_SUCCESS)
		return r;
	struct table *t = new_table();
	for (int i = 0; i < COMMANDS; i++) {
		t->functions[i] = get_physical(*out, names[i]);
		if (!t->functions[i])
			t->functions[i] = get(*out, names[i]);
	}
	adopt(*out, t);
	return r;
}

void vkDestroyInstance(VkInstance i, const VkAllocationCallbacks *allocator) {
	if (!i)
		return;
	struct table *t = *(struct table **)i;
	CALL(vkDestroyInstance, i)(i, allocator);
	free(t);
}

VkResult vkEnumeratePhysicalDevices(VkInstance i, uint32_t *count, VkPhysicalDevice *devices) {
	VkResult r = CALL(vkEnumeratePhysicalDevices, i)(i, count, devices);
	for (uint32_t n = 0; r >= 0 && devices && n < *count; n++)
		adopt(devices[n], *(struct table **)i);
	return r;
}

VkResult vkCreateDevice(VkPhysicalDevice p, const VkDeviceCreateInfo *info, const VkAllocationCallbacks *allocator, VkDevice *out) {
	VkResult r = CALL(vkCreateDevice, p)(p, info, allocator, out);
	if (r != VK_SUCCESS)
		return r;
	struct table *t = new_table();
	for (int i = 0; i < COMMANDS; i++)
		t->functions[i] = CALL(vkGetDeviceProcAddr, p)(*out, names[i]);
	adopt(*out, t);
	return r;
}

void vkDestroyDevice(VkDevice d, const VkAllocationCallbacks *allocator) {
	if (!d)
		return;
	struct table *t = *(struct table **)d;
	CALL(vkDestroyDevice, d)(d, allocator);
	free(t);
}

void vkGetDeviceQueue(VkDevice d, uint32_t family, uint32_t index, VkQueue *out) {
	CALL(vkGetDeviceQueue, d)(d, family, index, out);
	if (*out)
		adopt(*out, *(struct table **)d);
}

VkResult vkAllocateCommandBuffers(VkDevice d, const VkCommandBufferAllocateInfo *info, VkCommandBuffer *out) {
	VkResult r = CALL(vkAllocateCommandBuffers, d)(d, info, out);
	for (uint32_t n = 0; r == VK_SUCCESS && n < info->commandBufferCount; n++)
		adopt(out[n], *(struct table **)d);
	return r;
}

VkResult vkEnumerateInstanceVersion(uint32_t *version) {
	PFN_vkEnumerateInstanceVersion f = (PFN_vkEnumerateInstanceVersion)global(AT_vkEnumerateInstanceVersion);
	return f ? f(version) : VK_ERROR_INCOMPATIBLE_DRIVER;
}

VkResult vkEnumerateInstanceExtensionProperties(const char *layer, uint32_t *count, VkExtensionProperties *properties) {
	PFN_vkEnumerateInstanceExtensionProperties f = (PFN_vkEnumerateInstanceExtensionProperties)global(AT_vkEnumerateInstanceExtensionProperties);
	return f ? f(layer, count, properties) : VK_ERROR_INCOMPATIBLE_DRIVER;
}

/* own finds a function of this file: what dispatches, or adopts what the driver makes. */
static PFN_vkVoidFunction own(const char *name) {
	static const PFN_vkVoidFunction functions[COMMANDS] = {
#define OWN(ret, name, params, args) [AT_##name] = (PFN_vkVoidFunction)name,
#define DISPATCHED OWN
#include "loader_gen.h"
	};
	for (int i = 0; i < COMMANDS; i++)
		if (!strcmp(name, names[i]))
			return functions[i];
	return NULL;
}

PFN_vkVoidFunction vkGetDeviceProcAddr(VkDevice d, const char *name) {
	PFN_vkVoidFunction f = CALL(vkGetDeviceProcAddr, d)(d, name);
	return f && own(name) ? own(name) : f;
}

PFN_vkVoidFunction vkGetInstanceProcAddr(VkInstance i, const char *name) {
	if (!i) {
		global(AT_vkCreateInstance); /* loads the driver */
		return get && get(NULL, name) ? own(name) : NULL;
	}
	PFN_vkVoidFunction f = get_physical(i, name);
	if (!f)
		f = get(i, name);
	return f && own(name) ? own(name) : f;
}

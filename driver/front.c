//go:build linux || windows

/* The driver's interface to the Vulkan loader: the three exported functions,
   and the two through which everything else is found. */
#include "loader.h"

void *pumice_more(struct pumice_stream *s, uint32_t copies, uint64_t size) {
	if (pumice_forked) {
		s->result = VK_ERROR_DEVICE_LOST;
		return NULL;
	}
	struct pumice_crossing c;
	pumice_enter(&c);
	void *p = pumiceGrow(s, copies, size);
	pumice_leave(&c);
	return p;
}

/* Who holds a stream adds a few words, or is in Go for a segment: not for long. */
int pumice_wait_for_hold(struct pumice_stream *s) {
	for (int tries = 0; tries < 1 << 20; tries++) {
		if (!__atomic_load_n(&s->held, __ATOMIC_RELAXED) && !__atomic_exchange_n(&s->held, 1, __ATOMIC_ACQUIRE))
			return 1;
		pumice_yield();
	}
	return 0;
}

static PFN_vkVoidFunction find(enum scope scope, void *object, const char *name) {
	if (!name || pumice_forked || !pumice_start())
		return NULL;
	struct pumice_crossing c;
	pumice_enter(&c);
	uint32_t op = pumiceLookup(scope, object, (char *)name);
	pumice_leave(&c);
	return op < pumice_entry_count ? pumice_entries[op] : NULL;
}

PFN_vkVoidFunction vk_icdGetInstanceProcAddr(VkInstance instance, const char *name) {
	if (loader_names(name))
		return loader_function(name);
	return find(SCOPE_INSTANCE, instance, name);
}

PFN_vkVoidFunction vk_icdGetPhysicalDeviceProcAddr(VkInstance instance, const char *name) {
	return find(SCOPE_PHYSICAL_DEVICE, instance, name);
}

VkResult vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version) {
	if (!version || *version < 2 || pumice_forked || !pumice_start())
		return VK_ERROR_INCOMPATIBLE_DRIVER;
	return loader_agree(version);
}

PFN_vkVoidFunction pumice_vkGetInstanceProcAddr(VkInstance instance, const char *name) {
	return vk_icdGetInstanceProcAddr(instance, name);
}

PFN_vkVoidFunction pumice_vkGetDeviceProcAddr(VkDevice device, const char *name) {
	return find(SCOPE_DEVICE, device, name);
}

/* What the fronts, with Go (front.c) and without (isolate/front.c), tell Vulkan's loader of themselves. */
#ifndef PUMICE_LOADER_H
#define PUMICE_LOADER_H

#include "front.h"

/* The newest version of the loader's interface that is spoken here. */
#define LOADER_INTERFACE 7

enum scope { SCOPE_INSTANCE, SCOPE_DEVICE, SCOPE_PHYSICAL_DEVICE };

PUMICE_EXPORT PFN_vkVoidFunction vk_icdGetInstanceProcAddr(VkInstance instance, const char *name);
PUMICE_EXPORT PFN_vkVoidFunction vk_icdGetPhysicalDeviceProcAddr(VkInstance instance, const char *name);
PUMICE_EXPORT VkResult vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version);

static inline int loader_names(const char *name) { return name && !strncmp(name, "vk_icd", 6); }

/* One of the three functions that loaders look for; NULL for others. */
static inline PFN_vkVoidFunction loader_function(const char *name) {
	static const struct {
		const char *name;
		PFN_vkVoidFunction f;
	} own[] = {
		{"vk_icdGetInstanceProcAddr", (PFN_vkVoidFunction)vk_icdGetInstanceProcAddr},
		{"vk_icdGetPhysicalDeviceProcAddr", (PFN_vkVoidFunction)vk_icdGetPhysicalDeviceProcAddr},
		{"vk_icdNegotiateLoaderICDInterfaceVersion", (PFN_vkVoidFunction)vk_icdNegotiateLoaderICDInterfaceVersion},
	};
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if (!strcmp(name, own[i].name))
			return own[i].f;
	return NULL;
}

/* Agrees on a version with a loader, which has one of 2 or more. */
static inline VkResult loader_agree(uint32_t *version) {
	if (*version > LOADER_INTERFACE)
		*version = LOADER_INTERFACE;
	return VK_SUCCESS;
}

#endif

/* What clients include as <vulkan/vulkan.h> where they are built without Vulkan's own: see driver/_gen/clients.go. */
#pragma once

#define VK_MAKE_API_VERSION(variant, major, minor, patch) \
	((uint32_t)(variant) << 29 | (uint32_t)(major) << 22 | (uint32_t)(minor) << 12 | (uint32_t)(patch))
#define VK_API_VERSION_1_0 VK_MAKE_API_VERSION(0, 1, 0, 0)
#define VK_API_VERSION_1_1 VK_MAKE_API_VERSION(0, 1, 1, 0)
#define VK_API_VERSION_1_2 VK_MAKE_API_VERSION(0, 1, 2, 0)
#define VK_API_VERSION_1_3 VK_MAKE_API_VERSION(0, 1, 3, 0)
#define VK_API_VERSION_1_4 VK_MAKE_API_VERSION(0, 1, 4, 0)
#define VK_NULL_HANDLE 0

#include "vulkan_gen.h"

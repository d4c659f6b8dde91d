/* What the test clients share: an instance with one device, buffers, images,
   shaders, and messages of the validation layer, whose errors count as failures.

   A client is called with the folder of its shaders. It prints what it has
   rendered as a checksum, and exits with 0 if all is as it should be, 77 if the
   driver lacks something that it names, 1 else. */
#pragma once

#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vulkan/vulkan.h>

enum { SKIPPED = 77 };

static int failures;

__attribute__((format(printf, 1, 2))) static void fail(const char *format, ...) {
	va_list args;
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	failures++;
}

#define CHECK(call)                                                                     \
	do {                                                                            \
		VkResult r_ = (call);                                                   \
		if (r_ != VK_SUCCESS) {                                                 \
			fprintf(stderr, "%s:%d: %s = %d\n", __FILE__, __LINE__, #call, r_); \
			exit(1);                                                        \
		}                                                                       \
	} while (0)

#define COUNT(array) (uint32_t)(sizeof(array) / sizeof *(array))

/* The validation layer's errors are failures; what else it has to say is told. */
static VkBool32 message(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT type,
			const VkDebugUtilsMessengerCallbackDataEXT *data, void *user) {
	(void)type, (void)user;
	const char *id = data->pMessageIdName ? data->pMessageIdName : "";
	int error = severity >= VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
	if (!strcmp(id, "Loader Message")) /* about other drivers */
		return VK_FALSE;
	fprintf(stderr, "validation %s: %s: %s\n", error ? "error" : "warning", id, data->pMessage);
	failures += error;
	return VK_FALSE;
}

static VkInstance instance;
static VkDebugUtilsMessengerEXT messenger;
static VkPhysicalDevice physical;
static VkDevice device;
static const char *folder;

/* open_instance makes the instance, with the validation layer where PUMICE_VALIDATE
   is set. */
__attribute__((unused)) static void open_instance(int argc, char **argv, uint32_t version) {
	if (argc != 2) {
		fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
		exit(2);
	}
	folder = argv[1];
	const char *layer = "VK_LAYER_KHRONOS_validation", *extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
	int validate = getenv("PUMICE_VALIDATE") != NULL;
	VkValidationFeatureEnableEXT sync = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
	VkValidationFeaturesEXT features = {
		.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT, .enabledValidationFeatureCount = 1, .pEnabledValidationFeatures = &sync};
	VkDebugUtilsMessengerCreateInfoEXT debug = {
		.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
		.pNext = &features,
		.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
		.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT,
		.pfnUserCallback = message,
	};
	VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = version};
	VkResult result =
		vkCreateInstance(&(VkInstanceCreateInfo){.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
							 .pNext = validate ? &debug : NULL,
							 .pApplicationInfo = &app,
							 .enabledLayerCount = validate,
							 .ppEnabledLayerNames = &layer,
							 .enabledExtensionCount = validate,
							 .ppEnabledExtensionNames = &extension},
				 NULL, &instance);
	if (result == VK_ERROR_LAYER_NOT_PRESENT) {
		printf("skipped: no %s\n", layer);
		exit(SKIPPED);
	}
	CHECK(result);
	if (validate) {
		debug.pNext = NULL;
		PFN_vkCreateDebugUtilsMessengerEXT create =
			(PFN_vkCreateDebugUtilsMessengerEXT)vkGetInstanceProcAddr(instance, "vkCreateDebugUtilsMessengerEXT");
		CHECK(create(instance, &debug, NULL, &messenger));
	}
	uint32_t one = 1;
	if (vkEnumeratePhysicalDevices(instance, &one, &physical) < 0 || one != 1) {
		fprintf(stderr, "no device\n");
		exit(1);
	}
}

/* open_device makes the device with a queue of each of the families. */
__attribute__((unused)) static void open_device(const void *next, uint32_t family_count, const char *const *extensions, uint32_t extension_count) {
	uint32_t count = 0;
	vkEnumerateDeviceExtensionProperties(physical, NULL, &count, NULL);
	VkExtensionProperties *have = calloc(count, sizeof *have);
	vkEnumerateDeviceExtensionProperties(physical, NULL, &count, have);
	for (uint32_t i = 0; i < extension_count; i++) {
		uint32_t n = 0;
		while (n < count && strcmp(have[n].extensionName, extensions[i]))
			n++;
		if (n == count) {
			printf("skipped: no %s\n", extensions[i]);
			exit(SKIPPED);
		}
	}
	free(have);
	VkQueueFamilyProperties families[4];
	count = COUNT(families);
	vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families);
	if (count < family_count) {
		printf("skipped: only %" PRIu32 " queue families\n", count);
		exit(SKIPPED);
	}
	float priority = 1;
	VkDeviceQueueCreateInfo queues[4];
	for (uint32_t i = 0; i < family_count; i++)
		queues[i] = (VkDeviceQueueCreateInfo){.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
						      .queueFamilyIndex = i,
						      .queueCount = 1,
						      .pQueuePriorities = &priority};
	CHECK(vkCreateDevice(physical,
			     &(VkDeviceCreateInfo){.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
						   .pNext = next,
						   .queueCreateInfoCount = family_count,
						   .pQueueCreateInfos = queues,
						   .enabledExtensionCount = extension_count,
						   .ppEnabledExtensionNames = extensions},
			     NULL, &device));
}

__attribute__((unused)) static int close_all(void) {
	vkDestroyDevice(device, NULL);
	if (messenger)
		((PFN_vkDestroyDebugUtilsMessengerEXT)vkGetInstanceProcAddr(instance, "vkDestroyDebugUtilsMessengerEXT"))(
			instance, messenger, NULL);
	vkDestroyInstance(instance, NULL);
	return failures ? 1 : 0;
}

__attribute__((unused)) static uint32_t memory_type(uint32_t bits, VkMemoryPropertyFlags want) {
	VkPhysicalDeviceMemoryProperties p;
	vkGetPhysicalDeviceMemoryProperties(physical, &p);
	for (uint32_t i = 0; i < p.memoryTypeCount; i++)
		if ((bits >> i & 1) && (p.memoryTypes[i].propertyFlags & want) == want)
			return i;
	fprintf(stderr, "no memory type\n");
	exit(1);
}

__attribute__((unused)) static VkDeviceMemory allocate(VkMemoryRequirements need, VkMemoryPropertyFlags want) {
	VkDeviceMemory m;
	CHECK(vkAllocateMemory(device,
			       &(VkMemoryAllocateInfo){.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
						       .allocationSize = need.size,
						       .memoryTypeIndex = memory_type(need.memoryTypeBits, want)},
			       NULL, &m));
	return m;
}

struct buffer {
	VkBuffer handle;
	VkDeviceMemory memory;
	void *mapped;
};

__attribute__((unused)) static struct buffer new_buffer(VkDeviceSize size, VkBufferUsageFlags usage, const void *data) {
	struct buffer b;
	uint32_t families[] = {0, 1};
	CHECK(vkCreateBuffer(device,
			     &(VkBufferCreateInfo){.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
						   .size = size,
						   .usage = usage,
						   .sharingMode = usage & VK_BUFFER_USAGE_STORAGE_BUFFER_BIT ? VK_SHARING_MODE_CONCURRENT
													     : VK_SHARING_MODE_EXCLUSIVE,
						   .queueFamilyIndexCount = 2,
						   .pQueueFamilyIndices = families},
			     NULL, &b.handle));
	VkMemoryRequirements need;
	vkGetBufferMemoryRequirements(device, b.handle, &need);
	b.memory = allocate(need, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
	CHECK(vkBindBufferMemory(device, b.handle, b.memory, 0));
	CHECK(vkMapMemory(device, b.memory, 0, VK_WHOLE_SIZE, 0, &b.mapped));
	if (data)
		memcpy(b.mapped, data, size);
	return b;
}

__attribute__((unused)) static void free_buffer(struct buffer b) {
	vkDestroyBuffer(device, b.handle, NULL);
	vkFreeMemory(device, b.memory, NULL);
}

struct image {
	VkImage handle;
	VkImageView view;
	VkDeviceMemory memory;
};

__attribute__((unused)) static struct image new_levels(VkFormat format, uint32_t width, uint32_t height, uint32_t levels, VkSampleCountFlagBits samples,
			       VkImageUsageFlags usage, VkImageAspectFlags aspect) {
	struct image m;
	CHECK(vkCreateImage(device,
			    &(VkImageCreateInfo){.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
						 .imageType = VK_IMAGE_TYPE_2D,
						 .format = format,
						 .extent = {width, height, 1},
						 .mipLevels = levels,
						 .arrayLayers = 1,
						 .samples = samples,
						 .usage = usage},
			    NULL, &m.handle));
	VkMemoryRequirements need;
	vkGetImageMemoryRequirements(device, m.handle, &need);
	m.memory = allocate(need, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
	CHECK(vkBindImageMemory(device, m.handle, m.memory, 0));
	CHECK(vkCreateImageView(device,
				&(VkImageViewCreateInfo){.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
							 .image = m.handle,
							 .viewType = VK_IMAGE_VIEW_TYPE_2D,
							 .format = format,
							 .subresourceRange = {aspect, 0, levels, 0, 1}},
				NULL, &m.view));
	return m;
}

__attribute__((unused)) static struct image new_image(VkFormat format, uint32_t width, uint32_t height, VkSampleCountFlagBits samples,
						      VkImageUsageFlags usage, VkImageAspectFlags aspect) {
	return new_levels(format, width, height, 1, samples, usage, aspect);
}

__attribute__((unused)) static void free_image(struct image m) {
	vkDestroyImageView(device, m.view, NULL);
	vkDestroyImage(device, m.handle, NULL);
	vkFreeMemory(device, m.memory, NULL);
}

__attribute__((unused)) static VkShaderModule load_shader(const char *name) {
	char path[4096];
	static uint32_t code[1 << 16];
	snprintf(path, sizeof path, "%s/%s.spv", folder, name);
	FILE *f = fopen(path, "rb");
	if (!f) {
		perror(path);
		exit(1);
	}
	size_t size = fread(code, 1, sizeof code, f);
	fclose(f);
	VkShaderModule m;
	CHECK(vkCreateShaderModule(
		device, &(VkShaderModuleCreateInfo){.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size, .pCode = code},
		NULL, &m));
	return m;
}

__attribute__((unused)) static VkPipeline new_compute_pipeline(VkPipelineLayout layout, const char *shader) {
	VkShaderModule module = load_shader(shader);
	VkPipeline p;
	CHECK(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1,
				       &(VkComputePipelineCreateInfo){.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
								      .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
										.stage = VK_SHADER_STAGE_COMPUTE_BIT,
										.module = module,
										.pName = "main"},
								      .layout = layout},
				       NULL, &p));
	vkDestroyShaderModule(device, module, NULL);
	return p;
}

__attribute__((unused)) static VkCommandPool new_pool(uint32_t family) {
	VkCommandPool p;
	CHECK(vkCreateCommandPool(
		device, &(VkCommandPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .queueFamilyIndex = family}, NULL, &p));
	return p;
}

__attribute__((unused)) static VkCommandBuffer new_commands(VkCommandPool pool, VkCommandBufferLevel level) {
	VkCommandBuffer c;
	CHECK(vkAllocateCommandBuffers(device,
				       &(VkCommandBufferAllocateInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
								      .commandPool = pool,
								      .level = level,
								      .commandBufferCount = 1},
				       &c));
	return c;
}

__attribute__((unused)) static void image_barrier(VkCommandBuffer c, VkImage image, VkImageAspectFlags aspect, VkPipelineStageFlags from,
			  VkAccessFlags from_access, VkImageLayout old, VkPipelineStageFlags to, VkAccessFlags to_access,
			  VkImageLayout new) {
	VkImageMemoryBarrier b = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
				  .srcAccessMask = from_access,
				  .dstAccessMask = to_access,
				  .oldLayout = old,
				  .newLayout = new,
				  .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
				  .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
				  .image = image,
				  .subresourceRange = {aspect, 0, 1, 0, 1}};
	vkCmdPipelineBarrier(c, from, to, 0, 0, NULL, 0, NULL, 1, &b);
}

/* read_back records a copy of an image in TRANSFER_SRC_OPTIMAL, for the host. */
__attribute__((unused)) static void read_back(VkCommandBuffer c, VkImage image, uint32_t width, uint32_t height, struct buffer to) {
	VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .imageExtent = {width, height, 1}};
	vkCmdCopyImageToBuffer(c, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, to.handle, 1, &region);
	VkBufferMemoryBarrier b = {.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER,
				   .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
				   .dstAccessMask = VK_ACCESS_HOST_READ_BIT,
				   .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
				   .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
				   .buffer = to.handle,
				   .size = VK_WHOLE_SIZE};
	vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 0, NULL, 1, &b, 0, NULL);
}

/* expect compares the texel at x, y with R, G, B, A bytes. */
__attribute__((unused)) static void expect(const uint8_t *texels, uint32_t width, uint32_t x, uint32_t y, uint8_t r, uint8_t g, uint8_t b, uint8_t a) {
	const uint8_t *p = texels + (y * width + x) * 4, want[] = {r, g, b, a};
	if (memcmp(p, want, 4))
		fail("texel %u,%u is %d %d %d %d, want %d %d %d %d", x, y, p[0], p[1], p[2], p[3], r, g, b, a);
}

__attribute__((unused)) static uint32_t checksum(const uint8_t *p, size_t n) { /* FNV-1a */
	uint32_t h = 2166136261;
	while (n--)
		h = (h ^ *p++) * 16777619;
	return h;
}

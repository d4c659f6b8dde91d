/* What has to travel when the driver is another process: texels to an image and back, data of an update template whose
   size only the template knows, chains of structs that are filled in, arrays of unknown length, and words that a debug
   messenger is told. Prints "ok" if all arrives. */
#include "client.h"

static int told;
static char last[512];

static VkBool32 hear(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT type,
		     const VkDebugUtilsMessengerCallbackDataEXT *data, void *user) {
	(void)severity, (void)type;
	*(int *)user += 1;
	snprintf(last, sizeof last, "%s|%s", data->pMessageIdName ? data->pMessageIdName : "", data->pMessage ? data->pMessage : "");
	return VK_FALSE;
}

static void texels(void) {
	VkImageCreateInfo ii = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .imageType = VK_IMAGE_TYPE_2D, .format = VK_FORMAT_R8G8B8A8_UNORM,
		.extent = {5, 3, 1}, .mipLevels = 1, .arrayLayers = 1, .samples = VK_SAMPLE_COUNT_1_BIT, .tiling = VK_IMAGE_TILING_OPTIMAL,
		.usage = VK_IMAGE_USAGE_HOST_TRANSFER_BIT};
	VkImage image;
	CHECK(vkCreateImage(device, &ii, NULL, &image));
	VkMemoryRequirements need;
	vkGetImageMemoryRequirements(device, image, &need);
	VkMemoryAllocateInfo ai = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = need.size};
	VkDeviceMemory memory;
	CHECK(vkAllocateMemory(device, &ai, NULL, &memory));
	CHECK(vkBindImageMemory(device, image, memory, 0));
	VkHostImageLayoutTransitionInfo t = {.sType = VK_STRUCTURE_TYPE_HOST_IMAGE_LAYOUT_TRANSITION_INFO, .image = image,
		.newLayout = VK_IMAGE_LAYOUT_GENERAL, .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
	CHECK(vkTransitionImageLayout(device, 1, &t));
	uint32_t in[3 * 8], out[2][3 * 5];
	for (uint32_t i = 0; i < COUNT(in); i++)
		in[i] = 0x01010101 * i;
	memset(out, 0, sizeof out);
	VkMemoryToImageCopy to = {.sType = VK_STRUCTURE_TYPE_MEMORY_TO_IMAGE_COPY, .pHostPointer = in, .memoryRowLength = 8,
		.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .imageExtent = {5, 3, 1}};
	VkCopyMemoryToImageInfo ti = {.sType = VK_STRUCTURE_TYPE_COPY_MEMORY_TO_IMAGE_INFO, .dstImage = image,
		.dstImageLayout = VK_IMAGE_LAYOUT_GENERAL, .regionCount = 1, .pRegions = &to};
	CHECK(vkCopyMemoryToImage(device, &ti));
	VkImageToMemoryCopy from[2] = {{.sType = VK_STRUCTURE_TYPE_IMAGE_TO_MEMORY_COPY, .pHostPointer = out[0],
		.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .imageExtent = {5, 3, 1}}};
	from[1] = from[0];
	from[1].pHostPointer = out[1];
	from[1].imageExtent.height = 2;
	VkCopyImageToMemoryInfo fi = {.sType = VK_STRUCTURE_TYPE_COPY_IMAGE_TO_MEMORY_INFO, .srcImage = image,
		.srcImageLayout = VK_IMAGE_LAYOUT_GENERAL, .regionCount = 2, .pRegions = from};
	CHECK(vkCopyImageToMemory(device, &fi));
	for (int y = 0; y < 3; y++)
		for (int x = 0; x < 5; x++) {
			if (out[0][y * 5 + x] != in[y * 8 + x])
				fail("texel %d, %d is %#x, want %#x", x, y, out[0][y * 5 + x], in[y * 8 + x]);
			if (out[1][y * 5 + x] != (y < 2 ? in[y * 8 + x] : 0))
				fail("texel %d, %d of the second region is %#x", x, y, out[1][y * 5 + x]);
		}
	vkDestroyImage(device, image, NULL);
	vkFreeMemory(device, memory, NULL);
}

static void template(void) {
	VkDescriptorSetLayoutBinding b = {0, VK_DESCRIPTOR_TYPE_SAMPLER, 3, VK_SHADER_STAGE_ALL, NULL};
	VkDescriptorSetLayoutCreateInfo li = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 1, .pBindings = &b};
	VkDescriptorSetLayout layout;
	CHECK(vkCreateDescriptorSetLayout(device, &li, NULL, &layout));
	VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_SAMPLER, 3};
	VkDescriptorPoolCreateInfo pi = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 1, .pPoolSizes = &size};
	VkDescriptorPool pool;
	CHECK(vkCreateDescriptorPool(device, &pi, NULL, &pool));
	VkDescriptorSetAllocateInfo si = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, NULL, pool, 1, &layout};
	VkDescriptorSet set;
	CHECK(vkAllocateDescriptorSets(device, &si, &set));
	struct {
		uint8_t before[40];
		VkDescriptorImageInfo images[3];
	} data;
	memset(&data, 0, sizeof data);
	VkDescriptorUpdateTemplateEntry e = {0, 0, 3, VK_DESCRIPTOR_TYPE_SAMPLER, 40, sizeof *data.images};
	VkDescriptorUpdateTemplateCreateInfo ti = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
		.descriptorUpdateEntryCount = 1, .pDescriptorUpdateEntries = &e, .descriptorSetLayout = layout};
	VkDescriptorUpdateTemplate t;
	CHECK(vkCreateDescriptorUpdateTemplate(device, &ti, NULL, &t));
	VkSamplerCreateInfo sampler = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
	CHECK(vkCreateSampler(device, &sampler, NULL, &data.images[2].sampler));
	vkUpdateDescriptorSetWithTemplate(device, set, t, &data);
	vkDestroySampler(device, data.images[2].sampler, NULL);
	vkDestroyDescriptorUpdateTemplate(device, t, NULL);
	vkDestroyDescriptorPool(device, pool, NULL);
	vkDestroyDescriptorSetLayout(device, layout, NULL);
}

static void chains(void) {
	VkPhysicalDeviceVulkan12Properties p12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES};
	struct {
		VkStructureType sType;
		void *pNext;
		int rest;
	} unknown = {(VkStructureType)1999999000, &p12, 7};
	VkPhysicalDeviceVulkan11Properties p11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES, .pNext = &unknown};
	VkPhysicalDeviceProperties2 p = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &p11};
	vkGetPhysicalDeviceProperties2(physical, &p);
	if (strcmp(p12.driverName, "Pumice") || p11.subgroupSize == 0 || p.pNext != &p11 || p11.pNext != &unknown || unknown.pNext != &p12 || unknown.rest != 7)
		fail("a chain comes back as %s, %u", p12.driverName, p11.subgroupSize);
	uint32_t n = 0, less = 2;
	CHECK(vkEnumerateDeviceExtensionProperties(physical, NULL, &n, NULL));
	VkExtensionProperties *all = calloc(n, sizeof *all);
	if (vkEnumerateDeviceExtensionProperties(physical, NULL, &less, all) != VK_INCOMPLETE || less != 2 || !*all[1].extensionName || *all[2].extensionName)
		fail("two of %u extensions are %u", n, less);
	CHECK(vkEnumerateDeviceExtensionProperties(physical, NULL, &n, all));
	if (!*all[n - 1].extensionName)
		fail("the last extension has no name");
	free(all);
}

int main(void) {
	const char *extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
	VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_4};
	VkInstanceCreateInfo ii = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app, .enabledExtensionCount = 1, .ppEnabledExtensionNames = &extension};
	CHECK(vkCreateInstance(&ii, NULL, &instance));
	VkDebugUtilsMessengerCreateInfoEXT mi = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT, .messageSeverity = 0x1111,
		.messageType = 7, .pfnUserCallback = hear, .pUserData = &told};
	PFN_vkCreateDebugUtilsMessengerEXT create = (PFN_vkCreateDebugUtilsMessengerEXT)vkGetInstanceProcAddr(instance, "vkCreateDebugUtilsMessengerEXT");
	CHECK(create(instance, &mi, NULL, &messenger));
	PFN_vkSubmitDebugUtilsMessageEXT submit = (PFN_vkSubmitDebugUtilsMessageEXT)vkGetInstanceProcAddr(instance, "vkSubmitDebugUtilsMessageEXT");
	VkDebugUtilsMessengerCallbackDataEXT words = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CALLBACK_DATA_EXT, .pMessageIdName = "name", .pMessage = "hello"};
	submit(instance, (VkDebugUtilsMessageSeverityFlagBitsEXT)0x1000, 1, &words);
	if (told != 1 || strcmp(last, "name|hello"))
		fail("a messenger is told %d times, %s", told, last);
	uint32_t n = 1;
	CHECK(vkEnumeratePhysicalDevices(instance, &n, &physical));
	chains();
	float priority = 1;
	VkPhysicalDeviceVulkan14Features f14 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_4_FEATURES, .hostImageCopy = VK_TRUE};
	VkDeviceQueueCreateInfo q = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
	VkDeviceCreateInfo di = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = &f14, .queueCreateInfoCount = 1, .pQueueCreateInfos = &q};
	CHECK(vkCreateDevice(physical, &di, NULL, &device));
	texels();
	template();
	vkDestroyDevice(device, NULL);
	vkDestroyInstance(instance, NULL);
	if (!failures)
		puts("ok");
	return failures != 0;
}

/* A fuzzer of the driver's C front, for libFuzzer and the sanitizers. The bytes of an
   input become calls, through the door that loaders use: commands with arrays and nested
   structs, queries with chains, objects and submissions. Handles lead somewhere, nowhere
   or to what is destroyed; counts, flags and enums may be anything; but what pointers
   point to is there, in blocks of the exact size, so that a sanitizer sees who reads
   further. PUMICE_DRIVER is the driver. With REPLAY it is a program of its own, which runs the files
   it is given once each. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

static const uint8_t *at, *end;

static void must(int ok, const char *what) {
	if (!ok) {
		fprintf(stderr, "fuzz: %s\n", what);
		exit(1);
	}
}

static uint32_t byte(void) { return at < end ? *at++ : 0; }

static uint32_t number(void) {
	static const uint32_t odd[] = {0, 1, 4, 63, 64, 65, 255, 256, 4095, 4096, 65535, 65536, 0x7FFFFFFF, 0x80000000u, 0xFFFFFFFCu, 0xFFFFFFFFu};
	uint32_t b = byte();
	return b < 192 ? b % 48 : odd[byte() % 16];
}

/* Blocks of an input, freed when it ends; those of a command as soon as it is recorded. */
static void *blocks[4096];
static int used;

static void *block(size_t n) {
	must(used < 4096, "too many blocks");
	uint8_t *p = blocks[used++] = malloc(n);
	for (size_t i = 0; i < n; i++)
		p[i] = i % 4 ? 0 : (uint8_t)byte() % 32;
	return p;
}

static void release(void) {
	while (used > 0)
		free(blocks[--used]);
}

/* A struct with its type and, now and then, a chain of one that means nothing here. */
static void *typed(size_t n, VkStructureType type) {
	VkBaseOutStructure *s = block(n);
	s->sType = type;
	s->pNext = NULL;
	if (byte() % 8 == 7) {
		s->pNext = block(sizeof(VkBaseOutStructure));
		s->pNext->sType = 0x7FFF0000 + (VkStructureType)byte(); /* of two words, which no struct with a meaning has */
		s->pNext->pNext = NULL;
	}
	return s;
}

#define COMMANDS(X) \
	X(CreateDevice) X(DestroyInstance) X(EnumeratePhysicalDevices) X(GetPhysicalDeviceFeatures2) X(GetPhysicalDeviceProperties2) \
	X(GetPhysicalDeviceFormatProperties2) X(GetPhysicalDeviceImageFormatProperties2) X(EnumerateDeviceExtensionProperties) X(GetPhysicalDeviceQueueFamilyProperties2) \
	X(GetDeviceProcAddr) X(DestroyDevice) X(GetDeviceQueue) X(QueueSubmit) X(QueueWaitIdle) X(AllocateMemory) X(FreeMemory) X(MapMemory) X(UnmapMemory) \
	X(CreateBuffer) X(DestroyBuffer) X(GetBufferMemoryRequirements) X(BindBufferMemory) X(CreateImage) X(DestroyImage) X(GetImageMemoryRequirements) X(BindImageMemory) \
	X(CreateImageView) X(DestroyImageView) X(CreateCommandPool) X(DestroyCommandPool) X(ResetCommandPool) X(AllocateCommandBuffers) X(FreeCommandBuffers) \
	X(BeginCommandBuffer) X(EndCommandBuffer) X(ResetCommandBuffer) X(CreateQueryPool) X(DestroyQueryPool) X(GetQueryPoolResults) \
	X(CreateDescriptorSetLayout) X(DestroyDescriptorSetLayout) X(CreateDescriptorPool) X(DestroyDescriptorPool) X(AllocateDescriptorSets) X(UpdateDescriptorSets) \
	X(CreatePipelineLayout) X(DestroyPipelineLayout) X(CreateShaderModule) X(DestroyShaderModule) X(CreateSampler) X(DestroySampler) X(CreateFence) X(DestroyFence) \
	X(WaitForFences) X(ResetFences) X(CreateEvent) X(DestroyEvent) X(CmdCopyBuffer) X(CmdUpdateBuffer) X(CmdFillBuffer) X(CmdCopyImage) X(CmdBlitImage) \
	X(CmdCopyBufferToImage) X(CmdCopyImageToBuffer) X(CmdClearColorImage) X(CmdClearAttachments) X(CmdResolveImage) X(CmdPipelineBarrier) X(CmdPipelineBarrier2) \
	X(CmdPushConstants) X(CmdSetViewport) X(CmdSetScissor) X(CmdBindVertexBuffers) X(CmdBindVertexBuffers2) X(CmdBindIndexBuffer) X(CmdBindDescriptorSets) \
	X(CmdBeginRendering) X(CmdEndRendering) X(CmdDraw) X(CmdDrawIndexed) X(CmdDrawIndirect) X(CmdDispatch) X(CmdExecuteCommands) X(CmdWaitEvents) X(CmdSetEvent2) \
	X(CmdBeginQuery) X(CmdEndQuery) X(CmdResetQueryPool) X(CmdCopyQueryPoolResults) X(CmdWriteTimestamp) X(CmdCopyBuffer2) X(CmdBlitImage2) \
	X(CmdSetVertexInputEXT) X(CmdPushDescriptorSetKHR) X(CmdBeginDebugUtilsLabelEXT) X(CmdSetColorBlendEquationEXT) X(CmdSetSampleMaskEXT) X(CmdBindPipeline)

#define DECLARE(name) static PFN_vk##name vk##name;
COMMANDS(DECLARE)

static PFN_vkGetInstanceProcAddr get;
static PFN_vkCreateInstance vkCreateInstance;
static VkInstance instance;
static VkPhysicalDevice physical;
static VkDevice device;
static VkQueue queue;

int LLVMFuzzerInitialize(int *argc, char ***argv) {
	(void)argc, (void)argv;
	const char *path = getenv("PUMICE_DRIVER");
	void *library = dlopen(path ? path : "libvulkan_pumice.so", RTLD_NOW | RTLD_LOCAL);
	must(library != NULL, dlerror());
	get = (PFN_vkGetInstanceProcAddr)dlsym(library, "vk_icdGetInstanceProcAddr");
	VkResult (*negotiate)(uint32_t *) = (VkResult(*)(uint32_t *))dlsym(library, "vk_icdNegotiateLoaderICDInterfaceVersion");
	uint32_t version = 5;
	must(get != NULL && negotiate != NULL && negotiate(&version) == VK_SUCCESS, "no driver");
	vkCreateInstance = (PFN_vkCreateInstance)get(NULL, "vkCreateInstance");
	VkApplicationInfo app = {VK_STRUCTURE_TYPE_APPLICATION_INFO, NULL, "fuzz", 1, NULL, 0, VK_API_VERSION_1_3};
	VkInstanceCreateInfo info = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, NULL, 0, &app};
	must(vkCreateInstance(&info, NULL, &instance) == VK_SUCCESS, "no instance");
#define LOAD(name) vk##name = (PFN_vk##name)get(instance, "vk" #name);
	COMMANDS(LOAD)
	uint32_t one = 1;
	must(vkEnumeratePhysicalDevices(instance, &one, &physical) == VK_SUCCESS, "no device");
	return 0;
}

static void open_device(void) {
	static const char *extensions[] = {"VK_EXT_vertex_input_dynamic_state", "VK_KHR_push_descriptor", "VK_EXT_extended_dynamic_state3"};
	float priority = 1;
	VkPhysicalDeviceVulkan13Features more = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
	more.dynamicRendering = more.synchronization2 = VK_TRUE;
	VkDeviceQueueCreateInfo q = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, NULL, 0, 0, 1, &priority};
	VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &more, 0, 1, &q, 0, NULL, 3, extensions};
	must(vkCreateDevice(physical, &info, NULL, &device) == VK_SUCCESS, "no device");
#define LOAD_DEVICE(name) \
	if (!vk##name) \
		vk##name = (PFN_vk##name)vkGetDeviceProcAddr(device, "vk" #name);
	COMMANDS(LOAD_DEVICE)
	vkGetDeviceQueue(device, 0, 0, &queue);
}

/* Handles of an input, by kind. */
enum kind { BUFFER, IMAGE, VIEW, MEMORY, POOL, SETLAYOUT, DESCRIPTORS, SET, LAYOUT, MODULE, SAMPLER, FENCE, EVENT, QUERIES, KINDS };
static uint64_t handles[KINDS][16];
static int known[KINDS];

static uint64_t any(enum kind k) {
	uint32_t b = byte();
	if (b % 16 == 15 || !known[k])
		return b & 16 ? number() : 0;
	return handles[k][b % (uint32_t)known[k]];
}

#define ANY(type, kind) ((type)(uintptr_t)any(kind))

static void keep(enum kind k, uint64_t h) {
	if (h && known[k] < 16)
		handles[k][known[k]++] = h;
}

static VkCommandBuffer list[3];
static VkCommandPool pool;

/* Arrays: a count, and memory of just as many. */
#define ARRAY(type, name) \
	uint32_t name##Count = byte() % 6; \
	type *name = name##Count ? block(name##Count * sizeof(type)) : NULL

static VkImageSubresourceLayers layers(void) {
	return (VkImageSubresourceLayers){1u << byte() % 3, number(), number(), 1 + byte() % 2};
}

static VkExtent3D extent(void) { return (VkExtent3D){number(), number(), 1}; }

static void objects(void) {
	switch (byte() % 16) {
	case 0:;
		VkBufferCreateInfo *b = typed(sizeof *b, VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
		*b = (VkBufferCreateInfo){b->sType, b->pNext, 0, number(), 0x1FF};
		VkBuffer buffer = VK_NULL_HANDLE;
		if (vkCreateBuffer(device, b, NULL, &buffer) == VK_SUCCESS) {
			VkMemoryRequirements need;
			vkGetBufferMemoryRequirements(device, buffer, &need);
			vkBindBufferMemory(device, buffer, ANY(VkDeviceMemory, MEMORY), byte() % 2 ? 0 : number());
			keep(BUFFER, (uint64_t)(uintptr_t)buffer);
		}
		break;
	case 1:;
		VkImageCreateInfo *i = typed(sizeof *i, VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO);
		*i = (VkImageCreateInfo){i->sType, i->pNext, 0, VK_IMAGE_TYPE_2D, 37 + byte() % 60, {1 + byte() % 40, 1 + byte() % 20, 1}, 1 + byte() % 3, 1 + byte() % 3, 1, 0, 0x1F};
		VkImage image = VK_NULL_HANDLE;
		if (vkCreateImage(device, i, NULL, &image) == VK_SUCCESS) {
			vkBindImageMemory(device, image, ANY(VkDeviceMemory, MEMORY), 0);
			keep(IMAGE, (uint64_t)(uintptr_t)image);
			VkImageViewCreateInfo v = {VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, NULL, 0, image, VK_IMAGE_VIEW_TYPE_2D, i->format, {0}, {1, number() % 3, 1, number() % 3, 1}};
			VkImageView view = VK_NULL_HANDLE;
			if (vkCreateImageView(device, &v, NULL, &view) == VK_SUCCESS)
				keep(VIEW, (uint64_t)(uintptr_t)view);
		}
		break;
	case 2:;
		VkMemoryAllocateInfo m = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, NULL, byte() % 3 ? 1u << 16 : number() & 0xFFFFF, byte() % 2};
		VkDeviceMemory memory = VK_NULL_HANDLE;
		void *data = NULL;
		if (vkAllocateMemory(device, &m, NULL, &memory) == VK_SUCCESS) {
			keep(MEMORY, (uint64_t)(uintptr_t)memory);
			if (vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, &data) == VK_SUCCESS)
				memset(data, (int)byte(), m.allocationSize);
		}
		break;
	case 3:;
		ARRAY(VkDescriptorSetLayoutBinding, bindings);
		for (uint32_t n = 0; n < bindingsCount; n++)
			bindings[n] = (VkDescriptorSetLayoutBinding){n, byte() % 11, byte() % 4, VK_SHADER_STAGE_ALL, NULL};
		VkDescriptorSetLayoutCreateInfo l = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, NULL, byte() % 2, bindingsCount, bindings};
		VkDescriptorSetLayout layout = VK_NULL_HANDLE;
		if (vkCreateDescriptorSetLayout(device, &l, NULL, &layout) == VK_SUCCESS) {
			keep(SETLAYOUT, (uint64_t)(uintptr_t)layout);
			VkPipelineLayoutCreateInfo p = {VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, NULL, 0, 1, &layout};
			VkPipelineLayout made = VK_NULL_HANDLE;
			if (vkCreatePipelineLayout(device, &p, NULL, &made) == VK_SUCCESS)
				keep(LAYOUT, (uint64_t)(uintptr_t)made);
		}
		break;
	case 4:;
		VkDescriptorPoolSize sizes[2] = {{byte() % 11, number()}, {byte() % 11, byte()}};
		VkDescriptorPoolCreateInfo dp = {VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, NULL, 0, 4, 2, sizes};
		VkDescriptorPool made = VK_NULL_HANDLE;
		if (vkCreateDescriptorPool(device, &dp, NULL, &made) == VK_SUCCESS)
			keep(DESCRIPTORS, (uint64_t)(uintptr_t)made);
		break;
	case 5:;
		VkDescriptorSetLayout of = ANY(VkDescriptorSetLayout, SETLAYOUT);
		VkDescriptorSetAllocateInfo sa = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, NULL, ANY(VkDescriptorPool, DESCRIPTORS), 1, &of};
		VkDescriptorSet set = VK_NULL_HANDLE;
		if (vkAllocateDescriptorSets(device, &sa, &set) == VK_SUCCESS)
			keep(SET, (uint64_t)(uintptr_t)set);
		break;
	case 6:;
		uint32_t *code = block(64);
		VkShaderModuleCreateInfo sm = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, NULL, 0, byte() % 17 * 4, code};
		VkShaderModule module = VK_NULL_HANDLE;
		code[0] = 0x07230203;
		if (vkCreateShaderModule(device, &sm, NULL, &module) == VK_SUCCESS)
			keep(MODULE, (uint64_t)(uintptr_t)module);
		break;
	case 7:;
		VkQueryPoolCreateInfo qp = {VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, NULL, 0, byte() % 4, number() % 4096, number() % 2048};
		VkQueryPool queries = VK_NULL_HANDLE;
		if (vkCreateQueryPool(device, &qp, NULL, &queries) == VK_SUCCESS)
			keep(QUERIES, (uint64_t)(uintptr_t)queries);
		break;
	case 8: {
		size_t n = byte();
		void *out = block(n);
		vkGetQueryPoolResults(device, ANY(VkQueryPool, QUERIES), number(), number(), n, out, number(), byte() % 16 & ~VK_QUERY_RESULT_WAIT_BIT);
		break;
	}
	case 9:;
		VkFenceCreateInfo fi = {VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, NULL, byte() % 2};
		VkFence fence = VK_NULL_HANDLE;
		if (vkCreateFence(device, &fi, NULL, &fence) == VK_SUCCESS)
			keep(FENCE, (uint64_t)(uintptr_t)fence);
		break;
	case 10: {
		ARRAY(VkFence, fences);
		for (uint32_t n = 0; n < fencesCount; n++)
			fences[n] = ANY(VkFence, FENCE);
		vkWaitForFences(device, fencesCount, fences, byte() % 2, 1000);
		vkResetFences(device, fencesCount, fences);
		break;
	}
	case 11:
		switch (byte() % 6) {
		case 0: vkDestroyBuffer(device, ANY(VkBuffer, BUFFER), NULL); break;
		case 1: vkDestroyImage(device, ANY(VkImage, IMAGE), NULL); break;
		case 2: vkDestroyImageView(device, ANY(VkImageView, VIEW), NULL); break;
		case 3: vkFreeMemory(device, ANY(VkDeviceMemory, MEMORY), NULL); break;
		case 4: vkDestroyDescriptorSetLayout(device, ANY(VkDescriptorSetLayout, SETLAYOUT), NULL); break;
		case 5: vkDestroyQueryPool(device, ANY(VkQueryPool, QUERIES), NULL); break;
		}
		break;
	case 12:;
		VkSamplerCreateInfo si = {VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO, NULL, 0, byte() % 2, byte() % 2, byte() % 2, byte() % 5, byte() % 5, byte() % 5};
		VkSampler sampler = VK_NULL_HANDLE;
		if (vkCreateSampler(device, &si, NULL, &sampler) == VK_SUCCESS)
			keep(SAMPLER, (uint64_t)(uintptr_t)sampler);
		break;
	case 13: {
		ARRAY(VkWriteDescriptorSet, writes);
		for (uint32_t n = 0; n < writesCount; n++) {
			VkDescriptorBufferInfo *buffers = block(3 * sizeof *buffers);
			VkDescriptorImageInfo *images = block(3 * sizeof *images);
			VkBufferView *texels = block(3 * sizeof *texels);
			for (int k = 0; k < 3; k++) {
				buffers[k] = (VkDescriptorBufferInfo){ANY(VkBuffer, BUFFER), number(), byte() % 2 ? VK_WHOLE_SIZE : number()};
				images[k] = (VkDescriptorImageInfo){ANY(VkSampler, SAMPLER), ANY(VkImageView, VIEW), 1};
				texels[k] = VK_NULL_HANDLE;
			}
			writes[n] = (VkWriteDescriptorSet){VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, NULL, ANY(VkDescriptorSet, SET), number(), number(), byte() % 4, byte() % 11, images, buffers, texels};
		}
		vkUpdateDescriptorSets(device, writesCount, writes, 0, NULL);
		break;
	}
	case 14: {
		VkPhysicalDeviceProperties2 *p = typed(sizeof *p, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2);
		VkPhysicalDeviceVulkan12Properties *p12 = block(sizeof *p12);
		VkPhysicalDeviceVulkan11Properties *p11 = block(sizeof *p11);
		p12->sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES, p12->pNext = p11;
		p11->sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES, p11->pNext = NULL;
		p->pNext = p12;
		vkGetPhysicalDeviceProperties2(physical, p);
		VkPhysicalDeviceFeatures2 *f = typed(sizeof *f, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
		vkGetPhysicalDeviceFeatures2(physical, f);
		VkFormatProperties2 *fp = typed(sizeof *fp, VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2);
		vkGetPhysicalDeviceFormatProperties2(physical, (VkFormat)number(), fp);
		break;
	}
	case 15: {
		uint32_t n = byte() % 8, all = n;
		VkExtensionProperties *e = block(n * sizeof *e);
		vkEnumerateDeviceExtensionProperties(physical, NULL, &all, e);
		VkQueueFamilyProperties2 *f = block(n * sizeof *f);
		for (uint32_t k = 0; k < n; k++)
			f[k].sType = VK_STRUCTURE_TYPE_QUEUE_FAMILY_PROPERTIES_2, f[k].pNext = NULL;
		vkGetPhysicalDeviceQueueFamilyProperties2(physical, &n, f);
		char name[32] = "vkCmd";
		for (int k = 5; k < 20; k++)
			name[k] = (char)byte();
		if (!vkGetDeviceProcAddr(device, name))
			vkGetDeviceProcAddr(device, "vkNoSuchThing");
		break;
	}
	}
}

/* What a command points to is overwritten and freed as soon as it is recorded. */
static void forget(int from) {
	while (used > from)
		free(blocks[--used]);
}

static void rendering(VkCommandBuffer c) {
	ARRAY(VkRenderingAttachmentInfo, colors);
	for (uint32_t n = 0; n < colorsCount; n++)
		colors[n] = (VkRenderingAttachmentInfo){VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO, NULL, ANY(VkImageView, VIEW), 1, byte() % 3, ANY(VkImageView, VIEW), 1, byte() % 3, byte() % 2, {{{0}}}};
	VkRenderingInfo *r = typed(sizeof *r, VK_STRUCTURE_TYPE_RENDERING_INFO);
	*r = (VkRenderingInfo){r->sType, r->pNext, 0, {{0, 0}, {number(), number()}}, byte() % 3, 0, colorsCount, colors, colorsCount && byte() % 2 ? colors : NULL, NULL};
	vkCmdBeginRendering(c, r);
}

static void barriers(VkCommandBuffer c) {
	ARRAY(VkMemoryBarrier2, memories);
	ARRAY(VkBufferMemoryBarrier2, buffers);
	ARRAY(VkImageMemoryBarrier2, images);
	for (uint32_t n = 0; n < memoriesCount; n++)
		memories[n] = (VkMemoryBarrier2){VK_STRUCTURE_TYPE_MEMORY_BARRIER_2, NULL, number(), number(), number(), number()};
	for (uint32_t n = 0; n < buffersCount; n++)
		buffers[n] = (VkBufferMemoryBarrier2){VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2, NULL, number(), number(), number(), number(), number(), number(), ANY(VkBuffer, BUFFER), number(), number()};
	for (uint32_t n = 0; n < imagesCount; n++)
		images[n] = (VkImageMemoryBarrier2){VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2, NULL, number(), number(), number(), number(), byte() % 9, byte() % 9, 0, 0, ANY(VkImage, IMAGE), {1, number(), number(), number(), number()}};
	VkDependencyInfo *d = typed(sizeof *d, VK_STRUCTURE_TYPE_DEPENDENCY_INFO);
	*d = (VkDependencyInfo){d->sType, d->pNext, 0, memoriesCount, memories, buffersCount, buffers, imagesCount, images};
	vkCmdPipelineBarrier2(c, d);
	if (byte() % 2)
		vkCmdSetEvent2(c, ANY(VkEvent, EVENT), d);
}

static void command(VkCommandBuffer c) {
	int from = used;
	switch (byte() % 30) {
	case 0: {
		ARRAY(VkBufferCopy, regions);
		vkCmdCopyBuffer(c, ANY(VkBuffer, BUFFER), ANY(VkBuffer, BUFFER), regionsCount, regions);
		break;
	}
	case 1: {
		uint32_t n = byte() % 64 * 4;
		vkCmdUpdateBuffer(c, ANY(VkBuffer, BUFFER), number(), n, block(n));
		break;
	}
	case 2: {
		uint32_t n = 65536; /* a chunk of its own */
		vkCmdUpdateBuffer(c, ANY(VkBuffer, BUFFER), 0, n, block(n));
		break;
	}
	case 3: vkCmdFillBuffer(c, ANY(VkBuffer, BUFFER), number(), byte() % 2 ? VK_WHOLE_SIZE : number(), number()); break;
	case 4: {
		ARRAY(VkImageCopy, regions);
		for (uint32_t n = 0; n < regionsCount; n++)
			regions[n] = (VkImageCopy){layers(), {(int)number(), (int)number(), 0}, layers(), {(int)number(), 0, 0}, extent()};
		vkCmdCopyImage(c, ANY(VkImage, IMAGE), 1, ANY(VkImage, IMAGE), 1, regionsCount, regions);
		break;
	}
	case 5: {
		ARRAY(VkImageBlit, regions);
		for (uint32_t n = 0; n < regionsCount; n++)
			regions[n] = (VkImageBlit){layers(), {{(int)number(), 0, 0}, {(int)number(), (int)number(), 1}}, layers(), {{0}, {(int)number(), (int)number(), 1}}};
		vkCmdBlitImage(c, ANY(VkImage, IMAGE), 1, ANY(VkImage, IMAGE), 1, regionsCount, regions, byte() % 2);
		break;
	}
	case 6: {
		ARRAY(VkBufferImageCopy, regions);
		for (uint32_t n = 0; n < regionsCount; n++)
			regions[n] = (VkBufferImageCopy){number(), number(), number(), layers(), {(int)number(), 0, 0}, extent()};
		if (byte() % 2)
			vkCmdCopyBufferToImage(c, ANY(VkBuffer, BUFFER), ANY(VkImage, IMAGE), 1, regionsCount, regions);
		else
			vkCmdCopyImageToBuffer(c, ANY(VkImage, IMAGE), 1, ANY(VkBuffer, BUFFER), regionsCount, regions);
		break;
	}
	case 7: {
		ARRAY(VkImageSubresourceRange, ranges);
		VkClearColorValue *value = block(sizeof *value);
		vkCmdClearColorImage(c, ANY(VkImage, IMAGE), 1, value, rangesCount, ranges);
		break;
	}
	case 8: {
		ARRAY(VkClearAttachment, attachments);
		ARRAY(VkClearRect, rects);
		vkCmdClearAttachments(c, attachmentsCount, attachments, rectsCount, rects);
		break;
	}
	case 9: barriers(c); break;
	case 10: {
		ARRAY(VkMemoryBarrier, memories);
		for (uint32_t n = 0; n < memoriesCount; n++)
			memories[n].sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, memories[n].pNext = NULL;
		vkCmdPipelineBarrier(c, number(), number(), 0, memoriesCount, memories, 0, NULL, 0, NULL);
		break;
	}
	case 11: {
		uint32_t n = byte() % 65 * 4;
		vkCmdPushConstants(c, ANY(VkPipelineLayout, LAYOUT), VK_SHADER_STAGE_ALL, number(), n, block(n));
		break;
	}
	case 12: {
		ARRAY(VkViewport, viewports);
		ARRAY(VkRect2D, scissors);
		vkCmdSetViewport(c, byte() % 20, viewportsCount, viewports);
		vkCmdSetScissor(c, byte() % 20, scissorsCount, scissors);
		break;
	}
	case 13: {
		uint32_t n = byte() % 5;
		VkBuffer *buffers = block(n * sizeof *buffers);
		VkDeviceSize *sizes = block(n * sizeof *sizes);
		for (uint32_t k = 0; k < n; k++)
			buffers[k] = ANY(VkBuffer, BUFFER);
		if (byte() % 2)
			vkCmdBindVertexBuffers(c, number(), n, buffers, sizes);
		else
			vkCmdBindVertexBuffers2(c, number(), n, buffers, sizes, byte() % 2 ? sizes : NULL, byte() % 2 ? sizes : NULL);
		break;
	}
	case 14: vkCmdBindIndexBuffer(c, ANY(VkBuffer, BUFFER), number(), byte() % 3); break;
	case 15: {
		uint32_t n = byte() % 4, m = byte() % 4;
		VkDescriptorSet *sets = block(n * sizeof *sets);
		for (uint32_t k = 0; k < n; k++)
			sets[k] = ANY(VkDescriptorSet, SET);
		vkCmdBindDescriptorSets(c, byte() % 2, ANY(VkPipelineLayout, LAYOUT), number(), n, sets, m, block(m * 4));
		break;
	}
	case 16:
	case 17: rendering(c); break;
	case 18: vkCmdEndRendering(c); break;
	case 19: vkCmdDraw(c, byte(), byte() % 4, number(), number()); break;
	case 20: vkCmdDrawIndirect(c, ANY(VkBuffer, BUFFER), number(), byte() % 4, number()); break;
	case 21: vkCmdDispatch(c, byte() % 4, 1, 1); break;
	case 22: {
		VkCommandBuffer *secondaries = block(2 * sizeof *secondaries);
		secondaries[0] = secondaries[1] = list[2];
		vkCmdExecuteCommands(c, byte() % 3, secondaries);
		break;
	}
	case 23: {
		ARRAY(VkEvent, events);
		for (uint32_t n = 0; n < eventsCount; n++)
			events[n] = VK_NULL_HANDLE;
		vkCmdWaitEvents(c, eventsCount, events, number(), number(), 0, NULL, 0, NULL, 0, NULL);
		break;
	}
	case 24: vkCmdBeginQuery(c, ANY(VkQueryPool, QUERIES), number(), byte() % 2); break;
	case 25: vkCmdEndQuery(c, ANY(VkQueryPool, QUERIES), number()); break;
	case 26: {
		vkCmdResetQueryPool(c, ANY(VkQueryPool, QUERIES), number(), number());
		vkCmdCopyQueryPoolResults(c, ANY(VkQueryPool, QUERIES), number(), number(), ANY(VkBuffer, BUFFER), number(), number(), byte() % 16 & ~VK_QUERY_RESULT_WAIT_BIT);
		break;
	}
	case 27: {
		uint32_t n = byte() % 4, m = byte() % 4;
		VkVertexInputBindingDescription2EXT *b = block(n * sizeof *b);
		VkVertexInputAttributeDescription2EXT *a = block(m * sizeof *a);
		for (uint32_t k = 0; k < n; k++)
			b[k] = (VkVertexInputBindingDescription2EXT){VK_STRUCTURE_TYPE_VERTEX_INPUT_BINDING_DESCRIPTION_2_EXT, NULL, number(), number(), byte() % 2, number()};
		for (uint32_t k = 0; k < m; k++)
			a[k] = (VkVertexInputAttributeDescription2EXT){VK_STRUCTURE_TYPE_VERTEX_INPUT_ATTRIBUTE_DESCRIPTION_2_EXT, NULL, number(), number(), (VkFormat)number(), number()};
		if (vkCmdSetVertexInputEXT)
			vkCmdSetVertexInputEXT(c, n, b, m, a);
		break;
	}
	case 28: {
		VkDescriptorBufferInfo *info = block(sizeof *info);
		*info = (VkDescriptorBufferInfo){ANY(VkBuffer, BUFFER), number(), number()};
		VkWriteDescriptorSet *w = typed(sizeof *w, VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET);
		*w = (VkWriteDescriptorSet){w->sType, w->pNext, VK_NULL_HANDLE, number(), number(), 1, 6 + byte() % 2, NULL, info, NULL};
		if (vkCmdPushDescriptorSetKHR)
			vkCmdPushDescriptorSetKHR(c, byte() % 2, ANY(VkPipelineLayout, LAYOUT), number(), 1, w);
		break;
	}
	case 29: {
		ARRAY(VkColorBlendEquationEXT, equations);
		if (vkCmdSetColorBlendEquationEXT)
			vkCmdSetColorBlendEquationEXT(c, number(), equationsCount, equations);
		uint32_t samples = 1u << byte() % 7;
		if (vkCmdSetSampleMaskEXT)
			vkCmdSetSampleMaskEXT(c, (VkSampleCountFlagBits)samples, block((samples + 31) / 32 * 4));
		break;
	}
	}
	forget(from);
}

static void submit(void) {
	uint32_t n = byte() % 3;
	VkCommandBuffer *commands = block(2 * sizeof *commands);
	commands[0] = list[0], commands[1] = list[1];
	VkSubmitInfo *s = typed(sizeof *s, VK_STRUCTURE_TYPE_SUBMIT_INFO);
	*s = (VkSubmitInfo){s->sType, s->pNext, 0, NULL, NULL, n, commands, 0, NULL};
	for (uint32_t k = 0; k < n; k++)
		vkEndCommandBuffer(commands[k]);
	vkQueueSubmit(queue, 1, s, ANY(VkFence, FENCE));
	vkQueueWaitIdle(queue);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
	at = data, end = data + size;
	memset(known, 0, sizeof known);
	open_device();
	VkCommandPoolCreateInfo pi = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, NULL, VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT};
	must(vkCreateCommandPool(device, &pi, NULL, &pool) == VK_SUCCESS, "no command pool");
	VkCommandBufferAllocateInfo ai = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, NULL, pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 2};
	must(vkAllocateCommandBuffers(device, &ai, list) == VK_SUCCESS, "no command buffers");
	ai.level = VK_COMMAND_BUFFER_LEVEL_SECONDARY, ai.commandBufferCount = 1;
	must(vkAllocateCommandBuffers(device, &ai, list + 2) == VK_SUCCESS, "no command buffers");
	VkCommandBufferInheritanceInfo hi = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
	VkCommandBufferBeginInfo bi = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, NULL, 0, &hi};
	while (at < end && used < 3000) {
		switch (byte() % 8) {
		case 0:
		case 1:
		case 2: objects(); break;
		case 3: vkBeginCommandBuffer(list[byte() % 3], &bi); break;
		case 4: submit(); break;
		default:
			for (uint32_t c = byte() % 3, n = 1 + byte() % 4; n > 0; n--)
				command(list[c]);
		}
	}
	submit();
	vkDestroyDevice(device, NULL);
	release();
	return 0;
}

#ifdef REPLAY
int main(int argc, char **argv) {
	static uint8_t data[1 << 16];
	LLVMFuzzerInitialize(&argc, &argv);
	for (int i = 1; i < argc; i++) {
		FILE *f = fopen(argv[i], "rb");
		must(f != NULL, argv[i]);
		size_t size = fread(data, 1, sizeof data, f);
		fclose(f);
		fprintf(stderr, "%s\n", argv[i]); /* the last one that is told is the one that ends the program */
		LLVMFuzzerTestOneInput(data, size);
	}
	return 0;
}
#endif

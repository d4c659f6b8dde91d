/* What small submissions cost: small [COUNT [NAME]]. glslangValidator -V -o small.spv small.comp; xxd -i small.spv >small_spv.h;
   gcc -O2 -o small small.c -lvulkan */
#include <vulkan/vulkan.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/resource.h>
#include <unistd.h>
#include "small_spv.h"
#define T(x) do { VkResult r_ = (x); if (r_ < 0) { printf("%s: %d line %d\n", #x, r_, __LINE__); exit(1); } } while (0)
static VkDevice dev; static VkQueue q; static VkPhysicalDevice pd; static VkCommandPool pool; static VkFence fence;
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1e6 + t.tv_nsec / 1e3; }
static double cpu(void) { struct rusage u; getrusage(RUSAGE_SELF, &u); return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e6 + u.ru_utime.tv_usec + u.ru_stime.tv_usec; }
static VkCommandBuffer cb(void) { VkCommandBuffer c; T(vkAllocateCommandBuffers(dev, &(VkCommandBufferAllocateInfo){ .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool, .commandBufferCount = 1 }, &c)); return c; }
static void begin(VkCommandBuffer c) { T(vkBeginCommandBuffer(c, &(VkCommandBufferBeginInfo){ .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO })); }
static void submit(VkCommandBuffer c) {
	T(vkQueueSubmit(q, 1, &(VkSubmitInfo){ .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &c }, fence));
	T(vkWaitForFences(dev, 1, &fence, 1, -1)); T(vkResetFences(dev, 1, &fence));
}
static uint32_t mem(VkMemoryRequirements m, VkMemoryPropertyFlags want) {
	VkPhysicalDeviceMemoryProperties p; vkGetPhysicalDeviceMemoryProperties(pd, &p);
	for (uint32_t i = 0; i < p.memoryTypeCount; i++) if (m.memoryTypeBits >> i & 1 && (p.memoryTypes[i].propertyFlags & want) == want) return i;
	exit(2);
}
#define BENCH(name, n, body) do { if (argc > 2 && !strstr(argv[2], name)) break; for (int k = 0; k < n / 10 + 1; k++) { body; } double w = now(), c = cpu(); for (int k = 0; k < n; k++) { body; } \
	w = (now() - w) / n; c = (cpu() - c) / n; printf("%s %.1f us wall %.1f us cpu; ", name, w, c); fflush(stdout); } while (0)
int main(int argc, char **argv) {
	int n = argc > 1 ? atoi(argv[1]) : 3000;
	const char *ie[] = { "VK_KHR_surface", "VK_EXT_headless_surface" }, *de[] = { "VK_KHR_swapchain" };
	VkInstance in; T(vkCreateInstance(&(VkInstanceCreateInfo){ .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &(VkApplicationInfo){ .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1 }, .enabledExtensionCount = 2, .ppEnabledExtensionNames = ie }, 0, &in));
	uint32_t one = 1; vkEnumeratePhysicalDevices(in, &one, &pd);
	float pr = 1; T(vkCreateDevice(pd, &(VkDeviceCreateInfo){ .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &(VkDeviceQueueCreateInfo){ .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &pr }, .enabledExtensionCount = 1, .ppEnabledExtensionNames = de }, 0, &dev));
	vkGetDeviceQueue(dev, 0, 0, &q);
	T(vkCreateCommandPool(dev, &(VkCommandPoolCreateInfo){ .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT }, 0, &pool));
	T(vkCreateFence(dev, &(VkFenceCreateInfo){ .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO }, 0, &fence));
	VkCommandBuffer empty = cb(), disp = cb(), rec = cb(); begin(empty); T(vkEndCommandBuffer(empty));
	VkBuffer buf; T(vkCreateBuffer(dev, &(VkBufferCreateInfo){ .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 4096, .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT }, 0, &buf));
	VkMemoryRequirements mr; vkGetBufferMemoryRequirements(dev, buf, &mr); VkDeviceMemory dm;
	T(vkAllocateMemory(dev, &(VkMemoryAllocateInfo){ .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = mr.size, .memoryTypeIndex = mem(mr, 0) }, 0, &dm)); T(vkBindBufferMemory(dev, buf, dm, 0));
	VkDescriptorSetLayout dl; T(vkCreateDescriptorSetLayout(dev, &(VkDescriptorSetLayoutCreateInfo){ .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 1, .pBindings = &(VkDescriptorSetLayoutBinding){ 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, 0 } }, 0, &dl));
	VkPipelineLayout pl; T(vkCreatePipelineLayout(dev, &(VkPipelineLayoutCreateInfo){ .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &dl }, 0, &pl));
	VkDescriptorPool dp; T(vkCreateDescriptorPool(dev, &(VkDescriptorPoolCreateInfo){ .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 1, .pPoolSizes = &(VkDescriptorPoolSize){ VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1 } }, 0, &dp));
	VkDescriptorSet ds; T(vkAllocateDescriptorSets(dev, &(VkDescriptorSetAllocateInfo){ .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .descriptorPool = dp, .descriptorSetCount = 1, .pSetLayouts = &dl }, &ds));
	vkUpdateDescriptorSets(dev, 1, &(VkWriteDescriptorSet){ .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = ds, .descriptorCount = 1, .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .pBufferInfo = &(VkDescriptorBufferInfo){ buf, 0, 4096 } }, 0, 0);
	VkShaderModule sm; T(vkCreateShaderModule(dev, &(VkShaderModuleCreateInfo){ .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = small_spv_len, .pCode = (void *)small_spv }, 0, &sm));
	VkPipeline pipe; T(vkCreateComputePipelines(dev, 0, 1, &(VkComputePipelineCreateInfo){ .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, .stage = { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = VK_SHADER_STAGE_COMPUTE_BIT, .module = sm, .pName = "main" }, .layout = pl }, 0, &pipe));
	begin(disp); vkCmdBindPipeline(disp, VK_PIPELINE_BIND_POINT_COMPUTE, pipe); vkCmdBindDescriptorSets(disp, VK_PIPELINE_BIND_POINT_COMPUTE, pl, 0, 1, &ds, 0, 0); vkCmdDispatch(disp, 1, 1, 1); T(vkEndCommandBuffer(disp));
	BENCH("empty", n, submit(empty));
	BENCH("dispatch", n, submit(disp));
	BENCH("record+dispatch", n, { begin(rec); vkCmdBindPipeline(rec, VK_PIPELINE_BIND_POINT_COMPUTE, pipe); vkCmdBindDescriptorSets(rec, VK_PIPELINE_BIND_POINT_COMPUTE, pl, 0, 1, &ds, 0, 0); vkCmdDispatch(rec, 1, 1, 1); T(vkEndCommandBuffer(rec)); submit(rec); });
	/* headless swapchain of 64x64 */
	VkSurfaceKHR su; PFN_vkCreateHeadlessSurfaceEXT mk = (void *)vkGetInstanceProcAddr(in, "vkCreateHeadlessSurfaceEXT");
	T(mk(in, &(VkHeadlessSurfaceCreateInfoEXT){ .sType = VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT }, 0, &su));
	uint32_t nf = 32; VkSurfaceFormatKHR fm[32]; vkGetPhysicalDeviceSurfaceFormatsKHR(pd, su, &nf, fm);
	VkSurfaceCapabilitiesKHR sc; vkGetPhysicalDeviceSurfaceCapabilitiesKHR(pd, su, &sc);
	VkSwapchainKHR ch; T(vkCreateSwapchainKHR(dev, &(VkSwapchainCreateInfoKHR){ .sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR, .surface = su, .minImageCount = 3, .imageFormat = fm[0].format, .imageExtent = { 64, 64 }, .imageArrayLayers = 1, .imageUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | (sc.supportedUsageFlags & VK_IMAGE_USAGE_TRANSFER_DST_BIT), .preTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR, .compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR, .presentMode = getenv("FIFO") ? VK_PRESENT_MODE_FIFO_KHR : VK_PRESENT_MODE_IMMEDIATE_KHR, .clipped = 1 }, 0, &ch));
	VkImage im[8]; uint32_t ni = 8; T(vkGetSwapchainImagesKHR(dev, ch, &ni, im));
	VkRenderPass rp; T(vkCreateRenderPass(dev, &(VkRenderPassCreateInfo){ .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO, .attachmentCount = 1, .pAttachments = &(VkAttachmentDescription){ 0, fm[0].format, 1, VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_STORE_OP_STORE, 0, 0, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR }, .subpassCount = 1, .pSubpasses = &(VkSubpassDescription){ .colorAttachmentCount = 1, .pColorAttachments = &(VkAttachmentReference){ 0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL } } }, 0, &rp));
	VkFramebuffer fb[8]; VkImageView iv[8];
	for (uint32_t i = 0; i < ni; i++) { T(vkCreateImageView(dev, &(VkImageViewCreateInfo){ .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, .image = im[i], .viewType = VK_IMAGE_VIEW_TYPE_2D, .format = fm[0].format, .subresourceRange = { 1, 0, 1, 0, 1 } }, 0, &iv[i]));
		T(vkCreateFramebuffer(dev, &(VkFramebufferCreateInfo){ .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO, .renderPass = rp, .attachmentCount = 1, .pAttachments = &iv[i], .width = 64, .height = 64, .layers = 1 }, 0, &fb[i])); }
	VkSemaphore sa, sb[8]; T(vkCreateSemaphore(dev, &(VkSemaphoreCreateInfo){ .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO }, 0, &sa)); for (uint32_t i = 0; i < ni; i++) T(vkCreateSemaphore(dev, &(VkSemaphoreCreateInfo){ .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO }, 0, &sb[i]));
	BENCH("clear+submit", n, { begin(rec); vkCmdBeginRenderPass(rec, &(VkRenderPassBeginInfo){ .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO, .renderPass = rp, .framebuffer = fb[0], .renderArea = { { 0, 0 }, { 64, 64 } }, .clearValueCount = 1, .pClearValues = &(VkClearValue){ .color.float32 = { k / 3000.f, 0, 1, 1 } } }, VK_SUBPASS_CONTENTS_INLINE); vkCmdEndRenderPass(rec); T(vkEndCommandBuffer(rec)); submit(rec); });
	BENCH("present", n, { uint32_t i; T(vkAcquireNextImageKHR(dev, ch, -1, sa, 0, &i));
		begin(rec); vkCmdBeginRenderPass(rec, &(VkRenderPassBeginInfo){ .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO, .renderPass = rp, .framebuffer = fb[i], .renderArea = { { 0, 0 }, { 64, 64 } }, .clearValueCount = 1, .pClearValues = &(VkClearValue){ .color.float32 = { k / 3000.f, 0, 1, 1 } } }, VK_SUBPASS_CONTENTS_INLINE); vkCmdEndRenderPass(rec); T(vkEndCommandBuffer(rec));
		VkPipelineStageFlags st = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT;
		T(vkQueueSubmit(q, 1, &(VkSubmitInfo){ .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .waitSemaphoreCount = 1, .pWaitSemaphores = &sa, .pWaitDstStageMask = &st, .commandBufferCount = 1, .pCommandBuffers = &rec, .signalSemaphoreCount = 1, .pSignalSemaphores = &sb[i] }, fence));
		T(vkQueuePresentKHR(q, &(VkPresentInfoKHR){ .sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR, .waitSemaphoreCount = 1, .pWaitSemaphores = &sb[i], .swapchainCount = 1, .pSwapchains = &ch, .pImageIndices = &i }));
		T(vkWaitForFences(dev, 1, &fence, 1, -1)); T(vkResetFences(dev, 1, &fence)); });
	printf("\n"); vkQueueWaitIdle(q); fflush(stdout); _exit(0);
}

/* A window of Windows: pictures are shown the right way up and in the right colours, a window that changes its size wants
   another swapchain, and one that goes takes its surface along. With a number of milliseconds it keeps each picture
   that long, for somebody to look at the screen. */
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include "client.h"

static HWND window;
static VkSurfaceKHR surface;
static VkSwapchainKHR swapchain;
static VkQueue queue;
static VkExtent2D extent;
static VkImage images[8];
static int hold;

static void pump(void) {
	MSG m;
	while (PeekMessageA(&m, NULL, 0, 0, PM_REMOVE))
		DispatchMessageA(&m);
}

static void rest(DWORD milliseconds) {
	for (DWORD from = GetTickCount(); GetTickCount() - from < milliseconds; Sleep(5))
		pump();
}

static void open_window(int width, int height) {
	WNDCLASSA class = {.lpfnWndProc = DefWindowProcA, .hInstance = GetModuleHandleA(NULL), .lpszClassName = "pumice"};
	RegisterClassA(&class);
	window = CreateWindowExA(0, "pumice", "pumice", WS_POPUP | WS_VISIBLE, 40, 30, width, height, NULL, NULL, class.hInstance, NULL);
	if (!window) {
		printf("skipped: no window (error %lu)\n", GetLastError());
		exit(SKIPPED);
	}
	rest(200);
}

static void open_with_surface(void) {
	const char *extensions[] = {VK_KHR_SURFACE_EXTENSION_NAME, VK_KHR_WIN32_SURFACE_EXTENSION_NAME};
	CHECK(vkCreateInstance(&(VkInstanceCreateInfo){.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
						       .enabledExtensionCount = COUNT(extensions),
						       .ppEnabledExtensionNames = extensions},
			       NULL, &instance));
	uint32_t one = 1;
	if (vkEnumeratePhysicalDevices(instance, &one, &physical) < 0 || one != 1)
		fail("no device"), exit(1);
	CHECK(vkCreateWin32SurfaceKHR(instance,
				      &(VkWin32SurfaceCreateInfoKHR){.sType = VK_STRUCTURE_TYPE_WIN32_SURFACE_CREATE_INFO_KHR,
								     .hinstance = GetModuleHandleA(NULL),
								     .hwnd = window},
				      NULL, &surface));
	VkBool32 supported = VK_FALSE;
	CHECK(vkGetPhysicalDeviceSurfaceSupportKHR(physical, 0, surface, &supported));
	if (!supported || !vkGetPhysicalDeviceWin32PresentationSupportKHR(physical, 0))
		fail("the first family of queues presents nothing");
	const char *needed[] = {VK_KHR_SWAPCHAIN_EXTENSION_NAME};
	open_device(NULL, 1, needed, 1);
	vkGetDeviceQueue(device, 0, 0, &queue);
}

static void new_swapchain(void) {
	VkSurfaceCapabilitiesKHR c;
	CHECK(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(physical, surface, &c));
	RECT r;
	GetClientRect(window, &r);
	extent = c.currentExtent;
	if (extent.width != (uint32_t)r.right || extent.height != (uint32_t)r.bottom)
		fail("the surface has %ux%u pixels, the window %ldx%ld", extent.width, extent.height, r.right, r.bottom);
	VkSwapchainKHR old = swapchain;
	CHECK(vkCreateSwapchainKHR(device,
				   &(VkSwapchainCreateInfoKHR){.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
							       .surface = surface,
							       .minImageCount = c.minImageCount,
							       .imageFormat = VK_FORMAT_B8G8R8A8_UNORM,
							       .imageExtent = extent,
							       .imageArrayLayers = 1,
							       .imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT,
							       .preTransform = c.currentTransform,
							       .compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
							       .presentMode = VK_PRESENT_MODE_FIFO_KHR,
							       .oldSwapchain = old},
				   NULL, &swapchain));
	vkDestroySwapchainKHR(device, old, NULL);
	uint32_t count = COUNT(images);
	CHECK(vkGetSwapchainImagesKHR(device, swapchain, &count, images));
}

/* The texel x, y of frame n, as red, green and blue: no two sides of a picture are alike. */
static COLORREF shade(uint32_t n, uint32_t x, uint32_t y) { return RGB(40 * n, x & 255, 255 - (y & 255)); }

static void draw(VkImage image, uint32_t n) {
	uint8_t *texels = malloc((size_t)extent.width * extent.height * 4);
	for (uint32_t y = 0; y < extent.height; y++)
		for (uint32_t x = 0; x < extent.width; x++) {
			uint8_t *p = texels + (y * extent.width + x) * 4;
			COLORREF c = shade(n, x, y);
			p[0] = GetBValue(c), p[1] = GetGValue(c), p[2] = GetRValue(c), p[3] = 255;
		}
	struct buffer from = new_buffer((VkDeviceSize)extent.width * extent.height * 4, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, texels);
	free(texels);
	VkCommandPool pool = new_pool(0);
	VkCommandBuffer c = new_commands(pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
	CHECK(vkBeginCommandBuffer(c, &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO}));
	image_barrier(c, image, VK_IMAGE_ASPECT_COLOR_BIT, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, 0, VK_IMAGE_LAYOUT_UNDEFINED,
		      VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
	VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .imageExtent = {extent.width, extent.height, 1}};
	vkCmdCopyBufferToImage(c, from.handle, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
	image_barrier(c, image, VK_IMAGE_ASPECT_COLOR_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
		      VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, 0, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
	CHECK(vkEndCommandBuffer(c));
	CHECK(vkQueueSubmit(queue, 1,
			    &(VkSubmitInfo){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &c}, VK_NULL_HANDLE));
	CHECK(vkQueueWaitIdle(queue));
	vkDestroyCommandPool(device, pool, NULL);
	free_buffer(from);
}

/* frame draws and presents a picture. */
static VkResult frame(uint32_t n) {
	VkFence fence;
	uint32_t i = 0;
	CHECK(vkCreateFence(device, &(VkFenceCreateInfo){.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO}, NULL, &fence));
	VkResult r = vkAcquireNextImageKHR(device, swapchain, UINT64_MAX, VK_NULL_HANDLE, fence, &i);
	if (r >= 0) {
		CHECK(vkWaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX));
		draw(images[i], n);
		VkResult p = vkQueuePresentKHR(queue, &(VkPresentInfoKHR){.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
									  .swapchainCount = 1,
									  .pSwapchains = &swapchain,
									  .pImageIndices = &i});
		r = p ? p : r;
	}
	vkDestroyFence(device, fence, NULL);
	return r;
}

/* look waits until the window shows frame n, texel by texel at its corners and in its middle. */
static void look(uint32_t n) {
	uint32_t at[][2] = {{0, 0}, {extent.width - 1, 0}, {0, extent.height - 1}, {extent.width - 1, extent.height - 1}, {extent.width / 2, extent.height / 3}};
	for (uint32_t i = 0; i < COUNT(at); i++) {
		COLORREF got = 0, want = shade(n, at[i][0], at[i][1]);
		for (int tries = 0; tries < 200; tries++) {
			HDC dc = GetDC(window);
			got = GetPixel(dc, at[i][0], at[i][1]);
			ReleaseDC(window, dc);
			if (got == want)
				break;
			rest(20);
		}
		if (got != want)
			fail("frame %u, pixel %u,%u: %06lx, want %06lx", n, at[i][0], at[i][1], got, want);
	}
	rest(hold);
}

static void frames(void) {
	for (uint32_t n = 1; n <= 3; n++) {
		VkResult r = frame(n);
		if (r != VK_SUCCESS)
			fail("frame %u of %ux%u: %d", n, extent.width, extent.height, r);
		look(n);
	}
}

int main(int argc, char **argv) {
	hold = argc > 1 ? atoi(argv[1]) : 0;
	open_window(200, 150);
	open_with_surface();
	new_swapchain();
	frames();

	SetWindowPos(window, NULL, 60, 40, 261, 119, SWP_NOZORDER);
	rest(200);
	VkResult r = frame(4);
	if (r != VK_ERROR_OUT_OF_DATE_KHR && r != VK_SUBOPTIMAL_KHR)
		fail("a window of another size: %d, want VK_ERROR_OUT_OF_DATE_KHR or VK_SUBOPTIMAL_KHR", r);
	new_swapchain();
	if (extent.width != 261 || extent.height != 119)
		fail("the window has become %ux%u, want 261x119", extent.width, extent.height);
	frames();

	DestroyWindow(window);
	VkSurfaceCapabilitiesKHR c;
	r = vkGetPhysicalDeviceSurfaceCapabilitiesKHR(physical, surface, &c);
	if (r != VK_ERROR_SURFACE_LOST_KHR)
		fail("a window that is gone: %d, want VK_ERROR_SURFACE_LOST_KHR", r);
	r = frame(5);
	if (r != VK_ERROR_SURFACE_LOST_KHR && r != VK_ERROR_OUT_OF_DATE_KHR)
		fail("a frame for a window that is gone: %d, want VK_ERROR_SURFACE_LOST_KHR", r);
	vkDestroySwapchainKHR(device, swapchain, NULL);
	vkDestroySurfaceKHR(instance, surface, NULL);
	return close_all();
}

/* The driver's interface to the Vulkan loader, and the doors of front.h: each leads to a helper. Where the C library can load
   Go and nobody has asked for a helper, the loader gets the functions of the library that holds the driver itself. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <time.h>

#include "../loader.h"
#include "link.h"

/* Not all C libraries have these where every program finds them. */
extern __typeof__(dladdr) dladdr __attribute__((weak));
extern __typeof__(dlopen) dlopen __attribute__((weak));
extern __typeof__(dlsym) dlsym __attribute__((weak));
extern const char *gnu_get_libc_version(void) __attribute__((weak)); /* glibc */

/* beside writes the path of a file in this library's folder. */
static const char *beside(char *to, size_t room, const char *name) {
	Dl_info info;
	if (!dladdr || !dladdr((void *)(uintptr_t)beside, &info) || !info.dli_fname)
		return NULL;
	const char *slash = strrchr(info.dli_fname, '/');
	size_t n = slash ? (size_t)(slash + 1 - info.dli_fname) : 0;
	if (n + strlen(name) >= room)
		return NULL;
	memcpy(to, info.dli_fname, n);
	strcpy(to + n, name);
	return to;
}

const char *link_trusted(const char *name) { return getauxval(AT_SECURE) ? NULL : getenv(name); }

const char *link_program(void) {
	static char path[4096];
	const char *own = link_trusted("PUMICE_HELPER");
	if (own && *own)
		return own;
	const char *at = beside(path, sizeof path, "pumice-driver");
	if (at && access(at, X_OK)) /* where all libraries are, programs are not */
		at = beside(path, sizeof path, "pumice/pumice-driver");
	return at && access(at, X_OK) ? beside(path, sizeof path, "pumice-driver") : at;
}

/* The library that holds the driver; its functions are found once. */
static struct {
	int looked;
	PFN_vkVoidFunction (*get)(VkInstance, const char *), (*get_physical)(VkInstance, const char *);
	VkResult (*negotiate)(uint32_t *);
} inside;

static void *symbol(void *library, const char *name) { return dlsym(library, name); }

static void look_inside(void) {
	static uint32_t busy;
	while (__atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE))
		sched_yield();
	const char *isolate = getenv("PUMICE_ISOLATE");
	char path[4096];
	if (!inside.looked && gnu_get_libc_version && dlopen && dlsym && (!isolate || !*isolate || !strcmp(isolate, "0")) &&
	    beside(path, sizeof path, "libvulkan_pumice.so")) {
		void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
		if (library) {
			*(void **)&inside.get = symbol(library, "vk_icdGetInstanceProcAddr");
			*(void **)&inside.get_physical = symbol(library, "vk_icdGetPhysicalDeviceProcAddr");
			*(void **)&inside.negotiate = symbol(library, "vk_icdNegotiateLoaderICDInterfaceVersion");
			if (!inside.get_physical || !inside.negotiate)
				inside.get = NULL;
		}
	}
	inside.looked = 1;
	__atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
}

static int in_process(void) {
	if (!__atomic_load_n(&inside.looked, __ATOMIC_ACQUIRE))
		look_inside();
	return inside.get != NULL;
}

static void forget_names(void);

/* Calls. */

/* The functions of this process that are told of something, with what they are told it with. The helper names them in what it
   leaves; what it cannot have from here is not called. None is ever taken out: there are few. */
static struct {
	uint32_t busy, count, room;
	uint64_t (*of)[2];
} listeners;

static int listens(uint64_t function, uint64_t user, int add) {
	int found = 0;
	while (__atomic_exchange_n(&listeners.busy, 1, __ATOMIC_ACQUIRE))
		sched_yield();
	for (uint32_t i = 0; i < listeners.count && !found; i++)
		found = listeners.of[i][0] == function && listeners.of[i][1] == user;
	if (!found && add && listeners.count == listeners.room) {
		uint32_t room = listeners.room ? 2 * listeners.room : 16;
		uint64_t(*of)[2] = realloc(listeners.of, room * sizeof *of);
		if (of)
			listeners.of = of, listeners.room = room;
	}
	if (!found && add && listeners.count < listeners.room) {
		listeners.of[listeners.count][0] = function;
		listeners.of[listeners.count++][1] = user;
	}
	__atomic_store_n(&listeners.busy, 0, __ATOMIC_RELEASE);
	return found;
}

/* note_listeners notes the functions in the arguments of a command. */
static void note_listeners(uint32_t op, const void *arguments) {
	if (op == PUMICE_OP_CreateDebugUtilsMessengerEXT) {
		const VkDebugUtilsMessengerCreateInfoEXT *i = ((const struct pumice_CreateDebugUtilsMessengerEXT *)arguments)->pCreateInfo;
		listens((uintptr_t)i->pfnUserCallback, (uintptr_t)i->pUserData, 1);
	} else if (op == PUMICE_OP_CreateDebugReportCallbackEXT) {
		const VkDebugReportCallbackCreateInfoEXT *i = ((const struct pumice_CreateDebugReportCallbackEXT *)arguments)->pCreateInfo;
		listens((uintptr_t)i->pfnCallback, (uintptr_t)i->pUserData, 1);
	} else if (op == PUMICE_OP_CreateDevice) {
		const struct pumice_base *b = ((const struct pumice_CreateDevice *)arguments)->pCreateInfo->pNext;
		for (int n = 0; b && n < 256; b = b->pNext, n++)
			if (b->sType == VK_STRUCTURE_TYPE_DEVICE_DEVICE_MEMORY_REPORT_CREATE_INFO_EXT) {
				const VkDeviceDeviceMemoryReportCreateInfoEXT *i = (const void *)b;
				listens((uintptr_t)i->pfnUserCallback, (uintptr_t)i->pUserData, 1);
			}
	}
}

/* tell calls the functions that the helper has left messages for. */
static void tell(const uint8_t *mail, uint64_t bytes) {
	for (uint64_t at = 0; bytes - at >= sizeof(struct link_item);) {
		struct link_item i;
		memcpy(&i, mail + at, sizeof i);
		if (i.bytes < sizeof i || i.bytes > bytes - at || (uint64_t)i.first + i.second > i.bytes - sizeof i)
			return;
		const char *first = i.first ? (const char *)mail + at + sizeof i : NULL;
		const char *second = i.second ? (const char *)mail + at + sizeof i + i.first : NULL;
		void *function = (void *)(uintptr_t)i.function, *user = (void *)(uintptr_t)i.user;
		at += i.bytes;
		if (!listens(i.function, i.user, 0))
			continue;
		if ((first && first[i.first - 1]) || (second && second[i.second - 1]))
			return;
		if (i.kind == LINK_MESSAGE) {
			VkDebugUtilsObjectNameInfoEXT object = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT, .objectType = (VkObjectType)(i.c - 1), .objectHandle = i.d};
			VkDebugUtilsMessengerCallbackDataEXT data = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CALLBACK_DATA_EXT,
				.pMessageIdName = first, .messageIdNumber = (int32_t)i.e, .pMessage = second, .objectCount = i.c != 0, .pObjects = i.c ? &object : NULL};
			((uint32_t(*)(uint32_t, uint32_t, const void *, void *))function)((uint32_t)i.a, (uint32_t)i.b, &data, user);
		} else if (i.kind == LINK_REPORT) {
			((uint32_t(*)(uint32_t, uint32_t, uint64_t, size_t, int32_t, const char *, const char *, void *))function)(
				(uint32_t)i.a, (uint32_t)i.b, i.c, (size_t)i.d, (int32_t)i.e, first, second, user);
		} else if (i.kind == LINK_MEMORY) {
			VkDeviceMemoryReportCallbackDataEXT data = {.sType = VK_STRUCTURE_TYPE_DEVICE_MEMORY_REPORT_CALLBACK_DATA_EXT, .type = (VkDeviceMemoryReportEventTypeEXT)i.a,
				.memoryObjectId = i.b, .size = i.c, .objectType = (VkObjectType)i.d, .objectHandle = i.e, .heapIndex = (uint32_t)i.f};
			((void (*)(const void *, void *))function)(&data, user);
		}
	}
}

/* done gives a slot back, and tells what came with the reply. */
static void done(struct link *l, int slot) {
	uint64_t bytes = __atomic_load_n(&link_at(l, slot)->mail, __ATOMIC_RELAXED);
	uint64_t size = (__atomic_load_n(&link_at(l, slot)->size, __ATOMIC_RELAXED) + 7) & ~UINT64_C(7);
	uint8_t *mail = NULL;
	if (bytes && size <= l->message && bytes <= l->message - size && (mail = malloc(bytes)))
		memcpy(mail, link_message(l, slot) + size, bytes);
	link_at(l, slot)->mail = 0;
	link_give(l, slot);
	if (mail)
		tell(mail, bytes);
	free(mail);
}

/* A small message that is no command; 0 if there is nobody to ask. */
static int ask(struct link *l, uint32_t op, void *message, size_t bytes) {
	int slot = l ? link_take(l) : -1;
	if (slot < 0)
		return 0;
	memcpy(link_message(l, slot), message, bytes);
	int ok = link_ask(l, slot, op, bytes);
	if (ok)
		memcpy(message, link_message(l, slot), bytes);
	done(l, slot);
	return ok;
}

/* The extent of a template's data, which the helper knows. */
static uint64_t template_bytes(struct link *l, const void *object, uint64_t template) {
	struct link_template m = {(uintptr_t)object, template, 0};
	return ask(l, LINK_TEMPLATE, &m, sizeof m) ? m.bytes : 0;
}

/* dispatched is the object that a command is called on: its first argument. */
static const void *dispatched(const void *arguments) {
	const void *p;
	memcpy(&p, arguments, sizeof p);
	return p;
}

/* The bytes of the texels of each region of a copy between host and image; NULL without memory. The caller frees them. */
static uint64_t *texels_of(struct link *l, uint32_t op, const void *arguments) {
	const VkCopyMemoryToImageInfo *to = op == PUMICE_OP_CopyMemoryToImage ? ((const struct pumice_CopyMemoryToImage *)arguments)->pCopyMemoryToImageInfo : NULL;
	const VkCopyImageToMemoryInfo *from = to ? NULL : ((const struct pumice_CopyImageToMemory *)arguments)->pCopyImageToMemoryInfo;
	uint32_t count = to ? to->regionCount : from->regionCount;
	uint64_t *bytes = malloc(((size_t)count + 1) * sizeof *bytes);
	for (uint32_t i = 0; bytes && i < count; i++) {
		struct link_texels m = {.device = (uintptr_t)dispatched(arguments), .image = to ? to->dstImage : from->srcImage};
		if (to) {
			const VkMemoryToImageCopy *g = &to->pRegions[i];
			m.region = (VkBufferImageCopy){0, g->memoryRowLength, g->memoryImageHeight, g->imageSubresource, g->imageOffset, g->imageExtent};
		} else {
			const VkImageToMemoryCopy *g = &from->pRegions[i];
			m.region = (VkBufferImageCopy){0, g->memoryRowLength, g->memoryImageHeight, g->imageSubresource, g->imageOffset, g->imageExtent};
		}
		bytes[i] = ask(l, LINK_TEXELS, &m, sizeof m) ? m.bytes : 0;
	}
	return bytes;
}

static void lost(uint32_t op, void *arguments) {
	int at = wire_result(op);
	VkResult r = op == PUMICE_OP_CreateInstance ? VK_ERROR_INITIALIZATION_FAILED : VK_ERROR_DEVICE_LOST;
	if (at >= 0)
		memcpy((uint8_t *)arguments + at, &r, sizeof r);
}

/* Whether the helper was alive when somebody last looked. */
static int link_alive_lately(const struct link *l) { return !__atomic_load_n(&l->dead, __ATOMIC_ACQUIRE); }

/* of_instances says that a command is called on an instance or a physical device. */
static int of_instances(const void *object) {
	const struct pumice_device *d = object; /* all dispatchable objects begin alike */
	return d->kind == 1 || d->kind == 2;	/* abi.LevelInstance, abi.LevelPhysicalDevice */
}

/* What is mapped lies in shared memory, or it is memory that other processes share, too, which this one maps by itself. */
static void check_mapping(struct link *l, uint32_t op, void *arguments) {
	void **at = NULL;
	VkResult *r = NULL;
	VkDevice device = NULL;
	VkDeviceMemory memory = 0;
	uint64_t offset = 0;
	if (op == PUMICE_OP_MapMemory) {
		struct pumice_MapMemory *a = arguments;
		at = a->ppData, r = &a->ret;
		device = a->device, memory = a->memory, offset = a->offset;
	} else if (op == PUMICE_OP_MapMemory2) {
		struct pumice_MapMemory2 *a = arguments;
		at = a->ppData, r = &a->ret;
		device = a->device, memory = a->pMemoryMapInfo->memory, offset = a->pMemoryMapInfo->offset;
	}
	if (!at || *r != VK_SUCCESS || link_of(*at) == l)
		return;
	*at = files_map(l, device, memory, offset);
	if (!*at)
		*r = VK_ERROR_MEMORY_MAP_FAILED;
}

/* Descriptors. in is the one that a command brings, which is the driver's when it succeeds; -1 for none. */
static int file_in(uint32_t op, const void *arguments) {
	if (op == PUMICE_OP_ImportSemaphoreFdKHR)
		return ((const struct pumice_ImportSemaphoreFdKHR *)arguments)->pImportSemaphoreFdInfo->fd;
	if (op == PUMICE_OP_ImportFenceFdKHR)
		return ((const struct pumice_ImportFenceFdKHR *)arguments)->pImportFenceFdInfo->fd;
	if (op == PUMICE_OP_AllocateMemory) {
		const struct pumice_base *b = ((const struct pumice_AllocateMemory *)arguments)->pAllocateInfo->pNext;
		for (int n = 0; b && n < 256; b = b->pNext, n++)
			if (b->sType == VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR && ((const VkImportMemoryFdInfoKHR *)b)->handleType)
				return ((const VkImportMemoryFdInfoKHR *)b)->fd;
	}
	return -1;
}

/* Where a command puts the descriptor that it returns; NULL if it returns none. */
static int *file_out(uint32_t op, void *arguments) {
	if (op == PUMICE_OP_GetMemoryFdKHR)
		return ((struct pumice_GetMemoryFdKHR *)arguments)->pFd;
	if (op == PUMICE_OP_GetSemaphoreFdKHR)
		return ((struct pumice_GetSemaphoreFdKHR *)arguments)->pFd;
	if (op == PUMICE_OP_GetFenceFdKHR)
		return ((struct pumice_GetFenceFdKHR *)arguments)->pFd;
	return NULL;
}

static void set_result(uint32_t op, void *arguments, VkResult r) {
	if (wire_result(op) >= 0)
		memcpy((uint8_t *)arguments + wire_result(op), &r, sizeof r);
}

static VkResult result_of(uint32_t op, const void *arguments) {
	VkResult r = VK_SUCCESS;
	if (wire_result(op) >= 0)
		memcpy(&r, (const uint8_t *)arguments + wire_result(op), sizeof r);
	return r;
}

/* Surfaces of windows. What the helper has to know of a window it is told before the call; afterwards this process does its
   part. opened is the window of a surface that is made. */
static void before_windows(struct link *l, uint32_t op, const void *arguments) {
	switch (op) {
	case PUMICE_OP_GetPhysicalDeviceSurfaceCapabilitiesKHR:
		window_look(l, ((const struct pumice_GetPhysicalDeviceSurfaceCapabilitiesKHR *)arguments)->surface, NULL, 0);
		break;
	case PUMICE_OP_GetPhysicalDeviceSurfaceCapabilities2KHR:
		window_look(l, ((const struct pumice_GetPhysicalDeviceSurfaceCapabilities2KHR *)arguments)->pSurfaceInfo->surface, NULL, 0);
		break;
	case PUMICE_OP_GetPhysicalDevicePresentRectanglesKHR:
		window_look(l, ((const struct pumice_GetPhysicalDevicePresentRectanglesKHR *)arguments)->surface, NULL, 0);
		break;
	case PUMICE_OP_AcquireNextImageKHR: {
		const struct pumice_AcquireNextImageKHR *a = arguments;
		window_look(l, 0, a->device, a->swapchain);
		break;
	}
	case PUMICE_OP_AcquireNextImage2KHR: {
		const struct pumice_AcquireNextImage2KHR *a = arguments;
		window_look(l, 0, a->device, a->pAcquireInfo->swapchain);
		break;
	}
	case PUMICE_OP_GetSwapchainStatusKHR: {
		const struct pumice_GetSwapchainStatusKHR *a = arguments;
		window_look(l, 0, a->device, a->swapchain);
		break;
	}
	case PUMICE_OP_QueuePresentKHR: {
		const VkPresentInfoKHR *i = ((const struct pumice_QueuePresentKHR *)arguments)->pPresentInfo;
		for (uint32_t n = 0; n < i->swapchainCount; n++)
			window_look(l, 0, NULL, i->pSwapchains[n]);
		break;
	}
	case PUMICE_OP_DestroyInstance:
		window_forget(l, dispatched(arguments));
		break;
	}
}

static void after_windows(struct link *l, uint32_t op, const void *arguments) {
	if (op == PUMICE_OP_CreateSwapchainKHR) {
		const struct pumice_CreateSwapchainKHR *a = arguments;
		if (a->ret == VK_SUCCESS)
			window_chain(l, a->pCreateInfo->surface, a->device, *a->pSwapchain, 1);
	} else if (op == PUMICE_OP_DestroySwapchainKHR) {
		const struct pumice_DestroySwapchainKHR *a = arguments;
		window_chain(l, 0, a->device, a->swapchain, 0);
	} else if (op == PUMICE_OP_DestroySurfaceKHR) {
		window_close(l, ((const struct pumice_DestroySurfaceKHR *)arguments)->surface);
	}
}

/* The wait of a command that may wait, NULL of others; timeout is how long it may take, by the program's word or the driver's. */
static struct pumice_wait *wait_of(uint32_t op, const void *arguments, uint64_t *timeout) {
#define WAITS(name, ns)                                                        \
	case PUMICE_OP_##name: {                                               \
		const struct pumice_##name *a = arguments;                     \
		*timeout = (ns);                                               \
		return a->wait;                                                \
	}
	switch (op) {
		WAITS(AcquireNextImageKHR, a->timeout)
		WAITS(AcquireNextImage2KHR, a->pAcquireInfo->timeout)
		WAITS(WaitForFences, a->timeout)
		WAITS(WaitForPresentKHR, a->timeout)
		WAITS(WaitForPresent2KHR, a->pPresentWait2Info->timeout)
		WAITS(WaitSemaphores, a->timeout)
		WAITS(QueueSubmit, UINT64_C(10000000000)) /* icd.maxAdmission */
		WAITS(QueueSubmit2, UINT64_C(10000000000))
		WAITS(DeviceWaitIdle, UINT64_MAX)
		WAITS(QueueWaitIdle, UINT64_MAX)
		WAITS(GetQueryPoolResults, UINT64_MAX)
	}
#undef WAITS
	return NULL;
}

/* overdue says that a call should have ended long since, whatever the helper says of it. */
static int overdue(uint32_t op, const void *arguments) {
	uint64_t timeout;
	struct pumice_wait *w = wait_of(op, arguments, &timeout);
	if (!w || w->limit == INT64_MAX)
		return 0;
	int64_t now = pumice_now();
	if (!w->limit)
		w->limit = timeout < (uint64_t)(INT64_MAX - now - LINK_SILENCE) ? now + (int64_t)timeout + LINK_SILENCE : INT64_MAX;
	return now > w->limit;
}

static void call(struct link *l, uint32_t op, void *arguments, int quiet);

/* make_surface opens a window, and has the helper make a surface of it: in the create info stands, instead of the display, where
   both meet. */
static void make_surface(struct link *l, uint32_t op, void *arguments) {
	struct pumice_CreateXcbSurfaceKHR *a = arguments; /* they are alike, and so are their create infos as far as the display */
	_Static_assert(sizeof(*a) == sizeof(struct pumice_CreateXlibSurfaceKHR) && sizeof(*a) == sizeof(struct pumice_CreateWaylandSurfaceKHR), "");
	_Static_assert(offsetof(VkXcbSurfaceCreateInfoKHR, connection) == offsetof(VkXlibSurfaceCreateInfoKHR, dpy) &&
		offsetof(VkXcbSurfaceCreateInfoKHR, connection) == offsetof(VkWaylandSurfaceCreateInfoKHR, display) &&
		sizeof(VkXcbSurfaceCreateInfoKHR) == sizeof(VkXlibSurfaceCreateInfoKHR) &&
		sizeof(VkXcbSurfaceCreateInfoKHR) == sizeof(VkWaylandSurfaceCreateInfoKHR), "");
	const VkXcbSurfaceCreateInfoKHR *own = a->pCreateInfo;
	VkXcbSurfaceCreateInfoKHR told = *own;
	struct window *w = window_open(l, op, arguments);
	*a->pSurface = 0;
	a->ret = VK_ERROR_INITIALIZATION_FAILED;
	if (!w)
		return;
	told.connection = window_shared(w);
	told.window = 0;
	a->pCreateInfo = &told;
	call(l, op, arguments, 0);
	a->pCreateInfo = own;
	window_opened(w, a->ret == VK_SUCCESS ? *a->pSurface : 0);
}

void pumiceCall(uint32_t op, void *arguments) {
	int quiet = (op & REVIVE_QUIETLY) != 0;
	op &= ~REVIVE_QUIETLY;
	int global = op == PUMICE_OP_CreateInstance || op == PUMICE_OP_EnumerateInstanceExtensionProperties ||
		op == PUMICE_OP_EnumerateInstanceLayerProperties || op == PUMICE_OP_EnumerateInstanceVersion;
	struct link *l = global ? link_current() : link_of(dispatched(arguments));
	if (!l) {
		lost(op, arguments);
		return;
	}
	const void *object = global ? NULL : dispatched(arguments), *successor = NULL;
	if (op == PUMICE_OP_DestroySurfaceKHR && !link_alive_lately(l) && window_close(l, ((struct pumice_DestroySurfaceKHR *)arguments)->surface))
		return; /* nobody else knows of it any more */
	if (object && op != PUMICE_OP_DestroyInstance && !link_alive_lately(l) && of_instances(object) && (successor = revive(object))) {
		memcpy(arguments, &successor, sizeof successor);
		pumiceCall(op, arguments);
		memcpy(arguments, &object, sizeof object);
		return;
	}
	if (op == PUMICE_OP_DestroyInstance && object)
		revive_forget(object);
	if (op == PUMICE_OP_CreateXcbSurfaceKHR || op == PUMICE_OP_CreateXlibSurfaceKHR || op == PUMICE_OP_CreateWaylandSurfaceKHR) {
		make_surface(l, op, arguments);
		return;
	}
	if (overdue(op, arguments)) {
		lost(op, arguments);
		return;
	}
	before_windows(l, op, arguments);
	call(l, op, arguments, quiet);
	after_windows(l, op, arguments);
	if (op == PUMICE_OP_FreeMemory && ((struct pumice_FreeMemory *)arguments)->memory)
		files_unmap(l, ((struct pumice_FreeMemory *)arguments)->device, ((struct pumice_FreeMemory *)arguments)->memory);
	else if (op == PUMICE_OP_DestroyDevice)
		files_unmap(l, ((struct pumice_DestroyDevice *)arguments)->device, 0);
	if (op == PUMICE_OP_DestroyInstance && object)
		link_drop(l);
}

/* ask_for_file is link_ask; where the reply comes with a descriptor, files_end has to follow if it returns 1. */
static int ask_for_file(struct link *l, int slot, uint32_t op, uint64_t size, const int *out) {
	if (out)
		files_begin(l);
	int ok = link_ask(l, slot, op, size);
	if (out && !ok)
		files_end(l, 0);
	return ok;
}

/* call has the helper carry a command out. */
static void call(struct link *l, uint32_t op, void *arguments, int quiet) {
	uint64_t data = 0;
	if (op == PUMICE_OP_UpdateDescriptorSetWithTemplate)
		data = template_bytes(l, dispatched(arguments), ((struct pumice_UpdateDescriptorSetWithTemplate *)arguments)->descriptorUpdateTemplate);
	else if (op == PUMICE_OP_CmdPushDescriptorSetWithTemplate)
		data = template_bytes(l, dispatched(arguments), ((struct pumice_CmdPushDescriptorSetWithTemplate *)arguments)->descriptorUpdateTemplate);
	else if (op == PUMICE_OP_CmdPushDescriptorSetWithTemplate2)
		data = template_bytes(l, dispatched(arguments), ((struct pumice_CmdPushDescriptorSetWithTemplate2 *)arguments)->pPushDescriptorSetWithTemplateInfo->descriptorUpdateTemplate);
	uint64_t *texels = NULL;
	if ((op == PUMICE_OP_CopyMemoryToImage || op == PUMICE_OP_CopyImageToMemory) && !(texels = texels_of(l, op, arguments))) {
		lost(op, arguments);
		return;
	}
	if (op == PUMICE_OP_CreateInstance || op == PUMICE_OP_DestroyInstance || op == PUMICE_OP_CreateDevice || op == PUMICE_OP_DestroyDevice)
		forget_names();
	note_listeners(op, arguments);
	int slot = link_take(l), saved = errno;
	if (slot >= 0) {
		l->uses[slot].data = data;
		l->uses[slot].texels = texels;
		uint64_t size = wire_send(l, slot, op, arguments);
		int in = file_in(op, arguments), *out = file_out(op, arguments);
		if (!size) {
			set_result(op, arguments, VK_ERROR_OUT_OF_HOST_MEMORY);
			link_give(l, slot);
		} else if (in >= 0 && !files_send(l, slot, in) && link_alive(l)) {
			wire_nothing(l, slot);
			set_result(op, arguments, VK_ERROR_INVALID_EXTERNAL_HANDLE);
			link_give(l, slot);
		} else if (ask_for_file(l, slot, op, size, out)) {
			wire_receive(l, slot, op, arguments);
			if (out)
				*out = files_end(l, result_of(op, arguments) == VK_SUCCESS);
			if (out && *out < 0 && result_of(op, arguments) == VK_SUCCESS)
				set_result(op, arguments, VK_ERROR_TOO_MANY_OBJECTS);
			if (in >= 0 && result_of(op, arguments) == VK_SUCCESS)
				close(in);
			done(l, slot);
			check_mapping(l, op, arguments);
		} else {
			wire_nothing(l, slot);
			link_give(l, slot);
			slot = -1;
		}
	}
	if (slot < 0)
		lost(op, arguments);
	else if (op == PUMICE_OP_CreateInstance && ((struct pumice_CreateInstance *)arguments)->ret == VK_SUCCESS) {
		link_hold(l);
		if (!quiet)
			revive_note(arguments);
	}
	free(texels);
	errno = saved;
}

void *pumiceGrow(void *stream, uint32_t copies, uint64_t size) {
	struct link *l = link_of(stream);
	struct pumice_stream *s = stream;
	struct link_grow m = {(uintptr_t)stream, size, copies, 0, 0};
	if (!l)
		return NULL;
	if (!ask(l, LINK_GROW, &m, sizeof m)) {
		s->result = VK_ERROR_DEVICE_LOST;
		return NULL;
	}
	uint8_t *p = (uint8_t *)(uintptr_t)m.at;
	if (p && (p < l->base || p >= l->base + l->bytes || (uint64_t)(l->base + l->bytes - p) < size))
		return NULL;
	return p;
}

#include "names_gen.h"
_Static_assert(ENTRY_NAMES <= 8 * sizeof((struct link_lookup *)0)->there, "a bit for each name");

static int index_of(const char *name) {
	int low = 0, high = ENTRY_NAMES;
	while (low < high) {
		int mid = (low + high) / 2, c = strcmp(name, entry_names + entry_starts[mid]);
		if (!c)
			return mid;
		if (c < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return -1;
}

/* Loaders ask for hundreds of names of one object in a row: what is there for the last ones is kept, until one is made or
   destroyed. */
static struct {
	uint32_t busy, next;
	struct link_lookup of[4];
	uint8_t valid[4];
} known;

static void forget_names(void) {
	while (__atomic_exchange_n(&known.busy, 1, __ATOMIC_ACQUIRE))
		sched_yield();
	memset(known.valid, 0, sizeof known.valid);
	__atomic_store_n(&known.busy, 0, __ATOMIC_RELEASE);
}

uint32_t pumiceLookup(uint32_t scope, void *object, char *name) {
	int at = index_of(name), i;
	struct link_lookup m = {scope, 0, (uintptr_t)object, {0}};
	if (at < 0)
		return 0;
	struct link *l = object ? link_of(object) : link_current();
	if (object && l && scope != SCOPE_DEVICE && !link_alive_lately(l)) {
		m.object = (uintptr_t)revive(object);
		l = m.object ? link_of((void *)(uintptr_t)m.object) : NULL;
	}
	while (__atomic_exchange_n(&known.busy, 1, __ATOMIC_ACQUIRE))
		sched_yield();
	for (i = 0; i < 4; i++)
		if (known.valid[i] && known.of[i].scope == scope && known.of[i].object == m.object)
			break;
	int found = i < 4;
	if (found)
		m = known.of[i];
	__atomic_store_n(&known.busy, 0, __ATOMIC_RELEASE);
	if (!found) {
		if (!ask(l, LINK_LOOKUP, &m, sizeof m))
			return 0;
		while (__atomic_exchange_n(&known.busy, 1, __ATOMIC_ACQUIRE))
			sched_yield();
		i = (int)(known.next++ & 3);
		known.of[i] = m;
		known.valid[i] = 1;
		__atomic_store_n(&known.busy, 0, __ATOMIC_RELEASE);
	}
	return m.there[at / 8] >> at % 8 & 1 ? entry_ops[at] : 0;
}

int pumice_board_is_stale(const struct pumice_device *d, const struct pumice_board *b) {
	static uint32_t asked;
	struct link *l = link_of(d);
	if (!l || __atomic_load_n(&l->dead, __ATOMIC_RELAXED) || link_of(b) != l || (const uint8_t *)(b + 1) > l->base + l->bytes)
		return 1;
	return !(__atomic_add_fetch(&asked, 1, __ATOMIC_RELAXED) & 63) && !link_alive(l);
}

void *pumice_more(struct pumice_stream *s, uint32_t copies, uint64_t size) {
	if (pumice_forked) {
		s->result = VK_ERROR_DEVICE_LOST;
		return NULL;
	}
	return pumiceGrow(s, copies, size);
}

int pumice_wait_for_hold(struct pumice_stream *s) {
	for (int tries = 0; tries < 1 << 20; tries++) {
		if (!__atomic_load_n(&s->held, __ATOMIC_RELAXED) && !__atomic_exchange_n(&s->held, 1, __ATOMIC_ACQUIRE))
			return 1;
		if (tries % 256 == 255) {
			struct link *l = link_of(s);
			if (!l || !link_alive(l))
				return 0;
		}
		sched_yield();
	}
	return 0;
}

/* Threads sleep in slices, and look whether anybody is there to wake them. */
void pumice_sleep(struct pumice_wait *w) {
	struct link *l = link_of(w->word);
	int saved = errno;
	if (!l || (uintptr_t)w->word % sizeof *w->word || (uint64_t)(l->base + l->bytes - (uint8_t *)w->word) < 2 * sizeof *w->word)
		return;
	__atomic_add_fetch(&w->word[1], 1, __ATOMIC_SEQ_CST);
	for (;;) {
		int64_t now = pumice_now(), until = now + 20000000;
		if (until > w->until)
			until = w->until;
		if (until < now)
			break;
		struct timespec t = {until / 1000000000, until % 1000000000};
		if (!syscall(SYS_futex, w->word, FUTEX_WAIT_BITSET, w->seen, &t, NULL, FUTEX_BITSET_MATCH_ANY) || errno == EAGAIN)
			break;
		if (errno == ETIMEDOUT && (until == w->until || now > w->limit || !link_alive(l)))
			break;
	}
	__atomic_sub_fetch(&w->word[1], 1, __ATOMIC_SEQ_CST);
	errno = saved;
}

/* The loader's interface. */

static PFN_vkVoidFunction find(enum scope scope, void *object, const char *name) {
	if (!name || pumice_forked)
		return NULL;
	return pumice_entries[pumiceLookup(scope, object, (char *)name)];
}

PFN_vkVoidFunction vk_icdGetInstanceProcAddr(VkInstance instance, const char *name) {
	if (loader_names(name))
		return loader_function(name);
	if (in_process())
		return inside.get(instance, name);
	if (name && !strcmp(name, "vkGetInstanceProcAddr"))
		return (PFN_vkVoidFunction)pumice_vkGetInstanceProcAddr;
	if (name && instance && !strcmp(name, "vkGetDeviceProcAddr"))
		return (PFN_vkVoidFunction)pumice_vkGetDeviceProcAddr;
	return find(SCOPE_INSTANCE, instance, name);
}

PFN_vkVoidFunction vk_icdGetPhysicalDeviceProcAddr(VkInstance instance, const char *name) {
	return in_process() ? inside.get_physical(instance, name) : find(SCOPE_PHYSICAL_DEVICE, instance, name);
}

VkResult vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version) {
	if (in_process())
		return inside.negotiate(version);
	if (!version || *version < 2 || pumice_forked || !link_current())
		return VK_ERROR_INCOMPATIBLE_DRIVER;
	return loader_agree(version);
}

PFN_vkVoidFunction pumice_vkGetInstanceProcAddr(VkInstance instance, const char *name) {
	return vk_icdGetInstanceProcAddr(instance, name);
}

PFN_vkVoidFunction pumice_vkGetDeviceProcAddr(VkDevice device, const char *name) {
	if (name && !strcmp(name, "vkGetDeviceProcAddr"))
		return (PFN_vkVoidFunction)pumice_vkGetDeviceProcAddr;
	return find(SCOPE_DEVICE, device, name);
}

/* The C side of the driver: what generated and handwritten C share. */
#ifndef PUMICE_FRONT_H
#define PUMICE_FRONT_H

#include <string.h>

#include "vk_gen.h"

/* For what a call waits. package abi's Wait is the same struct. */
struct pumice_wait {
	uint32_t *word; /* sleep until this is no longer seen; NULL: the call is done */
	uint32_t seen, begun;
	int64_t deadline, until; /* of the call and of this sleep, ns of the clock of package icd's monotonic; INT64_MAX: none */
#ifdef PUMICE_FRONT
	int64_t limit; /* what the helper has no say in: when the call ends at the latest; 0: not known, INT64_MAX: never */
#endif
};
_Static_assert(offsetof(struct pumice_wait, until) == 24, "abi.Wait");

#include "arguments_gen.h"

#define PUMICE_MAX_CHAIN 64             /* structs copied from one pNext chain */
#define PUMICE_MAX_COPY (UINT64_C(1) << 30) /* bytes copied from one array */

/* A VkCommandBuffer. package abi's Stream is the same struct. */
struct pumice_stream {
	uintptr_t loader;
	uint64_t id;
	uint8_t kind;
	uint8_t *at, *end;
	uint8_t *copy_at, *copy_end;
	uint64_t records;
	int32_t result;
	uint32_t held; /* by a thread that moves what is above */
};
_Static_assert(offsetof(struct pumice_stream, at) == 24, "abi.Stream.At");
_Static_assert(offsetof(struct pumice_stream, copy_at) == 40, "abi.Stream.CopyAt");
_Static_assert(offsetof(struct pumice_stream, records) == 56, "abi.Stream.Records");
_Static_assert(offsetof(struct pumice_stream, result) == 64, "abi.Stream.Result");
_Static_assert(offsetof(struct pumice_stream, held) == 68, "abi.Stream.held");
_Static_assert(sizeof(struct pumice_stream) == 72, "abi.Stream");

/* What C may see of fences and timeline semaphores; package abi's Board. */
#define PUMICE_POLLS 512
struct pumice_poll {
	uint64_t handle, value;
};
struct pumice_board {
	uint32_t *word; /* what who waits for any of this sleeps for */
	uint32_t lost, none;
	struct pumice_poll fences[PUMICE_POLLS], semaphores[PUMICE_POLLS];
};
_Static_assert(sizeof(struct pumice_board) == 16 + 2 * 16 * PUMICE_POLLS, "abi.Board");

/* A VkDevice. package abi's DeviceHandle is the same struct. */
struct pumice_device {
	uintptr_t loader;
	uint64_t id;
	uint8_t kind;
	struct pumice_board *board;
};
_Static_assert(offsetof(struct pumice_device, board) == 24, "abi.DeviceHandle.Board");

/* What programs ask again and again, answered from the board where it has the answer, and descriptors. */
#define PUMICE_ASK ((VkResult)INT32_MAX) /* C does not know: ask Go */
VkResult pumice_see_GetDescriptorEXT(VkDevice device, const VkDescriptorGetInfoEXT *info, size_t size, void *descriptor);
VkResult pumice_see_GetFenceStatus(VkDevice device, VkFence fence);
VkResult pumice_see_GetSemaphoreCounterValue(VkDevice device, VkSemaphore semaphore, uint64_t *value);
VkResult pumice_see_ResetFences(VkDevice device, uint32_t count, const VkFence *fences);
VkResult pumice_see_WaitForFences(VkDevice device, uint32_t count, const VkFence *fences, VkBool32 all, uint64_t timeout);
VkResult pumice_see_WaitSemaphores(VkDevice device, const VkSemaphoreWaitInfo *info, uint64_t timeout);

/* What extensible structs begin with. */
struct pumice_base {
	VkStructureType sType;
	const void *pNext;
};

/* The doors into Go. */
extern void pumiceCall(uint32_t op, void *arguments);
extern void *pumiceGrow(void *stream, uint32_t copies, uint64_t size);
extern uint32_t pumiceLookup(uint32_t scope, void *object, char *name);

/* Starts the Go runtime where it does not run yet; 0 if it cannot: there is too
   little address space for it, or there are no threads. */
int pumice_start(void);

/* What depends on the host's system: what a call into Go needs around it. */
#if defined PUMICE_FRONT /* driver/isolate: no Go runs here */
#include "isolate/host.h"
#elif defined _WIN32
#include "host_windows.h"
#else
#include "host_linux.h"
#endif

/* Writes to standard error, whatever becomes of it, without a signal to the host; returns n. */
size_t pumice_log(const char *text, size_t n);

static inline void pumice_door(uint32_t op, void *arguments) {
	if (__builtin_expect(pumice_forked, 0))
		return;
	struct pumice_crossing c;
	pumice_enter(&c);
	pumiceCall(op, arguments);
	pumice_leave(&c);
}

/* A call that may wait is made again and again: in between the thread sleeps. */
void pumice_sleep(struct pumice_wait *w);

/* The clock by which threads sleep, in nanoseconds, and what it will show when a timeout is over. */
int64_t pumice_now(void);
static inline int64_t pumice_after(uint64_t timeout) {
	int64_t now = timeout && timeout < INT64_MAX ? pumice_now() : INT64_MAX;
	return timeout < (uint64_t)(INT64_MAX - now) ? now + (int64_t)timeout : INT64_MAX;
}

static inline void pumice_patient_door(uint32_t op, void *arguments, struct pumice_wait *w) {
	for (;;) {
		w->word = NULL;
		pumice_door(op, arguments);
		if (!w->word)
			return;
		pumice_sleep(w);
	}
}

extern const PFN_vkVoidFunction pumice_entries[];
extern const uint32_t pumice_entry_count;

/* More room: a call into Go, or NULL with s->result set. */
void *pumice_more(struct pumice_stream *s, uint32_t copies, uint64_t size);

/* One thread at a time moves where records and copies go: a program that records from several, against the rules, gets records
   in any order, but none writes where another does, or behind the end of a segment. hold gives up after a while: s may be anything
   that a program calls a command buffer. */
int pumice_wait_for_hold(struct pumice_stream *s);
static inline int pumice_hold(struct pumice_stream *s) {
	return __builtin_expect(!__atomic_exchange_n(&s->held, 1, __ATOMIC_ACQUIRE), 1) || pumice_wait_for_hold(s);
}
static inline void pumice_release(struct pumice_stream *s) { __atomic_store_n(&s->held, 0, __ATOMIC_RELEASE); }

/* Where the stream lies in memory that another process can change (driver/isolate), so does what it says of where records go:
   whether p is where that memory is. */
#ifdef PUMICE_FRONT
int pumice_within(const struct pumice_stream *s, const uint8_t *p, uint64_t size);
#else
static inline int pumice_within(const struct pumice_stream *s, const uint8_t *p, uint64_t size) {
	(void)s, (void)p, (void)size;
	return 1;
}
#endif

/* A record of size bytes, or NULL. */
static inline void *pumice_record(struct pumice_stream *s, uint32_t op, uint64_t size) {
	size = (size + 7) & ~UINT64_C(7);
	if (!pumice_hold(s))
		return NULL;
	uint8_t *p = s->at;
	if (__builtin_expect((uint64_t)(s->end - p) < size, 0))
		p = pumice_more(s, 0, size);
	if (__builtin_expect(!pumice_within(s, p, size), 0))
		p = NULL;
	if (__builtin_expect(p != NULL, 1)) {
		s->at = p + size;
		s->records++;
		((uint32_t *)p)[0] = op;
		((uint32_t *)p)[1] = (uint32_t)size;
	}
	pumice_release(s);
	return p;
}

/* A copy of an array, or NULL if there is none or no memory. */
static inline void *pumice_array(struct pumice_stream *s, const void *from, uint64_t count, uint64_t size) {
	if (!from || !count)
		return NULL;
	if (__builtin_expect(count > PUMICE_MAX_COPY / size, 0)) {
		s->result = VK_ERROR_OUT_OF_HOST_MEMORY;
		return NULL;
	}
	uint64_t bytes = (count * size + 7) & ~UINT64_C(7);
	if (!pumice_hold(s))
		return NULL;
	uint8_t *p = s->copy_at;
	if (__builtin_expect((uint64_t)(s->copy_end - p) < bytes, 0))
		p = pumice_more(s, 1, bytes);
	if (__builtin_expect(!pumice_within(s, p, bytes), 0))
		p = NULL;
	if (__builtin_expect(p != NULL, 1))
		s->copy_at = p + bytes;
	pumice_release(s);
	return p ? memcpy(p, from, count * size) : NULL;
}

static inline char *pumice_string(struct pumice_stream *s, const char *from) {
	return from ? pumice_array(s, from, strlen(from) + 1, 1) : NULL;
}

/* VkWriteDescriptorSet: which of its three arrays a type of descriptor uses. */
static inline int pumice_is_image_descriptor(VkDescriptorType t) {
	return t <= VK_DESCRIPTOR_TYPE_STORAGE_IMAGE || t == VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT;
}
static inline int pumice_is_texel_descriptor(VkDescriptorType t) {
	return t == VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER || t == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
}
static inline int pumice_is_buffer_descriptor(VkDescriptorType t) {
	return t >= VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER && t <= VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
}

#endif

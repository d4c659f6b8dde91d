/* The C side of the driver: what generated and handwritten C share. */
#ifndef PUMICE_FRONT_H
#define PUMICE_FRONT_H

#include <string.h>

#include "vk_gen.h"
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
};
_Static_assert(offsetof(struct pumice_stream, at) == 24, "abi.Stream.At");
_Static_assert(offsetof(struct pumice_stream, copy_at) == 40, "abi.Stream.CopyAt");
_Static_assert(offsetof(struct pumice_stream, records) == 56, "abi.Stream.Records");
_Static_assert(offsetof(struct pumice_stream, result) == 64, "abi.Stream.Result");
_Static_assert(sizeof(struct pumice_stream) == 72, "abi.Stream");

/* What extensible structs begin with. */
struct pumice_base {
	VkStructureType sType;
	const void *pNext;
};

/* The doors into Go. */
extern void pumiceCall(uint32_t op, void *arguments);
extern void *pumiceGrow(void *stream, uint32_t copies, uint64_t size);
extern uint32_t pumiceLookup(uint32_t scope, void *object, char *name);

/* Set in the child of a fork: there the Go runtime has only one thread left and
   would hang. Calls fail instead. */
extern int pumice_forked;

static inline void pumice_door(uint32_t op, void *arguments) {
	if (__builtin_expect(!pumice_forked, 1))
		pumiceCall(op, arguments);
}

extern const PFN_vkVoidFunction pumice_entries[];
extern const uint32_t pumice_entry_count;

void pumice_chain_sigurg(void);

/* More room: a call into Go, or NULL with s->result set. */
void *pumice_more(struct pumice_stream *s, uint32_t copies, uint64_t size);

/* A record of size bytes, or NULL. */
static inline void *pumice_record(struct pumice_stream *s, uint32_t op, uint64_t size) {
	size = (size + 7) & ~UINT64_C(7);
	uint8_t *p = s->at;
	if (__builtin_expect((uint64_t)(s->end - p) < size, 0)) {
		p = pumice_more(s, 0, size);
		if (!p)
			return NULL;
	}
	s->at = p + size;
	s->records++;
	((uint32_t *)p)[0] = op;
	((uint32_t *)p)[1] = (uint32_t)size;
	return p;
}

/* A copy of an array, or NULL if there is none or no memory. */
static inline void *pumice_array(struct pumice_stream *s, const void *from, uint64_t count, uint64_t size) {
	if (!from || !count)
		return NULL;
	uint8_t *p = s->copy_at;
	if (__builtin_expect(count > PUMICE_MAX_COPY / size, 0)) {
		s->result = VK_ERROR_OUT_OF_HOST_MEMORY;
		return NULL;
	}
	uint64_t bytes = (count * size + 7) & ~UINT64_C(7);
	if (__builtin_expect((uint64_t)(s->copy_end - p) < bytes, 0)) {
		p = pumice_more(s, 1, bytes);
		if (!p)
			return NULL;
	}
	s->copy_at = p + bytes;
	return memcpy(p, from, count * size);
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

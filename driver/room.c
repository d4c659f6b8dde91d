//go:build linux

/* Go's runtime where addresses are short (RLIMIT_AS, "ulimit -v"). It ends the process
   when the system refuses it a mapping, however small, and the host may have used up
   what there is. So there is a reserve for it, taken when it starts.

   The linker brings calls of mmap, malloc and free in this library, Go's runtime included,
   here (--wrap). */
#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "front.h"

/* What the runtime maps now and then for its records. The heap itself is mapped ahead
   (room.go). */
#define RECORDS (UINT64_C(8) << 20)

/* What glibc's heaps for Go's threads, 64 MiB of addresses each, do not get: the room
   that Go's heap (64 MiB) and a device need. It is given up when the threads are there. */
#define ROOM (UINT64_C(96) << 20)

void *__real_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset);
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void __real_free(void *p);
void __wrap_free(void *p);

static int short_of_addresses(void) {
	struct rlimit r;
	return !getrlimit(RLIMIT_AS, &r) && r.rlim_cur != RLIM_INFINITY;
}

static uint8_t *reserve; /* MAP_FAILED: none */
static uint64_t taken;	 /* of its first RECORDS bytes */
static int given;	 /* the rest */

/* pumice_give_room is called when the threads are there. Always 0. */
int pumice_give_room(void) {
	if (reserve && reserve != MAP_FAILED && !__atomic_exchange_n(&given, 1, __ATOMIC_RELAXED))
		munmap(reserve + RECORDS, ROOM);
	return 0;
}

void *__wrap_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset) {
	if (!reserve) /* the runtime's first call, before it has threads */
		reserve = short_of_addresses() ? __real_mmap(NULL, RECORDS + ROOM, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
					       : MAP_FAILED;
	void *p = __real_mmap(at, size, protection, flags, fd, offset);
	if (p != MAP_FAILED || errno != ENOMEM || fd != -1 || flags & MAP_FIXED || reserve == MAP_FAILED)
		return p;
	if (at) { /* heap, sooner than expected: the first 64 MiB are used from a random place on */
		if (__atomic_load_n(&given, __ATOMIC_RELAXED))
			return p;
		pumice_give_room();
		return __real_mmap(at, size, protection, flags, fd, offset);
	}
	uint64_t bytes = (size + 4095) & ~UINT64_C(4095), from = __atomic_fetch_add(&taken, bytes, __ATOMIC_RELAXED);
	if (bytes > RECORDS || from > RECORDS - bytes) {
		__atomic_fetch_sub(&taken, bytes, __ATOMIC_RELAXED);
		return p;
	}
	/* In place of the reserve's pages, so that nobody else gets the addresses. */
	return __real_mmap(reserve + from, size, protection, flags | MAP_FIXED, fd, offset);
}

/* What the runtime hands to a new thread, and what it asks the C library for at its
   start, are a few bytes. A thread that frees such bytes first thing gets a heap of its own from
   glibc: 64 MiB of addresses. Here they are, and nobody takes them back: of the threads
   there are few. */
static union {
	uint8_t bytes[32];
	max_align_t align;
} small[1024];
static uint32_t smalls;

void *__wrap_malloc(size_t size) {
	if (size <= sizeof small[0] && short_of_addresses()) {
		uint32_t i = __atomic_fetch_add(&smalls, 1, __ATOMIC_RELAXED);
		if (i < sizeof small / sizeof *small)
			return &small[i];
		__atomic_fetch_sub(&smalls, 1, __ATOMIC_RELAXED);
	}
	return __real_malloc(size);
}

void __wrap_free(void *p) {
	if ((uint8_t *)p < small[0].bytes || (uint8_t *)p >= small[0].bytes + sizeof small)
		__real_free(p);
}

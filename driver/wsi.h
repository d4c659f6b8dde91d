/* What both window systems need to load a library of theirs. The front without Go (isolate) links with none, so that it finds
   dlopen in the program, if that has it. */
#pragma once

#include <dlfcn.h>
#include <sched.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef PUMICE_FRONT
extern __typeof__(dlopen) dlopen __attribute__((weak));
extern __typeof__(dlsym) dlsym __attribute__((weak));
#endif

/* The library of a name, NULL where there is none. */
static inline void *pumice_library(const char *name) {
#ifdef PUMICE_FRONT
	if (!dlopen || !dlsym)
		return NULL;
#endif
	return dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

/* Calls load before it returns, once for each state, which begins with 0. */
static inline void pumice_once(uint32_t *state, void (*load)(void)) {
	uint32_t none = 0;
	if (__atomic_compare_exchange_n(state, &none, 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		load();
		__atomic_store_n(state, 2, __ATOMIC_RELEASE);
	}
	while (__atomic_load_n(state, __ATOMIC_ACQUIRE) != 2)
		sched_yield();
}

/* memfd_create, which C libraries have from glibc 2.27 on. */
static inline int pumice_memfd(const char *name) { return (int)syscall(SYS_memfd_create, name, 3u /* MFD_CLOEXEC | MFD_ALLOW_SEALING */); }

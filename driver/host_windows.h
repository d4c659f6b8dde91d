/* Calls into Go on Windows, where nothing has to be put aside for them: there are no signals and no forks. front.h
   includes it. */
#ifndef PUMICE_HOST_WINDOWS_H
#define PUMICE_HOST_WINDOWS_H

#include <stddef.h>
#include <stdint.h>

#define PUMICE_EXPORT __declspec(dllexport)

enum { pumice_forked = 0 };

void pumice_yield(void);

struct pumice_crossing {
	char none;
};
static inline void pumice_enter(struct pumice_crossing *c) { (void)c; }
static inline void pumice_leave(struct pumice_crossing *c) { (void)c; }
static inline uint64_t *pumice_to_host(void) { return NULL; }
static inline void pumice_from_host(uint64_t *mask) { (void)mask; }

#endif

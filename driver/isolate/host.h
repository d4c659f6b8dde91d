/* What surrounds calls in the front without Go: nothing has to be put aside for them. front.h includes it. */
#ifndef PUMICE_ISOLATE_HOST_H
#define PUMICE_ISOLATE_HOST_H

#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PUMICE_EXPORT __attribute__((visibility("default")))

/* The child of a fork has no helper. */
#define pumice_forked pumice_in_fork()
int pumice_in_fork(void);

struct pumice_crossing {
	char none;
};
static inline void pumice_enter(struct pumice_crossing *c) { (void)c; }
static inline void pumice_leave(struct pumice_crossing *c) { (void)c; }

#endif

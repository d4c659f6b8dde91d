/* Calls into Go on Linux: signals and forks. front.h includes it. */
#ifndef PUMICE_HOST_LINUX_H
#define PUMICE_HOST_LINUX_H

#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PUMICE_EXPORT __attribute__((visibility("default")))

static inline void pumice_yield(void) { sched_yield(); }

/* How many of n threads the process can have besides those that it has. */
int pumice_spare_threads(int n);

extern int pumice_running;

/* Set in the child of a fork: there the Go runtime has only one thread left and
   would hang. Calls fail instead. */
extern int pumice_forked;

/* While a thread is inside Go it runs on the stack of a goroutine, which has no room
   for a handler of the host: all signals that can wait do. Go's threads block the same
   ones for good. What came meanwhile comes after the call, in the host's own stack. */
extern uint64_t pumice_blocked;
extern __thread uint64_t *pumice_host_mask; /* during a call: the mask of the host */
extern __thread int pumice_met;             /* the thread has been here */
void pumice_meet(void);

static inline void pumice_block(uint64_t *mask) {
	syscall(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, &pumice_blocked, mask, sizeof *mask);
}
static inline void pumice_unblock(uint64_t *mask) {
	syscall(SYS_rt_sigprocmask, 2, mask, NULL, sizeof *mask);
}

/* enter and leave surround each call into Go, to_host and from_host each call of the
   host's functions from there; a thread of Go's has no mask to put back. */
struct pumice_crossing {
	uint64_t mask, *outer;
};
static inline void pumice_enter(struct pumice_crossing *c) {
	if (__builtin_expect(!pumice_met, 0))
		pumice_meet();
	pumice_block(&c->mask);
	c->outer = pumice_host_mask;
	pumice_host_mask = &c->mask;
}
static inline void pumice_leave(struct pumice_crossing *c) {
	pumice_host_mask = c->outer;
	pumice_unblock(&c->mask);
}

static inline uint64_t *pumice_to_host(void) {
	uint64_t *mask = pumice_host_mask;
	pumice_host_mask = NULL;
	if (mask)
		pumice_unblock(mask);
	return mask;
}
static inline void pumice_from_host(uint64_t *mask) {
	pumice_host_mask = mask;
	if (mask)
		pumice_block(mask);
}

#endif

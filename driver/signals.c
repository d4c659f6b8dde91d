//go:build linux

/* What would be awkward in Go because of signals. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "front.h"

__thread uint64_t *pumice_host_mask;
__thread int pumice_met;

/* The alternate stack of a thread. Go gives 32 KiB of its heap to threads that have
   none, and handlers with SA_ONSTACK would write past them. These have room for nested
   ones, and pages before them that stop what needs more. */
enum { ALTERNATE = 256 << 10, GUARD = 64 << 10 };

static pthread_key_t alternate;
static pthread_once_t alternates = PTHREAD_ONCE_INIT;

/* drop_alternate runs when a thread ends: in the second round, since in the first one
   Go takes leave of the thread. */
static void drop_alternate(void *p) {
	static __thread int rounds;
	if (!rounds++) {
		pthread_setspecific(alternate, p);
		return;
	}
	stack_t now;
	if (!sigaltstack(NULL, &now) && now.ss_sp == (char *)p + GUARD)
		sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
	munmap(p, GUARD + ALTERNATE);
}

static void make_key(void) { pthread_key_create(&alternate, drop_alternate); }

void pumice_meet(void) {
	stack_t now;
	pumice_met = 1;
	if (sigaltstack(NULL, &now) || !(now.ss_flags & SS_DISABLE))
		return;
	pthread_once(&alternates, make_key);
	char *p = mmap(NULL, GUARD + ALTERNATE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return; /* Go's own is better than none */
	if (mprotect(p + GUARD, ALTERNATE, PROT_READ | PROT_WRITE) || pthread_setspecific(alternate, p) ||
	    sigaltstack(&(stack_t){.ss_sp = p + GUARD, .ss_size = ALTERNATE}, NULL)) {
		pthread_setspecific(alternate, NULL);
		munmap(p, GUARD + ALTERNATE);
	}
}

int64_t pumice_now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* Threads of the host sleep here, on their own stacks, where handlers may run. */
void pumice_sleep(struct pumice_wait *w) {
	struct timespec until = {w->until / 1000000000, w->until % 1000000000};
	int saved = errno;
	__atomic_add_fetch(&w->word[1], 1, __ATOMIC_SEQ_CST);
	while (syscall(SYS_futex, w->word, FUTEX_WAIT_BITSET, w->seen, w->until == INT64_MAX ? NULL : &until, NULL,
		       FUTEX_BITSET_MATCH_ANY) && errno == EINTR)
		;
	__atomic_sub_fetch(&w->word[1], 1, __ATOMIC_SEQ_CST);
	errno = saved;
}

/* With signals blocked, taking back the SIGPIPE that this may raise. */
size_t pumice_log(const char *text, size_t n) {
	sigset_t before, pipe;
	int saved = errno;
	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	sigpending(&before);
	for (size_t at = 0; at < n;) {
		ssize_t w = write(2, text + at, n - at);
		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0 && errno == EPIPE && !sigismember(&before, SIGPIPE))
			sigtimedwait(&pipe, NULL, &(struct timespec){0});
		if (w < 0)
			break;
		at += w;
	}
	errno = saved;
	return n;
}

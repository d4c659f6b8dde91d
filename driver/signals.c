//go:build linux

/* What would be awkward in Go because of signals. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "front.h"

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

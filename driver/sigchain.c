//go:build linux

/* Two Go runtimes in one process. The runtime in this library takes SIGURG, with
   which it preempts goroutines, and never passes it on; a host program written in
   Go then waits for its own preemption for ever. So the handler that was there
   before is kept, and called after ours. */
#define _GNU_SOURCE
#include <signal.h>
#include <stddef.h>

#include "front.h"

static struct sigaction host, runtime;

static void both(int signal, siginfo_t *info, void *context) {
	runtime.sa_sigaction(signal, info, context);
	if (host.sa_flags & SA_SIGINFO)
		host.sa_sigaction(signal, info, context);
	else
		host.sa_handler(signal);
}

/* Before the Go runtime's own constructor, which has no priority. */
__attribute__((constructor(101))) static void remember_host(void) { sigaction(SIGURG, NULL, &host); }

/* Called when the Go runtime is up. */
void pumice_chain_sigurg(void) {
	static int done;
	if (__atomic_exchange_n(&done, 1, __ATOMIC_ACQ_REL))
		return;
	if (!(host.sa_flags & SA_SIGINFO) && (host.sa_handler == SIG_DFL || host.sa_handler == SIG_IGN))
		return;
	struct sigaction now;
	if (sigaction(SIGURG, NULL, &now) || !(now.sa_flags & SA_SIGINFO))
		return;
	if ((host.sa_flags & SA_SIGINFO) && now.sa_sigaction == host.sa_sigaction)
		return; /* the runtime left the host's handler alone */
	runtime = now;
	now.sa_sigaction = both;
	now.sa_flags |= SA_SIGINFO | SA_ONSTACK | SA_RESTART;
	sigaction(SIGURG, &now, NULL);
}

//go:build linux

/* How the Go runtime of this library starts, and why not by itself.

   A Go library starts its runtime in dlopen: it takes over signals, makes threads
   that run the host's handlers on stacks of goroutines, which are too small for
   them, and aborts the process where memory is short. Here dlopen leaves no trace:
   Go's constructor gets as far as asking for its first thread, and goes on when
   pumice_start is called. RATIONALE.md says more. */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "front.h"

enum { SIGNALS = 65, SETXID = 33 /* with which glibc changes the user of all threads */ };

/* Signals that an instruction raises: the thread that runs it gets them, blocked
   or not. Go makes panics of some. */
static int synchronous(int s) {
	return s == SIGSEGV || s == SIGBUS || s == SIGFPE || s == SIGILL || s == SIGTRAP || s == SIGSYS;
}

uint64_t pumice_blocked;     /* the mask during calls into Go, and of its threads */

/* What the kernel does about a signal, in its own words: the C library adds some. */
struct action {
	void (*handler)(int);
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};

static void get_action(int s, struct action *a) { syscall(SYS_rt_sigaction, s, NULL, a, sizeof a->mask); }
static void set_action(int s, const struct action *a) { syscall(SYS_rt_sigaction, s, a, NULL, sizeof a->mask); }

static struct action of_host[SIGNALS], of_go[SIGNALS];
static int taken[SIGNALS]; /* Go's constructor has changed the action */

/* Before Go's constructor, which has no priority. */
__attribute__((constructor(101))) static void remember_host(void) {
	for (int s = 1; s < SIGNALS; s++)
		get_action(s, &of_host[s]);
}

/* The linker puts these in the place of functions that runtime/cgo has or calls. */
extern void __real_x_cgo_sys_thread_create(void *(*)(void *), void *) __attribute__((weak));
void __wrap_x_cgo_sys_thread_create(void *(*go)(void *), void *argument);
extern int __real_pthread_attr_init(pthread_attr_t *) __attribute__((weak));
int __wrap_pthread_attr_init(pthread_attr_t *attributes);

static void *(*go_main)(void *);
static void *go_argument;

/* Go's constructor asks for the thread that its runtime begins on. It has set up
   handlers of signals; the host gets its own back. */
void __wrap_x_cgo_sys_thread_create(void *(*go)(void *), void *argument) {
	go_main = go;
	go_argument = argument;
	for (int s = 1; s < SIGNALS; s++) {
		get_action(s, &of_go[s]);
		taken[s] = s != SETXID && memcmp(&of_go[s], &of_host[s], sizeof of_go[s]) != 0;
		if (taken[s])
			set_action(s, &of_host[s]);
	}
}

/* Go's threads have stacks of 1 MiB, whatever the host allows its own: where
   address space is limited, eight times as much each is too much. */
int __wrap_pthread_attr_init(pthread_attr_t *attributes) {
	int r = __real_pthread_attr_init(attributes);
	return r ? r : pthread_attr_setstacksize(attributes, 1 << 20);
}

extern int __real_pthread_getattr_np(pthread_t, pthread_attr_t *) __attribute__((weak));
int __wrap_pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes);

/* Go asks where the stack of a thread is whenever a call comes from elsewhere: each time, where the host runs on stacks
   of its own making (Wine's main thread, fibers). glibc reads all of /proc/self/maps to tell it of the main thread, and asks for
   the processors of others. The stack of a thread stays where it is while the thread lives; that of the main thread ends where
   RLIMIT_STACK lets it. Other C libraries tell how far it has grown, which does not stay. Only Go's runtime comes here. */
int __wrap_pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes) {
#ifdef __GLIBC__
	static __thread struct {
		char *at; /* NULL before it is known */
		size_t bytes;
		rlim_t limit;
	} stack;
	struct rlimit limit = {0, 0};
	if (!pthread_equal(thread, pthread_self()))
		return __real_pthread_getattr_np(thread, attributes);
	/* We are on the caller's stack. Where it could be that of the main thread below what its limit was, the limit
	   counts. The system keeps 128 MiB for it. */
	const char *here = __builtin_frame_address(0);
	int below = here < stack.at && stack.at - here <= 128 << 20;
	if (stack.at && (!below || (!getrlimit(RLIMIT_STACK, &limit) && stack.limit == limit.rlim_cur)) &&
	    !__real_pthread_attr_init(attributes)) {
		if (!pthread_attr_setstack(attributes, stack.at, stack.bytes))
			return 0;
		pthread_attr_destroy(attributes);
	}
	getrlimit(RLIMIT_STACK, &limit);
	stack.at = NULL;
	stack.limit = limit.rlim_cur;
	int r = __real_pthread_getattr_np(thread, attributes);
	void *at;
	if (!r && !pthread_attr_getstack(attributes, &at, &stack.bytes))
		stack.at = at;
	return r;
#else
	return __real_pthread_getattr_np(thread, attributes);
#endif
}

/* How much later than asked the thread may wake up that watches over Go's scheduler. */
#define WATCHER_SLACK 1000000 /* ns */

extern int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) __attribute__((weak));

#define MOST_TRIES 3000 /* half a minute */

static int before_watcher; /* threads that Go makes up to it, from pumice_start on */

/* The second thread that Go makes, by its first, is the watcher. For ten milliseconds after each
   call of the application it sleeps 20 microseconds at a time, and waking ten thousand times a second is a
   fifth of what a small frame costs. The kernel gives it the slack of the thread that makes it. */
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
	int watcher = __atomic_load_n(&before_watcher, __ATOMIC_RELAXED) > 0 && __atomic_sub_fetch(&before_watcher, 1, __ATOMIC_RELAXED) == 0;
	int slack = 0;
	if (watcher && (slack = prctl(PR_GET_TIMERSLACK)) > 0 && slack < WATCHER_SLACK)
		prctl(PR_SET_TIMERSLACK, (unsigned long)WATCHER_SLACK);
	int r = __real_pthread_create(thread, attributes, run, argument);
	/* Go ends the process where it gets no thread. Those that it needs it has from the start (threads.go); where it wants one
	   more, and the system has none, it waits: limits are shared, and others give threads up. */
	for (int tries = 0; r == EAGAIN && tries < MOST_TRIES; tries++) {
		nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
		r = __real_pthread_create(thread, attributes, run, argument);
	}
	if (slack > 0 && slack < WATCHER_SLACK)
		prctl(PR_SET_TIMERSLACK, (unsigned long)slack);
	return r;
}

/* How many of n threads the system lets the process have at once, besides those that it has. */
static void *pass(void *gate) {
	pthread_mutex_lock(gate);
	pthread_mutex_unlock(gate);
	return NULL;
}

int pumice_spare_threads(int n) {
	enum { MOST = 1100 };
	static pthread_t threads[MOST];
	static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
	pthread_attr_t small;
	int made = 0;
	if (__real_pthread_attr_init(&small))
		return 0;
	pthread_attr_setstacksize(&small, 64 << 10); /* more than the least of any system */
	pthread_mutex_lock(&one);
	pthread_mutex_lock(&gate);
	while (made < n && made < MOST && !__real_pthread_create(&threads[made], &small, pass, &gate))
		made++;
	pthread_mutex_unlock(&gate);
	for (int i = 0; i < made; i++)
		pthread_join(threads[i], NULL);
	pthread_mutex_unlock(&one);
	pthread_attr_destroy(&small);
	return made;
}

/* The library as the linker has laid it out. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

struct range {
	const char *from, *to;
};

static int inside(struct range r, const void *p, size_t bytes) {
	return (const char *)p >= r.from && (const char *)p < r.to && (size_t)(r.to - (const char *)p) >= bytes;
}

/* loaded says that bytes at p are of a part of the library that is mapped to be read
   (PF_R), or to be written, too (PF_R | PF_W). */
static int loaded(const void *p, size_t bytes, uint32_t flags) {
	const char *base = (const char *)&__ehdr_start;
	const ElfW(Phdr) *h = (const ElfW(Phdr) *)(base + __ehdr_start.e_phoff);
	for (int i = 0; i < __ehdr_start.e_phnum; i++) {
		struct range r = {base + h[i].p_vaddr, base + h[i].p_vaddr + (flags & PF_W ? h[i].p_memsz : h[i].p_filesz)};
		if (h[i].p_type == PT_LOAD && (h[i].p_flags & (PF_R | PF_W)) == flags && inside(r, p, bytes))
			return 1;
	}
	return 0;
}

/* written is what of the library is filled from the file and stays writable. */
static struct range written(void) {
	const char *base = (const char *)&__ehdr_start;
	const ElfW(Phdr) *h = (const ElfW(Phdr) *)(base + __ehdr_start.e_phoff);
	struct range data = {base, base};
	for (int i = 0; i < __ehdr_start.e_phnum; i++)
		if (h[i].p_type == PT_LOAD && h[i].p_flags & PF_W)
			data = (struct range){base + h[i].p_vaddr, base + h[i].p_vaddr + h[i].p_filesz};
	for (int i = 0; i < __ehdr_start.e_phnum; i++)
		if (h[i].p_type == PT_GNU_RELRO && inside(data, base + h[i].p_vaddr + h[i].p_memsz, 1))
			data.from = base + h[i].p_vaddr + h[i].p_memsz;
	return data;
}

/* A string of Go. */
struct go_string {
	const char *bytes;
	intptr_t length;
};

/* What looks through all of the library's data touches what the address sanitizer keeps
   free around C's variables, too. */
#define LOOKS_EVERYWHERE __attribute__((no_sanitize_address))

LOOKS_EVERYWHERE static int begins(const struct go_string *s, const char *with) {
	intptr_t n = strlen(with);
	if (s->length < n || s->length > 100 || !loaded(s->bytes, n, PF_R))
		return 0;
	for (intptr_t i = 0; i < n; i++)
		if (s->bytes[i] != with[i])
			return 0;
	return 1;
}

/* An element of runtime.sigtable: what the runtime does about a signal. */
struct go_signal {
	int32_t flags;
	struct go_string name;
};
#define GO_SIG_UNBLOCK 128 /* _SigUnblock: no thread of Go blocks it */

/* The beginning of a runtime.dbgVar: a setting of GODEBUG. */
struct go_setting {
	struct go_string name;
	int32_t *value;
};

/* settle changes two things that the runtime offers no door to. Its threads unblock
   the signals of profilers and children whatever they inherit; here they do not. And
   preemption by SIGURG is off: a host may use that signal, and what runs here for
   long calls functions all the time, where it can be preempted as well. Both are
   found by the names that the runtime gives them. */
LOOKS_EVERYWHERE static void settle(void) {
	struct range data = written();
	for (const char *p = data.from; inside(data, p, sizeof(struct go_setting)); p += sizeof(void *)) {
		struct go_setting *setting = (struct go_setting *)p;
		if (setting->name.length == 15 && begins(&setting->name, "asyncpreemptoff") && loaded(setting->value, 4, PF_R | PF_W))
			*setting->value = 1;
		struct go_signal *table = (struct go_signal *)p;
		if (!inside(data, p, SIGNALS * sizeof *table) || !begins(&table[SIGHUP].name, "SIGHUP:") ||
		    !begins(&table[SIGCHLD].name, "SIGCHLD:") || !begins(&table[SIGPROF].name, "SIGPROF:") ||
		    !(table[SIGPROF].flags & GO_SIG_UNBLOCK))
			continue;
		for (int s = 1; s < SIGNALS; s++)
			if (!synchronous(s) && s != SETXID)
				table[s].flags &= ~GO_SIG_UNBLOCK;
	}
}

/* Go's threads cannot block the signal by which glibc changes the user of all
   threads, so its handler must not run on their stacks. */
static void setxid_aside(void) {
	struct action a;
	get_action(SETXID, &a);
	if (a.handler != SIG_DFL && !(a.flags & SA_ONSTACK)) {
		a.flags |= SA_ONSTACK;
		set_action(SETXID, &a);
	}
}

/* The address space in bytes that must be left for the runtime to start and a device
   to work (room.go says where it goes). */
#define NEEDED (UINT64_C(1392) << 20)

static int enough_room(void) {
	struct rlimit limit;
	if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return 1;
	unsigned long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");
	if (f) {
		if (fscanf(f, "%lu", &pages) != 1)
			pages = 0;
		fclose(f);
	}
	uint64_t used = (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
	return used < limit.rlim_cur && limit.rlim_cur - used >= NEEDED;
}

/* Threads that the runtime may make before it is told how many it needs. */
#define FIRST_THREADS 8

int pumice_running, pumice_forked;

static void forked(void) { pumice_forked = pumice_running; }

__attribute__((constructor)) static void watch_forks(void) { pthread_atfork(NULL, NULL, forked); }

int pumice_start(void) {
	static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
	if (__atomic_load_n(&pumice_running, __ATOMIC_ACQUIRE))
		return 1;
	pthread_mutex_lock(&one);
	int running = pumice_running;
	if (!running && go_main && enough_room() && pumice_spare_threads(FIRST_THREADS) == FIRST_THREADS) {
		pumice_blocked = ~UINT64_C(0) & ~(UINT64_C(1) << (SETXID - 1));
		for (int s = 1; s < SIGNALS; s++)
			if (synchronous(s))
				pumice_blocked &= ~(UINT64_C(1) << (s - 1));
		for (int s = 1; s < SIGNALS; s++) {
			struct action now;
			get_action(s, &now);
			if (taken[s] && synchronous(s) && now.handler == of_host[s].handler)
				set_action(s, &of_go[s]);
		}
		settle();
		struct pumice_crossing c;
		pumice_enter(&c);
		before_watcher = 2;
		__real_x_cgo_sys_thread_create(go_main, go_argument);
		pumiceLookup(0, NULL, "vkCreateInstance"); /* waits for the runtime */
		setxid_aside();
		pumice_leave(&c);
		__atomic_store_n(&pumice_running, running = 1, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&one);
	return running;
}

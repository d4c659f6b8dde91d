/* Windows of programs whose driver is a helper. The helper makes the pictures; threads of this process put them on the screen, one
   for each window, over the connection that the program has. The helper has no socket to a display, and learns of a window but its
   size. Windows are read and written here alone: in shared memory are one picture's place and the window's size. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

#include "../wsi_wayland.h"
#include "../wsi_xcb.h"
#include "link.h"

/* Programs that have windows have threads: their display's library needs them. */
extern __typeof__(pthread_create) pthread_create __attribute__((weak));
extern __typeof__(pthread_join) pthread_join __attribute__((weak));

enum { MOST_EXTENT = 16384 }; /* maxSwapchainExtent of package icd */

struct chain {
	VkDevice device;
	VkSwapchainKHR handle;
};

struct window {
	struct window *next;
	struct link *link;
	struct link_window *shared;
	const void *instance;
	VkSurfaceKHR surface;
	struct pumice_window *x; /* of X11, or */
	struct pumice_wayland *wayland;
	struct chain *chains; /* that show their pictures there */
	uint32_t count, room;
	uint32_t users; /* threads that look at it outside of the lock */
	uint32_t stop, ended;
	pthread_t thread;
};

static struct window *windows;
static uint32_t busy;

static void lock(void) {
	while (__atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE))
		sched_yield();
}
static void unlock(void) { __atomic_store_n(&busy, 0, __ATOMIC_RELEASE); }

static void wake(uint32_t *word) { syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0); }

/* present shows the picture that the helper names, if it lies in shared memory; 0 when the window is gone. */
static int present(struct window *w) {
	const struct link *l = w->link;
	struct link_window *s = w->shared;
	uint64_t at = __atomic_load_n(&s->picture, __ATOMIC_RELAXED), base = (uintptr_t)l->base;
	uint64_t width = s->picture_width, height = s->picture_height, stride = s->stride;
	__atomic_signal_fence(__ATOMIC_ACQ_REL); /* what was read is not read again */
	if (!width || !height || width > MOST_EXTENT || height > MOST_EXTENT || stride < 4 * width || stride % 4 || at < base ||
	    at - base >= l->bytes || stride * (height - 1) + 4 * width > l->bytes - (at - base))
		return 1; /* of no helper of ours: it is left out */
	const uint8_t *pixels = (const uint8_t *)(uintptr_t)at;
	return w->x ? pumice_window_show(w->x, pixels, (uint32_t)width, (uint32_t)height, (uint32_t)stride)
		    : pumice_wayland_show(w->wayland, pixels, (uint32_t)width, (uint32_t)height, (uint32_t)stride);
}

static void *presenter(void *p) {
	struct window *w = p;
	uint32_t *state = &w->shared->state;
	while (!__atomic_load_n(&w->stop, __ATOMIC_ACQUIRE)) {
		uint32_t now = __atomic_load_n(state, __ATOMIC_ACQUIRE);
		if (now != LINK_SHOW) {
			if (!__atomic_load_n(&w->stop, __ATOMIC_ACQUIRE))
				syscall(SYS_futex, state, FUTEX_WAIT, now, NULL, NULL, 0);
			continue;
		}
		if (!present(w))
			__atomic_store_n(&w->shared->there, 0, __ATOMIC_RELEASE);
		if (__atomic_compare_exchange_n(state, &now, LINK_SHOWN, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			wake(state);
	}
	__atomic_store_n(&w->ended, 1, __ATOMIC_RELEASE);
	return NULL;
}

/* start starts the thread, in which no handler of the program's runs. */
static int start(struct window *w) {
	sigset_t all, before;
	sigfillset(&all); /* but those that instructions raise */
	sigdelset(&all, SIGSEGV), sigdelset(&all, SIGBUS), sigdelset(&all, SIGFPE), sigdelset(&all, SIGILL);
	if (!pthread_create || !pthread_join) {
		link_tell("a window takes a thread, and the program has no library for threads that is seen from here", NULL, 0);
		return 0;
	}
	if (sigprocmask(SIG_SETMASK, &all, &before)) /* on Linux, that of the thread */
		return 0;
	int error = pthread_create(&w->thread, NULL, presenter, w);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return !error;
}

/* look writes the window's size where the helper reads it, or a recent one. It is the program's thread that asks: it may hold the
   display's lock. */
static void look(struct window *w, int recent) {
	uint32_t width = UINT32_MAX, height = UINT32_MAX; /* icd.AnyExtent */
	int there = w->x ? pumice_window_extent(w->x, recent, &width, &height) : pumice_wayland_alive(w->wayland);
	__atomic_store_n(&w->shared->width, width, __ATOMIC_RELAXED);
	__atomic_store_n(&w->shared->height, height, __ATOMIC_RELAXED);
	__atomic_store_n(&w->shared->there, there != 0, __ATOMIC_RELEASE);
}

/* finish ends the thread, and gives the window up: the display's side of it only if the program says so, since its connection
   may be gone otherwise. */
static void finish(struct window *w, int close) {
	while (__atomic_load_n(&w->users, __ATOMIC_ACQUIRE))
		sched_yield();
	__atomic_store_n(&w->stop, 1, __ATOMIC_SEQ_CST);
	for (;;) { /* the helper may write there, too: once is not enough */
		__atomic_store_n(&w->shared->state, LINK_CLOSED, __ATOMIC_SEQ_CST);
		syscall(SYS_futex, &w->shared->state, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
		if (__atomic_load_n(&w->ended, __ATOMIC_ACQUIRE))
			break;
		struct timespec t = {0, 200000};
		nanosleep(&t, NULL);
	}
	pthread_join(w->thread, NULL);
	if (close && w->x)
		pumice_window_close(w->x);
	if (close && w->wayland)
		pumice_wayland_close(w->wayland);
	__atomic_store_n(&w->link->windows[w->shared - link_windows(w->link)], 0, __ATOMIC_RELEASE);
	free(w->chains);
	free(w);
}

struct window *window_open(struct link *l, uint32_t op, const void *arguments) {
	struct window *w = calloc(1, sizeof *w);
	int n = 0;
	if (!w)
		return NULL;
	w->link = l;
	if (op == PUMICE_OP_CreateXcbSurfaceKHR) {
		const VkXcbSurfaceCreateInfoKHR *i = ((const struct pumice_CreateXcbSurfaceKHR *)arguments)->pCreateInfo;
		w->x = pumice_xcb_open(i->connection, i->window);
	} else if (op == PUMICE_OP_CreateXlibSurfaceKHR) {
		const VkXlibSurfaceCreateInfoKHR *i = ((const struct pumice_CreateXlibSurfaceKHR *)arguments)->pCreateInfo;
		w->x = pumice_xlib_open(i->dpy, i->window);
	} else {
		const VkWaylandSurfaceCreateInfoKHR *i = ((const struct pumice_CreateWaylandSurfaceKHR *)arguments)->pCreateInfo;
		w->wayland = pumice_wayland_open(i->display, i->surface);
	}
	while ((w->x || w->wayland) && n < LINK_MOST_WINDOWS && __atomic_exchange_n(&l->windows[n], 1, __ATOMIC_ACQUIRE))
		n++;
	if ((!w->x && !w->wayland) || n == LINK_MOST_WINDOWS)
		goto failed;
	w->shared = link_windows(l) + n;
	__atomic_store_n(&w->shared->state, LINK_SHOWN, __ATOMIC_RELAXED);
	look(w, 0);
	w->instance = *(const void *const *)arguments;
	if (start(w))
		return w;
	__atomic_store_n(&l->windows[n], 0, __ATOMIC_RELEASE);
failed:
	if (w->x)
		pumice_window_close(w->x);
	if (w->wayland)
		pumice_wayland_close(w->wayland);
	free(w);
	return NULL;
}

void *window_shared(const struct window *w) { return w->shared; }

void window_opened(struct window *w, VkSurfaceKHR surface) {
	if (!surface) {
		finish(w, 1);
		return;
	}
	w->surface = surface;
	lock();
	w->next = windows;
	windows = w;
	unlock();
}

/* take takes a window out: of a surface, or the next of an instance or link that is given up. */
static struct window *take(const struct link *l, const void *instance, VkSurfaceKHR surface) {
	struct window **at = &windows, *w;
	lock();
	while ((w = *at) && (w->link != l || (instance && w->instance != instance) || (surface && w->surface != surface)))
		at = &w->next;
	if (w)
		*at = w->next;
	unlock();
	return w;
}

int window_close(const struct link *l, VkSurfaceKHR surface) {
	struct window *w = surface ? take(l, NULL, surface) : NULL;
	if (w)
		finish(w, 1);
	return w != NULL;
}

void window_forget(const struct link *l, const void *instance) {
	for (struct window *w; (w = take(l, instance, 0));)
		finish(w, 0);
}

static struct chain *chain_of(const struct window *w, VkDevice device, VkSwapchainKHR handle) {
	for (uint32_t i = 0; i < w->count; i++)
		if (w->chains[i].handle == handle && (!device || w->chains[i].device == device))
			return &w->chains[i];
	return NULL;
}

void window_look(const struct link *l, VkSurfaceKHR surface, VkDevice device, VkSwapchainKHR chain) {
	struct window *found[8];
	int n = 0;
	lock();
	for (struct window *w = windows; w && n < 8; w = w->next)
		if (w->link == l && (surface ? w->surface == surface : chain_of(w, device, chain) != NULL)) {
			__atomic_add_fetch(&w->users, 1, __ATOMIC_ACQ_REL);
			found[n++] = w;
		}
	unlock();
	while (n--) {
		look(found[n], !surface);
		__atomic_sub_fetch(&found[n]->users, 1, __ATOMIC_ACQ_REL);
	}
}

void window_chain(const struct link *l, VkSurfaceKHR surface, VkDevice device, VkSwapchainKHR handle, int add) {
	lock();
	for (struct window *w = windows; w; w = w->next) {
		struct chain *c = w->link == l ? chain_of(w, device, handle) : NULL;
		if (c) /* it goes, or stands for one that has gone with its device */
			*c = w->chains[--w->count];
		if (!add || w->link != l || w->surface != surface)
			continue;
		if (w->count == w->room) {
			uint32_t room = w->room ? 2 * w->room : 4;
			struct chain *chains = realloc(w->chains, room * sizeof *chains);
			if (chains)
				w->chains = chains, w->room = room;
		}
		if (w->count < w->room)
			w->chains[w->count++] = (struct chain){device, handle};
	}
	unlock();
}

//go:build linux

/* libwayland-client is loaded when the first surface is made, never linked. Its
   events come to a queue of our own, so that the application's listeners hear
   nothing of them. The numbers are those of wayland.xml. */
#define _GNU_SOURCE
#include "wsi_wayland.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "wsi.h"

enum { DISPLAY_GET_REGISTRY = 1, REGISTRY_BIND = 0 };
enum { SHM_CREATE_POOL = 0, SHM_POOL_CREATE_BUFFER = 0, SHM_POOL_DESTROY = 1, BUFFER_DESTROY = 0 };
enum { SURFACE_ATTACH = 1, SURFACE_DAMAGE = 2, SURFACE_COMMIT = 6 };
enum { FORMAT_XRGB8888 = 1 };

/* Of struct wl_interface only the beginning matters. */
struct interface {
	const char *name;
	int version;
};

static struct {
	void *(*display_create_queue)(void *);
	void (*event_queue_destroy)(void *);
	int (*display_roundtrip_queue)(void *, void *);
	int (*display_dispatch_queue_pending)(void *, void *);
	int (*display_prepare_read_queue)(void *, void *);
	int (*display_read_events)(void *);
	void (*display_cancel_read)(void *);
	int (*display_flush)(void *);
	int (*display_get_error)(void *);
	int (*display_get_fd)(void *);
	void *(*proxy_create_wrapper)(void *);
	void (*proxy_wrapper_destroy)(void *);
	void (*proxy_set_queue)(void *, void *);
	int (*proxy_add_listener)(void *, void (**)(void), void *);
	void (*proxy_destroy)(void *);
	void (*proxy_marshal)(void *, uint32_t, ...);
	void *(*proxy_marshal_constructor)(void *, uint32_t, const struct interface *, ...);
	void *(*proxy_marshal_constructor_versioned)(void *, uint32_t, const struct interface *, uint32_t, ...);
	const struct interface *registry_interface, *shm_interface, *shm_pool_interface, *buffer_interface;
} wl;

static int have_wayland;

static void load(void) {
	void *lib = pumice_library("libwayland-client.so.0");
	if (!lib)
		return;
#define NEED(name) ((*(void **)&wl.name = dlsym(lib, "wl_" #name)) != NULL)
	have_wayland = NEED(display_create_queue) && NEED(event_queue_destroy) && NEED(display_roundtrip_queue) &&
		       NEED(display_dispatch_queue_pending) && NEED(display_prepare_read_queue) && NEED(display_read_events) &&
		       NEED(display_cancel_read) && NEED(display_flush) && NEED(display_get_error) && NEED(display_get_fd) &&
		       NEED(proxy_create_wrapper) && NEED(proxy_wrapper_destroy) && NEED(proxy_set_queue) &&
		       NEED(proxy_add_listener) && NEED(proxy_destroy) && NEED(proxy_marshal) && NEED(proxy_marshal_constructor) &&
		       NEED(proxy_marshal_constructor_versioned) && NEED(registry_interface) && NEED(shm_interface) &&
		       NEED(shm_pool_interface) && NEED(buffer_interface);
#undef NEED
}

static uint32_t loaded;

/* A picture that the compositor may still read. */
struct picture {
	void *buffer; /* wl_buffer */
	uint8_t *memory;
	size_t bytes;
	uint32_t width, height;
	int busy;
};

enum { PICTURES = 4 };

struct pumice_wayland {
	void *display, *surface; /* the application's */
	void *queue, *shm;
	struct picture pictures[PICTURES];
};

static void global(void *data, void *registry, uint32_t name, const char *interface, uint32_t version) {
	struct pumice_wayland *w = data;
	(void)version;
	if (!w->shm && !strcmp(interface, wl.shm_interface->name))
		w->shm = wl.proxy_marshal_constructor_versioned(registry, REGISTRY_BIND, wl.shm_interface, 1, name, wl.shm_interface->name,
							       (uint32_t)1, NULL);
}

static void global_remove(void *data, void *registry, uint32_t name) { (void)data, (void)registry, (void)name; }

static void (*registry_listener[])(void) = {(void (*)(void))global, (void (*)(void))global_remove};

static void shm_format(void *data, void *shm, uint32_t format) { (void)data, (void)shm, (void)format; }

static void (*shm_listener[])(void) = {(void (*)(void))shm_format}; /* XRGB8888 is always there */

static void released(void *data, void *buffer) {
	(void)buffer;
	((struct picture *)data)->busy = 0;
}

static void (*buffer_listener[])(void) = {(void (*)(void))released};

struct pumice_wayland *pumice_wayland_open(void *display, void *surface) {
	pumice_once(&loaded, load);
	if (!have_wayland || !display || !surface)
		return NULL;
	struct pumice_wayland *w = calloc(1, sizeof *w);
	if (!w)
		return NULL;
	w->display = display;
	w->surface = surface;
	w->queue = wl.display_create_queue(display);
	void *wrapper = w->queue ? wl.proxy_create_wrapper(display) : NULL;
	if (wrapper) {
		wl.proxy_set_queue(wrapper, w->queue);
		void *registry = wl.proxy_marshal_constructor(wrapper, DISPLAY_GET_REGISTRY, wl.registry_interface, NULL);
		wl.proxy_wrapper_destroy(wrapper);
		if (registry) {
			wl.proxy_add_listener(registry, registry_listener, w);
			wl.display_roundtrip_queue(display, w->queue);
			wl.proxy_destroy(registry);
		}
	}
	if (!w->shm) {
		pumice_wayland_close(w);
		return NULL;
	}
	wl.proxy_add_listener(w->shm, shm_listener, w);
	return w;
}

int pumice_wayland_alive(struct pumice_wayland *w) { return wl.display_get_error(w->display) == 0; }

static void drop(struct picture *p) {
	if (p->buffer) {
		wl.proxy_marshal(p->buffer, BUFFER_DESTROY);
		wl.proxy_destroy(p->buffer);
	}
	if (p->memory)
		munmap(p->memory, p->bytes);
	memset(p, 0, sizeof *p);
}

/* make gives a picture its memory; 0 if there is none. */
static int make(struct pumice_wayland *w, struct picture *p, uint32_t width, uint32_t height) {
	drop(p);
	size_t bytes = (size_t)width * height * 4;
	if (bytes > INT32_MAX)
		return 0;
	int fd = pumice_memfd("pumice-surface");
	if (fd < 0)
		return 0;
	void *memory = MAP_FAILED;
	if (ftruncate(fd, (off_t)bytes) == 0)
		memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	void *pool = NULL;
	if (memory != MAP_FAILED)
		pool = wl.proxy_marshal_constructor(w->shm, SHM_CREATE_POOL, wl.shm_pool_interface, NULL, fd, (int32_t)bytes);
	if (pool) {
		p->buffer = wl.proxy_marshal_constructor(pool, SHM_POOL_CREATE_BUFFER, wl.buffer_interface, NULL, (int32_t)0, (int32_t)width,
							 (int32_t)height, (int32_t)(width * 4), (uint32_t)FORMAT_XRGB8888);
		wl.proxy_marshal(pool, SHM_POOL_DESTROY);
		wl.proxy_destroy(pool);
	}
	close(fd);
	if (!p->buffer) {
		if (memory != MAP_FAILED)
			munmap(memory, bytes);
		return 0;
	}
	wl.proxy_add_listener(p->buffer, buffer_listener, p);
	p->memory = memory;
	p->bytes = bytes;
	p->width = width;
	p->height = height;
	return 1;
}

/* hear takes in what the compositor has said, waiting up to timeout milliseconds. */
static void hear(struct pumice_wayland *w, int timeout) {
	while (wl.display_prepare_read_queue(w->display, w->queue) != 0)
		wl.display_dispatch_queue_pending(w->display, w->queue);
	wl.display_flush(w->display);
	struct pollfd p = {.fd = wl.display_get_fd(w->display), .events = POLLIN};
	if (poll(&p, 1, timeout) > 0)
		wl.display_read_events(w->display);
	else
		wl.display_cancel_read(w->display);
	wl.display_dispatch_queue_pending(w->display, w->queue);
}

static struct picture *idle(struct pumice_wayland *w) {
	for (int i = 0; i < PICTURES; i++)
		if (!w->pictures[i].busy)
			return &w->pictures[i];
	return NULL;
}

int pumice_wayland_show(struct pumice_wayland *w, const uint8_t *pixels, uint32_t width, uint32_t height, uint32_t stride) {
	hear(w, 0);
	for (int waits = 0; !idle(w) && waits < 5 && pumice_wayland_alive(w); waits++)
		hear(w, 20);
	if (!pumice_wayland_alive(w))
		return 0;
	struct picture *p = idle(w);
	if (!p)
		return 1; /* nobody looks: the picture is left out */
	if ((p->width != width || p->height != height) && !make(w, p, width, height))
		return 1;
	size_t row = (size_t)width * 4;
	for (uint32_t y = 0; y < height; y++)
		memcpy(p->memory + y * row, pixels + (size_t)y * stride, row);
	p->busy = 1;
	wl.proxy_marshal(w->surface, SURFACE_ATTACH, p->buffer, (int32_t)0, (int32_t)0);
	wl.proxy_marshal(w->surface, SURFACE_DAMAGE, (int32_t)0, (int32_t)0, (int32_t)INT32_MAX, (int32_t)INT32_MAX);
	wl.proxy_marshal(w->surface, SURFACE_COMMIT);
	wl.display_flush(w->display);
	return pumice_wayland_alive(w);
}

void pumice_wayland_close(struct pumice_wayland *w) {
	for (int i = 0; i < PICTURES; i++)
		drop(&w->pictures[i]);
	if (w->shm)
		wl.proxy_destroy(w->shm);
	wl.display_flush(w->display);
	if (w->queue)
		wl.event_queue_destroy(w->queue);
	free(w);
}

//go:build linux

/* libxcb is loaded when the first surface is made, never linked: most programs
   have no window. The declarations below are those of its C interface. */
#define _GNU_SOURCE
#include "wsi_xcb.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "wsi.h"

typedef struct {
	unsigned int sequence;
} cookie;

struct geometry {
	uint8_t response_type, depth;
	uint16_t sequence;
	uint32_t length, root;
	int16_t x, y;
	uint16_t width, height, border_width;
};

struct extension_data {
	uint8_t response_type, pad;
	uint16_t sequence;
	uint32_t length;
	uint8_t present;
};

struct shm_version {
	uint8_t response_type, shared_pixmaps;
	uint16_t sequence;
	uint32_t length;
	uint16_t major, minor;
};

enum { Z_PIXMAP = 2 };

static struct {
	cookie (*get_geometry)(void *, uint32_t);
	struct geometry *(*get_geometry_reply)(void *, cookie, void **);
	uint32_t (*generate_id)(void *);
	cookie (*create_gc)(void *, uint32_t, uint32_t, uint32_t, const void *);
	cookie (*free_gc)(void *, uint32_t);
	cookie (*put_image)(void *, uint8_t, uint32_t, uint32_t, uint16_t, uint16_t, int16_t, int16_t, uint8_t, uint8_t,
			    uint32_t, const uint8_t *);
	int (*flush)(void *);
	uint32_t (*get_maximum_request_length)(void *);
	void *(*request_check)(void *, cookie);
	const struct extension_data *(*get_extension_data)(void *, void *);
	/* libxcb-shm; NULL where it is missing */
	void *shm_id;
	cookie (*shm_query_version)(void *);
	struct shm_version *(*shm_query_version_reply)(void *, cookie, void **);
	cookie (*shm_attach_fd_checked)(void *, uint32_t, int32_t, uint8_t);
	cookie (*shm_detach)(void *, uint32_t);
	cookie (*shm_put_image_checked)(void *, uint32_t, uint32_t, uint16_t, uint16_t, uint16_t, uint16_t, uint16_t,
					uint16_t, int16_t, int16_t, uint8_t, uint8_t, uint8_t, uint32_t, uint32_t);
	/* libX11-xcb */
	void *(*XGetXCBConnection)(void *);
} x;

static int have_xcb, have_shm;

static void load(void) {
	void *xcb = pumice_library("libxcb.so.1");
	if (!xcb)
		return;
#define NEED(lib, prefix, name) ((*(void **)&x.name = dlsym(lib, prefix #name)) != NULL)
	have_xcb = NEED(xcb, "xcb_", get_geometry) && NEED(xcb, "xcb_", get_geometry_reply) &&
		   NEED(xcb, "xcb_", generate_id) && NEED(xcb, "xcb_", create_gc) && NEED(xcb, "xcb_", free_gc) &&
		   NEED(xcb, "xcb_", put_image) && NEED(xcb, "xcb_", flush) &&
		   NEED(xcb, "xcb_", get_maximum_request_length) && NEED(xcb, "xcb_", request_check) &&
		   NEED(xcb, "xcb_", get_extension_data);
	void *shm = pumice_library("libxcb-shm.so.0");
	have_shm = have_xcb && shm && NEED(shm, "xcb_", shm_id) && NEED(shm, "xcb_", shm_query_version) &&
		   NEED(shm, "xcb_", shm_query_version_reply) && NEED(shm, "xcb_", shm_attach_fd_checked) &&
		   NEED(shm, "xcb_", shm_detach) && NEED(shm, "xcb_", shm_put_image_checked);
	void *xlib = pumice_library("libX11-xcb.so.1");
	if (xlib)
		(void)NEED(xlib, "", XGetXCBConnection);
#undef NEED
}

static uint32_t loaded;

struct pumice_window {
	void *connection;
	uint32_t window, gc;
	int shared; /* the server takes shared memory */
	uint32_t segment;
	uint8_t *memory; /* of the segment */
	size_t bytes;
	uint8_t depth;
	uint64_t extent, looked; /* width and height at a time in milliseconds; 0: never */
};

/* RECENT is for how many milliseconds an extent is. */
enum { RECENT = 50 };

/* shares says whether the server attaches memory by file descriptor. */
static int shares(void *connection) {
	if (!have_shm)
		return 0;
	const struct extension_data *e = x.get_extension_data(connection, x.shm_id);
	if (!e || !e->present)
		return 0;
	struct shm_version *v = x.shm_query_version_reply(connection, x.shm_query_version(connection), NULL);
	int ok = v && (v->major > 1 || (v->major == 1 && v->minor >= 2));
	free(v);
	return ok;
}

struct pumice_window *pumice_xcb_open(void *connection, uint32_t window) {
	pumice_once(&loaded, load);
	if (!have_xcb || !connection)
		return NULL;
	struct pumice_window *w = calloc(1, sizeof *w);
	if (!w)
		return NULL;
	w->connection = connection;
	w->window = window;
	w->shared = shares(connection);
	return w;
}

struct pumice_window *pumice_xlib_open(void *display, uint64_t window) {
	pumice_once(&loaded, load);
	if (!x.XGetXCBConnection || !display)
		return NULL;
	return pumice_xcb_open(x.XGetXCBConnection(display), (uint32_t)window);
}

static uint64_t milliseconds(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* look asks the server for the window's size, behind all that was asked of it before, and returns the depth; 0 when it is gone. */
static uint8_t look(struct pumice_window *w) {
	struct geometry *g = x.get_geometry_reply(w->connection, x.get_geometry(w->connection, w->window), NULL);
	if (!g)
		return 0;
	uint8_t depth = g->depth;
	__atomic_store_n(&w->extent, (uint64_t)g->width << 32 | g->height, __ATOMIC_RELAXED);
	__atomic_store_n(&w->looked, milliseconds(), __ATOMIC_RELEASE);
	free(g);
	return depth;
}

int pumice_window_extent(struct pumice_window *w, int recent, uint32_t *width, uint32_t *height) {
	uint64_t looked = __atomic_load_n(&w->looked, __ATOMIC_ACQUIRE);
	if ((!recent || !looked || milliseconds() - looked > RECENT) && !look(w))
		return 0;
	uint64_t extent = __atomic_load_n(&w->extent, __ATOMIC_RELAXED);
	*width = (uint32_t)(extent >> 32);
	*height = (uint32_t)extent;
	return 1;
}

static void drop_segment(struct pumice_window *w) {
	if (!w->memory)
		return;
	x.shm_detach(w->connection, w->segment);
	munmap(w->memory, w->bytes);
	w->memory = NULL;
}

uint32_t pumice_window_share(struct pumice_window *w, int fd) {
	if (!w->shared) {
		close(fd);
		return 0;
	}
	uint32_t segment = x.generate_id(w->connection);
	void *error = x.request_check(w->connection, x.shm_attach_fd_checked(w->connection, segment, fd, 1)); /* closes fd */
	w->shared = !error;
	free(error);
	return w->shared ? segment : 0;
}

void pumice_window_unshare(struct pumice_window *w, uint32_t segment) {
	x.shm_detach(w->connection, segment);
	x.flush(w->connection);
}

/* share makes a segment of at least bytes; without one, pictures go through the
   connection. */
static void share(struct pumice_window *w, size_t bytes) {
	if (!w->shared || (w->memory && w->bytes >= bytes))
		return;
	drop_segment(w);
	void *p = MAP_FAILED;
	int fd = pumice_memfd("pumice-window");
	if (fd < 0) {
		w->shared = 0;
		return;
	}
	if (ftruncate(fd, (off_t)bytes) == 0)
		p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED) {
		w->shared = 0;
		close(fd);
		return;
	}
	w->segment = pumice_window_share(w, fd);
	if (!w->segment) {
		munmap(p, bytes);
		return;
	}
	w->memory = p;
	w->bytes = bytes;
}

/* ready makes what pictures are put with; 0 when the window is gone. */
static int ready(struct pumice_window *w) {
	if (!w->gc) {
		if (!(w->depth = look(w)))
			return 0;
		w->gc = x.generate_id(w->connection);
		x.create_gc(w->connection, w->gc, w->window, 0, NULL);
	}
	return 1;
}

/* put puts a segment's rows of total texels on the window. The server has read the memory when it says what becomes of the window;
   the program is not told of an error. */
static int put(struct pumice_window *w, uint32_t segment, uint32_t total, uint32_t width, uint32_t height) {
	cookie image = x.shm_put_image_checked(w->connection, w->window, w->gc, (uint16_t)total, (uint16_t)height, 0, 0, (uint16_t)width,
					       (uint16_t)height, 0, 0, w->depth, Z_PIXMAP, 0, segment, 0);
	int there = look(w);
	free(x.request_check(w->connection, image)); /* the answer is there */
	return there != 0;
}

int pumice_window_show_shared(struct pumice_window *w, uint32_t segment, uint32_t width, uint32_t height, uint32_t stride) {
	return ready(w) && put(w, segment, stride / 4, width, height);
}

int pumice_window_show(struct pumice_window *w, const uint8_t *pixels, uint32_t width, uint32_t height, uint32_t stride) {
	if (!ready(w))
		return 0;
	size_t row = (size_t)width * 4;
	share(w, row * height);
	if (w->memory) {
		for (uint32_t y = 0; y < height; y++)
			memcpy(w->memory + y * row, pixels + (size_t)y * stride, row);
		return put(w, w->segment, width, width, height);
	}
	if (!look(w)) /* an error would be the program's */
		return 0;
	for (uint32_t y = 0; y < height; y++) /* a row always fits into a request */
		x.put_image(w->connection, Z_PIXMAP, w->window, w->gc, (uint16_t)width, 1, 0, (int16_t)y, 0, w->depth,
			    (uint32_t)row, pixels + (size_t)y * stride);
	x.flush(w->connection);
	return 1;
}

void pumice_window_close(struct pumice_window *w) {
	drop_segment(w);
	if (w->gc)
		x.free_gc(w->connection, w->gc);
	x.flush(w->connection);
	free(w);
}

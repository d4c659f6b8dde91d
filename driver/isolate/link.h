/* A front without Go: it hands every call to a helper process (pumice-driver), over memory that both have mapped at the
   same place. It needs of the C library what POSIX has, and no version of anything. */
#ifndef PUMICE_LINK_H
#define PUMICE_LINK_H

#include "../front.h"
#include "ops_gen.h"

/* linux/futex.h, which not every C library's compiler finds. */
enum { FUTEX_WAIT = 0, FUTEX_WAKE = 1, FUTEX_WAIT_BITSET = 9 };
#define FUTEX_BITSET_MATCH_ANY 0xffffffffu

/* How long a helper may say nothing, and a call take longer than it has to, in ns; tests wait less. */
#ifndef LINK_SILENCE
#define LINK_SILENCE INT64_C(30000000000)
#endif

/* Where a thread and the helper hand messages to each other; package helper has the same structs and numbers. */
enum { LINK_CONTROL = 8192, LINK_MOST_SLOTS = 64, LINK_WINDOWS = 4096, LINK_MOST_WINDOWS = 63 };
enum { LINK_FREE, LINK_REQUEST, LINK_REPLY };
struct link_slot {
	uint32_t state, host_sleeps, helper_sleeps, op;
	uint64_t size, mail;
	uint8_t none[32];
};
_Static_assert(sizeof(struct link_slot) == 64, "helper.slot");

/* A window, from LINK_WINDOWS on: what a thread of the host and the helper tell each other of it. */
enum { LINK_SHOWN, LINK_SHOW, LINK_CLOSED };
struct link_window {
	uint32_t state;
	uint32_t width, height, there; /* as the host has seen it last */
	uint64_t picture;	       /* where in shared memory: rows of B8G8R8A8 texels */
	uint32_t picture_width, picture_height, stride;
	uint8_t none[28];
};
_Static_assert(sizeof(struct link_window) == 64, "helper.windowRecord");

/* On the socket a byte is the number of a slot to be served, or this: the helper answers it by counting in link_pulse, so that
   one that stands still is told from one that works. */
enum { LINK_PULSE = 0xff };
/* And a slot and this, with a descriptor, is for the message of that slot. */
enum { LINK_FILE = 0x40 };

enum { LINK_LOOKUP = 0x80000000u, LINK_GROW, LINK_TEMPLATE, LINK_TEXELS };
struct link_lookup {
	uint32_t scope, none;
	uint64_t object;
	uint8_t there[128]; /* a bit for each name of names_gen.h */
};
struct link_grow {
	uint64_t stream, bytes;
	uint32_t copies, none;
	uint64_t at;
};
struct link_template {
	uint64_t object, template, bytes; /* of a device or a command buffer */
};
struct link_texels {
	uint64_t device, image;
	VkBufferImageCopy region;
	uint64_t bytes;
};
struct link_item {
	uint32_t bytes, kind;
	uint64_t function, user, a, b, c, d, e, f;
	uint32_t first, second;
};
enum { LINK_MESSAGE, LINK_REPORT, LINK_MEMORY };

/* What a call brings back, and where to: memory of this process alone, which the helper cannot change. */
struct link_out {
	void *to;
	const uint8_t *from;
	uint64_t bytes; /* of plain bytes, or */
	uint64_t count; /* structs of a type */
	int type;	/* -1: plain, -2: handles */
};

/* A slot as this process sees it. */
struct link_use {
	uint32_t taken, served;
	struct link_out *outs;
	uint32_t count, room;
	/* Of the message that is made: bytes of what a descriptor update template describes, and of the texels of each region. */
	uint64_t data;
	const uint64_t *texels;
};

/* A helper, and what is shared with it. */
struct link {
	struct link *next;
	uint8_t *base; /* NULL once nothing is mapped any more */
	uint64_t bytes, message;
	int slots, socket;
	uint32_t dead, instances;
	struct link_use uses[LINK_MOST_SLOTS];
	uint32_t windows[LINK_MOST_WINDOWS]; /* which are taken */
	uint32_t looking, asked, pulse;	     /* of one thread at a time: responds in link.c */
	int64_t looked, asked_at, silent;
	uint32_t files; /* held by who waits for a descriptor */
};
static inline struct link_window *link_windows(const struct link *l) { return (struct link_window *)(l->base + LINK_WINDOWS); }

static inline uint32_t *link_pulse(const struct link *l) { return (uint32_t *)(l->base + LINK_CONTROL - 64); }

/* The link of an object, NULL for none. */
struct link *link_of(const void *object);
/* The link for what is made anew: a helper is started where none lives. NULL if that fails, which has been told. */
struct link *link_current(void);
/* Whether the helper lives, and does not stand still: LINK_SILENCE ns without an answer make it as good as dead. */
int link_alive(struct link *l);
/* An instance more or less: of a helper that has died, memory goes with the last one. */
void link_hold(struct link *l);
void link_drop(struct link *l);

/* A call: take a slot, fill message, ask, read, give. take returns -1 where the helper is dead. */
int link_take(struct link *l);
void link_give(struct link *l, int slot);
static inline uint8_t *link_message(struct link *l, int slot) { return l->base + LINK_CONTROL + (uint64_t)slot * l->message; }
static inline struct link_slot *link_at(struct link *l, int slot) { return (struct link_slot *)l->base + slot; }
/* 0 if the helper has died. */
int link_ask(struct link *l, int slot, uint32_t op, uint64_t size);

/* A variable of the environment; NULL in a process with more rights than who started it. */
const char *link_trusted(const char *name);

/* Writes a line to standard error. */
void link_tell(const char *what, const char *more, int error);

/* wire.c: the arguments of a command as a message; its size, 0 if they are too long. And what comes back. */
uint64_t wire_send(struct link *l, int slot, uint32_t op, const void *arguments);
void wire_receive(struct link *l, int slot, uint32_t op, void *arguments);
/* Of a command whose helper is dead: what comes back is zeros. */
void wire_nothing(struct link *l, int slot);
/* A copy of a command's arguments, with all that their pointers lead to, in one piece that the caller frees. */
void *wire_copy(uint32_t op, const void *arguments);
/* Where in a command's arguments its VkResult stands, or -1. */
int wire_result(uint32_t op);

/* revive.c: what is noted of a new instance, and forgotten with it; and who stands for an instance or a physical device whose
   helper has died, NULL if nobody does. A successor is made with REVIVE_QUIETLY in the number of the command. */
#define REVIVE_QUIETLY 0x40000000u
void revive_note(const struct pumice_CreateInstance *a);
void revive_forget(const void *instance);
const void *revive(const void *object);

/* windows.c: the window that a vkCreate*SurfaceKHR names, NULL if it cannot be opened; then the surface that it got, 0 for none. */
struct window;
struct window *window_open(struct link *l, uint32_t op, const void *arguments);
void window_opened(struct window *w, VkSurfaceKHR surface);
/* What the helper is told instead of the display's connection. */
void *window_shared(const struct window *w);
/* 0 if the surface has none. */
int window_close(const struct link *l, VkSurfaceKHR surface);
/* Those of an instance, whose display may be gone. */
void window_forget(const struct link *l, const void *instance);
/* A swapchain of a surface comes or goes. */
void window_chain(const struct link *l, VkSurfaceKHR surface, VkDevice device, VkSwapchainKHR chain, int add);
/* Has the helper see the size of a surface's window, or of those of a swapchain of a device, or of any device (NULL). */
void window_look(const struct link *l, VkSurfaceKHR surface, VkDevice device, VkSwapchainKHR chain);

/* files.c: sends a descriptor for the message of a slot; 0 if it is none that a helper may have. */
int files_send(struct link *l, int slot, int fd);
/* Surround a call that returns a descriptor, if it is expected; -1 if none has come. The caller closes it. */
void files_begin(struct link *l);
int files_end(struct link *l, int expected);
/* Where memory that other processes share is mapped for the program; NULL if it cannot be. And what becomes of that when the memory,
   or the device (memory 0), is given back. */
void *files_map(struct link *l, VkDevice device, VkDeviceMemory memory, uint64_t offset);
void files_unmap(const struct link *l, VkDevice device, VkDeviceMemory memory);

#endif

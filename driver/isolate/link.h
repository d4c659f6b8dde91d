/* A front without Go: it hands every call to a helper process (pumice-driver), over memory that both have mapped at the
   same place. It needs of the C library what POSIX has, and no version of anything. */
#ifndef PUMICE_LINK_H
#define PUMICE_LINK_H

#include "../front.h"
#include "ops_gen.h"

/* linux/futex.h, which not every C library's compiler finds. */
enum { FUTEX_WAIT = 0, FUTEX_WAKE = 1, FUTEX_WAIT_BITSET = 9 };
#define FUTEX_BITSET_MATCH_ANY 0xffffffffu

/* Where a thread and the helper hand messages to each other; package helper has the same structs and numbers. */
enum { LINK_CONTROL = 4096, LINK_MOST_SLOTS = 64 };
enum { LINK_FREE, LINK_REQUEST, LINK_REPLY };
struct link_slot {
	uint32_t state, host_sleeps, helper_sleeps, op;
	uint64_t size, mail;
	uint8_t none[32];
};
_Static_assert(sizeof(struct link_slot) == 64, "helper.slot");

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
};

/* The link of an object, NULL for none. */
struct link *link_of(const void *object);
/* The link for what is made anew: a helper is started where none lives. NULL if that fails, which has been told. */
struct link *link_current(void);
/* Whether the helper lives. */
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

#endif

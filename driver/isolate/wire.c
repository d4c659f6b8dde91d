/* Messages: the arguments of a command and all that their pointers lead to, one behind the other in the order in which they
   are come to; package wire checks them in that order. Nothing that is in a message is read here before the reply. */
#include <stdlib.h>

#include "link.h"

struct wire_type {
	uint32_t size, first;
	uint16_t count;
	int32_t s_type;
};
struct wire_field {
	int32_t value;
	uint16_t offset, arg, at, via, if_at, stride, count;
	uint8_t kind, out, length, divide, condition;
};
struct wire_chained {
	int32_t s_type;
	uint16_t type;
};
struct wire_result {
	int16_t at;
	uint8_t bytes, code;
};
#include "wire_gen.h"

enum { BYTES, STRUCT, TEXT, TEXTS, INLINE, CHAIN, DROP, FILE_DESCRIPTOR, HANDLE, HANDLES, DATA, TEXELS, WAIT };
enum { ONE, U32, U64, TO32, TO64, VIA32 };
enum { ALWAYS, IF_IS, IF_IMAGE, IF_BUFFER, IF_TEXEL };
enum { MOST_CHAIN = 256, HANDLES_OUT = -2 };

struct message {
	uint8_t *base;
	uint64_t at, room;
	struct link_use *use;
	int full;
};

static void *put(struct message *m, const void *from, uint64_t bytes) {
	if (m->full || bytes > m->room || m->at > m->room - bytes) {
		m->full = 1;
		return NULL;
	}
	uint8_t *p = m->base + m->at;
	memcpy(p, from, bytes);
	m->at = (m->at + bytes + 7) & ~UINT64_C(7);
	return p;
}

static void note(struct message *m, void *to, const void *from, uint64_t bytes, uint64_t count, int type) {
	struct link_use *u = m->use;
	if (u->count == u->room) {
		uint32_t room = u->room ? 2 * u->room : 16;
		struct link_out *outs = realloc(u->outs, room * sizeof *outs);
		if (!outs) {
			m->full = 1;
			return;
		}
		u->outs = outs, u->room = room;
	}
	u->outs[u->count++] = (struct link_out){to, from, bytes, count, type};
}

static uint32_t word(const uint8_t *p) {
	uint32_t v;
	memcpy(&v, p, sizeof v);
	return v;
}
static uint64_t double_word(const uint8_t *p) {
	uint64_t v;
	memcpy(&v, p, sizeof v);
	return v;
}
static const uint8_t *pointer(const uint8_t *p) { return (const uint8_t *)(uintptr_t)double_word(p); }

static int holds(const struct wire_field *f, const uint8_t *from) {
	VkDescriptorType t = (VkDescriptorType)word(from + f->if_at);
	switch (f->condition) {
	case IF_IS:
		return (int32_t)t == f->value;
	case IF_IMAGE:
		return pumice_is_image_descriptor(t);
	case IF_BUFFER:
		return pumice_is_buffer_descriptor(t);
	case IF_TEXEL:
		return pumice_is_texel_descriptor(t);
	}
	return 1;
}

static uint64_t length(const struct wire_field *f, const uint8_t *from) {
	uint64_t n = f->count;
	const uint8_t *p = f->length >= TO32 ? pointer(from + f->at) : from + f->at;
	switch (f->length) {
	case U32:
	case TO32:
	case VIA32:
		n = p ? word(p + f->via) : 0;
		break;
	case U64:
	case TO64:
		n = p ? double_word(p) : 0;
		break;
	}
	return f->divide == 4 ? n / 4 : f->divide == 32 ? (n + 31) / 32 : n;
}

static const struct wire_type *chained(int32_t s_type) {
	size_t low = 0, high = sizeof wire_chained / sizeof *wire_chained;
	while (low < high) {
		size_t mid = (low + high) / 2;
		if (wire_chained[mid].s_type < s_type)
			low = mid + 1;
		else
			high = mid;
	}
	return low < sizeof wire_chained / sizeof *wire_chained && wire_chained[low].s_type == s_type ? &wire_types[wire_chained[low].type] : NULL;
}

static void fields(struct message *m, const struct wire_type *t, uint8_t *to, const uint8_t *from, int chain, int out);

static void set(uint8_t *to, const void *p) { memcpy(to, &p, sizeof p); }

static void chain_of(struct message *m, uint8_t *to, const uint8_t *from, int out) {
	set(to, NULL);
	for (int n = 0; from && n < MOST_CHAIN; n++, from = pointer(from + 8)) {
		const struct wire_type *t = chained((int32_t)word(from));
		uint8_t *p = t ? put(m, from, t->size) : NULL;
		if (m->full)
			return;
		if (!p) /* of an extension that is not known */
			continue;
		set(p + 8, NULL);
		set(to, p);
		to = p + 8;
		if (out)
			note(m, (void *)from, p, 0, 1, (int)(t - wire_types));
		fields(m, t, p, from, 0, out);
	}
}

static void field(struct message *m, const struct wire_field *f, uint8_t *to, const uint8_t *from, int out) {
	const uint8_t *host = f->kind == FILE_DESCRIPTOR ? NULL : pointer(from + f->offset);
	uint64_t n;
	uint8_t *p;
	if (!holds(f, from)) {
		if (f->condition != IF_IS)
			set(to + f->offset, NULL);
		return;
	}
	switch (f->kind) {
	case FILE_DESCRIPTOR:
	case HANDLE:
		return;
	case DROP:
		set(to + f->offset, NULL);
		return;
	case INLINE:
		for (n = 0; n < f->count; n++)
			fields(m, &wire_types[f->arg], to + f->offset + n * wire_types[f->arg].size, from + f->offset + n * wire_types[f->arg].size, 1, out);
		return;
	}
	if (!host)
		return;
	switch (f->kind) {
	case CHAIN:
		chain_of(m, to + f->offset, host, out);
		return;
	case TEXT:
		set(to + f->offset, put(m, host, strlen((const char *)host) + 1));
		return;
	case TEXELS:
		n = *m->use->texels++;
		put(m, &n, sizeof n);
		set(to + f->offset, p = put(m, host, n));
		if (f->out && p)
			note(m, (void *)host, p, n, 0, -1);
		return;
	case DATA:
		set(to + f->offset, put(m, host, m->use->data));
		return;
	}
	n = length(f, from);
	if (n > UINT64_C(1) << 40) {
		m->full = 1;
		return;
	}
	uint64_t size = f->kind == STRUCT ? wire_types[f->arg].size : f->kind == BYTES || f->kind == WAIT ? f->arg : 8;
	uint64_t bytes = f->stride && n ? (n - 1) * word(from + f->stride) + size : n * size;
	set(to + f->offset, p = put(m, host, bytes));
	if (!p)
		return;
	if (f->out)
		note(m, (void *)host, p, bytes, n, f->kind == STRUCT ? f->arg : f->kind == HANDLES ? HANDLES_OUT : -1);
	for (uint64_t i = 0; i < n && !m->full; i++) {
		if (f->kind == STRUCT)
			fields(m, &wire_types[f->arg], p + i * size, host + i * size, 1, f->out);
		else if (f->kind == TEXTS && pointer(host + i * 8))
			set(p + i * 8, put(m, pointer(host + i * 8), strlen((const char *)pointer(host + i * 8)) + 1));
		else if (f->kind != TEXTS)
			break;
	}
}

static void fields(struct message *m, const struct wire_type *t, uint8_t *to, const uint8_t *from, int chain, int out) {
	for (uint32_t i = 0; i < t->count && !m->full; i++) {
		const struct wire_field *f = &wire_fields[t->first + i];
		if (f->kind != CHAIN || chain)
			field(m, f, to, from, out);
	}
}

uint64_t wire_send(struct link *l, int slot, uint32_t op, const void *arguments) {
	const struct wire_type *t = &wire_types[wire_of_ops[op]];
	struct message m = {.base = link_message(l, slot), .room = l->message, .use = &l->uses[slot]};
	m.use->count = 0;
	uint8_t *to = put(&m, arguments, t->size);
	fields(&m, t, to, arguments, 1, 0);
	return m.full ? 0 : m.at;
}

void *wire_copy(uint32_t op, const void *arguments) {
	const struct wire_type *t = &wire_types[wire_of_ops[op]];
	for (uint64_t room = 4096; room <= 1 << 26; room *= 4) {
		struct link_use use = {0};
		struct message m = {.base = malloc(room), .room = room, .use = &use};
		if (!m.base)
			return NULL;
		uint8_t *to = put(&m, arguments, t->size);
		fields(&m, t, to, arguments, 1, 0);
		free(use.outs);
		if (!m.full)
			return m.base;
		free(m.base);
	}
	return NULL;
}

/* The loader writes to what handles lead to: they lead to shared memory, or nowhere, whatever has become of the helper. */
static void bring_handles(const struct link *l, uint8_t *to, const uint8_t *from, uint64_t count) {
	for (uint64_t i = 0; i < count; i++) {
		const uint8_t *h = pointer(from + 8 * i);
		if (h && (h < l->base || h >= l->base + l->bytes - 256 || (uintptr_t)h % 8))
			h = NULL;
		set(to + 8 * i, h);
	}
}

/* bring copies a struct back, but for its pointers, which are this process' own. */
static void bring(const struct link *l, const struct wire_type *t, uint8_t *to, const uint8_t *from) {
	uint32_t at = 0;
	for (uint32_t i = 0; i < t->count; i++) {
		const struct wire_field *f = &wire_fields[t->first + i];
		if (f->offset < at) /* another member of a union */
			continue;
		memcpy(to + at, from + at, f->offset - at);
		at = f->offset + (f->kind == FILE_DESCRIPTOR ? 4 : 8 * (f->kind == HANDLE ? f->count : 1));
		if (f->kind == HANDLE)
			bring_handles(l, to + f->offset, from + f->offset, f->count);
		if (f->kind == INLINE) {
			const struct wire_type *in = &wire_types[f->arg];
			for (uint32_t n = 0; n < f->count; n++)
				bring(l, in, to + f->offset + n * in->size, from + f->offset + n * in->size);
			at = f->offset + f->count * in->size;
		}
	}
	memcpy(to + at, from + at, t->size - at);
}

void wire_receive(struct link *l, int slot, uint32_t op, void *arguments) {
	struct link_use *u = &l->uses[slot];
	const struct wire_result *r = &wire_results[op];
	if (r->at >= 0) /* the rest is the program's, which may make the same call again */
		memcpy((uint8_t *)arguments + r->at, link_message(l, slot) + r->at, r->bytes);
	for (uint32_t i = 0; i < u->count; i++) {
		struct link_out *o = &u->outs[i];
		if (o->type == HANDLES_OUT) {
			bring_handles(l, o->to, o->from, o->count);
			continue;
		}
		if (o->type < 0) {
			memcpy(o->to, o->from, o->bytes);
			continue;
		}
		const struct wire_type *t = &wire_types[o->type];
		for (uint64_t n = 0; n < o->count; n++)
			bring(l, t, (uint8_t *)o->to + n * t->size, o->from + n * t->size);
	}
}

void wire_nothing(struct link *l, int slot) {
	struct link_use *u = &l->uses[slot];
	for (uint32_t i = 0; i < u->count; i++)
		if (u->outs[i].type < 0)
			memset(u->outs[i].to, 0, u->outs[i].bytes);
}

int wire_result(uint32_t op) { return wire_results[op].code ? wire_results[op].at : -1; }

/* Descriptors of memory, semaphores and fences that other processes share. They go to the helper and come from it on the socket. And
   memory of that kind where the program has mapped it: it is a file of its own, which this process maps where it likes. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "link.h"

#ifndef F_GET_SEALS
#define F_GET_SEALS 1034
#endif
enum { SEALS = 1 | 2 | 4 }; /* F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW: package memory sets them, and nothing takes pages away */

static uint32_t busy;

static void lock(uint32_t *l) {
	while (__atomic_exchange_n(l, 1, __ATOMIC_ACQUIRE))
		sched_yield();
}
static void unlock(uint32_t *l) { __atomic_store_n(l, 0, __ATOMIC_RELEASE); }

/* The kernel's structs: those of C libraries differ in what they leave unused. */
struct packet {
	struct {
		void *name;
		uint64_t name_bytes;
		struct part {
			void *base;
			uint64_t bytes;
		} *data;
		uint64_t count;
		void *more;
		uint64_t more_bytes;
		uint64_t flags;
	} header;
	struct part data;
	struct {
		uint64_t bytes;
		int level, type;
		int fds[8];
	} rights;
	uint8_t byte;
};
enum { RIGHTS_HEAD = 16 };

static void prepare(struct packet *p, uint64_t more) {
	memset(p, 0, sizeof *p);
	p->data = (struct part){&p->byte, 1};
	p->header.data = &p->data;
	p->header.count = 1;
	p->header.more = &p->rights;
	p->header.more_bytes = more;
}

int files_send(struct link *l, int slot, int fd) {
	struct packet p;
	struct stat s;
	/* What a helper may hold: files of memory, and what becomes readable. Nothing that leads anywhere else. */
	if (fstat(fd, &s) || S_ISSOCK(s.st_mode) || S_ISDIR(s.st_mode) || S_ISCHR(s.st_mode) || S_ISBLK(s.st_mode))
		return 0;
	prepare(&p, RIGHTS_HEAD + 8);
	p.byte = (uint8_t)(LINK_FILE + slot);
	p.rights.bytes = RIGHTS_HEAD + sizeof fd;
	p.rights.level = SOL_SOCKET;
	p.rights.type = SCM_RIGHTS;
	p.rights.fds[0] = fd;
	long n;
	while ((n = syscall(SYS_sendmsg, l->socket, &p.header, MSG_NOSIGNAL)) < 0 && errno == EINTR)
		;
	return n == 1;
}

/* receive returns the descriptor of the next byte in the socket, -1 if it has none, -2 if there is no byte. Of several it closes
   all but the first. */
static int receive(struct link *l) {
	struct packet p;
	prepare(&p, sizeof p.rights);
	if (syscall(SYS_recvmsg, l->socket, &p.header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) != 1)
		return -2;
	if (p.header.more_bytes < RIGHTS_HEAD || p.rights.level != SOL_SOCKET || p.rights.type != SCM_RIGHTS || p.rights.bytes < RIGHTS_HEAD)
		return -1;
	int fd = -1;
	for (uint64_t i = 0; i < (p.rights.bytes - RIGHTS_HEAD) / sizeof(int) && i < 8; i++) {
		if (fd < 0)
			fd = p.rights.fds[i];
		else
			close(p.rights.fds[i]);
	}
	return fd;
}

void files_begin(struct link *l) {
	int fd;
	lock(&l->files);
	while ((fd = receive(l)) != -2) /* what nobody has asked for */
		if (fd >= 0)
			close(fd);
}

int files_end(struct link *l, int expected) {
	int fd = expected ? receive(l) : -1;
	unlock(&l->files);
	return fd < 0 ? -1 : fd;
}

/* Memory that is mapped. */
struct mapping {
	struct mapping *next;
	const struct link *link;
	VkDevice device;
	VkDeviceMemory memory;
	uint8_t *at;
	uint64_t bytes;
};

static struct mapping *mappings;

static struct mapping *find(const struct link *l, VkDevice device, VkDeviceMemory memory) {
	struct mapping *m = mappings;
	while (m && (m->link != l || m->device != device || m->memory != memory))
		m = m->next;
	return m;
}

void *files_map(struct link *l, VkDevice device, VkDeviceMemory memory, uint64_t offset) {
	lock(&busy);
	struct mapping *m = find(l, device, memory);
	unlock(&busy);
	if (!m) { /* the program has no other thread map this memory meanwhile */
		int fd = -1;
		struct stat s;
		VkMemoryGetFdInfoKHR i = {.sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR, .memory = memory, .handleType = 1 /* VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT */};
		struct pumice_GetMemoryFdKHR a = {.device = device, .pGetFdInfo = &i, .pFd = &fd, .ret = VK_ERROR_DEVICE_LOST};
		pumiceCall(PUMICE_OP_GetMemoryFdKHR, &a);
		if (a.ret != VK_SUCCESS || fd < 0)
			return NULL;
		m = calloc(1, sizeof *m);
		int sealed = (int)syscall(SYS_fcntl, fd, F_GET_SEALS);
		if (!m || sealed < 0 || (sealed & SEALS) != SEALS || fstat(fd, &s) || s.st_size <= 0 ||
		    (m->at = mmap(NULL, (size_t)s.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)) == MAP_FAILED) {
			close(fd);
			free(m);
			return NULL;
		}
		close(fd);
		*m = (struct mapping){.link = l, .device = device, .memory = memory, .at = m->at, .bytes = (uint64_t)s.st_size};
		lock(&busy);
		m->next = mappings;
		mappings = m;
		unlock(&busy);
	}
	return offset < m->bytes ? m->at + offset : NULL;
}

void files_unmap(const struct link *l, VkDevice device, VkDeviceMemory memory) {
	for (int found = 1; found;) {
		struct mapping **at = &mappings, *m;
		lock(&busy);
		while ((m = *at) && (m->link != l || m->device != device || (memory && m->memory != memory)))
			at = &m->next;
		if (m)
			*at = m->next;
		unlock(&busy);
		found = m != NULL;
		if (m)
			munmap(m->at, m->bytes);
		free(m);
	}
}

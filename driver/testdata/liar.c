/* Stands for pumice-driver, and does not do what it should. PUMICE_LIE says what:
   dies      ends while the host waits for an answer, with bytes in the socket that nobody reads
   silent    answers nothing
   noise     answers everything with words that mean nothing: numbers, addresses here and there, of shared memory and others */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CONTROL = 8192, SLOT = 64 };

static uint64_t state = 88172645463325252u;

static uint64_t noise(void) {
	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

static uint64_t lie(uint64_t base, uint64_t bytes) {
	switch (noise() % 10) {
	case 0:
		return base + noise() % bytes;
	case 1:
	case 2:
	case 8:
		return base + noise() % 65536 * 8;
	case 3:
		return base + bytes - 8 * (noise() % 64);
	case 4:
		return noise() % 4 | noise() % 4 << 32;
	case 5:
		return 0;
	case 6:
		return UINT64_MAX - noise() % 4096;
	}
	return noise();
}

int main(int argc, char **argv) {
	const char *how = getenv("PUMICE_LIE");
	char c;
	if (argc != 7 || !how)
		return 2;
	uint64_t n[5];
	for (int i = 0; i < 5; i++)
		n[i] = strtoull(argv[1 + i], NULL, 16);
	state ^= n[4];
	uint8_t *base = mmap((void *)(uintptr_t)n[0], n[1], PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, 4, 0);
	if (base == MAP_FAILED || write(3, "R", 1) != 1)
		return 2;
	if (!strcmp(how, "dies")) {
		if (write(3, "x", 1) != 1 || read(3, &c, 1) != 1)
			return 2;
		usleep(50000); /* by now it waits */
		return 0;
	}
	struct pollfd host = {3, POLLRDHUP, 0};
	if (!strcmp(how, "silent")) {
		poll(&host, 1, -1);
		return 0;
	}
	for (uint32_t turn = 0;; turn++) {
		for (uint64_t i = 0; i < n[2]; i++) {
			uint32_t *slot = (uint32_t *)(base + i * SLOT);
			if (__atomic_load_n(slot, __ATOMIC_ACQUIRE) != 1)
				continue;
			uint8_t *message = base + CONTROL + i * n[3];
			for (uint64_t at = 0; at < 2048; at += 8)
				if (noise() % 3) {
					uint64_t v = lie(n[0], n[1]);
					memcpy(message + at, &v, 8);
				}
			if (noise() % 2) { /* success, where the result often is */
				for (int at = 16; at <= 48; at += 8)
					memset(message + at, 0, 4);
			}
			if (slot[3] == 0x80000000) /* which entry points there are: all */
				memset(message + 16, 0xff, 128);
			uint64_t mail = noise() % 4 ? 0 : lie(n[0], n[1]);
			memcpy(slot + 6, &mail, 8);
			__atomic_store_n(slot, 2, __ATOMIC_SEQ_CST);
			syscall(SYS_futex, slot, 1 /* FUTEX_WAKE */, 1, NULL, NULL, 0);
		}
		if (turn % 1000 == 0) {
			uint8_t *window = base + 4096 + 64 * (noise() % 64);
			for (int at = 0; at < 64; at += 8) {
				uint64_t v = lie(n[0], n[1]);
				memcpy(window + at, &v, 8);
			}
			if (poll(&host, 1, 0))
				return 0;
			usleep(100);
		}
	}
}

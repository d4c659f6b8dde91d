/* What the front needs of Windows. Go's runtime starts by itself when the library is loaded, and calls wait for it. */
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include "front.h"

/* Go's threads run until the process ends, so the library stays when a loader gives it back, as after the last
   instance. */
__attribute__((constructor)) static void stay(void) {
	static const char here;
	HMODULE library;
	GetModuleHandleExA(GET_MODULE_HANDLE_EX_FLAG_PIN | GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS, &here, &library);
}

int pumice_start(void) { return 1; }

void pumice_yield(void) { SwitchToThread(); }

/* The time in nanoseconds, as package icd's monotonic tells it. */
int64_t pumice_now(void) {
	LARGE_INTEGER ticks, second;
	QueryPerformanceCounter(&ticks);
	QueryPerformanceFrequency(&second);
	return (int64_t)((unsigned __int128)ticks.QuadPart * 1000000000 / (uint64_t)second.QuadPart);
}

/* How long to sleep, in milliseconds, rounded up: no sleep is over too soon. */
static DWORD milliseconds(int64_t until) {
	if (until == INT64_MAX)
		return INFINITE;
	int64_t left = until - pumice_now();
	if (left <= 0)
		return 0;
	return left / 1000000 < INT32_MAX ? (DWORD)((left + 999999) / 1000000) : INT32_MAX;
}

void pumice_sleep(struct pumice_wait *w) {
	DWORD saved = GetLastError();
	__atomic_add_fetch(&w->word[1], 1, __ATOMIC_SEQ_CST);
	WaitOnAddress(w->word, &w->seen, sizeof w->seen, milliseconds(w->until));
	__atomic_sub_fetch(&w->word[1], 1, __ATOMIC_SEQ_CST);
	SetLastError(saved);
}

size_t pumice_log(const char *text, size_t n) {
	DWORD saved = GetLastError(), written;
	for (size_t at = 0; at < n; at += written) /* a program with windows has no such handle: nothing is written */
		if (!WriteFile(GetStdHandle(STD_ERROR_HANDLE), text + at, (DWORD)(n - at), &written, NULL) || !written)
			break;
	SetLastError(saved);
	return n;
}

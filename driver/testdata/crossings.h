/* How often this thread goes into Go. Around each call the driver changes the thread's mask (front.h), through syscall of
   the C library; the one here takes its place in programs that are linked with -rdynamic. */
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

static __thread unsigned long masks;

static unsigned long crossings(void) { return masks / 2; }

long syscall(long number, ...) {
	static long (*real)(long, ...);
	if (!real)
		real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	long a[6];
	va_list list;
	va_start(list, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	masks += number == SYS_rt_sigprocmask;
	return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

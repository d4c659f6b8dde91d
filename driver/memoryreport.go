//go:build linux || windows

package main

/*
#include "front.h"

static inline void pumice_memory_report(uintptr_t function, void *data, void *user) {
	uint64_t *mask = pumice_to_host();
	((void (*)(const void *, void *))function)(data, user);
	pumice_from_host(mask);
}
*/
import "C"

import "unsafe"

// memoryReport calls a function of the application; see icd.MemoryReportFunc.
func memoryReport(function uintptr, data, user unsafe.Pointer) {
	C.pumice_memory_report(C.uintptr_t(function), data, user)
}

//go:build linux || windows

package main

/*
#include "front.h"

static inline void pumice_message(uintptr_t function, uint32_t severity, uint32_t types, void *data, void *user) {
	uint64_t *mask = pumice_to_host();
	((uint32_t (*)(uint32_t, uint32_t, const void *, void *))function)(severity, types, data, user);
	pumice_from_host(mask);
}

static inline void pumice_report(uintptr_t function, uint32_t flags, uint32_t type, uint64_t object, uint64_t location,
				 int32_t code, void *prefix, void *text, void *user) {
	uint64_t *mask = pumice_to_host();
	((uint32_t (*)(uint32_t, uint32_t, uint64_t, size_t, int32_t, const void *, const void *, void *))function)(
		flags, type, object, (size_t)location, code, prefix, text, user);
	pumice_from_host(mask);
}
*/
import "C"

import (
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/icd"
	"github.com/pumice-gpu/pumice/vk"
)

// message calls a function of the application; see icd.MessageFunc.
func message(function uintptr, severity vk.DebugUtilsMessageSeverityFlagsEXT, types vk.DebugUtilsMessageTypeFlagsEXT, data, user unsafe.Pointer) {
	C.pumice_message(C.uintptr_t(function), C.uint32_t(severity), C.uint32_t(types), data, user)
}

// report calls a function of the application; see icd.ReportFunc.
func report(function uintptr, r *icd.Report, user unsafe.Pointer) {
	C.pumice_report(C.uintptr_t(function), C.uint32_t(r.Flags), C.uint32_t(r.Type), C.uint64_t(r.Object), C.uint64_t(r.Location),
		C.int32_t(r.Code), unsafe.Pointer(r.Prefix), unsafe.Pointer(r.Text), user)
}

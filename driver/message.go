//go:build linux

package main

/*
#include "front.h"

static inline void pumice_message(uintptr_t function, uint32_t severity, uint32_t types, void *data, void *user) {
	uint64_t *mask = pumice_to_host();
	((uint32_t (*)(uint32_t, uint32_t, const void *, void *))function)(severity, types, data, user);
	pumice_from_host(mask);
}
*/
import "C"

import (
	"unsafe"

	"github.com/pumice-gpu/pumice/vk"
)

// message calls a function of the application; see icd.MessageFunc.
func message(function uintptr, severity vk.DebugUtilsMessageSeverityFlagsEXT, types vk.DebugUtilsMessageTypeFlagsEXT, data, user unsafe.Pointer) {
	C.pumice_message(C.uintptr_t(function), C.uint32_t(severity), C.uint32_t(types), data, user)
}

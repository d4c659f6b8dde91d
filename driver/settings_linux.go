package main

/*
#define _GNU_SOURCE
#include <stdlib.h>
*/
import "C"

import "unsafe"

// setting is a variable of the environment as it is now: Go's own copy is as old as
// the process, and a host may have set some since.
func setting(name string) string {
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	return C.GoString(C.getenv(c))
}

// writing is setting for variables that name files to write: none in processes that have
// more rights than who started them.
func writing(name string) string {
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	return C.GoString(C.secure_getenv(c))
}

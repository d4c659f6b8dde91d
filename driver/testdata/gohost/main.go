// Command gohost is a Go program that loads the driver, which holds a second Go
// runtime. Its own goroutines must still be preempted: garbage collection stops
// loops that call nothing, and never ends where it cannot. Argument: the driver's
// library.
package main

/*
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

static int negotiate(const char *path) {
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return 1;
	int (*f)(uint32_t *) = (int (*)(uint32_t *))dlsym(library, "vk_icdNegotiateLoaderICDInterfaceVersion");
	uint32_t version = 5;
	return f ? f(&version) : 2;
}
*/
import "C"

import (
	"fmt"
	"os"
	"runtime"
	"time"
)

func main() {
	if r := C.negotiate(C.CString(os.Args[1])); r != 0 {
		fmt.Println("negotiation:", r)
		os.Exit(1)
	}
	for range runtime.GOMAXPROCS(0) {
		go func() {
			x := uint32(1)
			for range 1 << 50 { // days without a call
				x = x*1664525 + 1013904223
			}
			runtime.KeepAlive(x)
		}()
	}
	for range 20 {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	fmt.Println("20 collections")
}

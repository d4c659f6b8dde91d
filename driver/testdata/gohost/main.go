// Command gohost is a Go program that loads the driver, which holds a second Go
// runtime. Arguments: the driver's library, and what to look at.
//
// preemption: its own goroutines must still be preempted: garbage collection stops
// loops that call nothing, and never ends where it cannot.
//
// profile: its profiler, a timer and children interrupt goroutines that call the
// driver.
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

typedef void *(*getter)(void *, const char *);

static getter get_of(const char *path) {
	return (getter)dlsym(dlopen(path, RTLD_NOW | RTLD_LOCAL), "vk_icdGetInstanceProcAddr");
}

// An instance made and destroyed; 0 if that went well.
static int cycle(getter get) {
	struct {
		int type;
		const void *next;
		uint64_t rest[5];
	} info = {1, 0, {0}};
	void *instance = 0;
	int (*create)(void *, void *, void **) = (int (*)(void *, void *, void **))get(0, "vkCreateInstance");
	int r = create(&info, 0, &instance);
	if (!r)
		((void (*)(void *, void *))get(instance, "vkDestroyInstance"))(instance, 0);
	return r;
}
*/
import "C"

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"runtime/pprof"
	"sync/atomic"
	"syscall"
	"time"
)

func main() {
	if len(os.Args) == 1 { // a child of profile
		return
	}
	if r := C.negotiate(C.CString(os.Args[1])); r != 0 {
		fmt.Println("negotiation:", r)
		os.Exit(1)
	}
	if os.Args[2] == "profile" {
		profile(C.get_of(C.CString(os.Args[1])))
		return
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

// profile calls the driver from several goroutines for a second and a half.
func profile(get C.getter) {
	_ = pprof.StartCPUProfile(io.Discard)
	defer pprof.StopCPUProfile()
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, syscall.SIGCHLD, syscall.SIGUSR1)
	var calls atomic.Int64
	for range 4 {
		go func() {
			for {
				if r := C.cycle(get); r != 0 {
					fmt.Println("vkCreateInstance:", r)
					os.Exit(1)
				}
				calls.Add(1)
			}
		}()
	}
	signals := 0
	for end := time.Now().Add(1500 * time.Millisecond); time.Now().Before(end); signals++ {
		_ = exec.Command("/proc/self/exe").Run()
		_ = syscall.Kill(os.Getpid(), syscall.SIGUSR1)
		<-heard
	}
	fmt.Println("survived", signals, "signals and", calls.Load(), "instances")
}

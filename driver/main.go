//go:build linux || windows

// Command driver is the Vulkan driver, libvulkan_pumice.so:
//
//	go build -buildmode=c-shared -ldflags "-extldflags=-Wl,--version-script=$PWD/driver/exports.map" -o libvulkan_pumice.so ./driver
//
// (without the flags it works too, but exports dozens of symbols instead of the
// three that the loader looks for), and on Windows pumice_vulkan.dll:
//
//	go build -buildmode=c-shared -o pumice_vulkan.dll ./driver
//
// It is a thin C front. Generated trampolines bring every entry point to Go
// through one door (pumiceCall); generated encoders record vkCmd* in C, and ask
// for memory through another (pumiceGrow). What the calls do is package
// driver/internal/icd.
package main

/*
#cgo CFLAGS: -O2 -std=gnu11 -fvisibility=hidden -Wall -Wextra -Werror=implicit
#cgo linux CFLAGS: -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
#cgo windows LDFLAGS: -static -lsynchronization
#cgo linux LDFLAGS: -pthread -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack -Wl,--wrap=x_cgo_sys_thread_create -Wl,--wrap=pthread_attr_init -Wl,--wrap=pthread_create -Wl,--wrap=pthread_getattr_np
#include "front.h"
*/
import "C"

import (
	"sync"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/driver/internal/icd"
)

// driver makes the one driver of the process. Device memory is a share of the host's, or what
// PUMICE_MEMORY says. Workers are as many as CPUs, or as
// PUMICE_THREADS says, but no more than there are addresses for.
var driver = sync.OnceValue(func() *icd.Driver {
	var p pool
	cfg := icd.Settings(setting, stderr{})
	cfg.Threads, cfg.Ready = confine(cfg.Threads, &p), p.ready
	cfg.Windows = windows{}
	cfg.Message, cfg.Report, cfg.MemoryReport = message, report, memoryReport
	cfg.Frames = icd.FrameRequests{
		Use: writing("PUMICE_USE"), Picture: writing("PUMICE_FRAME"), List: writing("PUMICE_FRAMES"), Explain: writing("PUMICE_EXPLAIN"), To: writing("PUMICE_EXPLAIN_OUT"),
	}
	return icd.New(cfg)
})

// procs is how many of Go's processors there are besides those of workers.
const procs = 2

// stderr is standard error. Unlike os.Stderr it never ends the process where nobody
// reads any more.
type stderr struct{}

func (stderr) Write(p []byte) (int, error) {
	return int(C.pumice_log((*C.char)(unsafe.Pointer(unsafe.SliceData(p))), C.size_t(len(p)))), nil
}

//export pumiceCall
func pumiceCall(op C.uint32_t, arguments unsafe.Pointer) {
	driver().Call(abi.Op(op), arguments)
}

//export pumiceGrow
func pumiceGrow(stream unsafe.Pointer, copies C.uint32_t, size C.uint64_t) unsafe.Pointer {
	return driver().Grow((*abi.Stream)(stream), copies != 0, uint64(size))
}

//export pumiceLookup
func pumiceLookup(scope C.uint32_t, object unsafe.Pointer, name *C.char) C.uint32_t {
	return C.uint32_t(driver().Lookup(icd.Scope(scope), object, abi.String((*byte)(unsafe.Pointer(name)))))
}

func main() {}

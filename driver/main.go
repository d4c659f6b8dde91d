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
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/driver/internal/icd"
	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/internal/version"
	"github.com/pumice-gpu/pumice/vk"
)

// driver makes the one driver of the process. Device memory is a share of the host's, or what
// PUMICE_MEMORY says. Workers are as many as CPUs, or as
// PUMICE_THREADS says, but no more than there are addresses for.
var driver = sync.OnceValue(func() *icd.Driver {
	var p pool
	workers := confine(threads(setting("PUMICE_THREADS")), &p)
	host := memory.SystemHost()
	limit, err := icd.MemoryLimitOf(setting("PUMICE_MEMORY"), host)
	if err != nil {
		_, _ = fmt.Fprintf(stderr{}, "pumice: %v\n", err)
	}
	return icd.New(icd.Config{
		Threads: workers, Ready: p.ready, MemoryLimit: limit, Host: host,
		LoopBudget:    budget(setting("PUMICE_LOOP_BUDGET")),
		SubmitTimeout: icd.SubmitTimeoutOf(setting("PUMICE_SUBMIT_TIMEOUT")), Log: stderr{}, Windows: windows{},
		Message: message, Report: report, MemoryReport: memoryReport, Verbose: setting("PUMICE_VERBOSE") != "",
		APIVersion: newest(setting("PUMICE_API_VERSION")), Without: strings.Split(setting("PUMICE_WITHOUT"), ","), Offer: strings.Split(setting("PUMICE_OFFER"), ","), CoverageSamples: coverage(setting("PUMICE_RATE_SAMPLES")),
		DeviceType: icd.DeviceTypeNamed(setting("PUMICE_DEVICE_TYPE")), Conformance: icd.ConformanceNamed(setting("PUMICE_CONFORMANCE_VERSION")), Dump: setting("PUMICE_DUMP"), Engine: setting("PUMICE_ENGINE"),
		Frames: icd.FrameRequests{
			Use: writing("PUMICE_USE"), Picture: writing("PUMICE_FRAME"), List: writing("PUMICE_FRAMES"), Explain: writing("PUMICE_EXPLAIN"), To: writing("PUMICE_EXPLAIN_OUT"),
		},
	})
})

// procs is how many of Go's processors there are besides those of workers.
const procs = 2

// stderr is standard error. Unlike os.Stderr it never ends the process where nobody
// reads any more.
type stderr struct{}

func (stderr) Write(p []byte) (int, error) {
	return int(C.pumice_log((*C.char)(unsafe.Pointer(unsafe.SliceData(p))), C.size_t(len(p)))), nil
}

// newest is the version that PUMICE_API_VERSION names, such as 1.3: for programs that
// know no later one. 0 if it names none.
func newest(s string) uint32 {
	var minor uint32
	if n, err := fmt.Sscanf(s, "1.%d", &minor); n != 1 || err != nil || minor > 1023 {
		return 0
	}
	return vk.MakeApiVersion(1, minor, version.Patch)
}

// threads is the number of workers that PUMICE_THREADS asks for: 1 to 256. Any
// other text means as many as there are CPUs.
func threads(setting string) int {
	if n, err := strconv.Atoi(setting); err == nil && n >= 1 && n <= 256 {
		return n
	}
	return runtime.NumCPU()
}

// budget is what PUMICE_LOOP_BUDGET asks for, instructions that a batch may run in
// loops; 0, the default, for any other text.
func budget(setting string) int64 {
	n, err := strconv.ParseInt(setting, 10, 64)
	if err != nil || n < 1 {
		return 0
	}
	return n
}

// coverage is what PUMICE_RATE_SAMPLES asks for: how many samples all pixels of a
// fragment may have together, a power of two from 16; 0, the default, for any other
// text.
//
// RAS-138: the switch that restricts the set of shading rates.
func coverage(setting string) uint32 {
	n, err := strconv.ParseUint(setting, 10, 16)
	if err != nil || n&(n-1) != 0 {
		return 0
	}
	return uint32(n)
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

//go:build linux && outside

package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pumice-gpu/pumice/internal/outside"
)

// sanitizers leave the signals of faults to Go, whose handlers the driver brings along.
var sanitizers = []string{
	"ASAN_OPTIONS=handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:handle_abort=0:allow_user_segv_handler=1:detect_leaks=0:use_sigaltstack=0",
	"UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1",
}

// noHandlers are libFuzzer's own handlers, which know no alternate stack, and its timer.
var noHandlers = strings.Fields("-handle_segv=0 -handle_bus=0 -handle_abrt=0 -handle_ill=0 -handle_fpe=0 -handle_int=0 -handle_term=0 -handle_xfsz=0 -handle_usr1=0 -handle_usr2=0 -timeout=0 -rss_limit_mb=0")

// TestOutside_Fuzz_CFront runs testdata/fuzz.c, a client that turns bytes into calls, on its
// corpus and for a few seconds on what libFuzzer makes of it; PUMICE_FUZZ_TIME says for
// how long, PUMICE_FUZZ_CORPUS where what is found interesting goes. Client and C front
// are built with the address sanitizer.
func TestOutside_Fuzz_CFront(t *testing.T) {
	clang := outside.Tool{Name: "clang", Debian: "clang and libclang-rt-dev", Why: "the C front under sanitizers"}.Path(t)
	dir := t.TempDir()
	program := filepath.Join(dir, "fuzz")
	if out, err := exec.Command(clang, "-std=gnu11", "-g", "-O1", "-fsanitize=fuzzer,address,undefined", "-Wall", "-Werror", "-I", "testdata/include", "-o", program, "testdata/fuzz.c", "-ldl").CombinedOutput(); err != nil {
		if strings.Contains(string(out), "clang_rt") {
			t.Skipf("clang has no libFuzzer or sanitizers: %s", out)
		}
		t.Fatalf("clang: %v\n%s", err, out)
	}
	library := filepath.Join(dir, "libvulkan_pumice.so")
	build := exec.Command("go", "build", "-buildvcs=false", "-buildmode=c-shared", "-o", library, ".")
	build.Env = append(os.Environ(), "CC="+clang, "CGO_CFLAGS=-g -O1 -fsanitize=address -Wno-unused-function", "CGO_ENABLED=1")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the driver: %v\n%s", err, out)
	}
	run := func(args ...string) {
		t.Helper()
		cmd := exec.Command(program, append(args, noHandlers...)...)
		cmd.Env = append(append(os.Environ(), sanitizers...), "PUMICE_DRIVER="+library)
		cmd.Dir = dir
		start := time.Now()
		out, err := cmd.CombinedOutput()
		text := string(out)
		if err != nil || strings.Contains(text, "this is a defect") {
			if len(text) > 20000 {
				text = text[len(text)-20000:]
			}
			t.Fatalf("after %v: %v\n%s", time.Since(start), err, text)
		}
		lines := strings.Split(strings.TrimSpace(text), "\n")
		t.Log(lines[len(lines)-1])
	}
	corpus, err := filepath.Abs("testdata/fuzzcorpus")
	if err != nil {
		t.Fatal(err)
	}
	run("-runs=0", corpus)
	seconds := 4 * time.Second
	if s := os.Getenv("PUMICE_FUZZ_TIME"); s != "" {
		if seconds, err = time.ParseDuration(s); err != nil {
			t.Fatal(err)
		}
	}
	grown := os.Getenv("PUMICE_FUZZ_CORPUS")
	if grown == "" {
		grown = t.TempDir()
	}
	run(fmt.Sprintf("-max_total_time=%.0f", seconds.Seconds()), "-len_control=0", "-max_len=4096", grown, corpus)
}

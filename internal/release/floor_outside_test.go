//go:build outside

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/outside"
)

// usesMoved is a library of functions that moved to libc.so.6 in glibc 2.34, and a program that
// runs it.
const usesMoved = `#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
static void *run(void *p) { return p; }
int use(void) {
	pthread_t t;
	pthread_attr_t a;
	size_t size;
	void *r = 0;
	sigset_t set;
	if (pthread_sigmask(SIG_BLOCK, 0, &set) || pthread_getattr_np(pthread_self(), &a) || pthread_attr_getstacksize(&a, &size))
		return 1;
	if (pthread_create(&t, 0, run, &set) || pthread_join(t, &r) || r != &set)
		return 2;
	return dlopen("no such library", RTLD_NOW) ? 3 : 0;
}
`

const runsMoved = `#include <stdio.h>
int use(void);
int main(void) { printf("%d\n", use()); return 0; }
`

// What is linked with the old libraries needs no C library above the floor, and runs; the other
// way, the same source does.
func TestOutside_OldLibraries_LinkBelowTheFloor(t *testing.T) {
	b := &builder{ctx: t.Context(), tmp: t.TempDir()}
	outside.Compiler(t)
	compilers := map[target]string{}
	for _, arch := range []string{"amd64", "arm64", "riscv64"} {
		system := target{"linux", arch}
		if cc, err := b.compiler(system); err == nil {
			compilers[system] = cc
		} else {
			t.Logf("not for %s: %v", system, err)
		}
	}
	for system, cc := range compilers {
		old, err := b.oldLibraries(system, cc)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		library, program := filepath.Join(dir, "libuse.so"), filepath.Join(dir, "run")
		compile := func(source, to string, args ...string) []byte {
			cmd := exec.Command(
				cc,
				append(
					append(
						[]string{
							"-D_GNU_SOURCE",
							"-o",
							to,
							"-x",
							"c",
							"-",
							"-x",
							"none",
						},
						args...),
					"-ldl",
					"-pthread",
				)...)
			cmd.Stdin = strings.NewReader(source)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", system, err, out)
			}
			data, err := os.ReadFile(to)
			if err != nil {
				t.Fatal(err)
			}
			return data
		}
		if v, err := needsOf(compile(usesMoved, library, "-shared", "-fPIC")); err == nil {
			t.Logf("%s: the C library itself is not above the floor: %s", system, v)
		} else if !strings.Contains(err.Error(), "pthread_create@GLIBC_2.34") {
			t.Errorf("%s: %v", system, err)
		}
		if v, err := needsOf(compile(usesMoved, library, "-shared", "-fPIC", "-L"+old)); err != nil {
			t.Errorf("%s: glibc %s, %v", system, v, err)
		}
		compile(runsMoved, program, "-L"+old, library, "-Wl,-rpath,"+dir)
		if system != host() {
			continue
		}
		if out, err := exec.Command(program).CombinedOutput(); err != nil ||
			string(out) != "0\n" {
			t.Errorf("%v %q", err, out)
		}
	}
}

//go:build linux

package main_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/outside"
)

//go:generate glslangValidator -V --target-env vulkan1.0 -o testdata/triangle.vert.spv testdata/triangle.vert
//go:generate glslangValidator -V --target-env vulkan1.0 -o testdata/triangle.frag.spv testdata/triangle.frag
//go:generate glslangValidator -V --target-env vulkan1.0 -o testdata/squares.vert.spv testdata/squares.vert
//go:generate glslangValidator -V --target-env vulkan1.0 -o testdata/squares.frag.spv testdata/squares.frag
//go:generate glslangValidator -V --target-env vulkan1.0 -o testdata/squares.comp.spv testdata/squares.comp
//go:generate glslangValidator -V --target-env vulkan1.0 -o testdata/described.comp.spv testdata/described.comp
//go:generate glslangValidator -V -g --target-env vulkan1.1 -o testdata/followed.vert.spv testdata/followed.vert
//go:generate glslangValidator -V -g --target-env vulkan1.1 -o testdata/followed.comp.spv testdata/followed.comp
//go:generate glslangValidator -V -g --target-env vulkan1.1 -o testdata/whole.vert.spv testdata/whole.vert
//go:generate glslangValidator -V -g --target-env vulkan1.1 -o testdata/lit.frag.spv testdata/lit.frag
//go:generate glslangValidator -V -g --target-env vulkan1.1 -o testdata/post.frag.spv testdata/post.frag

// clients are the programs in testdata that use Vulkan, with their arguments. A C compiler is enough for them: they
// are built with the header in testdata/include and testdata/loader.c. TestOutside_Clients runs the same ones with the
// header and loader of the system, and those that are checked under the validation layer, too.
var clients = map[string]client{
	"barrier":   {args: []string{"testdata", "after"}},
	"commands":  {args: []string{"../testdata"}, checked: true},
	"described": {args: []string{"testdata"}, checked: true},
	"encode":    {}, // the layer takes 15 s over that many regions
	"endless":   {args: []string{"testdata"}, env: []string{"PUMICE_SUBMIT_TIMEOUT=0.5"}, talks: true},
	"fibers":    {},
	"followed":  {args: []string{"testdata"}},
	"figures":   {args: []string{"../testdata", "0", "1000"}},
	"hosted":    {needs: "VK_IMAGE_USAGE_HOST_TRANSFER_BIT"},
	"lifecycle": {args: []string{"100"}},
	"mappings":  {args: []string{"testdata"}},
	"nothreads": {args: []string{"after"}},
	"polls":     {},
	"racing":    {args: []string{"testdata"}},
	"room":      {args: []string{"testdata", "4000000"}},
	"signals":   {args: []string{"testdata", "0.2", "2000", "0", "4", "2"}},
	"squares":   {args: []string{"testdata"}, checked: true},
	"waits":     {args: []string{"testdata"}},
	"triangle":  {args: []string{"testdata"}, checked: true},
}

type client struct {
	args, env []string
	checked   bool   // under the validation layer
	talks     bool   // the driver has something to say
	needs     string // of Vulkan's header, which the system's may be too old for
}

// compiled builds a client for the stand-in of a loader.
func compiled(t *testing.T, name string) (program string) {
	t.Helper()
	return compiledWith(t, name, []string{"-I", "testdata/include"}, "testdata/loader.c")
}

// compiledWith builds testdata/NAME.c. -rdynamic is for crossings.h.
func compiledWith(t *testing.T, name string, header []string, loader ...string) (program string) {
	t.Helper()
	program = filepath.Join(t.TempDir(), name)
	args := append(header, "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Wno-missing-field-initializers", "-rdynamic", "-o", program, filepath.Join("testdata", name+".c"))
	outside.Compile(t, append(append(args, loader...), "-ldl", "-lpthread", "-lm")...)
	return program
}

// run runs a client of the table, with other arguments where there are some, and returns what it prints. It fails where
// the client does, and where there are words on the error stream.
func run(t *testing.T, program string, env []string, args ...string) (stdout string) {
	t.Helper()
	c := clients[filepath.Base(program)]
	if args == nil {
		args = c.args
	}
	out, errs, err := onDriver(t, append(c.env, env...), program, args...)
	if err != nil || errs != "" && !c.talks || strings.Contains(out+errs, "this is a defect") {
		t.Fatalf("%s %q: %v\n%s%s", filepath.Base(program), args, err, out, errs)
	}
	return out
}

// TestClient: what is rendered is as it should be, and the same bits with any number of threads.
func TestClient(t *testing.T) {
	for _, name := range []string{"triangle", "squares"} {
		t.Run(name, func(t *testing.T) {
			program := compiled(t, name)
			first := run(t, program, nil)
			for _, threads := range []string{"1", "2", "1", "2", "5"} {
				if again := run(t, program, []string{"PUMICE_THREADS=" + threads}); again != first {
					t.Errorf("%s threads: checksum %q, before %q", threads, again, first)
				}
			}
		})
	}
}

// TestCommands_WriteWhatTheyShould: commands of all families.
func TestCommands_WriteWhatTheyShould(t *testing.T) {
	out := run(t, compiled(t, "commands"), nil)
	if n := strings.Count(out, "ok   "); n < 9 || strings.Contains(out, "FAIL") {
		t.Errorf("%d checks:\n%s", n, out)
	}
}

// TestEncoder_CopiesWhatCommandsPointTo: arrays are the application's again when the call returns.
func TestEncoder_CopiesWhatCommandsPointTo(t *testing.T) { run(t, compiled(t, "encode"), nil) }

// TestMappings_LeaveTheHostItsHalf: a program that allocates what it may, and more, still has mappings for its
// allocator and threads.
func TestMappings_LeaveTheHostItsHalf(t *testing.T) { run(t, compiled(t, "mappings"), nil) }

// TestRacing: threads that record into one command buffer at a time, which is against the rules, harm nobody.
func TestRacing(t *testing.T) {
	program := compiled(t, "racing")
	for range 3 {
		run(t, program, nil)
	}
}

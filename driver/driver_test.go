//go:build linux

package main_test

import (
	"debug/elf"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pumice-gpu/pumice/internal/outside"
	"github.com/pumice-gpu/pumice/internal/version"
)

// library builds the driver once and returns its path and that of a manifest.
var library = sync.OnceValues(func() (built, error) {
	dir, err := os.MkdirTemp("", "pumice-driver-")
	if err != nil {
		return built{}, err
	}
	wd, err := os.Getwd()
	if err != nil {
		return built{}, err
	}
	libraryDir = dir
	b := built{dir: dir, library: filepath.Join(dir, "libvulkan_pumice.so"), manifest: filepath.Join(dir, "icd.json")}
	// Quoted twice: for the go command and for its linker, since paths may have spaces.
	exports := `-ldflags=-extldflags "'-Wl,--version-script=` + filepath.Join(wd, "exports.map") + `'"`
	cmd := exec.Command("go", "build", "-buildvcs=false", "-buildmode=c-shared", exports, "-o", b.library, ".")
	b.log, err = cmd.CombinedOutput()
	if err != nil {
		return b, err
	}
	manifest := map[string]any{"file_format_version": "1.0.1", "ICD": map[string]string{"library_path": b.library, "api_version": version.Text()}}
	text, err := json.Marshal(manifest)
	if err != nil {
		return b, err
	}
	return b, os.WriteFile(b.manifest, text, 0o600)
})

// libraryDir is where the library is, once a test has asked for it.
var libraryDir string

type built struct {
	dir, library, manifest string
	log                    []byte
}

func TestMain(m *testing.M) {
	code := outside.Run(m)
	for _, dir := range []string{libraryDir, helperDir} {
		if dir != "" {
			_ = os.RemoveAll(dir)
		}
	}
	os.Exit(code)
}

// driverLibrary returns the built driver, or skips where there is no C compiler.
func driverLibrary(t *testing.T) built {
	t.Helper()
	outside.Compiler(t)
	b, err := library()
	if err != nil {
		t.Fatalf("building the driver: %v\n%s", err, b.log)
	}
	if len(b.log) > 0 {
		t.Errorf("the C compiler has something to say:\n%s", b.log)
	}
	return b
}

func TestLibrary_ExportsThreeSymbols(t *testing.T) {
	f, err := elf.Open(driverLibrary(t).library)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range symbols {
		if s.Section != elf.SHN_UNDEF {
			got = append(got, s.Name)
		}
	}
	slices.Sort(got)
	want := []string{"vk_icdGetInstanceProcAddr", "vk_icdGetPhysicalDeviceProcAddr", "vk_icdNegotiateLoaderICDInterfaceVersion"}
	if !slices.Equal(got, want) {
		t.Errorf("exported: %q", got)
	}
}

// TestLifecycle_MemoryStaysFlat: what instances, devices, memory and command
// buffers take, they give back; and a forked child gets errors. PUMICE_CYCLES is
// the number of cycles (1000).
func TestLifecycle_MemoryStaysFlat(t *testing.T) {
	cycles := 1000
	if n, err := strconv.Atoi(os.Getenv("PUMICE_CYCLES")); err == nil {
		cycles = n
	}
	out := run(t, compiled(t, "lifecycle"), nil, strconv.Itoa(cycles))
	growth, err := strconv.Atoi(strings.TrimSpace(out))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d KiB in %d cycles", growth, cycles)
	// A leak of one page a cycle is 1,600 KiB in 1,000, more than the heap's breath.
	if growth > 0 {
		t.Errorf("resident memory grew by %d KiB in %d cycles", growth, cycles)
	}
}

// goHost runs a program in Go that loads the driver, and returns what it prints.
func goHost(t *testing.T, what string) string {
	t.Helper()
	b := driverLibrary(t)
	program := filepath.Join(t.TempDir(), "gohost")
	outside.GoBuild(t, "-o", program, "./testdata/gohost")
	cmd := exec.Command(program, b.library, what)
	kill := time.AfterFunc(programTimeout, func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// TestGoHost_KeepsItsPreemption: SIGURG stays the host's; see start.c.
func TestGoHost_KeepsItsPreemption(t *testing.T) {
	if out := goHost(t, "preemption"); out != "20 collections\n" {
		t.Errorf("it says %q: goroutines are not preempted", out)
	}
}

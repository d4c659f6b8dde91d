//go:build linux

package main_test

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/pumice-gpu/pumice/internal/outside"
)

// frontSources are the C files of the front without Go. Its flags make it independent of any C library's version: what it
// needs, the program has that loads it.
var frontSources = []string{"isolate/files.c", "isolate/front.c", "isolate/link.c", "isolate/revive.c", "isolate/wire.c", "isolate/windows.c", "encode_gen.c", "entries_gen.c", "poll.c", "wsi_wayland.c", "wsi_xcb.c"}

var frontFlags = strings.Fields("-O2 -std=gnu11 -fPIC -shared -nostdlib -fvisibility=hidden -DPUMICE_FRONT -U_FORTIFY_SOURCE" +
	" -fno-stack-protector -Wall -Wextra -Werror -Wl,--version-script=exports.map -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack -Wl,-z,nodelete -s")

// helperParts builds the front and the helper into a folder, once.
var helperParts = sync.OnceValues(func() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "pumice-helper-"); err != nil {
		return "", err
	}
	helperDir = dir
	cmd := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", filepath.Join(dir, "pumice-driver"), "./pumice-driver")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return dir, nil
})

var frontOnce sync.Once

// helperDir is where they are, once a test has asked for them.
var helperDir string

// isolated returns the environment in which clients take a helper, and the front; skipped where there is no C compiler.
func isolated(t *testing.T) (env []string, front string) {
	t.Helper()
	outside.Compiler(t)
	dir, err := helperParts()
	if err != nil {
		t.Fatalf("building the helper: %v", err)
	}
	front = filepath.Join(dir, "libvulkan_pumice_front.so")
	frontOnce.Do(func() { outside.Compile(t, slices.Concat(frontFlags, []string{"-o", front}, frontSources)...) })
	return []string{"PUMICE_DRIVER=" + front, "PUMICE_ISOLATE=1"}, front
}

// impatient is a front that gives a helper up after a second instead of thirty.
func impatient(t *testing.T) (env []string) {
	t.Helper()
	_, front := isolated(t)
	own := filepath.Join(t.TempDir(), filepath.Base(front))
	outside.Compile(t, slices.Concat(frontFlags, []string{"-DLINK_SILENCE=1000000000", "-o", own}, frontSources)...)
	return []string{"PUMICE_DRIVER=" + own, "PUMICE_ISOLATE=1", "PUMICE_HELPER=" + filepath.Join(filepath.Dir(front), "pumice-driver")}
}

// isolatedClient runs a client of the table with a helper.
func isolatedClient(t *testing.T, env []string, program string, args ...string) (stdout, stderr string) {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env = append(append(os.Environ(), "DISPLAY="), env...)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill := time.AfterFunc(programTimeout, func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%s %q: %v\n%s%s", filepath.Base(program), args, err, out.String(), errs.String())
	}
	return out.String(), errs.String()
}

// TestIsolate_ClientsRenderTheSame: pictures are those of the driver in process, and clients that look at what they get see
// nothing amiss.
func TestIsolate_ClientsRenderTheSame(t *testing.T) {
	env, _ := isolated(t)
	for _, name := range []string{"triangle", "squares", "commands", "encode", "waits", "fibers", "mappings", "barrier", "hosted"} {
		t.Run(name, func(t *testing.T) {
			program := compiled(t, name)
			out, errs := isolatedClient(t, env, program, clients[name].args...)
			if errs != "" {
				t.Errorf("it says %q", errs)
			}
			if want := run(t, program, nil); name != "fibers" && out != want { // fibers counts
				t.Errorf("%q, in process %q", out, want)
			}
		})
	}
}

// TestIsolate_SharesWithOtherProcesses: an image, a buffer that both have mapped, semaphores and a
// fence, by file descriptors; between two programs with helpers, and one of each kind.
func TestIsolate_SharesWithOtherProcesses(t *testing.T) {
	env, front := isolated(t)
	program := compiled(t, "shared")
	inside := driverLibrary(t).library
	want := "the second sees ff0000ff\nthe first sees ff00ff00\n"
	for _, c := range []struct {
		name string
		env  []string
	}{
		{"with helpers", env},
		{"the first with a helper", append(slices.Clone(env), "PUMICE_OTHER_DRIVER="+inside, "PUMICE_OTHER_ISOLATE=")},
		{"the second with a helper", []string{"PUMICE_DRIVER=" + inside, "PUMICE_OTHER_DRIVER=" + front, "PUMICE_OTHER_ISOLATE=1"}},
		{"in process", []string{"PUMICE_DRIVER=" + inside}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if out, errs := isolatedClient(t, c.env, program); out != want || errs != "" {
				t.Errorf("%q %s", out, errs)
			}
		})
	}
}

// TestIsolate_Lifecycle: what instances and devices take they give back; and a forked child gets errors.
func TestIsolate_Lifecycle(t *testing.T) {
	env, _ := isolated(t)
	isolatedClient(t, env, compiled(t, "lifecycle"), "200")
}

// TestIsolate_HelperIsKilled: the host lives on, sees that its device is lost, and gets a new one. PUMICE_KILLS is how often
// (20).
func TestIsolate_HelperIsKilled(t *testing.T) {
	env, _ := isolated(t)
	kills := "20"
	if s := os.Getenv("PUMICE_KILLS"); s != "" {
		kills = s
	}
	program := compiled(t, "killed")
	out, _ := isolatedClient(t, env, program, "testdata", kills, fmt.Sprint(time.Now().UnixNano()&0xffff))
	var lost, loss, anew int
	if _, err := fmt.Sscan(out, &lost, &loss, &anew); err != nil || fmt.Sprint(lost) != kills {
		t.Errorf("%q, want %s losses", out, kills)
	}
	t.Logf("%d losses, seen after %d µs at most; a new device after %d µs at most", lost, loss, anew)
}

// TestIsolate_HelperStandsStill: one that is there and answers nothing is given up like one that is
// gone, and ends when it goes on.
func TestIsolate_HelperStandsStill(t *testing.T) {
	env := impatient(t)
	rounds := "3"
	if testing.Short() {
		rounds = "1"
	}
	out, errs := isolatedClient(t, env, compiled(t, "killed"), "testdata", rounds, "1", "stop")
	var lost, loss, anew int
	if _, err := fmt.Sscan(out, &lost, &loss, &anew); err != nil || fmt.Sprint(lost) != rounds || loss > 10_000_000 {
		t.Errorf("%q, want %s losses, each seen within 10 s", out, rounds)
	}
	if n := strings.Count(errs, "pumice: the helper process does not answer any more: its devices are lost\n"); fmt.Sprint(n) != rounds {
		t.Errorf("it says %q", errs)
	}
}

// TestIsolate_HelperLies: a program whose helper ends with bytes in its socket, answers nothing, or
// answers with noise, lives, and each of its calls comes to an end. PUMICE_LIES is how many
// instances it makes on noise (1,000).
func TestIsolate_HelperLies(t *testing.T) {
	env := impatient(t)
	liar, client := filepath.Join(t.TempDir(), "liar"), filepath.Join(t.TempDir(), "lied")
	outside.Compile(t, "-std=gnu11", "-O1", "-Wall", "-Wextra", "-o", liar, "testdata/liar.c")
	outside.Compile(t, "-I", "testdata/include", "-std=gnu11", "-O1", "-Wall", "-Wextra", "-o", client, "testdata/lied.c", "-ldl", "-lpthread")
	noise := "1000"
	if s := os.Getenv("PUMICE_LIES"); s != "" {
		noise = s
	}
	env = append(env, "PUMICE_HELPER="+liar)
	for _, c := range []struct{ how, rounds string }{{"dies", "3"}, {"silent", "1"}, {"noise", noise}} {
		t.Run(c.how, func(t *testing.T) {
			out, errs := isolatedClient(t, append(env, "PUMICE_LIE="+c.how), client, "testdata", c.rounds)
			var instances, devices int
			if _, err := fmt.Sscan(out, &instances, &devices); err != nil || (c.how == "noise") != (instances > 0) {
				t.Errorf("%q %s", out, errs)
			}
			t.Logf("%d instances, %d devices", instances, devices)
		})
	}
}

// helpersOf returns the processes that help one.
func helpersOf(t *testing.T, host int) (out []int) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		text, _ := os.ReadFile(f) // gone meanwhile
		args := strings.Split(string(text), "\x00")
		var pid int
		if len(args) > 5 && strings.HasSuffix(args[0], "pumice-driver") && args[5] == fmt.Sprintf("%x", host) {
			if _, err := fmt.Sscanf(f, "/proc/%d/cmdline", &pid); err == nil {
				out = append(out, pid)
			}
		}
	}
	return out
}

// TestIsolate_HostIsKilled: nothing is left of the helper.
func TestIsolate_HostIsKilled(t *testing.T) {
	env, _ := isolated(t)
	program := compiled(t, "endless")
	cmd := exec.Command(program, "testdata")
	cmd.Env = append(append(os.Environ(), "PUMICE_SUBMIT_TIMEOUT=100"), env...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var helpers []int
	for end := time.Now().Add(20 * time.Second); len(helpers) == 0 && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		helpers = helpersOf(t, cmd.Process.Pid)
	}
	time.Sleep(100 * time.Millisecond) // it works by now, without an end
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if len(helpers) != 1 {
		t.Fatalf("%d helpers", len(helpers))
	}
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		left := helpersOf(t, cmd.Process.Pid)
		if len(left) == 0 {
			return
		}
		if time.Now().After(end) {
			_ = syscall.Kill(left[0], syscall.SIGKILL)
			t.Fatal("the helper lives without its host")
		}
	}
}

// TestIsolate_IsBehindWalls: the helper has a filter of system calls, no new privileges, and no files but those it works with.
func TestIsolate_IsBehindWalls(t *testing.T) {
	env, _ := isolated(t)
	cmd := exec.Command(compiled(t, "endless"), "testdata")
	cmd.Env = append(append(os.Environ(), "PUMICE_SUBMIT_TIMEOUT=100", "SECRET=1"), env...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	var status []byte
	var helper int
	for end := time.Now().Add(20 * time.Second); !bytes.Contains(status, []byte("Seccomp:\t2")) && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if all := helpersOf(t, cmd.Process.Pid); len(all) > 0 {
			helper = all[0]
			status, _ = os.ReadFile(fmt.Sprintf("/proc/%d/status", helper))
		}
	}
	for _, want := range []string{"Seccomp:\t2", "NoNewPrivs:\t1"} {
		if !bytes.Contains(status, []byte(want)) {
			t.Errorf("the helper's status lacks %q:\n%s", want, status)
		}
	}
	links, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", helper))
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range links {
		to, err := os.Readlink(l)
		ok := err != nil || to == "/dev/null" || strings.HasPrefix(to, "socket:") || strings.HasPrefix(to, "/memfd:") || strings.HasPrefix(to, "anon_inode:") ||
			strings.HasPrefix(to, "/sys/fs/cgroup/") || // how many processors there are, and how much memory
			to == "/proc/meminfo"
		if filepath.Base(l) != "2" && !ok {
			t.Errorf("descriptor %s is %s", filepath.Base(l), to)
		}
	}
	if text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", helper)); bytes.Contains(text, []byte("SECRET")) {
		t.Errorf("the helper has the host's environment: %q", text)
	}
}

// TestIsolate_WithoutMemfd: where there is no memfd_create, a file of /dev/shm, or of TMPDIR, is shared.
func TestIsolate_WithoutMemfd(t *testing.T) {
	env, _ := isolated(t)
	program := compiled(t, "triangle")
	want, _ := isolatedClient(t, env, program, "testdata")
	got, errs := isolatedClient(t, append(env, "PUMICE_NO_MEMFD=1"), program, "testdata")
	if got != want || errs != "" {
		t.Errorf("%q %s, want %q", got, errs, want)
	}
}

// TestIsolate_WithoutHelper: one line says what is missing, and there is no driver.
func TestIsolate_WithoutHelper(t *testing.T) {
	env, _ := isolated(t)
	cmd := exec.Command(compiled(t, "triangle"), "testdata")
	cmd.Env = append(append(os.Environ(), env...), "PUMICE_HELPER=/nowhere/pumice-driver")
	out, err := cmd.CombinedOutput()
	if err == nil || !bytes.Contains(out, []byte("pumice: the helper process cannot be started: /nowhere/pumice-driver; errno 2\n")) {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestIsolate_ManyClients: each has a helper of its own. PUMICE_CLIENTS is how many at once (12).
func TestIsolate_ManyClients(t *testing.T) {
	env, _ := isolated(t)
	n := 12
	if s := os.Getenv("PUMICE_CLIENTS"); s != "" {
		if _, err := fmt.Sscan(s, &n); err != nil {
			t.Fatal(err)
		}
	}
	program := compiled(t, "triangle")
	want, _ := isolatedClient(t, env, program, "testdata")
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			cmd := exec.Command(program, "testdata")
			cmd.Env = append(append(os.Environ(), "PUMICE_THREADS=1"), env...)
			if got, err := cmd.CombinedOutput(); err != nil || string(got) != want {
				t.Errorf("%v: %q, want %q", err, got, want)
			}
		})
	}
	all.Wait()
}

// TestFront_NeedsNoLibrary: the front is small, names no C library and no version of one, and exports what loaders look for.
func TestFront_NeedsNoLibrary(t *testing.T) {
	_, front := isolated(t)
	info, err := os.Stat(front)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > 300_000 {
		t.Errorf("%d bytes", info.Size())
	}
	t.Logf("%d bytes", info.Size())
	f, err := elf.Open(front)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if libraries, err := f.ImportedLibraries(); err != nil || len(libraries) > 0 {
		t.Errorf("it needs %q (%v)", libraries, err)
	}
	// Loaders close drivers with the last instance: the helper would be forgotten.
	if flags, err := f.DynValue(elf.DT_FLAGS_1); err != nil || len(flags) != 1 || flags[0]&uint64(elf.DF_1_NODELETE) == 0 {
		t.Errorf("flags %#x (%v): it can be unloaded", flags, err)
	}
	symbols, err := f.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	var exported []string
	for _, s := range symbols {
		if s.Section != elf.SHN_UNDEF {
			exported = append(exported, s.Name)
		} else if s.Version != "" {
			t.Errorf("%s is wanted in version %s", s.Name, s.Version)
		}
	}
	slices.Sort(exported)
	if want := []string{"vk_icdGetInstanceProcAddr", "vk_icdGetPhysicalDeviceProcAddr", "vk_icdNegotiateLoaderICDInterfaceVersion"}; !slices.Equal(exported, want) {
		t.Errorf("exported: %q", exported)
	}
}

// TestIsolate_FacesSameBytes renders each scene through the Go API and through a helper.
func TestIsolate_FacesSameBytes(t *testing.T) {
	if testing.Short() {
		t.Skip("TestFaces_SameBytes renders the scenes with the same driver in process")
	}
	_, front := isolated(t)
	t.Setenv("PUMICE_ISOLATE", "1")
	if said := sameBytes(t, compiled(t, "faces"), "PUMICE_DRIVER="+front); len(said) > 0 {
		t.Errorf("the client says %q", said)
	}
}

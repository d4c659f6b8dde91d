package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What a program made on the driver is in the file that the driver writes; what helps depends on it.
func TestRun_SaysWhenNoDeviceWasMade(t *testing.T) {
	for name, c := range map[string]struct {
		lines  string
		env    []string
		others []string
		opengl bool
		says   string // "": nothing
	}{
		"a device":                               {lines: "instance\ndevice\n"},
		"another process's":                      {lines: "instance\ninstance\ndevice\ninstance\n"},
		"an instance":                            {lines: "instance\n", says: "set PUMICE_DEVICE_TYPE=discrete"},
		"an instance, as a GPU":                  {lines: "instance\n", env: []string{"PUMICE_DEVICE_TYPE=discrete"}, says: "it loaded the driver, and chose another device or none (docs"},
		"an instance, and another driver":        {lines: "instance\n", others: []string{"libvk_swiftshader.so"}, says: "chose another device or none; of other drivers it had libvk_swiftshader.so in memory; for programs that"},
		"another driver":                         {others: []string{"libvulkan_lvp.so", "libGLX_nvidia.so.0"}, says: "of other drivers it had libvulkan_lvp.so, libGLX_nvidia.so.0 in memory; for OpenGL"},
		"another driver of gl":                   {others: []string{"swrast_dri.so"}, opengl: true, says: "of other drivers it had swrast_dri.so in memory; does the program draw"},
		"a device, and another driver's library": {lines: "instance\ndevice\n", others: []string{"libvulkan_lvp.so"}},
		"nothing":                                {says: "for OpenGL there is pumice gl"},
		"nothing, of gl":                         {opengl: true, says: "draw with OpenGL, and with the system's libraries"},
	} {
		file := filepath.Join(t.TempDir(), "used")
		if err := os.WriteFile(file, []byte(c.lines), 0o600); err != nil {
			t.Fatal(err)
		}
		o := observed{opengl: c.opengl}
		got := o.unused("/usr/bin/program", file, c.env, c.others)
		if (got == "") != (c.says == "") || !strings.Contains(got, c.says) || got != "" && !strings.Contains(got, " saw program make no device") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// The libraries of a program, and of what it has started, are seen.
func TestRun_OtherDrivers(t *testing.T) {
	const maps = "7f00-7f01 r-xp 00000000 fe:00 7   /opt/some where/libvk_swiftshader.so\n" +
		"7f01-7f02 r--p 00000000 fe:00 7   /opt/some where/libvk_swiftshader.so\n" +
		"7f02-7f03 r-xp 00000000 fe:00 8   /usr/lib/libvulkan_lvp.so (deleted)\n" +
		"7f03-7f04 r-xp 00000000 fe:00 9   /usr/lib/libLLVM.so.19.1\n" +
		"7f04-7f05 r-xp 00000000 fe:00 10  /usr/lib/libvulkan_pumice.so\n" +
		"7f05-7f06 r-xp 00000000 fe:00 11  /usr/lib/libvulkan.so.1\n" +
		"7f06-7f07 r-xp 00000000 fe:00 12  /usr/lib/libgallium-25.0.7.so\n" +
		"7f07-7f08 rw-p 00000000 00:00 0 \n"
	want := []string{"libvk_swiftshader.so", "libvulkan_lvp.so"} // programs have LLVM for reasons of their own
	if got := otherDrivers(maps); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}

	// This process has a file of such a name mapped, and is a child of its parent.
	file, err := os.Create(filepath.Join(t.TempDir(), "libvulkan_other.so"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := file.Truncate(1); err != nil {
		t.Fatal(err)
	}
	mapped, err := syscall.Mmap(int(file.Fd()), 0, 1, syscall.PROT_READ, syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Munmap(mapped) }()
	done := make(chan struct{})
	time.AfterFunc(2*lookAfter[2], func() { close(done) })
	if got := watchDrivers(os.Getppid(), done); !slices.Contains(got, "libvulkan_other.so") {
		t.Errorf("%q, without the library that is mapped", got)
	}
}

// A program that run has started gets the signals that run gets, ends with what it wants to, and does not outlive run.
func TestRun_Signals(t *testing.T) {
	standIn(t)
	start := func(script string) (cmd *exec.Cmd, pid string) {
		t.Helper()
		cmd, errs := process(t, "run", "sh", "-c", script)
		up, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer write.Close()
		t.Cleanup(func() { up.Close() })
		cmd.Stdout = write
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // no terminal delivers anything
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		line := make([]byte, 64)
		n, err := up.Read(line)
		if err != nil {
			t.Fatalf("%v: %s", err, errs)
		}
		return cmd, strings.TrimSpace(string(line[:n]))
	}
	const traps = `n=40; for s in HUP INT QUIT USR1 USR2 TERM; do trap "exit $n" $s; n=$((n + 1)); done; echo $$; while :; do sleep 0.01; done`
	for s, code := range map[syscall.Signal]int{syscall.SIGHUP: 40, syscall.SIGINT: 41, syscall.SIGQUIT: 42, syscall.SIGUSR1: 43, syscall.SIGUSR2: 44, syscall.SIGTERM: 45} {
		cmd, _ := start(traps)
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if got := cmd.ProcessState.ExitCode(); got != code {
			t.Errorf("%v: exit code %d, want %d", s, got, code)
		}
	}
	cmd, pid := start(`echo $$; while :; do sleep 0.01; done`)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		status, err := os.ReadFile("/proc/" + pid + "/stat")
		if err != nil || strings.Contains(string(status), ") Z ") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the program goes on after run was killed")
		}
	}
}

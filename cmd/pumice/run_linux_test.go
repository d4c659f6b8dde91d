package main

import (
	"os"
	"os/exec"
	"path/filepath"
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
		opengl bool
		says   string // "": nothing
	}{
		"a device":              {lines: "instance\ndevice\n"},
		"another process's":     {lines: "instance\ninstance\ndevice\ninstance\n"},
		"an instance":           {lines: "instance\n", says: "set PUMICE_DEVICE_TYPE=discrete"},
		"an instance, as a GPU": {lines: "instance\n", env: []string{"PUMICE_DEVICE_TYPE=discrete"}, says: "it loaded the driver, and chose another device or none (docs"},
		"nothing":               {says: "for OpenGL there is pumice gl"},
		"nothing, of gl":        {opengl: true, says: "draw with OpenGL, and with the system's libraries"},
	} {
		file := filepath.Join(t.TempDir(), "used")
		if err := os.WriteFile(file, []byte(c.lines), 0o600); err != nil {
			t.Fatal(err)
		}
		o := observed{opengl: c.opengl}
		got := o.unused("/usr/bin/program", file, c.env)
		if (got == "") != (c.says == "") || !strings.Contains(got, c.says) || got != "" && !strings.Contains(got, " saw program make no device") {
			t.Errorf("%s: %q", name, got)
		}
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

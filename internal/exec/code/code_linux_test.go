//go:build amd64 || arm64

package code

import (
	"os"
	"runtime"
	"strings"
	"testing"
)

// No memory of the process can be written and executed.
func TestLoad_IsNotWritable(t *testing.T) {
	notWritable(t, "pumice code")
}

// Nor can anonymous memory, which runs the same code.
func TestLoad_Anonymous(t *testing.T) {
	Anonymous()
	defer func() {
		anonymous.Store(false)
		renew()
	}()
	notWritable(t, "/dev/zero")
}

func notWritable(t *testing.T, file string) {
	t.Helper()
	c := load(t, store)
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	executable := 0
	for line := range strings.Lines(string(maps)) {
		rights := strings.Fields(line)[1]
		if strings.Contains(rights, "w") && strings.Contains(rights, "x") {
			t.Errorf("memory that can be written and executed: %s", line)
		}
		if strings.Contains(line, file) && strings.Contains(rights, "x") {
			executable++
		}
	}
	if executable == 0 {
		t.Error("no executable memory of ours among the process's mappings")
	}
	runtime.KeepAlive(c)
}

//go:build amd64 || arm64

package code

import (
	"bytes"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

// store writes 0x12345678 to the second word of the frame.
var store = map[string][]byte{
	"amd64": {0xC7, 0x47, 4, 0x78, 0x56, 0x34, 0x12, 0xC3},
	"arm64": {0x09, 0xCF, 0x8A, 0x52, 0x89, 0x46, 0xA2, 0x72, 0x09, 4, 0, 0xB9, 0xC0, 3, 0x5F, 0xD6}, // MOVZ, MOVK, STR, RET
}[runtime.GOARCH]

// Code runs, in memory that is not writable where it can be executed.
func TestLoad_RunsAndIsNotWritable(t *testing.T) {
	c, err := Load(store)
	if err != nil {
		t.Skipf("the system refuses executable memory: %v", err)
	}
	var frame [2]uint32
	c.Call(address(&frame[0]))
	if frame != [2]uint32{0, 0x12345678} {
		t.Errorf("the code wrote %#x", frame)
	}
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
		if strings.Contains(line, "pumice code") && strings.Contains(rights, "x") {
			executable++
		}
	}
	if executable == 0 {
		t.Error("no executable memory of ours among the process's mappings")
	}
	runtime.KeepAlive(c)
}

// Memory of codes that nobody has is given back: 10,000 codes of 4 KiB, of which a few
// live, never take more than a few chunks.
func TestLoad_GivesMemoryBack(t *testing.T) {
	code := bytes.Repeat([]byte{0xC3}, 4096)
	if _, err := Load(code); err != nil {
		t.Skipf("the system refuses executable memory: %v", err)
	}
	start := Chunks()
	for i := range 10_000 {
		if _, err := Load(code); err != nil {
			t.Fatal(err)
		}
		if i%500 == 0 {
			runtime.GC()
		}
	}
	for i := 0; Chunks() > start+2 && i < 2000; i++ {
		runtime.GC()
		time.Sleep(10 * time.Millisecond)
	}
	if n := Chunks(); n > start+2 {
		t.Errorf("%d chunks of memory for code, %d before", n, start)
	}
}

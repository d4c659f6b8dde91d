package main

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// A light that cannot be read leaves nothing of the device that was opened for it.
func TestRender_BadEnvironment_ClosesTheDevice(t *testing.T) {
	file := filepath.Join(t.TempDir(), "bad.hdr")
	if err := os.WriteFile(file, []byte("#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 32 +X 64\n\x02\x02\x00\x40\x03"), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func() {
		if code, _, stderr := command(t, "render", "--environment", file, "-o", filepath.Join(t.TempDir(), "out.png")); code == 0 || stderr == "" {
			t.Fatalf("exit code %d, %q", code, stderr)
		}
	}
	run()
	before := runtime.NumGoroutine()
	for range 8 {
		run()
	}
	for i := 0; runtime.NumGoroutine() > before+2 && i < 100; i++ { // what ends by itself
		time.Sleep(10 * time.Millisecond)
	}
	if n := runtime.NumGoroutine(); n > before+2 {
		t.Errorf("%d goroutines after eight runs, %d before", n, before)
	}
}

package core

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/vk"
)

// On guarded memory, an access beyond a buffer loses the device; the error has the
// address and what was running, and so has the report of its stack.
func TestGuardMemory_AccessBeyondABuffer_LosesTheDevice(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no pages to map on this system")
	}
	for mode, beyond := range map[memory.Mode]int{memory.Guard: 64, memory.GuardBefore: -1} {
		var report string
		d := must(Open(Config{GuardMemory: mode, Threads: 1, Debug: func(m Message) { report += m.Text }}))(t)
		b := must(d.NewBuffer(vk.BufferCreateInfo{Size: 64}, nil, 0, ""))(t)
		outside := (*byte)(unsafe.Add(unsafe.Pointer(&b.data[0]), beyond))
		err := d.run(ctx, "Draw", []*Memory{b.mem}, func(context.Context) error { *outside = 1; return nil })
		if !errors.Is(err, ErrDeviceLost) || !strings.Contains(err.Error(), "at address 0x") || !strings.Contains(err.Error(), "Draw") {
			t.Errorf("mode %d: %v", mode, err)
		}
		if !strings.Contains(report, "guard_test.go") {
			t.Errorf("mode %d: the report has no stack: %q", mode, report)
		}
		if err := errors.Join(b.Close(), d.Close()); err != nil {
			t.Error(err)
		}
	}
}

package pumice_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/budget"
)

// Device memory is charged to Config.Budget beside what others take of it, and given
// back when it is freed.
func TestBudget_IsChargedForDeviceMemory(t *testing.T) {
	b := budget.New(1<<20, "the test's limit")
	if err := b.Take(512 << 10); err != nil {
		t.Fatal(err)
	}
	dev := open(t, &pumice.Config{Budget: b})
	if dev.Budget() != b {
		t.Error("the device has another budget")
	}
	buffer, err := dev.NewBuffer(pumice.BufferDesc{Size: 400 << 10})
	if err != nil {
		t.Fatal(err)
	}
	_, err = dev.NewImage(pumice.ImageDesc{Width: 256, Height: 256})
	var own *pumice.Error
	var over *budget.Error
	if !errors.As(err, &own) || !errors.As(err, &over) || !errors.Is(err, pumice.ErrOutOfMemory) || !strings.Contains(err.Error(), "(raise the test's limit)") {
		t.Errorf("an image beside it: %v", err)
	}
	buffer.Close()
	image, err := dev.NewImage(pumice.ImageDesc{Width: 256, Height: 256})
	if err != nil {
		t.Fatalf("an image in its place: %v", err)
	}
	image.Close()
	if used := b.Used(); used != 512<<10 {
		t.Errorf("%d bytes stay charged", used-512<<10)
	}
	for _, size := range []uint64{0, math.MaxInt64} {
		if _, err := dev.NewMemory(size); err == nil || b.Used() != 512<<10 {
			t.Errorf("%d bytes: %v; %d stay charged", size, err, b.Used()-512<<10)
		}
	}
	limited := open(t, &pumice.Config{Budget: b, MemoryLimit: 1})
	if _, err := limited.NewMemory(2); err == nil || b.Used() != 512<<10 {
		t.Errorf("more than the device has: %v; %d bytes stay charged", err, b.Used()-512<<10)
	}
}

// A budget is the limit of the device where it has none of its own.
func TestBudget_AndMemoryLimit(t *testing.T) {
	for _, c := range []struct {
		budget, limit int64
		size          uint64
		ok            bool
	}{{5 << 30, 0, 9 << 29, math.MaxInt > 9<<29}, {5 << 30, 1 << 20, 2 << 20, false}, {1 << 20, 5 << 30, 2 << 20, false}, {4 << 20, 3 << 20, 2 << 20, true}} {
		dev := open(t, &pumice.Config{Budget: budget.New(c.budget, ""), MemoryLimit: c.limit, MemoryMode: pumice.MemoryOffHeap})
		m, err := dev.NewMemory(c.size)
		if (err == nil) != c.ok {
			t.Errorf("%d of a budget of %d and a limit of %d: %v", c.size, c.budget, c.limit, err)
		}
		if err == nil {
			m.Close()
		}
	}
}

package core

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/vk"
)

// feed hands out the bytes of a fuzzer's input; where it is used up they are zero.
type feed struct{ left []byte }

func (f *feed) byte() byte {
	if len(f.left) == 0 {
		return 0
	}
	b := f.left[0]
	f.left = f.left[1:]
	return b
}

// below returns a number of [0, n).
func (f *feed) below(n int) int {
	v := int(f.byte())
	if n > 256 {
		v = v<<8 | int(f.byte())
	}
	return v % n
}

// one says yes once in n times, and no when the input is used up.
func (f *feed) one(n int) bool { return len(f.left) > 0 && f.below(n) == n-1 }

func choose[T any](f *feed, from ...T) T { return from[f.below(len(from))] }

// odd are numbers at which arithmetic and comparisons go wrong.
var odd = [...]uint64{
	0, 1, 2, 3, 4, 5, 7, 8, 12, 15, 16, 17, 20, 31, 32, 33, 60, 63, 64, 65, 100, 127, 128, 255, 256, 257, 1000, 4095, 4096, 4097,
	1<<15 - 1, 1 << 15, 1<<16 - 1, 1 << 16, 1<<31 - 1, 1 << 31, 1<<32 - 4, 1<<32 - 1, 1 << 32, 1<<32 + 1, 1<<62 - 1, 1<<63 - 1, 1 << 63, 1<<64 - 64, 1<<64 - 4, 1<<64 - 1,
}

// number is one at which something may go wrong, or a small one.
func (f *feed) number() uint64 {
	if f.byte()&1 == 0 {
		return uint64(f.byte())
	}
	return odd[f.below(len(odd))]
}

// noise fills b with numbers of which many are small, from one byte of the input.
func (f *feed) noise(b []byte) {
	x := uint32(f.byte())*2654435761 + 1
	for i := range b {
		if i%4 == 0 {
			x ^= x << 13
			x ^= x >> 17
			x ^= x << 5
		}
		v := x >> (8 * (i % 4))
		switch x >> 29 { // a small integer, or a float between 1 and 2
		case 0, 1, 2:
			v = x & 31 >> (8 * (i % 4))
		case 3:
			v = (0x3F800000 | x&0x7FFFFF) >> (8 * (i % 4))
		}
		b[i] = byte(v)
	}
}

// guarded are the devices of a fuzz target: one for each kind of guarded memory, open
// as long as they are not lost.
type guarded struct {
	devices [2]*Device
	mu      sync.Mutex
	defects []string // since the last run began
}

// device returns a device on guarded memory.
func (g *guarded) device(t *testing.T, which int) *Device {
	t.Helper()
	g.defects = nil
	if d := g.devices[which]; d != nil {
		if d.lost.Load() == nil {
			return d
		}
		_ = d.Close() // lost, which was looked at when it happened
	}
	d, err := Open(Config{
		GuardMemory: [2]memory.Mode{memory.Guard, memory.GuardBefore}[which], Threads: 1, MemoryLimit: 64 << 20, LoopBudget: 1 << 18,
		MaxCacheShader: 16, Debug: g.hear, Mend: which == 1, CheckRanges: which == 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	g.devices[which] = d
	return d
}

// hear keeps what is a defect of ours, with its stack.
func (g *guarded) hear(m Message) {
	if m.Op == "Memory.Close" || m.Rule == "VK_ERROR_DEVICE_LOST" && strings.Contains(m.Text, "invariant") {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.defects = append(g.defects, m.Text)
	}
}

// check fails the test if err is not of the kind that misuse may end in, or if the
// device has noticed a defect.
func (g *guarded) check(t *testing.T, err error) {
	t.Helper()
	var e *Error
	if err != nil && !errors.As(err, &e) && !isContext(err) {
		t.Fatalf("error of type %T: %v", err, err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.defects) > 0 {
		t.Fatal(strings.Join(g.defects, "\n"))
	}
}

// things are objects of one run, closed when it ends.
type things struct {
	g    *guarded
	d    *Device
	list []interface{ Close() error }
}

// add keeps an object that came without an error.
func add[T interface{ Close() error }](t *testing.T, s *things, o T, err error) (T, bool) {
	t.Helper()
	s.g.check(t, err)
	if err != nil {
		return o, false
	}
	s.list = append(s.list, o)
	return o, true
}

// close closes all, the last one first, which checks what lies beside their memory.
func (s *things) close(t *testing.T) {
	t.Helper()
	for i := len(s.list) - 1; i >= 0; i-- {
		s.g.check(t, s.list[i].Close())
	}
	s.g.check(t, nil)
	if s.d.lost.Load() == nil {
		_ = s.d.Queue().Wait(ctx, "wait") // for work that was given up before it began: it holds its memory until its turn
		if used, _ := s.d.Memory(); used != 0 {
			t.Fatalf("%d bytes in use after everything was closed", used)
		}
	}
}

// buffer makes a buffer of noise that often ends within its last words.
func (s *things) buffer(t *testing.T, f *feed) (*Buffer, bool) {
	t.Helper()
	size := choose[uint64](f, 64, 256, 4, 12, 16, 20, 60, 68, 100, 128, 1, 7, 1000, 4096, 4100)
	b, err := s.d.NewBuffer(vk.BufferCreateInfo{Size: size}, nil, 0, fmt.Sprintf("buffer of %d", size))
	b, ok := add(t, s, b, err)
	if ok {
		f.noise(b.data)
	}
	return b, ok
}

//go:build !race

package memory

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Memory that is touched is no longer promised, as the host counts it then.
func TestGate_TouchedPagesCountOnce(t *testing.T) {
	tree := files(map[string]string{"proc/meminfo": string(meminfo("131072"))}) // 64 MiB are kept
	g := NewGate(OpenHost(tree))
	a := New(Config{Gate: g})
	b, err := a.AllocPaged(48 * mib)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Free()
	if room := g.Room(64 * mib); room != 16*mib {
		t.Errorf("room for %d bytes beside a promise", room)
	}
	for i := 0; i < 32*mib; i += PageBytes {
		b.Bytes()[i] = 1
	}
	tree["proc/meminfo"].Data = meminfo("98304") // 32 MiB less
	if room := g.Room(64 * mib); room != 16*mib {
		t.Errorf("room for %d bytes when a part was touched", room)
	}
}

// TestGate_InAControlGroup runs itself in a group with 96 MiB and takes memory until there is no
// more. Without the gate, the kernel ends the process.
func TestGate_InAControlGroup(t *testing.T) {
	const limit = 96 * mib
	if os.Getenv("PUMICE_TEST_GROUP") != "" {
		fill(t, limit)
		return
	}
	dir := newGroup(t, limit)
	cmd := exec.Command(os.Args[0], "-test.run", "^TestGate_InAControlGroup$", "-test.v")
	cmd.Env = append(os.Environ(), "PUMICE_TEST_GROUP="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	} else {
		t.Logf("%s", out)
	}
}

// newGroup makes a control group with a limit of memory and without swap.
func newGroup(t *testing.T, limit int64) string {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Skip("there is no /proc")
	}
	for _, second := range []bool{true, false} {
		for _, m := range groupMounts(string(mounts), second) {
			dir := filepath.Join(m.at, fmt.Sprintf("pumice-test-%d", os.Getpid()))
			if os.Mkdir(dir, 0o755) != nil {
				continue
			}
			t.Cleanup(func() {
				if err := os.Remove(dir); err != nil {
					t.Error(err)
				}
			})
			name, swap := "memory.limit_in_bytes", "memory.swappiness"
			if second {
				name, swap = "memory.max", "memory.swap.max"
			}
			if os.WriteFile(filepath.Join(dir, name), fmt.Append(nil, limit), 0) == nil {
				// A kernel without swap has no such file.
				_ = os.WriteFile(filepath.Join(dir, swap), []byte("0"), 0)
				return dir
			}
		}
	}
	t.Skip("this process may make no control group with a limit of memory")
	return ""
}

// fill enters the group and touches all memory that there is.
func fill(t *testing.T, limit int64) {
	members := filepath.Join(os.Getenv("PUMICE_TEST_GROUP"), "cgroup.procs")
	if err := os.WriteFile(members, []byte("0"), 0); err != nil {
		t.Fatal(err)
	}
	h := SystemHost()
	if h.Total() != limit {
		t.Fatalf("%d bytes in all, want %d", h.Total(), limit)
	}
	a := New(Config{Gate: NewGate(h)})
	total := int64(0)
	for size := int64(16 * mib); size >= 256<<10; {
		b, err := a.Alloc(size)
		if short := (*HostError)(nil); errors.As(err, &short) {
			size /= 2
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		for i := int64(0); i < size; i += PageBytes {
			b.Bytes()[i] = 1
		}
		total += size
	}
	t.Logf("%d MiB of %d, and the process lives", total>>20, limit>>20)
	if total < limit/2 {
		t.Errorf("only %d MiB of %d can be had", total>>20, limit>>20)
	}
}

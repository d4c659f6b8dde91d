package memory

import (
	"errors"
	"math"
	"strings"
	"testing"
	"testing/fstest"
)

// files makes a file system of names and contents.
func files(trees ...map[string]string) fstest.MapFS {
	out := fstest.MapFS{}
	for _, tree := range trees {
		for name, text := range tree {
			out[name] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	return out
}

// machine is one with 8 GiB, 6 of them left, and 1 GiB of swap.
var machine = map[string]string{
	"proc/meminfo": "MemTotal:        8388608 kB\nMemFree:          100000 kB\n" +
		"MemAvailable:    6291456 kB\nSwapTotal:       2097152 kB\nSwapFree:        1048576 kB\n",
	"proc/self/cgroup":    "0::/\n",
	"proc/self/mountinfo": "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n",
}

const gib, mib = 1 << 30, 1 << 20

// tree makes files of lines with a name and a content.
func tree(lines ...string) map[string]string {
	out := map[string]string{}
	for _, l := range lines {
		name, text, _ := strings.Cut(l, " ")
		out[strings.ReplaceAll(name, "#", " ")] = strings.ReplaceAll(text, ";", "\n") + "\n"
	}
	return out
}

func TestHost_OfControlGroups(t *testing.T) {
	const (
		of  = "proc/self/cgroup "
		at  = "proc/self/mountinfo 30 23 0:26 "
		dir = "sys/fs/cgroup/"
		v1  = dir + "memory/"
		all = at + "/ /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw"
		one = dir + "memory.max 1073741824" // GiB
	)
	for name, c := range map[string]struct {
		tree              map[string]string
		total, left, swap int64
	}{
		"none":          {nil, 8 * gib, 6 * gib, gib},
		"empty files":   {tree(of, "proc/self/mountinfo"), 8 * gib, 6 * gib, gib},
		"all unlimited": {tree(dir+"memory.max max", dir+"memory.high max"), 8 * gib, 6 * gib, gib},
		"max": {tree(one, dir+"memory.high max", dir+"memory.current 268435456",
			dir+"memory.stat anon 5;active_file 1048576;inactive_file 2097152"), gib, gib - 253*mib, gib},
		"high": {tree(dir+"memory.max max", dir+"memory.high 536870912", dir+"memory.current 0"),
			512 * mib, 512 * mib, gib},
		"overfull": {tree(dir+"memory.max 1048576", dir+"memory.current 5242880"), mib, 0, gib},
		"swap":     {tree(one, dir+"memory.swap.max 4096", dir+"memory.current 0"), gib, gib, 4096},
		"more than there is": {tree(dir+"memory.max 99999999999", dir+"memory.current 99999999990"),
			8 * gib, 6 * gib, gib},
		"ancestors": {tree(of+"0::/a/b/c", all, dir+"a/b/c/memory.max max",
			dir+"a/b/memory.max 4294967296", dir+"a/b/memory.current 4294963200",
			dir+"a/memory.max 2147483648", dir+"a/memory.current 0"), 2 * gib, 4096, gib},
		"in a container, named outside": {tree(of+"0::/docker/0123",
			at+"/docker/0123 /sys/fs/cgroup rw - cgroup2 cgroup2 rw", one, dir+"memory.current 4096"),
			gib, gib - 4096, gib},
		"moved out of sight": {tree(of+"0::/../other", all, one, dir+"memory.current 0"),
			gib, gib, gib},
		"a name that begins alike": {tree(of+"0::/ab",
			at+"/a /sys/fs/cgroup rw - cgroup2 cgroup2 rw", one, dir+"memory.current 0",
			dir+"b/memory.max 4096"), gib, gib, gib},
		"a blank in the mount": {tree(of+"0::/", at+`/ /sys/my\040groups rw - cgroup2 cgroup2 rw`,
			"sys/my#groups/memory.max 1073741824"), gib, 6 * gib, gib},
		"version 1": {tree(of+"9:name=systemd:/;4:memory,hugetlb:/x;0::/y",
			at+"/ /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu;"+
				"35 30 0:31 / /sys/fs/cgroup/memory rw shared:9 - cgroup cgroup rw,memory",
			v1+"memory.limit_in_bytes 9223372036854771712", v1+"x/memory.limit_in_bytes 1073741824",
			v1+"x/memory.usage_in_bytes 1048576", v1+"x/memory.memsw.limit_in_bytes 1073745920",
			v1+"x/memory.stat hierarchical_memory_limit 1073741824;active_file 99;"+
				"total_active_file 4096;total_inactive_file 4096"), gib, gib - mib + 8192, 4096},
		"version 1, limited above": {tree(of+"4:memory:/docker/1",
			at+"/docker/1 /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory",
			v1+"memory.limit_in_bytes 9223372036854771712", v1+"memory.usage_in_bytes 0",
			v1+"memory.stat hierarchical_memory_limit 1073741824"), gib, gib, gib},
		"nonsense": {tree(of+"0;::;4:memory;0::"+strings.Repeat("/a", 1000),
			"proc/self/mountinfo  - ;1 2 3 - cgroup2;30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw",
			dir+"memory.max -5", dir+"memory.high 1e9", dir+"memory.current"), 8 * gib, 6 * gib, gib},
	} {
		h := OpenHost(files(machine, c.tree))
		left, swap, ok := h.Left()
		if h.Total() != c.total || left != c.left || swap != c.swap || !ok {
			t.Errorf("%s: %d in all, %d left and %d of swap, %v; want %d, %d, %d",
				name, h.Total(), left, swap, ok, c.total, c.left, c.swap)
		}
	}
}

// What is left is what files say now; a host that does not tell has none of it.
func TestHost_Changes(t *testing.T) {
	const dir = "sys/fs/cgroup/"
	tree := files(machine, tree(dir+"memory.max 1073741824", dir+"memory.current 0"))
	h := OpenHost(tree)
	tree["sys/fs/cgroup/memory.current"].Data = []byte("1073737728\n")
	if left, _, ok := h.Left(); left != 4096 || !ok {
		t.Errorf("%d left, %v", left, ok)
	}
	tree["sys/fs/cgroup/memory.current"].Data = nil // the group is gone
	if left, _, ok := h.Left(); left != 6*gib || !ok {
		t.Errorf("%d left, %v", left, ok)
	}
	tree["proc/meminfo"].Data = []byte("MemTotal: 8388608 kB\nMemFree: 5 kB\n")
	if _, _, ok := h.Left(); ok {
		t.Error("it tells, although the kernel does not")
	}
	totals := map[string]string{"no": "", "a broken": "MemTotal: x kB\n", "an empty": "MemTotal: 0\n"}
	for name, text := range totals {
		if h := OpenHost(files(map[string]string{"proc/meminfo": text})); h != nil {
			t.Errorf("%s total: %d", name, h.Total())
		}
	}
	var none *Host
	if _, _, ok := none.Left(); ok || OpenHost(fstest.MapFS{}) != nil || none.Total() != 0 {
		t.Error("a host without files")
	}
}

// meminfo is a machine of a GiB without swap, with so many KiB left.
func meminfo(available string) []byte {
	return []byte("MemTotal: 1048576 kB\nMemAvailable: " + available + " kB\nSwapFree: 0 kB\n")
}

// A gate refuses what the host has no memory for, and counts what blocks have been promised.
func TestGate_RefusesWhatTheHostHasNot(t *testing.T) {
	tree := files(machine)
	tell := func(available string) {
		tree["proc/meminfo"].Data = meminfo(available)
	}
	tell("262144") // 256 MiB, of which 64 are kept
	g := NewGate(OpenHost(tree))
	a := New(Config{Gate: g})
	if room := g.Room(math.MaxInt64); room != 192*mib {
		t.Errorf("room for %d bytes", room)
	}
	var system *SystemError
	var short *HostError
	_, err := a.Alloc(200 * mib)
	left := Stats{Peak: 200 * mib, Limit: math.MaxInt64}
	typed := errors.As(err, &system) && errors.As(err, &short)
	if !typed || short.Left != 192*mib || a.Stats() != left {
		t.Fatalf("%v, %+v", err, a.Stats())
	}
	for name, alloc := range map[string]func(int64) (*Block, error){
		"Alloc": a.Alloc, "AllocPaged": a.AllocPaged, "AllocShared": a.AllocShared,
	} {
		first, err := alloc(128 * mib)
		if err != nil && !canMap {
			continue
		} else if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, err := New(Config{Gate: g}).Alloc(100 * mib); err == nil && canMap {
			t.Errorf("%s: what was promised can be had again", name)
		}
		if err := first.Free(); err != nil {
			t.Fatal(err)
		}
		second, err := alloc(128 * mib)
		if err != nil {
			t.Fatalf("%s: after freeing: %v", name, err)
		}
		_ = second.Free()
	}
	tell("1")
	g.until = g.until.Add(-gatePeriod)
	if _, err := a.Alloc(64); err == nil || g.Room(1) != 0 {
		t.Errorf("a byte of a host without memory: %v", err)
	}
	tree["proc/meminfo"].Data = nil
	if b, err := a.Alloc(1 * mib); err != nil {
		t.Errorf("a host that does not tell: %v", err)
	} else {
		_ = b.Free()
	}
	var open *Gate
	if err := open.admit(math.MaxInt64); err != nil || open.Room(5) != math.MaxInt64 {
		t.Errorf("no gate: %v", err)
	}
}

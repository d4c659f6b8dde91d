package memory

import (
	"bytes"
	"io"
	"io/fs"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Host is the memory of the machine, as far as this process may use it. Its files stay open, so
// that Left works when a sandbox has closed around the process, and costs some reads.
type Host struct {
	total   int64
	meminfo io.ReaderAt // nil: the system does not tell what is left
	groups  []group
}

// group is a control group with a limit, of which the process or its group is a member.
type group struct {
	limit, swap   int64 // bytes of memory and, besides, of swap
	current, stat io.ReaderAt
	second        bool // of version 2
}

// OpenHost reads what /proc and the control groups' file systems under root tell; nil, where they
// do not tell how much memory there is. Limits of groups that lie above those which the process
// sees are not known.
func OpenHost(root fs.FS) *Host {
	h := &Host{meminfo: open(root, "proc/meminfo")}
	if h.meminfo == nil {
		return nil
	}
	if h.total = numbers(h.meminfo)("MemTotal:") << 10; h.total <= 0 {
		return nil
	}
	h.openGroups(root)
	return h
}

// Total is how much memory the process may have at most, in bytes: the machine's, or the least
// limit of its control groups (memory.max, memory.high, memory.limit_in_bytes) as they were in the
// beginning.
func (h *Host) Total() int64 {
	if h == nil {
		return 0
	}
	total := h.total
	for _, g := range h.groups {
		total = min(total, g.limit)
	}
	return total
}

// Left is how many bytes the host can still give the process now, in memory and, besides, in swap;
// false where it does not tell. What files have in memory counts as left, as it is given up.
func (h *Host) Left() (bytes, swap int64, ok bool) {
	if h == nil || h.meminfo == nil {
		return 0, 0, false
	}
	info := numbers(h.meminfo)
	bytes, swap = info("MemAvailable:")<<10, info("SwapFree:")<<10
	if bytes < 0 {
		return 0, 0, false // a kernel before 3.14, or no such file any more
	}
	for _, g := range h.groups {
		if left, ok := g.left(); ok {
			bytes = min(bytes, left)
		}
		swap = min(swap, g.swap)
	}
	return max(bytes, 0), max(swap, 0), true
}

// left is how many bytes the group's members may still take, false where it does not tell.
func (g *group) left() (int64, bool) {
	used, ok := number(content(g.current))
	if !ok {
		return 0, false
	}
	files, stat := int64(0), numbers(g.stat)
	names := []string{"total_active_file", "total_inactive_file"} // with those of groups below
	if g.second {
		names = []string{"active_file", "inactive_file"}
	}
	for _, name := range names {
		files += max(0, stat(name))
	}
	return g.limit - max(0, used-files), true
}

// openGroups finds the control groups that limit the process.
func (h *Host) openGroups(root fs.FS) {
	of, _ := fs.ReadFile(root, "proc/self/cgroup")
	mounts, _ := fs.ReadFile(root, "proc/self/mountinfo")
	for line := range strings.Lines(string(of)) { // hierarchy:controllers:path
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(fields) < 3 {
			continue
		}
		second := fields[1] == "" && fields[0] == "0"
		if !second && !slices.Contains(strings.Split(fields[1], ","), "memory") {
			continue
		}
		for _, m := range groupMounts(string(mounts), second) {
			for _, dir := range m.folders(fields[2]) {
				if g, ok := openGroup(root, strings.TrimPrefix(dir, "/"), second); ok && g.limit < h.total {
					h.groups = append(h.groups, g)
				}
			}
		}
	}
}

// groupMount is where groups of the hierarchy are seen: those of root and below, in the folder at.
type groupMount struct{ root, at string }

// groupMounts are the mounts of version 2, or those of version 1 with the controller of memory.
//
// proc_pid_mountinfo(5)
func groupMounts(mountinfo string, second bool) (out []groupMount) {
	for line := range strings.Lines(mountinfo) {
		mount, system, _ := strings.Cut(line, " - ")
		m, s := strings.Fields(mount), strings.Fields(system)
		if len(m) < 5 || len(s) < 3 {
			continue
		}
		first := s[0] == "cgroup" && slices.Contains(strings.Split(s[2], ","), "memory")
		if second && s[0] == "cgroup2" || !second && first {
			out = append(out, groupMount{unescape(m[3]), unescape(m[4])})
		}
	}
	return out
}

// unescape undoes what the kernel does to blanks in names of mounts.
func unescape(s string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(s)
}

// maxGroups bounds how deep groups lie in each other.
const maxGroups = 64

// folders are those of a group and of the groups that it is in, from below, as far as they are
// seen here. In a container the group may be told by its name outside, where the mount begins with
// the container's own.
func (m groupMount) folders(group string) (out []string) {
	below, ok := strings.CutPrefix(path.Clean(group), strings.TrimSuffix(m.root, "/"))
	if !ok || below != "" && below[0] != '/' || strings.HasPrefix(below, "/..") {
		below = ""
	}
	for dir := path.Join(m.at, below); len(out) < maxGroups; dir = path.Dir(dir) {
		out = append(out, dir)
		if len(dir) <= len(path.Clean(m.at)) {
			break
		}
	}
	return out
}

// openGroup opens the group in a folder; false, if it has no limit.
func openGroup(root fs.FS, dir string, second bool) (g group, ok bool) {
	g = group{limit: math.MaxInt64, swap: math.MaxInt64, second: second}
	limit := func(name string) int64 {
		text, _ := fs.ReadFile(root, path.Join(dir, name))
		if n, ok := number(text); ok {
			return n
		}
		return math.MaxInt64 // "max", or there is no such file
	}
	used := "memory.usage_in_bytes"
	if second {
		used = "memory.current"
		g.limit, g.swap = min(limit("memory.max"), limit("memory.high")), limit("memory.swap.max")
	} else {
		g.limit = limit("memory.limit_in_bytes")
		if both := limit("memory.memsw.limit_in_bytes"); both < unlimited {
			g.swap = max(0, both-g.limit)
		}
	}
	g.stat = open(root, path.Join(dir, "memory.stat"))
	if n := numbers(g.stat)("hierarchical_memory_limit"); !second && n > 0 {
		g.limit = min(g.limit, n) // that of groups above, too
	}
	if g.limit >= unlimited {
		return g, false
	}
	g.current = open(root, path.Join(dir, used))
	return g, true
}

// open opens a file that is read again and again; nil, if that does not work.
func open(root fs.FS, name string) io.ReaderAt {
	f, err := root.Open(name)
	if err != nil {
		return nil
	}
	r, ok := f.(io.ReaderAt)
	if !ok {
		_ = f.Close()
		return nil
	}
	return r
}

// content is what is in a file now, up to 16 KiB of it.
func content(f io.ReaderAt) []byte {
	if f == nil {
		return nil
	}
	text := make([]byte, 16<<10)
	n, err := f.ReadAt(text, 0)
	if err != nil && err != io.EOF {
		return nil
	}
	return text[:n]
}

// numbers reads a file of names and numbers. What it returns looks them up; -1, where a name is
// missing.
func numbers(f io.ReaderAt) func(name string) int64 {
	text := content(f)
	return func(name string) int64 {
		for line := range bytes.Lines(text) {
			if fields := bytes.Fields(line); len(fields) >= 2 && string(fields[0]) == name {
				if n, ok := number(fields[1]); ok {
					return n
				}
			}
		}
		return -1
	}
}

// number is a count of bytes; one that is too large is as large as can be.
func number(text []byte) (int64, bool) {
	n, err := strconv.ParseUint(string(bytes.TrimSpace(text)), 10, 64)
	if err != nil {
		return 0, false
	}
	return int64(min(n, math.MaxInt64)), true
}

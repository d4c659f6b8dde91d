// Package roots makes clean Debian systems in folders and runs programs in them, so that what a
// user's machine does not have is really not there. It takes Linux, a user who may mount, and
// Debian's mmdebstrap.
package roots

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Cannot says why this machine makes no roots, or "". More are further programs that the caller
// needs.
func Cannot(more ...string) string {
	if runtime.GOOS != "linux" || os.Geteuid() != 0 {
		return "a root folder of its own takes Linux and a user who may make one"
	}
	for _, tool := range append([]string{"mmdebstrap", "unshare"}, more...) {
		if _, err := exec.LookPath(tool); err != nil {
			return "there is no " + tool
		}
	}
	if err := exec.Command("unshare", "--mount", "true").Run(); err != nil {
		return "this user may not mount: " + err.Error()
	}
	return ""
}

// Host returns the name of the Debian release of this machine, "stable" where it is none.
func Host() string {
	text, _ := os.ReadFile("/etc/os-release")
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "VERSION_CODENAME="); ok {
			return name
		}
	}
	return "stable"
}

// Make makes a root of a Debian release ("bookworm", "sid") in the folder path, which must not be
// there: its essential packages and those named, without documentation.
func Make(ctx context.Context, path, release string, packages ...string) error {
	args := []string{
		"--quiet", "--variant=essential", "--dpkgopt=force-unsafe-io", "--dpkgopt=path-exclude=/usr/share/doc/*",
		`--aptopt=Acquire::Check-Valid-Until "false"`, // a mirror may be some days behind
	}
	if len(packages) > 0 {
		args = append(args, "--include="+strings.Join(packages, ","))
	}
	if err := retried(ctx, append(args, release, path)...); err != nil {
		return err
	}
	// Every machine has one, so that localhost has an address.
	return os.WriteFile(
		filepath.Join(path, "etc", "hosts"), []byte("127.0.0.1 localhost\n::1 localhost\n"), 0o644)
}

// retried runs mmdebstrap, whose arguments after options are a release and the folder to make. A
// server that does not answer at once is no failure.
func retried(ctx context.Context, args ...string) error {
	at := slices.IndexFunc(args, func(arg string) bool { return !strings.HasPrefix(arg, "-") })
	release, path := args[at], args[at+1]
	var out []byte
	var err error
	for range 3 {
		if out, err = exec.CommandContext(ctx, "mmdebstrap", args...).CombinedOutput(); err == nil {
			return nil
		}
		if err := os.RemoveAll(path); err != nil {
			return err
		}
	}
	return fmt.Errorf("mmdebstrap %s %s: %w\n%s", release, path, err, out)
}

// Extract makes a root for running programs without their system: packages of a Debian release for
// an architecture as Debian calls it, with what they depend on, unpacked and not set up. So it may
// be another architecture than this machine's.
func Extract(ctx context.Context, path, release, arch string, packages ...string) error {
	args := []string{
		"--quiet", "--variant=extract", "--architectures=" + arch, "--include=" + strings.Join(packages, ","),
		`--aptopt=Acquire::Check-Valid-Until "false"`, release, path,
		"deb http://deb.debian.org/debian " + release + " main", // without what has changed since
	}
	if err := retried(ctx, args...); err != nil {
		return err
	}
	for _, name := range []string{"bin", "sbin", "lib", "lib64"} { // the package that brings these links brings much else
		inUsr := filepath.Join(path, "usr", name)
		if _, err := os.Lstat(filepath.Join(path, name)); err == nil {
			continue
		}
		if _, err := os.Stat(inUsr); err == nil {
			if err := os.Symlink(filepath.Join("usr", name), filepath.Join(path, name)); err != nil {
				return err
			}
		}
	}
	for _, name := range []string{"proc", "dev", "tmp"} {
		if err := os.MkdirAll(filepath.Join(path, name), 0o777); err != nil {
			return err
		}
	}
	return nil
}

// A Mount shows a folder of this machine in a root.
type Mount struct {
	From, To string // To is a path in the root, which is made
	ReadOnly bool
}

// Inside is how a program runs in a root.
type Inside struct {
	Root   string
	Mounts []Mount
	Dir    string   // in the root; where empty, "/", and then the root needs no shell
	User   string   // root where empty
	Env    []string // all of the environment
}

// Command returns a command that runs a program in the root. Mounts, /proc and /dev are there while
// it runs, and so are the processes that it starts: they end with it.
func (in Inside) Command(ctx context.Context, args ...string) *exec.Cmd {
	const script = `set -e
root=$1 dir=$2 user=$3 mounts=$4
shift 4
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
while [ "$mounts" -gt 0 ]; do
	mkdir -p "$root$2"
	mount --bind "$1" "$root$2"
	[ "$3" = rw ] || mount -o remount,bind,ro "$root$2"
	shift 3
	mounts=$((mounts - 1))
done
[ -n "$dir" ] || exec chroot --userspec="$user" "$root" "$@"
exec chroot --userspec="$user" "$root" sh -c 'cd "$0" && exec "$@"' "$dir" "$@"`
	dir, user := in.Dir, in.User
	if user == "" {
		user = "0:0"
	}
	list := []string{"--mount", "--pid", "--fork", "--kill-child", "sh", "-c", script, "inside", in.Root, dir, user, fmt.Sprint(len(in.Mounts))}
	for _, m := range in.Mounts {
		mode := "rw"
		if m.ReadOnly {
			mode = "ro"
		}
		list = append(list, m.From, m.To, mode)
	}
	cmd := exec.CommandContext(ctx, "unshare", append(list, args...)...)
	cmd.Env = in.Env
	return cmd
}

// Has says whether a program is in the root's usual folders.
func Has(root, program string) bool {
	for _, dir := range []string{"usr/local/bin", "usr/sbin", "usr/bin", "sbin", "bin"} {
		if _, err := os.Lstat(filepath.Join(root, dir, program)); err == nil {
			return true
		}
	}
	return false
}

package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/pumice-gpu/pumice/internal/roots"
)

// hostSystem is a row of the table of hosts: a Debian release on an architecture, in a root of its
// own.
type hostSystem struct {
	name, release, arch string
	tests               string // which Go tests run there, in words
	silent              bool   // its vkcube does not say which device it takes; it has this one alone
}

// What emulates a processor, as Debian's qemu-user-static has it.
var emulators = map[string]string{"arm64": "qemu-aarch64-static", "riscv64": "qemu-riscv64-static"}

var hostSystems = []hostSystem{
	{name: "Debian 11", release: "bullseye", arch: "amd64", tests: unrun, silent: true},
	{name: "Debian 12", release: "bookworm", arch: "amd64", tests: "all, by `.ci/run`"},
	{name: "Debian 13", release: "trixie", arch: "amd64", tests: "[machines.md](machines.md)"},
	{name: "Debian sid", release: "sid", arch: "amd64", tests: "[machines.md](machines.md)"},
	{name: "Debian 13", release: "trixie", arch: "arm64", tests: "engines, lowering, conformance: by hand (CONTRIBUTING.md)"},
	{name: "Debian 13", release: "trixie", arch: "riscv64", tests: unrun},
}

// machineCode says what shaders become on an architecture.
var machineCode = map[string]string{
	"amd64":   "AVX-512 or AVX2",
	"arm64":   "Advanced SIMD",
	"riscv64": "no: the portable engine",
}

const unrun = "unrun"

// otherHosts are rows of what this command does not run.
var otherHosts = []string{
	"| musl 1.2.3, amd64, a process of its own, by `TestOutside_Musl` | – | yes | unrun |" +
		" `9522ba49…` | unrun | unrun | AVX-512 or AVX2 |",
	"| Windows, amd64, under Wine 8, by `TestOutside_Windows` | – | yes | unrun | `9522ba49…` |" +
		" a client of our own, in a window | by hand ([driver.md](driver.md#windows)) | AVX-512 or AVX2 |",
	"| macOS | – | no driver | no driver | no driver | no driver | builds, not run | unrun |",
}

// The table stands between these lines of a page.
const hostsBegin, hostsEnd = "<!-- hosts: written by go run ./internal/release -hosts -->\n", "<!-- end of hosts -->\n"

// checkHosts puts the drivers into roots of several systems and architectures, runs programs
// there, and writes what came of it into the page. Pictures must be equal.
func checkHosts(ctx context.Context, version, page string) error {
	if why := roots.Cannot("Xvfb", emulators["arm64"], emulators["riscv64"]); why != "" {
		return errors.New(why)
	}
	b, err := newBuilder(ctx, version)
	if err != nil {
		return err
	}
	defer b.close()
	display, stop, err := screen(ctx)
	if err != nil {
		return err
	}
	defer stop()
	table := "| host | glibc | loads | vulkaninfo | triangle | vkcube | Go tests | machine code |\n|---|---|---|---|---|---|---|---|\n"
	pictures := map[string]bool{}
	var failed []error
	for _, h := range hostSystems {
		row, picture, err := b.host(h, display)
		if err != nil {
			failed = append(failed, fmt.Errorf("%s, %s: %w", h.name, h.arch, err))
			continue
		}
		log.Print(row)
		table += row + "\n"
		pictures[picture] = true
	}
	if len(pictures) > 1 {
		failed = append(failed, fmt.Errorf("the triangles differ: %v", pictures))
	}
	if err := errors.Join(failed...); err != nil {
		return err
	}
	for picture := range pictures {
		table += strings.Join(otherHosts, "\n")
		table += "\n\nThe triangle's SHA-256, on all: `" + picture + "`.\n"
	}
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(text), hostsBegin)
	_, after, ok2 := strings.Cut(rest, hostsEnd)
	if !ok || !ok2 {
		return fmt.Errorf("%s has no place for the table of hosts: no line %q", page,
			strings.TrimSpace(hostsBegin))
	}
	return os.WriteFile(page, []byte(before+hostsBegin+table+hostsEnd+after), 0o644)
}

// host runs what a row tells, and returns it with the sum of the triangle. Its error is what does
// not work.
func (b *builder) host(h hostSystem, display string) (row, picture string, err error) {
	driver, client, err := b.forHost(target{"linux", h.arch})
	if err != nil {
		return "", "", err
	}
	root := filepath.Join(b.tmp, "host-"+h.release+"-"+h.arch)
	defer os.RemoveAll(root)
	packages := []string{
		"libc6",
		"vulkan-tools",
		"libvulkan1",
		"libxcb1",
		"libxcb-shm0",
		"libx11-xcb1",
	}
	if err := roots.Extract(b.ctx, root, h.release, h.arch, packages...); err != nil {
		return "", "", err
	}
	for _, f := range driver {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, f.name)), 0o755); err != nil {
			return "", "", err
		}
		if err := os.WriteFile(filepath.Join(root, f.name), f.data, 0o644); err != nil {
			return "", "", err
		}
	}
	if err := copyInto(root, client, "triangle"); err != nil {
		return "", "", err
	}
	run := func(env []string, args ...string) (string, error) {
		if h.arch != host().arch {
			args = append([]string{"/emulator"}, args...)
		}
		in := roots.Inside{
			Root: root, Mounts: []roots.Mount{{From: filepath.Join(b.root, "driver", "testdata"), To: "/shaders", ReadOnly: true}},
			Env: append([]string{"LANG=C.UTF-8", "PATH=/usr/sbin:/usr/bin"}, env...),
		}
		out, err := in.Command(b.ctx, args...).CombinedOutput()
		if err != nil {
			err = fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, out)
		}
		return string(out), err
	}
	emulated := ""
	if h.arch != host().arch {
		qemu, err := exec.LookPath(emulators[h.arch])
		if err != nil {
			return "", "", err
		}
		if err := copyInto(root, qemu, "emulator"); err != nil {
			return "", "", err
		}
		emulated = ", under qemu-user"
	}
	library := "/usr/lib/" + triplets[h.arch] + "/" + libraryName
	if _, err := run([]string{"PUMICE_DRIVER=" + library, "PICTURE=/picture"}, "/triangle", "/shaders"); err != nil {
		return "", "", err
	}
	bytes, err := os.ReadFile(filepath.Join(root, "picture"))
	if err != nil {
		return "", "", err
	}
	picture = fmt.Sprintf("%x", sha256.Sum256(bytes))
	cube := `Selected GPU 0: Pumice \(CPU\), type: `
	if h.silent {
		cube = "^$"
	}
	for _, step := range []struct {
		args []string
		says string
	}{
		{[]string{"/usr/bin/vulkaninfo", "--summary"}, `deviceName\s*= Pumice \(CPU\)`},
		{[]string{"/usr/bin/vkcube", "--c", "5"}, cube},
	} {
		out, err := run([]string{"DISPLAY=" + display}, step.args...)
		if err != nil {
			return "", "", err
		}
		if !regexp.MustCompile(step.says).MatchString(out) {
			return "", "", fmt.Errorf("%s does not say %q:\n%s", step.args[0], step.says, out)
		}
	}
	libc, err := glibcIn(root)
	return fmt.Sprintf(
		"| %s, %s%s | %s | yes | yes | `%.8s…` | yes | %s | %s |",
		h.name,
		h.arch,
		emulated,
		libc,
		picture,
		h.tests,
		machineCode[h.arch],
	), picture, err
}

// forHost makes the driver's files as the Debian package has them, and the client that draws a
// triangle, and returns that one's path.
func (b *builder) forHost(t target) (files []file, client string, err error) {
	cc, err := b.compiler(t)
	if err != nil {
		return nil, "", err
	}
	driver := b.drivers[t]
	if driver == nil {
		if driver, err = b.driver(t, cc); err != nil {
			return nil, "", err
		}
		if _, err = needsOf(driver); err != nil {
			return nil, "", err
		}
		b.drivers[t] = driver
	}
	parts, err := b.isolated(t, cc)
	if err != nil {
		return nil, "", err
	}
	files, client = debianDriver(t, driver, parts), filepath.Join(b.tmp, "triangle-"+t.arch)
	old, err := b.oldLibraries(t, cc)
	if err != nil {
		return nil, "", err
	}
	cmd := exec.CommandContext(b.ctx, cc, "-Itestdata/include", "-std=gnu11", "-O1", "-o", client,
		"testdata/triangle.c", "testdata/loader.c", "-L"+old, "-ldl", "-lpthread", "-lm")
	cmd.Dir = filepath.Join(b.root, "driver")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, "", fmt.Errorf("%s: %w\n%s", cc, err, out)
	}
	return files, client, nil
}

func copyInto(root, from, name string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, name), data, 0o755)
}

// glibcIn is the version of the C library in a root, by what the library says of itself.
func glibcIn(root string) (string, error) {
	for _, pattern := range []string{"lib/*-linux-gnu/libc.so.6", "usr/lib/*-linux-gnu/libc.so.6"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || files == nil {
			continue
		}
		slices.Sort(files)
		data, err := os.ReadFile(files[0])
		if err != nil {
			return "", err
		}
		if m := regexp.MustCompile(`stable release version (2\.\d+)`).FindSubmatch(data); m != nil {
			return string(m[1]), nil
		}
	}
	return "", fmt.Errorf("no C library in %s tells its version", root)
}

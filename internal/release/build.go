package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/pumice-gpu/pumice/internal/version"
)

// builder builds the binaries of one version.
type builder struct {
	ctx      context.Context
	root     string // the checkout
	tmp      string
	version  semver
	time     time.Time
	licenses string // what `pumice licenses` prints
	license  []byte // of Pumice itself
	pages    []file // manual pages, as man1/pumice.1
	gzipped  []file // the same as man1/pumice.1.gz
	shells   []file // completions, by the names of shells
	commands map[target][]byte
	drivers  map[target][]byte // that several systems are tried with
}

// made is what a target's build gives: files of the release, and the modules, with versions, that
// its binaries hold.
type made struct {
	files   map[string][]byte
	modules map[string]string
}

func newBuilder(ctx context.Context, version string) (*builder, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Path}} {{.Dir}}").
		Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	path, root, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	if path != modulePath {
		return nil, fmt.Errorf("this is not a checkout of %s", modulePath)
	}
	b := &builder{
		ctx:      ctx,
		root:     root,
		commands: map[target][]byte{},
		drivers:  map[target][]byte{},
	}
	if b.version, b.time, err = versionOfTree(gitIn(ctx, root), version); err != nil {
		return nil, err
	}
	b.tmp, err = os.MkdirTemp("", "pumice-release-")
	return b, err
}

func (b *builder) close() { _ = os.RemoveAll(b.tmp) }

// noCompiler says that this machine cannot build the driver of a target.
type noCompiler struct{ cc, why string }

func (e *noCompiler) Error() string {
	return fmt.Sprintf("the driver takes %s and its C library (%s); Debian has them as gcc-aarch64-linux-gnu and "+
		"libc6-dev-arm64-cross, gcc-riscv64-linux-gnu and libc6-dev-riscv64-cross, gcc-x86-64-linux-gnu and "+
		"libc6-dev-amd64-cross, or gcc-mingw-w64-x86-64", e.cc, e.why)
}

// hasDriver says that there is a driver for a target.
func (t target) hasDriver() bool { return t.os == "linux" || t == target{"windows", "amd64"} }

// mingw is the C compiler of Windows on amd64.
const mingw = "x86_64-w64-mingw32-gcc"

// compiler is the C compiler of a target that has a driver.
func (b *builder) compiler(t target) (string, error) {
	cc := os.Getenv("CC")
	if t != host() {
		if cc = triplets[t.arch] + "-gcc"; t.os == "windows" {
			cc = mingw
		}
	} else if cc == "" {
		cc = "gcc"
	}
	cmd := exec.CommandContext(b.ctx, cc, "-E", "-x", "c", "-")
	cmd.Stdin = strings.NewReader("#include <stdlib.h>\n")
	if out, err := cmd.CombinedOutput(); err != nil {
		why, _, _ := strings.Cut(string(out), "\n")
		if why == "" {
			why = err.Error()
		}
		return "", &noCompiler{cc, why}
	}
	return cc, nil
}

// target builds all files of a target.
func (b *builder) target(t target) (made, error) {
	cc := ""
	if t.hasDriver() {
		var err error
		cc, err = b.compiler(t) // before anything is built
		switch {
		case err != nil && t.os == "windows": // where an archive without the driver is of use
			log.Printf("%s has no driver: %v", t, err)
		case err != nil:
			return made{}, err
		}
	}
	if err := b.texts(); err != nil {
		return made{}, err
	}
	command, err := b.command(t)
	if err != nil {
		return made{}, err
	}
	m := made{files: map[string][]byte{}, modules: map[string]string{}}
	if err := m.linked(command); err != nil {
		return m, err
	}
	archive := archiveName(b.version, t)
	name := strings.TrimSuffix(strings.TrimSuffix(archive, ".tar.gz"), ".zip")
	switch t.os {
	case "windows":
		var driver []byte
		if cc != "" {
			if driver, err = b.driver(t, cc); err != nil {
				return m, err
			}
			if err = m.linked(driver); err != nil {
				return m, err
			}
		}
		m.files[archive], err = zipped(under(name, windowsTree(b, command, driver)), b.time)
		err = errors.Join(err, b.npmTarget(t, m, command, nil))
	case "linux":
		err = b.linux(t, m, command, cc)
	default:
		m.files[archive], err = tarball("", under(name, unixTree(b, t, command, nil, isolated{})),
			b.time)
		err = errors.Join(err, b.npmTarget(t, m, command, nil))
	}
	return m, err
}

// linux adds the files of a Linux target: an archive, packages of package managers, and npm's.
func (b *builder) linux(t target, m made, command []byte, cc string) error {
	driver, err := b.driver(t, cc)
	if err != nil {
		return err
	}
	if err := m.linked(driver); err != nil {
		return err
	}
	needs, err := needsOf(driver)
	if err != nil {
		return err
	}
	isolated, err := b.isolated(t, cc)
	if err != nil {
		return err
	}
	if err := m.linked(isolated.helper); err != nil {
		return err
	}
	for p, tree := range map[packager][]file{
		deb: debianTree(b, t, command, driver, isolated),
		rpm: rpmTree(b, t, command, driver, isolated),
		apk: alpineTree(b, t, command, isolated),
	} {
		if m.files[packageName(p, b.version, t.arch)], err = b.packed(p, configOf(p, b.version, t.arch, needs, b.time), tree); err != nil {
			return err
		}
	}
	archive := archiveName(b.version, t)
	if m.files[archive], err = tarball("", under(strings.TrimSuffix(archive, ".tar.gz"), unixTree(b, t, command, driver, isolated)), b.time); err != nil {
		return err
	}
	return errors.Join(b.npmTarget(t, m, command, driver), b.npmMusl(t, m, isolated))
}

// linked adds the modules of a binary.
func (m *made) linked(binary []byte) error {
	info, err := buildinfo.Read(bytes.NewReader(binary))
	if err != nil {
		return err
	}
	for _, d := range info.Deps {
		m.modules[d.Path] = d.Version
	}
	return nil
}

// command builds the command of a target.
func (b *builder) command(t target) ([]byte, error) {
	if have := b.commands[t]; have != nil {
		return have, nil
	}
	binary, err := b.build(t, "./cmd/pumice",
		[]string{"-ldflags=-s -w -X main.stamped=" + string(b.version)}, "CGO_ENABLED=0")
	b.commands[t] = binary
	return binary, err
}

// driver builds the driver of a target.
func (b *builder) driver(t target, cc string) ([]byte, error) {
	// The path of the list of exports would be part of build IDs: of two folders, two libraries.
	extra := ""
	exports := "-Wl,--version-script=" + filepath.Join(b.root, "driver", "exports.map")
	if t.os == "windows" {
		exports = filepath.Join(b.root, "driver", "exports.def")
	} else {
		old, err := b.oldLibraries(t, cc)
		if err != nil {
			return nil, err
		}
		extra = " '-L" + old + "' -ldl"
	}
	flags := "-s -w -buildid= -B=none -extldflags \"'" + exports + "'" + extra + "\"" // quoted for go and for its linker
	return b.build(t, "./driver", []string{"-buildmode=c-shared", "-ldflags=" + flags}, "CGO_ENABLED=1", "CC="+cc)
}

// isolated is the driver in a process of its own: what a program loads, with any C library, and the
// program that it starts.
type isolated struct{ front, helper []byte }

// isolated builds it for a Linux target, as driver/isolate/build.sh does.
func (b *builder) isolated(t target, cc string) (isolated, error) {
	start := time.Now()
	dir, err := os.MkdirTemp(b.tmp, "isolated-")
	if err != nil {
		return isolated{}, err
	}
	cmd := exec.CommandContext(b.ctx, "sh", filepath.Join(b.root, "driver", "isolate", "build.sh"), dir)
	cmd.Env = append(os.Environ(), "CC="+cc, "GOOS="+t.os, "GOARCH="+t.arch, "GOFLAGS=-trimpath -mod=readonly",
		"GOWORK=off", "GOEXPERIMENT=", "GOAMD64=v1", "GOARM64=v8.0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return isolated{}, fmt.Errorf("the driver's front and helper: %w\n%s", err, out)
	}
	took(start, "./driver/pumice-driver for %s", t)
	var i isolated
	if i.front, err = os.ReadFile(filepath.Join(dir, frontName)); err == nil {
		i.helper, err = os.ReadFile(filepath.Join(dir, helperName))
	}
	return i, err
}

// build runs go build, without what this machine's environment says of flags.
func (b *builder) build(t target, pkg string, flags []string, env ...string) ([]byte, error) {
	start := time.Now()
	path := filepath.Join(b.tmp, "binary")
	if t.os == "windows" { // GNU's linker would add .exe, and a library knows the name that it was made by
		path = filepath.Join(b.tmp, dllName)
	}
	args := append([]string{"build", "-trimpath", "-buildvcs=false", "-mod=readonly", "-o", path}, flags...)
	cmd := exec.CommandContext(b.ctx, "go", append(args, pkg)...)
	cmd.Dir = b.root
	cmd.Env = append(os.Environ(), "GOOS="+t.os, "GOARCH="+t.arch, "GOFLAGS=", "GOWORK=off",
		"GOEXPERIMENT=", "GOAMD64=v1", "GOARM64=v8.0", "CGO_CFLAGS=-O2", "CGO_CPPFLAGS=",
		"CGO_LDFLAGS=-O2")
	cmd.Env = append(cmd.Env, env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build %s: %w\n%s", pkg, err, out)
	}
	took(start, "%s for %s", pkg, t)
	return os.ReadFile(path)
}

// texts makes what the command prints of itself: licences, manual pages, completions. It runs this
// machine's command.
func (b *builder) texts() error {
	if b.licenses != "" {
		return nil
	}
	command, err := b.command(host())
	if err != nil {
		return err
	}
	exe := filepath.Join(b.tmp, "pumice")
	if err := os.WriteFile(exe, command, 0o700); err != nil {
		return err
	}
	run := func(args ...string) ([]byte, error) {
		out, err := exec.CommandContext(b.ctx, exe, args...).Output()
		if err != nil {
			err = fmt.Errorf("pumice %s: %w", strings.Join(args, " "), err)
		}
		return out, err
	}
	manual := filepath.Join(b.tmp, "man1")
	if _, err := run("man", manual); err != nil {
		return err
	}
	pages, err := filepath.Glob(filepath.Join(manual, "*.1"))
	if err != nil {
		return err
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			return err
		}
		packed, err := gzipped(text)
		if err != nil {
			return err
		}
		name := "man1/" + filepath.Base(page)
		b.pages = append(b.pages, file{name: name, data: text})
		b.gzipped = append(b.gzipped, file{name: name + ".gz", data: packed})
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		text, err := run("completion", shell)
		if err != nil {
			return err
		}
		b.shells = append(b.shells, file{name: shell, data: text})
	}
	if b.license, err = os.ReadFile(filepath.Join(b.root, "LICENSE")); err != nil {
		return err
	}
	terms, err := run("licenses")
	b.licenses = string(terms)
	return err
}

// manifest is the description of a driver that Vulkan's loader reads. library is its
// path, from the manifest's folder where it is relative.
func manifest(library string) []byte {
	return fmt.Appendf(
		nil,
		"{\n\t\"file_format_version\": \"1.0.1\",\n\t\"ICD\": {\n\t\t\"library_path\": %q,\n\t\t\"api_version\": %q\n\t}\n}\n",
		library,
		version.Text(),
	)
}

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

// findDriver returns the driver's library, or, where PUMICE_ISOLATE asks for a helper, the front
// that starts it. It may build them; see run's help for where it looks. Progress of building goes
// to log.
func findDriver(ctx context.Context, log io.Writer) (string, error) {
	library, err := findLibrary(ctx, log)
	if err != nil || !isolates() || filepath.Base(library) == frontName {
		return library, err
	}
	if front, _ := partsBeside(library); front != "" {
		return front, nil
	}
	return "", fmt.Errorf("PUMICE_ISOLATE: %s and %s are not beside %s, as sh driver/isolate/build.sh builds them", frontName, helperName, library)
}

// isolates says whether PUMICE_ISOLATE asks for a driver in a process of its own.
func isolates() bool {
	v := os.Getenv("PUMICE_ISOLATE")
	return runtime.GOOS == "linux" && v != "" && v != "0"
}

// partsBeside are the front and the helper of a driver library, as its package has them; "" if one
// of them is missing.
func partsBeside(library string) (front, helper string) {
	dir := filepath.Dir(library)
	front = filepath.Join(dir, frontName)
	for _, helper := range []string{filepath.Join(dir, helperName), filepath.Join(dir, "pumice", helperName)} { // as the front looks
		if exists(front) && exists(helper) {
			return front, helper
		}
	}
	return "", ""
}

// findLibrary is findDriver without the question of a helper.
func findLibrary(ctx context.Context, log io.Writer) (string, error) {
	if err := needsDriver("this"); err != nil {
		return "", err
	}
	if path := os.Getenv("PUMICE_DRIVER"); path != "" {
		path, err := filepath.Abs(path)
		if err == nil {
			_, err = os.Stat(path)
		}
		return path, err
	}
	exe := executable()
	for _, path := range installedPlaces(exe, runtime.GOARCH) {
		if exists(path) {
			return path, nil
		}
	}
	cache, err := cacheFolder()
	if err != nil {
		return "", err
	}
	if wd, err := os.Getwd(); err == nil {
		if root := sourceTree(wd); root != "" {
			return build(ctx, log, root, filepath.Join(cache, "driver-"+shortHash(root)), true)
		}
	}
	_, file, _, _ := runtime.Caller(0)
	info, _ := debug.ReadBuildInfo()
	o := originOf(info, stamped, file)
	switch {
	case o.checkout != "":
		return buildCheckout(ctx, log, o.checkout, exe, filepath.Join(cache, "driver-"+shortHash(o.checkout)+"-installed"))
	case o.version != "":
		return buildVersion(ctx, log, o.version, filepath.Join(cache, "driver-"+o.version))
	}
	return "", fmt.Errorf("no %s beside this command or where it is installed, and it does not know its source to build it from; run it in the source tree, install Pumice's package, or set PUMICE_DRIVER", libraryName)
}

// executable is the file of this command, or "".
func executable() string {
	exe, err := os.Executable()
	if err == nil {
		exe, err = filepath.EvalSymlinks(exe)
	}
	if err != nil {
		return ""
	}
	return exe
}

// Of a driver that is a process of its own: the library, and the program that this one starts.
const (
	frontName  = "libvulkan_pumice_front.so"
	helperName = "pumice-driver"
)

// triplets are the names of architectures in library folders of Debian and its kin.
var triplets = map[string]string{"amd64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu", "riscv64": "riscv64-linux-gnu"}

// installedPlaces are the files that may be the driver of the command exe: beside it,
// where the Debian package has it, and where the tarball has it.
func installedPlaces(exe, arch string) []string {
	if exe == "" {
		return nil
	}
	bin := filepath.Dir(exe)
	places := []string{filepath.Join(bin, libraryName)}
	lib := filepath.Join(filepath.Dir(bin), "lib")
	if triplet := triplets[arch]; triplet != "" {
		places = append(places, filepath.Join(lib, triplet, libraryName))
	}
	// Where the C library cannot load that one, packages have the one that starts the driver.
	return append(places, filepath.Join(lib, "pumice", libraryName), filepath.Join(lib, "pumice", frontName))
}

// origin says where the source of this command is.
type origin struct {
	checkout string // the folder that it was built in, where that still is this module; or ""
	version  string // what Go's module cache calls it, or ""
}

// originOf finds it in what the go command wrote into the executable. file is the
// name of a source file of this folder as the compiler knew it.
func originOf(info *debug.BuildInfo, stamped, file string) origin {
	var o origin
	if info == nil || info.Main.Path != modulePath {
		return o
	}
	if o.version = info.Main.Version; o.version == "" || o.version == "(devel)" {
		o.version = stamped
	}
	inCache := o.version != "" && strings.Contains(filepath.ToSlash(file), modulePath+"@"+o.version+"/")
	if filepath.IsAbs(file) && !inCache { // -trimpath leaves no folder
		o.checkout = sourceTree(filepath.Dir(file))
	}
	if !strings.HasPrefix(o.version, "v") || strings.Contains(o.version, "+dirty") { // of changed files
		o.version = ""
	}
	return o
}

// buildCheckout builds the driver of a command that was installed from the checkout at
// root, once for each such command. The files that the driver is made of must be those that
// the command was made of.
func buildCheckout(ctx context.Context, log io.Writer, root, exe, dir string) (string, error) {
	made, err := os.Stat(exe)
	if err != nil {
		return "", err
	}
	mark, of := filepath.Join(dir, "of"), fmt.Sprintf("%s %d %d\n", exe, made.Size(), made.ModTime().UnixNano())
	if text, err := os.ReadFile(mark); err == nil && string(text) == of && exists(filepath.Join(dir, libraryName)) {
		return filepath.Join(dir, libraryName), nil
	}
	changed, err := changedSince(ctx, root, made.ModTime())
	if err != nil {
		return "", err
	}
	if changed != "" {
		return "", fmt.Errorf("%s has changed since this command was built from it, and its driver must be of the same source; run go install ./cmd/pumice in %s again, or set PUMICE_DRIVER", changed, root)
	}
	library, err := build(ctx, log, root, dir, false)
	if err != nil {
		return "", err
	}
	return library, replaceInFolder(mark, strings.NewReader(of), 0o644)
}

// changedSince returns a file of those that the driver at root is made of that is newer than when,
// or "".
func changedSince(ctx context.Context, root string, when time.Time) (string, error) {
	const files = `{{with .Module}}{{if .Main}}{{$.Dir}}{{range $.GoFiles}}	{{.}}{{end}}{{range $.CgoFiles}}	{{.}}{{end}}{{range $.CFiles}}	{{.}}{{end}}{{range $.HFiles}}	{{.}}{{end}}{{range $.SFiles}}	{{.}}{{end}}{{range $.EmbedFiles}}	{{.}}{{end}}{{end}}{{end}}`
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, "go", "list", "-buildvcs=false", "-deps", "-f", files, "./driver")
	cmd.Dir, cmd.Env, cmd.Stderr = root, append(os.Environ(), "CGO_ENABLED=1"), &said
	out, err := cmd.Output()
	if err != nil {
		return "", &toolchainError{fmt.Errorf("looking at the driver's source in %s, which takes Go: %w", root, err), said.String()}
	}
	look := []string{filepath.Join(root, "go.mod"), filepath.Join(root, "go.sum"), filepath.Join(root, "driver", exportsName)}
	for _, line := range strings.Split(string(out), "\n") {
		names := strings.Split(line, "\t")
		for _, name := range names[1:] {
			look = append(look, filepath.Join(names[0], name))
		}
	}
	for _, path := range look {
		at, err := os.Stat(path)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
		if err == nil && at.ModTime().After(when) {
			return path, nil
		}
	}
	return "", nil
}

// sourceTree returns the folder at or above dir that is this module's source, or
// "".
func sourceTree(dir string) string {
	for {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && bytes.HasPrefix(text, []byte("module "+modulePath+"\n")) && exists(filepath.Join(dir, "driver", "main.go")) {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

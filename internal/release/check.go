package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/png"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/pumice-gpu/pumice/internal/roots"
)

// checkInstalled builds the packages for this machine, installs Debian's in a new root without Go and
// C compiler, and npm's in an empty folder, and uses them there. A web page is opened so many times.
// With twice it then builds again: the bytes must be the same. Where that cannot be tried it says so and
// is no failure.
func checkInstalled(ctx context.Context, version string, runs int, twice bool) error {
	if why := roots.Cannot("Xvfb", "dpkg"); why != "" {
		log.Printf("not checked: %s", why)
		return nil
	}
	b, err := newBuilder(ctx, version)
	if err != nil {
		return err
	}
	defer b.close()
	root := filepath.Join(b.tmp, "root")
	ready := make(chan error, 1)
	go func() {
		// Debian's essential packages, programs that use Vulkan, and what our package recommends and they lack.
		start := time.Now()
		err := roots.Make(ctx, root, roots.Host(), "vulkan-tools", "libxcb-shm0", "libx11-xcb1")
		took(start, "a clean root, %s", roots.Host())
		ready <- err
	}()
	m, err := b.target(host())
	if errRoot := <-ready; err == nil { // before the folder goes
		err = errRoot
	}
	if err != nil {
		return err
	}
	for name, data := range m.files {
		if strings.HasSuffix(name, ".deb") {
			err = errors.Join(err, os.WriteFile(filepath.Join(root, "pumice.deb"), data, 0o644))
		}
	}
	if err != nil {
		return err
	}
	if err := useInstalled(ctx, b, root); err != nil {
		return err
	}
	if err := checkNPM(ctx, b, m.files, runs); err != nil {
		return err
	}
	if !twice {
		return nil
	}
	return checkAgain(ctx, version, m.files)
}

// checkAgain builds the files of this machine's target once more, linking in another temporary folder.
func checkAgain(ctx context.Context, version string, files map[string][]byte) error {
	b, err := newBuilder(ctx, version)
	if err != nil {
		return err
	}
	defer b.close()
	again, err := b.target(host())
	if err != nil {
		return err
	}
	return sameFiles(files, again.files)
}

// sameFiles says which of two builds' files differ.
func sameFiles(a, b map[string][]byte) error {
	for name, data := range a {
		if other, ok := b[name]; !ok || !bytes.Equal(data, other) {
			return fmt.Errorf("%s is not the same in a second build", name)
		}
	}
	if len(a) != len(b) {
		return fmt.Errorf("%d files, in a second build %d", len(a), len(b))
	}
	log.Printf("%d files are the same in a second build", len(a))
	return nil
}

// useInstalled installs the package in root and uses it there.
func useInstalled(ctx context.Context, b *builder, root string) error {
	display, stop, err := screen(ctx)
	if err != nil {
		return err
	}
	defer stop()
	in := roots.Inside{
		Root: root,
		Env: []string{
			"PATH=/usr/sbin:/usr/bin:/sbin:/bin",
			"DISPLAY=" + display,
			"LANG=C.UTF-8",
			"DEBIAN_FRONTEND=noninteractive",
		},
	}
	inside := func(args ...string) (string, error) {
		cmd := in.Command(ctx, args...)
		start := time.Now()
		out, err := cmd.CombinedOutput()
		took(start, "in the root: %s", strings.Join(args, " "))
		if err != nil {
			err = fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, out)
		}
		return string(out), err
	}
	for _, tool := range []string{"go", "gcc", "cc", "pumice"} {
		if roots.Has(root, tool) {
			return fmt.Errorf("the clean root has %s", tool)
		}
	}
	library := "/usr/lib/" + triplets[runtime.GOARCH] + "/" + libraryName
	cube := "Selected GPU 0: Pumice (CPU), type: Cpu"
	for _, step := range []struct {
		args []string
		says string
	}{
		{[]string{"dpkg", "-i", "/pumice.deb"}, "Setting up pumice (" + b.version.debian() + ")"},
		{[]string{"pumice", "version"}, string(b.version)},
		{[]string{"pumice", "driver", "path"}, library},
		{[]string{"pumice", "driver", "install"}, "/usr/share/vulkan/icd.d/" + manifests[runtime.GOARCH]}, // which is there
		{[]string{"pumice", "render", "-o", "/teapot.png", "--width", "640", "--height", "640"}, ""},
		{[]string{"vulkaninfo", "--summary"}, "deviceName         = Pumice (CPU)"}, // found by the loader itself
		{[]string{"vkcube", "--c", "5"}, cube},
		{[]string{"pumice", "run", "--", "vkcube", "--c", "5"}, cube},
		{[]string{"env", "PUMICE_ISOLATE=1", "vkcube", "--c", "5"}, cube}, // with a helper
		{[]string{"env", "PUMICE_ISOLATE=1", "pumice", "run", "--", "vkcube", "--c", "5"}, cube},
		{[]string{"dpkg", "-V", "pumice"}, ""},
		{[]string{"dpkg", "-r", "pumice"}, ""},
	} {
		out, err := inside(step.args...)
		if err != nil {
			return err
		}
		if !strings.Contains(out, step.says) {
			return fmt.Errorf("%s does not say %q:\n%s", strings.Join(step.args, " "), step.says,
				out)
		}
	}
	if _, err := os.Stat(filepath.Join(root, library)); err == nil {
		return fmt.Errorf("%s is still there when the package is removed", library)
	}
	return samePicture(filepath.Join(root, "teapot.png"),
		filepath.Join(b.root, "docs", "images", "teapot.png"))
}

// samePicture compares two files, pixel by pixel.
func samePicture(a, b string) error {
	var pictures [2][]byte
	for i, path := range []string{a, b} {
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		img, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		pictures[i] = fmt.Append(nil, img)
	}
	if !bytes.Equal(pictures[0], pictures[1]) {
		return fmt.Errorf(
			"the picture is not %s: has the built-in scene changed, and the file not?",
			b,
		)
	}
	return nil
}

// screen starts an X server and returns the name of its display.
func screen(ctx context.Context) (display string, stop func(), err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return "", nil, err
	}
	defer r.Close()
	cmd := exec.CommandContext(ctx, "Xvfb", "-displayfd", "3", "-screen", "0", "640x480x24",
		"-nolisten", "tcp")
	cmd.ExtraFiles = []*os.File{w}
	if err := errors.Join(cmd.Start(), w.Close()); err != nil {
		return "", nil, err
	}
	stop = func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	}
	var number string
	if _, err := fmt.Fscanln(r, &number); err != nil {
		stop()
		return "", nil, fmt.Errorf("the X server, Xvfb, does not start: %w", err)
	}
	return ":" + number, stop, nil
}

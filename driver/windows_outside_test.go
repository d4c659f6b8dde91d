//go:build linux && outside

package main_test

import (
	"bytes"
	"crypto/sha256"
	"debug/pe"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/conformance/faces"
	"github.com/pumice-gpu/pumice/internal/outside"
)

// The driver for Windows, under Wine. Wine's own vulkan-1.dll hands calls to the Vulkan of the
// system below it, and knows no drivers of Windows, so testdata/loader.c is the loader.
var (
	mingw = outside.Tool{Name: "x86_64-w64-mingw32-gcc", Debian: "gcc-mingw-w64-x86-64",
		Why: "the driver and its clients for Windows"}
	wine = outside.Tool{Name: "/usr/lib/wine/wine64", Other: []string{"wine64", "wine"}, Debian: "wine64",
		Why: "programs of Windows"}
)

// windowsHost is a Windows of its own, with the driver and the command in a folder.
type windowsHost struct {
	gcc, wine string
	dir       string // here
	env       []string
}

func newWindows(t *testing.T) *windowsHost {
	t.Helper()
	h := &windowsHost{gcc: mingw.Path(t), wine: wine.Path(t), dir: t.TempDir()}
	prefix := filepath.Join(h.dir, "prefix")
	h.env = append(os.Environ(), "WINEPREFIX="+prefix, "WINEDEBUG=-all", "WINEDLLOVERRIDES=mscoree,mshtml=",
		"PUMICE_DRIVER="+h.path("pumice_vulkan.dll"))
	build := func(out string, args ...string) {
		cmd := exec.Command("go", append([]string{"build", "-buildvcs=false", "-o", filepath.Join(h.dir, out)}, args...)...)
		cmd.Env = append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=1", "CC="+h.gcc)
		if said, err := cmd.CombinedOutput(); err != nil || len(said) > 0 {
			t.Fatalf("go build -o %s: %v\n%s", out, err, said)
		}
	}
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	build("pumice_vulkan.dll", "-buildmode=c-shared", `-ldflags=-extldflags "'`+filepath.Join(wd, "exports.def")+`'"`, ".")
	build("pumice.exe", "../cmd/pumice")
	t.Cleanup(func() {
		for _, how := range []string{"-k", "-w"} { // else its services stay, and write into the prefix
			cmd := exec.Command(filepath.Join(filepath.Dir(h.wine), "wineserver"), how)
			cmd.Env = h.env
			_ = cmd.Run()
		}
	})
	if out, err := h.run("", nil, "wineboot", "-i"); err != nil {
		t.Fatalf("wineboot: %v\n%s", err, out)
	}
	prng := filepath.Join(prefix, "drive_c", "windows", "system32", "bcryptprimitives.dll")
	if _, err := os.Stat(prng); errors.Is(err, os.ErrNotExist) {
		h.compile(t, prng, "-shared", "testdata/bcryptprimitives.c", "-ladvapi32")
	}
	return h
}

// path is what Windows calls a file of the folder.
func (h *windowsHost) path(name string) string {
	return `Z:` + strings.ReplaceAll(filepath.Join(h.dir, name), "/", `\`)
}

func (h *windowsHost) compile(t *testing.T, out string, args ...string) {
	t.Helper()
	cmd := exec.Command(h.gcc, append([]string{"-std=gnu11", "-O1", "-o", out}, args...)...)
	if said, err := cmd.CombinedOutput(); err != nil || len(said) > 0 {
		t.Fatalf("%s: %v\n%s", out, err, said)
	}
}

// client builds testdata/NAME.c for the stand-in of a loader.
func (h *windowsHost) client(t *testing.T, name string) (program string) {
	t.Helper()
	h.compile(t, filepath.Join(h.dir, name+".exe"),
		"-Wall", "-Wextra", "-Wno-missing-field-initializers", "-I", "testdata/include",
		filepath.Join("testdata", name+".c"), "testdata/loader.c", "-static", "-lpthread", "-lgdi32", "-luser32")
	return h.path(name + ".exe")
}

// run runs a program of Windows and returns all that it prints, with lines as they end here.
func (h *windowsHost) run(display string, in []byte, args ...string) (out string, err error) {
	cmd := exec.Command(h.wine, args...)
	cmd.Env = append(slices.Clone(h.env), "DISPLAY="+display)
	cmd.Stdin = bytes.NewReader(in)
	cmd.WaitDelay = time.Second // what Wine has started keeps the streams
	kill := time.AfterFunc(programTimeout, func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	text, err := cmd.CombinedOutput()
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil
	}
	if in == nil {
		return strings.ReplaceAll(string(text), "\r\n", "\n"), err
	}
	return string(text), err
}

// TestOutside_Windows: the driver as a DLL renders the bytes that it renders here, shows windows,
// and is found.
func TestOutside_Windows(t *testing.T) {
	h := newWindows(t)
	t.Run("exports", func(t *testing.T) {
		got, err := exportsOf(filepath.Join(h.dir, "pumice_vulkan.dll"))
		want := []string{"vk_icdGetInstanceProcAddr", "vk_icdGetPhysicalDeviceProcAddr", "vk_icdNegotiateLoaderICDInterfaceVersion"}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%v: %q", err, got)
		}
	})
	t.Run("again", func(t *testing.T) {
		h.compile(t, filepath.Join(h.dir, "again.exe"), "testdata/again.c")
		if out, err := h.run("", nil, h.path("again.exe")); err != nil || out != "" {
			t.Errorf("%v\n%s", err, out)
		}
	})
	for name, args := range map[string][]string{
		"triangle": {"testdata"}, "squares": {"testdata"}, "commands": {"../testdata"}, "racing": {"testdata"}, "encode": nil,
	} {
		t.Run(name, func(t *testing.T) {
			want := run(t, compiled(t, name), nil, append([]string{}, args...)...)
			out, err := h.run("", nil, append([]string{h.client(t, name)}, args...)...)
			if err != nil || out != want {
				t.Errorf("%v: it says %q, on Linux %q", err, out, want)
			}
		})
	}
	t.Run("faces", h.faces)
	t.Run("window", h.window)
	t.Run("command", h.command)
}

// faces: each scene has the bytes of the Go API.
func (h *windowsHost) faces(t *testing.T) {
	program, all := h.client(t, "faces"), sha256.New()
	code := func(name string) ([]byte, error) {
		return os.ReadFile(filepath.Join("..", "conformance", "testdata", name+".spv"))
	}
	for i, scene := range faces.Scenes() {
		if i%8 != 0 { // each of them is a process under Wine
			continue
		}
		want, err := scene.RunGo(&pumice.Config{Threads: 2}, code)
		if err != nil {
			t.Fatal(err)
		}
		words, err := scene.Words(code)
		if err != nil {
			t.Fatal(err)
		}
		h.env = append(h.env, "PUMICE_OFFER=VK_FORMAT_R8G8B8A8_SRGB")
		got, err := h.run("", words, program, "testdata")
		if err != nil || got != string(want) {
			t.Errorf("%s: %v, %s", scene.Name, err, firstDifference([]byte(got), want))
		}
		all.Write([]byte(got))
	}
	t.Logf("SHA-256 of what every eighth scene renders: %x", all.Sum(nil))
}

// window: the client looks at its pixels itself; here somebody looks at the screen, too.
func (h *windowsHost) window(t *testing.T) {
	d := newDisplay(t)
	program := h.client(t, "win32")
	type end struct {
		out string
		err error
	}
	ended := make(chan end, 1)
	go func() {
		out, err := h.run(d.name, nil, program, "400")
		ended <- end{out, err}
	}()
	seen := map[image.Rectangle]bool{}
	for {
		select {
		case e := <-ended:
			if e.err != nil || e.out != "" {
				t.Fatalf("%v\n%s", e.err, e.out)
			}
			for _, want := range []image.Rectangle{image.Rect(40, 30, 240, 180), image.Rect(60, 40, 321, 159)} {
				if !seen[want] {
					t.Errorf("the screen has shown pictures at %v, none at %v", seen, want)
				}
			}
			return
		case <-time.After(50 * time.Millisecond):
			img, err := d.screenshot()
			if err != nil {
				t.Fatal(err)
			}
			if at, ok := shaded(img); ok && !seen[at] {
				seen[at] = true
				keep(t, fmt.Sprintf("win32 %d", len(seen)), img)
			}
		}
	}
}

// shaded is where win32.c's picture is on a screen, if there is a whole one: green grows to the
// right, blue falls.
func shaded(screen *image.RGBA) (at image.Rectangle, ok bool) {
	for y := range screen.Rect.Dy() {
		for x := range screen.Rect.Dx() {
			if c := screen.RGBAAt(x, y); c.R|c.G|c.B != 0 {
				at = at.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	for y := at.Min.Y; y < at.Max.Y; y++ {
		for x := at.Min.X; x < at.Max.X; x++ {
			c := screen.RGBAAt(x, y)
			if c.R%40 != 0 || c.R == 0 || c.G != uint8(x-at.Min.X) || c.B != uint8(255-(y-at.Min.Y)&255) {
				return at, false
			}
		}
	}
	return at, !at.Empty()
}

// command: Wine's processes are elevated, where loaders look into the registry alone.
func (h *windowsHost) command(t *testing.T) {
	pumice, triangle := h.path("pumice.exe"), h.client(t, "triangle")
	key := `HKLM\SOFTWARE\Khronos\Vulkan\Drivers`
	named := func() bool {
		out, _ := h.run("", nil, "reg", "query", key)
		return strings.Contains(out, `Program Files\Pumice\pumice_icd.json    REG_DWORD    0x0`)
	}
	const refused = "in an elevated process Vulkan's loader takes no driver from the environment"
	if out, err := h.run("", nil, pumice, "run", triangle, "testdata"); err == nil || !strings.Contains(out, refused) {
		t.Errorf("run, before install: %v\n%s", err, out)
	}
	out, err := h.run("", nil, pumice, "driver", "install")
	if err != nil || out != "C:\\Program Files\\Pumice\\pumice_icd.json\n" || !named() {
		t.Fatalf("install: %v, in the registry %v\n%s", err, named(), out)
	}
	manifest, err := os.ReadFile(filepath.Join(h.dir, "prefix", "drive_c", "Program Files", "Pumice", "pumice_icd.json"))
	if err != nil || !bytes.Contains(manifest, []byte(`"C:\\Program Files\\Pumice\\pumice_vulkan.dll"`)) {
		t.Errorf("the manifest: %v\n%s", err, manifest)
	}
	if out, err = h.run("", nil, pumice, "run", triangle, "testdata"); err != nil || len(strings.TrimSpace(out)) != 8 {
		t.Errorf("run: %v\n%s", err, out)
	}
	if out, err := h.run("", nil, pumice, "driver", "uninstall"); err != nil || out != "" || named() {
		t.Errorf("uninstall: %v, in the registry %v\n%s", err, named(), out)
	}
}

// exportsOf are the names that a DLL exports, in order.
func exportsOf(file string) (names []string, err error) {
	f, err := pe.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	at := f.OptionalHeader.(*pe.OptionalHeader64).DataDirectory[pe.IMAGE_DIRECTORY_ENTRY_EXPORT].VirtualAddress
	for _, s := range f.Sections {
		if at < s.VirtualAddress || at >= s.VirtualAddress+s.VirtualSize {
			continue
		}
		data, err := s.Data()
		if err != nil {
			return nil, err
		}
		from := func(rva uint32) []byte { return data[rva-s.VirtualAddress:] }
		word := func(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }
		for i := range word(from(at + 24)) {
			name, _, _ := bytes.Cut(from(word(from(word(from(at+32))+4*i))), []byte{0})
			names = append(names, string(name))
		}
	}
	return names, nil
}

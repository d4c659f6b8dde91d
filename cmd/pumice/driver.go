package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pumice-gpu/pumice/internal/version"
)

const (
	libraryName  = "libvulkan_pumice.so"
	manifestName = "pumice_icd.json"
	modulePath   = "github.com/pumice-gpu/pumice"
)

func driverCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "driver",
		Short: "Install Pumice as a Vulkan driver, or say where it is",
		Args:  usageArgs(cobra.NoArgs),
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	add := func(use, short string, f func(cmd *cobra.Command) error) {
		cmd.AddCommand(&cobra.Command{Use: use, Short: short, Args: usageArgs(cobra.NoArgs), RunE: func(cmd *cobra.Command, _ []string) error { return f(cmd) }})
	}
	add("path", "Print where the driver library is; build it where needed", func(cmd *cobra.Command) error {
		library, err := findDriver(cmd.Context(), cmd.ErrOrStderr())
		if err == nil {
			_, err = fmt.Fprintln(cmd.OutOrStdout(), library)
		}
		return err
	})
	add("install", "Offer the driver to all Vulkan programs of this user", func(cmd *cobra.Command) error {
		library, err := findDriver(cmd.Context(), cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		p, err := installPaths()
		if err != nil {
			return err
		}
		if err := copyFile(p.library, library); err != nil {
			return err
		}
		if err := writeManifest(p.manifest, p.library); err != nil {
			return err
		}
		_, err = fmt.Fprintln(cmd.OutOrStdout(), p.manifest)
		return err
	})
	add("uninstall", "Take back what install has done", func(*cobra.Command) error {
		p, err := installPaths()
		if err != nil {
			return err
		}
		for _, f := range []string{p.manifest, p.library} {
			if err := os.Remove(f); err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
		}
		return nil
	})
	return cmd
}

// installed says where install puts its files.
type installed struct{ library, manifest string }

// installPaths follows the XDG base directory specification, as the loader does
// when it looks for vulkan/icd.d.
func installPaths() (installed, error) {
	data := os.Getenv("XDG_DATA_HOME")
	if !filepath.IsAbs(data) { // the specification says to ignore relative paths
		home, err := os.UserHomeDir()
		if err != nil {
			return installed{}, err
		}
		data = filepath.Join(home, ".local", "share")
	}
	return installed{
		library:  filepath.Join(data, "pumice", libraryName),
		manifest: filepath.Join(data, "vulkan", "icd.d", manifestName),
	}, nil
}

// writeManifest writes the loader's description of a driver library.
func writeManifest(path, library string) error {
	var m struct {
		FileFormatVersion string `json:"file_format_version"`
		ICD               struct {
			LibraryPath string `json:"library_path"`
			APIVersion  string `json:"api_version"`
		}
	}
	m.FileFormatVersion, m.ICD.LibraryPath, m.ICD.APIVersion = "1.0.1", library, version.Text()
	text, err := json.MarshalIndent(m, "", "\t")
	if err != nil {
		return err
	}
	text = append(text, '\n')
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, text) {
		return nil
	}
	return replaceInFolder(path, bytes.NewReader(text), 0o644)
}

// findDriver returns the driver's library, which it may build; see run's help
// for where it looks. Progress of building goes to log.
func findDriver(ctx context.Context, log io.Writer) (string, error) {
	if err := linuxOnly("this"); err != nil {
		return "", err
	}
	if path := os.Getenv("PUMICE_DRIVER"); path != "" {
		path, err := filepath.Abs(path)
		if err == nil {
			_, err = os.Stat(path)
		}
		return path, err
	}
	if exe, err := os.Executable(); err == nil {
		if exe, err = filepath.EvalSymlinks(exe); err == nil {
			if path := filepath.Join(filepath.Dir(exe), libraryName); exists(path) {
				return path, nil
			}
		}
	}
	cache, err := cacheFolder()
	if err != nil {
		return "", err
	}
	if wd, err := os.Getwd(); err == nil {
		if root := sourceTree(wd); root != "" {
			return build(ctx, log, root, filepath.Join(cache, "driver-"+shortHash(root)))
		}
	}
	version := moduleVersion()
	if version == "" {
		return "", fmt.Errorf("no %s beside this command, and no source to build it from; run this in the source tree, or set PUMICE_DRIVER", libraryName)
	}
	dir := filepath.Join(cache, "driver-"+version)
	if path := filepath.Join(dir, libraryName); exists(path) {
		return path, nil
	}
	root, err := download(ctx, version)
	if err != nil {
		return "", err
	}
	return build(ctx, log, root, dir)
}

// build builds the driver from the source at root into dir. The library in use
// is never overwritten, programs have it mapped: a new one takes its name.
func build(ctx context.Context, log io.Writer, root, dir string) (string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	unlock, err := lockFile(filepath.Join(dir, "lock"))
	if err != nil {
		return "", err
	}
	defer unlock()
	fresh, path := filepath.Join(dir, "fresh.so"), filepath.Join(dir, libraryName)
	cmd := exec.CommandContext(ctx, "go", "build", "-buildmode=c-shared", "-trimpath",
		"-ldflags=-extldflags=-Wl,--version-script="+filepath.Join(root, "driver", "exports.map"), "-o", fresh, "./driver")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1")
	if !exists(path) {
		_, _ = fmt.Fprintln(log, "pumice: building the driver")
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", &toolchainError{fmt.Errorf("building the driver, which takes Go and a C compiler: %w", err), string(out)}
	}
	if same(fresh, path) {
		return path, nil
	}
	return path, copyFile(path, fresh)
}

// same says that two files have the same size and contents.
func same(a, b string) bool {
	x, errX := fileHash(a)
	y, errY := fileHash(b)
	return errX == nil && errY == nil && x == y
}

func fileHash(path string) (sum [sha256.Size]byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return sum, err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return [sha256.Size]byte(h.Sum(nil)), err
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

// moduleVersion is the released version that this command was built from, or "".
func moduleVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Path != modulePath || info.Main.Version == "(devel)" {
		return ""
	}
	return info.Main.Version
}

// download returns the source of a version in Go's module cache.
func download(ctx context.Context, version string) (string, error) {
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", modulePath+"@"+version)
	cmd.Stderr = &said
	out, err := cmd.Output()
	var m struct{ Dir, Error string } // go mod download tells there why it failed
	if errJSON := json.Unmarshal(out, &m); err == nil && (errJSON != nil || m.Dir == "") {
		err = fmt.Errorf("go mod download named no folder")
	}
	if err != nil {
		return "", &toolchainError{fmt.Errorf("fetching the driver's source: %w", err), said.String() + m.Error}
	}
	return m.Dir, nil
}

// toolchainError is the failure of a tool, with what it said.
type toolchainError struct {
	error
	said string
}

func (e *toolchainError) Unwrap() error { return e.error }

// lastWords are the last lines of what the tool said, where the reason stands.
func (e *toolchainError) lastWords() []string {
	if strings.TrimSpace(e.said) == "" { // there is no such tool
		return nil
	}
	lines := strings.Split(strings.TrimSpace(e.said), "\n")
	const most = 20
	if len(lines) > most {
		lines = append([]string{fmt.Sprintf("(%d lines before)", len(lines)-most)}, lines[len(lines)-most:]...)
	}
	return lines
}

func cacheFolder() (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(base, "pumice")
	return dir, os.MkdirAll(dir, 0o755)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func shortHash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:6])
}

// copyFile puts a copy of from at to, at once.
func copyFile(to, from string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	return replaceInFolder(to, f, 0o755)
}

// replaceInFolder is replaceFile for a folder that may not be there yet.
func replaceInFolder(path string, from io.Reader, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return replaceFile(path, mode, func(w io.Writer) error {
		_, err := io.Copy(w, from)
		return err
	})
}

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/pumice-gpu/pumice/internal/version"
)

const (
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
	add("install", "Offer the driver to all Vulkan programs of this user (on Windows: of this machine)", func(cmd *cobra.Command) error {
		library, err := findLibrary(cmd.Context(), cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		if manifest := installedManifest(executable(), runtime.GOARCH, library); manifest != "" && announced(manifest) { // a package has done it, for all users
			_, err = fmt.Fprintln(cmd.OutOrStdout(), manifest)
			return err
		}
		p, err := installPaths()
		if err != nil {
			return err
		}
		names := p.library                       // the manifest names the front if there is one, which loads the library or starts the helper
		if filepath.Base(library) != frontName { // which is all where the C library cannot load Go
			if err := copyFile(p.library, library); err != nil {
				return err
			}
		}
		if front, helper := partsBeside(library); front != "" {
			names = p.front()
			if err := errors.Join(copyFile(p.helper(), helper), copyFile(p.front(), front)); err != nil {
				return err
			}
		}
		if err := writeManifest(p.manifest, names); err != nil {
			return err
		}
		advice, err := announce(p.manifest)
		if err != nil {
			return err
		}
		if advice != "" {
			fmt.Fprintf(cmd.ErrOrStderr(), "pumice: %s\n", advice)
		}
		_, err = fmt.Fprintln(cmd.OutOrStdout(), p.manifest)
		return err
	})
	add("uninstall", "Take back what install has done", func(*cobra.Command) error {
		p, err := installPaths()
		if err != nil {
			return err
		}
		if err := withdraw(p.manifest); err != nil {
			return err
		}
		for _, f := range []string{p.manifest, p.library, p.front(), p.helper()} {
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

// front and helper are beside the library.
func (i installed) front() string  { return filepath.Join(filepath.Dir(i.library), frontName) }
func (i installed) helper() string { return filepath.Join(filepath.Dir(i.library), helperName) }

// driverManifest is the loader's description of a driver library. A library's path that is
// relative starts where the manifest is.
type driverManifest struct {
	FileFormatVersion string `json:"file_format_version"`
	ICD               struct {
		LibraryPath string `json:"library_path"`
		APIVersion  string `json:"api_version"`
	}
}

// writeManifest writes the loader's description of a driver library.
func writeManifest(path, library string) error {
	var m driverManifest
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

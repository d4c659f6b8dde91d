//go:build !windows

package main

import (
	"os"
	"path/filepath"
)

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

// manifestPlace is where a manifest would be that came with the command exe.
func manifestPlace(exe, arch string) string {
	architectures := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}
	return filepath.Join(filepath.Dir(filepath.Dir(exe)), "share", "vulkan", "icd.d", "pumice_icd."+architectures[arch]+".json")
}

// The loader looks for manifests where install puts them.

func announced(string) bool { return true }

func announce(string) (advice string, err error) { return "", nil }

func withdraw(string) error { return nil }

// takenFromEnvironment says why the loader of a program that is started here would not look at its
// variables.
func takenFromEnvironment(string) error { return nil }

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// A packager is a kind of packages that nfpm makes, by nfpm's name.
type packager string

const (
	deb packager = "deb"
	rpm packager = "rpm"
	apk packager = "apk"
)

// The architectures as each kind of packages calls them, in the names of files.
var packageArches = map[packager]map[string]string{
	deb: {"amd64": "amd64", "arm64": "arm64", "riscv64": "riscv64"},
	rpm: {"amd64": "x86_64", "arm64": "aarch64", "riscv64": "riscv64"},
	apk: {"amd64": "x86_64", "arm64": "aarch64", "riscv64": "riscv64"},
}

// packageName is the name of a package's file. Servers of releases do not take Debian's ~.
func packageName(p packager, v semver, arch string) string {
	if of := packageArches[p][arch]; of != "" {
		arch = of
	}
	return fmt.Sprintf("pumice_%s_%s.%s", v.plain(), arch, p)
}

const about = `Renders glTF models to pictures, and runs Vulkan programs, on an implementation
of Vulkan in Go that needs no GPU and no display and gives the same bytes on
every machine. This package has the command and the driver.`

// nfpmConfig is what nfpm reads, as far as it is used here. JSON is YAML.
type nfpmConfig struct {
	Name        string        `json:"name"`
	Arch        string        `json:"arch"`
	Platform    string        `json:"platform"`
	Version     string        `json:"version"`
	Schema      string        `json:"version_schema"` // "none": versions are as their packager wants them already
	Release     string        `json:"release,omitempty"`
	Maintainer  string        `json:"maintainer"`
	Description string        `json:"description"`
	License     string        `json:"license"`
	Homepage    string        `json:"homepage"`
	Section     string        `json:"section"`
	Priority    string        `json:"priority"`
	Depends     []string      `json:"depends,omitempty"`
	Recommends  []string      `json:"recommends,omitempty"`
	Suggests    []string      `json:"suggests,omitempty"`
	Provides    []string      `json:"provides,omitempty"`
	MTime       time.Time     `json:"mtime"`
	Literal     bool          `json:"disable_globbing"`
	Contents    []nfpmContent `json:"contents"`
	RPM         nfpmRPM       `json:"rpm"`
}

type nfpmContent struct {
	Source string       `json:"src"`
	Name   string       `json:"dst"`
	Info   nfpmFileInfo `json:"file_info"`
}

type nfpmFileInfo struct {
	Mode  int64     `json:"mode"`
	Owner string    `json:"owner"`
	Group string    `json:"group"`
	MTime time.Time `json:"mtime"`
}

type nfpmRPM struct {
	Summary   string `json:"summary"`
	BuildHost string `json:"buildhost"` // nfpm takes this machine's name otherwise
}

// configOf says what a package tells of itself. needs is the C library of the driver; an apk has
// none.
func configOf(p packager, v semver, arch string, needs glibc, at time.Time) nfpmConfig {
	c := nfpmConfig{
		Name: "pumice", Arch: arch, Platform: "linux", Schema: "none",
		Maintainer: "The Pumice authors", Description: "Vulkan without a GPU\n" + about,
		License: "Apache-2.0", Homepage: "https://" + modulePath,
		Section: "graphics", Priority: "optional", MTime: at, Literal: true,
		RPM: nfpmRPM{Summary: "Vulkan without a GPU", BuildHost: "localhost"},
	}
	switch p {
	case deb:
		c.Version = v.debian()
		c.Depends = []string{fmt.Sprintf("libc6 (>= %s)", needs)}
		c.Recommends = []string{
			"libvulkan1",
			"libxcb1",
			"libxcb-shm0",
			"libx11-xcb1",
			"libwayland-client0",
		}
		c.Suggests = []string{"vulkan-tools", "gfxreconstruct"}
		c.Provides = []string{"vulkan-icd"}
	case rpm:
		c.Version, c.Release = v.debian(), "1"
		c.Description = about
		c.Depends = []string{fmt.Sprintf("libc.so.6(GLIBC_%s)(64bit)", needs)}
		c.Recommends = []string{
			"vulkan-loader",
			"libxcb",
			"libX11-xcb",
			"libwayland-client",
		}
		c.Suggests = []string{"vulkan-tools"}
	case apk:
		c.Version, c.Release = v.alpine(), "0"
		c.Description = "Vulkan without a GPU: the command, and the driver, in a process of its own"
	}
	return c
}

// packed makes a package. The same files give the same bytes.
func (b *builder) packed(p packager, c nfpmConfig, files []file) ([]byte, error) {
	nfpm, err := b.nfpm()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(b.tmp, "package-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	for i, f := range inOrder(files) {
		from := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(from, f.data, 0o600); err != nil {
			return nil, err
		}
		c.Contents = append(
			c.Contents,
			nfpmContent{
				from,
				"/" + f.name,
				nfpmFileInfo{f.mode(), "root", "root", c.MTime},
			},
		)
	}
	text, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	config, out := filepath.Join(dir, "config"), filepath.Join(dir, "out")
	if err := os.WriteFile(config, text, 0o600); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(b.ctx, nfpm, "package", "--config", config, "--packager", string(p),
		"--target", out)
	cmd.Env = append(os.Environ(), fmt.Sprintf("SOURCE_DATE_EPOCH=%d", c.MTime.Unix()))
	if said, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("nfpm: %w\n%s", err, said)
	}
	return os.ReadFile(out)
}

// nfpm builds the tool, in the version that the module in the folder nfpm names, and returns its
// file.
func (b *builder) nfpm() (string, error) {
	path := filepath.Join(b.tmp, "nfpm")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	start := time.Now()
	cmd := exec.CommandContext(b.ctx, "go", "build", "-o", path,
		"github.com/goreleaser/nfpm/v2/cmd/nfpm")
	cmd.Dir = filepath.Join(b.root, "internal", "release", "nfpm")
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("nfpm, which packs for package managers, cannot be built: %w\n%s",
			err, out)
	}
	took(start, "nfpm")
	return path, nil
}

package main

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"
)

// npmScope is where npm's packages are.
const npmScope = "@pumice-gpu/"

//go:embed npm
var npmFiles embed.FS

// What Node calls systems and processors.
var (
	npmSystems = map[string]string{"linux": "linux", "windows": "win32", "darwin": "darwin"}
	npmArches  = map[string]string{"amd64": "x64", "arm64": "arm64", "riscv64": "riscv64"}
)

// npmManifest is a package.json.
type npmManifest struct {
	Name        string            `json:"name"`
	Version     string            `json:"version"`
	Description string            `json:"description"`
	License     string            `json:"license"`
	Homepage    string            `json:"homepage"`
	Repository  map[string]string `json:"repository"`
	OS          []string          `json:"os,omitempty"`
	CPU         []string          `json:"cpu,omitempty"`
	LibC        []string          `json:"libc,omitempty"`
	Main        string            `json:"main,omitempty"`
	Types       string            `json:"types,omitempty"`
	Bin         map[string]string `json:"bin,omitempty"`
	Engines     map[string]string `json:"engines,omitempty"`
	Optional    map[string]string `json:"optionalDependencies,omitempty"`
}

// npmVersion is the version for npm, whose registry knows no builds of the same one.
func npmVersion(v semver) string {
	s, build, _ := strings.Cut(v.plain(), "+")
	if build == "" {
		return s
	}
	if strings.Contains(s, "-") {
		return s + "." + build
	}
	return s + "-" + build
}

// npmName is the name of a package of a system: of what is in it, "driver" or "command".
func npmName(what string, t target) string {
	return fmt.Sprintf("%s%s-%s-%s", npmScope, what, npmSystems[t.os], npmArches[t.arch])
}

// npmFile is how npm itself calls the file of a package.
func npmFile(name string, v semver) string {
	return strings.ReplaceAll(strings.TrimPrefix(name, "@"), "/", "-") + "-" + npmVersion(
		v,
	) + ".tgz"
}

func npmManifestOf(name, about string, v semver) npmManifest {
	return npmManifest{
		Name: name, Version: npmVersion(v), Description: about,
		License: "Apache-2.0", Homepage: "https://" + modulePath,
		Repository: map[string]string{
			"type": "git",
			"url":  "git+https://" + modulePath + ".git",
		},
	}
}

// npmPacked is a package as npm's registry has it.
func npmPacked(m npmManifest, files []file, at time.Time) ([]byte, error) {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, err
	}
	return tarball(
		"",
		under("package", append(files, file{name: "package.json", data: append(text, '\n')})),
		at,
	)
}

// npmTarget adds the packages of a system: the command, and the driver where there is one. They are
// two so that either is small, and because the command runs with any C library.
func (b *builder) npmTarget(t target, m made, command, driver []byte) error {
	v := b.version
	add := func(manifest npmManifest, files []file) (err error) {
		manifest.OS, manifest.CPU = []string{npmSystems[t.os]}, []string{npmArches[t.arch]}
		m.files[npmFile(manifest.Name, v)], err = npmPacked(manifest,
			append(files, b.terms(".")...), b.time)
		return err
	}
	name := "pumice"
	if t.os == "windows" {
		name += ".exe"
	}
	if err := add(npmManifestOf(npmName("command", t), "pumice, the command, for "+t.String(), v), []file{{name: name, exec: true, data: command}}); err != nil {
		return err
	}
	if driver == nil {
		return nil
	}
	manifestOf := npmManifestOf(npmName("driver", t),
		"Pumice, a Vulkan driver that needs no GPU, for "+t.String(), v)
	manifestOf.LibC = []string{"glibc"}
	return add(
		manifestOf,
		[]file{
			{name: libraryName, data: driver},
			{name: "pumice_icd.json", data: manifest("./" + libraryName)},
		},
	)
}

// npmMusl adds the driver for systems with musl, which is a process of its own.
func (b *builder) npmMusl(t target, m made, i isolated) (err error) {
	about := "Pumice, a Vulkan driver that needs no GPU, for " + t.String() + " with musl"
	of := npmManifestOf(npmName("driver", t)+"-musl", about, b.version)
	of.OS, of.CPU = []string{npmSystems[t.os]}, []string{npmArches[t.arch]}
	of.LibC = []string{"musl"}
	m.files[npmFile(of.Name, b.version)], err = npmPacked(of, append(b.terms("."),
		file{name: frontName, data: i.front},
		file{name: helperName, exec: true, data: i.helper},
		file{name: "pumice_icd.json", data: manifest("./" + frontName)},
	), b.time)
	return err
}

// npmMain is the package that people install: scripts, and the others, of which npm takes those of
// the system.
func npmMain(v semver, at time.Time, license []byte) ([]byte, error) {
	m := npmManifestOf(npmScope+"pumice",
		"Vulkan without a GPU: pictures from headless WebGPU and WebGL that are equal everywhere",
		v)
	m.Main, m.Types = "index.js", "index.d.ts"
	m.Bin = map[string]string{"pumice": "bin/pumice.js"}
	m.Engines = map[string]string{"node": ">=18"}
	m.Optional = map[string]string{}
	for _, t := range targets {
		m.Optional[npmName("command", t)] = npmVersion(v)
		if t.os == "linux" {
			m.Optional[npmName("driver", t)] = npmVersion(v)
			m.Optional[npmName("driver", t)+"-musl"] = npmVersion(v)
		}
	}
	files := []file{{name: "LICENSE", data: license}}
	err := fs.WalkDir(npmFiles, "npm", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := npmFiles.ReadFile(name)
		files = append(
			files,
			file{
				name: strings.TrimPrefix(name, "npm/"),
				exec: path.Dir(name) == "npm/bin",
				data: data,
			},
		)
		return err
	})
	if err != nil {
		return nil, err
	}
	return npmPacked(m, files, at)
}

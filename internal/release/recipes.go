package main

import (
	"crypto/sha256"
	"embed"
	"encoding/json"
	"fmt"
	"strings"
)

//go:embed recipes
var recipeFiles embed.FS

// recipes adds files by which other programs install the release: each names archives and their
// sums, as far as they were built.
func recipes(v semver, files map[string][]byte) error {
	texts := map[string]string{
		"Containerfile": "",
		"action.yml":    actionCases(v, files),
		"homebrew.rb":   homebrewSystems(v, files),
	}
	for name, list := range texts {
		text, err := recipeFiles.ReadFile("recipes/" + name)
		if err != nil {
			return err
		}
		r := strings.NewReplacer("@VERSION@", v.plain(), "@TAG@", string(v), "@MODULE@", modulePath,
			"@CASES@", list, "@SYSTEMS@", list)
		to := map[string]string{"Containerfile": "Containerfile", "action.yml": "setup-pumice_action.yml", "homebrew.rb": "pumice_homebrew.rb"}[name]
		files[to] = []byte(r.Replace(string(text)))
	}
	text, err := scoop(v, files)
	files["pumice_scoop.json"] = text
	return err
}

// archiveOf is the archive of a target, its sum, and whether it was built.
func archiveOf(v semver, t target, files map[string][]byte) (name, sum string, ok bool) {
	name = archiveName(v, t)
	data, ok := files[name]
	return name, fmt.Sprintf("%x", sha256.Sum256(data)), ok
}

// urlOf is where a file of a release is when it is published.
func urlOf(v semver, name string) string {
	return fmt.Sprintf("https://%s/releases/download/%s/%s", modulePath, v, name)
}

// actionCases are the files for GitHub's runners, as they call their systems and processors.
func actionCases(v semver, files map[string][]byte) string {
	systems, arches := map[string]string{
		"linux":   "Linux",
		"windows": "Windows",
		"darwin":  "macOS",
	}, map[string]string{
		"amd64": "X64",
		"arm64": "ARM64",
	}
	var lines []string
	for _, t := range targets {
		name, sum, ok := archiveOf(v, t, files)
		if arch := arches[t.arch]; ok && arch != "" {
			lines = append(
				lines,
				fmt.Sprintf(
					"        %s/%s) file=%s sum=%s ;;",
					systems[t.os],
					arch,
					name,
					sum,
				),
			)
		}
	}
	return strings.Join(lines, "\n")
}

// homebrewSystems are the archives for systems that have Homebrew.
func homebrewSystems(v semver, files map[string][]byte) string {
	var lines []string
	for _, system := range []struct{ goos, word string }{{"darwin", "macos"}, {"linux", "linux"}} {
		var inner []string
		for _, arch := range []struct{ goarch, word string }{{"arm64", "arm"}, {"amd64", "intel"}} {
			if name, sum, ok := archiveOf(v, target{system.goos, arch.goarch}, files); ok {
				inner = append(
					inner,
					fmt.Sprintf("    on_%s do\n      url %q\n      sha256 %q\n    end", arch.word,
						urlOf(v, name), sum),
				)
			}
		}
		if inner != nil {
			lines = append(
				lines,
				fmt.Sprintf("  on_%s do\n%s\n  end", system.word, strings.Join(inner, "\n")),
			)
		}
	}
	return strings.Join(lines, "\n")
}

// scoop is a manifest of Scoop, for Windows.
func scoop(v semver, files map[string][]byte) ([]byte, error) {
	type archive struct {
		URL    string `json:"url"`
		Hash   string `json:"hash"`
		Folder string `json:"extract_dir"`
	}
	arches := map[string]archive{}
	for goarch, word := range map[string]string{"amd64": "64bit", "arm64": "arm64"} {
		if name, sum, ok := archiveOf(v, target{"windows", goarch}, files); ok {
			arches[word] = archive{
				urlOf(v, name),
				sum,
				strings.TrimSuffix(name, ".zip"),
			}
		}
	}
	text, err := json.MarshalIndent(map[string]any{
		"version": v.plain(), "description": "Vulkan without a GPU, with the same bytes on every machine",
		"homepage": "https://" + modulePath,
		"license":  "Apache-2.0", "architecture": arches, "bin": "pumice.exe",
	}, "", "    ")
	return append(text, '\n'), err
}

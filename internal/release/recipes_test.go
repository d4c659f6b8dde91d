package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// Recipes name the archives that were built, whole and with their sums, and no others.
func TestRecipes_NameFilesAndSums(t *testing.T) {
	const v = semver("v1.2.3-rc.1")
	files := map[string][]byte{}
	for _, system := range targets {
		if system != (target{"darwin", "amd64"}) {
			files[archiveName(v, system)] = []byte(system.String())
		}
	}
	if err := recipes(v, files); err != nil {
		t.Fatal(err)
	}
	sum := func(system string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(system))) }
	base := "https://" + modulePath + "/releases/download/v1.2.3-rc.1/pumice_1.2.3-rc.1_"
	for name, parts := range map[string][]string{
		"Containerfile":           {" /dist/" + packageName(deb, v, "${TARGETARCH}") + " "},
		"setup-pumice_action.yml": {"Linux/X64) file=pumice_1.2.3-rc.1_linux_amd64.tar.gz sum=" + sum("linux/amd64") + " ;;", "Windows/ARM64) file=pumice_1.2.3-rc.1_windows_arm64.zip sum=" + sum("windows/arm64") + " ;;"},
		"pumice_homebrew.rb":      {`url "` + base + `darwin_arm64.tar.gz"` + "\n      sha256 " + `"` + sum("darwin/arm64") + `"`, `url "` + base + `linux_amd64.tar.gz"`},
	} {
		text := string(files[name])
		for _, part := range parts {
			if !strings.Contains(text, part) {
				t.Errorf("%s: no %q in\n%s", name, part, text)
			}
		}
		if name != "setup-pumice_action.yml" && strings.Contains(text, "@") ||
			strings.Contains(text, "@VERSION@") ||
			strings.Contains(text, "@CASES@") {
			t.Errorf("%s: something is not filled in:\n%s", name, text)
		}
		if strings.Contains(text, "darwin_amd64") || strings.Contains(text, "macOS/X64") {
			t.Errorf("%s names what was not built:\n%s", name, text)
		}
	}
	var m struct {
		Version      string
		Architecture map[string]struct {
			URL, Hash string
			Folder    string `json:"extract_dir"`
		}
	}
	if err := json.Unmarshal(files["pumice_scoop.json"], &m); err != nil {
		t.Fatal(err)
	}
	if a := m.Architecture["64bit"]; m.Version != "1.2.3-rc.1" || len(m.Architecture) != 2 ||
		a.URL != base+"windows_amd64.zip" ||
		a.Hash != sum("windows/amd64") ||
		a.Folder != "pumice_1.2.3-rc.1_windows_amd64" {
		t.Errorf("%+v", m)
	}
}

//go:build outside

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/outside"
)

// The action's script takes the archive that the release made, sets what later steps need, and
// refuses another file.
func TestOutside_Action_InstallsWhatHasTheSum(t *testing.T) {
	bash := outside.Tool{
		Name:   "bash",
		Debian: "bash",
		Why:    "GitHub's runners run the action's script with it",
	}.Path(t)
	outside.Tool{
		Name:   "curl",
		Debian: "curl",
		Why:    "the action's script downloads with it",
	}.Path(t)
	const v = semver("v1.2.3")
	b, system := &builder{version: v, time: epoch}, target{"linux", "arm64"}
	archive, err := tarball(
		"",
		under(
			"pumice_1.2.3_linux_arm64",
			unixTree(b, system, []byte("command"), []byte("library"), isolated{[]byte("front"), []byte("helper")}),
		),
		epoch,
	)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{archiveName(v, system): archive}
	if err := recipes(v, files); err != nil {
		t.Fatal(err)
	}
	_, script, ok := strings.Cut(string(files["setup-pumice_action.yml"]), "      run: |\n")
	if !ok {
		t.Fatal("no script")
	}
	script = regexp.MustCompile(`(?m)^ {8}`).ReplaceAllString(script, "")
	for name, c := range map[string]struct {
		served       []byte
		system, arch string
		fails        string
	}{
		"as released":     {archive, "Linux", "ARM64", ""},
		"another file":    {append(archive[:len(archive):len(archive)], 0), "Linux", "ARM64", "it is not what was released as 1.2.3"},
		"nothing":         {nil, "Linux", "ARM64", "curl"},
		"another machine": {archive, "Linux", "ARM", "no files for Linux on ARM"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if c.served != nil {
				if err := os.WriteFile(filepath.Join(dir, archiveName(v, system)), c.served, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.Command(bash, "-c", script)
			cmd.Env = append(
				os.Environ(),
				"RUNNER_OS="+c.system,
				"RUNNER_ARCH="+c.arch,
				"RUNNER_TEMP="+dir,
				"FROM=file://"+dir,
				"DEVICE_TYPE=discrete",
				"GITHUB_PATH="+dir+"/path",
				"GITHUB_ENV="+dir+"/env",
				"GITHUB_OUTPUT="+dir+"/output",
			)
			out, err := cmd.CombinedOutput()
			if (err != nil) != (c.fails != "") ||
				!strings.Contains(string(out), c.fails) {
				t.Fatalf("%v\n%s", err, out)
			}
			text := func(name string) string {
				data, _ := os.ReadFile(filepath.Join(dir, name))
				return string(data)
			}
			if c.fails != "" {
				if text("env")+text("path") != "" {
					t.Errorf("it fails, and sets %q", text("env"))
				}
				return
			}
			top := filepath.Join(dir, "pumice-1.2.3", "pumice_1.2.3_linux_arm64")
			icd := filepath.Join(top, "share", "vulkan", "icd.d", "pumice_icd.aarch64.json")
			if text("path") != filepath.Join(top, "bin")+"\n" ||
				text("output") != "icd="+icd+"\n" ||
				text(
					"env",
				) != "VK_DRIVER_FILES="+icd+"\nVK_ICD_FILENAMES="+icd+"\nPUMICE_DEVICE_TYPE=discrete\n" {
				t.Errorf("%q, %q, %q", text("path"), text("output"), text("env"))
			}
			if data, err := os.ReadFile(icd); err != nil ||
				!strings.Contains(string(data), frontName) {
				t.Errorf("%q, %v", data, err)
			}
		})
	}
}

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/version"
)

// standIn makes a file that stands for the driver's library, and points the
// command and all its folders at a temporary one.
func standIn(t *testing.T) (library, data string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the driver is for Linux")
	}
	dir := t.TempDir()
	library, data = filepath.Join(dir, libraryName), filepath.Join(dir, "data")
	if err := os.WriteFile(library, []byte("library"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PUMICE_DRIVER", library)
	t.Setenv("XDG_DATA_HOME", data)
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	return library, data
}

// manifestOf reads which library a manifest names.
func manifestOf(t *testing.T, path string) (library, version string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var m struct {
		FileFormatVersion string `json:"file_format_version"`
		ICD               struct {
			LibraryPath string `json:"library_path"`
			APIVersion  string `json:"api_version"`
		}
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil || m.FileFormatVersion != "1.0.1" {
		t.Fatalf("%s: %v in %s", path, err, text)
	}
	return m.ICD.LibraryPath, m.ICD.APIVersion
}

func TestDriver_InstallAndUninstall(t *testing.T) {
	library, data := standIn(t)
	if code, out, errs := command(t, "driver", "path"); code != 0 || strings.TrimSpace(out) != library {
		t.Fatalf("path: %d %q %q", code, out, errs)
	}
	manifest := filepath.Join(data, "vulkan", "icd.d", manifestName)
	for range 2 { // installing twice is no error
		if code, out, errs := command(t, "driver", "install"); code != 0 || strings.TrimSpace(out) != manifest {
			t.Fatalf("install: %d %q %q", code, out, errs)
		}
	}
	installed, of := manifestOf(t, manifest)
	if text, err := os.ReadFile(installed); err != nil || string(text) != "library" || !strings.HasPrefix(installed, data) {
		t.Errorf("the manifest names %s: %q, %v", installed, text, err)
	}
	if of != version.Text() {
		t.Errorf("version %s", of)
	}
	for range 2 { // nor is uninstalling
		if code, _, errs := command(t, "driver", "uninstall"); code != 0 {
			t.Fatalf("uninstall: %d %q", code, errs)
		}
	}
	if exists(manifest) || exists(installed) {
		t.Error("uninstall leaves something")
	}
}

// Where the front and the helper are beside the library, they are installed with it, and the
// manifest names the front.
func TestDriver_InstallsTheFront(t *testing.T) {
	library, data := standIn(t)
	front, helper := filepath.Join(filepath.Dir(library), frontName), filepath.Join(filepath.Dir(library), "pumice", helperName)
	if err := os.MkdirAll(filepath.Dir(helper), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PUMICE_ISOLATE", "1")
	if code, _, errs := command(t, "driver", "path"); code != exitFailure || !strings.Contains(errs, frontName) {
		t.Errorf("without a front: %d %q", code, errs)
	}
	for _, path := range []string{front, helper} {
		if err := os.WriteFile(path, []byte(filepath.Base(path)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for isolate, want := range map[string]string{"": library, "0": library, "1": front} {
		t.Setenv("PUMICE_ISOLATE", isolate)
		if code, out, errs := command(t, "driver", "path"); code != 0 || strings.TrimSpace(out) != want {
			t.Errorf("path with %q: %d %q %q, want %s", isolate, code, out, errs, want)
		}
	}
	manifest, dir := filepath.Join(data, "vulkan", "icd.d", manifestName), filepath.Join(data, "pumice")
	if code, _, errs := command(t, "driver", "install"); code != 0 {
		t.Fatalf("install: %d %q", code, errs)
	}
	if names, _ := manifestOf(t, manifest); names != filepath.Join(dir, frontName) {
		t.Errorf("the manifest names %s", names)
	}
	for name, want := range map[string]string{libraryName: "library", frontName: frontName, helperName: helperName} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		info, _ := os.Stat(filepath.Join(dir, name))
		if err != nil || string(text) != want || info.Mode()&0o111 == 0 {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	if code, _, errs := command(t, "driver", "uninstall"); code != 0 {
		t.Fatalf("uninstall: %d %q", code, errs)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 || exists(manifest) {
		t.Errorf("uninstall leaves %v", left)
	}
}

func TestDriver_NamedLibraryThatIsMissing(t *testing.T) {
	library, _ := standIn(t)
	t.Setenv("PUMICE_DRIVER", library+".no")
	if code, _, errs := command(t, "driver", "path"); code != exitFailure || !strings.Contains(errs, library+".no") {
		t.Errorf("%d %q", code, errs)
	}
}

func TestRun_CommandLine(t *testing.T) {
	standIn(t)
	for name, args := range map[string][]string{
		"no program":      {"run"},
		"no such program": {"run", "--", "pumice-test-no-such-program"},
	} {
		if code, _, errs := command(t, args...); code != exitUsage || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: %d %q", name, code, errs)
		}
	}
}

func TestRun_EnvironmentHasOneDriver(t *testing.T) {
	library, _ := standIn(t)
	manifest, err := cachedManifest(library)
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := manifestOf(t, manifest); got != library {
		t.Errorf("the manifest names %s", got)
	}
	got := driverEnvironment([]string{"A=b", "VK_DRIVER_FILES=x", "VK_ICD_FILENAMES=y", "VK_ADD_DRIVER_FILES=z", "VK_LAYER_PATH=l"}, manifest)
	want := []string{"A=b", "VK_LAYER_PATH=l", "VK_DRIVER_FILES=" + manifest, "VK_ICD_FILENAMES=" + manifest}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestSourceTree_FoundFromBelowOnly(t *testing.T) {
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := sourceTree(wd), filepath.Dir(filepath.Dir(wd)); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "go.mod"), []byte("module example.com/other\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := sourceTree(other); got != "" {
		t.Errorf("found %q in another module", got)
	}
}

func TestInfo_DeviceWithoutFile(t *testing.T) {
	code, out, errs := command(t, "info")
	if code != 0 {
		t.Fatalf("%d %q", code, errs)
	}
	for _, want := range []string{"device ", "robustBufferAccess", "maxImageDimension2D", version.Text()} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q", want)
		}
	}
}

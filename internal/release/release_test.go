package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var epoch = time.Unix(1_700_000_000, 0).UTC()

// some are files, in no order.
func some() []file {
	return []file{{name: "usr/share/doc/b", data: []byte("text\n")}, {name: "usr/bin/a", exec: true, data: []byte("program")}}
}

func reversed(files []file) []file { return []file{files[1], files[0]} }

// The same files give the same bytes, whoever listed them; others do not.
func TestArchives_SameFilesSameBytes(t *testing.T) {
	info := debInfo{version: "1.2.3", arch: "amd64", depends: "libc6 (>= 2.34)"}
	other := some()
	other[0].data = []byte("taxt\n")
	for name, pack := range map[string]func([]file, time.Time) ([]byte, error){
		"tarball": func(f []file, at time.Time) ([]byte, error) { return tarball("", f, at) },
		"zip":     zipped,
		"deb":     func(f []file, at time.Time) ([]byte, error) { return deb(info, f, at) },
	} {
		a, err := pack(some(), epoch)
		if err != nil {
			t.Fatal(err)
		}
		for what, want := range map[string]struct {
			files []file
			at    time.Time
			same  bool
		}{
			"again":       {some(), epoch, true},
			"other order": {reversed(some()), epoch, true},
			"other file":  {other, epoch, false},
			"other time":  {some(), epoch.Add(time.Hour), false},
		} {
			if b, err := pack(want.files, want.at); err != nil || bytes.Equal(a, b) != want.same {
				t.Errorf("%s, %s: same is %v, %v", name, what, !want.same, err)
			}
		}
	}
}

func TestTarball_HasFoldersModesAndOwners(t *testing.T) {
	data, err := tarball("./", some(), epoch)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%s %o %d %s %d", h.Name, h.Mode, h.Size, h.Uname, h.ModTime.Unix()))
	}
	want := []string{
		"./usr/ 755 0 root 1700000000", "./usr/bin/ 755 0 root 1700000000", "./usr/bin/a 755 7 root 1700000000",
		"./usr/share/ 755 0 root 1700000000", "./usr/share/doc/ 755 0 root 1700000000", "./usr/share/doc/b 644 5 root 1700000000",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

func TestZip_HasModes(t *testing.T) {
	data, err := zipped([]file{{name: "p/pumice.exe", exec: true, data: []byte("program")}}, epoch)
	if err != nil {
		t.Fatal(err)
	}
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil || len(r.File) != 1 || r.File[0].Name != "p/pumice.exe" || !r.File[0].Modified.Equal(epoch) {
		t.Fatalf("%v, %v", r, err)
	}
}

// dpkg itself reads the package.
func TestDeb_AsDpkgReadsIt(t *testing.T) {
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		t.Skip("there is no dpkg-deb")
	}
	dir := t.TempDir()
	for _, version := range []semver{"v1.2.3", "v1.2.3-rc.1", "v1.2.3-5-g0123abc+dirty"} { // odd and even lengths
		data, err := deb(debInfo{version: version.debian(), arch: "arm64", depends: "libc6 (>= 2.34)"}, some(), epoch)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "x.deb")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, q := range []struct{ args, want string }{
			{"-f Package", "pumice"}, {"-f Version", version.debian()}, {"-f Architecture", "arm64"}, {"-f Depends", "libc6 (>= 2.34)"}, {"-f Installed-Size", "2"},
		} {
			args := strings.Fields(q.args)
			out, err := exec.Command("dpkg-deb", args[0], path, args[1]).CombinedOutput()
			if got := strings.TrimSpace(string(out)); err != nil || got != q.want {
				t.Errorf("%s: %q, want %q (%v)", q.args, got, q.want, err)
			}
		}
		to := filepath.Join(dir, string(version))
		if out, err := exec.Command("dpkg-deb", "-x", path, to).CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
		if text, err := os.ReadFile(filepath.Join(to, "usr", "bin", "a")); err != nil || string(text) != "program" {
			t.Errorf("%q, %v", text, err)
		}
	}
}

// Debian's versions, in the order in which they must be.
func TestSemver_DebianOrdersThem(t *testing.T) {
	order := []semver{
		"v0.0.0-20261123153404-e5de8306255a", "v1.2.3-rc.1", "v1.2.3-rc.2", "v1.2.3", "v1.2.3-5-g0123abc", "v1.2.3-12-gfedcba9", "v1.2.4-rc.1",
	}
	want := []string{
		"0.0.0~20261123153404.e5de8306255a", "1.2.3~rc.1", "1.2.3~rc.2", "1.2.3", "1.2.3+5.g0123abc", "1.2.3+12.gfedcba9", "1.2.4~rc.1",
	}
	_, noDpkg := exec.LookPath("dpkg")
	for i, v := range order {
		if got := v.debian(); got != want[i] {
			t.Errorf("%s is %s, want %s", v, got, want[i])
		}
		if i > 0 && noDpkg == nil {
			if err := exec.Command("dpkg", "--compare-versions", want[i-1], "lt", want[i]).Run(); err != nil {
				t.Errorf("%s is not before %s: %v", want[i-1], want[i], err)
			}
		}
	}
}

// The version is the tag's, or what follows it, or the commit's; the time is the commit's.
func TestVersionOfTree_FromTags(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	dir := t.TempDir()
	t.Setenv("SOURCE_DATE_EPOCH", "")
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=T", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false", "-c", "tag.gpgsign=false"}, args...)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z", "GIT_AUTHOR_DATE=2026-01-02T03:04:05Z")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v %s", args, err, out)
		}
	}
	expect := func(asked, form string) {
		t.Helper()
		v, at, err := versionOfTree(context.Background(), dir, asked)
		if ok, _ := filepath.Match(form, string(v)); err != nil || !ok || at.Format(time.RFC3339) != "2026-01-02T03:04:05Z" {
			t.Errorf("%q at %s, %v; want %s", v, at, err, form)
		}
	}
	text := filepath.Join(dir, "text")
	write := func(s string) {
		if err := os.WriteFile(text, []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "-q")
	write("1")
	git("add", "text")
	git("commit", "-q", "-m", "one")
	const hash = "[0-9a-f][0-9a-f][0-9a-f][0-9a-f]*"
	expect("", "v0.0.0-20260102030405-"+hash)
	git("tag", "v1.2.3")
	git("tag", "nightly")
	expect("", "v1.2.3")
	write("2")
	expect("", "v1.2.3+dirty")
	git("commit", "-q", "-a", "-m", "two")
	expect("", "v1.2.3-1-g"+hash)
	expect("v2.0.0-rc.1", "v2.0.0-rc.1")
	if _, _, err := versionOfTree(context.Background(), dir, "2.0"); err == nil {
		t.Error("2.0 is taken for a version")
	}
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	if _, at, err := versionOfTree(context.Background(), dir, ""); err != nil || !at.Equal(epoch) {
		t.Errorf("%v, %v", at, err)
	}
}

// What is linked is in the bill, with its terms; what has no terms is an error.
func TestBillOfMaterials(t *testing.T) {
	licenses := "Head.\n\n==== the Go standard library and runtime\n\nterms of Go\n\n==== example.com/a v1.0.0\n\nterms of a\n\n==== example.com/windows v2.0.0\n\nterms of w\n\n==== a registry\n\nterms of it\n"
	text, err := billOfMaterials("v1.2.3", epoch, licenses, map[string]string{"example.com/a": "v1.0.0"})
	if err != nil {
		t.Fatal(err)
	}
	var b bom
	if err := json.Unmarshal(text, &b); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range b.Components {
		got = append(got, c.Name+" "+c.PURL+" "+c.Licenses[0].License.Text.Content)
	}
	if len(got) != 3 || got[0] != "example.com/a pkg:golang/example.com/a@v1.0.0 terms of a" || got[1] != "a registry  terms of it" ||
		!strings.HasPrefix(got[2], "std pkg:golang/std@1.") {
		t.Errorf("%q", got)
	}
	if b.Metadata.Component.Version != "v1.2.3" || b.Metadata.Timestamp != "2023-11-14T22:13:20Z" {
		t.Errorf("%+v", b.Metadata)
	}
	if _, err := billOfMaterials("v1.2.3", epoch, licenses, map[string]string{"example.com/a": "v1.0.1"}); err == nil {
		t.Error("a module without terms is listed")
	}
}

// The container file names a package of the release, whole.
func TestContainerfile_NamesThePackage(t *testing.T) {
	text := strings.ReplaceAll(containerfile, "@VERSION@", semver("v1.2.3-rc.1").plain())
	if !strings.Contains(text, " /dist/"+debName("v1.2.3-rc.1", "${TARGETARCH}")+" ") {
		t.Errorf("no %s in\n%s", debName("v1.2.3-rc.1", "${TARGETARCH}"), text)
	}
	if strings.Contains(text, "@") {
		t.Error("something is not filled in")
	}
}

func TestChosen_NamesTargets(t *testing.T) {
	if list, err := chosen(""); err != nil || len(list) != 6 {
		t.Errorf("%v, %v", list, err)
	}
	if list, err := chosen("darwin/arm64,linux/amd64"); err != nil || fmt.Sprint(list) != "[darwin/arm64 linux/amd64]" {
		t.Errorf("%v, %v", list, err)
	}
	if _, err := chosen("plan9/mips"); err == nil || !strings.Contains(err.Error(), "linux/amd64") {
		t.Errorf("%v", err)
	}
}

// The manifests name the library where the packages have it.
func TestTrees_ManifestNamesTheLibrary(t *testing.T) {
	b := &builder{}
	for name, tree := range map[string][]file{
		"tarball": unixTree(b, target{"linux", "arm64"}, nil, []byte("library")),
		"deb":     debianTree(b, target{"linux", "arm64"}, nil, []byte("library")),
	} {
		library, text, at := "", "", ""
		for _, f := range tree {
			switch {
			case string(f.data) == "library":
				library = "/" + f.name
			case strings.HasSuffix(f.name, "pumice_icd.aarch64.json"):
				text, at = string(f.data), "/"+filepath.Dir(f.name)
			}
		}
		var m struct {
			ICD struct {
				Path string `json:"library_path"`
			}
		}
		if err := json.Unmarshal([]byte(text), &m); err != nil {
			t.Fatalf("%s: %v in %q", name, err, text)
		}
		if !filepath.IsAbs(m.ICD.Path) {
			m.ICD.Path = filepath.Join(at, m.ICD.Path)
		}
		if library == "" || m.ICD.Path != library {
			t.Errorf("%s: the manifest names %s, the library is %s", name, m.ICD.Path, library)
		}
	}
}

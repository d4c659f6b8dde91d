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

// The package is what deb(5) says: an ar archive of three members at even offsets, with the control file first.
func TestDeb_HasItsMembers(t *testing.T) {
	for _, version := range []semver{"v1.2.3", "v1.2.3-rc.1", "v1.2.3-5-g0123abc+dirty"} { // odd and even lengths
		data, err := deb(debInfo{version: version.debian(), arch: "arm64", depends: "libc6 (>= 2.34)"}, some(), epoch)
		if err != nil {
			t.Fatal(err)
		}
		rest, ok := bytes.CutPrefix(data, []byte("!<arch>\n"))
		if !ok {
			t.Fatalf("it begins with %q", data[:8])
		}
		members := map[string][]byte{}
		for _, name := range []string{"debian-binary", "control.tar.gz", "data.tar.gz"} {
			var got string
			var at, owner, group, mode, size int
			if _, err := fmt.Sscanf(string(rest[:60]), "%s %d %d %d %o %d `\n", &got, &at, &owner, &group, &mode, &size); err != nil || got != name {
				t.Fatalf("%q, want %s (%v)", rest[:60], name, err)
			}
			if at != int(epoch.Unix()) || owner != 0 || group != 0 || mode != 0o100644 || rest[58] != '`' || rest[59] != '\n' {
				t.Errorf("%q", rest[:60])
			}
			members[name] = rest[60:][:size]
			rest = rest[60+size+size%2:]
		}
		if len(rest) > 0 || string(members["debian-binary"]) != "2.0\n" {
			t.Errorf("format %q, and %d bytes are behind the last member", members["debian-binary"], len(rest))
		}
		control := untarred(t, members["control.tar.gz"])["./control"]
		for _, field := range []string{"Package: pumice", "Version: " + version.debian(), "Architecture: arm64", "Depends: libc6 (>= 2.34)", "Installed-Size: 2"} {
			if !strings.Contains("\n"+control, "\n"+field+"\n") {
				t.Errorf("no %q in\n%s", field, control)
			}
		}
		if text := untarred(t, members["data.tar.gz"])["./usr/bin/a"]; text != "program" {
			t.Errorf("%q", text)
		}
	}
}

// untarred are the files of a tarball.
func untarred(t *testing.T, data []byte) map[string]string {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files[h.Name] = string(text)
	}
}

// debianVersions are versions in the order that they must have, and what they are as Debian's.
var debianVersions = [][2]string{
	{"v0.0.0-20261123153404-e5de8306255a", "0.0.0~20261123153404.e5de8306255a"}, {"v1.2.3-rc.1", "1.2.3~rc.1"}, {"v1.2.3-rc.2", "1.2.3~rc.2"}, {"v1.2.3", "1.2.3"},
	{"v1.2.3-5-g0123abc", "1.2.3+5.g0123abc"}, {"v1.2.3-12-gfedcba9", "1.2.3+12.gfedcba9"}, {"v1.2.4-rc.1", "1.2.4~rc.1"},
}

func TestSemver_AsDebiansVersion(t *testing.T) {
	for _, v := range debianVersions {
		if got := semver(v[0]).debian(); got != v[1] {
			t.Errorf("%s is %s, want %s", v[0], got, v[1])
		}
	}
}

// A version that is given, and a time, need no repository.
func TestVersionOfTree_AsGiven(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	if v, at, err := versionOfTree(context.Background(), t.TempDir(), "v2.0.0-rc.1"); err != nil || v != "v2.0.0-rc.1" || !at.Equal(epoch) {
		t.Errorf("%s, %v, %v", v, at, err)
	}
	if _, _, err := versionOfTree(context.Background(), t.TempDir(), "2.0"); err == nil {
		t.Error("2.0 is taken for a version")
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

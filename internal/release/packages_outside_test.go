//go:build outside

package main

import (
	"bytes"
	"crypto/md5"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pumice-gpu/pumice/internal/outside"
)

// nfpmFolder has the tool, once it is built.
var nfpmFolder = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "pumice-nfpm-") })

func TestMain(m *testing.M) {
	code := m.Run()
	if dir, err := nfpmFolder(); err == nil {
		_ = os.RemoveAll(dir)
	}
	os.Exit(code)
}

// packingBuilder can pack. nfpm comes from the Go module proxy.
func packingBuilder(t *testing.T) *builder {
	t.Helper()
	dir, err := nfpmFolder()
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	download := exec.Command("go", "mod", "download")
	download.Dir = "nfpm"
	if out, err := download.CombinedOutput(); err != nil {
		t.Skipf("the Go module proxy does not give what nfpm/go.mod names: %v\n%s", err, out)
	}
	return &builder{ctx: t.Context(), root: root, tmp: dir}
}

func packageOf(t *testing.T, b *builder, p packager, v semver, files []file, at time.Time) []byte {
	t.Helper()
	data, err := b.packed(p, configOf(p, v, "arm64", 27, at), files)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// The same files give the same package, whoever listed them; others do not.
func TestOutside_Packages_SameFilesSameBytes(t *testing.T) {
	b := packingBuilder(t)
	other := some()
	other[0].data = []byte("taxt\n")
	for _, p := range []packager{deb, rpm, apk} {
		first := packageOf(t, b, p, "v1.2.3", some(), epoch)
		time.Sleep(1100 * time.Millisecond) // formats have whole seconds
		if !bytes.Equal(first, packageOf(t, b, p, "v1.2.3", reversed(some()), epoch)) {
			t.Errorf("%s: another order, other bytes", p)
		}
		for what, data := range map[string][]byte{
			"file":    packageOf(t, b, p, "v1.2.3", other, epoch),
			"time":    packageOf(t, b, p, "v1.2.3", some(), epoch.Add(time.Hour)),
			"version": packageOf(t, b, p, "v1.2.4", some(), epoch),
		} {
			if bytes.Equal(first, data) {
				t.Errorf("%s: another %s, the same bytes", p, what)
			}
		}
	}
}

// debVersions have odd and even lengths.
var debVersions = []semver{"v1.2.3", "v1.2.3-rc.1", "v1.2.3-5-g0123abc+dirty"}

// A package is what deb(5) says: an ar archive of three members at even places, the first of which
// is the format's version, and the others archives of control files and of files. dpkg reads it,
// where there is dpkg.
func TestOutside_Deb_AsItsFormatSays(t *testing.T) {
	b := packingBuilder(t)
	for _, version := range debVersions {
		whole := packageOf(t, b, deb, version, some(), epoch)
		data, members := whole, []string{}
		if !bytes.HasPrefix(data, []byte("!<arch>\n")) {
			t.Fatalf("%.20q", data)
		}
		files := map[string]string{}
		for data = data[8:]; len(data) >= 60; {
			name, size := strings.TrimSpace(string(data[:16])), 0
			if _, err := fmt.Sscan(string(data[48:58]), &size); err != nil ||
				string(data[58:60]) != "`\n" ||
				size > len(data)-60 {
				t.Fatalf("%q, %v", data[:60], err)
			}
			members = append(members, name)
			body := data[60:][:size]
			data = data[min(60+size+size%2, len(data)):]
			if name == "debian-binary" {
				files[name] = string(body)
			} else {
				maps.Copy(files, untarred(t, body))
			}
		}
		if len(data) != 0 ||
			strings.Join(members, " ") != "debian-binary control.tar.gz data.tar.gz" ||
			files["debian-binary"] != "2.0\n" ||
			files["./usr/bin/a"] != "program" {
			t.Errorf("%s: %q, %q; %d bytes are left", version, members, files, len(data))
		}
		fields := map[string]string{
			"Package":      "pumice",
			"Version":      version.debian(),
			"Architecture": "arm64",
			"Depends":      "libc6 (>= 2.27)",
			"Provides":     "vulkan-icd",
		}
		for field, want := range fields {
			if !strings.Contains("\n"+files["./control"], "\n"+field+": "+want+"\n") {
				t.Errorf("%s is not %q in\n%s", field, want, files["./control"])
			}
		}
		if sum := fmt.Sprintf("%x  ./usr/bin/a\n", md5.Sum([]byte("program"))); !strings.Contains(
			files["./md5sums"],
			sum,
		) {
			t.Errorf("%q, want %q", files["./md5sums"], sum)
		}
		t.Run(string(version), func(t *testing.T) { dpkgReads(t, whole, fields) })
	}
}

func dpkgReads(t *testing.T, data []byte, fields map[string]string) {
	tool := outside.Tool{
		Name:   "dpkg-deb",
		Debian: "dpkg",
		Why:    "packages are what dpkg reads",
	}.Path(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "x.deb")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	for field, want := range fields {
		out, err := exec.Command(tool, "-f", path, field).CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != want {
			t.Errorf("%s: %q, want %q (%v)", field, got, want, err)
		}
	}
	if out, err := exec.Command(tool, "-x", path, filepath.Join(dir, "x")).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "x", "usr", "bin", "a")); err != nil ||
		string(text) != "program" {
		t.Errorf("%q, %v", text, err)
	}
}

// rpm reads a package: what it says of itself, what it needs, its files.
func TestOutside_RPM_ReadsThePackage(t *testing.T) {
	tool := outside.Tool{Name: "rpm", Debian: "rpm", Why: "packages are what rpm reads"}.Path(t)
	b := packingBuilder(t)
	for _, version := range debVersions {
		path := filepath.Join(t.TempDir(), "x.rpm")
		if err := os.WriteFile(path, packageOf(t, b, rpm, version, some(), epoch), 0o600); err != nil {
			t.Fatal(err)
		}
		for query, want := range map[string]string{
			"%{NAME} %{VERSION} %{ARCH} %{BUILDHOST} %{BUILDTIME}": "pumice " + version.debian() + " aarch64 localhost 1700000000",
			"[%{REQUIRES}\n]": "libc.so.6(GLIBC_2.27)(64bit)", "[%{FILENAMES} %{FILEMODES:perms} %{FILEUSERNAME}\n]": "/usr/bin/a -rwxr-xr-x root\n/usr/share/doc/b -rw-r--r-- root",
		} {
			out, err := exec.Command(tool, "--dbpath", t.TempDir(), "-q", "--queryformat", query, "-p", path).
				Output()
			if got := strings.TrimSpace(string(out)); err != nil || got != want {
				t.Errorf("%s: %q, want %q (%v)", query, got, want, err)
			}
		}
	}
}

// An apk is archives one after the other, of which the first tells of the package.
func TestOutside_APK_TellsOfItself(t *testing.T) {
	files := untarred(t, packageOf(t, packingBuilder(t), apk, "v1.2.3-rc.1", some(), epoch))
	for _, line := range []string{"pkgname = pumice", "pkgver = 1.2.3_rc1-r0", "arch = aarch64", "license = Apache-2.0"} {
		if !strings.Contains("\n"+files[".PKGINFO"], "\n"+line+"\n") {
			t.Errorf("no %q in\n%s", line, files[".PKGINFO"])
		}
	}
	if !strings.Contains(files[".PKGINFO"], "in a process of its own") ||
		strings.Contains(files[".PKGINFO"], "depend = ") ||
		files["usr/bin/a"] != "program" {
		t.Errorf("%q", files)
	}
}

package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

var epoch = time.Unix(1_700_000_000, 0).UTC()

// some are files, in no order.
func some() []file {
	return []file{
		{name: "usr/share/doc/b", data: []byte("text\n")},
		{name: "usr/bin/a", exec: true, data: []byte("program")},
	}
}

func reversed(files []file) []file { return []file{files[1], files[0]} }

// The same files give the same bytes, whoever listed them; others do not.
func TestArchives_SameFilesSameBytes(t *testing.T) {
	other := some()
	other[0].data = []byte("taxt\n")
	for name, pack := range map[string]func([]file, time.Time) ([]byte, error){
		"tarball": func(f []file, at time.Time) ([]byte, error) { return tarball("", f, at) },
		"zip":     zipped,
		"npm": func(f []file, at time.Time) ([]byte, error) {
			return npmPacked(npmManifestOf("x", "", "v1.2.3"), f, at)
		},
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
			if b, err := pack(want.files, want.at); err != nil ||
				bytes.Equal(a, b) != want.same {
				t.Errorf("%s, %s: same is %v, %v", name, what, !want.same, err)
			}
		}
	}
}

// untarred are the files of gzip-compressed tar archives, one after the other.
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
		text, readErr := io.ReadAll(r)
		if err != nil || readErr != nil {
			t.Fatal(err, readErr)
		}
		files[h.Name] = string(text)
	}
}

func TestSameFiles(t *testing.T) {
	a := map[string][]byte{"x": []byte("1"), "y": []byte("2")}
	for says, b := range map[string]map[string][]byte{
		"": {"y": []byte("2"), "x": []byte("1")}, "x is not": {"x": []byte("2"), "y": []byte("2")},
		"y is not": {"x": []byte("1")}, "2 files": {"x": []byte("1"), "y": []byte("2"), "z": nil},
	} {
		if err := sameFiles(a, b); (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", says, err)
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
		got = append(
			got,
			fmt.Sprintf("%s %o %d %s %d", h.Name, h.Mode, h.Size, h.Uname, h.ModTime.Unix()),
		)
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
	if err != nil || len(r.File) != 1 || r.File[0].Name != "p/pumice.exe" ||
		!r.File[0].Modified.Equal(epoch) {
		t.Fatalf("%v, %v", r, err)
	}
}

// ordered are versions in the order in which they must be, and as Debian has them.
var ordered = [][2]string{
	{
		"v0.0.0-20261123153404-e5de8306255a",
		"0.0.0~20261123153404.e5de8306255a",
	}, {"v1.2.3-rc.1", "1.2.3~rc.1"}, {"v1.2.3-rc.2", "1.2.3~rc.2"}, {"v1.2.3", "1.2.3"},
	{
		"v1.2.3-5-g0123abc",
		"1.2.3+5.g0123abc",
	}, {"v1.2.3-12-gfedcba9", "1.2.3+12.gfedcba9"}, {"v1.2.4-rc.1", "1.2.4~rc.1"},
}

// debianLess orders versions without epoch and revision by the algorithm of deb-version(7): parts that are no digits,
// in which ~ comes before the end and letters before all else, and numbers take turns.
func debianLess(a, b string) bool {
	order := func(s string) int {
		switch {
		case s == "" || s[0] >= '0' && s[0] <= '9':
			return 0
		case s[0] == '~':
			return -1
		case s[0] >= 'A' && s[0] <= 'Z' || s[0] >= 'a' && s[0] <= 'z':
			return int(s[0])
		}
		return int(s[0]) + 256
	}
	for a != "" || b != "" {
		for order(a) != 0 || order(b) != 0 {
			if x, y := order(a), order(b); x != y {
				return x < y
			}
			a, b = a[1:], b[1:]
		}
		number := func(s *string) (n int) {
			for *s != "" && order(*s) == 0 {
				n, *s = 10*n+int((*s)[0]-'0'), (*s)[1:]
			}
			return n
		}
		if x, y := number(&a), number(&b); x != y {
			return x < y
		}
	}
	return false
}

func TestSemver_DebianOrdersThem(t *testing.T) {
	for i, v := range ordered {
		if got := semver(v[0]).debian(); got != v[1] {
			t.Errorf("%s is %s, want %s", v[0], got, v[1])
		}
		if i > 0 &&
			(!debianLess(ordered[i-1][1], v[1]) || debianLess(v[1], ordered[i-1][1])) {
			t.Errorf("%s is not before %s", ordered[i-1][1], v[1])
		}
	}
}

// apk knows few words, and takes no commit's name.
func TestSemver_Alpine(t *testing.T) {
	form := regexp.MustCompile(`^\d+(\.\d+)*(_(alpha|beta|rc|p)\d*)*$`)
	for v, want := range map[semver]string{
		"v1.2.3": "1.2.3", "v1.2.3-rc.1": "1.2.3_rc1", "v1.2.3-5-g0123abc": "1.2.3_p5", "v1.2.3-5-g0123abc+dirty": "1.2.3_p5",
		"v1.2.3-rc.1-5-g0123abc": "1.2.3_rc1_p5", "v0.0.0-20261123153404-e5de8306255a": "0.0.0_alpha20261123", "v1.2.3-odd.one": "1.2.3_alpha",
	} {
		if got := v.alpine(); got != want || !form.MatchString(got) {
			t.Errorf("%s is %s, want %s", v, got, want)
		}
	}
}

// The questions to git, by number in gitStep.
var gitQuestions = []string{
	"log -1 --format=%ct",
	"describe --tags --match v[0-9]* --dirty=+dirty",
	"rev-parse HEAD",
	"status --porcelain --untracked-files=no",
}

// gitStep is a state of a checkout: what makes it of the one before, the answers of git 2.39.5 to gitQuestions, "" where
// it fails, and the version.
type gitStep struct {
	text     string // of the only file
	commands []string
	answers  []string
	want     semver
}

var gitSteps = []gitStep{
	{"1", []string{"init -q --object-format=sha1", "add text", "commit -q -m one"},
		[]string{
			"1767323045",
			"",
			"e8ca73013a264a119ea483865682fd1c5f53e0b6",
			"",
		}, "v0.0.0-20260102030405-e8ca73013a26"},
	{
		"2",
		nil,
		[]string{"1767323045", "", "e8ca73013a264a119ea483865682fd1c5f53e0b6", "M text"},
		"v0.0.0-20260102030405-e8ca73013a26+dirty",
	},
	{
		"1",
		[]string{"tag v1.2.3", "tag nightly"},
		[]string{"1767323045", "v1.2.3", "e8ca73013a264a119ea483865682fd1c5f53e0b6", ""},
		"v1.2.3",
	},
	{
		"2",
		nil,
		[]string{
			"1767323045",
			"v1.2.3+dirty",
			"e8ca73013a264a119ea483865682fd1c5f53e0b6",
			"M text",
		},
		"v1.2.3+dirty",
	},
	{
		"2",
		[]string{"commit -q -a -m two"},
		[]string{
			"1767323045",
			"v1.2.3-1-g9454e88",
			"9454e88bb55c644f7b95fdd36764040d5ac147aa",
			"",
		},
		"v1.2.3-1-g9454e88",
	},
}

// git is a git that gives the recorded answers.
func (s *gitStep) git(args ...string) (string, error) {
	i := slices.Index(gitQuestions, strings.Join(args, " "))
	if i < 0 || s.answers[i] == "" && args[0] != "status" {
		return "", fmt.Errorf("git %v fails", args)
	}
	return s.answers[i], nil
}

// The version is the tag's, or what follows it, or the commit's; the time is the commit's.
func TestVersionOfTree_FromTags(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "")
	for _, s := range gitSteps {
		if v, at, err := versionOfTree(s.git, ""); err != nil || v != s.want ||
			at.Format(time.RFC3339) != "2026-01-02T03:04:05Z" {
			t.Errorf("%q at %s, %v; want %s", v, at, err, s.want)
		}
	}
	last := gitSteps[len(gitSteps)-1].git
	if v, _, err := versionOfTree(last, "v2.0.0-rc.1"); err != nil || v != "v2.0.0-rc.1" {
		t.Errorf("%q, %v", v, err)
	}
	if _, _, err := versionOfTree(last, "2.0"); err == nil {
		t.Error("2.0 is taken for a version")
	}
	none := func(...string) (string, error) { return "", errors.New("no git") }
	if _, _, err := versionOfTree(none, "v1.0.0"); err == nil ||
		!strings.Contains(err.Error(), "SOURCE_DATE_EPOCH's: no git") {
		t.Errorf("without git: %v", err)
	}
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	if _, at, err := versionOfTree(last, ""); err != nil || !at.Equal(epoch) {
		t.Errorf("%v, %v", at, err)
	}
	if _, at, err := versionOfTree(none, "v1.0.0"); err != nil || !at.Equal(epoch) {
		t.Errorf("a version and a time, without git: %v, %v", at, err)
	}
}

// What is linked is in the bill, with its terms; what has no terms is an error.
func TestBillOfMaterials(t *testing.T) {
	licenses := "Head.\n\n==== the Go standard library and runtime\n\nterms of Go\n\n==== example.com/a v1.0.0\n\nterms of a\n\n==== example.com/windows v2.0.0\n\nterms of w\n\n==== a registry\n\nterms of it\n"
	text, err := billOfMaterials("v1.2.3", epoch, licenses,
		map[string]string{"example.com/a": "v1.0.0"}, map[string][]byte{"a.deb": []byte("abc")})
	if err != nil {
		t.Fatal(err)
	}
	var b bom
	if err := json.Unmarshal(text, &b); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range b.Components {
		if c.Type == "file" { // the sum of abc stands in FIPS 180
			if c.Name != "a.deb" || len(c.Hashes) != 1 ||
				c.Hashes[0].Content != "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" {
				t.Errorf("%+v", c)
			}
			continue
		}
		got = append(got, c.Name+" "+c.PURL+" "+c.Licenses[0].License.Text.Content)
	}
	if len(got) != 3 || got[0] != "example.com/a pkg:golang/example.com/a@v1.0.0 terms of a" ||
		got[1] != "a registry  terms of it" ||
		!strings.HasPrefix(got[2], "std pkg:golang/std@1.") {
		t.Errorf("%q", got)
	}
	if b.Metadata.Component.Version != "v1.2.3" ||
		b.Metadata.Timestamp != "2023-11-14T22:13:20Z" {
		t.Errorf("%+v", b.Metadata)
	}
	if _, err := billOfMaterials("v1.2.3", epoch, licenses, map[string]string{"example.com/a": "v1.0.1"}, nil); err == nil {
		t.Error("a module without terms is listed")
	}
}

func TestChosen_NamesTargets(t *testing.T) {
	if list, err := chosen(""); err != nil || len(list) != 7 {
		t.Errorf("%v, %v", list, err)
	}
	if list, err := chosen("darwin/arm64,linux/amd64"); err != nil ||
		fmt.Sprint(list) != "[darwin/arm64 linux/amd64]" {
		t.Errorf("%v, %v", list, err)
	}
	if _, err := chosen("plan9/mips"); err == nil ||
		!strings.Contains(err.Error(), "linux/amd64") {
		t.Errorf("%v", err)
	}
}

// The manifests name the front where the packages have it. The library is beside it, and the helper
// where the front looks for it.
func TestTrees_ManifestNamesTheFront(t *testing.T) {
	b, of := &builder{}, target{"linux", "arm64"}
	parts := isolated{front: []byte("front"), helper: []byte("helper")}
	for name, tree := range map[string][]file{
		"tarball": unixTree(b, of, nil, []byte("library"), parts),
		"deb":     debianTree(b, of, nil, []byte("library"), parts),
		"rpm":     rpmTree(b, of, nil, []byte("library"), parts),
		"apk":     alpineTree(b, of, nil, parts),
	} {
		at, text := map[string]string{}, ""
		for _, f := range tree {
			if strings.HasSuffix(f.name, "pumice_icd.aarch64.json") {
				at["manifest"], text = "/"+f.name, string(f.data)
			} else if at[string(f.data)] = "/" + f.name; string(f.data) == "helper" && !f.exec {
				t.Errorf("%s: the helper is no program", name)
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
			m.ICD.Path = filepath.Join(filepath.Dir(at["manifest"]), m.ICD.Path)
		}
		dir := filepath.Dir(at["front"])
		if m.ICD.Path != at["front"] || at["front"] != filepath.Join(dir, frontName) {
			t.Errorf("%s: the manifest names %s, the front is %s", name, m.ICD.Path, at["front"])
		}
		if name != "apk" && at["library"] != filepath.Join(dir, libraryName) {
			t.Errorf("%s: the library is %s, the front %s", name, at["library"], at["front"])
		}
		if h := at["helper"]; h != filepath.Join(dir, helperName) && h != filepath.Join(dir, "pumice", helperName) {
			t.Errorf("%s: the helper is %s, the front %s", name, h, at["front"])
		}
	}
}

// The archive for Windows has the driver's library beside its manifest, which says so; none of them without the other.
func TestTrees_WindowsManifestNamesTheLibraryBesideIt(t *testing.T) {
	has := map[string][]byte{}
	for _, f := range windowsTree(&builder{}, nil, []byte("library")) {
		has[f.name] = f.data
	}
	var m struct {
		ICD struct {
			Path string `json:"library_path"`
		}
	}
	if err := json.Unmarshal(has["pumice_icd.json"], &m); err != nil || m.ICD.Path != `.\pumice_vulkan.dll` {
		t.Errorf("%v: %q", err, m.ICD.Path)
	}
	if string(has["pumice_vulkan.dll"]) != "library" {
		t.Error("no library beside the manifest")
	}
	for _, f := range windowsTree(&builder{}, nil, nil) {
		if f.name == "pumice_icd.json" || f.name == "pumice_vulkan.dll" {
			t.Errorf("%s, without a driver", f.name)
		}
	}
}

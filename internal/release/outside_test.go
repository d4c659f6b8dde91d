//go:build outside

package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pumice-gpu/pumice/internal/outside"
)

// dpkg itself reads the package.
func TestOutside_Dpkg_ReadsThePackage(t *testing.T) {
	dpkgDeb := outside.Tool{Name: "dpkg-deb", Debian: "dpkg", Why: "the package"}.Path(t)
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
			out, err := exec.Command(dpkgDeb, args[0], path, args[1]).CombinedOutput()
			if got := strings.TrimSpace(string(out)); err != nil || got != q.want {
				t.Errorf("%s: %q, want %q (%v)", q.args, got, q.want, err)
			}
		}
		to := filepath.Join(dir, string(version))
		if out, err := exec.Command(dpkgDeb, "-x", path, to).CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
		if text, err := os.ReadFile(filepath.Join(to, "usr", "bin", "a")); err != nil || string(text) != "program" {
			t.Errorf("%q, %v", text, err)
		}
	}
}

// dpkg has versions in their order.
func TestOutside_Dpkg_OrdersVersions(t *testing.T) {
	dpkg := outside.Tool{Name: "dpkg", Debian: "dpkg", Why: "the order of versions"}.Path(t)
	for i, v := range debianVersions[1:] {
		if before := debianVersions[i][1]; exec.Command(dpkg, "--compare-versions", before, "lt", v[1]).Run() != nil {
			t.Errorf("%s is not before %s", before, v[1])
		}
	}
}

// The version is the tag's, or what follows it, or the commit's; the time is the commit's.
func TestOutside_Git_VersionOfTree(t *testing.T) {
	path := outside.Tool{Name: "git", Debian: "git", Why: "versions of a repository"}.Path(t)
	dir := t.TempDir()
	t.Setenv("SOURCE_DATE_EPOCH", "")
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command(path, append([]string{"-c", "user.name=T", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false", "-c", "tag.gpgsign=false"}, args...)...)
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

//go:build outside

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/outside"
)

func TestOutside_Dpkg_OrdersVersions(t *testing.T) {
	tool := outside.Tool{
		Name:   "dpkg",
		Debian: "dpkg",
		Why:    "versions have the order that dpkg sees",
	}.Path(t)
	for i := range ordered[1:] {
		if out, err := exec.Command(tool, "--compare-versions", ordered[i][1], "lt", ordered[i+1][1]).CombinedOutput(); err != nil {
			t.Errorf("%s is not before %s: %v %s", ordered[i][1], ordered[i+1][1], err, out)
		}
	}
}

// git gives the answers that are recorded.
func TestOutside_Git_VersionOfTree(t *testing.T) {
	tool := outside.Tool{
		Name:   "git",
		Debian: "git",
		Why:    "it answers as the record says, from which versions are made",
	}.Path(t)
	dir := t.TempDir()
	for name, value := range map[string]string{
		"SOURCE_DATE_EPOCH": "", "GIT_COMMITTER_DATE": "2026-01-02T03:04:05Z", "GIT_AUTHOR_DATE": "2026-01-02T03:04:05Z", "GIT_CONFIG_GLOBAL": os.DevNull,
		"GIT_CONFIG_SYSTEM": os.DevNull, "GIT_AUTHOR_NAME": "T", "GIT_AUTHOR_EMAIL": "t@example.com", "GIT_COMMITTER_NAME": "T", "GIT_COMMITTER_EMAIL": "t@example.com",
	} {
		t.Setenv(name, value)
	}
	git := gitIn(t.Context(), dir)
	for _, s := range gitSteps {
		if err := os.WriteFile(filepath.Join(dir, "text"), []byte(s.text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, c := range s.commands {
			if _, err := git(strings.Fields(c)...); err != nil {
				t.Fatalf("%s %s: %v", tool, c, err)
			}
		}
		for _, q := range gitQuestions {
			want, fails := s.git(strings.Fields(q)...)
			if got, err := git(strings.Fields(q)...); got != want ||
				(err == nil) != (fails == nil) {
				t.Errorf("%s: %q, %v; recorded: %q, %v", q, got, err, want, fails)
			}
		}
		if v, _, err := versionOfTree(git, ""); err != nil || v != s.want {
			t.Errorf("%q, %v; want %s", v, err, s.want)
		}
	}
}

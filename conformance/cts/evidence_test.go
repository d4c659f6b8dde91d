package main

import (
	"errors"
	"strings"
	"testing"
)

// A share's line takes the place of its older one, and the newest line is the last.
func TestEvidence_OneLineAShare(t *testing.T) {
	dir := t.TempDir()
	for _, e := range []evidence{{Suite: "s", Tree: "a", Share: 1, Shares: 2}, {Suite: "s", Tree: "a", Share: 2, Shares: 2}, {Suite: "s", Tree: "b", Share: 1, Shares: 2}} {
		if err := addEvidence(dir, e); err != nil {
			t.Fatal(err)
		}
	}
	all, err := readEvidence(dir)
	if err != nil || len(all) != 2 || all[0].Share != 2 || all[1].Tree != "b" || all[1].Share != 1 {
		t.Errorf("%v, %+v", err, all)
	}
}

func TestEvidence_IsCheckedForAgeAndFailures(t *testing.T) {
	for name, c := range map[string]struct {
		e      evidence
		behind int
		err    error
		want   string // of the error; "": none
	}{
		"as old as it may be": {evidence{Cases: 3, Passed: 2, NotSupported: 1}, 10, nil, ""},
		"a commit older":      {evidence{Cases: 3, Passed: 3}, 11, nil, "older than 10 commits"},
		"a failure":           {evidence{Cases: 3, Passed: 1, Failed: 2, Expected: 1}, 0, nil, "1 of its failures"},
		"an expected failure": {evidence{Cases: 3, Passed: 2, Failed: 1, Expected: 1}, 0, nil, ""},
		"a tree of nobody's":  {evidence{Tree: "gone"}, 0, errors.New("no commit"), "gone? no commit"},
	} {
		dir := t.TempDir()
		if err := addEvidence(dir, c.e); err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		err := checkEvidence(dir, 10, &out, func(tree string) (int, error) {
			if tree != c.e.Tree {
				t.Errorf("%s: asked for %q", name, tree)
			}
			return c.behind, c.err
		})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if err := checkEvidence(t.TempDir(), 10, &strings.Builder{}, nil); err == nil {
		t.Error("no file is no evidence")
	}
}

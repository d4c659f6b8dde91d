package main

import (
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
)

const lines = `{"Action":"run","Package":"github.com/pumice-gpu/pumice/a","Test":"TestA"}
{"Action":"output","Package":"github.com/pumice-gpu/pumice/a","Test":"TestA","Output":"    a_test.go:7: no C compiler\n"}
{"Action":"skip","Package":"github.com/pumice-gpu/pumice/a","Test":"TestA"}
{"Action":"output","Package":"github.com/pumice-gpu/pumice/a","Test":"TestB","Output":"    a_test.go:9: outside: tool (tool 1.2): what it shows\n"}
{"Action":"pass","Package":"github.com/pumice-gpu/pumice/a","Test":"TestB"}
{"Action":"output","Package":"github.com/pumice-gpu/pumice/a","Test":"TestC","Output":"    a_test.go:11: broken\n"}
{"Action":"fail","Package":"github.com/pumice-gpu/pumice/a","Test":"TestC"}
{"Action":"fail","Package":"github.com/pumice-gpu/pumice/a"}
{"Action":"pass","Package":"github.com/pumice-gpu/pumice"}
`

func TestStep_ReadsTests(t *testing.T) {
	s := step{Tools: map[string][]string{}, Code: 1}
	s.read(strings.NewReader(lines))
	if s.Passed != 1 || !slices.Equal(s.Failed, []string{"a TestC", "a"}) || !slices.Equal(s.Skipped, []skip{{"a", "TestA", "no C compiler"}}) ||
		!slices.Equal(s.Tools["tool"], []string{"tool 1.2"}) || !strings.Contains(s.text, "broken") || s.broken() != 2 {
		t.Errorf("%+v", s)
	}
	s = step{}
	s.read(strings.NewReader("go: no such thing\n"))
	if s.text == "" {
		t.Error("what is no JSON is not told")
	}
}

// With Go alone, what starts programs is tried, and what cannot is not.
func TestStarting_ListsWhatStartsPrograms(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command here")
	}
	list, err := starting("../../..")
	has := func(name string) bool { return slices.Contains(list, "github.com/pumice-gpu/pumice"+name) }
	if err != nil || !has("/cmd/pumice") || !has("/driver") || !has("/internal/roots/try") || has("/internal/ir") || has("/internal/render") {
		t.Errorf("%v: %v", err, list)
	}
}

// A command that fails without a word of tests has failed.
func TestRunStep_ExitCode(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "plan9" || runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skip("there is no sh on this system")
	}
	s := runStep(exec.Command("sh", "-c", "echo why >&2; exit 3"), test)
	if s.Code != 3 || s.broken() != 1 || s.text != "why\n" {
		t.Errorf("%+v", s)
	}
}

func TestPage_HasEveryCell(t *testing.T) {
	s := step{Tools: map[string][]string{}, Args: test}
	s.read(strings.NewReader(lines))
	text := page([]cell{
		{Release: "bookworm", Kind: "bare", Steps: []step{{Args: render, Picture: "0123"}, s}},
		{Release: "sid", Kind: "gcc", Steps: []step{{Args: render, Picture: "0123"}, s, s}},
	}, true)
	for _, want := range []string{"| bookworm | Go alone | rc 0, 0 s, `0123` | rc 0, 1 passed, 2 failed, 1 skipped, 0:00 min | – |", "| tests | no C compiler | 1 | bookworm bare, sid gcc |", "| program | sid |", "| tool | tool 1.2 |", "| comparisons | no C compiler | 1 | sid gcc |"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q:\n%s", want, text)
		}
	}
}

// What an earlier run has found stays, but for the cells that are tried again.
func TestResults_AreKept(t *testing.T) {
	file := t.TempDir() + "/results.json"
	one := []cell{{Release: "bookworm", Kind: "bare", Steps: []step{{Code: 1}}}, {Release: "sid", Kind: "gcc", Steps: []step{{Passed: 3, Skipped: []skip{{"a", "b", "c"}}}}}}
	if err := writeResults(file, one); err != nil {
		t.Fatal(err)
	}
	got, err := withResults(file, []cell{{Release: "bookworm", Kind: "full"}, {Release: "bookworm", Kind: "bare", Steps: []step{{Passed: 2}}}})
	var names []string
	for _, c := range got {
		names = append(names, c.Release+" "+c.Kind)
	}
	if err != nil || !slices.Equal(names, []string{"bookworm bare", "bookworm full", "sid gcc"}) || got[0].Steps[0].Passed != 2 || got[2].Steps[0].Skipped[0].Why != "c" {
		t.Errorf("%v, %+v", err, got)
	}
}

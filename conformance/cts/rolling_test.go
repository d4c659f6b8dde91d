package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The published values of FNV-1a in 64 bits.
func TestShareOf_IsTheHashOfTheName(t *testing.T) {
	for name, hash := range map[string]uint64{"": 0xcbf29ce484222325, "a": 0xaf63dc4c8601ec8c, "foobar": 0x85944171f73967e8} {
		for _, shares := range []int{1, 7, 1000} {
			if got := shareOf(name, shares); uint64(got) != hash%uint64(shares) {
				t.Errorf("%q is in share %d of %d, want %d", name, got, shares, hash%uint64(shares))
			}
		}
	}
}

// rollingCases is a list without cases that take long, and the flags to roll it with.
func rollingCases(t *testing.T) (names, flags []string, history string) {
	t.Helper()
	if _, err := lockFile(filepath.Join(t.TempDir(), "probe")); errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	names = []string{
		"dEQP-VK.one.pass", "dEQP-VK.one.fail", "dEQP-VK.one.nosup", "dEQP-VK.one.warn", "dEQP-VK.one.pass_too",
		"dEQP-VK.two.pass_after", "dEQP-VK.two.pass_last", "dEQP-VK.three.pass", "dEQP-VK.three.pass_end", "dEQP-VK.five.unknown",
	}
	dir := t.TempDir()
	history = filepath.Join(dir, "h.jsonl")
	writeFile(t, filepath.Join(dir, "list.txt"), strings.Join(names, "\n")+"\n")
	writeFile(t, filepath.Join(dir, "expected", "a.txt"), "dEQP-VK.one.fail  the fake fails it\n")
	return names, []string{"-cases", filepath.Join(dir, "list.txt"), "-expected", filepath.Join(dir, "expected"), "-history", history, "-jobs", "1"}, history
}

func mustRead(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestRolling_AllSharesThenAlarms(t *testing.T) {
	t.Parallel()
	names, flags, file := rollingCases(t)
	const shares = 3
	docs := filepath.Join(filepath.Dir(file), "docs")
	flags = append(flags, "-rolling", fmt.Sprint(shares), "-out", docs, "-suite", "fake 1")
	inShare := func(k int) (in []string) {
		for _, name := range names {
			if shareOf(name, shares) == k {
				in = append(in, name)
			}
		}
		return in
	}
	ran := 0
	for k := range shares {
		if len(inShare(k)) == 0 {
			t.Fatalf("share %d is empty: choose other names", k)
		}
		code, stdout, stderr := commandOn(t, "normal", append(slices.Clone(flags), "-tree", "first")...)
		if code != 0 || !strings.Contains(stderr, fmt.Sprintf("share %d of 3, round 1, tree first: %d cases", k+1, len(inShare(k)))) {
			t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
		}
		for _, name := range inShare(k) {
			if name != "dEQP-VK.five.unknown" {
				ran++
			}
		}
		h, err := readHistory(file, historyHeader{Cases: flags[1], Shares: shares})
		if err != nil || len(h.cases) != ran || len(h.runs) != k+1 {
			t.Fatalf("after share %d: %v, %d cases of %d, %d runs", k, err, len(h.cases), ran, len(h.runs))
		}
	}
	page := mustRead(t, filepath.Join(docs, "results.md"))
	for _, line := range []string{
		"| dEQP-VK.one | 5 | 5 | 100.0 % | 2 | 1 | 1 | 0 | 0 | 1 | 75.0 % | 1 | ",
		"| dEQP-VK.two | 2 | 2 | 100.0 % | 2 | 0 | 0 | 0 | 0 | 0 | 100.0 % | 0 | ",
	} {
		if !strings.Contains(page, line) {
			t.Errorf("the page lacks %q:\n%s", line, page)
		}
	}
	var sum evidence
	all, err := readEvidence(docs)
	for i, e := range all {
		if e.Suite != "fake 1" || e.Tree != "first" || e.Share != i+1 || e.Shares != shares {
			t.Errorf("evidence of share %d: %+v", i+1, e)
		}
		sum.Cases, sum.Passed, sum.NotSupported, sum.Failed, sum.Expected = sum.Cases+e.Cases, sum.Passed+e.Passed, sum.NotSupported+e.NotSupported, sum.Failed+e.Failed, sum.Expected+e.Expected
	}
	if want := (evidence{Cases: 9, Passed: 7, NotSupported: 1, Failed: 1, Expected: 1}); err != nil || len(all) != shares || sum != want {
		t.Errorf("%v; evidence of %d shares, in all %+v, want %+v", err, len(all), sum, want)
	}
	if !strings.Contains(page, " | share 3 of 3 |") || strings.Contains(page, "five") {
		t.Error(page)
	}

	// The second round, on another tree: what passed and does no more is an alarm, in this round and the next.
	wantAlarm := map[string]string{
		"dEQP-VK.one.pass_too":   "dEQP-VK.one.pass_too: NotSupported (passed on first, ",
		"dEQP-VK.two.pass_after": "dEQP-VK.two.pass_after: Crash (passed on first, ",
		"dEQP-VK.three.pass_end": "dEQP-VK.three.pass_end: Fail (passed on first, ",
	}
	for round := 2; round <= 3; round++ {
		for k := range shares {
			code, stdout, stderr := commandOn(t, "worse", append(slices.Clone(flags), "-tree", "second")...)
			if !strings.Contains(stderr, fmt.Sprintf("share %d of 3, round %d, tree second", k+1, round)) {
				t.Fatal(stderr)
			}
			want := 0
			for _, name := range inShare(k) {
				if line := wantAlarm[name]; line != "" {
					want++
					if !strings.Contains(stdout, line) {
						t.Errorf("no alarm of %s:\n%s", name, stdout)
					}
				}
			}
			if got := strings.Count(stdout, "(passed on "); got != want || (want > 0) != (code == exitAlarm) || (want > 0) != strings.HasPrefix(stdout, "ALARM: ") {
				t.Errorf("share %d: %d alarms of %d, exit code %d\n%s", k, got, want, code, stdout)
			}
		}
	}

	// One is forgotten, the others pass again: no alarm is left.
	for k := range shares {
		mode, args := "normal", append(slices.Clone(flags), "-tree", "third")
		if slices.Contains(inShare(k), "dEQP-VK.one.pass_too") {
			mode, args = "worse", append(args, "-forget", "dEQP-VK.*.pass_too")
		}
		code, stdout, stderr := commandOn(t, mode, args...)
		if strings.Contains(stdout, "one.pass_too: NotSupported (") || mode == "normal" && code != 0 {
			t.Errorf("%s: exit code %d\n%s%s", mode, code, stdout, stderr)
		}
	}
}

func TestRolling_InterruptedShareIsGoneOnWith(t *testing.T) {
	t.Parallel()
	_, flags, file := rollingCases(t)
	flags = append(flags, "-rolling", "1", "-tree", "a")
	if code, _, stderr := commandOn(t, "normal", flags...); code != 0 {
		t.Fatal(stderr)
	}
	lines := slices.Collect(strings.Lines(mustRead(t, file+".results")))
	if err := os.Remove(file); err != nil { // as if the runner had been killed behind its second case
		t.Fatal(err)
	}
	forged := strings.ReplaceAll(lines[1], `"status":"Pass"`, `"status":"Waiver"`)
	writeFile(t, file+".results", lines[0]+forged+lines[2]+lines[3][:10])
	if code, stdout, stderr := commandOn(t, "normal", flags...); code != 0 || !strings.Contains(stdout, "| dEQP-VK.one | 5 | 5 | 100.0 % | 1 | 1 | 1 | 0 | 0 | 2 |") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	// The next round runs all again, and so does another tree.
	if code, stdout, stderr := commandOn(t, "normal", flags...); code != 0 || !strings.Contains(stdout, "| dEQP-VK.one | 5 | 5 | 100.0 % | 2 | 1 | 1 | 0 | 0 | 1 |") ||
		!strings.Contains(stderr, "round 2") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

// A driver that doesn't start is no news of any case.
func TestRolling_DriverThatNeverStarts_LeavesTheHistory(t *testing.T) {
	t.Parallel()
	_, flags, file := rollingCases(t)
	flags = append(flags, "-rolling", "1", "-tree", "a")
	if code, _, stderr := commandOn(t, "normal", flags...); code != 0 {
		t.Fatal(stderr)
	}
	before := mustRead(t, file)
	if code, stdout, stderr := commandOn(t, "dead", flags...); code != exitBroken || strings.Contains(stdout, "ALARM") || mustRead(t, file) != before {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	if code, stdout, stderr := commandOn(t, "normal", flags...); code != 0 || !strings.Contains(stderr, "round 2") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

// A run that is ended leaves its share to be run, and what it found in the history, alarms too.
func TestRolling_BrokenRun_KeepsItsShare(t *testing.T) {
	head := historyHeader{Cases: "x", Shares: 2, Next: 1}
	path := filepath.Join(t.TempDir(), "h")
	h, err := readHistory(path, head)
	if err != nil {
		t.Fatal(err)
	}
	run := historyRun{Tree: "a", Date: "today", Share: 1}
	r := rolling{history: h, all: []string{"c"}, share: 1, run: h.begin(run)}
	h.record(r.run, Result{Case: "c", Status: Pass})
	alarms, err := r.record([]Result{{Case: "c", Status: Timeout}}, false)
	if err != nil || len(alarms) != 1 || alarms[0].passed != run {
		t.Fatalf("%v, %v", alarms, err)
	}
	h, err = readHistory(path, head)
	if err != nil || h.head != head || len(h.cases) != 1 {
		t.Fatalf("%v, %+v", err, h)
	}
	run.Date = "tomorrow"
	if h.begin(run) != 0 {
		t.Error("a share that is gone on with is another run")
	}
	run.Tree = "b"
	if h.begin(run) != 1 {
		t.Error("a run on another tree is the same")
	}
	if h.advance(); h.head.Next != 0 || h.head.Round != 1 {
		t.Errorf("%+v", h.head)
	}
}

func TestRolling_TwoRunnersAtOnce_AreTold(t *testing.T) {
	t.Parallel()
	_, flags, file := rollingCases(t)
	unlock, err := lockFile(file + ".lock")
	if err != nil {
		t.Fatal(err)
	}
	flags = append(flags, "-rolling", "1", "-tree", "a")
	if code, _, stderr := commandOn(t, "normal", flags...); code != exitBroken || !strings.Contains(stderr, errOtherRunner.Error()) {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	unlock()
	if code, _, stderr := commandOn(t, "normal", flags...); code != 0 {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

func TestRolling_OptionsAndFilesThatDontFit(t *testing.T) {
	t.Parallel()
	_, flags, file := rollingCases(t)
	for _, c := range []struct{ args, want string }{
		{"-rolling 0", "go together"},
		{"-rolling -1", "go together"},
		{"-rolling 2000000", "go together"},
		{"-rolling 2 -stride 2", "-stride"},
		{"-rolling 2 -resume", "-resume"},
		{"-rolling 2", "-tree"}, // no manifest
		{"-rolling 2 -tree a -forget x", "no case"},
	} {
		code, _, stderr := commandOn(t, "normal", append(slices.Clone(flags), strings.Fields(c.args)...)...)
		if code != exitBroken || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit code %d: %s", c.args, code, stderr)
		}
	}
	head := fmt.Sprintf(`{"cases":%q,"shares":2,"next":0,"round":0}`+"\n", flags[1])
	run := `{"run":{"tree":"a","date":"2026-01-01","share":0,"round":0}}` + "\n"
	for text, want := range map[string]string{
		"nonsense": "not a history",
		strings.Replace(head, `"shares":2`, `"shares":3`, 1):                             "take the same",
		strings.Replace(head, flags[1], "other.txt", 1):                                  "take the same",
		strings.Replace(head, `"next":0`, `"next":2`, 1):                                 "share 2 of 2",
		head + `{"group":"a.","status":{"0":{"Pass":["b"]}}}`:                            "no run 0",
		head + run + `{"group":"a.","status":{"-1":{"Pass":["b"]}}}`:                     "no run -1",
		head + run + `{"group":"a.","passed":{"0":["b"]}}`:                               "never ran",
		head + run + `{"group":"a.","status":{"0":{"Fail":["b"]}},"passed":{"1":["b"]}}`: "no run 1",
		head + run[:20]: "damaged",
	} {
		writeFile(t, file, text)
		code, _, stderr := commandOn(t, "normal", append(slices.Clone(flags), "-rolling", "2", "-tree", "a")...)
		if code != exitBroken || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit code %d: %s", text, code, stderr)
		}
		if mustRead(t, file) != text {
			t.Errorf("the file was changed: %s", text)
		}
	}
}

func TestHistory_IsTheSameWhenReadAgain(t *testing.T) {
	file := filepath.Join(t.TempDir(), "h")
	head := historyHeader{Cases: "x", List: "y", Shares: 2, Next: 1, Round: 4}
	h := &history{path: file, head: head, cases: map[string]*historyCase{}}
	for i := range 3 {
		if got := h.begin(historyRun{Tree: "t", Date: "d", Share: i}); got != i {
			t.Errorf("run %d has the number %d", i, got)
		}
	}
	h.record(0, Result{Case: "a.b.c", Status: Pass})
	h.record(1, Result{Case: "a.b.c", Status: NotSupported})
	h.record(1, Result{Case: "a.b.d", Status: QualityWarning})
	h.record(2, Result{Case: "a.e", Status: Crash})
	h.record(2, Result{Case: "alone", Status: Pass})
	h.record(2, Result{Case: "a.gone", Status: Missing})
	if err := h.write(); err != nil {
		t.Fatal(err)
	}
	got, err := readHistory(file, head)
	if err != nil || got.head != head || !slices.Equal(got.runs, h.runs) || len(got.cases) != 4 {
		t.Fatalf("%v, %+v", err, got)
	}
	for name, want := range map[string]historyCase{
		"a.b.c": {NotSupported, 1, 0}, "a.b.d": {QualityWarning, 1, 1}, "a.e": {Crash, 2, -1}, "alone": {Pass, 2, 2},
	} {
		if c := got.cases[name]; c == nil || *c != want {
			t.Errorf("%s: %+v, want %+v", name, c, want)
		}
	}
	if n := got.forget([]string{"a.b.*", "a.e", "alone"}); n != 1 || got.cases["a.b.c"].passed != -1 || got.cases["a.b.d"].passed != 1 {
		t.Errorf("%d forgotten: what passes is not an alarm to be forgotten", n)
	}
	if lines := strings.Count(mustRead(t, file), "\n"); lines != 1+3+3 {
		t.Errorf("%d lines", lines)
	}
}

func TestWriteAtomically_ErrorLeavesTheOldFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "f")
	writeFile(t, file, "old")
	broken := errors.New("broken")
	if err := writeAtomically(file, func(w io.Writer) error { io.WriteString(w, "new"); return broken }); !errors.Is(err, broken) {
		t.Error(err)
	}
	if got := mustRead(t, file); got != "old" {
		t.Errorf("the file holds %q", got)
	}
	if err := writeAtomically(file, func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err }); err != nil || mustRead(t, file) != "new" {
		t.Error(err)
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("left over: %v", files)
	}
}

// Where nobody knows the driver's tree, the message says what to do.
func TestTreeOf_NotKnown(t *testing.T) {
	t.Setenv("PATH", t.TempDir()) // without git
	for _, manifest := range []string{"", filepath.Join(t.TempDir(), "driver.json")} {
		if got, err := treeOf(manifest); err == nil || !strings.Contains(err.Error(), "name") || !strings.Contains(err.Error(), "-tree") {
			t.Errorf("%q, %v", got, err)
		}
	}
}

package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestMatchGlob(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"a.b", "a.b", true},
		{"a.b", "a.bc", false},
		{"a.*", "a.b.c", true},
		{"a.*", "a", false},
		{"*.c", "a.b.c", true},
		{"a*b*c", "axbxc", true},
		{"a*b*c", "axxc", false},
		{"ab*ba", "aba", false},
		{"*", "", true},
		{"a*a*a", "aa", false},
	} {
		if got := matchGlob(c.pattern, c.name); got != c.want {
			t.Errorf("matchGlob(%q, %q) = %v", c.pattern, c.name, got)
		}
	}
}

func TestReadCaseList_ListsOfLists(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "all.txt"), "# two\nsub/a.txt\n\nx.y\n")
	writeFile(t, filepath.Join(dir, "sub", "a.txt"), "a.b\na.c\r\n")
	writeFile(t, filepath.Join(dir, "loop.txt"), "loop.txt\n")
	writeFile(t, filepath.Join(dir, "bad.txt"), "a.b c\n")
	got, err := readCaseList(filepath.Join(dir, "all.txt"))
	if err != nil || !slices.Equal(got, []string{"a.b", "a.c", "x.y"}) {
		t.Errorf("%v, %v", got, err)
	}
	for _, name := range []string{"loop.txt", "bad.txt", "none.txt"} {
		if _, err := readCaseList(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s was read without an error", name)
		}
	}
}

func TestChoose_FilesAndPatternsAgainstAList(t *testing.T) {
	dir := t.TempDir()
	list := filepath.Join(dir, "list.txt")
	writeFile(t, list, "d.api.a.x\nd.api.b.x\nd.draw.y\n")
	cases, groups, err := choose(t.Context(), nil, "d.api.b.*,d.api.*,"+list, list)
	if err != nil || !slices.Equal(cases, []string{"d.api.b.x", "d.api.a.x", "d.draw.y"}) {
		t.Fatalf("%v, %v", cases, err)
	}
	for name, want := range map[string]string{"d.api.b.x": "d.api.b", "d.api.a.x": "d.api", "d.draw.y": "d.draw"} {
		if got := groupOf(name, groups, 2); got != want {
			t.Errorf("%s is in group %s, want %s", name, got, want)
		}
	}
	for _, word := range []string{"d.none.*", filepath.Join(dir, "absent.txt")} {
		if _, _, err := choose(t.Context(), nil, word, list); err == nil {
			t.Errorf("%s chose something", word)
		}
	}
}

func TestEveryNth_CountsEachGroupFromItsFirst(t *testing.T) {
	group := func(name string) string { return name[:1] }
	if got := everyNth([]string{"a1", "a2", "a3", "b1", "b2", "a4"}, 2, group); !slices.Equal(got, []string{"a1", "a3", "b1"}) {
		t.Error(got)
	}
}

func TestCauses_NumbersDontSetThemApart(t *testing.T) {
	causes := causesOf([]Result{
		{Case: "a", Status: Fail, Message: "at (1, 2)"},
		{Case: "b", Status: Crash, Message: "signal", Detail: "panic: x\nmore"},
		{Case: "c", Status: Fail, Message: "at (3, 0x4f) at vktFoo.cpp:12"},
		{Case: "d", Status: Pass, Message: "at (3, 4)"},
	}, Status.failing)
	if len(causes) != 2 || causes[0].count != 2 || causes[0].example != "a" || causes[1].text != "signal | panic: x" {
		t.Errorf("%+v", causes)
	}
}

// A file of results can't hold what is no number.
func TestLogParser_DurationThatIsNone(t *testing.T) {
	for text, want := range map[string]float64{"2e6": 2, "0": 0, "NaN": 0, "Inf": 0, "-inf": 0, "1e999": 0, "-3": 0, "": 0} {
		var got []Result
		p := logParser{emit: func(r Result) { got = append(got, r) }}
		fmt.Fprintf(&p, "#beginTestCaseResult a\n<Number Name=\"TestDuration\">%s</Number>\n#endTestCaseResult\n", text)
		if len(got) != 1 || got[0].Seconds != want {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

// FuzzLogParser: any bytes, in any pieces, are read without a panic, in bounded
// memory, and to the same results.
func FuzzLogParser(f *testing.F) {
	f.Add("#beginTestCaseResult a\n<Text>x\ny</Text>\n<Result StatusCode=\"Fail\">no</Result>\n#endTestCaseResult\n#endSession\n", 3)
	f.Add("#beginTestCaseResult a\n<Number Name=\"TestDuration\">NaN</Number>\n<Result StatusCode=\"Pass\">no</Result>\n#endTestCaseResult\n", 2)
	f.Add("#beginTestCaseResult a\n#terminateTestCaseResult Crash\n#beginTestCaseResult b\n<Result StatusCode=", 1)
	f.Fuzz(func(t *testing.T, log string, piece int) {
		parse := func(piece int) (results []Result) {
			p := logParser{emit: func(r Result) {
				if len(r.Message) > 4*maxMessage || len(r.Detail) > 4*keptTexts*maxMessage {
					t.Errorf("%d bytes of message and %d of detail", len(r.Message), len(r.Detail))
				}
				results = append(results, r)
			}}
			for rest := log; rest != ""; {
				n := min(max(1, piece), len(rest))
				p.Write([]byte(rest[:n]))
				rest = rest[n:]
			}
			if len(p.line) > maxLogLine {
				t.Errorf("the unfinished line holds %d bytes", len(p.line))
			}
			return results
		}
		if whole, pieces := parse(len(log)), parse(piece); !slices.Equal(whole, pieces) {
			t.Errorf("in one piece %v\nin pieces of %d %v", whole, piece, pieces)
		}
		if strings.Count(log, "TestCaseResult") == 0 && len(parse(1)) > 0 {
			t.Error("results out of nothing")
		}
	})
}

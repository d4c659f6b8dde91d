package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// row is a line of the table: what became of the cases of one group.
type row struct {
	group    string
	cases    int // of the group in the list, before any stride
	counts   [kindMissing + 1]int
	seconds  float64 // that the cases took, added up over the processes
	expected int     // failing cases that the expected-fail list names
	stride   int
	share    string // of a rolling run: where it stands
}

// run counts the cases that the program knew and that have a result.
func (r *row) run() int {
	n := 0
	for k, count := range r.counts {
		if kind(k) != kindMissing {
			n += count
		}
	}
	return n
}

// tally sorts results into rows by group, in order of group.
func tally(all []string, stride int, results []Result, group func(string) string, expected func(Result) bool) []*row {
	byGroup := map[string]*row{}
	for _, name := range all {
		g := group(name)
		if byGroup[g] == nil {
			byGroup[g] = &row{group: g, stride: stride}
		}
		byGroup[g].cases++
	}
	for _, result := range results {
		r := byGroup[group(result.Case)]
		if r == nil {
			continue
		}
		r.counts[result.Status.kind()]++
		r.seconds += result.Seconds
		if expected(result) {
			r.expected++
		}
	}
	rows := make([]*row, 0, len(byGroup))
	for _, r := range byGroup {
		rows = append(rows, r)
	}
	slices.SortFunc(rows, func(a, b *row) int { return strings.Compare(a.group, b.group) })
	return rows
}

const tableHead = `| Group | Cases | Run | Covered | Passed | Failed | Not supported | Crashed | Timed out | Warnings | Passed of supported | Expected failures | Seconds | |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|
`

// line is the row in Markdown, without the newline.
func (r *row) line() string {
	c := &r.counts
	supported := r.run() - c[kindNotSupported]
	rate := "–"
	if supported > 0 {
		// Rounded down: 100 % is said only of all.
		rate = fmt.Sprintf("%.1f %%", float64(1000*(c[kindPassed]+c[kindWarned])/supported)/10)
	}
	covered := "–"
	if r.cases > 0 {
		covered = fmt.Sprintf("%.1f %%", float64(1000*r.run()/r.cases)/10)
	}
	var notes []string
	if r.share != "" {
		notes = append(notes, r.share)
	}
	if r.stride > 1 {
		notes = append(notes, fmt.Sprintf("1 case in %d", r.stride))
	}
	if c[kindMissing] > 0 {
		notes = append(notes, fmt.Sprintf("%d not in the program", c[kindMissing]))
	}
	return fmt.Sprintf("| %s | %d | %d | %s | %d | %d | %d | %d | %d | %d | %s | %d | %.0f | %s |",
		r.group, r.cases, r.run(), covered, c[kindPassed], c[kindFailed], c[kindNotSupported], c[kindCrashed], c[kindTimedOut],
		c[kindWarned], rate, r.expected, r.seconds, strings.Join(notes, ", "))
}

// pageHead opens the page of results.
const pageHead = `# Results of the Khronos conformance tests

Written by ` + "`conformance/cts`" + `, a line a group; a line stays until its group is run again.
"Failed" holds every kind of error that is not a crash or a time-out, and "Warnings" are cases that
passed with a remark on quality or compatibility. "Seconds" adds up the time of the cases.
"Covered" is how many of the group's cases were run; where the last column names a share of a rolling run,
those were run in all shares so far, each with its newest result, and "Seconds" are of that share alone.

`

// updatePage writes the rows into results.md of a folder. Rows of other groups
// that the page has already stay as they are.
func updatePage(dir string, rows []*row) error {
	path := filepath.Join(dir, "results.md")
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	lines := map[string]string{}
	for line := range strings.Lines(string(old)) {
		line = strings.TrimRight(line, "\n")
		cell, _, found := strings.Cut(strings.TrimPrefix(line, "| "), " |")
		if strings.HasPrefix(line, "| ") && found && cell != "Group" {
			lines[cell] = line
		}
	}
	for _, r := range rows {
		lines[r.group] = r.line()
	}
	groups := make([]string, 0, len(lines))
	for group := range lines {
		groups = append(groups, group)
	}
	slices.Sort(groups)
	var page strings.Builder
	page.WriteString(pageHead + tableHead)
	for _, group := range groups {
		page.WriteString(lines[group] + "\n")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(page.String()), 0o644)
}

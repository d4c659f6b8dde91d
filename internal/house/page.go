package house

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// The marks that the figures stand between.
const (
	from = "<!-- figures: written by go test ./internal/house -update -->\n"
	to   = "<!-- /figures -->\n"
	head = "| figure | at most | what is counted |\n|---|--:|---|\n"
)

var row = regexp.MustCompile(`(?m)^\| ([^|]+) \| (\d+) \| [^|]* \|$`)

// written are the figures that a page holds. Where a merge left two of one name, it is the smaller:
// both sides have lowered it.
func written(page string) (map[string]int, error) {
	_, rest, ok := strings.Cut(page, from)
	table, after, ok2 := strings.Cut(rest, to)
	if !ok || !ok2 || strings.Contains(after, to) {
		return nil, fmt.Errorf("the page lacks the marks %q and %q, or has two", from, to)
	}
	figures := map[string]int{}
	for _, m := range row.FindAllStringSubmatch(table, -1) {
		n, err := strconv.Atoi(m[2])
		if err != nil {
			return nil, err
		}
		if old, twice := figures[m[1]]; !twice || n < old {
			figures[m[1]] = n
		}
	}
	return figures, nil
}

// A change is a figure that is not what the page says.
type change struct {
	Figure
	was int // what the page says; -1: nothing
}

// compare returns which figures have risen and which have fallen, a new one among the risen. gone
// are those that the page names and nobody counts any more.
func compare(figures []Figure, was map[string]int) (risen, fallen []change, gone []string) {
	counted := map[string]bool{}
	for _, f := range figures {
		counted[f.Name] = true
		old, ok := was[f.Name]
		switch {
		case !ok:
			risen = append(risen, change{f, -1})
		case f.Value > old:
			risen = append(risen, change{f, old})
		case f.AtMost() < old:
			fallen = append(fallen, change{f, old})
		}
	}
	for name := range was {
		if !counted[name] {
			gone = append(gone, name)
		}
	}
	return risen, fallen, gone
}

// rewrite returns the page with the figures as they are. Those that have risen keep what is written,
// unless raise (nil: none) matches their names.
func rewrite(page string, figures []Figure, raise *regexp.Regexp) (string, error) {
	was, err := written(page)
	if err != nil {
		return "", err
	}
	var table strings.Builder
	for _, f := range figures {
		n := f.AtMost()
		if old, ok := was[f.Name]; (!ok || f.Value > old) && (raise == nil || !raise.MatchString(f.Name)) {
			if !ok {
				continue
			}
			n = old
		} else if ok && f.Value <= old {
			n = min(n, old)
		}
		fmt.Fprintf(&table, "| %s | %d | %s |\n", f.Name, n, f.What)
	}
	before, rest, _ := strings.Cut(page, from)
	_, after, _ := strings.Cut(rest, to)
	return before + from + head + table.String() + to + after, nil
}

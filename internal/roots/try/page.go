package main

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
)

// page is the table of all cells, with what was skipped and which versions were compared with. Kept says that cells had what
// others had built.
func page(cells []cell, kept bool) string {
	var b strings.Builder
	built := "Each cell built all of it."
	if kept {
		built = "What one cell had built, the next ones had; no test's verdict was kept. A row stays until its cell is tried again."
	}
	fmt.Fprintf(&b, `# Both commands, on other machines

Each row is a clean root of a Debian release, made with its essential packages and what the row says, in which the README's two
commands ran on a fresh clone: as the user `+"`root`"+` where it says nothing else, with a space in the name of the folder for temporary
files, and without a network for modules. %s "Comparisons" are tests against other people's programs
(`+"`go test -tags outside -run '^TestOutside' ./...`"+`): they take what is installed, of any version, and are no part of `+"`go test ./...`"+`.

`+"`go run ./internal/roots/try -o docs/machines.md`"+` wrote this page, with %s.

| release | what is there | picture | tests | comparisons |
|---|---|---|---|---|
`, built, runtime.Version())
	for _, c := range cells {
		fmt.Fprintf(&b, "| %s | %s |", c.Release, c.kind().has)
		for i := range 3 {
			switch {
			case i >= len(c.Steps):
				b.WriteString(" – |")
			case i == 0:
				fmt.Fprintf(&b, " %s, `%s` |", c.Steps[i], c.Steps[i].Picture)
			default:
				fmt.Fprintf(&b, " %s |", c.Steps[i])
			}
		}
		b.WriteString("\n")
	}
	b.WriteString("\n## Skipped\n\n")
	type place struct{ reason, step string }
	skips := map[place][]string{}
	where := map[place][]string{}
	for _, c := range cells {
		for i, s := range c.Steps {
			for _, k := range s.Skipped {
				p := place{k.Why, []string{"", "tests", "comparisons"}[i]}
				skips[p] = appendNew(skips[p], k.Pkg+" "+k.Test)
				where[p] = appendNew(where[p], c.Release+" "+c.Kind)
			}
		}
	}
	b.WriteString("| in | why | how many tests | where |\n|---|---|--:|---|\n")
	for _, p := range slices.SortedFunc(maps.Keys(skips), func(a, b place) int {
		return strings.Compare(a.step+a.reason, b.step+b.reason)
	}) {
		fmt.Fprintf(&b, "| %s | %s | %d | %s |\n", p.step, p.reason, len(skips[p]), strings.Join(where[p], ", "))
	}
	b.WriteString("\n## Programs that were compared with\n\n")
	var releases []string
	versions := map[string]map[string]string{}
	for _, c := range cells {
		for _, s := range c.Steps[min(len(c.Steps), 2):] {
			for tool, list := range s.Tools {
				releases = appendNew(releases, c.Release)
				if versions[tool] == nil {
					versions[tool] = map[string]string{}
				}
				versions[tool][c.Release] = strings.Join(list, "; ")
			}
		}
	}
	fmt.Fprintf(&b, "| program | %s |\n|---%s|\n", strings.Join(releases, " | "), strings.Repeat("|---", len(releases)))
	for _, tool := range slices.Sorted(maps.Keys(versions)) {
		fmt.Fprintf(&b, "| %s |", tool)
		for _, r := range releases {
			version, _, _ := strings.Cut(versions[tool][r], " Copyright")
			fmt.Fprintf(&b, " %s |", strings.ReplaceAll(version, "|", "/"))
		}
		b.WriteString("\n")
	}
	return b.String()
}

func appendNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

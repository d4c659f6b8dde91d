package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// sums are tables of the corners that were tried: a line a catalogue, and a line a kind.
func (res *CornersResult) sums() string {
	var out strings.Builder
	line := func(name string, in func(*Corner) bool) {
		n := map[string]int{}
		for i := range res.Corners {
			if k := &res.Corners[i]; in(k) {
				n["all"]++
				n[k.Result]++
			}
		}
		tried := n["all"] - n[untried]
		if tried == 0 {
			return
		}
		share := 0.0
		if left := tried - n[equivalent]; left > 0 {
			share = 100 * float64(n[killed]) / float64(left)
		}
		fmt.Fprintf(&out, "| %s | %d | %d | %d | %d | %d | %d | %d | %.1f |\n", name, n["all"], tried, n[killed], n[byOther], n[survived], n[unmet], n[equivalent], share)
	}
	const head = " | sampled | tried | killed by a claiming test | by another | survived | not met by a claiming test | equivalent | killed, % |\n|---|---|---|---|---|---|---|---|---|\n"
	out.WriteString("| catalogue" + head)
	for _, prefix := range catalogues[:2] {
		line(prefix, func(k *Corner) bool { return strings.HasPrefix(k.Rule, prefix) })
	}
	line("both", func(k *Corner) bool { return k.Rule != engine })
	line("what carries out programs", func(k *Corner) bool { return k.Rule == engine })
	out.WriteString("\n| kind" + head)
	for _, kind := range kinds {
		line(kind, func(k *Corner) bool { return k.Kind == kind })
	}
	return out.String()
}

// head says what was drawn.
func (res *CornersResult) head() string {
	short, alone, rules := "", "", 0
	for _, k := range res.Corners {
		rules += btoi(k.Rule != engine)
	}
	if res.Short {
		short = ", tests with `-short`"
	}
	if res.Alone {
		alone = "; only tests that claim the rule were run"
	}
	return fmt.Sprintf("%d of %d corners of %d rules (%d have some on the users' path) and %d of %d of what carries out programs, seed %d%s%s.", rules, res.Mutants, res.Rules, res.With, len(res.Corners)-rules, res.Engine, res.Seed, short, alone)
}

// print prints what is alive, by rule, and sums.
func (res *CornersResult) print(w io.Writer) {
	alive := slices.Clone(res.Corners)
	slices.SortStableFunc(alive, func(a, b Corner) int { return strings.Compare(a.Rule, b.Rule) })
	for _, k := range alive {
		switch k.Result {
		case survived, unmet, byOther:
			by := ""
			if k.By != "" {
				by = " " + k.By
			}
			fmt.Fprintf(w, "%s %s:%d %s: %s (%s%s)\n", k.Rule, k.File, k.Line, k.Kind, k.What, k.Result, by)
		}
	}
	fmt.Fprintf(w, "%s\n\n%s", res.head(), res.sums())
}

// cornersFile is the table of all corners that were drawn, below the module's root.
const cornersFile = "conformance/testdata/corners.txt"

const cornersHead = `# Corners that were drawn over the rules of both catalogues, and what became of each: the rule, the outcome,
# the kind, the place and the change, and the test that failed. Written by:
# go run ./conformance/_mutate -rules -corners -o corners.json -page
`

// The marks that the part of the page on corners stands between.
const cornersFrom, cornersTo = "<!-- corners: written by go run ./conformance/_mutate -rules -corners -page -->\n", "<!-- /corners -->\n"

// writeCorners writes the page's part on corners, and table, which names each.
func writeCorners(page, table string, res *CornersResult) error {
	if res == nil {
		return fmt.Errorf("-page takes a result with -o")
	}
	if err := replaceBetween(page, cornersFrom, cornersTo, res.head()+"\n\n"+res.sums()); err != nil {
		return err
	}
	list := slices.Clone(res.Corners)
	slices.SortStableFunc(list, func(a, b Corner) int { return strings.Compare(a.Rule, b.Rule) })
	var out strings.Builder
	out.WriteString(cornersHead)
	for _, k := range list {
		result := k.Result
		if result == untried {
			result = "not tried"
		}
		by := ""
		if k.By != "" {
			by = " by " + k.By
		}
		fmt.Fprintf(&out, "%s %s: %s %s%s\n", k.Rule, result, k.Kind, k.Name, by)
	}
	return os.WriteFile(table, []byte(out.String()), 0o666)
}

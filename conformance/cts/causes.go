package main

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// cause collects failing results that say the same but for numbers.
type cause struct {
	status  Status
	text    string
	example string
	count   int
}

var numbers = regexp.MustCompile(`0x[0-9a-fA-F]+|[0-9]+(\.[0-9]+)?`)

// sourcePlace is where in the tests' source a message was written.
var sourcePlace = regexp.MustCompile(` at vkt?[A-Za-z0-9]+\.(cpp|hpp|inl):[0-9]+$`)

// causesOf groups the results for which want holds by status and message, the
// most frequent first. The last text that a failing case logged tells more
// where the message is the bare word of the status.
func causesOf(results []Result, want func(Status) bool) []*cause {
	byText := map[string]*cause{}
	for _, r := range results {
		if !want(r.Status) {
			continue
		}
		text := sourcePlace.ReplaceAllString(r.Message, "")
		if r.Detail != "" {
			line := firstLine(r.Detail)
			if r.Status != Crash && r.Status != Timeout {
				line = firstLine(r.Detail[strings.LastIndexByte(r.Detail, '\n')+1:])
			}
			if line = sourcePlace.ReplaceAllString(line, ""); line != text {
				text += " | " + line
			}
		}
		key := string(r.Status) + numbers.ReplaceAllString(text, "#")
		if byText[key] == nil {
			byText[key] = &cause{status: r.Status, text: firstLine(text), example: r.Case}
		}
		byText[key].count++
	}
	causes := make([]*cause, 0, len(byText))
	for _, c := range byText {
		causes = append(causes, c)
	}
	slices.SortFunc(causes, func(a, b *cause) int {
		return cmp.Or(cmp.Compare(b.count, a.count), strings.Compare(a.example, b.example))
	})
	return causes
}

// printCauses writes one line a cause, at most limit of them.
func printCauses(w io.Writer, causes []*cause, limit int) {
	for i, c := range causes {
		if i == limit {
			fmt.Fprintf(w, "… and %d more causes\n", len(causes)-limit)
			return
		}
		fmt.Fprintf(w, "%6d  %s: %s\n        e.g. %s\n", c.count, c.status, c.text, c.example)
	}
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}

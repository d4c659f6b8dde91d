// Package catalogue knows the rules of docs/rules by their titles, so that errors,
// traces and tests say "IMG-531 LINEAR weights" and not a bare number.
package catalogue

import (
	"strings"
	"sync"
)

//go:generate go run ../_gen -docs ../../../docs/rules -out catalogue_gen.go

// Title returns the title of a rule ("IMG-531") or a corner case ("TC-18"), and ""
// for what is neither.
func Title(id string) string {
	return titles()[id]
}

// titles are those of all rules, by number: explanations name many.
var titles = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for line := range strings.Lines(text) {
		id, title, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		m[id] = title
	}
	return m
})

// Name returns a rule's number with its title, and what is no rule's number (a
// VUID, the name of a limit) as it is.
func Name(id string) string {
	if title := Title(id); title != "" {
		return id + " " + title
	}
	return id
}

// All returns the rules of image operations ("IMG") or rasterization ("RAS"), or
// their corner cases ("TC", "RC"), in the order of their numbers.
func All(prefix string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if id, _, _ := strings.Cut(line, " "); strings.HasPrefix(id, prefix+"-") {
			out = append(out, id)
		}
	}
	return out
}

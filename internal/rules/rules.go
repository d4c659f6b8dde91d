// Package rules ties tests to the rules of docs/rules (IMG-…, RAS-…) that they
// check. The conformance tests read the calls of Covers out of the test files and
// print a table rule → tests. Package rules/catalogue holds the titles, which
// programs print too; here is what makes it from the pages.
package rules

import (
	"regexp"
	"testing"
)

// id is the form of a rule's number, or of a computed corner case's.
var id = regexp.MustCompile(`^(IMG|RAS|TC|RC)-[0-9]{2,3}$`)

// Covers says that the calling test fails if one of the rules is broken. The
// arguments must be string literals: the table is made from the source. TC-… are the
// corner cases of image operations, RC-… those of rasterization.
func Covers(t testing.TB, rules ...string) {
	t.Helper()
	if len(rules) == 0 {
		t.Error("rules.Covers without a rule")
	}
	for _, r := range rules {
		if !id.MatchString(r) {
			t.Errorf("rules.Covers: %q is no rule's number", r)
		}
	}
}

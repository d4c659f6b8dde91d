package rules

import (
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules/catalogue"
)

// Reason has rules, as numbers and ranges such as RAS-003:RAS-007, and why they never decide what an explanation tells.
type Reason [2]string

// Decided fails where a rule of all neither decides in a trial nor has a reason why it never does, or has both, and where a
// reason is for no rule, or for one that has another.
func Decided(t testing.TB, all []string, decides map[string]bool, reasons []Reason) {
	t.Helper()
	why := map[string]string{}
	for _, u := range reasons {
		for word := range strings.FieldsSeq(u[0]) {
			first, last, many := strings.Cut(word, ":")
			if !many {
				last = first
			}
			n := len(why)
			for _, id := range all {
				if id >= first && id <= last {
					why[id] = u[1]
				}
			}
			if len(why) == n {
				t.Errorf("%s is no rule, or has a reason already", word)
			}
		}
	}
	for _, id := range all {
		if decides[id] == (why[id] != "") {
			t.Errorf("%s: decides in a trial %v; reason why not: %q", catalogue.Name(id), decides[id], why[id])
		}
	}
}

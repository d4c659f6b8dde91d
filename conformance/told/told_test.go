package told_test

import (
	"os"
	"testing"

	"github.com/pumice-gpu/pumice/conformance/told"
	"github.com/pumice-gpu/pumice/internal/rules/catalogue"
)

// The programs and reasons are of all rules of validation, IMG-100 to IMG-196.
func TestRules_AreAllOfThem(t *testing.T) {
	have := map[string]bool{}
	for _, r := range told.Rules() {
		have[r] = true
	}
	n := 0
	for _, r := range catalogue.All("IMG") {
		if r >= "IMG-100" && r <= "IMG-196" {
			n++
			if !have[r] {
				t.Errorf("%s: no program breaks it, and nothing says why", catalogue.Name(r))
			}
			delete(have, r)
		}
	}
	if len(have) > 0 || n < 86 {
		t.Errorf("%d rules; %v are none", n, have)
	}
}

// docs/validation.md is what _gen writes.
func TestPage_IsGenerated(t *testing.T) {
	have, err := os.ReadFile("../../docs/validation.md")
	if err != nil || string(have) != told.Page() {
		t.Errorf("docs/validation.md is another page (%v): go generate ./conformance/told", err)
	}
}

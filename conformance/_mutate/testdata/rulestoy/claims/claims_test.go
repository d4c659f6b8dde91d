package claims

import (
	"testing"

	"github.com/pumice-gpu/pumice/conformance/_mutate/testdata/rulestoy/path"
	"github.com/pumice-gpu/pumice/conformance/_mutate/testdata/rulestoy/ref"
	"github.com/pumice-gpu/pumice/internal/rules"
)

func TestTwice(t *testing.T) {
	rules.Covers(t, "IMG-001")
	if path.Twice(3) != 6 || ref.Double(3) != 6 {
		t.Error("2 · 3")
	}
}

// It says that it covers both rules, and looks at neither.
func TestLarge(t *testing.T) {
	rules.Covers(t, "IMG-002", "IMG-004")
	path.Twice(200)
	path.Loose(1)
}

// Not a word of the fifth rule, though it reaches its code.
func TestTriple(t *testing.T) {
	rules.Covers(t, "IMG-003", "IMG-005", "IMG-006")
	if ref.Triple(2) != 6 {
		t.Error("3 · 2")
	}
}

func TestCheck(t *testing.T) {
	rules.Covers(t, "IMG-007", "IMG-009")
	if path.Check(70) != "IMG-007" || path.Check(71) != "" {
		t.Error("70 is bad")
	}
}

package proof

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
)

// A corner case has the places of the rules that it names, each once; one that names none is an error.
func TestAddCases(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "docs", "rules")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(dir, "ras-01-cases.md"), []byte("# Cases\n\n"+text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	a, b := Place{File: "a.go", Code: "a"}, Place{File: "b.go", Code: "b"}
	places := map[string][]Place{"RAS-001": {a}, "RAS-002": {a, b}, "RAS-003": {b}}
	write("### RC-01 Two rules meet\n\nGiven: x.\n\nExpected: y (RAS-001).\n\nRules: RAS-002\n")
	if err := AddCases(root, places); err != nil {
		t.Fatal(err)
	}
	if got := places["RC-01"]; !slices.Equal(got, []Place{a, b}) {
		t.Errorf("places %v", got)
	}
	write("### RC-01 No rule at all\n\nGiven: x.\n\nExpected: y.\n")
	if err := AddCases(root, places); err == nil || !strings.Contains(err.Error(), "RC-01 names no rule") {
		t.Errorf("error %v", err)
	}
}

// All corner cases of the catalogues have code.
func TestAddCases_All(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	places, err := Places(root, SideOf)
	if err != nil {
		t.Fatal(err)
	}
	if err := AddCases(root, places); err != nil {
		t.Fatal(err)
	}
	for _, prefix := range []string{"TC", "RC"} {
		for _, id := range rules.All(prefix) {
			if len(places[id]) == 0 {
				t.Errorf("no code cites the rules of %s", rules.Name(id))
			}
		}
	}
}

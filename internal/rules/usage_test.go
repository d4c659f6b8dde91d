package rules

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// code is what programs are made of: no tests, nothing generated.
func code(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, dir := range []string{"internal", "driver"} {
		err := filepath.WalkDir(filepath.Join("..", "..", dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, "_gen.go") ||
				strings.Contains(filepath.ToSlash(path), "internal/rules/") {
				return err
			}
			text, err := os.ReadFile(path)
			all.Write(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all.String()
}

// Code names each statement of valid usage that is said to be refused, mended or told.
// PUMICE_SPEC names the folder of the specification's sources: each statement has a row.
func TestUsage_IsNamedInCode(t *testing.T) {
	rows, chapters, err := Usage(filepath.Join(docs, "valid-usage.md"))
	if err != nil {
		t.Fatal(err)
	}
	if err := CheckUsage(rows, code(t)); err != nil {
		t.Error(err)
	}
	if n := len(rows); n < 158 {
		t.Errorf("%d rows: fewer than there were", n)
	}
	if dir := os.Getenv("PUMICE_SPEC"); dir != "" {
		if err := CheckSpec(rows, chapters, dir); err != nil {
			t.Error(err)
		}
	}
}

// Rows that are not as they should be are errors that say where.
func TestUsage_Malformed(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"good", "## a.adoc\n| VUID-a-b-1 | §s | refused |\n| VUID-a-b-2 | §s | mended: x |\n| VUID-a-b-3 | §s | told |\n| VUID-a-b-4 | §s | never: property |\n" +
			"| VUID-a-b-5 | §s | never: VK_A is not offered |\n| VUID-a-b-6 | §s | layer: feature |\n| VUID-a-b-7 | §s | rule: IMG-109 |\n", ""},
		{"no rule", "## a.adoc\n| VUID-a-b-1 | §s | rule: IMG |\n", "the outcome"},
		{"no chapter", "| VUID-a-b-1 | §s | refused |\n", "page:1: VUID-a-b-1 stands under no chapter"},
		{"no section", "## a.adoc\n| VUID-a-b-1 | refused |\n", "page:2: want a statement"},
		{"twice", "## a.adoc\n| VUID-a-b-1 | §s | refused |\n| VUID-a-b-1 | §s | refused |\n", "page:3: VUID-a-b-1 is there twice"},
		{"no outcome", "## a.adoc\n| VUID-a-b-1 | §s | |\n", "want a statement"},
		{"outcome", "## a.adoc\n| VUID-a-b-1 | §s | ignored |\n", `page:2: VUID-a-b-1: the outcome "ignored"`},
		{"no reason", "## a.adoc\n| VUID-a-b-1 | §s | layer |\n", "the outcome"},
		{"never", "## a.adoc\n| VUID-a-b-1 | §s | never: hardly |\n", "the outcome"},
	} {
		path := filepath.Join(t.TempDir(), "page")
		if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		rows, chapters, err := Usage(path)
		switch {
		case c.want == "" && (err != nil || len(rows) != 7 || len(chapters) != 1):
			t.Errorf("%s: %v, %v, %v", c.name, rows, chapters, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// What code does not name, and what page and specification do not have in common, is found.
func TestCheckUsage_Finds(t *testing.T) {
	dir := t.TempDir()
	for file, text := range map[string]string{"a.adoc": "* [[VUID-a-b-1]]\n text\n* [[VUID-a-b-2]]\n", "b.adoc": "none\n"} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	row := func(id, chapter, outcome string) UsageRow {
		return UsageRow{ID: id, Chapter: chapter, Outcome: outcome, Line: 5}
	}
	good := []UsageRow{row("VUID-a-b-1", "a.adoc", "refused"), row("VUID-a-b-2", "a.adoc", "layer: feature")}
	chapters := []string{"a.adoc", "b.adoc"}
	if err := CheckUsage(good, `misuse("a-b-1")`); err != nil {
		t.Error(err)
	}
	if err := CheckSpec(good, chapters, dir); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"not named", CheckUsage(good, "a-b-2"), "line 5: VUID-a-b-1: refused, and no code names it"},
		{"mended, not named", CheckUsage([]UsageRow{row("VUID-a-b-3", "a.adoc", "mended: x")}, ""), "no code names it"},
		{"no row", CheckSpec(good[:1], chapters, dir), "a.adoc: VUID-a-b-2 has no row"},
		{"other chapter", CheckSpec([]UsageRow{good[0], row("VUID-a-b-2", "b.adoc", "told")}, chapters, dir), "a.adoc: VUID-a-b-2 has no row"},
		{"no statement", CheckSpec(append(good, row("VUID-a-b-9", "b.adoc", "told")), chapters, dir), "line 5: b.adoc does not have VUID-a-b-9"},
		{"no file", CheckSpec(good, []string{"c.adoc"}, dir), "c.adoc"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, c.err, c.want)
		}
	}
}

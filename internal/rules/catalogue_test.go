package rules

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules/catalogue"
)

const docs = "../../docs/rules"

// What is generated is what the pages say.
func TestCatalogue_IsOfThePages(t *testing.T) {
	pages, err := Read(docs)
	if err != nil {
		t.Fatal(err)
	}
	code, err := os.ReadFile("catalogue/catalogue_gen.go")
	if err != nil {
		t.Fatal(err)
	}
	if string(code) != Source(pages) {
		t.Error("catalogue_gen.go is not of docs/rules: go generate ./internal/rules/...")
	}
	readme, err := os.ReadFile(filepath.Join(docs, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := Index(string(readme), pages); err != nil || text != string(readme) {
		t.Errorf("the list in docs/rules/README.md is not of its pages (%v): go generate ./internal/rules/...", err)
	}
}

// Each number is there once, and lists are in order.
func TestCatalogue_All(t *testing.T) {
	for prefix, atLeast := range map[string]int{"IMG": 487, "RAS": 368, "TC": 80, "RC": 76} {
		all := All(prefix)
		if len(all) < atLeast || !slices.IsSorted(all) || len(slices.Compact(slices.Clone(all))) != len(all) {
			t.Errorf("%s: %d rules of at least %d, in order %v", prefix, len(all), atLeast, slices.IsSorted(all))
		}
		for _, id := range all {
			if title := catalogue.Title(id); title == "" || Name(id) != id+" "+title {
				t.Errorf("%s: title %q, name %q", id, title, Name(id))
			}
		}
	}
	if all := All("VUID"); all != nil {
		t.Errorf("VUID: %v", all)
	}
}

func TestCatalogue_Name(t *testing.T) {
	for id, want := range map[string]string{
		"IMG-531": "IMG-531 LINEAR weights",
		"TC-18":   "TC-18 LINEAR at a tenth",
		"RAS-002": "RAS-002 Snapping of positions to subpixels",
		// What is no rule stays as it is.
		"":                        "",
		"IMG-53":                  "IMG-53",
		"IMG":                     "IMG",
		"531":                     "531",
		"IMG-531 LINEAR":          "IMG-531 LINEAR",
		"IMG-531\nIMG-532":        "IMG-531\nIMG-532",
		"VUID-vkCmdDraw-None-001": "VUID-vkCmdDraw-None-001",
	} {
		if got := catalogue.Name(id); got != want {
			t.Errorf("%q: %q, want %q", id, got, want)
		}
	}
}

// Pages that are not as they should be are errors that say where.
func TestRead_Malformed(t *testing.T) {
	const good = "# Page\n\n### IMG-001 Two words\n\nText.\n\nSource: §a\n"
	for _, c := range []struct{ name, file, text, want string }{
		{"good", "img-01-a.md", good, ""},
		{"twice", "img-01-a.md", good + "\n" + good, "img-01-a.md:11: IMG-001: is in img-01-a.md, too"},
		{"one word", "img-01-a.md", "### IMG-001 Word\n\nSource: §a\n", "title"},
		{"eight words", "img-01-a.md", "### IMG-001 a b c d e f g h\n\nSource: §a\n", "title"},
		{"period", "img-01-a.md", "### IMG-001 Two words.\n\nSource: §a\n", "title"},
		{"no source", "img-01-a.md", "### IMG-001 Two words\n\nText.\n\n## Other\n\nSource: §a\n", "Source:"},
		{"no result", "img-01-a.md", "### TC-01 Two words\n\nSource: §a\n", "Expected:"},
		{"number", "img-01-a.md", "### IMG-1 Two words\n\nSource: §a\n", "no rule's number"},
		{"code is no heading", "img-01-a.md", good + "```\n### IMG-002 Word\n```\n", ""},
		{"name", "a.md", good, "img-NN-name.md"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, c.file), []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		switch _, err := Read(dir); {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if _, err := Read(t.TempDir()); err == nil {
		t.Error("an empty folder is a catalogue")
	}
}

// cited finds numbers of rules in text.
var cited = regexp.MustCompile(`\b(?:(?:IMG|RAS)-[0-9]{3}|(?:TC|RC)-[0-9]{2})\b`)

// Whatever code, scenes and pages cite is in the catalogue.
func TestCatalogue_HasWhatIsCited(t *testing.T) {
	root := filepath.Join("..", "..")
	known := map[string]bool{}
	for _, prefix := range prefixes {
		for _, id := range All(prefix) {
			known[id] = true
		}
	}
	n := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || path == filepath.Join(root, "dist")):
			return filepath.SkipDir
		case d.IsDir() || !slices.Contains([]string{".go", ".md", ".json"}, filepath.Ext(path)) || strings.HasPrefix(path, filepath.Join(root, "internal", "rules")) && strings.HasSuffix(path, "_test.go"):
			return nil // tests of what reads numbers make some up
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, at := range cited.FindAllIndex(text, -1) {
			n++
			if id := string(text[at[0]:at[1]]); !known[id] {
				t.Errorf("%s:%d cites %s, which docs/rules has not", path, 1+strings.Count(string(text[:at[0]]), "\n"), id)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n < 1000 {
		t.Errorf("only %d citations found", n)
	}
}

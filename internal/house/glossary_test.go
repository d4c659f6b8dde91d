package house

import (
	"go/ast"
	"go/token"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// glossaryFolders are what the glossary holds for, with what is below them.
var glossaryFolders = []string{
	"driver", "internal/assembly", "internal/core", "internal/exec", "internal/format", "internal/fragops",
	"internal/ir", "internal/lower", "internal/memory", "internal/raster", "internal/ref", "internal/render",
	"internal/resource", "internal/sampling", "internal/spirv", "internal/stage", "internal/tess",
	"internal/transfer", "internal/vertexpost",
}

// A glossary is docs/glossary.md: words with their types, and types that are to be renamed.
type glossary struct {
	terms   map[string][]string // by term: a word, or a word and what tells it from its other meaning
	renamed []string
}

var (
	termRow    = regexp.MustCompile(`(?m)^\| ([a-z][a-z, ]*) \| ([^|]+) \| ([^|]*)\|$`)
	renamedRow = regexp.MustCompile("(?m)^\\| `([a-z0-9]+\\.[A-Za-z]+)` \\| [^|]+ \\| [^|]+ \\|$")
	typeName   = regexp.MustCompile("`([a-z0-9]+\\.[A-Za-z]+)`")
)

// readGlossary returns the page, with what is wrong with its form.
func readGlossary(text string) (g glossary, wrong []string) {
	g.terms = map[string][]string{}
	words, list, ok := strings.Cut(text, "\n## To be renamed\n")
	if !ok {
		wrong = append(wrong, "it has no list of what is to be renamed")
	}
	for _, m := range termRow.FindAllStringSubmatch(words, -1) {
		if m[1] == "word" {
			continue
		}
		if _, twice := g.terms[m[1]]; twice {
			wrong = append(wrong, m[1]+" stands twice")
		}
		g.terms[m[1]] = nil
		for _, n := range typeName.FindAllStringSubmatch(m[3], -1) {
			g.terms[m[1]] = append(g.terms[m[1]], n[1])
		}
	}
	for _, m := range renamedRow.FindAllStringSubmatch(list, -1) {
		g.renamed = append(g.renamed, m[1])
	}
	if len(g.terms) == 0 {
		wrong = append(wrong, "it has no words")
	}
	return g, wrong
}

// check holds the page against the types that there are, as package.name.
func (g glossary) check(types map[string]bool) (wrong []string) {
	words, named := map[string]bool{}, map[string]string{}
	for _, term := range slices.Sorted(maps.Keys(g.terms)) {
		word, _, qualified := strings.Cut(term, ", ")
		words[word] = true
		if _, ok := g.terms[word]; qualified && !ok {
			wrong = append(wrong, term+": the word by itself is not there")
		}
		for _, name := range g.terms[term] {
			if other, twice := named[name]; twice {
				wrong = append(wrong, name+" stands at "+other+" and at "+term)
			}
			if named[name] = term; !types[name] {
				wrong = append(wrong, term+": there is no type "+name)
			}
			if !strings.EqualFold(name[strings.Index(name, ".")+1:], word) {
				wrong = append(wrong, term+": "+name+" is no "+word)
			}
		}
	}
	for _, name := range g.renamed {
		if _, twice := named[name]; twice {
			wrong = append(wrong, name+" stands twice")
		}
		if named[name] = "to be renamed"; !types[name] {
			wrong = append(wrong, "there is no type "+name+" any more: take it from the list")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(types)) {
		if word := strings.ToLower(name[strings.Index(name, ".")+1:]); words[word] && named[name] == "" {
			wrong = append(wrong, name+" has another meaning of "+word+": choose another name, or give it the meaning of docs/glossary.md")
		}
	}
	return wrong
}

// typesOf are the types that hand-written files of the engine declare, as package.name.
func typesOf(t *testing.T, root string) map[string]bool {
	t.Helper()
	types := map[string]bool{}
	err := walk(root, func(name string, read func() (string, error)) error {
		if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || strings.Contains(name, "/_") || !under(path.Dir(name), glossaryFolders) {
			return nil
		}
		text, err := read()
		if err != nil {
			return err
		}
		file, err := parse(name, text)
		if err != nil || ast.IsGenerated(file) {
			return err
		}
		for _, d := range file.Decls {
			if d, ok := d.(*ast.GenDecl); ok && d.Tok == token.TYPE {
				for _, s := range d.Specs {
					types[file.Name.Name+"."+s.(*ast.TypeSpec).Name.Name] = true
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return types
}

// A type's name that is a word of the glossary has the word's meaning.
func TestGlossary_OneMeaningAWord(t *testing.T) {
	text, err := os.ReadFile(root + "/docs/glossary.md")
	if err != nil {
		t.Fatal(err)
	}
	g, wrong := readGlossary(string(text))
	types := typesOf(t, root)
	if len(types) < 500 {
		t.Errorf("only %d types found", len(types))
	}
	for _, w := range append(wrong, g.check(types)...) {
		t.Errorf("docs/glossary.md: %s", w)
	}
}

// What the test of the glossary tells, on a small one.
func TestGlossary_Tells(t *testing.T) {
	const page = "| word | means | type |\n|---|---|---|\n| block | eight | `raster.Block` |\n| block, basic | code | `ir.Block` |\n| tile | a square | |\n" +
		"\n## To be renamed\n\n| type | means | becomes |\n|---|---|---|\n| `vm.block` | code | `part` |\n"
	whole := []string{"raster.Block", "ir.Block", "vm.block", "vm.colorBlock"}
	for name, c := range map[string]struct {
		replace, with string
		types         []string
		want          string
	}{
		"all is well":         {"", "", whole, ""},
		"a second meaning":    {"", "", append(whole, "render.block"), "render.block has another meaning"},
		"of a word alone":     {"", "", append(whole, "render.Tile"), "render.Tile has another meaning"},
		"a type that is gone": {"", "", whole[1:], "no type raster.Block"},
		"renamed since":       {"", "", append(whole[:2:2], "vm.colorBlock"), "no type vm.block any more"},
		"a word twice":        {"| tile |", "| block |", whole, "block stands twice"},
		"a type twice":        {"| a square | |", "| a square | `ir.Block` |", whole, "ir.Block stands at"},
		"another word's":      {"| a square | |", "| a square | `vm.colorBlock` |", whole, "vm.colorBlock is no tile"},
		"listed and named":    {"`vm.block`", "`ir.Block`", whole, "ir.Block stands twice"},
		"no plain meaning":    {"| block |", "| rock |", whole, "the word by itself is not there"},
		"no words":            {"|", "", whole, "no words"},
		"no list":             {"## To be", "## Not", whole, "no list"},
	} {
		text := page
		if c.replace != "" {
			text = strings.ReplaceAll(page, c.replace, c.with)
		}
		g, wrong := readGlossary(text)
		types := map[string]bool{}
		for _, n := range c.types {
			types[n] = true
		}
		got := strings.Join(append(wrong, g.check(types)...), "\n")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

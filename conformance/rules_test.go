package conformance_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
)

// covered finds the calls of rules.Covers in the test files below root: which
// test names which rule. Calls that the table cannot be made from are errors.
func covered(root string) (map[string][]string, []error) {
	table, errs := map[string][]string{}, []error(nil)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir, _ := filepath.Rel(root, filepath.Dir(path))
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				continue
			}
			for _, call := range coversIn(f.Body) {
				where := set.Position(call.Pos())
				if !strings.HasPrefix(f.Name.Name, "Test") || f.Recv != nil {
					errs = append(errs, fmt.Errorf("%v: rules.Covers outside a test function", where))
				}
				for _, a := range call.Args[min(1, len(call.Args)):] {
					lit, ok := a.(*ast.BasicLit)
					if !ok || lit.Kind != token.STRING {
						errs = append(errs, fmt.Errorf("%v: rules.Covers takes literals", where))
						continue
					}
					id, _ := strconv.Unquote(lit.Value)
					name := filepath.ToSlash(dir) + "." + f.Name.Name
					if !slices.Contains(table[id], name) {
						table[id] = append(table[id], name)
					}
				}
			}
		}
		return nil
	})
	if err != nil {
		errs = append(errs, err)
	}
	return table, errs
}

// coversIn returns the calls of rules.Covers in a function's body.
func coversIn(body *ast.BlockStmt) (calls []*ast.CallExpr) {
	ast.Inspect(body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if s, ok := call.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "Covers" {
				if x, ok := s.X.(*ast.Ident); ok && x.Name == "rules" {
					calls = append(calls, call)
				}
			}
		}
		return true
	})
	return calls
}

// extra are rules that the amendments add to a catalogue's own.
var extra = []string{"IMG-134"}

// TestRules prints which tests cover which rule of the catalogues: go test
// ./conformance -run Rules -v.
func TestRules(t *testing.T) {
	table, errs := covered("..")
	for _, err := range errs {
		t.Error(err)
	}
	known := map[string]bool{}
	for _, id := range extra {
		known[id] = true
	}
	for _, prefix := range []string{"IMG", "RAS", "TC", "RC"} {
		all, n := rules.All(prefix), 0
		var missing []string
		for _, id := range all {
			known[id] = true
			if tests := table[id]; tests != nil {
				n++
				slices.Sort(tests)
				t.Logf("%s  %s", id, strings.Join(tests, ", "))
			} else {
				missing = append(missing, id)
			}
		}
		if missing != nil {
			t.Logf("%s not covered: %s", prefix, strings.Join(missing, " "))
		}
		t.Logf("%s covered %d of %d", prefix, n, len(all))
	}
	for id, tests := range table {
		if !known[id] {
			t.Errorf("%s: no catalogue has rule %s", tests[0], id)
		}
	}
}

// The numbers are the catalogues', where these lie in docs/rules or beside the repository.
func TestRules_AsTheCataloguesHaveThem(t *testing.T) {
	for prefix, c := range map[string]struct {
		files string
		form  string
		count int
	}{
		"IMG": {"../shared/spec/image-operations.md", `(?m)^(?:- \*\*|\| )(IMG-\d+)(?:\*\*| \|)`, 486},
		"RAS": {"docs/rules/ras-*.md", `(?m)^### (RAS-\d{3}) \S`, 378},
		"RC":  {"docs/rules/ras-*.md", `(?m)^### RC-(\d\d) \S`, 76},
		"TC":  {"../shared/spec/image-operations.md", `(?m)^\| (\d\d) \| [^|]+ \| [^|]+ \|$`, 80},
	} {
		if n := len(rules.All(prefix)); n != c.count {
			t.Errorf("%d rules %s, want %d", n, prefix, c.count)
		}
		files, _ := filepath.Glob(filepath.Join("..", c.files))
		if len(files) == 0 {
			t.Logf("%s: the catalogue is not beside the repository", prefix)
			continue
		}
		var text []byte
		for _, file := range files {
			part, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text = append(text, part...)
		}
		want := map[string]bool{}
		for _, m := range regexp.MustCompile(c.form).FindAllStringSubmatch(string(text), -1) {
			id := m[1]
			if n, err := strconv.Atoi(id); err == nil {
				id = fmt.Sprintf("%s-%02d", prefix, n)
			}
			want[id] = true
		}
		for _, id := range rules.All(prefix) {
			if !want[id] && prefix != "TC" {
				t.Errorf("the catalogue has no %s", id)
			}
			delete(want, id)
		}
		for _, id := range extra {
			delete(want, id)
		}
		for id := range want {
			t.Errorf("%s is missing", id)
		}
	}
}

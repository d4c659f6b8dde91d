package conformance_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
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

// TestRules prints which tests cover which rule of the catalogue: go test
// ./conformance -run Rules -v.
func TestRules(t *testing.T) {
	table, errs := covered("..")
	for _, err := range errs {
		t.Error(err)
	}
	known := map[string]bool{}
	for _, prefix := range []string{"IMG", "RAS", "TC", "RC"} {
		all, n := rules.All(prefix), 0
		var missing []string
		for _, id := range all {
			known[id] = true
			if tests := table[id]; tests != nil {
				n++
				slices.Sort(tests)
				t.Logf("%s: %s", rules.Name(id), strings.Join(tests, ", "))
			} else {
				missing = append(missing, id)
			}
		}
		for _, id := range missing {
			t.Logf("not covered: %s", rules.Name(id))
		}
		t.Logf("%s covered %d of %d", prefix, n, len(all))
	}
	for id, tests := range table {
		if !known[id] {
			t.Errorf("%s: no catalogue has rule %s", tests[0], id)
		}
	}
}

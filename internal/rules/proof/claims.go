// Package proof holds what is known of the rules of the catalogues: which tests claim
// them, which code cites them, and for which of them a claiming test failed when that
// code was changed (conformance/_mutate -rules). It reads source, and is for tests and
// tools.
package proof

import (
	"fmt"
	"go/ast"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Claims finds the calls of rules.Covers in the test files below root: which tests
// name which rule, as "folder.TestName", sorted. Calls that the table cannot be made
// from are errors.
func Claims(root string) (map[string][]string, []error) {
	table, errs := map[string][]string{}, []error(nil)
	err := walk(root, true, func(set *token.FileSet, rel string, file *ast.File, _ []byte) {
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
					name := filepath.ToSlash(filepath.Dir(rel)) + "." + f.Name.Name
					if !slices.Contains(table[id], name) {
						table[id] = append(table[id], name)
					}
				}
			}
		}
	})
	if err != nil {
		errs = append(errs, err)
	}
	for _, tests := range table {
		slices.Sort(tests)
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

// walk parses the test files below root, or the others, and hands each to f with its
// name below root. Folders that the go command passes over are left out.
func walk(root string, tests bool, f func(set *token.FileSet, rel string, file *ast.File, src []byte)) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if path != root && (name == "testdata" || strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".")) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") != tests {
			return nil
		}
		return parse(root, path, f)
	})
}

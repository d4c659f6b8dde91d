package house

import (
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// ours are programs that tests may start by name without the tag outside: go, which runs them, and what every Unix has.
var ours = map[string]bool{"go": true, "sh": true, "true": true, "sleep": true, "cat": true}

// Tests without the tag outside take no program from PATH but those, so that nothing that lies there changes what go test
// ./... says. Comparisons have the tag and a name by which they are chosen.
func TestHermetic_NoProgramsFromPATH(t *testing.T) {
	t.Chdir(root)
	files := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && path != "." && strings.HasPrefix(d.Name(), ".") {
			return filepath.SkipDir
		}
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		files++
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		outside := behindTag(f)
		for _, decl := range f.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && strings.HasPrefix(fn.Name.Name, "Test") && fn.Name.Name != "TestMain" {
				if named := strings.HasPrefix(fn.Name.Name, "TestOutside_"); named != outside {
					t.Errorf("%s: the tag outside and names TestOutside_… go together, and %s has one of them", set.Position(fn.Pos()), fn.Name.Name)
				}
			}
		}
		if outside {
			return nil
		}
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			which, at := startsProgram(call)
			if which == "" || at >= len(call.Args) {
				return true
			}
			literal, ok := call.Args[at].(*ast.BasicLit)
			if !ok {
				if which == "LookPath" {
					t.Errorf("%s: looks for a program; comparisons have the tag outside", set.Position(call.Pos()))
				}
				return true // a path that the test has made
			}
			if name, _ := strconv.Unquote(literal.Value); !ours[name] {
				t.Errorf("%s: starts %s from PATH; comparisons have the tag outside", set.Position(call.Pos()), name)
			}
			return true
		})
		return nil
	})
	if err != nil || files < 300 {
		t.Errorf("%d files, %v", files, err)
	}
}

// startsProgram says whether a call looks up or starts a program, and which argument names it.
func startsProgram(call *ast.CallExpr) (which string, at int) {
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return "", 0
	}
	if pkg, ok := f.X.(*ast.Ident); !ok || pkg.Name != "exec" {
		return "", 0
	}
	switch f.Sel.Name {
	case "LookPath", "Command":
		return f.Sel.Name, 0
	case "CommandContext":
		return f.Sel.Name, 1
	}
	return "", 0
}

// behindTag says whether a file is compiled with the tag outside only.
func behindTag(f *ast.File) bool {
	for _, group := range f.Comments {
		for _, c := range group.List {
			if expr, err := constraint.Parse(c.Text); err == nil && c.Pos() < f.Package {
				all := func(string) bool { return true }
				without := func(tag string) bool { return tag != "outside" }
				return expr.Eval(all) && !expr.Eval(without)
			}
		}
	}
	return false
}

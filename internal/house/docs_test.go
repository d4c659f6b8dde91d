package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice"
)

// TestDocs_ArchitectureNamesWhatExists looks up every package folder and every
// `package.Name` that ARCHITECTURE.md names.
func TestDocs_ArchitectureNamesWhatExists(t *testing.T) {
	t.Chdir(root)
	text, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	exported := map[string]map[string]bool{} // by package name
	err = filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.IsDir() || strings.HasPrefix(d.Name(), "_") || d.Name() == "testdata" || d.Name() == ".git" {
			if d != nil && d.IsDir() && path != "." && err == nil {
				return filepath.SkipDir
			}
			return err
		}
		collectExported(t, path, exported)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	folder := regexp.MustCompile("^(internal|gltf|cmd|driver|vk|conformance)(/[a-z0-9]+)*$")
	name := regexp.MustCompile(`^([a-z]+)\.([A-Z][A-Za-z0-9]*)$`)
	checked := 0
	for _, quoted := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(string(text), -1) {
		word := quoted[1]
		switch {
		case folder.MatchString(word):
			if info, err := os.Stat(word); err != nil || !info.IsDir() {
				t.Errorf("ARCHITECTURE.md names folder %s, which does not exist", word)
			}
			checked++
		case name.MatchString(word):
			m := name.FindStringSubmatch(word)
			if !exported[m[1]][m[2]] {
				t.Errorf("ARCHITECTURE.md names %s, which does not exist", word)
			}
			checked++
		}
	}
	drawn := 0
	declared := declaredNames(t)
	for _, block := range regexp.MustCompile("(?s)```text\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		for _, word := range regexp.MustCompile(`\b[A-Za-z]+\.[A-Za-z]+\b`).FindAllString(block[1], -1) {
			if drawn++; !declared[word] {
				t.Errorf("a drawing of ARCHITECTURE.md names %s, which does not exist", word)
			}
		}
	}
	if drawn < 40 {
		t.Errorf("only %d names found in drawings: has the page's form changed?", drawn)
	}
	if checked < 20 {
		t.Errorf("only %d names found: has the page's form changed?", checked)
	}
}

// declaredNames are what the module's packages declare, exported or not: package.Name and type.method.
func declaredNames(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	err := walk(".", func(name string, read func() (string, error)) error {
		if filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || strings.Contains(name, "/_") {
			return nil
		}
		text, err := read()
		if err != nil {
			return err
		}
		file, err := parse(name, text)
		if err != nil {
			return err
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				of := file.Name.Name
				if d.Recv != nil {
					of = receiver(d.Recv.List[0].Type)
				}
				names[of+"."+d.Name.Name] = true
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if s, ok := s.(*ast.TypeSpec); ok {
						names[file.Name.Name+"."+s.Name.Name] = true
					}
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// collectExported adds the exported top-level names of a folder's package.
func collectExported(t *testing.T, dir string, into map[string]map[string]bool) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		pkg := parsed.Name.Name
		if into[pkg] == nil {
			into[pkg] = map[string]bool{}
		}
		for _, decl := range parsed.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					into[pkg][d.Name.Name] = true
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch s := spec.(type) {
					case *ast.TypeSpec:
						into[pkg][s.Name.Name] = true
					case *ast.ValueSpec:
						for _, n := range s.Names {
							into[pkg][n.Name] = true
						}
					}
				}
			}
		}
	}
}

// Error is an alias, of which godoc shows the comment alone: it has every field with its type, and every method.
func TestDocs_ErrorsCommentHasItsFields(t *testing.T) {
	t.Chdir(root)
	parsed, err := parser.ParseFile(token.NewFileSet(), "errors.go", nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, d := range parsed.Decls {
		if d, ok := d.(*ast.GenDecl); ok && d.Tok == token.TYPE && d.Specs[0].(*ast.TypeSpec).Name.Name == "Error" {
			text = d.Doc.Text()
		}
	}
	e := reflect.TypeFor[pumice.Error]()
	for i := range e.NumField() {
		f := e.Field(i)
		if !regexp.MustCompile(`(?m)^\t\t(\w+, )*` + f.Name + `(, \w+)* ` + f.Type.String() + `$`).MatchString(text) {
			t.Errorf("the comment of Error has no field %s %s:\n%s", f.Name, f.Type, text)
		}
	}
	for i := range reflect.PointerTo(e).NumMethod() {
		if m := reflect.PointerTo(e).Method(i).Name; !strings.Contains(text, m+"()") {
			t.Errorf("the comment of Error has no method %s", m)
		}
	}
}

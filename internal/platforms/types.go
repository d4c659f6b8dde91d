package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
)

// mostErrors are told of a pair.
const mostErrors = 20

// checker checks the types of a module's packages for one pair after the other. Files are read once.
type checker struct {
	dir   string
	fset  *token.FileSet
	mu    sync.Mutex
	files map[string]*ast.File // guarded by mu
}

func newChecker(dir string) *checker {
	return &checker{dir: dir, fset: token.NewFileSet(), files: map[string]*ast.File{}}
}

// listed is what go list tells of a package.
type listed struct {
	ImportPath, Dir          string
	GoFiles, SFiles, Imports []string
	ImportMap                map[string]string
	DepOnly                  bool
	Module                   *struct{ GoVersion string }
	Error                    *struct{ Err string }
}

// pair checks all packages and their tests for a pair, as the compiler would.
func (c *checker) pair(p pair) error {
	cmd := p.command(c.dir, "list", "-e", "-deps", "-test", "-json=ImportPath,Dir,GoFiles,SFiles,Imports,ImportMap,DepOnly,Module,Error", "./...")
	text, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("go list: %w\n%s", err, errorText(err))
	}
	run := &run{checker: c, sizes: types.SizesFor("gc", p.GOARCH), done: map[string]*types.Package{"unsafe": types.Unsafe}, all: map[string]*listed{}}
	var order []string
	for from := json.NewDecoder(bytes.NewReader(text)); ; {
		l := &listed{}
		if err := from.Decode(l); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return fmt.Errorf("go list: %w", err)
		}
		run.all[l.ImportPath] = l
		order = append(order, l.ImportPath)
	}
	for _, path := range order {
		run.get(path)
	}
	if n := len(run.failures); n > mostErrors {
		run.failures = append(run.failures[:mostErrors], fmt.Errorf("and %d more", n-mostErrors))
	}
	return errors.Join(run.failures...)
}

func errorText(err error) []byte {
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return exit.Stderr
	}
	return nil
}

// run is what is known of one pair.
type run struct {
	*checker
	sizes    types.Sizes
	all      map[string]*listed
	done     map[string]*types.Package
	failures []error
}

// get is a package, checked, and before it what it imports; nil where there is none.
func (r *run) get(path string) *types.Package {
	if made, ok := r.done[path]; ok {
		return made
	}
	r.done[path] = nil // where it imports itself
	l := r.all[path]
	if l == nil {
		return nil
	}
	if l.Error != nil {
		if _, linker := wantsLinker(l.Error.Err); !linker { // else a program, of whose imports go list tells nothing
			r.failures = append(r.failures, fmt.Errorf("%s: %s", path, l.Error.Err))
		}
		return nil
	}
	for _, other := range l.Imports {
		r.get(other)
	}
	r.done[path] = r.check(l)
	return r.done[path]
}

// check checks a package whose imports are done. The bodies of functions count where the package is not only imported.
func (r *run) check(l *listed) *types.Package {
	tell := func(err error) { r.failures = append(r.failures, err) }
	var files []*ast.File
	for _, name := range l.GoFiles {
		if !filepath.IsAbs(name) { // that of a test's main function, which go makes
			name = filepath.Join(l.Dir, name)
		}
		f, err := r.parse(name)
		if err != nil {
			tell(err)
			continue
		}
		files = append(files, f)
	}
	config := types.Config{
		IgnoreFuncBodies: l.DepOnly,
		Sizes:            r.sizes,
		Error:            tell,
		Importer: importer(func(path string) (*types.Package, error) {
			if to, mapped := l.ImportMap[path]; mapped {
				path = to
			}
			if made := r.get(path); made != nil {
				return made, nil
			}
			return nil, fmt.Errorf("%s is not there", path)
		}),
	}
	if l.Module != nil && l.Module.GoVersion != "" {
		config.GoVersion = "go" + l.Module.GoVersion
	}
	made, _ := config.Check(l.ImportPath, r.fset, files, nil) // Error has been told
	if !l.DepOnly {
		r.failures = append(r.failures, r.bodies(l, files)...)
	}
	return made
}

type importer func(path string) (*types.Package, error)

func (f importer) Import(path string) (*types.Package, error) { return f(path) }

func (c *checker) parse(name string) (*ast.File, error) {
	c.mu.Lock()
	f := c.files[name]
	c.mu.Unlock()
	if f != nil {
		return f, nil
	}
	f, err := parser.ParseFile(c.fset, name, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.files[name] = f
	c.mu.Unlock()
	return f, nil
}

var assembled = regexp.MustCompile(`(?m)^TEXT\s+·(\w+)(?:<ABIInternal>)?\(SB\)`)

// bodies finds functions that have no body, in Go or in assembly.
func (c *checker) bodies(l *listed, files []*ast.File) (failures []error) {
	have := map[string]bool{}
	for _, name := range l.SFiles {
		text, err := os.ReadFile(filepath.Join(l.Dir, name))
		if err != nil {
			return []error{err}
		}
		for _, m := range assembled.FindAllSubmatch(text, -1) {
			have[string(m[1])] = true
		}
	}
	for _, f := range files {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body == nil && fn.Recv == nil && !have[fn.Name.Name] {
				failures = append(failures, fmt.Errorf("%v: %s has no body, and none in assembly", c.fset.Position(fn.Pos()), fn.Name.Name))
			}
		}
	}
	return failures
}

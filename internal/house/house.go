// Package house measures how the renderer is built: figures that may only fall, because each of
// them stands for work that a change costs. docs/house.md holds what they may be at most; a test
// compares. Its tests hold the rest of the architecture, too: which package imports which, which
// programs tests start, that what ARCHITECTURE.md names exists. It reads source, and is for tests.
package house

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Figure is one number of the house.
type Figure struct {
	Name  string
	Value int
	// Step is how coarsely the page holds it, rounded up, so that not every change has to
	// rewrite the page: 1 or more.
	Step int
	What string // what is counted, a sentence without its full stop
	// Detail is what the number is made of, a line each, for whoever wants to lower it.
	Detail []string
}

// AtMost is the value that the page holds: the least multiple of Step that is not below Value.
func (f Figure) AtMost() int { return (f.Value + f.Step - 1) / f.Step * f.Step }

const (
	columns     = 100 // where lines end; a tab is one column
	manyMethods = 60  // of one type: those that have more get a figure of their own
)

// road are the folders below internal that a pixel's code stands in, with what is below them.
// Those of the rooms that RATIONALE.md names ("Why one road") need not exist yet.
var road = []string{"exec", "fragops", "lower", "raster", "ref", "render", "sampling", "stage"}

// exists are the folders of road without which what is measured is not the renderer.
var exists = []string{"exec", "lower", "render"}

// compiler is a folder of the road that is none: SPIR-V to IR, without the folders below it.
const compiler = "internal/lower"

// A source is one Go file without tests.
type source struct {
	name string // below the module's root
	text string
	file *ast.File
}

// Measure reads the module below root and returns its figures but that of the triangle.
func Measure(root string) ([]Figure, error) {
	files, assembly, err := readRoad(root)
	if err != nil {
		return nil, err
	}
	cited, err := citedRules(root)
	if err != nil {
		return nil, err
	}
	choices, err := choosing(files)
	if err != nil {
		return nil, err
	}
	everywhere, err := longLines(root)
	if err != nil {
		return nil, err
	}
	figures := append(cited, choices)
	figures = append(figures, methods(files)...)
	figures = append(figures, assembly[:]...)
	return append(figures, handWritten(files), longOnRoad(files), everywhere), nil
}

// readRoad reads the hand-written Go files of the road, and counts the lines of assembly.
func readRoad(root string) (files []source, assembly [2]Figure, err error) {
	assembly = [2]Figure{{
		Name: "lines of assembly by hand", Step: 1,
		What: "in `.s` files below `internal`",
	}, {
		Name: "lines of generated assembly", Step: 1,
		What: "in `.s` files below `internal` that a generator writes",
	}}
	for _, dir := range exists {
		if _, err := os.Stat(filepath.Join(root, "internal", dir)); err != nil {
			return nil, assembly, fmt.Errorf("the house's measure knows this folder: %w", err)
		}
	}
	err = walk(root, func(name string, read func() (string, error)) error {
		below, ours := strings.CutPrefix(name, "internal/")
		if !ours {
			return nil
		}
		if path.Ext(name) == ".s" {
			text, err := read()
			f := &assembly[0]
			if generated(text) {
				f = &assembly[1]
			}
			n := strings.Count(text, "\n")
			f.Value += n
			f.Detail = append(f.Detail, fmt.Sprintf("%5d %s", n, name))
			return err
		}
		first, _, _ := strings.Cut(below, "/")
		if !slices.Contains(road, first) || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		if in := path.Dir(name); in == compiler || strings.HasPrefix(in, compiler+"/_") {
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
		if !ast.IsGenerated(file) {
			files = append(files, source{name, text, file})
		}
		return nil
	})
	return files, assembly, err
}

func parse(name, text string) (*ast.File, error) {
	return parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments|parser.SkipObjectResolution)
}

// walk calls f with every Go and assembly file of the module, in order of their names. Generators
// (folders that begin with _) belong to it; data of tests and what git hides do not.
func walk(root string, f func(name string, read func() (string, error)) error) error {
	return filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if file != root && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".")) {
				return filepath.SkipDir
			}
			return nil
		}
		if ext := filepath.Ext(file); ext != ".go" && ext != ".s" {
			return nil
		}
		name, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		return f(filepath.ToSlash(name), func() (string, error) {
			text, err := os.ReadFile(file)
			return string(text), err
		})
	})
}

// handWritten counts lines of Go, comments and empty ones among them.
func handWritten(files []source) Figure {
	f := Figure{
		Name: "lines of Go", Step: 100,
		What: "on the road, without tests and generated files; in hundreds",
	}
	folders := map[string]int{}
	for _, s := range files {
		n := strings.Count(s.text, "\n")
		f.Value += n
		folders[path.Dir(s.name)] += n
	}
	f.Detail = most(folders)
	return f
}

// longOnRoad counts lines that go past the last column.
func longOnRoad(files []source) Figure {
	f := Figure{
		Name: "long lines on the road", Step: 10,
		What: fmt.Sprintf("past column %d, without tests and generated files; in tens", columns),
	}
	by := map[string]int{}
	for _, s := range files {
		by[s.name] += long(s.text)
		f.Value += long(s.text)
	}
	f.Detail = most(by)
	return f
}

// longLines counts them in all Go files but generated ones.
func longLines(root string) (Figure, error) {
	f := Figure{
		Name: "long lines everywhere", Step: 100,
		What: fmt.Sprintf("past column %d, tests among them, without generated files; in hundreds", columns),
	}
	by := map[string]int{}
	err := walk(root, func(name string, read func() (string, error)) error {
		if path.Ext(name) != ".go" {
			return nil
		}
		text, err := read()
		if err != nil || generated(text) {
			return err
		}
		by[path.Dir(name)] += long(text)
		f.Value += long(text)
		return nil
	})
	f.Detail = most(by)
	return f, err
}

func long(text string) (n int) {
	for line := range strings.Lines(text) {
		if utf8.RuneCountInString(strings.TrimRight(line, "\r\n")) > columns {
			n++
		}
	}
	return n
}

// generated says whether a line says so in Go's words before the package's name or an instruction.
func generated(text string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "// Code generated ") && strings.HasSuffix(line, " DO NOT EDIT.") {
			return true
		}
		if strings.HasPrefix(line, "package ") || strings.HasPrefix(line, "TEXT ") {
			return false
		}
	}
	return false
}

// most are the names with their numbers, the largest first, without those of none.
func most(of map[string]int) (lines []string) {
	names := make([]string, 0, len(of))
	for name, n := range of {
		if n > 0 {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(of[b], of[a]), cmp.Compare(a, b))
	})
	for _, name := range names {
		lines = append(lines, fmt.Sprintf("%5d %s", of[name], name))
	}
	return lines
}

// Command _mutate finds out what a package's tests would not notice. It changes the
// package in thousands of places, one at a time (a mutant), and runs the tests that
// reach the place; a mutant that none of them fails on has survived.
//
//	go run ./conformance/_mutate -pkg ./internal/tess -o tess.json
//	go run ./conformance/_mutate -pkg ./internal/tess -again tess.json -with ./internal/render
//	go run ./conformance/_mutate -report tess.json,raster.json
//	go run ./conformance/_mutate -rules -short -o rules.json -update
//
// With -rules it changes the code that cites each rule of the catalogues, and runs the
// tests that claim the rule first.
//
// All mutants are compiled into one test binary, behind switches, so that a mutant
// costs the run of a few tests and no compilation. docs/mutation.md says what
// came of it, and conformance/testdata/mutants.md lists it.
package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

//go:embed switch.go.txt
var switches string

// A config is what the flags say.
type config struct {
	dir    string   // where go commands run
	pkg    string   // the package to change
	with   []string // packages whose tests get the mutants that its own don't kill
	files  *regexp.Regexp
	n      int // how many mutants, 0 for all
	seed   uint64
	skip   *regexp.Regexp // tests to leave out
	slow   time.Duration  // leave out tests that take longer
	short  bool           // run tests with -short
	again  *Result        // an earlier result: only what it didn't kill
	log    io.Writer
	budget time.Duration // of tests' time for one mutant in each package
	family family        // which mutants are made
}

func main() {
	var c config
	flag.StringVar(&c.pkg, "pkg", "", "package to change")
	with := flag.String("with", "", "packages, separated by commas, whose tests get what the package's own tests don't kill")
	files := flag.String("files", "", "with -pkg: change only files whose names match this expression")
	flag.IntVar(&c.n, "n", 0, "size of a random sample, 0 for all mutants")
	flag.Uint64Var(&c.seed, "seed", 1, "of the sample")
	skip := flag.String("skip", "", "leave out tests that match this expression")
	flag.DurationVar(&c.slow, "slow", 20*time.Second, "leave out tests that take longer")
	flag.BoolVar(&c.short, "short", false, "run tests with -short, for fewer cases in less time")
	flag.DurationVar(&c.budget, "budget", time.Minute, "time of tests for one mutant in each package")
	again := flag.String("again", "", "earlier result: run only what that didn't kill")
	out := flag.String("o", "", "file for the result")
	report := flag.String("report", "", "results, separated by commas, to print as a table with the survivors")
	flag.BoolFunc("corners", "make corners: one case of many, one row of a table, ends of ranges, ties, signs of zeros, NaN, ends of loops", func(string) error {
		c.family = byCorner
		return nil
	})
	byRule := ruleFlags()
	flag.Parse()
	c.dir, c.log = ".", os.Stderr
	if *with != "" {
		c.with = strings.Split(*with, ",")
	}
	err := error(nil)
	if byRule.on && *files != "" {
		err = errors.New("-files goes with -pkg: with -rules, -only says which rules, and -sample how many corners")
	} else if byRule.on {
		err = byRule.start(c, *out)
	} else {
		err = start(c, *files, *skip, *again, *out, *report)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

func start(c config, files, skip, again, out, report string) (err error) {
	if report != "" {
		return printReport(os.Stdout, strings.Split(report, ","))
	}
	if c.pkg == "" {
		return fmt.Errorf("-pkg says which package to change")
	}
	for _, e := range []struct {
		to **regexp.Regexp
		s  string
	}{{&c.files, files}, {&c.skip, skip}} {
		if e.s != "" {
			if *e.to, err = regexp.Compile(e.s); err != nil {
				return err
			}
		}
	}
	if again != "" {
		if c.again, err = readResult(again); err != nil {
			return err
		}
	}
	res, err := run(c)
	if err != nil {
		return err
	}
	res.print(os.Stdout, false)
	if out == "" {
		return nil
	}
	data, err := json.MarshalIndent(res, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(out, data, 0o666)
}

// run makes the mutants of a package and runs the tests on them.
func run(c config) (*Result, error) {
	work, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	pkgs, err := load(c.dir, c.pkg)
	if err != nil {
		return nil, err
	}
	if len(pkgs) != 1 {
		return nil, fmt.Errorf("-pkg %s is %d packages", c.pkg, len(pkgs))
	}
	p := pkgs[0]
	p.family = c.family
	all := p.mutate(c.files, func(int) bool { return false }, nil)
	res := &Result{Package: p.ImportPath, Mutants: len(all), Seed: c.seed}
	chosen := choose(all, c, res)
	over := overlay{work: work, replace: map[string]string{}}
	p.mutate(c.files, func(id int) bool { return chosen[id] }, over.add)
	if err := over.write(p, len(all)); err != nil {
		return nil, err
	}
	for i, name := range append([]string{c.pkg}, c.with...) {
		b, err := build(c, name, over.path(), filepath.Join(work, fmt.Sprint("test", i)))
		if err != nil {
			return nil, err
		}
		if err := b.measure(c, len(all)+1, work); err != nil {
			return nil, err
		}
		res.Left = append(res.Left, b.left...)
		res.try(c, b)
	}
	return res, nil
}

// An overlay is the rewritten files, which the go command takes instead of others.
type overlay struct {
	work    string
	replace map[string]string // a file to what stands for it
}

func (o *overlay) path() string { return filepath.Join(o.work, "overlay.json") }

// add writes a file's replacement.
func (o *overlay) add(file string, src []byte) error {
	to := filepath.Join(o.work, fmt.Sprintf("%d_%s", len(o.replace), filepath.Base(file)))
	o.replace[file] = to
	return os.WriteFile(to, src, 0o666)
}

// write adds the switches of all sites to the module of p, and writes the overlay.
func (o *overlay) write(p *loaded, sites int) error {
	sw := strings.Replace(switches, "const sites = 0", fmt.Sprintf("const sites = %d", sites), 1)
	if err := o.add(filepath.Join(p.Module.Dir, helperDir, "switch.go"), []byte(sw)); err != nil {
		return err
	}
	data, err := json.Marshal(map[string]any{"Replace": o.replace})
	if err != nil {
		return err
	}
	return os.WriteFile(o.path(), data, 0o666)
}

// choose takes the sample, or what an earlier run left, and notes what that run killed.
func choose(all []Mutant, c config, res *Result) map[int]bool {
	chosen := map[int]bool{}
	if c.again != nil {
		res.Seed = c.again.Seed
		now := map[string]Mutant{}
		for k, m := range keys(all) {
			now[k] = m
		}
		for _, o := range c.again.Outcomes {
			m, ok := now[o.Key]
			if !ok {
				continue // the code is gone
			}
			o.Mutant = m
			if o.killed() {
				res.Outcomes = append(res.Outcomes, o)
				continue
			}
			chosen[m.ID] = true
			o.Result, o.By = unreached, ""
			res.Outcomes = append(res.Outcomes, o)
		}
		return chosen
	}
	r := rand.New(rand.NewPCG(c.seed, 0))
	for i, id := range r.Perm(len(all)) {
		if c.n == 0 || i < c.n {
			chosen[id] = true
		}
	}
	byID := map[int]string{}
	for k, m := range keys(all) {
		byID[m.ID] = k
	}
	for _, m := range all {
		if chosen[m.ID] {
			res.Outcomes = append(res.Outcomes, Outcome{Mutant: m, Key: byID[m.ID], Result: unreached})
		}
	}
	return chosen
}

// keys names mutants so that they are found again after lines have moved.
func keys(all []Mutant) map[string]Mutant {
	out := map[string]Mutant{}
	for _, m := range all {
		base := m.File + " " + m.Func + " " + m.What
		k := base
		for i := 2; ; i++ {
			if _, taken := out[k]; !taken {
				break
			}
			k = fmt.Sprint(base, " #", i)
		}
		out[k] = m
	}
	return out
}

// helperDir is where the switches seem to be, below the module's root.
const helperDir = "internal/mut_"

// A loaded package, as go list describes it.
type loaded struct {
	Dir, ImportPath, Export string
	GoFiles                 []string
	Module                  *struct{ Path, Dir string }
	DepOnly                 bool

	first  int    // number of its first mutant
	family family // which mutants are made
	set    *token.FileSet
	files  map[string]*ast.File
	src    map[string][]byte
	info   *types.Info
	types  *types.Package
}

// load parses and checks packages' files, without their tests.
func load(dir string, pkgs ...string) ([]*loaded, error) {
	args := append([]string{"list", "-deps", "-export", "-json=Dir,ImportPath,Export,GoFiles,Module,DepOnly"}, pkgs...)
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list %v: %w", pkgs, err)
	}
	exports := map[string]string{}
	var all []*loaded
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		one := new(loaded)
		if err := d.Decode(one); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		exports[one.ImportPath] = one.Export
		if one.DepOnly {
			continue
		}
		if one.Module == nil {
			return nil, fmt.Errorf("%s is not a package of a module", one.ImportPath)
		}
		all = append(all, one)
	}
	for _, p := range all {
		if err := p.check(exports); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// check parses and checks the package's files; exports are those of all it imports.
func (p *loaded) check(exports map[string]string) (err error) {
	p.set, p.files, p.src = token.NewFileSet(), map[string]*ast.File{}, map[string][]byte{}
	var list []*ast.File
	for _, name := range p.GoFiles {
		path := filepath.Join(p.Dir, name)
		if p.src[path], err = os.ReadFile(path); err != nil {
			return err
		}
		f, err := parser.ParseFile(p.set, path, p.src[path], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		p.files[path] = f
		list = append(list, f)
	}
	p.info = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
		Uses: map[*ast.Ident]types.Object{}, Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
	conf := types.Config{Sizes: types.SizesFor("gc", "amd64"), Importer: importer.ForCompiler(p.set, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})}
	p.types, err = conf.Check(p.ImportPath, p.set, list, p.info)
	return err
}

// below is a file's name below the module's root.
func (p *loaded) below(path string) string {
	rel, _ := filepath.Rel(p.Module.Dir, path)
	return filepath.ToSlash(rel)
}

// mutate numbers the mutants and, where write is not nil, hands it each file with the
// chosen ones in. Generated files stay as they are.
func (p *loaded) mutate(only *regexp.Regexp, chosen func(int) bool, write func(string, []byte) error) []Mutant {
	r := rewriter{first: p.first, only: p.family, set: p.set, info: p.info, pkg: p.types, chosen: chosen}
	r.generated = map[*token.File]bool{}
	for _, f := range p.files {
		r.generated[p.set.File(f.Pos())] = ast.IsGenerated(f)
	}
	for _, name := range p.GoFiles {
		path := filepath.Join(p.Dir, name)
		if ast.IsGenerated(p.files[path]) || only != nil && !only.MatchString(name) {
			continue
		}
		src := r.rewrite(p.files[path], p.below(path), p.src[path], p.Module.Path+"/"+helperDir)
		if write != nil {
			if err := write(path, src); err != nil {
				panic(err)
			}
		}
	}
	return r.mutants
}

package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pumice-gpu/pumice/internal/rules/proof"
)

// toyRules tries the rules of the second toy.
func toyRules(t *testing.T, change func(*ruleConfig)) *RulesResult {
	t.Helper()
	res, err := runRules(toyConfig(change))
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func toyConfig(change func(*ruleConfig)) ruleConfig {
	c := ruleConfig{
		config: config{dir: "testdata/rulestoy", seed: 1, n: 20, slow: 10 * time.Second, budget: time.Minute, log: io.Discard},
		tenth:  -1, jobs: 2,
		sides: func(file string) (proof.Side, bool) {
			if strings.HasPrefix(file, "ref/") {
				return proof.Reference, true
			}
			return proof.Path, true
		},
	}
	for n := 1; n <= 9; n++ {
		c.ids = append(c.ids, fmt.Sprintf("IMG-%03d", n))
	}
	if change != nil {
		change(&c)
	}
	return c
}

func TestRules_Toy(t *testing.T) {
	res := toyRules(t, func(c *ruleConfig) { c.others = true })
	for id, want := range map[string]string{
		// x << 1 turned around, the result y gone; x + x turned around, gone.
		"IMG-001": "claims.TestTwice, path 2+0 of 2, reference 2+0 of 2",
		// x > 100 moved, turned around, as a condition true and false; 100 ± 1, the result x gone.
		// TestTwice has a small number, on which true and the contrary show.
		"IMG-002": "its tests kill none of 7 mutants on the users' path, path 0+2 of 7, reference 0+0 of 0",
		// 3 ± 1, 3 / x, gone.
		"IMG-003": "no code on the users' path cites it, path 0+0 of 0, reference 4+0 of 4",
		"IMG-004": "its tests kill none of 4 mutants on the users' path, path 0+4 of 4, reference 0+0 of 0",
		"IMG-005": "its tests reach none of 4 mutants on the users' path, path 0+4 of 4, reference 0+0 of 0",
		"IMG-006": "no code cites it, path 0+0 of 0, reference 0+0 of 0",
		// x == 70 turned around, 70 ± 1, and the result gone.
		"IMG-007": "claims.TestCheck, path 4+0 of 4, reference 0+0 of 0",
		"IMG-008": "no test claims it, path 0+0 of 0, reference 0+0 of 0",
		"IMG-009": "no code cites it, path 0+0 of 0, reference 0+0 of 0",
	} {
		r := res.Rules[id]
		got := r.By
		if !r.proven() {
			got = r.why()
		}
		for _, side := range []proof.Side{proof.Path, proof.Reference} {
			s := r.Sides[side]
			got += fmt.Sprintf(", %v %d+%d of %d", side, s.Claim, s.Other, s.Sampled)
			if n := s.Claim + s.Other + len(s.Survived); n != s.Sampled {
				t.Errorf("%s: %d outcomes of %d mutants", id, n, s.Sampled)
			}
		}
		if got != want {
			t.Errorf("%s: %s\nwant %s\n%v", id, got, want, r.Sides)
		}
	}
}

// Without the packages' other tests only those that claim other rules run on what is left.
func TestRules_OtherClaimsOnly(t *testing.T) {
	res := toyRules(t, nil)
	if s := res.Rules["IMG-004"].Sides[proof.Path]; s.Other != 0 || len(s.Survived) != 4 {
		t.Errorf("IMG-004: %+v", s)
	}
	if s := res.Rules["IMG-002"].Sides[proof.Path]; s.Other != 2 {
		t.Errorf("IMG-002: %+v", s)
	}
}

// A sample of a rule is the same alone and among others; the quick run stops at the
// first that a claiming test kills, on the users' path.
func TestRules_QuickShare(t *testing.T) {
	two := toyRules(t, func(c *ruleConfig) { c.n = 2 })
	one := toyRules(t, func(c *ruleConfig) { c.n, c.tenth = 2, 4 })
	if ids := slices.Sorted(maps.Keys(one.Rules)); !slices.Equal(ids, []string{"IMG-004"}) {
		t.Fatalf("the share of 4 is %v", ids)
	}
	if a, b := two.Rules["IMG-004"].Sides[0], one.Rules["IMG-004"].Sides[0]; a.Sampled != 2 || !slices.Equal(a.Survived, b.Survived) {
		t.Errorf("among others %v, alone %v", a, b)
	}
	quick := toyRules(t, func(c *ruleConfig) { c.quick = true }).Rules["IMG-001"]
	if quick.By != "claims.TestTwice" || quick.Sides[proof.Path].Claim != 1 || quick.Sides[proof.Reference].Sampled != 0 {
		t.Errorf("quick: %+v", quick)
	}
}

// What is written to the ledger is held against later runs, and rules that have not
// changed are not tried again.
func TestRules_Ledger(t *testing.T) {
	res := toyRules(t, nil)
	ids := slices.Sorted(maps.Keys(res.Rules))
	path := filepath.Join(t.TempDir(), "ledger.txt")
	if err := proof.WriteLedger(path, res.entries(ids, nil)); err != nil {
		t.Fatal(err)
	}
	ledger, err := proof.ReadLedger(path)
	if err != nil {
		t.Fatal(err)
	}
	if e := ledger["IMG-001"]; !e.Proven || e.Note != "claims.TestTwice" || e.Code != res.Rules["IMG-001"].Code {
		t.Errorf("IMG-001: %+v", e)
	}
	if e := ledger["IMG-003"]; e.Proven || e.Note != "no code on the users' path cites it" {
		t.Errorf("IMG-003: %+v", e)
	}
	if err := res.lost(ids, ledger); err != nil {
		t.Error(err)
	}
	res.Rules["IMG-001"].By = "" // a test that has gone blind
	if err := res.lost(ids, ledger); err == nil || !strings.Contains(err.Error(), "IMG-001 is proven no more, as it was by claims.TestTwice") {
		t.Errorf("lost: %v", err)
	}

	e := ledger["IMG-007"]
	e.Code = "00000000"
	ledger["IMG-007"] = e
	changed := toyRules(t, func(c *ruleConfig) { c.changed, c.ledger = true, ledger })
	if got := slices.Sorted(maps.Keys(changed.Rules)); !slices.Equal(got, []string{"IMG-007"}) {
		t.Errorf("changed are %v", got)
	}
	delete(res.Rules, "IMG-001")
	rest := toyRules(t, func(c *ruleConfig) { c.done = res })
	if got := slices.Sorted(maps.Keys(rest.Rules)); !slices.Equal(got, []string{"IMG-001"}) {
		t.Errorf("not done are %v", got)
	}
	if all := rest.over(res); len(all.Rules) != len(ids) {
		t.Errorf("together %d", len(all.Rules))
	}
}

// What is told to be equivalent is no survivor; who fails on it, or is gone, is told.
func TestRules_Equivalent(t *testing.T) {
	const file, line = "conformance/_mutate/testdata/rulestoy/path/path.go", "func Loose(x int) int { return x - 1 }"
	list := filepath.Join(t.TempDir(), "list.txt")
	write := func(text string) equivalents {
		t.Helper()
		if err := os.WriteFile(list, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		told, err := readEquivalents(list)
		if err != nil {
			t.Fatal(err)
		}
		return told
	}
	told := write("# why\n\n" + file + ":36 1 → 1 + 1 @ " + line + "\n" + file + ":36 1 → 1 - 1 @ " + line + "\n    nobody looks\n")
	if len(told) != 2 || told[file+":36 1 → 1 - 1 @ "+line] != "nobody looks" {
		t.Fatalf("%v", told)
	}
	res := toyRules(t, func(c *ruleConfig) { c.told = told })
	if s := res.Rules["IMG-004"].Sides[proof.Path]; s.Equivalent != 2 || s.Claim+s.Other != 0 || len(s.Survived) != 2 {
		t.Errorf("%+v", s)
	}
	if !strings.Contains(res.sums(), "| IMG | 9 | 2 | 2 | path | 5 | 21 | 6 | 2 | 4 | 9 |\n") {
		t.Error(res.sums())
	}
	for text, want := range map[string]string{
		file + ":36 1 → 1 + 2 @ " + line + "\n  x\n":     "path.go:36 1 → 1 + 2 @ func Loose(x int) int { return x - 1 }, and no such mutant is there",
		file + ":7 x << 1 → x >> 1 @ y := x << 1\n  x\n": "path.go:6:7 x << 1 → x >> 1 is told to be equivalent in " + equivalentFile + ", and claims.TestTwice fails on it",
	} {
		_, err := runRules(toyConfig(func(c *ruleConfig) { c.told = write(text) }))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for _, bad := range []string{"  x\n", "a\n", "a\na\n  x\n"} {
		if err := os.WriteFile(list, []byte(bad), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := readEquivalents(list); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}

// The mutants that are told to be equivalent are there.
func TestEquivalents_AreThere(t *testing.T) {
	root, err := moduleDir()
	if err != nil {
		t.Fatal(err)
	}
	told, err := readEquivalents(filepath.Join(root, filepath.FromSlash(equivalentFile)))
	if err != nil {
		t.Fatal(err)
	}
	folders := map[string]bool{}
	for name := range told {
		folders["./"+name[:strings.LastIndexByte(name[:strings.IndexByte(name, ':')], '/')]] = true
	}
	pkgs, err := load(root, sorted(folders)...)
	if err != nil {
		t.Fatal(err)
	}
	var mutants []Mutant
	for _, p := range pkgs {
		mutants = append(mutants, p.mutate(nil, func(int) bool { return false }, nil)...)
	}
	if _, err := told.find(pkgs, mutants); err != nil {
		t.Error(err)
	}
	// Files of packages that a run leaves alone are not looked at; one that is there no more is missed by every run.
	few := pkgs[0].mutate(nil, func(int) bool { return false }, nil)
	if _, err := told.find(pkgs[:1], few); err != nil {
		t.Error(err)
	}
	told["internal/none.go:1 x → y @ x"] = "gone"
	if _, err := told.find(pkgs[:1], few); err == nil || !strings.Contains(err.Error(), "internal/none.go") {
		t.Errorf("a file that is gone: %v", err)
	}
}

// The page's part between the marks is written anew, and the rest stays.
func TestRules_Page(t *testing.T) {
	res := toyRules(t, func(c *ruleConfig) { c.tenth = 1 })
	path := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(path, []byte("before\n"+pageFrom+"old\n"+pageTo+"after\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := writePage(path, res, []string{"IMG-001"}); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"before\n", "after\n", "| IMG-001 | 1 | 1, 2 | 2 + 0 / 2 | 1, 2 | 2 + 0 / 2 |  |\n", "| IMG | 1 | 1 | 1 | path | 1 | 2 | 2 | 0 | 0 | 0 |\n"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("lacks %q:\n%s", want, page)
		}
	}
	if strings.Contains(string(page), "old") {
		t.Error("the old part is still there")
	}
}

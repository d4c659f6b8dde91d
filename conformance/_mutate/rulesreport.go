package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/internal/rules/proof"
)

// ruleOptions are the flags for rules' own mutants.
type ruleOptions struct {
	on, changed, quick, others, alone, update, check, page bool
	only                                                   string
	tenth, jobs                                            int
	last                                                   time.Duration
	sample                                                 int
}

func ruleFlags() *ruleOptions {
	o := new(ruleOptions)
	flag.BoolVar(&o.on, "rules", false, "try the mutants of each rule's own code: -n a rule and side (6 unless told)")
	flag.StringVar(&o.only, "only", "", "with -rules: only rules that match this expression")
	flag.IntVar(&o.tenth, "tenth", -1, "with -rules: only rules whose numbers end in this digit")
	flag.BoolVar(&o.changed, "changed", false, "with -rules: only proven rules whose code has changed since, and rules that the ledger lacks")
	flag.BoolVar(&o.quick, "quick", false, "with -rules: only mutants on the users' path, until a test that claims the rule kills one")
	flag.BoolVar(&o.others, "others", false, "with -rules: what claiming tests leave goes to all tests of the packages, not only to those that claim other rules")
	flag.BoolVar(&o.alone, "alone", false, "with -rules: only tests that claim the rule are run, which takes minutes for all; what they leave counts as survived")
	flag.BoolVar(&o.update, "update", false, "with -rules: write the outcome, with what is in the file of -o, to "+proof.LedgerFile)
	flag.BoolVar(&o.check, "check", false, "with -rules: fail where a rule that is proven in "+proof.LedgerFile+" is so no more")
	flag.IntVar(&o.jobs, "jobs", 2, "with -rules: how many tests run at a time")
	flag.DurationVar(&o.last, "for", 0, "with -rules: start no rule later than this after the first; rules in the file of -o that have not changed since are not tried again")
	flag.BoolVar(&o.page, "page", false, "with -rules: write "+pageFile+" from the file of -o, and try nothing")
	flag.IntVar(&o.sample, "sample", 1000, "with -rules -corners: how many corners are drawn over all rules")
	return o
}

// start tries rules and writes what came of it.
func (o *ruleOptions) start(base config, out string) (err error) {
	c := ruleConfig{config: base, tenth: o.tenth, sides: proof.SideOf, cases: true, changed: o.changed, quick: o.quick, others: o.others, alone: o.alone, jobs: max(o.jobs, 1), last: o.last}
	for _, prefix := range catalogues {
		c.ids = append(c.ids, rules.All(prefix)...)
	}
	if c.dir, err = moduleDir(); err != nil {
		return err
	}
	if c.n == 0 {
		c.n = 6
	}
	if o.only != "" {
		if c.only, err = regexp.Compile(o.only); err != nil {
			return err
		}
	}
	if c.told, err = readEquivalents(filepath.Join(c.dir, filepath.FromSlash(equivalentFile))); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if c.family == byCorner {
		c.engines, c.engineTests = engines, engineTests
		return o.corners(c, out)
	}
	if out != "" {
		if c.done, err = readRules(out); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if d := c.done; d != nil && (d.N != c.n || d.Seed != c.seed || d.Short != c.short || d.Alone != c.alone) && !o.page {
		return fmt.Errorf("%s has another sample: -n %d, -seed %d, -short=%v, -alone=%v", out, d.N, d.Seed, d.Short, d.Alone)
	}
	if o.page {
		return writePage(filepath.Join(c.dir, filepath.FromSlash(pageFile)), c.done, c.ids)
	}
	path := filepath.Join(c.dir, filepath.FromSlash(proof.LedgerFile))
	if c.ledger, err = proof.ReadLedger(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	res, mistaken := runRules(c)
	if res == nil {
		return mistaken
	}
	res.print(os.Stdout, c.ids)
	all := res.over(c.done)
	if o.update {
		if err := proof.WriteLedger(path, all.entries(c.ids, c.ledger)); err != nil {
			return err
		}
	}
	if out != "" && !o.quick {
		data, err := json.MarshalIndent(all, "", "\t")
		if err != nil {
			return err
		}
		if err := os.WriteFile(out, data, 0o666); err != nil {
			return err
		}
	}
	if o.check {
		mistaken = errors.Join(mistaken, res.lost(c.ids, c.ledger))
	}
	return mistaken
}

// over returns an earlier result with this one's rules in their place.
func (res *RulesResult) over(old *RulesResult) *RulesResult {
	all := &RulesResult{Alone: res.Alone, Seed: res.Seed, N: res.N, Short: res.Short, Rules: map[string]*RuleResult{}}
	if old != nil {
		maps.Copy(all.Rules, old.Rules)
	}
	maps.Copy(all.Rules, res.Rules)
	return all
}

// entries returns the ledger with what the result says.
func (res *RulesResult) entries(ids []string, old map[string]proof.Entry) map[string]proof.Entry {
	out := map[string]proof.Entry{}
	for _, id := range ids {
		rule := res.Rules[id]
		e, known := old[id]
		switch {
		case rule != nil && rule.proven():
			e = proof.Entry{Rule: id, Proven: true, Code: rule.Code, Note: rule.By}
		case rule != nil:
			e = proof.Entry{Rule: id, Code: rule.Code, Note: rule.why()}
		case !known:
			e = proof.Entry{Rule: id, Code: proof.Hash(nil), Note: "not tried yet"}
		}
		out[id] = e
	}
	return out
}

// lost is an error where rules were proven and are not so in the result.
func (res *RulesResult) lost(ids []string, ledger map[string]proof.Entry) error {
	var all []error
	for _, id := range ids {
		if rule := res.Rules[id]; rule != nil && ledger[id].Proven && !rule.proven() {
			all = append(all, fmt.Errorf("%s is proven no more, as it was by %s: %s", id, ledger[id].Note, rule.why()))
		}
	}
	return errors.Join(all...)
}

// print prints a line a rule that is not proven, and sums.
func (res *RulesResult) print(w io.Writer, ids []string) {
	for _, id := range ids {
		if rule := res.Rules[id]; rule != nil && !rule.proven() {
			fmt.Fprintf(w, "%s not covered: %s\n", id, rule.why())
		}
	}
	fmt.Fprint(w, res.sums())
}

// catalogues are the rules of both chapters and their corner cases.
var catalogues = []string{"IMG", "RAS", "TC", "RC"}

// sums are a table of all rules together, a line a catalogue and side.
func (res *RulesResult) sums() string {
	var out strings.Builder
	out.WriteString("| catalogue | rules | proven | all sampled mutants killed | side | with code that cites them | mutants sampled | killed by a claiming test | by another | equivalent | survived |\n|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, prefix := range catalogues {
		rules, proven, whole := 0, 0, 0
		var with [2]int
		var sum [2]SideResult
		for id, rule := range res.Rules {
			if !strings.HasPrefix(id, prefix) {
				continue
			}
			rules++
			left := 0
			for side, s := range rule.Sides {
				if s.Mutants > 0 {
					with[side]++
				}
				sum[side].Sampled += s.Sampled
				sum[side].Claim += s.Claim
				sum[side].Other += s.Other
				sum[side].Equivalent += s.Equivalent
				sum[side].Survived = append(sum[side].Survived, s.Survived...)
				left += len(s.Survived)
			}
			if rule.proven() {
				proven++
				if left == 0 {
					whole++
				}
			}
		}
		for _, side := range []proof.Side{proof.Path, proof.Reference} {
			s := sum[side]
			fmt.Fprintf(&out, "| %s | %d | %d | %d | %v | %d | %d | %d | %d | %d | %d |\n", prefix, rules, proven, whole, side, with[side], s.Sampled, s.Claim, s.Other, s.Equivalent, len(s.Survived))
		}
	}
	return out.String()
}

// pageFile holds the tables of results, below the module's root.
const pageFile = "conformance/testdata/mutants.md"

// The marks that the generated part of the page stands between.
const pageFrom, pageTo = "<!-- rules: written by go run ./conformance/_mutate -rules -page -->\n", "<!-- /rules -->\n"

// writePage writes the generated part of a page.
func writePage(path string, res *RulesResult, ids []string) error {
	if res == nil {
		return fmt.Errorf("-page takes a result with -o")
	}
	var out strings.Builder
	res.markdown(&out, ids)
	return replaceBetween(path, pageFrom, pageTo, out.String())
}

// replaceBetween writes what stands between two marks of a file anew.
func replaceBetween(path, from, to, text string) error {
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, ok := bytes.Cut(page, []byte(from))
	_, after, ok2 := bytes.Cut(rest, []byte(to))
	if !ok || !ok2 {
		return fmt.Errorf("%s lacks the marks %q and %q", path, from, to)
	}
	return os.WriteFile(path, slices.Concat(before, []byte(from+text+to), after), 0o666)
}

// markdown writes sums and a row a rule that was tried.
func (res *RulesResult) markdown(w io.Writer, ids []string) {
	short := ""
	if res.Short {
		short = ", tests with `-short`"
	}
	if res.Alone {
		short += "; only tests that claim the rule were run, so what others kill is among what survived"
	}
	fmt.Fprintf(w, "%d of %d rules and corner cases were tried, with up to %d mutants a rule and side, seed %d%s.\n\n%s\n", len(res.Rules), len(ids), res.N, res.Seed, short, res.sums())
	fmt.Fprint(w, "| rule | tests | path: places, mutants | claim + other / sampled | reference: places, mutants | claim + other / sampled | not proven, because |\n|---|---|---|---|---|---|---|\n")
	for _, id := range ids {
		rule := res.Rules[id]
		if rule == nil {
			continue
		}
		row := []string{id, fmt.Sprint(len(rule.Claims))}
		for _, side := range []proof.Side{proof.Path, proof.Reference} {
			s := rule.Sides[side]
			if s.Places == 0 {
				row = append(row, "", "")
				continue
			}
			row = append(row, fmt.Sprintf("%d, %d", s.Places, s.Mutants), fmt.Sprintf("%d + %d / %d", s.Claim, s.Other, s.Sampled))
		}
		why := ""
		if !rule.proven() {
			why = rule.why()
		}
		fmt.Fprintf(w, "| %s |\n", strings.Join(append(row, why), " | "))
	}
}

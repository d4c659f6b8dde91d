package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pumice-gpu/pumice/internal/rules/proof"
)

// A ruleConfig says which rules are tried, and how.
type ruleConfig struct {
	config
	ids    []string // all rules
	cases  bool     // corner cases are among them
	only   *regexp.Regexp
	tenth  int // 0 to 9: rules whose numbers have this last digit; -1 for all
	sides  func(file string) (proof.Side, bool)
	ledger map[string]proof.Entry
	told   equivalents
	// changed: only proven rules whose code has changed, and those that have no entry.
	changed bool
	// quick: only mutants on the users' path, until a claiming test kills one.
	quick   bool
	others  bool // run all tests of the packages, not only those that claim rules
	alone   bool // run no tests but those that claim the rule: what these leave has survived
	jobs    int
	engines []string // folders of code that carries out programs: corners are drawn of it, too
	// engineTests are tests that claim those corners beside all that claim a rule.
	engineTests []string
	last        time.Duration // how long to start rules, 0 for as long as it takes
	done        *RulesResult
}

// A RulesResult is what became of rules' own mutants.
type RulesResult struct {
	Alone bool `json:",omitempty"` // only tests that claim the rule were run
	Seed  uint64
	N     int // mutants a rule and side
	Short bool
	Rules map[string]*RuleResult
}

// A RuleResult is what became of one rule's mutants.
type RuleResult struct {
	Code   string        // proof.Hash of its places
	Claims []string      // tests that claim it
	Left   []string      `json:",omitempty"` // of those, the ones that took no part
	By     string        `json:",omitempty"` // the first of them that killed a mutant on the users' path
	Sides  [2]SideResult // by proof.Side
	places map[proof.Side][]proof.Place
}

// A SideResult is what became of the mutants on one side.
type SideResult struct {
	Places, Mutants, Sampled int
	Claim, Other             int      // killed by a test that claims the rule, by another
	Equivalent               int      // alive, and told to be equivalent
	Reached                  int      // of the sample, by a test that claims the rule
	Survived                 []string `json:",omitempty"`
	Others                   []string `json:",omitempty"` // what others killed, and the first of those tests
}

// proven says whether a claiming test killed a mutant on the users' path.
func (r *RuleResult) proven() bool { return r.By != "" }

// why says why a rule is not proven.
func (r *RuleResult) why() string {
	path, ref := &r.Sides[proof.Path], &r.Sides[proof.Reference]
	left := ""
	if len(r.Left) > 0 {
		left = fmt.Sprintf("; %d left out", len(r.Left))
	}
	switch {
	case len(r.Claims) == 0:
		return "no test claims it"
	case path.Places+ref.Places == 0:
		return "no code cites it"
	case path.Places == 0:
		return "no code on the users' path cites it"
	case path.Mutants == 0:
		return "the code that cites it has nothing to change"
	case path.Sampled == 0:
		return "not tried yet"
	case path.Reached == 0:
		return fmt.Sprintf("its tests reach none of %d mutants on the users' path%s", path.Sampled, left)
	case ref.Claim > 0:
		return fmt.Sprintf("its tests kill mutants of the reference, and none of %d on the users' path%s", path.Sampled, left)
	}
	return fmt.Sprintf("its tests kill none of %d mutants on the users' path%s", path.Sampled, left)
}

// A ruleRun tries rules.
type ruleRun struct {
	ruleConfig
	res      *RulesResult
	mutants  []Mutant
	sample   map[string]*[2][]int // a rule's mutants, by side
	binaries map[string]*binary   // by folder
	tests    map[string]*test     // by "folder.TestName"
	of       map[*test]*binary
	left     map[string]string // tests that take no part, and why
	equal    map[int]bool      // of mutants: those that are told to be equivalent

	mu     sync.Mutex
	passed map[trial]bool // false: the test kills the mutant
	kills  map[int][]*test
	wrong  map[int]*test // killed, though told to be equivalent
}

// A trial is a test on a mutant.
type trial struct {
	mutant int
	test   *test
}

func newRuleRun(c ruleConfig) *ruleRun {
	return &ruleRun{
		ruleConfig: c, res: &RulesResult{Alone: c.alone, Seed: c.seed, N: c.n, Short: c.short, Rules: map[string]*RuleResult{}},
		sample: map[string]*[2][]int{}, binaries: map[string]*binary{}, tests: map[string]*test{}, of: map[*test]*binary{},
		left: map[string]string{}, passed: map[trial]bool{}, kills: map[int][]*test{}, wrong: map[int]*test{},
	}
}

// runRules tries the rules that c chooses.
func runRules(c ruleConfig) (*RulesResult, error) {
	work, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	root, err := filepath.Abs(c.dir)
	if err != nil {
		return nil, err
	}
	c.dir = root
	claims, errs := proof.Claims(root)
	if len(errs) > 0 {
		return nil, errs[0]
	}
	places, err := proof.Places(root, c.sides)
	if err != nil {
		return nil, err
	}
	if c.cases {
		if err := proof.AddCases(root, places); err != nil {
			return nil, err
		}
	}
	r := newRuleRun(c)
	all, todo := map[string]*RuleResult{}, []string(nil)
	for _, id := range c.ids {
		rule := &RuleResult{Code: proof.Hash(places[id]), Claims: claims[id], places: map[proof.Side][]proof.Place{}}
		for _, p := range places[id] {
			rule.places[p.Side] = append(rule.places[p.Side], p)
			rule.Sides[p.Side].Places++
		}
		if all[id] = rule; r.wanted(id, rule) {
			r.res.Rules[id] = rule
			todo = append(todo, id)
		}
	}
	pkgs, err := r.loadCited(all)
	if err != nil {
		return nil, err
	}
	if len(pkgs) == 0 {
		return r.res, nil
	}
	if r.equal, err = c.told.find(pkgs, r.mutants); err != nil {
		return nil, err
	}
	// The samples of all rules are compiled in, though some are tried: runs over
	// different rules find what they compile in Go's cache.
	r.choose(all, pkgs, places)
	if err := r.buildAll(pkgs, work); err != nil {
		return nil, err
	}
	rand.New(rand.NewPCG(c.seed, 1)).Shuffle(len(todo), func(i, j int) { todo[i], todo[j] = todo[j], todo[i] })
	r.tryAll(todo)
	return r.res, r.mistaken()
}

// wanted says whether a rule is to be tried.
func (r *ruleRun) wanted(id string, rule *RuleResult) bool {
	e, known := r.ledger[id]
	switch {
	case r.only != nil && !r.only.MatchString(id),
		r.tenth >= 0 && id[len(id)-1] != byte('0'+r.tenth),
		r.changed && known && (!e.Proven || e.Code == rule.Code):
		return false
	case r.done == nil:
		return true
	}
	old := r.done.Rules[id]
	return old == nil || old.Code != rule.Code || !slices.Equal(old.Claims, rule.Claims)
}

// loadCited loads the packages that hold places of rules, and more, and numbers all of their
// mutants.
func (r *ruleRun) loadCited(all map[string]*RuleResult, more ...string) ([]*loaded, error) {
	folders := map[string]bool{}
	for _, f := range more {
		folders["./"+f] = true
	}
	for _, rule := range all {
		for _, places := range rule.places {
			for _, p := range places {
				folders["./"+filepath.ToSlash(filepath.Dir(p.File))] = true
			}
		}
	}
	if len(folders) == 0 {
		return nil, nil
	}
	pkgs, err := load(r.dir, sorted(folders)...)
	if err != nil {
		return nil, err
	}
	for _, p := range pkgs {
		p.first, p.family = len(r.mutants), r.family
		r.mutants = append(r.mutants, p.mutate(nil, func(int) bool { return false }, nil)...)
	}
	return pkgs, nil
}

func sorted[V any](m map[string]V) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// owned are the mutants in each rule's places, by side: those first that no smaller place of
// other rules holds, and all where there are none.
func (r *ruleRun) owned(rules map[string]*RuleResult, pkgs []*loaded, places map[string][]proof.Place) map[string]*[2][]int {
	type span struct {
		proof.Place
		rules map[string]bool
	}
	files := map[string][]*span{}
	for id, list := range places {
		for _, p := range list {
			i := slices.IndexFunc(files[p.File], func(s *span) bool { return s.From == p.From && s.To == p.To })
			if i < 0 {
				i = len(files[p.File])
				files[p.File] = append(files[p.File], &span{p, map[string]bool{}})
			}
			files[p.File][i].rules[id] = true
		}
	}
	own, shared := map[string]*[2][]int{}, map[string]*[2][]int{}
	for id := range rules {
		own[id], shared[id] = new([2][]int), new([2][]int)
	}
	rel := map[string]string{} // a mutant's file below root
	for _, m := range r.mutants {
		name, ok := rel[m.File]
		if !ok {
			name, _ = filepath.Rel(r.dir, filepath.Join(pkgs[0].Module.Dir, m.File))
			name = filepath.ToSlash(name)
			rel[m.File] = name
		}
		var in []*span
		for _, s := range files[name] {
			if s.From <= m.offset && m.offset < s.To {
				in = append(in, s)
			}
		}
		if len(in) == 0 {
			continue
		}
		slices.SortFunc(in, func(a, b *span) int { return cmp.Compare(a.To-a.From, b.To-b.From) })
		seen := map[string]bool{}
		for i, s := range in {
			for id := range s.rules {
				if seen[id] || own[id] == nil {
					continue
				}
				seen[id] = true
				if to := own[id]; i == 0 {
					to[s.Side] = append(to[s.Side], m.ID)
				} else {
					to := shared[id]
					to[s.Side] = append(to[s.Side], m.ID)
				}
			}
		}
	}
	for id, lists := range own {
		for side := range lists {
			if len(lists[side]) == 0 {
				lists[side] = shared[id][side]
			}
		}
	}
	return own
}

// choose takes each rule's sample. It depends on nothing but the seed, the rule's number
// and its code.
func (r *ruleRun) choose(rules map[string]*RuleResult, pkgs []*loaded, places map[string][]proof.Place) {
	lists := r.owned(rules, pkgs, places)
	for id, rule := range rules {
		h := fnv.New64a()
		h.Write([]byte(id))
		pick := new([2][]int)
		most := r.n
		if r.quick && (strings.HasPrefix(id, "TC-") || strings.HasPrefix(id, "RC-")) {
			most *= 8 // a corner case is one vector: it meets few of its rules' mutants
		}
		for side := range pick {
			all := lists[id][side]
			rule.Sides[side].Mutants = len(all)
			for i, k := range rand.New(rand.NewPCG(r.seed, h.Sum64())).Perm(len(all)) {
				if r.n == 0 || i < most {
					pick[side] = append(pick[side], all[k])
				}
			}
			rule.Sides[side].Sampled = len(pick[side])
		}
		r.sample[id] = pick
	}
}

// buildAll compiles the chosen mutants into the tests of all packages that claim the
// rules, and runs each claiming test once to see what it reaches.
func (r *ruleRun) buildAll(pkgs []*loaded, work string) error {
	chosen := map[int]bool{}
	names, folders := map[string]bool{}, map[string]bool{}
	for id, sample := range r.sample {
		for _, ids := range sample {
			for _, m := range ids {
				chosen[m] = true
			}
		}
		rule := r.res.Rules[id]
		if rule == nil || len(sample[proof.Path]) == 0 && (r.quick || len(sample[proof.Reference]) == 0) {
			continue
		}
		for _, name := range rule.Claims {
			names[name], folders[folderOf(name)] = true, true
		}
	}
	return r.compile(pkgs, work, chosen, names, folders)
}

// compile compiles mutants into the tests of folders, and runs each of some tests once.
func (r *ruleRun) compile(pkgs []*loaded, work string, chosen map[int]bool, names, folders map[string]bool) error {
	over := overlay{work: work, replace: map[string]string{}}
	for _, p := range pkgs {
		p.mutate(nil, func(id int) bool { return chosen[id] }, over.add)
	}
	if err := over.write(pkgs[0], len(r.mutants)); err != nil {
		return err
	}
	if r.others {
		for _, p := range pkgs {
			rel, err := filepath.Rel(r.dir, p.Dir)
			if err != nil {
				return err
			}
			folders[filepath.ToSlash(rel)] = true
		}
	}
	start := time.Now()
	for i, folder := range sorted(folders) {
		b, err := build(r.config, "./"+folder, over.path(), filepath.Join(work, fmt.Sprint("test", i)))
		if err != nil {
			return err
		}
		if _, err := os.Stat(b.path); err != nil {
			continue // no tests
		}
		r.binaries[folder] = b
		if !r.others {
			continue
		}
		list, err := b.list()
		if err != nil {
			return err
		}
		for _, name := range list {
			names[folder+"."+name] = true
		}
	}
	fmt.Fprintf(r.log, "%d rules, %d of %d mutants, %d packages with tests, built in %.0f s\n", len(r.ids), len(chosen), len(r.mutants), len(folders), time.Since(start).Seconds())
	start = time.Now()
	err := r.parallel(sorted(names), func(worker int, name string) error {
		folder := folderOf(name)
		b := r.binaries[folder]
		t, left, err := b.reach(r.config, name[len(folder)+1:], len(r.mutants)+1, filepath.Join(work, fmt.Sprint("reach", worker)))
		r.mu.Lock()
		defer r.mu.Unlock()
		if left != "" {
			r.left[name] = left
			fmt.Fprintln(r.log, "left out:", left)
		} else if err == nil {
			r.tests[name], r.of[t] = t, b
		}
		return err
	})
	fmt.Fprintf(r.log, "%d tests, run in %.0f s\n", len(r.tests), time.Since(start).Seconds())
	return err
}

// folderOf is the folder of a test's name, which has no point.
func folderOf(name string) string { return name[:strings.LastIndexByte(name, '.')] }

// parallel calls f for each name, from several goroutines; it returns the first error.
func (r *ruleRun) parallel(names []string, f func(worker int, name string) error) error {
	work, errs := make(chan string), make(chan error, r.jobs)
	for w := range r.jobs {
		go func() {
			var err error
			for name := range work {
				if err == nil {
					err = f(w, name)
				}
			}
			errs <- err
		}()
	}
	for _, name := range names {
		work <- name
	}
	close(work)
	var err error
	for range r.jobs {
		if e := <-errs; err == nil {
			err = e
		}
	}
	return err
}

// tryAll tries the rules, as many as there is time for. The others are left out of the result.
func (r *ruleRun) tryAll(todo []string) {
	start, last, n := time.Now(), time.Now(), 0
	r.parallel(todo, func(_ int, id string) error {
		sample := r.sample[id]
		if late := r.last > 0 && time.Since(start) > r.last; late && len(sample[0])+len(sample[1]) > 0 {
			r.mu.Lock()
			delete(r.res.Rules, id)
			r.mu.Unlock()
			return nil
		}
		r.mu.Lock()
		rule := r.res.Rules[id]
		r.mu.Unlock()
		r.try(id, rule)
		r.mu.Lock()
		defer r.mu.Unlock()
		if n++; time.Since(last) > 20*time.Second {
			last = time.Now()
			fmt.Fprintf(r.log, "%d of %d rules\n", n, len(todo))
		}
		return nil
	})
}

// try runs a rule's mutants: first the tests that claim the rule, then others.
func (r *ruleRun) try(id string, rule *RuleResult) {
	claims := map[*test]bool{}
	for _, name := range rule.Claims {
		if t := r.tests[name]; t != nil {
			claims[t] = true
		} else if why := r.left[name]; why != "" {
			rule.Left = append(rule.Left, why)
		}
	}
	sample := r.sample[id]
	if r.quick {
		sample[proof.Reference], rule.Sides[proof.Reference].Sampled = nil, 0
	}
	for side := range rule.Sides {
		s := &rule.Sides[side]
		for _, m := range sample[side] {
			by, reached := r.kill(r.mutants[m], func(t *test) bool { return claims[t] }, r.budget)
			if reached {
				s.Reached++
			}
			if by != nil {
				s.Claim++
				r.doubt(m, by)
				if proof.Side(side) == proof.Path && rule.By == "" {
					rule.By = r.name(by)
				}
				if r.quick {
					return
				}
				continue
			}
			if r.quick {
				continue
			}
			if by, _ = r.kill(r.mutants[m], func(t *test) bool { return !r.alone && !claims[t] }, r.budget); by != nil {
				s.Other++
				s.Others = append(s.Others, r.mutants[m].String()+": "+r.name(by))
				r.doubt(m, by)
			} else if r.equal[m] {
				s.Equivalent++
			} else {
				s.Survived = append(s.Survived, r.mutants[m].String())
			}
		}
	}
}

func (r *ruleRun) name(t *test) string {
	return strings.TrimPrefix(r.of[t].pkg, "./") + "." + t.name
}

// kill finds a test among those that reach a mutant that fails on it; what is known of
// other rules is not tried again.
func (r *ruleRun) kill(m Mutant, may func(*test) bool, budget time.Duration) (by *test, reached bool) {
	c := r.config
	c.budget = budget
	order := map[*binary][]*test{}
	r.mu.Lock()
	for _, t := range r.kills[m.ID] {
		if may(t) {
			r.mu.Unlock()
			return t, true
		}
	}
	for t, b := range r.of {
		if t.reach[m.Site] == 0 || !may(t) {
			continue
		}
		reached = true
		if !r.passed[trial{m.ID, t}] {
			order[b] = append(order[b], t)
		}
	}
	r.mu.Unlock()
	var binaries []*binary
	for b, tests := range order {
		slices.SortFunc(tests, func(x, y *test) int {
			return cmp.Or(cmp.Compare(x.time, y.time), strings.Compare(x.name, y.name))
		})
		binaries = append(binaries, b)
	}
	slices.SortFunc(binaries, func(x, y *binary) int {
		return cmp.Or(cmp.Compare(order[x][0].time, order[y][0].time), strings.Compare(x.pkg, y.pkg))
	})
	for _, b := range binaries {
		var o Outcome
		done := b.try(c, m, order[b], &o)
		r.mu.Lock()
		if o.killed() {
			by = done[len(done)-1]
			if i := slices.IndexFunc(done, func(t *test) bool { return t.name == o.By }); i >= 0 {
				by = done[i]
			}
			r.kills[m.ID] = append(r.kills[m.ID], by)
			r.mu.Unlock()
			return by, true
		}
		for _, t := range done {
			r.passed[trial{m.ID, t}] = true
		}
		r.mu.Unlock()
	}
	return nil, reached
}

// moduleDir is the root of the module that the present folder is in.
func moduleDir() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	return strings.TrimSpace(string(out)), err
}

func readRules(path string) (*RulesResult, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	res := new(RulesResult)
	if err := json.Unmarshal(data, res); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return res, nil
}

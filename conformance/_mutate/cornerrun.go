package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pumice-gpu/pumice/internal/rules/proof"
)

// What became of a corner, besides killed, survived and timeout.
const (
	untried    = ""
	byOther    = "killed by another" // no test that claims the rule fails on it, another does
	unmet      = "not met"           // no test that claims the rule gets where it makes a difference
	equivalent = "equivalent"        // alive, and told to be no change
)

// A Corner is a mutant of a rule's code and what became of it.
type Corner struct {
	Rule, Kind string
	File       string // below the module's root
	Line       int
	What       string
	Name       string // as Mutant.name has it
	Code       string // proof.Hash of the rule's places
	Result     string
	By         string   `json:",omitempty"` // the test that failed
	Left       []string `json:",omitempty"` // tests that claim the rule and took no part

	id     int
	claims []string
}

// A CornersResult is a sample of corners over rules, on the users' path.
type CornersResult struct {
	Seed  uint64
	N     int // that were asked for
	Short bool
	Alone bool // only tests that claim the rule were run
	// Rules is how many there are, With how many of them have corners, Mutants how many corners.
	// Engine is how many the code has that carries out programs.
	Rules, With, Mutants, Engine int
	Corners                      []Corner
}

// settled says that a corner is not to be tried again.
func (c *Corner) settled() bool { return c.Result == killed }

// hash orders what is drawn, so that other rules and other code change nothing.
func hash(seed uint64, texts ...string) uint64 {
	h := fnv.New64a()
	fmt.Fprintln(h, seed, texts)
	// The low bits of what FNV makes of short texts are no lottery.
	x := h.Sum64()
	x ^= x >> 32
	x *= 0xd6e8feb86659fd93
	return x ^ x>>32
}

// engine stands for a rule where code carries out programs, whatever they say: any test that claims a rule
// claims it too.
const engine = "engine"

// engines are the folders of such code, which cites no rules.
var engines = []string{"internal/exec/amd64", "internal/exec/native", "internal/exec/vm", "internal/ir", "internal/ir/lane"}

// engineTests are tests of what engines promise beyond the rules: that what is no program is refused, and that loops end with
// their fuel. Like tests that claim rules, they claim the engines' corners.
var engineTests = []string{
	"internal/exec/vm.TestVM_Compile_Refuses", "internal/exec/vm.TestVM_Fuel_EndlessLoop", "internal/exec/vm.TestVM_Fuel_ToTheLastInstruction",
	"internal/ir.TestAlign", "internal/ir.TestVerify_EveryNumber", "internal/ir.TestVerify_EveryOperand", "internal/ir.TestVerify_Rejects", "internal/ir.TestVerify_Trace",
}

// draw takes n corners of some rules' lists: one of each, then a second one, as long as there are some.
// Those of a rule come by turns from each kind, and none that is taken counts twice.
func (r *ruleRun) draw(rules []string, lists map[string][]int, names map[int]string, n int, taken map[int]bool) (list []Corner) {
	queues := map[string][]int{}
	for _, id := range rules {
		byKind := map[string][]int{}
		for _, m := range lists[id] {
			byKind[r.mutants[m].Kind] = append(byKind[r.mutants[m].Kind], m)
		}
		for _, l := range byKind {
			slices.SortFunc(l, func(a, b int) int {
				return cmp.Compare(hash(r.seed, id, names[a]), hash(r.seed, id, names[b]))
			})
		}
		order := sorted(byKind)
		slices.SortFunc(order, func(a, b string) int { return cmp.Compare(hash(r.seed, id, a), hash(r.seed, id, b)) })
		for left := true; left; {
			left = false
			for _, k := range order {
				if l := byKind[k]; len(l) > 0 {
					queues[id], byKind[k], left = append(queues[id], l[0]), l[1:], true
				}
			}
		}
	}
	ids := slices.Clone(rules)
	slices.SortFunc(ids, func(a, b string) int { return cmp.Compare(hash(r.seed, a), hash(r.seed, b)) })
	for again := true; again && len(list) < n; {
		again = false
		for _, id := range ids {
			q := queues[id]
			for len(q) > 0 && taken[q[0]] {
				q = q[1:]
			}
			if len(q) > 0 && len(list) < n {
				m := &r.mutants[q[0]]
				taken[q[0]], again = true, true
				list = append(list, Corner{Rule: id, Kind: m.Kind, File: m.File, Line: m.Line, What: m.What, Name: names[m.ID], id: m.ID})
				q = q[1:]
			}
			queues[id] = q
		}
	}
	return list
}

// runCorners draws n corners over the rules of c and tries them; what done says of them is kept. It calls save
// with what is known now and then.
func runCorners(c ruleConfig, n int, done *CornersResult, save func(*CornersResult) error) (*CornersResult, error) {
	work, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	if c.dir, err = filepath.Abs(c.dir); err != nil {
		return nil, err
	}
	claims, errs := proof.Claims(c.dir)
	if len(errs) > 0 {
		return nil, errs[0]
	}
	places, err := proof.Places(c.dir, c.sides)
	if err != nil {
		return nil, err
	}
	r := newRuleRun(c)
	all := map[string]*RuleResult{}
	for _, id := range c.ids {
		rule := &RuleResult{Code: proof.Hash(places[id]), Claims: claims[id], places: map[proof.Side][]proof.Place{}}
		for _, p := range places[id] {
			rule.places[p.Side] = append(rule.places[p.Side], p)
		}
		all[id] = rule
	}
	pkgs, err := r.loadCited(all, c.engines...)
	if err != nil {
		return nil, err
	}
	if len(pkgs) == 0 {
		return nil, errors.New("no code cites the rules")
	}
	all[engine] = &RuleResult{Claims: slices.Compact(slices.Sorted(func(yield func(string) bool) {
		for _, list := range append(slices.Collect(maps.Values(claims)), c.engineTests) {
			for _, name := range list {
				if !yield(name) {
					return
				}
			}
		}
	}))}
	if r.equal, err = c.told.find(pkgs, r.mutants); err != nil {
		return nil, err
	}
	res := &CornersResult{Seed: c.seed, N: n, Short: c.short, Alone: c.alone, Rules: len(c.ids)}
	lists, some := map[string][]int{}, map[int]bool{}
	for id, l := range r.owned(all, pkgs, places) {
		if len(l[proof.Path]) > 0 {
			res.With++
		}
		for _, m := range l[proof.Path] {
			some[m] = true
		}
		lists[id] = l[proof.Path]
	}
	res.Mutants = len(some)
	names, taken := mutantNames(pkgs, r.mutants), map[int]bool{}
	res.Corners = r.draw(c.ids, lists, names, n, taken)
	here, err := filepath.Rel(pkgs[0].Module.Dir, r.dir)
	if err != nil {
		return nil, err
	}
	for _, m := range r.mutants {
		in := func(folder string) bool { return path.Join(filepath.ToSlash(here), folder) == path.Dir(m.File) }
		if slices.ContainsFunc(c.engines, in) && !some[m.ID] {
			lists[engine] = append(lists[engine], m.ID)
		}
	}
	res.Engine = len(lists[engine])
	res.Corners = append(res.Corners, r.draw([]string{engine}, lists, names, n/10, taken)...)
	known := map[string]Corner{}
	if done != nil {
		for _, k := range done.Corners {
			known[k.Rule+" "+k.Name] = k
		}
	}
	chosen, tests, folders := map[int]bool{}, map[string]bool{}, map[string]bool{}
	var first, again []*Corner
	for i := range res.Corners {
		k := &res.Corners[i]
		k.Code, k.claims = all[k.Rule].Code, all[k.Rule].Claims
		old, tried := known[k.Rule+" "+k.Name]
		if tried && old.Code == k.Code {
			k.Result, k.By, k.Left = old.Result, old.By, old.Left
		}
		if k.settled() || r.only != nil && !r.only.MatchString(k.Rule) {
			continue
		}
		if k.Result == untried {
			first = append(first, k)
		} else {
			again = append(again, k)
		}
		chosen[k.id] = true
		for _, name := range k.claims {
			tests[name] = true
		}
	}
	todo := append(first, again...)
	if len(todo) == 0 {
		return res, nil
	}
	if !c.alone {
		for _, list := range claims {
			for _, name := range list {
				tests[name] = true
			}
		}
	}
	for name := range tests {
		folders[folderOf(name)] = true
	}
	if err := r.compile(pkgs, work, chosen, tests, folders); err != nil {
		return nil, err
	}
	err = r.tryCorners(todo, func() error { return save(res) })
	return res, errors.Join(err, r.mistaken())
}

// mutantNames are the names of mutants by their numbers.
func mutantNames(pkgs []*loaded, mutants []Mutant) map[int]string {
	lines, names := linesOf(pkgs), map[int]string{}
	for _, m := range mutants {
		names[m.ID] = m.name(lines[m.File])
	}
	return names
}

// tryCorners tries corners for as long as there is time: those first that were not tried before.
func (r *ruleRun) tryCorners(todo []*Corner, save func() error) error {
	start, last := time.Now(), time.Now()
	var n atomic.Int32
	numbers := make([]string, len(todo))
	for i := range todo {
		numbers[i] = fmt.Sprint(i)
	}
	err := r.parallel(numbers, func(_ int, number string) error {
		if r.last > 0 && time.Since(start) > r.last {
			return nil
		}
		i := 0
		fmt.Sscan(number, &i)
		k := *todo[i]
		r.tryCorner(&k)
		r.mu.Lock()
		defer r.mu.Unlock()
		*todo[i] = k
		if n.Add(1); time.Since(last) < 30*time.Second {
			return nil
		}
		last = time.Now()
		fmt.Fprintf(r.log, "%d of %d corners\n", n.Load(), len(todo))
		return save()
	})
	if err != nil {
		return err
	}
	return save()
}

// manyTests is the time of tests for one mutant in each package where those are hundreds.
const manyTests = 4 * time.Second

// tryCorner runs the tests that claim the corner's rule, then others.
func (r *ruleRun) tryCorner(k *Corner) {
	claims := map[*test]bool{}
	k.Left, k.By = nil, ""
	for _, name := range k.claims {
		if t := r.tests[name]; t != nil {
			claims[t] = true
		} else if why := r.left[name]; why != "" {
			k.Left = append(k.Left, why)
		}
	}
	budget := r.budget
	if k.Rule == engine {
		budget = min(budget, manyTests)
	}
	by, reached := r.kill(r.mutants[k.id], func(t *test) bool { return claims[t] }, budget)
	switch {
	case by != nil:
		k.Result = killed
	case reached:
		k.Result = survived
	default:
		k.Result = unmet
	}
	if by == nil && r.equal[k.id] {
		k.Result = equivalent
	}
	if by == nil && !r.alone {
		if by, _ = r.kill(r.mutants[k.id], func(t *test) bool { return !claims[t] }, min(r.budget, manyTests)); by != nil {
			k.Result = byOther
		}
	}
	if by != nil {
		k.By = r.name(by)
		r.doubt(k.id, by)
	}
}

// tell counts what is alive and was told to be no change since as equivalent.
func (res *CornersResult) tell(told equivalents) {
	if res == nil {
		return
	}
	for i := range res.Corners {
		if k := &res.Corners[i]; (k.Result == survived || k.Result == unmet) && told[k.Name] != "" {
			k.Result = equivalent
		}
	}
}

// corners is what the flags -rules -corners do.
func (o *ruleOptions) corners(c ruleConfig, out string) error {
	var done *CornersResult
	if out != "" {
		data, err := os.ReadFile(out)
		if err == nil {
			done = new(CornersResult)
			err = json.Unmarshal(data, done)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if done != nil && (done.Seed != c.seed || done.N != o.sample || done.Short != c.short) {
		return fmt.Errorf("%s has another sample: -sample %d, -seed %d, -short=%v", out, done.N, done.Seed, done.Short)
	}
	if o.page {
		if done != nil {
			done.tell(c.told)
		}
		page, table := filepath.FromSlash(pageFile), filepath.FromSlash(cornersFile)
		return writeCorners(filepath.Join(c.dir, page), filepath.Join(c.dir, table), done)
	}
	c.ids = slices.DeleteFunc(c.ids, func(id string) bool { return strings.HasPrefix(id, "TC-") || strings.HasPrefix(id, "RC-") })
	save := func(res *CornersResult) error {
		if out == "" {
			return nil
		}
		data, err := json.MarshalIndent(res, "", "\t")
		if err != nil {
			return err
		}
		if err := os.WriteFile(out+".new", data, 0o666); err != nil {
			return err
		}
		return os.Rename(out+".new", out)
	}
	res, err := runCorners(c, o.sample, done, save)
	if res == nil {
		return err
	}
	res.print(os.Stdout)
	return errors.Join(err, save(res))
}

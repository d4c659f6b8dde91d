package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"time"
)

// What became of a mutant.
const (
	unreached = "not reached"
	survived  = "survived"
	killed    = "killed"
	timeout   = "timeout"
)

// An Outcome is a mutant and what became of it.
type Outcome struct {
	Mutant
	Key    string `json:"key"`
	Result string `json:"result"`
	By     string `json:"by,omitempty"` // the first test that failed
}

func (o Outcome) killed() bool { return o.Result == killed || o.Result == timeout }

// A Result is a run over one package.
type Result struct {
	Package  string
	Mutants  int // that the package has
	Seed     uint64
	Left     []string // tests that took no part
	Outcomes []Outcome
}

// try runs a package's tests on all mutants that are still alive.
func (res *Result) try(c config, b *binary) {
	last := time.Now()
	for i := range res.Outcomes {
		o := &res.Outcomes[i]
		if o.killed() {
			continue
		}
		b.kill(c, o.Mutant, o)
		if !o.killed() {
			fmt.Fprintln(c.log, o.Mutant, o.Result)
		}
		if time.Since(last) > 20*time.Second {
			last = time.Now()
			fmt.Fprintf(c.log, "%s: %d of %d, %s\n", b.pkg, i+1, len(res.Outcomes), res.line())
		}
	}
}

func (res *Result) count(result string) (n int) {
	for _, o := range res.Outcomes {
		if o.Result == result {
			n++
		}
	}
	return n
}

func (res *Result) line() string {
	return fmt.Sprintf("killed %d, timeout %d, survived %d, not reached %d", res.count(killed), res.count(timeout), res.count(survived), res.count(unreached))
}

// share is the part of the sample that was killed and, for a sample that isn't
// everything, half the width of its 95 % interval (Wilson's, finite population).
func (res *Result) share() (p, half float64) {
	n := float64(len(res.Outcomes))
	if n == 0 {
		return 0, 0
	}
	p = float64(res.count(killed)+res.count(timeout)) / n
	if all := float64(res.Mutants); n < all {
		const z = 1.96
		half = z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n)) * math.Sqrt((all-n)/(all-1))
	}
	return p, half
}

func (res *Result) row() string {
	p, half := res.share()
	interval := ""
	if half > 0 {
		interval = fmt.Sprintf(" ± %.1f", 100*half)
	}
	_, name, _ := strings.Cut(res.Package, "internal/")
	return fmt.Sprintf("| %s | %d | %d | %d | %d | %d | %d | %.1f%s |", name, res.Mutants, len(res.Outcomes),
		len(res.Outcomes)-res.count(unreached), res.count(killed), res.count(timeout), res.count(survived)+res.count(unreached), 100*p, interval)
}

const head = `| package | mutants | sampled | reached | killed | timeout | survived | killed, % |
|---|---|---|---|---|---|---|---|`

func (res *Result) print(w io.Writer, reasons bool) {
	for _, o := range res.Outcomes {
		if o.killed() {
			continue
		}
		note := ""
		if o.Result == unreached {
			note = " (not reached)"
		}
		fmt.Fprintf(w, "%v%s\n", o.Mutant, note)
	}
	for _, l := range res.Left {
		fmt.Fprintln(w, "left out:", l)
	}
	fmt.Fprintln(w, head)
	fmt.Fprintln(w, res.row())
}

func readResult(path string) (*Result, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	res := new(Result)
	if err := json.Unmarshal(data, res); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return res, nil
}

// printReport prints the table of some results and lists who survived.
func printReport(w io.Writer, paths []string) error {
	var all []*Result
	fmt.Fprintln(w, head)
	for _, p := range paths {
		res, err := readResult(p)
		if err != nil {
			return err
		}
		all = append(all, res)
		fmt.Fprintln(w, res.row())
	}
	for _, res := range all {
		_, name, _ := strings.Cut(res.Package, "internal/")
		fmt.Fprintf(w, "\n### %s\n\n", name)
		for _, o := range res.Outcomes {
			if o.killed() {
				continue
			}
			note := ""
			if o.Result == unreached {
				note = " (not reached)"
			}
			fmt.Fprintf(w, "- %s:%d `%s`%s\n", strings.TrimPrefix(o.File, "internal/"), o.Line, o.What, note)
		}
	}
	return nil
}

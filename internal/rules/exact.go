package rules

import (
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"testing"
)

// recordTo names the environment variable with the file that measurements are
// appended to. Where it is set, tests try as many cases as the table in
// docs/exactness.md stands for; conformance/_exactness sets it.
const recordTo = "PUMICE_EXACTNESS"

// Row is a row of docs/exactness.md: how far the device is from the exact oracle in
// one numeric rule.
type Row struct {
	Part  string  // of the pipeline: a heading of the table
	Rules string  // the rules of the catalogue
	What  string  // the quantity
	Unit  string  // of Bound and Worst
	Bound float64 // what the derivation allows
	Why   string  // the derivation
	Worst float64 // the largest error seen
	At    string  // where it was seen
	Cases int     // how many comparisons were made
}

// Exactness measures one row. Its methods may be called from several goroutines.
type Exactness struct {
	mu  sync.Mutex
	row Row
}

// Measure starts a row; Worst, At and Cases are filled by Add.
func Measure(r Row) *Exactness { return &Exactness{row: r} }

// Add takes the error of one comparison, in the row's unit. at describes the case;
// it is called for the worst so far only, and may be nil.
func (e *Exactness) Add(err float64, at func() string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.row.Cases++
	if err <= e.row.Worst {
		return
	}
	e.row.Worst = err // a NaN comes here too, and stays
	e.row.At = ""
	if at != nil {
		e.row.At = at()
	}
}

// Done fails the test if an error was beyond the bound, or if there were fewer
// comparisons than atLeast, and records the row where that is asked for.
func (e *Exactness) Done(t testing.TB, atLeast int) {
	t.Helper()
	r := &e.row
	if !(r.Worst <= r.Bound) {
		t.Errorf("%s, %s: off by %g %s, the bound is %g; %s", r.Rules, r.What, r.Worst, r.Unit, r.Bound, r.At)
	}
	if r.Cases < atLeast {
		t.Errorf("%s, %s: %d comparisons only, want %d", r.Rules, r.What, r.Cases, atLeast)
	}
	path := os.Getenv(recordTo)
	if path == "" || t.Failed() {
		return
	}
	if err := record(path, r); err != nil {
		t.Error(err)
	}
}

func record(path string, r *Row) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return fmt.Errorf("rules: %s: %w", recordTo, err)
	}
	b, err := json.Marshal(r)
	if err == nil {
		_, err = f.Write(append(b, '\n'))
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return fmt.Errorf("rules: %s: %w", recordTo, err)
	}
	return nil
}

// Cases is how many random cases a test tries: few, or many where the rows are
// recorded, or a tenth of few with -short.
func Cases(few, many int) int {
	switch {
	case os.Getenv(recordTo) != "":
		return many
	case testing.Short():
		return max(few/10, 1)
	}
	return few
}

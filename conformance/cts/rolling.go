package main

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// shareOf is the share, from 0, that a case is in of a list cut into shares. It
// depends on the name alone (its FNV-1a hash), so that no case changes its share when the list grows.
func shareOf(name string, shares int) int {
	h := fnv.New64a()
	io.WriteString(h, name) // never fails
	return int(h.Sum64() % uint64(shares))
}

// maxShares bounds -rolling: one share for each case of the longest list is more than enough.
const maxShares = 1 << 20

// rolling is a run of one share of a list, with what earlier runs know of the whole.
type rolling struct {
	history *history
	unlock  func()
	all     []string // the list
	run     int      // this run's number in the history
	share   int      // from 0
}

// errOtherRunner says that the history is in use.
var errOtherRunner = errors.New("another runner has this history open; wait for its end or use another file")

// startRolling opens the history and chooses the share that is next: the one that an earlier
// run did not finish, or the first behind the last one that holds any case. The caller must call unlock.
func (o *options) startRolling(all []string) (r *rolling, err error) {
	tree := o.tree
	if tree == "" {
		if tree, err = treeOf(o.icd); err != nil {
			return nil, err
		}
	}
	unlock, err := lockFile(o.history + ".lock")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.history, err)
	}
	defer func() {
		if err != nil {
			unlock()
		}
	}()
	h, err := readHistory(o.history, historyHeader{Cases: o.cases, List: o.list, Shares: o.rolling})
	if err != nil {
		return nil, err
	}
	if o.forget != "" {
		if n := h.forget(strings.Split(o.forget, ",")); n == 0 {
			return nil, fmt.Errorf("-forget %s: no case of %s that matches has passed", o.forget, o.history)
		}
	}
	filled := make([]bool, o.rolling)
	for _, name := range all {
		filled[shareOf(name, o.rolling)] = true
	}
	for !filled[h.head.Next] { // all is not empty
		h.advance()
	}
	r = &rolling{history: h, unlock: unlock, all: all, share: h.head.Next}
	r.run = h.begin(historyRun{Tree: tree, Date: time.Now().UTC().Format(time.DateOnly), Share: r.share, Round: h.head.Round})
	return r, nil
}

// treeOf names the git revision of the tree that the driver's manifest lies in.
func treeOf(manifest string) (string, error) {
	if manifest == "" {
		return "", errors.New("without -icd nobody knows the driver's tree; name it with -tree")
	}
	cmd := exec.Command("git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*")
	cmd.Dir = filepath.Dir(manifest)
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("no git revision of %s (%w); name the driver's tree with -tree", cmd.Dir, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// cases are those of this run's share.
func (r *rolling) cases() []string {
	var share []string
	for _, name := range r.all {
		if shareOf(name, r.history.head.Shares) == r.share {
			share = append(share, name)
		}
	}
	return share
}

// label sets this run apart from others with the same cases.
func (r *rolling) label() string {
	run := r.history.runs[r.run]
	return fmt.Sprintf("share %d of %d, round %d, tree %s", r.share+1, r.history.head.Shares, run.Round+1, run.Tree)
}

// alarm is a case that passed once and does no more.
type alarm struct {
	result Result
	passed historyRun // the last run that saw it pass
}

// record takes the results into the history and writes it; done says that the share was run to its end.
// It returns the alarms in the order of the results.
func (r *rolling) record(results []Result, done bool) ([]alarm, error) {
	var alarms []alarm
	for _, result := range results {
		if last, ok := r.history.record(r.run, result); ok {
			alarms = append(alarms, alarm{result, last})
		}
	}
	if done {
		r.history.advance()
	}
	return alarms, r.history.write()
}

// known is the newest status of each case of the list that was ever run, with the time that those of this run took.
func (r *rolling) known(results []Result) []Result {
	seconds := map[string]float64{}
	for _, result := range results {
		seconds[result.Case] = result.Seconds
	}
	var known []Result
	for _, name := range r.all {
		if c := r.history.cases[name]; c != nil {
			known = append(known, Result{Case: name, Status: c.status, Seconds: seconds[name]})
		}
	}
	return known
}

// rows are the table's lines of the whole list, without the groups of which no case was ever run.
func (r *rolling) rows(results []Result, group func(string) string, list expectations) []*row {
	rows := tally(r.all, 1, r.known(results), group, list.expects)
	rows = slices.DeleteFunc(rows, func(line *row) bool { return line.run() == 0 })
	for _, line := range rows {
		line.share = fmt.Sprintf("share %d of %d", r.share+1, r.history.head.Shares)
	}
	return rows
}

// printAlarms writes a line an alarm.
func printAlarms(w io.Writer, alarms []alarm) {
	if len(alarms) == 0 {
		return
	}
	fmt.Fprintf(w, "ALARM: %d cases that passed once and don't now:\n", len(alarms))
	for _, a := range alarms {
		fmt.Fprintf(w, "  %s: %s (passed on %s, %s)", a.result.Case, a.result.Status, a.passed.Tree, a.passed.Date)
		if line := firstLine(a.result.Message); line != "" {
			fmt.Fprintf(w, ": %s", line)
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w)
}

// writeAtomically replaces the file, or leaves it as it was.
func writeAtomically(path string, write func(io.Writer) error) error {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) // fails once it is renamed
	err = errors.Join(write(file), file.Chmod(0o644), file.Sync(), file.Close())
	if err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

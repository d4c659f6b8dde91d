package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// evidence is what one share of a rolling run found: a line of evidence.jsonl, beside the page of results. It says
// how old what is known is, and is small enough for the repository, which the history is not.
type evidence struct {
	Suite        string `json:"suite"` // -suite: the version of the tests
	Tree         string `json:"tree"`  // of the driver
	Date         string `json:"date"`
	API          string `json:"api,omitempty"` // -api: the version of Vulkan that the driver was told to report; "": its own
	Share        int    `json:"share"`         // from 1
	Shares       int    `json:"shares"`
	Cases        int    `json:"cases"` // of the share that the program has; all have a result
	Passed       int    `json:"passed"`
	NotSupported int    `json:"notSupported"`
	Failed       int    `json:"failed"` // and crashed, and timed out
	Expected     int    `json:"expected"`
}

const evidenceFile = "evidence.jsonl"

// evidenceOf counts the results of a share.
func (r *rolling) evidenceOf(suite string, results []Result, list expectations) evidence {
	run := r.history.runs[r.run]
	e := evidence{Suite: suite, Tree: run.Tree, Date: run.Date, Share: r.share + 1, Shares: r.history.head.Shares}
	for _, result := range results {
		if result.Status == Missing {
			continue
		}
		e.Cases++
		switch {
		case result.Status.passing():
			e.Passed++
		case result.Status == NotSupported:
			e.NotSupported++
		case result.Status.failing():
			e.Failed++
			if list.expects(result) {
				e.Expected++
			}
		}
	}
	return e
}

// addEvidence writes a share's line in place of an older one of the same share, or behind the others.
func addEvidence(dir string, e evidence) error {
	all, err := readEvidence(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	all = slices.DeleteFunc(all, func(old evidence) bool {
		return old.Suite == e.Suite && old.Share == e.Share && old.Shares == e.Shares
	})
	all = append(all, e)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return writeAtomically(filepath.Join(dir, evidenceFile), func(w io.Writer) error {
		lines := json.NewEncoder(w)
		for i := range all {
			if err := lines.Encode(all[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// readEvidence reads the lines of a folder, the oldest first.
func readEvidence(dir string) (all []evidence, err error) {
	file, err := os.Open(filepath.Join(dir, evidenceFile))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	for lines := json.NewDecoder(file); ; {
		var e evidence
		if err := lines.Decode(&e); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: damaged behind byte %d: %w", file.Name(), lines.InputOffset(), err)
		}
		all = append(all, e)
	}
}

// checkEvidence fails where the newest share was run on a driver that more than within commits have changed since, or
// has failures that nobody expects. behind counts the commits since a tree.
func checkEvidence(dir string, within int, stdout io.Writer, behind func(tree string) (int, error)) error {
	all, err := readEvidence(dir)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return fmt.Errorf("%s: no share was ever run", filepath.Join(dir, evidenceFile))
	}
	e := all[len(all)-1]
	n, err := behind(e.Tree)
	if err != nil {
		return fmt.Errorf("how old is the evidence of tree %s? %w", e.Tree, err)
	}
	fmt.Fprintf(stdout, "share %d of %d of %s, %s: %d of %d cases pass, %d are not supported, %d fail; %d commits have changed the driver since\n",
		e.Share, e.Shares, e.Suite, e.Date, e.Passed, e.Cases, e.NotSupported, e.Failed, n)
	switch {
	case n > within:
		return fmt.Errorf("the newest share is older than %d commits; run the next one (conformance/cts/README.md, Rolling runs)", within)
	case e.Failed > e.Expected:
		return fmt.Errorf("%d of its failures are not expected", e.Failed-e.Expected)
	}
	return nil
}

// commitsSince counts the commits behind a tree that change what the driver is made of.
func commitsSince(tree string) (int, error) {
	out, err := exec.Command("git", "rev-list", "--count", tree+"..HEAD", "--", ":/driver", ":/internal", ":/vk").CombinedOutput()
	text := strings.TrimSpace(string(out))
	if err != nil {
		return 0, fmt.Errorf("git rev-list: %w: %s", err, text)
	}
	return strconv.Atoi(text)
}

package rules

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// SentenceRow is a row of docs/rules/sentences-….md: what a sentence says, or
// sentences that go on with each other, in our own words.
type SentenceRow struct {
	ID     string   // SR-… (Rasterization) or SI-… (Image Operations), and a number
	Anchor string   // of the specification, without its §
	Says   string   // the paraphrase
	Rules  []string // that carry it out; where there are none, Reason says why
	Reason string
	File   string // the page
	Line   int
}

// reason is why no rule carries a sentence out. That of usage says what happens here, that of
// an extension names it.
var reason = regexp.MustCompile(`^(definition|note|valid usage: .+|not offered: VK_.+)$`)

// anchor is the form of anchors of the specification.
var anchor = regexp.MustCompile(`^§[A-Za-z][A-Za-z0-9_-]+$`)

// SentenceRows reads the pages sentences-….md of a folder, and says what is wrong with
// them: a row without rules or a reason, one that is there twice or out of order, a
// rule that does not exist, a paraphrase of other than three to twelve words, a heading
// without an anchor.
func SentenceRows(dir string) ([]SentenceRow, error) {
	files, err := filepath.Glob(filepath.Join(dir, "sentences-*.md"))
	if err != nil {
		return nil, err
	}
	var rows []SentenceRow
	var errs []error
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		at, last := "", ""
		for i, line := range strings.Split(string(text), "\n") {
			bad := func(why string, args ...any) {
				errs = append(errs, fmt.Errorf("%s:%d: %s", path, i+1, fmt.Sprintf(why, args...)))
			}
			switch {
			case strings.HasPrefix(line, "## "):
				at = ""
			case anchor.MatchString(line):
				at = line[len("§"):]
			case strings.HasPrefix(line, "| SR-") || strings.HasPrefix(line, "| SI-"):
				cells := strings.Split(strings.Trim(line, "| "), " | ")
				if len(cells) != 3 {
					bad("%d cells; want row, what it says, and rules or a reason", len(cells))
					continue
				}
				r := SentenceRow{ID: cells[0], Anchor: at, Says: cells[1], File: filepath.Base(path), Line: i + 1}
				if at == "" {
					bad("%s stands under a heading without an anchor", r.ID)
				}
				if r.ID <= last || !rowID.MatchString(r.ID) {
					bad("%s after %s", r.ID, last)
				}
				if n := len(strings.Fields(r.Says)); n < 3 || n > 12 {
					bad("%s: %q; want three to twelve words", r.ID, r.Says)
				}
				last = r.ID
				if reason.MatchString(cells[2]) {
					r.Reason = cells[2]
				} else {
					r.Rules = strings.Split(cells[2], ", ")
				}
				for _, rule := range r.Rules {
					if part, _ := number(rule); part < 0 || !slices.Contains(All(prefixes[part]), rule) {
						bad("%s: %q is neither a rule nor a reason", r.ID, rule)
					}
				}
				rows = append(rows, r)
			}
		}
	}
	if len(rows) == 0 {
		errs = append(errs, fmt.Errorf("%s: no rows", dir))
	}
	return rows, errors.Join(errs...)
}

var rowID = regexp.MustCompile(`^S[RI]-[0-9]{3}$`)

// SentenceKeys reads the file that ties keys of sentences to rows: a line for each, a
// key and a row.
func SentenceKeys(path string) (map[string]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	keys := map[string]string{}
	for i, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		key, row, ok := strings.Cut(line, " ")
		if !ok || !keyForm.MatchString(key) || !rowID.MatchString(row) || keys[key] != "" {
			return nil, fmt.Errorf("%s:%d: %q; want a key that is not there yet, and a row", path, i+1, line)
		}
		keys[key] = row
	}
	return keys, nil
}

var keyForm = regexp.MustCompile(`^[0-9a-f]{10}$`)

// CheckSentences says which rows and keys do not belong to each other.
func CheckSentences(rows []SentenceRow, keys map[string]string) error {
	var errs []error
	tied := map[string]bool{}
	known := map[string]bool{}
	for _, r := range rows {
		known[r.ID] = true
	}
	for key, row := range keys {
		tied[row] = true
		if !known[row] {
			errs = append(errs, fmt.Errorf("%s: key %s is of a row that no page has", row, key))
		}
	}
	for _, r := range rows {
		if !tied[r.ID] {
			errs = append(errs, fmt.Errorf("%s:%d: %s: no sentence is tied to it", r.File, r.Line, r.ID))
		}
	}
	return errors.Join(errs...)
}

// CheckChapters says which sentences of chapters have no row, which keys no sentence,
// and which rows repeat the specification's words: paraphrases of five words or more that stand in a
// chapter as they are.
func CheckChapters(rows []SentenceRow, keys map[string]string, chapters []Sentence) error {
	var errs []error
	there := map[string]bool{}
	var all strings.Builder
	for _, s := range chapters {
		if keys[s.Key] == "" && !there[s.Key] {
			errs = append(errs, fmt.Errorf("%s has no row: under %q, %s", s.Key, s.Heading, s.Text))
		}
		there[s.Key] = true
		all.WriteString(letters(s.Text) + "\n")
	}
	for key, row := range keys {
		if !there[key] {
			errs = append(errs, fmt.Errorf("%s: no chapter has the sentence of key %s", row, key))
		}
	}
	for _, r := range rows {
		if len(strings.Fields(r.Says)) >= 5 && strings.Contains(all.String(), letters(r.Says)) {
			errs = append(errs, fmt.Errorf("%s:%d: %s: the specification's own words: %s", r.File, r.Line, r.ID, r.Says))
		}
	}
	return errors.Join(errs...)
}

// ReadChapters reads the chapters of a folder, its files NAME.txt.
func ReadChapters(dir string) ([]Sentence, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s: no chapters (*.txt)", dir)
	}
	var list []Sentence
	for _, file := range files {
		text, e := os.ReadFile(file)
		if e != nil {
			return nil, e
		}
		list = append(list, Sentences(string(text))...)
	}
	return list, err
}

package rules

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// UsageRow is a row of docs/rules/valid-usage.md: a statement of valid usage, and what
// is done where it is broken.
type UsageRow struct {
	ID      string // VUID-…
	Chapter string // the source that has it, below the folder of the specification
	Outcome string
	Line    int
}

// Cited says that code has to name the statement.
func (r *UsageRow) Cited() bool {
	kind, _, _ := strings.Cut(r.Outcome, ":")
	return kind == "refused" || kind == "mended" || kind == "told"
}

var (
	usageRow = regexp.MustCompile(`^\| (VUID-[A-Za-z0-9_-]+) \| (§[A-Za-z0-9_-]+) \| (.*) \|$`)
	outcome  = regexp.MustCompile(`^((refused|mended|told)(: .+)?|never: (property|.+ is not offered)|rule: IMG-[0-9]{3}|layer: .+)$`)
	vuidMark = regexp.MustCompile(`\[\[(VUID-[A-Za-z0-9_-]+)\]\]`)
)

// Usage reads the page, and says what is wrong with it. chapters are those that it
// goes through, some of which have no statement.
func Usage(path string) (rows []UsageRow, chapters []string, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	var errs []error
	seen := map[string]bool{}
	for i, line := range strings.Split(string(text), "\n") {
		bad := func(why string, args ...any) {
			errs = append(errs, fmt.Errorf("%s:%d: %s", path, i+1, fmt.Sprintf(why, args...)))
		}
		if file, ok := strings.CutPrefix(line, "## "); ok {
			chapters = append(chapters, file)
		}
		if !strings.HasPrefix(line, "| VUID-") {
			continue
		}
		m := usageRow.FindStringSubmatch(line)
		switch {
		case m == nil:
			bad("want a statement, its section and an outcome")
			continue
		case len(chapters) == 0:
			bad("%s stands under no chapter", m[1])
			continue
		case seen[m[1]]:
			bad("%s is there twice", m[1])
		case !outcome.MatchString(m[3]):
			bad("%s: the outcome %q", m[1], m[3])
		}
		seen[m[1]] = true
		rows = append(rows, UsageRow{m[1], chapters[len(chapters)-1], m[3], i + 1})
	}
	return rows, chapters, errors.Join(errs...)
}

// CheckUsage says which statements that code has to name it does not; code is all of it.
func CheckUsage(rows []UsageRow, code string) error {
	var errs []error
	for _, r := range rows {
		if r.Cited() && !strings.Contains(code, strings.TrimPrefix(r.ID, "VUID-")) {
			errs = append(errs, fmt.Errorf("line %d: %s: %s, and no code names it", r.Line, r.ID, r.Outcome))
		}
	}
	return errors.Join(errs...)
}

// CheckSpec says which statements of the chapters have no row, and which rows are of
// statements that their chapter does not have. dir is the folder of the specification's sources.
func CheckSpec(rows []UsageRow, chapters []string, dir string) error {
	var errs []error
	for _, file := range chapters {
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file)))
		if err != nil {
			return err
		}
		here, listed := map[string]bool{}, map[string]bool{}
		for _, r := range rows {
			listed[r.ID] = listed[r.ID] || r.Chapter == file
		}
		for _, m := range vuidMark.FindAllStringSubmatch(string(text), -1) {
			here[m[1]] = true
			if !listed[m[1]] {
				errs = append(errs, fmt.Errorf("%s: %s has no row", file, m[1]))
			}
		}
		for _, r := range rows {
			if r.Chapter == file && !here[r.ID] {
				errs = append(errs, fmt.Errorf("line %d: %s does not have %s", r.Line, file, r.ID))
			}
		}
	}
	return errors.Join(errs...)
}

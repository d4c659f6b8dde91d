package rules

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/pumice-gpu/pumice/internal/rules/catalogue"
)

// All returns the rules of a catalogue ("IMG" or "RAS") or its corner cases ("TC",
// "RC"), in order.
func All(prefix string) []string { return catalogue.All(prefix) }

// Name returns a rule's number with its title.
func Name(id string) string { return catalogue.Name(id) }

// Rule is a rule as a page of docs/rules has it.
type Rule struct {
	ID, Title string
	File      string // the page
	Line      int    // of the heading
	Text      string // what follows the heading
}

// Page is a page of docs/rules.
type Page struct {
	File, Title string
	Rules       []Rule
}

// page is the form of the names of pages.
var page = regexp.MustCompile(`^(img|ras)-[0-9]{2}-[a-z0-9-]+\.md$`)

// aside is the form of the names of pages that hold no rules, but what refers to them.
var aside = regexp.MustCompile(`^(README|sentences-[a-z]+|valid-usage|editions)\.md$`)

// Read reads the pages of a folder, and says what is wrong with their form: a rule
// that is there twice, or out of order on its page, a title of other than two to
// seven words, a rule without its source.
func Read(dir string) ([]Page, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil {
		return nil, err
	}
	var pages []Page
	var errs []error
	seen := map[string]string{}
	for _, path := range files {
		name := filepath.Base(path)
		if aside.MatchString(name) {
			continue
		}
		if !page.MatchString(name) {
			errs = append(errs, fmt.Errorf("%s: the name of a page is img-NN-name.md or ras-NN-name.md", path))
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		p := parse(name, string(text))
		for _, r := range p.Rules {
			bad := func(why string, args ...any) {
				errs = append(errs, fmt.Errorf("%s:%d: %s: %s", path, r.Line, r.ID, fmt.Sprintf(why, args...)))
			}
			if !id.MatchString(r.ID) {
				bad("no rule's number")
			}
			if where := seen[r.ID]; where != "" {
				bad("is in %s, too", where)
			}
			seen[r.ID] = name
			if n := len(strings.Fields(r.Title)); n < 2 || n > 7 || strings.HasSuffix(r.Title, ".") || strings.Contains(r.Title, "  ") {
				bad("the title %q; two to seven words, no period", r.Title)
			}
			isCase := strings.HasPrefix(r.ID, "TC") || strings.HasPrefix(r.ID, "RC")
			if want := map[bool]string{true: "\nExpected: ", false: "\nSource: "}[isCase]; !strings.Contains(r.Text, want) {
				bad("has no line that begins with %q", strings.TrimSpace(want))
			}
		}
		pages = append(pages, p)
	}
	if len(pages) == 0 {
		errs = append(errs, fmt.Errorf("%s: no pages", dir))
	}
	return pages, errors.Join(errs...)
}

// parse finds the rules of a page: headings of the third level, each up to the next
// heading.
func parse(file, text string) Page {
	p := Page{File: file}
	var r *Rule
	code := false
	for i, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "```") {
			code = !code
		}
		switch level, rest, _ := strings.Cut(line, " "); {
		case code || strings.Trim(level, "#") != "" || level == "":
			if r != nil {
				r.Text += line + "\n"
			}
		case level == "###":
			number, title, _ := strings.Cut(rest, " ")
			p.Rules = append(p.Rules, Rule{ID: number, Title: title, File: file, Line: i + 1})
			r = &p.Rules[len(p.Rules)-1]
		default:
			if level == "#" {
				p.Title = rest
			}
			r = nil
		}
	}
	return p
}

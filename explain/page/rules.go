package page

import (
	"io/fs"
	"strings"
	"sync"

	pages "github.com/pumice-gpu/pumice/docs/rules"
	"github.com/pumice-gpu/pumice/explain"
)

// rule is a rule as the page shows it.
type rule struct {
	Title string `json:"title"`
	Text  string `json:"text"` // Markdown, in the few forms of docs/rules
}

// allRules reads the pages of docs/rules: headings "### RAS-327 Depth test", each with
// the lines up to the next heading. internal/rules, which tests and generators use,
// also checks their form.
var allRules = sync.OnceValue(func() map[string]rule {
	all := map[string]rule{}
	files, _ := fs.Glob(pages.Pages, "*.md")
	for _, file := range files {
		data, _ := fs.ReadFile(pages.Pages, file)
		var id, title string
		var text strings.Builder
		end := func() {
			if id != "" {
				all[id] = rule{title, strings.TrimSpace(text.String())}
			}
			id = ""
			text.Reset()
		}
		code := false
		for line := range strings.Lines(string(data)) {
			if strings.HasPrefix(line, "```") {
				code = !code
			}
			level, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
			if code || level == "" || strings.Trim(level, "#") != "" {
				text.WriteString(line)
				continue
			}
			end()
			if level == "###" {
				id, title, _ = strings.Cut(rest, " ")
			}
		}
		end()
	}
	return all
})

// rulesOf are the rules that explanations name.
func rulesOf(es []*explain.Explanation) map[string]rule {
	named := map[string]rule{}
	steps := func(list []explain.Step) {
		for _, s := range list {
			if r, ok := allRules()[s.Rule]; ok {
				named[s.Rule] = r
			}
		}
	}
	for _, e := range es {
		for _, v := range e.Events {
			steps(v.Steps)
			if v.Draw == nil {
				continue
			}
			for _, f := range v.Draw.Fragments {
				steps(f.Steps)
				for _, m := range f.Images {
					steps(m.Steps)
				}
			}
		}
	}
	return named
}

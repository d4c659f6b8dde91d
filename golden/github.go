package golden

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"
)

// Where GITHUB_STEP_SUMMARY is set, as in the steps of GitHub's workflows, a failure stands on the
// page of the run, too: in the step's summary, and as an annotation of the picture's file.

// summaryBytes is how much of a summary may be there for more to be added: GitHub shows none that
// has more than 1 MiB.
const summaryBytes = 512 << 10

// tellGitHub adds a failure of a picture to the summary and to standard output, of which GitHub
// reads its annotations. It returns what the failure is to say of that: that it could not be done.
func tellGitHub(path string, failure error) string {
	summary := os.Getenv("GITHUB_STEP_SUMMARY")
	if summary == "" {
		return ""
	}
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	if in := os.Getenv("GITHUB_WORKSPACE"); in != "" {
		if rel, err := filepath.Rel(in, path); err == nil && filepath.IsLocal(rel) {
			path = filepath.ToSlash(rel)
		}
	}
	lines := strings.Split(strings.Map(visible, failure.Error()), "\n")
	fmt.Printf("::error file=%s,title=golden picture::%s\n",
		property.Replace(path), message.Replace(strings.Join(lines, "\n")))
	text := "### " + strings.Map(plain, filepath.Base(path)) + "\n\n    " +
		strings.Join(lines, "\n    ") + "\n\n"
	f, err := os.OpenFile(summary, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		if is, e := f.Stat(); e != nil || is.Size() < summaryBytes {
			_, err = f.WriteString(text) // one write: other packages' tests add theirs
		}
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return "\ncannot write GITHUB_STEP_SUMMARY: " + oneLine(err)
	}
	return ""
}

// The letters of a workflow command that stand for something else in it.
var (
	message  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// visible replaces what would steer and not be seen, but for the ends of lines.
func visible(r rune) rune {
	if r != '\n' && !unicode.IsPrint(r) {
		return '�'
	}
	return r
}

// plain replaces what is markup in Markdown, too.
func plain(r rune) rune {
	if strings.ContainsRune("\\`*_[]<>&#|~!\n", r) {
		return '·'
	}
	return visible(r)
}

package shader

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Diagnostic is one thing that a compiler says about a source.
type Diagnostic struct {
	File string
	// Line and Column count from 1, columns in characters; 0 where they are not known.
	Line, Column int
	// Width is how many characters of the line are meant; 0 is like 1.
	Width   int
	Message string
	// Source is the line's text.
	Source string
	// Warning: it keeps nothing from being compiled.
	Warning bool
}

// String is the diagnostic in one line: file:line:column: message.
func (d Diagnostic) String() string {
	var b strings.Builder
	b.WriteString(d.File)
	if d.Line > 0 {
		fmt.Fprintf(&b, ":%d", d.Line)
		if d.Column > 0 {
			fmt.Fprintf(&b, ":%d", d.Column)
		}
	}
	b.WriteString(": ")
	if d.Warning {
		b.WriteString("warning: ")
	}
	b.WriteString(d.Message)
	return b.String()
}

// Detail is the diagnostic with the line that it is about and carets below, two lines more.
func (d Diagnostic) Detail() string {
	const most = 120 // characters of a line that are shown
	if d.Line == 0 || d.Column == 0 || d.Column > utf8.RuneCountInString(d.Source)+1 {
		return d.String()
	}
	line, column := []rune(d.Source), d.Column-1
	if from := column - most/2; len(line) > most && from > 0 {
		line, column = line[from:], column-from
	}
	line = line[:min(len(line), most)]
	var under strings.Builder
	for i, r := range line {
		if i >= column {
			break
		}
		if r == '\t' {
			under.WriteByte('\t') // as wide as the one above it
		} else {
			under.WriteByte(' ')
		}
		if r < ' ' && r != '\t' || r == 0x7f {
			line[i] = ' '
		}
	}
	carets := max(1, min(d.Width, len(line)-column))
	return d.String() + "\n\t" + clean(string(line)) + "\n\t" + under.String() + strings.Repeat("^", carets)
}

// clean takes from a text what a terminal would obey.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' || r >= 0x7f && r < 0xa0 {
			return ' '
		}
		return r
	}, s)
}

// Error says why a source was not compiled.
type Error struct {
	// Diagnostics has at least one element that is no warning.
	Diagnostics []Diagnostic
	// Err is the reason where it is not the source: the context's error, or that of a sandbox.
	Err error
}

// Error is the first error in one line, and how many there are.
func (e *Error) Error() string {
	var first *Diagnostic
	more := -1
	for i := range e.Diagnostics {
		if d := &e.Diagnostics[i]; !d.Warning {
			if more++; first == nil {
				first = d
			}
		}
	}
	switch {
	case first == nil:
		return "shader: not compiled"
	case more > 0:
		return fmt.Sprintf("%s (and %d more)", first, more)
	default:
		return first.String()
	}
}

// Detail is all that was said, several lines, each place with the line of the source and carets.
func (e *Error) Detail() string {
	list := make([]string, len(e.Diagnostics))
	for i, d := range e.Diagnostics {
		list[i] = d.Detail()
	}
	return strings.Join(list, "\n")
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// lines are the lines of sources by file, for diagnostics.
type lines map[string][]string

func splitLines(source string) []string {
	return strings.Split(strings.ReplaceAll(source, "\r\n", "\n"), "\n")
}

// place completes a diagnostic with the source's line.
func (l lines) place(d *Diagnostic) {
	if text := l[d.File]; d.Line > 0 && d.Line <= len(text) {
		d.Source = text[d.Line-1]
	}
}

package shader

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Lines of WGSL. naga can write lines, but the door to it that is compiled to WebAssembly has no
// word for that. So the source is compiled once more with marks between its statements, stores of a
// number to a variable of their own, and the module that naga made of the source gets lines where
// the marks are in the other one. What the module computes stays as it is: see linesOf.

// wgslMark is a place between statements.
type wgslMark struct {
	line, column int
	function     int // the place of its function in wgslMarks.functions
	// name is that of a value whose declaration (let) ends here, or of a variable.
	name string
}

// wgslMarks are the marks of a source.
type wgslMarks struct {
	variable  string // what they are stored to
	marks     []wgslMark
	functions []wgslMark // where functions begin
	variables []wgslMark // where functions declare variables
	inserted  []edit

	source string
	tokens []wgslToken
	starts []int // of lines
}

// markWGSL finds the places for marks. A source that is not as it should be has few.
func markWGSL(source string) *wgslMarks {
	m := &wgslMarks{
		source: source, tokens: wgslTokens(source), starts: []int{0}, variable: "pumice_mark",
	}
	for i := range source {
		if source[i] == '\n' {
			m.starts = append(m.starts, i+1)
		}
	}
	for strings.Contains(source, m.variable) {
		m.variable += "_"
	}
	for i := 0; i < len(m.tokens); i++ {
		if m.tokens[i].text != "fn" {
			continue
		}
		m.functions = append(m.functions, m.place(m.tokens[i].at))
		for i < len(m.tokens) && m.tokens[i].text != "{" {
			i++
		}
		i = m.block(i, 0) - 1
	}
	return m
}

// marked is the source with its marks.
func (m *wgslMarks) marked() string {
	slices.SortStableFunc(m.inserted, func(a, b edit) int { return a.at - b.at })
	var b strings.Builder
	from := 0
	for _, e := range m.inserted {
		b.WriteString(m.source[from:e.at])
		b.WriteString(e.text)
		from = e.at
	}
	b.WriteString(m.source[from:])
	fmt.Fprintf(&b, "\nvar<private> %s: u32;\n", m.variable)
	return b.String()
}

func (m *wgslMarks) place(at int) wgslMark {
	line, found := slices.BinarySearch(m.starts, at)
	if !found {
		line--
	}
	return wgslMark{line: line + 1, column: utf8.RuneCountInString(m.source[m.starts[line]:at]) + 1}
}

// text is that of a token; "" behind the last one.
func (m *wgslMarks) text(i int) string {
	if i < len(m.tokens) {
		return m.tokens[i].text
	}
	return ""
}

// mark puts one before token i, with what is written before it.
func (m *wgslMarks) mark(i int, before, name string) {
	if i >= len(m.tokens) {
		return
	}
	p := m.place(m.tokens[i].at)
	p.function, p.name = len(m.functions)-1, name
	text := fmt.Sprintf("%s%s = %du; ", before, m.variable, len(m.marks))
	m.marks = append(m.marks, p)
	m.inserted = append(m.inserted, edit{at: m.tokens[i].at, text: text})
}

// to is the next token with this text outside of brackets, or the end.
func (m *wgslMarks) to(i int, text string) int {
	for depth := 0; i < len(m.tokens); i++ {
		switch t := m.tokens[i].text; {
		case depth == 0 && t == text:
			return i
		case t == "(" || t == "[":
			depth++
		case t == ")" || t == "]":
			depth--
		}
	}
	return i
}

// maxWGSLNesting is how deep blocks may nest that get marks.
const maxWGSLNesting = 200

// block goes through a block that begins at token i, and returns what follows it.
func (m *wgslMarks) block(i, depth int) int {
	for i++; i < len(m.tokens) && m.text(i) != "}"; {
		if depth > maxWGSLNesting {
			i++
			continue
		}
		i = m.statement(i, depth+1, true)
	}
	return i + 1
}

// attributes skips those before a statement or a block.
func (m *wgslMarks) attributes(i int) int {
	for m.text(i) == "@" {
		if i += 2; m.text(i) == "(" {
			i = m.to(i+1, ")") + 1
		}
	}
	return i
}

// statement marks a statement and what is in it, and returns what follows it.
func (m *wgslMarks) statement(i, depth int, mark bool) int {
	first := i
	i = m.attributes(i)
	word := m.text(i)
	if word == "{" || word == "continuing" {
		return m.block(m.to(i, "{"), depth)
	}
	if word == ";" {
		return i + 1
	}
	if mark {
		m.mark(first, "", "")
	}
	switch word {
	case "if":
		return m.otherwise(m.block(m.to(i, "{"), depth), depth)
	case "for":
		if m.text(i+2) == "var" {
			m.declares(i + 2)
		}
		return m.block(m.to(i, "{"), depth)
	case "while", "loop":
		return m.block(m.to(i, "{"), depth)
	case "switch":
		for i = m.to(i, "{") + 1; i < len(m.tokens) && m.text(i) != "}"; {
			i = m.block(m.to(i, "{"), depth)
		}
		return i + 1
	case "var":
		m.declares(i)
	case "let":
		name, value := m.text(i+1), m.text(m.to(i, "=")+1)
		if i = m.to(i, ";") + 1; value != "&" {
			m.mark(i, "", name)
		}
		return i
	}
	return m.to(i, ";") + 1
}

// declares notes the variable of var, token i.
func (m *wgslMarks) declares(i int) {
	p := m.place(m.tokens[i].at)
	if i++; m.text(i) == "<" {
		i = m.to(i, ">") + 1
	}
	p.function, p.name = len(m.functions)-1, m.text(i)
	m.variables = append(m.variables, p)
}

// otherwise goes through the rest of an if statement. An if behind else gets a block around it, so
// that there is a place for its mark.
func (m *wgslMarks) otherwise(i, depth int) int {
	if m.text(i) != "else" {
		return i
	}
	if i++; m.text(i) != "if" || depth > maxWGSLNesting {
		return m.block(m.to(i, "{"), depth)
	}
	m.mark(i, "{ ", "")
	if i = m.statement(i, depth+1, false); i-1 < len(m.tokens) {
		m.inserted = append(m.inserted, edit{at: m.tokens[i-1].end, text: " }"})
	}
	return i
}

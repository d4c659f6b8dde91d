package shader

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// naga reads modules with override and writes no SPIR-V of them. So they are written twice, as it would do itself once a
// pipeline is made: override becomes const, with the value that it is given or begins with. Where functions and
// @workgroup_size alone have an override, a variable stands for it until naga has written the module, which then becomes a
// specialization constant (specialize).

// override is a declaration of one.
type override struct {
	name    string
	at, end int      // the word override
	nameEnd int      // where a type may stand
	attrs   [][2]int // @id(…)
	number  int64    // @id's, or -1
	id      uint32   // the constant's SpecId
	typ     string   // as it is written; "" without
	initAt  int      // of the expression behind the =, 0 without
	initEnd int      // where it ends, at the ;
	scalar  string   // its type: bool, i32, u32, f32 or f16
	value   string   // WGSL's text of the value it is given; "" is its own
	fixed   bool     // something needs its value before a pipeline is made
}

// badID is the number of an @id that is no number.
const badID = -2

// wgslModule is a source with overrides.
type wgslModule struct {
	source    string
	overrides []*override
	sizes     []sizeUse
}

// sizeUse is an override that is an argument of @workgroup_size.
type sizeUse struct {
	axis     int
	at, end  int
	override *override
}

// wgslOverrides finds the overrides of a source that naga has read without an error; nil where there are none.
func wgslOverrides(source string) *wgslModule {
	tokens := wgslTokens(source)
	if !slices.ContainsFunc(tokens, func(t wgslToken) bool { return t.text == "override" }) {
		return nil
	}
	m := &wgslModule{source: source}
	at := func(i int) string {
		if i < len(tokens) {
			return tokens[i].text
		}
		return ""
	}
	// closing is the index of what closes the bracket at i.
	closing := func(i int) int {
		for depth := 0; i < len(tokens); i++ {
			switch tokens[i].text {
			case "(", "[", "{":
				depth++
			case ")", "]", "}":
				if depth--; depth == 0 {
					return i
				}
			}
		}
		return len(tokens) - 1
	}
	var (
		ids   [][2]int
		id    int64            = -1
		loose []wgslToken      // outside functions
		own   = map[int]bool{} // names of loose that are declared there
		args  [][2]int         // of @workgroup_size: tokens
	)
	for i := 0; i < len(tokens); i++ {
		switch t := tokens[i]; {
		case t.text == "@" && at(i+1) == "id" && at(i+2) == "(":
			end := closing(i + 2)
			if n, err := strconv.ParseInt(strings.TrimRight(at(i+3), "iu"), 0, 64); err == nil && end == i+4 {
				id = n
			} else {
				id = badID
			}
			ids = append(ids, [2]int{t.at, tokens[end].end})
			i = end
		case t.text == "@" && at(i+1) == "workgroup_size" && at(i+2) == "(":
			end := closing(i + 2)
			args = append(args, [2]int{i + 3, end})
			i = end
		case t.text == "override":
			o := &override{name: at(i + 1), at: t.at, end: t.end, attrs: ids, number: id}
			ids, id = nil, -1
			if i++; i >= len(tokens) {
				return nil
			}
			own[tokens[i].at] = true
			o.nameEnd = tokens[i].end
			if at(i+1) == ":" {
				first := i + 2
				for i++; i < len(tokens) && at(i+1) != "=" && at(i+1) != ";"; i++ {
				}
				if first > i || i >= len(tokens) {
					return nil
				}
				o.typ, o.nameEnd = source[tokens[first].at:tokens[i].end], tokens[i].end
			}
			if at(i+1) == "=" {
				first := i + 2
				for i++; i < len(tokens) && at(i+1) != ";"; i++ {
					if text := at(i + 1); text == "(" || text == "[" || text == "{" {
						i = closing(i+1) - 1
					}
				}
				if i+1 >= len(tokens) {
					return nil
				}
				o.initAt, o.initEnd = tokens[first].at, tokens[i].end
				loose = append(loose, tokens[first:i+1]...)
			}
			m.overrides = append(m.overrides, o)
		case t.text == "{":
			end := closing(i)
			if !m.body(tokens[:i]) {
				loose = append(loose, tokens[i:end]...) // of a structure: lengths, sizes
			}
			i = end
		default:
			loose = append(loose, t)
		}
	}
	named := map[string]*override{}
	for _, o := range m.overrides {
		named[o.name] = o
	}
	for _, t := range loose {
		if o := named[t.text]; o != nil && !own[t.at] {
			o.fixed = true
		}
	}
	for _, r := range args { // a constant is the size of all entry points' workgroups
		axis := 0
		for k := r[0]; k < r[1]; k++ {
			t := tokens[k]
			if t.text == "," {
				axis++
			}
			o := named[t.text]
			if o == nil {
				continue
			}
			if alone := (k == r[0] || at(k-1) == ",") && (k+1 == r[1] || at(k+1) == ","); alone && len(args) == 1 {
				m.sizes = append(m.sizes, sizeUse{axis, t.at, t.end, o})
			} else {
				o.fixed = true
			}
		}
	}
	return m
}

// body says whether a brace behind tokens begins a function's body; else it begins a structure's.
func (m *wgslModule) body(tokens []wgslToken) bool {
	return len(tokens) < 2 || tokens[len(tokens)-2].text != "struct"
}

// number gives the overrides their numbers: @id's, else the lowest that are free, in the order of the source.
func (m *wgslModule) number() {
	taken := map[uint32]bool{}
	for _, o := range m.overrides {
		if o.number >= 0 {
			o.id = uint32(o.number)
			taken[o.id] = true
		}
	}
	next := uint32(0)
	for _, o := range m.overrides {
		if o.number < 0 {
			for taken[next] {
				next++
			}
			o.id = next
			taken[next] = true
		}
	}
}

// list names the overrides, for messages.
func (m *wgslModule) list() string {
	var names []string
	for _, o := range m.overrides {
		names = append(names, o.key())
	}
	return strings.Join(names, ", ")
}

// key is what an override is called by whoever gives it a value: its @id, or its name.
func (o *override) key() string {
	if o.number >= 0 {
		return fmt.Sprintf("%d (%s)", o.number, o.name)
	}
	return o.name
}

// give looks up the values of Options.Constants, by name or by number.
func (m *wgslModule) give(o *Options) error {
	for _, key := range slices.Sorted(maps.Keys(o.Constants)) {
		found := false
		for _, v := range m.overrides {
			if v.name != key && (v.number < 0 || strconv.FormatInt(v.number, 10) != key) {
				continue
			}
			found = true
			if v.value != "" {
				return o.fail(fmt.Sprintf("Options.Constants has %s twice, by its name and by its number", v.name))
			}
			var ok bool
			if v.value, ok = literal(v.scalar, o.Constants[key]); !ok {
				return m.fail(o, v, fmt.Sprintf("%v, which Options.Constants gives override %s, is no %s", o.Constants[key], v.name, v.scalar))
			}
		}
		if !found {
			return o.fail(fmt.Sprintf("Options.Constants has %q, and there is no such override; there are: %s", key, m.list()))
		}
	}
	for _, v := range m.overrides {
		if v.number == badID {
			return m.fail(o, v, fmt.Sprintf("@id of override %s is no plain number, such as @id(3)", v.name))
		}
		if v.value == "" && v.initAt == 0 {
			return m.fail(o, v, fmt.Sprintf("override %s has no value of its own: Options.Constants gives it one", v.name))
		}
	}
	return nil
}

// fail is an error about a declaration.
func (m *wgslModule) fail(o *Options, v *override, message string) *Error {
	d := Diagnostic{File: o.file(), Message: message}
	d.put(m.source, v.at, v.nameEnd)
	lines{d.File: splitLines(m.source)}.place(&d)
	return &Error{Diagnostics: []Diagnostic{d}}
}

// literal is a number as WGSL's text of a type. What the type does not have is none: numbers are not rounded but to the
// nearest of a type of floats.
func literal(scalar string, v float64) (string, bool) {
	whole := v == math.Trunc(v)
	switch scalar {
	case "bool":
		return strconv.FormatBool(v != 0), v == 0 || v == 1
	case "i32":
		return fmt.Sprintf("i32(%.0f)", v), whole && v >= math.MinInt32 && v <= math.MaxInt32
	case "u32":
		return fmt.Sprintf("u32(%.0f)", v), whole && v >= 0 && v <= math.MaxUint32
	case "f16":
		return fmt.Sprintf("f16(%s)", strconv.FormatFloat(v, 'e', -1, 64)), math.Abs(v) <= 65504
	default:
		return fmt.Sprintf("f32(%s)", strconv.FormatFloat(v, 'e', -1, 64)), math.Abs(v) <= math.MaxFloat32
	}
}

// resolve finds the types of the overrides. reads says whether naga reads a source.
func (m *wgslModule) resolve(reads func(source string) bool) bool {
	scalars := []string{"i32", "f32", "u32", "bool", "f16"} // a number without a suffix is an i32, or with a point, an f32
	for _, o := range m.overrides {
		switch {
		case slices.Contains(scalars, o.typ):
			o.scalar = o.typ
		case o.typ != "": // an alias
			for _, s := range scalars {
				if reads(m.source + "\noverride pumice_is_it_: " + o.typ + " = " + s + "();") {
					o.scalar = s
				}
			}
		default:
			for _, s := range scalars {
				if reads(m.source[:o.nameEnd] + ": " + s + m.source[o.nameEnd:]) {
					o.scalar = s
					break
				}
			}
		}
		if o.scalar == "" {
			return false
		}
	}
	return true
}

// edit is a piece of a source that another text stands for.
type edit struct {
	at, end int
	text    string
}

// write is the source with const, or with variables for those that a pipeline may still change, in place of overrides,
// and what was changed. Lines stay.
func (m *wgslModule) write(variables bool) (string, []edit) {
	var edits []edit
	replace := func(at, end int, text string) {
		more := strings.Count(m.source[at:end], "\n") - strings.Count(text, "\n")
		edits = append(edits, edit{at, end, text + strings.Repeat("\n", max(0, more))})
	}
	for _, o := range m.overrides {
		for _, a := range o.attrs {
			replace(a[0], a[1], "")
		}
		word := "const"
		if variables && o.changes() {
			word = "var<private>"
		}
		replace(o.at, o.end, word)
		if o.typ == "" {
			replace(o.nameEnd, o.nameEnd, ": "+o.scalar)
		}
		switch {
		case o.value == "":
		case o.initAt == 0:
			replace(o.nameEnd, o.nameEnd, " = "+o.value)
		default:
			replace(o.initAt, o.initEnd, o.value)
		}
	}
	for _, s := range m.sizes {
		if variables && s.override.changes() {
			text := cmp.Or(s.override.value, m.source[s.override.initAt:max(s.override.initAt, s.override.initEnd)])
			replace(s.at, s.end, "("+text+")")
		}
	}
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(a.at, b.at) })
	var b strings.Builder
	from := 0
	for _, e := range edits {
		b.WriteString(m.source[from:e.at])
		b.WriteString(e.text)
		from = e.end
	}
	b.WriteString(m.source[from:])
	return b.String(), edits
}

// changes says whether an override of the module can become a specialization constant.
func (m *wgslModule) changes() bool { return slices.ContainsFunc(m.overrides, (*override).changes) }

// changes says whether an override can become a specialization constant.
func (o *override) changes() bool { return !o.fixed && o.scalar != "f16" }

// back moves a diagnostic about what write made of a source to the source.
func (m *wgslModule) back(d *Diagnostic, written string, edits []edit) {
	if d.Line == 0 {
		return
	}
	at := 0
	for range d.Line - 1 {
		n := strings.IndexByte(written[at:], '\n')
		if n < 0 {
			return
		}
		at += n + 1
	}
	for i := range written[at:] { // characters
		if d.Column--; d.Column <= 0 {
			at += i
			break
		}
	}
	for _, e := range edits { // the places of edits are the source's
		switch {
		case at < e.at:
		case at < e.at+len(e.text):
			at = e.at
		default:
			at += e.end - e.at - len(e.text)
		}
	}
	width := d.Width
	d.put(m.source, min(at, len(m.source)), min(at, len(m.source)))
	d.Width = width
}

package shader

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

var (
	nagaPlace = regexp.MustCompile(`^ *┌─ wgsl:(\d+):(\d+)`)
	nagaCaret = regexp.MustCompile(`^[^│]*│ *(\^+) ?(.*)$`)
	nagaNote  = regexp.MustCompile(`^ *= (?:note: )?(.*)$`)
	nagaEntry = regexp.MustCompile(`^Entry point (\S+) at (\w+) is invalid$`)
)

// parseNaga reads one report: a line "error: …", the place, the source's line with carets, and notes.
func parseNaga(report, file, source string) []Diagnostic {
	head, rest, _ := strings.Cut(report, "\n")
	d := Diagnostic{File: file, Message: strings.TrimPrefix(head, "error: ")}
	var notes []string
	for line := range strings.Lines(rest) {
		line = strings.TrimRight(line, " \r\n")
		if m := nagaPlace.FindStringSubmatch(line); m != nil && d.Line == 0 {
			d.Line, _ = strconv.Atoi(m[1])
			d.Column, _ = strconv.Atoi(m[2])
		} else if m := nagaCaret.FindStringSubmatch(line); m != nil && d.Width == 0 {
			d.Width = len(m[1])
			if m[2] != "" && !strings.Contains(d.Message, m[2]) {
				notes = append(notes, m[2])
			}
		} else if m := nagaNote.FindStringSubmatch(line); m != nil {
			notes = append(notes, m[1])
		}
	}
	if m := nagaEntry.FindStringSubmatch(d.Message); m != nil && d.Line == 0 {
		d.function(source, m[1])
	}
	if strings.HasPrefix(d.Message, "Function [") {
		d.expression(rest, splitLines(source))
	}
	parts := append([]string{d.Message}, notes...)
	if strings.HasSuffix(d.Message, " is invalid") { // of the validator, which speaks of numbers in its module
		for i := range parts {
			parts[i] = nagaWords(parts[i])
		}
		parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
	}
	d.Message = clean(strings.Join(parts, ": "))
	if strings.Contains(d.Message, "unknown address space: `push_constant`") {
		d.Message += ": WGSL calls push constants var<immediate>"
	}
	lines{file: splitLines(source)}.place(&d)
	return []Diagnostic{d}
}

// function sets the place to a function's name.
func (d *Diagnostic) function(source, name string) {
	tokens := wgslTokens(source)
	for i, t := range tokens {
		if t.text == name && i > 0 && tokens[i-1].text == "fn" {
			d.put(source, t.at, t.end)
			return
		}
	}
}

// nagaTab is how many columns of a report a tab is.
const nagaTab = 4

var (
	nagaSource = regexp.MustCompile(`^ *(\d+) │ (.*)$`)
	nagaLabel  = regexp.MustCompile(`(\^+ )?naga::ir::Expression \[\d+\]`)
)

// expression moves the place from a function, all of which a report is about, to the expression in it that the report has
// a label at.
func (d *Diagnostic) expression(report string, text []string) {
	number, first := 0, 0 // of the line above, and where it begins in the report
	for line := range strings.Lines(report) {
		line = strings.TrimRight(line, " \r\n")
		if m := nagaSource.FindStringSubmatch(line); m != nil {
			number, _ = strconv.Atoi(m[1])
			if number < 1 || number > len(text) {
				return
			}
			shown := strings.TrimRight(strings.ReplaceAll(text[number-1], "\t", strings.Repeat(" ", nagaTab)), " ")
			at := strings.LastIndex(line, shown)
			if at < 0 {
				return
			}
			first = utf8.RuneCountInString(line[:at])
			continue
		}
		at := nagaLabel.FindStringSubmatchIndex(line)
		if at == nil || number == 0 {
			continue
		}
		column := utf8.RuneCountInString(line[:at[0]]) - first
		if column < 0 {
			return
		}
		d.Line, d.Column, d.Width = number, 1, max(1, at[3]-at[2]-1)
		for _, r := range text[number-1] {
			if column <= 0 {
				return
			}
			if column--; r == '\t' {
				column -= nagaTab - 1
			}
			d.Column++
		}
		return
	}
}

// nagaInner is what the validator says in words of its own program, and what a reader of the source understands. Earlier
// ones come first.
var nagaInner = []struct {
	is *regexp.Regexp
	as string
}{
	{regexp.MustCompile(`^naga::\S+ \[\d+\]$`), ""},
	{regexp.MustCompile(`^(?:Expression|Call to) \[\d+\] is invalid$`), ""},
	{regexp.MustCompile(`^(Function|Global variable|Type|Constant|Override) \[\d+\] '(.*)' is invalid$`), "$1 '$2' is invalid"},
	{regexp.MustCompile("^The `return` expression None does not match the declared return type Some\\(\\[\\d+\\]\\)$"), "The function ends without the value that its declared return type asks for"},
	{regexp.MustCompile("^The `return` expression Some\\(\\[\\d+\\]\\) does not match the declared return type None$"), "The function returns a value, and declares no return type"},
	{regexp.MustCompile(`Scalar\(Scalar \{ kind: Bool, width: 1 \}\)|Scalar \{ kind: Bool, width: 1 \}`), "bool"},
	{regexp.MustCompile(`Scalar\(Scalar \{ kind: Sint, width: 4 \}\)|Scalar \{ kind: Sint, width: 4 \}`), "i32"},
	{regexp.MustCompile(`Scalar\(Scalar \{ kind: Sint, width: 8 \}\)|Scalar \{ kind: Sint, width: 8 \}`), "i64"},
	{regexp.MustCompile(`Scalar\(Scalar \{ kind: Uint, width: 4 \}\)|Scalar \{ kind: Uint, width: 4 \}`), "u32"},
	{regexp.MustCompile(`Scalar\(Scalar \{ kind: Uint, width: 8 \}\)|Scalar \{ kind: Uint, width: 8 \}`), "u64"},
	{regexp.MustCompile(`Scalar\(Scalar \{ kind: Float, width: 2 \}\)|Scalar \{ kind: Float, width: 2 \}`), "f16"},
	{regexp.MustCompile(`Scalar\(Scalar \{ kind: Float, width: 4 \}\)|Scalar \{ kind: Float, width: 4 \}`), "f32"},
	{regexp.MustCompile(`Scalar\(Scalar \{ kind: Float, width: 8 \}\)|Scalar \{ kind: Float, width: 8 \}`), "f64"},
	{regexp.MustCompile(`\b(columns|rows|size): Bi\b`), "$1: 2"},
	{regexp.MustCompile(`\b(columns|rows|size): Tri\b`), "$1: 3"},
	{regexp.MustCompile(`\b(columns|rows|size): Quad\b`), "$1: 4"},
	{regexp.MustCompile(`Vector \{ size: (\d), scalar: (\w+) \}`), "vec$1<$2>"},
	{regexp.MustCompile(`Matrix \{ columns: (\d), rows: (\d), scalar: (\w+) \}`), "mat${1}x$2<$3>"},
	{regexp.MustCompile(`Atomic\((\w+)\)`), "atomic<$1>"},
	{regexp.MustCompile(`Sampled \{ kind: Float, multi: (?:true|false) \}`), "of f32"},
	{regexp.MustCompile(`Sampled \{ kind: Uint, multi: (?:true|false) \}`), "of u32"},
	{regexp.MustCompile(`Sampled \{ kind: Sint, multi: (?:true|false) \}`), "of i32"},
	{regexp.MustCompile(`Depth \{ multi: (?:true|false) \}`), "of depth"},
	{regexp.MustCompile(`image has class of`), "the image is"},
	{regexp.MustCompile(`image class of`), "an image of"},
	{regexp.MustCompile(`the sampler is comparison=false, and the reference was provided=true`), "the sampler is no sampler_comparison"},
	{regexp.MustCompile(`the sampler is comparison=true, and the reference was provided=false`), "the sampler is a sampler_comparison, and nothing is compared"},
	{regexp.MustCompile(`is used incorrectly as GlobalUse\((\w+)\)`), "is used incorrectly: $1"},
	{regexp.MustCompile(`\[\d+\] \(of type ([^()]+)\)`), "$1"},
	{regexp.MustCompile(`^Bindings for \[\d+\] conflict with other resource$`), "Another resource has its @group and @binding"},
	{regexp.MustCompile(`is out of \[\d+\] bounds`), "is out of bounds"},
	{regexp.MustCompile(`are not met by \[\d+\]`), "are not met"},
	{regexp.MustCompile(`(?:,? (?:of|has type))? (?:Some\()?\[\d+\](?:\))?`), ""},
	{regexp.MustCompile(`^\[\d+\] `), ""},
}

// nagaFlags is what the validator says of a type that does not fit.
var nagaFlags = regexp.MustCompile(`^Type flags TypeFlags\(([A-Z_ |]*)\) do not meet the required TypeFlags\(([A-Z_ |]*)\)$`)

// nagaWords says the same in words of the language; "" where it says nothing.
func nagaWords(s string) string {
	if m := nagaFlags.FindStringSubmatch(s); m != nil {
		has := strings.Split(m[1], " | ")
		lacks := slices.DeleteFunc(strings.Split(m[2], " | "), func(f string) bool { return slices.Contains(has, f) })
		words := map[string]string{"HOST_SHAREABLE": "buffers cannot hold it (bool is such)", "SIZED": "it has no fixed size", "CONSTRUCTIBLE": "it is not constructible", "CREATION_RESOLVED": "its size is not known when the module is compiled"}
		for i, f := range lacks {
			if words[f] != "" {
				lacks[i] = words[f]
			}
		}
		return "Its type does not fit the address space: " + strings.Join(lacks, ", ")
	}
	for _, r := range nagaInner {
		s = r.is.ReplaceAllString(s, r.as)
	}
	return s
}

// nagaBreaks are types that naga reads and breaks off at when it writes.
var nagaBreaks = map[string]string{
	"texture_external": "texture_external is not supported: it is a browser's video. Take texture_2d<f32> and copy the frames to an image",
}

// broke names what naga broke off at, nil where nothing of it is in the source.
func (o *Options) broke(source string) *Error {
	tokens := wgslTokens(source)
	for i, t := range tokens {
		why := nagaBreaks[t.text]
		if partPointer(tokens, i) {
			why = "a pointer to a part of a variable is passed to a function, which is not supported: copy the part to a variable, pass that, and copy it back"
		}
		if why != "" {
			d := Diagnostic{File: o.file(), Message: why}
			d.put(source, t.at, t.end)
			lines{d.File: splitLines(source)}.place(&d)
			return &Error{Diagnostics: []Diagnostic{d}}
		}
	}
	return nil
}

// partPointer says whether &x.y or &x[y] at token i is an argument of a function of the source.
func partPointer(tokens []wgslToken, i int) bool {
	if i == 0 || i+2 >= len(tokens) || tokens[i].text != "&" || tokens[i+2].text != "." && tokens[i+2].text != "[" {
		return false
	}
	if before := tokens[i-1].text; before != "(" && before != "," {
		return false
	}
	depth := 0
	for k := i - 1; k > 0; k-- {
		switch tokens[k].text {
		case ")", "]":
			depth++
		case "[":
			depth--
		case "(":
			if depth--; depth < 0 {
				return declaresFunction(tokens, tokens[k-1].text)
			}
		case ";", "{":
			return false
		}
	}
	return false
}

// declaresFunction says whether a source has a function of its own by a name.
func declaresFunction(tokens []wgslToken, name string) bool {
	for i, t := range tokens[:len(tokens)-1] {
		if t.text == "fn" && tokens[i+1].text == name {
			return true
		}
	}
	return false
}

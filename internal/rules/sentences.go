package rules

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
	"unicode"
)

// Sentence is a sentence of a chapter of the specification, or a formula, a row of a
// table or an item of a list that is none but says what one would say. The chapters
// are not in this repository; what is, is Key, and rows in our own words
// (docs/rules/sentences-….md).
type Sentence struct {
	Key     string // of what it says, whatever the edition's hyphens and line breaks are
	Heading string // that it stands under
	Text    string
}

// Sentences splits the text of a chapter, as the folder of chapters has it: headings
// ("# …", "16.1. …"), prose broken into lines anywhere, lists, tables, and
// declarations in C, which are left out, as is all of fewer than three words.
func Sentences(chapter string) []Sentence {
	var list []Sentence
	heading, block := "", ""
	flush := func() {
		for _, text := range split(block) {
			if key := sentenceKey(text); key != "" {
				list = append(list, Sentence{key, heading, text})
			}
		}
		block = ""
	}
	code, table := false, false
	for line := range strings.Lines(chapter) {
		line = strings.TrimSpace(line)
		isRow := strings.Count(line, "|") >= 2 && !strings.Contains(line, "$")
		switch {
		case code:
			code = !strings.HasPrefix(line, "}") && !strings.HasSuffix(line, ");")
		case declares.MatchString(line):
			flush()
			code = !strings.HasSuffix(line, ";")
		case strings.HasPrefix(line, "// Provided by"):
			flush()
		case headed.MatchString(line) || unnumbered[line]:
			flush()
			heading = strings.TrimLeft(line, "# ")
		case line == "" && (table || strings.HasSuffix(block, "`")):
			// a name in code ends its line and is followed by an empty one
		case line == "" || line == "Note":
			flush()
		default:
			if isRow != table {
				flush()
			}
			table = isRow
			block = strings.TrimSpace(block + " " + line)
		}
		if line != "" && !isRow {
			table = false
		}
	}
	flush()
	return list
}

var (
	// declares begins a declaration in C.
	declares = regexp.MustCompile(`^(typedef |void vkCmd)`)
	// headed is a heading that says so.
	headed = regexp.MustCompile(`^(#+ |[0-9]{2}(\.[0-9]+)*\. [A-Z(])`)
	// ends is where a sentence ends: at a full stop or a colon, maybe with a bracket,
	// before a space and what begins one, which may be a symbol or a member's name.
	ends = regexp.MustCompile(`([.:][)’”]?) +(?:[A-Z*$\[(ερτδη“-]|x-?major|m may|r is|a, b|n is|` + "`?[a-z]+[A-Za-z]*`? ?(?:is|has|controls|can|specifies|scales))")
	// unstopped is where one ends without a stop, before a word that begins another.
	unstopped = regexp.MustCompile(`([a-z\]})⌉]) +((?:The|If|Bit|Execution|An implementation|This|These) )`)
	// value begins what a list of an enum's values says of one, often without a stop
	// before it.
	value = regexp.MustCompile(` (VK_[A-Z_]+ specifies)`)
	// short is what ends in a stop and ends no sentence.
	short = regexp.MustCompile(`(i\.e\.|e\.g\.|::)$`)
)

// unnumbered are headings that chapters have without a mark.
var unnumbered = map[string]bool{
	"Instruction/Sampler/Image View Validation": true, "Integer Texel Coordinate Validation": true,
	"Cube Map Edge Handling": true, "Sparse Validation": true, "Layout Validation": true,
	"Explicit Reconstruction": true, "Implicit Reconstruction": true,
	"Sampler Y′C_{B}C_{R} Range Expansion": true, "Sampler Y′C_{B}C_{R} Model Conversion": true,
	"Texel Format Validation": true, "Texel Type Validation": true,
	"Scale Factor Operation": true, "LevelofDetail Operation": true, "Image Level(s) Selection": true,
	"Depth Bias Enable": true, "Depth Bias Computation": true,
}

// split cuts a block into sentences.
func split(block string) []string {
	var list []string
	for part := range strings.SplitSeq(value.ReplaceAllString(unstopped.ReplaceAllString(block, "$1\n$2"), "\n$1"), "\n") {
		start := 0
		for _, at := range ends.FindAllStringSubmatchIndex(part, -1) {
			if end := at[3]; end > start && !short.MatchString(part[:end]) {
				list = append(list, strings.TrimSpace(part[start:end]))
				start = end
			}
		}
		list = append(list, strings.TrimSpace(part[start:]))
	}
	return list
}

// sentenceKey is a hash of a sentence's letters and digits, of which editions differ
// in what is between them; "" of fewer than three words.
func sentenceKey(text string) string {
	if len(strings.Fields(text)) < 3 {
		return ""
	}
	l := letters(text)
	if l == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(l))
	return hex.EncodeToString(sum[:5])
}

// letters is a text's letters and digits, in lower case.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, text)
}

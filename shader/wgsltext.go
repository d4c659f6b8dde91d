package shader

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// wgslToken is a word, a number or a sign of a WGSL source: source[at:end].
type wgslToken struct {
	text    string
	at, end int
}

// wgslTokens are a source's tokens without blanks and comments. A comment that does not end goes to the source's end.
func wgslTokens(source string) (list []wgslToken) {
	for i := 0; i < len(source); {
		end := i
		switch rest := source[i:]; {
		case strings.HasPrefix(rest, "//"):
			for end < len(source) && !isLineBreak(source[end:]) {
				end++
			}
			i = end
			continue
		case strings.HasPrefix(rest, "/*"):
			i = wgslCommentEnd(source, i)
			continue
		}
		r, n := utf8.DecodeRuneInString(source[i:])
		if unicode.IsSpace(r) || r == '\u200e' || r == '\u200f' {
			i += n
			continue
		}
		end = i + n
		if r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			for end < len(source) {
				r, n := utf8.DecodeRuneInString(source[end:])
				if r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r) && !unicode.Is(unicode.Mc, r) && !unicode.Is(unicode.Pc, r) {
					break
				}
				end += n
			}
		}
		list = append(list, wgslToken{source[i:end], i, end})
		i = end
	}
	return list
}

// isLineBreak says whether a text begins with one of WGSL's line breaks.
func isLineBreak(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return r == '\n' || r == '\v' || r == '\f' || r == '\r' || r == '\u0085' || r == '\u2028' || r == '\u2029'
}

// wgslCommentEnd is where a block comment that begins at i ends. They nest.
func wgslCommentEnd(source string, i int) int {
	for depth := 0; i < len(source); {
		switch {
		case strings.HasPrefix(source[i:], "/*"):
			depth, i = depth+1, i+2
		case strings.HasPrefix(source[i:], "*/"):
			if depth, i = depth-1, i+2; depth == 0 {
				return i
			}
		default:
			i++
		}
	}
	return len(source)
}

// put sets the diagnostic's place to bytes at to end of the source.
func (d *Diagnostic) put(source string, at, end int) {
	start := strings.LastIndexByte(source[:at], '\n') + 1
	d.Line = strings.Count(source[:at], "\n") + 1
	d.Column, d.Width = utf8.RuneCountInString(source[start:at])+1, utf8.RuneCountInString(source[at:end])
}

// latin1 makes UTF-8 of bytes that are none and stand in comments: files of old have Latin-1 there. What stands elsewhere stays.
// Each such byte becomes one character, so that places of messages are those of the file. A byte order mark goes.
func latin1(source string, language Language) string {
	source = strings.TrimPrefix(source, "\ufeff")
	if utf8.ValidString(source) {
		return source
	}
	var b strings.Builder
	for i := 0; i < len(source); {
		end := i
		switch rest := source[i:]; {
		case strings.HasPrefix(rest, "//"):
			for end < len(source) && source[end] != '\n' {
				switch more := source[end:]; {
				case language == GLSL && strings.HasPrefix(more, "\\\n"): // it goes on in the next line
					end += 2
				case language == GLSL && strings.HasPrefix(more, "\\\r\n"):
					end += 3
				default:
					end++
				}
			}
		case strings.HasPrefix(rest, "/*") && language == WGSL:
			end = wgslCommentEnd(source, i)
		case strings.HasPrefix(rest, "/*"):
			if n := strings.Index(rest[2:], "*/"); n >= 0 {
				end = i + 2 + n + 2
			} else {
				end = len(source)
			}
		default:
			b.WriteByte(source[i])
			i++
			continue
		}
		for comment := source[i:end]; comment != ""; {
			r, n := utf8.DecodeRuneInString(comment)
			if r == utf8.RuneError && n == 1 {
				r = rune(comment[0])
			}
			b.WriteRune(r)
			comment = comment[n:]
		}
		i = end
	}
	return b.String()
}

// notUTF8 is the error of a source that is no text.
func (o *Options) notUTF8(source string) *Error {
	at := 0
	for at < len(source) {
		r, n := utf8.DecodeRuneInString(source[at:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		at += n
	}
	d := Diagnostic{File: o.file(), Message: "the source is not UTF-8 text: save it as UTF-8; only comments may hold bytes of Latin-1"}
	d.put(source, at, at+1)
	return &Error{Diagnostics: []Diagnostic{d}}
}

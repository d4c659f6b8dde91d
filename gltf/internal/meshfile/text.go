package meshfile

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// lines cuts a text into logical lines: those that end in a backslash go on in the next.
type lines struct {
	r      *Reader
	data   []byte
	end    byte   // what ends a line
	number int    // of the line returned last, from 1
	passed int    // physical lines before the next one
	joined []byte // a line of several
}

// newLines reads text with line ends of any system, and without a byte order mark.
func newLines(r *Reader, data []byte) *lines {
	l := &lines{r: r, data: bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), end: '\n'}
	if bytes.IndexByte(data, '\n') < 0 && bytes.IndexByte(data, '\r') >= 0 {
		l.end = '\r'
	}
	return l
}

// physical returns the next line as it is, without its end.
func (l *lines) physical() []byte {
	l.passed++
	line := l.data
	if i := bytes.IndexByte(l.data, l.end); i >= 0 {
		line, l.data = l.data[:i], l.data[i+1:]
	} else {
		l.data = nil
	}
	return bytes.TrimRight(line, " \t\r\x00")
}

// next returns the next logical line without space at its ends, and false where there is none. It is valid until the next call.
func (l *lines) next() ([]byte, bool, error) {
	if len(l.data) == 0 {
		return nil, false, nil
	}
	if l.passed&0xfff == 0 {
		if err := l.r.stopped(); err != nil {
			return nil, false, err
		}
	}
	line := l.physical()
	l.number = l.passed
	if len(line) == 0 || line[len(line)-1] != '\\' {
		return bytes.TrimLeft(line, " \t"), true, nil
	}
	l.joined = l.joined[:0]
	for {
		rest, more := bytes.CutSuffix(line, []byte("\\"))
		if need := len(l.joined) + len(rest) + 1; need > cap(l.joined) {
			if err := l.r.take(int64(2*need), 1, "a line of several"); err != nil {
				return nil, false, err
			}
			wider := make([]byte, len(l.joined), 2*need)
			copy(wider, l.joined)
			l.r.Drop(int64(cap(l.joined)))
			l.joined = wider
		}
		l.joined = append(append(l.joined, rest...), ' ')
		if !more || len(l.data) == 0 {
			return bytes.TrimSpace(l.joined), true, nil
		}
		if l.passed&0xfff == 0 {
			if err := l.r.stopped(); err != nil {
				return nil, false, err
			}
		}
		line = l.physical()
	}
}

func (l *lines) place() string { return "line " + strconv.Itoa(l.number) }

// field cuts the first word off a line; it is empty at the end.
func field(s []byte) (word, rest []byte) {
	i := 0
	for i < len(s) && isSpace(s[i]) {
		i++
	}
	j := i
	for j < len(s) && !isSpace(s[j]) {
		j++
	}
	return s[i:j], s[j:]
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f'
}

// number reads a decimal number to the nearest float32; what is none, and what is too large, is NaN.
func number(word []byte) float32 { return float32(parse(word, 32)) }

func parse(word []byte, bits int) float64 {
	v, err := strconv.ParseFloat(string(word), bits)
	if err != nil {
		return math.NaN()
	}
	return v
}

// numbers reads as many numbers as there are on the line up to a comment, at most len(out); it returns how many.
func numbers[F float32 | float64](line []byte, out []F) int {
	bits := 32
	if _, wide := any(out).([]float64); wide {
		bits = 64
	}
	for i := range out {
		word, rest := field(line)
		if len(word) == 0 || word[0] == '#' {
			return i
		}
		out[i], line = F(parse(word, bits)), rest
	}
	return len(out)
}

// name returns the rest of a line as a name: text that is no UTF-8 is taken as Latin-1.
func name(line []byte) string {
	line = bytes.TrimSpace(line)
	if utf8.Valid(line) {
		return string(line)
	}
	var b strings.Builder
	for _, c := range line {
		b.WriteRune(rune(c))
	}
	return b.String()
}

// quoted returns a string of the file, shortened and quoted.
func quoted(s string) string {
	const most = 80
	if len(s) > most {
		return fmt.Sprintf("%q…", s[:most])
	}
	return fmt.Sprintf("%q", s)
}

// equalFold compares a word of a text with a keyword in small letters.
func equalFold(word []byte, keyword string) bool {
	return len(word) == len(keyword) && strings.EqualFold(string(word), keyword)
}

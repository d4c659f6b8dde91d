package main

import (
	"bytes"
	"html"
	"math"
	"strconv"
	"strings"
)

// Bounds on what is kept of a log that anything may have been written into.
const (
	maxLogLine = 64 << 10 // bytes; the rest of a longer line is dropped
	maxMessage = 1 << 10  // bytes of a result's message or one text
	keptTexts  = 4        // last texts of a case that make its detail
)

// logParser reads a test log as it grows. The log is line-oriented at its
// outer level (#beginTestCaseResult NAME … #endTestCaseResult), with XML
// between; of the XML only three elements matter here, and no nesting:
// Result, Text, and the Number called TestDuration.
type logParser struct {
	emit func(Result)

	line    []byte // the unfinished last line
	open    string // case that has begun and not ended
	begun   int    // cases begun so far
	ended   bool   // #endSession was seen
	result  Result
	texts   []string
	element string          // Result or Text, while its content spans lines
	content strings.Builder // of that element
}

// Write takes the next bytes of the log. It never fails.
func (p *logParser) Write(b []byte) (int, error) {
	n := len(b)
	for len(b) > 0 {
		end := bytes.IndexByte(b, '\n')
		part := b
		if end >= 0 {
			part = b[:end]
		}
		if room := maxLogLine - len(p.line); room > 0 {
			p.line = append(p.line, part[:min(room, len(part))]...)
		}
		if end < 0 {
			break
		}
		p.parseLine(string(p.line))
		p.line = p.line[:0]
		b = b[end+1:]
	}
	return n, nil
}

func (p *logParser) parseLine(line string) {
	line = strings.TrimRight(line, "\r")
	if rest, ok := strings.CutPrefix(line, "#"); ok {
		word, argument, _ := strings.Cut(rest, " ")
		switch word {
		case "beginTestCaseResult":
			p.close(Garbled, "the log begins another case inside this one")
			p.open = strings.TrimSpace(argument)
			p.begun++
			return
		case "endTestCaseResult":
			p.close(Garbled, "the log has no result for the case")
			return
		case "terminateTestCaseResult":
			p.result.Status = Status(strings.TrimSpace(argument))
			p.close(Garbled, "")
			return
		case "endSession":
			p.close(Garbled, "the log ends inside the case")
			p.ended = true
			return
		}
	}
	if p.open != "" {
		p.parseXML(line)
	}
}

// close ends the open case, if any, as the log told, or else with the status given.
func (p *logParser) close(otherwise Status, why string) {
	if p.open == "" {
		return
	}
	r := p.result
	r.Case = p.open
	if r.Status == "" {
		r.Status, r.Message = otherwise, why
	}
	if r.Status.failing() {
		r.Detail = strings.Join(p.texts, "\n")
	}
	p.open, p.result, p.texts, p.element = "", Result{}, nil, ""
	p.content.Reset()
	p.emit(r)
}

func (p *logParser) parseXML(line string) {
	if p.element == "" {
		line = strings.TrimLeft(line, " \t")
		switch {
		case strings.HasPrefix(line, "<Text>"):
			p.element, line = "Text", line[len("<Text>"):]
		case strings.HasPrefix(line, "<Result "):
			attributes, rest, found := strings.Cut(line, ">")
			if !found {
				return
			}
			_, status, _ := strings.Cut(attributes, `StatusCode="`)
			status, _, _ = strings.Cut(status, `"`)
			p.result.Status = Status(status)
			p.element, line = "Result", rest
		case strings.HasPrefix(line, "<Number ") && strings.Contains(line, `Name="TestDuration"`):
			_, value, _ := strings.Cut(line, ">")
			value, _, _ = strings.Cut(value, "<")
			if us, err := strconv.ParseFloat(value, 64); err == nil && us >= 0 && us <= math.MaxFloat64 { // neither NaN nor infinite
				p.result.Seconds = us / 1e6
			}
			return
		default:
			return
		}
	} else if p.content.Len() < maxMessage {
		p.content.WriteByte('\n')
	}
	text, _, closed := strings.Cut(line, "</"+p.element+">")
	if room := maxMessage - p.content.Len(); room > 0 {
		p.content.WriteString(text[:min(room, len(text))])
	}
	if !closed {
		return
	}
	content := strings.ToValidUTF8(html.UnescapeString(p.content.String()), "�")
	switch p.element {
	case "Result":
		p.result.Message = content
	case "Text":
		if len(p.texts) == keptTexts {
			p.texts = p.texts[1:]
		}
		p.texts = append(p.texts, content)
	}
	p.element = ""
	p.content.Reset()
}

package gltf

import (
	"fmt"
	"strings"
)

// Error says what is wrong with a model, and where. It prints as one line,
// "model.gltf: accessors[3].bufferView: index 9 out of range (4 buffer views)".
type Error struct {
	File    string // the model's name, as Load or Read got it
	Place   string // JSON path inside the file, or "GLB header" and the like; may be empty
	Message string // what is wrong, without a final stop
	Err     error  // the cause, where there is one
}

// Error returns file, place and message on one line.
func (e *Error) Error() string {
	parts := make([]string, 0, 4)
	for _, p := range []string{e.File, e.Place, e.Message} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	if e.Err != nil {
		parts = append(parts, e.Err.Error())
	}
	return oneLine(strings.Join(parts, ": "))
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// LimitError is the cause of an Error when a model needs more memory than
// Options.MaxBytes allows.
type LimitError struct {
	Need int64 // bytes that this step asked for
	Left int64 // bytes that were left of the limit
	Max  int64 // the limit
}

// Error names the three numbers and the option to raise.
func (e *LimitError) Error() string {
	return fmt.Sprintf("needs %d bytes, %d of the limit of %d are left (raise Options.MaxBytes)", e.Need, e.Left, e.Max)
}

// oneLine replaces control characters, so that a name taken from a hostile file
// cannot forge further lines of a log.
func oneLine(s string) string {
	clean := func(r rune) rune {
		if r < 0x20 || r == 0x7f {
			return ' '
		}
		return r
	}
	return strings.Map(clean, s)
}

// quoted returns a string from the file, shortened and quoted for an error.
func quoted(s string) string {
	const most = 80
	if len(s) > most {
		return fmt.Sprintf("%q…", s[:most])
	}
	return fmt.Sprintf("%q", s)
}

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
	// Err is the cause, where there is one: a *budget.Error where the model needs more
	// memory than Options.Budget has, a context's error, …
	Err error
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

package gltf

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// What a file is that is no glTF, for its error.

// oldVersion is the error of glTF 1.0, whose materials are shaders of OpenGL ES.
const oldVersion = "glTF 1.0 is not supported (2.0 is): convert it, for example with gltf-pipeline -i OLD.gltf -o NEW.gltf"

// isModelText reports whether a text that is no GLB begins as JSON objects do.
func isModelText(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n")
	return len(text) > 0 && text[0] == '{'
}

// notModel is the error of what is no model of a kind that is known.
func (l *loader) notModel(data []byte) error {
	line, _, _ := bytes.Cut(data[:min(len(data), 40)], []byte("\n"))
	line = bytes.TrimRight(line, "\r")
	is := fmt.Sprintf("its first bytes are % x", data[:min(len(data), 8)])
	switch {
	case data[0] == '[' || data[0] == '"' || string(line) == "null" || string(line) == "true" || string(line) == "false":
		is = "it is JSON, but no object"
	case utf8.Valid(line) && bytes.IndexByte(line, 0) < 0:
		is = "it is text that begins with " + quoted(string(line))
	}
	return l.fail("", nil, "is no model of a kind that is read (%s): %s", modelKinds, is)
}

package gltf

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/pumice-gpu/pumice/budget"
)

// What parsing a character, a separator and an object cost at most in memory:
// the text is held in up to four nested copies, a separator may start a list
// element (24 bytes of slice header, doubled while the list grows), an object
// may be a map or a struct.
const (
	costText      = 4
	costSeparator = 64
	costObject    = 512
)

// parsingCost bounds the memory that parsing the text takes; it is linear in
// the text and is charged before anything is built.
func parsingCost(text []byte) int64 {
	cost := costText * int64(len(text))
	inString := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == ',' || c == '[':
			cost += costSeparator
		case c == '{':
			cost += costObject
		}
	}
	return cost
}

// parseTop splits the document into its top-level members.
func (l *loader) parseTop(text []byte) error {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if !isModelText(text) {
		return l.fail("GLB chunk 0", nil, "its JSON is no object")
	}
	if end := bytes.TrimRight(text, "\x00"); len(end) < len(text) {
		l.lose("JSON", "%d bytes of 0 after its end were ignored", len(text)-len(end))
		text = end
	}
	if err := l.take(parsingCost(text), 1); err != nil {
		return l.fail("JSON", err, "parsing %s", budget.Size(int64(len(text))))
	}
	l.top = map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &l.top); err != nil {
		return l.jsonError("JSON", text, err)
	}
	return nil
}

// jsonError turns an error of package json into one with a place.
func (l *loader) jsonError(place string, text []byte, err error) error {
	var typ *json.UnmarshalTypeError
	if errors.As(err, &typ) {
		if typ.Field != "" {
			place += "." + jsonPath(typ.Field)
		}
		return l.fail(place, nil, "JSON %s where %s is expected", typ.Value, kindName(typ.Type))
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		if int(syntax.Offset) >= len(text) && strings.HasPrefix(syntax.Error(), "unexpected end") {
			return l.fail(place, nil, "the file is truncated: its text ends in line %d, before the document does", 1+bytes.Count(text, []byte("\n")))
		}
		return l.fail(place, err, "line %d", 1+bytes.Count(text[:min(int(syntax.Offset), len(text))], []byte("\n")))
	}
	return l.fail(place, err, "")
}

// jsonPath turns package json's path of struct fields into glTF's spelling:
// untagged fields differ in their first letter only.
func jsonPath(fields string) string {
	parts := strings.Split(strings.TrimPrefix(fields, "."), ".")
	for i, p := range parts {
		if p != "" {
			parts[i] = strings.ToLower(p[:1]) + p[1:]
		}
	}
	return strings.Join(parts, ".")
}

// kindName says in JSON's words what a Go type is read from.
func kindName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Int, reflect.Int64:
		return "an integer"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "an array"
	default:
		return "an object"
	}
}

// value parses one JSON value. A name that is no string has no meaning, and a number that binary32 does
// not reach stands for its largest: the rest is then parsed anew.
func (l *loader) value(raw json.RawMessage, place string, v any) error {
	err := json.Unmarshal(raw, v)
	var typ *json.UnmarshalTypeError
	for errors.As(err, &typ) {
		field := jsonPath(typ.Field)
		at := strings.TrimSuffix(place+"."+field, ".")
		switch {
		case field == "name" || field == "generator" || field == "copyright":
			l.lose(at, "JSON %s where a string is expected was ignored", typ.Value)
			var members map[string]json.RawMessage
			if err = json.Unmarshal(raw, &members); err == nil {
				delete(members, field)
				raw, err = json.Marshal(members)
			}
		case (typ.Type.Kind() == reflect.Float32 || typ.Type.Kind() == reflect.Float64) && strings.HasPrefix(typ.Value, "number "):
			var narrow json.RawMessage
			if narrow, err = narrowed(raw); err == nil && bytes.Equal(narrow, raw) {
				return l.jsonError(place, raw, typ)
			}
			l.lose(at, "%s is out of range: the largest number stands for it", strings.TrimPrefix(typ.Value, "number "))
			raw = narrow
		default:
			return l.jsonError(place, raw, err)
		}
		if err == nil {
			err = json.Unmarshal(raw, v)
		}
	}
	if err != nil {
		return l.jsonError(place, raw, err)
	}
	return nil
}

// narrowed returns a JSON value whose numbers binary32 reaches.
func narrowed(raw json.RawMessage) (json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	var walk func(v any) any
	walk = func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			for k := range v {
				v[k] = walk(v[k])
			}
		case []any:
			for i := range v {
				v[i] = walk(v[i])
			}
		case json.Number:
			f, _ := strconv.ParseFloat(string(v), 64) // infinite where it is out of its range
			if math.Abs(f) > math.MaxFloat32 {
				return math.Copysign(math.MaxFloat32, f)
			}
		}
		return v
	}
	return json.Marshal(walk(v))
}

// topList parses a top-level list of objects.
func topList[T any](l *loader, key string) ([]T, error) {
	list, err := l.topRaw(key)
	if err != nil {
		return nil, err
	}
	return parseList[T](l, list, key)
}

// topRaw returns the elements of a top-level list; none where it is absent.
func (l *loader) topRaw(key string) ([]json.RawMessage, error) {
	raw, ok := l.top[key]
	if !ok {
		return nil, nil
	}
	var list []json.RawMessage
	if err := l.value(raw, key, &list); err != nil {
		return nil, err
	}
	return list, nil
}

// looseList is topList of what need not be used: it returns also what is wrong with each element.
func looseList[T any](l *loader, key string) (out []T, wrong []error, err error) {
	list, err := l.topRaw(key)
	if err != nil {
		return nil, nil, err
	}
	if err := l.reserve(len(list), sizeOf[T]()+sizeOf[error](), key); err != nil {
		return nil, nil, err
	}
	out, wrong = make([]T, len(list)), make([]error, len(list))
	for i, raw := range list {
		wrong[i] = l.element(raw, fmt.Sprintf("%s[%d]", key, i), &out[i])
	}
	return out, wrong, nil
}

// parseList parses a list of objects.
func parseList[T any](l *loader, list []json.RawMessage, place string) ([]T, error) {
	if err := l.reserve(len(list), sizeOf[T](), place); err != nil {
		return nil, err
	}
	out := make([]T, len(list))
	for i, raw := range list {
		if err := l.element(raw, fmt.Sprintf("%s[%d]", place, i), &out[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// reserve charges a list that is about to be made.
func (l *loader) reserve(n int, size int64, place string) error {
	if err := l.ctx.Err(); err != nil {
		return l.fail(place, err, "reading was stopped")
	}
	if err := l.take(int64(n), size); err != nil {
		return l.fail(place, err, "%d elements", n)
	}
	return nil
}

// element parses an object of a list.
func (l *loader) element(raw json.RawMessage, at string, v any) error {
	if len(raw) == 0 || raw[0] != '{' {
		return l.fail(at, nil, "must be an object")
	}
	return l.value(raw, at, v)
}

// index resolves an optional reference: None where it is absent.
func (l *loader) index(place string, p *integer, n int, what string) (int, error) {
	if p == nil {
		return None, nil
	}
	return l.inRange(place, *p, n, what)
}

// required resolves a reference that must be there.
func (l *loader) required(place string, p *integer, n int, what string) (int, error) {
	if p == nil {
		return None, l.fail(place, nil, "is missing")
	}
	return l.inRange(place, *p, n, what)
}

func (l *loader) inRange(place string, v integer, n int, what string) (int, error) {
	if v < 0 || v >= integer(n) {
		return None, l.fail(place, nil, "index %d out of range (%d %s)", v, n, what)
	}
	return int(v), nil
}

// vector copies a list of exactly n numbers to out; an absent list leaves out
// as it is.
func (l *loader) vector(place string, v []float32, out []float32) error {
	if v == nil {
		return nil
	}
	if len(v) != len(out) {
		return l.fail(place, nil, "has %d numbers, must have %d", len(v), len(out))
	}
	copy(out, v)
	return nil
}

// countOf returns the length of a top-level list without resolving it.
func (l *loader) countOf(key string) (int, error) {
	raw, ok := l.top[key]
	if !ok {
		return 0, nil
	}
	var list []json.RawMessage
	if err := l.value(raw, key, &list); err != nil {
		return 0, err
	}
	return len(list), nil
}

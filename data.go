package pumice

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"

	"github.com/pumice-gpu/pumice/internal/core"
)

// Values travel to and from device memory little-endian and without padding, as encoding/binary
// lays them out: numbers, bools, arrays and structs of them, and slices of those.

const fixedHint = "use numbers, bools, arrays or structs of them, or slices of those; int, uint and string have no fixed size"

// encode lays data out. A []byte is returned as it is.
func encode(op string, data any) ([]byte, error) {
	switch v := data.(type) {
	case []byte:
		return v, nil
	case []float32:
		out := make([]byte, 4*len(v))
		for i, f := range v {
			binary.LittleEndian.PutUint32(out[4*i:], math.Float32bits(f))
		}
		return out, nil
	case []uint32:
		out := make([]byte, 4*len(v))
		for i, w := range v {
			binary.LittleEndian.PutUint32(out[4*i:], w)
		}
		return out, nil
	case []uint16:
		out := make([]byte, 2*len(v))
		for i, w := range v {
			binary.LittleEndian.PutUint16(out[2*i:], w)
		}
		return out, nil
	}
	if isNil(data) {
		return nil, &Error{Op: op, Rule: "data", Detail: "the data is nil"}
	}
	out, err := binary.Append(nil, binary.LittleEndian, data)
	if err != nil {
		return nil, &Error{Op: op, Rule: "data", Detail: fmt.Sprintf("%T has no fixed size", data), Hint: fixedHint, Err: err}
	}
	return out, nil
}

// decodedSize is how many bytes decode takes for dst; an error if dst is nothing to write to.
func decodedSize(op string, dst any) (int, error) {
	if isNil(dst) {
		return 0, &Error{Op: op, Rule: "data", Detail: "the destination is nil", Hint: "pass a slice or a pointer"}
	}
	t := reflect.TypeOf(dst)
	if k := t.Kind(); k != reflect.Slice && k != reflect.Pointer {
		return 0, &Error{Op: op, Rule: "data", Detail: fmt.Sprintf("a %T cannot be written to", dst), Hint: "pass a slice, or a pointer to the value"}
	}
	size := binary.Size(dst)
	if size < 0 {
		return 0, &Error{Op: op, Rule: "data", Detail: fmt.Sprintf("%T has no fixed size", dst), Hint: fixedHint}
	}
	if field := hiddenField(t); field != "" {
		return 0, &Error{Op: op, Rule: "data", Detail: fmt.Sprintf("field %s of %T is not exported", field, dst), Hint: "export it, or name it _ for padding"}
	}
	return size, nil
}

// decode fills dst, of which decodedSize has told how long raw has to be.
func decode(op string, raw []byte, dst any) error {
	switch v := dst.(type) {
	case []float32:
		for i := range v {
			v[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
		}
		return nil
	case []uint32:
		for i := range v {
			v[i] = binary.LittleEndian.Uint32(raw[4*i:])
		}
		return nil
	}
	if _, err := binary.Decode(raw, binary.LittleEndian, dst); err != nil {
		return &Error{Op: op, Rule: "data", Detail: fmt.Sprintf("a %T cannot be written to", dst), Hint: "pass a slice, or a pointer to the value", Err: err}
	}
	return nil
}

// isNil says that v is nil or a nil pointer. A nil slice is an empty one.
func isNil(v any) bool {
	r := reflect.ValueOf(v)
	return !r.IsValid() || r.Kind() == reflect.Pointer && r.IsNil()
}

// hiddenField names a field of structs in t that reflection may not write to, "" if there is none.
func hiddenField(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return hiddenField(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if f.Name == "_" {
				continue
			}
			if !f.IsExported() && !(f.Anonymous && f.Type.Kind() == reflect.Struct) {
				return f.Name
			}
			if inner := hiddenField(f.Type); inner != "" {
				return f.Name + "." + inner
			}
		}
	}
	return ""
}

// push records push constants.
func push(c *core.CommandBuffer, op string, offset uint32, data any) {
	raw, err := encode(op, data)
	if err != nil {
		c.Refuse(err)
		return
	}
	c.PushConstants(core.Op(op), offset, raw)
}

package gltf

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// elementType is an accessor's type as a bit, so that sets can be tested.
type elementType uint8

const (
	typeScalar elementType = 1 << iota
	typeVec2
	typeVec3
	typeVec4
	typeMat2
	typeMat3
	typeMat4
)

// elementTypes says of each type its name and its components: columns of rows.
var elementTypes = [...]struct {
	typ           elementType
	name          string
	columns, rows int
}{
	{typeScalar, "SCALAR", 1, 1},
	{typeVec2, "VEC2", 1, 2},
	{typeVec3, "VEC3", 1, 3},
	{typeVec4, "VEC4", 1, 4},
	{typeMat2, "MAT2", 2, 2},
	{typeMat3, "MAT3", 3, 3},
	{typeMat4, "MAT4", 4, 4},
}

// componentType is glTF's number of a component type.
type componentType uint16

const (
	compByte          componentType = 5120
	compUnsignedByte  componentType = 5121
	compShort         componentType = 5122
	compUnsignedShort componentType = 5123
	compInt           componentType = 5124 // OpenGL's; glTF has none, and exporters write it
	compUnsignedInt   componentType = 5125
	compFloat         componentType = 5126
)

// size returns the bytes of a component, 0 for an unknown type.
func (c componentType) size() int {
	switch c {
	case compByte, compUnsignedByte:
		return 1
	case compShort, compUnsignedShort:
		return 2
	case compInt, compUnsignedInt, compFloat:
		return 4
	}
	return 0
}

func (c componentType) String() string {
	switch c {
	case compByte:
		return "BYTE"
	case compUnsignedByte:
		return "UNSIGNED_BYTE"
	case compShort:
		return "SHORT"
	case compUnsignedShort:
		return "UNSIGNED_SHORT"
	case compInt:
		return "INT"
	case compUnsignedInt:
		return "UNSIGNED_INT"
	case compFloat:
		return "FLOAT"
	}
	return fmt.Sprintf("component type %d", uint16(c))
}

// accessor is a checked accessor: every byte it names lies in its data. One that is wrong has err,
// and no elements; who uses it returns that.
type accessor struct {
	err        error
	empty      bool // err, because it has no elements
	used       bool
	declared   *extremes // what the file says of its numbers; nil: nothing
	nonfinite  bool      // some are not; known once it is decoded
	index      int       // in the file
	typ        elementType
	typeName   string
	comp       componentType
	normalized bool
	count      int
	columns    int
	rows       int
	columnStep int    // bytes from column to column; columns of matrices start at multiples of 4
	size       int    // bytes of an element
	stride     int    // bytes from element to element
	data       []byte // from the first element on; nil: all zero
	sparse     *sparse
}

// sparse holds an accessor's replacements.
type sparse struct {
	count   int
	comp    componentType // of indices
	indices []byte
	values  []byte // tightly packed elements
}

func (a *accessor) components() int { return a.columns * a.rows }

// extremes are an accessor's min and max.
type extremes struct{ min, max []float64 }

// loadAccessors checks all accessors, used or not. Nothing is decoded yet. What is wrong with one that
// nothing uses is told by tellUnused.
func (l *loader) loadAccessors() error {
	raws, wrong, err := looseList[rawAccessor](l, "accessors")
	if err != nil {
		return err
	}
	l.accessors, l.files = make([]accessor, len(raws)), len(raws)
	for i := range raws {
		a := &l.accessors[i]
		if wrong[i] != nil {
			*a = accessor{index: i, err: wrong[i]}
		} else if err := l.checkAccessor(&raws[i], i, a, fmt.Sprintf("accessors[%d]", i)); err != nil {
			*a = accessor{index: i, err: err, empty: a.empty}
		}
	}
	return nil
}

// accessorAt resolves a reference to one of the file's accessors, which must be right.
func (l *loader) accessorAt(place string, p *integer) (int, error) {
	i, err := l.required(place, p, l.files, "accessors")
	if err != nil {
		return None, err
	}
	l.accessors[i].used = true
	if err := l.accessors[i].err; err != nil {
		return None, err
	}
	return i, nil
}

func (l *loader) checkAccessor(raw *rawAccessor, index int, a *accessor, place string) error {
	for _, e := range elementTypes {
		if e.name == raw.Type {
			a.typ, a.typeName, a.columns, a.rows = e.typ, e.name, e.columns, e.rows
		}
	}
	if a.typ == 0 {
		return l.fail(place+".type", nil, "%s is not SCALAR, VEC2, VEC3, VEC4, MAT2, MAT3 or MAT4", quoted(raw.Type))
	}
	comp, err := l.componentType(place+".componentType", raw.ComponentType)
	if err != nil {
		return err
	}
	a.comp = comp
	a.normalized = raw.Normalized
	if a.normalized && comp.size() == 4 {
		l.lose(place+".normalized", "%v cannot be normalized", comp)
		a.normalized = false
	}
	if raw.Count == nil {
		return l.fail(place+".count", nil, "is missing")
	}
	if a.empty = *raw.Count == 0; *raw.Count < 1 || *raw.Count > math.MaxInt32 {
		return l.fail(place+".count", nil, "%d is outside 1 … %d", *raw.Count, math.MaxInt32)
	}
	a.index, a.count = index, int(*raw.Count)
	a.columnStep = a.rows * comp.size()
	if a.columns > 1 {
		a.columnStep = (a.columnStep + 3) &^ 3
	}
	a.size = (a.columns-1)*a.columnStep + a.rows*comp.size()
	if a.columns > 1 {
		a.size = a.columns * a.columnStep
	}
	a.stride = a.size

	if raw.BufferView != nil {
		v, _, err := l.viewData(place+".bufferView", raw.BufferView)
		if err != nil {
			return err
		}
		if s := l.views[v].stride; s != 0 {
			if s < a.size {
				return l.fail(fmt.Sprintf("bufferViews[%d].byteStride", v), nil, "%d is less than the %d bytes of an element of %s", s, a.size, place)
			}
			a.stride = s
		}
		if a.data, err = l.span(v, raw.ByteOffset, a.count, a.stride, a.size, place); err != nil {
			return err
		}
		if raw.ByteOffset%integer(comp.size()) != 0 {
			l.lose(place+".byteOffset", "%d is not a multiple of the component's %d bytes", raw.ByteOffset, comp.size())
		}
	} else if raw.ByteOffset != 0 {
		l.lose(place+".byteOffset", "has no bufferView to be in")
	}
	a.declared = l.extremes(raw, a, place)
	if raw.Sparse == nil {
		return nil
	}
	if raw.Sparse.Count == 0 {
		l.lose(place+".sparse.count", "is 0")
		return nil
	}
	return l.checkSparse(raw, a, place+".sparse")
}

// extremes reads min and max, nil where they are not there.
func (l *loader) extremes(raw *rawAccessor, a *accessor, place string) *extremes {
	if raw.Min == nil || raw.Max == nil {
		return nil
	}
	e := &extremes{}
	err := errors.Join(json.Unmarshal(raw.Min, &e.min), json.Unmarshal(raw.Max, &e.max))
	if err != nil || len(e.min) != a.components() || len(e.max) != a.components() {
		l.lose(place, "min and max must be %d numbers each", a.components())
		return nil
	}
	return e
}

func (l *loader) checkSparse(raw *rawAccessor, a *accessor, place string) error {
	r := raw.Sparse
	if r.Count < 1 || r.Count > integer(a.count) {
		return l.fail(place+".count", nil, "%d is outside 1 … %d", r.Count, a.count)
	}
	comp, err := l.componentType(place+".indices.componentType", r.Indices.ComponentType)
	if err != nil {
		return err
	}
	if comp != compUnsignedByte && comp != compUnsignedShort && comp != compUnsignedInt {
		return l.fail(place+".indices.componentType", nil, "%v is not an unsigned integer", comp)
	}
	s := &sparse{count: int(r.Count), comp: comp}
	v, _, err := l.viewData(place+".indices.bufferView", r.Indices.BufferView)
	if err != nil {
		return err
	}
	if s.indices, err = l.span(v, r.Indices.ByteOffset, s.count, comp.size(), comp.size(), place+".indices"); err != nil {
		return err
	}
	if v, _, err = l.viewData(place+".values.bufferView", r.Values.BufferView); err != nil {
		return err
	}
	if s.values, err = l.span(v, r.Values.ByteOffset, s.count, a.size, a.size, place+".values"); err != nil {
		return err
	}
	last := -1
	for i := range s.count {
		at := int(readUint(s.indices[i*comp.size():], comp))
		if at <= last || at >= a.count {
			return l.fail(place+".indices", nil, "index %d at position %d: must strictly increase and be below %d", at, i, a.count)
		}
		last = at
	}
	a.sparse = s
	return nil
}

func (l *loader) componentType(place string, v integer) (componentType, error) {
	if v > 0 && v <= math.MaxUint16 {
		if c := componentType(v); c.size() != 0 {
			return c, nil
		}
	}
	return 0, l.fail(place, nil, "%d is not a component type", v)
}

// span returns the bytes of count elements in a view, or an error that says
// how far they reach.
func (l *loader) span(v int, offset integer, count, stride, size int, place string) ([]byte, error) {
	data := l.views[v].data
	if offset < 0 || offset > integer(len(data)) {
		return nil, l.fail(place+".byteOffset", nil, "%d is outside the %d bytes of bufferViews[%d]", offset, len(data), v)
	}
	// count and stride < 2^31: no overflow.
	need := int64(count-1)*int64(stride) + int64(size)
	if need > int64(len(data))-int64(offset) {
		return nil, l.fail(place, nil, "%d elements need %d bytes from offset %d, bufferViews[%d] has %d", count, need, offset, v, len(data))
	}
	return data[offset:][:need], nil
}

// each calls f with the bytes of every element in order, sparse replacements applied.
// Elements that are zero because there are no data are left out. It ends early with the
// context.
func (a *accessor) each(ctx context.Context, f func(i int, b []byte)) error {
	next, at := 0, a.count // the first replacement that has not been passed, its element
	advance := func() {
		if at = a.count; next < a.sparse.count {
			at = int(readUint(a.sparse.indices[next*a.sparse.comp.size():], a.sparse.comp))
		}
	}
	if a.sparse != nil {
		advance()
	}
	for i := 0; i < a.count; i++ {
		if a.data == nil {
			if i = at; i >= a.count {
				break
			}
		}
		if i&(1<<16-1) == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		if i != at {
			f(i, a.data[i*a.stride:][:a.size])
			continue
		}
		f(i, a.sparse.values[next*a.size:][:a.size])
		next++
		advance()
	}
	return nil
}

// readUint reads an unsigned component.
func readUint(b []byte, c componentType) uint32 {
	switch c {
	case compUnsignedByte:
		return uint32(b[0])
	case compUnsignedShort:
		return uint32(binary.LittleEndian.Uint16(b))
	default:
		return binary.LittleEndian.Uint32(b)
	}
}

// readWhole reads a component that should be unsigned and need not be; ok says that it is a whole
// number from 0 on.
func readWhole(b []byte, c componentType) (v uint32, ok bool) {
	switch c {
	case compUnsignedByte, compUnsignedShort, compUnsignedInt:
		return readUint(b, c), true
	case compInt:
		v = binary.LittleEndian.Uint32(b)
		return v, int32(v) >= 0
	}
	f := float64(readFloat(b, c, false))
	if !(f >= 0 && f <= math.MaxUint32) || f != math.Trunc(f) {
		return 0, false
	}
	return uint32(f), true
}

// readFloat reads a component as a number. Normalised integers follow glTF's
// equations: c/255, max(c/127, -1) and so on.
func readFloat(b []byte, c componentType, normalized bool) float32 {
	var v, unit float32
	switch c {
	case compFloat:
		return math.Float32frombits(binary.LittleEndian.Uint32(b))
	case compByte:
		v, unit = float32(int8(b[0])), 127
	case compUnsignedByte:
		v, unit = float32(b[0]), 255
	case compShort:
		v, unit = float32(int16(binary.LittleEndian.Uint16(b))), 32767
	case compUnsignedShort:
		v, unit = float32(binary.LittleEndian.Uint16(b)), 65535
	case compInt:
		return float32(int32(binary.LittleEndian.Uint32(b)))
	case compUnsignedInt:
		return float32(binary.LittleEndian.Uint32(b))
	}
	if normalized {
		return max(v/unit, -1)
	}
	return v
}

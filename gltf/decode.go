package gltf

import (
	"fmt"
	"math"
	"reflect"
	"strings"
)

// accept says which accessors a use takes.
type accept struct {
	types      elementType   // set of types
	floats     bool          // FLOAT
	normalized bool          // any normalised 8- or 16-bit integer
	unsigned   bool          // plain UNSIGNED_BYTE and UNSIGNED_SHORT
	integers   bool          // any plain 8- or 16-bit integer
	uint32     bool          // plain UNSIGNED_INT
	quantized  quantizedKind // what KHR_mesh_quantization adds
	count      int           // required number of elements, 0: any
	whole      bool          // any type: the numbers are looked at
	loosely    bool          // plain integers stand for normalised ones, which is told
	nonfinite  bool          // NaN and infinities are kept: l.nonfinite says that there are some
}

// quantizedKind is what KHR_mesh_quantization adds to an attribute.
type quantizedKind uint8

const (
	quantizedNone       quantizedKind = iota
	quantizedAny                      // 8- and 16-bit integers, normalised or not
	quantizedNormalized               // BYTE and SHORT normalised
	quantizedSigned                   // BYTE and SHORT, normalised or not
)

// plainly reports whether core glTF takes the accessor for the use.
func (u accept) plainly(a *accessor) bool {
	small := a.comp.size() < 4
	switch {
	case a.comp == compFloat:
		return u.floats
	case a.comp == compUnsignedInt:
		return u.uint32
	case a.comp == compInt:
		return false
	case a.normalized:
		return small && u.normalized
	case a.comp == compUnsignedByte || a.comp == compUnsignedShort:
		return u.unsigned || u.integers
	default:
		return u.integers
	}
}

// quantizedly reports whether KHR_mesh_quantization takes it.
func (u accept) quantizedly(a *accessor) bool {
	if a.comp.size() == 4 {
		return false
	}
	signed := a.comp == compByte || a.comp == compShort
	switch u.quantized {
	case quantizedAny:
		return true
	case quantizedNormalized:
		return signed && a.normalized
	case quantizedSigned:
		return signed
	case quantizedNone:
	}
	return false
}

// use checks an accessor against what its user takes, and returns the one to read in its place.
func (l *loader) use(index int, place string, u accept) (int, *accessor, error) {
	if err := l.ctx.Err(); err != nil {
		return None, nil, l.fail(place, err, "reading was stopped")
	}
	a := &l.accessors[index]
	if a.typ&u.types == 0 {
		var names []string
		for _, e := range elementTypes {
			if e.typ&u.types != 0 {
				names = append(names, e.name)
			}
		}
		return None, nil, l.fail(place, nil, "accessors[%d] is %s, must be %s", a.index, a.typeName, strings.Join(names, " or "))
	}
	if u.count != 0 && a.count != u.count {
		return None, nil, l.fail(place, nil, "accessors[%d] has %d elements, must have %d", a.index, a.count, u.count)
	}
	switch {
	case u.whole, u.plainly(a):
	case u.quantizedly(a):
		if !l.extensions["KHR_mesh_quantization"] {
			l.lose(fmt.Sprintf("accessors[%d]", a.index), "quantized vertices without KHR_mesh_quantization in extensionsUsed")
		}
	case u.loosely && a.comp.size() < 4:
		if !a.normalized {
			l.lose(place, "accessors[%d] holds %v, which must be normalized here, and is taken so", a.index, a.comp)
			index = l.normalize(index)
			a = &l.accessors[index]
		} else {
			l.lose(place, "accessors[%d] holds normalized %v, which is not allowed here", a.index, a.comp)
		}
	default:
		normalized := ""
		if a.normalized {
			normalized = "normalized "
		}
		return None, nil, l.fail(place, nil, "accessors[%d] holds %s%v, which is not allowed here", a.index, normalized, a.comp)
	}
	return index, a, nil
}

// normalize returns the number of an accessor that is another's, normalised.
func (l *loader) normalize(index int) int {
	if have, ok := l.normalized[index]; ok {
		return have
	}
	a := l.accessors[index]
	a.normalized = true
	l.normalized[index] = l.append(a)
	return l.normalized[index]
}

// cacheKey identifies decoded data: accessors are often shared.
type cacheKey struct {
	accessor int
	kind     reflect.Type
	opaque   bool // colours of three components whose alpha was set to 1
}

// decoded returns the accessor as n of T, from the cache or element by element
// through f, which may set bad. The memory is charged before it is allocated.
func decoded[T any](l *loader, index int, n int, f func(out []T, i int, b []byte, bad *error)) ([]T, error) {
	key := cacheKey{accessor: index, kind: reflect.TypeFor[T]()}
	if v, ok := l.cache[key]; ok {
		return v.([]T), nil
	}
	a := &l.accessors[index]
	place := fmt.Sprintf("accessors[%d]", a.index)
	if err := l.take(int64(n), int64(reflect.TypeFor[T]().Size())); err != nil {
		return nil, l.fail(place, err, "decoding %d elements", a.count)
	}
	out := make([]T, n)
	var bad error
	if err := a.each(l.ctx, func(i int, b []byte) { f(out, i, b, &bad) }); err != nil {
		return nil, l.fail(place, err, "reading was stopped")
	}
	if bad != nil {
		return nil, bad
	}
	l.cache[key] = out
	return out, nil
}

// number reads component c of element i (column-major) and refuses NaN and
// infinities, unless keep says otherwise.
func (l *loader) number(a *accessor, keep bool, i, c int, b []byte, bad *error) float32 {
	at := c/a.rows*a.columnStep + c%a.rows*a.comp.size()
	v := readFloat(b[at:], a.comp, a.normalized)
	if v-v != 0 {
		a.nonfinite = true
		if !keep && *bad == nil {
			*bad = l.fail(fmt.Sprintf("accessors[%d]", a.index), nil, "element %d, component %d is %v", i, c, v)
		}
	}
	return v
}

// scalars decodes an accessor to a flat list of all its components.
func (l *loader) scalars(index int, place string, u accept) ([]float32, error) {
	index, a, err := l.use(index, place, u)
	if err != nil {
		return nil, err
	}
	n := a.components()
	if int64(a.count)*int64(n) > maxElements {
		return nil, l.fail(place, nil, "accessors[%d] has too many components", a.index)
	}
	return decoded(l, index, a.count*n, func(out []float32, i int, b []byte, bad *error) {
		for c := range n {
			out[i*n+c] = l.number(a, false, i, c, b, bad)
		}
	})
}

// maxElements keeps element numbers inside int32 on every platform.
const maxElements = 1<<31 - 1

// vectors decodes an accessor to fixed arrays; the accessor may have fewer
// components than the array, the others stay zero.
func vectors[T [2]float32 | [3]float32 | [4]float32 | [16]float32](l *loader, index int, place string, u accept) ([]T, error) {
	index, a, err := l.use(index, place, u)
	if err != nil {
		return nil, err
	}
	n := a.components()
	out, err := decoded(l, index, a.count, func(out []T, i int, b []byte, bad *error) {
		v := &out[i]
		for c := range n {
			(*v)[c] = l.number(a, u.nonfinite, i, c, b, bad)
		}
	})
	if err == nil && a.nonfinite {
		if !u.nonfinite { // decoded for a user who keeps them
			return nil, l.fail(fmt.Sprintf("accessors[%d]", a.index), nil, "holds numbers that are not finite")
		}
		l.nonfinite = true
	}
	return out, err
}

// wholes finds the accessor that numbers vertices or joints. Other types than glTF allows are taken
// where all numbers are whole, and told.
func (l *loader) wholes(index int, place string, u accept) (int, *accessor, error) {
	index, a, err := l.use(index, place, accept{types: u.types, count: u.count, whole: true})
	if err == nil && !u.plainly(a) {
		l.lose(place, "accessors[%d] holds %v, which is not allowed here", a.index, a.comp)
	}
	return index, a, err
}

// whole reads component c of element i, which must be a whole number up to most.
func (l *loader) whole(a *accessor, most uint32, i, c int, b []byte, bad *error) uint32 {
	v, ok := readWhole(b[c*a.comp.size():], a.comp)
	if (!ok || v > most) && *bad == nil {
		*bad = l.fail(fmt.Sprintf("accessors[%d]", a.index), nil, "element %d, component %d is no whole number from 0 to %d", i, c, most)
	}
	return v
}

// uints decodes a scalar accessor of unsigned integers.
func (l *loader) uints(index int, place string) ([]uint32, error) {
	index, a, err := l.wholes(index, place, accept{types: typeScalar, unsigned: true, uint32: true})
	if err != nil {
		return nil, err
	}
	return decoded(l, index, a.count, func(out []uint32, i int, b []byte, bad *error) { out[i] = l.whole(a, math.MaxUint32, i, 0, b, bad) })
}

// joints decodes a JOINTS_n accessor.
func (l *loader) joints(index int, place string, count int) ([][4]uint16, error) {
	index, a, err := l.wholes(index, place, accept{types: typeVec4, unsigned: true, count: count})
	if err != nil {
		return nil, err
	}
	return decoded(l, index, a.count, func(out [][4]uint16, i int, b []byte, bad *error) {
		for c := range 4 {
			out[i][c] = uint16(l.whole(a, math.MaxUint16, i, c, b, bad))
		}
	})
}

// colors decodes a COLOR_0 accessor; alpha is 1 where it has three components.
func (l *loader) colors(index int, place string, u accept) ([][4]float32, error) {
	c, err := vectors[[4]float32](l, index, place, u)
	if err != nil || l.accessors[index].typ == typeVec4 {
		return c, err
	}
	// A copy: as a morph target's difference the same accessor has alpha 0.
	key := cacheKey{accessor: index, kind: reflect.TypeFor[[4]float32](), opaque: true}
	if v, ok := l.cache[key]; ok {
		return v.([][4]float32), nil
	}
	if err := l.take(int64(len(c)), 16); err != nil {
		return nil, l.fail(fmt.Sprintf("accessors[%d]", l.accessors[index].index), err, "decoding %d colours", len(c))
	}
	out := make([][4]float32, len(c))
	for i, v := range c {
		out[i] = [4]float32{v[0], v[1], v[2], 1}
	}
	l.cache[key] = out
	return out, nil
}

package gltf

import (
	"math"
	"reflect"
	"testing"
)

var acceptAll = accept{types: 0x7f, floats: true, normalized: true, integers: true, uint32: true}

func TestAccessor_ComponentTypes(t *testing.T) {
	for _, c := range []struct {
		name       string
		comp       componentType
		normalized bool
		data       any
		want       []float32
	}{
		{"byte", compByte, false, []int8{-128, -1, 127}, []float32{-128, -1, 127}},
		{"unsigned byte", compUnsignedByte, false, []uint8{0, 1, 255}, []float32{0, 1, 255}},
		{"short", compShort, false, []int16{-32768, -1, 32767}, []float32{-32768, -1, 32767}},
		{"unsigned short", compUnsignedShort, false, []uint16{0, 1, 65535}, []float32{0, 1, 65535}},
		{"unsigned int", compUnsignedInt, false, []uint32{0, 1, 1 << 31}, []float32{0, 1, 1 << 31}},
		{"float", compFloat, false, []float32{-0.5, 1e-40, 3e38}, []float32{-0.5, 1e-40, 3e38}},
		{"byte normalized", compByte, true, []int8{-128, -127, 64}, []float32{-1, -1, 64.0 / 127}},
		{"unsigned byte normalized", compUnsignedByte, true, []uint8{0, 51, 255}, []float32{0, 51.0 / 255, 1}},
		{"short normalized", compShort, true, []int16{-32768, -32767, 32767}, []float32{-1, -1, 1}},
		{"unsigned short normalized", compUnsignedShort, true, []uint16{0, 13107, 65535}, []float32{0, 0.2, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMaker()
			m.add("SCALAR", c.comp, 3, c.data, obj{"normalized": c.normalized})
			got, err := accessorsOf(t, m).scalars(0, "test", acceptAll)
			if err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("%v, %v; want %v", got, err, c.want)
			}
		})
	}
}

func TestAccessor_ElementTypes(t *testing.T) {
	for _, c := range []struct {
		typ  string
		comp componentType
		data any
		want []float32
	}{
		{"VEC2", compFloat, []float32{1, 2, 3, 4}, []float32{1, 2, 3, 4}},
		{"VEC3", compUnsignedByte, []uint8{1, 2, 3, 4, 5, 6}, []float32{1, 2, 3, 4, 5, 6}},
		{"VEC4", compShort, []int16{1, 2, 3, 4, 5, 6, 7, 8}, []float32{1, 2, 3, 4, 5, 6, 7, 8}},
		// Columns of matrices start at multiples of four bytes.
		{"MAT2", compByte, []int8{1, 2, 0, 0, 3, 4, 0, 0, 5, 6, 0, 0, 7, 8, 0, 0}, []float32{1, 2, 3, 4, 5, 6, 7, 8}},
		{"MAT3", compUnsignedShort, []uint16{
			1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9, 0, 11, 12, 13, 0, 14, 15, 16, 0, 17, 18, 19, 0,
		}, []float32{1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17, 18, 19}},
		{"MAT4", compFloat, append(identity16(), identity16()...), append(identity16(), identity16()...)},
	} {
		t.Run(c.typ, func(t *testing.T) {
			m := newMaker()
			m.add(c.typ, c.comp, 2, c.data)
			got, err := accessorsOf(t, m).scalars(0, "test", acceptAll)
			if err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("%v, %v; want %v", got, err, c.want)
			}
		})
	}
}

func TestAccessor_InterleavedAndOffset(t *testing.T) {
	m := newMaker()
	v := m.addView(bytesOf([]float32{9, 1, 2, 9, 9, 3, 4}), 16)
	m.acc = append(m.acc, obj{"type": "VEC2", "componentType": 5126, "count": 2, "bufferView": v, "byteOffset": 4})
	got, err := accessorsOf(t, m).scalars(0, "test", acceptAll)
	if want := []float32{1, 2, 3, 4}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
}

func TestAccessor_Sparse(t *testing.T) {
	for _, base := range []any{nil, []float32{1, 2, 3, 4, 5}} {
		for _, comp := range []componentType{compUnsignedByte, compUnsignedShort, compUnsignedInt} {
			m := newMaker()
			var indices any = []uint8{1, 4}
			switch comp {
			case compUnsignedShort:
				indices = []uint16{1, 4}
			case compUnsignedInt:
				indices = []uint32{1, 4}
			}
			m.add("SCALAR", compFloat, 5, base, obj{"sparse": obj{
				"count":   2,
				"indices": obj{"bufferView": m.addView(bytesOf(indices), 0), "componentType": int(comp)},
				"values":  obj{"bufferView": m.addView(bytesOf([]float32{8, 9}), 0)},
			}})
			want := []float32{0, 8, 0, 0, 9}
			if base != nil {
				want = []float32{1, 8, 3, 4, 9}
			}
			got, err := accessorsOf(t, m).scalars(0, "test", acceptAll)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%v, base %v: %v, %v; want %v", comp, base, got, err, want)
			}
		}
	}
}

func TestAccessor_NaNAndInfinityAreRefused(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		m := newMaker()
		m.add("VEC2", compFloat, 2, []float32{0, 0, 0, float32(bad)})
		_, err := accessorsOf(t, m).scalars(0, "test", acceptAll)
		if err == nil {
			t.Errorf("%v was accepted", bad)
		}
	}
}

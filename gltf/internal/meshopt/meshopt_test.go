package meshopt

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"slices"
	"testing"
)

// vectors were encoded and decoded by meshoptimizer; testdata/vectors.mjs made them.
//
//go:embed testdata/vectors.json
var vectors []byte

var (
	modes   = map[string]Mode{"ATTRIBUTES": Attributes, "TRIANGLES": Triangles, "INDICES": Indices}
	filters = map[string]Filter{"NONE": None, "OCTAHEDRAL": Octahedral, "QUATERNION": Quaternion, "EXPONENTIAL": Exponential, "COLOR": Color}
)

type vector struct {
	name             string
	layout           Layout
	encoded, decoded []byte
}

func readVectors(t testing.TB) []vector {
	t.Helper()
	var raw []struct {
		Name, Mode, Filter, Encoded, Decoded string
		Count, Stride                        int
	}
	if err := json.Unmarshal(vectors, &raw); err != nil {
		t.Fatal(err)
	}
	var out []vector
	for _, r := range raw {
		v := vector{name: r.Name, layout: Layout{modes[r.Mode], filters[r.Filter], r.Count, r.Stride}}
		var err error
		if v.encoded, err = base64.StdEncoding.DecodeString(r.Encoded); err != nil {
			t.Fatal(err)
		}
		if v.decoded, err = base64.StdEncoding.DecodeString(r.Decoded); err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

// What meshoptimizer makes of its streams, to the bit; filters may differ by one unit,
// as the specification allows.
func TestDecode_EqualsMeshoptimizer(t *testing.T) {
	seen := map[Layout]bool{}
	for _, v := range readVectors(t) {
		t.Run(v.name, func(t *testing.T) {
			seen[Layout{Mode: v.layout.Mode, Filter: v.layout.Filter}] = true
			dst := make([]byte, len(v.decoded))
			if err := Decode(context.Background(), dst, v.layout, v.encoded); err != nil {
				t.Fatal(err)
			}
			if int64(len(v.encoded)) < v.layout.Least() {
				t.Errorf("%d bytes are fewer than the least, %d", len(v.encoded), v.layout.Least())
			}
			if at, ok := equal(dst, v.decoded, v.layout); !ok {
				t.Errorf("byte %d: %d, want %d", at, dst[at], v.decoded[at])
			}
		})
	}
	if len(seen) != 7 { // five filters and two codecs of indices
		t.Errorf("%d pairs of mode and filter were decoded", len(seen))
	}
}

// equal compares with what filters may differ by.
func equal(got, want []byte, l Layout) (at int, ok bool) {
	exact := l.Filter == None || l.Filter == Exponential
	for i := range got {
		switch {
		case exact && got[i] != want[i]:
			return i, false
		case exact:
		case l.Stride == 4:
			if d := int(int8(got[i] - want[i])); d < -1 || d > 1 {
				return i, false
			}
		case i%2 == 0:
			if d := int16(binary.LittleEndian.Uint16(got[i:]) - binary.LittleEndian.Uint16(want[i:])); d < -1 || d > 1 {
				return i, false
			}
		}
	}
	return 0, true
}

// A stream cut anywhere is an error.
func TestDecode_RefusesCutStreams(t *testing.T) {
	for _, v := range readVectors(t) {
		dst := make([]byte, len(v.decoded))
		for n := 0; n < len(v.encoded); n += 3 {
			if err := Decode(t.Context(), dst, v.layout, v.encoded[:n]); err == nil {
				t.Errorf("%s: %d of %d bytes are taken", v.name, n, len(v.encoded))
			}
		}
	}
}

// A stream with a byte too many before its tail is an error.
func TestDecode_RefusesWhatIsLeftOver(t *testing.T) {
	for _, v := range readVectors(t) {
		tail := map[Mode]int{Attributes: max(v.layout.Stride, 32), Triangles: 16, Indices: 4}[v.layout.Mode]
		if v.encoded[0] == versionKHR {
			tail = max(v.layout.Stride*5/4, 24)
		}
		at := len(v.encoded) - tail
		longer := slices.Insert(bytes.Clone(v.encoded), at, 0)
		if err := Decode(t.Context(), make([]byte, len(v.decoded)), v.layout, longer); !errors.Is(err, errLeftOver) {
			t.Errorf("%s: %v", v.name, err)
		}
	}
}

func TestDecode_RefusesLayouts(t *testing.T) {
	for _, l := range []Layout{
		{Attributes, None, 0, 4}, {Attributes, None, 1, 6}, {Attributes, None, 1, 260}, {Attributes, None, 1, 0},
		{Triangles, None, 4, 4}, {Triangles, None, 3, 3}, {Indices, Octahedral, 3, 4}, {Attributes, Quaternion, 1, 4},
		{Attributes, Octahedral, 1, 12}, {Attributes, Color, 1, 16}, {9, None, 1, 4}, {Attributes, 9, 1, 4},
	} {
		if err := Decode(t.Context(), make([]byte, max(l.Count*l.Stride, 0)), l, make([]byte, 400)); err == nil {
			t.Errorf("%+v is taken", l)
		}
	}
}

// The specification's example of deltas of 4 bits.
func TestGroup_SpecificationsExample(t *testing.T) {
	a := &attributes{stride: 4, data: []byte{0x17, 0x5f, 0xf0, 0xbc, 0x77, 0xa9, 0x21, 0x00, 0x34, 0xb5}}
	out := make([]byte, 16)
	if err := a.group(out, 4); err != nil || len(a.data) != 0 {
		t.Fatal(err, len(a.data))
	}
	want := []int8{-1, -4, -3, 26, -91, 0, -6, 6, -4, -4, 5, -5, 1, -1, 0, 0}
	for i, v := range out {
		if got := int8(v>>1 ^ -(v & 1)); got != want[i] {
			t.Errorf("delta %d is %d, want %d", i, got, want[i])
		}
	}
}

// Numbers whose bytes give seven bits each, the lowest first.
func TestVarint_LowestBitsFirst(t *testing.T) {
	for _, c := range []struct {
		in   []byte
		want uint32
	}{{[]byte{0x7f}, 0x7f}, {[]byte{0x81, 0x04}, 0x201}, {[]byte{0xff, 0xa0, 0x05}, 0x7f + 0x20<<7 + 5<<14}} {
		r := reader{data: c.in}
		if got, err := r.varint(); err != nil || got != c.want {
			t.Errorf("% x is %#x, %v; want %#x", c.in, got, err, c.want)
		}
	}
	r := reader{data: bytes.Repeat([]byte{0x80}, 6)}
	if _, err := r.varint(); err == nil {
		t.Error("six bytes are taken")
	}
}

func TestTriangles_UnwrittenEdgeIsAnError(t *testing.T) {
	src := append([]byte{0xe1, 0x00}, make([]byte, 16)...)
	if err := Decode(t.Context(), make([]byte, 12), Layout{Triangles, None, 3, 4}, src); !errors.Is(err, errUnwritten) {
		t.Errorf("error %v", err)
	}
}

func TestDecode_EndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, v := range readVectors(t) {
		if err := Decode(ctx, make([]byte, len(v.decoded)), v.layout, v.encoded); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", v.name, err)
		}
	}
}

// FuzzDecode decodes arbitrary streams under arbitrary layouts.
func FuzzDecode(f *testing.F) {
	for _, v := range readVectors(f) {
		l := v.layout
		f.Add(uint8(l.Mode), uint8(l.Filter), uint16(l.Count), uint16(l.Stride), v.encoded)
	}
	f.Fuzz(func(t *testing.T, mode, filter uint8, count, stride uint16, data []byte) {
		l := Layout{Mode(mode), Filter(filter), int(count), int(stride)}
		dst := make([]byte, l.Count*l.Stride)
		if err := Decode(t.Context(), dst, l, data); err == nil && int64(len(data)) < l.Least() {
			t.Fatalf("%d bytes decode, at least %d are needed", len(data), l.Least())
		}
	})
}

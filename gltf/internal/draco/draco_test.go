package draco

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pumice-gpu/pumice/budget"
)

// streamFile holds a mesh and its streams by Draco's encoder; testdata/streams.mjs made it.
//
//go:embed testdata/streams.json
var streamFile []byte

type streams struct {
	Mesh struct {
		Indices                                      []int
		Position, Normal, UV, Color, Joints, Weights []float64
	}
	Streams []struct {
		Name   string
		Stream string
		IDs    map[string]uint32 `json:"ids"`
	}
}

func readStreams(t testing.TB) streams {
	t.Helper()
	var s streams
	if err := json.Unmarshal(streamFile, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *streams) data(t testing.TB, i int) []byte {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(s.Streams[i].Stream)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func newDecoder(t testing.TB, b *budget.Budget) *Decoder {
	t.Helper()
	d, err := New(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

// column is an attribute of the source and how far quantisation may move it.
type column struct {
	name       string
	typ        Type
	components int
	values     []float64
	tolerance  float64
}

func (s *streams) columns() []column {
	m := &s.Mesh
	return []column{
		{"position", Float32, 3, m.Position, 2.0 / (1 << 14)}, // half a step of the largest extent, and rounding
		{"normal", Float32, 3, m.Normal, 4.0 / (1 << 10)},     // octahedral, 10 bits
		{"uv", Float32, 2, m.UV, 1.0 / (1 << 12)},
		{"color", Uint8, 4, m.Color, 0},
		{"joints", Uint16, 4, m.Joints, 0},
		{"weights", Float32, 4, m.Weights, 1.0 / (1 << 12)},
	}
}

func component(b []byte, t Type, i int) float64 {
	switch t {
	case Uint8:
		return float64(b[i])
	case Uint16:
		return float64(binary.LittleEndian.Uint16(b[2*i:]))
	default:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
	}
}

// Every vertex of every method is one of the source's, with all its attributes, and the
// triangles are the source's.
func TestDecode_EqualsTheSource(t *testing.T) {
	s := readStreams(t)
	columns := s.columns()
	for i, stream := range s.Streams {
		t.Run(stream.Name, func(t *testing.T) {
			var want []Attribute
			for _, c := range columns {
				want = append(want, Attribute{stream.IDs[c.name], c.typ, c.components})
			}
			b := budget.New(64<<20, "the test's limit")
			d := newDecoder(t, b)
			before := b.Used()
			m, err := d.Decode(t.Context(), s.data(t, i), want)
			if err != nil {
				t.Fatal(err)
			}
			if charged := b.Used() - before; m.Bytes <= 0 || charged < m.Bytes {
				t.Errorf("%d bytes are charged for a mesh of %d", charged, m.Bytes)
			}
			points := len(s.Mesh.UV) / 2
			if m.Points != points || len(m.Indices) != 4*len(s.Mesh.Indices) {
				t.Fatalf("%d points, %d bytes of indices; want %d and %d", m.Points, len(m.Indices), points, 4*len(s.Mesh.Indices))
			}
			source := make([]int, m.Points) // which vertex of the source each one is
			for v := range source {
				source[v] = -1
				for at := range points {
					same := true
					for k, c := range columns {
						for e := range c.components {
							got, want := component(m.Attributes[k], c.typ, v*c.components+e), c.values[at*c.components+e]
							same = same && math.Abs(got-want) <= c.tolerance
						}
					}
					if same {
						source[v] = at
					}
				}
				if source[v] < 0 {
					t.Fatalf("vertex %d is none of the source's", v)
				}
			}
			got, wanted := map[[3]int]int{}, map[[3]int]int{}
			for f := range len(s.Mesh.Indices) / 3 {
				var a, b [3]int
				for k := range 3 {
					a[k] = source[binary.LittleEndian.Uint32(m.Indices[4*(3*f+k):])]
					b[k] = s.Mesh.Indices[3*f+k]
				}
				got[first(a)]++
				wanted[first(b)]++
			}
			for tri, n := range wanted {
				if got[tri] != n {
					t.Errorf("triangle %v is there %d times, want %d", tri, got[tri], n)
				}
			}
		})
	}
}

// first turns a triangle so that its lowest vertex comes first.
func first(v [3]int) [3]int {
	for v[0] != min(v[0], v[1], v[2]) {
		v = [3]int{v[1], v[2], v[0]}
	}
	return v
}

func TestDecode_SaysWhatIsMissing(t *testing.T) {
	s := readStreams(t)
	ids := s.Streams[0].IDs
	for name, want := range map[string]Attribute{
		"no such id":       {99, Float32, 3},
		"other components": {ids["position"], Float32, 2},
		"unknown type":     {ids["position"], 77, 3},
	} {
		d := newDecoder(t, budget.New(64<<20, ""))
		if _, err := d.Decode(t.Context(), s.data(t, 0), []Attribute{want}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for _, data := range [][]byte{nil, []byte("DRACO"), bytes.Repeat([]byte{255}, 100), s.data(t, 1)[:60]} {
		d := newDecoder(t, budget.New(64<<20, ""))
		if _, err := d.Decode(t.Context(), data, nil); err == nil {
			t.Errorf("%d bytes are taken", len(data))
		}
	}
}

func TestBudget_BoundsTheSandbox(t *testing.T) {
	var over *budget.Error
	b := budget.New(8<<20, "the test's limit")
	if _, err := New(t.Context(), b); !errors.As(err, &over) || b.Used() != 0 {
		t.Errorf("error %v, %d bytes charged", err, b.Used())
	}
	// The instance fits; 30 MiB of input do not.
	b = budget.New(20<<20, "the test's limit")
	d := newDecoder(t, b)
	if _, err := d.Decode(t.Context(), make([]byte, 30<<20), nil); !errors.As(err, &over) {
		t.Errorf("error %v", err)
	}
	if peak := b.Peak(); peak > 20<<20 {
		t.Errorf("%d bytes were charged", peak)
	}
	d.Close()
	if b.Used() != 0 {
		t.Errorf("%d bytes stay charged", b.Used())
	}
}

func TestDecode_EndsWithTheContext(t *testing.T) {
	s := readStreams(t)
	d := newDecoder(t, budget.New(64<<20, ""))
	ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	<-ctx.Done()
	if _, err := d.Decode(ctx, s.data(t, 0), nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
}

// One compiled decoder serves many instances at a time.
func TestDecode_Concurrently(t *testing.T) {
	s := readStreams(t)
	var group sync.WaitGroup
	for i := range 6 {
		group.Go(func() {
			d, err := New(t.Context(), budget.New(64<<20, ""))
			if err != nil {
				t.Error(err)
				return
			}
			defer d.Close()
			for range 3 {
				if _, err := d.Decode(t.Context(), s.data(t, i%len(s.Streams)), nil); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
}

// Streams with a few wrong bytes are decoded or refused in one line, and leave nothing.
func TestDecode_WrongBytes(t *testing.T) {
	s := readStreams(t)
	r := rand.New(rand.NewPCG(1, 2))
	refused := 0
	for i := range 100 {
		data := s.data(t, i%len(s.Streams))
		for range 1 + r.IntN(3) {
			data[r.IntN(len(data))] = byte(r.IntN(256))
		}
		if exercise(t, data) {
			refused++
		}
	}
	if refused < 20 {
		t.Errorf("only %d of 100 streams are refused", refused)
	}
}

// exercise decodes hostile data in a small sandbox and a second.
func exercise(t *testing.T, data []byte) (refused bool) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	b := budget.New(40<<20, "the test's limit")
	d, err := New(ctx, b)
	if err != nil {
		return true // out of time
	}
	m, err := d.Decode(ctx, data, []Attribute{{0, Float32, 3}, {1, Uint8, 3}})
	d.Close()
	switch {
	case err != nil && strings.ContainsAny(err.Error(), "\n\r"):
		t.Fatalf("%q", err)
	case err == nil:
		if len(m.Attributes[0]) != 12*m.Points || len(m.Attributes[1]) != 3*m.Points {
			t.Fatalf("%d points, %d and %d bytes", m.Points, len(m.Attributes[0]), len(m.Attributes[1]))
		}
		b.Drop(m.Bytes)
	}
	if b.Used() != 0 {
		t.Fatalf("%d bytes stay charged", b.Used())
	}
	return err != nil
}

// FuzzDecode gives the decoder arbitrary streams.
func FuzzDecode(f *testing.F) {
	s := readStreams(f)
	for i := range s.Streams {
		f.Add(s.data(f, i))
	}
	f.Fuzz(func(t *testing.T, data []byte) { exercise(t, data) })
}

package meshfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"
	"testing"
)

// reading is a Reader that remembers what it was told and what is charged.
type reading struct {
	Reader
	told   []string // "loss: …" and "warning: …"
	held   int64
	most   int64 // limit of held, 0: none
	files  map[string]string
	peaked int64
}

var errBudget = errors.New("no memory")

func newReading(files map[string]string) *reading {
	r := &reading{files: files}
	r.Ctx = context.Background()
	r.Take = func(n int64) error {
		if n < 0 || r.most != 0 && r.held+n > r.most {
			return errBudget
		}
		r.held += n
		r.peaked = max(r.peaked, r.held)
		return nil
	}
	r.Drop = func(n int64) { r.held -= n }
	r.Tell = func(loss bool, place, text string) {
		kind := "warning"
		if loss {
			kind = "loss"
		}
		r.told = append(r.told, fmt.Sprintf("%s: %s: %s", kind, place, text))
	}
	r.File = func(name string) ([]byte, error) {
		if text, ok := r.files[name]; ok {
			return []byte(text), nil
		}
		return nil, fs.ErrNotExist
	}
	return r
}

func (r *reading) says(t *testing.T, want ...string) {
	t.Helper()
	if len(r.told) != len(want) {
		t.Fatalf("told %q, want %d lines", r.told, len(want))
	}
	for i, w := range want {
		if !strings.HasPrefix(r.told[i], w) {
			t.Errorf("told %q, want %q", r.told[i], w)
		}
	}
}

// must reads a file that has no fault.
func must(t *testing.T, k Kind, data string, files map[string]string) *Model {
	t.Helper()
	r := newReading(files)
	m, err := k.Read(&r.Reader, []byte(data))
	if err != nil {
		t.Fatal(err)
	}
	r.says(t)
	return m
}

// only returns the only piece of a model.
func only(t *testing.T, m *Model) Piece {
	t.Helper()
	if len(m.Parts) != 1 || len(m.Parts[0].Pieces) != 1 {
		t.Fatalf("parts %v, want one with one piece", m.Parts)
	}
	return m.Parts[0].Pieces[0]
}

// corners lists positions in the order in which they are drawn.
func (p *Piece) drawn() [][3]float32 {
	if p.Indices == nil {
		return p.Positions
	}
	var out [][3]float32
	for _, i := range p.Indices {
		out = append(out, p.Positions[i])
	}
	return out
}

// sound checks what every piece promises.
func sound(t *testing.T, m *Model) {
	t.Helper()
	for _, part := range m.Parts {
		for _, p := range part.Pieces {
			n := len(p.Positions)
			if n == 0 {
				t.Fatal("a piece without vertices")
			}
			for _, l := range []int{len(p.Normals), len(p.TexCoords), len(p.Colors)} {
				if l != 0 && l != n {
					t.Fatalf("%d of %d vertices", l, n)
				}
			}
			for _, i := range p.Indices {
				if int(i) >= n {
					t.Fatalf("index %d of %d vertices", i, n)
				}
			}
			for i, v := range p.Positions {
				if !finite(v) {
					t.Fatalf("position %v", v)
				}
				if p.Normals != nil {
					if l := wide(p.Normals[i]); math.Abs(l.Dot(l)-1) > 1e-5 {
						t.Fatalf("normal %v", l)
					}
				}
				if p.Colors != nil {
					for _, c := range p.Colors[i] {
						if !(c >= 0 && c <= 1) {
							t.Fatalf("colour %v", p.Colors[i])
						}
					}
				}
			}
			for _, c := range p.TexCoords {
				if c[0]-c[0] != 0 || c[1]-c[1] != 0 {
					t.Fatalf("texture coordinate %v", c)
				}
			}
			if p.Mode == Triangles && p.Normals == nil {
				t.Fatal("triangles without normals")
			}
			if p.Material != None && (p.Material < 0 || p.Material >= len(m.Materials)) {
				t.Fatalf("material %d of %d", p.Material, len(m.Materials))
			}
		}
	}
}

func same[T comparable](t *testing.T, what string, got, want []T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s %v, want %v", what, got, want)
	}
}

// Package meshfile reads the model files beside glTF that people have: OBJ with its material
// libraries, STL and PLY, both as text and binary. Package gltf makes a Document of what it returns.
//
// Files are taken to be hostile. No number in a file is trusted: memory is charged to Reader.Take before
// it is taken, and for what is there, not for what a header promises. What can be drawn of a faulty
// file is drawn, and told by Reader.Tell; what cannot is an *Error.
package meshfile

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
)

// None as an index refers to nothing.
const None = -1

// Model is what a file holds.
type Model struct {
	Form      string // how the file is written: "text", "binary", "binary, big-endian"
	Generator string // what wrote it, where the file says so
	Parts     []Part
	Materials []Material
	// Origin is where positions count from, in the file's coordinates: zero but along axes on which the first vertex is far away.
	Origin [3]float64
}

// Part is an object or group of an OBJ file, a solid of an STL file, or all of a PLY file.
type Part struct {
	Name   string
	Pieces []Piece
}

// Mode is what a piece's vertices form.
type Mode uint8

const (
	Points    Mode = iota
	Lines          // two vertices each
	Triangles      // three vertices each
)

// Piece is geometry of one mode and one material. Slices that are not nil have one element a vertex.
type Piece struct {
	Mode      Mode
	Material  int // in Model.Materials, or None
	Positions [][3]float32
	Normals   [][3]float32 // unit vectors; nil of points and lines that have none
	TexCoords [][2]float32 // v points down in the image, as in glTF
	Colors    [][4]float32 // linear, alpha straight
	Indices   []uint32     // nil: vertices in order
}

// Error says what is wrong with a file, and where.
type Error struct {
	Place   string // "line 3", "facet 7", "header", or ""
	Message string
	Err     error // the cause, or nil
}

func (e *Error) Error() string {
	text := e.Message
	if e.Place != "" {
		text = e.Place + ": " + text
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }

func failf(place, format string, args ...any) error {
	return &Error{Place: place, Message: fmt.Sprintf(format, args...)}
}

// Reader is what reading takes. All fields have to be set.
type Reader struct {
	Ctx  context.Context
	Take func(bytes int64) error // charges memory, or says that there is none
	Drop func(bytes int64)       // gives memory up that was charged
	// Tell notes what was left out or repaired; loss says that the picture shows it.
	Tell func(loss bool, place, text string)
	// File returns the content of a file beside the model, such as a material library. The name is the one in
	// the file, with slashes of either kind.
	File func(name string) ([]byte, error)

	notes  notes
	origin vec
	based  bool // origin is known
}

// originStep is what the parts of an origin are multiples of, so that what a binary32 tells apart near a vertex stays so.
const originStep = 1 << 16

// near returns a position relative to the model's origin, which the first one decides: models with the coordinates of a map, or of a
// whole project, keep what their numbers have beyond binary32.
func (r *Reader) near(v vec) [3]float32 {
	if !r.based && v.Sub(v) == (vec{}) {
		r.based = true
		for k, x := range v {
			if math.Abs(x) <= 1<<52 { // else there are no numbers between steps
				r.origin[k] = math.Trunc(x/originStep) * originStep
			}
		}
	}
	return v.Sub(r.origin).Single()
}

// stopped returns the error of a context that has ended, wrapped.
func (r *Reader) stopped() error {
	if err := r.Ctx.Err(); err != nil {
		return &Error{Message: "reading was stopped", Err: err}
	}
	return nil
}

// take charges n elements of size bytes for what.
func (r *Reader) take(n, size int64, what string) error {
	if n > math.MaxInt64/max(size, 1) {
		n, size = math.MaxInt64, 1
	}
	if err := r.Take(n * size); err != nil {
		return &Error{Message: what, Err: err}
	}
	return nil
}

// A list grows under the budget.
type list[T any] struct{ v []T }

func (l *list[T]) size() int64 { return int64(reflect.TypeFor[T]().Size()) }

func (l *list[T]) add(r *Reader, v T) error {
	if len(l.v) == cap(l.v) {
		if err := l.grow(r, 1); err != nil {
			return err
		}
	}
	l.v = append(l.v, v)
	return nil
}

// grow makes room for n more elements.
func (l *list[T]) grow(r *Reader, n int) error {
	const most = math.MaxInt32 // element numbers are int32
	if len(l.v)+n > most {
		return failf("", "more than %d elements of one kind", most)
	}
	room := max(len(l.v)+n, 2*cap(l.v), 64)
	if err := r.take(int64(room), l.size(), fmt.Sprintf("%d elements", room)); err != nil {
		return err
	}
	more := make([]T, len(l.v), room)
	copy(more, l.v)
	r.Drop(int64(cap(l.v)) * l.size())
	l.v = more
	return nil
}

// done returns the elements in a slice without spare room of note.
func (l *list[T]) done(r *Reader) []T {
	if spare := cap(l.v) - len(l.v); spare > len(l.v)/8 && len(l.v) > 0 {
		// The copy is charged by what the spare room gives back.
		fit := slices.Clip(append(make([]T, 0, len(l.v)), l.v...))
		r.Drop(int64(spare) * l.size())
		l.v = fit
	}
	return l.v
}

// free gives the elements up.
func (l *list[T]) free(r *Reader) {
	r.Drop(int64(cap(l.v)) * l.size())
	l.v = nil
}

// notes gathers what is told once a kind, with how often it was met.
type notes struct {
	list []note
	of   map[string]int
}

type note struct {
	loss        bool
	place, text string
	many        string // what is counted; "": nothing
	n           int
}

// maxNotes bounds the kinds of notes of one file.
const maxNotes = 200

// note tells something at the end: of a kind the first place and text, and how many of what there were.
func (r *Reader) note(loss bool, kind, place, many, format string, args ...any) {
	if i, ok := r.notes.of[kind]; ok {
		r.notes.list[i].n++
		return
	}
	if len(r.notes.list) == maxNotes {
		return
	}
	if r.notes.of == nil {
		r.notes.of = map[string]int{}
	}
	r.notes.of[kind] = len(r.notes.list)
	r.notes.list = append(r.notes.list, note{loss, place, fmt.Sprintf(format, args...), many, 1})
}

// tell hands all notes on.
func (r *Reader) tell() {
	for _, n := range r.notes.list {
		if n.n > 1 && n.many != "" {
			n.text += fmt.Sprintf(" (%d %s in all)", n.n, n.many)
		}
		r.Tell(n.loss, n.place, n.text)
	}
	r.notes = notes{}
}

func finite(v [3]float32) bool { return v[0]-v[0] == 0 && v[1]-v[1] == 0 && v[2]-v[2] == 0 }

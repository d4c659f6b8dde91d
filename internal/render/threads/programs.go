package threads

import (
	"slices"
	"sync"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/render/geometry"
)

// List is the routines of a pass, distinct, by their numbers.
type List struct {
	Routines []exec.Routine
	Making   sync.Mutex // held by who makes what few passes need, and adds to Routines meanwhile
}

// Number is that of a routine, which is added if need be; geometry.None of nil.
func (l *List) Number(r exec.Routine) int {
	if r == nil {
		return geometry.None
	}
	if i := slices.Index(l.Routines, r); i >= 0 {
		return i
	}
	l.Routines = append(l.Routines, r)
	return len(l.Routines) - 1
}

// Programs keeps what is made of keys from pass to pass, for one goroutine at a time. With an Engine
// the zero value is ready.
type Programs struct {
	Engine exec.Engine
	By     map[any]any // what was made, by its key
}

// maxPrograms bounds what is kept.
const maxPrograms = 4096

// Routine is the compiled program of a key, which is compared with its type, and which lower makes
// where it is not there; nil where that makes none.
func (p *Programs) Routine(key any, lower func() (*ir.Program, error)) (exec.Routine, error) {
	return Kept(p, key, func() (exec.Routine, error) {
		program, err := lower()
		if program == nil || err != nil {
			return nil, err
		}
		return p.Engine.Compile(program)
	})
}

// Kept is what make makes of a key.
func Kept[T any](p *Programs, key any, make func() (T, error)) (T, error) {
	if v, ok := p.By[key]; ok {
		t, _ := v.(T) // a routine may be nil
		return t, nil
	}
	t, err := make()
	if err != nil {
		return t, err
	}
	if p.By == nil || len(p.By) >= maxPrograms {
		p.By = map[any]any{}
	}
	p.By[key] = t
	return t, nil
}

package ir

import "sync"

// workspace is the room that passes take instead of allocating it: they would make
// a megabyte of garbage of a program of 500 instructions. No pass reads what another
// left there, but for replaced.
type workspace struct {
	replaced replacement
	stmts    []Stmt
	spare    [][]Stmt
	built    []built
	flags    [3][]bool
	vars     []divergingVar
	values   [3][]Value
	numbers  [2][]int32
	insts    []Inst
	log      []forgotten
	entries  []shareEntry
	guards   []guard
	around   []construct
}

// workspaces are those that nobody uses; what comes out does not depend on which
// one a pass gets.
var workspaces = sync.Pool{New: func() any { return new(workspace) }}

// inWorkspace runs f with one of the workspaces.
func inWorkspace(f func(w *workspace)) {
	w := workspaces.Get().(*workspace)
	w.replaced = w.replaced[:0] // values are of another program
	f(w)
	workspaces.Put(w)
}

// Room makes *s n zeros, in place where they fit: for tables that outlive a program.
func Room[T any](s *[]T, n int) []T {
	if cap(*s) < n {
		*s = make([]T, n, n+n/4)
	}
	*s = (*s)[:n]
	clear(*s)
	return *s
}

// A pass writes the new statements of a block to a stack, because a block may
// grow and holds others: open, then append to w.stmts, then close.
func (w *workspace) open() (mark int) { return len(w.stmts) }

// close takes the statements since mark, into the room of the old ones where
// they fit.
func (w *workspace) close(mark int, old []Stmt) []Stmt {
	done := w.stmts[mark:]
	if len(done) > cap(old) {
		old = make([]Stmt, len(done))
	}
	w.stmts = w.stmts[:mark]
	return old[:copy(old[:len(done)], done)]
}

// replacement maps values to those that stand for them. A value that a pass has
// replaced has no use any more, so the next may go on with the same map.
type replacement []Value

// replacements returns the map of the workspace with all values of p in it.
func (w *workspace) replacements(p *Program) replacement {
	for i := len(w.replaced); i < len(p.Insts); i++ {
		w.replaced = append(w.replaced, Value(i))
	}
	return w.replaced
}

// of follows the map; replacements are resolved when entered, so one step is
// enough.
func (r replacement) of(v Value) Value {
	if v < 0 {
		return v
	}
	return r[v]
}

func (r replacement) operands(in *Inst) {
	fixed := in.fixed()
	for i, v := range fixed {
		fixed[i] = r.of(v)
	}
	for i, v := range in.More {
		in.More[i] = r.of(v)
	}
}

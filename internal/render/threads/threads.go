// Package threads has what a goroutine runs programs with: a thread and rows of lanes for each
// routine, which it keeps from pass to pass. A pass numbers its routines, so that the rooms of a
// worker find their programs without looking for them.
//
// What a program does is not known here, nor what its rows hold, but for the ids of workgroups.
package threads

import (
	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/internal/render/geometry"
)

// Threads are those of one goroutine.
type Threads struct {
	By   []*Runner // those of the pass, by their numbers
	List *List     // of the pass; nil between passes

	lanes   int // of batches
	scratch *exec.Scratch
	kept    map[exec.Routine]*Runner
	bytes   int // of kept
	laters  map[any]*Runner
}

// New are threads for batches of as many lanes, whose shaders have their variables in memory of a.
func New(lanes int, a *memory.Allocator) Threads {
	return Threads{
		lanes: lanes, scratch: exec.NewScratch(a),
		kept: map[exec.Routine]*Runner{}, laters: map[any]*Runner{},
	}
}

// Begin finds the runners of a pass.
func (h *Threads) Begin(l *List) {
	h.List, h.By = l, h.By[:0]
	clear(h.laters)
	h.Extend()
}

// Extend finds the runners of what the pass has more of since. The caller holds List.Making, where
// others may.
func (h *Threads) Extend() {
	for _, r := range h.List.Routines[len(h.By):] {
		h.By = append(h.By, h.Of(r, h.lanes))
	}
}

// With more programs than maxKept, or more bytes of them than maxBytes, a goroutine begins anew: a
// thread has rows for its inputs and outputs, which may be half a megabyte.
const (
	maxKept  = 512
	maxBytes = 32 << 20
)

// Of is the runner of a routine, made for batches of some lanes, which stay the same.
func (h *Threads) Of(r exec.Routine, lanes int) *Runner {
	if p := h.kept[r]; p != nil {
		return p
	}
	if len(h.kept) > maxKept || h.bytes > maxBytes {
		h.Clear()
	}
	program := r.Program()
	p := &Runner{routine: r, scratch: h.scratch, bytes: 4096}
	p.IR, p.Lanes, p.Runner.Run = program, lanes, p.run
	if !program.Places() { // else its rows are those of other programs
		p.Lanes = max(lanes, int(program.Shape.PatchVertices+3)&^3)
		if stage := program.Stage; stage == ir.StageTask || stage == ir.StageMesh { // a workgroup is a batch
			p.Lanes, p.Lay = int(program.LocalSize[0]*program.LocalSize[1]*program.LocalSize[2]+3)&^3, p.layOne
		}
		p.In, p.Out = geometry.Rows(len(program.Inputs), p.Lanes), geometry.Rows(len(program.Outputs), p.Lanes)
		p.Shared = make([]byte, program.SharedBytes)
		p.bytes += 4*(p.Lanes+16)*(len(p.In)+len(p.Out)) + len(p.Shared)
	}
	if ops := len(program.ImageOps); ops > 0 { // rows for what they look up, and decoded blocks
		p.bytes += 128<<10 + 64*p.Lanes*ops
	}
	h.kept[r] = p
	h.bytes += p.bytes
	return p
}

// Later is the runner of what few passes need, which is made when a worker asks for it first: of
// what, which is compared.
func (h *Threads) Later(of any, make func() (exec.Routine, error)) (*Runner, error) {
	if p := h.laters[of]; p != nil {
		return p, nil
	}
	h.List.Making.Lock()
	defer h.List.Making.Unlock()
	r, err := make()
	if err != nil {
		return nil, err
	}
	h.laters[of] = h.Of(r, h.lanes)
	return h.laters[of], nil
}

// Drop forgets a routine.
func (h *Threads) Drop(r exec.Routine) {
	if p := h.kept[r]; p != nil {
		delete(h.kept, r)
		h.bytes -= p.bytes
	}
}

// Clear forgets all routines.
func (h *Threads) Clear() {
	clear(h.kept)
	h.bytes = 0
}

// Close gives the memory of shaders' variables back. Nothing will run.
func (h *Threads) Close() {
	h.Clear()
	h.scratch.Free()
}

// NoDescriptors serves programs that use none.
var NoDescriptors exec.Context

// Runner is a routine's thread with its rows.
type Runner struct {
	geometry.Runner
	routine exec.Routine
	scratch *exec.Scratch
	thread  exec.Thread // nil before the first run
	laid    laid        // of compute, task and mesh shaders
	bytes   int         // of the rows, about
}

// run runs a batch. The thread is made with the first one: which of the programs of a state a tile
// needs shows late, and machine code is made with a routine's first thread.
func (p *Runner) run(ctx *exec.Context, b *exec.Batch) error {
	if p.thread == nil {
		p.thread = exec.NewThread(p.routine, p.scratch, p.Lanes)
	}
	return p.thread.Run(ctx, b)
}

// Routine is what it runs.
func (p *Runner) Routine() exec.Routine { return p.routine }

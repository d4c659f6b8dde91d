package exec

import (
	"sync"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower/texel"
)

// Texeler is an engine that runs the routines of package texel for others than its threads, too.
type Texeler interface{ Texels() *Texels }

// Texels compiles the routines of package texel for an engine: the texel.Engine of
// its threads. It is safe for concurrent use.
type Texels struct {
	compile func(*ir.Program) (Routine, error)

	mu    sync.Mutex
	known map[texel.Key]Routine // nil where compilation failed
}

// maxTexels bounds the routines that are kept; each takes some kilobytes.
const maxTexels = 512

// NewTexels returns an empty set.
func NewTexels(compile func(*ir.Program) (Routine, error)) *Texels {
	return &Texels{compile: compile, known: map[texel.Key]Routine{}}
}

// Thread implements texel.Engine.
func (t *Texels) Thread(k *texel.Key, lanes int) texel.Thread {
	t.mu.Lock()
	defer t.mu.Unlock()
	r, ok := t.known[*k]
	if !ok {
		if p, err := texel.Build(k); err == nil {
			if r, err = t.compile(p); err != nil {
				r = nil
			}
		}
		if len(t.known) >= maxTexels {
			clear(t.known) // threads keep what they run
		}
		t.known[*k] = r
	}
	if r == nil {
		return nil
	}
	x := &texelThread{t: r.NewThread(lanes)}
	if k.Each {
		x.images = make([]Descriptor, min(lanes, texel.MaxEach))
		x.resources[1] = x.descriptor[:]
	} else {
		x.resources[0] = x.descriptor[:]
	}
	x.ctx.Resources = x.resources[:]
	return x
}

// texelThread runs one routine.
type texelThread struct {
	t          Thread
	ctx        Context
	batch      Batch
	resources  [2][]Descriptor
	descriptor [1]Descriptor
	images     []Descriptor // of a key with Each
}

// Run implements texel.Thread.
func (x *texelThread) Run(in, out [][]uint32, live []uint32, params, memory []byte, n int) bool {
	x.descriptor[0].Data, x.ctx.Push = memory, params
	x.batch.In, x.batch.Out, x.batch.Live, x.batch.N = in, out, live, n
	err := x.t.Run(&x.ctx, &x.batch)
	x.descriptor[0].Data, x.ctx.Push = nil, nil // the view may go away
	return err == nil
}

// RunEach implements texel.Thread.
func (x *texelThread) RunEach(in, out [][]uint32, params []byte, memory [][]byte, n int) bool {
	if len(memory) > len(x.images) {
		return false
	}
	images := x.images[:len(memory)]
	for i, m := range memory {
		images[i].Data = m
	}
	x.resources[0], x.descriptor[0].Data = images, params
	x.batch.In, x.batch.Out, x.batch.Live, x.batch.N = in, out, nil, n
	err := x.t.Run(&x.ctx, &x.batch)
	x.resources[0], x.descriptor[0].Data = nil, nil
	clear(images)
	return err == nil
}

package render

import (
	"fmt"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/trace"
)

// Written is a place of which a dispatch tells who wrote it last.
type Written struct {
	Spot trace.Spot
	// Shader is what the invocation ran up to the write; nil: none wrote it.
	Shader *explain.Shader

	now, best *trace.Log
	batch     int64 // of best
}

// finishTold makes explanations of what writers have told.
func (d *dispatch) finishTold() {
	for _, o := range d.told {
		if _, ok := o.best.Writer(); ok {
			o.Shader = d.writer(o)
		}
		o.now, o.best = nil, nil
	}
}

// writer is what the writer of a place ran.
func (d *dispatch) writer(o *Written) *explain.Shader {
	lane, _ := o.best.Writer()
	group, local := d.At(o.batch, lane)
	local = d.Program.LocalIndex(local)
	s, images := o.best.Shader()
	s.Images = images
	var id [3]uint32
	size := d.Program.LocalSize
	for k, own := range [3]uint32{local % size[0], local / size[0] % size[1], local / size[0] / size[1]} {
		id[k] = group[k]*size[k] + own
	}
	s.Invocation = fmt.Sprintf("invocation %d, %d, %d: workgroup %d, %d, %d, local index %d",
		id[0], id[1], id[2], group[0], group[1], group[2], local)
	return s
}

// tell is a context whose invocations tell of all places.
func (d *dispatch) tell(c *exec.Context) *exec.Context {
	for _, o := range d.told {
		o.now, o.best = trace.NewLog(d.Program, &o.Spot), trace.NewLog(d.Program, &o.Spot)
	}
	told := *c
	told.Trace = func(t *exec.Told) {
		for _, o := range d.told {
			o.now.Tell(t)
		}
	}
	return &told
}

func (d *dispatch) beginTold() {
	for _, o := range d.told {
		o.now.Begin()
	}
}

// endTold keeps what a batch told where it wrote a place.
func (d *dispatch) endTold(batch int64) {
	for _, o := range d.told {
		if _, ok := o.now.Writer(); ok {
			o.now, o.best, o.batch = o.best, o.now, batch
		}
	}
}

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
	// Most is how many steps are kept before the write.
	Most int
	// Shader is what the invocation ran up to the write; nil: none wrote it.
	Shader *explain.Shader

	best  *trace.Collector // of the last writer; nil: none
	batch int64            // of best
	lane  int
}

// finishTold makes explanations of what writers have told.
func (d *dispatch) finishTold() {
	for _, o := range d.told {
		if o.best != nil {
			o.Shader = d.writer(o)
		}
		o.best = nil
	}
}

// writer is what the writer of a place ran.
func (d *dispatch) writer(o *Written) *explain.Shader {
	group, local := d.At(o.batch, o.lane)
	local = d.Program.LocalIndex(local)
	s := o.best.Whole()
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
	var places []*trace.Spot
	for _, o := range d.told {
		places = append(places, &o.Spot)
	}
	d.log = trace.NewLog(d.Program, places...)
	told := *c
	told.Trace = d.log.Tell
	return &told
}

func (d *dispatch) beginTold() {
	if d.log != nil {
		d.log.Begin(d.Program)
	}
}

// endTold keeps what a batch told where it wrote a place.
func (d *dispatch) endTold(batch int64) {
	for k, o := range d.told {
		if lane, ok := d.log.Writer(k); ok {
			o.best, o.batch, o.lane = d.log.Written(k, o.Most), batch, lane
		}
	}
}

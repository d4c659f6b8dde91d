package geometry

import (
	"fmt"
	"slices"

	"github.com/pumice-gpu/pumice/internal/exec/trace"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// meshRun is a mesh workgroup whose vertices are in the stretch from a row on.
type meshRun struct {
	rows    uint32
	size    [3]uint32
	group   int64
	task    int64  // workgroup of the task shader that has launched it
	payload []byte // of that; nil where nobody will ask
	// told and taskTold are what it and that task workgroup told as they ran; nil: they run again.
	told, taskTold *trace.Log
}

// mesh tells of the invocations of mesh shaders that wrote the positions in rows of the stretch,
// and of the task shader's that launched them.
func (a *again) mesh(b *Stretch, rows []want) {
	w, m := a.w, &a.w.mesh
	d := w.Feed.Draw
	wasLanes, wasPayload := m.lanes, m.payload
	defer func() { m.lanes, m.payload = wasLanes, wasPayload }()
	p, why := w.Programs[d.State.Mesh], ""
	if p.Told == nil {
		p, why = a.program(ir.StageMesh, p)
	}
	var tasks []want
	ran := map[uint32]*trace.Log{} // of tasks
	for _, x := range rows {
		at := len(m.made) - 1
		for at > 0 && m.made[at].rows > x.number {
			at--
		}
		r := &m.made[at]
		tasks, ran[uint32(r.task)] = add(tasks, uint32(r.task), x.vertices), r.taskTold
		told := Told{
			Stage:    ir.StageMesh,
			Vertices: x.vertices,
			Which:    workgroup(r.size, r.group),
			Missing:  why,
		}
		if why == "" {
			m.payload = r.payload
			a.meshVertex(b, p, r, x.number, &told)
		}
		same := func(t Told) bool { return t.Which == told.Which && t.Trace != nil && told.Trace != nil }
		if i := slices.IndexFunc(a.list, same); i >= 0 {
			a.list[i].Vertices |= told.Vertices
			continue
		}
		a.list = append(a.list, told)
	}
	if d.State.Task == None {
		return
	}
	task := w.Programs[d.State.Task]
	if p, why = task, ""; task.Told == nil {
		p, why = a.program(ir.StageTask, task)
	}
	var list []Told
	for _, x := range tasks {
		group := w.Feed.Groups.First + int64(x.number)
		told := Told{
			Stage:    ir.StageTask,
			Vertices: x.vertices,
			Which:    workgroup(w.Feed.Groups.Size, group) + ", invocation 0",
			Missing:  why,
		}
		if task.Told != nil {
			told.tell(ran[x.number], 0)
		} else if why == "" {
			c := trace.New(p.IR, 0, false)
			if err := m.run(w, p, quiet(d.Task, c.Tell), w.Feed.Groups.Size, group); err != nil {
				told.Missing = err.Error()
			} else {
				told.Trace = c
			}
		}
		list = append(list, told)
	}
	a.list = append(list, a.list...)
}

// meshVertex tells of the invocation that wrote the position in a row.
func (a *again) meshVertex(b *Stretch, p *Runner, r *meshRun, row uint32, told *Told) {
	w, m := a.w, &a.w.mesh
	link := &w.Feed.Draw.State.Link.Mesh
	vertex := row - r.rows
	var place trace.Spot
	for _, at := range link.vertex {
		if x := &p.IR.Records[at]; x.Builtin == ir.BuiltinPosition || place.To == 0 {
			from := x.Offset + vertex*x.Stride
			if x.Builtin == ir.BuiltinPosition && x.Component > 0 {
				continue
			}
			if place.From, place.To = from, from+4; x.Builtin == ir.BuiltinPosition {
				break
			}
		}
	}
	log := r.told
	if log == nil {
		log = trace.NewLog(p.IR, nil)
		if err := m.run(w, p, quiet(w.Feed.Draw.Mesh, log.Tell), r.size, r.group); err != nil {
			told.Missing = err.Error()
			return
		}
		for slot, at := range link.vertex {
			if x := &p.IR.Records[at]; m.word(x.Offset+vertex*x.Stride) != b.Out[slot][row] {
				told.Missing = otherResult
				return
			}
		}
	}
	lane, ok := log.Find(&place)
	switch {
	case !ok && !log.Complete():
		told.Missing = "the workgroup ran more instructions than are kept"
		return
	case !ok:
		told.Missing = "no invocation of the workgroup wrote its position"
		return
	}
	told.Which += fmt.Sprintf(", invocation %d", p.IR.LocalIndex(uint32(lane)))
	told.Trace = log.Of(lane)
}

// workgroup names one of size of them.
func workgroup(size [3]uint32, number int64) string {
	x, y := int64(max(size[0], 1)), int64(max(size[1], 1))
	return fmt.Sprintf("workgroup %d, %d, %d", number%x, number/x%y, number/x/y)
}

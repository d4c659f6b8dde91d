package geometry

import (
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

// mostTasks is how many invocations of a task workgroup are told of.
const mostTasks = 8

// taskRun is a task workgroup that launched mesh workgroups of a primitive, and the bytes of its
// payload that they have read, with the vertices that they made of them.
type taskRun struct {
	number   uint32
	vertices uint8
	told     *trace.Log // what it told as it ran; nil: it runs again
	reads    []want
}

// mesh tells of the invocations of mesh shaders that wrote the positions in rows of the stretch,
// and of those of the task shader that left what they have read.
func (a *again) mesh(b *Stretch, rows []want) {
	w, m := a.w, &a.w.mesh
	d := w.Feed.Draw
	wasLanes, wasPayload := m.lanes, m.payload
	defer func() { m.lanes, m.payload = wasLanes, wasPayload }()
	p, why := w.Programs[d.State.Mesh], ""
	if p.Told == nil {
		p, why = a.program(ir.StageMesh, p)
	}
	var tasks []*taskRun
	for _, x := range rows {
		at := len(m.made) - 1
		for at > 0 && m.made[at].rows > x.number {
			at--
		}
		r := &m.made[at]
		task := &taskRun{number: uint32(r.task), told: r.taskTold}
		of := func(t *taskRun) bool { return t.number == task.number }
		if i := slices.IndexFunc(tasks, of); i >= 0 {
			task = tasks[i]
		} else {
			tasks = append(tasks, task)
		}
		task.vertices |= x.vertices
		told := Told{
			Stage:    ir.StageMesh,
			Vertices: x.vertices,
			Which:    workgroup(r.size, r.group),
			Missing:  why,
		}
		if why == "" {
			m.payload = r.payload
			for _, at := range a.meshVertex(b, p, r, x.number, &told) {
				if at -= p.IR.PayloadAt; at < p.IR.PayloadBytes {
					task.reads = add(task.reads, at, x.vertices)
				}
			}
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
	var list []Told
	for _, t := range tasks {
		list = append(list, a.task(t)...)
	}
	a.list = append(list, a.list...)
}

// task tells of those invocations of a workgroup that left in the payload what was read of it: of
// invocation 0, where none did.
func (a *again) task(t *taskRun) (list []Told) {
	w, d := a.w, a.w.Feed.Draw
	p, why := w.Programs[d.State.Task], ""
	group := w.Feed.Groups.First + int64(t.number)
	log := t.told
	if p.Told == nil {
		if p, why = a.program(ir.StageTask, p); why == "" {
			log = trace.NewLog(p.IR)
			context := quiet(d.Task, log.Tell)
			if err := w.mesh.run(w, p, context, w.Feed.Groups.Size, group); err != nil {
				why = err.Error()
			}
		}
	}
	var lanes []want
	if why == "" {
		for _, x := range t.reads {
			from := p.IR.PayloadAt + x.number
			if lane, ok := log.Find(&trace.Spot{From: from, To: from + 1}); ok {
				lanes = add(lanes, uint32(lane), x.vertices)
			}
		}
	}
	if len(lanes) == 0 {
		lanes = []want{{0, t.vertices}}
	}
	for _, x := range lanes[:min(len(lanes), mostTasks)] {
		told := Told{
			Stage:    ir.StageTask,
			Vertices: x.vertices,
			Which:    workgroup(w.Feed.Groups.Size, group),
			Missing:  why,
		}
		if why == "" {
			told.Which = member(told.Which, p, int(x.number))
			told.Trace = log.Of(int(x.number))
		}
		list = append(list, told)
	}
	return list
}

// meshVertex tells of the invocation that wrote the position in a row, and returns the bytes of
// workgroup memory that it has read.
func (a *again) meshVertex(b *Stretch, p *Runner, r *meshRun, row uint32, told *Told) []uint32 {
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
		log = trace.NewLog(p.IR)
		if err := m.run(w, p, quiet(w.Feed.Draw.Mesh, log.Tell), r.size, r.group); err != nil {
			told.Missing = err.Error()
			return nil
		}
		for slot, at := range link.vertex {
			if x := &p.IR.Records[at]; m.word(x.Offset+vertex*x.Stride) != b.Out[slot][row] {
				told.Missing = otherResult
				return nil
			}
		}
	}
	lane, ok := log.Find(&place)
	switch {
	case !ok && !log.Complete():
		told.Missing = "the workgroup ran more instructions than are kept"
		return nil
	case !ok:
		told.Missing = "no invocation of the workgroup wrote its position"
		return nil
	}
	told.Which = member(told.Which, p, lane)
	told.Trace = log.Of(lane)
	return log.Reads(lane)
}

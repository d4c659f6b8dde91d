package threads

import "github.com/pumice-gpu/pumice/internal/ir"

// Groups are the workgroups of a dispatch, or of a draw of mesh shaders. A batch is a box of
// them, of which the last of a row, column or stack may hold fewer: lane by lane, its ids are those
// of the first batch plus what depends on its first workgroup only.
type Groups struct {
	Program *ir.Program
	Inputs  []ir.IO
	Of      [3]uint32 // their numbers
	Base    [3]uint32 // the first
	Local   int       // invocations of one
	Box     [3]uint32 // those of a batch
	Boxes   [3]int64  // batches
}

// laid is which workgroups the inputs of a thread are those of: all of which the box follows, and
// the first one.
type laid struct{ groups, at [3]uint32 }

// layOne makes the inputs of a task or mesh shader those of a workgroup, of size of them, and
// returns how many invocations it has.
func (p *Runner) layOne(size [3]uint32, group int64) int {
	d := Groups{Program: p.IR, Of: size, Local: 1, Inputs: p.IR.Inputs}
	for k, n := range p.IR.LocalSize {
		d.Local *= int(n)
		d.Box[k], d.Boxes[k] = 1, int64(size[k])
	}
	return d.Lay(p, group)
}

// Lay makes the inputs of a program those of a batch and returns how many invocations it has.
// What does not change from batch to batch is left as it is.
func (d *Groups) Lay(p *Runner, batch int64) int {
	row, stack := batch/d.Boxes[0], batch/d.Boxes[0]/d.Boxes[1]
	box := [3]uint32{uint32(batch % d.Boxes[0]), uint32(row % d.Boxes[1]), uint32(stack)}
	now := laid{groups: d.Of}
	n := uint32(1)
	for k := range 3 {
		now.at[k] = box[k] * d.Box[k]
		n *= min(d.Box[k], d.Of[k]-now.at[k])
		now.at[k] += d.Base[k]
	}
	was := p.laid
	p.laid = now
	if was.groups != now.groups {
		d.lay(p.In, now.at)
		return int(n) * d.Local
	}
	for slot, io := range d.Inputs {
		k := io.Component % 3
		step := now.at[k] - was.at[k]
		switch io.Builtin {
		case ir.BuiltinWorkgroupID:
		case ir.BuiltinGlobalInvocationID:
			step *= d.Program.LocalSize[k]
		default:
			continue
		}
		if step != 0 {
			for row := p.In[slot]; len(row) >= 4; row = row[4:] { // there are a multiple of four
				row[0], row[1], row[2], row[3] = row[0]+step, row[1]+step, row[2]+step, row[3]+step
			}
		}
	}
	return int(n) * d.Local
}

// At is the workgroup that a lane of a batch belongs to, and its number there.
func (d *Groups) At(batch int64, lane int) (group [3]uint32, local uint32) {
	box := [3]int64{batch % d.Boxes[0], batch / d.Boxes[0] % d.Boxes[1], batch / d.Boxes[0] / d.Boxes[1]}
	n := uint32(lane / d.Local)
	for k, within := range [3]uint32{n % d.Box[0], n / d.Box[0] % d.Box[1], n / d.Box[0] / d.Box[1]} {
		group[k] = d.Base[k] + uint32(box[k])*d.Box[k] + within
	}
	return group, uint32(lane % d.Local)
}

// lay fills the inputs of the workgroups of a box from workgroup at on.
func (d *Groups) lay(in [][]uint32, at [3]uint32) {
	lane := 0
	for z := range d.Box[2] {
		for y := range d.Box[1] {
			for x := range d.Box[0] {
				d.fill(in, lane, [3]uint32{at[0] + x, at[1] + y, at[2] + z})
				lane += d.Local
			}
		}
	}
}

// fill fills the inputs of a workgroup from a lane on.
func (d *Groups) fill(in [][]uint32, lane int, id [3]uint32) {
	size := d.Program.LocalSize
	for slot, io := range d.Inputs {
		dst := in[slot][lane : lane+d.Local]
		k := io.Component % 3
		switch io.Builtin {
		case ir.BuiltinWorkgroupID, ir.BuiltinNumWorkgroups:
			v := id[k]
			if io.Builtin == ir.BuiltinNumWorkgroups {
				v = d.Of[k]
			}
			for i := range dst {
				dst[i] = v
			}
		case ir.BuiltinLocalInvocationIndex:
			for i := range dst {
				dst[i] = d.Program.LocalIndex(uint32(i))
			}
		default: // local and global ids; newDispatch lets nothing else through
			first := uint32(0)
			if io.Builtin == ir.BuiltinGlobalInvocationID {
				first = id[k] * size[k]
			}
			for i := range dst {
				dst[i] = first + localID(d.Program.LocalIndex(uint32(i)), size, k)
			}
		}
	}
}

// localID is component k of the local id of invocation i.
func localID(i uint32, size [3]uint32, k uint32) uint32 {
	switch k {
	case 0:
		return i % size[0]
	case 1:
		return i / size[0] % size[1]
	}
	return i / size[0] / size[1]
}

package trace

import (
	"slices"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// maxLogged bounds what a log keeps of a batch, in words.
const maxLogged = 16 << 20

// Log takes what all lanes of a batch tell, until it is known which of them matters: the one that
// writes a place last, by the order of instructions, and of lanes in one. Not safe for concurrent
// use.
type Log struct {
	p       *ir.Program
	place   *Spot
	room    int // words
	told    []logged
	words   []uint32
	dropped []int // lanes of instructions that were not kept, by lane

	writer  int // lane; none: no lane has written the place
	end     int // told up to the write
	pending bool
	last    *exec.Told // the write, where it is not among those that are kept
}

// logged is an instruction: its mask, then its words, by lane.
type logged struct {
	index, base, lanes, at, rows int
	context                      *exec.Context
}

const none = -1

// NewLog returns a log of batches of a traced program; place may be nil.
func NewLog(p *ir.Program, place *Spot) *Log {
	return &Log{p: p, place: place, room: maxLogged, writer: none}
}

// Begin forgets the last batch.
func (l *Log) Begin() {
	*l = Log{
		p:       l.p,
		place:   l.place,
		room:    l.room,
		told:    l.told[:0],
		words:   l.words[:0],
		dropped: l.dropped[:0],
		writer:  none,
	}
}

// Tell implements exec.Context.Trace.
func (l *Log) Tell(t *exec.Told) {
	if t.Program != l.p {
		return
	}
	kept := len(l.words)+len(t.Mask)*(1+len(t.Words)) <= l.room
	if kept {
		l.told = append(l.told,
			logged{t.Index, t.Base, len(t.Mask), len(l.words), len(t.Words), t.Context})
		l.words = append(l.words, t.Mask...)
		for _, row := range t.Words {
			l.words = append(l.words, row[:len(t.Mask)]...)
		}
	} else {
		for i, on := range t.Mask {
			if on != 0 {
				l.drop(t.Base + i)
			}
		}
	}
	if l.see(t, len(l.told)) && !kept {
		l.last = &exec.Told{
			Program: t.Program,
			Context: t.Context,
			Index:   t.Index,
			Base:    t.Base,
			Mask:    slices.Clone(t.Mask),
		}
		for _, row := range t.Words {
			l.last.Words = append(l.last.Words, slices.Clone(row[:len(t.Mask)]))
		}
	}
}

// see notes whether an instruction, which is told as number end or left out behind that, writes the
// place.
func (l *Log) see(t *exec.Told, end int) bool {
	if l.place == nil {
		return false
	}
	if l.pending { // the instruction whose image was told before
		l.pending, l.end = false, end
	}
	i := l.place.Writer(t)
	if i == none {
		return false
	}
	l.writer, l.end, l.last = t.Base+i, end, nil
	l.pending = l.p.Traces[t.Index].Image > 0
	return true
}

// Find is Writer of another place: of what is kept, where the log has told all.
func (l *Log) Find(place *Spot) (lane int, ok bool) {
	found := Log{p: l.p, place: place, writer: none}
	for i := range l.told {
		found.see(l.at(i), i+1)
	}
	return found.Writer()
}

// Of is what a lane has run.
func (l *Log) Of(lane int) *Collector {
	c := New(l.p, lane, false)
	for i := range l.told {
		c.Tell(l.at(i))
	}
	if lane < len(l.dropped) {
		c.dropped += l.dropped[lane]
	}
	return c
}

// Reads are the bytes of workgroup memory that a lane has loaded, as far as a mesh shader tells it:
// where each scalar begins, in the order of the loads.
func (l *Log) Reads(lane int) (at []uint32) {
	for i := range l.told {
		x := &l.p.Traces[l.told[i].index]
		k := lane - l.told[i].base
		if x.Reads == nil || k < 0 || k >= l.told[i].lanes {
			continue
		}
		if t := l.at(i); t.Mask[k] != 0 {
			first := t.Words[x.Type.Words()+x.Store.Words()][k]
			for _, part := range x.Reads.Parts {
				at = append(at, first+part.Offset)
			}
		}
	}
	return at
}

// at is an instruction that is kept.
func (l *Log) at(i int) *exec.Told {
	x := &l.told[i]
	t := &exec.Told{
		Program: l.p,
		Context: x.context,
		Index:   x.index,
		Base:    x.base,
		Mask:    l.words[x.at:][:x.lanes],
	}
	for k := range x.rows {
		t.Words = append(t.Words, l.words[x.at+(1+k)*x.lanes:][:x.lanes])
	}
	return t
}

func (l *Log) drop(lane int) {
	for len(l.dropped) <= lane {
		l.dropped = append(l.dropped, 0)
	}
	l.dropped[lane]++
}

// Writer is the lane that wrote the place last, and false where none did.
func (l *Log) Writer() (lane int, ok bool) { return l.writer, l.writer != none }

// Complete says that all instructions are kept.
func (l *Log) Complete() bool { return len(l.dropped) == 0 }

// Shader is what the writer has run up to the write, which is the last step, and its image
// instructions.
func (l *Log) Shader() (*explain.Shader, []explain.Image) {
	c := New(l.p, l.writer, false)
	for i := range l.told[:l.end] {
		c.last = i == l.end-1 && l.last == nil
		c.Tell(l.at(i))
	}
	if l.last != nil {
		if l.writer < len(l.dropped) {
			c.dropped += l.dropped[l.writer] - 1
		}
		c.last = true
		c.Tell(l.last)
	}
	return c.Shader(), c.Images()
}

// Logs keeps what batches of a program tell as they run, until Begin: together as much as one Log.
// Not safe for concurrent use; the methods of nil do nothing.
type Logs struct {
	p    *ir.Program
	list []*Log
}

// NewLogs returns the logs of a traced program.
func NewLogs(p *ir.Program) *Logs { return &Logs{p: p} }

// Begin forgets all batches. Their logs stay as they are.
func (l *Logs) Begin() {
	if l != nil {
		l.list = nil
	}
}

// Next is the log of the next batch.
func (l *Logs) Next() *Log {
	n := NewLog(l.p, nil)
	for _, o := range l.list {
		n.room -= len(o.words)
	}
	l.list = append(l.list, n)
	return n
}

// Batch is the log of a batch since Begin, from 0; below 0 it counts from the last.
func (l *Logs) Batch(n int) *Log {
	if l == nil {
		return nil
	}
	if n < 0 {
		n += len(l.list)
	}
	if n < 0 || n >= len(l.list) {
		return nil
	}
	return l.list[n]
}

package trace

import (
	"slices"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// maxLogged bounds what a log keeps of a batch, in words.
const maxLogged = 16 << 20

// Log takes what all lanes of a batch tell, until it is known which of them matters: of each place
// the one that writes it last, by the order of instructions, and of lanes in one. Not safe for
// concurrent use.
type Log struct {
	p       *ir.Program
	places  []mark
	room    int // words
	told    []logged
	words   []uint32
	dropped []int // lanes of instructions that were not kept, by lane
}

// mark is the last write of a place.
type mark struct {
	place   *Spot
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

// NewLog returns a log of batches of a traced program, which says of some places who wrote them.
func NewLog(p *ir.Program, places ...*Spot) *Log {
	l := &Log{room: maxLogged}
	for _, place := range places {
		l.places = append(l.places, mark{place: place})
	}
	l.Begin(p)
	return l
}

// Begin forgets the last batch: the next one is of program p.
func (l *Log) Begin(p *ir.Program) {
	l.p, l.told, l.words, l.dropped = p, l.told[:0], l.words[:0], l.dropped[:0]
	for i := range l.places {
		l.places[i] = mark{place: l.places[i].place, writer: none}
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
	for i := range l.places {
		if m := &l.places[i]; m.see(t, len(l.told)) && !kept {
			m.last = cloned(t)
		}
	}
}

// cloned is what is told, for later.
func cloned(t *exec.Told) *exec.Told {
	c := *t
	c.Mask, c.Words, c.Live = slices.Clone(t.Mask), nil, nil
	for _, row := range t.Words {
		c.Words = append(c.Words, slices.Clone(row[:len(t.Mask)]))
	}
	return &c
}

// see notes whether an instruction, which is told as number end or left out behind that, writes the
// place.
func (m *mark) see(t *exec.Told, end int) bool {
	if m.pending { // the instruction whose image was told before
		m.pending, m.end = false, end
	}
	i := m.place.Writer(t)
	if i == none {
		return false
	}
	m.writer, m.end, m.last = t.Base+i, end, nil
	m.pending = t.Program.Traces[t.Index].Image > 0
	return true
}

// Find is the lane that wrote another place last, of what is kept; false: none did.
func (l *Log) Find(place *Spot) (lane int, ok bool) {
	m := mark{place: place, writer: none}
	for i := range l.told {
		m.see(l.at(i), i+1)
	}
	return m.writer, m.writer != none
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

// Writer is the lane that wrote place k last, and false where none did.
func (l *Log) Writer(k int) (lane int, ok bool) {
	m := &l.places[k]
	return m.writer, m.writer != none
}

// Complete says that all instructions are kept.
func (l *Log) Complete() bool { return len(l.dropped) == 0 }

// Written is what the writer of place k has run up to the write, which is the last step: of the
// steps before it at most most.
func (l *Log) Written(k, most int) *Collector {
	m := &l.places[k]
	c := New(l.p, m.writer, false)
	c.most = min(most, MaxSteps)
	for i := range l.told[:m.end] {
		c.last = i == m.end-1 && m.last == nil
		c.Tell(l.at(i))
	}
	if m.last != nil {
		if m.writer < len(l.dropped) {
			c.dropped += l.dropped[m.writer] - 1
		}
		c.last = true
		c.Tell(m.last)
	}
	return c
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
	n := NewLog(l.p)
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

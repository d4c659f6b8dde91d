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

// NewLog returns a log of batches of a traced program.
func NewLog(p *ir.Program, place *Spot) *Log { return &Log{p: p, place: place, writer: none} }

// Begin forgets the last batch.
func (l *Log) Begin() {
	*l = Log{
		p:       l.p,
		place:   l.place,
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
	kept := len(l.words)+len(t.Mask)*(1+len(t.Words)) <= maxLogged
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
	if l.pending { // the instruction whose image was told before
		l.pending, l.end = false, len(l.told)
	}
	i := l.place.Writer(t)
	if i == none {
		return
	}
	l.writer, l.end, l.last = t.Base+i, len(l.told), nil
	l.pending = l.p.Traces[t.Index].Image > 0
	if !kept {
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

func (l *Log) drop(lane int) {
	for len(l.dropped) <= lane {
		l.dropped = append(l.dropped, 0)
	}
	l.dropped[lane]++
}

// Writer is the lane that wrote the place last, and false where none did.
func (l *Log) Writer() (lane int, ok bool) { return l.writer, l.writer != none }

// Whole has Shader tell of the whole batch, and not just up to the write.
func (l *Log) Whole() { l.end, l.last = len(l.told), nil }

// Shader is what the writer has run up to the write, which is the last step, and its image
// instructions.
func (l *Log) Shader() (*explain.Shader, []explain.Image) {
	c := New(l.p, l.writer, false)
	for i := range l.told[:l.end] {
		x := &l.told[i]
		t := exec.Told{
			Program: l.p,
			Context: x.context,
			Index:   x.index,
			Base:    x.base,
			Mask:    l.words[x.at:][:x.lanes],
		}
		for k := range x.rows {
			t.Words = append(t.Words, l.words[x.at+(1+k)*x.lanes:][:x.lanes])
		}
		c.last = i == l.end-1 && l.last == nil
		c.Tell(&t)
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

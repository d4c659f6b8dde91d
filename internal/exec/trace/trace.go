// Package trace collects what a traced program tells (ir.OpTrace) of one invocation, and makes of
// it what package explain shows: each instruction with its value, and of image instructions how
// the result comes about.
package trace

import (
	"fmt"
	"strings"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// Bounds on what is kept of an invocation.
const (
	MaxSteps  = 20000 // instructions
	MaxImages = 1000  // image instructions
)

// Collector takes what one lane of batches tells. Not safe for concurrent use.
type Collector struct {
	p       *ir.Program
	lane    int
	quad    bool
	steps   []step
	words   []uint32
	dropped int
	images  []explain.Image
	left    int  // image instructions that are not kept
	most    int  // steps
	last    bool // what comes is kept, whatever the bounds are
}

// step is an instruction: its trace, where its words begin, and which lanes of the quad they are of.
type step struct {
	trace, at int
	lanes     uint8
}

// New returns a collector for a lane of the batches of a traced program; with quad the values of
// the lane's quad are kept, too. Context.Trace is its Tell.
func New(p *ir.Program, lane int, quad bool) *Collector {
	return &Collector{p: p, lane: lane, quad: quad && p.HasQuads(), most: MaxSteps}
}

// Tell implements exec.Context.Trace.
func (c *Collector) Tell(t *exec.Told) {
	i := c.lane - t.Base
	if t.Program != c.p || i < 0 || i >= len(t.Mask) || t.Mask[i] == 0 {
		return
	}
	if c.p.Traces[t.Index].Image > 0 {
		if len(c.images) == MaxImages {
			c.left++
			return
		}
		c.images = append(c.images, image(t, i))
		return
	}
	if len(c.steps) >= c.most && !c.last {
		c.dropped++
		return
	}
	s := step{trace: t.Index, at: len(c.words)}
	first, last := i, i
	if c.quad {
		first, last = i&^3, i|3
	}
	for l := first; l <= last; l++ {
		if l >= len(t.Mask) || t.Mask[l] == 0 {
			continue
		}
		s.lanes |= 1 << (l - first)
		for _, w := range t.Words {
			c.words = append(c.words, w[l])
		}
	}
	c.steps = append(c.steps, s)
}

// stages are the names of stages.
var stages = map[ir.Stage]string{
	ir.StageVertex: "vertex", ir.StageFragment: "fragment", ir.StageCompute: "compute", ir.StageControl: "tessellation control",
	ir.StageEvaluation: "tessellation evaluation", ir.StageGeometry: "geometry", ir.StageTask: "task", ir.StageMesh: "mesh",
}

// StageName is the name of a stage: "tessellation control".
func StageName(s ir.Stage) string { return stages[s] }

// Len is how many instructions are kept.
func (c *Collector) Len() int { return len(c.steps) }

// Shader is what the invocation has run so far.
func (c *Collector) Shader() *explain.Shader {
	s := &explain.Shader{
		Stage:   stages[c.p.Stage],
		Name:    c.p.Name,
		Dropped: c.dropped,
		Steps:   make([]explain.Instruction, len(c.steps)),
	}
	for _, f := range c.p.Files {
		s.Sources = append(s.Sources, explain.Source{File: f.Name, Text: f.Text})
	}
	for i := range c.steps {
		s.Steps[i] = c.instruction(&c.steps[i])
	}
	return s
}

// Whole is Shader, with the image instructions.
func (c *Collector) Whole() *explain.Shader {
	s := c.Shader()
	s.Images = c.Images()
	return s
}

func (c *Collector) instruction(s *step) explain.Instruction {
	t := &c.p.Traces[s.trace]
	in := explain.Instruction{
		Text:     t.Text,
		Name:     t.Name,
		File:     t.Source.File,
		Line:     int(t.Source.Line),
		Column:   int(t.Column),
		Depth:    t.Depth,
		Of:       t.Of,
		Variable: t.Variable,
	}
	n, at, more := t.Type.Words(), s.at, t.Store.Words()+t.Reads.Words()
	whole := t.Whole.Words()
	if !c.quad {
		in.Assigns = assigned(t, c.words[at:at+n+more+whole])
		in.Value = valueOf(t, c.words[at:at+n])
		if to := t.Store; to != nil && to.Atomic != ir.AtomicStore {
			in.Stores = valueOf(t, leaves(to, n, column(c.words[at:at+n+more]), 0).words)
		}
		return in
	}
	for l := range 4 {
		if s.lanes&(1<<l) == 0 {
			in.Quad = append(in.Quad, explain.Value{Text: "not run"})
			continue
		}
		in.Quad = append(in.Quad, valueOf(t, c.words[at:at+n]))
		if l == c.lane&3 {
			in.Assigns = assigned(t, c.words[at:at+n+more+whole])
		}
		at += n + more + whole
	}
	in.Value = in.Quad[c.lane&3]
	if n == 0 {
		in.Quad = nil
	}
	return in
}

// assigned is the variable that has a new value, of all words of an instruction; nil: none has.
func assigned(t *ir.Trace, words []uint32) *explain.Named {
	if t.Assigns == "" {
		return nil
	}
	whole := ir.Trace{Type: t.Type}
	if t.Whole != nil {
		whole.Type, words = t.Whole, words[len(words)-t.Whole.Words():]
	}
	return &explain.Named{Name: t.Assigns, Value: valueOf(&whole, words)}
}

// column is words of one lane as rows.
func column(words []uint32) [][]uint32 {
	rows := make([][]uint32, len(words))
	for i := range words {
		rows[i] = words[i : i+1]
	}
	return rows
}

// Images are the image instructions that the invocation has run so far.
func (c *Collector) Images() []explain.Image {
	if c.left == 0 {
		return c.images
	}
	return append(c.images[:len(c.images):len(c.images)], explain.Image{
		Instruction: "…", Steps: []explain.Step{{Text: fmt.Sprintf("%d image instructions more were run, of which nothing is kept", c.left)}},
	})
}

// valueOf formats the words of a trace.
func valueOf(t *ir.Trace, words []uint32) explain.Value {
	v := explain.Value{Text: t.Note}
	if t.Type == nil {
		return v
	}
	text, bits, _ := formatted(t.Type, words)
	if t.Type.Kind == ir.TraceParts {
		text = strings.TrimSuffix(strings.TrimPrefix(text, "("), ")")
	}
	if v.Text != "" {
		text = v.Text + " " + text
	}
	v.Text, v.Bits = text, explain.Words(bits...)
	return v
}

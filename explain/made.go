package explain

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// flow is how values went through the instructions of a shader that was run.
type flow struct {
	fragment *Fragment
	steps    []traced
	made     map[string]int // the last step that gave an <id> its value, as far as was looked
}

// traced is an instruction, taken apart.
type traced struct {
	*Instruction
	op       string
	result   string   // its <id>, "" if it has none
	operands []string // <id>s, without that of the type
	from     []int    // the steps that made them; -1: none did
}

// flowOf takes the instructions of a fragment's shader apart; nil: they were not told.
func flowOf(f *Fragment) *flow {
	if f.Shader == nil || f.Shader.Dropped > 0 {
		return nil
	}
	w := &flow{fragment: f, made: map[string]int{}}
	stored := map[string]int{} // the last step that stored to a variable
	root := map[string]string{}
	for i := range f.Shader.Steps {
		s := traced{Instruction: &f.Shader.Steps[i]}
		text := s.Text
		if result, rest, ok := strings.Cut(text, " = "); ok {
			s.result, text = result, rest
		}
		words := strings.Fields(text)
		if len(words) == 0 {
			w.steps = append(w.steps, s)
			continue
		}
		s.op = words[0]
		if words = words[1:]; s.result != "" && len(words) > 0 {
			words = words[1:] // the type
		}
		for _, id := range words {
			if !strings.HasPrefix(id, "%") {
				continue
			}
			s.operands = append(s.operands, id)
			at, ok := w.made[id]
			if !ok {
				at = -1
			}
			s.from = append(s.from, at)
		}
		variable := func(id string) string {
			if r, ok := root[id]; ok {
				return r
			}
			return id
		}
		switch {
		case len(s.operands) == 0:
		case s.op == "OpAccessChain" || s.op == "OpInBoundsAccessChain":
			root[s.result] = variable(s.operands[0])
		case s.op == "OpLoad": // from where it was stored
			s.from[0] = -1
			if at, ok := stored[variable(s.operands[0])]; ok {
				s.from[0] = at
			}
		case s.op == "OpStore":
			stored[variable(s.operands[0])] = i
			s.operands, s.from = s.operands[1:], s.from[1:]
		}
		if s.result != "" {
			w.made[s.result] = i
		}
		w.steps = append(w.steps, s)
	}
	return w
}

// output is the last step that stored to the output that has the source's value; -1: none did.
func (w *flow) output(source Value) int {
	for i := len(w.steps) - 1; i >= 0; i-- {
		s := &w.steps[i]
		if s.op == "OpStore" && s.Name != "" && s.Value.Text == source.Text &&
			slices.ContainsFunc(w.fragment.Outputs, func(n Named) bool {
				return strings.HasPrefix(n.Name,
					s.Name)
			}) {
			return i
		}
	}
	return -1
}

// leaf says that a step takes a value from outside of the shader: it loads what nothing has stored,
// or reads an image.
func (s *traced) leaf() bool {
	switch {
	case strings.HasPrefix(s.op, "OpImage") && s.op != "OpImage":
		return true
	case s.op == "OpLoad":
		return len(s.from) > 0 && s.from[0] < 0 && len(s.Value.numbers()) > 0
	}
	return false
}

// sources are the steps outside of which nothing led to a step, in the order in which they were
// run.
func (w *flow) sources(of int) (list []int) {
	seen := map[int]bool{}
	open := []int{of}
	for len(open) > 0 {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		if at < 0 || seen[at] {
			continue
		}
		seen[at] = true
		if w.steps[at].leaf() {
			list = append(list, at)
			continue
		}
		open = append(open, w.steps[at].from...)
	}
	slices.Sort(list)
	return list
}

// keeps are operations whose result is 0 where one of their operands is, and those that pass
// components on.
var keeps = map[string]bool{
	"OpStore": true, "OpLoad": true, "OpFMul": true,
	"OpIMul": true, "OpDot": true, "OpVectorTimesScalar": true,
	"OpMatrixTimesVector": true, "OpVectorTimesMatrix": true, "OpMatrixTimesScalar": true,
	"OpVectorShuffle": true, "OpCompositeExtract": true, "OpCompositeConstruct": true,
	"OpCopyObject": true, "OpConvertSToF": true, "OpConvertUToF": true,
	"OpFConvert": true, "OpFNegate": true, "OpBitcast": true,
}

// zero is the step from outside of the shader whose zeros made red, green and blue of a step 0; -1:
// that is not known.
func (w *flow) zero(at int) int {
	for at >= 0 && !w.steps[at].leaf() {
		s := &w.steps[at]
		if !keeps[s.op] {
			return -1
		}
		at = -1
		for _, from := range s.from {
			if from < 0 {
				continue
			}
			if n := w.steps[from].Value.numbers(); len(n) > 0 && zero(n) {
				at = from
				break
			}
		}
	}
	return at
}

// says names what a step took from outside, and its value.
func (w *flow) says(at int) string {
	s := &w.steps[at]
	name := s.Name
	for _, in := range w.fragment.Inputs {
		if s.Name != "" && strings.HasPrefix(in.Name, s.Name+" ") {
			name = "input " + in.Name
		}
	}
	if strings.HasPrefix(s.op, "OpImage") {
		name = s.op
		for i := range w.fragment.Images {
			if m := &w.fragment.Images[i]; m.Result.Text == s.Value.Text {
				name = m.Instruction
				if c := m.coordinates(); c != "" {
					name += " at " + c
				}
				name += ", " + m.levels() + ","
			}
		}
	}
	if name == "" {
		name = s.Text
	}
	return fmt.Sprintf("%s (%s)", name, s.Value.brief())
}

// brief is a value with four digits a number.
func (v Value) brief() string {
	n := v.numbers()
	if n == nil {
		return v.Text
	}
	var text []string
	for _, f := range n {
		text = append(text, strconv.FormatFloat(f, 'g', 4, 64))
	}
	return strings.Join(text, ", ")
}

// coordinates are those of the instruction.
func (m *Image) coordinates() string {
	for _, s := range m.Steps {
		for _, n := range s.Values {
			if n.Name == "coordinates" {
				return n.Value.brief()
			}
		}
	}
	return ""
}

// mostMade is how many sources of a value a verdict names.
const mostMade = 5

// made tells of what the shader made the output that the fragment wrote, and of black where that
// comes from.
func (j *judge) made(v *Event, f *Fragment) {
	w := flowOf(f)
	if w == nil || f.Blend == nil {
		return
	}
	at := w.output(f.Blend.Source)
	if at < 0 {
		return
	}
	if n := f.Blend.Source.numbers(); len(n) > 0 && zero(n) {
		if from := w.zero(at); from >= 0 {
			j.add(weightBlack, "the output (%s) of the shader of %s is 0 because of %s",
				f.Blend.Source.brief(), j.name(v), w.says(from))
		}
	}
	var said []string
	list := w.sources(at)
	for _, from := range list {
		if text := w.says(from); !slices.Contains(said, text) {
			said = append(said, text)
		}
	}
	more := ""
	if n := len(said); n > mostMade {
		more = fmt.Sprintf("; and %d more", n-mostMade)
		said = said[:mostMade]
	}
	if len(said) > 0 {
		j.add(weightMade, "the shader of %s made (%s) of %s%s", j.name(v), f.Blend.Source.brief(),
			strings.Join(said, "; "), more)
	}
}

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
	images   map[string]*Image // by their results, the first of each
}

// traced is an instruction, taken apart.
type traced struct {
	*Instruction
	op   string
	from []int // the steps that made its operands, before it
}

// mostParts is how many stores to parts of a variable a load of it is followed to: the last ones.
const mostParts = 64

// flowOf takes the instructions of a fragment's shader apart; nil: they were not told.
func flowOf(f *Fragment) *flow {
	if f.Shader == nil || f.Shader.Dropped > 0 {
		return nil
	}
	w := &flow{fragment: f, steps: make([]traced, len(f.Shader.Steps)), images: map[string]*Image{}}
	for i := range f.Images {
		if m := &f.Images[i]; w.images[m.Result.Text] == nil {
			w.images[m.Result.Text] = m
		}
	}
	made := map[string]int{}    // the last step that gave an <id> its value
	stored := map[int][]int{}   // the steps that stored to a variable since one stored to all of it
	chains := map[string]bool{} // pointers to parts
	returned := map[int]int{}   // the last step that returned, by the depth of calls
	for i := range w.steps {
		s := &w.steps[i]
		s.Instruction = &f.Shader.Steps[i]
		text, result := s.Text, ""
		if r, rest, ok := strings.Cut(text, " = "); ok {
			result, text = r, rest
		}
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		s.op = words[0]
		if words = words[1:]; result != "" && len(words) > 0 {
			words = words[1:] // the type
		}
		if s.op == "OpStore" && len(words) > 0 {
			if !chains[words[0]] {
				stored[s.Variable] = nil
			}
			stored[s.Variable] = append(stored[s.Variable], i)
			words = words[1:]
		}
		for _, id := range words {
			if at, ok := made[id]; ok {
				s.from = append(s.from, at)
			}
		}
		switch {
		case s.op == "OpAccessChain" || s.op == "OpInBoundsAccessChain":
			chains[result] = true
		case s.op == "OpReturnValue":
			returned[s.Depth] = i
		case s.op == "OpLoad":
			s.from = nil
			if s.Variable != 0 {
				parts := stored[s.Variable]
				s.from = parts[max(len(parts)-mostParts, 0):len(parts):len(parts)]
			}
		case s.op == "OpFunctionCall":
			if at, ok := returned[s.Depth+1]; ok { // which comes a second time, behind the function's
				s.from = []int{at}
				delete(returned, s.Depth+1)
			}
		}
		if result != "" {
			made[result] = i
		}
	}
	return w
}

// output is the last step that stored to the output that has the source's value; -1: none did.
func (w *flow) output(source Value) int {
	for i := len(w.steps) - 1; i >= 0; i-- {
		s := &w.steps[i]
		if s.op == "OpStore" && s.Name != "" && s.Value.Text == source.Text &&
			slices.ContainsFunc(w.fragment.Outputs, s.names) {
			return i
		}
	}
	return -1
}

// names says that an input or output, such as "tint (location 1)", is what the step loads or stores.
func (s *traced) names(n Named) bool {
	return s.Name != "" && strings.HasPrefix(n.Name, s.Name+" ")
}

// leaf says that a step takes a value from outside of the shader: it loads what nothing has
// stored, or reads an image.
func (s *traced) leaf() bool {
	switch {
	case strings.HasPrefix(s.op, "OpImage") && s.op != "OpImage":
		return true
	case s.op == "OpLoad":
		return s.Of != "" && len(s.Value.numbers()) > 0
	}
	return false
}

// sources are the leaves that led to a step, in the order in which they were run.
func (w *flow) sources(of int) (list []int) {
	seen := map[int]bool{}
	open := []int{of}
	for len(open) > 0 {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		if seen[at] {
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
	"OpStore": true, "OpFunctionCall": true, "OpReturnValue": true, "OpLoad": true, "OpFMul": true,
	"OpIMul": true, "OpDot": true, "OpVectorTimesScalar": true,
	"OpMatrixTimesVector": true, "OpVectorTimesMatrix": true, "OpMatrixTimesScalar": true,
	"OpVectorShuffle": true, "OpCompositeExtract": true, "OpCompositeConstruct": true,
	"OpCopyObject": true, "OpConvertSToF": true, "OpConvertUToF": true,
	"OpFConvert": true, "OpFNegate": true, "OpBitcast": true,
}

// zero is the leaf whose zeros made red, green and blue of a step 0; -1: that is not known.
func (w *flow) zero(at int) int {
	for at >= 0 && !w.steps[at].leaf() {
		s := &w.steps[at]
		if !keeps[s.op] || s.op == "OpLoad" && len(s.from) > 1 { // of parts
			return -1
		}
		at = -1
		for _, from := range s.from {
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
		if s.names(in) {
			name = "input " + in.Name
		}
	}
	if s.Of != "" && s.Of != "input" {
		if name = strings.TrimSpace(name + " (" + s.Of + ")"); s.Name == "" {
			name = s.Of
		}
	}
	if strings.HasPrefix(s.op, "OpImage") {
		name = s.op
		if m := w.image(at); m != nil {
			name = m.Brief() + ", " + m.levels()
		}
	}
	if name == "" {
		name = s.Text
	}
	return fmt.Sprintf("%s = %s", name, s.Value.brief())
}

// image is what is told of the image instruction of a step; nil: it is none.
func (w *flow) image(at int) *Image {
	s := &w.steps[at]
	if !strings.HasPrefix(s.op, "OpImage") {
		return nil
	}
	return w.images[s.Value.Text]
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
const mostMade = 7

// rank orders sources: images, of which there are few, inputs, and of others those last that are 0.
func (w *flow) rank(at int) int {
	switch s := &w.steps[at]; {
	case w.image(at) != nil:
		return 0
	case s.Of == "input":
		return 1
	case zero(s.Value.numbers()):
		return 3
	}
	return 2
}

// made tells of what the shader made the output that the fragment wrote, and where black comes from.
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
	var ranked [4][]int
	for _, from := range w.sources(at) {
		r := w.rank(from)
		ranked[r] = append(ranked[r], from)
	}
	var said []string
	known := map[string]bool{}
	for _, from := range slices.Concat(ranked[:]...) {
		text := w.says(from)
		if !known[text] && len(said) < mostMade {
			said = append(said, text)
		}
		known[text] = true
	}
	more := ""
	if n := len(known); n > mostMade {
		more = fmt.Sprintf("; and %d more", n-mostMade)
	}
	if len(said) > 0 {
		j.add(weightMade, "the shader of %s made (%s) of %s%s", j.name(v), f.Blend.Source.brief(),
			strings.Join(said, "; "), more)
	}
}

package sampling

import (
	"fmt"
	"math"
	"strings"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/resource"
)

// The methods take copies: what a step looks at must not move to the heap of
// those who don't ask.

// Trace collects what one lane of an instruction did, step by step: the numbers
// are those that made the result. One lane of a Run may be active.
type Trace struct {
	Steps []Step
	// Texels are those that were read, in order; a border that takes the place of one is among them.
	Texels []Texel

	filter       filter // of the level that is being filtered
	level, layer int    // that texels are read from
	scale        float64
	weighed      int // of Texels: those that have their weight
	borders      int // of Texels: those that are the border
}

// Texel is a texel that was read. Level and Layer count from the image's first; coordinates outside of the level
// are those of a border. Weight is its part of the result: 1 where it is the result, or one of a gather's.
type Texel struct {
	Level, Layer, Sample int
	At                   [3]int
	Weight               float64
	Value                format.Texel
	Class                format.Class
}

// from says where the next texels are read, and what a weight of 1 is there.
func (t *Trace) from(v *resource.ImageView, level, layer int) {
	t.level, t.layer, t.weighed = v.BaseLevel+level, v.BaseLayer+layer, len(t.Texels)
}

// read notes a texel.
func (t *Trace) read(class format.Class, at [3]int, value format.Texel) {
	t.Texels = append(t.Texels, Texel{Level: t.level, Layer: t.layer, At: at, Weight: 1, Value: value, Class: class})
}

// weigh gives the texels since the last ones their weight, the mean of which counts.
func (t *Trace) weigh(w float64) {
	list := t.Texels[t.weighed:]
	for i := range list {
		list[i].Weight = w * t.scale / float64(len(list))
	}
	t.weighed = len(t.Texels)
}

// Step is one step: the number of its rule in docs/rules, and what came of it.
type Step struct{ Rule, Text string }

func (t *Trace) add(rule, text string, args ...any) {
	for i, x := range args {
		args[i] = brief(x)
	}
	t.Steps = append(t.Steps, Step{rule, fmt.Sprintf(text, args...)})
}

var faceNames = [6]string{"+X", "−X", "+Y", "−Y", "+Z", "−Z"}

var axisNames = [3]string{"u", "v", "w"}

var coordNames = [3]string{"s", "t", "r"}

func (u *sampled) show(t format.Texel) string { return showTexel(u.info, t) }

// showTexel writes the components that the format's class makes of the lanes.
func showTexel(info *format.Info, t format.Texel) string {
	var s [4]string
	for c := range t {
		switch info.Class {
		case format.ClassSint:
			s[c] = fmt.Sprint(int32(t[c]))
		case format.ClassUint:
			s[c] = fmt.Sprint(t[c])
		default:
			s[c] = fmt.Sprint(math.Float32frombits(t[c]))
		}
	}
	return "(" + strings.Join(s[:], ", ") + ")"
}

// brief is a number as binary32 where that is the same: operands are, and have fewer digits then.
func brief(x any) any {
	if f, ok := x.(float64); ok && float64(float32(f)) == f {
		return float32(f)
	}
	return x
}

func show(x []float64) string {
	list := make([]string, len(x))
	for i, f := range x {
		list[i] = fmt.Sprint(brief(f))
	}
	return strings.Join(list, ", ")
}

func showInts(x []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(x), " ", ", "), "[]")
}

// short is the name of an enumerant without that of its type.
func short(v fmt.Stringer) string {
	s := v.String()
	for _, prefix := range []string{"VK_FILTER_", "VK_SAMPLER_ADDRESS_MODE_", "VK_SAMPLER_REDUCTION_MODE_", "VK_COMPARE_OP_"} {
		s = strings.TrimPrefix(s, prefix)
	}
	return strings.TrimSuffix(s, "_EXT")
}

package watch

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/vertexpost"
	"github.com/pumice-gpu/pumice/vk"
)

// Step appends a step to a fragment.
func Step(f *explain.Fragment, rule, text string, args ...any) *explain.Step {
	f.Steps = append(f.Steps, explain.NewStep(rule, fmt.Sprintf(text, args...)))
	return &f.Steps[len(f.Steps)-1]
}

// Miss ends a fragment: the sample is not reached.
func Miss(f *explain.Fragment, rule, text string, args ...any) {
	s := Step(f, rule, text, args...)
	s.Failed = true
	f.Outcome, f.Reason = explain.Missed, s.Text
}

// Lose ends a fragment that has reached the sample: nothing is written.
func Lose(f *explain.Fragment, rule, text string, args ...any) {
	Miss(f, rule, text, args...)
	f.Outcome = explain.Unchanged
}

// Short is the name of a value without that of its type.
func Short(v fmt.Stringer) string {
	s := v.String()
	for _, prefix := range []string{"VK_PRIMITIVE_TOPOLOGY_", "VK_FRONT_FACE_", "VK_POLYGON_MODE_", "VK_BLEND_FACTOR_", "VK_BLEND_OP_", "VK_LOGIC_OP_", "VK_RESOLVE_MODE_", "VK_ATTACHMENT_LOAD_OP_", "VK_COMPARE_OP_", "VK_STENCIL_OP_"} {
		s = strings.TrimPrefix(s, prefix)
	}
	return strings.TrimSuffix(strings.TrimSuffix(s, "_BIT"), "_EXT")
}

func CullName(m vk.CullModeFlags) string {
	return [...]string{"NONE", "FRONT", "BACK", "FRONT_AND_BACK"}[m&3]
}

func PositionText(p [4]float32) string {
	var s [4]string
	for i, f := range p {
		s[i] = explain.Float(f)
	}
	return strings.Join(s[:], ", ")
}

// PlaneNames are the planes of the view volume, by bit of an outcode.
var PlaneNames = [...]string{"left (x < −w)", "right (x > w)", "top (y < −w)", "bottom (y > w)", "near", "far", "w ≤ 0"}

// MissMask ends a fragment by the sample mask.
func MissMask(f *explain.Fragment, mask uint64, sample int) {
	Miss(f, "RAS-309", "the sample mask %s leaves sample %d out", SampleMask(mask), sample)
}

// SamplesText names samples.
func SamplesText(mask uint64, n int) string {
	mask &= 1<<n - 1
	switch {
	case n == 1:
		return "the sample"
	case mask == 1<<n-1:
		return fmt.Sprintf("all %d samples", n)
	}
	var list []string
	for m := mask; m != 0; m &= m - 1 {
		list = append(list, fmt.Sprint(bits.TrailingZeros64(m)))
	}
	if len(list) == 1 {
		return "sample " + list[0]
	}
	return "samples " + strings.Join(list, ", ")
}

// TellClipped tells what left nothing of a primitive.
func TellClipped(f *explain.Fragment, n uint8, post *vertexpost.Config, vertices []raster.Vertex) {
	const nothing = "nothing of it is inside the view volume"
	any := raster.Outcode(0)
	for i := range vertices {
		any |= vertices[i].Out
	}
	switch {
	case n == 1:
		Miss(f, "RAS-085", "the vertex is outside of the view volume, or beyond a clip plane")
	case n == 2:
		Miss(f, "RAS-086", nothing)
	case post.Rectangle:
		Miss(f, "RAS-088", "a plane cuts the triangle, which stands for a rectangle")
	case post.Outline:
		Miss(f, "RAS-087", nothing)
	case any&(raster.OutW|raster.OutGuard) != 0:
		Miss(f, "RAS-081", "nothing of it is in front of the eye and inside the guard band")
	case any >= raster.OutUser:
		Miss(f, "RAS-077", "clip planes leave nothing of it")
	default:
		Miss(f, "RAS-079", "near and far planes leave nothing of it")
	}
}

// TellScissor tells whether scissor and render area leave the pixel out.
func TellScissor(area, scissor raster.Rect, v *Watch, f *explain.Fragment) (out bool) {
	if a := area; !Contains(a, v.X, v.Y) {
		Miss(f, "RAS-098", "outside the render area, which goes from (%d, %d) to (%d, %d)", a.X0, a.Y0, a.X1-1, a.Y1-1)
		return true
	}
	r := scissor
	if Contains(r, v.X, v.Y) {
		return false
	}
	if r.Empty() {
		Miss(f, "RAS-307", "scissored: the rectangle is empty")
		return true
	}
	Miss(f, "RAS-307", "scissored: the rectangle goes from (%d, %d) to (%d, %d), the pixel is (%d, %d)", r.X0, r.Y0, r.X1-1, r.Y1-1, v.X, v.Y)
	return true
}

// TellStencil tells what is stored of stencil: nothing is told of KEEP.
func TellStencil(f *explain.Fragment, t *fragops.Tested) {
	if t.Op == vk.StencilOpKeep {
		return
	}
	Step(f, "RAS-322", "stencil operation %s: %d becomes %d", Short(t.Op), t.StencilStored, t.StencilAfter)
	if t.Face.WriteMask != 0xff {
		Step(f, "RAS-323", "under the write mask 0x%02x", t.Face.WriteMask)
	}
}

// SayCompare is a comparison as a person reads it: "depth 0.51 is not LESS than 0.5".
func SayCompare(op vk.CompareOp) string {
	switch op {
	case vk.CompareOpLess, vk.CompareOpGreater:
		return Short(op) + " than"
	case vk.CompareOpNever, vk.CompareOpAlways:
		return Short(op) + " with"
	}
	return Short(op) + " to"
}

// Dividers are the w of vertices; empty where all are 1.
func Dividers(own []raster.Vertex) string {
	var list []string
	some := false
	for i := range own {
		some = some || own[i].Pos[3] != 1
		list = append(list, explain.Float(own[i].Pos[3]))
	}
	if !some {
		return ""
	}
	return strings.Join(list, ", ")
}

// TellInputs tells how the inputs of the shader come from the vertices.
func TellInputs(f *explain.Fragment, p *ir.Program, s *raster.Setup) {
	some := func(is func(in *ir.IO) bool) bool {
		return slices.ContainsFunc(p.Inputs, func(in ir.IO) bool { return in.Builtin == ir.BuiltinNone && is(&in) })
	}
	flat := some(func(in *ir.IO) bool { return in.Interp == ir.Flat })
	linear := some(func(in *ir.IO) bool { return in.Interp == ir.Linear })
	smooth := some(func(in *ir.IO) bool { return in.Interp == ir.Perspective })
	centroid := some(func(in *ir.IO) bool { return in.Aux == ir.AtCentroid })
	sample := some(func(in *ir.IO) bool { return in.Aux == ir.AtSample })
	n := len(f.Primitive.Vertices)
	rules := [2]string{"RAS-207", "RAS-206"}
	if n == 3 {
		rules = [2]string{"RAS-247", "RAS-246"}
	}
	if s.Affine { // of equal w, so that both are the same
		linear, smooth = linear || smooth, false
	}
	switch {
	case n == 1 && (flat || linear || smooth):
		Step(f, "RAS-190", "inputs are the vertex's")
		return
	case flat:
		Step(f, "RAS-282", "flat inputs are those of vertex %c, the provoking one", 'A'+rune(f.Primitive.Provoking))
	}
	if linear {
		Step(f, rules[0], "inputs are interpolated linearly")
	}
	if smooth {
		Step(f, rules[1], "inputs are interpolated with perspective")
	}
	if centroid {
		Step(f, "RAS-284", "those that are centroid, where the primitive covers the pixel")
	}
	if sample {
		Step(f, "RAS-285", "those of samples, at the sample")
	}
}

func CombinerName(op vk.FragmentShadingRateCombinerOpKHR) string {
	return strings.TrimSuffix(strings.TrimPrefix(op.String(), "VK_FRAGMENT_SHADING_RATE_COMBINER_OP_"), "_KHR")
}

// SampleMask is the words of SampleMask or pSampleMask.
type SampleMask uint64

// String is them in hexadecimal, without a second word that leaves no sample out.
func (m SampleMask) String() string {
	if m>>32 == math.MaxUint32 {
		return fmt.Sprintf("0x%x", uint32(m))
	}
	return fmt.Sprintf("0x%016x", uint64(m))
}

const AllComponents = vk.ColorComponentRBit | vk.ColorComponentGBit | vk.ColorComponentBBit | vk.ColorComponentABit

func MaskText(m vk.ColorComponentFlags) string {
	var b strings.Builder
	for i, c := range "RGBA" {
		if m>>i&1 != 0 {
			b.WriteRune(c)
		}
	}
	return b.String()
}

// EndStopped gives the first of what stopped a fragment the words of the step that ended it.
func EndStopped(f *explain.Fragment) {
	if len(f.Stopped) == 0 {
		return
	}
	for i := len(f.Steps) - 1; i >= 0; i-- {
		if s := f.Steps[i]; s.Failed && s.Rule != "" {
			s.Failed = false
			f.Stopped[0].Step = s
			return
		}
	}
}

// Scissor is the change to the smallest scissor rectangle that has the pixel, too.
func Scissor(r vk.Rect2D, v *Watch) *explain.Change {
	x0, y0 := min(int64(r.Offset.X), int64(v.X)), min(int64(r.Offset.Y), int64(v.Y))
	x1 := max(int64(r.Offset.X)+int64(r.Extent.Width), int64(v.X)+1)
	y1 := max(int64(r.Offset.Y)+int64(r.Extent.Height), int64(v.Y)+1)
	value := fmt.Sprintf("%d, %d, %d, %d", x0, y0, x1-x0, y1-y0)
	return &explain.Change{State: "scissor", Value: value}
}

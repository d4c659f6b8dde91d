package explain

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What follows makes explanations by hand, as the engine tells them.

func plain(s string) Value { return Value{Text: s} }

func named(pairs ...string) (list []Named) {
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, Named{pairs[i], plain(pairs[i+1])})
	}
	return list
}

// cleared is what every pass here begins with.
func cleared(to string) Event {
	return Event{Kind: Load, Where: "pass 0, load", Index: -1, Outcome: Wrote, After: plain(to)}
}

// drawing is a draw with its fragments; it wrote if one of them did.
func drawing(where string, d Drawn) Event {
	v := Event{Kind: Draw, Where: where, Outcome: Missed, Draw: &d}
	d.Primitives += len(d.Fragments)
	for _, f := range d.Fragments {
		switch {
		case f.Outcome == Wrote:
			v.Outcome, v.After = Wrote, f.After
		case v.Outcome != Wrote:
			v.Outcome, v.Reason = f.Outcome, f.Reason
		}
	}
	if len(d.Fragments) == 0 {
		v.Reason = fmt.Sprintf("none of its %d primitives comes near the pixel", d.Primitives)
	}
	return v
}

// triangle is a fragment of a triangle whose corners have these depths and w.
func triangle(id int, z, w [3]float64) Fragment {
	f := Fragment{Primitive: Primitive{ID: id, Front: true}}
	for i, at := range [3][2]float64{{0, 0}, {30, 0}, {0, 30}} {
		v := Vertex{Index: i, Window: &[3]float64{at[0], at[1], z[i]}}
		v.Position[3] = plain(fmt.Sprint(w[i]))
		f.Primitive.Vertices = append(f.Primitive.Vertices, v)
	}
	return f
}

// flat is a triangle of one depth, seen without perspective.
func flat(id int, z float64) Fragment { return triangle(id, [3]float64{z, z, z}, [3]float64{1, 1, 1}) }

// ended is a fragment that a rule stopped.
func (f Fragment) ended(o Outcome, rule, reason string) Fragment {
	f.Outcome, f.Reason = o, reason
	f.Steps = append(f.Steps, Step{Rule: rule, Text: reason, Failed: true})
	if rule == "RAS-238" { // it does not cover the sample
		return f
	}
	s := Stop{Step: Step{Rule: rule, Text: reason}, Depth: f.Depth, Cannot: "nobody knows"}
	if c := map[string]Change{
		"RAS-235": {"cullMode", "VK_CULL_MODE_NONE"}, "RAS-307": {"scissor", "0, 0, 50, 50"}, "RAS-327": {"depthTestEnable", "VK_FALSE"},
	}[rule]; c.State != "" {
		s.Change, s.Cannot = &c, ""
	}
	f.Stopped = append([]Stop{s}, f.Stopped...)
	return f
}

// wrote is one that wrote a value with the shader's output.
func (f Fragment) wrote(source, after string) Fragment {
	f.Outcome, f.After = Wrote, plain(after)
	f.Blend = &Blend{Source: plain(source), Result: plain(source), Mask: "RGBA", Stored: plain(after)}
	return f
}

func (f Fragment) tested(fragment, op, stored string, pass bool) Fragment {
	f.Depth = &DepthTest{Fragment: plain(fragment), Stored: plain(stored), Op: op, Pass: pass, Written: pass}
	if !pass {
		word := "to"
		if op == "LESS" || op == "GREATER" {
			word = "than"
		}
		return f.ended(Unchanged, "RAS-327", fmt.Sprintf("depth %s is not %s %s %s", fragment, op, word, stored))
	}
	return f
}

func (f Fragment) back() Fragment {
	f.Primitive.Front = false
	return f
}

const (
	unorm = "VK_FORMAT_R8G8B8A8_UNORM"
	coded = "VK_FORMAT_R8G8B8A8_SRGB"
	half  = "VK_FORMAT_R16G16B16A16_SFLOAT"
)

// judged are the verdict's lines on events of a pixel.
func judged(t *testing.T, format string, events ...Event) []string {
	t.Helper()
	e := &Explanation{Target: Target{Image: "picture", Format: format, Width: 100, Height: 100, X: 5, Y: 5, Samples: 1}, Events: events}
	for i := range events {
		events[i].Before = e.After
		if events[i].Outcome == Wrote {
			e.After = events[i].After
		} else {
			events[i].After = e.After
		}
	}
	Judge(e)
	if len(e.Verdict) == 0 || len(e.Verdict) > 3 {
		t.Errorf("%d lines", len(e.Verdict))
	}
	for _, line := range e.Verdict {
		if line == "" || strings.Contains(line, "\n") {
			t.Errorf("%q is not a line", line)
		}
	}
	return e.Verdict
}

func TestJudge_PlantedFaults(t *testing.T) {
	state := named("cullMode", "VK_CULL_MODE_BACK_BIT", "frontFace", "VK_FRONT_FACE_COUNTER_CLOCKWISE")
	culledBack := func(id int, z float64) Fragment {
		f := flat(id, z).back().ended(Missed, "RAS-235", "back-facing, and culled: cullMode is VK_CULL_MODE_BACK_BIT, frontFace VK_FRONT_FACE_COUNTER_CLOCKWISE")
		f.Stopped[0].Depth = &DepthTest{Fragment: plain(fmt.Sprint(z)), Stored: plain("1"), Op: "LESS", Pass: true}
		return f
	}
	edited := func(f Fragment, edit func(*Blend)) Fragment { edit(f.Blend); return f }
	for _, c := range []struct {
		name   string
		format string
		events []Event
		want   []string
	}{
		{"wrong cull mode", unorm, []Event{
			cleared("0, 0, 0, 1"),
			drawing("pass 0, draw 2 (teapot)", Drawn{Elsewhere: 7, State: state, Fragments: []Fragment{culledBack(1, 0.5), culledBack(2, 0.6), culledBack(5, 0.7)}}),
		}, []string{
			"nothing was ever drawn here: 3 triangles of draw 2 (teapot) cover the pixel, but all are back-facing, which cullMode BACK culls (frontFace COUNTER_CLOCKWISE); with the other frontFace, or without culling, one of them would be drawn",
			"the load operation cleared it to 0, 0, 0, 1",
		}},
		{"front face inverted", unorm, []Event{
			cleared("0, 0, 0, 1"),
			drawing("pass 0, draw 0 (ball)", Drawn{State: state, Fragments: []Fragment{
				culledBack(1, 0.25), flat(9, 0.75).tested("0.75", "LESS", "1", true).wrote("1, 0, 0, 1", "1, 0, 0, 1"),
			}}),
		}, []string{
			"draw 0 (ball) wrote it last: 1, 0, 0, 1",
			"draw 0 (ball) culls what lies before what it draws (depth 0.25, and 0.75): is frontFace COUNTER_CLOCKWISE inverted, or cullMode BACK?",
		}},
		{"reversed depth compare against the clear value", unorm, []Event{
			cleared("0, 0, 0, 1"),
			drawing("draw 1", Drawn{Fragments: []Fragment{flat(0, 0.3).tested("0.3", "GREATER", "1", false)}}),
		}, []string{
			"nothing was ever drawn here: triangle 0 of draw 1 lost the depth test: 0.3 is not GREATER than 1, which was cleared or loaded: is depthCompareOp GREATER reversed, or the depth that was cleared to 1?",
			"the load operation of pass 0 cleared it to 0, 0, 0, 1",
		}},
		{"reversed depth compare in perspective", unorm, []Event{
			cleared("0, 0, 0, 1"),
			drawing("near", Drawn{Fragments: []Fragment{triangle(0, [3]float64{0.5, 0.5, 0.6}, [3]float64{2, 2, 3}).tested("0.52", "GREATER", "0", true).wrote("1, 0, 0, 1", "1, 0, 0, 1")}}),
			drawing("far", Drawn{Fragments: []Fragment{triangle(0, [3]float64{0.8, 0.8, 0.9}, [3]float64{5, 5, 9}).tested("0.82", "GREATER", "0.52", true).wrote("0, 0, 1, 1", "0, 0, 1, 1")}}),
		}, []string{
			"far wrote it last: 0, 0, 1, 1, over what near had drawn",
			"far passed the depth test 0.82 GREATER than 0.52: with distance (w) the depth grows here, so that GREATER keeps what is farther away: is depthCompareOp reversed?",
		}},
		{"missing barrier", unorm, []Event{
			cleared("0, 0, 0, 1"),
			drawing("pass 0, draw 0", Drawn{Fragments: []Fragment{flat(0, 0.3).wrote("1, 1, 1, 1", "1, 1, 1, 1")}}),
			{Kind: Barrier, Where: "barrier 3", Outcome: Wrote, Reason: "oldLayout UNDEFINED: the contents are lost", After: plain("undefined")},
		}, []string{
			"barrier 3 wrote it last: undefined, over what pass 0, draw 0 had drawn",
			"barrier 3, after pass 0, draw 0: oldLayout UNDEFINED: the contents are lost",
		}},
		{"missing layout transition of what is read", unorm, []Event{
			cleared("0, 0, 0, 1"),
			func() Event {
				v := drawing("pass 0, draw 0", Drawn{Fragments: []Fragment{flat(0, 0.3).wrote("1, 1, 1, 1", "1, 1, 1, 1")}})
				v.Steps = []Step{{Rule: "IMG-110", Text: "set 0, binding 0 reads albedo in SHADER_READ_ONLY_OPTIMAL; a subresource is in COLOR_ATTACHMENT_OPTIMAL: a barrier is missing", Failed: true}}
				return v
			}(),
		}, []string{
			"draw 0 wrote it last: 1, 1, 1, 1",
			"draw 0: set 0, binding 0 reads albedo in SHADER_READ_ONLY_OPTIMAL; a subresource is in COLOR_ATTACHMENT_OPTIMAL: a barrier is missing",
		}},
		{"missing layout transition", unorm, []Event{
			cleared("0, 0, 0, 1"),
			drawing("pass 0, draw 0", Drawn{Fragments: []Fragment{flat(0, 0.3).wrote("1, 1, 1, 1", "1, 1, 1, 1")}}),
			{Kind: Barrier, Where: "copy 0", Outcome: Unchanged, Reason: "it is read in layout TRANSFER_SRC_OPTIMAL, but is in COLOR_ATTACHMENT_OPTIMAL: a barrier is missing"},
		}, []string{
			"pass 0, draw 0 wrote it last: 1, 1, 1, 1",
			"copy 0, after pass 0, draw 0: it is read in layout TRANSFER_SRC_OPTIMAL, but is in COLOR_ATTACHMENT_OPTIMAL: a barrier is missing",
		}},
		{"swapped blend factors", unorm, []Event{
			cleared("0.2, 0.2, 0.2, 1"),
			drawing("glass", Drawn{Fragments: []Fragment{edited(flat(0, 0.3).wrote("1, 0, 0, 0.75", "0.4, 0.15, 0.15, 1"), func(b *Blend) {
				b.Enabled, b.SourceFactor, b.DestinationFactor = true, "ONE_MINUS_SRC_ALPHA, ONE", "SRC_ALPHA, ZERO"
				b.SourceFactors, b.DestinationFactors, b.Result = plain("0.25, 0.25, 0.25, 1"), plain("0.75, 0.75, 0.75, 0"), plain("0.4, 0.15, 0.15, 1")
			})}}),
		}, []string{
			"glass blended it last: 0.4, 0.15, 0.15, 1",
			"blending: the source counts ONE_MINUS_SRC_ALPHA (0.25), the destination SRC_ALPHA (0.75): are they swapped?",
		}},
		{"source alpha of 0", unorm, []Event{
			cleared("0.2, 0.2, 0.2, 1"),
			drawing("glass", Drawn{Fragments: []Fragment{edited(flat(0, 0.3).wrote("1, 0, 0, 0", "0.2, 0.2, 0.2, 1"), func(b *Blend) {
				b.Enabled, b.SourceFactor, b.DestinationFactor = true, "SRC_ALPHA, ONE", "ONE_MINUS_SRC_ALPHA, ZERO"
				b.SourceFactors, b.DestinationFactors, b.Result = plain("0, 0, 0, 1"), plain("1, 1, 1, 0"), plain("0.2, 0.2, 0.2, 0")
			})}}),
		}, []string{
			"glass blended it last: 0.2, 0.2, 0.2, 1, as it was before",
			"blending: SRC_ALPHA and ONE_MINUS_SRC_ALPHA with a source alpha of 0: the source (1, 0, 0, 0) does not count",
		}},
		{"scissor off by one", unorm, []Event{
			cleared("0, 0, 0, 1"),
			drawing("draw 0", Drawn{Fragments: []Fragment{flat(0, 0.3).ended(Missed, "RAS-307", "scissored: the rectangle goes from (0, 0) to (4, 49), the pixel is (5, 5)")}}),
		}, []string{
			"nothing was ever drawn here: triangle 0 of draw 0 covers the pixel, but is scissored: the rectangle goes from (0, 0) to (4, 49), the pixel is (5, 5): one too few?",
			"the load operation of pass 0 cleared it to 0, 0, 0, 1",
		}},
		{"NaN position", unorm, []Event{
			cleared("0, 0, 0, 1"),
			drawing("draw 0", Drawn{Fragments: []Fragment{(Fragment{Primitive: Primitive{ID: 4, Vertices: make([]Vertex, 3)}}).ended(Missed, "RAS-366", "the position of vertex 1 is not finite: (NaN, 0, 0, 1); the primitive is not drawn")}}),
		}, []string{
			"nothing was ever drawn here: triangle 4 of draw 0: the position of vertex 1 is not finite: (NaN, 0, 0, 1); the primitive is not drawn",
			"the load operation of pass 0 cleared it to 0, 0, 0, 1",
		}},
		{"mip bias", unorm, []Event{
			cleared("0, 0, 0, 1"),
			drawing("draw 0", Drawn{Fragments: []Fragment{func() Fragment {
				f := flat(0, 0.3).wrote("0.5, 0.5, 0.5, 1", "0.5, 0.5, 0.5, 1")
				f.Images = []Image{{Instruction: "texture(albedo)", Result: plain("0.5, 0.5, 0.5, 1"), Texels: []Texel{{Level: 4}, {Level: 3}},
					Steps: []Step{{Rule: "IMG-446", Text: "λ′ = 3.25, of which 3 is bias"}}}}
				return f
			}()}}),
		}, []string{
			"draw 0 wrote it last: 0.5, 0.5, 0.5, 1",
			"texture(albedo) read levels 3 and 4 by its LOD bias of 3: without it λ would be 0.25, not 3.25",
		}},
		{"wrong sample mask", unorm, []Event{
			cleared("0, 0, 0, 1"),
			drawing("draw 0", Drawn{Fragments: []Fragment{flat(0, 0.3).ended(Missed, "RAS-309", "the sample mask 0xe leaves sample 0 out")}}),
		}, []string{
			"nothing was ever drawn here: triangle 0 of draw 0 covers the pixel, but the sample mask 0xe leaves sample 0 out",
			"the load operation of pass 0 cleared it to 0, 0, 0, 1",
		}},
		{"sRGB twice, by round numbers", coded, []Event{
			cleared("0, 0, 0, 1"),
			drawing("draw 0", Drawn{Fragments: []Fragment{flat(0, 0.3).wrote("0.73535696, 0, 0.5371188, 1", "0.7379, 0, 0.5395, 1")}}),
		}, []string{
			"draw 0 wrote it last: 0.7379, 0, 0.5395, 1",
			"encoded to sRGB twice? the shader's output (0.73535696, 0, 0.5371188, 1) is the sRGB code of 0.5, 0, 0.25, and VK_FORMAT_R8G8B8A8_SRGB encodes once more",
		}},
		{"sRGB twice, of an input", coded, []Event{
			cleared("0, 0, 0, 1"),
			drawing("draw 0", Drawn{Fragments: []Fragment{func() Fragment {
				f := flat(0, 0.3).wrote("0.6313, 0.2, 0.3, 1", "0.63, 0.2, 0.3, 1")
				f.Inputs = []Named{{"location 1", plain("0.3634, 0.029, 0.0708, 1")}} // to the power of 2.2
				return f
			}()}}),
		}, []string{
			"draw 0 wrote it last: 0.63, 0.2, 0.3, 1",
			"encoded to sRGB twice? the shader's output (0.6313, 0.2, 0.3, 1) is the sRGB code of its input location 1 (0.3634, 0.029, 0.0708, 1), and VK_FORMAT_R8G8B8A8_SRGB encodes once more",
		}},
		{"NaN of the shader", half, []Event{
			cleared("0, 0, 0, 1"),
			drawing("draw 3", Drawn{Fragments: []Fragment{func() Fragment {
				f := flat(0, 0.3).wrote("NaN, 0, 0, 1", "NaN, 0, 0, 1")
				f.Shader = &Shader{Steps: []Instruction{{Text: "%9 = OpLoad %float %x", Value: plain("0")}, {Text: "%12 = OpFDiv %float %9 %9", File: "shade.frag", Line: 7, Value: plain("NaN")}}}
				return f
			}()}}),
			drawing("draw 4", Drawn{Fragments: []Fragment{edited(flat(0, 0.3).wrote("1, 1, 1, 1", "NaN, 1, 1, 1"), func(b *Blend) { b.Enabled = true })}}),
		}, []string{
			"draw 4 blended it last: NaN, 1, 1, 1, over what draw 3 had drawn",
			"it is (NaN, 0, 0, 1) since draw 3: its shader made it at shade.frag:7, %12 = OpFDiv %float %9 %9, %9 is (0)",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "NaN of the shader" { // its second draw finds it there
				c.events[2].Draw.Fragments[0].Before = plain("NaN, 0, 0, 1")
			}
			if d := cmp.Diff(c.want, judged(t, c.format, c.events...)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestJudge_OrdinaryHistories(t *testing.T) {
	red := func(where string, z string, stored string) Event {
		return drawing(where, Drawn{Fragments: []Fragment{flat(0, 0.3).tested(z, "LESS", stored, true).wrote("1, 0, 0, 1", where)}})
	}
	for _, c := range []struct {
		name   string
		events []Event
		want   []string
	}{
		{"nothing at all", nil, []string{"nothing was drawn here: it is as it was: "}},
		{"clear alone", []Event{cleared("0, 0, 0, 1")}, []string{"nothing was drawn here: the load operation cleared it to 0, 0, 0, 1"}},
		{"draws elsewhere", []Event{cleared("0, 0, 0, 1"), drawing("a", Drawn{Primitives: 3, Elsewhere: 3}), drawing("b", Drawn{Primitives: 4, Elsewhere: 4})}, []string{
			"nothing was ever drawn here: none of 2 draws comes near the pixel", "the load operation of pass 0 cleared it to 0, 0, 0, 1",
		}},
		{"beside a draw elsewhere", []Event{cleared("0"), drawing("a", Drawn{Primitives: 3, Elsewhere: 3}), red("draw 1", "0.5", "1")}, []string{"draw 1 wrote it last: draw 1"}},
		{"a draw of nothing", []Event{cleared("0"), {Kind: Draw, Where: "draw 0", Outcome: Missed, Reason: "it has no primitives", Draw: &Drawn{}}}, []string{
			"nothing was ever drawn here: draw 0: it has no primitives", "the load operation of pass 0 cleared it to 0",
		}},
		{"one over another", []Event{cleared("0, 0, 0, 1"), red("draw 5", "0.5", "1"), red("draw 9", "0.4", "0.5")}, []string{"draw 9 wrote it last: draw 9, over what draw 5 had drawn"}},
		{"the last draw lost", []Event{cleared("0, 0, 0, 1"), red("draw 3", "0.5", "1"), drawing("draw 7", Drawn{Fragments: []Fragment{flat(0, 0.7).tested("0.9", "LESS", "0.5", false), flat(1, 0.51).tested("0.51", "LESS", "0.5", false)}})}, []string{
			"draw 3 wrote it last: draw 3", "2 triangles of draw 7 lost the depth test: 0.51 is not LESS than 0.5, written by draw 3",
		}},
		{"the same surface", []Event{cleared("0, 0, 0, 1"), red("draw 3", "0.5", "1"), drawing("draw 7", Drawn{Fragments: []Fragment{flat(0, 0.5).tested("0.50000006", "LESS", "0.5", false)}})}, []string{
			"draw 3 wrote it last: draw 3", "triangle 0 of draw 7 lost the depth test: 0.50000006 is not LESS than 0.5, written by draw 3; they are only 6e-08 apart: the same surface?",
		}},
		{"losses behind the writer come first", []Event{
			cleared("0, 0, 0, 1"),
			drawing("draw 1", Drawn{Fragments: []Fragment{flat(0, 0.7).tested("0.9", "LESS", "0.5", false)}}), red("draw 2", "0.3", "1"),
			drawing("draw 3", Drawn{Fragments: []Fragment{flat(0, 0.4).tested("0.4", "LESS", "0.3", false)}}),
			drawing("draw 4", Drawn{Fragments: []Fragment{flat(0, 0.4).ended(Unchanged, "RAS-298", "the shader discards the fragment")}}),
			drawing("draw 5", Drawn{Primitives: 9, Elsewhere: 9}),
		}, []string{
			"draw 2 wrote it last: draw 2", "triangle 0 of draw 3 lost the depth test: 0.4 is not LESS than 0.3, written by draw 2", "triangle 0 of draw 4 covers the pixel, but the shader discards the fragment",
		}},
		{"cleared after drawing", []Event{red("draw 1", "0.5", "1"), {Kind: Clear, Where: "clear 0", Outcome: Wrote, After: plain("0, 0, 0, 0")}}, []string{"clear 0 wrote it last: 0, 0, 0, 0, over what draw 1 had drawn"}},
		{"a copy", []Event{{Kind: Copy, Where: "copy 2", Outcome: Wrote, After: plain("1, 1, 1, 1"), From: &Target{Image: "source", X: 3, Y: 4}}}, []string{"copy 2 took it from pixel 3, 4 of source: 1, 1, 1, 1"}},
		{"a resolve", []Event{{Kind: Resolve, Where: "pass 0, resolve", Outcome: Wrote, After: plain("0.5"), Steps: []Step{{Rule: "RAS-352", Text: "AVERAGE of 4 samples"}}}}, []string{"the resolve wrote it last: 0.5, AVERAGE of 4 samples"}},
		{"rasterizer discard", []Event{cleared("0"), {Kind: Draw, Where: "draw 0", Outcome: Missed, Reason: "rasterizerDiscardEnable is on: nothing is rasterized", Draw: &Drawn{Primitives: 4, Elsewhere: 2}}}, []string{
			"nothing was ever drawn here: draw 0: rasterizerDiscardEnable is on: nothing is rasterized", "the load operation of pass 0 cleared it to 0",
		}},
		{"undefined contents", []Event{
			{Kind: Load, Where: "pass 0, load", Outcome: Unchanged, Reason: "loadOp DONT_CARE: the contents are undefined; here they stay as they were"},
			drawing("draw 0", Drawn{Fragments: []Fragment{func() Fragment {
				f := flat(0, 0.3).wrote("1, 0, 0, 0.5", "0.5, 0, 0, 1")
				f.Blend.Enabled, f.Blend.SourceFactor, f.Blend.DestinationFactor = true, "SRC_ALPHA, ONE", "ONE_MINUS_SRC_ALPHA, ZERO"
				f.Blend.SourceFactors = plain("0.5, 0.5, 0.5, 1")
				return f
			}()}}),
		}, []string{"draw 0 blended it last: 0.5, 0, 0, 1", "the load operation of pass 0: loadOp DONT_CARE: the contents are undefined; here they stay as they were"}},
		{"mask and clamping", []Event{cleared("0, 0, 0, 1"), drawing("draw 0", Drawn{Fragments: []Fragment{func() Fragment {
			f := flat(0, 0.3).wrote("3.5, 0, 0, 0.5", "1, 0, 0, 1")
			f.Blend.Mask, f.Blend.Destination = "RGB", plain("0, 0, 0, 1")
			return f
		}()}})}, []string{"draw 0 wrote it last: 1, 0, 0, 1", `the colour write mask "RGB" leaves alpha as before`, "(3.5, 0, 0, 0.5) is clamped: " + unorm + " holds 0 to 1"}},
		{"an account that does not add up", []Event{cleared("0"), drawing("draw 0", Drawn{Fragments: []Fragment{func() Fragment {
			f := flat(0, 0.3).wrote("1", "1")
			f.Steps = []Step{{Text: "this account does not add up", Failed: true}}
			return f
		}()}})}, []string{"draw 0 wrote it last: 1", "draw 0: this account does not add up"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(c.want, judged(t, unorm, c.events...)); d != "" {
				t.Error(d)
			}
		})
	}
}

// Hints are for numbers that support them, and silent on those that do not.
func TestJudge_NoHintWithoutNumbers(t *testing.T) {
	lines := func(format string, f Fragment, state ...string) string {
		return strings.Join(judged(t, format, cleared("0, 0, 0, 1"), drawing("draw 0", Drawn{Fragments: []Fragment{f}, State: named(state...)})), "\n")
	}
	for name, f := range map[string]Fragment{
		"not a code of round numbers": flat(0, 0.3).wrote("0.7, 0.61, 0.3, 1", "0"),
		"round numbers themselves":    flat(0, 0.3).wrote("0.5, 0.25, 0.1, 1", "0"),
		"black and white":             flat(0, 0.3).wrote("1, 0, 1, 1", "0"),
		"input as it is": func() Fragment {
			f := flat(0, 0.3).wrote("0.7, 0.61, 0.3, 1", "0")
			f.Inputs = []Named{{"location 0", plain("0.7, 0.61, 0.3, 1")}}
			return f
		}(),
	} {
		if got := lines(coded, f); strings.Contains(got, "sRGB twice") {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got := lines(unorm, flat(0, 0.3).wrote("0.73535696, 0, 0, 1", "0")); strings.Contains(got, "sRGB") {
		t.Errorf("UNORM: %s", got)
	}
	// Reversed depth with a projection to match.
	if got := lines(unorm, triangle(0, [3]float64{0.5, 0.5, 0.4}, [3]float64{2, 2, 3}).tested("0.48", "GREATER", "0", true).wrote("1", "1")); strings.Contains(got, "reversed") {
		t.Error(got)
	}
	if got := lines(unorm, flat(0, 0.3).tested("0.7", "LESS", "0.5", false)); strings.Contains(got, "reversed") {
		t.Error(got)
	}
	if got := lines(unorm, triangle(0, [3]float64{0.5, 0.5, 0.4}, [3]float64{2, 2, 3}).tested("0.48", "LESS", "0.5", true).wrote("1", "1")); !strings.Contains(got, "the depth shrinks here, so that LESS keeps what is farther") {
		t.Error(got)
	}
	if got := lines(unorm, flat(0, 1).tested("1", "GREATER_OR_EQUAL", "1", true).wrote("1", "1")); strings.Contains(got, "reversed") {
		t.Error(got)
	}
	// Nothing to see of a black source, and of what lies before all that is culled.
	black := flat(0, 0.3).wrote("0, 0, 0, 0", "0, 0, 0, 1")
	black.Blend.Enabled, black.Blend.SourceFactors = true, plain("0, 0, 0, 0")
	if got := lines(unorm, black); strings.Contains(got, "does not count") {
		t.Error(got)
	}
	if got := lines(unorm, flat(0, 0.3).wrote("-0.5, 0, 0, 1", "0, 0, 0, 1")); !strings.Contains(got, "(-0.5, 0, 0, 1) is clamped") {
		t.Error(got)
	}
	// A scissor rectangle that ends far away.
	if got := lines(unorm, flat(0, 0.3).ended(Missed, "RAS-307", "scissored: the rectangle goes from (0, 0) to (3, 49), the pixel is (5, 5)")); strings.Contains(got, "too few") {
		t.Error(got)
	}
	// Culling as it is meant: back faces behind front faces.
	closed := judged(t, unorm, cleared("0"), drawing("draw 0", Drawn{Fragments: []Fragment{
		flat(0, 0.9).wrote("1", "1"), flat(1, 0.25).wrote("1", "1"), flat(2, 0.75).back().ended(Missed, "RAS-235", "back-facing, and culled"),
	}}))
	if strings.Contains(strings.Join(closed, "\n"), "inverted") {
		t.Errorf("%q", closed)
	}
	bias := flat(0, 0.3).wrote("1", "1")
	bias.Images = []Image{{Instruction: "texture(t)", Steps: []Step{{Rule: "IMG-446", Text: "λ′ = -2, of which 1 is bias"}}}}
	if got := lines(unorm, bias); strings.Contains(got, "bias") {
		t.Errorf("magnified either way: %s", got)
	}
	bias.Images[0].Steps[0].Text = "λ′ = 2, of which 0.25 is bias"
	if got := lines(unorm, bias); strings.Contains(got, "bias") {
		t.Errorf("a slight bias: %s", got)
	}
}

// What most of a draw's triangles ended by is told, unless something weightier stopped others.
func TestJudge_LossesOfOneDraw(t *testing.T) {
	edge := func(id int) Fragment {
		return flat(id, 0.5).ended(Missed, "RAS-238", "it covers samples 1, 2 of the pixel, not sample 0")
	}
	mask := flat(4, 0.5).ended(Missed, "RAS-309", "the sample mask 0xe leaves sample 0 out")
	other := func(id int) Fragment {
		return flat(id, 0.5).ended(Unchanged, "RAS-315", "the shader's SampleMask 0x2 leaves sample 0 out")
	}
	for want, list := range map[string][]Fragment{
		"nothing was ever drawn here: 2 triangles of draw 0: it covers samples 1, 2 of the pixel, not sample 0":                              {edge(0), edge(1)},
		"nothing was ever drawn here: triangle 4 of draw 0 covers the pixel, but the sample mask 0xe leaves sample 0 out":                    {edge(0), edge(1), mask},
		"nothing was ever drawn here: 2 triangles of draw 0 cover the pixel, but the shader's SampleMask 0x2 leaves sample 0 out":            {mask, other(5), other(6), edge(7)},
		"nothing was ever drawn here: triangle 0 of draw 0 would cover the pixel: all vertices are beyond the near plane of the view volume": {flat(0, 0.5).ended(Missed, "RAS-076", "all vertices are beyond the near plane of the view volume"), edge(1), edge(2)},
	} {
		if got := judged(t, unorm, cleared("0"), drawing("draw 0", Drawn{Fragments: list}))[0]; got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

// A transition that loses what is drawn anew, and a wrong read by a draw that never wrote, do not matter.
func TestJudge_BarriersThatDoNotMatter(t *testing.T) {
	lost := Event{Kind: Barrier, Where: "transfer 0", Outcome: Unchanged, Reason: "oldLayout UNDEFINED"}
	red := drawing("draw 0", Drawn{Fragments: []Fragment{flat(0, 0.3).wrote("1, 0, 0, 1", "1, 0, 0, 1")}})
	elsewhere := drawing("draw 1", Drawn{Primitives: 2, Elsewhere: 2})
	elsewhere.Steps = []Step{{Rule: "IMG-110", Text: "binding 0", Failed: true}}
	for _, events := range [][]Event{{lost, cleared("0"), red}, {lost, red}, {cleared("0"), elsewhere, red}} {
		if got := judged(t, unorm, events...); !strings.HasPrefix(got[0], "draw 0 wrote it last") || strings.Contains(strings.Join(got, "\n"), "UNDEFINED") || strings.Contains(strings.Join(got, "\n"), "binding") {
			t.Errorf("%q", got)
		}
	}
	blended := drawing("draw 0", Drawn{Fragments: []Fragment{flat(0, 0.3).wrote("1, 0, 0, 1", "1, 0, 0, 1")}})
	blended.Draw.Fragments[0].Blend.Enabled = true
	if got := judged(t, unorm, lost, blended); len(got) != 2 || got[1] != "transfer 0: oldLayout UNDEFINED" {
		t.Errorf("%q", got)
	}
}

// Names of events lose what all have in common, but for the last part.
func TestJudge_Names(t *testing.T) {
	at := func(where string) Event {
		return drawing(where, Drawn{Fragments: []Fragment{flat(0, 0.3).wrote("1", "1")}})
	}
	load := func(where string) Event {
		v := cleared("0")
		v.Where = where
		return v
	}
	for _, c := range []struct {
		events []Event
		want   string
	}{
		{[]Event{load("pass 1, load"), at("pass 1, draw 2 (floor, in two parts)")}, "draw 2 (floor, in two parts)"},
		{[]Event{load("pass 0, load"), load("pass 1, load"), at("pass 1, draw 2 (floor)")}, "pass 1, draw 2 (floor)"},
		{[]Event{load("command buffer 1, pass 0, load"), at("command buffer 1, pass 1, draw 2")}, "pass 1, draw 2"},
		{[]Event{load("command buffer 1, pass 0"), at("command buffer 1, pass 0, draw 2")}, "pass 0, draw 2"},
		{[]Event{at("pass 1, draw 2 (")}, "draw 2 ("},
		{[]Event{{Kind: Copy, Index: 5, Outcome: Wrote, After: plain("1")}}, "copy 5"},
	} {
		if got, want := judged(t, unorm, c.events...)[0], c.want+" wrote it last: 1"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Explanations of files may hold anything.
func TestJudge_Hostile(t *testing.T) {
	for i, e := range []Explanation{
		{}, {Events: []Event{{Kind: Draw, Where: "a\r\n\nb", Outcome: Wrote}}}, {Events: []Event{{Kind: Draw, Outcome: Missed}}},
		{Events: []Event{{Kind: Draw, Draw: &Drawn{Fragments: []Fragment{{}, {Outcome: Wrote, Blend: &Blend{}, Depth: &DepthTest{Op: "LESS"}}}}}}},
		{Events: []Event{{Kind: Draw, Outcome: Wrote, Draw: &Drawn{Fragments: []Fragment{{Outcome: Wrote, Blend: &Blend{Enabled: true, Source: plain("1, x"), SourceFactors: plain("0")}, Primitive: Primitive{Vertices: make([]Vertex, 9)}, Images: []Image{{Steps: []Step{{Rule: "IMG-446", Text: "λ′ = x, of which y is bias"}}}}}}}}}},
		{Events: []Event{{Kind: Barrier, Outcome: Wrote}, {Kind: Resolve, Outcome: Wrote}}, Target: Target{Format: coded}},
		{Events: []Event{{Kind: Draw, Outcome: Unchanged, Draw: &Drawn{Fragments: []Fragment{{Steps: []Step{{Rule: "RAS-327", Failed: true}}}, {Steps: []Step{{Rule: "RAS-235", Failed: true}}}, {Steps: []Step{{Rule: "RAS-307", Failed: true, Text: "(99999999999999999999, 1) (2, 3) (4, 5)"}}}}}}}},
	} {
		if Judge(&e); len(e.Verdict) == 0 || len(e.Verdict) > 3 || strings.ContainsAny(strings.Join(e.Verdict, ""), "\r\n") {
			t.Errorf("%d: %q", i, e.Verdict)
		}
		before := fmt.Sprint(e.Verdict)
		if Judge(&e); fmt.Sprint(e.Verdict) != before {
			t.Errorf("%d: judged again, %q", i, e.Verdict)
		}
	}
}

// Culling is not blamed for what would lose the depth test as well, and nothing is promised of it.
func TestJudge_CulledAndBehind(t *testing.T) {
	state := named("cullMode", "VK_CULL_MODE_BACK_BIT", "frontFace", "VK_FRONT_FACE_COUNTER_CLOCKWISE", "depthTest", "true", "depthCompareOp", "VK_COMPARE_OP_LESS")
	culled := func(id int, z float64) Fragment {
		return flat(id, z).back().ended(Missed, "RAS-235", "back-facing, and culled")
	}
	behind := func(id int, z, op string) Fragment {
		f := flat(id, 0.5).back().tested(z, op, "0.25", false).ended(Missed, "RAS-235", "back-facing, and culled")
		f.Depth = nil
		return f
	}
	front := drawing("draw 0", Drawn{Fragments: []Fragment{flat(0, 0.25).tested("0.25", "LESS", "1", true).wrote("1", "1")}})
	for name, c := range map[string]struct {
		behind Drawn
		want   string // of the second line
		wrong  string
	}{
		"behind":            {Drawn{State: state, Fragments: []Fragment{behind(0, "0.5", "LESS")}}, "and would lose the depth test: 0.5 is not LESS than 0.25", "would be drawn"},
		"before":            {Drawn{State: state, Fragments: []Fragment{culled(0, 0.125)}}, "with the other frontFace, or without culling", "lose"},
		"one of them":       {Drawn{State: state, Fragments: []Fragment{behind(0, "0.5", "LESS"), culled(1, 0.125)}}, "it would be drawn", "lose"},
		"its front, too":    {Drawn{State: state, Fragments: []Fragment{behind(0, "0.75", "LESS"), behind(1, "0.8", "LESS"), flat(2, 0.5).tested("0.5", "LESS", "0.25", false)}}, "triangle 2 of draw 1 lost the depth test", "culls"},
		"no depth test":     {Drawn{State: named("cullMode", "VK_CULL_MODE_BACK_BIT", "depthTest", "false"), Fragments: []Fragment{culled(0, 0.5)}}, "it would be drawn", "lose"},
		"greater is nearer": {Drawn{State: named("depthTest", "true", "depthCompareOp", "VK_COMPARE_OP_GREATER"), Fragments: []Fragment{behind(0, "0.125", "GREATER")}}, "and would lose the depth test: 0.125 is not GREATER than 0.25", "would be drawn"},
	} {
		got := judged(t, unorm, cleared("0"), front, drawing("draw 1", c.behind))
		if len(got) < 2 || !strings.Contains(got[1], c.want) || strings.Contains(got[1], c.wrong) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

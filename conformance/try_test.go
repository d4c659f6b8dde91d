package conformance

import (
	"fmt"
	"image/color"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/vk"
)

// tried is a frame that can be drawn again with changes of its draws.
type tried struct {
	t      testing.TB
	dev    *pumice.Device
	cmd    *pumice.CommandBuffer
	points []pumice.WatchPoint
	as     []*explain.Explanation            // as it is
	with   map[string][]*explain.Explanation // with changes
}

// draw draws with changes of a draw.
func (f *tried) draw(ordinal int, list ...explain.Change) []*explain.Explanation {
	f.t.Helper()
	key := fmt.Sprint(ordinal, list)
	if es, ok := f.with[key]; ok {
		return es
	}
	w, err := f.dev.Watch(f.points...)
	if err != nil {
		f.t.Fatal(err)
	}
	for _, c := range list {
		if err := w.Change(ordinal, c); err != nil {
			f.t.Fatal(err)
		}
	}
	err = f.dev.Submit(ctx, f.cmd)
	es := w.End()
	if err != nil {
		f.t.Fatal(err)
	}
	if f.with == nil {
		f.with = map[string][]*explain.Explanation{}
	}
	f.with[key] = es
	return es
}

// begin draws the frame as it is, and once for each change that a hint speaks of.
func (f *tried) begin() {
	f.t.Helper()
	f.as = f.draw(0)
	err := explain.Try(f.as, func(h *explain.Hint) ([]*explain.Explanation, error) {
		return f.draw(h.Ordinal, *h.Change), nil
	})
	if err != nil {
		f.t.Fatal(err)
	}
}

func eventOf(e *explain.Explanation, ordinal int) *explain.Event {
	for i := range e.Events {
		if v := &e.Events[i]; v.Kind == explain.Draw && v.Ordinal == ordinal {
			return v
		}
	}
	return nil
}

// triedTally counts what check has seen.
type triedTally struct{ pairs, promises, kept, questions, cannot, freed, held int }

// check looks at what came of a sample's hints, and does what its stops say, one after another.
func (f *tried) check(at int, n *triedTally) (wrong string) {
	e := f.as[at]
	n.pairs++
	for _, h := range e.Hints {
		if h.Change == nil {
			if n.cannot++; h.Cannot == "" {
				return fmt.Sprintf("hint %q has neither a change nor a reason why", h.Says)
			}
			continue
		}
		switch {
		case !h.Writes:
			n.questions++
		case !h.Tried.Wrote:
			return fmt.Sprintf("hint %q: the draw does not write: %s", h.Says, h.Tried.Says)
		default:
			if n.promises++; h.Tried.After == e.After {
				n.kept++ // drawn over
			}
		}
	}
	for i := range e.Events {
		if v := &e.Events[i]; v.Draw != nil && v.Outcome != explain.Wrote {
			if wrong := f.stops(at, v, n); wrong != "" {
				return wrong
			}
		}
	}
	return ""
}

// stops takes away what stops the one primitive of a draw that covers the sample: without all of it the draw writes, without
// all but one it does not.
func (f *tried) stops(at int, v *explain.Event, n *triedTally) (wrong string) {
	var only *explain.Fragment
	for i := range v.Draw.Fragments {
		g := &v.Draw.Fragments[i]
		if len(g.Stopped) == 0 {
			continue
		}
		if s := g.Stopped[0]; s.Text == "" || !strings.Contains(g.Reason, s.Text) {
			return fmt.Sprintf("%s, primitive %d ended by %q, and was stopped by %q", v.Where, g.Primitive.ID, g.Reason, s.Text)
		}
		if only != nil {
			return ""
		}
		only = g
	}
	if only == nil {
		return ""
	}
	var all []explain.Change
	for _, s := range only.Stopped {
		if s.Change == nil {
			if s.Cannot == "" && !s.Perhaps {
				return fmt.Sprintf("%s: stop %q has neither a change nor a reason why", v.Where, s.Text)
			}
			return ""
		}
		all = append(all, *s.Change)
	}
	now := eventOf(f.draw(v.Ordinal, all...)[at], v.Ordinal)
	if n.freed++; now == nil || now.Outcome != explain.Wrote {
		return fmt.Sprintf("%s, with %v: does not write: %+v", v.Where, all, now)
	}
	has := func(name, value string) bool {
		return slices.Contains(v.Draw.State, explain.Named{Name: name, Value: explain.Value{Text: value}})
	}
	if has("polygonMode", "LINE") && has("stencilTest", "true") {
		return "" // a side that fails changes stencil for the next
	}
	for i := range all {
		some := slices.Delete(slices.Clone(all), i, i+1)
		if now := eventOf(f.draw(v.Ordinal, some...)[at], v.Ordinal); now != nil && now.Outcome == explain.Wrote {
			return fmt.Sprintf("%s, with %v and still %q: writes", v.Where, some, only.Stopped[i].Text)
		}
		n.held++
	}
	return ""
}

// randomFrame is a frame of random triangles in random states.
func randomFrame(t testing.TB, dev *pumice.Device, rng *rand.Rand, pixels int) *tried {
	samples := []int{1, 1, 4}[rng.IntN(3)]
	size := uint32(faultSize)
	b := boardOn(t, dev, vk.FormatR8G8B8A8Unorm, samples)
	target := must(dev.NewImage(pumice.ImageDesc{Format: vk.FormatR8G8B8A8Unorm, Width: faultSize, Height: faultSize, Samples: samples}))(t)
	deep := []vk.Format{vk.FormatD32SfloatS8Uint, vk.FormatD24UnormS8Uint, vk.FormatD16UnormS8Uint}[rng.IntN(3)]
	if rng.IntN(2) == 0 {
		deep = vk.FormatD32SfloatS8Uint
	}
	b.desc.DepthFormat, b.desc.StencilFormat = deep, deep
	r := pumice.ClearTo(target, color.NRGBA{0, 60, 0, 255}).WithDepth(must(dev.NewImage(pumice.ImageDesc{
		Format: deep, Width: faultSize, Height: faultSize, Samples: samples}))(t), []float32{0, 0.5, 1, 1}[rng.IntN(4)])
	cmd := dev.NewCommandBuffer()
	pass := cmd.BeginRendering(r)
	one := func(p float64) bool { return rng.Float64() < p }
	op := func() vk.CompareOp {
		return []vk.CompareOp{vk.CompareOpLess, vk.CompareOpLess, vk.CompareOpLessOrEqual, vk.CompareOp(rng.IntN(8))}[rng.IntN(4)]
	}
	for range 1 + rng.IntN(5) {
		b.desc.Rasterization = culling(vk.CullModeFlags([]int{0, 1, 2, 2, 3}[rng.IntN(5)]), vk.FrontFace(rng.IntN(2)))
		b.desc.Rasterization.DepthClampEnable = one(0.1)
		if one(0.1) {
			b.desc.Rasterization.PolygonMode = vk.PolygonModeLine
		}
		face := func() vk.StencilOpState {
			s := vk.StencilOpState{CompareOp: vk.CompareOpAlways, CompareMask: 3, WriteMask: 3, Reference: uint32(rng.IntN(4))}
			if one(0.5) {
				s.CompareOp, s.PassOp = vk.CompareOp(rng.IntN(8)), vk.StencilOp(rng.IntN(8))
				s.FailOp, s.DepthFailOp = vk.StencilOp(rng.IntN(8)), vk.StencilOp(rng.IntN(8))
			}
			return s
		}
		b.desc.DepthStencil = &vk.PipelineDepthStencilStateCreateInfo{
			DepthTestEnable: one(0.8), DepthWriteEnable: one(0.8), DepthCompareOp: op(),
			StencilTestEnable: one(0.25), Front: face(), Back: face(),
			DepthBoundsTestEnable: one(0.1), MinDepthBounds: 0.25, MaxDepthBounds: 0.75,
		}
		b.desc.Multisample = &vk.PipelineMultisampleStateCreateInfo{RasterizationSamples: vk.SampleCountFlags(samples)}
		if one(0.2) {
			b.desc.Multisample.SampleMask = []uint32{rng.Uint32N(16)}
		}
		blend := pumice.AlphaBlend()
		blend.BlendEnable = one(0.3)
		if one(0.1) {
			blend.ColorWriteMask = 0
		}
		b.desc.Blend = &vk.PipelineColorBlendStateCreateInfo{Attachments: []vk.PipelineColorBlendAttachmentState{blend}}
		scissor := vk.Rect2D{Extent: vk.Extent2D{Width: size, Height: size}}
		if one(0.3) {
			scissor = vk.Rect2D{Offset: vk.Offset2D{X: rng.Int32N(8), Y: rng.Int32N(8)}, Extent: vk.Extent2D{Width: rng.Uint32N(12), Height: rng.Uint32N(12)}}
		}
		pass.SetScissor(scissor)
		var list []soup
		for range 3 * (1 + rng.IntN(4)) {
			w := 0.3 + 2*rng.Float32()
			if one(0.03) {
				w = -w
			}
			at := func() float32 { return (rng.Float32()*3 - 1.5) * w }
			list = append(list, soup{X: at(), Y: at(), Z: (rng.Float32()*1.4 - 0.2) * w, W: w, Color: [4]uint8{uint8(rng.Uint32()), uint8(rng.Uint32()), uint8(rng.Uint32()), 255}})
		}
		b.draw(pass, []int{0, 0, 0, 5}[rng.IntN(4)], 1, nil, list...)
	}
	pass.End()
	f := &tried{t: t, dev: dev, cmd: cmd}
	for range pixels {
		f.points = append(f.points, pumice.WatchPoint{Image: target, X: rng.IntN(faultSize), Y: rng.IntN(faultSize), Sample: rng.IntN(samples)})
	}
	f.begin()
	return f
}

// Frames whose promises were broken once: filled triangles that are cut at the guard band, and
// primitives, or sides of one, that change the stencil before the next is tested.
func TestTry_FramesThatBrokeAPromise(t *testing.T) {
	dev := must(pumice.Open(&pumice.Config{Explain: true, Threads: 1}))(t)
	defer dev.Close()
	var n triedTally
	for _, seed := range []uint64{526, 986, 1115, 1311, 3121, 3287} {
		f := randomFrame(t, dev, rand.New(rand.NewPCG(31, seed)), 24)
		for at := range f.points {
			if wrong := f.check(at, &n); wrong != "" {
				t.Errorf("frame %d, point %d: %s", seed, at, wrong)
			}
		}
	}
}

// What explanations advise comes true when it is done: each change that is said to make a draw write does, what stops a
// primitive is all that does, and each part of it does. PUMICE_TRIES is how many random frames there are, of 24 samples each.
func TestTry_RandomFrames(t *testing.T) {
	frames := 80
	if testing.Short() {
		frames = 10
	}
	if n, err := strconv.Atoi(os.Getenv("PUMICE_TRIES")); err == nil {
		frames = n
	}
	dev := must(pumice.Open(&pumice.Config{Explain: true, Threads: 1}))(t)
	defer func() { _ = dev.Close() }()
	var n triedTally
	bad := 0
	for seed := range frames {
		if seed%256 == 255 { // what frames have made goes with their device
			_ = dev.Close()
			dev = must(pumice.Open(&pumice.Config{Explain: true, Threads: 1}))(t)
		}
		f := randomFrame(t, dev, rand.New(rand.NewPCG(31, uint64(seed))), 24)
		for at := range f.points {
			if wrong := f.check(at, &n); wrong != "" {
				e := f.as[at]
				t.Errorf("frame %d, (%d, %d) sample %d: %s\n%s", seed, e.Target.X, e.Target.Y, e.Target.Sample, wrong, strings.Join(e.Verdict, "\n"))
				if bad++; bad > 20 {
					t.FailNow()
				}
			}
		}
	}
	t.Logf("%+v", n)
	if n.promises < frames || n.freed < frames || n.held < frames {
		t.Errorf("too little was tried: %+v", n)
	}
}

// Of what is planted, too; and what no state of a draw changes says so.
func TestTry_PlantedFaults(t *testing.T) {
	list := append(faults(), fault{
		name: "outside the render area", x: 9,
		load: func(r *pumice.Rendering, _ bool) { r.Area.Extent = vk.Extent2D{Width: 8, Height: faultSize} },
		draw: func(b *board, p *pumice.Pass, _ bool) {
			p.SetViewport(vk.Viewport{Width: faultSize, Height: faultSize, MaxDepth: 1})
			b.draw(p, 0, 1, nil, faultSquare(0.5, 1, faultRed)...)
		},
	})
	cannot := map[string]string{}
	for _, f := range list {
		b, cmd, target := drawFault(t, &f, true)
		point := pumice.WatchPoint{Image: target, X: f.x, Y: f.y, Sample: f.sample}
		frame := &tried{t: t, dev: b.dev, cmd: cmd, points: []pumice.WatchPoint{point}}
		frame.begin()
		if wrong := frame.check(0, new(triedTally)); wrong != "" {
			t.Errorf("%s: %s", f.name, wrong)
		}
		for _, h := range frame.as[0].Hints {
			if h.Change == nil {
				cannot[f.name] = h.Cannot
			}
		}
	}
	for name, want := range map[string]string{
		"outside the render area": "the render area is the pass's", "NaN position": "positions come from shaders",
	} {
		if cannot[name] != want {
			t.Errorf("%s cannot be tried since %q, want %q", name, cannot[name], want)
		}
	}
}

// What is no hint's change is refused.
func TestWatcherChange_Refusals(t *testing.T) {
	b := newBoard(t, vk.FormatR8G8B8A8Unorm, 1)
	target := must(b.dev.NewImage(pumice.ImageDesc{Format: vk.FormatR8G8B8A8Unorm, Width: 8, Height: 8}))(t)
	w := must(b.dev.Watch(pumice.WatchPoint{Image: target}))(t)
	for _, c := range []explain.Change{
		{}, {State: "cullMode", Value: "BACK"}, {State: "scissor", Value: "1, 2, 3"}, {State: "scissor", Value: "-1, 2, 3, 4"},
		{State: "scissor", Value: "0, 0, 4294967295, 1"}, {State: "sampleMask", Value: "all"}, {State: "topology", Value: "VK_FALSE"},
		{State: "depthTestEnable", Value: "VK_TRUE"}, {State: "colorWriteMask", Value: "R"},
	} {
		if err := w.Change(0, c); err == nil {
			t.Errorf("%+v is taken", c)
		}
	}
	w.End()
	if err := w.Change(0, explain.Change{State: "depthTestEnable", Value: "VK_FALSE"}); err == nil {
		t.Error("a watcher that has ended takes a change")
	}
}

package main

import (
	"context"
	"fmt"
	"image/color"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/vk"
)

// Pixel histories of other tools have known holes for Vulkan: early fragment tests, how many
// fragments failed the depth test,
// subresources, and commands that are submitted again. Subpasses and secondary command buffers are
// in
// driver/internal/icd.

// holes draws scenes of planted, and explains texels of their images.
func holes(t *testing.T, plant func(*plantedScene)) (dev *pumice.Device, cmd *pumice.CommandBuffer,
	target, depth *pumice.Image) {
	t.Helper()
	dev, err := pumice.Open(&pumice.Config{Explain: true, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = dev.Close() })
	s := newPlantedScene()
	plant(s)
	cmd, target, depth, err = s.record(dev)
	if err != nil {
		t.Fatal(err)
	}
	return dev, cmd, target, depth
}

func historyOf(t *testing.T, dev *pumice.Device, at pumice.WatchPoint,
	cmds ...*pumice.CommandBuffer) *explain.Explanation {
	t.Helper()
	w, err := dev.Watch(at)
	if err != nil {
		t.Fatal(err)
	}
	for _, cmd := range cmds {
		if err := dev.Submit(context.Background(), cmd); err != nil {
			t.Fatal(err)
		}
	}
	return w.End()[0]
}

// events are those of draws: where, what came of them, and how many fragments each way.
func events(e *explain.Explanation) (list []string) {
	for _, v := range e.Events {
		if v.Draw == nil {
			continue
		}
		n := map[explain.Outcome]int{}
		for _, f := range v.Draw.Fragments {
			n[f.Outcome]++
		}
		text := v.Where + ": " + string(v.Outcome)
		for _, o := range []explain.Outcome{explain.Wrote, explain.Unchanged, explain.Missed} {
			if n[o] > 0 {
				text += fmt.Sprintf(", %d %s", n[o], o)
			}
		}
		list = append(list, text)
	}
	return list
}

func hasEvents(t *testing.T, e *explain.Explanation, want ...string) {
	t.Helper()
	if got := strings.Join(events(e), "\n"); got != strings.Join(want, "\n") {
		t.Errorf("%s:\n%s\nwant\n%s", e.Target.Image, got, strings.Join(want, "\n"))
	}
}

// A shader that asks for early tests writes depth though it discards: what comes behind it later
// loses.
func TestExplain_Holes_EarlyFragmentTests(t *testing.T) {
	dev, cmd, target, depth := holes(t, func(s *plantedScene) {
		s.box.fragment = strings.NewReplacer("void main()",
			"layout(early_fragment_tests) in;\nvoid main()",
			"color =", "if (c.a < 1.5) discard; color =").Replace(s.box.fragment)
		s.glass.vertices = newPlantedDraw("", 0.4, 0.6, [4]uint8{90, 120, 220, 128}).vertices
	})
	at := pumice.WatchPoint{Image: target, X: 12, Y: 14}
	hasEvents(t, historyOf(t, dev, at, cmd), "pass 0, draw 0 (floor): wrote, 1 wrote",
		"pass 0, draw 1 (box): unchanged, 1 unchanged",
		"pass 0, draw 2 (glass): unchanged, 1 unchanged")
	e := historyOf(t, dev, at, cmd)
	verdict := strings.Join(e.Verdict, "\n")
	for _, want := range []string{
		"the shader discards the fragment", "draw 2 (glass) lost the depth test: 0.6 is not LESS than 0.5, written by draw 1 (box)",
	} {
		if !strings.Contains(verdict, want) {
			t.Errorf("the verdict lacks %q:\n%s", want, verdict)
		}
	}
	at.Image = depth
	e = historyOf(t, dev, at, cmd)
	hasEvents(t, e, "pass 0, draw 0 (floor): wrote, 1 wrote", "pass 0, draw 1 (box): wrote, 1 wrote",
		"pass 0, draw 2 (glass): unchanged, 1 unchanged")
	if !strings.HasPrefix(e.After.Text, "0.5") {
		t.Errorf("the depth is %s, want 0.5", e.After.Text)
	}
}

// Each fragment that fails the depth test is told of.
func TestExplain_Holes_FragmentsThatFailed(t *testing.T) {
	dev, cmd, target, _ := holes(t, func(s *plantedScene) {
		s.box.depth.DepthCompareOp = vk.CompareOpGreater
		s.box.indices = nil
		for range 5 {
			s.box.indices = append(s.box.indices, 0, 1, 2, 2, 1, 3)
		}
		s.box.count = 30
	})
	e := historyOf(t, dev, pumice.WatchPoint{Image: target, X: 6, Y: 8}, cmd)
	hasEvents(t, e, "pass 0, draw 0 (floor): wrote, 1 wrote",
		"pass 0, draw 1 (box): unchanged, 5 unchanged", "pass 0, draw 2 (glass): missed")
	for _, f := range e.Events[2].Draw.Fragments {
		if d := f.Depth; f.Outcome == explain.Unchanged && (d == nil || d.Pass ||
			d.Fragment.Text != "0.5" || d.Stored.Text != "0.9") {
			t.Errorf("a fragment failed with %+v", d)
		}
	}
}

// Levels and layers of one image have histories of their own.
func TestExplain_Holes_Subresources(t *testing.T) {
	dev, err := pumice.Open(&pumice.Config{Explain: true, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	im, err := dev.NewImage(pumice.ImageDesc{Name: "array", Format: vk.FormatR8G8B8A8Unorm, Width: 8,
		Height: 8, MipLevels: 2, Layers: 3})
	if err != nil {
		t.Fatal(err)
	}
	cmd := dev.NewCommandBuffer()
	for layer := range 3 {
		for level := range 2 {
			v, err := im.NewView(pumice.ViewDesc{BaseLevel: level, Levels: 1, BaseLayer: layer, Layers: 1})
			if err != nil {
				t.Fatal(err)
			}
			cmd.BeginRendering(pumice.ClearTo(v, color.NRGBA{uint8(51 * layer), uint8(51 * level), 0,
				255})).End()
		}
	}
	for layer, want := range []string{"0, 0.2, 0, 1", "0.2, 0.2, 0, 1", "0.4, 0.2, 0, 1"} {
		e := historyOf(t, dev, pumice.WatchPoint{Image: im, X: 1, Y: 2, Level: 1, Layer: layer}, cmd)
		if len(e.Events) != 1 || e.After.Text != want || e.Events[0].Pass != 2*layer+1 {
			t.Errorf("layer %d: %s by %+v, want %s", layer, e.After.Text, e.Events, want)
		}
	}
}

// Commands that are submitted again are told again.
func TestExplain_Holes_SubmittedAgain(t *testing.T) {
	dev, cmd, target, _ := holes(t, func(*plantedScene) {})
	e := historyOf(t, dev, pumice.WatchPoint{Image: target, X: 12, Y: 14}, cmd, cmd, cmd)
	var want []string
	for range 3 {
		want = append(want, "draw 0 (floor): wrote, 1 wrote", "draw 1 (box): wrote, 1 wrote",
			"draw 2 (glass): wrote, 1 wrote")
	}
	got := events(e)
	if len(got) != len(want) {
		t.Fatalf("%d events, want %d:\n%s", len(got), len(want), strings.Join(got, "\n"))
	}
	for i := range want {
		if !strings.HasSuffix(got[i], want[i]) {
			t.Errorf("event %d is %q, want %q", i, got[i], want[i])
		}
	}
}

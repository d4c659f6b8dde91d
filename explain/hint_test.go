package explain

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// twoDraws is a sample of two draws, the second of which is culled: a picture of its own by each
// change.
func twoDraws(x int, second Outcome, after Value) *Explanation {
	without := &Change{"cullMode", "VK_CULL_MODE_NONE"}
	return &Explanation{
		Target: Target{X: x}, After: after,
		Events: []Event{
			{Kind: Draw, Where: "draw 0", Ordinal: 1, Outcome: Wrote},
			{Kind: Draw, Where: "draw 1", Ordinal: 2, Outcome: second},
		},
		Hints: []Hint{
			{Ordinal: 2, Where: "draw 1", Change: without, Writes: true,
				Says: "without culling it would be drawn"},
			{Ordinal: 2, Where: "draw 1", Change: without, Says: "said once more"},
			{Ordinal: 2, Where: "draw 1", Cannot: "positions come from shaders", Says: "behind the viewer"},
		},
	}
}

// Each change is drawn once, for all samples, and each hint of it says what came of it.
func TestTry_EachChangeOnce(t *testing.T) {
	green, red := Value{Bits: "00ff00ff", Text: "0, 1, 0, 1"}, Value{Bits: "ff0000ff",
		Text: "1, 0, 0, 1", Color: "#ff0000ff"}
	es := []*Explanation{twoDraws(0, Missed, green), twoDraws(1, Missed, green),
		twoDraws(2, Missed, green)}
	drawn := 0
	err := Try(es, func(h *Hint) ([]*Explanation, error) {
		drawn++
		gone := twoDraws(0, Wrote, red)
		gone.Events[0].Outcome = Missed
		return []*Explanation{gone, twoDraws(1, Missed, green)}, nil // of the third there is nothing
	})
	if err != nil || drawn != 1 {
		t.Fatalf("drawn %d times, %v", drawn, err)
	}
	for i, want := range []string{
		"draw 1 without culling: it becomes 1, 0, 0, 1 (#ff0000ff); draw 0 no longer writes it",
		"draw 1 without culling: it stays 0, 1, 0, 1",
	} {
		for _, h := range es[i].Hints[:2] {
			if h.Tried == nil || h.Tried.Says != want || h.Tried.Wrote != (i == 0) {
				t.Errorf("sample %d: %+v, want %q", i, h.Tried, want)
			}
		}
		if es[i].Hints[2].Tried != nil {
			t.Error("what cannot be tried was")
		}
		var b bytes.Buffer
		if err := WriteText(&b, es[i], TextOptions{}); err != nil ||
			!strings.Contains(b.String(), "\nTried\n "+want+"\n") {
			t.Errorf("%v: %q is missing in\n%s", err, want, b.String())
		}
	}
	if es[2].Hints[0].Tried != nil {
		t.Error("a sample that was not drawn again was tried")
	}
	failed := errors.New("the device was lost")
	if err := Try(es, func(*Hint) ([]*Explanation, error) { return nil, failed }); !errors.Is(err,
		failed) {
		t.Error(err)
	}
}

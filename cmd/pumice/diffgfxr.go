package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/imagefile"
)

// captureReport is what diff prints of two captures.
type captureReport struct {
	A       string `json:"a"`
	B       string `json:"b"`
	FramesA string `json:"framesA"` // "frames 1 to 60"
	FramesB string `json:"framesB"`
	Equal   bool   `json:"equal"`
	// Frame is the first whose pictures differ, Pictures how: of its pixels the first is explained.
	Frame    int         `json:"frame,omitempty"`
	Pictures *diffReport `json:"pictures,omitempty"`
	// EventA and EventB are the first commands, one beside the other, after which the pixel
	// differs; nil: that capture has no more. Why says why there are neither.
	EventA *explain.Event `json:"eventA,omitempty"`
	EventB *explain.Event `json:"eventB,omitempty"`
	Why    string         `json:"why,omitempty"`
}

// diffCaptures replays two captures and looks for the first frame whose pictures differ,
// frames with the same number beside each other; there, for the first command after which
// the first pixel that differs has another value. Frames that only one of them has make
// no difference.
func diffCaptures(w *work, out io.Writer, a, b string, o diffOptions) error {
	r := &captureReport{A: a, B: b}
	if err := r.compare(w, o); err != nil {
		return err
	}
	return o.tell(out, r, r.Equal, a, b)
}

func (r *captureReport) compare(w *work, o diffOptions) error {
	var replays [2]*replay
	for i, path := range [2]string{r.A, r.B} {
		p, err := newReplay(w, path)
		if err != nil {
			return err
		}
		defer p.close()
		replays[i] = p
	}
	r.FramesA, r.FramesB = replays[0].frames(), replays[1].frames()
	first, last := max(replays[0].first, replays[1].first), min(replays[0].last, replays[1].last)
	if first > last {
		return fmt.Errorf("no frame is in both: %s holds %s, %s holds %s", r.A, r.FramesA, r.B, r.FramesB)
	}
	var sums [2][]string
	for i, p := range replays {
		var err error
		if sums[i], err = p.sums(w, last); err != nil {
			return err
		}
	}
	for n := first; n <= last; n++ {
		if sums[0][n-replays[0].first] == sums[1][n-replays[1].first] {
			continue
		}
		found, err := r.compareFrame(w, replays, n, o)
		if found || err != nil {
			return err
		}
	}
	r.Equal = true
	return nil
}

// compareFrame compares the pictures of a frame, and says what made their first difference,
// if that is more than the tolerance.
func (r *captureReport) compareFrame(w *work, replays [2]*replay, frame int, o diffOptions) (found bool, err error) {
	var files [2]string
	for i, p := range replays {
		if files[i], err = p.picture(w, frame); err != nil {
			return false, err
		}
	}
	report, d, err := readDifference(w, files[0], files[1], o.tolerance, new([]*imagefile.File))
	if err != nil || report.Equal {
		return false, err
	}
	report.A.Path, report.B.Path = r.A, r.B
	r.Frame, r.Pictures = frame, report
	if d == nil {
		r.Why = "the pictures have different sizes"
		return true, nil
	}
	if o.heat != "" {
		if err := writeHeat(w, d, o.heat); err != nil {
			return true, err
		}
		report.Heat = o.heat
	}
	var chains [2][]*explain.Explanation
	for i, path := range [2]string{r.A, r.B} {
		if _, chains[i], err = explainCapture(w, path, frame, []point{{x: d.First.X, y: d.First.Y}}); err != nil {
			if w.ctx.Err() != nil {
				return true, err
			}
			r.Why = oneLine(err) // the pictures are worth telling of even so
			return true, nil
		}
	}
	if r.EventA, r.EventB = firstEvents(chains[0], chains[1]); r.EventA == nil && r.EventB == nil {
		r.Why = "all commands of the frame did the same: the pixel had another value before"
	}
	return true, nil
}

// picture replays up to a frame and returns the file that its picture is in.
func (p *replay) picture(w *work, frame int) (string, error) {
	file := p.file("frame.png")
	w.doing = fmt.Sprintf("replaying %s to frame %d", p.path, frame)
	return file, p.run(w.ctx, frame, []string{file}, fmt.Sprintf("PUMICE_FRAME=%d:%s", p.counted(frame), file))
}

// sums returns the size and checksum of each frame's picture up to a frame, or of more.
func (p *replay) sums(w *work, until int) ([]string, error) {
	w.doing = "replaying " + p.path
	file := p.file("frames")
	if err := p.run(w.ctx, until, []string{file}, "PUMICE_FRAMES="+file); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var sums []string
	for line := range bytes.Lines(text) {
		number, sum, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		if number != fmt.Sprint(len(sums)+1) {
			return nil, fmt.Errorf("%s: the replay presented frame %s after frame %d", p.path, number, len(sums))
		}
		sums = append(sums, sum)
	}
	if want := p.counted(until); len(sums) < want {
		return nil, fmt.Errorf("%s: the replay presented %d frames of %d", p.path, len(sums), want)
	}
	return sums, nil
}

// firstEvents are the first events, one beside the other, after which the sample has
// another value, or that are not of the same kind; nil where one of them has no more. Chains go
// from the picture back to where it was drawn: the events that come first stand last.
func firstEvents(a, b []*explain.Explanation) (x, y *explain.Event) {
	ea, eb := inOrder(a), inOrder(b)
	for i := range max(len(ea), len(eb)) {
		x, y = nil, nil
		if i < len(ea) {
			x = ea[i]
		}
		if i < len(eb) {
			y = eb[i]
		}
		if x == nil || y == nil || x.Kind != y.Kind || x.Outcome != y.Outcome || x.After.Bits != y.After.Bits {
			return x, y
		}
	}
	return nil, nil
}

func inOrder(chain []*explain.Explanation) (events []*explain.Event) {
	for i := len(chain) - 1; i >= 0; i-- {
		for n := range chain[i].Events {
			events = append(events, &chain[i].Events[n])
		}
	}
	return events
}

// text is the report for people.
func (r *captureReport) text() string {
	var t strings.Builder
	if r.Equal {
		fmt.Fprintf(&t, "equal: the pictures of all frames that both hold (a: %s, b: %s)\n", r.FramesA, r.FramesB)
		return t.String()
	}
	fmt.Fprintf(&t, "frame    %d is the first that differs (a holds %s, b %s)\n%s", r.Frame, r.FramesA, r.FramesB, r.Pictures.text())
	if r.Why != "" {
		fmt.Fprintf(&t, "first draw  unknown: %s\n", r.Why)
		return t.String()
	}
	fmt.Fprintf(&t, "the first pixel differs after\n")
	for i, e := range [2]*explain.Event{r.EventA, r.EventB} {
		fmt.Fprintf(&t, "  %c  %s\n", 'a'+i, eventText(e))
	}
	return t.String()
}

// eventText is an event as one line; nil: there is none.
func eventText(e *explain.Event) string {
	if e == nil {
		return "no such command"
	}
	text := fmt.Sprintf("%s (%s): %s, before %s", e.Where, e.Outcome, e.After.Text, e.Before.Text)
	if e.Reason != "" {
		text += "; " + e.Reason
	}
	return text
}

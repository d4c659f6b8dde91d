package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"os"
	"strings"

	"github.com/pumice-gpu/pumice/explain"
)

// captureDifference is where two captures differ first.
type captureDifference struct {
	frame    int // 0: nowhere
	pictures [2]image.Image
	pixel    image.Point // the first of the frame, row by row, that differs
	colors   [2]string   // of it, #rrggbb
	why      string      // why there are no explanations; "": there are
	chains   [2][]*explain.Explanation
	events   [2]*explain.Event // the first after which the pixels differ; nil: one has no more
	counts   [2]int            // of frames
}

// diffCaptures replays two captures and looks for the first frame whose pictures differ,
// frames with the same number beside each other; there, for the first command after which
// the first pixel that differs has another value. Frames that only one of them has make
// no difference.
func diffCaptures(w *work, a, b string) (*captureDifference, error) {
	var replays [2]*replay
	var lists [2][]string
	for i, path := range [2]string{a, b} {
		p, err := newReplay(w, path)
		if err != nil {
			return nil, err
		}
		defer p.close()
		replays[i] = p
		w.doing = "replaying " + path
		if lists[i], err = p.sums(w); err != nil {
			return nil, err
		}
	}
	d := &captureDifference{counts: [2]int{len(lists[0]), len(lists[1])}}
	first, last := max(replays[0].first, replays[1].first), min(replays[0].last, replays[1].last)
	if first > last {
		return nil, fmt.Errorf("no frame is in both: %s holds %s, %s holds %s", a, replays[0].frames(), b, replays[1].frames())
	}
	for n := first; n <= last && d.frame == 0; n++ {
		if lists[0][n-replays[0].first] != lists[1][n-replays[1].first] {
			d.frame = n
		}
	}
	if d.frame == 0 {
		return d, nil
	}
	for i, p := range replays {
		var err error
		if d.pictures[i], err = p.picture(w, d.frame); err != nil {
			return nil, err
		}
	}
	d.pixel = firstDifference(d.pictures[0], d.pictures[1])
	for i, path := range [2]string{a, b} {
		if !d.pixel.In(d.pictures[i].Bounds()) { // pictures of two sizes
			d.why = "the pictures have different sizes"
			return d, nil
		}
		c := color.NRGBAModel.Convert(d.pictures[i].At(d.pixel.X, d.pixel.Y)).(color.NRGBA)
		d.colors[i] = fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)
		_, chain, err := explainCapture(w, path, d.frame, []point{{x: d.pixel.X, y: d.pixel.Y}})
		if err != nil {
			return nil, err
		}
		d.chains[i] = chain
	}
	d.events[0], d.events[1] = firstEvents(d.chains[0], d.chains[1])
	return d, nil
}

// picture is the picture of a frame.
func (p *replay) picture(w *work, frame int) (image.Image, error) {
	file := p.file("frame.png")
	w.doing = fmt.Sprintf("replaying %s to frame %d", p.path, frame)
	if err := p.run(w.ctx, frame, []string{file}, fmt.Sprintf("PUMICE_FRAME=%d:%s", p.counted(frame), file)); err != nil {
		return nil, err
	}
	return readPicture(file)
}

// sums returns the size and checksum of each frame's picture.
func (p *replay) sums(w *work) ([]string, error) {
	file := p.file("frames")
	if err := p.run(w.ctx, p.last, []string{file}, "PUMICE_FRAMES="+file); err != nil {
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
	if want := p.counted(p.last); len(sums) != want {
		return nil, fmt.Errorf("%s: the replay presented %d frames of %d", p.path, len(sums), want)
	}
	return sums, nil
}

// firstDifference is the first pixel, row by row, that is not the same in both pictures.
func firstDifference(a, b image.Image) image.Point {
	all := a.Bounds().Union(b.Bounds())
	for y := all.Min.Y; y < all.Max.Y; y++ {
		for x := all.Min.X; x < all.Max.X; x++ {
			p := image.Pt(x, y)
			if !p.In(a.Bounds()) || !p.In(b.Bounds()) || color.NRGBAModel.Convert(a.At(x, y)) != color.NRGBAModel.Convert(b.At(x, y)) {
				return p
			}
		}
	}
	return all.Max
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

// text tells the difference to people, in a few lines.
func (d *captureDifference) text(a, b string) string {
	var t strings.Builder
	if d.frame == 0 {
		fmt.Fprintf(&t, "the same pictures in all %d frames\n", min(d.counts[0], d.counts[1]))
		if d.counts[0] != d.counts[1] {
			fmt.Fprintf(&t, "(%s has %d frames, %s has %d)\n", a, d.counts[0], b, d.counts[1])
		}
		return t.String()
	}
	fmt.Fprintf(&t, "frame %d is the first that differs, there first pixel %d,%d", d.frame, d.pixel.X, d.pixel.Y)
	if d.why != "" {
		fmt.Fprintf(&t, ": %s\n", d.why)
		return t.String()
	}
	t.WriteByte('\n')
	for i, path := range [2]string{a, b} {
		fmt.Fprintf(&t, "  %s: %s", path, d.colors[i])
		switch e := d.events[i]; {
		case e != nil:
			fmt.Fprintf(&t, ", by %s (%s): %s to %s", e.Where, e.Outcome, e.Before.Text, e.After.Text)
			if e.Reason != "" {
				fmt.Fprintf(&t, "; %s", e.Reason)
			}
		case d.events[1-i] != nil:
			t.WriteString(": no such command")
		default:
			t.WriteString(": all commands of the frame did the same; it had another value before")
		}
		t.WriteByte('\n')
	}
	return t.String()
}

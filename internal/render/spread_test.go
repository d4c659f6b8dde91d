package render

import (
	"testing"

	"github.com/pumice-gpu/pumice/vk"
)

// What is drawn with four samples over a loaded attachment of one: covered samples
// are averaged with what was there.
func TestRun_SpreadLoadsEverySample(t *testing.T) {
	s := newScene(t, 4, 4, 4, vk.FormatUndefined)
	single := newView(t, vk.FormatR8G8B8A8Unorm, 4, 4, 1, 1)
	l := single.Level(0, 0)
	for i := range l.Data {
		l.Data[i] = 100
	}
	s.pass.Color[0] = Attachment{View: s.color, Load: vk.AttachmentLoadOpLoad, Spread: true, Resolve: single, ResolveMode: vk.ResolveModeAverageBit}
	// The left half of column 1 is covered: two samples of four.
	s.add(s.pipeline(t, 64), s.state, s.quad(nil, 1, 0, 1.5, 4, 0, 0, 0, 0, 0), 8)
	s.run(t, Config{})
	for y := range 4 {
		for x, want := range []byte{100, 50, 100, 100} {
			if got := pixel(single, x, y, 0); got != [4]byte{want, want, want, want} {
				t.Errorf("%d,%d: %v, want %d", x, y, got, want)
			}
		}
	}
}

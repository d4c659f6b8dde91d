package core

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/explain"
)

// FuzzWatch runs the scripts of FuzzCommands twice, once with samples of their images watched: the images end with
// the same bytes, and what is told of a sample leads from the value that it had to the one that it has.
func FuzzWatch(f *testing.F) {
	for i := range 60 {
		var program []byte
		x := uint32(i)*2246822519 + 777
		for range 40 + 4*i {
			x = x*1664525 + 1013904223
			program = append(program, byte(x>>24))
		}
		f.Add(program, byte(i))
	}
	g := &guarded{}
	vertex, fragment, compute := shaderCode(f, "attribute.vert"), shaderCode(f, "two.frag"), readFile(f, "../../conformance/testdata/stir.comp.spv")
	f.Fuzz(func(t *testing.T, program []byte, watched byte) {
		if len(program) > 4096 {
			return
		}
		run := func(n int) (images [][]byte, stopped bool) {
			in := &feed{slices.Clone(program)}
			s := &script{things: things{g: g, d: g.device(t, int(in.byte()&1))}, t: t, in: in, watched: n}
			defer s.close(t)
			s.makeObjects(vertex, fragment, compute)
			for range 2 {
				s.record()
			}
			for _, im := range s.images {
				images = append(images, bytes.Clone(im.mem.data))
			}
			return images, s.stopped
		}
		want, stopped := run(0)
		got, stoppedToo := run(1 + int(watched%16))
		if stopped || stoppedToo {
			return
		}
		for i := range want {
			if !bytes.Equal(got[i], want[i]) {
				t.Errorf("image %d has other bytes when it is watched", i)
			}
		}
	})
}

// watching watches some samples until the returned function is called, which looks at what is told.
func (s *script) watching() (done func()) {
	var at []WatchPoint
	for i := range s.watched {
		im := s.images[i%len(s.images)]
		p := WatchPoint{Image: im, X: i * 7 % int(im.res.Extent.Width), Y: i * 5 % int(im.res.Extent.Height), Sample: i % im.res.Samples}
		if s.d.checkWatch("Watch", &p) == nil {
			at = append(at, p)
		}
	}
	if len(at) == 0 {
		return func() {}
	}
	w, err := s.d.Watch("Watch", at)
	if err != nil {
		s.t.Fatal(err)
	}
	return func() {
		for _, e := range w.End() {
			if s.stopped {
				continue
			}
			now := e.Before.Bits
			for i := range e.Events {
				v := &e.Events[i]
				if v.Before.Bits != now || v.Outcome != explain.Wrote && v.After.Bits != now {
					s.t.Errorf("%+v: event %d (%s, %s) leads from %v to %v; the sample was %s", e.Target, i, v.Where, v.Outcome, v.Before, v.After, now)
					break
				}
				if v.Draw != nil {
					for _, f := range v.Draw.Fragments {
						for _, step := range f.Steps {
							if strings.Contains(step.Text, "does not add up") {
								s.t.Errorf("%+v: %s: %s", e.Target, v.Where, step.Text)
							}
						}
					}
				}
				now = v.After.Bits
			}
		}
	}
}

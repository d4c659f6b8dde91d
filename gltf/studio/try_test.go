package studio_test

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/gltf"
	"github.com/pumice-gpu/pumice/gltf/studio"
)

// trial explains points of a view, and does what the hints say.
type trial struct {
	*bench
	m                          *studio.Model
	v                          studio.View
	pairs, promises, questions int
}

func (b *bench) trial(doc *gltf.Document, v studio.View) *trial {
	b.t.Helper()
	m, err := b.Load(ctx, doc)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(m.Close)
	return &trial{bench: b, m: m, v: v}
}

// at tries the hints of points, and returns the explanations.
func (r *trial) at(points ...studio.Point) []*explain.Explanation {
	r.t.Helper()
	_, es, err := r.Explain(ctx, r.m, r.v, points...)
	if err != nil {
		r.t.Fatal(err)
	}
	err = explain.Try(es, func(h *explain.Hint) ([]*explain.Explanation, error) {
		_, again, err := r.Try(ctx, r.m, r.v, h, points...)
		return again, err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	for _, e := range es {
		r.pairs++
		for _, h := range e.Hints {
			switch {
			case h.Tried == nil:
			case !h.Writes:
				r.questions++
			default:
				if r.promises++; !h.Tried.Wrote {
					r.t.Errorf("(%d, %d) sample %d: %s: it does not\n%s", e.Target.X, e.Target.Y, e.Target.Sample, h.Says, strings.Join(e.Verdict, "\n"))
				}
			}
		}
	}
	return es
}

// putBox adds a closed box about a place, its faces outwards.
func (s *scene) putBox(x, y, z, half float32, material obj) {
	var at []float32
	for i := range 8 {
		for k, c := range []float32{x, y, z} {
			if i>>k&1 != 0 {
				c += half
			} else {
				c -= half
			}
			at = append(at, c)
		}
	}
	s.put(obj{"POSITION": s.positions(at...)}, material, obj{"indices": s.add("SCALAR", ushort, 36, []uint16{
		4, 5, 7, 4, 7, 6, 0, 2, 3, 0, 3, 1, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4, 2, 6, 7, 2, 7, 3,
	})})
}

// Of two boxes, one behind the other, the hidden one is hidden: the backs of it that are culled are no cause.
func TestTry_TwoBoxes(t *testing.T) {
	s := newScene()
	s.putBox(0, 0, 0, 0.5, unlit(1, 0, 0, 1))
	s.putBox(0, 0, -3, 0.5, unlit(0, 1, 0, 1))
	doc := s.document(t)
	r := newBench(t).trial(doc, studio.View{Width: 64, Height: 64, Samples: 4, Camera: studio.Camera{Document: &doc.Cameras[0]}})
	e := r.at(studio.Point{X: 30, Y: 33})[0]
	text := strings.Join(e.Verdict, "\n")
	if !strings.Contains(text, "lost the depth test") || strings.Contains(text, "cull") {
		t.Error(text)
	}
	if len(e.Hints) != 1 || *e.Hints[0].Change != (explain.Change{State: "depthTestEnable", Value: "VK_FALSE"}) || !e.Hints[0].Writes {
		t.Fatalf("%+v", e.Hints)
	}
	// The other box is drawn second: without its test it is on top.
	if got := e.Hints[0].Tried; !got.Wrote || !strings.HasPrefix(got.After.Text, "0, 1, 0") || len(got.Shows) != 0 {
		t.Errorf("%+v", got)
	}
	for i := range e.Events {
		v := &e.Events[i]
		for k := range draws(v) {
			f := &v.Draw.Fragments[k]
			if len(f.Stopped) > 0 && f.Stopped[0].Rule == "RAS-235" && v.Ordinal == e.Hints[0].Ordinal &&
				(len(f.Stopped) != 2 || f.Stopped[1].Rule != "RAS-327") {
				t.Errorf("what is culled is behind, too: %+v", f.Stopped)
			}
		}
	}
}

func draws(v *explain.Event) []explain.Fragment {
	if v.Draw == nil {
		return nil
	}
	return v.Draw.Fragments
}

// What is advised of models comes true.
func TestTry_Models(t *testing.T) {
	paths, err := filepath.Glob("../testdata/compressed/*.glb")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	file, err := studio.Teapot()
	if err != nil {
		t.Fatal(err)
	}
	teapot, err := gltf.Read(ctx, bytes.NewReader(file), nil, "teapot", nil)
	if err != nil {
		t.Fatal(err)
	}
	docs := []*gltf.Document{teapot}
	for _, p := range paths {
		if !strings.Contains(p, "gltfpack") {
			docs = append(docs, load(t, p))
		}
	}
	b := newBench(t)
	for i, doc := range docs {
		r := b.trial(doc, studio.View{Width: 96, Height: 96, Samples: 4})
		rng := rand.New(rand.NewPCG(31, uint64(i)))
		var points []studio.Point
		for range 20 {
			points = append(points, studio.Point{X: 10 + rng.IntN(76), Y: 10 + rng.IntN(76), Sample: rng.IntN(4)})
		}
		r.at(points...)
		t.Logf("%s: %d samples, %d promises, %d questions", doc.File, r.pairs, r.promises, r.questions)
	}
}

// Forty pixels of a helmet, of nine of which culling was blamed for what lies behind. The model is what -model names:
// what the tree has of it hides nothing.
func TestTry_Helmet(t *testing.T) {
	path := flag.Lookup("model").Value.String()
	if path == "" {
		t.Skip("-model names no model: FlightHelmet.gltf, of Khronos' glTF-Sample-Assets")
	}
	r := benchOn(t, &pumice.Config{Threads: 1}).trial(load(t, path), studio.View{
		Width: 320, Height: 320, Samples: 4, Camera: studio.Camera{Yaw: 30, Pitch: 15},
	})
	rng := rand.New(rand.NewPCG(31, 40))
	var points []studio.Point
	for range 40 {
		points = append(points, studio.Point{X: 100 + rng.IntN(120), Y: 30 + rng.IntN(270), Sample: rng.IntN(4)})
	}
	r.at(points...)
	if t.Logf("%d samples, %d promises, %d questions", r.pairs, r.promises, r.questions); r.promises == 0 {
		t.Error("nothing is promised")
	}
}

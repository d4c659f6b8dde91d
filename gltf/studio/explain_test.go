package studio_test

import (
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/gltf/studio"
)

// A triangle that shows its back and does not cover the sample is not said to be lost by culling; one that covers it is.
func TestExplain_BacksThatCoverNothing(t *testing.T) {
	b := newBench(t)
	s := newScene()
	// The quad is two triangles, which its diagonal parts; turned about, both show their backs.
	s.putQuad(-0.5, -0.5, 0.5, 0.5, 0, unlit(1, 0, 0, 1))["rotation"] = arr{0, 1, 0, 0}
	doc := s.document(t)
	m, err := b.Load(ctx, doc)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	v := studio.View{Width: 64, Height: 64, Samples: 4, Camera: studio.Camera{Document: &doc.Cameras[0]}}
	ended := map[string]int{}
	for x := 28; x < 36; x++ { // the diagonal's pixels and those beside them
		for sample := range 4 {
			_, es, err := b.Explain(ctx, m, v, studio.Point{X: x, Y: 31, Sample: sample})
			if err != nil {
				t.Fatal(err)
			}
			culled := 0
			for _, e := range es[0].Events {
				if e.Kind != explain.Draw {
					continue
				}
				for _, f := range e.Draw.Fragments {
					rule := f.Steps[len(f.Steps)-1].Rule
					ended[rule]++
					if rule == "RAS-235" {
						culled++
					}
				}
			}
			if culled != 1 {
				t.Errorf("pixel %d, sample %d: %d triangles are culled, want the one that covers it\n%s", x, sample, culled, strings.Join(es[0].Verdict, "\n"))
			}
		}
	}
	if ended["RAS-238"] == 0 {
		t.Errorf("no triangle ends at the diagonal: %v", ended)
	}
}

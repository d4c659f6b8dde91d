package conformance

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/conformance/faces"
	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// Each scene of package faces leaves the same bytes whether samples of its images are watched, with their
// shaders, or not; and what is told of a sample is one unbroken account up to the bytes that it holds. Debug
// has nothing to tell but that the indices of some lead beyond the vertices, which is their purpose.
func TestExplain_FacesStayTheSame(t *testing.T) {
	code := func(name string) ([]byte, error) { return os.ReadFile(filepath.Join("testdata", name+".spv")) }
	rng := rand.New(rand.NewPCG(13, 1))
	samples, told := 0, 0
	for _, scene := range faces.Scenes() {
		t.Run(scene.Name, func(t *testing.T) {
			debug := func(m pumice.Message) {
				if !strings.HasPrefix(scene.Name, "indexed") || m.Rule != "VUID-vkCmdDrawIndexed-None-02721" {
					silence(t)(m)
				}
			}
			want, err := scene.RunGo(&pumice.Config{Threads: 2, Debug: debug}, code)
			if err != nil {
				t.Fatal(err)
			}
			pick := func(images []*pumice.Image) (at []pumice.WatchPoint) {
				for range rules.Cases(40, 1000) {
					i := rng.IntN(len(images))
					d := &scene.Images[i]
					level := rng.IntN(max(d.Levels, 1))
					at = append(at, pumice.WatchPoint{
						Image: images[i], Level: level, X: rng.IntN(max(d.Width>>level, 1)), Y: rng.IntN(max(d.Height>>level, 1)),
						Sample: rng.IntN(max(d.Samples, 1)), Shader: rng.IntN(2) == 0, Quad: rng.IntN(2) == 0,
					})
				}
				return at
			}
			got, es, err := scene.RunGoWatched(&pumice.Config{Threads: 2, Explain: true}, code, pick)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Error("watched, the scene leaves other bytes")
			}
			for _, e := range es {
				samples++
				told += len(e.Events)
				if wrong := brokenAccount(e); wrong != "" {
					t.Errorf("%+v: %s", e.Target, wrong)
				}
			}
		})
	}
	if t.Logf("%d samples, %d events", samples, told); told < samples {
		t.Errorf("only %d events of %d samples", told, samples)
	}
}

// brokenAccount says where an explanation does not hold together.
func brokenAccount(e *explain.Explanation) string {
	now := e.Before
	for i := range e.Events {
		v := &e.Events[i]
		at := fmt.Sprintf("event %d (%s, %s)", i, v.Where, v.Outcome)
		switch {
		case v.Before.Bits != now.Bits:
			return fmt.Sprintf("%s begins at %v, not at %v", at, v.Before, now)
		case v.Outcome != explain.Wrote && v.Reason == "":
			return at + " has no reason"
		case v.Outcome != explain.Wrote && v.After.Bits != v.Before.Bits:
			return fmt.Sprintf("%s changes %v to %v", at, v.Before, v.After)
		}
		if v.Draw != nil {
			for _, f := range v.Draw.Fragments {
				for _, s := range f.Steps {
					if strings.Contains(s.Text, "does not add up") {
						return fmt.Sprintf("%s, primitive %d: %s", at, f.Primitive.ID, s.Text)
					}
				}
				if f.Shader != nil && len(f.Shader.Steps) == 0 {
					return at + ": the shader tells nothing"
				}
			}
		}
		now = v.After
	}
	if now.Bits != e.After.Bits && e.Dropped == 0 {
		return fmt.Sprintf("the account ends at %v, the sample is %v", now, e.After)
	}
	return ""
}

//go:build outside

package studio_test

import (
	"flag"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/outside"
)

// The same of a model that is compressed on the spot: what is left of FlightHelmet, or what -model names. docs/gltf.md has
// the result for all of it.
func TestOutside_CompressedHelmet(t *testing.T) {
	tool := outside.Tool{Name: "gltf-transform", From: "npm install @gltf-transform/cli", Why: "pictures of models that it compresses"}.Path(t)
	source := flag.Lookup("model").Value.String()
	if source == "" {
		source = filepath.Join(assetFolder(t), "FlightHelmet", "FlightHelmet.gltf")
	}
	p := &framed{bench: newBench(t), size: 512}
	plain := p.draw(source)
	for _, how := range []string{"draco --method edgebreaker", "draco --method sequential", "meshopt --level medium", "meshopt --level high"} {
		out := filepath.Join(t.TempDir(), "out.glb")
		args := append(strings.Fields(how), source, out)
		if text, err := exec.Command(tool, args...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", how, err, text)
		}
		d := apartBy(plain, p.draw(out))
		t.Logf("%s: %v", how, d)
		if d.mean > 0.5 || d.far > 0.005 || d.most > 2*oneSample {
			t.Errorf("%s: %v", how, d)
		}
	}
}

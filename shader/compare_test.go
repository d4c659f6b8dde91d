package shader_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/shader"
)

// The compiler in the sandbox is the glslangValidator that go generate runs, of one version: it
// writes the same words. The modules of this repository were made by that.
func TestCompile_GLSLIsWhatGlslangValidatorWrites(t *testing.T) {
	line := regexp.MustCompile(`(?m)^//go:generate glslangValidator (?:--quiet )?-V --target-env vulkan1\.(\d) (?:-o (\S+) (\S+)|(\S+) -o (\S+))$`)
	count, stages := 0, map[string]bool{}
	for _, folder := range []string{"..", "../gltf/studio", "../scene", "../conformance", "../internal/lower"} {
		files, _ := filepath.Glob(filepath.Join(folder, "*.go"))
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range line.FindAllStringSubmatch(string(text), -1) {
				out, in := filepath.Join(folder, m[2]+m[5]), filepath.Join(folder, m[3]+m[4])
				if testing.Short() && stages[filepath.Ext(in)] {
					continue
				}
				source, err := os.ReadFile(in)
				if err != nil {
					t.Fatal(err)
				}
				want, err := os.ReadFile(out)
				if err != nil {
					t.Fatal(err)
				}
				got, err := compiler(t).Compile(context.Background(), string(source), shader.Options{
					Name: in, Target: shader.Vulkan10 + shader.Target(m[1][0]-'0'), Include: os.DirFS(filepath.Dir(in)),
				})
				if err != nil {
					t.Errorf("%s: %v", in, err)
				} else if !bytes.Equal(got, want) {
					t.Errorf("%s: %d bytes, not those %d of %s", in, len(got), len(want), out)
				}
				stages[strings.TrimSuffix(filepath.Ext(in), ".glsl")] = true
				count++
			}
		}
	}
	for _, s := range []string{".vert", ".tesc", ".tese", ".geom", ".frag", ".comp", ".task", ".mesh"} {
		if !stages[s] {
			t.Errorf("no source of stage %s was compiled", s)
		}
	}
	t.Logf("%d sources", count)
}

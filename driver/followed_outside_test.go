//go:build linux && outside

package main_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pumice-gpu/pumice/explain"
)

// followedCapture captures testdata/followed.c.
func followedCapture(t *testing.T) string {
	t.Helper()
	recordsCaptures(t)
	capture := filepath.Join(t.TempDir(), "followed.gfxr")
	program := compiledForSystem(t, "followed")
	p := command(t, nil, "run", "--capture", capture, "--", program, "testdata")
	if p.code != 0 || p.out != "3 frames\n" {
		t.Fatal(p)
	}
	return capture
}

// TestOutside_FollowsAFrame: one command leads from a pixel of the picture, through the pass over
// it, a level made by a blit and the lit pass, to the texel that was uploaded two frames before, or
// to the depth in the shadow map and the triangle that it is of. The values follow by hand from
// followed.c: a texel (200, 0, 16)/255, of which the shadow leaves a quarter, and 1 minus that.
func TestOutside_FollowsAFrame(t *testing.T) {
	capture := followedCapture(t)
	const picture = `1. pixel 10, 20 of #3: 0.8039216, 1, 0.9843137, 1, by pass 2, draw 0, triangle 0, of textureLod(lit) at 0.1641, 0.3203
2. pixel 5, 10 of #7, level 1: 0.19607843, 0, 0.015686275, 0.2509804, by command buffer 0, transfer 5 (vkCmdBlitImage)
3. pixel 11, 21 of #7: 0.19607843, 0, 0.015686275, 0.2509804, by pass 1, draw 0, triangle 0, of `
	const reads = ` at 0.1797, 0.3359
   READ of --follow=READ: 1 texture(albedo) at 0.1797, 0.3359; 2 texture(map) at 0.1797, 0.3359
`
	for flag, want := range map[string]string{
		"--follow": picture + "texture(albedo)" + reads + `4. pixel 0, 1 of #5: 0.78431374, 0, 0.0627451, 1, by command buffer 0, transfer 1 (vkCmdCopyBufferToImage)
command buffer 0, transfer 1 (vkCmdCopyBufferToImage) made the value (copy)
`,
		"--follow=2": picture + "texture(map)" + reads + `4. pixel 2, 5 of #6: 0.25, 0, 0, 1, by pass 0, draw 0, triangle 0
pass 0, draw 0 made the value (draw)
`,
	} {
		p := command(t, nil, "explain", capture, "--frame", "3", "--pixel", "10,20", flag)
		if d := cmp.Diff(want, p.out); p.code != 0 || d != "" {
			t.Errorf("%s: %d %s (-want +got)\n%s", flag, p.code, p.errs, d)
		}
	}
	p := command(t, nil, "explain", capture, "--frame", "3", "--pixel", "10,20", "--follow=1,2")
	if p.code == 0 || !strings.Contains(p.errs, "image 1: no draw on the way has read several images") {
		t.Errorf("a choice that nothing asks for: %v", p)
	}
}

// TestOutside_WordOfACapture: the word that invocation 5 has written in frame 3 comes with the
// invocation's lines and what they gave its variables: 300 + 5².
func TestOutside_WordOfACapture(t *testing.T) {
	capture := followedCapture(t)
	for _, word := range []string{"0/3/20", "Counts/20"} {
		p := command(t, nil, "explain", capture, "--frame", "3", "--word", word, "--json")
		var list []explain.Explanation
		if err := json.Unmarshal([]byte(p.out), &list); err != nil || p.code != 0 || len(list) != 1 {
			t.Fatalf("%s: %v\n%v", word, err, p)
		}
		e := list[0]
		if len(e.Events) != 1 || e.Events[0].Shader == nil {
			t.Fatalf("%s: %s", word, p.out)
		}
		s := e.Events[0].Shader
		var got []string
		for _, in := range s.Steps {
			if in.Assigns != nil {
				line := strings.TrimSpace(sourceLine(s, in.Line))
				got = append(got, line+" // "+in.Assigns.Name+" = "+in.Assigns.Value.Text)
			}
		}
		want := []string{
			"uint i = gl_GlobalInvocationID.x; // i = 5",
			"uint total = frame * 100; // total = 300",
			"uint square(uint n) { // n = 5",
			"total += square(i); // total = 325",
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: (-want +got)\n%s", word, d)
		}
		if last := s.Steps[len(s.Steps)-1]; last.Value.Text != "325" || e.After.Bits != "45010000" ||
			s.Invocation != "invocation 5, 0, 0: workgroup 0, 0, 0, local index 5" {
			t.Errorf("%s: it ends with %+v, and the word is %+v, of %s", word, last, e.After, s.Invocation)
		}
	}
}

// sourceLine is a line of the shader's only source.
func sourceLine(s *explain.Shader, line int) string {
	lines := strings.Split(s.Sources[0].Text, "\n")
	if line < 1 || line > len(lines) {
		return ""
	}
	return lines[line-1]
}

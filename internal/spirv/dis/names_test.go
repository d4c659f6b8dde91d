package dis_test

import (
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/spirv/dis"
)

// debug are instructions of debug information, which are numbers here.
var debug = regexp.MustCompile(`(OpExtInst %\w+ %\w+) (?:Debug\w+|\d+)`)

// TestInstructions_AsTheToolsPrint compares instructions with names, of every shader of this module, with what
// spirv-dis prints.
func TestInstructions_AsTheToolsPrint(t *testing.T) {
	tool, err := exec.LookPath("spirv-dis")
	if err != nil {
		t.Skip("spirv-dis is not installed (Debian: spirv-tools)")
	}
	n, differ := 0, 0
	err = filepath.WalkDir("../../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".spv") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text, err := exec.Command(tool, "--no-header", "--no-indent", path).Output()
		if err != nil {
			return nil // TestText_AsTheToolsPrint tells
		}
		list := dis.Instructions(words(data))
		var got []string
		for _, at := range slices.Sorted(maps.Keys(list)) {
			got = append(got, list[at])
		}
		plain := func(text string) []string { return lines(debug.ReplaceAllString(text, "$1")) }
		want := plain(strings.TrimSpace(string(text)))
		got = plain(strings.Join(got, "\n"))
		if len(want) != len(got) {
			t.Errorf("%s: %d instructions, want %d", path, len(got), len(want))
			return nil
		}
		n += len(want)
		for i := range want {
			if want[i] != got[i] {
				if differ++; differ < 20 {
					t.Errorf("%s:\n\t%s\nwant\t%s", path, got[i], want[i])
				}
			}
		}
		return nil
	})
	if err != nil || n < 20000 {
		t.Errorf("%d instructions compared, %v", n, err)
	}
	t.Logf("%d instructions, %d differ", n, differ)
}

package dis_test

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/outside"
	"github.com/pumice-gpu/pumice/internal/spirv/dis"
)

// recorded has, by the path of a module in this repository, what spirv-dis made of it: the module's digest, the
// tool's version, and the digests of both of its texts.
const recorded = "testdata/spirv-dis.txt"

// said is a line of the record.
type said struct{ module, version, numbers, names string }

func (s said) String() string {
	return strings.Join([]string{s.module, s.version, s.numbers, s.names}, " ")
}

func parseSaid(line string) (s said) {
	if f := strings.Fields(line); len(f) == 4 {
		s = said{f[0], f[1], f[2], f[3]}
	}
	return s
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

// modules calls f with every module of the repository, by its path from the root.
func modules(t *testing.T, f func(path string, module []byte)) {
	t.Helper()
	root := os.DirFS("../../..")
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".spv" {
			if d != nil && d.IsDir() && len(path) > 1 && strings.HasPrefix(d.Name(), ".") {
				return fs.SkipDir // such as .git
			}
			return err
		}
		data, err := fs.ReadFile(root, path)
		if err == nil {
			f(path, data)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// ours is a module as Text and as Instructions print it.
func ours(module []byte) (numbers, names string) {
	list := dis.Instructions(words(module))
	var lines []string
	for _, at := range slices.Sorted(maps.Keys(list)) {
		lines = append(lines, list[at])
	}
	return plain(dis.Text(words(module))), plain(strings.Join(lines, "\n"))
}

var (
	// vendors are the endings that names lose or change when they are promoted, which
	// an older tool does not know of.
	vendors = regexp.MustCompile(`\b([A-Z]\w*?)(NV|EXT|KHR)\b`)
	// debugOps are instructions of debug information, which are numbers here.
	debugOps = regexp.MustCompile(`(OpExtInst %\w+ %\w+) (?:Debug\w+|\d+)`)
)

// plain is a text without what versions of the tools name differently.
func plain(text string) string {
	return debugOps.ReplaceAllString(vendors.ReplaceAllString(strings.TrimSpace(text), "$1"), "$1 _")
}

// Every module of this repository is printed as spirv-dis prints it: with numbers by Text, with names by Instructions.
func TestText_IsAsRecorded(t *testing.T) {
	r := outside.ReadRecord(t, recorded)
	n := 0
	modules(t, func(path string, module []byte) {
		want := parseSaid(r.Values[path])
		if want.module != digest(module) {
			t.Errorf("%s is new or was changed: %s", path, outside.Anew)
			return
		}
		n++
		numbers, names := ours(module)
		if digest([]byte(numbers)) != want.numbers {
			t.Errorf("%s: Text prints something else than spirv-dis %s; the tests with the tag outside show what", path, want.version)
		}
		if digest([]byte(names)) != want.names {
			t.Errorf("%s: Instructions prints something else than spirv-dis %s; the tests with the tag outside show what", path, want.version)
		}
	})
	if n < 300 {
		t.Errorf("only %d modules were compared", n)
	}
}

package assets

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every file is one that sums.txt lists, byte for byte, so that a copy is what its authors made; and every one listed is
// there.
func TestFolder_FilesAreThoseOfTheirAuthors(t *testing.T) {
	list, err := os.ReadFile(filepath.Join("testdata", "sums.txt"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for line := range strings.Lines(string(list)) {
		if fields := strings.Fields(line); !strings.HasPrefix(line, "#") && len(fields) > 1 {
			want[fields[1]] = fields[0]
		}
	}
	total := 0
	for _, name := range []string{"astc", "bc", "etc2", "gltf", "ktx2"} {
		dir := Folder(t, name)
		err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			file, err := filepath.Rel(filepath.Dir(dir), path)
			file = filepath.ToSlash(file)
			if sum := sha256.Sum256(data); want[file] != hex.EncodeToString(sum[:]) {
				t.Errorf("%s has the SHA-256 %x, in sums.txt it is %q", file, sum, want[file])
			}
			delete(want, file)
			total += len(data)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for file := range want {
		t.Errorf("%s is not there", file)
	}
	if total > 2500<<10 { // every clone takes it along
		t.Errorf("testdata has %d bytes", total)
	}
}

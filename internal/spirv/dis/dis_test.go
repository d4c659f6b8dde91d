package dis_test

import (
	"encoding/binary"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pumice-gpu/pumice/internal/spirv/dis"
)

func words(data []byte) []uint32 {
	w := make([]uint32, len(data)/4)
	for i := range w {
		w[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return w
}

// TestText_AsTheToolsPrint compares every shader of this module with what
// spirv-dis prints.
func TestText_AsTheToolsPrint(t *testing.T) {
	tool, err := exec.LookPath("spirv-dis")
	if err != nil {
		t.Skip("spirv-dis is not installed (Debian: spirv-tools)")
	}
	n := 0
	err = filepath.WalkDir("../../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".spv") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		want, err := exec.Command(tool, "--raw-id", "--no-header", "--no-indent", path).Output()
		if failed, ok := err.(*exec.ExitError); ok && strings.Contains(string(failed.Stderr), "Invalid ") {
			t.Logf("not compared: this spirv-dis does not know what %s holds: %s", path, failed.Stderr)
			return nil
		}
		if err != nil {
			t.Errorf("spirv-dis %s: %v", path, err)
			return nil
		}
		n++
		if diff := cmp.Diff(lines(string(want)), lines(dis.Text(words(data)))); diff != "" {
			t.Errorf("%s (-spirv-dis +ours):\n%s", path, diff)
		}
		return nil
	})
	if err != nil || n < 20 {
		t.Errorf("%d shaders compared, %v", n, err)
	}
}

// vendors are the endings that names lose or change when they are promoted, which
// an older tool does not know of.
var vendors = regexp.MustCompile(`\b([A-Z]\w*?)(NV|EXT|KHR)\b`)

// debugOps are instructions of debug information, which Text gives as numbers.
var debugOps = regexp.MustCompile(`(OpExtInst %\d+ %\d+) (?:Debug\w+|\d+)`)

func lines(text string) []string {
	return strings.Split(debugOps.ReplaceAllString(vendors.ReplaceAllString(text, "$1"), "$1 _"), "\n")
}

func instructions(list ...[]uint32) []uint32 {
	w := []uint32{0x07230203, 0x10000, 0, 100, 0}
	for _, in := range list {
		w = append(w, uint32(len(in))<<16|in[0])
		w = append(w, in[1:]...)
	}
	return w
}

// TestText_Numbers: every literal has the bits of the module.
func TestText_Numbers(t *testing.T) {
	const float, constant = 22, 43
	w := instructions(
		[]uint32{float, 1, 16}, []uint32{float, 2, 32}, []uint32{float, 3, 64}, []uint32{21, 4, 16, 1}, []uint32{21, 5, 64, 0},
		[]uint32{constant, 1, 6, 0x3E00}, []uint32{constant, 1, 7, 0xFC00}, []uint32{constant, 1, 8, 1},
		[]uint32{constant, 2, 9, 0x3DCCCCCD}, []uint32{constant, 2, 10, 0x7FC00001}, []uint32{constant, 2, 11, 0x80000001}, []uint32{constant, 2, 12, 0x7F7FFFFF},
		[]uint32{constant, 3, 13, 0x9999999A, 0x3FB99999}, []uint32{constant, 3, 14, 0, 0x7FF00000},
		[]uint32{constant, 4, 15, 0xFFFFFFFB}, []uint32{constant, 5, 16, 0xFFFFFFFF, 0xFFFFFFFF},
		[]uint32{5, 16, 0x225C61}, // a name with a quote and a backslash
	)
	want := strings.Join([]string{
		"%1 = OpTypeFloat 16", "%2 = OpTypeFloat 32", "%3 = OpTypeFloat 64", "%4 = OpTypeInt 16 1", "%5 = OpTypeInt 64 0",
		"%6 = OpConstant %1 0x1.8p+0", "%7 = OpConstant %1 -0x1p+16", "%8 = OpConstant %1 0x1p-24",
		"%9 = OpConstant %2 0.100000001", "%10 = OpConstant %2 0x1.800002p+128", "%11 = OpConstant %2 -0x1p-149", "%12 = OpConstant %2 3.40282347e+38",
		"%13 = OpConstant %3 0.10000000000000001", "%14 = OpConstant %3 0x1p+1024",
		"%15 = OpConstant %4 -5", "%16 = OpConstant %5 18446744073709551615", `OpName %16 "a\\\""`, "",
	}, "\n")
	got := dis.Text(w)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	tool, err := exec.LookPath("spirv-as")
	if err != nil {
		t.Skip("spirv-as is not installed (Debian: spirv-tools): the round trip is left out")
	}
	out := filepath.Join(t.TempDir(), "a.spv")
	cmd := exec.Command(tool, "--preserve-numeric-ids", "--target-env", "spv1.0", "-o", out, "-")
	cmd.Stdin = strings.NewReader(got)
	if msg, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("spirv-as: %v: %s", err, msg)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	back := words(data)
	if diff := cmp.Diff(w[5:], back[5:]); diff != "" {
		t.Errorf("the text assembles to other words (-module +assembled):\n%s", diff)
	}
}

// TestText_Unreadable: what can't be read stands as words, and the text goes on.
func TestText_Unreadable(t *testing.T) {
	got := dis.Text(append(instructions([]uint32{0xFFF0, 7}, []uint32{5, 16, 0x41414141}, []uint32{253}), 9<<16))
	want := "; not readable: [0x2fff0 0x7]\n; not readable: [0x30005 0x10 0x41414141]\nOpReturn\n; word 11: an instruction of 9 words in a module of 12\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func FuzzText(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4})
	f.Add(make([]byte, 64))
	f.Fuzz(func(t *testing.T, data []byte) {
		if s := dis.Text(words(data)); len(s) > 400*len(data)+1000 {
			t.Errorf("%d bytes of text for %d bytes", len(s), len(data))
		}
		for at, s := range dis.Instructions(words(data)) {
			if len(s) > 1<<9*len(data)+1000 {
				t.Errorf("word %d: %d bytes of text for %d bytes", at, len(s), len(data))
			}
		}
	})
}

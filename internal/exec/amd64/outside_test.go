//go:build outside

package amd64

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/outside"
)

// objdump disassembles code: the record has what it says of each instruction, by the instruction's bytes.
func objdump(t *testing.T, code []byte) outside.Record {
	t.Helper()
	tool := outside.Tool{Name: "objdump", Debian: "binutils", Why: "what instructions the encoder writes"}
	path := tool.Path(t)
	file := filepath.Join(t.TempDir(), "code")
	if err := os.WriteFile(file, code, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(path, "-D", "-b", "binary", "-m", "i386:x86-64", "--insn-width=16", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	r := tool.NewRecord(path)
	for _, m := range regexp.MustCompile(`(?m)^ *[0-9a-f]+:\t((?:[0-9a-f]{2} )+) *\t(.*)$`).FindAllStringSubmatch(string(out), -1) {
		r.Values[strings.ReplaceAll(m[1], " ", "")] = strings.Join(strings.Fields(m[2]), " ")
	}
	return r
}

// Every operation is what objdump reads.
func TestOutside_Objdump_ReadsWhatIsWritten(t *testing.T) {
	evex, vex := evexInstructions(), vexInstructions()
	r := objdump(t, slices.Concat(evex.B, vex.B))
	r.Compare(t, evex.lines, plain)
	r.Compare(t, vex.lines, plain)
	if outside.Recording() && !t.Failed() {
		r.Write(t, recorded)
	}
}

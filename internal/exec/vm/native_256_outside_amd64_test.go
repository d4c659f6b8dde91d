//go:build outside

package vm

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/outside"
)

// A disassembler finds nothing wider in it, either.
func TestOutside_Objdump_256_OnlyAVX2(t *testing.T) {
	objdump := outside.Tool{Name: "objdump", Debian: "binutils", Why: "code for AVX2 has no instruction and no register of AVX-512"}.Path(t)
	file := filepath.Join(t.TempDir(), "code")
	wide := regexp.MustCompile(`zmm|%k[0-7]|%[xy]mm(1[6-9]|[23][0-9])|\{|\(bad\)`)
	lines := 0
	narrowPrograms(t, func(p *ir.Program, m *routine) {
		for i := range m.unit.Blocks() {
			if err := os.WriteFile(file, m.unit.Text(i), 0o600); err != nil {
				t.Fatal(err)
			}
			out, err := exec.Command(objdump, "-D", "-b", "binary", "-m", "i386:x86-64", "--no-show-raw-insn", file).Output()
			if err != nil {
				t.Fatal(err)
			}
			out, _, found := bytes.Cut(out, []byte("*%rax")) // the last instruction; constants follow
			if !found {
				t.Errorf("%s: code without an end", p.Name)
			}
			lines += bytes.Count(out, []byte("\n"))
			_, out, _ = bytes.Cut(out, []byte("<.data>:"))
			if bad := wide.FindIndex(out); bad != nil {
				from, to := bytes.LastIndexByte(out[:bad[0]], '\n'), bytes.IndexByte(out[bad[0]:], '\n')
				t.Errorf("%s: %s", p.Name, out[from+1:bad[0]+to])
			}
		}
	})
	t.Log(lines, "instructions")
}

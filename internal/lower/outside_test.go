//go:build outside

package lower_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/outside"
)

// TestOutside_SpirvVal_Agrees compares our verdict on modules with that of spirv-val. PUMICE_MUTANTS asks for
// another number of mutants a module, PUMICE_MUTANTS_DIR for a folder that gets those with two verdicts.
func TestOutside_SpirvVal_Agrees(t *testing.T) {
	tool := outside.Tool{Name: "spirv-val", Debian: "spirv-tools", Why: "which modules are refused"}
	path := tool.Path(t)
	said := func(words []uint32) (bool, string) {
		cmd := exec.Command(path, "--target-env", "vulkan1.3", "--scalar-block-layout", "--workgroup-scalar-block-layout", "-")
		cmd.Stdin = bytes.NewReader(bytesOf(words))
		out, err := cmd.CombinedOutput()
		return err == nil, string(out)
	}
	n := 6
	if v, err := strconv.Atoi(os.Getenv("PUMICE_MUTANTS")); err == nil {
		n = v
	}
	r := tool.NewRecord(path)
	var a agreement
	for _, s := range subjects(t) {
		verdicts := "0"
		if ok, message := said(s.words); !ok { // an older tool does not know all that modules here hold
			t.Logf("not compared: %s: %s", s.path, strings.TrimSpace(message))
		} else {
			if err := accepts(s.words); err != nil {
				t.Errorf("spirv-val accepts %s: %v", s.path, err)
			}
			verdicts = "1"
			for k, w := range s.mutants(n) {
				ours := accepts(w)
				theirs, message := said(w)
				a.add(ours, theirs, message)
				if theirs {
					verdicts += "1"
				} else {
					verdicts += "0"
				}
				if dir := os.Getenv("PUMICE_MUTANTS_DIR"); dir != "" && (ours == nil) != theirs {
					file := filepath.Join(dir, fmt.Sprintf("%s-%d.spv", filepath.Base(s.path), k))
					if err := os.WriteFile(file, bytesOf(w), 0o644); err != nil {
						t.Error(err)
					}
				}
			}
		}
		r.Values[s.path] = s.digest() + " " + verdicts
	}
	a.check(t)
	if outside.Recording() && !t.Failed() {
		r.Write(t, recordedVerdicts)
	}
}

//go:build outside

package spirv_test

import (
	"bytes"
	"encoding/binary"
	"os/exec"
	"testing"

	"github.com/pumice-gpu/pumice/internal/outside"
	"github.com/pumice-gpu/pumice/internal/spirv"
	"github.com/pumice-gpu/pumice/internal/spirv/imagemodule"
)

// TestOutside_SpirvVal_ImageInstructions asks spirv-val about imagemodule.All: all of them where the verdicts are recorded, else some.
func TestOutside_SpirvVal_ImageInstructions(t *testing.T) {
	tool := outside.Tool{Name: "spirv-val", Debian: "spirv-tools", Why: "which image instructions are valid"}
	path := tool.Path(t)
	r, old, n := tool.NewRecord(path), outside.ReadRecord(t, recordedImageVerdicts), 0
	args, at := []string{"--target-env", "vulkan1.3"}, map[spirv.Op]int{}
	const offsets = "--allow-offset-texture-operand" // maintenance8
	if help, _ := exec.Command(path, "--help").CombinedOutput(); bytes.Contains(help, []byte(offsets)) {
		args = append(args, offsets)
	}
	for c := range imagemodule.All() {
		words, k := c.Words(), at[c.Op]
		at[c.Op]++
		if n++; n%23 != 0 && !outside.Recording() {
			continue
		}
		code := make([]byte, 0, 4*len(words))
		for _, w := range words {
			code = binary.LittleEndian.AppendUint32(code, w)
		}
		cmd := exec.Command(path, append(args, "-")...)
		cmd.Stdin = bytes.NewReader(code)
		out, err := cmd.CombinedOutput()
		said := byte('0')
		switch {
		case err == nil:
			said = '1'
		case !cmd.ProcessState.Exited():
			said = '2' // an assertion of the tool
		}
		r.Values[c.Op.String()] += string(said)
		if was := old.Values[c.Op.String()]; !outside.Recording() && k < len(was) && was[k] != said {
			t.Logf("not compared: %v: this version says %c, the one that is recorded %c: %s", c, said, was[k], out)
			continue
		}
		agreesOnImage(t, c, faulty(words), said)
	}
	if outside.Recording() {
		r.Write(t, recordedImageVerdicts)
	}
}

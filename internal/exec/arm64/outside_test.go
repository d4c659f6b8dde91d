//go:build outside

package arm64

import (
	"encoding/hex"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/outside"
)

// llvmMC disassembles code: the record has what it says of each instruction, by the instruction's
// bytes.
func llvmMC(t *testing.T, code []byte) outside.Record {
	t.Helper()
	tool := outside.Tool{Name: "llvm-mc", Debian: "llvm", Why: "what instructions the encoder writes"}
	for version := 40; version >= 14; version-- {
		tool.Other = append(tool.Other, fmt.Sprint("llvm-mc-", version))
	}
	path := tool.Path(t)
	var bytes strings.Builder
	for _, b := range code {
		fmt.Fprintf(&bytes, "%#02x ", b)
	}
	cmd := exec.Command(path, "--disassemble", "--triple=aarch64", "-mattr=+neon")
	cmd.Stdin = strings.NewReader(bytes.String())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	r := tool.NewRecord(path)
	for line := range strings.Lines(string(out)) {
		text := strings.Join(strings.Fields(line), " ")
		if text == "" || text == ".text" {
			continue
		}
		if len(code) < 4 {
			t.Fatal("there are more lines than instructions")
		}
		r.Values[hex.EncodeToString(code[:4])], code = text, code[4:]
	}
	if len(code) > 0 {
		t.Fatalf("%d bytes have no line", len(code))
	}
	return r
}

// Every form is what llvm-mc reads.
func TestOutside_LLVM_ReadsWhatIsWritten(t *testing.T) {
	fixed, random := fixedInstructions(), randomInstructions()
	a, ours := fixed.finish(t)
	b, more := random.finish(t)
	r := llvmMC(t, slices.Concat(a[:4*len(ours)], b[:4*len(more)]))
	r.Compare(t, ours, plain)
	r.Compare(t, more, plain)
	if outside.Recording() && !t.Failed() {
		r.Write(t, recorded)
	}
}
